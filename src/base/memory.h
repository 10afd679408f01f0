// Memory of a world: its allocator, growable arrays, and a frame arena that is emptied at every step.
#ifndef CN_MEMORY_H
#define CN_MEMORY_H

#include "cairn/base.h"

// The malloc-based allocator.
extern const cn_allocator cn_default_allocator;

// Never returns NULL: when memory runs out there is no state to return to, so it says so on stderr and aborts.
void *cn_allocate(const cn_allocator *allocator, size_t size, size_t alignment);
void cn_release(const cn_allocator *allocator, void *memory, size_t size);

// Makes room for at least `needed` elements, keeping the contents. Elements are aligned to 64 bytes.
void *cn_grow(const cn_allocator *allocator, void *data, int *capacity, int needed, size_t element_size);

// A growable array of T: struct { T *data; int count, capacity; }.
#define CN_ARRAY(T)                                                                                                            \
    struct {                                                                                                                   \
        T *data;                                                                                                               \
        int count, capacity;                                                                                                   \
    }
#define cn_array_reserve(allocator, array, needed)                                                                             \
    do {                                                                                                                       \
        if ((needed) > (array)->capacity)                                                                                      \
            (array)->data = cn_grow((allocator), (array)->data, &(array)->capacity, (needed), sizeof *(array)->data);          \
    } while (0)
#define cn_array_push(allocator, array, ...)                                                                                   \
    do {                                                                                                                       \
        cn_array_reserve((allocator), (array), (array)->count + 1);                                                            \
        (array)->data[(array)->count++] = (__VA_ARGS__);                                                                       \
    } while (0)
#define cn_array_free(allocator, array)                                                                                        \
    do {                                                                                                                       \
        cn_release((allocator), (array)->data, (size_t)(array)->capacity * sizeof *(array)->data);                             \
        (array)->data = NULL;                                                                                                  \
        (array)->count = (array)->capacity = 0;                                                                                \
    } while (0)

// Bump allocation for data that lives for one step. Blocks stay from step to step and are filled in the same order, so a world
// that repeats itself stops allocating.
typedef struct cn_arena {
    const cn_allocator *allocator;
    struct cn_arena_block *first, *current;
    size_t used, total; // of the current block; of all blocks
} cn_arena;

void cn_arena_init(cn_arena *arena, const cn_allocator *allocator);
void cn_arena_free(cn_arena *arena);
void cn_arena_reset(cn_arena *arena);
void cn_arena_reserve(cn_arena *arena, size_t size); // an empty arena gets a first block of so many bytes
void *cn_arena_alloc(cn_arena *arena, size_t size); // 64-byte aligned, uninitialised
// An allocator whose memory lives as long as that of the arena; releasing does nothing.
cn_allocator cn_arena_allocator(cn_arena *arena);
#define cn_arena_array(arena, T, count) ((T *)cn_arena_alloc((arena), sizeof(T) * (size_t)((count) > 0 ? (count) : 1)))

#endif
