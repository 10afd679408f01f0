// Separating axes of triangles and a box, four triangles at a time: the axes of the box, the normal of the triangle, across its
// edges in its plane, and across an edge of each. Every axis is only as good as its rounding, so all three corners are measured
// along it: one that is a little off the true direction shows less, but nothing that is wrong.
#include "collide/triangle_cull.h"

#include "base/simd.h"

enum { LANES = 4 };

typedef struct wide3 {
    cn_f4 x, y, z;
} wide3;

CN_INLINE wide3 sub(wide3 a, wide3 b) { return (wide3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
CN_INLINE cn_f4 dot(wide3 a, wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CN_INLINE wide3 cross(wide3 a, wide3 b)
{
    return (wide3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
CN_INLINE cn_f4 min_of(const cn_f4 p[3]) { return cn_f4_min(p[0], cn_f4_min(p[1], p[2])); }
CN_INLINE cn_f4 max_of(const cn_f4 p[3]) { return cn_f4_max(p[0], cn_f4_max(p[1], p[2])); }

CN_INLINE cn_f4 abs4(cn_f4 a) { return (cn_f4)((cn_i4)a & 0x7fffffff); }

// The box around b, about the origin, and four triangles in its frame.
typedef struct cull {
    wide3 extents;
    cn_f4 margin; // with what rounding may hide
    wide3 vertices[3];
} cull;

// Lanes where triangles from `lowest` to `highest` along an axis are apart from a box that reaches to `reach` on both sides. An
// axis too short for its length to be known shows nothing; squares that are not finite compare as they should, or show nothing.
CN_INLINE cn_i4 is_beyond(const cull *c, cn_f4 lowest, cn_f4 highest, cn_f4 reach, cn_f4 length_sq)
{
    cn_f4 gap = cn_f4_max(lowest, -highest) - reach;
    return (gap > 0.0f) & (gap * gap > c->margin * c->margin * length_sq) & (length_sq > 1e-30f);
}

CN_INLINE cn_i4 apart_along(const cull *c, wide3 axis)
{
    cn_f4 p[3] = { dot(axis, c->vertices[0]), dot(axis, c->vertices[1]), dot(axis, c->vertices[2]) };
    cn_f4 reach = c->extents.x * abs4(axis.x) + c->extents.y * abs4(axis.y) + c->extents.z * abs4(axis.z);
    return is_beyond(c, min_of(p), max_of(p), reach, dot(axis, axis));
}

CN_INLINE cn_i4 apart_along_box_axis(const cull *c, const cn_f4 p[3], cn_f4 extent)
{
    cn_f4 limit = extent + c->margin;
    return cn_f4_max(min_of(p), -max_of(p)) > limit;
}

// Across an edge of the triangle and the edges of the box along the axis that is left out: u and v are coordinates along the
// other two.
CN_INLINE cn_i4 apart_across(const cull *c, cn_f4 edge_u, cn_f4 edge_v, const cn_f4 u[3], const cn_f4 v[3], cn_f4 extent_u,
                             cn_f4 extent_v)
{
    cn_f4 p[3];
    for (int i = 0; i < 3; i++)
        p[i] = edge_v * u[i] - edge_u * v[i];
    cn_f4 reach = extent_u * abs4(edge_v) + extent_v * abs4(edge_u);
    return is_beyond(c, min_of(p), max_of(p), reach, edge_u * edge_u + edge_v * edge_v);
}

// One bit for each lane whose triangle is apart from the box.
static int find_apart(const cull *c)
{
    const wide3 *v = c->vertices;
    const cn_f4 x[3] = { v[0].x, v[1].x, v[2].x }, y[3] = { v[0].y, v[1].y, v[2].y }, z[3] = { v[0].z, v[1].z, v[2].z };
    cn_i4 apart = apart_along_box_axis(c, x, c->extents.x) | apart_along_box_axis(c, y, c->extents.y) |
                  apart_along_box_axis(c, z, c->extents.z);
    wide3 edges[3] = { sub(v[1], v[0]), sub(v[2], v[1]), sub(v[0], v[2]) }, normal = cross(edges[0], edges[1]);
    apart |= apart_along(c, normal);
    for (int i = 0; i < 3 && !cn_i4_all(apart); i++) {
        wide3 e = edges[i];
        apart |= apart_along(c, cross(e, normal));
        apart |= apart_across(c, e.y, e.z, y, z, c->extents.y, c->extents.z);
        apart |= apart_across(c, e.z, e.x, z, x, c->extents.z, c->extents.x);
        apart |= apart_across(c, e.x, e.y, x, y, c->extents.x, c->extents.y);
    }
    return cn_i4_bits(apart);
}

// ---- from triangles to lanes

// Corner `k` of the triangles, turned into the frame of the box; lanes beyond `count` repeat the last triangle.
static wide3 load_corners(const cn_vec3 (*corners)[3], int count, int k, const cn_mat3 *rotation, cn_vec3 origin)
{
    float rows[3][LANES];
    for (int lane = 0; lane < LANES; lane++) {
        cn_vec3 p = corners[lane < count ? lane : count - 1][k];
        rows[0][lane] = p.x;
        rows[1][lane] = p.y;
        rows[2][lane] = p.z;
    }
    wide3 p;
    memcpy(&p, rows, sizeof p);
    p = sub(p, (wide3){ cn_f4_set(origin.x), cn_f4_set(origin.y), cn_f4_set(origin.z) });
    cn_vec3 x = rotation->x, y = rotation->y, z = rotation->z;
    return (wide3){ p.x * x.x + p.y * x.y + p.z * x.z, p.x * y.x + p.y * y.y + p.z * y.z, p.x * z.x + p.y * z.y + p.z * z.z };
}

int cn_cull_triangles(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, float margin, int32_t *numbers, int count)
{
    cn_vec3 lower, upper, corners[LANES][3];
    cn_pose own = CN_POSE_IDENTITY;
    cn_convex_bounds(b, own, &lower, &upper);
    cn_vec3 extents = cn_scale(0.5f, cn_sub(upper, lower)), middle = cn_scale(0.5f, cn_add(lower, upper));
    cn_vec3 origin = cn_pose_point(b_in_a, middle);
    cn_mat3 rotation = cn_mat3_from_quat(b_in_a.rotation);
    cull c = { .extents = { cn_f4_set(extents.x), cn_f4_set(extents.y), cn_f4_set(extents.z) } };
    int kept = 0;
    for (int first = 0; first < count; first += LANES) {
        int lanes = count - first < LANES ? count - first : LANES;
        cn_composite_corners(a, numbers + first, lanes, corners);
        cn_f4 largest = cn_f4_set(0.0f);
        for (int k = 0; k < 3; k++) {
            wide3 v = c.vertices[k] = load_corners(corners, lanes, k, &rotation, origin);
            largest = cn_f4_max(abs4(v.x) + abs4(v.y) + abs4(v.z), largest);
        }
        c.margin = cn_f4_set(margin) + cn_f4_set(2e-6f) * largest;
        int apart = find_apart(&c);
        for (int lane = 0; lane < lanes; lane++)
            if ((apart >> lane & 1) == 0)
                numbers[kept++] = numbers[first + lane];
    }
    return kept;
}
