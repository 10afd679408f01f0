#include "lab_vectors.h"
#include "model/law.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double length(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// The natural map in the form of De Saxce with a step of one, whatever the friction and the units.
static double contact_error(const cn_block *b, const double *r, const double *u)
{
    double x[3] = { r[0] - u[0] - b->friction * length(u + 1, 2), r[1] - u[1], r[2] - u[2] };
    cn_project_cone(b->friction, x);
    for (int k = 0; k < 3; ++k)
        x[k] -= r[k];
    return length(x, 3);
}

static double natural_map(const cn_problem *p, const double *r, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < p->block_count; ++i) {
        const cn_block *b = &p->blocks[i];
        double e = b->kind == CN_BLOCK_CONTACT ? contact_error(b, r + b->first_row, u + b->first_row) : 0.0;
        sum += e * e;
        for (int row = b->first_row; b->kind == CN_BLOCK_BOUNDED && row < b->first_row + b->rows; ++row)
            sum += pow(fmin(r[row], u[row]), 2.0);
    }
    return sqrt(sum);
}

double cn_siconos_error(const cn_problem *p, cn_problem_kind kind, const double *r)
{
    int rows = p->row_count;
    double *u = calloc((size_t)rows + 1, sizeof *u);
    if (!u || (kind != CN_PROBLEM_FRICTION && kind != CN_PROBLEM_GLOBAL && kind != CN_PROBLEM_LCP)) {
        free(u);
        return (double)NAN;
    }
    cn_problem_multiply(p, r, u);
    for (int i = 0; i < rows; ++i)
        u[i] += p->q[i];
    double scale = kind == CN_PROBLEM_LCP      ? length(p->q, rows)
                   : kind == CN_PROBLEM_GLOBAL ? fmax(length(r, rows), length(u, rows))
                                               : fmax(length(p->q, rows), fmax(length(r, rows), length(u, rows)));
    double error = natural_map(p, r, u);
    free(u);
    return scale > DBL_EPSILON ? error / scale : error;
}
