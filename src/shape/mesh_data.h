// What the files of triangle meshes share.
#ifndef CN_MESH_DATA_H
#define CN_MESH_DATA_H

#include "shape/box_tree.h"
#include "shape/composite.h"

enum {
    CN_MESH_LEAF = 4,               // triangles that share a box of the tree
    CN_MESH_LEAN_FREE = UINT16_MAX, // in `leans`: no neighbour
    CN_MESH_MAX_TRIANGLES = CN_BOX_TREE_MAX_ITEMS,
};

struct cn_mesh {
    cn_allocator allocator;
    int references;
    int vertex_count, triangle_count; // as given; the tree holds the triangles that were kept
    int material_limit;
    cn_vec3 *vertices; // with room for a vector to read past the last one
    cn_vec3 *normals;  // of vertices, unit; NULL: not smooth
    int32_t *indices;
    uint16_t (*leans)[3]; // u = t / (1 + t) of the tangents t in cn_triangle, in 65,535ths
    uint16_t *materials;  // NULL: all 0
    cn_box_tree tree;     // over triangles
};

static inline void cn_mesh_corners(const cn_mesh *mesh, int triangle, cn_vec3 corners[3])
{
    const int32_t *index = mesh->indices + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
        corners[i] = mesh->vertices[index[i]];
}

static inline float cn_mesh_lean(uint16_t stored)
{
    return stored == CN_MESH_LEAN_FREE ? CN_LEAN_FREE : (float)stored / (float)(UINT16_MAX - stored);
}

// A triangle has no area when its height is 1e-10 of its longest edge or less.
bool cn_mesh_is_degenerate(const cn_vec3 corners[3]);

// The boxes of all triangles.
void cn_mesh_find_boxes(const cn_mesh *mesh, cn_box3 *boxes);
// Gives vertices at the same place the number of the first of them. `out` has one per vertex.
void cn_mesh_weld(const cn_mesh *mesh, int32_t *out);
void cn_mesh_find_leans(cn_mesh *mesh);
void cn_mesh_find_normals(cn_mesh *mesh); // mean of the triangles around a vertex, weighted by angle

// Memory for everything but the tree. Normals and materials are NULL unless asked for.
cn_mesh *cn_mesh_allocate(const cn_allocator *allocator, int vertex_count, int triangle_count, bool smooth, bool materials);
void cn_mesh_free(cn_mesh *mesh);

// The first triangle that a ray meets from its front, in the unscaled frame of the mesh. Of several at the same fraction the
// one with the lowest number.
typedef struct cn_mesh_ray_hit {
    float fraction;
    int triangle;
} cn_mesh_ray_hit;
typedef bool (*cn_mesh_ray_kernel)(const cn_mesh *mesh, cn_vec3 origin, cn_vec3 translation, float limit, cn_mesh_ray_hit *hit);
bool cn_mesh_ray_base(const cn_mesh *mesh, cn_vec3 origin, cn_vec3 translation, float limit, cn_mesh_ray_hit *hit);
#if defined(__x86_64__)
bool cn_mesh_ray_avx2(const cn_mesh *mesh, cn_vec3 origin, cn_vec3 translation, float limit, cn_mesh_ray_hit *hit);
#endif

#endif
