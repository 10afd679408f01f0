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

void cn_arena_init(cn_arena *arena, const cn_allocator *allocator)
{
    *arena = (cn_arena){ .allocator = allocator };
}

void cn_arena_free(cn_arena *arena)
{
    while (arena->blocks != NULL) {
        struct cn_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        cn_release(arena->allocator, block, block->size);
    }
    arena->used = arena->total = 0;
}

static void add_block(cn_arena *arena, size_t bytes)
{
    size_t size = sizeof(struct cn_arena_block) + bytes;
    struct cn_arena_block *block = cn_allocate(arena->allocator, size, ALIGNMENT);
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->used = 0;
    arena->total += bytes;
}

void cn_arena_reset(cn_arena *arena)
{
    if (arena->blocks != NULL && arena->blocks->next != NULL) {
        size_t total = arena->total;
        cn_arena_free(arena);
        add_block(arena, total);
    }
    arena->used = 0;
}

void *cn_arena_alloc(cn_arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->blocks == NULL || arena->used + size > arena->blocks->size - sizeof(struct cn_arena_block)) {
        size_t bytes = size > ARENA_MINIMUM ? size : ARENA_MINIMUM;
        if (bytes < arena->total / 2)
            bytes = arena->total / 2;
        add_block(arena, bytes);
    }
    void *memory = arena->blocks->bytes + arena->used;
    arena->used += size;
    return memory;
}
