// The closest points of two cores: in closed form where one is known, by GJK otherwise.
#include "collide/minkowski.h"

// Relative to the largest coordinate: closer than this is overlap, as GJK has it.
static const double TOUCH_TOLERANCE = 1e-7;

static double clamp(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }

// Points of the cores of a and b in the frame of a.
static cn_gjk_result between(cn_d3 point_a, cn_d3 point_b)
{
    cn_d3 apart = cn_d3_sub(point_b, point_a);
    double distance = sqrt(cn_d3_dot(apart, apart)), a = cn_d3_norm_max(point_a), b = cn_d3_norm_max(point_b);
    cn_gjk_result result = { .point_a = cn_d3_float(point_a), .point_b = cn_d3_float(point_b) };
    if (distance > TOUCH_TOLERANCE * (a > b ? a : b)) {
        result.distance = (float)distance;
        result.normal = cn_d3_float(cn_d3_scale(1.0 / distance, apart));
    }
    return result;
}

// The point of a point, a segment or a box that is nearest to p, in its own frame.
static cn_d3 nearest(const cn_convex *shape, cn_d3 p)
{
    switch (shape->type) {
    case CN_CAPSULE: return cn_d3_make(0.0, clamp(p.y, (double)shape->half_height), 0.0);
    case CN_BOX: {
        cn_d3 h = cn_d3_from(shape->half_extents);
        return cn_d3_make(clamp(p.x, h.x), clamp(p.y, h.y), clamp(p.z, h.z));
    }
    default: return cn_d3_make(0.0, 0.0, 0.0);
    }
}

static bool has_nearest(const cn_convex *shape)
{
    return shape->type == CN_SPHERE || shape->type == CN_CAPSULE || shape->type == CN_BOX;
}

static cn_d3 to_a(const cn_minkowski *m, cn_d3 p)
{
    return cn_d3_madd(cn_d3_madd(cn_d3_madd(m->position, p.x, m->x), p.y, m->y), p.z, m->z);
}

static cn_d3 to_b(const cn_minkowski *m, cn_d3 p)
{
    cn_d3 d = cn_d3_sub(p, m->position);
    return cn_d3_make(cn_d3_dot(m->x, d), cn_d3_dot(m->y, d), cn_d3_dot(m->z, d));
}

static cn_gjk_result triangle_and_point(const cn_minkowski *m)
{
    cn_simplex s = { .count = 3 };
    for (int i = 0; i < 3; i++) {
        cn_d3 corner = cn_d3_from(m->a->triangle[i]);
        s.vertices[i] = (cn_minkowski_vertex){ .w = cn_d3_sub(corner, m->position), .a = corner, .b = m->position };
    }
    cn_d3 point_a, point_b;
    cn_simplex_solve_triangle(&s);
    cn_simplex_witness(&s, &point_a, &point_b);
    return between(point_a, m->position);
}

// Of two segments: the one of a lies along y, that of b along its own y. The best pair of points on the two lines, one of them
// brought back into its segment and the other to what is nearest to that.
static cn_gjk_result two_segments(const cn_minkowski *m)
{
    double most_a = (double)m->a->half_height, most_b = (double)m->b->half_height;
    double cosine = m->y.y, along_a = m->position.y, along_b = -cn_d3_dot(m->y, m->position);
    double sine_sq = 1.0 - cosine * cosine;
    double s = sine_sq > 1e-12 ? clamp((along_a + cosine * along_b) / sine_sq, most_a) : clamp(along_a, most_a);
    double t = clamp(along_b + s * cosine, most_b);
    s = clamp(along_a + t * cosine, most_a);
    return between(cn_d3_make(0.0, s, 0.0), cn_d3_madd(m->position, t, m->y));
}

cn_gjk_result cn_core_distance(const cn_minkowski *m, double limit, cn_pair_cache *cache)
{
    if (m->b->type == CN_SPHERE && has_nearest(m->a))
        return between(nearest(m->a, m->position), m->position);
    if (m->a->type == CN_SPHERE && has_nearest(m->b)) {
        cn_d3 origin = { 0.0, 0.0, 0.0 };
        return between(origin, to_a(m, nearest(m->b, to_b(m, origin))));
    }
    if (m->a->type == CN_TRIANGLE && m->b->type == CN_SPHERE)
        return triangle_and_point(m);
    if (m->a->type == CN_CAPSULE && m->b->type == CN_CAPSULE)
        return two_segments(m);
    cn_simplex simplex;
    return cn_gjk_run(m, limit, cache, &simplex);
}
