// Friction of eight patches: a disc at the centre and a twist about the normal, or a cone at every point; rolling resistance.
#ifndef CN_WIDE_FRICTION_H
#define CN_WIDE_FRICTION_H

#include "solve/wide_math.h"

// Relative velocity at the patch centre, of b against a, in the patch frame.
typedef struct twist8 {
    cn_f8 un, u1, u2, wn, w1, w2;
} twist8;

CN_INLINE vec8 relative_linear(levers8 arm, motion8 a, motion8 b)
{
    return add8(sub8(b.linear, a.linear), sub8(cross8(b.angular, arm.b), cross8(a.angular, arm.a)));
}

CN_INLINE twist8 relative_twist(const frame8 *f, levers8 arm, motion8 a, motion8 b)
{
    vec8 u = relative_linear(arm, a, b), w = sub8(b.angular, a.angular);
    return (twist8){ dot8(f->n, u), dot8(f->t1, u), dot8(f->t2, u), dot8(f->n, w), dot8(f->t1, w), dot8(f->t2, w) };
}

// Change of the relative velocity by a friction force, by a twisting torque, by a rolling torque.
CN_INLINE void add_tangent_force(const cn_wide_patch *c, twist8 *v, cn_f8 f1, cn_f8 f2)
{
    v->un += c->ff[0] * f1 + c->ff[1] * f2;
    v->u1 += c->ff[2] * f1 + c->ff[3] * f2;
    v->u2 += c->ff[3] * f1 + c->ff[4] * f2;
    v->wn += c->ft[1] * f1 + c->ft[4] * f2;
    v->w1 += c->ft[2] * f1 + c->ft[5] * f2;
    v->w2 += c->ft[3] * f1 + c->ft[6] * f2;
}
CN_INLINE void add_twist_torque(const cn_wide_patch *c, twist8 *v, cn_f8 tn)
{
    v->un += c->ft[0] * tn;
    v->u1 += c->ft[1] * tn;
    v->u2 += c->ft[4] * tn;
    v->wn += c->tt[0] * tn;
    v->w1 += c->tt[1] * tn;
    v->w2 += c->tt[2] * tn;
}
CN_INLINE void add_rolling_torque(const cn_wide_patch *c, twist8 *v, cn_f8 t1, cn_f8 t2)
{
    v->un += c->extra->normal[1] * t1 + c->extra->normal[2] * t2;
    v->u1 += c->ft[2] * t1 + c->ft[3] * t2;
    v->u2 += c->ft[5] * t1 + c->ft[6] * t2;
    v->wn += c->tt[1] * t1 + c->tt[2] * t2;
    v->w1 += c->extra->normal[3] * t1 + c->extra->normal[4] * t2;
    v->w2 += c->extra->normal[4] * t1 + c->extra->normal[5] * t2;
}

// Moves an impulse so that the velocity (u1, u2) vanishes, within a disc, and returns by how much. The matrix says how velocity
// answers to impulse. Inside the disc the exact 2x2 solution sticks. Outside, a step of one scalar keeps the impulse opposed to
// the sliding direction; the 2x2 solution would turn it.
typedef struct change8 {
    cn_f8 d1, d2;
} change8;

// The inverse of the power of two at or below a number. Products of inverse masses leave the range of float; multiplied by this
// they are about 1, and the same bits as without where they were in range.
CN_INLINE cn_f8 inverse_power(cn_f8 a) { return (cn_f8)(0x7f000000 - ((cn_i8)a & 0x7f800000)); }

// The inverse of a response; zero where there is none. Locks may leave less of a direction than the heaviest body answers with, down
// to the smallest number there is: an impulse that stopped a velocity there would leave the range of float.
CN_INLINE cn_f8 inverse_response(cn_f8 k)
{
    cn_f8 one = cn_f8_set(1.0f);
    cn_i8 some = k > cn_f8_set(1e-30f);
    return cn_f8_and(some, one / cn_f8_select(some, k, one));
}

CN_INLINE cn_wide_disc disc_of(cn_f8 k11, cn_f8 k12, cn_f8 k22)
{
    cn_f8 most = cn_f8_max(k11, k22), unit = inverse_power(most), a = unit * k11, b = unit * k12, d = unit * k22;
    cn_f8 square = a * d, determinant = square - b * b;
    cn_i8 solvable = determinant > cn_f8_set(1e-5f) * square; // locks may leave nothing but rounding
    return (cn_wide_disc){ cn_f8_and(solvable, unit * cn_f8_inverse_or_zero(determinant)),
                           inverse_response(most + cn_f8_abs(k12)) };
}

CN_INLINE change8 solve_disc(cn_f8 k11, cn_f8 k12, cn_f8 k22, cn_wide_disc disc, cn_f8 u1, cn_f8 u2, cn_f8 limit,
                             cn_f8 impulse[2])
{
    cn_f8 i1 = impulse[0], i2 = impulse[1], unit = inverse_power(cn_f8_max(k11, k22));
    cn_f8 a = unit * k11, b = unit * k12, d = unit * k22;
    cn_f8 stick1 = i1 - disc.inverse * (d * u1 - b * u2), stick2 = i2 - disc.inverse * (a * u2 - b * u1);
    cn_i8 sticks = (disc.inverse > cn_f8_zero()) & (stick1 * stick1 + stick2 * stick2 <= limit * limit);
    cn_f8 slide1 = i1 - disc.step * u1, slide2 = i2 - disc.step * u2;
    cn_f8 length = cn_f8_sqrt(slide1 * slide1 + slide2 * slide2);
    cn_f8 shrink = cn_f8_min(limit * cn_f8_inverse_or_zero(length), cn_f8_set(1.0f));
    impulse[0] = cn_f8_select(sticks, stick1, shrink * slide1);
    impulse[1] = cn_f8_select(sticks, stick2, shrink * slide2);
    return (change8){ impulse[0] - i1, impulse[1] - i2 };
}

// Friction with a grain: the force may be anywhere in an ellipse, f = A y with y in a disc and A = R diag(factor, 1), where R
// turns the first axis into the grain. Against the velocity A' u, which y answers to by A' K A, this is friction without a
// grain, and the force that y stands for is the one of the ellipse that takes the most energy out. Lanes without a grain keep
// their numbers.
CN_INLINE change8 to_grain_velocity(const cn_wide_extra *e, cn_f8 u1, cn_f8 u2) // A' u
{
    cn_f8 along = e->grain_friction * (e->grain[0] * u1 + e->grain[1] * u2), across = e->grain[0] * u2 - e->grain[1] * u1;
    return (change8){ cn_f8_select(e->has_grain, along, u1), cn_f8_select(e->has_grain, across, u2) };
}
CN_INLINE change8 to_grain_force(const cn_wide_extra *e, cn_f8 f1, cn_f8 f2) // inverse of A
{
    cn_f8 along = e->grain_inverse * (e->grain[0] * f1 + e->grain[1] * f2), across = e->grain[0] * f2 - e->grain[1] * f1;
    return (change8){ cn_f8_select(e->has_grain, along, f1), cn_f8_select(e->has_grain, across, f2) };
}
CN_INLINE change8 from_grain_force(const cn_wide_extra *e, cn_f8 y1, cn_f8 y2) // A y
{
    cn_f8 along = e->grain_friction * y1, f1 = e->grain[0] * along - e->grain[1] * y2,
          f2 = e->grain[1] * along + e->grain[0] * y2;
    return (change8){ cn_f8_select(e->has_grain, f1, y1), cn_f8_select(e->has_grain, f2, y2) };
}

CN_INLINE change8 solve_ellipse(const cn_wide_extra *e, cn_f8 k11, cn_f8 k12, cn_f8 k22, cn_f8 u1, cn_f8 u2, cn_f8 limit,
                                cn_f8 impulse[2])
{
    cn_f8 c = e->grain[0], s = e->grain[1], g = e->grain_friction, old1 = impulse[0], old2 = impulse[1];
    cn_f8 along = c * (c * k11 + s * k12) + s * (c * k12 + s * k22);
    cn_f8 mixed = c * (c * k12 + s * k22) - s * (c * k11 + s * k12);
    cn_f8 across = c * (c * k22 - s * k12) - s * (c * k12 - s * k11);
    change8 u = to_grain_velocity(e, u1, u2), y = to_grain_force(e, old1, old2);
    cn_f8 scaled[2] = { y.d1, y.d2 };
    cn_f8 a = cn_f8_select(e->has_grain, g * g * along, k11), b = cn_f8_select(e->has_grain, g * mixed, k12),
          d = cn_f8_select(e->has_grain, across, k22);
    solve_disc(a, b, d, disc_of(a, b, d), u.d1, u.d2, limit, scaled);
    change8 f = from_grain_force(e, scaled[0], scaled[1]);
    impulse[0] = f.d1;
    impulse[1] = f.d2;
    return (change8){ f.d1 - old1, f.d2 - old2 };
}

CN_INLINE cn_f8 normal_sum(const cn_wide_patch *c)
{
    return (c->points[0].impulse + c->points[1].impulse) + (c->points[2].impulse + c->points[3].impulse);
}

CN_INLINE void solve_patch_friction(const cn_wide_patch *c, twist8 *v, wrench8 *sum, cn_f8 normal, cn_f8 impulse[2])
{
    cn_f8 u1 = v->u1, u2 = v->u2;
    if (c->extras & CN_EXTRA_SURFACE) {
        u1 -= c->extra->surface[0];
        u2 -= c->extra->surface[1];
    }
    cn_f8 limit = c->friction * normal;
    change8 f = c->extras & CN_EXTRA_GRAIN ? solve_ellipse(c->extra, c->ff[2], c->ff[3], c->ff[4], u1, u2, limit, impulse)
                                           : solve_disc(c->ff[2], c->ff[3], c->ff[4], c->disc, u1, u2, limit, impulse);
    sum->f1 += f.d1;
    sum->f2 += f.d2;
    add_tangent_force(c, v, f.d1, f.d2);
}

CN_INLINE void solve_twist(const cn_wide_patch *c, twist8 *v, wrench8 *sum, cn_f8 normal, cn_f8 *impulse)
{
    cn_f8 limit = c->twist_arm * normal;
    cn_f8 wanted = *impulse - v->wn * c->twist_mass;
    wanted = cn_f8_max(cn_f8_min(wanted, limit), -limit);
    cn_f8 d = wanted - *impulse;
    *impulse = wanted;
    sum->tn += d;
    add_twist_torque(c, v, d);
}

// The power of two at or below a positive number, and its inverse; 1 for zero and what is next to it.
typedef struct power8 {
    cn_f8 down, up;
} power8;

CN_INLINE power8 power_below(cn_f8 a)
{
    cn_f8 one = cn_f8_set(1.0f);
    cn_i8 normal = (a > cn_f8_set(1e-37f)) & (a < cn_f8_set(1e37f)),
          exponent = (cn_i8)cn_f8_select(normal, a, one) & 0x7f800000;
    return (power8){ (cn_f8)exponent, (cn_f8)(0x7f000000 - exponent) };
}

// Inverse moments of inertia are so large or so small that their products leave the range of float: torques are measured in a
// power of two that makes them about 1, which changes no bit of what is in range.
CN_INLINE void solve_rolling(const cn_wide_patch *c, twist8 *v, wrench8 *sum, cn_f8 normal, cn_f8 impulse[2])
{
    const cn_wide_extra *e = c->extra;
    power8 unit = power_below(cn_f8_max(e->normal[3], e->normal[5]));
    cn_f8 before[2] = { impulse[0], impulse[1] }, scaled[2] = { unit.down * before[0], unit.down * before[1] };
    cn_f8 k11 = unit.up * e->normal[3], k12 = unit.up * e->normal[4], k22 = unit.up * e->normal[5];
    solve_disc(k11, k12, k22, disc_of(k11, k12, k22), v->w1, v->w2, unit.down * (e->rolling_arm * normal), scaled);
    for (int k = 0; k < 2; k++)
        impulse[k] = unit.up * scaled[k];
    cn_f8 d1 = impulse[0] - before[0], d2 = impulse[1] - before[1];
    sum->t1 += d1;
    sum->t2 += d2;
    add_rolling_torque(c, v, d1, d2);
}

// Coulomb's cone at every point: friction of the point from the velocity of the point, bounded by its own normal impulse.
CN_INLINE void solve_point_friction(const cn_wide_patch *c, const cn_wide_point *p, cn_f8 normal, cn_f8 impulse[2], twist8 *v,
                                    wrench8 *sum)
{
    cn_f8 u1 = v->u1 - v->wn * p->y, u2 = v->u2 + v->wn * p->x;
    if (c->extras & CN_EXTRA_SURFACE) {
        u1 -= c->extra->surface[0];
        u2 -= c->extra->surface[1];
    }
    // force (1, 0) at the point is force (1, 0) and torque -y at the centre; force (0, 1) comes with torque x
    cn_f8 k11 = c->ff[2] - p->y * (c->ft[1] + c->ft[1]) + p->y * p->y * c->tt[0];
    cn_f8 k22 = c->ff[4] + p->x * (c->ft[4] + c->ft[4]) + p->x * p->x * c->tt[0];
    cn_f8 k12 = c->ff[3] + p->x * c->ft[1] - p->y * c->ft[4] - p->x * p->y * c->tt[0];
    cn_f8 limit = c->friction * normal;
    change8 f = c->extras & CN_EXTRA_GRAIN ? solve_ellipse(c->extra, k11, k12, k22, u1, u2, limit, impulse)
                                           : solve_disc(k11, k12, k22, disc_of(k11, k12, k22), u1, u2, limit, impulse);
    cn_f8 torque = p->x * f.d2 - p->y * f.d1;
    sum->f1 += f.d1;
    sum->f2 += f.d2;
    sum->tn += torque;
    add_tangent_force(c, v, f.d1, f.d2);
    add_twist_torque(c, v, torque);
}

CN_INLINE void sum_friction(cn_wide_patch *c, bool cone)
{
    for (int d = 0; d < 2; d++) {
        c->friction_total[d] += c->friction_impulse[d];
        for (int k = 0; cone && k < 4; k++)
            c->friction_total[d] += c->extra->point_friction[k][d];
    }
}

// The length of a friction impulse, to be held against its limit.
CN_INLINE cn_f8 friction_used(const cn_wide_patch *c, const cn_f8 impulse[2])
{
    change8 f = { impulse[0], impulse[1] };
    if (c->extras & CN_EXTRA_GRAIN)
        f = to_grain_force(c->extra, f.d1, f.d2);
    return cn_f8_sqrt(f.d1 * f.d1 + f.d2 * f.d2);
}

// Where friction gives all it has, the bodies slide.
CN_INLINE cn_i8 friction_at_limit(const cn_wide_patch *c, bool cone)
{
    cn_f8 used = friction_used(c, c->friction_impulse);
    for (int k = 0; cone && k < 4; k++)
        used += friction_used(c, c->extra->point_friction[k]);
    cn_f8 limit = c->friction * normal_sum(c);
    return (limit > cn_f8_zero()) & (used >= cn_f8_set(0.999f) * limit);
}

#endif
