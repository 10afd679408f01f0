// Vectors of double, for differences that float would round away.
#ifndef CN_D3_H
#define CN_D3_H

#include "math/vec.h"

typedef struct cn_d3 {
    double x, y, z;
} cn_d3;

static inline cn_d3 cn_d3_make(double x, double y, double z) { return (cn_d3){ x, y, z }; }
static inline cn_d3 cn_d3_from(cn_vec3 v) { return cn_d3_make((double)v.x, (double)v.y, (double)v.z); }
static inline cn_vec3 cn_d3_float(cn_d3 v) { return cn_v3((float)v.x, (float)v.y, (float)v.z); }
static inline cn_d3 cn_d3_sub(cn_d3 a, cn_d3 b) { return cn_d3_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline cn_d3 cn_d3_scale(double s, cn_d3 a) { return cn_d3_make(s * a.x, s * a.y, s * a.z); }
static inline cn_d3 cn_d3_madd(cn_d3 a, double s, cn_d3 b) { return cn_d3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline double cn_d3_dot(cn_d3 a, cn_d3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline cn_d3 cn_d3_cross(cn_d3 a, cn_d3 b)
{
    return cn_d3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// Largest component by magnitude.
static inline double cn_d3_norm_max(cn_d3 a)
{
    double x = a.x < 0.0 ? -a.x : a.x, y = a.y < 0.0 ? -a.y : a.y, z = a.z < 0.0 ? -a.z : a.z;
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

#endif
