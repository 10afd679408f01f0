// How two bodies lie to each other, and how they moved.
#ifndef CN_PAIR_MOTION_H
#define CN_PAIR_MOTION_H

#include "world/world.h"

// One of a surface and what is long or flat: hit at one end, the other end comes down up to so many times as fast.
#define CN_WHIP 2.5f

// The centre frame of b in that of a; `between` leads from centre to centre.
static inline cn_pose cn_relative_pose(const cn_body *a, const cn_body *b, cn_vec3 between)
{
    cn_quat inverse = cn_quat_conj(a->rotation);
    return (cn_pose){ cn_rotate(inverse, between), cn_quat_mul(inverse, b->rotation) };
}

// An upper bound on how far any point of the smaller body moved relative to the other, in whose frame it must be measured: a
// large body that turns on the spot moves its surface, but not its centre.
static inline float cn_pair_motion(const cn_body *a, const cn_body *b, const cn_pose *from, const cn_pose *to)
{
    if (b->extent <= a->extent)
        return cn_pose_motion(from, to, b->extent);
    cn_pose a_from = cn_pose_inverse(*from), a_to = cn_pose_inverse(*to);
    return cn_pose_motion(&a_from, &a_to, a->extent);
}

#endif
