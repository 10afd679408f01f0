// Pairs of leaves whose boxes overlap, found by walking a tree against itself or another one: each pair once, and what lies far apart
// is left out a subtree at a time. Cheaper by far than a query for every leaf.
#include "base/simd.h"
#include "collide/tree_internal.h"

#include <string.h>

// What boxes are tested against: the upper corner and infinity, minus infinity and the lower corner.
typedef struct box_test {
    cn_f4 most, least;
} box_test;

static inline box_test test_against(const cn_box3 *box)
{
    return (box_test){ { box->upper.x, box->upper.y, box->upper.z, INFINITY },
                       { -INFINITY, box->lower.x, box->lower.y, box->lower.z } };
}

// The six numbers of a box are read as two overlapping fours.
static inline bool overlaps(const cn_box3 *box, const box_test *test)
{
    cn_f4 lower_and_more, more_and_upper;
    memcpy(&lower_and_more, &box->lower.x, sizeof lower_and_more);
    memcpy(&more_and_upper, &box->lower.z, sizeof more_and_upper);
    return cn_i4_all((lower_and_more <= test->most) & (more_and_upper >= test->least));
}

static const cn_box3 *box_in(const cn_tree *tree, int32_t slot) { return &tree->nodes.data[slot >> 1].box[slot & 1]; }
static int32_t child_in(const cn_tree *tree, int32_t slot) { return tree->nodes.data[slot >> 1].child[slot & 1]; }

// Two slots, of each tree one, whose boxes overlap.
typedef struct slot_pair {
    int32_t a, b;
} slot_pair;

typedef struct pair_walk {
    const cn_tree *tree_a, *tree_b;
    cn_tree_pair_visit visit;
    void *context;
} pair_walk;

// Writes those of the slots `a` + 0 .. 1 and `b` + 0 .. 1 that overlap; `one_a` and `one_b`: only the first.
static int cross(const pair_walk *w, int32_t a, bool one_a, int32_t b, bool one_b, slot_pair *out)
{
    int count = 0;
    for (int i = 0; i < (one_a ? 1 : 2); i++) {
        box_test test = test_against(box_in(w->tree_a, a + i));
        for (int k = 0; k < (one_b ? 1 : 2); k++) {
            out[count] = (slot_pair){ a + i, b + k };
            count += overlaps(box_in(w->tree_b, b + k), &test);
        }
    }
    return count;
}

// The pairs between what hangs in two slots. Both sides go down together, so that four pairs at most replace one and the stack is
// bounded by the heights.
static void find_between(const pair_walk *w, int32_t a, int32_t b)
{
    slot_pair stack[8 * CN_TREE_MAX_HEIGHT];
    int count = cross(w, a, true, b, true, stack);
    while (count > 0) {
        slot_pair p = stack[--count];
        int32_t below_a = child_in(w->tree_a, p.a), below_b = child_in(w->tree_b, p.b);
        if (below_a < 0 && below_b < 0)
            w->visit(w->context, w->tree_a->leaves.data[~below_a].user, w->tree_b->leaves.data[~below_b].user);
        else
            count += cross(w, below_a < 0 ? p.a : 2 * below_a, below_a < 0, below_b < 0 ? p.b : 2 * below_b, below_b < 0, stack + count);
    }
}

static void find_below(const pair_walk *w, int32_t node)
{
    for (int side = 0; side < 2; side++)
        if (w->tree_a->nodes.data[node].child[side] >= 0)
            find_below(w, w->tree_a->nodes.data[node].child[side]);
    find_between(w, 2 * node, 2 * node + 1);
}

// What hangs in a slot against all of the other tree.
static void find_in_other(const pair_walk *w, int32_t slot)
{
    for (int side = 0; side < (w->tree_b->leaf_count > 1 ? 2 : w->tree_b->leaf_count); side++)
        find_between(w, slot, side);
}

// Down to some depth each node is a part of its own, as ~node, with the pairs between its two sides. Below it is one with all.
static int split(const cn_tree *tree, int32_t node, int depth, int32_t *parts)
{
    if (depth == 0) {
        parts[0] = node;
        return 1;
    }
    int count = 0;
    parts[count++] = ~node;
    for (int side = 0; side < 2; side++)
        if (tree->nodes.data[node].child[side] >= 0)
            count += split(tree, tree->nodes.data[node].child[side], depth - 1, parts + count);
    return count;
}

int cn_tree_pair_parts(const cn_tree *tree, int32_t parts[CN_TREE_MOST_PAIR_PARTS])
{
    return tree->leaf_count == 0 ? 0 : split(tree, 0, CN_TREE_PAIR_DEPTH, parts);
}

void cn_tree_find_pairs(const cn_tree *tree, const cn_tree *other, int32_t part, cn_tree_pair_visit visit, void *context)
{
    pair_walk self = { tree, tree, visit, context }, both = { tree, other, visit, context };
    int32_t node = part >= 0 ? part : ~part;
    if (part >= 0)
        find_below(&self, part);
    else if (tree->leaf_count > 1)
        find_between(&self, 2 * node, 2 * node + 1);
    for (int32_t slot = 2 * node; slot < 2 * node + 2; slot++) {
        int32_t child = child_in(tree, slot);
        if (child != CN_TREE_EMPTY && (part >= 0 || child < 0)) // what hangs lower is in another part
            find_in_other(&both, slot);
    }
}
