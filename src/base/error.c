#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[512];

const char *cn_last_error(void) { return last_error; }

cn_version cn_get_version(void) { return (cn_version){ CN_VERSION_MAJOR, CN_VERSION_MINOR, CN_VERSION_PATCH }; }

bool cn_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return false;
}

bool cn_fail_in(const char *function, const char *name)
{
    char reason[400];
    const char *said = cn_last_error(), *colon = strstr(said, ": ");
    snprintf(reason, sizeof reason, "%s", colon != NULL ? colon + 2 : said);
    return cn_fail("%s: %s: %s", function, name, reason);
}

bool cn_check_finite(const char *function, const char *field, float value)
{
    return isfinite(value) || cn_fail("%s: %s is %g, which is not a finite number", function, field, (double)value);
}

bool cn_check_not_negative(const char *function, const char *field, float value)
{
    return (isfinite(value) && value >= 0.0f) ||
           cn_fail("%s: %s is %g; it must be finite and not negative", function, field, (double)value);
}

bool cn_check_positive(const char *function, const char *field, float value)
{
    return (isfinite(value) && value > 0.0f) ||
           cn_fail("%s: %s is %g; it must be finite and greater than zero", function, field, (double)value);
}

bool cn_check_vec3(const char *function, const char *field, cn_vec3 value)
{
    return (isfinite(value.x) && isfinite(value.y) && isfinite(value.z)) ||
           cn_fail("%s: %s is (%g, %g, %g), which is not finite", function, field, (double)value.x, (double)value.y,
                   (double)value.z);
}

bool cn_check_pos3(const char *function, const char *field, cn_pos3 value)
{
    return (isfinite(value.x) && isfinite(value.y) && isfinite(value.z)) ||
           cn_fail("%s: %s is (%g, %g, %g), which is not finite", function, field, value.x, value.y, value.z);
}

bool cn_check_quat(const char *function, const char *field, cn_quat q)
{
    float length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return (isfinite(length) && length > 1e-6f) || cn_fail("%s: %s is (%g, %g, %g, %g), which is not a rotation", function,
                                                           field, (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

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

bool cn_check_within(const char *function, const char *field, cn_vec3 v, float limit, const char *unit)
{
    return cn_check_vec3(function, field, v) && ((fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit) ||
                                                 cn_fail("%s: %s is (%g, %g, %g), beyond the limit of %g %s", function, field,
                                                         (double)v.x, (double)v.y, (double)v.z, (double)limit, unit));
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

bool cn_check_allocator(const char *function, const char *field, const cn_allocator *allocator)
{
    if (allocator != NULL && allocator->allocate == NULL)
        return cn_fail("%s: %s->allocate is NULL", function, field);
    return allocator == NULL || allocator->release != NULL || cn_fail("%s: %s->release is NULL", function, field);
}
