// Spheres, capsules, cylinders and tapered capsules against a triangle: the direction between the closest points, where the
// surface can push along it, else the normal of the triangle.
#include "collide/collide_triangle.h"

#include "collide/minkowski.h"
#include "collide/pairs.h"
#include "collide/triangle_pair.h"

// The closest points of the outline and a segment, which may be a point. Returns the edge. A segment that lies on it has no
// direction but that of the triangle's normal.
static int closest_on_outline(const cn_triangle_pair *pair, cn_vec3 start, cn_vec3 along, cn_closest *closest)
{
    int best = 0;
    float least = INFINITY;
    for (int i = 0; i < 3; i++) {
        cn_vec3 v = pair->vertices[i], side = cn_sub(pair->vertices[cn_next_corner(i)], v);
        float s, t;
        cn_closest_on_segments(v, side, start, along, &s, &t);
        cn_vec3 on_edge = cn_madd(v, s, side), on_core = cn_madd(start, t, along);
        float distance_sq = cn_length_sq(cn_sub(on_core, on_edge));
        if (distance_sq < least) {
            least = distance_sq;
            best = i;
            *closest = (cn_closest){ .point_a = on_edge, .point_b = on_core };
        }
    }
    closest->separation = sqrtf(least);
    closest->normal = least > 0.0f ? cn_normalize(cn_sub(closest->point_b, closest->point_a)) : pair->plane.normal;
    return best;
}

// --- spheres -----------------------------------------------------------------------------------------------------------------

bool cn_triangle_sphere(cn_triangle_pair *pair, cn_cluster *out)
{
    float radius = pair->query->b->radius, height = -pair->plane.offset;
    cn_vec3 center = { 0.0f, 0.0f, 0.0f };
    out->gap = height - radius;
    if (!(height - radius <= pair->query->margin))
        return false;
    cn_triangle_pair_finish(pair);
    if (cn_is_over(pair, center))
        return cn_triangle_face_contact(pair, out);
    cn_closest closest;
    if (pair->only_front || height < 0.0f)
        return false;
    closest_on_outline(pair, center, center, &closest);
    closest = cn_closest_surfaces(closest, 0.0f, radius);
    out->gap = closest.separation;
    if (closest.separation <= pair->query->margin && cn_triangle_allows(pair, closest.normal)) {
        cn_manifold point = { .count = 0 };
        cn_finish_manifold(&closest, pair->query->margin, 0.0f, &point);
        cn_cluster_from_manifold(&point, out);
    }
    return false;
}

// --- capsules ----------------------------------------------------------------------------------------------------------------

// Does the axis pass through the triangle? Then no closest points tell a direction.
static bool passes_through(const cn_triangle_pair *pair, cn_vec3 start, cn_vec3 along, float height, float end_height,
                           cn_vec3 *where)
{
    if (!(height * end_height <= 0.0f))
        return false;
    float rise = height - end_height;
    *where = cn_madd(start, rise != 0.0f ? height / rise : 0.0f, along);
    return cn_is_over(pair, *where);
}

// The lower end of an axis that passes through the triangle may lie beside it: then it is pushed out where it passes.
static bool pierced_contact(const cn_triangle_pair *pair, cn_vec3 where, float front, cn_cluster *out)
{
    if (cn_triangle_face_contact(pair, out))
        return true;
    cn_clip_point point = { where, front, CN_WITNESS_FEATURE };
    cn_cluster_fill(out, pair->plane.normal, &point, 1, pair->plane.normal);
    return true;
}

static void capsule_edge_contact(const cn_triangle_pair *pair, int edge, const cn_closest *closest, cn_cluster *out)
{
    const cn_triangle_query *query = pair->query;
    cn_vec3 side[2] = { pair->vertices[edge], pair->vertices[cn_next_corner(edge)] }, axis[2];
    for (int i = 0; i < 2; i++)
        axis[i] = cn_madd(cn_v3(0.0f, i == 0 ? -query->b->half_height : query->b->half_height, 0.0f), -query->b->radius,
                          closest->normal);
    cn_manifold points = { .gap = 0.0f };
    points.count = cn_segment_points(side, axis, closest->normal, points.points);
    cn_finish_manifold(closest, query->margin, 1e-3f * query->b->radius, &points);
    cn_cluster_from_manifold(&points, out);
}

bool cn_triangle_capsule(cn_triangle_pair *pair, cn_cluster *out)
{
    const cn_triangle_query *query = pair->query;
    float radius = query->b->radius, rise = 2.0f * query->b->half_height * pair->plane.normal.y;
    cn_vec3 start = { 0.0f, -query->b->half_height, 0.0f }, along = { 0.0f, 2.0f * query->b->half_height, 0.0f };
    float height = -0.5f * rise - pair->plane.offset, end_height = height + rise;
    float front = cn_minf(height, end_height) - radius;
    out->gap = front;
    if (!(front <= query->margin))
        return false;
    cn_triangle_pair_finish(pair);
    cn_vec3 lower = end_height < height ? cn_add(start, along) : start;
    bool above = front + radius >= 0.0f;
    cn_vec3 where;
    if (passes_through(pair, start, along, height, end_height, &where))
        return pierced_contact(pair, where, front, out);
    if (pair->only_front || (above && cn_is_over(pair, lower)))
        return cn_triangle_face_contact(pair, out);

    cn_closest closest;
    int edge = closest_on_outline(pair, start, along, &closest);
    closest = cn_closest_surfaces(closest, 0.0f, radius);
    out->gap = closest.separation;
    if (!(closest.separation <= query->margin))
        return false;
    bool front_first = front + query->tolerance >= closest.separation;
    if (front_first && cn_triangle_face_contact(pair, out))
        return true;
    if (!cn_triangle_allows(pair, closest.normal))
        return !front_first && cn_triangle_face_contact(pair, out);
    capsule_edge_contact(pair, edge, &closest, out);
    return false;
}

// --- cylinders and tapered capsules ------------------------------------------------------------------------------------------

// The points of a contact along a direction in which the surface cannot push, as far as they lie over the triangle, along its
// normal.
static bool turn_to_front(const cn_triangle_pair *pair, const cn_manifold *any, cn_cluster *out)
{
    cn_vec3 n = pair->plane.normal;
    out->count = 0;
    for (int i = 0; i < any->count; i++) {
        cn_vec3 on_b = cn_madd(any->points[i].position, 0.5f * any->points[i].separation, any->normal);
        float separation = cn_dot(n, on_b) - pair->plane.offset;
        if (separation <= pair->query->margin && cn_is_over(pair, on_b))
            out->points[out->count++] =
                (cn_manifold_point){ cn_madd(on_b, -0.5f * separation, n), separation, any->points[i].feature };
    }
    return out->count > 0;
}

bool cn_triangle_cylinder(cn_triangle_pair *pair, cn_cluster *out)
{
    const cn_triangle_query *query = pair->query;
    cn_vec3 n = pair->plane.normal;
    float front = cn_dot(n, cn_convex_support(query->b, cn_neg(n))) - pair->plane.offset;
    out->gap = front;
    if (!(front <= query->margin))
        return false;
    cn_triangle_pair_finish(pair);
    if (pair->only_front)
        return cn_triangle_face_contact(pair, out);

    cn_convex triangle = { .type = CN_TRIANGLE, .triangle = pair->vertices };
    cn_manifold any;
    cn_pair_cache cache = { 0 };
    cn_pose same = CN_POSE_IDENTITY;
    cn_collide_convex(&triangle, query->b, same, query->margin, &cache, &any);
    if (any.count == 0) {
        out->gap = any.gap;
        return false;
    }
    float least = INFINITY;
    for (int i = 0; i < any.count; i++)
        least = cn_minf(least, any.points[i].separation);
    bool front_first = front + query->tolerance >= least;
    if (front_first && cn_triangle_face_contact(pair, out))
        return true;
    if (!cn_triangle_allows(pair, any.normal))
        return (!front_first && cn_triangle_face_contact(pair, out)) || turn_to_front(pair, &any, out);
    cn_cluster_from_manifold(&any, out);
    return false;
}
