#include "lab/sweep.h"

#include "model/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cn_lab_couples(const double entry[9])
{
    for (int k = 0; k < 9; k++)
        if (entry[k] != 0.0)
            return true;
    return false;
}

// ---- preparing

typedef struct cn_ranked {
    double speed;
    int block;
} cn_ranked;

static bool row_is_empty(const cn_problem *p, int block, int row)
{
    for (int e = p->row_starts[block]; e < p->row_starts[block + 1]; e++)
        for (int k = 0; k < 3; k++)
            if (p->entries[e][3 * row + k] != 0.0)
                return false;
    return true;
}

static bool check_diagonal(cn_lab_run *run, int block, const double diagonal[9])
{
    const cn_block *b = &run->problem->blocks[block];
    for (int i = 0; i < b->rows; i++) {
        if (diagonal[4 * i] > 0.0 || row_is_empty(run->problem, block, i))
            continue;
        cn_lab_refuse(run, "row %d has %g on its diagonal; sweeps need more than 0", b->first_row + i, diagonal[4 * i]);
        return false;
    }
    return true;
}

bool cn_lab_sweep_init(cn_lab_sweep *sweep, cn_lab_run *run)
{
    const cn_problem *p = run->problem;
    *sweep = (cn_lab_sweep){ .problem = p,
                             .law = run->law,
                             .relaxation = run->options.relaxation,
                             .order = cn_arena_array(run->arena, int, p->block_count) };
    sweep->diagonal = (double(*)[9])cn_lab_numbers(run, 9 * p->block_count);
    if (run->options.order == CN_ORDER_PRIORITISED) {
        sweep->speeds = cn_lab_vector(run);
        sweep->ranks = cn_arena_array(run->arena, cn_ranked, p->block_count);
    }
    for (int i = 0; i < p->block_count; i++) {
        sweep->order[i] = i;
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            if (p->columns[e] == i)
                memcpy(sweep->diagonal[i], p->entries[e], sizeof(double[9]));
        for (int k = 0; k < p->blocks[i].rows; k++)
            sweep->diagonal[i][4 * k] += p->softness[p->blocks[i].first_row + k];
        if (!check_diagonal(run, i, sweep->diagonal[i]))
            return false;
    }
    return true;
}

// ---- the order

static int faster_first(const void *a, const void *b)
{
    const cn_ranked *x = a, *y = b;
    if (x->speed != y->speed)
        return x->speed > y->speed ? -1 : 1;
    return x->block - y->block;
}

// How fast a block closes: a contact along its normal, an equality in any direction.
static double approach_speed(const cn_block *b, const double *u)
{
    double speed = b->kind == CN_BLOCK_EQUALITY ? fabs(u[0]) : -u[0];
    for (int i = 1; i < b->rows && b->kind != CN_BLOCK_CONTACT; i++)
        speed = fmax(speed, b->kind == CN_BLOCK_EQUALITY ? fabs(u[i]) : -u[i]);
    return speed;
}

static void order_by_speed(cn_lab_sweep *sweep, cn_lab_run *run, const double *r)
{
    const cn_problem *p = sweep->problem;
    cn_lab_velocities(run, r, sweep->speeds);
    for (int i = 0; i < p->block_count; i++) {
        double speed = approach_speed(&p->blocks[i], sweep->speeds + p->blocks[i].first_row);
        sweep->ranks[i] = (cn_ranked){ isnan(speed) ? 0.0 : speed, i }; // a NaN has no place in an order
    }
    qsort(sweep->ranks, (size_t)p->block_count, sizeof *sweep->ranks, faster_first); // no two compare equal
    for (int i = 0; i < p->block_count; i++)
        sweep->order[i] = sweep->ranks[i].block;
}

void cn_lab_sweep_reorder(cn_lab_sweep *sweep, cn_lab_run *run, const double *r)
{
    int count = sweep->problem->block_count;
    if (run->options.order == CN_ORDER_PRIORITISED)
        order_by_speed(sweep, run, r);
    if (run->options.order == CN_ORDER_REVERSED && run->iterations > 0) {
        for (int i = 0; i < count / 2; i++) {
            int block = sweep->order[i];
            sweep->order[i] = sweep->order[count - 1 - i];
            sweep->order[count - 1 - i] = block;
        }
    }
}

// ---- passes

void cn_lab_sweep_velocities(const cn_problem *p, int block, const double *r, double v[3])
{
    const cn_block *b = &p->blocks[block];
    double sum[3] = { 0.0 };
    for (int e = p->row_starts[block]; e < p->row_starts[block + 1]; e++) {
        const cn_block *other = &p->blocks[p->columns[e]];
        const double *w = p->entries[e], *x = r + other->first_row;
        double x1 = other->rows > 1 ? x[1] : 0.0, x2 = other->rows > 2 ? x[2] : 0.0;
        for (int k = 0; k < 3; k++)
            sum[k] += w[3 * k] * x[0] + w[3 * k + 1] * x1 + w[3 * k + 2] * x2;
    }
    for (int k = 0; k < b->rows; k++)
        v[k] = sum[k] + p->softness[b->first_row + k] * r[b->first_row + k] + p->q[b->first_row + k];
}

double cn_lab_sweep_relax(const cn_lab_sweep *sweep, int block, const double target[3], double *x)
{
    int rows = sweep->problem->blocks[block].rows;
    double omega = sweep->relaxation, before[3], largest = 0.0;
    memcpy(before, x, sizeof(double) * (size_t)rows);
    for (int i = 0; i < rows; i++)
        x[i] = omega == 1.0 ? target[i] : x[i] + omega * (target[i] - x[i]);
    if (omega > 1.0)
        cn_project_block(sweep->problem, block, sweep->law, x);
    for (int i = 0; i < rows; i++)
        largest = fmax(largest, fabs(x[i] - before[i]));
    return largest;
}

double cn_lab_sweep_pass(const cn_lab_sweep *sweep, cn_lab_run *run, cn_local_step *step, double *r)
{
    const cn_problem *p = sweep->problem;
    double largest = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        int block = sweep->order[i];
        double v[3] = { 0.0 }, target[3] = { 0.0 }, *x = r + p->blocks[block].first_row;
        memcpy(target, x, sizeof(double) * (size_t)p->blocks[block].rows);
        cn_lab_sweep_velocities(p, block, r, v);
        step(p, block, sweep->law, sweep->diagonal[block], v, target);
        largest = fmax(largest, cn_lab_sweep_relax(sweep, block, target, x));
    }
    run->products++;
    return largest;
}

bool cn_lab_sweep_check(cn_lab_run *run, const double *r, double change)
{
    if (cn_lab_check(run, r))
        return true;
    bool looked = run->iterations % run->options.check_interval == 0;
    if (!looked || (change > 0.0 && isfinite(run->residual)))
        return false;
    run->stop = CN_STOP_STALLED;
    return true;
}
