#include "world/check.h"

#include <math.h>
#include <stdio.h>

bool cn_check_range(const char *function, const char *field, float value, float low, float high)
{
    return (isfinite(value) && value >= low && value <= high) ||
           cn_fail("%s: %s is %g; it must be between %g and %g", function, field, (double)value, (double)low, (double)high);
}

bool cn_check_int_range(const char *function, const char *field, int value, int low, int high)
{
    return (value >= low && value <= high) ||
           cn_fail("%s: %s is %d; it must be between %d and %d", function, field, value, low, high);
}

bool cn_check_size(const char *function, const char *field, float value)
{
    return cn_check_positive(function, field, value) &&
           ((value >= CN_MIN_SIZE && value <= CN_MAX_SIZE) ||
            cn_fail("%s: %s is %g m; sizes must be between %g and %g m", function, field, (double)value, (double)CN_MIN_SIZE,
                    (double)CN_MAX_SIZE));
}

bool cn_check_position(const char *function, const char *field, cn_pos3 p)
{
    double limit = (double)CN_MAX_POSITION;
    return cn_check_pos3(function, field, p) &&
           ((fabs(p.x) <= limit && fabs(p.y) <= limit && fabs(p.z) <= limit) ||
            cn_fail("%s: %s is (%g, %g, %g), more than %g m from the origin", function, field, p.x, p.y, p.z, limit));
}

static bool check_within(const char *function, const char *field, cn_vec3 v, float limit, const char *unit)
{
    return cn_check_vec3(function, field, v) && ((fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit) ||
                                                 cn_fail("%s: %s is (%g, %g, %g), beyond the limit of %g %s", function, field,
                                                         (double)v.x, (double)v.y, (double)v.z, (double)limit, unit));
}

bool cn_check_velocity(const char *function, const char *field, cn_vec3 v)
{
    return check_within(function, field, v, CN_MAX_SPEED, "per second");
}

bool cn_check_acceleration(const char *function, const char *field, cn_vec3 v)
{
    return check_within(function, field, v, CN_MAX_ACCELERATION, "per second squared");
}

bool cn_check_gravity_scale(const char *function, const char *field, float scale)
{
    return cn_check_range(function, field, scale, -CN_MAX_ACCELERATION / CN_MAX_GRAVITY, CN_MAX_ACCELERATION / CN_MAX_GRAVITY);
}

bool cn_check_offset(const char *function, const char *field, cn_vec3 v)
{
    return check_within(function, field, v, CN_MAX_SIZE, "m");
}

bool cn_check_material(const char *function, const char *field, const cn_material *m)
{
    char names[6][64];
    static const char *const fields[6] = { "friction",           "kinetic_friction",    "restitution",
                                           "rolling_resistance", "spinning_resistance", "surface_velocity" };
    for (int i = 0; i < 6; i++)
        snprintf(names[i], sizeof names[i], "%s.%s", field, fields[i]);
    return cn_check_range(function, names[0], m->friction, 0.0f, CN_MAX_FRICTION) &&
           cn_check_range(function, names[1], m->kinetic_friction, -CN_MAX_FRICTION, CN_MAX_FRICTION) &&
           cn_check_range(function, names[2], m->restitution, 0.0f, 1.0f) &&
           cn_check_range(function, names[3], m->rolling_resistance, 0.0f, CN_MAX_SIZE) &&
           cn_check_range(function, names[4], m->spinning_resistance, 0.0f, CN_MAX_SIZE) &&
           cn_check_velocity(function, names[5], m->surface_velocity);
}

bool cn_check_buffer(const char *function, const char *field, const void *buffer, int capacity)
{
    if (capacity < 0)
        return cn_fail("%s: capacity is %d; it must not be negative", function, capacity);
    return capacity == 0 || buffer != NULL || cn_fail("%s: %s is NULL, but capacity is %d", function, field, capacity);
}

bool cn_check_pointer(const char *function, const char *field, const void *pointer)
{
    return pointer != NULL || cn_fail("%s: %s is NULL", function, field);
}
