// How far impulses are from a solution: one measure for every solver.
#include "base/error.h"
#include "base/memory.h"
#include "model/law.h"
#include "model/scale.h"

#include <math.h>

static double larger(double a, double b) { return a > b ? a : b; }

void cn_measure_contact(const cn_block *b, cn_law law, const double *r, const double *u, cn_residual *out)
{
    double push = sqrt(r[1] * r[1] + r[2] * r[2]), slide = sqrt(u[1] * u[1] + u[2] * u[2]);
    double limit = b->friction * (law == CN_LAW_DISC ? b->frozen : larger(r[0], 0.0));
    if (law == CN_LAW_BOX)
        push = larger(fabs(r[1]), fabs(r[2]));
    out->approach = larger(out->approach, -u[0]);
    out->negative_impulse = larger(out->negative_impulse, -r[0]);
    out->cone = larger(out->cone, push - limit);
    double opening = law == CN_LAW_RELAXED ? u[0] - b->friction * slide : u[0]; // relaxed: a slide opens the contact by design
    out->gap = larger(out->gap, fabs(r[0] * opening));
    out->direction =
        larger(out->direction, law == CN_LAW_BOX ? fabs(r[1] * u[1]) + r[1] * u[1] + fabs(r[2] * u[2]) + r[2] * u[2]
                                                 : r[1] * u[1] + r[2] * u[2] + push * slide);
}

static void measure_rows(const cn_problem *p, const cn_block *b, const double *r, const double *u, cn_residual *out)
{
    for (int i = 0; i < b->rows; i++) {
        if (b->kind == CN_BLOCK_EQUALITY) {
            out->approach = larger(out->approach, fabs(u[i]));
            continue;
        }
        double lower = p->lower[b->first_row + i], upper = p->upper[b->first_row + i];
        bool free_below = r[i] > lower, free_above = r[i] < upper;
        out->negative_impulse = larger(out->negative_impulse, larger(lower - r[i], r[i] - upper));
        if (free_above) // it may push harder, so the row must not close
            out->approach = larger(out->approach, -u[i]);
        if (free_below) // it may push less, so the row must not open
            out->gap = larger(out->gap, u[i] * (isfinite(lower) ? r[i] - lower : 1.0));
    }
}

// Impulses are measured in velocities: e = unit * (r - P(r - u / unit)).
double cn_map_square(const cn_problem *p, int block, cn_law law, double unit, const double *r, const double *u)
{
    double slower[3], e[3], square = 0.0;
    for (int k = 0; k < p->blocks[block].rows; k++)
        slower[k] = u[k] / unit;
    cn_natural_map(p, block, law, r, slower, e);
    for (int k = 0; k < p->blocks[block].rows; k++)
        square += e[k] * e[k];
    return unit * unit * square;
}

static cn_residual measure(const cn_problem *p, cn_law law, const double *r, const double *u)
{
    cn_residual out = { .worst_block = -1 };
    size_t size = sizeof(double) * (size_t)(p->row_count > 0 ? p->row_count : 1);
    double *own = NULL, sum = 0.0, q_squared = 0.0, unit = cn_problem_unit(p);
    if (u == NULL) {
        own = cn_allocate(p->allocator, size, 64);
        cn_problem_multiply(p, r, own);
        for (int i = 0; i < p->row_count; i++)
            own[i] += p->q[i];
        u = own;
    }
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        const double *rb = r + b->first_row, *ub = u + b->first_row;
        double square = cn_map_square(p, i, law, unit, rb, ub);
        sum += square;
        if (square > out.worst || out.worst_block < 0) {
            out.worst = square;
            out.worst_block = i;
        }
        if (b->kind == CN_BLOCK_CONTACT)
            cn_measure_contact(b, law, rb, ub, &out);
        else
            measure_rows(p, b, rb, ub, &out);
    }
    for (int i = 0; i < p->row_count; i++) {
        q_squared += p->q[i] * p->q[i];
        out.energy += 0.5 * r[i] * (u[i] + p->q[i]);
    }
    out.value = sqrt(sum) / (q_squared > 0.0 ? sqrt(q_squared) : 1.0);
    out.worst = sqrt(out.worst);
    if (own != NULL)
        cn_release(p->allocator, own, size);
    return out;
}

// The same problem with numbers that can be squared, and the measures taken back.
static cn_residual measure_scaled(const cn_problem *p, cn_law law, const double *r, const double *u)
{
    double unit = cn_problem_unit(p), size = cn_problem_size(p), impulse = size / unit;
    cn_problem *scaled = cn_problem_rescaled(p, unit, size);
    size_t bytes = sizeof(double) * (size_t)p->row_count;
    double *scaled_r = cn_allocate(p->allocator, bytes, 64), *scaled_u = cn_allocate(p->allocator, bytes, 64);
    for (int i = 0; i < p->row_count; i++) {
        scaled_r[i] = r[i] * unit / size;
        scaled_u[i] = u != NULL ? u[i] / size : 0.0;
    }
    cn_residual out = measure(scaled, law, scaled_r, u != NULL ? scaled_u : NULL);
    out.worst *= size;
    out.approach *= size;
    out.negative_impulse *= impulse;
    out.cone *= impulse;
    out.gap *= impulse * size;
    out.direction *= impulse * size;
    out.energy *= impulse * size;
    cn_release(p->allocator, scaled_u, bytes);
    cn_release(p->allocator, scaled_r, bytes);
    cn_problem_destroy(scaled);
    return out;
}

cn_residual cn_problem_residual(const cn_problem *p, cn_law law, const double *r, const double *u)
{
    if (!cn_check_pointer(__func__, "problem", p) || (p->row_count > 0 && !cn_check_pointer(__func__, "r", r)))
        return (cn_residual){ .worst_block = -1 };
    bool ordinary = cn_size_is_ordinary(cn_problem_size(p)) && cn_size_is_ordinary(cn_problem_unit(p));
    return ordinary || p->row_count == 0 ? measure(p, law, r, u) : measure_scaled(p, law, r, u);
}
