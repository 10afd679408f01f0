// Random points, directions and rotations for the tests of shapes: one generator per test program, always with the same numbers.
#ifndef RANDOM_POINTS_H
#define RANDOM_POINTS_H

#include "math/vec.h"

static uint64_t state = 1;

static inline double uniform(void) // in [-1, 1)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static inline cn_vec3 random_point(void)
{
    float x = (float)uniform(), y = (float)uniform(), z = (float)uniform(); // one by one: the order of arguments is not defined
    return cn_v3(x, y, z);
}

static inline cn_vec3 random_direction(void)
{
    cn_vec3 p;
    do
        p = random_point();
    while (cn_length_sq(p) > 1.0f || cn_length_sq(p) < 0.01f);
    return cn_normalize(p);
}

static inline cn_quat random_rotation(void)
{
    cn_vec3 p = random_point();
    return cn_quat_normalize((cn_quat){ p.x, p.y, p.z, (float)uniform() + 1.1f });
}

#endif
