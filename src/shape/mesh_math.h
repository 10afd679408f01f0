// Vectors in double, for the normals of triangles: those of thin ones would get lost in float.
#ifndef CN_MESH_MATH_H
#define CN_MESH_MATH_H

#include "math/vec.h"

static inline cn_pos3 cn_minus(cn_vec3 a, cn_vec3 b)
{
    return cn_p3((double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z);
}
static inline cn_pos3 cn_times(double s, cn_pos3 a) { return cn_p3(s * a.x, s * a.y, s * a.z); }
static inline cn_pos3 cn_plus(cn_pos3 a, cn_pos3 b) { return cn_p3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline double cn_dot_of(cn_pos3 a, cn_pos3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline cn_pos3 cn_cross_of(cn_pos3 a, cn_pos3 b)
{
    return cn_p3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double cn_length_of(cn_pos3 a) { return sqrt(cn_dot_of(a, a)); }
static inline cn_pos3 cn_unit_of(cn_pos3 a) // zero stays zero
{
    double length = cn_length_of(a);
    return length > 0.0 ? cn_times(1.0 / length, a) : a;
}
static inline cn_pos3 cn_triangle_normal(const cn_vec3 c[3])
{
    return cn_unit_of(cn_cross_of(cn_minus(c[1], c[0]), cn_minus(c[2], c[0])));
}
// The tangent of half the angle between two vectors of any length.
static inline double cn_half_angle_tangent(cn_pos3 a, cn_pos3 b)
{
    double below = sqrt(cn_dot_of(a, a) * cn_dot_of(b, b)) + cn_dot_of(a, b), above = cn_length_of(cn_cross_of(a, b));
    return above < 1e9 * below ? above / below : 1e9;
}

#endif
