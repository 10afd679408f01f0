// Motors at their defaults whose place is set anew in every step, as a robot's controller does: the joint is there, moves as
// fast as its place does, the torque is that of inverse dynamics, and what the hand holds stays in it.
#include "scene.h"

static const cn_body_id the_world = { 0 };
static const cn_joint_solve ways[] = { CN_JOINTS_AUTO, CN_JOINTS_SWEEP, CN_JOINTS_DIRECT };

static cn_joint_id make_joint(cn_world *world, const cn_joint_def *def)
{
    cn_joint_id joint = cn_joint_create(world, def);
    if (CN_IS_NULL(joint))
        fail_msg("%s", cn_last_error());
    return joint;
}

// An arm upright on the origin, links of 0.3 m on hinges; the first may turn about the vertical.
static cn_body_id add_arm(cn_world *world, int links, bool turret, cn_joint_id *joints)
{
    cn_shape_def link = solid_def(cn_box(0.04f, 0.15f, 0.04f), 0.8f, 0.0f);
    link.density = 2000.0f;
    link.filter.group = -1;
    cn_body_id last = the_world;
    for (int i = 0; i < links; i++) {
        cn_vec3 axis = turret && i == 0 ? cn_v3(0.0f, 1.0f, 0.0f) : cn_v3(0.0f, 0.0f, 1.0f);
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.15 + 0.3 * i, 0.0), &link);
        cn_joint_def def = cn_hinge_joint(world, last, body, cn_p3(0.0, 0.3 * i, 0.0), axis);
        def.axes[CN_TWIST].motor = CN_MOTOR_PLACE;
        joints[i] = make_joint(world, &def);
        last = body;
    }
    return last;
}

static void aim(cn_world *world, cn_joint_id joint, double target)
{
    assert_true(cn_joint_set_motor(world, joint, CN_TWIST, CN_MOTOR_PLACE, (float)target, INFINITY));
}

// Torque of one link at its pivot, against inverse dynamics.
static void one_link_gets_the_torque_of_its_motion(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        cn_world_def def = restless();
        def.joint_solve = ways[way];
        cn_world *world = open_world(&def);
        cn_joint_id joint;
        cn_body_id link = add_arm(world, 1, false, &joint);
        cn_mass mass = cn_body_get_mass(world, link);
        double inertia = (double)mass.inertia.zz + (double)mass.mass * 0.15 * 0.15, g = -(double)def.gravity.y;
        double most_error = 0.0, most_rate = 0.0, most_torque = 0.0, largest = 0.0;
        advance(world, 30);
        for (int step = 1; step <= 300; step++) {
            const double rate = 2.0;
            double t = step / 60.0, middle = t - 0.5 / 60.0;
            aim(world, joint, 1.0 - cos(rate * t));
            advance(world, 1);
            double torque =
                inertia * rate * rate * cos(rate * middle) - (double)mass.mass * g * 0.15 * sin(1.0 - cos(rate * middle));
            largest = fmax(largest, fabs(torque));
            most_error = fmax(most_error, fabs((double)cn_joint_get_place(world, joint, CN_TWIST) - (1.0 - cos(rate * t))));
            most_rate = fmax(most_rate, fabs((double)cn_joint_get_speed(world, joint, CN_TWIST) - rate * sin(rate * middle)));
            if (step > 2) // it began to accelerate at once
                most_torque =
                    fmax(most_torque, fabs((double)cn_joint_get_reaction(world, joint).motor_force[CN_TWIST] - torque));
        }
        print_message("way %d: place off by %.2g rad, rate by %.2g rad/s, torque by %.2g %%\n", way, most_error, most_rate,
                      100.0 * most_torque / largest);
        assert_below(most_error, 3e-4);
        assert_below(most_rate, 1e-3);
        assert_below(most_torque, 0.01 * largest);
        cn_world_destroy(world);
    }
}

static void arms_follow(void **state)
{
    (void)state;
    for (int links = 2; links <= 8; links += 2) {
        cn_world_def def = restless();
        cn_world *world = open_world(&def);
        cn_joint_id joints[8];
        double most_error = 0.0, most_rate = 0.0;
        add_arm(world, links, true, joints);
        advance(world, 30);
        for (int step = 1; step <= 300; step++) {
            for (int i = 0; i < links; i++)
                aim(world, joints[i], 0.3 * (1.0 - cos((1.0 + 0.3 * i) * step / 60.0)));
            advance(world, 1);
            for (int i = 0; i < links; i++) {
                double rate = 1.0 + 0.3 * i, place = 0.3 * (1.0 - cos(rate * step / 60.0)),
                       speed = 0.3 * rate * sin(rate * (step - 0.5) / 60.0);
                most_error = fmax(most_error, fabs((double)cn_joint_get_place(world, joints[i], CN_TWIST) - place));
                most_rate = fmax(most_rate, fabs((double)cn_joint_get_speed(world, joints[i], CN_TWIST) - speed));
            }
        }
        print_message("%d links: place off by %.2g rad, rate by %.2g rad/s\n", links, most_error, most_rate);
        assert_below(most_error, 2e-4);
        assert_below(most_rate, 1e-3);
        cn_world_destroy(world);
    }
}

// A ball joint that is turned about an axis that turns.
static void balls_follow(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def link = solid_def(cn_box(0.04f, 0.15f, 0.06f), 0.8f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, -0.15, 0.0), &link);
    cn_joint_def ball = cn_ball_joint(world, the_world, body, cn_p3(0.0, 0.0, 0.0));
    ball.ball.motor = CN_MOTOR_PLACE;
    cn_joint_id joint = make_joint(world, &ball);
    double most_error = 0.0, most_rate = 0.0;
    cn_quat last = cn_quat_identity();
    advance(world, 30);
    for (int step = 1; step <= 300; step++) {
        double t = step / 60.0;
        cn_vec3 axis = cn_normalize(cn_v3((float)cos(t), (float)sin(t), 0.5f));
        cn_quat target = turn_about(axis, 1.0 - cos(1.5 * t));
        assert_true(cn_joint_set_target_rotation(world, joint, target));
        advance(world, 1);
        cn_quat off = cn_quat_mul(cn_joint_get_rotation(world, joint), cn_quat_conj(target)),
                by = cn_quat_mul(target, cn_quat_conj(last));
        cn_vec3 wanted = cn_scale(by.w < 0.0f ? -120.0f : 120.0f, cn_v3(by.x, by.y, by.z));
        most_error = fmax(most_error, 2.0 * sqrt((double)(off.x * off.x + off.y * off.y + off.z * off.z)));
        most_rate = fmax(most_rate, (double)cn_length(cn_sub(cn_body_get_angular_velocity(world, body), wanted)));
        last = target;
    }
    print_message("ball: off by %.2g rad, rate by %.2g rad/s\n", most_error, most_rate);
    assert_below(most_error, 1e-4);
    assert_below(most_rate, 1e-3);
    cn_world_destroy(world);
}

// ---- a hand

static cn_geometry thing_of(cn_world *world, int kind)
{
    const cn_vec3 octahedron[] = { { 0.03f, 0.0f, 0.0f },   { -0.03f, 0.0f, 0.0f },  { 0.0f, 0.05f, 0.03f },
                                   { 0.0f, 0.05f, -0.03f }, { 0.0f, -0.05f, 0.03f }, { 0.0f, -0.05f, -0.03f } };
    switch (kind) {
    case 0: return cn_box(0.03f, 0.03f, 0.03f);
    case 1: return cn_sphere(0.03f);
    case 2: return cn_cylinder(0.04f, 0.03f);
    case 3: return cn_capsule(0.03f, 0.025f);
    case 4: return cn_cylinder(0.004f, 0.03f);
    default: return cn_hull(cn_hull_create(world, octahedron, 6));
    }
}
enum { THINGS = 6 };

// One finger is held in its place, the other one presses with 30 N.
static cn_body_id add_hand(cn_world *world, cn_body_id arm, double height)
{
    cn_shape_def palm = solid_def(cn_box(0.1f, 0.02f, 0.05f), 0.8f, 0.0f),
                 finger = solid_def(cn_box(0.01f, 0.06f, 0.03f), 0.8f, 0.0f);
    palm.filter.group = finger.filter.group = -1;
    cn_body_id hand = add_upright(world, CN_DYNAMIC, cn_p3(0.0, height + 0.02, 0.0), &palm);
    cn_joint_def wrist = cn_fixed_joint(world, arm, hand, cn_p3(0.0, height, 0.0));
    make_joint(world, &wrist);
    for (int i = 0; i < 2; i++) {
        double side = i == 0 ? -1.0 : 1.0;
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.07 * side, height + 0.1, 0.0), &finger);
        cn_joint_def slide =
            cn_slider_joint(world, hand, body, cn_p3(0.07 * side, height + 0.04, 0.0), cn_v3((float)-side, 0.0f, 0.0f));
        slide.axes[CN_X].motor = i == 0 ? CN_MOTOR_PLACE : CN_MOTOR_SPEED;
        slide.axes[CN_X].motor_target = i == 0 ? 0.03f : 0.2f;
        slide.axes[CN_X].motor_max_force = i == 0 ? 500.0f : 30.0f;
        make_joint(world, &slide);
    }
    return hand;
}

static cn_vec3 place_in_hand(const cn_world *world, cn_body_id hand, cn_body_id thing)
{
    cn_transform at = cn_body_get_transform(world, hand);
    return cn_unrotate(at.rotation, cn_pos_sub(cn_body_get_center(world, thing), at.position));
}

static void a_moving_hand_keeps_what_it_holds(void **state)
{
    (void)state;
    for (int kind = 0; kind < THINGS; kind++) {
        cn_world_def def = restless();
        cn_world *world = open_world(&def);
        cn_joint_id joints[4];
        cn_body_id hand = add_hand(world, add_arm(world, 4, true, joints), 1.2);
        cn_shape_def shape = solid_def(thing_of(world, kind), 0.8f, 0.0f);
        cn_body_id thing = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.33, 0.0), &shape);
        assert_true(cn_body_set_gravity_scale(world, thing, 0.0f)); // until it is gripped
        advance(world, 60);
        assert_true(cn_body_set_gravity_scale(world, thing, 1.0f));
        advance(world, 60);
        cn_vec3 first = place_in_hand(world, hand, thing);
        double slip = 0.0;
        for (int step = 0; step < 600; step++) {
            for (int i = 0; i < 4; i++)
                aim(world, joints[i], (i == 0 ? 1.5 : 0.6) * sin((0.7 + 0.3 * i) * step / 60.0) * fmin(1.0, step / 60.0));
            advance(world, 1);
            slip = fmax(slip, (double)cn_length(cn_sub(place_in_hand(world, hand, thing), first)));
        }
        print_message("thing %d: moved by %.2g mm in the hand\n", kind, 1e3 * slip);
        assert_below(slip, 5e-3);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_link_gets_the_torque_of_its_motion), cmocka_unit_test(arms_follow),
                                        cmocka_unit_test(balls_follow), cmocka_unit_test(a_moving_hand_keeps_what_it_holds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
