// Which two bodies strike each other in the coming step, and how hard, as far as their places and velocities tell.
#include "world/pair_motion.h"
#include "world/world.h"

// How far the points of a place close in the step, of those that do so within it. They are where the bodies have carried them.
static float closing_of(const cn_touch *touch, const cn_body *a, const cn_body *b, cn_vec3 between, float dt)
{
    cn_vec3 n = cn_rotate(a->rotation, touch->local_normal);
    float most = 0.0f;
    for (int k = 0; k < touch->patch.point_count; k++) {
        cn_vec3 arm_a = cn_rotate(a->rotation, cn_get_anchor(touch->anchors.a, k));
        cn_vec3 arm_b = cn_rotate(b->rotation, cn_get_anchor(touch->anchors.b, k));
        cn_vec3 va = cn_add(a->linear_velocity, cn_cross(a->angular_velocity, arm_a));
        cn_vec3 vb = cn_add(b->linear_velocity, cn_cross(b->angular_velocity, arm_b));
        float closing = dt * cn_dot(n, cn_sub(va, vb)), separation = cn_dot(n, cn_sub(cn_add(between, arm_b), arm_a));
        most = cn_maxf(most, closing >= separation ? closing : 0.0f);
    }
    return most;
}

// How far a solid shape reaches from the centre of its body along a unit vector.
static float reach_along(const cn_shape *shape, const cn_body *body, cn_vec3 direction)
{
    cn_vec3 local = cn_unrotate(body->rotation, direction);
    cn_vec3 own = shape->centered ? local : cn_unrotate(shape->pose.rotation, local);
    cn_vec3 farthest = cn_convex_support(&shape->convex, own);
    return cn_dot(local, shape->centered ? farthest : cn_pose_point(shape->pose, farthest));
}

// Do two solids come closer, along the line between their centres, by less in the step than they are apart there?
static bool miss(const cn_world *world, const cn_contact *contact, const cn_body *a, const cn_body *b, cn_vec3 between,
                 float turning, float dt)
{
    const cn_shape *shape_a = &world->shapes.data[contact->shape_a], *shape_b = &world->shapes.data[contact->shape_b];
    float distance = cn_length(between);
    if (cn_is_composite(shape_a) || !(distance > 0.0f))
        return false;
    cn_vec3 d = cn_scale(1.0f / distance, between);
    float closing = dt * (cn_dot(d, cn_sub(a->linear_velocity, b->linear_velocity)) + turning);
    return distance - reach_along(shape_a, a, d) - reach_along(shape_b, b, cn_neg(d)) > cn_maxf(closing, 0.0f);
}

// How far two bodies without points between them move against each other, if they can meet in the step.
static float meeting_of(const cn_world *world, const cn_contact *contact, const cn_body *a, const cn_body *b, cn_vec3 between,
                        float dt)
{
    float turning = cn_length(a->angular_velocity) * a->extent + cn_length(b->angular_velocity) * b->extent;
    float motion = dt * (cn_distance(a->linear_velocity, b->linear_velocity) + turning);
    cn_pose b_in_a = cn_relative_pose(a, b, between);
    bool apart = contact->covered - cn_pair_motion(a, b, &contact->last_pose, &b_in_a) > motion ||
                 miss(world, contact, a, b, between, turning, dt);
    return apart ? 0.0f : motion;
}

float cn_blow_between(const cn_world *world, const cn_contact *contact, float dt)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_vec3 between = cn_pos_sub(b->center, a->center);
    float blow = contact->touch_count == 0 ? meeting_of(world, contact, a, b, between, dt) : 0.0f;
    for (int i = 0; i < contact->touch_count; i++)
        blow = cn_maxf(blow, closing_of(cn_contact_touch(contact, i), a, b, between, dt));
    return blow;
}
