// Pairs with a closed form: spheres with spheres, capsules, boxes and cylinders; capsules with capsules.
#include "collide/minkowski.h"
#include "collide/pairs.h"

// `closest` is about the cores.
static void single_point(const cn_convex *a, const cn_convex *b, cn_closest closest, float margin, cn_manifold *manifold)
{
    closest = cn_closest_surfaces(closest, cn_core_skin(a), cn_core_skin(b));
    manifold->count = 0;
    cn_finish_manifold(&closest, margin, 0.0f, manifold);
}

// For cores that are points or segments: `fallback` is the normal when they meet, up to the rounding of coordinates of `size`.
static cn_closest closest_of_points(cn_vec3 point_a, cn_vec3 point_b, cn_vec3 fallback, float size)
{
    cn_vec3 apart = cn_sub(point_b, point_a);
    float distance = cn_length(apart);
    cn_vec3 normal = distance > 1e-6f * size ? cn_normalize(apart) : fallback;
    return (cn_closest){ point_a, point_b, normal, distance };
}

void cn_collide_spheres(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                        cn_manifold *manifold)
{
    (void)cache;
    cn_vec3 up = { 0.0f, 1.0f, 0.0f };
    single_point(a, b, closest_of_points(cn_v3(0.0f, 0.0f, 0.0f), b_in_a.position, up, 0.0f), margin, manifold);
}

static void capsule_segment(const cn_convex *capsule, cn_pose pose, cn_vec3 ends[2])
{
    cn_vec3 half = cn_rotate(pose.rotation, cn_v3(0.0f, capsule->half_height, 0.0f));
    ends[0] = cn_sub(pose.position, half);
    ends[1] = cn_add(pose.position, half);
}

void cn_collide_sphere_capsule(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                               cn_manifold *manifold)
{
    (void)cache;
    // In the frame of the capsule the closest point of its axis is a clamp.
    cn_vec3 center = cn_neg(cn_unrotate(b_in_a.rotation, b_in_a.position));
    cn_vec3 on_axis = { 0.0f, cn_clampf(center.y, -b->half_height, b->half_height), 0.0f };
    cn_vec3 sideways = cn_rotate(b_in_a.rotation, cn_v3(1.0f, 0.0f, 0.0f));
    cn_vec3 to_axis = cn_rotate(b_in_a.rotation, cn_sub(on_axis, center));
    single_point(a, b, closest_of_points(cn_v3(0.0f, 0.0f, 0.0f), to_axis, sideways, 0.0f), margin, manifold);
}

// `outward` is where the surface of b faces at its point nearest to the centre of sphere a, `height` how far out the centre is.
static cn_closest closest_of_center(cn_vec3 outward, float height, cn_quat rotation)
{
    cn_vec3 normal = cn_neg(cn_rotate(rotation, outward));
    return (cn_closest){ cn_v3(0.0f, 0.0f, 0.0f), cn_scale(height, normal), normal, height };
}

void cn_collide_sphere_box(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                           cn_manifold *manifold)
{
    (void)cache;
    cn_vec3 center = cn_neg(cn_unrotate(b_in_a.rotation, b_in_a.position)), h = b->half_extents;
    cn_vec3 outside = cn_sub(center, cn_max3(cn_neg(h), cn_min3(center, h)));
    float height = cn_length(outside);
    cn_vec3 outward = cn_normalize(outside);
    if (!(height > 0.0f)) {
        cn_vec3 room = cn_sub(h, cn_abs3(center)); // to the nearest face along each axis
        if (room.x <= room.y && room.x <= room.z)
            outward = cn_v3(center.x < 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f), height = -room.x;
        else if (room.y <= room.z)
            outward = cn_v3(0.0f, center.y < 0.0f ? -1.0f : 1.0f, 0.0f), height = -room.y;
        else
            outward = cn_v3(0.0f, 0.0f, center.z < 0.0f ? -1.0f : 1.0f), height = -room.z;
    }
    single_point(a, b, closest_of_center(outward, height, b_in_a.rotation), margin, manifold);
}

void cn_collide_sphere_cylinder(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                                cn_manifold *manifold)
{
    (void)cache;
    cn_vec3 center = cn_neg(cn_unrotate(b_in_a.rotation, b_in_a.position));
    float from_axis = sqrtf(center.x * center.x + center.z * center.z);
    cn_vec3 radial = { 1.0f, 0.0f, 0.0f }, axial = { 0.0f, center.y < 0.0f ? -1.0f : 1.0f, 0.0f };
    if (from_axis > 0.0f)
        radial = cn_v3(center.x / from_axis, 0.0f, center.z / from_axis);
    // Beyond the side and beyond the cap; the nearest point is on the rim when both are positive.
    float side = from_axis - b->radius, cap = cn_absf(center.y) - b->half_height;
    cn_vec3 outward = side > cap ? radial : axial;
    float height = cn_maxf(side, cap);
    if (side > 0.0f && cap > 0.0f) {
        height = sqrtf(side * side + cap * cap);
        outward = cn_normalize(cn_add(cn_scale(side / height, radial), cn_scale(cap / height, axial)));
    }
    single_point(a, b, closest_of_center(outward, height, b_in_a.rotation), margin, manifold);
}

// Where the lines themselves are closest the normal is across both; the difference of the points would lose it as the axes
// meet.
static cn_closest closest_of_segments(const cn_vec3 a[2], const cn_vec3 b[2], cn_vec3 fallback)
{
    cn_vec3 u = cn_sub(a[1], a[0]), v = cn_sub(b[1], b[0]);
    float s, t;
    bool crossing = cn_closest_on_segments(a[0], u, b[0], v, &s, &t);
    cn_vec3 point_a = cn_madd(a[0], s, u), point_b = cn_madd(b[0], t, v);
    if (!crossing)
        return closest_of_points(point_a, point_b, fallback, cn_length(u) + cn_length(v));
    cn_vec3 normal = cn_normalize(cn_cross(u, v));
    float distance = cn_dot(cn_sub(b[0], a[0]), normal);
    return (cn_closest){ point_a, point_b, distance < 0.0f ? cn_neg(normal) : normal, cn_absf(distance) };
}

void cn_collide_capsules(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                         cn_manifold *manifold)
{
    (void)cache;
    cn_vec3 axis_a[2], axis_b[2];
    capsule_segment(a, (cn_pose)CN_POSE_IDENTITY, axis_a);
    capsule_segment(b, b_in_a, axis_b);
    // Axes that meet are parted across both of them; parallel ones across any direction at right angles.
    cn_vec3 up = { 0.0f, 1.0f, 0.0f }, across = cn_cross(up, cn_rotate(b_in_a.rotation, up));
    cn_vec3 fallback = cn_length_sq(across) > 1e-8f ? cn_normalize(across) : cn_v3(1.0f, 0.0f, 0.0f);
    cn_closest closest = cn_closest_surfaces(closest_of_segments(axis_a, axis_b, fallback), a->radius, b->radius);
    for (int i = 0; i < 2; i++) {
        axis_a[i] = cn_madd(axis_a[i], a->radius, closest.normal);
        axis_b[i] = cn_madd(axis_b[i], -b->radius, closest.normal);
    }
    manifold->count = cn_segment_points(axis_a, axis_b, closest.normal, manifold->points);
    cn_finish_manifold(&closest, margin, 1e-3f * cn_minf(a->radius, b->radius), manifold);
}

// What the pair functions share.

cn_closest cn_closest_surfaces(cn_closest cores, float skin_a, float skin_b)
{
    return (cn_closest){ cn_madd(cores.point_a, skin_a, cores.normal), cn_madd(cores.point_b, -skin_b, cores.normal),
                         cores.normal, cores.separation - (skin_a + skin_b) };
}

int cn_segment_points(const cn_vec3 a[2], const cn_vec3 b[2], cn_vec3 normal, cn_manifold_point points[2])
{
    const float sine_sq = 4e-4f, least_share = 0.01f;
    cn_vec3 u = cn_sub(a[1], a[0]), v = cn_sub(b[1], b[0]), across = cn_cross(u, v);
    float uu = cn_dot(u, u), vv = cn_dot(v, v);
    float lean = cn_dot(u, normal); // at an end of a segment the normal leans along it
    if (!(uu > 0.0f && vv > 0.0f) || cn_dot(across, across) > sine_sq * uu * vv || lean * lean > sine_sq * uu)
        return 0;
    int low_b = cn_dot(u, v) < 0.0f, high_b = 1 - low_b; // which end of b comes first along a
    float from = cn_dot(cn_sub(b[low_b], a[0]), u) / uu, to = cn_dot(cn_sub(b[high_b], a[0]), u) / uu;
    float low = cn_maxf(from, 0.0f), high = cn_minf(to, 1.0f);
    if (!((high - low) * sqrtf(uu) > least_share * sqrtf(cn_minf(uu, vv))))
        return 0;
    for (int i = 0; i < 2; i++) {
        float s = i == 0 ? low : high;
        bool end_of_b = i == 0 ? from > 0.0f : to < 1.0f;
        cn_vec3 on_a = cn_madd(a[0], s, u), on_b = cn_lerp(b[low_b], b[high_b], (s - from) / (to - from));
        points[i].position = cn_lerp(on_a, on_b, 0.5f);
        points[i].separation = cn_dot(cn_sub(on_b, on_a), normal);
        points[i].feature = (uint32_t)(end_of_b ? 2 + (i == 0 ? low_b : high_b) : i);
    }
    return 2;
}

void cn_finish_manifold(const cn_closest *closest, float margin, float slop, cn_manifold *manifold)
{
    manifold->normal = closest->normal;
    if (!(closest->separation <= margin)) {
        manifold->count = 0;
        manifold->gap = closest->separation;
        return;
    }
    cn_vec3 witness = cn_lerp(closest->point_a, closest->point_b, 0.5f);
    int kept = 0, nearest = 0;
    bool deep_enough = false;
    float nearest_sq = INFINITY;
    for (int i = 0; i < manifold->count; i++) {
        cn_manifold_point point = manifold->points[i];
        if (point.separation > margin)
            continue;
        deep_enough |= point.separation <= closest->separation + slop;
        float distance_sq = cn_length_sq(cn_sub(point.position, witness));
        if (distance_sq < nearest_sq) {
            nearest_sq = distance_sq;
            nearest = kept;
        }
        manifold->points[kept++] = point;
    }
    if (!deep_enough)
        manifold->points[kept < CN_MAX_POINTS ? kept++ : nearest] =
            (cn_manifold_point){ witness, closest->separation, CN_WITNESS_FEATURE };
    manifold->count = kept;
}
