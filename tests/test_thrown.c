// Bodies that are hit within a step and thrown at others do not sink into them.
#include "scene.h"

// Ten boxes fall one behind the other from 54 m on a plane that leans: each lands on the one before it, which is thrown back at
// the plane or at the next one.
static double worst_of_column(double lean)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    cn_shape_def ground = solid_def(cn_box(200.0f, 1.0f, 200.0f), 0.5f, 0.6f);
    add_body(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), turn_about(cn_v3(0.6f, 0.0f, 0.8f), lean), &ground);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.75f, 1.0f), 0.5f, 0.6f);
    for (int i = 0; i < 10; i++)
        add_body(world, CN_DYNAMIC, cn_p3(0.0, 54.0 + 2.0 * i, 0.0), cn_quat_identity(), &box);
    double worst = 0.0;
    for (int step = 0; step < 300; step++)
        worst = fmax(worst, cn_world_step(world, 1.0f / 60.0f).max_penetration);
    cn_world_destroy(world);
    return worst;
}

static void falling_columns_do_not_sink(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++)
        assert_true(worst_of_column(0.05 * i) < 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(falling_columns_do_not_sink) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
