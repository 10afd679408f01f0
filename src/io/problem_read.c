// Problem files: which kind a file is of, and what comes in which order in each kind.
#include "base/error.h"
#include "io/problem_build.h"
#include "io/problem_matrix.h"
#include "io/problem_own.h"
#include "io/regular_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *cn_problem_kind_name(int kind)
{
    static const char *const names[] = {
        [CN_PROBLEM_ANY] = "any",    [CN_PROBLEM_FRICTION] = "friction", [CN_PROBLEM_GLOBAL] = "global",
        [CN_PROBLEM_LCP] = "lcp",    [CN_PROBLEM_MLCP] = "mlcp",         [CN_PROBLEM_RELAY] = "relay",
        [CN_PROBLEM_CAIRN] = "cairn"
    };
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
    bool certain;        // when it fails: it is a problem of this kind, and no other need be tried
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

// What stands behind the last number, if it is exactly so many numbers. NULL when it is anything else: a remark.
static double *scan_tail(reading *r, int64_t count)
{
    cn_scanner ahead = r->scan;
    if (count == 0 || count > INT_MAX / 2 || !cn_scan_room(&ahead, "the rest", count))
        return NULL;
    double *numbers = cn_arena_array(&r->arena, double, count);
    return cn_scan_numbers(&ahead, "the rest", numbers, (int)count) && cn_scan_at_end(&ahead) ? numbers : NULL;
}

// ---- friction

// The formats of two other problems begin as a friction problem does, and go on behind its end.
static bool check_tail(reading *r, const double *mu)
{
    int contacts = r->info.contacts;
    const double *cones = contacts == 1 && mu[0] == 0.0 ? scan_tail(r, 2) : NULL;
    const double *rolling = r->info.dimension == 3 ? scan_tail(r, contacts) : NULL;
    bool flag = contacts == 1 && rolling != NULL && (rolling[0] == 0.0 || rolling[0] == 1.0); // as old writers leave it
    for (int i = 0; rolling != NULL && i < contacts; i++)
        rolling = rolling[i] >= 0.0 ? rolling : NULL;
    r->certain = true;
    if (cones != NULL && cones[0] == r->info.dimension)
        return cn_scan_fail(&r->scan,
                            "this may be a problem of second-order cones, which is not read; if it is one of friction, "
                            "give its kind");
    if (rolling != NULL && !flag)
        return cn_scan_fail(&r->scan,
                            "this may be a rolling friction problem of the plane, which is not read; if the %d numbers "
                            "behind mu are a remark, give its kind",
                            contacts);
    return true;
}

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
    return mu != NULL && check_friction(r, mu) && (r->kind != CN_PROBLEM_ANY || check_tail(r, mu)) &&
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

// A problem of five rows per contact has its number of contacts and the storage of its matrix behind the dimension.
static bool is_rolling(const reading *r)
{
    cn_scanner ahead = r->scan;
    int number;
    return cn_scan_next_is(&ahead, "5") && cn_scan_int(&ahead, "", 5, 5, &number) &&
           cn_scan_int(&ahead, "", 0, INT_MAX / 5, &number) && cn_scan_int(&ahead, "", 0, 2, &number);
}

// Both forms begin in the same way; what comes after the first matrix tells them apart.
static bool read_friction(reading *r)
{
    cn_matrix_header header;
    cn_sparse matrix;
    r->certain = is_rolling(r);
    if (r->certain)
        return cn_scan_fail(&r->scan, "this is a rolling friction problem (5 rows per contact), which is not read");
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

// Bounds behind q, when the kind says so or when they can be nothing else. False when they cannot be read, or be told from a
// remark such as the solution.
static bool scan_bounds(reading *r, int n, const double **lower, const double **upper)
{
    const double *tail = r->kind == CN_PROBLEM_RELAY ? scan_vector(r, "the bounds", 2 * n) : scan_tail(r, 2 * (int64_t)n);
    bool ordered = tail != NULL, from_zero = tail != NULL;
    for (int i = 0; ordered && i < n; i++) {
        ordered = tail[i] <= tail[n + i];
        from_zero = from_zero && tail[i] == 0.0;
    }
    if (r->kind == CN_PROBLEM_RELAY && tail == NULL)
        return false;
    r->certain = true;
    if (r->kind == CN_PROBLEM_ANY && ordered && from_zero)
        return cn_scan_fail(&r->scan,
                            "the %d numbers behind q may be the bounds of a relay problem, or a remark: give its kind", 2 * n);
    if (r->kind == CN_PROBLEM_RELAY || (r->kind == CN_PROBLEM_ANY && ordered)) {
        r->info.kind = CN_PROBLEM_RELAY;
        *lower = tail;
        *upper = tail + n;
    }
    return true;
}

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
    const double *lower = NULL, *upper = NULL;
    return q != NULL && scan_bounds(r, n, &lower, &upper) &&
           finish(r, cn_build_lcp(r->allocator, &m, q, equality, lower, upper));
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
        if (!scan_intervals(r, n, m, equality) || !cn_scan_matrix_header(&r->scan, "M", &header))
            return false;
        r->certain = true; // intervals and a matrix behind them are no accident
        if (header.row_count != header.column_count)
            return cn_scan_fail(&r->scan, "M is %d by %d: rectangular mixed problems are not read", header.row_count,
                                header.column_count);
        if (!scan_square(r, "M", &header, n + m, &matrix) || (q = scan_vector(r, "q", n + m)) == NULL)
            return false;
    } else {
        for (int i = 0; i < n + m; i++)
            equality[i] = i < n;
        if (!scan_four_parts(r, n, m, &matrix, &q))
            return false;
    }
    r->info.contacts = n + m;
    return finish(r, cn_build_lcp(r->allocator, &matrix, q, equality, NULL, NULL));
}

static bool read_own(reading *r)
{
    r->certain = cn_scan_next_is(&r->scan, CN_OWN_WORD);
    r->problem = cn_scan_own(&r->scan, r->allocator, &r->info);
    return r->problem != NULL;
}

// ---- the kinds in turn

// In this order: the beginning of a mixed problem can look like a small linear one, never the other way round.
static bool (*const readers[])(reading *r) = { read_friction, read_mlcp, read_lcp, read_own };

static bool may_be(int reader, cn_problem_kind kind)
{
    static const unsigned kinds[] = { 1u << CN_PROBLEM_FRICTION | 1u << CN_PROBLEM_GLOBAL, 1u << CN_PROBLEM_MLCP,
                                      1u << CN_PROBLEM_LCP | 1u << CN_PROBLEM_RELAY, 1u << CN_PROBLEM_CAIRN };
    return kind == CN_PROBLEM_ANY || (kinds[reader] >> kind & 1u) != 0;
}

// Of several readings that all fail, the one that came furthest says what is wrong, or the one that is certain.
static cn_problem *parse(const char *source, const char *text, size_t length, cn_problem_kind kind,
                         const cn_allocator *allocator, cn_problem_info *info)
{
    cn_scanner best = cn_scanner_make(text, length);
    cn_problem *problem = NULL;
    bool certain = false;
    for (int i = 0; i < (int)(sizeof readers / sizeof *readers) && problem == NULL && !certain; i++) {
        if (!may_be(i, kind))
            continue;
        reading r = { .scan = cn_scanner_make(text, length), .kind = kind, .allocator = allocator };
        cn_arena_init(&r.arena, allocator);
        if (readers[i](&r)) {
            problem = r.problem;
            if (info != NULL)
                *info = r.info;
        } else if (best.error[0] == '\0' || r.scan.at > best.at || r.certain) {
            best = r.scan;
        }
        certain = r.certain;
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
