// Contact points between a shape of many parts and a convex one.
#ifndef CN_COLLIDE_PARTS_H
#define CN_COLLIDE_PARTS_H

#include "collide/collide.h"
#include "shape/composite.h"

enum { CN_MAX_MANIFOLDS = 16 };

typedef struct cn_part_manifold {
    cn_manifold manifold;
    int material; // of the parts it touches
} cn_part_manifold;

// Finds where `b` touches or comes closer than `margin` to the parts of `a`, as cn_collide does for two convex shapes. `b_in_a`
// is the frame of b in the frame of a; normals point from a to b. Points of parts whose surfaces agree are joined in one
// manifold, so that a box on a flat floor of a hundred triangles has one manifold of four points. Triangles push to their front
// only, and never out of the surface sideways: over a flat or concave edge the normal is that of the triangle, over a convex
// one it lies between the two triangles. Returns how many manifolds there are. Without any, the shapes are at least `*gap`
// apart, which is more than the margin.
int cn_collide_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, float margin, cn_part_manifold *manifolds,
                     float *gap);

#endif
