// Boxes on a hilly triangle mesh.
#include "scenes.h"

#include "math/vec.h"

#include <stdlib.h>

// Hills and hollows, 2 m from bottom to top. Made of 100 x 100 cells of 1 m, two triangles each.
static const double wave = 0.41887902047863909846; // 2 pi / 15 m
static const double between = 0.02;                // m of air between boxes
enum { CELLS = CN_TERRAIN_CELLS, SAMPLES = CELLS + 1 };

float cn_terrain_height(float x, float z)
{
    float sine_x, sine_z, cosine;
    cn_sin_cos((float)(wave * (double)x), &sine_x, &cosine);
    cn_sin_cos((float)(wave * (double)z), &sine_z, &cosine);
    return sine_x * sine_z;
}

void cn_build_terrain(cn_build *build)
{
    cn_vec3 *vertices = malloc(sizeof *vertices * SAMPLES * SAMPLES);
    int *indices = malloc(sizeof *indices * 6 * CELLS * CELLS);
    cn_mesh_def def = cn_mesh_def_default();
    if (!vertices || !indices) {
        cn_build_fail(build, "out of memory for the terrain");
    } else {
        for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
            float x = (float)(i % SAMPLES - CELLS / 2), z = (float)(i / SAMPLES - CELLS / 2);
            vertices[i] = (cn_vec3){ x, cn_terrain_height(x, z), z };
        }
        for (int i = 0; i < CELLS * CELLS; ++i) {
            int corner = i / CELLS * SAMPLES + i % CELLS;
            const int cell[6] = { corner, corner + SAMPLES, corner + SAMPLES + 1, corner, corner + SAMPLES + 1, corner + 1 };
            for (int j = 0; j < 6; ++j)
                indices[6 * i + j] = cell[j];
        }
        def.vertices = vertices;
        def.vertex_count = SAMPLES * SAMPLES;
        def.indices = indices;
        def.triangle_count = 2 * CELLS * CELLS;
        cn_build_mesh(build, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_mesh_create(&def));
    }
    free(vertices);
    free(indices);
}

// A row of boxes of one height and depth, loosely side by side, that begins at a random place.
static void drop_row(cn_build *build, double half_length, double y, double z, float half_y, float half_z, int *left)
{
    double x = -half_length + (double)cn_random_range(&build->random, 0.0f, 1.0f);
    while (x<half_length && * left> 0) {
        float half_x = cn_random_range(&build->random, 0.3f, 0.6f);
        cn_pos3 place = { x + (double)half_x, y + (double)half_y, z + (double)half_z };
        cn_build_upright(build, CN_DYNAMIC, place, cn_box(half_x, half_y, half_z));
        x += 2.0 * (double)half_x + between;
        --*left;
    }
}

// Layers of rows, dropped as one loose block that breaks up on the hills. Boxes that fall however they are turned come to rest
// on 5 points each on average; here many keep faces together, and there are more than 8 for each.
void cn_scene_mesh_pile(cn_build *build)
{
    const double half = 12.0; // of the block's side
    double y = 1.2;
    cn_build_terrain(build);
    for (int left = 5000; left > 0;) {
        float half_y = cn_random_range(&build->random, 0.3f, 0.6f);
        for (double z = -half; z < half;) {
            float half_z = cn_random_range(&build->random, 0.3f, 0.6f);
            drop_row(build, half, y, z, half_y, half_z, &left);
            z += 2.0 * (double)half_z + between;
        }
        y += 2.0 * (double)half_y + between;
    }
}

// A body's centre is 0.3 m above what it lies on at least, more than the hills differ from their triangles.
int cn_terrain_fallen(const cn_build *build)
{
    const double half = 0.5 * CELLS, bottom = -1.0;
    int fallen = 0;
    for (int i = 0; i < build->body_count; ++i) {
        if (cn_body_get_type(build->world, build->bodies[i]) != CN_DYNAMIC)
            continue;
        cn_pos3 place = cn_body_get_center(build->world, build->bodies[i]);
        double x = place.x - build->origin;
        bool above = x >= -half && x <= half && place.z >= -half && place.z <= half;
        fallen += place.y < (above ? (double)cn_terrain_height((float)x, (float)place.z) : bottom);
    }
    return fallen;
}
