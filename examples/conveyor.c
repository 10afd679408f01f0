// Conveyor belts: one by the velocity of its surface, and one whose speed the program chooses at every step.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

// The second belt starts slowly: its contacts ask what to do in every step.
static void run_second_belt(void *context, cn_contact_change *change)
{
    const float *speed = context;
    change->surface_velocity = (cn_vec3){ *speed, 0.0f, 0.0f };
}

static void add_belt(cn_world *world, double z, float speed, bool modify)
{
    cn_body_def body = cn_body_def_default();
    body.type = CN_STATIC;
    body.position = (cn_pos3){ 0.0, -0.1, z };
    cn_shape_def belt = cn_shape_def_default();
    belt.geometry = cn_box(20.0f, 0.1f, 0.5f);
    belt.material.surface_velocity = (cn_vec3){ speed, 0.0f, 0.0f };
    belt.modify = modify;
    cn_shape_create(world, cn_body_create(world, &body), &belt);
}

static cn_body_id add_parcel(cn_world *world, double z)
{
    cn_body_def body = cn_body_def_default();
    body.position = (cn_pos3){ 0.0, 0.2, z };
    cn_body_id id = cn_body_create(world, &body);
    cn_shape_def parcel = cn_shape_def_default();
    parcel.geometry = cn_box(0.3f, 0.2f, 0.2f);
    cn_shape_create(world, id, &parcel);
    return id;
}

int main(void)
{
    float speed = 0.0f;
    cn_world_def def = cn_world_def_default();
    def.modify = run_second_belt;
    def.modify_context = &speed;
    cn_world *world = cn_world_create(&def);
    if (world == NULL) {
        fprintf(stderr, "%s\n", cn_last_error());
        return 1;
    }
    add_belt(world, -1.0, 1.5f, false);
    add_belt(world, 1.0, 0.0f, true);
    cn_body_id first = add_parcel(world, -1.0), second = add_parcel(world, 1.0);
    for (int step = 1; step <= 120; step++) {
        speed = step < 60 ? 1.5f * (float)step / 60.0f : 1.5f;
        cn_world_step(world, 1.0f / 60.0f);
        if (step % 20 == 0)
            printf("step %3d   %.3f m   %.3f m\n", step, cn_body_get_transform(world, first).position.x,
                   cn_body_get_transform(world, second).position.x);
    }
    double x = cn_body_get_transform(world, first).position.x, late = cn_body_get_transform(world, second).position.x;
    cn_world_destroy(world);
    // The first parcel slides until it is as fast as its belt, v^2 / (2 mu g) behind it; the second never slides.
    double slid = 1.5 * 1.5 / (2.0 * 0.6 * 10.0);
    return fabs(x - (3.0 - slid)) < 0.03 && fabs(late - 2.25) < 0.05 ? 0 : 1;
}
