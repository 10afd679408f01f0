#include "solve/joint_posture.h"

static cn_vec3 row3(const float *r) { return cn_v3(r[0], r[1], r[2]); }

static void set3(float *row, cn_vec3 v) { row[0] = v.x, row[1] = v.y, row[2] = v.z; }

static cn_quat turn_of(const cn_solve_input *input, int state, float ahead)
{
    const float *t = input->turns[state];
    cn_quat turn = { t[0], t[1], t[2], t[3] };
    return ahead != 0.0f ? cn_quat_mul(cn_quat_exp(cn_scale(ahead, row3(input->states[state].angular))), turn) : turn;
}

// By how much turning moves a vector: small numbers stay exact.
static cn_vec3 turn_change(cn_quat q, cn_vec3 v)
{
    cn_vec3 u = { q.x, q.y, q.z }, t = cn_scale(2.0f, cn_cross(u, v));
    return cn_add(cn_scale(q.w, t), cn_cross(u, t));
}

// How the origin of a frame has moved, and its arm has changed.
typedef struct end_change {
    cn_vec3 origin, arm;
    cn_quat turn;
} end_change;

static end_change change_of_end(const cn_solve_input *input, int state, const float *arm, float ahead)
{
    const cn_body_state *s = &input->states[state];
    cn_quat turn = turn_of(input, state, ahead);
    cn_vec3 change = turn_change(turn, row3(arm)), moved = cn_madd(row3(s->moved), ahead, row3(s->linear));
    return (end_change){ cn_add(moved, change), change, turn };
}

cn_solver_joint cn_joint_moved(const cn_solve_input *input, const cn_found_joint *found, float ahead)
{
    cn_solver_joint joint = *found->joint;
    if (joint.joint_class == CN_CLASS_COUPLING)
        return joint;
    end_change a = change_of_end(input, found->a, joint.arm_a, ahead), b = change_of_end(input, found->b, joint.arm_b, ahead);
    cn_vec3 gap = cn_add(row3(joint.gap), cn_sub(b.origin, a.origin)), x = cn_rotate(a.turn, row3(joint.axes[0]));
    set3(joint.gap, gap);
    set3(joint.arm_a, cn_add(row3(joint.arm_a), a.arm));
    set3(joint.arm_b, cn_add(row3(joint.arm_b), b.arm));
    set3(joint.axes[0], joint.aims && cn_length(gap) > 1e-6f ? cn_normalize(gap) : x);
    set3(joint.axes[1], cn_rotate(a.turn, row3(joint.axes[1])));
    return joint;
}

static cn_vec3 in_frame(const cn_solver_joint *joint, cn_vec3 v)
{
    cn_vec3 x = row3(joint->axes[0]), y = row3(joint->axes[1]);
    return cn_v3(cn_dot(x, v), cn_dot(y, v), cn_dot(cn_cross(x, y), v));
}

static float coupling_change(const cn_solve_input *input, const cn_found_joint *found, float ahead)
{
    const cn_body_state *states[2] = { &input->states[found->a], &input->states[found->b] };
    float sum = 0.0f;
    for (int s = 0; s < 2; s++)
        sum += cn_dot(row3(found->joint->jacobian[s][0]), cn_madd(row3(states[s]->moved), ahead, row3(states[s]->linear))) +
               cn_dot(row3(found->joint->jacobian[s][1]), cn_madd(row3(states[s]->turned), ahead, row3(states[s]->angular)));
    return sum;
}

void cn_joint_change(const cn_solve_input *input, const cn_found_joint *found, float ahead, float change[6])
{
    const cn_solver_joint *start = found->joint;
    if (start->joint_class == CN_CLASS_COUPLING) {
        change[0] = coupling_change(input, found, ahead);
        return;
    }
    cn_solver_joint then = cn_joint_moved(input, found, ahead);
    set3(change, cn_sub(in_frame(&then, row3(then.gap)), in_frame(start, row3(start->gap))));
    cn_quat turn = cn_quat_mul(cn_quat_conj(turn_of(input, found->a, ahead)), turn_of(input, found->b, ahead));
    cn_vec3 local = in_frame(start, cn_quat_log(turn));
    for (int d = 0; d < 3; d++)
        change[3 + d] = cn_dot(row3(start->turn_axes[d]), local);
}

cn_torque_state cn_torque_at(const cn_solve_input *input, const cn_found_joint *found, const cn_joint_torque *torque, float ahead)
{
    cn_quat a = turn_of(input, found->a, ahead), b = turn_of(input, found->b, ahead);
    cn_quat start = { torque->error[0], torque->error[1], torque->error[2], torque->error[3] };
    cn_quat error = cn_quat_mul(b, cn_quat_mul(start, cn_quat_conj(a)));
    return (cn_torque_state){ cn_quat_log(error), cn_rotate(a, row3(torque->velocity)) };
}
