// The passes over patches besides the sweep: warm starting, sliding levers, mass splitting, totals.
#ifndef CN_WIDE_PASSES_H
#define CN_WIDE_PASSES_H

#include "solve/wide_bodies.h"
#include "solve/wide_sweep.h"

CN_INLINE void forget_impulses(const cn_sweep *s, cn_wide_patch *c, cn_i8 lanes)
{
    for (int k = 0; k < 4; k++) {
        c->points[k].impulse = cn_f8_and(~lanes, c->points[k].impulse);
        for (int d = 0; s->cone && d < 2; d++)
            c->extra->point_friction[k][d] = cn_f8_and(~lanes, c->extra->point_friction[k][d]);
    }
    c->twist_impulse = cn_f8_and(~lanes, c->twist_impulse);
    for (int d = 0; d < 2; d++) {
        c->friction_impulse[d] = cn_f8_and(~lanes, c->friction_impulse[d]);
        if (c->extras & CN_EXTRA_ROLLING)
            c->extra->rolling_impulse[d] = cn_f8_and(~lanes, c->extra->rolling_impulse[d]);
    }
}

// When the step begins and nothing has moved yet.
static float warm_start(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        frame8 f = load_frame(c);
        apply_wrench(s->states, c, &f, (levers8){ load3(c->ra), load3(c->rb) }, gather_motion_at(s->states, c->at_a, 0),
                     gather_motion_at(s->states, c->at_b, 0), accumulated_wrench(c, s->cone));
    }
    return 0.0f;
}

static float turn_surfaces(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++)
        for (int d = 0; (c->extras & CN_EXTRA_SURFACE) && d < 2; d++)
            c->extra->surface[d] += cn_f8_set(s->h) * c->extra->surface_rate[d];
    return 0.0f;
}

static float let_go(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        cn_i8 thrown;
        if (!s->first && (c->extra == NULL || !cn_any(c->extra->struck)))
            continue;
        for (int i = 0; i < CN_LANES; i++)
            thrown[i] = is_thrown(s, c->a[i]) || is_thrown(s, c->b[i]) ? -1 : 0;
        if (!s->first) // the others are not looked after, or they would depend on who shares a unit with them
            thrown &= c->extra->struck;
        if (!cn_any(thrown))
            continue;
        pair8 p = gather_pair(s, c);
        wrench8 w = accumulated_wrench(c, s->cone), back = { cn_f8_and(thrown, -w.fn), cn_f8_and(thrown, -w.f1), cn_f8_and(thrown, -w.f2),
                                                             cn_f8_and(thrown, -w.tn), cn_f8_and(thrown, -w.t1), cn_f8_and(thrown, -w.t2) };
        apply_wrench(s->states, c, &p.frame, p.arm, p.a, p.b, back);
        forget_impulses(s, c, thrown);
    }
    return 0.0f;
}

// Relaxing does this by itself where patches are solved colour by colour.
static float shift_levers(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++)
        if (c->extras & CN_EXTRA_SLIDING)
            shift_patch_levers(s, c);
    return 0.0f;
}

// Mass splitting: all patches start from the same velocities; what each adds to its bodies is written down, and summed per body
// afterwards in a fixed order.
CN_INLINE void write_deltas(motion8 d, float (*rows)[8])
{
    float *row[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        row[i] = rows[2 * i];
    scatter_motion(d, row);
}

CN_INLINE float split_sweep(const cn_sweep *s, cn_wide_patch *wides, int count, sweep_kind kind)
{
    cn_f8 change = cn_f8_zero(), minus = cn_f8_set(-1.0f);
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        pair8 p = gather_pair(s, c);
        wrench8 sum = { 0 };
        change = cn_f8_max(change, sweep_patch(s, c, kind, s->cone, p.shift, relative_twist(&p.frame, p.arm, p.a, p.b), &sum));
        response8 r = respond(c, &p.frame, p.arm, sum);
        float(*rows)[8] = s->deltas + 2 * CN_LANES * (c - s->wides);
        write_deltas((motion8){ scale8(minus, r.a.linear), scale8(minus, r.a.angular) }, rows);
        write_deltas(r.b, rows + 1);
    }
    return largest(change);
}
static float split_solve(const cn_sweep *s, cn_wide_patch *wides, int count) { return split_sweep(s, wides, count, PUSH); }
static float split_relax(const cn_sweep *s, cn_wide_patch *wides, int count) { return split_sweep(s, wides, count, RELAX); }

static float sum_impulses(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        for (int k = 0; k < 4; k++)
            c->points[k].total += c->points[k].impulse;
        sum_friction(c, s->cone);
    }
    return 0.0f;
}

#endif
