// Every choice of which unknowns are above zero, for small problems with equalities that Lemke's method cannot take.
#include "lab/lcp.h"

#include <math.h>
#include <string.h>

enum { MOST_BOUNDED = 12, MOST_ROWS = 80 };
static const double EXACT = 1e-9; // of the largest number in q

typedef struct choice {
    int n, bounded, count; // count: of chosen rows, which are the chosen unknowns too
    const double *matrix, *q;
    int *chosen;
    double *full;
    int *rows, *columns;
    double most; // in q
} choice;

static double entry(const choice *c, int i, int j) { return c->matrix[(size_t)i * (size_t)c->n + (size_t)j]; }

// The chosen rows as equalities in the chosen unknowns; of a pair, the first stands for both.
static void choose(choice *c, int set)
{
    c->count = 0;
    for (int i = 0; i < c->bounded; i++)
        if (set >> i & 1)
            c->chosen[c->count++] = i;
    for (int i = c->bounded; i < c->n; i += 2)
        c->chosen[c->count++] = i;
    for (int i = 0; i < c->count; i++) {
        double *row = c->full + i * (c->count + 1);
        for (int j = 0; j < c->count; j++)
            row[j] = entry(c, c->chosen[i], c->chosen[j]);
        row[c->count] = c->q[c->chosen[i]];
    }
}

// Unknowns that the equalities leave open stay zero. False when an equality does not hold.
static bool solve_chosen(choice *c, cn_lab_run *run, cn_arena *arena, double *z)
{
    int rank = cn_lcp_eliminate(run, arena, c->full, c->count, c->count, c->rows, c->columns);
    memset(z, 0, sizeof(double) * (size_t)c->n);
    for (int i = 0; i < c->count; i++) {
        const double *row = c->full + c->rows[i] * (c->count + 1);
        if (i >= rank && !(fabs(row[c->count]) <= EXACT * c->most))
            return false;
        if (i < rank)
            z[c->chosen[c->columns[i]]] = -row[c->count] / row[c->columns[i]];
    }
    return true;
}

static bool is_solution(const choice *c, double *z)
{
    for (int i = 0; i < c->bounded; i++) {
        double w = c->q[i], column = 0.0;
        for (int j = 0; j < c->n; j++) {
            w += entry(c, i, j) * z[j];
            column = fmax(column, fabs(entry(c, j, i)));
        }
        if (!(w >= -EXACT * c->most) || !(z[i] * column >= -EXACT * c->most))
            return false;
    }
    for (int i = 0; i < c->bounded; i++)
        z[i] = fmax(z[i], 0.0);
    for (int i = c->bounded; i < c->n; i += 2) {
        z[i + 1] = fmax(-z[i], 0.0);
        z[i] = fmax(z[i], 0.0);
    }
    return true;
}

bool cn_lcp_enumerate(cn_lab_run *run, cn_arena *arena, int n, int bounded, const double *matrix, const double *q, double *z)
{
    if (bounded > MOST_BOUNDED || n > MOST_ROWS)
        return false;
    choice c = { .n = n, .bounded = bounded, .matrix = matrix, .q = q, .chosen = cn_arena_array(arena, int, n) };
    c.full = cn_arena_array(arena, double, n *(n + 1));
    c.rows = cn_arena_array(arena, int, n);
    c.columns = cn_arena_array(arena, int, n);
    for (int i = 0; i < n; i++)
        c.most = fmax(c.most, fabs(q[i]));
    for (int set = 0; set < 1 << bounded && !cn_lab_out_of_time(run); set++) {
        choose(&c, set);
        if (solve_chosen(&c, run, arena, z) && is_solution(&c, z))
            return true;
    }
    memset(z, 0, sizeof(double) * (size_t)n);
    return false;
}
