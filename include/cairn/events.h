// Events of the last step. The arrays belong to the world and stay valid until its next step or change.
#ifndef CAIRN_EVENTS_H
#define CAIRN_EVENTS_H

#include "cairn/base.h"

// Begin and end pair up, also when a shape is destroyed: its contacts end then, and the event is in the next step's list.
typedef struct cn_touch_event { cn_shape_id shape_a, shape_b; } cn_touch_event;

typedef struct cn_hit_event {
    cn_shape_id shape_a, shape_b;
    cn_pos3 point;
    cn_vec3 normal;       // from a to b
    float approach_speed; // m/s
} cn_hit_event;

typedef struct cn_contact_events {
    const cn_touch_event *begin;
    const cn_touch_event *end;
    const cn_hit_event *hit;
    int begin_count, end_count, hit_count;
} cn_contact_events;

CN_API cn_contact_events cn_world_get_contact_events(const cn_world *world);

// Bodies the last step moved.
typedef struct cn_move_event {
    cn_body_id body;
    void *user_data;
    cn_transform transform;
    bool fell_asleep;
} cn_move_event;

CN_API const cn_move_event *cn_world_get_move_events(const cn_world *world, int *count);

typedef struct cn_sleep_event { cn_body_id body; bool asleep; } cn_sleep_event;
CN_API const cn_sleep_event *cn_world_get_sleep_events(const cn_world *world, int *count);

#endif
