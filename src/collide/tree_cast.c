// Walks through the tree along a path and around a place, nearest first.
#include "base/simd.h"
#include "collide/tree.h"

// More than all roundings of a test together, relative to the largest coordinate and to the fraction.
#define SLACK 1e-6f

// What is left to look at, farthest first.
typedef struct pending {
    int32_t child[CN_TREE_MAX_HEIGHT + 2];
    float at[CN_TREE_MAX_HEIGHT + 2]; // fraction or distance
    int count;
} pending;

static inline void push(pending *p, int32_t child, float at)
{
    p->child[p->count] = child;
    p->at[p->count++] = at;
}

// Puts both children in order; those that are not met are infinitely far.
static inline void push_both(pending *p, const cn_tree_node *node, const float at[2], float limit)
{
    int far = at[1] >= at[0];
    if (at[far] <= limit)
        push(p, node->child[far], at[far]);
    if (at[1 - far] <= limit)
        push(p, node->child[1 - far], at[1 - far]);
}

// From which limit on a child is of interest; infinite when it never is.
typedef float measure(const void *query, const cn_tree_node *node, int side);

// The leaves of interest, nearest first. Inline, so that the measure is no call.
CN_INLINE float walk(const cn_tree *tree, measure *of_interest, const void *query, float limit, cn_tree_reach visit,
                     void *context)
{
    if (tree->leaf_count == 0)
        return limit;
    pending p;
    p.count = 0;
    push(&p, 0, 0.0f);
    while (p.count > 0 && limit >= 0.0f) {
        int32_t child = p.child[--p.count];
        if (p.at[p.count] > limit)
            continue;
        if (child < 0) {
            limit = visit(context, tree->leaves.data[~child].user, limit);
            continue;
        }
        const cn_tree_node *node = &tree->nodes.data[child];
        push_both(&p, node, (float[2]){ of_interest(query, node, 0), of_interest(query, node, 1) }, limit);
    }
    return limit;
}

static inline void load_box(const cn_box3 *box, cn_f4 *lower, cn_f4 *upper)
{
    cn_f4 tail;
    memcpy(lower, &box->lower.x, sizeof *lower);
    memcpy(&tail, &box->lower.z, sizeof tail);
    *upper = __builtin_shufflevector(tail, tail, 1, 2, 3, 3);
}

// ---- along a path

// Three lanes; the fourth computes zeros.
typedef struct path_test {
    cn_f4 lower_from, upper_from; // the origin, shifted by the half extents instead of the boxes
    cn_f4 inverse;                // of the translation
} path_test;

// Instead of infinity, which makes NaN with zero.
static float safe_inverse(float x) { return cn_absf(x) > 1e-30f ? 1.0f / x : x < 0.0f ? -1e30f : 1e30f; }

static path_test make_path_test(cn_vec3 o, cn_vec3 d, cn_vec3 half)
{
    cn_vec3 grown = cn_madd(half, SLACK, cn_add(cn_abs3(o), half));
    return (path_test){ { o.x + grown.x, o.y + grown.y, o.z + grown.z, 0.0f },
                        { o.x - grown.x, o.y - grown.y, o.z - grown.z, 0.0f },
                        { safe_inverse(d.x), safe_inverse(d.y), safe_inverse(d.z), 0.0f } };
}

// The fraction at which the path comes into the box; infinite when it does not.
CN_INLINE float enter_box(const void *query, const cn_tree_node *node, int side)
{
    const path_test *test = query;
    cn_f4 lower, upper;
    load_box(&node->box[side], &lower, &upper);
    cn_f4 first = (lower - test->lower_from) * test->inverse, second = (upper - test->upper_from) * test->inverse;
    cn_f4 near = cn_f4_min(first, second), far = cn_f4_max(first, second);
    float enter = cn_maxf(cn_maxf(near[0], near[1]), cn_maxf(near[2], 0.0f)) * (1.0f - SLACK);
    float leave = cn_minf(cn_minf(far[0], far[1]), far[2]) * (1.0f + SLACK);
    return enter <= leave && node->child[side] != CN_TREE_EMPTY ? enter : INFINITY;
}

float cn_tree_sweep(const cn_tree *tree, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                    cn_tree_reach visit, void *context)
{
    path_test test = make_path_test(origin, translation, half_extents);
    return walk(tree, enter_box, &test, limit, visit, context);
}

// ---- around a place

CN_INLINE float gap(const void *query, const cn_tree_node *node, int side)
{
    const cn_box3 *box = query, *other = &node->box[side];
    cn_vec3 zero = { 0.0f, 0.0f, 0.0f };
    cn_vec3 apart = cn_max3(zero, cn_max3(cn_sub(other->lower, box->upper), cn_sub(box->lower, other->upper)));
    return node->child[side] == CN_TREE_EMPTY ? INFINITY : cn_length(apart) * (1.0f - SLACK);
}

float cn_tree_near(const cn_tree *tree, const cn_box3 *box, float limit, cn_tree_reach visit, void *context)
{
    return walk(tree, gap, box, limit, visit, context);
}
