#include "solve/run.h"

#include <stdatomic.h>

// Memory for wide patches. A unit that runs on one thread borrows one of these arenas for as long as it is worked on, so the
// same memory, still in cache, serves one unit after the other. Which arena it gets changes no result.
struct cn_scratch {
    const cn_allocator *allocator;
    int count;
    cn_arena *arenas;
    atomic_bool *taken;
};

struct cn_scratch *cn_scratch_create(const cn_allocator *allocator, int thread_count)
{
    struct cn_scratch *scratch = cn_allocate(allocator, sizeof *scratch, 64);
    *scratch = (struct cn_scratch){ allocator, thread_count, NULL, NULL };
    scratch->arenas = cn_allocate(allocator, sizeof(cn_arena) * (size_t)thread_count, 64);
    scratch->taken = cn_allocate(allocator, sizeof(atomic_bool) * (size_t)thread_count, 64);
    for (int i = 0; i < thread_count; i++) {
        cn_arena_init(&scratch->arenas[i], allocator);
        atomic_init(&scratch->taken[i], false);
    }
    return scratch;
}

void cn_scratch_reserve(struct cn_scratch *scratch, size_t size)
{
    for (int i = 0; i < scratch->count; i++)
        cn_arena_reserve(&scratch->arenas[i], size / (size_t)scratch->count);
}

void cn_scratch_destroy(struct cn_scratch *scratch)
{
    for (int i = 0; i < scratch->count; i++)
        cn_arena_free(&scratch->arenas[i]);
    cn_release(scratch->allocator, scratch->arenas, sizeof(cn_arena) * (size_t)scratch->count);
    cn_release(scratch->allocator, scratch->taken, sizeof(atomic_bool) * (size_t)scratch->count);
    cn_release(scratch->allocator, scratch, sizeof *scratch);
}

// There are as many arenas as tasks that can run at once, so this finds one soon.
cn_arena *cn_scratch_take(struct cn_scratch *scratch)
{
    for (int i = 0;; i = (i + 1) % scratch->count) {
        if (!atomic_exchange_explicit(&scratch->taken[i], true, memory_order_acquire)) {
            cn_arena_reset(&scratch->arenas[i]);
            return &scratch->arenas[i];
        }
    }
}

void cn_scratch_return(struct cn_scratch *scratch, const cn_arena *arena)
{
    atomic_store_explicit(&scratch->taken[arena - scratch->arenas], false, memory_order_release);
}
