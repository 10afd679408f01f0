// Rays, casts, overlaps and closest points against shapes of many parts, in their frame. Among parts that answer the same, the
// one with the lowest number counts.
#ifndef CN_CAST_PARTS_H
#define CN_CAST_PARTS_H

#include "collide/cast.h"
#include "shape/composite.h"

// As cn_cast_ray: triangles are met from their front, a ray that starts in a solid meets it at once.
bool cn_cast_ray_parts(const cn_composite *a, cn_vec3 origin, cn_vec3 translation, float limit, cn_cast_result *result,
                       int *part);
// As cn_cast_convex without a target. A triangle lets pass what moves away from its front or meets it from behind.
bool cn_cast_convex_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, cn_vec3 translation, float limit,
                          cn_cast_result *result, int *part);
bool cn_overlap_convex(const cn_convex *a, const cn_convex *b, cn_pose b_in_a);
bool cn_overlap_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a);
// As cn_convex_distance. False when no part is nearer than `limit`.
bool cn_distance_parts(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, float limit, cn_distance_result *result,
                       int *part);

#endif
