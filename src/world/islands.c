// Grouping for the solver: bodies that touch form islands, islands form units of work, and the patches of a unit get colours such
// that no two of one colour push the same body. All of it is made anew in every step and depends on nothing but the contacts.
#include "world/world.h"

#include <string.h>

enum {
    LARGE_UNIT = 1024, // an island with more patches than this is shared out over all threads
    SMALL_UNIT = 192,  // small islands are put together until they have this many patches,
    UNIT_BODIES = 512, // or this many bodies
    MAX_COLORS = 64,   // patches that fit no colour get one each
};

// ---- what the solver sees of the bodies

enum { BODIES_PER_TASK = 128 };

typedef struct body_job {
    const cn_world *world;
    cn_solve_input *input;
    cn_body_mass *masses;
} body_job;

static cn_vec3 unlocked(cn_vec3 v, uint32_t locks, int first_bit)
{
    return cn_v3(locks >> first_bit & 1 ? 0.0f : v.x, locks >> (first_bit + 1) & 1 ? 0.0f : v.y,
                 locks >> (first_bit + 2) & 1 ? 0.0f : v.z);
}

static void fill_state(cn_body_state *state, const cn_body *body)
{
    *state = (cn_body_state){
        .linear = { body->linear_velocity.x, body->linear_velocity.y, body->linear_velocity.z },
        .angular = { body->angular_velocity.x, body->angular_velocity.y, body->angular_velocity.z },
    };
}

static void fill_drive(cn_body_drive *drive, const cn_world *world, const cn_body *body, cn_sym3 inverse_inertia)
{
    cn_vec3 linear = cn_scale(body->gravity_scale, world->def.gravity);
    linear = unlocked(cn_madd(linear, body->inverse_mass, body->force), body->locks, 0);
    cn_vec3 angular = cn_sym3_mul(inverse_inertia, body->torque);
    *drive = (cn_body_drive){
        .acceleration = { linear.x, linear.y, linear.z, 0.0f, angular.x, angular.y, angular.z, 0.0f },
        .damping = { body->linear_damping, body->angular_damping },
        .locks = body->locks,
        .spinner = CN_NONE,
    };
}

static void fill_bodies(void *context, int task)
{
    body_job *job = context;
    const cn_world *world = job->world;
    int end = (task + 1) * BODIES_PER_TASK < world->awake.count ? (task + 1) * BODIES_PER_TASK : world->awake.count;
    for (int i = task * BODIES_PER_TASK; i < end; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        fill_state(&job->input->states[i], body);
        if (body->type != CN_DYNAMIC) {
            job->masses[i] = (cn_body_mass){ 0 };
            job->input->drives[i] = (cn_body_drive){ .spinner = CN_NONE };
            continue;
        }
        cn_sym3 inverse_inertia = cn_body_world_inverse_inertia(body);
        job->masses[i] = (cn_body_mass){ body->inverse_mass, inverse_inertia.xx, inverse_inertia.yy, inverse_inertia.zz,
                                         inverse_inertia.xy, inverse_inertia.xz, inverse_inertia.yz, 0.0f };
        fill_drive(&job->input->drives[i], world, body, inverse_inertia);
    }
}

// Serial: spinners are numbered. A body with a locked rotation axis keeps its spin as it is.
static void fill_spinners(const cn_world *world, cn_solve_input *input, cn_arena *arena)
{
    const uint32_t angular_locks = CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y | CN_LOCK_ANGULAR_Z;
    int count = 0;
    for (int i = 0; i < world->awake.count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        if (body->type == CN_DYNAMIC && body->gyroscopic && (body->locks & angular_locks) == 0)
            input->drives[i].spinner = count++;
    }
    if (count == 0)
        return;
    input->spinners = cn_arena_array(arena, cn_spinner, count);
    for (int i = 0; i < world->awake.count; i++) {
        if (input->drives[i].spinner < 0)
            continue;
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        cn_vec3 moments = body->principal_inertia;
        input->spinners[input->drives[i].spinner] =
            (cn_spinner){ cn_quat_mul(body->rotation, body->principal_rotation), moments,
                          cn_v3(1.0f / moments.x, 1.0f / moments.y, 1.0f / moments.z) };
    }
}

// ---- islands: a forest in which every tree is an island

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int a, int b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

typedef struct builder {
    cn_world *world;
    cn_solve_input *input;
    cn_body_mass *masses;
    int body_count;  // awake
    int *unit_of;    // per awake body
    cn_patch **found; // patches in the order of the contacts
    int patch_count;
    int kinematic_patches;
    CN_ARRAY(cn_unit) units;
} builder;

// The state of a body in a patch: negative ~index when nothing pushes it there.
static int32_t encode(const builder *b, int body_index)
{
    const cn_body *body = &b->world->bodies.data[body_index];
    if (body->awake == CN_NONE)
        return ~b->input->state_count; // fixed up later: the index of the world's state is not known yet
    return body->type == CN_DYNAMIC ? body->awake : ~body->awake;
}

static void collect_patches(builder *b)
{
    cn_world *world = b->world;
    b->found = cn_arena_array(&world->arena, cn_patch *, world->awake_contacts.count);
    for (int i = 0; i < world->awake_contacts.count; i++) {
        cn_contact *contact = &world->contacts.data[world->awake_contacts.data[i]];
        if (contact->patch.point_count == 0)
            continue;
        cn_patch *patch = &contact->patch;
        patch->a = encode(b, contact->body_a);
        patch->b = encode(b, contact->body_b);
        if (patch->a < 0 && patch->b < 0)
            continue;
        b->found[b->patch_count++] = patch;
        b->masses[patch->a < 0 ? patch->b : patch->a].pushed_by += 1.0f;
        if (patch->a >= 0 && patch->b >= 0)
            b->masses[patch->b].pushed_by += 1.0f;
        else
            b->kinematic_patches++;
    }
}

static int pushed_body(const cn_patch *patch) { return patch->a >= 0 ? patch->a : patch->b; }

static void assign_units(builder *b)
{
    cn_arena *arena = &b->world->arena;
    int *parent = cn_arena_array(arena, int, b->body_count);
    int *patches = cn_arena_array(arena, int, b->body_count), *bodies = cn_arena_array(arena, int, b->body_count);
    for (int i = 0; i < b->body_count; i++) {
        parent[i] = i;
        patches[i] = bodies[i] = 0;
    }
    for (int i = 0; i < b->patch_count; i++)
        if (b->found[i]->a >= 0 && b->found[i]->b >= 0)
            join(parent, b->found[i]->a, b->found[i]->b);
    for (int i = 0; i < b->patch_count; i++)
        patches[find_root(parent, pushed_body(b->found[i]))]++;
    for (int i = 0; i < b->body_count; i++)
        bodies[find_root(parent, i)]++;

    b->unit_of = cn_arena_array(arena, int, b->body_count);
    cn_unit *units = cn_arena_array(arena, cn_unit, b->body_count);
    int unit_count = 0, open = CN_NONE, islands = 0;
    for (int i = 0; i < b->body_count; i++) {
        int root = find_root(parent, i);
        if (root != i) { // roots come first in their islands
            b->unit_of[i] = b->unit_of[root];
            continue;
        }
        islands += b->world->bodies.data[b->world->awake.data[i]].type == CN_DYNAMIC;
        bool large = patches[i] > LARGE_UNIT;
        int unit = large ? CN_NONE : open;
        if (unit == CN_NONE) {
            unit = unit_count++;
            units[unit] = (cn_unit){ .large = large };
        }
        units[unit].patch_count += patches[i];
        units[unit].body_count += bodies[i];
        b->unit_of[i] = unit;
        if (!large)
            open = units[unit].patch_count >= SMALL_UNIT || units[unit].body_count >= UNIT_BODIES ? CN_NONE : unit;
    }
    b->world->report.islands = islands;
    b->units.data = units;
    b->units.count = unit_count;
}

// Patches sorted by unit, keeping their order; the units learn where theirs begin.
static cn_patch **sort_by_unit(builder *b)
{
    int first = 0;
    for (int u = 0; u < b->units.count; u++) {
        b->units.data[u].first_patch = first;
        first += b->units.data[u].patch_count;
    }
    int *next = cn_arena_array(&b->world->arena, int, b->units.count);
    for (int u = 0; u < b->units.count; u++)
        next[u] = b->units.data[u].first_patch;
    cn_patch **sorted = cn_arena_array(&b->world->arena, cn_patch *, b->patch_count);
    for (int i = 0; i < b->patch_count; i++)
        sorted[next[b->unit_of[pushed_body(b->found[i])]]++] = b->found[i];
    return sorted;
}

// Units run at their own pace, so a kinematic body must not be shared between them: every unit gets its own copy of those it meets.
// Then the units learn where their bodies are in the list of bodies.
static void list_bodies(builder *b, cn_patch **patches)
{
    cn_solve_input *input = b->input;
    cn_arena *arena = &b->world->arena;
    int *copy_of = cn_arena_array(arena, int, b->body_count), *copy_unit = cn_arena_array(arena, int, b->body_count);
    int *unit_of_copy = cn_arena_array(arena, int, b->kinematic_patches), world_state = input->state_count;
    memset(copy_unit, 0xff, sizeof(int) * (size_t)(b->body_count > 0 ? b->body_count : 1));
    int count = b->body_count;
    for (int u = 0; u < b->units.count; u++) {
        for (int i = 0; i < b->units.data[u].patch_count; i++) {
            cn_patch *patch = patches[b->units.data[u].first_patch + i];
            int32_t *side = patch->a < 0 ? &patch->a : &patch->b;
            if (*side >= 0 || *side == ~world_state)
                continue;
            int kinematic = ~*side;
            if (copy_unit[kinematic] != u) {
                copy_unit[kinematic] = u;
                copy_of[kinematic] = count;
                unit_of_copy[count - b->body_count] = u;
                input->states[count] = input->states[kinematic];
                input->drives[count] = input->drives[kinematic];
                b->masses[count] = b->masses[kinematic];
                b->units.data[u].body_count++;
                count++;
            }
            *side = ~copy_of[kinematic];
        }
    }
    int *bodies = cn_arena_array(arena, int, count), *next = cn_arena_array(arena, int, b->units.count);
    int first = 0;
    for (int u = 0; u < b->units.count; u++) {
        next[u] = b->units.data[u].first_body = first;
        first += b->units.data[u].body_count;
    }
    for (int i = 0; i < count; i++)
        bodies[next[i < b->body_count ? b->unit_of[i] : unit_of_copy[i - b->body_count]]++] = i;
    input->bodies = bodies;
}

// ---- colours

typedef struct coloring {
    uint64_t *used;   // per state, the colours that push it
    uint8_t *color;   // per patch of the unit
    int counts[MAX_COLORS + 1];
} coloring;

// Patches between moving bodies first, then those on static ground: they share fewer bodies and fill the colours up.
static void color_unit(coloring *c, cn_patch **patches, int count)
{
    memset(c->counts, 0, sizeof c->counts);
    for (int i = 0; i < count; i++) {
        const cn_patch *patch = patches[i];
        uint64_t taken = (patch->a >= 0 ? c->used[patch->a] : 0) | (patch->b >= 0 ? c->used[patch->b] : 0);
        int color = ~taken == 0 ? MAX_COLORS : __builtin_ctzll(~taken);
        c->color[i] = (uint8_t)color;
        c->counts[color]++;
        if (color == MAX_COLORS)
            continue;
        if (patch->a >= 0)
            c->used[patch->a] |= (uint64_t)1 << color;
        if (patch->b >= 0)
            c->used[patch->b] |= (uint64_t)1 << color;
    }
}

static void color_units(builder *b, cn_patch **patches)
{
    cn_arena *arena = &b->world->arena;
    cn_solve_input *input = b->input;
    coloring c = { .used = cn_arena_array(arena, uint64_t, input->state_count + 1),
                   .color = cn_arena_array(arena, uint8_t, b->patch_count) };
    memset(c.used, 0, sizeof(uint64_t) * (size_t)(input->state_count + 1));
    cn_patch **sorted = cn_arena_array(arena, cn_patch *, b->patch_count);
    int *ends = cn_arena_array(arena, int, b->patch_count + 1), end_count = 0;
    CN_ARRAY(int) *histogram = (void *)&b->world->color_histogram;
    histogram->count = 0;
    for (int u = 0; u < b->units.count; u++) {
        cn_unit *unit = &b->units.data[u];
        color_unit(&c, patches + unit->first_patch, unit->patch_count);
        int starts[MAX_COLORS + 1], end = 0;
        unit->first_color = end_count;
        for (int color = 0; color <= MAX_COLORS; color++) {
            starts[color] = end;
            if (c.counts[color] == 0)
                continue;
            while (histogram->count <= color)
                cn_array_push(&b->world->allocator, histogram, 0);
            histogram->data[color] += c.counts[color];
            for (int i = 0; color == MAX_COLORS && i < c.counts[color] - 1; i++)
                ends[end_count++] = ++end; // no colour left: one at a time
            end = starts[color] + c.counts[color];
            ends[end_count++] = end;
        }
        unit->color_count = end_count - unit->first_color;
        if (unit->color_count > b->world->report.colors)
            b->world->report.colors = unit->color_count;
        for (int i = 0; i < unit->patch_count; i++)
            sorted[unit->first_patch + starts[c.color[i]]++] = patches[unit->first_patch + i];
    }
    input->patches = sorted;
    input->color_ends = ends;
}

// The capacity for copies of kinematic bodies must be known before the states are laid out.
static int count_copies(const cn_world *world)
{
    int count = 0;
    for (int i = 0; i < world->awake_contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[world->awake_contacts.data[i]];
        count += contact->patch.point_count > 0 && (world->bodies.data[contact->body_a].type == CN_KINEMATIC ||
                                                    world->bodies.data[contact->body_b].type == CN_KINEMATIC);
    }
    return count;
}

void cn_build_units(cn_world *world, cn_solve_input *input)
{
    cn_arena *arena = &world->arena;
    builder b = { .world = world, .input = input, .body_count = world->awake.count };
    input->state_count = world->awake.count + count_copies(world);
    input->states = cn_arena_array(arena, cn_body_state, input->state_count + 1);
    input->drives = cn_arena_array(arena, cn_body_drive, input->state_count + 1);
    b.masses = cn_arena_array(arena, cn_body_mass, input->state_count + 1);
    memset(&input->states[input->state_count], 0, sizeof *input->states);
    input->masses = b.masses;
    body_job job = { world, input, b.masses };
    cn_tasks_run(world->tasks, fill_bodies, &job, (world->awake.count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    fill_spinners(world, input, arena);

    collect_patches(&b);
    assign_units(&b);
    cn_patch **by_unit = sort_by_unit(&b);
    list_bodies(&b, by_unit);
    color_units(&b, by_unit);
    input->units = b.units.data;
    input->unit_count = b.units.count;
}
