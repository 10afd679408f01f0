// The broad phase: which shapes are close enough to be looked at as a pair.
#include "world/world.h"

#include <string.h>

// ---- a set of pairs of shapes: open addressing, linear probing, deletion by moving back

struct cn_pair_set {
    const cn_allocator *allocator;
    uint64_t *keys; // 0 is empty
    int count, capacity;
};

static uint64_t pair_key(int a, int b)
{
    uint32_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
    return ((uint64_t)low + 1) << 32 | (high + 1);
}

static uint32_t hash_key(uint64_t key)
{
    key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(key >> 32);
}

struct cn_pair_set *cn_pair_set_create(const cn_allocator *allocator)
{
    struct cn_pair_set *set = cn_allocate(allocator, sizeof *set, 64);
    *set = (struct cn_pair_set){ .allocator = allocator, .capacity = 64 };
    set->keys = cn_allocate(allocator, sizeof(uint64_t) * (size_t)set->capacity, 64);
    memset(set->keys, 0, sizeof(uint64_t) * (size_t)set->capacity);
    return set;
}

void cn_pair_set_destroy(struct cn_pair_set *set)
{
    cn_release(set->allocator, set->keys, sizeof(uint64_t) * (size_t)set->capacity);
    cn_release(set->allocator, set, sizeof *set);
}

// The slot that holds the key, or the empty one where it belongs.
static uint32_t find_slot(const struct cn_pair_set *set, uint64_t key)
{
    uint32_t mask = (uint32_t)set->capacity - 1, slot = hash_key(key) & mask;
    while (set->keys[slot] != 0 && set->keys[slot] != key)
        slot = (slot + 1) & mask;
    return slot;
}

bool cn_pair_set_contains(const struct cn_pair_set *set, int a, int b)
{
    return set->keys[find_slot(set, pair_key(a, b))] != 0;
}

static void grow_set(struct cn_pair_set *set, int capacity)
{
    struct cn_pair_set old = *set;
    set->capacity = capacity;
    set->keys = cn_allocate(set->allocator, sizeof(uint64_t) * (size_t)set->capacity, 64);
    memset(set->keys, 0, sizeof(uint64_t) * (size_t)set->capacity);
    for (int i = 0; i < old.capacity; i++)
        if (old.keys[i] != 0)
            set->keys[find_slot(set, old.keys[i])] = old.keys[i];
    cn_release(set->allocator, old.keys, sizeof(uint64_t) * (size_t)old.capacity);
}

bool cn_pair_set_add(struct cn_pair_set *set, int a, int b)
{
    if (2 * (set->count + 1) > set->capacity)
        grow_set(set, 2 * set->capacity);
    uint64_t key = pair_key(a, b);
    uint32_t slot = find_slot(set, key);
    if (set->keys[slot] == key)
        return false;
    set->keys[slot] = key;
    set->count++;
    return true;
}

void cn_pair_set_reserve(struct cn_pair_set *set, int count)
{
    int capacity = set->capacity;
    while (capacity / 2 < count)
        capacity *= 2;
    if (capacity > set->capacity)
        grow_set(set, capacity);
}

void cn_pair_set_remove(struct cn_pair_set *set, int a, int b)
{
    uint32_t mask = (uint32_t)set->capacity - 1, hole = find_slot(set, pair_key(a, b));
    if (set->keys[hole] == 0)
        return;
    set->count--;
    // Move later keys of the same run into the hole when it lies between their home and where they are.
    for (uint32_t slot = (hole + 1) & mask; set->keys[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t home = hash_key(set->keys[slot]) & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            set->keys[hole] = set->keys[slot];
            hole = slot;
        }
    }
    set->keys[hole] = 0;
}

// ---- new pairs

enum { SHAPES_PER_TASK = 32 };

// Grows the number of lists to that of the tasks, each with room for `keys` pairs.
static void make_lists(cn_world *world, int count, int keys)
{
    while (world->pair_lists.count < count)
        cn_array_push(&world->allocator, &world->pair_lists, (cn_pair_list){ 0 });
    for (int i = 0; keys > 0 && i < count; i++)
        cn_array_reserve(&world->allocator, &world->pair_lists.data[i], keys);
}

// A task of many neighbours finds twice as many pairs as the others.
void cn_reserve_pair_lists(cn_world *world, int shapes, int contacts)
{
    int tasks = (shapes + SHAPES_PER_TASK - 1) / SHAPES_PER_TASK;
    if (tasks > 0)
        make_lists(world, tasks, (int)(2 * (int64_t)contacts / tasks) + SHAPES_PER_TASK);
}

// When both look for pairs, the one with the lower number reports.
static void meet(const cn_world *world, cn_pair_list *found, int shape, int other)
{
    const cn_shape *a = &world->shapes.data[shape], *b = &world->shapes.data[other];
    if (other == shape || (cn_is_looking(world, b) && other < shape) || !cn_shapes_may_touch(world, a, b) ||
        cn_pair_set_contains(world->pairs, shape, other))
        return;
    cn_array_push(&world->allocator, found, pair_key(shape, other));
}

static void query_tree(const cn_world *world, const cn_tree *tree, cn_pair_list *found, int shape)
{
    int32_t few[128], *others = few;
    const cn_box3 *box = &world->shapes.data[shape].fat_box;
    int capacity = (int)(sizeof few / sizeof *few), count = cn_tree_query_all(tree, box, few, capacity);
    if (count > capacity) {
        others = cn_allocate(&world->allocator, sizeof(int32_t) * (size_t)count, 64);
        cn_tree_query_all(tree, box, others, count);
    }
    for (int i = 0; i < count; i++)
        meet(world, found, shape, others[i]);
    if (others != few)
        cn_release(&world->allocator, others, sizeof(int32_t) * (size_t)count);
}

static void query_shapes(void *context, int task)
{
    cn_world *world = context;
    cn_pair_list *found = &world->pair_lists.data[task];
    int end =
        (task + 1) * SHAPES_PER_TASK < world->moved_shapes.count ? (task + 1) * SHAPES_PER_TASK : world->moved_shapes.count;
    for (int i = task * SHAPES_PER_TASK; i < end; i++) {
        int shape = world->moved_shapes.data[i];
        if (world->shapes.data[shape].sensor != CN_NONE)
            continue;
        query_tree(world, &world->moving_tree, found, shape);
        if (world->bodies.data[world->shapes.data[shape].body].type == CN_DYNAMIC)
            query_tree(world, &world->static_tree, found, shape);
    }
}

void cn_update_pairs(cn_world *world)
{
    // What stands still meets nothing where nothing moves, however much of it was made.
    int shapes = world->moving_tree.leaf_count > 0 ? world->moved_shapes.count : 0;
    int tasks = (shapes + SHAPES_PER_TASK - 1) / SHAPES_PER_TASK;
    make_lists(world, tasks, 0);
    cn_tasks_run(world->tasks, query_shapes, world, tasks);
    for (int t = 0; t < tasks; t++) {
        cn_pair_list *found = &world->pair_lists.data[t];
        for (int i = 0; i < found->count; i++) {
            uint64_t key = found->data[i];
            cn_contact_create(world, (int)(key >> 32) - 1, (int)(uint32_t)key - 1);
        }
        found->count = 0;
    }
    world->moved_shapes.count = 0;
    world->pair_round++;
}
