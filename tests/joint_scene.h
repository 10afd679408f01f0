// Bodies and joints for the tests of joint geometry, and a reference in double to compare with.
#ifndef JOINT_SCENE_H
#define JOINT_SCENE_H

#include "random_points.h"
#include "scene.h"
#include "world/world.h"

static const double pi = 3.14159265358979323846;

static inline cn_joint *joint_of(cn_world *world, cn_joint_id id)
{
    if (CN_IS_NULL(id))
        fail_msg("%s", cn_last_error());
    return &world->joints.data[id.index1 - 1];
}

static inline cn_body_id add_ball(cn_world *world, cn_pos3 position, cn_quat rotation)
{
    cn_shape_def shape = solid_def(cn_sphere(0.2f), 0.5f, 0.0f);
    return add_body(world, CN_DYNAMIC, position, rotation, &shape);
}

static inline void move_to(cn_world *world, cn_body_id body, cn_pos3 position, cn_quat rotation)
{
    if (!cn_body_set_transform(world, body, (cn_transform){ position, rotation }))
        fail_msg("%s", cn_last_error());
}

static inline cn_transform random_frame(void)
{
    cn_vec3 at = random_point();
    return (cn_transform){ cn_p3((double)at.x, (double)at.y, (double)at.z), random_rotation() };
}

// A box whose centre of mass is not its origin.
static inline cn_body_id add_lopsided(cn_world *world, cn_body_type type, cn_pos3 position, cn_quat rotation)
{
    cn_shape_def shape = solid_def(cn_box(0.1f, 0.2f, 0.3f), 0.5f, 0.0f);
    shape.offset.position = cn_v3(0.3f, -0.2f, 0.1f);
    return add_body(world, type, position, rotation, &shape);
}

// ---- a reference in double that shares nothing with the library

typedef struct dquat {
    double x, y, z, w;
} dquat;

static inline dquat dmul(dquat a, dquat b)
{
    return (dquat){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

static inline dquat widen(cn_quat q)
{
    double length =
        sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w);
    return (dquat){ (double)q.x / length, (double)q.y / length, (double)q.z / length, (double)q.w / length };
}

static inline dquat dconj(dquat q) { return (dquat){ -q.x, -q.y, -q.z, q.w }; }

// Twist from the quaternion, the swing from where the x axis points.
static inline void reference_turn(dquat q, double out[3])
{
    double ux = 1.0 - 2.0 * (q.y * q.y + q.z * q.z), uy = 2.0 * (q.x * q.y + q.z * q.w), uz = 2.0 * (q.x * q.z - q.y * q.w);
    double sine = hypot(uy, uz), phi = atan2(sine, ux);
    double twist = 2.0 * atan2(q.x, q.w);
    out[0] = twist - 2.0 * pi * floor(twist / (2.0 * pi) + 0.5);
    out[1] = sine > 0.0 ? -phi * uz / sine : 0.0;
    out[2] = sine > 0.0 ? phi * uy / sine : 0.0;
}

static inline dquat turned(dquat q, int axis, double angle)
{
    dquat d = { 0.0, 0.0, 0.0, cos(0.5 * angle) };
    *(axis == 0 ? &d.x : axis == 1 ? &d.y : &d.z) = sin(0.5 * angle);
    return dmul(d, q);
}

static inline double wrapped(double angle) { return angle - 2.0 * pi * floor(angle / (2.0 * pi) + 0.5); }

// ---- two bodies with a joint between frames at their origins

static inline cn_quat swung(double phi, double direction, double twist)
{
    cn_vec3 axis = cn_v3(0.0f, (float)cos(direction), (float)sin(direction));
    return cn_quat_normalize(cn_quat_mul(turn_about(axis, phi), turn_about(cn_v3(1.0f, 0.0f, 0.0f), twist)));
}

typedef struct pair {
    cn_world *world;
    cn_body_id a, b;
    cn_joint *joint;
} pair;

static inline pair open_pair(cn_joint_def def)
{
    cn_world_def settings = weightless();
    pair p = { .world = open_world(&settings) };
    p.a = add_ball(p.world, cn_p3(0.0, 0.0, 0.0), cn_quat_identity());
    p.b = add_ball(p.world, cn_p3(1.0, 0.0, 0.0), cn_quat_identity());
    def.body_a = p.a;
    def.body_b = p.b;
    p.joint = joint_of(p.world, cn_joint_create(p.world, &def));
    return p;
}

static inline void put_turned(const pair *p, cn_quat a, cn_quat b_in_a)
{
    move_to(p->world, p->a, cn_p3(0.0, 0.0, 0.0), a);
    move_to(p->world, p->b, cn_p3(1.0, 0.0, 0.0), cn_quat_normalize(cn_quat_mul(a, b_in_a)));
    p->joint->turns[0] = 0.0;
}

static inline dquat b_in_a(const pair *p)
{
    cn_quat a = cn_body_get_transform(p->world, p->a).rotation, b = cn_body_get_transform(p->world, p->b).rotation;
    return dmul(dconj(widen(a)), widen(b));
}

#endif
