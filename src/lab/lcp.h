// Linear complementarity problems: w = M z + q, with w >= 0, z >= 0 and no z_i and w_i both above zero.
#ifndef CN_LAB_LCP_H
#define CN_LAB_LCP_H

#include "lab/lab.h"

typedef enum cn_lcp_end { CN_LCP_SOLVED, CN_LCP_RAY, CN_LCP_LIMIT, CN_LCP_TIME } cn_lcp_end;

// Lemke's method with the covering vector of ones and lexicographic ratios. M is n x n, row by row. Leaves the last basic
// solution in z and the number of pivots in *pivots.
cn_lcp_end cn_lcp_lemke(cn_lab_run *run, cn_arena *arena, int n, const double *matrix, const double *q, int max_pivots,
                        double *z, int *pivots);

// Tries every basis of a small problem with pairs (see below) of complementary unknowns from `bounded` on. False when it is not
// small, or none fits.
bool cn_lcp_enumerate(cn_lab_run *run, cn_arena *arena, int n, int bounded, const double *matrix, const double *q, double *z);

// ---- a contact problem as a linear complementarity problem, the cone as a pyramid

typedef struct cn_lcp cn_lcp;

// Poses the problem, or refuses when it would have more than `max_size` unknowns, or runs out of time (run->stop): then NULL.
// Equalities that repeat or contradict each other are posed as they are.
cn_lcp *cn_lcp_create(cn_lab_run *run, cn_arena *arena, const cn_problem *problem, int max_size);
int cn_lcp_size(const cn_lcp *lcp);
// Unknowns that are not parts of pairs; those come behind. Pairs stand for what singular equalities leave open.
int cn_lcp_bounded(const cn_lcp *lcp);
const double *cn_lcp_matrix(const cn_lcp *lcp);
const double *cn_lcp_q(const cn_lcp *lcp);
void cn_lcp_impulses(cn_lcp *lcp, cn_arena *arena, const double *z, double *r); // rows of the problem

// Solves the first `count` of `size` equations full x + right = 0, the right side being the last column of `full`, for as many
// of the first `count` unknowns as they determine, and puts these into all other equations. Returns how many they are; `rows`
// and `columns` say where they stand, and then which rows and columns are left (lcp_eliminate.c).
int cn_lcp_eliminate(cn_lab_run *run, cn_arena *arena, double *full, int size, int count, int *rows, int *columns);

#endif
