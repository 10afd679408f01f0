// Bodies, shapes and hulls.
#include "bridge.h"

// ---- bodies

void EXPORT(body_defaults)(void)
{
    cn_body_def def = cn_body_def_default();
    letter l = { 0 };
    put(&l, def.type);
    put_place(&l, def.position), put4(&l, def.rotation), put3(&l, def.linear_velocity), put3(&l, def.angular_velocity);
    put(&l, (double)def.linear_damping), put(&l, (double)def.angular_damping), put(&l, (double)def.gravity_scale);
    put(&l, def.locks), put(&l, def.can_sleep), put(&l, def.awake);
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
    cn_body_id id = cn_body_create(b->build.world, &def);
    return PACK(id);
}

#define BODY UNPACK(cn_body_id, body)
#define WORLD b->build.world

int EXPORT(body_destroy)(bridge *b, uint64_t body) { return cn_body_destroy(WORLD, BODY); }
int EXPORT(body_is_valid)(const bridge *b, uint64_t body) { return cn_body_is_valid(WORLD, BODY); }
int EXPORT(body_get_type)(const bridge *b, uint64_t body) { return (int)cn_body_get_type(WORLD, BODY); }
int EXPORT(body_set_type)(bridge *b, uint64_t body, int type) { return cn_body_set_type(WORLD, BODY, (cn_body_type)type); }
int EXPORT(body_is_awake)(const bridge *b, uint64_t body) { return cn_body_is_awake(WORLD, BODY); }
int EXPORT(body_set_awake)(bridge *b, uint64_t body, int awake) { return cn_body_set_awake(WORLD, BODY, awake != 0); }

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
    int count = cn_body_get_shapes(WORLD, BODY, (cn_shape_id *)ids, capacity);
    for (int i = 0; i < count && i < capacity; i++) {
        cn_shape_id id;
        memcpy(&id, &ids[i], sizeof id);
        ids[i] = PACK(id);
    }
    return count;
}

// ---- shapes

void EXPORT(shape_defaults)(void)
{
    cn_shape_def def = cn_shape_def_default();
    letter l = { 0 };
    put3(&l, def.offset.position), put4(&l, def.offset.rotation), put(&l, (double)def.density);
    put(&l, (double)def.material.friction), put(&l, (double)def.material.kinetic_friction);
    put(&l, (double)def.material.restitution), put(&l, (double)def.material.rolling_resistance);
    put(&l, (double)def.material.spinning_resistance), put3(&l, def.material.surface_velocity);
    put(&l, (double)def.filter.category), put(&l, -1.0), put(&l, def.filter.group);
}

// The mail holds what shape_defaults() writes, then type, radius, half height and half extents.
uint64_t EXPORT(shape_create)(bridge *b, uint64_t body, uint64_t hull)
{
    cn_shape_def def = cn_shape_def_default();
    letter l = { 0 };
    def.offset.position = take3(&l), def.offset.rotation = take4(&l), def.density = takef(&l);
    def.material.friction = takef(&l), def.material.kinetic_friction = takef(&l), def.material.restitution = takef(&l);
    def.material.rolling_resistance = takef(&l), def.material.spinning_resistance = takef(&l);
    def.material.surface_velocity = take3(&l);
    def.filter.category = takeu(&l), def.filter.mask = takeu(&l), def.filter.group = takei(&l);
    def.geometry.type = (cn_shape_type)takei(&l);
    def.geometry.radius = takef(&l), def.geometry.half_height = takef(&l), def.geometry.half_extents = take3(&l);
    def.geometry.hull = UNPACK(cn_hull_id, hull);
    cn_shape_id id = cn_shape_create(WORLD, BODY, &def);
    return PACK(id);
}

#define SHAPE UNPACK(cn_shape_id, shape)

int EXPORT(shape_destroy)(bridge *b, uint64_t shape) { return cn_shape_destroy(WORLD, SHAPE); }

// Type, radius, half height, half extents, position, rotation; answers the hull, if it is one.
uint64_t EXPORT(shape_get_form)(const bridge *b, uint64_t shape)
{
    cn_geometry g = cn_shape_get_geometry(WORLD, SHAPE);
    cn_pose offset = cn_shape_get_offset(WORLD, SHAPE);
    letter l = { 0 };
    put(&l, g.type), put(&l, (double)g.radius), put(&l, (double)g.half_height), put3(&l, g.half_extents);
    put3(&l, offset.position), put4(&l, offset.rotation);
    return PACK(g.hull);
}

// ---- hulls

uint64_t EXPORT(hull_create)(bridge *b, const cn_vec3 *points, int count)
{
    cn_hull_id id = cn_hull_create(WORLD, points, count);
    return PACK(id);
}

#define HULL UNPACK(cn_hull_id, hull)

int EXPORT(hull_destroy)(bridge *b, uint64_t hull) { return cn_hull_destroy(WORLD, HULL); }

int EXPORT(hull_get_vertices)(const bridge *b, uint64_t hull, cn_vec3 *vertices, int capacity)
{
    return cn_hull_get_vertices(WORLD, HULL, vertices, capacity);
}

int EXPORT(hull_get_face_count)(const bridge *b, uint64_t hull) { return cn_hull_get_face_count(WORLD, HULL); }

int EXPORT(hull_get_face)(const bridge *b, uint64_t hull, int face, int *vertices, int capacity)
{
    return cn_hull_get_face(WORLD, HULL, face, vertices, capacity);
}
