// The life of a world and its settings.
#include "world/world.h"
#include "world/check.h"

#include <stdatomic.h>
#include <string.h>

enum { MAX_THREADS = 256, MAX_SUBSTEPS = 256, MAX_ITERATIONS = 10000 };

cn_world_def cn_world_def_default(void)
{
    return (cn_world_def){
        .gravity = { 0.0f, -10.0f, 0.0f },
        .solver = "soft_step",
        .friction_model = CN_FRICTION_PATCH,
        .contact_stiffness = 0.125f,
        .contact_damping_ratio = 10.0f,
        .push_speed = 1.25f,
        .joint_speed = 30.0f,
        .projection = 0.8f,
        .position_correction = CN_CORRECT_NUDGE,
        .joint_solve = CN_JOINTS_AUTO,
        .restitution_speed = 1.0f,
        .hit_speed = 1.0f,
        .effort = 20000000,
        .sleeping = true,
        .sleep_speed = 0.05f,
        .sleep_time = 0.5f,
        .threads = 1,
        .simd = CN_SIMD_AUTO,
    };
}

static bool check_gravity(const char *function, const char *field, cn_vec3 g)
{
    return cn_check_vec3(function, field, g) &&
           (cn_length(g) <= CN_MAX_GRAVITY || cn_fail("%s: %s is (%g, %g, %g), more than %g m/s^2", function, field,
                                                      (double)g.x, (double)g.y, (double)g.z, (double)CN_MAX_GRAVITY));
}

static bool check_hooks(const char *function, const cn_world_def *def)
{
    const cn_task_system *tasks = def->tasks;
    if (!cn_check_allocator(function, "def.allocator", def->allocator))
        return false;
    return tasks == NULL || (cn_check_pointer(function, "def.tasks->run", (const void *)(uintptr_t)tasks->run) &&
                             cn_check_int_range(function, "def.tasks->thread_count", tasks->thread_count, 1, MAX_THREADS));
}

static bool check_enum(const char *function, const char *field, int value, int count)
{
    return cn_check_int_range(function, field, value, 0, count - 1);
}

static bool check_def(const char *function, const cn_world_def *def)
{
    return cn_check_pointer(function, "def", def) && check_gravity(function, "def.gravity", def->gravity) &&
           cn_check_solver(function, "def.solver", def->solver) != NULL &&
           cn_check_int_range(function, "def.substeps", def->substeps, 0, MAX_SUBSTEPS) &&
           cn_check_int_range(function, "def.iterations", def->iterations, 0, MAX_ITERATIONS) &&
           cn_check_not_negative(function, "def.early_exit", def->early_exit) &&
           check_enum(function, "def.friction_model", (int)def->friction_model, CN_FRICTION_MODEL_COUNT) &&
           cn_check_range(function, "def.contact_stiffness", def->contact_stiffness, 1e-6f, 1.0f) &&
           cn_check_range(function, "def.contact_damping_ratio", def->contact_damping_ratio, 0.0f, 1e6f) &&
           cn_check_range(function, "def.push_speed", def->push_speed, 0.0f, CN_MAX_SPEED) &&
           cn_check_range(function, "def.joint_speed", def->joint_speed, 0.0f, CN_MAX_SPEED) &&
           cn_check_range(function, "def.projection", def->projection, 0.0f, 1.0f) &&
           check_enum(function, "def.position_correction", (int)def->position_correction, CN_POSITION_CORRECTION_COUNT) &&
           check_enum(function, "def.joint_solve", (int)def->joint_solve, CN_JOINT_SOLVE_COUNT) &&
           cn_check_not_negative(function, "def.restitution_speed", def->restitution_speed) &&
           cn_check_not_negative(function, "def.hit_speed", def->hit_speed) &&
           cn_check_not_negative(function, "def.tolerance", def->tolerance) &&
           cn_check_int_range(function, "def.effort", def->effort, 0, INT32_MAX) &&
           cn_check_not_negative(function, "def.sleep_speed", def->sleep_speed) &&
           cn_check_not_negative(function, "def.sleep_time", def->sleep_time) &&
           cn_check_int_range(function, "def.threads", def->threads, 1, MAX_THREADS) && check_hooks(function, def) &&
           cn_check_capacity(function, &def->capacity) &&
           check_enum(function, "def.simd", (int)def->simd, CN_SIMD_COUNT);
}

// A tag marks the ids of a world, so that those of another are recognised. No two worlds that live have the same, and a tag is not used
// again before all others were. Nothing else is shared between worlds.
enum { TAGS = UINT16_MAX + 1, TAGS_PER_WORD = 32 };
static atomic_uint tags_in_use[TAGS / TAGS_PER_WORD];

static void return_tag(uint16_t tag)
{
    unsigned bit = 1u << tag % TAGS_PER_WORD;
    atomic_fetch_and_explicit(&tags_in_use[tag / TAGS_PER_WORD], ~bit, memory_order_relaxed);
}

// 0 when all are in use.
static uint16_t take_tag(void)
{
    static atomic_uint counter;
    for (int tries = 0; tries < TAGS; tries++) {
        uint16_t tag = (uint16_t)(atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed) + 1);
        unsigned bit = 1u << tag % TAGS_PER_WORD;
        if (tag != 0 && (atomic_fetch_or_explicit(&tags_in_use[tag / TAGS_PER_WORD], bit, memory_order_relaxed) & bit) == 0)
            return tag;
    }
    return 0;
}

cn_world *cn_world_create(const cn_world_def *def)
{
    if (!check_def(__func__, def))
        return NULL;
    const struct cn_wide_kernels *kernels = cn_choose_kernels(def->simd);
    if (kernels == NULL) {
        cn_fail("%s: def.simd asks for AVX2, which this machine does not have", __func__);
        return NULL;
    }
    uint16_t tag = take_tag();
    if (tag == 0) {
        cn_fail("%s: there are %d worlds, as many as there can be at once", __func__, TAGS - 1);
        return NULL;
    }
    cn_allocator allocator = def->allocator != NULL ? *def->allocator : cn_default_allocator;
    cn_world *world = cn_allocate(&allocator, sizeof *world, 64);
    memset(world, 0, sizeof *world);
    world->allocator = allocator;
    world->def = *def;
    world->def.allocator = &world->allocator;
    world->solver = cn_find_solver(def->solver);
    world->def.solver = world->solver->name;
    if (def->tasks != NULL) {
        world->task_system = *def->tasks;
        world->def.tasks = &world->task_system;
    }
    world->tasks = cn_tasks_create(&world->allocator, def->threads, world->def.tasks);
    if (world->tasks == NULL) {
        cn_release(&allocator, world, sizeof *world);
        return_tag(tag);
        return NULL;
    }
    world->tag = tag;
    world->kernels = kernels;
    world->scratch = cn_scratch_create(&world->allocator, cn_tasks_thread_count(world->tasks));
    cn_arena_init(&world->arena, &world->allocator);
    cn_tree_init(&world->static_tree, &world->allocator);
    cn_tree_init(&world->moving_tree, &world->allocator);
    world->pairs = cn_pair_set_create(&world->allocator);
    world->pair_round = 1;
    cn_world_reserve(world, &def->capacity);
    return world;
}

static void free_parts(cn_world *world)
{
    const cn_allocator *allocator = &world->allocator;
    for (int i = 0; i < world->contacts.count; i++)
        if (world->contacts.data[i].used)
            cn_release(allocator, world->contacts.data[i].more,
                       sizeof(cn_touch) * (size_t)world->contacts.data[i].more_capacity);
    for (int i = 0; i < world->joints.count; i++)
        if (world->joints.data[i].used)
            cn_joint_free_rows(world, &world->joints.data[i]);
    for (int i = 0; i < world->shapes.count; i++)
        if (world->shapes.data[i].used)
            cn_shape_release_shared(world, &world->shapes.data[i]);
    for (int i = 0; i < world->hulls.count; i++)
        if (world->hulls.data[i].used)
            cn_polyhedron_free(allocator, world->hulls.data[i].polyhedron);
    for (int i = 0; i < world->sleeping_islands.count; i++) {
        cn_sleeping_island *island = &world->sleeping_islands.data[i];
        cn_release(allocator, island->bodies, (size_t)island->count * sizeof *island->bodies);
    }
    cn_pair_set_destroy(world->pairs);
    cn_ignore_free(allocator, &world->ignored_bodies);
    cn_ignore_free(allocator, &world->ignored_shapes);
    cn_tree_free(&world->static_tree);
    cn_tree_free(&world->moving_tree);
    cn_arena_free(&world->arena);
    cn_scratch_destroy(world->scratch);
    cn_tasks_destroy(world->tasks);
}

static void free_arrays(cn_world *world)
{
    const cn_allocator *allocator = &world->allocator;
    cn_array_free(allocator, &world->bodies);
    cn_array_free(allocator, &world->free_bodies);
    cn_array_free(allocator, &world->shapes);
    cn_array_free(allocator, &world->free_shapes);
    cn_array_free(allocator, &world->hulls);
    cn_array_free(allocator, &world->free_hulls);
    cn_array_free(allocator, &world->contacts);
    cn_array_free(allocator, &world->free_contacts);
    cn_array_free(allocator, &world->joints);
    cn_array_free(allocator, &world->free_joints);
    cn_array_free(allocator, &world->joint_marks);
    cn_array_free(allocator, &world->awake);
    cn_array_free(allocator, &world->awake_contacts);
    cn_array_free(allocator, &world->travels);
    cn_array_free(allocator, &world->places);
    cn_array_free(allocator, &world->moved_shapes);
    for (int i = 0; i < world->pair_lists.count; i++)
        cn_array_free(allocator, &world->pair_lists.data[i]);
    cn_array_free(allocator, &world->pair_lists);
    cn_array_free(allocator, &world->sleeping_islands);
    cn_array_free(allocator, &world->free_sleeping_islands);
    cn_array_free(allocator, &world->begin_events);
    cn_array_free(allocator, &world->end_events);
    cn_array_free(allocator, &world->pending_end_events);
    cn_array_free(allocator, &world->hit_events);
    cn_array_free(allocator, &world->move_events);
    cn_array_free(allocator, &world->joint_events);
    cn_paths_free(world);
    cn_sensors_free(world);
    cn_array_free(allocator, &world->sleep_events);
    cn_array_free(allocator, &world->pending_sleep_events);
    cn_array_free(allocator, &world->color_histogram);
    cn_array_free(allocator, &world->island_reports);
    cn_problem_destroy(world->captured);
}

void cn_world_destroy(cn_world *world)
{
    if (world == NULL || !cn_check_writable(world, __func__))
        return;
    free_parts(world);
    free_arrays(world);
    return_tag(world->tag);
    cn_allocator allocator = world->allocator;
    cn_release(&allocator, world, sizeof *world);
}

// ---- settings

cn_vec3 cn_world_get_gravity(const cn_world *world)
{
    return cn_check_world(world, __func__) ? world->def.gravity : cn_v3(0.0f, 0.0f, 0.0f);
}

bool cn_world_set_gravity(cn_world *world, cn_vec3 gravity)
{
    if (!cn_check_writable(world, __func__) || !check_gravity(__func__, "gravity", gravity))
        return false;
    world->def.gravity = gravity;
    cn_wake_all(world);
    return true;
}

bool cn_world_get_sleeping(const cn_world *world) { return cn_check_world(world, __func__) && world->def.sleeping; }

bool cn_world_set_sleeping(cn_world *world, bool sleeping)
{
    if (!cn_check_writable(world, __func__))
        return false;
    world->def.sleeping = sleeping;
    if (!sleeping)
        cn_wake_all(world);
    return true;
}

const char *cn_world_get_solver(const cn_world *world) { return cn_check_world(world, __func__) ? world->solver->name : NULL; }

bool cn_world_set_solver(cn_world *world, const char *name)
{
    const cn_solver *solver = cn_check_writable(world, __func__) ? cn_check_solver(__func__, "name", name) : NULL;
    if (solver == NULL)
        return false;
    world->solver = solver;
    world->def.solver = solver->name;
    return true;
}

void *cn_world_get_user_data(const cn_world *world) { return cn_check_world(world, __func__) ? world->def.user_data : NULL; }

int cn_world_get_body_count(const cn_world *world) { return cn_check_world(world, __func__) ? world->body_count : 0; }
