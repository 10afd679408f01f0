// What can be asked of a joint.
#include "world/check.h"
#include "world/joint_check.h"
#include "world/joint_view.h"

// A definition that cn_joint_create refuses, with the sentence that explains why there is none.
cn_joint_def cn_joint_get_def(const cn_world *world, cn_joint_id joint)
{
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    if (j != NULL)
        return j->def;
    cn_joint_def none = cn_joint_def_default();
    none.kind = CN_JOINT_KIND_COUNT;
    return none;
}

void *cn_joint_get_user_data(const cn_world *world, cn_joint_id joint)
{
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    return j != NULL ? j->def.user_data : NULL;
}

int cn_world_get_joint_count(const cn_world *world) { return cn_check_world(world, __func__) ? world->joint_count : 0; }

int cn_world_get_joints(const cn_world *world, cn_joint_id *joints, int capacity)
{
    if (!cn_check_world(world, __func__) || !cn_check_buffer(__func__, "joints", joints, capacity))
        return 0;
    for (int i = 0, count = 0; i < world->joints.count && count < capacity; i++)
        if (world->joints.data[i].used)
            joints[count++] = cn_joint_id_of(world, i);
    return world->joint_count;
}

int cn_body_get_joints(const cn_world *world, cn_body_id body, cn_joint_id *joints, int capacity)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    if (b == NULL || !cn_check_buffer(__func__, "joints", joints, capacity))
        return 0;
    int count = 0;
    for (int key = b->first_joint; key != CN_NONE && count < capacity; key = world->joints.data[key >> 1].edges[key & 1].next)
        joints[count++] = cn_joint_id_of(world, key >> 1);
    return b->joint_count;
}

float cn_joint_get_place(const cn_world *world, cn_joint_id joint, cn_dof dof)
{
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    return j != NULL && cn_check_joint_dof(__func__, &j->def, dof) ? cn_joint_place(world, j, (int)dof) : 0.0f;
}

float cn_joint_get_speed(const cn_world *world, cn_joint_id joint, cn_dof dof)
{
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    return j != NULL && cn_check_joint_dof(__func__, &j->def, dof) ? cn_joint_speed(world, j, (int)dof) : 0.0f;
}

cn_quat cn_joint_get_rotation(const cn_world *world, cn_joint_id joint)
{
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    if (j == NULL)
        return cn_quat_identity();
    cn_joint_side a = cn_joint_get_side(world, j, 0), b = cn_joint_get_side(world, j, 1);
    return cn_quat_normalize(cn_quat_mul(cn_quat_conj(a.rotation), b.rotation));
}

// ---- errors

cn_joint_error cn_joint_error_now(const cn_world *world, const cn_joint *joint, bool held_only)
{
    cn_joint now = *joint;
    now.view.locked = 0; // places, not errors
    cn_joint_measure(world, &now);
    const cn_joint_def *def = &joint->def;
    float squares[2] = { 0.0f, 0.0f };
    for (int dof = 0; dof < (def->kind == CN_JOINT_FRAMES ? CN_DOF_COUNT : 1); dof++) {
        float off = now.view.place[dof / 3][dof % 3] - cn_lock_place(def, dof);
        if (held_only ? joint->view.locked >> dof & 1 : def->axes[dof].freedom == CN_LOCKED)
            squares[dof / 3] += off * off;
    }
    if (def->kind == CN_JOINT_GEAR)
        return (cn_joint_error){ .angular = sqrtf(squares[0]) };
    return (cn_joint_error){ sqrtf(squares[0]), sqrtf(squares[1]) };
}

cn_joint_error cn_joint_get_error(const cn_world *world, cn_joint_id joint)
{
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    return j != NULL ? cn_joint_error_now(world, j, false) : (cn_joint_error){ 0 };
}

// ---- reactions

static void put(float *out, cn_vec3 v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

// The parts of a torque, given in frame a, along the three rotations, so that its power is the sum of parts times rates: rates
// are T w for an angular velocity w, so the torque is T' times the parts.
static cn_vec3 torque_along_turns(const cn_solver_joint *view, cn_vec3 torque)
{
    cn_vec3 t0 = cn_get3(view->turn_axes[0]), t1 = cn_get3(view->turn_axes[1]), t2 = cn_get3(view->turn_axes[2]);
    cn_vec3 c0 = cn_cross(t1, t2), c1 = cn_cross(t2, t0), c2 = cn_cross(t0, t1);
    float determinant = cn_dot(t0, c0);
    if (!(cn_absf(determinant) > 1e-6f))
        return torque;
    float scale = 1.0f / determinant;
    return cn_v3(scale * cn_dot(c0, torque), scale * cn_dot(c1, torque), scale * cn_dot(c2, torque));
}

static void fill_frames(cn_joint_reaction *reaction, const cn_solver_joint *view, cn_joint_kind kind, float rate)
{
    reaction->force = cn_scale(rate, cn_get3(view->total[0]));
    reaction->torque = cn_scale(rate, cn_get3(view->total[1]));
    cn_vec3 x = cn_get3(view->axes[0]), y = cn_get3(view->axes[1]);
    cn_mat3 axes = { x, y, cn_cross(x, y) };
    cn_vec3 force = cn_mat3_tmul(&axes, reaction->force);
    if (kind == CN_JOINT_DISTANCE) {
        reaction->axis_force[CN_X] = force.x;
        return;
    }
    put(&reaction->axis_force[CN_X], force);
    // Nothing turns a ball joint.
    if (view->joint_class != CN_CLASS_BALL)
        put(&reaction->axis_force[CN_TWIST], torque_along_turns(view, cn_mat3_tmul(&axes, reaction->torque)));
}

static void fill_coupling(cn_joint_reaction *reaction, const cn_solver_joint *view, float rate)
{
    float along = rate * view->total[0][0];
    reaction->force = cn_scale(along, cn_get3(view->jacobian[1][0]));
    cn_vec3 about_center = cn_scale(along, cn_get3(view->jacobian[1][1]));
    reaction->torque = cn_sub(about_center, cn_cross(cn_get3(view->arm_b), reaction->force));
    reaction->axis_force[CN_X] = along;
}

cn_joint_reaction cn_joint_get_reaction(const cn_world *world, cn_joint_id joint)
{
    cn_joint_reaction reaction = { 0 };
    const cn_joint *j = cn_find_joint(world, __func__, joint);
    if (j == NULL)
        return reaction;
    cn_joint_side b = cn_joint_get_side(world, j, 1);
    reaction.point = cn_side_origin(&b);
    if (!(j->solved_dt > 0.0f))
        return reaction;
    const cn_solver_joint *view = &j->view;
    float rate = 1.0f / j->solved_dt;
    if (view->joint_class == CN_CLASS_COUPLING)
        fill_coupling(&reaction, view, rate);
    else
        fill_frames(&reaction, view, j->def.kind, rate);
    for (int i = 0; i < view->row_count; i++)
        if (view->rows[i].kind == CN_ROW_MOTOR)
            reaction.motor_force[view->rows[i].dof] = rate * view->rows[i].total;
    if (view->torques != NULL)
        reaction.motor_torque = cn_scale(rate, cn_get3(view->torques[CN_TORQUE_MOTOR].total));
    return reaction;
}
