// Sparse matrices: sorting triplets, transposing, looking up.
#include "model/sparse.h"

#include <string.h>

static cn_sparse allocate_sparse(cn_arena *arena, int row_count, int column_count, int count)
{
    cn_sparse m = { row_count, column_count, cn_arena_array(arena, int, row_count + 1), cn_arena_array(arena, int, count),
                    cn_arena_array(arena, double, count) };
    memset(m.starts, 0, sizeof(int) * (size_t)(row_count + 1));
    return m;
}

// Starts from counts: starts[i + 1] holds the count of row i. Returns where each row is to be filled next.
static int *accumulate(cn_arena *arena, cn_sparse *m)
{
    for (int i = 0; i < m->row_count; i++)
        m->starts[i + 1] += m->starts[i];
    int *next = cn_arena_array(arena, int, m->row_count);
    memcpy(next, m->starts, sizeof(int) * (size_t)m->row_count);
    return next;
}

cn_sparse cn_sparse_transpose(cn_arena *arena, const cn_sparse *m)
{
    int count = m->starts[m->row_count];
    cn_sparse t = allocate_sparse(arena, m->column_count, m->row_count, count);
    for (int e = 0; e < count; e++)
        t.starts[m->columns[e] + 1]++;
    int *next = accumulate(arena, &t);
    for (int i = 0; i < m->row_count; i++) {
        for (int e = m->starts[i]; e < m->starts[i + 1]; e++) {
            int at = next[m->columns[e]]++;
            t.columns[at] = i;
            t.values[at] = m->values[e];
        }
    }
    return t;
}

static void merge_equal_places(cn_sparse *m)
{
    int count = 0;
    for (int i = 0; i < m->row_count; i++) {
        int first = count, e = m->starts[i];
        for (m->starts[i] = first; e < m->starts[i + 1]; e++) {
            if (count > first && m->columns[count - 1] == m->columns[e]) {
                m->values[count - 1] += m->values[e];
                continue;
            }
            m->columns[count] = m->columns[e];
            m->values[count++] = m->values[e];
        }
    }
    m->starts[m->row_count] = count;
}

// Two passes of counting sort, each of which keeps the order of equals: by row, and by column through two transpositions.
cn_sparse cn_sparse_make(cn_arena *arena, int row_count, int column_count, const cn_triplet *triplets, int count)
{
    cn_sparse by_column = allocate_sparse(arena, column_count, row_count, count);
    for (int k = 0; k < count; k++)
        by_column.starts[triplets[k].column + 1]++;
    int *next = accumulate(arena, &by_column);
    for (int k = 0; k < count; k++) {
        int at = next[triplets[k].column]++;
        by_column.columns[at] = triplets[k].row;
        by_column.values[at] = triplets[k].value;
    }
    cn_sparse m = cn_sparse_transpose(arena, &by_column);
    merge_equal_places(&m);
    return m;
}

double cn_sparse_at(const cn_sparse *m, int row, int column)
{
    int low = m->starts[row], high = m->starts[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (m->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->starts[row + 1] && m->columns[low] == column ? m->values[low] : 0.0;
}
