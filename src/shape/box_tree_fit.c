// The grid and the boxes of a tree whose nodes and items are known, and checks of such that come from outside.
#include "shape/box_tree.h"

#include "shape/box_tree_grid.h"

size_t cn_box_tree_bytes(const cn_box_tree *tree)
{
    return (size_t)tree->node_count * sizeof *tree->nodes + (size_t)tree->item_count * sizeof *tree->items;
}

void cn_box_tree_free(cn_box_tree *tree, const cn_allocator *allocator)
{
    cn_release(allocator, tree->nodes, (size_t)tree->node_count * sizeof *tree->nodes);
    cn_release(allocator, tree->items, (size_t)tree->item_count * sizeof *tree->items);
    *tree = (cn_box_tree){ 0 };
}

// ---- Boxes

static void lay_grid(cn_box_tree *tree, const cn_box3 *bounds)
{
    cn_vec3 size = cn_sub(bounds->upper, bounds->lower);
    // Cells are not much finer along one axis than along the others, where rounding would exceed them, and have some size at
    // all.
    float least = cn_maxf(cn_maxf(size.x, cn_maxf(size.y, size.z)) * (1.0f / 1024.0f), 1e-6f);
    size = cn_max3(size, cn_v3(least, least, least));
    tree->bounds = *bounds;
    tree->corner = bounds->lower;
    tree->cell = cn_scale(1.0f / (float)CN_GRID_STEPS, size);
    tree->density = cn_v3((float)CN_GRID_STEPS / size.x, (float)CN_GRID_STEPS / size.y, (float)CN_GRID_STEPS / size.z);
}

static cn_box3 union_of_leaf(const cn_box_tree *tree, uint32_t leaf, const cn_box3 *boxes)
{
    const int32_t *items = tree->items + cn_box_leaf_first(leaf);
    cn_box3 box = boxes[items[0]];
    for (int i = 1; i < cn_box_leaf_count(leaf); i++)
        box = cn_box3_union(&box, &boxes[items[i]]);
    return box;
}

static cn_box3 box_of_child(const cn_box_tree *tree, uint32_t child, const cn_box3 *boxes, const cn_box3 *nodes)
{
    return (child & CN_BOX_LEAF) != 0 ? union_of_leaf(tree, child, boxes) : nodes[child];
}

static void store_boxes(cn_box_tree *tree, cn_box_node *node, const cn_box3 *boxes, const cn_box3 *nodes)
{
    for (int i = 0; i < CN_BOX_TREE_WIDTH; i++) {
        bool used = node->child[i] != CN_BOX_LEAF;
        cn_box3 box = used ? box_of_child(tree, node->child[i], boxes, nodes) : tree->bounds;
        for (int axis = 0; axis < 3; axis++) {
            int16_t lower = cn_grid_below(tree, axis, cn_component(box.lower, axis));
            int16_t upper = cn_grid_above(tree, axis, cn_component(box.upper, axis));
            node->bound[2 * axis][i] = used ? lower : INT16_MAX; // an empty box is the wrong way round
            node->bound[2 * axis + 1][i] = used ? upper : INT16_MIN;
        }
    }
}

void cn_box_tree_fit(cn_box_tree *tree, const cn_allocator *allocator, const cn_box3 *boxes)
{
    size_t size = (size_t)tree->node_count * sizeof(cn_box3);
    cn_box3 *nodes = cn_allocate(allocator, size, 64);
    for (int i = tree->node_count - 1; i >= 0; i--) {
        const cn_box_node *node = &tree->nodes[i];
        nodes[i] = (cn_box3){ { FLT_MAX, FLT_MAX, FLT_MAX }, { -FLT_MAX, -FLT_MAX, -FLT_MAX } };
        for (int k = 0; k < CN_BOX_TREE_WIDTH; k++) {
            if (node->child[k] == CN_BOX_LEAF)
                continue;
            cn_box3 box = box_of_child(tree, node->child[k], boxes, nodes);
            nodes[i] = cn_box3_union(&nodes[i], &box);
        }
    }
    lay_grid(tree, &nodes[0]);
    for (int i = 0; i < tree->node_count; i++)
        store_boxes(tree, &tree->nodes[i], boxes, nodes);
    cn_release(allocator, nodes, size);
}

// ---- Trees from outside

// What has been reached, and how deep nodes lie.
typedef struct audit {
    uint8_t *depth; // of nodes; 0: not reached
    uint8_t *seen;  // items
    int nodes, items;
} audit;

static bool leaf_is_sound(const cn_box_tree *tree, uint32_t child, int item_limit, audit *a)
{
    int count = cn_box_leaf_count(child), first = cn_box_leaf_first(child);
    if (count == 0 || count > CN_BOX_TREE_MAX_LEAF || first > tree->item_count - count)
        return false;
    for (int i = first; i < first + count; i++) {
        int32_t item = tree->items[i];
        if (item < 0 || item >= item_limit || a->seen[item] != 0)
            return false;
        a->seen[item] = 1;
        a->items++;
    }
    return true;
}

static bool node_is_sound(const cn_box_tree *tree, int index, int item_limit, audit *a)
{
    int used = 0;
    for (int i = 0; i < CN_BOX_TREE_WIDTH; i++) {
        uint32_t child = tree->nodes[index].child[i];
        if (child == CN_BOX_LEAF)
            continue;
        used++;
        if ((child & CN_BOX_LEAF) != 0) {
            if (!leaf_is_sound(tree, child, item_limit, a))
                return false;
        } else if (child >= (uint32_t)tree->node_count || child <= (uint32_t)index || a->depth[child] != 0 ||
                   a->depth[index] >= CN_BOX_TREE_MAX_DEPTH) {
            return false;
        } else {
            a->depth[child] = (uint8_t)(a->depth[index] + 1);
            a->nodes++;
        }
    }
    return used > 0;
}

bool cn_box_tree_is_sound(const cn_box_tree *tree, const cn_allocator *allocator, int item_limit)
{
    if (tree->item_count == 0 || tree->node_count == 0)
        return tree->item_count == 0 && tree->node_count == 0;
    size_t size = (size_t)tree->node_count + (size_t)item_limit;
    uint8_t *marks = cn_allocate(allocator, size, 64);
    memset(marks, 0, size);
    audit a = { marks, marks + tree->node_count, 1, 0 };
    a.depth[0] = 1;
    bool sound = true;
    for (int i = 0; sound && i < tree->node_count; i++)
        sound = a.depth[i] > 0 && node_is_sound(tree, i, item_limit, &a); // parents come first, so that depths are known
    cn_release(allocator, marks, size);
    return sound && a.nodes == tree->node_count && a.items == tree->item_count;
}
