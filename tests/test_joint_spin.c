// Joints on bodies that spin faster than substeps can follow stay finite, and hold again when the spin is gone.
#include "joint_rigs.h"

#include <cairn/ragdoll.h>

static bool is_finite(cn_world *world, cn_body_id body)
{
    cn_transform t = cn_body_get_transform(world, body);
    cn_vec3 w = cn_body_get_angular_velocity(world, body);
    return isfinite(t.position.x + t.position.y + t.position.z) && isfinite(w.x + w.y + w.z);
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
            assert_true(is_finite(world, ragdoll.bodies[bone]) && isfinite(cn_body_get_push(world, ragdoll.bodies[bone]).force.y));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blow_to_a_hand_is_borne),
        cmocka_unit_test(a_box_on_a_ball_joint_may_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
