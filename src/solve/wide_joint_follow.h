// The masses of joints whose bodies have an inertia that is followed, see follow.h.
#ifndef CN_WIDE_JOINT_FOLLOW_H
#define CN_WIDE_JOINT_FOLLOW_H

#include "solve/wide_joint_laws.h"

CN_INLINE cn_i8 which_follow(const cn_sweep *s, const int32_t index[CN_LANES])
{
    cn_i8 mask;
    for (int i = 0; i < CN_LANES; i++)
        mask[i] = s->drives[index[i]].follows ? -1 : 0;
    return mask;
}

// The masses of a joint where it is, for the lanes of such bodies.
CN_APART void hold_followed(const cn_sweep *s, cn_wide_joint *c, posture8 at)
{
    cn_i8 lanes = which_follow(s, c->a) | which_follow(s, c->b);
    if (c->joint_class == CN_CLASS_BALL)
        hold_ball(c, at.lever_a, at.lever_b, lanes);
    else
        hold_general(c, &at, lanes);
}

static void joint_hold_followed(const cn_sweep *s, cn_wide_joint *wides, int count)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        posture8 now = posture_now(c);
        if (c->follows && c->joint_class != CN_CLASS_COUPLING)
            hold_followed(s, c, now);
    }
}

#endif
