// Axis-aligned boxes in float.
#ifndef CN_BOX3_H
#define CN_BOX3_H

#include "math/vec.h"

typedef struct cn_box3 {
    cn_vec3 lower, upper;
} cn_box3;
static inline bool cn_box3_overlaps(const cn_box3 *a, const cn_box3 *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y && b->lower.y <= a->upper.y &&
           a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}
static inline bool cn_box3_contains(const cn_box3 *outer, const cn_box3 *inner)
{
    return outer->lower.x <= inner->lower.x && outer->lower.y <= inner->lower.y && outer->lower.z <= inner->lower.z &&
           inner->upper.x <= outer->upper.x && inner->upper.y <= outer->upper.y && inner->upper.z <= outer->upper.z;
}
static inline cn_box3 cn_box3_union(const cn_box3 *a, const cn_box3 *b)
{
    return (cn_box3){ cn_min3(a->lower, b->lower), cn_max3(a->upper, b->upper) };
}
// Half the surface.
static inline float cn_box3_area(const cn_box3 *box)
{
    cn_vec3 size = cn_sub(box->upper, box->lower);
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

#endif
