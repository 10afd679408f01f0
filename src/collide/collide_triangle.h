// Contact of a convex solid with the triangles of a surface. A triangle pushes along its own normal; along another direction
// only from an edge or corner where the surface bends away from that direction.
#ifndef CN_COLLIDE_TRIANGLE_H
#define CN_COLLIDE_TRIANGLE_H

#include "collide/collide.h"
#include "shape/composite.h"

// A manifold before its points are reduced: several of them may become one.
enum { CN_PATCH_POINTS = 16 };
typedef struct cn_cluster {
    cn_vec3 normal;
    int count;
    float gap;
    cn_manifold_point points[CN_PATCH_POINTS];
} cn_cluster;

void cn_cluster_from_manifold(const cn_manifold *manifold, cn_cluster *patch);

enum { CN_NORMAL_BLOCKS = 12 };

// The solid, prepared once for all triangles near it, and these.
typedef struct cn_triangle_query {
    const cn_convex *b;
    cn_pose b_in_a;
    cn_mat3 rotation;
    cn_vec3 center;                   // of the inner ball of b, in the frame of a
    float inner_radius, outer_radius; // of the balls about it, in b and around b
    float margin;
    float tolerance;      // separations that differ by less count as equal
    bool bordered;        // some edge near b has a triangle on one side only
    const cn_part *parts; // everything near b, the triangle itself included; decides what an edge or corner may do
    int part_count;
    int block_count; // of `normals`; 0 when the surface has a border there, for more triangles than there is room for, or for
                     // round solids
    cn_f4 normals[CN_NORMAL_BLOCKS][3]; // of all triangles, four at a time; the last lanes repeat one of them
} cn_triangle_query;

// Separations from a triangle that differ by less count as equal.
float cn_triangle_tolerance(const cn_convex *b);

cn_triangle_query cn_triangle_query_make(const cn_convex *b, cn_pose b_in_a, float margin, const cn_part *parts,
                                         int part_count);

// How far the centre of b lies in front of the triangle's plane.
float cn_triangle_height(const cn_triangle_query *query, const cn_triangle *triangle);

// The contact in the frame of a, with the normal from the triangle to b. Without points, `gap` is a lower bound of the distance
// when it is more than the margin, and otherwise means nothing: another triangle owns the contact, or none.
void cn_collide_triangle(const cn_triangle_query *query, const cn_triangle *triangle, cn_cluster *out);

#endif
