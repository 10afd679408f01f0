// The laws of the blocks: projections, and the natural map that is zero at a solution.
#ifndef CN_LAW_H
#define CN_LAW_H

#include "cairn/model.h"

// Euclidean projection of x = (normal, tangent 1, tangent 2) on the cone |x_T| <= mu x_N.
void cn_project_cone(double mu, double x[3]);
// On its dual, x_N >= mu |x_T|.
void cn_project_dual_cone(double mu, double x[3]);
// Of (x[1], x[2]) on the disc of a radius that is not negative.
void cn_project_disc(double radius, double x[3]);

// Euclidean projection of a block's impulses on the set its law allows. For CN_LAW_BOX, whose set moves with the normal: the
// normal first, then each tangent to the box of that normal.
void cn_project_block(const cn_problem *problem, int block, cn_law law, double *x);

// e = r - P(r - u) for one block, u corrected as its law wants (De Saxce's shift for CN_LAW_COULOMB). r and u are in the same
// unit and point to the block's rows. Under CN_LAW_BOX, and for a friction above 1, tangents are clamped to the box or disc of
// r_N itself.
void cn_natural_map(const cn_problem *problem, int block, cn_law law, const double *r, const double *u, double e[3]);
// The square of the natural map of one block in units of velocity (residual.c).
double cn_map_square(const cn_problem *problem, int block, cn_law law, double unit, const double *r, const double *u);
// Raises the parts of a residual that are in physical units to those of one contact (residual.c).
void cn_measure_contact(const cn_block *block, cn_law law, const double *r, const double *u, cn_residual *out);

#endif
