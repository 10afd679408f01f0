// Alternating direction method of multipliers: Carpentier, Le Lidec and Montaut, "From compliant to rigid contact simulation: a
// unified and efficient approach" (2024).
//
//     x = (W + S + (eta + rho) I)^-1 (rho y + eta x + z - q - s)     impulses that obey the matrix
//     y = P(x - z / rho)                                             impulses that obey the law
//     z = z - rho (x - y)                                            velocities u + s, in the limit
//
// The shift s = mu |z_T| of De Saxce comes from z, not from W y + q: that way it changes as smoothly as the multipliers do. W
// need not be symmetric: the method asks only that the matrix is monotone, and the factors are LU.
#include "lab/block_lu.h"
#include "lab/gradient.h"

#include <math.h>
#include <string.h>

static const double imbalance = 10.0; // how far the two residuals may be apart before rho is changed
static const double widest = 1e6;     // rho stays within that factor of the spectral norm

typedef struct admm {
    cn_lab_run *run;
    int rows;
    double (*entries)[9]; // W + S
    cn_block_lu *factors;
    double *x, *next, *mixed, *y, *y_before, *z, *shift;
    double norm, rho;
} admm;

// A copy of the matrix with softness on its diagonal.
static double (*soft_entries(cn_lab_run *run))[9]
{
    const cn_problem *p = run->problem;
    size_t size = sizeof(double[9]) * (size_t)(p->entry_count + 1);
    double(*entries)[9] = (double(*)[9])cn_arena_alloc(run->arena, size);
    memcpy(entries, p->entries, sizeof(double[9]) * (size_t)p->entry_count);
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            for (int k = 0; p->columns[e] == i && k < p->blocks[i].rows; k++)
                entries[e][4 * k] += p->softness[p->blocks[i].first_row + k];
    return entries;
}

static void set_rho(admm *a, double rho)
{
    a->rho = cn_smaller(cn_larger(rho, a->norm / widest), a->norm * widest);
    cn_block_lu_factor(a->factors, (const double(*)[9])a->entries, a->run->options.proximal + a->rho);
}

// The residuals of one iteration: |x - y|, and |eta dx + rho dy|.
typedef struct gaps {
    double primal, dual;
} gaps;

static gaps iterate(admm *a)
{
    const cn_problem *p = a->run->problem;
    double eta = a->run->options.proximal, omega = a->run->options.relaxation, rho = a->rho;
    cn_gradient_shift(p, a->run->law, a->z, a->shift);
    for (int i = 0; i < a->rows; i++)
        a->next[i] = rho * a->y[i] + eta * a->x[i] + a->z[i] - p->q[i] - a->shift[i];
    cn_block_lu_solve(a->factors, a->next);
    for (int i = 0; i < a->rows; i++) {
        a->mixed[i] = omega * a->next[i] + (1.0 - omega) * a->y[i]; // x over-relaxed
        a->y_before[i] = a->y[i];
        a->y[i] = a->mixed[i] - a->z[i] / rho;
    }
    cn_gradient_project(p, a->run->law, a->y);
    double primal = 0.0, dual = 0.0;
    for (int i = 0; i < a->rows; i++) {
        double apart = a->next[i] - a->y[i], moved = eta * (a->next[i] - a->x[i]) + rho * (a->y[i] - a->y_before[i]);
        a->z[i] -= rho * (a->mixed[i] - a->y[i]);
        a->x[i] = a->next[i];
        primal += apart * apart;
        dual += moved * moved;
    }
    return (gaps){ sqrt(primal), sqrt(dual) };
}

// The multipliers of the impulses to start from are their velocities.
static admm start(cn_lab_run *run)
{
    admm a = { .run = run, .rows = run->problem->row_count, .entries = soft_entries(run) };
    double **vectors[] = { &a.x, &a.next, &a.mixed, &a.y, &a.y_before, &a.z, &a.shift };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = cn_lab_vector(run);
    for (int i = 0; i < a.rows; i++) {
        a.mixed[i] = 1.0;
        a.x[i] = a.y[i] = run->r[i];
    }
    a.norm = cn_gradient_norm(run, a.mixed);
    a.factors = cn_block_lu_create(run->arena, run->problem);
    cn_block_lu_until(a.factors, run->deadline);
    cn_gradient_project(run->problem, run->law, a.y);
    cn_lab_velocities(run, a.y, a.z);
    cn_gradient_shift(run->problem, run->law, a.z, a.shift);
    for (int i = 0; i < a.rows; i++)
        a.z[i] += a.shift[i];
    set_rho(&a, sqrt(a.norm * run->options.proximal));
    return a;
}

void cn_lab_admm(cn_lab_run *run)
{
    if (run->law == CN_LAW_BOX && cn_gradient_has_contacts(run->problem)) {
        cn_lab_refuse(run, "admm projects on a fixed convex set, and that of law box moves with the normal impulse");
        return;
    }
    admm a = start(run);
    for (;;) {
        gaps gap = iterate(&a);
        if (cn_lab_check(run, a.y))
            return;
        if (gap.primal > imbalance * gap.dual)
            set_rho(&a, 2.0 * a.rho);
        else if (gap.dual > imbalance * gap.primal)
            set_rho(&a, 0.5 * a.rho);
    }
}
