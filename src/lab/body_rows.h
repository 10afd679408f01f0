// The rows of a problem in the coordinates of its bodies, and the sparse matrix that couples bodies that share a block.
#ifndef CN_LAB_BODY_ROWS_H
#define CN_LAB_BODY_ROWS_H

#include "lab/block_lu.h"

// L L^T is the inverse mass of a body, and G = J L: axes that do not move have zeros in it.
typedef struct cn_body_rows {
    const cn_problem *problem;
    double (*g)[CN_BLOCK_ROWS][6]; // per side
    cn_problem pattern;            // of the matrix: two blocks of three rows per body
    cn_block_lu *lu;
} cn_body_rows;

// `even`: the rows of every body are divided by the largest number in its L, so that a ton weighs no more than a gram.
cn_body_rows cn_body_rows_create(const cn_problem *problem, bool even, cn_arena *arena);
// out += G x, for one block; x has six numbers per body.
void cn_body_rows_apply(const cn_body_rows *rows, int block, const double *x, double out[CN_BLOCK_ROWS]);
// x += factor G^T r, for one block.
void cn_body_rows_gather(const cn_body_rows *rows, int block, double factor, const double *r, double *x);
// Factors shift + G^T slopes G, with a 3x3 matrix per block.
void cn_body_rows_factor(cn_body_rows *rows, const double (*slopes)[9], double shift);

#endif
