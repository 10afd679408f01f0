#include "scenes.h"

void cn_build_pyramid(cn_build *build, int base, double x, double z)
{
    cn_geometry cube = cn_box(0.5f, 0.5f, 0.5f);
    for (int i = 0; i < base; ++i) {
        for (int j = i; j < base; ++j) {
            cn_pos3 place = { x + 0.5 * (i + 1) + (j - i) - 0.5 * base, i + 0.5, z };
            cn_build_upright(build, CN_DYNAMIC, place, cube);
        }
    }
}

void cn_scene_pyramid(cn_build *build)
{
    cn_build_ground(build);
    cn_build_pyramid(build, 100, 0.0, 0.0);
}

void cn_scene_pyramids(cn_build *build)
{
    const int side = 14, base = 10;
    const double apart_x = 12.0, apart_z = 3.0; // 2 m of air between neighbours
    cn_build_ground(build);
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column)
            cn_build_pyramid(build, base, (column - 0.5 * (side - 1)) * apart_x, (row - 0.5 * (side - 1)) * apart_z);
}
