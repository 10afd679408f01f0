// A triangle mesh of square cells of 1 m from the origin on, each cut from its corner (0, 0) to its corner (1, 1).
#ifndef TEST_CELL_MESH_H
#define TEST_CELL_MESH_H

#include "scene.h"

#include <stdlib.h>

typedef float cell_height(const void *context, int column, int row);

static inline cn_mesh *make_cell_mesh(int cells, cell_height *height, const void *context, bool smooth)
{
    int side = cells + 1, vertex_count = side * side, cell_count = cells * cells;
    cn_vec3 *vertices = malloc(sizeof *vertices * (size_t)vertex_count);
    int *indices = malloc(sizeof *indices * 6 * (size_t)cell_count);
    assert_true(vertices != NULL && indices != NULL);
    for (int i = 0; i < vertex_count; i++)
        vertices[i] = cn_v3((float)(i % side), height(context, i % side, i / side), (float)(i / side));
    for (int i = 0; i < cell_count; i++) {
        int a = i / cells * side + i % cells, c = a + side;
        const int cell[6] = { a, c, c + 1, a, c + 1, a + 1 };
        for (int k = 0; k < 6; k++)
            indices[6 * i + k] = cell[k];
    }
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices;
    def.vertex_count = vertex_count;
    def.indices = indices;
    def.triangle_count = 2 * cell_count;
    def.smooth = smooth;
    cn_mesh *mesh = cn_mesh_create(&def);
    if (mesh == NULL)
        fail_msg("%s", cn_last_error());
    free(vertices);
    free(indices);
    return mesh;
}

#endif
