// The motor and friction about all three axes of a joint, held against closed forms.
#include "joint_rigs.h"

#include <cairn/lab.h>
#include <string.h>

enum { WAYS = 6 };
static const struct way {
    const char *solver;
    cn_joint_solve how;
} ways[WAYS] = { { "soft_step", CN_JOINTS_SWEEP }, { "soft_step", CN_JOINTS_DIRECT }, { "soft_step", CN_JOINTS_AUTO },
                 { "pgs", CN_JOINTS_AUTO },        { "mass_split", CN_JOINTS_AUTO },  { "newton", CN_JOINTS_AUTO } };

static cn_world *open_way(const struct way *way, bool weighs)
{
    cn_world_def def = restless();
    def.gravity = cn_v3(0.0f, weighs ? -10.0f : 0.0f, 0.0f);
    def.joint_solve = way->how;
    def.solver = way->solver;
    return open_world(&def);
}

static cn_body_id add_sphere(cn_world *world, float radius, double mass)
{
    cn_shape_def shape = solid_def(cn_sphere(radius), 0.5f, 0.0f);
    shape.density = (float)(mass / (4.0 / 3.0 * 3.14159265358979 * (double)(radius * radius * radius)));
    return add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape);
}

static double angle_between(cn_quat a, cn_quat b)
{
    cn_quat d = cn_quat_mul(cn_quat_conj(a), b);
    return 2.0 * asin(fmin(1.0, sqrt((double)(d.x * d.x + d.y * d.y + d.z * d.z))));
}

// Speed falls by torque / inertia, and the direction of the spin stays.
static void friction_is_the_same_in_every_direction(void **unused)
{
    (void)unused;
    const cn_vec3 spins[] = { { 0.3f, 0.5f, 0.8f }, { -1.0f, 0.0f, 0.0f }, { 0.0f, 0.7f, -0.7f }, { 0.1f, -1.0f, 0.05f } };
    const double inertia = 0.4 * 2.0 * 0.25, torque = 0.6, start = 9.0;
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < 4; k++) {
            cn_world *world = open_way(&ways[w], false);
            cn_body_id ball = add_sphere(world, 0.5f, 2.0);
            cn_joint_def def = cn_ball_joint(world, the_world, ball, cn_p3(0.0, 0.0, 0.0));
            def.ball.friction = (float)torque;
            cn_joint_id joint = add_joint(world, def);
            cn_vec3 along = cn_normalize(spins[k]);
            cn_body_set_angular_velocity(world, ball, cn_scale((float)start, along));
            for (int i = 1; i <= 200; i++) {
                cn_world_step(world, 1.0f / 60.0f);
                double expected = fmax(0.0, start - torque / inertia * i / 60.0);
                cn_vec3 v = cn_body_get_angular_velocity(world, ball);
                assert_near(cn_dot(v, along), expected, 2e-3 * start);
                assert_true(cn_length(cn_cross(v, along)) < 2e-3f * (float)start);
                if (expected > 0.2)
                    assert_relative(torque_of(world, joint), torque, 1e-3);
            }
            assert_near(cn_length(cn_body_get_angular_velocity(world, ball)), 0.0, 1e-4);
            cn_world_destroy(world);
        }
}

// A bar whose weight turns it about its end hangs still while friction can hold it, and falls where it cannot, whichever way it
// points.
static void friction_holds_what_it_can(void **unused)
{
    (void)unused;
    const double load = 3.0 * 10.0 * 0.5;
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < 4; k++) {
            cn_world *world = open_way(&ways[w], true);
            cn_quat turn = turn_about(y_axis, 0.4 + 0.7 * k);
            cn_vec3 arm = cn_rotate(turn, cn_v3(0.5f, 0.0f, 0.0f));
            cn_shape_def shape = solid_def(cn_box(0.5f, 0.05f, 0.05f), 0.5f, 0.0f);
            shape.density = 3.0f / (8.0f * 0.5f * 0.05f * 0.05f);
            cn_body_id bar = add_body(world, CN_DYNAMIC, cn_p3((double)arm.x, 0.0, (double)arm.z), turn, &shape);
            cn_joint_def def = cn_ball_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0));
            def.ball.friction = (float)(k < 2 ? 1.05 * load : 0.9 * load);
            cn_joint_id joint = add_joint(world, def);
            for (int i = 0; i < 120; i++)
                cn_world_step(world, 1.0f / 60.0f);
            double height = cn_body_get_center(world, bar).y;
            if (k < 2) {
                assert_true(fabs(height) < 2e-4);
                assert_relative(torque_of(world, joint), load, 0.01);
            } else {
                assert_true(height < -0.1);
            }
            cn_world_destroy(world);
        }
}

// At damping ratio 1 the angle follows a (1 + w t) exp(-w t), about one axis, and never passes its end.
static void a_motor_goes_the_shortest_way(void **unused)
{
    (void)unused;
    const double omega = 2.0 * 3.14159265358979 * 1.5;
    for (int w = 0; w < WAYS; w++) {
        cn_world *world = open_way(&ways[w], false);
        cn_body_id ball = add_sphere(world, 0.5f, 2.0);
        cn_vec3 axis = cn_normalize(cn_v3(0.3f, -0.8f, 0.5f));
        cn_quat target = turn_about(axis, 2.0);
        cn_joint_def def = cn_ball_joint(world, the_world, ball, cn_p3(0.0, 0.0, 0.0));
        def.ball.motor_hertz = 1.5f;
        cn_joint_id joint = add_joint(world, def);
        assert_true(cn_joint_set_target_rotation(world, joint, target));
        for (int i = 1; i <= 180; i++) {
            cn_world_step(world, 1.0f / 60.0f);
            cn_quat now = cn_joint_get_rotation(world, joint);
            double t = i / 60.0, left = 2.0 * (1.0 + omega * t) * exp(-omega * t);
            assert_near(angle_between(now, target), left, w < 3 ? 0.04 : 0.16); // the others take one substep per step
            cn_vec3 part = { now.x, now.y, now.z };
            assert_true(cn_length(cn_cross(part, axis)) < 2e-3f);
            assert_true(2.0 * (double)asinf(fminf(1.0f, cn_dot(part, axis))) < 2.002);
        }
        assert_true(angle_between(cn_joint_get_rotation(world, joint), target) < 1e-3);
        cn_world_destroy(world);
    }
}

// At its defaults it holds on the torque of statics; with a frequency it gives way by torque over stiffness.
static void a_motor_holds_a_load(void **unused)
{
    (void)unused;
    const double mass = 3.0, load = mass * 10.0 * 0.5, hertz = 3.0, omega = 2.0 * 3.14159265358979 * hertz;
    const double inertia = mass / 3.0 * (0.25 + 0.0025) + mass * 0.25;
    for (int w = 0; w < WAYS; w++)
        for (int soft = 0; soft < 2; soft++) {
            cn_world *world = open_way(&ways[w], true);
            cn_body_id bar = add_part(world, cn_p3(0.5, 0.0, 0.0), cn_v3(0.5f, 0.05f, 0.05f), mass);
            cn_joint_def def = cn_ball_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0));
            def.ball.motor = CN_MOTOR_PLACE;
            def.ball.motor_hertz = soft ? (float)hertz : 0.0f;
            cn_joint_id joint = add_joint(world, def);
            for (int i = 0; i < 300; i++)
                cn_world_step(world, 1.0f / 60.0f);
            double error = angle_between(cn_joint_get_rotation(world, joint), cn_quat_identity());
            double expected = soft ? load / (inertia * omega * omega) : 0.0;
            assert_near(error, expected, soft ? 0.03 * expected : 1e-4);
            assert_relative(cn_length(cn_joint_get_reaction(world, joint).motor_torque), load * cos(expected), 0.01);
            assert_true(cn_world_get_energy(world).kinetic < 1e-8 * mass);
            cn_world_destroy(world);
        }
}

// Targets are in frame a, and a bound holds in every direction: w = torque / inertia * t until the target is reached.
static void a_bounded_motor_speeds_up_alike(void **unused)
{
    (void)unused;
    const cn_vec3 targets[] = { { 3.0f, 0.0f, 0.0f }, { 1.0f, -2.0f, 2.0f }, { -1.7f, -1.7f, 1.8f } };
    const double inertia = 0.4 * 2.0 * 0.25, torque = 0.4;
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < 3; k++) {
            cn_world *world = open_way(&ways[w], false);
            cn_body_id ball = add_sphere(world, 0.5f, 2.0);
            cn_joint_def def = cn_ball_joint(world, the_world, ball, cn_p3(0.0, 0.0, 0.0));
            cn_quat frame = turn_about(cn_normalize(cn_v3(1.0f, 2.0f, -1.0f)), 1.1);
            def.frame_a.rotation = def.frame_b.rotation = frame;
            def.ball.motor_max_torque = (float)torque;
            cn_joint_id joint = add_joint(world, def);
            assert_true(cn_joint_set_target_velocity(world, joint, targets[k]));
            cn_vec3 wanted = cn_rotate(frame, targets[k]);
            double length = (double)cn_length(wanted);
            for (int i = 1; i <= 120; i++) {
                cn_world_step(world, 1.0f / 60.0f);
                double speed = fmin(length, torque / inertia * i / 60.0);
                cn_vec3 v = cn_body_get_angular_velocity(world, ball);
                assert_near(cn_length(cn_sub(v, cn_scale((float)(speed / length), wanted))), 0.0, 2e-3 * length);
            }
            cn_world_destroy(world);
        }
}

// Links in a row, each held by a motor about all three axes, or by three about one each. Springs that no substep can follow
// hold as well as what is rigid.
static void assert_row_holds(int links, float hertz, bool ball, cn_joint_solve how)
{
    cn_world *world = open_mode(how, true);
    cn_body_id last = the_world;
    cn_joint_id first = { 0 };
    for (int i = 0; i < links; i++) {
        cn_body_id link = add_part(world, cn_p3(0.3 * (i + 0.5), 0.0, 0.0), cn_v3(0.15f, 0.04f, 0.04f), 2.0);
        cn_joint_def def = cn_ball_joint(world, last, link, cn_p3(0.3 * i, 0.0, 0.0));
        def.ball.motor = ball ? CN_MOTOR_PLACE : CN_MOTOR_OFF;
        def.ball.motor_hertz = hertz;
        for (int dof = CN_TWIST; dof <= CN_SWING_Z && !ball; dof++) {
            def.axes[dof].motor = CN_MOTOR_PLACE;
            def.axes[dof].motor_hertz = hertz;
        }
        cn_joint_id joint = add_joint(world, def);
        first = i == 0 ? joint : first;
        last = link;
    }
    for (int i = 0; i < 200; i++)
        assert_true(cn_world_step(world, 1.0f / 60.0f).ok);
    assert_relative(torque_of(world, first), 2.0 * 10.0 * 0.3 * 0.5 * links * links, 0.01);
    assert_true(cn_world_get_energy(world).kinetic < 1e-8 * 2.0 * links);
    cn_world_destroy(world);
}

static void motors_hold_a_row_of_links(void **unused)
{
    (void)unused;
    const float hertz[] = { 0.0f, 200.0f, 1e6f };
    for (int i = 0; i < 3; i++) {
        assert_row_holds(8, hertz[i], true, CN_JOINTS_AUTO);
        assert_row_holds(6, hertz[i], true, CN_JOINTS_DIRECT);
        assert_row_holds(3, hertz[i], true, CN_JOINTS_SWEEP);
        assert_row_holds(6, hertz[i], false, CN_JOINTS_AUTO);
    }
}

// A thin bar that turns about a point off its middle, seen in other axes: friction is against the spin, and nothing else
// changes.
static void turning_the_world_changes_nothing(void **unused)
{
    (void)unused;
    cn_vec3 results[3];
    for (int k = 0; k < 3; k++) {
        cn_quat turn = turn_about(cn_normalize(cn_v3(1.0f, -2.0f, 0.5f)), 1.3 * k);
        cn_world *world = open_mode(CN_JOINTS_AUTO, false);
        cn_shape_def shape = solid_def(cn_box(0.5f, 0.1f, 0.05f), 0.5f, 0.0f);
        cn_vec3 at = cn_rotate(turn, cn_v3(0.3f, 0.0f, 0.0f));
        cn_body_id bar = add_body(world, CN_DYNAMIC, cn_p3((double)at.x, (double)at.y, (double)at.z), turn, &shape);
        cn_joint_def def = cn_ball_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0));
        def.ball.friction = 2.0f;
        cn_joint_id joint = add_joint(world, def);
        cn_vec3 spin = cn_rotate(turn, cn_v3(1.0f, 3.0f, 2.0f));
        cn_body_set_angular_velocity(world, bar, spin);
        cn_body_set_linear_velocity(world, bar, cn_cross(spin, at));
        for (int i = 0; i < 60; i++) {
            cn_world_step(world, 1.0f / 60.0f);
            cn_vec3 w = cn_body_get_angular_velocity(world, bar), torque = cn_joint_get_reaction(world, joint).torque;
            if (cn_length(w) > 0.5f)
                assert_true(cn_dot(w, torque) < -0.999f * cn_length(w) * cn_length(torque));
        }
        results[k] = cn_unrotate(turn, cn_body_get_angular_velocity(world, bar));
        assert_true(cn_length(cn_sub(results[k], results[0])) < 2e-3f * cn_length(spin));
        cn_world_destroy(world);
    }
}

// Every solver stops a spin within the bound, and none gains.
static void every_solver_obeys_the_bound(void **unused)
{
    (void)unused;
    const char *name;
    for (int i = 0; (name = cn_solver_name(i)) != NULL; i++) {
        cn_world *world = open_way(&(struct way){ name, CN_JOINTS_AUTO }, false);
        cn_body_id ball = add_sphere(world, 0.5f, 2.0);
        cn_joint_def def = cn_ball_joint(world, the_world, ball, cn_p3(0.0, 0.0, 0.0));
        def.ball.friction = 0.6f;
        cn_joint_id joint = add_joint(world, def);
        cn_vec3 spin = cn_scale(6.0f, cn_normalize(cn_v3(0.3f, 0.5f, 0.8f)));
        cn_body_set_angular_velocity(world, ball, spin);
        for (int k = 0; k < 60; k++) {
            cn_world_step(world, 1.0f / 60.0f);
            assert_true(torque_of(world, joint) < 0.6001);
        }
        cn_vec3 expected = cn_scale(0.5f, spin), v = cn_body_get_angular_velocity(world, ball);
        if (cn_length(cn_sub(v, expected)) > 0.02f * 6.0f)
            fail_msg("%s: (%g, %g, %g) instead of (%g, %g, %g) rad/s", name, (double)v.x, (double)v.y, (double)v.z,
                     (double)expected.x, (double)expected.y, (double)expected.z);
        cn_world_destroy(world);
    }
}

// It sleeps where it is held, and a new target wakes it; limits hold against the motor; a world with a tolerance holds alike.
static void what_is_held_sleeps(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        cn_world_def settings = cn_world_def_default();
        settings.tolerance = k == 0 ? 0.0f : 1e-4f;
        cn_world *world = open_world(&settings);
        cn_body_id bar = add_part(world, cn_p3(0.5, 0.0, 0.0), cn_v3(0.5f, 0.05f, 0.05f), 3.0);
        cn_joint_def def = cn_cone_twist_joint(world, the_world, bar, cn_p3(0.0, 0.0, 0.0), x_axis, 0.5f, 0.3f);
        def.ball.friction = 30.0f;
        cn_joint_id joint = add_joint(world, def);
        for (int i = 0; i < 120; i++)
            cn_world_step(world, 1.0f / 60.0f);
        assert_false(cn_body_is_awake(world, bar));
        assert_true(angle_between(cn_joint_get_rotation(world, joint), cn_quat_identity()) < 1e-3);
        def.ball.friction = 0.0f;
        def.ball.motor_max_torque = 100.0f;
        assert_true(cn_joint_set_ball(world, joint, &def.ball));
        assert_true(cn_joint_set_target_rotation(world, joint, turn_about(y_axis, 1.2)));
        assert_true(cn_body_is_awake(world, bar));
        for (int i = 0; i < 120; i++)
            cn_world_step(world, 1.0f / 60.0f);
        assert_near(cn_joint_get_place(world, joint, CN_SWING_Y), 0.5, 0.01); // the limit
        assert_near(cn_joint_get_place(world, joint, CN_SWING_Z), 0.0, 0.1);
        cn_world_destroy(world);
    }
}

static void expect_refusal(cn_world *world, const cn_joint_def *def, const char *words)
{
    assert_true(CN_IS_NULL(cn_joint_create(world, def)));
    if (strstr(cn_last_error(), words) == NULL)
        fail_msg("\"%s\" is not about \"%s\"", cn_last_error(), words);
}

static void what_cannot_be_is_refused(void **unused)
{
    (void)unused;
    cn_world *world = open_mode(CN_JOINTS_AUTO, false);
    cn_body_id ball = add_sphere(world, 0.5f, 2.0);
    cn_joint_def good = cn_ball_joint(world, the_world, ball, cn_p3(0.0, 0.0, 0.0)), bad = good;
    bad.ball.friction = -1.0f;
    expect_refusal(world, &bad, "def.ball.friction is -1");
    bad = good;
    bad.ball.motor_rotation.w = 2.0f;
    expect_refusal(world, &bad, "def.ball.motor_rotation");
    bad = good;
    bad.ball.motor_velocity.y = NAN;
    expect_refusal(world, &bad, "def.ball.motor_velocity.y");
    bad = cn_hinge_joint(world, the_world, ball, cn_p3(0.0, 0.0, 0.0), x_axis);
    bad.ball.friction = 1.0f;
    expect_refusal(world, &bad, "CN_SWING_Y is locked");
    good.ball.friction = 1.0f;
    cn_joint_id joint = add_joint(world, good);
    cn_joint_axis axis = good.axes[CN_TWIST];
    axis.freedom = CN_LOCKED;
    assert_false(cn_joint_set_axis(world, joint, CN_TWIST, &axis));
    assert_non_null(strstr(cn_last_error(), "CN_TWIST is locked"));
    assert_false(cn_joint_set_target_rotation(world, joint, (cn_quat){ 0.0f, 0.0f, 0.0f, 0.0f }));
    assert_non_null(strstr(cn_last_error(), "ball.motor_rotation"));
    cn_joint_ball none = cn_joint_def_default().ball;
    assert_true(cn_joint_set_ball(world, joint, &none));
    assert_true(cn_joint_set_axis(world, joint, CN_TWIST, &axis));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_the_same_in_every_direction),
        cmocka_unit_test(friction_holds_what_it_can),
        cmocka_unit_test(a_motor_goes_the_shortest_way),
        cmocka_unit_test(a_motor_holds_a_load),
        cmocka_unit_test(a_bounded_motor_speeds_up_alike),
        cmocka_unit_test(motors_hold_a_row_of_links),
        cmocka_unit_test(turning_the_world_changes_nothing),
        cmocka_unit_test(every_solver_obeys_the_bound),
        cmocka_unit_test(what_is_held_sleeps),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
