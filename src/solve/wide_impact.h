// Impacts: what happens when bodies meet faster than contact forces work. An impact is an impulse of its own, with restitution and
// friction, resolved when its substep begins. It is no contact force: the solver does not carry it over to the next substep or step.
//
// The points of a patch that close within the substep are hit together. Along the normal they leave with their part of the speed they
// came with (Newton's law; for one pair without friction it is also Poisson's and Moreau's), friction acts within its limit, and the
// whole impulse is shortened, where friction and restitution would gain energy together, to the length at which none is gained. So no
// impact ever adds energy, in whatever order the impacts of an island come; they are repeated until nobody is hit any more.
//
// The bodies meet somewhere within the substep. Its impulse acts at that time: the velocities are taken as they are then, and the bodies
// move as they did until then. A ball thus follows both parabolas exactly.
#ifndef CN_WIDE_IMPACT_H
#define CN_WIDE_IMPACT_H

#include "solve/wide_sweep.h"

CN_INLINE vec8 select3(cn_i8 mask, vec8 yes, vec8 no)
{
    return v8(cn_f8_select(mask, yes.x, no.x), cn_f8_select(mask, yes.y, no.y), cn_f8_select(mask, yes.z, no.z));
}

// Two balls meet where their paths say, and the line of their centres is the normal there; other patches keep theirs. Turns the frame
// and the levers of the pair accordingly, and answers how wide the gap along that normal is, or CN_FAR when they pass.
CN_INLINE cn_f8 meet_balls(const cn_sweep *s, const cn_wide_patch *c, pair8 *pair)
{
    balls8 balls = find_balls(c, &pair->frame);
    vec8 moved = sub8(gather_motion_at(s->states, c->at_b, 2).linear, gather_motion_at(s->states, c->at_a, 2).linear);
    vec8 apart = add8(balls.apart, moved), u = sub8(pair->b.linear, pair->a.linear);
    cn_f8 zero = cn_f8_zero(), reach = balls.radius_a + balls.radius_b;
    cn_f8 closing = -dot8(apart, u), outside = cn_f8_max(dot8(apart, apart) - reach * reach, zero);
    cn_f8 root = closing * closing - dot8(u, u) * outside;
    cn_i8 meet = (closing > zero) & (root > zero);
    cn_f8 time = cn_f8_and(meet, outside * cn_f8_inverse_or_zero(closing + cn_f8_sqrt(cn_f8_max(root, zero))));
    vec8 line = add8(apart, scale8(time, u)), n = scale8(cn_f8_inverse_or_zero(cn_f8_sqrt(dot8(line, line))), line);
    cn_i8 turns = c->extra->balls & meet;
    frame8 f = { n, any_tangent(n), n };
    f.t2 = cross8(f.n, f.t1);
    pair->frame = (frame8){ select3(turns, f.n, pair->frame.n), select3(turns, f.t1, pair->frame.t1), select3(turns, f.t2, pair->frame.t2) };
    pair->arm = (levers8){ select3(turns, scale8(balls.radius_a, n), pair->arm.a), select3(turns, scale8(-balls.radius_b, n), pair->arm.b) };
    return cn_f8_select(meet, -time * dot8(n, u), cn_f8_set(CN_FAR));
}

// Which points of the patch are hit, how fast, and when.
typedef struct hits8 {
    cn_i8 lane;        // some point is hit faster than the threshold
    cn_i8 point[4];    // it closes within the substep
    cn_f8 approach[4]; // normal velocity at the time of the impact
    cn_f8 time;        // since the substep began
    vec8 lag;          // relative velocity that gravity and forces add after it, along the axes of the patch
} hits8;

CN_INLINE hits8 find_hits(const cn_sweep *s, const cn_wide_patch *c, const pair8 *pair, cn_f8 ball_gap, const twist8 *v)
{
    cn_f8 zero = cn_f8_zero(), h = cn_f8_set(s->h), gaps = zero, speeds = zero, velocity[4];
    hits8 hits = { .lane = (cn_i8)zero };
    // What gravity and forces do in a substep is no impact, however strong they are.
    vec8 acceleration = sub8(GATHER_DRIVE(s->drives, c->b, acceleration), GATHER_DRIVE(s->drives, c->a, acceleration));
    cn_f8 pull = dot8(pair->frame.n, acceleration);
    cn_f8 threshold = cn_f8_min(h * pull, zero) - cn_f8_set(s->restitution_speed);
    for (int k = 0; k < c->point_count; k++) {
        const cn_wide_point *p = &c->points[k];
        cn_f8 gap = cn_f8_max(p->separation + (pair->shift.dn + pair->shift.a1 * p->y - pair->shift.a2 * p->x), zero);
        gap = cn_f8_select(c->extra->balls, ball_gap, gap);
        velocity[k] = v->un + v->w1 * p->y - v->w2 * p->x;
        hits.point[k] = (gap + h * velocity[k] < zero) & (p->mass > zero) & c->extra->struck;
        hits.lane |= hits.point[k] & (velocity[k] < threshold);
        gaps += cn_f8_and(hits.point[k], gap);
        speeds -= cn_f8_and(hits.point[k], velocity[k]);
    }
    if (!cn_any(hits.lane))
        return hits;
    hits.time = cn_f8_min(gaps * cn_f8_inverse_or_zero(speeds), h);
    vec8 after = scale8(h - hits.time, acceleration);
    hits.lag = v8(dot8(pair->frame.n, after), dot8(pair->frame.t1, after), dot8(pair->frame.t2, after));
    for (int k = 0; k < c->point_count; k++) {
        hits.point[k] &= hits.lane;
        hits.approach[k] = cn_f8_min(velocity[k] - hits.lag.x, zero);
    }
    return hits;
}

// The impulse of the impact: of the points, and of all together on the bodies.
typedef struct impact8 {
    cn_f8 normal[4], friction[4][2], patch_friction[2], twist, rolling[2];
    wrench8 sum;
} impact8;

CN_INLINE twist8 solve_impact(const cn_wide_patch *c, cn_f8 keep, bool cone, const hits8 *hits, twist8 v, impact8 *out)
{
    enum { INNER_SWEEPS = 8 };
    cn_f8 zero = cn_f8_zero();
    for (int i = 0; i < INNER_SWEEPS; i++) {
        wrench8 before = out->sum;
        cn_f8 normal = zero;
        for (int k = 0; k < c->point_count; k++) {
            const cn_wide_point *p = &c->points[k];
            cn_f8 velocity = v.un + v.w1 * p->y - v.w2 * p->x;
            cn_f8 wanted = cn_f8_max(out->normal[k] - p->mass * (velocity + keep * hits->approach[k]), zero);
            cn_f8 d = cn_f8_and(hits->point[k], wanted - out->normal[k]);
            out->normal[k] += d;
            normal += out->normal[k];
            add_normal_impulse(c, p, d, &v, &out->sum);
        }
        add_normal_coupling(c, &v, out->sum.fn - before.fn, out->sum.t1 - before.t1, out->sum.t2 - before.t2);
        if (c->extras & CN_EXTRA_ROLLING)
            solve_rolling(c, &v, &out->sum, normal, out->rolling);
        solve_twist(c, &v, &out->sum, normal, &out->twist);
        if (cone) {
            for (int k = 0; k < c->point_count; k++)
                solve_point_friction(c, &c->points[k], out->normal[k], out->friction[k], &v, &out->sum);
        } else {
            solve_patch_friction(c, &v, &out->sum, normal, out->patch_friction);
        }
    }
    return v;
}

CN_INLINE cn_f8 work(const wrench8 *w, const twist8 *v)
{
    return w->fn * v->un + w->f1 * v->u1 + w->f2 * v->u2 + w->tn * v->wn + w->t1 * v->w1 + w->t2 * v->w2;
}

CN_INLINE twist8 sub_twist(twist8 a, twist8 b)
{
    return (twist8){ a.un - b.un, a.u1 - b.u1, a.u2 - b.u2, a.wn - b.wn, a.w1 - b.w1, a.w2 - b.w2 };
}

#define LEAST_WORK 1e-30f
#define MOST_PART 4.0f
#define LARGE_IMPULSE 1e12f
#define MADE_SMALL 0x1p-64f

// Parts of an impulse do not depend on its size: one whose work may leave the range of float is made smaller by a power of two.
CN_INLINE wrench8 within_range(const wrench8 *w)
{
    cn_f8 size = cn_f8_abs(w->fn) + cn_f8_abs(w->f1) + cn_f8_abs(w->f2) + cn_f8_abs(w->tn) + cn_f8_abs(w->t1) + cn_f8_abs(w->t2);
    cn_f8 scale = cn_f8_select(size > cn_f8_set(LARGE_IMPULSE), cn_f8_set(MADE_SMALL), cn_f8_set(1.0f));
    return (wrench8){ scale * w->fn, scale * w->f1, scale * w->f2, scale * w->tn, scale * w->t1, scale * w->t2 };
}

// Levers that follow a slide make the change of velocity another one than the impulse was found for; the part of it that makes as much
// is taken. Energy gained by a part x of an impulse is x a + x^2 b / 2, with the work a of the impulse on the velocity before it and b on
// the change that it makes: none up to x = -2 a / b. The belt of a conveyor moves, and does work; seen from it there is none.
CN_INLINE cn_f8 part_to_apply(const cn_wide_patch *c, const wrench8 *impulse, twist8 before, twist8 after, const twist8 *change)
{
    wrench8 w = within_range(impulse);
    twist8 wanted = sub_twist(after, before);
    if (c->extras & CN_EXTRA_SURFACE) {
        before.u1 -= c->extra->surface[0];
        before.u2 -= c->extra->surface[1];
    }
    // An impulse too small to do work is none; one that is wanted many times over was found for levers that have nothing to do with these.
    cn_f8 done = work(&w, change), per_work = cn_f8_inverse_or_zero(cn_f8_and(done > cn_f8_set(LEAST_WORK), done));
    cn_f8 most = cn_f8_min(cn_f8_set(-2.0f) * work(&w, &before) * per_work, cn_f8_set(MOST_PART));
    return cn_f8_max(cn_f8_min(work(&w, &wanted) * per_work, most), cn_f8_zero());
}

// The part of a motion; none where the part is 0, whatever the motion: it may have left the range of float.
CN_INLINE motion8 part_of(cn_f8 part, motion8 m)
{
    cn_i8 some = part != cn_f8_zero();
    vec8 v = scale8(part, m.linear), w = scale8(part, m.angular);
    return (motion8){ { cn_f8_and(some, v.x), cn_f8_and(some, v.y), cn_f8_and(some, v.z) },
                      { cn_f8_and(some, w.x), cn_f8_and(some, w.y), cn_f8_and(some, w.z) } };
}

CN_INLINE void add_to_rows(float *rows[CN_LANES], motion8 change)
{
    cn_f8 columns[4];
    for (int half = 0; half < 2; half++) {
        vec8 d = half == 0 ? change.linear : change.angular;
        cn_gather4((const float *const *)rows, columns);
        columns[0] += d.x;
        columns[1] += d.y;
        columns[2] += d.z;
        cn_scatter4(columns, rows);
        for (int i = 0; i < CN_LANES; i++)
            rows[i] += 4;
    }
}

// Velocities, what the next substep takes for the velocities before contacts, and the way that was made before the impact.
CN_INLINE void strike(const cn_sweep *s, const int32_t index[CN_LANES], cn_i8 hit, motion8 change, cn_f8 time)
{
    float *velocity[CN_LANES], *before[CN_LANES], *moved[CN_LANES];
    for (int i = 0; i < CN_LANES; i++) {
        cn_body_drive *drive = &s->drives[index[i]];
        drive->hit |= hit[i] != 0;
        drive->impact_round = hit[i] != 0 ? s->impact_round : drive->impact_round;
        velocity[i] = s->states[index[i]].linear;
        before[i] = s->drives[index[i]].before;
        moved[i] = s->states[index[i]].moved;
    }
    add_to_rows(velocity, change);
    add_to_rows(before, change);
    add_to_rows(moved, part_of(-time, change));
}

// Totals are those along the axes of the patch, also where two balls meet along others.
CN_INLINE void keep_impact(cn_wide_patch *c, const frame8 *met, const hits8 *hits, const impact8 *impact, cn_f8 part)
{
    cn_i8 some = part > cn_f8_zero();
    frame8 f = load_frame(c);
    vec8 push = from_frame(met, impact->sum.fn, impact->sum.f1, impact->sum.f2);
    c->friction_total[0] += cn_f8_and(some, part * dot8(f.t1, push));
    c->friction_total[1] += cn_f8_and(some, part * dot8(f.t2, push));
    for (int k = 0; k < c->point_count; k++) {
        cn_wide_point *p = &c->points[k];
        cn_i8 first = hits->point[k] & (p->total <= cn_f8_zero());
        c->extra->approach[k] = cn_f8_select(first, hits->approach[k], c->extra->approach[k]);
        cn_f8 along = cn_f8_select(c->extra->balls & hits->point[k], dot8(f.n, push), impact->normal[k]);
        cn_f8 impulse = cn_f8_and(some, part * along);
        p->total += impulse;
        c->extra->impact += impulse;
    }
}

// The bodies have slid on when they meet.
CN_INLINE levers8 levers_then(const cn_sweep *s, const cn_wide_patch *c, const pair8 *pair, cn_f8 time)
{
    vec8 slid = sub8(gather_motion_at(s->states, c->at_b, 2).linear, gather_motion_at(s->states, c->at_a, 2).linear);
    return levers(c, add8(slid, scale8(time, sub8(pair->b.linear, pair->a.linear))));
}

// True when some patch was hit.
CN_INLINE bool impact_patch(const cn_sweep *s, cn_wide_patch *c)
{
    pair8 p = gather_pair(s, c);
    cn_f8 ball_gap = cn_any(c->extra->balls) ? meet_balls(s, c, &p) : cn_f8_zero();
    twist8 v = relative_twist(&p.frame, p.arm, p.a, p.b);
    hits8 hits = find_hits(s, c, &p, ball_gap, &v);
    if (!cn_any(hits.lane))
        return false;
    levers8 then = levers_then(s, c, &p, hits.time);
    p.arm = (levers8){ select3(c->extra->balls, p.arm.a, then.a), select3(c->extra->balls, p.arm.b, then.b) };
    v = relative_twist(&p.frame, p.arm, p.a, p.b);
    v.un -= hits.lag.x;
    v.u1 -= hits.lag.y;
    v.u2 -= hits.lag.z;
    impact8 impact = { 0 };
    cn_f8 restitution = s->bounces ? c->extra->restitution : cn_f8_zero();
    twist8 after = s->cone ? solve_impact(c, restitution, true, &hits, v, &impact) : solve_impact(c, restitution, false, &hits, v, &impact);
    response8 r = respond(c, &p.frame, p.arm, impact.sum);
    motion8 change_a = part_of(cn_f8_set(-1.0f), r.a);
    twist8 change = relative_twist(&p.frame, p.arm, change_a, r.b);
    cn_f8 part = part_to_apply(c, &impact.sum, v, after, &change);
    keep_impact(c, &p.frame, &hits, &impact, part);
    strike(s, c->a, hits.lane, part_of(part, change_a), hits.time);
    strike(s, c->b, hits.lane, part_of(part, r.b), hits.time);
    return true;
}

// Bodies that move as they did when the patch was last looked at do not meet now either.
CN_INLINE bool was_hit(const cn_sweep *s, const cn_wide_patch *c)
{
    bool hit = false;
    for (int i = 0; i < CN_LANES; i++)
        hit |= s->drives[c->a[i]].impact_round + 1 >= s->impact_round || s->drives[c->b[i]].impact_round + 1 >= s->impact_round;
    return hit;
}

static float impact(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    bool any = false;
    for (cn_wide_patch *c = wides; c < wides + count; c++)
        if ((c->extras & (CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT)) && (s->all_impacts || was_hit(s, c)))
            any |= impact_patch(s, c);
    return any ? 1.0f : 0.0f;
}

#endif
