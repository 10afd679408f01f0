// Boxes and hulls against a triangle: separating axes, of which only those along which the surface can push are candidates for
// the contact. The others still tell that the two are apart.
#include "collide/collide_triangle.h"

#include "collide/pairs.h"
#include "collide/sat.h"
#include "collide/triangle_pair.h"

enum { NO_AXIS, SIDE_OF_B, EDGE_PAIR };

// The best direction besides the normal of the triangle.
typedef struct axis_search {
    cn_triangle_pair *pair;
    float apart;    // the largest separation along any axis that was looked at
    bool all_edges; // look also across edges that no contact can be along
    float score;
    int kind;
    int edge;             // EDGE_PAIR: of the triangle
    uint32_t feature;     // EDGE_PAIR: of the solid
    cn_vec3 start, along; // EDGE_PAIR: the edge of the solid
    cn_vec3 normal;       // from the triangle to b
    float separation;
} axis_search;

// False when the axis shows a gap of more than the margin (or is not a number).
static inline bool see_axis(axis_search *search, float separation)
{
    search->apart = cn_maxf(search->apart, separation);
    return separation <= search->pair->query->margin;
}

// Can the surface push along a direction of this squared length at all? Most edges are dismissed by that, before roots and
// walks over neighbours.
static inline bool is_in_cone(const axis_search *search, cn_vec3 direction, float length_sq)
{
    float least = search->pair->least_cosine, along = cn_dot(direction, search->pair->plane.normal);
    float bound = least * least * length_sq;
    return least < 0.0f ? along >= 0.0f || along * along <= bound : along > 0.0f && along * along >= bound;
}

static bool see_side(axis_search *search, cn_vec3 outward, float separation)
{
    if (!see_axis(search, separation))
        return false;
    float score = separation + CN_SAT_BONUS_FACE_B * search->pair->query->tolerance;
    if (!(score > search->score) || search->pair->only_front || !is_in_cone(search, cn_neg(outward), 1.0f))
        return true;
    cn_triangle_pair_finish(search->pair);
    if (cn_triangle_allows(search->pair, cn_neg(outward))) {
        search->score = score;
        search->kind = SIDE_OF_B;
        search->normal = cn_neg(outward);
        search->separation = separation;
    }
    return true;
}

// --- contact -----------------------------------------------------------------------------------------------------------------

static bool side_contact(const axis_search *search, cn_cluster *out)
{
    static const uint16_t triangle_ids[3] = { 0, 1, 2 };
    const cn_triangle_query *query = search->pair->query;
    cn_vec3 vertices[CN_MAX_FACE_VERTICES], outward;
    uint16_t ids[CN_MAX_FACE_VERTICES];
    int count = cn_convex_face(query->b, cn_neg(search->normal), vertices, ids, &outward);
    cn_outline reference = { vertices, ids, count }, incident = { search->pair->vertices, triangle_ids, 3 };
    cn_plane plane = { outward, cn_dot(outward, vertices[0]) };
    cn_clip_point points[CN_MAX_CLIP_POINTS];
    count = cn_clip_prism(&reference, &incident, plane, 0.5f * CN_CLIP_SLOP * query->inner_radius, query->margin, points);
    cn_cluster_fill(out, search->normal, points, count, search->normal);
    // The edge or corner that may push along this direction must itself lie under the side.
    bool found = false;
    for (int i = 0; i < out->count; i++)
        found = found || out->points[i].separation <= search->separation + query->tolerance;
    out->count = found ? out->count : 0;
    return found;
}

// An edge of the surface that crosses a side of b at a small angle meets the border of that side first, and then all of it lies
// under the side: one point would let b rock from one end of the line to the other.
static bool edge_under_side(const axis_search *search, cn_cluster *out)
{
    const float aligned = 0.98f; // cosine
    const cn_triangle_query *query = search->pair->query;
    int from = search->edge, to = cn_next_corner(from);
    cn_vec3 side[CN_MAX_FACE_VERTICES], outward, edge[2] = { search->pair->vertices[from], search->pair->vertices[to] };
    uint16_t ids[CN_MAX_FACE_VERTICES], edge_ids[2] = { (uint16_t)from, (uint16_t)to };
    int count = cn_convex_face(query->b, cn_neg(search->normal), side, ids, &outward);
    float cosine = -cn_dot(outward, search->normal);
    if (cosine < aligned)
        return false;
    cn_outline reference = { side, ids, count }, incident = { edge, edge_ids, 2 };
    cn_plane plane = { outward, cn_dot(outward, side[0]) };
    cn_clip_point points[CN_MAX_CLIP_POINTS];
    count = cn_clip_prism(&reference, &incident, plane, 0.5f * CN_CLIP_SLOP * query->inner_radius, query->margin, points);
    bool found = false;
    for (int i = 0; i < count; i++) {
        points[i].separation = cn_maxf(cosine * points[i].separation, search->separation); // clipping is not strict
        found = found || points[i].separation <= search->separation + query->tolerance;
    }
    if (count < 2 || !found)
        return false;
    cn_cluster_fill(out, search->normal, points, count, search->normal);
    return true;
}

// The edges may pass beside each other: then this is no contact.
static bool edge_contact(const axis_search *search, cn_cluster *out)
{
    const cn_triangle_pair *pair = search->pair;
    cn_vec3 start = pair->vertices[search->edge], side = cn_sub(pair->vertices[cn_next_corner(search->edge)], start);
    float s, t;
    cn_closest_on_segments(start, side, search->start, search->along, &s, &t);
    cn_vec3 on_triangle = cn_madd(start, s, side), on_b = cn_madd(search->start, t, search->along);
    cn_vec3 across = cn_madd(cn_sub(on_b, on_triangle), -search->separation, search->normal);
    float slack = pair->query->tolerance + pair->rounding;
    if (!(cn_length_sq(across) <= slack * slack))
        return false;
    cn_manifold point = { .count = 0 };
    cn_single_point(&point, search->normal, on_triangle, on_b, 0x40000000u | (uint32_t)search->edge << 28 | search->feature);
    cn_cluster_from_manifold(&point, out);
    return true;
}

static bool axis_contact(const axis_search *search, cn_cluster *out)
{
    if (search->kind == SIDE_OF_B)
        return side_contact(search, out);
    if (search->kind != EDGE_PAIR || !(edge_under_side(search, out) || edge_contact(search, out)))
        return false;
    cn_triangle_add_front(search->pair, search->edge, search->normal, search->separation, out);
    return true;
}

// Corners that pass each other at a distance: no axis shows them, so their closest points do.
static void corner_contact(const cn_triangle_pair *pair, cn_cluster *out)
{
    const cn_triangle_query *query = pair->query;
    cn_convex triangle = { .type = CN_TRIANGLE, .triangle = pair->vertices };
    cn_pose same = CN_POSE_IDENTITY;
    cn_gjk_result gjk = cn_gjk_distance(&triangle, query->b, same, NULL);
    out->count = 0;
    if (gjk.distance > query->margin)
        out->gap = gjk.distance;
    else if (gjk.distance > 0.0f && cn_triangle_allows(pair, gjk.normal)) {
        cn_manifold point = { .count = 0 };
        cn_single_point(&point, gjk.normal, gjk.point_a, gjk.point_b, CN_WITNESS_FEATURE);
        cn_cluster_from_manifold(&point, out);
    }
}

// --- boxes -------------------------------------------------------------------------------------------------------------------

static bool see_box_sides(axis_search *search)
{
    const cn_vec3 *v = search->pair->vertices, h = search->pair->query->b->half_extents;
    cn_vec3 low = cn_sub(cn_min3(v[0], cn_min3(v[1], v[2])), h), high = cn_add(cn_max3(v[0], cn_max3(v[1], v[2])), h);
    return see_side(search, cn_v3(1.0f, 0.0f, 0.0f), low.x) && see_side(search, cn_v3(-1.0f, 0.0f, 0.0f), -high.x) &&
           see_side(search, cn_v3(0.0f, 1.0f, 0.0f), low.y) && see_side(search, cn_v3(0.0f, -1.0f, 0.0f), -high.y) &&
           see_side(search, cn_v3(0.0f, 0.0f, 1.0f), low.z) && see_side(search, cn_v3(0.0f, 0.0f, -1.0f), -high.z);
}

static float box_reach(cn_vec3 h, cn_vec3 direction) { return cn_dot(h, cn_abs3(direction)); }

// Edge i of the triangle with the edges of the box along axis j.
static bool see_box_edges(axis_search *search, int i, int j)
{
    const cn_triangle_pair *pair = search->pair;
    cn_vec3 h = pair->query->b->half_extents, e = pair->edges[i];
    cn_vec3 d = j == 0 ? cn_v3(0.0f, e.z, -e.y) : j == 1 ? cn_v3(-e.z, 0.0f, e.x) : cn_v3(e.y, -e.x, 0.0f);
    float length_sq = cn_length_sq(d);
    float sign = cn_dot(d, pair->outward[i]) < 0.0f ? -1.0f : 1.0f;
    bool in_cone = is_in_cone(search, cn_scale(sign, d), length_sq);
    if (length_sq < CN_SAT_PARALLEL || !(in_cone || search->all_edges))
        return true;
    d = cn_scale(sign / sqrtf(length_sq), d);
    float separation = -box_reach(h, d) - cn_dot(d, pair->vertices[i]);
    if (!see_axis(search, separation))
        return false;
    if (!(separation > search->score) || !in_cone || !cn_triangle_allows(pair, d))
        return true;
    uint32_t upper = (uint32_t)(d.x < 0.0f) | (uint32_t)(d.y < 0.0f) << 1 | (uint32_t)(d.z < 0.0f) << 2;
    upper &= ~(1u << j);
    search->score = search->separation = separation;
    search->kind = EDGE_PAIR;
    search->edge = i;
    search->normal = d;
    search->feature = upper | (uint32_t)j << 4;
    search->start = cn_v3(upper & 1 ? h.x : -h.x, upper & 2 ? h.y : -h.y, upper & 4 ? h.z : -h.z);
    search->along = cn_v3(j == 0 ? 2.0f * h.x : 0.0f, j == 1 ? 2.0f * h.y : 0.0f, j == 2 ? 2.0f * h.z : 0.0f);
    return true;
}

static bool see_box(axis_search *search)
{
    const float *lean = search->pair->triangle->lean;
    bool near = see_box_sides(search);
    if (near && !search->pair->only_front)
        cn_triangle_pair_finish(search->pair);
    for (int i = 0; i < 3 && near; i++)
        for (int j = 0; j < 3 && near && lean[i] > 0.0f; j++)
            near = see_box_edges(search, i, j);
    return near;
}

// --- hulls -------------------------------------------------------------------------------------------------------------------

static bool see_hull_sides(axis_search *search, const cn_polyhedron *hull)
{
    const cn_vec3 *v = search->pair->vertices;
    for (int face = 0; face < hull->face_count; face++) {
        cn_plane plane = hull->planes[face];
        float lowest = cn_minf(cn_dot(plane.normal, v[0]), cn_minf(cn_dot(plane.normal, v[1]), cn_dot(plane.normal, v[2])));
        if (!see_side(search, plane.normal, lowest - plane.offset))
            return false;
    }
    return true;
}

// Edge i of the triangle with an edge of the hull, if the direction across both leaves the hull between the faces of that edge
// (Gregorius 2013).
static bool see_hull_edge(axis_search *search, const cn_polyhedron *hull, int i, int edge)
{
    const cn_triangle_pair *pair = search->pair;
    cn_vec3 e = pair->edges[i];
    cn_vec3 n1 = hull->planes[hull->edges[edge].face].normal, n2 = hull->planes[hull->edges[edge ^ 1].face].normal;
    if (cn_dot(n1, e) * cn_dot(n2, e) >= 0.0f)
        return true;
    cn_vec3 start = hull->vertices[hull->edges[edge].origin];
    cn_vec3 along = cn_sub(hull->vertices[hull->edges[edge ^ 1].origin], start), d = cn_cross(e, along);
    float length_sq = cn_length_sq(d);
    float sign = cn_dot(d, pair->outward[i]) < 0.0f ? -1.0f : 1.0f;
    bool in_cone = is_in_cone(search, cn_scale(sign, d), length_sq);
    if (!(in_cone || search->all_edges) || !(length_sq > CN_SAT_PARALLEL * cn_length_sq(along)))
        return true;
    d = cn_scale(sign / sqrtf(length_sq), d);
    if (cn_dot(d, cn_add(n1, n2)) > 0.0f)
        return true;
    float separation = cn_dot(d, cn_sub(start, pair->vertices[i]));
    if (!see_axis(search, separation))
        return false;
    if (!(separation > search->score) || !in_cone || !cn_triangle_allows(pair, d))
        return true;
    search->score = search->separation = separation;
    search->kind = EDGE_PAIR;
    search->edge = i;
    search->normal = d;
    search->feature = (uint32_t)edge;
    search->start = start;
    search->along = along;
    return true;
}

static bool see_hull(axis_search *search)
{
    const cn_polyhedron *hull = search->pair->query->b->hull;
    const float *lean = search->pair->triangle->lean;
    bool near = see_hull_sides(search, hull);
    if (near && !search->pair->only_front)
        cn_triangle_pair_finish(search->pair);
    for (int i = 0; i < 3 && near; i++)
        for (int edge = 0; edge < hull->edge_count && near && lean[i] > 0.0f; edge += 2)
            near = see_hull_edge(search, hull, i, edge);
    return near;
}

// --- the choice --------------------------------------------------------------------------------------------------------------

static bool reaches_below(const cn_cluster *patch, float separation)
{
    bool below = false;
    for (int i = 0; i < patch->count; i++)
        below = below || patch->points[i].separation < separation;
    return below;
}

typedef struct solid_axes {
    float (*lowest)(const cn_convex *b, cn_vec3 direction); // where b begins along it
    // How far a column over the triangle, from one height to another, is outside of a side of b at least.
    float (*outside)(const cn_triangle_pair *pair, float from, float to);
    bool (*see)(axis_search *search); // looks at all axes but the normal; false when one of them shows that the two are apart
} solid_axes;

// How far b is beside the column over the triangle that reaches from the lowest point of b, or the triangle, to the margin.
// Beyond `reach` it is enough to know that it is.
static float beside(const cn_triangle_pair *pair, const solid_axes *axes, float front, float reach)
{
    float farthest = axes->outside(pair, cn_minf(front, 0.0f), pair->query->margin);
    for (int i = 0; i < 3 && !(farthest > reach); i++) {
        cn_vec3 outward = pair->outward[i];
        farthest = cn_maxf(farthest, axes->lowest(pair->query->b, outward) - cn_dot(outward, pair->vertices[i]));
    }
    return farthest;
}

// How far beside that column b can be and still touch the triangle along a direction that the surface allows.
static float sideways_reach(const cn_triangle_pair *pair)
{
    const cn_triangle_query *query = pair->query;
    float cosine = pair->least_cosine;
    if (pair->only_front)
        return 2.0f * pair->rounding;
    if (!(cosine > 0.0f))
        return INFINITY;
    float sine = sqrtf(cn_maxf(1.0f - cosine * cosine, 0.0f));
    return sine * cn_maxf(query->margin, query->inner_radius) + query->tolerance + 2.0f * pair->rounding;
}

// What of b lies over the triangle, unless it hangs past its edge: reaches below its plane, but elsewhere.
static bool front_contact(axis_search *search, const solid_axes *axes, cn_cluster *out)
{
    const cn_triangle_pair *pair = search->pair;
    if (!cn_triangle_face_contact(pair, out))
        return false;
    if (!reaches_below(out, -pair->query->tolerance))
        return true;
    search->all_edges = true;
    axes->see(search);
    if (search->apart <= 4.0f * pair->rounding)
        return true;
    out->count = 0;
    return false;
}

// `front` is the separation along the normal of the triangle.
static bool choose(cn_triangle_pair *pair, const solid_axes *axes, cn_cluster *out)
{
    const cn_triangle_query *query = pair->query;
    float front = out->gap = axes->lowest(query->b, pair->plane.normal) - pair->plane.offset;
    if (!(front <= query->margin))
        return false;
    pair->least_cosine = cn_triangle_least_cosine(pair);
    cn_triangle_pair_finish(pair);
    float reach = sideways_reach(pair), aside = beside(pair, axes, front, reach);
    if (aside > reach)
        return false;
    if (pair->only_front) // no other axis can be chosen, and what has sunk in is apart from the triangle, not from the column
                          // below
        return cn_triangle_face_contact(pair, out);
    axis_search search = { .pair = pair, .apart = front, .score = front + CN_SAT_BONUS_FACE_A * query->tolerance };
    bool near = axes->see(&search);
    out->gap = search.apart;
    if (!near || axis_contact(&search, out))
        return false;
    if (aside <= 2.0f * pair->rounding && front_contact(&search, axes, out))
        return true;
    // Nothing of b lies over the triangle, or only what hangs past its edge, so the front is none of its directions.
    search.kind = NO_AXIS;
    search.score = -query->inner_radius;
    axes->see(&search);
    if (!axis_contact(&search, out) && search.apart > 0.0f)
        corner_contact(pair, out);
    return false;
}

static float box_lowest(const cn_convex *b, cn_vec3 direction) { return -box_reach(b->half_extents, direction); }

static float outside_box(const cn_triangle_pair *pair, float from, float to)
{
    const cn_vec3 *v = pair->vertices, n = pair->plane.normal, h = pair->query->b->half_extents;
    cn_vec3 bottom = cn_scale(from, n), top = cn_scale(to, n);
    cn_vec3 low = cn_add(cn_min3(v[0], cn_min3(v[1], v[2])), cn_min3(bottom, top));
    cn_vec3 high = cn_add(cn_max3(v[0], cn_max3(v[1], v[2])), cn_max3(bottom, top));
    cn_vec3 gap = cn_sub(cn_max3(low, cn_neg(high)), h);
    return cn_maxf(gap.x, cn_maxf(gap.y, gap.z));
}

bool cn_triangle_box(cn_triangle_pair *pair, cn_cluster *out)
{
    static const solid_axes axes = { box_lowest, outside_box, see_box };
    return choose(pair, &axes, out);
}

static float hull_lowest(const cn_convex *b, cn_vec3 direction)
{
    return cn_dot(direction, b->hull->vertices[cn_polyhedron_support(b->hull, cn_neg(direction))]);
}

static float outside_hull(const cn_triangle_pair *pair, float from, float to)
{
    const cn_polyhedron *hull = pair->query->b->hull;
    const cn_vec3 *v = pair->vertices, n = pair->plane.normal;
    float farthest = -INFINITY;
    for (int face = 0; face < hull->face_count; face++) {
        cn_plane plane = hull->planes[face];
        float lowest = cn_minf(cn_dot(plane.normal, v[0]), cn_minf(cn_dot(plane.normal, v[1]), cn_dot(plane.normal, v[2])));
        float slope = cn_dot(plane.normal, n);
        farthest = cn_maxf(farthest, lowest + cn_minf(from * slope, to * slope) - plane.offset);
    }
    return farthest;
}

bool cn_triangle_hull(cn_triangle_pair *pair, cn_cluster *out)
{
    static const solid_axes axes = { hull_lowest, outside_hull, see_hull };
    return choose(pair, &axes, out);
}
