// The sweeps of the laboratory on whole problems: every kind of block and law, options, colours, and counts on stored problems.
#include "cairn/problem_file.h"
#include "lab/sweep.h"
#include "lab_solve.h"

static const char *const sweeps[] = { "pgs", "block_pgs", "coloured_pgs", "jacobi", "mass_split", "block_mass_split", "nncg" };
enum { JACOBI = 3, MASS_SPLIT = 4, SWEEP_COUNT = sizeof sweeps / sizeof *sweeps };

static void every_sweep_takes_every_block_and_law(void **state)
{
    (void)state;
    cn_problem *problems[] = { lab_tower(3, 0.5), lab_slider(2.0, 0.3), mixed_problem() };
    for (int i = 0; i < 3; i++) {
        for (int b = 0; b < problems[i]->block_count; b++)
            problems[i]->blocks[b].frozen = 0.05;
        for (int s = 0; s < SWEEP_COUNT; s++) {
            for (int law = 0; law < CN_LAW_COUNT; law++) {
                cn_lab_options options = precise(s == JACOBI || s == MASS_SPLIT ? 1e-5 : 1e-8); // the slow ones
                options.law = (cn_law)law;
                cn_lab_report report = solve(problems[i], sweeps[s], options, NULL);
                if (!report.converged)
                    printf("problem %d, %s, %s: %.1e after %d\n", i, sweeps[s], cn_law_name(law), report.residual.value,
                           report.iterations);
                assert_true(report.converged);
            }
        }
        cn_problem_destroy(problems[i]);
    }
}

static void options_of_the_sweeps(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(5, 0.5);
    for (int order = 0; order < CN_SWEEP_ORDER_COUNT; order++) {
        for (int s = 0; s < 2; s++) {
            cn_lab_options options = precise(1e-8);
            options.order = (cn_sweep_order)order;
            assert_true(solve(p, sweeps[s], options, NULL).converged);
        }
    }
    cn_lab_options options = precise(1e-8);
    options.friction_after = true;
    assert_true(solve(p, "pgs", options, NULL).converged);
    options.relaxation = 1.3;
    assert_true(solve(p, "pgs", options, NULL).converged);
    options = precise(1e-8);
    options.local = CN_LOCAL_CLIPPED; // nothing slides: the ball joints are right
    options.relaxation = 1.0;
    assert_true(solve(p, "block_pgs", options, NULL).converged);
    options = precise(1e-8);
    options.check_interval = 7;
    cn_lab_report report = solve(p, "nncg", options, NULL);
    assert_true(report.converged && report.iterations % 7 == 0);
    cn_problem_destroy(p);
}

static void what_nothing_moves_and_what_cannot_be_swept(void **state)
{
    (void)state;
    cn_problem *empty = cn_problem_create(NULL);
    cn_block_def def = cn_block_def_default(CN_BLOCK_BOUNDED);
    for (int s = 0; s < SWEEP_COUNT; s++) {
        cn_lab_options options = precise(0.0);
        assert_int_equal(solve(empty, sweeps[s], options, NULL).stop, CN_STOP_CONVERGED);

        // W = 0: the sweeps see at once that they change nothing.
        cn_problem *p = cn_problem_create(NULL);
        cn_block_def contact = cn_block_def_default(CN_BLOCK_CONTACT);
        contact.bias[0] = -1.0;
        def.bias[0] = -1.0;
        cn_problem_add_block(p, &contact);
        cn_problem_add_block(p, &def);
        const int starts[3] = { 0 };
        const double none[1][9] = { { 0.0 } };
        assert_true(cn_problem_set_matrix(p, starts, starts, none));
        cn_lab_report report = solve(p, sweeps[s], options, NULL);
        assert_int_equal(report.stop, CN_STOP_STALLED);
        assert_true(report.iterations <= 2);

        // A row that others move but not itself.
        const int full_starts[3] = { 0, 1, 2 }, columns[2] = { 1, 0 };
        const double entries[2][9] = { { 1.0 }, { 1.0 } };
        assert_true(cn_problem_set_matrix(p, full_starts, columns, entries));
        report = solve(p, sweeps[s], options, NULL);
        assert_int_equal(report.stop, CN_STOP_REFUSED);
        assert_non_null(strstr(cn_last_error(), "row 0 has 0 on its diagonal"));
        cn_problem_destroy(p);
    }
    cn_problem_destroy(empty);
}

// ---- colours

static void colours_do_not_touch_and_their_inside_has_no_order(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(8, 0.5);
    assert_true(cn_problem_assemble(p));
    cn_arena arena;
    cn_arena_init(&arena, p->allocator);
    int colors[32], counts[32], total = 0, color_count = cn_lab_color(p, &arena, colors);
    assert_int_equal(color_count, cn_lab_color_histogram(p, counts, 32));
    assert_true(color_count == 8); // a cube between two others has eight contacts, all coupled
    for (int i = 0; i < 32; i++)
        total += counts[i];
    assert_int_equal(total, p->block_count);
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            assert_true(p->columns[e] == i || colors[p->columns[e]] != colors[i]);

    cn_lab_run run = { .problem = p, .options = precise(0.0), .arena = &arena };
    run.options.relaxation = 1.0;
    cn_lab_sweep sweep;
    assert_true(cn_lab_sweep_init(&sweep, &run));
    double *upward = cn_lab_vector(&run), *downward = cn_lab_vector(&run);
    for (int pass = 0; pass < 20; pass++) {
        for (int direction = 0; direction < 2; direction++) {
            int at = 0;
            for (int color = 0; color < color_count; color++)
                for (int i = 0; i < p->block_count; i++) {
                    int block = direction == 0 ? i : p->block_count - 1 - i;
                    if (colors[block] == color)
                        sweep.order[at++] = block;
                }
            cn_lab_sweep_pass(&sweep, &run, cn_local_rows, direction == 0 ? upward : downward);
        }
        assert_memory_equal(upward, downward, sizeof(double) * (size_t)p->row_count);
    }
    assert_true(cn_lab_dot(upward, upward, p->row_count) > 0.0);
    cn_arena_free(&arena);
    cn_problem_destroy(p);
}

// ---- stored problems

typedef struct expectation {
    const char *file, *solver;
    double relaxation, tolerance;
    int most; // iterations
} expectation;

// Counts that independent code needed, and half as much again. block_pgs with relaxation 1 is to match to a few sweeps.
static const expectation expectations[] = {
    { "friction/Rover1039.dat", "block_pgs", 1.0, 1e-8, 21 },
    { "friction/Rover1040.dat", "block_pgs", 1.0, 1e-8, 21 },
    { "friction/Rover3865.dat", "block_pgs", 1.0, 1e-8, 12 },
    { "friction/NESpheres_10_1.dat", "block_pgs", 1.0, 1e-8, 21 },
    { "friction/Confeti-ex03-Fc3D-SBM.dat", "block_pgs", 1.0, 1e-8, 80 },
    { "friction/FrictionContact3D_RR_1c.dat", "block_pgs", 1.0, 1e-12, 1 },
    { "friction/Capsules-i101-404.dat", "block_pgs", 0.7, 1e-4, 20 },
    { "friction/BoxesStack1-i100000-32.hdf5.dat", "block_pgs", 0.7, 1e-4, 1700 },
    { "friction/OneObject-i100000-316.hdf5.dat", "block_pgs", 0.7, 1e-8, 1200 }, // cycles with relaxation 1
    { "friction/OneObject-i1028-138.hdf5.dat", "block_pgs", 0.7, 1e-8, 2900 },
    { "friction/Rover1039.dat", "pgs", 1.0, 1e-4, 465 },
    { "friction/Rover4144.dat", "pgs", 1.0, 1e-4, 46 },
    { "friction/Confeti-ex03-Fc3D-SBM.dat", "pgs", 1.0, 1e-4, 46 },
    { "friction/BoxesStack1-i100000-32.hdf5.dat", "pgs", 1.0, 1e-4, 1950 },
    { "friction/OneObject-i1028-138.hdf5.dat", "pgs", 1.0, 1e-4, 290 },
    { "friction/Capsules-i100-889.dat", "pgs", 1.0, 1e-4, 19 },
    { "friction/BoxesStack1-i100000-32.hdf5.dat", "nncg", 1.0, 1e-8, 8900 },
    { "friction/OneObject-i100000-316.hdf5.dat", "nncg", 1.0, 1e-4, 55 },
    { "friction/OneObject-i100000-316.hdf5.dat", "nncg", 1.0, 1e-8, 225 },
    { "friction/Confeti-ex03-Fc3D-SBM.dat", "nncg", 1.0, 1e-4, 24 },
    { "friction/Capsules-i101-404.dat", "nncg", 1.0, 1e-4, 16 },
    { "friction/Rover1040.dat", "nncg", 1.0, 1e-8, 306 },
    { "friction/NESpheres_10_1.dat", "nncg", 1.0, 1e-8, 18 },
    { "friction/Spheres-i099-356-679.dat", "nncg", 1.0, 1e-8, 105 },
    { "friction/Spheres-i099-356-679.dat", "mass_split", 1.0, 1e-4, 390 },
    { "friction/Box_Stacks-i0122-82-5.dat", "mass_split", 1.0, 1e-8, 295 },
    { "friction/Box_Stacks-i0122-82-5.dat", "block_mass_split", 1.0, 1e-8, 33 },
    { "lcp/lcp_deudeu.dat", "pgs", 1.0, 1e-8, 14 },
    { "lcp/lcp_exp_murty2.dat", "pgs", 1.0, 1e-8, 2 },
};

static void stored_problems_in_known_counts(void **state)
{
    (void)state;
    char path[512];
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const expectation *e = &expectations[i];
        if (!lab_file(e->file, path, sizeof path))
            continue;
        cn_problem *p = cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL);
        assert_non_null(p);
        cn_lab_options options = precise(e->tolerance);
        options.relaxation = e->relaxation;
        cn_lab_report report = solve(p, e->solver, options, NULL);
        if (!report.converged || report.iterations > e->most)
            printf("%s, %s: %d iterations, %d expected\n", e->file, e->solver, report.iterations, e->most);
        assert_true(report.converged && report.iterations <= e->most);
        cn_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sweep_takes_every_block_and_law),
        cmocka_unit_test(options_of_the_sweeps),
        cmocka_unit_test(what_nothing_moves_and_what_cannot_be_swept),
        cmocka_unit_test(colours_do_not_touch_and_their_inside_has_no_order),
        cmocka_unit_test(stored_problems_in_known_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
