// Whether all that can be asked of a world is finite. Not part of a step: tests call it after every one.
#include "world/lost.h"

static bool finite3(cn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }
static bool finite_pos(cn_pos3 p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }
static bool finite_all(const float *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}
static bool is_rotation(cn_quat q)
{
    return fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 0.01f;
}

static bool check_shapes(const cn_world *world, const cn_body *body)
{
    for (int i = body->first_shape; i != CN_NONE; i = world->shapes.data[i].next) {
        cn_bounds bounds = cn_shape_bounds(world, &world->shapes.data[i]);
        if (!finite_pos(bounds.lower) || !finite_pos(bounds.upper))
            return cn_fail("shape %d: its bounds are not finite", i);
        const cn_box3 *box = &world->shapes.data[i].fat_box;
        if (!finite3(box->lower) || !finite3(box->upper))
            return cn_fail("shape %d: its box in the tree is not finite", i);
    }
    return true;
}

static bool check_body(const cn_world *world, int index)
{
    const cn_body *body = &world->bodies.data[index];
    if (!finite_pos(body->center) || !is_rotation(body->rotation))
        return cn_fail("body %d: its transform is not finite, or no rotation", index + 1);
    if (!finite3(body->linear_velocity) || !finite3(body->angular_velocity))
        return cn_fail("body %d: its velocity is not finite", index + 1);
    if (!finite3(body->force) || !finite3(body->torque))
        return cn_fail("body %d: the force for the next step is not finite", index + 1);
    cn_push push = cn_push_on(world, index, world->last_dt);
    if (!finite3(push.force) || !finite3(push.torque) || !isfinite(push.pressure))
        return cn_fail("body %d: what pushes it is not finite: force (%g, %g, %g), torque (%g, %g, %g), pressure %g", index + 1,
                       (double)push.force.x, (double)push.force.y, (double)push.force.z, (double)push.torque.x,
                       (double)push.torque.y, (double)push.torque.z, (double)push.pressure);
    cn_body_id id = cn_body_id_of(world, index);
    cn_path_state path = cn_body_has_path(world, id) ? cn_body_get_path_state(world, id) : (cn_path_state){ 0 };
    if (!isfinite(path.time) || !isfinite(path.force) || !isfinite(path.torque))
        return cn_fail("body %d: the state of its path is not finite", index + 1);
    return check_shapes(world, body);
}

static bool check_patch(int index, const cn_patch *patch)
{
    if (!finite_all(patch->normal, 3) || !finite_all(patch->points[0], 12) || !finite_all(patch->separation, 4))
        return cn_fail("contact %d: where it is is not finite", index);
    if (!cn_patch_is_finite(patch))
        return cn_fail("contact %d: its forces are not finite", index);
    return isfinite(patch->load) || cn_fail("contact %d: its load is not finite", index);
}

static bool check_contact(const cn_world *world, int index)
{
    const cn_contact *contact = &world->contacts.data[index];
    for (int i = 0; i < contact->touch_count; i++) {
        const cn_touch *touch = cn_contact_touch(contact, i);
        cn_vec3 normal = cn_touch_normal(world, contact, touch);
        if (!check_patch(index, &touch->patch))
            return false;
        for (int k = 0; k < touch->patch.point_count; k++) {
            cn_contact_place place = cn_touch_point_now(world, contact, touch, normal, k);
            if (!finite_pos(place.position) || !isfinite(place.separation))
                return cn_fail("contact %d: point %d is not finite", index, k);
        }
    }
    return true;
}

static bool check_joint(const cn_world *world, int index)
{
    const cn_joint *joint = &world->joints.data[index];
    cn_joint_id id = cn_joint_id_of(world, index);
    if (!cn_joint_is_finite(joint))
        return cn_fail("joint %d: what it carries is not finite", index + 1);
    if (!isfinite(joint->load) || !isfinite(joint->pull))
        return cn_fail("joint %d: its load is not finite", index + 1);
    cn_joint_reaction r = cn_joint_get_reaction(world, id);
    if (!finite3(r.force) || !finite3(r.torque) || !finite_pos(r.point) || !finite_all(r.axis_force, CN_DOF_COUNT) ||
        !finite_all(r.motor_force, CN_DOF_COUNT) || !finite3(r.motor_torque))
        return cn_fail("joint %d: its reaction is not finite", index + 1);
    if (joint->def.kind == CN_JOINT_FRAMES && !is_rotation(cn_joint_get_rotation(world, id)))
        return cn_fail("joint %d: the rotation of its frames is none", index + 1);
    cn_joint_error error = cn_joint_get_error(world, id);
    for (int d = 0; d < (joint->def.kind == CN_JOINT_FRAMES ? CN_DOF_COUNT : 1); d++)
        if (!isfinite(cn_joint_place(world, joint, d)) || !isfinite(cn_joint_speed(world, joint, d)))
            return cn_fail("joint %d: place or speed of degree of freedom %d is not finite", index + 1, d);
    return (isfinite(error.linear) && isfinite(error.angular)) || cn_fail("joint %d: its error is not finite", index + 1);
}

static bool check_events(const cn_world *world)
{
    for (int i = 0; i < world->hit_events.count; i++) {
        const cn_hit_event *hit = &world->hit_events.data[i];
        if (!finite_pos(hit->point) || !finite3(hit->normal) || !isfinite(hit->approach_speed))
            return cn_fail("hit event %d is not finite", i);
    }
    for (int i = 0; i < world->move_events.count; i++) {
        const cn_transform *t = &world->move_events.data[i].transform;
        if (!finite_pos(t->position) || !is_rotation(t->rotation))
            return cn_fail("move event %d is not finite", i);
    }
    for (int i = 0; i < world->path_events.count; i++)
        if (!isfinite(world->path_events.data[i].force) || !isfinite(world->path_events.data[i].torque))
            return cn_fail("path event %d is not finite", i);
    for (int i = 0; i < world->joint_events.count; i++)
        if (!isfinite(world->joint_events.data[i].force) || !isfinite(world->joint_events.data[i].torque))
            return cn_fail("joint event %d is not finite", i);
    return true;
}

static bool finite_residual(const cn_residual *r)
{
    return isfinite(r->value) && isfinite(r->worst) && isfinite(r->approach) && isfinite(r->negative_impulse) &&
           isfinite(r->cone) && isfinite(r->gap) && isfinite(r->direction);
}

static bool check_measures(const cn_world *world)
{
    const cn_step_report *report = &world->report;
    if (!finite_residual(&report->residual) || !isfinite(report->worst_residual) || !isfinite(report->max_penetration))
        return cn_fail("a figure of the step report is not finite");
    for (int i = 0; i < world->island_reports.count; i++)
        if (!finite_residual(&world->island_reports.data[i].residual) || !isfinite(world->island_reports.data[i].first_residual))
            return cn_fail("the residual of island %d is not finite", i);
    cn_energy energy = cn_world_get_energy(world);
    double sum = energy.kinetic + energy.potential;
    for (int i = 0; i < 3; i++)
        sum += energy.linear_momentum[i] + energy.angular_momentum[i];
    return (isfinite(sum) && isfinite(cn_world_get_max_penetration(world))) || cn_fail("energy or momentum is not finite");
}

bool cn_world_is_finite(const cn_world *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i].used && !check_body(world, i))
            return false;
    for (int i = 0; i < world->contacts.count; i++)
        if (world->contacts.data[i].used && !check_contact(world, i))
            return false;
    for (int i = 0; i < world->joints.count; i++)
        if (world->joints.data[i].used && !check_joint(world, i))
            return false;
    return check_events(world) && check_measures(world);
}
