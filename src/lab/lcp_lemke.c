// Lemke 1965, "Bimatrix equilibrium points and mathematical programming"; lexicographic ratios as in Cottle, Pang and Stone,
// "The linear complementarity problem", chapter 4: with them no basis comes back, so it ends.
#include "lab/lcp.h"
#include "model/dense.h"

#include <math.h>
#include <string.h>

// The system w - M z - e z0 = q solved for its basic variables. Columns: w, z, z0, right side.
typedef struct tableau {
    int n, columns;
    double *numbers;
    int *basis; // per row: w_i is i, z_i is n + i, z0 is 2n
} tableau;

static double *row_of(const tableau *t, int row) { return t->numbers + (size_t)row * (size_t)t->columns; }

static tableau make_tableau(cn_arena *arena, int n, const double *matrix, const double *q)
{
    tableau t = { .n = n, .columns = 2 * n + 2, .basis = cn_arena_array(arena, int, n) };
    size_t size = sizeof(double) * (size_t)n * (size_t)t.columns;
    t.numbers = cn_arena_alloc(arena, size);
    memset(t.numbers, 0, size);
    for (int i = 0; i < n; i++) {
        double *row = row_of(&t, i);
        row[i] = 1.0;
        for (int j = 0; j < n; j++)
            row[n + j] = -matrix[(size_t)i * (size_t)n + (size_t)j];
        row[2 * n] = -1.0;
        row[2 * n + 1] = q[i];
        t.basis[i] = i;
    }
    return t;
}

static void pivot(tableau *t, int row, int column)
{
    double *pivot_row = row_of(t, row), scale = 1.0 / pivot_row[column];
    for (int j = 0; j < t->columns; j++)
        pivot_row[j] *= scale;
    pivot_row[column] = 1.0;
    for (int i = 0; i < t->n; i++) {
        double *other = row_of(t, i), factor = other[column];
        if (i == row || factor == 0.0)
            continue;
        for (int j = 0; j < t->columns; j++)
            other[j] -= factor * pivot_row[j];
        other[column] = 0.0;
    }
    t->basis[row] = column;
}

// Whether (right side, columns of w) of row a, divided by its entry in the column, comes before that of row b.
static bool ratio_is_less(const tableau *t, int a, int b, int column)
{
    const double *x = row_of(t, a), *y = row_of(t, b);
    double dx = fabs(x[column]), dy = fabs(y[column]);
    for (int k = -1; k < t->n; k++) {
        int j = k < 0 ? 2 * t->n + 1 : k;
        double left = x[j] / dx, right = y[j] / dy;
        if (fabs(left - right) > 1e-11 * (1.0 + fabs(left) + fabs(right)))
            return left < right;
    }
    return false;
}

// The row that z0 replaces at first: the most negative one. -1: none is negative.
static int first_row(const tableau *t)
{
    int best = -1;
    for (int i = 0; i < t->n; i++)
        if (row_of(t, i)[2 * t->n + 1] < 0.0 && (best < 0 || ratio_is_less(t, i, best, 2 * t->n)))
            best = i;
    return best;
}

// -1: nothing blocks, a ray. z0 leaves as soon as it may.
static int leaving_row(const tableau *t, int column)
{
    double largest = 0.0;
    int best = -1;
    for (int i = 0; i < t->n; i++)
        largest = fmax(largest, fabs(row_of(t, i)[column]));
    for (int i = 0; i < t->n; i++)
        if (row_of(t, i)[column] > 1e-11 * fmax(largest, 1e-3) && (best < 0 || ratio_is_less(t, i, best, column)))
            best = i;
    for (int i = 0; best >= 0 && i < t->n; i++) {
        const double *x = row_of(t, i), *y = row_of(t, best);
        if (t->basis[i] != 2 * t->n || !(x[column] > 1e-11 * fmax(largest, 1e-3)))
            continue;
        double left = x[2 * t->n + 1] / x[column], right = y[2 * t->n + 1] / y[column];
        if (left <= right + 1e-12 * (1.0 + fabs(right)))
            return i;
    }
    return best;
}

static double natural_map(int n, const double *matrix, const double *q, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++)
            w += matrix[(size_t)i * (size_t)n + (size_t)j] * z[j];
        double least = fmin(w, z[i]);
        sum += least * least;
    }
    return sum;
}

// Many pivots have rounded: solves M_bb z_b = -q_b anew for the basic z, and keeps that where it is better.
static void polish(cn_arena *arena, const tableau *t, const double *matrix, const double *q, double *z)
{
    int n = t->n, count = 0, *rows = cn_arena_array(arena, int, n), *exchanges = cn_arena_array(arena, int, n);
    for (int i = 0; i < n; i++)
        if (t->basis[i] >= n && t->basis[i] < 2 * n)
            rows[count++] = t->basis[i] - n;
    size_t square = (size_t)count * (size_t)count;
    double *part = cn_arena_array(arena, double, square), *x = cn_arena_array(arena, double, n);
    double *fresh = cn_arena_array(arena, double, n);
    for (int i = 0; i < count; i++) {
        x[i] = -q[rows[i]];
        for (int j = 0; j < count; j++)
            part[(size_t)i * (size_t)count + (size_t)j] = matrix[(size_t)rows[i] * (size_t)n + (size_t)rows[j]];
    }
    if (cn_lu_factorise(part, count, exchanges, fresh) >= 0)
        return;
    cn_lu_solve(part, count, exchanges, x);
    memset(fresh, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < count; i++)
        fresh[rows[i]] = fmax(0.0, x[i]);
    if (natural_map(n, matrix, q, fresh) < natural_map(n, matrix, q, z))
        memcpy(z, fresh, sizeof(double) * (size_t)n);
}

cn_lcp_end cn_lcp_lemke(cn_arena *arena, int n, const double *matrix, const double *q, int max_pivots, double *z, int *pivots)
{
    tableau t = make_tableau(arena, n, matrix, q);
    cn_lcp_end end = CN_LCP_SOLVED;
    int row = first_row(&t), entering = 2 * n;
    *pivots = 0;
    while (row >= 0) {
        if (*pivots >= max_pivots) {
            end = CN_LCP_LIMIT;
            break;
        }
        int leaving = t.basis[row];
        pivot(&t, row, entering);
        ++*pivots;
        if (leaving == 2 * n)
            break;
        entering = leaving < n ? leaving + n : leaving - n; // its complement
        row = leaving_row(&t, entering);
        if (row < 0)
            end = CN_LCP_RAY;
    }
    memset(z, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++)
        if (t.basis[i] >= n && t.basis[i] < 2 * n)
            z[t.basis[i] - n] = fmax(0.0, row_of(&t, i)[2 * n + 1]);
    if (end == CN_LCP_SOLVED)
        polish(arena, &t, matrix, q, z);
    return end;
}
