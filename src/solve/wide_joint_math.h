// Where a joint is within a step, and what its impulses do to the bodies.
#ifndef CN_WIDE_JOINT_MATH_H
#define CN_WIDE_JOINT_MATH_H

#include "solve/wide_friction.h"

CN_INLINE int triangle(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

// ---- rotations since the step began

typedef struct quat8 {
    vec8 v;
    cn_f8 w;
} quat8;

CN_INLINE quat8 gather_turn(const cn_sweep *s, const int32_t index[CN_LANES])
{
    const float *rows[CN_LANES];
    cn_f8 q[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = s->turns[index[i]];
    cn_gather4(rows, q);
    return (quat8){ load3(q), q[3] };
}

// By how much turning moves a vector: small numbers stay exact.
CN_INLINE vec8 turn_change(const quat8 *q, vec8 v)
{
    vec8 t = scale8(cn_f8_set(2.0f), cross8(q->v, v));
    return add8(scale8(q->w, t), cross8(q->v, t));
}

// The turn that takes a's rotation since the step began to b's, in the world axes of that time.
CN_INLINE quat8 relative_turn(const quat8 *a, const quat8 *b)
{
    return (quat8){ add8(sub8(scale8(a->w, b->v), scale8(b->w, a->v)), cross8(b->v, a->v)), a->w * b->w + dot8(a->v, b->v) };
}

// ---- twist and swing

// Four times the arc whose tangent is y / (1 + x), of a point (x, y) on a circle of radius 1 with x >= 0: twice its angle.
CN_INLINE cn_f8 twice_angle(cn_f8 x, cn_f8 y)
{
    cn_f8 one = cn_f8_set(1.0f), t = y / (one + x);
    t = t / (one + cn_f8_sqrt(one + t * t)); // below 0.42: the series is short
    cn_f8 u = t * t, sum = cn_f8_set(1.0f / 13.0f);
    for (int n = 11; n >= 1; n -= 2)
        sum = cn_f8_set(1.0f / (float)n) - u * sum;
    return cn_f8_set(8.0f) * t * sum;
}

// The three rotations of frame b in frame a, and how they change with the angular velocity; see src/world/joint_view.c for the
// same, one joint at a time and in double.
typedef struct turn8 {
    cn_f8 angle[3]; // twist, swing y, swing z
    vec8 axes[3];
} turn8;

CN_APART turn8 take_turn_apart(const quat8 *rotation)
{
    quat8 q = *rotation;
    cn_f8 zero = cn_f8_zero(), one = cn_f8_set(1.0f), least = cn_f8_set(1e-6f);
    cn_f8 sign = cn_f8_select(q.w < zero, -one, one), x = sign * q.v.x, y = sign * q.v.y, z = sign * q.v.z, w = sign * q.w;
    cn_f8 cosine = cn_f8_max(cn_f8_sqrt(x * x + w * w), least), sine = cn_f8_sqrt(y * y + z * z), inverse = one / cosine;
    cn_f8 swing = twice_angle(cosine, sine), sq = swing * swing;
    cn_i8 small = sq < cn_f8_set(0.01f);
    cn_f8 safe = cn_f8_select(small, one, swing), safe_sine = cn_f8_select(small, one, sine);
    cn_f8 scale = cn_f8_select(small, cn_f8_set(2.0f) + sq * cn_f8_set(1.0f / 12.0f), swing / safe_sine) * inverse;
    cn_f8 tangent = cn_f8_min(safe_sine * inverse, cn_f8_set(40.0f)); // past 177 degrees they stay as long as they are there
    cn_f8 t = cn_f8_select(small, cn_f8_set(0.5f) + sq * cn_f8_set(1.0f / 24.0f), tangent / safe);
    cn_f8 g = cn_f8_select(small, cn_f8_set(1.0f / 3.0f) + sq * cn_f8_set(1.0f / 45.0f),
                           (one - safe * (one - tangent * tangent) / (tangent + tangent)) / (safe * safe));
    turn8 r = { .angle = { twice_angle(w * inverse, x * inverse), scale * (w * y - x * z), scale * (w * z + x * y) } };
    cn_f8 sy = r.angle[1], sz = r.angle[2];
    r.axes[0] = v8(one, t * sz, -(t * sy));
    r.axes[1] = v8(-sz, one - g * sz * sz, g * sy * sz);
    r.axes[2] = v8(sy, g * sy * sz, one - g * sy * sy);
    return r;
}

// ---- the joint as it is

// Axes, turn axes and levers; half of the sum of two of them is the joint halfway.
typedef struct posture8 {
    vec8 axes[3], turn[3];
    vec8 lever_a, lever_b;
} posture8;

CN_INLINE vec8 along_axes(const posture8 *p, vec8 v)
{
    return add8(add8(scale8(v.x, p->axes[0]), scale8(v.y, p->axes[1])), scale8(v.z, p->axes[2]));
}

CN_INLINE posture8 posture_now(const cn_wide_joint *c)
{
    posture8 p = { .lever_a = load3(c->lever_a), .lever_b = load3(c->lever_b) };
    for (int i = 0; i < 3; i++)
        p.axes[i] = load3(c->axes[i]);
    for (int d = 0; d < 3; d++)
        p.turn[d] = along_axes(&p, load3(c->turn_axes[d]));
    return p;
}

CN_INLINE vec8 middle(vec8 a, vec8 b) { return scale8(cn_f8_set(0.5f), add8(a, b)); }

CN_INLINE posture8 halfway(const posture8 *p, const posture8 *q)
{
    posture8 m = { .lever_a = middle(p->lever_a, q->lever_a), .lever_b = middle(p->lever_b, q->lever_b) };
    for (int i = 0; i < 3; i++) {
        m.axes[i] = middle(p->axes[i], q->axes[i]);
        m.turn[i] = middle(p->turn[i], q->turn[i]);
    }
    return m;
}

// What moving has made of the ends of a joint.
typedef struct ends8 {
    vec8 gap, arm_a, arm_b;
    quat8 turn_a, turn_b;
} ends8;

CN_INLINE ends8 find_ends(const cn_sweep *s, const cn_wide_joint *c)
{
    ends8 e = { .turn_a = gather_turn(s, c->a), .turn_b = gather_turn(s, c->b) };
    vec8 moved_a = gather_row3(s->states, c->a, 2), moved_b = gather_row3(s->states, c->b, 2);
    vec8 arm_a = load3(c->arm_a), arm_b = load3(c->arm_b);
    vec8 change_a = turn_change(&e.turn_a, arm_a), change_b = turn_change(&e.turn_b, arm_b);
    e.gap = add8(load3(c->gap), sub8(add8(moved_b, change_b), add8(moved_a, change_a)));
    e.arm_a = add8(arm_a, change_a);
    e.arm_b = add8(arm_b, change_b);
    return e;
}

// The joint after its bodies have moved: its posture, by how much its degrees of freedom have changed since the step began, and
// its rotations.
typedef struct after8 {
    posture8 posture;
    cn_f8 change[6];
    turn8 turn;
} after8;

CN_INLINE cn_f8 within_turn(cn_f8 angle)
{
    const cn_f8 half = cn_f8_set(3.14159265f), whole = cn_f8_set(6.28318531f);
    angle = cn_f8_select(angle > half, angle - whole, angle);
    return cn_f8_select(angle < -half, angle + whole, angle);
}

CN_INLINE void find_turn(const cn_wide_joint *c, const ends8 *e, vec8 x, vec8 y, vec8 z, after8 *r)
{
    quat8 d = relative_turn(&e->turn_a, &e->turn_b), q = { load3(c->rotation), c->rotation[3] };
    vec8 v = v8(dot8(x, d.v), dot8(y, d.v), dot8(z, d.v)); // in frame a
    quat8 rotation = { add8(add8(scale8(d.w, q.v), scale8(q.w, v)), cross8(v, q.v)), d.w * q.w - dot8(v, q.v) };
    r->turn = take_turn_apart(&rotation);
    r->change[3] = within_turn(r->turn.angle[0] - c->start_turn[0]);
    r->change[4] = r->turn.angle[1] - c->start_turn[1];
    r->change[5] = r->turn.angle[2] - c->start_turn[2];
    for (int i = 0; i < 3; i++)
        r->posture.turn[i] = along_axes(&r->posture, r->turn.axes[i]);
}

// From the centre of mass of a to where the joint acts on it: the origin of frame b, so that force and force back are in line.
// Where the ends are far apart that would be a lever as long as the gap, along which b would have to go around with a.
CN_INLINE vec8 lever_of_a(const cn_wide_joint *c, vec8 arm_a, vec8 gap) { return add8(arm_a, scale8(c->spans[0], gap)); }
CN_INLINE vec8 lever_of_b(const cn_wide_joint *c, vec8 arm_b, vec8 gap) { return sub8(arm_b, scale8(c->spans[1], gap)); }

CN_INLINE after8 find_after(const cn_wide_joint *c, const ends8 *e)
{
    after8 r = { 0 };
    posture8 *p = &r.posture;
    p->lever_a = lever_of_a(c, e->arm_a, e->gap);
    p->lever_b = lever_of_b(c, e->arm_b, e->gap);
    vec8 x = load3(c->start_axes[0]), y = load3(c->start_axes[1]);
    p->axes[0] = add8(x, turn_change(&e->turn_a, x));
    p->axes[1] = add8(y, turn_change(&e->turn_a, y));
    if (c->aims) {
        cn_f8 length = cn_f8_sqrt(dot8(e->gap, e->gap)), least = cn_f8_set(1e-6f);
        cn_i8 aiming = c->aiming & (length > least);
        vec8 along = scale8(cn_f8_inverse_or_zero(length), e->gap);
        p->axes[0] = v8(cn_f8_select(aiming, along.x, p->axes[0].x), cn_f8_select(aiming, along.y, p->axes[0].y),
                        cn_f8_select(aiming, along.z, p->axes[0].z));
    }
    p->axes[2] = cross8(p->axes[0], p->axes[1]);
    for (int i = 0; i < 3; i++)
        r.change[i] = dot8(p->axes[i], e->gap) - c->start[i];
    if (c->turns)
        find_turn(c, e, x, y, cross8(x, y), &r);
    return r;
}

// Lanes whose bodies have turned so far since the joint's masses were computed that these no longer do: a short lever that has
// turned halfway to a right angle is hard where it was soft, and a thin body is soft about its length alone.
CN_INLINE cn_i8 has_turned(const cn_wide_joint *c, const ends8 *e)
{
    vec8 a = sub8(e->turn_a.v, load3(c->turned_a)), b = sub8(e->turn_b.v, load3(c->turned_b));
    return (dot8(a, a) > c->far_a) | (dot8(b, b) > c->far_b);
}

// Lanes whose bodies turn so fast that the joint halfway has nothing to do with the masses that were computed: an impulse that
// is right for these may do many times too much there.
CN_INLINE cn_i8 spins_away(const cn_wide_joint *c, const ends8 *e)
{
    const cn_f8 far = cn_f8_set(25.0f), least = cn_f8_set(0.004f); // an eighth of a radian in a substep is never too fast
    vec8 a = sub8(e->turn_a.v, load3(c->turned_a)), b = sub8(e->turn_b.v, load3(c->turned_b));
    return (dot8(a, a) > cn_f8_max(far * c->far_a, least)) | (dot8(b, b) > cn_f8_max(far * c->far_b, least));
}

// Either that, or a lever has jumped: the centre of a body that turns many times about what holds it has moved straight.
CN_INLINE cn_i8 is_elsewhere(const cn_wide_joint *c, const ends8 *e)
{
    vec8 a = sub8(lever_of_a(c, e->arm_a, e->gap), load3(c->lever_a));
    vec8 b = sub8(lever_of_b(c, e->arm_b, e->gap), load3(c->lever_b));
    return spins_away(c, e) | (dot8(a, a) > c->jump_a) | (dot8(b, b) > c->jump_b);
}

CN_INLINE vec8 choose8(cn_i8 mask, vec8 yes, vec8 no)
{
    return v8(cn_f8_select(mask, yes.x, no.x), cn_f8_select(mask, yes.y, no.y), cn_f8_select(mask, yes.z, no.z));
}

// The inertias stay as they were when the step began, as contacts have them.
CN_INLINE void note_turned(cn_wide_joint *c, const ends8 *e, cn_i8 mask)
{
    const cn_f8 a[3] = { e->turn_a.v.x, e->turn_a.v.y, e->turn_a.v.z }, b[3] = { e->turn_b.v.x, e->turn_b.v.y, e->turn_b.v.z };
    for (int i = 0; i < 3; i++) {
        c->turned_a[i] = cn_f8_select(mask, a[i], c->turned_a[i]);
        c->turned_b[i] = cn_f8_select(mask, b[i], c->turned_b[i]);
    }
}

// ---- velocities and impulses

typedef struct bodies8 {
    motion8 a, b;
} bodies8;

CN_INLINE bodies8 gather_bodies(const cn_sweep *s, const cn_wide_joint *c)
{
    return (bodies8){ gather_motion(s->states, c->a, 0), gather_motion(s->states, c->b, 0) };
}

CN_INLINE void scatter_bodies(const cn_sweep *s, const cn_wide_joint *c, const bodies8 *v)
{
    scatter_velocity(s->states, c->a, v->a);
    scatter_velocity(s->states, c->b, v->b);
}

CN_INLINE void find_rates(const cn_wide_joint *c, const posture8 *p, const bodies8 *v, cn_f8 rates[6])
{
    vec8 linear = relative_linear((levers8){ p->lever_a, p->lever_b }, v->a, v->b);
    for (int i = 0; i < 3; i++)
        rates[i] = dot8(p->axes[i], linear);
    rates[3] = rates[4] = rates[5] = cn_f8_zero();
    if (c->turns) {
        vec8 angular = sub8(v->b.angular, v->a.angular);
        for (int d = 0; d < 3; d++)
            rates[3 + d] = dot8(p->turn[d], angular);
    }
}

// Force and torque on b at its origin, in world axes.
typedef struct pull8 {
    vec8 force, torque;
} pull8;

CN_INLINE pull8 to_world(const cn_wide_joint *c, const posture8 *p, const cn_f8 impulse[6])
{
    pull8 w = { add8(add8(scale8(impulse[0], p->axes[0]), scale8(impulse[1], p->axes[1])), scale8(impulse[2], p->axes[2])),
                { cn_f8_zero(), cn_f8_zero(), cn_f8_zero() } };
    if (c->turns)
        w.torque = add8(add8(scale8(impulse[3], p->turn[0]), scale8(impulse[4], p->turn[1])), scale8(impulse[5], p->turn[2]));
    return w;
}

// What the pull does to the velocities: b gets the sum, a loses it.
CN_INLINE bodies8 pull_response(const cn_wide_joint *c, vec8 lever_a, vec8 lever_b, pull8 w)
{
    return (
        bodies8){ { mul8(load3(c->inverse_mass_a), w.force), sym8(c->inertia_a, add8(cross8(lever_a, w.force), w.torque)) },
                  { mul8(load3(c->inverse_mass_b), w.force), sym8(c->inertia_b, add8(cross8(lever_b, w.force), w.torque)) } };
}

CN_INLINE motion8 add_motion(motion8 a, motion8 b) { return (motion8){ add8(a.linear, b.linear), add8(a.angular, b.angular) }; }
CN_INLINE motion8 sub_motion(motion8 a, motion8 b) { return (motion8){ sub8(a.linear, b.linear), sub8(a.angular, b.angular) }; }

CN_INLINE void pull_bodies(const cn_wide_joint *c, const posture8 *p, const cn_f8 impulse[6], bodies8 *v)
{
    bodies8 r = pull_response(c, p->lever_a, p->lever_b, to_world(c, p, impulse));
    v->a = sub_motion(v->a, r.a);
    v->b = add_motion(v->b, r.b);
}

// Changes what the next substep takes for the velocities before contacts and joints acted, by minus this much for b and plus
// for a: so much more will then have been carried over.
CN_INLINE void carry_difference(const cn_sweep *s, const cn_wide_joint *c, const bodies8 *more)
{
    float *rows[CN_LANES];
    for (int side = 0; side < 2; side++) {
        const int32_t *index = side == 0 ? c->a : c->b;
        for (int i = 0; i < CN_LANES; i++)
            rows[i] = s->drives[index[i]].before;
        cn_f8 linear[4], angular[4];
        cn_gather4((const float *const *)rows, linear);
        for (int i = 0; i < CN_LANES; i++)
            rows[i] += 4;
        cn_gather4((const float *const *)rows, angular);
        for (int i = 0; i < CN_LANES; i++)
            rows[i] -= 4;
        motion8 before = { load3(linear), load3(angular) };
        scatter_motion(side == 0 ? add_motion(before, more->a) : sub_motion(before, more->b), rows);
    }
}

#endif
