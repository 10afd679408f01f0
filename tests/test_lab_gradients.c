// Gradient methods, ADMM and springs against closed forms, against each other, and on stored problems where there are any.
#include "cairn/lab.h"
#include "cairn/problem_file.h"
#include "lab_files.h"
#include "lab_problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char *const solvers[] = { "pgd", "apgd", "mprgp", "admm", "penalty" };
enum { SOLVERS = sizeof solvers / sizeof solvers[0], MOST_ROWS = 1024, MOST_BODIES = 16 };

// Springs settle slowly: what is asked of them is less.
static double accuracy(int solver) { return strcmp(solvers[solver], "penalty") == 0 ? 1e-4 : 1e-9; }

static cn_lab_report solve(cn_problem *problem, int solver, cn_law law, double *r)
{
    cn_lab_options options = cn_lab_options_default();
    options.law = law;
    options.tolerance = accuracy(solver);
    memset(r, 0, sizeof(double) * (size_t)problem->row_count);
    cn_lab_report report = cn_lab_solve(problem, solvers[solver], &options, r);
    if (!report.converged)
        print_message("%s: %s after %d, residual %g\n", solvers[solver], cn_lab_stop_name((int)report.stop), report.iterations,
                      report.residual.value);
    return report;
}

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

// ---- closed forms

static void tower_weighs_what_it_weighs(void **state)
{
    (void)state;
    cn_problem *problem = lab_tower(5, 0.5);
    double r[MOST_ROWS];
    for (int i = 0; i < SOLVERS; i++) {
        assert_true(solve(problem, i, CN_LAW_COULOMB, r).converged);
        for (int level = 0; level < 5; level++) {
            double push = 0.0;
            for (int k = 0; k < 4; k++)
                push += r[3 * (4 * level + k)];
            assert_close(push, (5 - level) * 10.0 / 60.0, 10.0 * accuracy(i));
        }
    }
    cn_problem_destroy(problem);
}

// Friction takes mu m g h from the momentum of a sliding cube, against its motion, and all of it from a slow one.
static void slider_is_braked_by_friction(void **state)
{
    (void)state;
    const double friction = 0.3, weight = 10.0 / 60.0, speeds[] = { 1.0, 0.02 };
    double r[MOST_ROWS];
    for (int fast = 0; fast < 2; fast++) {
        double speed = speeds[fast], along = sqrt(1.25) * speed;
        double expected = along > friction * weight ? friction * weight : along;
        cn_problem *problem = lab_slider(speed, friction);
        for (int i = 0; i < SOLVERS; i++) {
            assert_true(solve(problem, i, CN_LAW_COULOMB, r).converged);
            double brake[2] = { 0.0 };
            for (int k = 0; k < 4; k++)
                for (int axis = 0; axis < 2; axis++)
                    brake[axis] += r[3 * k + 1 + axis];
            assert_close(brake[0], -expected / sqrt(1.25), 20.0 * accuracy(i));
            assert_close(brake[1], -0.5 * expected / sqrt(1.25), 20.0 * accuracy(i));
        }
        cn_problem_destroy(problem);
    }
}

// One row on a body of 2 kg that comes at 1 m/s: r = 1 / (1/m + softness) unless a bound holds it.
static void one_row_has_a_closed_form(void **state)
{
    (void)state;
    const struct {
        cn_block_kind kind;
        double bias, softness, upper, expected;
    } cases[] = { { CN_BLOCK_BOUNDED, -1.0, 0.0, (double)INFINITY, 2.0 },
                  { CN_BLOCK_BOUNDED, -1.0, 0.5, (double)INFINITY, 1.0 },
                  { CN_BLOCK_BOUNDED, -1.0, 0.0, 0.25, 0.25 },
                  { CN_BLOCK_BOUNDED, 1.0, 0.0, 1.0, 0.0 },
                  { CN_BLOCK_EQUALITY, 1.0, 0.5, (double)INFINITY, -1.0 },
                  { CN_BLOCK_EQUALITY, -1.0, 0.0, (double)INFINITY, 2.0 },
                  { CN_BLOCK_BOUNDED, -1.0, 0.0, 0.0, 0.0 } };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        cn_problem *problem = cn_problem_create(NULL);
        cn_model_body body = { .inverse_mass = { { 0.5 } } };
        cn_problem_add_body(problem, &body);
        cn_block_def def = cn_block_def_default(cases[c].kind);
        def.side_count = 1;
        def.sides[0].jacobian[0][0] = 1.0;
        def.bias[0] = cases[c].bias;
        def.softness[0] = cases[c].softness;
        def.upper[0] = cases[c].upper;
        assert_int_equal(cn_problem_add_block(problem, &def), 0);
        for (int i = 0; i < SOLVERS; i++) {
            double r[1];
            assert_true(solve(problem, i, CN_LAW_COULOMB, r).converged);
            assert_close(r[0], cases[c].expected, 10.0 * accuracy(i));
        }
        cn_problem_destroy(problem);
    }
}

// ---- laws

static double random_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

// A tower that is also pushed about, so that some contacts open, some stick and some slide.
static cn_problem *shaken_tower(int height)
{
    cn_problem *problem = lab_tower(height, 0.4);
    uint32_t seed = 7;
    double kicks[MOST_BODIES][6];
    for (int i = 0; i < height; i++)
        for (int k = 0; k < 6; k++)
            kicks[i][k] = 0.1 * random_number(&seed);
    for (int i = 0; i < problem->row_count; i++) // a contact has three rows
        for (int side = problem->blocks[i / 3].first_side;
             side < problem->blocks[i / 3].first_side + problem->blocks[i / 3].side_count; side++)
            for (int k = 0; k < 6; k++)
                problem->q[i] += problem->sides[side].jacobian[i % 3][k] * kicks[problem->sides[side].body][k];
    return problem;
}

static void relaxed_solutions_have_the_least_energy(void **state)
{
    (void)state;
    cn_problem *problem = shaken_tower(3);
    double r[MOST_ROWS], other[MOST_ROWS];
    for (int i = 0; i < SOLVERS; i++) {
        if (strcmp(solvers[i], "mprgp") == 0) // cones are not for it
            continue;
        cn_lab_report report = solve(problem, i, CN_LAW_RELAXED, r);
        assert_true(report.converged);
        uint32_t seed = 1;
        for (int trial = 0; trial < 2000; trial++) {
            double away = trial % 2 == 0 ? 1.0 : 1e-3; // far from the solution and near it
            for (int b = 0; b < problem->block_count; b++) {
                double *x = other + 3 * b;
                for (int k = 0; k < 3; k++)
                    x[k] = r[3 * b + k] + away * random_number(&seed);
                double length = sqrt(x[1] * x[1] + x[2] * x[2]);
                if (x[0] < length / 0.4)
                    x[0] = length / 0.4;
            }
            assert_true(cn_problem_residual(problem, CN_LAW_RELAXED, other, NULL).energy >=
                        report.residual.energy - accuracy(i));
        }
    }
    cn_problem_destroy(problem);
}

static void velocities(const cn_problem *problem, const double *r, double *u)
{
    cn_problem_multiply(problem, r, u);
    for (int i = 0; i < problem->row_count; i++)
        u[i] += problem->q[i];
}

// A convex problem has one answer in velocities, whoever finds it.
static void convex_laws_have_one_answer(void **state)
{
    (void)state;
    const cn_law laws[] = { CN_LAW_RELAXED, CN_LAW_DISC };
    cn_problem *problem = shaken_tower(4);
    for (int i = 0; i < problem->block_count; i++)
        problem->blocks[i].frozen = 0.1 + 0.05 * (i % 3);
    double r[MOST_ROWS], first[MOST_ROWS], u[MOST_ROWS];
    for (int l = 0; l < 2; l++) {
        assert_true(solve(problem, 1, laws[l], r).converged);
        velocities(problem, r, first);
        for (int i = 0; i < SOLVERS; i++) {
            if (laws[l] == CN_LAW_RELAXED && strcmp(solvers[i], "mprgp") == 0)
                continue;
            assert_true(solve(problem, i, laws[l], r).converged);
            velocities(problem, r, u);
            for (int k = 0; k < problem->row_count; k++)
                assert_close(u[k], first[k], accuracy(i) == 1e-9 ? 1e-6 : 1e-2);
        }
    }
    cn_problem_destroy(problem);
}

static void frozen_discs_renewed_give_coulombs_law(void **state)
{
    (void)state;
    cn_problem *problem = shaken_tower(4);
    double r[MOST_ROWS];
    cn_lab_report report = solve(problem, 2, CN_LAW_COULOMB, r);
    assert_true(report.converged && report.residual.cone <= 1e-9 && report.residual.direction <= 1e-9);
    report = solve(problem, 2, CN_LAW_BOX, r);
    assert_true(report.converged && report.residual.cone <= 1e-9);
    cn_problem_destroy(problem);
}

// ---- costs

static void mprgp_needs_few_products(void **state)
{
    (void)state;
    const int heights[] = { 5, 20, 80 }, most[] = { 60, 120, 600 };
    for (int i = 0; i < 3; i++) {
        cn_problem *tower = lab_tower(heights[i], 0.5), *problem = cn_problem_without_friction(tower);
        double r[MOST_ROWS];
        cn_lab_report report = solve(problem, 2, CN_LAW_COULOMB, r);
        assert_true(report.converged);
        assert_in_range(report.products, 1, most[i]);
        cn_problem_destroy(problem);
        cn_problem_destroy(tower);
    }
}

static void a_former_solution_is_a_good_start(void **state)
{
    (void)state;
    cn_problem *problem = shaken_tower(4);
    double r[MOST_ROWS];
    for (int i = 0; i < SOLVERS; i++) {
        int cold = solve(problem, i, CN_LAW_COULOMB, r).iterations;
        for (int k = 0; k < problem->row_count; k++)
            r[k] *= 1.0 + 1e-6;
        cn_lab_options options = cn_lab_options_default();
        options.tolerance = accuracy(i);
        cn_lab_report warm = cn_lab_solve(problem, solvers[i], &options, r);
        assert_true(warm.converged && warm.iterations < cold);
    }
    cn_problem_destroy(problem);
}

// ---- springs

static bool remember_residual(void *context, int iteration, double residual)
{
    (void)iteration;
    *(double *)context = residual;
    return true;
}

static cn_lab_report swing(cn_problem *problem, int substeps, double stiffness, double damping, double *last)
{
    double r[MOST_ROWS] = { 0.0 };
    cn_lab_options options = cn_lab_options_default();
    options.tolerance = 0.0;
    options.max_iterations = substeps;
    options.check_interval = substeps; // the answer of the whole step, not the best on the way
    options.stiffness = stiffness;
    options.damping_ratio = damping;
    options.callback = remember_residual;
    options.context = last;
    return cn_lab_solve(problem, "penalty", &options, r);
}

static void stiffer_springs_are_nearer_to_rigid(void **state)
{
    (void)state;
    cn_problem *problem = shaken_tower(3);
    const double stiffness[] = { 0.001, 0.03, 0.9 };
    double before = 1.0, last;
    for (int i = 0; i < 3; i++) {
        assert_true(swing(problem, 1000, stiffness[i], 1.0, &last).residual.value < 0.5 * before);
        before = last;
    }
    before = 1.0;
    for (int substeps = 100; substeps <= 6400; substeps *= 4) {
        assert_true(swing(problem, substeps, 0.5, 1.0, &last).residual.value < 0.5 * before);
        before = last;
    }
    cn_problem_destroy(problem);
}

// Energy above the least there is: what springs without dampers give back.
static void dampers_take_the_bounce(void **state)
{
    (void)state;
    cn_problem *problem = lab_tower(3, 0.5);
    double r[MOST_ROWS], last;
    double least = solve(problem, 1, CN_LAW_COULOMB, r).residual.energy;
    double bouncing = swing(problem, 500, 0.1, 0.0, &last).residual.energy - least;
    double damped = swing(problem, 500, 0.1, 1.0, &last).residual.energy - least;
    assert_true(damped >= -1e-12 && bouncing > 10.0 * damped);
    cn_problem_destroy(problem);
}

static void springs_at_the_limit_do_not_explode(void **state)
{
    (void)state;
    cn_problem *problem = shaken_tower(5);
    const double damping[] = { 0.0, 0.1, 1.0, 10.0 };
    for (int i = 0; i < 4; i++) {
        double last = (double)NAN;
        swing(problem, 3000, 0.99, damping[i], &last);
        assert_true(last < 0.1);
    }
    cn_problem_destroy(problem);
}

// ---- bad input

static void unsymmetric_matrices_are_refused(void **state)
{
    (void)state;
    const int row_starts[] = { 0, 2, 4 }, columns[] = { 0, 1, 0, 1 };
    const double entries[4][9] = { { 2.0 }, { 1.0 }, { -1.0 }, { 2.0 } };
    cn_problem *problem = cn_problem_create(NULL);
    cn_block_def def = cn_block_def_default(CN_BLOCK_BOUNDED);
    def.bias[0] = -1.0;
    cn_problem_add_block(problem, &def);
    cn_problem_add_block(problem, &def);
    assert_true(cn_problem_set_matrix(problem, row_starts, columns, entries));
    const char *const symmetric[] = { "pgd", "apgd", "mprgp", "penalty" };
    double r[2] = { 0.0 };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(cn_lab_solve(problem, symmetric[i], NULL, r).stop, CN_STOP_REFUSED);
        assert_non_null(strstr(cn_last_error(), "symmetric"));
    }
    assert_true(cn_lab_solve(problem, "admm", NULL, r).converged); // monotone is enough: 2 a + b = 1, 2 b - a = 1
    assert_close(r[0], 0.2, 1e-7);
    assert_close(r[1], 0.6, 1e-7);
    cn_problem_destroy(problem);
}

// A body that nothing moves comes at the ground, an equality that cannot hold, a contact without friction, and nothing at all.
static void hopeless_problems_end(void **state)
{
    (void)state;
    cn_problem *empty = cn_problem_create(NULL), *fixed = cn_problem_create(NULL);
    cn_model_body body = { .velocity = { 0.0, -1.0, 0.0 } };
    const double at[3] = { 0.1, -0.5, 0.2 };
    cn_problem_add_body(fixed, &body);
    cn_block_def contact = lab_contact(0, at, -1, at, 0.0), equality = cn_block_def_default(CN_BLOCK_EQUALITY);
    equality.bias[0] = 1.0;
    cn_problem_add_block(fixed, &contact);
    cn_problem_add_block(fixed, &equality);
    for (int i = 0; i < SOLVERS; i++) {
        double r[4] = { 0.0 };
        assert_true(cn_lab_solve(empty, solvers[i], NULL, r).converged);
        cn_lab_options options = cn_lab_options_default();
        options.max_iterations = 500;
        cn_lab_report report = cn_lab_solve(fixed, solvers[i], &options, r);
        assert_false(report.converged);
        for (int k = 0; k < 4; k++)
            assert_true(isfinite(r[k]));
    }
    cn_problem_destroy(fixed);
    cn_problem_destroy(empty);
}

static void same_input_same_bits(void **state)
{
    (void)state;
    cn_problem *problem = shaken_tower(3);
    double r[MOST_ROWS], again[MOST_ROWS];
    for (int i = 0; i < SOLVERS; i++) {
        solve(problem, i, CN_LAW_COULOMB, r);
        solve(problem, i, CN_LAW_COULOMB, again);
        assert_memory_equal(r, again, sizeof(double) * (size_t)problem->row_count);
    }
    cn_problem_destroy(problem);
}

// ---- stored problems

static void stored_problems_are_solved(void **state)
{
    (void)state;
    char path[1024], name[128];
    for (int f = 0; f < LAB_FRICTION_FILES; f++) {
        snprintf(name, sizeof name, "friction/%s", lab_friction_files[f]);
        if (!lab_file(name, path, sizeof path))
            return;
        cn_problem *problem = cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL);
        assert_non_null(problem);
        for (int i = 0; i < SOLVERS - 1; i++) {
            double r[MOST_ROWS] = { 0.0 };
            cn_lab_options options = cn_lab_options_default();
            options.tolerance = 1e-4;
            cn_lab_report report = cn_lab_solve(problem, solvers[i], &options, r);
            if (!report.converged)
                print_message("%s on %s: %g\n", solvers[i], lab_friction_files[f], report.residual.value);
            assert_true(report.converged);
        }
        cn_problem_destroy(problem);
    }
}

static void mprgp_on_boxes_without_friction(void **state)
{
    (void)state;
    char path[1024];
    if (!lab_file("friction/BoxesStack1-i100000-32.hdf5.dat", path, sizeof path))
        return;
    cn_problem *whole = cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL), *problem = cn_problem_without_friction(whole);
    double r[MOST_ROWS] = { 0.0 };
    cn_lab_report report = cn_lab_solve(problem, "mprgp", NULL, r);
    assert_true(report.converged && report.residual.value <= 1e-8);
    assert_in_range(report.products, 1, 250);
    cn_problem_destroy(problem);
    cn_problem_destroy(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_weighs_what_it_weighs),
        cmocka_unit_test(slider_is_braked_by_friction),
        cmocka_unit_test(one_row_has_a_closed_form),
        cmocka_unit_test(relaxed_solutions_have_the_least_energy),
        cmocka_unit_test(convex_laws_have_one_answer),
        cmocka_unit_test(frozen_discs_renewed_give_coulombs_law),
        cmocka_unit_test(mprgp_needs_few_products),
        cmocka_unit_test(a_former_solution_is_a_good_start),
        cmocka_unit_test(stiffer_springs_are_nearer_to_rigid),
        cmocka_unit_test(dampers_take_the_bounce),
        cmocka_unit_test(springs_at_the_limit_do_not_explode),
        cmocka_unit_test(unsymmetric_matrices_are_refused),
        cmocka_unit_test(hopeless_problems_end),
        cmocka_unit_test(same_input_same_bits),
        cmocka_unit_test(stored_problems_are_solved),
        cmocka_unit_test(mprgp_on_boxes_without_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
