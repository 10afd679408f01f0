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

CN_INLINE cn_i8 followed_lanes(const cn_sweep *s, const cn_wide_joint *c)
{
    return which_follow(s, c->a) | which_follow(s, c->b);
}

// Lanes of such bodies that have turned since the masses were known, by more than a fifth of what others may, times `times`.
CN_INLINE cn_i8 turned_followed(const cn_sweep *s, const cn_wide_joint *c, const ends8 *e, float times)
{
    cn_f8 part = cn_f8_set(0.04f * times * times);
    vec8 a = sub8(e->turn_a.v, load3(c->turned_a)), b = sub8(e->turn_b.v, load3(c->turned_b));
    return ((dot8(a, a) > part * c->far_a) | (dot8(b, b) > part * c->far_b)) & followed_lanes(s, c);
}

// The masses of a joint where it is.
CN_APART void hold_followed(cn_wide_joint *c, posture8 at, cn_i8 lanes)
{
    if (c->joint_class == CN_CLASS_BALL)
        hold_ball(c, at.lever_a, at.lever_b, lanes);
    else
        hold_general(c, &at, lanes);
}

// Halfway through a substep, where it turns far by its end.
CN_INLINE void hold_halfway(const cn_sweep *s, cn_wide_joint *c, const ends8 *e, const posture8 *at)
{
    cn_i8 lanes = turned_followed(s, c, e, 2.0f);
    const posture8 here = *at;
    if (cn_any(lanes))
        hold_followed(c, here, lanes);
}

// At the end of a substep.
static void joint_hold_followed(const cn_sweep *s, cn_wide_joint *wides, int count)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        if (!c->follows || c->joint_class == CN_CLASS_COUPLING)
            continue;
        ends8 ends = { .turn_a = gather_turn(s, c->a), .turn_b = gather_turn(s, c->b) };
        cn_i8 lanes = turned_followed(s, c, &ends, 1.0f);
        if (!cn_any(lanes))
            continue;
        note_turned(c, &ends, lanes);
        hold_followed(c, posture_now(c), lanes);
    }
}

#endif
