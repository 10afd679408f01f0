// How the rows and locks of a joint push: from the rates of its degrees of freedom to impulses.
#ifndef CN_WIDE_JOINT_LAWS_H
#define CN_WIDE_JOINT_LAWS_H

#include "solve/wide_joint_cone.h"
#include "solve/wide_joint_prepare.h"

// Pushing removes errors, relaxing takes the speed of that out again. Where the locks of a unit are solved all at once, what
// they still lack is asked for, and the answer applied, before the joint is swept as all others are.
typedef enum joint_pass { JOINT_PUSH, JOINT_RELAX } joint_pass;
typedef enum joint_part { ALL_OF_JOINT, LOCK_RESIDUAL, LOCK_ANSWER } joint_part;

// ---- rows

CN_INLINE cn_f8 stop_impulse(const cn_sweep *s, const cn_wide_row *r, cn_f8 rate, cn_f8 after, joint_pass pass)
{
    cn_f8 zero = cn_f8_zero(), rigid = r->impulse - r->mass * rate, soft = r->drag * rigid, inverse_h = cn_f8_set(s->inverse_h);
    cn_f8 slowest = cn_f8_select(r->firm, cn_f8_set(-s->joint_speed), cn_f8_set(-CN_ROW_FAR));
    cn_f8 below = r->now - r->lower, above = r->upper - r->now; // room left, negative beyond the stop
    cn_i8 under = below < zero, over = above < zero;
    cn_f8 room_below = below, room_above = above;
    // One that gives way acts from the substep in which it will be passed; until then there is nothing to push against.
    cn_f8 ahead = pass == JOINT_PUSH ? r->now + cn_f8_set(s->h) * rate : after;
    under |= ~r->firm & ((ahead < r->lower) | (r->impulse > zero));
    over |= ~r->firm & ((ahead > r->upper) | (r->impulse < zero));
    if (pass == JOINT_RELAX) {
        under &= ~r->firm;
        over &= ~r->firm;
        room_below = cn_f8_max(after - r->lower, zero);
        room_above = cn_f8_max(r->upper - after, zero);
    }
    cn_f8 early_up = cn_f8_and(r->firm, rigid - r->mass * (room_below * inverse_h));
    cn_f8 early_down = cn_f8_and(r->firm, rigid + r->mass * (room_above * inverse_h));
    cn_f8 up = cn_f8_select(under, soft - r->mass * cn_f8_max(r->pull * below, slowest), early_up);
    cn_f8 down = cn_f8_select(over, soft + r->mass * cn_f8_max(r->pull * above, slowest), early_down);
    return cn_f8_max(up, zero) + cn_f8_min(down, zero);
}

// Returns the change of the row's impulse.
CN_INLINE cn_f8 solve_row(const cn_sweep *s, cn_wide_row *r, cn_f8 rate, cn_f8 after, joint_pass pass)
{
    cn_f8 drag = r->drag, pull = r->pull;
    if (pass == JOINT_RELAX) { // a motor that drives to a place like a lock relaxes like one
        drag = cn_f8_select(r->firm, cn_f8_set(1.0f), drag);
        pull = cn_f8_select(r->firm, cn_f8_zero(), pull);
    }
    cn_f8 impulse = drag * (r->impulse - r->mass * (rate - r->speed)) - r->mass * pull * (r->now - r->rest);
    impulse = cn_f8_max(cn_f8_min(impulse, r->most), -r->most);
    if (cn_any(r->stops))
        impulse = cn_f8_select(r->stops, stop_impulse(s, r, rate, after, pass), impulse);
    cn_f8 d = impulse - r->impulse;
    r->impulse = impulse;
    return d;
}

CN_INLINE cn_f8 dot6(const cn_f8 a[6], const cn_f8 b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

CN_INLINE void solve_rows(const cn_sweep *s, cn_wide_joint *c, const cn_f8 change[6], joint_pass pass, cn_f8 rates[6],
                          cn_f8 sum[6])
{
    for (int n = 0; n < c->row_count; n++) {
        cn_wide_row *r = &c->rows[n];
        cn_f8 d = solve_row(s, r, dot6(r->wrench, rates), r->place + dot6(r->axis, change), pass);
        for (int i = 0; i < 6; i++) {
            rates[i] += r->response[i] * d;
            sum[i] += r->wrench[i] * d;
        }
    }
}

// ---- locks

// The rate at which an error is removed. What is within rounding is let be: joints in a loop may not be able to agree on less.
CN_INLINE cn_f8 lock_error_rate(const cn_sweep *s, const cn_wide_joint *c, cn_f8 error, cn_f8 slack)
{
    cn_f8 most = cn_f8_set(s->joint_speed), beyond = error - cn_f8_max(cn_f8_min(error, slack), -slack);
    return cn_f8_max(cn_f8_min(c->pull * beyond, most), -most);
}

CN_INLINE void lock_residual(const cn_sweep *s, const cn_wide_joint *c, joint_pass pass, const cn_f8 rates[6],
                             cn_f8 residual[6])
{
    for (int i = 0; i < 6; i++) {
        residual[i] = rates[i];
        if (pass == JOINT_PUSH)
            residual[i] = c->drag * rates[i] +
                          lock_error_rate(s, c, c->place[i] + c->change[i], i < 3 ? c->slack : cn_f8_set(CN_JOINT_SLACK));
    }
}

CN_INLINE void hold_locks(const cn_wide_joint *c, int count, const cn_f8 *residual, cn_f8 *d)
{
    for (int i = 0; i < count; i++) {
        d[i] = cn_f8_zero();
        for (int j = 0; j < count; j++)
            d[i] -= c->hold[triangle(i, j)] * residual[j];
    }
}

CN_INLINE void sweep_locks(const cn_wide_joint *c, int count, joint_pass pass, const cn_f8 *residual, cn_f8 *d)
{
    cn_f8 give = pass == JOINT_PUSH ? cn_f8_set(1.0f) - c->drag : cn_f8_zero();
    hold_locks(c, count, residual, d);
    for (int i = 0; i < count; i++)
        d[i] -= give * c->impulse[i];
}

#endif
