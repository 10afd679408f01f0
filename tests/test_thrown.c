// Bodies that are hit within a step and thrown at others do not sink into them.
#include "cell_mesh.h"

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

// Two boxes fall one close above the other, with the same speed: the lower one bounces at the upper one, which until then it did not
// approach. How deep they are in each other when the next steps begin.
static double worst_of_two(float speed, double gap, double lean)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    cn_shape_def ground = solid_def(cn_box(200.0f, 1.0f, 200.0f), 0.5f, 0.6f), box = solid_def(cn_box(0.5f, 0.75f, 1.0f), 0.5f, 0.6f);
    add_upright(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &ground);
    double way = 0.5 * (double)speed / 60.0; // it lands halfway through the second step
    for (int i = 0; i < 2; i++) {
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.75 + 3.0 * way + i * (1.5 + gap), 0.0),
                                   turn_about(cn_v3(0.6f, 0.0f, 0.8f), i * lean), &box);
        cn_body_set_linear_velocity(world, body, cn_v3(0.0f, -speed, 0.0f));
    }
    double worst = 0.0;
    for (int step = 0; step < 8; step++)
        worst = fmax(worst, cn_world_step(world, 1.0f / 60.0f).max_penetration);
    cn_world_destroy(world);
    return worst;
}

static void what_bounces_meets_what_follows(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 400; i++)
        worst = fmax(worst, worst_of_two(12.0f + (float)(i % 20), 0.02 + 0.02 * (i / 20), 0.01 * (i % 7)));
    if (!(worst < 0.2))
        fail_msg("a box is %g m deep in another", worst);
}

typedef struct slope {
    float along_x, along_z;
} slope;

static float height_on_slope(const void *context, int column, int row)
{
    const slope *s = context;
    return s->along_x * (float)column + s->along_z * (float)row;
}

// A box falls edge first on a slope of triangles of 1 m; the edge lies nearly level over it and spans several of them. How deep
// it is when the next steps begin.
static double worst_of_edge(slope s, double from, float speed)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    cn_mesh *mesh = make_cell_mesh(24, height_on_slope, &s, false);
    cn_shape_def ground = solid_def(cn_geometry_mesh(mesh, cn_v3(1.0f, 1.0f, 1.0f)), 0.5f, 0.6f);
    add_body(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), cn_quat_identity(), &ground);
    cn_mesh_destroy(mesh);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.75f, 1.0f), 0.5f, 0.6f);
    double height = (double)s.along_x * (from + 0.5) + (double)s.along_z * from + 0.75 + 0.3;
    cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(from, height, from), cn_quat_identity(), &box);
    cn_body_set_linear_velocity(world, body, cn_v3(0.0f, -speed, 0.0f));
    double worst = 0.0;
    for (int step = 0; step < 4; step++)
        worst = fmax(worst, cn_world_step(world, 1.0f / 60.0f).max_penetration);
    cn_world_destroy(world);
    return worst;
}

static void both_ends_of_an_edge_meet_the_slope(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 600; i++) {
        slope s = { 0.6f + 0.1f * (float)(i % 10), 0.002f * (float)(i % 7 - 3) };
        worst = fmax(worst, worst_of_edge(s, 10.0 + 0.0137 * i, 20.0f + (float)(i % 13)));
    }
    if (!(worst < 0.01))
        fail_msg("a box is %g m deep in a slope", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(falling_columns_do_not_sink), cmocka_unit_test(what_bounces_meets_what_follows),
                                        cmocka_unit_test(both_ends_of_an_edge_meet_the_slope) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
