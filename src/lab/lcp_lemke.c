// Lemke 1965, "Bimatrix equilibrium points and mathematical programming"; lexicographic ratios as in Cottle, Pang and Stone,
// "The linear complementarity problem", chapter 4: with them no basis comes back, so it ends.
#include "lab/lcp.h"
#include "model/dense.h"

#include <math.h>
#include <string.h>

// In the units of the tableau, where the largest number in a row or column of M and of q is about one.
static const double NO_PIVOT = 1e-9; // of the largest number in its column
static const double TIE = 1e-9;      // of the ratios, or of one

// The system w - M z - e z0 = q solved for its basic variables. Columns: w, z, z0, right side. w, z and q are scaled by powers
// of two, which round nothing and change no choice; e is ones before that.
typedef struct tableau {
    int n, columns;
    double *numbers;
    int *basis; // per row: w_i is i, z_i is n + i, z0 is 2n
    double *row_scale, *column_scale, size;
} tableau;

static double *row_of(const tableau *t, int row) { return t->numbers + (size_t)row * (size_t)t->columns; }

// The power of two next to 1 / sqrt(x).
static double inverse_root(double x)
{
    int exponent;
    frexp(x, &exponent);
    return x > 0.0 ? ldexp(1.0, -(exponent / 2)) : 1.0;
}

// Ruiz 2001, "A scaling algorithm to equilibrate both rows and columns norms in matrices".
static void equilibrate(tableau *t, cn_arena *arena, const double *matrix, const double *q)
{
    enum { ROUNDS = 4 };
    int n = t->n;
    double *rows = cn_arena_array(arena, double, n), *columns = cn_arena_array(arena, double, n), most = 0.0;
    for (int i = 0; i < n; i++)
        t->row_scale[i] = t->column_scale[i] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        memset(rows, 0, sizeof(double) * (size_t)n);
        memset(columns, 0, sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double x = fabs(matrix[(size_t)i * (size_t)n + (size_t)j]) * t->row_scale[i] * t->column_scale[j];
                rows[i] = fmax(rows[i], x);
                columns[j] = fmax(columns[j], x);
            }
        }
        for (int i = 0; i < n; i++) {
            t->row_scale[i] *= inverse_root(rows[i]);
            t->column_scale[i] *= inverse_root(columns[i]);
        }
    }
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(q[i]) * t->row_scale[i]);
    t->size = inverse_root(most) * inverse_root(most);
}

static tableau make_tableau(cn_arena *arena, int n, const double *matrix, const double *q)
{
    tableau t = { .n = n, .columns = 2 * n + 2, .basis = cn_arena_array(arena, int, n) };
    size_t size = sizeof(double) * (size_t)n * (size_t)t.columns;
    t.numbers = cn_arena_alloc(arena, size);
    t.row_scale = cn_arena_array(arena, double, n);
    t.column_scale = cn_arena_array(arena, double, n);
    equilibrate(&t, arena, matrix, q);
    memset(t.numbers, 0, size);
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, t.row_scale[i]);
    for (int i = 0; i < n; i++) {
        double *row = row_of(&t, i);
        row[i] = 1.0;
        for (int j = 0; j < n; j++)
            row[n + j] = -matrix[(size_t)i * (size_t)n + (size_t)j] * t.row_scale[i] * t.column_scale[j];
        row[2 * n] = -t.row_scale[i] / largest;
        row[2 * n + 1] = q[i] * t.row_scale[i] * t.size;
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
        if (fabs(left - right) > TIE * (1.0 + fabs(left) + fabs(right)))
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
    double largest = 0.0, least;
    int best = -1;
    for (int i = 0; i < t->n; i++)
        largest = fmax(largest, fabs(row_of(t, i)[column]));
    least = NO_PIVOT * fmax(largest, 1e-3);
    for (int i = 0; i < t->n; i++)
        if (row_of(t, i)[column] > least && (best < 0 || ratio_is_less(t, i, best, column)))
            best = i;
    for (int i = 0; best >= 0 && i < t->n; i++) {
        const double *x = row_of(t, i), *y = row_of(t, best);
        if (t->basis[i] != 2 * t->n || !(x[column] > least))
            continue;
        double left = x[2 * t->n + 1] / x[column], right = y[2 * t->n + 1] / y[column];
        if (left <= right + TIE * (1.0 + fabs(right)))
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

cn_lcp_end cn_lcp_lemke(cn_lab_run *run, cn_arena *arena, int n, const double *matrix, const double *q, int max_pivots,
                        double *z, int *pivots)
{
    tableau t = make_tableau(arena, n, matrix, q);
    cn_lcp_end end = CN_LCP_SOLVED;
    int row = first_row(&t), entering = 2 * n;
    *pivots = 0;
    while (row >= 0) {
        if (*pivots >= max_pivots || cn_lab_out_of_time(run)) {
            end = *pivots >= max_pivots ? CN_LCP_LIMIT : CN_LCP_TIME;
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
            z[t.basis[i] - n] = fmax(0.0, row_of(&t, i)[2 * n + 1]) * t.column_scale[t.basis[i] - n] / t.size;
    if (end == CN_LCP_SOLVED)
        polish(arena, &t, matrix, q, z);
    return end;
}
