// Continuous collision: a body that moved further than its own size in a step is stopped where it first met something, and goes
// on from there in the next step. Everybody else keeps its time.
//
// The paths are those the solver found: the centre of mass in a straight line, turning at a steady rate. What touches from the
// beginning is the solver's business; there only the core of the body is kept out.
#include "world/impacts.h"

#include <stdlib.h>

// Bodies that were stopped can be in the way of others: so often, at most, the paths of those are looked at again.
enum { ROUNDS = 64, BODIES_PER_TASK = 4, PREFETCH_AHEAD = 2 };

static void look_ahead(void *context, const cn_shape *mine, const cn_shape *other)
{
    cn_impact_search *s = context;
    s->shape = mine;
    cn_impact_meet(s, other);
}

static void find_turns(void *context, int task)
{
    cn_impact_job *job = context;
    for (int i = task * BODIES_PER_TASK; i < (task + 1) * BODIES_PER_TASK && i < job->fast_count; i++) {
        cn_stop *s = &job->fast[i];
        if (s->turn_count > 0)
            s->spin = cn_find_turns(&job->world->bodies.data[job->world->awake.data[s->body]], &job->motions[s->body], job->input->dt,
                          s->turns, s->turn_count, s->round);
    }
}

static void sweep_bodies(void *context, int task)
{
    cn_impact_job *job = context;
    for (int i = task * BODIES_PER_TASK; i < (task + 1) * BODIES_PER_TASK && i < job->fast_count; i++) {
        cn_impact_search s = cn_impact_search_for(job, &job->fast[i]);
        s.fast_only = s.both = true;
        if (i + PREFETCH_AHEAD < job->fast_count)
            cn_prefetch_impacts(job, &job->fast[i + PREFETCH_AHEAD]);
        if (s.body->type == CN_DYNAMIC)
            cn_visit_impact_pairs(&s, look_ahead, &s);
    }
}

// ---- what comes behind

// By how much a point of a body moves along a direction in a step.
static float motion_along(const cn_impact_job *job, const cn_body *body, cn_vec3 arm, cn_vec3 direction)
{
    const cn_motion *motion = &job->motions[body->awake];
    return cn_dot(cn_add(motion->moved, cn_cross(motion->turned, arm)), direction);
}

// A body that touches a stopped one goes on without it only as far as their points allow: the solver has moved the two together.
static void stop_beside(cn_impact_search *s, const cn_impact_search *stopped, const cn_shape *stopped_shape)
{
    const cn_patch *patch = &stopped->contact->touch.patch;
    bool is_a = &s->job->world->bodies.data[stopped->contact->body_a] == s->body;
    float sign = is_a ? -1.0f : 1.0f, end = stopped->stop->fraction;
    float most = CN_DANGEROUS_DEPTH * cn_minf(cn_convex_inner_radius(&s->shape->convex), cn_convex_inner_radius(&stopped_shape->convex));
    cn_vec3 away = cn_scale(sign, cn_v3(patch->normal[0], patch->normal[1], patch->normal[2]));
    cn_vec3 between = cn_v3(patch->between[0], patch->between[1], patch->between[2]);
    for (int i = 0; i < patch->point_count; i++) {
        cn_vec3 arm_a = cn_v3(patch->points[0][i], patch->points[1][i], patch->points[2][i]), arm_b = cn_sub(arm_a, between);
        float mine = motion_along(s->job, s->body, is_a ? arm_a : arm_b, away);
        float theirs = motion_along(s->job, stopped->body, is_a ? arm_b : arm_a, away);
        float gap = cn_maxf(patch->separation[i] + end * (mine - theirs), 0.0f) + most;
        if (mine < 0.0f)
            cn_impact_stop(s->job, s->stop, stopped->body, end - gap / mine);
    }
}

// The stopped body is in the way of another fast one.
static void look_behind(void *context, const cn_shape *mine, const cn_shape *other)
{
    const cn_impact_search *stopped = context;
    const cn_impact_job *job = stopped->job;
    const cn_body *owner = &job->world->bodies.data[other->body];
    int rank = owner->awake != CN_NONE ? job->rank[owner->awake] : CN_NONE;
    if (rank == CN_NONE || owner->type != CN_DYNAMIC || owner == stopped->body)
        return;
    cn_impact_search s = cn_impact_search_for(job, &job->fast[rank]);
    s.shape = other;
    s.seen = stopped->contact != NULL;
    if (cn_is_composite(other))
        return;
    cn_impact_meet(&s, mine);
    if (stopped->touching && !cn_is_composite(mine))
        stop_beside(&s, stopped, mine);
}

static int compare_stops(const void *a, const void *b)
{
    const cn_stop *x = *(const cn_stop *const *)a, *y = *(const cn_stop *const *)b;
    if (x->fraction != y->fraction)
        return x->fraction < y->fraction ? -1 : 1;
    return x->body < y->body ? -1 : 1;
}

// One after the other, in the order of time.
static void stop_behind_others(cn_world *world, cn_impact_job *job)
{
    cn_stop **order = cn_arena_array(&world->arena, cn_stop *, job->fast_count);
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
            cn_impact_search s = cn_impact_search_for(job, order[i]);
            order[i]->fresh = false;
            cn_visit_impact_pairs(&s, look_behind, &s);
        }
    }
}

// ---- the stage

// After a body was put elsewhere at the end of a step.
static void note_move(cn_world *world, int index)
{
    const cn_body *body = &world->bodies.data[index];
    if (body->awake != CN_NONE && body->awake < world->move_events.count)
        world->move_events.data[body->awake].transform = (cn_transform){ cn_body_origin(body), body->rotation };
    cn_contacts_look_again(world, index);
}

void cn_place_shapes_again(cn_world *world, int index)
{
    const cn_body *body = &world->bodies.data[index];
    note_move(world, index);
    for (int k = body->first_shape; k != CN_NONE; k = world->shapes.data[k].next) {
        cn_shape *shape = &world->shapes.data[k];
        cn_box3 box = cn_shape_box(world, shape, shape->box_margin);
        if (cn_box3_contains(&shape->fat_box, &box))
            shape->room = 0.0f;
        else
            cn_shape_refresh(world, k);
    }
}

// The angular velocity of a body that is stopped on its way, seen from the body: on that depends its energy.
static cn_vec3 spin_at(const cn_impact_job *job, int awake, const cn_path *path, float fraction)
{
    const cn_body *body = &job->world->bodies.data[job->world->awake.data[awake]];
    const cn_body_drive *drive = &job->input->drives[awake];
    if (!(drive->free || drive->struck) || !cn_body_tumbles(body)) // the path of a round body does not turn about its axis
        return cn_unrotate(body->round_about != 0 ? cn_path_rotation(path, 1.0f) : body->rotation, body->angular_velocity);
    const cn_motion *motion = &job->motions[awake];
    cn_vec3 spin = motion->spin;
    cn_quat rotation = motion->start.rotation;
    float dt = job->input->dt;
    if (!path->round && dt * cn_length(spin) <= CN_MOST_FREE_TURN) // or else it is the same all along its path
        cn_rotate_freely(body, fraction * dt, &rotation, &spin);
    return cn_unrotate(rotation, spin);
}

static double dot(cn_vec3 a, cn_vec3 b) { return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z; }

// The velocity of a body that is stopped before it has gone all its way, `left` being what is missing of it: less, along the acceleration,
// by what would have given it the work that the acceleration does there. So it has the energy that it had at the end. What nothing
// pushed has the velocity of its parabola.
static cn_vec3 velocity_at(cn_vec3 end, cn_vec3 acceleration, cn_vec3 left, float time_left)
{
    double work = dot(acceleration, left), along = dot(end, acceleration), square = dot(acceleration, acceleration);
    double root = along * along - 2.0 * square * work, energy = fmax(dot(end, end) - 2.0 * work, 0.0); // twice
    if (!(square > 0.0))
        return end;
    double time = root >= 0.0 ? 2.0 * work / (along + copysign(sqrt(root), along)) : along / square;
    time = isfinite(time) ? fmax(fmin(time, (double)time_left), -(double)time_left) : 0.0;
    cn_vec3 v = cn_madd(end, -(float)time, acceleration);
    double is = dot(v, v);
    return is > energy ? cn_scale((float)sqrt(energy / is), v) : v;
}

// What is lifted higher than its speed pays for turns slower: by the part of its spin, seen from the body, that pays for the rest.
static float spin_left(const cn_body *body, cn_vec3 spin, double owed)
{
    cn_vec3 w = cn_unrotate(body->principal_rotation, spin), moments = body->principal_inertia;
    double square = (double)moments.x * (double)w.x * (double)w.x + (double)moments.y * (double)w.y * (double)w.y +
                    (double)moments.z * (double)w.z * (double)w.z, has = (double)body->inverse_mass * square;
    return owed > 0.0 && has > 0.0 ? (float)sqrt(fmax(1.0 - owed / has, 0.0)) : 1.0f;
}

// Puts a body back to where it met something. It has used a part of the step only, and so has gravity.
static void stop_body(cn_world *world, const cn_impact_job *job, int awake, float fraction)
{
    int index = world->awake.data[awake];
    cn_body *body = &world->bodies.data[index];
    const float *pull = job->input->drives[awake].acceleration;
    float dt = job->input->dt;
    cn_path path = cn_impact_path(job, index);
    cn_vec3 out = job->rank[awake] != CN_NONE ? job->fast[job->rank[awake]].out : cn_v3(0.0f, 0.0f, 0.0f);
    cn_vec3 left = cn_madd(cn_neg(out), 1.0f - fraction, path.moved), acceleration = cn_v3(pull[0], pull[1], pull[2]);
    cn_vec3 spin = spin_at(job, awake, &path, fraction);
    double owed = 2.0 * dot(acceleration, left) - dot(body->linear_velocity, body->linear_velocity); // twice the energy, per kg
    spin = cn_scale(spin_left(body, spin, owed), spin);
    body->center = cn_pos_add(path.center, cn_madd(out, fraction, path.moved));
    body->rotation = cn_path_rotation(&path, fraction);
    body->angular_velocity = cn_rotate(body->rotation, spin);
    body->linear_velocity = velocity_at(body->linear_velocity, acceleration, left, (1.0f - fraction) * dt);
    body->held = fraction > 0.01f ? 0 : (uint8_t)(body->held + (body->held < UINT8_MAX));
    if (body->held > CN_MOST_HELD) {
        body->linear_velocity = cn_scale(0.5f, body->linear_velocity);
        body->angular_velocity = cn_scale(0.5f, body->angular_velocity);
    }
    cn_body_limit_speeds(body);
    if (job->motions[awake].aimed)
        note_move(world, index);
    else
        cn_place_shapes_again(world, index);
    world->report.stopped++;
}

static void stop_bodies(cn_world *world, const cn_impact_job *job, cn_motion *motions)
{
    float *fractions = cn_arena_array(&world->arena, float, job->awake_count);
    for (int i = 0; i < job->awake_count; i++)
        fractions[i] = 1.0f;
    bool any = false;
    for (int i = 0; i < job->fast_count; i++) {
        fractions[job->fast[i].body] = job->fast[i].fraction;
        any |= job->fast[i].fraction < 1.0f;
        world->bodies.data[world->awake.data[job->fast[i].body]].held *= job->fast[i].let_go || job->fast[i].fraction < 1.0f;
    }
    if (any && world->joint_count > 0)
        cn_spread_stops_over_joints(world, motions, fractions);
    for (int i = 0; any && i < job->awake_count; i++)
        if (fractions[i] < 1.0f)
            stop_body(world, job, i, fractions[i]);
}

void cn_stop_at_impacts(cn_world *world, const cn_solve_input *input, cn_motion *motions)
{
    int count = world->awake.count;
    cn_impact_job job = { .world = world,
                          .motions = motions,
                          .input = input,
                          .awake_count = count,
                          .fast = cn_arena_array(&world->arena, cn_stop, count),
                          .rank = cn_arena_array(&world->arena, int, count) };
    for (int i = 0; i < count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        job.rank[i] = CN_NONE;
        if (!motions[i].fast)
            continue;
        job.rank[i] = job.fast_count;
        cn_stop *s = &job.fast[job.fast_count++];
        *s = (cn_stop){ .body = i, .fraction = 1.0f };
        s->turn_count = cn_count_turns(body, &input->drives[i], &motions[i], input->dt, &s->round);
        if (s->turn_count > 0)
            s->turns = cn_arena_array(&world->arena, cn_turn, s->turn_count);
        if (body->contact_count > 0)
            s->hits = cn_arena_array(&world->arena, cn_return_hit, body->contact_count);
    }
    cn_tasks_run(world->tasks, find_turns, &job, (job.fast_count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    cn_tasks_run(world->tasks, sweep_bodies, &job, (job.fast_count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    cn_impact_return_hits(&job);
    stop_behind_others(world, &job);
    stop_bodies(world, &job, motions);
    cn_take_others_along(world, &job);
}
