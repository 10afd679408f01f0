// How right a fast solver has solved a unit with joints. Its problem is formed, which that of contacts alone need not be
// (wide_measure.h); the definition is the same: the velocities that came out and the impulses of the last (sub)step, held
// against the law of each row.
#include "model/law.h"
#include "solve/joint_model.h"

#include <math.h>
#include <string.h>

// ---- contacts as the fast solvers see them

// What the law of a point asks of its normal velocity beyond u >= 0.
static double point_bias(const cn_unit_model *model, const cn_found_patch *found, int k)
{
    const cn_solve_input *input = model->input;
    const cn_patch *patch = found->patch;
    double separation = (double)cn_point_separation(patch, k, &input->states[found->a], &input->states[found->b]);
    double push = -(double)input->settings.push_speed, bias = model->bias_rate * separation;
    return separation > 0.0 ? separation / model->h : bias > push ? bias : push;
}

static double normal_velocity(const cn_solve_input *input, const cn_found_patch *found, int k)
{
    const cn_body_state *a = &input->states[found->a], *b = &input->states[found->b];
    cn_point_arms arms = cn_get_arms(found->patch, k);
    cn_vec3 va = cn_add(cn_row3(a->linear), cn_cross(cn_row3(a->angular), arms.a)),
            vb = cn_add(cn_row3(b->linear), cn_cross(cn_row3(b->angular), arms.b));
    return (double)cn_dot(cn_row3(found->patch->normal), cn_sub(vb, va));
}

// Their resistance to spinning and rolling is left out, as it is where there are no joints.
static void judge_patches(cn_unit_model *model)
{
    cn_problem *p = model->problem;
    for (int i = 0; i < p->block_count && model->sources[i].role != CN_ROLE_JOINT; i++) {
        const cn_block_source *source = &model->sources[i];
        const cn_found_patch *found = &model->input->patches[model->unit->first_patch + source->patch];
        int row = p->blocks[i].first_row;
        if (source->role == CN_ROLE_POINT)
            p->q[row] = normal_velocity(model->input, found, source->point) + point_bias(model, found, source->point);
        else
            memset(p->q + row, 0, sizeof(double) * (size_t)p->blocks[i].rows);
    }
}

// ---- the whole unit

// From the velocities that came out to those before contacts and joints acted.
static void take_back_impulses(cn_unit_model *model)
{
    cn_problem *p = model->problem;
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        bool resists = model->sources[i].role == CN_ROLE_SPIN || model->sources[i].role == CN_ROLE_ROLL;
        for (int s = b->first_side; s < b->first_side + b->side_count && !resists; s++) {
            int state = model->states[p->sides[s].body];
            const float *before = model->input->drives[state].before;
            const cn_body_state *after = &model->input->states[state];
            for (int row = 0; row < b->rows; row++) {
                const double *jacobian = p->sides[s].jacobian[row];
                for (int k = 0; k < 3; k++)
                    p->q[b->first_row + row] += jacobian[k] * ((double)before[k] - (double)after->linear[k]) +
                                                jacobian[3 + k] * ((double)before[4 + k] - (double)after->angular[k]);
            }
        }
    }
}

void cn_measure_unit_with_joints(cn_solve_input *input, cn_unit *unit, float h, cn_arena *arena)
{
    cn_allocator allocator = cn_arena_allocator(arena);
    cn_solve_input own = *input;
    own.allocator = &allocator;
    cn_unit_model model = cn_unit_model_create_judged(&own, unit, h, arena);
    judge_patches(&model);
    cn_unit_model_load(&model);
    cn_problem *p = model.problem;
    double *u = cn_arena_array(arena, double, p->row_count), square = 0.0;
    for (int i = 0; i < p->row_count; i++)
        u[i] = p->q[i] + p->softness[i] * model.r[i];
    take_back_impulses(&model);
    for (int i = 0; i < p->row_count; i++)
        square += p->q[i] * p->q[i];
    cn_unit_result *result = &unit->result;
    result->measured = true;
    result->solver = input->solver->name;
    result->iterations = unit->sweeps;
    result->q_length = sqrt(square);
    result->residual = cn_problem_residual(p, CN_LAW_COULOMB, model.r, u);
    cn_unit_model_destroy(&model);
}
