#include "world/check.h"
#include "world/world.h"

cn_contact_events cn_world_get_contact_events(const cn_world *world)
{
    if (!cn_check_world(world, __func__))
        return (cn_contact_events){ 0 };
    return (cn_contact_events){
        .begin = world->begin_events.data,
        .end = world->end_events.data,
        .hit = world->hit_events.data,
        .begin_count = world->begin_events.count,
        .end_count = world->end_events.count,
        .hit_count = world->hit_events.count,
    };
}

const cn_move_event *cn_world_get_move_events(const cn_world *world, int *count)
{
    if (!cn_check_pointer(__func__, "count", count))
        return NULL;
    *count = 0;
    if (!cn_check_world(world, __func__))
        return NULL;
    *count = world->move_events.count;
    return world->move_events.data;
}

const cn_sleep_event *cn_world_get_sleep_events(const cn_world *world, int *count)
{
    if (!cn_check_pointer(__func__, "count", count))
        return NULL;
    *count = 0;
    if (!cn_check_world(world, __func__))
        return NULL;
    *count = world->sleep_events.count;
    return world->sleep_events.data;
}
