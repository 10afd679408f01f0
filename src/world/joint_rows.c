// Which rows a joint has follows from its definition alone, and so does what is fixed in them; which code solves it also follows
// from the locks of its bodies. Where the rows are and along which axes they act is filled in at every step, see joint_view.c.
#include "world/joint_view.h"

#include <string.h>

static int dof_count(const cn_joint_def *def) { return def->kind == CN_JOINT_FRAMES ? CN_DOF_COUNT : 1; }

static cn_joint_row make_row(cn_row_kind kind, int dof)
{
    cn_joint_row row = {
        .lower = -INFINITY, .upper = INFINITY, .most_force = INFINITY, .kind = (uint8_t)kind, .dof = (uint8_t)dof
    };
    row.axis[dof] = 1.0f;
    return row;
}

// As a spring on whatever mass is moved.
static void set_swing(float *stiffness, float *damping, float hertz, float damping_ratio)
{
    float omega = 2.0f * CN_PI * cn_minf(hertz, 1e6f); // no step tells what is beyond from rigid
    *stiffness = omega * omega;
    *damping = 2.0f * damping_ratio * omega;
}

static void soften(cn_joint_row *row, float hertz, float damping_ratio)
{
    set_swing(&row->stiffness, &row->damping, hertz, damping_ratio);
    row->per_mass = true;
}

static cn_joint_row make_motor(const cn_joint_axis *axis, int dof)
{
    cn_joint_row row = make_row(CN_ROW_MOTOR, dof);
    row.most_force = axis->motor_max_force;
    if (axis->motor == CN_MOTOR_SPEED) {
        row.speed = axis->motor_target;
    } else {
        row.rest = row.last_rest = axis->motor_target;
        row.stiffness = INFINITY;
        if (axis->motor_hertz > 0.0f)
            soften(&row, axis->motor_hertz, axis->motor_damping_ratio);
    }
    return row;
}

// A limit, or a lock that gives way.
static int make_hold(const cn_solver_joint *view, const cn_joint_def *def, int dof, cn_joint_row *row)
{
    const cn_joint_axis *axis = &def->axes[dof];
    bool cone = dof >= CN_SWING_Y && cn_has_cone(view, def);
    if (axis->freedom == CN_FREE || (cone && dof == CN_SWING_Z))
        return 0;
    if (cone) {
        *row = make_row(CN_ROW_STOP, dof);
        row->upper = cn_half_angle(axis);
    } else if (axis->freedom == CN_LOCKED || axis->lower == axis->upper) {
        *row = make_row(CN_ROW_SPRING, dof);
        row->rest = cn_lock_place(def, dof);
    } else if (axis->lower > -INFINITY || axis->upper < INFINITY) {
        *row = make_row(CN_ROW_STOP, dof);
        row->lower = axis->lower, row->upper = axis->upper;
    } else {
        return 0;
    }
    if (axis->hertz > 0.0f)
        soften(row, axis->hertz, axis->damping_ratio);
    return 1;
}

static int make_rows(const cn_solver_joint *view, const cn_joint_def *def, cn_joint_row rows[CN_MOST_JOINT_ROWS])
{
    int count = 0;
    for (int dof = 0; dof < dof_count(def); dof++) {
        const cn_joint_axis *axis = &def->axes[dof];
        if (view->locked & 1 << dof)
            continue;
        if (axis->spring_stiffness > 0.0f || axis->spring_damping > 0.0f) {
            cn_joint_row *row = &rows[count++];
            *row = make_row(CN_ROW_SPRING, dof);
            row->stiffness = axis->spring_stiffness, row->damping = axis->spring_damping;
            row->rest = axis->spring_rest;
        }
        if (axis->motor != CN_MOTOR_OFF && axis->motor_max_force > 0.0f)
            rows[count++] = make_motor(axis, dof);
        if (axis->friction > 0.0f) {
            rows[count] = make_row(CN_ROW_FRICTION, dof);
            rows[count++].most_force = axis->friction;
        }
        count += make_hold(view, def, dof, &rows[count]);
    }
    return count;
}

// A spring and a lock that gives way differ in what they are divided by.
static bool same_row(const cn_joint_row *a, const cn_joint_row *b)
{
    return a->kind == b->kind && a->dof == b->dof && (a->kind != CN_ROW_SPRING || a->per_mass == b->per_mass);
}

// What a row that is changed has of the one before.
static void keep_row(cn_joint_row *row, const cn_joint_row *last)
{
    row->force = last->force;
    row->total = last->total;
    if (row->kind == CN_ROW_MOTOR && row->stiffness > 0.0f && last->stiffness > 0.0f) // both drive to a place
        row->last_rest = last->last_rest;
}

static void use_locks(cn_solver_joint *view, const cn_joint_def *def)
{
    view->locked = 0;
    for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
        if (dof < dof_count(def) && cn_is_rigid_axis(&def->axes[dof]))
            view->locked |= (uint8_t)(1 << dof);
        else
            view->force[dof / 3][dof % 3] = 0.0f;
    }
}

static bool is_ball(const cn_solver_joint *view, const cn_joint_def *def)
{
    bool together = cn_lock_place(def, CN_X) == 0.0f && cn_lock_place(def, CN_Y) == 0.0f && cn_lock_place(def, CN_Z) == 0.0f;
    return def->kind == CN_JOINT_FRAMES && view->locked == (1 << CN_X | 1 << CN_Y | 1 << CN_Z) && view->row_count == 0 &&
           view->torques == NULL && together;
}

static bool has_locked_body(const cn_world *world, const cn_joint *joint)
{
    const cn_body *bodies = world->bodies.data;
    return (joint->body_a != CN_NONE && bodies[joint->body_a].locks != 0) ||
           (joint->body_b != CN_NONE && bodies[joint->body_b].locks != 0);
}

// The forces of a ball are along the axes of the world, those of others along frame a.
static void turn_force(cn_solver_joint *view, bool to_ball)
{
    cn_vec3 x = cn_get3(view->axes[0]), y = cn_get3(view->axes[1]), force = cn_get3(view->force[0]);
    cn_mat3 axes = { x, y, cn_cross(x, y) };
    cn_put3(view->force[0], to_ball ? cn_mat3_mul(&axes, force) : cn_mat3_tmul(&axes, force));
}

static void set_class(cn_joint *joint)
{
    cn_solver_joint *view = &joint->view;
    bool ball = !joint->yields && is_ball(view, &joint->def); // what yields may not hold all three axes
    if (ball != (view->joint_class == CN_CLASS_BALL))
        turn_force(view, ball);
    view->joint_class = cn_is_coupling(&joint->def) ? CN_CLASS_COUPLING : ball ? CN_CLASS_BALL : CN_CLASS_GENERAL;
}

void cn_joint_restore(cn_joint *joint)
{
    cn_solver_joint *view = &joint->view;
    const cn_joint_ball *ball = &joint->def.ball;
    use_locks(view, &joint->def);
    for (int i = 0; i < view->row_count; i++)
        view->rows[i].axis[view->rows[i].dof] = 1.0f;
    if (view->torques != NULL && cn_has_ball_motor(ball))
        view->torques[CN_TORQUE_MOTOR].most = ball->motor_max_torque;
}

// ---- memory

static void free_rows(cn_world *world, cn_joint *joint)
{
    cn_release(&world->allocator, joint->view.rows, sizeof *joint->view.rows * joint->view.row_count);
    joint->view.rows = NULL;
    joint->view.row_count = 0;
}

static void free_torques(cn_world *world, cn_joint *joint)
{
    if (joint->view.torques != NULL)
        cn_release(&world->allocator, joint->view.torques, sizeof *joint->view.torques * CN_TORQUE_COUNT);
    joint->view.torques = NULL;
}

// ---- all three rotations at once

static cn_joint_torque make_torque(const cn_joint_ball *ball, int kind, const cn_joint_torque *last)
{
    cn_quat at = ball->motor_rotation;
    cn_joint_torque torque = { .error = { 0.0f, 0.0f, 0.0f, 1.0f }, .last_rotation = { at.x, at.y, at.z, at.w } };
    if (kind == CN_TORQUE_FRICTION) {
        torque.most = ball->friction;
    } else if (cn_has_ball_motor(ball)) {
        torque.most = ball->motor_max_torque;
        if (ball->motor == CN_MOTOR_PLACE) {
            torque.stiffness = INFINITY;
            if (ball->motor_hertz > 0.0f)
                set_swing(&torque.stiffness, &torque.damping, ball->motor_hertz, ball->motor_damping_ratio);
        }
    }
    for (int k = 0; k < 3 && last != NULL && torque.most > 0.0f; k++)
        torque.force[k] = last->force[k], torque.total[k] = last->total[k];
    if (last != NULL && torque.stiffness > 0.0f && last->stiffness > 0.0f)
        memcpy(torque.last_rotation, last->last_rotation, sizeof torque.last_rotation);
    return torque;
}

static void layout_torques(cn_world *world, cn_joint *joint)
{
    cn_joint_torque *last = joint->view.torques, torques[CN_TORQUE_COUNT];
    bool wanted = joint->def.kind == CN_JOINT_FRAMES && cn_has_ball_torque(&joint->def.ball);
    for (int i = 0; i < CN_TORQUE_COUNT; i++)
        torques[i] = make_torque(&joint->def.ball, i, last != NULL ? &last[i] : NULL);
    if (wanted && last == NULL)
        joint->view.torques = cn_allocate(&world->allocator, sizeof torques, _Alignof(cn_joint_torque));
    else if (!wanted)
        free_torques(world, joint);
    for (int i = 0; i < CN_TORQUE_COUNT && wanted; i++)
        joint->view.torques[i] = torques[i];
}

void cn_joint_layout_rows(cn_world *world, cn_joint *joint)
{
    cn_solver_joint *view = &joint->view;
    const cn_joint_def *def = &joint->def;
    use_locks(view, def);
    layout_torques(world, joint);
    cn_joint_row rows[CN_MOST_JOINT_ROWS];
    int count = make_rows(view, def, rows);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < view->row_count; k++)
            if (same_row(&rows[i], &view->rows[k]))
                keep_row(&rows[i], &view->rows[k]);
    if (count != view->row_count) {
        free_rows(world, joint);
        if (count > 0)
            view->rows = cn_allocate(&world->allocator, sizeof *view->rows * (size_t)count, _Alignof(cn_joint_row));
        view->row_count = (uint8_t)count;
    }
    for (int i = 0; i < count; i++)
        view->rows[i] = rows[i];

    view->aims = def->kind == CN_JOINT_DISTANCE;
    joint->yields = has_locked_body(world, joint);
    joint->jammed = false;
    set_class(joint);
}

void cn_joint_free_rows(cn_world *world, cn_joint *joint)
{
    free_rows(world, joint);
    free_torques(world, joint);
}
