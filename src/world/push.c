// What pushes a body: the forces of its contacts and joints, summed.
#include "solve/wide.h"
#include "world/joint_view.h"
#include "world/world.h"

#include <float.h>

// In double: what two bodies far outside the usual do to each other in a short step, times a lever, leaves the range of float.
typedef struct push_sum {
    double force[3], torque[3], pressure;
} push_sum;

static void add_torque(push_sum *sum, double scale, cn_vec3 torque)
{
    sum->torque[0] += scale * (double)torque.x;
    sum->torque[1] += scale * (double)torque.y;
    sum->torque[2] += scale * (double)torque.z;
}

static void add_force(push_sum *sum, double scale, cn_vec3 force, cn_vec3 arm)
{
    const double f[3] = { scale * (double)force.x, scale * (double)force.y, scale * (double)force.z },
                 r[3] = { (double)arm.x, (double)arm.y, (double)arm.z };
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sum->force[i] += f[i];
        sum->torque[i] += r[j] * f[k] - r[k] * f[j];
    }
}

static float within_float(double value) { return (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX); }

static cn_push to_push(const push_sum *sum)
{
    const double *f = sum->force, *t = sum->torque;
    return (cn_push){ { within_float(f[0]), within_float(f[1]), within_float(f[2]) },
                      { within_float(t[0]), within_float(t[1]), within_float(t[2]) },
                      within_float(sum->pressure) };
}

// ---- contacts

static bool is_solved(const cn_world *world, const cn_contact *contact)
{
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    return (a->type == CN_DYNAMIC && a->awake != CN_NONE) || (b->type == CN_DYNAMIC && b->awake != CN_NONE);
}

static cn_vec3 along(const float t1[3], float f1, const float t2[3], float f2)
{
    return cn_v3(f1 * t1[0] + f2 * t2[0], f1 * t1[1] + f2 * t2[1], f1 * t1[2] + f2 * t2[2]);
}

// Adds what a patch does to body b, or to a with a sign of -1. `rate` turns impulses of the step into forces; 0: the step did
// not solve it, and the force of its last substep counts.
static void add_patch(push_sum *sum, const cn_patch *patch, bool cone, double rate, double sign)
{
    cn_vec3 between = { patch->between[0], patch->between[1], patch->between[2] }, middle = { 0.0f, 0.0f, 0.0f };
    cn_vec3 normal = { patch->normal[0], patch->normal[1], patch->normal[2] };
    cn_vec3 origin = sign > 0.0 ? between : cn_v3(0.0f, 0.0f, 0.0f); // centre of the body, from that of a
    const double before[3] = { sum->force[0], sum->force[1], sum->force[2] };
    float t1[3], t2[3];
    cn_tangent_basis(patch->normal, t1, t2);
    for (int i = 0; i < patch->point_count; i++) {
        cn_vec3 point = { patch->points[0][i], patch->points[1][i], patch->points[2][i] }, arm = cn_sub(point, origin);
        add_force(sum, sign * (rate > 0.0 ? rate * (double)patch->total[i] : (double)patch->force[i]), normal, arm);
        if (cone)
            add_force(sum, sign, along(t1, patch->point_friction[0][i], t2, patch->point_friction[1][i]), arm);
        middle = cn_madd(middle, 1.0f / (float)patch->point_count, point);
    }
    if (!cone)
        add_force(sum, sign, along(t1, patch->friction_force[0], t2, patch->friction_force[1]), cn_sub(middle, origin));
    add_torque(sum, sign * (double)patch->twist_torque, normal);
    if (patch->extras & CN_EXTRA_ROLLING)
        add_torque(sum, sign, along(t1, patch->rolling_torque[0], t2, patch->rolling_torque[1]));
    sum->pressure +=
        sqrt((sum->force[0] - before[0]) * (sum->force[0] - before[0]) + (sum->force[1] - before[1]) * (sum->force[1] - before[1]) +
             (sum->force[2] - before[2]) * (sum->force[2] - before[2]));
}

static void add_contacts(push_sum *sum, const cn_world *world, const cn_body *body, float dt)
{
    bool cone = world->def.friction_model == CN_FRICTION_CONE;
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        double sign = key & 1 ? 1.0 : -1.0, rate = is_solved(world, contact) ? 1.0 / (double)dt : 0.0;
        for (int i = 0; i < contact->touch_count; i++) {
            const cn_patch *patch = &cn_contact_touch(contact, i)->patch;
            if (patch->point_count > 0)
                add_patch(sum, patch, cone, rate, sign);
        }
        key = contact->edges[key & 1].next;
    }
}

// ---- joints

// Where the force of a joint acts on body a, from its centre of mass. The solver leaves that out where a does not move.
static cn_vec3 arm_of_a(const cn_joint *joint, const cn_body *a)
{
    const cn_pos3 *p = &joint->def.frame_a.position;
    cn_vec3 arm = cn_get3(joint->view.arm_a);
    if (a->type == CN_STATIC)
        arm = cn_rotate(a->rotation, cn_sub(cn_v3((float)p->x, (float)p->y, (float)p->z), a->local_center));
    return cn_add(arm, cn_get3(joint->view.gap));
}

static void add_joint(push_sum *sum, const cn_joint *joint, const cn_body *body, int side)
{
    const cn_solver_joint *view = &joint->view;
    double scale = (side == 1 ? 1.0 : -1.0) / (double)joint->solved_dt;
    cn_vec3 force = cn_get3(view->total[0]), torque = cn_get3(view->total[1]);
    cn_vec3 arm = side == 1 ? cn_get3(view->arm_b) : arm_of_a(joint, body);
    if (view->joint_class == CN_CLASS_COUPLING) { // its Jacobian is about the centres of mass
        scale = (double)view->total[0][0] / (double)joint->solved_dt;
        force = cn_get3(view->jacobian[side][0]);
        torque = cn_get3(view->jacobian[side][1]);
        arm = cn_v3(0.0f, 0.0f, 0.0f);
    }
    add_force(sum, scale, force, arm);
    add_torque(sum, scale, torque);
    sum->pressure += fabs(scale) * (double)cn_length_of_any(force);
}

static void add_joints(push_sum *sum, const cn_world *world, const cn_body *body)
{
    for (int key = body->first_joint; key != CN_NONE;) {
        const cn_joint *joint = &world->joints.data[key >> 1];
        if (joint->solved_dt > 0.0f)
            add_joint(sum, joint, body, key & 1);
        key = joint->edges[key & 1].next;
    }
}

cn_push cn_push_on(const cn_world *world, int body, float dt)
{
    push_sum sum = { 0 };
    const cn_body *b = &world->bodies.data[body];
    if (dt > 0.0f)
        add_contacts(&sum, world, b, dt);
    add_joints(&sum, world, b);
    return to_push(&sum);
}

cn_push cn_body_get_push(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL ? cn_push_on(world, (int)(b - world->bodies.data), world->last_dt) : (cn_push){ 0 };
}
