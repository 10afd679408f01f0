// Builds a convex polyhedron from a cloud of points, in three stages:
//   1. points are rounded to a lattice of about 2^26 steps across the cloud and sorted;
//   2. quickhull finds the hull exactly on the lattice (hull_quick.c), its triangles are merged to polygons (hull_merge.c);
//      while some corner is too blunt to matter, it is left out and this stage repeated;
//   3. the polygons are written into one block of memory, with the coordinates the user gave.
//
// All lengths are measured against the tolerance, 3e-7 of the cloud's size plus the rounding error of float at its distance
// from the origin. Input points lie outside of the planes of the result by at most 5 times the tolerance, vertices of a
// face at most twice the tolerance off its plane; vertices are more than one tolerance apart.
#include "shape/hull.h"
#include "base/error.h"
#include "shape/convex.h"
#include "shape/moments.h"

#include <stdlib.h>
#include <string.h>

static const double size_tolerance = 3e-7;       // relative to the largest extent of the cloud
static const double coordinate_tolerance = 1e-7; // relative to the largest coordinate
enum { MAX_HALF_EDGES = UINT16_MAX };

// Stage 1: from floats to the lattice

typedef struct cloud {
    const cn_vec3 *source;
    cn_lattice_point *points;
    int count;
    double tolerance; // in lattice steps
} cloud;

static bool check_points(const cn_vec3 *points, int count)
{
    if (points == NULL)
        return cn_fail("cn_hull_create: points is NULL");
    if (count < 4)
        return cn_fail("cn_hull_create: count is %d; a solid needs at least 4 points", count);
    for (int i = 0; i < count; i++)
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z))
            return cn_fail("cn_hull_create: points[%d] is (%g, %g, %g), which is not finite", i, (double)points[i].x,
                           (double)points[i].y, (double)points[i].z);
    return true;
}

static int compare_points(const void *a, const void *b)
{
    const cn_lattice_point *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    if (p->z != q->z)
        return p->z < q->z ? -1 : 1;
    return (p->source > q->source) - (p->source < q->source);
}

static void snap_to_lattice(cloud *c, int count)
{
    cn_vec3 lower = c->source[0], upper = lower;
    for (int i = 1; i < count; i++) {
        lower = cn_min3(lower, c->source[i]);
        upper = cn_max3(upper, c->source[i]);
    }
    double size =
        fmax((double)upper.x - (double)lower.x, fmax((double)upper.y - (double)lower.y, (double)upper.z - (double)lower.z));
    cn_vec3 reach = cn_max3(cn_abs3(lower), cn_abs3(upper));
    double farthest = (double)cn_maxf(reach.x, cn_maxf(reach.y, reach.z));
    double steps = 1.0; // per metre; a power of two, so that rounding is all that happens to the coordinates
    if (size > 0.0) {
        while (size * steps < 33554432.0) // 2^25
            steps *= 2.0;
        while (size * steps >= 67108864.0) // 2^26
            steps *= 0.5;
    }
    c->tolerance = (size_tolerance * size + coordinate_tolerance * farthest) * steps;
    for (int i = 0; i < count; i++) {
        cn_vec3 p = c->source[i];
        c->points[i] = (cn_lattice_point){ (int64_t)(((double)p.x - (double)lower.x) * steps + 0.5),
                                           (int64_t)(((double)p.y - (double)lower.y) * steps + 0.5),
                                           (int64_t)(((double)p.z - (double)lower.z) * steps + 0.5), i };
    }
}

// Sorting makes duplicates neighbours, and the result independent of the order of the input.
static void sort_and_remove_duplicates(cloud *c, int count)
{
    cn_lattice_point *p = c->points;
    qsort(p, (size_t)count, sizeof *p, compare_points);
    c->count = 1;
    for (int i = 1; i < count; i++) {
        const cn_lattice_point *last = &p[c->count - 1];
        if (p[i].x != last->x || p[i].y != last->y || p[i].z != last->z)
            p[c->count++] = p[i];
    }
}

// Stage 2: the polygons

static bool fail_flat(int dimensions)
{
    static const char *const what[3] = { "are all the same point", "all lie on one line", "all lie in one plane" };
    return cn_fail("cn_hull_create: the points %s, to within rounding; a solid needs volume", what[dimensions]);
}

// Leaves only the points that are still corners and not marked.
static void keep_corners(cloud *c, const cn_work_mesh *mesh, const bool *marked)
{
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (mesh->degree[i] > 0 && !marked[i])
            c->points[kept++] = c->points[i];
    c->count = kept;
}

static bool find_polygons(const cn_allocator *allocator, cn_arena *arena, cloud *c, cn_work_mesh *mesh)
{
    cn_triangle_hull triangles = { 0 };
    int dimensions, blunt = 1;
    while (blunt > 0) {
        triangles.count = 0;
        cn_arena_reset(arena);
        dimensions = cn_quickhull(allocator, c->points, c->count, c->tolerance, &triangles);
        if (dimensions < 3)
            break;
        cn_merge_faces(mesh, arena, &triangles, c->points, c->count, c->tolerance);
        bool *marked = cn_arena_array(arena, bool, c->count);
        memset(marked, 0, (size_t)c->count);
        blunt = cn_mark_blunt_corners(mesh, marked);
        if (blunt > 0)
            keep_corners(c, mesh, marked);
    }
    cn_array_free(allocator, &triangles);
    return dimensions == 3 || fail_flat(dimensions);
}

// Stage 3: the polyhedron

typedef struct numbering {
    int *vertices, *edges, *faces; // new index of each lattice point, work edge and work face; -1 for none
    int vertex_count, edge_count, face_count;
} numbering;

static void number_parts(numbering *n, cn_arena *arena, const cn_work_mesh *mesh, int point_count)
{
    *n = (numbering){ .vertices = cn_arena_array(arena, int, point_count),
                      .edges = cn_arena_array(arena, int, mesh->edge_count),
                      .faces = cn_arena_array(arena, int, mesh->face_count) };
    for (int i = 0; i < point_count; i++)
        n->vertices[i] = mesh->degree[i] > 0 ? n->vertex_count++ : -1;
    for (int f = 0; f < mesh->face_count; f++)
        n->faces[f] = mesh->faces[f].edge >= 0 ? n->face_count++ : -1;
    for (int e = 0; e < mesh->edge_count; e++) {
        if (mesh->edges[e].face >= 0 && e < mesh->edges[e].twin) {
            n->edges[e] = n->edge_count++;
            n->edges[mesh->edges[e].twin] = n->edge_count++;
        }
    }
}

// The arrays of a polyhedron while they are still being written.
typedef struct parts {
    cn_vec3 *vertices;
    cn_plane *planes;
    cn_half_edge *edges;
    uint16_t *face_edges, *vertex_edges;
} parts;

static cn_polyhedron *allocate_polyhedron(const cn_allocator *allocator, const numbering *n, parts *p)
{
    size_t vertices = sizeof(cn_vec3) * (size_t)n->vertex_count, planes = sizeof(cn_plane) * (size_t)n->face_count;
    size_t edges = sizeof(cn_half_edge) * (size_t)n->edge_count, face_edges = sizeof(uint16_t) * (size_t)n->face_count;
    size_t vertex_edges = sizeof(uint16_t) * (size_t)n->vertex_count;
    size_t size = sizeof(cn_polyhedron) + planes + vertices + edges + face_edges + vertex_edges;
    cn_polyhedron *polyhedron = cn_allocate(allocator, size, 64);
    // from the strictest alignment to the least
    char *memory = (char *)(polyhedron + 1);
    p->planes = (cn_plane *)memory;
    p->vertices = (cn_vec3 *)(memory + planes);
    p->edges = (cn_half_edge *)(memory + planes + vertices);
    p->face_edges = (uint16_t *)(memory + planes + vertices + edges);
    p->vertex_edges = (uint16_t *)(memory + planes + vertices + edges + face_edges);
    *polyhedron = (cn_polyhedron){ .vertex_count = n->vertex_count,
                                   .edge_count = n->edge_count,
                                   .face_count = n->face_count,
                                   .vertices = p->vertices,
                                   .edges = p->edges,
                                   .face_edges = p->face_edges,
                                   .vertex_edges = p->vertex_edges,
                                   .planes = p->planes,
                                   .size = size };
    return polyhedron;
}

static void write_topology(const parts *p, const numbering *n, const cn_work_mesh *mesh, const cloud *c)
{
    for (int i = 0; i < c->count; i++)
        if (n->vertices[i] >= 0)
            p->vertices[n->vertices[i]] = c->source[c->points[i].source];
    for (int e = 0; e < mesh->edge_count; e++) {
        const cn_work_edge *edge = &mesh->edges[e];
        if (edge->face < 0)
            continue;
        int index = n->edges[e], vertex = n->vertices[edge->origin];
        p->edges[index] = (cn_half_edge){ .next = (uint16_t)n->edges[edge->next],
                                          .twin = (uint16_t)n->edges[edge->twin],
                                          .origin = (uint16_t)vertex,
                                          .face = (uint16_t)n->faces[edge->face] };
        p->vertex_edges[vertex] = (uint16_t)index;
    }
    for (int f = 0; f < mesh->face_count; f++)
        if (n->faces[f] >= 0)
            p->face_edges[n->faces[f]] = (uint16_t)n->edges[mesh->faces[f].edge];
}

static double height_along(cn_vec3 n, cn_vec3 p)
{
    return (double)n.x * (double)p.x + (double)n.y * (double)p.y + (double)n.z * (double)p.z;
}

// The normal comes from the lattice, where it is exact; the offset is midway between the lowest and highest vertex.
static void write_planes(const parts *p, const numbering *n, const cn_work_mesh *mesh)
{
    for (int f = 0; f < mesh->face_count; f++) {
        if (n->faces[f] < 0)
            continue;
        const double *sum = mesh->faces[f].normal;
        double s = 1.0 / sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        cn_vec3 normal = { (float)(s * sum[0]), (float)(s * sum[1]), (float)(s * sum[2]) };
        int first = p->face_edges[n->faces[f]], e = first;
        double low = height_along(normal, p->vertices[p->edges[e].origin]), high = low;
        while ((e = p->edges[e].next) != first) {
            double h = height_along(normal, p->vertices[p->edges[e].origin]);
            low = fmin(low, h);
            high = fmax(high, h);
        }
        p->planes[n->faces[f]] = (cn_plane){ normal, (float)(0.5 * (low + high)) };
    }
}

static bool measure(cn_polyhedron *p)
{
    cn_vec3 origin = p->vertices[0];
    cn_moments moments = { .origin = { (double)origin.x, (double)origin.y, (double)origin.z } };
    for (int f = 0; f < p->face_count; f++) {
        int first = p->face_edges[f], e = p->edges[first].next;
        for (int next = p->edges[e].next; next != first; e = next, next = p->edges[e].next)
            cn_moments_add_triangle(&moments, p->vertices[p->edges[first].origin], p->vertices[p->edges[e].origin],
                                    p->vertices[p->edges[next].origin]);
    }
    if (!cn_moments_to_mass(&moments, 1.0, "cn_hull_create", &p->unit_mass))
        return false;
    p->center = p->unit_mass.center;
    p->lower = p->upper = origin;
    for (int i = 1; i < p->vertex_count; i++) {
        p->lower = cn_min3(p->lower, p->vertices[i]);
        p->upper = cn_max3(p->upper, p->vertices[i]);
    }
    double nearest = (double)INFINITY;
    for (int f = 0; f < p->face_count; f++) {
        cn_vec3 corner = p->vertices[p->edges[p->face_edges[f]].origin];
        nearest = fmin(nearest, height_along(p->planes[f].normal, cn_sub(corner, p->center)));
    }
    p->inner_radius = (float)fmax(nearest, 0.0);
    return true;
}

static cn_polyhedron *assemble(const cn_allocator *allocator, cn_arena *arena, const cn_work_mesh *mesh, const cloud *c)
{
    numbering n;
    number_parts(&n, arena, mesh, c->count);
    if (n.edge_count > MAX_HALF_EDGES) {
        cn_fail("cn_hull_create: the hull has %d half edges (%d vertices, %d faces); the limit is %d", n.edge_count,
                n.vertex_count, n.face_count, (int)MAX_HALF_EDGES);
        return NULL;
    }
    parts p;
    cn_polyhedron *polyhedron = allocate_polyhedron(allocator, &n, &p);
    write_topology(&p, &n, mesh, c);
    write_planes(&p, &n, mesh);
    if (measure(polyhedron))
        return polyhedron;
    cn_polyhedron_free(allocator, polyhedron);
    return NULL;
}

cn_polyhedron *cn_polyhedron_build(const cn_allocator *allocator, const cn_vec3 *points, int count)
{
    if (!check_points(points, count))
        return NULL;
    size_t size = (size_t)count * sizeof(cn_lattice_point);
    cloud c = { .source = points, .points = cn_allocate(allocator, size, 64) };
    snap_to_lattice(&c, count);
    sort_and_remove_duplicates(&c, count);
    cn_arena arena;
    cn_arena_init(&arena, allocator);
    cn_work_mesh mesh;
    cn_polyhedron *polyhedron = NULL;
    if (find_polygons(allocator, &arena, &c, &mesh))
        polyhedron = assemble(allocator, &arena, &mesh, &c);
    cn_arena_free(&arena);
    cn_release(allocator, c.points, size);
    return polyhedron;
}

void cn_polyhedron_free(const cn_allocator *allocator, cn_polyhedron *polyhedron)
{
    if (polyhedron != NULL)
        cn_release(allocator, polyhedron, polyhedron->size);
}

int cn_polyhedron_face(const cn_polyhedron *polyhedron, int face, int *vertices, int capacity)
{
    int count = 0, first = polyhedron->face_edges[face], edge = first;
    do {
        if (count < capacity)
            vertices[count] = polyhedron->edges[edge].origin;
        count++;
        edge = polyhedron->edges[edge].next;
    } while (edge != first);
    return count;
}
