#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// All lengths in SVG pixels.
enum { WIDTH = 960, LEFT = 90, RIGHT = 24, TOP = 66, PANEL = 170, GAP = 46, BOTTOM = 52, MOST_COLUMNS = 800 };

typedef struct axis {
    double lower, upper, step; // of the values; of their decimal logarithms on a logarithmic axis
} axis;

// A step of 1, 2 or 5 times a power of ten that cuts the range into at most `most` parts.
static double round_step(double range, int most)
{
    double raw = range / most, power = pow(10.0, floor(log10(raw)));
    double fraction = raw / power;
    return power * (fraction <= 1.0 ? 1.0 : fraction <= 2.0 ? 2.0 : fraction <= 5.0 ? 5.0 : 10.0);
}

static bool scaled(const cn_plot_panel *panel, double value, double *result)
{
    *result = panel->logarithmic ? log10(value) : value;
    return isfinite(*result);
}

static axis find_axis(const cn_plot_panel *panel)
{
    double lower = (double)INFINITY, upper = -lower, value;
    for (int i = 0; i < panel->series->count; ++i) {
        if (scaled(panel, panel->series->values[i], &value)) {
            lower = fmin(lower, value);
            upper = fmax(upper, value);
        }
    }
    if (lower > upper)
        lower = upper = 0.0;
    if (panel->logarithmic) {
        lower = floor(lower);
        upper = fmax(ceil(upper), lower + 1.0);
        return (axis){ lower, upper, fmax(1.0, round_step(upper - lower, 6)) };
    }
    lower = fmin(lower, 0.0); // so that heights compare
    if (upper <= lower)
        upper = lower + 1.0;
    double step = round_step(upper - lower, 5);
    return (axis){ step * floor(lower / step), step * ceil(upper / step), step };
}

static void write_escaped(FILE *file, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '&': fputs("&amp;", file); break;
        default: fputc(*text, file);
        }
    }
}

static void write_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    write_escaped(file, text);
    fputs("</text>\n", file);
}

static void write_value_ticks(FILE *file, const cn_plot_panel *panel, axis values, double top)
{
    int ticks = (int)((values.upper - values.lower) / values.step + 1.0e-6);
    for (int i = 0; i <= ticks; ++i) {
        double value = values.lower + i * values.step;
        double y = top + PANEL * (values.upper - value) / (values.upper - values.lower);
        char label[32];
        if (panel->logarithmic)
            snprintf(label, sizeof label, fabs(value) <= 4.0 ? "%g" : "%.0e", pow(10.0, value));
        else
            snprintf(label, sizeof label, "%g", fabs(value) < 1e-9 * values.step ? 0.0 : value);
        fprintf(file, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#d8d8d8\"/>\n", LEFT, y, WIDTH - RIGHT, y);
        write_text(file, LEFT - 8, y + 4.0, "end", label);
    }
}

static void write_time_ticks(FILE *file, double end, double top, bool labels)
{
    double step = round_step(end, 10);
    for (int i = 0; i * step <= end * (1.0 + 1.0e-9); ++i) {
        double x = LEFT + (WIDTH - LEFT - RIGHT) * (i * step / end);
        fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e8e8e8\"/>\n", x, top, x, top + PANEL);
        if (labels) {
            char label[32];
            snprintf(label, sizeof label, "%g", i * step);
            write_text(file, x, top + PANEL + 20.0, "middle", label);
        }
    }
}

// A long series is drawn as the smallest and largest value of each column, so that no peak is lost.
static void write_curve(FILE *file, const cn_plot_panel *panel, axis values, double top)
{
    int count = panel->series->count, columns = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-linejoin=\"round\" points=\"",
            panel->color);
    for (int c = 0; c < columns; ++c) {
        int first = (int)((long)count * c / columns), last = (int)((long)count * (c + 1) / columns);
        double lower = (double)INFINITY, upper = -lower, value;
        for (int i = first; i < last; ++i) {
            if (scaled(panel, panel->series->values[i], &value)) {
                lower = fmin(lower, value);
                upper = fmax(upper, value);
            }
        }
        if (lower > upper)
            continue;
        double x = LEFT + (WIDTH - LEFT - RIGHT) * ((double)last / count);
        double scale = PANEL / (values.upper - values.lower);
        fprintf(file, "%.1f,%.1f ", x, top + (values.upper - lower) * scale);
        if (upper > lower)
            fprintf(file, "%.1f,%.1f ", x, top + (values.upper - upper) * scale);
    }
    fputs("\"/>\n", file);
}

static void write_panel(FILE *file, const cn_plot_panel *panel, double top, double end, bool last)
{
    axis values = find_axis(panel);
    write_time_ticks(file, end, top, last);
    write_value_ticks(file, panel, values, top);
    write_curve(file, panel, values, top);
    fprintf(file, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#404040\"/>\n", LEFT, top,
            WIDTH - LEFT - RIGHT, PANEL);
    fprintf(file, "<g font-weight=\"bold\" fill=\"%s\">", panel->color);
    write_text(file, LEFT, top - 8.0, "start", panel->title);
    fputs("</g>\n", file);
    if (last)
        write_text(file, LEFT + 0.5 * (WIDTH - LEFT - RIGHT), top + PANEL + 42.0, "middle", "simulated time [s]");
}

bool cn_plot_write(const char *path, const char *title, const cn_plot_panel *panels, int count, double dt, cn_message *error)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return cn_message_set(error, "%s: %s", path, strerror(errno));
    int height = TOP + count * (PANEL + GAP) - GAP + BOTTOM;
    double end = fmax(panels[0].series->count, 1) * dt;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#202020\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            WIDTH, height, WIDTH, height);
    fputs("<g font-size=\"16\" font-weight=\"bold\">", file);
    write_text(file, LEFT, 24.0, "start", title);
    fputs("</g>\n", file);
    for (int i = 0; i < count; ++i)
        write_panel(file, &panels[i], TOP + i * (double)(PANEL + GAP), end, i == count - 1);
    fputs("</svg>\n", file);
    bool written = !ferror(file);
    if (fclose(file) != 0 || !written)
        return cn_message_set(error, "%s: %s", path, strerror(errno));
    return true;
}
