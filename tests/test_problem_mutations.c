// Damaged problem files: thousands of them, each of which is either read as a sound problem or refused with a sentence, in
// memory that the length of the text bounds. CAIRN_MUTATIONS sets how many; stored problems take part where they are.
#include "lab_problems.h"

#include "cairn/lab.h"
#include "cairn/problem_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// ---- memory that is counted

typedef struct counter {
    size_t live, peak;
} counter;

static void *count_allocation(void *context, size_t size, size_t alignment)
{
    counter *c = context;
    c->live += size;
    c->peak = c->live > c->peak ? c->live : c->peak;
    return aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

static void count_release(void *context, void *memory, size_t size)
{
    counter *c = context;
    c->live -= size;
    free(memory);
}

// ---- texts

enum { LONGEST = 1 << 20 };

typedef struct text {
    char *data;
    int length;
} text;

static const char *const written[] = {
    "3 1  0 3 3  3 3\n2 .5 0\n.5 3 -1\n0 -1 4\n-1 0.25 0.5\n0.7\n",
    "3 2\n1 6 6\n4\n2 2\n3 6\n3 6\n3 4\n0 2 4\n0 1 0 1\n0\n1 0 0 0 1 0 0 0 1\n1\n.5 0 0 0 .5 0 0 0 .5\n2\n.5 0 0 0 .5 0 0 0 "
    ".5\n3\n"
    "1 0 0 0 1 0 0 0 1\n-1 0 0 -1 0.5 0\n.5 .5\n",
    "3 1  2 3 3  1\nbanner\ntriplet: 3-by-3, nzmax: 9 nnz: 4\n 0 0 : 1.5\n 1 1 : 3\n 2 2 : 4\n 0 0 : 0.5\n-1 0 1 .3\n",
    "3 1  2 3 3  2\nbanner\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 4\n col 0 : locations 0 to 0\n 0 : 2\n col 1 : locations 1 to 1\n "
    "1 : 3\n"
    " col 2 : locations 2 to 2\n 2 : 4\n-1 0 1 .3\n",
    "3 1  2 3 3  3\nbanner\ncsr: 3-by-3, nzmax: 3 nnz: 3, 1-norm: 4\n row 0 : locations 0 to 0\n 0 : 2\n row 1 : locations 1 "
    "to 1\n"
    " 1 : 3\n row 2 : locations 2 to 2\n 2 : 4\n-1 0 1 .3\n",
    "3 1  2 3 3  4\nbanner\ntriplet: 3-by-3, nzmax: 5 nnz: 5\n 0 0 : 2\n 1 0 : .5\n 1 1 : 3\n 2 1 : -1\n 2 2 : 4\n-1 0 1 .3\n",
    "2 2  0 4 4  4 4\n2 0 1 0  0 4 0 0\n1 0 2 0  0 0 0 4\n-1 2 -3 4\n.1 .2\n",
    "3 1\n1 6 6\n1\n1 1\n6\n6\n2 1\n0 1\n0\n0\n2 0 0 0 0 0  0 2 0 0 0 0  0 0 2 0 0 0  0 0 0 3 0 0  0 0 0 0 3 0  0 0 0 0 0 3\n"
    "0 6 3\n6 3\n1 0 0 0 0 1\n0 1 0 0 1 0\n0 0 1 1 0 0\n0 -1 0 0 0 0\n0 0 0\n.5\n",
    "2 1  2 3 3 1\nbanner\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n0 0 : 1\n1 1 : 1\n2 2 : 1\n2 3 2 2\nbanner\n3-by-2, nzmax: 2 nnz: "
    "2, 1-norm: 1\n"
    "col 0 : locations 0 to 0\n0 : 1\ncol 1 : locations 1 to 1\n1 : 1\n1 2 3\n0 0\n.1\n",
    "2\n0 2 2\n2 2\n1 2\n3 4\n5 6\n",
    "2\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n2 1 1 2\n-5 -6\n",
    "1 1 1 2\n0 1 3\n0 1\n0 3 3\n3 3\n1 4 7\n2 5 8\n3 6 9\n-1 -2 -3\n1  5 6 8 9  2 3  4 7  -1  -2 -3\n",
    "0 1 1 2\n1  5 6 8 9  2 3  4 7  -1  -2 -3\n",
    "2\n0 2 2\n2 2\n1 2\n3 4\n5 6\n-1 -1\n1 2\n",
    "cairn-problem 1\nunit 1\nbodies 1\n1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 1 2 3 0 0 0\n"
    "blocks 3\ncontact 3 1 .5 0\n-1 0 -inf inf\n0 0 -inf inf\n0 .5 -inf inf\n0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0\n"
    "equality 1 1 0 0\n0 1e-3 -inf inf\n0 0 0 0 1 0 0\nbounded 2 0 0 0\n1 1 -1 inf\n1 1 -inf 2\nend\n",
    "cairn-problem 1\nunit 2\nbodies 0\nblocks 2\nbounded 1 0 0 0\n-1 0 0 inf\nequality 1 0 0 0\n1 0 -inf inf\nmatrix 3\n"
    "2\n0 2 0 0 0 0 0 0 0 0\n1 1 0 0 0 0 0 0 0 0\n1\n1 3 0 0 0 0 0 0 0 0\nend\n",
};

static const char *const stored[] = { "friction/Confeti-ex13-4contact-Fc3D-SBM.dat",
                                      "friction/GFC3D_Example0_SBM.dat",
                                      "friction/GFC3D_Example0.dat",
                                      "friction/Rover1039.dat",
                                      "friction/GFC3D_TwoRods1-condensed.dat",
                                      "lcp/lcp_enum_fails.dat",
                                      "lcp/lcp_trivial_block.dat",
                                      "mlcp/relay2_mlcp.dat",
                                      "mlcp/PD_mlcp.dat",
                                      "friction/GFC3D_OneContact.dat" };

enum { WRITTEN_COUNT = sizeof written / sizeof *written, STORED_COUNT = sizeof stored / sizeof *stored };

static int collect_texts(text texts[WRITTEN_COUNT + STORED_COUNT])
{
    int count = 0;
    for (int i = 0; i < WRITTEN_COUNT; i++) {
        int length = (int)strlen(written[i]);
        texts[count] = (text){ malloc((size_t)length + 1), length };
        memcpy(texts[count++].data, written[i], (size_t)length);
    }
    for (int i = 0; i < STORED_COUNT; i++) {
        char path[512];
        if (!lab_file(stored[i], path, sizeof path))
            continue;
        FILE *file = fopen(path, "rb");
        char *data = malloc(LONGEST);
        int length = (int)fread(data, 1, LONGEST, file);
        fclose(file);
        texts[count++] = (text){ data, length };
    }
    return count;
}

// ---- damage

static uint64_t random_state = 2024;

static int random_below(int most)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return most > 0 ? (int)((random_state >> 33) % (uint64_t)most) : 0;
}

// Replaces `removed` characters at `at` with others.
static void replace(text *t, int at, int removed, const char *with, int length)
{
    removed = removed < t->length - at ? removed : t->length - at;
    if (t->length - removed + length > LONGEST)
        return;
    memmove(t->data + at + length, t->data + at + removed, (size_t)(t->length - at - removed));
    memcpy(t->data + at, with, (size_t)length);
    t->length += length - removed;
}

static void replace_word(text *t)
{
    static const char *const words[] = { "0",          "-1",  "1e308",  "nan",        "99999999999", "3",
                                         "2147483647", "inf", "1e-300", "1000000000", "0.5",         "-2147483649",
                                         ":",          "x",   "1e400",  "4294967297", "contact",     "1-by-1,",
                                         "9999-by-1,", "1",   "2",      "50000" };
    int at = random_below(t->length), end;
    while (at > 0 && t->data[at - 1] > ' ')
        at--;
    for (end = at; end < t->length && t->data[end] > ' ';)
        end++;
    const char *word = words[random_below((int)(sizeof words / sizeof *words))];
    replace(t, at, end - at, word, (int)strlen(word));
}

static void damage(text *t, const text *other)
{
    int at = random_below(t->length), length = 1 + random_below(20);
    char copy[64];
    switch (random_below(7)) {
    case 0:
        if (t->length > 0)
            t->data[at] = (char)(t->data[at] ^ 1 << random_below(8));
        break;
    case 1: replace(t, at, length, "", 0); break;
    case 2:
        length = length < t->length - at ? length : t->length - at;
        memcpy(copy, t->data + at, (size_t)length);
        replace(t, at, 0, copy, length);
        break;
    case 3:
    case 4: replace_word(t); break;
    case 5: t->length = at; break;
    default: {
        int from = random_below(other->length);
        replace(t, at, t->length, other->data + from, other->length - from);
    }
    }
}

// ---- what must hold

static void check_sound(const cn_problem *p)
{
    assert_non_null(p->row_starts);
    assert_true(p->unit > 0.0 && isfinite(p->unit));
    for (int i = 0; i < p->row_count; i++)
        assert_true(isfinite(p->q[i]));
    for (int e = 0; e < p->entry_count; e++)
        for (int k = 0; k < 9; k++)
            assert_true(isfinite(p->entries[e][k]));
    for (int i = 0; i < p->block_count; i++)
        assert_true(p->blocks[i].friction >= 0.0);
}

// What can be read can be solved, or refused: any solver, any law, a few iterations.
static void check_solvers(cn_problem *p, int which)
{
    enum { MOST_ROWS = 64 };
    int solvers = 0;
    while (cn_lab_solver_name(solvers) != NULL)
        solvers++;
    if (p->row_count > MOST_ROWS)
        return;
    double r[MOST_ROWS] = { 0.0 };
    cn_lab_options options = cn_lab_options_default();
    options.max_iterations = 10;
    options.law = (cn_law)(which / solvers % CN_LAW_COUNT);
    cn_lab_solve(p, cn_lab_solver_name(which % solvers), &options, r);
    for (int i = 0; i < p->row_count; i++)
        assert_true(isfinite(r[i]));
}

// Exactly as long as the text, so that reading behind its end is found out.
static bool try_to_read(const text *t, cn_problem_kind kind, int which)
{
    counter c = { 0 };
    cn_allocator allocator = { count_allocation, count_release, &c };
    char *exact = malloc((size_t)t->length + (t->length == 0));
    memcpy(exact, t->data, (size_t)t->length);
    cn_problem *p = cn_problem_parse(exact, (size_t)t->length, kind, &allocator, NULL);
    free(exact);
    bool read = p != NULL;
    if (read)
        check_sound(p);
    else
        assert_non_null(strstr(cn_last_error(), "line "));
    if (c.peak > 400000 + 300 * (size_t)t->length)
        fail_msg("%zu bytes were taken for a text of %d", c.peak, t->length);
    if (read)
        check_solvers(p, which);
    cn_problem_destroy(p);
    assert_int_equal(c.live, 0);
    return read;
}

static void damaged_files_are_refused_or_sound(void **state)
{
    (void)state;
    const char *wanted = getenv("CAIRN_MUTATIONS");
    int mutations = wanted != NULL ? atoi(wanted) : 5000, read = 0;
    text texts[WRITTEN_COUNT + STORED_COUNT], t = { malloc(LONGEST), 0 };
    int count = collect_texts(texts);
    for (int i = 0; i < WRITTEN_COUNT; i++)
        assert_true(try_to_read(&texts[i], CN_PROBLEM_ANY, i));
    for (int i = 0; i < mutations; i++) {
        const text *source = &texts[random_below(count)];
        memcpy(t.data, source->data, (size_t)source->length);
        t.length = source->length;
        for (int k = random_below(3); k >= 0; k--)
            damage(&t, &texts[random_below(count)]);
        read += try_to_read(&t, random_below(4) > 0 ? CN_PROBLEM_ANY : (cn_problem_kind)random_below(CN_PROBLEM_KIND_COUNT), i);
    }
    printf("%d damaged files, of which %d were still problems\n", mutations, read);
    for (int i = 0; i < count; i++)
        free(texts[i].data);
    free(t.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_files_are_refused_or_sound) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
