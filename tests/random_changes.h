// What may be changed between steps, at random, over the whole range that the API accepts. What it refuses changes nothing.
#ifndef RANDOM_CHANGES_H
#define RANDOM_CHANGES_H

#include "random_world.h"

static inline cn_transform any_place(wild *w, cn_pos3 from)
{
    cn_vec3 by = chance(w, 2) ? rng_vec(&w->random, 2.0f * w->size) : any_vector(w, 1e-6f, 1e6f);
    return (cn_transform){ cn_pos_add(from, by), rng_quat(&w->random) };
}

static inline void change_motion(wild *w, cn_world *world, cn_body_id body)
{
    cn_pos3 here = cn_body_get_transform(world, body).position;
    switch (rng_next(&w->random) % 6) {
    case 0: cn_body_set_transform(world, body, any_place(w, here)); break;
    case 1: cn_body_set_linear_velocity(world, body, any_vector(w, 1e-6f, 0.99f * CN_MAX_SPEED)); break;
    case 2: cn_body_set_angular_velocity(world, body, any_vector(w, 1e-6f, 0.99f * CN_MAX_SPEED)); break;
    case 3: cn_body_set_type(world, body, (cn_body_type)(rng_next(&w->random) % CN_BODY_TYPE_COUNT)); break;
    case 4: cn_body_move_kinematic(world, body, any_place(w, here), any_between(w, CN_MIN_DT, CN_MAX_DT)); break;
    default: cn_body_set_awake(world, body, chance(w, 2));
    }
}

static inline void change_matter(wild *w, cn_world *world, cn_body_id body)
{
    cn_shape_id shape;
    switch (rng_next(&w->random) % 6) {
    case 0: set_any_mass(w, world, body); break;
    case 1: cn_body_reset_mass(world, body); break;
    case 2: add_any_shape(w, world, body); break;
    case 3:
        if (cn_body_get_shapes(world, body, &shape, 1) > 1)
            cn_shape_destroy(world, shape);
        break;
    case 4: cn_body_set_locks(world, body, rng_next(&w->random) % 64); break;
    default: cn_body_set_continuous(world, body, chance(w, 2));
    }
}

static inline void change_tie(wild *w, cn_world *world, cn_body_id body, cn_body_id other)
{
    cn_joint_id joint;
    cn_shape_id shapes[2];
    if (cn_body_get_shapes(world, body, shapes, 1) > 0 && cn_body_get_shapes(world, other, shapes + 1, 1) > 0 && chance(w, 4))
        cn_shape_set_collide(world, shapes[0], shapes[1], chance(w, 2));
    cn_dof dof = (cn_dof)(rng_next(&w->random) % CN_DOF_COUNT);
    if (cn_body_get_joints(world, body, &joint, 1) == 0) {
        cn_body_set_collide(world, body, other, chance(w, 2));
        return;
    }
    cn_joint_axis axis = cn_joint_get_def(world, joint).axes[dof];
    switch (rng_next(&w->random) % 4) {
    case 0: cn_joint_destroy(world, joint); break;
    case 1: cn_joint_set_motor(world, joint, dof, CN_MOTOR_SPEED, rng_range(&w->random, -10.0f, 10.0f), 1e3f); break;
    case 2: {
        float lower = -rng_range(&w->random, 0.0f, 3.0f), upper = rng_range(&w->random, 0.0f, 3.0f);
        cn_joint_set_limits(world, joint, dof, lower, upper);
        break;
    }
    default:
        make_axis_wild(w, &axis);
        if (is_wild(w, WILD_JOINTS))
            cn_joint_set_axis(world, joint, dof, &axis);
    }
}

static inline void change_any(wild *w, cn_world *world, const cn_body_id *bodies, int count)
{
    uint32_t i = rng_next(&w->random) % (uint32_t)count, k = rng_next(&w->random) % (uint32_t)count;
    switch (rng_next(&w->random) % 3) {
    case 0: change_motion(w, world, bodies[i]); break;
    case 1: change_matter(w, world, bodies[i]); break;
    default: change_tie(w, world, bodies[i], bodies[k]);
    }
}

#endif
