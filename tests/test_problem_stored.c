// The stored problems of contact mechanics, where they are: every one is read, and is what it is known to be.
#include "lab_problems.h"

#include "cairn/problem_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct stored {
    const char *name;
    cn_problem_kind kind;
    int contacts, rows;
    double q_norm;    // to three digits; 0: not known
    double asymmetry; // of W, relative to its largest entry: at most. 0: not known
} stored;

static const stored files[] = {
    { "friction/BoxesStack1-i100000-32.hdf5.dat", CN_PROBLEM_FRICTION, 52, 156, 64, 1e-15 },
    { "friction/Capsules-i100-889.dat", CN_PROBLEM_FRICTION, 276, 828, 6.21, 0.0021 },
    { "friction/Capsules-i101-404.dat", CN_PROBLEM_FRICTION, 225, 675, 11.3, 0.0018 },
    { "friction/Confeti-ex03-Fc3D-SBM.dat", CN_PROBLEM_FRICTION, 54, 162, 52.4, 1e-15 },
    { "friction/Confeti-ex13-4contact-Fc3D-SBM.dat", CN_PROBLEM_FRICTION, 4, 12, 9.92, 1e-15 },
    { "friction/FC3D_Example1.dat", CN_PROBLEM_FRICTION, 3, 9, 5.74, 1e-15 },
    { "friction/FC3D_Example1_SBM.dat", CN_PROBLEM_FRICTION, 3, 9, 5.74, 1e-15 },
    { "friction/FrictionContact3D_1c.dat", CN_PROBLEM_FRICTION, 1, 3, 3.74, 1e-15 },
    { "friction/FrictionContact3D_RR_1c.dat", CN_PROBLEM_FRICTION, 1, 3, 0.325, 1e-15 },
    { "friction/GFC3D_Example0.dat", CN_PROBLEM_GLOBAL, 1, 3, 0.0, 1e-14 },
    { "friction/GFC3D_Example0_SBM.dat", CN_PROBLEM_GLOBAL, 1, 3, 0.0, 1e-14 },
    { "friction/GFC3D_OneContact.dat", CN_PROBLEM_GLOBAL, 1, 3, 0.0, 1e-14 },
    { "friction/GFC3D_TwoRods1-condensed.dat", CN_PROBLEM_FRICTION, 3, 9, 1.97, 1e-15 },
    { "friction/GFC3D_TwoRods1.dat", CN_PROBLEM_GLOBAL, 3, 9, 0.0, 1e-14 },
    { "friction/NESpheres_10_1.dat", CN_PROBLEM_FRICTION, 9, 27, 3.6, 1e-15 },
    { "friction/OneObject-i100000-316.hdf5.dat", CN_PROBLEM_FRICTION, 25, 75, 1.83, 0.00015 },
    { "friction/OneObject-i1028-138.hdf5.dat", CN_PROBLEM_FRICTION, 23, 69, 0.737, 0.0003 },
    { "friction/Rover1039.dat", CN_PROBLEM_FRICTION, 4, 12, 0.422, 2.7e-05 },
    { "friction/Rover1040.dat", CN_PROBLEM_FRICTION, 5, 15, 0.916, 2.7e-05 },
    { "friction/Rover11035.dat", CN_PROBLEM_FRICTION, 1, 3, 0.197, 3e-05 },
    { "friction/Rover3865.dat", CN_PROBLEM_FRICTION, 5, 15, 2.92, 2.4e-05 },
    { "friction/Rover4144.dat", CN_PROBLEM_FRICTION, 4, 12, 2.1, 2.4e-05 },
    { "friction/Rover4396.dat", CN_PROBLEM_FRICTION, 2, 6, 8.31, 9e-05 },
    { "friction/Rover4493.dat", CN_PROBLEM_FRICTION, 4, 12, 7.37, 9e-05 },
    { "lcp/lcp_CPS_1.dat", CN_PROBLEM_LCP, 2, 2, 0.0, 0.0 },
    { "lcp/lcp_CPS_2.dat", CN_PROBLEM_LCP, 3, 3, 0.0, 0.0 },
    { "lcp/lcp_CPS_3.dat", CN_PROBLEM_LCP, 4, 4, 0.0, 0.0 },
    { "lcp/lcp_CPS_4.dat", CN_PROBLEM_LCP, 4, 4, 0.0, 0.0 },
    { "lcp/lcp_CPS_5.dat", CN_PROBLEM_LCP, 2, 2, 0.0, 0.0 },
    { "lcp/lcp_Pang_isolated_sol.dat", CN_PROBLEM_LCP, 3, 3, 0.0, 0.0 },
    { "lcp/lcp_Pang_isolated_sol_perturbed.dat", CN_PROBLEM_LCP, 3, 3, 0.0, 0.0 },
    { "lcp/lcp_deudeu.dat", CN_PROBLEM_LCP, 2, 2, 0.0, 0.0 },
    { "lcp/lcp_deudeu_block.dat", CN_PROBLEM_LCP, 2, 2, 0.0, 0.0 },
    { "lcp/lcp_enum_fails.dat", CN_PROBLEM_LCP, 9, 9, 0.0, 0.0 },
    { "lcp/lcp_exp_murty.dat", CN_PROBLEM_LCP, 6, 6, 0.0, 0.0 },
    { "lcp/lcp_exp_murty2.dat", CN_PROBLEM_LCP, 6, 6, 0.0, 0.0 },
    { "lcp/lcp_inf_sol_perturbed.dat", CN_PROBLEM_LCP, 3, 3, 0.0, 0.0 },
    { "lcp/lcp_trivial.dat", CN_PROBLEM_LCP, 9, 9, 0.0, 0.0 },
    { "lcp/lcp_trivial_block.dat", CN_PROBLEM_LCP, 9, 9, 0.0, 0.0 },
    { "mlcp/PDSym_mlcp.dat", CN_PROBLEM_MLCP, 7, 7, 0.0, 0.0 },
    { "mlcp/PD_mlcp.dat", CN_PROBLEM_MLCP, 7, 7, 0.0, 0.0 },
    { "mlcp/RCD_mlcp.dat", CN_PROBLEM_MLCP, 3, 3, 0.0, 0.0 },
    { "mlcp/deudeu_mlcp.dat", CN_PROBLEM_MLCP, 2, 2, 0.0, 0.0 },
    { "mlcp/diodeBridge_mlcp.dat", CN_PROBLEM_MLCP, 7, 7, 0.0, 0.0 },
    { "mlcp/m2n1_mlcp.dat", CN_PROBLEM_MLCP, 3, 3, 0.0, 0.0 },
    { "mlcp/m3n2_mlcp.dat", CN_PROBLEM_MLCP, 5, 5, 0.0, 0.0 },
    { "mlcp/relay2_mlcp.dat", CN_PROBLEM_MLCP, 6, 6, 0.0, 0.0 },
};

static double norm(const double *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sqrt(sum);
}

static const double *block_at(const cn_problem *p, int i, int j)
{
    static const double zero[9];
    for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
        if (p->columns[e] == j)
            return p->entries[e];
    return zero;
}

// Largest difference to the transpose, relative to the largest entry.
static double asymmetry(const cn_problem *p)
{
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < p->block_count; i++)
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++)
            for (int k = 0; k < 9; k++) {
                double other = block_at(p, p->columns[e], i)[3 * (k % 3) + k / 3];
                worst = fmax(worst, fabs(p->entries[e][k] - other));
                largest = fmax(largest, fabs(other));
            }
    return worst / largest;
}

static cn_problem *read_stored(const char *name, cn_problem_kind kind, cn_problem_info *info)
{
    char path[512];
    if (!lab_file(name, path, sizeof path))
        return NULL;
    cn_problem *p = cn_problem_read(path, kind, NULL, info);
    if (p == NULL)
        fail_msg("%s", cn_last_error());
    return p;
}

static void every_stored_problem_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const stored *f = &files[i];
        cn_problem_info info;
        cn_problem *p = read_stored(f->name, CN_PROBLEM_ANY, &info);
        if (p == NULL)
            continue;
        if (info.kind != f->kind || info.contacts != f->contacts || p->row_count != f->rows || p->row_starts == NULL)
            fail_msg("%s: a %s problem of %d contacts and %d rows", f->name, cn_problem_kind_name((int)info.kind),
                     info.contacts, p->row_count);
        double q = norm(p->q, p->row_count);
        if (f->q_norm > 0.0 && !(fabs(q - f->q_norm) <= 0.006 * f->q_norm))
            fail_msg("%s: |q| is %g instead of %g", f->name, q, f->q_norm);
        if (f->asymmetry > 0.0 && !(asymmetry(p) <= f->asymmetry))
            fail_msg("%s: the asymmetry of W is %g", f->name, asymmetry(p));
        cn_problem_destroy(p);
    }
}

static void the_same_problem_in_two_storages(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "friction/FC3D_Example1.dat", "friction/FC3D_Example1_SBM.dat" },
                                            { "friction/GFC3D_Example0.dat", "friction/GFC3D_Example0_SBM.dat" },
                                            { "lcp/lcp_deudeu.dat", "lcp/lcp_deudeu_block.dat" },
                                            { "lcp/lcp_trivial.dat", "lcp/lcp_trivial_block.dat" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cn_problem *a = read_stored(pairs[i][0], CN_PROBLEM_ANY, NULL), *b = read_stored(pairs[i][1], CN_PROBLEM_ANY, NULL);
        if (a != NULL && b != NULL) {
            assert_int_equal(a->row_count, b->row_count);
            assert_memory_equal(a->q, b->q, sizeof(double) * (size_t)a->row_count);
            for (int k = 0; k < a->block_count * a->block_count; k++)
                for (int n = 0; n < 9; n++)
                    assert_true(block_at(a, k / a->block_count, k % a->block_count)[n] ==
                                block_at(b, k / a->block_count, k % a->block_count)[n]);
        }
        cn_problem_destroy(a);
        cn_problem_destroy(b);
    }
}

// The condensed file was written with 7 digits by another program.
static void two_rods_condense_to_the_published_matrix(void **state)
{
    (void)state;
    cn_problem *global = read_stored("friction/GFC3D_TwoRods1.dat", CN_PROBLEM_GLOBAL, NULL);
    cn_problem *reduced = read_stored("friction/GFC3D_TwoRods1-condensed.dat", CN_PROBLEM_FRICTION, NULL);
    if (global != NULL && reduced != NULL) {
        for (int k = 0; k < 9; k++) {
            const double *a = block_at(global, k / 3, k % 3), *b = block_at(reduced, k / 3, k % 3);
            for (int n = 0; n < 9; n++)
                assert_true(fabs(a[n] - b[n]) <= 1e-5);
        }
        for (int i = 0; i < 9; i++)
            assert_true(fabs(global->q[i] - reduced->q[i]) <= 1e-6);
    }
    cn_problem_destroy(global);
    cn_problem_destroy(reduced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stored_problem_is_read),
        cmocka_unit_test(the_same_problem_in_two_storages),
        cmocka_unit_test(two_rods_condense_to_the_published_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
