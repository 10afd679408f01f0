// The named joints: what they leave free, where their frames are, and what they say to bad input.
#include "random_points.h"
#include "scene.h"

#include <string.h>

static const cn_body_id no_body = { 0 };

typedef struct scene {
    cn_world *world;
    cn_body_id a, b;
} scene;

static cn_body_id add_box(cn_world *world, cn_pos3 position)
{
    cn_shape_def shape = solid_def(cn_box(0.1f, 0.2f, 0.3f), 0.5f, 0.0f);
    shape.offset.position = cn_v3(0.1f, -0.2f, 0.1f);
    return add_body(world, CN_DYNAMIC, position, random_rotation(), &shape);
}

static scene open_scene(void)
{
    cn_world_def def = weightless();
    scene s = { .world = open_world(&def) };
    s.a = add_box(s.world, cn_p3(0.5, 1.0, -2.0));
    s.b = add_box(s.world, cn_p3(1.5, 1.5, -2.5));
    return s;
}

// "L" locked, "f" free, "l" limited: x y z, twist, swing y, swing z.
static void check_freedoms(const cn_joint_def *def, const char *expected)
{
    char found[CN_DOF_COUNT + 1] = { 0 };
    for (int dof = 0; dof < CN_DOF_COUNT; dof++)
        found[dof] = "fLl"[def->axes[dof].freedom];
    assert_string_equal(found, expected);
}

// The frames as they are in the world.
static cn_transform frame_in_world(const cn_world *world, cn_body_id body, cn_transform frame)
{
    if (CN_IS_NULL(body))
        return frame;
    cn_transform t = cn_body_get_transform(world, body);
    cn_vec3 local = cn_v3((float)frame.position.x, (float)frame.position.y, (float)frame.position.z);
    return (cn_transform){ cn_pos_add(t.position, cn_rotate(t.rotation, local)), cn_quat_mul(t.rotation, frame.rotation) };
}

// Both frames are at the anchor with the same axes, and the joint made of them is at rest there.
static void check_frames(const scene *s, const cn_joint_def *def, cn_pos3 anchor, cn_vec3 axis)
{
    cn_transform frames[2] = { frame_in_world(s->world, def->body_a, def->frame_a),
                               frame_in_world(s->world, def->body_b, def->frame_b) };
    for (int i = 0; i < 2; i++) {
        assert_below(position_distance(frames[i].position, anchor), 1e-6);
        assert_below(cn_distance(cn_rotate(frames[i].rotation, cn_v3(1.0f, 0.0f, 0.0f)), cn_normalize(axis)), 2e-6);
    }
    cn_joint_id joint = cn_joint_create(s->world, def);
    if (CN_IS_NULL(joint))
        fail_msg("%s", cn_last_error());
    for (int dof = 0; dof < CN_DOF_COUNT; dof++)
        assert_near(cn_joint_get_place(s->world, joint, (cn_dof)dof), 0.0, 2e-6);
    assert_true(cn_joint_destroy(s->world, joint));
}

static void six_freedoms_are_as_named(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_pos3 anchor = cn_p3(0.7, 0.9, -2.2);
    cn_vec3 x = cn_v3(1.0f, 0.0f, 0.0f);
    for (int i = 0; i < 20; i++) {
        cn_body_id a = i % 3 == 0 ? no_body : s.a, b = i % 3 == 1 ? no_body : s.b;
        cn_vec3 axis = i == 0 ? cn_v3(-1.0f, 0.0f, 0.0f) : i == 1 ? x : cn_scale(1e-30f, random_direction());
        cn_vec3 unit = cn_normalize(cn_scale(1e30f, axis));
        if (i < 2)
            unit = axis;
        cn_joint_def def = cn_ball_joint(s.world, a, b, anchor);
        check_freedoms(&def, "LLLfff");
        check_frames(&s, &def, anchor, x);
        def = cn_cone_twist_joint(s.world, a, b, anchor, axis, 0.5f, 0.3f);
        check_freedoms(&def, "LLLlll");
        assert_true(def.cone);
        assert_near(def.axes[CN_TWIST].lower, -0.3, 1e-7);
        assert_near(def.axes[CN_SWING_Z].upper, 0.5, 1e-7);
        check_frames(&s, &def, anchor, unit);
        def = cn_hinge_joint(s.world, a, b, anchor, axis);
        check_freedoms(&def, "LLLfLL");
        check_frames(&s, &def, anchor, unit);
        def = cn_slider_joint(s.world, a, b, anchor, axis);
        check_freedoms(&def, "fLLLLL");
        check_frames(&s, &def, anchor, unit);
        def = cn_cylindrical_joint(s.world, a, b, anchor, axis);
        check_freedoms(&def, "fLLfLL");
        check_frames(&s, &def, anchor, unit);
        def = cn_planar_joint(s.world, a, b, anchor, axis);
        check_freedoms(&def, "LfffLL");
        check_frames(&s, &def, anchor, unit);
        def = cn_fixed_joint(s.world, a, b, anchor);
        check_freedoms(&def, "LLLLLL");
        check_frames(&s, &def, anchor, x);
    }
    cn_world_destroy(s.world);
}

static void wheels_have_suspension_and_axle(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_pos3 anchor = cn_p3(0.7, 0.9, -2.2);
    for (int i = 0; i < 200; i++) {
        cn_vec3 axle = random_direction(), up = random_direction();
        if (i == 0)
            axle = cn_v3(-1.0f, 0.0f, 0.0f), up = cn_v3(0.0f, 1.0f, 0.0f);
        if (i == 1)
            axle = cn_v3(1.0f, 0.0f, 0.0f), up = cn_v3(0.0f, -1.0f, 0.0f);
        if (cn_absf(cn_dot(axle, up)) > 0.99f)
            continue;
        cn_joint_def def = cn_wheel_joint(s.world, s.a, s.b, anchor, cn_scale(3.0f, up), axle, 2e4f, 1e3f);
        check_freedoms(&def, "LfLfLL");
        assert_near(def.axes[CN_Y].spring_stiffness, 2e4, 0.0);
        assert_near(def.axes[CN_Y].spring_damping, 1e3, 0.0);
        check_frames(&s, &def, anchor, axle);
        cn_vec3 y = cn_rotate(frame_in_world(s.world, def.body_a, def.frame_a).rotation, cn_v3(0.0f, 1.0f, 0.0f));
        cn_vec3 expected = cn_normalize(cn_madd(up, -cn_dot(up, axle), axle));
        assert_below(cn_distance(y, expected), 1e-5);
    }
    cn_world_destroy(s.world);
}

static void motors_drive_all_six(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_joint_def def = cn_motor_joint(s.world, s.a, s.b, 2.0f, 100.0f, 20.0f);
    check_freedoms(&def, "ffffff");
    for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
        const cn_joint_axis *axis = &def.axes[dof];
        assert_int_equal(axis->motor, CN_MOTOR_PLACE);
        assert_near(axis->motor_target, 0.0, 0.0);
        assert_near(axis->motor_hertz, 2.0, 0.0);
        assert_near(axis->motor_damping_ratio, 1.0, 0.0);
        assert_near(axis->motor_max_force, dof < CN_TWIST ? 100.0 : 20.0, 0.0);
    }
    check_frames(&s, &def, cn_body_get_center(s.world, s.b), cn_v3(1.0f, 0.0f, 0.0f)); // a force there turns nothing
    cn_world_destroy(s.world);
}

static void one_coordinate_has_its_length(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_pos3 p = cn_p3(0.0, 0.0, 0.0), q = cn_p3(3.0, 0.0, 4.0);
    cn_joint_def def = cn_distance_joint(s.world, s.a, s.b, p, q);
    assert_int_equal(def.kind, CN_JOINT_DISTANCE);
    assert_int_equal(def.axes[CN_X].freedom, CN_LOCKED);
    assert_near(def.axes[CN_X].lower, 5.0, 1e-6);
    assert_near(cn_joint_get_place(s.world, cn_joint_create(s.world, &def), CN_X), 5.0, 1e-6);
    def = cn_rope_joint(s.world, s.a, no_body, p, q, 7.0f);
    assert_int_equal(def.axes[CN_X].freedom, CN_LIMITED);
    assert_near(def.axes[CN_X].upper, 7.0, 0.0);
    assert_true(cn_joint_is_valid(s.world, cn_joint_create(s.world, &def)));
    def = cn_spring_joint(s.world, s.a, s.b, p, q, 40.0f, 2.0f);
    assert_int_equal(def.axes[CN_X].freedom, CN_FREE);
    assert_near(def.axes[CN_X].spring_rest, 5.0, 1e-6);
    assert_near(def.axes[CN_X].spring_stiffness, 40.0, 0.0);
    assert_true(cn_joint_is_valid(s.world, cn_joint_create(s.world, &def)));
    def = cn_pulley_joint(s.world, s.a, s.b, p, q, cn_p3(0.0, 2.0, 0.0), cn_p3(3.0, 6.0, 4.0), 0.5f);
    assert_int_equal(def.kind, CN_JOINT_PULLEY);
    assert_int_equal(def.axes[CN_X].freedom, CN_LIMITED);
    assert_near(def.axes[CN_X].upper, 5.0, 1e-6);
    assert_near(cn_joint_get_place(s.world, cn_joint_create(s.world, &def), CN_X), 5.0, 2e-6);
    cn_world_destroy(s.world);
}

static void gears_and_racks_have_axes_at_their_centres(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_vec3 u = random_direction(), v = random_direction();
    cn_joint_def defs[2] = { cn_gear_joint(s.world, s.a, s.b, u, v, -2.0f), cn_rack_joint(s.world, s.a, s.b, u, v, 0.3f) };
    const cn_joint_kind kinds[2] = { CN_JOINT_GEAR, CN_JOINT_RACK };
    for (int i = 0; i < 2; i++) {
        assert_int_equal(defs[i].kind, kinds[i]);
        assert_int_equal(defs[i].axes[CN_X].freedom, CN_LOCKED);
        cn_transform a = frame_in_world(s.world, s.a, defs[i].frame_a), b = frame_in_world(s.world, s.b, defs[i].frame_b);
        assert_below(position_distance(a.position, cn_body_get_center(s.world, s.a)), 1e-6);
        assert_below(position_distance(b.position, cn_body_get_center(s.world, s.b)), 1e-6);
        assert_below(cn_distance(cn_rotate(a.rotation, cn_v3(1.0f, 0.0f, 0.0f)), u), 1e-6);
        assert_below(cn_distance(cn_rotate(b.rotation, cn_v3(1.0f, 0.0f, 0.0f)), v), 1e-6);
        assert_near(cn_joint_get_place(s.world, cn_joint_create(s.world, &defs[i]), CN_X), 0.0, 1e-6);
    }
    cn_world_destroy(s.world);
}

static void defaults_leave_all_free(void **unused)
{
    (void)unused;
    cn_joint_def def = cn_joint_def_default();
    check_freedoms(&def, "ffffff");
    assert_int_equal(def.kind, CN_JOINT_FRAMES);
    assert_true(isinf(def.break_force) && isinf(def.break_torque));
    assert_near(def.ratio, 1.0, 0.0);
    assert_near(def.frame_a.rotation.w, 1.0, 0.0);
    assert_near(def.frame_b.rotation.w, 1.0, 0.0);
}

// The definition is refused, and so is a joint made of it, with the same sentence.
static void check_refused(cn_world *world, cn_joint_def def, const char *function, const char *word)
{
    char said[256];
    snprintf(said, sizeof said, "%s", cn_last_error());
    if (def.kind != CN_JOINT_KIND_COUNT)
        fail_msg("%s took a bad %s", function, word);
    if (strncmp(said, function, strlen(function)) != 0 || strstr(said, word) == NULL)
        fail_msg("%s says \"%s\", and not what is wrong with %s", function, said, word);
    assert_true(CN_IS_NULL(cn_joint_create(world, &def)));
    assert_string_equal(cn_last_error(), said);
}

#define refuse(function, word, ...) check_refused(s.world, function(__VA_ARGS__), #function, word)

static void bad_bodies_are_named(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_pos3 p = cn_p3(0.0, 0.0, 0.0);
    cn_vec3 x = cn_v3(1.0f, 0.0f, 0.0f);
    cn_body_id stale = add_box(s.world, p);
    assert_true(cn_body_destroy(s.world, stale));
    refuse(cn_ball_joint, "both null", s.world, no_body, no_body, p);
    refuse(cn_ball_joint, "same body", s.world, s.a, s.a, p);
    refuse(cn_hinge_joint, "body a", s.world, stale, s.b, p, x);
    refuse(cn_hinge_joint, "body b", s.world, s.a, stale, p, x);
    refuse(cn_rack_joint, "pinion", s.world, stale, s.b, x, x, 1.0f);
    refuse(cn_rack_joint, "rack", s.world, s.a, stale, x, x, 1.0f);
    refuse(cn_fixed_joint, "world is NULL", NULL, s.a, s.b, p);
    refuse(cn_motor_joint, "world is NULL", NULL, s.a, s.b, 1.0f, 1.0f, 1.0f);
    refuse(cn_gear_joint, "same body", s.world, s.b, s.b, x, x, 1.0f);
    cn_world_destroy(s.world);
}

static void bad_axes_and_numbers_are_named(void **unused)
{
    (void)unused;
    scene s = open_scene();
    cn_pos3 p = cn_p3(0.0, 0.0, 0.0), q = cn_p3(1.0, 0.0, 0.0), bad = cn_p3((double)NAN, 0.0, 0.0);
    cn_vec3 x = cn_v3(1.0f, 0.0f, 0.0f), y = cn_v3(0.0f, 1.0f, 0.0f), none = cn_v3(0.0f, 0.0f, 0.0f),
            nan = cn_v3(0.0f, NAN, 0.0f);
    refuse(cn_ball_joint, "anchor", s.world, s.a, s.b, bad);
    refuse(cn_hinge_joint, "axis", s.world, s.a, s.b, p, none);
    refuse(cn_slider_joint, "axis", s.world, s.a, s.b, p, nan);
    refuse(cn_cylindrical_joint, "axis", s.world, s.a, s.b, p, cn_v3(INFINITY, 0.0f, 0.0f));
    refuse(cn_planar_joint, "normal", s.world, s.a, s.b, p, none);
    refuse(cn_cone_twist_joint, "axis", s.world, s.a, s.b, p, none, 1.0f, 1.0f);
    refuse(cn_cone_twist_joint, "swing", s.world, s.a, s.b, p, x, 4.0f, 1.0f);
    refuse(cn_cone_twist_joint, "swing", s.world, s.a, s.b, p, x, -1.0f, 1.0f);
    refuse(cn_cone_twist_joint, "twist", s.world, s.a, s.b, p, x, 1.0f, NAN);
    refuse(cn_distance_joint, "anchor_a", s.world, s.a, s.b, bad, p);
    refuse(cn_distance_joint, "same place", s.world, s.a, s.b, p, p);
    refuse(cn_rope_joint, "anchor_b", s.world, s.a, s.b, p, bad, 1.0f);
    refuse(cn_rope_joint, "length", s.world, s.a, s.b, p, q, -1.0f);
    refuse(cn_spring_joint, "stiffness", s.world, s.a, s.b, p, q, -1.0f, 1.0f);
    refuse(cn_spring_joint, "damping", s.world, s.a, s.b, p, q, 1.0f, NAN);
    refuse(cn_wheel_joint, "up", s.world, s.a, s.b, p, none, x, 1.0f, 1.0f);
    refuse(cn_wheel_joint, "axle", s.world, s.a, s.b, p, y, nan, 1.0f, 1.0f);
    refuse(cn_wheel_joint, "same way", s.world, s.a, s.b, p, x, cn_scale(-2.0f, x), 1.0f, 1.0f);
    refuse(cn_wheel_joint, "stiffness", s.world, s.a, s.b, p, y, x, -1.0f, 1.0f);
    refuse(cn_motor_joint, "hertz", s.world, s.a, s.b, -1.0f, 1.0f, 1.0f);
    refuse(cn_motor_joint, "max_force", s.world, s.a, s.b, 1.0f, -1.0f, 1.0f);
    refuse(cn_motor_joint, "max_torque", s.world, s.a, s.b, 1.0f, 1.0f, NAN);
    refuse(cn_gear_joint, "axis_a", s.world, s.a, s.b, none, x, 1.0f);
    refuse(cn_gear_joint, "axis_b", s.world, s.a, s.b, x, nan, 1.0f);
    refuse(cn_gear_joint, "ratio", s.world, s.a, s.b, x, x, 0.0f);
    refuse(cn_rack_joint, "direction", s.world, s.a, s.b, x, none, 1.0f);
    refuse(cn_rack_joint, "ratio", s.world, s.a, s.b, x, x, NAN);
    refuse(cn_pulley_joint, "ground_a", s.world, s.a, s.b, p, q, bad, q, 1.0f);
    refuse(cn_pulley_joint, "ground_a", s.world, s.a, s.b, p, q, p, p, 1.0f);
    refuse(cn_pulley_joint, "ground_b", s.world, s.a, s.b, p, q, q, q, 1.0f);
    refuse(cn_pulley_joint, "ratio", s.world, s.a, s.b, p, q, q, p, -1.0f);
    assert_int_equal(cn_world_get_joint_count(s.world), 0);
    cn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_leave_all_free),
        cmocka_unit_test(six_freedoms_are_as_named),
        cmocka_unit_test(wheels_have_suspension_and_axle),
        cmocka_unit_test(motors_drive_all_six),
        cmocka_unit_test(one_coordinate_has_its_length),
        cmocka_unit_test(gears_and_racks_have_axes_at_their_centres),
        cmocka_unit_test(bad_bodies_are_named),
        cmocka_unit_test(bad_axes_and_numbers_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
