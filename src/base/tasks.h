// Running a function over a range of indices on several threads: the only place where threads are seen.
#ifndef CN_TASKS_H
#define CN_TASKS_H

#include "base/memory.h"

#if defined(__wasi__)
#define CN_HAS_THREADS 0
#else
#define CN_HAS_THREADS 1
#endif

typedef struct cn_tasks cn_tasks;

// `user` NULL makes a pool of thread_count - 1 workers; otherwise tasks go through the user's system.
// NULL when threads cannot be started, with cn_last_error().
cn_tasks *cn_tasks_create(const cn_allocator *allocator, int thread_count, const cn_task_system *user);
void cn_tasks_destroy(cn_tasks *tasks);
int cn_tasks_thread_count(const cn_tasks *tasks);
// While busy, idle workers stay awake: more work is about to come.
void cn_tasks_set_busy(cn_tasks *tasks, bool busy);
// Calls fn(context, i) for every i in [0, count) and returns when all are done. Runs on the caller alone when count is 1.
void cn_tasks_run(cn_tasks *tasks, cn_task_fn fn, void *context, int count);
// Calls fn(context, i) for every i in [0, thread count), each i on the same thread every time as far as possible: what it worked on
// last time is still in that thread's cache.
void cn_tasks_run_each(cn_tasks *tasks, cn_task_fn fn, void *context);

#endif
