// Merges nearly coplanar triangles of a hull into polygons. A merge happens only if the result is a valid convex face, so
// the mesh is a valid polyhedron at every moment.
//
// The plane of a merged face is the area-weighted sum of the planes of its triangles. Each of those supports the hull, so
// their sum does too: no point of the hull is ever above it, and how far the corners lie below it tells how flat the face is.
#include "math/vec.h"
#include "shape/convex.h"
#include "shape/hull.h"

typedef struct dvec {
    double x, y, z;
} dvec;

static dvec between(const cn_lattice_point *from, const cn_lattice_point *to)
{
    return (dvec){ (double)(to->x - from->x), (double)(to->y - from->y), (double)(to->z - from->z) };
}

static dvec dcross(dvec a, dvec b) { return (dvec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }

static double ddot(dvec a, dvec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// How far a corner sticks out beyond the line between its neighbours, seen along the unit normal. Negative when it is concave.
static double corner_height(const cn_lattice_point *before, const cn_lattice_point *corner, const cn_lattice_point *after,
                            dvec normal)
{
    dvec chord = between(before, after);
    return ddot(dcross(between(before, corner), between(corner, after)), normal) / sqrt(ddot(chord, chord));
}

static double distance_from_segment(const cn_lattice_point *from, const cn_lattice_point *to, const cn_lattice_point *point)
{
    dvec along = between(from, to), p = between(from, point);
    double t = fmax(0.0, fmin(1.0, ddot(along, p) / ddot(along, along)));
    dvec off = { p.x - t * along.x, p.y - t * along.y, p.z - t * along.z };
    return sqrt(ddot(off, off));
}

static dvec unit_normal(const double sum[3], double *length)
{
    *length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    return (dvec){ sum[0] / *length, sum[1] / *length, sum[2] / *length };
}

static void load_triangles(cn_work_mesh *mesh, const cn_triangle_hull *hull)
{
    for (int f = 0; f < hull->count; f++) {
        const cn_hull_triangle *t = &hull->data[f];
        const cn_lattice_point *a = &mesh->points[t->vertex[0]];
        dvec n = dcross(between(a, &mesh->points[t->vertex[1]]), between(a, &mesh->points[t->vertex[2]]));
        double offset = ddot(n, (dvec){ (double)a->x, (double)a->y, (double)a->z });
        mesh->faces[f] = (cn_work_face){ .edge = 3 * f, .count = 3, .normal = { n.x, n.y, n.z }, .offset = offset };
        for (int k = 0; k < 3; k++) {
            const cn_hull_triangle *other = &hull->data[t->neighbour[k]];
            int side = other->neighbour[0] == f ? 0 : other->neighbour[1] == f ? 1 : 2;
            mesh->edges[3 * f + k] = (cn_work_edge){ .next = 3 * f + (k + 1) % 3,
                                                     .prev = 3 * f + (k + 2) % 3,
                                                     .twin = 3 * t->neighbour[k] + side,
                                                     .origin = t->vertex[k],
                                                     .face = f };
            mesh->degree[t->vertex[k]]++;
        }
    }
}

// A merged polygon as it would be: the corners in order, and which of the two ends of the lost edge go with it.
typedef struct candidate {
    int corners[2 * CN_MAX_FACE_VERTICES], count;
    dvec normal;
    double offset;
} candidate;

// An end of the lost edge where only three faces met is a corner no more: just the merged face and one other meet there.
static bool neighbours_survive(const cn_work_mesh *mesh, int edge, bool drop_start, bool drop_end)
{
    const cn_work_edge *e = &mesh->edges[edge];
    int at_start = mesh->edges[mesh->edges[e->prev].twin].face, at_end = mesh->edges[mesh->edges[e->next].twin].face;
    int loss_start = drop_start ? 1 : 0, loss_end = drop_end ? 1 : 0;
    if (at_start == at_end)
        loss_start = loss_end = loss_start + loss_end;
    return (loss_start == 0 || mesh->faces[at_start].count - loss_start >= 3) &&
           (loss_end == 0 || mesh->faces[at_end].count - loss_end >= 3);
}

static bool shares_one_edge(const cn_work_mesh *mesh, int edge, int other_face)
{
    for (int e = mesh->edges[edge].next; e != edge; e = mesh->edges[e].next)
        if (mesh->edges[mesh->edges[e].twin].face == other_face)
            return false;
    return true;
}

static bool is_flat(const cn_work_mesh *mesh, const candidate *c, int edge)
{
    const double flatness = 2.0 * mesh->tolerance;
    for (int e = mesh->edges[edge].next; e != edge; e = mesh->edges[e].next) {
        const cn_lattice_point *p = &mesh->points[mesh->edges[e].origin];
        double below = c->offset - ddot(c->normal, (dvec){ (double)p->x, (double)p->y, (double)p->z });
        if (below > flatness || below < -flatness)
            return false;
    }
    return true;
}

// Up to the tolerance: a corner that is a little concave is blunt, and will be left out in the end.
static bool is_convex(const cn_work_mesh *mesh, const candidate *c)
{
    for (int i = 0; i < c->count; i++) {
        const cn_lattice_point *before = &mesh->points[c->corners[(i + c->count - 1) % c->count]];
        const cn_lattice_point *after = &mesh->points[c->corners[(i + 1) % c->count]], *corner = &mesh->points[c->corners[i]];
        if (corner_height(before, corner, after, c->normal) < 0.0 &&
            distance_from_segment(before, after, corner) > 2.0 * mesh->tolerance)
            return false;
    }
    return true;
}

static bool can_merge(const cn_work_mesh *mesh, int edge)
{
    int twin = mesh->edges[edge].twin;
    const cn_work_face *a = &mesh->faces[mesh->edges[edge].face], *b = &mesh->faces[mesh->edges[twin].face];
    double sum[3] = { a->normal[0] + b->normal[0], a->normal[1] + b->normal[1], a->normal[2] + b->normal[2] }, length;
    candidate c = { .normal = unit_normal(sum, &length) };
    c.offset = (a->offset + b->offset) / length;
    if (!is_flat(mesh, &c, edge) || !is_flat(mesh, &c, twin) || !shares_one_edge(mesh, edge, mesh->edges[twin].face))
        return false;

    bool drop_start = mesh->degree[mesh->edges[edge].origin] == 3, drop_end = mesh->degree[mesh->edges[twin].origin] == 3;
    if (!neighbours_survive(mesh, edge, drop_start, drop_end))
        return false;
    for (int e = mesh->edges[edge].next; e != edge; e = mesh->edges[e].next)
        if (!(drop_end && e == mesh->edges[edge].next))
            c.corners[c.count++] = mesh->edges[e].origin;
    for (int e = mesh->edges[twin].next; e != twin; e = mesh->edges[e].next)
        if (!(drop_start && e == mesh->edges[twin].next))
            c.corners[c.count++] = mesh->edges[e].origin;
    return c.count >= 3 && c.count <= CN_MAX_FACE_VERTICES && is_convex(mesh, &c);
}

static void link_edges(cn_work_mesh *mesh, int first, int second)
{
    mesh->edges[first].next = second;
    mesh->edges[second].prev = first;
}

// Joins the edges before and after a corner where only two faces meet.
static void drop_corner(cn_work_mesh *mesh, int incoming)
{
    cn_work_edge *edges = mesh->edges;
    int outgoing = edges[incoming].next, back_in = edges[outgoing].twin, back_out = edges[incoming].twin;
    link_edges(mesh, incoming, edges[outgoing].next);
    link_edges(mesh, back_in, edges[back_out].next);
    edges[incoming].twin = back_in;
    edges[back_in].twin = incoming;
    mesh->degree[edges[outgoing].origin] = 0;
    mesh->faces[edges[incoming].face].edge = incoming;
    mesh->faces[edges[incoming].face].count--;
    mesh->faces[edges[back_in].face].edge = back_in;
    mesh->faces[edges[back_in].face].count--;
    edges[outgoing].face = edges[back_out].face = -1;
}

static void merge(cn_work_mesh *mesh, int edge)
{
    cn_work_edge *edges = mesh->edges;
    int twin = edges[edge].twin, kept = edges[edge].face, lost = edges[twin].face;
    int before_start = edges[edge].prev, before_end = edges[twin].prev;
    for (int e = edges[twin].next; e != twin; e = edges[e].next)
        edges[e].face = kept;
    link_edges(mesh, before_start, edges[twin].next);
    link_edges(mesh, before_end, edges[edge].next);
    edges[edge].face = edges[twin].face = -1;

    cn_work_face *a = &mesh->faces[kept], *b = &mesh->faces[lost];
    a->edge = before_start;
    a->count += b->count - 2;
    for (int i = 0; i < 3; i++)
        a->normal[i] += b->normal[i];
    a->offset += b->offset;
    b->edge = -1;
    if (--mesh->degree[edges[edge].origin] == 2)
        drop_corner(mesh, before_start);
    if (--mesh->degree[edges[twin].origin] == 2)
        drop_corner(mesh, before_end);
}

void cn_merge_faces(cn_work_mesh *mesh, cn_arena *arena, const cn_triangle_hull *hull, const cn_lattice_point *points,
                    int count, double tolerance)
{
    *mesh = (cn_work_mesh){ .points = points,
                            .edges = cn_arena_array(arena, cn_work_edge, 3 * hull->count),
                            .faces = cn_arena_array(arena, cn_work_face, hull->count),
                            .degree = cn_arena_array(arena, int, count),
                            .edge_count = 3 * hull->count,
                            .face_count = hull->count,
                            .tolerance = tolerance };
    for (int i = 0; i < count; i++)
        mesh->degree[i] = 0;
    load_triangles(mesh, hull);
    for (bool merged = true; merged;) {
        merged = false;
        for (int e = 0; e < mesh->edge_count; e++) {
            if (mesh->edges[e].face >= 0 && mesh->edges[e].twin > e && can_merge(mesh, e)) {
                merge(mesh, e);
                merged = true;
            }
        }
    }
}

// Close to the line between its neighbours, or concave. A sharp tip is neither, however thin it is.
static bool is_blunt(const cn_work_mesh *mesh, const cn_work_face *face, int before, int corner, int after)
{
    const cn_lattice_point *a = &mesh->points[before], *p = &mesh->points[corner], *b = &mesh->points[after];
    double length, distance = distance_from_segment(a, b, p);
    return distance < mesh->tolerance || (distance < 3.0 * mesh->tolerance &&
                                          corner_height(a, p, b, unit_normal(face->normal, &length)) < 0.25 * mesh->tolerance);
}

int cn_mark_blunt_corners(const cn_work_mesh *mesh, bool *marked)
{
    int count = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        const cn_work_edge *edge = &mesh->edges[e];
        if (edge->face < 0)
            continue;
        int before = mesh->edges[edge->prev].origin, after = mesh->edges[edge->next].origin, corner = edge->origin;
        if (marked[before] || marked[corner] || marked[after])
            continue;
        if (is_blunt(mesh, &mesh->faces[edge->face], before, corner, after)) {
            marked[corner] = true;
            count++;
        }
    }
    return count;
}
