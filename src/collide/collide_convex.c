// Any pair of convex shapes: the normal from GJK where the cores are apart and from EPA where they overlap, the points from
// clipping the features that face each other.
#include "collide/minkowski.h"
#include "collide/pairs.h"
#include "shape/taper.h"

// The face, edge or vertex of one surface that faces the other, in the frame of a.
typedef struct feature {
    int count;
    cn_vec3 vertices[CN_MAX_FACE_VERTICES];
    uint16_t ids[CN_MAX_FACE_VERTICES];
    cn_vec3 normal;
    float alignment; // cosine of the angle between its normal and the contact normal; below -1 unless it is a polygon
} feature;

static void find_feature(const cn_convex *shape, cn_pose pose, cn_vec3 direction, float skin, feature *f)
{
    f->count = cn_convex_face(shape, cn_unrotate(pose.rotation, direction), f->vertices, f->ids, &f->normal);
    f->normal = cn_rotate(pose.rotation, f->normal);
    for (int i = 0; i < f->count; i++)
        f->vertices[i] = cn_madd(cn_pose_point(pose, f->vertices[i]), skin, direction);
    f->alignment = f->count >= 3 ? cn_dot(f->normal, direction) : -2.0f;
}

// A capsule that leans touches a face with one end, but when it is hit there the other comes down: both count where that one is within
// reach, too.
static void add_far_end(const cn_convex *shape, cn_pose pose, cn_vec3 direction, float skin, float reach, feature *f)
{
    if (f->count != 1 || (shape->type != CN_CAPSULE && shape->type != CN_TAPERED_CAPSULE))
        return;
    cn_taper taper = cn_taper_of(shape);
    cn_vec3 ends[2];
    for (int i = 0; i < 2; i++) {
        cn_vec3 center = cn_pose_point(pose, cn_v3(0.0f, (float)taper.y[i], 0.0f));
        ends[i] = cn_madd(center, (float)taper.radius[i] - cn_core_skin(shape) + skin, direction);
    }
    if (!(cn_absf(cn_dot(direction, cn_sub(ends[1], ends[0]))) <= reach))
        return;
    f->count = 2;
    for (int i = 0; i < 2; i++) {
        f->vertices[i] = ends[i];
        f->ids[i] = (uint16_t)i;
    }
}

// False when the cores are farther apart than `limit`; the separation is then a lower bound.
static bool find_closest_cores(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float limit, cn_pair_cache *cache,
                               cn_closest *closest)
{
    cn_minkowski m = cn_minkowski_make(a, b, b_in_a);
    cn_simplex simplex;
    cn_gjk_result gjk = cn_gjk_run(&m, (double)limit, cache, &simplex);
    if (gjk.distance > 0.0f) {
        *closest = (cn_closest){ gjk.point_a, gjk.point_b, gjk.normal, gjk.distance };
        return gjk.distance <= limit;
    }
    cn_epa_result epa = cn_epa_expand(&m, &simplex);
    *closest = (cn_closest){ epa.point_a, epa.point_b, epa.normal, -epa.depth };
    return true;
}

static void clip_against(const feature *face, const feature *other, const cn_closest *closest, float margin, bool face_is_b,
                         cn_manifold *manifold)
{
    cn_clip_faces(face->vertices, face->ids, face->count, other->vertices, other->ids, other->count, face->normal, margin,
                  face_is_b, manifold);
    // Measured along the contact normal instead of the face's; nothing is deeper than the closest point.
    for (int i = 0; i < manifold->count; i++)
        manifold->points[i].separation = cn_maxf(manifold->points[i].separation / face->alignment, closest->separation);
}

void cn_collide_convex(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                       cn_manifold *manifold)
{
    // A face that leans more than 10 degrees from the contact normal says nothing about the neighbourhood of the contact.
    const float least_alignment = 0.985f;
    float skin_a = cn_core_skin(a), skin_b = cn_core_skin(b);
    cn_closest cores;
    manifold->count = 0;
    if (!find_closest_cores(a, b, b_in_a, margin + skin_a + skin_b, cache, &cores)) {
        manifold->gap = cores.separation - (skin_a + skin_b);
        return;
    }
    cn_closest closest = cn_closest_surfaces(cores, skin_a, skin_b);
    feature fa, fb;
    find_feature(a, (cn_pose)CN_POSE_IDENTITY, closest.normal, skin_a, &fa);
    find_feature(b, b_in_a, cn_neg(closest.normal), skin_b, &fb);
    if (cn_maxf(fa.alignment, fb.alignment) > least_alignment) {
        add_far_end(a, (cn_pose)CN_POSE_IDENTITY, closest.normal, skin_a, margin - closest.separation, &fa);
        add_far_end(b, b_in_a, cn_neg(closest.normal), skin_b, margin - closest.separation, &fb);
    }
    if (fa.count == 2 && fb.count == 2)
        manifold->count = cn_segment_points(fa.vertices, fb.vertices, closest.normal, manifold->points);
    else if (fa.count >= 2 && fb.count >= 2 && cn_maxf(fa.alignment, fb.alignment) > least_alignment) {
        // When both are parallel, the face of a; rounding shall not make the choice.
        bool face_is_b = fb.alignment > fa.alignment + 1e-4f;
        clip_against(face_is_b ? &fb : &fa, face_is_b ? &fa : &fb, &closest, margin, face_is_b, manifold);
    }
    float slop = 1e-3f * cn_minf(cn_convex_inner_radius(a), cn_convex_inner_radius(b));
    cn_finish_manifold(&closest, margin, slop, manifold);
}

void cn_collide_corners(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_manifold *manifold)
{
    float skin_a = cn_core_skin(a), skin_b = cn_core_skin(b);
    cn_closest cores;
    find_closest_cores(a, b, b_in_a, margin + skin_a + skin_b, NULL, &cores);
    cn_closest closest = cn_closest_surfaces(cores, skin_a, skin_b);
    manifold->count = 0;
    cn_finish_manifold(&closest, margin, 0.0f, manifold);
}
