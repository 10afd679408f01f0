// Meshes for tests: bumpy grids, soups of triangles, closed spheres, boxes.
#ifndef MESH_FORMS_H
#define MESH_FORMS_H

#include "cairn/mesh.h"
#include "random_shapes.h"
#include "shape/composite.h"

typedef struct form {
    cn_vec3 *vertices;
    int vertex_count;
    int *indices;
    int triangle_count;
} form;

static inline form form_make(int vertices, int triangles)
{
    return (form){ calloc((size_t)vertices, sizeof(cn_vec3)), vertices, calloc(3 * (size_t)triangles, sizeof(int)), triangles };
}

static inline void form_free(form *f)
{
    free(f->vertices);
    free(f->indices);
}

static inline void form_triangle(form *f, int triangle, int a, int b, int c)
{
    f->indices[3 * triangle] = a;
    f->indices[3 * triangle + 1] = b;
    f->indices[3 * triangle + 2] = c;
}

// side x side cells of 1 m, facing up, with heights up to `bump`.
static inline form form_grid(int side, float bump)
{
    form f = form_make((side + 1) * (side + 1), 2 * side * side);
    rng r = { 11 };
    for (int i = 0; i < f.vertex_count; i++)
        f.vertices[i] = cn_v3((float)(i % (side + 1)), bump * rng_range(&r, -1.0f, 1.0f), (float)(i / (side + 1)));
    for (int i = 0; i < side * side; i++) {
        int a = i / side * (side + 1) + i % side, b = a + 1, c = a + side + 1, d = c + 1;
        form_triangle(&f, 2 * i, a, c, d);
        form_triangle(&f, 2 * i + 1, a, d, b);
    }
    return f;
}

static inline form form_soup(int triangles, float extent, float size)
{
    form f = form_make(3 * triangles, triangles);
    rng r = { 12 };
    for (int i = 0; i < triangles; i++) {
        cn_vec3 center = rng_vec(&r, extent);
        for (int k = 0; k < 3; k++)
            f.vertices[3 * i + k] = cn_add(center, rng_vec(&r, size));
        form_triangle(&f, i, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return f;
}

// A unit sphere of rings and segments, facing outwards, poles included.
static inline form form_sphere(int rings, int segments)
{
    form f = form_make(2 + (rings - 1) * segments, 2 * segments * (rings - 1));
    int south = f.vertex_count - 1, t = 0;
    f.vertices[0] = cn_v3(0.0f, 1.0f, 0.0f);
    f.vertices[south] = cn_v3(0.0f, -1.0f, 0.0f);
    for (int i = 0; i < (rings - 1) * segments; i++) {
        double polar = 3.14159265358979 * (i / segments + 1) / rings, turn = 2 * 3.14159265358979 * (i % segments) / segments;
        f.vertices[1 + i] = cn_v3((float)(sin(polar) * cos(turn)), (float)cos(polar), (float)(sin(polar) * sin(turn)));
    }
    for (int s = 0; s < segments; s++) {
        int next = (s + 1) % segments, last = 1 + (rings - 2) * segments;
        form_triangle(&f, t++, 0, 1 + next, 1 + s);
        form_triangle(&f, t++, south, last + s, last + next);
        for (int ring = 0; ring < rings - 2; ring++) {
            int upper = 1 + ring * segments, lower = upper + segments;
            form_triangle(&f, t++, upper + s, upper + next, lower + next);
            form_triangle(&f, t++, upper + s, lower + next, lower + s);
        }
    }
    return f;
}

// A box of 8 vertices and 12 triangles, facing outwards.
static inline form form_box(cn_vec3 half)
{
    static const int quads[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                     { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
    form f = form_make(8, 12);
    for (int i = 0; i < 8; i++)
        f.vertices[i] = cn_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    for (int q = 0; q < 6; q++) {
        form_triangle(&f, 2 * q, quads[q][0], quads[q][1], quads[q][2]);
        form_triangle(&f, 2 * q + 1, quads[q][0], quads[q][2], quads[q][3]);
    }
    return f;
}

// The same with three vertices of its own for every triangle.
static inline form form_unshared(const form *f)
{
    form out = form_make(3 * f->triangle_count, f->triangle_count);
    for (int i = 0; i < 3 * f->triangle_count; i++) {
        out.vertices[i] = f->vertices[f->indices[i]];
        out.indices[i] = i;
    }
    return out;
}

static inline cn_mesh_def form_def(const form *f)
{
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = f->vertices;
    def.vertex_count = f->vertex_count;
    def.indices = f->indices;
    def.triangle_count = f->triangle_count;
    return def;
}

static inline cn_mesh *form_mesh(const form *f)
{
    cn_mesh_def def = form_def(f);
    return cn_mesh_create(&def);
}

static inline cn_composite mesh_shape(const cn_mesh *mesh, cn_vec3 scale)
{
    return (cn_composite){ .type = CN_MESH, .mesh = mesh, .scale = scale };
}

#endif
