// The passes over joints besides the sweep: impacts, warm starting, totals.
#ifndef CN_WIDE_JOINT_PASSES_H
#define CN_WIDE_JOINT_PASSES_H

#include "solve/wide_joint_sweep.h"

// ---- impacts

// Joints of bodies that were hit answer at once: what their locks lack is taken out of the velocities, which takes energy and
// never gives any. That is part of the impact, and not carried over.
CN_INLINE cn_i8 spread_shake(const cn_sweep *s, const cn_wide_joint *c)
{
    cn_i8 mask;
    for (int i = 0; i < CN_LANES; i++) {
        uint16_t *a = &s->drives[c->a[i]].impact_round, *b = &s->drives[c->b[i]].impact_round;
        bool shaken = *a == s->impact_round || *b == s->impact_round;
        if (shaken)
            *a = *b = s->impact_round;
        mask[i] = shaken ? -1 : 0;
    }
    return mask;
}

// Lanes in which the impulses took energy: a joint that has turned far since its masses were known may push too hard, or leave
// the range of float.
CN_INLINE cn_i8 took_energy(int count, const cn_f8 *impulse, const cn_f8 *before, const cn_f8 *after)
{
    cn_f8 work = cn_f8_zero(), sum = cn_f8_zero();
    for (int i = 0; i < count; i++) {
        work += impulse[i] * (before[i] + after[i]);
        sum += cn_f8_abs(after[i]);
    }
    return (work <= cn_f8_zero()) & (sum < cn_f8_set(CN_ROW_FAR));
}

CN_INLINE motion8 choose_motion(cn_i8 mask, motion8 yes, motion8 no)
{
    return (motion8){ choose8(mask, yes.linear, no.linear), choose8(mask, yes.angular, no.angular) };
}

static void joint_shake(const cn_sweep *s, cn_wide_joint *wides, int count)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        cn_i8 mask = spread_shake(s, c);
        if (!cn_any(mask) || c->joint_class == CN_CLASS_COUPLING)
            continue;
        posture8 now = posture_now(c);
        bodies8 v = gather_bodies(s, c), tried = v;
        cn_f8 rates[6], after[6], d[6];
        if (c->joint_class == CN_CLASS_BALL) {
            store3(rates, ball_rates(now.lever_a, now.lever_b, &v));
            hold_locks(c, 3, rates, d);
            pull_ball(c, now.lever_a, now.lever_b, load3(d), &tried);
            store3(after, ball_rates(now.lever_a, now.lever_b, &tried));
            mask &= took_energy(3, d, rates, after);
            store3(c->total, add8(load3(c->total), mask8(mask, load3(d))));
        } else {
            find_rates(c, &now, &v, rates);
            hold_locks(c, 6, rates, d);
            pull_bodies(c, &now, d, &tried);
            find_rates(c, &now, &tried, after);
            mask &= took_energy(6, d, rates, after);
            for (int i = 0; i < 6; i++)
                d[i] = cn_f8_and(mask, d[i]);
            pull8 w = to_world(c, &now, d);
            store3(c->total, add8(load3(c->total), w.force));
            store3(c->total + 3, add8(load3(c->total + 3), w.torque));
        }
        v.a = choose_motion(mask, tried.a, v.a);
        v.b = choose_motion(mask, tried.b, v.b);
        scatter_bodies(s, c, &v);
    }
}

// ---- carrying over

CN_INLINE bodies8 warm_started(const cn_wide_joint *c, bodies8 v)
{
    if (c->joint_class == CN_CLASS_BALL) {
        pull_ball(c, load3(c->lever_a), load3(c->lever_b), load3(c->impulse), &v);
    } else if (c->joint_class == CN_CLASS_GENERAL) {
        posture8 now = posture_now(c);
        cn_f8 impulse[6];
        accumulated_impulse(c, impulse);
        pull_bodies(c, &now, impulse, &v);
        if (c->torque != NULL)
            turn_bodies(c, torque_impulse(c->torque), &v);
    } else {
        cn_f8 impulse = c->impulse[0];
        for (int n = 0; n < c->row_count; n++)
            impulse += c->rows[n].impulse;
        pull_coupling(c, impulse, &v);
    }
    return v;
}

// What the joints carried in the last step, when this one begins.
static void joint_warm_start(const cn_sweep *s, cn_wide_joint *wides, int count)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        bodies8 v = warm_started(c, gather_bodies(s, c));
        scatter_bodies(s, c, &v);
    }
}

// What they carried in the last substep, for the bodies whose inertia has followed them since; the others have it already.
static void joint_warm_followed(const cn_sweep *s, cn_wide_joint *wides, int count)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        if (!c->follows)
            continue;
        bodies8 is = gather_bodies(s, c), v = warm_started(c, is);
        v.a = choose_motion(which_follow(s, c->a), v.a, is.a);
        v.b = choose_motion(which_follow(s, c->b), v.b, is.b);
        scatter_bodies(s, c, &v);
    }
}

// For solvers that do not relax: what b felt.
static void joint_sum(const cn_sweep *s, cn_wide_joint *wides, int count)
{
    (void)s;
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        if (c->joint_class == CN_CLASS_GENERAL) {
            posture8 now = posture_now(c);
            cn_f8 impulse[6];
            accumulated_impulse(c, impulse);
            pull8 w = to_world(c, &now, impulse);
            store3(c->total, w.force);
            store3(c->total + 3, w.torque);
            if (c->torque != NULL)
                sum_torque(c);
        } else {
            for (int i = 0; i < 3; i++)
                c->total[i] = c->impulse[i];
            for (int n = 0; n < c->row_count; n++)
                c->total[0] += c->rows[n].impulse;
        }
        for (int n = 0; n < c->row_count; n++)
            c->rows[n].total = c->rows[n].impulse;
        for (int k = 0; c->joint_class == CN_CLASS_GENERAL && c->cone != NULL && k < 2; k++)
            c->cone->total[k] = c->cone->impulse[k];
    }
}

#endif
