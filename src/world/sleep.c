// Falling asleep and waking up. What sleeps together lies in one sleeping island; waking any of it wakes all of it.
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

// An island stays awake while a lock in it is farther off than this part of the smaller body's extent, or than this angle in
// rad.
#define OPEN_LINEAR 0.02f
#define OPEN_ANGULAR 0.03f

static int other_body(const cn_contact *contact, int side) { return side == 0 ? contact->body_b : contact->body_a; }

// A contact is awake when one of its bodies is.
static void update_contacts(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_contact; key != CN_NONE;) {
        cn_contact *contact = &world->contacts.data[key >> 1];
        key = contact->edges[key & 1].next;
        bool awake =
            world->bodies.data[contact->body_a].awake != CN_NONE || world->bodies.data[contact->body_b].awake != CN_NONE;
        if (awake != (contact->awake != CN_NONE))
            cn_contact_set_awake(world, (int)(contact - world->contacts.data), awake);
    }
}

void cn_body_add_awake(cn_world *world, int body)
{
    cn_body *b = &world->bodies.data[body];
    if (b->awake != CN_NONE)
        return;
    b->awake = world->awake.count;
    cn_array_push(&world->allocator, &world->awake, body);
    update_contacts(world, body);
    cn_joints_mark_awake(world, body);
}

void cn_body_remove_awake(cn_world *world, int body)
{
    cn_body *b = &world->bodies.data[body];
    if (b->awake == CN_NONE)
        return;
    int last = world->awake.data[--world->awake.count];
    world->awake.data[b->awake] = last;
    world->bodies.data[last].awake = b->awake;
    b->awake = CN_NONE;
    update_contacts(world, body);
    cn_joints_mark_awake(world, body);
}

static int compare_bodies(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

// Who fell asleep or woke up elsewhere must not decide in which order the bodies of an island are solved.
void cn_order_awake(cn_world *world)
{
    bool ordered = true;
    for (int i = 1; i < world->awake.count; i++)
        ordered &= world->awake.data[i - 1] < world->awake.data[i];
    if (ordered)
        return;
    int words = (world->bodies.count + 63) / 64, count = 0;
    if (world->awake.count < words / 8) { // few among many that stand or sleep
        qsort(world->awake.data, (size_t)world->awake.count, sizeof *world->awake.data, compare_bodies);
        for (int i = 0; i < world->awake.count; i++)
            world->bodies.data[world->awake.data[i]].awake = i;
        return;
    }
    uint64_t *marks = cn_arena_array(&world->arena, uint64_t, words);
    memset(marks, 0, sizeof(uint64_t) * (size_t)words);
    for (int i = 0; i < world->awake.count; i++)
        marks[world->awake.data[i] / 64] |= (uint64_t)1 << world->awake.data[i] % 64;
    for (int word = 0; word < words; word++) {
        for (uint64_t left = marks[word]; left != 0; left &= left - 1) {
            int body = 64 * word + __builtin_ctzll(left);
            world->bodies.data[body].awake = count;
            world->awake.data[count++] = body;
        }
    }
}

static void push_event(cn_world *world, int body, bool asleep)
{
    cn_array_push(&world->allocator, &world->pending_sleep_events, (cn_sleep_event){ cn_body_id_of(world, body), asleep });
}

void cn_wake_body(cn_world *world, int body)
{
    cn_body *b = &world->bodies.data[body];
    if (b->type == CN_STATIC)
        return;
    b->still_time = 0.0f;
    if (b->sleeping_island == CN_NONE) {
        cn_body_add_awake(world, body);
        return;
    }
    int slot = b->sleeping_island;
    cn_sleeping_island island = world->sleeping_islands.data[slot];
    world->sleeping_islands.data[slot] = (cn_sleeping_island){ 0 };
    cn_array_push(&world->allocator, &world->free_sleeping_islands, slot);
    for (int i = 0; i < island.count; i++) {
        cn_body *member = &world->bodies.data[island.bodies[i]];
        member->sleeping_island = CN_NONE;
        member->still_time = 0.0f;
        cn_body_add_awake(world, island.bodies[i]);
        push_event(world, island.bodies[i], false);
    }
    cn_release(&world->allocator, island.bodies, (size_t)island.count * sizeof *island.bodies);
}

void cn_wake_touching(cn_world *world, int body)
{
    for (int key = world->bodies.data[body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        if (cn_contact_holds(contact))
            cn_wake_body(world, other_body(contact, key & 1));
        key = contact->edges[key & 1].next;
    }
    for (int key = world->bodies.data[body].first_joint; key != CN_NONE;) {
        const cn_joint *joint = &world->joints.data[key >> 1];
        int partner = cn_joint_partner(joint, key & 1);
        if (partner != CN_NONE)
            cn_wake_body(world, partner);
        key = joint->edges[key & 1].next;
    }
}

void cn_wake_all(cn_world *world)
{
    for (int i = 0; i < world->sleeping_islands.count; i++)
        if (world->sleeping_islands.data[i].count > 0)
            cn_wake_body(world, world->sleeping_islands.data[i].bodies[0]);
}

typedef CN_ARRAY(int) index_list;

static bool is_moving(const cn_body *body)
{
    return cn_length_sq(body->linear_velocity) > 0.0f || cn_length_sq(body->angular_velocity) > 0.0f;
}

// Adds a body that touches the island, or is tied to it, marked by its slot. False when it keeps the island awake.
static bool gather_body(cn_world *world, index_list *island, int body, int slot)
{
    cn_body *b = &world->bodies.data[body];
    if (b->type == CN_KINEMATIC && is_moving(b))
        return false;
    if (b->type != CN_DYNAMIC || b->sleeping_island == slot)
        return true;
    // What sleeps already joins this island: two islands that touch would not wake each other.
    if (b->sleeping_island != CN_NONE)
        cn_wake_body(world, body);
    b->sleeping_island = slot;
    cn_array_push(&world->allocator, island, body);
    return true;
}

// Whether the locks of a joint are far from where they should be: what sleeps would stay torn. Locks with a spring may be
// off, and those that the locked axes of a body contradict.
static bool is_open(const cn_world *world, const cn_joint *joint)
{
    float size = INFINITY;
    const int bodies[2] = { joint->body_a, joint->body_b };
    for (int side = 0; side < 2; side++)
        if (bodies[side] != CN_NONE && world->bodies.data[bodies[side]].type == CN_DYNAMIC)
            size = cn_minf(size, world->bodies.data[bodies[side]].extent);
    cn_joint_error error = cn_joint_error_now(world, joint, true);
    return error.linear > OPEN_LINEAR * size || error.angular > OPEN_ANGULAR;
}

static bool gather_neighbours(cn_world *world, index_list *island, int body, int slot)
{
    for (int key = world->bodies.data[body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int other = other_body(contact, key & 1);
        key = contact->edges[key & 1].next;
        if (cn_contact_holds(contact) && !gather_body(world, island, other, slot))
            return false;
    }
    for (int key = world->bodies.data[body].first_joint; key != CN_NONE;) {
        const cn_joint *joint = &world->joints.data[key >> 1];
        int partner = cn_joint_partner(joint, key & 1);
        key = joint->edges[key & 1].next;
        if ((partner != CN_NONE && !gather_body(world, island, partner, slot)) || is_open(world, joint))
            return false;
    }
    return true;
}

static bool gather_island(cn_world *world, index_list *island, int body, int slot)
{
    world->bodies.data[body].sleeping_island = slot;
    cn_array_push(&world->allocator, island, body);
    for (int i = 0; i < island->count; i++)
        if (!world->bodies.data[island->data[i]].can_sleep || !gather_neighbours(world, island, island->data[i], slot))
            return false;
    return true;
}

static void fall_asleep(cn_world *world, int body)
{
    cn_body *b = &world->bodies.data[body];
    b->linear_velocity = b->angular_velocity = b->force = b->torque = cn_v3(0.0f, 0.0f, 0.0f);
    cn_body_remove_awake(world, body);
    push_event(world, body, true);
}

bool cn_put_to_sleep(cn_world *world, int body)
{
    const cn_body *b = &world->bodies.data[body];
    if (b->type != CN_DYNAMIC)
        return false;
    if (b->sleeping_island != CN_NONE)
        return true;
    if (world->free_sleeping_islands.count == 0) {
        cn_array_push(&world->allocator, &world->free_sleeping_islands, world->sleeping_islands.count);
        cn_array_push(&world->allocator, &world->sleeping_islands, (cn_sleeping_island){ 0 });
    }
    // The slot is taken off the free list at once: gathering may free others.
    int slot = world->free_sleeping_islands.data[--world->free_sleeping_islands.count];
    index_list island = { 0 };
    bool sleeps = gather_island(world, &island, body, slot);
    if (sleeps) {
        size_t size = (size_t)island.count * sizeof(int);
        int *bodies = cn_allocate(&world->allocator, size, 64);
        memcpy(bodies, island.data, size);
        world->sleeping_islands.data[slot] = (cn_sleeping_island){ bodies, island.count };
        for (int i = 0; i < island.count; i++)
            fall_asleep(world, bodies[i]);
    } else {
        for (int i = 0; i < island.count; i++)
            world->bodies.data[island.data[i]].sleeping_island = CN_NONE;
        cn_array_push(&world->allocator, &world->free_sleeping_islands, slot);
    }
    cn_array_free(&world->allocator, &island);
    return sleeps;
}
