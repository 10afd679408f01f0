// Which triangles of a surface can be near a convex solid: four at a time, before anything dear is done with them.
#ifndef CN_TRIANGLE_CULL_H
#define CN_TRIANGLE_CULL_H

#include "collide/collide_parts.h"

// Of `count` triangles of `a`, by their numbers, leaves those that no axis shows to be farther than `*margin` from the box
// around `b` in its own frame, in the same order, and returns how many are left. The margin is what the scope needs towards
// these triangles. Bit i of `*aside` is set where b is too far beside triangle i of these, i < 64, to touch it, which others
// may need to know of all the same.
int cn_cull_triangles(const cn_composite *a, const cn_convex *b, cn_pose b_in_a, const cn_scope *scope, int32_t *numbers,
                      int count, float *margin, uint64_t *aside);

#endif
