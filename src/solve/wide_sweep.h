// One sweep over patches: contact points, then friction, then the bodies.
#ifndef CN_WIDE_SWEEP_H
#define CN_WIDE_SWEEP_H

#include "solve/wide_friction.h"

// Adds a normal impulse at a point to the sum, and its effect to the part of the velocity that the other points see; friction
// sees the rest when all points are done.
CN_INLINE void add_normal_impulse(const cn_wide_patch *c, const cn_wide_point *p, cn_f8 d, twist8 *v, wrench8 *sum)
{
    cn_f8 d1 = p->y * d, d2 = -(p->x * d);
    sum->fn += d;
    sum->t1 += d1;
    sum->t2 += d2;
    v->un += c->extra->normal[0] * d + c->extra->normal[1] * d1 + c->extra->normal[2] * d2;
    v->w1 += c->extra->normal[1] * d + c->extra->normal[3] * d1 + c->extra->normal[4] * d2;
    v->w2 += c->extra->normal[2] * d + c->extra->normal[4] * d1 + c->extra->normal[5] * d2;
}

CN_INLINE void add_normal_coupling(const cn_wide_patch *c, twist8 *v, cn_f8 fn, cn_f8 t1, cn_f8 t2)
{
    v->u1 += c->ff[0] * fn + c->ft[2] * t1 + c->ft[3] * t2;
    v->u2 += c->ff[1] * fn + c->ft[5] * t1 + c->ft[6] * t2;
    v->wn += c->ft[0] * fn + c->tt[1] * t1 + c->tt[2] * t2;
}

// How much the two bodies have come apart at a point since the step began: along the normal, and turned about the tangents.
typedef struct shift8 {
    cn_f8 dn, a1, a2;
} shift8;

CN_INLINE shift8 relative_shift(const cn_wide_patch *c, const frame8 *f, motion8 a, motion8 b)
{
    levers8 arm = { load3(c->ra), load3(c->rb) };
    vec8 turned = sub8(b.angular, a.angular);
    return (shift8){ dot8(f->n, relative_linear(arm, a, b)), dot8(f->t1, turned), dot8(f->t2, turned) };
}

// Pushing overlaps apart; taking the speed of pushing out again, with an eye on points that are still apart, or where all of
// them touch.
typedef enum sweep_kind { PUSH, RELAX, RELAX_TOUCHING } sweep_kind;

typedef struct softness8 {
    cn_f8 bias_rate, mass_scale, impulse_scale, most_push;
} softness8;

// A point's impulse as a function of its velocity: max(start - mass * velocity, 0).
typedef struct response_line8 {
    cn_f8 start, mass;
} response_line8;

CN_INLINE response_line8 point_line(const cn_sweep *s, const cn_wide_patch *c, const cn_wide_point *p, shift8 shift, softness8 soft,
                                    sweep_kind kind)
{
    if (kind == RELAX_TOUCHING)
        return (response_line8){ p->impulse, p->mass };
    cn_f8 separation = p->separation + (shift.dn + shift.a1 * p->y - shift.a2 * p->x);
    cn_i8 apart = separation > cn_f8_zero();
    cn_f8 gap = separation * cn_f8_set(s->inverse_h); // may be closed, no faster
    if (kind == RELAX) { // a point that is apart, or may be hit, and does not push is met when the next substep begins
        cn_i8 watched = apart & c->watches_gaps, waits = c->extra != NULL ? watched | c->extra->struck : watched;
        cn_f8 mass = s->unpushed ? p->mass : cn_f8_and(~(waits & (p->impulse <= cn_f8_zero())), p->mass);
        return (response_line8){ p->impulse - mass * cn_f8_and(watched, gap), mass };
    }
    cn_f8 bias = cn_f8_select(apart, gap, cn_f8_max(soft.bias_rate * separation, -soft.most_push));
    cn_f8 mass = p->mass * cn_f8_select(apart, cn_f8_set(1.0f), soft.mass_scale);
    return (response_line8){ p->impulse - cn_f8_and(~apart, soft.impulse_scale) * p->impulse - mass * bias, mass };
}

// The points one after the other. Each sees what those before it did through the coupling of the two, so that the chain from
// point to point is short; the velocity of the patch follows when all are done. Returns the largest change of an impulse.
CN_INLINE cn_f8 solve_points(const cn_sweep *s, cn_wide_patch *c, shift8 shift, softness8 soft, sweep_kind kind, twist8 *v,
                             wrench8 *sum)
{
    static const uint8_t coupling[4][4] = { { 0, 0, 1, 2 }, { 0, 0, 3, 4 }, { 1, 3, 0, 5 }, { 2, 4, 5, 0 } };
    cn_f8 zero = cn_f8_zero(), largest_change = zero, velocity[4];
    response_line8 line[4];
    for (int k = 0; k < 4; k++) {
        cn_wide_point *p = &c->points[k];
        velocity[k] = v->un + v->w1 * p->y - v->w2 * p->x;
        line[k] = point_line(s, c, p, shift, soft, kind);
    }
    for (int k = 0; k < 4; k++) {
        cn_wide_point *p = &c->points[k];
        cn_f8 impulse = cn_f8_max(line[k].start - line[k].mass * velocity[k], zero), d = impulse - p->impulse;
        p->impulse = impulse;
        if (kind != PUSH && s->sums)
            p->total += impulse;
        for (int j = k + 1; j < 4; j++)
            velocity[j] += c->coupling[coupling[k][j]] * d;
        sum->fn += d;
        sum->t1 += p->y * d;
        sum->t2 -= p->x * d;
        if (s->tracks)
            largest_change = cn_f8_max(largest_change, cn_f8_abs(d));
    }
    if (c->extras & CN_EXTRA_ROLLING) { // only rolling resistance asks for the rest
        const cn_f8 *m = c->extra->normal;
        v->un += m[0] * sum->fn + m[1] * sum->t1 + m[2] * sum->t2;
        v->w1 += m[1] * sum->fn + m[3] * sum->t1 + m[4] * sum->t2;
        v->w2 += m[2] * sum->fn + m[4] * sum->t1 + m[5] * sum->t2;
    }
    return largest_change;
}

// Hit events want the approach speed of what does not count as an impact, too: the last one seen while the point has not pushed yet.
CN_INLINE void note_approach(cn_wide_patch *c, const twist8 *v)
{
    for (int k = 0; k < c->point_count; k++) {
        const cn_wide_point *p = &c->points[k];
        cn_i8 untouched = p->total <= cn_f8_zero();
        c->extra->approach[k] = cn_f8_select(untouched, v->un + v->w1 * p->y - v->w2 * p->x, c->extra->approach[k]);
    }
}

CN_INLINE cn_f8 sweep_patch(const cn_sweep *s, cn_wide_patch *c, sweep_kind kind, bool cone, shift8 shift, twist8 v,
                            wrench8 *sum)
{
    softness8 soft = { cn_f8_select(c->on_static, cn_f8_set(s->bias_rate[1]), cn_f8_set(s->bias_rate[0])),
                       cn_f8_select(c->on_static, cn_f8_set(s->mass_scale[1]), cn_f8_set(s->mass_scale[0])),
                       cn_f8_select(c->on_static, cn_f8_set(s->impulse_scale[1]), cn_f8_set(s->impulse_scale[0])),
                       cn_f8_select(c->on_static, cn_f8_set(s->most_push[1]), cn_f8_set(s->most_push[0])) };
    if (kind == PUSH && (c->extras & CN_EXTRA_RESTITUTION))
        note_approach(c, &v);
    cn_f8 change = solve_points(s, c, shift, soft, kind, &v, sum) * (c->inverse_mass_a + c->inverse_mass_b);
    add_normal_coupling(c, &v, sum->fn, sum->t1, sum->t2);
    cn_f8 normal = normal_sum(c);
    if (c->extras & CN_EXTRA_ROLLING)
        solve_rolling(c, &v, sum, normal, c->extra->rolling_impulse);
    solve_twist(c, &v, sum, normal, &c->twist_impulse);
    if (cone) {
        for (int k = 0; k < c->point_count; k++)
            solve_point_friction(c, &c->points[k], c->points[k].impulse, c->extra->point_friction[k], &v, sum);
    } else {
        solve_patch_friction(c, &v, sum, normal, c->friction_impulse);
    }
    if (kind != PUSH && s->sums)
        sum_friction(c, cone);
    return change;
}

CN_INLINE float largest(cn_f8 a)
{
    float m = 0.0f;
    for (int i = 0; i < CN_LANES; i++)
        m = a[i] > m ? a[i] : m;
    return m;
}

// The impulses of this substep will be carried over to the next with the levers they have had so far. This notes by how much
// the bodies' sliding past each other changes their torque, in what the next substep takes for the velocity before contacts.
// Only patches that slide need it.
CN_INLINE void change_before(cn_body_drive *drives, const int32_t index[CN_LANES], vec8 change)
{
    float *rows[CN_LANES];
    cn_f8 angular[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = drives[index[i]].before + 4;
    cn_gather4((const float *const *)rows, angular);
    angular[0] += change.x;
    angular[1] += change.y;
    angular[2] += change.z;
    cn_scatter4(angular, rows);
}

// A row of four floats of the drives, by its place in them.
CN_INLINE vec8 gather_drive_row(const cn_body_drive *drives, const int32_t index[CN_LANES], size_t offset)
{
    const float *rows[CN_LANES];
    cn_f8 columns[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)((const char *)&drives[index[i]] + offset);
    cn_gather4(rows, columns);
    return load3(columns);
}
#define GATHER_DRIVE(drives, index, field) gather_drive_row(drives, index, offsetof(cn_body_drive, field))

// By how much the slide that levers follow has grown in this substep.
CN_INLINE vec8 newly_slid(const cn_sweep *s, const cn_wide_patch *c)
{
    vec8 all = sub8(gather_motion_at(s->states, c->at_b, 2).linear, gather_motion_at(s->states, c->at_a, 2).linear);
    vec8 last = sub8(GATHER_DRIVE(s->drives, c->b, last_move), GATHER_DRIVE(s->drives, c->a, last_move));
    return sub8(follow(c, all), follow(c, sub8(all, last)));
}

CN_INLINE void shift_patch_levers(const cn_sweep *s, const cn_wide_patch *c)
{
    vec8 slid = newly_slid(s, c), share = scale8(c->follows_b, slid);
    wrench8 w = accumulated_wrench(c, s->cone);
    frame8 f = load_frame(c);
    vec8 force = from_frame(&f, w.fn, w.f1, w.f2);
    change_before(s->drives, c->a, sym8(c->inertia_a, cross8(share, force)));
    change_before(s->drives, c->b, sym8(c->inertia_b, cross8(sub8(slid, share), force)));
}

// What a sweep needs to know of the two bodies of each lane.
typedef struct pair8 {
    motion8 a, b;
    frame8 frame;
    levers8 arm;
    shift8 shift;
} pair8;

// Where the patch is one of two balls: their radii, and the centre of b seen from that of a when the step began.
typedef struct balls8 {
    cn_f8 radius_a, radius_b;
    vec8 apart;
} balls8;

CN_INLINE balls8 find_balls(const cn_wide_patch *c, const frame8 *f)
{
    vec8 apart = sub8(load3(c->ra), load3(c->rb));
    return (balls8){ c->extra->ball_radius, dot8(f->n, apart) - c->points[0].separation - c->extra->ball_radius, apart };
}

// Balls that may be hit are met in their impacts (wide_impact.h); the plane between them as it was when the step began does not stop
// them, they push each other only where they overlap.
CN_INLINE cn_f8 shift_of_balls(const cn_wide_patch *c, const frame8 *f, vec8 moved, cn_f8 dn)
{
    balls8 balls = find_balls(c, f);
    vec8 apart = add8(balls.apart, moved);
    cn_f8 gap = cn_f8_sqrt(dot8(apart, apart)) - (balls.radius_a + balls.radius_b);
    gap = cn_f8_select(gap > cn_f8_zero(), cn_f8_set(CN_FAR), gap - c->points[0].separation);
    return cn_f8_select(c->extra->balls & c->extra->struck, gap, dn);
}

CN_INLINE pair8 gather_pair(const cn_sweep *s, const cn_wide_patch *c)
{
    motion8 moved_a = gather_motion_at(s->states, c->at_a, 2), moved_b = gather_motion_at(s->states, c->at_b, 2);
    frame8 f = load_frame(c);
    vec8 moved = sub8(moved_b.linear, moved_a.linear);
    pair8 p = { gather_motion_at(s->states, c->at_a, 0), gather_motion_at(s->states, c->at_b, 0), f, levers(c, moved),
                relative_shift(c, &f, moved_a, moved_b) };
    if (c->extra != NULL && cn_any(c->extra->balls & c->extra->struck))
        p.shift.dn = shift_of_balls(c, &f, moved, p.shift.dn);
    return p;
}

// The same where all points touch and nothing slides: what has moved since the step began does not matter.
CN_INLINE pair8 gather_still_pair(const cn_sweep *s, const cn_wide_patch *c)
{
    return (pair8){ gather_motion_at(s->states, c->at_a, 0),
                    gather_motion_at(s->states, c->at_b, 0),
                    load_frame(c),
                    { load3(c->ra), load3(c->rb) },
                    { cn_f8_zero(), cn_f8_zero(), cn_f8_zero() } };
}

CN_INLINE cn_f8 sweep_pair(const cn_sweep *s, cn_wide_patch *c, sweep_kind kind, bool cone, pair8 p)
{
    wrench8 sum = { 0 };
    cn_f8 change = sweep_patch(s, c, kind, cone, p.shift, relative_twist(&p.frame, p.arm, p.a, p.b), &sum);
    apply_wrench(s->states, c, &p.frame, p.arm, p.a, p.b, sum);
    return change;
}

CN_INLINE float sweep(const cn_sweep *s, cn_wide_patch *wides, int count, bool pushing, bool cone)
{
    cn_f8 change = cn_f8_zero();
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        if (pushing)
            change = cn_f8_max(change, sweep_pair(s, c, PUSH, cone, gather_pair(s, c)));
        else if (!(c->extras & (CN_EXTRA_SLIDING | CN_EXTRA_APART | CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT)))
            change = cn_f8_max(change, sweep_pair(s, c, RELAX_TOUCHING, cone, gather_still_pair(s, c)));
        else {
            if (s->sums && (c->extras & CN_EXTRA_SLIDING))
                shift_patch_levers(s, c);
            change = cn_f8_max(change, sweep_pair(s, c, RELAX, cone, gather_pair(s, c)));
        }
    }
    return largest(change);
}

static float solve(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    return s->cone ? sweep(s, wides, count, true, true) : sweep(s, wides, count, true, false);
}
static float relax(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    return s->cone ? sweep(s, wides, count, false, true) : sweep(s, wides, count, false, false);
}

#endif
