// Ground of many parts for the tests of motion: a triangle mesh and a height field side by side, and a wall of many stones as one.
#ifndef TEST_ROUGH_GROUND_H
#define TEST_ROUGH_GROUND_H

#include "cell_mesh.h"

enum { ROUGH_CELLS = 12, ROUGH_SAMPLES = (ROUGH_CELLS + 1) * (ROUGH_CELLS + 1) };

// Bumps of 0.3 m, without a sine.
static inline float rough_height(int column, int row)
{
    return 0.1f * (float)((column * column + 3 * row + column * row) % 4) - 0.3f;
}

static inline void place_static(cn_world *world, cn_pos3 position, cn_geometry geometry)
{
    cn_shape_def shape = solid_def(geometry, 0.6f, 0.0f);
    add_upright(world, CN_STATIC, position, &shape);
}

static inline float rough_vertex(const void *context, int column, int row)
{
    (void)context;
    return rough_height(column, row);
}

// The square of 12 m with its corner at (x, z).
static inline void add_rough_mesh(cn_world *world, double x, double z, bool smooth)
{
    cn_mesh *mesh = make_cell_mesh(ROUGH_CELLS, rough_vertex, NULL, smooth);
    place_static(world, cn_p3(x, 0.0, z), cn_geometry_mesh(mesh, cn_v3(1.0f, 1.0f, 1.0f)));
    cn_mesh_destroy(mesh);
}

static inline void add_rough_field(cn_world *world, double x, double z)
{
    float heights[ROUGH_SAMPLES];
    for (int i = 0; i < ROUGH_SAMPLES; i++)
        heights[i] = rough_height(i % (ROUGH_CELLS + 1), i / (ROUGH_CELLS + 1));
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = ROUGH_CELLS + 1;
    def.spacing_x = def.spacing_z = 1.0f;
    def.heights = heights;
    cn_height_field *field = cn_height_field_create(&def);
    if (field == NULL)
        fail_msg("%s", cn_last_error());
    place_static(world, cn_p3(x, 0.0, z), cn_geometry_height_field(field, cn_v3(1.0f, 1.0f, 1.0f)));
    cn_height_field_destroy(field);
}

// Along z, 12 m long and 6 m high.
static inline void add_rough_wall(cn_world *world, double x)
{
    cn_compound_part parts[48];
    for (int i = 0; i < 48; i++) {
        parts[i] = (cn_compound_part){ .geometry = cn_box(0.3f, 0.5f, 0.75f), .offset = CN_POSE_IDENTITY };
        parts[i].offset.position = cn_v3(0.0f, (float)(i / 8) + 0.5f, 1.5f * (float)(i % 8) - 5.25f);
    }
    cn_compound *wall = cn_compound_create(parts, 48, NULL);
    if (wall == NULL)
        fail_msg("%s", cn_last_error());
    place_static(world, cn_p3(x, -0.5, 0.0), cn_geometry_compound(wall));
    cn_compound_destroy(wall);
}

// A strip of 24 x 12 m around the origin, half of it mesh and half height field, with a wall at both ends.
static inline void add_rough_ground(cn_world *world)
{
    add_rough_mesh(world, -12.0, -6.0, false);
    add_rough_field(world, 0.0, -6.0);
    add_rough_wall(world, -6.0);
    add_rough_wall(world, 6.0);
}

#endif
