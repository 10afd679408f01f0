// A step that was asked for an accuracy: islands that the world's solver left further from a solution than the tolerance are
// solved once more from the beginning of the step, by Newton's method on the contact model: in the velocities of the bodies,
// which is quick, and in the impulses of the contacts where that does not do. The price is bounded by a budget that is counted,
// never timed, so that results stay the same everywhere.
//
// An island that was handed over with success stays so for a while without being tried: what the fast solver makes of it is
// known. Then it gets another chance.
#include "solve/solve.h"

#include <string.h>

enum { HOLD_STEPS = 120, WAIT_STEPS = 60, MOST_ITERATIONS = 60, SIZE_CLASSES = 32 };

// Products of 3x3 blocks that are set aside for each row of an island. A column of cubes takes 5 per row and iteration, a
// pyramid of 20 layers 60.
#define WORK_PER_ROW 400

// With fewer rows than this per body, solving for the impulses is quicker than solving for the velocities.
enum { ROWS_PER_BODY = 10 };

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

// One that the stronger solver could not do is left alone for a while.
static void set_wait(const cn_solve_input *input, const cn_unit *unit, int wait)
{
    for (int i = 0; i < unit->patch_count; i++)
        input->patches[unit->first_patch + i].patch->exact_wait = (uint8_t)wait;
}

// Counts down, and tells whether it is over.
static bool has_waited(const cn_solve_input *input, const cn_unit *unit)
{
    int wait = 0;
    for (int i = 0; i < unit->patch_count; i++) {
        cn_patch *patch = input->patches[unit->first_patch + i].patch;
        patch->exact_wait -= patch->exact_wait > 0;
        wait = patch->exact_wait > wait ? patch->exact_wait : wait;
    }
    return wait == 0;
}

// ---- the budget

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
    cn_refinement *refinement;
    const int *units, *rows; // rows by unit
    int count;
    double work_per_row;
} refine_job;

// As many of the islands as the budget serves; those that are served share all of it.
static refine_job plan(cn_refinement *refinement, const int *units, int count)
{
    cn_solve_input *input = refinement->input;
    int *rows = cn_arena_array(refinement->arena, int, input->unit_count);
    for (int i = 0; i < count; i++)
        rows[units[i]] = unit_rows(input, &input->units[units[i]]);
    refine_job job = { refinement, order_by_size(units, rows, count, refinement->arena), rows, 0, 0.0 };
    double sum = 0.0;
    while (job.count < count && WORK_PER_ROW * (sum + rows[job.units[job.count]]) <= refinement->budget)
        sum += rows[job.units[job.count++]];
    job.work_per_row = sum > 0.0 ? refinement->budget / sum : 0.0;
    return job;
}

// ---- the second solve

// What the fast solver found, in case the stronger one does no better.
typedef struct kept_answer {
    cn_body_state *states;
    cn_patch *patches;
} kept_answer;

static kept_answer keep_answer(const cn_solve_input *input, const cn_unit *unit)
{
    kept_answer kept = { cn_allocate(input->allocator, sizeof(cn_body_state) * (size_t)unit->body_count, 64),
                         cn_allocate(input->allocator, sizeof(cn_patch) * (size_t)unit->patch_count, 64) };
    for (int i = 0; i < unit->body_count; i++)
        kept.states[i] = input->states[input->bodies[unit->first_body + i]];
    for (int i = 0; i < unit->patch_count; i++)
        kept.patches[i] = *input->patches[unit->first_patch + i].patch;
    return kept;
}

static void put_back(const cn_solve_input *input, const cn_unit *unit, const kept_answer *kept)
{
    for (int i = 0; i < unit->body_count; i++)
        input->states[input->bodies[unit->first_body + i]] = kept->states[i];
    for (int i = 0; i < unit->patch_count; i++)
        *input->patches[unit->first_patch + i].patch = kept->patches[i];
}

static void forget(const cn_solve_input *input, const cn_unit *unit, kept_answer *kept)
{
    cn_release(input->allocator, kept->states, sizeof(cn_body_state) * (size_t)unit->body_count);
    cn_release(input->allocator, kept->patches, sizeof(cn_patch) * (size_t)unit->patch_count);
}

static void start_over(const cn_refinement *refinement, const cn_unit *unit)
{
    const cn_solve_input *input = refinement->input;
    for (int i = 0; i < unit->body_count; i++) {
        int body = input->bodies[unit->first_body + i];
        input->states[body] = refinement->states[body];
    }
    for (int i = 0; i < unit->patch_count; i++) {
        int patch = unit->first_patch + i;
        *input->patches[patch].patch = refinement->patches[patch];
    }
}

static void solve_again(const refine_job *job, int unit)
{
    cn_solve_input *input = job->refinement->input;
    double tolerance = (double)input->settings.tolerance;
    bool few_contacts = job->rows[unit] <= ROWS_PER_BODY * input->units[unit].body_count;
    cn_exact_order order = { .solver = few_contacts ? "newton" : "body_space",
                             .second = few_contacts ? "body_space" : "newton",
                             .substeps = 1,
                             .iterations = MOST_ITERATIONS,
                             .tolerance = FURTHER * tolerance,
                             .enough = tolerance,
                             .work = job->work_per_row * job->rows[unit] };
    cn_solve_unit_exactly(input, &input->units[unit], &order);
}

static void refine_held(void *context, int index)
{
    const refine_job *job = context;
    cn_solve_input *input = job->refinement->input;
    cn_unit *unit = &input->units[job->units[index]];
    int hold = hold_of(input, unit);
    solve_again(job, job->units[index]);
    if (unit->result.residual.value <= (double)input->settings.tolerance) {
        set_hold(input, unit, hold - 1);
        return;
    }
    double work = unit->result.work;
    start_over(job->refinement, unit); // the world's solver may do better
    set_hold(input, unit, 0);
    unit->result = (cn_unit_result){ .tried = true, .work = work };
    set_wait(input, unit, WAIT_STEPS);
}

static void refine_missed(void *context, int index)
{
    const refine_job *job = context;
    cn_solve_input *input = job->refinement->input;
    cn_unit *unit = &input->units[job->units[index]];
    kept_answer kept = keep_answer(input, unit);
    cn_unit_result first = unit->result;
    start_over(job->refinement, unit);
    unit->result = (cn_unit_result){ .handed_over = true, .first_residual = first.residual.value };
    solve_again(job, job->units[index]);
    if (unit->result.residual.value <= (double)input->settings.tolerance) {
        set_hold(input, unit, HOLD_STEPS);
    } else if (unit->result.residual.value < first.residual.value) {
        set_wait(input, unit, WAIT_STEPS);
    } else {
        double work = unit->result.work;
        put_back(input, unit, &kept);
        set_wait(input, unit, WAIT_STEPS);
        unit->result = first;
        unit->result.work = work;
    }
    forget(input, unit, &kept);
}

static void run(refine_job *job, cn_task_fn task)
{
    cn_refinement *refinement = job->refinement;
    cn_unit *units = refinement->input->units;
    cn_tasks_run(refinement->input->tasks, task, job, job->count);
    for (int i = 0; i < job->count; i++)
        refinement->budget -= units[job->units[i]].result.work;
}

cn_refinement cn_refine_held(cn_solve_input *input, cn_arena *arena)
{
    int patch_count = 0, count = 0;
    for (int u = 0; u < input->unit_count; u++)
        patch_count += input->units[u].patch_count;
    cn_refinement refinement = { .input = input,
                                 .arena = arena,
                                 .states = cn_arena_array(arena, cn_body_state, input->state_count),
                                 .patches = cn_arena_array(arena, cn_patch, patch_count),
                                 .budget = input->settings.effort };
    memcpy(refinement.states, input->states, sizeof(cn_body_state) * (size_t)input->state_count);
    for (int i = 0; i < patch_count; i++)
        refinement.patches[i] = *input->patches[i].patch;
    int *held = cn_arena_array(arena, int, input->unit_count);
    for (int u = 0; u < input->unit_count; u++)
        if (hold_of(input, &input->units[u]) > 0)
            held[count++] = u;
    refine_job job = plan(&refinement, held, count);
    for (int i = 0; i < job.count; i++)
        input->units[job.units[i]].result.handed_over = true;
    run(&job, refine_held);
    return refinement;
}

void cn_refine_missed(cn_refinement *refinement)
{
    cn_solve_input *input = refinement->input;
    int *missed = cn_arena_array(refinement->arena, int, input->unit_count), count = 0;
    for (int u = 0; u < input->unit_count; u++) {
        const cn_unit_result *result = &input->units[u].result;
        bool right = !result->measured || result->residual.value <= (double)input->settings.tolerance;
        if (!result->handed_over && !result->tried && has_waited(input, &input->units[u]) && !right)
            missed[count++] = u;
    }
    refine_job job = plan(refinement, missed, count);
    run(&job, refine_missed);
}
