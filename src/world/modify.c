// Contact modification: between finding contacts and solving them, the user may change or disable the places where shapes
// touch.
#include "world/check.h"
#include "world/world.h"

#include <string.h>

static const char hook[] = "cn_world_def.modify";

static cn_vec3 row(const float r[3]) { return cn_v3(r[0], r[1], r[2]); }

static cn_vec3 point_of(const cn_patch *patch, int k) // from the centre of a
{
    return cn_v3(patch->points[0][k], patch->points[1][k], patch->points[2][k]);
}

// Of b against a.
static cn_vec3 velocity_at(const cn_body *a, const cn_body *b, const cn_patch *patch, cn_vec3 point)
{
    cn_vec3 arm_b = cn_sub(point, row(patch->between));
    return cn_sub(cn_add(b->linear_velocity, cn_cross(b->angular_velocity, arm_b)),
                  cn_add(a->linear_velocity, cn_cross(a->angular_velocity, point)));
}

// What the place is like without the user: from the materials, as the patch may still have what the user made of it before it
// slept.
static cn_contact_change describe(const cn_world *world, const cn_contact *contact, const cn_touch *touch)
{
    const cn_patch *patch = &touch->patch;
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_mix mix = cn_touch_mix(world, contact, touch);
    cn_contact_change change = {
        .shape_a = cn_shape_id_of(world, contact->shape_a),
        .shape_b = cn_shape_id_of(world, contact->shape_b),
        .body_a = cn_body_id_of(world, contact->body_a),
        .body_b = cn_body_id_of(world, contact->body_b),
        .material = touch->material,
        .normal = row(patch->normal),
        .point_count = patch->point_count,
        .enabled = true,
        .friction = patch->sliding ? mix.kinetic_friction : mix.friction,
        .restitution = mix.restitution,
        .rolling_resistance = mix.rolling_arm,
        .spinning_resistance = mix.spin_arm,
        .surface_velocity = cn_touch_surface_velocity(world, contact, touch),
    };
    int deepest = 0;
    for (int k = 0; k < patch->point_count; k++) {
        change.points[k] = cn_pos_add(a->center, point_of(patch, k));
        change.separations[k] = patch->separation[k];
        change.last_normal_impulse += patch->total[k];
        deepest = patch->separation[k] < patch->separation[deepest] ? k : deepest;
    }
    change.relative_velocity = velocity_at(a, b, patch, point_of(patch, deepest));
    return change;
}

// ---- what the user made of it

// A value that no material could have is not taken.
static void take(const cn_world *world, bool usable, float value, float *into)
{
    if (usable)
        *into = value;
    else if (world->def.log != NULL)
        world->def.log(world->def.log_context, CN_LOG_WARNING, cn_last_error());
}

static void take_values(const cn_world *world, const cn_contact_change *wanted, cn_contact_change *change)
{
    take(world, cn_check_range(hook, "friction", wanted->friction, 0.0f, CN_MAX_FRICTION), wanted->friction, &change->friction);
    take(world, cn_check_range(hook, "restitution", wanted->restitution, 0.0f, 1.0f), wanted->restitution,
         &change->restitution);
    take(world, cn_check_range(hook, "rolling_resistance", wanted->rolling_resistance, 0.0f, CN_MAX_SIZE),
         wanted->rolling_resistance, &change->rolling_resistance);
    take(world, cn_check_range(hook, "spinning_resistance", wanted->spinning_resistance, 0.0f, CN_MAX_SIZE),
         wanted->spinning_resistance, &change->spinning_resistance);
    bool usable = cn_check_velocity(hook, "surface_velocity", wanted->surface_velocity);
    take(world, usable, wanted->surface_velocity.x, &change->surface_velocity.x);
    if (usable) {
        change->surface_velocity.y = wanted->surface_velocity.y;
        change->surface_velocity.z = wanted->surface_velocity.z;
    }
}

static void set_extra(cn_patch *patch, int extra, bool needed)
{
    patch->extras = (uint8_t)(needed ? patch->extras | extra : patch->extras & ~extra);
}

static void apply(const cn_contact *contact, const cn_contact_change *change, cn_patch *patch)
{
    patch->friction = change->friction;
    patch->restitution = change->restitution;
    patch->rolling_arm = change->rolling_resistance;
    patch->spin_arm = change->spinning_resistance;
    patch->surface[0] = change->surface_velocity.x;
    patch->surface[1] = change->surface_velocity.y;
    patch->surface[2] = change->surface_velocity.z;
    set_extra(patch, CN_EXTRA_RESTITUTION, change->restitution > 0.0f || contact->hits);
    set_extra(patch, CN_EXTRA_ROLLING, change->rolling_resistance > 0.0f);
    set_extra(patch, CN_EXTRA_SURFACE, cn_length_sq(change->surface_velocity) > 0.0f);
}

// What is not solved carries nothing, neither to the user nor to the next step.
static void forget_forces(cn_patch *patch)
{
    memset(patch->force, 0, sizeof patch->force);
    memset(patch->total, 0, sizeof patch->total);
    memset(patch->friction_force, 0, sizeof patch->friction_force);
    memset(patch->point_friction, 0, sizeof patch->point_friction);
    memset(patch->rolling_torque, 0, sizeof patch->rolling_torque);
    patch->twist_torque = 0.0f;
    patch->sliding = false;
}

// ---- all contacts that ask for it

static bool modify_contact(cn_world *world, cn_contact *contact)
{
    bool any_disabled = false;
    contact->disabled = contact->touch_count > 0;
    for (int i = 0; i < contact->touch_count; i++) {
        cn_touch *touch = cn_contact_touch(contact, i);
        cn_contact_change change = describe(world, contact, touch), wanted = change;
        world->def.modify(world->def.modify_context, &wanted);
        take_values(world, &wanted, &change);
        apply(contact, &change, &touch->patch);
        touch->disabled = !wanted.enabled;
        any_disabled |= touch->disabled;
        contact->disabled &= touch->disabled;
        if (touch->disabled)
            forget_forces(&touch->patch);
    }
    return any_disabled;
}

// The patch is the first thing in its touch.
static bool is_disabled(const cn_patch *patch) { return ((const cn_touch *)patch)->disabled; }

static void leave_out_disabled(cn_world *world)
{
    int kept = 0;
    for (int i = 0; i < world->found_count; i++)
        if (!is_disabled(world->found[i].patch))
            world->found[kept++] = world->found[i];
    world->found_count = kept;
}

void cn_modify_contacts(cn_world *world)
{
    if (world->def.modify == NULL)
        return;
    bool any_disabled = false;
    for (int i = 0; i < world->awake_contacts.count; i++)
        if (world->awake_contacts.data[i].modifies)
            any_disabled |= modify_contact(world, &world->contacts.data[world->awake_contacts.data[i].contact]);
    if (any_disabled)
        leave_out_disabled(world);
}

bool cn_world_set_modify(cn_world *world, cn_modify_fn modify, void *context)
{
    if (!cn_check_writable(world, __func__))
        return false;
    world->def.modify = modify;
    world->def.modify_context = context;
    for (int i = 0; i < world->contacts.count; i++) { // nothing stays disabled that nobody disables
        cn_contact *contact = &world->contacts.data[i];
        contact->disabled = false;
        for (int k = 0; contact->used && k < contact->touch_count; k++)
            cn_contact_touch(contact, k)->disabled = false;
    }
    return true;
}
