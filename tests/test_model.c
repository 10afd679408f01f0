// The contact model by itself: the matrix against products without it, projections, residuals of known solutions, bad input.
#include "lab_problems.h"
#include "model/law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// A fixed sequence of numbers in [-1, 1).
static double next_number(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static void products_with_and_without_the_matrix_agree(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(7, 0.6);
    cn_block_def soft =
        cn_block_def_default(CN_BLOCK_BOUNDED); // a soft row, and an equality of two rows, between blocks of three
    soft.softness[0] = 0.25;
    soft.side_count = 1;
    soft.sides[0] = (cn_side){ .body = 3, .jacobian = { { 0.0, 0.0, 1.0, 0.5, 0.0, 0.0 } } };
    assert_int_equal(cn_problem_add_block(p, &soft), 28);
    cn_block_def weld = cn_block_def_default(CN_BLOCK_EQUALITY);
    weld.rows = 2;
    weld.side_count = 2;
    weld.sides[0] = (cn_side){ .body = 0, .jacobian = { { 1.0 }, { 0.0, 0.0, 0.0, 0.0, 1.0 } } };
    weld.sides[1] = (cn_side){ .body = 6, .jacobian = { { -1.0 }, { 0.0, 0.0, 0.0, 0.0, -1.0 } } };
    assert_int_equal(cn_problem_add_block(p, &weld), 29);
    assert_int_equal(p->row_count, 28 * 3 + 3);

    double r[128], free[128], full[128];
    uint64_t seed = 7;
    for (int i = 0; i < p->row_count; i++)
        r[i] = next_number(&seed);
    cn_problem_multiply(p, r, free);
    assert_null(p->row_starts);
    assert_true(cn_problem_assemble(p));
    cn_problem_multiply(p, r, full);
    for (int i = 0; i < p->row_count; i++)
        assert_true(fabs(full[i] - free[i]) <= 1e-13 * (1.0 + fabs(free[i])));

    // Velocities of the bodies say the same: u = J v + bias, and q is that without impulses.
    double v[7][6];
    cn_problem_velocities(p, r, v);
    for (int i = 0; i < 28; i++) {
        const cn_block *b = &p->blocks[i];
        for (int row = 0; row < 3; row++) {
            double u = 0.0;
            for (int s = b->first_side; s < b->first_side + b->side_count; s++)
                for (int k = 0; k < 6; k++)
                    u += p->sides[s].jacobian[row][k] * v[p->sides[s].body][k];
            assert_true(fabs(u - (free[b->first_row + row] + p->q[b->first_row + row])) < 1e-12);
        }
    }
    // The matrix is symmetric, and its mean diagonal is the unit.
    double sum = 0.0;
    for (int i = 0; i < p->block_count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            int j = p->columns[e], back = p->row_starts[j];
            while (p->columns[back] != i)
                back++;
            for (int k = 0; k < 9; k++)
                assert_true(fabs(p->entries[e][k] - p->entries[back][3 * (k % 3) + k / 3]) < 1e-13);
            for (int k = 0; i == j && k < p->blocks[i].rows; k++)
                sum += p->entries[e][4 * k] + p->softness[p->blocks[i].first_row + k];
        }
    }
    assert_true(fabs(p->unit - sum / p->row_count) < 1e-12);
    cn_problem_destroy(p);
}

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Moreau: x = P_K(x) - P_K*(-x), and the two are orthogonal. This pins both projections.
static void projections_decompose_by_moreau(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 10000; i++) {
        double mu = i % 7 == 0 ? 0.0 : 1.0 + next_number(&seed);
        double x[3] = { next_number(&seed), next_number(&seed), next_number(&seed) }, in[3], out[3];
        for (int k = 0; k < 3; k++) {
            in[k] = x[k];
            out[k] = -x[k];
        }
        cn_project_cone(mu, in);
        cn_project_dual_cone(mu, out);
        assert_true(fabs(dot3(in, out)) < 1e-14);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(in[k] - out[k] - x[k]) < 1e-14);
        assert_true(sqrt(in[1] * in[1] + in[2] * in[2]) <= mu * in[0] + 1e-14);
    }
}

// A cube that slides: its friction is known in closed form, and every part of the residual vanishes at it.
static void residual_vanishes_at_a_known_solution(void **state)
{
    (void)state;
    const double friction = 0.5, weight = 10.0 / 60.0, speed = 2.0;
    cn_problem *p = lab_slider(speed, friction);
    double length = speed * sqrt(1.25), r[12];
    // Pressure is not uniform: friction at the ground turns the cube, and the front carries more. Solve for the four normals:
    // sum = weight, and no torque about x and z.
    double fx = -friction * weight / sqrt(1.25), fz = 0.5 * fx; // whole friction impulse
    double tilt_x = -0.5 * fx / (4.0 * 0.25), tilt_z = -0.5 * fz / (4.0 * 0.25);
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? 0.5 : -0.5, z = k & 2 ? 0.5 : -0.5;
        double normal = 0.25 * weight + tilt_x * x + tilt_z * z;
        assert_true(normal > 0.0);
        r[3 * k] = normal;
        r[3 * k + 1] = fx * normal / weight;
        r[3 * k + 2] = fz * normal / weight;
    }
    assert_true(length > friction * weight);
    cn_residual residual = cn_problem_residual(p, CN_LAW_COULOMB, r, NULL);
    assert_true(residual.value < 1e-14);
    assert_true(residual.approach < 1e-14 && residual.cone < 1e-14 && residual.gap < 1e-14 && residual.direction < 1e-14);
    // The relaxed law wants it to lift off; the others do not let go of a wrong answer either.
    assert_true(cn_problem_residual(p, CN_LAW_RELAXED, r, NULL).value > 0.05);
    r[0] *= 1.01;
    residual = cn_problem_residual(p, CN_LAW_COULOMB, r, NULL);
    assert_true(residual.value > 1e-5 && residual.value < 1e-2);
    assert_int_equal(residual.worst_block, 0);
    r[1] *= 3.0;
    assert_true(fabs(cn_problem_residual(p, CN_LAW_COULOMB, r, NULL).cone -
                     (sqrt(r[1] * r[1] + r[2] * r[2]) - friction * r[0])) < 1e-15);
    cn_problem_destroy(p);
}

// For linear complementarity the residual is |min(z, w)| / |q|.
static void residual_of_a_linear_complementarity_problem(void **state)
{
    (void)state;
    cn_problem *p = cn_problem_create(NULL);
    const double q[2] = { -5.0, -6.0 };
    for (int i = 0; i < 2; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_BOUNDED);
        def.bias[0] = q[i];
        cn_problem_add_block(p, &def);
    }
    const int starts[3] = { 0, 2, 4 }, columns[4] = { 0, 1, 0, 1 };
    const double entries[4][9] = { { 2.0 }, { 1.0 }, { 1.0 }, { 2.0 } };
    assert_true(cn_problem_set_matrix(p, starts, columns, entries));
    assert_true(p->unit == 2.0); // of rows whose largest number is 2
    const double solution[2] = { 4.0 / 3.0, 7.0 / 3.0 }, half[2] = { 1.0, 0.5 };
    assert_true(cn_problem_residual(p, CN_LAW_COULOMB, solution, NULL).value < 1e-15);
    double w[2] = { 2.0 * 1.0 + 0.5 - 5.0, 1.0 + 2.0 * 0.5 - 6.0 };
    double expected = sqrt(w[0] * w[0] + w[1] * w[1]) / sqrt(61.0); // both below z
    assert_true(fabs(cn_problem_residual(p, CN_LAW_COULOMB, half, NULL).value - expected) < 1e-15);
    cn_problem_destroy(p);
}

// Impulses in another unit of mass, velocities the same: the residual does not notice.
static void residual_has_no_unit(void **state)
{
    (void)state;
    double values[2];
    for (int heavy = 0; heavy < 2; heavy++) {
        cn_problem *p = lab_tower(5, 0.4), *scaled = cn_problem_create(NULL);
        double factor = heavy ? 1e6 : 1.0, r[60];
        for (int i = 0; i < p->body_count; i++) {
            cn_model_body body = p->bodies[i];
            for (int k = 0; k < 36; k++)
                body.inverse_mass[k / 6][k % 6] /= factor;
            cn_problem_add_body(scaled, &body);
        }
        for (int i = 0; i < p->block_count; i++) {
            cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
            def.friction = p->blocks[i].friction;
            def.side_count = p->blocks[i].side_count;
            memcpy(def.sides, p->sides + p->blocks[i].first_side, sizeof(cn_side) * (size_t)def.side_count);
            cn_problem_add_block(scaled, &def);
        }
        uint64_t seed = 5;
        for (int i = 0; i < 60; i++)
            r[i] = factor * 0.1 * next_number(&seed);
        assert_true(cn_problem_assemble(scaled));
        values[heavy] = cn_problem_residual(scaled, CN_LAW_COULOMB, r, NULL).value;
        cn_problem_destroy(p);
        cn_problem_destroy(scaled);
    }
    assert_true(values[0] > 0.1 && fabs(values[0] - values[1]) < 1e-12 * values[0]);
}

static void copies_and_normals(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(3, 0.7);
    assert_true(cn_problem_assemble(p));
    cn_problem *copy = cn_problem_copy(p), *normals = cn_problem_without_friction(p);
    assert_int_equal(copy->entry_count, p->entry_count);
    assert_memory_equal(copy->entries, p->entries, sizeof(double[9]) * (size_t)p->entry_count);
    assert_memory_equal(copy->q, p->q, sizeof(double) * (size_t)p->row_count);
    assert_int_equal(normals->row_count, 12);
    double sum = 0.0;
    for (int i = 0; i < normals->block_count; i++) {
        assert_true(normals->q[i] == p->q[3 * i]);
        for (int e = normals->row_starts[i]; e < normals->row_starts[i + 1]; e++)
            sum += normals->columns[e] == i ? normals->entries[e][0] : 0.0;
    }
    assert_true(fabs(normals->unit - sum / 12.0) < 1e-15);
    cn_problem_destroy(p);
    cn_problem_destroy(copy);
    cn_problem_destroy(normals);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    cn_problem *p = cn_problem_create(NULL);
    cn_model_body body = lab_cube(1.0, 10.0, 0.1), bad = body;
    bad.inverse_mass[0][1] = 1.0;
    assert_int_equal(cn_problem_add_body(p, &bad), -1);
    assert_non_null(strstr(cn_last_error(), "body 0: inverse_mass is not symmetric"));
    bad = body;
    bad.velocity[2] = (double)NAN;
    assert_int_equal(cn_problem_add_body(p, &bad), -1);
    assert_int_equal(cn_problem_add_body(p, &body), 0);
    const double at[3] = { 0.0, -0.5, 0.0 };
    cn_block_def good = lab_contact(0, at, -1, at, 0.5), def = good;
    def.friction = -1.0;
    assert_int_equal(cn_problem_add_block(p, &def), -1);
    assert_non_null(strstr(cn_last_error(), "friction is -1"));
    def = good;
    def.sides[0].body = 1;
    assert_int_equal(cn_problem_add_block(p, &def), -1);
    assert_non_null(strstr(cn_last_error(), "body 1; there are 1"));
    def = cn_block_def_default(CN_BLOCK_BOUNDED);
    def.lower[0] = 2.0;
    def.upper[0] = 1.0;
    assert_int_equal(cn_problem_add_block(p, &def), -1);
    assert_int_equal(p->block_count, 0);
    assert_int_equal(cn_problem_add_block(p, &good), 0);
    const int starts[2] = { 0, 1 }, columns[1] = { 4 };
    const double entries[1][9] = { { 1.0 } };
    assert_false(cn_problem_set_matrix(p, starts, columns, entries));
    assert_null(p->row_starts);
    cn_problem_destroy(p);
    // Nothing at all is a problem too.
    p = cn_problem_create(NULL);
    assert_true(cn_problem_assemble(p));
    assert_true(cn_problem_residual(p, CN_LAW_COULOMB, NULL, NULL).value == 0.0);
    cn_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_and_without_the_matrix_agree),
        cmocka_unit_test(projections_decompose_by_moreau),
        cmocka_unit_test(residual_vanishes_at_a_known_solution),
        cmocka_unit_test(residual_of_a_linear_complementarity_problem),
        cmocka_unit_test(residual_has_no_unit),
        cmocka_unit_test(copies_and_normals),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
