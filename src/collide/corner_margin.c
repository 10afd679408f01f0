// What rolls comes down with its next corner within the same step, where the points of a face know nothing of it: overlaps of
// centimetres would be pushed out and lifted. So the corners beside the face that are near show too.
#include "collide/sat.h"
#include "shape/hull_lanes.h"

// Corners nearer to each other than this, in inner radii, show what the others do.
#define SPREAD 0.25f

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

void cn_add_corners(const cn_outline *face, cn_vec3 normal, const cn_polyhedron *other, const cn_mat3 *rotation, cn_vec3 offset,
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
