#include "base/tasks.h"

#include "base/error.h"

#if CN_HAS_THREADS

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

// Work is handed out through one 64-bit ticket: the number of the job in the high half, what has been taken of it in the low
// half: how many indices, or, when each thread has an index of its own, which ones. A thread takes an index by
// compare-and-swap, which fails when the job it looked at is over; so nobody has to wait for workers that slept through a job,
// and more threads than cores do no harm.
enum { JOB_SLOTS = 4, SPINS_BEFORE_YIELD = 1000, YIELDS_BEFORE_SLEEP = 50 };

typedef struct job {
    _Atomic(cn_task_fn) fn;
    _Atomic(void *) context;
    atomic_uint count;
    atomic_bool own_index; // each thread takes its own index first
    atomic_uint done;
} job;

typedef struct worker {
    cn_tasks *tasks;
    int index; // the thread that calls cn_tasks_run is 0
    pthread_t thread;
} worker;

struct cn_tasks {
    const cn_allocator *allocator;
    cn_task_system user;
    bool has_user;
    int thread_count;
    worker *workers;
    _Alignas(64) _Atomic(uint64_t) ticket;
    job jobs[JOB_SLOTS];
    _Alignas(64) atomic_int sleepers;
    atomic_bool quit, busy;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static inline void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

enum { MOST_OWN_INDICES = 32 }; // the bits of the low half

// The index that `self` takes next, given what has been taken, and the ticket's low half after that. -1 when there is none.
static int next_index(const job *current, uint32_t taken, int self, uint32_t *after)
{
    uint32_t count = atomic_load_explicit(&current->count, memory_order_relaxed);
    if (!atomic_load_explicit(&current->own_index, memory_order_relaxed)) {
        *after = taken + 1;
        return taken < count ? (int)taken : -1;
    }
    uint32_t all = count < MOST_OWN_INDICES ? ((uint32_t)1 << count) - 1 : UINT32_MAX, left = all & ~taken;
    if (left == 0)
        return -1;
    int index = left >> self & 1 ? self : __builtin_ctz(left);
    *after = taken | (uint32_t)1 << index;
    return index;
}

// Takes and runs one index of the current job. False when there is nothing left to take.
static bool run_one(cn_tasks *tasks, int self)
{
    uint64_t ticket = atomic_load_explicit(&tasks->ticket, memory_order_acquire);
    for (;;) {
        job *current = &tasks->jobs[(ticket >> 32) % JOB_SLOTS];
        uint32_t after;
        int index = next_index(current, (uint32_t)ticket, self, &after);
        if (index < 0)
            return false;
        cn_task_fn fn = atomic_load_explicit(&current->fn, memory_order_relaxed);
        void *context = atomic_load_explicit(&current->context, memory_order_relaxed);
        uint64_t taken = (ticket & ~(uint64_t)UINT32_MAX) | after;
        if (atomic_compare_exchange_weak_explicit(&tasks->ticket, &ticket, taken, memory_order_acq_rel, memory_order_acquire)) {
            fn(context, index);
            atomic_fetch_add_explicit(&current->done, 1, memory_order_release);
            return true;
        }
    }
}

static void sleep_until_work(cn_tasks *tasks, uint64_t seen)
{
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add(&tasks->sleepers, 1);
    while (atomic_load(&tasks->ticket) == seen && !atomic_load(&tasks->quit))
        pthread_cond_wait(&tasks->wake, &tasks->mutex);
    atomic_fetch_sub(&tasks->sleepers, 1);
    pthread_mutex_unlock(&tasks->mutex);
}

static void *work(void *argument)
{
    const worker *own = argument;
    cn_tasks *tasks = own->tasks;
    int idle = 0, self = own->index < MOST_OWN_INDICES ? own->index : 0;
    while (!atomic_load_explicit(&tasks->quit, memory_order_relaxed)) {
        uint64_t seen = atomic_load_explicit(&tasks->ticket, memory_order_relaxed);
        if (run_one(tasks, self)) {
            idle = 0;
        } else if (++idle < SPINS_BEFORE_YIELD) {
            pause_cpu();
        } else if (idle < SPINS_BEFORE_YIELD + YIELDS_BEFORE_SLEEP ||
                   atomic_load_explicit(&tasks->busy, memory_order_relaxed)) {
            sched_yield();
        } else {
            sleep_until_work(tasks, seen);
            idle = 0;
        }
    }
    return NULL;
}

static void stop_workers(cn_tasks *tasks, int count)
{
    pthread_mutex_lock(&tasks->mutex);
    atomic_store(&tasks->quit, true);
    pthread_cond_broadcast(&tasks->wake);
    pthread_mutex_unlock(&tasks->mutex);
    for (int i = 0; i < count; i++)
        pthread_join(tasks->workers[i].thread, NULL);
}

static void free_tasks(cn_tasks *tasks)
{
    pthread_mutex_destroy(&tasks->mutex);
    pthread_cond_destroy(&tasks->wake);
    cn_release(tasks->allocator, tasks->workers, sizeof(worker) * (size_t)tasks->thread_count);
    cn_release(tasks->allocator, tasks, sizeof *tasks);
}

cn_tasks *cn_tasks_create(const cn_allocator *allocator, int thread_count, const cn_task_system *user)
{
    cn_tasks *tasks = cn_allocate(allocator, sizeof *tasks, 64);
    *tasks = (cn_tasks){ .allocator = allocator, .thread_count = user != NULL ? user->thread_count : thread_count };
    if (user != NULL) {
        tasks->user = *user;
        tasks->has_user = true;
    }
    pthread_mutex_init(&tasks->mutex, NULL);
    pthread_cond_init(&tasks->wake, NULL);
    tasks->workers = cn_allocate(allocator, sizeof(worker) * (size_t)tasks->thread_count, 64);
    for (int i = 0; !tasks->has_user && i < thread_count - 1; i++) {
        tasks->workers[i] = (worker){ .tasks = tasks, .index = i + 1 };
        if (pthread_create(&tasks->workers[i].thread, NULL, work, &tasks->workers[i]) != 0) {
            stop_workers(tasks, i);
            free_tasks(tasks);
            cn_fail("cn_world_create: threads is %d, but only %d could be started", thread_count, i + 1);
            return NULL;
        }
    }
    return tasks;
}

void cn_tasks_destroy(cn_tasks *tasks)
{
    if (!tasks->has_user)
        stop_workers(tasks, tasks->thread_count - 1);
    free_tasks(tasks);
}

int cn_tasks_thread_count(const cn_tasks *tasks) { return tasks->thread_count; }

void cn_tasks_set_busy(cn_tasks *tasks, bool busy) { atomic_store_explicit(&tasks->busy, busy, memory_order_relaxed); }

static void wake_sleepers(cn_tasks *tasks)
{
    if (atomic_load(&tasks->sleepers) > 0) {
        pthread_mutex_lock(&tasks->mutex);
        pthread_cond_broadcast(&tasks->wake);
        pthread_mutex_unlock(&tasks->mutex);
    }
}

static void run_job(cn_tasks *tasks, cn_task_fn fn, void *context, int count, bool own_index)
{
    uint64_t number = (atomic_load_explicit(&tasks->ticket, memory_order_relaxed) >> 32) + 1;
    job *next = &tasks->jobs[number % JOB_SLOTS];
    atomic_store_explicit(&next->fn, fn, memory_order_relaxed);
    atomic_store_explicit(&next->context, context, memory_order_relaxed);
    atomic_store_explicit(&next->count, (unsigned)count, memory_order_relaxed);
    atomic_store_explicit(&next->own_index, own_index, memory_order_relaxed);
    atomic_store_explicit(&next->done, 0, memory_order_relaxed);
    atomic_store(&tasks->ticket, number << 32);
    wake_sleepers(tasks);
    while (run_one(tasks, 0)) {
    }
    for (int spins = 0; atomic_load_explicit(&next->done, memory_order_acquire) < (unsigned)count; spins++) {
        if (spins < SPINS_BEFORE_YIELD)
            pause_cpu();
        else
            sched_yield();
    }
}

static void run_serially(cn_task_fn fn, void *context, int count)
{
    for (int i = 0; i < count; i++)
        fn(context, i);
}

void cn_tasks_run(cn_tasks *tasks, cn_task_fn fn, void *context, int count)
{
    if (count <= 1 || tasks->thread_count <= 1)
        run_serially(fn, context, count);
    else if (tasks->has_user)
        tasks->user.run(tasks->user.context, fn, context, count);
    else
        run_job(tasks, fn, context, count, false);
}

void cn_tasks_run_each(cn_tasks *tasks, cn_task_fn fn, void *context)
{
    if (tasks->has_user || tasks->thread_count == 1 || tasks->thread_count > MOST_OWN_INDICES)
        cn_tasks_run(tasks, fn, context, tasks->thread_count);
    else
        run_job(tasks, fn, context, tasks->thread_count, true);
}

#endif
