// The passes over patches besides the sweep: warm starting, sliding levers, mass splitting, totals.
#ifndef CN_WIDE_PASSES_H
#define CN_WIDE_PASSES_H

#include "solve/wide_sweep.h"

// When the step begins and nothing has moved yet.
static float warm_start(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        frame8 f = load_frame(c);
        apply_wrench(s->states, c, &f, (levers8){ load3(c->ra), load3(c->rb) }, gather_motion(s->states, c->a, 0),
                     gather_motion(s->states, c->b, 0), accumulated_wrench(c, s->cone));
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
    (void)s;
    for (cn_wide_patch *c = wides; c < wides + count; c++)
        for (int k = 0; k < 4; k++)
            c->points[k].total += c->points[k].impulse;
    return 0.0f;
}

#endif
