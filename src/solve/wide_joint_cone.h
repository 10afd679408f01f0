// The rigid cone of a joint: an ellipse that both swings stay in. What pushes them back is found from where the substep would
// end without it, as the nearest place within the ellipse in the metric of the masses. So its direction is that of the end,
// whatever way the swing goes on the substep, and it is right for a body that is pressed hard against a curved limit: with the
// direction of the beginning that body swings to and fro along the limit, each time further.
#ifndef CN_WIDE_JOINT_CONE_H
#define CN_WIDE_JOINT_CONE_H

#include "solve/wide_joint_math.h"

typedef struct cone_end8 {
    cn_f8 place[2];   // in half angles
    cn_f8 impulse[2]; // N m s
    cn_f8 shift;      // the impulse is minus this times the place, over h
} cone_end8;

// The place u of length `most` with u + shift * matrix * u = end, for a shift above 0. Newton's iteration on the inverse of the
// length comes from below and cannot overshoot (More and Sorensen 1983). Where nothing turns there is no such place, and the
// shift stays bounded.
CN_APART cone_end8 project_on_cone(const cn_wide_cone *c, const cn_f8 end[2], cn_f8 most, float inverse_h)
{
    enum { ROUNDS = 6 };
    const cn_f8 zero = cn_f8_zero(), one = cn_f8_set(1.0f), half = cn_f8_set(0.5f), largest = cn_f8_set(1e6f);
    cn_f8 yy = c->inverse[0] * c->inverse[0] * c->response[0][4], zz = c->inverse[1] * c->inverse[1] * c->response[1][5];
    cn_f8 yz = c->inverse[0] * c->inverse[1] * c->response[0][5], unit = range_unit(cn_f8_max(yy, zz));
    yy = unit * yy, zz = unit * zz, yz = unit * yz;
    cn_f8 mean = half * (yy + zz), d = half * (yy - zz);
    cn_f8 r = cn_f8_sqrt(d * d + yz * yz), fast = mean + r, slow = cn_f8_max(mean - r, zero);
    // The axis about which it turns most easily.
    cn_i8 first = d >= zero;
    cn_f8 x = cn_f8_select(first, d + r, yz), y = cn_f8_select(first, yz, r - d), length_sq = x * x + y * y;
    cn_i8 round = ~(length_sq > zero);
    cn_f8 scale = cn_f8_inverse_or_zero(cn_f8_sqrt(length_sq)), inverse_fast = cn_f8_inverse_or_zero(fast);
    x = cn_f8_select(round, one, scale * x);
    y = cn_f8_select(round, zero, scale * y);
    cn_f8 p = x * end[0] + y * end[1], q = x * end[1] - y * end[0], ratio = slow * inverse_fast, shift = zero, u = p, v = q;
    for (int n = 0; n < ROUNDS; n++) {
        cn_f8 sq = u * u + v * v, length = cn_f8_sqrt(sq), last = shift, bend = u * u + ratio * v * v;
        if (n > 0)
            bend = u * u / (one + shift) + ratio * v * v / (one + ratio * shift);
        shift = shift + (length - most) * sq * cn_f8_inverse_or_zero(most * bend);
        shift = cn_f8_min(cn_f8_max(shift, zero), largest);
        if (!cn_any(shift != last)) // nor would another round change anything
            break;
        u = p / (one + shift);
        v = q / (one + ratio * shift);
    }
    cone_end8 e = { .place = { x * u - y * v, x * v + y * u }, .shift = shift * inverse_fast * unit };
    for (int k = 0; k < 2; k++)
        e.impulse[k] = -(e.shift * cn_f8_set(inverse_h)) * c->inverse[k] * e.place[k];
    return e;
}

CN_INLINE cn_f8 cone_rate(const cn_wide_cone *c, int k, const cn_f8 rates[6])
{
    cn_f8 sum = cn_f8_zero();
    for (int i = 0; i < 6; i++)
        sum += c->wrench[k][i] * rates[i];
    return sum;
}

// How far the swings may be when the substep ends, in half angles: what is beyond its limit comes back by `pull`, no faster
// than joints do, or goes no further.
CN_INLINE cn_f8 cone_reach(const cn_sweep *s, const cn_wide_cone *c, cn_f8 pull, const cn_f8 swing[2], bool pushing)
{
    cn_f8 y = c->inverse[0] * swing[0], z = c->inverse[1] * swing[1], one = cn_f8_set(1.0f), sq = y * y + z * z;
    if (!cn_any(sq > one))
        return one;
    cn_f8 reach = cn_f8_sqrt(sq), angle = cn_f8_sqrt(swing[0] * swing[0] + swing[1] * swing[1]);
    cn_f8 most = cn_f8_set(s->joint_speed) * reach * cn_f8_inverse_or_zero(angle);
    if (pushing)
        reach -= cn_f8_set(s->h) * cn_f8_min(pull * (reach - one), most);
    return cn_f8_max(reach, one);
}

// Where the substep ends without the cone, and with it.
CN_INLINE cone_end8 find_cone_end(const cn_sweep *s, const cn_wide_cone *c, cn_f8 reach, const cn_f8 swing[2],
                                  const cn_f8 rates[6])
{
    const cn_f8 *impulse = c->impulse, h = cn_f8_set(s->h);
    cn_f8 y = cone_rate(c, 0, rates) - (c->response[0][4] * impulse[0] + c->response[0][5] * impulse[1]);
    cn_f8 z = cone_rate(c, 1, rates) - (c->response[0][5] * impulse[0] + c->response[1][5] * impulse[1]);
    cone_end8 e = { .place = { c->inverse[0] * (swing[0] + h * y), c->inverse[1] * (swing[1] + h * z) } };
    cn_i8 beyond = e.place[0] * e.place[0] + e.place[1] * e.place[1] > reach * reach;
    if (!cn_any(beyond))
        return e;
    cone_end8 with = project_on_cone(c, e.place, reach, s->inverse_h);
    for (int k = 0; k < 2; k++) {
        e.place[k] = cn_f8_select(beyond, with.place[k], e.place[k]);
        e.impulse[k] = cn_f8_and(beyond, with.impulse[k]);
    }
    e.shift = cn_f8_and(beyond, with.shift);
    return e;
}

CN_INLINE void solve_cone(const cn_sweep *s, cn_wide_cone *c, cn_f8 pull, const cn_f8 swing[2], bool pushing, cn_f8 rates[6],
                          cn_f8 sum[6])
{
    cone_end8 end = find_cone_end(s, c, cone_reach(s, c, pull, swing, pushing), swing, rates);
    cn_f8 y = end.impulse[0] - c->impulse[0], z = end.impulse[1] - c->impulse[1];
    if (!cn_any((y != cn_f8_zero()) | (z != cn_f8_zero())))
        return;
    c->impulse[0] = end.impulse[0];
    c->impulse[1] = end.impulse[1];
    for (int i = 0; i < 6; i++) {
        rates[i] += c->response[0][i] * y + c->response[1][i] * z;
        sum[i] += c->wrench[0][i] * y + c->wrench[1][i] * z;
    }
}

// For direct solves: a cone is a limit along the direction in which the substep ends, chosen when it begins.
CN_INLINE void aim_cone(const cn_sweep *s, cn_wide_cone *c, cn_f8 pull, const cn_f8 swing[2], bool pushing,
                        const cn_f8 rates[6])
{
    cn_f8 reach = cone_reach(s, c, pull, swing, pushing), zero = cn_f8_zero();
    if (pushing) {
        cone_end8 end = find_cone_end(s, c, reach, swing, rates);
        cn_f8 y = end.place[0], z = end.place[1], length = cn_f8_sqrt(y * y + z * z), scale = cn_f8_inverse_or_zero(length);
        cn_i8 none = length < cn_f8_set(1e-6f);
        c->aim[0] = cn_f8_select(none, cn_f8_set(1.0f), scale * y);
        c->aim[1] = cn_f8_select(none, zero, scale * z);
        c->bend = end.shift;
        c->pushes = (end.impulse[0] != zero) | (end.impulse[1] != zero);
        // What no blow within this substep reaches is left alone.
        cn_f8 from_y = c->inverse[0] * swing[0], from_z = c->inverse[1] * swing[1], dy = y - from_y, dz = z - from_z;
        cn_f8 far = cn_f8_set(4.0f) * cn_f8_sqrt(dy * dy + dz * dz) +
                    cn_f8_set(s->h * s->joint_speed) * cn_f8_max(c->inverse[0], c->inverse[1]);
        cn_i8 reached = cn_f8_sqrt(from_y * from_y + from_z * from_z) + far > cn_f8_set(1.0f);
        c->near = c->pushes | reached | (c->impulse[0] != zero) | (c->impulse[1] != zero);
    }
    cn_f8 y = c->inverse[0] * swing[0], z = c->inverse[1] * swing[1], inverse_h = cn_f8_set(s->inverse_h);
    c->room = inverse_h * (reach - (c->aim[0] * y + c->aim[1] * z));
    c->across = inverse_h * (c->aim[1] * y - c->aim[0] * z);
}

#endif
