// The axes of plots: their ranges, and where labels stand.
#ifndef CAIRN_APP_PLOT_AXIS_H
#define CAIRN_APP_PLOT_AXIS_H

#include "output.h"

typedef struct cn_axis {
    bool logarithmic;
    double lower, upper; // of the values; of their decimal logarithms on a logarithmic axis
    double step;         // between labels
    double most;         // larger values are drawn at this one
} cn_axis;

// `most` 0: there are no larger values.
cn_axis cn_axis_empty(bool logarithmic, double most);
void cn_axis_widen(cn_axis *axis, const cn_series *series);
// Where a value stands on it; false for one that a logarithmic axis has no place for.
bool cn_axis_scale(const cn_axis *axis, double value, double *result);
// Upright axes begin and end at a label, and have a zero so that heights compare. The horizontal axis ends where the curves do.
void cn_axis_round(cn_axis *axis);
void cn_axis_close(cn_axis *axis);

#endif
