// A step costs what moves, not what exists: memory that steps ask for does not grow with the number of static bodies.
#include "scene.h"

#include <stdlib.h>

static void *counting_allocate(void *context, size_t size, size_t alignment)
{
    *(size_t *)context += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void plain_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

// Bytes that ten steps ask for in a world of `count` static boxes, with a ball made before every second one.
static size_t bytes_of_steps(int count)
{
    size_t bytes = 0;
    cn_allocator allocator = { counting_allocate, plain_release, &bytes };
    cn_world_def def = cn_world_def_default();
    def.allocator = &allocator;
    def.threads = 1;
    cn_world *world = open_world(&def);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f), ball = solid_def(cn_sphere(0.3f), 0.6f, 0.0f);
    for (int i = 0; i < count; i++)
        add_upright(world, CN_STATIC, (cn_pos3){ 1.1 * (i % 100), 0.0, 1.1 * (i / 100) }, &box);
    size_t steps = 0;
    for (int i = 0; i < 10; i++) {
        if (i % 2 == 1)
            add_upright(world, CN_DYNAMIC, (cn_pos3){ 5.0 + i, 2.0, 5.0 }, &ball);
        size_t before = bytes;
        cn_world_step(world, tick);
        steps += bytes - before;
    }
    cn_world_destroy(world);
    return steps;
}

static void static_bodies_cost_a_step_nothing(void **state)
{
    (void)state;
    assert_int_equal(bytes_of_steps(20000), bytes_of_steps(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(static_bodies_cost_a_step_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
