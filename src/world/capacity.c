// Memory that a world takes when it is made, for as many things as its definition expects.
#include "world/world.h"

// Bytes of the arena that a step needs for each awake body, each contact and each joint: states, patches, wide constraints,
// lists. What one thread works on alone comes from its scratch memory: about as much again for contacts and joints.
enum { BYTES_PER_BODY = 1024, BYTES_PER_CONTACT = 768, BYTES_PER_JOINT = 2048, MOST = 1 << 27, COLORS = 64 };

bool cn_check_capacity(const char *function, const cn_capacity *capacity)
{
    return cn_check_int_range(function, "def.capacity.bodies", capacity->bodies, 0, MOST) &&
           cn_check_int_range(function, "def.capacity.shapes", capacity->shapes, 0, MOST) &&
           cn_check_int_range(function, "def.capacity.contacts", capacity->contacts, 0, MOST) &&
           cn_check_int_range(function, "def.capacity.joints", capacity->joints, 0, MOST);
}

static void reserve_bodies(cn_world *world, int count)
{
    const cn_allocator *allocator = &world->allocator;
    cn_array_reserve(allocator, &world->bodies, count);
    cn_array_reserve(allocator, &world->free_bodies, count);
    cn_array_reserve(allocator, &world->awake, count);
    cn_array_reserve(allocator, &world->travels, count);
    cn_array_reserve(allocator, &world->places, count);
    cn_array_reserve(allocator, &world->move_events, count);
    cn_array_reserve(allocator, &world->sleep_events, count);
    cn_array_reserve(allocator, &world->pending_sleep_events, count);
    cn_array_reserve(allocator, &world->sleeping_islands, count);
    cn_array_reserve(allocator, &world->free_sleeping_islands, count);
}

static void reserve_tree(const cn_allocator *allocator, cn_tree *tree, int count)
{
    cn_array_reserve(allocator, &tree->nodes, count);
    cn_array_reserve(allocator, &tree->leaves, count);
    cn_array_reserve(allocator, &tree->items, count);
    cn_array_reserve(allocator, &tree->spare, count);
}

static void reserve_contacts(cn_world *world, int count)
{
    const cn_allocator *allocator = &world->allocator;
    cn_array_reserve(allocator, &world->contacts, count);
    cn_array_reserve(allocator, &world->free_contacts, count);
    cn_array_reserve(allocator, &world->awake_contacts, count);
    cn_array_reserve(allocator, &world->begin_events, count);
    cn_array_reserve(allocator, &world->end_events, count);
    cn_array_reserve(allocator, &world->pending_end_events, count);
    cn_array_reserve(allocator, &world->hit_events, count);
    cn_pair_set_reserve(world->pairs, count);
}

void cn_world_reserve(cn_world *world, const cn_capacity *capacity)
{
    const cn_allocator *allocator = &world->allocator;
    if (capacity->bodies + capacity->shapes + capacity->contacts + capacity->joints == 0)
        return;
    reserve_bodies(world, capacity->bodies);
    cn_array_reserve(allocator, &world->shapes, capacity->shapes);
    cn_array_reserve(allocator, &world->free_shapes, capacity->shapes);
    cn_array_reserve(allocator, &world->moved_shapes, capacity->shapes);
    reserve_tree(allocator, &world->static_tree, capacity->shapes);
    reserve_tree(allocator, &world->moving_tree, capacity->shapes);
    reserve_contacts(world, capacity->contacts);
    cn_reserve_pair_lists(world, capacity->shapes, capacity->contacts);
    cn_array_reserve(allocator, &world->joints, capacity->joints);
    cn_array_reserve(allocator, &world->free_joints, capacity->joints);
    cn_array_reserve(allocator, &world->joint_marks, capacity->joints);
    cn_array_reserve(allocator, &world->joint_events, capacity->joints);
    cn_array_reserve(allocator, &world->color_histogram, COLORS);
    size_t bytes = (size_t)capacity->bodies * BYTES_PER_BODY + (size_t)capacity->contacts * BYTES_PER_CONTACT +
                   (size_t)capacity->joints * BYTES_PER_JOINT;
    cn_arena_reserve(&world->arena, bytes);
    cn_scratch_reserve(world->scratch, bytes);
}
