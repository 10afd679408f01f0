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

static void fill_drive(cn_body_drive *drive, const cn_world *world, const cn_body *body, cn_sym3 inverse_inertia, float dt)
{
    cn_vec3 linear = cn_scale(body->gravity_scale, world->def.gravity);
    linear = unlocked(cn_madd(linear, body->inverse_mass, body->force), body->locks, 0);
    cn_vec3 angular = cn_sym3_mul(inverse_inertia, body->torque);
    if (body->gyroscopic && body->contact_count > 0)
        angular = unlocked(cn_add(angular, cn_gyroscopic_acceleration(body, dt)), body->locks, 3);
    *drive = (cn_body_drive){
        .acceleration = { linear.x, linear.y, linear.z, 0.0f, angular.x, angular.y, angular.z, 0.0f },
        .damping = { body->linear_damping, body->angular_damping },
        .locks = (uint16_t)body->locks,
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
            job->input->drives[i] = (cn_body_drive){ 0 };
            continue;
        }
        cn_sym3 inverse_inertia = cn_body_world_inverse_inertia(body);
        job->masses[i] = (cn_body_mass){ body->inverse_mass, inverse_inertia.xx, inverse_inertia.yy, inverse_inertia.zz,
                                         inverse_inertia.xy, inverse_inertia.xz, inverse_inertia.yz, 0.0f };
        fill_drive(&job->input->drives[i], world, body, inverse_inertia, job->input->dt);
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

// ---- how many substeps an island gets
//
// A contact is a spring, as stiff as its substep allows. Under a load that would accelerate the two bodies by `load` it sinks in by
// load / omega^2, and a tower of n cubes buckles when that spring is too weak: its stiffness must grow with n^3 where the load grows with
// n. So the substeps of an island grow with the power 3/2 of the heaviest load in it, measured against the size of the bodies. Small
// islands can afford it; a budget for the whole world keeps the price bounded, counted in patches times substeps.

enum { MOST_SUBSTEPS = 128, EXTRA_BUDGET = 60000 };
#define EASY_LOAD 400.0f // (m/s^2 per m of size) that the settings' substeps carry

// What presses the two bodies together, as acceleration over size, averaged over the last steps: an impact is not a load.
static float update_load(cn_patch *patch, const cn_body_mass *masses, float inverse_dt)
{
    float answer = (patch->a >= 0 ? masses[patch->a].inverse_mass : 0.0f) + (patch->b >= 0 ? masses[patch->b].inverse_mass : 0.0f);
    float now = (patch->total[0] + patch->total[1] + patch->total[2] + patch->total[3]) * inverse_dt * answer * patch->inverse_size;
    patch->load += 0.1f * (now - patch->load);
    return patch->load;
}

// What is known of an island when its substeps are chosen.
typedef struct island {
    int patches, bodies;
    int supports;       // patches on bodies that nothing pushes
    int before;         // substeps in the last step, 0 when all its contacts are new
    float load;         // the heaviest measured
    float mass;         // kg
    float support_answer; // largest inverse mass over size of a body on a support
} island;

// Before anything is measured: the weight of the island on its supports, shared equally; twice, as it is between two bodies further up.
static float expected_load(const island *i, float gravity)
{
    return i->supports > 0 ? 2.0f * i->mass * gravity / (float)i->supports * i->support_answer : 0.0f;
}

// Substeps before the budget. A new island gets what it needs at once. Later they change by no more than a factor of two per step, because
// contacts sink in anew whenever their stiffness changes, and fall only when the load has clearly fallen.
static int wanted_substeps(const island *i, float gravity, int least)
{
    if (i->patches > LARGE_UNIT)
        return least;
    float load = cn_maxf(i->load, expected_load(i, gravity)), carried = EASY_LOAD; // grows with the power 2/3 of the substeps
    int substeps = least;
    while (substeps < MOST_SUBSTEPS && (i->before == 0 ? load > carried : substeps < i->before)) {
        substeps *= 2;
        carried *= 1.5874f;
    }
    if (i->before == 0)
        return substeps;
    if (load > carried && substeps < MOST_SUBSTEPS)
        return 2 * substeps;
    return substeps > least && load < 0.4f * carried ? substeps / 2 : substeps;
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

static void add_patch(island *i, cn_patch *patch, const cn_body_mass *masses, float inverse_dt)
{
    i->patches++;
    i->before = patch->substeps > i->before ? patch->substeps : i->before;
    i->load = cn_maxf(i->load, update_load(patch, masses, inverse_dt));
    if (patch->a < 0 || patch->b < 0) {
        i->supports++;
        i->support_answer = cn_maxf(i->support_answer, masses[pushed_body(patch)].inverse_mass * patch->inverse_size);
    }
}

// The islands of a forest, each at the index of its root.
static island *find_islands(builder *b, int *parent)
{
    island *islands = cn_arena_array(&b->world->arena, island, b->body_count);
    memset(islands, 0, sizeof(island) * (size_t)b->body_count);
    for (int i = 0; i < b->body_count; i++)
        parent[i] = i;
    for (int i = 0; i < b->patch_count; i++)
        if (b->found[i]->a >= 0 && b->found[i]->b >= 0)
            join(parent, b->found[i]->a, b->found[i]->b);
    for (int i = 0; i < b->patch_count; i++)
        add_patch(&islands[find_root(parent, pushed_body(b->found[i]))], b->found[i], b->masses, 1.0f / b->input->dt);
    for (int i = 0; i < b->body_count; i++) {
        island *own = &islands[find_root(parent, i)];
        own->bodies++;
        own->mass += b->world->bodies.data[b->world->awake.data[i]].mass;
    }
    return islands;
}

static void assign_units(builder *b)
{
    cn_arena *arena = &b->world->arena;
    int *parent = cn_arena_array(arena, int, b->body_count);
    island *islands = find_islands(b, parent);
    int least = b->input->settings.substeps, *substeps = cn_arena_array(arena, int, b->body_count);
    float gravity = cn_length(b->world->def.gravity);
    double extra = 0.0;
    for (int i = 0; i < b->body_count; i++) {
        substeps[i] = parent[i] == i ? wanted_substeps(&islands[i], gravity, least) : 0;
        extra += parent[i] == i ? (double)islands[i].patches * (substeps[i] - least) : 0.0;
    }
    double granted = extra > EXTRA_BUDGET ? EXTRA_BUDGET / extra : 1.0;

    b->unit_of = cn_arena_array(arena, int, b->body_count);
    cn_unit *units = cn_arena_array(arena, cn_unit, b->body_count);
    int unit_count = 0, open = CN_NONE;
    cn_step_report *report = &b->world->report;
    report->max_substeps = least;
    for (int i = 0; i < b->body_count; i++) {
        int root = find_root(parent, i);
        if (root != i) { // roots come first in their islands
            b->unit_of[i] = b->unit_of[root];
            continue;
        }
        report->islands += b->world->bodies.data[b->world->awake.data[i]].type == CN_DYNAMIC;
        int n = least + (int)(granted * (substeps[i] - least));
        bool large = islands[i].patches > LARGE_UNIT, alone = large || n > least;
        int unit = alone ? CN_NONE : open;
        if (unit == CN_NONE) {
            unit = unit_count++;
            units[unit] = (cn_unit){ .large = large, .substeps = n };
        }
        report->max_substeps = n > report->max_substeps ? n : report->max_substeps;
        units[unit].patch_count += islands[i].patches;
        units[unit].body_count += islands[i].bodies;
        b->unit_of[i] = unit;
        if (!alone)
            open = units[unit].patch_count >= SMALL_UNIT || units[unit].body_count >= UNIT_BODIES ? CN_NONE : unit;
    }
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
    for (int i = 0; i < b->patch_count; i++) {
        int unit = b->unit_of[pushed_body(b->found[i])];
        b->found[i]->substeps = (uint16_t)b->units.data[unit].substeps;
        sorted[next[unit]++] = b->found[i];
    }
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

// The lowest colour that neither body has yet.
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
    memset(&input->drives[input->state_count], 0, sizeof *input->drives);
    input->masses = b.masses;
    body_job job = { world, input, b.masses };
    cn_tasks_run(world->tasks, fill_bodies, &job, (world->awake.count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);

    collect_patches(&b);
    for (int i = 0; i < b.body_count; i++)
        input->drives[i].free = b.masses[i].pushed_by == 0.0f;
    assign_units(&b);
    cn_patch **by_unit = sort_by_unit(&b);
    list_bodies(&b, by_unit);
    color_units(&b, by_unit);
    input->units = b.units.data;
    input->unit_count = b.units.count;
}
