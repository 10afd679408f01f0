// A bounding-volume tree over boxes in float, relative to an origin the caller chooses. Insert, remove, enlarge, query.
// It stays good under motion by rotations and by a rebuild when enough has moved, all of them independent of thread count.
//
// A node holds the boxes of both its children and fills one cache line, so a query reads one line per node and none for leaves:
// n leaves make n - 1 nodes. A place in the tree is a slot, 2 * node + side. Boxes must be finite.
#ifndef CN_TREE_H
#define CN_TREE_H

#include "base/memory.h"
#include "math/box3.h"

enum {
    CN_TREE_MAX_HEIGHT = 96,   // no tree gets higher, so that a query needs a small fixed stack
    CN_TREE_EMPTY = INT32_MIN, // what the second slot of the root holds when there is one leaf
};

typedef struct cn_tree_node {
    cn_box3 box[2];
    int32_t child[2]; // a node, or ~leaf
    int32_t parent;   // the slot this node hangs in; -1 for the root, which is node 0
    uint16_t height;  // 1 when both children are leaves
    uint16_t marks;   // bit i: the box of child i, or of something below it, was changed since the last refit
} cn_tree_node;

typedef struct cn_tree_leaf {
    int32_t slot; // or the next free leaf
    int32_t user;
} cn_tree_leaf;

// A leaf during a rebuild.
typedef struct cn_tree_item {
    cn_box3 box;
    int32_t child; // ~leaf
    int32_t bin;   // of the split that is being made
} cn_tree_item;

typedef struct cn_tree {
    const cn_allocator *allocator;
    CN_ARRAY(cn_tree_node) nodes; // no holes
    CN_ARRAY(cn_tree_leaf) leaves;
    int32_t free_leaf; // -1 when there is none
    int32_t leaf_count;
    int64_t wear; // how much leaves were changed since the last rebuild; see cn_tree_refit
    // What a rebuild works on, kept to avoid allocation: the leaves, and the nodes it may use.
    CN_ARRAY(cn_tree_item) items;
    CN_ARRAY(int32_t) spare;
} cn_tree;

void cn_tree_init(cn_tree *tree, const cn_allocator *allocator);
void cn_tree_free(cn_tree *tree);
int32_t cn_tree_insert(cn_tree *tree, cn_box3 box, int32_t user); // returns the leaf, stable until it is removed
void cn_tree_remove(cn_tree *tree, int32_t leaf);
// The leaf's box becomes `box` and every box above it grows to contain it: cheap, but the tree gets worse until the next refit.
// A leaf that left its old box altogether is moved instead.
void cn_tree_enlarge(cn_tree *tree, int32_t leaf, cn_box3 box);
// Takes the leaf out and puts it back at `box`.
void cn_tree_move(cn_tree *tree, int32_t leaf, cn_box3 box);
// Call it once per step, after the changes. Tightens the boxes above enlarged leaves and improves the tree there by rotations;
// once the leaves were enlarged twice each on average, or half of them inserted, it rebuilds the tree.
void cn_tree_refit(cn_tree *tree);
void cn_tree_rebuild(cn_tree *tree);

static inline cn_box3 cn_tree_box(const cn_tree *tree, int32_t leaf)
{
    int32_t slot = tree->leaves.data[leaf].slot;
    return tree->nodes.data[slot >> 1].box[slot & 1];
}
static inline int32_t cn_tree_user(const cn_tree *tree, int32_t leaf) { return tree->leaves.data[leaf].user; }
// The box of everything. False when the tree is empty.
bool cn_tree_bounds(const cn_tree *tree, cn_box3 *bounds);

// Writes the user values of the leaves whose boxes overlap, and returns how many there are; when that is more than `capacity`
// only the first `capacity` are written. The fast form. Safe from several threads at once.
int cn_tree_query_all(const cn_tree *tree, const cn_box3 *box, int32_t *out, int capacity);
// Calls `visit(context, user)` for every leaf whose box overlaps; stops when it returns false. Thread-safe as well.
typedef bool (*cn_tree_visit)(void *context, int32_t user);
void cn_tree_query(const cn_tree *tree, const cn_box3 *box, cn_tree_visit visit, void *context);

// All pairs of leaves of a tree whose boxes overlap, each once, and all pairs with leaves of another tree (tree_pairs.c): in parts,
// which together find all of them and may be run by several threads.
enum { CN_TREE_PAIR_DEPTH = 5, CN_TREE_MOST_PAIR_PARTS = 2 << CN_TREE_PAIR_DEPTH };
int cn_tree_pair_parts(const cn_tree *tree, int32_t parts[CN_TREE_MOST_PAIR_PARTS]); // returns how many there are
typedef void (*cn_tree_pair_visit)(void *context, int32_t user_a, int32_t user_b);
void cn_tree_find_pairs(const cn_tree *tree, const cn_tree *other, int32_t part, cn_tree_pair_visit visit, void *context);

// Visits the leaves whose boxes are hit by a box of the given half extents (zero for a ray) that moves from `origin` by
// `translation`, nearest first as far as the tree allows; `origin` may be off by a rounding. `visit` gets the fraction up to
// which a leaf is still of interest and returns the new one, which never grows; below 0 ends the visit. Returns the last one.
// Thread-safe.
typedef float (*cn_tree_reach)(void *context, int32_t user, float limit);
float cn_tree_sweep(const cn_tree *tree, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                    cn_tree_reach visit, void *context);
// The same for the leaves whose boxes are no farther from `box` than `limit` metres.
float cn_tree_near(const cn_tree *tree, const cn_box3 *box, float limit, cn_tree_reach visit, void *context);

// 0 when empty; otherwise the depth of the deepest leaf, and the surface area of inner nodes over that of the root.
int cn_tree_height(const cn_tree *tree);
float cn_tree_quality(const cn_tree *tree);
// Checks every invariant; for tests.
bool cn_tree_validate(const cn_tree *tree);

#endif
