// Problem files: which kind a file is of, and what comes in which order in each kind.
#include "base/error.h"
#include "io/problem_build.h"
#include "io/problem_matrix.h"
#include "io/regular_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *cn_problem_kind_name(int kind)
{
    static const char *const names[] = { [CN_PROBLEM_ANY] = "any",
                                         [CN_PROBLEM_FRICTION] = "friction",
                                         [CN_PROBLEM_GLOBAL] = "global",
                                         [CN_PROBLEM_LCP] = "lcp",
                                         [CN_PROBLEM_MLCP] = "mlcp" };
    return kind >= 0 && kind < CN_PROBLEM_KIND_COUNT ? names[kind] : NULL;
}

// One attempt to read a text as a problem of some kind.
typedef struct reading {
    cn_scanner scan;
    cn_problem_kind kind; // wanted
    const cn_allocator *allocator;
    cn_arena arena;
    cn_problem_info info;
    cn_problem *problem; // once it has been read
} reading;

// `count` numbers from the arena; NULL when they are not there.
static double *scan_vector(reading *r, const char *name, int count)
{
    if (!cn_scan_room(&r->scan, name, count))
        return NULL;
    double *numbers = cn_arena_array(&r->arena, double, count);
    return cn_scan_numbers(&r->scan, name, numbers, count) ? numbers : NULL;
}

// Takes a problem that was built, or says why it could not be.
static bool finish(reading *r, cn_problem *problem)
{
    r->problem = problem;
    return problem != NULL || cn_scan_fail(&r->scan, "%s", cn_last_error());
}

static bool scan_square(reading *r, const char *name, const cn_matrix_header *h, int size, cn_sparse *matrix)
{
    if (h->row_count != size || h->column_count != size)
        return cn_scan_fail(&r->scan, "%s is %d by %d; it must be %d by %d", name, h->row_count, h->column_count, size, size);
    return cn_scan_matrix_body(&r->scan, name, h, &r->arena, matrix);
}

// ---- friction

static bool check_friction(reading *r, const double *mu)
{
    for (int i = 0; i < r->info.contacts; i++)
        if (!(mu[i] >= 0.0))
            return cn_scan_fail(&r->scan, "the friction of contact %d is %g; it must not be negative", i, mu[i]);
    return true;
}

static bool read_reduced(reading *r, const cn_sparse *w)
{
    r->info.kind = CN_PROBLEM_FRICTION;
    const double *q = scan_vector(r, "q", w->row_count);
    const double *mu = q != NULL ? scan_vector(r, "mu", r->info.contacts) : NULL;
    return mu != NULL && check_friction(r, mu) &&
           finish(r, cn_build_friction(r->allocator, r->info.dimension, r->info.contacts, w, q, mu));
}

static bool read_global(reading *r, const cn_sparse *m, const cn_matrix_header *h)
{
    r->info.kind = CN_PROBLEM_GLOBAL;
    int columns = r->info.dimension * r->info.contacts;
    if (h->row_count != m->row_count || h->column_count != columns)
        return cn_scan_fail(&r->scan, "H is %d by %d; with M of %d rows and %d contacts it must be %d by %d", h->row_count,
                            h->column_count, m->row_count, r->info.contacts, m->row_count, columns);
    cn_global_problem global = { .mass = *m };
    if (!cn_scan_matrix_body(&r->scan, "H", h, &r->arena, &global.jacobian))
        return false;
    global.force = scan_vector(r, "f", m->row_count);
    global.bias = global.force != NULL ? scan_vector(r, "w", columns) : NULL;
    const double *mu = global.bias != NULL ? scan_vector(r, "mu", r->info.contacts) : NULL;
    return mu != NULL && check_friction(r, mu) &&
           finish(r, cn_build_global(r->allocator, r->info.dimension, r->info.contacts, &global, mu));
}

// Whether a matrix H follows, as it does in the global form. Numbers of q that look like its header are too unlikely to matter.
static bool matrix_follows(const reading *r, const cn_sparse *m, cn_matrix_header *h)
{
    cn_scanner ahead = r->scan;
    return cn_scan_matrix_header(&ahead, "H", h) && h->row_count == m->row_count &&
           h->column_count == r->info.dimension * r->info.contacts;
}

// Both forms begin in the same way; what comes after the first matrix tells them apart.
static bool read_friction(reading *r)
{
    cn_matrix_header header;
    cn_sparse matrix;
    const char *name = r->kind == CN_PROBLEM_FRICTION ? "W" : r->kind == CN_PROBLEM_GLOBAL ? "M" : "the first matrix";
    if (!cn_scan_int(&r->scan, "the dimension", 2, 3, &r->info.dimension) ||
        !cn_scan_int(&r->scan, "the number of contacts", 0, INT_MAX / 3, &r->info.contacts) ||
        !cn_scan_room(&r->scan, "mu", r->info.contacts) || !cn_scan_matrix_header(&r->scan, name, &header))
        return false;
    int rows = r->info.dimension * r->info.contacts;
    if (!scan_square(r, name, &header, r->kind == CN_PROBLEM_FRICTION ? rows : header.row_count, &matrix))
        return false;
    cn_matrix_header second;
    bool global = r->kind == CN_PROBLEM_GLOBAL || (r->kind == CN_PROBLEM_ANY && matrix_follows(r, &matrix, &second));
    if (!global && header.row_count != rows)
        return cn_scan_fail(&r->scan, "a matrix of %d rows is neither W of %d contacts, nor M with a fitting H behind it",
                            header.row_count, r->info.contacts);
    if (!global)
        return read_reduced(r, &matrix);
    return cn_scan_matrix_header(&r->scan, "H", &second) && read_global(r, &matrix, &second);
}

// ---- linear complementarity

static bool read_lcp(reading *r)
{
    r->info.kind = CN_PROBLEM_LCP;
    cn_matrix_header header;
    cn_sparse m;
    int n;
    if (!cn_scan_int(&r->scan, "the number of rows", 0, INT_MAX - 1, &n) || !cn_scan_matrix_header(&r->scan, "M", &header) ||
        !scan_square(r, "M", &header, n, &m))
        return false;
    r->info.contacts = n;
    const double *q = scan_vector(r, "q", n);
    bool *equality = cn_arena_array(&r->arena, bool, n);
    memset(equality, 0, sizeof(bool) * (size_t)n);
    return q != NULL && finish(r, cn_build_lcp(r->allocator, &m, q, equality));
}

// Intervals of rows that are equalities (flag 0) or complementary (1).
static bool scan_intervals(reading *r, int n, int m, bool *equality)
{
    int *ends = cn_arena_array(&r->arena, int, n + m + 1), count = 0, flag, equalities = 0;
    if (!cn_scan_int(&r->scan, "the first row", 0, 0, &ends[0]))
        return false;
    while (ends[count] < n + m) {
        if (!cn_scan_int(&r->scan, "the end of an interval of rows", ends[count] + 1, n + m, &ends[count + 1]))
            return false;
        count++;
    }
    for (int i = 0; i < count; i++) {
        if (!cn_scan_int(&r->scan, "the flag of an interval of rows", 0, 1, &flag))
            return false;
        for (int row = ends[i]; row < ends[i + 1]; row++)
            equality[row] = flag == 0;
        equalities += flag == 0 ? ends[i + 1] - ends[i] : 0;
    }
    return equalities == n ||
           cn_scan_fail(&r->scan, "the intervals make %d rows equalities; the first numbers say %d", equalities, n);
}

// A, B, C, D, a, b, the matrices row by row: A u + C v + a = 0, w = D u + B v + b.
static bool scan_four_parts(reading *r, int n, int m, cn_sparse *matrix, const double **q)
{
    const struct {
        const char *name;
        int row, column, row_count, column_count;
    } parts[] = { { "A", 0, 0, n, n }, { "B", n, n, m, m }, { "C", 0, n, n, m }, { "D", n, 0, m, n } };
    int64_t size = (int64_t)n + m;
    if (!cn_scan_room(&r->scan, "A, B, C and D", size * size + size))
        return false;
    cn_triplet *triplets = cn_arena_array(&r->arena, cn_triplet, size * size);
    int count = 0;
    for (int p = 0; p < 4; p++) {
        for (int k = 0; k < parts[p].row_count * parts[p].column_count; k++) {
            double value;
            if (!cn_scan_number(&r->scan, parts[p].name, &value))
                return false;
            if (value != 0.0)
                triplets[count++] = (cn_triplet){ parts[p].row + k / parts[p].column_count,
                                                  parts[p].column + k % parts[p].column_count, value };
        }
    }
    *matrix = cn_sparse_make(&r->arena, n + m, n + m, triplets, count);
    return (*q = scan_vector(r, "a and b", n + m)) != NULL;
}

static bool read_mlcp(reading *r)
{
    r->info.kind = CN_PROBLEM_MLCP;
    int whole, parts, n, m;
    cn_sparse matrix;
    const double *q;
    if (!cn_scan_int(&r->scan, "the flag for one matrix", 0, 1, &whole) ||
        !cn_scan_int(&r->scan, "the flag for four matrices", whole == 0, 1, &parts) ||
        !cn_scan_int(&r->scan, "the number of equalities", 0, INT_MAX / 4, &n) ||
        !cn_scan_int(&r->scan, "the number of complementary rows", 0, INT_MAX / 4, &m) ||
        !cn_scan_room(&r->scan, "q", (int64_t)n + m))
        return false;
    bool *equality = cn_arena_array(&r->arena, bool, n + m);
    if (whole) {
        cn_matrix_header header;
        if (!scan_intervals(r, n, m, equality) || !cn_scan_matrix_header(&r->scan, "M", &header) ||
            !scan_square(r, "M", &header, n + m, &matrix) || (q = scan_vector(r, "q", n + m)) == NULL)
            return false;
    } else {
        for (int i = 0; i < n + m; i++)
            equality[i] = i < n;
        if (!scan_four_parts(r, n, m, &matrix, &q))
            return false;
    }
    r->info.contacts = n + m;
    return finish(r, cn_build_lcp(r->allocator, &matrix, q, equality));
}

// ---- the kinds in turn

// In this order: the beginning of a mixed problem can look like a small linear one, never the other way round.
static bool (*const readers[])(reading *r) = { read_friction, read_mlcp, read_lcp };

static bool may_be(int reader, cn_problem_kind kind)
{
    static const unsigned kinds[] = { 1u << CN_PROBLEM_FRICTION | 1u << CN_PROBLEM_GLOBAL, 1u << CN_PROBLEM_MLCP,
                                      1u << CN_PROBLEM_LCP };
    return kind == CN_PROBLEM_ANY || (kinds[reader] >> kind & 1u) != 0;
}

// Of several readings that all fail, the one that came furthest says what is wrong.
static cn_problem *parse(const char *source, const char *text, size_t length, cn_problem_kind kind,
                         const cn_allocator *allocator, cn_problem_info *info)
{
    cn_scanner best = cn_scanner_make(text, length);
    cn_problem *problem = NULL;
    for (int i = 0; i < (int)(sizeof readers / sizeof *readers) && problem == NULL; i++) {
        if (!may_be(i, kind))
            continue;
        reading r = { .scan = cn_scanner_make(text, length), .kind = kind, .allocator = allocator };
        cn_arena_init(&r.arena, allocator);
        if (readers[i](&r)) {
            problem = r.problem;
            if (info != NULL)
                *info = r.info;
        } else if (best.error[0] == '\0' || r.scan.at > best.at) {
            best = r.scan;
        }
        cn_arena_free(&r.arena);
    }
    if (problem == NULL)
        cn_fail("%s: %s", source, best.error);
    return problem;
}

cn_problem *cn_problem_parse(const char *text, size_t length, cn_problem_kind kind, const cn_allocator *allocator,
                             cn_problem_info *info)
{
    if ((unsigned)kind >= CN_PROBLEM_KIND_COUNT) {
        cn_fail("cn_problem_parse: kind is %d", (int)kind);
        return NULL;
    }
    if (!cn_check_pointer(__func__, "text", text) || !cn_check_allocator(__func__, "allocator", allocator))
        return NULL;
    return parse("cn_problem_parse", text, length, kind, allocator != NULL ? allocator : &cn_default_allocator, info);
}

// ---- files

// The whole of a file, in memory of the allocator. NULL, with the error set, when it cannot be read.
static char *load(const char *path, const cn_allocator *allocator, int *length, int *capacity)
{
    FILE *file = cn_regular_file_open(path);
    if (file == NULL)
        return NULL;
    CN_ARRAY(char) text = { 0 };
    size_t got;
    do {
        cn_array_reserve(allocator, &text, text.count + (1 << 16));
        got = fread(text.data + text.count, 1, 1 << 16, file);
        text.count += (int)got;
    } while (got > 0 && text.count < INT_MAX / 4);
    bool ok = ferror(file) ? cn_fail("%s: %s", path, strerror(errno))
                           : text.count < INT_MAX / 4 || cn_fail("%s: the file is longer than 512 MB", path);
    fclose(file);
    *length = text.count;
    *capacity = text.capacity;
    if (!ok)
        cn_array_free(allocator, &text);
    return text.data;
}

cn_problem *cn_problem_read(const char *path, cn_problem_kind kind, const cn_allocator *allocator, cn_problem_info *info)
{
    if ((unsigned)kind >= CN_PROBLEM_KIND_COUNT) {
        cn_fail("cn_problem_read: kind is %d", (int)kind);
        return NULL;
    }
    if (!cn_check_pointer(__func__, "path", path) || !cn_check_allocator(__func__, "allocator", allocator))
        return NULL;
    if (allocator == NULL)
        allocator = &cn_default_allocator;
    int length, capacity;
    char *text = load(path, allocator, &length, &capacity);
    if (text == NULL)
        return NULL;
    cn_problem *problem = parse(path, text, (size_t)length, kind, allocator, info);
    cn_release(allocator, text, (size_t)capacity);
    return problem;
}
