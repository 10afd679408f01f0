// One solve: scale the problem, run the solver, keep the best iterate, measure.
#include "base/error.h"
#include "base/timer.h"
#include "lab/lab.h"
#include "model/law.h"
#include "model/scale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

cn_lab_options cn_lab_options_default(void)
{
    return (cn_lab_options){ .tolerance = 1e-8,
                             .check_interval = 1,
                             .group_size = 8,
                             .group_sweeps = 1,
                             .max_outer = 3000,
                             .proximal = 1e-6,
                             .first_sweeps = 20,
                             .directions = 8,
                             .stiffness = 0.5,
                             .damping_ratio = 1.0 };
}

const char *cn_lab_stop_name(int stop)
{
    static const char *const names[] = { [CN_STOP_CONVERGED] = "converged",
                                         [CN_STOP_LIMIT] = "limit",
                                         [CN_STOP_STALLED] = "stalled",
                                         [CN_STOP_RAY] = "ray",
                                         [CN_STOP_REFUSED] = "refused",
                                         [CN_STOP_CALLBACK] = "callback",
                                         [CN_STOP_TIME] = "time" };
    return stop >= 0 && stop < CN_LAB_STOP_COUNT ? names[stop] : NULL;
}

// ---- what solvers call

double *cn_lab_numbers(cn_lab_run *run, int count)
{
    double *numbers = cn_arena_array(run->arena, double, count);
    memset(numbers, 0, sizeof(double) * (size_t)(count > 0 ? count : 1));
    return numbers;
}

double *cn_lab_vector(cn_lab_run *run) { return cn_lab_numbers(run, run->problem->row_count); }

double cn_lab_dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

void cn_lab_velocities(cn_lab_run *run, const double *r, double *u)
{
    const cn_problem *p = run->problem;
    cn_problem_multiply(p, r, u);
    for (int i = 0; i < p->row_count; i++)
        u[i] += p->q[i];
    run->products++;
}

static double natural_residual(const cn_lab_run *run, const double *r, const double *u)
{
    const cn_problem *p = run->problem;
    double sum = 0.0;
    for (int i = 0; i < p->block_count; i++)
        sum += cn_map_square(p, i, run->law, 1.0, r + p->blocks[i].first_row, u + p->blocks[i].first_row);
    return sqrt(sum) / run->q_norm;
}

static void keep_if_better(cn_lab_run *run, const double *r)
{
    if (!(run->residual < run->best_residual)) // a NaN is never better
        return;
    run->best_residual = run->residual;
    memcpy(run->best, r, sizeof(double) * (size_t)run->problem->row_count);
}

// The product of a check is not counted: it is the price of looking.
static void look(cn_lab_run *run, const double *r)
{
    cn_lab_velocities(run, r, run->u);
    run->products--;
    run->residual = natural_residual(run, r, run->u);
    keep_if_better(run, r);
}

bool cn_lab_check(cn_lab_run *run, const double *r)
{
    bool last = ++run->iterations >= run->options.max_iterations;
    if (last || run->iterations % run->options.check_interval == 0)
        look(run, r);
    run->stop = CN_STOP_LIMIT;
    if (run->options.callback != NULL && !run->options.callback(run->options.context, run->iterations, run->residual)) {
        run->stop = CN_STOP_CALLBACK;
        return true;
    }
    if (run->residual <= run->options.tolerance) {
        run->stop = CN_STOP_CONVERGED;
        return true;
    }
    return last || cn_lab_out_of_time(run);
}

bool cn_lab_out_of_time(cn_lab_run *run)
{
    if (run->deadline == 0.0 || cn_now_ms() < run->deadline)
        return false;
    run->stop = CN_STOP_TIME;
    return true;
}

bool cn_lab_spend(cn_lab_run *run, double work)
{
    run->work += work;
    if (run->options.max_work == 0.0 || run->work <= run->options.max_work)
        return true;
    run->stop = CN_STOP_LIMIT;
    return false;
}

void cn_lab_refuse(cn_lab_run *run, const char *format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    cn_fail("cn_lab_solve: %s", sentence);
    run->stop = CN_STOP_REFUSED;
}

// ---- the call

static const cn_lab_solver *find_solver(const char *name)
{
    for (const cn_lab_solver *solver = cn_lab_solvers; name != NULL && solver->name != NULL; solver++)
        if (strcmp(solver->name, name) == 0)
            return solver;
    return NULL;
}

static bool check_options(const cn_lab_options *o)
{
    const char *const function = "cn_lab_solve";
    if (!cn_check_allocator(function, "options.allocator", o->allocator))
        return false;
    if ((unsigned)o->law >= CN_LAW_COUNT)
        return cn_fail("%s: law is %d", function, (int)o->law);
    if (!(o->tolerance >= 0.0))
        return cn_fail("%s: tolerance is %g; it must not be negative", function, o->tolerance);
    if (!(o->max_work >= 0.0))
        return cn_fail("%s: max_work is %g; it must not be negative", function, o->max_work);
    if (!(o->time_limit >= 0.0))
        return cn_fail("%s: time_limit is %g; it must not be negative", function, o->time_limit);
    if (o->max_iterations < 0 || o->check_interval < 1)
        return cn_fail("%s: max_iterations is %d and check_interval %d", function, o->max_iterations, o->check_interval);
    if (!(o->relaxation >= 0.0 && o->relaxation < 2.0))
        return cn_fail("%s: relaxation is %g; it must be above 0 and below 2", function, o->relaxation);
    if ((unsigned)o->order >= CN_SWEEP_ORDER_COUNT || (unsigned)o->local >= CN_LOCAL_SOLVER_COUNT)
        return cn_fail("%s: order is %d and local %d", function, (int)o->order, (int)o->local);
    if (o->group_size < 1 || o->group_sweeps < 1 || o->max_outer < 1 || o->first_sweeps < 0)
        return cn_fail("%s: group_size, group_sweeps and max_outer must be at least 1, first_sweeps not negative", function);
    if (!(o->proximal > 0.0 && isfinite(o->proximal)))
        return cn_fail("%s: proximal is %g; it must be above 0", function, o->proximal);
    if (o->directions < 4 || o->directions % 2 != 0 || o->directions > 64)
        return cn_fail("%s: directions is %d; it must be even, and 4 to 64", function, o->directions);
    if (!(o->stiffness > 0.0 && o->stiffness < 1.0) || !(o->damping_ratio >= 0.0 && isfinite(o->damping_ratio)))
        return cn_fail("%s: stiffness is %g and damping_ratio %g", function, o->stiffness, o->damping_ratio);
    return true;
}

static bool all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool check_start(const cn_problem *problem, const double *r)
{
    if (!cn_check_pointer("cn_lab_solve", "problem", problem) || (problem->row_count > 0 && !cn_check_pointer("cn_lab_solve", "r", r)))
        return false;
    for (int i = 0; i < problem->row_count; i++)
        if (!isfinite(r[i]))
            return cn_fail("cn_lab_solve: r[%d] is not finite", i);
    return true;
}

static void run_solver(const cn_lab_solver *solver, cn_lab_run *run)
{
    look(run, run->r);
    if (run->residual <= run->options.tolerance)
        run->stop = CN_STOP_CONVERGED;
    else if (run->options.max_iterations > 0)
        solver->solve(run);
}

cn_lab_report cn_lab_solve(cn_problem *problem, const char *name, const cn_lab_options *given, double *r)
{
    cn_lab_report refused = { .stop = CN_STOP_REFUSED };
    cn_lab_options options = given != NULL ? *given : cn_lab_options_default();
    const cn_lab_solver *solver = find_solver(name);
    if (solver == NULL) {
        cn_fail("cn_lab_solve: there is no solver \"%s\"", name != NULL ? name : "(null)");
        return refused;
    }
    if (!check_options(&options) || !check_start(problem, r))
        return refused;
    double start = cn_now_ms();
    bool through_bodies = solver->matrix_free && problem->side_count > 0;
    if (!through_bodies && !cn_problem_assemble(problem))
        return refused;
    if (options.max_iterations == 0)
        options.max_iterations = solver->max_iterations;
    if (options.relaxation == 0.0)
        options.relaxation = solver->relaxation;

    cn_arena arena;
    cn_arena_init(&arena, options.allocator != NULL ? options.allocator : problem->allocator);
    double unit = cn_problem_unit(problem), size = cn_problem_size(problem);
    cn_problem *scaled = cn_problem_rescaled(problem, unit, size);
    double q_norm = sqrt(cn_lab_dot(scaled->q, scaled->q, scaled->row_count));
    cn_lab_run run = { .problem = scaled,
                       .options = options,
                       .law = options.law,
                       .arena = &arena,
                       .best_residual = (double)INFINITY,
                       .residual = (double)INFINITY,
                       .q_norm = q_norm > 0.0 ? q_norm : 1.0,
                       .deadline = options.time_limit > 0.0 ? start + 1e3 * options.time_limit : 0.0,
                       .stop = CN_STOP_LIMIT };
    run.r = cn_lab_vector(&run);
    run.u = cn_lab_vector(&run);
    run.best = cn_lab_vector(&run);
    for (int i = 0; i < scaled->row_count; i++)
        run.best[i] = run.r[i] = r[i] * unit / size;
    run_solver(solver, &run);
    for (int i = 0; i < scaled->row_count; i++)
        run.best[i] = run.best[i] * size / unit;
    if (scaled->row_count > 0 && all_finite(run.best, scaled->row_count)) // or impulses are beyond the largest number there is
        memcpy(r, run.best, sizeof(double) * (size_t)scaled->row_count);
    cn_problem_destroy(scaled);
    cn_arena_free(&arena);

    double ms = cn_now_ms() - start;
    cn_residual residual = cn_problem_residual(problem, options.law, r, NULL);
    // Scaling back rounds: a residual that met the tolerance may come out above it in its last digits.
    bool converged = residual.value <= options.tolerance * (1.0 + 1e-9) + 1e-15;
    cn_lab_stop stop = run.stop == CN_STOP_CONVERGED && !converged ? CN_STOP_STALLED : run.stop;
    return (cn_lab_report){ stop, converged, run.iterations, run.products, run.work, residual, ms };
}

const char *cn_lab_solver_name(int index)
{
    for (int i = 0; cn_lab_solvers[i].name != NULL; i++)
        if (i == index)
            return cn_lab_solvers[i].name;
    return NULL;
}

const char *cn_lab_solver_summary(int index)
{
    return cn_lab_solver_name(index) != NULL ? cn_lab_solvers[index].summary : NULL;
}
