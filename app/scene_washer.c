// A drum that turns about z with small cubes in it. The drum is one kinematic body of 36 wall segments and 4 paddles; the two
// end caps stand still.
#include "scenes.h"

#define SEGMENTS 36
static const double segment_cos = 0.98480775301220805937, segment_sin = 0.17364817766693034885; // of 10 degrees

static const float radius = 16.0f, wall = 1.0f, half_length = 10.0f;

// A wedge of the wall between two rays: gapless inside, as neighbours share their edge points.
static void add_segment(cn_build *build, cn_body_id drum, const double from[2], const double to[2])
{
    cn_vec3 points[8];
    for (int i = 0; i < 8; ++i) {
        const double *ray = i & 1 ? to : from;
        double distance = (double)(i & 2 ? radius + wall : radius);
        points[i] = (cn_vec3){ (float)(distance * ray[0]), (float)(distance * ray[1]), i & 4 ? half_length : -half_length };
    }
    cn_build_shape(build, drum, cn_hull(cn_build_hull(build, points, 8)), (cn_pose)CN_POSE_IDENTITY);
}

static void add_paddles(cn_build *build, cn_body_id drum)
{
    const float reach = 1.5f, thickness = 0.25f;
    float middle = radius - reach;
    for (int i = 0; i < 4; ++i) {
        float side = i & 2 ? -middle : middle;
        cn_pose offset = CN_POSE_IDENTITY;
        offset.position = i & 1 ? (cn_vec3){ 0.0f, side, 0.0f } : (cn_vec3){ side, 0.0f, 0.0f };
        cn_geometry paddle = i & 1 ? cn_box(thickness, reach, half_length) : cn_box(reach, thickness, half_length);
        cn_build_shape(build, drum, paddle, offset);
    }
}

static void add_cubes(cn_build *build)
{
    const cn_grid grid = { .side = 20, .cell = 0.75, .y = -8.0, .jitter = 0.1f };
    cn_geometry cube = cn_box(0.2f, 0.2f, 0.2f);
    for (int i = 0; i < 8000; ++i)
        cn_build_upright(build, CN_DYNAMIC, cn_grid_place(&grid, i, &build->random), cube);
}

void cn_scene_washer(cn_build *build)
{
    cn_body_id drum = cn_build_body(build, CN_KINEMATIC, (cn_pos3){ 0.0, 0.0, 0.0 }, (cn_quat)CN_QUAT_IDENTITY);
    double from[2] = { 1.0, 0.0 };
    for (int i = 0; i < SEGMENTS; ++i) {
        double to[2] = { from[0] * segment_cos - from[1] * segment_sin, from[0] * segment_sin + from[1] * segment_cos };
        add_segment(build, drum, from, to);
        from[0] = to[0];
        from[1] = to[1];
    }
    add_paddles(build, drum);
    cn_build_velocity(build, drum, (cn_vec3){ 0.0f, 0.0f, 0.0f }, (cn_vec3){ 0.0f, 0.0f, 0.43633231f }); // 25 degrees/s
    cn_geometry cap = cn_box(radius + wall, radius + wall, 0.5f);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, 0.0, (double)-half_length - 0.5 }, cap);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, 0.0, (double)half_length + 0.5 }, cap);
    add_cubes(build);
}
