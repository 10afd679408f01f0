// Eight bodies whose inertia follows their rotation, see follow.h: how they tumble, and how contacts see them.
#ifndef CN_WIDE_FOLLOW_H
#define CN_WIDE_FOLLOW_H

#include "solve/follow.h"
#include "solve/wide_joint_math.h"

// ---- rotations

CN_INLINE quat8 load_quat(const cn_f8 q[4]) { return (quat8){ load3(q), q[3] }; }

CN_INLINE vec8 rotate8(const quat8 *q, vec8 v)
{
    vec8 t = scale8(cn_f8_set(2.0f), cross8(q->v, v));
    return add8(add8(v, scale8(q->w, t)), cross8(q->v, t));
}

CN_INLINE vec8 unrotate8(const quat8 *q, vec8 v)
{
    quat8 back = { v8(-q->v.x, -q->v.y, -q->v.z), q->w };
    return rotate8(&back, v);
}

CN_INLINE quat8 multiply_quats(const quat8 *p, const quat8 *q)
{
    vec8 a = p->v, b = q->v;
    return (quat8){ v8(p->w * b.x + a.x * q->w + a.y * b.z - a.z * b.y, p->w * b.y - a.x * b.z + a.y * q->w + a.z * b.x,
                       p->w * b.z + a.x * b.y - a.y * b.x + a.z * q->w),
                    p->w * q->w - a.x * b.x - a.y * b.y - a.z * b.z };
}

CN_INLINE quat8 normalize_quat(const quat8 *q)
{
    cn_f8 length = cn_f8_sqrt(q->v.x * q->v.x + q->v.y * q->v.y + q->v.z * q->v.z + q->w * q->w);
    cn_f8 s = cn_f8_inverse_or_zero(length);
    cn_i8 some = length > cn_f8_zero();
    vec8 v = scale8(s, q->v);
    return (quat8){ v8(cn_f8_and(some, v.x), cn_f8_and(some, v.y), cn_f8_and(some, v.z)),
                    cn_f8_select(some, s * q->w, cn_f8_set(1.0f)) };
}

CN_APART void exp_of_far(vec8 *v, cn_f8 *w, const vec8 *rotation, cn_i8 far)
{
    for (int i = 0; i < CN_LANES; i++) {
        if (far[i] == 0)
            continue;
        cn_quat q = cn_quat_exp(cn_v3(rotation->x[i], rotation->y[i], rotation->z[i]));
        v->x[i] = q.x, v->y[i] = q.y, v->z[i] = q.z, (*w)[i] = q.w;
    }
}

// cn_quat_exp: most turn little in a substep.
CN_INLINE quat8 exp8(vec8 rotation)
{
    cn_f8 sq = dot8(rotation, rotation);
    cn_f8 s = cn_f8_set(0.5f) - sq * cn_f8_set(1.0f / 48.0f) + sq * sq * cn_f8_set(1.0f / 3840.0f);
    cn_f8 c = cn_f8_set(1.0f) - sq * cn_f8_set(0.125f) + sq * sq * cn_f8_set(1.0f / 384.0f);
    quat8 q = { scale8(s, rotation), c };
    cn_i8 far = ~(sq < cn_f8_set(0.01f));
    if (cn_any(far)) {
        vec8 v = q.v, by = rotation;
        exp_of_far(&v, &c, &by, far);
        q = (quat8){ v, c };
    }
    return q;
}

// ---- bodies

// Rows of three of the lanes in use, whatever they are.
CN_INLINE void scatter_rows(const cn_wide_follower *f, cn_i8 lanes, float *const rows[CN_LANES], vec8 v)
{
    float x[CN_LANES], y[CN_LANES], z[CN_LANES];
    memcpy(x, &v.x, sizeof x);
    memcpy(y, &v.y, sizeof y);
    memcpy(z, &v.z, sizeof z);
    for (int i = 0; i < f->count; i++)
        if (lanes[i] != 0)
            rows[i][0] = x[i], rows[i][1] = y[i], rows[i][2] = z[i];
}

typedef struct follower_rows {
    float *linear[CN_LANES], *angular[CN_LANES], *before[CN_LANES]; // `before` is of the angular velocity
} follower_rows;

CN_INLINE follower_rows rows_of(const cn_sweep *s, const cn_wide_follower *f)
{
    follower_rows rows;
    for (int i = 0; i < CN_LANES; i++) {
        rows.linear[i] = s->states[f->states[i]].linear;
        rows.angular[i] = s->states[f->states[i]].angular;
        rows.before[i] = s->drives[f->states[i]].before + 4;
    }
    return rows;
}

CN_INLINE vec8 gather_rows(float *const rows[CN_LANES])
{
    cn_f8 columns[4];
    cn_gather4((const float *const *)rows, columns);
    return load3(columns);
}

CN_INLINE cn_i8 all_lanes_set(void) { return (cn_i8){ -1, -1, -1, -1, -1, -1, -1, -1 }; }

// ---- tumbling

// Euler's equation by the midpoint rule, in the axes of the body: the angular momentum turns against it by the mean velocity.
// The rule keeps energy where it has converged; what a few rounds leave is scaled away. Each leaves about half the turn as a
// part.
#define SLOW_TURN 1e-4f // rad, squared
CN_INLINE vec8 tumble_once(const cn_wide_follower *f, vec8 w, cn_f8 h, vec8 *mean)
{
    cn_f8 half = cn_f8_set(0.5f), zero = cn_f8_zero();
    cn_i8 slow = h * h * dot8(w, w) < cn_f8_set(SLOW_TURN);
    vec8 momentum = sym8(f->inertia, w), after = w, turned = momentum;
    *mean = w;
    for (int i = 0; i < 3; i++) {
        if (i == 2 && !cn_any(~slow))
            break;
        quat8 turn = exp8(scale8(h, *mean));
        vec8 next = unrotate8(&turn, momentum), then = sym8(f->inverse, next);
        cn_i8 done = i == 2 ? slow : slow ^ slow;
        turned = choose8(done, turned, next);
        after = choose8(done, after, then);
        *mean = choose8(done, *mean, scale8(half, add8(w, then)));
    }
    // In units of the inertia: that of a mountain would leave the range of float.
    cn_f8 most = cn_f8_max(f->inertia[0], cn_f8_max(f->inertia[1], f->inertia[2])), unit = range_unit(most);
    cn_f8 is = dot8(after, scale8(unit, turned)), was = dot8(w, scale8(unit, momentum));
    cn_i8 sound = (is > zero) & (was > zero);
    cn_f8 scale = cn_f8_sqrt(cn_f8_select(sound, was, zero) / cn_f8_select(sound, is, cn_f8_set(1.0f)));
    return choose8(sound, scale8(scale, after), w);
}

// How bodies turn of their own accord, in their own axes.
typedef struct tumble8 {
    vec8 middle, after; // angular velocity halfway, and in the end
    quat8 half, rest;   // how far they turn until then
} tumble8;

CN_INLINE quat8 choose_quat(cn_i8 mask, const quat8 *yes, const quat8 *no)
{
    return (quat8){ choose8(mask, yes->v, no->v), cn_f8_select(mask, yes->w, no->w) };
}

// Rounds converge for turns of up to a radian. Longer ones are made in pieces of half a radian, each lane in its own; who turns more than
// that many keeps its axis.
#define FAR_TUMBLE 1.0f
#define PIECE_OF_TUMBLE 0.5f
enum { MOST_PIECES = 32 };
CN_INLINE quat8 tumble_in_pieces(const cn_wide_follower *f, vec8 *w, float step)
{
    cn_f8 one = cn_f8_set(1.0f), zero = cn_f8_zero(), angle = cn_f8_set(step) * cn_f8_sqrt(dot8(*w, *w)), pieces = one;
    for (int n = 1; n < MOST_PIECES; n++)
        pieces += cn_f8_and(angle > cn_f8_set((float)n * PIECE_OF_TUMBLE), one);
    cn_f8 h = cn_f8_set(step) / pieces;
    cn_i8 keeps = angle > cn_f8_set((float)MOST_PIECES * PIECE_OF_TUMBLE);
    quat8 by = { v8(zero, zero, zero), one }, steady = exp8(scale8(cn_f8_set(step), *w));
    vec8 after = *w;
    for (int n = 0; n < MOST_PIECES; n++) {
        cn_i8 still = cn_f8_set((float)n) < pieces;
        if (!cn_any(still))
            break;
        vec8 mean, then = tumble_once(f, after, h, &mean);
        quat8 piece = exp8(scale8(h, mean)), next = multiply_quats(&by, &piece);
        after = choose8(still, then, after);
        by = choose_quat(still, &next, &by);
    }
    *w = choose8(keeps, *w, after);
    return choose_quat(keeps, &steady, &by);
}

CN_APART void tumble_far(const cn_wide_follower *f, const vec8 *w, float step, cn_i8 far, tumble8 *t)
{
    vec8 after = *w;
    quat8 half = tumble_in_pieces(f, &after, 0.5f * step);
    t->middle = choose8(far, after, t->middle);
    quat8 rest = tumble_in_pieces(f, &after, 0.5f * step);
    t->after = choose8(far, after, t->after);
    t->half = choose_quat(far, &half, &t->half);
    t->rest = choose_quat(far, &rest, &t->rest);
}

// A substep. Where a body is halfway and how it turns there must agree.
CN_INLINE tumble8 tumble(const cn_wide_follower *f, vec8 w, float h)
{
    vec8 mean, early, after = tumble_once(f, w, cn_f8_set(h), &mean), middle = tumble_once(f, w, cn_f8_set(0.5f * h), &early);
    quat8 half = exp8(scale8(cn_f8_set(0.5f * h), mean));
    tumble8 t = { middle, after, half, half };
    cn_i8 far = cn_f8_set(h * h) * dot8(w, w) > cn_f8_set(FAR_TUMBLE * FAR_TUMBLE);
    if (cn_any(far)) {
        tumble8 other = t;
        vec8 start = w;
        tumble_far(f, &start, h, far, &other);
        t = other;
    }
    return t;
}

// What joints see: R s R'.
CN_INLINE void set_turn(cn_wide_follower *f, const quat8 *q)
{
    cn_f8 one = cn_f8_set(1.0f), two = cn_f8_set(2.0f);
    cn_f8 xx = q->v.x * q->v.x, yy = q->v.y * q->v.y, zz = q->v.z * q->v.z;
    cn_f8 xy = q->v.x * q->v.y, xz = q->v.x * q->v.z, yz = q->v.y * q->v.z;
    cn_f8 xw = q->v.x * q->w, yw = q->v.y * q->w, zw = q->v.z * q->w;
    vec8 rx = { one - two * (yy + zz), two * (xy - zw), two * (xz + yw) }, // rows
        ry = { two * (xy + zw), one - two * (xx + zz), two * (yz - xw) },
         rz = { two * (xz - yw), two * (yz + xw), one - two * (xx + yy) };
    vec8 sx = sym8(f->inverse, rx), sy = sym8(f->inverse, ry), sz = sym8(f->inverse, rz);
    store3(f->turn, q->v);
    f->turn[3] = q->w;
    store3(f->columns[0], v8(rx.x, ry.x, rz.x));
    store3(f->columns[1], v8(rx.y, ry.y, rz.y));
    store3(f->columns[2], v8(rx.z, ry.z, rz.z));
    f->now[0] = dot8(rx, sx), f->now[1] = dot8(ry, sy), f->now[2] = dot8(rz, sz);
    f->now[3] = dot8(rx, sy), f->now[4] = dot8(rx, sz), f->now[5] = dot8(ry, sz);
}

CN_INLINE vec8 own_velocity(const cn_wide_follower *f, const follower_rows *rows)
{
    quat8 turn = load_quat(f->turn);
    return unrotate8(&turn, gather_rows(rows->angular));
}

CN_INLINE void turn_to(cn_wide_follower *f, const follower_rows *rows, const quat8 *to, vec8 velocity)
{
    set_turn(f, to);
    scatter_rows(f, all_lanes_set(), rows->angular, rotate8(to, velocity));
}

CN_INLINE void set_end(const cn_sweep *s, cn_wide_follower *f, const quat8 *to)
{
    quat8 end = normalize_quat(to);
    store3(f->end, end.v);
    f->end[3] = end.w;
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 4; k++)
            s->turns[f->states[i]][k] = f->end[k][i];
}

// Where the body will have turned after h, by the angular velocity that it has on average, and that velocity then.
static void follow_turn(const cn_sweep *s, cn_wide_follower *wides, int count)
{
    for (cn_wide_follower *f = wides; f < wides + count; f++) {
        follower_rows rows = rows_of(s, f);
        quat8 turn = load_quat(f->turn);
        tumble8 own = tumble(f, own_velocity(f, &rows), s->h);
        quat8 middle = multiply_quats(&turn, &own.half), to = multiply_quats(&middle, &own.rest);
        set_end(s, f, &to);
        quat8 end = load_quat(f->end);
        turn_to(f, &rows, &end, own.after);
    }
}

// The same in two parts: halfway first,
static void follow_halfway(const cn_sweep *s, cn_wide_follower *wides, int count)
{
    for (cn_wide_follower *f = wides; f < wides + count; f++) {
        follower_rows rows = rows_of(s, f);
        quat8 turn = load_quat(f->turn);
        tumble8 own = tumble(f, own_velocity(f, &rows), s->h);
        quat8 middle = multiply_quats(&turn, &own.half), to = multiply_quats(&middle, &own.rest);
        set_end(s, f, &to);
        turn_to(f, &rows, &middle, own.middle);
    }
}

// and then to the end.
static void follow_end(const cn_sweep *s, cn_wide_follower *wides, int count)
{
    for (cn_wide_follower *f = wides; f < wides + count; f++) {
        follower_rows rows = rows_of(s, f);
        quat8 end = load_quat(f->end);
        tumble8 own = tumble(f, own_velocity(f, &rows), s->h);
        turn_to(f, &rows, &end, own.middle);
    }
}

// ---- contacts

// What the velocities are without what contacts carry over.
static void follow_start(const cn_sweep *s, cn_wide_follower *wides, int count)
{
    for (cn_wide_follower *f = wides; f < wides + count; f++) {
        follower_rows rows = rows_of(s, f);
        quat8 turn = load_quat(f->turn);
        float *before[CN_LANES];
        for (int i = 0; i < CN_LANES; i++)
            before[i] = rows.before[i] - 4;
        scatter_rows(f, all_lanes_set(), before, sub8(gather_rows(rows.linear), load3(f->linear)));
        scatter_rows(f, all_lanes_set(), rows.before, sub8(gather_rows(rows.angular), rotate8(&turn, load3(f->angular))));
    }
}

CN_INLINE vec8 turn_by(cn_f8 columns[3][3], vec8 v)
{
    return add8(scale8(v.x, load3(columns[0])), add8(scale8(v.y, load3(columns[1])), scale8(v.z, load3(columns[2]))));
}

CN_INLINE vec8 turn_back(cn_f8 columns[3][3], vec8 v)
{
    return v8(dot8(load3(columns[0]), v), dot8(load3(columns[1]), v), dot8(load3(columns[2]), v));
}

static void follow_enter(const cn_sweep *s, cn_wide_follower *wides, int count)
{
    for (cn_wide_follower *f = wides; f < wides + count; f++) {
        if (!cn_any(f->touched))
            continue;
        follower_rows rows = rows_of(s, f);
        vec8 angular = turn_back(f->columns, gather_rows(rows.angular)),
             before = turn_back(f->columns, gather_rows(rows.before));
        scatter_rows(f, f->touched, rows.angular, angular);
        scatter_rows(f, f->touched, rows.before, before);
        store3(f->entered[0], gather_rows(rows.linear));
        store3(f->entered[1], sub8(angular, before));
    }
}

// Levers that follow a slide change what is carried over without a change of velocity.
CN_INLINE void leave_contacts(const cn_sweep *s, cn_wide_follower *wides, int count, bool carried)
{
    for (cn_wide_follower *f = wides; f < wides + count; f++) {
        if (!cn_any(f->touched))
            continue;
        follower_rows rows = rows_of(s, f);
        vec8 angular = gather_rows(rows.angular), before = gather_rows(rows.before),
             none = v8(cn_f8_zero(), cn_f8_zero(), cn_f8_zero());
        if (carried) {
            vec8 linear = add8(load3(f->linear), sub8(gather_rows(rows.linear), load3(f->entered[0])));
            vec8 turned = add8(load3(f->angular), sub8(sub8(angular, before), load3(f->entered[1])));
            store3(f->linear, choose8(f->touched, linear, none));
            store3(f->angular, choose8(f->touched, turned, none));
        }
        scatter_rows(f, f->touched, rows.angular, turn_by(f->columns, angular));
        scatter_rows(f, f->touched, rows.before, turn_by(f->columns, before));
    }
}

static void follow_leave(const cn_sweep *s, cn_wide_follower *wides, int count) { leave_contacts(s, wides, count, true); }
static void follow_leave_impacts(const cn_sweep *s, cn_wide_follower *wides, int count)
{
    leave_contacts(s, wides, count, false);
}

#endif
