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

// How far ahead a pair is looked at, m. A surface is met only by what comes closer to it: what slides along it needs to know no more
// of it than what rests there.
typedef struct cn_scope {
    float most;     // nothing beyond this matters
    float least;    // everything within this does
    float whip;     // in between, what is nearer than `least` and so many times the way that b comes closer to it
    cn_vec3 motion; // of b in the step, in the frame of a
} cn_scope;

static inline cn_scope cn_look_within(float margin) { return (cn_scope){ .most = margin, .least = margin }; }

// Finds where `b` touches or comes closer than the scope says to the parts of `a`, as cn_collide does for two convex shapes. `b_in_a`
// is the frame of b in the frame of a; normals point from a to b. Points of parts whose surfaces agree are joined in one
// manifold, so that a box on a flat floor of a hundred triangles has one manifold of four points. Triangles push to their front
// only, and never out of the surface sideways: over a flat or concave edge the normal is that of the triangle, over a convex
// one it lies between the two triangles. Returns how many manifolds there are. Without any, the shapes are at least `*gap`
// apart; else everything within `*gap` was looked at.
int cn_collide_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, cn_scope scope, cn_part_manifold *manifolds,
                     float *gap);

#endif
