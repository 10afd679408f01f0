// The order in which blocks are eliminated, and what that fills in.
#ifndef CN_BLOCK_ORDER_H
#define CN_BLOCK_ORDER_H

#include "base/memory.h"

// The pattern of L + U under the order. Position p eliminates node order[p] and couples it to the later positions
// columns[starts[p]] .. columns[starts[p + 1]], ascending.
typedef struct cn_block_order {
    int count, fill;       // fill: entries above the diagonal
    int *order, *position; // position[order[p]] = p
    int *starts, *columns;
    // The same pattern by columns: position p is updated by the slots update_slots[update_starts[p]] .. [p + 1], each an index
    // into `columns` whose row is the position update_pivots[..]; ascending.
    int *update_starts, *update_pivots, *update_slots;
} cn_block_order;

// A minimum degree order of a graph given by compressed rows; it is made symmetric, and its diagonal does not matter.
cn_block_order cn_block_order_create(cn_arena *arena, int count, const int *row_starts, const int *columns);

#endif
