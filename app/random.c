#include "random.h"

#include <math.h>

uint64_t cn_random_next(cn_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float cn_random_range(cn_random *random, float lower, float upper)
{
    float unit = (float)(cn_random_next(random) >> 40) * 0x1p-24f;
    return lower + unit * (upper - lower);
}

int cn_random_int(cn_random *random, int lower, int upper)
{
    return lower + (int)(cn_random_next(random) % (uint64_t)(upper - lower + 1));
}

// (upper / lower)^u for u in [0, 1), as a product of successive square roots: one for every bit of u that is set.
float cn_random_log_range(cn_random *random, float lower, float upper)
{
    uint64_t bits = cn_random_next(random);
    double root = (double)upper / (double)lower, value = (double)lower;
    for (int i = 0; i < 24; ++i) {
        root = sqrt(root);
        if (bits >> (63 - i) & 1)
            value *= root;
    }
    return (float)value;
}

cn_vec3 cn_random_vector(cn_random *random, float extent)
{
    cn_vec3 v; // one after the other: the order of an initialiser list is the compiler's choice
    v.x = cn_random_range(random, -extent, extent);
    v.y = cn_random_range(random, -extent, extent);
    v.z = cn_random_range(random, -extent, extent);
    return v;
}

cn_vec3 cn_random_direction(cn_random *random)
{
    for (;;) {
        cn_vec3 v = cn_random_vector(random, 1.0f);
        float square = v.x * v.x + v.y * v.y + v.z * v.z;
        if (square > 0.01f && square <= 1.0f) {
            float length = sqrtf(square);
            return (cn_vec3){ v.x / length, v.y / length, v.z / length };
        }
    }
}

cn_quat cn_random_rotation(cn_random *random)
{
    for (;;) {
        cn_vec3 v = cn_random_vector(random, 1.0f);
        float w = cn_random_range(random, -1.0f, 1.0f);
        float square = v.x * v.x + v.y * v.y + v.z * v.z + w * w;
        if (square > 0.01f && square <= 1.0f) {
            float length = sqrtf(square);
            return (cn_quat){ v.x / length, v.y / length, v.z / length, w / length };
        }
    }
}
