// Colours: within a unit, no two patches of one colour push the same body, so that a colour can be solved eight patches at a
// time and on all threads. Greedy, in the order of the patches. Joints have colours of their own: they are solved before the
// contacts, not among them.
#include "world/build.h"

#include <string.h>

enum { MAX_COLORS = 64 }; // what fits none gets one each

typedef struct coloring {
    uint64_t *used; // per body, the colours that push it
    uint8_t *color; // per patch or joint of the unit
    int counts[MAX_COLORS + 1];
    int starts[MAX_COLORS + 1];
} coloring;

// The lowest colour that neither body has yet.
static void color_ties(coloring *c, const cn_ties *ties)
{
    memset(c->counts, 0, sizeof c->counts);
    for (int i = 0; i < ties->count; i++) {
        cn_tie tie = cn_tie_at(ties, i);
        uint64_t taken = (tie.a >= 0 ? c->used[tie.a] : 0) | (tie.b >= 0 ? c->used[tie.b] : 0);
        int color = ~taken == 0 ? MAX_COLORS : __builtin_ctzll(~taken);
        c->color[i] = (uint8_t)color;
        c->counts[color]++;
        uint64_t bit = color < MAX_COLORS ? (uint64_t)1 << color : 0;
        if (tie.a >= 0)
            c->used[tie.a] |= bit;
        if (tie.b >= 0)
            c->used[tie.b] |= bit;
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
    uint64_t *used, *used_by_joints;
    uint8_t *color;
    cn_found_patch *sorted;
    cn_found_joint *sorted_joints;
    // A unit has at most as many colours as patches: those of each unit begin where its patches do. Likewise for joints.
    int *ends, *joint_ends;
} color_job;

static void color_patches(const color_job *job, cn_unit *unit)
{
    const cn_found_patch *patches = job->b->found + unit->first_patch;
    cn_found_patch *sorted = job->sorted + unit->first_patch;
    coloring c = { .used = job->used, .color = job->color + unit->first_patch };
    cn_ties ties = cn_patch_ties(patches, unit->patch_count);
    color_ties(&c, &ties);
    unit->first_color = unit->first_patch;
    unit->color_count = end_colors(&c, job->ends + unit->first_color);
    for (int i = 0; i < unit->patch_count; i++)
        sorted[c.starts[c.color[i]]++] = patches[i];
}

// Within a colour by class, so that eight neighbours are mostly of one kind. Returns how many wides they fill.
static int sort_by_class(cn_found_joint *joints, int count, cn_found_joint *sorted)
{
    int wides = 0, end = 0;
    for (int class = 0; class < CN_CLASS_COUNT; class ++) {
        int first = end;
        for (int i = 0; i < count; i++)
            if (joints[i].joint->joint_class == class)
                sorted[end++] = joints[i];
        wides += (end - first + CN_PATCH_LANES - 1) / CN_PATCH_LANES;
    }
    return wides;
}

static void color_joints(const color_job *job, cn_unit *unit, int first_color_slot)
{
    cn_found_joint *joints = job->b->joints + unit->first_joint, *sorted = job->sorted_joints + unit->first_joint;
    coloring c = { .used = job->used_by_joints, .color = job->color + first_color_slot + unit->first_joint };
    cn_ties ties = cn_joint_ties(joints, unit->joint_count);
    color_ties(&c, &ties);
    unit->first_joint_color = unit->first_joint;
    int *ends = job->joint_ends + unit->first_joint_color;
    unit->joint_color_count = end_colors(&c, ends);
    for (int i = 0; i < unit->joint_count; i++)
        sorted[c.starts[c.color[i]]++] = joints[i];
    memcpy(joints, sorted, sizeof *joints * (size_t)unit->joint_count);
    unit->joint_wide_count = 0;
    for (int color = 0, first = 0; color < unit->joint_color_count; first = ends[color++])
        unit->joint_wide_count += sort_by_class(joints + first, ends[color] - first, sorted + first);
}

static void color_unit(void *context, int index)
{
    const color_job *job = context;
    cn_unit *unit = &job->b->units[index];
    color_patches(job, unit);
    if (unit->joint_count > 0)
        color_joints(job, unit, job->b->found_count);
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
    color_job job = { .b = b,
                      .used = cn_arena_array(arena, uint64_t, b->body_count),
                      .color = cn_arena_array(arena, uint8_t, b->found_count + b->joint_count),
                      .sorted = cn_arena_array(arena, cn_found_patch, b->found_count),
                      .sorted_joints = cn_arena_array(arena, cn_found_joint, b->joint_count),
                      .ends = cn_arena_array(arena, int, b->found_count),
                      .joint_ends = cn_arena_array(arena, int, b->joint_count) };
    memset(job.used, 0, sizeof(uint64_t) * (size_t)b->body_count);
    if (b->joint_count > 0) {
        job.used_by_joints = cn_arena_array(arena, uint64_t, b->body_count);
        memset(job.used_by_joints, 0, sizeof(uint64_t) * (size_t)b->body_count);
    }
    cn_tasks_run(b->world->tasks, color_unit, &job, b->unit_count);
    b->world->color_histogram.count = 0;
    for (int u = 0; u < b->unit_count; u++)
        add_to_histogram(b->world, &b->units[u], job.ends + b->units[u].first_color);
    b->found = job.sorted;
    b->joints = job.sorted_joints;
    b->input->color_ends = job.ends;
    b->input->joint_color_ends = job.joint_ends;
}
