// Insertion descends greedily by the growth of surface area, the heuristic of Goldsmith and Salmon ("Automatic creation of
// object hierarchies for ray tracing", 1987); on the way back tree rotations (Kopta et al., "Fast, effective BVH updates for
// animated scenes", 2012) repair what greed got wrong. Height is bounded as in a scapegoat tree (Galperin and Rivest, 1993).
#include "collide/tree.h"

#include "base/simd.h"
#include "collide/tree_internal.h"

#include <float.h>

static const cn_box3 empty_box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

void cn_tree_init(cn_tree *tree, const cn_allocator *allocator)
{
    *tree = (cn_tree){ .allocator = allocator, .free_leaf = -1 };
}

void cn_tree_free(cn_tree *tree)
{
    cn_array_free(tree->allocator, &tree->nodes);
    cn_array_free(tree->allocator, &tree->leaves);
    cn_array_free(tree->allocator, &tree->items);
    cn_array_free(tree->allocator, &tree->spare);
    cn_tree_init(tree, tree->allocator);
}

// Exchanges the other child of `node` with grandchild `pick` below child `side`.
static void swap_with_grandchild(cn_tree *tree, int32_t node, int side, int pick)
{
    cn_tree_node *parent = &tree->nodes.data[node];
    int32_t low_node = parent->child[side];
    cn_tree_node *low = &tree->nodes.data[low_node];
    int other = 1 - side;
    cn_box3 box = parent->box[other];
    int32_t child = parent->child[other];
    int mark = parent->marks >> other & 1, low_mark = low->marks >> pick & 1;
    cn_tree_put(tree, 2 * node + other, low->child[pick], low->box[pick], low_mark);
    cn_tree_put(tree, 2 * low_node + pick, child, box, mark);
    low->height = cn_tree_node_height(tree, low);
    parent->box[side] = cn_box3_union(&low->box[0], &low->box[1]);
    parent->marks |= (uint16_t)(mark << side);
}

void cn_tree_rotate(cn_tree *tree, int32_t node)
{
    const cn_tree_node *parent = &tree->nodes.data[node];
    bool high = tree->nodes.data[0].height > CN_TREE_MAX_HEIGHT / 2;
    float best = 0.0f;
    int best_side = -1, best_pick = 0;
    for (int side = 0; side < 2; side++) {
        if (parent->child[side] < 0)
            continue;
        // In a high tree nothing is hung lower that is the higher of the two: the least area may ask for one long chain.
        if (high && cn_tree_child_height(tree, parent->child[1 - side]) >= cn_tree_child_height(tree, parent->child[side]))
            continue;
        const cn_tree_node *low = &tree->nodes.data[parent->child[side]];
        float area = cn_box3_area(&parent->box[side]);
        for (int pick = 0; pick < 2; pick++) {
            cn_box3 merged = cn_box3_union(&parent->box[1 - side], &low->box[1 - pick]);
            float gain = area - cn_box3_area(&merged);
            if (gain > best) {
                best = gain;
                best_side = side;
                best_pick = pick;
            }
        }
    }
    if (best_side >= 0)
        swap_with_grandchild(tree, node, best_side, best_pick);
}

// Sets boxes and heights right from `node` up to the root.
static void climb(cn_tree *tree, int32_t node)
{
    for (;;) {
        cn_tree_rotate(tree, node);
        cn_tree_node *here = &tree->nodes.data[node];
        here->height = cn_tree_node_height(tree, here);
        if (here->parent < 0)
            break;
        node = here->parent >> 1;
        tree->nodes.data[node].box[here->parent & 1] = cn_box3_union(&here->box[0], &here->box[1]);
    }
    cn_tree_limit_height(tree);
}

// The slot where a new parent of its content and of `box` adds the least area to the tree.
static int32_t find_slot(const cn_tree *tree, const cn_box3 *box)
{
    float own = cn_box3_area(box), best_cost = FLT_MAX, inherited = 0.0f;
    int32_t node = 0, best = 0;
    for (;;) {
        const cn_tree_node *here = &tree->nodes.data[node];
        float bound[2];
        for (int side = 0; side < 2; side++) {
            cn_box3 merged = cn_box3_union(&here->box[side], box);
            float area = cn_box3_area(&merged), cost = inherited + area;
            // Among equals the lowest place wins, and there a leaf: equal boxes would make a chain otherwise.
            if (cost < best_cost || (cost == best_cost && (best >> 1 != node || here->child[side] < 0))) {
                best_cost = cost;
                best = 2 * node + side;
            }
            bound[side] = here->child[side] < 0 ? FLT_MAX : cost - cn_box3_area(&here->box[side]) + own;
        }
        int side = bound[1] < bound[0];
        bool fork = here->child[0] >= 0 && here->child[1] >= 0;
        if (fork && bound[0] == bound[1])
            side = tree->nodes.data[here->child[1]].height < tree->nodes.data[here->child[0]].height;
        if (!(bound[side] < best_cost || (fork && bound[side] == best_cost)))
            break;
        inherited = bound[side] - own;
        node = here->child[side];
    }
    return best;
}

static void place(cn_tree *tree, int32_t leaf, cn_box3 box)
{
    int32_t count = tree->leaf_count++;
    tree->wear += CN_TREE_WEAR_INSERT;
    if (count < 2) {
        if (count == 0) {
            cn_array_push(tree->allocator, &tree->nodes, (cn_tree_node){ .parent = -1, .height = 1 });
            cn_tree_put(tree, 1, CN_TREE_EMPTY, empty_box, 0);
        }
        cn_tree_put(tree, count, ~leaf, box, 0);
        return;
    }
    int32_t slot = find_slot(tree, &box), fresh = tree->nodes.count;
    cn_array_push(tree->allocator, &tree->nodes, (cn_tree_node){ .parent = slot, .height = 1 });
    cn_tree_node *above = &tree->nodes.data[slot >> 1];
    int mark = above->marks >> (slot & 1) & 1;
    cn_tree_put(tree, 2 * fresh, above->child[slot & 1], above->box[slot & 1], mark);
    cn_tree_put(tree, 2 * fresh + 1, ~leaf, box, 0);
    above->child[slot & 1] = fresh;
    climb(tree, fresh);
}

// The last node moves into the hole.
static void release_node(cn_tree *tree, int32_t node)
{
    int32_t last = --tree->nodes.count;
    if (node == last)
        return;
    cn_tree_node *moved = &tree->nodes.data[node];
    *moved = tree->nodes.data[last];
    tree->nodes.data[moved->parent >> 1].child[moved->parent & 1] = node;
    cn_tree_link(tree, 2 * node);
    cn_tree_link(tree, 2 * node + 1);
}

static void take_out(cn_tree *tree, int32_t leaf)
{
    int32_t slot = tree->leaves.data[leaf].slot, node = slot >> 1;
    cn_tree_node *here = &tree->nodes.data[node];
    int32_t sibling = here->child[~slot & 1];
    cn_box3 box = here->box[~slot & 1];
    int mark = here->marks >> (~slot & 1) & 1;
    tree->leaf_count--;
    if (node > 0) {
        int32_t up = here->parent;
        cn_tree_put(tree, up, sibling, box, mark | (tree->nodes.data[up >> 1].marks >> (up & 1) & 1));
        climb(tree, up >> 1);
        release_node(tree, node);
    } else if (sibling >= 0) {
        *here = tree->nodes.data[sibling];
        here->parent = -1;
        cn_tree_link(tree, 0);
        cn_tree_link(tree, 1);
        release_node(tree, sibling);
    } else if (tree->leaf_count > 0) {
        cn_tree_put(tree, 0, sibling, box, mark);
        cn_tree_put(tree, 1, CN_TREE_EMPTY, empty_box, 0);
    } else {
        tree->nodes.count = 0;
    }
}

int32_t cn_tree_insert(cn_tree *tree, cn_box3 box, int32_t user)
{
    int32_t leaf = tree->free_leaf;
    if (leaf >= 0) {
        tree->free_leaf = tree->leaves.data[leaf].slot;
        tree->leaves.data[leaf].user = user;
    } else {
        leaf = tree->leaves.count;
        cn_array_push(tree->allocator, &tree->leaves, (cn_tree_leaf){ .user = user });
    }
    place(tree, leaf, box);
    return leaf;
}

void cn_tree_remove(cn_tree *tree, int32_t leaf)
{
    take_out(tree, leaf);
    tree->leaves.data[leaf] = (cn_tree_leaf){ .slot = tree->free_leaf, .user = -1 };
    tree->free_leaf = leaf;
}

void cn_tree_move(cn_tree *tree, int32_t leaf, cn_box3 box)
{
    take_out(tree, leaf);
    place(tree, leaf, box);
}

void cn_tree_enlarge(cn_tree *tree, int32_t leaf, cn_box3 box)
{
    int32_t slot = tree->leaves.data[leaf].slot;
    cn_tree_node *node = &tree->nodes.data[slot >> 1];
    if (!cn_box3_overlaps(&node->box[slot & 1], &box)) {
        cn_tree_move(tree, leaf, box);
        return;
    }
    tree->wear += CN_TREE_WEAR_ENLARGE;
    node->box[slot & 1] = box;
    node->marks |= (uint16_t)(1 << (slot & 1));
    while ((slot = node->parent) >= 0) {
        node = &tree->nodes.data[slot >> 1];
        cn_box3 *around = &node->box[slot & 1];
        if ((node->marks >> (slot & 1) & 1) && cn_box3_contains(around, &box))
            return;
        *around = cn_box3_union(around, &box);
        node->marks |= (uint16_t)(1 << (slot & 1));
    }
}

bool cn_tree_bounds(const cn_tree *tree, cn_box3 *bounds)
{
    if (tree->leaf_count == 0)
        return false;
    *bounds = cn_box3_union(&tree->nodes.data[0].box[0], &tree->nodes.data[0].box[1]);
    return true;
}

void cn_tree_query(const cn_tree *tree, const cn_box3 *box, cn_tree_visit visit, void *context)
{
    if (tree->leaf_count == 0)
        return;
    int32_t stack[CN_TREE_MAX_HEIGHT + 2];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const cn_tree_node *node = &tree->nodes.data[stack[--depth]];
        for (int side = 0; side < 2; side++) {
            int32_t child = node->child[side];
            if (!cn_box3_overlaps(&node->box[side], box))
                continue;
            if (child >= 0)
                stack[depth++] = child;
            else if (child != CN_TREE_EMPTY && !visit(context, tree->leaves.data[~child].user))
                return;
        }
    }
}

// What boxes are tested against: the upper corner and infinity, minus infinity and the lower corner.
typedef struct box_test {
    cn_f4 most, least;
} box_test;

// As cn_box3_overlaps for finite boxes, without branches; never true for the empty box. The six numbers of a box are read as two
// overlapping fours.
static inline int box_hit(const cn_box3 *box, const box_test *test)
{
    cn_f4 lower_and_more, more_and_upper;
    memcpy(&lower_and_more, &box->lower.x, sizeof lower_and_more);
    memcpy(&more_and_upper, &box->lower.z, sizeof more_and_upper);
    return cn_i4_all((lower_and_more <= test->most) & (more_and_upper >= test->least));
}

// What a test finds is as good as random, so a branch on it would be mispredicted half of the time: both children are written
// to the queue and to the result, and only the counts depend on the test. Breadth first, because then the next node to read is
// known long before the tests of this one are done. When the queue is full it is emptied from its end, which needs the height
// at most.
int cn_tree_query_all(const cn_tree *tree, const cn_box3 *box, int32_t *out, int capacity)
{
    enum { QUEUE = 512 };
    int32_t queue[QUEUE + CN_TREE_MAX_HEIGHT + 2], overflow;
    // Even a query without bounds does not reach the empty box, whose corners are at infinity.
    const cn_vec3 upper = cn_min3(box->upper, cn_v3(FLT_MAX, FLT_MAX, FLT_MAX));
    const cn_vec3 lower = cn_max3(box->lower, cn_v3(-FLT_MAX, -FLT_MAX, -FLT_MAX));
    const box_test test = { { upper.x, upper.y, upper.z, INFINITY }, { -INFINITY, lower.x, lower.y, lower.z } };
    queue[0] = 0;
    int head = 0, tail = tree->leaf_count > 0, found = 0;
    while (head != tail) {
        const cn_tree_node *node = &tree->nodes.data[queue[__builtin_expect(tail < QUEUE, 1) ? head++ : --tail]];
        for (int side = 0; side < 2; side++) {
            int32_t child = node->child[side];
            int hit = box_hit(&node->box[side], &test), inner = child >= 0;
            queue[tail] = child;
            tail += hit & inner;
            *(found < capacity ? &out[found] : &overflow) = ~child;
            found += hit & !inner;
        }
    }
    for (int i = 0; i < found && i < capacity; i++)
        out[i] = tree->leaves.data[out[i]].user;
    return found;
}

int cn_tree_height(const cn_tree *tree) { return tree->leaf_count == 0 ? 0 : tree->nodes.data[0].height; }

float cn_tree_quality(const cn_tree *tree)
{
    cn_box3 bounds;
    if (!cn_tree_bounds(tree, &bounds))
        return 0.0f;
    float sum = cn_box3_area(&bounds), whole = sum;
    for (int i = 0; i < tree->nodes.count; i++)
        for (int side = 0; side < 2; side++)
            if (tree->nodes.data[i].child[side] >= 0)
                sum += cn_box3_area(&tree->nodes.data[i].box[side]);
    return whole > 0.0f ? sum / whole : 1.0f;
}

// A box that is not marked is exactly the union of what is below it; a marked one may be larger, and so may all above it.
static bool validate_slot(const cn_tree *tree, int32_t slot)
{
    const cn_tree_node *node = &tree->nodes.data[slot >> 1];
    int32_t child = node->child[slot & 1];
    if (child < 0)
        return ~child < tree->leaves.count && tree->leaves.data[~child].slot == slot;
    if (child >= tree->nodes.count || child == 0)
        return false;
    const cn_tree_node *below = &tree->nodes.data[child];
    const cn_box3 *box = &node->box[slot & 1];
    cn_box3 exact = cn_box3_union(&below->box[0], &below->box[1]);
    bool marked = node->marks >> (slot & 1) & 1;
    return below->parent == slot && (marked || below->marks == 0) && cn_box3_contains(box, &exact) &&
           (marked || cn_box3_contains(&exact, box));
}

bool cn_tree_validate(const cn_tree *tree)
{
    int32_t free_leaves = 0;
    for (int32_t leaf = tree->free_leaf; leaf >= 0; leaf = tree->leaves.data[leaf].slot)
        if (++free_leaves > tree->leaves.count)
            return false;
    if (tree->leaf_count + free_leaves != tree->leaves.count)
        return false;
    if (tree->leaf_count < 2)
        return tree->nodes.count == tree->leaf_count &&
               (tree->leaf_count == 0 || (validate_slot(tree, 0) && tree->nodes.data[0].child[1] == CN_TREE_EMPTY));
    // Every slot leads to something that points back to it, and their number is right: so nothing is lost or shared. A cycle
    // would need a node that is lower than itself.
    for (int32_t i = 0; i < tree->nodes.count; i++) {
        const cn_tree_node *node = &tree->nodes.data[i];
        if (!validate_slot(tree, 2 * i) || !validate_slot(tree, 2 * i + 1) || (node->parent < 0) != (i == 0) ||
            node->height != cn_tree_node_height(tree, node))
            return false;
    }
    return tree->nodes.count == tree->leaf_count - 1 && tree->nodes.data[0].height <= CN_TREE_MAX_HEIGHT;
}
