// How far ahead the pair of a surface and what moves over it is looked at. A body can get at a part of the surface in three
// ways: it moves towards it, it turns, or something else strikes it. Only the first depends on where the surface faces; what
// slides over it, as fast as it may, needs to know no more of it than what rests there.
#include "world/pair_motion.h"
#include "world/world.h"

#include <string.h>

// Below this many margins there is nothing to gain, nor for what moves by less than this part of its inner radius in a step.
#define WORTHWHILE 0.5f
#define FAST 0.1f
// Blows by less than this part of its inner radius are not told apart.
#define SLIGHT 0.01f

enum { BODIES_PER_TASK = 128 };

// Near a surface, and fast.
static bool is_fast(const cn_body *body, float dt)
{
    return body->surface_count > 0 && dt * cn_length(body->linear_velocity) > FAST * body->core;
}

// ---- blows

static bool is_surface(const cn_world *world, const cn_contact *contact)
{
    return cn_is_composite(&world->shapes.data[contact->shape_a]);
}

// Can the body get at the surface in this step? Else the pair is left alone.
static bool is_in_reach(const cn_world *world, const cn_contact *contact, float dt)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    if (contact->touch_count > 0)
        return true;
    float speed = cn_distance(a->linear_velocity, b->linear_velocity) + cn_length(b->angular_velocity) * b->extent;
    cn_pose b_in_a = cn_relative_pose(a, b, cn_pos_sub(b->center, a->center));
    float moved = cn_pair_motion(a, b, &contact->last_pose, &b_in_a);
    return contact->covered - moved <= world->shapes.data[contact->shape_b].margin + CN_WHIP * dt * speed;
}

// None when all of them are out of reach.
static int count_surfaces(const cn_world *world, const cn_body *body, float dt)
{
    int count = 0;
    bool any = false;
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        key = contact->edges[key & 1].next;
        if (!is_surface(world, contact))
            continue;
        count++;
        any = any || is_in_reach(world, contact, dt);
    }
    return any ? count : 0;
}

// What strikes a body. The surface that it moves over does not: how far the body comes closer to that is known by itself. Of
// several surfaces each may throw it against the others.
static float blow_of(const cn_world *world, const cn_body *body, int surfaces, float dt)
{
    float blow = SLIGHT * body->core;
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        key = contact->edges[key & 1].next;
        if (surfaces == 1 && is_surface(world, contact))
            continue;
        const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
        float turning = cn_length(a->angular_velocity) * a->extent + cn_length(b->angular_velocity) * b->extent;
        if (dt * (cn_distance(a->linear_velocity, b->linear_velocity) + turning) <= blow)
            continue;
        blow = cn_maxf(blow, cn_blow_between(world, contact, dt));
    }
    return blow;
}

typedef struct blow_job {
    const cn_world *world;
    float dt;
    float *blows;
} blow_job;

static void find_range(void *context, int task)
{
    const blow_job *job = context;
    const cn_world *world = job->world;
    int begin = task * BODIES_PER_TASK, end = begin + BODIES_PER_TASK;
    for (int i = begin; i < end && i < world->awake.count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        if (body->type != CN_DYNAMIC || !is_fast(body, job->dt))
            continue;
        int surfaces = count_surfaces(world, body, job->dt);
        job->blows[body->travel] = surfaces > 0 ? blow_of(world, body, surfaces, job->dt) : INFINITY;
    }
}

float *cn_find_blows(cn_world *world, float dt)
{
    blow_job job = { world, dt, cn_arena_array(&world->arena, float, world->travels.count) };
    cn_tasks_run(world->tasks, find_range, &job, (world->awake.count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    return job.blows;
}

// ---- the scope of a pair

cn_scope cn_find_scope(const cn_world *world, const cn_contact *contact, cn_vec3 between, const float *blows, float most,
                       float dt)
{
    const cn_shape *shape_a = &world->shapes.data[contact->shape_a], *shape_b = &world->shapes.data[contact->shape_b];
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_scope everywhere = cn_look_within(most);
    float margin = cn_minf(shape_a->margin, shape_b->margin);
    if (!cn_is_composite(shape_a) || !(most - margin > WORTHWHILE * margin))
        return everywhere;
    if (a->joint_count + b->joint_count > 0 || a->extent < b->extent || a->type == CN_DYNAMIC || b->awake == CN_NONE ||
        !is_fast(b, dt))
        return everywhere;
    cn_vec3 turning = cn_sub(b->angular_velocity, a->angular_velocity);
    cn_vec3 drift = cn_sub(cn_sub(b->linear_velocity, a->linear_velocity), cn_cross(a->angular_velocity, between));
    if (!shape_b->centered) {
        cn_vec3 arm = cn_rotate(b->rotation, cn_pose_point(shape_b->pose, cn_convex_center(&shape_b->convex)));
        drift = cn_add(drift, cn_cross(turning, arm));
    }
    float blow = cn_maxf(dt * cn_length(turning) * shape_b->size, blows[b->travel]);
    float least = margin + CN_WHIP * blow;
    if (!(most - least > WORTHWHILE * margin)) // nor for what was not looked at
        return everywhere;
    return (cn_scope){ .most = most, .least = least, .whip = CN_WHIP, .motion = cn_unrotate(a->rotation, cn_scale(dt, drift)) };
}
