// Principal pivoting over boxed rows: one row after another is driven to where its law holds, and all rows before it are kept
// at theirs. Cottle and Dantzig 1968, "Complementary pivot theory of mathematical programming"; Baraff 1994, "Fast contact
// force computation for nonpenetrating rigid bodies".
//
// It needs a symmetric positive definite matrix, so a pass takes A = (W + W^T) / 2 plus a small diagonal, and adds what that
// leaves out, (W - A) r, from the pass before. Friction is a box per tangent: its bounds are mu r_N, frozen in a pass and
// renewed by the next.
#include "lab/free_factor.h"
#include "lab/islands.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 1500 };
static const double REGULARISATION = 1e-9; // of the mean diagonal
static const double LEAST_PIVOT = 1e-12;   // rounding must not make one negative
static const double STILL_FALLS = 0.9;     // the change of a pass against that of an earlier one
enum { PATIENCE = 100 };                   // passes, until bounds that are renewed for ever are given up

typedef enum place { WAITING, FREE, AT_LOWER, AT_UPPER } place;

typedef struct pivoting {
    const cn_island *island;
    const cn_problem *problem;
    int n;
    double *a; // n x n
    cn_free_factor free;
    double *q, *x, *w;          // w = A x + q of the rows that are placed
    double *lower, *upper;      // of x in a pass
    double *base;               // where x counts from
    double *r, *velocity;       // after the last pass, and W r
    double *change, *push;      // of x and w along the drive
    int *order, friction_start; // its rows come last
    place *places;
    double least_change; // of r in a pass, so far
    int stale;           // passes since it was much more
    bool finished;
} pivoting;

static double *at(double *matrix, int n, int i, int j) { return matrix + (size_t)i * (size_t)n + (size_t)j; }

static void set_free(pivoting *d, int row)
{
    cn_free_factor_add(&d->free, row);
    d->places[row] = FREE;
}

// ---- driving one row

// change and push of a unit of impulse in the row, with the free rows held at w = 0.
static void find_direction(pivoting *d, int row, double sign)
{
    int count = d->free.count;
    double *y = d->push; // its place is not needed yet
    for (int i = 0; i < count; i++)
        y[i] = -sign * *at(d->a, d->n, d->free.members[i], row);
    cn_free_factor_solve(&d->free, y);
    memset(d->change, 0, sizeof(double) * (size_t)d->n);
    for (int i = 0; i < count; i++)
        d->change[d->free.members[i]] = y[i];
    d->change[row] = sign;
    for (int i = 0; i < d->n; i++) {
        const double *a = at(d->a, d->n, i, 0);
        d->push[i] = 0.0;
        if (d->places[i] == FREE || (d->places[i] == WAITING && i != row))
            continue;
        d->push[i] = sign * a[row];
        for (int j = 0; j < count; j++)
            d->push[i] += a[d->free.members[j]] * d->change[d->free.members[j]];
    }
}

// How far until row i reaches the end of its place.
static double room(const pivoting *d, int i)
{
    double change = d->change[i], push = d->push[i];
    if (d->places[i] == FREE)
        return change > 0.0   ? (d->upper[i] - d->x[i]) / change
               : change < 0.0 ? (d->lower[i] - d->x[i]) / change
                              : (double)INFINITY;
    if (d->lower[i] == d->upper[i])
        return (double)INFINITY;
    if ((d->places[i] == AT_LOWER && push < 0.0) || (d->places[i] == AT_UPPER && push > 0.0))
        return -d->w[i] / push;
    return (double)INFINITY;
}

static void move_along(pivoting *d, double length)
{
    for (int i = 0; i < d->n; i++) {
        d->x[i] += length * d->change[i];
        if (d->places[i] != FREE)
            d->w[i] += length * d->push[i];
    }
}

static void settle(pivoting *d, int i, bool at_upper)
{
    d->x[i] = at_upper ? d->upper[i] : d->lower[i];
    d->places[i] = at_upper ? AT_UPPER : AT_LOWER;
}

// False when it takes too many pivots.
static bool drive(pivoting *d, int row)
{
    for (int k = 0; k < 100 + d->n; k++) {
        double sign = d->w[row] > 0.0 ? -1.0 : 1.0;
        find_direction(d, row, sign);
        double own = d->push[row] != 0.0 ? -d->w[row] / d->push[row] : (double)INFINITY;
        double bound = (sign > 0.0 ? d->upper[row] - d->x[row] : d->x[row] - d->lower[row]);
        double least = fmin(own > 0.0 || d->w[row] == 0.0 ? own : (double)INFINITY, bound);
        int blocking = row;
        for (int i = 0; i < d->n; i++) {
            if (i == row || d->places[i] == WAITING)
                continue;
            double length = fmax(0.0, room(d, i));
            if (length < least) {
                least = length;
                blocking = i;
            }
        }
        if (!isfinite(least))
            return false;
        move_along(d, least);
        if (blocking == row) {
            if (least == bound)
                settle(d, row, sign > 0.0);
            else
                set_free(d, row);
            d->w[row] = d->places[row] == FREE ? 0.0 : d->w[row];
            return true;
        }
        if (d->places[blocking] == FREE) {
            cn_free_factor_remove(&d->free, blocking);
            settle(d, blocking, d->change[blocking] > 0.0);
            d->w[blocking] = 0.0;
        } else {
            d->w[blocking] = 0.0;
            set_free(d, blocking);
        }
    }
    return false;
}

// Its impulse is zero when its turn comes; zero is within its bounds.
static bool place_row(pivoting *d, int row)
{
    d->w[row] = d->q[row];
    for (int i = 0; i < d->n; i++)
        d->w[row] += *at(d->a, d->n, row, i) * d->x[i];
    if (d->lower[row] == 0.0 && d->w[row] >= 0.0)
        d->places[row] = AT_LOWER;
    else if (d->upper[row] == 0.0 && d->w[row] <= 0.0)
        d->places[row] = AT_UPPER;
    else
        return drive(d, row);
    return true;
}

// ---- passes

// Bounds and right side of the next pass, x counted from the point of its bounds that is nearest to zero.
static void prepare_pass(pivoting *d)
{
    const cn_problem *p = d->problem;
    int n = d->n;
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        for (int k = 0; k < b->rows; k++) {
            int row = b->first_row + k;
            double lower = b->kind == CN_BLOCK_CONTACT ? 0.0 : b->kind == CN_BLOCK_EQUALITY ? -(double)INFINITY : p->lower[row];
            double upper = b->kind == CN_BLOCK_BOUNDED ? p->upper[row] : (double)INFINITY;
            d->base[row] = fmin(fmax(0.0, lower), upper);
            d->lower[row] = lower - d->base[row];
            d->upper[row] = upper - d->base[row];
        }
    }
    for (int i = 0; i < n; i++) {
        d->q[i] = p->q[i] + d->velocity[i];
        for (int j = 0; j < n; j++)
            d->q[i] += *at(d->a, n, i, j) * (d->base[j] - d->r[j]);
    }
}

static void freeze_friction(pivoting *d, cn_law law, const double *impulses)
{
    for (int i = 0; i < d->problem->block_count; i++) {
        const cn_block *b = &d->problem->blocks[i];
        double half = b->friction * (law == CN_LAW_DISC ? b->frozen : fmax(0.0, impulses[b->first_row]));
        for (int k = 1; b->kind == CN_BLOCK_CONTACT && k < 3; k++) {
            d->lower[b->first_row + k] = -half;
            d->upper[b->first_row + k] = half;
        }
    }
}

static bool keeps_place(const pivoting *d, int i)
{
    switch (d->places[i]) {
    case FREE: return d->x[i] >= d->lower[i] && d->x[i] <= d->upper[i];
    case AT_LOWER: return d->w[i] >= 0.0 || d->lower[i] == d->upper[i];
    case AT_UPPER: return d->w[i] <= 0.0 || d->lower[i] == d->upper[i];
    default: return false;
    }
}

// Bounds have moved a little since the last pass: if every row can stay where it was, the factor is good as it is.
static bool stay_in_place(pivoting *d)
{
    int n = d->n, count = d->free.count;
    double *y = d->change;
    for (int i = 0; i < n; i++)
        d->x[i] = d->places[i] == AT_UPPER ? d->upper[i] : d->places[i] == AT_LOWER ? d->lower[i] : 0.0;
    for (int i = 0; i < count; i++) {
        const double *a = at(d->a, n, d->free.members[i], 0);
        y[i] = -d->q[d->free.members[i]];
        for (int j = 0; j < n; j++)
            y[i] -= a[j] * d->x[j];
    }
    cn_free_factor_solve(&d->free, y);
    for (int i = 0; i < count; i++)
        d->x[d->free.members[i]] = y[i];
    for (int i = 0; i < n; i++) {
        const double *a = at(d->a, n, i, 0);
        d->w[i] = d->q[i];
        for (int j = 0; j < n && d->places[i] != FREE; j++)
            d->w[i] += a[j] * d->x[j];
        if (!isfinite(d->x[i]) || !keeps_place(d, i))
            return false;
    }
    return true;
}

static bool place_rows(cn_lab_run *run, pivoting *d, bool first)
{
    bool ok = true;
    d->free.count = 0;
    for (int i = 0; i < d->n; i++) {
        d->x[i] = d->w[i] = 0.0;
        d->places[i] = WAITING;
    }
    for (int k = 0; ok && k < d->n; k++) {
        if (first && k == d->friction_start)
            freeze_friction(d, run->law, d->x);
        ok = !cn_lab_out_of_time(run) && place_row(d, d->order[k]);
    }
    return ok;
}

static void pass(cn_lab_run *run, pivoting *d, bool first)
{
    double change = 0.0, size = 0.0;
    prepare_pass(d);
    if (!first)
        freeze_friction(d, run->law, d->r);
    bool ok = (!first && stay_in_place(d)) || place_rows(run, d, first);
    for (int i = 0; i < d->n; i++) {
        double r = d->x[i] + d->base[i];
        ok &= isfinite(r);
        change = fmax(change, fabs(r - d->r[i]));
        size = fmax(size, fabs(r));
    }
    d->stale = first || change < STILL_FALLS * d->least_change ? 0 : d->stale + 1;
    d->least_change = d->stale == 0 ? change : d->least_change;
    d->finished = !ok || change <= 1e-16 * size || d->stale > PATIENCE;
    if (!ok)
        return;
    for (int i = 0; i < d->n; i++)
        d->r[i] = d->x[i] + d->base[i];
    cn_problem_multiply(d->problem, d->r, d->velocity);
}

// ---- islands

// Rows that nothing bounds, then those with bounds of their own, then friction.
static void order_rows(pivoting *d)
{
    const cn_problem *p = d->problem;
    int count = 0;
    for (int rank = 0; rank < 3; rank++) {
        d->friction_start = count;
        for (int i = 0; i < p->block_count; i++) {
            for (int k = 0; k < p->blocks[i].rows; k++) {
                cn_block_kind kind = p->blocks[i].kind;
                if (rank == (kind == CN_BLOCK_EQUALITY ? 0 : kind == CN_BLOCK_CONTACT && k > 0 ? 2 : 1))
                    d->order[count++] = p->blocks[i].first_row + k;
            }
        }
    }
}

static void fill_matrix(pivoting *d)
{
    const cn_problem *p = d->problem;
    double trace = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            const cn_block *b = &p->blocks[i], *c = &p->blocks[p->columns[e]];
            for (int k = 0; k < b->rows; k++) {
                for (int j = 0; j < c->rows; j++) {
                    *at(d->a, d->n, b->first_row + k, c->first_row + j) += 0.5 * p->entries[e][3 * k + j];
                    *at(d->a, d->n, c->first_row + j, b->first_row + k) += 0.5 * p->entries[e][3 * k + j];
                }
            }
        }
    }
    for (int i = 0; i < d->n; i++)
        trace += *at(d->a, d->n, i, i);
    for (int i = 0; i < d->n; i++)
        *at(d->a, d->n, i, i) += trace > 0.0 ? REGULARISATION * trace / d->n : 1.0;
}

static pivoting start(cn_lab_run *run, const cn_island *island)
{
    int n = island->problem.row_count;
    pivoting d = { .island = island, .problem = &island->problem, .n = n };
    double **vectors[] = { &d.q, &d.x, &d.w, &d.base, &d.lower, &d.upper, &d.r, &d.velocity, &d.change, &d.push };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = cn_lab_numbers(run, n);
    d.a = cn_lab_numbers(run, n * n);
    d.order = cn_arena_array(run->arena, int, n);
    d.places = cn_arena_array(run->arena, place, n);
    d.free = (cn_free_factor){ n, d.a, cn_lab_numbers(run, n * n), cn_arena_array(run->arena, int, n), 0, LEAST_PIVOT };
    order_rows(&d);
    fill_matrix(&d);
    return d;
}

void cn_lab_dantzig(cn_lab_run *run)
{
    cn_islands all = cn_islands_create(run->arena, run->problem);
    pivoting *states = cn_arena_array(run->arena, pivoting, all.count);
    double *r = cn_lab_vector(run);
    for (int i = 0; i < all.count; i++) {
        if (all.islands[i].problem.row_count > MOST_ROWS) {
            cn_lab_refuse(run, "%d coupled rows are too many to pivot over; at most %d", all.islands[i].problem.row_count,
                          MOST_ROWS);
            return;
        }
    }
    for (int i = 0; i < all.count; i++)
        states[i] = start(run, &all.islands[i]);
    for (int outer = 0; outer < run->options.max_outer; outer++) {
        bool busy = false;
        for (int i = 0; i < all.count; i++) {
            if (!states[i].finished)
                pass(run, &states[i], outer == 0);
            busy |= !states[i].finished;
            cn_island_scatter(&all.islands[i], run->problem, states[i].r, r);
        }
        if (cn_lab_check(run, r))
            return;
        if (!busy)
            break;
    }
    run->stop = CN_STOP_STALLED;
}
