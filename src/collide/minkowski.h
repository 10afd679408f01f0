// The Minkowski difference A - B of two convex cores, seen through its support function: what GJK and EPA walk on.
// The core of a sphere is its centre, of a capsule its segment, of a tapered capsule what is left without the radius of its
// thinner end, of the other shapes the shape itself.
// The shapes are float; differences are formed in double, so that flat faces stay flat to the last bit that matters and
// near-degenerate simplices need no tuning. Doubles with + - * / sqrt are as reproducible as floats.
#ifndef CN_MINKOWSKI_H
#define CN_MINKOWSKI_H

#include "collide/collide.h"
#include "math/d3.h"

// One vertex of A - B, with the points of A and B it comes from. Everything in the frame of A.
typedef struct cn_minkowski_vertex {
    cn_d3 w, a, b;       // w = a - b
    uint16_t id_a, id_b; // what cn_minkowski_vertex_of takes to find it again
} cn_minkowski_vertex;

// The largest coordinate of the points of A and B so far: what rounding is relative to.
static inline double cn_minkowski_size(const cn_minkowski_vertex *vertex, double size)
{
    double a = cn_d3_norm_max(vertex->a), b = cn_d3_norm_max(vertex->b), larger = a > b ? a : b;
    return larger > size ? larger : size;
}

typedef struct cn_minkowski {
    const cn_convex *a, *b;
    cn_d3 position; // of B in A
    cn_d3 x, y, z;  // axes of B in A
} cn_minkowski;

cn_minkowski cn_minkowski_make(const cn_convex *a, const cn_convex *b, cn_pose b_in_a);
// The vertex of A - B farthest in a direction, of any length.
cn_minkowski_vertex cn_minkowski_support(const cn_minkowski *m, cn_d3 direction);
// The vertex with the ids of an earlier one; any ids give a point of A - B.
cn_minkowski_vertex cn_minkowski_vertex_of(const cn_minkowski *m, uint16_t id_a, uint16_t id_b);

// Up to four vertices and the weights that make the point of their convex hull that is closest to the origin.
typedef struct cn_simplex {
    int count;
    cn_minkowski_vertex vertices[4];
    double weights[4];
} cn_simplex;

// The point of the triangle closest to the origin; vertices with zero weight are dropped.
void cn_simplex_solve_triangle(cn_simplex *simplex);
// The same for any simplex. False, with all its vertices kept, when the origin is inside of a tetrahedron.
bool cn_simplex_solve(cn_simplex *simplex, cn_d3 *closest);
// The points of A and B that the weights stand for.
void cn_simplex_witness(const cn_simplex *simplex, cn_d3 *point_a, cn_d3 *point_b);

// GJK that stops as soon as it is known that the distance exceeds `limit`, and then answers the distance it has proven. The
// simplex at the end is where cn_epa_expand starts when the cores overlap.
cn_gjk_result cn_gjk_run(const cn_minkowski *m, double limit, cn_pair_cache *cache, cn_simplex *simplex);
// The same, by a closed form where there is one (core_distance.c).
cn_gjk_result cn_core_distance(const cn_minkowski *m, double limit, cn_pair_cache *cache);
cn_epa_result cn_epa_expand(const cn_minkowski *m, const cn_simplex *simplex);

// The radius by which a shape is thicker than its core.
static inline float cn_core_skin(const cn_convex *shape)
{
    if (shape->type == CN_TAPERED_CAPSULE)
        return cn_taper_skin(shape);
    return shape->type == CN_SPHERE || shape->type == CN_CAPSULE ? shape->radius : 0.0f;
}

#endif
