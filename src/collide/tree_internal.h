// What tree.c and tree_build.c share.
#ifndef CN_TREE_INTERNAL_H
#define CN_TREE_INTERNAL_H

#include "collide/tree.h"

// A tree is rebuilt when its wear reaches CN_TREE_WEAR_LIMIT per leaf. One that was made by insertions is, at its first refit.
enum { CN_TREE_WEAR_ENLARGE = 1, CN_TREE_WEAR_INSERT = 4, CN_TREE_WEAR_LIMIT = 2 };

// Tells the child in `slot` where it hangs.
static inline void cn_tree_link(cn_tree *tree, int32_t slot)
{
    int32_t child = tree->nodes.data[slot >> 1].child[slot & 1];
    if (child >= 0)
        tree->nodes.data[child].parent = slot;
    else if (child != CN_TREE_EMPTY)
        tree->leaves.data[~child].slot = slot;
}

// Fills a slot: a child, its box, and whether it is marked.
static inline void cn_tree_put(cn_tree *tree, int32_t slot, int32_t child, cn_box3 box, int mark)
{
    cn_tree_node *node = &tree->nodes.data[slot >> 1];
    node->box[slot & 1] = box;
    node->child[slot & 1] = child;
    node->marks = (uint16_t)((node->marks & ~(1 << (slot & 1))) | mark << (slot & 1));
    cn_tree_link(tree, slot);
}

static inline int cn_tree_child_height(const cn_tree *tree, int32_t child)
{
    return child < 0 ? 0 : tree->nodes.data[child].height;
}

static inline uint16_t cn_tree_node_height(const cn_tree *tree, const cn_tree_node *node)
{
    int a = cn_tree_child_height(tree, node->child[0]), b = cn_tree_child_height(tree, node->child[1]);
    return (uint16_t)(1 + (a > b ? a : b));
}

// Exchanges a child of `node` with a grandchild where that makes the boxes below `node` smaller.
void cn_tree_rotate(cn_tree *tree, int32_t node);
// Brings the tree back to CN_TREE_MAX_HEIGHT by rebuilding the smallest subtrees that are much higher than they need to be.
void cn_tree_limit_height(cn_tree *tree);

#endif
