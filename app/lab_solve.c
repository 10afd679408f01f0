// cairn lab solve: problem files, one solver.
#include "lab_commands.h"
#include "lab_common.h"
#include "whole_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "lab solve"

typedef struct solve {
    int solver, kind;
    cn_lab_choice choice;
    bool no_friction, json;
    const char *start_path, *out_path, *velocities_path;
    int name_width;
    bool headed;
    bool missed, wrong; // some file did not converge; could not be solved at all
} solve;

// ---- Impulses and velocities in files: one block per line

static bool write_rows(const char *path, const cn_problem *problem, const double *rows, cn_message *error)
{
    cn_whole_file out;
    if (!cn_whole_file_open(&out, path, error))
        return false;
    for (int i = 0; i < problem->block_count; ++i) {
        const cn_block *block = &problem->blocks[i];
        for (int k = 0; k < block->rows; ++k)
            fprintf(out.file, "%s%.17g", k ? " " : "", rows[block->first_row + k]);
        fputc('\n', out.file);
    }
    return cn_whole_file_keep(&out, error);
}

static bool write_velocities(const char *path, const cn_problem *problem, const double *r, cn_message *error)
{
    double *u = cn_lab_impulses(problem);
    if (!u)
        return cn_message_set(error, "%s: out of memory", path);
    cn_problem_multiply(problem, r, u);
    for (int i = 0; i < problem->row_count; ++i)
        u[i] += problem->q[i];
    bool written = write_rows(path, problem, u, error);
    free(u);
    return written;
}

static bool read_impulses(const char *path, int count, double *r, cn_message *error)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return cn_message_set(error, "%s: %s", path, strerror(errno));
    int read = 0;
    double number;
    while (fscanf(file, "%lf", &number) == 1 && isfinite(number)) {
        if (read < count)
            r[read] = number;
        ++read;
    }
    bool ended = feof(file) != 0;
    fclose(file);
    if (!ended)
        return cn_message_set(error, "%s: number %d is none", path, read + 1);
    if (read != count)
        return cn_message_set(error, "%s: %d impulses for a problem of %d rows", path, read, count);
    return true;
}

// ---- One file

static void print_row(solve *s, const cn_lab_case *c, const cn_lab_report *report)
{
    if (!s->headed)
        printf("%-*s  %-8s %8s %6s  %-16s %-9s %10s %12s %10s\n", s->name_width, "file", "kind", "contacts", "rows", "solver",
               "stop", "iterations", "residual", "ms");
    s->headed = true;
    printf("%-*s  %-8s %8d %6d  %-16s %-9s %10d %12.3e %10.3f\n", s->name_width, cn_lab_base_name(c->name),
           cn_problem_kind_name((int)c->info.kind), c->info.contacts, c->problem->row_count, cn_lab_solver_name(s->solver),
           cn_lab_stop_name((int)report->stop), report->iterations, report->residual.value, report->ms);
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

static bool solve_case(solve *s, cn_lab_case *c, double *r, cn_message *error)
{
    cn_message reason;
    cn_lab_options options = cn_lab_chosen(&s->choice);
    cn_lab_report report = cn_lab_try(c, s->solver, &options, r, &reason);
    if (s->json)
        cn_json_print(cn_lab_report_json(c, s->solver, options.law, &report, &reason));
    else if (report.stop != CN_STOP_REFUSED)
        print_row(s, c, &report);
    if (report.stop == CN_STOP_REFUSED)
        return cn_message_set(error, "%s: %s: %s", c->name, cn_lab_solver_name(s->solver), reason.text);
    s->missed = s->missed || !report.converged;
    return (!s->out_path || write_rows(s->out_path, c->problem, r, error)) &&
           (!s->velocities_path || write_velocities(s->velocities_path, c->problem, r, error));
}

static void solve_file(solve *s, const char *path)
{
    cn_lab_case c;
    cn_message error;
    double *r = NULL;
    bool good = cn_lab_read(&c, path, (cn_problem_kind)s->kind, &error) && (!s->no_friction || drop_friction(&c, &error));
    if (good && !(r = cn_lab_impulses(c.problem)))
        good = cn_message_set(&error, "%s: out of memory", path);
    good = good && (!s->start_path || read_impulses(s->start_path, c.problem->row_count, r, &error)) &&
           solve_case(s, &c, r, &error);
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
    solve s = { .choice = cn_lab_choice_default(), .solver = reference_solver() };
    enum { OWN = 8 };
    cn_option options[OWN + CN_LAB_CHOICE_OPTIONS] = {
        { "solver", CN_OPTION_CHOICE, &s.solver, "SOLVER", 0, 0, cn_lab_solver_name,
          "`cairn lab solvers` says what each one does (default newton)." },
        { "kind", CN_OPTION_CHOICE, &s.kind, "KIND", 0, 0, cn_problem_kind_name,
          "What a text file holds (default any: whichever its numbers fit)." },
        { "time-limit", CN_OPTION_REAL, &s.choice.options.time_limit, "SECONDS", 0.001, 1e9, NULL,
          "Stop when this is over, and keep what was found by then: the stop is \"time\" (default none)." },
        { "no-friction", CN_OPTION_FLAG, &s.no_friction, NULL, 0, 0, NULL, "Solve for the normal impulses alone." },
        { "start", CN_OPTION_TEXT, &s.start_path, "FILE", 0, 0, NULL, "Begin at the impulses in FILE, as --out wrote them." },
        { "out", CN_OPTION_TEXT, &s.out_path, "FILE", 0, 0, NULL, "Write the impulses, one contact per line." },
        { "velocities", CN_OPTION_TEXT, &s.velocities_path, "FILE", 0, 0, NULL,
          "Write the relative velocities that the impulses lead to, one contact per line." },
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
    else if (count > 1 && (s.start_path || s.out_path || s.velocities_path))
        status = cn_complain(COMMAND, "--start, --out and --velocities go with a single file, and there are %d", count);
    else
        status = solve_files(&s, paths, count);
    free(paths);
    return status;
}
