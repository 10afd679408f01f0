// cairn lab rigidity: what a few sweeps reach against many. Bodies look soft where the velocities of a step are wrong, so the
// error of the velocities stands beside the residual.
#include "lab_commands.h"
#include "lab_common.h"
#include "plot.h"
#include "whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "lab rigidity"

enum { CURVE_POINTS = 400 };
static const double exact = 1e-12; // residual of the solution that others are measured against

// One solver: what it reached after each number of sweeps.
typedef struct curve {
    int solver;
    cn_series iterations, residual, error, ms;
    cn_message refused;
} curve;

typedef struct rigidity {
    cn_lab_case c;
    cn_lab_choice choice;
    const char *solver_text, *iteration_text, *svg_path, *csv_path;
    int step;
    bool json;
    int counts[CN_LAB_LIST], count_count;
    curve curves[CN_LAB_LIST];
    int curve_count;
    double *solution, *r, *difference, *u;
    double q_norm;
    cn_lab_report reference;
} rigidity;

// ---- Measuring

static double norm(const double *v, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static bool solve_exactly(rigidity *g, cn_message *error)
{
    const cn_problem *p = g->c.problem;
    g->solution = cn_lab_impulses(p);
    g->r = cn_lab_impulses(p);
    g->difference = cn_lab_impulses(p);
    g->u = cn_lab_impulses(p);
    if (!g->solution || !g->r || !g->difference || !g->u)
        return cn_message_set(error, "out of memory");
    cn_lab_options options = cn_lab_options_default();
    options.law = (cn_law)g->choice.law;
    options.tolerance = exact;
    options.max_iterations = 200;
    g->reference = cn_lab_solve(g->c.problem, "newton", &options, g->solution);
    if (g->reference.stop == CN_STOP_REFUSED)
        return cn_lab_fail(error, g->c.name);
    g->q_norm = norm(p->q, p->row_count);
    return true;
}

// |u - u*| / |q|, where u - u* = (W + S) (r - r*).
static double velocity_error(rigidity *g)
{
    const cn_problem *p = g->c.problem;
    for (int i = 0; i < p->row_count; ++i)
        g->difference[i] = g->r[i] - g->solution[i];
    cn_problem_multiply(p, g->difference, g->u);
    return norm(g->u, p->row_count) / (g->q_norm > 0.0 ? g->q_norm : 1.0);
}

static bool measure(rigidity *g, curve *c, cn_message *error)
{
    cn_lab_options options = cn_lab_chosen(&g->choice);
    options.tolerance = 0.0;
    for (int i = 0; i < g->count_count; ++i) {
        options.max_iterations = g->counts[i];
        memset(g->r, 0, (size_t)g->c.problem->row_count * sizeof *g->r);
        cn_lab_report report = cn_lab_try(&g->c, c->solver, &options, g->r, &c->refused);
        if (report.stop == CN_STOP_REFUSED)
            return true;
        if (!cn_series_add(&c->iterations, g->counts[i]) || !cn_series_add(&c->residual, report.residual.value) ||
            !cn_series_add(&c->error, velocity_error(g)) || !cn_series_add(&c->ms, report.ms))
            return cn_message_set(error, "out of memory");
    }
    return true;
}

// ---- Output

static void print_json(const rigidity *g, const curve *c)
{
    for (int i = 0; i < c->iterations.count; ++i) {
        json_t *object = json_pack("{s:s, s:s, s:i}", g->c.step > 0 ? "scene" : "file", g->c.name, "solver",
                                   cn_lab_solver_name(c->solver), "iterations", g->counts[i]);
        cn_json_number(object, "residual", c->residual.values[i]);
        cn_json_number(object, "velocity_error", c->error.values[i]);
        cn_json_number(object, "ms", c->ms.values[i]);
        cn_json_number(object, "reference_residual", g->reference.residual.value);
        cn_json_print(object);
    }
    if (c->iterations.count == 0)
        cn_json_print(json_pack("{s:s, s:s}", "solver", cn_lab_solver_name(c->solver), "reason", c->refused.text));
}

static void print_heading(const rigidity *g)
{
    char text[256];
    cn_lab_describe(&g->c, text, sizeof text);
    printf("%s\nmeasured against newton, whose residual is %.1e\n\n%-17s %-9s", text, g->reference.residual.value, "iterations",
           "");
    for (int i = 0; i < g->count_count; ++i)
        printf(" %9d", g->counts[i]);
    putchar('\n');
}

static void print_values(const char *solver, const char *what, const cn_series *values)
{
    printf("%-17s %-9s", solver, what);
    for (int i = 0; i < values->count; ++i)
        printf(" %9.2e", values->values[i]);
    putchar('\n');
}

static void print_curve(const rigidity *g, const curve *c)
{
    if (g->json) {
        print_json(g, c);
    } else if (c->iterations.count == 0) {
        printf("%-17s %-9s %s\n", cn_lab_solver_name(c->solver), "refused", c->refused.text);
    } else {
        print_values(cn_lab_solver_name(c->solver), "residual", &c->residual);
        print_values("", "velocity", &c->error);
    }
    fflush(stdout);
}

static bool write_csv(const rigidity *g, cn_message *error)
{
    cn_whole_file out;
    if (!cn_whole_file_open(&out, g->csv_path, error))
        return false;
    fprintf(out.file, "solver,iterations,residual,velocity_error,ms\n");
    for (int i = 0; i < g->curve_count; ++i) {
        const curve *c = &g->curves[i];
        for (int k = 0; k < c->iterations.count; ++k)
            fprintf(out.file, "%s,%d,%.6e,%.6e,%.4f\n", cn_lab_solver_name(c->solver), g->counts[k], c->residual.values[k],
                    c->error.values[k], c->ms.values[k]);
    }
    return cn_whole_file_keep(&out, error);
}

static bool write_svg(const rigidity *g, cn_message *error)
{
    const double most = 1e3;
    char title[256];
    cn_curve residuals[CN_LAB_LIST], errors[CN_LAB_LIST];
    int count = 0;
    for (int i = 0; i < g->curve_count; ++i) {
        const curve *c = &g->curves[i];
        if (c->iterations.count == 0)
            continue;
        residuals[count] = (cn_curve){ cn_lab_solver_name(c->solver), &c->iterations, &c->residual };
        errors[count++] = (cn_curve){ cn_lab_solver_name(c->solver), &c->iterations, &c->error };
    }
    cn_lab_describe(&g->c, title, sizeof title);
    const cn_chart_panel panels[] = { { "residual, relative to the velocities without impulses", true, most, residuals },
                                      { "error of the velocities, relative to those without impulses", true, most, errors } };
    const cn_chart chart = { title, "iterations", true, 0.0, panels, 2, count, CURVE_POINTS, false };
    return cn_chart_write(g->svg_path, &chart, error);
}

// ---- The command

static int measure_all(rigidity *g)
{
    cn_message error;
    bool good = solve_exactly(g, &error);
    if (good && !g->json)
        print_heading(g);
    for (int i = 0; i < g->curve_count && good; ++i) {
        good = measure(g, &g->curves[i], &error);
        print_curve(g, &g->curves[i]);
    }
    good = good && (!g->csv_path || write_csv(g, &error)) && (!g->svg_path || write_svg(g, &error));
    return good ? 0 : cn_complain(COMMAND, "%s", error.text);
}

static void close_all(rigidity *g)
{
    for (int i = 0; i < g->curve_count; ++i) {
        cn_series_free(&g->curves[i].iterations);
        cn_series_free(&g->curves[i].residual);
        cn_series_free(&g->curves[i].error);
        cn_series_free(&g->curves[i].ms);
    }
    free(g->solution);
    free(g->r);
    free(g->difference);
    free(g->u);
    cn_lab_close(&g->c);
}

int cn_command_lab_rigidity(int argc, char **argv)
{
    rigidity g = { .choice = cn_lab_choice_default(),
                   .solver_text = "pgs,block_pgs,coloured_pgs,jacobi,mass_split,block_mass_split,nncg",
                   .iteration_text = "15,30,60,125,250,500" };
    const char *name = "pyramid10";
    enum { OWN = 6 };
    cn_option choices[CN_LAB_CHOICE_OPTIONS], options[OWN + CN_LAB_CHOICE_OPTIONS] = {
        { "solvers", CN_OPTION_TEXT, &g.solver_text, "A,B,...", 0, 0, NULL,
          "Which ones, separated by commas, or all (default: those that sweep)." },
        { "iterations", CN_OPTION_TEXT, &g.iteration_text, "N,N,...", 0, 0, NULL,
          "How many sweeps (default 15,30,60,125,250,500)." },
        { "step", CN_OPTION_INT, &g.step, "N", 1, 10000000, NULL, "Scenes: capture step N (default 60, or the scene's own)." },
        { "svg", CN_OPTION_TEXT, &g.svg_path, "FILE.svg", 0, 0, NULL, "Draw both errors over the sweeps." },
        { "csv", CN_OPTION_TEXT, &g.csv_path, "FILE.csv", 0, 0, NULL,
          "Write solver, iterations, residual, velocity error, ms." },
        { "json", CN_OPTION_FLAG, &g.json, NULL, 0, 0, NULL,
          "Print one JSON object per solver and number, each on its own line." },
    };
    cn_lab_choice_options(&g.choice, choices);
    int count = OWN;
    for (int i = 0; i < CN_LAB_CHOICE_OPTIONS; ++i) // the numbers of iterations are given, and there is no tolerance
        if (strcmp(choices[i].name, "tolerance") != 0 && strcmp(choices[i].name, "max-iterations") != 0)
            options[count++] = choices[i];
    const cn_usage usage = {
        COMMAND,
        "[FILE|SCENE]",
        1,
        "Gives each solver a number of sweeps from zero and measures what they reach: the residual, and the error of the\n"
        "velocities |u - u*| / |q| against a solution u* of newton. Without an operand, a step of pyramid10.",
        "  cairn lab rigidity\n"
        "  cairn lab rigidity tower20 --solvers pgs,nncg --iterations 15,500 --svg rigidity.svg\n",
        options,
        count
    };
    int operand_count, solvers[CN_LAB_LIST];
    cn_parse parse = cn_options_parse(&usage, argc, argv, &name, &operand_count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    g.count_count = cn_lab_counts(COMMAND, "iterations", g.iteration_text, g.counts);
    if (g.count_count == 0)
        return 2;
    g.curve_count = cn_lab_words(COMMAND, "solver", g.solver_text, cn_lab_solver_name, solvers);
    if (g.curve_count == 0)
        return 2;
    for (int i = 0; i < g.curve_count; ++i)
        g.curves[i].solver = solvers[i];
    int status = cn_lab_open(&g.c, COMMAND, name, g.step) ? measure_all(&g) : 2;
    close_all(&g);
    return status;
}
