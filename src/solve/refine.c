// A step that was asked for an accuracy: islands that the world's solver left further from a solution than the tolerance are
// solved once more from the beginning of the step, by Newton's method on the contact model. The price is bounded by a budget
// that is counted, never timed, so that results stay the same everywhere.
//
// An island that was handed over stays so for a while without being tried: what the fast solver makes of it is known. Then it
// gets another chance.
#include "solve/solve.h"

#include <string.h>

enum { HOLD_STEPS = 120, FEWEST_ITERATIONS = 8, MOST_ITERATIONS = 60, SIZE_CLASSES = 32 };

// Newton's method pays little for two more digits, and what is left over does not add up from step to step.
#define FURTHER 0.01

// ---- how long an island stays handed over

static int hold_of(const cn_solve_input *input, const cn_unit *unit)
{
    int hold = 0;
    for (int i = 0; i < unit->patch_count; i++) {
        int left = input->patches[unit->first_patch + i].patch->exact_hold;
        hold = left > hold ? left : hold;
    }
    return hold;
}

static void set_hold(const cn_solve_input *input, const cn_unit *unit, int hold)
{
    for (int i = 0; i < unit->patch_count; i++)
        input->patches[unit->first_patch + i].patch->exact_hold = (uint8_t)hold;
}

// ---- the budget, in rows times iterations

static int unit_rows(const cn_solve_input *input, const cn_unit *unit)
{
    int rows = 0;
    for (int i = 0; i < unit->patch_count; i++)
        rows += 3 * input->patches[unit->first_patch + i].patch->point_count;
    return rows;
}

static int size_class(int rows)
{
    int class = 0;
    while (rows >> class > 1)
        class ++;
    return class;
}

// Puts small islands first: so most are made right for the price. Within a power of two of size they keep their order.
static int *order_by_size(const int *units, const int *rows, int count, cn_arena *arena)
{
    int starts[SIZE_CLASSES + 1] = { 0 }, *ordered = cn_arena_array(arena, int, count);
    for (int i = 0; i < count; i++)
        starts[1 + size_class(rows[units[i]])]++;
    for (int c = 0; c < SIZE_CLASSES; c++)
        starts[c + 1] += starts[c];
    for (int i = 0; i < count; i++)
        ordered[starts[size_class(rows[units[i]])]++] = units[i];
    return ordered;
}

typedef struct refine_job {
    cn_solve_input *input;
    const cn_body_state *start;
    const int *units;
    int iterations, count;
} refine_job;

// As many of the islands as the budget serves, and how many iterations each may take.
static refine_job plan(cn_refinement *refinement, const int *units, int count)
{
    cn_solve_input *input = refinement->input;
    int *rows = cn_arena_array(refinement->arena, int, input->unit_count);
    for (int i = 0; i < count; i++)
        rows[units[i]] = unit_rows(input, &input->units[units[i]]);
    refine_job job = { input, refinement->start, order_by_size(units, rows, count, refinement->arena), 0, 0 };
    int64_t sum = 0;
    while (job.count < count && FEWEST_ITERATIONS * (sum + rows[job.units[job.count]]) <= refinement->budget)
        sum += rows[job.units[job.count++]];
    int64_t iterations = sum > 0 ? refinement->budget / sum : 0;
    job.iterations = iterations < MOST_ITERATIONS ? (int)iterations : MOST_ITERATIONS;
    return job;
}

// ---- the second solve

static void refine_unit(void *context, int index)
{
    const refine_job *job = context;
    cn_solve_input *input = job->input;
    cn_unit *unit = &input->units[job->units[index]];
    bool tried = unit->result.measured;
    int hold = hold_of(input, unit);
    for (int i = 0; i < unit->body_count; i++) {
        int body = input->bodies[unit->first_body + i];
        input->states[body] = job->start[body];
    }
    unit->result = (cn_unit_result){ .handed_over = true, .first_residual = tried ? unit->result.residual.value : 0.0 };
    cn_exact_order order = { "newton", 1, job->iterations, FURTHER * (double)input->settings.tolerance };
    cn_solve_unit_exactly(input, unit, &order);
    set_hold(input, unit, tried ? HOLD_STEPS : hold - 1);
}

static void refine(cn_refinement *refinement, const int *units, int count)
{
    refine_job job = plan(refinement, units, count);
    for (int i = 0; i < job.count; i++)
        refinement->input->units[job.units[i]].result.handed_over = true;
    cn_tasks_run(refinement->input->tasks, refine_unit, &job, job.count);
    for (int i = 0; i < job.count; i++) {
        const cn_unit *unit = &refinement->input->units[job.units[i]];
        refinement->budget -= (int64_t)unit_rows(refinement->input, unit) * unit->result.iterations;
    }
}

cn_refinement cn_refine_held(cn_solve_input *input, cn_arena *arena)
{
    cn_refinement refinement = { input, arena, NULL, input->settings.effort };
    cn_body_state *start = cn_arena_array(arena, cn_body_state, input->state_count);
    memcpy(start, input->states, sizeof *start * (size_t)input->state_count);
    refinement.start = start;
    int *held = cn_arena_array(arena, int, input->unit_count), count = 0;
    for (int u = 0; u < input->unit_count; u++)
        if (hold_of(input, &input->units[u]) > 0)
            held[count++] = u;
    refine(&refinement, held, count);
    return refinement;
}

void cn_refine_missed(cn_refinement *refinement)
{
    cn_solve_input *input = refinement->input;
    int *missed = cn_arena_array(refinement->arena, int, input->unit_count), count = 0;
    for (int u = 0; u < input->unit_count; u++) {
        const cn_unit_result *result = &input->units[u].result;
        if (!result->handed_over && result->measured && result->residual.value > (double)input->settings.tolerance)
            missed[count++] = u;
    }
    refine(refinement, missed, count);
}
