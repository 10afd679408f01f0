#include "lab/gradient.h"
#include "model/law.h"

#include <math.h>
#include <string.h>

enum { POWER_STEPS = 15 };
static const double allowed_asymmetry = 1e-2; // relative to the largest entry

bool cn_gradient_has_contacts(const cn_problem *p)
{
    for (int i = 0; i < p->block_count; i++)
        if (p->blocks[i].kind == CN_BLOCK_CONTACT)
            return true;
    return false;
}

void cn_gradient_project(const cn_problem *p, cn_law law, double *x)
{
    for (int i = 0; i < p->block_count; i++)
        cn_project_block(p, i, law, x + p->blocks[i].first_row);
}

void cn_gradient_shift(const cn_problem *p, cn_law law, const double *u, double *s)
{
    memset(s, 0, sizeof(double) * (size_t)p->row_count);
    for (int i = 0; i < p->block_count && law == CN_LAW_COULOMB; i++) {
        const cn_block *b = &p->blocks[i];
        const double *ub = u + b->first_row;
        if (b->kind == CN_BLOCK_CONTACT)
            s[b->first_row] = b->friction * sqrt(ub[1] * ub[1] + ub[2] * ub[2]);
    }
}

double cn_gradient_residual(const cn_lab_run *run, cn_law law, const double *r, const double *u)
{
    const cn_problem *p = run->problem;
    double sum = 0.0;
    for (int i = 0; i < p->block_count; i++)
        sum += cn_map_square(p, i, law, 1.0, r + p->blocks[i].first_row, u + p->blocks[i].first_row);
    return sqrt(sum) / run->q_norm;
}

// ---- outer loops

enum { PATIENCE = 10 };
static const double least_share = 0.2;

cn_damping cn_damping_start(void) { return (cn_damping){ .share = 1.0, .best = (double)INFINITY }; }

void cn_damping_watch(cn_damping *damping, double residual)
{
    if (residual < damping->best) {
        damping->best = residual;
        damping->stale = 0;
    } else if (++damping->stale >= PATIENCE) {
        damping->best = residual;
        damping->stale = 0;
        damping->share = cn_larger(0.5 * damping->share, least_share);
    }
}

// ---- the matrix

// The entry in block row i and column j; NULL when there is none.
static const double *find_entry(const cn_problem *p, int i, int j)
{
    int low = p->row_starts[i], high = p->row_starts[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->columns[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->row_starts[i + 1] && p->columns[low] == j ? p->entries[low] : NULL;
}

double *cn_gradient_metric(cn_lab_run *run)
{
    const cn_problem *p = run->problem;
    double *metric = cn_lab_vector(run);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        const double *w = find_entry(p, i, i);
        double diagonal[3] = { 0.0 }, mean = 0.0;
        for (int k = 0; k < b->rows; k++) {
            diagonal[k] = (w != NULL ? w[4 * k] : 0.0) + p->softness[b->first_row + k];
            mean += diagonal[k] / b->rows;
        }
        for (int k = 0; k < b->rows; k++) {
            double d = b->kind == CN_BLOCK_CONTACT ? mean : diagonal[k];
            metric[b->first_row + k] = d > 0.0 ? 1.0 / d : 1.0;
        }
    }
    return metric;
}

double cn_gradient_norm(cn_lab_run *run, const double *metric)
{
    const cn_problem *p = run->problem;
    double *x = cn_lab_vector(run), *w = cn_lab_vector(run), norm = 0.0;
    uint32_t random = 1;
    for (int i = 0; i < p->row_count; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] = (double)(random >> 8) / 8388608.0 - 1.0;
    }
    for (int step = 0; step < POWER_STEPS; step++) {
        double before = 0.0, after = 0.0;
        cn_problem_multiply(p, x, w);
        run->products++;
        for (int i = 0; i < p->row_count; i++) {
            double image = metric[i] * w[i];
            before += x[i] * x[i] / metric[i];
            after += image * image / metric[i];
            x[i] = image;
        }
        if (!(after > 0.0) || !(before > 0.0))
            break;
        norm = sqrt(after / before);
        for (int i = 0; i < p->row_count; i++)
            x[i] /= sqrt(after);
    }
    return norm > 0.0 && isfinite(norm) ? 1.05 * norm : 1.0;
}

static double asymmetry(const cn_problem *p)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            const double *w = p->entries[e], *v = find_entry(p, p->columns[e], i);
            for (int k = 0; k < 9; k++) {
                largest = cn_larger(largest, fabs(w[k]));
                difference = cn_larger(difference, fabs(w[k] - (v != NULL ? v[3 * (k % 3) + k / 3] : 0.0)));
            }
        }
    }
    return largest > 0.0 ? difference / largest : 0.0;
}

bool cn_gradient_refuses(cn_lab_run *run, const char *solver)
{
    double found = asymmetry(run->problem);
    if (found <= allowed_asymmetry)
        return false;
    cn_lab_refuse(run, "%s needs a symmetric matrix; this one differs from its transpose by %g of its largest entry", solver,
                  found);
    return true;
}
