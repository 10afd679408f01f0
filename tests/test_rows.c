// The row solver against numbers known beforehand: the published one-row example, closed forms, and a direct solve.
#include "cairn/rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_prints(const char *format, float value, const char *expected)
{
    char text[64];
    snprintf(text, sizeof text, format, (double)value);
    assert_string_equal(text, expected);
}

// u = -1, J = 1, F = 5, mixing = 0.0001, lower bound 0.
static void published_example_to_the_digit(void **state)
{
    (void)state;
    cn_row_body body = { .inverse_mass = 1.0f, .linear_velocity = { -1.0f, 0.0f, 0.0f } };
    cn_row row = cn_row_default();
    row.linear_a = (cn_vec3){ 1.0f, 0.0f, 0.0f };
    row.force = 5.0f;
    row.lower = 0.0f;
    row.mixing = 0.0001f;
    cn_row_problem problem = { .bodies = &body, .rows = &row, .body_count = 1, .row_count = 1 };

    cn_row_terms terms;
    assert_true(cn_row_get_terms(&problem, 0, &terms));
    assert_prints("%.8f", terms.diagonal, "0.99989998");
    assert_prints("%.7f", terms.target, "5.9994001");
    assert_prints("%.8f", terms.linear_a.x, "0.99989998");
    assert_prints("%.8f", terms.softness, "0.00009999");

    for (int iterations = 1; iterations <= 2; iterations++) {
        cn_row_options options = cn_row_options_default();
        options.iterations = iterations;
        row.lambda = 0.0f;
        cn_row_report report = cn_rows_solve(&problem, &options);
        assert_true(report.ok);
        assert_int_equal(report.iterations, iterations);
        assert_prints("%.7f", body.linear_change.x, "5.9994001");
        assert_float_equal(report.largest_delta, iterations == 1 ? body.linear_change.x : 0.0f, 0.0f);
    }
}

// Two discs of 1 and 4 kg meet off centre; without friction and rebound the closed form is
// lambda = -(relative speed) / (1/m1 + 1/m2 + (r1 x n)^2/I1 + (r2 x n)^2/I2).
static void contact_of_two_bodies(void **state)
{
    (void)state;
    cn_row_body bodies[2] = {
        { .inverse_mass = 1.0f, .inverse_inertia = { .zz = 2.0f }, .linear_velocity = { 3.0f, 0.0f, 0.0f } },
        { .inverse_mass = 0.25f, .inverse_inertia = { .zz = 0.125f }, .linear_velocity = { -1.0f, 0.0f, 0.0f } },
    };
    cn_row row = cn_row_default(); // normal +x from 0 to 1; the levers are 0.5 and 0.25 m
    row.body_b = 1;
    row.linear_a = (cn_vec3){ -1.0f, 0.0f, 0.0f };
    row.angular_a = (cn_vec3){ 0.0f, 0.0f, 0.5f };
    row.linear_b = (cn_vec3){ 1.0f, 0.0f, 0.0f };
    row.angular_b = (cn_vec3){ 0.0f, 0.0f, -0.25f };
    row.lower = 0.0f;
    cn_row_problem problem = { .bodies = bodies, .rows = &row, .body_count = 2, .row_count = 1 };
    assert_true(cn_rows_solve(&problem, NULL).ok);

    float expected = 4.0f / (1.0f + 0.25f + 2.0f * 0.25f + 0.125f * 0.0625f);
    assert_float_equal(row.lambda, expected, 1e-6f);
    assert_float_equal(bodies[0].linear_change.x, -expected, 1e-6f);
    assert_float_equal(bodies[0].angular_change.z, 2.0f * 0.5f * expected, 1e-6f);
    assert_float_equal(bodies[1].linear_change.x, 0.25f * expected, 1e-6f);
    assert_float_equal(bodies[1].angular_change.z, -0.125f * 0.25f * expected, 1e-6f);
    // Separating bodies are left alone.
    bodies[0].linear_velocity.x = -3.0f;
    row.lambda = 0.0f;
    assert_true(cn_rows_solve(&problem, NULL).ok);
    assert_float_equal(row.lambda, 0.0f, 0.0f);
    assert_float_equal(bodies[1].linear_change.x, 0.0f, 0.0f);
}

enum { LINKS = 12 };

// Beads on a line: row 0 holds bead 0, row i asks that bead i and i - 1 move alike.
static void make_chain(cn_row_body *bodies, cn_row *rows)
{
    for (int i = 0; i < LINKS; i++) {
        bodies[i] = (cn_row_body){ .inverse_mass = 1.0f / (float)(1 + i % 3),
                                   .linear_velocity = { 0.0f, -1.0f - 0.1f * (float)i, 0.0f } };
        rows[i] = cn_row_default();
        rows[i].body_a = i;
        rows[i].linear_a = (cn_vec3){ 0.0f, 1.0f, 0.0f };
        if (i > 0) {
            rows[i].body_b = i - 1;
            rows[i].linear_b = (cn_vec3){ 0.0f, -1.0f, 0.0f };
        }
        rows[i].force = 0.05f * (float)i;
        rows[i].mixing = 0.01f;
    }
}

// (J M^-1 J^T + mixing) lambda = force - J u is tridiagonal for the chain: eliminate in double.
static void solve_chain_directly(const cn_row_body *bodies, const cn_row *rows, double *lambda)
{
    double diagonal[LINKS], above[LINKS], right[LINKS];
    for (int i = 0; i < LINKS; i++) {
        double own = (double)bodies[i].inverse_mass, before = i > 0 ? (double)bodies[i - 1].inverse_mass : 0.0;
        double u_before = i > 0 ? (double)bodies[i - 1].linear_velocity.y : 0.0;
        diagonal[i] = own + before + (double)rows[i].mixing;
        above[i] = -own; // rows i and i + 1 share bead i with opposite signs
        right[i] = (double)rows[i].force - ((double)bodies[i].linear_velocity.y - u_before);
    }
    for (int i = 1; i < LINKS; i++) {
        double factor = above[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * above[i - 1];
        right[i] -= factor * right[i - 1];
    }
    for (int i = LINKS - 1; i >= 0; i--)
        lambda[i] = (right[i] - (i + 1 < LINKS ? above[i] * lambda[i + 1] : 0.0)) / diagonal[i];
}

static void chain_of_equalities_against_a_direct_solve(void **state)
{
    (void)state;
    cn_row_body bodies[LINKS];
    cn_row rows[LINKS];
    double expected[LINKS];
    make_chain(bodies, rows);
    solve_chain_directly(bodies, rows, expected);
    cn_row_problem problem = { .bodies = bodies, .rows = rows, .body_count = LINKS, .row_count = LINKS };
    cn_row_options options = cn_row_options_default();
    options.iterations = 2000;
    options.epsilon = 1e-6f;
    cn_row_report report = cn_rows_solve(&problem, &options);
    assert_true(report.ok && report.converged);
    for (int i = 0; i < LINKS; i++)
        assert_float_equal((float)expected[i], rows[i].lambda, 1e-3f);

    // Over-relaxation reaches the same answer in fewer sweeps, and the solution itself needs one sweep to be recognised.
    int plain = report.iterations;
    make_chain(bodies, rows);
    options.relaxation = 1.6f;
    report = cn_rows_solve(&problem, &options);
    assert_true(report.converged && report.iterations < plain / 2);
    for (int i = 0; i < LINKS; i++)
        assert_float_equal((float)expected[i], rows[i].lambda, 1e-3f);
    options.epsilon = 1e-4f;
    report = cn_rows_solve(&problem, &options);
    assert_true(report.converged);
    assert_int_equal(report.iterations, 1);
}

static void early_exit_counts_sweeps(void **state)
{
    (void)state;
    cn_row_body bodies[LINKS];
    cn_row rows[LINKS];
    cn_row_problem problem = { .bodies = bodies, .rows = rows, .body_count = LINKS, .row_count = LINKS };
    cn_row_options options = cn_row_options_default();
    assert_int_equal(options.iterations, 16);
    make_chain(bodies, rows);
    cn_row_report all = cn_rows_solve(&problem, NULL);
    assert_int_equal(all.iterations, 16);
    assert_false(all.converged);

    int before = 0;
    for (float epsilon = 1.0f; epsilon > 1e-5f; epsilon *= 0.1f) {
        make_chain(bodies, rows);
        options = (cn_row_options){ .iterations = 1000, .epsilon = epsilon, .relaxation = 1.0f };
        cn_row_report report = cn_rows_solve(&problem, &options);
        assert_true(report.converged && report.largest_delta <= epsilon);
        assert_true(report.iterations > before);
        // One sweep fewer would not have been enough.
        make_chain(bodies, rows);
        options.iterations = report.iterations - 1;
        assert_true(options.iterations == 0 || cn_rows_solve(&problem, &options).largest_delta > epsilon);
        before = report.iterations;
    }
}

static void bounds_hold_and_the_row_gives_way(void **state)
{
    (void)state;
    cn_row_body body = { .inverse_mass = 0.5f };
    cn_row row = cn_row_default();
    row.linear_a = (cn_vec3){ 0.0f, 0.0f, 1.0f };
    row.lower = -1.0f;
    row.upper = 3.0f;
    cn_row_problem problem = { .bodies = &body, .rows = &row, .body_count = 1, .row_count = 1 };
    const float forces[] = { 10.0f, -10.0f, 1.0f }, lambdas[] = { 3.0f, -1.0f, 2.0f };
    for (int i = 0; i < 3; i++) {
        row.force = forces[i];
        row.lambda = 100.0f; // a start outside the bounds is brought inside
        assert_true(cn_rows_solve(&problem, NULL).ok);
        assert_float_equal(row.lambda, lambdas[i], 1e-6f);
        assert_float_equal(body.linear_change.z, 0.5f * lambdas[i], 1e-6f);
    }
}

// A row with mixing c is a spring that gives way by c * lambda: v = F / (1 + c m) for a body of mass m.
static void mixing_is_compliance(void **state)
{
    (void)state;
    for (float mixing = 0.01f; mixing < 200.0f; mixing *= 10.0f) {
        cn_row_body body = { .inverse_mass = 0.25f };
        cn_row row = cn_row_default();
        row.linear_a = (cn_vec3){ 1.0f, 0.0f, 0.0f };
        row.force = 2.0f;
        row.mixing = mixing;
        cn_row_problem problem = { .bodies = &body, .rows = &row, .body_count = 1, .row_count = 1 };
        assert_true(cn_rows_solve(&problem, NULL).ok);
        assert_float_equal(body.linear_change.x, 2.0f / (1.0f + mixing * 4.0f), 1e-6f);
    }
    // Two springs on one body share in proportion to their stiffness: x = sum(F/c) / (m + sum(1/c)).
    cn_row_body body = { .inverse_mass = 1.0f };
    cn_row rows[2] = { cn_row_default(), cn_row_default() };
    rows[0].linear_a = rows[1].linear_a = (cn_vec3){ 1.0f, 0.0f, 0.0f };
    rows[0].force = 1.0f;
    rows[0].mixing = 0.5f;
    rows[1].force = -2.0f;
    rows[1].mixing = 2.0f;
    cn_row_problem problem = { .bodies = &body, .rows = rows, .body_count = 1, .row_count = 2 };
    cn_row_options options = cn_row_options_default();
    options.iterations = 200;
    assert_true(cn_rows_solve(&problem, &options).ok);
    assert_float_equal(body.linear_change.x, (1.0f / 0.5f - 2.0f / 2.0f) / (1.0f + 1.0f / 0.5f + 1.0f / 2.0f), 1e-6f);
}

static void rows_that_nothing_can_move(void **state)
{
    (void)state;
    cn_row_body bodies[2] = { [0] = { .linear_velocity = { 1.0f, 0.0f, 0.0f } } };
    cn_row row = cn_row_default();
    row.body_b = 1;
    row.linear_a = (cn_vec3){ 1.0f, 0.0f, 0.0f };
    row.linear_b = (cn_vec3){ -1.0f, 0.0f, 0.0f };
    row.lambda = 7.0f;
    cn_row_problem problem = { .bodies = bodies, .rows = &row, .body_count = 2, .row_count = 1 };
    cn_row_report report = cn_rows_solve(&problem, NULL);
    assert_true(report.ok && report.converged);
    assert_float_equal(row.lambda, 0.0f, 0.0f);
    // With mixing the force is still defined: lambda = (F - J u) / mixing.
    row.mixing = 0.5f;
    assert_true(cn_rows_solve(&problem, NULL).ok);
    assert_float_equal(row.lambda, -2.0f, 1e-6f);
    assert_float_equal(bodies[0].linear_change.x, 0.0f, 0.0f);
    // Nothing at all is solved at once.
    cn_row_problem empty = { 0 };
    assert_true(cn_rows_solve(&empty, NULL).converged);
}

static void refused(cn_row_body body, cn_row row, cn_row_options options, const char *word)
{
    cn_row_body bodies[2] = { body, body };
    cn_row_problem problem = { .bodies = bodies, .rows = &row, .body_count = 2, .row_count = 1 };
    bodies[0].linear_change.x = 42.0f;
    assert_false(cn_rows_solve(&problem, &options).ok);
    assert_non_null(strstr(cn_last_error(), word));
    assert_float_equal(bodies[0].linear_change.x, 42.0f, 0.0f); // untouched
}

static void bad_input_is_answered(void **state)
{
    (void)state;
    const cn_row_body body = { .inverse_mass = 1.0f };
    const cn_row_options options = cn_row_options_default();
    cn_row row = cn_row_default();
    row.linear_a = (cn_vec3){ 1.0f, 0.0f, 0.0f };
#define WITH_ROW(word, ...)                                                                                                    \
    do {                                                                                                                       \
        cn_row r = row;                                                                                                        \
        __VA_ARGS__;                                                                                                           \
        refused(body, r, options, word);                                                                                       \
    } while (0)
    WITH_ROW("body_a", r.body_a = 2);
    WITH_ROW("body_a", r.body_a = -1);
    WITH_ROW("body_b", r.body_b = 2);
    WITH_ROW("body_b", r.body_b = -2);
    WITH_ROW("itself", r.body_b = 0);
    WITH_ROW("linear_a", r.linear_a.y = NAN);
    WITH_ROW("angular_b", r.angular_b.z = INFINITY);
    WITH_ROW("force", r.force = NAN);
    WITH_ROW("mixing", r.mixing = -1.0f);
    WITH_ROW("lambda", r.lambda = INFINITY);
    WITH_ROW("lower", r.lower = 1.0f; r.upper = 0.0f);
    WITH_ROW("lower", r.lower = NAN);
    WITH_ROW("lower", r.lower = INFINITY);
    WITH_ROW("range", r.linear_a.x = 3e38f);
    WITH_ROW("range", r.force = 3e38f; r.linear_a.x = 1e-18f);
#undef WITH_ROW
#define WITH_BODY(word, ...)                                                                                                   \
    do {                                                                                                                       \
        cn_row_body b = body;                                                                                                  \
        cn_row r = row;                                                                                                        \
        __VA_ARGS__;                                                                                                           \
        refused(b, r, options, word);                                                                                          \
    } while (0)
    WITH_BODY("inverse_mass", b.inverse_mass = -1.0f);
    WITH_BODY("inverse_mass", b.inverse_mass = NAN);
    WITH_BODY("inverse_inertia", b.inverse_inertia.xy = NAN);
    WITH_BODY("inverse_inertia", b.inverse_inertia.zz = -1.0f);
    WITH_BODY("inverse_inertia", b.inverse_inertia.xy = -9.0f; r.angular_a = (cn_vec3){ 1.0f, 1.0f, 0.0f });
    WITH_BODY("angular_velocity", b.angular_velocity.y = INFINITY);
#undef WITH_BODY
    refused(body, row, (cn_row_options){ .iterations = 0, .relaxation = 1.0f }, "iterations");
    refused(body, row, (cn_row_options){ .iterations = 1, .relaxation = 2.0f }, "relaxation");
    refused(body, row, (cn_row_options){ .iterations = 1, .relaxation = NAN }, "relaxation");
    refused(body, row, (cn_row_options){ .iterations = 1, .relaxation = 1.0f, .epsilon = NAN }, "epsilon");

    assert_false(cn_rows_solve(NULL, NULL).ok);
    cn_row_problem problem = { .body_count = 1 };
    assert_false(cn_rows_solve(&problem, NULL).ok);
    assert_non_null(strstr(cn_last_error(), "bodies"));
    problem = (cn_row_problem){ .row_count = -1 };
    assert_false(cn_rows_solve(&problem, NULL).ok);
    cn_row_terms terms;
    problem = (cn_row_problem){ 0 };
    assert_false(cn_row_get_terms(&problem, 0, &terms));
    assert_false(cn_row_get_terms(&problem, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_example_to_the_digit),
        cmocka_unit_test(contact_of_two_bodies),
        cmocka_unit_test(chain_of_equalities_against_a_direct_solve),
        cmocka_unit_test(early_exit_counts_sweeps),
        cmocka_unit_test(bounds_hold_and_the_row_gives_way),
        cmocka_unit_test(mixing_is_compliance),
        cmocka_unit_test(rows_that_nothing_can_move),
        cmocka_unit_test(bad_input_is_answered),
    };
    return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
