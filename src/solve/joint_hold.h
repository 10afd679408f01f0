// Motors, limits, springs and friction in a direct solve. While such a row is within the bounds of its force it is one more row
// of the matrix of the locks; at a bound its force is known. Which rows are at a bound is found by trying: the matrix is solved, rows that
// pull where they can only push are let go of, rows that would be passed are taken in, and so on until nothing changes (block
// principal pivoting; Judice and Pires 1994). It starts from what held in the pass before, which is nearly always right.
#ifndef CN_JOINT_HOLD_H
#define CN_JOINT_HOLD_H

#include "solve/lock_matrix.h"
#include "solve/run.h"

typedef enum cn_hold_state {
    CN_HOLD_LET_GO, // a limit that does not push
    CN_HOLD_EQUAL,  // between its bounds: rate + softness * impulse = target
    CN_HOLD_LOWER, CN_HOLD_UPPER, // a limit that pushes there; of all others, at the bound of its force
} cn_hold_state;

// The rows of a cone: what it did before, which ends; the limit; and what pushes across it, because the limit is curved.
typedef enum cn_cone_part { CN_CONE_CARRIED, CN_CONE_LIMIT, CN_CONE_BEND, CN_CONE_PARTS } cn_cone_part;

typedef struct cn_held_row {
    cn_wide_joint *wide;
    cn_wide_row *row;
    cn_wide_cone *cone;   // instead of a row: a limit of both swings, see joint_hold_cone.c
    cn_cone_part part;
    cn_wide_bound *bound; // instead of a row: one of three parts of a torque about all three axes, see joint_hold_torque.c
    int lane, block, slot; // the degree of freedom that it holds, of the three of its block
    int rank;              // of those that want the same slot, the lowest gets it
    bool limit, idle; // idle: its force is known, or its limit is too far away to be reached
    cn_hold_state state;
    double axis[6], jacobian[2][6], response[2][6];
    double rate;                // before this pass changes anything
    double target[2], softness; // rates; of limits at the lower and at the upper end
    double impulse, most;       // when the pass began, and the bound of its size
    double change;              // of the impulse
} cn_held_row;

// Whether row n of a joint takes part. The rows of a joint do so together, where they carry much; the others are left to sweeps.
bool cn_can_hold(const cn_found_joint *found, int n, const cn_wide_joint *wide, int lane);
// Whether a torque about all three axes does.
bool cn_can_hold_torque(const cn_found_joint *found, int kind, const cn_wide_joint *wide, int lane);
// Lists the rows of all blocks; blocks are there already.
void cn_list_held_rows(struct cn_joint_direct *direct, cn_unit_run *run);
// From what locks and rows lack (wide->residual) to impulses: those of the joints are changed, and wide->answer is what the
// bodies are to feel.
void cn_hold_joints(cn_unit_run *run, bool pushing);

// Rigid cones (joint_hold_cone.c): the same. A row that bends goes with the limit before it.
bool cn_can_hold_cone(const cn_found_joint *found, const cn_wide_joint *wide, int lane);
void cn_list_cone_rows(struct cn_joint_direct *direct, int block, const cn_found_joint *found);
void cn_begin_cone_row(cn_held_row *row, bool pushing);
cn_hold_state cn_bend_state(const cn_held_row *row);
void cn_add_cone_change(cn_held_row *row);

// Torques about all three axes (joint_hold_torque.c): lists those of a block, begins a pass with one of their rows, and ends it.
void cn_list_torque_rows(struct cn_joint_direct *direct, int block, const cn_found_joint *found);
void cn_begin_torque_row(cn_held_row *row, bool pushing);
void cn_add_torque_change(const cn_held_row *row);
void cn_begin_torques(struct cn_joint_direct *direct);
void cn_bound_torques(struct cn_joint_direct *direct);

#endif
