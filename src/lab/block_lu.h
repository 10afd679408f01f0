// LU factors of a block sparse matrix whose pattern is made symmetric; its values need not be.
#ifndef CN_BLOCK_LU_H
#define CN_BLOCK_LU_H

#include "base/memory.h"
#include "cairn/model.h"

typedef struct cn_block_lu cn_block_lu;

// Chooses an order of little fill for matrices with the pattern of the problem's W (row_starts, columns). All memory comes from
// the arena here; nothing is allocated afterwards.
cn_block_lu *cn_block_lu_create(cn_arena *arena, const cn_problem *pattern);
// Past `deadline` (cn_now_ms; 0: none) factorisations end where they are, with factors that are of no use.
void cn_block_lu_until(cn_block_lu *lu, double deadline);
// Factors entries + shift * identity, the entries laid out as those of W. Pivoting stays inside the 3x3 blocks: a pivot below
// 1e-14 of the largest entry is replaced by that much, and the answer is false. The factors are usable all the same, as those
// of a matrix nearby; refinement is the caller's.
bool cn_block_lu_factor(cn_block_lu *lu, const double (*entries)[9], double shift);
void cn_block_lu_solve(cn_block_lu *lu, double *x); // in place; x has the problem's rows
int cn_block_lu_fill(const cn_block_lu *lu);        // blocks in L and U together
double cn_block_lu_work(const cn_block_lu *lu);     // products of blocks in a factorisation

#endif
