// Quickhull (Barber, Dobkin, Huhdanpaa 1996) on a lattice. Whether a point is above a face is decided exactly, so the
// topology can never go wrong; the tolerance only decides which points are worth adding. A face that contains the new point
// in its plane does not count as visible: it stays, and new triangles are added to it in its plane.
#include "math/vec.h"
#include "shape/hull.h"

__extension__ typedef __int128 wide_int;

enum { NONE = -1, FLAT_FACTOR = 4 }; // a cloud thinner than FLAT_FACTOR times the tolerance is flat

typedef struct quick_face {
    int vertex[3], neighbour[3];
    int64_t normal[3];
    double inverse_length; // of the normal
    int outside;           // first point of the list of points above this face; each point is in one list
    int farthest;          // of that list
    double distance;       // of the farthest point
    int visit;             // stamp of the last search that came by
    bool alive;
} quick_face;

typedef struct horizon_edge {
    int from, to, beyond;
} horizon_edge;

typedef struct builder {
    const cn_allocator *allocator;
    const cn_lattice_point *points;
    double tolerance;
    CN_ARRAY(quick_face) faces;
    CN_ARRAY(int) unused;  // dead faces
    CN_ARRAY(int) pending; // faces that may have a point to add
    CN_ARRAY(int) visible;
    CN_ARRAY(int) created;
    CN_ARRAY(int) orphans;
    CN_ARRAY(horizon_edge) horizon;
    int *next; // link of the outside lists, per point
    int *fan;  // the new face whose edge starts at this point
    int stamp;
} builder;

// Signed distance of a point from the plane of a face, in lattice steps. The sign, zero included, is exact.
static double height(const builder *b, const quick_face *face, int point)
{
    const cn_lattice_point *p = &b->points[point], *o = &b->points[face->vertex[0]];
    int64_t x = p->x - o->x, y = p->y - o->y, z = p->z - o->z;
    double h = (double)face->normal[0] * (double)x + (double)face->normal[1] * (double)y + (double)face->normal[2] * (double)z;
    const double doubt = 8589934592.0; // 2^33: the terms are below 2^80, their rounding errors below 2^31
    if (h < doubt && h > -doubt)
        h = (double)(int64_t)((wide_int)face->normal[0] * x + (wide_int)face->normal[1] * y + (wide_int)face->normal[2] * z);
    return h * face->inverse_length;
}

static int new_face(builder *b, int v0, int v1, int v2)
{
    int index = b->faces.count;
    if (b->unused.count > 0)
        index = b->unused.data[--b->unused.count];
    else
        cn_array_push(b->allocator, &b->faces, (quick_face){ 0 });
    const cn_lattice_point *o = &b->points[v0], *p = &b->points[v1], *q = &b->points[v2];
    int64_t ax = p->x - o->x, ay = p->y - o->y, az = p->z - o->z, bx = q->x - o->x, by = q->y - o->y, bz = q->z - o->z;
    int64_t n[3] = { ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx };
    double x = (double)n[0], y = (double)n[1], z = (double)n[2];
    b->faces.data[index] = (quick_face){ .vertex = { v0, v1, v2 },
                                         .normal = { n[0], n[1], n[2] },
                                         .inverse_length = 1.0 / sqrt(x * x + y * y + z * z),
                                         .outside = NONE,
                                         .farthest = NONE,
                                         .alive = true };
    return index;
}

static void attach(builder *b, int face_index, int point, double distance)
{
    quick_face *face = &b->faces.data[face_index];
    b->next[point] = face->outside;
    face->outside = point;
    // Among equals the lowest index wins, so that the order of the lists does not matter.
    if (face->farthest == NONE || distance > face->distance || (distance == face->distance && point < face->farthest)) {
        face->farthest = point;
        face->distance = distance;
    }
}

// Puts a point into the list of the new face it is highest above. A point that is above none of them is inside the hull.
static void attach_to_best(builder *b, const int *faces, int count, int point)
{
    int best = NONE;
    double best_distance = 0.0;
    for (int i = 0; i < count; i++) {
        double distance = height(b, &b->faces.data[faces[i]], point);
        if (distance > best_distance) {
            best_distance = distance;
            best = faces[i];
        }
    }
    if (best != NONE)
        attach(b, best, point, best_distance);
}

static void push_pending(builder *b, const int *faces, int count)
{
    for (int i = 0; i < count; i++)
        if (b->faces.data[faces[i]].distance > b->tolerance)
            cn_array_push(b->allocator, &b->pending, faces[i]);
}

// All faces that the point is above. They are connected, and the point is known to be above `start`.
static void find_visible(builder *b, int start, int point)
{
    int stamp = ++b->stamp;
    b->visible.count = 0;
    b->faces.data[start].visit = stamp;
    cn_array_push(b->allocator, &b->visible, start);
    for (int i = 0; i < b->visible.count; i++) {
        for (int k = 0; k < 3; k++) {
            int index = b->faces.data[b->visible.data[i]].neighbour[k];
            quick_face *face = &b->faces.data[index];
            if (face->visit != stamp && height(b, face, point) > 0.0) {
                face->visit = stamp;
                cn_array_push(b->allocator, &b->visible, index);
            }
        }
    }
}

static void remove_visible(builder *b, int apex)
{
    b->horizon.count = b->orphans.count = 0;
    for (int i = 0; i < b->visible.count; i++) {
        quick_face *face = &b->faces.data[b->visible.data[i]];
        for (int k = 0; k < 3; k++)
            if (b->faces.data[face->neighbour[k]].visit != b->stamp)
                cn_array_push(b->allocator, &b->horizon,
                              (horizon_edge){ face->vertex[k], face->vertex[(k + 1) % 3], face->neighbour[k] });
        for (int p = face->outside; p != NONE; p = b->next[p])
            if (p != apex)
                cn_array_push(b->allocator, &b->orphans, p);
    }
    for (int i = 0; i < b->visible.count; i++) {
        b->faces.data[b->visible.data[i]].alive = false;
        cn_array_push(b->allocator, &b->unused, b->visible.data[i]);
    }
}

// Replaces the faces that see the farthest point of `start` by a fan from that point to their outline.
static void add_farthest(builder *b, int start)
{
    int apex = b->faces.data[start].farthest;
    find_visible(b, start, apex);
    remove_visible(b, apex);
    b->created.count = 0;
    for (int i = 0; i < b->horizon.count; i++) {
        horizon_edge edge = b->horizon.data[i];
        int index = new_face(b, edge.from, edge.to, apex);
        b->faces.data[index].neighbour[0] = edge.beyond;
        quick_face *beyond = &b->faces.data[edge.beyond];
        for (int k = 0; k < 3; k++)
            if (beyond->vertex[k] == edge.to)
                beyond->neighbour[k] = index;
        b->fan[edge.from] = index;
        cn_array_push(b->allocator, &b->created, index);
    }
    for (int i = 0; i < b->created.count; i++) {
        int index = b->created.data[i], following = b->fan[b->faces.data[index].vertex[1]];
        b->faces.data[index].neighbour[1] = following;
        b->faces.data[following].neighbour[2] = index;
    }
    for (int i = 0; i < b->orphans.count; i++)
        attach_to_best(b, b->created.data, b->created.count, b->orphans.data[i]);
    push_pending(b, b->created.data, b->created.count);
}

// A point is listed at one face only. Before it may be left out, all faces it can see must agree that it is close enough.
static void recheck_outside_points(builder *b)
{
    for (int f = 0; f < b->faces.count; f++) {
        if (!b->faces.data[f].alive)
            continue;
        int point = b->faces.data[f].outside;
        b->faces.data[f].outside = b->faces.data[f].farthest = NONE;
        b->faces.data[f].distance = 0.0;
        while (point != NONE) {
            int following = b->next[point];
            find_visible(b, f, point);
            attach_to_best(b, b->visible.data, b->visible.count, point);
            point = following;
        }
    }
    for (int f = 0; f < b->faces.count; f++)
        if (b->faces.data[f].alive)
            push_pending(b, &f, 1);
}

static double distance_from_line(const cn_lattice_point *a, const cn_lattice_point *b, const cn_lattice_point *p)
{
    double x = (double)(b->x - a->x), y = (double)(b->y - a->y), z = (double)(b->z - a->z);
    double u = (double)(p->x - a->x), v = (double)(p->y - a->y), w = (double)(p->z - a->z);
    double cx = y * w - z * v, cy = z * u - x * w, cz = x * v - y * u;
    return sqrt((cx * cx + cy * cy + cz * cz) / (x * x + y * y + z * z));
}

static double distance_between(const cn_lattice_point *a, const cn_lattice_point *b)
{
    double x = (double)(b->x - a->x), y = (double)(b->y - a->y), z = (double)(b->z - a->z);
    return sqrt(x * x + y * y + z * z);
}

// Picks four points that are far apart and makes them the first four faces. Returns how many dimensions the points span.
static int start_with_tetrahedron(builder *b, int count, int first[4])
{
    const cn_lattice_point *p = b->points;
    double flat = FLAT_FACTOR * b->tolerance, farthest[4] = { 0.0, 0.0, 0.0, 0.0 };
    int v[4] = { 0, 0, 0, 0 };
    for (int dimension = 1; dimension <= 3; dimension++) {
        if (dimension == 3)
            first[0] = new_face(b, v[0], v[1], v[2]);
        for (int i = 0; i < count; i++) {
            double distance = dimension == 1   ? distance_between(&p[v[0]], &p[i])
                              : dimension == 2 ? distance_from_line(&p[v[0]], &p[v[1]], &p[i])
                                               : fabs(height(b, &b->faces.data[first[0]], i));
            if (distance > farthest[dimension]) {
                farthest[dimension] = distance;
                v[dimension] = i;
            }
        }
        if (!(farthest[dimension] > flat))
            return dimension - 1;
    }
    if (height(b, &b->faces.data[first[0]], v[3]) > 0.0) {
        int swap = v[1];
        v[1] = v[2];
        v[2] = swap;
        cn_array_push(b->allocator, &b->unused, first[0]);
        first[0] = new_face(b, v[0], v[1], v[2]);
    }
    static const int neighbours[4][3] = { { 1, 2, 3 }, { 3, 2, 0 }, { 1, 3, 0 }, { 2, 1, 0 } };
    first[1] = new_face(b, v[0], v[3], v[1]);
    first[2] = new_face(b, v[1], v[3], v[2]);
    first[3] = new_face(b, v[2], v[3], v[0]);
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++)
            b->faces.data[first[f]].neighbour[k] = first[neighbours[f][k]];
    return 3;
}

static void grow_hull(builder *b, int count, const int first[4])
{
    for (int i = 0; i < count; i++)
        attach_to_best(b, first, 4, i);
    push_pending(b, first, 4);
    while (b->pending.count > 0) {
        while (b->pending.count > 0) {
            int f = b->pending.data[--b->pending.count];
            if (b->faces.data[f].alive && b->faces.data[f].distance > b->tolerance)
                add_farthest(b, f);
        }
        recheck_outside_points(b);
    }
}

static void copy_triangles(builder *b, cn_triangle_hull *hull)
{
    cn_array_reserve(b->allocator, hull, b->faces.count);
    int alive = 0;
    for (int f = 0; f < b->faces.count; f++)
        if (b->faces.data[f].alive)
            b->faces.data[f].visit = alive++;
    for (int f = 0; f < b->faces.count; f++) {
        const quick_face *face = &b->faces.data[f];
        if (!face->alive)
            continue;
        cn_hull_triangle *triangle = &hull->data[hull->count++];
        for (int k = 0; k < 3; k++) {
            triangle->vertex[k] = face->vertex[k];
            triangle->neighbour[k] = b->faces.data[face->neighbour[k]].visit;
        }
    }
}

int cn_quickhull(const cn_allocator *allocator, const cn_lattice_point *points, int count, double tolerance,
                 cn_triangle_hull *hull)
{
    size_t size = (size_t)count * sizeof(int);
    builder b = { .allocator = allocator, .points = points, .tolerance = tolerance };
    b.next = cn_allocate(allocator, size, 64);
    b.fan = cn_allocate(allocator, size, 64);
    int first[4];
    int dimensions = start_with_tetrahedron(&b, count, first);
    if (dimensions == 3) {
        grow_hull(&b, count, first);
        copy_triangles(&b, hull);
    }
    cn_release(allocator, b.next, size);
    cn_release(allocator, b.fan, size);
    cn_array_free(allocator, &b.faces);
    cn_array_free(allocator, &b.unused);
    cn_array_free(allocator, &b.pending);
    cn_array_free(allocator, &b.visible);
    cn_array_free(allocator, &b.created);
    cn_array_free(allocator, &b.orphans);
    cn_array_free(allocator, &b.horizon);
    return dimensions;
}
