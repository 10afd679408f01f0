// Tapered capsules: the convex hull of two balls on the y axis, which is the union of all balls between them, with radii in
// proportion. The tangent from ball to ball is the side; where one ball contains the other there is none.
#ifndef CN_TAPER_H
#define CN_TAPER_H

#include "shape/convex.h"

typedef struct cn_taper {
    double y[2], radius[2]; // of the balls at the lower and upper end; both are the larger one where it contains the other
    double sine, cosine;    // the outward normal of the side: its part along y, and that across
} cn_taper;

// Also of a sphere and of a capsule, as far as they are ones with equal radii.
cn_taper cn_taper_of(const cn_convex *shape);

// The height on the axis of the ball whose surface is nearest to a point `across` from the axis and `along` it.
double cn_taper_nearest(const cn_taper *taper, double across, double along);
double cn_taper_radius(const cn_taper *taper, double y); // of the ball at a height between the ends

// As the functions of cn_convex without `taper`.
cn_vec3 cn_taper_support(const cn_convex *shape, cn_vec3 unit_direction);
void cn_taper_bounds(const cn_convex *shape, cn_pose pose, cn_vec3 *lower, cn_vec3 *upper);
float cn_taper_outer_radius(const cn_convex *shape, cn_vec3 point);
int cn_taper_face(const cn_convex *shape, cn_vec3 unit_direction, cn_vec3 vertices[2], uint16_t ids[2], cn_vec3 *normal);

#endif
