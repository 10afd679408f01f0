// Bodies.
#include "bridge.h"

void EXPORT(body_defaults)(void)
{
    cn_body_def def = cn_body_def_default();
    letter l = { 0 };
    put(&l, def.type);
    put_place(&l, def.position), put4(&l, def.rotation), put3(&l, def.linear_velocity), put3(&l, def.angular_velocity);
    put(&l, (double)def.linear_damping), put(&l, (double)def.angular_damping), put(&l, (double)def.gravity_scale);
    put(&l, def.locks), put(&l, def.can_sleep), put(&l, def.awake), put(&l, def.continuous);
    put(&l, (double)def.sleep_speed), put(&l, (double)def.max_linear_speed), put(&l, (double)def.max_angular_speed);
}

uint64_t EXPORT(body_create)(bridge *b)
{
    cn_body_def def = cn_body_def_default();
    letter l = { 0 };
    def.type = (cn_body_type)takei(&l);
    def.position = take_place(&l), def.rotation = take4(&l);
    def.linear_velocity = take3(&l), def.angular_velocity = take3(&l);
    def.linear_damping = takef(&l), def.angular_damping = takef(&l), def.gravity_scale = takef(&l);
    def.locks = (uint32_t)takei(&l), def.can_sleep = takeb(&l), def.awake = takeb(&l);
    def.continuous = takeb(&l);
    def.sleep_speed = takef(&l), def.max_linear_speed = takef(&l), def.max_angular_speed = takef(&l);
    cn_body_id id = cn_body_create(b->build.world, &def);
    return PACK(id);
}

int EXPORT(body_destroy)(bridge *b, uint64_t body) { return cn_body_destroy(WORLD, BODY); }
int EXPORT(body_is_valid)(const bridge *b, uint64_t body) { return cn_body_is_valid(WORLD, BODY); }
int EXPORT(body_get_type)(const bridge *b, uint64_t body) { return (int)cn_body_get_type(WORLD, BODY); }
int EXPORT(body_set_type)(bridge *b, uint64_t body, int type) { return cn_body_set_type(WORLD, BODY, (cn_body_type)type); }
int EXPORT(body_is_awake)(const bridge *b, uint64_t body) { return cn_body_is_awake(WORLD, BODY); }
int EXPORT(body_set_awake)(bridge *b, uint64_t body, int awake) { return cn_body_set_awake(WORLD, BODY, awake != 0); }

float EXPORT(body_get_sleep_speed)(const bridge *b, uint64_t body) { return cn_body_get_sleep_speed(WORLD, BODY); }
int EXPORT(body_set_sleep_speed)(bridge *b, uint64_t body, float speed) { return cn_body_set_sleep_speed(WORLD, BODY, speed); }
float EXPORT(body_get_max_linear_speed)(const bridge *b, uint64_t body) { return cn_body_get_max_linear_speed(WORLD, BODY); }
int EXPORT(body_set_max_linear_speed)(bridge *b, uint64_t body, float speed)
{
    return cn_body_set_max_linear_speed(WORLD, BODY, speed);
}
float EXPORT(body_get_max_angular_speed)(const bridge *b, uint64_t body) { return cn_body_get_max_angular_speed(WORLD, BODY); }
int EXPORT(body_set_max_angular_speed)(bridge *b, uint64_t body, float speed)
{
    return cn_body_set_max_angular_speed(WORLD, BODY, speed);
}
int EXPORT(body_get_collide)(const bridge *b, uint64_t body, uint64_t other)
{
    return cn_body_get_collide(WORLD, BODY, UNPACK(cn_body_id, other));
}
int EXPORT(body_set_collide)(bridge *b, uint64_t body, uint64_t other, int collide)
{
    return cn_body_set_collide(WORLD, BODY, UNPACK(cn_body_id, other), collide != 0);
}
int EXPORT(body_get_continuous)(const bridge *b, uint64_t body) { return cn_body_get_continuous(WORLD, BODY); }
int EXPORT(body_set_continuous)(bridge *b, uint64_t body, int on) { return cn_body_set_continuous(WORLD, BODY, on != 0); }

int EXPORT(body_get_motion)(const bridge *b, uint64_t body)
{
    cn_transform t = cn_body_get_transform(WORLD, BODY);
    letter l = { 0 };
    put_place(&l, t.position), put4(&l, t.rotation), put_place(&l, cn_body_get_center(WORLD, BODY));
    put3(&l, cn_body_get_linear_velocity(WORLD, BODY)), put3(&l, cn_body_get_angular_velocity(WORLD, BODY));
    return cn_body_is_valid(WORLD, BODY);
}

int EXPORT(body_set_transform)(bridge *b, uint64_t body)
{
    letter l = { 0 };
    cn_transform t;
    t.position = take_place(&l), t.rotation = take4(&l);
    return cn_body_set_transform(WORLD, BODY, t);
}

int EXPORT(body_move_kinematic)(bridge *b, uint64_t body, float time)
{
    letter l = { 0 };
    cn_transform t;
    t.position = take_place(&l), t.rotation = take4(&l);
    return cn_body_move_kinematic(WORLD, BODY, t, time);
}

// Functions of one vector, with its letters in the mail.
#define EXPORT_VECTOR(name, function)                                                                                          \
    int EXPORT(name)(bridge * b, uint64_t body)                                                                                \
    {                                                                                                                          \
        letter l = { 0 };                                                                                                      \
        return function(WORLD, BODY, take3(&l));                                                                               \
    }
EXPORT_VECTOR(body_set_linear_velocity, cn_body_set_linear_velocity)
EXPORT_VECTOR(body_set_angular_velocity, cn_body_set_angular_velocity)
EXPORT_VECTOR(body_apply_force, cn_body_apply_force)
EXPORT_VECTOR(body_apply_torque, cn_body_apply_torque)
EXPORT_VECTOR(body_apply_impulse, cn_body_apply_impulse)
EXPORT_VECTOR(body_apply_angular_impulse, cn_body_apply_angular_impulse)

int EXPORT(body_apply_force_at)(bridge *b, uint64_t body)
{
    letter l = { 0 };
    cn_vec3 force = take3(&l);
    return cn_body_apply_force_at(WORLD, BODY, force, take_place(&l));
}

int EXPORT(body_apply_impulse_at)(bridge *b, uint64_t body)
{
    letter l = { 0 };
    cn_vec3 impulse = take3(&l);
    return cn_body_apply_impulse_at(WORLD, BODY, impulse, take_place(&l));
}

int EXPORT(body_get_mass)(const bridge *b, uint64_t body)
{
    cn_mass m = cn_body_get_mass(WORLD, BODY);
    letter l = { 0 };
    put(&l, (double)m.mass), put3(&l, m.center);
    put(&l, (double)m.inertia.xx), put(&l, (double)m.inertia.yy), put(&l, (double)m.inertia.zz);
    put(&l, (double)m.inertia.xy), put(&l, (double)m.inertia.xz), put(&l, (double)m.inertia.yz);
    return cn_body_is_valid(WORLD, BODY);
}

// How many shapes it has; the ids of the first ones, packed, are in `ids`.
int EXPORT(body_get_shapes)(const bridge *b, uint64_t body, uint64_t *ids, int capacity)
{
    return pack_ids(ids, cn_body_get_shapes(WORLD, BODY, (cn_shape_id *)ids, capacity), capacity);
}

int EXPORT(body_get_joints)(const bridge *b, uint64_t body, uint64_t *ids, int capacity)
{
    return pack_ids(ids, cn_body_get_joints(WORLD, BODY, (cn_joint_id *)ids, capacity), capacity);
}
