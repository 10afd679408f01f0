// Vectors of eight lanes, bodies to lanes and back, and what the force and torque of a patch do to its bodies.
#ifndef CN_WIDE_MATH_H
#define CN_WIDE_MATH_H

#include "solve/wide.h"

typedef struct vec8 {
    cn_f8 x, y, z;
} vec8;

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

// What the matrix of a speck or of a mountain is multiplied by, so that its squares stay within the range of float.
CN_INLINE cn_f8 range_unit(cn_f8 largest)
{
    cn_i8 far = (largest > cn_f8_set(1e15f)) | (largest < cn_f8_set(1e-15f));
    return cn_f8_select(far, cn_f8_inverse_or_zero(largest), cn_f8_set(1.0f));
}

// ---- bodies to lanes and back

typedef struct motion8 {
    vec8 linear, angular;
} motion8;

CN_INLINE motion8 load_motion(const float *rows[CN_LANES])
{
    cn_f8 linear[4], angular[4];
    cn_gather4(rows, linear);
    for (int i = 0; i < CN_LANES; i++)
        rows[i] += 4;
    cn_gather4(rows, angular);
    return (motion8){ load3(linear), load3(angular) };
}

// `row` 0 reads velocities, 2 reads displacements.
CN_INLINE motion8 gather_motion(const cn_body_state *states, const int32_t index[CN_LANES], int row)
{
    const float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)&states[index[i]] + 4 * row;
    return load_motion(rows);
}

// The same of states whose distances from the first are known.
CN_INLINE motion8 gather_motion_at(const cn_body_state *states, const uint32_t at[CN_LANES], int row)
{
    const float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)((const char *)states + at[i]) + 4 * row;
    return load_motion(rows);
}

// One row of four: `row` 2 reads what has been moved.
CN_INLINE vec8 gather_row3(const cn_body_state *states, const int32_t index[CN_LANES], int row)
{
    const float *rows[CN_LANES];
    cn_f8 columns[4];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)&states[index[i]] + 4 * row;
    cn_gather4(rows, columns);
    return load3(columns);
}

// Into rows of eight floats, linear then angular, four each.
CN_INLINE void scatter_motion(motion8 m, float *rows[CN_LANES])
{
    cn_f8 linear[4] = { m.linear.x, m.linear.y, m.linear.z, cn_f8_zero() };
    cn_f8 angular[4] = { m.angular.x, m.angular.y, m.angular.z, cn_f8_zero() };
    cn_scatter4(linear, rows);
    for (int i = 0; i < CN_LANES; i++)
        rows[i] += 4;
    cn_scatter4(angular, rows);
}

CN_INLINE void scatter_velocity(cn_body_state *states, const int32_t index[CN_LANES], motion8 velocity)
{
    float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (float *)&states[index[i]];
    scatter_motion(velocity, rows);
}

CN_INLINE void scatter_velocity_at(cn_body_state *states, const uint32_t at[CN_LANES], motion8 velocity)
{
    float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (float *)((char *)states + at[i]);
    scatter_motion(velocity, rows);
}

CN_INLINE vec8 any_tangent(vec8 n) // see cn_tangent_basis
{
    cn_f8 zero = cn_f8_zero();
    cn_i8 use_x = cn_f8_abs(n.x) < cn_f8_set(0.7f);
    vec8 t = { cn_f8_select(use_x, zero, -n.z), cn_f8_select(use_x, n.z, zero), cn_f8_select(use_x, -n.y, n.x) };
    return scale8(cn_f8_inverse_or_zero(cn_f8_sqrt(dot8(t, t))), t);
}

typedef struct frame8 {
    vec8 n, t1, t2;
} frame8;

CN_INLINE frame8 load_frame(const cn_wide_patch *c)
{
    vec8 n = load3(c->normal), t1 = load3(c->tangent);
    return (frame8){ n, t1, cross8(n, t1) };
}
CN_INLINE vec8 from_frame(const frame8 *f, cn_f8 n, cn_f8 t1, cn_f8 t2)
{
    return add8(add8(scale8(n, f->n), scale8(t1, f->t1)), scale8(t2, f->t2));
}

// Where the patch lies seen from the centres of mass. When the bodies have moved past each other by `slid` it is one place no
// more; it then follows each body in proportion to its inverse mass (it stays under a ball that rolls on the ground). Both
// bodies feel its force along one line, so angular momentum is kept. Levers must not outgrow the bodies, whose masses the step
// has been prepared for: a small thing that flies past in one step is followed only a part of the way.
typedef struct levers8 {
    vec8 a, b;
} levers8;

CN_INLINE vec8 follow(const cn_wide_patch *c, vec8 slid)
{
    cn_f8 length_sq = dot8(slid, slid), most = c->most_slid;
    cn_f8 part = cn_f8_select(length_sq > most * most, most * cn_f8_inverse_or_zero(cn_f8_sqrt(length_sq)), cn_f8_set(1.0f));
    return scale8(part, slid);
}

CN_INLINE levers8 levers(const cn_wide_patch *c, vec8 slid)
{
    slid = follow(c, slid);
    vec8 share = scale8(c->follows_b, slid);
    return (levers8){ add8(load3(c->ra), share), sub8(load3(c->rb), sub8(slid, share)) };
}

// ---- force and torque of a patch, in its frame

typedef struct wrench8 {
    cn_f8 fn, f1, f2, tn, t1, t2;
} wrench8;

typedef struct response8 {
    motion8 a, b;
} response8; // velocity changes of the two bodies

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
    scatter_velocity_at(states, c->at_a, (motion8){ sub8(va.linear, r.a.linear), sub8(va.angular, r.a.angular) });
    scatter_velocity_at(states, c->at_b, (motion8){ add8(vb.linear, r.b.linear), add8(vb.angular, r.b.angular) });
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

#endif
