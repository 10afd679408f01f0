// Where the ends of a joint are within a step.
#ifndef CN_JOINT_POSTURE_H
#define CN_JOINT_POSTURE_H

#include "math/vec.h"
#include "solve/solve.h"

// The joint after what its bodies have moved in this step, and `ahead` s more at the velocities they have: gap, arms and axes
// are those of then. Rotations keep their axes within frame a; couplings stay as they are.
cn_solver_joint cn_joint_moved(const cn_solve_input *input, const cn_found_joint *found, float ahead);
// By how much its degrees of freedom have changed since the step began, then; of a coupling, the first is its coordinate.
void cn_joint_change(const cn_solve_input *input, const cn_found_joint *found, float ahead, float change[6]);

// What the motor about all three axes sees `ahead` seconds from now, world axes: the rotation vector from its target to where it is,
// and the velocity it wants.
typedef struct cn_torque_state {
    cn_vec3 error, velocity; // rad, rad/s
} cn_torque_state;
cn_torque_state cn_torque_at(const cn_solve_input *input, const cn_found_joint *found, const cn_joint_torque *torque, float ahead);

#endif
