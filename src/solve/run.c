#include "solve/run.h"
#include "solve/follow.h"
#include "solve/joint_direct.h"
#include "solve/row_law.h"

#include <math.h>

const cn_wide_kernels *cn_choose_kernels(cn_simd simd)
{
#if defined(__x86_64__)
    bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    if (simd == CN_SIMD_AVX2)
        return has_avx2 ? &cn_wide_avx2 : NULL;
    if (simd == CN_SIMD_AUTO && has_avx2)
        return &cn_wide_avx2;
#else
    if (simd == CN_SIMD_AVX2)
        return NULL;
#endif
    return &cn_wide_base;
}

// ---- ranges of a unit, on this thread or on all

// Fewer are not worth handing out.
enum { WIDES_PER_THREAD = 4, BODIES_PER_THREAD = 128, MOST_THREADS = 256 };

typedef struct range_job {
    cn_unit_run *run;
    void (*work)(struct range_job *job, int thread, int begin, int end);
    cn_patch_kernel patch_kernel;
    cn_body_kernel body_kernel;
    cn_joint_kernel joint_kernel;
    int first, count, threads;
    float *changes; // per thread
} range_job;

// Every thread always gets the same part, so that its patches and bodies stay in its cache. The split changes no result.
static void run_part(void *context, int thread)
{
    range_job *job = context;
    int begin = (int)((int64_t)job->count * thread / job->threads),
        end = (int)((int64_t)job->count * (thread + 1) / job->threads);
    job->work(job, thread, begin, end);
}

static void run_range(range_job *job, int least_per_thread)
{
    cn_tasks *tasks = job->run->input->tasks;
    job->threads = cn_tasks_thread_count(tasks);
    if (!job->run->unit->large || job->threads == 1 || job->count < 2 * least_per_thread)
        job->work(job, 0, 0, job->count);
    else
        cn_tasks_run_each(tasks, run_part, job);
}

static void run_patch_part(range_job *job, int thread, int begin, int end)
{
    job->changes[thread] = job->patch_kernel(&job->run->sweep, job->run->wides + job->first + begin, end - begin);
}

static void run_joint_part(range_job *job, int thread, int begin, int end)
{
    (void)thread;
    job->joint_kernel(&job->run->sweep, job->run->wide_joints + job->first + begin, end - begin);
}

static void run_body_part(range_job *job, int thread, int begin, int end)
{
    (void)thread;
    job->body_kernel(&job->run->sweep, job->run->bodies + begin, end - begin);
}

static float run_wides(cn_unit_run *run, cn_patch_kernel kernel, int first, int count)
{
    float changes[MOST_THREADS] = { 0 }, change = 0.0f;
    range_job job = {
        .run = run, .work = run_patch_part, .patch_kernel = kernel, .first = first, .count = count, .changes = changes
    };
    run_range(&job, WIDES_PER_THREAD);
    for (int i = 0; i < job.threads; i++)
        change = changes[i] > change ? changes[i] : change;
    return change;
}

float cn_run_patches(cn_unit_run *run, cn_patch_kernel kernel)
{
    float change = 0.0f;
    for (int color = 0, first = 0; color < run->unit->color_count; first = run->wide_ends[color++]) {
        float largest = run_wides(run, kernel, first, run->wide_ends[color] - first);
        change = largest > change ? largest : change;
    }
    return change;
}

float cn_run_all_patches(cn_unit_run *run, cn_patch_kernel kernel)
{
    return run->wide_count > 0 ? run_wides(run, kernel, 0, run->wide_count) : 0.0f;
}

void cn_run_bodies(cn_unit_run *run, cn_body_kernel kernel)
{
    range_job job = { .run = run, .work = run_body_part, .body_kernel = kernel, .count = run->unit->body_count };
    run_range(&job, BODIES_PER_THREAD);
}

static void run_wide_joints(cn_unit_run *run, cn_joint_kernel kernel, int first, int count)
{
    range_job job = { .run = run, .work = run_joint_part, .joint_kernel = kernel, .first = first, .count = count };
    run_range(&job, WIDES_PER_THREAD);
}

void cn_run_joints(cn_unit_run *run, cn_joint_kernel kernel)
{
    for (int color = 0, first = 0; color < run->unit->joint_color_count; first = run->wide_joint_ends[color++])
        run_wide_joints(run, kernel, first, run->wide_joint_ends[color] - first);
}

void cn_run_all_joints(cn_unit_run *run, cn_joint_kernel kernel)
{
    if (run->wide_joint_count > 0)
        run_wide_joints(run, kernel, 0, run->wide_joint_count);
}

bool cn_run_has_extra(const cn_unit_run *run, int extra)
{
    for (int i = 0; i < run->wide_count; i++)
        if (run->wides[i].extras & extra)
            return true;
    return false;
}

// ---- from patches to wide patches and back

static int wide_lanes(const cn_unit_run *run, int wide) { return run->patch_of_wide[wide + 1] - run->patch_of_wide[wide]; }

static void prepare_part(range_job *job, int thread, int begin, int end)
{
    (void)thread;
    cn_unit_run *run = job->run;
    for (int wide = begin; wide < end; wide++)
        run->kernels->prepare(&run->sweep, run->patches + run->patch_of_wide[wide], wide_lanes(run, wide),
                              run->unit->first_idle + wide, &run->wides[wide]);
}

static void store_part(range_job *job, int thread, int begin, int end)
{
    (void)thread;
    cn_unit_run *run = job->run;
    for (int wide = begin; wide < end; wide++)
        run->kernels->store(&run->sweep, &run->wides[wide], run->patches + run->patch_of_wide[wide], wide_lanes(run, wide));
}

// Lays the patches of each colour into wides of eight, and gives those that ask for it an extra.
static void lay_out(cn_unit_run *run)
{
    const cn_unit *unit = run->unit;
    const int *color_ends = run->input->color_ends + unit->first_color;
    run->wide_ends = cn_arena_array(run->arena, int, unit->color_count);
    run->wide_count = 0;
    for (int color = 0, first = 0; color < unit->color_count; first = color_ends[color++]) {
        run->wide_count += (color_ends[color] - first + CN_LANES - 1) / CN_LANES;
        run->wide_ends[color] = run->wide_count;
    }
    run->wides = cn_arena_array(run->arena, cn_wide_patch, run->wide_count);
    run->patch_of_wide = cn_arena_array(run->arena, int, run->wide_count + 1);
    run->patch_of_wide[run->wide_count] = unit->patch_count;
    int wide = 0;
    for (int color = 0, first = 0; color < unit->color_count; first = color_ends[color++])
        for (int patch = first; patch < color_ends[color]; patch += CN_LANES)
            run->patch_of_wide[wide++] = patch;
    for (int i = 0, color = 0; i < run->wide_count; i++) {
        color += i == run->wide_ends[color];
        uint8_t extras = 0;
        for (int k = run->patch_of_wide[i]; k < run->patch_of_wide[i + 1]; k++) {
            cn_patch *patch = run->patches[k].patch;
            extras |= patch->extras;
            patch->color = (uint8_t)(color < UINT8_MAX ? color : UINT8_MAX);
        }
        bool needed = (extras & ~(CN_EXTRA_SLIDING | CN_EXTRA_APART)) != 0 || run->sweep.cone;
        run->wides[i].extra = needed ? cn_arena_array(run->arena, cn_wide_extra, 1) : NULL;
    }
}

// ---- the same for joints

static int wide_joint_lanes(const cn_unit_run *run, int wide)
{
    return run->joint_of_wide[wide + 1] - run->joint_of_wide[wide];
}

static void prepare_joints(range_job *job, int thread, int begin, int end)
{
    (void)thread;
    cn_unit_run *run = job->run;
    for (int wide = begin; wide < end; wide++)
        run->kernels->joint_prepare(&run->sweep, run->joints + run->joint_of_wide[wide], wide_joint_lanes(run, wide),
                                    run->unit->first_joint_idle + wide, &run->wide_joints[wide]);
}

static void store_joints(range_job *job, int thread, int begin, int end)
{
    (void)thread;
    cn_unit_run *run = job->run;
    for (int wide = begin; wide < end; wide++)
        run->kernels->joint_store(&run->sweep, &run->wide_joints[wide], run->joints + run->joint_of_wide[wide],
                                  wide_joint_lanes(run, wide));
}

// Up to eight joints of one colour and class in each.
static void lay_out_joints(cn_unit_run *run)
{
    const cn_unit *unit = run->unit;
    const int *color_ends = run->input->joint_color_ends + unit->first_joint_color;
    run->wide_joint_count = unit->joint_wide_count;
    run->wide_joint_ends = cn_arena_array(run->arena, int, unit->joint_color_count);
    run->wide_joints = cn_arena_array(run->arena, cn_wide_joint, run->wide_joint_count);
    run->joint_of_wide = cn_arena_array(run->arena, int, run->wide_joint_count + 1);
    int wide = 0, joint = 0;
    for (int color = 0; color < unit->joint_color_count; color++) {
        while (joint < color_ends[color]) {
            int class = run->joints[joint].joint->joint_class, rows = 0, first = joint;
            bool torques = false, cones = false;
            for (; joint < color_ends[color] && joint < first + CN_LANES && run->joints[joint].joint->joint_class == class;
                 joint++) {
                rows = run->joints[joint].joint->row_count > rows ? run->joints[joint].joint->row_count : rows;
                torques |= run->joints[joint].joint->torques != NULL;
                cones |= cn_rigid_cone(run->joints[joint].joint) != NULL;
            }
            run->joint_of_wide[wide] = first;
            run->wide_joints[wide].torque = torques ? cn_arena_array(run->arena, cn_wide_torque, 1) : NULL;
            run->wide_joints[wide].cone = cones ? cn_arena_array(run->arena, cn_wide_cone, 1) : NULL;
            run->wide_joints[wide].row_count = (uint8_t)rows;
            run->wide_joints[wide++].rows = rows > 0 ? cn_arena_array(run->arena, cn_wide_row, rows) : NULL;
        }
        run->wide_joint_ends[color] = wide;
    }
    run->joint_of_wide[wide] = joint;
}

// ---- how right the unit is

// Sums over the patches in their order, so that threads change nothing.
static void measure_unit(cn_unit_run *run)
{
    cn_unit_result *result = &run->unit->result;
    double diagonal = 0.0, squares = 0.0, q_squares = 0.0;
    int rows = 0;
    run->sweep.measures = cn_arena_array(run->arena, cn_wide_measure, run->wide_count);
    cn_run_all_patches(run, run->kernels->sum_diagonal);
    for (int i = 0; i < run->wide_count; i++) {
        diagonal += (double)run->sweep.measures[i].diagonal;
        rows += run->sweep.measures[i].rows;
    }
    run->sweep.unit = diagonal > 0.0 ? (float)(diagonal / rows) : 1.0f;
    cn_run_all_patches(run, run->kernels->measure);
    result->measured = true;
    result->solver = run->input->solver->name;
    result->iterations = run->unit->sweeps;
    cn_residual *residual = &result->residual;
    residual->worst_block = -1;
    for (int i = 0; i < run->wide_count; i++) {
        const cn_wide_measure *m = &run->sweep.measures[i];
        squares += (double)m->squares;
        q_squares += (double)m->q_squares;
        residual->approach = fmax(residual->approach, (double)m->approach);
        residual->cone = fmax(residual->cone, (double)m->cone);
        residual->gap = fmax(residual->gap, (double)m->gap);
        residual->direction = fmax(residual->direction, (double)m->direction);
    }
    result->q_length = sqrt(q_squares);
    residual->value = sqrt(squares) / (q_squares > 0.0 ? result->q_length : 1.0);
}

// A step that is more than this many times as long as the last takes no more of its forces than one that is: most of them were impacts.
#define MOST_LONGER 10.0f

typedef struct unit_job {
    cn_solve_input *input;
    bool substeps, split;
    cn_schedule schedule;
} unit_job;

static void run_unit(const unit_job *job, cn_unit *unit, cn_arena *arena)
{
    cn_solve_input *input = job->input;
    const cn_solver_settings *settings = &input->settings;
    float h = job->substeps ? input->dt / (float)unit->substeps : input->dt;
    cn_unit_run run = {
        .input = input,
        .unit = unit,
        .kernels = input->kernels,
        .patches = input->patches + unit->first_patch,
        .joints = input->joints + unit->first_joint,
        .bodies = input->bodies + unit->first_body,
        .arena = arena,
        .sweep = { .states = input->states,
                   .masses = input->masses,
                   .drives = input->drives,
                   .turns = input->turns,
                   .h = h,
                   .inverse_h = 1.0f / h,
                   .carried = fminf(h, MOST_LONGER * h * input->last_dt / input->dt),
                   .dt = input->dt,
                   .push_speed = settings->push_speed,
                   .restitution_speed = settings->restitution_speed,
                   .substeps = unit->substeps,
                   .split = job->split,
                   .cone = settings->cone_friction },
    };
    lay_out(&run);
    run.sweep.wides = run.wides;
    range_job prepare = { .run = &run, .work = prepare_part, .count = run.wide_count };
    run_range(&prepare, WIDES_PER_THREAD);
    if (unit->joint_count > 0) {
        lay_out_joints(&run);
        cn_set_joint_softness(&run, job->substeps);
        range_job prepare_them = { .run = &run, .work = prepare_joints, .count = run.wide_joint_count };
        run_range(&prepare_them, WIDES_PER_THREAD);
        cn_follow_bodies(&run);
        if (unit->direct)
            run.direct = cn_joint_direct_create(&run);
        run.sweep.direct_joints = run.direct != NULL;
    }
    run.surfaces = cn_run_has_extra(&run, CN_EXTRA_SURFACE);
    run.impacts = cn_run_has_extra(&run, CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT);
    if (run.impacts && unit->joint_count > 0)
        cn_find_mechanisms(&run);
    job->schedule(&run);
    cn_end_substeps(&run);
    if (input->judged && run.wide_count > 0 && unit->joint_count == 0)
        measure_unit(&run);
    range_job store = { .run = &run, .work = store_part, .count = run.wide_count };
    run_range(&store, WIDES_PER_THREAD);
    range_job store_them = { .run = &run, .work = store_joints, .count = run.wide_joint_count };
    run_range(&store_them, WIDES_PER_THREAD);
    if (input->judged && unit->joint_count > 0)
        cn_measure_unit_with_joints(input, unit, h, arena);
}

static void run_small_unit(void *context, int index)
{
    const unit_job *job = context;
    cn_unit *unit = &job->input->units[index];
    if (unit->large || unit->result.handed_over)
        return;
    cn_arena *arena = cn_scratch_take(job->input->scratch);
    run_unit(job, unit, arena);
    cn_scratch_return(job->input->scratch, arena);
}

void cn_run_units(cn_solve_input *input, bool substeps, bool split, cn_schedule schedule)
{
    unit_job job = { input, substeps, split, schedule };
    cn_tasks_run(input->tasks, run_small_unit, &job, input->unit_count);
    for (int i = 0; i < input->unit_count; i++) {
        if (!input->units[i].large || input->units[i].result.handed_over)
            continue;
        cn_arena *arena = cn_scratch_take(input->scratch);
        run_unit(&job, &input->units[i], arena);
        cn_scratch_return(input->scratch, arena);
    }
    for (int i = 0; i < input->unit_count; i++)
        if (input->units[i].sweeps > input->iterations_used)
            input->iterations_used = input->units[i].sweeps;
}
