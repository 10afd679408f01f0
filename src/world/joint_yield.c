// Joints whose bodies have locked axes may ask for what the locks do not allow, or hardly: a lever that points nearly along the
// error would have to spin the body without bound to remove it. In every step the degrees of freedom of such a joint are
// eliminated one after the other, those first that the locks leave most of; where next to nothing is left, the degree of
// freedom is left to the locks, and so is what else acts along it.
//
// What counts is how far the bodies must go, and not how heavy they are: a light body that is locked carries a heavy one. So
// every body counts as one of 1 kg whose inertia is the same about all axes, and as large as its lever is long.
#include "world/joint_view.h"

#include <string.h>

// The part of a response that the locks must leave. With less than the first, bodies go more than ten times as far as what they
// correct; bodies without locks have more than the second, whatever their joint.
#define LEAST_PART 0.01
#define PLAIN_PART 0.25

// By degrees of freedom: with the locks of the bodies; without them, of each by itself, and of the body that has least of those
// that the locks let go along at all; infinite where they let none.
typedef struct responses {
    double locked[6][6], all[6], free[6];
    double reach; // of the shortest lever, m
} responses;

typedef double jacobian[6]; // of one body: linear before angular

static const cn_body *pushed_body(const cn_world *world, int body)
{
    if (body == CN_NONE)
        return NULL;
    const cn_body *b = &world->bodies.data[body];
    return b->type == CN_DYNAMIC && b->inverse_mass > 0.0f ? b : NULL;
}

// Of one that nothing turns: 0.
static double inverse_inertia(const cn_body *body, cn_vec3 arm)
{
    double turn = (double)body->inverse_inertia.xx + (double)body->inverse_inertia.yy + (double)body->inverse_inertia.zz;
    double gyration_sq = 3.0 * (double)body->inverse_mass / turn;
    return turn > 0.0 ? 1.0 / (gyration_sq + (double)cn_dot(arm, arm)) : 0.0;
}

static void add_body_response(responses *r, const cn_body *body, cn_vec3 arm, const jacobian rows[], int count)
{
    double turn = inverse_inertia(body, arm);
    r->reach = turn > 0.0 ? fmin(r->reach, 1.0 / sqrt(turn)) : r->reach;
    for (int i = 0; i < count; i++) {
        double own = 0.0, left = 0.0;
        for (int k = 0; k < 6; k++) {
            double ease = (k < 3 ? 1.0 : turn) * rows[i][k];
            bool locked = body->locks >> k & 1;
            own += ease * rows[i][k];
            left += locked ? 0.0 : ease * rows[i][k];
            for (int j = 0; j < count && !locked; j++)
                r->locked[i][j] += ease * rows[j][k];
        }
        r->all[i] += own;
        r->free[i] = left > LEAST_PART * own ? fmin(r->free[i], own) : r->free[i];
    }
}

static void put_row(jacobian row, cn_vec3 linear, cn_vec3 angular)
{
    const float parts[6] = { linear.x, linear.y, linear.z, angular.x, angular.y, angular.z };
    for (int k = 0; k < 6; k++)
        row[k] = (double)parts[k];
}

// Returns how many rows there are. The last three are about the joint's own rotations, or about the axes of the world. Signs
// that differ between the bodies do not matter.
static int fill_rows(const cn_solver_joint *view, int side, cn_vec3 arm, bool of_world, jacobian rows[6])
{
    if (view->joint_class == CN_CLASS_COUPLING) {
        put_row(rows[0], cn_get3(view->jacobian[side][0]), cn_get3(view->jacobian[side][1]));
        return 1;
    }
    cn_vec3 x = cn_get3(view->axes[0]), y = cn_get3(view->axes[1]);
    cn_mat3 frame = { x, y, cn_cross(x, y) };
    const cn_vec3 axes[3] = { frame.x, frame.y, frame.z };
    for (int i = 0; i < 3; i++) {
        put_row(rows[i], axes[i], cn_cross(arm, axes[i]));
        cn_vec3 turn = of_world ? cn_v3(i == 0, i == 1, i == 2) : cn_mat3_mul(&frame, cn_get3(view->turn_axes[i]));
        put_row(rows[3 + i], cn_v3(0.0f, 0.0f, 0.0f), turn);
    }
    return view->aims ? 3 : 6;
}

static responses find_responses(const cn_world *world, const cn_joint *joint, bool of_world)
{
    responses r = { .reach = (double)INFINITY };
    for (int i = 0; i < 6; i++)
        r.free[i] = (double)INFINITY;
    for (int side = 0; side < 2; side++) {
        const cn_solver_joint *view = &joint->view;
        const cn_body *body = pushed_body(world, side == 0 ? joint->body_a : joint->body_b);
        cn_vec3 arm = side == 0 ? cn_get3(view->arm_a) : cn_get3(view->arm_b);
        if (side == 0 && view->joint_class != CN_CLASS_COUPLING) // forces act at the origin of frame b
            arm = cn_add(arm, cn_get3(view->gap));
        jacobian rows[6];
        if (body != NULL)
            add_body_response(&r, body, arm, (const jacobian *)rows, fill_rows(view, side, arm, of_world, rows));
    }
    return r;
}

// What is left of the others while degree of freedom n is held.
static void eliminate(double k[6][6], int n)
{
    double column[6];
    for (int i = 0; i < 6; i++)
        column[i] = k[i][n];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            k[i][j] -= column[i] * column[j] / column[n];
    for (int i = 0; i < 6; i++)
        k[i][n] = k[n][i] = 0.0;
}

// A lever of length l that stands at an angle a to the error has the part sin^2 a of the response, and moving by the error
// takes twice the error over l of that away. Half of it is to be left: what asks for more ends where nothing is.
static double least_part(const responses *r, int dof, double error)
{
    return fmin(fmax(4.0 * fabs(error) / (dof < CN_TWIST ? r->reach : 1.0), LEAST_PART), PLAIN_PART);
}

// Of the locked degrees of freedom, those that the joint can hold.
static uint8_t find_held(responses *r, const cn_solver_joint *view)
{
    uint8_t held = 0;
    for (;;) {
        int best = -1;
        double most = 0.0;
        for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
            double part = r->locked[dof][dof] / r->free[dof];
            bool can = part > least_part(r, dof, (double)view->place[dof / 3][dof % 3]);
            if ((view->locked & ~held) >> dof & 1 && can && part > most) {
                best = dof;
                most = part;
            }
        }
        if (best < 0)
            return held;
        held |= (uint8_t)(1 << best);
        eliminate(r->locked, best);
    }
}

// How far a row is to push, m or rad.
static double row_error(const cn_joint_row *row, double dt)
{
    double place = (double)row->place;
    if (row->kind == CN_ROW_STOP)
        return fmax(fmax((double)row->lower - place, place - (double)row->upper), 0.0);
    return row->stiffness > 0.0f ? place - (double)row->rest : dt * (double)row->speed;
}

// Of a row, against what each of its degrees of freedom has by itself.
static bool can_push(const responses *r, const cn_joint_row *row, double dt)
{
    const float *axis = row->axis;
    double left = 0.0, all = 0.0;
    for (int i = 0; i < 6; i++) {
        all += isfinite(r->free[i]) ? (double)axis[i] * (double)axis[i] * r->free[i] : 0.0;
        for (int j = 0; j < 6; j++)
            left += (double)axis[i] * (double)axis[j] * r->locked[i][j];
    }
    return all > 0.0 && left > all * least_part(r, row->dof, row_error(row, dt));
}

// Springs with a stiffness of their own and friction push with forces that are known: they need no response.
static bool is_forceful(const cn_joint_row *row)
{
    return row->kind != CN_ROW_FRICTION && (row->kind != CN_ROW_SPRING || row->per_mass);
}

static void let_go_of_rows(cn_solver_joint *view, const responses *r, double dt)
{
    for (int i = 0; i < view->row_count; i++) {
        cn_joint_row *row = &view->rows[i];
        if (!is_forceful(row) || can_push(r, row, dt))
            continue;
        memset(row->axis, 0, sizeof row->axis);
        memset(row->cone, 0, sizeof row->cone);
        row->force = 0.0f;
    }
}

// About which axes of the world the bodies turn while the joint holds them, as bits; 0 where they are hindered about others
// than those.
static int find_turns(const cn_world *world, const cn_joint *joint)
{
    responses r = find_responses(world, joint, true);
    int turns = 0;
    for (int dof = 0; dof < CN_TWIST; dof++)
        if (joint->view.locked >> dof & 1)
            eliminate(r.locked, dof);
    for (int k = 0; k < 3; k++)
        turns |= r.locked[3 + k][3 + k] > 1e-9 * r.all[3 + k] ? 1 << k : 0;
    for (int k = 0; k < 3; k++) {
        if (!(turns >> k & 1))
            continue;
        if (!(r.locked[3 + k][3 + k] > LEAST_PART * r.free[3 + k]))
            return 0;
        eliminate(r.locked, 3 + k);
    }
    return turns;
}

// A motor about all three axes goes as far as the bodies can turn, or not at all where its way is not theirs.
static void guide_motor(cn_joint_torque *motor, int turns)
{
    motor->most = turns == 0 ? 0.0f : motor->most;
    for (int k = 0; k < 3; k++) {
        if (turns >> k & 1)
            continue;
        motor->error[k] = motor->velocity[k] = motor->moved[k] = motor->force[k] = 0.0f;
    }
    cn_quat q = cn_quat_normalize((cn_quat){ motor->error[0], motor->error[1], motor->error[2], motor->error[3] });
    motor->error[0] = q.x, motor->error[1] = q.y, motor->error[2] = q.z, motor->error[3] = q.w;
}

// Whether all that acts along degrees of freedom that are not locked may be held at once.
static bool act_together(const cn_solver_joint *view, responses *r)
{
    int acting = view->torques != NULL ? 1 << CN_TWIST | 1 << CN_SWING_Y | 1 << CN_SWING_Z : 0;
    for (int i = 0; i < view->row_count; i++)
        for (int dof = 0; dof < CN_DOF_COUNT; dof++)
            acting |= view->rows[i].axis[dof] != 0.0f ? 1 << dof : 0;
    for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
        if (!(acting >> dof & 1))
            continue;
        if (!(r->locked[dof][dof] > LEAST_PART * r->free[dof]))
            return false;
        eliminate(r->locked, dof);
    }
    return true;
}

bool cn_joint_yield(const cn_world *world, cn_joint *joint)
{
    cn_solver_joint *view = &joint->view;
    responses r = find_responses(world, joint, false);
    if (view->joint_class == CN_CLASS_COUPLING) {
        if (!(r.locked[0][0] > LEAST_PART * r.free[0]))
            memset(view->jacobian, 0, sizeof view->jacobian);
        return true;
    }
    view->locked = find_held(&r, view);
    for (int dof = 0; dof < CN_DOF_COUNT; dof++)
        if (!(view->locked >> dof & 1))
            view->force[dof / 3][dof % 3] = 0.0f;
    let_go_of_rows(view, &r, (double)world->last_dt);
    if (view->torques != NULL)
        guide_motor(&view->torques[CN_TORQUE_MOTOR], find_turns(world, joint));
    return act_together(view, &r);
}
