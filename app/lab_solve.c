// cairn lab solve: problem files, one solver.
#include "fclib.h"
#include "lab_commands.h"
#include "lab_common.h"
#include "lab_vectors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "lab solve"

typedef struct solve {
    int solver, kind;
    cn_lab_choice choice;
    int guess; // of the file to begin at; -1: none
    bool no_friction, json, siconos;
    const char *start_path, *out_path, *velocities_path, *bodies_path;
    int name_width;
    bool headed;
    bool missed, wrong; // some file did not converge; could not be solved at all
} solve;

// ---- One file

static void print_row(solve *s, const cn_lab_case *c, const cn_lab_report *report, double siconos)
{
    if (!s->headed)
        printf("%-*s  %-8s %8s %6s  %-16s %-9s %10s %12s %10s", s->name_width, "file", "kind", "contacts", "rows", "solver",
               "stop", "iterations", "residual", "ms");
    if (!s->headed)
        puts(s->siconos ? "      Siconos" : "");
    s->headed = true;
    printf("%-*s  %-8s %8d %6d  %-16s %-9s %10d %12.3e %10.3f", s->name_width, cn_lab_base_name(c->name),
           cn_problem_kind_name((int)c->info.kind), c->info.contacts, c->problem->row_count, cn_lab_solver_name(s->solver),
           cn_lab_stop_name((int)report->stop), report->iterations, report->residual.value, report->ms);
    if (s->siconos)
        printf(" %12.3e", siconos);
    putchar('\n');
    fflush(stdout);
}

static bool drop_friction(cn_lab_case *c, cn_message *error)
{
    cn_problem *plain = cn_problem_without_friction(c->problem);
    if (!plain)
        return cn_lab_fail(error, c->name);
    cn_problem_destroy(c->problem);
    c->problem = plain;
    return true;
}

static void print_object(const solve *s, const cn_lab_case *c, const cn_lab_report *report, double siconos,
                         const cn_message *reason)
{
    json_t *object = cn_lab_report_json(c, s->solver, (cn_law)s->choice.law, report, reason);
    if (s->siconos)
        cn_json_number(object, "siconos_error", siconos);
    cn_json_print(object);
}

static bool write_impulses(const solve *s, const cn_lab_case *c, const double *start, const double *r,
                           const cn_lab_report *report, double siconos, cn_message *error)
{
    char remark[128];
    if (cn_fclib_is_name(s->out_path)) {
        bool guessed = start && (s->start_path || s->guess >= 0);
        return cn_fclib_write(s->out_path, c->problem, r, guessed ? start : NULL) || cn_lab_fail(error, s->out_path);
    }
    snprintf(remark, sizeof remark, "residual %.3e, as Siconos measures %.3e", report->residual.value, siconos);
    return cn_lab_write_impulses(s->out_path, c->problem, r, s->siconos ? remark : NULL, error);
}

static bool solve_case(solve *s, cn_lab_case *c, double *r, cn_message *error)
{
    cn_message reason;
    cn_lab_options options = cn_lab_chosen(&s->choice);
    double *start = s->out_path ? cn_lab_impulses(c->problem) : NULL;
    if (start)
        memcpy(start, r, sizeof *r * (size_t)c->problem->row_count);
    cn_lab_report report = cn_lab_try(c, s->solver, &options, r, &reason);
    double siconos = s->siconos ? cn_siconos_error(c->problem, s->no_friction ? CN_PROBLEM_LCP : c->info.kind, r) : 0.0;
    if (s->json)
        print_object(s, c, &report, siconos, &reason);
    else if (report.stop != CN_STOP_REFUSED)
        print_row(s, c, &report, siconos);
    if (report.stop == CN_STOP_REFUSED)
        return cn_message_set(error, "%s: %s: %s", c->name, cn_lab_solver_name(s->solver), reason.text);
    s->missed = s->missed || !report.converged;
    bool good = (!s->out_path || write_impulses(s, c, start, r, &report, siconos, error)) &&
                (!s->velocities_path || cn_lab_write_velocities(s->velocities_path, c->problem, r, error)) &&
                (!s->bodies_path || cn_lab_write_bodies(s->bodies_path, c->problem, r, error));
    free(start);
    return good;
}

// What to begin at.
static bool read_start(const solve *s, const cn_lab_case *c, double *r, cn_message *error)
{
    if (s->guess >= 0 && !cn_fclib_read_guess(c->name, s->guess, c->info.dimension, c->problem->row_count, r))
        return cn_lab_fail(error, c->name);
    return !s->start_path || cn_lab_read_impulses(s->start_path, c->problem->row_count, r, error);
}

static void solve_file(solve *s, const char *path)
{
    cn_lab_case c;
    cn_message error;
    double *r = NULL;
    bool good = cn_lab_read(&c, path, (cn_problem_kind)s->kind, &error) && (!s->no_friction || drop_friction(&c, &error));
    if (good && !(r = cn_lab_impulses(c.problem)))
        good = cn_message_set(&error, "%s: out of memory", path);
    good = good && read_start(s, &c, r, &error) && solve_case(s, &c, r, &error);
    if (!good)
        cn_complain(COMMAND, "%s", error.text);
    s->wrong = s->wrong || !good;
    free(r);
    cn_lab_close(&c);
}

static int solve_files(solve *s, const char **paths, int count)
{
    for (int i = 0; i < count; ++i) {
        int width = (int)strlen(cn_lab_base_name(paths[i]));
        s->name_width = width > s->name_width ? width : s->name_width;
    }
    for (int i = 0; i < count; ++i)
        solve_file(s, paths[i]);
    if (s->wrong)
        return 2;
    return s->missed ? 1 : 0;
}

// ---- The command

static int reference_solver(void)
{
    for (int i = 0; cn_lab_solver_name(i); ++i)
        if (strcmp(cn_lab_solver_name(i), "newton") == 0)
            return i;
    return 0;
}

int cn_command_lab_solve(int argc, char **argv)
{
    solve s = { .choice = cn_lab_choice_default(), .solver = reference_solver(), .guess = -1 };
    enum { OWN = 11 };
    cn_option options[OWN + CN_LAB_CHOICE_OPTIONS] = {
        { "solver", CN_OPTION_CHOICE, &s.solver, "SOLVER", 0, 0, cn_lab_solver_name,
          "`cairn lab solvers` says what each one does (default newton)." },
        { "kind", CN_OPTION_CHOICE, &s.kind, "KIND", 0, 0, cn_problem_kind_name,
          "What a text file holds (default any: whichever its numbers fit)." },
        { "time-limit", CN_OPTION_REAL, &s.choice.options.time_limit, "SECONDS", 0.001, 1e9, NULL,
          "Stop when this is over, and keep what was found by then: the stop is \"time\" (default none)." },
        { "no-friction", CN_OPTION_FLAG, &s.no_friction, NULL, 0, 0, NULL, "Solve for the normal impulses alone." },
        { "start", CN_OPTION_TEXT, &s.start_path, "FILE", 0, 0, NULL, "Begin at the impulses in FILE, as --out wrote them." },
        { "guess", CN_OPTION_INT, &s.guess, "N", 0, 1000000, NULL,
          "Begin at guess N of an FCLIB file; guess 0 is its stored solution." },
        { "out", CN_OPTION_TEXT, &s.out_path, "FILE", 0, 0, NULL,
          "Write the impulses, one contact per line; into a copy of the problem as FCLIB lays it out when FILE ends in .hdf5 "
          "or .h5." },
        { "velocities", CN_OPTION_TEXT, &s.velocities_path, "FILE", 0, 0, NULL,
          "Write the relative velocities that the impulses lead to, one contact per line." },
        { "bodies", CN_OPTION_TEXT, &s.bodies_path, "FILE", 0, 0, NULL,
          "Write the velocities of the bodies, one body per line: linear, then angular." },
        { "siconos-error", CN_OPTION_FLAG, &s.siconos, NULL, 0, 0, NULL,
          "Show the error as Siconos measures it beside ours, and in the first line of what --out writes." },
        { "json", CN_OPTION_FLAG, &s.json, NULL, 0, 0, NULL, "Print one JSON object per file, each on its own line." },
    };
    cn_lab_choice_options(&s.choice, options + OWN);
    const cn_usage usage = {
        COMMAND,
        "FILE...",
        argc,
        "Solves contact problems from files: those of Siconos as text, those of FCLIB as HDF5, and what `cairn lab capture`\n"
        "wrote. The residual is the same measure for all solvers, relative to the velocities without impulses. The exit\n"
        "status is 1 when a file did not converge to the tolerance, 2 when one could not be read or solved at all.",
        "  cairn lab capture tower20 --step 60 --out tower.dat\n"
        "  cairn lab solve tower.dat\n"
        "  cairn lab solve tower.dat --solver pgs --tolerance 1e-4 --out r.txt\n"
        "  cairn lab solve tower.dat --solver newton --start r.txt --json\n",
        options,
        OWN + CN_LAB_CHOICE_OPTIONS
    };
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths)
        return cn_complain(COMMAND, "out of memory");
    int count, status;
    cn_parse parse = cn_options_parse(&usage, argc, argv, paths, &count);
    if (parse != CN_PARSE_RUN)
        status = cn_parse_status(parse);
    else if (count == 0)
        status = cn_complain(COMMAND, "which file? usage: cairn lab solve FILE...");
    else if (count > 1 && (s.start_path || s.out_path || s.velocities_path || s.bodies_path))
        status =
            cn_complain(COMMAND, "--start, --out, --velocities and --bodies go with a single file, and there are %d", count);
    else if (s.start_path && s.guess >= 0)
        status = cn_complain(COMMAND, "--start and --guess both say where to begin");
    else if (s.no_friction && cn_fclib_is_name(s.out_path))
        status = cn_complain(COMMAND, "FCLIB holds no problems without friction; --out with --no-friction writes text");
    else
        status = solve_files(&s, paths, count);
    free(paths);
    return status;
}
