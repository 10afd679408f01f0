// Random numbers, poses and shapes for the collision tests, and support functions in double that share nothing with the
// library.
#ifndef RANDOM_SHAPES_H
#define RANDOM_SHAPES_H

#include "shape/convex.h"

#include <math.h>
#include <stdlib.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint32_t rng_next(rng *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static inline float rng_range(rng *r, float low, float high)
{
    return low + (high - low) * ((float)(rng_next(r) >> 8) * (1.0f / 16777216.0f));
}

static inline cn_vec3 rng_vec(rng *r, float size)
{
    float x = rng_range(r, -size, size), y = rng_range(r, -size, size), z = rng_range(r, -size, size);
    return cn_v3(x, y, z);
}

// At a height y, up to x and z to either side.
static inline cn_vec3 rng_over(rng *r, float x, float y, float z)
{
    float at_x = rng_range(r, -x, x), at_z = rng_range(r, -z, z);
    return cn_v3(at_x, y, at_z);
}

static inline cn_quat rng_quat(rng *r)
{
    for (;;) {
        cn_vec3 v = rng_vec(r, 1.0f);
        cn_quat q = { v.x, v.y, v.z, rng_range(r, -1.0f, 1.0f) };
        float length_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (length_sq > 0.01f && length_sq < 1.0f)
            return cn_quat_normalize(q);
    }
}

static inline cn_vec3 rng_unit(rng *r) { return cn_rotate(rng_quat(r), cn_v3(0.0f, 0.0f, 1.0f)); }

// A frame at `distance` from the origin. Drawn in two statements: the order of evaluation inside one is not defined.
static inline cn_pose random_pose(rng *r, float distance)
{
    cn_quat rotation = rng_quat(r);
    return (cn_pose){ cn_scale(distance, rng_unit(r)), rotation };
}

// A few hulls: tetrahedron, box, prism, random clouds, each in millimetres, metres and kilometres.
enum { HULL_FORMS = 8, HULL_SIZES = 3 };
typedef struct test_hulls {
    cn_polyhedron *hull[HULL_SIZES][HULL_FORMS];
} test_hulls;

static inline cn_polyhedron *make_hull(int index, float size)
{
    cn_vec3 points[24];
    int count = 0;
    rng r = { (uint64_t)index + 77 };
    if (index == 0) {
        points[count++] = cn_v3(0.0f, 1.0f, 0.0f);
        points[count++] = cn_v3(1.0f, -0.5f, 0.0f);
        points[count++] = cn_v3(-0.6f, -0.5f, 0.8f);
        points[count++] = cn_v3(-0.5f, -0.5f, -0.9f);
    } else if (index == 1) {
        for (int i = 0; i < 8; i++)
            points[count++] = cn_v3(i & 1 ? 0.7f : -0.7f, i & 2 ? 1.0f : -1.0f, i & 4 ? 0.4f : -0.4f);
    } else if (index == 2) {
        for (int i = 0; i < 12; i++)
            points[count++] =
                cn_v3((float)cos(i * 1.0471975511965976), i < 6 ? 0.5f : -0.5f, (float)sin(i * 1.0471975511965976));
    } else {
        for (int i = 0; i < 5 + index; i++)
            points[count++] = random_pose(&r, 0.6f + 0.05f * (float)(i % 8)).position;
    }
    for (int i = 0; i < count; i++)
        points[i] = cn_scale(size, points[i]);
    return cn_polyhedron_build(&cn_default_allocator, points, count);
}

static inline test_hulls make_hulls(void)
{
    static const float sizes[HULL_SIZES] = { 0.001f, 1.0f, 1000.0f };
    test_hulls hulls;
    for (int i = 0; i < HULL_SIZES; i++)
        for (int j = 0; j < HULL_FORMS; j++)
            hulls.hull[i][j] = make_hull(j, sizes[i]);
    return hulls;
}

static inline void free_hulls(test_hulls *hulls)
{
    for (int i = 0; i < HULL_SIZES; i++)
        for (int j = 0; j < HULL_FORMS; j++)
            cn_polyhedron_free(&cn_default_allocator, hulls->hull[i][j]);
}

// A shape of about the given size; hulls come in the nearest of their three sizes.
static inline cn_convex random_shape(rng *r, cn_shape_type type, float size, const test_hulls *hulls)
{
    cn_convex s = { .type = type };
    s.radius = size * rng_range(r, 0.1f, 1.0f);
    s.half_height = size * rng_range(r, 0.05f, 1.0f);
    float x = rng_range(r, 0.1f, 1.0f), y = rng_range(r, 0.1f, 1.0f), z = rng_range(r, 0.1f, 1.0f);
    s.half_extents = cn_v3(size * x, size * y, size * z);
    s.top_radius = type == CN_TAPERED_CAPSULE ? s.half_extents.x : 0.0f; // sometimes one ball contains the other
    s.hull = type == CN_HULL ? hulls->hull[size < 0.03f ? 0 : size < 30.0f ? 1 : 2][rng_next(r) % HULL_FORMS] : NULL;
    return s;
}

static inline float shape_size(const cn_convex *s)
{
    switch (s->type) {
    case CN_SPHERE: return s->radius;
    case CN_CAPSULE: return s->radius + s->half_height;
    case CN_TAPERED_CAPSULE: return cn_maxf(s->radius, s->top_radius) + s->half_height;
    case CN_BOX: return cn_length(s->half_extents);
    case CN_CYLINDER: return sqrtf(s->radius * s->radius + s->half_height * s->half_height);
    default: {
        float size = 0.0f;
        for (int i = 0; i < s->hull->vertex_count; i++)
            size = cn_maxf(size, cn_length(s->hull->vertices[i]));
        return size;
    }
    }
}

typedef struct dvec {
    double x, y, z;
} dvec;

static inline dvec dv(double x, double y, double z) { return (dvec){ x, y, z }; }
static inline dvec dv_of(cn_vec3 v) { return dv((double)v.x, (double)v.y, (double)v.z); }
static inline double dv_dot(dvec a, dvec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline dvec dv_sub(dvec a, dvec b) { return dv(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline dvec dv_madd(dvec a, double s, dvec b) { return dv(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline dvec dv_cross(dvec a, dvec b) { return dv(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
static inline double dv_length(dvec a) { return sqrt(dv_dot(a, a)); }
static inline dvec dv_unit(dvec a) { return dv_madd(dv(0, 0, 0), 1.0 / dv_length(a), a); }

static inline dvec dv_rotate(cn_quat q, dvec v)
{
    dvec u = dv((double)q.x, (double)q.y, (double)q.z), c = dv_cross(u, v), t = dv(2 * c.x, 2 * c.y, 2 * c.z);
    return dv_madd(dv_madd(v, (double)q.w, t), 1.0, dv_cross(u, t));
}
static inline dvec dv_unrotate(cn_quat q, dvec v) { return dv_rotate((cn_quat){ -q.x, -q.y, -q.z, q.w }, v); }

// The radius by which a shape is thicker than its core.
static inline double skin_of(const cn_convex *s)
{
    double r = (double)s->radius, top = (double)s->top_radius;
    if (s->type == CN_TAPERED_CAPSULE)
        return fabs(r - top) >= 2.0 * (double)s->half_height ? fmax(r, top) : fmin(r, top);
    return s->type <= CN_CAPSULE ? r : 0.0;
}

// max of dot(d, p) over the core, or the full shape, in its own frame.
static inline double support_height(const cn_convex *s, dvec d, bool full)
{
    double r = (double)s->radius, h = (double)s->half_height, skin = full ? r * dv_length(d) : 0.0;
    switch (s->type) {
    case CN_SPHERE: return skin;
    case CN_CAPSULE: return fabs(d.y) * h + skin;
    case CN_TAPERED_CAPSULE: {
        double less = full ? 0.0 : skin_of(s) * dv_length(d), top = (double)s->top_radius * dv_length(d);
        return fmax(r * dv_length(d) - d.y * h, top + d.y * h) - less;
    }
    case CN_BOX:
        return fabs(d.x) * (double)s->half_extents.x + fabs(d.y) * (double)s->half_extents.y +
               fabs(d.z) * (double)s->half_extents.z;
    case CN_CYLINDER: return fabs(d.y) * h + sqrt(d.x * d.x + d.z * d.z) * r;
    default: {
        double best = -1e300;
        for (int i = 0; i < s->hull->vertex_count; i++)
            best = fmax(best, dv_dot(d, dv_of(s->hull->vertices[i])));
        return best;
    }
    }
}

// How far b must move along the unit vector n to be parted from a; negative when it is already apart by that much.
static inline double depth_along(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, dvec n, bool full)
{
    dvec n_in_b = dv_unrotate(b_in_a.rotation, n);
    return support_height(a, n, full) + support_height(b, dv(-n_in_b.x, -n_in_b.y, -n_in_b.z), full) -
           dv_dot(n, dv_of(b_in_a.position));
}

// How far outside of the core, or the full shape, a point of its frame is; at most 0 inside. For hulls: the most violated
// plane.
static inline double outside_by(const cn_convex *s, dvec p, bool full)
{
    double r = (double)s->radius, h = (double)s->half_height, skin = full ? r : 0.0;
    double beyond_h = fmax(fabs(p.y) - h, 0.0);
    switch (s->type) {
    case CN_SPHERE: return dv_length(p) - skin;
    case CN_CAPSULE: return sqrt(p.x * p.x + beyond_h * beyond_h + p.z * p.z) - skin;
    case CN_TAPERED_CAPSULE: { // outside of all balls from end to end, by golden section
        double low = -h, high = h, across = p.x * p.x + p.z * p.z, least = 1e300;
        for (int i = 0; i < 120; i++) {
            double y[2] = { high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low) }, f[2];
            for (int k = 0; k < 2; k++) {
                double share = h > 0.0 ? (y[k] + h) / (2.0 * h) : 0.0;
                f[k] = sqrt(across + (p.y - y[k]) * (p.y - y[k])) - (r + share * ((double)s->top_radius - r));
                least = fmin(least, f[k]);
            }
            if (f[0] < f[1])
                high = y[1];
            else
                low = y[0];
        }
        double at_low = sqrt(across + (p.y + h) * (p.y + h)) - r,
               at_high = sqrt(across + (p.y - h) * (p.y - h)) - (double)s->top_radius;
        return fmin(least, fmin(at_low, at_high)) + (full ? 0.0 : skin_of(s));
    }
    case CN_BOX:
        return fmax(fmax(fabs(p.x) - (double)s->half_extents.x, fabs(p.y) - (double)s->half_extents.y),
                    fabs(p.z) - (double)s->half_extents.z);
    case CN_CYLINDER: return fmax(sqrt(p.x * p.x + p.z * p.z) - r, fabs(p.y) - h);
    default: {
        double most = -1e300;
        for (int i = 0; i < s->hull->face_count; i++)
            most = fmax(most, dv_dot(dv_of(s->hull->planes[i].normal), p) - (double)s->hull->planes[i].offset);
        return most;
    }
    }
}

#endif
