// Separating axes of triangles and a box or hull, four triangles at a time: the axes of the box, the normal of the triangle,
// and across its edges in its plane. Every axis is only as good as its rounding, so all three corners are measured along it:
// one that is a little off the true direction shows less, but nothing that is wrong.
#include "collide/triangle_cull.h"

#include "base/simd.h"
#include "collide/collide_triangle.h"

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

// Four triangles in the frame of the box.
typedef struct block {
    wide3 vertices[3];
    wide3 normal;
    cn_f4 rounding; // of their places, m
} block;

enum { MOST_CORNERS = 16 }; // hulls with more are seen as their boxes

// What b is, about the middle of the box around it, and what is looked at.
typedef struct cull {
    wide3 extents;
    int corner_count; // of a hull; 0: the box is all that is known
    cn_vec3 corners[MOST_CORNERS];
    cn_f4 margin; // with what rounding may hide
    cn_f4 reach;  // b can be so far beside the column over a triangle and still touch it, likewise
    const wide3 *vertices;
} cull;

typedef struct span {
    cn_f4 from, to;
} span;

CN_INLINE span span_of(const cull *c, wide3 axis)
{
    cn_f4 to = c->extents.x * abs4(axis.x) + c->extents.y * abs4(axis.y) + c->extents.z * abs4(axis.z);
    span s = { -to, to };
    for (int i = 0; i < c->corner_count; i++) {
        cn_vec3 p = c->corners[i];
        cn_f4 at = axis.x * p.x + axis.y * p.y + axis.z * p.z;
        s.from = i == 0 ? at : cn_f4_min(at, s.from);
        s.to = i == 0 ? at : cn_f4_max(at, s.to);
    }
    return s;
}

// How far apart b and the triangles are along an axis, in units of its length.
CN_INLINE cn_f4 gap_along(const cull *c, wide3 axis)
{
    cn_f4 p[3] = { dot(axis, c->vertices[0]), dot(axis, c->vertices[1]), dot(axis, c->vertices[2]) };
    span b = span_of(c, axis);
    return cn_f4_max(min_of(p) - b.to, b.from - max_of(p));
}

// Lanes whose gap is more than a distance. An axis too short for its length to be known shows nothing; squares that are not
// finite compare as they should, or show nothing.
CN_INLINE cn_i4 is_beyond(cn_f4 gap, cn_f4 distance, cn_f4 length_sq)
{
    return (gap > 0.0f) & (gap * gap > distance * distance * length_sq) & (length_sq > 1e-30f);
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
    return is_beyond(cn_f4_max(min_of(p), -max_of(p)) - reach, c->margin, edge_u * edge_u + edge_v * edge_v);
}

// What has sunk in lies under a triangle that it may not meet: its contact is with the column below. All of that is as near to
// the triangle as b reaches below its plane.
CN_INLINE cn_f4 depth_below(const cull *c, wide3 normal)
{
    return cn_f4_max(dot(normal, c->vertices[0]) - span_of(c, normal).from, cn_f4_set(0.0f));
}

typedef struct lanes {
    int apart; // one bit for each triangle that, with the column below it as far as b reaches, is apart from b
    int aside; // for each that b is too far beside of to touch it
} lanes;

static lanes find_apart(cull *c, const block *from)
{
    const wide3 *v = c->vertices = from->vertices;
    wide3 edges[3] = { sub(v[1], v[0]), sub(v[2], v[1]), sub(v[0], v[2]) };
    c->margin += depth_below(c, from->normal);
    const cn_f4 x[3] = { v[0].x, v[1].x, v[2].x }, y[3] = { v[0].y, v[1].y, v[2].y }, z[3] = { v[0].z, v[1].z, v[2].z };
    cn_i4 apart = apart_along_box_axis(c, x, c->extents.x) | apart_along_box_axis(c, y, c->extents.y) |
                  apart_along_box_axis(c, z, c->extents.z);
    if (cn_i4_all(apart))
        return (lanes){ 15, 15 };
    apart |= gap_along(c, from->normal) > c->margin;
    cn_i4 aside = apart;
    for (int i = 0; i < 3 && !cn_i4_all(apart); i++) {
        wide3 across = cross(edges[i], from->normal);
        cn_f4 gap = gap_along(c, across), length_sq = dot(across, across);
        apart |= is_beyond(gap, c->margin, length_sq);
        aside |= is_beyond(gap, c->reach, length_sq);
        apart |= apart_across(c, edges[i].y, edges[i].z, y, z, c->extents.y, c->extents.z);
        apart |= apart_across(c, edges[i].z, edges[i].x, z, x, c->extents.z, c->extents.x);
        apart |= apart_across(c, edges[i].x, edges[i].y, x, y, c->extents.x, c->extents.y);
    }
    return (lanes){ cn_i4_bits(apart), cn_i4_bits(aside) };
}

// ---- from triangles to lanes

// Corner `k` of the triangles, turned into the frame of the box.
CN_INLINE wide3 turn_corners(const cn_f4 (*corners)[3], int k, const cn_mat3 *rotation, cn_vec3 origin)
{
    cn_f4 a = __builtin_shufflevector(corners[0][k], corners[1][k], 0, 4, 1, 5);
    cn_f4 b = __builtin_shufflevector(corners[0][k], corners[1][k], 2, 6, 3, 7);
    cn_f4 c = __builtin_shufflevector(corners[2][k], corners[3][k], 0, 4, 1, 5);
    cn_f4 d = __builtin_shufflevector(corners[2][k], corners[3][k], 2, 6, 3, 7);
    wide3 p = { __builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
                __builtin_shufflevector(b, d, 0, 1, 4, 5) };
    p = sub(p, (wide3){ cn_f4_set(origin.x), cn_f4_set(origin.y), cn_f4_set(origin.z) });
    cn_vec3 x = rotation->x, y = rotation->y, z = rotation->z;
    return (wide3){ p.x * x.x + p.y * x.y + p.z * x.z, p.x * y.x + p.y * y.y + p.z * y.z, p.x * z.x + p.y * z.y + p.z * z.z };
}

// Lanes beyond `count` repeat the last triangle. Answers whether one of them may have a border.
static bool load_block(const cn_composite *a, const int32_t *numbers, int count, const cn_mat3 *rotation, cn_vec3 origin,
                       block *out)
{
    cn_f4 corners[LANES][3];
    bool bordered = cn_composite_corners(a, numbers, count, corners);
    for (int lane = count; lane < LANES; lane++)
        memcpy(corners[lane], corners[count - 1], sizeof corners[lane]);
    cn_f4 largest = cn_f4_set(0.0f);
    for (int k = 0; k < 3; k++) {
        wide3 v = out->vertices[k] = turn_corners(corners, k, rotation, origin);
        largest = cn_f4_max(abs4(v.x) + abs4(v.y) + abs4(v.z), largest);
    }
    out->rounding = cn_f4_set(2e-6f) * largest;
    wide3 normal = cross(sub(out->vertices[1], out->vertices[0]), sub(out->vertices[2], out->vertices[1]));
    cn_f4 length_sq = dot(normal, normal), inverse = 1.0f / cn_f4_sqrt(cn_f4_max(length_sq, cn_f4_set(1e-30f)));
    out->normal = (wide3){ normal.x * inverse, normal.y * inverse, normal.z * inverse };
    return bordered;
}

// ---- how far ahead

typedef struct approach {
    wide3 motion; // of b, in the frame of the box
    wide3 reference;
    cn_f4 closing; // how far b comes closer to the planes in the step
    cn_f4 cosine;  // of the normals with the reference, at least this
    bool bordered;
} approach;

static wide3 spread_lane(wide3 a, int lane)
{
    return (wide3){ cn_f4_set(a.x[lane]), cn_f4_set(a.y[lane]), cn_f4_set(a.z[lane]) };
}

static void see_approach(approach *s, const block *b, bool first)
{
    if (first)
        s->reference = spread_lane(b->normal, 0);
    s->closing = cn_f4_max(s->closing, -dot(b->normal, s->motion));
    s->cosine = cn_f4_min(s->cosine, dot(b->normal, s->reference));
}

static float largest_lane(cn_f4 a) { return cn_maxf(cn_maxf(a[0], a[1]), cn_maxf(a[2], a[3])); }

// Normals that are within an angle of one of them are within twice that angle of each other: the cosine of that. At a border
// the surface may push along any direction.
static float spread_of(const approach *s)
{
    float cosine = -largest_lane(-s->cosine);
    return s->bordered || !(cosine > 0.0f) ? -1.0f : 2.0f * cosine * cosine - 1.0f;
}

// The surface pushes along normals and, from edges and corners, along unit vectors between them. Where any two normals have a
// cosine of at least c, the sum of normals with weights that add up to 1 is no shorter than the root of c, so b comes closer
// along none of these directions by more than along the normals, divided by that root.
static float margin_of(const approach *s, const cn_scope *scope)
{
    const float level = 1e-3f; // what normals may be off by
    float spread = spread_of(s);
    if (!(scope->most > scope->least) || !(spread > 0.1f))
        return scope->most;
    float closing = largest_lane(s->closing) / sqrtf(spread) + level * cn_length(scope->motion);
    return cn_minf(scope->least + scope->whip * closing, scope->most);
}

// How far b can be beside the column over a triangle and still touch it along a direction between the normals.
static float reach_of(const approach *s, const cn_convex *b, float margin)
{
    const float level = 4e-3f;
    float cosine = spread_of(s) - level, inner = cn_convex_inner_radius(b);
    if ((b->type != CN_BOX && b->type != CN_HULL) || !(cosine > 0.0f))
        return INFINITY;
    return sqrtf(1.0f - cosine * cosine) * cn_maxf(margin, inner) + cn_triangle_tolerance(b);
}

// ---- the whole

static void describe(const cn_convex *b, cn_vec3 extents, cn_vec3 middle, cull *c)
{
    c->extents = (wide3){ cn_f4_set(extents.x), cn_f4_set(extents.y), cn_f4_set(extents.z) };
    c->corner_count = b->type == CN_HULL && b->hull->vertex_count <= MOST_CORNERS ? b->hull->vertex_count : 0;
    for (int i = 0; i < c->corner_count; i++)
        c->corners[i] = cn_sub(b->hull->vertices[i], middle);
}

int cn_cull_triangles(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, const cn_scope *scope, int32_t *numbers,
                      int count, float *margin, uint64_t *aside)
{
    enum { KEPT_BLOCKS = 16 };
    cn_vec3 lower, upper;
    cn_pose own = CN_POSE_IDENTITY;
    cn_convex_bounds(b, own, &lower, &upper);
    cn_vec3 extents = cn_scale(0.5f, cn_sub(upper, lower)), middle = cn_scale(0.5f, cn_add(lower, upper));
    cn_vec3 origin = cn_pose_point(b_in_a, middle);
    cn_mat3 rotation = cn_mat3_from_quat(b_in_a.rotation);
    cn_vec3 m = cn_mat3_tmul(&rotation, scope->motion);
    approach seen = { .motion = { cn_f4_set(m.x), cn_f4_set(m.y), cn_f4_set(m.z) }, .cosine = cn_f4_set(1.0f) };
    block blocks[KEPT_BLOCKS], other;
    for (int first = 0, k = 0; first < count; first += LANES, k++) {
        block *to = k < KEPT_BLOCKS ? &blocks[k] : &other;
        int lane_count = count - first < LANES ? count - first : LANES;
        seen.bordered |= load_block(a, numbers + first, lane_count, &rotation, origin, to);
        see_approach(&seen, to, first == 0);
    }
    *margin = margin_of(&seen, scope);
    *aside = 0;

    cull c;
    describe(b, extents, middle, &c);
    float reach = reach_of(&seen, b, *margin);
    int kept = 0;
    for (int first = 0, k = 0; first < count; first += LANES, k++) {
        const block *from = k < KEPT_BLOCKS ? &blocks[k] : &other;
        int lane_count = count - first < LANES ? count - first : LANES;
        if (k >= KEPT_BLOCKS)
            load_block(a, numbers + first, lane_count, &rotation, origin, &other);
        c.margin = cn_f4_set(*margin) + from->rounding;
        c.reach = cn_f4_set(reach) + 2.0f * from->rounding;
        lanes found = find_apart(&c, from);
        for (int lane = 0; lane < lane_count; lane++) {
            if ((found.apart >> lane & 1) != 0)
                continue;
            *aside |= kept < 64 ? (uint64_t)(found.aside >> lane & 1) << kept : 0;
            numbers[kept++] = numbers[first + lane];
        }
    }
    return kept;
}
