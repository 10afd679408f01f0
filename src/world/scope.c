// How far ahead the pair of a surface and what moves over it is looked at. A body can get at a part of the surface in three
// ways: it moves towards it, it turns, or something else strikes it. Only the first depends on where the surface faces; what
// slides over it, as fast as it may, needs to know no more of it than what rests there.
#include "world/pair_motion.h"
#include "world/world.h"

#include <string.h>

// Below this many margins there is nothing to gain, nor for what moves by less than this part of its inner radius in a step.
#define WORTHWHILE 0.5f
#define FAST 0.1f

enum { BODIES_PER_TASK = 128 };

// Near a surface, and fast.
static bool is_fast(const cn_body *body, float dt)
{
    return body->surface_count > 0 && dt * cn_length(body->linear_velocity) > FAST * body->core;
}

// ---- blows

// How far the points of a patch close in the step, if they do within it or touch.
static float closing_of(const cn_patch *patch, const cn_body *a, const cn_body *b, float dt)
{
    cn_vec3 n = { patch->normal[0], patch->normal[1], patch->normal[2] };
    cn_vec3 between = { patch->between[0], patch->between[1], patch->between[2] };
    float most = 0.0f;
    for (int k = 0; k < patch->point_count; k++) {
        cn_vec3 arm = { patch->points[0][k], patch->points[1][k], patch->points[2][k] };
        cn_vec3 va = cn_add(a->linear_velocity, cn_cross(a->angular_velocity, arm));
        cn_vec3 vb = cn_add(b->linear_velocity, cn_cross(b->angular_velocity, cn_sub(arm, between)));
        most = cn_maxf(most, dt * cn_dot(n, cn_sub(va, vb)));
    }
    return most;
}

// How far two bodies without points between them move against each other, if they can meet in the step.
static float meeting_of(const cn_contact *contact, const cn_body *a, const cn_body *b, float dt)
{
    float turning = cn_length(a->angular_velocity) * a->extent + cn_length(b->angular_velocity) * b->extent;
    float motion = dt * (cn_distance(a->linear_velocity, b->linear_velocity) + turning);
    cn_pose b_in_a = cn_relative_pose(a, b, cn_pos_sub(b->center, a->center));
    return contact->covered - cn_pair_motion(a, b, &contact->last_pose, &b_in_a) > motion ? 0.0f : motion;
}

static float blow_of(const cn_world *world, const cn_body *body, float dt)
{
    float blow = 0.0f;
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
        if (contact->touch_count == 0)
            blow = cn_maxf(blow, meeting_of(contact, a, b, dt));
        for (int i = 0; i < contact->touch_count; i++)
            blow = cn_maxf(blow, closing_of(&cn_contact_touch(contact, i)->patch, a, b, dt));
        key = contact->edges[key & 1].next;
    }
    return blow;
}

static bool is_on_surface(const cn_world *world, const cn_body *body)
{
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        if (contact->touch_count > 0 && cn_is_composite(&world->shapes.data[contact->shape_a]))
            return true;
        key = contact->edges[key & 1].next;
    }
    return false;
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
        if (body->type == CN_DYNAMIC && is_fast(body, job->dt) && is_on_surface(world, body))
            job->blows[body->travel] = blow_of(world, body, job->dt);
    }
}

float *cn_find_blows(cn_world *world, float dt)
{
    blow_job job = { world, dt, cn_arena_array(&world->arena, float, world->travels.count) };
    cn_tasks_run(world->tasks, find_range, &job, (world->awake.count + BODIES_PER_TASK - 1) / BODIES_PER_TASK);
    return job.blows;
}

// ---- the scope of a pair

cn_scope cn_find_scope(const cn_world *world, const cn_contact *contact, cn_vec3 between, const float *blows, float least,
                       float most, float dt)
{
    const cn_shape *shape_a = &world->shapes.data[contact->shape_a], *shape_b = &world->shapes.data[contact->shape_b];
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_scope everywhere = cn_look_within(most);
    float margin = cn_minf(shape_a->margin, shape_b->margin);
    // What touches nothing yet is looked at everywhere, so that it need not be looked at again so soon.
    if (!cn_is_composite(shape_a) || contact->touch_count == 0 || !(most - least > WORTHWHILE * margin))
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
    least = cn_maxf(least, margin + CN_WHIP * blow);
    if (!(most - least > WORTHWHILE * margin))
        return everywhere;
    return (cn_scope){ .most = most, .least = least, .whip = CN_WHIP, .motion = cn_unrotate(a->rotation, cn_scale(dt, drift)) };
}
