#include "lab/islands.h"

#include <math.h>
#include <string.h>

static int find_root(int *parents, int i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// For each block the number of its island, counted in the order of their first blocks. Returns how many there are.
static int number_islands(cn_arena *arena, const cn_problem *p, int *island_of)
{
    int *parents = cn_arena_array(arena, int, p->block_count), count = 0;
    for (int i = 0; i < p->block_count; i++)
        parents[i] = i;
    for (int i = 0; i < p->block_count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            int a = find_root(parents, i), b = find_root(parents, p->columns[e]);
            parents[a > b ? a : b] = a > b ? b : a; // the root is the first block
        }
    }
    for (int i = 0; i < p->block_count; i++) {
        int root = find_root(parents, i);
        island_of[i] = root == i ? count++ : island_of[root];
    }
    return count;
}

// Makes the block's own part of W, by its largest row sum, one; a block that does not answer stays as it is.
static double block_scale(const cn_problem *p, int i)
{
    double largest = 0.0;
    for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
        for (int k = 0; p->columns[e] == i && k < p->blocks[i].rows; k++) {
            const double *row = p->entries[e] + 3 * k;
            double sum = fabs(row[0]) + fabs(row[1]) + fabs(row[2]) + p->softness[p->blocks[i].first_row + k];
            largest = sum > largest ? sum : largest;
        }
    }
    return largest > 0.0 ? 1.0 / sqrt(largest) : 1.0;
}

// Where the next island's share of the common arrays begins.
typedef struct cursor {
    cn_block *blocks;
    int *numbers, *row_starts, *columns;
    double *scale, *q, *lower, *upper, *softness, (*entries)[9];
} cursor;

static cursor make_cursor(cn_arena *arena, const cn_problem *p, int island_count)
{
    cursor c = { .blocks = cn_arena_array(arena, cn_block, p->block_count),
                 .numbers = cn_arena_array(arena, int, p->block_count),
                 .row_starts = cn_arena_array(arena, int, p->block_count + island_count),
                 .columns = cn_arena_array(arena, int, p->entry_count + p->block_count),
                 .scale = cn_arena_array(arena, double, p->block_count),
                 .q = cn_arena_array(arena, double, p->row_count),
                 .lower = cn_arena_array(arena, double, p->row_count),
                 .upper = cn_arena_array(arena, double, p->row_count),
                 .softness = cn_arena_array(arena, double, p->row_count) };
    c.entries = (double(*)[9])cn_arena_alloc(arena, sizeof(double[9]) * (size_t)(p->entry_count + p->block_count));
    return c;
}

static void add_rows(cn_island *island, const cn_problem *p, int local)
{
    cn_problem *own = &island->problem;
    const cn_block *b = &p->blocks[island->blocks[local]];
    double scale = island->scale[local];
    own->blocks[local] = *b;
    own->blocks[local].first_row = own->row_count;
    own->blocks[local].side_count = 0;
    own->blocks[local].frozen = b->frozen / scale;
    for (int k = 0; k < b->rows; k++, own->row_count++) {
        own->q[own->row_count] = scale * p->q[b->first_row + k];
        own->lower[own->row_count] = p->lower[b->first_row + k] / scale;
        own->upper[own->row_count] = p->upper[b->first_row + k] / scale;
        own->softness[own->row_count] = 0.0;
    }
}

// The matrix of an island has every diagonal block, with the softness of its rows.
static void push_entry(cn_island *island, const cn_problem *p, int local, int other, const double *values)
{
    cn_problem *own = &island->problem;
    const cn_block *b = &p->blocks[island->blocks[local]];
    double *entry = own->entries[own->entry_count], scale = island->scale[local] * island->scale[other];
    own->columns[own->entry_count++] = other;
    for (int k = 0; k < 9; k++)
        entry[k] = values != NULL ? values[k] : 0.0;
    for (int k = 0; other == local && k < b->rows; k++)
        entry[4 * k] += p->softness[b->first_row + k];
    for (int k = 0; k < 9; k++)
        entry[k] *= scale;
}

static void add_entries(cn_island *island, const cn_problem *p, const int *local_of, int local)
{
    bool has_diagonal = false;
    int i = island->blocks[local];
    for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
        int other = local_of[p->columns[e]];
        if (other > local && !has_diagonal)
            push_entry(island, p, local, local, NULL);
        has_diagonal |= other >= local;
        push_entry(island, p, local, other, p->entries[e]);
    }
    if (!has_diagonal)
        push_entry(island, p, local, local, NULL);
    island->problem.row_starts[local + 1] = island->problem.entry_count;
}

static void fill_island(cn_island *island, const cn_problem *p, const int *local_of, cursor *c)
{
    cn_problem *own = &island->problem;
    own->q = c->q;
    own->lower = c->lower;
    own->upper = c->upper;
    own->softness = c->softness;
    own->row_starts = c->row_starts;
    own->columns = c->columns;
    own->entries = c->entries;
    own->unit = 1.0;
    own->allocator = p->allocator;
    own->row_starts[0] = 0;
    for (int k = 0; k < own->block_count; k++)
        add_rows(island, p, k);
    for (int k = 0; k < own->block_count; k++)
        add_entries(island, p, local_of, k);
    c->q += own->row_count;
    c->lower += own->row_count;
    c->upper += own->row_count;
    c->softness += own->row_count;
    c->row_starts += own->block_count + 1;
    c->columns += own->entry_count;
    c->entries += own->entry_count;
}

cn_islands cn_islands_create(cn_arena *arena, const cn_problem *p)
{
    int *island_of = cn_arena_array(arena, int, p->block_count), *local_of = cn_arena_array(arena, int, p->block_count);
    int count = number_islands(arena, p, island_of);
    cn_islands all = { count, cn_arena_array(arena, cn_island, count) };
    cursor c = make_cursor(arena, p, count);
    memset(all.islands, 0, sizeof(cn_island) * (size_t)count);
    for (int i = 0; i < p->block_count; i++)
        local_of[i] = all.islands[island_of[i]].problem.block_count++;
    for (int k = 0; k < count; k++) {
        cn_island *island = &all.islands[k];
        island->problem.blocks = c.blocks;
        island->blocks = c.numbers;
        island->scale = c.scale;
        c.blocks += island->problem.block_count;
        c.numbers += island->problem.block_count;
        c.scale += island->problem.block_count;
    }
    for (int i = 0; i < p->block_count; i++) {
        all.islands[island_of[i]].blocks[local_of[i]] = i;
        all.islands[island_of[i]].scale[local_of[i]] = block_scale(p, i);
    }
    for (int k = 0; k < count; k++)
        fill_island(&all.islands[k], p, local_of, &c);
    return all;
}

void cn_island_gather(const cn_island *island, const cn_problem *whole, const double *r, double *out)
{
    for (int k = 0; k < island->problem.block_count; k++) {
        const cn_block *own = &island->problem.blocks[k];
        for (int i = 0; i < own->rows; i++)
            out[own->first_row + i] = r[whole->blocks[island->blocks[k]].first_row + i] / island->scale[k];
    }
}

void cn_island_scatter(const cn_island *island, const cn_problem *whole, const double *r, double *out)
{
    for (int k = 0; k < island->problem.block_count; k++) {
        const cn_block *own = &island->problem.blocks[k];
        for (int i = 0; i < own->rows; i++)
            out[whole->blocks[island->blocks[k]].first_row + i] = r[own->first_row + i] * island->scale[k];
    }
}
