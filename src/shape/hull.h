// The stages of building a convex polyhedron: points on a lattice -> triangle hull -> polygons.
#ifndef CN_HULL_H
#define CN_HULL_H

#include "base/memory.h"

// A point rounded to a lattice of at most 2^26 steps along each axis, fine enough for float and coarse enough that all
// predicates are exact in 128-bit integers.
typedef struct cn_lattice_point {
    int64_t x, y, z;
    int source;
} cn_lattice_point;

// Counter-clockwise seen from outside; neighbour[i] lies across the edge from vertex[i] to vertex[i + 1].
typedef struct cn_hull_triangle {
    int vertex[3], neighbour[3];
} cn_hull_triangle;
typedef CN_ARRAY(cn_hull_triangle) cn_triangle_hull;

// Appends the triangles of the hull of `points`, leaving out points that lie less than `tolerance` outside of it. The hull of
// those that remain is exact. Returns how many dimensions the points span; only with 3 there is a hull.
int cn_quickhull(const cn_allocator *allocator, const cn_lattice_point *points, int count, double tolerance,
                 cn_triangle_hull *hull);

// A polyhedron while its faces are being merged. Dead edges have face -1, dead faces have edge -1.
typedef struct cn_work_edge {
    int next, prev, twin, origin, face;
} cn_work_edge;
typedef struct cn_work_face {
    int edge, count;
    double normal[3]; // sum of the area vectors of the merged triangles; the plane normal . p = offset supports the hull
    double offset;
} cn_work_face;
typedef struct cn_work_mesh {
    const cn_lattice_point *points;
    cn_work_edge *edges;
    cn_work_face *faces;
    int *degree; // faces around each point
    int edge_count, face_count;
    double tolerance;
} cn_work_mesh;

// Merges triangles into convex polygons that are flat to twice the tolerance. Memory comes from the arena.
void cn_merge_faces(cn_work_mesh *mesh, cn_arena *arena, const cn_triangle_hull *hull, const cn_lattice_point *points,
                    int count, double tolerance);
// Marks corners that stick out of their face by less than the tolerance, no two of them neighbours. Returns how many.
int cn_mark_blunt_corners(const cn_work_mesh *mesh, bool *marked);

#endif
