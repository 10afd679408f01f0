// Joints in special places, on special bodies, and through their life.
#include "joint_rigs.h"

// ---- places and bodies that are special

// The same weight on the same joint, 1000 km away.
static void far_from_the_origin_nothing_changes(void **state)
{
    (void)state;
    double angle[2], error[2];
    for (int k = 0; k < 2; k++) {
        double x = k == 0 ? 0.0 : 1e6;
        cn_world *world = open_mode(CN_JOINTS_AUTO, true);
        cn_body_id a = add_part(world, cn_p3(x + 0.5, 0.0, 0.0), cn_v3(0.5f, 0.1f, 0.1f), 1.0);
        cn_body_id b = add_part(world, cn_p3(x + 1.5, 0.0, 0.0), cn_v3(0.5f, 0.1f, 0.1f), 1.0);
        cn_joint_id first = add_joint(world, cn_hinge_joint(world, the_world, a, cn_p3(x, 0.0, 0.0), z_axis));
        cn_joint_id second = add_joint(world, cn_ball_joint(world, a, b, cn_p3(x + 1.0, 0.0, 0.0)));
        advance(world, 60);
        angle[k] = (double)cn_joint_get_place(world, first, CN_TWIST);
        error[k] = (double)cn_joint_get_error(world, second).linear;
        cn_world_destroy(world);
    }
    assert_near(angle[1], angle[0], 1e-4);
    assert_below(error[1], 1e-4 + 2.0 * error[0]);
}

static void what_hangs_on_a_moving_body_follows(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id carrier = add_part_of(world, CN_KINEMATIC, cn_p3(0.0, 0.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 1.0);
        cn_body_id load = add_part(world, cn_p3(0.0, -1.0, 0.0), cn_v3(0.1f, 0.1f, 0.1f), 5.0);
        cn_joint_id joint = add_joint(world, cn_fixed_joint(world, carrier, load, cn_p3(0.0, 0.0, 0.0)));
        cn_body_set_linear_velocity(world, carrier, cn_v3(0.0f, 2.0f, 0.0f));
        cn_body_set_angular_velocity(world, carrier, cn_v3(0.0f, 0.0f, 1.0f));
        for (int i = 0; i < 120; i++) {
            advance(world, 1);
            assert_below(cn_joint_get_error(world, joint).linear, 2e-3);
        }
        // It goes round at 1 rad/s and 1 m: its weight and what keeps it on its circle.
        cn_pos3 center = cn_body_get_center(world, load), middle = cn_body_get_center(world, carrier);
        double pull_x = -5.0 * (center.x - middle.x), pull_y = 50.0 - 5.0 * (center.y - middle.y);
        assert_relative(force_of(world, joint), hypot(pull_x, pull_y), 0.01);
        cn_world_destroy(world);
    }
}

// A body that may turn about nothing, on a ball joint, is what a slider without an axis is: it cannot move at all.
static void locked_axes_and_joints_agree(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id upright = add_part(world, cn_p3(1.0, 0.0, 0.0), cn_v3(0.3f, 0.2f, 0.2f), 4.0);
        cn_body_set_locks(world, upright, CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y | CN_LOCK_ANGULAR_Z);
        cn_joint_id first = add_joint(world, cn_ball_joint(world, the_world, upright, cn_p3(0.0, 0.0, 0.0)));
        cn_body_id pinned = add_part(world, cn_p3(4.0, 0.0, 0.0), cn_v3(0.3f, 0.2f, 0.2f), 4.0);
        cn_body_set_locks(world, pinned, CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Y | CN_LOCK_LINEAR_Z);
        cn_joint_id second = add_joint(world, cn_ball_joint(world, the_world, pinned, cn_p3(3.0, 0.0, 0.0)));
        advance(world, 120);
        assert_relative(force_of(world, first), 40.0, 1e-3);
        assert_near(cn_body_get_center(world, upright).y, 0.0, 1e-4);
        assert_below(cn_joint_get_error(world, second).linear, 1e-4);
        assert_near(cn_body_get_center(world, pinned).y, 0.0, 1e-6);
        cn_world_destroy(world);
    }
}

// A rod of 2 m and 2 cm that is whirled about its end in free space keeps its energy and its plane: its inertia about its
// length is a ten-thousandth of the others, and turns with it within a step.
static void thin_rods_may_be_whirled(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        for (int k = 0; k < 6; k++) {
            const float speed = 3.0f + 6.0f * (float)(k / 2);
            cn_world *world = open_mode(modes[m], false);
            cn_body_id rod = add_part(world, cn_p3(1.0, 0.0, 0.0), cn_v3(1.0f, 0.01f, 0.01f), 1.0);
            const cn_pos3 end = { 0.0, 0.0, 0.0 };
            cn_joint_id joint = add_joint(world, k % 2 ? cn_ball_joint(world, the_world, rod, end)
                                                       : cn_hinge_joint(world, the_world, rod, end, z_axis));
            set_motion(world, rod, cn_v3(0.0f, speed, 0.0f), cn_v3(0.0f, 0.0f, speed));
            double start = energy_of(world);
            advance(world, 300);
            assert_relative(energy_of(world), start, 0.02);
            assert_below(cn_joint_get_error(world, joint).linear, 0.005);
            assert_below(fabs(cn_body_get_center(world, rod).z), 0.005);
            cn_world_destroy(world);
        }
    }
}

// Anchors in the middle of both bodies have no levers at all.
static void levers_may_be_zero(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        const cn_pos3 at = { 0.0, 0.0, 0.0 };
        cn_body_id a = add_part(world, at, cn_v3(0.2f, 0.2f, 0.2f), 1.0), b = add_part(world, at, cn_v3(0.3f, 0.2f, 0.1f), 3.0);
        cn_joint_id first = add_joint(world, cn_ball_joint(world, the_world, a, at));
        cn_joint_id second = add_joint(world, cn_hinge_joint(world, a, b, at, z_axis));
        set_motion(world, b, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(1.0f, 2.0f, 3.0f));
        for (int i = 0; i < 120; i++) {
            advance(world, 1);
            assert_finite(world, b);
        }
        assert_relative(force_of(world, first), 40.0, 1e-2);
        assert_below(cn_joint_get_error(world, second).linear, 1e-4);
        assert_below(cn_joint_get_error(world, second).angular, 1e-3);
        cn_world_destroy(world);
    }
}

static void two_joints_on_a_pair_share_the_load(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id shelf = add_part(world, cn_p3(0.0, -0.5, 0.0), cn_v3(1.0f, 0.1f, 0.3f), 6.0);
        cn_joint_id left = add_joint(world, cn_ball_joint(world, the_world, shelf, cn_p3(-1.0, 0.0, 0.0)));
        cn_joint_id right = add_joint(world, cn_ball_joint(world, the_world, shelf, cn_p3(1.0, 0.0, 0.0)));
        advance(world, 300);
        assert_near(cn_joint_get_reaction(world, left).force.y, 30.0, 0.1);
        assert_near(cn_joint_get_reaction(world, right).force.y, 30.0, 0.1);
        assert_near(cn_body_get_center(world, shelf).y, -0.5, 1e-3);
        cn_world_destroy(world);
    }
}

// A joint made a metre apart pulls its bodies together. Nothing gains more than the push speed allows, and it comes to rest.
static void what_begins_apart_comes_together(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], false);
        cn_body_id a = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 2.0);
        cn_body_id b = add_part(world, cn_p3(2.0, 0.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 3.0);
        cn_joint_def def = cn_fixed_joint(world, a, b, cn_p3(1.0, 0.0, 0.0));
        def.frame_b.position.y += 1.0; // the frames are now a metre apart
        cn_joint_id joint = add_joint(world, def);
        double most = 0.0;
        for (int i = 0; i < 240; i++) {
            advance(world, 1);
            most = fmax(most, cn_world_get_energy(world).kinetic);
        }
        assert_below(cn_joint_get_error(world, joint).linear, 1e-3);
        assert_below(most, 0.5 * 5.0 * 9.0); // 3 m/s
        assert_below(cn_world_get_energy(world).kinetic, 1e-4);
        cn_world_destroy(world);
    }
}

// ---- life

// A weight that slept on its rope reads the same when it wakes, and does not drop.
static void sleep_does_not_forget_the_load(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    def.gravity = cn_v3(0.0f, -10.0f, 0.0f);
    cn_world *world = open_world(&def);
    cn_body_id a = add_part(world, cn_p3(0.0, -1.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 1.0);
    cn_body_id b = add_part(world, cn_p3(0.0, -2.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 50.0);
    cn_joint_id top = add_joint(world, cn_ball_joint(world, the_world, a, cn_p3(0.0, 0.0, 0.0)));
    cn_joint_id low = add_joint(world, cn_ball_joint(world, a, b, cn_p3(0.0, -1.5, 0.0)));
    for (int i = 0; i < 300 && cn_body_is_awake(world, b); i++)
        advance(world, 1);
    assert_false(cn_body_is_awake(world, a));
    double height = cn_body_get_center(world, b).y;
    advance(world, 60);
    cn_body_set_awake(world, b, true);
    advance(world, 1);
    assert_relative(force_of(world, top), 510.0, 1e-3);
    assert_relative(force_of(world, low), 500.0, 1e-3);
    assert_near(cn_body_get_center(world, b).y, height, 1e-6);
    cn_world_destroy(world);
}

static void a_joint_may_go_in_the_middle_of_a_swing(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id links[4], last = the_world;
        cn_joint_id joints[4];
        for (int i = 0; i < 4; i++) {
            links[i] = add_part(world, cn_p3(0.5 + i, 0.0, 0.0), cn_v3(0.5f, 0.05f, 0.05f), 1.0);
            joints[i] = add_joint(world, cn_ball_joint(world, last, links[i], cn_p3(i, 0.0, 0.0)));
            last = links[i];
        }
        advance(world, 30);
        double before = energy_of(world);
        assert_true(cn_joint_destroy(world, joints[2]));
        for (int i = 0; i < 30; i++) { // the two that are free now fall as they are
            advance(world, 1);
            for (int k = 0; k < 4; k++)
                assert_finite(world, links[k]);
        }
        assert_below(cn_joint_get_error(world, joints[3]).linear, 0.01);
        assert_near(energy_of(world), before, 0.02 * 40.0 * 2.0);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_from_the_origin_nothing_changes),
        cmocka_unit_test(what_hangs_on_a_moving_body_follows),
        cmocka_unit_test(locked_axes_and_joints_agree),
        cmocka_unit_test(thin_rods_may_be_whirled),
        cmocka_unit_test(levers_may_be_zero),
        cmocka_unit_test(two_joints_on_a_pair_share_the_load),
        cmocka_unit_test(what_begins_apart_comes_together),
        cmocka_unit_test(sleep_does_not_forget_the_load),
        cmocka_unit_test(a_joint_may_go_in_the_middle_of_a_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
