#include "lab/body_rows.h"

#include <math.h>
#include <string.h>

// ---- G

// The lower factor of a positive semi-definite matrix; axes that do not move get none.
static void factor_mass(const double inverse_mass[6][6], double lower[6][6])
{
    memset(lower, 0, sizeof(double[6][6]));
    for (int j = 0; j < 6; j++) {
        double rest = inverse_mass[j][j];
        for (int k = 0; k < j; k++)
            rest -= lower[j][k] * lower[j][k];
        if (!(rest > 1e-14 * inverse_mass[j][j]))
            continue;
        lower[j][j] = sqrt(rest);
        for (int i = j + 1; i < 6; i++) {
            double sum = inverse_mass[i][j];
            for (int k = 0; k < j; k++)
                sum -= lower[i][k] * lower[j][k];
            lower[i][j] = sum / lower[j][j];
        }
    }
}

// The linear part of L alone: the angular part then says how far levers reach, in radii of gyration.
static void even_out(double lower[6][6])
{
    double largest = 0.0;
    for (int k = 0; k < 6; k++)
        largest = k < 3 || largest == 0.0 ? fmax(largest, lower[k][k]) : largest;
    for (int k = 0; largest > 0.0 && k < 36; k++)
        lower[k / 6][k % 6] /= largest;
}

static void fill_sides(cn_body_rows *rows, bool even)
{
    const cn_problem *p = rows->problem;
    for (int i = 0; i < p->side_count; i++) {
        double lower[6][6];
        factor_mass(p->bodies[p->sides[i].body].inverse_mass, lower);
        if (even)
            even_out(lower);
        for (int row = 0; row < CN_BLOCK_ROWS; row++) {
            for (int k = 0; k < 6; k++) {
                double sum = 0.0;
                for (int j = k; j < 6; j++)
                    sum += p->sides[i].jacobian[row][j] * lower[j][k];
                rows->g[i][row][k] = sum;
            }
        }
    }
}

// ---- the pattern: bodies that share a block

static int list_neighbours(const cn_problem *p, const int *starts, const int *blocks_of, int body, int *neighbours)
{
    int count = 0;
    neighbours[count++] = body;
    for (int e = starts[body]; e < starts[body + 1]; e++) {
        const cn_block *b = &p->blocks[blocks_of[e]];
        for (int side = b->first_side; side < b->first_side + b->side_count; side++) {
            int other = p->sides[side].body, at = count;
            while (at > 0 && neighbours[at - 1] > other)
                at--;
            if (at > 0 && neighbours[at - 1] == other)
                continue;
            memmove(neighbours + at + 1, neighbours + at, sizeof(int) * (size_t)(count - at));
            neighbours[at] = other;
            count++;
        }
    }
    return count;
}

static void make_pattern(cn_body_rows *rows, cn_arena *arena)
{
    const cn_problem *p = rows->problem;
    cn_problem *out = &rows->pattern;
    int n = p->body_count, *starts = cn_arena_array(arena, int, n + 1), *next = cn_arena_array(arena, int, n + 1);
    int *blocks_of = cn_arena_array(arena, int, p->side_count), *neighbours = cn_arena_array(arena, int, n + 1);
    memset(starts, 0, sizeof(int) * (size_t)(n + 1));
    for (int i = 0; i < p->side_count; i++)
        starts[p->sides[i].body + 1]++;
    for (int i = 0; i < n; i++)
        starts[i + 1] += starts[i];
    memcpy(next, starts, sizeof(int) * (size_t)(n + 1));
    for (int i = 0; i < p->block_count; i++)
        for (int side = p->blocks[i].first_side; side < p->blocks[i].first_side + p->blocks[i].side_count; side++)
            blocks_of[next[p->sides[side].body]++] = i;
    *out = (cn_problem){ .block_count = 2 * n, .row_count = 6 * n };
    out->blocks = cn_arena_array(arena, cn_block, 2 * n);
    out->row_starts = cn_arena_array(arena, int, 2 * n + 1);
    out->columns = cn_arena_array(arena, int, 4 * (n + 2 * p->side_count));
    out->row_starts[0] = 0;
    for (int i = 0; i < 2 * n; i++) {
        int count = list_neighbours(p, starts, blocks_of, i / 2, neighbours);
        out->blocks[i] = (cn_block){ .first_row = 3 * i, .rows = 3 };
        for (int k = 0; k < 2 * count; k++)
            out->columns[out->entry_count++] = 2 * neighbours[k / 2] + k % 2;
        out->row_starts[i + 1] = out->entry_count;
    }
    out->entries = (double(*)[9])cn_arena_alloc(arena, sizeof(double[9]) * (size_t)(out->entry_count + 1));
}

cn_body_rows cn_body_rows_create(const cn_problem *problem, bool even, cn_arena *arena)
{
    cn_body_rows rows = { .problem = problem };
    rows.g = (double(*)[CN_BLOCK_ROWS][6])cn_arena_alloc(arena,
                                                         sizeof(double[CN_BLOCK_ROWS][6]) * (size_t)(problem->side_count + 1));
    fill_sides(&rows, even);
    make_pattern(&rows, arena);
    rows.lu = cn_block_lu_create(arena, &rows.pattern);
    return rows;
}

// ---- products

void cn_body_rows_apply(const cn_body_rows *rows, int block, const double *x, double out[CN_BLOCK_ROWS])
{
    const cn_block *b = &rows->problem->blocks[block];
    for (int side = b->first_side; side < b->first_side + b->side_count; side++)
        for (int row = 0; row < b->rows; row++)
            for (int k = 0; k < 6; k++)
                out[row] += rows->g[side][row][k] * x[6 * rows->problem->sides[side].body + k];
}

void cn_body_rows_gather(const cn_body_rows *rows, int block, double factor, const double *r, double *x)
{
    const cn_block *b = &rows->problem->blocks[block];
    for (int side = b->first_side; side < b->first_side + b->side_count; side++)
        for (int row = 0; row < b->rows; row++)
            for (int k = 0; k < 6; k++)
                x[6 * rows->problem->sides[side].body + k] += factor * (rows->g[side][row][k] * r[row]);
}

// ---- the matrix

static int find_entry(const cn_problem *pattern, int row, int column)
{
    int low = pattern->row_starts[row], high = pattern->row_starts[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (pattern->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds G_a^T slope G_b to the entries of two bodies.
static void couple(cn_body_rows *rows, const double *slope, int a, int b)
{
    int body_a = rows->problem->sides[a].body, body_b = rows->problem->sides[b].body;
    double(*g)[CN_BLOCK_ROWS][6] = rows->g, half[CN_BLOCK_ROWS][6];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            half[i][k] = slope[3 * i] * g[b][0][k] + slope[3 * i + 1] * g[b][1][k] + slope[3 * i + 2] * g[b][2][k];
    for (int part = 0; part < 2; part++) {
        int entry = find_entry(&rows->pattern, 2 * body_a + part, 2 * body_b);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 6; k++) {
                double sum = 0.0;
                for (int row = 0; row < 3; row++)
                    sum += g[a][row][3 * part + i] * half[row][k];
                rows->pattern.entries[entry + k / 3][3 * i + k % 3] += sum;
            }
        }
    }
}

void cn_body_rows_factor(cn_body_rows *rows, const double (*slopes)[9], double shift)
{
    const cn_problem *p = rows->problem;
    memset(rows->pattern.entries, 0, sizeof(double[9]) * (size_t)rows->pattern.entry_count);
    for (int i = 0; i < p->block_count; i++) {
        int first = p->blocks[i].first_side, last = first + p->blocks[i].side_count;
        for (int a = first; a < last; a++)
            for (int b = first; b < last; b++)
                couple(rows, slopes[i], a, b);
    }
    cn_block_lu_factor(rows->lu, (const double(*)[9])rows->pattern.entries, shift);
}
