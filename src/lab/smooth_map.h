// The laws of the blocks as equations F(r, u) = 0 that are smooth almost everywhere, with their derivatives.
#ifndef CN_SMOOTH_MAP_H
#define CN_SMOOTH_MAP_H

#include "cairn/model.h"

// F of one block whose u and r are measured in the same unit, and, unless NULL, dF/dr and dF/du, 3x3 row by row. Contacts under
// CN_LAW_COULOMB and CN_LAW_BOX take Alart and Curnier's function: friction is bounded by mu (r_N - u_N). The rest take
// r - P(r - u). What a block of fewer rows does not use is zero.
void cn_smooth_map(const cn_problem *problem, int block, cn_law law, const double *r, const double *u, double f[3],
                   double by_r[9], double by_u[9]);

#endif
