// Nonsmooth nonlinear conjugate gradients: Silcowitz-Hansen, Niebe and Erleben 2010. What a sweep of projected Gauss-Seidel
// changes stands for the gradient, g = r - sweep(r), and the rule of Fletcher and Reeves combines the directions. A gradient
// that has grown ends the conjugacy: then the sweep alone counts, and directions are collected anew.
//
// Between sweeps r may leave the cones, so what is checked and kept is always the result of a sweep.
#include "lab/sweep.h"

#include <string.h>

void cn_lab_nncg(cn_lab_run *run)
{
    int count = run->problem->row_count;
    cn_lab_sweep sweep;
    if (!cn_lab_sweep_init(&sweep, run))
        return;
    double *r = run->r, *swept = cn_lab_vector(run), *gradient = cn_lab_vector(run), *direction = cn_lab_vector(run);
    double before = 0.0;
    for (;;) {
        memcpy(swept, r, sizeof(double) * (size_t)count);
        cn_lab_sweep_reorder(&sweep, run, swept);
        double change = cn_lab_sweep_pass(&sweep, run, cn_local_rows, swept);
        if (cn_lab_sweep_check(run, swept, change))
            return;
        for (int i = 0; i < count; i++)
            gradient[i] = r[i] - swept[i];
        double square = cn_lab_dot(gradient, gradient, count), beta = before > 0.0 ? square / before : 0.0;
        bool restart = !(beta <= 1.0);
        for (int i = 0; i < count; i++) {
            r[i] = restart ? swept[i] : swept[i] + beta * direction[i];
            direction[i] = restart ? 0.0 : beta * direction[i] - gradient[i];
        }
        before = square;
    }
}
