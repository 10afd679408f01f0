// Any solver of the laboratory in the engine: each unit becomes a problem of the contact model, is solved in double, and what
// comes out goes back to its bodies and contacts. With substeps the levers stay as they were when the step began.
#include "lab/level.h"
#include "lab/near.h"
#include "solve/exact_impact.h"
#include "solve/follow.h"
#include "solve/joint_model.h"
#include "solve/wide.h"

#include <math.h>
#include <string.h>

// What a solver is asked for when the world does not say, and where it may leave a problem that contradicts itself.
#define USUAL_TOLERANCE 1e-6
#define USUAL_ENOUGH 1e-4

#define LITTLE 1e-5 // of all impulses

typedef struct exact_run {
    cn_solve_input *input; // problems are made with the memory of the arena
    cn_unit *unit;
    const cn_exact_order *order;
    cn_lab_options options;
    cn_sweep sweep; // for the kernels that work on bodies
    cn_arena *arena;
    cn_wide_follower *followers; // jointed bodies that tumble
    int follower_count;
    cn_body_mass *masses; // with substeps: of when one begins
} exact_run;

// ---- one unit

static double length(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// The second solver goes on from what the first has reached. One that does not take a problem hands it to one that takes them
// all.
static cn_lab_report solve(exact_run *run, cn_problem *problem, double *r)
{
    const cn_exact_order *order = run->order;
    cn_lab_options options = run->options;
    options.max_work = order->work > 0.0 ? order->work - run->unit->result.work : 0.0;
    cn_lab_report report = cn_lab_solve_near(problem, order->solver, &options, order->enough, r);
    const char *other = report.stop == CN_STOP_REFUSED ? "nncg" : report.residual.value > order->enough ? order->second : NULL;
    if (other != NULL) {
        cn_lab_report first = report;
        options.max_work = options.max_work > 0.0 ? fmax(options.max_work - first.work, 1.0) : 0.0;
        report = cn_lab_solve_near(problem, other, &options, order->enough, r);
        report.iterations += first.iterations;
        report.work += first.work;
        run->unit->result.refused |= first.stop == CN_STOP_REFUSED;
        run->unit->result.solver = other;
    }
    run->unit->result.work += report.work;
    return report;
}

// Whether r differs from `before` by more than what need not be shared anew.
static bool has_changed(const double *before, const double *r, int count)
{
    double change = 0.0, all = 0.0;
    for (int i = 0; i < count; i++) {
        change += (r[i] - before[i]) * (r[i] - before[i]);
        all += r[i] * r[i];
    }
    return change > LITTLE * LITTLE * all;
}

static bool was_even(const exact_run *run)
{
    for (int i = 0; i < run->unit->patch_count; i++) {
        const cn_patch *patch = run->input->patches[run->unit->first_patch + i].patch;
        if (!patch->exact || !patch->even)
            return false;
    }
    return true;
}

static void set_even(const exact_run *run, bool even)
{
    for (int i = 0; i < run->unit->patch_count; i++)
        run->input->patches[run->unit->first_patch + i].patch->even = even;
}

// Of the answers that move the bodies in the same way the least is taken: see level.h. What was so in the last step and has
// hardly changed still is.
static cn_lab_report solve_evenly(exact_run *run, cn_problem *problem, double *r)
{
    double *before = cn_arena_array(run->arena, double, problem->row_count);
    memcpy(before, r, sizeof(double) * (size_t)problem->row_count);
    cn_lab_report report = solve(run, problem, r);
    bool missed = run->order->work > 0.0 && report.residual.value > run->order->enough; // it is not worth its price
    if (missed || (was_even(run) && !has_changed(before, r, problem->row_count)))
        return report;
    cn_lab_options options = run->options;
    options.max_work = run->order->work > 0.0 ? fmax(run->order->work - run->unit->result.work, 1.0) : 0.0;
    cn_lab_levelled levelled = cn_lab_level(problem, &options, r);
    run->unit->result.work += levelled.work;
    set_even(run, levelled.changed && !levelled.slides); // what seems to slide may only have been left a little unsolved
    if (levelled.changed)
        report.residual = cn_problem_residual(problem, CN_LAW_COULOMB, r, NULL);
    return report;
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

// What each normal row of a nudge wants, where there are rows to fill. False when there is nothing to push apart.
static bool find_overlaps(const exact_run *run, cn_unit_model *model, cn_problem *normals)
{
    const cn_solve_input *input = run->input;
    bool found_one = cn_joint_model_nudge(model, normals);
    for (int i = 0; i < model->problem->block_count; i++) {
        const cn_block_source *source = &model->sources[i];
        if (source->role != CN_ROLE_POINT)
            continue;
        const cn_found_patch *found = &input->patches[run->unit->first_patch + source->patch];
        const cn_body_state *a = &input->states[found->a], *b = &input->states[found->b];
        double bias = cn_nudge_bias(input, found, cn_point_separation(found->patch, source->point, a, b), model->h);
        found_one |= bias < 0.0;
        if (normals != NULL)
            normals->q[normals->blocks[i].first_row] = bias;
    }
    return found_one;
}

// Moves the bodies once by what their velocities would do in a (sub)step.
static void shift_bodies(const exact_run *run, const cn_unit_model *model, const cn_problem *normals, const double *r)
{
    double(*velocities)[6] = (double(*)[6])cn_arena_alloc(run->arena, sizeof(double[6]) * (size_t)(normals->body_count + 1));
    cn_problem_velocities(normals, r, velocities);
    for (int i = 0; i < normals->body_count; i++) {
        int index = model->states[i];
        cn_body_state *state = &run->input->states[index];
        for (int k = 0; k < 3; k++) {
            state->moved[k] += (float)(model->h * velocities[i][k]);
            state->turned[k] += (float)(model->h * velocities[i][3 + k]);
        }
        if (!run->input->drives[index].jointed)
            continue;
        float *turn = run->input->turns[index];
        const float h = (float)model->h;
        cn_vec3 more = cn_v3(h * (float)velocities[i][3], h * (float)velocities[i][4], h * (float)velocities[i][5]);
        cn_quat q = cn_quat_mul(cn_quat_exp(more), (cn_quat){ turn[0], turn[1], turn[2], turn[3] });
        turn[0] = q.x, turn[1] = q.y, turn[2] = q.z, turn[3] = q.w;
        if (run->input->drives[index].follows) { // its velocity turns with it, which takes no energy
            cn_vec3 w = cn_rotate(cn_quat_exp(more), cn_v3(state->angular[0], state->angular[1], state->angular[2]));
            state->angular[0] = w.x, state->angular[1] = w.y, state->angular[2] = w.z;
        }
    }
}

// Overlaps are pushed apart by a second problem on velocities that start from zero, without friction: what comes out moves the
// bodies once and is then forgotten (Cline and Pai 2003).
static void nudge(exact_run *run, cn_unit_model *model)
{
    if (!find_overlaps(run, model, NULL))
        return;
    cn_problem *normals = cn_problem_without_friction(model->problem);
    double *r = cn_arena_array(run->arena, double, normals->row_count);
    memset(r, 0, sizeof(double) * (size_t)normals->row_count);
    memset(normals->q, 0, sizeof(double) * (size_t)normals->row_count);
    for (int i = 0; i < normals->body_count; i++)
        memset(normals->bodies[i].velocity, 0, sizeof normals->bodies[i].velocity);
    find_overlaps(run, model, normals);
    solve(run, normals, r);
    shift_bodies(run, model, normals, r);
    cn_problem_destroy(normals);
}

static void begin_patches(const cn_solve_input *input, const cn_unit *unit, int substeps)
{
    for (int i = 0; i < unit->patch_count; i++) {
        cn_patch *patch = input->patches[unit->first_patch + i].patch;
        memset(patch->total, 0, sizeof patch->total);
        memset(patch->friction_total, 0, sizeof patch->friction_total);
        patch->sliding = 0;
        patch->substeps = (uint16_t)substeps;
        cn_note_approach(input, &input->patches[unit->first_patch + i]);
    }
}

static void begin_joints(const cn_solve_input *input, const cn_unit *unit)
{
    for (int i = 0; i < unit->joint_count; i++) {
        cn_solver_joint *joint = input->joints[unit->first_joint + i].joint;
        memset(joint->total, 0, sizeof joint->total);
        for (int k = 0; k < joint->row_count; k++)
            joint->rows[k].total = 0.0f;
        for (int k = 0; joint->torques != NULL && k < CN_TORQUE_COUNT; k++)
            memset(joint->torques[k].total, 0, sizeof joint->torques[k].total);
    }
}

static void end_patches(const cn_solve_input *input, const cn_unit *unit)
{
    for (int i = 0; i < unit->patch_count; i++)
        input->patches[unit->first_patch + i].patch->exact = true;
}

// The next substep has the inertia as it is then; the last one leaves that of when the step began.
static void turn_followers(const exact_run *run)
{
    run->input->kernels->follow_turn(&run->sweep, run->followers, cn_wide_follower_count(run->follower_count));
    for (int i = 0; run->order->substeps > 1 && i < run->follower_count; i++) {
        const cn_wide_follower *f = &run->followers[i / CN_LANES];
        int lane = i % CN_LANES;
        cn_body_mass *m = &run->masses[f->states[lane]];
        m->xx = f->now[0][lane], m->yy = f->now[1][lane], m->zz = f->now[2][lane];
        m->xy = f->now[3][lane], m->xz = f->now[4][lane], m->yz = f->now[5][lane];
    }
}

static void follow_bodies(exact_run *run)
{
    cn_solve_input *input = run->input;
    const int *bodies = input->bodies + run->unit->first_body;
    run->followers = cn_find_followers(input, bodies, run->unit->body_count, run->arena, &run->follower_count);
    if (run->follower_count == 0 || run->order->substeps == 1)
        return;
    run->masses = cn_arena_array(run->arena, cn_body_mass, input->state_count);
    memcpy(run->masses, input->masses, sizeof *run->masses * (size_t)input->state_count);
    input->masses = run->sweep.masses = run->masses;
}

static void run_unit(exact_run *run)
{
    cn_solve_input *input = run->input;
    cn_unit *unit = run->unit;
    const int *bodies = input->bodies + unit->first_body;
    bool tied = unit->patch_count > 0 || unit->joint_count > 0;
    cn_unit_model model = { 0 };
    follow_bodies(run);
    begin_patches(input, unit, run->order->substeps);
    begin_joints(input, unit);
    for (int substep = 0; substep < run->order->substeps; substep++) {
        input->kernels->start_step(&run->sweep, bodies, unit->body_count);
        cn_resolve_impacts(input, unit, run->sweep.h, run->arena);
        if (tied) {
            if (substep == 0 || unit->joint_count > 0) {
                if (model.problem != NULL)
                    cn_unit_model_destroy(&model);
                model = cn_unit_model_create(input, unit, run->sweep.h, input->dt - (float)substep * run->sweep.h, run->arena);
                cn_unit_model_load(&model);
            } else {
                cn_unit_model_refresh(&model);
            }
            cn_lab_report report = solve_evenly(run, model.problem, model.r);
            note_result(unit, model.problem, &report);
            cn_unit_model_store(&model);
        }
        input->kernels->move(&run->sweep, bodies, unit->body_count);
        turn_followers(run);
        if (tied && input->settings.nudge)
            nudge(run, &model);
    }
    end_patches(input, unit);
    if (model.problem != NULL)
        cn_unit_model_destroy(&model);
}

void cn_solve_unit_exactly(cn_solve_input *input, cn_unit *unit, const cn_exact_order *order)
{
    cn_arena *arena = cn_scratch_take(input->scratch);
    cn_allocator allocator = cn_arena_allocator(arena);
    cn_solve_input own = *input;
    own.allocator = &allocator;
    float h = input->dt / (float)order->substeps;
    exact_run run = {
        .input = &own,
        .unit = unit,
        .order = order,
        .options = cn_lab_options_default(),
        .sweep = { .states = input->states, .masses = input->masses, .drives = input->drives, .turns = input->turns, .h = h },
        .arena = arena
    };
    run.options.tolerance = order->tolerance;
    run.options.max_iterations = order->iterations;
    run.options.allocator = &allocator;
    unit->result.solver = order->solver;
    run_unit(&run);
    cn_scratch_return(input->scratch, arena);
}

// ---- all units

static void run_one(void *context, int index)
{
    cn_solve_input *input = context;
    const cn_solver_settings *settings = &input->settings;
    double asked = (double)settings->tolerance;
    cn_exact_order order = { .solver = input->solver->model_solver,
                             .substeps = settings->substeps,
                             .iterations = settings->iterations,
                             .tolerance = asked > 0.0 ? asked : USUAL_TOLERANCE,
                             .enough = asked > 0.0 ? asked : USUAL_ENOUGH };
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
