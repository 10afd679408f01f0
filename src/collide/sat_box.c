// Two boxes: the separating axis test of Gottschalk, Lin and Manocha (OBBTree, 1996) over 3 + 3 face normals and 9 products of
// edges, then a parallelogram clipped by a rectangle.
#include "collide/pairs.h"
#include "collide/sat.h"

enum { AXIS_COUNT = 15, FIRST_EDGE_AXIS = 6 }; // 0..2 faces of a, 3..5 faces of b, 6 + 3 i + j edge i of a with edge j of b

static inline int next_axis(int i) { return i < 2 ? i + 1 : 0; }
static inline int last_axis(int i) { return i > 0 ? i - 1 : 2; }

typedef struct box_pair {
    float half_a[3], half_b[3];
    float offset[3];      // centre of b in the frame of a
    float offset_in_b[3]; // the same vector along the axes of b
    float r[3][3];        // r[i][j]: axis j of b along axis i of a
    float r_transposed[3][3];
    float abs_r[3][3];
} box_pair;

typedef struct box_axis {
    int index;
    float separation;
} box_axis;

static inline void set3(float *to, float x, float y, float z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static void make_pair(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, box_pair *p)
{
    cn_mat3 m = cn_mat3_from_quat(b_in_a.rotation);
    cn_vec3 t = b_in_a.position;
    set3(p->half_a, a->half_extents.x, a->half_extents.y, a->half_extents.z);
    set3(p->half_b, b->half_extents.x, b->half_extents.y, b->half_extents.z);
    set3(p->offset, t.x, t.y, t.z);
    set3(p->offset_in_b, cn_dot(m.x, t), cn_dot(m.y, t), cn_dot(m.z, t));
    set3(p->r_transposed[0], m.x.x, m.x.y, m.x.z);
    set3(p->r_transposed[1], m.y.x, m.y.y, m.y.z);
    set3(p->r_transposed[2], m.z.x, m.z.y, m.z.z);
    set3(p->r[0], m.x.x, m.y.x, m.z.x);
    set3(p->r[1], m.x.y, m.y.y, m.z.y);
    set3(p->r[2], m.x.z, m.y.z, m.z.z);
    set3(p->abs_r[0], cn_absf(m.x.x), cn_absf(m.y.x), cn_absf(m.z.x));
    set3(p->abs_r[1], cn_absf(m.x.y), cn_absf(m.y.y), cn_absf(m.z.y));
    set3(p->abs_r[2], cn_absf(m.x.z), cn_absf(m.y.z), cn_absf(m.z.z));
}

// --- separations -------------------------------------------------------------------------------------------------------------

static inline float face_a_separation(const box_pair *p, int i)
{
    return cn_absf(p->offset[i]) - p->half_a[i] -
           (p->abs_r[i][0] * p->half_b[0] + p->abs_r[i][1] * p->half_b[1] + p->abs_r[i][2] * p->half_b[2]);
}

static inline float face_b_separation(const box_pair *p, int j)
{
    return cn_absf(p->offset_in_b[j]) - p->half_b[j] -
           (p->abs_r[0][j] * p->half_a[0] + p->abs_r[1][j] * p->half_a[1] + p->abs_r[2][j] * p->half_a[2]);
}

// The separation along the product of two edges, times the length of that product.
static inline float edge_product_separation(const box_pair *p, int i, int j)
{
    int i1 = next_axis(i), i2 = last_axis(i), j1 = next_axis(j), j2 = last_axis(j);
    float distance = cn_absf(p->offset[i2] * p->r[i1][j] - p->offset[i1] * p->r[i2][j]);
    float reach_a = p->half_a[i1] * p->abs_r[i2][j] + p->half_a[i2] * p->abs_r[i1][j];
    float reach_b = p->half_b[j1] * p->abs_r[i][j2] + p->half_b[j2] * p->abs_r[i][j1];
    return distance - (reach_a + reach_b);
}

static inline float edge_product_length_sq(const box_pair *p, int i, int j)
{
    float x = p->r[next_axis(i)][j], y = p->r[last_axis(i)][j];
    return x * x + y * y;
}

// False when the axis does not exist, its edges being parallel.
static bool axis_separation(const box_pair *p, int axis, float *separation)
{
    if (axis < FIRST_EDGE_AXIS) {
        *separation = axis < 3 ? face_a_separation(p, axis) : face_b_separation(p, axis - 3);
        return true;
    }
    int i = (axis - FIRST_EDGE_AXIS) / 3, j = (axis - FIRST_EDGE_AXIS) % 3;
    float length_sq = edge_product_length_sq(p, i, j);
    if (length_sq < CN_SAT_PARALLEL)
        return false;
    *separation = edge_product_separation(p, i, j) / sqrtf(length_sq);
    return true;
}

// --- the choice of the axis --------------------------------------------------------------------------------------------------

typedef struct axis_search {
    const box_pair *pair;
    float margin;
    float score; // of the best axis
    box_axis best;
} axis_search;

// Returns false at an axis with a gap of more than the margin (or not a number), which ends the search.
static inline bool try_axis(axis_search *search, int index, float separation, float bonus)
{
    if (!(separation <= search->margin)) {
        search->best = (box_axis){ index, separation };
        return false;
    }
    if (separation + bonus > search->score) {
        search->score = separation + bonus;
        search->best = (box_axis){ index, separation };
    }
    return true;
}

static bool try_edge_axes(axis_search *search)
{
    const box_pair *p = search->pair;
    const float scaled[9] = {
        edge_product_separation(p, 0, 0), edge_product_separation(p, 0, 1), edge_product_separation(p, 0, 2),
        edge_product_separation(p, 1, 0), edge_product_separation(p, 1, 1), edge_product_separation(p, 1, 2),
        edge_product_separation(p, 2, 0), edge_product_separation(p, 2, 1), edge_product_separation(p, 2, 2),
    };
    // The product of two unit edges is shorter than one, so a negative separation is even lower than its scaled value: most
    // edges are dismissed without a square root, and in resting contact all of them at once.
    float largest = scaled[0];
    for (int k = 1; k < 9; k++)
        largest = cn_maxf(scaled[k], largest);
    bool touching = true;
    for (int k = 0; k < 9 && touching && largest > cn_minf(search->score, 0.0f); k++) {
        float length_sq = edge_product_length_sq(p, k / 3, k % 3);
        if (scaled[k] > cn_minf(search->score, 0.0f) && length_sq >= CN_SAT_PARALLEL)
            touching = try_axis(search, FIRST_EDGE_AXIS + k, scaled[k] / sqrtf(length_sq), 0.0f);
    }
    return touching;
}

static float pair_tolerance(const box_pair *p)
{
    float smallest_a = cn_minf(p->half_a[0], cn_minf(p->half_a[1], p->half_a[2]));
    float smallest_b = cn_minf(p->half_b[0], cn_minf(p->half_b[1], p->half_b[2]));
    float sizes = p->half_a[0] + p->half_a[1] + p->half_a[2] + (p->half_b[0] + p->half_b[1] + p->half_b[2]);
    return CN_SAT_TOLERANCE * cn_minf(smallest_a, smallest_b) + CN_SAT_ROUNDING * sizes;
}

// False when the boxes are further apart than the margin; `found` is then an axis that proves it.
static bool find_axis(const box_pair *p, float margin, const cn_pair_cache *cache, box_axis *found)
{
    float tolerance = pair_tolerance(p);
    axis_search search = { .pair = p, .margin = margin, .score = -INFINITY, .best = { 0, 0.0f } };
    bool touching = true;
    if (cache->kind == CN_SAT_TOUCHING && cache->a[0] < AXIS_COUNT) {
        int axis = cache->a[0];
        float separation, lead = axis < 3 ? CN_SAT_BONUS_FACE_A : axis < FIRST_EDGE_AXIS ? CN_SAT_BONUS_FACE_B : 0.0f;
        if (axis_separation(p, axis, &separation))
            touching = try_axis(&search, axis, separation, (lead + CN_SAT_BONUS_CACHED) * tolerance);
    }
    float bonus_a = CN_SAT_BONUS_FACE_A * tolerance, bonus_b = CN_SAT_BONUS_FACE_B * tolerance;
    touching = touching && try_axis(&search, 0, face_a_separation(p, 0), bonus_a) &&
               try_axis(&search, 1, face_a_separation(p, 1), bonus_a) &&
               try_axis(&search, 2, face_a_separation(p, 2), bonus_a) &&
               try_axis(&search, 3, face_b_separation(p, 0), bonus_b) &&
               try_axis(&search, 4, face_b_separation(p, 1), bonus_b) && try_axis(&search, 5, face_b_separation(p, 2), bonus_b);
    touching = touching && try_edge_axes(&search);
    *found = search.best;
    return touching;
}

// --- contact of a face -------------------------------------------------------------------------------------------------------

// The reference face lies in the plane w = 0, centred on the origin, with sides along u and v. The incident face is a
// parallelogram there, with corners at center -+ side1 -+ side2. Its w is the separation.
typedef struct face_pair {
    float half_u, half_v; // of the reference face
    float wide_u, wide_v; // and widened by the slop
    cn_vec3 center, side1, side2;
    cn_vec3 origin, u, v, w; // the frame of the reference face in the frame of a; w is its outward normal
    uint32_t corner_ids[4];  // vertices of the incident box
    uint32_t base;           // names the reference face in the feature ids
} face_pair;

enum { FEATURE_CROSSING = 1 << 16, FEATURE_CORNER = 2 << 16, FEATURE_EDGES = 3 << 16, FEATURE_DEEPEST = 4 << 16 };

static const float corner_sign1[4] = { -1.0f, 1.0f, 1.0f, -1.0f }, corner_sign2[4] = { -1.0f, -1.0f, 1.0f, 1.0f };

static cn_vec3 axis_of_a(int i) { return cn_v3(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f); }
static cn_vec3 axis_of_b(const box_pair *p, int j) { return cn_v3(p->r[0][j], p->r[1][j], p->r[2][j]); }

// Half a face with the slop that it has beside one of half the width `other`.
static inline float widened(float half, float other) { return half + CN_CLIP_SLOP * cn_minf(half, other); }

static void make_face_pair(const box_pair *p, int axis, face_pair *f)
{
    bool on_a = axis < 3;
    const float *reference_half = on_a ? p->half_a : p->half_b, *incident_half = on_a ? p->half_b : p->half_a;
    const float *center = on_a ? p->offset : p->offset_in_b, toward = on_a ? 1.0f : -1.0f;
    const float(*m)[3] = on_a ? p->r : p->r_transposed; // axes of the incident box along those of the reference box
    int w = on_a ? axis : axis - 3, u = next_axis(w), v = last_axis(w);
    float side = toward * center[w] < 0.0f ? -1.0f : 1.0f; // which of the two faces along w
    float x = cn_absf(m[w][0]), y = cn_absf(m[w][1]), z = cn_absf(m[w][2]);
    int j = z > x && z > y ? 2 : y > x ? 1 : 0, j1 = next_axis(j), j2 = last_axis(j);
    bool upper = m[w][j] * side < 0.0f; // of the two faces of the incident box along its axis j
    float h = upper ? incident_half[j] : -incident_half[j], h1 = incident_half[j1], h2 = incident_half[j2];

    f->half_u = reference_half[u];
    f->half_v = reference_half[v];
    f->center = cn_v3(toward * center[u] + h * m[u][j], toward * center[v] + h * m[v][j],
                      side * (toward * center[w] + h * m[w][j]) - reference_half[w]);
    f->side1 = cn_v3(h1 * m[u][j1], h1 * m[v][j1], side * (h1 * m[w][j1]));
    f->side2 = cn_v3(h2 * m[u][j2], h2 * m[v][j2], side * (h2 * m[w][j2]));
    f->wide_u = widened(f->half_u, cn_absf(f->side1.x) + cn_absf(f->side2.x));
    f->wide_v = widened(f->half_v, cn_absf(f->side1.y) + cn_absf(f->side2.y));
    f->u = on_a ? axis_of_a(u) : axis_of_b(p, u);
    f->v = on_a ? axis_of_a(v) : axis_of_b(p, v);
    f->w = cn_scale(side, on_a ? axis_of_a(w) : axis_of_b(p, w));
    f->origin = cn_scale(reference_half[w], f->w);
    if (!on_a)
        f->origin = cn_add(f->origin, cn_v3(p->offset[0], p->offset[1], p->offset[2]));
    uint32_t first = upper ? 1u << j : 0u, bit1 = 1u << j1, bit2 = 1u << j2;
    f->corner_ids[0] = first;
    f->corner_ids[1] = first | bit1;
    f->corner_ids[2] = first | bit1 | bit2;
    f->corner_ids[3] = first | bit2;
    f->base = (uint32_t)(2 * axis + (side > 0.0f)) << 24;
}

static inline cn_vec3 incident_corner(const face_pair *f, int n)
{
    return cn_madd(cn_madd(f->center, corner_sign1[n], f->side1), corner_sign2[n], f->side2);
}

// At most 12 points are ever tried; one more may be written beyond the last that is kept. Which points are kept is hard to
// foresee, so there is no branch on it.
typedef struct point_list {
    int count;
    float margin;
    float u[16], v[16], separations[16];
    uint32_t features[16];
} point_list;

static inline void add_point(point_list *list, cn_vec3 p, uint32_t feature, int keep)
{
    list->u[list->count] = p.x;
    list->v[list->count] = p.y;
    list->separations[list->count] = p.z;
    list->features[list->count] = feature;
    list->count += keep & (int)(p.z <= list->margin);
}

// A segment of the incident outline by parameter, cut to the part inside the rectangle, with the side that cut each end.
typedef struct cut_segment {
    float enter, leave;
    uint32_t enter_side, leave_side;
} cut_segment;

static inline void cut_by_slab(cut_segment *cut, float start, float inverse, float half, uint32_t side)
{
    float low = (-half - start) * inverse, high = (half - start) * inverse;
    uint32_t backward = inverse < 0.0f; // the upper side comes first
    float in = cn_minf(low, high), out = cn_maxf(low, high);
    cut->enter_side = in > cut->enter ? side + backward : cut->enter_side;
    cut->leave_side = out < cut->leave ? side + 1 - backward : cut->leave_side;
    cut->enter = cn_maxf(in, cut->enter);
    cut->leave = cn_minf(out, cut->leave);
}

// A finite stand-in for 1 / step where the segment does not move across the slab: the slab then never cuts, or cuts all.
static inline float slab_inverse(float step, float half)
{
    float smallest = 1e-9f * half + 1e-30f;
    return 1.0f / (cn_absf(step) > smallest ? step : step < 0.0f ? -smallest : smallest);
}

// Corners of the incident face inside the reference face, and places where its outline crosses the sides.
static void add_outline(const face_pair *f, point_list *list)
{
    float limit_u = f->wide_u, limit_v = f->wide_v;
    float inverse_u[2] = { slab_inverse(2.0f * f->side1.x, limit_u), slab_inverse(2.0f * f->side2.x, limit_u) };
    float inverse_v[2] = { slab_inverse(2.0f * f->side1.y, limit_v), slab_inverse(2.0f * f->side2.y, limit_v) };
    for (int n = 0; n < 4; n++) {
        cn_vec3 start = incident_corner(f, n);
        float sign = n < 2 ? 1.0f : -1.0f;
        cut_segment cut = { 0.0f, 1.0f, 0, 0 };
        cut_by_slab(&cut, start.x, sign * inverse_u[n & 1], limit_u, 0);
        cut_by_slab(&cut, start.y, sign * inverse_v[n & 1], limit_v, 2);
        int inside = cut.enter <= cut.leave;
        cn_vec3 step = cn_scale(2.0f * sign, n & 1 ? f->side2 : f->side1);
        uint32_t crossing = f->base | FEATURE_CROSSING | f->corner_ids[n] << 4;
        add_point(list, cn_madd(start, cut.enter, step),
                  cut.enter > 0.0f ? crossing | cut.enter_side : f->base | f->corner_ids[n], inside);
        add_point(list, cn_madd(start, cut.leave, step), crossing | 8 | cut.leave_side, inside & (int)(cut.leave < 1.0f));
    }
}

// A place (u, v) in units of the two sides of the incident face: s = s0 + su u + sv v, and t likewise.
typedef struct incident_map {
    float s0, su, sv, t0, tu, tv;
} incident_map;

static incident_map make_incident_map(const face_pair *f)
{
    // The incident face is the one most opposed to the reference face, so its shadow is never thin.
    float area = f->side1.x * f->side2.y - f->side1.y * f->side2.x;
    float inverse = area != 0.0f ? 1.0f / area : 0.0f;
    float su = f->side2.y * inverse, sv = -f->side2.x * inverse, tu = -f->side1.y * inverse, tv = f->side1.x * inverse;
    return (incident_map){ -(su * f->center.x + sv * f->center.y), su, sv, -(tu * f->center.x + tv * f->center.y), tu, tv };
}

// Corners of the reference face that lie over the incident face; all of them when that is already known. What counts is the
// widened reference face that also cuts the outline, so that corners and cuts fit together.
static void add_reference_corners(const face_pair *f, const incident_map *m, int all, point_list *list)
{
    for (int n = 0; n < 4; n++) {
        float u = corner_sign1[n] * f->half_u, v = corner_sign2[n] * f->half_v;
        float wide_u = corner_sign1[n] * f->wide_u, wide_v = corner_sign2[n] * f->wide_v;
        float s = m->s0 + (m->su * u + m->sv * v), t = m->t0 + (m->tu * u + m->tv * v);
        float wide_s = m->s0 + (m->su * wide_u + m->sv * wide_v), wide_t = m->t0 + (m->tu * wide_u + m->tv * wide_v);
        int inside = cn_maxf(cn_absf(wide_s), cn_absf(wide_t)) < 1.0f;
        add_point(list, cn_v3(u, v, f->center.z + s * f->side1.z + t * f->side2.z), f->base | FEATURE_CORNER | (uint32_t)n,
                  all | inside);
    }
}

// A feature without the name of its reference face, as the cache keeps it.
static inline uint16_t feature_code(uint32_t feature) { return (uint16_t)((feature >> 8 & 0x700) | (feature & 0xff)); }

// Finds the points of the last call again. False unless they were four and are all still there.
static bool find_last_points(const point_list *list, const cn_pair_cache *last, int indices[4])
{
    int found = 0;
    for (int i = 0; i < list->count; i++)
        for (int k = 0; k < 4 && last->count == 4; k++)
            if (found < 4 && feature_code(list->features[i]) == last->b[k])
                indices[found++] = i;
    return found == 4;
}

// The corners of the intersection of the two faces; `chosen` gets the indices of at most four. Returns how many.
static int intersect_faces(const face_pair *f, const cn_pair_cache *last, float slack, point_list *list, int chosen[4])
{
    for (int n = 0; n < 4; n++)
        chosen[n] = n;
    float reach_u = cn_absf(f->center.x) + (cn_absf(f->side1.x) + cn_absf(f->side2.x));
    float reach_v = cn_absf(f->center.y) + (cn_absf(f->side1.y) + cn_absf(f->side2.y));
    if (reach_u <= f->wide_u && reach_v <= f->wide_v) {
        for (int n = 0; n < 4; n++)
            add_point(list, incident_corner(f, n), f->base | f->corner_ids[n], 1);
        return list->count;
    }
    incident_map map = make_incident_map(f);
    float width_s = cn_absf(map.su) * f->half_u + cn_absf(map.sv) * f->half_v;
    float width_t = cn_absf(map.tu) * f->half_u + cn_absf(map.tv) * f->half_v;
    if (cn_absf(map.s0) + width_s <= widened(1.0f, width_s) && cn_absf(map.t0) + width_t <= widened(1.0f, width_t)) {
        add_reference_corners(f, &map, 1, list);
        return list->count;
    }
    add_outline(f, list);
    add_reference_corners(f, &map, 0, list);
    if (list->count <= 4)
        return list->count;
    int indices[4], count = cn_reduce_flat(list->u, list->v, list->separations, list->count, chosen);
    if (count == 4 && find_last_points(list, last, indices) &&
        cn_choice_stands(list->u, list->v, list->separations, indices, chosen, slack))
        for (int n = 0; n < 4; n++)
            chosen[n] = indices[n];
    return count;
}

// The corner of the incident face that lies deepest, as the only point. Needed where a face was preferred to a slightly better
// pair of edges and the two faces do not lie above each other.
static void add_deepest_corner(const face_pair *f, point_list *list)
{
    int n = (f->side1.z > 0.0f) == (f->side2.z > 0.0f) ? (f->side1.z > 0.0f ? 0 : 2) : (f->side1.z > 0.0f ? 3 : 1);
    add_point(list, incident_corner(f, n), f->base | FEATURE_DEEPEST | f->corner_ids[n], 1);
}

// Leaves the points in the cache, which holds those of the last call for the same face, or none.
static void face_contact(const box_pair *p, box_axis axis, float margin, cn_pair_cache *cache, cn_manifold *out)
{
    face_pair f;
    point_list list;
    int chosen[4];
    list.count = 0;
    list.margin = margin;
    make_face_pair(p, axis.index, &f);
    int count = intersect_faces(&f, cache, pair_tolerance(p), &list, chosen);
    if (count == 0 && axis.separation < 0.0f) {
        add_deepest_corner(&f, &list);
        count = 1;
    }
    out->normal = axis.index < 3 ? f.w : cn_neg(f.w);
    out->count = count;
    cache->count = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        int k = chosen[i];
        cache->b[i] = feature_code(list.features[k]);
        cn_vec3 on_face = cn_madd(cn_madd(f.origin, list.u[k], f.u), list.v[k], f.v);
        float separation = list.separations[k];
        out->points[i] = (cn_manifold_point){ cn_madd(on_face, 0.5f * separation, f.w), separation, list.features[k] };
    }
}

// --- contact of two edges ----------------------------------------------------------------------------------------------------

static void edge_contact(const box_pair *p, int axis, cn_manifold *out)
{
    int i = (axis - FIRST_EDGE_AXIS) / 3, j = (axis - FIRST_EDGE_AXIS) % 3, i1 = next_axis(i), i2 = last_axis(i);
    float n[3] = { 0.0f, 0.0f, 0.0f };
    n[i1] = -p->r[i2][j];
    n[i2] = p->r[i1][j];
    float along = n[0] * p->offset[0] + n[1] * p->offset[1] + n[2] * p->offset[2];
    float scale = (along < 0.0f ? -1.0f : 1.0f) / sqrtf(edge_product_length_sq(p, i, j));
    cn_vec3 normal = cn_v3(scale * n[0], scale * n[1], scale * n[2]);

    // The edge of a farthest along the normal and the edge of b farthest against it, from start to end.
    float start_a[3], edge_a[3] = { 0.0f, 0.0f, 0.0f }, start_b[3], edge_b[3];
    uint32_t feature = (uint32_t)axis << 24 | FEATURE_EDGES;
    for (int k = 0; k < 3; k++) {
        bool upper = k != i && scale * n[k] > 0.0f;
        start_a[k] = upper ? p->half_a[k] : -p->half_a[k];
        feature |= (uint32_t)upper << k;
        start_b[k] = p->offset[k];
        edge_b[k] = 2.0f * p->half_b[j] * p->r[k][j];
    }
    edge_a[i] = 2.0f * p->half_a[i];
    for (int k = 0; k < 3; k++) {
        bool upper = k != j && scale * (n[0] * p->r[0][k] + n[1] * p->r[1][k] + n[2] * p->r[2][k]) < 0.0f;
        feature |= (uint32_t)upper << (4 + k);
        for (int m = 0; m < 3; m++)
            start_b[m] += (upper ? p->half_b[k] : -p->half_b[k]) * p->r[m][k];
    }
    cn_vec3 pa = cn_v3(start_a[0], start_a[1], start_a[2]), da = cn_v3(edge_a[0], edge_a[1], edge_a[2]);
    cn_vec3 pb = cn_v3(start_b[0], start_b[1], start_b[2]), db = cn_v3(edge_b[0], edge_b[1], edge_b[2]);
    float s, t;
    cn_closest_on_segments(pa, da, pb, db, &s, &t);
    cn_single_point(out, normal, cn_madd(pa, s, da), cn_madd(pb, t, db), feature);
}

void cn_collide_boxes(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                      cn_manifold *out)
{
    box_pair pair;
    box_axis axis;
    make_pair(a, b, b_in_a, &pair);
    out->count = 0;
    if (cache->kind == CN_SAT_SEPARATED && cache->a[0] < AXIS_COUNT && axis_separation(&pair, cache->a[0], &axis.separation) &&
        axis.separation > margin) {
        out->gap = axis.separation;
        return;
    }
    bool touching = find_axis(&pair, margin, cache, &axis);
    if (cache->kind != CN_SAT_TOUCHING || cache->a[0] != axis.index)
        cache->count = 0;
    cache->kind = touching ? CN_SAT_TOUCHING : CN_SAT_SEPARATED;
    cache->a[0] = (uint16_t)axis.index;
    if (!touching)
        out->gap = axis.separation;
    else if (axis.index < FIRST_EDGE_AXIS)
        face_contact(&pair, axis, margin, cache, out);
    else {
        edge_contact(&pair, axis.index, out);
        cn_widen_edge_contact(a, b, b_in_a, margin, out);
    }
    if (touching && out->count == 0)
        cn_collide_corners(a, b, b_in_a, margin, out);
}
