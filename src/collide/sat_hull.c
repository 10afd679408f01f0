// Two convex polyhedra: separating axes over the faces of both and over pairs of edges that form a face of the Minkowski
// difference, found on the Gauss map (Gregorius, The Separating Axis Test between Convex Polyhedra, 2013).
//
// Most faces and edges are dismissed by witnesses. The separation along any outward normal of a is at most the height of any
// one point of b above that face; a point of b that is low enough dismisses the face with one dot product. And a point that is
// low under both faces of an edge is low under every normal between them, which dismisses the edge with all its partners. Of
// hulls with 16 vertices that touch, about one edge of each is left. Witnesses are held against four faces at a time.
#include "collide/pairs.h"
#include "collide/sat.h"
#include "shape/hull_lanes.h"

enum { FACE_OF_A = 0, FACE_OF_B = 1, EDGE_PAIR = 2 };
enum { MAX_WITNESSES = 12, EDGE_BATCH = 64, MAX_MASKED_FACES = 256 };

// One solid as seen from the other.
typedef struct view {
    const cn_polyhedron *self, *other;
    cn_mat3 rotation; // of the other solid in the frame of this one
    cn_vec3 offset;
    int witness_count;
    cn_f4 witnesses[MAX_WITNESSES][3];   // points of the other solid in this frame, the same in all lanes
    int32_t low_under[MAX_MASKED_FACES]; // the witnesses that dismiss edges of each face; hulls with more faces do without
} view;

typedef struct hull_axis {
    int kind;
    int index_a, index_b; // FACE_OF_A: face; FACE_OF_B: face; EDGE_PAIR: half edges
    int vertex;           // of the other solid, deepest under the face
    float separation;
    cn_vec3 normal; // EDGE_PAIR only, in the frame of a, from a to b
} hull_axis;

typedef struct hull_search {
    view views[2]; // b seen from a, a seen from b
    float margin, tolerance;
    float score;
    hull_axis best;
} hull_search;

// --- faces -------------------------------------------------------------------------------------------------------------------

static inline cn_vec3 other_to_self(const view *v, cn_vec3 p) { return cn_add(v->offset, cn_mat3_mul(&v->rotation, p)); }

static inline float height_over(cn_plane plane, cn_vec3 p) { return cn_dot(plane.normal, p) - plane.offset; }

// Takes the axis when it is the best so far. False at a gap of more than the margin (or not a number), which ends the search.
static bool try_axis(hull_search *search, hull_axis axis, float bonus)
{
    bool apart = !(axis.separation <= search->margin);
    float score = axis.separation + bonus * search->tolerance;
    if (apart || score > search->score) {
        search->score = score;
        search->best = axis;
    }
    return !apart;
}

static inline void add_witness(view *v, cn_vec3 point)
{
    if (v->witness_count == MAX_WITNESSES)
        return;
    cn_f4 *to = v->witnesses[v->witness_count++];
    to[0] = cn_f4_set(point.x);
    to[1] = cn_f4_set(point.y);
    to[2] = cn_f4_set(point.z);
}

static bool try_face(hull_search *search, int kind, int face, float bonus)
{
    view *v = &search->views[kind];
    cn_plane plane = v->self->planes[face];
    int vertex = cn_polyhedron_support(v->other, cn_neg(cn_mat3_tmul(&v->rotation, plane.normal)));
    cn_vec3 witness = other_to_self(v, v->other->vertices[vertex]);
    add_witness(v, witness);
    hull_axis axis = {
        .kind = kind, .index_a = face, .index_b = face, .vertex = vertex, .separation = height_over(plane, witness)
    };
    return try_axis(search, axis, bonus);
}

// For each of four faces the witnesses that lie low enough under it, one bit each.
CN_INLINE cn_i4 low_witnesses(const view *v, cn_planes4 planes, float needed)
{
    cn_i4 low = { 0 }, bit = { 1, 1, 1, 1 };
    for (int i = 0; i < v->witness_count; i++) {
        const cn_f4 *w = v->witnesses[i];
        cn_f4 height = planes.x * w[0] + planes.y * w[1] + planes.z * w[2] - planes.offset;
        low |= (height <= needed) & bit;
        bit += bit;
    }
    return low;
}

// Looks at the faces of a block that no witness dismisses, in their order. One that was looked at may dismiss those after it.
static bool search_block(hull_search *search, int kind, int first, float bonus)
{
    view *v = &search->views[kind];
    cn_planes4 planes = cn_planes_from(v->self, first);
    for (int lanes = 15;;) {
        float needed = cn_minf(search->score - bonus * search->tolerance, 0.0f); // no higher than edges ask for
        int left = cn_i4_bits(low_witnesses(v, planes, needed) == 0) & lanes;
        if (left == 0)
            return true;
        int lane = __builtin_ctz((unsigned)left), face = first + lane;
        if (face >= v->self->face_count)
            return true;
        if (!try_face(search, kind, face, bonus))
            return false;
        lanes = 14 << lane;
    }
}

static bool search_faces(hull_search *search, int kind)
{
    float bonus = kind == FACE_OF_A ? CN_SAT_BONUS_FACE_A : CN_SAT_BONUS_FACE_B;
    for (int first = 0; first < search->views[kind].self->face_count; first += CN_HULL_LANES)
        if (!search_block(search, kind, first, bonus))
            return false;
    return true;
}

// --- edges -------------------------------------------------------------------------------------------------------------------

// An edge in the frame of a. Seen on the Gauss map it is the arc between the normals of its two faces; those of b are negated.
typedef struct arc {
    cn_vec3 start, direction; // the segment, and normal1 x normal2 points along it
    cn_vec3 normal1, normal2;
    int edge;
} arc;

static arc make_arc(const view *views, int side, int edge)
{
    const cn_polyhedron *p = views[side].self;
    const cn_half_edge *e = &p->edges[edge], *twin = &p->edges[e->twin];
    cn_vec3 start = p->vertices[e->origin], direction = cn_sub(p->vertices[twin->origin], start);
    cn_vec3 n1 = p->planes[e->face].normal, n2 = p->planes[twin->face].normal;
    if (side == 0)
        return (arc){ start, direction, n1, n2, edge };
    const view *v = &views[0];
    return (arc){ other_to_self(v, start), cn_mat3_mul(&v->rotation, direction), cn_neg(cn_mat3_mul(&v->rotation, n1)),
                  cn_neg(cn_mat3_mul(&v->rotation, n2)), edge };
}

static inline int32_t low_under_face(const view *v, int face, float needed)
{
    const cn_plane *plane = &v->self->planes[face];
    return face < MAX_MASKED_FACES ? v->low_under[face]
                                   : low_witnesses(v, cn_load_planes(plane, plane, plane, plane), needed)[0];
}

static void mark_low(view *v, float needed)
{
    for (int first = 0; first < v->self->face_count && first < MAX_MASKED_FACES; first += CN_HULL_LANES) {
        cn_i4 low = low_witnesses(v, cn_planes_from(v->self, first), needed);
        memcpy(&v->low_under[first], &low, sizeof low);
    }
}

// Collects edges that may still hold a better axis, from half edge *next on; moves *next behind the last one looked at.
static int collect_arcs(hull_search *search, int side, int *next, arc arcs[EDGE_BATCH])
{
    view *v = &search->views[side];
    const cn_half_edge *edges = v->self->edges;
    float needed = cn_minf(search->score, 0.0f); // the argument about edges holds for negative heights only
    int count = 0, edge = *next, end = v->self->edge_count;
    mark_low(v, needed);
    for (; edge < end && count < EDGE_BATCH; edge += 2)
        if ((low_under_face(v, edges[edge].face, needed) & low_under_face(v, edges[edge + 1].face, needed)) == 0)
            arcs[count++] = make_arc(search->views, side, edge);
    *next = edge;
    return count;
}

// Two edges form a face of the Minkowski difference when their arcs cross.
static bool arcs_cross(const arc *a, const arc *b)
{
    float c = cn_dot(b->normal1, a->direction), d = cn_dot(b->normal2, a->direction);
    if (c * d >= 0.0f)
        return false;
    float e = cn_dot(a->normal1, b->direction), f = cn_dot(a->normal2, b->direction);
    return e * f < 0.0f && c * f > 0.0f;
}

// The common normal of two edges, outwards from a; false when they are parallel.
static bool arc_normal(const arc *a, const arc *b, cn_vec3 *normal)
{
    cn_vec3 product = cn_cross(a->direction, b->direction);
    float length_sq = cn_length_sq(product);
    if (!(length_sq > CN_SAT_PARALLEL * cn_length_sq(a->direction) * cn_length_sq(b->direction)))
        return false;
    float sign = cn_dot(product, cn_add(a->normal1, a->normal2)) < 0.0f ? -1.0f : 1.0f;
    *normal = cn_scale(sign / sqrtf(length_sq), product);
    return true;
}

static bool try_arcs(hull_search *search, const arc *a, const arc *b, float bonus)
{
    hull_axis axis = { .kind = EDGE_PAIR, .index_a = a->edge, .index_b = b->edge };
    if (!arcs_cross(a, b) || !arc_normal(a, b, &axis.normal))
        return true;
    axis.separation = cn_dot(axis.normal, cn_sub(b->start, a->start));
    return try_axis(search, axis, bonus);
}

static bool search_edges(hull_search *search)
{
    arc arcs_a[EDGE_BATCH], arcs_b[EDGE_BATCH];
    for (int next_a = 0; next_a < search->views[0].self->edge_count;) {
        int count_a = collect_arcs(search, 0, &next_a, arcs_a);
        for (int next_b = 0; count_a > 0 && next_b < search->views[1].self->edge_count;) {
            int count_b = collect_arcs(search, 1, &next_b, arcs_b);
            for (int i = 0; i < count_a; i++)
                for (int j = 0; j < count_b; j++)
                    if (!try_arcs(search, &arcs_a[i], &arcs_b[j], 0.0f))
                        return false;
        }
    }
    return true;
}

// --- the axis of the last call -----------------------------------------------------------------------------------------------

// How far a cached pair of edges keeps the solids apart. They may no longer be extreme along their normal, but it can still
// separate.
static float gap_along_edges(const hull_search *search, const arc *a, const arc *b)
{
    const view *v = &search->views[0];
    cn_vec3 normal;
    if (!arc_normal(a, b, &normal))
        return -INFINITY;
    cn_vec3 on_a = v->self->vertices[cn_polyhedron_support(v->self, normal)];
    cn_vec3 on_b = v->other->vertices[cn_polyhedron_support(v->other, cn_neg(cn_mat3_tmul(&v->rotation, normal)))];
    return cn_dot(normal, cn_sub(other_to_self(v, on_b), on_a));
}

// The ends of an edge of the other solid: close to the contact, they dismiss much.
static void add_edge_witnesses(hull_search *search, int side, int edge)
{
    view *v = &search->views[side];
    for (int i = 0; i < 2; i++)
        add_witness(v, other_to_self(v, v->other->vertices[v->other->edges[edge ^ i].origin]));
}

// False when the cached axis still separates. Else it becomes the first candidate, if it exists.
static bool try_cached(hull_search *search, const cn_pair_cache *cache)
{
    const cn_polyhedron *a = search->views[0].self, *b = search->views[1].self;
    bool was_touching = cache->kind == CN_SAT_TOUCHING;
    float lead = was_touching ? CN_SAT_BONUS_CACHED : 0.0f;
    int index_a = cache->a[0], index_b = cache->b[0];
    if (!was_touching && cache->kind != CN_SAT_SEPARATED)
        return true;
    if (cache->count == FACE_OF_A && index_a < a->face_count)
        return try_face(search, FACE_OF_A, index_a, CN_SAT_BONUS_FACE_A + lead);
    if (cache->count == FACE_OF_B && index_b < b->face_count)
        return try_face(search, FACE_OF_B, index_b, CN_SAT_BONUS_FACE_B + lead);
    if (cache->count == EDGE_PAIR && index_a < a->edge_count && index_b < b->edge_count) {
        arc arc_a = make_arc(search->views, 0, index_a), arc_b = make_arc(search->views, 1, index_b);
        float gap = was_touching ? -INFINITY : gap_along_edges(search, &arc_a, &arc_b);
        if (gap > search->margin) {
            search->best = (hull_axis){ .kind = EDGE_PAIR, .index_a = index_a, .index_b = index_b, .separation = gap };
            return false;
        }
        add_edge_witnesses(search, 0, index_b);
        add_edge_witnesses(search, 1, index_a);
        return try_arcs(search, &arc_a, &arc_b, lead);
    }
    return true;
}

// --- contact -----------------------------------------------------------------------------------------------------------------

// The vertices of a face in the frame of a, thinned out when it has more than fit.
static int face_polygon(const hull_search *search, int side, int face, cn_vec3 *vertices, uint16_t *ids)
{
    const cn_polyhedron *p = search->views[side].self;
    int first = p->face_edges[face], length = 0, count = 0, step = 0;
    for (int e = first; length == 0 || e != first; e = p->edges[e].next)
        length++;
    int stride = (length + CN_MAX_FACE_VERTICES - 1) / CN_MAX_FACE_VERTICES;
    for (int e = first; step < length; e = p->edges[e].next, step++) {
        if (step % stride != 0)
            continue;
        cn_vec3 vertex = p->vertices[p->edges[e].origin];
        ids[count] = p->edges[e].origin;
        vertices[count++] = side == 0 ? vertex : other_to_self(&search->views[0], vertex);
    }
    return count;
}

// Of the faces at a vertex, the one most opposed to a direction.
static int opposed_face(const cn_polyhedron *p, int vertex, cn_vec3 direction)
{
    int first = p->vertex_edges[vertex], edge = first, best = 0;
    float lowest = INFINITY;
    do {
        int face = p->edges[edge].face;
        float slope = cn_dot(p->planes[face].normal, direction);
        if (slope < lowest) {
            lowest = slope;
            best = face;
        }
        edge = p->edges[edge ^ 1].next;
    } while (edge != first);
    return best;
}

static void face_contact(const hull_search *search, cn_manifold *out)
{
    const hull_axis *axis = &search->best;
    const view *v = &search->views[axis->kind];
    bool on_b = axis->kind == FACE_OF_B;
    int face = on_b ? axis->index_b : axis->index_a;
    cn_vec3 normal = v->self->planes[face].normal;
    int incident_face = opposed_face(v->other, axis->vertex, cn_mat3_tmul(&v->rotation, normal));
    cn_vec3 reference[CN_MAX_FACE_VERTICES], incident[CN_MAX_FACE_VERTICES];
    uint16_t reference_ids[CN_MAX_FACE_VERTICES], incident_ids[CN_MAX_FACE_VERTICES];
    int reference_count = face_polygon(search, on_b, face, reference, reference_ids);
    int incident_count = face_polygon(search, !on_b, incident_face, incident, incident_ids);
    if (on_b)
        normal = cn_mat3_mul(&search->views[0].rotation, normal);
    cn_clip_faces(reference, reference_ids, reference_count, incident, incident_ids, incident_count, normal, search->margin,
                  on_b, out);
    if (out->count > 0)
        cn_add_corners(&(cn_outline){ reference, reference_ids, reference_count }, normal, v->other, on_b ? NULL : &v->rotation,
                       v->offset, search->margin, out);
    if (out->count > 0 || axis->separation >= 0.0f)
        return;
    // A face was preferred to a slightly better pair of edges and does not lie above the other: the deepest vertex remains.
    cn_vec3 deepest = v->other->vertices[axis->vertex];
    deepest = on_b ? deepest : other_to_self(v, deepest);
    cn_vec3 surface = cn_madd(deepest, -axis->separation, normal);
    if (on_b)
        cn_single_point(out, cn_neg(normal), deepest, surface, 0xFFFF0000u | (uint32_t)axis->vertex);
    else
        cn_single_point(out, normal, surface, deepest, 0xFFFF0000u | (uint32_t)axis->vertex);
}

static void edge_contact(const hull_search *search, cn_manifold *out)
{
    const hull_axis *axis = &search->best;
    arc a = make_arc(search->views, 0, axis->index_a), b = make_arc(search->views, 1, axis->index_b);
    float s, t;
    cn_closest_on_segments(a.start, a.direction, b.start, b.direction, &s, &t);
    uint32_t feature = (uint32_t)axis->index_a << 16 | (uint32_t)axis->index_b;
    cn_single_point(out, axis->normal, cn_madd(a.start, s, a.direction), cn_madd(b.start, t, b.direction), feature);
}

static void begin_search(hull_search *search, const cn_polyhedron *a, const cn_polyhedron *b, cn_pose b_in_a, float margin)
{
    cn_mat3 m = cn_mat3_from_quat(b_in_a.rotation);
    cn_mat3 inverse = { { m.x.x, m.y.x, m.z.x }, { m.x.y, m.y.y, m.z.y }, { m.x.z, m.y.z, m.z.z } };
    view *views = search->views;
    views[0].self = views[1].other = a;
    views[0].other = views[1].self = b;
    views[0].rotation = m;
    views[0].offset = b_in_a.position;
    views[1].rotation = inverse;
    views[1].offset = cn_neg(cn_mat3_mul(&inverse, b_in_a.position));
    for (int i = 0; i < 2; i++) {
        views[i].witness_count = 0;
        add_witness(&views[i], other_to_self(&views[i], views[i].other->center));
    }
    search->margin = margin;
    cn_vec3 sizes = cn_add(cn_sub(a->upper, a->lower), cn_sub(b->upper, b->lower));
    search->tolerance =
        CN_SAT_TOLERANCE * cn_minf(a->inner_radius, b->inner_radius) + CN_SAT_ROUNDING * (sizes.x + sizes.y + sizes.z);
    search->score = -INFINITY;
    search->best = (hull_axis){ .kind = FACE_OF_A };
}

void cn_collide_polyhedra(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_pair_cache *cache,
                          cn_manifold *out)
{
    cn_box_solid box_a, box_b;
    hull_search search;
    begin_search(&search, cn_as_polyhedron(a, &box_a), cn_as_polyhedron(b, &box_b), b_in_a, margin);
    bool touching = try_cached(&search, cache) && search_faces(&search, FACE_OF_A) && search_faces(&search, FACE_OF_B) &&
                    search_edges(&search);
    *cache = (cn_pair_cache){ .kind = touching ? CN_SAT_TOUCHING : CN_SAT_SEPARATED, .count = (uint8_t)search.best.kind };
    cache->a[0] = (uint16_t)search.best.index_a;
    cache->b[0] = (uint16_t)search.best.index_b;
    out->count = 0;
    if (!touching)
        out->gap = search.best.separation;
    else if (search.best.kind == EDGE_PAIR) {
        edge_contact(&search, out);
        cn_widen_edge_contact(a, b, b_in_a, margin, out);
    } else
        face_contact(&search, out);
    if (touching && out->count == 0)
        cn_collide_corners(a, b, b_in_a, margin, out);
}
