// The kernels of wide.h, written once and compiled once per instruction set by wide_base.c and wide_avx2.c.
#include "solve/wide.h"

typedef struct vec8 { cn_f8 x, y, z; } vec8;

CN_INLINE vec8 v8(cn_f8 x, cn_f8 y, cn_f8 z) { return (vec8){ x, y, z }; }
CN_INLINE vec8 load3(const cn_f8 a[3]) { return (vec8){ a[0], a[1], a[2] }; }
CN_INLINE void store3(cn_f8 a[3], vec8 v) { a[0] = v.x, a[1] = v.y, a[2] = v.z; }
CN_INLINE vec8 add8(vec8 a, vec8 b) { return v8(a.x + b.x, a.y + b.y, a.z + b.z); }
CN_INLINE vec8 sub8(vec8 a, vec8 b) { return v8(a.x - b.x, a.y - b.y, a.z - b.z); }
CN_INLINE vec8 scale8(cn_f8 s, vec8 a) { return v8(s * a.x, s * a.y, s * a.z); }
CN_INLINE vec8 mul8(vec8 a, vec8 b) { return v8(a.x * b.x, a.y * b.y, a.z * b.z); }
CN_INLINE cn_f8 dot8(vec8 a, vec8 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CN_INLINE vec8 cross8(vec8 a, vec8 b) { return v8(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
// Symmetric matrix, order xx yy zz xy xz yz
CN_INLINE vec8 sym8(const cn_f8 s[6], vec8 v)
{
    return v8(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z, s[4] * v.x + s[5] * v.y + s[2] * v.z);
}

// ---- bodies to lanes and back

typedef struct motion8 { vec8 linear, angular; } motion8;

// `row` 0 reads velocities, 2 reads displacements.
CN_INLINE motion8 gather_motion(const cn_body_state *states, const int32_t index[CN_LANES], int row)
{
    const float *rows[CN_LANES];
    cn_f8 linear[4], angular[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = states[index[i]].linear + 4 * row;
    cn_gather4(rows, linear);
    for (int i = 0; i < CN_LANES; i++)
        rows[i] += 4;
    cn_gather4(rows, angular);
    return (motion8){ load3(linear), load3(angular) };
}

CN_INLINE void scatter_velocity(cn_body_state *states, const int32_t index[CN_LANES], motion8 velocity)
{
    float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = states[index[i]].linear;
    cn_f8 linear[4] = { velocity.linear.x, velocity.linear.y, velocity.linear.z, cn_f8_zero() };
    cn_f8 angular[4] = { velocity.angular.x, velocity.angular.y, velocity.angular.z, cn_f8_zero() };
    cn_scatter4(linear, rows);
    for (int i = 0; i < CN_LANES; i++)
        rows[i] += 4;
    cn_scatter4(angular, rows);
}

typedef struct frame8 { vec8 n, t1, t2; } frame8;

CN_INLINE frame8 load_frame(const cn_wide_patch *c)
{
    vec8 n = load3(c->normal), t1 = load3(c->tangent);
    return (frame8){ n, t1, cross8(n, t1) };
}
CN_INLINE vec8 from_frame(const frame8 *f, cn_f8 n, cn_f8 t1, cn_f8 t2)
{
    return add8(add8(scale8(n, f->n), scale8(t1, f->t1)), scale8(t2, f->t2));
}

// Where the patch lies seen from the centres of mass. When the bodies have moved past each other by `slid` it is one place no more; it then
// follows each body in proportion to its inverse mass (it stays under a ball that rolls on the ground). Both bodies feel its force
// along one line, so angular momentum is kept.
typedef struct levers8 { vec8 a, b; } levers8;

CN_INLINE levers8 levers(const cn_wide_patch *c, vec8 slid)
{
    vec8 share = scale8(c->follows_b, slid);
    return (levers8){ add8(load3(c->ra), share), sub8(load3(c->rb), sub8(slid, share)) };
}

// ---- force and torque of a patch, in its frame

typedef struct wrench8 { cn_f8 fn, f1, f2, tn, t1, t2; } wrench8;

typedef struct response8 { motion8 a, b; } response8; // velocity changes of the two bodies

CN_INLINE response8 respond(const cn_wide_patch *c, const frame8 *f, levers8 arm, wrench8 w)
{
    vec8 force = from_frame(f, w.fn, w.f1, w.f2), torque = from_frame(f, w.tn, w.t1, w.t2);
    vec8 torque_a = add8(cross8(arm.a, force), torque), torque_b = add8(cross8(arm.b, force), torque);
    response8 r = { { scale8(c->inverse_mass_a, force), sym8(c->inertia_a, torque_a) },
                    { scale8(c->inverse_mass_b, force), sym8(c->inertia_b, torque_b) } };
    if (c->extras & CN_EXTRA_LOCKS) {
        r.a.linear = mul8(load3(c->extra->free_a), r.a.linear);
        r.b.linear = mul8(load3(c->extra->free_b), r.b.linear);
    }
    return r;
}

CN_INLINE void apply_wrench(cn_body_state *states, const cn_wide_patch *c, const frame8 *f, levers8 arm, motion8 va, motion8 vb,
                            wrench8 w)
{
    response8 r = respond(c, f, arm, w);
    scatter_velocity(states, c->a, (motion8){ sub8(va.linear, r.a.linear), sub8(va.angular, r.a.angular) });
    scatter_velocity(states, c->b, (motion8){ add8(vb.linear, r.b.linear), add8(vb.angular, r.b.angular) });
}

// All that the patch has accumulated.
CN_INLINE wrench8 accumulated_wrench(const cn_wide_patch *c, bool cone)
{
    cn_f8 zero = cn_f8_zero();
    wrench8 w = { zero, c->friction_impulse[0], c->friction_impulse[1], c->twist_impulse, zero, zero };
    for (int k = 0; k < 4; k++) {
        const cn_wide_point *p = &c->points[k];
        w.fn += p->impulse;
        w.t1 += p->y * p->impulse;
        w.t2 -= p->x * p->impulse;
        if (cone) {
            cn_f8 f1 = c->extra->point_friction[k][0], f2 = c->extra->point_friction[k][1];
            w.f1 += f1;
            w.f2 += f2;
            w.tn += p->x * f2 - p->y * f1;
        }
    }
    if (c->extras & CN_EXTRA_ROLLING) {
        w.t1 += c->extra->rolling_impulse[0];
        w.t2 += c->extra->rolling_impulse[1];
    }
    return w;
}

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

// The impulses of this substep will be carried over to the next with the levers they have had so far. This notes by how much the bodies'
// sliding past each other changes their torque, in what the next substep takes for the velocity before contacts. Only patches that
// slide need it.
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

CN_INLINE vec8 gather_last_move(const cn_body_drive *drives, const int32_t index[CN_LANES])
{
    const float *rows[CN_LANES];
    cn_f8 columns[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = drives[index[i]].last_move;
    cn_gather4(rows, columns);
    return load3(columns);
}

static float shift_levers(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        if (!(c->extras & CN_EXTRA_SLIDING))
            continue;
        vec8 slid = sub8(gather_last_move(s->drives, c->b), gather_last_move(s->drives, c->a)), share = scale8(c->follows_b, slid);
        wrench8 w = accumulated_wrench(c, s->cone);
        frame8 f = load_frame(c);
        vec8 force = from_frame(&f, w.fn, w.f1, w.f2);
        change_before(s->drives, c->a, sym8(c->inertia_a, cross8(share, force)));
        change_before(s->drives, c->b, sym8(c->inertia_b, cross8(sub8(slid, share), force)));
    }
    return 0.0f;
}

// ---- the sweep

// Relative velocity at the patch centre, of b against a, in the patch frame.
typedef struct twist8 { cn_f8 un, u1, u2, wn, w1, w2; } twist8;

CN_INLINE vec8 relative_linear(levers8 arm, motion8 a, motion8 b)
{
    return add8(sub8(b.linear, a.linear), sub8(cross8(b.angular, arm.b), cross8(a.angular, arm.a)));
}

CN_INLINE twist8 relative_twist(const frame8 *f, levers8 arm, motion8 a, motion8 b)
{
    vec8 u = relative_linear(arm, a, b), w = sub8(b.angular, a.angular);
    return (twist8){ dot8(f->n, u), dot8(f->t1, u), dot8(f->t2, u), dot8(f->n, w), dot8(f->t1, w), dot8(f->t2, w) };
}

// Change of the relative velocity by a friction force, by a twisting torque, by a rolling torque.
CN_INLINE void add_tangent_force(const cn_wide_patch *c, twist8 *v, cn_f8 f1, cn_f8 f2)
{
    v->un += c->ff[1] * f1 + c->ff[2] * f2;
    v->u1 += c->ff[3] * f1 + c->ff[4] * f2;
    v->u2 += c->ff[4] * f1 + c->ff[5] * f2;
    v->wn += c->ft[3] * f1 + c->ft[6] * f2;
    v->w1 += c->ft[4] * f1 + c->ft[7] * f2;
    v->w2 += c->ft[5] * f1 + c->ft[8] * f2;
}
CN_INLINE void add_twist_torque(const cn_wide_patch *c, twist8 *v, cn_f8 tn)
{
    v->un += c->ft[0] * tn;
    v->u1 += c->ft[3] * tn;
    v->u2 += c->ft[6] * tn;
    v->wn += c->tt[0] * tn;
    v->w1 += c->tt[1] * tn;
    v->w2 += c->tt[2] * tn;
}
CN_INLINE void add_rolling_torque(const cn_wide_patch *c, twist8 *v, cn_f8 t1, cn_f8 t2)
{
    v->un += c->ft[1] * t1 + c->ft[2] * t2;
    v->u1 += c->ft[4] * t1 + c->ft[5] * t2;
    v->u2 += c->ft[7] * t1 + c->ft[8] * t2;
    v->wn += c->tt[1] * t1 + c->tt[2] * t2;
    v->w1 += c->tt[3] * t1 + c->tt[4] * t2;
    v->w2 += c->tt[4] * t1 + c->tt[5] * t2;
}

// Moves the impulse (i1, i2) so that the velocity (u1, u2) vanishes, within a disc. The matrix says how velocity answers to impulse.
// Inside the disc the exact 2x2 solution sticks. Outside, a step of one scalar keeps the impulse opposed to the sliding direction;
// the 2x2 solution would turn it.
CN_INLINE void solve_disc(cn_f8 k11, cn_f8 k12, cn_f8 k22, cn_f8 u1, cn_f8 u2, cn_f8 limit, cn_f8 *i1, cn_f8 *i2)
{
    cn_f8 inverse = cn_f8_inverse_or_zero(k11 * k22 - k12 * k12);
    cn_f8 stick1 = *i1 - inverse * (k22 * u1 - k12 * u2), stick2 = *i2 - inverse * (k11 * u2 - k12 * u1);
    cn_i8 sticks = stick1 * stick1 + stick2 * stick2 <= limit * limit;
    cn_f8 step = cn_f8_inverse_or_zero(cn_f8_max(k11, k22) + cn_f8_abs(k12));
    cn_f8 slide1 = *i1 - step * u1, slide2 = *i2 - step * u2;
    cn_f8 length = cn_f8_sqrt(slide1 * slide1 + slide2 * slide2);
    cn_f8 shrink = cn_f8_min(limit * cn_f8_inverse_or_zero(length), cn_f8_set(1.0f));
    *i1 = cn_f8_select(sticks, stick1, shrink * slide1);
    *i2 = cn_f8_select(sticks, stick2, shrink * slide2);
}

CN_INLINE cn_f8 normal_sum(const cn_wide_patch *c)
{
    return (c->points[0].impulse + c->points[1].impulse) + (c->points[2].impulse + c->points[3].impulse);
}

CN_INLINE void solve_patch_friction(cn_wide_patch *c, twist8 *v, wrench8 *sum, cn_f8 normal)
{
    cn_f8 f1 = c->friction_impulse[0], f2 = c->friction_impulse[1], u1 = v->u1, u2 = v->u2;
    if (c->extras & CN_EXTRA_SURFACE) {
        u1 -= c->extra->surface[0];
        u2 -= c->extra->surface[1];
    }
    solve_disc(c->ff[3], c->ff[4], c->ff[5], u1, u2, c->friction * normal, &f1, &f2);
    cn_f8 d1 = f1 - c->friction_impulse[0], d2 = f2 - c->friction_impulse[1];
    c->friction_impulse[0] = f1;
    c->friction_impulse[1] = f2;
    sum->f1 += d1;
    sum->f2 += d2;
    add_tangent_force(c, v, d1, d2);
}

CN_INLINE void solve_twist(cn_wide_patch *c, twist8 *v, wrench8 *sum, cn_f8 normal)
{
    cn_f8 limit = c->twist_arm * normal;
    cn_f8 impulse = c->twist_impulse - v->wn * cn_f8_inverse_or_zero(c->tt[0]);
    impulse = cn_f8_max(cn_f8_min(impulse, limit), -limit);
    cn_f8 d = impulse - c->twist_impulse;
    c->twist_impulse = impulse;
    sum->tn += d;
    add_twist_torque(c, v, d);
}

CN_INLINE void solve_rolling(cn_wide_patch *c, twist8 *v, wrench8 *sum, cn_f8 normal)
{
    cn_wide_extra *e = c->extra;
    cn_f8 t1 = e->rolling_impulse[0], t2 = e->rolling_impulse[1];
    solve_disc(c->tt[3], c->tt[4], c->tt[5], v->w1, v->w2, e->rolling_arm * normal, &t1, &t2);
    cn_f8 d1 = t1 - e->rolling_impulse[0], d2 = t2 - e->rolling_impulse[1];
    e->rolling_impulse[0] = t1;
    e->rolling_impulse[1] = t2;
    sum->t1 += d1;
    sum->t2 += d2;
    add_rolling_torque(c, v, d1, d2);
}

// Coulomb's cone at every point: friction of the point from the velocity of the point, bounded by its own normal impulse.
CN_INLINE void solve_point_friction(cn_wide_patch *c, const cn_wide_point *p, cn_f8 impulse[2], twist8 *v, wrench8 *sum)
{
    cn_f8 u1 = v->u1 - v->wn * p->y, u2 = v->u2 + v->wn * p->x;
    if (c->extras & CN_EXTRA_SURFACE) {
        u1 -= c->extra->surface[0];
        u2 -= c->extra->surface[1];
    }
    // force (1, 0) at the point is force (1, 0) and torque -y at the centre; force (0, 1) comes with torque x
    cn_f8 k11 = c->ff[3] - p->y * (c->ft[3] + c->ft[3]) + p->y * p->y * c->tt[0];
    cn_f8 k22 = c->ff[5] + p->x * (c->ft[6] + c->ft[6]) + p->x * p->x * c->tt[0];
    cn_f8 k12 = c->ff[4] + p->x * c->ft[3] - p->y * c->ft[6] - p->x * p->y * c->tt[0];
    cn_f8 f1 = impulse[0], f2 = impulse[1];
    solve_disc(k11, k12, k22, u1, u2, c->friction * p->impulse, &f1, &f2);
    cn_f8 d1 = f1 - impulse[0], d2 = f2 - impulse[1], torque = p->x * d2 - p->y * d1;
    impulse[0] = f1;
    impulse[1] = f2;
    sum->f1 += d1;
    sum->f2 += d2;
    sum->tn += torque;
    add_tangent_force(c, v, d1, d2);
    add_twist_torque(c, v, torque);
}

// Adds a normal impulse at a point to the sum, and its effect to the part of the velocity that the other points see; friction sees
// the rest when all points are done.
CN_INLINE void add_normal_impulse(const cn_wide_patch *c, const cn_wide_point *p, cn_f8 d, twist8 *v, wrench8 *sum)
{
    cn_f8 d1 = p->y * d, d2 = -(p->x * d);
    sum->fn += d;
    sum->t1 += d1;
    sum->t2 += d2;
    v->un += c->ff[0] * d + c->ft[1] * d1 + c->ft[2] * d2;
    v->w1 += c->ft[1] * d + c->tt[3] * d1 + c->tt[4] * d2;
    v->w2 += c->ft[2] * d + c->tt[4] * d1 + c->tt[5] * d2;
}

CN_INLINE void add_normal_coupling(const cn_wide_patch *c, twist8 *v, cn_f8 fn, cn_f8 t1, cn_f8 t2)
{
    v->u1 += c->ff[1] * fn + c->ft[4] * t1 + c->ft[5] * t2;
    v->u2 += c->ff[2] * fn + c->ft[7] * t1 + c->ft[8] * t2;
    v->wn += c->ft[0] * fn + c->tt[1] * t1 + c->tt[2] * t2;
}

// How much the two bodies have come apart at a point since the step began: along the normal, and turned about the tangents.
typedef struct shift8 { cn_f8 dn, a1, a2; } shift8;

CN_INLINE shift8 relative_shift(const cn_wide_patch *c, const frame8 *f, motion8 a, motion8 b)
{
    levers8 arm = { load3(c->ra), load3(c->rb) };
    vec8 turned = sub8(b.angular, a.angular);
    return (shift8){ dot8(f->n, relative_linear(arm, a, b)), dot8(f->t1, turned), dot8(f->t2, turned) };
}

// Pushing overlaps apart; taking the speed of pushing out again, with an eye on points that are still apart, or where all of them touch.
typedef enum sweep_kind { PUSH, RELAX, RELAX_TOUCHING } sweep_kind;

typedef struct softness8 { cn_f8 bias_rate, mass_scale, impulse_scale; } softness8;

CN_INLINE cn_f8 solve_normal(const cn_sweep *s, const cn_wide_patch *c, cn_wide_point *p, shift8 shift, softness8 soft, sweep_kind kind,
                             twist8 *v, wrench8 *sum)
{
    cn_f8 zero = cn_f8_zero(), one = cn_f8_set(1.0f);
    cn_f8 velocity = v->un + v->w1 * p->y - v->w2 * p->x, d;
    if (kind == RELAX_TOUCHING) {
        d = -(p->mass * velocity);
    } else {
        cn_f8 separation = p->separation + (shift.dn + shift.a1 * p->y - shift.a2 * p->x);
        cn_i8 apart = separation > zero;
        cn_f8 gap = separation * cn_f8_set(s->inverse_h); // may be closed, no faster
        if (kind == PUSH) {
            cn_f8 bias = cn_f8_select(apart, gap, cn_f8_max(soft.bias_rate * separation, cn_f8_set(-s->push_speed)));
            cn_f8 mass_scale = cn_f8_select(apart, one, soft.mass_scale);
            cn_f8 impulse_scale = cn_f8_and(~apart, soft.impulse_scale);
            d = -(p->mass * mass_scale * (velocity + bias)) - impulse_scale * p->impulse;
        } else {
            d = -(p->mass * (velocity + cn_f8_and(apart, gap)));
        }
    }
    cn_f8 impulse = cn_f8_max(p->impulse + d, zero);
    d = impulse - p->impulse;
    p->impulse = impulse;
    if (kind != PUSH && s->sums)
        p->total += impulse;
    add_normal_impulse(c, p, d, v, sum);
    return d;
}

// Restitution wants the approach speed just before the impact: the last one seen while the point has not pushed yet.
CN_INLINE void note_approach(cn_wide_patch *c, const twist8 *v)
{
    for (int k = 0; k < c->point_count; k++) {
        const cn_wide_point *p = &c->points[k];
        cn_i8 untouched = p->total <= cn_f8_zero();
        c->extra->approach[k] = cn_f8_select(untouched, v->un + v->w1 * p->y - v->w2 * p->x, c->extra->approach[k]);
    }
}

CN_INLINE cn_f8 sweep_patch(const cn_sweep *s, cn_wide_patch *c, sweep_kind kind, bool cone, shift8 shift, twist8 v, wrench8 *sum)
{
    softness8 soft = { cn_f8_select(c->on_static, cn_f8_set(s->bias_rate[1]), cn_f8_set(s->bias_rate[0])),
                       cn_f8_select(c->on_static, cn_f8_set(s->mass_scale[1]), cn_f8_set(s->mass_scale[0])),
                       cn_f8_select(c->on_static, cn_f8_set(s->impulse_scale[1]), cn_f8_set(s->impulse_scale[0])) };
    cn_f8 change = cn_f8_zero();
    if (kind == PUSH && (c->extras & CN_EXTRA_RESTITUTION))
        note_approach(c, &v);
    for (int k = 0; k < c->point_count; k++) {
        cn_f8 d = solve_normal(s, c, &c->points[k], shift, soft, kind, &v, sum);
        if (s->tracks)
            change = cn_f8_max(change, cn_f8_abs(d * (c->inverse_mass_a + c->inverse_mass_b)));
    }
    add_normal_coupling(c, &v, sum->fn, sum->t1, sum->t2);
    cn_f8 normal = normal_sum(c);
    if (c->extras & CN_EXTRA_ROLLING)
        solve_rolling(c, &v, sum, normal);
    solve_twist(c, &v, sum, normal);
    if (cone) {
        for (int k = 0; k < c->point_count; k++)
            solve_point_friction(c, &c->points[k], c->extra->point_friction[k], &v, sum);
    } else {
        solve_patch_friction(c, &v, sum, normal);
    }
    return change;
}

CN_INLINE float largest(cn_f8 a)
{
    float m = 0.0f;
    for (int i = 0; i < CN_LANES; i++)
        m = a[i] > m ? a[i] : m;
    return m;
}

// What a sweep needs to know of the two bodies of each lane.
typedef struct pair8 { motion8 a, b; frame8 frame; levers8 arm; shift8 shift; } pair8;

CN_INLINE pair8 gather_pair(const cn_sweep *s, const cn_wide_patch *c)
{
    motion8 moved_a = gather_motion(s->states, c->a, 2), moved_b = gather_motion(s->states, c->b, 2);
    frame8 f = load_frame(c);
    return (pair8){ gather_motion(s->states, c->a, 0), gather_motion(s->states, c->b, 0), f,
                    levers(c, sub8(moved_b.linear, moved_a.linear)), relative_shift(c, &f, moved_a, moved_b) };
}

// The same where all points touch and nothing slides: what has moved since the step began does not matter.
CN_INLINE pair8 gather_still_pair(const cn_sweep *s, const cn_wide_patch *c)
{
    return (pair8){ gather_motion(s->states, c->a, 0), gather_motion(s->states, c->b, 0), load_frame(c), { load3(c->ra), load3(c->rb) }, { cn_f8_zero(), cn_f8_zero(), cn_f8_zero() } };
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
        else if (!(c->extras & (CN_EXTRA_SLIDING | CN_EXTRA_APART)))
            change = cn_f8_max(change, sweep_pair(s, c, RELAX_TOUCHING, cone, gather_still_pair(s, c)));
        else
            change = cn_f8_max(change, sweep_pair(s, c, RELAX, cone, gather_pair(s, c)));
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

// Mass splitting: all patches start from the same velocities; what each adds to its bodies is written down, and summed per body
// afterwards in a fixed order.
CN_INLINE void write_deltas(motion8 d, float (*rows)[8])
{
    float *row[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        row[i] = rows[2 * i];
    cn_f8 linear[4] = { d.linear.x, d.linear.y, d.linear.z, cn_f8_zero() };
    cn_f8 angular[4] = { d.angular.x, d.angular.y, d.angular.z, cn_f8_zero() };
    cn_scatter4(linear, row);
    for (int i = 0; i < CN_LANES; i++)
        row[i] += 4;
    cn_scatter4(angular, row);
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

// Points that were hit faster than the threshold leave with the part of their approach speed that restitution keeps. What this adds
// is an impact: it is not carried over to the next step. The points of a patch bounce together, hence the sweeps inside it.
CN_INLINE void bounce_patch(const cn_sweep *s, cn_wide_patch *c, twist8 *v, wrench8 *sum)
{
    enum { INNER_SWEEPS = 8 };
    cn_f8 zero = cn_f8_zero(), threshold = cn_f8_set(-s->restitution_speed), impulse[4];
    for (int k = 0; k < c->point_count; k++)
        impulse[k] = c->points[k].total;
    for (int i = 0; i < INNER_SWEEPS; i++) {
        for (int k = 0; k < c->point_count; k++) {
            cn_wide_point *p = &c->points[k];
            cn_f8 approach = c->extra->approach[k], keep = c->extra->restitution;
            cn_i8 hit = (approach < threshold) & (p->total > zero) & (keep > zero);
            cn_f8 velocity = v->un + v->w1 * p->y - v->w2 * p->x;
            cn_f8 bounced = cn_f8_max(impulse[k] - p->mass * (velocity + keep * approach), zero);
            cn_f8 d = cn_f8_and(hit, bounced - impulse[k]);
            impulse[k] += d;
            add_normal_impulse(c, p, d, v, sum);
        }
    }
    for (int k = 0; k < c->point_count; k++)
        c->points[k].total = impulse[k];
}

static float restitution(const cn_sweep *s, cn_wide_patch *wides, int count)
{
    for (cn_wide_patch *c = wides; c < wides + count; c++) {
        if (!(c->extras & CN_EXTRA_RESTITUTION))
            continue;
        pair8 p = gather_pair(s, c);
        twist8 v = relative_twist(&p.frame, p.arm, p.a, p.b);
        wrench8 sum = { 0 };
        bounce_patch(s, c, &v, &sum);
        apply_wrench(s->states, c, &p.frame, p.arm, p.a, p.b, sum);
    }
    return 0.0f;
}

// ---- preparing

// Adds what one body contributes to the answer matrices. r and the inverse inertia are in world axes.
CN_INLINE void add_body_response(cn_wide_patch *c, vec8 r, const cn_f8 inertia[6], cn_f8 parts)
{
    vec8 axis[3] = { load3(c->normal), load3(c->tangent) };
    axis[2] = cross8(axis[0], axis[1]);
    cn_f8 I[3][3], R[3], P[3][3]; // all in the patch frame
    for (int j = 0; j < 3; j++) {
        vec8 column = scale8(parts, sym8(inertia, axis[j]));
        for (int i = 0; i <= j; i++)
            I[i][j] = I[j][i] = dot8(axis[i], column);
        R[j] = dot8(axis[j], r);
    }
    for (int j = 0; j < 3; j++) { // P = -[R] I: how the linear velocity of the patch answers to torque
        P[0][j] = R[2] * I[1][j] - R[1] * I[2][j];
        P[1][j] = R[0] * I[2][j] - R[2] * I[0][j];
        P[2][j] = R[1] * I[0][j] - R[0] * I[1][j];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c->ft[3 * i + j] += P[i][j];
    c->tt[0] += I[0][0], c->tt[1] += I[0][1], c->tt[2] += I[0][2];
    c->tt[3] += I[1][1], c->tt[4] += I[1][2], c->tt[5] += I[2][2];
    // P [R]: how it answers to force
    c->ff[0] += P[0][1] * R[2] - P[0][2] * R[1];
    c->ff[1] += P[0][2] * R[0] - P[0][0] * R[2];
    c->ff[2] += P[0][0] * R[1] - P[0][1] * R[0];
    c->ff[3] += P[1][2] * R[0] - P[1][0] * R[2];
    c->ff[4] += P[1][0] * R[1] - P[1][1] * R[0];
    c->ff[5] += P[2][0] * R[1] - P[2][1] * R[0];
}

// Adds a body's inverse mass: the same in every direction, or only along its free world axes.
CN_INLINE void add_mass_response(cn_wide_patch *c, cn_f8 inverse_mass, const cn_f8 *free_axes)
{
    if (free_axes == NULL) {
        c->ff[0] += inverse_mass;
        c->ff[3] += inverse_mass;
        c->ff[5] += inverse_mass;
        return;
    }
    vec8 n = load3(c->normal), t1 = load3(c->tangent), t2 = cross8(n, t1), m = scale8(inverse_mass, load3(free_axes));
    vec8 mn = mul8(m, n), m1 = mul8(m, t1), m2 = mul8(m, t2);
    c->ff[0] += dot8(n, mn), c->ff[1] += dot8(n, m1), c->ff[2] += dot8(n, m2);
    c->ff[3] += dot8(t1, m1), c->ff[4] += dot8(t1, m2), c->ff[5] += dot8(t2, m2);
}

CN_INLINE void choose_tangents(cn_wide_patch *c) // see cn_tangent_basis
{
    cn_f8 zero = cn_f8_zero(), nx = c->normal[0], ny = c->normal[1], nz = c->normal[2];
    cn_i8 use_x = cn_f8_abs(nx) < cn_f8_set(0.7f);
    vec8 t = { cn_f8_select(use_x, zero, -nz), cn_f8_select(use_x, nz, zero), cn_f8_select(use_x, -ny, nx) };
    store3(c->tangent, scale8(cn_f8_inverse_or_zero(cn_f8_sqrt(dot8(t, t))), t));
}

CN_INLINE void gather_row(cn_patch *const *patches, size_t offset, cn_f8 columns[4])
{
    const float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)((const char *)patches[i] + offset);
    cn_gather4(rows, columns);
}

#define GATHER(field, columns) gather_row(patches, offsetof(cn_patch, field), columns)

// Masses of the bodies of all lanes; `parts` gets the number of pieces each is split into.
CN_INLINE void gather_masses(const cn_sweep *s, const int32_t index[CN_LANES], cn_f8 *inverse_mass, cn_f8 inertia[6], cn_f8 *parts)
{
    const float *rows[CN_LANES];
    cn_f8 first[4], second[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = &s->masses[index[i]].inverse_mass;
    cn_gather4(rows, first);
    for (int i = 0; i < CN_LANES; i++)
        rows[i] += 4;
    cn_gather4(rows, second);
    *inverse_mass = first[0];
    for (int i = 0; i < 3; i++) {
        inertia[i] = first[i + 1];
        inertia[i + 3] = second[i];
    }
    *parts = s->split ? second[3] : cn_f8_set(1.0f);
}

static void prepare_extra(const cn_sweep *s, cn_patch *const *patches, cn_wide_patch *c)
{
    cn_wide_extra *e = c->extra;
    cn_f8 row[4], friction[2][4], zero = cn_f8_zero(), h = cn_f8_set(s->h);
    GATHER(surface, row);
    vec8 n = load3(c->normal), t1 = load3(c->tangent), surface = load3(row);
    e->surface[0] = dot8(t1, surface);
    e->surface[1] = dot8(cross8(n, t1), surface);
    e->restitution = row[3];
    GATHER(rolling_torque, row);
    e->rolling_impulse[0] = h * row[0];
    e->rolling_impulse[1] = h * row[1];
    e->rolling_arm = row[2];
    GATHER(point_friction[0], friction[0]);
    GATHER(point_friction[1], friction[1]);
    for (int k = 0; k < 4; k++) {
        e->approach[k] = zero;
        e->point_friction[k][0] = h * friction[0][k];
        e->point_friction[k][1] = h * friction[1][k];
    }
    for (int lane = 0; lane < CN_LANES; lane++) {
        uint32_t locks_a = s->drives[c->a[lane]].locks, locks_b = s->drives[c->b[lane]].locks;
        for (int axis = 0; axis < 3; axis++) {
            e->free_a[axis][lane] = locks_a >> axis & 1 ? 0.0f : 1.0f;
            e->free_b[axis][lane] = locks_b >> axis & 1 ? 0.0f : 1.0f;
        }
    }
}

// The centre of the patch is the mean of its points.
CN_INLINE void place_points(cn_wide_patch *c, cn_patch *const *patches, cn_f8 present[4], cn_f8 *radius)
{
    cn_f8 x[4], y[4], z[4], row[4], zero = cn_f8_zero();
    GATHER(points[0], x);
    GATHER(points[1], y);
    GATHER(points[2], z);
    GATHER(separation, row);
    cn_f8 count = zero;
    vec8 sum = { zero, zero, zero };
    for (int k = 0; k < 4; k++) {
        present[k] = cn_f8_and(row[k] < cn_f8_set(0.5f * CN_FAR), cn_f8_set(1.0f));
        count += present[k];
        sum = add8(sum, scale8(present[k], v8(x[k], y[k], z[k])));
        c->points[k].separation = row[k];
    }
    cn_f8 inverse_count = cn_f8_inverse_or_zero(count);
    vec8 center = scale8(inverse_count, sum), n = load3(c->normal), t1 = load3(c->tangent), t2 = cross8(n, t1);
    store3(c->ra, center);
    GATHER(between, row);
    store3(c->rb, sub8(center, load3(row)));
    c->twist_arm = row[3];
    *radius = zero;
    for (int k = 0; k < 4; k++) {
        vec8 offset = sub8(v8(x[k], y[k], z[k]), center);
        cn_wide_point *p = &c->points[k];
        p->x = present[k] * dot8(t1, offset);
        p->y = present[k] * dot8(t2, offset);
        *radius += cn_f8_sqrt(p->x * p->x + p->y * p->y);
    }
    *radius = *radius * inverse_count;
}

static void prepare(const cn_sweep *s, const cn_found_patch *lanes, int count, int idle, cn_wide_patch *c)
{
    // Lanes that are left over hold a patch without points between two bodies that do not move.
    static const cn_patch nothing = { .normal = { 0.0f, 1.0f, 0.0f }, .separation = { CN_FAR, CN_FAR, CN_FAR, CN_FAR } };
    cn_patch *patches[CN_LANES];
    c->point_count = 0;
    c->extras = 0;
    for (int i = 0; i < CN_LANES; i++) {
        patches[i] = i < count ? lanes[i].patch : (cn_patch *)&nothing;
        c->a[i] = i < count ? lanes[i].a : idle;
        c->b[i] = i < count ? lanes[i].b : idle;
        c->extras |= patches[i]->extras;
        c->point_count = patches[i]->point_count > c->point_count ? patches[i]->point_count : c->point_count;
    }
    cn_f8 row[4], present[4], radius, parts_a, parts_b, h = cn_f8_set(s->h);
    GATHER(normal, row);
    store3(c->normal, load3(row));
    c->friction = row[3];
    choose_tangents(c);
    place_points(c, patches, present, &radius);
    // Cone: the points' own friction resists twisting. Patch: a torque does, at the mean distance of the points.
    if (!s->cone)
        c->twist_arm += c->friction * radius;
    if (c->extra != NULL)
        prepare_extra(s, patches, c);

    gather_masses(s, c->a, &c->inverse_mass_a, c->inertia_a, &parts_a);
    gather_masses(s, c->b, &c->inverse_mass_b, c->inertia_b, &parts_b);
    for (int i = 0; i < 6; i++)
        c->ff[i] = c->tt[i] = cn_f8_zero();
    for (int i = 0; i < 9; i++)
        c->ft[i] = cn_f8_zero();
    bool locks = (c->extras & CN_EXTRA_LOCKS) != 0;
    add_mass_response(c, parts_a * c->inverse_mass_a, locks ? c->extra->free_a : NULL);
    add_mass_response(c, parts_b * c->inverse_mass_b, locks ? c->extra->free_b : NULL);
    c->on_static = (c->inverse_mass_a <= cn_f8_zero()) | (c->inverse_mass_b <= cn_f8_zero());
    c->follows_b = c->inverse_mass_b * cn_f8_inverse_or_zero(c->inverse_mass_a + c->inverse_mass_b);
    add_body_response(c, load3(c->ra), c->inertia_a, parts_a);
    add_body_response(c, load3(c->rb), c->inertia_b, parts_b);

    GATHER(force, row);
    for (int k = 0; k < 4; k++) {
        cn_wide_point *p = &c->points[k];
        cn_f8 x = p->x, y = p->y;
        cn_f8 answer = c->ff[0] + (y * c->ft[1] - x * c->ft[2]) * cn_f8_set(2.0f) + y * y * c->tt[3] + x * x * c->tt[5] -
                       x * y * c->tt[4] * cn_f8_set(2.0f);
        p->mass = present[k] * cn_f8_inverse_or_zero(answer);
        p->impulse = present[k] * h * row[k];
        p->total = cn_f8_zero();
    }
    GATHER(friction_force, row);
    cn_f8 keep = s->cone ? cn_f8_zero() : h; // the cone model keeps friction with the points
    c->friction_impulse[0] = keep * row[0];
    c->friction_impulse[1] = keep * row[1];
    c->twist_impulse = h * row[2];
}

CN_INLINE void scatter_row(cn_patch *const *patches, size_t offset, cn_f8 columns[4])
{
    float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (float *)((char *)patches[i] + offset);
    cn_scatter4(columns, rows);
}

#define SCATTER(field, columns) scatter_row(patches, offsetof(cn_patch, field), columns)

static void store(const cn_sweep *s, const cn_wide_patch *c, const cn_found_patch *lanes, int count)
{
    cn_patch nobody;
    cn_patch *patches[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        patches[i] = i < count ? lanes[i].patch : &nobody;
    cn_f8 row[4], rate = cn_f8_set(s->inverse_h);
    for (int k = 0; k < 4; k++)
        row[k] = rate * c->points[k].impulse;
    SCATTER(force, row);
    for (int k = 0; k < 4; k++)
        row[k] = c->points[k].total;
    SCATTER(total, row);
    cn_f8 f1 = c->friction_impulse[0], f2 = c->friction_impulse[1], limit = cn_f8_set(0.999f) * c->friction * normal_sum(c);
    cn_i8 sliding = f1 * f1 + f2 * f2 >= limit * limit;
    row[0] = rate * f1, row[1] = rate * f2, row[2] = rate * c->twist_impulse, row[3] = cn_f8_zero();
    SCATTER(friction_force, row);
    for (int i = 0; i < CN_LANES; i++) {
        patches[i]->sliding = sliding[i] != 0;
        patches[i]->substeps = (uint16_t)s->substeps;
    }
    const cn_wide_extra *e = c->extra;
    if (e == NULL)
        return;
    for (int k = 0; k < 4; k++)
        row[k] = e->approach[k];
    SCATTER(approach, row);
    for (int d = 0; d < 2; d++) {
        for (int k = 0; k < 4; k++)
            row[k] = rate * e->point_friction[k][d];
        SCATTER(point_friction[d], row);
    }
    row[0] = rate * e->rolling_impulse[0], row[1] = rate * e->rolling_impulse[1], row[2] = e->rolling_arm, row[3] = cn_f8_zero();
    SCATTER(rolling_torque, row);
}

// ---- bodies

CN_INLINE cn_f8 load_row(const float *row) { return *(const cn_f8 *)row; }

CN_INLINE cn_f8 damping_factors(const cn_body_drive *d, float h)
{
    float linear = 1.0f / (1.0f + h * d->damping[0]), angular = 1.0f / (1.0f + h * d->damping[1]);
    return (cn_f8){ linear, linear, linear, linear, angular, angular, angular, angular };
}

CN_INLINE cn_f8 driven(const cn_sweep *s, const cn_body_drive *d, cn_f8 velocity)
{
    velocity += cn_f8_set(s->h) * load_row(d->acceleration);
    if (d->damping[0] != 0.0f || d->damping[1] != 0.0f)
        velocity *= damping_factors(d, s->h);
    return velocity;
}

static void start_step(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_f8 *velocity = (cn_f8 *)s->states[bodies[i]].linear;
        cn_body_drive *d = &s->drives[bodies[i]];
        *velocity = *(cn_f8 *)d->before = driven(s, d, *velocity);
    }
}

// While the patches are frozen for the step, what the contacts added to a body's velocity in the last substep is all their impulses
// together. Adding it again warm starts every contact at once, without visiting any.
static void start_substep(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_f8 *velocity = (cn_f8 *)s->states[bodies[i]].linear;
        cn_body_drive *d = &s->drives[bodies[i]];
        cn_f8 added = *velocity - load_row(d->before), before = driven(s, d, *velocity);
        *(cn_f8 *)d->before = before;
        *velocity = before + added;
    }
}

// A body that no contact pushed follows its parabola exactly: h * (velocity before gravity + after) / 2.
static void move(const cn_sweep *s, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) {
        cn_body_state *state = &s->states[bodies[i]];
        cn_body_drive *d = &s->drives[bodies[i]];
        cn_f8 velocity = load_row(state->linear);
        if (!cn_any(velocity != load_row(d->before)))
            velocity -= cn_f8_set(0.5f * s->h) * load_row(d->acceleration);
        cn_f8 step = cn_f8_set(s->h) * velocity;
        *(cn_f8 *)state->moved += step;
        memcpy(d->last_move, &step, sizeof d->last_move);
    }
}

#define CN_WIDE_KERNELS(isa)                                                                                           \
    { isa,         prepare,     store,        warm_start,  shift_levers,  solve,         relax,      split_solve,                         \
      split_relax, sum_impulses, restitution, start_substep, start_step, move }
