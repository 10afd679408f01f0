// Events of the last step. The arrays belong to the world and stay valid until its next step or change.
#ifndef CAIRN_EVENTS_H
#define CAIRN_EVENTS_H

#include "cairn/base.h"

// Begin and end pair up, also when a shape is destroyed: its contacts end then, and the event is in the next step's list,
// with the id that the shape had. What touches goes on touching while it sleeps. A pair that ended and began anew since the
// last step is in both lists: the end comes first.
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

// ---- sensors

// A sensor sees the shapes of dynamic and kinematic bodies, and of static ones when its own body is not static: those that
// its filter lets it collide with, other than sensors and what is on the same body. They overlap when the shapes themselves
// do, touching included, where the step left them. A mesh or height field is its surface, not what it encloses; two shapes
// that are both made of many parts do not see each other. Sensors change nothing: they neither wake bodies nor keep them
// awake, and what sleeps inside stays inside.
typedef struct cn_sensor_event { cn_shape_id sensor, visitor; } cn_sensor_event;

// Begin and end pair up as those of contacts do.
typedef struct cn_sensor_events {
    const cn_sensor_event *begin;
    const cn_sensor_event *end;
    int begin_count, end_count;
} cn_sensor_events;

CN_API cn_sensor_events cn_world_get_sensor_events(const cn_world *world);
// What overlaps a sensor since the last step, sorted by id; what was destroyed meanwhile is left out. Returns how many there
// are and writes as many as fit.
CN_API int cn_shape_get_overlaps(const cn_world *world, cn_shape_id sensor, cn_shape_id *shapes, int capacity);

// ---- contact modification

// One place where two shapes touch or are about to, before it is solved. What is changed applies to it in this step alone.
typedef struct cn_contact_change {
    // given
    cn_shape_id shape_a, shape_b;
    cn_body_id body_a, body_b;
    int material;   // of the part of shape a, when that is of many parts: a number in cn_shape_def.materials; else 0
    cn_vec3 normal; // from a to b
    int point_count;
    cn_pos3 points[4];
    float separations[4];      // m, negative when overlapping
    cn_vec3 relative_velocity; // of b against a at the deepest point, before this step, m/s
    float last_normal_impulse; // N s in the last step, all points together
    // to change
    bool enabled; // false: the place is not solved in this step
    float friction, restitution;
    float rolling_resistance, spinning_resistance; // lever arms, m
    cn_vec3 surface_velocity; // of b against a that friction drives towards, world axes, m/s
} cn_contact_change;

typedef void (*cn_modify_fn)(void *context, cn_contact_change *change);

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
