#include "scenes.h"

// Each cube is randomly turned: upright columns of cubes could simply stay up. A cell of 1.8 m holds a unit cube, whose
// diagonal is 1.733 m, however it is turned and jittered.
void cn_scene_heap(cn_build *build)
{
    const int count = 5000;
    const cn_grid grid = { .side = 11, .cell = 1.8, .y = 0.1, .jitter = 0.03f };
    cn_geometry cube = cn_box(0.5f, 0.5f, 0.5f);
    cn_build_pit(build, 10.0f, 80.0f);
    for (int i = 0; i < count; ++i) {
        cn_pos3 place = cn_grid_place(&grid, i, &build->random);
        cn_build_solid(build, CN_DYNAMIC, place, cn_random_rotation(&build->random), cube);
    }
}
