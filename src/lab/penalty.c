// Springs and dampers at the contacts, integrated explicitly.
//
// The velocities q are poured in evenly over the step, as gravity does it: after the share t of the step the relative
// velocities are u(t) = t q + W r(t), their integral x(t) is how far the contacts are displaced, and r(t) gathers the forces
//
//     f = law(-k x - c u)
//
// of springs that start unloaded. Where the springs have settled the forces are constant and u(t) = t (q + W f): then r(t) / t
// = f solves the rigid problem. What it lacks is the swinging of the springs, which fades with damping and with the number of
// swings in a step.
//
// Time is counted in substeps, and the springs are as stiff as a substep bears. So the first n substeps are a whole step of n
// substeps whose springs are n^2 times as stiff as those of a step of one, and r(t) / t after each of them is an answer of the
// method.
#include "lab/gradient.h"
#include "model/law.h"

#include <math.h>

typedef struct penalty {
    cn_lab_run *run;
    const double *metric; // stiffness and damping go with the mass a contact moves
    double stiffness, damping;
    double *x, *u, *f, *r, *mean;
} penalty;

// Symplectic Euler bears w < 2 (sqrt(1 + z^2) - z) per substep, w the fastest frequency and z its damping ratio.
static void choose_springs(penalty *a)
{
    double z = a->run->options.damping_ratio, norm = cn_gradient_norm(a->run, a->metric);
    double limit = 2.0 / (sqrt(1.0 + z * z) + z), frequency = limit * sqrt(a->run->options.stiffness);
    a->stiffness = frequency * frequency / norm;
    a->damping = 2.0 * z * frequency / norm;
}

// Friction is a spring that slips: what the limit takes off the force is taken off its displacement.
static void slip(const cn_block *b, cn_law law, double stiffness, double *f, double *x)
{
    double wanted[2] = { f[1], f[2] };
    f[0] = cn_larger(f[0], 0.0);
    double limit = b->friction * (law == CN_LAW_DISC ? b->frozen : f[0]);
    if (law != CN_LAW_BOX)
        cn_project_disc(limit, f);
    for (int k = 1; k < 3; k++) {
        f[k] = cn_smaller(cn_larger(f[k], -limit), limit);
        x[k] += (wanted[k - 1] - f[k]) / stiffness;
    }
}

static void find_forces(penalty *a)
{
    const cn_problem *p = a->run->problem;
    for (int i = 0; i < p->row_count; i++)
        a->f[i] = -a->metric[i] * (a->stiffness * a->x[i] + a->damping * a->u[i]);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        int row = b->first_row;
        if (b->kind == CN_BLOCK_CONTACT && a->run->law != CN_LAW_RELAXED)
            slip(b, a->run->law, a->stiffness * a->metric[row], a->f + row, a->x + row);
        else
            cn_project_block(p, i, a->run->law, a->f + row);
    }
}

void cn_lab_penalty(cn_lab_run *run)
{
    if (cn_gradient_refuses(run, "penalty"))
        return;
    const cn_problem *p = run->problem;
    penalty a = { .run = run, .metric = cn_gradient_metric(run) };
    double **vectors[] = { &a.x, &a.u, &a.f, &a.r, &a.mean };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = cn_lab_vector(run);
    choose_springs(&a);
    for (int i = 0; i < p->row_count; i++) // a former solution is how far the springs are loaded
        a.x[i] = -run->r[i] / (a.stiffness * a.metric[i]);
    for (int substep = 1;; substep++) {
        find_forces(&a);
        for (int i = 0; i < p->row_count; i++) {
            a.r[i] += a.f[i];
            a.mean[i] = a.r[i] / substep;
        }
        cn_problem_multiply(p, a.r, a.u);
        run->products++;
        for (int i = 0; i < p->row_count; i++) {
            a.u[i] += substep * p->q[i];
            a.x[i] += a.u[i];
        }
        if (cn_lab_check(run, a.mean))
            return;
    }
}
