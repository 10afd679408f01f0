// From joints to wide joints, and the impulses back.
#ifndef CN_WIDE_JOINT_PREPARE_H
#define CN_WIDE_JOINT_PREPARE_H

#include "solve/row_law.h"
#include "solve/wide_joint_math.h"
#include "solve/wide_joint_torque.h"
#include "solve/wide_prepare.h"
#include "solve/wide_sweep.h"

#define GATHER_JOINT(field, columns) gather_joint_row(joints, offsetof(cn_solver_joint, field), columns)

CN_INLINE void gather_joint_row(cn_solver_joint *const *joints, size_t offset, cn_f8 columns[4])
{
    const float *rows[CN_LANES];
    for (int i = 0; i < CN_LANES; i++)
        rows[i] = (const float *)((const char *)joints[i] + offset);
    cn_gather4(rows, columns);
}

// ---- how rates answer to impulses

// Adds what one body contributes: m are its inverse masses along the world's axes.
CN_APART void add_side_answer(cn_f8 k[6][6], int count, const posture8 *p, vec8 lever, const cn_f8 m[3], const cn_f8 inertia[6])
{
    vec8 direction[6], answer[6];
    for (int i = 0; i < count; i++) {
        direction[i] = i < 3 ? cross8(lever, p->axes[i]) : p->turn[i - 3];
        answer[i] = sym8(inertia, direction[i]);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            cn_f8 sum = dot8(direction[i], answer[j]);
            if (i < 3)
                sum += dot8(p->axes[i], mul8(load3(m), p->axes[j]));
            k[i][j] += sum;
        }
}

// Eliminates the locked degrees of freedom, one after the other (the sweep operator of regression). Afterwards k holds minus
// the inverse for pairs of locked ones, the answer of the free ones while the locks hold, and, between the two, how the impulse
// of a lock follows that of a free one. A direction in which nothing can move stays as it is and counts as free. Where the
// locks leave a free one no more than rounding, which may have any sign, they leave it nothing. Nor is there anything to hold
// where the levers of an open joint are so long that its answer leaves the range of float.
CN_INLINE void eliminate_locked(cn_f8 k[6][6], int count, cn_f8 locked[6])
{
    cn_f8 rounding[6], zero = cn_f8_zero(), largest = zero;
    for (int i = 0; i < count; i++) {
        rounding[i] = cn_f8_set(1e-6f) * k[i][i];
        largest = cn_f8_max(largest, k[i][i]);
    }
    cn_i8 within = largest < cn_f8_set(CN_MOST_ANSWER);
    for (int i = 0; i < count && cn_any(~within); i++)
        for (int j = 0; j <= i; j++)
            k[i][j] = cn_f8_and(within, k[i][j]);
    for (int n = 0; n < count; n++) {
        cn_i8 takes = (locked[n] > zero) & (k[n][n] > rounding[n]);
        locked[n] = cn_f8_and(takes, locked[n]);
        cn_f8 inverse = cn_f8_inverse_or_zero(k[n][n]), column[6], part[6];
        for (int i = 0; i < count; i++) {
            column[i] = i >= n ? k[i][n] : k[n][i];
            part[i] = column[i] * inverse;
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j <= i; j++)
                if (i != n && j != n)
                    k[i][j] -= cn_f8_and(takes, part[i] * column[j]);
        for (int i = 0; i < count; i++) // what is uncertain of the pivot is of what was divided by it
            rounding[i] += i == n ? zero : cn_f8_and(takes, part[i] * part[i] * rounding[n]);
        for (int i = 0; i < count; i++) {
            cn_f8 *entry = i >= n ? &k[i][n] : &k[n][i];
            *entry = cn_f8_select(takes, i == n ? -inverse : part[i], *entry);
        }
    }
    for (int n = 0; n < count; n++) {
        cn_i8 stuck = ~(locked[n] > zero) & ~(k[n][n] > rounding[n]);
        for (int i = 0; i < count && cn_any(stuck); i++) {
            cn_f8 *entry = i >= n ? &k[i][n] : &k[n][i];
            *entry = cn_f8_and(~stuck | (locked[i] > zero), *entry);
        }
    }
}

// In the lanes of the mask.
CN_INLINE void keep_hold(cn_wide_joint *c, cn_f8 k[6][6], int count, const cn_f8 locked[6], cn_i8 mask)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            cn_f8 *hold = &c->hold[triangle(i, j)];
            *hold = cn_f8_select(mask, -(locked[i] * locked[j] * k[i][j]), *hold);
        }
}

// ---- rows

// The law of the same spring and damper on another mass. What was made for a mass twice as large would push a body to and fro.
CN_APART void adapt_spring(cn_wide_row *r, cn_f8 mass, cn_i8 mask)
{
    cn_f8 soft = (cn_f8_set(1.0f) - r->drag) * mass, hard = r->drag * r->mass, inverse = cn_f8_inverse_or_zero(soft + hard);
    r->pull = cn_f8_select(mask, r->pull * (r->mass * inverse), r->pull);
    r->drag = cn_f8_select(mask, hard * inverse, r->drag);
    r->mass = cn_f8_select(mask, mass, r->mass);
}

// What a unit impulse along an axis does while the locks hold, and by how much it changes the rates; in the lanes of the mask.
CN_INLINE void prepare_along(cn_f8 k[6][6], const cn_f8 locked[6], const cn_f8 axis[6], cn_i8 mask, cn_f8 wrench[6],
                             cn_f8 response[6])
{
    for (int i = 0; i < 6; i++) {
        cn_f8 sum = cn_f8_zero();
        for (int j = 0; j < 6; j++)
            sum += (i >= j ? k[i][j] : k[j][i]) * axis[j];
        response[i] = cn_f8_select(mask, (cn_f8_set(1.0f) - locked[i]) * sum, response[i]);
        wrench[i] = cn_f8_select(mask, axis[i] - locked[i] * sum, wrench[i]);
    }
}

CN_APART void prepare_cone(cn_wide_cone *c, cn_f8 k[6][6], const cn_f8 locked[6], cn_i8 mask)
{
    for (int n = 0; n < 2; n++) {
        cn_f8 axis[6] = { 0 };
        axis[4 + n] = cn_f8_set(1.0f) - locked[4 + n];
        prepare_along(k, locked, axis, mask, c->wrench[n], c->response[n]);
    }
}

// Springs keep the mass for which their law was made, unless it has become far too large.
CN_INLINE void set_row_mass(cn_wide_row *r, cn_f8 mass, cn_i8 mask)
{
    cn_i8 lighter = mask & r->springs & (cn_f8_set(2.0f) * mass < r->mass);
    if (cn_any(lighter))
        adapt_spring(r, mass, lighter);
    r->mass = cn_f8_select(mask & ~r->springs, mass, r->mass);
}

// In the lanes of the mask.
CN_APART void prepare_row(cn_wide_row *r, cn_f8 k[6][6], const cn_f8 locked[6], cn_i8 mask)
{
    cn_f8 one = cn_f8_set(1.0f), answer = cn_f8_zero(), axis[6];
    for (int d = 0; d < 6; d++)
        axis[d] = (one - locked[d]) * r->axis[d];
    prepare_along(k, locked, axis, mask, r->wrench, r->response);
    for (int i = 0; i < 6; i++)
        answer += axis[i] * r->response[i];
    set_row_mass(r, cn_f8_inverse_or_zero(answer), mask);
}

static void load_rows(const cn_sweep *s, cn_solver_joint *const *joints, int count, cn_wide_joint *c)
{
    for (int n = 0; n < c->row_count; n++) {
        cn_wide_row *r = &c->rows[n];
        *r = (cn_wide_row){ .lower = cn_f8_set(-CN_ROW_FAR), .upper = cn_f8_set(CN_ROW_FAR) };
        for (int lane = 0; lane < count; lane++) {
            if (n >= joints[lane]->row_count)
                continue;
            const cn_joint_row *row = &joints[lane]->rows[n];
            if (c->cone != NULL && row == cn_rigid_cone(joints[lane]))
                continue;
            for (int d = 0; d < 6; d++)
                r->axis[d][lane] = row->axis[d];
            r->impulse[lane] = s->carried * row->force;
            r->cones[lane] = row->cone[0] > 0.0f ? -1 : 0;
            for (int i = 0; i < 2; i++)
                r->cone[i][lane] = row->cone[0] > 0.0f ? 1.0f / (row->cone[i] * row->cone[i]) : 0.0f;
            r->place[lane] = r->now[lane] = row->place;
        }
    }
}

static void drive_row(const cn_sweep *s, const cn_joint_row *row, float mass, float part, cn_row_law *law)
{
    cn_motor_drive drive = {
        .error = { row->place - row->rest }, .moved = { row->moved }, .mass = mass, .most_force = row->most_force
    };
    cn_drive_motor(&drive, s->h, s->dt, part, s->push_speed * s->dt);
    law->rest = row->place - drive.held[0];
    law->speed = drive.speed[0];
}

static void load_cone(const cn_sweep *s, cn_solver_joint *const *joints, int count, cn_wide_cone *c)
{
    *c = (cn_wide_cone){ 0 };
    for (int lane = 0; lane < count; lane++) {
        const cn_joint_row *row = cn_rigid_cone(joints[lane]);
        for (int k = 0; row != NULL && k < 2; k++) {
            c->inverse[k][lane] = 1.0f / row->cone[k];
            c->impulse[k][lane] = s->carried * row->force * row->axis[4 + k];
        }
    }
}

// Once the masses are known.
static void load_row_laws(const cn_sweep *s, const cn_found_joint *lanes, int count, cn_wide_joint *c)
{
    for (int n = 0; n < c->row_count; n++) {
        cn_wide_row *r = &c->rows[n];
        for (int lane = 0; lane < count; lane++) {
            const cn_solver_joint *joint = lanes[lane].joint;
            const cn_joint_softness *soft = &s->joints[lanes[lane].direct];
            const cn_joint_row *cone = c->cone != NULL ? cn_rigid_cone(joint) : NULL;
            if (n >= joint->row_count)
                continue;
            cn_row_law law = cn_row_law_of(&joint->rows[n], r->mass[lane], s->h, soft->drag, soft->pull);
            if (law.firm && !law.stops)
                drive_row(s, &joint->rows[n], r->mass[lane], soft->motor_part, &law);
            r->rest[lane] = law.rest;
            r->speed[lane] = law.speed;
            r->drag[lane] = law.drag;
            r->pull[lane] = law.pull;
            r->most[lane] = law.most;
            r->lower[lane] = law.lower;
            r->upper[lane] = law.upper;
            r->stops[lane] = law.stops && &joint->rows[n] != cone ? -1 : 0;
            r->firm[lane] = law.firm ? -1 : 0;
            r->springs[lane] = law.firm || law.drag == 1.0f ? 0 : -1;
        }
    }
}

// ---- the three classes

// A ball's rates are along the world's axes: most of the products are with 0 and 1.
CN_INLINE void add_ball_answer(cn_f8 k[6][6], vec8 r, const cn_f8 m[3], const cn_f8 inertia[6])
{
    cn_f8 zero = cn_f8_zero();
    vec8 y = sym8(inertia, v8(-r.z, zero, r.x)), z = sym8(inertia, v8(r.y, -r.x, zero)), x = sym8(inertia, v8(zero, r.z, -r.y));
    k[0][0] += m[0] + (r.z * x.y - r.y * x.z);
    k[1][0] += r.z * y.y - r.y * y.z;
    k[2][0] += r.z * z.y - r.y * z.z;
    k[1][1] += m[1] + (r.x * y.z - r.z * y.x);
    k[2][1] += r.x * z.z - r.z * z.x;
    k[2][2] += m[2] + (r.y * z.x - r.x * z.y);
}

// What the posture makes of hold and rows, in the lanes of the mask.
CN_INLINE void hold_ball(cn_wide_joint *c, vec8 lever_a, vec8 lever_b, cn_i8 mask)
{
    cn_f8 one = cn_f8_set(1.0f), k[6][6] = { 0 }, locked[6] = { one, one, one };
    add_ball_answer(k, lever_a, c->inverse_mass_a, c->inertia_a);
    add_ball_answer(k, lever_b, c->inverse_mass_b, c->inertia_b);
    eliminate_locked(k, 3, locked);
    keep_hold(c, k, 3, locked, mask);
}

CN_APART void hold_general(cn_wide_joint *c, const posture8 *p, cn_i8 mask)
{
    cn_f8 k[6][6] = { 0 }, locked[6];
    int dofs = c->turns ? 6 : 3;
    add_side_answer(k, dofs, p, p->lever_a, c->inverse_mass_a, c->inertia_a);
    add_side_answer(k, dofs, p, p->lever_b, c->inverse_mass_b, c->inertia_b);
    for (int d = 0; d < 6; d++)
        locked[d] = c->locked[d];
    eliminate_locked(k, dofs, locked);
    keep_hold(c, k, 6, locked, mask);
    for (int n = 0; n < c->row_count; n++)
        prepare_row(&c->rows[n], k, locked, mask);
    if (c->cone != NULL)
        prepare_cone(c->cone, k, locked, mask);
    for (int d = 0; d < 6; d++) // the other lanes keep the locks that their hold was made with
        c->locked[d] = cn_f8_select(mask, locked[d], c->locked[d]);
    if (c->torque != NULL)
        prepare_torque(c, p, mask);
}

static void prepare_general(const cn_sweep *s, cn_solver_joint *const *joints, int count, cn_wide_joint *c)
{
    cn_f8 row[4];
    for (int i = 0; i < 2; i++) {
        GATHER_JOINT(axes[i], row);
        store3(c->start_axes[i], load3(row));
        store3(c->axes[i], load3(row));
        GATHER_JOINT(place[i], row);
        store3(c->place + 3 * i, load3(row));
    }
    store3(c->axes[2], cross8(load3(c->axes[0]), load3(c->axes[1])));
    GATHER_JOINT(rotation, c->rotation);
    quat8 rotation = { load3(c->rotation), c->rotation[3] };
    turn8 turn = take_turn_apart(&rotation);
    for (int i = 0; i < 3; i++) {
        store3(c->turn_axes[i], turn.axes[i]);
        c->start_turn[i] = c->turn[i] = turn.angle[i];
        c->start[i] = dot8(load3(c->axes[i]), load3(c->gap));
    }
    c->turns = c->aims = false;
    for (int lane = 0; lane < CN_LANES; lane++) {
        const cn_solver_joint *joint = joints[lane];
        for (int d = 0; d < 6; d++)
            c->locked[d][lane] = joint->locked >> d & 1 ? 1.0f : 0.0f;
        c->aiming[lane] = joint->aims ? -1 : 0;
        c->aims |= joint->aims;
        c->turns |= (joint->locked & 0x38) != 0 || joint->torques != NULL;
        for (int n = 0; n < joint->row_count; n++)
            c->turns |= joint->rows[n].dof >= 3;
    }
    for (int d = 0; d < 6; d++)
        c->change[d] = cn_f8_zero();
    posture8 p = posture_now(c);
    load_rows(s, joints, count, c);
    if (c->cone != NULL)
        load_cone(s, joints, count, c->cone);
    if (c->torque != NULL)
        load_torque(s, joints, count, c->torque);
    hold_general(c, &p, cn_f8_zero() == cn_f8_zero());
}

CN_INLINE motion8 coupling_response(const cn_f8 jacobian[6], const cn_f8 m[3], const cn_f8 inertia[6])
{
    return (motion8){ mul8(load3(m), load3(jacobian)), sym8(inertia, load3(jacobian + 3)) };
}
CN_INLINE cn_f8 along_jacobian(const cn_f8 jacobian[6], motion8 v)
{
    return dot8(load3(jacobian), v.linear) + dot8(load3(jacobian + 3), v.angular);
}

// The mass that it moves, which is another one when a body with an inertia that is followed has turned.
CN_APART void hold_coupling(cn_wide_joint *c)
{
    cn_f8 answer = along_jacobian(c->jacobian_a, coupling_response(c->jacobian_a, c->inverse_mass_a, c->inertia_a)) +
                   along_jacobian(c->jacobian_b, coupling_response(c->jacobian_b, c->inverse_mass_b, c->inertia_b));
    cn_f8 mass = cn_f8_inverse_or_zero(answer);
    c->hold[0] = c->locked[0] * mass;
    for (int n = 0; n < c->row_count; n++)
        set_row_mass(&c->rows[n], mass, cn_f8_zero() == cn_f8_zero());
}

static void prepare_coupling(const cn_sweep *s, cn_solver_joint *const *joints, int count, cn_wide_joint *c)
{
    cn_f8 row[4];
    GATHER_JOINT(jacobian[0][0], row);
    store3(c->jacobian_a, load3(row));
    GATHER_JOINT(jacobian[0][1], row);
    store3(c->jacobian_a + 3, load3(row));
    GATHER_JOINT(jacobian[1][0], row);
    store3(c->jacobian_b, load3(row));
    GATHER_JOINT(jacobian[1][1], row);
    store3(c->jacobian_b + 3, load3(row));
    GATHER_JOINT(place[0], row);
    c->place[0] = row[0];
    c->change[0] = cn_f8_zero();
    for (int lane = 0; lane < CN_LANES; lane++)
        c->locked[0][lane] = joints[lane]->locked & 1 ? 1.0f : 0.0f;
    load_rows(s, joints, count, c);
    hold_coupling(c);
}

// ---- in and out

CN_INLINE void gather_joint_masses(const cn_sweep *s, const int32_t index[CN_LANES], cn_f8 mass[3], cn_f8 inertia[6])
{
    cn_f8 inverse_mass, parts;
    gather_masses(s, index, &inverse_mass, inertia, &parts);
    for (int axis = 0; axis < 3; axis++)
        mass[axis] = inverse_mass;
    for (int lane = 0; lane < CN_LANES; lane++) {
        uint32_t locks = s->drives[index[lane]].locks;
        for (int axis = 0; axis < 3 && locks != 0; axis++)
            if (locks >> axis & 1)
                mass[axis][lane] = 0.0f;
    }
}

// How much more easily a body turns about one axis than about the others.
CN_INLINE cn_f8 slenderness(const cn_f8 inertia[6])
{
    cn_f8 scale = cn_f8_inverse_or_zero(inertia[0] + inertia[1] + inertia[2]), i[6];
    for (int k = 0; k < 6; k++)
        i[k] = scale * inertia[k];
    return cn_f8_inverse_or_zero(i[0] * i[1] + i[0] * i[2] + i[1] * i[2] - i[3] * i[3] - i[4] * i[4] - i[5] * i[5]);
}

// A tenth of a radian, and less for thin bodies: a lever along the body that has turned by an angle meets, as a part of what it
// was taken for, the square of that angle times mass and lever squared over the least inertia; an axis across a needle
// likewise.
CN_INLINE cn_f8 far_to_turn(const cn_f8 mass[3], const cn_f8 inertia[6], vec8 lever)
{
    cn_f8 most = cn_f8_max(inertia[0], cn_f8_max(inertia[1], inertia[2]));
    cn_f8 thin = cn_f8_max(most * dot8(lever, lever) * cn_f8_inverse_or_zero(mass[0]), slenderness(inertia));
    return cn_f8_set(0.05f * 0.05f) / cn_f8_max(cn_f8_set(1.0f), cn_f8_set(0.1f) * thin);
}

// The same for the end of a lever, which an open joint makes longer: squared, at five times the angle, or half the radius of
// gyration.
CN_INLINE cn_f8 far_to_jump(cn_f8 far, const cn_f8 mass[3], const cn_f8 inertia[6], vec8 lever)
{
    cn_f8 most = cn_f8_max(inertia[0], cn_f8_max(inertia[1], inertia[2]));
    cn_f8 jump = cn_f8_max(cn_f8_set(100.0f) * far, cn_f8_set(0.016f)) * dot8(lever, lever) +
                 cn_f8_set(0.25f) * mass[0] * cn_f8_inverse_or_zero(most);
    return cn_f8_select(most > cn_f8_zero(), jump, cn_f8_set(CN_ROW_FAR * CN_ROW_FAR));
}

static void joint_prepare(const cn_sweep *s, const cn_found_joint *lanes, int count, int idle, cn_wide_joint *c)
{
    // Lanes that are left over hold nothing.
    static const cn_solver_joint nothing = { .axes = { { 1.0f }, { 0.0f, 1.0f } }, .rotation = { 0.0f, 0.0f, 0.0f, 1.0f } };
    cn_solver_joint *joints[CN_LANES];
    for (int i = 0; i < CN_LANES; i++) {
        joints[i] = i < count ? lanes[i].joint : (cn_solver_joint *)&nothing;
        c->a[i] = i < count ? lanes[i].a : idle;
        c->b[i] = i < count ? lanes[i].b : idle;
        c->drag[i] = s->joints[i < count && lanes[i].direct].drag;
        c->pull[i] = s->joints[i < count && lanes[i].direct].pull;
        bool near = i >= count || !lanes[i].far, at_a = i < count && lanes[i].at_a;
        c->spans[0][i] = near && !at_a ? 1.0f : 0.0f;
        c->spans[1][i] = near && at_a ? 1.0f : 0.0f;
    }
    c->joint_class = joints[0]->joint_class;
    c->direct = c->follows = false;
    for (int i = 0; i < count; i++)
        c->direct |= lanes[i].direct;
    gather_joint_masses(s, c->a, c->inverse_mass_a, c->inertia_a);
    gather_joint_masses(s, c->b, c->inverse_mass_b, c->inertia_b);
    cn_f8 row[4], h = cn_f8_set(s->carried);
    GATHER_JOINT(gap, row);
    store3(c->gap, load3(row));
    store3(c->gap_now, load3(row));
    GATHER_JOINT(arm_a, row);
    store3(c->arm_a, load3(row));
    store3(c->lever_a, lever_of_a(c, load3(row), load3(c->gap)));
    GATHER_JOINT(arm_b, row);
    store3(c->arm_b, load3(row));
    store3(c->lever_b, lever_of_b(c, load3(row), load3(c->gap)));
    c->slack = cn_f8_set(CN_JOINT_SLACK) *
               (cn_f8_sqrt(dot8(load3(c->lever_a), load3(c->lever_a))) + cn_f8_sqrt(dot8(load3(row), load3(row))));
    for (int i = 0; i < 2; i++) {
        GATHER_JOINT(force[i], row);
        store3(c->impulse + 3 * i, scale8(h, load3(row)));
        store3(c->total + 3 * i, v8(cn_f8_zero(), cn_f8_zero(), cn_f8_zero()));
        store3(i == 0 ? c->turned_a : c->turned_b, v8(cn_f8_zero(), cn_f8_zero(), cn_f8_zero()));
    }
    c->far_a = far_to_turn(c->inverse_mass_a, c->inertia_a, load3(c->lever_a));
    c->far_b = far_to_turn(c->inverse_mass_b, c->inertia_b, load3(c->lever_b));
    c->jump_a = far_to_jump(c->far_a, c->inverse_mass_a, c->inertia_a, load3(c->lever_a));
    c->jump_b = far_to_jump(c->far_b, c->inverse_mass_b, c->inertia_b, load3(c->lever_b));
    if (c->joint_class == CN_CLASS_BALL)
        hold_ball(c, load3(c->lever_a), load3(c->lever_b), cn_f8_zero() == cn_f8_zero());
    else if (c->joint_class == CN_CLASS_GENERAL)
        prepare_general(s, joints, count, c);
    else
        prepare_coupling(s, joints, count, c);
    // A lock that is none any more starts without force.
    for (int d = 0; d < 6; d++)
        c->impulse[d] = c->joint_class == CN_CLASS_BALL                ? c->impulse[d]
                        : c->joint_class == CN_CLASS_GENERAL || d == 0 ? c->locked[d] * c->impulse[d]
                                                                       : cn_f8_zero();
    load_row_laws(s, lanes, count, c);
    if (c->torque != NULL)
        load_torque_laws(s, lanes, count, c->torque);
}

// As numbers along the axis that the row had when the step began, with the length of what was done.
CN_INLINE void store_cone(const cn_sweep *s, const cn_wide_cone *c, int lane, cn_joint_row *row)
{
    if (row == NULL)
        return;
    const cn_f8 *vectors[2] = { c->impulse, c->total };
    float lengths[2], axis = sqrtf(row->axis[4] * row->axis[4] + row->axis[5] * row->axis[5]);
    for (int i = 0; i < 2; i++) {
        float y = vectors[i][0][lane], z = vectors[i][1][lane];
        lengths[i] = axis > 0.0f ? -sqrtf(y * y + z * z) / axis : 0.0f;
    }
    row->force = s->inverse_h * lengths[0];
    row->total = lengths[1];
}

static void joint_store(const cn_sweep *s, const cn_wide_joint *c, cn_found_joint *lanes, int count)
{
    cn_f8 forces = cn_f8_zero(), totals = cn_f8_zero(), most = cn_f8_set(CN_MOST_JOINT_FORCE);
    for (int i = 0; i < 6; i++) {
        forces += cn_f8_abs(cn_f8_set(s->inverse_h) * c->impulse[i]);
        totals += cn_f8_abs(c->total[i]);
    }
    cn_i8 sound = (forces <= most) & (totals <= cn_f8_set(s->dt) * most);
    for (int lane = 0; lane < count; lane++) {
        cn_solver_joint *joint = lanes[lane].joint;
        lanes[lane].sound = sound[lane] != 0 && joint->row_count == 0 && joint->torques == NULL;
        for (int i = 0; i < 3; i++) {
            joint->force[0][i] = s->inverse_h * c->impulse[i][lane];
            joint->force[1][i] = s->inverse_h * c->impulse[3 + i][lane];
            joint->total[0][i] = c->total[i][lane];
            joint->total[1][i] = c->total[3 + i][lane];
        }
        for (int n = 0; n < joint->row_count; n++) {
            joint->rows[n].force = s->inverse_h * c->rows[n].impulse[lane];
            joint->rows[n].total = c->rows[n].total[lane];
        }
        if (c->cone != NULL)
            store_cone(s, c->cone, lane, cn_rigid_cone(joint));
        if (joint->torques != NULL)
            store_torque(s, c->torque, lane, joint->torques);
    }
}

#endif
