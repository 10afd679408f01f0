// Contacts: the memory of a pair of shapes that are close to each other.
#include "solve/wide.h"
#include "world/world.h"

#include <string.h>

static bool has_surface_velocity(const cn_material *m) { return cn_length_sq(m->surface_velocity) > 0.0f; }

static float kinetic_of(const cn_material *m) { return m->kinetic_friction < 0.0f ? m->friction : m->kinetic_friction; }

// A factor of 1 is no grain.
static bool has_grain(const cn_material *m) { return cn_length_sq(m->grain) > 0.0f && m->grain_friction != 1.0f; }

static int choose_grain(const cn_material *a, const cn_material *b)
{
    if (has_grain(a) && (!has_grain(b) || a->grain_friction <= b->grain_friction))
        return CN_GRAIN_A;
    return has_grain(b) ? CN_GRAIN_B : CN_GRAIN_NONE;
}

cn_mix cn_mix_materials(const cn_material *a, const cn_material *b)
{
    float friction = sqrtf(a->friction * b->friction);
    int grain = choose_grain(a, b);
    return (cn_mix){
        .friction = friction,
        .kinetic_friction = cn_minf(sqrtf(kinetic_of(a) * kinetic_of(b)), friction),
        .restitution = cn_maxf(a->restitution, b->restitution),
        .rolling_arm = cn_maxf(a->rolling_resistance, b->rolling_resistance),
        .spin_arm = cn_maxf(a->spinning_resistance, b->spinning_resistance),
        .has_surface_velocity = has_surface_velocity(a) || has_surface_velocity(b),
        .grain = (uint8_t)grain,
    };
}

// ---- directions that belong to a surface

static cn_vec3 to_world(const cn_world *world, const cn_shape *shape, cn_vec3 v)
{
    return cn_rotate(world->bodies.data[shape->body].rotation, cn_rotate(shape->pose.rotation, v));
}

// The surfaces stick when the bodies move against each other just as their belts run.
cn_vec3 cn_touch_surface_velocity(const cn_world *world, const cn_contact *contact, const cn_touch *touch)
{
    const cn_shape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    return cn_sub(to_world(world, a, cn_part_material(a, touch->material)->surface_velocity),
                  to_world(world, b, b->material.surface_velocity));
}

// What a turning kinematic body carries goes along the chord of its circle in a step, not along the tangent where the step begins,
// or it would drift outwards. This is by how much that velocity differs, to third order.
static cn_vec3 chord_velocity(const cn_body *body, cn_vec3 arm, float dt)
{
    cn_vec3 spin = body->angular_velocity, tangent = cn_cross(spin, arm);
    float turn_sq = dt * dt * cn_length_sq(spin);
    if (body->type != CN_KINEMATIC || !(turn_sq > 0.0f && turn_sq < 1.0f))
        return cn_v3(0.0f, 0.0f, 0.0f);
    return cn_sub(cn_scale(0.5f * dt, cn_cross(spin, tangent)), cn_scale(turn_sq / 6.0f, tangent));
}

void cn_touch_set_surface_velocity(const cn_world *world, const cn_contact *contact, cn_touch *touch, const cn_mix *mix, float dt)
{
    cn_patch *patch = &touch->patch;
    const cn_body *a = &world->bodies.data[contact->body_a], *b = &world->bodies.data[contact->body_b];
    cn_vec3 target = mix->has_surface_velocity ? cn_touch_surface_velocity(world, contact, touch) : cn_v3(0.0f, 0.0f, 0.0f);
    if (a->type == CN_KINEMATIC || b->type == CN_KINEMATIC) {
        cn_vec3 middle = { 0.0f, 0.0f, 0.0f }, between = { patch->between[0], patch->between[1], patch->between[2] };
        for (int i = 0; i < patch->point_count; i++)
            middle = cn_madd(middle, 1.0f / (float)patch->point_count,
                             cn_v3(patch->points[0][i], patch->points[1][i], patch->points[2][i]));
        target = cn_add(target, cn_sub(chord_velocity(a, middle, dt), chord_velocity(b, cn_sub(middle, between), dt)));
    }
    if (cn_length_sq(target) > 0.0f)
        patch->extras |= CN_EXTRA_SURFACE;
    patch->surface[0] = target.x, patch->surface[1] = target.y, patch->surface[2] = target.z;
}

// A grain that stands on the surface more steeply than this, as a cosine, has no direction in it.
#define LEAST_GRAIN_IN_PLANE 0.05f

void cn_touch_set_grain(const cn_world *world, const cn_contact *contact, cn_touch *touch, const cn_mix *mix)
{
    cn_patch *patch = &touch->patch;
    const cn_shape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    const cn_shape *owner = mix->grain == CN_GRAIN_A ? a : b;
    const cn_material *material = owner == a ? cn_part_material(a, touch->material) : &b->material;
    cn_vec3 grain = to_world(world, owner, material->grain);
    float t1[3], t2[3];
    cn_tangent_basis(patch->normal, t1, t2);
    float x = grain.x * t1[0] + grain.y * t1[1] + grain.z * t1[2], y = grain.x * t2[0] + grain.y * t2[1] + grain.z * t2[2];
    float length = sqrtf(x * x + y * y);
    if (!(length > LEAST_GRAIN_IN_PLANE * cn_length(grain)))
        return;
    patch->extras |= CN_EXTRA_GRAIN;
    patch->grain[0] = x / length;
    patch->grain[1] = y / length;
    patch->grain_friction = material->grain_friction;
}

void cn_contact_mix_materials(cn_world *world, cn_contact *contact)
{
    const cn_shape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    contact->mix = cn_mix_materials(&a->material, &b->material);
    contact->speaks = a->contact_events || b->contact_events;
    contact->hits = a->hit_events || b->hit_events;
    contact->modifies = a->modify || b->modify;
    world->hits_wanted = world->hits_wanted || contact->hits;
}

bool cn_filters_meet(const cn_shape *a, const cn_shape *b)
{
    if (a->body == b->body || (cn_is_composite(a) && cn_is_composite(b)))
        return false;
    if (a->filter.group != 0 && a->filter.group == b->filter.group)
        return a->filter.group > 0;
    return (a->filter.category & b->filter.mask) != 0 && (b->filter.category & a->filter.mask) != 0;
}

bool cn_shapes_may_touch(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    return cn_filters_meet(a, b) && a->sensor == CN_NONE && b->sensor == CN_NONE &&
           (world->bodies.data[a->body].type == CN_DYNAMIC || world->bodies.data[b->body].type == CN_DYNAMIC) &&
           (world->bodies.data[a->body].joint_count == 0 || cn_joints_let_collide(world, a->body, b->body)) &&
           !cn_ignore_contains(&world->ignored_bodies, a->body, b->body) &&
           !cn_ignore_contains(&world->ignored_shapes, (int)(a - world->shapes.data), (int)(b - world->shapes.data));
}

// What the user may disable is not known to push.
bool cn_shapes_collide(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    return cn_shapes_may_touch(world, a, b) && !(world->def.modify != NULL && (a->modify || b->modify));
}

// ---- the list of contacts each body has

static bool is_with_static(const cn_world *world, int contact, int side)
{
    const cn_contact *c = &world->contacts.data[contact];
    return world->bodies.data[side == 0 ? c->body_b : c->body_a].type == CN_STATIC;
}

// Composite shapes come first.
static bool is_with_surface(const cn_world *world, int contact)
{
    return cn_is_composite(&world->shapes.data[world->contacts.data[contact].shape_a]);
}

static void link_edge(cn_world *world, int contact, int side, int body)
{
    cn_body *owner = &world->bodies.data[body];
    cn_contact_edge *edge = &world->contacts.data[contact].edges[side];
    *edge = (cn_contact_edge){ .next = owner->first_contact, .previous = CN_NONE };
    if (owner->first_contact != CN_NONE)
        world->contacts.data[owner->first_contact >> 1].edges[owner->first_contact & 1].previous = contact * 2 + side;
    owner->first_contact = contact * 2 + side;
    owner->contact_count++;
    owner->static_count += is_with_static(world, contact, side);
    owner->surface_count += is_with_surface(world, contact);
}

static void unlink_edge(cn_world *world, int contact, int side, int body)
{
    cn_body *owner = &world->bodies.data[body];
    cn_contact_edge edge = world->contacts.data[contact].edges[side];
    if (edge.previous != CN_NONE)
        world->contacts.data[edge.previous >> 1].edges[edge.previous & 1].next = edge.next;
    else
        owner->first_contact = edge.next;
    if (edge.next != CN_NONE)
        world->contacts.data[edge.next >> 1].edges[edge.next & 1].previous = edge.previous;
    owner->contact_count--;
    owner->static_count -= is_with_static(world, contact, side);
    owner->surface_count -= is_with_surface(world, contact);
}

void cn_contact_set_awake(cn_world *world, int contact, bool awake)
{
    cn_contact *c = &world->contacts.data[contact];
    if (awake == (c->awake != CN_NONE))
        return;
    if (awake) {
        c->awake = world->awake_contacts.count;
        cn_array_push(&world->allocator, &world->awake_contacts,
                      (cn_awake_contact){ CN_LOOK_ALWAYS, contact, world->bodies.data[c->body_a].travel, world->bodies.data[c->body_b].travel, c->modifies, false });
        return;
    }
    cn_awake_contact last = world->awake_contacts.data[--world->awake_contacts.count];
    world->awake_contacts.data[c->awake] = last;
    world->contacts.data[last.contact].awake = c->awake;
    c->awake = CN_NONE;
}

int cn_contact_create(cn_world *world, int shape_a, int shape_b)
{
    if (!cn_pair_set_add(world->pairs, shape_a, shape_b))
        return CN_NONE;
    if (cn_is_composite(&world->shapes.data[shape_b])) {
        int composite = shape_b;
        shape_b = shape_a;
        shape_a = composite;
    }
    int index;
    if (world->free_contacts.count > 0) {
        index = world->free_contacts.data[--world->free_contacts.count];
    } else {
        index = world->contacts.count;
        cn_array_reserve(&world->allocator, &world->contacts, index + 1);
        world->contacts.count++;
    }
    cn_contact *contact = &world->contacts.data[index];
    memset(contact, 0, sizeof *contact);
    contact->used = true;
    contact->shape_a = shape_a;
    contact->shape_b = shape_b;
    contact->body_a = world->shapes.data[shape_a].body;
    contact->body_b = world->shapes.data[shape_b].body;
    contact->awake = CN_NONE;
    contact->covered = -1.0f;
    // The margin of a unit cube is 0.02.
    contact->inverse_size = 0.02f / cn_minf(world->shapes.data[shape_a].margin, world->shapes.data[shape_b].margin);
    cn_contact_mix_materials(world, contact);
    link_edge(world, index, 0, contact->body_a);
    link_edge(world, index, 1, contact->body_b);
    world->contact_count++;
    if (world->bodies.data[contact->body_a].awake != CN_NONE || world->bodies.data[contact->body_b].awake != CN_NONE)
        cn_contact_set_awake(world, index, true);
    return index;
}

void cn_contact_destroy(cn_world *world, int index)
{
    cn_contact *contact = &world->contacts.data[index];
    if (contact->touching && contact->speaks) {
        cn_touch_event event = { cn_shape_id_of(world, contact->shape_a), cn_shape_id_of(world, contact->shape_b) };
        cn_array_push(&world->allocator, &world->pending_end_events, event);
    }
    cn_contact_set_awake(world, index, false);
    unlink_edge(world, index, 0, contact->body_a);
    unlink_edge(world, index, 1, contact->body_b);
    cn_pair_set_remove(world->pairs, contact->shape_a, contact->shape_b);
    cn_release(&world->allocator, contact->more, sizeof(cn_touch) * (size_t)contact->more_capacity);
    contact->used = false;
    world->contact_count--;
    cn_array_push(&world->allocator, &world->free_contacts, index);
}
