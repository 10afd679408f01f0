// Continuous collision: a body that moved further than its own size in a step is stopped where it first met something, and goes
// on from there in the next step. Everybody else keeps its time.
//
// The paths are those the solver found: the centre of mass in a straight line, turning at a steady rate. What touches from the
// beginning is the solver's business; there only the core of the body is kept out.
#include "collide/cast.h"
#include "world/world.h"

#include <stdlib.h>

// A body is fast when some point of it moves by more than this part of its inner radius in a step.
#define FAST_MOTION 0.75f
// An impact counts when the body would go further into the other than this part of its inner radius.
#define DANGEROUS_DEPTH 0.5f
// What touches from the beginning is kept out of the core, which is this part of the inner radius below the surface.
#define CORE_DEPTH 0.5f
// Bodies stop this part of the contact margin before they touch.
#define STOP_DISTANCE 0.5f
// Bodies that were stopped can be in the way of others: so often, at most, the paths of those are looked at again.
enum { ROUNDS = 4, BODIES_PER_TASK = 4 };
// Steps along the path of what touches from the beginning, at most.
enum { MOST_STEPS = 256 };

typedef struct path {
    cn_pos3 center; // at the beginning of the step
    cn_quat rotation;
    cn_vec3 moved, turned;
    float end; // the part of it that is gone
} path;

typedef struct stop {
    int body;       // index into world->awake
    float fraction; // of its path; 1: all of it
    bool fresh;     // what comes behind it has not been looked at since it was stopped there
} stop;

typedef struct impact_job {
    const cn_world *world;
    const cn_motion *motions; // per awake body
    stop *fast;               // the bodies that are fast
    int fast_count;
    int *rank;   // per awake body: its place in `fast`, or CN_NONE
    bool behind; // the second look: at what comes behind those that were stopped
} impact_job;

static path path_of(const impact_job *job, int index)
{
    const cn_body *body = &job->world->bodies.data[index];
    path p = { body->center, body->rotation, { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f }, 1.0f };
    if (body->awake == CN_NONE)
        return p;
    const cn_motion *motion = &job->motions[body->awake];
    p.moved = motion->moved;
    p.turned = motion->turned;
    p.center = motion->start.center;
    p.rotation = motion->start.rotation;
    int rank = job->rank[body->awake];
    if (rank != CN_NONE && job->behind)
        p.end = job->fast[rank].fraction;
    return p;
}

// The stretch of a path between two fractions of the step, for a shape of the body, relative to `origin`. Beyond its end it
// rests.
static cn_sweep stretch(const path *p, const cn_shape *shape, cn_pos3 origin, float from, float to)
{
    float begin = cn_minf(from, p->end), length = cn_minf(to, p->end) - begin;
    cn_vec3 offset = cn_madd(cn_pos_sub(p->center, origin), begin, p->moved);
    cn_quat rotation = cn_quat_normalize(cn_quat_mul(cn_quat_exp(cn_scale(begin, p->turned)), p->rotation));
    return (cn_sweep){ { offset, rotation }, cn_scale(length, p->moved), cn_scale(length, p->turned), shape->pose };
}

// ---- one pair of shapes

typedef struct meeting {
    const cn_world *world;
    const cn_body *body;
    const cn_shape *shape, *other_shape;
    path path, other_path;       // that of the fast body goes all the way
    float target;                // the distance that counts as meeting, m
    float limit;                 // earliest impact so far
    const cn_triangle *triangle; // that is being looked at, of a surface
} meeting;

// How far the fast body would still go into the other where they meet; `rest` is what is left of its way, in stretches.
static float remaining_depth(const cn_sweep *mine, const cn_sweep *theirs, const cn_cast_result *hit, float rest)
{
    cn_vec3 arm = cn_sub(hit->point, cn_madd(mine->pose.position, hit->fraction, mine->moved));
    cn_vec3 other_arm = cn_sub(hit->point, cn_madd(theirs->pose.position, hit->fraction, theirs->moved));
    cn_vec3 motion = cn_add(mine->moved, cn_cross(mine->turned, arm));
    cn_vec3 other_motion = cn_add(theirs->moved, cn_cross(theirs->turned, other_arm));
    return -rest * cn_dot(cn_sub(motion, other_motion), hit->normal);
}

// The shape without its outermost layer.
static cn_convex eroded(const cn_convex *shape)
{
    float depth = CORE_DEPTH * cn_convex_inner_radius(shape);
    cn_convex inner = *shape;
    inner.radius -= depth; // of what has one
    inner.half_extents = cn_sub(shape->half_extents, cn_v3(depth, depth, depth));
    if (shape->type == CN_CYLINDER)
        inner.half_height -= depth;
    if (shape->type == CN_HULL)
        inner = (cn_convex){ .type = CN_SPHERE, .radius = depth };
    return inner;
}

static float core_distance(const cn_convex *part, const cn_sweep *theirs, const cn_convex *core, const cn_sweep *mine,
                           float time)
{
    cn_pose a = cn_sweep_at(theirs, time), b = cn_sweep_at(mine, time), b_in_a = cn_pose_mul(cn_pose_inverse(a), b);
    b_in_a.rotation = cn_quat_normalize(b_in_a.rotation);
    return cn_convex_distance(part, core, b_in_a).distance;
}

// A core that is at the surface already may come and go before it enters for good, so the path is looked at in steps that are
// smaller than the core.
static bool core_enters(const meeting *m, const cn_convex *part, const cn_sweep *theirs, const cn_convex *core,
                        const cn_sweep *mine, float limit, float *fraction)
{
    float motion = cn_length(cn_sub(mine->moved, theirs->moved)) + cn_length(mine->turned) * m->body->extent;
    float wanted = motion / (CORE_DEPTH * m->body->core);
    int steps = wanted < (float)MOST_STEPS ? 1 + (int)wanted : MOST_STEPS;
    float before = core_distance(part, theirs, core, mine, 0.0f);
    for (int i = 1; i <= steps && (float)(i - 1) < limit * (float)steps; i++) {
        float now = core_distance(part, theirs, core, mine, (float)i / (float)steps);
        if (now < m->target && now < before) {
            *fraction = (float)(i - 1) / (float)steps;
            return true;
        }
        before = now;
    }
    return false;
}

// What touches from the beginning may go on until its core does.
static bool meet_core(const meeting *m, const cn_convex *part, const cn_sweep *mine, const cn_sweep *theirs, float limit,
                      float *fraction)
{
    cn_convex core = eroded(&m->shape->convex);
    cn_sweep sweep = *mine;
    if (m->shape->convex.type == CN_HULL)
        sweep.shape.position = cn_pose_point(mine->shape, m->shape->convex.hull->center);
    cn_cast_result hit;
    if (!cn_time_of_impact(part, theirs, &core, &sweep, m->target, limit, &hit))
        return false;
    *fraction = hit.fraction;
    return hit.fraction > 0.0f || core_enters(m, part, theirs, &core, &sweep, limit, fraction);
}

// Over a flat or concave edge of a surface nothing is hit from the side: the neighbour goes on there.
static void correct_normal(const cn_triangle *triangle, const cn_sweep *theirs, float tolerance, cn_cast_result *hit)
{
    cn_pose pose = cn_sweep_at(theirs, hit->fraction);
    cn_vec3 point = cn_pose_unpoint(pose, hit->point), normal = cn_unrotate(pose.rotation, hit->normal);
    for (int i = 0; i < 3; i++) {
        cn_vec3 corner = triangle->vertices[i], edge = cn_sub(triangle->vertices[i < 2 ? i + 1 : 0], corner);
        cn_vec3 outward = cn_normalize(cn_cross(edge, triangle->normal));
        if (triangle->lean[i] == 0.0f && cn_dot(normal, outward) > 0.0f && cn_dot(cn_sub(point, corner), outward) > -tolerance)
            hit->normal = cn_rotate(pose.rotation, triangle->normal);
    }
}

// Whether a hit would take the body further into the other than it may go without being stopped.
static bool is_dangerous(const meeting *m, const cn_sweep *mine, const cn_sweep *theirs, const cn_cast_result *hit, float rest)
{
    if (remaining_depth(mine, theirs, hit, rest) <= DANGEROUS_DEPTH * m->body->core)
        return false;
    cn_pos3 point = cn_pos_add(m->path.center, hit->point);
    cn_vec3 center = cn_pose_point(cn_sweep_at(mine, hit->fraction), cn_convex_center(&m->shape->convex));
    return !cn_is_ghost_hit(m->world, m->shape, m->other_shape, point, cn_pos_add(m->path.center, center), hit->normal);
}

// Looks at one stretch of both paths. The part of the other lies at `pose` in its shape. True when they meet in it.
static bool meet_stretch(meeting *m, const cn_convex *part, cn_pose pose, float from, float to)
{
    cn_sweep mine = stretch(&m->path, m->shape, m->path.center, from, to);
    cn_sweep theirs = stretch(&m->other_path, m->other_shape, m->path.center, from, to);
    theirs.shape = cn_pose_mul(theirs.shape, pose);
    float length = to - from, limit = cn_minf((m->limit - from) / length, 1.0f);
    cn_cast_result hit;
    if (limit <= 0.0f || !cn_time_of_impact(part, &theirs, &m->shape->convex, &mine, m->target, limit, &hit))
        return false;
    if (hit.fraction <= 0.0f) { // they touch from the beginning
        if (!meet_core(m, part, &mine, &theirs, limit, &hit.fraction))
            return false;
    } else {
        if (m->triangle != NULL)
            correct_normal(m->triangle, &theirs, 4.0f * m->target, &hit);
        if (!is_dangerous(m, &mine, &theirs, &hit, (1.0f - from) / length - hit.fraction))
            return false;
    }
    m->limit = from + length * hit.fraction;
    return true;
}

static void meet_convex(meeting *m, const cn_convex *part, cn_pose pose)
{
    float bend = m->other_path.end; // where the other was stopped
    if (bend <= 0.0f || bend >= 1.0f)
        meet_stretch(m, part, pose, 0.0f, 1.0f);
    else if (!meet_stretch(m, part, pose, 0.0f, bend))
        meet_stretch(m, part, pose, bend, 1.0f);
}

// ---- shapes of many parts

static float meet_part(void *context, int index, float limit)
{
    meeting *m = context;
    cn_part part;
    (void)limit;
    cn_composite_part(&m->other_shape->composite, index, &part);
    if (part.is_triangle) {
        // Triangles stop what comes from their front.
        cn_sweep mine = stretch(&m->path, m->shape, m->path.center, 0.0f, 1.0f);
        cn_sweep theirs = stretch(&m->other_path, m->other_shape, m->path.center, 0.0f, 1.0f);
        cn_vec3 center = cn_pose_point(cn_sweep_at(&mine, 0.0f), cn_convex_center(&m->shape->convex));
        cn_vec3 local = cn_pose_unpoint(cn_sweep_at(&theirs, 0.0f), center);
        cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part.triangle.vertices };
        m->triangle = &part.triangle;
        if (cn_dot(cn_sub(local, part.triangle.vertices[0]), part.triangle.normal) > 0.0f)
            meet_convex(m, &triangle, (cn_pose)CN_POSE_IDENTITY);
    } else {
        meet_convex(m, &part.solid, part.pose);
    }
    return m->limit;
}

// Half the extents of the box around the shape wherever it is on its path, relative to its body's centre of mass.
static cn_vec3 path_extents(const meeting *m, cn_quat frame)
{
    float grow = m->target, reach = m->body->extent + grow;
    if (cn_length_sq(m->path.turned) > 0.0f || cn_length_sq(m->other_path.turned) > 0.0f)
        return cn_v3(reach, reach, reach);
    cn_quat rotation = cn_quat_mul(cn_quat_conj(frame), m->path.rotation);
    cn_pose pose = { cn_rotate(rotation, m->shape->pose.position), cn_quat_mul(rotation, m->shape->pose.rotation) };
    cn_vec3 lower, upper;
    cn_shape_local_bounds(m->shape, pose, &lower, &upper);
    return cn_add(cn_max3(cn_abs3(lower), cn_abs3(upper)), cn_v3(grow, grow, grow));
}

// In the frame of the composite shape the centre of mass goes along a chord of its true path; the box is larger by as much as
// the arc of a turning frame can bulge.
static void meet_composite(meeting *m)
{
    cn_sweep theirs = stretch(&m->other_path, m->other_shape, m->path.center, 0.0f, 1.0f);
    cn_pose begin = cn_sweep_at(&theirs, 0.0f), end = cn_sweep_at(&theirs, 1.0f);
    cn_vec3 from = cn_pose_unpoint(begin, cn_v3(0.0f, 0.0f, 0.0f)), to = cn_pose_unpoint(end, m->path.moved);
    cn_vec3 half = path_extents(m, begin.rotation);
    float angle_sq = cn_length_sq(m->other_path.turned), bulge = 0.125f * angle_sq * (cn_length(from) + cn_length(to));
    half = cn_add(half, cn_v3(bulge, bulge, bulge));
    cn_composite_sweep(&m->other_shape->composite, from, cn_sub(to, from), half, m->limit, meet_part, m);
}

// ---- one fast body

typedef struct search {
    const impact_job *job;
    const cn_body *body;
    const cn_shape *shape;
    path path;
    stop *stop;
} search;

// Whether the body can meet the other at all: they move against each other by as much as makes it fast, and the balls around
// both touch on the way. Other paths end where the other was stopped, so the whole of it is in a larger ball.
static bool can_meet(const search *s, const cn_body *other, const path *p)
{
    cn_vec3 moved = cn_sub(s->path.moved, p->moved);
    float turns = cn_length(s->path.turned) * s->body->extent + cn_length(p->turned) * other->extent;
    // Another body that is pushed itself gives way; it only must not be passed through.
    float thickness = other->type == CN_DYNAMIC ? 2.0f * cn_minf(other->core, other->extent) : 0.0f;
    float least = FAST_MOTION * s->body->core + thickness;
    if (p->end >= 1.0f && cn_length(moved) + turns <= least)
        return false;
    float reach = s->body->extent + other->extent + s->shape->margin;
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
    path other_path = path_of(job, other->body);
    if (!cn_shapes_collide(job->world, s->shape, other) || !can_meet(s, owner, &other_path))
        return;
    meeting m = { .world = job->world,
                  .body = s->body,
                  .shape = s->shape,
                  .other_shape = other,
                  .path = s->path,
                  .other_path = other_path,
                  .target = STOP_DISTANCE * cn_minf(s->shape->margin, other->margin),
                  .limit = s->stop->fraction };
    if (cn_is_composite(other))
        meet_composite(&m);
    else
        meet_convex(&m, &other->convex, (cn_pose)CN_POSE_IDENTITY);
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
    meeting m = { .body = s->body, .shape = q->mine, .path = s->path, .target = q->mine->margin };
    cn_vec3 half = path_extents(&m, cn_quat_identity());
    cn_pos3 end = cn_pos_add(s->path.center, s->path.moved);
    cn_bounds bounds = { { fmin(s->path.center.x, end.x), fmin(s->path.center.y, end.y), fmin(s->path.center.z, end.z) },
                         { fmax(s->path.center.x, end.x), fmax(s->path.center.y, end.y), fmax(s->path.center.z, end.z) } };
    bounds.lower = cn_pos_add(bounds.lower, cn_neg(half));
    bounds.upper = cn_pos_add(bounds.upper, half);
    cn_box3 box = cn_world_box(q->world, &bounds, 0.0f);
    cn_tree_query(&q->world->static_tree, &box, visit_on_path, q);
    cn_tree_query(&q->world->moving_tree, &box, visit_on_path, q);
}

// Whether a contact says that the body goes nowhere dangerous: a pair without points that is farther apart than both move
// together, or two solids that hardly move against each other along the normal between them.
static bool is_safe(const search *s, const cn_contact *contact)
{
    const cn_world *world = s->job->world;
    const cn_body *bodies[2] = { &world->bodies.data[contact->body_a], &world->bodies.data[contact->body_b] };
    cn_vec3 moved[2] = { { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
    float turns[2] = { 0.0f, 0.0f }, bulge = 0.0f; // by how much turning moves a point, and the surface
    for (int i = 0; i < 2; i++) {
        if (bodies[i]->awake == CN_NONE)
            continue;
        const cn_motion *motion = &s->job->motions[bodies[i]->awake];
        moved[i] = motion->moved;
        turns[i] = cn_length(motion->turned) * bodies[i]->extent;
        bulge += cn_minf(turns[i], cn_maxf(bodies[i]->extent - bodies[i]->core, 0.0f));
    }
    if (contact->awake == CN_NONE)
        return false;
    if (contact->touch_count == 0) {
        double totals = world->travels.data[contact->body_a].total + world->travels.data[contact->body_b].total;
        float motion = cn_length(moved[0]) + cn_length(moved[1]) + turns[0] + turns[1];
        return (double)motion < world->awake_contacts.data[contact->awake].limit - totals;
    }
    const float *n = contact->touch.patch.normal; // from a to b
    return !cn_is_composite(&world->shapes.data[contact->shape_a]) &&
           cn_dot(cn_sub(moved[0], moved[1]), cn_v3(n[0], n[1], n[2])) + bulge <= DANGEROUS_DEPTH * s->body->core;
}

static void visit_pairs(const search *s, pair_visit *visit, void *context)
{
    const cn_world *world = s->job->world;
    for (int key = s->body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int side = key & 1, shapes[2] = { contact->shape_a, contact->shape_b };
        key = contact->edges[side].next;
        if (!cn_is_composite(&world->shapes.data[shapes[side]]) && !is_safe(s, contact))
            visit(context, &world->shapes.data[shapes[side]], &world->shapes.data[shapes[1 - side]]);
    }
    if (!s->job->motions[s->stop->body].strayed)
        return;
    for (int k = s->body->first_shape; k != CN_NONE; k = world->shapes.data[k].next) {
        path_query query = { world, &world->shapes.data[k], visit, context };
        if (!cn_is_composite(query.mine))
            query_path(s, &query);
    }
}

static void look_ahead(void *context, const cn_shape *mine, const cn_shape *other)
{
    search *s = context;
    s->shape = mine;
    meet_shape(s, other);
}

static void sweep_bodies(void *context, int task)
{
    impact_job *job = context;
    for (int i = task * BODIES_PER_TASK; i < (task + 1) * BODIES_PER_TASK && i < job->fast_count; i++) {
        search s = search_for(job, &job->fast[i]);
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

// The angular velocity of a body that is stopped on its way. What it has by turning freely stays as it is seen from the body,
// and with it the energy; what pushes added is kept.
static cn_vec3 spin_at(const cn_body *body, const cn_body_drive *drive, const cn_motion *motion, float fraction, float dt)
{
    cn_vec3 spin = motion->spin, end = body->angular_velocity;
    if (!body->gyroscopic)
        return end;
    cn_quat rotation = motion->start.rotation;
    cn_rotate_freely(body, fraction * dt, &rotation, &spin);
    spin = cn_rotate(body->rotation, cn_unrotate(rotation, spin));
    if (drive->free)
        return spin;
    const float *turning = drive->acceleration + 4;
    cn_vec3 pushed = cn_madd(cn_sub(end, motion->spin), -dt, cn_v3(turning[0], turning[1], turning[2]));
    return cn_add(spin, pushed);
}

// Puts a body back to where it met something. It has used a part of the step only, and so has gravity.
static void stop_body(cn_world *world, const cn_solve_input *input, const cn_motion *motion, const stop *place)
{
    int index = world->awake.data[place->body];
    cn_body *body = &world->bodies.data[index];
    const cn_body_drive *drive = &input->drives[place->body];
    const float *pull = drive->acceleration;
    body->center = cn_pos_add(motion->start.center, cn_scale(place->fraction, motion->moved));
    body->rotation =
        cn_quat_normalize(cn_quat_mul(cn_quat_exp(cn_scale(place->fraction, motion->turned)), motion->start.rotation));
    body->angular_velocity = spin_at(body, drive, motion, place->fraction, input->dt);
    if (drive->free)
        body->linear_velocity =
            cn_madd(body->linear_velocity, (place->fraction - 1.0f) * input->dt, cn_v3(pull[0], pull[1], pull[2]));
    world->move_events.data[place->body].transform = (cn_transform){ cn_body_origin(body), body->rotation };
    cn_contacts_look_again(world, index);
    for (int k = body->first_shape; k != CN_NONE; k = world->shapes.data[k].next)
        cn_shape_refresh(world, k);
    world->report.stopped++;
}

bool cn_is_fast(const cn_body *body, const cn_motion *motion)
{
    return (body->type == CN_KINEMATIC || body->continuous) &&
           cn_length(motion->moved) + cn_length(motion->turned) * body->extent > FAST_MOTION * body->core;
}

void cn_stop_at_impacts(cn_world *world, const cn_solve_input *input, const cn_motion *motions)
{
    int count = world->awake.count;
    impact_job job = { world, motions, cn_arena_array(&world->arena, stop, count), 0, cn_arena_array(&world->arena, int, count),
                       false };
    for (int i = 0; i < count; i++) {
        job.rank[i] = CN_NONE;
        if (!cn_is_fast(&world->bodies.data[world->awake.data[i]], &motions[i]))
            continue;
        job.rank[i] = job.fast_count;
        job.fast[job.fast_count++] = (stop){ i, 1.0f, false };
    }
    cn_tasks_run(world->tasks, sweep_bodies, &job, (job.fast_count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    stop_behind_others(world, &job);
    for (int i = 0; i < job.fast_count; i++)
        if (job.fast[i].fraction < 1.0f)
            stop_body(world, input, &motions[job.fast[i].body], &job.fast[i]);
}
