// One step of the world, from top to bottom.
#include "base/timer.h"
#include "world/boxes.h"

#include <string.h>

static cn_solver_settings solver_settings(const cn_world *world)
{
    const cn_world_def *def = &world->def;
    return (cn_solver_settings){
        .substeps = def->substeps > 0 ? def->substeps : world->solver->default_substeps,
        .iterations = def->iterations > 0 ? def->iterations : world->solver->default_iterations,
        .early_exit = def->early_exit,
        .cone_friction = def->friction_model == CN_FRICTION_CONE,
        .contact_stiffness = def->contact_stiffness,
        .contact_damping_ratio = def->contact_damping_ratio,
        .push_speed = def->push_speed,
        .joint_speed = def->joint_speed,
        .projection = def->projection,
        .nudge = def->position_correction == CN_CORRECT_NUDGE,
        .joint_solve = def->joint_solve,
        .restitution_speed = def->restitution_speed,
        .tolerance = def->tolerance,
        .effort = def->effort,
    };
}

static void begin_step(cn_world *world)
{
    cn_arena_reset(&world->arena);
    world->begin_events.count = world->hit_events.count = world->move_events.count = 0;
    world->joint_events.count = world->path_events.count = 0;
    world->report = (cn_step_report){ .ok = true };
}

// What was destroyed, woken or put to sleep since the last step ends up in this step's lists.
static void publish_events(cn_world *world)
{
    world->end_events.count = world->sleep_events.count = 0;
    for (int i = 0; i < world->pending_end_events.count; i++)
        cn_array_push(&world->allocator, &world->end_events, world->pending_end_events.data[i]);
    for (int i = 0; i < world->pending_sleep_events.count; i++)
        cn_array_push(&world->allocator, &world->sleep_events, world->pending_sleep_events.data[i]);
    world->pending_end_events.count = world->pending_sleep_events.count = 0;
    for (int i = 0; i < world->move_events.count; i++) {
        cn_move_event *event = &world->move_events.data[i];
        event->fell_asleep = world->bodies.data[event->body.index1 - 1].awake == CN_NONE;
    }
}

static void finish_report(cn_world *world, const cn_solve_input *input)
{
    cn_step_report *report = &world->report;
    report->step = ++world->step_count;
    report->bodies = world->body_count;
    report->awake_bodies = world->awake.count;
    report->sleeping_islands = world->sleeping_islands.count - world->free_sleeping_islands.count;
    report->pairs = world->contact_count;
    report->substeps = input->settings.substeps;
    report->iterations = input->iterations_used;
}

// The world's solver, and what an asked accuracy adds to it.
static void solve(cn_world *world, cn_solve_input *input)
{
    if (world->def.tolerance > 0.0f) {
        cn_refinement refinement = cn_refine_held(input, &world->arena);
        world->solver->solve(input);
        cn_refine_missed(&refinement);
    } else {
        world->solver->solve(input);
    }
}

// Ends a stage: the time since the last one goes to the report.
static void lap(cn_world *world, cn_stage stage, double *clock)
{
    double now = cn_now_ms();
    world->report.stage_ms[stage] += now - *clock;
    *clock = now;
}

cn_step_report cn_world_step(cn_world *world, float dt)
{
    if (!cn_check_writable(world, "cn_world_step") || !cn_check_range("cn_world_step", "dt", dt, CN_MIN_DT, CN_MAX_DT))
        return (cn_step_report){ .ok = false };
    double start = cn_now_ms(), clock = start;
    world->stepping = true;
    cn_tasks_set_busy(world->tasks, true);
    begin_step(world);

    cn_follow_paths(world, dt);
    cn_order_awake(world);
    cn_expect_motion(world, dt);
    cn_update_pairs(world);
    lap(world, CN_STAGE_PAIRS, &clock);

    cn_update_contacts(world, dt);
    cn_modify_contacts(world);
    cn_update_joints(world, dt);
    lap(world, CN_STAGE_COLLIDE, &clock);

    bool judged = world->def.measure || world->def.tolerance > 0.0f;
    cn_solve_input input = { .dt = dt,
                             .last_dt = world->last_dt,
                             .settings = solver_settings(world),
                             .judged = judged,
                             .separate = judged || world->solver->model_solver != NULL || world->def.early_exit > 0.0f,
                             .solver = world->solver,
                             .allocator = &world->allocator,
                             .tasks = world->tasks,
                             .scratch = world->scratch,
                             .kernels = world->kernels };
    cn_build_units(world, &input);
    lap(world, CN_STAGE_ISLANDS, &clock);

    cn_capture_problem(world, &input);
    solve(world, &input);
    cn_report_accuracy(world, &input);
    lap(world, CN_STAGE_SOLVE, &clock);

    cn_report_hits(world);
    cn_store_bodies(world, &input);
    cn_watch_paths(world, dt);
    cn_break_joints(world, dt);
    cn_update_sensors(world);
    lap(world, CN_STAGE_STORE, &clock);

    cn_update_sleep(world);
    publish_events(world);
    lap(world, CN_STAGE_SLEEP, &clock);

    finish_report(world, &input);
    world->last_dt = dt;
    world->report.step_ms = cn_now_ms() - start;
    cn_tasks_set_busy(world->tasks, false);
    world->stepping = false;
    return world->report;
}
