// From patches to wide patches, and the impulses back.
#ifndef CN_WIDE_PREPARE_H
#define CN_WIDE_PREPARE_H

#include "solve/wide_friction.h"

// Answer of the relative velocity (linear, angular) to force and torque, in the order normal, tangent 1, tangent 2.
typedef struct answer8 {
    cn_f8 ff[6]; // linear to force: nn n1 n2 11 12 22
    cn_f8 ft[9]; // linear to torque, rows linear n 1 2, columns torque n 1 2; transposed: angular to force
    cn_f8 tt[6]; // angular to torque: nn n1 n2 11 12 22
} answer8;

// Adds what one body contributes to the answer matrices. r and the inverse inertia are in world axes.
CN_INLINE void add_body_response(answer8 *m, const cn_wide_patch *c, vec8 r, const cn_f8 inertia[6], cn_f8 parts)
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
            m->ft[3 * i + j] += P[i][j];
    m->tt[0] += I[0][0], m->tt[1] += I[0][1], m->tt[2] += I[0][2];
    m->tt[3] += I[1][1], m->tt[4] += I[1][2], m->tt[5] += I[2][2];
    // P [R]: how it answers to force
    m->ff[0] += P[0][1] * R[2] - P[0][2] * R[1];
    m->ff[1] += P[0][2] * R[0] - P[0][0] * R[2];
    m->ff[2] += P[0][0] * R[1] - P[0][1] * R[0];
    m->ff[3] += P[1][2] * R[0] - P[1][0] * R[2];
    m->ff[4] += P[1][0] * R[1] - P[1][1] * R[0];
    m->ff[5] += P[2][0] * R[1] - P[2][1] * R[0];
}

// Adds a body's inverse mass: the same in every direction, or only along its free world axes.
CN_INLINE void add_mass_response(answer8 *m, const cn_wide_patch *c, cn_f8 inverse_mass, const cn_f8 *free_axes)
{
    if (free_axes == NULL) {
        m->ff[0] += inverse_mass;
        m->ff[3] += inverse_mass;
        m->ff[5] += inverse_mass;
        return;
    }
    vec8 n = load3(c->normal), t1 = load3(c->tangent), t2 = cross8(n, t1), freedom = scale8(inverse_mass, load3(free_axes));
    vec8 mn = mul8(freedom, n), m1 = mul8(freedom, t1), m2 = mul8(freedom, t2);
    cn_i8 all_free = free_axes[0] + free_axes[1] + free_axes[2] > cn_f8_set(2.5f);
    cn_f8 zero = cn_f8_zero(), least = cn_f8_set(CN_LEAST_RESPONSE) * inverse_mass;
    cn_f8 nn = dot8(n, mn), k11 = dot8(t1, m1), k22 = dot8(t2, m2);
    cn_i8 moves_n = nn > least, moves_1 = k11 > least, moves_2 = k22 > least; // else it is rounding
    m->ff[0] += cn_f8_select(all_free, inverse_mass, cn_f8_and(moves_n, nn));
    m->ff[1] += cn_f8_select(all_free, zero, cn_f8_and(moves_n & moves_1, dot8(n, m1)));
    m->ff[2] += cn_f8_select(all_free, zero, cn_f8_and(moves_n & moves_2, dot8(n, m2)));
    m->ff[3] += cn_f8_select(all_free, inverse_mass, cn_f8_and(moves_1, k11));
    m->ff[4] += cn_f8_select(all_free, zero, cn_f8_and(moves_1 & moves_2, dot8(t1, m2)));
    m->ff[5] += cn_f8_select(all_free, inverse_mass, cn_f8_and(moves_2, k22));
}

CN_INLINE void choose_tangents(cn_wide_patch *c) { store3(c->tangent, any_tangent(load3(c->normal))); }

CN_INLINE void gather_row(cn_patch *const *patches, size_t offset, cn_f8 columns[4])
{
    const float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)((const char *)patches[i] + offset);
    cn_gather4(rows, columns);
}

#define GATHER(field, columns) gather_row(patches, offsetof(cn_patch, field), columns)

// Masses of the bodies of all lanes; `parts` gets the number of pieces each is split into.
CN_INLINE void gather_masses(const cn_sweep *s, const int32_t index[CN_LANES], cn_f8 *inverse_mass, cn_f8 inertia[6],
                             cn_f8 *parts)
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

static void prepare_grain(cn_patch *const *patches, cn_wide_extra *e)
{
    for (int lane = 0; lane < CN_LANES; lane++) {
        const cn_patch *patch = patches[lane];
        bool grain = (patch->extras & CN_EXTRA_GRAIN) != 0, slippery = patch->grain_friction < CN_LEAST_GRAIN_FRICTION;
        e->has_grain[lane] = grain ? -1 : 0;
        e->grain[0][lane] = grain ? patch->grain[0] : 1.0f;
        e->grain[1][lane] = grain ? patch->grain[1] : 0.0f;
        e->grain_friction[lane] = !grain ? 1.0f : slippery ? 0.0f : patch->grain_friction;
        e->grain_inverse[lane] = !grain ? 1.0f : slippery ? 0.0f : 1.0f / patch->grain_friction;
    }
}

// How fast the surface of a turning kinematic body changes its velocity where the patch is; none for bodies that are pushed, and for
// those that turn by more than a radian in a step.
CN_INLINE vec8 turning_surface(const cn_sweep *s, const int32_t index[CN_LANES], cn_f8 inverse_mass, vec8 arm)
{
    vec8 spin = gather_row3(s->states, index, 1);
    cn_i8 turns = (inverse_mass <= cn_f8_zero()) & (dot8(spin, spin) * cn_f8_set(s->dt * s->dt) < cn_f8_set(1.0f));
    vec8 rate = cross8(spin, cross8(spin, arm));
    return v8(cn_f8_and(turns, rate.x), cn_f8_and(turns, rate.y), cn_f8_and(turns, rate.z));
}

// What a turning platform carries must turn its velocity all through the step: all of it at once may be more than friction can do.
// The target of the step is the mean; it begins by half a step less.
static void prepare_surface_rate(const cn_sweep *s, cn_wide_patch *c)
{
    cn_f8 mass_a, mass_b, inertia[6], parts, early = cn_f8_set(0.5f * (s->h - s->dt));
    gather_masses(s, c->a, &mass_a, inertia, &parts);
    gather_masses(s, c->b, &mass_b, inertia, &parts);
    vec8 rate = sub8(turning_surface(s, c->a, mass_a, load3(c->ra)), turning_surface(s, c->b, mass_b, load3(c->rb)));
    vec8 t1 = load3(c->tangent), t2 = cross8(load3(c->normal), t1);
    cn_wide_extra *e = c->extra;
    e->surface_rate[0] = dot8(t1, rate);
    e->surface_rate[1] = dot8(t2, rate);
    for (int d = 0; d < 2; d++)
        e->surface[d] += early * e->surface_rate[d];
}

static void prepare_extra(const cn_sweep *s, cn_patch *const *patches, cn_wide_patch *c)
{
    cn_wide_extra *e = c->extra;
    cn_f8 row[4], friction[2][4], zero = cn_f8_zero(), h = cn_f8_set(s->carried);
    GATHER(surface, row);
    vec8 n = load3(c->normal), t1 = load3(c->tangent), surface = load3(row);
    e->surface[0] = dot8(t1, surface);
    e->surface[1] = dot8(cross8(n, t1), surface);
    if (c->extras & CN_EXTRA_SURFACE)
        prepare_surface_rate(s, c);
    e->restitution = row[3];
    e->impact = zero;
    GATHER(rolling_torque, row);
    e->rolling_impulse[0] = h * row[0];
    e->rolling_impulse[1] = h * row[1];
    e->rolling_arm = row[2];
    e->balls = row[3] > zero;
    e->ball_radius = row[3];
    GATHER(point_friction[0], friction[0]);
    GATHER(point_friction[1], friction[1]);
    for (int k = 0; k < 4; k++) {
        e->approach[k] = zero;
        e->point_friction[k][0] = h * friction[0][k];
        e->point_friction[k][1] = h * friction[1][k];
    }
    for (int lane = 0; lane < CN_LANES; lane++) {
        e->struck[lane] = patches[lane]->extras & (CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT) ? -1 : 0;
        uint32_t locks_a = s->drives[c->a[lane]].locks, locks_b = s->drives[c->b[lane]].locks;
        for (int axis = 0; axis < 3; axis++) {
            e->free_a[axis][lane] = locks_a >> axis & 1 ? 0.0f : 1.0f;
            e->free_b[axis][lane] = locks_b >> axis & 1 ? 0.0f : 1.0f;
        }
    }
    if (c->extras & CN_EXTRA_GRAIN)
        prepare_grain(patches, e);
}

// What friction at the points resists twisting with: at their mean distance from the centre, and less or more where they turn
// along a grain.
CN_INLINE cn_f8 friction_radius(const cn_wide_patch *c, cn_f8 radius, const cn_f8 present[4])
{
    if (!(c->extras & CN_EXTRA_GRAIN))
        return radius;
    cn_f8 sum = cn_f8_zero(), count = sum;
    for (int k = 0; k < 4; k++) {
        change8 u = to_grain_velocity(c->extra, -c->points[k].y, c->points[k].x);
        sum += cn_f8_sqrt(u.d1 * u.d1 + u.d2 * u.d2);
        count += present[k];
    }
    return cn_f8_select(c->extra->has_grain, sum * cn_f8_inverse_or_zero(count), radius);
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

// How the normal velocity at point p answers to a normal impulse at q.
CN_INLINE cn_f8 point_coupling(const answer8 *m, const cn_wide_point *p, const cn_wide_point *q)
{
    return m->ff[0] + (p->y + q->y) * m->ft[1] - (p->x + q->x) * m->ft[2] + p->y * q->y * m->tt[3] + p->x * q->x * m->tt[5] -
           (p->x * q->y + p->y * q->x) * m->tt[4];
}

// A speck that is pushed far from its centre gives way like nothing; where its answer leaves the range of float there is nothing to push
// against.
CN_INLINE void keep_within_range(const cn_wide_patch *c, answer8 *m)
{
    cn_f8 largest = cn_f8_max(m->ff[0], cn_f8_max(m->ff[3], m->ff[5]));
    for (int k = 0; k < c->point_count; k++)
        largest = cn_f8_max(largest, point_coupling(m, &c->points[k], &c->points[k]));
    cn_i8 within = largest < cn_f8_set(CN_MOST_ANSWER);
    cn_f8 *entries = (cn_f8 *)m;
    for (size_t i = 0; i < sizeof *m / sizeof *entries && cn_any(~within); i++)
        entries[i] = cn_f8_and(within, entries[i]);
}

// What sweeps use of the answer. The part that only normal forces and rolling torques share is in the points' masses and
// couplings already; the patch keeps it apart for the few that need it.
CN_INLINE void keep_answer(cn_wide_patch *c, const answer8 *m)
{
    for (int i = 0; i < 5; i++)
        c->ff[i] = m->ff[i + 1];
    c->ft[0] = m->ft[0];
    for (int i = 1; i < 7; i++)
        c->ft[i] = m->ft[i + 2];
    for (int i = 0; i < 3; i++)
        c->tt[i] = m->tt[i];
    c->disc = disc_of(c->ff[2], c->ff[3], c->ff[4]);
    c->twist_mass = inverse_response(c->tt[0]);
    if (c->extra == NULL)
        return;
    c->extra->normal[0] = m->ff[0];
    c->extra->normal[1] = m->ft[1];
    c->extra->normal[2] = m->ft[2];
    for (int i = 3; i < 6; i++)
        c->extra->normal[i] = m->tt[i];
}

// Levers follow a slide up to this part of the size of the smaller shape, and up to the radius of gyration of a body: a longer lever
// would turn it far more than the effective masses, which do not follow, reckon with.
#define LEVER_REACH 0.3f

CN_INLINE cn_f8 gyration(cn_f8 inverse_mass, const cn_f8 inertia[6])
{
    cn_f8 trace = inertia[0] + inertia[1] + inertia[2];
    return cn_f8_select(trace > cn_f8_zero(), cn_f8_sqrt(cn_f8_set(3.0f) * inverse_mass * cn_f8_inverse_or_zero(trace)), cn_f8_set(CN_FAR));
}

CN_INLINE cn_f8 least_positive(cn_f8 a, cn_f8 b)
{
    cn_f8 zero = cn_f8_zero();
    return cn_f8_select(a <= zero, b, cn_f8_select(b <= zero, a, cn_f8_min(a, b)));
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
        c->at_a[i] = (uint32_t)c->a[i] * (uint32_t)sizeof(cn_body_state);
        c->at_b[i] = (uint32_t)c->b[i] * (uint32_t)sizeof(cn_body_state);
        // What a lane does must not depend on its neighbours: islands that share a vector would feel each other.
        c->most_slid[i] = patches[i]->extras & CN_EXTRA_SLIDING ? LEVER_REACH / lanes[i].inverse_size : 0.0f;
        c->watches_gaps[i] = patches[i]->extras & CN_EXTRA_APART ? -1 : 0;
        c->extras |= patches[i]->extras;
        c->point_count = patches[i]->point_count > c->point_count ? patches[i]->point_count : c->point_count;
    }
    cn_f8 row[4], present[4], radius, parts_a, parts_b, h = cn_f8_set(s->carried);
    GATHER(normal, row);
    store3(c->normal, load3(row));
    c->friction = row[3];
    choose_tangents(c);
    place_points(c, patches, present, &radius);
    if (c->extra != NULL)
        prepare_extra(s, patches, c);
    // Cone: the points' own friction resists twisting. Patch: a torque does, at the mean distance of the points.
    if (!s->cone)
        c->twist_arm += c->friction * friction_radius(c, radius, present);

    gather_masses(s, c->a, &c->inverse_mass_a, c->inertia_a, &parts_a);
    gather_masses(s, c->b, &c->inverse_mass_b, c->inertia_b, &parts_b);
    if (c->extras & CN_EXTRA_SLIDING)
        c->most_slid = cn_f8_min(c->most_slid, cn_f8_min(gyration(c->inverse_mass_a, c->inertia_a), gyration(c->inverse_mass_b, c->inertia_b)));
    answer8 m = { 0 };
    bool locks = (c->extras & CN_EXTRA_LOCKS) != 0;
    add_mass_response(&m, c, parts_a * c->inverse_mass_a, locks ? c->extra->free_a : NULL);
    add_mass_response(&m, c, parts_b * c->inverse_mass_b, locks ? c->extra->free_b : NULL);
    c->on_static = (c->inverse_mass_a <= cn_f8_zero()) | (c->inverse_mass_b <= cn_f8_zero());
    c->follows_b = c->inverse_mass_b * cn_f8_inverse_or_zero(c->inverse_mass_a + c->inverse_mass_b);
    add_body_response(&m, c, load3(c->ra), c->inertia_a, parts_a);
    add_body_response(&m, c, load3(c->rb), c->inertia_b, parts_b);
    keep_within_range(c, &m);

    GATHER(force, row);
    // What locks leave of a direction that cannot move is rounding, also of turns; measured by the heavier of the two, for that may be
    // the one that moves.
    cn_f8 least = locks ? cn_f8_set(CN_LEAST_RESPONSE) * least_positive(parts_a * c->inverse_mass_a, parts_b * c->inverse_mass_b)
                        : cn_f8_zero();
    for (int k = 0; k < 4; k++) {
        cn_wide_point *p = &c->points[k];
        cn_f8 answer = point_coupling(&m, p, p);
        p->mass = present[k] * cn_f8_inverse_or_zero(cn_f8_and(answer > least, answer));
        p->impulse = present[k] * h * row[k];
        p->total = cn_f8_zero();
    }
    keep_answer(c, &m);
    for (int j = 0, pair = 0; j < 4; j++)
        for (int k = j + 1; k < 4; k++)
            c->coupling[pair++] = point_coupling(&m, &c->points[j], &c->points[k]);
    GATHER(friction_force, row);
    cn_f8 keep = s->cone ? cn_f8_zero() : h; // the cone model keeps friction with the points
    c->friction_impulse[0] = keep * row[0];
    c->friction_impulse[1] = keep * row[1];
    c->twist_impulse = h * row[2];
    c->friction_total[0] = c->friction_total[1] = cn_f8_zero();
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
    cn_i8 sliding = friction_at_limit(c, s->cone);
    row[0] = rate * c->friction_impulse[0], row[1] = rate * c->friction_impulse[1], row[2] = rate * c->twist_impulse,
    row[3] = cn_f8_zero();
    if (c->extra != NULL)
        row[3] = c->extra->impact;
    SCATTER(friction_force, row);
    for (int i = 0; i < count; i++) {
        patches[i]->friction_total[0] = c->friction_total[0][i];
        patches[i]->friction_total[1] = c->friction_total[1][i];
        patches[i]->sliding = sliding[i] != 0;
        patches[i]->substeps = (uint16_t)s->substeps;
        patches[i]->exact = false;
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
    row[0] = rate * e->rolling_impulse[0], row[1] = rate * e->rolling_impulse[1], row[2] = e->rolling_arm,
    row[3] = e->ball_radius;
    SCATTER(rolling_torque, row);
}

#endif
