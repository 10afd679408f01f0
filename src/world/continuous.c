// Continuous collision: a body that moved further than its own size in a step is stopped where it first met something, and goes
// on from there in the next step. Everybody else keeps its time.
//
// The paths are those the solver found: the centre of mass in a straight line, turning at a steady rate. What touches from the
// beginning is the solver's business; there only the core of the body is kept out.
#include "world/meeting.h"

#include <stdlib.h>

// Bodies stop this part of the contact margin before they touch.
#define STOP_DISTANCE 0.5f
// Bodies that were stopped can be in the way of others: so often, at most, the paths of those are looked at again.
enum { ROUNDS = 4, BODIES_PER_TASK = 4 };
// A body that the solver does not get away from what it is pressed into gives up its speed after so many steps, half of it in
// each that follows: it would only be given more and more.
enum { MOST_HELD = 8 };

typedef struct stop {
    int body;       // index into world->awake
    float fraction; // of its path; 1: all of it
    bool fresh;     // what comes behind it has not been looked at since it was stopped there
    cn_turn *turns; // of its path
    int turn_count;
} stop;

typedef struct impact_job {
    const cn_world *world;
    const cn_motion *motions; // per awake body
    const cn_solve_input *input;
    int awake_count;
    stop *fast; // the bodies that are fast
    int fast_count;
    int *rank;   // per awake body: its place in `fast`, or CN_NONE
    bool behind; // the second look: at what comes behind those that were stopped
} impact_job;

// Up to which fraction of its path an awake body moves, as far as that is known.
static float path_end(const impact_job *job, const cn_body *body)
{
    int rank = body->awake < job->awake_count ? job->rank[body->awake] : CN_NONE;
    return rank != CN_NONE && job->behind ? job->fast[rank].fraction : 1.0f;
}

static cn_path path_of(const impact_job *job, int index)
{
    const cn_body *body = &job->world->bodies.data[index];
    cn_path p = { .center = body->center, .rotation = body->rotation, .end = 1.0f };
    if (body->awake == CN_NONE || body->awake >= job->awake_count) // asleep, or only just woken
        return p;
    const cn_motion *motion = &job->motions[body->awake];
    p.moved = motion->moved;
    p.turned = motion->turned;
    p.center = motion->start.center;
    p.rotation = motion->start.rotation;
    p.end = path_end(job, body);
    int rank = job->rank[body->awake];
    if (rank != CN_NONE) {
        p.turns = job->fast[rank].turns;
        p.turn_count = job->fast[rank].turn_count;
    }
    return p;
}

// ---- one fast body

typedef struct search {
    const impact_job *job;
    const cn_body *body;
    const cn_shape *shape;
    cn_path path;
    stop *stop;
    bool fast_only; // shapes that are not fast themselves are left alone
    bool touching;  // the pair that is looked at has contact points, which the solver has seen
    const cn_shape *judged; // the shape that was looked at last, and what came of it
    bool looked_after;
} search;

// Whether the shape can meet the other body at all: they move against each other by as much as makes it fast, and the balls
// around both touch on the way. Other paths end where the other was stopped, so the whole of it is in a larger ball.
static bool can_meet(const search *s, const cn_body *other, const cn_path *p)
{
    cn_vec3 moved = cn_sub(s->path.moved, p->moved);
    float turns = cn_length(s->path.turned) * s->shape->reach + cn_length(p->turned) * other->extent;
    // Another body that is pushed itself gives way; it only must not be passed through.
    float thickness = other->type == CN_DYNAMIC ? 2.0f * cn_minf(other->core, other->extent) : 0.0f;
    float least = CN_FAST_MOTION * cn_convex_inner_radius(&s->shape->convex) + thickness;
    if (p->end >= 1.0f && cn_length(moved) + turns <= least)
        return false;
    float reach = s->shape->reach + other->extent + s->shape->margin;
    if (p->end < 1.0f) {
        reach += cn_length(p->moved);
        moved = s->path.moved;
    }
    cn_vec3 start = cn_pos_sub(s->path.center, p->center);
    float length_sq = cn_length_sq(moved), along = -cn_dot(start, moved);
    float time = length_sq > 0.0f ? cn_clampf(along / length_sq, 0.0f, 1.0f) : 0.0f;
    return cn_length_sq(cn_madd(start, time, moved)) <= reach * reach;
}

static void meet_shape(search *s, const cn_shape *other)
{
    const impact_job *job = s->job;
    const cn_body *owner = &job->world->bodies.data[other->body];
    // Limbs that fly past each other do not stop the whole.
    if (owner->type == CN_DYNAMIC && s->body->joint_count > 0)
        return;
    cn_path other_path = path_of(job, other->body);
    if (!cn_shapes_collide(job->world, s->shape, other) || !can_meet(s, owner, &other_path))
        return;
    cn_meeting m = { .world = job->world,
                     .shape = s->shape,
                     .core = cn_convex_inner_radius(&s->shape->convex),
                     .middle_only = s->touching && s->body->joint_count > 0,
                     .other_shape = other,
                     .path = s->path,
                     .other_path = other_path,
                     .target = STOP_DISTANCE * cn_minf(s->shape->margin, other->margin),
                     .limit = s->stop->fraction };
    cn_meet(&m);
    s->stop->fresh |= m.limit < s->stop->fraction;
    s->stop->fraction = m.limit;
}

static search search_for(const impact_job *job, stop *place)
{
    int index = job->world->awake.data[place->body];
    search s = { .job = job, .body = &job->world->bodies.data[index], .path = path_of(job, index), .stop = place };
    s.path.end = 1.0f;
    return s;
}

// Calls `visit` for all pairs of a shape of the body with one that it may meet on its way: those it has a contact with, and
// when it left the boxes it was expected in, what else is on its path.
typedef void pair_visit(void *context, const cn_shape *mine, const cn_shape *other);

typedef struct path_query {
    const cn_world *world;
    const cn_shape *mine;
    pair_visit *visit;
    void *context;
} path_query;

static bool visit_on_path(void *context, int32_t index)
{
    path_query *q = context;
    if (!cn_pair_set_contains(q->world->pairs, (int)(q->mine - q->world->shapes.data), index))
        q->visit(q->context, q->mine, &q->world->shapes.data[index]);
    return true;
}

static void query_path(const search *s, path_query *q)
{
    const cn_motion *motion = &s->job->motions[s->stop->body];
    cn_box3 box = motion->path; // of its only shape
    if (s->body->shape_count > 1) {
        cn_box3 end = cn_shape_box(q->world, q->mine, q->mine->margin);
        box = cn_path_box(q->world, q->mine, motion, &end, q->mine->margin);
    }
    cn_tree_query(&q->world->static_tree, &box, visit_on_path, q);
    cn_tree_query(&q->world->moving_tree, &box, visit_on_path, q);
}

// Whether a contact says that the body goes nowhere dangerous: a pair without points that is farther apart than both move
// together, or two solids that hardly move against each other along the normal between them.
static bool is_safe(const search *s, const cn_contact *contact)
{
    const cn_world *world = s->job->world;
    const cn_body *bodies[2] = { &world->bodies.data[contact->body_a], &world->bodies.data[contact->body_b] };
    const cn_shape *shapes[2] = { &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b] };
    cn_vec3 moved[2] = { { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
    float turns[2] = { 0.0f, 0.0f }, bulge = 0.0f; // by how much turning moves a point, and the surface
    for (int i = 0; i < 2; i++) {
        if (bodies[i]->awake == CN_NONE)
            continue;
        const cn_motion *motion = &s->job->motions[bodies[i]->awake];
        moved[i] = cn_scale(path_end(s->job, bodies[i]), motion->moved); // what is stopped stands still from then on
        turns[i] = cn_length(motion->turned) * shapes[i]->reach;
        float uneven = bodies[i]->shape_count > 1 ? INFINITY : cn_maxf(bodies[i]->extent - bodies[i]->core, 0.0f);
        bulge += cn_minf(turns[i], uneven);
    }
    if (contact->awake == CN_NONE)
        return false;
    if (contact->touch_count == 0) {
        double totals = world->travels.data[bodies[0]->travel].total + world->travels.data[bodies[1]->travel].total;
        float motion = cn_length(moved[0]) + cn_length(moved[1]) + turns[0] + turns[1];
        return (double)motion < world->awake_contacts.data[contact->awake].limit - totals;
    }
    const float *n = contact->touch.patch.normal; // from a to b
    return !cn_is_composite(shapes[0]) && cn_dot(cn_sub(moved[0], moved[1]), cn_v3(n[0], n[1], n[2])) + bulge <=
                                              CN_DANGEROUS_DEPTH * cn_minf(cn_convex_inner_radius(&shapes[0]->convex),
                                                                           cn_convex_inner_radius(&shapes[1]->convex));
}

// Whether a shape of the body is of interest by its own motion. Contacts of one shape mostly come one after the other.
static bool is_looked_after(search *s, const cn_shape *shape)
{
    if (s->judged != shape) {
        s->judged = shape;
        s->looked_after = !cn_is_composite(shape) &&
                          (!s->fast_only || cn_is_fast_shape(s->body, shape, &s->job->motions[s->stop->body]));
    }
    return s->looked_after;
}

static void visit_pairs(search *s, pair_visit *visit, void *context)
{
    const cn_world *world = s->job->world;
    for (int key = s->body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int side = key & 1, shapes[2] = { contact->shape_a, contact->shape_b };
        key = contact->edges[side].next;
        const cn_shape *mine = &world->shapes.data[shapes[side]];
        s->touching = contact->touch_count > 0;
        if (is_looked_after(s, mine) && !is_safe(s, contact))
            visit(context, mine, &world->shapes.data[shapes[1 - side]]);
    }
    s->touching = false;
    if (!s->job->motions[s->stop->body].strayed)
        return;
    for (int k = s->body->first_shape; k != CN_NONE; k = world->shapes.data[k].next) {
        path_query query = { world, &world->shapes.data[k], visit, context };
        if (query.mine->sensor == CN_NONE && is_looked_after(s, query.mine))
            query_path(s, &query);
    }
}

static void look_ahead(void *context, const cn_shape *mine, const cn_shape *other)
{
    search *s = context;
    s->shape = mine;
    meet_shape(s, other);
}

static void find_turns(void *context, int task)
{
    impact_job *job = context;
    for (int i = task * BODIES_PER_TASK; i < (task + 1) * BODIES_PER_TASK && i < job->fast_count; i++) {
        const stop *s = &job->fast[i];
        if (s->turn_count > 0)
            cn_find_turns(&job->world->bodies.data[job->world->awake.data[s->body]], &job->motions[s->body], job->input->dt,
                          s->turns, s->turn_count);
    }
}

static void sweep_bodies(void *context, int task)
{
    impact_job *job = context;
    for (int i = task * BODIES_PER_TASK; i < (task + 1) * BODIES_PER_TASK && i < job->fast_count; i++) {
        search s = search_for(job, &job->fast[i]);
        s.fast_only = true;
        if (s.body->type == CN_DYNAMIC)
            visit_pairs(&s, look_ahead, &s);
    }
}

// ---- what comes behind

// The stopped body is in the way of another fast one.
static void look_behind(void *context, const cn_shape *mine, const cn_shape *other)
{
    const search *stopped = context;
    const impact_job *job = stopped->job;
    const cn_body *owner = &job->world->bodies.data[other->body];
    int rank = owner->awake != CN_NONE ? job->rank[owner->awake] : CN_NONE;
    if (rank == CN_NONE || owner->type != CN_DYNAMIC || owner == stopped->body)
        return;
    search s = search_for(job, &job->fast[rank]);
    s.shape = other;
    if (!cn_is_composite(other))
        meet_shape(&s, mine);
}

static int compare_stops(const void *a, const void *b)
{
    const stop *x = *(const stop *const *)a, *y = *(const stop *const *)b;
    if (x->fraction != y->fraction)
        return x->fraction < y->fraction ? -1 : 1;
    return x->body < y->body ? -1 : 1;
}

// One after the other, in the order of time.
static void stop_behind_others(cn_world *world, impact_job *job)
{
    stop **order = cn_arena_array(&world->arena, stop *, job->fast_count);
    job->behind = true;
    for (int round = 0; round < ROUNDS; round++) {
        int count = 0;
        for (int i = 0; i < job->fast_count; i++)
            if (job->fast[i].fresh)
                order[count++] = &job->fast[i];
        if (count == 0)
            return;
        qsort(order, (size_t)count, sizeof *order, compare_stops);
        for (int i = 0; i < count; i++) {
            search s = search_for(job, order[i]);
            order[i]->fresh = false;
            visit_pairs(&s, look_behind, &s);
        }
    }
}

// ---- the stage

// After a body was put elsewhere at the end of a step.
static void place_shapes_again(cn_world *world, int index)
{
    const cn_body *body = &world->bodies.data[index];
    if (body->awake != CN_NONE && body->awake < world->move_events.count)
        world->move_events.data[body->awake].transform = (cn_transform){ cn_body_origin(body), body->rotation };
    cn_contacts_look_again(world, index);
    for (int k = body->first_shape; k != CN_NONE; k = world->shapes.data[k].next)
        cn_shape_refresh(world, k);
}

// The angular velocity of a body that is stopped on its way, seen from the body: on that depends its energy.
static cn_vec3 spin_at(const impact_job *job, int awake, const cn_path *path, float fraction)
{
    const cn_body *body = &job->world->bodies.data[job->world->awake.data[awake]];
    const cn_body_drive *drive = &job->input->drives[awake];
    if (!(drive->free || drive->struck) || !cn_body_tumbles(body))
        return cn_unrotate(body->rotation, body->angular_velocity);
    const cn_motion *motion = &job->motions[awake];
    cn_vec3 spin = motion->spin;
    cn_quat rotation = motion->start.rotation;
    float dt = job->input->dt;
    if (path->turn_count != 1 && dt * cn_length(spin) <= CN_MOST_FREE_TURN) // or else it is the same all along its path
        cn_rotate_freely(body, fraction * dt, &rotation, &spin);
    return cn_unrotate(rotation, spin);
}

// Puts a body back to where it met something. It has used a part of the step only, and so has gravity.
static void stop_body(cn_world *world, const impact_job *job, int awake, float fraction)
{
    int index = world->awake.data[awake];
    cn_body *body = &world->bodies.data[index];
    const cn_body_drive *drive = &job->input->drives[awake];
    const float *pull = drive->acceleration;
    float dt = job->input->dt;
    cn_path path = path_of(job, index);
    cn_vec3 spin = spin_at(job, awake, &path, fraction);
    body->center = cn_pos_add(path.center, cn_scale(fraction, path.moved));
    body->rotation = cn_path_rotation(&path, fraction);
    body->angular_velocity = cn_rotate(body->rotation, spin);
    if (drive->free)
        body->linear_velocity = cn_madd(body->linear_velocity, (fraction - 1.0f) * dt, cn_v3(pull[0], pull[1], pull[2]));
    body->held = fraction > 0.01f ? 0 : (uint8_t)(body->held + (body->held < UINT8_MAX));
    if (body->held > MOST_HELD) {
        body->linear_velocity = cn_scale(0.5f, body->linear_velocity);
        body->angular_velocity = cn_scale(0.5f, body->angular_velocity);
    }
    cn_body_limit_speeds(body);
    place_shapes_again(world, index);
    world->report.stopped++;
}

static void stop_bodies(cn_world *world, const impact_job *job)
{
    float *fractions = cn_arena_array(&world->arena, float, job->awake_count);
    for (int i = 0; i < job->awake_count; i++)
        fractions[i] = 1.0f;
    bool any = false;
    for (int i = 0; i < job->fast_count; i++) {
        fractions[job->fast[i].body] = job->fast[i].fraction;
        any |= job->fast[i].fraction < 1.0f;
        world->bodies.data[world->awake.data[job->fast[i].body]].held *= job->fast[i].fraction < 1.0f;
    }
    if (any && world->joint_count > 0)
        cn_spread_stops_over_joints(world, fractions);
    for (int i = 0; any && i < job->awake_count; i++)
        if (fractions[i] < 1.0f)
            stop_body(world, job, i, fractions[i]);
}

// ---- kinematic bodies, which nothing stops

// A body that a kinematic one met on its way, and takes along from there.
typedef struct taken {
    int body, by;
    float fraction;
} taken;

typedef struct taking {
    search search; // the kinematic body
    taken *list;
    int count, capacity;
} taking;

static void look_aside(void *context, const cn_shape *mine, const cn_shape *other)
{
    taking *t = context;
    const impact_job *job = t->search.job;
    const cn_body *body = &job->world->bodies.data[other->body];
    stop place = { .body = body->awake, .fraction = 1.0f };
    search s = { .job = job, .body = body, .shape = other, .path = path_of(job, other->body), .stop = &place };
    if (body->type != CN_DYNAMIC || !body->continuous || cn_is_composite(other))
        return;
    meet_shape(&s, mine);
    if (place.fraction < 1.0f && t->count < t->capacity)
        t->list[t->count++] = (taken){ other->body, mine->body, place.fraction };
}

static cn_transform place_on(const cn_path *p, float fraction)
{
    float part = cn_minf(fraction, p->end);
    return (cn_transform){ cn_pos_add(p->center, cn_scale(part, p->moved)), cn_path_rotation(p, part) };
}

// Moves a body as if it had been fixed to the kinematic one since they met. The contact pushes it in the next step.
static void take_along(cn_world *world, const impact_job *job, const taken *t)
{
    cn_path own = path_of(job, t->body), by = path_of(job, t->by);
    cn_transform met = place_on(&own, t->fraction), from = place_on(&by, t->fraction), to = place_on(&by, 1.0f);
    cn_quat turn = cn_quat_mul(to.rotation, cn_quat_conj(from.rotation));
    cn_wake_body(world, t->body);
    cn_body *body = &world->bodies.data[t->body];
    body->center = cn_pos_add(to.position, cn_rotate(turn, cn_pos_sub(met.position, from.position)));
    body->rotation = cn_quat_normalize(cn_quat_mul(turn, met.rotation));
    place_shapes_again(world, t->body);
}

static int compare_taken(const void *a, const void *b)
{
    const taken *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    return x->fraction < y->fraction ? -1 : x->fraction > y->fraction ? 1 : x->by < y->by ? -1 : x->by > y->by;
}

static void take_others_along(cn_world *world, impact_job *job)
{
    taking t = { .capacity = 0 };
    for (int i = 0; i < job->fast_count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[job->fast[i].body]];
        t.capacity += body->type == CN_KINEMATIC ? body->contact_count : 0;
    }
    if (t.capacity == 0)
        return;
    t.list = cn_arena_array(&world->arena, taken, t.capacity);
    for (int i = 0; i < job->fast_count; i++) {
        t.search = search_for(job, &job->fast[i]);
        t.search.fast_only = true;
        if (t.search.body->type == CN_KINEMATIC)
            visit_pairs(&t.search, look_aside, &t);
    }
    qsort(t.list, (size_t)t.count, sizeof *t.list, compare_taken);
    for (int i = 0; i < t.count; i++)
        if (i == 0 || t.list[i].body != t.list[i - 1].body)
            take_along(world, job, &t.list[i]);
}

void cn_stop_at_impacts(cn_world *world, const cn_solve_input *input, const cn_motion *motions)
{
    int count = world->awake.count;
    impact_job job = { .world = world,
                       .motions = motions,
                       .input = input,
                       .awake_count = count,
                       .fast = cn_arena_array(&world->arena, stop, count),
                       .rank = cn_arena_array(&world->arena, int, count) };
    for (int i = 0; i < count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        job.rank[i] = CN_NONE;
        if (!cn_is_fast(world, body, &motions[i]))
            continue;
        job.rank[i] = job.fast_count;
        stop *s = &job.fast[job.fast_count++];
        *s = (stop){ .body = i, .fraction = 1.0f, .turn_count = cn_count_turns(world, body, &input->drives[i], &motions[i], input->dt) };
        if (s->turn_count > 0)
            s->turns = cn_arena_array(&world->arena, cn_turn, s->turn_count);
    }
    cn_tasks_run(world->tasks, find_turns, &job, (job.fast_count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    cn_tasks_run(world->tasks, sweep_bodies, &job, (job.fast_count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    stop_behind_others(world, &job);
    stop_bodies(world, &job);
    take_others_along(world, &job);
}
