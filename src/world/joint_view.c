// A joint as the solvers see it, from where its bodies are.
//
// Frame b in frame a is turned by q = swing * twist: the twist turns about x, and the swing takes the x axis of a to that of b
// on the shortest way. Its rotation vector s = (0, s_y, s_z) lies in the y-z plane of frame a. With w the angular velocity of b
// against a, in frame a, and phi the length of s,
//
//   twist' = w . (1, t s_z, -t s_y)                      t = tan(phi / 2) / phi
//   s_y'   = w . (-s_z, 1 - g s_z^2, g s_y s_z)          g = (1 - phi cot(phi)) / phi^2
//   s_z'   = w . ( s_y, g s_y s_z, 1 - g s_y^2)
//
// which follow from the rate of b's x axis u, u' = w x u, and from twist' = w . (x + u) / (1 + x . u).
#include "world/joint_view.h"

cn_vec3 cn_direction(double x, double y, double z, cn_vec3 otherwise, double *length)
{
    *length = sqrt(x * x + y * y + z * z);
    if (!(*length > 1e-6))
        return otherwise;
    double s = 1.0 / *length;
    return cn_v3((float)(s * x), (float)(s * y), (float)(s * z));
}

void cn_follow_turn(const cn_world *world, cn_joint *joint, int i, double angle, float rate)
{
    const double turn = 6.28318530717958647692;
    double elapsed = world->step_count != joint->turns_step ? (double)world->last_dt : 0.0;
    double ahead = joint->turns[i] + (double)rate * elapsed - angle;
    joint->turns[i] = fabs(ahead) <= 0.5 * turn ? angle : angle + turn * floor(ahead / turn + 0.5);
}

typedef struct turn {
    double twist, y, z; // rad
    double tangent_sq;  // of half the swing; infinite at 180 degrees
} turn;

static turn take_apart(cn_quat q)
{
    double sign = q.w < 0.0f ? -1.0 : 1.0;
    double x = sign * (double)q.x, y = sign * (double)q.y, z = sign * (double)q.z, w = sign * (double)q.w;
    double cosine_sq = x * x + w * w, sine_sq = y * y + z * z;
    if (!(cosine_sq > 1e-30)) { // 180 degrees: no twist is told from the direction of the swing
        double s = 3.14159265358979323846 / sqrt(sine_sq);
        return (turn){ 0.0, s * y, s * z, (double)INFINITY };
    }
    double tangent_sq = sine_sq / cosine_sq, s; // swing by sine of its half, and by cosine
    if (tangent_sq < 1e-5) {
        s = (2.0 + tangent_sq * (-2.0 / 3.0 + tangent_sq * (2.0 / 5.0))) / cosine_sq;
    } else {
        double cosine = sqrt(cosine_sq), sine = sqrt(sine_sq);
        s = 2.0 * cn_atan2(sine, cosine) / (sine * cosine);
    }
    return (turn){ 2.0 * cn_atan2(x, w), s * (y * w - z * x), s * (y * x + z * w), tangent_sq };
}

static void set_turn_axes(cn_solver_joint *view, const turn *r)
{
    double phi_sq = r->y * r->y + r->z * r->z, t, g;
    if (phi_sq < 1e-5) {
        t = 1.0 / 2.0 + phi_sq * (1.0 / 24.0);
        g = 1.0 / 3.0 + phi_sq * (1.0 / 45.0);
    } else {
        // Past 177 degrees the axes stay as long as they are there, where they would grow without bound.
        double phi = sqrt(phi_sq), tangent = r->tangent_sq < 1600.0 ? sqrt(r->tangent_sq) : 40.0;
        t = tangent / phi;
        g = (1.0 - phi * (1.0 - tangent * tangent) / (2.0 * tangent)) / phi_sq;
    }
    cn_put3(view->turn_axes[0], cn_v3(1.0f, (float)(t * r->z), (float)(-t * r->y)));
    cn_put3(view->turn_axes[1], cn_v3((float)-r->z, (float)(1.0 - g * r->z * r->z), (float)(g * r->y * r->z)));
    cn_put3(view->turn_axes[2], cn_v3((float)r->y, (float)(g * r->y * r->z), (float)(1.0 - g * r->y * r->y)));
}

// Errors of what is locked, where the rest is.
static void set_place(cn_joint *joint, int dof, double place)
{
    bool locked = joint->view.locked & 1 << dof;
    joint->view.place[dof / 3][dof % 3] = (float)(locked ? place - (double)cn_lock_place(&joint->def, dof) : place);
}

static void measure_distance(cn_joint *joint, const double gap[3], cn_quat rotation)
{
    double length;
    cn_vec3 along = cn_direction(gap[0], gap[1], gap[2], cn_rotate(rotation, cn_v3(1.0f, 0.0f, 0.0f)), &length);
    cn_put3(joint->view.axes[0], along);
    cn_put3(joint->view.axes[1], cn_perpendicular(along));
    set_place(joint, CN_X, length);
}

static cn_vec3 linear_velocity(const cn_world *world, int body)
{
    return body == CN_NONE ? cn_v3(0.0f, 0.0f, 0.0f) : world->bodies.data[body].linear_velocity;
}

static cn_vec3 angular_velocity(const cn_world *world, int body)
{
    return body == CN_NONE ? cn_v3(0.0f, 0.0f, 0.0f) : world->bodies.data[body].angular_velocity;
}

static void measure_rotations(const cn_world *world, cn_joint *joint, const cn_mat3 *axes, cn_quat b_in_a)
{
    turn r = take_apart(b_in_a);
    set_turn_axes(&joint->view, &r);
    cn_vec3 w = cn_sub(angular_velocity(world, joint->body_b), angular_velocity(world, joint->body_a));
    const cn_joint_axis *twist = &joint->def.axes[CN_TWIST];
    const float half = 3.14159265f;
    bool within_turn = twist->freedom == CN_LIMITED && twist->lower >= -half && twist->upper <= half;
    if (within_turn) // one that was passed by far is gone back the short way
        joint->turns[0] = r.twist;
    else
        cn_follow_turn(world, joint, 0, r.twist, cn_dot(cn_get3(joint->view.turn_axes[0]), cn_mat3_tmul(axes, w)));
    joint->turns_step = world->step_count;
    set_place(joint, CN_TWIST, joint->turns[0]);
    set_place(joint, CN_SWING_Y, r.y);
    set_place(joint, CN_SWING_Z, r.z);
}

static void measure(const cn_world *world, cn_joint *joint, bool ball)
{
    cn_solver_joint *view = &joint->view;
    cn_joint_side a = cn_joint_get_side(world, joint, 0), b = cn_joint_get_side(world, joint, 1);
    // The difference of the large numbers comes first.
    double gap[3] = { (b.base.x - a.base.x) + (double)(b.arm.x - a.arm.x), (b.base.y - a.base.y) + (double)(b.arm.y - a.arm.y),
                      (b.base.z - a.base.z) + (double)(b.arm.z - a.arm.z) };
    cn_vec3 short_gap = cn_v3((float)gap[0], (float)gap[1], (float)gap[2]);
    cn_put3(view->gap, short_gap);
    cn_put3(view->arm_a, a.moves ? a.arm : cn_v3(0.0f, 0.0f, 0.0f));
    cn_put3(view->arm_b, b.moves ? b.arm : cn_v3(0.0f, 0.0f, 0.0f));
    if (view->aims) {
        measure_distance(joint, gap, a.rotation);
        return;
    }
    cn_mat3 axes = cn_mat3_from_quat(a.rotation);
    cn_put3(view->axes[0], axes.x);
    cn_put3(view->axes[1], axes.y);
    cn_vec3 p = cn_mat3_tmul(&axes, short_gap);
    if (ball) { // held at 0, and there may be very many
        cn_put3(view->place[0], p);
        return;
    }
    set_place(joint, CN_X, (double)p.x);
    set_place(joint, CN_Y, (double)p.y);
    set_place(joint, CN_Z, (double)p.z);
    cn_quat b_in_a = cn_quat_mul(cn_quat_conj(a.rotation), b.rotation);
    view->rotation[0] = b_in_a.x, view->rotation[1] = b_in_a.y, view->rotation[2] = b_in_a.z, view->rotation[3] = b_in_a.w;
    measure_rotations(world, joint, &axes, b_in_a);
}

void cn_joint_measure(const cn_world *world, cn_joint *joint)
{
    if (cn_is_coupling(&joint->def))
        cn_coupling_measure(world, joint);
    else
        measure(world, joint, false);
}

void cn_joint_start(const cn_world *world, cn_joint *joint)
{
    joint->turns[0] = joint->turns[1] = 0.0;
    joint->turns_step = world->step_count;
    if (cn_is_coupling(&joint->def))
        cn_coupling_start(world, joint);
}

// The elliptic cone k <= 1 with k^2 = (s_y / a_y)^2 + (s_z / a_z)^2, as an angle: k times the half angle of the cone in the
// direction of the swing. The solver follows the cone through the step with this angle for all of it.
static void set_cone(cn_joint_row *row, const cn_solver_joint *view, const cn_joint_def *def)
{
    float ay = cn_half_angle(&def->axes[CN_SWING_Y]), az = cn_half_angle(&def->axes[CN_SWING_Z]);
    float y = view->place[1][1], z = view->place[1][2], swing = sqrtf(y * y + z * z);
    float along_y = 1.0f, along_z = 0.0f;
    row->place = 0.0f;
    row->upper = ay;
    if (swing > 1e-6f) {
        float k = sqrtf(y * y / (ay * ay) + z * z / (az * az)), half = swing / k;
        row->place = swing;
        row->upper = half;
        along_y = half * y / (k * ay * ay);
        along_z = half * z / (k * az * az);
    }
    row->cone[0] = ay;
    row->cone[1] = az;
    row->axis[CN_SWING_Y] = along_y;
    row->axis[CN_SWING_Z] = along_z;
}

static void update_rows(cn_joint *joint)
{
    cn_solver_joint *view = &joint->view;
    bool cone = cn_has_cone(view, &joint->def);
    for (int i = 0; i < view->row_count; i++) {
        cn_joint_row *row = &view->rows[i];
        int dof = row->dof;
        if (cone && row->kind == CN_ROW_STOP && dof == CN_SWING_Y) {
            set_cone(row, view, &joint->def);
            continue;
        }
        row->place = view->place[dof / 3][dof % 3];
        row->moved = row->rest - row->last_rest;
        row->last_rest = row->rest;
    }
}

// How far the motor's target has turned since the last step: about twice the vector of the turn, where it is small.
static void note_target(cn_joint_torque *motor, cn_quat a, cn_quat target)
{
    float *last = motor->last_rotation;
    cn_quat by = cn_quat_mul(target, cn_quat_conj((cn_quat){ last[0], last[1], last[2], last[3] }));
    float scale = by.w < 0.0f ? -2.0f : 2.0f;
    cn_put3(motor->moved, cn_rotate(a, cn_v3(scale * by.x, scale * by.y, scale * by.z)));
    last[0] = target.x, last[1] = target.y, last[2] = target.z, last[3] = target.w;
}

// Where the motor about all three axes wants frame b is R_a * target; the error takes it to R_b.
static void update_torques(const cn_world *world, cn_joint *joint)
{
    const cn_joint_ball *ball = &joint->def.ball;
    cn_joint_torque *motor = &joint->view.torques[CN_TORQUE_MOTOR];
    cn_quat a = cn_joint_get_side(world, joint, 0).rotation, b = cn_joint_get_side(world, joint, 1).rotation;
    if (ball->motor == CN_MOTOR_PLACE) {
        cn_quat q = cn_quat_normalize(cn_quat_mul(b, cn_quat_conj(cn_quat_mul(a, ball->motor_rotation))));
        float sign = q.w < 0.0f ? -1.0f : 1.0f;
        note_target(motor, a, ball->motor_rotation);
        motor->error[0] = sign * q.x, motor->error[1] = sign * q.y, motor->error[2] = sign * q.z, motor->error[3] = sign * q.w;
    } else {
        cn_put3(motor->velocity, cn_rotate(a, ball->motor_velocity));
    }
}

void cn_joint_update_view(cn_world *world, cn_joint *joint)
{
    if (joint->view.joint_class == CN_CLASS_BALL) {
        measure(world, joint, true);
        return;
    }
    if (joint->yields)
        cn_joint_restore(joint);
    cn_joint_measure(world, joint);
    if (joint->view.row_count > 0)
        update_rows(joint);
    if (joint->view.torques != NULL)
        update_torques(world, joint);
    if (joint->yields)
        joint->jammed = !cn_joint_yield(world, joint);
}

// ---- where a joint is now

cn_vec3 cn_joint_turn(const cn_world *world, const cn_joint *joint)
{
    cn_joint_side a = cn_joint_get_side(world, joint, 0), b = cn_joint_get_side(world, joint, 1);
    turn r = take_apart(cn_quat_mul(cn_quat_conj(a.rotation), b.rotation));
    return cn_v3((float)r.twist, (float)r.y, (float)r.z);
}

float cn_joint_place(const cn_world *world, const cn_joint *joint, int dof)
{
    cn_joint now = *joint;
    now.view.locked = 0; // places, not errors
    cn_joint_measure(world, &now);
    return now.view.place[dof / 3][dof % 3];
}

float cn_joint_speed(const cn_world *world, const cn_joint *joint, int dof)
{
    cn_joint now = *joint;
    cn_joint_measure(world, &now);
    const cn_solver_joint *view = &now.view;
    cn_vec3 va = linear_velocity(world, joint->body_a), wa = angular_velocity(world, joint->body_a);
    cn_vec3 vb = linear_velocity(world, joint->body_b), wb = angular_velocity(world, joint->body_b);
    if (cn_is_coupling(&joint->def))
        return cn_dot(cn_get3(view->jacobian[0][0]), va) + cn_dot(cn_get3(view->jacobian[0][1]), wa) +
               cn_dot(cn_get3(view->jacobian[1][0]), vb) + cn_dot(cn_get3(view->jacobian[1][1]), wb);
    // Both bodies at the origin of frame b.
    cn_vec3 x = cn_get3(view->axes[0]), y = cn_get3(view->axes[1]), z = cn_cross(x, y);
    cn_vec3 v = cn_sub(cn_add(vb, cn_cross(wb, cn_get3(view->arm_b))),
                       cn_add(va, cn_cross(wa, cn_add(cn_get3(view->arm_a), cn_get3(view->gap)))));
    if (dof < CN_TWIST)
        return cn_dot(v, dof == CN_X ? x : dof == CN_Y ? y : z);
    cn_vec3 w = cn_sub(wb, wa), in_a = cn_v3(cn_dot(x, w), cn_dot(y, w), cn_dot(z, w));
    return cn_dot(cn_get3(view->turn_axes[dof - CN_TWIST]), in_a);
}
