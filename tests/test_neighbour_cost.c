// A step costs what moves and what it touches, not what lies around it. Times are those of the processor, the best of several,
// and compared with each other.
#include "scene.h"

#include <time.h>

// Of some steps, s. advance() looks at everything in the world besides.
static double time_of_steps(cn_world *world, int steps)
{
    clock_t begin = clock();
    for (int i = 0; i < steps; i++)
        assert_true(cn_world_step(world, tick).ok);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

// Tiles side by side, `count` by `count` of them, which together are `size` m wide.
static void add_tiles(cn_world *world, int count, double size)
{
    double half = 0.5 * size / count;
    cn_shape_def tile = solid_def(cn_box((float)half, 0.5f, (float)half), 0.6f, 0.0f);
    for (int i = 0; i < count * count; i++)
        add_upright(world, CN_STATIC,
                    cn_p3(half * (2 * (i % count) + 1) - 0.5 * size, -0.5, half * (2 * (i / count) + 1) - 0.5 * size), &tile);
}

// Of the steps in which a large ball rolls over tiles, s.
static double time_of_rolling(int tiles)
{
    double best = (double)INFINITY;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_tiles(world, tiles, 48.0);
    cn_shape_def ball = solid_def(cn_sphere(10.0f), 0.6f, 0.0f);
    cn_body_id id = add_upright(world, CN_DYNAMIC, cn_p3(-4.0, 10.0, 0.3), &ball);
    cn_body_set_linear_velocity(world, id, cn_v3(2.0f, 0.0f, 0.0f));
    cn_body_set_angular_velocity(world, id, cn_v3(0.0f, 0.0f, -0.2f));
    advance(world, 10);
    for (int i = 0; i < 10; i++)
        best = fmin(best, time_of_steps(world, 15));
    assert_true(fabs(cn_body_get_center(world, id).y - 10.0) < 0.05);
    cn_world_destroy(world);
    return best;
}

// It stands on a few of them; some hundred others are near.
static void tiles_beside_a_ball_cost_little(void **state)
{
    (void)state;
    double few = time_of_rolling(12), many = time_of_rolling(96);
    printf("15 steps of a ball that rolls over tiles: %.3f ms over wide ones, %.3f over narrow ones\n", 1e3 * few, 1e3 * many);
    assert_true(many < 64.0 * few); // so many times as many tiles: each of them costs the same
}

// Of the dearest step but the first while balls are made above tiles and land on them, s: the best of several runs.
static double time_of_landing(int tiles)
{
    double best = (double)INFINITY;
    for (int run = 0; run < 3; run++) {
        double worst = 0.0;
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        add_tiles(world, tiles, tiles);
        cn_shape_def ball = solid_def(cn_sphere(0.4f), 0.6f, 0.0f);
        for (int i = 0; i < 120; i++) {
            if (i % 5 == 0)
                add_upright(world, CN_DYNAMIC, cn_p3(0.7 * (i % 20) - 7.0, 1.0, 0.13 * i - 8.0), &ball);
            double seconds = time_of_steps(world, 1);
            worst = i > 0 ? fmax(worst, seconds) : 0.0;
        }
        best = fmin(best, worst);
        cn_world_destroy(world);
    }
    return best;
}

static void ground_that_is_far_costs_nothing(void **state)
{
    (void)state;
    double few = time_of_landing(20), many = time_of_landing(300);
    printf("dearest step while balls land: %.3f ms on 400 tiles, %.3f on 90,000\n", 1e3 * few, 1e3 * many);
    assert_true(many < 4.0 * few + 1e-3); // of 1 ms nothing is felt
}

// A pole of twenty boxes, 20 m long, that turns about its middle.
static cn_body_id add_pole(cn_world *world, cn_pos3 place, float spin, bool continuous)
{
    cn_body_def def = cn_body_def_default();
    def.position = place;
    def.continuous = continuous;
    cn_body_id pole = cn_body_create(world, &def);
    cn_shape_def part = solid_def(cn_box(0.5f, 0.1f, 0.1f), 0.6f, 0.0f);
    for (int i = 0; i < 20; i++) {
        part.offset.position = cn_v3((float)i - 9.5f, 0.0f, 0.0f);
        cn_shape_create(world, pole, &part);
    }
    set_motion(world, pole, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, spin));
    return pole;
}

// Of poles that meet nobody, s.
static double time_of_turning(bool continuous)
{
    double best = (double)INFINITY;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    for (int i = 0; i < 20; i++)
        add_pole(world, cn_p3(0.0, 0.0, 3.0 * i), 6.0f, continuous);
    time_of_steps(world, 5);
    for (int i = 0; i < 10; i++)
        best = fmin(best, time_of_steps(world, 10));
    cn_world_destroy(world);
    return best;
}

// Most of a step is boxes that follow the parts; where nothing is near, no part's path needs another one.
static void poles_that_meet_nobody_cost_little(void **state)
{
    (void)state;
    double without = (double)INFINITY, with = (double)INFINITY;
    for (int i = 0; i < 3; i++) {
        without = fmin(without, time_of_turning(false));
        with = fmin(with, time_of_turning(true));
    }
    printf("10 steps of poles that turn: %.3f ms, %.3f with continuous collision\n", 1e3 * without, 1e3 * with);
    assert_true(with < 1.55 * without);
}

// A thin wall in the way of the tip, and crumbs that are near but not in the way: few, so that they are listed, or many.
static void a_turning_pole_is_stopped(void **state)
{
    (void)state;
    for (int crumbs = 0; crumbs <= 300; crumbs += 100) {
        cn_world_def def = weightless();
        cn_world *world = open_world(&def);
        cn_shape_def wall = solid_def(cn_box(0.005f, 1.0f, 1.0f), 0.6f, 0.0f), crumb = solid_def(cn_sphere(0.01f), 0.6f, 0.0f);
        add_upright(world, CN_STATIC, cn_p3(0.0, 9.0, 0.0), &wall);
        for (int i = 0; i < crumbs; i++)
            add_upright(world, CN_STATIC, cn_p3(0.04 * i - 6.0, 8.0, 0.3), &crumb);
        cn_body_id pole = add_pole(world, cn_p3(0.0, 0.0, 0.0), 12.0f, true);
        int stopped = 0;
        for (int i = 0; i < 12; i++)
            stopped += advance(world, 1).stopped;
        assert_true(stopped > 0);
        assert_true(cn_body_get_angular_velocity(world, pole).z < 6.0f);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_beside_a_ball_cost_little),
        cmocka_unit_test(ground_that_is_far_costs_nothing),
        cmocka_unit_test(poles_that_meet_nobody_cost_little),
        cmocka_unit_test(a_turning_pole_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
