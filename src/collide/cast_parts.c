// Each part is asked as the convex shape it is; the tree of the shape says which.
#include "collide/cast_parts.h"

#include "collide/minkowski.h"

// One part as a convex shape, and where it lies; `store` must stay while it is used.
static cn_convex convex_part(const cn_composite *composite, int index, cn_part *store, cn_pose *pose)
{
    cn_composite_part(composite, index, store);
    *pose = store->is_triangle ? (cn_pose)CN_POSE_IDENTITY : store->pose;
    return store->is_triangle ? (cn_convex){ .type = CN_TRIANGLE, .triangle = store->triangle.vertices } : store->solid;
}

static cn_pose in_part(const cn_part *part, cn_pose part_pose, cn_pose pose)
{
    return part->is_triangle ? pose : cn_pose_mul(cn_pose_inverse(part_pose), pose);
}

// Walks may leave out what is exactly at their limit; parts that answer the same as the best so far must be seen.
static float ties_included(float limit) { return limit * (1.0f + 1e-6f) + 1e-30f; }

// ---- casts

typedef struct parts_cast {
    const cn_composite *a;
    const cn_convex *b; // NULL for a ray
    cn_pose b_in_a;     // of a ray, only its origin
    cn_vec3 translation;
    cn_cast_result best;
    int part; // -1: none yet
} parts_cast;

static bool meet_part(const parts_cast *c, int index, float limit, cn_cast_result *hit)
{
    cn_part part;
    cn_pose pose;
    cn_convex shape = convex_part(c->a, index, &part, &pose);
    if (part.is_triangle && cn_dot(part.triangle.normal, c->translation) > 0.0f)
        return false;
    cn_pose local = in_part(&part, pose, c->b_in_a);
    cn_vec3 way = cn_unrotate(pose.rotation, c->translation);
    if (c->b == NULL ? !cn_cast_ray(&shape, local.position, way, limit, hit)
                     : !cn_cast_convex(&shape, c->b, local, way, 0.0f, limit, hit))
        return false;
    if (part.is_triangle)
        return cn_dot(part.triangle.normal, hit->normal) >= 0.0f;
    hit->point = cn_pose_point(pose, hit->point);
    hit->normal = cn_rotate(pose.rotation, hit->normal);
    return true;
}

static float visit_cast(void *context, int index, float limit)
{
    parts_cast *c = context;
    cn_cast_result hit;
    if (!meet_part(c, index, limit, &hit))
        return limit;
    if (c->part < 0 || hit.fraction < c->best.fraction || (hit.fraction == c->best.fraction && index < c->part)) {
        c->best = hit;
        c->part = index;
    }
    return cn_minf(limit, ties_included(c->best.fraction));
}

static bool finish_cast(const parts_cast *c, cn_cast_result *result, int *part)
{
    *result = c->best;
    *part = c->part;
    return c->part >= 0;
}

bool cn_cast_ray_parts(const cn_composite *a, cn_vec3 origin, cn_vec3 translation, float limit, cn_cast_result *result,
                       int *part)
{
    if (a->type != CN_COMPOUND) {
        cn_surface_hit hit;
        if (!cn_composite_cast_ray(a, origin, translation, limit, &hit))
            return false;
        *result = (cn_cast_result){ hit.fraction, cn_madd(origin, hit.fraction, translation), hit.normal };
        *part = hit.part;
        return true;
    }
    parts_cast c = { .a = a, .b_in_a = { origin, CN_QUAT_IDENTITY }, .translation = translation, .part = -1 };
    cn_composite_sweep(a, origin, translation, cn_v3(0.0f, 0.0f, 0.0f), limit, visit_cast, &c);
    return finish_cast(&c, result, part);
}

bool cn_cast_convex_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, cn_vec3 translation, float limit,
                          cn_cast_result *result, int *part)
{
    parts_cast c = { .a = a, .b = b, .b_in_a = b_in_a, .translation = translation, .part = -1 };
    cn_vec3 lower, upper;
    cn_convex_bounds(b, b_in_a, &lower, &upper);
    cn_vec3 middle = cn_lerp(lower, upper, 0.5f), half = cn_scale(0.5f, cn_sub(upper, lower));
    cn_vec3 slack = cn_scale(1e-6f, cn_add(cn_abs3(middle), half)); // for the rounding of the bounds
    cn_composite_sweep(a, middle, translation, cn_add(half, slack), limit, visit_cast, &c);
    return finish_cast(&c, result, part);
}

// ---- overlaps

bool cn_overlap_convex(const cn_convex *a, const cn_convex *b, cn_pose b_in_a)
{
    cn_minkowski m = cn_minkowski_make(a, b, b_in_a);
    cn_simplex simplex;
    float skins = cn_core_skin(a) + cn_core_skin(b);
    return !(cn_gjk_run(&m, (double)skins, NULL, &simplex).distance > skins);
}

typedef struct parts_near {
    const cn_composite *a;
    const cn_convex *b;
    cn_pose b_in_a;
    float limit;
    cn_distance_result best;
    int part; // -1: none yet
} parts_near;

static float visit_overlap(void *context, int index, float limit)
{
    parts_near *n = context;
    cn_part part;
    cn_pose pose;
    cn_convex shape = convex_part(n->a, index, &part, &pose);
    if (!cn_overlap_convex(&shape, n->b, in_part(&part, pose, n->b_in_a)))
        return limit;
    n->part = index;
    return -1.0f;
}

bool cn_overlap_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a)
{
    parts_near n = { .a = a, .b = b, .b_in_a = b_in_a, .part = -1 };
    cn_box3 box;
    cn_convex_bounds(b, b_in_a, &box.lower, &box.upper);
    cn_composite_near(a, &box, ties_included(0.0f), visit_overlap, &n);
    return n.part >= 0;
}

// ---- closest points

static float visit_near(void *context, int index, float limit)
{
    parts_near *n = context;
    cn_part part;
    cn_pose pose;
    cn_convex shape = convex_part(n->a, index, &part, &pose);
    cn_distance_result d = cn_convex_distance(&shape, n->b, in_part(&part, pose, n->b_in_a));
    if (!(d.distance <= n->limit) || (n->part >= 0 && d.distance == n->best.distance && index > n->part))
        return limit;
    if (!part.is_triangle) {
        d.point_a = cn_pose_point(pose, d.point_a);
        d.point_b = cn_pose_point(pose, d.point_b);
        d.normal = cn_rotate(pose.rotation, d.normal);
    }
    n->best = d;
    n->part = index;
    n->limit = d.distance;
    return cn_minf(limit, ties_included(d.distance));
}

bool cn_distance_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, float limit, cn_distance_result *result,
                       int *part)
{
    parts_near n = { .a = a, .b = b, .b_in_a = b_in_a, .limit = limit, .part = -1 };
    cn_box3 box;
    cn_convex_bounds(b, b_in_a, &box.lower, &box.upper);
    cn_composite_near(a, &box, ties_included(limit), visit_near, &n);
    *result = n.best;
    *part = n.part;
    return n.part >= 0;
}
