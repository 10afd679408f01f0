// Contact points from two faces: Sutherland-Hodgman clipping of one by the prism over the other, then reduction to four.
#include "collide/sat.h"

#include <string.h>

enum { MAX_CORNERS = CN_MAX_CLIP_POINTS };

// Edges of the clipped polygon are named by the id of the incident edge they lie on, or of the reference edge that cut them.
enum { REFERENCE_EDGE = 0x10000 };

typedef struct corner {
    cn_vec3 position;
    uint32_t feature;
    uint32_t edge; // that leaves this corner
} corner;

typedef struct polygon {
    int count;
    corner corners[MAX_CORNERS];
} polygon;

// Ids up to 32767 keep the three kinds of corner apart: an incident vertex, an edge crossed by an edge, a reference vertex.
static uint32_t vertex_feature(uint16_t id) { return 0xFFFF0000u | id; }
static uint32_t crossing_feature(uint16_t reference_edge, uint32_t edge)
{
    uint32_t kind = edge & REFERENCE_EDGE ? 0x8000u : 0u;
    return ((uint32_t)reference_edge << 16) | ((edge & 0xFFFFu) ^ kind);
}

static float polygon_size(const cn_vec3 *vertices, int count)
{
    float size_sq = 0.0f;
    for (int i = 1; i < count; i++)
        size_sq = cn_maxf(size_sq, cn_length_sq(cn_sub(vertices[i], vertices[0])));
    return sqrtf(size_sq);
}

// Leaves in `kept` what does not lie above the plane; false when that is all of it, and `kept` is not written. A convex polygon
// grows by one corner at most; the bound on `count` guards against polygons that rounding has made slightly concave.
static bool clip_by_plane(const polygon *p, cn_vec3 outward, float offset, uint16_t edge_id, polygon *kept)
{
    float heights[MAX_CORNERS];
    bool cut = false;
    for (int i = 0; i < p->count; i++) {
        heights[i] = cn_dot(outward, p->corners[i].position) - offset;
        cut = cut || heights[i] > 0.0f;
    }
    if (!cut)
        return false;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        int j = i + 1 < p->count ? i + 1 : 0;
        const corner *c = &p->corners[i];
        bool inside = heights[i] <= 0.0f;
        if (inside && count < MAX_CORNERS)
            kept->corners[count++] = *c;
        if (inside == (heights[j] <= 0.0f) || count >= MAX_CORNERS)
            continue;
        float along = heights[i] / (heights[i] - heights[j]);
        kept->corners[count++] = (corner){ .position = cn_lerp(c->position, p->corners[j].position, along),
                                           .feature = crossing_feature(edge_id, c->edge),
                                           .edge = inside ? edge_id | (uint32_t)REFERENCE_EDGE : c->edge };
    }
    kept->count = count;
    return true;
}

// Clips `subject`, a polygon, segment or point, by the prism that `frame` spans along `axis`, its outward normal, widened by
// `slop`. What is left is in one of the two polygons that are given, which is returned.
static const polygon *clip_by_prism(const cn_outline *frame, cn_vec3 axis, float slop, const cn_outline *subject,
                                    polygon room[2])
{
    polygon *p = &room[0], *other = &room[1];
    p->count = subject->count < CN_MAX_FACE_VERTICES ? subject->count : CN_MAX_FACE_VERTICES;
    for (int i = 0; i < p->count; i++) {
        uint16_t id = subject->ids[i];
        p->corners[i] = (corner){ .position = subject->vertices[i], .feature = vertex_feature(id), .edge = id };
    }
    for (int i = 0; i < frame->count && p->count > 0; i++) {
        cn_vec3 from = frame->vertices[i], to = frame->vertices[i + 1 < frame->count ? i + 1 : 0];
        cn_vec3 outward = cn_normalize(cn_cross(cn_sub(to, from), axis));
        if (clip_by_plane(p, outward, cn_dot(outward, from) + slop, frame->ids[i], other)) {
            polygon *cut = other;
            other = p;
            p = cut;
        }
    }
    return p;
}

// Drops points that are too far apart along the normal and neighbours that clipping has doubled.
static int collect_points(const polygon *p, cn_clip_point *points, const float *separations, float margin, float merge_distance)
{
    float merge_sq = merge_distance * merge_distance;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        cn_vec3 position = p->corners[i].position;
        bool doubled = count > 0 && (cn_length_sq(cn_sub(position, points[count - 1].position)) <= merge_sq ||
                                     cn_length_sq(cn_sub(position, points[0].position)) <= merge_sq);
        if (separations[i] <= margin && !doubled)
            points[count++] = (cn_clip_point){ position, separations[i], p->corners[i].feature };
    }
    return count;
}

// Reduces the points and writes them out, midway between the surfaces: `toward` leads from a clipped point, in units of its
// separation, to the other surface.
static void write_points(cn_clip_point *points, int count, cn_vec3 normal, cn_vec3 toward, bool flip, cn_manifold *manifold)
{
    manifold->normal = flip ? cn_neg(normal) : normal;
    manifold->count = cn_reduce_points(points, count, normal);
    for (int i = 0; i < manifold->count; i++)
        manifold->points[i] = (cn_manifold_point){ .position = cn_madd(points[i].position, 0.5f * points[i].separation, toward),
                                                   .separation = points[i].separation,
                                                   .feature = flip ? points[i].feature ^ 0x40000000u : points[i].feature };
}

// Where along segment p + t d, t in [0, 1], is the point nearest to `target`?
static float closest_on_segment(cn_vec3 p, cn_vec3 d, cn_vec3 target)
{
    float length_sq = cn_length_sq(d);
    return length_sq > 0.0f ? cn_clampf(cn_dot(d, cn_sub(target, p)) / length_sq, 0.0f, 1.0f) : 0.0f;
}

// Lumelsky 1985: solve on the lines, clamp on the first segment, then on the second, then on the first again. Each clamp starts
// from a point, not from the parameter of one: segments that differ a thousandfold in length then still find each other.
bool cn_closest_on_segments(cn_vec3 p1, cn_vec3 d1, cn_vec3 p2, cn_vec3 d2, float *s, float *t)
{
    cn_vec3 across = cn_cross(d1, d2);
    float determinant = cn_length_sq(across); // d1^2 d2^2 - (d1 d2)^2 without its cancellation
    bool crossing = determinant > 1e-8f * cn_length_sq(d1) * cn_length_sq(d2);
    *s = 0.5f; // parallel lines are as close at one place as at any other
    if (crossing)
        *s = cn_clampf(cn_dot(cn_cross(cn_sub(p2, p1), d2), across) / determinant, 0.0f, 1.0f);
    *t = closest_on_segment(p2, d2, cn_madd(p1, *s, d1));
    *s = closest_on_segment(p1, d1, cn_madd(p2, *t, d2));
    return crossing && *s > 0.0f && *s < 1.0f && *t > 0.0f && *t < 1.0f;
}

// Both features are segments or points: the ends of the common stretch when they are parallel, else the closest points.
static int segment_points(const cn_vec3 *reference, const uint16_t *reference_ids, int reference_count, const cn_vec3 *incident,
                          const uint16_t *incident_ids, int incident_count, cn_vec3 normal, float margin,
                          cn_clip_point points[2])
{
    cn_vec3 p1 = reference[0], d1 = cn_sub(reference[reference_count - 1], p1);
    cn_vec3 p2 = incident[0], d2 = cn_sub(incident[incident_count - 1], p2);
    float along[2], s, t;
    bool parallel = cn_length_sq(cn_cross(d1, d2)) <= 1e-3f * cn_length_sq(d1) * cn_length_sq(d2);
    cn_closest_on_segments(p1, d1, p2, d2, &s, &t);
    along[0] = parallel ? closest_on_segment(p1, d1, p2) : s;
    along[1] = parallel ? closest_on_segment(p1, d1, cn_add(p2, d2)) : s;
    int tried = cn_absf(along[1] - along[0]) > 1e-4f ? 2 : 1, count = 0;
    for (int i = 0; i < tried; i++) {
        cn_vec3 on_reference = cn_madd(p1, along[i], d1);
        cn_vec3 on_incident = cn_madd(p2, parallel ? closest_on_segment(p2, d2, on_reference) : t, d2);
        float separation = cn_dot(normal, cn_sub(on_incident, on_reference));
        if (separation <= margin)
            points[count++] = (cn_clip_point){ on_incident, separation,
                                               ((uint32_t)reference_ids[0] << 16 | incident_ids[0]) + ((uint32_t)i << 31) };
    }
    return count;
}

// Both are polygons, or the incident one less. Points nearer to each other than `merge` count once. Returns how many there are.
static int clip_polygons(const cn_outline *reference, const cn_outline *incident, cn_plane plane, float slop, float merge,
                         float margin, cn_clip_point points[MAX_CORNERS])
{
    float separations[MAX_CORNERS];
    polygon room[2];
    const polygon *clipped = clip_by_prism(reference, plane.normal, slop, incident, room);
    for (int i = 0; i < clipped->count; i++)
        separations[i] = cn_dot(plane.normal, clipped->corners[i].position) - plane.offset;
    return collect_points(clipped, points, separations, margin, merge);
}

// Points nearer to each other than this count once: by the smaller face, and by what rounding leaves of the larger one.
static float merge_distance_of(float size, float other_size)
{
    return cn_maxf(1e-4f * cn_minf(size, other_size), 2e-7f * cn_maxf(size, other_size));
}

int cn_clip_prism(const cn_outline *reference, const cn_outline *incident, cn_plane plane, float slop, float margin,
                  cn_clip_point points[CN_MAX_CLIP_POINTS])
{
    float merge =
        1e-4f * cn_minf(polygon_size(reference->vertices, reference->count), polygon_size(incident->vertices, incident->count));
    return clip_polygons(reference, incident, plane, slop, merge, margin, points);
}

void cn_clip_faces(const cn_vec3 *reference, const uint16_t *reference_ids, int reference_count, const cn_vec3 *incident,
                   const uint16_t *incident_ids, int incident_count, cn_vec3 normal, float margin, bool flip,
                   cn_manifold *manifold)
{
    cn_clip_point points[MAX_CORNERS];
    float separations[MAX_CORNERS];
    polygon room[2];
    cn_outline frame = { reference, reference_ids, reference_count }, subject = { incident, incident_ids, incident_count };
    cn_vec3 toward = cn_neg(normal);
    float size = polygon_size(reference, reference_count), other_size = polygon_size(incident, incident_count);
    float slop = 0.5f * CN_CLIP_SLOP * cn_minf(size, other_size), merge = merge_distance_of(size, other_size);
    int count = 0;
    if (reference_count < 1 || incident_count < 1) {
        count = 0;
    } else if (reference_count >= 3) {
        cn_plane plane = { normal, cn_dot(normal, reference[0]) };
        count = clip_polygons(&frame, &subject, plane, slop, merge, margin, points);
    } else if (incident_count >= 3) {
        // A segment or point cannot clip a polygon; the polygon clips it, and the separation is measured along the normal up to
        // the polygon's plane.
        cn_vec3 plane = cn_cross(cn_sub(incident[1], incident[0]), cn_sub(incident[2], incident[0]));
        float slope = cn_dot(plane, normal);
        const polygon *clipped = clip_by_prism(&subject, toward, slop, &frame, room);
        for (int i = 0; i < clipped->count; i++) {
            cn_vec3 to_plane = cn_sub(incident[0], clipped->corners[i].position);
            bool steep = cn_absf(slope) <= 1e-3f * cn_length(plane);
            separations[i] = steep ? cn_dot(normal, to_plane) : cn_dot(plane, to_plane) / slope;
        }
        toward = normal;
        count = collect_points(clipped, points, separations, margin, merge);
    } else {
        count = segment_points(reference, reference_ids, reference_count, incident, incident_ids, incident_count, normal,
                               margin, points);
    }
    write_points(points, count, normal, toward, flip, manifold);
}

// --- reduction ---------------------------------------------------------------------------------------------------------------

// Values to choose by are kept as the bits of non-negative floats, which order like integers: a chain of integer comparisons
// takes a fraction of the time.
static const int32_t never_chosen = INT32_MIN;

static inline int32_t key_of(float value)
{
    int32_t key;
    memcpy(&key, &value, sizeof key);
    return key;
}

// The first value that is the largest but for about half a percent, so that small changes do not alter the choice.
static inline int first_largest(const int32_t *keys, int count)
{
    const int32_t close = 1 << 16; // in units of the last of 24 bits
    int32_t largest = 0;
    int first = 0;
    for (int i = 0; i < count; i++)
        largest = keys[i] > largest ? keys[i] : largest;
    largest -= close;
    for (int i = count - 1; i >= 0; i--)
        first = keys[i] >= largest ? i : first;
    return first;
}

// Points that touch carry, the others only may: those higher above the deepest than so much of their extent count half, those
// within the noise of it in full.
#define NEAR_PART 1e-3f
#define NOISE_PART 1e-4f

typedef struct spread {
    float middle_u, middle_v, extent;
    float lowest; // separation
} spread;

static spread find_spread(const float *u, const float *v, const float *separations, int count)
{
    float low_u = INFINITY, high_u = -INFINITY, low_v = INFINITY, high_v = -INFINITY, lowest = INFINITY;
    for (int i = 0; i < count; i++) {
        low_u = cn_minf(u[i], low_u);
        high_u = cn_maxf(u[i], high_u);
        low_v = cn_minf(v[i], low_v);
        high_v = cn_maxf(v[i], high_v);
        lowest = cn_minf(separations[i], lowest);
    }
    return (spread){ 0.5f * (low_u + high_u), 0.5f * (low_v + high_v), cn_maxf(high_u - low_u, high_v - low_v), lowest };
}

// Among the deepest points, which differ by noise only, the one farthest from the middle.
static int find_deepest(const float *u, const float *v, const float *separations, int count, const spread *all)
{
    int32_t keys[MAX_CORNERS];
    float limit = all->lowest + NOISE_PART * all->extent;
    for (int i = 0; i < count; i++) {
        float du = u[i] - all->middle_u, dv = v[i] - all->middle_v;
        keys[i] = separations[i] <= limit ? key_of(du * du + dv * dv) : never_chosen;
    }
    return first_largest(keys, count);
}

int cn_reduce_flat(const float *u, const float *v, const float *separations, int count, int chosen[4])
{
    float ab[MAX_CORNERS], outside[MAX_CORNERS], weights[MAX_CORNERS];
    int32_t keys[MAX_CORNERS];
    if (count < 1)
        return 0;
    spread all = find_spread(u, v, separations, count);
    int a = chosen[0] = find_deepest(u, v, separations, count, &all);
    float ua = u[a], va = v[a], limit = all.lowest + NOISE_PART * all.extent,
          slope = 0.5f / cn_maxf(NEAR_PART * all.extent, 1e-20f);
    for (int i = 0; i < count; i++) {
        weights[i] = 1.0f - cn_clampf(slope * (separations[i] - limit), 0.0f, 0.5f);
        keys[i] = key_of(weights[i] * ((u[i] - ua) * (u[i] - ua) + (v[i] - va) * (v[i] - va)));
    }
    int b = chosen[1] = first_largest(keys, count);
    float ub = u[b] - ua, vb = v[b] - va, flat = 1e-3f * (ub * ub + vb * vb); // a triangle of this area counts as a line
    if (!(flat > 0.0f))
        return 1;

    for (int i = 0; i < count; i++) {
        ab[i] = ub * (v[i] - va) - vb * (u[i] - ua);
        keys[i] = cn_absf(ab[i]) > flat ? key_of(weights[i] * cn_absf(ab[i])) : never_chosen;
    }
    int c = chosen[2] = first_largest(keys, count);
    if (!(cn_absf(ab[c]) > flat))
        return 2;

    // The fourth adds the most area outside the triangle, beyond any of its sides.
    float outward = ab[c] < 0.0f ? 1.0f : -1.0f, uc = u[c] - ua, vc = v[c] - va;
    for (int i = 0; i < count; i++) {
        float ca = vc * (u[i] - ua) - uc * (v[i] - va), bc = ab[c] - ab[i] - ca; // the three areas add up to the whole
        outside[i] = cn_maxf(ab[i] * outward, cn_maxf(bc * outward, ca * outward));
        keys[i] = outside[i] > flat ? key_of(weights[i] * outside[i]) : never_chosen;
    }
    int d = chosen[3] = first_largest(keys, count);
    return outside[d] > flat ? 4 : 3;
}

// Twice the area that four points span, in whatever order: the product of the diagonals is the largest of three.
static float spanned_area(const float *u, const float *v, const int p[4])
{
    float largest = 0.0f;
    for (int i = 1; i < 4; i++) {
        int j = i == 1 ? 2 : 1, k = i == 3 ? 2 : 3;
        float area = (u[p[i]] - u[p[0]]) * (v[p[k]] - v[p[j]]) - (v[p[i]] - v[p[0]]) * (u[p[k]] - u[p[j]]);
        largest = cn_maxf(largest, cn_absf(area));
    }
    return largest;
}

bool cn_choice_stands(const float *u, const float *v, const float *separations, const int last[4], const int chosen[4],
                      float slack)
{
    float deepest = INFINITY; // the first of `chosen` is the deepest of all
    for (int i = 0; i < 4; i++)
        deepest = cn_minf(deepest, separations[last[i]]);
    return deepest <= separations[chosen[0]] + slack && spanned_area(u, v, last) >= 0.8f * spanned_area(u, v, chosen);
}

void cn_keep_points(cn_clip_point *points, const int *chosen, int kept)
{
    cn_clip_point copies[4];
    for (int i = 0; i < kept; i++)
        copies[i] = points[chosen[i]];
    for (int i = 0; i < kept; i++)
        points[i] = copies[i];
}

int cn_reduce_points(cn_clip_point *points, int count, cn_vec3 normal)
{
    float u[MAX_CORNERS], v[MAX_CORNERS], separations[MAX_CORNERS];
    cn_vec3 axis_u = cn_perpendicular(normal), axis_v = cn_cross(normal, axis_u);
    int chosen[4];
    count = count < MAX_CORNERS ? count : MAX_CORNERS;
    for (int i = 0; i < count; i++) {
        u[i] = cn_dot(axis_u, points[i].position);
        v[i] = cn_dot(axis_v, points[i].position);
        separations[i] = points[i].separation;
    }
    int kept = cn_reduce_flat(u, v, separations, count, chosen);
    cn_keep_points(points, chosen, kept);
    return kept;
}
