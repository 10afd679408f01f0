// Any solver of the laboratory in the engine: each unit becomes a problem of the contact model, is solved in double, and what
// comes out goes back to its bodies and contacts. With substeps the levers stay as they were when the step began.
#include "cairn/lab.h"
#include "solve/unit_model.h"
#include "solve/wide.h"

#include <math.h>
#include <string.h>

// What a solver is asked for when the world does not say.
#define USUAL_TOLERANCE 1e-6

typedef struct exact_run {
    cn_solve_input *input;
    cn_unit *unit;
    const cn_exact_order *order;
    cn_lab_options options;
    cn_sweep sweep; // for the kernels that work on bodies
    cn_arena arena;
} exact_run;

// ---- one unit

static double length(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// A solver that does not take a problem hands it to one that takes them all.
static cn_lab_report solve(exact_run *run, cn_problem *problem, double *r)
{
    cn_lab_report report = cn_lab_solve(problem, run->order->solver, &run->options, r);
    if (report.stop != CN_STOP_REFUSED)
        return report;
    run->unit->result.refused = true;
    return cn_lab_solve(problem, "nncg", &run->options, r);
}

static void note_result(cn_unit *unit, const cn_problem *problem, const cn_lab_report *report)
{
    cn_unit_result *result = &unit->result;
    result->measured = true;
    result->residual = report->residual;
    result->q_length = length(problem->q, problem->row_count);
    result->iterations += report->iterations;
    unit->sweeps += report->iterations;
}

// Overlaps are pushed apart by a second problem on velocities that start from zero, without friction: what comes out moves the
// bodies once and is then forgotten (Cline and Pai 2003).
static void nudge(exact_run *run, const cn_unit_model *model)
{
    const cn_solve_input *input = run->input;
    cn_problem *normals = cn_problem_without_friction(model->problem);
    double *r = cn_arena_array(&run->arena, double, normals->row_count);
    bool needed = false;
    memset(r, 0, sizeof(double) * (size_t)normals->row_count);
    memset(normals->q, 0, sizeof(double) * (size_t)normals->row_count);
    for (int i = 0; i < normals->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        if (source->role != CN_ROLE_POINT)
            continue;
        const cn_found_patch *found = &input->patches[run->unit->first_patch + source->patch];
        float separation = cn_point_separation(found->patch, source->point, &input->states[found->a], &input->states[found->b]);
        double q = cn_nudge_bias(input, found, separation, model->h);
        normals->q[normals->blocks[i].first_row] = q;
        needed |= q < 0.0;
    }
    if (needed) {
        for (int i = 0; i < normals->body_count; i++)
            memset(normals->bodies[i].velocity, 0, sizeof normals->bodies[i].velocity);
        solve(run, normals, r);
        double(*velocities)[6] = (double(*)[6])cn_arena_alloc(&run->arena, sizeof(double[6]) * (size_t)normals->body_count);
        cn_problem_velocities(normals, r, velocities);
        for (int i = 0; i < normals->body_count; i++) {
            cn_body_state *state = &input->states[model->states[i]];
            for (int k = 0; k < 3; k++) {
                state->moved[k] += (float)(model->h * velocities[i][k]);
                state->turned[k] += (float)(model->h * velocities[i][3 + k]);
            }
        }
    }
    cn_problem_destroy(normals);
}

static void begin_patches(const cn_solve_input *input, const cn_unit *unit, int substeps)
{
    for (int i = 0; i < unit->patch_count; i++) {
        cn_patch *patch = input->patches[unit->first_patch + i].patch;
        memset(patch->total, 0, sizeof patch->total);
        patch->sliding = 0;
        patch->substeps = (uint16_t)substeps;
        cn_note_approach(input, &input->patches[unit->first_patch + i]);
    }
}

static void end_patches(const cn_solve_input *input, const cn_unit *unit)
{
    for (int i = 0; i < unit->patch_count; i++)
        input->patches[unit->first_patch + i].patch->exact = true;
}

static void run_unit(exact_run *run)
{
    cn_solve_input *input = run->input;
    cn_unit *unit = run->unit;
    const int *bodies = input->bodies + unit->first_body;
    cn_unit_model model = { 0 };
    begin_patches(input, unit, run->order->substeps);
    for (int substep = 0; substep < run->order->substeps; substep++) {
        input->kernels->start_step(&run->sweep, bodies, unit->body_count);
        if (unit->patch_count > 0) {
            if (substep == 0) {
                model = cn_unit_model_create(input, unit, run->sweep.h, &run->arena);
                cn_unit_model_load(&model);
            } else {
                cn_unit_model_refresh(&model);
            }
            cn_lab_report report = solve(run, model.problem, model.r);
            note_result(unit, model.problem, &report);
            cn_unit_model_store(&model);
        }
        input->kernels->move(&run->sweep, bodies, unit->body_count);
        if (unit->patch_count > 0 && input->settings.nudge)
            nudge(run, &model);
    }
    end_patches(input, unit);
    if (model.problem != NULL)
        cn_unit_model_destroy(&model);
}

void cn_solve_unit_exactly(cn_solve_input *input, cn_unit *unit, const cn_exact_order *order)
{
    float h = input->dt / (float)order->substeps;
    exact_run run = { .input = input,
                      .unit = unit,
                      .order = order,
                      .options = cn_lab_options_default(),
                      .sweep = { .states = input->states, .masses = input->masses, .drives = input->drives, .h = h } };
    run.options.tolerance = order->tolerance;
    run.options.max_iterations = order->iterations;
    run.options.allocator = input->allocator;
    unit->result.solver = order->solver;
    cn_arena_init(&run.arena, input->allocator);
    run_unit(&run);
    cn_arena_free(&run.arena);
}

// ---- all units

static void run_one(void *context, int index)
{
    cn_solve_input *input = context;
    const cn_solver_settings *settings = &input->settings;
    cn_exact_order order = { input->solver->model_solver, settings->substeps, settings->iterations,
                             settings->tolerance > 0.0f ? (double)settings->tolerance : USUAL_TOLERANCE };
    if (!input->units[index].result.handed_over)
        cn_solve_unit_exactly(input, &input->units[index], &order);
}

void cn_solve_exact(cn_solve_input *input)
{
    cn_tasks_run(input->tasks, run_one, input, input->unit_count);
    for (int i = 0; i < input->unit_count; i++)
        if (input->units[i].sweeps > input->iterations_used)
            input->iterations_used = input->units[i].sweeps;
}
