// An automatic door that closes on a box: it stalls, or opens again.
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

static cn_body_id add_box(cn_world *world, cn_body_type type, cn_pos3 position, cn_geometry geometry)
{
    cn_body_def body = cn_body_def_default();
    body.type = type;
    body.position = position;
    cn_body_id id = cn_body_create(world, &body);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = geometry;
    shape.density = 80.0f;
    cn_shape_create(world, id, &shape);
    return id;
}

// A sliding door that closes in 4 s, as far as the frame at x = 1, with no more than 150 N.
static cn_body_id add_door(cn_world *world, cn_blocked blocked)
{
    const cn_path_key keys[] = {
        { 0.0, { { -1.05, 1.01, 0.0 }, CN_QUAT_IDENTITY } },
        { 4.0, { { 0.95, 1.01, 0.0 }, CN_QUAT_IDENTITY } },
    };
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 2;
    path.ease = CN_PATH_SMOOTH;
    path.max_force = 150.0f;
    path.blocked = blocked;
    cn_body_id door = add_box(world, CN_KINEMATIC, keys[0].transform.position, cn_box(0.05f, 1.0f, 0.5f));
    if (!cn_body_set_path(world, door, &path))
        fprintf(stderr, "%s\n", cn_last_error());
    return door;
}

// Returns where the door is in the end.
static double close_on_a_box(cn_blocked blocked)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    if (world == NULL) {
        fprintf(stderr, "%s\n", cn_last_error());
        return (double)NAN;
    }
    add_box(world, CN_STATIC, (cn_pos3){ 0.0, -1.0, 0.0 }, cn_box(10.0f, 1.0f, 10.0f));
    add_box(world, CN_STATIC, (cn_pos3){ 1.1, 1.0, 0.0 }, cn_box(0.1f, 1.0f, 1.0f));
    add_box(world, CN_DYNAMIC, (cn_pos3){ 0.2, 0.25, 0.0 }, cn_box(0.25f, 0.25f, 0.25f));
    cn_body_id door = add_door(world, blocked);
    for (int step = 1; step <= 360; step++) {
        cn_world_step(world, 1.0f / 60.0f);
        int count;
        const cn_path_event *events = cn_world_get_path_events(world, &count);
        for (int i = 0; i < count; i++)
            printf("step %3d   %s at %.3f m by %.0f N\n", step, events[i].blocked ? "blocked" : "free",
                   cn_body_get_transform(world, door).position.x, (double)events[i].force);
        if (step % 60 == 0)
            printf("step %3d   door at %.3f m, pushed by %.1f N\n", step, cn_body_get_transform(world, door).position.x,
                   (double)cn_body_get_push(world, door).pressure);
    }
    double x = cn_body_get_transform(world, door).position.x;
    cn_world_destroy(world);
    return x;
}

int main(void)
{
    printf("a door that stalls\n");
    double stalled = close_on_a_box(CN_BLOCKED_STALL);
    printf("a door that opens again\n");
    double opened = close_on_a_box(CN_BLOCKED_REVERSE);
    // The box, half a metre wide, is against the frame, and the door against the box.
    return fabs(stalled - 0.45) < 0.005 && opened < 0.45 ? 0 : 1;
}
