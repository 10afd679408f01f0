#include "solve/unit_model.h"
#include "math/vec.h"
#include "model/law.h"
#include "solve/joint_model.h"
#include "solve/wide.h"

#include <string.h>

// ---- the problem

static void set_torque_row(double row[6], cn_vec3 axis, float sign)
{
    const float values[6] = { 0.0f, 0.0f, 0.0f, axis.x, axis.y, axis.z };
    for (int k = 0; k < 6; k++)
        row[k] = (double)(sign * values[k]);
}

cn_model_body cn_model_body_of(const cn_solve_input *input, int state)
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

// What locks leave of a row, linear or angular, may be rounding: then there is nothing of it. Returns whether anything is left.
static bool clear_locked(const cn_model_body *body, double row[6])
{
    bool any = false;
    for (int first = 0; first < 6; first += 3) {
        double length_sq = 0.0, response = 0.0, most = 0.0;
        bool locked = false;
        for (int i = first; i < first + 3; i++) {
            length_sq += row[i] * row[i];
            most = fmax(most, body->inverse_mass[i][i]);
            locked |= body->inverse_mass[i][i] == 0.0;
            for (int j = first; j < first + 3; j++)
                response += row[i] * body->inverse_mass[i][j] * row[j];
        }
        if (locked && response <= (double)CN_LEAST_RESPONSE * most * length_sq)
            memset(row + first, 0, sizeof(double[3]));
        else
            any = true;
    }
    return any;
}

bool cn_set_point_sides(cn_block_def *def, const cn_problem *p, const cn_patch *patch, const int bodies[2], int point)
{
    cn_point_rows rows = cn_point_rows_of(patch, point);
    bool gives_way = false;
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0)
            continue;
        cn_side *side = &def->sides[def->side_count++];
        side->body = bodies[s];
        memcpy(side->jacobian, rows.side[s], sizeof rows.side[s]);
        gives_way |= clear_locked(&p->bodies[bodies[s]], side->jacobian[0]);
        for (int row = 1; row < 3; row++)
            clear_locked(&p->bodies[bodies[s]], side->jacobian[row]);
    }
    return gives_way;
}

static void set_torque_sides(cn_block_def *def, const cn_problem *p, const int bodies[2], const cn_vec3 *axes)
{
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0)
            continue;
        cn_side *side = &def->sides[def->side_count++];
        side->body = bodies[s];
        for (int row = 0; row < def->rows; row++) {
            set_torque_row(side->jacobian[row], axes[row], s == 0 ? -1.0f : 1.0f);
            clear_locked(&p->bodies[bodies[s]], side->jacobian[row]);
        }
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

static void add_patch(cn_unit_model *model, int index)
{
    const cn_found_patch *found = &model->input->patches[model->unit->first_patch + index];
    const cn_patch *patch = found->patch;
    const int bodies[2] = { model->body_of[found->a], model->body_of[found->b] };
    cn_patch_frame f = cn_frame_of(patch);
    const cn_vec3 axes[3] = { f.n, f.t1, f.t2 };
    for (int k = 0; k < patch->point_count; k++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = (double)patch->friction;
        if (cn_set_point_sides(&def, model->problem, patch, bodies, k))
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
        set_torque_sides(&def, model->problem, bodies, axes + torques[t].first_axis);
        add_block(model, &def, index, -1, torques[t].role);
    }
}

bool cn_is_pushed(const cn_body_mass *mass)
{
    return mass->inverse_mass > 0.0f || mass->xx > 0.0f || mass->yy > 0.0f || mass->zz > 0.0f;
}

static void add_bodies(cn_unit_model *model)
{
    const cn_solve_input *input = model->input;
    const cn_unit *unit = model->unit;
    for (int i = 0; i < unit->patch_count; i++) { // what no body of the problem is: the ground, kinematic bodies
        model->body_of[input->patches[unit->first_patch + i].a] = -1;
        model->body_of[input->patches[unit->first_patch + i].b] = -1;
    }
    for (int i = 0; i < unit->joint_count; i++) {
        model->body_of[input->joints[unit->first_joint + i].a] = -1;
        model->body_of[input->joints[unit->first_joint + i].b] = -1;
    }
    for (int i = 0; i < unit->body_count; i++) {
        int state = input->bodies[unit->first_body + i];
        if (!cn_is_pushed(&input->masses[state]))
            continue;
        cn_model_body body = cn_model_body_of(input, state);
        int index = cn_problem_add_body(model->problem, &body);
        model->body_of[state] = index;
        if (index >= 0)
            model->states[index] = state;
    }
}

// Those of the laboratory act where the joints are when the (sub)step begins. Of the fast ones, which have moved the bodies
// since, pgs does so too, and pushes errors away by velocities that stay; the others relax along the joint as it was halfway.
static cn_joint_timing timing_of(const cn_solve_input *input, double h, double left, bool judged)
{
    double projection = (double)input->settings.projection / h;
    if (!judged)
        return (cn_joint_timing){ .bias_rate = input->settings.nudge ? 0.0 : projection, .left = left };
    cn_joint_timing timing = { .judged = true, .acts = -h, .pulls = -h, .left = left };
    if (input->solver->solve == cn_solve_pgs) {
        timing.acts_until = timing.sees = -h;
        timing.bias_rate = projection;
    }
    return timing;
}

static cn_unit_model create(const cn_solve_input *input, const cn_unit *unit, float h, float left, bool judged, cn_arena *arena)
{
    int most_blocks = 0;
    for (int i = 0; i < unit->patch_count; i++)
        most_blocks += input->patches[unit->first_patch + i].patch->point_count + 2;
    for (int i = 0; i < unit->joint_count; i++)
        most_blocks += cn_joint_most_rows(input->joints[unit->first_joint + i].joint);
    cn_unit_model model = { .input = input,
                            .unit = unit,
                            .problem = cn_problem_create(input->allocator),
                            .sources = cn_arena_array(arena, cn_block_source, most_blocks),
                            .states = cn_arena_array(arena, int, unit->body_count),
                            .body_of = cn_arena_array(arena, int, input->state_count),
                            .r = cn_arena_array(arena, double, 3 * most_blocks),
                            .h = (double)h,
                            .timing = timing_of(input, (double)h, (double)left, judged),
                            .arena = arena };
    // Of the fast solvers, this one alone pushes overlaps apart by velocities that stay.
    bool projects = !input->settings.nudge && (!judged || input->solver->solve == cn_solve_pgs);
    model.bias_rate = projects ? (double)(input->settings.projection / h) : 0.0;
    add_bodies(&model);
    for (int i = 0; i < unit->patch_count; i++)
        add_patch(&model, i);
    cn_joint_model_add(&model);
    memset(model.r, 0, sizeof(double) * (size_t)model.problem->row_count);
    cn_unit_model_refresh(&model);
    return model;
}

cn_unit_model cn_unit_model_create(const cn_solve_input *input, const cn_unit *unit, float h, float left, cn_arena *arena)
{
    return create(input, unit, h, left, false, arena);
}

cn_unit_model cn_unit_model_create_judged(const cn_solve_input *input, const cn_unit *unit, float h, cn_arena *arena)
{
    return create(input, unit, h, h, true, arena);
}

void cn_unit_model_destroy(cn_unit_model *model) { cn_problem_destroy(model->problem); }

// ---- velocities in

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
        if (source->role == CN_ROLE_JOINT)
            break; // they come last
        const cn_found_patch *found = &model->input->patches[model->unit->first_patch + source->patch];
        double *q = p->q + p->blocks[i].first_row;
        if (source->role == CN_ROLE_POINT) {
            cn_point_free_velocity(model->input, found, source->point, model->h, q);
            continue;
        }
        cn_patch_frame f = cn_frame_of(found->patch);
        cn_vec3 spin = cn_sub(cn_row3(model->input->states[found->b].angular), cn_row3(model->input->states[found->a].angular));
        const cn_vec3 axes[3] = { f.n, f.t1, f.t2 };
        for (int row = 0; row < p->blocks[i].rows; row++)
            q[row] = (double)cn_dot(axes[(source->role == CN_ROLE_ROLL) + row], spin);
    }
    cn_joint_model_refresh(model);
}

// ---- impulses in and out

void cn_unit_model_load(cn_unit_model *model)
{
    const cn_problem *p = model->problem;
    bool cone = model->input->settings.cone_friction;
    float shares[4][2];
    int shared = -1; // the patch whose friction they are
    for (int i = 0; i < p->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        if (source->role == CN_ROLE_JOINT)
            break;
        const cn_patch *patch = model->input->patches[model->unit->first_patch + source->patch].patch;
        double *r = model->r + p->blocks[i].first_row;
        int k = source->point;
        if (source->role != CN_ROLE_POINT) {
            r[0] = r[p->blocks[i].rows - 1] = 0.0;
            continue;
        }
        if (source->patch != shared && !cone && !patch->exact)
            cn_share_friction(patch, (float)model->h, shares);
        shared = source->patch;
        r[0] = model->h * (double)patch->force[k];
        for (int d = 0; d < 2; d++)
            r[1 + d] = cone || patch->exact ? model->h * (double)patch->point_friction[d][k] : (double)shares[k][d];
        cn_to_friction_axes(patch, r + 1);
    }
    cn_joint_model_load(model);
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

void cn_unit_model_store(cn_unit_model *model)
{
    const cn_problem *p = model->problem;
    const cn_solve_input *input = model->input;
    for (int i = 0; i < model->unit->patch_count; i++) { // points that no block stands for push nothing
        cn_patch *patch = input->patches[model->unit->first_patch + i].patch;
        memset(patch->force, 0, sizeof patch->force);
        memset(patch->point_friction, 0, sizeof patch->point_friction);
    }
    for (int i = 0; i < p->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        double *r = model->r + p->blocks[i].first_row;
        int k = source->point;
        cn_project_block(p, i, CN_LAW_COULOMB, r); // a solver that stopped early may leave its best outside the cone
        if (source->role != CN_ROLE_POINT)
            continue;
        cn_patch *patch = input->patches[model->unit->first_patch + source->patch].patch;
        double friction[2] = { r[1], r[2] };
        cn_from_friction_axes(patch, friction);
        patch->force[k] = cn_kept_force(r[0] / model->h);
        patch->total[k] = cn_kept_force((double)patch->total[k] + r[0]);
        for (int d = 0; d < 2; d++) {
            patch->point_friction[d][k] = cn_kept_force(friction[d] / model->h);
            patch->friction_total[d] = cn_kept_force((double)patch->friction_total[d] + friction[d]);
        }
        double used = r[1] * r[1] + r[2] * r[2], limit = (double)patch->friction * r[0];
        patch->sliding |= limit > 0.0 && used >= 0.998 * limit * limit;
    }
    for (int i = 0; i < model->unit->patch_count && !input->settings.cone_friction; i++)
        cn_collect_friction(input->patches[model->unit->first_patch + i].patch);
    cn_joint_model_store(model);
    store_velocities(model);
}
