// One block against everything else held fixed: what a sweep does at each of its stops.
#ifndef CN_LAB_LOCAL_H
#define CN_LAB_LOCAL_H

#include "cairn/model.h"

// Changes the impulses x of a block. `k` says how its velocities answer to them (3x3, row by row, softness included; what a
// smaller block does not use is ignored), `v` are its velocities with x as it comes in. Numbers stay finite whatever k is: what
// k cannot move, stays.
typedef void cn_local_step(const cn_problem *problem, int block, cn_law law, const double k[9], const double v[3], double x[3]);

// To machine precision, where k is positive definite: the block then obeys its law. k need not be symmetric.
cn_local_step cn_local_exact;
// A contact as a ball joint whose impulse is then clipped; a pull becomes nothing. Other blocks exactly.
cn_local_step cn_local_clipped;
// Row by row: the normal, then friction within the bound that this normal gives. Or one half of that.
cn_local_step cn_local_rows, cn_local_normal, cn_local_friction;

// Friction of least energy in a disc: x minimises 1/2 x . k_TT x + b . x over |x| <= radius, so that k_TT x + b opposes x or is
// zero. Returns the sliding speed |k_TT x + b|.
double cn_local_disc(const double k[9], const double b[2], double radius, double x[2]);

#endif
