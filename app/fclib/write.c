// Writing FCLIB's HDF5 files: matrices by compressed columns.
#include "file.h"

#include "base/error.h"
#include "io/problem_export.h"
#include "model/sparse.h"

#include <hdf5.h>

// ---- datasets

static bool put(hid_t group, const char *name, hid_t type, int count, const void *data)
{
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = space >= 0 ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool good = set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0)
        H5Dclose(set);
    if (space >= 0)
        H5Sclose(space);
    return good;
}

static bool put_int(hid_t group, const char *name, int value) { return put(group, name, H5T_NATIVE_INT, 1, &value); }

static bool put_numbers(hid_t group, const char *name, const double *values, int count)
{
    return put(group, name, H5T_NATIVE_DOUBLE, count, values);
}

static hid_t make_group(hid_t where, const char *name)
{
    return H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

// ---- matrices

// The transpose, so that its rows are the columns.
static cn_sparse columns_of(const cn_block_matrix *m, cn_arena *arena)
{
    int count = 0, blocks = m->starts[m->row_count];
    const double *value = m->values;
    CN_ARRAY(cn_triplet) triplets = { 0 };
    for (int i = 0, e = 0; e < blocks; e++) {
        while (e >= m->starts[i + 1])
            i++;
        int j = m->columns[e];
        for (int column = j > 0 ? m->column_ends[j - 1] : 0; column < m->column_ends[j]; column++)
            for (int row = i > 0 ? m->row_ends[i - 1] : 0; row < m->row_ends[i]; row++)
                cn_array_push(arena->allocator, &triplets, (cn_triplet){ column, row, *value++ });
    }
    count = triplets.count;
    cn_sparse sparse = cn_sparse_make(arena, cn_block_matrix_columns(m), cn_block_matrix_rows(m), triplets.data, count);
    cn_array_free(arena->allocator, &triplets);
    return sparse;
}

static bool put_matrix(hid_t where, const char *name, const cn_block_matrix *m, cn_arena *arena)
{
    cn_sparse columns = columns_of(m, arena);
    int count = columns.starts[columns.row_count];
    hid_t group = make_group(where, name);
    if (group < 0)
        return false;
    bool good = put_int(group, "nzmax", count) && put_int(group, "m", columns.column_count) &&
                put_int(group, "n", columns.row_count) && put_int(group, "nz", -1) &&
                put(group, "p", H5T_NATIVE_INT, columns.row_count + 1, columns.starts) &&
                put(group, "i", H5T_NATIVE_INT, count, columns.columns) && put_numbers(group, "x", columns.values, count);
    H5Gclose(group);
    return good;
}

// ---- the two forms

static bool put_frictions(hid_t vectors, const cn_problem *p, cn_arena *arena)
{
    double *mu = cn_arena_array(arena, double, p->block_count);
    for (int i = 0; i < p->block_count; i++)
        mu[i] = p->blocks[i].friction;
    return put_numbers(vectors, "mu", mu, p->block_count);
}

static bool put_group(hid_t file, const cn_problem *p, const cn_global_matrices *global, cn_arena *arena)
{
    hid_t group = make_group(file, global ? "fclib_global" : "fclib_local");
    hid_t vectors = group >= 0 ? make_group(group, "vectors") : -1;
    bool good = vectors >= 0 && put_int(group, "spacedim", 3) && put_frictions(vectors, p, arena);
    if (global) {
        good = good && put_matrix(group, "M", &global->mass, arena) && put_matrix(group, "H", &global->jacobian, arena) &&
               put_numbers(vectors, "f", global->force, cn_block_matrix_rows(&global->mass)) &&
               put_numbers(vectors, "w", global->bias, p->row_count);
    } else if (good) {
        cn_block_matrix w = cn_export_matrix(p, arena);
        good = put_matrix(group, "W", &w, arena) && put_numbers(vectors, "q", p->q, p->row_count);
    }
    if (vectors >= 0)
        H5Gclose(vectors);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

// ---- solution and guesses

// Velocities of the bodies in the order of M: along the axes on which each can move.
static int moving_velocities(const cn_problem *p, const double *r, cn_arena *arena, double **v)
{
    double(*all)[6] = (double(*)[6])cn_arena_alloc(arena, sizeof(double[6]) * (size_t)(p->body_count + 1));
    int count = 0;
    cn_problem_velocities(p, r, all);
    *v = cn_arena_array(arena, double, 6 * p->body_count);
    for (int i = 0; i < 6 * p->body_count; i++)
        if (p->bodies[i / 6].inverse_mass[i % 6][i % 6] != 0.0)
            (*v)[count++] = all[i / 6][i % 6];
    return count;
}

static bool put_answer(hid_t where, const char *name, const cn_problem *p, bool global, const double *r, cn_arena *arena)
{
    double *u = cn_arena_array(arena, double, p->row_count), *v = NULL;
    hid_t group = make_group(where, name);
    if (group < 0)
        return false;
    cn_problem_multiply(p, r, u);
    for (int i = 0; i < p->row_count; i++)
        u[i] += p->q[i];
    int velocities = global ? moving_velocities(p, r, arena, &v) : 0;
    bool good = put_numbers(group, "r", r, p->row_count) && put_numbers(group, "u", u, p->row_count) &&
                (!global || put_numbers(group, "v", v, velocities));
    H5Gclose(group);
    return good;
}

static bool put_guess(hid_t file, const cn_problem *p, bool global, const double *guess, cn_arena *arena)
{
    hid_t group = make_group(file, "guesses");
    bool good = group >= 0 && put_int(group, "number_of_guesses", 1) && put_answer(group, "1", p, global, guess, arena);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

typedef struct answers {
    const double *r, *guess; // may be NULL
} answers;

static bool put_file(const char *path, const cn_problem *p, const cn_global_matrices *global, answers a, cn_arena *arena)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && put_group(file, p, global, arena) &&
                (!a.r || put_answer(file, "solution", p, global != NULL, a.r, arena)) &&
                (!a.guess || put_guess(file, p, global != NULL, a.guess, arena));
    if (file >= 0)
        good = H5Fclose(file) >= 0 && good;
    return good || cn_fail("%s: the file cannot be written", path);
}

bool cn_fclib_write_file(const char *path, const cn_problem *problem, const double *r, const double *guess)
{
    cn_problem_kind kind;
    if (!cn_export_kind(problem, problem->body_count > 0 ? CN_PROBLEM_GLOBAL : CN_PROBLEM_FRICTION, &kind))
        return false;
    cn_arena arena;
    cn_arena_init(&arena, problem->allocator);
    cn_global_matrices global;
    cn_problem *assembled = NULL;
    bool whole = kind == CN_PROBLEM_GLOBAL && cn_export_global(problem, &arena, &global), good = true;
    if (!whole && problem->row_starts == NULL) {
        assembled = cn_problem_copy(problem);
        good = cn_problem_assemble(assembled);
    }
    good = good && put_file(path, assembled ? assembled : problem, whole ? &global : NULL, (answers){ r, guess }, &arena);
    cn_problem_destroy(assembled);
    cn_arena_free(&arena);
    return good;
}
