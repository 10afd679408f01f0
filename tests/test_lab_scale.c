// What "converged" promises whatever the friction and the size of the numbers.
#include "cairn/problem_file.h"
#include "lab_solve.h"

enum { MOST_BLOCKS = 4 };

// Contacts of one body each, in a space of their own: W is the identity but for a part of a random one.
static cn_problem *contacts(int count, double friction, double mixed, uint64_t *seed)
{
    cn_problem *p = cn_problem_create(NULL);
    int starts[MOST_BLOCKS + 1] = { 0 }, columns[MOST_BLOCKS * MOST_BLOCKS], rows = 3 * count;
    double entries[MOST_BLOCKS * MOST_BLOCKS][9], factor[3 * MOST_BLOCKS][3 * MOST_BLOCKS];
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++)
            factor[i][k] = (i == k ? 1.0 : 0.0) + mixed * draw(seed, -1.0, 1.0);
    for (int i = 0; i < count; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = friction;
        def.bias[0] = draw(seed, -1.0, 0.2);
        def.bias[1] = draw(seed, -2.0, 2.0);
        def.bias[2] = draw(seed, -2.0, 2.0);
        cn_problem_add_block(p, &def);
        starts[i + 1] = count * (i + 1);
        for (int j = 0; j < count; j++) {
            columns[count * i + j] = j;
            for (int k = 0; k < 9; k++) {
                double sum = 0.0;
                for (int m = 0; m < rows; m++)
                    sum += factor[3 * i + k / 3][m] * factor[3 * j + k % 3][m];
                entries[count * i + j][k] = sum;
            }
        }
    }
    assert_true(cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries));
    return p;
}

static double norm(const double *x, int count)
{
    double most = 0.0, sum = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    for (int i = 0; i < count && most > 0.0; i++)
        sum += x[i] / most * (x[i] / most);
    return most * sqrt(sum);
}

// In units of |q|: how far the worst contact is from each part of the law by itself.
static double worst_part(const cn_problem *p, const double *r)
{
    double worst = 0.0, unit = cn_problem_unit(p), q = norm(p->q, p->row_count), *u = calloc((size_t)p->row_count, sizeof *u);
    cn_problem_multiply(p, r, u);
    for (int i = 0; i < p->block_count; i++) {
        int row = p->blocks[i].first_row;
        double normal = unit * r[row] / q, opening = (u[row] + p->q[row]) / q;
        double push = unit * hypot(r[row + 1], r[row + 2]) / q;
        worst = fmax(worst, fabs(fmin(normal, opening)));
        worst = fmax(worst, push - p->blocks[i].friction * fmax(normal, 0.0));
    }
    free(u);
    return worst;
}

// A body that closes at 1 m/s and slides at 2 m/s: r = 0 is no answer, however much friction there is.
static void a_contact_that_closes_is_not_solved(void **state)
{
    (void)state;
    for (double friction = 1e-3; friction < 1e13; friction *= 3.1) {
        uint64_t seed = 3;
        cn_problem *p = contacts(1, friction, 0.0, &seed);
        p->q[0] = -1.0;
        p->q[1] = 2.0;
        p->q[2] = 0.0;
        const double nothing[3] = { 0.0 }, opening[3] = { 2.0, -2.0, 0.0 }, beyond[3] = { 0.0, -2.0, 0.0 };
        assert_true(cn_problem_residual(p, CN_LAW_COULOMB, nothing, NULL).value > 0.3);
        assert_true(cn_problem_residual(p, CN_LAW_COULOMB, opening, NULL).value > 0.1);
        assert_true(cn_problem_residual(p, CN_LAW_COULOMB, beyond, NULL).value > 0.3);
        const double answer[3] = { 1.0, -fmin(2.0, friction), 0.0 };
        assert_true(cn_problem_residual(p, CN_LAW_COULOMB, answer, NULL).value < 1e-15);
        cn_problem_destroy(p);
    }
}

// Every solver: what it calls converged obeys each part of the law to within twice the tolerance.
static void converged_answers_close_no_more(void **state)
{
    (void)state;
    int converged = 0, tried = 0;
    for (int s = 0; cn_lab_solver_name(s) != NULL; s++) {
        uint64_t seed = 5;
        for (double friction = 1e-2; friction < 1e11; friction *= 31.0) {
            for (int count = 1; count <= MOST_BLOCKS; count += 3) {
                cn_problem *p = contacts(count, friction, 0.2, &seed);
                cn_lab_options options = precise(1e-6);
                options.max_iterations = 3000;
                double *r;
                cn_lab_report report = solve(p, cn_lab_solver_name(s), options, &r);
                tried++;
                converged += report.converged;
                if (report.converged && worst_part(p, r) > 2e-6)
                    fail_msg("%s, friction %g, %d contacts: %g", cn_lab_solver_name(s), friction, count, worst_part(p, r));
                if (strcmp(cn_lab_solver_name(s), "newton") == 0 && !report.converged)
                    fail_msg("newton, friction %g, %d contacts: %g", friction, count, report.residual.value);
                free(r);
                cn_problem_destroy(p);
            }
        }
    }
    print_message("%d of %d converged\n", converged, tried);
    assert_true(2 * converged > tried);
}

// ---- sizes

static void scale_matrix(cn_problem *p, double factor)
{
    for (int e = 0; e < p->entry_count; e++)
        for (int k = 0; k < 9; k++)
            p->entries[e][k] *= factor;
    p->unit = 0.0;
    p->unit = cn_problem_unit(p);
}

// From the smallest numbers to the largest: the same iterations, the same answer in other units, and the same residual.
static void the_size_of_the_numbers_does_not_matter(void **state)
{
    (void)state;
    static const int exponents[] = { -900, -541, -300, -30, -10, 0, 10, 30, 300, 512, 900 };
    enum { SIZES = sizeof exponents / sizeof *exponents };
    for (int s = 0; cn_lab_solver_name(s) != NULL; s++) {
        for (int i = 0; i < SIZES; i++) {
            for (int of_matrix = 0; of_matrix < 2; of_matrix++) {
                uint64_t seed = 77;
                cn_problem *p = contacts(4, 0.4, 0.2, &seed), *plain = cn_problem_copy(p);
                int exponent = of_matrix ? exponents[i] / 9 : exponents[i];
                double factor = ldexp(1.0, exponent), *r, *expected;
                if (of_matrix)
                    scale_matrix(p, factor);
                for (int k = 0; k < p->row_count && !of_matrix; k++)
                    p->q[k] *= factor;
                cn_lab_options options = precise(1e-6);
                options.max_iterations = 2000;
                cn_lab_report report = solve(p, cn_lab_solver_name(s), options, &r);
                cn_lab_report known = solve(plain, cn_lab_solver_name(s), options, &expected);
                assert_int_equal(report.stop, known.stop);
                assert_int_equal(report.iterations, known.iterations);
                assert_true(fabs(report.residual.value - known.residual.value) <= 1e-9 * known.residual.value + 1e-16);
                for (int k = 0; k < p->row_count; k++) {
                    double back = of_matrix ? r[k] * factor : r[k] / factor;
                    assert_true(fabs(back - expected[k]) <= 1e-9 * fabs(expected[k]) + 1e-14);
                }
                free(r);
                free(expected);
                cn_problem_destroy(p);
                cn_problem_destroy(plain);
            }
        }
    }
}

// Without contacts or bodies: w = M z + q. Answers are the same at any size of M, and twice the answer is none.
static void the_size_of_a_matrix_alone_does_not_matter(void **state)
{
    (void)state;
    enum { ROWS = 3 * MOST_BLOCKS };
    for (int exponent = -200; exponent <= 200; exponent += 40) {
        uint64_t seed = 6;
        cn_problem *source = contacts(MOST_BLOCKS, 0.0, 0.1, &seed), *p = cn_problem_without_friction(source);
        for (int e = 0; e < p->entry_count; e++)
            p->entries[e][0] = ldexp(p->entries[e][0], exponent);
        for (int i = 0; i < p->row_count; i++)
            p->q[i] = -1.0 - 0.1 * i;
        p->unit = 0.0;
        double unit = p->unit = cn_problem_unit(p);
        assert_true(unit > ldexp(0.25, exponent) && unit < ldexp(4.0, exponent));
        for (int s = 0; cn_lab_solver_name(s) != NULL; s++) {
            double *r, twice[ROWS];
            cn_lab_report report = solve(p, cn_lab_solver_name(s), precise(1e-9), &r);
            if (report.stop != CN_STOP_REFUSED && !report.converged)
                fail_msg("%s at 2^%d: %g", cn_lab_solver_name(s), exponent, report.residual.value);
            for (int i = 0; i < p->row_count; i++)
                twice[i] = 2.0 * r[i];
            if (report.converged)
                assert_true(cn_problem_residual(p, CN_LAW_COULOMB, twice, NULL).value > 0.5);
            free(r);
        }
        cn_problem_destroy(p);
        cn_problem_destroy(source);
    }
}

// Zero is no answer however small or large the velocities are, and measures in physical units are in those of the problem.
static void nothing_is_no_answer_at_any_size(void **state)
{
    (void)state;
    for (int exponent = -1000; exponent <= 1000; exponent += 50) {
        uint64_t seed = 9;
        cn_problem *p = contacts(2, 0.4, 0.1, &seed);
        for (int k = 0; k < p->row_count; k++)
            p->q[k] = ldexp(k % 3 == 0 ? -1.0 : p->q[k], exponent);
        const double nothing[6] = { 0.0 };
        cn_residual residual = cn_problem_residual(p, CN_LAW_COULOMB, nothing, NULL);
        assert_true(residual.value > 0.1 && residual.value < 10.0);
        double approach = fmax(-p->q[0], -p->q[3]);
        assert_true(fabs(residual.approach - approach) <= 1e-14 * approach);
        cn_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_closes_is_not_solved),     cmocka_unit_test(converged_answers_close_no_more),
        cmocka_unit_test(the_size_of_the_numbers_does_not_matter), cmocka_unit_test(the_size_of_a_matrix_alone_does_not_matter),
        cmocka_unit_test(nothing_is_no_answer_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
