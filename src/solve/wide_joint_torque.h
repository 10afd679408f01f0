// The torque about all three axes of a joint that is bounded by its length: see cn_wide_bound.
#ifndef CN_WIDE_JOINT_TORQUE_H
#define CN_WIDE_JOINT_TORQUE_H

#include "solve/row_law.h"
#include "solve/wide_joint_math.h"

// ---- the impulse within its bound

// Solves (m + shift) x = v for a symmetric positive matrix whose largest entry is 1.
CN_INLINE vec8 solve_shifted(const cn_f8 m[6], cn_f8 shift, vec8 v)
{
    cn_f8 scale = cn_f8_set(1.0f) / (cn_f8_set(1.0f) + shift); // entries stay below 1: no product of three overflows
    cn_f8 xx = (m[0] + shift) * scale, yy = (m[1] + shift) * scale, zz = (m[2] + shift) * scale;
    cn_f8 xy = m[3] * scale, xz = m[4] * scale, yz = m[5] * scale;
    vec8 a = v8(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    cn_f8 b = xx * zz - xz * xz, c = xy * xz - xx * yz, d = xx * yy - xy * xy;
    cn_f8 determinant = xx * a.x + xy * a.y + xz * a.z;
    const cn_f8 inverse[6] = { a.x, b, d, a.y, a.z, c };
    return scale8(scale * cn_f8_inverse_or_zero(determinant), sym8(inverse, v));
}

// The impulse x with K x = -wanted, or, where it is longer than `most`, (K + shift) x = -wanted for the shift that makes it as
// long as that. Newton's iteration for it comes from below and cannot overshoot (More and Sorensen 1983).
//
// The locks may hold all turns but one, and what is left of K for the others is rounding. So a sweep does not go further from
// the impulse it begins with than K and a small part of `free` let it (a proximal step): where sweeps end is not changed by
// that.
CN_APART vec8 bounded_impulse(const cn_f8 k[6], cn_f8 free, vec8 wanted, vec8 last, cn_f8 most)
{
    enum { ROUNDS = 4 };
    cn_f8 zero = cn_f8_zero(), one = cn_f8_set(1.0f), near = cn_f8_set(1e-3f) * free, leak = cn_f8_set(1e-7f) * free;
    cn_f8 largest = cn_f8_max(k[0], cn_f8_max(k[1], k[2])) + near;
    cn_f8 inverse = cn_f8_inverse_or_zero(largest), m[6];
    wanted = sub8(wanted, scale8(near, last));
    cn_f8 rhs[3] = { wanted.x, wanted.y, wanted.z };
    for (int i = 0; i < 6; i++)
        m[i] = inverse * k[i];
    for (int i = 0; i < 3; i++) { // about an axis that nothing turns about, nothing is asked for
        cn_i8 turns = k[i] > cn_f8_set(1e-5f) * free;
        m[i] = cn_f8_select(turns, m[i] + inverse * (near + leak), one);
        rhs[i] = cn_f8_and(turns, -rhs[i]);
    }
    cn_i8 some = (most > zero) & (free > zero);
    // Impulses in units of the bound. Far beyond it only their direction counts, and their squares would leave the range of
    // float.
    cn_f8 top = cn_f8_max(cn_f8_abs(rhs[0]), cn_f8_max(cn_f8_abs(rhs[1]), cn_f8_abs(rhs[2])));
    cn_f8 far = cn_f8_set(1e12f) / cn_f8_max(top, cn_f8_set(1e-20f));
    cn_f8 part = cn_f8_and(some, cn_f8_min(inverse * cn_f8_inverse_or_zero(most), far));
    vec8 v = scale8(part, load3(rhs)), x = v;
    cn_f8 shift = cn_f8_max(cn_f8_sqrt(dot8(v, v)) - cn_f8_set(3.0f), zero), length = zero;
    for (int round = 0; round <= ROUNDS; round++) {
        x = solve_shifted(m, shift, v);
        cn_f8 square = dot8(x, x), bend = dot8(x, solve_shifted(m, shift, x));
        length = cn_f8_sqrt(square);
        if (round < ROUNDS)
            shift = cn_f8_max(shift + (length - one) * square * cn_f8_inverse_or_zero(bend), zero);
    }
    cn_f8 size = cn_f8_and(some, most) / cn_f8_max(length, one);
    return scale8(size, x);
}

// ---- where it is

// The rotation vector of a turn, on the shorter way.
CN_INLINE vec8 rotation_vector(quat8 q)
{
    cn_f8 zero = cn_f8_zero(), one = cn_f8_set(1.0f), sign = cn_f8_select(q.w < zero, -one, one), w = sign * q.w;
    cn_f8 sine = cn_f8_sqrt(dot8(q.v, q.v)), angle = twice_angle(w, sine);
    cn_f8 scale = cn_f8_select(sine > cn_f8_set(1e-4f), angle * cn_f8_inverse_or_zero(sine), cn_f8_set(2.0f));
    return scale8(sign * scale, q.v);
}

CN_INLINE vec8 turned8(const quat8 *q, vec8 v) { return add8(v, turn_change(q, v)); }

// What a motor sees when the next substep begins.
CN_INLINE void aim_torque(cn_wide_bound *b, const quat8 *turn_a, const quat8 *turn_b)
{
    quat8 d = relative_turn(turn_a, turn_b), e = { load3(b->error), b->error[3] };
    quat8 now = { add8(add8(scale8(d.w, e.v), scale8(e.w, d.v)), cross8(d.v, e.v)), d.w * e.w - dot8(d.v, e.v) };
    store3(b->now, turned8(turn_a, sub8(rotation_vector(now), load3(b->offset))));
    store3(b->wanted, turned8(turn_a, load3(b->speed)));
}

// ---- in and out

static void load_torque(const cn_sweep *s, cn_solver_joint *const *joints, int count, cn_wide_torque *t)
{
    *t = (cn_wide_torque){ 0 };
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++) {
        cn_wide_bound *b = &t->bounds[kind];
        b->error[3] = cn_f8_set(1.0f);
        for (int lane = 0; lane < count; lane++) {
            if (joints[lane]->torques == NULL)
                continue;
            const cn_joint_torque *torque = &joints[lane]->torques[kind];
            for (int k = 0; k < 3; k++)
                b->impulse[k][lane] = s->carried * torque->force[k];
            for (int k = 0; k < 4; k++)
                b->error[k][lane] = torque->error[k];
        }
    }
}

// A rigid motor to a rotation moves as one to a place does.
static void drive_to_rotation(const cn_sweep *s, const cn_wide_torque *t, cn_wide_bound *b, int lane,
                              const cn_joint_torque *torque, float motor_part)
{
    cn_motor_drive drive = { .most_force = torque->most };
    float k[6], length_sq = 0.0f;
    for (int i = 0; i < 3; i++) {
        drive.error[i] = b->now[i][lane];
        drive.moved[i] = torque->moved[i];
        length_sq += drive.error[i] * drive.error[i];
    }
    float inverse = length_sq > 0.0f ? 1.0f / sqrtf(length_sq) : 0.0f;
    for (int i = 0; i < 6; i++)
        k[i] = t->answer[i][lane];
    float x = inverse * drive.error[0], y = inverse * drive.error[1], z = inverse * drive.error[2];
    float answer = k[0] * x * x + k[1] * y * y + k[2] * z * z + 2.0f * (k[3] * x * y + k[4] * x * z + k[5] * y * z);
    drive.mass = answer > 0.0f ? 1.0f / answer : 0.0f;
    cn_drive_motor(&drive, s->h, s->dt, motor_part, s->push_speed * s->dt);
    for (int i = 0; i < 3; i++) {
        b->offset[i][lane] = drive.error[i] - drive.held[i];
        b->speed[i][lane] = drive.speed[i];
    }
}

// Once the masses are known.
static void load_torque_laws(const cn_sweep *s, const cn_found_joint *lanes, int count, cn_wide_torque *t)
{
    const quat8 still = { v8(cn_f8_zero(), cn_f8_zero(), cn_f8_zero()), cn_f8_set(1.0f) };
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++) {
        cn_wide_bound *b = &t->bounds[kind];
        aim_torque(b, &still, &still);
        for (int lane = 0; lane < count; lane++) {
            if (lanes[lane].joint->torques == NULL)
                continue;
            const cn_joint_torque *torque = &lanes[lane].joint->torques[kind];
            const cn_joint_softness *soft = &s->joints[lanes[lane].direct];
            cn_row_law law = cn_torque_law(torque, s->h, soft->drag, soft->pull);
            for (int k = 0; k < 3; k++)
                b->speed[k][lane] = torque->velocity[k];
            if (law.firm)
                drive_to_rotation(s, t, b, lane, torque, soft->motor_part);
            b->drag[lane] = law.drag;
            b->pull[lane] = law.pull;
            b->most[lane] = law.most;
            b->firm[lane] = law.firm ? -1 : 0;
        }
        aim_torque(b, &still, &still);
    }
}

static void store_torque(const cn_sweep *s, const cn_wide_torque *t, int lane, cn_joint_torque *torques)
{
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++)
        for (int k = 0; k < 3; k++) {
            torques[kind].force[k] = s->inverse_h * t->bounds[kind].impulse[k][lane];
            torques[kind].total[k] = t->bounds[kind].total[k][lane];
        }
}

// Of a symmetric matrix, the inverse for the locked rows, and 0 for the others (the sweep operator of regression, as in
// eliminate_locked). What the locks before have left almost nothing of counts as not locked: then K is taken for larger than it
// is, which is safe, where what rounding makes of it might be anything.
CN_INLINE void invert_locked(cn_f8 s[3][3], const cn_f8 locked[3])
{
    cn_f8 zero = cn_f8_zero(), diagonal[3] = { s[0][0], s[1][1], s[2][2] };
    cn_i8 taken[3];
    for (int n = 0; n < 3; n++) {
        taken[n] = (locked[n] > zero) & (s[n][n] > cn_f8_set(1e-3f) * diagonal[n]);
        cn_f8 inverse = cn_f8_and(taken[n], cn_f8_inverse_or_zero(s[n][n])), column[3] = { s[0][n], s[1][n], s[2][n] };
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                cn_f8 swept = i == n && j == n ? -inverse : i == n ? column[j] * inverse : j == n ? column[i] * inverse : zero;
                cn_f8 rest = s[i][j] - column[i] * column[j] * inverse;
                s[i][j] = cn_f8_select(taken[n], i == n || j == n ? swept : rest, s[i][j]);
            }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[i][j] = cn_f8_and(taken[i] & taken[j], -s[i][j]);
}

// Adds how the rates along x, y and z of frame a answer to forces along them at one body, and what the forces do to w.
CN_INLINE void add_force_answer(const posture8 *p, vec8 lever, const cn_f8 m[3], const cn_f8 inertia[6], cn_f8 s[3][3],
                                vec8 turns[3])
{
    for (int d = 0; d < 3; d++) {
        vec8 turn = sym8(inertia, cross8(lever, p->axes[d]));
        turns[d] = add8(turns[d], turn);
        for (int e = 0; e < 3; e++)
            s[d][e] += dot8(p->axes[d], mul8(load3(m), p->axes[e])) + dot8(turn, cross8(lever, p->axes[e]));
    }
}

// What the posture makes of it, in the lanes of the mask.
static void prepare_torque(cn_wide_joint *c, const posture8 *p, cn_i8 mask)
{
    cn_wide_torque *t = c->torque;
    cn_f8 k[6], s[3][3] = { 0 };
    vec8 turns[3] = { 0 };
    for (int i = 0; i < 6; i++)
        k[i] = c->inertia_a[i] + c->inertia_b[i];
    t->free = cn_f8_max(k[0], cn_f8_max(k[1], k[2]));
    add_force_answer(p, p->lever_a, c->inverse_mass_a, c->inertia_a, s, turns);
    add_force_answer(p, p->lever_b, c->inverse_mass_b, c->inertia_b, s, turns);
    invert_locked(s, c->locked);
    for (int e = 0; e < 3; e++) {
        vec8 lean = v8(cn_f8_zero(), cn_f8_zero(), cn_f8_zero());
        for (int d = 0; d < 3; d++)
            lean = sub8(lean, scale8(s[d][e], turns[d]));
        k[0] += lean.x * turns[e].x;
        k[1] += lean.y * turns[e].y;
        k[2] += lean.z * turns[e].z;
        k[3] += lean.x * turns[e].y;
        k[4] += lean.x * turns[e].z;
        k[5] += lean.y * turns[e].z;
        t->lean[e][0] = cn_f8_select(mask, lean.x, t->lean[e][0]);
        t->lean[e][1] = cn_f8_select(mask, lean.y, t->lean[e][1]);
        t->lean[e][2] = cn_f8_select(mask, lean.z, t->lean[e][2]);
    }
    for (int i = 0; i < 6; i++)
        t->answer[i] = cn_f8_select(mask, k[i], t->answer[i]);
}

// ---- in a substep

CN_INLINE void turn_bodies(const cn_wide_joint *c, vec8 torque, bodies8 *v)
{
    v->a.angular = sub8(v->a.angular, sym8(c->inertia_a, torque));
    v->b.angular = add8(v->b.angular, sym8(c->inertia_b, torque));
}

CN_INLINE vec8 torque_impulse(const cn_wide_torque *t)
{
    return add8(load3(t->bounds[0].impulse), load3(t->bounds[1].impulse));
}

// A rigid motor relaxes like a lock.
CN_INLINE void torque_law(const cn_wide_bound *b, bool relaxes, cn_f8 *drag, cn_f8 *pull)
{
    *drag = relaxes ? cn_f8_select(b->firm, cn_f8_set(1.0f), b->drag) : b->drag;
    *pull = relaxes ? cn_f8_select(b->firm, cn_f8_zero(), b->pull) : b->pull;
}

CN_APART void solve_torque(cn_wide_joint *c, const posture8 *p, bool relaxes, bodies8 *v)
{
    cn_wide_torque *t = c->torque;
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++) {
        cn_wide_bound *b = &t->bounds[kind];
        if (!cn_any(b->most > cn_f8_zero()))
            continue;
        vec8 w = sub8(v->b.angular, v->a.angular), linear = relative_linear((levers8){ p->lever_a, p->lever_b }, v->a, v->b);
        for (int d = 0; d < 3; d++) // what it will be when the locks hold again
            w = add8(w, scale8(dot8(p->axes[d], linear), load3(t->lean[d])));
        cn_f8 drag, pull;
        torque_law(b, relaxes, &drag, &pull);
        vec8 without = sub8(sub8(w, sym8(t->answer, load3(b->impulse))), load3(b->wanted));
        vec8 wanted = add8(scale8(drag, without), scale8(pull, load3(b->now)));
        vec8 impulse = bounded_impulse(t->answer, t->free, wanted, load3(b->impulse), b->most);
        turn_bodies(c, sub8(impulse, load3(b->impulse)), v);
        store3(b->impulse, impulse);
    }
}

// Direct solves: the velocity that is to vanish.
CN_APART void torque_lack(cn_wide_joint *c, bool relaxes, const bodies8 *v)
{
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++) {
        cn_wide_bound *b = &c->torque->bounds[kind];
        cn_f8 drag, pull;
        torque_law(b, relaxes, &drag, &pull);
        vec8 w = sub8(sub8(v->b.angular, v->a.angular), load3(b->wanted));
        store3(b->lack, add8(w, scale8(pull * cn_f8_inverse_or_zero(drag), load3(b->now))));
    }
}

CN_INLINE void sum_torque(cn_wide_joint *c)
{
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++) {
        cn_wide_bound *b = &c->torque->bounds[kind];
        store3(b->total, add8(load3(b->total), load3(b->impulse)));
        store3(c->total + 3, add8(load3(c->total + 3), load3(b->impulse)));
    }
}

// At the end of a substep. The torque goes on along the same axes, so nothing changes in what is carried over.
CN_APART void end_torque(const cn_sweep *s, cn_wide_joint *c, const quat8 *turn_a, const quat8 *turn_b)
{
    sum_torque(c);
    for (int kind = 0; kind < CN_TORQUE_COUNT; kind++) {
        cn_wide_bound *b = &c->torque->bounds[kind];
        for (int k = 0; k < 3; k++)
            b->offset[k] += cn_f8_and(b->firm, cn_f8_set(s->h) * b->speed[k]);
        aim_torque(b, turn_a, turn_b);
    }
}

#endif
