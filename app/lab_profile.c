// cairn lab profile: performance profiles of solvers over a folder of problems. Dolan and More 2002, "Benchmarking optimization
// software with performance profiles": for each solver the share of problems that it solves within a multiple of what the best
// solver of each problem needs.
#define _POSIX_C_SOURCE 200809L // opendir

#include "lab_commands.h"
#include "lab_common.h"
#include "plot.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "lab profile"

enum { TIMED_RUNS = 3, CURVE_POINTS = 2000 };
static const double short_run = 200.0; // ms: what takes less is timed again, and the best counts
static const double most_ratio = 1e6;  // drawn

typedef enum measure { MEASURE_TIME, MEASURE_ITERATIONS, MEASURE_PRODUCTS } measure;

static const char *measure_word(int index)
{
    static const char *const words[] = {
        [MEASURE_TIME] = "time", [MEASURE_ITERATIONS] = "iterations", [MEASURE_PRODUCTS] = "products"
    };
    return index <= MEASURE_PRODUCTS ? words[index] : NULL;
}

typedef struct profile {
    cn_lab_choice choice;
    const char *solver_text, *svg_path;
    int measure;
    bool json;
    char **paths;
    int path_count, path_room, name_width;
    int solvers[CN_LAB_LIST], solver_count;
    double *costs; // per problem and solver; infinite where it was not solved
    int problem_count;
    cn_series ratios[CN_LAB_LIST]; // per solver, ascending, of the problems it solved
    int best[CN_LAB_LIST];         // how many of them as fast as any
} profile;

// ---- Files

static bool add_path(profile *p, const char *folder, const char *name)
{
    if (p->path_count == p->path_room) {
        int room = 2 * p->path_room + 16;
        char **more = realloc(p->paths, (size_t)room * sizeof *more);
        if (!more)
            return false;
        p->paths = more;
        p->path_room = room;
    }
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (path)
        snprintf(path, length, "%s%s%s", folder, *folder ? "/" : "", name);
    p->paths[p->path_count] = path;
    p->path_count += path != NULL;
    return path != NULL;
}

static int compare_paths(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// The files of a folder in the order of their names, or the file itself.
static bool add_operand(profile *p, const char *name)
{
    DIR *folder = opendir(name);
    int first = p->path_count;
    bool good = true;
    if (!folder)
        return add_path(p, "", name);
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        DIR *inner = NULL;
        if (entry->d_name[0] == '.' || !(good = add_path(p, name, entry->d_name)))
            continue;
        if ((inner = opendir(p->paths[p->path_count - 1]))) { // folders inside are left alone
            closedir(inner);
            free(p->paths[--p->path_count]);
        }
    }
    closedir(folder);
    qsort(p->paths + first, (size_t)(p->path_count - first), sizeof *p->paths, compare_paths);
    return good;
}

// ---- Measuring

static double cost_of(const profile *p, const cn_lab_report *report)
{
    if (!report->converged)
        return (double)INFINITY;
    // An answer that was there at once costs as much as the cheapest that was not.
    return p->measure == MEASURE_TIME         ? fmax(report->ms, 1e-3)
           : p->measure == MEASURE_ITERATIONS ? fmax(report->iterations, 1)
                                              : fmax(report->products, 1);
}

static void print_solve(const profile *p, const cn_lab_case *c, int solver, const cn_lab_report *report,
                        const cn_message *reason)
{
    if (p->json)
        cn_json_print(cn_lab_report_json(c, solver, (cn_law)p->choice.law, report, reason));
    else
        printf("%-*s  %-17s %-9s %10d %10d %12.3e %10.3f\n", p->name_width, cn_lab_base_name(c->name),
               cn_lab_solver_name(solver), cn_lab_stop_name((int)report->stop), report->iterations, report->products,
               report->residual.value, report->ms);
    fflush(stdout);
}

static bool solve_problem(profile *p, cn_lab_case *c, double *costs)
{
    cn_lab_options options = cn_lab_chosen(&p->choice);
    double *r = cn_lab_impulses(c->problem);
    for (int s = 0; r && s < p->solver_count; ++s) {
        cn_message reason;
        memset(r, 0, sizeof *r * (size_t)c->problem->row_count);
        cn_lab_report report = cn_lab_try(c, p->solvers[s], &options, r, &reason);
        for (int i = 1; p->measure == MEASURE_TIME && report.converged && report.ms < short_run && i < TIMED_RUNS; ++i) {
            cn_message unused;
            memset(r, 0, sizeof *r * (size_t)c->problem->row_count);
            report.ms = fmin(report.ms, cn_lab_try(c, p->solvers[s], &options, r, &unused).ms);
        }
        costs[s] = cost_of(p, &report);
        print_solve(p, c, p->solvers[s], &report, &reason);
    }
    free(r);
    return r != NULL;
}

// What is no problem is left out, with a word on standard error.
static bool solve_all(profile *p)
{
    p->costs = calloc((size_t)p->path_count * (size_t)p->solver_count + 1, sizeof *p->costs);
    bool good = p->costs != NULL;
    for (int i = 0; i < p->path_count && good; ++i) {
        cn_lab_case c;
        cn_message error;
        if (!cn_lab_read(&c, p->paths[i], CN_PROBLEM_ANY, &error)) {
            cn_complain(COMMAND, "left out: %s", error.text);
            continue;
        }
        good = solve_problem(p, &c, p->costs + p->problem_count * p->solver_count);
        ++p->problem_count;
        cn_lab_close(&c);
    }
    return good;
}

// ---- Profiles

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool find_ratios(profile *p)
{
    for (int i = 0; i < p->problem_count; ++i) {
        const double *costs = p->costs + i * p->solver_count;
        double least = (double)INFINITY;
        for (int s = 0; s < p->solver_count; ++s)
            least = fmin(least, costs[s]);
        for (int s = 0; s < p->solver_count; ++s) {
            if (!isfinite(costs[s]))
                continue;
            p->best[s] += costs[s] == least;
            if (!cn_series_add(&p->ratios[s], costs[s] / least))
                return false;
        }
    }
    for (int s = 0; s < p->solver_count; ++s)
        if (p->ratios[s].count > 0)
            qsort(p->ratios[s].values, (size_t)p->ratios[s].count, sizeof(double), compare_numbers);
    return true;
}

static double share_within(const profile *p, int s, double ratio)
{
    int count = 0;
    while (count < p->ratios[s].count && p->ratios[s].values[count] <= ratio)
        ++count;
    return (double)count / p->problem_count;
}

static void print_profile(const profile *p, int s)
{
    const char *solver = cn_lab_solver_name(p->solvers[s]);
    if (!p->json) {
        printf("%-17s %8d %8d %10.2f %10.2f %10.2f\n", solver, p->best[s], p->ratios[s].count, share_within(p, s, 2.0),
               share_within(p, s, 10.0), share_within(p, s, 100.0));
        return;
    }
    json_t *ratios = json_array();
    for (int i = 0; i < p->ratios[s].count; ++i)
        json_array_append_new(ratios, json_real(p->ratios[s].values[i]));
    cn_json_print(json_pack("{s:s, s:s, s:i, s:i, s:i, s:o}", "profile", solver, "measure", measure_word(p->measure),
                            "problems", p->problem_count, "solved", p->ratios[s].count, "best", p->best[s], "ratios", ratios));
}

// A step up at every problem that is solved, and level to the right end.
static bool make_steps(const profile *p, int s, double end, cn_series *x, cn_series *y)
{
    bool good = cn_series_add(x, 1.0) && cn_series_add(y, 0.0);
    for (int i = 0; i < p->ratios[s].count && good; ++i) {
        double ratio = fmin(p->ratios[s].values[i], end);
        good = cn_series_add(x, ratio) && cn_series_add(y, (double)i / p->problem_count) && cn_series_add(x, ratio) &&
               cn_series_add(y, (i + 1.0) / p->problem_count);
    }
    return good && cn_series_add(x, end) && cn_series_add(y, (double)p->ratios[s].count / p->problem_count);
}

static bool draw(const profile *p, cn_message *error)
{
    char title[128], x_title[96];
    cn_series x[CN_LAB_LIST] = { 0 }, y[CN_LAB_LIST] = { 0 };
    cn_curve curves[CN_LAB_LIST];
    double end = 10.0;
    bool good = true;
    for (int s = 0; s < p->solver_count; ++s)
        end = fmax(end, fmin(cn_series_max(&p->ratios[s], 0), most_ratio));
    for (int s = 0; s < p->solver_count; ++s) {
        good = good && make_steps(p, s, end, &x[s], &y[s]);
        curves[s] = (cn_curve){ cn_lab_solver_name(p->solvers[s]), &x[s], &y[s] };
    }
    snprintf(title, sizeof title, "%d problems to %g", p->problem_count, p->choice.options.tolerance);
    snprintf(x_title, sizeof x_title, "%s, as a multiple of the least of all solvers", measure_word(p->measure));
    const cn_chart_panel panel = { "share of the problems solved", false, 0.0, curves };
    const cn_chart chart = { title, x_title, true, 1.0, &panel, 1, p->solver_count, CURVE_POINTS, false };
    good = good ? cn_chart_write(p->svg_path, &chart, error) : cn_message_set(error, "%s: out of memory", p->svg_path);
    for (int s = 0; s < p->solver_count; ++s) {
        cn_series_free(&x[s]);
        cn_series_free(&y[s]);
    }
    return good;
}

// ---- The command

static int run(profile *p, const char **names, int count)
{
    cn_message error;
    for (int i = 0; i < count; ++i)
        if (!add_operand(p, names[i]))
            return cn_complain(COMMAND, "out of memory");
    for (int i = 0; i < p->path_count; ++i)
        p->name_width = (int)fmax(p->name_width, strlen(cn_lab_base_name(p->paths[i])));
    if (!p->json) {
        printf("%-*s  %-17s %-9s %10s %10s %12s %10s\n", p->name_width, "file", "solver", "stop", "iterations", "products",
               "residual", "ms");
        fflush(stdout);
    }
    if (!solve_all(p) || !find_ratios(p))
        return cn_complain(COMMAND, "out of memory");
    if (p->problem_count == 0)
        return cn_complain(COMMAND, "there is no problem in %s", names[0]);
    if (!p->json)
        printf("\n%d problems, by %s\n%-17s %8s %8s %10s %10s %10s\n", p->problem_count, measure_word(p->measure), "solver",
               "best", "solved", "within 2", "within 10", "within 100");
    for (int s = 0; s < p->solver_count; ++s)
        print_profile(p, s);
    if (p->svg_path && !draw(p, &error))
        return cn_complain(COMMAND, "%s", error.text);
    return 0;
}

int cn_command_lab_profile(int argc, char **argv)
{
    profile p = { .choice = cn_lab_choice_default(), .solver_text = "all" };
    p.choice.options.tolerance = 1e-4;
    p.choice.options.time_limit = 10.0;
    enum { OWN = 5 };
    cn_option options[OWN + CN_LAB_CHOICE_OPTIONS] = {
        { "solvers", CN_OPTION_TEXT, &p.solver_text, "A,B,...", 0, 0, NULL,
          "Which ones, separated by commas (default all); `cairn lab solvers` lists them." },
        { "measure", CN_OPTION_CHOICE, &p.measure, "WHAT", 0, 0, measure_word, "What is compared (default time)." },
        { "time-limit", CN_OPTION_REAL, &p.choice.options.time_limit, "SECONDS", 0.001, 1e9, NULL,
          "For one solver on one problem: longer counts as unsolved (default 10)." },
        { "svg", CN_OPTION_TEXT, &p.svg_path, "FILE.svg", 0, 0, NULL, "Draw the profiles." },
        { "json", CN_OPTION_FLAG, &p.json, NULL, 0, 0, NULL,
          "Print one JSON object per solve, then one per solver with its ratios, each on its own line." },
    };
    cn_lab_choice_options(&p.choice, options + OWN);
    for (int i = OWN; i < OWN + CN_LAB_CHOICE_OPTIONS; ++i)
        if (strcmp(options[i].name, "tolerance") == 0)
            options[i].help = "Solve until the residual is at most T (default 1e-4).";
    const cn_usage usage = {
        COMMAND,
        "DIR|FILE...",
        argc,
        "Solves all problems of a folder with several solvers, each from zero, and compares what they cost: the performance\n"
        "profiles of Dolan and More. For each solver, and each multiple of what the best solver of a problem needs, they give\n"
        "the share of the problems that it solves within it. What is no problem is left out.",
        "  cairn lab profile problems --svg profile.svg\n"
        "  cairn lab profile problems --solvers pgs,nncg,newton --tolerance 1e-6 --measure iterations --json\n",
        options,
        OWN + CN_LAB_CHOICE_OPTIONS
    };
    const char **names = calloc((size_t)argc, sizeof *names);
    if (!names)
        return cn_complain(COMMAND, "out of memory");
    int count, status;
    cn_parse parse = cn_options_parse(&usage, argc, argv, names, &count);
    if (parse != CN_PARSE_RUN)
        status = cn_parse_status(parse);
    else if (count == 0)
        status = cn_complain(COMMAND, "which folder? usage: cairn lab profile DIR|FILE...");
    else if ((p.solver_count = cn_lab_words(COMMAND, "solver", p.solver_text, cn_lab_solver_name, p.solvers)) == 0)
        status = 2;
    else
        status = run(&p, names, count);
    for (int i = 0; i < p.path_count; ++i)
        free(p.paths[i]);
    for (int s = 0; s < p.solver_count; ++s)
        cn_series_free(&p.ratios[s]);
    free(p.paths);
    free(p.costs);
    free(names);
    return status;
}
