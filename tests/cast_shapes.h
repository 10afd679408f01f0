// Random convex shapes, triangles included, for the tests of rays and casts, with the double functions that judge them.
#ifndef CAST_SHAPES_H
#define CAST_SHAPES_H

#include "random_shapes.h"

enum { CAST_TYPES = CN_SOLID_TYPE_COUNT + 1 }; // the last is the triangle
static const char *const cast_type_names[CAST_TYPES] = { "sphere", "capsule", "box", "cylinder", "taper", "hull", "triangle" };

typedef struct cast_shape {
    cn_convex convex; // points to the vertices below
    cn_vec3 vertices[3];
    double size;
} cast_shape;

static inline void make_cast_shape(cast_shape *s, rng *r, int type, float size, const test_hulls *hulls)
{
    if (type < CN_SOLID_TYPE_COUNT) {
        s->convex = random_shape(r, (cn_shape_type)type, size, hulls);
        s->size = (double)shape_size(&s->convex);
        return;
    }
    s->size = 0.0;
    for (int i = 0; i < 3; i++) {
        s->vertices[i] = random_pose(r, size * rng_range(r, 0.2f, 1.0f)).position;
        s->size = fmax(s->size, (double)cn_length(s->vertices[i]));
    }
    s->convex = (cn_convex){ .type = CN_TRIANGLE, .triangle = s->vertices };
}

static inline dvec closest_on_edge(dvec p, dvec a, dvec b)
{
    dvec e = dv_sub(b, a);
    double t = dv_dot(dv_sub(p, a), e) / dv_dot(e, e);
    return dv_madd(a, fmin(fmax(t, 0.0), 1.0), e);
}

static inline double triangle_distance(const cn_vec3 *v, dvec p)
{
    dvec a = dv_of(v[0]), b = dv_of(v[1]), c = dv_of(v[2]), corners[3] = { a, b, c };
    dvec n = dv_unit(dv_cross(dv_sub(b, a), dv_sub(c, a)));
    double best = 1e300;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        dvec from = corners[i], to = corners[(i + 1) % 3];
        inside = inside && dv_dot(dv_cross(n, dv_sub(to, from)), dv_sub(p, from)) >= 0.0;
        best = fmin(best, dv_length(dv_sub(p, closest_on_edge(p, from, to))));
    }
    return inside ? fabs(dv_dot(n, dv_sub(p, a))) : best;
}

static inline double cast_outside_by(const cn_convex *s, dvec p)
{
    return s->type == CN_TRIANGLE ? triangle_distance(s->triangle, p) : outside_by(s, p, true);
}

static inline double cast_support_height(const cn_convex *s, dvec d)
{
    if (s->type != CN_TRIANGLE)
        return support_height(s, d, true);
    return fmax(dv_dot(d, dv_of(s->triangle[0])), fmax(dv_dot(d, dv_of(s->triangle[1])), dv_dot(d, dv_of(s->triangle[2]))));
}

// How many cases a test tries: CAIRN_CASES, or a few.
static inline int cast_cases(int few)
{
    const char *wanted = getenv("CAIRN_CASES");
    return wanted && atoi(wanted) > 0 ? atoi(wanted) : few;
}

#endif
