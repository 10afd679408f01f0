// LU with partial pivoting.
#include "model/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double *row_of(double *a, int n, int row) { return a + (size_t)row * (size_t)n; }

static int find_pivot(double *a, int n, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(row_of(a, n, i)[k]) > fabs(row_of(a, n, best)[k]))
            best = i;
    return best;
}

int cn_lu_factorise(double *a, int n, int *pivots, double *scales)
{
    memset(scales, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            scales[j] = fmax(scales[j], fabs(row_of(a, n, i)[j]));
    for (int k = 0; k < n; k++) {
        int best = find_pivot(a, n, k);
        double *pivot = row_of(a, n, k), *other = row_of(a, n, best);
        pivots[k] = best;
        if (!(fabs(other[k]) > 1e-14 * scales[k] && isfinite(other[k])))
            return k;
        for (int j = 0; best != k && j < n; j++) {
            double swapped = pivot[j];
            pivot[j] = other[j];
            other[j] = swapped;
        }
        for (int i = k + 1; i < n; i++) {
            double *row = row_of(a, n, i), factor = row[k] /= pivot[k];
            for (int j = k + 1; factor != 0.0 && j < n; j++)
                row[j] -= factor * pivot[j];
        }
    }
    return -1;
}

void cn_lu_solve(const double *a, int n, const int *pivots, double *x)
{
    for (int k = 0; k < n; k++) {
        double swapped = x[pivots[k]];
        x[pivots[k]] = x[k];
        x[k] = swapped;
    }
    for (int k = 1; k < n; k++)
        for (int j = 0; j < k; j++)
            x[k] -= a[(size_t)k * (size_t)n + (size_t)j] * x[j];
    for (int k = n - 1; k >= 0; k--) {
        const double *row = a + (size_t)k * (size_t)n;
        for (int j = k + 1; j < n; j++)
            x[k] -= row[j] * x[j];
        x[k] /= row[k];
    }
}
