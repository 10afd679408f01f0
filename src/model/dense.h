// Small dense systems: LU with partial pivoting, matrices row by row.
#ifndef CN_DENSE_H
#define CN_DENSE_H

// Factorises the n x n matrix `a` in place. Returns -1, or the first column in which no pivot is left: one that is zero but for
// rounding. `scales` is working memory for n numbers.
int cn_lu_factorise(double *a, int n, int *pivots, double *scales);
// Solves a x = b in place with what the above has left.
void cn_lu_solve(const double *a, int n, const int *pivots, double *x);

#endif
