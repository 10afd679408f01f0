// One-way platform: a box jumps through it from below and lands on top.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

// The platform holds only what comes down on its upper side: everything else passes. Its contacts are the only ones that ask
// for this.
static void hold_from_above(void *context, cn_contact_change *change)
{
    const cn_body_id *platform = context;
    float up = CN_ID_EQUALS(change->body_a, *platform) ? 1.0f : -1.0f; // normal and velocity are those of b seen from a
    if (up * change->normal.y < 0.9f || up * change->relative_velocity.y > 0.01f)
        change->enabled = false;
}

static cn_body_id add_box(cn_world *world, cn_body_type type, double y, cn_vec3 half, bool modify)
{
    cn_body_def body = cn_body_def_default();
    body.type = type;
    body.position = (cn_pos3){ 0.0, y, 0.0 };
    cn_body_id id = cn_body_create(world, &body);

    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_box(half.x, half.y, half.z);
    shape.modify = modify;
    cn_shape_create(world, id, &shape);
    return id;
}

int main(void)
{
    cn_body_id platform;
    cn_world_def def = cn_world_def_default();
    def.modify = hold_from_above;
    def.modify_context = &platform;
    cn_world *world = cn_world_create(&def);
    if (world == NULL) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    add_box(world, CN_STATIC, -1.0, (cn_vec3){ 10.0f, 1.0f, 10.0f }, false);
    platform = add_box(world, CN_STATIC, 2.0, (cn_vec3){ 2.0f, 0.1f, 2.0f }, true);
    cn_body_id box = add_box(world, CN_DYNAMIC, 0.5, (cn_vec3){ 0.5f, 0.5f, 0.5f }, false);
    cn_body_set_linear_velocity(world, box, (cn_vec3){ 0.0f, 8.5f, 0.0f });

    double highest = 0.0, height = 0.0;
    for (int step = 1; step <= 150; step++) {
        cn_world_step(world, 1.0f / 60.0f);
        height = cn_body_get_transform(world, box).position.y;
        highest = height > highest ? height : highest;
        if (step % 10 == 0)
            printf("step %3d   height %.3f m\n", step, height);
    }
    cn_world_destroy(world);
    // It rose as if there were no platform, by v^2 / (2 g), and rests on its upper side at 2.1 m.
    return fabs(highest - (0.5 + 8.5 * 8.5 / 20.0)) < 0.05 && fabs(height - 2.6) < 0.01 ? 0 : 1;
}
