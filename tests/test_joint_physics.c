// Joints against closed forms, by sweeps and directly.
#include "joint_rigs.h"

static const double pi = 3.14159265358979323846;

// ---- motion

// A rod of 2 m on a hinge at its end, let go at 1 rad: the period of the elliptic integral.
static void a_pendulum_keeps_time(void **state)
{
    (void)state;
    double a = 1.0, b = cos(0.5);
    for (int i = 0; i < 6; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id rod = add_part(world, cn_p3(0.0, -1.0, 0.0), cn_v3(0.05f, 1.0f, 0.05f), 1.0);
        cn_joint_id hinge = add_joint(world, cn_hinge_joint(world, the_world, rod, cn_p3(0.0, 0.0, 0.0), z_axis));
        double inertia = (double)cn_body_get_mass(world, rod).inertia.zz + 1.0;
        cn_transform raised = { { sin(1.0), -cos(1.0), 0.0 }, turn_about(z_axis, 1.0) };
        cn_body_set_transform(world, rod, raised);
        double start = energy_of(world), before = 1.0, first = 0.0, last = 0.0;
        int count = 0;
        for (int i = 0; i < 1200; i++) {
            advance(world, 1);
            double place = (double)cn_joint_get_place(world, hinge, CN_TWIST);
            if (before > 0.0 && place <= 0.0) {
                last = (i + before / (before - place)) / 60.0;
                first = count++ == 0 ? last : first;
            }
            before = place;
        }
        assert_int_equal(count, 8);
        assert_relative((last - first) / (count - 1), 2.0 * pi * sqrt(inertia / gravity) / a, 2e-4);
        assert_near(energy_of(world), start, 0.01 * gravity * (1.0 - cos(1.0)));
        cn_world_destroy(world);
    }
}

static void springs_have_their_frequency_and_damping(void **state)
{
    (void)state;
    const double ratios[] = { 0.0, 0.1, 0.5, 1.0 }, omega = 4.0 * pi, mass = 2.0;
    for (int k = 0; k < 4; k++) {
        double zeta = ratios[k], damped = omega * sqrt(1.0 - zeta * zeta);
        cn_world *world = open_mode(CN_JOINTS_AUTO, false);
        cn_body_id body = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.5f, 0.5f, 0.5f), mass);
        cn_joint_def def = cn_slider_joint(world, the_world, body, cn_p3(0.0, 0.0, 0.0), x_axis);
        def.axes[CN_X].spring_stiffness = (float)(mass * omega * omega);
        def.axes[CN_X].spring_damping = (float)(2.0 * zeta * omega * mass);
        cn_joint_id slider = add_joint(world, def);
        set_motion(world, body, cn_v3(1.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        for (int i = 1; i <= 120; i++) {
            advance(world, 1);
            double t = i / 60.0, x = exp(-zeta * omega * t) * (damped > 0.0 ? sin(damped * t) / damped : t);
            assert_near(cn_joint_get_place(world, slider, CN_X), x, 0.01 / omega);
        }
        cn_world_destroy(world);
    }
}

static void a_motor_has_its_torque_and_its_speed(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], false);
        cn_body_id bar = add_part(world, cn_p3(1.0, 0.0, 0.0), cn_v3(1.0f, 0.05f, 0.2f), 1.0);
        cn_joint_def def = cn_hinge_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0), z_axis);
        def.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
        def.axes[CN_TWIST].motor_target = 2.0f;
        def.axes[CN_TWIST].motor_max_force = 1.5f;
        cn_joint_id hinge = add_joint(world, def);
        double inertia = (double)cn_body_get_mass(world, bar).inertia.zz + 1.0;
        advance(world, 60);
        assert_relative(cn_joint_get_speed(world, hinge, CN_TWIST), 1.5 / inertia, 1e-3);
        assert_relative(cn_joint_get_reaction(world, hinge).motor_force[CN_TWIST], 1.5, 1e-3);
        advance(world, 180);
        assert_relative(cn_joint_get_speed(world, hinge, CN_TWIST), 2.0, 1e-3);
        assert_below(fabsf(cn_joint_get_reaction(world, hinge).motor_force[CN_TWIST]), 0.01);
        cn_world_destroy(world);
    }
}

static void a_slider_follows_its_slope(void **state)
{
    (void)state;
    const double frictions[] = { 0.0, 6.0, 10.1 }, speeds[] = { 5.0, 2.0, 0.0 }; // 2 kg: pulled by 10 N
    for (int k = 0; k < 3; k++) {
        cn_world *world = open_mode(CN_JOINTS_AUTO, true);
        cn_body_id body = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.5f, 0.5f, 0.5f), 2.0);
        cn_vec3 down = { sqrtf(0.75f), -0.5f, 0.0f };
        cn_joint_def def = cn_slider_joint(world, the_world, body, cn_p3(0.0, 0.0, 0.0), down);
        def.axes[CN_X].friction = (float)frictions[k];
        cn_joint_id slider = add_joint(world, def);
        advance(world, 60);
        assert_near(cn_joint_get_speed(world, slider, CN_X), speeds[k], 1e-3);
        assert_near(cn_joint_get_place(world, slider, CN_X), 0.5 * speeds[k], 0.01);
        cn_world_destroy(world);
    }
}

// ---- couplings

static void gears_racks_and_pulleys_keep_their_ratio(void **state)
{
    (void)state;
    const cn_vec3 half = { 0.3f, 0.3f, 0.1f };
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id a = add_part(world, cn_p3(0.0, 0.0, 0.0), half, 2.0), b = add_part(world, cn_p3(2.0, 0.0, 0.0), half, 8.0);
        cn_body_id rack = add_part(world, cn_p3(4.0, 0.0, 0.0), half, 1.0);
        cn_joint_def def = cn_hinge_joint(world, the_world, a, cn_p3(0.0, 0.0, 0.0), z_axis);
        def.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
        def.axes[CN_TWIST].motor_target = 6.0f;
        def.axes[CN_TWIST].motor_max_force = 100.0f;
        cn_joint_id first = add_joint(world, def);
        cn_joint_id second = add_joint(world, cn_hinge_joint(world, the_world, b, cn_p3(2.0, 0.0, 0.0), z_axis));
        cn_joint_id slider = add_joint(world, cn_slider_joint(world, the_world, rack, cn_p3(4.0, 0.0, 0.0), x_axis));
        add_joint(world, cn_gear_joint(world, a, b, z_axis, z_axis, 2.0f));
        add_joint(world, cn_rack_joint(world, b, rack, z_axis, x_axis, 0.25f));
        advance(world, 1200);
        assert_relative(cn_joint_get_speed(world, first, CN_TWIST), 6.0, 1e-4);
        assert_relative(cn_joint_get_speed(world, second, CN_TWIST), -3.0, 1e-4);
        assert_relative(cn_joint_get_speed(world, slider, CN_X), -0.75, 1e-4);
        double angle = (double)cn_joint_get_place(world, second, CN_TWIST);
        assert_near((double)cn_joint_get_place(world, first, CN_TWIST) + 2.0 * angle, 0.0, 1e-3);
        assert_near((double)cn_joint_get_place(world, slider, CN_X) - 0.25 * angle, 0.0, 1e-3);

        cn_body_id left = add_part(world, cn_p3(-1.0, 0.0, 5.0), half, 3.0),
                   right = add_part(world, cn_p3(1.0, 0.0, 5.0), half, 1.0);
        add_joint(world, cn_pulley_joint(world, left, right, cn_p3(-1.0, 0.0, 5.0), cn_p3(1.0, 0.0, 5.0),
                                         cn_p3(-1.0, 10.0, 5.0), cn_p3(1.0, 10.0, 5.0), 1.0f));
        advance(world, 60);
        assert_near(cn_body_get_linear_velocity(world, left).y, -5.0, 0.005);
        assert_near(cn_body_get_linear_velocity(world, right).y, 5.0, 0.005);
        cn_world_destroy(world);
    }
}

// Three gears that all mesh with each other cannot turn: whatever drives them, nothing bursts.
static void gears_that_block_each_other_stand(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id wheels[3];
        for (int i = 0; i < 3; i++) {
            wheels[i] = add_part(world, cn_p3(i, 0.0, 0.0), cn_v3(0.3f, 0.3f, 0.1f), 1.0);
            cn_joint_def def = cn_hinge_joint(world, the_world, wheels[i], cn_p3(i, 0.0, 0.0), z_axis);
            def.axes[CN_TWIST].motor = i == 0 ? CN_MOTOR_SPEED : CN_MOTOR_OFF;
            def.axes[CN_TWIST].motor_target = 5.0f;
            def.axes[CN_TWIST].motor_max_force = 10.0f;
            add_joint(world, def);
        }
        for (int i = 0; i < 3; i++)
            add_joint(world, cn_gear_joint(world, wheels[i], wheels[(i + 1) % 3], z_axis, z_axis, 1.0f));
        for (int n = 0; n < 300; n++) {
            advance(world, 1);
            for (int i = 0; i < 3; i++) {
                assert_finite(world, wheels[i]);
                assert_below(fabsf(cn_body_get_angular_velocity(world, wheels[i]).z), 0.1);
            }
        }
        cn_world_destroy(world);
    }
}

// ---- what they carry

static void a_beam_carries_itself(void **state)
{
    (void)state;
    enum { BOXES = 10 };
    cn_world *world = open_mode(CN_JOINTS_AUTO, true);
    cn_joint_id joints[BOXES];
    cn_body_id last = the_world;
    for (int i = 0; i < BOXES; i++) {
        cn_body_id box = add_part(world, cn_p3(i + 0.5, 0.0, 0.0), cn_v3(0.5f, 0.1f, 0.1f), 1.0);
        joints[i] = add_joint(world, cn_fixed_joint(world, last, box, cn_p3(i, 0.0, 0.0)));
        last = box;
    }
    advance(world, 180);
    for (int i = 0; i < BOXES; i++) {
        double boxes = BOXES - i;
        assert_relative(force_of(world, joints[i]), gravity * boxes, 1e-3);
        assert_relative(torque_of(world, joints[i]), gravity * boxes * 0.5 * boxes, 1e-3);
    }
    assert_near(cn_body_get_center(world, last).y, 0.0, 1e-4);
    cn_world_destroy(world);
}

// A chain of 10 links hangs a weight of many times theirs: the joints read what is below them, and do not stretch.
static void mass_ratios_do_not_matter(void **state)
{
    (void)state;
    enum { LINKS = 10 };
    const double ratios[] = { 0.01, 1.0, 100.0, 10000.0 };
    for (int k = 0; k < 4; k++) {
        cn_world *world = open_mode(CN_JOINTS_AUTO, true);
        cn_joint_id joints[LINKS + 1];
        cn_body_id last = the_world;
        for (int i = 0; i <= LINKS; i++) {
            double mass = i == LINKS ? ratios[k] : 1.0;
            cn_body_id link = add_part(world, cn_p3(0.0, -0.5 - i, 0.0), cn_v3(0.1f, 0.5f, 0.1f), mass);
            joints[i] = add_joint(world, cn_ball_joint(world, last, link, cn_p3(0.0, -i, 0.0)));
            last = link;
        }
        advance(world, 120);
        for (int i = 0; i <= LINKS; i++)
            assert_relative(force_of(world, joints[i]), gravity * (LINKS - i + ratios[k]), 1e-3);
        assert_near(cn_body_get_center(world, last).y, -0.5 - LINKS, 1e-3);
        cn_world_destroy(world);
    }
}

// Four bars in a plane, each joint a hinge: what holds them in the plane is there more than once, and must not be wound up.
static void a_loop_is_not_wound_up(void **state)
{
    (void)state;
    for (int m = 0; m < MODES; m++) {
        cn_world *world = open_mode(modes[m], true);
        cn_body_id left = add_part(world, cn_p3(0.0, -1.0, 0.0), cn_v3(0.1f, 1.0f, 0.1f), 1.0);
        cn_body_id low = add_part(world, cn_p3(1.0, -2.0, 0.0), cn_v3(1.0f, 0.1f, 0.1f), 1.0);
        cn_body_id right = add_part(world, cn_p3(2.0, -1.0, 0.0), cn_v3(0.1f, 1.0f, 0.1f), 1.0);
        const cn_joint_id joints[4] = {
            add_joint(world, cn_hinge_joint(world, the_world, left, cn_p3(0.0, 0.0, 0.0), z_axis)),
            add_joint(world, cn_hinge_joint(world, left, low, cn_p3(0.0, -2.0, 0.0), z_axis)),
            add_joint(world, cn_hinge_joint(world, low, right, cn_p3(2.0, -2.0, 0.0), z_axis)),
            add_joint(world, cn_hinge_joint(world, right, the_world, cn_p3(2.0, 0.0, 0.0), z_axis)),
        };
        set_motion(world, low, cn_v3(2.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        advance(world, 1);
        double start = energy_of(world);
        for (int i = 0; i < 600; i++) {
            advance(world, 1);
            for (int k = 0; k < 4; k++) {
                assert_below(cn_joint_get_error(world, joints[k]).linear, 1e-3);
                assert_below(fabsf(cn_joint_get_reaction(world, joints[k]).force.z), 0.01 * 3.0 * gravity);
            }
        }
        assert_near(energy_of(world), start, 0.05);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_time),
        cmocka_unit_test(springs_have_their_frequency_and_damping),
        cmocka_unit_test(a_motor_has_its_torque_and_its_speed),
        cmocka_unit_test(a_slider_follows_its_slope),
        cmocka_unit_test(gears_racks_and_pulleys_keep_their_ratio),
        cmocka_unit_test(gears_that_block_each_other_stand),
        cmocka_unit_test(a_beam_carries_itself),
        cmocka_unit_test(mass_ratios_do_not_matter),
        cmocka_unit_test(a_loop_is_not_wound_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
