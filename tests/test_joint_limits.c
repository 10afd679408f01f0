// Limits: every degree of freedom by itself against both ends, hard hits, soft ones, and cones.
#include "joint_rigs.h"

static const float degree = 0.017453292519943295f;

// ---- every degree of freedom

static cn_joint_def limited(cn_body_id a, cn_body_id b, cn_dof dof, float lower, float upper)
{
    cn_joint_def def = cn_joint_def_default();
    def.body_a = a;
    def.body_b = b;
    for (int i = 0; i < CN_DOF_COUNT; i++)
        def.axes[i].freedom = CN_LOCKED;
    def.axes[dof] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = lower, .upper = upper };
    return def;
}

static cn_vec3 axis_of(int dof) { return dof % 3 == 0 ? x_axis : dof % 3 == 1 ? y_axis : z_axis; }

// Pushed to both ends with a steady force or torque: it stops there, the joint reads the push, and goes free when it is pulled
// back.
static void each_stops_at_both_ends(void **state)
{
    (void)state;
    const float lower = -0.3f, upper = 0.5f, push = 20.0f;
    for (int m = 0; m < MODES; m++) {
        for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
            cn_world *world = open_mode(modes[m], false);
            cn_body_id body = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.3f, 0.2f, 0.4f), 2.0);
            cn_joint_id joint = add_joint(world, limited(the_world, body, (cn_dof)dof, lower, upper));
            for (int end = 0; end < 2; end++) {
                cn_vec3 force = cn_scale(end == 0 ? push : -push, axis_of(dof));
                float worst = 0.0f;
                for (int i = 0; i < 120; i++) {
                    assert_true(dof < 3 ? cn_body_apply_force(world, body, force) : cn_body_apply_torque(world, body, force));
                    advance(world, 1);
                    float place = cn_joint_get_place(world, joint, (cn_dof)dof);
                    worst = cn_maxf(worst, cn_maxf(place - upper, lower - place));
                }
                float place = cn_joint_get_place(world, joint, (cn_dof)dof), held = end == 0 ? -push : push;
                assert_below(worst, 0.005);
                assert_near(place, end == 0 ? upper : lower, 1e-3);
                assert_near(cn_joint_get_reaction(world, joint).axis_force[dof], held, 0.01 * (double)push);
                assert_below(cn_joint_get_error(world, joint).linear, 1e-3);
                assert_below(cn_joint_get_error(world, joint).angular, 1e-3);
            }
            cn_world_destroy(world);
        }
    }
}

// A range of one point holds as a lock does.
static void a_range_without_width_is_a_lock(void **state)
{
    (void)state;
    for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
        cn_world *world = open_mode(CN_JOINTS_AUTO, true);
        cn_body_id body = add_part(world, cn_p3(1.0, 0.0, 0.0), cn_v3(0.3f, 0.2f, 0.4f), 2.0);
        cn_joint_def def = limited(the_world, body, (cn_dof)dof, 0.2f, 0.2f);
        def.frame_b.position.x = -1.0;
        cn_joint_id joint = add_joint(world, def);
        advance(world, 180);
        assert_near(cn_joint_get_place(world, joint, (cn_dof)dof), 0.2, 2e-3);
        assert_relative(force_of(world, joint), 20.0, 0.01);
        cn_world_destroy(world);
    }
}

// ---- hits

typedef struct hit {
    double beyond, back; // rad past the limit; rad/s away from it
} hit;

static hit strike(cn_joint_solve how, float speed, float upper, float hertz)
{
    cn_world *world = open_mode(how, false);
    cn_body_id bar = add_part(world, cn_p3(0.5, 0.0, 0.0), cn_v3(0.5f, 0.05f, 0.2f), 1.0);
    cn_joint_def def = cn_hinge_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0), z_axis);
    def.axes[CN_TWIST] =
        (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -1.0f, .upper = upper, .hertz = hertz, .damping_ratio = 1.0f };
    cn_joint_id hinge = add_joint(world, def);
    set_motion(world, bar, cn_v3(0.0f, 0.5f * speed, 0.0f), cn_v3(0.0f, 0.0f, speed));
    hit h = { 0 };
    for (int i = 0; i < 60; i++) {
        advance(world, 1);
        h.beyond = fmax(h.beyond, (double)(cn_joint_get_place(world, hinge, CN_TWIST) - upper));
        h.back = fmax(h.back, (double)-cn_joint_get_speed(world, hinge, CN_TWIST));
        assert_below(cn_joint_get_error(world, hinge).linear, 0.01);
    }
    cn_world_destroy(world);
    return h;
}

static void a_fast_hinge_stops_at_its_limit(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        for (int i = 0; i < 12; i++) {
            hit h = strike(modes[m], 20.0f, 0.3f + 0.03f * (float)i, 0.0f);
            assert_below(h.beyond, 2.0f * degree);
            assert_below(h.back, 0.01 * 20.0);
        }
    }
}

// A soft limit gives way by v / (omega e) when it is damped critically.
static void a_soft_limit_gives_way_as_a_spring_does(void **state)
{
    (void)state;
    const double speed = 2.0;
    for (int k = 0; k < 3; k++) {
        double hertz = 1.0 + 2.0 * k, expected = speed / (6.283185307 * hertz * 2.718281828);
        hit h = strike(CN_JOINTS_AUTO, (float)speed, 0.5f, (float)hertz);
        assert_relative(h.beyond, expected, 0.1);
        assert_below(h.back, 0.5 * speed); // the spring brings it back: e^-2 of the speed, critically damped
    }
}

static void a_rope_catches_what_falls(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id body = add_part(world, cn_p3(0.0, -0.5, 0.0), cn_v3(0.1f, 0.1f, 0.1f), 3.0);
        cn_joint_id rope =
            add_joint(world, cn_rope_joint(world, the_world, body, cn_p3(0.0, 0.0, 0.0), cn_p3(0.0, -0.5, 0.0), 4.0f));
        double lowest = 0.0;
        for (int i = 0; i < 240; i++) {
            advance(world, 1);
            lowest = fmin(lowest, cn_body_get_center(world, body).y);
            if (lowest > -3.9)
                assert_near(force_of(world, rope), 0.0, 1e-4); // slack
        }
        assert_below(-lowest - 4.0, 0.01);
        assert_near(cn_body_get_center(world, body).y, -4.0, 1e-3);
        assert_relative(force_of(world, rope), 30.0, 1e-3);
        cn_world_destroy(world);
    }
}

// ---- cones

// A rod that is pulled sideways in any direction leans on its cone: an ellipse of half angles 0.6 and 0.3.
static void a_cone_holds_all_around(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        double way = 0.785398163 * k;
        cn_world *world = open_mode(CN_JOINTS_AUTO, false);
        cn_body_id rod = add_part(world, cn_p3(1.0, 0.0, 0.0), cn_v3(1.0f, 0.1f, 0.1f), 2.0);
        cn_joint_def def = cn_cone_twist_joint(world, the_world, rod, cn_p3(0.0, 0.0, 0.0), x_axis, 0.6f, 0.2f);
        def.axes[CN_SWING_Z].lower = -0.3f;
        def.axes[CN_SWING_Z].upper = 0.3f;
        cn_joint_id joint = add_joint(world, def);
        double worst = 0.0;
        for (int i = 0; i < 300; i++) {
            cn_body_apply_force(world, rod, cn_v3(0.0f, (float)(5.0 * cos(way)), (float)(5.0 * sin(way))));
            advance(world, 1);
            double y = (double)cn_joint_get_place(world, joint, CN_SWING_Y) / 0.6;
            double z = (double)cn_joint_get_place(world, joint, CN_SWING_Z) / 0.3;
            worst = fmax(worst, hypot(y, z));
            assert_below(fabsf(cn_joint_get_place(world, joint, CN_TWIST)), 0.2f + 3.0f * degree);
        }
        assert_below(worst, 1.05);
        assert_true(worst > 0.99); // it did get there
        assert_below(cn_joint_get_error(world, joint).linear, 1e-3);
        cn_world_destroy(world);
    }
}

// Limits that are passed when the joint is made are restored, without a burst.
static void a_limit_passed_at_first_is_restored(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], false);
        cn_body_id bar = add_part(world, cn_p3(0.5, 0.0, 0.0), cn_v3(0.5f, 0.05f, 0.2f), 1.0);
        cn_joint_def def = cn_hinge_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0), z_axis);
        def.axes[CN_TWIST] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -2.0f, .upper = -1.0f };
        cn_joint_id hinge = add_joint(world, def);
        for (int i = 0; i < 120; i++) {
            advance(world, 1);
            assert_below(cn_joint_get_error(world, hinge).linear, 0.05);
        }
        assert_near(cn_joint_get_place(world, hinge, CN_TWIST), -1.5, 0.51);
        assert_below(fabsf(cn_joint_get_speed(world, hinge, CN_TWIST)), 1.0);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stops_at_both_ends),
        cmocka_unit_test(a_range_without_width_is_a_lock),
        cmocka_unit_test(a_fast_hinge_stops_at_its_limit),
        cmocka_unit_test(a_soft_limit_gives_way_as_a_spring_does),
        cmocka_unit_test(a_rope_catches_what_falls),
        cmocka_unit_test(a_cone_holds_all_around),
        cmocka_unit_test(a_limit_passed_at_first_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
