// The net under the solvers. A body whose motion is not finite was stopped where it was; what pushed it, and would start the
// next step from numbers that are not finite, starts from nothing, so that the world is whole again in the next step. One that
// is lost in the next step too goes on as if nothing pushed it: what holds it cannot be solved, and it must not stand still for
// ever.
#include "world/lost.h"

#include <stdio.h>
#include <string.h>

void cn_patch_forget_forces(cn_patch *patch)
{
    memset(patch->force, 0, sizeof patch->force);
    memset(patch->friction_force, 0, sizeof patch->friction_force);
    memset(patch->total, 0, sizeof patch->total);
    memset(patch->rolling_torque, 0, sizeof patch->rolling_torque);
    memset(patch->point_friction, 0, sizeof patch->point_friction);
    memset(patch->approach, 0, sizeof patch->approach);
    patch->twist_torque = patch->load = 0.0f;
}

static bool finite_all(const float *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

bool cn_patch_is_finite(const cn_patch *patch)
{
    return finite_all(patch->force, 4) && finite_all(patch->friction_force, 2) && isfinite(patch->twist_torque) &&
           finite_all(patch->total, 4) && finite_all(patch->rolling_torque, 2) && finite_all(patch->point_friction[0], 8) &&
           finite_all(patch->approach, 4);
}

static bool all_within(const float *values, int count, float most)
{
    for (int i = 0; i < count; i++)
        if (!(cn_absf(values[i]) <= most))
            return false;
    return true;
}

bool cn_joint_is_finite(const cn_joint *joint)
{
    const cn_solver_joint *view = &joint->view;
    float most_total = CN_MOST_JOINT_FORCE * joint->solved_dt;
    for (int i = 0; i < view->row_count; i++)
        if (!all_within(&view->rows[i].total, 1, most_total) || !isfinite(view->rows[i].force))
            return false;
    for (int i = 0; i < 2; i++)
        if (!all_within(view->force[i], 3, CN_MOST_JOINT_FORCE) || !all_within(view->total[i], 3, most_total))
            return false;
    for (int i = 0; view->torques != NULL && i < CN_TORQUE_COUNT; i++)
        if (!finite_all(view->torques[i].force, 3) || !finite_all(view->torques[i].total, 3))
            return false;
    return true;
}

static void forget_contacts(cn_world *world, const cn_body *body, bool all)
{
    for (int key = body->first_contact; key != CN_NONE;) {
        cn_contact *contact = &world->contacts.data[key >> 1];
        for (int i = 0; i < contact->touch_count; i++) {
            cn_patch *patch = &cn_contact_touch(contact, i)->patch;
            if (all || !cn_patch_is_finite(patch))
                cn_patch_forget_forces(patch);
        }
        key = contact->edges[key & 1].next;
    }
}

static void forget_joint(cn_joint *joint)
{
    cn_joint_forget_forces(joint);
    joint->load = -1.0f; // not known
    joint->pull = 0.0f;
}

static void forget_joints(cn_world *world, const cn_body *body)
{
    for (int key = body->first_joint; key != CN_NONE;) {
        cn_joint *joint = &world->joints.data[key >> 1];
        forget_joint(joint);
        key = joint->edges[key & 1].next;
    }
}

static void log_lost(const cn_world *world, int body, bool again)
{
    char message[160];
    if (world->def.log == NULL)
        return;
    snprintf(message, sizeof message, "body %d: its motion was not finite in step %llu; it %s", body + 1, // as in ids
             (unsigned long long)world->step_count, again ? "goes on as if nothing pushed it" : "was stopped where it was");
    world->def.log(world->def.log_context, CN_LOG_ERROR, message);
}

void cn_catch_lost_bodies(cn_world *world, const cn_solve_input *input, const uint8_t *fates)
{
    for (int i = 0; i < world->awake.count; i++) {
        if (fates[i] == CN_MOVED)
            continue;
        int index = world->awake.data[i];
        cn_body *body = &world->bodies.data[index];
        forget_contacts(world, body, fates[i] != CN_HELD_BACK);
        if (fates[i] == CN_HELD_BACK)
            continue;
        forget_joints(world, body);
        body->still_time = 0.0f; // it does not fall asleep by being stopped
        if (world->report.lost++ == 0)
            world->report.lost_body = cn_body_id_of(world, index);
        log_lost(world, index, fates[i] == CN_LOST_AGAIN);
    }
    for (int i = 0; i < world->found_joint_count; i++) {
        cn_joint *joint = (cn_joint *)input->joints[i].joint; // its first member
        if (!input->joints[i].sound && !cn_joint_is_finite(joint))
            forget_joint(joint);
    }
}
