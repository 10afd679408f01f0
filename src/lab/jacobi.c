// Projected Jacobi: every block is solved exactly from the velocities that the previous iteration left, then all move by a
// fraction.
//
// With D the block diagonal of W and s_i = sqrt(x_i . W_ii x_i), a positive semi-definite W has x_i . W_ij x_j <= s_i s_j,
// hence x . W x <= d x . D x where d is the largest number of blocks that one block is coupled to, itself included. D / omega -
// W is then positive semi-definite for omega = 1 / d, and the energy of a convex law never rises: that omega is the default.
#include "lab/sweep.h"

#include <math.h>
#include <string.h>

static double safe_relaxation(const cn_problem *p)
{
    int most = 1;
    for (int i = 0; i < p->block_count; i++) {
        int coupled = 0;
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            coupled += cn_lab_couples(p->entries[e]);
        most = coupled > most ? coupled : most;
    }
    return 1.0 / most;
}

static double jacobi_pass(const cn_lab_sweep *sweep, const double *u, double *r)
{
    const cn_problem *p = sweep->problem;
    double largest = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        int row = p->blocks[i].first_row;
        double target[3] = { 0.0 };
        memcpy(target, r + row, sizeof(double) * (size_t)p->blocks[i].rows);
        cn_local_exact(p, i, sweep->law, sweep->diagonal[i], u + row, target);
        largest = fmax(largest, cn_lab_sweep_relax(sweep, i, target, r + row));
    }
    return largest;
}

void cn_lab_jacobi(cn_lab_run *run)
{
    cn_lab_sweep sweep;
    if (!cn_lab_sweep_init(&sweep, run))
        return;
    if (sweep.relaxation == 0.0)
        sweep.relaxation = safe_relaxation(run->problem);
    double *u = cn_lab_vector(run), change;
    do {
        cn_lab_velocities(run, run->r, u);
        change = jacobi_pass(&sweep, u, run->r);
    } while (!cn_lab_sweep_check(run, run->r, change));
}
