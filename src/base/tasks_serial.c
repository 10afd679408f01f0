// Tasks where there are no threads, as in WebAssembly: everything runs on the caller, or through the user's system.
#include "base/tasks.h"

#include "base/error.h"

#if !CN_HAS_THREADS

struct cn_tasks {
    const cn_allocator *allocator;
    cn_task_system user; // run is NULL when there is none
};

cn_tasks *cn_tasks_create(const cn_allocator *allocator, int thread_count, const cn_task_system *user)
{
    if (user == NULL && thread_count > 1) {
        cn_fail("cn_world_create: threads is %d, but this build of the library has no threads", thread_count);
        return NULL;
    }
    cn_tasks *tasks = cn_allocate(allocator, sizeof *tasks, 64);
    *tasks = (cn_tasks){ .allocator = allocator };
    if (user != NULL)
        tasks->user = *user;
    return tasks;
}

void cn_tasks_destroy(cn_tasks *tasks) { cn_release(tasks->allocator, tasks, sizeof *tasks); }

int cn_tasks_thread_count(const cn_tasks *tasks) { return tasks->user.run != NULL ? tasks->user.thread_count : 1; }

void cn_tasks_set_busy(cn_tasks *tasks, bool busy)
{
    (void)tasks;
    (void)busy;
}

void cn_tasks_run(cn_tasks *tasks, cn_task_fn fn, void *context, int count)
{
    if (tasks->user.run != NULL && count > 1) {
        tasks->user.run(tasks->user.context, fn, context, count);
        return;
    }
    for (int i = 0; i < count; i++)
        fn(context, i);
}

void cn_tasks_run_each(cn_tasks *tasks, cn_task_fn fn, void *context)
{
    cn_tasks_run(tasks, fn, context, cn_tasks_thread_count(tasks));
}

#endif
