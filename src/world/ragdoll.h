// What building and posing ragdolls share.
#ifndef CN_WORLD_RAGDOLL_H
#define CN_WORLD_RAGDOLL_H

#include "cairn/ragdoll.h"

bool cn_check_ragdoll(const char *function, const cn_world *world, const cn_ragdoll *ragdoll);
bool cn_check_writable_ragdoll(const char *function, const cn_world *world, const cn_ragdoll *ragdoll); // not in the middle of a step
bool cn_check_pose(const char *function, const cn_ragdoll_pose *pose);
// Where the bones are in a body that stands at `place`.
void cn_place_bones(cn_transform place, float height, const cn_ragdoll_pose *pose, cn_transform bones[CN_BONE_COUNT]);
// What the muscles of the joint above a bone can do, N m.
float cn_bone_torque(const cn_ragdoll *ragdoll, int bone);

#endif
