// The matrix that takes the impulses of all locks of a unit to their rates, in 3x3 blocks.
//
// Every joint has up to two blocks of three locked degrees of freedom. Two blocks are coupled when they share a body that
// moves.
#ifndef CN_LOCK_MATRIX_H
#define CN_LOCK_MATRIX_H

#include "lab/block_order.h"
#include "solve/wide.h"

typedef struct cn_lock_block {
    cn_wide_joint *wide;
    int lane, first; // the degrees of freedom first .. first + 2
    int states[2];   // or -1 where nothing moves
    double give[3];  // in units of the matrix
    bool in_loop;
    double jacobian[2][3][6];
    double response[2][3][6]; // M^-1 J^T, transposed
} cn_lock_block;

// What two blocks that share a body add to an entry of the matrix.
typedef struct cn_lock_sharing {
    int block_i, side_i, block_j, side_j;
    int slot; // of the upper triangle in the order of elimination; -1: diagonal of block_i
    bool transposed;
} cn_lock_sharing;

struct cn_joint_direct {
    cn_lock_block *blocks;
    int count;
    cn_lock_sharing *sharings;
    int sharing_count;
    cn_block_order order;
    int *targets;          // slots that the updates of a factorisation go to, in their order
    double (*diagonal)[9]; // by position; after factoring the inverses
    double (*upper)[9];    // by slot
    double (*x)[3];        // by position
};

static inline bool cn_is_locked(const cn_wide_joint *wide, int lane, int dof)
{
    if (wide->joint_class == CN_CLASS_GENERAL)
        return wide->locked[dof][lane] > 0.0f;
    return wide->joint_class == CN_CLASS_BALL ? dof < 3 : dof == 0 && wide->locked[0][lane] > 0.0f;
}

void cn_lock_matrix_factor(struct cn_joint_direct *direct); // as the joints are now
void cn_lock_matrix_solve(struct cn_joint_direct *direct);  // x, in place

#endif
