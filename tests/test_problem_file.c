// Reading problem files: numbers, storages, kinds, mistakes.
#include "io/problem_scan.h"
#include "lab_problems.h"

#include "cairn/problem_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static cn_problem *parse(const char *text, cn_problem_kind kind, cn_problem_info *info)
{
    cn_problem *problem = cn_problem_parse(text, strlen(text), kind, NULL, info);
    if (problem == NULL)
        print_message("%s\n", cn_last_error());
    return problem;
}

// ---- numbers

static double scanned(const char *text)
{
    cn_scanner scanner = cn_scanner_make(text, strlen(text));
    double value = (double)NAN;
    if (!cn_scan_number(&scanner, "a number", &value))
        fail_msg("%s: %s", text, scanner.error);
    return value;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

static void numbers_are_rounded_as_strtod_does(void **state)
{
    (void)state;
    static const char *const texts[] = { "0",
                                         "-0",
                                         "1",
                                         "+2.5",
                                         ".5",
                                         "5.",
                                         "1e22",
                                         "1e23",
                                         "123456789012345e22",
                                         "1e-22",
                                         "1e-5",
                                         "0.1e-3",
                                         "1e308",
                                         "4.9e-324",
                                         "1e-400",
                                         "9007199254740993",
                                         "2.000000000000000000000000e+00",
                                         "1.000000000000000055511151e-01",
                                         "00000000000000000000001.50000000000000000000000000",
                                         "100000000000000000000000" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double expected = strtod(texts[i], NULL), value = scanned(texts[i]);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        char text[64];
        int digits = (int)(next_random(&random) % 20), exponent = (int)(next_random(&random) % 60) - 30;
        uint64_t mantissa = next_random(&random) % 1000000000000000000u;
        snprintf(text, sizeof text, "%s%.*f", i % 2 ? "-" : "", digits, (double)mantissa / 1e9);
        snprintf(text + strlen(text), 16, "e%d", exponent);
        double expected = strtod(text, NULL), value = scanned(text);
        assert_memory_equal(&value, &expected, sizeof value);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "",     "-",   ".",   "e5",   "1e",    "1e+", "1.2.3",
                                         "0x10", "nan", "inf", "-inf", "1e309", "1,5", "1f" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cn_scanner scanner = cn_scanner_make(texts[i], strlen(texts[i]));
        double value;
        assert_false(cn_scan_number(&scanner, "a number", &value));
        assert_string_not_equal(scanner.error, "");
    }
}

// ---- storages

#define FRICTION_TAIL "-1 0.25 0.5  0.7\n"

static void assert_same_matrix(const char *text)
{
    static const double w[3][3] = { { 2, 0.5, 0 }, { 0.5, 3, -1 }, { 0, -1, 4 } };
    cn_problem_info info;
    cn_problem *p = parse(text, CN_PROBLEM_ANY, &info);
    assert_non_null(p);
    assert_int_equal(info.kind, CN_PROBLEM_FRICTION);
    assert_int_equal(info.dimension, 3);
    assert_int_equal(info.contacts, 1);
    assert_int_equal(p->block_count, 1);
    for (int i = 0; i < 9; i++)
        assert_true(p->entries[0][i] == w[i / 3][i % 3]);
    assert_true(p->q[0] == -1.0 && p->q[1] == 0.25 && p->q[2] == 0.5);
    assert_true(p->blocks[0].friction == 0.7 && p->unit == 3.0);
    cn_problem_destroy(p);
}

static void every_storage_gives_the_same_matrix(void **state)
{
    (void)state;
    assert_same_matrix("3 1  0 3 3  3 3  2 .5 0  .5 3 -1  0 -1 4 " FRICTION_TAIL "then a remark");
    assert_same_matrix("3 1  1 3 3  1  1 1  3  3  2 1  0 1  0   0 2 .5 0 .5 3 -1 0 -1 4 " FRICTION_TAIL);
    // Blocks of 1 and 2 rows.
    assert_same_matrix("3 1  1 3 3  4  2 2  1 3  1 3  3 4  0 2 4  0 1 0 1  0 2  1 .5 0  2 .5 0  3 3 -1 -1 4 " FRICTION_TAIL);
    assert_same_matrix(
        "3 1  2 3 3  1\nCSparse Version 3, Copyright\ntriplet: 3-by-3, nzmax: 9 nnz: 8\n"
        " 0 0 : 1.5\n 1 0 : .5\n 0 1 : .5\n 1 1 : 3\n 2 1 : -1\n 1 2 : -1\n 2 2 : 4\n 0 0 : 0.5\n" FRICTION_TAIL);
    assert_same_matrix("3 1  2 3 3  2\nCSparse Version 3, Copyright\n3-by-3, nzmax: 7 nnz: 7, 1-norm: 5\n"
                       " col 0 : locations 0 to 1\n 0 : 2\n 1 : .5\n col 1 : locations 2 to 4\n 1 : 3\n 0 : .5\n 2 : -1\n"
                       " col 2 : locations 5 to 6\n 1 : -1\n 2 : 4\n" FRICTION_TAIL);
    assert_same_matrix("3 1  2 3 3  3\nCSparse Version 3, Copyright\ncsr: 3-by-3, nzmax: 7 nnz: 7, 1-norm: 5\n"
                       " row 0 : locations 0 to 1\n 0 : 2\n 1 : .5\n row 1 : locations 2 to 4\n 0 : .5\n 1 : 3\n 2 : -1\n"
                       " row 2 : locations 5 to 6\n 1 : -1\n 2 : 4\n" FRICTION_TAIL);
    assert_same_matrix("3 1  2 3 3  4\nbanner\ntriplet: 3-by-3, nzmax: 5 nnz: 5\n"
                       " 0 0 : 2\n 1 0 : .5\n 1 1 : 3\n 2 1 : -1\n 2 2 : 4\n" FRICTION_TAIL);
}

static void dense_matrices_are_stored_by_columns(void **state)
{
    (void)state;
    cn_problem_info info;
    cn_problem *p = parse("2  0 2 2  2 2  1 2  3 4  5 6", CN_PROBLEM_ANY, &info);
    assert_non_null(p);
    assert_int_equal(info.kind, CN_PROBLEM_LCP);
    assert_int_equal(info.contacts, 2);
    static const double m[] = { 1, 3, 2, 4 };
    for (int i = 0; i < 4; i++)
        assert_true(lab_entry_at(p, i / 2, i % 2) == m[i]);
    assert_int_equal(p->blocks[1].kind, CN_BLOCK_BOUNDED);
    assert_true(p->lower[1] == 0.0 && isinf(p->upper[1]) && p->unit == 2.0);
    cn_problem_destroy(p);
}

static void zero_blocks_of_dense_matrices_are_left_out(void **state)
{
    (void)state;
    cn_problem *p = parse("3 2  0 6 6  6 6  1 0 0 0 0 0  0 1 0 0 0 0  0 0 1 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0"
                          "  1 2 3 4 5 6  .1 .2",
                          CN_PROBLEM_ANY, NULL);
    assert_non_null(p);
    assert_int_equal(p->entry_count, 2); // the diagonal stays, be it zero
    assert_int_equal(p->columns[1], 1);
    cn_problem_destroy(p);
}

static void contacts_in_the_plane_get_a_second_tangent(void **state)
{
    (void)state;
    cn_problem_info info;
    cn_problem *p = parse("2 2  0 4 4  4 4  2 0 1 0  0 4 0 0  1 0 2 0  0 0 0 4  -1 2 -3 4  .1 .2", CN_PROBLEM_ANY, &info);
    assert_non_null(p);
    assert_int_equal(info.kind, CN_PROBLEM_FRICTION);
    assert_int_equal(info.dimension, 2);
    assert_int_equal(p->row_count, 6);
    static const double q[] = { -1, 2, 0, -3, 4, 0 };
    for (int i = 0; i < 6; i++) {
        assert_true(p->q[i] == q[i]);
        for (int j = 2; j < 6; j += 3)
            assert_true(lab_entry_at(p, i, j) == (i == j ? 3.0 : 0.0) && lab_entry_at(p, j, i) == lab_entry_at(p, i, j));
    }
    assert_true(lab_entry_at(p, 0, 3) == 1.0 && lab_entry_at(p, 4, 4) == 4.0);
    cn_problem_destroy(p);
}

// ---- mixed problems

static void assert_mixed(const char *text)
{
    static const double m[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    cn_problem_info info;
    cn_problem *p = parse(text, CN_PROBLEM_ANY, &info);
    assert_non_null(p);
    assert_int_equal(info.kind, CN_PROBLEM_MLCP);
    assert_int_equal(info.contacts, 3);
    for (int i = 0; i < 9; i++)
        assert_true(lab_entry_at(p, i / 3, i % 3) == m[i]);
    for (int i = 0; i < 3; i++) {
        assert_true(p->q[i] == -1.0 - i);
        assert_int_equal(p->blocks[i].kind, i == 0 ? CN_BLOCK_EQUALITY : CN_BLOCK_BOUNDED);
    }
    cn_problem_destroy(p);
}

static void mixed_problems_in_each_form(void **state)
{
    (void)state;
#define WHOLE "0 1 3  0 1  0 3 3  3 3  1 4 7  2 5 8  3 6 9  -1 -2 -3 "
#define PARTS "1  5 6 8 9  2 3  4 7  -1  -2 -3"
    assert_mixed("1 0 1 2 " WHOLE);
    assert_mixed("0 1 1 2 " PARTS);
    assert_mixed("1 1 1 2 " WHOLE PARTS);
    assert_mixed("1 0 1 2 0 1 2 3  0 1 1  0 3 3  3 3  1 4 7  2 5 8  3 6 9  -1 -2 -3 ");
    cn_problem *p = parse("1 0 1 2  0 1 2 3  1 0 1  0 3 3  3 3  1 0 0  0 1 0  0 0 1  0 0 0", CN_PROBLEM_MLCP, NULL);
    assert_non_null(p);
    assert_int_equal(p->blocks[0].kind, CN_BLOCK_BOUNDED);
    assert_int_equal(p->blocks[1].kind, CN_BLOCK_EQUALITY);
    cn_problem_destroy(p);
}

// ---- kinds and mistakes

static void kinds_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        cn_problem_kind kind;
    } cases[] = {
        { "3 0  0 0 0  0 0", CN_PROBLEM_FRICTION },
        // M has as many rows as W would: what follows decides.
        { "3 1  0 3 3  3 3  1 0 0 0 1 0 0 0 1  0 3 3  3 3  1 0 0 0 1 0 0 0 1  1 1 1  0 0 0  .1", CN_PROBLEM_GLOBAL },
        { "2 0  0 2 2  2 2  1 0 0 1  0 2 0  2 0  1 2", CN_PROBLEM_GLOBAL },
        { "2 0\n2 2 2 1\nbanner\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n1 1 : 1\n2 2 0 2\nbanner\n"
          "2-by-0, nzmax: 1 nnz: 0, 1-norm: -1\n1 2",
          CN_PROBLEM_GLOBAL },
        { "1 0 1 1  1 1  5  -1", CN_PROBLEM_LCP },
        { "3  1 3 3  0  1 2 3", CN_PROBLEM_LCP },
        { "1 1 1 1  0 1 2  0 1  0 2 2  2 2  1 -1 0 1  -1 1", CN_PROBLEM_MLCP },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_problem_info info = { 0 };
        cn_problem *p = parse(cases[i].text, CN_PROBLEM_ANY, &info);
        assert_non_null(p);
        assert_int_equal(info.kind, cases[i].kind);
        cn_problem_destroy(p);
    }
    for (int kind = 0; kind < CN_PROBLEM_KIND_COUNT; kind++)
        assert_non_null(cn_problem_kind_name(kind));
    assert_null(cn_problem_kind_name(CN_PROBLEM_KIND_COUNT));
    assert_null(cn_problem_kind_name(-1));
}

// Formats that begin like one we read, or have the same numbers in front: read as what they are, or refused by name.
static void look_alikes_are_not_misread(void **state)
{
    (void)state;
#define ONE_CONTACT "3 1  0 3 3  3 3  1 0 0 0 1 0 0 0 1  -1 2 0  "
#define TWO_ROWS "2  0 2 2  2 2  2 1 1 2  -5 -6  "
    static const struct {
        const char *text, *error; // an error when it is to be refused
        cn_problem_kind kind, expected;
    } cases[] = {
        { TWO_ROWS "-1 -2  1 2", NULL, CN_PROBLEM_ANY, CN_PROBLEM_RELAY },
        { TWO_ROWS "0 0  1 2", "relay problem, or a remark", CN_PROBLEM_ANY, CN_PROBLEM_ANY },
        { TWO_ROWS "0 0  1 2", NULL, CN_PROBLEM_RELAY, CN_PROBLEM_RELAY },
        { TWO_ROWS "0 0  1 2", NULL, CN_PROBLEM_LCP, CN_PROBLEM_LCP },
        { TWO_ROWS "-1 -2  1 2", NULL, CN_PROBLEM_LCP, CN_PROBLEM_LCP },
        { TWO_ROWS "1 2  -1 -2", NULL, CN_PROBLEM_ANY, CN_PROBLEM_LCP }, // a remark: no bounds cross
        { TWO_ROWS "-1 -2  1", NULL, CN_PROBLEM_ANY, CN_PROBLEM_LCP },   // too few
        { TWO_ROWS "-1 -2  1 2 the answer", NULL, CN_PROBLEM_ANY, CN_PROBLEM_LCP },
        { TWO_ROWS "1 2  -1 -2", "bounds are 1 and -1", CN_PROBLEM_RELAY, CN_PROBLEM_ANY },
        { TWO_ROWS "1 2", "the bounds", CN_PROBLEM_RELAY, CN_PROBLEM_ANY },
        { "1 1 1 1  0 1 2  0 1  0 3 2  3 2  1 -1 1 -1 -1 1  0 1  1 1 -1 1 0 -1", "M is 3 by 2: rectangular", CN_PROBLEM_ANY,
          CN_PROBLEM_ANY },
        { "1 0 2 1  0 2 3  0 1  0 4 3  4 3  1 0 0 0  0 1 0 0  0 0 1 0  1 1 1", "M is 4 by 3: rectangular", CN_PROBLEM_ANY,
          CN_PROBLEM_ANY },
        { "5 1  0 5 5  5 5  1 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 1 0  0 0 0 0 1  -1 2 0 0 0  .5  .1", "rolling friction",
          CN_PROBLEM_ANY, CN_PROBLEM_ANY },
        { "5 2  1 10 10  0  1 1 1 1 1 1 1 1 1 1  .5 .5 .1 .1", "rolling friction", CN_PROBLEM_FRICTION, CN_PROBLEM_ANY },
        { "5 7  0 30 30  30 30  1", "rolling friction", CN_PROBLEM_ANY, CN_PROBLEM_ANY },
        { "5  1 5 5  0  1 2 3 4 5", NULL, CN_PROBLEM_ANY, CN_PROBLEM_LCP },
        { "3 2  1 6 6  0  1 2 3 4 5 6  .5 .5  .1 .2", "rolling friction problem of the plane", CN_PROBLEM_ANY, CN_PROBLEM_ANY },
        { "3 2  1 6 6  0  1 2 3 4 5 6  .5 .5  .1 .2", NULL, CN_PROBLEM_FRICTION, CN_PROBLEM_FRICTION },
        { ONE_CONTACT "0  3 .7", "second-order cones", CN_PROBLEM_ANY, CN_PROBLEM_ANY },
        { ONE_CONTACT ".7  0", NULL, CN_PROBLEM_ANY, CN_PROBLEM_FRICTION }, // a flag of old writers
        { ONE_CONTACT ".7  1", NULL, CN_PROBLEM_ANY, CN_PROBLEM_FRICTION },
        { ONE_CONTACT ".7  1 2 3", NULL, CN_PROBLEM_ANY, CN_PROBLEM_FRICTION }, // a first guess
        { "cairn-problem 2\n", "the version is 2; it must be 1", CN_PROBLEM_ANY, CN_PROBLEM_ANY },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_problem_info info = { 0 };
        cn_problem *p = cn_problem_parse(cases[i].text, strlen(cases[i].text), cases[i].kind, NULL, &info);
        if ((p == NULL) != (cases[i].error != NULL) || (p == NULL && strstr(cn_last_error(), cases[i].error) == NULL))
            fail_msg("case %zu: %s", i, p == NULL ? cn_last_error() : "was read");
        if (p != NULL)
            assert_int_equal(info.kind, cases[i].expected);
        cn_problem_destroy(p);
    }
    cn_problem *p = parse(TWO_ROWS "-1 -2  1 2", CN_PROBLEM_ANY, NULL);
    assert_true(p->lower[0] == -1.0 && p->lower[1] == -2.0 && p->upper[0] == 1.0 && p->upper[1] == 2.0 && p->q[1] == -6.0);
    cn_problem_destroy(p);
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        cn_problem_kind kind;
        const char *text, *error;
    } cases[] = {
        { CN_PROBLEM_ANY, "", "line 1: the file ends where the dimension should be" },
        { CN_PROBLEM_ANY, "hello", "line 1: the dimension should be here, not 'hello'" },
        { CN_PROBLEM_FRICTION, "4\n1", "line 1: the dimension is 4; it must be a whole number from 2 to 3" },
        { CN_PROBLEM_ANY, "3\n1000000000\n", "line 2: the number of contacts is 1000000000" },
        { CN_PROBLEM_ANY, "3\n100000\n1 1 1", "line 2: mu: the rest of the file is too short for 100000 numbers" },
        { CN_PROBLEM_ANY, "3\n1\n0 3 3 1000000000 1000000000\n",
          "line 3: the first matrix: the rest of the file is too short" },
        { CN_PROBLEM_ANY, "3\n99999999999\n", "line 2: the number of contacts is 99999999999" },
        { CN_PROBLEM_ANY, "3 1\n0 3 3\n3 3\n1 0 0\n0 1 x\n0 0 1\n", "line 5: the first matrix should be here, not 'x'" },
        { CN_PROBLEM_ANY, "3 1\n0 3 3\n3 3\n1 0 0\n0 1 nan\n0 0 1\n", "line 5: the first matrix should be here, not 'nan'" },
        { CN_PROBLEM_ANY, "3 1\n0 3 3\n3 3\n1 0 0\n0 1 1e999\n0 0 1\n", "line 5: a finite number should be here, not '1e999'" },
        { CN_PROBLEM_ANY, "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n1 2\n", "line 6: the file ends where q should be" },
        { CN_PROBLEM_ANY, "3 1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n1 2 3\n-0.5", "line 6: the friction of contact 0 is -0.5" },
        { CN_PROBLEM_ANY, "3 1\n0 3 4\n3 4\n1 0 0 0 1 0 0 0 1 1 1 1", "line 3: the first matrix is 3 by 4; it must be 3 by 3" },
        { CN_PROBLEM_ANY, "3 1\n1 3 3\n1\n1 1\n4\n3\n2 1\n0 1\n0\n", "line 5: the end of a block row is 4" },
        { CN_PROBLEM_ANY, "3 1\n1 3 3\n1\n1 1\n2\n3\n2 1\n0 1\n0\n", "line 5: the end of a block row: the blocks end at 2" },
        { CN_PROBLEM_ANY, "3 1\n1 3 3\n2\n1 1\n3\n3\n2 2\n0 2\n0 0\n", "line 9: the column of a block" },
        { CN_PROBLEM_ANY, "3 1\n1 3 3\n1\n1 1\n3\n3\n2 1\n0 1\n0\n7\n1 0 0 0 1 0 0 0 1 1 2 3",
          "line 10: the number of a block is 7; it must be 0" },
        { CN_PROBLEM_ANY, "3 1\n2 3 3\n1\nbanner\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n3 0 : 1\n0 0 0 .1", "line 6: a row is 3" },
        { CN_PROBLEM_ANY, "3 1\n2 3 3\n1\nbanner\nnothing\n", "the file ends before the header" },
        { CN_PROBLEM_LCP, "2\n0 3 3 3 3\n", "line 2: M is 3 by 3; it must be 2 by 2" },
        { CN_PROBLEM_MLCP, "1 0 1 1\n0 1 2\n0 0\n", "line 3: the intervals make 2 rows equalities; the first numbers say 1" },
        { CN_PROBLEM_GLOBAL, "3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 0\n0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n1 1 1 0 0 0\n.1",
          "line 7: M is singular: row 2" },
        { CN_PROBLEM_GLOBAL, "3 1\n0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n0 2 3 2 3\n", "line 4: H is 2 by 3; with M of 3 rows" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(cn_problem_parse(cases[i].text, strlen(cases[i].text), cases[i].kind, NULL, NULL));
        if (strstr(cn_last_error(), cases[i].error) == NULL)
            fail_msg("case %zu: '%s' instead of '%s'", i, cn_last_error(), cases[i].error);
    }
    assert_null(cn_problem_read("/nowhere/to/be/found", CN_PROBLEM_ANY, NULL, NULL));
    assert_non_null(strstr(cn_last_error(), "/nowhere/to/be/found"));
    assert_null(cn_problem_parse("", 0, CN_PROBLEM_KIND_COUNT, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_as_strtod_does),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(every_storage_gives_the_same_matrix),
        cmocka_unit_test(dense_matrices_are_stored_by_columns),
        cmocka_unit_test(zero_blocks_of_dense_matrices_are_left_out),
        cmocka_unit_test(contacts_in_the_plane_get_a_second_tangent),
        cmocka_unit_test(mixed_problems_in_each_form),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(look_alikes_are_not_misread),
        cmocka_unit_test(mistakes_are_named_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
