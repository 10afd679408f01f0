// Checks of input against the limits within which the engine keeps its precision. Each fails with a sentence that names the
// function and the field.
#ifndef CN_CHECK_H
#define CN_CHECK_H

#include "cairn/shape.h"
#include "shape/limits.h"

#define CN_MAX_POSITION 1e12f     // m from the origin
#define CN_MAX_ACCELERATION 1e10f // m/s^2 and rad/s^2
#define CN_MAX_GRAVITY 1e6f       // m/s^2
#define CN_MAX_FRICTION 1e6f
#define CN_MAX_GRAIN_FRICTION 10.0f

bool cn_check_position(const char *function, const char *field, cn_pos3 value);
bool cn_check_velocity(const char *function, const char *field, cn_vec3 value);
bool cn_check_acceleration(const char *function, const char *field, cn_vec3 value);
bool cn_check_gravity_scale(const char *function, const char *field,
                            float scale); // so that it never exceeds the largest acceleration
bool cn_check_material(const char *function, const char *field, const cn_material *material);

#endif
