// Contacts at seams: a solid that slides over two others, whose surfaces continue each other, must not catch where they meet.
#ifndef CN_GHOST_H
#define CN_GHOST_H

#include "collide/collide.h"
#include "shape/composite.h"

// A solid, or a shape of many parts, and where it lies.
typedef struct cn_placed_solid {
    const cn_convex *shape;
    const cn_composite *composite; // NULL for a solid
    cn_pose pose;
} cn_placed_solid;

// The point of it nearest to another: that itself, when it is inside of a solid.
cn_vec3 cn_nearest_in(const cn_placed_solid *solid, cn_vec3 p);

typedef enum cn_seam {
    CN_NO_SEAM,     // the contact stays as it is
    CN_SEAM_TURNED, // its normal leant over q and has been turned to stand upright on both
    CN_SEAM_GHOST,  // q covers the surface of p there: this is no contact
} cn_seam;

// The points and their `normal` are a contact of p with some b, which also touches q along `q_normal`; both normals point to b,
// and all is in one frame. Looks whether p ends there where q goes on. Things within `tolerance` metres of each other count as
// touching; half a percent of the inner radius of b is a good one.
cn_seam cn_resolve_seam(cn_vec3 *normal, cn_manifold_point *points, int count, const cn_placed_solid *p,
                        const cn_placed_solid *q, cn_vec3 q_normal, float tolerance);

#endif
