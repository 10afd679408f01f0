// A box as a convex polyhedron.
#include "collide/sat.h"

// Vertex k lies on the upper side along x, y, z where bits 0, 1, 2 of k are set. Faces: -x, +x, -y, +y, -z, +z.
static const cn_half_edge box_edges[24] = {
    { 2, 1, 4, 0 },   { 17, 0, 6, 5 },  { 4, 3, 6, 0 },   { 20, 2, 2, 3 },  { 6, 5, 2, 0 },   { 23, 4, 0, 4 },
    { 0, 7, 0, 0 },   { 18, 6, 4, 2 },  { 10, 9, 1, 1 },  { 19, 8, 3, 4 },  { 12, 11, 3, 1 }, { 22, 10, 7, 3 },
    { 14, 13, 7, 1 }, { 21, 12, 5, 5 }, { 8, 15, 5, 1 },  { 16, 14, 1, 2 }, { 7, 17, 5, 2 },  { 13, 16, 4, 5 },
    { 15, 19, 0, 2 }, { 5, 18, 1, 4 },  { 11, 21, 6, 3 }, { 1, 20, 7, 5 },  { 3, 23, 3, 3 },  { 9, 22, 2, 4 },
};
static const uint16_t box_face_edges[6] = { 0, 8, 15, 3, 23, 17 };
static const uint16_t box_vertex_edges[8] = { 6, 8, 4, 10, 0, 14, 2, 12 };

const cn_polyhedron *cn_as_polyhedron(const cn_convex *shape, cn_box_solid *box)
{
    if (shape->type != CN_BOX)
        return shape->hull;
    cn_vec3 h = shape->half_extents;
    for (int k = 0; k < 8; k++)
        box->vertices[k] = cn_v3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
    for (int f = 0; f < 6; f++) {
        float sign = f & 1 ? 1.0f : -1.0f;
        cn_vec3 normal = f < 2 ? cn_v3(sign, 0.0f, 0.0f) : f < 4 ? cn_v3(0.0f, sign, 0.0f) : cn_v3(0.0f, 0.0f, sign);
        box->planes[f] = (cn_plane){ normal, cn_component(h, f / 2) };
    }
    box->polyhedron = (cn_polyhedron){ .vertex_count = 8,
                                       .edge_count = 24,
                                       .face_count = 6,
                                       .vertices = box->vertices,
                                       .edges = box_edges,
                                       .face_edges = box_face_edges,
                                       .vertex_edges = box_vertex_edges,
                                       .planes = box->planes,
                                       .lower = cn_neg(h),
                                       .upper = h,
                                       .inner_radius = cn_minf(h.x, cn_minf(h.y, h.z)) };
    return &box->polyhedron;
}
