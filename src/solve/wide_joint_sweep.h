// The passes over joints.
#ifndef CN_WIDE_JOINT_SWEEP_H
#define CN_WIDE_JOINT_SWEEP_H

#include "solve/wide_joint_follow.h"

// ---- one joint

// The part of a substep's impulses that acted halfway: what was answered before the sweep, and what the sweep adds.
CN_INLINE void note_relaxed(const cn_sweep *s, cn_wide_joint *c, int count, joint_part part, const cn_f8 *sum)
{
    bool second = part == ALL_OF_JOINT && s->direct_joints && c->direct;
    for (int i = 0; i < count; i++)
        c->relaxed[i] = second ? c->relaxed[i] + sum[i] : sum[i];
}

CN_INLINE void accumulated_impulse(const cn_wide_joint *c, cn_f8 impulse[6])
{
    for (int i = 0; i < 6; i++) {
        impulse[i] = c->impulse[i];
        for (int n = 0; n < c->row_count; n++)
            impulse[i] += c->rows[n].wrench[i] * c->rows[n].impulse;
        for (int k = 0; c->cone != NULL && k < 2; k++)
            impulse[i] += c->cone->wrench[k][i] * c->cone->impulse[k];
    }
}

// A cone's coordinate is k times its half angle where the swing was when the step began, with k^2 = (y / a_y)^2 + (z / a_z)^2.
// Returns the lanes whose axis has changed direction.
CN_INLINE cn_i8 follow_cone(const cn_wide_joint *c, cn_wide_row *r)
{
    cn_f8 y = c->turn[1], z = c->turn[2], yy = r->cone[0] * y, zz = r->cone[1] * z, k = cn_f8_sqrt(yy * y + zz * z);
    cn_i8 far = r->cones & (k > cn_f8_set(1e-3f));
    cn_f8 scale = r->upper * cn_f8_inverse_or_zero(k), along_y = scale * yy, along_z = scale * zz;
    cn_f8 dy = along_y - r->axis[4], dz = along_z - r->axis[5];
    r->now = cn_f8_select(r->cones, r->upper * k, r->now);
    cn_i8 changed = far & (dy * dy + dz * dz > cn_f8_set(0.01f));
    r->axis[4] = cn_f8_select(changed, along_y, r->axis[4]);
    r->axis[5] = cn_f8_select(changed, along_z, r->axis[5]);
    return changed;
}

// Where the joint is becomes where the next substep begins.
CN_INLINE void advance(const cn_sweep *s, cn_wide_joint *c, const after8 *after, const ends8 *ends, cn_i8 away)
{
    for (int i = 0; i < 3; i++) {
        store3(c->axes[i], after->posture.axes[i]);
        store3(c->turn_axes[i], after->turn.axes[i]);
        c->turn[i] = after->turn.angle[i];
    }
    store3(c->lever_a, after->posture.lever_a);
    store3(c->lever_b, after->posture.lever_b);
    for (int i = 0; i < 6; i++)
        c->change[i] = after->change[i];
    cn_i8 turned = has_turned(c, ends) | away;
    for (int n = 0; n < c->row_count; n++) {
        cn_wide_row *r = &c->rows[n];
        r->now = r->place + dot6(r->axis, c->change);
        r->rest += cn_f8_and(r->firm, cn_f8_set(s->h) * r->speed);
        if (cn_any(r->cones))
            turned |= follow_cone(c, r);
    }
    if (cn_any(turned)) {
        note_turned(c, ends, c->follows ? turned & ~followed_lanes(s, c) : turned);
        hold_general(c, &after->posture, turned);
    }
}

// The next substep begins without what these lanes did: carried over to where the joint is now, it would be a blow.
CN_APART void let_go_of_joint(const cn_sweep *s, cn_wide_joint *c, cn_i8 lanes)
{
    for (int i = 0; i < 6; i++)
        c->impulse[i] = cn_f8_and(~lanes, c->impulse[i]);
    for (int n = 0; n < c->row_count; n++)
        c->rows[n].impulse = cn_f8_and(~lanes, c->rows[n].impulse);
    for (int k = 0; c->cone != NULL && k < 2; k++)
        c->cone->impulse[k] = cn_f8_and(~lanes, c->cone->impulse[k]);
    if (c->torque == NULL)
        return;
    vec8 torque = torque_impulse(c->torque);
    torque = v8(cn_f8_and(lanes, torque.x), cn_f8_and(lanes, torque.y), cn_f8_and(lanes, torque.z));
    change_before(s->drives, c->a, scale8(cn_f8_set(-1.0f), sym8(c->inertia_a, torque)));
    change_before(s->drives, c->b, sym8(c->inertia_b, torque));
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++)
        for (int k = 0; k < 3; k++)
            c->torque->bounds[kind].impulse[k] = cn_f8_and(~lanes, c->torque->bounds[kind].impulse[k]);
}

// At the end of a substep: what b felt is added up, and what the new axes and levers change in what is carried over is noted.
CN_INLINE void end_substep(const cn_sweep *s, cn_wide_joint *c, const posture8 *now, const posture8 *mid, const after8 *after,
                           const ends8 *ends, cn_i8 away)
{
    cn_f8 impulse[6], pushed[6];
    accumulated_impulse(c, impulse);
    for (int i = 0; i < 6; i++)
        pushed[i] = impulse[i] - c->relaxed[i];
    for (int n = 0; n < c->row_count; n++)
        c->rows[n].total += c->rows[n].impulse;
    for (int k = 0; c->cone != NULL && k < 2; k++)
        c->cone->total[k] += c->cone->impulse[k];
    if (c->torque != NULL) {
        const quat8 turn_a = ends->turn_a, turn_b = ends->turn_b;
        end_torque(s, c, &turn_a, &turn_b);
    }
    if (cn_any(away))
        let_go_of_joint(s, c, away);
    advance(s, c, after, ends, away);
    accumulated_impulse(c, impulse);
    const posture8 *then = &after->posture;
    pull8 early = to_world(c, now, pushed), late = to_world(c, mid, c->relaxed), next = to_world(c, then, impulse);
    store3(c->total, add8(load3(c->total), add8(early.force, late.force)));
    store3(c->total + 3, add8(load3(c->total + 3), add8(early.torque, late.torque)));
    bodies8 more = pull_response(c, then->lever_a, then->lever_b, next);
    bodies8 first = pull_response(c, now->lever_a, now->lever_b, early);
    bodies8 second = pull_response(c, mid->lever_a, mid->lever_b, late);
    more.a = sub_motion(more.a, add_motion(first.a, second.a));
    more.b = sub_motion(more.b, add_motion(first.b, second.b));
    carry_difference(s, c, &more);
}

// Works on copies, so that joints without such a torque, which are most, keep theirs in registers.
CN_INLINE void pass_torque(cn_wide_joint *c, const posture8 *at, joint_pass pass, joint_part part, bodies8 *v)
{
    bodies8 own = *v;
    const posture8 here = *at;
    if (part == LOCK_RESIDUAL)
        torque_lack(c, pass == JOINT_RELAX, &own);
    else if (part == LOCK_ANSWER)
        turn_bodies(c, load3(c->torque->change), &own);
    else
        solve_torque(c, &here, pass == JOINT_RELAX, &own);
    *v = own;
}

CN_INLINE void pass_general(const cn_sweep *s, cn_wide_joint *c, joint_pass pass, joint_part part)
{
    posture8 now = posture_now(c), at = now;
    after8 after;
    ends8 ends;
    cn_i8 away = { 0 };
    cn_f8 rates[6], sum[6], residual[6], d[6];
    for (int i = 0; i < 6; i++)
        sum[i] = cn_f8_zero();
    if (pass == JOINT_RELAX) {
        ends = find_ends(s, c);
        after = find_after(c, &ends);
        at = halfway(&now, &after.posture);
        away = is_elsewhere(c, &ends);
        if (cn_any(away)) {
            at.lever_a = choose8(away, now.lever_a, at.lever_a);
            at.lever_b = choose8(away, now.lever_b, at.lever_b);
            for (int i = 0; i < 3; i++) {
                at.axes[i] = choose8(away, now.axes[i], at.axes[i]);
                at.turn[i] = choose8(away, now.turn[i], at.turn[i]);
            }
        }
    }
    bodies8 v = gather_bodies(s, c);
    if (c->torque != NULL)
        pass_torque(c, &at, pass, part, &v);
    find_rates(c, &at, &v, rates);
    if (part == LOCK_RESIDUAL) {
        lock_residual(s, c, pass, rates, c->residual);
        for (int i = 0; i < 6; i++)
            c->residual[i] = cn_f8_select(c->locked[i] > cn_f8_zero(), c->residual[i], rates[i]);
        for (int n = 0; pass == JOINT_RELAX && n < c->row_count; n++)
            c->rows[n].after = c->rows[n].place + dot6(c->rows[n].axis, after.change);
        if (c->cone != NULL)
            aim_cone(s, c->cone, c->pull, pass == JOINT_RELAX ? after.turn.angle + 1 : c->turn + 1, pass == JOINT_PUSH, rates);
        return;
    }
    if (part == ALL_OF_JOINT) {
        if (pass == JOINT_RELAX && c->follows)
            hold_halfway(s, c, &ends, &at);
        solve_rows(s, c, pass == JOINT_RELAX ? after.change : c->change, pass, rates, sum);
        if (c->cone != NULL)
            solve_cone(s, c->cone, c->pull, pass == JOINT_RELAX ? after.turn.angle + 1 : c->turn + 1, pass == JOINT_PUSH, rates,
                       sum);
        lock_residual(s, c, pass, rates, residual);
        sweep_locks(c, 6, pass, residual, d);
    }
    for (int i = 0; i < 6; i++) {
        if (part == ALL_OF_JOINT)
            c->impulse[i] += d[i];
        sum[i] += part == LOCK_ANSWER ? c->answer[i] : d[i];
    }
    pull_bodies(c, &at, sum, &v);
    scatter_bodies(s, c, &v);
    if (pass == JOINT_PUSH)
        return;
    note_relaxed(s, c, 6, part, sum);
    if (part == ALL_OF_JOINT)
        end_substep(s, c, &now, &at, &after, &ends, away);
}

// ---- balls: the same along the world's axes, without rows

CN_INLINE vec8 ball_rates(vec8 lever_a, vec8 lever_b, const bodies8 *v)
{
    return relative_linear((levers8){ lever_a, lever_b }, v->a, v->b);
}

CN_INLINE void pull_ball(const cn_wide_joint *c, vec8 lever_a, vec8 lever_b, vec8 force, bodies8 *v)
{
    v->a = (motion8){ sub8(v->a.linear, mul8(load3(c->inverse_mass_a), force)),
                      sub8(v->a.angular, sym8(c->inertia_a, cross8(lever_a, force))) };
    v->b = (motion8){ add8(v->b.linear, mul8(load3(c->inverse_mass_b), force)),
                      add8(v->b.angular, sym8(c->inertia_b, cross8(lever_b, force))) };
}

CN_INLINE vec8 mask8(cn_i8 mask, vec8 v) { return v8(cn_f8_and(mask, v.x), cn_f8_and(mask, v.y), cn_f8_and(mask, v.z)); }

// What the joint did at its levers now, and halfway, is taken out of what is carried over.
CN_APART void let_go_of_ball(const cn_sweep *s, cn_wide_joint *c, cn_i8 lanes, vec8 mid_a, vec8 mid_b, vec8 pushed,
                             vec8 relaxed)
{
    bodies8 did = { 0 };
    pull_ball(c, load3(c->lever_a), load3(c->lever_b), mask8(lanes, pushed), &did);
    pull_ball(c, mid_a, mid_b, mask8(lanes, relaxed), &did);
    did.b = sub_motion((motion8){ 0 }, did.b);
    carry_difference(s, c, &did);
    store3(c->impulse, mask8(~lanes, load3(c->impulse)));
}

CN_INLINE void end_ball(const cn_sweep *s, cn_wide_joint *c, const ends8 *e, vec8 mid_a, vec8 mid_b, vec8 relaxed, cn_i8 away)
{
    vec8 force = load3(c->impulse), pushed = sub8(force, relaxed);
    vec8 lever_a = lever_of_a(c, e->arm_a, e->gap), lever_b = lever_of_b(c, e->arm_b, e->gap);
    store3(c->total, add8(load3(c->total), force));
    if (cn_any(away)) {
        let_go_of_ball(s, c, away, mid_a, mid_b, pushed, relaxed);
        pushed = mask8(~away, pushed);
        relaxed = mask8(~away, relaxed);
    }
    vec8 more_a = add8(cross8(sub8(lever_a, load3(c->lever_a)), pushed), cross8(sub8(lever_a, mid_a), relaxed));
    vec8 more_b = add8(cross8(sub8(lever_b, load3(c->lever_b)), pushed), cross8(sub8(lever_b, mid_b), relaxed));
    change_before(s->drives, c->a, sym8(c->inertia_a, more_a));
    change_before(s->drives, c->b, scale8(cn_f8_set(-1.0f), sym8(c->inertia_b, more_b)));
    store3(c->gap_now, e->gap);
    store3(c->lever_a, lever_a);
    store3(c->lever_b, lever_b);
    cn_i8 turned = has_turned(c, e) | away;
    if (cn_any(turned)) {
        note_turned(c, e, c->follows ? turned & ~followed_lanes(s, c) : turned);
        hold_ball(c, lever_a, lever_b, turned);
    }
}

CN_INLINE void pass_ball(const cn_sweep *s, cn_wide_joint *c, joint_pass pass, joint_part part)
{
    vec8 lever_a = load3(c->lever_a), lever_b = load3(c->lever_b);
    ends8 e;
    cn_i8 away = { 0 };
    if (pass == JOINT_RELAX) {
        e = find_ends(s, c);
        away = is_elsewhere(c, &e);
        lever_a = choose8(away, lever_a, middle(lever_a, lever_of_a(c, e.arm_a, e.gap)));
        lever_b = choose8(away, lever_b, middle(lever_b, lever_of_b(c, e.arm_b, e.gap)));
    }
    bodies8 v = gather_bodies(s, c);
    vec8 rates = ball_rates(lever_a, lever_b, &v);
    cn_f8 residual[3] = { rates.x, rates.y, rates.z }, d[3];
    for (int i = 0; pass == JOINT_PUSH && i < 3; i++)
        residual[i] = c->drag * residual[i] + lock_error_rate(s, c, c->gap_now[i], c->slack);
    if (part == LOCK_RESIDUAL) {
        store3(c->residual, load3(residual));
        return;
    }
    if (part == ALL_OF_JOINT && pass == JOINT_RELAX && c->follows)
        hold_halfway(s, c, &e, &(posture8){ .lever_a = lever_a, .lever_b = lever_b });
    if (part == ALL_OF_JOINT)
        sweep_locks(c, 3, pass, residual, d);
    for (int i = 0; i < 3; i++) {
        if (part == LOCK_ANSWER)
            d[i] = c->answer[i];
        else
            c->impulse[i] += d[i];
    }
    pull_ball(c, lever_a, lever_b, load3(d), &v);
    scatter_bodies(s, c, &v);
    if (pass == JOINT_PUSH)
        return;
    if (s->direct_joints && c->direct)
        note_relaxed(s, c, 3, part, d);
    if (part == ALL_OF_JOINT)
        end_ball(s, c, &e, lever_a, lever_b, s->direct_joints && c->direct ? load3(c->relaxed) : load3(d), away);
}

// ---- couplings: one coordinate along a Jacobian that stays as it was when the step began

CN_INLINE void pull_coupling(const cn_wide_joint *c, cn_f8 impulse, bodies8 *v)
{
    motion8 a = coupling_response(c->jacobian_a, c->inverse_mass_a, c->inertia_a),
            b = coupling_response(c->jacobian_b, c->inverse_mass_b, c->inertia_b);
    v->a = add_motion(v->a, (motion8){ scale8(impulse, a.linear), scale8(impulse, a.angular) });
    v->b = add_motion(v->b, (motion8){ scale8(impulse, b.linear), scale8(impulse, b.angular) });
}

CN_INLINE void pass_coupling(const cn_sweep *s, cn_wide_joint *c, joint_pass pass, joint_part part)
{
    bodies8 v = gather_bodies(s, c);
    if (c->follows)
        hold_coupling(c);
    cn_f8 rate = along_jacobian(c->jacobian_a, v.a) + along_jacobian(c->jacobian_b, v.b), sum = cn_f8_zero();
    cn_f8 change = c->change[0];
    if (pass == JOINT_RELAX)
        change = along_jacobian(c->jacobian_a, gather_motion(s->states, c->a, 2)) +
                 along_jacobian(c->jacobian_b, gather_motion(s->states, c->b, 2));
    for (int n = 0; part == ALL_OF_JOINT && n < c->row_count; n++) {
        cn_wide_row *r = &c->rows[n];
        cn_f8 d = solve_row(s, r, rate, r->place + change, pass);
        rate += d * cn_f8_inverse_or_zero(r->mass);
        sum += d;
    }
    cn_f8 residual = rate, d = c->answer[0];
    if (pass == JOINT_PUSH)
        residual = c->drag * rate + lock_error_rate(s, c, c->place[0] + c->change[0], c->slack);
    if (part == LOCK_RESIDUAL) {
        c->residual[0] = cn_f8_select(c->locked[0] > cn_f8_zero(), residual, rate);
        for (int n = 0; n < c->row_count; n++)
            c->rows[n].after = c->rows[n].place + change;
        return;
    }
    if (part == ALL_OF_JOINT) {
        sweep_locks(c, 1, pass, &residual, &d);
        c->impulse[0] += d;
    }
    pull_coupling(c, sum + d, &v);
    scatter_bodies(s, c, &v);
    if (pass == JOINT_PUSH || part != ALL_OF_JOINT)
        return;
    c->change[0] = change;
    c->total[0] += c->impulse[0];
    for (int n = 0; n < c->row_count; n++) {
        cn_wide_row *r = &c->rows[n];
        r->total += r->impulse;
        c->total[0] += r->impulse;
        r->now = r->place + change;
        r->rest += cn_f8_and(r->firm, cn_f8_set(s->h) * r->speed);
    }
}

// ---- the kernels

CN_INLINE void joint_sweep(const cn_sweep *s, cn_wide_joint *wides, int count, joint_pass pass, joint_part part)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++) {
        if (c->joint_class == CN_CLASS_BALL)
            pass_ball(s, c, pass, part);
        else if (c->joint_class == CN_CLASS_GENERAL)
            pass_general(s, c, pass, part);
        else
            pass_coupling(s, c, pass, part);
    }
}

// Direct solves take most of their time elsewhere: one copy of the code does for all of their passes.
CN_APART void direct_sweep(const cn_sweep *s, cn_wide_joint *wides, int count, joint_pass pass, joint_part part)
{
    for (cn_wide_joint *c = wides; c < wides + count; c++)
        if (c->direct)
            joint_sweep(s, c, 1, pass, part);
}

static void joint_push(const cn_sweep *s, cn_wide_joint *w, int n) { joint_sweep(s, w, n, JOINT_PUSH, ALL_OF_JOINT); }
static void joint_relax(const cn_sweep *s, cn_wide_joint *w, int n) { joint_sweep(s, w, n, JOINT_RELAX, ALL_OF_JOINT); }
static void joint_push_residual(const cn_sweep *s, cn_wide_joint *w, int n)
{
    direct_sweep(s, w, n, JOINT_PUSH, LOCK_RESIDUAL);
}
static void joint_relax_residual(const cn_sweep *s, cn_wide_joint *w, int n)
{
    direct_sweep(s, w, n, JOINT_RELAX, LOCK_RESIDUAL);
}
static void joint_push_answer(const cn_sweep *s, cn_wide_joint *w, int n) { direct_sweep(s, w, n, JOINT_PUSH, LOCK_ANSWER); }
static void joint_relax_answer(const cn_sweep *s, cn_wide_joint *w, int n) { direct_sweep(s, w, n, JOINT_RELAX, LOCK_ANSWER); }

#endif
