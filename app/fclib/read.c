// Reading FCLIB's HDF5 files: the groups /fclib_local (W, q, mu) and /fclib_global (M, H, f, w, mu).
#include "file.h"

#include "base/error.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Memory is not given back: the process ends after one file.
typedef struct source {
    hid_t file;
    double most; // numbers in a dataset: what the file can hold, even when it is compressed
} source;

typedef struct matrix {
    char name[48];
    int rows, columns, count;
    int kind; // >= 0 triplets, -1 compressed columns, -2 compressed rows
    int *starts, *indices;
    double *values;
} matrix;

// ---- datasets

static bool missing(const char *name) { return cn_fail("the dataset %s is missing, or cannot be read", name); }

// Reads a whole dataset of one dimension as `type`, of the class given. At least `least` elements.
static void *read_array(const source *s, const char *name, H5T_class_t class, hid_t type, size_t size, int least, int *count)
{
    hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    hid_t stored = set >= 0 ? H5Dget_type(set) : -1;
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    void *data = NULL;
    if (set < 0 || space < 0 || stored < 0 || points < 0)
        missing(name);
    else if (H5Tget_class(stored) != class || H5Tget_size(stored) > 16)
        cn_fail("the dataset %s does not hold %s", name, class == H5T_INTEGER ? "whole numbers" : "real numbers");
    else if (H5Sget_simple_extent_ndims(space) > 1)
        cn_fail("the dataset %s has several dimensions", name);
    else if (points < least || (double)points > s->most || points > INT_MAX / 2)
        cn_fail("the dataset %s has %lld numbers; at least %d are needed, and the file holds %.0f at most", name,
                (long long)points, least, s->most);
    else if (!(data = calloc((size_t)points + 1, size)) || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        missing(name);
        data = NULL;
    }
    if (data)
        *count = (int)points;
    return data;
}

static bool read_int(const source *s, const char *name, int least, int most, int *value)
{
    int count;
    const int *numbers = read_array(s, name, H5T_INTEGER, H5T_NATIVE_INT, sizeof(int), 1, &count);
    if (!numbers)
        return false;
    *value = numbers[0];
    if (*value < least || *value > most)
        return cn_fail("the dataset %s is %d; it must be from %d to %d", name, *value, least, most);
    return true;
}

static double *read_numbers(const source *s, const char *name, int least, int *count)
{
    double *numbers = read_array(s, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, sizeof(double), least, count);
    for (int i = 0; numbers && i < *count; ++i) {
        if (!isfinite(numbers[i])) {
            cn_fail("number %d of the dataset %s is not finite", i, name);
            return NULL;
        }
    }
    return numbers;
}

static bool exists(const source *s, const char *name) { return H5Lexists(s->file, name, H5P_DEFAULT) > 0; }

// ---- matrices

static const char *part(char path[64], const matrix *m, const char *name)
{
    snprintf(path, 64, "%s/%s", m->name, name);
    return path;
}

static bool check_range(const matrix *m, const char *name, const int *values, int count, int most)
{
    char path[64];
    for (int i = 0; i < count; ++i)
        if (values[i] < 0 || values[i] >= most)
            return cn_fail("number %d of the dataset %s is %d; it must be from 0 to %d", i, part(path, m, name), values[i],
                           most - 1);
    return true;
}

// Where compressed rows or columns start, ascending.
static bool check_starts(matrix *m, int lines, int stored)
{
    char path[64];
    for (int i = 0; i <= lines; ++i)
        if (m->starts[i] < (i > 0 ? m->starts[i - 1] : 0) || m->starts[i] > stored || (i == 0 && m->starts[i] != 0))
            return cn_fail("number %d of the dataset %s is %d, out of order", i, part(path, m, "p"), m->starts[i]);
    m->count = m->starts[lines];
    return true;
}

// In triplets i is the row and p the column, whatever the comment in FCLIB says: its files have it so.
static bool read_matrix(const source *s, matrix *m)
{
    char path[64];
    int nz, p_count, i_count, x_count, most = s->most < INT_MAX / 4 ? (int)s->most : INT_MAX / 4;
    if (!read_int(s, part(path, m, "m"), 0, most, &m->rows) || !read_int(s, part(path, m, "n"), 0, most, &m->columns) ||
        !read_int(s, part(path, m, "nz"), -2, most, &nz))
        return false;
    m->kind = nz;
    int lines = nz == -1 ? m->columns : m->rows;
    m->starts = read_array(s, part(path, m, "p"), H5T_INTEGER, H5T_NATIVE_INT, sizeof(int), nz >= 0 ? nz : lines + 1, &p_count);
    m->indices = m->starts
                     ? read_array(s, part(path, m, "i"), H5T_INTEGER, H5T_NATIVE_INT, sizeof(int), nz >= 0 ? nz : 0, &i_count)
                     : NULL;
    m->values = m->indices ? read_numbers(s, part(path, m, "x"), nz >= 0 ? nz : 0, &x_count) : NULL;
    if (!m->values)
        return false;
    if (nz >= 0) {
        m->count = nz;
        return check_range(m, "i", m->indices, nz, m->rows) && check_range(m, "p", m->starts, nz, m->columns);
    }
    return check_starts(m, lines, i_count < x_count ? i_count : x_count) &&
           check_range(m, "i", m->indices, m->count, nz == -1 ? m->rows : m->columns);
}

static void put_matrix(FILE *out, const matrix *m)
{
    fprintf(out, "2 %d %d\n1\nfrom HDF5\ntriplet: %d-by-%d, nzmax: %d nnz: %d\n", m->rows, m->columns, m->rows, m->columns,
            m->count, m->count);
    for (int k = 0, line = 0; k < m->count; ++k) {
        while (m->kind < 0 && k >= m->starts[line + 1])
            ++line;
        int across = m->indices[k], along = m->kind >= 0 ? m->starts[k] : line;
        fprintf(out, "%d %d : %.17g\n", m->kind == -2 ? along : across, m->kind == -2 ? across : along, m->values[k]);
    }
}

static void put_numbers(FILE *out, const double *numbers, int count)
{
    for (int i = 0; i < count; ++i)
        fprintf(out, "%.17g\n", numbers[i]);
}

// ---- the two forms

static bool begin(const source *s, const char *group, int *dimension, double **mu, int *contacts)
{
    char path[64];
    snprintf(path, sizeof path, "%s/spacedim", group);
    if (!read_int(s, path, 2, 5, dimension))
        return false;
    if (*dimension > 3)
        return cn_fail("the dataset %s is %d: a rolling friction problem, which is not read", path, *dimension);
    snprintf(path, sizeof path, "%s/vectors/mu", group);
    return (*mu = read_numbers(s, path, 0, contacts)) != NULL;
}

static bool check_size(const matrix *m, int rows, int columns)
{
    return (m->rows == rows && m->columns == columns) ||
           cn_fail("%s is %d by %d; it must be %d by %d", m->name, m->rows, m->columns, rows, columns);
}

static bool convert_local(const source *s, FILE *out)
{
    int dimension, contacts, count;
    double *mu, *q;
    matrix w = { .name = "/fclib_local/W" };
    if (exists(s, "/fclib_local/V") || exists(s, "/fclib_local/R"))
        return cn_fail("the problem has equalities besides its contacts (V and R), which are not read");
    if (!begin(s, "/fclib_local", &dimension, &mu, &contacts) || !read_matrix(s, &w) ||
        !check_size(&w, dimension * contacts, dimension * contacts) ||
        !(q = read_numbers(s, "/fclib_local/vectors/q", w.rows, &count)))
        return false;
    fprintf(out, "%d\n%d\n", dimension, contacts);
    put_matrix(out, &w);
    put_numbers(out, q, w.rows);
    put_numbers(out, mu, contacts);
    return true;
}

static bool convert_global(const source *s, FILE *out)
{
    int dimension, contacts, count;
    double *mu, *f, *w;
    matrix m = { .name = "/fclib_global/M" }, h = { .name = "/fclib_global/H" };
    if (exists(s, "/fclib_global/G"))
        return cn_fail("the problem has equalities besides its contacts (G), which are not read");
    if (!begin(s, "/fclib_global", &dimension, &mu, &contacts) || !read_matrix(s, &m) || !read_matrix(s, &h) ||
        !check_size(&m, m.rows, m.rows) || !check_size(&h, m.rows, dimension * contacts) ||
        !(f = read_numbers(s, "/fclib_global/vectors/f", m.rows, &count)) ||
        !(w = read_numbers(s, "/fclib_global/vectors/w", h.columns, &count)))
        return false;
    fprintf(out, "%d\n%d\n", dimension, contacts);
    put_matrix(out, &m);
    put_matrix(out, &h);
    put_numbers(out, f, m.rows);
    put_numbers(out, w, h.columns);
    put_numbers(out, mu, contacts);
    return true;
}

static bool open_source(const char *path, source *s)
{
    enum { COMPRESSION = 16 }; // at most, and 4 bytes in the smallest number
    struct stat status;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    s->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (s->file < 0 || stat(path, &status) != 0)
        return cn_fail("this is not a readable HDF5 file");
    s->most = COMPRESSION * (double)status.st_size / 4.0;
    return true;
}

bool cn_fclib_guess_to_text(const char *path, int number, FILE *out)
{
    source s;
    char group[48], name[64];
    int count;
    if (!open_source(path, &s))
        return false;
    snprintf(group, sizeof group, number > 0 ? "/guesses/%d" : "/solution", number);
    if ((number > 0 && !exists(&s, "/guesses")) || !exists(&s, group))
        return number > 0 ? cn_fail("the file has no guess %d", number) : cn_fail("the file has no solution");
    snprintf(name, sizeof name, "%s/r", group);
    const double *r = read_numbers(&s, name, 0, &count);
    if (!r)
        return false;
    fprintf(out, "%d\n", count);
    put_numbers(out, r, count);
    return true;
}

bool cn_fclib_to_text(const char *path, FILE *out)
{
    source s;
    if (!open_source(path, &s))
        return false;
    if (exists(&s, "/fclib_local"))
        return convert_local(&s, out);
    if (exists(&s, "/fclib_global"))
        return convert_global(&s, out);
    if (exists(&s, "/fclib_global_rolling") || exists(&s, "/fclib_local_rolling"))
        return cn_fail("this is a rolling friction problem (5 rows per contact), which is not read");
    return cn_fail("the file has neither a group fclib_local nor fclib_global");
}
