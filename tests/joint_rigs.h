// Bodies that collide with nothing, for the tests of what joints do.
#ifndef JOINT_RIGS_H
#define JOINT_RIGS_H

#include "scene.h"

static const cn_body_id the_world = { 0 };
static const cn_vec3 x_axis = { 1.0f, 0.0f, 0.0f }, y_axis = { 0.0f, 1.0f, 0.0f }, z_axis = { 0.0f, 0.0f, 1.0f };
static const double gravity = 10.0;
static const cn_joint_solve modes[] = { CN_JOINTS_AUTO, CN_JOINTS_SWEEP, CN_JOINTS_DIRECT };
enum { MODES = 3 };

static inline cn_world *open_mode(cn_joint_solve how, bool weighs)
{
    cn_world_def def = restless();
    def.gravity = cn_v3(0.0f, weighs ? -10.0f : 0.0f, 0.0f);
    def.joint_solve = how;
    return open_world(&def);
}

static inline cn_body_id add_part_of(cn_world *world, cn_body_type type, cn_pos3 at, cn_vec3 half, double mass)
{
    cn_shape_def shape = solid_def(cn_box(half.x, half.y, half.z), 0.5f, 0.0f);
    shape.density = (float)mass / (8.0f * half.x * half.y * half.z);
    shape.filter.mask = 0;
    return add_upright(world, type, at, &shape);
}

static inline cn_body_id add_part(cn_world *world, cn_pos3 at, cn_vec3 half, double mass)
{
    return add_part_of(world, CN_DYNAMIC, at, half, mass);
}

static inline cn_joint_id add_joint(cn_world *world, cn_joint_def def)
{
    cn_joint_id joint = cn_joint_create(world, &def);
    if (CN_IS_NULL(joint))
        fail_msg("%s", cn_last_error());
    return joint;
}

static inline double energy_of(const cn_world *world)
{
    cn_energy energy = cn_world_get_energy(world);
    return energy.kinetic + energy.potential;
}

static inline double force_of(const cn_world *world, cn_joint_id joint)
{
    return (double)cn_length(cn_joint_get_reaction(world, joint).force);
}

static inline double torque_of(const cn_world *world, cn_joint_id joint)
{
    return (double)cn_length(cn_joint_get_reaction(world, joint).torque);
}

static inline void assert_finite(const cn_world *world, cn_body_id body)
{
    cn_pos3 center = cn_body_get_center(world, body);
    cn_vec3 v = cn_body_get_linear_velocity(world, body), w = cn_body_get_angular_velocity(world, body);
    assert_true(isfinite(center.x + center.y + center.z));
    assert_true(isfinite(v.x + v.y + v.z) && isfinite(w.x + w.y + w.z));
}

// Every joint that ties one body, which is about the origin, to the world.
enum { TIES = 12 };

static inline cn_joint_def tie_to_world(cn_world *world, int kind, cn_body_id box, cn_vec3 axis, cn_vec3 second)
{
    cn_pos3 at = { 0.0, 2.0, 0.0 }, here = { 0.0, 0.5, 0.0 };
    switch (kind) {
    case 0: return cn_ball_joint(world, the_world, box, at);
    case 1: return cn_cone_twist_joint(world, the_world, box, at, second, 0.5f, 0.5f);
    case 2: return cn_hinge_joint(world, the_world, box, at, axis);
    case 3: return cn_slider_joint(world, the_world, box, at, axis);
    case 4: return cn_cylindrical_joint(world, the_world, box, at, axis);
    case 5: return cn_planar_joint(world, the_world, box, at, axis);
    case 6: return cn_fixed_joint(world, the_world, box, at);
    case 7: return cn_distance_joint(world, the_world, box, at, here);
    case 8: return cn_rope_joint(world, the_world, box, at, here, 1.5f);
    case 9: return cn_spring_joint(world, the_world, box, at, here, 1e4f, 10.0f);
    case 10: return cn_wheel_joint(world, the_world, box, at, axis, second, 1e4f, 10.0f);
    default: return cn_motor_joint(world, the_world, box, 5.0f, 1e4f, 1e4f);
    }
}

#endif
