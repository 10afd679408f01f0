// Projected Gauss-Seidel in the order of a graph colouring: blocks of one colour do not move each other, so they may be solved
// at the same time and in any order. The colouring is greedy, in the order of the blocks (Welsh and Powell 1967 without their
// sorting).
#include "lab/sweep.h"

#include <string.h>

// For every block those that move it or that it moves. W need not be symmetric, so both directions are listed.
typedef struct graph {
    int *starts, *others;
} graph;

static graph make_graph(const cn_problem *p, cn_arena *arena)
{
    int count = p->block_count;
    graph g = { cn_arena_array(arena, int, count + 2), cn_arena_array(arena, int, 2 * p->entry_count) };
    memset(g.starts, 0, sizeof(int) * (size_t)(count + 2));
    // One place further on, so that filling moves the starts to where they belong.
    for (int i = 0; i < count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            bool listed = p->columns[e] != i && cn_lab_couples(p->entries[e]);
            g.starts[i + 2] += listed;
            g.starts[p->columns[e] + 2] += listed;
        }
    }
    for (int i = 1; i < count + 2; i++)
        g.starts[i] += g.starts[i - 1];
    for (int i = 0; i < count; i++) {
        for (int e = p->row_starts[i]; e < p->row_starts[i + 1]; e++) {
            if (p->columns[e] == i || !cn_lab_couples(p->entries[e]))
                continue;
            g.others[g.starts[i + 1]++] = p->columns[e];
            g.others[g.starts[p->columns[e] + 1]++] = i;
        }
    }
    return g;
}

int cn_lab_color(const cn_problem *p, cn_arena *arena, int *colors)
{
    graph g = make_graph(p, arena);
    int *taken_by = cn_arena_array(arena, int, p->block_count), color_count = 0;
    for (int i = 0; i < p->block_count; i++)
        colors[i] = taken_by[i] = -1;
    for (int i = 0; i < p->block_count; i++) {
        for (int k = g.starts[i]; k < g.starts[i + 1]; k++)
            if (colors[g.others[k]] >= 0)
                taken_by[colors[g.others[k]]] = i;
        int color = 0;
        while (taken_by[color] == i)
            color++;
        colors[i] = color;
        color_count = color >= color_count ? color + 1 : color_count;
    }
    return color_count;
}

int cn_lab_color_histogram(const cn_problem *p, int *counts, int capacity)
{
    for (int i = 0; i < capacity; i++)
        counts[i] = 0;
    if (p->row_starts == NULL)
        return 0;
    cn_arena arena;
    cn_arena_init(&arena, p->allocator);
    int *colors = cn_arena_array(&arena, int, p->block_count), color_count = cn_lab_color(p, &arena, colors);
    for (int i = 0; i < p->block_count; i++)
        if (colors[i] < capacity)
            counts[colors[i]]++;
    cn_arena_free(&arena);
    return color_count;
}

void cn_lab_coloured_pgs(cn_lab_run *run)
{
    const cn_problem *p = run->problem;
    cn_lab_sweep sweep;
    if (!cn_lab_sweep_init(&sweep, run))
        return;
    int *colors = cn_arena_array(run->arena, int, p->block_count), color_count = cn_lab_color(p, run->arena, colors), at = 0;
    for (int color = 0; color < color_count; color++)
        for (int i = 0; i < p->block_count; i++)
            if (colors[i] == color)
                sweep.order[at++] = i;
    double change;
    do
        change = cn_lab_sweep_pass(&sweep, run, cn_local_rows, run->r);
    while (!cn_lab_sweep_check(run, run->r, change));
}
