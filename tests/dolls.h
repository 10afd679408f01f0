// Ragdolls, and how far their joints are open.
#ifndef DOLLS_H
#define DOLLS_H

#include "scene.h"

#include <cairn/ragdoll.h>

static inline cn_ragdoll add_ragdoll(cn_world *world, const cn_ragdoll_def *def)
{
    cn_ragdoll doll;
    if (!cn_ragdoll_create(world, def, &doll))
        fail_msg("%s", cn_last_error());
    return doll;
}

static inline float widest_gap(const cn_world *world, const cn_ragdoll *doll)
{
    float widest = 0.0f;
    for (int i = 1; i < CN_BONE_COUNT; i++)
        widest = cn_maxf(widest, cn_joint_get_error(world, doll->joints[i]).linear);
    return widest;
}

#endif
