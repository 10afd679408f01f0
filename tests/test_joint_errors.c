// What joints may be and how they may be changed, and what is said when they may not.
#include "joint_fixture.h"

// What each wrong field is answered with.

static void refuse(const cn_joint_def *def, const char *words)
{
    assert_true(CN_IS_NULL(cn_joint_create(world, def)));
    expect_error("cn_joint_create", words);
}

#define BAD(words, ...)                                                                                                        \
    do {                                                                                                                       \
        cn_joint_def def = good;                                                                                               \
        __VA_ARGS__;                                                                                                           \
        refuse(&def, words);                                                                                                   \
    } while (0)

static cn_joint_axis limited(float lower, float upper)
{
    return (cn_joint_axis){ .freedom = CN_LIMITED, .lower = lower, .upper = upper };
}

static void test_bad_bodies_and_frames(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    const cn_joint_def good = weld(a, b);
    BAD("def.kind", def.kind = (cn_joint_kind)-1);
    BAD("def.body_a and def.body_b are both null", def.body_a = def.body_b = (cn_body_id){ 0 });
    BAD("def.body_a and def.body_b are the same body", def.body_b = def.body_a);
    BAD("def.body_a 77 was never created", def.body_a.index1 = 77);
    BAD("def.body_b 2 is stale", def.body_b.generation++);
    BAD("def.body_b 2 belongs to another world", def.body_b.world++);
    BAD("def.frame_a.position", def.frame_a.position.y = (double)NAN);
    BAD("def.frame_b.position", def.frame_b.position.z = 1e9);
    BAD("def.frame_b.rotation", def.frame_b.rotation.x = NAN);
    BAD("def.frame_a.rotation", def.frame_a.rotation.w = 0.0f);
    BAD("def.frame_a.rotation", def.frame_a.rotation.w = 1.01f);
    BAD("def.break_force", def.break_force = 0.0f);
    BAD("def.break_torque", def.break_torque = NAN);
    BAD("def.ratio", def.kind = CN_JOINT_GEAR; def.ratio = 0.0f);
    BAD("def.ratio", def.kind = CN_JOINT_RACK; def.ratio = NAN);
    BAD("def.ground_b", def.kind = CN_JOINT_PULLEY; def.ground_b.x = (double)NAN);
    BAD("def.frame_a is on ground_a", def.kind = CN_JOINT_PULLEY; def.ground_a = cn_p3(3.0, 0.0, 0.0));
    refuse(NULL, "def is NULL");
    assert_true(CN_IS_NULL(cn_joint_create(NULL, &good)));
    expect_error("cn_joint_create", "world is NULL");
    assert_int_equal(cn_world_get_joint_count(world), 0);
    assert_int_equal(cn_body_get_joints(world, a, NULL, 0), 0);
    assert_int_equal(create(&good).index1, 1); // nothing was left behind
}

static void test_bad_axes(void **state)
{
    (void)state;
    const cn_joint_def good = weld(add_box(CN_DYNAMIC, 0.0), add_box(CN_DYNAMIC, 3.0));
    BAD("def.axes[CN_Z].freedom", def.axes[CN_Z].freedom = CN_FREEDOM_COUNT);
    BAD("def.axes[CN_TWIST].lower is 1, above", def.axes[CN_TWIST] = limited(1.0f, -1.0f));
    BAD("def.axes[CN_X].lower", def.axes[CN_X] = limited(NAN, 1.0f));
    BAD("def.axes[CN_X].upper", def.axes[CN_X] = limited(0.0f, NAN));
    BAD("def.axes[CN_X].lower", def.axes[CN_X] = limited(INFINITY, INFINITY));
    BAD("def.axes[CN_SWING_Z].lower", def.axes[CN_SWING_Z] = limited(-3.2f, 0.0f));
    BAD("def.axes[CN_X].lower", def.kind = CN_JOINT_DISTANCE; def.axes[CN_X].lower = -1.0f);
    BAD("def.axes[CN_X].upper", def.kind = CN_JOINT_DISTANCE; def.axes[CN_X] = limited(-2.0f, -1.0f));
    BAD("def.axes[CN_Y].hertz", def.axes[CN_Y].hertz = -1.0f);
    BAD("def.axes[CN_Y].damping_ratio", def.axes[CN_Y].damping_ratio = NAN);
    BAD("def.axes[CN_Y].spring_stiffness", def.axes[CN_Y].spring_stiffness = -1.0f);
    BAD("def.axes[CN_Y].spring_damping", def.axes[CN_Y].spring_damping = INFINITY);
    BAD("def.axes[CN_Y].spring_rest", def.axes[CN_Y].spring_rest = NAN);
    BAD("def.axes[CN_Y].motor is", def.axes[CN_Y].motor = CN_MOTOR_MODE_COUNT);
    BAD("def.axes[CN_Y].motor_target", def.axes[CN_Y].motor_target = INFINITY);
    BAD("def.axes[CN_Y].motor_max_force", def.axes[CN_Y].motor_max_force = NAN);
    BAD("def.axes[CN_Y].motor_hertz", def.axes[CN_Y].motor_hertz = -2.0f);
    BAD("def.axes[CN_Y].motor_damping_ratio", def.axes[CN_Y].motor_damping_ratio = -2.0f);
    BAD("def.axes[CN_SWING_Y].friction", def.axes[CN_SWING_Y].friction = -1.0f);
    assert_int_equal(cn_world_get_joint_count(world), 0);
}

static void test_what_cannot_be_held(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_STATIC, 0.0), b = add_box(CN_KINEMATIC, 3.0), c = add_box(CN_DYNAMIC, 6.0);
    cn_joint_def def = weld(a, b);
    assert_true(CN_IS_NULL(cn_joint_create(world, &def)));
    expect_error("cn_joint_create", "neither def.body_a nor def.body_b is dynamic");
    def = weld((cn_body_id){ 0 }, b);
    assert_true(CN_IS_NULL(cn_joint_create(world, &def)));
    expect_error("cn_joint_create", "neither def.body_a nor def.body_b is dynamic");
    tie(a, c);
    tie(c, b);
    tie(c, (cn_body_id){ 0 });
    // A joint may lose what it holds, and goes on when it is back.
    assert_int_equal(advance(world, 1).joints, 3);
    assert_true(cn_body_set_type(world, c, CN_STATIC));
    assert_int_equal(advance(world, 1).joints, 0);
    assert_true(cn_body_set_type(world, c, CN_KINEMATIC));
    assert_int_equal(advance(world, 1).joints, 0);
    assert_true(cn_body_set_type(world, c, CN_DYNAMIC));
    assert_int_equal(advance(world, 1).joints, 3);
}

// A quaternion that is nearly of unit length is made so; infinite forces and half-open limits are fine.
static void test_what_is_allowed(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    cn_joint_def def = weld(a, b);
    def.frame_a.rotation.w = 1.0005f;
    def.axes[CN_TWIST] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -50.0f, .upper = INFINITY, .friction = INFINITY };
    def.axes[CN_SWING_Y] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -CN_PI, .upper = CN_PI };
    def.axes[CN_SWING_Z] = (cn_joint_axis){ .motor = CN_MOTOR_SPEED, .motor_max_force = INFINITY };
    cn_joint_id joint = create(&def);
    assert_near(cn_joint_get_def(world, joint).frame_a.rotation.w, 1.0, 1e-7);
}

static void test_bad_changes(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    cn_joint_id joint = tie(a, b);
    const cn_joint_def before = cn_joint_get_def(world, joint);
    cn_joint_axis axis = { .friction = -1.0f };
    cn_transform frame = { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY }, bad = { { (double)NAN, 0.0, 0.0 }, CN_QUAT_IDENTITY };
#define REFUSED(function, words, ...)                                                                                          \
    do {                                                                                                                       \
        assert_false(function(world, __VA_ARGS__));                                                                            \
        expect_error(#function, words);                                                                                        \
    } while (0)
    REFUSED(cn_joint_set_axis, "axis->friction", joint, CN_X, &axis);
    REFUSED(cn_joint_set_axis, "axis is NULL", joint, CN_X, NULL);
    REFUSED(cn_joint_set_axis, "dof", joint, CN_DOF_COUNT, &axis);
    REFUSED(cn_joint_set_motor, "mode", joint, CN_X, (cn_motor_mode)9, 0.0f, 1.0f);
    REFUSED(cn_joint_set_motor, "target", joint, CN_X, CN_MOTOR_SPEED, NAN, 1.0f);
    REFUSED(cn_joint_set_motor, "max_force", joint, CN_X, CN_MOTOR_SPEED, 0.0f, -1.0f);
    REFUSED(cn_joint_set_limits, "lower is 2, above upper", joint, CN_X, 2.0f, 1.0f);
    REFUSED(cn_joint_set_limits, "lower", joint, CN_X, NAN, 1.0f);
    REFUSED(cn_joint_set_limits, "between -pi and pi", joint, CN_SWING_Y, 0.0f, 4.0f);
    REFUSED(cn_joint_set_frames, "frame_a.position", joint, bad, frame);
    REFUSED(cn_joint_set_frames, "frame_b.position", joint, frame, bad);
    REFUSED(cn_joint_set_break, "force is 0", joint, 0.0f, 1.0f);
    REFUSED(cn_joint_set_break, "torque is nan", joint, 1.0f, NAN);
    cn_joint_def after = cn_joint_get_def(world, joint);
    assert_memory_equal(after.axes, before.axes, sizeof before.axes);
    assert_memory_equal(&after.frame_a, &before.frame_a, sizeof before.frame_a);
    assert_true(after.break_force == before.break_force && after.break_torque == before.break_torque);

    cn_joint_def gear = weld(a, b);
    gear.kind = CN_JOINT_GEAR;
    cn_joint_id coupling = create(&gear);
    REFUSED(cn_joint_set_limits, "dof is 3, but a gear joint has only CN_X", coupling, CN_TWIST, 0.0f, 1.0f);
    assert_true(cn_joint_get_place(world, coupling, CN_Y) == 0.0f);
    expect_error("cn_joint_get_place", "dof");

    assert_true(cn_joint_destroy(world, joint));
    REFUSED(cn_joint_set_motor, "stale", joint, CN_X, CN_MOTOR_OFF, 0.0f, 1.0f);
    REFUSED(cn_joint_set_break, "stale", joint, 1.0f, 1.0f);
    assert_true(cn_joint_get_speed(world, joint, CN_X) == 0.0f);
    expect_error("cn_joint_get_speed", "stale");
    assert_true(cn_joint_get_error(world, joint).linear == 0.0f);
    expect_error("cn_joint_get_error", "stale");
    assert_true(cn_joint_get_reaction(world, joint).force.x == 0.0f);
    expect_error("cn_joint_get_reaction", "stale");
}

static void test_changes(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    cn_joint_id joint = tie(a, b);
    assert_true(cn_joint_set_axis(world, joint, CN_Y, &(cn_joint_axis){ .friction = 2.0f }));
    assert_true(cn_joint_set_motor(world, joint, CN_TWIST, CN_MOTOR_PLACE, 0.5f, 9.0f));
    assert_true(cn_joint_set_limits(world, joint, CN_Z, -1.0f, 2.0f));
    assert_true(cn_joint_set_break(world, joint, 5.0f, INFINITY));
    cn_transform frame = { { 1.0, 2.0, 3.0 }, CN_QUAT_IDENTITY };
    assert_true(cn_joint_set_frames(world, joint, frame, frame));
    cn_joint_def def = cn_joint_get_def(world, joint);
    assert_true(def.axes[CN_Y].freedom == CN_FREE && def.axes[CN_Y].friction == 2.0f);
    assert_true(def.axes[CN_TWIST].motor == CN_MOTOR_PLACE && def.axes[CN_TWIST].motor_target == 0.5f);
    assert_true(def.axes[CN_Z].freedom == CN_LIMITED && def.axes[CN_Z].upper == 2.0f && def.break_force == 5.0f);
    assert_near(cn_joint_get_place(world, joint, CN_X), 3.0, 1e-6);
    assert_near(cn_joint_get_error(world, joint).linear, 3.0, 1e-6); // x alone is still locked
}

// ---- while the world steps

static void test_nothing_changes_during_a_step(void **state)
{
    (void)state;
    cn_body_id a = add_box(CN_DYNAMIC, 0.0), b = add_box(CN_DYNAMIC, 3.0);
    cn_joint_id joint = tie(a, b);
    cn_joint_def def = weld(a, b);
    cn_transform frame = { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY };
    const char *words = "in the middle of a step";
    world->stepping = true;
    assert_true(CN_IS_NULL(cn_joint_create(world, &def)));
    expect_error("cn_joint_create", words);
    REFUSED(cn_joint_destroy, words, joint);
    REFUSED(cn_joint_set_axis, words, joint, CN_X, &def.axes[0]);
    REFUSED(cn_joint_set_motor, words, joint, CN_X, CN_MOTOR_OFF, 0.0f, 0.0f);
    REFUSED(cn_joint_set_limits, words, joint, CN_X, 0.0f, 0.0f);
    REFUSED(cn_joint_set_frames, words, joint, frame, frame);
    REFUSED(cn_joint_set_break, words, joint, 1.0f, 1.0f);
    world->stepping = false;
    assert_true(cn_joint_is_valid(world, joint));
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(cn_joint_kind_name(CN_JOINT_FRAMES), "frames");
    assert_string_equal(cn_joint_kind_name(CN_JOINT_RACK), "rack");
    assert_null(cn_joint_kind_name(CN_JOINT_KIND_COUNT));
    assert_null(cn_joint_kind_name(-1));
    cn_world_def def = cn_world_def_default();
    assert_int_equal(def.joint_solve, CN_JOINTS_AUTO);
    def.joint_solve = CN_JOINT_SOLVE_COUNT;
    assert_null(cn_world_create(&def));
    expect_error("cn_world_create", "def.joint_solve");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
        WITH_WORLD(test_bad_bodies_and_frames),
        WITH_WORLD(test_bad_axes),
        WITH_WORLD(test_what_cannot_be_held),
        WITH_WORLD(test_what_is_allowed),
        WITH_WORLD(test_bad_changes),
        WITH_WORLD(test_changes),
        WITH_WORLD(test_nothing_changes_during_a_step),
        WITH_WORLD(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
