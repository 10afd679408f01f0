// The one-contact problem against its law: natural map, brute force, and matrices that answer to nothing.
#include "lab/local.h"
#include "lab_solve.h"
#include "model/law.h"

// A A^T + 0.05, and a little that is not symmetric.
static void draw_matrix(uint64_t *state, double skew, double k[9])
{
    double a[9];
    for (int i = 0; i < 9; i++)
        a[i] = draw(state, -1.0, 1.0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = a[3 * i] * a[3 * j] + a[3 * i + 1] * a[3 * j + 1] + a[3 * i + 2] * a[3 * j + 2] +
                           (i == j ? 0.05 : draw(state, -skew, skew));
}

static void multiply3(const double k[9], const double x[3], const double c[3], double v[3])
{
    for (int i = 0; i < 3; i++)
        v[i] = k[3 * i] * x[0] + k[3 * i + 1] * x[1] + k[3 * i + 2] * x[2] + c[i];
}

static cn_problem *lone_block(cn_block_kind kind, int rows)
{
    cn_problem *p = cn_problem_create(NULL);
    cn_block_def def = cn_block_def_default(kind);
    def.rows = rows;
    assert_int_equal(cn_problem_add_block(p, &def), 0);
    return p;
}

static void one_contact_obeys_every_law(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    cn_problem *p = lone_block(CN_BLOCK_CONTACT, 3);
    for (int law = 0; law < CN_LAW_COUNT; law++) {
        int open = 0, stick = 0, slip = 0;
        double worst = 0.0;
        for (int n = 0; n < 20000; n++) {
            double k[9], c[3], x[3] = { 0.0 }, v[3], e[3];
            draw_matrix(&seed, n % 2 == 0 ? 0.0 : 1e-4, k);
            for (int i = 0; i < 3; i++)
                c[i] = draw(&seed, -1.0, 1.0);
            p->blocks[0].friction = n % 50 == 0 ? 0.0 : draw(&seed, 0.0, 2.0);
            p->blocks[0].frozen = draw(&seed, 0.0, 2.0);
            // From an impulse that is not zero: only k x + c may matter.
            for (int i = 0; i < 3; i++)
                x[i] = draw(&seed, -1.0, 1.0);
            multiply3(k, x, c, v);
            cn_local_exact(p, 0, (cn_law)law, k, v, x);
            multiply3(k, x, c, v);
            cn_natural_map(p, 0, (cn_law)law, x, v, e);
            double size = 1.0 + fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(e[i]) / size);
            bool slides = sqrt(v[1] * v[1] + v[2] * v[2]) > 1e-9;
            open += x[0] == 0.0;
            stick += x[0] > 0.0 && !slides;
            slip += x[0] > 0.0 && slides;
        }
        printf("%-8s open %d, stick %d, slip %d; worst natural map %.1e\n", cn_law_name(law), open, stick, slip, worst);
        assert_true(worst < 1e-12);
        assert_true(open > 1000 && stick > 1000 && slip > 1000);
    }
    cn_problem_destroy(p);
}

static double energy3(const double k[9], const double c[3], const double x[3])
{
    double v[3];
    multiply3(k, x, (const double[3]){ 0.0 }, v);
    return 0.5 * (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) + c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
}

// No point of a fine grid over the cone has less energy.
static void relaxed_contact_is_the_minimum(void **state)
{
    (void)state;
    uint64_t seed = 4242;
    cn_problem *p = lone_block(CN_BLOCK_CONTACT, 3);
    for (int n = 0; n < 200; n++) {
        double k[9], c[3], x[3] = { 0.0 };
        draw_matrix(&seed, 0.0, k);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                k[3 * i + j] = k[3 * j + i];
        for (int i = 0; i < 3; i++)
            c[i] = draw(&seed, -1.0, 1.0);
        double mu = p->blocks[0].friction = draw(&seed, 0.0, 2.0), reach;
        cn_local_exact(p, 0, CN_LAW_RELAXED, k, c, x);
        double least = energy3(k, c, x);
        reach = 2.0 * x[0] + 1.0;
        for (int a = 0; a <= 20; a++) {
            for (int b = -10; b <= 10; b++) {
                for (int d = -10; d <= 10; d++) {
                    double normal = reach * a / 20.0, y[3] = { normal, mu * normal * b / 10.0, mu * normal * d / 10.0 };
                    if (b * b + d * d <= 100)
                        assert_true(energy3(k, c, y) >= least - 1e-12 * (1.0 + fabs(least)));
                }
            }
        }
    }
    cn_problem_destroy(p);
}

static void rows_of_other_kinds_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 777;
    const cn_block_kind kinds[] = { CN_BLOCK_EQUALITY, CN_BLOCK_BOUNDED };
    for (int kind = 0; kind < 2; kind++) {
        for (int rows = 1; rows <= 3; rows++) {
            cn_problem *p = lone_block(kinds[kind], rows);
            for (int n = 0; n < 2000; n++) {
                double k[9], c[3], x[3] = { 0.0 }, v[3], e[3];
                draw_matrix(&seed, 1e-4, k);
                for (int i = 0; i < 3; i++)
                    c[i] = draw(&seed, -1.0, 1.0);
                for (int i = rows; i < 3; i++) // what the block does not have
                    for (int j = 0; j < 3; j++)
                        k[3 * i + j] = k[3 * j + i] = 0.0;
                for (int i = 0; i < rows && kinds[kind] == CN_BLOCK_BOUNDED; i++) {
                    p->lower[i] = n % 3 == 0 ? -(double)INFINITY : draw(&seed, -1.0, 0.0);
                    p->upper[i] = n % 5 == 0 ? (double)INFINITY : draw(&seed, 0.0, 1.0);
                }
                cn_local_exact(p, 0, CN_LAW_COULOMB, k, c, x);
                multiply3(k, x, c, v);
                cn_natural_map(p, 0, CN_LAW_COULOMB, x, v, e);
                for (int i = 0; i < rows; i++)
                    assert_true(fabs(e[i]) < 1e-11 * (1.0 + fabs(x[0]) + fabs(x[1]) + fabs(x[2])));
            }
            cn_problem_destroy(p);
        }
    }
}

// A plane contact has no second tangent, a locked one no answer at all. Nothing may come out that is not a number.
static void singular_blocks_stay_finite(void **state)
{
    (void)state;
    cn_problem *p = lone_block(CN_BLOCK_CONTACT, 3);
    p->blocks[0].friction = 0.5;
    p->blocks[0].frozen = 1.0;
    const double plane[9] = { 1.0, 0.2, 0.0, 0.2, 1.0 }, nothing[9] = { 0.0 }, no_normal[9] = { [4] = 1.0, [8] = 1.0 };
    const double thin[9] = { 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 }, negative[9] = { -1.0, 0.0, 0.0, 0.0, -1.0 };
    const double *matrices[] = { plane, nothing, no_normal, thin, negative };
    const double pushes[][3] = {
        { -1.0, 0.1, 0.0 }, { -1.0, 5.0, 0.0 }, { -1.0, -2.0, 3.0 }, { 1.0, 1.0, 1.0 }, { 0.0, 0.0, 0.0 }
    };
    cn_local_step *const steps[] = { cn_local_exact, cn_local_clipped, cn_local_rows };
    for (int m = 0; m < 5; m++)
        for (int c = 0; c < 5; c++)
            for (int law = 0; law < CN_LAW_COUNT; law++)
                for (int s = 0; s < 3; s++) {
                    double x[3] = { 0.0 };
                    steps[s](p, 0, (cn_law)law, matrices[m], pushes[c], x);
                    assert_true(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
                }
    double x[3] = { 0.0 }, v[3], e[3];
    for (int c = 0; c < 2; c++) {
        cn_local_exact(p, 0, CN_LAW_COULOMB, plane, pushes[c], x);
        multiply3(plane, x, pushes[c], v);
        cn_natural_map(p, 0, CN_LAW_COULOMB, x, v, e);
        assert_true(fabs(e[0]) + fabs(e[1]) + fabs(e[2]) < 1e-13);
        memset(x, 0, sizeof x);
    }
    cn_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_obeys_every_law),
        cmocka_unit_test(relaxed_contact_is_the_minimum),
        cmocka_unit_test(rows_of_other_kinds_are_exact),
        cmocka_unit_test(singular_blocks_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
