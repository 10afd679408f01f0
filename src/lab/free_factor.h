// The Cholesky factor of some rows of a symmetric matrix, as rows join and leave.
#ifndef CN_LAB_FREE_FACTOR_H
#define CN_LAB_FREE_FACTOR_H

typedef struct cn_free_factor {
    int n;
    const double *a; // n x n, symmetric
    double *numbers; // n x n: the factor of the members, in their order
    int *members, count;
    double least; // the square of a pivot is at least this
} cn_free_factor;

// Both cost the square of how many there are.
void cn_free_factor_add(cn_free_factor *factor, int row);
void cn_free_factor_remove(cn_free_factor *factor, int row);
// A x = y between the members, in their order and in place.
void cn_free_factor_solve(const cn_free_factor *factor, double *y);

#endif
