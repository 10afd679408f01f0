// A static tree over boxes that never move: the parts of a mesh or compound. Nodes are eight wide, two cache lines, and hold
// the boxes of their children in cells of one grid of 65,536 steps per axis over all of them, rounded outwards. Operations
// therefore visit all items whose boxes are concerned, and some beside them, by up to a cell or three neighbours in a leaf: who
// needs the exact box asks for it in `visit`. All of them visit in an order that depends on the boxes alone.
#ifndef CN_BOX_TREE_H
#define CN_BOX_TREE_H

#include "base/memory.h"
#include "math/box3.h"

enum {
    CN_BOX_TREE_WIDTH = 8,
    CN_BOX_TREE_MAX_LEAF = 4,        // items
    CN_BOX_TREE_MAX_ITEMS = 1 << 28, // a child has this many bits for its first item
    CN_BOX_TREE_MAX_DEPTH = 32,      // nodes from the root to the farthest, both counted
    CN_BOX_TREE_STACK = (CN_BOX_TREE_WIDTH - 1) * CN_BOX_TREE_MAX_DEPTH + 1,
};

// A child is a node, by its number, or a leaf: CN_BOX_LEAF | count << 28 | first item. Unused ones are leaves without items,
// with a box that nothing overlaps.
#define CN_BOX_LEAF 0x80000000u
static inline int cn_box_leaf_count(uint32_t child) { return (int)(child >> 28 & 7); }
static inline int cn_box_leaf_first(uint32_t child) { return (int)(child & 0x0fffffff); }

typedef struct cn_box_node {
    int16_t bound[6][CN_BOX_TREE_WIDTH]; // lower x, upper x, lower y ...
    uint32_t child[CN_BOX_TREE_WIDTH];
} cn_box_node;

typedef struct cn_box_tree {
    cn_box3 bounds; // of all boxes, exact
    cn_vec3 corner; // of the grid, where its lowest cells begin
    cn_vec3 cell;   // its size in metres, and the inverse
    cn_vec3 density;
    int node_count, item_count;
    cn_box_node *nodes; // children behind their parents; node 0 is the root
    int32_t *items;     // numbers of the boxes, leaf after leaf
} cn_box_tree;

// `leaf_size` is how many items share a box, up to CN_BOX_TREE_MAX_LEAF. Boxes are finite, up to CN_BOX_TREE_MAX_ITEMS of them;
// none at all makes an empty tree. Takes time proportional to n log n.
void cn_box_tree_build(cn_box_tree *tree, const cn_allocator *allocator, const cn_box3 *boxes, int count, int leaf_size);
void cn_box_tree_free(cn_box_tree *tree, const cn_allocator *allocator);
size_t cn_box_tree_bytes(const cn_box_tree *tree); // of nodes and items

// A tree from outside, of which children and items are given. Whether it can be walked without harm: every node and every item
// is reached once, items are below `item_limit`, no path is too long. Then the boxes of its items make it complete, `boxes`
// being by item number. Both take time proportional to its size.
bool cn_box_tree_is_sound(const cn_box_tree *tree, const cn_allocator *allocator, int item_limit);
void cn_box_tree_fit(cn_box_tree *tree, const cn_allocator *allocator, const cn_box3 *boxes);

// Visits the items whose boxes overlap `box`, until `visit` returns false.
typedef bool (*cn_box_tree_overlap)(void *context, int item);
void cn_box_tree_query(const cn_box_tree *tree, const cn_box3 *box, cn_box_tree_overlap visit, void *context);

// As cn_composite_sweep and cn_composite_near describe. `visit` gets the fraction, or distance, up to which an item is still of
// interest and returns the new one, which never grows; below 0 ends the visit.
typedef float (*cn_box_tree_visit)(void *context, int item, float limit);
void cn_box_tree_sweep(const cn_box_tree *tree, cn_vec3 origin, cn_vec3 translation, cn_vec3 half_extents, float limit,
                       cn_box_tree_visit visit, void *context);
// Distances are measured with the axes stretched by `scale` (all ones for none); `box` is in the frame of the tree.
void cn_box_tree_near(const cn_box_tree *tree, const cn_box3 *box, cn_vec3 scale, float limit, cn_box_tree_visit visit,
                      void *context);

#endif
