// The joints of a scene in the text of export.h.
#ifndef CAIRN_APP_EXPORT_JOINTS_H
#define CAIRN_APP_EXPORT_JOINTS_H

#include "build.h"

#include <stdio.h>

// Each joint is a line
//     joint kind a b  px py pz qx qy qz qw  px py pz qx qy qz qw  cone collide ratio  gx gy gz  gx gy gz
// with its bodies by their number in the file (-1: the world), its two frames in those bodies, and the two places of a pulley,
// and under it for each degree of freedom that is not simply free a line
//     axis dof free|locked|limited lower upper hertz damping_ratio  stiffness damping rest
//         off|speed|place target max_force hertz damping_ratio  friction
// and one for its motor and friction about all three axes, where it has them
//     ball off|speed|place  wx wy wz  qx qy qz qw  max_torque hertz damping_ratio  friction
// False when memory is short or a joint is of a body that the build does not know.
bool cn_export_joints(FILE *file, const cn_build *build, cn_message *error);

#endif
