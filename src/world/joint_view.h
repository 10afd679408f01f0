// What the files that make the solver's view of a joint share.
#ifndef CN_JOINT_VIEW_H
#define CN_JOINT_VIEW_H

#include "world/world.h"

// Where one frame of a joint is.
typedef struct cn_joint_side {
    cn_pos3 base; // centre of mass of the body; of the world, the origin of the frame
    cn_vec3 arm;  // from there to the origin of the frame, world axes
    cn_quat rotation;
    bool moves; // false: the world, and static bodies
} cn_joint_side;
static inline cn_joint_side cn_joint_get_side(const cn_world *world, const cn_joint *joint, int side)
{
    const cn_transform *frame = side == 0 ? &joint->def.frame_a : &joint->def.frame_b;
    int index = side == 0 ? joint->body_a : joint->body_b;
    if (index == CN_NONE)
        return (cn_joint_side){ frame->position, { 0.0f, 0.0f, 0.0f }, frame->rotation, false };
    const cn_body *body = &world->bodies.data[index];
    cn_vec3 c = body->local_center;
    cn_vec3 local = cn_v3((float)(frame->position.x - (double)c.x), (float)(frame->position.y - (double)c.y),
                          (float)(frame->position.z - (double)c.z));
    return (cn_joint_side){ body->center, cn_rotate(body->rotation, local), cn_quat_mul(body->rotation, frame->rotation),
                            body->type != CN_STATIC };
}

static inline cn_pos3 cn_side_origin(const cn_joint_side *side) { return cn_pos_add(side->base, side->arm); }
static inline cn_vec3 cn_get3(const float row[4]) { return cn_v3(row[0], row[1], row[2]); }
static inline void cn_put3(float row[4], cn_vec3 v) { row[0] = v.x, row[1] = v.y, row[2] = v.z, row[3] = 0.0f; }
// Follows an angle that is known up to whole turns. It may pass more than half a turn in a step, so it is looked for where its
// rate took it since it was last measured.
void cn_follow_turn(const cn_world *world, cn_joint *joint, int i, double angle, float rate);
// A unit vector along (x, y, z), and its length; `otherwise` where it is too short to have a direction.
cn_vec3 cn_direction(double x, double y, double z, cn_vec3 otherwise, double *length);

static inline bool cn_is_coupling(const cn_joint_def *def) { return def->kind > CN_JOINT_DISTANCE; }
// Where a locked degree of freedom is held.
static inline float cn_lock_place(const cn_joint_def *def, int dof)
{
    bool length = def->kind == CN_JOINT_DISTANCE || def->kind == CN_JOINT_PULLEY;
    return def->axes[dof].freedom == CN_LIMITED || length ? def->axes[dof].lower : 0.0f;
}
// Nothing moves along it: it is part of the block of locks.
static inline bool cn_is_rigid_axis(const cn_joint_axis *axis)
{
    bool held = axis->freedom == CN_LOCKED || (axis->freedom == CN_LIMITED && axis->lower == axis->upper);
    return held && !(axis->hertz > 0.0f);
}
static inline bool cn_has_ball_motor(const cn_joint_ball *ball)
{
    return ball->motor != CN_MOTOR_OFF && ball->motor_max_torque > 0.0f;
}
static inline bool cn_has_ball_torque(const cn_joint_ball *ball) { return cn_has_ball_motor(ball) || ball->friction > 0.0f; }
// One cone bounds both swings, see cn_joint_def.
static inline bool cn_has_cone(const cn_solver_joint *view, const cn_joint_def *def)
{
    int swings = 1 << CN_SWING_Y | 1 << CN_SWING_Z;
    return def->cone && def->kind == CN_JOINT_FRAMES && (view->locked & swings) == 0 &&
           def->axes[CN_SWING_Y].freedom == CN_LIMITED && def->axes[CN_SWING_Z].freedom == CN_LIMITED;
}
// The larger half angle of a swing's limits; a cone needs some opening to have a direction.
static inline float cn_half_angle(const cn_joint_axis *axis) { return cn_maxf(cn_maxf(-axis->lower, axis->upper), 1e-3f); }

// Joints of bodies with locked axes (joint_yield.c). What they cannot hold is left to the locks in this step: their view is
// reduced once it is known where they are. Returns whether all of what is left may be held at once.
bool cn_joint_yield(const cn_world *world, cn_joint *joint);
void cn_joint_restore(cn_joint *joint); // undoes that (joint_rows.c)

// The coordinate of a gear, rack or pulley, and its Jacobian (joint_coupling.c).
void cn_coupling_start(const cn_world *world, cn_joint *joint);
void cn_coupling_measure(const cn_world *world, cn_joint *joint);

#endif
