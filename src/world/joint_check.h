// Checks of joints before they are made or changed. Each fails with a sentence that names the function and the field; `prefix`
// is what stands before the name of the field, such as "def.".
#ifndef CN_JOINT_CHECK_H
#define CN_JOINT_CHECK_H

#include "world/world.h"

bool cn_check_joint_def(const cn_world *world, const char *function, const cn_joint_def *def);
// The motor and friction about all three axes; a degree of freedom that is locked may contradict them.
bool cn_check_joint_ball(const char *function, const char *prefix, const cn_joint_def *def);
bool cn_check_joint_frames(const cn_world *world, const char *function, const char *prefix, const cn_joint_def *def);
bool cn_check_joint_dof(const char *function, const cn_joint_def *def, cn_dof dof); // the joint has it
bool cn_check_joint_axis(const char *function, const char *prefix, const cn_joint_def *def, cn_dof dof);
bool cn_check_joint_break(const char *function, const char *prefix, float force, float torque);
bool cn_check_force(const char *function, const char *field, float value); // may be infinite: whatever it takes
bool cn_check_motor_target(const char *function, const char *field, float value); // a place or a speed

#endif
