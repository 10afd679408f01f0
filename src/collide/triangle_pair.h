// What the kinds of solids share when they meet a triangle. Everything is in the frame of the solid.
#ifndef CN_TRIANGLE_PAIR_H
#define CN_TRIANGLE_PAIR_H

#include "collide/collide_triangle.h"

typedef struct cn_triangle_pair {
    const cn_triangle_query *query;
    const cn_triangle *triangle; // in the frame of a
    cn_vec3 vertices[3];
    cn_vec3 edges[3];   // unit vectors from vertex i to the next
    cn_vec3 outward[3]; // across edge i, in the plane
    cn_plane plane;
    float rounding;     // of places on the triangle
    float least_cosine; // cn_triangle_least_cosine, once boxes and hulls are known to reach the plane
    bool only_front;    // the surface bends away nowhere: no direction but the normal is possible
    bool finished;      // edges and what lies across them are known
} cn_triangle_pair;

// The vertices and the plane; enough to tell that they are apart.
void cn_triangle_pair_begin(const cn_triangle_query *query, const cn_triangle *triangle, cn_triangle_pair *pair);
void cn_triangle_pair_finish(cn_triangle_pair *pair); // unless it is

// Of the angle between the normal and a direction along which the surface can push: at least this.
float cn_triangle_least_cosine(const cn_triangle_pair *pair);

static inline int cn_next_corner(int i) { return i < 2 ? i + 1 : 0; }

// Does the point lie over the triangle, along its normal?
static inline bool cn_is_over(const cn_triangle_pair *pair, cn_vec3 p)
{
    return cn_dot(pair->outward[0], cn_sub(p, pair->vertices[0])) <= pair->rounding &&
           cn_dot(pair->outward[1], cn_sub(p, pair->vertices[1])) <= pair->rounding &&
           cn_dot(pair->outward[2], cn_sub(p, pair->vertices[2])) <= pair->rounding;
}

// May the surface push along `direction` (a unit vector) from the edge or corner of the triangle that is farthest along it?
bool cn_triangle_allows(const cn_triangle_pair *pair, cn_vec3 direction);

// The contact along the normal of the triangle: what of the side of b that faces it lies over the triangle. False without
// points.
bool cn_triangle_face_contact(const cn_triangle_pair *pair, cn_cluster *out);

// Adds to the contact of an edge, along a normal, what of b lies over a triangle that nearly faces that way: it is met as soon as b turns
// about the edge. b would fall onto it, be pushed out, and rock for ever. Nothing is deeper than the edge, and less so where the triangle
// is lower than that is.
void cn_triangle_add_front(const cn_triangle_pair *pair, int edge, cn_vec3 normal, float separation, cn_cluster *out);

// Fills the patch with clipped points; `toward` leads from them, in units of their separation, to the other surface.
void cn_cluster_fill(cn_cluster *patch, cn_vec3 normal, cn_clip_point *points, int count, cn_vec3 toward);

// The functions for each kind of solid. They get the pair begun, not finished, and `out` without points and with no gap; what
// they leave there is in the frame of b. They answer whether the contact is along the normal of the triangle.
typedef bool cn_triangle_function(cn_triangle_pair *pair, cn_cluster *out);
cn_triangle_function cn_triangle_sphere;
cn_triangle_function cn_triangle_capsule;
cn_triangle_function cn_triangle_cylinder; // and tapered capsules
cn_triangle_function cn_triangle_box;
cn_triangle_function cn_triangle_hull;

#endif
