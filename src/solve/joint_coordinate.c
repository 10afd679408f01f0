#include "solve/joint_coordinate.h"
#include "math/vec.h"
#include "solve/joint_posture.h"
#include "solve/row_law.h"

#include <math.h>
#include <string.h>

// Two joints may lock the same thing: then only their sum is known. A softness of this part of the diagonal shares it out
// evenly, and no row moves enough to notice.
#define LEAST_SOFTNESS 1e-9

// Below this part of what is expected, an answer is nothing but roundings.
#define NOTHING 1e-10

// This part of the speed at which overlaps are pushed apart may stay in the velocities for a step: small errors of locks go
// that way. Larger ones are left to nudges.
#define SMALL_SPEED 0.02

// Of the levers of a joint, or in rad: what half a radian per step makes.
#define FURTHEST_DRIFT 0.125

// A motor that drives to a place without a spring goes this part of the way in a (sub)step.
#define MOTOR_PART 0.25

#define UNBOUNDED ((double)INFINITY)

// The part of its bound by which a torque about all three axes that has reached it may turn in a (sub)step.
#define TURN_PART 0.05

// ---- how it answers

static void set_row(double row[6], cn_vec3 linear, cn_vec3 angular, double sign)
{
    const float values[6] = { linear.x, linear.y, linear.z, angular.x, angular.y, angular.z };
    for (int k = 0; k < 6; k++)
        row[k] = sign * (double)values[k];
}

// A force and a torque along degrees of freedom, which act at the origin of frame b.
static void set_jacobian(cn_joint_coordinate *c, const cn_solver_joint *joint, const float axis[6])
{
    cn_vec3 x = cn_row3(joint->axes[0]), y = cn_row3(joint->axes[1]);
    cn_mat3 frame = { x, y, cn_cross(x, y) };
    if (joint->joint_class == CN_CLASS_BALL) // its forces are kept along the axes of the world
        frame = (cn_mat3){ { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };
    cn_mat3 turns = { cn_row3(joint->turn_axes[0]), cn_row3(joint->turn_axes[1]), cn_row3(joint->turn_axes[2]) };
    cn_vec3 force = cn_mat3_mul(&frame, cn_row3(axis));
    cn_vec3 torque = cn_mat3_mul(&frame, cn_mat3_mul(&turns, cn_row3(axis + 3)));
    cn_vec3 arm_a = cn_add(cn_row3(joint->arm_a), cn_row3(joint->gap)), arm_b = cn_row3(joint->arm_b);
    set_row(c->jacobian[0], force, cn_add(cn_cross(arm_a, force), torque), -1.0);
    set_row(c->jacobian[1], force, cn_add(cn_cross(arm_b, force), torque), 1.0);
}

static bool is_turn(const cn_joint_coordinate *c)
{
    for (int k = 0; k < 6; k++)
        if (c->jacobian[k / 3][k % 3] != 0.0)
            return false;
    return true;
}

// From what both bodies together answer to a force and to a torque, on average over directions.
static double gyration_radius(const cn_solve_input *input, const cn_found_joint *found)
{
    const cn_body_mass *a = &input->masses[found->a], *b = &input->masses[found->b];
    double linear = 3.0 * ((double)a->inverse_mass + (double)b->inverse_mass);
    double angular = (double)a->xx + (double)a->yy + (double)a->zz + (double)b->xx + (double)b->yy + (double)b->zz;
    return linear > 0.0 && angular > 0.0 ? sqrt(linear / angular) : 1.0;
}

// How fast coordinate c moves per impulse along d; both belong to one joint.
static double answer(const cn_unit_model *model, const cn_joint_coordinate *c, const cn_joint_coordinate *d)
{
    const int bodies[2] = { model->body_of[c->found->a], model->body_of[c->found->b] };
    double sum = 0.0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 36 && bodies[s] >= 0; k++)
            sum += c->jacobian[s][k / 6] * model->problem->bodies[bodies[s]].inverse_mass[k / 6][k % 6] * d->jacobian[s][k % 6];
    return sum;
}

// What is needed of every coordinate once its Jacobian is known.
static void set_masses(const cn_unit_model *model, const cn_solver_joint *joint, cn_joint_coordinate *c)
{
    double diagonal = answer(model, c, c);
    memcpy(c->arm, joint->arm_b, sizeof c->arm);
    c->length = is_turn(c) ? gyration_radius(model->input, c->found) : 1.0;
    cn_vec3 ends[3] = { cn_row3(joint->arm_a), cn_row3(joint->gap), cn_row3(joint->arm_b) };
    c->reach = is_turn(c) ? 1.0 : (double)(cn_length(ends[0]) + cn_length(ends[1]) + cn_length(ends[2]));
    c->mass = c->held_mass = diagonal > 0.0 && isfinite(1.0 / diagonal) ? 1.0 / diagonal : 0.0;
    if (c->mass == 0.0) // its bodies cannot follow: a row without an effect
        memset(c->jacobian, 0, sizeof c->jacobian);
}

cn_joint_coordinate cn_coordinate_create(const cn_unit_model *model, const cn_found_joint *found, const cn_solver_joint *joint,
                                         cn_joint_row *row, int dof)
{
    cn_joint_coordinate c = { .found = found, .row = row, .dof = dof };
    c.force = row != NULL ? &row->force : &found->joint->force[dof / 3][dof % 3];
    if (joint->joint_class == CN_CLASS_COUPLING) {
        for (int k = 0; k < 12; k++)
            c.jacobian[k / 6][k % 6] = (double)joint->jacobian[k / 6][k % 6 / 3][k % 3];
    } else {
        float own[6] = { 0.0f };
        own[dof] = 1.0f;
        set_jacobian(&c, joint, row != NULL ? row->axis : own);
    }
    set_masses(model, joint, &c);
    return c;
}

static cn_row_law torque_law(const cn_unit_model *model, const cn_joint_torque *torque)
{
    return cn_torque_law(torque, (float)model->h, 1.0f, (float)(MOTOR_PART / model->h));
}

// Against what a torque at its bound pushes: the velocity that is left, and the error as it counts.
static cn_vec3 torque_wish(const cn_unit_model *model, const cn_found_joint *found, const cn_joint_torque *torque)
{
    const cn_body_state *a = &model->input->states[found->a], *b = &model->input->states[found->b];
    cn_row_law law = torque_law(model, torque);
    cn_torque_state now = cn_torque_at(model->input, found, torque, (float)model->timing.sees);
    cn_vec3 w = cn_sub(cn_sub(cn_row3(b->angular), cn_row3(a->angular)), now.velocity);
    return cn_neg(law.drag > 0.0f ? cn_madd(w, law.pull / law.drag, now.error) : now.error);
}

void cn_torque_coordinates(const cn_unit_model *model, const cn_found_joint *found, const cn_solver_joint *joint,
                           cn_joint_torque *torque, cn_joint_coordinate c[3])
{
    cn_vec3 force = cn_row3(torque->force), wish = torque_wish(model, found, torque);
    double most = (double)torque->most, last = (double)cn_length_of_any(force);
    bool slips = last >= 0.999 * most && !model->timing.judged;
    cn_vec3 along = (slips || last == 0.0) && cn_length_of_any(wish) > 0.0f ? wish : force;
    cn_vec3 axes[3] = { { 1.0f, 0.0f, 0.0f } };
    if (cn_length_of_any(along) > 0.0f)
        axes[0] = cn_normalize(cn_scale(1.0f / cn_length_of_any(along), along));
    axes[1] = cn_perpendicular(axes[0]);
    axes[2] = cn_cross(axes[0], axes[1]);
    double used = last < most ? last / most : 1.0, beside = sqrt(1.0 - used * used);
    for (int i = 0; i < 3; i++) {
        c[i] = (cn_joint_coordinate){ .found = found, .torque = torque, .dof = i };
        c[i].bound = i == 0 || !isfinite(most) ? most : most * (beside > TURN_PART ? beside : TURN_PART);
        set_row(c[i].jacobian[0], cn_v3(0.0f, 0.0f, 0.0f), axes[i], -1.0);
        set_row(c[i].jacobian[1], cn_v3(0.0f, 0.0f, 0.0f), axes[i], 1.0);
        set_masses(model, joint, &c[i]);
    }
}

// The locks are eliminated from its answer, one after the other.
void cn_coordinate_hold(const cn_unit_model *model, cn_joint_coordinate *c, const cn_joint_coordinate *locks, int count)
{
    double a[7][7] = { { 0.0 } };
    for (int i = 0; i <= count; i++)
        for (int j = 0; j <= count; j++)
            a[i][j] = answer(model, i < count ? &locks[i] : c, j < count ? &locks[j] : c);
    double diagonal = a[count][count];
    for (int k = 0; k < count; k++) {
        if (!(a[k][k] * locks[k].mass > NOTHING)) // what the locks before it have left
            continue;
        for (int i = k + 1; i <= count; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j <= count; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    if (a[count][count] > NOTHING * diagonal)
        c->held_mass = 1.0 / a[count][count];
}

static double dot3(const double *row, const float *v)
{
    return row[0] * (double)v[0] + row[1] * (double)v[1] + row[2] * (double)v[2];
}

double cn_coordinate_speed(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    const cn_body_state *a = &model->input->states[c->found->a], *b = &model->input->states[c->found->b];
    return dot3(c->jacobian[0], a->linear) + dot3(c->jacobian[0] + 3, a->angular) + dot3(c->jacobian[1], b->linear) +
           dot3(c->jacobian[1] + 3, b->angular);
}

// ---- locks

static double clamp(double x, double most) { return x > most ? most : x < -most ? -most : x; }

static double length3(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static double push_speed(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    return (double)model->input->settings.push_speed / c->length;
}

// How fast a large error may be removed: as overlaps are, and as fast as the bodies move anyway, so that what is torn apart by
// its own motion holds.
static double most_speed(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    const int32_t states[2] = { c->found->a, c->found->b };
    double sum = push_speed(model, c);
    for (int s = 0; s < 2; s++) {
        const cn_body_state *state = &model->input->states[states[s]];
        const double v[3] = { (double)state->linear[0], (double)state->linear[1], (double)state->linear[2] };
        const double w[3] = { (double)state->angular[0], (double)state->angular[1], (double)state->angular[2] };
        sum += length3(c->jacobian[s]) * length3(v) + length3(c->jacobian[s] + 3) * length3(w);
    }
    return sum;
}

// The velocity that keeps a body on an arc points along its chord: so it ends where the joint holds, and keeps its energy (the
// method of SHAKE: Ryckaert, Ciccotti and Berendsen 1977). Where bodies turn too far in a step for that to be sound, less of
// it.
static double arc_bias(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    return clamp(c->drift, FURTHEST_DRIFT * c->reach) / model->h;
}

static double lock_bias(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    if (model->timing.judged || !model->input->settings.nudge)
        return clamp(model->timing.bias_rate * c->place, push_speed(model, c)) + arc_bias(model, c);
    return clamp(c->place / model->h, SMALL_SPEED * push_speed(model, c)) + arc_bias(model, c);
}

static double lock_nudge(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    double rest = c->place - clamp(c->place, model->h * SMALL_SPEED * push_speed(model, c)); // what velocities will not do
    return clamp((double)model->input->settings.projection * rest / model->h, most_speed(model, c));
}

// ---- springs, motors and soft stops

// They push as in the fast solvers (row_law.h), with their fixed point for a law:
//     u = rate - speed + softness * impulse + pull / drag * (place - rest) = 0
// A spring without a damper may have no drag: then its impulse is known beforehand.
static double softness_of(const cn_row_law *law, double mass)
{
    double drag = (double)law->drag;
    return drag > 0.0 && drag < 1.0 ? (1.0 - drag) / (drag * mass) : LEAST_SOFTNESS / mass;
}

static void set_pull(cn_coordinate_law *out, const cn_row_law *law, double mass, double error)
{
    double pull = (double)law->pull * error;
    if (law->drag > 0.0f) {
        out->bias = pull / (double)law->drag - (double)law->speed;
        return;
    }
    double impulse = -mass * pull;
    impulse = impulse < out->lower ? out->lower : impulse > out->upper ? out->upper : impulse;
    out->lower = out->upper = impulse;
}

static cn_row_law row_law(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    float pull = c->row->kind == CN_ROW_MOTOR ? (float)(MOTOR_PART / model->h) : 0.0f;
    return cn_row_law_of(c->row, (float)c->held_mass, (float)model->h, 1.0f, pull);
}

// ---- stops

// Which of its two sides a stop works on: that which was passed, or which the free motion comes nearer to.
static bool stops_above(const cn_joint_row *row, double place, double free_move)
{
    double lower = (double)row->lower, upper = (double)row->upper;
    if (place < lower || !isfinite(upper))
        return false;
    return place > upper || !isfinite(lower) || place + free_move > 0.5 * (lower + upper);
}

// A gap may be closed within the (sub)step; beyond its end a rigid stop pushes back at the rate given, as contacts do.
static cn_coordinate_law stop_law(const cn_unit_model *model, const cn_joint_coordinate *c, double speed, double rate)
{
    const cn_joint_row *row = c->row;
    cn_row_law own = row_law(model, c);
    bool above = stops_above(row, c->place, model->h * speed);
    double sign = above ? -1.0 : 1.0, beyond = sign * ((double)(above ? row->upper : row->lower) - c->place);
    double most = model->h * (double)row->most_force, push = push_speed(model, c);
    cn_coordinate_law law = { 0.0, softness_of(&own, c->held_mass), above ? -most : 0.0, above ? 0.0 : most };
    if (beyond <= 0.0)
        law.bias = -sign * beyond / model->h + arc_bias(model, c);
    else if (own.firm)
        law.bias = -sign * (rate * beyond < push ? rate * beyond : push);
    else
        set_pull(&law, &own, c->held_mass, -sign * beyond);
    return law;
}

// ---- laws

// A rigid motor goes along with a place that moves steadily until the step ends: it has its speed, and an error against where that is now.
// Returns how far it has still to go; `along`: of the whole way, along the coordinate.
static double go_along(const cn_unit_model *model, float moved, double along, cn_row_law *law)
{
    float dt = model->input->dt;
    if (!cn_goes_along(moved, model->input->settings.push_speed * dt))
        return 0.0;
    law->speed += (float)along / dt;
    return along * model->timing.left / (double)dt;
}

static cn_coordinate_law law_of_torque(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    cn_torque_state now = cn_torque_at(model->input, c->found, c->torque, (float)model->timing.sees);
    cn_row_law own = torque_law(model, c->torque);
    own.speed = (float)dot3(c->jacobian[1] + 3, &now.velocity.x);
    const float *moved = c->torque->moved;
    double to_go = own.firm ? go_along(model, cn_length(cn_row3(moved)), dot3(c->jacobian[1] + 3, moved), &own) : 0.0;
    double most = model->h * c->bound;
    double place = c->place + (model->timing.pulls - model->timing.sees) * cn_coordinate_speed(model, c);
    cn_coordinate_law law = { 0.0, softness_of(&own, c->held_mass), -most, most };
    set_pull(&law, &own, c->held_mass, place + to_go);
    return law;
}

cn_coordinate_law cn_coordinate_law_of(const cn_unit_model *model, const cn_joint_coordinate *c)
{
    if (c->torque != NULL)
        return law_of_torque(model, c);
    if (c->row == NULL)
        return (cn_coordinate_law){ lock_bias(model, c), LEAST_SOFTNESS / c->mass, -UNBOUNDED, UNBOUNDED };
    double speed = cn_coordinate_speed(model, c);
    if (c->row->kind == CN_ROW_STOP)
        return stop_law(model, c, speed, model->timing.bias_rate);
    cn_row_law own = row_law(model, c);
    double most = model->h * (double)c->row->most_force;
    double place = c->place + (model->timing.pulls - model->timing.sees) * speed;
    double to_go = own.firm ? go_along(model, c->row->moved, (double)c->row->moved, &own) : 0.0;
    cn_coordinate_law law = { 0.0, softness_of(&own, c->held_mass), -most, most };
    set_pull(&law, &own, c->held_mass, place - (double)own.rest + to_go);
    return law;
}

cn_coordinate_law cn_coordinate_nudge(const cn_unit_model *model, const cn_joint_coordinate *c, bool *errs)
{
    cn_coordinate_law law = { 0 };
    if (c->torque != NULL)
        return law;
    if (c->row == NULL) {
        law = (cn_coordinate_law){ .bias = lock_nudge(model, c), .lower = -UNBOUNDED, .upper = UNBOUNDED };
        *errs |= law.bias != 0.0;
    } else if (c->row->kind == CN_ROW_STOP && row_law(model, c).firm) {
        law = stop_law(model, c, 0.0, (double)model->input->settings.projection / model->h);
        *errs |= law.lower < 0.0 ? law.bias > 0.0 : law.bias < 0.0;
    }
    return law;
}
