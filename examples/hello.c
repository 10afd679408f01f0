// Hello world: a box falls onto the ground and comes to rest.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

static cn_body_id add_box(cn_world *world, cn_body_type type, double y, cn_vec3 half)
{
    cn_body_def body = cn_body_def_default();
    body.type = type;
    body.position = (cn_pos3){ 0.0, y, 0.0 };
    cn_body_id id = cn_body_create(world, &body);

    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_box(half.x, half.y, half.z);
    cn_shape_create(world, id, &shape);
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
    add_box(world, CN_STATIC, -1.0, (cn_vec3){ 10.0f, 1.0f, 10.0f });
    cn_body_id box = add_box(world, CN_DYNAMIC, 3.0, (cn_vec3){ 0.5f, 0.5f, 0.5f });

    for (int step = 1; step <= 120; step++) {
        cn_step_report report = cn_world_step(world, 1.0f / 60.0f);
        if (!report.ok) {
            fprintf(stderr, "%s\n", cn_last_error());
            return 1;
        }
        if (step % 10 == 0)
            printf("step %3d   height %.4f m\n", step, cn_body_get_transform(world, box).position.y);
    }
    double height = cn_body_get_transform(world, box).position.y;
    float speed = cn_body_get_linear_velocity(world, box).y;
    cn_world_destroy(world);
    // At rest the centre of a unit cube lies half a metre above the ground.
    return fabs(height - 0.5) < 0.01 && fabsf(speed) < 0.01f ? 0 : 1;
}
