// Gauss and Jordan's elimination with the largest pivot there is, so that it ends where the rank does.
#include "lab/lcp.h"

#include <math.h>

static const double NOTHING = 1e-12;   // of the largest pivot
static const double CANCELLED = 1e-13; // of two numbers whose difference is rounding

static double *row_of(double *full, int size, int i) { return full + (size_t)i * (size_t)(size + 1); }

static double find_pivot(double *full, int size, int count, const bool *row_done, const bool *column_done, int *row,
                         int *column)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        const double *numbers = row_of(full, size, i);
        for (int j = 0; !row_done[i] && j < count; j++) {
            if (column_done[j] || !(fabs(numbers[j]) > largest))
                continue;
            largest = fabs(numbers[j]);
            *row = i;
            *column = j;
        }
    }
    return largest;
}

static void subtract_row(double *full, int size, int from, int row, int column)
{
    double *to = row_of(full, size, from);
    const double *pivot = row_of(full, size, row);
    double factor = to[column] / pivot[column];
    if (factor == 0.0)
        return;
    for (int j = 0; j <= size; j++) {
        double taken = factor * pivot[j], left = to[j] - taken;
        to[j] = fabs(left) > CANCELLED * (fabs(to[j]) + fabs(taken)) ? left : 0.0;
    }
    to[column] = 0.0;
}

int cn_lcp_eliminate(cn_lab_run *run, cn_arena *arena, double *full, int size, int count, int *rows, int *columns)
{
    bool *row_done = cn_arena_array(arena, bool, count), *column_done = cn_arena_array(arena, bool, count);
    for (int i = 0; i < count; i++)
        row_done[i] = column_done[i] = false;
    double first = 0.0;
    int rank = 0;
    for (; rank < count; rank++) {
        double largest = find_pivot(full, size, count, row_done, column_done, &rows[rank], &columns[rank]);
        first = rank == 0 ? largest : first;
        if (!(largest > NOTHING * first) || cn_lab_out_of_time(run))
            break;
        row_done[rows[rank]] = column_done[columns[rank]] = true;
        for (int i = 0; i < size; i++)
            if (i != rows[rank])
                subtract_row(full, size, i, rows[rank], columns[rank]);
    }
    for (int i = 0, r = rank, c = rank; i < count; i++) { // what is left, behind
        if (!row_done[i])
            rows[r++] = i;
        if (!column_done[i])
            columns[c++] = i;
    }
    return rank;
}
