// Which bodies are so fast that continuous.c looks at their paths, and what those paths are.
#include "world/meeting.h"

// Whether some point of a shape within `extent` of the centre of mass may have moved by more than makes one of this inner
// radius fast.
static bool may_be_fast(const cn_body *body, const cn_motion *motion, float extent, float inner_radius)
{
    float limit = CN_FAST_MOTION * inner_radius;
    float moved_sq = cn_length_sq(motion->moved), turned_sq = extent * extent * cn_length_sq(motion->turned);
    if (2.0f * (moved_sq + turned_sq) <= limit * limit) // no sum of two lengths is longer, and most bodies are far from it
        return false;
    return (body->type == CN_KINEMATIC || body->continuous) && sqrtf(moved_sq) + sqrtf(turned_sq) > limit;
}

bool cn_is_fast_shape(const cn_body *body, const cn_shape *shape, const cn_motion *motion)
{
    float inner_radius = cn_is_composite(shape) ? body->core : cn_convex_inner_radius(&shape->convex);
    if (!may_be_fast(body, motion, shape->reach, inner_radius))
        return false;
    cn_sweep sweep = { { { 0.0f, 0.0f, 0.0f }, motion->start.rotation }, motion->moved, motion->turned, shape->pose };
    return cn_is_composite(shape) || shape->centered || cn_sweep_motion(&shape->convex, &sweep) > CN_FAST_MOTION * inner_radius;
}

void cn_match_turn(const cn_body *body, cn_motion *motion)
{
    if (!may_be_fast(body, motion, body->extent, body->core))
        return;
    cn_vec3 turned = cn_quat_log(cn_quat_mul(body->rotation, cn_quat_conj(motion->start.rotation)));
    float angle = cn_length(turned), full = 2.0f * CN_PI;
    if (!(angle > 0.0f))
        return;
    // So many whole turns more make the same rotation.
    float turns = floorf((cn_dot(turned, motion->turned) / angle - angle) / full + 0.5f);
    motion->turned = cn_scale(1.0f + turns * full / angle, turned);
}

bool cn_is_fast(const cn_world *world, const cn_body *body, const cn_motion *motion)
{
    bool fast = may_be_fast(body, motion, body->extent, body->core);
    if (!fast || body->shape_count == 1)
        return fast;
    int k = body->first_shape;
    while (k != CN_NONE && (world->shapes.data[k].sensor != CN_NONE || !cn_is_fast_shape(body, &world->shapes.data[k], motion)))
        k = world->shapes.data[k].next;
    return k != CN_NONE;
}
