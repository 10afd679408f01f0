// The matrices and vectors a problem is written with, whatever the form of the file.
#ifndef CN_PROBLEM_EXPORT_H
#define CN_PROBLEM_EXPORT_H

#include "base/memory.h"
#include "cairn/problem_file.h"

#include <stdio.h>

// A matrix of blocks of any size, compressed by rows. Values are block after block, each column by column.
typedef struct cn_block_matrix {
    int row_count, column_count; // in blocks
    int *row_ends, *column_ends; // where each block row and column ends
    int *starts, *columns;
    double *values;
} cn_block_matrix;

// M v = H r + f, u = H' v + w. Bodies that do not move, and the axes along which others cannot, are left out: their velocity is
// in w.
typedef struct cn_global_matrices {
    cn_block_matrix mass, jacobian; // a block row per body; a block column of H per contact
    double *force, *bias;
} cn_global_matrices;

// What `problem` is to be written as when `kind` is asked for. False, with cn_last_error(), when files of that kind cannot say
// what it holds.
bool cn_export_kind(const cn_problem *problem, cn_problem_kind kind, cn_problem_kind *chosen);
// With 17 digits and a space behind them; the decimal point is a point whatever the locale is (problem_write.c).
void cn_put_number(FILE *file, double value);
// W of a problem that has its matrix.
cn_block_matrix cn_export_matrix(const cn_problem *problem, cn_arena *arena);
// False when the mass of a body is singular other than along its own axes. The bodies' numbers are checked by then.
bool cn_export_global(const cn_problem *problem, cn_arena *arena, cn_global_matrices *global);

int cn_block_matrix_rows(const cn_block_matrix *matrix);
int cn_block_matrix_columns(const cn_block_matrix *matrix);

#endif
