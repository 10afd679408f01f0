#include "lab/near.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// How much a contact gives way in the first stage, in parts of its own answer to an impulse; then less, and at last no more.
// Contacts alone hardly contradict each other, so little is enough; where there are joints, their corrections must not decide
// who carries.
static const double GIVE_ALONE = 1e-6, GIVE_WITH_JOINTS = 1e-3, LESS = 0.1, LEAST_GIVE = 1e-9;
static const double POSED = 0.5;       // of the tolerance: a stage is solved to it
static const double STILL_FALLS = 0.5; // from stage to stage, while there is something to be won
static const double FAR_BELOW = 0.1;   // the residual of a stage against that of the problem: what is left is what it gives

typedef struct stages {
    cn_problem *problem;
    double *q, *softness; // of the problem itself
    double *give;         // per row; all of a block's own answer
    double first_give;
    double *centre, *best;
    double best_residual;
    cn_lab_options options;
    cn_lab_report report; // sums over all stages
} stages;

// ---- one stage

// The mean of what the rows of a block answer to their own impulses.
static double own_answer(const cn_problem *p, const cn_block *b)
{
    double sum = 0.0;
    for (int s = b->first_side; s < b->first_side + b->side_count; s++)
        for (int row = 0; row < b->rows; row++)
            for (int k = 0; k < 36; k++)
                sum += p->sides[s].jacobian[row][k / 6] * p->bodies[p->sides[s].body].inverse_mass[k / 6][k % 6] *
                       p->sides[s].jacobian[row][k % 6];
    return sum / b->rows;
}

// The residual of the stage; r is what the solver found.
static double solve_stage(stages *s, const char *solver, double part, double *r)
{
    cn_problem *p = s->problem;
    for (int i = 0; i < p->row_count; i++) {
        p->softness[i] = s->softness[i] + part * s->give[i];
        p->q[i] = s->q[i] - part * s->give[i] * s->centre[i];
    }
    cn_lab_report found = cn_lab_solve(p, solver, &s->options, r);
    memcpy(p->q, s->q, sizeof(double) * (size_t)p->row_count);
    memcpy(p->softness, s->softness, sizeof(double) * (size_t)p->row_count);
    s->report.stop = found.stop;
    s->report.iterations += found.iterations;
    s->report.products += found.products;
    s->report.work += found.work;
    s->report.ms += found.ms;
    return found.residual.value;
}

// What is left for further stages; false when that is nothing.
static bool pay(cn_lab_options *options, const cn_lab_options *given, const cn_lab_report *spent)
{
    if (given->max_iterations > 0)
        options->max_iterations = given->max_iterations - spent->iterations;
    if (given->max_work > 0.0)
        options->max_work = given->max_work - spent->work;
    return options->max_iterations >= (given->max_iterations > 0) && options->max_work >= 0.0 &&
           (given->max_work == 0.0 || options->max_work > 0.0);
}

// ---- all of them

static stages begin(cn_problem *p, const cn_lab_options *given, const double *r, cn_arena *arena)
{
    int rows = p->row_count;
    stages s = { .problem = p, .first_give = GIVE_ALONE, .best_residual = (double)INFINITY, .options = *given };
    double **vectors[] = { &s.give, &s.q, &s.softness, &s.centre, &s.best };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = cn_arena_array(arena, double, rows);
    memcpy(s.q, p->q, sizeof(double) * (size_t)rows);
    memcpy(s.softness, p->softness, sizeof(double) * (size_t)rows);
    for (int i = 0; i < p->block_count; i++) {
        const cn_block *b = &p->blocks[i];
        double own = b->kind == CN_BLOCK_CONTACT ? own_answer(p, b) : 0.0;
        if (b->kind != CN_BLOCK_CONTACT)
            s.first_give = GIVE_WITH_JOINTS;
        for (int row = b->first_row; row < b->first_row + b->rows; row++)
            s.give[row] = own;
    }
    memcpy(s.centre, r, sizeof(double) * (size_t)rows);
    s.options.tolerance = POSED * given->tolerance;
    return s;
}

static void keep_if_better(stages *s, double residual, const double *r)
{
    if (!(residual < s->best_residual))
        return;
    s->best_residual = residual;
    memcpy(s->best, r, sizeof(double) * (size_t)s->problem->row_count);
}

static void run_stages(stages *s, const char *solver, const cn_lab_options *given, double enough, double *r)
{
    double before = (double)INFINITY;
    for (double part = s->first_give; part >= LEAST_GIVE; part *= LESS) {
        double posed = solve_stage(s, solver, part, r);
        if (s->report.stop == CN_STOP_REFUSED)
            return;
        double residual = cn_problem_residual(s->problem, given->law, r, NULL).value;
        keep_if_better(s, residual, r);
        bool stays = residual <= enough && !(residual < STILL_FALLS * before);
        bool solved = posed <= fmax(given->tolerance, FAR_BELOW * residual);
        if (residual <= given->tolerance || stays || !solved || !pay(&s->options, given, &s->report))
            return;
        before = residual;
        memcpy(s->centre, r, sizeof(double) * (size_t)s->problem->row_count);
    }
}

cn_lab_report cn_lab_solve_near(cn_problem *p, const char *solver, const cn_lab_options *given, double enough, double *r)
{
    p->unit = cn_problem_unit(p); // stages give way by too little to change it, and it is asked for many times
    cn_residual start = cn_problem_residual(p, given->law, r, NULL);
    if (start.value <= given->tolerance || p->side_count == 0)
        return cn_lab_solve(p, solver, given, r);
    cn_arena arena;
    cn_arena_init(&arena, given->allocator != NULL ? given->allocator : p->allocator);
    stages s = begin(p, given, r, &arena);
    keep_if_better(&s, start.value, r);
    run_stages(&s, solver, given, enough, r);
    memcpy(r, s.best, sizeof(double) * (size_t)p->row_count);
    cn_arena_free(&arena);
    s.report.residual = cn_problem_residual(p, given->law, r, NULL);
    s.report.converged = s.report.residual.value <= given->tolerance;
    return s.report;
}
