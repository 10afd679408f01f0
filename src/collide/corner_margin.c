// What rolls comes down with its next corner within the same step, where the points of a face know nothing of it: overlaps of
// centimetres would be pushed out and lifted. So the corners beside the face that are near show too.
#include "collide/sat.h"
#include "shape/hull_lanes.h"

// Corners nearer to each other than this, in inner radii, show what the others do.
#define SPREAD 0.25f
// What can come nearer by no more than this part of its size in the step rocks, if anything.
#define SLOW_PART 0.1f

// Not beyond any side of the face.
static bool is_above(const cn_outline *face, cn_vec3 normal, cn_vec3 point)
{
    for (int i = 0; i < face->count; i++) {
        cn_vec3 side = cn_sub(face->vertices[i + 1 < face->count ? i + 1 : 0], face->vertices[i]);
        if (cn_dot(cn_cross(side, normal), cn_sub(point, face->vertices[i])) > 0.0f)
            return false;
    }
    return true;
}

static float nearest_sq(const cn_manifold *manifold, cn_vec3 place)
{
    float nearest = INFINITY;
    for (int i = 0; i < manifold->count; i++)
        nearest = cn_minf(nearest, cn_length_sq(cn_sub(place, manifold->points[i].position)));
    return nearest;
}

// Corners of the other solid in the frame of the face, four side by side.
CN_INLINE cn_vertices4 place_corners(const cn_polyhedron *other, int first, const cn_mat3 *r, cn_vec3 offset)
{
    cn_vertices4 v = cn_load_vertices(&other->vertices[first]);
    if (r == NULL)
        return v;
    return (cn_vertices4){ offset.x + (r->x.x * v.x + r->y.x * v.y + r->z.x * v.z),
                           offset.y + (r->x.y * v.x + r->y.y * v.y + r->z.y * v.z),
                           offset.z + (r->x.z * v.x + r->y.z * v.y + r->z.z * v.z) };
}

// What comes down fast meets the farthest of them next.
static void fill_up(const cn_outline *face, cn_vec3 normal, const cn_polyhedron *other, const cn_mat3 *rotation, cn_vec3 offset,
                    float margin, cn_manifold *manifold)
{
    const float least = SPREAD * other->inner_radius;
    cn_vec3 level = face->vertices[0];
    while (manifold->count < CN_MAX_POINTS) {
        float farthest = least * least;
        cn_manifold_point best = { .separation = INFINITY };
        for (int seen = 0; seen < other->vertex_count; seen += CN_HULL_LANES) {
            int first = cn_block_start(other, seen);
            cn_vertices4 at = place_corners(other, first, rotation, offset);
            cn_f4 above = normal.x * (at.x - level.x) + normal.y * (at.y - level.y) + normal.z * (at.z - level.z);
            for (int left = cn_i4_bits(above <= margin) >> (seen - first) << (seen - first); left != 0; left &= left - 1) {
                int lane = __builtin_ctz((unsigned)left);
                float separation = above[lane];
                cn_vec3 corner = { at.x[lane], at.y[lane], at.z[lane] }, place = cn_madd(corner, -0.5f * separation, normal);
                float distance = nearest_sq(manifold, place);
                if (distance <= farthest || !is_above(face, normal, corner))
                    continue;
                farthest = distance;
                best = (cn_manifold_point){ place, separation, 0xFFFF0000u | (uint32_t)(first + lane) };
            }
        }
        if (best.separation == INFINITY)
            return;
        manifold->points[manifold->count++] = best;
    }
}

static bool is_apart(const cn_clip_point *points, int count, cn_vec3 place, float least)
{
    for (int i = 0; i < count; i++)
        if (cn_length_sq(cn_sub(place, points[i].position)) <= least * least)
            return false;
    return true;
}

// Four points of the same height are all that is needed.
static bool rests(const cn_manifold *manifold, float level)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < manifold->count; i++) {
        low = cn_minf(low, manifold->points[i].separation);
        high = cn_maxf(high, manifold->points[i].separation);
    }
    return manifold->count == CN_MAX_POINTS && high - low <= level;
}

void cn_add_corners(const cn_outline *face, cn_vec3 normal, const cn_polyhedron *other, const cn_mat3 *rotation, cn_vec3 offset,
                    float margin, cn_manifold *manifold)
{
    const float least = SPREAD * other->inner_radius;
    cn_clip_point points[CN_MAX_CLIP_POINTS];
    int known = manifold->count, count = known;
    if (margin > SLOW_PART * cn_distance(other->lower, other->upper)) {
        fill_up(face, normal, other, rotation, offset, margin, manifold);
        return;
    }
    if (rests(manifold, CN_SAT_TOLERANCE * other->inner_radius))
        return;
    for (int i = 0; i < known; i++)
        points[i] =
            (cn_clip_point){ manifold->points[i].position, manifold->points[i].separation, manifold->points[i].feature };
    for (int i = 0; i < other->vertex_count && count < CN_MAX_CLIP_POINTS; i++) {
        cn_vec3 corner = rotation == NULL ? other->vertices[i] : cn_add(offset, cn_mat3_mul(rotation, other->vertices[i]));
        float separation = cn_dot(normal, cn_sub(corner, face->vertices[0]));
        cn_vec3 place = cn_madd(corner, -0.5f * separation, normal);
        if (separation <= margin && is_apart(points, count, place, least) && is_above(face, normal, corner))
            points[count++] = (cn_clip_point){ place, separation, 0xFFFF0000u | (uint32_t)i };
    }
    if (count == known)
        return;
    int uneven = cn_reduce_uneven(points, count, normal);
    manifold->count = uneven > 0 ? uneven : cn_reduce_points(points, count, normal);
    for (int i = 0; i < manifold->count; i++)
        manifold->points[i] = (cn_manifold_point){ points[i].position, points[i].separation, points[i].feature };
}
