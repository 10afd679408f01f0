// Fast things do not pass through others, and nothing else notices.
#include "random_shapes.h"
#include "scene.h"

static cn_world *free_space(void)
{
    cn_world_def def = weightless();
    return open_world(&def);
}

static cn_body_id place(cn_world *world, cn_body_type type, cn_pos3 position, cn_geometry geometry, float friction)
{
    cn_shape_def shape = solid_def(geometry, friction, 0.0f);
    return add_upright(world, type, position, &shape);
}

static cn_body_id shoot(cn_world *world, cn_geometry geometry, cn_pos3 from, cn_vec3 velocity, cn_vec3 spin)
{
    cn_body_id body = place(world, CN_DYNAMIC, from, geometry, 0.6f);
    set_motion(world, body, velocity, spin);
    return body;
}

// ---- walls

static void nothing_passes_a_thin_wall(void **state)
{
    (void)state;
    rng r = { 11 };
    const cn_geometry shots[] = { cn_sphere(0.05f), cn_box(0.05f, 0.02f, 0.08f), cn_capsule(0.1f, 0.03f),
                                  cn_cylinder(0.05f, 0.05f), cn_tapered_capsule(0.1f, 0.05f, 0.01f) };
    for (int i = 0; i < 200; i++) {
        cn_world *world = free_space();
        place(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), cn_box(0.01f, 500.0f, 500.0f), 0.6f);
        float speed = rng_range(&r, 20.0f, 2000.0f);
        cn_vec3 velocity = cn_scale(speed, rng_vec(&r, 0.2f)), spin = rng_vec(&r, 50.0f);
        velocity.x = speed;
        cn_body_id shot =
            shoot(world, shots[i % 5], cn_p3(-5.0 - (double)rng_range(&r, 0.0f, 30.0f), 0.0, 0.0), velocity, spin);
        advance(world, 60);
        if (cn_body_get_center(world, shot).x > 0.0)
            fail_msg("shot %d at %g m/s passed", i, (double)speed);
        cn_world_destroy(world);
    }
}

static void a_light_plate_is_hit_and_carried_along(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        float speed = 50.0f + 25.0f * (float)i;
        cn_world *world = free_space();
        cn_body_id plate = place(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), cn_box(0.01f, 1.0f, 1.0f), 0.6f);
        cn_body_id shot =
            shoot(world, cn_sphere(0.05f), cn_p3(-3.0 - 0.07 * i, 0.0, 0.0), cn_v3(speed, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        double before = cn_world_get_energy(world).linear_momentum[0];
        advance(world, 60);
        assert_true(cn_body_get_center(world, shot).x < cn_body_get_center(world, plate).x);
        assert_true(cn_body_get_linear_velocity(world, plate).x > 0.0f);
        assert_relative(cn_world_get_energy(world).linear_momentum[0], before, 1e-4);
        cn_world_destroy(world);
    }
}

static void two_bullets_meet(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        cn_world *world = free_space();
        float speed = 30.0f + 40.0f * (float)i;
        cn_vec3 still = { 0.0f, 0.0f, 0.0f };
        cn_body_id a = shoot(world, cn_sphere(0.05f), cn_p3(-4.0 - 0.031 * i, 0.0, 0.0), cn_v3(speed, 0.0f, 0.0f), still);
        cn_body_id b = shoot(world, cn_sphere(0.05f), cn_p3(4.0, 0.0, 0.0), cn_v3(-speed, 0.0f, 0.0f), still);
        advance(world, 60);
        assert_true(cn_body_get_center(world, a).x < cn_body_get_center(world, b).x);
        cn_world_destroy(world);
    }
}

// A stopped body is in the way of what comes behind it.
static void a_volley_stays_in_order(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id shots[8];
    place(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), cn_box(0.01f, 5.0f, 5.0f), 0.6f);
    for (int i = 0; i < 8; i++)
        shots[i] =
            shoot(world, cn_sphere(0.05f), cn_p3(-1.0 - 0.3 * i, 0.0, 0.0), cn_v3(300.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    for (int step = 0; step < 60; step++) {
        advance(world, 1);
        for (int i = 0; i < 8; i++) {
            double ahead = i == 0 ? 0.0 : cn_body_get_center(world, shots[i - 1]).x;
            if (cn_body_get_center(world, shots[i]).x > ahead)
                fail_msg("step %d: shot %d is at %g, ahead of %g", step, i, cn_body_get_center(world, shots[i]).x, ahead);
        }
    }
    cn_world_destroy(world);
}

// ---- rotation

static void a_spinning_bar_is_stopped_by_a_post(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        float spin = 20.0f * (float)(i + 1);
        cn_world *world = free_space();
        place(world, CN_STATIC, cn_p3(0.8, 0.0, 0.0), cn_cylinder(1.0f, 0.02f), 0.6f);
        cn_body_id bar = place(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), cn_box(0.01f, 0.05f, 1.0f), 0.6f);
        cn_body_set_locks(world, bar,
                          CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Y | CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Z);
        cn_body_set_angular_velocity(world, bar, cn_v3(0.0f, spin, 0.0f));
        // The bar lies along z and starts towards x: it may turn by a right angle at most, and back.
        for (int step = 0; step < 60; step++) {
            advance(world, 1);
            cn_vec3 along = cn_rotate(cn_body_get_transform(world, bar).rotation, cn_v3(0.0f, 0.0f, 1.0f));
            if (step > 4 && fabsf(cn_body_get_angular_velocity(world, bar).y) > 1.0f + 0.5f * spin)
                fail_msg("spin %g: the bar still turns at %g", (double)spin,
                         (double)cn_body_get_angular_velocity(world, bar).y);
            assert_true(along.z > -0.1f);
        }
        cn_world_destroy(world);
    }
}

// ---- what must not be stopped

static void sliding_over_the_ground_loses_no_time(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_world_set_gravity(world, cn_v3(0.0f, -10.0f, 0.0f));
    for (int i = -5; i < 100; i++) {
        place(world, CN_STATIC, cn_p3(4.0 * i, -0.5, 0.0), cn_box(2.0f, 0.5f, 5.0f), 0.0f);
    }
    cn_body_id box = place(world, CN_DYNAMIC, cn_p3(0.0, 0.1, 0.0), cn_box(0.1f, 0.1f, 0.1f), 0.0f);
    advance(world, 30);
    cn_body_set_linear_velocity(world, box, cn_v3(100.0f, 0.0f, 0.0f));
    advance(world, 120);
    assert_near(cn_body_get_center(world, box).x, 200.0, 0.01);
    cn_world_destroy(world);
}

// Nothing stops a kinematic body; what it meets is taken along and flies off in front of it.
static void a_bat_hits_the_ball(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        cn_world *world = free_space();
        cn_world_set_sleeping(world, i % 2 == 1);
        cn_body_id ball = place(world, CN_DYNAMIC, cn_p3(0.043 * i, 0.0, 0.1), cn_sphere(0.1f), 0.6f);
        if (i % 2 == 1)
            cn_body_set_awake(world, ball, false);
        cn_body_id bat = place(world, CN_KINEMATIC, cn_p3(-5.0, 0.0, 0.0), cn_box(0.05f, 1.0f, 1.0f), 0.6f);
        set_motion(world, bat, cn_v3(20.0f + 5.0f * (float)i, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        advance(world, 40);
        assert_true(cn_body_get_center(world, ball).x > cn_body_get_center(world, bat).x);
        assert_relative(cn_body_get_linear_velocity(world, ball).x, 20.0f + 5.0f * (float)i, 0.01);
        cn_world_destroy(world);
    }
}

static void it_can_be_switched_off(void **state)
{
    (void)state;
    cn_world *world = free_space();
    place(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), cn_box(0.01f, 5.0f, 5.0f), 0.6f);
    cn_body_id shot = shoot(world, cn_sphere(0.05f), cn_p3(-2.5, 0.0, 0.0), cn_v3(300.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    assert_true(cn_body_get_continuous(world, shot));
    assert_true(cn_body_set_continuous(world, shot, false));
    advance(world, 10);
    assert_true(cn_body_get_center(world, shot).x > 1.0);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes_a_thin_wall),
        cmocka_unit_test(a_light_plate_is_hit_and_carried_along),
        cmocka_unit_test(two_bullets_meet),
        cmocka_unit_test(a_volley_stays_in_order),
        cmocka_unit_test(a_spinning_bar_is_stopped_by_a_post),
        cmocka_unit_test(sliding_over_the_ground_loses_no_time),
        cmocka_unit_test(a_bat_hits_the_ball),
        cmocka_unit_test(it_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
