// The smallest use of an installed Cairn from C: make a world, step it, and see gravity at work.
#include <cairn/cairn.h>

#include <stdio.h>

int main(void)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    if (world == NULL) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    cn_body_def body_def = cn_body_def_default();
    body_def.type = CN_DYNAMIC;
    cn_body_id body = cn_body_create(world, &body_def);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_sphere(0.5f);
    cn_shape_create(world, body, &shape);
    cn_step_report report = cn_world_step(world, 1.0f / 60.0f);
    float speed = cn_body_get_linear_velocity(world, body).y;
    cn_world_destroy(world);

    cn_version version = cn_get_version();
    printf("cairn %d.%d.%d: after one step the ball moves at %.4f m/s\n", version.major, version.minor, version.patch,
           (double)speed);
    return report.ok && speed < 0.0f ? 0 : 1;
}
