// Contact points from two faces: Sutherland-Hodgman clipping of one by the prism over the other, then reduction to four.
#include "base/simd.h"
#include "collide/sat.h"

enum { MAX_CORNERS = 2 * CN_MAX_FACE_VERTICES };

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

// Cuts off what lies above the plane. A convex polygon grows by one corner at most; the bound on `count` guards against
// polygons that rounding has made slightly concave.
static void clip_by_plane(polygon *p, cn_vec3 outward, float offset, uint16_t edge_id)
{
    float heights[MAX_CORNERS];
    bool cut = false;
    for (int i = 0; i < p->count; i++) {
        heights[i] = cn_dot(outward, p->corners[i].position) - offset;
        cut = cut || heights[i] > 0.0f;
    }
    if (!cut)
        return;
    polygon kept;
    kept.count = 0;
    for (int i = 0; i < p->count; i++) {
        int j = i + 1 < p->count ? i + 1 : 0;
        const corner *c = &p->corners[i];
        bool inside = heights[i] <= 0.0f;
        if (inside && kept.count < MAX_CORNERS)
            kept.corners[kept.count++] = *c;
        if (inside == (heights[j] <= 0.0f) || kept.count >= MAX_CORNERS)
            continue;
        float along = heights[i] / (heights[i] - heights[j]);
        kept.corners[kept.count++] = (corner){ .position = cn_lerp(c->position, p->corners[j].position, along),
                                               .feature = crossing_feature(edge_id, c->edge),
                                               .edge = inside ? edge_id | (uint32_t)REFERENCE_EDGE : c->edge };
    }
    p->count = kept.count;
    for (int i = 0; i < kept.count; i++)
        p->corners[i] = kept.corners[i];
}

// Clips `subject`, a polygon, segment or point, by the prism that `frame` spans along `axis`, its outward normal.
static void clip_by_prism(const cn_vec3 *frame, const uint16_t *frame_ids, int frame_count, cn_vec3 axis, const cn_vec3 *subject,
                          const uint16_t *subject_ids, int subject_count, polygon *result)
{
    subject_count = subject_count < CN_MAX_FACE_VERTICES ? subject_count : CN_MAX_FACE_VERTICES;
    result->count = subject_count;
    for (int i = 0; i < subject_count; i++)
        result->corners[i] =
            (corner){ .position = subject[i], .feature = vertex_feature(subject_ids[i]), .edge = subject_ids[i] };
    float slop = 0.5f * CN_CLIP_SLOP * polygon_size(frame, frame_count);
    for (int i = 0; i < frame_count; i++) {
        cn_vec3 side = cn_sub(frame[i + 1 < frame_count ? i + 1 : 0], frame[i]);
        cn_vec3 outward = cn_normalize(cn_cross(side, axis));
        clip_by_plane(result, outward, cn_dot(outward, frame[i]) + slop, frame_ids[i]);
    }
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
        manifold->points[i] =
            (cn_manifold_point){ .position = cn_madd(points[i].position, 0.5f * points[i].separation, toward),
                                 .separation = points[i].separation,
                                 .feature = flip ? points[i].feature ^ 0x40000000u : points[i].feature };
}

void cn_closest_on_segments(cn_vec3 p1, cn_vec3 d1, cn_vec3 p2, cn_vec3 d2, float *s, float *t)
{
    cn_vec3 r = cn_sub(p1, p2);
    float a = cn_length_sq(d1), e = cn_length_sq(d2), f = cn_dot(d2, r), c = cn_dot(d1, r), b = cn_dot(d1, d2);
    float denominator = a * e - b * b;
    *s = denominator > 0.0f ? cn_clampf((b * f - c * e) / denominator, 0.0f, 1.0f) : 0.0f;
    *t = e > 0.0f ? (b * *s + f) / e : 0.0f;
    if (!(*t >= 0.0f && *t <= 1.0f)) {
        *t = cn_clampf(*t, 0.0f, 1.0f);
        *s = a > 0.0f ? cn_clampf((b * *t - c) / a, 0.0f, 1.0f) : 0.0f;
    }
}

// Where along segment p + t d, t in [0, 1], is the point nearest to `target`?
static float closest_on_segment(cn_vec3 p, cn_vec3 d, cn_vec3 target)
{
    float length_sq = cn_length_sq(d);
    return length_sq > 0.0f ? cn_clampf(cn_dot(d, cn_sub(target, p)) / length_sq, 0.0f, 1.0f) : 0.0f;
}

// Both features are segments or points: the ends of the common stretch when they are parallel, else the closest points.
static int segment_points(const cn_vec3 *reference, const uint16_t *reference_ids, int reference_count, const cn_vec3 *incident,
                          const uint16_t *incident_ids, int incident_count, cn_vec3 normal, float margin, cn_clip_point points[2])
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

void cn_clip_faces(const cn_vec3 *reference, const uint16_t *reference_ids, int reference_count, const cn_vec3 *incident,
                   const uint16_t *incident_ids, int incident_count, cn_vec3 normal, float margin, bool flip,
                   cn_manifold *manifold)
{
    cn_clip_point points[MAX_CORNERS];
    float separations[MAX_CORNERS];
    polygon clipped;
    cn_vec3 toward = cn_neg(normal);
    int count = 0;
    if (reference_count < 1 || incident_count < 1) {
        count = 0;
    } else if (reference_count >= 3) {
        clip_by_prism(reference, reference_ids, reference_count, normal, incident, incident_ids, incident_count, &clipped);
        float offset = cn_dot(normal, reference[0]);
        for (int i = 0; i < clipped.count; i++)
            separations[i] = cn_dot(normal, clipped.corners[i].position) - offset;
        float merge = 1e-4f * cn_maxf(polygon_size(reference, reference_count), polygon_size(incident, incident_count));
        count = collect_points(&clipped, points, separations, margin, merge);
    } else if (incident_count >= 3) {
        // A segment or point cannot clip a polygon; the polygon clips it, and the separation is measured along the normal up to
        // the polygon's plane.
        cn_vec3 plane = cn_cross(cn_sub(incident[1], incident[0]), cn_sub(incident[2], incident[0]));
        float slope = cn_dot(plane, normal);
        clip_by_prism(incident, incident_ids, incident_count, toward, reference, reference_ids, reference_count, &clipped);
        for (int i = 0; i < clipped.count; i++) {
            cn_vec3 to_plane = cn_sub(incident[0], clipped.corners[i].position);
            bool steep = cn_absf(slope) <= 1e-3f * cn_length(plane);
            separations[i] = steep ? cn_dot(normal, to_plane) : cn_dot(plane, to_plane) / slope;
        }
        toward = normal;
        count = collect_points(&clipped, points, separations, margin, 1e-4f * polygon_size(incident, incident_count));
    } else {
        count = segment_points(reference, reference_ids, reference_count, incident, incident_ids, incident_count, normal, margin,
                               points);
    }
    write_points(points, count, normal, toward, flip, manifold);
}

// --- reduction ---------------------------------------------------------------------------------------------------------------

// Eight points at a time. Lanes beyond the last point repeat the first one, which is then always found before them.
enum { MAX_GROUPS = MAX_CORNERS / CN_LANES };

static float largest_lane(const cn_f8 *values, int groups)
{
    cn_f8 most = values[0];
    for (int g = 1; g < groups; g++)
        most = cn_f8_max(values[g], most);
    cn_f8 other = cn_f8_max(__builtin_shufflevector(most, most, 4, 5, 6, 7, 0, 1, 2, 3), most);
    other = cn_f8_max(__builtin_shufflevector(other, other, 2, 3, 0, 1, 6, 7, 4, 5), other);
    return cn_maxf(other[1], other[0]);
}

// The first value that comes close to the largest one, so that small changes do not alter the choice.
static int first_largest(const cn_f8 *values, int groups, float largest)
{
    const cn_f8 order = { 0.0f, -1.0f, -2.0f, -3.0f, -4.0f, -5.0f, -6.0f, -7.0f };
    float first = 0.0f;
    for (int g = groups - 1; g >= 0; g--) {
        cn_f8 index = cn_f8_select(values[g] >= cn_f8_set(0.99f * largest), order, cn_f8_set(-CN_LANES));
        float lane = largest_lane(&index, 1);
        first = lane > -(float)CN_LANES ? lane - (float)(CN_LANES * g) : first;
    }
    return (int)-first;
}

typedef struct flat_points {
    const float *u, *v;
    int groups;
} flat_points;

static inline cn_f8 load_lanes(const float *values, int group)
{
    cn_f8 lanes;
    memcpy(&lanes, values + CN_LANES * group, sizeof lanes);
    return lanes;
}

static float squared_distances(const flat_points *p, float u, float v, cn_f8 *distances)
{
    for (int g = 0; g < p->groups; g++) {
        cn_f8 du = load_lanes(p->u, g) - cn_f8_set(u), dv = load_lanes(p->v, g) - cn_f8_set(v);
        distances[g] = du * du + dv * dv;
    }
    return largest_lane(distances, p->groups);
}

// Twice the areas of the triangles that the edge a-b forms with each point, positive to its left.
static void edge_areas(const flat_points *p, int a, int b, float sign, cn_f8 *areas)
{
    float eu = sign * (p->u[b] - p->u[a]), ev = sign * (p->v[b] - p->v[a]);
    for (int g = 0; g < p->groups; g++)
        areas[g] = cn_f8_set(eu) * (load_lanes(p->v, g) - cn_f8_set(p->v[a])) -
                   cn_f8_set(ev) * (load_lanes(p->u, g) - cn_f8_set(p->u[a]));
}

// Among the deepest points, which differ by noise only, the one farthest from the middle.
static int find_deepest(const flat_points *p, const float *separations, int count)
{
    cn_f8 distances[MAX_GROUPS];
    float lowest = separations[0], sum_u = 0.0f, sum_v = 0.0f;
    for (int i = 0; i < count; i++) {
        lowest = cn_minf(lowest, separations[i]);
        sum_u += p->u[i];
        sum_v += p->v[i];
    }
    float extent_sq = squared_distances(p, sum_u / (float)count, sum_v / (float)count, distances);
    float limit = lowest + 1e-4f * sqrtf(extent_sq);
    for (int g = 0; g < p->groups; g++)
        distances[g] = cn_f8_select(load_lanes(separations, g) <= cn_f8_set(limit), distances[g], cn_f8_set(-1.0f));
    return first_largest(distances, p->groups, largest_lane(distances, p->groups));
}

int cn_reduce_flat(float *u, float *v, float *separations, int count, int chosen[4])
{
    cn_f8 ab[MAX_GROUPS], bc[MAX_GROUPS], ca[MAX_GROUPS];
    int groups = (count + CN_LANES - 1) / CN_LANES;
    flat_points p = { u, v, groups };
    if (count < 1)
        return 0;
    for (int i = count; i < CN_LANES * groups; i++) {
        u[i] = u[0];
        v[i] = v[0];
        separations[i] = separations[0];
    }
    int a = chosen[0] = find_deepest(&p, separations, count);
    float length_sq = squared_distances(&p, u[a], v[a], ab);
    if (!(length_sq > 0.0f))
        return 1;
    int b = chosen[1] = first_largest(ab, groups, length_sq);

    float flat = 1e-3f * length_sq; // a triangle of this area counts as a line
    edge_areas(&p, a, b, 1.0f, ab);
    for (int g = 0; g < groups; g++)
        bc[g] = cn_f8_abs(ab[g]);
    float most = largest_lane(bc, groups);
    if (!(most > flat))
        return 2;
    int c = chosen[2] = first_largest(bc, groups, most);

    // The fourth adds the most area outside the triangle, beyond any of its sides.
    float outside = (u[b] - u[a]) * (v[c] - v[a]) - (v[b] - v[a]) * (u[c] - u[a]) < 0.0f ? 1.0f : -1.0f;
    edge_areas(&p, b, c, outside, bc);
    edge_areas(&p, c, a, outside, ca);
    for (int g = 0; g < groups; g++)
        ab[g] = cn_f8_max(cn_f8_max(bc[g], ca[g]), ab[g] * cn_f8_set(outside));
    most = largest_lane(ab, groups);
    if (!(most > flat))
        return 3;
    chosen[3] = first_largest(ab, groups, most);
    return 4;
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
    cn_clip_point copies[4];
    for (int i = 0; i < kept; i++)
        copies[i] = points[chosen[i]];
    for (int i = 0; i < kept; i++)
        points[i] = copies[i];
    return kept;
}
