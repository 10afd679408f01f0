// Conjugate gradients with proportioning on simple sets: Dostal and Schoberl, "Minimizing quadratic functions subject to bound
// constraints with the rate of convergence and finite termination" (2005), over discs as well as bounds in the manner of Dostal
// and Kozubek (2012).
//
// The rows are cut into cells: a row between bounds, or two tangents in a disc. A cell inside its set is free. Conjugate
// gradients run on the free cells; a projected gradient step of the whole comes in between when the others want to move more
// than the free ones. Friction's bounds are frozen at mu times the normal impulse, and an outer loop renews them.
#include "lab/gradient.h"
#include "model/law.h"

#include <math.h>
#include <string.h>

enum { LONGEST_PASS = 2000 };
static const double pass_accuracy = 0.03; // a pass ends when its own problem is that much more exact than the one with friction

typedef struct cell {
    int row, rows;       // two rows: a disc
    double lower, upper; // upper is the radius of a disc
    int normal;          // the row whose impulse bounds this cell; -1 when nothing is to be renewed
    double friction;
} cell;

typedef struct mprgp {
    cn_lab_run *run;
    int rows, cell_count;
    cell *cells;
    double *x, *g;                  // impulses, and their velocities: the gradient of the energy
    double *free, *free_cut, *held; // the gradient on free cells; what projection leaves of it; likewise on the other cells
    double *p, *ap;                 // the direction, and W times it
    double step;                    // of projected gradients
    cn_damping damping;             // of the bounds of friction
    int pass, renewals;
} mprgp;

// ---- cells

static double length_of(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1]); }

static void project_cell(const cell *c, double *x)
{
    if (c->rows == 1) {
        x[0] = cn_smaller(cn_larger(x[0], c->lower), c->upper);
        return;
    }
    double length = length_of(x), scale = length > c->upper ? c->upper / length : 1.0;
    x[0] *= scale;
    x[1] *= scale;
}

static bool is_free(const cell *c, const double *x)
{
    if (c->rows == 1)
        return x[0] > c->lower && x[0] < c->upper;
    return length_of(x) < c->upper * (1.0 - 1e-12); // a projected point may come out inside by rounding
}

// The largest a for which x - a p is in the set.
static double reach(const cell *c, const double *x, const double *p)
{
    if (c->rows == 1)
        return p[0] > 0.0 ? (x[0] - c->lower) / p[0] : p[0] < 0.0 ? (x[0] - c->upper) / p[0] : (double)INFINITY;
    double pp = p[0] * p[0] + p[1] * p[1], xp = x[0] * p[0] + x[1] * p[1];
    double room = c->upper * c->upper - x[0] * x[0] - x[1] * x[1];
    return pp > 0.0 ? (xp + sqrt(cn_larger(xp * xp + pp * room, 0.0))) / pp : (double)INFINITY;
}

static void add_cell(mprgp *m, int row, int rows, double lower, double upper, const cn_block *contact)
{
    bool renewed = contact != NULL && m->run->law != CN_LAW_DISC;
    m->cells[m->cell_count++] =
        (cell){ row, rows, lower, upper, renewed ? contact->first_row : -1, contact != NULL ? contact->friction : 0.0 };
}

static void make_cells(mprgp *m)
{
    const cn_problem *p = m->run->problem;
    m->cells = cn_arena_array(m->run->arena, cell, m->rows);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        if (b->kind == CN_BLOCK_CONTACT) {
            double limit = b->friction * b->frozen;
            add_cell(m, b->first_row, 1, 0.0, (double)INFINITY, NULL);
            if (m->run->law != CN_LAW_BOX)
                add_cell(m, b->first_row + 1, 2, 0.0, limit, b);
            for (int k = 1; m->run->law == CN_LAW_BOX && k < 3; k++)
                add_cell(m, b->first_row + k, 1, -limit, limit, b);
            continue;
        }
        for (int k = b->first_row; k < b->first_row + b->rows; k++)
            add_cell(m, k, 1, p->lower[k], p->upper[k], NULL);
    }
}

// ---- the problem with frozen bounds

static void project(mprgp *m)
{
    for (int i = 0; i < m->cell_count; i++)
        project_cell(&m->cells[i], m->x + m->cells[i].row);
}

static void split_gradient(mprgp *m)
{
    for (int i = 0; i < m->cell_count; i++) {
        const cell *c = &m->cells[i];
        const double *x = m->x + c->row, *g = m->g + c->row;
        double moved[2] = { 0.0 };
        bool is_inside = is_free(c, x);
        for (int k = 0; k < c->rows; k++)
            moved[k] = x[k] - m->step * g[k];
        project_cell(c, moved);
        for (int k = 0; k < c->rows; k++) {
            double cut = (x[k] - moved[k]) / m->step;
            m->free[c->row + k] = is_inside ? g[k] : 0.0;
            m->free_cut[c->row + k] = is_inside ? cut : 0.0;
            m->held[c->row + k] = is_inside ? 0.0 : cut;
        }
    }
}

static void move(mprgp *m, double length, const double *direction)
{
    for (int i = 0; i < m->rows; i++)
        m->x[i] -= length * direction[i];
}

// A projected gradient step along the given part of the gradient; conjugate gradients begin anew from there.
static void project_gradient(mprgp *m, const double *part)
{
    move(m, m->step, part);
    project(m);
    cn_lab_velocities(m->run, m->x, m->g);
    split_gradient(m);
    memcpy(m->p, m->free, sizeof(double) * (size_t)m->rows);
}

static void conjugate_step(mprgp *m)
{
    int n = m->rows;
    cn_problem_multiply(m->run->problem, m->p, m->ap);
    m->run->products++;
    double curvature = cn_lab_dot(m->p, m->ap, n), within = (double)INFINITY;
    double wanted = curvature > 0.0 ? cn_lab_dot(m->g, m->p, n) / curvature : (double)INFINITY;
    for (int i = 0; i < m->cell_count; i++)
        within = cn_smaller(within, reach(&m->cells[i], m->x + m->cells[i].row, m->p + m->cells[i].row));
    double length = cn_smaller(wanted, within);
    if (!isfinite(length)) // nothing bends and nothing bounds: the problem has no solution this way
        length = m->step;
    move(m, length, m->p);
    for (int i = 0; i < n; i++)
        m->g[i] -= length * m->ap[i];
    if (wanted > within) { // a bound is met: let the gradient find the others
        project(m);
        split_gradient(m);
        project_gradient(m, m->free);
        return;
    }
    split_gradient(m);
    double beta = curvature > 0.0 ? cn_lab_dot(m->free, m->ap, n) / curvature : 0.0;
    for (int i = 0; i < n; i++)
        m->p[i] = m->free[i] - beta * m->p[i];
}

static void iterate(mprgp *m)
{
    bool proportional = cn_lab_dot(m->held, m->held, m->rows) <= cn_lab_dot(m->free_cut, m->free, m->rows);
    if (proportional)
        conjugate_step(m);
    else
        project_gradient(m, m->g);
}

// ---- friction

static void freeze_bounds(mprgp *m)
{
    for (int i = 0; i < m->cell_count; i++) {
        cell *c = &m->cells[i];
        if (c->normal < 0)
            continue;
        c->upper += m->damping.share * (c->friction * cn_larger(m->x[c->normal], 0.0) - c->upper);
        c->lower = -c->upper;
    }
    project(m);
    cn_lab_velocities(m->run, m->x, m->g);
    split_gradient(m);
    memcpy(m->p, m->free, sizeof(double) * (size_t)m->rows);
}

// Renews the bounds of friction when the problem they make is solved well enough. False when that has been done max_outer
// times.
static bool renew_bounds(mprgp *m)
{
    double residual = cn_gradient_residual(m->run, m->run->law, m->x, m->g);
    double own = sqrt(cn_lab_dot(m->held, m->held, m->rows) + cn_lab_dot(m->free_cut, m->free_cut, m->rows)) / m->run->q_norm;
    if (own > pass_accuracy * residual && ++m->pass < LONGEST_PASS)
        return true;
    cn_damping_watch(&m->damping, residual);
    freeze_bounds(m);
    m->pass = 0;
    return ++m->renewals <= m->run->options.max_outer;
}

void cn_lab_mprgp(cn_lab_run *run)
{
    bool contacts = cn_gradient_has_contacts(run->problem);
    if (contacts && run->law == CN_LAW_RELAXED) {
        cn_lab_refuse(run, "mprgp takes frozen friction bounds; the cones of law relaxed are not: use apgd");
        return;
    }
    if (cn_gradient_refuses(run, "mprgp"))
        return;
    mprgp m = { .run = run, .rows = run->problem->row_count, .damping = cn_damping_start() };
    double **vectors[] = { &m.x, &m.g, &m.free, &m.free_cut, &m.held, &m.p, &m.ap }, *ones = cn_lab_vector(run);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = cn_lab_vector(run);
    for (int i = 0; i < m.rows; i++) {
        m.x[i] = run->r[i];
        ones[i] = 1.0;
    }
    m.step = 1.9 / cn_gradient_norm(run, ones); // the proofs hold below 2 / norm
    make_cells(&m);
    freeze_bounds(&m);
    for (;;) {
        iterate(&m);
        if (cn_lab_check(run, m.x))
            return;
        if (contacts && run->law != CN_LAW_DISC && !renew_bounds(&m)) {
            run->stop = CN_STOP_STALLED;
            return;
        }
    }
}
