// From scalar matrices to blocks.
#include "io/problem_build.h"

#include <limits.h>
#include <string.h>

// ---- the matrix by blocks

// Collects block row i of w, with `size` rows and columns per block: the columns of blocks that hold an entry, ascending, and
// always the diagonal. Entries may be NULL to count only.
static int collect_block_row(const cn_sparse *w, int size, int i, int *columns, double (*entries)[9])
{
    int at[3], count = 0;
    for (int k = 0; k < size; k++)
        at[k] = w->starts[size * i + k];
    for (bool diagonal_left = true;; count++) {
        int next = diagonal_left ? i : INT_MAX;
        for (int k = 0; k < size; k++)
            if (at[k] < w->starts[size * i + k + 1] && w->columns[at[k]] / size < next)
                next = w->columns[at[k]] / size;
        if (next == INT_MAX)
            return count;
        diagonal_left = diagonal_left && next != i;
        if (entries != NULL) {
            columns[count] = next;
            memset(entries[count], 0, sizeof entries[count]);
        }
        for (int k = 0; k < size; k++)
            for (; at[k] < w->starts[size * i + k + 1] && w->columns[at[k]] / size == next; at[k]++)
                if (entries != NULL)
                    entries[count][3 * k + w->columns[at[k]] % size] = w->values[at[k]];
    }
}

static double mean_diagonal(const cn_sparse *w)
{
    double sum = 0.0;
    for (int i = 0; i < w->row_count; i++)
        sum += cn_sparse_at(w, i, i);
    double mean = w->row_count > 0 ? sum / w->row_count : 0.0;
    return mean > 0.0 ? mean : 1.0;
}

// A contact in the plane gets a second tangent that nothing moves: coupled to nothing, as heavy as the rest on average.
static bool set_matrix(cn_problem *p, const cn_sparse *w, int size)
{
    cn_arena arena;
    cn_arena_init(&arena, p->allocator);
    int *starts = cn_arena_array(&arena, int, p->block_count + 1);
    starts[0] = 0;
    for (int i = 0; i < p->block_count; i++)
        starts[i + 1] = starts[i] + collect_block_row(w, size, i, NULL, NULL);
    int count = starts[p->block_count];
    int *columns = cn_arena_array(&arena, int, count);
    double(*entries)[9] = (double(*)[9])cn_arena_alloc(&arena, sizeof(double[9]) * (size_t)(count > 0 ? count : 1));
    double extra = size == 2 ? mean_diagonal(w) : 0.0;
    for (int i = 0; i < p->block_count; i++) {
        collect_block_row(w, size, i, columns + starts[i], entries + starts[i]);
        for (int e = starts[i]; size == 2 && e < starts[i + 1]; e++)
            if (columns[e] == i)
                entries[e][8] = extra;
    }
    bool ok = cn_problem_set_matrix(p, starts, columns, (const double(*)[9])entries);
    cn_arena_free(&arena);
    return ok;
}

static cn_problem *finish(cn_problem *p, bool ok)
{
    if (ok)
        return p;
    cn_problem_destroy(p);
    return NULL;
}

// ---- the kinds

cn_problem *cn_build_friction(const cn_allocator *allocator, int dimension, int contact_count, const cn_sparse *w,
                              const double *q, const double *mu)
{
    cn_problem *p = cn_problem_create(allocator);
    for (int i = 0; i < contact_count; i++) {
        cn_block_def def = cn_block_def_default(CN_BLOCK_CONTACT);
        def.friction = mu[i];
        memcpy(def.bias, q + dimension * i, sizeof(double) * (size_t)dimension);
        if (cn_problem_add_block(p, &def) < 0)
            return finish(p, false);
    }
    return finish(p, set_matrix(p, w, dimension));
}

cn_problem *cn_build_lcp(const cn_allocator *allocator, const cn_sparse *m, const double *q, const bool *equality,
                         const double *lower, const double *upper)
{
    cn_problem *p = cn_problem_create(allocator);
    for (int i = 0; i < m->row_count; i++) {
        cn_block_def def = cn_block_def_default(equality[i] ? CN_BLOCK_EQUALITY : CN_BLOCK_BOUNDED);
        def.bias[0] = q[i];
        if (lower != NULL) {
            def.lower[0] = lower[i];
            def.upper[0] = upper[i];
        }
        if (cn_problem_add_block(p, &def) < 0)
            return finish(p, false);
    }
    return finish(p, set_matrix(p, m, 1));
}

static cn_problem *build_condensed(const cn_allocator *allocator, int dimension, int contact_count,
                                   const cn_global_problem *global, const double *mu)
{
    cn_arena arena;
    cn_arena_init(&arena, allocator);
    cn_sparse w;
    double *q = cn_arena_array(&arena, double, global->jacobian.column_count);
    cn_problem *p =
        cn_condense(global, &arena, &w, q) ? cn_build_friction(allocator, dimension, contact_count, &w, q, mu) : NULL;
    cn_arena_free(&arena);
    return p;
}

cn_problem *cn_build_global(const cn_allocator *allocator, int dimension, int contact_count, const cn_global_problem *global,
                            const double *mu)
{
    if (dimension == 3) {
        cn_problem *p = cn_problem_create(allocator);
        bool done;
        if (!cn_condense_to_bodies(global, mu, p, &done))
            return finish(p, false);
        if (done)
            return finish(p, cn_problem_assemble(p));
        cn_problem_destroy(p);
    }
    return build_condensed(allocator, dimension, contact_count, global, mu);
}
