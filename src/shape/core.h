// The core of a solid: what is left of it without a layer below its surface. Long and flat solids keep their length and width.
#ifndef CN_CORE_H
#define CN_CORE_H

#include "shape/convex.h"

enum { CN_CORE_VERTICES = 128 };

typedef struct cn_core {
    cn_convex convex;
    bool ball;              // it is a ball about the middle of the solid, else in the frame of the solid
    cn_polyhedron hull;     // of a hull; its bounds and planes are not those of the core
    cn_vec3 vertices[CN_CORE_VERTICES];
} cn_core;

// Makes the core that is `part` (0 to 1) of the inner radius below the surface. That of a hull with more vertices than there is room for is
// a ball.
void cn_make_core(const cn_convex *shape, float part, cn_core *core);

#endif
