// Sleep speeds and largest speeds of single bodies.
#include "scene.h"

#include <string.h>

static double speed_of(cn_world *world, cn_body_id body) { return (double)cn_length(cn_body_get_linear_velocity(world, body)); }

static cn_body_id add_limited(cn_world *world, cn_pos3 place, float linear, float angular)
{
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.3f, 0.2f), 0.5f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, place, &shape);
    assert_true(cn_body_set_max_linear_speed(world, body, linear) && cn_body_set_max_angular_speed(world, body, angular));
    return body;
}

static void a_falling_body_reaches_its_limit_and_no_more(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_body_id limited = add_limited(world, cn_p3(0.0, 0.0, 0.0), 7.0f, 3.0f),
               other = add_limited(world, cn_p3(5.0, 0.0, 0.0), INFINITY, INFINITY);
    set_motion(world, limited, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(10.0f, 1.0f, 5.0f));
    double y = 0.0;
    for (int i = 0; i < 120; i++) {
        advance(world, 1);
        assert_below(speed_of(world, limited), 7.0 * (1.0 + 1e-6));
        assert_below(cn_length(cn_body_get_angular_velocity(world, limited)), 3.0 * (1.0 + 1e-6));
        double now = cn_body_get_center(world, limited).y;
        assert_true(now <= y && y - now < 7.0 / 60.0 * (1.0 + 1e-5));
        y = now;
    }
    assert_near(speed_of(world, limited), 7.0, 1e-4);
    assert_near(speed_of(world, other), 20.0, 1e-3);
    cn_world_destroy(world);
}

static void a_spinning_body_is_slowed_to_its_limit(void **state)
{
    (void)state;
    for (int solver = 0; solver < 2; solver++) {
        cn_world_def def = weightless();
        def.solver = solver == 0 ? "soft_step" : "pgs";
        cn_world *world = open_world(&def);
        cn_shape_def shape = solid_def(cn_sphere(0.5f), 0.5f, 0.0f);
        cn_body_id ball = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape);
        assert_true(cn_body_set_max_angular_speed(world, ball, 2.0f));
        set_motion(world, ball, cn_v3(100.0f, 0.0f, 0.0f), cn_v3(0.0f, 50.0f, 0.0f));
        assert_near(cn_length(cn_body_get_angular_velocity(world, ball)), 50.0, 1e-5);
        advance(world, 1);
        assert_near(cn_length(cn_body_get_angular_velocity(world, ball)), 2.0, 1e-5);
        cn_quat q = cn_body_get_transform(world, ball).rotation;
        assert_near(2.0 * atan2((double)q.y, (double)q.w), 2.0 / 60.0, 1e-5);
        assert_near(speed_of(world, ball), 100.0, 1e-4);
        cn_world_destroy(world);
    }
}

// A body at its limit still rests on the ground, is hit, and stops at walls.
static void limits_hold_in_contact(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.5f, 0.0f);
    cn_shape_def wall = solid_def(cn_box(0.01f, 5.0f, 5.0f), 0.5f, 0.0f), stone = solid_def(cn_sphere(0.5f), 0.5f, 1.0f);
    add_upright(world, CN_STATIC, cn_p3(3.0, 0.0, 0.0), &wall);
    cn_body_id box = add_limited(world, cn_p3(0.0, 0.3, 0.0), 4.0f, 4.0f);
    stone.density = 20000.0f;
    cn_body_id fast = add_upright(world, CN_DYNAMIC, cn_p3(-3.0, 0.6, 0.0), &stone);
    set_motion(world, fast, cn_v3(60.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    double most = 0.0;
    for (int i = 0; i < 240; i++) {
        advance(world, 1);
        most = fmax(most, speed_of(world, box));
        assert_below(speed_of(world, box), 4.0 * (1.0 + 1e-6));
        assert_below(cn_length(cn_body_get_angular_velocity(world, box)), 4.0 * (1.0 + 1e-6));
        assert_below(cn_body_get_center(world, box).x, 3.0);
    }
    assert_near(most, 4.0, 1e-4);
    cn_world_destroy(world);
}

static void kinematic_bodies_are_not_limited(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_body_id body = add_limited(world, cn_p3(0.0, 0.0, 0.0), 1.0f, 1.0f);
    assert_true(cn_body_set_type(world, body, CN_KINEMATIC));
    set_motion(world, body, cn_v3(30.0f, 0.0f, 0.0f), cn_v3(0.0f, 30.0f, 0.0f));
    advance(world, 60);
    assert_near(cn_body_get_center(world, body).x, 30.0, 1e-3);
    cn_world_destroy(world);
}

// A limit that nothing reaches changes no bit.
static void unused_limits_change_nothing(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        add_ground(world, 0.5f, 0.0f);
        for (int i = 0; i < 20; i++)
            add_limited(world, cn_p3(0.1 * (i % 3), 1.0 + 0.7 * i, 0.0), k ? 1e6f : INFINITY, k ? 1e6f : INFINITY);
        advance(world, 120);
        hashes[k] = cn_world_hash(world);
        cn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Boxes that turn slowly on the spot: one that sleeps in spite of it, one with the world's speed, one that never sleeps.
static void each_body_has_its_sleep_speed(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    def.gravity = cn_v3(0.0f, 0.0f, 0.0f);
    cn_world *world = open_world(&def);
    cn_body_id body[4];
    const float speeds[4] = { 0.5f, -1.0f, 0.0f, -1.0f };
    for (int i = 0; i < 4; i++) {
        cn_shape_def shape = solid_def(cn_sphere(0.5f), 0.5f, 0.0f);
        body[i] = add_upright(world, CN_DYNAMIC, cn_p3(5.0 * i, 0.0, 0.0), &shape);
        assert_true(cn_body_set_sleep_speed(world, body[i], speeds[i]));
        assert_true(cn_body_get_sleep_speed(world, body[i]) == speeds[i]);
        if (i < 2)
            set_motion(world, body[i], cn_v3(0.2f, 0.0f, 0.0f), cn_v3(0.0f, 0.1f, 0.0f));
    }
    advance(world, 60);
    assert_false(cn_body_is_awake(world, body[0]));
    assert_true(cn_body_is_awake(world, body[1]));
    assert_true(cn_body_is_awake(world, body[2]));
    assert_false(cn_body_is_awake(world, body[3]));
    assert_true(cn_body_set_sleep_speed(world, body[0], 0.1f));
    assert_true(cn_body_is_awake(world, body[0]));
    cn_world_destroy(world);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL), stale = body;
    assert_true(isinf(cn_body_get_max_linear_speed(world, body)) && isinf(cn_body_get_max_angular_speed(world, body)));
    const float bad[] = { NAN, 0.0f, -1.0f, -INFINITY };
    for (int i = 0; i < 4; i++) {
        assert_false(cn_body_set_max_linear_speed(world, body, bad[i]));
        assert_non_null(strstr(cn_last_error(), "cn_body_set_max_linear_speed: speed is "));
        assert_false(cn_body_set_max_angular_speed(world, body, bad[i]));
        cn_body_def b = cn_body_def_default();
        b.max_angular_speed = bad[i];
        assert_true(CN_IS_NULL(cn_body_create(world, &b)));
        assert_non_null(strstr(cn_last_error(), "def.max_angular_speed"));
    }
    assert_false(cn_body_set_sleep_speed(world, body, NAN));
    assert_false(cn_body_set_sleep_speed(world, body, INFINITY));
    cn_body_def b = cn_body_def_default();
    b.sleep_speed = NAN;
    assert_true(CN_IS_NULL(cn_body_create(world, &b)));
    assert_non_null(strstr(cn_last_error(), "def.sleep_speed"));
    assert_true(cn_body_destroy(world, body));
    assert_false(cn_body_set_sleep_speed(world, stale, 1.0f));
    assert_false(cn_body_set_max_linear_speed(world, stale, 1.0f));
    assert_true(cn_body_get_sleep_speed(world, stale) == 0.0f && cn_body_get_max_linear_speed(NULL, stale) == 0.0f);
    assert_false(cn_body_set_max_angular_speed(NULL, stale, 1.0f));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_falling_body_reaches_its_limit_and_no_more),
        cmocka_unit_test(a_spinning_body_is_slowed_to_its_limit),
        cmocka_unit_test(limits_hold_in_contact),
        cmocka_unit_test(kinematic_bodies_are_not_limited),
        cmocka_unit_test(unused_limits_change_nothing),
        cmocka_unit_test(each_body_has_its_sleep_speed),
        cmocka_unit_test(bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
