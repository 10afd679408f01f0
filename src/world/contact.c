// Contacts: the memory of a pair of shapes that are close to each other.
#include "world/world.h"

#include <string.h>

static bool has_surface_velocity(const cn_shape *shape)
{
    return shape->material.surface_velocity.x != 0.0f || shape->material.surface_velocity.y != 0.0f ||
           shape->material.surface_velocity.z != 0.0f;
}

static float kinetic_of(const cn_material *m) { return m->kinetic_friction < 0.0f ? m->friction : m->kinetic_friction; }

void cn_contact_mix_materials(cn_world *world, cn_contact *contact)
{
    const cn_shape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    contact->friction = sqrtf(a->material.friction * b->material.friction);
    contact->kinetic_friction = cn_minf(sqrtf(kinetic_of(&a->material) * kinetic_of(&b->material)), contact->friction);
    contact->restitution = cn_maxf(a->material.restitution, b->material.restitution);
    contact->rolling_arm = cn_maxf(a->material.rolling_resistance, b->material.rolling_resistance);
    contact->spin_arm = cn_maxf(a->material.spinning_resistance, b->material.spinning_resistance);
    contact->has_surface_velocity = has_surface_velocity(a) || has_surface_velocity(b);
    contact->patch.inverse_size = 0.02f / cn_minf(a->margin, b->margin); // the margin of a unit cube is 0.02
    contact->speaks = a->contact_events || b->contact_events;
    contact->hits = a->hit_events || b->hit_events;
    world->hits_wanted = world->hits_wanted || contact->hits;
}

bool cn_shapes_may_touch(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    if (a->body == b->body)
        return false;
    if (world->bodies.data[a->body].type != CN_DYNAMIC && world->bodies.data[b->body].type != CN_DYNAMIC)
        return false;
    if (a->filter.group != 0 && a->filter.group == b->filter.group)
        return a->filter.group > 0;
    return (a->filter.category & b->filter.mask) != 0 && (b->filter.category & a->filter.mask) != 0;
}

// ---- the list of contacts each body has

static void link_edge(cn_world *world, int contact, int side, int body)
{
    cn_body *owner = &world->bodies.data[body];
    cn_contact_edge *edge = &world->contacts.data[contact].edges[side];
    *edge = (cn_contact_edge){ .next = owner->first_contact, .previous = CN_NONE };
    if (owner->first_contact != CN_NONE)
        world->contacts.data[owner->first_contact >> 1].edges[owner->first_contact & 1].previous = contact * 2 + side;
    owner->first_contact = contact * 2 + side;
    owner->contact_count++;
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
}

void cn_contact_set_awake(cn_world *world, int contact, bool awake)
{
    cn_contact *c = &world->contacts.data[contact];
    if (awake == (c->awake != CN_NONE))
        return;
    if (awake) {
        c->awake = world->awake_contacts.count;
        cn_array_push(&world->allocator, &world->awake_contacts,
                      (cn_awake_contact){ CN_LOOK_ALWAYS, contact, c->body_a, c->body_b });
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
    contact->used = false;
    world->contact_count--;
    cn_array_push(&world->allocator, &world->free_contacts, index);
}
