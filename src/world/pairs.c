// The broad phase: which shapes are close enough to be looked at as a pair.
#include "world/world.h"

#include <stdlib.h>
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

// How the pairs of a step are searched for: by queries of the shapes that look for some or, when most of what moves does, by walking
// the tree of what moves against itself and that of what stands.
typedef struct pair_search {
    cn_world *world;
    bool walk;
    int32_t parts[CN_TREE_MOST_PAIR_PARTS]; // of the walk
} pair_search;

// Grows the number of lists to that of the tasks, each with room for `keys` pairs.
static void make_lists(cn_world *world, int count, int keys)
{
    while (world->pair_lists.count < count)
        cn_array_push(&world->allocator, &world->pair_lists, (cn_pair_list){ 0 });
    for (int i = 0; keys > 0 && i < count; i++)
        cn_array_reserve(&world->allocator, &world->pair_lists.data[i], keys);
}

static int count_tasks(int shapes) { return (shapes + SHAPES_PER_TASK - 1) / SHAPES_PER_TASK; }

// A task of many neighbours finds several times as many pairs as the others.
void cn_reserve_pair_lists(cn_world *world, int shapes, int contacts)
{
    int tasks = count_tasks(shapes), lists = tasks < CN_TREE_MOST_PAIR_PARTS ? CN_TREE_MOST_PAIR_PARTS : tasks;
    if (tasks > 0)
        make_lists(world, lists, (int)(8 * (int64_t)contacts / lists) + SHAPES_PER_TASK);
}

typedef struct pair_finder {
    const cn_world *world;
    cn_pair_list *found;
} pair_finder;

static void note_pair(const pair_finder *f, int shape, int other)
{
    const cn_world *world = f->world;
    const cn_shape *a = &world->shapes.data[shape], *b = &world->shapes.data[other];
    if (!cn_shapes_stay_apart(world, a, b) && cn_shapes_may_touch(world, a, b) &&
        !cn_pair_set_contains(world->pairs, shape, other))
        cn_array_push(&world->allocator, f->found, pair_key(shape, other));
}

static void query_tree(const pair_finder *f, const cn_tree *tree, int shape)
{
    const cn_world *world = f->world;
    int32_t few[128], *others = few;
    const cn_box3 *box = &world->shapes.data[shape].fat_box;
    int capacity = (int)(sizeof few / sizeof *few), count = cn_tree_query_all(tree, box, few, capacity);
    if (count > capacity) {
        others = cn_allocate(&world->allocator, sizeof(int32_t) * (size_t)count, 64);
        cn_tree_query_all(tree, box, others, count);
    }
    for (int i = 0; i < count; i++) // when both look for pairs, the one with the lower number reports
        if (others[i] != shape && !(cn_is_looking(world, &world->shapes.data[others[i]]) && others[i] < shape))
            note_pair(f, shape, others[i]);
    if (others != few)
        cn_release(&world->allocator, others, sizeof(int32_t) * (size_t)count);
}

static void query_shapes(const pair_finder *f, int task)
{
    const cn_world *world = f->world;
    int begin = task * SHAPES_PER_TASK, end = begin + SHAPES_PER_TASK;
    for (int i = begin; i < end && i < world->moved_shapes.count; i++) {
        int shape = world->moved_shapes.data[i];
        if (world->shapes.data[shape].sensor != CN_NONE)
            continue;
        query_tree(f, &world->moving_tree, shape);
        if (world->bodies.data[world->shapes.data[shape].body].type == CN_DYNAMIC)
            query_tree(f, &world->static_tree, shape);
    }
}

static void visit_pair(void *context, int32_t a, int32_t b)
{
    const pair_finder *f = context;
    if (cn_is_looking(f->world, &f->world->shapes.data[a]) || cn_is_looking(f->world, &f->world->shapes.data[b]))
        note_pair(f, a, b);
}

static void search_part(void *context, int task)
{
    const pair_search *search = context;
    cn_world *world = search->world;
    pair_finder f = { world, &world->pair_lists.data[task] };
    if (search->walk)
        cn_tree_find_pairs(&world->moving_tree, &world->static_tree, search->parts[task], visit_pair, &f);
    else
        query_shapes(&f, task);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// In the order of the shapes' numbers, however they were found: who comes and goes elsewhere does not decide it.
static void create_contacts(cn_world *world, int lists)
{
    int count = 0, total = 0;
    for (int t = 0; t < lists; t++)
        total += world->pair_lists.data[t].count;
    if (total == 0)
        return;
    uint64_t *keys = cn_arena_array(&world->arena, uint64_t, total);
    for (int t = 0; t < lists; t++) {
        cn_pair_list *found = &world->pair_lists.data[t];
        for (int i = 0; i < found->count; i++)
            keys[count++] = found->data[i];
        found->count = 0;
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 0; i < count; i++)
        cn_contact_create(world, (int)(keys[i] >> 32) - 1, (int)(uint32_t)keys[i] - 1);
}

void cn_update_pairs(cn_world *world)
{
    // What stands still meets nothing where nothing moves, however much of it was made.
    int shapes = world->moved_shapes.count, moving = world->moving_tree.leaf_count;
    if (shapes > 0 && moving > 0) {
        pair_search search = { .world = world, .walk = shapes > moving / 2 };
        int tasks = search.walk ? cn_tree_pair_parts(&world->moving_tree, search.parts) : count_tasks(shapes);
        make_lists(world, tasks, 0);
        cn_tasks_run(world->tasks, search_part, &search, tasks);
        create_contacts(world, tasks);
    }
    world->moved_shapes.count = 0;
    world->pair_round++;
}
