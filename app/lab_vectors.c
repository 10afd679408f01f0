#include "lab_vectors.h"
#include "io/regular_file.h"
#include "lab_common.h"
#include "whole_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_line(FILE *file, const double *numbers, int count)
{
    for (int i = 0; i < count; ++i)
        fprintf(file, "%s%.17g", i ? " " : "", numbers[i]);
    fputc('\n', file);
}

bool cn_lab_write_impulses(const char *path, const cn_problem *problem, const double *r, const char *remark, cn_message *error)
{
    cn_whole_file out;
    if (!cn_whole_file_open(&out, path, error))
        return false;
    if (remark)
        fprintf(out.file, "# %s\n", remark);
    for (int i = 0; i < problem->block_count; ++i)
        put_line(out.file, r + problem->blocks[i].first_row, problem->blocks[i].rows);
    return cn_whole_file_keep(&out, error);
}

bool cn_lab_write_velocities(const char *path, const cn_problem *problem, const double *r, cn_message *error)
{
    double *u = cn_lab_impulses(problem);
    if (!u)
        return cn_message_set(error, "%s: out of memory", path);
    cn_problem_multiply(problem, r, u);
    for (int i = 0; i < problem->row_count; ++i)
        u[i] += problem->q[i];
    bool written = cn_lab_write_impulses(path, problem, u, NULL, error);
    free(u);
    return written;
}

bool cn_lab_write_bodies(const char *path, const cn_problem *problem, const double *r, cn_message *error)
{
    cn_whole_file out;
    if (problem->body_count == 0)
        return cn_message_set(error, "%s: the problem has no bodies whose velocities could be written", path);
    double(*velocities)[6] = calloc((size_t)problem->body_count, sizeof *velocities);
    if (!velocities)
        return cn_message_set(error, "%s: out of memory", path);
    bool good = cn_whole_file_open(&out, path, error);
    if (good) {
        cn_problem_velocities(problem, r, velocities);
        for (int i = 0; i < problem->body_count; ++i)
            put_line(out.file, velocities[i], 6);
        good = cn_whole_file_keep(&out, error);
    }
    free(velocities);
    return good;
}

static void skip_remarks(FILE *file)
{
    int c = fgetc(file);
    while (c != EOF && (isspace(c) || c == '#')) {
        while (c == '#' && (c = fgetc(file)) != EOF && c != '\n')
            c = '#';
        c = fgetc(file);
    }
    if (c != EOF)
        ungetc(c, file);
}

bool cn_lab_read_impulses(const char *path, int count, double *r, cn_message *error)
{
    FILE *file = cn_regular_file_open(path);
    if (!file)
        return cn_message_set(error, "%s", cn_last_error());
    int read = 0;
    double number;
    for (skip_remarks(file); fscanf(file, "%lf", &number) == 1 && isfinite(number); skip_remarks(file)) {
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
