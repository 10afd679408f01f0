// The rows of joints: which there are, what is in them, the cone, and forces that outlive a change.
#include "joint_scene.h"

static const cn_joint_row *find_row(const cn_joint *joint, int kind, int dof)
{
    for (int i = 0; i < joint->view.row_count; i++)
        if (joint->view.rows[i].kind == kind && joint->view.rows[i].dof == dof)
            return &joint->view.rows[i];
    fail_msg("no row of kind %d along %d", kind, dof);
    return NULL;
}

static void every_property_has_its_row(void **unused)
{
    (void)unused;
    cn_joint_def def = cn_joint_def_default();
    for (int dof = 0; dof < CN_DOF_COUNT; dof++)
        def.axes[dof] = (cn_joint_axis){ .freedom = CN_LIMITED,
                                         .lower = -1.0f,
                                         .upper = 0.5f + 0.1f * (float)dof,
                                         .spring_stiffness = 10.0f,
                                         .spring_rest = 0.3f,
                                         .motor = CN_MOTOR_SPEED,
                                         .motor_target = 2.0f,
                                         .motor_max_force = 5.0f,
                                         .friction = 1.5f };
    pair p = open_pair(def);
    cn_joint_update_view(p.world, p.joint);
    const cn_solver_joint *view = &p.joint->view;
    assert_int_equal(view->row_count, CN_MOST_JOINT_ROWS);
    assert_int_equal(view->locked, 0);
    for (int i = 0; i < view->row_count; i++) {
        const cn_joint_row *row = &view->rows[i];
        assert_int_equal(row->dof, i / 4);
        assert_int_equal(row->kind, i % 4);
        for (int k = 0; k < 6; k++)
            assert_near(row->axis[k], k == row->dof ? 1.0 : 0.0, 1e-7);
        assert_near(row->place, row->dof == CN_X ? 1.0 : 0.0, 1e-7);
        assert_false(row->per_mass);
    }
    assert_near(find_row(p.joint, CN_ROW_STOP, CN_Z)->upper, 0.7, 1e-6);
    assert_near(find_row(p.joint, CN_ROW_MOTOR, CN_TWIST)->speed, 2.0, 0.0);
    assert_near(find_row(p.joint, CN_ROW_MOTOR, CN_TWIST)->most_force, 5.0, 0.0);
    assert_near(find_row(p.joint, CN_ROW_SPRING, CN_Y)->rest, 0.3, 1e-7);
    assert_near(find_row(p.joint, CN_ROW_FRICTION, CN_X)->most_force, 1.5, 0.0);
    cn_world_destroy(p.world);
}

static void soft_and_rigid_holds_differ(void **unused)
{
    (void)unused;
    cn_joint_def def = cn_joint_def_default();
    def.axes[CN_X] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = 0.75f, .upper = 0.75f }; // locked at that place
    def.axes[CN_Y] = (cn_joint_axis){ .freedom = CN_LOCKED, .hertz = 2.0f, .damping_ratio = 0.5f };
    def.axes[CN_Z] =
        (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -1.0f, .upper = 1.0f, .hertz = 3.0f, .damping_ratio = 1.0f };
    def.axes[CN_TWIST] = (cn_joint_axis){ .motor = CN_MOTOR_PLACE, .motor_target = 0.4f, .motor_max_force = 9.0f };
    def.axes[CN_SWING_Y] =
        (cn_joint_axis){ .motor = CN_MOTOR_PLACE, .motor_target = 0.4f, .motor_max_force = 9.0f, .motor_hertz = 1.0f };
    def.axes[CN_SWING_Z] = (cn_joint_axis){ .freedom = CN_LOCKED, .friction = 5.0f, .spring_stiffness = 3.0f };
    pair p = open_pair(def);
    cn_joint_update_view(p.world, p.joint);
    assert_int_equal(p.joint->view.locked, 1 << CN_X | 1 << CN_SWING_Z);
    assert_int_equal(p.joint->view.row_count, 4); // nothing acts along what is locked
    assert_near(p.joint->view.place[0][0], 0.25, 1e-7);
    double omega = 2.0 * pi * 2.0;
    const cn_joint_row *lock = find_row(p.joint, CN_ROW_SPRING, CN_Y), *stop = find_row(p.joint, CN_ROW_STOP, CN_Z);
    assert_true(lock->per_mass && stop->per_mass);
    assert_relative(lock->stiffness, omega * omega, 1e-6);
    assert_relative(lock->damping, omega, 1e-6);
    assert_relative(stop->stiffness, 36.0 * pi * pi, 1e-6);
    const cn_joint_row *hard = find_row(p.joint, CN_ROW_MOTOR, CN_TWIST), *soft = find_row(p.joint, CN_ROW_MOTOR, CN_SWING_Y);
    assert_true(isinf(hard->stiffness) && !hard->per_mass && soft->per_mass);
    assert_near(hard->rest, 0.4, 1e-7);
    assert_relative(soft->stiffness, 4.0 * pi * pi, 1e-6);
    assert_near(soft->most_force, 9.0, 0.0);
    cn_world_destroy(p.world);
}

static void cone_is_its_own_gradient(void **unused)
{
    (void)unused;
    cn_joint_def def = cn_joint_def_default();
    const double ay = 0.4, az = 1.2;
    def.axes[CN_SWING_Y] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -(float)ay, .upper = 0.1f };
    def.axes[CN_SWING_Z] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -0.5f, .upper = (float)az };
    def.cone = true;
    pair p = open_pair(def);
    assert_int_equal(p.joint->view.row_count, 1);
    for (int i = 0; i < 500; i++) {
        put_turned(&p, random_rotation(), swung(1e-3 + 1.5 * fabs(uniform()), pi * uniform(), 2.0 * uniform()));
        cn_joint_update_view(p.world, p.joint);
        const cn_joint_row *row = find_row(p.joint, CN_ROW_STOP, CN_SWING_Y);
        dquat q = b_in_a(&p);
        double s[3];
        reference_turn(q, s);
        double k = hypot(s[1] / ay, s[2] / az);
        assert_near(row->place / row->upper, k, 1e-4 * (1.0 + k));
        assert_true(isinf(row->lower) && row->lower < 0.0f);
        assert_near(row->axis[0], 0.0, 0.0);
        for (int axis = 0; axis < 3; axis++) {
            const double h = 1e-6;
            double before[3], after[3];
            reference_turn(turned(q, axis, -h), before);
            reference_turn(turned(q, axis, h), after);
            double change = hypot(after[1] / ay, after[2] / az) - hypot(before[1] / ay, before[2] / az);
            double along = (double)row->axis[CN_SWING_Y] * (double)p.joint->view.turn_axes[1][axis] +
                           (double)row->axis[CN_SWING_Z] * (double)p.joint->view.turn_axes[2][axis];
            assert_near(along, (double)row->upper * change / (2.0 * h), 2e-3);
        }
    }
    put_turned(&p, cn_quat_identity(), cn_quat_identity());
    cn_joint_update_view(p.world, p.joint);
    assert_near(p.joint->view.rows[0].place, 0.0, 0.0);
    assert_near(p.joint->view.rows[0].axis[4], 1.0, 1e-7);
    cn_world_destroy(p.world);
}

static void forces_survive_a_change_of_rows(void **unused)
{
    (void)unused;
    cn_joint_def def = cn_joint_def_default();
    for (int dof = 0; dof < 3; dof++)
        def.axes[dof].freedom = CN_LOCKED;
    def.axes[CN_TWIST].friction = 1.0f;
    def.axes[CN_SWING_Y].spring_stiffness = 2.0f;
    pair p = open_pair(def);
    cn_joint *joint = p.joint;
    joint->view.force[0][0] = 11.0f, joint->view.force[0][1] = 12.0f;
    joint->view.rows[0].force = 13.0f, joint->view.rows[1].force = 14.0f;

    joint->def.axes[CN_TWIST].motor = CN_MOTOR_SPEED; // a row more, in front
    joint->def.axes[CN_Y].freedom = CN_FREE;
    cn_joint_layout_rows(p.world, joint);
    assert_int_equal(joint->view.row_count, 3);
    assert_near(find_row(joint, CN_ROW_FRICTION, CN_TWIST)->force, 13.0, 0.0);
    assert_near(find_row(joint, CN_ROW_SPRING, CN_SWING_Y)->force, 14.0, 0.0);
    assert_near(find_row(joint, CN_ROW_MOTOR, CN_TWIST)->force, 0.0, 0.0);
    assert_near(joint->view.force[0][0], 11.0, 0.0);
    assert_near(joint->view.force[0][1], 0.0, 0.0);

    joint->def.axes[CN_TWIST] = (cn_joint_axis){ 0 };
    // a lock that gives way is no spring, though it is solved like one
    joint->def.axes[CN_SWING_Y] = (cn_joint_axis){ .freedom = CN_LOCKED, .hertz = 1.0f };
    cn_joint_layout_rows(p.world, joint);
    assert_int_equal(joint->view.row_count, 1);
    assert_near(joint->view.rows[0].force, 0.0, 0.0);

    joint->def.axes[CN_SWING_Y] = (cn_joint_axis){ 0 };
    joint->def.axes[CN_Y].freedom = CN_LOCKED;
    cn_joint_layout_rows(p.world, joint);
    assert_int_equal(joint->view.row_count, 0);
    assert_int_equal(joint->view.joint_class, CN_CLASS_BALL);

    joint->def.axes[CN_Y] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = 0.5f, .upper = 0.5f }; // held apart
    cn_joint_layout_rows(p.world, joint);
    assert_int_equal(joint->view.joint_class, CN_CLASS_GENERAL);
    assert_int_equal(joint->view.locked, 7);
    cn_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_property_has_its_row),
        cmocka_unit_test(soft_and_rigid_holds_differ),
        cmocka_unit_test(cone_is_its_own_gradient),
        cmocka_unit_test(forces_survive_a_change_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
