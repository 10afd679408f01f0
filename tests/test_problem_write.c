// Writing problem files: what comes back when they are read, and what no file can say.
#include "lab_problems.h"

#include "cairn/problem_file.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static void temporary_path(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/cairn-problem-%d.dat", folder != NULL ? folder : "/tmp", (int)getpid());
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

static cn_problem *round_trip(const cn_problem *p, cn_problem_kind kind, cn_problem_info *info)
{
    char path[512];
    temporary_path(path, sizeof path);
    if (!cn_problem_write(path, p, kind))
        fail_msg("%s", cn_last_error());
    cn_problem *back = cn_problem_read(path, CN_PROBLEM_ANY, NULL, info);
    remove(path);
    if (back == NULL)
        fail_msg("%s", cn_last_error());
    return back;
}

static void assert_same_numbers(const cn_problem *a, const cn_problem *b, double tolerance)
{
    assert_int_equal(a->row_count, b->row_count);
    for (int i = 0; i < a->row_count; i++) {
        assert_true(fabs(a->q[i] - b->q[i]) <= tolerance * (1.0 + fabs(a->q[i])));
        for (int j = 0; j < a->row_count; j++)
            assert_true(fabs(lab_entry_at(a, i, j) - lab_entry_at(b, i, j)) <= tolerance * a->unit);
    }
}

// A problem given by a matrix: blocks of the kinds named by letters (c, e, b), numbers that have no short decimal form.
static cn_problem *matrix_problem(const char *kinds, int rows)
{
    cn_problem *p = cn_problem_create(NULL);
    int count = (int)strlen(kinds), starts[17] = { 0 }, columns[256];
    double entries[256][9];
    uint64_t random = 7;
    for (int i = 0; i < count; i++) {
        cn_block_def def = cn_block_def_default(kinds[i] == 'c'   ? CN_BLOCK_CONTACT
                                                : kinds[i] == 'e' ? CN_BLOCK_EQUALITY
                                                                  : CN_BLOCK_BOUNDED);
        def.rows = kinds[i] == 'c' ? 3 : rows;
        def.friction = kinds[i] == 'c' ? 1.0 / (3 + i) : 0.0;
        for (int k = 0; k < def.rows; k++)
            def.bias[k] = (double)next_random(&random) / 3e15 - 0.5;
        assert_int_equal(cn_problem_add_block(p, &def), i);
        starts[i + 1] = starts[i];
        for (int j = 0; j < count; j++) {
            if ((i + j) % 3 == 1)
                continue;
            columns[starts[i + 1]] = j;
            for (int k = 0; k < 9; k++)
                entries[starts[i + 1]][k] = (double)next_random(&random) * 1e-300 / 7.0;
            starts[i + 1]++;
        }
    }
    assert_true(cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries));
    return p;
}

static void reduced_problems_come_back_to_the_last_bit(void **state)
{
    (void)state;
    static const struct {
        const char *kinds;
        int rows;
        cn_problem_kind kind;
    } cases[] = { { "ccccc", 3, CN_PROBLEM_FRICTION }, { "bbbb", 1, CN_PROBLEM_LCP },   { "bbbbb", 2, CN_PROBLEM_LCP },
                  { "eeebb", 1, CN_PROBLEM_MLCP },     { "beebe", 2, CN_PROBLEM_MLCP }, { "eee", 3, CN_PROBLEM_MLCP } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_problem *p = matrix_problem(cases[i].kinds, cases[i].rows);
        cn_problem_info info;
        cn_problem *back = round_trip(p, CN_PROBLEM_ANY, &info);
        assert_int_equal(info.kind, cases[i].kind);
        assert_same_numbers(p, back, 0.0);
        for (int k = 0; info.kind == CN_PROBLEM_FRICTION && k < p->block_count; k++)
            assert_true(p->blocks[k].friction == back->blocks[k].friction);
        for (int row = 0; row < p->row_count; row++)
            assert_true(p->lower[row] == back->lower[row] && p->upper[row] == back->upper[row]);
        cn_problem_destroy(back);
        cn_problem_destroy(p);
    }
}

static void problems_with_bodies_come_back_with_them(void **state)
{
    (void)state;
    cn_problem *p = lab_tower(3, 0.6);
    cn_problem_info info;
    cn_problem *back = round_trip(p, CN_PROBLEM_ANY, &info);
    assert_int_equal(info.kind, CN_PROBLEM_GLOBAL);
    assert_int_equal(back->body_count, 3);
    assert_true(cn_problem_assemble(p));
    assert_same_numbers(p, back, 1e-12);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            assert_true(fabs(p->bodies[i].velocity[k] - back->bodies[i].velocity[k]) <= 1e-12);
    cn_problem_destroy(back);
    back = round_trip(p, CN_PROBLEM_FRICTION, &info);
    assert_int_equal(info.kind, CN_PROBLEM_FRICTION);
    assert_same_numbers(p, back, 0.0);
    cn_problem_destroy(back);
    cn_problem_destroy(p);
}

// The last body of a tower: `how` 0 does not move but has a velocity, 1 cannot turn, 2 cannot move along a diagonal.
static cn_problem *tower_with_locked_body(int how)
{
    cn_problem *tower = lab_tower(3, 0.6), *p = cn_problem_create(NULL);
    for (int i = 0; i < 3; i++) {
        cn_model_body body = tower->bodies[i];
        body.velocity[2] = 0.25;
        for (int k = 0; k < 6 && i == 1; k++)
            if (how == 0 || (how == 1 && k >= 3))
                body.inverse_mass[k][k] = 0.0;
        if (how == 2 && i == 1)
            body.inverse_mass[0][1] = body.inverse_mass[1][0] = 1.0; // of 1 on the diagonal
        assert_int_equal(cn_problem_add_body(p, &body), i);
    }
    for (int i = 0; i < tower->block_count; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.side_count = tower->blocks[i].side_count;
        memcpy(def.sides, tower->sides + tower->blocks[i].first_side, sizeof(cn_side) * (size_t)def.side_count);
        def.friction = 0.5;
        cn_problem_add_block(p, &def);
    }
    cn_problem_destroy(tower);
    assert_true(cn_problem_assemble(p));
    return p;
}

static void locked_bodies_are_written_as_what_they_do(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        cn_problem *p = tower_with_locked_body(how);
        cn_problem_info info;
        cn_problem *back = round_trip(p, CN_PROBLEM_ANY, &info);
        assert_int_equal(info.kind, how < 2 ? CN_PROBLEM_GLOBAL : CN_PROBLEM_FRICTION);
        assert_same_numbers(p, back, how < 2 ? 1e-12 : 0.0);
        char path[512];
        temporary_path(path, sizeof path);
        assert_true(cn_problem_write(path, p, CN_PROBLEM_GLOBAL) == (how < 2));
        remove(path);
        cn_problem_destroy(back);
        cn_problem_destroy(p);
    }
}

// ---- our own format

static double draw(uint64_t *random) { return (double)next_random(random) / 4503599627370496.0 - 1.0; }

// Whatever a problem can be: bodies or a matrix, all kinds of blocks, softness, bounds with and without ends, frozen impulses.
static cn_problem *any_problem(uint64_t *random)
{
    cn_problem *p = cn_problem_create(NULL);
    int bodies = (int)(next_random(random) % 4), blocks = 1 + (int)(next_random(random) % 8);
    for (int i = 0; i < bodies; i++) {
        cn_model_body body = { .velocity = { draw(random) } };
        for (int k = 0; k < 6; k++) {
            body.inverse_mass[k][k] = 1.5 + draw(random);
            body.velocity[k] = draw(random) * 1e-7;
        }
        body.inverse_mass[0][1] = body.inverse_mass[1][0] = 0.1 * draw(random);
        cn_problem_add_body(p, &body);
    }
    for (int i = 0; i < blocks; i++) {
        cn_block_def def = cn_block_def_default((cn_block_kind)(next_random(random) % CN_BLOCK_KIND_COUNT));
        def.rows = def.kind == CN_BLOCK_CONTACT ? 3 : 1 + (int)(next_random(random) % 3);
        def.friction = def.kind == CN_BLOCK_CONTACT ? 1.0 + draw(random) : 0.0;
        def.frozen = next_random(random) % 2 == 0 ? 1.0 + draw(random) : 0.0;
        def.side_count = bodies > 1 ? 1 + (int)(next_random(random) % 2) : bodies;
        for (int s = 0; s < def.side_count; s++) {
            def.sides[s].body = (i + s) % bodies;
            for (int k = 0; k < 6 * def.rows; k++)
                def.sides[s].jacobian[k / 6][k % 6] = draw(random);
        }
        for (int k = 0; k < def.rows; k++) {
            def.bias[k] = draw(random) * 1e-300;
            def.softness[k] = next_random(random) % 2 == 0 ? 1.0 + draw(random) : 0.0;
            def.lower[k] = next_random(random) % 2 == 0 ? -(double)INFINITY : draw(random) - 1.0;
            def.upper[k] = next_random(random) % 2 == 0 ? (double)INFINITY : draw(random) + 1.0;
        }
        cn_problem_add_block(p, &def);
    }
    int starts[9] = { 0 }, columns[64];
    double entries[64][9];
    for (int i = 0; i < blocks; i++) {
        starts[i + 1] = blocks * (i + 1);
        for (int j = 0; j < blocks; j++) {
            columns[blocks * i + j] = j;
            for (int k = 0; k < 9; k++)
                entries[blocks * i + j][k] = draw(random);
        }
    }
    bool by_matrix = bodies == 0 || next_random(random) % 4 == 0;
    assert_true(by_matrix ? cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries) : cn_problem_assemble(p));
    return p;
}

static void assert_same_bits(const cn_problem *a, const cn_problem *b)
{
    assert_int_equal(a->block_count, b->block_count);
    assert_int_equal(a->row_count, b->row_count);
    assert_int_equal(a->body_count, b->body_count);
    assert_int_equal(a->side_count, b->side_count);
    assert_int_equal(a->entry_count, b->entry_count);
    const double *per_row[2][4] = { { a->q, a->softness, a->lower, a->upper }, { b->q, b->softness, b->lower, b->upper } };
    for (int i = 0; i < 4; i++)
        assert_memory_equal(per_row[0][i], per_row[1][i], sizeof(double) * (size_t)a->row_count);
    for (int i = 0; i < a->block_count; i++) {
        const cn_block *x = &a->blocks[i], *y = &b->blocks[i];
        assert_true(x->kind == y->kind && x->rows == y->rows && x->side_count == y->side_count);
        assert_true(x->friction == y->friction && x->frozen == y->frozen);
    }
    if (a->body_count > 0) {
        assert_memory_equal(a->bodies, b->bodies, sizeof *a->bodies * (size_t)a->body_count);
    }
    for (int i = 0; i < a->side_count; i++) {
        assert_int_equal(a->sides[i].body, b->sides[i].body);
        assert_memory_equal(a->sides[i].jacobian, b->sides[i].jacobian, sizeof a->sides[i].jacobian);
    }
    assert_memory_equal(a->row_starts, b->row_starts, sizeof(int) * (size_t)(a->block_count + 1));
    assert_memory_equal(a->columns, b->columns, sizeof(int) * (size_t)a->entry_count);
    assert_memory_equal(a->entries, b->entries, sizeof *a->entries * (size_t)a->entry_count);
    assert_true(a->unit == b->unit);
}

static void everything_comes_back_to_the_same_bits(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (int round = 0; round < 200; round++) {
        cn_problem *p = any_problem(&random);
        cn_problem_info info;
        cn_problem *back = round_trip(p, round % 2 == 0 ? CN_PROBLEM_ANY : CN_PROBLEM_CAIRN, &info);
        if (round % 2 == 1 || info.kind == CN_PROBLEM_CAIRN)
            assert_same_bits(p, back);
        cn_problem_destroy(back);
        cn_problem_destroy(p);
    }
}

static void relays_come_back_to_the_last_bit(void **state)
{
    (void)state;
    cn_problem *p = matrix_problem("bbbb", 2);
    for (int i = 0; i < p->row_count; i++) {
        p->lower[i] = -0.1 * i - 1.0 / 3.0;
        p->upper[i] = 0.3 * i;
    }
    cn_problem_info info;
    cn_problem *back = round_trip(p, CN_PROBLEM_ANY, &info);
    assert_int_equal(info.kind, CN_PROBLEM_RELAY);
    assert_same_numbers(p, back, 0.0);
    assert_memory_equal(p->lower, back->lower, sizeof(double) * (size_t)p->row_count);
    assert_memory_equal(p->upper, back->upper, sizeof(double) * (size_t)p->row_count);
    cn_problem_destroy(back);
    cn_problem_destroy(p);
}

static void what_a_file_cannot_say_is_refused(void **state)
{
    (void)state;
    char path[512];
    temporary_path(path, sizeof path);
    cn_problem *mixed = matrix_problem("ceb", 1), *lcp = matrix_problem("bb", 1), *mlcp = matrix_problem("eb", 1);
    cn_problem *friction = matrix_problem("cc", 1), *soft = matrix_problem("bb", 1), *bounded = matrix_problem("bb", 1);
    soft->softness[1] = 0.5;
    bounded->upper[0] = 1.0;
    const struct {
        const cn_problem *problem;
        cn_problem_kind kind;
        const char *error;
    } cases[] = { { mixed, CN_PROBLEM_FRICTION, "contacts only" }, { lcp, CN_PROBLEM_FRICTION, "contacts only" },
                  { mixed, CN_PROBLEM_MLCP, "no contacts" },       { soft, CN_PROBLEM_MLCP, "softness" },
                  { lcp, CN_PROBLEM_RELAY, "bounds 0 and inf" },   { mlcp, CN_PROBLEM_RELAY, "bounded rows only" },
                  { mlcp, CN_PROBLEM_LCP, "bounded rows only" },   { friction, CN_PROBLEM_MLCP, "no contacts" },
                  { friction, CN_PROBLEM_GLOBAL, "needs bodies" }, { soft, CN_PROBLEM_LCP, "softness" },
                  { bounded, CN_PROBLEM_LCP, "bounds 0 and 1" },   { friction, CN_PROBLEM_KIND_COUNT, "kind is" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(cn_problem_write(path, cases[i].problem, cases[i].kind));
        assert_non_null(strstr(cn_last_error(), cases[i].error));
    }
    assert_false(cn_problem_write("/nowhere/file.dat", friction, CN_PROBLEM_ANY));
    assert_non_null(strstr(cn_last_error(), "/nowhere/file.dat"));
    cn_problem *all[] = { mixed, lcp, mlcp, friction, soft, bounded };
    for (int i = 0; i < 6; i++)
        cn_problem_destroy(all[i]);
}

static void locales_do_not_matter(void **state)
{
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        printf("skipped: no locale with a decimal comma\n");
        return;
    }
    cn_problem *p = matrix_problem("ccc", 1), *back = round_trip(p, CN_PROBLEM_ANY, NULL);
    setlocale(LC_ALL, "C");
    assert_same_numbers(p, back, 0.0);
    cn_problem_destroy(back);
    cn_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reduced_problems_come_back_to_the_last_bit),
        cmocka_unit_test(problems_with_bodies_come_back_with_them),
        cmocka_unit_test(locked_bodies_are_written_as_what_they_do),
        cmocka_unit_test(everything_comes_back_to_the_same_bits),
        cmocka_unit_test(relays_come_back_to_the_last_bit),
        cmocka_unit_test(what_a_file_cannot_say_is_refused),
        cmocka_unit_test(locales_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
