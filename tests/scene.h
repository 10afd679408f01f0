// Small scenes for the tests of motion: every call must succeed, so that a test reads as what is built and what is expected of
// it.
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "cairn/cairn.h"
#include "math/vec.h"
#include "world/lost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const float tick = 1.0f / 60.0f;

static inline cn_world *open_world(const cn_world_def *def)
{
    cn_world *world = cn_world_create(def);
    if (world == NULL)
        fail_msg("%s", cn_last_error());
    return world;
}

// Defaults, but nothing sleeps: a body at rest is still solved for.
static inline cn_world_def restless(void)
{
    cn_world_def def = cn_world_def_default();
    def.sleeping = false;
    return def;
}

static inline cn_world_def weightless(void)
{
    cn_world_def def = restless();
    def.gravity = cn_v3(0.0f, 0.0f, 0.0f);
    return def;
}

static inline cn_shape_def solid_def(cn_geometry geometry, float friction, float restitution)
{
    cn_shape_def def = cn_shape_def_default();
    def.geometry = geometry;
    def.material.friction = friction;
    def.material.restitution = restitution;
    return def;
}

static inline cn_body_id add_body(cn_world *world, cn_body_type type, cn_pos3 position, cn_quat rotation,
                                  const cn_shape_def *shape)
{
    cn_body_def def = cn_body_def_default();
    def.type = type;
    def.position = position;
    def.rotation = rotation;
    cn_body_id body = cn_body_create(world, &def);
    if (CN_IS_NULL(body) || (shape != NULL && CN_IS_NULL(cn_shape_create(world, body, shape))))
        fail_msg("%s", cn_last_error());
    return body;
}

static inline cn_body_id add_upright(cn_world *world, cn_body_type type, cn_pos3 position, const cn_shape_def *shape)
{
    return add_body(world, type, position, cn_quat_identity(), shape);
}

// A static slab whose upper side is y = 0.
static inline cn_body_id add_ground(cn_world *world, float friction, float restitution)
{
    cn_shape_def shape = solid_def(cn_box(100.0f, 1.0f, 100.0f), friction, restitution);
    return add_upright(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &shape);
}

static inline void set_motion(cn_world *world, cn_body_id body, cn_vec3 linear, cn_vec3 angular)
{
    if (!cn_body_set_linear_velocity(world, body, linear) || !cn_body_set_angular_velocity(world, body, angular))
        fail_msg("%s", cn_last_error());
}

static inline cn_step_report advance_by(cn_world *world, int steps, float dt)
{
    cn_step_report report = { 0 };
    for (int i = 0; i < steps; i++) {
        report = cn_world_step(world, dt);
        if (!report.ok || !cn_world_is_finite(world))
            fail_msg("%s", cn_last_error());
    }
    return report;
}

static inline cn_step_report advance(cn_world *world, int steps) { return advance_by(world, steps, tick); }

static inline cn_quat turn_about(cn_vec3 axis, double angle)
{
    float s = (float)sin(0.5 * angle);
    return (cn_quat){ s * axis.x, s * axis.y, s * axis.z, (float)cos(0.5 * angle) };
}

static inline double distance3(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static inline double position_distance(cn_pos3 a, cn_pos3 b) { return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z); }

#define assert_near(value, expected, tolerance)                                                                                \
    do {                                                                                                                       \
        double value_ = (double)(value), expected_ = (double)(expected), tolerance_ = (double)(tolerance);                     \
        if (!(fabs(value_ - expected_) <= tolerance_))                                                                         \
            fail_msg(#value " is %.9g, expected %.9g within %.3g", value_, expected_, tolerance_);                             \
    } while (0)
#define assert_relative(value, expected, tolerance) assert_near(value, expected, fabs((double)(expected)) * (double)(tolerance))
#define assert_below(value, limit)                                                                                             \
    do {                                                                                                                       \
        double value_ = (double)(value), limit_ = (double)(limit);                                                             \
        if (!(value_ < limit_))                                                                                                \
            fail_msg(#value " is %.9g, expected less than %.9g", value_, limit_);                                              \
    } while (0)

#endif
