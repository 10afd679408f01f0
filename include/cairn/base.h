// Types every other header needs: vectors, ids, errors, and the hooks a host program can supply.
#ifndef CAIRN_BASE_H
#define CAIRN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CN_EXTERN extern "C"
#else
#define CN_EXTERN extern
#endif
#if defined(__GNUC__) || defined(__clang__)
#define CN_API CN_EXTERN __attribute__((visibility("default")))
#else
#define CN_API CN_EXTERN
#endif

#define CN_VERSION_MAJOR 0
#define CN_VERSION_MINOR 1
#define CN_VERSION_PATCH 0

// The version of the library that is linked, as opposed to the macros of the header that was compiled.
typedef struct cn_version { int major, minor, patch; } cn_version;
CN_API cn_version cn_get_version(void);

// A direction, velocity or offset. Metres, kilograms, seconds, radians throughout.
typedef struct cn_vec3 { float x, y, z; } cn_vec3;
// A place in the world. Double, so that a world may be thousands of kilometres wide.
typedef struct cn_pos3 { double x, y, z; } cn_pos3;
// A rotation; unit length.
typedef struct cn_quat { float x, y, z, w; } cn_quat;
// A frame in the world.
typedef struct cn_transform { cn_pos3 position; cn_quat rotation; } cn_transform;
// A frame relative to another one, such as a shape in its body.
typedef struct cn_pose { cn_vec3 position; cn_quat rotation; } cn_pose;
// A symmetric 3x3 matrix, such as an inertia tensor.
typedef struct cn_sym3 { float xx, yy, zz, xy, xz, yz; } cn_sym3;
// An axis-aligned box in the world.
typedef struct cn_bounds { cn_pos3 lower, upper; } cn_bounds;

#define CN_QUAT_IDENTITY { 0.0f, 0.0f, 0.0f, 1.0f }
#define CN_POSE_IDENTITY { { 0.0f, 0.0f, 0.0f }, CN_QUAT_IDENTITY }

// Ids are plain values. They carry a generation, so that a stale one is recognised; all zero is null.
typedef struct cn_body_id { uint32_t index1; uint16_t generation; uint16_t world; } cn_body_id;
typedef struct cn_shape_id { uint32_t index1; uint16_t generation; uint16_t world; } cn_shape_id;
typedef struct cn_hull_id { uint32_t index1; uint16_t generation; uint16_t world; } cn_hull_id;
typedef struct cn_joint_id { uint32_t index1; uint16_t generation; uint16_t world; } cn_joint_id;

#define CN_IS_NULL(id) ((id).index1 == 0)
#define CN_ID_EQUALS(a, b) ((a).index1 == (b).index1 && (a).generation == (b).generation && (a).world == (b).world)

typedef struct cn_world cn_world;

// What went wrong in the last failed call on this thread: one sentence that names the function and the field or object.
// Empty when nothing has failed yet. Valid until the next failing call on the thread.
CN_API const char *cn_last_error(void);

// Memory. `allocate` returns memory aligned to `alignment` (a power of two up to 64) or NULL; `release` gets the same size back.
// A world with several threads calls both from any of them, at the same time.
typedef struct cn_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} cn_allocator;

typedef enum cn_log_level { CN_LOG_INFO, CN_LOG_WARNING, CN_LOG_ERROR } cn_log_level;
typedef void (*cn_log_fn)(void *context, cn_log_level level, const char *message);

// Tasks. `run` calls `task(task_context, i)` once for every i in [0, count), on any threads in any order, and returns
// when all have returned. A world never calls `run` from inside a task.
typedef void (*cn_task_fn)(void *task_context, int index);
typedef struct cn_task_system {
    void (*run)(void *context, cn_task_fn task, void *task_context, int count);
    void *context;
    int thread_count; // how many tasks can run at once
} cn_task_system;

#endif
