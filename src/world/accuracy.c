// How right a step is: reports of its islands, and its contact problem for others to solve.
#include "solve/unit_model.h"
#include "solve/wide.h"
#include "world/check.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

bool cn_world_get_measure(const cn_world *world) { return cn_check_world(world, __func__) && world->def.measure; }

float cn_world_get_tolerance(const cn_world *world) { return cn_check_world(world, __func__) ? world->def.tolerance : 0.0f; }

bool cn_world_set_measure(cn_world *world, bool measure)
{
    if (!cn_check_writable(world, __func__))
        return false;
    world->def.measure = measure;
    return true;
}

bool cn_world_set_tolerance(cn_world *world, float tolerance)
{
    if (!cn_check_writable(world, __func__) || !cn_check_not_negative(__func__, "tolerance", tolerance))
        return false;
    world->def.tolerance = tolerance;
    return true;
}

// ---- reports

static bool is_known(const cn_unit_result *result)
{
    const cn_residual *r = &result->residual;
    double sum = r->value + r->worst + r->approach + r->negative_impulse + r->cone + r->gap + r->direction;
    return isfinite(sum) && isfinite(result->q_length) && isfinite(result->first_residual);
}

// An island whose bodies were lost, or whose impulses are too large to be squared, is as far from a solution as can be said.
static void use_worst(cn_unit_result *result)
{
    result->residual = (cn_residual){ .value = CN_WORST_RESIDUAL, .worst_block = -1 };
    result->first_residual = result->handed_over ? CN_WORST_RESIDUAL : 0.0;
    result->q_length = 0.0;
}

static cn_island_report report_unit(const cn_world *world, const cn_solve_input *input, const cn_unit *unit)
{
    const cn_unit_result *result = &unit->result;
    cn_island_report report = { .bodies = 0,
                                .solver = result->solver,
                                .iterations = result->iterations,
                                .handed_over = result->handed_over,
                                .refused = result->refused,
                                .first_residual = result->first_residual,
                                .residual = result->residual };
    for (int i = unit->body_count - 1; i >= 0; i--) {
        int state = input->bodies[unit->first_body + i];
        if (state >= world->awake.count || world->bodies.data[world->awake.data[state]].type != CN_DYNAMIC)
            continue;
        report.body = cn_body_id_of(world, world->awake.data[state]);
        report.bodies++;
    }
    for (int i = 0; i < unit->patch_count; i++)
        report.points += input->patches[unit->first_patch + i].patch->point_count;
    return report;
}

static double larger(double a, double b) { return a > b ? a : b; }

// Of all islands together: the squares of residual and q add up, the parts in physical units are the worst of any.
static cn_residual sum_residuals(const cn_solve_input *input)
{
    cn_residual sum = { .worst_block = -1 };
    double squares = 0.0, q_squares = 0.0;
    for (int u = 0; u < input->unit_count; u++) {
        const cn_unit_result *result = &input->units[u].result;
        const cn_residual *one = &result->residual;
        double error = one->value * result->q_length;
        squares += error * error;
        q_squares += result->q_length * result->q_length;
        sum.worst = larger(sum.worst, one->worst);
        sum.approach = larger(sum.approach, one->approach);
        sum.negative_impulse = larger(sum.negative_impulse, one->negative_impulse);
        sum.cone = larger(sum.cone, one->cone);
        sum.gap = larger(sum.gap, one->gap);
        sum.direction = larger(sum.direction, one->direction);
    }
    sum.value = q_squares > 0.0 ? sqrt(squares / q_squares) : 0.0;
    return sum;
}

void cn_report_accuracy(cn_world *world, const cn_solve_input *input)
{
    world->island_reports.count = 0;
    if (!input->judged)
        return;
    cn_step_report *report = &world->report;
    for (int u = 0; u < input->unit_count; u++)
        if (!is_known(&input->units[u].result))
            use_worst(&input->units[u].result);
    report->residual = sum_residuals(input);
    for (int u = 0; u < input->unit_count; u++) {
        const cn_unit *unit = &input->units[u];
        if (unit->patch_count == 0 && unit->joint_count == 0)
            continue;
        cn_array_push(&world->allocator, &world->island_reports, report_unit(world, input, unit));
        report->worst_residual = larger(report->worst_residual, unit->result.residual.value);
        report->handed_over += unit->result.handed_over;
        report->missed += world->def.tolerance > 0.0f && unit->result.residual.value > (double)world->def.tolerance;
    }
}

int cn_world_get_island_reports(const cn_world *world, cn_island_report *reports, int capacity)
{
    if (!cn_check_world(world, __func__) || !cn_check_buffer(__func__, "reports", reports, capacity))
        return 0;
    for (int i = 0; i < world->island_reports.count && i < capacity; i++)
        reports[i] = world->island_reports.data[i];
    return world->island_reports.count;
}

// ---- capture

bool cn_world_set_capture(cn_world *world, bool capture)
{
    if (!cn_check_writable(world, __func__))
        return false;
    world->capture = capture;
    return true;
}

// All units as one, on copies of the bodies on which forces have acted.
void cn_capture_problem(cn_world *world, const cn_solve_input *input)
{
    if (!world->capture)
        return;
    cn_arena *arena = &world->arena;
    cn_solve_input copy = *input;
    cn_unit whole = { 0 };
    for (int u = 0; u < input->unit_count; u++) {
        whole.body_count += input->units[u].body_count;
        whole.patch_count += input->units[u].patch_count;
        whole.joint_count += input->units[u].joint_count;
    }
    copy.states = cn_arena_array(arena, cn_body_state, input->state_count);
    copy.drives = cn_arena_array(arena, cn_body_drive, input->state_count);
    copy.allocator = &cn_default_allocator; // it may outlive the world
    memcpy(copy.states, input->states, sizeof *copy.states * (size_t)input->state_count);
    memcpy(copy.drives, input->drives, sizeof *copy.drives * (size_t)input->state_count);
    cn_sweep sweep = { .states = copy.states, .masses = copy.masses, .drives = copy.drives, .h = input->dt };
    input->kernels->start_step(&sweep, input->bodies, whole.body_count);
    cn_problem_destroy(world->captured);
    world->captured = cn_unit_model_create(&copy, &whole, input->dt, input->dt, arena).problem;
}

cn_problem *cn_world_take_problem(cn_world *world)
{
    if (!cn_check_writable(world, __func__))
        return NULL;
    cn_problem *problem = world->captured;
    if (problem == NULL)
        cn_fail("%s: no problem was kept; call cn_world_set_capture() before the step", __func__);
    world->captured = NULL;
    return problem;
}
