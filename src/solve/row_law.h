// How one row of a joint pushes, for a substep of length h and the mass it moves:
//     impulse = drag * (impulse - mass * (rate - speed)) - mass * pull * (place - rest), within bounds.
#ifndef CN_ROW_LAW_H
#define CN_ROW_LAW_H

#include "solve/solve.h"

typedef struct cn_row_law {
    float rest, speed;
    float drag, pull; // without a unit; 1/s
    float most;       // impulse, N s
    float lower, upper;
    bool stops; // pushes back beyond lower and upper, instead of towards rest
    bool firm;  // and gives way by nothing but what the solver's own correction of errors takes; or a motor without a spring
} cn_row_law;

// Stands for infinity where infinity times nothing must be nothing.
#define CN_ROW_FAR 1e18f

// `lock_drag` and `lock_pull` are those of the solver's locks: what is rigid pushes like them, and so does a motor whose spring a
// substep cannot follow.
cn_row_law cn_row_law_of(const cn_joint_row *row, float mass, float h, float lock_drag, float lock_pull);
// The same for a torque about all three axes.
cn_row_law cn_torque_law(const cn_joint_torque *torque, float h, float lock_drag, float lock_pull);
// A motor without a spring as the fast solvers have it: a lock that moves, along one to three axes. What its place has moved since the last
// step it goes along with. Of the error that it had before, up to `near` is the lock's own, `held`; of a larger one it goes a part in the
// step, no faster than it can brake with the force it has; where that force is not enough, it begins anew with the next step.
typedef struct cn_motor_drive {
    float error[3], moved[3]; // of where it is, against where it is to be; of where it is to be, since the last step
    float mass, most_force;
    float held[3], speed[3]; // out
} cn_motor_drive;
// Whether it goes along with a place that has moved so far: what moves by more than four times as much as a lock takes as its own has jumped.
bool cn_goes_along(float moved, float near);
void cn_drive_motor(cn_motor_drive *drive, float h, float dt, float part, float near);

// The limit of both swings that does not give way; NULL: it has none.
static inline cn_joint_row *cn_rigid_cone(const cn_solver_joint *joint)
{
    for (int n = 0; n < joint->row_count; n++) {
        cn_joint_row *row = &joint->rows[n];
        if (row->cone[0] > 0.0f && row->stiffness == 0.0f && row->damping == 0.0f)
            return row;
    }
    return NULL;
}

#endif
