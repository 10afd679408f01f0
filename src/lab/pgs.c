// Projected Gauss-Seidel, row by row: each normal, then its friction within the bound that this normal gives. What most engines
// run. Cryer 1971 for complementarity problems; Jean and Moreau 1992 for contact with friction.
//
// Friction takes the exact minimum in its disc. The cheaper way, a 2x2 solution whose length is clipped, has other fixed points
// than Coulomb's law wherever the tangents answer differently: it turns the force away from the slide.
#include "lab/sweep.h"
#include "model/law.h"

#include <math.h>

static double clamp(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

// Row i moves by d, and the velocities of the block follow.
static void move_row(const double k[9], int i, double d, double v[3], double x[3])
{
    x[i] += d;
    for (int j = 0; j < 3; j++)
        v[j] += k[3 * j + i] * d;
}

static void step_row(const double k[9], int i, double lower, double upper, double v[3], double x[3])
{
    if (k[4 * i] > 0.0)
        move_row(k, i, clamp(x[i] - v[i] / k[4 * i], lower, upper) - x[i], v, x);
}

// The relaxed law ties normal and tangents together: descending along each in turn would stop short of the minimum on the
// cone's surface. A gradient step of a safe length, projected, always lowers the energy, and stops nowhere else.
static void step_cone(const double k[9], double friction, double v[3], double x[3])
{
    double steepest = 0.0, y[3];
    for (int i = 0; i < 3; i++)
        steepest = fmax(steepest, fabs(k[3 * i]) + fabs(k[3 * i + 1]) + fabs(k[3 * i + 2]));
    if (!(steepest > 0.0))
        return;
    for (int i = 0; i < 3; i++)
        y[i] = x[i] - v[i] / steepest;
    cn_project_cone(friction, y);
    for (int i = 0; i < 3; i++)
        move_row(k, i, y[i] - x[i], v, x);
}

static void step_normal(const cn_problem *p, const cn_block *b, cn_law law, const double k[9], double v[3], double x[3])
{
    if (b->kind == CN_BLOCK_CONTACT) {
        double push = sqrt(x[1] * x[1] + x[2] * x[2]), least = 0.0;
        if (law == CN_LAW_RELAXED && push > 0.0) // not out of the cone, unless it is outside already
            least = fmin(push / b->friction, fmax(x[0], 0.0));
        step_row(k, 0, least, (double)INFINITY, v, x);
        if (law == CN_LAW_RELAXED)
            step_cone(k, b->friction, v, x);
    }
    for (int i = 0; b->kind != CN_BLOCK_CONTACT && i < b->rows; i++)
        step_row(k, i, p->lower[b->first_row + i], p->upper[b->first_row + i], v, x);
}

static void step_friction(const cn_block *b, cn_law law, const double k[9], double v[3], double x[3])
{
    double limit = b->friction * (law == CN_LAW_DISC ? b->frozen : fmax(x[0], 0.0));
    if (law == CN_LAW_BOX) {
        step_row(k, 1, -limit, limit, v, x);
        step_row(k, 2, -limit, limit, v, x);
        return;
    }
    const double rest[2] = { v[1] - k[4] * x[1] - k[5] * x[2], v[2] - k[7] * x[1] - k[8] * x[2] };
    cn_local_disc(k, rest, limit, x + 1);
}

void cn_local_normal(const cn_problem *problem, int block, cn_law law, const double k[9], const double v[3], double x[3])
{
    double now[3] = { v[0], v[1], v[2] };
    step_normal(problem, &problem->blocks[block], law, k, now, x);
}

void cn_local_friction(const cn_problem *problem, int block, cn_law law, const double k[9], const double v[3], double x[3])
{
    double now[3] = { v[0], v[1], v[2] };
    if (problem->blocks[block].kind == CN_BLOCK_CONTACT)
        step_friction(&problem->blocks[block], law, k, now, x);
}

void cn_local_rows(const cn_problem *problem, int block, cn_law law, const double k[9], const double v[3], double x[3])
{
    const cn_block *b = &problem->blocks[block];
    double now[3] = { v[0], v[1], v[2] };
    step_normal(problem, b, law, k, now, x);
    if (b->kind == CN_BLOCK_CONTACT)
        step_friction(b, law, k, now, x);
}

void cn_lab_pgs(cn_lab_run *run)
{
    cn_lab_sweep sweep;
    if (!cn_lab_sweep_init(&sweep, run))
        return;
    double change;
    do {
        cn_lab_sweep_reorder(&sweep, run, run->r);
        if (run->options.friction_after) {
            change = cn_lab_sweep_pass(&sweep, run, cn_local_normal, run->r);
            change = fmax(change, cn_lab_sweep_pass(&sweep, run, cn_local_friction, run->r));
        } else {
            change = cn_lab_sweep_pass(&sweep, run, cn_local_rows, run->r);
        }
    } while (!cn_lab_sweep_check(run, run->r, change));
}
