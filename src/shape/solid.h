// Solids from what a user gives, checked.
#ifndef CN_SOLID_H
#define CN_SOLID_H

#include "shape/convex.h"

// A sphere, capsule, box, cylinder or tapered capsule. False, with a sentence that names the function and a member of `field`, when a size is
// bad or the type is another one.
bool cn_make_solid(const char *function, const char *field, const cn_geometry *geometry, cn_convex *solid);

// Whether the points of a hull are within the limits of the engine; cn_polyhedron_build judges the rest.
bool cn_check_points(const char *function, const char *field, const cn_vec3 *points, int count);

#endif
