// A step that was asked for an accuracy: islands that the world's solver left further from a solution than the tolerance are
// solved once more from the beginning of the step, by Newton's method on the contact model: in the velocities of the bodies,
// which is quick, and in the impulses of the contacts where that does not do. The price is bounded by a budget that is counted,
// never timed, so that results stay the same everywhere.
//
// An island that was handed over with success stays so for a while without being tried: what the fast solver makes of it is
// known. Then it gets another chance.
#include "solve/joint_model.h"

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

// Patches and joints remember; those of a unit all the same.
typedef struct memory {
    uint8_t *hold, *wait;
} memory;

static int tie_count(const cn_unit *unit) { return unit->patch_count + unit->joint_count; }

static memory memory_of(const cn_solve_input *input, const cn_unit *unit, int tie)
{
    if (tie < unit->patch_count) {
        cn_patch *patch = input->patches[unit->first_patch + tie].patch;
        return (memory){ &patch->exact_hold, &patch->exact_wait };
    }
    cn_solver_joint *joint = input->joints[unit->first_joint + tie - unit->patch_count].joint;
    return (memory){ &joint->exact_hold, &joint->exact_wait };
}

static int hold_of(const cn_solve_input *input, const cn_unit *unit)
{
    int hold = 0;
    for (int i = 0; i < tie_count(unit); i++) {
        int left = *memory_of(input, unit, i).hold;
        hold = left > hold ? left : hold;
    }
    return hold;
}

static void set_hold(const cn_solve_input *input, const cn_unit *unit, int hold)
{
    for (int i = 0; i < tie_count(unit); i++)
        *memory_of(input, unit, i).hold = (uint8_t)hold;
}

// One that the stronger solver could not do is left alone for a while.
static void set_wait(const cn_solve_input *input, const cn_unit *unit, int wait)
{
    for (int i = 0; i < tie_count(unit); i++)
        *memory_of(input, unit, i).wait = (uint8_t)wait;
}

// Counts down, and tells whether it is over.
static bool has_waited(const cn_solve_input *input, const cn_unit *unit)
{
    int wait = 0;
    for (int i = 0; i < tie_count(unit); i++) {
        uint8_t *left = memory_of(input, unit, i).wait;
        *left = (uint8_t)(*left - (*left > 0));
        wait = *left > wait ? *left : wait;
    }
    return wait == 0;
}

// ---- the budget

static int unit_rows(const cn_solve_input *input, const cn_unit *unit)
{
    int rows = 0;
    for (int i = 0; i < unit->patch_count; i++)
        rows += 3 * input->patches[unit->first_patch + i].patch->point_count;
    for (int i = 0; i < unit->joint_count; i++)
        rows += cn_joint_most_rows(input->joints[unit->first_joint + i].joint);
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

// All that a solver changes in some units that follow each other.
typedef struct cn_snapshot {
    int first_body, first_patch, first_joint;
    cn_body_state *states; // in the order of the bodies of the units
    float (*turns)[4];
    cn_patch *patches;
    cn_solver_joint *joints;
    int *first_row; // per joint
    cn_joint_row *rows;
    cn_joint_torque **torques; // per joint, or NULL
} cn_snapshot;

// Of a unit, or of several as one.
static cn_snapshot take_snapshot(const cn_solve_input *input, const cn_unit *unit, cn_arena *arena)
{
    cn_snapshot s = { .first_body = unit->first_body, .first_patch = unit->first_patch, .first_joint = unit->first_joint };
    int row_count = 0;
    s.states = cn_arena_array(arena, cn_body_state, unit->body_count);
    s.turns = (float(*)[4])cn_arena_alloc(arena, sizeof(float[4]) * (size_t)unit->body_count);
    s.patches = cn_arena_array(arena, cn_patch, unit->patch_count);
    s.joints = cn_arena_array(arena, cn_solver_joint, unit->joint_count);
    s.first_row = cn_arena_array(arena, int, unit->joint_count);
    for (int i = 0; i < unit->body_count; i++) {
        int body = input->bodies[unit->first_body + i];
        s.states[i] = input->states[body];
        if (input->drives[body].jointed)
            memcpy(s.turns[i], input->turns[body], sizeof s.turns[i]);
    }
    for (int i = 0; i < unit->patch_count; i++)
        s.patches[i] = *input->patches[unit->first_patch + i].patch;
    for (int i = 0; i < unit->joint_count; i++) {
        s.joints[i] = *input->joints[unit->first_joint + i].joint;
        s.first_row[i] = row_count;
        row_count += s.joints[i].row_count;
    }
    s.rows = cn_arena_array(arena, cn_joint_row, row_count);
    for (int i = 0; i < unit->joint_count; i++)
        for (int k = 0; k < s.joints[i].row_count; k++)
            s.rows[s.first_row[i] + k] = s.joints[i].rows[k];
    s.torques = cn_arena_array(arena, cn_joint_torque *, unit->joint_count);
    for (int i = 0; i < unit->joint_count; i++) {
        s.torques[i] = s.joints[i].torques != NULL ? cn_arena_array(arena, cn_joint_torque, CN_TORQUE_COUNT) : NULL;
        if (s.torques[i] != NULL)
            memcpy(s.torques[i], s.joints[i].torques, sizeof(cn_joint_torque[CN_TORQUE_COUNT]));
    }
    return s;
}

static void put_back(const cn_solve_input *input, const cn_unit *unit, const cn_snapshot *s)
{
    for (int i = unit->first_body; i < unit->first_body + unit->body_count; i++) {
        int body = input->bodies[i];
        input->states[body] = s->states[i - s->first_body];
        memset(input->drives[body].spins, 0, sizeof input->drives[body].spins);
        input->drives[body].begun = 0;
        if (input->drives[body].jointed)
            memcpy(input->turns[body], s->turns[i - s->first_body], sizeof s->turns[0]);
    }
    for (int i = unit->first_patch; i < unit->first_patch + unit->patch_count; i++)
        *input->patches[i].patch = s->patches[i - s->first_patch];
    for (int i = unit->first_joint; i < unit->first_joint + unit->joint_count; i++) {
        cn_solver_joint *joint = input->joints[i].joint;
        *joint = s->joints[i - s->first_joint];
        for (int k = 0; k < joint->row_count; k++)
            joint->rows[k] = s->rows[s->first_row[i - s->first_joint] + k];
        if (joint->torques != NULL)
            memcpy(joint->torques, s->torques[i - s->first_joint], sizeof(cn_joint_torque[CN_TORQUE_COUNT]));
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
    put_back(input, unit, job->refinement->start); // the world's solver may do better
    set_hold(input, unit, 0);
    unit->result = (cn_unit_result){ .tried = true, .work = work };
    set_wait(input, unit, WAIT_STEPS);
}

static void refine_missed(void *context, int index)
{
    const refine_job *job = context;
    cn_solve_input *input = job->refinement->input;
    cn_unit *unit = &input->units[job->units[index]];
    cn_arena arena;
    cn_arena_init(&arena, input->allocator);
    cn_snapshot kept = take_snapshot(input, unit, &arena); // in case the stronger solver does no better
    cn_unit_result first = unit->result;
    put_back(input, unit, job->refinement->start);
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
    cn_arena_free(&arena);
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
    cn_unit whole = { 0 };
    int count = 0;
    for (int u = 0; u < input->unit_count; u++) {
        whole.body_count += input->units[u].body_count;
        whole.patch_count += input->units[u].patch_count;
        whole.joint_count += input->units[u].joint_count;
    }
    cn_snapshot *start = cn_arena_array(arena, cn_snapshot, 1);
    *start = take_snapshot(input, &whole, arena);
    cn_refinement refinement = { .input = input, .arena = arena, .start = start, .budget = input->settings.effort };
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
