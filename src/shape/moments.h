// Volume integrals of a solid bounded by triangles, in double.
#ifndef CN_MOMENTS_H
#define CN_MOMENTS_H

#include "cairn/mass.h"
#include "math/vec.h"

// Sums over the tetrahedra between an origin near the solid and its triangles.
typedef struct cn_moments {
    cn_pos3 origin;
    double volume6;      // 6 V
    double first24[3];   // 24 times the integral of x, y, z
    double second120[3]; // 120 times the integral of xx, yy, zz
    double mixed120[3];  // 120 times the integral of xy, xz, yz
} cn_moments;

// The triangle is wound counter-clockwise seen from outside.
void cn_moments_add_triangle(cn_moments *moments, cn_vec3 a, cn_vec3 b, cn_vec3 c);
double cn_moments_volume(const cn_moments *moments);
// Fails when the result leaves the range of float, naming the function. The volume must be positive.
bool cn_moments_to_mass(const cn_moments *moments, double density, const char *function, cn_mass *mass);

#endif
