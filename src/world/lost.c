// The net under the solvers. A body whose motion is not finite was stopped where it was; what pushed it, and would start the next
// step from numbers that are not finite, starts from nothing, so that the world is whole again in the next step.
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

static void forget_contacts(cn_world *world, const cn_body *body)
{
    for (int key = body->first_contact; key != CN_NONE;) {
        cn_contact *contact = &world->contacts.data[key >> 1];
        for (int i = 0; i < contact->touch_count; i++)
            cn_patch_forget_forces(&cn_contact_touch(contact, i)->patch);
        key = contact->edges[key & 1].next;
    }
}

static void forget_joints(cn_world *world, int body)
{
    cn_joints_forget_forces(world, body);
    for (int key = world->bodies.data[body].first_joint; key != CN_NONE;) {
        cn_joint *joint = &world->joints.data[key >> 1];
        joint->load = -1.0f; // not known
        joint->pull = 0.0f;
        key = joint->edges[key & 1].next;
    }
}

static void log_lost(const cn_world *world, int body)
{
    char message[128];
    if (world->def.log == NULL)
        return;
    snprintf(message, sizeof message, "body %d: its motion was not finite in step %llu; it was stopped where it was", body,
             (unsigned long long)world->step_count);
    world->def.log(world->def.log_context, CN_LOG_ERROR, message);
}

void cn_catch_lost_bodies(cn_world *world, const bool *lost)
{
    for (int i = 0; i < world->awake.count; i++) {
        if (!lost[i])
            continue;
        int index = world->awake.data[i];
        cn_body *body = &world->bodies.data[index];
        body->still_time = 0.0f; // it does not fall asleep by being stopped
        forget_contacts(world, body);
        forget_joints(world, index);
        if (world->report.lost++ == 0)
            world->report.lost_body = cn_body_id_of(world, index);
        log_lost(world, index);
    }
}
