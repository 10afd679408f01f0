// The matrix that takes the impulses of all locks of a unit to their rates, in 3x3 blocks.
//
// Every joint has up to two blocks of three degrees of freedom. A degree of freedom has a row in the matrix while it is held: by a
// lock, or by a motor, a limit or friction that has not reached the end of its force. Two blocks are coupled when they share a
// body that moves.
#ifndef CN_LOCK_MATRIX_H
#define CN_LOCK_MATRIX_H

#include "lab/block_order.h"
#include "solve/wide.h"

// Three numbers, and a fourth that is 0.
typedef double cn_d4 __attribute__((vector_size(32)));

typedef struct cn_lock_block {
    cn_wide_joint *wide;
    int lane, first; // the degrees of freedom first .. first + 2
    int states[2];   // or -1 where nothing moves
    int bodies[2];   // the same, numbered among the bodies of all blocks
    int part;        // what hangs together by bodies that move: the number of one of them
    struct cn_held_row *rows[3]; // what holds a degree of freedom that is not locked; NULL: nothing
    uint8_t held;                // bits of those that something holds: the others have no row in the matrix
    int first_row, end_row;      // of the rows that may, see joint_hold.h
    double give[3];              // in units of the matrix
    bool in_loop;
    uint8_t locked;              // bits of those that are locked
    cn_d4 jacobian[2][6]; // of each degree of freedom a lane: how it answers to the velocities of a and of b
    cn_d4 response[2][6]; // M^-1 J^T, likewise
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
    struct cn_held_row *rows; // by block
    int row_count;
    double (*changes)[6]; // by body: of its velocity, by the rows that are not in the matrix and by those that are;
    bool *followed;       // where a row asks for it, else 0
    int body_count;
    // By part: not solved yet in this pass; its factors are not those of what is held; it has rows that may be wrong.
    bool *open, *stale, *watched;
    // Of the parts that are open: blocks, positions in the order of elimination, and rows whose force is not known.
    int *open_blocks, *open_places, *open_rows;
    int open_count, open_row_count;
    cn_lock_sharing *sharings;
    int *first_sharing; // by block: those with the ones before it
    int sharing_count;
    cn_block_order order;
    int *targets;          // slots that the updates of a factorisation go to, in their order
    int *first_target;     // by position
    cn_d4 (*diagonal)[3];  // by position; after factoring the inverses
    cn_d4 (*upper)[3];     // by slot
    cn_d4 *x;              // by position
};

static inline bool cn_is_locked(const cn_wide_joint *wide, int lane, int dof)
{
    if (wide->joint_class == CN_CLASS_GENERAL)
        return wide->locked[dof][lane] > 0.0f;
    return wide->joint_class == CN_CLASS_BALL ? dof < 3 : dof == 0 && wide->locked[0][lane] > 0.0f;
}

// How a sum of degrees of freedom answers to the velocities of a and of b.
void cn_joint_jacobian(const cn_wide_joint *wide, int lane, const double axis[6], double jacobian[2][6]);
// Minus, for a, and plus, for b, what a unit impulse does to the velocities.
void cn_joint_response(const cn_wide_joint *wide, int lane, const double jacobian[2][6], double response[2][6]);
// Gives a degree of freedom a row in the matrix, or takes it away: NULL.
void cn_lock_block_set(cn_lock_block *block, int k, const double jacobian[2][6], const double response[2][6]);
void cn_lock_coupling(cn_lock_block *block); // the row of a coupling, where it is locked

#endif
