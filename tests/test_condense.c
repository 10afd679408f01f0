// Condensing masses away: both ways give the same W and q, and what cannot be condensed is named.
#include "cairn/model.h"
#include "model/condense.h"
#include "model/dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 - 0.5;
}

enum { MOST = 60 };

// M with blocks of `size` along the diagonal, and contacts that act on two neighbouring blocks each.
typedef struct chain {
    cn_arena arena;
    cn_global_problem global;
    double force[MOST], bias[MOST], friction[MOST / 3];
} chain;

static void make_chain(chain *c, int bodies, int size, int contacts, int span)
{
    cn_triplet *mass = NULL, *jacobian = NULL;
    int masses = 0, entries = 0;
    uint64_t random = 5;
    cn_arena_init(&c->arena, &cn_default_allocator);
    mass = cn_arena_array(&c->arena, cn_triplet, bodies * size * size);
    jacobian = cn_arena_array(&c->arena, cn_triplet, 3 * contacts * span * size);
    for (int b = 0; b < bodies; b++)
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < i; j++) {
                double value = 0.3 * next_number(&random);
                mass[masses++] = (cn_triplet){ b * size + i, b * size + j, value };
                mass[masses++] = (cn_triplet){ b * size + j, b * size + i, value };
            }
            mass[masses++] = (cn_triplet){ b * size + i, b * size + i, 2.0 + b + next_number(&random) };
        }
    for (int i = 0; i < contacts; i++) {
        c->friction[i] = 0.5;
        for (int row = 3 * i; row < 3 * i + 3; row++) {
            c->bias[row] = next_number(&random);
            for (int k = 0; k < span * size; k++)
                jacobian[entries++] = (cn_triplet){ (i % (bodies - span + 1)) * size + k, row, next_number(&random) };
        }
    }
    for (int i = 0; i < bodies * size; i++)
        c->force[i] = next_number(&random);
    c->global = (cn_global_problem){ .mass = cn_sparse_make(&c->arena, bodies * size, bodies * size, mass, masses),
                                     .jacobian = cn_sparse_make(&c->arena, bodies * size, 3 * contacts, jacobian, entries),
                                     .force = c->force,
                                     .bias = c->bias };
}

static double entry_of(const cn_problem *p, int row, int column)
{
    for (int e = p->row_starts[row / 3]; e < p->row_starts[row / 3 + 1]; e++)
        if (p->columns[e] == column / 3)
            return p->entries[e][3 * (row % 3) + column % 3];
    return 0.0;
}

static void both_ways_give_the_same_matrix(void **state)
{
    (void)state;
    static const struct {
        int bodies, size, contacts, span;
    } cases[] = { { 4, 6, 7, 2 }, { 5, 3, 6, 2 }, { 1, 6, 3, 1 }, { 7, 5, 9, 2 }, { 9, 1, 8, 2 }, { 3, 2, 4, 2 } };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        chain c;
        make_chain(&c, cases[n].bodies, cases[n].size, cases[n].contacts, cases[n].span);
        cn_sparse w;
        double q[MOST];
        assert_true(cn_condense(&c.global, &c.arena, &w, q));
        cn_problem *p = cn_problem_create(NULL);
        bool done;
        assert_true(cn_condense_to_bodies(&c.global, c.friction, p, &done));
        assert_true(done);
        assert_true(cn_problem_assemble(p));
        assert_int_equal(p->block_count, cases[n].contacts);
        for (int i = 0; i < p->row_count; i++) {
            assert_true(fabs(q[i] - p->q[i]) <= 1e-12);
            for (int j = 0; j < p->row_count; j++)
                assert_true(fabs(cn_sparse_at(&w, i, j) - entry_of(p, i, j)) <= 1e-12 * p->unit);
        }
        if (cases[n].size == 6)
            assert_int_equal(p->body_count, cases[n].bodies);
        cn_problem_destroy(p);
        cn_arena_free(&c.arena);
    }
}

// u = W r + q with the condensed matrix, against M v = H r + f, u = H' v + w.
static void the_condensed_matrix_is_the_definition(void **state)
{
    (void)state;
    chain c;
    make_chain(&c, 2, 13, 5, 2);
    cn_sparse w;
    double q[MOST], r[MOST], v[MOST], u[MOST], a[26 * 26] = { 0 }, scales[26];
    int pivots[26];
    assert_true(cn_condense(&c.global, &c.arena, &w, q));
    uint64_t random = 9;
    for (int i = 0; i < 15; i++)
        r[i] = next_number(&random);
    const cn_sparse *m = &c.global.mass, *h = &c.global.jacobian;
    for (int i = 0; i < 26; i++) {
        v[i] = c.force[i];
        for (int e = m->starts[i]; e < m->starts[i + 1]; e++)
            a[26 * i + m->columns[e]] = m->values[e];
        for (int e = h->starts[i]; e < h->starts[i + 1]; e++)
            v[i] += h->values[e] * r[h->columns[e]];
    }
    assert_int_equal(cn_lu_factorise(a, 26, pivots, scales), -1);
    cn_lu_solve(a, 26, pivots, v);
    memcpy(u, c.bias, sizeof u);
    for (int i = 0; i < 26; i++)
        for (int e = h->starts[i]; e < h->starts[i + 1]; e++)
            u[h->columns[e]] += h->values[e] * v[i];
    for (int i = 0; i < 15; i++) {
        double sum = q[i];
        for (int e = w.starts[i]; e < w.starts[i + 1]; e++)
            sum += w.values[e] * r[w.columns[e]];
        assert_true(fabs(sum - u[i]) <= 1e-12);
    }
    cn_arena_free(&c.arena);
}

static void what_is_no_body_stays_a_matrix(void **state)
{
    (void)state;
    static const struct {
        int bodies, size, contacts, span;
    } cases[] = { { 2, 7, 3, 2 }, { 4, 6, 4, 3 } }; // seven velocities; three bodies in a contact
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        chain c;
        make_chain(&c, cases[n].bodies, cases[n].size, cases[n].contacts, cases[n].span);
        cn_problem *p = cn_problem_create(NULL);
        bool done = true;
        assert_true(cn_condense_to_bodies(&c.global, c.friction, p, &done));
        assert_false(done);
        assert_int_equal(p->body_count + p->block_count, 0);
        cn_problem_destroy(p);
        cn_arena_free(&c.arena);
    }
}

static void a_mass_that_is_not_symmetric_stays_a_matrix(void **state)
{
    (void)state;
    chain c;
    make_chain(&c, 3, 6, 3, 2);
    c.global.mass.values[1] += 0.1;
    cn_problem *p = cn_problem_create(NULL);
    bool done = true;
    assert_true(cn_condense_to_bodies(&c.global, c.friction, p, &done));
    assert_false(done);
    cn_problem_destroy(p);
    cn_arena_free(&c.arena);
}

static void a_singular_mass_is_named(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        chain c;
        make_chain(&c, 3, 6, 4, 2);
        cn_sparse *m = &c.global.mass;
        for (int e = 0; e < m->starts[18]; e++) // row 8 and column 8 become nothing
            if (m->columns[e] == 8 || (e >= m->starts[8] && e < m->starts[9]))
                m->values[e] = 0.0;
        bool done, ok;
        if (way == 0) {
            cn_sparse w;
            double q[MOST];
            ok = cn_condense(&c.global, &c.arena, &w, q);
        } else {
            cn_problem *p = cn_problem_create(NULL);
            ok = cn_condense_to_bodies(&c.global, c.friction, p, &done);
            cn_problem_destroy(p);
        }
        assert_false(ok);
        assert_non_null(strstr(cn_last_error(), "M is singular: row 8"));
        cn_arena_free(&c.arena);
    }
}

static void pivoting_copes_with_zeros_on_the_diagonal(void **state)
{
    (void)state;
    double a[] = { 0, 2, 0, 1, 0, 3, 0, 4, 1 }, b[] = { 2, 13, 8 }, scales[3];
    const double x[] = { 1, 1, 4 };
    int pivots[3];
    assert_int_equal(cn_lu_factorise(a, 3, pivots, scales), -1);
    cn_lu_solve(a, 3, pivots, b);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(b[i] - x[i]) <= 1e-14);
}

static void nothing_condenses_to_nothing(void **state)
{
    (void)state;
    cn_arena arena;
    cn_arena_init(&arena, &cn_default_allocator);
    double none[1] = { 0.0 };
    cn_global_problem global = { .mass = cn_sparse_make(&arena, 0, 0, NULL, 0),
                                 .jacobian = cn_sparse_make(&arena, 0, 0, NULL, 0),
                                 .force = none,
                                 .bias = none };
    cn_sparse w;
    assert_true(cn_condense(&global, &arena, &w, none));
    assert_int_equal(w.row_count, 0);
    cn_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_give_the_same_matrix), cmocka_unit_test(the_condensed_matrix_is_the_definition),
        cmocka_unit_test(what_is_no_body_stays_a_matrix), cmocka_unit_test(a_mass_that_is_not_symmetric_stays_a_matrix),
        cmocka_unit_test(a_singular_mass_is_named),       cmocka_unit_test(pivoting_copes_with_zeros_on_the_diagonal),
        cmocka_unit_test(nothing_condenses_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
