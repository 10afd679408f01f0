// Bodies that fly farther than their own size in a step: from their first step on, when they are thrown off their way, and in
// joints.
#include "random_shapes.h"
#include "scene.h"

static const cn_vec3 zero = { 0.0f, 0.0f, 0.0f };

static cn_world *free_space(void)
{
    cn_world_def def = weightless();
    return open_world(&def);
}

static cn_body_id add_solid(cn_world *world, cn_body_type type, cn_pos3 at, cn_geometry geometry, float restitution)
{
    cn_shape_def shape = solid_def(geometry, 0.0f, restitution);
    return add_upright(world, type, at, &shape);
}

// ---- from the first step on

// It meets the wall in its first step, or in one of the next, and comes back as fast as it came.
static void what_is_made_fast_before_a_wall_comes_back(void **state)
{
    (void)state;
    rng r = { 5 };
    for (int i = 0; i < 100; i++) {
        cn_world *world = free_space();
        add_solid(world, CN_STATIC, cn_p3(0.01, 0.0, 0.0), cn_box(0.01f, 50.0f, 50.0f), 1.0f);
        float radius = rng_range(&r, 0.02f, 0.5f), away = rng_range(&r, 0.01f, 20.0f);
        cn_body_def def = cn_body_def_default();
        def.type = CN_DYNAMIC;
        def.position = cn_p3(-(double)(radius + away), 0.0, 0.0);
        def.linear_velocity = cn_v3(500.0f, 0.0f, 0.0f);
        cn_body_id ball = cn_body_create(world, &def);
        cn_shape_def shape = solid_def(cn_sphere(radius), 0.0f, 1.0f);
        assert_false(CN_IS_NULL(cn_shape_create(world, ball, &shape)));
        for (int step = 0; step < 8; step++) {
            advance(world, 1);
            assert_true(cn_body_get_center(world, ball).x < 0.0);
        }
        assert_near(cn_body_get_linear_velocity(world, ball).x, -500.0, 0.5);
        cn_world_destroy(world);
    }
}

// ---- off the way

// The user turns it aside: what it is aimed at then was not beside its old way.
static void what_is_turned_aside_meets_what_is_there(void **state)
{
    (void)state;
    rng r = { 6 };
    for (int i = 0; i < 100; i++) {
        cn_world *world = free_space();
        float radius = rng_range(&r, 0.05f, 0.3f), speed = rng_range(&r, 100.0f, 1000.0f), beside = rng_range(&r, 0.2f, 10.0f);
        cn_body_id ball = add_solid(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), cn_sphere(radius), 1.0f);
        cn_body_id other =
            add_solid(world, CN_DYNAMIC, cn_p3(0.0, (double)(2.0f * radius + beside), 0.0), cn_box(2.0f, 0.02f, 2.0f), 1.0f);
        set_motion(world, ball, cn_v3(speed, 0.0f, 0.0f), zero);
        set_motion(world, other, cn_v3(speed, 0.0f, 0.0f), zero);
        advance(world, 1 + i % 4);
        set_motion(world, ball, cn_v3(speed, speed, 0.0f), zero);
        advance(world, 12);
        assert_true(cn_body_get_center(world, ball).y < cn_body_get_center(world, other).y);
        cn_world_destroy(world);
    }
}

static void add_room(cn_world *world, float half)
{
    for (int i = 0; i < 6; i++) {
        float size[3] = { half, half, half };
        double at[3] = { 0.0, 0.0, 0.0 };
        size[i / 2] = 0.1f;
        at[i / 2] = i % 2 == 0 ? -(double)half : (double)half;
        add_solid(world, CN_STATIC, cn_p3(at[0], at[1], at[2]), cn_box(size[0], size[1], size[2]), 1.0f);
    }
}

// They hit each other all the time, and are thrown to where others are.
static void a_swarm_stays_in_its_room(void **state)
{
    (void)state;
    enum { BODIES = 300 };
    const float half = 10.0f;
    rng r = { 7 };
    cn_world *world = free_space();
    add_room(world, half);
    cn_body_id bodies[BODIES];
    for (int i = 0; i < BODIES; i++) {
        cn_vec3 at = rng_vec(&r, 0.9f * half), way = rng_unit(&r);
        float size = rng_range(&r, 0.1f, 0.4f);
        cn_geometry geometry = i % 3 == 0   ? cn_sphere(size)
                               : i % 3 == 1 ? cn_box(0.2f * size, size, size)
                                            : cn_capsule(size, 0.3f * size);
        bodies[i] = add_solid(world, CN_DYNAMIC, cn_p3((double)at.x, (double)at.y, (double)at.z), geometry, 0.9f);
        set_motion(world, bodies[i], cn_scale(250.0f, way), zero);
    }
    for (int step = 0; step < 150; step++) {
        advance(world, 1);
        for (int i = 0; i < BODIES; i++) {
            cn_pos3 p = cn_body_get_center(world, bodies[i]);
            assert_true(fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)) < (double)half);
        }
    }
    cn_world_destroy(world);
}

// ---- joints

// Two bars on a joint turn about each other on their way to a wall. Where they are stopped, each has gone its part of its own
// arc. A blow at 400 m/s itself opens the joint for a step.
static void what_is_joined_stops_on_its_arc(void **state)
{
    (void)state;
    rng r = { 8 };
    double worst = 0.0;
    int stopped = 0;
    for (int i = 0; i < 150; i++) {
        cn_world *world = free_space();
        add_solid(world, CN_STATIC, cn_p3(5.0, 0.0, 0.0), cn_box(0.1f, 20.0f, 20.0f), 0.0f);
        cn_body_id a = add_solid(world, CN_DYNAMIC, cn_p3(-0.5, 0.0, 0.0), cn_box(0.5f, 0.05f, 0.05f), 0.0f);
        cn_body_id b = add_solid(world, CN_DYNAMIC, cn_p3(0.5, 0.0, 0.0), cn_box(0.5f, 0.05f, 0.05f), 0.0f);
        cn_joint_def def = cn_ball_joint(world, a, b, cn_p3(0.0, 0.0, 0.0));
        cn_joint_id joint = cn_joint_create(world, &def);
        float speed = rng_range(&r, 20.0f, 400.0f), spin = rng_range(&r, -30.0f, 30.0f);
        set_motion(world, a, cn_v3(speed, -0.5f * spin, 0.0f), cn_v3(0.0f, 0.0f, spin));
        set_motion(world, b, cn_v3(speed, 0.5f * spin, 0.0f), cn_v3(0.0f, 0.0f, spin));
        for (int step = 0; step < 30; step++) {
            bool any = cn_world_step(world, tick).stopped > 0;
            double gap = (double)cn_joint_get_error(world, joint).linear;
            stopped += any;
            worst = any ? fmax(worst, gap) : worst;
        }
        cn_world_destroy(world);
    }
    print_message("%d stops, the joint open by %.2g m at most\n", stopped, worst);
    assert_true(stopped > 0);
    assert_true(worst < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_fast_before_a_wall_comes_back),
        cmocka_unit_test(what_is_turned_aside_meets_what_is_there),
        cmocka_unit_test(a_swarm_stays_in_its_room),
        cmocka_unit_test(what_is_joined_stops_on_its_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
