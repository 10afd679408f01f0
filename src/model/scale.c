#include "model/scale.h"

#include <math.h>

double cn_problem_size(const cn_problem *p)
{
    double most = 0.0;
    for (int i = 0; i < p->row_count; i++)
        most = fabs(p->q[i]) > most ? fabs(p->q[i]) : most;
    int exponent;
    frexp(most, &exponent);
    return most > 0.0 ? ldexp(1.0, exponent - 1) : 1.0;
}

bool cn_size_is_ordinary(double size) { return size > 1e-60 && size < 1e60; }

cn_problem *cn_problem_rescaled(const cn_problem *problem, double unit, double size)
{
    cn_problem *p = cn_problem_copy(problem);
    for (int e = 0; e < p->entry_count; e++)
        for (int k = 0; k < 9; k++)
            p->entries[e][k] /= unit;
    for (int i = 0; i < p->row_count; i++) {
        p->q[i] /= size;
        p->softness[i] /= unit;
        p->lower[i] = p->lower[i] * unit / size;
        p->upper[i] = p->upper[i] * unit / size;
    }
    for (int i = 0; i < p->block_count; i++)
        p->blocks[i].frozen = p->blocks[i].frozen * unit / size;
    for (int i = 0; i < p->body_count; i++) {
        for (int k = 0; k < 36; k++)
            p->bodies[i].inverse_mass[k / 6][k % 6] /= unit;
        for (int k = 0; k < 6; k++)
            p->bodies[i].velocity[k] /= size;
    }
    p->unit = 1.0;
    return p;
}
