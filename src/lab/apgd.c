// Accelerated projected gradient: Mazhar, Heyn, Tasora and Negrut, "Using Nesterov's method to accelerate multibody dynamics
// with friction and contact" (2015), with the restart of O'Donoghue and Candes (2015).
//
// Minimises 1/2 r.W r + (q + s).r over the cones. Under Coulomb's law an outer loop renews the shift s = mu |u_T| of De Saxce,
// after Cadoux (2009): its fixed points are the solutions.
#include "lab/gradient.h"

#include <math.h>
#include <string.h>

enum { LONGEST_PASS = 2000 };
static const double pass_accuracy = 0.3; // a pass ends when the cone problem is that much more exact than Coulomb's
static const double shrinking = 0.9;     // of the curvature bound in every step, so that steps grow where the energy is flat

typedef struct apgd {
    cn_lab_run *run;
    int rows;
    const double *metric;
    double *r, *wr; // the iterate, and W times it
    double *next, *w_next;
    double *y, *wy; // extrapolated: where the gradient is taken
    double *g, *u;
    double curvature, least_curvature, theta;
    // the outer loop
    double *shift, *wanted;
    cn_damping damping;
    int pass, renewals;
} apgd;

// ---- the cone problem

static void restart(apgd *a)
{
    memcpy(a->y, a->r, sizeof(double) * (size_t)a->rows);
    memcpy(a->wy, a->wr, sizeof(double) * (size_t)a->rows);
    a->theta = 1.0;
}

// The next iterate from y, with a step short enough for the quadratic model to stay above the energy: d.W d <= curvature |d|^2.
// That form needs no difference of energies, which rounding would swamp near the solution; what rounding is left is allowed
// for.
static void take_step(apgd *a)
{
    const cn_problem *p = a->run->problem;
    for (int i = 0; i < a->rows; i++)
        a->g[i] = a->wy[i] + p->q[i] + a->shift[i];
    for (;; a->curvature *= 2.0) {
        double bent = 0.0, length = 0.0, rounding = 0.0;
        for (int i = 0; i < a->rows; i++)
            a->next[i] = a->y[i] - a->metric[i] * a->g[i] / a->curvature;
        cn_gradient_project(p, a->run->law, a->next);
        cn_problem_multiply(p, a->next, a->w_next);
        a->run->products++;
        for (int i = 0; i < a->rows; i++) {
            double d = a->next[i] - a->y[i];
            bent += d * (a->w_next[i] - a->wy[i]);
            length += d * d / a->metric[i];
            rounding += 1e-14 * fabs(d * a->w_next[i]);
        }
        if (!(bent > a->curvature * length + rounding) || a->curvature > 1e3 * a->least_curvature)
            return;
    }
}

// Takes the step, and extrapolates unless it went uphill. W y follows from products that are known.
static void extrapolate(apgd *a)
{
    double uphill = 0.0, theta = a->theta;
    for (int i = 0; i < a->rows; i++)
        uphill += a->g[i] * (a->next[i] - a->r[i]);
    a->theta = uphill > 0.0 ? 1.0 : 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
    double beta = uphill > 0.0 ? 0.0 : theta * (1.0 - theta) / (theta * theta + a->theta);
    for (int i = 0; i < a->rows; i++) {
        a->y[i] = a->next[i] + beta * (a->next[i] - a->r[i]);
        a->wy[i] = a->w_next[i] + beta * (a->w_next[i] - a->wr[i]);
        a->r[i] = a->next[i];
        a->wr[i] = a->w_next[i];
    }
    a->curvature = cn_larger(shrinking * a->curvature, a->least_curvature);
}

// ---- Coulomb's law

// Renews the shift when the cone problem is solved well enough. False when that has been done max_outer times.
static bool renew_shift(apgd *a)
{
    const cn_problem *p = a->run->problem;
    for (int i = 0; i < a->rows; i++)
        a->u[i] = a->wr[i] + p->q[i];
    double residual = cn_gradient_residual(a->run, CN_LAW_COULOMB, a->r, a->u);
    cn_gradient_shift(p, CN_LAW_COULOMB, a->u, a->wanted);
    for (int i = 0; i < a->rows; i++)
        a->u[i] += a->shift[i];
    double of_cone = cn_gradient_residual(a->run, CN_LAW_RELAXED, a->r, a->u);
    if (of_cone > pass_accuracy * residual && ++a->pass < LONGEST_PASS)
        return true;
    cn_damping_watch(&a->damping, residual);
    for (int i = 0; i < a->rows; i++)
        a->shift[i] += a->damping.share * (a->wanted[i] - a->shift[i]);
    a->pass = 0;
    restart(a);
    return ++a->renewals <= a->run->options.max_outer;
}

static apgd start(cn_lab_run *run)
{
    apgd a = { .run = run, .rows = run->problem->row_count, .metric = cn_gradient_metric(run), .damping = cn_damping_start() };
    double **vectors[] = { &a.r, &a.wr, &a.next, &a.w_next, &a.y, &a.wy, &a.g, &a.u, &a.shift, &a.wanted };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = cn_lab_vector(run);
    a.curvature = cn_gradient_norm(run, a.metric);
    a.least_curvature = 0.05 * a.curvature;
    memcpy(a.r, run->r, sizeof(double) * (size_t)a.rows);
    cn_problem_multiply(run->problem, a.r, a.wr);
    run->products++;
    for (int i = 0; i < a.rows; i++)
        a.u[i] = a.wr[i] + run->problem->q[i];
    cn_gradient_shift(run->problem, run->law, a.u, a.shift);
    restart(&a);
    return a;
}

void cn_lab_apgd(cn_lab_run *run)
{
    bool contacts = cn_gradient_has_contacts(run->problem);
    if (contacts && run->law == CN_LAW_BOX) {
        cn_lab_refuse(run, "apgd minimises over a fixed convex set, and that of law box moves with the normal impulse");
        return;
    }
    if (cn_gradient_refuses(run, "apgd"))
        return;
    bool renewed = run->law == CN_LAW_COULOMB && contacts;
    apgd a = start(run);
    for (;;) {
        take_step(&a);
        extrapolate(&a);
        if (cn_lab_check(run, a.r))
            return;
        if (renewed && !renew_shift(&a)) {
            run->stop = CN_STOP_STALLED;
            return;
        }
    }
}
