#include "plot.h"
#include "plot_axis.h"
#include "whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// All lengths in SVG pixels.
enum { WIDTH = 960, LEFT = 90, RIGHT = 24, TOP = 66, PANEL = 170, CHART = 380, GAP = 46, BOTTOM = 52 };
enum { TIME_POINTS = 1600, LEAST_CHART = 500 };

// Where a panel is drawn, and how.
typedef struct canvas {
    FILE *file;
    double left, top, width, height;
    cn_axis x, y;
    int most_points; // of one curve
    bool dots;       // at the ends of curves that are not faint
} canvas;

typedef struct style {
    const char *color, *dashes;
    double opacity;
    bool least; // draws the least value so far
} style;

// Eight colours that most people can tell apart (Okabe and Ito), without their yellow, which is lost on white; then again with
// dashes.
static style curve_style(int index)
{
    static const char *const colors[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9" };
    static const char *const dashes[] = { "none", "9 4", "3 3" };
    return (style){ colors[index % 7], dashes[index % 3], 1.0, false };
}

// ---- places

static double place_x(const canvas *c, double value)
{
    return c->left + c->width * (value - c->x.lower) / (c->x.upper - c->x.lower);
}

static double place_y(const canvas *c, double value)
{
    return c->top + c->height * (c->y.upper - value) / (c->y.upper - c->y.lower);
}

// ---- marks

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

static void write_line(FILE *file, double x1, double y1, double x2, double y2, const char *color)
{
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, color);
}

static void write_label(FILE *file, const cn_axis *a, double value, double x, double y, const char *anchor)
{
    char label[32];
    if (a->logarithmic && fabs(value) > 3.5)
        snprintf(label, sizeof label, "1e%d", (int)lround(value));
    else if (a->logarithmic)
        snprintf(label, sizeof label, "%g", pow(10.0, value));
    else
        snprintf(label, sizeof label, "%g", fabs(value) < 1e-9 * a->step ? 0.0 : value);
    write_text(file, x, y, anchor, label);
}

static void write_y_ticks(const canvas *c)
{
    int ticks = (int)((c->y.upper - c->y.lower) / c->y.step + 1.0e-6);
    for (int i = 0; i <= ticks; ++i) {
        double value = c->y.lower + i * c->y.step, y = place_y(c, value);
        write_line(c->file, c->left, y, c->left + c->width, y, "#d8d8d8");
        write_label(c->file, &c->y, value, c->left - 8.0, y + 4.0, "end");
    }
}

static void write_upright(const canvas *c, double value, const char *color, bool label)
{
    double x = place_x(c, value);
    write_line(c->file, x, c->top, x, c->top + c->height, color);
    if (label)
        write_label(c->file, &c->x, value, x, c->top + c->height + 20.0, "middle");
}

// A line at every whole multiple below ten of every decade; labels at the decades, and at 2 and 5 where there are few decades.
static void write_decades(const canvas *c, bool labels)
{
    const double edge = 1e-9;
    bool few = c->x.upper - c->x.lower < 2.5;
    for (int decade = (int)floor(c->x.lower); decade <= (int)ceil(c->x.upper); ++decade) {
        for (int i = 1; i <= 9; ++i) {
            double value = decade + log10(i);
            bool labelled = i == 1 || (few && (i == 2 || i == 5));
            if (value > c->x.lower - edge && value < c->x.upper + edge)
                write_upright(c, value, i == 1 ? "#d8d8d8" : "#f0f0f0", labels && labelled);
        }
    }
}

static void write_x_ticks(const canvas *c, bool labels)
{
    if (c->x.logarithmic) {
        write_decades(c, labels);
        return;
    }
    for (int i = 0; i * c->x.step <= c->x.upper * (1.0 + 1.0e-9); ++i)
        write_upright(c, i * c->x.step, "#e8e8e8", labels);
}

static void write_border(const canvas *c, const char *title, const char *color)
{
    fprintf(c->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#404040\"/>\n", c->left,
            c->top, c->width, c->height);
    fprintf(c->file, "<g font-weight=\"bold\" fill=\"%s\">", color);
    write_text(c->file, c->left, c->top - 8.0, "start", title);
    fputs("</g>\n", c->file);
}

// ---- curves

// The points of a curve that share a column of the picture: drawn as their lowest and highest, so that no peak is lost.
typedef struct point {
    double x, y;
} point;

typedef struct bin {
    int number;
    point lower, upper;
} bin;

static void widen_bin(bin *b, point p)
{
    if (p.y < b->lower.y)
        b->lower = p;
    if (p.y > b->upper.y)
        b->upper = p;
}

static void write_bin(const canvas *c, const bin *b)
{
    bool falls = b->upper.x < b->lower.x;
    point first = falls ? b->upper : b->lower, second = falls ? b->lower : b->upper;
    if (b->number < 0)
        return;
    fprintf(c->file, "%.1f,%.1f ", first.x, place_y(c, first.y));
    if (second.y != first.y)
        fprintf(c->file, "%.1f,%.1f ", second.x, place_y(c, second.y));
}

// A dot shows where a curve ends, and a curve of a single point.
static void write_curve(const canvas *c, const cn_curve *curve, style s)
{
    bin b = { .number = -1 };
    point p = { 0.0, 0.0 };
    fprintf(c->file,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-linejoin=\"round\" stroke-dasharray=\"%s\" "
            "stroke-opacity=\"%g\" points=\"",
            s.color, s.dashes, s.opacity);
    for (int i = 0; i < curve->y->count; ++i) {
        double x, y;
        if (!cn_axis_scale(&c->x, curve->x->values[i], &x) || !cn_axis_scale(&c->y, curve->y->values[i], &y))
            continue;
        p = (point){ place_x(c, x), s.least && b.number >= 0 ? fmin(p.y, y) : y };
        int number = (int)((p.x - c->left) / c->width * (0.5 * c->most_points - 1.0));
        if (number != b.number) {
            write_bin(c, &b);
            b = (bin){ number, p, p };
        }
        widen_bin(&b, p);
    }
    write_bin(c, &b);
    fputs("\"/>\n", c->file);
    if (b.number >= 0 && c->dots && s.opacity == 1.0)
        fprintf(c->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", p.x, place_y(c, p.y), s.color);
}

static void write_legend(const canvas *c, const cn_curve *curves, int count)
{
    double x = c->left + c->width + 16.0, apart = fmin(20.0, c->height / fmax(count, 1));
    for (int i = 0; i < count; ++i) {
        double y = c->top + 10.0 + apart * i;
        style s = curve_style(i);
        fprintf(c->file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "
                "stroke-dasharray=\"%s\"/>\n",
                x, y, x + 28.0, y, s.color, s.dashes);
        write_text(c->file, x + 34.0, y + 4.0, "start", curves[i].name);
    }
}

// ---- files

static void write_head(FILE *file, const char *title, int width, int height)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#202020\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            width, height, width, height);
    fputs("<g font-size=\"16\" font-weight=\"bold\">", file);
    write_text(file, LEFT, 24.0, "start", title);
    fputs("</g>\n", file);
}

static void write_foot(const canvas *c, const char *x_title)
{
    write_text(c->file, c->left + 0.5 * c->width, c->top + c->height + 42.0, "middle", x_title);
    fputs("</svg>\n", c->file);
}

static canvas new_canvas(FILE *file, int width, double right, double height, bool logarithmic)
{
    return (canvas){ file, LEFT, TOP, width - LEFT - right, height, .x = cn_axis_empty(logarithmic, 0.0) };
}

static int stack_height(int count, int panel) { return TOP + count * (panel + GAP) - GAP + BOTTOM; }

static void write_time_panel(const canvas *c, const cn_plot_panel *panel, const cn_series *times, bool last)
{
    const cn_curve curve = { NULL, times, panel->series };
    write_x_ticks(c, last);
    write_y_ticks(c);
    write_curve(c, &curve, (style){ panel->color, "none", 1.0, false });
    write_border(c, panel->title, panel->color);
}

bool cn_plot_write(const char *path, const char *title, const cn_plot_panel *panels, int count, double dt, cn_message *error)
{
    cn_whole_file out;
    cn_series times = { 0 };
    bool good = true;
    for (int i = 0; i < panels[0].series->count && good; ++i)
        good = cn_series_add(&times, (i + 1) * dt);
    if (!good)
        cn_message_set(error, "%s: out of memory", path);
    if (!good || !cn_whole_file_open(&out, path, error)) {
        cn_series_free(&times);
        return false;
    }
    canvas c = new_canvas(out.file, WIDTH, RIGHT, PANEL, false);
    c.most_points = TIME_POINTS;
    cn_axis_widen(&c.x, &times);
    cn_axis_close(&c.x);
    write_head(out.file, title, WIDTH, stack_height(count, PANEL));
    for (int i = 0; i < count; ++i) {
        c.y = cn_axis_empty(panels[i].logarithmic, 0.0);
        cn_axis_widen(&c.y, panels[i].series);
        cn_axis_round(&c.y);
        c.top = TOP + i * (double)(PANEL + GAP);
        write_time_panel(&c, &panels[i], &times, i == count - 1);
    }
    write_foot(&c, "simulated time [s]");
    cn_series_free(&times);
    return cn_whole_file_keep(&out, error);
}

static void write_chart_panel(canvas *c, const cn_chart *chart, const cn_chart_panel *panel, bool last)
{
    c->y = cn_axis_empty(panel->logarithmic, panel->most);
    for (int i = 0; i < chart->curve_count; ++i)
        cn_axis_widen(&c->y, panel->curves[i].y);
    cn_axis_round(&c->y);
    write_x_ticks(c, last);
    write_y_ticks(c);
    for (int i = 0; i < chart->curve_count && chart->least; ++i) {
        style faint = curve_style(i);
        faint.opacity = 0.25;
        write_curve(c, &panel->curves[i], faint);
    }
    for (int i = 0; i < chart->curve_count; ++i) {
        style s = curve_style(i);
        s.least = chart->least;
        write_curve(c, &panel->curves[i], s);
    }
    write_border(c, panel->title, "#202020");
}

// Wide enough for its longest name, at 7 pixels or so per letter.
static double legend_width(const cn_curve *curves, int count)
{
    size_t longest = 12;
    for (int i = 0; i < count; ++i)
        longest = strlen(curves[i].name) > longest ? strlen(curves[i].name) : longest;
    return 66.0 + 7.3 * (double)longest;
}

// Nothing is cut: the picture grows. Its letters are bold, and 9 pixels or so wide.
static double title_width(const char *title) { return LEFT + 9.6 * (double)strlen(title) + RIGHT; }

bool cn_chart_write(const char *path, const cn_chart *chart, cn_message *error)
{
    cn_whole_file out;
    if (!cn_whole_file_open(&out, path, error))
        return false;
    double legend = legend_width(chart->panels[0].curves, chart->curve_count);
    int width = (int)fmax(fmax(WIDTH, LEFT + LEAST_CHART + legend), title_width(chart->title));
    canvas c = new_canvas(out.file, width, legend, CHART, chart->x_logarithmic);
    c.most_points = chart->most_points;
    c.dots = true;
    for (int p = 0; p < chart->panel_count; ++p)
        for (int i = 0; i < chart->curve_count; ++i)
            cn_axis_widen(&c.x, chart->panels[p].curves[i].x);
    if (chart->x_lower > 0.0)
        c.x.lower = fmin(c.x.lower, log10(chart->x_lower));
    cn_axis_close(&c.x);
    write_head(out.file, chart->title, width, stack_height(chart->panel_count, CHART));
    for (int p = 0; p < chart->panel_count; ++p) {
        c.top = TOP + p * (double)(CHART + GAP);
        write_chart_panel(&c, chart, &chart->panels[p], p == chart->panel_count - 1);
    }
    c.top = TOP;
    write_legend(&c, chart->panels[0].curves, chart->curve_count);
    c.top = TOP + (chart->panel_count - 1) * (double)(CHART + GAP);
    write_foot(&c, chart->x_title);
    return cn_whole_file_keep(&out, error);
}
