// A shoulder: one friction for all three axes of a ball joint, and a motor that takes the arm to a rotation on the shortest
// way.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

// Between two rotations, rad.
static double angle_between(cn_quat a, cn_quat b)
{
    double cosine = fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
    return 2.0 * acos(cosine < 1.0 ? cosine : 1.0);
}

int main(void)
{
    cn_world_def settings = cn_world_def_default();
    cn_world *world = cn_world_create(&settings);

    // An upper arm of 2 kg that hangs from the shoulder at (0, 1.4, 0).
    cn_body_def body = cn_body_def_default();
    body.position = (cn_pos3){ 0.0, 1.25, 0.0 };
    cn_body_id arm = cn_body_create(world, &body);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_tapered_capsule(0.11f, 0.035f, 0.05f);
    shape.density = 1000.0f;
    cn_shape_create(world, arm, &shape);

    const cn_body_id the_world = { 0 };
    cn_joint_def shoulder = cn_ball_joint(world, the_world, arm, (cn_pos3){ 0.0, 1.4, 0.0 });
    shoulder.ball.friction = 0.2f;          // N m, against any turning
    shoulder.ball.motor_max_torque = 20.0f; // N m, in every direction
    cn_joint_id id = cn_joint_create(world, &shoulder);

    const cn_quat target = { 0.0f, 0.48f, 0.6f, 0.64f }; // by 100 degrees, up and to the front
    if (!cn_joint_set_target_rotation(world, id, target)) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    for (int step = 0; step < 120; step++) {
        cn_world_step(world, 1.0f / 60.0f);
        if (step % 20 == 19) {
            cn_vec3 t = cn_joint_get_reaction(world, id).motor_torque;
            printf("%.2f s: %.3f rad to go, the motor gives %.2f N m\n", (step + 1) / 60.0,
                   angle_between(cn_joint_get_rotation(world, id), target), sqrt((double)(t.x * t.x + t.y * t.y + t.z * t.z)));
        }
    }
    double left = angle_between(cn_joint_get_rotation(world, id), target);
    cn_world_destroy(world);
    return left < 0.1 ? 0 : 1;
}
