// A limit in time is kept by every solver, and what was found by then is not lost.
#include "base/timer.h"
#include "lab_solve.h"

// A tower that leans on nothing: bodies are pushed about at random, so that nothing is solved at once.
static cn_problem *hard_problem(void)
{
    uint64_t seed = 4;
    cn_problem *tower = lab_tower(70, 0.5);
    for (int i = 0; i < tower->row_count; i++)
        tower->q[i] += draw(&seed, -0.1, 0.1);
    return tower;
}

static void limits_are_kept(void **state)
{
    (void)state;
    for (int s = 0; cn_lab_solver_name(s) != NULL; s++) {
        cn_problem *p = hard_problem();
        double *zero = calloc((size_t)p->row_count, sizeof *zero), *r, start = cn_now_ms();
        cn_lab_options options = precise(0.0);
        options.time_limit = 0.1;
        options.max_iterations = 100000000;
        cn_lab_report report = solve(p, cn_lab_solver_name(s), options, &r);
        double taken = cn_now_ms() - start;
        bool ended = report.stop == CN_STOP_STALLED || report.stop == CN_STOP_REFUSED;
        if (report.stop != CN_STOP_TIME && !ended)
            fail_msg("%s stopped as %s", cn_lab_solver_name(s), cn_lab_stop_name((int)report.stop));
        if (taken > 2000.0)
            fail_msg("%s took %g ms", cn_lab_solver_name(s), taken);
        assert_true(report.residual.value <= cn_problem_residual(p, CN_LAW_COULOMB, zero, NULL).value * (1.0 + 1e-12));
        assert_true(ended || report.iterations > 0 || strcmp(cn_lab_solver_name(s), "dantzig") == 0);
        assert_false(report.converged);
        free(zero);
        free(r);
        cn_problem_destroy(p);
    }
    assert_string_equal(cn_lab_stop_name(CN_STOP_TIME), "time");
}

static void limits_that_are_none_are_refused(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(1, 0.5);
    const double bad[] = { -1.0, (double)NAN, -(double)INFINITY };
    for (int i = 0; i < 3; i++) {
        cn_lab_options options = precise(1e-8);
        options.time_limit = bad[i];
        assert_int_equal(solve(p, "newton", options, NULL).stop, CN_STOP_REFUSED);
        assert_non_null(strstr(cn_last_error(), "time_limit"));
    }
    cn_lab_options options = precise(1e-8);
    options.time_limit = 1e300;
    assert_true(solve(p, "newton", options, NULL).converged);
    cn_problem_destroy(p);
}

// Friction bounds that are renewed for ever: a thousand passes over 24 contacts gain nothing over a hundred.
static void pivoting_gives_up(void **state)
{
    (void)state;
    cn_problem *p = lab_slider(1.0, 0.4);
    for (int i = 0; i < 5; i++) {
        cn_model_body cube = p->bodies[0];
        cube.velocity[2] = 0.1 * i;
        int body = cn_problem_add_body(p, &cube);
        for (int k = 0; k < 4; k++) {
            const double at[3] = { k & 1 ? 0.5 : -0.5, -0.5, k & 2 ? 0.5 : -0.5 }, below[3] = { at[0] + 0.1, 0.5, at[2] };
            cn_block_def def = lab_contact(body, at, body - 1, below, 0.4);
            cn_problem_add_block(p, &def);
        }
    }
    cn_lab_report report = solve(p, "dantzig", precise(1e-8), NULL);
    assert_int_equal(report.stop, CN_STOP_STALLED);
    assert_true(report.iterations < 300);
    cn_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(limits_that_are_none_are_refused),
        cmocka_unit_test(pivoting_gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
