// Distance between convex cores: Gilbert, Johnson, Keerthi 1988, "A fast procedure for computing the distance between complex
// objects in three-dimensional space". The closest point of each simplex is found by the Voronoi regions of its features.
//
// It ends when the support plane proves that nothing closer is left, when a vertex comes again, or when no progress is made.
#include "collide/minkowski.h"

enum { MAX_ITERATIONS = 32, CACHE_KIND = 16 }; // kinds below 16 belong to other pair functions

// Relative to the largest coordinate: the gap between upper and lower bound at which the distance counts as found. It also
// bounds the tilt of the normal against a flat face to gap / width of the face.
static const double GAP_TOLERANCE = 2e-8;
// Relative to the largest coordinate: closer than this is overlap.
static const double TOUCH_TOLERANCE = 1e-7;

// The part of a simplex that holds the point closest to the origin: a vertex, an edge or a face.
typedef struct region {
    int count, index[3];
    double weight[3];
    cn_d3 point;
    double distance_sq;
} region;

static region vertex_region(const cn_simplex *s, int i)
{
    cn_d3 w = s->vertices[i].w;
    return (region){ 1, { i }, { 1.0 }, w, cn_d3_dot(w, w) };
}

static region edge_region(const cn_simplex *s, int i, int j)
{
    cn_d3 p = s->vertices[i].w, edge = cn_d3_sub(s->vertices[j].w, p);
    double length_sq = cn_d3_dot(edge, edge), along = -cn_d3_dot(p, edge);
    if (!(along > 0.0))
        return vertex_region(s, i);
    if (along >= length_sq)
        return vertex_region(s, j);
    double t = along / length_sq;
    cn_d3 point = cn_d3_madd(p, t, edge);
    return (region){ 2, { i, j }, { 1.0 - t, t }, point, cn_d3_dot(point, point) };
}

static void take_closer(region *best, region candidate)
{
    if (best->count == 0 || candidate.distance_sq < best->distance_sq)
        *best = candidate;
}

static region triangle_region(const cn_simplex *s, int i, int j, int k)
{
    cn_d3 a = s->vertices[i].w, b = s->vertices[j].w, c = s->vertices[k].w;
    cn_d3 ab = cn_d3_sub(b, a), ac = cn_d3_sub(c, a), n = cn_d3_cross(ab, ac);
    double n_sq = cn_d3_dot(n, n);
    // Areas of the triangles that the origin's projection makes with each edge, times the length of n.
    double wa = cn_d3_dot(n, cn_d3_cross(b, c)), wb = cn_d3_dot(n, cn_d3_cross(c, a)), wc = cn_d3_dot(n, cn_d3_cross(a, b));
    // A sliver has no reliable normal; its edges tell everything.
    bool flat = !(n_sq > 1e-20 * cn_d3_dot(ab, ab) * cn_d3_dot(ac, ac));
    if (!flat && wa > 0.0 && wb > 0.0 && wc > 0.0) {
        double scale = 1.0 / (wa + wb + wc);
        cn_d3 point = cn_d3_scale(cn_d3_dot(n, a) / n_sq, n);
        return (region){ 3, { i, j, k }, { scale * wa, scale * wb, scale * wc }, point, cn_d3_dot(point, point) };
    }
    // Only an edge with the origin on its outer side can be the closest.
    region best = { 0 };
    if (flat || !(wa > 0.0))
        take_closer(&best, edge_region(s, j, k));
    if (flat || !(wb > 0.0))
        take_closer(&best, edge_region(s, k, i));
    if (flat || !(wc > 0.0))
        take_closer(&best, edge_region(s, i, j));
    return best;
}

// The best among the faces that have the origin on their outer side; none, with the weights set, when the origin is inside.
// A flat tetrahedron has no sides, so all its faces are tried.
static region tetrahedron_region(cn_simplex *s)
{
    static const int faces[4][4] = { { 0, 1, 2, 3 }, { 0, 3, 1, 2 }, { 0, 2, 3, 1 }, { 1, 3, 2, 0 } }; // last: opposite
    region best = { 0 };
    for (int i = 0; i < 4; i++) {
        const int *f = faces[i];
        cn_d3 a = s->vertices[f[0]].w;
        cn_d3 ab = cn_d3_sub(s->vertices[f[1]].w, a), ac = cn_d3_sub(s->vertices[f[2]].w, a);
        cn_d3 ad = cn_d3_sub(s->vertices[f[3]].w, a), n = cn_d3_cross(ab, ac);
        double origin_side = -cn_d3_dot(n, a), inner_side = cn_d3_dot(n, ad);
        bool flat = inner_side * inner_side <= 1e-24 * cn_d3_dot(n, n) * cn_d3_dot(ad, ad);
        if (!flat && origin_side * inner_side > 0.0)
            s->weights[f[3]] = origin_side / inner_side;
        else
            take_closer(&best, triangle_region(s, f[0], f[1], f[2]));
    }
    return best;
}

// Leaves the vertices of the region, with their weights.
static void reduce(cn_simplex *s, const region *r)
{
    cn_minkowski_vertex kept[3];
    for (int i = 0; i < r->count; i++)
        kept[i] = s->vertices[r->index[i]];
    for (int i = 0; i < r->count; i++) {
        s->vertices[i] = kept[i];
        s->weights[i] = r->weight[i];
    }
    s->count = r->count;
}

static region find_region(cn_simplex *s)
{
    switch (s->count) {
    case 1: return vertex_region(s, 0);
    case 2: return edge_region(s, 0, 1);
    case 3: return triangle_region(s, 0, 1, 2);
    default: return tetrahedron_region(s);
    }
}

void cn_simplex_solve_triangle(cn_simplex *s)
{
    region r = triangle_region(s, 0, 1, 2);
    reduce(s, &r);
}

bool cn_simplex_solve(cn_simplex *s, cn_d3 *closest)
{
    region r = find_region(s);
    if (r.count == 0)
        return false;
    reduce(s, &r);
    *closest = r.point;
    return true;
}

void cn_simplex_witness(const cn_simplex *s, cn_d3 *point_a, cn_d3 *point_b)
{
    *point_a = *point_b = cn_d3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < s->count; i++) {
        *point_a = cn_d3_madd(*point_a, s->weights[i], s->vertices[i].a);
        *point_b = cn_d3_madd(*point_b, s->weights[i], s->vertices[i].b);
    }
}

static bool contains(const cn_simplex *s, const cn_minkowski_vertex *vertex)
{
    for (int i = 0; i < s->count; i++) {
        cn_d3 w = s->vertices[i].w;
        if (w.x == vertex->w.x && w.y == vertex->w.y && w.z == vertex->w.z)
            return true;
    }
    return false;
}

static void start(const cn_minkowski *m, const cn_pair_cache *cache, cn_simplex *s)
{
    s->count = 0;
    if (cache && cache->kind == CACHE_KIND) {
        for (int i = 0; i < cache->count && i < 4; i++) {
            s->vertices[s->count] = cn_minkowski_vertex_of(m, cache->a[i], cache->b[i]);
            if (!contains(s, &s->vertices[s->count]))
                s->count++;
        }
    }
    if (s->count == 0)
        s->vertices[s->count++] = cn_minkowski_support(m, m->position);
}

static void remember(const cn_simplex *s, cn_pair_cache *cache)
{
    if (!cache)
        return;
    *cache = (cn_pair_cache){ .kind = CACHE_KIND, .count = (uint8_t)s->count };
    for (int i = 0; i < s->count; i++) {
        cache->a[i] = s->vertices[i].id_a;
        cache->b[i] = s->vertices[i].id_b;
    }
}

cn_gjk_result cn_gjk_run(const cn_minkowski *m, double limit, cn_pair_cache *cache, cn_simplex *s)
{
    start(m, cache, s);
    double size = 0.0, distance = 0.0, proven = 0.0;
    for (int i = 0; i < s->count; i++)
        size = cn_minkowski_size(&s->vertices[i], size);
    region closest = find_region(s);
    int iterations = 0;
    while (closest.count > 0) {
        reduce(s, &closest);
        proven = distance = sqrt(closest.distance_sq);
        if (!(distance > TOUCH_TOLERANCE * size) || iterations == MAX_ITERATIONS)
            break;
        iterations++;
        cn_minkowski_vertex vertex = cn_minkowski_support(m, cn_d3_scale(-1.0, closest.point));
        double lower_bound = cn_d3_dot(closest.point, vertex.w) / distance;
        if (lower_bound > limit) {
            proven = lower_bound;
            break;
        }
        if (distance - lower_bound <= GAP_TOLERANCE * size || contains(s, &vertex))
            break;
        size = cn_minkowski_size(&vertex, size);
        s->vertices[s->count++] = vertex;
        region next = find_region(s);
        if (next.count > 0 && !(next.distance_sq < closest.distance_sq)) {
            s->count--; // no progress: the last answer stands
            break;
        }
        closest = next;
    }
    remember(s, cache);
    bool overlap = closest.count == 0 || !(distance > TOUCH_TOLERANCE * size);
    cn_d3 point_a, point_b;
    cn_simplex_witness(s, &point_a, &point_b);
    return (cn_gjk_result){ .distance = overlap ? 0.0f : (float)proven,
                            .point_a = cn_d3_float(point_a),
                            .point_b = cn_d3_float(point_b),
                            .normal =
                                overlap ? cn_v3(0.0f, 0.0f, 0.0f) : cn_d3_float(cn_d3_scale(-1.0 / distance, closest.point)),
                            .iterations = iterations };
}

cn_gjk_result cn_gjk_distance(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, cn_pair_cache *cache)
{
    cn_minkowski m = cn_minkowski_make(a, b, b_in_a);
    cn_simplex simplex;
    return cn_gjk_run(&m, (double)INFINITY, cache, &simplex);
}
