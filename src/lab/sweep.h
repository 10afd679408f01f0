// What Gauss-Seidel sweeps over the blocks of a problem share.
#ifndef CN_LAB_SWEEP_H
#define CN_LAB_SWEEP_H

#include "lab/lab.h"
#include "lab/local.h"

typedef struct cn_lab_sweep {
    const cn_problem *problem;
    cn_law law;
    double relaxation;
    double (*diagonal)[9]; // per block: its own part of W + S
    int *order;            // the blocks, in the order of the next pass
    double *speeds;        // CN_ORDER_PRIORITISED: of all rows, before the pass
    struct cn_ranked *ranks;
} cn_lab_sweep;

// False when it has refused: a row that impulses move has a diagonal that is not positive. A row that nothing moves is no
// obstacle.
bool cn_lab_sweep_init(cn_lab_sweep *sweep, cn_lab_run *run);
// Lays the blocks out as options.order wants it for the next pass.
void cn_lab_sweep_reorder(cn_lab_sweep *sweep, cn_lab_run *run, const double *r);
// Visits every block once, each with the impulses that those before it have left. Returns the largest change of an impulse.
double cn_lab_sweep_pass(const cn_lab_sweep *sweep, cn_lab_run *run, cn_local_step *step, double *r);
// x + relaxation * (target - x) in place of x, within the law. Returns the largest change.
double cn_lab_sweep_relax(const cn_lab_sweep *sweep, int block, const double target[3], double *x);
// Velocities of one block: q + (W + S) r.
void cn_lab_sweep_velocities(const cn_problem *problem, int block, const double *r, double v[3]);
// cn_lab_check; true also when nothing changes any more, or numbers are no longer finite.
bool cn_lab_sweep_check(cn_lab_run *run, const double *r, double change);

// Colours the blocks so that no two of one colour move each other: each takes the first colour its neighbours have left, in the
// order of the blocks. Returns how many colours there are. The matrix of the problem must be there.
int cn_lab_color(const cn_problem *problem, cn_arena *arena, int *colors);
// How many blocks each colour has, for the first `capacity` colours. Returns how many colours there are; 0 without a matrix.
int cn_lab_color_histogram(const cn_problem *problem, int *counts, int capacity);
// Whether an entry of W says anything.
bool cn_lab_couples(const double entry[9]);

#endif
