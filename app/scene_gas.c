// A gas of spheres in a closed room.
#include "scenes.h"

#include <math.h>

enum { SPHERES_PER_SIDE = 13 };
#define SPHERE_RADIUS 0.15f

static void add_walls(cn_build *build, cn_body_id walls[6])
{
    const float thick = 1.0f, wide = CN_GAS_HALF_ROOM + 2.0f * thick, away = CN_GAS_HALF_ROOM + thick;
    for (int i = 0; i < 6; i++) {
        float half[3] = { wide, wide, wide }, place[3] = { 0.0f, 0.0f, 0.0f };
        half[i / 2] = thick;
        place[i / 2] = i % 2 == 0 ? -away : away;
        walls[i] = cn_build_upright(build, CN_STATIC, (cn_pos3){ (double)place[0], (double)place[1], (double)place[2] },
                                    cn_box(half[0], half[1], half[2]));
    }
}

// All with the same speed, in random directions: as far from Maxwell's distribution as can be.
void cn_build_gas(cn_build *build, cn_body_id walls[6])
{
    const int n = SPHERES_PER_SIDE;
    add_walls(build, walls);
    for (int i = 0; i < n * n * n; i++) {
        double apart = 2.0 * (double)CN_GAS_HALF_ROOM / n;
        cn_pos3 place = { apart * (i % n - 0.5 * (n - 1)), apart * (i / n % n - 0.5 * (n - 1)),
                          apart * (i / n / n - 0.5 * (n - 1)) };
        cn_body_id ball = cn_build_upright(build, CN_DYNAMIC, place, cn_sphere(SPHERE_RADIUS));
        cn_vec3 v = cn_random_vector(&build->random, 1.0f);
        float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z), scale = CN_GAS_SPEED / fmaxf(length, 1e-3f);
        cn_build_velocity(build, ball, (cn_vec3){ scale * v.x, scale * v.y, scale * v.z }, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    }
}

void cn_scene_gas(cn_build *build)
{
    cn_body_id walls[6];
    cn_world_set_gravity(build->world, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    build->material.restitution = 1.0f;
    build->material.friction = 0.0f;
    cn_build_gas(build, walls);
}
