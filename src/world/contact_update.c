// The narrow phase stage of a step: every awake contact gets its manifold, and the patch that the solver sees.
#include "world/pair_motion.h"
#include "world/world.h"

#include <string.h>

enum { CONTACTS_PER_TASK = 64, PREFETCH_AHEAD = 4 };

// A pair that moved less than this part of its margin since its manifold was computed keeps it.
#define REUSE_SLACK 0.1f
// A point closer than this part of the margin counts as touching.
#define TOUCH_DISTANCE 0.25f

// ---- does the last manifold still hold?

// The last manifold still holds while the pair has hardly moved. One without points holds for as long as the pair cannot have
// come closer than is `needed`.
static bool manifold_holds(const cn_contact *contact, float moved, float needed, float slack)
{
    if (needed > contact->covered)
        return false;
    return contact->touch_count == 0 ? needed + moved <= contact->covered : moved <= slack;
}

// ---- all awake contacts

typedef struct update_summary {
    int found_count;   // patches to solve, in `found`: the first place of each contact
    int several_count; // of their contacts, those with more places, in `several`
    int more_count;    // and how many more these are
    int apart_count;   // contacts without points
    int changed_count; // contacts of the task whose touching changed or that came apart, in `changed`
    int manifolds, points;
    float deepest;
    int deepest_contact;
} update_summary;

typedef struct update_job {
    cn_world *world;
    float dt;
    float fall;            // how far what loses its support falls in the step, m
    bool measured;         // travels are
    const float *thrown;   // cn_find_thrown
    const float *blows;    // cn_find_blows
    int *changed;          // CONTACTS_PER_TASK per task
    int *several;          // likewise
    cn_found_patch *found; // likewise
    cn_found_patch *all;   // the same without gaps, with all places
    update_summary *summaries;
} update_job;

static bool is_asleep(const cn_body *body) { return body->type == CN_DYNAMIC && body->awake == CN_NONE; }

// The two bodies cannot have come closer, nor will they in this step, than the distance at which contacts are made. Whether
// travels are measured depends on all bodies of the world: a quiet pair must be one whose manifold holds.
static inline bool is_quiet(const update_job *job, const cn_awake_contact *pair)
{
    const cn_world *world = job->world;
    const cn_travel *a = &world->travels.data[pair->travel_a], *b = &world->travels.data[pair->travel_b];
    float thrown = job->thrown == NULL ? 0.0f : job->thrown[pair->travel_a] + job->thrown[pair->travel_b];
    float stir = (pair->whips ? CN_WHIP : 1.0f) * (a->stir + b->stir);
    return a->total + b->total + (double)(stir + thrown) <= pair->limit;
}

// How far beyond its margin a body may fall onto what stands: nothing else would meet what is thinner than that before it is deep inside.
// Two loose bodies fall together, and what hangs in joints does not.
static float fall_beyond(const update_job *job, const cn_body *a, const cn_body *b, float margin)
{
    if ((a->type == CN_DYNAMIC && b->type == CN_DYNAMIC) || a->joint_count + b->joint_count > 0)
        return 0.0f;
    const cn_body *loose = a->type == CN_DYNAMIC ? a : b;
    return cn_maxf(job->fall * cn_absf(loose->gravity_scale) - margin, 0.0f);
}

// Sets the limit up to which the pair is quiet. True when touching began or ended, or the boxes came apart.
static bool update_contact(const update_job *job, cn_contact *contact, cn_awake_contact *pair)
{
    const cn_world *world = job->world;
    float dt = job->dt;
    const cn_shape *shape_a = &world->shapes.data[contact->shape_a], *shape_b = &world->shapes.data[contact->shape_b];
    contact->disjoint =
        !cn_box3_overlaps(&shape_a->fat_box, &shape_b->fat_box) || cn_shapes_stay_apart(world, shape_a, shape_b);
    if (contact->disjoint)
        return true;
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_vec3 between = cn_pos_sub(b->center, a->center);
    cn_pose b_in_a = cn_relative_pose(a, b, between);
    float margin = cn_minf(shape_a->margin, shape_b->margin), slack = REUSE_SLACK * margin;
    float motion = dt * cn_pair_speed(a, b, shape_a, shape_b, between);
    float needed = margin + motion; // of a slow pair that nothing throws
    if (job->thrown != NULL || !(CN_WHIP * motion <= CN_LOOK_AHEAD * margin))
        needed = cn_look_ahead(a, b, shape_a, shape_b, margin, motion, job->thrown);
    float fall = fall_beyond(job, a, b, margin);
    needed += fall;
    float moved = cn_pair_motion(a, b, &contact->last_pose, &b_in_a);
    if (!manifold_holds(contact, moved, needed, slack)) {
        cn_scope scope = cn_find_scope(world, contact, between, job->blows, needed, dt);
        contact->covered = cn_contact_compute(world, contact, b_in_a, &scope, slack);
        contact->last_pose = b_in_a;
        moved = 0.0f;
    }
    float smallest = CN_FAR;
    pair->limit = CN_LOOK_ALWAYS;
    if (contact->touch_count == 0) {
        const cn_travel *travels = world->travels.data;
        pair->whips = cn_pair_whips(a, b, shape_a, shape_b);
        pair->limit = travels[a->travel].total + travels[b->travel].total + (double)(contact->covered - moved - margin - fall);
    }
    for (int i = 0; i < contact->touch_count; i++) {
        cn_touch *touch = cn_contact_touch(contact, i);
        smallest = cn_minf(smallest, cn_touch_fill_patch(world, contact, touch, between, motion, dt));
    }
    bool touched = contact->touching;
    // A sleeping body must be awake before it is hit, or it would be as heavy as the ground.
    float reach = is_asleep(a) || is_asleep(b) ? motion : 0.0f;
    contact->touching = contact->grazes || smallest <= cn_maxf(TOUCH_DISTANCE * margin, reach);
    return contact->touching != touched;
}

// False when there is nothing to solve, because nothing can be pushed.
static inline bool describe_patch(const cn_world *world, const cn_contact *contact, cn_patch *patch, cn_found_patch *found)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    bool may_hit = (patch->extras & (CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT)) != 0 || contact->modifies;
    *found = (cn_found_patch){ patch,           cn_encode_body(a), cn_encode_body(b),     patch->load, contact->inverse_size,
                               patch->substeps, may_hit,           cn_pair_order(contact) };
    return found->a >= 0 || found->b >= 0;
}

// More makes no difference, 1/s^2.
#define MOST_LOAD 1e9f

// What presses the two bodies together, as acceleration over size, averaged over the last steps: an impact is not a load.
static void update_load(const cn_world *world, const cn_contact *contact, cn_patch *patch, float dt)
{
    float answer = world->bodies.data[contact->body_a].inverse_mass + world->bodies.data[contact->body_b].inverse_mass;
    float pressed = (patch->total[0] + patch->total[1] + patch->total[2] + patch->total[3] - patch->impact) / dt;
    float load = pressed * answer * contact->inverse_size;
    load = !(load > 0.0f) ? 0.0f : load < MOST_LOAD ? load : MOST_LOAD;
    patch->load += 0.1f * (load - patch->load);
}

// Contacts lie in memory in the order of their creation; the processor does not guess which one comes next.
static void prefetch_contact(const cn_contact *contact)
{
    for (size_t line = 0; line < sizeof *contact; line += 64)
        __builtin_prefetch((const char *)contact + line);
}

static void measure_touch(const cn_world *world, int contact, cn_patch *patch, float dt, update_summary *summary)
{
    update_load(world, &world->contacts.data[contact], patch, dt);
    summary->manifolds++;
    summary->points += patch->point_count;
    for (int k = 0; k < patch->point_count; k++) {
        if (-patch->separation[k] > summary->deepest) {
            summary->deepest = -patch->separation[k];
            summary->deepest_contact = contact;
        }
    }
}

static void update_range(void *context, int task)
{
    update_job *job = context;
    cn_world *world = job->world;
    update_summary summary = { .deepest_contact = CN_NONE };
    int begin = task * CONTACTS_PER_TASK, end = begin + CONTACTS_PER_TASK;
    if (end > world->awake_contacts.count)
        end = world->awake_contacts.count;
    bool quiet[CONTACTS_PER_TASK + PREFETCH_AHEAD];
    for (int i = begin; i < end + PREFETCH_AHEAD; i++)
        quiet[i - begin] = i >= end || (job->measured && is_quiet(job, &world->awake_contacts.data[i]));
    for (int i = begin; i < end; i++) {
        cn_awake_contact *pair = &world->awake_contacts.data[i];
        if (!quiet[i - begin + PREFETCH_AHEAD])
            prefetch_contact(&world->contacts.data[pair[PREFETCH_AHEAD].contact]);
        if (quiet[i - begin]) {
            summary.apart_count++;
            continue;
        }
        int index = pair->contact;
        cn_contact *contact = &world->contacts.data[index];
        if (update_contact(job, contact, pair))
            job->changed[begin + summary.changed_count++] = index;
        if (contact->disjoint || contact->touch_count == 0) {
            summary.apart_count++;
            continue;
        }
        for (int k = 0; k < contact->touch_count; k++)
            measure_touch(world, index, &cn_contact_touch(contact, k)->patch, job->dt, &summary);
        if (describe_patch(world, contact, &contact->touch.patch, &job->found[begin + summary.found_count])) {
            summary.found_count++;
            summary.more_count += contact->touch_count - 1;
            if (contact->touch_count > 1)
                job->several[begin + summary.several_count++] = index;
        }
    }
    job->summaries[task] = summary;
}

// Touching began or ended, or the boxes came apart. Serial, in the order of the contacts.
static void apply_change(cn_world *world, int index)
{
    cn_contact *contact = &world->contacts.data[index];
    if (contact->disjoint) {
        cn_contact_destroy(world, index);
        return;
    }
    cn_touch_event event = { cn_shape_id_of(world, contact->shape_a), cn_shape_id_of(world, contact->shape_b) };
    if (contact->speaks && contact->touching)
        cn_array_push(&world->allocator, &world->begin_events, event);
    if (contact->speaks && !contact->touching)
        cn_array_push(&world->allocator, &world->pending_end_events, event);
    if (contact->touching) {
        int bodies[2] = { contact->body_a, contact->body_b };
        for (int side = 0; side < 2; side++)
            if (world->bodies.data[bodies[side]].type == CN_DYNAMIC && world->bodies.data[bodies[side]].awake == CN_NONE)
                cn_wake_body(world, bodies[side]);
    }
}

// Writes the patches of a contact from place number `first` on, and returns how many there are.
static int find_touches(const cn_world *world, const cn_contact *contact, int first, cn_found_patch *out)
{
    int count = 0;
    for (int k = first; k < contact->touch_count; k++)
        count += describe_patch(world, contact, &cn_contact_touch(contact, k)->patch, &out[count]);
    return count;
}

// Closes the gaps between what the tasks found.
static void gather_found(cn_world *world, update_job *job, int tasks)
{
    int count = 0;
    for (int t = 0; t < tasks; t++) {
        memmove(job->found + count, job->found + t * CONTACTS_PER_TASK,
                sizeof(cn_found_patch) * (size_t)job->summaries[t].found_count);
        count += job->summaries[t].found_count;
    }
    world->found = job->found;
}

// The same, with the places beyond the first of each contact.
static void gather_range(void *context, int task)
{
    const update_job *job = context;
    const update_summary *summary = &job->summaries[task];
    cn_found_patch *out = job->all;
    for (int t = 0; t < task; t++)
        out += job->summaries[t].found_count + job->summaries[t].more_count;
    memcpy(out, job->found + task * CONTACTS_PER_TASK, sizeof *out * (size_t)summary->found_count);
    out += summary->found_count;
    for (int i = 0; i < summary->several_count; i++)
        out += find_touches(job->world, &job->world->contacts.data[job->several[task * CONTACTS_PER_TASK + i]], 1, out);
}

// Bodies woke up: contacts that slept are awake now, and others have a body that can be pushed after all.
static void find_patches(cn_world *world)
{
    int count = 0;
    for (int i = 0; i < world->awake_contacts.count; i++)
        count += world->contacts.data[world->awake_contacts.data[i].contact].touch_count;
    world->found = cn_arena_array(&world->arena, cn_found_patch, count);
    world->found_count = 0;
    for (int i = 0; i < world->awake_contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[world->awake_contacts.data[i].contact];
        world->found_count += find_touches(world, contact, 0, world->found + world->found_count);
    }
}

void cn_update_contacts(cn_world *world, float dt)
{
    // A pair is quiet until its bodies have come near enough to fall onto each other in a step like the last one.
    float fall = dt * dt * cn_length(world->def.gravity);
    bool measured = cn_measure_travel(world, dt) && fall <= world->fall;
    world->fall = fall;
    int tasks = (world->awake_contacts.count + CONTACTS_PER_TASK - 1) / CONTACTS_PER_TASK;
    update_job job = { .world = world,
                       .dt = dt,
                       .fall = fall,
                       .measured = measured,
                       .thrown = cn_find_thrown(world, dt),
                       .blows = cn_find_blows(world, dt),
                       .changed = cn_arena_array(&world->arena, int, tasks *CONTACTS_PER_TASK),
                       .several = cn_arena_array(&world->arena, int, tasks *CONTACTS_PER_TASK),
                       .found = cn_arena_array(&world->arena, cn_found_patch, tasks * CONTACTS_PER_TASK),
                       .summaries = cn_arena_array(&world->arena, update_summary, tasks) };
    cn_tasks_run(world->tasks, update_range, &job, tasks);
    cn_step_report *report = &world->report;
    int deepest_contact = CN_NONE, more = 0;
    float deepest = 0.0f;
    world->found_count = world->apart_count = 0;
    for (int t = 0; t < tasks; t++) {
        const update_summary *summary = &job.summaries[t];
        report->manifolds += summary->manifolds;
        report->points += summary->points;
        world->found_count += summary->found_count + summary->more_count;
        world->apart_count += summary->apart_count;
        more += summary->more_count;
        if (summary->deepest > deepest) {
            deepest = summary->deepest;
            deepest_contact = summary->deepest_contact;
        }
    }
    if (deepest_contact != CN_NONE) {
        report->max_penetration = (double)deepest;
        report->worst_a = cn_shape_id_of(world, world->contacts.data[deepest_contact].shape_a);
        report->worst_b = cn_shape_id_of(world, world->contacts.data[deepest_contact].shape_b);
    }
    int awake_before = world->awake.count;
    for (int t = 0; t < tasks; t++)
        for (int i = 0; i < job.summaries[t].changed_count; i++)
            apply_change(world, job.changed[t * CONTACTS_PER_TASK + i]);
    if (world->awake.count != awake_before) {
        cn_order_awake(world);
        find_patches(world);
        return;
    }
    if (more == 0) {
        gather_found(world, &job, tasks);
        return;
    }
    world->found = job.all = cn_arena_array(&world->arena, cn_found_patch, world->found_count);
    cn_tasks_run(world->tasks, gather_range, &job, tasks);
}
