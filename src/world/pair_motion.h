// How two bodies lie to each other, and how they moved.
#ifndef CN_PAIR_MOTION_H
#define CN_PAIR_MOTION_H

#include "world/world.h"

// One of a surface and what is long or flat: hit at one end, the other end comes down up to so many times as fast.
#define CN_WHIP 2.5f
// Fast pairs are looked at further ahead, up to this many margins (the inner radius of the smaller shape).
#define CN_LOOK_AHEAD 25.0f

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

// An upper bound on how fast any point of the smaller shape moves relative to the larger one where they are close: two bodies
// that turn together do not move against each other.
static inline float cn_pair_speed(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b,
                                  cn_vec3 between)
{
    bool a_is_larger = a->extent >= b->extent;
    const cn_shape *smaller = a_is_larger ? shape_b : shape_a;
    cn_vec3 spin = a_is_larger ? a->angular_velocity : b->angular_velocity; // of the larger; its surface is carried along by it
    cn_vec3 drift = cn_sub(cn_sub(b->linear_velocity, a->linear_velocity), cn_cross(spin, between));
    cn_vec3 turning = cn_sub(b->angular_velocity, a->angular_velocity);
    if (!smaller->centered && !cn_is_composite(smaller)) { // its middle moves about the centre of mass
        cn_vec3 middle = cn_pose_point(smaller->pose, cn_convex_center(&smaller->convex));
        drift = cn_add(drift, cn_cross(turning, cn_rotate((a_is_larger ? b : a)->rotation, middle)));
    }
    return cn_length(drift) + cn_length(turning) * smaller->size;
}

#endif
