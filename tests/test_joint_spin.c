// Joints on bodies that spin faster than substeps can follow stay finite, and hold again when the spin is gone.
#include "joint_rigs.h"
#include "math/vec.h"
#include "world/lost.h"

#include <cairn/ragdoll.h>

static bool is_finite(cn_world *world, cn_body_id body)
{
    cn_transform t = cn_body_get_transform(world, body);
    cn_vec3 w = cn_body_get_angular_velocity(world, body);
    return isfinite(t.position.x + t.position.y + t.position.z) && isfinite(w.x + w.y + w.z);
}

// Returns how many times a body was lost.
static int step_finite(cn_world *world, int steps)
{
    int lost = 0;
    for (int i = 0; i < steps; i++) {
        cn_step_report report = cn_world_step(world, 1.0f / 60.0f);
        lost += report.lost;
        if (!report.ok || !cn_world_is_finite(world))
            fail_msg("step %d: %s", i, cn_last_error());
    }
    return lost;
}

static void a_blow_to_a_hand_is_borne(void **unused)
{
    (void)unused;
    for (float blow = 16.0f; blow <= 512.0f; blow *= 2.0f) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = cn_world_create(&def);
        cn_body_def body = cn_body_def_default();
        body.type = CN_STATIC;
        body.position.y = -1.0;
        cn_shape_def ground = cn_shape_def_default();
        ground.geometry = cn_box(50.0f, 1.0f, 50.0f);
        cn_shape_create(world, cn_body_create(world, &body), &ground);
        cn_ragdoll_def doll = cn_ragdoll_def_default();
        doll.position.y = 0.02;
        cn_ragdoll ragdoll;
        assert_true(cn_ragdoll_create(world, &doll, &ragdoll));
        cn_pos3 point = cn_body_get_center(world, ragdoll.bodies[CN_BONE_LEFT_HAND]);
        point.z += 0.1;
        cn_body_apply_impulse_at(world, ragdoll.bodies[CN_BONE_LEFT_HAND], (cn_vec3){ blow, 0.5f * blow, 0.0f }, point);
        for (int i = 0; i < 300; i++)
            cn_world_step(world, 1.0f / 60.0f);
        for (int bone = 0; bone < CN_BONE_COUNT; bone++)
            assert_true(is_finite(world, ragdoll.bodies[bone]) &&
                        isfinite(cn_body_get_push(world, ragdoll.bodies[bone]).force.y));
        for (int bone = 1; bone < CN_BONE_COUNT; bone++)
            assert_true(cn_joint_get_error(world, ragdoll.joints[bone]).linear < 0.05f);
        cn_world_destroy(world);
    }
}

static void a_box_on_a_ball_joint_may_spin(void **unused)
{
    (void)unused;
    for (float spin = 1e3f; spin < 2e5f; spin *= 3.1622776f) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = cn_world_create(&def);
        cn_body_def body = cn_body_def_default();
        body.angular_velocity = (cn_vec3){ spin, 0.5f * spin, 0.0f };
        cn_body_id box = cn_body_create(world, &body);
        cn_shape_def shape = cn_shape_def_default();
        shape.geometry = cn_box(1.0f, 0.5f, 0.25f);
        cn_shape_create(world, box, &shape);
        cn_joint_def joint = cn_ball_joint(world, box, the_world, (cn_pos3){ 0.0, 2.0, 0.0 });
        cn_joint_id id = cn_joint_create(world, &joint);
        for (int i = 0; i < 120; i++)
            cn_world_step(world, 1.0f / 60.0f);
        assert_true(is_finite(world, box) && isfinite(cn_joint_get_reaction(world, id).force.x));
        cn_world_destroy(world);
    }
}

// A blow of 286 N s beside the centre of any bone, along any axis: nothing is lost for good, nothing is frozen.
static void a_blow_to_any_bone_is_borne(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3 * CN_BONE_COUNT; i++) {
        int bone = i / 3;
        cn_world_def def = cn_world_def_default();
        cn_world *world = cn_world_create(&def);
        cn_ragdoll_def doll = cn_ragdoll_def_default();
        cn_ragdoll ragdoll;
        assert_true(cn_ragdoll_create(world, &doll, &ragdoll));
        cn_vec3 blow = i % 3 == 0   ? cn_v3(256.0f, 128.0f, 0.0f)
                       : i % 3 == 1 ? cn_v3(0.0f, 256.0f, -128.0f)
                                    : cn_v3(-128.0f, 0.0f, 256.0f);
        cn_vec3 beside = i % 3 == 0 ? cn_v3(0.0f, 0.0f, 0.1f) : i % 3 == 1 ? cn_v3(0.1f, 0.0f, 0.0f) : cn_v3(0.0f, 0.1f, 0.0f);
        cn_pos3 point = cn_pos_add(cn_body_get_center(world, ragdoll.bodies[bone]), beside);
        assert_true(cn_body_apply_impulse_at(world, ragdoll.bodies[bone], blow, point));
        step_finite(world, 60);
        cn_pos3 before = cn_body_get_center(world, ragdoll.bodies[bone]);
        assert_true(cn_body_apply_impulse(world, ragdoll.bodies[bone], cn_v3(0.0f, 0.0f, 20.0f)));
        assert_int_equal(step_finite(world, 4), 0);
        assert_true(cn_body_get_center(world, ragdoll.bodies[bone]).z != before.z);
        cn_world_destroy(world);
    }
}

// 3.2e4 rad/s about any axis, on every joint that ties one body to the world: no body is lost.
static void a_box_on_any_joint_may_spin(void **unused)
{
    (void)unused;
    for (int i = 0; i < TIES * 4; i++) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = cn_world_create(&def);
        cn_body_def body = cn_body_def_default();
        cn_vec3 axis = i % 4 == 3 ? cn_v3(0.9f, 0.4f, -0.2f) : cn_v3(i % 4 == 0, i % 4 == 1, i % 4 == 2);
        body.angular_velocity = cn_scale(3.2e4f, axis);
        cn_body_id box = cn_body_create(world, &body);
        cn_shape_def shape = cn_shape_def_default();
        shape.geometry = cn_box(1.0f, 0.5f, 0.25f);
        cn_shape_create(world, box, &shape);
        cn_joint_def joint = tie_to_world(world, i / 4, box, z_axis, y_axis);
        assert_false(CN_IS_NULL(cn_joint_create(world, &joint)));
        int lost = step_finite(world, 60);
        if (lost > 0)
            fail_msg("joint %d, axis %d: %d lost", i / 4, i % 4, lost);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blow_to_a_hand_is_borne),
        cmocka_unit_test(a_box_on_a_ball_joint_may_spin),
        cmocka_unit_test(a_blow_to_any_bone_is_borne),
        cmocka_unit_test(a_box_on_any_joint_may_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
