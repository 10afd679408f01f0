// What pushes a body: contacts and joints, on bodies of every type.
#include "scene.h"

#include <string.h>

static const double g = 10.0;

static cn_shape_def box_of(float half, float mass)
{
    cn_shape_def shape = solid_def(cn_box(half, half, half), 0.6f, 0.0f);
    shape.density = mass / (8.0f * half * half * half);
    return shape;
}

static void assert_push(cn_push push, cn_vec3 force, cn_vec3 torque, double tolerance)
{
    assert_near(push.force.x, force.x, tolerance);
    assert_near(push.force.y, force.y, tolerance);
    assert_near(push.force.z, force.z, tolerance);
    assert_near(push.torque.x, torque.x, tolerance);
    assert_near(push.torque.y, torque.y, tolerance);
    assert_near(push.torque.z, torque.z, tolerance);
}

static void a_box_at_rest_pushes_what_carries_it(void **state)
{
    (void)state;
    for (int type = CN_STATIC; type <= CN_KINEMATIC; type++) {
        for (int model = 0; model < CN_FRICTION_MODEL_COUNT; model++) {
            cn_world_def def = restless();
            def.friction_model = (cn_friction_model)model;
            cn_world *world = open_world(&def);
            cn_shape_def plate = solid_def(cn_box(2.0f, 0.1f, 2.0f), 0.6f, 0.0f), box = box_of(0.25f, 10.0f);
            cn_body_id carrier = add_upright(world, (cn_body_type)type, cn_p3(0.0, -0.1, 0.0), &plate);
            cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(1.0, 0.25, -0.5), &box);
            advance(world, 60);
            // 100 N at (1, 0, -0.5): torque (x, y, z) = r x F = (-50, 0, -100)
            cn_push down = cn_body_get_push(world, carrier), up = cn_body_get_push(world, body);
            assert_push(down, cn_v3(0.0f, -100.0f, 0.0f), cn_v3(-50.0f, 0.0f, -100.0f), 0.1);
            assert_push(up, cn_v3(0.0f, 100.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f), 0.1);
            assert_near(down.pressure, 100.0, 0.1);
            assert_near(up.pressure, 100.0, 0.1);
            cn_world_destroy(world);
        }
    }
}

// Friction holds the box; its weight acts at its centre of mass, so contacts make no torque about that.
static void a_box_on_a_slope_is_pushed_straight_up(void **state)
{
    (void)state;
    for (int model = 0; model < CN_FRICTION_MODEL_COUNT; model++) {
        cn_world_def def = restless();
        def.friction_model = (cn_friction_model)model;
        cn_world *world = open_world(&def);
        cn_quat tilt = turn_about(cn_v3(0.0f, 0.0f, 1.0f), -0.3);
        cn_shape_def slope = solid_def(cn_box(2.0f, 0.1f, 2.0f), 0.6f, 0.0f), box = box_of(0.25f, 10.0f);
        cn_body_id carrier = add_body(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), tilt, &slope);
        cn_vec3 up = cn_rotate(tilt, cn_v3(0.0f, 0.35f, 0.0f));
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_pos_add(cn_p3(0.0, 0.0, 0.0), up), tilt, &box);
        advance(world, 120);
        assert_push(cn_body_get_push(world, body), cn_v3(0.0f, 100.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f), 0.3);
        cn_vec3 arm = cn_pos_sub(cn_body_get_center(world, body), cn_p3(0.0, 0.0, 0.0));
        cn_vec3 torque = cn_cross(arm, cn_v3(0.0f, -100.0f, 0.0f));
        assert_push(cn_body_get_push(world, carrier), cn_v3(0.0f, -100.0f, 0.0f), torque, 0.3);
        cn_world_destroy(world);
    }
}

static void a_squeezed_body_shows_by_its_pressure(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def box = box_of(0.25f, 10.0f);
    add_ground(world, 0.6f, 0.0f);
    cn_body_id low = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.25, 0.0), &box);
    add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.75, 0.0), &box);
    advance(world, 120);
    cn_push push = cn_body_get_push(world, low);
    assert_near(push.force.y, 100.0, 0.2);
    assert_near(push.pressure, 300.0, 0.6); // 200 N from below, 100 N from above
    cn_world_destroy(world);
}

static void a_sleeping_body_keeps_its_push(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_shape_def box = box_of(0.25f, 10.0f);
    cn_body_id ground = add_ground(world, 0.6f, 0.0f), body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.25, 0.0), &box);
    advance(world, 120);
    assert_false(cn_body_is_awake(world, body));
    advance_by(world, 10, 0.5f * tick);
    assert_near(cn_body_get_push(world, ground).force.y, -100.0, 0.5);
    assert_near(cn_body_get_push(world, body).force.y, 100.0, 0.5);
    cn_world_destroy(world);
}

// What contacts do to a body is what changes its momentum, step by step.
static void pushes_change_momentum(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def box = box_of(0.25f, 10.0f);
    add_ground(world, 0.6f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.25, 0.0), &box);
    advance(world, 10);
    set_motion(world, body, cn_v3(2.0f, 0.0f, 1.0f), cn_v3(0.0f, 0.0f, 0.0f));
    for (int i = 0; i < 10; i++) {
        cn_vec3 before = cn_body_get_linear_velocity(world, body);
        advance(world, 1);
        cn_vec3 change = cn_scale(10.0f / tick, cn_sub(cn_body_get_linear_velocity(world, body), before));
        cn_push push = cn_body_get_push(world, body);
        assert_near(push.force.x, change.x, 0.6);
        assert_near(push.force.y - (float)(10.0 * g), change.y, 0.6);
        assert_near(push.force.z, change.z, 0.6);
    }
    cn_world_destroy(world);
}

// ---- joints

static void a_hanging_weight_pulls_at_both_ends_of_its_joint(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def box = box_of(0.25f, 10.0f);
    for (int type = CN_STATIC; type <= CN_KINEMATIC; type++) {
        double z = 5.0 * type;
        cn_body_id beam = add_upright(world, (cn_body_type)type, cn_p3(0.0, 5.0, z), NULL);
        cn_body_id weight = add_upright(world, CN_DYNAMIC, cn_p3(1.0, 4.0, z), &box);
        cn_joint_def joint = cn_ball_joint(world, beam, weight, cn_p3(1.0, 5.0, z));
        assert_false(CN_IS_NULL(cn_joint_create(world, &joint)));
        advance(world, 60);
        assert_push(cn_body_get_push(world, beam), cn_v3(0.0f, -100.0f, 0.0f), cn_v3(0.0f, 0.0f, -100.0f), 0.2);
        assert_push(cn_body_get_push(world, weight), cn_v3(0.0f, 100.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f), 0.2);
        assert_near(cn_body_get_push(world, weight).pressure, 100.0, 0.2);
    }
    cn_world_destroy(world);
}

static void bad_ids_are_refused(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_push push = cn_body_get_push(world, (cn_body_id){ 0 });
    assert_true(push.pressure == 0.0f && cn_length(push.force) == 0.0f);
    assert_non_null(strstr(cn_last_error(), "cn_body_get_push"));
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL);
    assert_true(cn_body_get_push(world, body).pressure == 0.0f); // before the first step
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest_pushes_what_carries_it),
        cmocka_unit_test(a_box_on_a_slope_is_pushed_straight_up),
        cmocka_unit_test(a_squeezed_body_shows_by_its_pressure),
        cmocka_unit_test(a_sleeping_body_keeps_its_push),
        cmocka_unit_test(pushes_change_momentum),
        cmocka_unit_test(a_hanging_weight_pulls_at_both_ends_of_its_joint),
        cmocka_unit_test(bad_ids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
