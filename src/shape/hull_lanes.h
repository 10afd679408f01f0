// Vertices and faces of a polyhedron, four side by side.
#ifndef CN_HULL_LANES_H
#define CN_HULL_LANES_H

#include "base/simd.h"
#include "shape/convex.h"

enum { CN_HULL_LANES = 4 };

typedef struct cn_vertices4 {
    cn_f4 x, y, z;
} cn_vertices4;

typedef struct cn_planes4 {
    cn_f4 x, y, z, offset;
} cn_planes4;

// The first of the four vertices that show number `seen`, a multiple of four: the last four reach back where fewer are left. A
// polyhedron has at least as many.
static inline int cn_block_start(const cn_polyhedron *p, int seen)
{
    return seen + CN_HULL_LANES <= p->vertex_count ? seen : p->vertex_count - CN_HULL_LANES;
}

// Of four vertices in a row.
CN_INLINE cn_vertices4 cn_load_vertices(const cn_vec3 *v)
{
    cn_f4 a, b, c; // x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3
    memcpy(&a, v, sizeof a);
    memcpy(&b, (const char *)v + sizeof a, sizeof b);
    memcpy(&c, (const char *)v + 2 * sizeof a, sizeof c);
    cn_f4 x = __builtin_shufflevector(b, c, 2, 2, 5, 5), y1 = __builtin_shufflevector(a, b, 1, 1, 4, 4);
    cn_f4 y2 = __builtin_shufflevector(b, c, 3, 3, 6, 6), z = __builtin_shufflevector(a, b, 2, 2, 5, 5);
    return (cn_vertices4){ __builtin_shufflevector(a, x, 0, 3, 4, 6), __builtin_shufflevector(y1, y2, 0, 2, 4, 6),
                           __builtin_shufflevector(z, c, 0, 2, 4, 7) };
}

CN_INLINE cn_planes4 cn_load_planes(const cn_plane *a, const cn_plane *b, const cn_plane *c, const cn_plane *d)
{
    cn_f4 p[4];
    memcpy(&p[0], a, sizeof p[0]);
    memcpy(&p[1], b, sizeof p[1]);
    memcpy(&p[2], c, sizeof p[2]);
    memcpy(&p[3], d, sizeof p[3]);
    cn_f4 xy_ab = __builtin_shufflevector(p[0], p[1], 0, 4, 1, 5), xy_cd = __builtin_shufflevector(p[2], p[3], 0, 4, 1, 5);
    cn_f4 zo_ab = __builtin_shufflevector(p[0], p[1], 2, 6, 3, 7), zo_cd = __builtin_shufflevector(p[2], p[3], 2, 6, 3, 7);
    return (cn_planes4){ __builtin_shufflevector(xy_ab, xy_cd, 0, 1, 4, 5), __builtin_shufflevector(xy_ab, xy_cd, 2, 3, 6, 7),
                         __builtin_shufflevector(zo_ab, zo_cd, 0, 1, 4, 5), __builtin_shufflevector(zo_ab, zo_cd, 2, 3, 6, 7) };
}

// Of the faces from number `first` on; beyond the last face it is repeated.
CN_INLINE cn_planes4 cn_planes_from(const cn_polyhedron *p, int first)
{
    const cn_plane *planes = p->planes + first;
    int last = p->face_count - 1 - first;
    return cn_load_planes(planes, planes + (last < 1 ? last : 1), planes + (last < 2 ? last : 2),
                          planes + (last < 3 ? last : 3));
}

CN_INLINE float cn_least_lane(cn_f4 a) { return cn_minf(cn_minf(a[0], a[1]), cn_minf(a[2], a[3])); }
CN_INLINE float cn_largest_lane(cn_f4 a) { return cn_maxf(cn_maxf(a[0], a[1]), cn_maxf(a[2], a[3])); }

#endif
