// Newton in impulses and in the velocities of the bodies, and the factors under both: closed forms, all laws, bad problems,
// stored ones.
#include "cairn/problem_file.h"
#include "lab/block_lu.h"
#include "lab_files.h"
#include "lab_solve.h"

static void assert_close(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

static const char *const mlcp_files[] = { "PDSym_mlcp.dat",       "PD_mlcp.dat",   "RCD_mlcp.dat",  "deudeu_mlcp.dat",
                                          "diodeBridge_mlcp.dat", "m2n1_mlcp.dat", "m3n2_mlcp.dat", "relay2_mlcp.dat" };
enum { MLCP_FILES = sizeof mlcp_files / sizeof *mlcp_files };

// Rocks piled on each other at random, each on the ground or on some before it; slopes are gentle enough for a solution to
// exist.
static cn_problem *pile(int count, uint64_t seed)
{
    cn_problem *p = cn_problem_create(NULL);
    for (int i = 0; i < count; i++) {
        cn_model_body rock = lab_cube(draw(&seed, 0.2, 5.0), 10.0, 1.0 / 60.0);
        for (int k = 0; k < 6; k++)
            rock.velocity[k] += draw(&seed, -0.05, 0.05);
        cn_problem_add_body(p, &rock);
        for (int c = 0; c < 5; c++) {
            int below = i == 0 || draw(&seed, 0.0, 1.0) < 0.2 ? -1 : (int)draw(&seed, i > 5 ? i - 5 : 0, i);
            double at[3] = { draw(&seed, -0.5, 0.5), -0.5, draw(&seed, -0.5, 0.5) };
            double under[3] = { draw(&seed, -0.5, 0.5), 0.5, draw(&seed, -0.5, 0.5) };
            cn_block_def def = lab_contact(i, at, below, under, 0.3);
            def.frozen = 0.05;
            def.bias[0] = draw(&seed, -0.01, 0.01);
            cn_problem_add_block(p, &def);
        }
    }
    return p;
}

// ---- factors

static double *random_vector(int count, uint64_t seed)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    for (int i = 0; i < count; i++)
        x[i] = draw(&seed, -1.0, 1.0);
    return x;
}

// x from (W + shift) x, with W made unsymmetric.
static void assert_factors(cn_problem *p, double shift, double tolerance)
{
    uint64_t seed = 99;
    cn_arena arena;
    assert_true(cn_problem_assemble(p));
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            for (int k = 0; k < 9; k++)
                if (k / 3 < p->blocks[i].rows && k % 3 < p->blocks[p->columns[e]].rows)
                    p->entries[e][k] += draw(&seed, -0.05, 0.05);
    cn_arena_init(&arena, p->allocator);
    cn_block_lu *lu = cn_block_lu_create(&arena, p);
    double *x = random_vector(p->row_count, 5), *y = random_vector(p->row_count, 6);
    for (int repeat = 0; repeat < 2; repeat++) {
        cn_problem_multiply(p, x, y);
        for (int i = 0; i < p->row_count; i++)
            y[i] += (shift - p->softness[i]) * x[i];
        assert_true(cn_block_lu_factor(lu, (const double(*)[9])p->entries, shift));
        cn_block_lu_solve(lu, y);
        for (int i = 0; i < p->row_count; i++)
            assert_true(fabs(y[i] - x[i]) <= tolerance);
    }
    free(x);
    free(y);
    cn_arena_free(&arena);
    cn_problem_destroy(p);
}

static void factors_solve_unsymmetric_systems(void **state)
{
    (void)state;
    assert_factors(lab_tower(12, 0.5), 2.0, 1e-10);
    assert_factors(pile(25, 3), 10.0, 1e-9);
    assert_factors(mixed_problem(), 2.0, 1e-10);
}

// Twice as high, twice as many blocks: nothing else fills in.
static void towers_fill_in_linearly(void **state)
{
    (void)state;
    int fills[2];
    for (int k = 0; k < 2; k++) {
        cn_problem *p = lab_tower(100 << k, 0.5);
        cn_arena arena;
        assert_true(cn_problem_assemble(p));
        cn_arena_init(&arena, p->allocator);
        fills[k] = cn_block_lu_fill(cn_block_lu_create(&arena, p));
        assert_true(fills[k] <= 2 * p->entry_count);
        cn_arena_free(&arena);
        cn_problem_destroy(p);
    }
    assert_true(fills[1] <= 2 * fills[0] + 100);
}

static void singular_pivots_are_replaced(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(1, 0.5); // four points on one cube: twelve rows, six velocities
    cn_arena arena;
    assert_true(cn_problem_assemble(p));
    cn_arena_init(&arena, p->allocator);
    cn_block_lu *lu = cn_block_lu_create(&arena, p);
    double *x = random_vector(p->row_count, 5);
    assert_false(cn_block_lu_factor(lu, (const double(*)[9])p->entries, 0.0));
    cn_block_lu_solve(lu, x);
    for (int i = 0; i < p->row_count; i++)
        assert_true(isfinite(x[i]));
    free(x);
    cn_arena_free(&arena);
    cn_problem_destroy(p);
}

// ---- closed forms

static void tower_weighs_what_it_weighs(void **state)
{
    (void)state;
    for (int height = 1; height <= 320; height *= 8) {
        cn_problem *p = lab_tower(height, 0.5);
        double *r;
        cn_lab_report report = solve(p, "newton", precise(1e-10), &r);
        assert_true(report.converged);
        assert_true(report.iterations <= 5);
        for (int level = 0; level < height; level++) {
            double push = 0.0;
            for (int k = 0; k < 4; k++)
                push += r[3 * (4 * level + k)];
            assert_close(push, (height - level) * 10.0 / 60.0, 1e-6 * height);
        }
        free(r);
        cn_problem_destroy(p);
    }
}

// Friction takes mu m g h against the motion; under the relaxed law the cube lifts off, so the ground pushes harder.
static void slider_is_braked_by_friction(void **state)
{
    (void)state;
    static const char *const names[] = { "newton", "body_space" };
    const double mu = 0.3, weight = 10.0 / 60.0;
    for (int k = 0; k < 2; k++) {
        cn_problem *p = lab_slider(1.0, mu);
        double *r, push[3] = { 0.0 }, length = sqrt(1.25);
        assert_true(solve(p, names[k], precise(1e-10), &r).converged);
        for (int i = 0; i < p->row_count; i++)
            push[i % 3] += r[i];
        assert_close(push[0], weight, 1e-8);
        assert_close(push[1], -mu * weight * 1.0 / length, 1e-8);
        assert_close(push[2], -mu * weight * 0.5 / length, 1e-8);
        free(r);
        cn_lab_options options = precise(1e-10);
        options.law = CN_LAW_RELAXED;
        assert_true(solve(p, names[k], options, &r).converged);
        push[0] = 0.0;
        for (int i = 0; i < p->row_count; i += 3)
            push[0] += r[i];
        assert_true(push[0] > 1.2 * weight);
        free(r);
        cn_problem_destroy(p);
    }
}

// ---- all kinds of blocks under all laws

static double velocity_difference(const cn_problem *p, const double *a, const double *b)
{
    double(*v)[6] = calloc((size_t)p->body_count, sizeof *v), (*w)[6] = calloc((size_t)p->body_count, sizeof *w), most = 0.0;
    cn_problem_velocities(p, a, v);
    cn_problem_velocities(p, b, w);
    for (int i = 0; i < 6 * p->body_count; i++)
        most = fmax(most, fabs(v[i / 6][i % 6] - w[i / 6][i % 6]));
    free(v);
    free(w);
    return most;
}

static void laws_are_obeyed(void **state)
{
    (void)state;
    for (int law = 0; law < CN_LAW_COUNT; law++) {
        cn_problem *problems[] = { mixed_problem(), pile(12, 7), pile(30, 8), lab_tower(6, 0.5) };
        for (int i = 0; i < 4; i++) {
            cn_lab_options options = precise(1e-9);
            options.law = (cn_law)law;
            double *r, *s;
            assert_true(solve(problems[i], "newton", options, &r).converged);
            assert_true(solve(problems[i], "body_space", options, &s).converged);
            // Impulses of such piles are not unique; under the laws that have an energy the velocities are.
            if (law == CN_LAW_RELAXED || i == 0 || i == 3)
                assert_true(velocity_difference(problems[i], r, s) <= 1e-6);
            free(r);
            free(s);
            cn_problem_destroy(problems[i]);
        }
    }
}

static void equalities_hold_and_bounds_hold(void **state)
{
    (void)state;
    cn_problem *p = mixed_problem();
    double *r, u[64];
    assert_true(solve(p, "newton", precise(1e-12), &r).converged);
    cn_problem_multiply(p, r, u);
    for (int i = 0; i < 2; i++)
        assert_close(u[24 + i] + p->q[24 + i], 0.0, 1e-11);
    assert_close(r[26], -0.01, 1e-12); // the motor brakes as hard as it may
    free(r);
    cn_problem_destroy(p);
}

// ---- starts

static void a_near_solution_takes_few_steps(void **state)
{
    (void)state;
    uint64_t seed = 12;
    cn_problem *problems[] = { lab_tower(80, 0.5), pile(30, 8) };
    for (int i = 0; i < 2; i++) {
        cn_problem *p = problems[i];
        double *r, *small = random_vector(p->row_count, 4), *change = random_vector(p->row_count, 4);
        assert_true(solve(p, "newton", precise(1e-8), &r).converged);
        for (int k = 0; k < p->row_count; k++)
            small[k] = draw(&seed, -1e-6, 1e-6);
        cn_problem_multiply(p, small, change); // as if the bodies moved a little differently
        for (int k = 0; k < p->row_count; k++)
            p->q[k] += change[k];
        cn_lab_options options = precise(1e-8);
        cn_lab_report report = cn_lab_solve(p, "newton", &options, r);
        assert_true(report.converged);
        assert_true(report.iterations <= (i == 0 ? 1 : 4)); // contacts of the pile change sides
        assert_true(report.products < 20);                  // no sweeps
        free(r);
        free(small);
        free(change);
        cn_problem_destroy(p);
    }
}

static void the_same_input_gives_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        cn_problem *p = pile(20, 9);
        double *a, *b;
        solve(p, k == 0 ? "newton" : "body_space", precise(1e-8), &a);
        solve(p, k == 0 ? "newton" : "body_space", precise(1e-8), &b);
        assert_memory_equal(a, b, sizeof(double) * (size_t)p->row_count);
        free(a);
        free(b);
        cn_problem_destroy(p);
    }
}

// ---- bad problems

static cn_problem *matrix_only(int contacts, double diagonal)
{
    cn_problem *p = cn_problem_create(NULL);
    int starts[8], columns[8];
    double entries[8][9] = { 0 };
    for (int i = 0; i < contacts; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = 0.5;
        def.bias[0] = -1.0;
        def.bias[1] = 0.5;
        cn_problem_add_block(p, &def);
        starts[i] = columns[i] = i;
        for (int k = 0; k < 9; k += 4)
            entries[i][k] = diagonal;
    }
    starts[contacts] = contacts;
    assert_true(cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries));
    return p;
}

static void empty_and_immovable_problems_end(void **state)
{
    (void)state;
    static const char *const names[] = { "newton", "body_space", "lemke", "dantzig" };
    for (int k = 0; k < 4; k++) {
        cn_problem *empty = cn_problem_create(NULL), *stuck = matrix_only(3, 0.0);
        double nothing = 0.0;
        assert_true(cn_lab_solve(empty, names[k], NULL, &nothing).converged);
        assert_false(solve(stuck, names[k], precise(1e-8), NULL).converged); // nothing can stop it
        cn_problem_destroy(empty);
        cn_problem_destroy(stuck);
    }
    cn_problem *easy = matrix_only(3, 2.0);
    assert_true(solve(easy, "newton", precise(1e-12), NULL).converged);
    cn_lab_report report = solve(easy, "body_space", precise(1e-12), NULL);
    assert_int_equal(report.stop, CN_STOP_REFUSED);
    assert_non_null(strstr(cn_last_error(), "bodies"));
    cn_problem_destroy(easy);
}

// ---- stored problems

static void stored_friction_problems_are_solved(void **state)
{
    (void)state;
    for (int i = 0; i < LAB_FRICTION_FILES; i++) {
        char path[512], name[128];
        snprintf(name, sizeof name, "friction/%s", lab_friction_files[i]);
        if (!lab_file(name, path, sizeof path))
            continue;
        cn_problem *p = cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL);
        assert_non_null(p);
        for (int k = 0; k < 2; k++) {
            cn_lab_report report = solve(p, "newton", precise(k == 0 ? 1e-8 : 1e-12), NULL);
            if (!report.converged)
                fail_msg("%s: %g", lab_friction_files[i], report.residual.value);
        }
        cn_problem_destroy(p);
    }
}

static void stored_mixed_problems_are_solved(void **state)
{
    (void)state;
    for (int i = 0; i < MLCP_FILES; i++) {
        char path[512], name[128];
        snprintf(name, sizeof name, "mlcp/%s", mlcp_files[i]);
        if (!lab_file(name, path, sizeof path))
            continue;
        cn_problem *p = cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL);
        assert_non_null(p);
        assert_true(solve(p, "newton", precise(1e-8), NULL).converged);
        cn_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_solve_unsymmetric_systems),   cmocka_unit_test(towers_fill_in_linearly),
        cmocka_unit_test(singular_pivots_are_replaced),        cmocka_unit_test(tower_weighs_what_it_weighs),
        cmocka_unit_test(slider_is_braked_by_friction),        cmocka_unit_test(laws_are_obeyed),
        cmocka_unit_test(equalities_hold_and_bounds_hold),     cmocka_unit_test(a_near_solution_takes_few_steps),
        cmocka_unit_test(the_same_input_gives_the_same_bits),  cmocka_unit_test(empty_and_immovable_problems_end),
        cmocka_unit_test(stored_friction_problems_are_solved), cmocka_unit_test(stored_mixed_problems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
