// Ragdolls that rain onto the hills of mesh_pile.
#include "scenes.h"

#include "math/vec.h"

void cn_scene_ragdolls(cn_build *build)
{
    const cn_grid grid = { .side = 5, .cell = 2.4, .y = 1.5, .jitter = 0.2f };
    cn_build_terrain(build);
    cn_ragdoll_def def = cn_ragdoll_def_default();
    def.material = build->material;
    for (int i = 0; i < 100; ++i) {
        cn_ragdoll ragdoll;
        cn_pos3 middle = cn_grid_place(&grid, i, &build->random);
        def.rotation = cn_random_rotation(&build->random);
        def.position = cn_pos_add(middle, cn_rotate(def.rotation, cn_v3(0.0f, -0.5f * def.height, 0.0f)));
        def.velocity = cn_random_vector(&build->random, 1.0f);
        cn_build_ragdoll(build, &def, &ragdoll);
    }
}
