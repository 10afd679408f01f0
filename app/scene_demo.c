// Scenes to look at rather than to time.
#include "scenes.h"

void cn_scene_tower(cn_build *build)
{
    cn_build_ground(build);
    for (int i = 0; i < 40; ++i)
        cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.0, i + 0.5, 0.0 }, cn_box(0.5f, 0.5f, 0.5f));
}

// Dominoes 6 degrees apart. The quaternion needs half the angle, so half of it is what advances; the place takes twice that.
void cn_scene_dominoes(cn_build *build)
{
    const double step_cos = 0.99862953475457383, step_sin = 0.05233595624294383; // of 3 degrees
    const double radius = 5.0;
    cn_build_ground(build);
    double c = 1.0, s = 0.0; // of half the angle
    for (int i = 0; i < 60; ++i) {
        cn_pos3 place = { radius * (c * c - s * s), 0.5, -radius * (2.0 * c * s) };
        cn_quat turn = { 0.0f, (float)s, 0.0f, (float)c };
        cn_body_id domino = cn_build_solid(build, CN_DYNAMIC, place, turn, cn_box(0.25f, 0.5f, 0.05f));
        if (i == 0)
            cn_build_velocity(build, domino, (cn_vec3){ 0.0f, 0.0f, -0.5f }, (cn_vec3){ -2.0f, 0.0f, 0.0f });
        double next = c * step_cos - s * step_sin;
        s = c * step_sin + s * step_cos;
        c = next;
    }
}

// Two spheres on a bar: a body of several shapes.
static void add_dumbbell(cn_build *build, cn_pos3 place, cn_quat rotation)
{
    cn_body_id body = cn_build_body(build, CN_DYNAMIC, place, rotation);
    cn_pose left = CN_POSE_IDENTITY, right = CN_POSE_IDENTITY;
    left.position.x = -0.35f;
    right.position.x = 0.35f;
    cn_build_shape(build, body, cn_box(0.35f, 0.08f, 0.08f), (cn_pose)CN_POSE_IDENTITY);
    cn_build_shape(build, body, cn_sphere(0.22f), left);
    cn_build_shape(build, body, cn_sphere(0.22f), right);
}

void cn_scene_shapes(cn_build *build)
{
    const cn_grid grid = { .side = 8, .cell = 1.3, .y = 0.2, .jitter = 0.05f };
    cn_build_pit(build, 6.0f, 20.0f);
    for (int i = 0; i < 600; ++i) {
        cn_pos3 place = cn_grid_place(&grid, i, &build->random);
        cn_quat rotation = cn_random_rotation(&build->random);
        switch (i % 6) {
        case 0: cn_build_solid(build, CN_DYNAMIC, place, rotation, cn_sphere(0.45f)); break;
        case 1: {
            cn_geometry limb = i % 12 == 1 ? cn_capsule(0.3f, 0.25f) : cn_tapered_capsule(0.3f, 0.3f, 0.2f);
            cn_build_solid(build, CN_DYNAMIC, place, rotation, limb);
            break;
        }
        case 2: cn_build_solid(build, CN_DYNAMIC, place, rotation, cn_box(0.4f, 0.3f, 0.25f)); break;
        case 3: cn_build_solid(build, CN_DYNAMIC, place, rotation, cn_cylinder(0.35f, 0.3f)); break;
        case 4: cn_build_solid(build, CN_DYNAMIC, place, rotation, cn_hull(cn_build_stone(build, 16, 1.0f))); break;
        default: add_dumbbell(build, place, rotation); break;
        }
    }
}
