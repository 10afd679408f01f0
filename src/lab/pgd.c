// Projected gradient: r <- P(r - t (u + s)). Renouf and Alart, "Conjugate gradient type algorithms for frictional multi-contact
// problems" (2005), with De Saxce's shift s renewed in every step; the two step lengths of Barzilai and Borwein (1988) in turn,
// as Dai and Fletcher (2005) do for bounds.
#include "lab/gradient.h"

#include <math.h>
#include <string.h>

enum { PATIENCE = 20, SAFE_STEPS = 10 };
static const double longest = 1e5; // in safe steps

typedef struct pgd {
    cn_lab_run *run;
    const double *metric;
    double safe;       // the step under which the energy of a convex law cannot rise
    double *r, *u, *g; // g = u + s
    double *r_before, *g_before;
    double best; // residual
    int since_best, safe_left;
} pgd;

// Long steps make no promise: when they have found nothing better for a while, a few safe ones follow.
static void watch(pgd *a)
{
    double residual = cn_gradient_residual(a->run, a->run->law, a->r, a->u);
    a->since_best++;
    if (residual < a->best) {
        a->best = residual;
        a->since_best = 0;
    } else if (a->since_best > PATIENCE) {
        a->since_best = 0;
        a->safe_left = SAFE_STEPS;
    }
}

// The inverse curvature of the energy along the last step, seen from impulses and from velocities in turn.
static double choose_step(pgd *a)
{
    double rr = 0.0, rg = 0.0, gg = 0.0;
    for (int i = 0; i < a->run->problem->row_count; i++) {
        double dr = a->r[i] - a->r_before[i], dg = a->g[i] - a->g_before[i];
        rr += dr * dr / a->metric[i];
        rg += dr * dg;
        gg += dg * dg * a->metric[i];
    }
    if (a->safe_left > 0)
        a->safe_left--;
    else if (rg > 0.0)
        return cn_smaller(a->run->iterations % 2 == 1 ? rr / rg : rg / gg, longest * a->safe);
    return a->safe;
}

void cn_lab_pgd(cn_lab_run *run)
{
    if (cn_gradient_refuses(run, "pgd"))
        return;
    const cn_problem *p = run->problem;
    size_t size = sizeof(double) * (size_t)p->row_count;
    pgd a = { .run = run, .metric = cn_gradient_metric(run), .best = (double)INFINITY };
    a.safe = run->options.relaxation / cn_gradient_norm(run, a.metric);
    a.r = cn_lab_vector(run), a.u = cn_lab_vector(run), a.g = cn_lab_vector(run);
    a.r_before = cn_lab_vector(run), a.g_before = cn_lab_vector(run);
    memcpy(a.r, run->r, size);
    memcpy(a.r_before, run->r, size);
    do {
        cn_lab_velocities(run, a.r, a.u);
        cn_gradient_shift(p, run->law, a.u, a.g);
        for (int i = 0; i < p->row_count; i++)
            a.g[i] += a.u[i];
        watch(&a);
        double t = choose_step(&a);
        memcpy(a.r_before, a.r, size);
        memcpy(a.g_before, a.g, size);
        for (int i = 0; i < p->row_count; i++)
            a.r[i] -= t * a.metric[i] * a.g[i];
        cn_gradient_project(p, run->law, a.r);
    } while (!cn_lab_check(run, a.r));
}
