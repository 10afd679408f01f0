#include "solve/unit_model.h"
#include "math/vec.h"
#include "model/law.h"
#include "solve/wide.h"

#include <math.h>
#include <string.h>

// An overlap is never resolved completely: contacts that come and go are a source of jitter.
static float allowed_overlap(const cn_found_patch *found) { return CN_ALLOWED_OVERLAP / found->inverse_size; }

// A gap of less than this part of the size of the smaller shape counts as closed: which of the corners of a box at rest are a
// rounding above the ground is chance, and a solver that has to find out takes many iterations.
#define CLOSED_GAP 1e-4f

static cn_vec3 row3(const float *r) { return cn_v3(r[0], r[1], r[2]); }

// The axes of a patch, and where a point of it is from the centres of its bodies.
typedef struct patch_frame {
    cn_vec3 n, t1, t2;
} patch_frame;
typedef struct point_arms {
    cn_vec3 a, b;
} point_arms;

static point_arms get_arms(const cn_patch *patch, int k)
{
    cn_vec3 a = { patch->points[0][k], patch->points[1][k], patch->points[2][k] };
    return (point_arms){ a, cn_sub(a, row3(patch->between)) };
}

static patch_frame frame_of(const cn_patch *patch)
{
    float t1[3], t2[3];
    cn_tangent_basis(patch->normal, t1, t2);
    return (patch_frame){ row3(patch->normal), row3(t1), row3(t2) };
}

float cn_point_separation(const cn_patch *patch, int k, const cn_body_state *a, const cn_body_state *b)
{
    point_arms arms = get_arms(patch, k);
    cn_vec3 moved_a = cn_add(row3(a->moved), cn_cross(row3(a->turned), arms.a)),
            moved_b = cn_add(row3(b->moved), cn_cross(row3(b->turned), arms.b));
    return patch->separation[k] + cn_dot(row3(patch->normal), cn_sub(moved_b, moved_a));
}

double cn_nudge_bias(const cn_solve_input *input, const cn_found_patch *found, float separation, double h)
{
    if (separation > 0.0f)
        return (double)separation / h;
    double excess = (double)(separation + allowed_overlap(found)), push = (double)input->settings.push_speed;
    double bias = excess < 0.0 ? (double)input->settings.projection * excess / h : 0.0;
    return bias > -push ? bias : -push;
}

// The normal velocity of a point without contacts, and what pulls it.
typedef struct approach {
    double before, after; // forces of this (sub)step have acted, m/s
    double pull;          // m/s^2
} approach;

// The speed at which a point that is hit in this step leaves, or 0 when it is not hit or too slow to bounce. Between here and
// there the point falls, bounces somewhere within the step, and rises; then the step moves it by h times the velocity it ends
// with. That velocity is chosen so that the energy there is right: with e = 1 a ball comes back to where it was dropped.
static double bounce_speed(const cn_solve_input *input, const cn_patch *patch, double separation, approach u, double h)
{
    double keep = (double)patch->restitution, gap = separation > 0.0 ? separation : 0.0, pull = u.pull < 0.0 ? -u.pull : 0.0;
    if (keep <= 0.0 || separation + 0.5 * h * (u.before + u.after) > 0.0 || u.after >= 0.0)
        return 0.0;
    double hit = sqrt(u.before * u.before + 2.0 * pull * gap);
    if (hit <= (double)input->settings.restitution_speed)
        return 0.0;
    double square = pull * pull * h * h - 2.0 * pull * gap + keep * keep * hit * hit;
    double speed = sqrt(square > 0.0 ? square : 0.0) - pull * h;
    return speed > 0.0 ? speed : 0.0;
}

// What the law of a point wants of its normal velocity: u + bias >= 0.
static double point_bias(const cn_solve_input *input, const cn_found_patch *found, float separation, approach u, double h)
{
    double speed = bounce_speed(input, found->patch, (double)separation, u, h);
    if (speed > 0.0)
        return -speed;
    bool passes = found->patch->restitution > 0.0f && (double)separation + 0.5 * h * (u.before + u.after) > 0.0;
    if (passes && (double)separation / h < -u.after)
        return -u.after; // it arrives in the next step, with all its speed
    if (separation * found->inverse_size > CLOSED_GAP)
        return (double)separation / h;
    return input->settings.nudge ? 0.0 : cn_nudge_bias(input, found, separation, h);
}

// ---- the problem

// A direction at an arm from the centre of a body, as a row of its Jacobian.
static void set_force_row(double row[6], cn_vec3 direction, cn_vec3 arm, float sign)
{
    cn_vec3 turn = cn_cross(arm, direction);
    const float values[6] = { direction.x, direction.y, direction.z, turn.x, turn.y, turn.z };
    for (int k = 0; k < 6; k++)
        row[k] = (double)(sign * values[k]);
}

static void set_torque_row(double row[6], cn_vec3 axis, float sign)
{
    const float values[6] = { 0.0f, 0.0f, 0.0f, axis.x, axis.y, axis.z };
    for (int k = 0; k < 6; k++)
        row[k] = (double)(sign * values[k]);
}

static cn_model_body model_body(const cn_solve_input *input, int state)
{
    const cn_body_mass *mass = &input->masses[state];
    const cn_body_state *s = &input->states[state];
    cn_model_body body = { .velocity = { (double)s->linear[0], (double)s->linear[1], (double)s->linear[2],
                                         (double)s->angular[0], (double)s->angular[1], (double)s->angular[2] } };
    const float inertia[3][3] = { { mass->xx, mass->xy, mass->xz },
                                  { mass->xy, mass->yy, mass->yz },
                                  { mass->xz, mass->yz, mass->zz } };
    for (int i = 0; i < 3; i++) {
        body.inverse_mass[i][i] = input->drives[state].locks >> i & 1 ? 0.0 : (double)mass->inverse_mass;
        for (int j = 0; j < 3; j++)
            body.inverse_mass[3 + i][3 + j] = (double)inertia[i][j];
    }
    return body;
}

// The sides of a block whose rows are forces along `axes` at a point, or torques about them.
static void set_sides(cn_block_def *def, const cn_found_patch *found, const int *body_of, const cn_vec3 *axes, int point)
{
    const int32_t states[2] = { found->a, found->b };
    point_arms arms = get_arms(found->patch, point >= 0 ? point : 0);
    for (int s = 0; s < 2; s++) {
        cn_side *side = &def->sides[def->side_count];
        if (body_of[states[s]] < 0)
            continue;
        side->body = body_of[states[s]];
        float sign = s == 0 ? -1.0f : 1.0f;
        for (int i = 0; i < def->rows; i++) {
            if (point >= 0)
                set_force_row(side->jacobian[i], axes[i], s == 0 ? arms.a : arms.b, sign);
            else
                set_torque_row(side->jacobian[i], axes[i], sign);
        }
        def->side_count++;
    }
}

static float normal_force(const cn_patch *patch)
{
    return patch->force[0] + patch->force[1] + patch->force[2] + patch->force[3];
}

static void add_block(cn_unit_model *model, cn_block_def *def, int patch, int point, cn_block_role role)
{
    int block = cn_problem_add_block(model->problem, def);
    if (block >= 0)
        model->sources[block] = (cn_block_source){ patch, (uint8_t)(point >= 0 ? point : 0), (uint8_t)role };
}

static void add_patch(cn_unit_model *model, int index, const int *body_of)
{
    const cn_found_patch *found = &model->input->patches[model->unit->first_patch + index];
    const cn_patch *patch = found->patch;
    patch_frame f = frame_of(patch);
    cn_vec3 axes[3] = { f.n, f.t1, f.t2 };
    for (int k = 0; k < patch->point_count; k++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = (double)patch->friction;
        set_sides(&def, found, body_of, axes, k);
        add_block(model, &def, index, k, CN_ROLE_POINT);
    }
    double normal = model->h * (double)normal_force(patch);
    const struct {
        float arm;
        cn_block_role role;
        int first_axis, rows;
    } torques[2] = { { patch->spin_arm, CN_ROLE_SPIN, 0, 1 },
                     { patch->extras & CN_EXTRA_ROLLING ? patch->rolling_arm : 0.0f, CN_ROLE_ROLL, 1, 2 } };
    for (int t = 0; t < 2; t++) {
        if (torques[t].arm <= 0.0f)
            continue;
        cn_block_def def = cn_block_def_default(CN_BLOCK_BOUNDED);
        def.rows = torques[t].rows;
        for (int i = 0; i < def.rows; i++) {
            def.upper[i] = (double)torques[t].arm * normal;
            def.lower[i] = -def.upper[i];
        }
        set_sides(&def, found, body_of, axes + torques[t].first_axis, -1);
        add_block(model, &def, index, -1, torques[t].role);
    }
}

static bool is_pushed(const cn_body_mass *mass)
{
    return mass->inverse_mass > 0.0f || mass->xx > 0.0f || mass->yy > 0.0f || mass->zz > 0.0f;
}

cn_unit_model cn_unit_model_create(const cn_solve_input *input, const cn_unit *unit, float h, cn_arena *arena)
{
    int most_blocks = 0;
    for (int i = 0; i < unit->patch_count; i++)
        most_blocks += input->patches[unit->first_patch + i].patch->point_count + 2;
    cn_unit_model model = { .input = input,
                            .unit = unit,
                            .problem = cn_problem_create(input->allocator),
                            .sources = cn_arena_array(arena, cn_block_source, most_blocks),
                            .states = cn_arena_array(arena, int, unit->body_count),
                            .r = cn_arena_array(arena, double, 3 * most_blocks),
                            .h = (double)h,
                            .arena = arena };
    int *body_of = cn_arena_array(arena, int, input->state_count);
    for (int i = 0; i < unit->patch_count; i++) { // what no body of the problem is: the ground, kinematic bodies
        body_of[input->patches[unit->first_patch + i].a] = -1;
        body_of[input->patches[unit->first_patch + i].b] = -1;
    }
    for (int i = 0; i < unit->body_count; i++) {
        int state = input->bodies[unit->first_body + i];
        if (!is_pushed(&input->masses[state]))
            continue;
        cn_model_body body = model_body(input, state);
        body_of[state] = cn_problem_add_body(model.problem, &body);
        if (body_of[state] >= 0)
            model.states[body_of[state]] = state;
    }
    for (int i = 0; i < unit->patch_count; i++)
        add_patch(&model, i, body_of);
    memset(model.r, 0, sizeof(double) * (size_t)model.problem->row_count);
    cn_unit_model_refresh(&model);
    return model;
}

void cn_unit_model_destroy(cn_unit_model *model) { cn_problem_destroy(model->problem); }

// ---- velocities in

static cn_vec3 state_velocity(const cn_body_state *state, cn_vec3 arm)
{
    return cn_add(row3(state->linear), cn_cross(row3(state->angular), arm));
}

// Of b against a.
static cn_vec3 point_velocity(const cn_solve_input *input, const cn_found_patch *found, int k)
{
    point_arms arms = get_arms(found->patch, k);
    return cn_sub(state_velocity(&input->states[found->b], arms.b), state_velocity(&input->states[found->a], arms.a));
}

static cn_vec3 point_acceleration(const cn_solve_input *input, const cn_found_patch *found, int k)
{
    const float *a = input->drives[found->a].acceleration, *b = input->drives[found->b].acceleration;
    point_arms arms = get_arms(found->patch, k);
    return cn_sub(cn_add(row3(b), cn_cross(row3(b + 4), arms.b)), cn_add(row3(a), cn_cross(row3(a + 4), arms.a)));
}

void cn_note_approach(const cn_solve_input *input, const cn_found_patch *found)
{
    cn_patch *patch = found->patch;
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 u = point_velocity(input, found, k);
        patch->approach[k] = cn_dot(row3(patch->normal), u);
    }
}

// q from the states: the relative velocity in the frame of the patch, plus what the law of the point wants.
static void refresh_point(const cn_unit_model *model, const cn_found_patch *found, int k, double q[3])
{
    const cn_patch *patch = found->patch;
    const cn_body_state *a = &model->input->states[found->a], *b = &model->input->states[found->b];
    patch_frame f = frame_of(patch);
    cn_vec3 u = point_velocity(model->input, found, k);
    if (patch->extras & CN_EXTRA_SURFACE) {
        q[1] = -(double)cn_dot(f.t1, row3(patch->surface));
        q[2] = -(double)cn_dot(f.t2, row3(patch->surface));
    } else {
        q[1] = q[2] = 0.0;
    }
    double velocity = (double)cn_dot(f.n, u), pull = (double)cn_dot(f.n, point_acceleration(model->input, found, k));
    approach normal = { velocity - model->h * pull, velocity, pull };
    q[0] = velocity + point_bias(model->input, found, cn_point_separation(patch, k, a, b), normal, model->h);
    q[1] += (double)cn_dot(f.t1, u);
    q[2] += (double)cn_dot(f.t2, u);
}

void cn_unit_model_refresh(cn_unit_model *model)
{
    cn_problem *p = model->problem;
    for (int i = 0; i < p->body_count; i++) {
        const cn_body_state *s = &model->input->states[model->states[i]];
        for (int k = 0; k < 3; k++) {
            p->bodies[i].velocity[k] = (double)s->linear[k];
            p->bodies[i].velocity[3 + k] = (double)s->angular[k];
        }
    }
    for (int i = 0; i < p->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        const cn_found_patch *found = &model->input->patches[model->unit->first_patch + source->patch];
        double *q = p->q + p->blocks[i].first_row;
        if (source->role == CN_ROLE_POINT) {
            refresh_point(model, found, source->point, q);
            continue;
        }
        patch_frame f = frame_of(found->patch);
        cn_vec3 spin = cn_sub(row3(model->input->states[found->b].angular), row3(model->input->states[found->a].angular));
        const cn_vec3 axes[3] = { f.n, f.t1, f.t2 };
        for (int row = 0; row < p->blocks[i].rows; row++)
            q[row] = (double)cn_dot(axes[(source->role == CN_ROLE_ROLL) + row], spin);
    }
}

// ---- impulses in and out

// The friction of a patch as impulses of its points over h: in proportion to their pressure, so that force and torque are the
// same.
static void share_friction(const cn_patch *patch, float h, float shares[4][2])
{
    patch_frame f = frame_of(patch);
    float normal = 0.0f, x[4], y[4], mean[2] = { 0.0f }, center[2] = { 0.0f };
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = get_arms(patch, k).a;
        x[k] = cn_dot(f.t1, arm);
        y[k] = cn_dot(f.t2, arm);
        normal += patch->force[k];
        mean[0] += x[k] / (float)patch->point_count;
        mean[1] += y[k] / (float)patch->point_count;
        center[0] += patch->force[k] * x[k];
        center[1] += patch->force[k] * y[k];
    }
    memset(shares, 0, sizeof(float[4][2]));
    if (!(normal > 0.0f))
        return;
    center[0] /= normal;
    center[1] /= normal;
    const float *force = patch->friction_force;
    // The torque of friction about the pressure centre, and what a unit rate of turning weighted by pressure gives.
    float torque = patch->twist_torque - ((center[0] - mean[0]) * force[1] - (center[1] - mean[1]) * force[0]), weight = 0.0f;
    float spread = 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        float dx = x[k] - center[0], dy = y[k] - center[1];
        weight += patch->force[k] * (dx * dx + dy * dy);
        spread += dx * dx + dy * dy;
    }
    // Where one point carries nearly everything, friction cannot hold a twist.
    float rate = weight > 1e-3f * normal * spread ? torque / weight : 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        shares[k][0] = h * patch->force[k] * (force[0] / normal - rate * (y[k] - center[1]));
        shares[k][1] = h * patch->force[k] * (force[1] / normal + rate * (x[k] - center[0]));
    }
}

void cn_unit_model_load(cn_unit_model *model)
{
    const cn_problem *p = model->problem;
    bool cone = model->input->settings.cone_friction;
    float shares[4][2];
    for (int i = 0; i < p->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        const cn_patch *patch = model->input->patches[model->unit->first_patch + source->patch].patch;
        double *r = model->r + p->blocks[i].first_row;
        int k = source->point;
        if (source->role != CN_ROLE_POINT) {
            r[0] = r[p->blocks[i].rows - 1] = 0.0;
            continue;
        }
        if (k == 0 && !cone && !patch->exact)
            share_friction(patch, (float)model->h, shares);
        r[0] = model->h * (double)patch->force[k];
        for (int d = 0; d < 2; d++)
            r[1 + d] = cone || patch->exact ? model->h * (double)patch->point_friction[d][k] : (double)shares[k][d];
    }
}

static void store_velocities(cn_unit_model *model)
{
    const cn_problem *p = model->problem;
    double(*velocities)[6] = (double(*)[6])cn_arena_alloc(model->arena, sizeof(double[6]) * (size_t)(p->body_count + 1));
    cn_problem_velocities(p, model->r, velocities);
    for (int i = 0; i < p->body_count; i++) {
        cn_body_state *state = &model->input->states[model->states[i]];
        for (int k = 0; k < 3; k++) {
            state->linear[k] = (float)velocities[i][k];
            state->angular[k] = (float)velocities[i][3 + k];
        }
    }
}

// What the fast solvers would start from: one friction force and one torque for the whole patch.
static void store_patch_friction(cn_patch *patch)
{
    patch_frame f = frame_of(patch);
    float x[4], y[4], mean[2] = { 0.0f };
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = get_arms(patch, k).a;
        x[k] = cn_dot(f.t1, arm);
        y[k] = cn_dot(f.t2, arm);
        mean[0] += x[k] / (float)patch->point_count;
        mean[1] += y[k] / (float)patch->point_count;
    }
    patch->friction_force[0] = patch->friction_force[1] = patch->twist_torque = 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        float f1 = patch->point_friction[0][k], f2 = patch->point_friction[1][k];
        patch->friction_force[0] += f1;
        patch->friction_force[1] += f2;
        patch->twist_torque += (x[k] - mean[0]) * f2 - (y[k] - mean[1]) * f1;
    }
}

void cn_unit_model_store(cn_unit_model *model)
{
    const cn_problem *p = model->problem;
    const cn_solve_input *input = model->input;
    for (int i = 0; i < p->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        cn_patch *patch = input->patches[model->unit->first_patch + source->patch].patch;
        double *r = model->r + p->blocks[i].first_row;
        int k = source->point;
        cn_project_block(p, i, CN_LAW_COULOMB, r); // a solver that stopped early may leave its best outside the cone
        if (source->role != CN_ROLE_POINT)
            continue;
        patch->force[k] = (float)(r[0] / model->h);
        patch->point_friction[0][k] = (float)(r[1] / model->h);
        patch->point_friction[1][k] = (float)(r[2] / model->h);
        patch->total[k] += (float)r[0];
        double used = r[1] * r[1] + r[2] * r[2], limit = (double)patch->friction * r[0];
        patch->sliding |= limit > 0.0 && used >= 0.998 * limit * limit;
    }
    for (int i = 0; i < model->unit->patch_count && !input->settings.cone_friction; i++)
        store_patch_friction(input->patches[model->unit->first_patch + i].patch);
    store_velocities(model);
}
