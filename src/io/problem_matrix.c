// Matrices of problem files. Dense ones and blocks are stored column by column, although files break lines as if by rows.
#include "io/problem_matrix.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool scan_sizes(cn_scanner *s, const char *name, cn_matrix_header *h)
{
    char what[60];
    snprintf(what, sizeof what, "the number of rows of %s", name);
    if (!cn_scan_int(s, what, 0, INT_MAX - 1, &h->row_count))
        return false;
    snprintf(what, sizeof what, "the number of columns of %s", name);
    return cn_scan_int(s, what, 0, INT_MAX - 1, &h->column_count);
}

// A dense matrix gives its sizes twice; the second ones count.
bool cn_scan_matrix_header(cn_scanner *s, const char *name, cn_matrix_header *h)
{
    char what[60];
    snprintf(what, sizeof what, "the storage of %s", name);
    return cn_scan_int(s, what, 0, 2, &h->storage) && scan_sizes(s, name, h) && (h->storage != 0 || scan_sizes(s, name, h));
}

// ---- storage 0: dense

static bool scan_dense(cn_scanner *s, const char *name, const cn_matrix_header *h, cn_arena *arena, cn_sparse *matrix)
{
    int64_t most = (int64_t)h->row_count * h->column_count;
    if (!cn_scan_room(s, name, most))
        return false;
    cn_triplet *triplets = cn_arena_array(arena, cn_triplet, most);
    int count = 0;
    for (int column = 0; column < h->column_count; column++) {
        for (int row = 0; row < h->row_count; row++) {
            double value;
            if (!cn_scan_number(s, name, &value))
                return false;
            if (value != 0.0)
                triplets[count++] = (cn_triplet){ row, column, value };
        }
    }
    *matrix = cn_sparse_make(arena, h->row_count, h->column_count, triplets, count);
    return true;
}

// ---- storage 1: blocks

typedef struct block_table {
    int block_count, row_count, column_count; // in blocks
    int *row_ends, *column_ends;
    int *starts, *columns;
} block_table;

// Ends of block rows or columns: ascending, the last one is the size of the matrix.
static bool scan_ends(cn_scanner *s, const char *what, int size, int *ends, int count)
{
    for (int i = 0; i < count; i++)
        if (!cn_scan_int(s, what, i > 0 ? ends[i - 1] : 0, size, &ends[i]))
            return false;
    if ((count > 0 ? ends[count - 1] : 0) != size)
        return cn_scan_fail(s, "%s: the blocks end at %d, the matrix at %d", what, count > 0 ? ends[count - 1] : 0, size);
    return true;
}

static bool scan_places(cn_scanner *s, block_table *t)
{
    int starts, entries;
    if (!cn_scan_int(s, "the number of block row starts", t->row_count + 1, t->row_count + 1, &starts) ||
        !cn_scan_int(s, "the number of block columns", t->block_count, t->block_count, &entries) ||
        !cn_scan_int(s, "the first block row start", 0, 0, &t->starts[0]))
        return false;
    for (int i = 0; i < t->row_count; i++)
        if (!cn_scan_int(s, "a block row start", t->starts[i], t->block_count, &t->starts[i + 1]))
            return false;
    if (t->starts[t->row_count] != t->block_count)
        return cn_scan_fail(s, "the block rows end at block %d of %d", t->starts[t->row_count], t->block_count);
    for (int i = 0; i < t->row_count; i++)
        for (int e = t->starts[i]; e < t->starts[i + 1]; e++)
            if (!cn_scan_int(s, "the column of a block (they ascend in a row)", e > t->starts[i] ? t->columns[e - 1] + 1 : 0,
                             t->column_count - 1, &t->columns[e]))
                return false;
    return true;
}

static bool scan_block_table(cn_scanner *s, const char *name, const cn_matrix_header *h, cn_arena *arena, block_table *t)
{
    if (!cn_scan_int(s, "the number of blocks", 0, INT_MAX - 1, &t->block_count))
        return false;
    if (t->block_count == 0)
        return true;
    if (!cn_scan_int(s, "the number of block rows", 0, INT_MAX - 1, &t->row_count) ||
        !cn_scan_int(s, "the number of block columns", 0, INT_MAX - 1, &t->column_count) ||
        !cn_scan_room(s, name, (int64_t)t->row_count + t->column_count + t->block_count))
        return false;
    t->row_ends = cn_arena_array(arena, int, t->row_count);
    t->column_ends = cn_arena_array(arena, int, t->column_count);
    t->starts = cn_arena_array(arena, int, t->row_count + 1);
    t->columns = cn_arena_array(arena, int, t->block_count);
    return scan_ends(s, "the end of a block row", h->row_count, t->row_ends, t->row_count) &&
           scan_ends(s, "the end of a block column", h->column_count, t->column_ends, t->column_count) && scan_places(s, t);
}

static int start_of(const int *ends, int i) { return i > 0 ? ends[i - 1] : 0; }

static int64_t numbers_in_blocks(const block_table *t)
{
    int64_t count = 0;
    for (int i = 0; i < t->row_count; i++)
        for (int e = t->starts[i]; e < t->starts[i + 1]; e++)
            count += (int64_t)(t->row_ends[i] - start_of(t->row_ends, i)) *
                     (t->column_ends[t->columns[e]] - start_of(t->column_ends, t->columns[e]));
    return count;
}

static bool scan_blocks(cn_scanner *s, const char *name, const cn_matrix_header *h, cn_arena *arena, cn_sparse *matrix)
{
    block_table t = { 0 };
    if (!scan_block_table(s, name, h, arena, &t) || !cn_scan_room(s, name, numbers_in_blocks(&t)))
        return false;
    cn_triplet *triplets = cn_arena_array(arena, cn_triplet, numbers_in_blocks(&t));
    int count = 0;
    for (int i = 0; i < t.row_count; i++) {
        for (int e = t.starts[i], number; e < t.starts[i + 1]; e++) {
            if (!cn_scan_int(s, "the number of a block", e, e, &number))
                return false;
            int j = t.columns[e];
            for (int column = start_of(t.column_ends, j); column < t.column_ends[j]; column++) {
                for (int row = start_of(t.row_ends, i); row < t.row_ends[i]; row++, count++) {
                    triplets[count] = (cn_triplet){ row, column, 0.0 };
                    if (!cn_scan_number(s, name, &triplets[count].value))
                        return false;
                }
            }
        }
    }
    *matrix = cn_sparse_make(arena, h->row_count, h->column_count, triplets, count);
    return true;
}

// ---- storage 2: sparse, as CSparse prints it

enum { ORIGIN_TRIPLET = 1, ORIGIN_COLUMNS, ORIGIN_ROWS, ORIGIN_HALF_TRIPLET };

static bool scan_triplets(cn_scanner *s, const char *name, const cn_matrix_header *h, bool half, cn_triplet *triplets,
                          int *count)
{
    int lines = *count;
    for (int k = *count = 0; k < lines; k++) {
        cn_triplet *t = &triplets[(*count)++];
        if (!cn_scan_int(s, "a row", 0, h->row_count - 1, &t->row) ||
            !cn_scan_int(s, "a column", 0, h->column_count - 1, &t->column) || !cn_scan_word(s, ":") ||
            !cn_scan_number(s, name, &t->value))
            return false;
        if (half && t->row != t->column)
            triplets[(*count)++] = (cn_triplet){ t->column, t->row, t->value };
    }
    return true;
}

// "col 0 : locations 0 to 2", then the entries; the same with "row".
static bool scan_compressed(cn_scanner *s, const char *name, const cn_matrix_header *h, bool rows, cn_triplet *triplets,
                            int count)
{
    int lines = rows ? h->row_count : h->column_count, across = rows ? h->column_count : h->row_count;
    int done = 0;
    for (int line = 0; line < lines; line++) {
        int index, first, last;
        if (!cn_scan_word(s, rows ? "row" : "col") || !cn_scan_int(s, "its index", line, line, &index) ||
            !cn_scan_word(s, ":") || !cn_scan_word(s, "locations") ||
            !cn_scan_int(s, "its first location", done, done, &first) || !cn_scan_word(s, "to") ||
            !cn_scan_int(s, "its last location", first - 1, count - 1, &last))
            return false;
        for (; done <= last; done++) {
            cn_triplet *t = &triplets[done];
            if (!cn_scan_int(s, "the index of an entry", 0, across - 1, rows ? &t->column : &t->row) || !cn_scan_word(s, ":") ||
                !cn_scan_number(s, name, &t->value))
                return false;
            *(rows ? &t->row : &t->column) = line;
        }
    }
    return done == count || cn_scan_fail(s, "%s has %d entries; its header says %d", name, done, count);
}

// A banner, then "R-by-C, nzmax: N nnz: Z" with a word before or behind it.
static bool scan_sparse_header(cn_scanner *s, const char *name, const cn_matrix_header *h, int *count)
{
    char sizes[40];
    int room;
    snprintf(sizes, sizeof sizes, "%d-by-%d,", h->row_count, h->column_count);
    if (!cn_scan_skip_to(s, "-by-"))
        return cn_scan_fail(s, "%s: the file ends before the header 'R-by-C, nzmax: N nnz: Z' of sparse storage", name);
    if (!cn_scan_word(s, sizes) || !cn_scan_word(s, "nzmax:") || !cn_scan_int(s, "nzmax", 0, INT_MAX, &room) ||
        !cn_scan_word(s, "nnz:") || !cn_scan_int(s, "nnz", 0, INT_MAX / 2, count))
        return false;
    cn_scan_line(s);
    return cn_scan_room(s, name, *count);
}

static bool scan_sparse(cn_scanner *s, const char *name, const cn_matrix_header *h, cn_arena *arena, cn_sparse *matrix)
{
    int origin, count;
    if (!cn_scan_int(s, "the kind of sparse storage", ORIGIN_TRIPLET, ORIGIN_HALF_TRIPLET, &origin) ||
        !scan_sparse_header(s, name, h, &count))
        return false;
    bool half = origin == ORIGIN_HALF_TRIPLET;
    if (half && h->row_count != h->column_count)
        return cn_scan_fail(s, "%s is given by one half, but has %d rows and %d columns", name, h->row_count, h->column_count);
    cn_triplet *triplets = cn_arena_array(arena, cn_triplet, half ? 2 * count : count);
    if (origin == ORIGIN_TRIPLET || half ? !scan_triplets(s, name, h, half, triplets, &count)
                                         : !scan_compressed(s, name, h, origin == ORIGIN_ROWS, triplets, count))
        return false;
    *matrix = cn_sparse_make(arena, h->row_count, h->column_count, triplets, count);
    return true;
}

bool cn_scan_matrix_body(cn_scanner *s, const char *name, const cn_matrix_header *h, cn_arena *arena, cn_sparse *matrix)
{
    // Each row and column of a matrix has a number somewhere behind it.
    if (!cn_scan_room(s, name, h->row_count) || !cn_scan_room(s, name, h->column_count))
        return false;
    switch (h->storage) {
    case 0: return scan_dense(s, name, h, arena, matrix);
    case 1: return scan_blocks(s, name, h, arena, matrix);
    default: return scan_sparse(s, name, h, arena, matrix);
    }
}
