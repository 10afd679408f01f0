// The one random generator of all scenes: SplitMix64 (Steele, Lea, Flood 2014). Only + - * / and square roots follow it, so
// that every compiler and every machine builds the same scene, bit for bit.
#ifndef CAIRN_APP_RANDOM_H
#define CAIRN_APP_RANDOM_H

#include "cairn/base.h"

typedef struct cn_random {
    uint64_t state; // the seed, to begin with
} cn_random;

uint64_t cn_random_next(cn_random *random);
// Uniform in [lower, upper), in steps of 2^-24 of the range.
float cn_random_range(cn_random *random, float lower, float upper);
// Uniform in lower..upper, both included.
int cn_random_int(cn_random *random, int lower, int upper);
// Uniform in the logarithm, in [lower, upper).
float cn_random_log_range(cn_random *random, float lower, float upper);
// Each coordinate uniform in [-extent, extent).
cn_vec3 cn_random_vector(cn_random *random, float extent);
// Uniform on the unit sphere.
cn_vec3 cn_random_direction(cn_random *random);
// Uniform over all rotations.
cn_quat cn_random_rotation(cn_random *random);

#endif
