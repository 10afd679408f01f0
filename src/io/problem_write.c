// Writing problem files. Matrices go out by blocks (storage 1), numbers with the 17 digits that give a double back exactly.
#include "base/error.h"
#include "io/problem_export.h"
#include "io/problem_own.h"
#include "io/whole_file.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

// ---- numbers

void cn_put_number(FILE *file, double value)
{
    char text[48];
    snprintf(text, sizeof text, "%.17g", value);
    const char *point = localeconv()->decimal_point, *at = strstr(text, point);
    if (at != NULL)
        fprintf(file, "%.*s.%s ", (int)(at - text), text, at + strlen(point));
    else
        fprintf(file, "%s ", text);
}

static void put_numbers(FILE *file, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        cn_put_number(file, values[i]);
    fputc('\n', file);
}

static void put_ints(FILE *file, const int *values, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, "%d ", values[i]);
    fputc('\n', file);
}

static void put_matrix(FILE *file, const cn_block_matrix *m)
{
    int count = m->starts[m->row_count];
    fprintf(file, "1 %d %d\n%d\n", cn_block_matrix_rows(m), cn_block_matrix_columns(m), count);
    if (count == 0)
        return;
    fprintf(file, "%d %d\n", m->row_count, m->column_count);
    put_ints(file, m->row_ends, m->row_count);
    put_ints(file, m->column_ends, m->column_count);
    fprintf(file, "%d %d\n", m->row_count + 1, count);
    put_ints(file, m->starts, m->row_count + 1);
    put_ints(file, m->columns, count);
    const double *values = m->values;
    for (int i = 0; i < m->row_count; i++) {
        int height = m->row_ends[i] - (i > 0 ? m->row_ends[i - 1] : 0);
        for (int e = m->starts[i]; e < m->starts[i + 1]; e++) {
            int j = m->columns[e], width = m->column_ends[j] - (j > 0 ? m->column_ends[j - 1] : 0);
            fprintf(file, "%d\n", e);
            put_numbers(file, values, height * width);
            values += height * width;
        }
    }
}

// ---- kinds

static void put_frictions(FILE *file, const cn_problem *p)
{
    for (int i = 0; i < p->block_count; i++)
        cn_put_number(file, p->blocks[i].friction);
    fputc('\n', file);
}

static void put_global(FILE *file, const cn_problem *p, const cn_global_matrices *g)
{
    fprintf(file, "3\n%d\n", p->block_count);
    put_matrix(file, &g->mass);
    put_matrix(file, &g->jacobian);
    put_numbers(file, g->force, cn_block_matrix_rows(&g->mass));
    put_numbers(file, g->bias, p->row_count);
    put_frictions(file, p);
}

// Runs of blocks of the same kind: where each ends, then 0 for equalities and 1 for bounds.
static void put_intervals(FILE *file, const cn_problem *p)
{
    int equalities = 0;
    for (int i = 0; i < p->block_count; i++)
        equalities += p->blocks[i].kind == CN_BLOCK_EQUALITY ? p->blocks[i].rows : 0;
    fprintf(file, "1 0 %d %d\n0 ", equalities, p->row_count - equalities);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->block_count; i++) {
            const cn_block *b = &p->blocks[i];
            if (i + 1 < p->block_count && b[1].kind == b->kind)
                continue;
            fprintf(file, "%d ", pass == 0 ? b->first_row + b->rows : b->kind == CN_BLOCK_BOUNDED);
        }
        fputc('\n', file);
    }
}

static void put_bounds(FILE *file, const cn_problem *p)
{
    put_numbers(file, p->lower, p->row_count);
    put_numbers(file, p->upper, p->row_count);
}

static void put_reduced(FILE *file, const cn_problem *p, cn_problem_kind kind, cn_arena *arena)
{
    if (kind == CN_PROBLEM_FRICTION)
        fprintf(file, "3\n%d\n", p->block_count);
    else if (kind == CN_PROBLEM_LCP || kind == CN_PROBLEM_RELAY)
        fprintf(file, "%d\n", p->row_count);
    else
        put_intervals(file, p);
    cn_block_matrix w = cn_export_matrix(p, arena);
    put_matrix(file, &w);
    put_numbers(file, p->q, p->row_count);
    if (kind == CN_PROBLEM_FRICTION)
        put_frictions(file, p);
    if (kind == CN_PROBLEM_RELAY)
        put_bounds(file, p);
}

static bool put_file(const char *path, const cn_problem *p, cn_problem_kind kind, const cn_global_matrices *g, cn_arena *arena)
{
    cn_whole_file out;
    if (!cn_whole_file_begin(&out, path))
        return false;
    if (kind == CN_PROBLEM_GLOBAL)
        put_global(out.file, p, g);
    else if (kind == CN_PROBLEM_CAIRN)
        cn_put_own(out.file, p);
    else
        put_reduced(out.file, p, kind, arena);
    return cn_whole_file_finish(&out);
}

bool cn_problem_write(const char *path, const cn_problem *problem, cn_problem_kind kind)
{
    cn_problem_kind chosen;
    if (!cn_check_pointer(__func__, "path", path) || !cn_check_pointer(__func__, "problem", problem))
        return false;
    if (!cn_export_kind(problem, kind, &chosen))
        return false;
    cn_arena arena;
    cn_arena_init(&arena, problem->allocator);
    cn_global_matrices global;
    cn_problem *assembled = NULL;
    bool ok = true;
    if (chosen == CN_PROBLEM_GLOBAL && !cn_export_global(problem, &arena, &global)) {
        ok = kind == CN_PROBLEM_ANY; // the reduced form can say it
        chosen = CN_PROBLEM_FRICTION;
    }
    if (ok && chosen != CN_PROBLEM_GLOBAL && problem->row_starts == NULL) { // our own form wants the unit that comes with it
        assembled = cn_problem_copy(problem);
        ok = cn_problem_assemble(assembled);
    }
    ok = ok && put_file(path, assembled != NULL ? assembled : problem, chosen, &global, &arena);
    cn_problem_destroy(assembled);
    cn_arena_free(&arena);
    return ok;
}
