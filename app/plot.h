// A plot of quantities over time as an SVG file: one panel per quantity, stacked, with a common time axis.
#ifndef CAIRN_APP_PLOT_H
#define CAIRN_APP_PLOT_H

#include "output.h"
#include "words.h"

typedef struct cn_plot_panel {
    const char *title; // with its unit
    const char *color;
    const cn_series *series; // one value per step
    bool logarithmic;        // decades; values that are not positive are left out
} cn_plot_panel;

// Value i of a series belongs to the time (i + 1) * dt. False with the reason in `error`.
bool cn_plot_write(const char *path, const char *title, const cn_plot_panel *panels, int count, double dt, cn_message *error);

#endif
