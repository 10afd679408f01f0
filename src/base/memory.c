#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static void *default_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void default_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

const cn_allocator cn_default_allocator = { default_allocate, default_release, NULL };

void *cn_allocate(const cn_allocator *allocator, size_t size, size_t alignment)
{
    void *memory = allocator->allocate(allocator->context, size, alignment);
    if (memory == NULL) {
        fprintf(stderr, "cairn: out of memory (%zu bytes asked for)\n", size);
        abort();
    }
    return memory;
}

void cn_release(const cn_allocator *allocator, void *memory, size_t size)
{
    if (memory != NULL)
        allocator->release(allocator->context, memory, size);
}

void *cn_grow(const cn_allocator *allocator, void *data, int *capacity, int needed, size_t element_size)
{
    int old = *capacity;
    if (needed <= old)
        return data;
    int grown = old + old / 2;
    if (grown < 16)
        grown = 16;
    if (grown < needed)
        grown = needed;
    void *fresh = cn_allocate(allocator, (size_t)grown * element_size, ALIGNMENT);
    if (old > 0)
        memcpy(fresh, data, (size_t)old * element_size);
    cn_release(allocator, data, (size_t)old * element_size);
    *capacity = grown;
    return fresh;
}

struct cn_arena_block {
    struct cn_arena_block *next;
    size_t size; // of the whole block, header included
    _Alignas(ALIGNMENT) char bytes[];
};

enum { ARENA_MINIMUM = 1 << 14 };

void cn_arena_init(cn_arena *arena, const cn_allocator *allocator) { *arena = (cn_arena){ .allocator = allocator }; }

void cn_arena_free(cn_arena *arena)
{
    while (arena->first != NULL) {
        struct cn_arena_block *block = arena->first;
        arena->first = block->next;
        cn_release(arena->allocator, block, block->size);
    }
    arena->current = NULL;
    arena->used = arena->total = 0;
}

void cn_arena_reset(cn_arena *arena)
{
    arena->current = arena->first;
    arena->used = 0;
}

static size_t block_room(const struct cn_arena_block *block) { return block->size - sizeof(struct cn_arena_block); }

// Of the blocks behind the current one the smallest with room for `size` bytes, put right behind it; NULL when there is none. Whatever
// order things are asked for in from one round to the next, blocks made for them are found again.
static struct cn_arena_block *find_block(cn_arena *arena, size_t size)
{
    struct cn_arena_block **behind = arena->current != NULL ? &arena->current->next : &arena->first, **best = NULL;
    for (struct cn_arena_block **link = behind; *link != NULL; link = &(*link)->next)
        if (block_room(*link) >= size && (best == NULL || (*link)->size < (*best)->size))
            best = link;
    if (best == NULL)
        return NULL;
    struct cn_arena_block *found = *best;
    *best = found->next;
    found->next = *behind;
    *behind = found;
    return found;
}

// A block with room for `size` bytes behind the current one, which becomes current: one that is there, or a new one.
static void next_block(cn_arena *arena, size_t size)
{
    struct cn_arena_block *next = find_block(arena, size);
    if (next == NULL) {
        struct cn_arena_block **behind = arena->current != NULL ? &arena->current->next : &arena->first;
        size_t bytes = size > ARENA_MINIMUM ? size : ARENA_MINIMUM;
        if (bytes < arena->total / 4)
            bytes = arena->total / 4;
        next = cn_allocate(arena->allocator, sizeof *next + bytes, ALIGNMENT);
        *next = (struct cn_arena_block){ .next = *behind, .size = sizeof *next + bytes };
        *behind = next;
        arena->total += bytes;
    }
    arena->current = next;
    arena->used = 0;
}

void cn_arena_reserve(cn_arena *arena, size_t size)
{
    if (arena->first == NULL && size > 0)
        next_block(arena, size);
}

void *cn_arena_alloc(cn_arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->current == NULL || arena->used + size > block_room(arena->current))
        next_block(arena, size);
    void *memory = arena->current->bytes + arena->used;
    arena->used += size;
    return memory;
}

static void *allocate_from_arena(void *context, size_t size, size_t alignment)
{
    (void)alignment; // at most that of all arena memory
    return cn_arena_alloc(context, size > 0 ? size : 1);
}

static void keep_in_arena(void *context, void *memory, size_t size)
{
    (void)context;
    (void)memory;
    (void)size;
}

cn_allocator cn_arena_allocator(cn_arena *arena) { return (cn_allocator){ allocate_from_arena, keep_in_arena, arena }; }
