// A house of bricks without mortar, and a ball that comes flying.
#include "scenes.h"

// A brick is twice as long as wide: then courses that take turns in having the corners lie in bond by themselves.
static const double width = 0.25, height = 0.2;
static const int bricks_along = 25, courses = 32;

// A course of one wall: `count` bricks end to end, the first one beginning at `start`, along x or along z.
static void add_row(cn_build *build, int count, double start, double y, double side, bool along_x)
{
    float half_width = (float)(0.5 * width), half_height = (float)(0.5 * height), half_length = (float)width;
    cn_geometry brick = along_x ? cn_box(half_length, half_height, half_width) : cn_box(half_width, half_height, half_length);
    for (int i = 0; i < count; ++i) {
        double along = start + (2 * i + 1) * width;
        cn_pos3 place = along_x ? (cn_pos3){ along, y, side } : (cn_pos3){ side, y, along };
        cn_build_upright(build, CN_DYNAMIC, place, brick);
    }
}

// Four walls. In every course two opposite walls reach over the corners and the other two fit in between, shorter by one brick.
static void add_course(cn_build *build, int course)
{
    double end = bricks_along * width, side = end - 0.5 * width, y = (course + 0.5) * height;
    bool x_reaches = course % 2 == 0;
    for (int i = 0; i < 4; ++i) {
        bool along_x = i < 2, reaches = along_x == x_reaches;
        add_row(build, reaches ? bricks_along : bricks_along - 1, reaches ? -end : width - end, y, i & 1 ? side : -side,
                along_x);
    }
}

void cn_scene_bricks(cn_build *build)
{
    cn_build_ground(build);
    build->density = 2000.0f;
    for (int course = 0; course < courses; ++course)
        add_course(build, course);
    // One second of flight, back down to the height it came from: until then the house stands by itself.
    double z = bricks_along * width + 30.5;
    cn_body_id ball = cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.3, 2.5, z }, cn_sphere(0.5f));
    cn_build_velocity(build, ball, (cn_vec3){ 0.0f, 5.0f, -30.0f }, (cn_vec3){ 0.0f, 0.0f, 0.0f });
}
