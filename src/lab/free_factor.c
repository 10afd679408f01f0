#include "lab/free_factor.h"

#include <math.h>
#include <string.h>

static double *at(const cn_free_factor *f, int i, int j) { return f->numbers + (size_t)i * (size_t)f->n + (size_t)j; }

static void forward(const cn_free_factor *f, int count, double *y)
{
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            y[i] -= *at(f, i, j) * y[j];
        y[i] /= *at(f, i, i);
    }
}

void cn_free_factor_solve(const cn_free_factor *f, double *y)
{
    forward(f, f->count, y);
    for (int i = f->count - 1; i >= 0; i--) {
        y[i] /= *at(f, i, i);
        for (int j = 0; j < i; j++)
            y[j] -= *at(f, i, j) * y[i];
    }
}

void cn_free_factor_add(cn_free_factor *f, int row)
{
    int count = f->count++;
    const double *a = f->a + (size_t)row * (size_t)f->n;
    double *last = at(f, count, 0), rest = a[row];
    for (int i = 0; i < count; i++)
        last[i] = a[f->members[i]];
    forward(f, count, last);
    for (int i = 0; i < count; i++)
        rest -= last[i] * last[i];
    last[count] = sqrt(fmax(rest, f->least));
    f->members[count] = row;
}

// Rotations make it triangular again.
void cn_free_factor_remove(cn_free_factor *f, int row)
{
    int k = 0;
    while (f->members[k] != row)
        k++;
    f->count--;
    for (int i = k; i < f->count; i++) {
        f->members[i] = f->members[i + 1];
        memcpy(at(f, i, 0), at(f, i + 1, 0), sizeof(double) * (size_t)(i + 2));
    }
    for (int c = k; c < f->count; c++) {
        double x = *at(f, c, c), y = *at(f, c, c + 1), length = sqrt(x * x + y * y);
        if (!(length > 0.0))
            continue;
        for (int i = c; i < f->count; i++) {
            double *pair = at(f, i, c), first = pair[0], second = pair[1];
            pair[0] = (x * first + y * second) / length;
            pair[1] = (x * second - y * first) / length;
        }
    }
}
