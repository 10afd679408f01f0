// What the gradient methods share: projections over all blocks, the shift of De Saxce, the metric of the steps, and norms.
#ifndef CN_GRADIENT_H
#define CN_GRADIENT_H

#include "lab/lab.h"

// fmin and fmax may return either zero of two with different signs; these give the same bits everywhere.
static inline double cn_smaller(double a, double b) { return a < b ? a : b; }
static inline double cn_larger(double a, double b) { return a > b ? a : b; }

bool cn_gradient_has_contacts(const cn_problem *problem);
// Projects every block on what the law allows.
void cn_gradient_project(const cn_problem *problem, cn_law law, double *x);
// s = mu |u_T| on the normals of contacts under CN_LAW_COULOMB, zero elsewhere: with u + s, Coulomb's law is that of the cone.
void cn_gradient_shift(const cn_problem *problem, cn_law law, const double *u, double *s);
// |r - P(r - u)| / |q|: the residual of cn_lab_check from velocities that are known already.
double cn_gradient_residual(const cn_lab_run *run, cn_law law, const double *r, const double *u);

// Per row, the inverse of the diagonal of W + S. The rows of a contact share their mean: a cone scaled in one piece stays one.
double *cn_gradient_metric(cn_lab_run *run);
// The largest eigenvalue of metric * (W + S) by a power iteration from a fixed vector, 5% added because it is met from below.
// Never zero. Counts its products.
double cn_gradient_norm(cn_lab_run *run, const double *metric);

// How far an outer loop goes towards what it wants next: all the way, until renewals have stopped bringing the residual down,
// and then half as far each time they do. A fixed point need not attract.
typedef struct cn_damping {
    double share;
    double best; // residual
    int stale;
} cn_damping;
cn_damping cn_damping_start(void);
void cn_damping_watch(cn_damping *damping, double residual);

// True, and refused, when W is too far from symmetric to be the gradient of an energy.
bool cn_gradient_refuses(cn_lab_run *run, const char *solver);

#endif
