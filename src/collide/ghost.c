// Contacts with the seam between two solids.
//
// A convex solid can push at one of its points along the directions of its normal cone there. Two solids that continue each
// other can together push only along what is in both cones. The part of a direction in the cone of a solid is what its
// projection leaves: of x + d, the nearest point of the solid taken away (Moreau 1962).
#include "collide/ghost.h"

#include "collide/cast_parts.h"
#include "collide/collide_triangle.h"
#include "shape/taper.h"

#include <float.h>

// How far a point is outside of a face of a hull at most: it is no nearer to the hull. Stops where that is more than `enough`.
static float height_over(const cn_polyhedron *hull, cn_vec3 p, float enough)
{
    float height = -INFINITY;
    for (int i = 0; i < hull->face_count && height <= enough; i++)
        height = cn_maxf(height, cn_dot(hull->planes[i].normal, p) - hull->planes[i].offset);
    return height;
}

// What rounding and the flattening of its faces leave open, see hull.c.
static float plane_error(const cn_polyhedron *hull, cn_vec3 p)
{
    return 1e-5f * (cn_distance(hull->lower, hull->upper) + cn_length(hull->center) + cn_length(p));
}

static cn_vec3 nearest_in_hull(const cn_polyhedron *hull, cn_vec3 p)
{
    float inside = -plane_error(hull, p);
    if (height_over(hull, p, inside) <= inside)
        return p;
    cn_convex solid = { .type = CN_HULL, .hull = hull }, point = { .type = CN_SPHERE };
    cn_gjk_result gjk = cn_gjk_distance(&solid, &point, (cn_pose){ p, cn_quat_identity() }, NULL);
    return gjk.distance > 0.0f ? gjk.point_a : p;
}

// The point of a solid nearest to one of its frame: itself, when that is inside.
static cn_vec3 nearest_local(const cn_convex *shape, cn_vec3 p)
{
    float y = cn_clampf(p.y, -shape->half_height, shape->half_height);
    switch (shape->type) {
    case CN_SPHERE:
    case CN_CAPSULE: {
        cn_vec3 core = cn_v3(0.0f, shape->type == CN_CAPSULE ? y : 0.0f, 0.0f), out = cn_sub(p, core);
        float distance = cn_length(out);
        return distance > shape->radius ? cn_madd(core, shape->radius / distance, out) : p;
    }
    case CN_TAPERED_CAPSULE: {
        cn_taper taper = cn_taper_of(shape);
        double height = cn_taper_nearest(&taper, sqrt((double)p.x * (double)p.x + (double)p.z * (double)p.z), (double)p.y);
        float radius = (float)cn_taper_radius(&taper, height);
        cn_vec3 core = cn_v3(0.0f, (float)height, 0.0f), out = cn_sub(p, core);
        float distance = cn_length(out);
        return distance > radius ? cn_madd(core, radius / distance, out) : p;
    }
    case CN_CYLINDER: {
        float across = sqrtf(p.x * p.x + p.z * p.z), scale = across > shape->radius ? shape->radius / across : 1.0f;
        return cn_v3(scale * p.x, y, scale * p.z);
    }
    case CN_BOX: return cn_max3(cn_neg(shape->half_extents), cn_min3(p, shape->half_extents));
    default: return nearest_in_hull(shape->hull, p);
    }
}

static cn_vec3 nearest_in_parts(const cn_composite *composite, cn_vec3 p)
{
    const cn_convex point = { .type = CN_SPHERE };
    cn_distance_result nearest;
    int part;
    return cn_distance_parts(composite, &point, (cn_pose){ p, cn_quat_identity() }, FLT_MAX, &nearest, &part) ? nearest.point_a
                                                                                                              : p;
}

cn_vec3 cn_nearest_in(const cn_placed_solid *solid, cn_vec3 p)
{
    cn_vec3 local = cn_pose_unpoint(solid->pose, p);
    local = solid->composite != NULL ? nearest_in_parts(solid->composite, local) : nearest_local(solid->shape, local);
    return cn_pose_point(solid->pose, local);
}

static bool touches(const cn_placed_solid *solid, cn_vec3 p, float tolerance)
{
    if (solid->composite == NULL && solid->shape->type == CN_HULL) {
        cn_vec3 local = cn_pose_unpoint(solid->pose, p);
        float far = tolerance + plane_error(solid->shape->hull, local);
        if (height_over(solid->shape->hull, local, far) > far)
            return false;
    }
    return cn_distance(cn_nearest_in(solid, p), p) <= tolerance;
}

// The points of p that are farthest along the normal are those that may push along it. False unless q covers them all; one of
// them is left in `at`.
static bool is_covered(cn_vec3 normal, const cn_manifold_point *points, int count, const cn_placed_solid *p,
                       const cn_placed_solid *q, float tolerance, cn_vec3 *at)
{
    cn_vec3 on_p[CN_PATCH_POINTS];
    float farthest = -INFINITY;
    for (int i = 0; i < count; i++) {
        on_p[i] = cn_nearest_in(p, cn_madd(points[i].position, -0.5f * points[i].separation, normal));
        farthest = cn_maxf(farthest, cn_dot(normal, on_p[i]));
    }
    for (int i = 0; i < count; i++) {
        if (cn_dot(normal, on_p[i]) < farthest - 0.02f * tolerance)
            continue;
        // The deeper the overlap, the less exact is its place.
        if (!touches(q, on_p[i], tolerance + 0.1f * cn_absf(points[i].separation)))
            return false;
        *at = on_p[i];
    }
    return count > 0;
}

// Whether a direction leans over a solid that is at `at`: the point of the solid nearest to one a step along it is another one
// than that nearest to the beginning. A point that is a rounding error inside comes out along the direction, which is no lean.
static bool leans_over(const cn_placed_solid *solid, cn_vec3 at, float step, cn_vec3 direction, float least)
{
    cn_vec3 shift = cn_sub(cn_nearest_in(solid, cn_madd(at, step, direction)), cn_nearest_in(solid, at));
    float along = cn_dot(shift, direction);
    return along > 0.01f * step || cn_length(cn_madd(shift, -along, direction)) > least;
}

cn_seam cn_resolve_seam(cn_vec3 *normal, cn_manifold_point *points, int count, const cn_placed_solid *p,
                        const cn_placed_solid *q, cn_vec3 q_normal, float tolerance)
{
    const float least_lean = 1e-5f, upright = 1e-3f, least_rest = 0.1f; // rad, rad, and almost all over q
    const float rounding = 4e-7f;
    cn_vec3 n = *normal, at;
    float step = 20.0f * tolerance;
    if (!is_covered(n, points, count, p, q, tolerance, &at))
        return CN_NO_SEAM;
    cn_vec3 ahead = cn_madd(at, step, n), rest = cn_sub(ahead, cn_nearest_in(q, ahead));
    bool covered = cn_length(rest) < least_rest * step;
    cn_vec3 turned = covered ? q_normal : cn_normalize(rest);
    // Where p stands out of the surface of q, it is a wall or a floor of its own.
    if (!leans_over(q, at, step, n, cn_maxf(least_lean * step, rounding * cn_length(at))) ||
        touches(p, cn_madd(at, 4.0f * tolerance, turned), tolerance))
        return CN_NO_SEAM;
    // The contact with q stands upright on both and is enough.
    if (covered || !leans_over(p, at, step, q_normal, upright * step))
        return CN_SEAM_GHOST;
    *normal = turned;
    for (int i = 0; i < count; i++)
        points[i].separation *= cn_dot(n, turned);
    return CN_SEAM_TURNED;
}
