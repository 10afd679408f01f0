// Building a tree top down by the surface area heuristic over bins (Wald, "On fast construction of SAH-based bounding volume
// hierarchies", 2007), and the two uses of it: against wear, and against height.
#include "collide/tree_internal.h"

#include <float.h>

enum {
    BINS = 8,
    FEW = 8, // so few items are split in the middle of their extent: the best split is hardly better
};

typedef struct bin {
    cn_box3 box;
    int count;
} bin;

static int ceil_log2(int count)
{
    int bits = 0;
    while (1u << bits < (unsigned)count)
        bits++;
    return bits;
}

// How high a subtree of `count` leaves is built at most, how high it may become, and how high it is built when it became
// higher.
static int build_height(int count) { return 2 * ceil_log2(count) + 8; }
static int tolerated_height(int count) { return 2 * ceil_log2(count) + 16; }
static int lowered_height(int count) { return ceil_log2(count) + 2; }

// ---- Splitting a range of items in two

// The first bin of the right half, by the least sum of area times count.
static int best_split(const bin bins[BINS])
{
    float right_cost[BINS];
    bin right = bins[BINS - 1];
    for (int i = BINS - 1; i > 0; i--) {
        right_cost[i] = right.count > 0 ? (float)right.count * cn_box3_area(&right.box) : FLT_MAX;
        right.box = cn_box3_union(&right.box, &bins[i - 1].box);
        right.count += bins[i - 1].count;
    }
    bin left = bins[0];
    float best = FLT_MAX;
    int split = BINS / 2;
    for (int i = 1; i < BINS; i++) {
        float cost = left.count > 0 ? (float)left.count * cn_box3_area(&left.box) + right_cost[i] : FLT_MAX;
        if (cost < best) {
            best = cost;
            split = i;
        }
        left.box = cn_box3_union(&left.box, &bins[i].box);
        left.count += bins[i].count;
    }
    return split;
}

static int split_by_area(const cn_tree_item *items, int count)
{
    bin bins[BINS];
    for (int i = 0; i < BINS; i++)
        bins[i] = (bin){ { { FLT_MAX, FLT_MAX, FLT_MAX }, { -FLT_MAX, -FLT_MAX, -FLT_MAX } }, 0 };
    for (int i = 0; i < count; i++) {
        bin *b = &bins[items[i].bin];
        b->box = cn_box3_union(&b->box, &items[i].box);
        b->count++;
    }
    return best_split(bins);
}

// Sorts the items into bins along the longest axis of their centres. False when the centres are one point.
static bool assign_bins(cn_tree_item *items, int count)
{
    // Twice the centres throughout.
    cn_vec3 low = cn_add(items[0].box.lower, items[0].box.upper), high = low;
    for (int i = 1; i < count; i++) {
        cn_vec3 center = cn_add(items[i].box.lower, items[i].box.upper);
        low = cn_min3(low, center);
        high = cn_max3(high, center);
    }
    cn_vec3 size = cn_sub(high, low);
    int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    float start = cn_component(low, axis), scale = (float)BINS / cn_component(size, axis);
    if (!(scale > 0.0f && scale <= FLT_MAX))
        return false;
    for (int i = 0; i < count; i++) {
        float center = cn_component(items[i].box.lower, axis) + cn_component(items[i].box.upper, axis);
        float t = (center - start) * scale;
        items[i].bin = t > 0.0f ? (t < (float)BINS ? (int)t : BINS - 1) : 0;
    }
    return true;
}

// Reorders the items so that the first part goes left, and returns the size of that part: at least 1, less than `count`.
static int partition(cn_tree_item *items, int count)
{
    if (!assign_bins(items, count))
        return count / 2;
    int split = count > FEW ? split_by_area(items, count) : BINS / 2;
    // Every item is exchanged, often with itself: cheaper than a branch that is as good as random.
    int left = 0;
    for (int i = 0; i < count; i++) {
        cn_tree_item item = items[i];
        items[i] = items[left];
        items[left] = item;
        left += item.bin < split;
    }
    return left > 0 && left < count ? left : count / 2;
}

// ---- Building

typedef struct builder {
    cn_tree *tree;
    int32_t *spare; // the next node to use
} builder;

static cn_box3 build(builder *b, cn_tree_item *items, int count, int32_t parent, int allowed_height);

// One half of a node: a leaf, or a subtree of several.
static void build_side(builder *b, cn_tree_item *items, int count, int32_t slot, int allowed_height)
{
    if (count == 1) {
        cn_tree_put(b->tree, slot, items->child, items->box, 0);
        return;
    }
    int32_t child = *b->spare;
    cn_box3 box = build(b, items, count, slot, allowed_height);
    cn_tree_put(b->tree, slot, child, box, 0);
}

// Makes a node over two or more items and returns the box around them. Halving at the end keeps to the allowed height, and with
// it the depth of the recursion.
static cn_box3 build(builder *b, cn_tree_item *items, int count, int32_t parent, int allowed_height)
{
    int32_t index = *b->spare++;
    int left = ceil_log2(count) < allowed_height ? partition(items, count) : count / 2;
    cn_tree_node *node = &b->tree->nodes.data[index];
    node->parent = parent;
    build_side(b, items, left, 2 * index, allowed_height - 1);
    build_side(b, items + left, count - left, 2 * index + 1, allowed_height - 1);
    node->height = cn_tree_node_height(b->tree, node);
    return cn_box3_union(&node->box[0], &node->box[1]);
}

// Takes the subtree apart into leaves and spare nodes.
static void gather(cn_tree *tree, int32_t node)
{
    tree->spare.data[tree->spare.count++] = node;
    const cn_tree_node *here = &tree->nodes.data[node];
    for (int side = 0; side < 2; side++) {
        if (here->child[side] >= 0)
            gather(tree, here->child[side]);
        else
            tree->items.data[tree->items.count++] = (cn_tree_item){ .box = here->box[side], .child = here->child[side] };
    }
}

// Rebuilds the subtree below and including `top`, which keeps its number.
static void rebuild(cn_tree *tree, int32_t top, int allowed_height)
{
    tree->items.count = tree->spare.count = 0;
    cn_array_reserve(tree->allocator, &tree->items, tree->leaf_count);
    cn_array_reserve(tree->allocator, &tree->spare, tree->nodes.count);
    gather(tree, top);
    // A whole tree is laid out in the order of its construction: neighbours in space become neighbours in memory.
    if (tree->spare.count == tree->nodes.count)
        for (int32_t i = 0; i < tree->spare.count; i++)
            tree->spare.data[i] = i;
    builder b = { tree, tree->spare.data };
    build(&b, tree->items.data, tree->items.count, tree->nodes.data[top].parent, allowed_height);
}

// ---- Against wear

void cn_tree_rebuild(cn_tree *tree)
{
    tree->wear = 0;
    if (tree->leaf_count > 1)
        rebuild(tree, 0, build_height(tree->leaf_count));
}

// Makes the marked boxes exact again, from below, and takes each chance for a rotation on the way.
static void tighten(cn_tree *tree, int32_t index)
{
    cn_tree_node *node = &tree->nodes.data[index];
    for (int side = 0; side < 2; side++) {
        int32_t child = node->child[side];
        if (child >= 0 && (node->marks >> side & 1)) {
            tighten(tree, child);
            const cn_tree_node *below = &tree->nodes.data[child];
            node->box[side] = cn_box3_union(&below->box[0], &below->box[1]);
        }
    }
    node->marks = 0;
    cn_tree_rotate(tree, index);
    node->height = cn_tree_node_height(tree, node);
}

void cn_tree_refit(cn_tree *tree)
{
    if (tree->leaf_count == 0 || tree->wear == 0)
        return;
    if (tree->wear >= (int64_t)CN_TREE_WEAR_LIMIT * tree->leaf_count) {
        cn_tree_rebuild(tree);
    } else if (tree->nodes.data[0].marks != 0) {
        tighten(tree, 0);
        cn_tree_limit_height(tree);
    }
}

// ---- Against height

static int count_leaves(const cn_tree *tree, int32_t child)
{
    if (child < 0)
        return 1;
    const cn_tree_node *node = &tree->nodes.data[child];
    return count_leaves(tree, node->child[0]) + count_leaves(tree, node->child[1]);
}

// Lowers the deepest path: climbs from its end to the first node that is much higher than its number of leaves needs, and
// rebuilds that. The root is such a node, as no number of leaves that fits an int tolerates the height that leads here.
static void lower_deepest_path(cn_tree *tree)
{
    int32_t node = 0;
    while (tree->nodes.data[node].height > 1) {
        const int32_t *child = tree->nodes.data[node].child;
        node = child[cn_tree_child_height(tree, child[1]) > cn_tree_child_height(tree, child[0])];
    }
    int leaves = 2;
    while (tree->nodes.data[node].height <= tolerated_height(leaves)) {
        int32_t slot = tree->nodes.data[node].parent;
        node = slot >> 1;
        leaves += count_leaves(tree, tree->nodes.data[node].child[~slot & 1]);
    }
    rebuild(tree, node, lowered_height(leaves));
    for (int32_t slot = tree->nodes.data[node].parent; slot >= 0; slot = tree->nodes.data[slot >> 1].parent)
        tree->nodes.data[slot >> 1].height = cn_tree_node_height(tree, &tree->nodes.data[slot >> 1]);
}

void cn_tree_limit_height(cn_tree *tree)
{
    while (tree->nodes.data[0].height > CN_TREE_MAX_HEIGHT)
        lower_deepest_path(tree);
}
