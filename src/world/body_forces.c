// Forces and impulses on bodies. A force is kept for the next step; an impulse changes the velocity at once.
#include "world/check.h"
#include "world/world.h"

static const cn_vec3 none = { 0.0f, 0.0f, 0.0f };

// The turning effect about the centre of mass of a push at a point of the world.
static cn_vec3 moment(const cn_body *body, cn_vec3 push, cn_pos3 point)
{
    return cn_cross(cn_pos_sub(point, body->center), push);
}

static bool add_force(cn_world *world, const char *function, cn_body *body, cn_vec3 force, cn_vec3 torque)
{
    force = cn_add(body->force, force);
    torque = cn_add(body->torque, torque);
    cn_vec3 spin = cn_sym3_mul(cn_body_world_inverse_inertia(body), torque);
    if (!cn_check_acceleration(function, "the acceleration of the body", cn_scale(body->inverse_mass, force)) ||
        !cn_check_acceleration(function, "the angular acceleration of the body", spin))
        return false;
    body->force = force;
    body->torque = torque;
    cn_wake_body(world, (int)(body - world->bodies.data));
    return true;
}

static bool add_impulse(cn_world *world, const char *function, cn_body *body, cn_vec3 linear, cn_vec3 angular)
{
    cn_vec3 v = cn_madd(body->linear_velocity, body->inverse_mass, linear);
    cn_vec3 w = cn_add(body->angular_velocity, cn_sym3_mul(cn_body_world_inverse_inertia(body), angular));
    if (!cn_check_velocity(function, "the velocity after the impulse", v) ||
        !cn_check_velocity(function, "the angular velocity after the impulse", w))
        return false;
    body->linear_velocity = v;
    body->angular_velocity = w;
    cn_body_apply_locks(body);
    cn_wake_body(world, (int)(body - world->bodies.data));
    cn_body_set_in_motion(world, (int)(body - world->bodies.data));
    return true;
}

bool cn_body_apply_force(cn_world *world, cn_body_id body, cn_vec3 force)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    return b != NULL && cn_check_vec3(__func__, "force", force) && add_force(world, __func__, b, force, none);
}

bool cn_body_apply_force_at(cn_world *world, cn_body_id body, cn_vec3 force, cn_pos3 point)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    return b != NULL && cn_check_vec3(__func__, "force", force) && cn_check_position(__func__, "point", point) &&
           add_force(world, __func__, b, force, moment(b, force, point));
}

bool cn_body_apply_torque(cn_world *world, cn_body_id body, cn_vec3 torque)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    return b != NULL && cn_check_vec3(__func__, "torque", torque) && add_force(world, __func__, b, none, torque);
}

bool cn_body_apply_impulse(cn_world *world, cn_body_id body, cn_vec3 impulse)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    return b != NULL && cn_check_vec3(__func__, "impulse", impulse) && add_impulse(world, __func__, b, impulse, none);
}

bool cn_body_apply_impulse_at(cn_world *world, cn_body_id body, cn_vec3 impulse, cn_pos3 point)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    return b != NULL && cn_check_vec3(__func__, "impulse", impulse) && cn_check_position(__func__, "point", point) &&
           add_impulse(world, __func__, b, impulse, moment(b, impulse, point));
}

bool cn_body_apply_angular_impulse(cn_world *world, cn_body_id body, cn_vec3 impulse)
{
    cn_body *b = cn_find_dynamic_body(world, __func__, body);
    return b != NULL && cn_check_vec3(__func__, "impulse", impulse) && add_impulse(world, __func__, b, none, impulse);
}
