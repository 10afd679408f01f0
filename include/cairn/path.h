// Paths: kinematic bodies that follow keys in time, and what they do when something is in their way. What pushes a body.
#ifndef CAIRN_PATH_H
#define CAIRN_PATH_H

#include "cairn/base.h"

// ---- what pushes a body

// What contacts and joints did to a body in the last step, on average; of a sleeping body, in the last step before it slept.
// Friction is that at the end of the step.
typedef struct cn_push {
    cn_vec3 force;  // N, world axes
    cn_vec3 torque; // N m, about the centre of mass
    float pressure; // N: the sum of the lengths of all forces. Far above |force| when the body is squeezed
} cn_push;
// Any type of body. Gravity and forces of the user are not in it. All zero, with cn_last_error(), for a bad id.
CN_API cn_push cn_body_get_push(const cn_world *world, cn_body_id body);

// ---- paths

typedef struct cn_path_key {
    double time;            // s; each later than the one before
    cn_transform transform; // of the body's origin. Between two keys it turns the shorter way: put keys less than half a turn apart
} cn_path_key;

typedef enum cn_path_ease {
    CN_PATH_LINEAR, // constant velocity from key to key
    CN_PATH_SMOOTH, // velocities change steadily, and are zero at the ends of a path, where it stands still and where it turns back
    CN_PATH_EASE_COUNT
} cn_path_ease;

// What a body does when more than `max_force` or `max_torque` is in its way.
typedef enum cn_blocked {
    CN_BLOCKED_PUSH_ON, // pushes on, with whatever force that takes
    CN_BLOCKED_STALL,   // stops and holds what is there, with no more than its force, until it can go on
    CN_BLOCKED_REVERSE, // goes back along its path, waits, and tries again
    CN_BLOCKED_COUNT
} cn_blocked;

typedef struct cn_path_def {
    const cn_path_key *keys;
    int key_count;
    bool loop; // after the last key it goes on from the first, which must be at the same place
    cn_path_ease ease;
    float speed;  // s of the path per s of the world; negative: backwards; 0: it stands
    double start; // time of the path at which it begins, within the keys
    float max_force;  // N against the way of the centre of mass; infinite: any
    float max_torque; // N m about the centre of mass against its turn; likewise
    cn_blocked blocked;
    float back_time; // reverse: for how many s of the path it goes back, at most to its start; 0: to its start
    float wait;      // s for which it stands before it tries again
} cn_path_def;

// Forwards at speed 1 from the first key, linear, pushing on. The keys are missing.
CN_API cn_path_def cn_path_def_default(void);

// Puts a kinematic body at the place of `def->start` and lets it follow the path: after every step it is where the path says, and
// during the step its velocity is its displacement over dt, so that what stands on it is carried along. The keys are copied. A path
// that it had is replaced. Velocities and places given to the body by hand last until the next step begins.
CN_API bool cn_body_set_path(cn_world *world, cn_body_id body, const cn_path_def *def);
// The body stops where it is. True when it had no path, too.
CN_API bool cn_body_clear_path(cn_world *world, cn_body_id body);
CN_API bool cn_body_has_path(const cn_world *world, cn_body_id body);
// Faster, slower, backwards, or 0 to stand. A blocked body forgets that it was when the direction changes.
CN_API bool cn_body_set_path_speed(cn_world *world, cn_body_id body, float speed);

typedef struct cn_path_state {
    double time;   // of the path, s
    int direction; // along the path: +1, -1, or 0 when it stands
    bool blocked;  // from the step that stopped it until it has got past that place
    float force;   // N against the way of its centre of mass, at least 0; while it is stopped, the way that it is kept from going
    float torque;  // N m against its turn, likewise
} cn_path_state;
// All zero, with cn_last_error(), when the body has no path.
CN_API cn_path_state cn_body_get_path_state(const cn_world *world, cn_body_id body);

// Bodies that were stopped in the last step, or got past what stopped them.
typedef struct cn_path_event {
    cn_body_id body;
    bool blocked; // false: no longer
    float force, torque;
} cn_path_event;
// Valid until the next step.
CN_API const cn_path_event *cn_world_get_path_events(const cn_world *world, int *count);

#endif
