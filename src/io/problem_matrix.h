// The matrices inside problem files, in each of the three ways they are stored.
#ifndef CN_PROBLEM_MATRIX_H
#define CN_PROBLEM_MATRIX_H

#include "io/problem_scan.h"
#include "model/sparse.h"

typedef struct cn_matrix_header {
    int storage; // 0 dense, 1 blocks, 2 sparse
    int row_count, column_count;
} cn_matrix_header;

bool cn_scan_matrix_header(cn_scanner *scanner, const char *name, cn_matrix_header *header);
// What follows the header. Zeros of a dense matrix are left out; those that a sparse one or a block states are kept.
bool cn_scan_matrix_body(cn_scanner *scanner, const char *name, const cn_matrix_header *header, cn_arena *arena,
                         cn_sparse *matrix);

#endif
