#include "plot_axis.h"

#include <math.h>

// A step of 1, 2 or 5 times a power of ten that cuts the range into at most `most` parts.
static double round_step(double range, int most)
{
    double raw = range / most, power = pow(10.0, floor(log10(raw)));
    double fraction = raw / power;
    return power * (fraction <= 1.0 ? 1.0 : fraction <= 2.0 ? 2.0 : fraction <= 5.0 ? 5.0 : 10.0);
}

bool cn_axis_scale(const cn_axis *a, double value, double *result)
{
    value = value > a->most ? a->most : value;
    *result = a->logarithmic ? log10(value) : value;
    return isfinite(*result);
}

cn_axis cn_axis_empty(bool logarithmic, double most)
{
    return (cn_axis){ logarithmic, (double)INFINITY, -(double)INFINITY, 1.0, most > 0.0 ? most : (double)INFINITY };
}

void cn_axis_widen(cn_axis *a, const cn_series *series)
{
    double value;
    for (int i = 0; i < series->count; ++i) {
        if (cn_axis_scale(a, series->values[i], &value)) {
            a->lower = fmin(a->lower, value);
            a->upper = fmax(a->upper, value);
        }
    }
}

void cn_axis_round(cn_axis *a)
{
    if (a->lower > a->upper)
        a->lower = a->upper = 0.0;
    if (a->logarithmic) {
        a->upper = fmax(ceil(a->upper), floor(a->lower) + 1.0);
        a->step = fmax(1.0, round_step(a->upper - floor(a->lower), 8));
    } else {
        a->lower = fmin(a->lower, 0.0);
        if (a->upper <= a->lower)
            a->upper = a->lower + 1.0;
        a->step = round_step(a->upper - a->lower, 5);
    }
    a->lower = a->step * floor(a->lower / a->step);
    a->upper = a->step * ceil(a->upper / a->step);
}

void cn_axis_close(cn_axis *a)
{
    if (!a->logarithmic)
        a->lower = 0.0;
    if (!(a->upper > a->lower)) {
        a->lower = isfinite(a->lower) ? a->lower : 0.0;
        a->upper = a->lower + 1.0;
    }
    a->step = a->logarithmic ? 1.0 : round_step(a->upper - a->lower, 10);
}
