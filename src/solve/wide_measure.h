// How far eight patches are from a solution of the contact model (cairn/model.h): the velocities that came out and the impulses
// of the last (sub)step, held against the law of each point. u = J v is at hand, q = J v_before too, and the mean diagonal of W
// is a trace: so the model need not be formed, and the price is about that of a sweep.
#ifndef CN_WIDE_MEASURE_H
#define CN_WIDE_MEASURE_H

#include "solve/wide_sweep.h"

CN_INLINE float sum_lanes(cn_f8 a)
{
    float sum = 0.0f;
    for (int i = 0; i < CN_LANES; i++)
        sum += a[i];
    return sum;
}

CN_INLINE cn_i8 is_present(const cn_wide_point *p) { return p->separation < cn_f8_set(0.5f * CN_FAR); }

// ---- the mean diagonal of W

// The trace of what one body adds to the 3x3 block of a point: its mass along the free axes, and |r|^2 tr(I) - r.I r.
CN_INLINE cn_f8 point_trace(cn_f8 inverse_mass, cn_f8 free_axes, const cn_f8 inertia[6], vec8 r)
{
    return free_axes * inverse_mass + dot8(r, r) * (inertia[0] + inertia[1] + inertia[2]) - dot8(r, sym8(inertia, r));
}

CN_INLINE cn_f8 count_free(const cn_f8 free_axes[3]) { return free_axes[0] + free_axes[1] + free_axes[2]; }

static float sum_diagonal(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        cn_f8 sum = cn_f8_zero(), points = sum, free_a = cn_f8_set(3.0f), free_b = free_a;
        frame8 f = load_frame(c);
        if (c->extras & CN_EXTRA_LOCKS) {
            free_a = count_free(c->extra->free_a);
            free_b = count_free(c->extra->free_b);
        }
        for (int k = 0; k < c->point_count; k++) {
            const cn_wide_point *p = &c->points[k];
            vec8 offset = add8(scale8(p->x, f.t1), scale8(p->y, f.t2));
            cn_f8 trace = point_trace(c->inverse_mass_a, free_a, c->inertia_a, add8(load3(c->ra), offset)) +
                          point_trace(c->inverse_mass_b, free_b, c->inertia_b, add8(load3(c->rb), offset));
            sum += cn_f8_and(is_present(p), trace);
            points += cn_f8_and(is_present(p), cn_f8_set(1.0f));
        }
        s->measures[c - s->wides] = (cn_wide_measure){ .diagonal = sum_lanes(sum), .rows = 3 * (int)sum_lanes(points) };
    }
    return 0.0f;
}

// ---- the natural map

// Friction of a patch as impulses of its points: in proportion to their pressure, so that force and torque are the same.
typedef struct shares8 {
    cn_f8 x, y;           // pressure centre
    cn_f8 f1, f2, torque; // per normal impulse; torque as a rate of turning about the pressure centre
} shares8;

CN_INLINE shares8 share_friction(const cn_wide_patch *c)
{
    cn_f8 normal = normal_sum(c), inverse = cn_f8_inverse_or_zero(normal), x = cn_f8_zero(), y = x, weight = x, spread = x;
    for (int k = 0; k < 4; k++) {
        x += inverse * c->points[k].impulse * c->points[k].x;
        y += inverse * c->points[k].impulse * c->points[k].y;
    }
    for (int k = 0; k < 4; k++) {
        const cn_wide_point *p = &c->points[k];
        cn_f8 square = (p->x - x) * (p->x - x) + (p->y - y) * (p->y - y);
        weight += p->impulse * square;
        spread += cn_f8_and(is_present(p), square);
    }
    cn_f8 f1 = c->friction_impulse[0], f2 = c->friction_impulse[1], torque = c->twist_impulse - (x * f2 - y * f1);
    // Where one point carries nearly everything, friction cannot hold a twist.
    cn_i8 spreads = weight > cn_f8_set(1e-3f) * normal * spread;
    return (shares8){ x, y, inverse * f1, inverse * f2, cn_f8_and(spreads, torque * cn_f8_inverse_or_zero(weight)) };
}

// |r - P(r - u)|^2 with De Saxce's correction, r in units of velocity.
CN_INLINE cn_f8 map_square(cn_f8 mu, vec8 r, vec8 u)
{
    cn_f8 zero = cn_f8_zero(), slide = cn_f8_sqrt(u.y * u.y + u.z * u.z);
    vec8 x = v8(r.x - u.x - mu * slide, r.y - u.y, r.z - u.z);
    cn_f8 t = cn_f8_sqrt(x.y * x.y + x.z * x.z), n = (x.x + mu * t) * cn_f8_inverse_or_zero(cn_f8_set(1.0f) + mu * mu);
    cn_f8 shrink = mu * n * cn_f8_inverse_or_zero(t);
    cn_i8 inside = t <= mu * x.x, nothing = mu * t <= -x.x;
    vec8 p = v8(cn_f8_select(inside, x.x, n), cn_f8_select(inside, x.y, shrink * x.y), cn_f8_select(inside, x.z, shrink * x.z));
    vec8 e = v8(r.x - cn_f8_select(nothing, zero, p.x), r.y - cn_f8_select(nothing, zero, p.y),
                r.z - cn_f8_select(nothing, zero, p.z));
    return dot8(e, e);
}

CN_INLINE motion8 gather_before(const cn_body_drive *drives, const int32_t index[CN_LANES])
{
    const float *rows[CN_LANES];
    cn_f8 linear[4], angular[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = drives[index[i]].before;
    cn_gather4(rows, linear);
    for (int i = 0; i < CN_LANES; i++)
        rows[i] += 4;
    cn_gather4(rows, angular);
    return (motion8){ load3(linear), load3(angular) };
}

// What the law of a point wants of its normal velocity: u + bias >= 0.
CN_INLINE cn_f8 point_bias(const cn_sweep *s, const cn_wide_patch *c, int k, shift8 shift)
{
    const cn_wide_point *p = &c->points[k];
    cn_f8 separation = p->separation + (shift.dn + shift.a1 * p->y - shift.a2 * p->x);
    cn_f8 overlap = cn_f8_max(cn_f8_set(s->measured_bias_rate) * separation, cn_f8_set(-s->push_speed));
    return cn_f8_select(separation > cn_f8_zero(), cn_f8_set(s->inverse_h) * separation, overlap);
}

CN_INLINE vec8 point_velocity(const cn_wide_patch *c, const cn_wide_point *p, const twist8 *v)
{
    vec8 u = v8(v->un + v->w1 * p->y - v->w2 * p->x, v->u1 - v->wn * p->y, v->u2 + v->wn * p->x);
    return c->extras & CN_EXTRA_SURFACE ? v8(u.x, u.y - c->extra->surface[0], u.z - c->extra->surface[1]) : u;
}

CN_INLINE vec8 with_tangents(vec8 v, change8 t) { return v8(v.x, t.d1, t.d2); }

CN_INLINE void raise(float *most, cn_i8 present, cn_f8 value)
{
    float m = largest(cn_f8_and(present, value));
    *most = m > *most ? m : *most;
}

static float measure(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    cn_f8 unit = cn_f8_set(s->unit);
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        pair8 pair = gather_pair(s, c);
        twist8 after = relative_twist(&pair.frame, pair.arm, pair.a, pair.b);
        twist8 before = relative_twist(&pair.frame, pair.arm, gather_before(s->drives, c->a), gather_before(s->drives, c->b));
        shares8 shares = share_friction(c);
        cn_f8 squares = cn_f8_zero(), q_squares = squares;
        cn_wide_measure *out = &s->measures[c - s->wides];
        for (int k = 0; k < c->point_count; k++) {
            const cn_wide_point *p = &c->points[k];
            cn_i8 present = is_present(p);
            cn_f8 bias = point_bias(s, c, k, pair.shift);
            vec8 u = point_velocity(c, p, &after), q = point_velocity(c, p, &before);
            u.x += bias;
            q.x += bias;
            vec8 r = v8(p->impulse, p->impulse * (shares.f1 - shares.torque * (p->y - shares.y)),
                        p->impulse * (shares.f2 + shares.torque * (p->x - shares.x)));
            if (s->cone)
                r = v8(p->impulse, c->extra->point_friction[k][0], c->extra->point_friction[k][1]);
            if (c->extras & CN_EXTRA_GRAIN) {
                r = with_tangents(r, to_grain_force(c->extra, r.y, r.z));
                u = with_tangents(u, to_grain_velocity(c->extra, u.y, u.z));
                q = with_tangents(q, to_grain_velocity(c->extra, q.y, q.z));
            }
            squares += cn_f8_and(present, map_square(c->friction, scale8(unit, r), u));
            q_squares += cn_f8_and(present, dot8(q, q));
            cn_f8 push = cn_f8_sqrt(r.y * r.y + r.z * r.z), slide = cn_f8_sqrt(u.y * u.y + u.z * u.z);
            raise(&out->approach, present, -u.x);
            raise(&out->cone, present, push - c->friction * r.x);
            raise(&out->gap, present, cn_f8_abs(r.x * u.x));
            raise(&out->direction, present, r.y * u.y + r.z * u.z + push * slide);
        }
        out->squares = sum_lanes(squares);
        out->q_squares = sum_lanes(q_squares);
    }
    return 0.0f;
}

#endif
