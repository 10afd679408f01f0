// Lemke's and Dantzig's pivoting: textbook problems, known numbers of pivots, rays, ties, pyramids that grow edges.
#include "cairn/problem_file.h"
#include "lab/lcp.h"
#include "lab_solve.h"

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

enum { MOST = 16 };

// w = M z + q, M row by row. Rows 0 .. m - 1 are equalities, the others are complementary.
static cn_problem *mixed_complementarity(int m, int n, const double *matrix, const double *q)
{
    cn_problem *p = cn_problem_create(NULL);
    int size = m + n, starts[MOST + 1] = { 0 }, columns[MOST * MOST];
    double entries[MOST * MOST][9] = { 0 };
    for (int i = 0; i < size; i++) {
        cn_block_def def = cn_block_def_default(i < m ? CN_BLOCK_EQUALITY : CN_BLOCK_BOUNDED);
        def.bias[0] = q[i];
        cn_problem_add_block(p, &def);
        starts[i + 1] = size * (i + 1);
        for (int j = 0; j < size; j++) {
            columns[size * i + j] = j;
            entries[size * i + j][0] = matrix[size * i + j];
        }
    }
    assert_true(cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries));
    return p;
}

static cn_problem *complementarity(int n, const double *matrix, const double *q)
{
    return mixed_complementarity(0, n, matrix, q);
}

static void assert_solution(int n, const double *matrix, const double *q, const double *expected, int pivots)
{
    cn_problem *p = complementarity(n, matrix, q);
    double *z;
    cn_lab_report report = solve(p, "lemke", precise(1e-12), &z);
    assert_true(report.converged);
    assert_int_equal(report.iterations, pivots);
    for (int i = 0; i < n; i++)
        assert_close(z[i], expected[i], 1e-12);
    free(z);
    cn_problem_destroy(p);
}

// Cottle, Pang and Stone, "The linear complementarity problem", and others small enough to check by hand.
static void textbook_problems(void **state)
{
    (void)state;
    const double definite[] = { 2.0, 1.0, 1.0, 2.0 }, definite_q[] = { -5.0, -6.0 }, definite_z[] = { 4.0 / 3.0, 7.0 / 3.0 };
    assert_solution(2, definite, definite_q, definite_z, 3);
    const double apart[] = { 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 4.0 }, apart_q[] = { -1.0, 3.0, -1.0 };
    const double apart_z[] = { 1.0, 0.0, 0.25 };
    assert_solution(3, apart, apart_q, apart_z, 3);
    const double indefinite[] = { 0.0, -1.0, 2.0, 2.0, 0.0, -2.0, -1.0, 1.0, 0.0 }, indefinite_q[] = { -3.0, 6.0, -1.0 };
    const double indefinite_z[] = { 0.0, 1.0, 3.0 };
    assert_solution(3, indefinite, indefinite_q, indefinite_z, 5);
    const double nothing_to_do[] = { 1.0, 2.0, 3.0 };
    cn_problem *p = complementarity(3, apart, nothing_to_do);
    assert_true(solve(p, "lemke", precise(1e-12), NULL).converged);
    cn_problem_destroy(p);
}

// Murty's problems make Lemke's method visit every one of the 2^n bases.
static void exponential_problems_take_exponentially_many_pivots(void **state)
{
    (void)state;
    for (int n = 3; n <= 8; n++) {
        double matrix[MOST * MOST] = { 0.0 }, q[MOST], z[MOST] = { 0.0 };
        for (int i = 0; i < n; i++) {
            q[i] = -((double)(2 << n) - (double)(2 << i));
            for (int j = i; j < n; j++)
                matrix[n * i + j] = i == j ? 1.0 : 2.0;
        }
        z[n - 1] = (double)(1 << n);
        assert_solution(n, matrix, q, z, 1 << n);
    }
}

static void rays_are_told(void **state)
{
    (void)state;
    const double infeasible[] = { 0.0, 0.0, 0.0, 1.0 }, q[] = { -1.0, -1.0 }; // w_0 = -1 whatever z is
    cn_problem *p = complementarity(2, infeasible, q);
    cn_lab_report report = solve(p, "lemke", precise(1e-12), NULL);
    assert_int_equal(report.stop, CN_STOP_RAY);
    assert_non_null(strstr(cn_last_error(), "ray"));
    assert_false(report.converged);
    cn_problem_destroy(p);
}

// All ratios tie: without a rule for ties bases may come back for ever.
static void ties_do_not_cycle(void **state)
{
    (void)state;
    for (int n = 2; n <= 10; n++) {
        double matrix[MOST * MOST], q[MOST];
        for (int i = 0; i < n; i++) {
            q[i] = -1.0;
            for (int j = 0; j < n; j++)
                matrix[n * i + j] = 1.0; // rank 1: any z that sums to one
        }
        cn_problem *p = complementarity(n, matrix, q);
        cn_lab_report report = solve(p, "lemke", precise(1e-12), NULL);
        assert_true(report.converged);
        assert_true(report.iterations <= 2 * n);
        assert_true(solve(p, "dantzig", precise(1e-8), NULL).converged);
        cn_problem_destroy(p);
    }
    cn_problem *tower = lab_tower(4, 0.5), *smooth = cn_problem_without_friction(tower);
    assert_true(solve(smooth, "lemke", precise(1e-10), NULL).converged); // every level four times the same
    cn_problem_destroy(smooth);
    cn_problem_destroy(tower);
}

// ---- bounds and equalities

static void bounds_and_equalities(void **state)
{
    (void)state;
    static const char *const names[] = { "lemke", "dantzig" };
    const double lower[] = { -1.0, -(double)INFINITY, 0.5, -(double)INFINITY },
                 upper[] = { 1.0, 2.0, (double)INFINITY, (double)INFINITY };
    const double q[] = { -5.0, -5.0, 3.0, -3.0 }, expected[] = { 1.0, 2.0, 0.5, 1.5 };
    for (int k = 0; k < 2; k++) {
        cn_problem *p = cn_problem_create(NULL);
        int starts[5], columns[4];
        double entries[4][9] = { 0 }, *r;
        for (int i = 0; i < 4; i++) {
            cn_block_def def = cn_block_def_default(i < 3 ? CN_BLOCK_BOUNDED : CN_BLOCK_EQUALITY);
            def.bias[0] = q[i];
            def.lower[0] = lower[i];
            def.upper[0] = upper[i];
            cn_problem_add_block(p, &def);
            starts[i] = columns[i] = i;
            entries[i][0] = 2.0;
        }
        starts[4] = 4;
        assert_true(cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries));
        assert_true(solve(p, names[k], precise(1e-8), &r).converged);
        for (int i = 0; i < 4; i++)
            assert_close(r[i], expected[i], 1e-7);
        free(r);
        cn_problem_destroy(p);
    }
}

static cn_lab_stop stop_of(int m, int n, const double *matrix, const double *q)
{
    cn_problem *p = mixed_complementarity(m, n, matrix, q);
    cn_lab_stop stop = solve(p, "lemke", precise(1e-10), NULL).stop;
    cn_problem_destroy(p);
    return stop;
}

// Equalities that say the same twice have solutions; those that contradict each other have none. A block of zeros is as good as
// any where the rows beside it determine what it leaves open, whatever their signs.
static void singular_equalities(void **state)
{
    (void)state;
    const double twice[] = { 1.0, 1.0, 1.0, 1.0 }, same[] = { 1.0, 1.0 }, apart[] = { 1.0, 2.0 };
    assert_int_equal(stop_of(2, 0, twice, same), CN_STOP_CONVERGED);
    assert_int_equal(stop_of(2, 0, twice, apart), CN_STOP_RAY);
    const double skew[] = { 0.0, 1.0, -1.0, 0.0 }, wrong_way[] = { 0.0, 1.0, 1.0, 0.0 };
    const double reached[] = { -1.0, 0.5 }, missed[] = { 1.0, 0.5 }; // z = 1, z = -1
    assert_int_equal(stop_of(1, 1, skew, reached), CN_STOP_CONVERGED);
    assert_int_equal(stop_of(1, 1, skew, missed), CN_STOP_RAY);
    assert_int_equal(stop_of(1, 1, wrong_way, reached), CN_STOP_CONVERGED);
    assert_int_equal(stop_of(1, 1, wrong_way, missed), CN_STOP_RAY);
}

// M = F F^T with fewer columns in F than there are equalities, q such that a solution is known.
static void random_singular_equalities(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 300; round++) {
        int m = 2 + round % 5, n = round % 7, rank = 1 + round % m, size = m + n;
        double factor[MOST][MOST], matrix[MOST * MOST], q[MOST], known[MOST], scale = ldexp(1.0, round % 61 - 30);
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < rank; k++)
                factor[i][k] = draw(&seed, -1.0, 1.0);
            known[i] = draw(&seed, i < m ? -1.0 : 0.0, 1.0);
        }
        for (int i = m; i < size; i++)
            known[i] *= i % 2;
        for (int i = 0; i < size; i++) {
            q[i] = i >= m && i % 2 == 0 ? scale * draw(&seed, 0.0, 1.0) : 0.0;
            for (int j = 0; j < size; j++) {
                double sum = 0.0;
                for (int k = 0; k < rank; k++)
                    sum += factor[i][k] * factor[j][k];
                matrix[size * i + j] = scale * sum;
                q[i] -= scale * sum * known[j];
            }
        }
        assert_int_equal(stop_of(m, n, matrix, q), CN_STOP_CONVERGED);
    }
}

// ---- sizes

// Rank 6 of 12: all ties are between numbers that rounding has moved.
static void matrices_of_any_size(void **state)
{
    (void)state;
    enum { SIZE = 12, RANK = 6 };
    for (int exponent = -60; exponent <= 60; exponent += 3) {
        uint64_t seed = 1234;
        double factor[SIZE][RANK], matrix[SIZE * SIZE], q[SIZE], scale = ldexp(1.0, exponent);
        for (int i = 0; i < SIZE; i++) {
            q[i] = i % 2 == 0 ? scale * draw(&seed, 0.0, 1.0) : 0.0;
            for (int k = 0; k < RANK; k++)
                factor[i][k] = draw(&seed, -1.0, 1.0);
        }
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                matrix[SIZE * i + j] = 0.0;
                for (int k = 0; k < RANK; k++)
                    matrix[SIZE * i + j] += scale * factor[i][k] * factor[j][k];
                q[i] -= j % 2 == 1 ? matrix[SIZE * i + j] : 0.0;
            }
        }
        cn_problem *p = complementarity(SIZE, matrix, q);
        assert_true(solve(p, "lemke", precise(1e-12), NULL).converged);
        cn_problem_destroy(p);
    }
}

// A pyramid has a solution whatever the pile is; ties without end.
static void piles_end_on_no_ray(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 24; round++) {
        cn_problem *p = cn_problem_create(NULL);
        for (int i = 0; i < 8; i++) {
            cn_model_body rock = lab_cube(draw(&seed, 0.2, 5.0), 10.0, 1.0 / 60.0);
            for (int k = 0; k < 6; k++)
                rock.velocity[k] += draw(&seed, -0.05, 0.05);
            cn_problem_add_body(p, &rock);
            for (int c = 0; c < 5; c++) {
                int below = i == 0 || draw(&seed, 0.0, 1.0) < 0.2 ? -1 : (int)draw(&seed, 0, i);
                double at[3] = { draw(&seed, -0.5, 0.5), -0.5, draw(&seed, -0.5, 0.5) };
                double under[3] = { draw(&seed, -0.5, 0.5), 0.5, draw(&seed, -0.5, 0.5) };
                cn_block_def def = lab_contact(i, at, below, under, 0.3);
                cn_problem_add_block(p, &def);
            }
        }
        cn_lab_options options = precise(1e-8);
        options.law = CN_LAW_BOX;
        assert_true(solve(p, "lemke", options, NULL).converged);
        cn_problem_destroy(p);
    }
}

// ---- friction

// Friction then points along the edge nearest to the slide: the error falls as edges are added.
static void pyramids_approach_the_cone(void **state)
{
    (void)state;
    cn_problem *p = lab_slider(1.0, 0.5);
    double last = 1.0;
    for (int directions = 4; directions <= 32; directions *= 2) {
        cn_lab_options options = precise(1e-12);
        options.directions = directions;
        double error = solve(p, "lemke", options, NULL).residual.value;
        assert_true(error <= last && error <= 0.4 / directions);
        last = error;
    }
    assert_true(last < 1e-2);
    cn_problem_destroy(p);
}

// With edges along the tangents the box needs no approximation, and the relaxed pyramid is a problem of its own.
static void laws_that_pivoting_meets_exactly(void **state)
{
    (void)state;
    cn_problem *problems[] = { lab_slider(1.0, 0.5), lab_slider(0.01, 0.5), mixed_problem() };
    for (int i = 0; i < 3; i++) {
        cn_lab_options options = precise(1e-8);
        options.law = CN_LAW_BOX;
        assert_true(solve(problems[i], "lemke", options, NULL).converged);
        assert_true(solve(problems[i], "dantzig", options, NULL).converged);
        cn_problem_destroy(problems[i]);
    }
}

static void frictionless_problems_are_exact(void **state)
{
    (void)state;
    for (int height = 1; height <= 16; height *= 4) {
        cn_problem *tower = lab_tower(height, 0.5), *p = cn_problem_without_friction(tower);
        double *r, push = 0.0;
        cn_lab_report report = solve(p, "dantzig", precise(1e-10), &r);
        assert_true(report.converged);
        assert_true(report.iterations <= 5);
        for (int i = 0; i < 4; i++)
            push += r[i];
        assert_close(push, height * 10.0 / 60.0, 1e-8 * height);
        free(r);
        cn_problem_destroy(p);
        cn_problem_destroy(tower);
    }
}

static void problems_beyond_pivoting_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = { "lemke", "dantzig" };
    cn_problem *p = lab_tower(130, 0.5); // 1560 rows that are all coupled
    for (int k = 0; k < 2; k++) {
        assert_int_equal(solve(p, names[k], precise(1e-8), NULL).stop, CN_STOP_REFUSED);
        assert_non_null(strstr(cn_last_error(), "too many"));
    }
    cn_problem_destroy(p);
}

// ---- stored problems

typedef struct stored {
    const char *name;
    int pivots;
    bool ray;
} stored;

static void stored_problems_take_the_known_pivots(void **state)
{
    (void)state;
    static const stored files[] = {
        { "CPS_1", 2, false },
        { "CPS_2", 5, false },
        { "CPS_3", 1, true },
        { "CPS_4", 5, false },
        { "CPS_5", 2, false },
        { "Pang_isolated_sol", 3, false },
        { "Pang_isolated_sol_perturbed", 4, true },
        { "inf_sol_perturbed", 5, false },
        { "deudeu", 3, false },
        { "deudeu_block", 3, false },
        { "enum_fails", 8, false },
        { "exp_murty", 2, false },
        { "exp_murty2", 64, false },
        { "trivial", 10, false },
        { "trivial_block", 10, false },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512], name[128];
        snprintf(name, sizeof name, "lcp/lcp_%s.dat", files[i].name);
        if (!lab_file(name, path, sizeof path))
            continue;
        cn_problem *p = cn_problem_read(path, CN_PROBLEM_LCP, NULL, NULL);
        assert_non_null(p);
        cn_lab_report report = solve(p, "lemke", precise(1e-8), NULL);
        assert_int_equal(report.iterations, files[i].pivots);
        assert_int_equal(report.stop, files[i].ray ? CN_STOP_RAY : CN_STOP_CONVERGED);
        assert_int_equal(report.converged, !files[i].ray);
        cn_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textbook_problems),
        cmocka_unit_test(exponential_problems_take_exponentially_many_pivots),
        cmocka_unit_test(rays_are_told),
        cmocka_unit_test(ties_do_not_cycle),
        cmocka_unit_test(bounds_and_equalities),
        cmocka_unit_test(singular_equalities),
        cmocka_unit_test(random_singular_equalities),
        cmocka_unit_test(matrices_of_any_size),
        cmocka_unit_test(piles_end_on_no_ray),
        cmocka_unit_test(pyramids_approach_the_cone),
        cmocka_unit_test(laws_that_pivoting_meets_exactly),
        cmocka_unit_test(frictionless_problems_are_exact),
        cmocka_unit_test(problems_beyond_pivoting_are_refused),
        cmocka_unit_test(stored_problems_take_the_known_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
