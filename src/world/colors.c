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

static void add_to_histogram(cn_world *world, const int counts[MAX_COLORS + 1])
{
    for (int color = 0; color <= MAX_COLORS; color++) {
        while (counts[color] > 0 && world->color_histogram.count <= color)
            cn_array_push(&world->allocator, &world->color_histogram, 0);
        if (counts[color] > 0)
            world->color_histogram.data[color] += counts[color];
    }
}

void cn_color_units(cn_builder *b)
{
    cn_arena *arena = &b->world->arena;
    coloring c = { .used = cn_arena_array(arena, uint64_t, b->body_count),
                   .color = cn_arena_array(arena, uint8_t, b->found_count) };
    memset(c.used, 0, sizeof(uint64_t) * (size_t)b->body_count);
    cn_found_patch *sorted = cn_arena_array(arena, cn_found_patch, b->found_count);
    int *ends = cn_arena_array(arena, int, b->found_count), end_count = 0;
    b->world->color_histogram.count = 0;
    for (int u = 0; u < b->unit_count; u++) {
        cn_unit *unit = &b->units[u];
        cn_found_patch *patches = b->found + unit->first_patch;
        color_patches(&c, patches, unit->patch_count);
        unit->first_color = end_count;
        unit->color_count = end_colors(&c, ends + end_count);
        end_count += unit->color_count;
        add_to_histogram(b->world, c.counts);
        if (unit->color_count > b->world->report.colors)
            b->world->report.colors = unit->color_count;
        for (int i = 0; i < unit->patch_count; i++)
            sorted[unit->first_patch + c.starts[c.color[i]]++] = patches[i];
    }
    b->found = sorted;
    b->input->color_ends = ends;
}
