// Bodies that touch or are joined form islands; islands form units of work. Made anew in every step from contacts and joints
// alone.
#include "world/build.h"
#include "world/check.h"

#include <string.h>

enum {
    LARGE_UNIT = 1024, // an island with more patches and joints than this is shared out over all threads
    SMALL_UNIT = 192,  // small islands are put together until they have this many of them,
    UNIT_BODIES = 512, // or this many bodies
};

// ---- how many substeps an island gets
//
// A contact is a spring, as stiff as its substep allows. Under a load that would accelerate the two bodies by `load` it sinks
// in by load / omega^2, and a tower of n cubes buckles when that spring is too weak: its stiffness must grow with n^3 where the
// load grows with n. So the substeps of an island grow with the power 3/2 of the heaviest load in it, measured against the size
// of the bodies. Small islands can afford it; a budget for the whole world keeps the price bounded, counted in patches times
// substeps.

enum { MOST_SUBSTEPS = 128, MOST_SUBSTEPS_LOG2 = 7, EXTRA_BUDGET = 20000, DIRECT_COST = 8 };
#define EASY_LOAD 400.0f  // (m/s^2 per m of size) that the settings' substeps carry
#define JOINED_EASE 16.0f // a limb under a body is no tower: what is joined does not topple
#define MOST_SWING 0.5f   // rad that the fastest swing between joints may advance in a substep,

// What is known of an island when its substeps are chosen.
typedef struct island {
    int patches, joints, bodies;
    int supports;         // patches on bodies that nothing pushes
    int before;           // substeps in the last step, 0 when all its contacts are new
    int substeps;         // in this one
    float load;           // the heaviest measured
    float mass;           // kg
    float support_answer; // largest inverse mass over size of a body on a support
    float joint_rate;     // of the fastest swing that the loads on its joints make possible, rad/s
    float roll_rate;      // of the fastest turn that contact can make of sliding past, where there are joints, rad/s
    int direct;           // joints whose locks are solved all at once
    bool limited, torn;   // one of its joints has a limit; is torn
} island;

static bool is_large(const island *i) { return i->patches + i->joints > LARGE_UNIT; }

// Before anything is measured: the weight of the island on its supports, shared equally; twice, as it is between two bodies
// further up.
static float expected_load(const island *i, float gravity)
{
    return i->supports > 0 ? 2.0f * i->mass * gravity / (float)i->supports * i->support_answer : 0.0f;
}

// Substeps before the budget. A new island gets what it needs at once. Later they change by no more than a factor of two per
// step, because contacts sink in anew whenever their stiffness changes, and fall only when the load has clearly fallen.
static int wanted_substeps(const island *i, bool adapts, float gravity, int least, float dt)
{
    if (is_large(i) || !adapts || i->torn) // what a torn joint presses together is no load, and it would press harder
        return least;
    // A taut string of light links, and a limb that is about to be rolled against its limits.
    float turn = cn_maxf(dt * i->joint_rate / MOST_SWING, cn_substeps_to_roll(i->roll_rate, dt));
    while (i->joints > 0 && least < MOST_SUBSTEPS && turn > (float)least)
        least *= 2;
    float load = i->joints > 0 ? i->load / JOINED_EASE : cn_maxf(i->load, expected_load(i, gravity)),
          carried = EASY_LOAD; // grows with the power 2/3 of the substeps
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

static void add_patch(island *i, const cn_found_patch *patch, const cn_world *world)
{
    i->patches++;
    i->before = patch->substeps > i->before ? patch->substeps : i->before;
    i->load = cn_maxf(i->load, patch->load);
    if (patch->a < 0 || patch->b < 0) {
        i->supports++;
        const cn_body *supported = &world->bodies.data[world->awake.data[cn_pushed_body((cn_tie){ patch->a, patch->b })]];
        i->support_answer = cn_maxf(i->support_answer, supported->inverse_mass * patch->inverse_size);
    }
}

// The islands of a forest, each at the index of its root.
static island *find_islands(cn_builder *b, int *parent)
{
    island *islands = cn_arena_array(&b->world->arena, island, b->body_count);
    memset(islands, 0, sizeof(island) * (size_t)b->body_count);
    cn_ties patches = cn_patch_ties(b->found, b->found_count), joints = cn_joint_ties(b->joints, b->joint_count);
    for (int i = 0; i < b->body_count; i++)
        parent[i] = i;
    cn_join_ties(parent, &patches);
    cn_join_ties(parent, &joints);
    for (int i = 0; i < b->found_count; i++)
        add_patch(&islands[cn_find_root(parent, cn_pushed_body(cn_tie_at(&patches, i)))], &b->found[i], b->world);
    for (int i = 0; i < b->joint_count; i++) {
        island *own = &islands[cn_find_root(parent, cn_pushed_body(cn_tie_at(&joints, i)))];
        own->joints++;
        own->direct += b->joints[i].direct;
        own->limited |= b->joints[i].limited;
        own->torn |= b->joints[i].torn;
        own->joint_rate = cn_maxf(own->joint_rate, b->joints[i].rate);
    }
    for (int i = 0; b->joint_count > 0 && i < b->found_count; i++) {
        island *own = &islands[cn_find_root(parent, cn_pushed_body(cn_tie_at(&patches, i)))];
        if (own->joints > 0 && !is_large(own))
            own->roll_rate = cn_maxf(own->roll_rate, cn_roll_rate(b->world, &b->found[i]));
    }
    for (int i = 0; i < b->body_count; i++) {
        island *own = &islands[cn_find_root(parent, i)];
        own->bodies++;
        if (!is_large(own)) // the weight of larger ones is not asked for
            own->mass += b->world->bodies.data[b->world->awake.data[i]].mass;
    }
    return islands;
}

// ---- what is affordable

// In patches.
static int island_cost(const island *i) { return i->patches + i->joints + DIRECT_COST * i->direct; }

// The most substeps that every island can have without the extra ones exceeding the budget.
static int affordable_substeps(const island *islands, int count, int least)
{
    for (int most = MOST_SUBSTEPS; most > least; most /= 2) {
        int64_t extra = 0;
        for (int i = 0; i < count; i++)
            extra += (int64_t)island_cost(&islands[i]) * ((islands[i].substeps < most ? islands[i].substeps : most) - least);
        if (extra <= EXTRA_BUDGET)
            return most;
    }
    return least;
}

static int new_unit(cn_builder *b, const island *i, int substeps)
{
    bool calm = substeps == b->input->settings.substeps;
    b->units[b->unit_count] = (cn_unit){ .large = is_large(i),
                                         .substeps = substeps,
                                         .direct = i->direct > 0,
                                         .joined = i->joints > 0,
                                         .joint_sweeps = !i->limited ? 1
                                                         : calm      ? 2
                                                                     : 3 };
    if (substeps > b->world->report.max_substeps)
        b->world->report.max_substeps = substeps;
    return b->unit_count++;
}

// ---- units

// Large islands are units of their own; small ones are put together with others of the same number of substeps.
static void group_islands(cn_builder *b)
{
    cn_arena *arena = &b->world->arena;
    int *parent = cn_arena_array(arena, int, b->body_count);
    cn_choose_direct(b);
    island *islands = find_islands(b, parent);
    int least = b->input->settings.substeps;
    float gravity = cn_length(b->world->def.gravity);
    bool adapts = b->world->solver->adapts;
    for (int i = 0; i < b->body_count; i++)
        islands[i].substeps = parent[i] == i ? wanted_substeps(&islands[i], adapts, gravity, least, b->input->dt) : least;
    int most = affordable_substeps(islands, b->body_count, least);

    b->unit_of = cn_arena_array(arena, int, b->body_count);
    b->units = cn_arena_array(arena, cn_unit, b->body_count);
    // The unit that still takes islands, by the doublings of `least`, and by what else is done alike for all of it.
    int open[MOST_SUBSTEPS_LOG2 + 2][2][2][2];
    memset(open, 0xff, sizeof open);
    for (int i = 0; i < b->body_count; i++) {
        int root = cn_find_root(parent, i);
        if (root != i) { // roots come first in their islands
            b->unit_of[i] = b->unit_of[root];
            continue;
        }
        b->world->report.islands += b->world->bodies.data[b->world->awake.data[i]].type == CN_DYNAMIC;
        int substeps = islands[i].substeps < most ? islands[i].substeps : most, level = 0;
        while (least << level < substeps)
            level++;
        const island *own = &islands[i];
        bool large = is_large(own), alone = large || (b->input->separate && own->patches + own->joints > 0);
        // Where contacts are not made stiffer by substeps it makes no difference, but to solvers of one step, which relax what has joints.
        bool joined = own->joints > 0 && (level > 0 || !adapts);
        int unit = alone ? CN_NONE : open[level][own->direct > 0][own->limited][joined];
        if (unit == CN_NONE)
            unit = new_unit(b, own, substeps);
        cn_unit *u = &b->units[unit];
        u->patch_count += own->patches;
        u->joint_count += own->joints;
        u->body_count += own->bodies;
        b->unit_of[i] = unit;
        bool full = u->patch_count + u->joint_count >= SMALL_UNIT || u->body_count >= UNIT_BODIES;
        if (!alone)
            open[level][own->direct > 0][own->limited][joined] = full ? CN_NONE : unit;
    }
}

// The pushed body with the lower number.
static int first_body(const cn_found_patch *patch)
{
    return patch->a < 0 ? patch->b : patch->b < 0 || patch->a < patch->b ? patch->a : patch->b;
}

// A stable sort of the patches by keys below `key_count`, given by the body they push: by the body itself, or by its unit.
static void sort_patches(cn_builder *b, const int *key_of, int key_count, int *starts)
{
    cn_found_patch *sorted = cn_arena_array(&b->world->arena, cn_found_patch, b->found_count);
    memset(starts, 0, sizeof(int) * (size_t)(key_count + 1));
    for (int i = 0; i < b->found_count; i++)
        starts[1 + (key_of != NULL ? key_of[first_body(&b->found[i])] : first_body(&b->found[i]))]++;
    for (int k = 0; k < key_count; k++)
        starts[k + 1] += starts[k];
    for (int i = 0; i < b->found_count; i++)
        sorted[starts[key_of != NULL ? key_of[first_body(&b->found[i])] : first_body(&b->found[i])]++] = b->found[i];
    b->found = sorted;
}

// Contacts come and go in an order that depends on the whole world. What an island makes of them must not: those of a body are
// put in an order that depends on their shapes alone. It is an arbitrary one, because a regular one gives way to one side.
// There are few for each body.
uint32_t cn_pair_order(const cn_contact *contact)
{
    uint32_t x = (uint32_t)contact->shape_a * 0x9e3779b1u + (uint32_t)contact->shape_b * 0x85ebca77u;
    return (x ^ x >> 15) * 0x2c1b3c6du;
}

// The patches are sorted by body; each body's end at its number in `ends`.
static void order_within_bodies(cn_builder *b, const int *ends)
{
    for (int body = 0, first = 0; body < b->body_count; first = ends[body++]) {
        for (int i = first + 1; i < ends[body]; i++) {
            cn_found_patch patch = b->found[i];
            int to = i;
            for (; to > first && patch.order < b->found[to - 1].order; to--)
                b->found[to] = b->found[to - 1];
            if (to != i)
                b->found[to] = patch;
        }
    }
}

// By unit, and within a unit by body: neighbours in memory are then mostly neighbours in space, and threads that share a unit
// work mostly on different bodies.
static void order_patches(cn_builder *b)
{
    int *starts = cn_arena_array(&b->world->arena, int, b->body_count + 1);
    sort_patches(b, NULL, b->body_count, starts);
    order_within_bodies(b, starts);
    if (b->unit_count > 1)
        sort_patches(b, b->unit_of, b->unit_count, starts);
    for (int u = 0, first = 0; u < b->unit_count; u++) {
        b->units[u].first_patch = first;
        first += b->units[u].patch_count;
    }
}

// Joints keep the order of their numbers within a unit.
static void order_joints(cn_builder *b)
{
    cn_found_joint *sorted = cn_arena_array(&b->world->arena, cn_found_joint, b->joint_count);
    cn_ties ties = cn_joint_ties(b->joints, b->joint_count);
    int *next = cn_arena_array(&b->world->arena, int, b->unit_count);
    for (int u = 0, first = 0; u < b->unit_count; u++) {
        next[u] = b->units[u].first_joint = first;
        first += b->units[u].joint_count;
    }
    for (int i = 0; i < b->joint_count; i++)
        sorted[next[b->unit_of[cn_pushed_body(cn_tie_at(&ties, i))]]++] = b->joints[i];
    b->joints = sorted;
}

void cn_assign_units(cn_builder *b)
{
    group_islands(b);
    order_patches(b);
    if (b->joint_count > 0)
        order_joints(b);
}

// Grouping is serial and needs no states: the first task does it while the others fill them.
static void group_or_fill(void *context, int task)
{
    if (task == 0)
        cn_assign_units(context);
    else
        cn_fill_states(context, task - 1);
}

void cn_build_units(cn_world *world, cn_solve_input *input)
{
    cn_builder b = { .world = world,
                     .input = input,
                     .body_count = world->awake.count,
                     .found = world->found,
                     .found_count = world->found_count,
                     .joints = world->found_joints,
                     .joint_count = world->found_joint_count };
    cn_allocate_states(&b);
    cn_tasks_run(world->tasks, group_or_fill, &b, 1 + cn_fill_task_count(&b));
    if (world->solver->splits)
        cn_count_patches(&b);
    cn_color_units(&b);
    cn_list_bodies(&b);
    input->units = b.units;
    input->unit_count = b.unit_count;
    input->unit_of = b.unit_of;
}

// ---- for the user: which bodies hang together now

static bool is_pushed(const cn_world *world, int body)
{
    return world->bodies.data[body].used && world->bodies.data[body].type == CN_DYNAMIC;
}

int cn_world_get_islands(const cn_world *world, int *islands, int capacity)
{
    if (!cn_check_world(world, __func__) || !cn_check_buffer(__func__, "islands", islands, capacity))
        return 0;
    int slots = world->bodies.count, count = 0;
    if (capacity < slots)
        return slots;
    for (int i = 0; i < slots; i++)
        islands[i] = i;
    for (int i = 0; i < world->contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[i];
        if (contact->used && cn_contact_holds(contact) && is_pushed(world, contact->body_a) &&
            is_pushed(world, contact->body_b))
            cn_join(islands, contact->body_a, contact->body_b);
    }
    for (int i = 0; i < world->joints.count; i++) {
        const cn_joint *joint = &world->joints.data[i];
        if (joint->used && joint->body_a != CN_NONE && joint->body_b != CN_NONE && is_pushed(world, joint->body_a) &&
            is_pushed(world, joint->body_b))
            cn_join(islands, joint->body_a, joint->body_b);
    }
    // A root is the first body of its island, so its number is known when the others ask for it.
    for (int i = 0; i < slots; i++) {
        int parent = islands[i];
        islands[i] = !is_pushed(world, i) ? -1 : parent == i ? count++ : islands[parent];
    }
    return slots;
}
