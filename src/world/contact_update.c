// The narrow phase stage of a step: every awake contact gets its manifold, and the patch that the solver sees.
#include "base/simd.h"
#include "world/world.h"

#include <string.h>

enum { CONTACTS_PER_TASK = 64, PREFETCH_AHEAD = 4 };

// A pair that moved less than this part of its margin since its manifold was computed keeps it.
#define REUSE_SLACK 0.1f
// A point closer than this part of the margin counts as touching.
#define TOUCH_DISTANCE 0.25f
// Fast pairs are looked at further ahead, up to this many margins (the inner radius of the smaller shape).
#define LOOK_AHEAD 25.0f
// One of a surface and what is long or flat up to its size: hit at one end, the other end comes down up to so many times as
// fast.
#define WHIP 2.5f
// What is so many times as large as the other is like a surface to it.
#define MUCH_LARGER 4.0f
// Those of joined bodies up to this many times the extent of the smaller one.
#define JOINED_LOOK_AHEAD 8.0f
// Bodies that move against each other by more than this many margins per step are followed exactly while they do.
#define SLIDING_MOTION 0.05f
// A gap wider than this part of the margin is watched within the step.
#define APART_DISTANCE 0.05f

// ---- does the last manifold still hold?

// From the centre of mass of the body to the middle of a shape, in world axes.
static cn_vec3 shape_arm(const cn_body *body, const cn_shape *shape)
{
    if (shape->centered || cn_is_composite(shape))
        return cn_v3(0.0f, 0.0f, 0.0f);
    return cn_rotate(body->rotation, cn_pose_point(shape->pose, cn_convex_center(&shape->convex)));
}

// An upper bound on how fast any point of the smaller shape moves relative to the larger one where they are close: two bodies
// that turn together do not move against each other.
static float pair_speed(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, cn_vec3 between)
{
    bool a_is_larger = a->extent >= b->extent;
    const cn_shape *smaller = a_is_larger ? shape_b : shape_a;
    cn_vec3 spin = a_is_larger ? a->angular_velocity : b->angular_velocity; // of the larger; its surface is carried along by it
    cn_vec3 drift = cn_sub(cn_sub(b->linear_velocity, a->linear_velocity), cn_cross(spin, between));
    cn_vec3 turning = cn_sub(b->angular_velocity, a->angular_velocity), arm = shape_arm(a_is_larger ? b : a, smaller);
    return cn_length(cn_add(drift, cn_cross(turning, arm))) + cn_length(turning) * smaller->size;
}

// How far ahead a pair is looked at that can move by `motion` in this step.
static float look_ahead(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, float margin,
                        float motion)
{
    float compact = LOOK_AHEAD * margin;
    if (a->joint_count + b->joint_count > 0) // stopping one of them on its way would tear it from the others
        return cn_minf(motion, cn_maxf(compact, JOINED_LOOK_AHEAD * cn_minf(a->extent, b->extent)));
    // Only towards surfaces and walls that are much larger, whose normal stays the same when another part of the shape comes down on them.
    float smaller = cn_minf(shape_a->size, shape_b->size), larger = cn_maxf(shape_a->size, shape_b->size);
    bool loose = a->type == CN_DYNAMIC && b->type == CN_DYNAMIC;
    if (!cn_is_composite(shape_a) && (loose || larger < MUCH_LARGER * smaller))
        return cn_minf(motion, compact);
    float longest = cn_maxf(smaller - compact, 0.0f);
    return cn_minf(motion, compact) + cn_clampf(WHIP * motion - compact, 0.0f, longest);
}

static cn_pose relative_pose(const cn_body *a, const cn_body *b, cn_vec3 between)
{
    cn_quat inverse = cn_quat_conj(a->rotation);
    return (cn_pose){ cn_rotate(inverse, between), cn_quat_mul(inverse, b->rotation) };
}

// An upper bound on how far any point of the smaller body moved relative to the other, in whose frame it must be measured: a
// large body that turns on the spot moves its surface, but not its centre.
static float pair_motion(const cn_body *a, const cn_body *b, const cn_pose *from, const cn_pose *to)
{
    if (b->extent <= a->extent)
        return cn_pose_motion(from, to, b->extent);
    cn_pose a_from = cn_pose_inverse(*from), a_to = cn_pose_inverse(*to);
    return cn_pose_motion(&a_from, &a_to, a->extent);
}

// The last manifold still holds while the pair has hardly moved. One without points holds for as long as the pair cannot have
// come closer than is `needed`.
static bool manifold_holds(const cn_contact *contact, float moved, float needed, float slack)
{
    if (needed > contact->covered)
        return false;
    return contact->touch_count == 0 ? needed + moved <= contact->covered : moved <= slack;
}

// ---- the patch for the solver

static void fill_patch_materials(const cn_world *world, const cn_contact *contact, cn_touch *touch, const cn_body *a,
                                 const cn_body *b, bool sliding, float dt)
{
    cn_patch *patch = &touch->patch;
    cn_mix mix = cn_touch_mix(world, contact, touch);
    patch->friction = patch->sliding ? mix.kinetic_friction : mix.friction;
    patch->spin_arm = mix.spin_arm;
    patch->extras = 0;
    if (mix.restitution > 0.0f || contact->hits)
        patch->extras |= CN_EXTRA_RESTITUTION;
    if (mix.rolling_arm > 0.0f)
        patch->extras |= CN_EXTRA_ROLLING;
    if (((a->locks | b->locks) & (CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Y | CN_LOCK_LINEAR_Z)) != 0)
        patch->extras |= CN_EXTRA_LOCKS;
    patch->restitution = mix.restitution;
    patch->rolling_arm = mix.rolling_arm;
    if (a->inverse_mass > 0.0f && b->inverse_mass > 0.0f && sliding)
        patch->extras |= CN_EXTRA_SLIDING;
    cn_touch_set_surface_velocity(world, contact, touch, &mix, dt);
    if (mix.grain != CN_GRAIN_NONE)
        cn_touch_set_grain(world, contact, touch, &mix);
}

// A ball about its centre of mass.
static bool is_ball(const cn_shape *shape)
{
    return shape->convex.type == CN_SPHERE && cn_length_sq(shape->pose.position) == 0.0f;
}

// Whether some point closes within the step, at that speed or faster. Contact forces can stop what comes by less than its size in a step;
// what is faster is an impact, also where it does not bounce.
static bool is_struck(const cn_patch *patch, const cn_body *a, const cn_body *b, float threshold, float dt)
{
    cn_vec3 n = { patch->normal[0], patch->normal[1], patch->normal[2] };
    cn_vec3 between = { patch->between[0], patch->between[1], patch->between[2] };
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = { patch->points[0][k], patch->points[1][k], patch->points[2][k] };
        cn_vec3 va = cn_add(a->linear_velocity, cn_cross(a->angular_velocity, arm));
        cn_vec3 vb = cn_add(b->linear_velocity, cn_cross(b->angular_velocity, cn_sub(arm, between)));
        float speed = cn_dot(n, cn_sub(va, vb));
        if (speed > threshold && patch->separation[k] < dt * speed)
            return true;
    }
    return false;
}

static cn_f4 splat(float x) { return (cn_f4){ x, x, x, x }; }

// R p for the four points at once.
static void rotate_points(const cn_mat3 *r, const float rows[3][CN_MAX_POINTS], cn_f4 out[3])
{
    cn_f4 x = *(const cn_f4 *)rows[0], y = *(const cn_f4 *)rows[1], z = *(const cn_f4 *)rows[2];
    out[0] = splat(r->x.x) * x + splat(r->y.x) * y + splat(r->z.x) * z;
    out[1] = splat(r->x.y) * x + splat(r->y.y) * y + splat(r->z.y) * z;
    out[2] = splat(r->x.z) * x + splat(r->y.z) * y + splat(r->z.z) * z;
}

// Where the points are now: carried along by both bodies, and measured along the normal, which turns with a. Returns the
// smallest separation, and the largest.
static float fill_patch_points(cn_touch *touch, const cn_body *a, const cn_body *b, cn_vec3 between, float *largest)
{
    cn_patch *patch = &touch->patch;
    cn_mat3 rotation_a = cn_mat3_from_quat(a->rotation), rotation_b = cn_mat3_from_quat(b->rotation);
    cn_vec3 normal = cn_mat3_mul(&rotation_a, touch->local_normal);
    const float n[3] = { normal.x, normal.y, normal.z }, offset[3] = { between.x, between.y, between.z };
    cn_f4 on_a[3], on_b[3], separation = splat(0.0f);
    rotate_points(&rotation_a, touch->anchors.a, on_a);
    rotate_points(&rotation_b, touch->anchors.b, on_b);
    for (int k = 0; k < 3; k++) {
        patch->normal[k] = n[k];
        patch->between[k] = offset[k];
        on_b[k] += splat(offset[k]);
        *(cn_f4 *)patch->points[k] = splat(0.5f) * (on_a[k] + on_b[k]);
        separation += splat(n[k]) * (on_b[k] - on_a[k]);
    }
    *(cn_f4 *)patch->separation = separation;
    float smallest = CN_FAR;
    *largest = -CN_FAR;
    for (int i = 0; i < patch->point_count; i++) {
        smallest = cn_minf(smallest, patch->separation[i]);
        *largest = cn_maxf(*largest, patch->separation[i]);
    }
    for (int i = patch->point_count; i < CN_MAX_POINTS; i++) {
        patch->points[0][i] = patch->points[1][i] = patch->points[2][i] = 0.0f;
        patch->separation[i] = CN_FAR;
    }
    return smallest;
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
    bool measured;         // travels are
    const float *thrown;   // cn_find_thrown
    int *changed;          // CONTACTS_PER_TASK per task
    int *several;          // likewise
    cn_found_patch *found; // likewise
    cn_found_patch *all;   // the same without gaps, with all places
    update_summary *summaries;
} update_job;

static bool is_asleep(const cn_body *body) { return body->type == CN_DYNAMIC && body->awake == CN_NONE; }

// The two bodies cannot have come closer, nor will they in this step, than the distance at which contacts are made.
static bool is_quiet(const update_job *job, const cn_awake_contact *pair)
{
    const cn_world *world = job->world;
    const cn_travel *a = &world->travels.data[pair->travel_a], *b = &world->travels.data[pair->travel_b];
    float thrown = job->thrown == NULL ? 0.0f : job->thrown[pair->travel_a] + job->thrown[pair->travel_b];
    return a->total + b->total + (double)(a->stir + b->stir + thrown) <= pair->limit;
}

// Sets the limit up to which the pair is quiet. True when touching began or ended, or the boxes came apart.
static bool update_contact(const update_job *job, cn_contact *contact, double *limit)
{
    const cn_world *world = job->world;
    float dt = job->dt;
    const cn_shape *shape_a = &world->shapes.data[contact->shape_a], *shape_b = &world->shapes.data[contact->shape_b];
    contact->disjoint = !cn_box3_overlaps(&shape_a->fat_box, &shape_b->fat_box);
    if (contact->disjoint)
        return true;
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_vec3 between = cn_pos_sub(b->center, a->center);
    cn_pose b_in_a = relative_pose(a, b, between);
    float margin = cn_minf(shape_a->margin, shape_b->margin), slack = REUSE_SLACK * margin;
    float motion = dt * pair_speed(a, b, shape_a, shape_b, between);
    float thrown = job->thrown == NULL ? 0.0f : cn_maxf(job->thrown[a->travel], job->thrown[b->travel]);
    float ahead = look_ahead(a, b, shape_a, shape_b, margin, motion);
    float needed = margin + cn_maxf(ahead, cn_minf(thrown, LOOK_AHEAD * margin));
    float moved = pair_motion(a, b, &contact->last_pose, &b_in_a);
    if (!manifold_holds(contact, moved, needed, slack)) {
        contact->covered = cn_contact_compute(world, contact, b_in_a, needed, slack);
        contact->last_pose = b_in_a;
        moved = 0.0f;
    }
    float smallest = CN_FAR;
    *limit = CN_LOOK_ALWAYS;
    if (contact->touch_count == 0) {
        const cn_travel *travels = world->travels.data;
        *limit = travels[a->travel].total + travels[b->travel].total + (double)(contact->covered - moved - margin);
    }
    for (int i = 0; i < contact->touch_count; i++) {
        cn_touch *touch = cn_contact_touch(contact, i);
        float largest;
        smallest = cn_minf(smallest, fill_patch_points(touch, a, b, between, &largest));
        fill_patch_materials(world, contact, touch, a, b, motion > SLIDING_MOTION * margin, dt);
        if (largest > APART_DISTANCE * margin)
            touch->patch.extras |= CN_EXTRA_APART;
        float fast = cn_maxf(world->def.restitution_speed, 1.0f / (dt * touch->patch.inverse_size));
        if (a->joint_count + b->joint_count == 0 && motion > dt * fast && is_struck(&touch->patch, a, b, fast, dt))
            touch->patch.extras |= CN_EXTRA_IMPACT;
        touch->patch.balls = is_ball(shape_a) && is_ball(shape_b) ? 1.0f : 0.0f;
    }
    bool touched = contact->touching;
    // A sleeping body must be awake before it is hit, or it would be as heavy as the ground.
    float reach = is_asleep(a) || is_asleep(b) ? motion : 0.0f;
    contact->touching = contact->grazes || smallest <= cn_maxf(TOUCH_DISTANCE * margin, reach);
    return contact->touching != touched;
}

// False when there is nothing to solve, because nothing can be pushed.
static bool describe_patch(const cn_world *world, const cn_contact *contact, cn_patch *patch, cn_found_patch *found)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    *found = (cn_found_patch){ patch, cn_encode_body(a), cn_encode_body(b), patch->load, patch->inverse_size, patch->substeps,
                               cn_pair_order(contact) };
    return found->a >= 0 || found->b >= 0;
}

// More makes no difference, 1/s^2.
#define MOST_LOAD 1e9f

// What presses the two bodies together, as acceleration over size, averaged over the last steps: an impact is not a load.
static void update_load(const cn_world *world, const cn_contact *contact, cn_patch *patch, float dt)
{
    float answer = world->bodies.data[contact->body_a].inverse_mass + world->bodies.data[contact->body_b].inverse_mass;
    float pressed = (patch->total[0] + patch->total[1] + patch->total[2] + patch->total[3] - patch->impact) / dt;
    float load = pressed * answer * patch->inverse_size;
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
    for (int i = begin; i < end; i++) {
        cn_awake_contact *pair = &world->awake_contacts.data[i];
        if (i + PREFETCH_AHEAD < end && !(job->measured && is_quiet(job, pair + PREFETCH_AHEAD)))
            prefetch_contact(&world->contacts.data[pair[PREFETCH_AHEAD].contact]);
        if (job->measured && is_quiet(job, pair)) {
            summary.apart_count++;
            continue;
        }
        int index = pair->contact;
        cn_contact *contact = &world->contacts.data[index];
        if (update_contact(job, contact, &pair->limit))
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
    bool measured = cn_measure_travel(world, dt);
    int tasks = (world->awake_contacts.count + CONTACTS_PER_TASK - 1) / CONTACTS_PER_TASK;
    update_job job = { .world = world,
                       .dt = dt,
                       .measured = measured,
                       .thrown = cn_find_thrown(world, dt),
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
