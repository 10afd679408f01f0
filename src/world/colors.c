// Colours: within a unit, no two patches of one colour push the same body, so that a colour can be solved eight patches at a
// time and on all threads. Greedy, in the order of the patches.
#include "world/build.h"

#include <string.h>

enum { MAX_COLORS = 64 }; // patches that fit none get one each

typedef struct coloring {
    uint64_t *used; // per body, the colours that push it
    uint8_t *color; // per patch of the unit
    int counts[MAX_COLORS + 1];
    int starts[MAX_COLORS + 1];
} coloring;

// The lowest colour that neither body has yet.
static void color_patches(coloring *c, const cn_found_patch *patches, int count)
{
    memset(c->counts, 0, sizeof c->counts);
    for (int i = 0; i < count; i++) {
        const cn_found_patch *patch = &patches[i];
        uint64_t taken = (patch->a >= 0 ? c->used[patch->a] : 0) | (patch->b >= 0 ? c->used[patch->b] : 0);
        int color = ~taken == 0 ? MAX_COLORS : __builtin_ctzll(~taken);
        c->color[i] = (uint8_t)color;
        c->counts[color]++;
        uint64_t bit = color < MAX_COLORS ? (uint64_t)1 << color : 0;
        if (patch->a >= 0)
            c->used[patch->a] |= bit;
        if (patch->b >= 0)
            c->used[patch->b] |= bit;
    }
}

// Writes the ends of the colours and returns how many there are.
static int end_colors(coloring *c, int *ends)
{
    int count = 0, end = 0;
    for (int color = 0; color <= MAX_COLORS; color++) {
        c->starts[color] = end;
        if (c->counts[color] == 0)
            continue;
        for (int i = 0; color == MAX_COLORS && i < c->counts[color] - 1; i++)
            ends[count++] = ++end; // no colour left: one at a time
        end = c->starts[color] + c->counts[color];
        ends[count++] = end;
    }
    return count;
}

typedef struct color_job {
    cn_builder *b;
    uint64_t *used;
    uint8_t *color;
    cn_found_patch *sorted;
    int *ends; // a unit has at most as many colours as patches: those of each unit begin where its patches do
} color_job;

static void color_unit(void *context, int index)
{
    color_job *job = context;
    cn_unit *unit = &job->b->units[index];
    cn_found_patch *patches = job->b->found + unit->first_patch, *sorted = job->sorted + unit->first_patch;
    coloring c = { .used = job->used, .color = job->color + unit->first_patch };
    color_patches(&c, patches, unit->patch_count);
    unit->first_color = unit->first_patch;
    unit->color_count = end_colors(&c, job->ends + unit->first_color);
    for (int i = 0; i < unit->patch_count; i++)
        sorted[c.starts[c.color[i]]++] = patches[i];
}

static void add_to_histogram(cn_world *world, const cn_unit *unit, const int *ends)
{
    for (int i = 0, first = 0; i < unit->color_count; first = ends[i++]) {
        int color = i < MAX_COLORS ? i : MAX_COLORS;
        if (world->color_histogram.count <= color)
            cn_array_push(&world->allocator, &world->color_histogram, 0);
        world->color_histogram.data[color] += ends[i] - first;
    }
    if (unit->color_count > world->report.colors)
        world->report.colors = unit->color_count;
}

void cn_color_units(cn_builder *b)
{
    cn_arena *arena = &b->world->arena;
    color_job job = { b, cn_arena_array(arena, uint64_t, b->body_count), cn_arena_array(arena, uint8_t, b->found_count),
                      cn_arena_array(arena, cn_found_patch, b->found_count), cn_arena_array(arena, int, b->found_count) };
    memset(job.used, 0, sizeof(uint64_t) * (size_t)b->body_count);
    cn_tasks_run(b->world->tasks, color_unit, &job, b->unit_count);
    b->world->color_histogram.count = 0;
    for (int u = 0; u < b->unit_count; u++)
        add_to_histogram(b->world, &b->units[u], job.ends + b->units[u].first_color);
    b->found = job.sorted;
    b->input->color_ends = job.ends;
}
