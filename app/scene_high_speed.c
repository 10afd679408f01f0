// Fast bodies in a hollow cube, as in the benchmark HighSpeed of Jolt Physics.
#include "scenes.h"

enum { BODIES = 5000 };
#define HALF_ROOM 50.0f     // m, to the middle of the walls
#define HALF_WALL 0.2f      // m
#define SIZE 0.5f           // m
#define THIN (0.25f * SIZE) // m
#define SPEED 250.0f        // m/s

static void add_walls(cn_build *build)
{
    build->material.restitution = 1.0f;
    build->material.friction = 1.0f;
    for (int i = 0; i < 6; i++) {
        float half[3] = { HALF_ROOM, HALF_ROOM, HALF_ROOM };
        double place[3] = { 0.0, 0.0, 0.0 };
        half[i / 2] = HALF_WALL;
        place[i / 2] = i % 2 == 0 ? -(double)HALF_ROOM : (double)HALF_ROOM;
        cn_build_upright(build, CN_STATIC, (cn_pos3){ place[0], place[1], place[2] }, cn_box(half[0], half[1], half[2]));
    }
}

static void add_shapes(cn_build *build, cn_body_id body, int kind)
{
    const cn_quat straight = { 0.0f, 0.0f, 0.0f, 1.0f };
    if (kind == 0) {
        cn_build_shape(build, body, cn_sphere(SIZE), (cn_pose){ { 0.0f, 0.0f, 0.0f }, straight });
    } else if (kind == 1) {
        cn_build_shape(build, body, cn_box(0.5f * SIZE, SIZE, SIZE), (cn_pose){ { 0.0f, 0.0f, 0.0f }, straight });
    } else {
        cn_build_shape(build, body, cn_capsule(SIZE, THIN), (cn_pose){ { 0.0f, SIZE, 0.0f }, straight });
        cn_build_shape(build, body, cn_box(SIZE, THIN, THIN), (cn_pose){ { SIZE, 0.0f, 0.0f }, straight });
    }
}

void cn_scene_high_speed(cn_build *build)
{
    cn_random *random = &build->random;
    add_walls(build);
    for (int i = 0; i < BODIES; i++) {
        cn_vec3 place = cn_random_vector(random, 0.9f * HALF_ROOM);
        cn_quat rotation = cn_random_rotation(random);
        cn_body_id body =
            cn_build_body(build, CN_DYNAMIC, (cn_pos3){ (double)place.x, (double)place.y, (double)place.z }, rotation);
        build->material.friction = cn_random_range(random, 0.5f, 1.0f);
        build->material.restitution = cn_random_range(random, 0.9f, 1.0f);
        add_shapes(build, body, i % 3);
        cn_vec3 way = cn_random_direction(random);
        cn_build_velocity(build, body, (cn_vec3){ SPEED * way.x, SPEED * way.y, SPEED * way.z }, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    }
}

int cn_high_speed_fallen(const cn_build *build)
{
    int count = 0;
    for (int i = 0; i < build->body_count; i++) {
        cn_pos3 p = cn_body_get_center(build->world, build->bodies[i]);
        double far = (double)(HALF_ROOM + HALF_WALL);
        count += !(p.x >= -far && p.x <= far && p.y >= -far && p.y <= far && p.z >= -far && p.z <= far);
    }
    return count;
}
