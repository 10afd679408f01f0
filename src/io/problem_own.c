// See docs/problem-files.md. A number has 17 digits, so that it comes back as it was.
#include "io/problem_own.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/problem_export.h"
#include "model/condense.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { VERSION = 1 };

static const char *const kinds[] = {
    [CN_BLOCK_CONTACT] = "contact", [CN_BLOCK_EQUALITY] = "equality", [CN_BLOCK_BOUNDED] = "bounded"
};

// ---- writing

static void put_bound(FILE *file, double value)
{
    if (isinf(value))
        fputs(value < 0.0 ? "-inf " : "inf ", file);
    else
        cn_put_number(file, value);
}

static void put_block(FILE *file, const cn_problem *p, const cn_block *b)
{
    fprintf(file, "%s %d %d ", kinds[b->kind], b->rows, b->side_count);
    cn_put_number(file, b->friction);
    cn_put_number(file, b->frozen);
    for (int row = b->first_row; row < b->first_row + b->rows; row++) {
        fputc('\n', file);
        cn_put_number(file, p->q[row]);
        cn_put_number(file, p->softness[row]);
        put_bound(file, p->lower[row]);
        put_bound(file, p->upper[row]);
    }
    for (int s = b->first_side; s < b->first_side + b->side_count; s++) {
        fprintf(file, "\n%d ", p->sides[s].body);
        for (int k = 0; k < 6 * b->rows; k++)
            cn_put_number(file, p->sides[s].jacobian[k / 6][k % 6]);
    }
    fputc('\n', file);
}

// Whether the matrix says what the bodies do not.
static bool has_own_matrix(const cn_problem *p)
{
    if (p->row_starts == NULL || p->body_count == 0)
        return p->row_starts != NULL;
    cn_problem *bare = cn_problem_copy(p);
    cn_model_body nothing = { .velocity = { 0.0 } };
    bool differs = cn_problem_add_body(bare, &nothing) < 0 || !cn_problem_assemble(bare); // a new body drops the matrix
    size_t blocks = (size_t)p->block_count, entries = (size_t)p->entry_count;
    differs = differs || bare->entry_count != p->entry_count ||
              memcmp(bare->row_starts, p->row_starts, sizeof(int) * (blocks + 1)) != 0 ||
              (entries > 0 && (memcmp(bare->columns, p->columns, sizeof(int) * entries) != 0 ||
                               memcmp(bare->entries, p->entries, sizeof(double[9]) * entries) != 0));
    cn_problem_destroy(bare);
    return differs;
}

static void put_matrix(FILE *file, const cn_problem *p)
{
    fprintf(file, "matrix %d\n", p->entry_count);
    for (int i = 0; i < p->block_count; i++) {
        fprintf(file, "%d\n", p->row_starts[i + 1] - p->row_starts[i]);
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            fprintf(file, "%d ", p->columns[e]);
            for (int k = 0; k < 9; k++)
                cn_put_number(file, p->entries[e][k]);
            fputc('\n', file);
        }
    }
}

void cn_put_own(FILE *file, const cn_problem *p)
{
    fprintf(file, CN_OWN_WORD " %d\nunit ", VERSION);
    cn_put_number(file, cn_problem_unit(p));
    fprintf(file, "\nbodies %d\n", p->body_count);
    for (int i = 0; i < p->body_count; i++) {
        for (int k = 0; k < 36; k++)
            cn_put_number(file, p->bodies[i].inverse_mass[k / 6][k % 6]);
        for (int k = 0; k < 6; k++)
            cn_put_number(file, p->bodies[i].velocity[k]);
        fputc('\n', file);
    }
    fprintf(file, "blocks %d\n", p->block_count);
    for (int i = 0; i < p->block_count; i++)
        put_block(file, p, &p->blocks[i]);
    if (has_own_matrix(p))
        put_matrix(file, p);
    fputs("end\n", file);
}

// ---- reading

typedef struct reading {
    cn_scanner *scan;
    cn_problem *problem;
} reading;

static bool built(reading *r, bool ok) { return ok || cn_scan_fail(r->scan, "%s", cn_last_error()); }

static bool scan_count(reading *r, const char *word, int least_numbers, int *count)
{
    return cn_scan_word(r->scan, word) && cn_scan_int(r->scan, word, 0, INT_MAX / 40, count) &&
           cn_scan_room(r->scan, word, (int64_t)*count * least_numbers);
}

static bool scan_bodies(reading *r)
{
    int count;
    if (!scan_count(r, "bodies", 42, &count))
        return false;
    for (int i = 0; i < count; i++) {
        cn_model_body body;
        if (!cn_scan_numbers(r->scan, "an inverse mass", &body.inverse_mass[0][0], 36) ||
            !cn_scan_numbers(r->scan, "a velocity", body.velocity, 6) || !built(r, cn_problem_add_body(r->problem, &body) >= 0))
            return false;
    }
    return true;
}

static bool scan_bound(cn_scanner *s, double *value)
{
    double sign = cn_scan_next_is(s, "-inf") ? -1.0 : cn_scan_next_is(s, "inf") ? 1.0 : 0.0;
    if (sign == 0.0)
        return cn_scan_number(s, "a bound", value);
    *value = sign * (double)INFINITY;
    return cn_scan_word(s, sign < 0.0 ? "-inf" : "inf");
}

static bool scan_kind(cn_scanner *s, cn_block_kind *kind)
{
    for (int i = 0; i < CN_BLOCK_KIND_COUNT; i++) {
        if (cn_scan_next_is(s, kinds[i])) {
            *kind = (cn_block_kind)i;
            return cn_scan_word(s, kinds[i]);
        }
    }
    return cn_scan_fail(s, "a block begins with contact, equality or bounded");
}

static bool scan_block(reading *r)
{
    cn_scanner *s = r->scan;
    cn_block_kind kind = CN_BLOCK_CONTACT;
    cn_block_def def;
    double q[CN_BLOCK_ROWS];
    if (!scan_kind(s, &kind))
        return false;
    def = cn_block_def_default(kind);
    if (!cn_scan_int(s, "the rows of a block", 1, CN_BLOCK_ROWS, &def.rows) ||
        !cn_scan_int(s, "the bodies of a block", 0, CN_BLOCK_SIDES, &def.side_count) ||
        !cn_scan_number(s, "friction", &def.friction) || !cn_scan_number(s, "a frozen impulse", &def.frozen))
        return false;
    if (!(def.friction >= 0.0 && def.frozen >= 0.0))
        return cn_scan_fail(s, "friction is %g and a frozen impulse %g; they must not be negative", def.friction, def.frozen);
    for (int i = 0; i < def.rows; i++)
        if (!cn_scan_number(s, "q", &q[i]) || !cn_scan_number(s, "softness", &def.softness[i]) ||
            !scan_bound(s, &def.lower[i]) || !scan_bound(s, &def.upper[i]))
            return false;
    for (int i = 0; i < def.side_count; i++)
        if (!cn_scan_int(s, "a body", 0, INT_MAX - 1, &def.sides[i].body) ||
            !cn_scan_numbers(s, "a jacobian", &def.sides[i].jacobian[0][0], 6 * def.rows))
            return false;
    int block = cn_problem_add_block(r->problem, &def);
    if (!built(r, block >= 0))
        return false;
    memcpy(r->problem->q + r->problem->blocks[block].first_row, q, sizeof(double) * (size_t)def.rows);
    return true;
}

static bool scan_matrix(reading *r)
{
    cn_arena arena;
    int count, blocks = r->problem->block_count;
    if (!scan_count(r, "matrix", 10, &count))
        return false;
    cn_arena_init(&arena, r->problem->allocator);
    int *starts = cn_arena_array(&arena, int, blocks + 1), *columns = cn_arena_array(&arena, int, count);
    double(*entries)[9] = (double(*)[9])cn_arena_alloc(&arena, sizeof(double[9]) * (size_t)(count + 1));
    bool ok = true;
    starts[0] = 0;
    for (int i = 0, at = 0, in_row; ok && i < blocks; i++) {
        ok = cn_scan_int(r->scan, "the entries of a block row", 0, count - at, &in_row);
        for (int end = ok ? at + in_row : at; ok && at < end; at++)
            ok = cn_scan_int(r->scan, "a block column", 0, blocks - 1, &columns[at]) &&
                 cn_scan_numbers(r->scan, "W", entries[at], 9);
        starts[i + 1] = at;
    }
    ok = ok && (starts[blocks] == count ||
                cn_scan_fail(r->scan, "the block rows have %d entries; the matrix should have %d", starts[blocks], count));
    ok = ok && built(r, cn_problem_set_matrix(r->problem, starts, columns, (const double(*)[9])entries));
    cn_arena_free(&arena);
    return ok;
}

// Blocks that act on the same body are coupled: as many entries of W as pairs of them.
static bool assemble(reading *r)
{
    const cn_problem *p = r->problem;
    int64_t entries = p->block_count;
    int *sides = cn_allocate(p->allocator, sizeof(int) * (size_t)(p->body_count + 1), 16);
    memset(sides, 0, sizeof(int) * (size_t)(p->body_count + 1));
    for (int s = 0; s < p->side_count; s++)
        sides[p->sides[s].body]++;
    for (int i = 0; i < p->body_count; i++)
        entries += (int64_t)sides[i] * sides[i];
    cn_release(p->allocator, sides, sizeof(int) * (size_t)(p->body_count + 1));
    if (entries > CN_CONDENSE_ENTRIES)
        return cn_scan_fail(r->scan, "W would have up to %lld blocks; at most %d", (long long)entries, CN_CONDENSE_ENTRIES);
    return built(r, cn_problem_assemble(r->problem));
}

static bool scan_all(reading *r)
{
    int version, count;
    double unit;
    if (!cn_scan_word(r->scan, CN_OWN_WORD) || !cn_scan_int(r->scan, "the version", VERSION, VERSION, &version) ||
        !cn_scan_word(r->scan, "unit") || !cn_scan_number(r->scan, "the unit", &unit) || !scan_bodies(r) ||
        !scan_count(r, "blocks", 9, &count))
        return false;
    if (!(unit > 0.0))
        return cn_scan_fail(r->scan, "the unit is %g; it must be above 0", unit);
    for (int i = 0; i < count; i++)
        if (!scan_block(r))
            return false;
    if (cn_scan_next_is(r->scan, "matrix") && !scan_matrix(r))
        return false;
    if (r->problem->row_starts == NULL && r->problem->side_count == 0 && r->problem->row_count > 0)
        return cn_scan_fail(r->scan, "there are neither bodies that the blocks act on nor a matrix");
    if (!cn_scan_word(r->scan, "end") || !assemble(r))
        return false;
    r->problem->unit = unit;
    return true;
}

cn_problem *cn_scan_own(cn_scanner *s, const cn_allocator *allocator, cn_problem_info *info)
{
    reading r = { s, cn_problem_create(allocator) };
    *info = (cn_problem_info){ .kind = CN_PROBLEM_CAIRN };
    if (!scan_all(&r)) {
        cn_problem_destroy(r.problem);
        return NULL;
    }
    for (int i = 0; i < r.problem->block_count; i++)
        info->contacts += r.problem->blocks[i].kind == CN_BLOCK_CONTACT;
    info->dimension = info->contacts > 0 ? 3 : 0;
    if (info->contacts == 0)
        info->contacts = r.problem->row_count;
    return r.problem;
}
