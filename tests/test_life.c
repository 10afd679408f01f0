// The life of a world and of what is in it: calls while it steps, slots that are used again, memory that is given back.
#include "api_fixture.h"
#include "world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cn_world *world;

static int setup(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    world = cn_world_create(&def);
    return world == NULL;
}

static int teardown(void **state)
{
    (void)state;
    cn_world_destroy(world);
    return 0;
}

// ---- during a step

static cn_world *stepped;
static cn_body_id stepped_body;
static cn_shape_id stepped_shape;
static int tried, refused;

static void count_refusal(bool answer, const char *function)
{
    const char *error = cn_last_error();
    tried++;
    refused += !answer && strncmp(error, function, strlen(function)) == 0 && strstr(error, "in the middle of a step") != NULL;
}

static void meddle(void)
{
    cn_world *w = stepped;
    cn_body_id b = stepped_body;
    cn_shape_id s = stepped_shape;
    cn_material material = cn_material_default();
    cn_body_def body_def = cn_body_def_default();
    cn_shape_def shape_def = cn_shape_def_default();
    shape_def.geometry = cn_sphere(1.0f);
#define TRY(function, ...) count_refusal(function(__VA_ARGS__), #function ": ")
#define TRY_ID(function, ...) count_refusal(!CN_IS_NULL(function(__VA_ARGS__)), #function ": ")
    TRY_ID(cn_body_create, w, &body_def);
    TRY_ID(cn_shape_create, w, b, &shape_def);
    TRY_ID(cn_hull_create, w, tetrahedron, 4);
    TRY(cn_hull_destroy, w, (cn_hull_id){ 1, 1, b.world });
    TRY(cn_body_destroy, w, b);
    TRY(cn_body_set_type, w, b, CN_STATIC);
    TRY(cn_body_set_transform, w, b, home);
    TRY(cn_body_set_linear_velocity, w, b, one);
    TRY(cn_body_set_angular_velocity, w, b, one);
    TRY(cn_body_move_kinematic, w, b, home, 1.0f);
    TRY(cn_body_set_mass, w, b, cn_mass_sphere(1.0f, 1.0f));
    TRY(cn_body_reset_mass, w, b);
    TRY(cn_body_apply_force, w, b, one);
    TRY(cn_body_apply_force_at, w, b, one, home.position);
    TRY(cn_body_apply_torque, w, b, one);
    TRY(cn_body_apply_impulse, w, b, one);
    TRY(cn_body_apply_impulse_at, w, b, one, home.position);
    TRY(cn_body_apply_angular_impulse, w, b, one);
    TRY(cn_body_set_linear_damping, w, b, 1.0f);
    TRY(cn_body_set_angular_damping, w, b, 1.0f);
    TRY(cn_body_set_gravity_scale, w, b, 0.0f);
    TRY(cn_body_set_locks, w, b, 1);
    TRY(cn_body_set_awake, w, b, false);
    TRY(cn_body_set_can_sleep, w, b, false);
    TRY(cn_body_set_user_data, w, b, NULL);
    TRY(cn_shape_destroy, w, s);
    TRY(cn_shape_set_material, w, s, &material);
    TRY(cn_shape_set_filter, w, s, cn_filter_default());
    TRY(cn_shape_set_user_data, w, s, NULL);
    TRY(cn_world_set_gravity, w, one);
    TRY(cn_world_set_sleeping, w, false);
    TRY(cn_world_set_solver, w, "pgs");
    count_refusal(cn_world_step(w, 1.0f).ok, "cn_world_step: ");
    cn_world_destroy(w);
    count_refusal(false, "cn_world_destroy: ");
}

static void run_and_meddle(void *context, cn_task_fn task, void *task_context, int count)
{
    if (*(bool *)context && tried == 0)
        meddle();
    for (int i = count - 1; i >= 0; i--) // any order is allowed
        task(task_context, i);
}

static uint64_t step_with_meddling(bool meddles)
{
    cn_task_system tasks = { run_and_meddle, &meddles, 2 };
    cn_world_def def = cn_world_def_default();
    def.tasks = &tasks;
    stepped = cn_world_create(&def);
    for (int i = 0; i < 200; i++) { // enough for more than one task
        stepped_body = add_body(stepped, CN_DYNAMIC, 1.0 * i);
        stepped_shape = add_shape(stepped, stepped_body);
    }
    tried = refused = 0;
    for (int i = 0; i < 5; i++)
        assert_true(cn_world_step(stepped, 1.0f / 60.0f).ok);
    uint64_t hash = cn_world_hash(stepped);
    cn_world_destroy(stepped);
    return hash;
}

static void nothing_changes_in_the_middle_of_a_step(void **state)
{
    (void)state;
    uint64_t alone = step_with_meddling(false);
    assert_int_equal(tried, 0);
    uint64_t meddled = step_with_meddling(true);
    assert_int_equal(tried, 34);
    assert_int_equal(refused, tried);
    assert_true(alone == meddled);
}

// ---- slots and memory

static void slots_are_reused_with_a_new_generation(void **state)
{
    (void)state;
    int slots = world->bodies.count;
    cn_body_id first = add_body(world, CN_DYNAMIC, 30.0);
    add_shape(world, first);
    for (int i = 0; i < 70000; i++) { // more often than a generation has numbers: then another slot is used
        cn_body_id last = first;
        assert_true(cn_body_destroy(world, first));
        first = add_body(world, CN_DYNAMIC, 30.0);
        assert_int_equal(first.index1 != last.index1, last.generation == UINT16_MAX);
        assert_int_not_equal(first.generation, 0);
        assert_int_not_equal(first.generation, last.generation);
        assert_false(cn_body_is_valid(world, last));
    }
    assert_true(world->bodies.count <= slots + 2);
    assert_true(cn_body_destroy(world, first));
}

static void a_hull_lives_as_long_as_its_shapes(void **state)
{
    (void)state;
    cn_shape_def def = cn_shape_def_default();
    cn_hull_id shared = cn_hull_create(world, tetrahedron, 4);
    def.geometry = cn_hull(shared);
    cn_body_id b = add_body(world, CN_DYNAMIC, 50.0);
    cn_shape_id s = cn_shape_create(world, b, &def);
    assert_false(CN_IS_NULL(s));
    assert_true(CN_ID_EQUALS(cn_shape_get_geometry(world, s).hull, shared));
    assert_true(cn_hull_destroy(world, shared));
    assert_false(cn_hull_is_valid(world, shared));
    assert_true(CN_IS_NULL(cn_shape_create(world, b, &def)));
    assert_non_null(strstr(cn_last_error(), "stale"));
    assert_true(cn_world_step(world, 1.0f / 60.0f).ok); // the shape still has its form
    int free_before = world->free_hulls.count;
    assert_true(cn_body_destroy(world, b));
    assert_int_equal(world->free_hulls.count, free_before + 1);
}

typedef struct ledger {
    size_t bytes;
    int blocks;
    bool wrong_size;
} ledger;
enum { HEADER = 64 };

static void *counting_allocate(void *context, size_t size, size_t alignment)
{
    assert_true(alignment <= HEADER);
    ledger *books = context;
    char *block = aligned_alloc(HEADER, (size + 2 * HEADER - 1) / HEADER * HEADER);
    memcpy(block, &size, sizeof size);
    books->bytes += size;
    books->blocks++;
    return block + HEADER;
}

static void counting_release(void *context, void *memory, size_t size)
{
    ledger *books = context;
    size_t asked;
    memcpy(&asked, (char *)memory - HEADER, sizeof asked);
    books->wrong_size |= asked != size;
    books->bytes -= size;
    books->blocks--;
    free((char *)memory - HEADER);
}

static void all_memory_is_given_back(void **state)
{
    (void)state;
    ledger books = { 0 };
    cn_allocator allocator = { counting_allocate, counting_release, &books };
    for (int solver = 0; cn_solver_name(solver) != NULL; solver++) {
        cn_world_def def = cn_world_def_default();
        def.allocator = &allocator;
        def.solver = cn_solver_name(solver);
        cn_world *w = cn_world_create(&def);
        cn_shape_def hull_def = cn_shape_def_default();
        hull_def.geometry = cn_hull(cn_hull_create(w, tetrahedron, 4));
        cn_body_id ground = add_body(w, CN_STATIC, -0.5), last = ground;
        add_shape(w, ground);
        int bodies = solver < 3 ? 20 : 3; // those of the laboratory are slower
        for (int i = 0; i < bodies; i++) {
            last = add_body(w, CN_DYNAMIC, 0.5 + i);
            add_shape(w, last);
            cn_shape_create(w, last, &hull_def);
        }
        assert_true(books.bytes > 0);
        for (int i = 0; i < 60; i++)
            assert_true(cn_world_step(w, 1.0f / 60.0f).ok);
        cn_body_id alone = add_body(w, CN_DYNAMIC, 500.0);
        assert_true(cn_body_set_awake(w, alone, false)); // a sleeping island
        cn_hull_destroy(w, hull_def.geometry.hull);
        cn_body_destroy(w, last);
        assert_true(cn_world_step(w, 1.0f / 60.0f).ok);
        cn_world_destroy(w);
        assert_int_equal(books.bytes, 0);
        assert_int_equal(books.blocks, 0);
        assert_false(books.wrong_size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_in_the_middle_of_a_step),
        cmocka_unit_test(slots_are_reused_with_a_new_generation),
        cmocka_unit_test(a_hull_lives_as_long_as_its_shapes),
        cmocka_unit_test(all_memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
