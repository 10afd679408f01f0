// What the order-free solvers promise: no order, no rise in energy, the velocities of the reference.
#include "cairn/problem_file.h"
#include "lab/split.h"
#include "lab_solve.h"

// The same blocks, last first.
static cn_problem *turned_around(const cn_problem *p)
{
    cn_problem *turned = cn_problem_create(NULL);
    for (int i = 0; i < p->body_count; i++)
        cn_problem_add_body(turned, &p->bodies[i]);
    for (int i = p->block_count - 1; i >= 0; i--) {
        cn_block_def def = cn_block_def_default(p->blocks[i].kind);
        def.friction = p->blocks[i].friction;
        def.side_count = p->blocks[i].side_count;
        for (int s = 0; s < def.side_count; s++)
            def.sides[s] = p->sides[p->blocks[i].first_side + s];
        cn_problem_add_block(turned, &def);
    }
    return turned;
}

static void order_of_blocks_does_not_matter(void **state)
{
    (void)state;
    const char *const free_of_order[] = { "mass_split", "jacobi" };
    cn_problem *p = lab_tower(6, 0.5), *turned = turned_around(p);
    for (int s = 0; s < 2; s++) {
        double *a, *b;
        cn_lab_options options = precise(0.0);
        options.max_iterations = 300;
        solve(p, free_of_order[s], options, &a);
        solve(turned, free_of_order[s], options, &b);
        for (int i = 0; i < p->block_count; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(a[3 * i + k] - b[3 * (p->block_count - 1 - i) + k]) < 1e-13);
        free(a);
        free(b);
    }
    cn_problem_destroy(p);
    cn_problem_destroy(turned);
}

// x . K x - x . (W + S) x, with K the matrix of the parts.
static double surplus(const cn_split *split, const double *x, double *product)
{
    const cn_problem *p = split->problem;
    cn_problem_multiply(p, x, product);
    double sum = -cn_lab_dot(x, product, p->row_count);
    for (int i = 0; i < p->block_count; i++) {
        const double *mine = x + p->blocks[i].first_row;
        for (int k = 0; k < p->blocks[i].rows; k++) {
            for (int j = 0; j < p->blocks[i].rows; j++)
                sum += mine[k] * split->own[i][3 * k + j] * mine[j];
            for (int e = split->row_starts[i]; e < split->row_starts[i + 1]; e++) {
                const cn_block *other = &p->blocks[split->columns[e]];
                for (int j = 0; j < other->rows; j++)
                    sum += mine[k] * split->entries[e][3 * k + j] * x[other->first_row + j];
            }
        }
    }
    return sum;
}

// K - W is positive semi-definite, with bodies and without: shown by random vectors, smooth and rough.
static void parts_answer_more_than_the_whole(void **state)
{
    (void)state;
    for (int matrix_only = 0; matrix_only < 2; matrix_only++) {
        cn_problem *p = mixed_problem();
        if (!matrix_only) {
            cn_problem_destroy(p);
            p = lab_tower(6, 0.5);
        }
        assert_true(cn_problem_assemble(p));
        if (matrix_only)
            p->bodies[0].inverse_mass[0][0] *= 2.0; // bodies that do not explain W are not believed
        for (int group_size = 1; group_size <= 8; group_size *= 2) {
            uint64_t seed = 99;
            cn_arena arena;
            cn_arena_init(&arena, p->allocator);
            cn_lab_run run = { .problem = p, .options = precise(0.0), .arena = &arena };
            cn_split split;
            cn_split_init(&split, &run, group_size);
            double *x = cn_lab_vector(&run), *product = cn_lab_vector(&run), least = (double)INFINITY;
            for (int n = 0; n < 2000; n++) {
                for (int i = 0; i < p->row_count; i++)
                    x[i] = draw(&seed, n % 2 == 0 ? -1.0 : 0.5, 1.0) * (n % 3 == 0 && i % 3 != 0 ? 0.0 : 1.0);
                least = fmin(least, surplus(&split, x, product) / cn_lab_dot(x, x, p->row_count));
            }
            assert_true(least > -1e-12);
            assert_true(split.group_count >= p->block_count / group_size);
            cn_arena_free(&arena);
        }
        cn_problem_destroy(p);
    }
}

typedef struct energy_watch {
    cn_lab_run *run;
    double last, *product;
    int rises;
} energy_watch;

static bool watch_energy(void *context, int iteration, double residual)
{
    (void)iteration;
    (void)residual;
    energy_watch *watch = context;
    const cn_problem *p = watch->run->problem;
    cn_problem_multiply(p, watch->run->r, watch->product);
    double energy =
        0.5 * cn_lab_dot(watch->run->r, watch->product, p->row_count) + cn_lab_dot(watch->run->r, p->q, p->row_count);
    watch->rises += energy > watch->last + 1e-12 * fabs(watch->last);
    watch->last = energy;
    return true;
}

// Runs a solver on the problem as it is, and counts the iterations in which the energy of the relaxed law rose.
static int energy_rises(cn_problem *p, void (*solver)(cn_lab_run *), int group_size)
{
    assert_true(cn_problem_assemble(p));
    cn_arena arena;
    cn_arena_init(&arena, p->allocator);
    cn_lab_run run = { .problem = p, .options = precise(1e-10), .law = CN_LAW_RELAXED, .arena = &arena, .q_norm = 1.0 };
    energy_watch watch = { .run = &run };
    run.options.max_iterations = 500;
    run.options.relaxation = solver == cn_lab_jacobi ? 0.0 : 1.0;
    run.options.group_size = group_size;
    run.options.callback = watch_energy;
    run.options.context = &watch;
    run.r = cn_lab_vector(&run);
    run.u = cn_lab_vector(&run);
    run.best = cn_lab_vector(&run);
    watch.product = cn_lab_vector(&run);
    solver(&run);
    assert_true(run.iterations > 3 && watch.last < 0.0);
    cn_arena_free(&arena);
    return watch.rises;
}

static void energy_never_rises(void **state)
{
    (void)state;
    char path[512];
    for (int i = 0; i < 4; i++) {
        const char *const files[] = { "friction/Box_Stacks-i0122-82-5.dat", "friction/Spheres-i099-356-679.dat" };
        if (i >= 2 && !lab_file(files[i - 2], path, sizeof path))
            continue;
        cn_problem *p = i == 0   ? lab_tower(6, 0.5)
                        : i == 1 ? lab_slider(2.0, 0.3)
                                 : cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL);
        assert_non_null(p);
        assert_int_equal(energy_rises(p, cn_lab_mass_split, 1), 0);
        assert_int_equal(energy_rises(p, cn_lab_block_mass_split, 8), 0);
        assert_int_equal(energy_rises(p, cn_lab_jacobi, 1), 0);
        cn_problem_destroy(p);
    }
}

// Impulses need not be unique, velocities are: under the relaxed law always, and here under Coulomb's as well.
static void splitting_finds_the_velocities_of_the_reference(void **state)
{
    (void)state;
    const char *const files[] = { "friction/Box_Stacks-i0122-82-5.dat", "friction/Spheres-i099-356-679.dat" };
    char path[512];
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !lab_file(files[i - 1], path, sizeof path))
            continue;
        cn_problem *p = i == 0 ? lab_slider(1.0, 0.3) : cn_problem_read(path, CN_PROBLEM_ANY, NULL, NULL);
        assert_non_null(p);
        double *u = calloc((size_t)p->row_count, sizeof *u), *v = calloc((size_t)p->row_count, sizeof *v);
        for (int law = CN_LAW_COULOMB; law <= CN_LAW_RELAXED; law++) {
            double *a, *b, difference = 0.0;
            cn_lab_options options = precise(1e-12);
            options.law = (cn_law)law;
            options.check_interval = 10;
            cn_lab_report reference = solve(p, "block_pgs", options, &a);
            options.tolerance = 1e-10;
            cn_lab_report split = solve(p, "mass_split", options, &b);
            assert_true(reference.residual.value < 1e-11 && split.converged);
            cn_problem_multiply(p, a, u);
            cn_problem_multiply(p, b, v);
            for (int k = 0; k < p->row_count; k++)
                difference = fmax(difference, fabs(u[k] - v[k]));
            assert_true(difference < 1e-6);
            free(a);
            free(b);
        }
        free(u);
        free(v);
        cn_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_blocks_does_not_matter),
        cmocka_unit_test(parts_answer_more_than_the_whole),
        cmocka_unit_test(energy_never_rises),
        cmocka_unit_test(splitting_finds_the_velocities_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
