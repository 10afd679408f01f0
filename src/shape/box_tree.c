// Walks through box trees.
#include "shape/box_tree.h"

#include "shape/box_tree_grid.h"

// ---- Overlap

// All in whole numbers: eight bounds fit one 128-bit register.
static unsigned overlapping(const cn_box_node *node, const cn_s8 lower[3], const cn_s8 upper[3])
{
    cn_s8 meets = (cn_box_bound(node, 0) <= upper[0]) & (cn_box_bound(node, 1) >= lower[0]);
    meets &= (cn_box_bound(node, 2) <= upper[1]) & (cn_box_bound(node, 3) >= lower[1]);
    meets &= (cn_box_bound(node, 4) <= upper[2]) & (cn_box_bound(node, 5) >= lower[2]);
    return cn_i8_bits(__builtin_convertvector(meets, cn_i8));
}

void cn_box_tree_query(const cn_box_tree *tree, const cn_box3 *box, cn_box_tree_overlap visit, void *context)
{
    if (tree->item_count == 0 || !cn_box3_overlaps(&tree->bounds, box))
        return;
    cn_s8 lower[3], upper[3];
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = cn_s8_set(cn_grid_below(tree, axis, cn_component(box->lower, axis)));
        upper[axis] = cn_s8_set(cn_grid_round(cn_grid_place(tree, axis, cn_component(box->upper, axis)) + CN_GRID_SLACK));
    }
    uint32_t stack[CN_BOX_TREE_STACK] = { 0 };
    for (int count = 1; count > 0;) {
        uint32_t child = stack[--count];
        if ((child & CN_BOX_LEAF) == 0) {
            const cn_box_node *node = &tree->nodes[child];
            for (unsigned bits = overlapping(node, lower, upper); bits != 0; bits &= bits - 1)
                stack[count++] = node->child[__builtin_ctz(bits)];
            continue;
        }
        const int32_t *item = tree->items + cn_box_leaf_first(child);
        for (int i = 0; i < cn_box_leaf_count(child); i++)
            if (!visit(context, item[i]))
                return;
    }
}

// ---- Nearest first

// Visits the items of a leaf and returns the new limit.
static float visit_leaf(const cn_box_tree *tree, uint32_t child, float limit, cn_box_tree_visit visit, void *context)
{
    const int32_t *item = tree->items + cn_box_leaf_first(child);
    for (int i = 0; i < cn_box_leaf_count(child) && limit >= 0.0f; i++)
        limit = visit(context, item[i], limit);
    return limit;
}

// Which children of a node are of interest up to a limit, as bits, and from where on.
typedef unsigned measure(const void *query, const cn_box_node *node, float limit, cn_f8 *at);

// The items of interest, nearest first. Inline, so that the measure is no call.
CN_INLINE void walk(const cn_box_tree *tree, measure *of_interest, const void *query, float limit, cn_box_tree_visit visit,
                    void *context)
{
    cn_grid_stack stack;
    stack.count = 0;
    for (uint32_t child = 0; child != CN_GRID_END;) {
        if ((child & CN_BOX_LEAF) != 0) {
            limit = visit_leaf(tree, child, limit, visit, context);
            child = cn_grid_pop(&stack, limit);
            continue;
        }
        cn_f8 at;
        unsigned bits = of_interest(query, &tree->nodes[child], limit, &at);
        child = bits != 0 ? cn_grid_descend(&stack, &tree->nodes[child], bits, at) : cn_grid_pop(&stack, limit);
    }
}

CN_INLINE unsigned meets(const void *query, const cn_box_node *node, float limit, cn_f8 *enter)
{
    return cn_grid_ray_test(query, node, limit, enter);
}

void cn_box_tree_sweep(const cn_box_tree *tree, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                       cn_box_tree_visit visit, void *context)
{
    if (tree->item_count == 0)
        return;
    cn_grid_ray ray = cn_grid_ray_make(tree, origin, translation, half_extents);
    walk(tree, meets, &ray, limit, visit, context);
}

typedef struct grid_box {
    cn_f8 lower[3], upper[3]; // in cells, a little larger than it is
    cn_f8 cell[3];            // metres, scaled
} grid_box;

static grid_box make_grid_box(const cn_box_tree *tree, const cn_box3 *box, cn_vec3 scale)
{
    grid_box out;
    float reach = cn_maxf(cn_box3_reach(&tree->bounds, box->lower), cn_box3_reach(&tree->bounds, box->upper));
    for (int axis = 0; axis < 3; axis++) {
        float lower = cn_grid_place(tree, axis, cn_component(box->lower, axis)) - (float)CN_GRID_MIDDLE;
        float upper = cn_grid_place(tree, axis, cn_component(box->upper, axis)) - (float)CN_GRID_MIDDLE;
        float give = CN_GRID_ROUNDING * (reach * cn_component(tree->density, axis) + (float)CN_GRID_MIDDLE);
        out.lower[axis] = cn_f8_set(lower - give);
        out.upper[axis] = cn_f8_set(upper + give);
        out.cell[axis] = cn_f8_set(cn_component(tree->cell, axis) * cn_absf(cn_component(scale, axis)));
    }
    return out;
}

CN_INLINE unsigned nearer(const void *query, const cn_box_node *node, float limit, cn_f8 *distance)
{
    const grid_box *box = query;
    cn_f8 square = cn_f8_zero();
    for (int axis = 0; axis < 3; axis++) {
        cn_f8 lower = cn_f8_from_s8(cn_box_bound(node, 2 * axis)), upper = cn_f8_from_s8(cn_box_bound(node, 2 * axis + 1));
        cn_f8 gap = cn_f8_max(cn_f8_max(lower - box->upper[axis], box->lower[axis] - upper), cn_f8_zero()) * box->cell[axis];
        square += gap * gap;
    }
    *distance = cn_f8_sqrt(square);
    return cn_i8_bits(*distance <= cn_f8_set(limit));
}

void cn_box_tree_near(const cn_box_tree *tree, const cn_box3 *box, cn_vec3 scale, float limit, cn_box_tree_visit visit,
                      void *context)
{
    if (tree->item_count == 0)
        return;
    grid_box query = make_grid_box(tree, box, scale);
    walk(tree, nearer, &query, limit, visit, context);
}
