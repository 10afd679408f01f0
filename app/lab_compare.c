// cairn lab compare: several solvers on the same problems, with the curves of their residuals.
#include "base/timer.h"
#include "lab_commands.h"
#include "lab_common.h"
#include "plot.h"
#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "lab compare"

enum { MOST_CASES = 8, TIMED_RUNS = 3, CURVE_POINTS = 200 };
static const double long_run = 1000.0; // ms: a solve that takes longer is timed once
static const double worst_drawn = 1e3; // residuals beyond it belong to solvers that diverge

// One solver on one problem.
typedef struct entry {
    cn_lab_case *c;
    int solver;
    cn_lab_report report;
    cn_message reason;
    cn_series iteration, residual, ms;
    double began;
    char label[320];
} entry;

typedef struct compare {
    cn_lab_choice choice;
    const char *solver_text, *svg_path, *csv_path;
    int step, over; // over: what the curves are drawn over
    double seconds;
    bool json;
    cn_lab_case cases[MOST_CASES];
    int case_count;
    int solvers[CN_LAB_LIST], solver_count;
    entry *entries;
    int entry_count;
} compare;

enum { OVER_ITERATIONS, OVER_TIME };

static const char *over_word(int index)
{
    static const char *const words[] = { [OVER_ITERATIONS] = "iterations", [OVER_TIME] = "time" };
    return index <= OVER_TIME ? words[index] : NULL;
}

// ---- Measuring

static bool note_iteration(void *context, int iteration, double residual)
{
    entry *e = context;
    double ms = cn_now_ms() - e->began;
    return cn_series_add(&e->iteration, iteration) && cn_series_add(&e->residual, residual) && cn_series_add(&e->ms, ms);
}

// Once for the curve, which costs time, then for the time.
static bool measure(entry *e, cn_lab_options options)
{
    double *r = cn_lab_impulses(e->c->problem);
    if (!r)
        return false;
    size_t size = (size_t)e->c->problem->row_count * sizeof *r;
    options.callback = note_iteration;
    options.context = e;
    e->began = cn_now_ms();
    e->report = cn_lab_try(e->c, e->solver, &options, r, &e->reason);
    options.callback = NULL;
    double best = e->report.ms;
    bool ended = e->report.stop != CN_STOP_REFUSED && e->report.stop != CN_STOP_TIME;
    for (int i = 0; i < TIMED_RUNS && ended; ++i) {
        memset(r, 0, size);
        double ms = cn_lab_solve(e->c->problem, cn_lab_solver_name(e->solver), &options, r).ms;
        best = i == 0 || ms < best ? ms : best;
        if (ms > long_run)
            break;
    }
    e->report.ms = best;
    free(r);
    return true;
}

// The legend names what differs.
static void label(const compare *m, entry *e)
{
    const char *solver = cn_lab_solver_name(e->solver), *problem = cn_lab_base_name(e->c->name);
    if (m->case_count == 1)
        snprintf(e->label, sizeof e->label, "%s", solver);
    else if (m->solver_count == 1)
        snprintf(e->label, sizeof e->label, "%s", problem);
    else
        snprintf(e->label, sizeof e->label, "%s, %s", solver, problem);
}

// ---- Output

static void print_heading(const cn_lab_case *c)
{
    char text[512];
    cn_lab_describe(c, text, sizeof text);
    printf("%s\n  %-17s %-9s %10s %10s %12s %10s\n", text, "solver", "stop", "iterations", "products", "residual", "ms");
    fflush(stdout);
}

static void print_entry(const compare *m, const entry *e)
{
    if (m->json)
        cn_json_print(cn_lab_report_json(e->c, e->solver, (cn_law)m->choice.law, &e->report, &e->reason));
    else if (e->report.stop == CN_STOP_REFUSED)
        printf("  %-17s refused   %s\n", cn_lab_solver_name(e->solver), e->reason.text);
    else
        printf("  %-17s %-9s %10d %10d %12.3e %10.3f\n", cn_lab_solver_name(e->solver), cn_lab_stop_name((int)e->report.stop),
               e->report.iterations, e->report.products, e->report.residual.value, e->report.ms);
    fflush(stdout);
}

static bool write_csv(const compare *m, cn_message *error)
{
    cn_whole_file out;
    if (!cn_whole_file_open(&out, m->csv_path, error))
        return false;
    fprintf(out.file, "solver,iteration,residual,ms%s\n", m->case_count > 1 ? ",problem" : "");
    for (int i = 0; i < m->entry_count; ++i) {
        const entry *e = &m->entries[i];
        for (int k = 0; k < e->iteration.count; ++k) {
            fprintf(out.file, "%s,%.0f,%.6e,%.4f", cn_lab_solver_name(e->solver), e->iteration.values[k], e->residual.values[k],
                    e->ms.values[k]);
            fprintf(out.file, m->case_count > 1 ? ",\"%s\"\n" : "\n", cn_lab_base_name(e->c->name));
        }
    }
    return cn_whole_file_keep(&out, error);
}

static bool write_svg(const compare *m, cn_message *error)
{
    char title[512];
    bool over_time = m->over == OVER_TIME;
    cn_curve *curves = calloc((size_t)m->entry_count, sizeof *curves);
    int count = 0;
    if (!curves)
        return cn_message_set(error, "%s: out of memory", m->svg_path);
    for (int i = 0; i < m->entry_count; ++i)
        if (m->entries[i].iteration.count > 0)
            curves[count++] = (cn_curve){ m->entries[i].label, over_time ? &m->entries[i].ms : &m->entries[i].iteration,
                                          &m->entries[i].residual };
    if (m->case_count == 1)
        cn_lab_describe(&m->cases[0], title, sizeof title);
    else
        snprintf(title, sizeof title, "%s",
                 m->solver_count == 1 ? cn_lab_solver_name(m->solvers[0]) : "several solvers and problems");
    const cn_chart_panel panel = { "residual relative to the velocities without impulses; strong: the best so far", true,
                                   worst_drawn, curves };
    const cn_chart chart = {
        title, over_time ? "time [ms]" : "iterations", true, over_time ? 0.0 : 1.0, &panel, 1, count, CURVE_POINTS, true
    };
    bool written = cn_chart_write(m->svg_path, &chart, error);
    free(curves);
    return written;
}

// ---- The command

static int compare_solvers(compare *m)
{
    cn_message error;
    bool converged = false;
    m->entries = calloc((size_t)(m->case_count * m->solver_count), sizeof *m->entries);
    if (!m->entries)
        return cn_complain(COMMAND, "out of memory");
    for (int c = 0; c < m->case_count; ++c) {
        if (!m->json)
            print_heading(&m->cases[c]);
        for (int s = 0; s < m->solver_count; ++s) {
            entry *e = &m->entries[m->entry_count++];
            e->c = &m->cases[c];
            e->solver = m->solvers[s];
            label(m, e);
            cn_lab_options options = cn_lab_chosen(&m->choice);
            options.time_limit = m->seconds;
            if (!measure(e, options))
                return cn_complain(COMMAND, "out of memory");
            converged = converged || e->report.converged;
            print_entry(m, e);
        }
    }
    if ((m->csv_path && !write_csv(m, &error)) || (m->svg_path && !write_svg(m, &error)))
        return cn_complain(COMMAND, "%s", error.text);
    return converged ? 0 : 1;
}

static bool open_cases(compare *m, const char **names, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!cn_lab_open(&m->cases[i], COMMAND, names[i], m->step))
            return false;
        m->case_count = i + 1;
    }
    return true;
}

static void close_all(compare *m)
{
    for (int i = 0; i < m->entry_count; ++i) {
        cn_series_free(&m->entries[i].iteration);
        cn_series_free(&m->entries[i].residual);
        cn_series_free(&m->entries[i].ms);
    }
    free(m->entries);
    for (int i = 0; i < m->case_count; ++i)
        cn_lab_close(&m->cases[i]);
}

int cn_command_lab_compare(int argc, char **argv)
{
    compare m = { .choice = cn_lab_choice_default(), .solver_text = "all", .seconds = 60.0 };
    const char *names[MOST_CASES];
    enum { OWN = 7 };
    cn_option options[OWN + CN_LAB_CHOICE_OPTIONS] = {
        { "solvers", CN_OPTION_TEXT, &m.solver_text, "A,B,...", 0, 0, NULL,
          "Which ones, separated by commas (default all); `cairn lab solvers` lists them." },
        { "step", CN_OPTION_INT, &m.step, "N", 1, 10000000, NULL, "Scenes: capture step N (default 60, or the scene's own)." },
        { "seconds", CN_OPTION_REAL, &m.seconds, "S", 0.001, 1e6, NULL,
          "Stop a solver that takes longer than this (default 60)." },
        { "svg", CN_OPTION_TEXT, &m.svg_path, "FILE.svg", 0, 0, NULL, "Draw the residuals." },
        { "over", CN_OPTION_CHOICE, &m.over, "WHAT", 0, 0, over_word, "What --svg draws them over (default iterations)." },
        { "csv", CN_OPTION_TEXT, &m.csv_path, "FILE.csv", 0, 0, NULL,
          "Write every iteration: solver, iteration, residual, milliseconds since the start." },
        { "json", CN_OPTION_FLAG, &m.json, NULL, 0, 0, NULL,
          "Print one JSON object per solver and problem, each on its own line." },
    };
    cn_lab_choice_options(&m.choice, options + OWN);
    const cn_usage usage = {
        COMMAND,
        "FILE|SCENE...",
        MOST_CASES,
        "Runs solvers on a problem file, or on a step of a scene. Each starts from zero; its time is the best of three runs\n"
        "(of one when that took more than a second), its curve comes from another run. Those that do not take the problem are\n"
        "listed with their reason. The exit status is 0 when at least one reached the tolerance.",
        "  cairn lab compare tower20\n"
        "  cairn lab compare pile --step 45 --solvers pgs,nncg,newton --svg pile.svg --csv pile.csv\n"
        "  cairn lab compare tower20 pile sled --solvers apgd --svg apgd.svg\n",
        options,
        OWN + CN_LAB_CHOICE_OPTIONS
    };
    int count;
    cn_parse parse = cn_options_parse(&usage, argc, argv, names, &count);
    if (parse != CN_PARSE_RUN)
        return cn_parse_status(parse);
    if (count == 0)
        return cn_complain(COMMAND, "which problem? usage: cairn lab compare FILE|SCENE...");
    m.solver_count = cn_lab_words(COMMAND, "solver", m.solver_text, cn_lab_solver_name, m.solvers);
    if (m.solver_count == 0)
        return 2;
    int status = open_cases(&m, names, count) ? compare_solvers(&m) : 2;
    close_all(&m);
    return status;
}
