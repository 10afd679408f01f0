#include "shape/limits.h"

bool cn_check_size(const char *function, const char *field, float value)
{
    return cn_check_positive(function, field, value) &&
           ((value >= CN_MIN_SIZE && value <= CN_MAX_SIZE) ||
            cn_fail("%s: %s is %g m; sizes must be between %g and %g m", function, field, (double)value, (double)CN_MIN_SIZE,
                    (double)CN_MAX_SIZE));
}

bool cn_check_offset(const char *function, const char *field, cn_vec3 v)
{
    return cn_check_within(function, field, v, CN_MAX_SIZE, "m");
}
