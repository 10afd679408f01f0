// The geometry of joints: places, gradients against finite differences in double, turns that are followed.
#include "joint_scene.h"

// ---- arctangent

static void arctangent_is_that_of_libm(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200000; i++) {
        double y = uniform(), x = uniform();
        if (i % 3 == 0)
            y *= 1e-6;
        if (i % 5 == 0)
            x *= 1e-9;
        assert_near(cn_atan2(y, x), atan2(y, x), 1e-15);
    }
    assert_near(cn_atan2(0.0, 1.0), 0.0, 0.0);
    assert_near(cn_atan2(0.0, -2.0), pi, 1e-15);
    assert_near(cn_atan2(-3.0, 0.0), -0.5 * pi, 1e-15);
    assert_near(cn_atan2(1e-300, 1e-300), 0.25 * pi, 1e-15);
    assert_near(cn_atan2(0.0, 0.0), 0.0, 0.0);
    assert_near(cn_atan2((double)NAN, 1.0), 0.0, 0.0);
    assert_near(cn_atan2(1.0, (double)NAN), 0.0, 0.0);
    assert_near(cn_atan2((double)INFINITY, (double)INFINITY), 0.0, 0.0);
}

// ---- rotations

static void check_turn_axes(const pair *p, double tolerance)
{
    dquat q = b_in_a(p);
    double size = 1.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs((double)p->joint->view.turn_axes[i][k]));
    for (int axis = 0; axis < 3; axis++) {
        const double h = 1e-6;
        double before[3], after[3];
        reference_turn(turned(q, axis, -h), before);
        reference_turn(turned(q, axis, h), after);
        for (int i = 0; i < 3; i++)
            assert_near(p->joint->view.turn_axes[i][axis], wrapped(after[i] - before[i]) / (2.0 * h), tolerance * size);
    }
}

static void turn_axes_are_the_gradients_of_the_rotations(void **unused)
{
    (void)unused;
    pair p = open_pair(cn_joint_def_default());
    for (int i = 0; i < 3000; i++) {
        double phi = fabs(uniform()) * 170.0 / 180.0 * pi;
        if (i % 4 == 0)
            phi *= 1e-3;
        double direction = pi * uniform(), twist = 0.99 * pi * uniform();
        put_turned(&p, random_rotation(), swung(phi, direction, twist));
        cn_joint_update_view(p.world, p.joint);
        double expected[3];
        reference_turn(b_in_a(&p), expected);
        for (int k = 0; k < 3; k++)
            assert_near(p.joint->view.place[1][k], expected[k], 3e-6);
        check_turn_axes(&p, 1e-4);
        cn_vec3 now = cn_joint_turn(p.world, p.joint);
        assert_near(now.x, p.joint->view.place[1][0], 0.0);
        assert_near(now.z, p.joint->view.place[1][2], 0.0);
    }
    cn_world_destroy(p.world);
}

static void turn_axes_are_the_unit_axes_without_swing(void **unused)
{
    (void)unused;
    pair p = open_pair(cn_joint_def_default());
    put_turned(&p, cn_quat_identity(), turn_about(cn_v3(1.0f, 0.0f, 0.0f), 2.0));
    cn_joint_update_view(p.world, p.joint);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_near(p.joint->view.turn_axes[i][k], i == k ? 1.0 : 0.0, 1e-7);
    assert_near(p.joint->view.place[1][0], 2.0, 1e-6);
    cn_world_destroy(p.world);
}

static void turn_axes_stay_finite_at_180_degrees(void **unused)
{
    (void)unused;
    pair p = open_pair(cn_joint_def_default());
    for (int i = 0; i < 1000; i++) {
        double off = i % 2 == 0 ? 0.0 : 1e-3 * uniform();
        put_turned(&p, random_rotation(), swung(pi + off, pi * uniform(), pi * uniform()));
        cn_joint_update_view(p.world, p.joint);
        for (int k = 0; k < 3; k++) {
            assert_below(fabs((double)p.joint->view.place[1][k]), 3.1416);
            for (int m = 0; m < 3; m++)
                assert_below(fabs((double)p.joint->view.turn_axes[k][m]), 100.0);
        }
        assert_near(hypot((double)p.joint->view.place[1][1], (double)p.joint->view.place[1][2]), pi, 2e-3);
    }
    put_turned(&p, cn_quat_identity(), (cn_quat){ 0.0f, 0.6f, 0.8f, 0.0f }); // exactly
    cn_joint_update_view(p.world, p.joint);
    assert_near(p.joint->view.place[1][1], 0.6 * pi, 1e-6);
    assert_near(p.joint->view.place[1][2], 0.8 * pi, 1e-6);
    cn_world_destroy(p.world);
}

static void twist_is_followed_over_turns(void **unused)
{
    (void)unused;
    pair p = open_pair(cn_joint_def_default());
    for (int i = 0; i <= 400; i++) {
        double angle = -0.1 * i;
        cn_quat a = random_rotation();
        move_to(p.world, p.a, cn_p3(0.0, 0.0, 0.0), a);
        move_to(p.world, p.b, cn_p3(1.0, 0.0, 0.0),
                cn_quat_normalize(cn_quat_mul(a, turn_about(cn_v3(1.0f, 0.0f, 0.0f), angle))));
        cn_joint_update_view(p.world, p.joint);
        assert_near(p.joint->view.place[1][0], angle, 3e-6);
    }
    cn_world_destroy(p.world);
}

// Faster than half a turn in a step: the rate tells which way it went.
static void fast_turns_are_followed(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    cn_world *world = open_world(&settings);
    cn_body_id b = add_ball(world, cn_p3(0.0, 0.0, 0.0), cn_quat_identity());
    cn_vec3 axis = cn_v3(0.0f, 0.6f, 0.8f);
    cn_joint_def def = cn_hinge_joint(world, (cn_body_id){ 0 }, b, cn_p3(0.0, 0.0, 0.0), axis);
    cn_joint_id hinge_id = cn_joint_create(world, &def);
    def = cn_gear_joint(world, (cn_body_id){ 0 }, b, axis, axis, 1.0f);
    cn_joint *gear = joint_of(world, cn_joint_create(world, &def));
    cn_joint *hinge = joint_of(world, hinge_id); // the array has grown
    const double speeds[3] = { 300.0, -1000.0, 0.0 };
    double angle = 0.0;
    for (int i = 0; i < 90; i++) {
        double speed = speeds[i / 30];
        set_motion(world, b, cn_v3(0.0f, 0.0f, 0.0f), cn_scale((float)speed, axis));
        if (i == 0) { // no time has passed yet
            cn_joint_update_view(world, hinge);
            assert_near(hinge->turns[0], 0.0, 1e-6);
        }
        angle += speed * (double)tick;
        world->bodies.data[b.index1 - 1].rotation = turn_about(axis, angle);
        world->step_count++;
        world->last_dt = tick;
        assert_near(cn_joint_place(world, hinge, CN_TWIST), angle, 1e-4);
        cn_joint_update_view(world, hinge);
        cn_joint_update_view(world, gear);
        assert_near(hinge->turns[0], angle, 2e-6);
        assert_near(gear->turns[1], angle, 2e-6);
    }
    cn_world_destroy(world);
}

// ---- ways

static void ways_are_measured_in_frame_a_far_from_the_origin(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    for (int i = 0; i < 50; i++) {
        cn_world *world = open_world(&settings);
        cn_pos3 far = cn_p3(1e7, -2e7, 3e7);
        cn_body_id a = add_lopsided(world, CN_DYNAMIC, far, random_rotation());
        cn_body_id b = add_lopsided(world, CN_DYNAMIC, cn_pos_add(far, random_point()), random_rotation());
        cn_joint_def def = cn_joint_def_default();
        def.body_a = a, def.body_b = b;
        def.frame_a = random_frame(), def.frame_b = random_frame();
        cn_joint *joint = joint_of(world, cn_joint_create(world, &def));
        cn_joint_update_view(world, joint);
        cn_transform ta = cn_body_get_transform(world, a), tb = cn_body_get_transform(world, b);
        cn_vec3 in_a = cn_v3((float)def.frame_a.position.x, (float)def.frame_a.position.y, (float)def.frame_a.position.z);
        cn_vec3 in_b = cn_v3((float)def.frame_b.position.x, (float)def.frame_b.position.y, (float)def.frame_b.position.z);
        cn_vec3 gap =
            cn_add(cn_pos_sub(tb.position, ta.position), cn_sub(cn_rotate(tb.rotation, in_b), cn_rotate(ta.rotation, in_a)));
        cn_vec3 p = cn_unrotate(cn_quat_mul(ta.rotation, joint->def.frame_a.rotation), gap);
        const float *place = joint->view.place[0];
        assert_near(place[0], p.x, 1e-6);
        assert_near(place[1], p.y, 1e-6);
        assert_near(place[2], p.z, 1e-6);
        // the arms are seen from the centres of mass
        cn_vec3 arm = cn_sub(cn_rotate(ta.rotation, in_a), cn_pos_sub(cn_body_get_center(world, a), ta.position));
        assert_near(joint->view.arm_a[0], arm.x, 1e-6);
        assert_near(joint->view.arm_a[2], arm.z, 1e-6);
        cn_world_destroy(world);
    }
}

static void arms_are_zero_where_nothing_moves(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    cn_world *world = open_world(&settings);
    cn_body_id b = add_lopsided(world, CN_DYNAMIC, cn_p3(2.0, 0.0, 0.0), cn_quat_identity());
    const cn_body_type types[2] = { CN_STATIC, CN_KINEMATIC };
    for (int i = 0; i < 2; i++) {
        cn_body_id a = add_lopsided(world, types[i], cn_p3(0.0, 0.0, 0.0), cn_quat_identity());
        cn_joint_def def = cn_ball_joint(world, a, b, cn_p3(1.0, 0.5, 0.0));
        cn_joint *joint = joint_of(world, cn_joint_create(world, &def));
        cn_joint_update_view(world, joint);
        // a static body has its centre at its origin, and its arm does not matter
        assert_near(cn_length(cn_v3(joint->view.arm_a[0], joint->view.arm_a[1], joint->view.arm_a[2])) > 0.5f, i, 0.0);
        assert_near(joint->view.gap[0], 0.0, 1e-6);
        assert_near(joint->view.place[0][1], 0.0, 1e-6);
        assert_int_equal(joint->view.joint_class, CN_CLASS_BALL);
        assert_int_equal(joint->view.locked, 7);
    }
    cn_world_destroy(world);
}

static void distances_aim_along_the_gap(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    cn_world *world = open_world(&settings);
    cn_body_id b = add_ball(world, cn_p3(3.0, 4.0, 0.0), cn_quat_identity());
    cn_joint_def def = cn_distance_joint(world, (cn_body_id){ 0 }, b, cn_p3(0.0, 0.0, 0.0), cn_p3(3.0, 4.0, 0.0));
    cn_joint *joint = joint_of(world, cn_joint_create(world, &def));
    move_to(world, b, cn_p3(0.0, 0.0, 5.5), cn_quat_identity());
    cn_joint_update_view(world, joint);
    assert_true(joint->view.aims);
    assert_int_equal(joint->view.locked, 1);
    assert_int_equal(joint->view.joint_class, CN_CLASS_GENERAL);
    assert_near(joint->view.axes[0][2], 1.0, 1e-7);
    assert_near(joint->view.place[0][0], 0.5, 1e-7);
    assert_near(cn_joint_place(world, joint, CN_X), 5.5, 1e-7);
    move_to(world, b, cn_p3(0.0, 0.0, 0.0), cn_quat_identity()); // no direction
    cn_joint_update_view(world, joint);
    assert_near(joint->view.axes[0][0], 1.0, 1e-7);
    assert_near(joint->view.place[0][0], -5.0, 1e-7);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arctangent_is_that_of_libm),
        cmocka_unit_test(turn_axes_are_the_gradients_of_the_rotations),
        cmocka_unit_test(turn_axes_are_the_unit_axes_without_swing),
        cmocka_unit_test(turn_axes_stay_finite_at_180_degrees),
        cmocka_unit_test(twist_is_followed_over_turns),
        cmocka_unit_test(fast_turns_are_followed),
        cmocka_unit_test(ways_are_measured_in_frame_a_far_from_the_origin),
        cmocka_unit_test(arms_are_zero_where_nothing_moves),
        cmocka_unit_test(distances_aim_along_the_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
