// The sizes and speeds within which the engine keeps its precision, and checks of input against them.
#ifndef CN_LIMITS_H
#define CN_LIMITS_H

#include "base/error.h"

#define CN_MIN_SIZE 1e-6f // m
#define CN_MAX_SIZE 1e6f  // m
#define CN_MAX_SPEED 1e8f // m/s and rad/s

bool cn_check_size(const char *function, const char *field, float value);
bool cn_check_offset(const char *function, const char *field, cn_vec3 value); // a position within a body

#endif
