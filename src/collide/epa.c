// Penetration depth of convex cores by the expanding polytope algorithm: van den Bergen 2001, "Proximity queries and
// penetration depth computation on 3D game objects".
//
// A polytope inside A - B grows at the face nearest to the origin until the support plane of that face is no farther out.
// Whatever the polytope looks like, the support plane of a direction proves that moving by its height along the direction
// separates the shapes. So the lowest support plane met on the way is the answer, also when the pools run full.
#include "collide/minkowski.h"

enum { MAX_VERTICES = 128, MAX_FACES = 256, PLANE_TRIES = 4 };

// The gap between support plane and nearest face at which the depth counts as found: relative to the largest coordinate, and
// to the depth.
static const double GAP_TOLERANCE = 1e-8, DEPTH_TOLERANCE = 1e-7;
// Relative to the largest coordinate: thinner polytopes are flat, closer planes the same.
static const double FLAT_TOLERANCE = 1e-6, PLANE_TOLERANCE = 1e-10;

typedef struct face {
    uint8_t vertices[3]; // counter-clockwise seen from outside
    cn_d3 normal;        // unit
    double height;       // of the face's plane over the origin; negative when the origin is outside
} face;

typedef struct polytope {
    const cn_minkowski *m;
    double size; // largest coordinate
    int vertex_count, face_count;
    cn_minkowski_vertex vertices[MAX_VERTICES];
    face faces[MAX_FACES];
} polytope;

static void add_face(polytope *p, int i, int j, int k)
{
    cn_d3 a = p->vertices[i].w;
    cn_d3 n = cn_d3_cross(cn_d3_sub(p->vertices[j].w, a), cn_d3_sub(p->vertices[k].w, a));
    double length = sqrt(cn_d3_dot(n, n));
    face f = { { (uint8_t)i, (uint8_t)j, (uint8_t)k }, n, (double)INFINITY }; // a face without area is never the nearest
    if (length > 0.0) {
        f.normal = cn_d3_scale(1.0 / length, n);
        f.height = cn_d3_dot(f.normal, a);
    }
    p->faces[p->face_count++] = f;
}

// The start: a tetrahedron with volume.

// Distance of `w` from the point, line or plane through the first vertices of the polytope.
static double distance_from_span(const polytope *p, cn_d3 w)
{
    cn_d3 d = cn_d3_sub(w, p->vertices[0].w);
    if (p->vertex_count == 1)
        return sqrt(cn_d3_dot(d, d));
    cn_d3 u = cn_d3_sub(p->vertices[1].w, p->vertices[0].w);
    if (p->vertex_count == 2) {
        cn_d3 c = cn_d3_cross(u, d);
        return sqrt(cn_d3_dot(c, c) / cn_d3_dot(u, u));
    }
    cn_d3 n = cn_d3_cross(u, cn_d3_sub(p->vertices[2].w, p->vertices[0].w));
    double height = cn_d3_dot(n, d) / sqrt(cn_d3_dot(n, n));
    return height < 0.0 ? -height : height;
}

// Directions that leave the span of the vertices found so far.
static int search_directions(const polytope *p, cn_d3 directions[6])
{
    static const cn_d3 axes[6] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    if (p->vertex_count == 1) {
        for (int i = 0; i < 6; i++)
            directions[i] = axes[i];
        return 6;
    }
    cn_d3 u = cn_d3_sub(p->vertices[1].w, p->vertices[0].w);
    if (p->vertex_count == 2) {
        for (int i = 0; i < 6; i++) // one of them may vanish, which is a harmless direction
            directions[i] = cn_d3_cross(u, axes[i]);
        return 6;
    }
    cn_d3 n = cn_d3_cross(u, cn_d3_sub(p->vertices[2].w, p->vertices[0].w));
    directions[0] = n;
    directions[1] = cn_d3_scale(-1.0, n);
    return 2;
}

// Adds the vertex farthest from the span of the polytope's vertices: one of the given ones, or else a new support.
static bool add_spanning_vertex(polytope *p, const cn_simplex *given)
{
    cn_minkowski_vertex best = { 0 };
    double best_distance = FLAT_TOLERANCE * p->size;
    bool found = false;
    for (int i = 0; i < given->count; i++) {
        double distance = distance_from_span(p, given->vertices[i].w);
        if (distance > best_distance) {
            best = given->vertices[i];
            best_distance = distance;
            found = true;
        }
    }
    cn_d3 directions[6];
    int count = found ? 0 : search_directions(p, directions);
    for (int i = 0; i < count; i++) {
        cn_minkowski_vertex vertex = cn_minkowski_support(p->m, directions[i]);
        p->size = cn_minkowski_size(&vertex, p->size);
        double distance = distance_from_span(p, vertex.w);
        if (distance > best_distance) {
            best = vertex;
            best_distance = distance;
            found = true;
        }
    }
    p->vertices[p->vertex_count] = best;
    p->vertex_count += found;
    return found;
}

static bool build_tetrahedron(polytope *p, const cn_simplex *given)
{
    for (int i = 0; i < given->count; i++)
        p->size = cn_minkowski_size(&given->vertices[i], p->size);
    p->vertices[p->vertex_count++] = given->vertices[0];
    while (p->vertex_count < 4)
        if (!add_spanning_vertex(p, given))
            return false;
    cn_d3 a = p->vertices[0].w;
    cn_d3 n = cn_d3_cross(cn_d3_sub(p->vertices[1].w, a), cn_d3_sub(p->vertices[2].w, a));
    bool outwards = cn_d3_dot(n, cn_d3_sub(p->vertices[3].w, a)) < 0.0;
    int j = outwards ? 1 : 2, k = outwards ? 2 : 1;
    add_face(p, 0, j, k);
    add_face(p, 0, 3, j);
    add_face(p, j, 3, k);
    add_face(p, k, 3, 0);
    return true;
}

// Growing it.

typedef struct horizon {
    int count;
    uint8_t edges[MAX_FACES][2];
} horizon;

// Adds a directed edge, or removes its opposite: what is left at the end is the outline of the removed faces.
// False when there is no room.
static bool toggle_edge(horizon *h, uint8_t from, uint8_t to)
{
    for (int i = 0; i < h->count; i++) {
        if (h->edges[i][0] == to && h->edges[i][1] == from) {
            h->count--;
            h->edges[i][0] = h->edges[h->count][0];
            h->edges[i][1] = h->edges[h->count][1];
            return true;
        }
    }
    if (h->count == MAX_FACES)
        return false;
    h->edges[h->count][0] = from;
    h->edges[h->count][1] = to;
    h->count++;
    return true;
}

// The outline must be one closed loop, or the fan over it would not close the polytope.
static bool is_loop(const horizon *h)
{
    int steps = 0, edge = 0;
    do {
        int next = 0;
        while (next < h->count && h->edges[next][0] != h->edges[edge][1])
            next++;
        if (next == h->count)
            return false;
        edge = next;
        steps++;
    } while (edge != 0 && steps < h->count);
    return edge == 0 && steps == h->count && steps >= 3;
}

static bool sees(const face *f, cn_d3 w, double tolerance) { return cn_d3_dot(f->normal, w) > f->height - tolerance; }

// Finds the outline of the faces that see `w`. Returns how many these are; 0 when they have no proper outline.
static int find_horizon(const polytope *p, cn_d3 w, double tolerance, horizon *h)
{
    int seen = 0;
    h->count = 0;
    for (int i = 0; i < p->face_count; i++) {
        const face *f = &p->faces[i];
        if (!sees(f, w, tolerance))
            continue;
        seen++;
        for (int j = 0; j < 3; j++)
            if (!toggle_edge(h, f->vertices[j], f->vertices[(j + 1) % 3]))
                return 0;
    }
    return seen > 0 && is_loop(h) ? seen : 0;
}

// Replaces the faces that see the vertex by a fan around it. Faces in the same plane go too, so that no slivers arise; where
// rounding makes some of them look away, a wider tolerance takes them all. False when there is no room or no outline.
static bool expand(polytope *p, const cn_minkowski_vertex *vertex)
{
    horizon h;
    double tolerance = PLANE_TOLERANCE * p->size;
    int seen = 0;
    for (int i = 0; i < PLANE_TRIES && seen == 0; i++, tolerance *= 30.0)
        seen = find_horizon(p, vertex->w, tolerance, &h);
    tolerance /= 30.0;
    if (seen == 0 || p->face_count - seen + h.count > MAX_FACES || p->vertex_count == MAX_VERTICES)
        return false;
    int kept = 0;
    for (int i = 0; i < p->face_count; i++)
        if (!sees(&p->faces[i], vertex->w, tolerance))
            p->faces[kept++] = p->faces[i];
    p->face_count = kept;
    p->vertices[p->vertex_count] = *vertex;
    for (int i = 0; i < h.count; i++)
        add_face(p, h.edges[i][0], h.edges[i][1], p->vertex_count);
    p->vertex_count++;
    p->size = cn_minkowski_size(vertex, p->size);
    return true;
}

static face nearest_face(const polytope *p)
{
    int nearest = 0;
    for (int i = 1; i < p->face_count; i++)
        if (p->faces[i].height < p->faces[nearest].height)
            nearest = i;
    return p->faces[nearest];
}

static bool is_vertex(const polytope *p, cn_d3 w)
{
    for (int i = 0; i < p->vertex_count; i++)
        if (p->vertices[i].w.x == w.x && p->vertices[i].w.y == w.y && p->vertices[i].w.z == w.z)
            return true;
    return false;
}

static double triangle_witness(const polytope *p, const face *f, cn_d3 *point_a, cn_d3 *point_b)
{
    cn_simplex s = { .count = 3 };
    for (int i = 0; i < 3; i++)
        s.vertices[i] = p->vertices[f->vertices[i]];
    cn_simplex_solve_triangle(&s);
    cn_simplex_witness(&s, point_a, point_b);
    cn_d3 apart = cn_d3_sub(*point_a, *point_b);
    return cn_d3_dot(apart, apart);
}

// Witness points come from the triangle nearest to the origin. A flat side of A - B may consist of many triangles, all at the
// depth found; only one of them has the foot of the perpendicular inside.
static cn_epa_result answer(const polytope *p, const face *best, double depth)
{
    const double same_direction = 0.999;
    double highest = depth + GAP_TOLERANCE * p->size;
    cn_d3 point_a, point_b, on_a, on_b;
    double nearest_sq = triangle_witness(p, best, &point_a, &point_b);
    for (int i = 0; i < p->face_count; i++) {
        const face *f = &p->faces[i];
        if (!(f->height <= highest) || cn_d3_dot(f->normal, best->normal) < same_direction)
            continue;
        double distance_sq = triangle_witness(p, f, &on_a, &on_b);
        if (distance_sq < nearest_sq) {
            nearest_sq = distance_sq;
            point_a = on_a;
            point_b = on_b;
        }
    }
    return (cn_epa_result){ true, (float)depth, cn_d3_float(best->normal), cn_d3_float(point_a), cn_d3_float(point_b) };
}

// For flat differences, such as that of two points or two segments: away from each other's centre.
static cn_epa_result guess(const cn_minkowski *m)
{
    double length = sqrt(cn_d3_dot(m->position, m->position));
    cn_d3 normal = length > 0.0 ? cn_d3_scale(1.0 / length, m->position) : cn_d3_make(0.0, 1.0, 0.0);
    cn_minkowski_vertex vertex = cn_minkowski_support(m, normal);
    return (cn_epa_result){ false, (float)cn_d3_dot(normal, vertex.w), cn_d3_float(normal), cn_d3_float(vertex.a),
                            cn_d3_float(vertex.b) };
}

cn_epa_result cn_epa_expand(const cn_minkowski *m, const cn_simplex *simplex)
{
    polytope p;
    p.m = m;
    p.size = 0.0;
    p.vertex_count = p.face_count = 0;
    if (!build_tetrahedron(&p, simplex))
        return guess(m);
    face best = { 0 };
    double depth = (double)INFINITY;
    for (;;) {
        face nearest = nearest_face(&p);
        cn_minkowski_vertex vertex = cn_minkowski_support(m, nearest.normal);
        double height = cn_d3_dot(nearest.normal, vertex.w);
        double tolerance = GAP_TOLERANCE * p.size + DEPTH_TOLERANCE * height;
        bool converged = height - nearest.height <= tolerance;
        if (converged || height < depth) {
            depth = height;
            best = nearest;
        }
        if (converged || is_vertex(&p, vertex.w) || !expand(&p, &vertex))
            break;
    }
    if (!(depth < (double)INFINITY))
        return guess(m);
    return answer(&p, &best, depth);
}

cn_epa_result cn_epa_penetration(const cn_convex *a, const cn_convex *b, cn_pose b_in_a)
{
    cn_minkowski m = cn_minkowski_make(a, b, b_in_a);
    cn_simplex simplex;
    cn_gjk_run(&m, (double)INFINITY, NULL, &simplex);
    return cn_epa_expand(&m, &simplex);
}
