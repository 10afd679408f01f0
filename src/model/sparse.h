// Sparse matrices of plain numbers, compressed by rows: the form in which problem files and masses come.
#ifndef CN_SPARSE_H
#define CN_SPARSE_H

#include "base/memory.h"

// Row i has the entries starts[i] .. starts[i + 1], columns ascending.
typedef struct cn_sparse {
    int row_count, column_count;
    int *starts, *columns;
    double *values;
} cn_sparse;

typedef struct cn_triplet {
    int row, column;
    double value;
} cn_triplet;

// From entries in any order, all in range. Those of the same place are added up, in the order given.
cn_sparse cn_sparse_make(cn_arena *arena, int row_count, int column_count, const cn_triplet *triplets, int count);
cn_sparse cn_sparse_transpose(cn_arena *arena, const cn_sparse *matrix);
// The entry at a place; zero where none is stored.
double cn_sparse_at(const cn_sparse *matrix, int row, int column);

#endif
