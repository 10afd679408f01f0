// Which of many answers: the least of those that move the bodies in the same way.
//
// Where there are more contacts than it takes, as under a table, impulses are not unique. Solvers differ in which ones they
// find: a sweep leaves the load where it came by first, pivoting leaves some legs without any. But once velocities are known
// the law of a contact leaves a convex set of impulses (a cone where it sticks, a ray where it slides, nothing where it opens),
// and of all impulses in these sets that push every body as the solver's do, one is the shortest: the load shared as equal
// springs under rigid bodies would share it.
#ifndef CN_LAB_LEVEL_H
#define CN_LAB_LEVEL_H

#include "cairn/lab.h"

typedef struct cn_lab_levelled {
    bool changed;
    bool slides; // some contact was held to its direction of friction
    double work; // products of 3x3 blocks in factorisations
} cn_lab_levelled;

// Leads r, an answer under Coulomb's law, to the least one with the same velocities. Locks adapt; what motors, limits and soft
// rows carry stays as it is, and so does all that is squeezed by it. The residual does not rise above the tolerance of the
// options, or above what it was if that is more; where that cannot be had within their max_work, and for problems that have no
// bodies, r stays as it is.
cn_lab_levelled cn_lab_level(const cn_problem *problem, const cn_lab_options *options, double *r);

#endif
