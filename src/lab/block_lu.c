// Left-looking block LU: a row of U and a column of L are finished at a time, from the finished ones that reach them.
#include "lab/block_lu.h"
#include "base/timer.h"
#include "lab/block_order.h"

#include <math.h>
#include <string.h>

struct cn_block_lu {
    cn_block_order order;
    int entry_count, row_count;
    int *targets;           // per entry of W: its block in `blocks`
    double (*blocks)[9];    // the three below, one after the other
    double (*inverses)[9];  // per position: the inverse of its pivot block
    double (*upper)[9];     // U, by the slots of the order
    double (*lower)[9];     // L, its columns by the same slots; times the inverse of the pivot
    int *first_rows, *rows; // per position, of x
    int *slot_of;           // per position, while a row is worked on
    double (*work)[3];      // x in the order of elimination
    double deadline;        // 0: none
};

static int slot_between(const cn_block_order *o, int row, int column)
{
    int low = o->starts[row], high = o->starts[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (o->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_targets(cn_block_lu *lu, const cn_problem *pattern)
{
    const cn_block_order *o = &lu->order;
    for (int i = 0; i < pattern->block_count; i++) {
        for (int e = pattern->row_starts[i]; e < pattern->row_starts[i + 1]; e++) {
            int row = o->position[i], column = o->position[pattern->columns[e]];
            if (row == column)
                lu->targets[e] = row;
            else if (row < column)
                lu->targets[e] = o->count + slot_between(o, row, column);
            else
                lu->targets[e] = o->count + o->fill + slot_between(o, column, row);
        }
    }
}

cn_block_lu *cn_block_lu_create(cn_arena *arena, const cn_problem *pattern)
{
    cn_block_lu *lu = cn_arena_array(arena, cn_block_lu, 1);
    int n = pattern->block_count;
    *lu = (cn_block_lu){ .order = cn_block_order_create(arena, n, pattern->row_starts, pattern->columns),
                         .entry_count = pattern->row_starts[n],
                         .row_count = pattern->row_count };
    int fill = lu->order.fill;
    lu->targets = cn_arena_array(arena, int, lu->entry_count);
    lu->blocks = (double(*)[9])cn_arena_alloc(arena, sizeof(double[9]) * (size_t)(n + 2 * fill));
    lu->inverses = lu->blocks;
    lu->upper = lu->blocks + n;
    lu->lower = lu->upper + fill;
    lu->first_rows = cn_arena_array(arena, int, n);
    lu->rows = cn_arena_array(arena, int, n);
    lu->slot_of = cn_arena_array(arena, int, n);
    lu->work = (double(*)[3])cn_arena_alloc(arena, sizeof(double[3]) * (size_t)n);
    for (int p = 0; p < n; p++) {
        lu->first_rows[p] = pattern->blocks[lu->order.order[p]].first_row;
        lu->rows[p] = pattern->blocks[lu->order.order[p]].rows;
    }
    find_targets(lu, pattern);
    return lu;
}

void cn_block_lu_until(cn_block_lu *lu, double deadline) { lu->deadline = deadline; }

int cn_block_lu_fill(const cn_block_lu *lu) { return lu->order.count + 2 * lu->order.fill; }

double cn_block_lu_work(const cn_block_lu *lu)
{
    double work = 0.0;
    for (int p = 0; p < lu->order.count; p++) { // pivot p updates every pair of what it reaches
        double reach = lu->order.starts[p + 1] - lu->order.starts[p];
        work += 1.0 + reach + reach * reach;
    }
    return work;
}

// ---- 3x3 kernels

// c -= a b
static inline void subtract_product(double c[restrict 9], const double a[restrict 9], const double b[restrict 9])
{
    for (int i = 0; i < 9; i += 3) {
        c[i] -= a[i] * b[0] + a[i + 1] * b[3] + a[i + 2] * b[6];
        c[i + 1] -= a[i] * b[1] + a[i + 1] * b[4] + a[i + 2] * b[7];
        c[i + 2] -= a[i] * b[2] + a[i + 1] * b[5] + a[i + 2] * b[8];
    }
}

static inline void subtract_applied(double y[restrict 3], const double a[restrict 9], const double x[restrict 3])
{
    y[0] -= a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    y[1] -= a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
    y[2] -= a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
}

static void multiply_right(double a[9], const double b[9])
{
    double c[9] = { 0.0 };
    subtract_product(c, a, b);
    for (int i = 0; i < 9; i++)
        a[i] = -c[i];
}

static void swap_rows(double *a, double *b)
{
    for (int k = 0; k < 3; k++) {
        double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

// Gauss-Jordan with row exchanges. A pivot below `least` becomes that.
static bool invert(double a[9], double least)
{
    double inverse[9] = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 };
    bool regular = true;
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(a[3 * i + k]) > fabs(a[3 * best + k]))
                best = i;
        if (best != k) {
            swap_rows(a + 3 * k, a + 3 * best);
            swap_rows(inverse + 3 * k, inverse + 3 * best);
        }
        if (!(fabs(a[4 * k]) >= least)) {
            a[4 * k] = a[4 * k] < 0.0 ? -least : least;
            regular = false;
        }
        double scale = 1.0 / a[4 * k];
        for (int j = 0; j < 3; j++) {
            a[3 * k + j] *= scale;
            inverse[3 * k + j] *= scale;
        }
        for (int i = 0; i < 3; i++) {
            double factor = a[3 * i + k];
            for (int j = 0; i != k && j < 3; j++) {
                a[3 * i + j] -= factor * a[3 * k + j];
                inverse[3 * i + j] -= factor * inverse[3 * k + j];
            }
        }
    }
    memcpy(a, inverse, sizeof inverse);
    return regular;
}

// ---- factors

// Returns the least pivot.
static double load(cn_block_lu *lu, const double (*entries)[9], double shift)
{
    int n = lu->order.count;
    double largest = fabs(shift);
    memset(lu->blocks, 0, sizeof(double[9]) * (size_t)(n + 2 * lu->order.fill));
    for (int e = 0; e < lu->entry_count; e++) {
        memcpy(lu->blocks[lu->targets[e]], entries[e], sizeof(double[9]));
        for (int k = 0; k < 9; k++)
            largest = fabs(entries[e][k]) > largest ? fabs(entries[e][k]) : largest;
    }
    for (int p = 0; p < n; p++)
        for (int k = 0; k < 3; k++)
            lu->inverses[p][4 * k] = k < lu->rows[p] ? lu->inverses[p][4 * k] + shift : largest > 0.0 ? largest : 1.0;
    return largest > 0.0 ? 1e-14 * largest : 1.0;
}

// What the finished pivots take from row p of U and column p of L.
static void update(cn_block_lu *lu, int p)
{
    const cn_block_order *o = &lu->order;
    for (int s = o->starts[p]; s < o->starts[p + 1]; s++)
        lu->slot_of[o->columns[s]] = s;
    for (int e = o->update_starts[p]; e < o->update_starts[p + 1]; e++) {
        int slot = o->update_slots[e], end = o->starts[o->update_pivots[e] + 1];
        const double *left = lu->lower[slot], *right = lu->upper[slot];
        subtract_product(lu->inverses[p], left, right);
        for (int s = slot + 1; s < end; s++) {
            int target = lu->slot_of[o->columns[s]];
            subtract_product(lu->upper[target], left, lu->upper[s]);
            subtract_product(lu->lower[target], lu->lower[s], right);
        }
    }
}

bool cn_block_lu_factor(cn_block_lu *lu, const double (*entries)[9], double shift)
{
    const cn_block_order *o = &lu->order;
    double least = load(lu, entries, shift);
    bool regular = true;
    for (int p = 0; p < o->count; p++) {
        if (lu->deadline > 0.0 && cn_now_ms() >= lu->deadline)
            return false;
        update(lu, p);
        regular &= invert(lu->inverses[p], least);
        for (int s = o->starts[p]; s < o->starts[p + 1]; s++)
            multiply_right(lu->lower[s], lu->inverses[p]);
    }
    return regular;
}

void cn_block_lu_solve(cn_block_lu *lu, double *x)
{
    const cn_block_order *o = &lu->order;
    for (int p = 0; p < o->count; p++)
        for (int k = 0; k < 3; k++)
            lu->work[p][k] = k < lu->rows[p] ? x[lu->first_rows[p] + k] : 0.0;
    for (int p = 0; p < o->count; p++)
        for (int s = o->starts[p]; s < o->starts[p + 1]; s++)
            subtract_applied(lu->work[o->columns[s]], lu->lower[s], lu->work[p]);
    for (int p = o->count - 1; p >= 0; p--) {
        double sum[3] = { lu->work[p][0], lu->work[p][1], lu->work[p][2] }, answer[3] = { 0.0 };
        for (int s = o->starts[p]; s < o->starts[p + 1]; s++)
            subtract_applied(sum, lu->upper[s], lu->work[o->columns[s]]);
        subtract_applied(answer, lu->inverses[p], sum);
        for (int k = 0; k < 3; k++)
            lu->work[p][k] = -answer[k];
        for (int k = 0; k < lu->rows[p]; k++)
            x[lu->first_rows[p] + k] = lu->work[p][k];
    }
}
