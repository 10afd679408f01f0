// A world that was told how much it will hold takes no memory in its steps.
#include "scene.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct counter {
    atomic_int allocations;
    atomic_llong bytes;
} counter;

static void *count_allocation(void *context, size_t size, size_t alignment)
{
    counter *c = context;
    atomic_fetch_add(&c->allocations, 1);
    atomic_fetch_add(&c->bytes, (long long)size);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_release(void *context, void *memory, size_t size)
{
    counter *c = context;
    atomic_fetch_sub(&c->bytes, (long long)size);
    free(memory);
}

enum { SIDE = 8, LAYERS = 8, BOXES = SIDE * SIDE * LAYERS, LINKS = 40 };

static void fill_world(cn_world *world)
{
    add_ground(world, 0.5f, 0.0f);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.2f);
    box.hit_events = true;
    for (int i = 0; i < BOXES; i++)
        add_upright(world, CN_DYNAMIC, cn_p3(0.9 * (i % SIDE), 0.6 + 1.1 * (i / (SIDE * SIDE)), 1.05 * (i / SIDE % SIDE)),
                    &box);
    cn_shape_def ball = solid_def(cn_sphere(0.1f), 0.5f, 0.0f);
    cn_body_id last = { 0 };
    for (int i = 0; i < LINKS; i++) {
        cn_body_id link = add_upright(world, CN_DYNAMIC, cn_p3(-5.0, 12.0, 0.3 * i), &ball);
        cn_joint_def joint = cn_ball_joint(world, last, link, cn_p3(-5.0, 12.0, 0.3 * i - 0.15));
        if (CN_IS_NULL(cn_joint_create(world, &joint)))
            fail_msg("%s", cn_last_error());
        last = link;
    }
}

static int allocations_of_steps(int threads, bool told, uint64_t *hash)
{
    counter c;
    atomic_init(&c.allocations, 0);
    atomic_init(&c.bytes, 0);
    cn_allocator allocator = { count_allocation, count_release, &c };
    cn_world_def def = restless();
    def.threads = threads;
    def.allocator = &allocator;
    if (told)
        def.capacity = (cn_capacity){ BOXES + LINKS + 1, BOXES + LINKS + 1, 12 * BOXES, LINKS };
    cn_world *world = open_world(&def);
    fill_world(world);
    int before = atomic_load(&c.allocations);
    cn_step_report report = advance(world, 200);
    assert_true(report.pairs > BOXES && report.pairs < 12 * BOXES);
    int after = atomic_load(&c.allocations);
    *hash = cn_world_hash(world);
    cn_world_destroy(world);
    assert_int_equal(atomic_load(&c.bytes), 0);
    return after - before;
}

static void steps_take_no_memory(void **state)
{
    (void)state;
    uint64_t expected, hash;
    int without = allocations_of_steps(1, false, &expected);
    print_message("untold: %d allocations in 200 steps\n", without);
    assert_true(without > 20);
    for (int threads = 1; threads <= 4; threads += 3) {
        assert_int_equal(allocations_of_steps(threads, true, &hash), 0);
        assert_true(hash == expected);
    }
}

// More than was said is no error.
static void a_world_may_outgrow_its_capacity(void **state)
{
    (void)state;
    cn_world_def def = restless();
    def.capacity = (cn_capacity){ 3, 2, 1, 1 };
    cn_world *world = open_world(&def);
    fill_world(world);
    advance(world, 30);
    cn_world_destroy(world);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    const char *const words[4] = { "bodies", "shapes", "contacts", "joints" };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            cn_world_def def = cn_world_def_default();
            int numbers[4] = { 0 };
            numbers[i] = k == 0 ? -1 : INT32_MAX;
            def.capacity = (cn_capacity){ numbers[0], numbers[1], numbers[2], numbers[3] };
            assert_null(cn_world_create(&def));
            assert_non_null(strstr(cn_last_error(), "cn_world_create: def.capacity."));
            assert_non_null(strstr(cn_last_error(), words[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(a_world_may_outgrow_its_capacity),
        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
