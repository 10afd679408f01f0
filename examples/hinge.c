// A barrier on a hinge: a motor lifts it to its stop, friction holds it there, and the hinge tells what it carries.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

static cn_body_id add_boom(cn_world *world)
{
    cn_body_def body = cn_body_def_default();
    body.position = (cn_pos3){ 2.0, 1.0, 0.0 }; // 4 m long, 20 kg
    cn_body_id id = cn_body_create(world, &body);
    cn_shape_def boom = cn_shape_def_default();
    boom.geometry = cn_box(2.0f, 0.05f, 0.05f);
    boom.density = 500.0f;
    cn_shape_create(world, id, &boom);
    return id;
}

int main(void)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    if (world == NULL) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    cn_body_id boom = add_boom(world), the_world = { 0 };
    cn_joint_def hinge = cn_hinge_joint(world, the_world, boom, (cn_pos3){ 0.0, 1.0, 0.0 }, (cn_vec3){ 0.0f, 0.0f, 1.0f });
    cn_joint_axis *turn = &hinge.axes[CN_TWIST];
    turn->freedom = CN_LIMITED; // between lying and nearly upright
    turn->lower = 0.0f;
    turn->upper = 1.4f;
    turn->motor = CN_MOTOR_SPEED;
    turn->motor_target = 0.7f;      // rad/s
    turn->motor_max_force = 600.0f; // N m; the weight of the boom needs 400 to begin with
    turn->friction = 100.0f;        // N m
    cn_joint_id id = cn_joint_create(world, &hinge);
    if (CN_IS_NULL(id)) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    for (int step = 1; step <= 240; step++) {
        if (step == 180)
            cn_joint_set_motor(world, id, CN_TWIST, CN_MOTOR_OFF, 0.0f, 0.0f);
        cn_world_step(world, 1.0f / 60.0f);
        if (step % 30 == 0)
            printf("%.1f s   %5.3f rad   motor %6.1f N m\n", step / 60.0, (double)cn_joint_get_place(world, id, CN_TWIST),
                   (double)cn_joint_get_reaction(world, id).motor_force[CN_TWIST]);
    }
    float angle = cn_joint_get_place(world, id, CN_TWIST);
    cn_vec3 force = cn_joint_get_reaction(world, id).force;
    printf("at rest at %.3f rad; the hinge carries %.1f N\n", (double)angle, (double)force.y);
    cn_world_destroy(world);
    return fabsf(angle - 1.4f) < 0.02f && fabsf(force.y - 200.0f) < 2.0f ? 0 : 1;
}
