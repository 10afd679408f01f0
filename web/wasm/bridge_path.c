// Paths of kinematic bodies, and what pushes a body.
#include "base/error.h"
#include "bridge.h"

#include <stdlib.h>

enum { KEY_NUMBERS = 8 };

int EXPORT(body_get_push)(const bridge *b, uint64_t body)
{
    cn_push push = cn_body_get_push(WORLD, BODY);
    letter l = { 0 };
    put3(&l, push.force), put3(&l, push.torque), put(&l, (double)push.pressure);
    return cn_body_is_valid(WORLD, BODY);
}

void EXPORT(path_defaults)(void)
{
    cn_path_def def = cn_path_def_default();
    letter l = { 0 };
    put(&l, def.loop), put(&l, def.ease), put(&l, (double)def.speed), put(&l, def.start);
    put(&l, (double)def.max_force), put(&l, (double)def.max_torque), put(&l, def.blocked);
    put(&l, (double)def.back_time), put(&l, (double)def.wait);
}

// `numbers` are time, position and rotation of each key.
int EXPORT(body_set_path)(bridge *b, uint64_t body, const double *numbers, int count)
{
    cn_path_def def = cn_path_def_default();
    letter l = { 0 };
    def.loop = takeb(&l), def.ease = (cn_path_ease)takei(&l), def.speed = takef(&l), def.start = take(&l);
    def.max_force = takef(&l), def.max_torque = takef(&l), def.blocked = (cn_blocked)takei(&l);
    def.back_time = takef(&l), def.wait = takef(&l);
    cn_path_key *keys = malloc((size_t)(count > 0 ? count : 1) * sizeof *keys);
    if (keys == NULL)
        return cn_fail("setPath: out of memory");
    for (int i = 0; i < count; i++, numbers += KEY_NUMBERS) {
        const double *n = numbers;
        cn_quat rotation = { (float)n[4], (float)n[5], (float)n[6], (float)n[7] };
        keys[i] = (cn_path_key){ n[0], { { n[1], n[2], n[3] }, rotation } };
    }
    def.keys = keys, def.key_count = count;
    bool good = cn_body_set_path(WORLD, BODY, &def);
    free(keys);
    return good;
}

int EXPORT(body_clear_path)(bridge *b, uint64_t body) { return cn_body_clear_path(WORLD, BODY); }
int EXPORT(body_has_path)(const bridge *b, uint64_t body) { return cn_body_has_path(WORLD, BODY); }
int EXPORT(body_set_path_speed)(bridge *b, uint64_t body, float speed) { return cn_body_set_path_speed(WORLD, BODY, speed); }

void EXPORT(body_get_path_state)(const bridge *b, uint64_t body)
{
    cn_path_state state = cn_body_get_path_state(WORLD, BODY);
    letter l = { 0 };
    put(&l, state.time), put(&l, state.direction), put(&l, state.blocked), put(&l, (double)state.force),
        put(&l, (double)state.torque);
}

// How many there are with the last step. Of the first ones, `ids` gets the bodies, `numbers` blocked, force and torque.
int EXPORT(world_path_events)(const bridge *b, uint64_t *ids, double *numbers, int capacity)
{
    int count;
    const cn_path_event *events = cn_world_get_path_events(WORLD, &count);
    for (int i = 0; i < count && i < capacity; i++, numbers += 3) {
        ids[i] = PACK(events[i].body);
        numbers[0] = events[i].blocked, numbers[1] = (double)events[i].force, numbers[2] = (double)events[i].torque;
    }
    return count;
}
