// Paths of kinematic bodies, as the user sees them: set, cleared and asked for. path_follow.c moves the bodies.
#include "world/check.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

cn_path_def cn_path_def_default(void)
{
    return (cn_path_def){ .speed = 1.0f, .max_force = INFINITY, .max_torque = INFINITY, .wait = 0.25f };
}

// ---- checks

#define MAX_TIME 1e9 // s; a step of a microsecond still counts there

// How a transform is reached from another: fast beyond what can be computed with, or not.
static bool check_speed(const char *function, int i, const cn_path_key *from, const cn_path_key *to)
{
    const cn_pos3 *p = &from->transform.position, *q = &to->transform.position;
    double x = q->x - p->x, y = q->y - p->y, z = q->z - p->z, time = to->time - from->time;
    double speed = (sqrt(x * x + y * y + z * z) + (double)CN_PI) / time;
    return speed <= (double)CN_MAX_SPEED ||
           cn_fail("%s: def.keys[%d] comes %g s after the key before, which is too fast to get there", function, i, time);
}

static bool check_key(const char *function, const cn_path_def *def, int i)
{
    char position[64], rotation[64];
    snprintf(position, sizeof position, "def.keys[%d].transform.position", i);
    snprintf(rotation, sizeof rotation, "def.keys[%d].transform.rotation", i);
    const cn_path_key *key = &def->keys[i];
    if (!(fabs(key->time) <= MAX_TIME))
        return cn_fail("%s: def.keys[%d].time is %g s; it must be within %g s of 0", function, i, key->time, MAX_TIME);
    if (!cn_check_position(function, position, key->transform.position) ||
        !cn_check_quat(function, rotation, key->transform.rotation))
        return false;
    if (i == 0)
        return true;
    return key->time > key[-1].time
               ? check_speed(function, i, key - 1, key)
               : cn_fail("%s: def.keys[%d].time is %g s; it must be later than that of the key before, %g s", function, i,
                         key->time, key[-1].time);
}

// The last key of a loop is the first one again.
static bool check_loop(const char *function, const cn_path_def *def)
{
    const double near = 1e-3; // m, and about as many radians
    int last = def->key_count - 1;
    const cn_transform *a = &def->keys[0].transform, *b = &def->keys[last].transform;
    cn_vec3 turn = cn_quat_log(cn_quat_mul(cn_quat_conj(cn_quat_normalize(a->rotation)), cn_quat_normalize(b->rotation)));
    bool same = fabs(a->position.x - b->position.x) <= near && fabs(a->position.y - b->position.y) <= near &&
                fabs(a->position.z - b->position.z) <= near && (double)cn_length(turn) <= near;
    if (!def->loop || same)
        return true;
    return cn_fail("%s: def.loop is set, but def.keys[%d] is not where def.keys[0] is", function, last);
}

static bool check_limit(const char *function, const char *field, float value)
{
    return value > 0.0f || cn_fail("%s: %s is %g; it must be above 0, or infinite", function, field, (double)value);
}

static bool check_start(const char *function, const cn_path_def *def)
{
    double first = def->keys[0].time, last = def->keys[def->key_count - 1].time;
    return (def->start >= first && def->start <= last) ||
           cn_fail("%s: def.start is %g s; the keys go from %g s to %g s", function, def->start, first, last);
}

static bool check_speed_factor(const char *function, const char *field, float speed)
{
    return cn_check_range(function, field, speed, -1e6f, 1e6f);
}

static bool check_def(const char *function, const cn_path_def *def)
{
    if (!cn_check_pointer(function, "def", def) || !cn_check_pointer(function, "def.keys", def->keys))
        return false;
    if (def->key_count < 1)
        return cn_fail("%s: def.key_count is %d; a path has at least one key", function, def->key_count);
    for (int i = 0; i < def->key_count; i++)
        if (!check_key(function, def, i))
            return false;
    if ((unsigned)def->ease >= CN_PATH_EASE_COUNT)
        return cn_fail("%s: def.ease is %d, which is none", function, (int)def->ease);
    if ((unsigned)def->blocked >= CN_BLOCKED_COUNT)
        return cn_fail("%s: def.blocked is %d, which is nothing a path can do", function, (int)def->blocked);
    return check_loop(function, def) && check_start(function, def) && check_speed_factor(function, "def.speed", def->speed) &&
           check_limit(function, "def.max_force", def->max_force) && check_limit(function, "def.max_torque", def->max_torque) &&
           cn_check_not_negative(function, "def.back_time", def->back_time) &&
           cn_check_not_negative(function, "def.wait", def->wait);
}

// ---- life

static size_t size_of_keys(const cn_body_path *path) { return sizeof(cn_path_key) * (size_t)path->def.key_count; }

static cn_path_key *copy_keys(cn_world *world, const cn_path_def *def)
{
    size_t size = sizeof(cn_path_key) * (size_t)def->key_count;
    cn_path_key *keys = cn_allocate(&world->allocator, size, 64);
    memcpy(keys, def->keys, size);
    for (int i = 0; i < def->key_count; i++)
        keys[i].transform.rotation = cn_quat_normalize(keys[i].transform.rotation);
    if (def->loop)
        keys[def->key_count - 1].transform = keys[0].transform;
    return keys;
}

void cn_path_remove(cn_world *world, int body)
{
    int slot = world->bodies.data[body].path - 1;
    if (slot < 0)
        return;
    cn_body_path *path = &world->paths.data[slot];
    cn_release(&world->allocator, (void *)path->def.keys, size_of_keys(path));
    *path = world->paths.data[--world->paths.count];
    world->bodies.data[path->body].path = slot + 1;
    world->bodies.data[body].path = 0;
}

void cn_paths_free(cn_world *world)
{
    for (int i = 0; i < world->paths.count; i++)
        cn_release(&world->allocator, (void *)world->paths.data[i].def.keys, size_of_keys(&world->paths.data[i]));
    cn_array_free(&world->allocator, &world->paths);
    cn_array_free(&world->allocator, &world->path_events);
}

bool cn_body_set_path(cn_world *world, cn_body_id body, const cn_path_def *def)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    if (b->type != CN_KINEMATIC)
        return cn_fail("%s: body %u is not kinematic", __func__, body.index1);
    if (!check_def(__func__, def))
        return false;
    int index = (int)(b - world->bodies.data);
    cn_body_path path = { .body = index, .def = *def, .time = def->start, .pace = 1.0f };
    path.def.keys = copy_keys(world, def); // before the old ones go: they may be the same
    cn_path_remove(world, index);
    cn_array_push(&world->allocator, &world->paths, path);
    b->path = world->paths.count;
    b->linear_velocity = b->angular_velocity = cn_v3(0.0f, 0.0f, 0.0f);
    return cn_body_set_transform(world, body, cn_path_place(&path.def, path.time));
}

bool cn_body_clear_path(cn_world *world, cn_body_id body)
{
    cn_body *b = cn_find_writable_body(world, __func__, body);
    if (b == NULL)
        return false;
    if (b->path != 0)
        b->linear_velocity = b->angular_velocity = cn_v3(0.0f, 0.0f, 0.0f);
    cn_path_remove(world, (int)(b - world->bodies.data));
    return true;
}

// ---- questions

bool cn_body_has_path(const cn_world *world, cn_body_id body)
{
    const cn_body *b = cn_find_body(world, __func__, body);
    return b != NULL && b->path != 0;
}

static cn_body_path *find_path(const cn_world *world, const char *function, const cn_body *body)
{
    if (body != NULL && body->path == 0)
        cn_fail("%s: body %d has no path", function, (int)(body - world->bodies.data) + 1);
    return body != NULL && body->path != 0 ? &world->paths.data[body->path - 1] : NULL;
}

bool cn_body_set_path_speed(cn_world *world, cn_body_id body, float speed)
{
    cn_body_path *path = find_path(world, __func__, cn_find_writable_body(world, __func__, body));
    if (path == NULL || !check_speed_factor(__func__, "speed", speed))
        return false;
    if (speed * path->def.speed < 0.0f) {
        path->mode = CN_PATH_GOES;
        path->behind = -(double)INFINITY;
    }
    path->def.speed = speed;
    return true;
}

float cn_path_against(cn_vec3 push, cn_vec3 motion)
{
    float along = cn_dot(push, cn_normalize(motion));
    return along < 0.0f ? -along : 0.0f;
}

cn_path_state cn_path_get_state(const cn_body_path *path)
{
    int direction = path->moved > 0.0 ? 1 : path->moved < 0.0 ? -1 : 0;
    return (cn_path_state){ path->time, direction, path->blocked, cn_path_against(path->force, path->way),
                            cn_path_against(path->torque, path->turn) };
}

cn_path_state cn_body_get_path_state(const cn_world *world, cn_body_id body)
{
    const cn_body_path *path = find_path(world, __func__, cn_find_body(world, __func__, body));
    return path != NULL ? cn_path_get_state(path) : (cn_path_state){ 0 };
}

const cn_path_event *cn_world_get_path_events(const cn_world *world, int *count)
{
    if (!cn_check_pointer(__func__, "count", count))
        return NULL;
    *count = 0;
    if (!cn_check_world(world, __func__))
        return NULL;
    *count = world->path_events.count;
    return world->path_events.data;
}
