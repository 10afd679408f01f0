// Reactions and breaking, from what a solver would have written.
#include "joint_fixture.h"

#include <stdlib.h>

static cn_joint *inside(cn_joint_id joint) { return cn_find_joint(world, __func__, joint); }

static void set_total(cn_joint_id joint, cn_vec3 impulse, cn_vec3 angular)
{
    cn_solver_joint *view = &inside(joint)->view;
    float rows[2][4] = { { impulse.x, impulse.y, impulse.z }, { angular.x, angular.y, angular.z } };
    memcpy(view->total, rows, sizeof rows);
}

static void test_breaking(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 0.99);
    int mark = 0, count = -1;
    cn_joint_def def = weld(a, b);
    def.break_force = 100.0f;
    def.break_torque = 20.0f;
    def.user_data = &mark;
    cn_joint_id joint = create(&def), other = tie(a, b);
    set_total(joint, cn_v3(0.0f, 6.0f, 7.9f), cn_v3(1.99f, 0.0f, 0.0f)); // 99.2 N, 19.9 N m over a tenth of a second
    set_total(other, cn_v3(0.0f, 1e30f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    cn_break_joints(world, 0.1f);
    assert_true(cn_joint_is_valid(world, joint) && cn_joint_is_valid(world, other));
    set_total(joint, cn_v3(0.0f, 6.0f, 8.1f), cn_v3(0.0f, 1.0f, 0.0f));
    cn_break_joints(world, 0.1f);
    assert_true(!cn_joint_is_valid(world, joint) && cn_joint_is_valid(world, other));
    const cn_joint_event *events = cn_world_get_joint_events(world, &count);
    assert_int_equal(count, 1);
    assert_true(CN_ID_EQUALS(events[0].joint, joint) && CN_ID_EQUALS(events[0].body_a, a) && CN_ID_EQUALS(events[0].body_b, b));
    assert_ptr_equal(events[0].user_data, &mark);
    assert_near(events[0].force, 100.804, 1e-2);
    assert_near(events[0].torque, 10.0, 1e-4);

    assert_true(cn_joint_set_break(world, other, INFINITY, 1.0f));
    set_total(other, cn_v3(0.0f, 1e30f, 0.0f), cn_v3(0.0f, 0.0f, 0.1001f));
    cn_break_joints(world, 0.1f);
    cn_world_get_joint_events(world, &count);
    assert_int_equal(count, 2);
    assert_int_equal(cn_world_get_joint_count(world), 0);
    assert_int_equal(advance(world, 1).pairs, 1); // and they collide again
    cn_world_get_joint_events(world, &count);
    assert_int_equal(count, 0);
    assert_null(cn_world_get_joint_events(world, NULL));
    assert_null(cn_world_get_joint_events(NULL, &count));
}

// One impulse acts on both sides of a coupling, through its Jacobian.
static void test_couplings(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    cn_joint_def def = cn_joint_def_default();
    def.body_a = a, def.body_b = b;
    def.ratio = 2.0f;
    def.axes[CN_X].freedom = CN_LOCKED;
    def.kind = CN_JOINT_GEAR;
    cn_joint_id gear = create(&def);
    def.kind = CN_JOINT_PULLEY;
    def.frame_b.position = cn_p3(0.25, 0.0, 0.0);
    def.ground_a = cn_p3(0.0, 5.0, 0.0), def.ground_b = cn_p3(3.25, 5.0, 0.0);
    cn_joint_id pulley = create(&def);
    cn_joint_id joints[2] = { gear, pulley };
    for (int i = 0; i < 2; i++) {
        cn_joint_update_view(world, inside(joints[i]));
        inside(joints[i])->solved_dt = 0.1f;
        set_total(joints[i], cn_v3(-3.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    }
    cn_joint_reaction r = cn_joint_get_reaction(world, gear);
    assert_near(r.axis_force[CN_X], -30.0, 1e-4);
    assert_near(r.torque.x, -60.0, 1e-4);
    assert_near(cn_length(r.force), 0.0, 1e-6);
    r = cn_joint_get_reaction(world, pulley);
    assert_near(r.force.y, 60.0, 1e-4); // pulled up, with the ratio
    assert_near(cn_length(r.torque), 0.0, 1e-4);

    // The gear carries 60 N m, the pulley 60 N; each alone breaks.
    for (int i = 0; i < 2; i++) {
        assert_true(cn_joint_set_break(world, joints[i], i == 0 ? 1.0f : 60.1f, i == 0 ? 60.1f : 1.0f));
        cn_break_joints(world, 0.1f);
        assert_true(cn_joint_is_valid(world, joints[i]));
        assert_true(cn_joint_set_break(world, joints[i], i == 0 ? 1.0f : 59.9f, i == 0 ? 59.9f : 1.0f));
        cn_break_joints(world, 0.1f);
        assert_false(cn_joint_is_valid(world, joints[i]));
    }
}

static float random_float(float range) { return range * (2.0f * (float)rand() / (float)RAND_MAX - 1.0f); }

static cn_vec3 random_vec3(float range)
{
    float x = random_float(range), y = random_float(range), z = random_float(range);
    return cn_v3(x, y, z);
}

// Forces and torques along the degrees of freedom do the same work as force and torque do.
static void test_reactions(void **state)
{
    (void)state;
    srand(5);
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    cn_joint_def def = weld(a, b);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        def.axes[i] = (cn_joint_axis){ .friction = 1.0f };
    cn_joint_id joint = create(&def);
    cn_joint_reaction none = cn_joint_get_reaction(world, joint);
    assert_true(cn_length(none.force) == 0.0f && cn_length(none.torque) == 0.0f && none.axis_force[CN_TWIST] == 0.0f);
    assert_near(none.point.x, 3.0, 1e-6);
    for (int n = 0; n < 200; n++) {
        cn_transform pose_a = { cn_p3(1.0, 2.0, 3.0), cn_quat_exp(random_vec3(1.5f)) };
        cn_transform pose_b = { cn_p3(-1.0, 0.5, 2.0), cn_quat_mul(pose_a.rotation, cn_quat_exp(random_vec3(1.5f))) };
        assert_true(cn_body_set_transform(world, a, pose_a) && cn_body_set_transform(world, b, pose_b));
        set_motion(world, a, random_vec3(1.0f), random_vec3(1.0f));
        set_motion(world, b, random_vec3(1.0f), random_vec3(1.0f));
        cn_joint *j = inside(joint);
        cn_joint_update_view(world, j);
        j->solved_dt = 0.01f;
        set_total(joint, random_vec3(1.0f), random_vec3(1.0f));
        cn_joint_reaction r = cn_joint_get_reaction(world, joint);
        assert_near(r.force.x, 100.0 * (double)j->view.total[0][0], 1e-4);
        double along = 0.0;
        for (int i = 0; i < CN_DOF_COUNT; i++)
            along += (double)(r.axis_force[i] * cn_joint_get_speed(world, joint, (cn_dof)i));
        const cn_body *ba = cn_find_body(world, __func__, a), *bb = cn_find_body(world, __func__, b);
        cn_vec3 va = cn_add(ba->linear_velocity, cn_cross(ba->angular_velocity, cn_pos_sub(r.point, ba->center)));
        cn_vec3 vb = cn_add(bb->linear_velocity, cn_cross(bb->angular_velocity, cn_pos_sub(r.point, bb->center)));
        double work = (double)cn_dot(r.force, cn_sub(vb, va)) +
                      (double)cn_dot(r.torque, cn_sub(bb->angular_velocity, ba->angular_velocity));
        assert_near(along, work, 1e-3 * (1.0 + fabs(work)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_breaking, setup, teardown),
        cmocka_unit_test_setup_teardown(test_couplings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reactions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
