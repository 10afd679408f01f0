#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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
