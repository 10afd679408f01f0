// Gears, racks and pulleys, and the speeds of all joints.
#include "joint_scene.h"

static void gears_count_turns_without_drift(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    cn_world *world = open_world(&settings);
    cn_body_id a = add_ball(world, cn_p3(0.0, 0.0, 0.0), random_rotation());
    cn_body_id b = add_ball(world, cn_p3(1.0, 0.0, 0.0), random_rotation());
    cn_joint_def def = cn_gear_joint(world, a, b, cn_v3(0.0f, 0.0f, 2.0f), cn_v3(0.0f, 1.0f, 0.0f), 0.5f);
    cn_joint *joint = joint_of(world, cn_joint_create(world, &def));
    assert_int_equal(joint->view.joint_class, CN_CLASS_COUPLING);
    cn_quat qa = cn_body_get_transform(world, a).rotation, qb = cn_body_get_transform(world, b).rotation;
    for (int i = 1; i <= 100000; i++) { // 3183 turns of a, in steps of 0.2 rad, and as many of b the other way
        double angle = 0.2 * i;
        cn_quat turned_a = cn_quat_normalize(cn_quat_mul(turn_about(cn_v3(0.0f, 0.0f, 1.0f), angle), qa));
        cn_quat turned_b = cn_quat_normalize(cn_quat_mul(turn_about(cn_v3(0.0f, 1.0f, 0.0f), -2.0 * angle), qb));
        world->bodies.data[a.index1 - 1].rotation = turned_a;
        world->bodies.data[b.index1 - 1].rotation = turned_b;
        cn_joint_update_view(world, joint);
        assert_near(joint->view.place[0][0], 0.0, 1e-6);
    }
    assert_near(joint->turns[0], 20000.0, 1e-6);
    assert_near(joint->turns[1], -40000.0, 1e-6);
    assert_near(joint->view.jacobian[0][1][2], 1.0, 1e-6);
    assert_near(joint->view.jacobian[1][1][1], 0.5, 1e-6);
    cn_world_destroy(world);
}

// A spinning gear whose axis wanders all over the sphere, in steps that turn about the middle of their two axes.
static void gears_follow_axes_that_turn_anywhere(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    cn_world *world = open_world(&settings);
    cn_body_id a = add_ball(world, cn_p3(0.0, 0.0, 0.0), cn_quat_identity());
    cn_joint_def def = cn_gear_joint(world, a, (cn_body_id){ 0 }, cn_v3(1.0f, 0.0f, 0.0f), cn_v3(1.0f, 0.0f, 0.0f), 1.0f);
    cn_joint *joint = joint_of(world, cn_joint_create(world, &def));
    dquat q = { 0.0, 0.0, 0.0, 1.0 };
    double angle = 0.0;
    const double h = 1e-3;
    for (int i = 0; i < 20000; i++) {
        // angular velocity in body axes: spin about x, and the axis goes in loops
        double t = h * i, spin = 3.0 + sin(t), y = 2.0 * cos(0.7 * t), z = 1.5;
        double length = sqrt(spin * spin + y * y + z * z), s = sin(0.5 * h * length) / length;
        q = dmul(q, (dquat){ s * spin, s * y, s * z, cos(0.5 * h * length) });
        angle += h * spin;
        world->bodies.data[a.index1 - 1].rotation = (cn_quat){ (float)q.x, (float)q.y, (float)q.z, (float)q.w };
        cn_joint_update_view(world, joint);
    }
    assert_near(joint->view.place[0][0], angle, 1e-3);
    assert_near(joint->view.jacobian[1][1][0], 0.0, 0.0); // the world does not answer
    cn_world_destroy(world);
}

// Speeds of all coordinates against the change of their places as the bodies move.
static void check_speeds(cn_world *world, cn_joint_id id, int dof_count)
{
    cn_joint *joint = joint_of(world, id);
    cn_body *bodies[2] = { NULL, NULL };
    cn_place start[2];
    for (int i = 0; i < 2; i++) {
        int index = i == 0 ? joint->body_a : joint->body_b;
        if (index == CN_NONE)
            continue;
        bodies[i] = &world->bodies.data[index];
        start[i] = (cn_place){ bodies[i]->center, bodies[i]->rotation };
        if (bodies[i]->type != CN_STATIC)
            bodies[i]->linear_velocity = random_point(), bodies[i]->angular_velocity = random_point();
    }
    float speeds[CN_DOF_COUNT], places[2][CN_DOF_COUNT];
    for (int dof = 0; dof < dof_count; dof++)
        speeds[dof] = cn_joint_speed(world, joint, dof);
    const float h = 1e-3f;
    for (int side = 0; side < 2; side++) {
        float step = side == 0 ? -h : h;
        for (int i = 0; i < 2; i++) {
            if (bodies[i] == NULL)
                continue;
            bodies[i]->center = cn_pos_add(start[i].center, cn_scale(step, bodies[i]->linear_velocity));
            bodies[i]->rotation = cn_quat_mul(cn_quat_exp(cn_scale(step, bodies[i]->angular_velocity)), start[i].rotation);
        }
        for (int dof = 0; dof < dof_count; dof++)
            places[side][dof] = cn_joint_place(world, joint, dof);
    }
    for (int dof = 0; dof < dof_count; dof++)
        assert_near(speeds[dof], (places[1][dof] - places[0][dof]) / (2.0f * h), 2e-3 * (1.0 + fabs((double)speeds[dof])));
}

static void speeds_are_the_rates_of_places(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    for (int i = 0; i < 200; i++) {
        cn_world *world = open_world(&settings);
        cn_body_id a = add_lopsided(world,
                                    i % 3 == 0   ? CN_KINEMATIC
                                    : i % 3 == 1 ? CN_STATIC
                                                 : CN_DYNAMIC,
                                    cn_p3(0.0, 0.0, 0.0), random_rotation());
        cn_body_id b = add_lopsided(world, CN_DYNAMIC, cn_p3(2.0, 1.0, 0.0), random_rotation());
        if (i % 4 == 0)
            a = (cn_body_id){ 0 };
        cn_joint_def def = cn_joint_def_default();
        def.body_a = a, def.body_b = b;
        def.frame_a = random_frame(), def.frame_b = random_frame();
        cn_joint_id joint = cn_joint_create(world, &def);
        if (cn_length(cn_joint_turn(world, joint_of(world, joint))) < 2.5f)
            check_speeds(world, joint, CN_DOF_COUNT);
        def.kind = CN_JOINT_DISTANCE;
        check_speeds(world, cn_joint_create(world, &def), 1);
        cn_pos3 high = cn_p3(0.0, 5.0, 0.0);
        def = cn_pulley_joint(world, a, b, cn_p3(0.3, 0.1, 0.2), cn_p3(2.1, 1.1, -0.3), high, cn_p3(3.0, 5.0, 1.0), 2.0f);
        check_speeds(world, cn_joint_create(world, &def), 1);
        def = cn_gear_joint(world, a, b, random_direction(), random_direction(), -1.5f);
        check_speeds(world, cn_joint_create(world, &def), 1);
        def = cn_rack_joint(world, a, b, random_direction(), random_direction(), 0.25f);
        def.frame_b.position = cn_p3(0.5, 0.1, -0.2);
        check_speeds(world, cn_joint_create(world, &def), 1);
        cn_world_destroy(world);
    }
}

static void pulleys_and_racks_know_their_lengths(void **unused)
{
    (void)unused;
    cn_world_def settings = weightless();
    cn_world *world = open_world(&settings);
    cn_body_id a = add_ball(world, cn_p3(0.0, 0.0, 0.0), cn_quat_identity());
    cn_body_id b = add_ball(world, cn_p3(4.0, 0.0, 0.0), cn_quat_identity());
    cn_joint_def def = cn_pulley_joint(world, a, b, cn_p3(0.0, 0.0, 0.0), cn_p3(4.0, 0.0, 0.0), cn_p3(0.0, 3.0, 0.0),
                                       cn_p3(4.0, 5.0, 0.0), 2.0f);
    cn_joint *pulley = joint_of(world, cn_joint_create(world, &def));
    cn_joint_update_view(world, pulley);
    assert_int_equal(pulley->view.row_count, 1); // a rope: it pulls only
    assert_near(pulley->view.rows[0].place, 13.0, 1e-6);
    assert_near(pulley->view.rows[0].upper, 13.0, 1e-6);
    assert_near(pulley->view.jacobian[0][0][1], -1.0, 1e-7);
    assert_near(pulley->view.jacobian[1][0][1], -2.0, 1e-7);
    pulley->def.axes[CN_X].freedom = CN_LOCKED;
    pulley->def.axes[CN_X].lower = 12.5f;
    cn_joint_layout_rows(world, pulley);
    cn_joint_update_view(world, pulley);
    assert_int_equal(pulley->view.locked, 1);
    assert_near(pulley->view.place[0][0], 0.5, 1e-6);

    def = cn_rack_joint(world, a, b, cn_v3(0.0f, 0.0f, 1.0f), cn_v3(1.0f, 0.0f, 0.0f), 0.5f);
    cn_joint *rack = joint_of(world, cn_joint_create(world, &def));
    move_to(world, b, cn_p3(4.75, 0.0, 0.0), cn_quat_identity());
    move_to(world, a, cn_p3(0.0, 0.0, 0.0), turn_about(cn_v3(0.0f, 0.0f, 1.0f), 1.5));
    cn_joint_update_view(world, rack);
    assert_near(rack->view.place[0][0], 0.0, 1e-6);
    assert_near(rack->view.jacobian[1][0][0], 1.0, 1e-6);
    assert_near(rack->view.jacobian[0][1][2], -0.5, 1e-6);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_count_turns_without_drift),
        cmocka_unit_test(gears_follow_axes_that_turn_anywhere),
        cmocka_unit_test(speeds_are_the_rates_of_places),
        cmocka_unit_test(pulleys_and_racks_know_their_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
