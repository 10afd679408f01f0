// Plots as SVG files: panels, stacked, with a common horizontal axis.
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

// One quantity per panel over simulated time. Value i of a series belongs to the time (i + 1) * dt. False with the reason in
// `error`.
bool cn_plot_write(const char *path, const char *title, const cn_plot_panel *panels, int count, double dt, cn_message *error);

// Curves that are compared: each keeps its colour and dashes in all panels, and a legend names it.
typedef struct cn_curve {
    const char *name;
    const cn_series *x, *y; // of the same length
} cn_curve;

typedef struct cn_chart_panel {
    const char *title; // with its unit
    bool logarithmic;
    double most; // larger values are drawn at this one; 0: there are none
    const cn_curve *curves;
} cn_chart_panel;

typedef struct cn_chart {
    const char *title, *x_title;
    bool x_logarithmic;
    double x_lower; // where a logarithmic axis begins at the latest; 0: where the curves do
    const cn_chart_panel *panels;
    int panel_count, curve_count; // the same number of curves in every panel
    int most_points;              // of one curve: long ones are thinned, their peaks stay
    bool least;                   // draws the least value so far, and the curve itself faintly behind it
} cn_chart;

bool cn_chart_write(const char *path, const cn_chart *chart, cn_message *error);

#endif
