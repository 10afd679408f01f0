// Kinematic bodies on their paths: the velocity of each step, and what happens when something is in the way.
//
// A kinematic body is infinitely strong, and what is squeezed between it and a wall pushes back with a force that means nothing
// but that. So a body whose force is exceeded gives way: it goes back until it overlaps so little that it can hold what is
// there, waits, and feels its way forwards again, slowly at first.
#include "world/check.h"
#include "world/world.h"

// Forces are averaged over this time, so that a hit counts by its impulse, however short the step.
#define MEAN_TIME 0.1f // s
// A stopped body undoes the part of its last step that took more than this part of its force, and gives way by no more than
// this many steps in all. It tries again at this part of its speed, and takes so long to get back to all of it.
#define HOLD_PART 0.75f
#define MOST_STEPS_BACK 2.0
#define FIRST_PACE 0.05f
#define PACE_TIME 1.0f // s

// ---- the velocity of a step

// The time of the path a way further, which may wrap around in a loop.
static double time_after(const cn_body_path *path, double way, bool wraps)
{
    double first = path->def.keys[0].time, last = path->def.keys[path->def.key_count - 1].time, time = path->time + way;
    if (path->def.loop && wraps && last > first) {
        time -= (last - first) * floor((time - first) / (last - first));
        return time < last ? time : first; // rounding
    }
    return time < first ? first : time > last ? last : time;
}

static cn_vec3 rate_of(cn_vec3 way, double rate)
{
    double x = rate * (double)way.x, y = rate * (double)way.y, z = rate * (double)way.z, length = sqrt(x * x + y * y + z * z);
    double s = length > (double)CN_MAX_SPEED ? (double)CN_MAX_SPEED / length : 1.0;
    return cn_v3((float)(s * x), (float)(s * y), (float)(s * z));
}

static cn_motion motion_to(const cn_body *body, const cn_transform *place)
{
    cn_pos3 center = cn_pos_add(place->position, cn_rotate(place->rotation, body->local_center));
    return (cn_motion){ .moved = cn_pos_sub(center, body->center),
                        .turned = cn_quat_log(cn_quat_mul(place->rotation, cn_quat_conj(body->rotation))) };
}

// By how much the time of the path is to change in this step, or would if the body did not stand.
static double wanted_change(const cn_body_path *path, float dt)
{
    double step = (double)dt * (double)path->def.speed;
    if (path->mode == CN_PATH_GOES_BACK)
        return -(fabs(step) <= path->go_back ? step : step > 0.0 ? path->go_back : -path->go_back);
    return (double)path->pace * step;
}

static bool is_moving(const cn_body *body)
{
    return cn_length_sq(body->linear_velocity) > 0.0f || cn_length_sq(body->angular_velocity) > 0.0f;
}

static void follow(cn_world *world, cn_body_path *path, float dt)
{
    cn_body *body = &world->bodies.data[path->body];
    double change = wanted_change(path, dt), time = time_after(path, change, path->mode != CN_PATH_GOES_BACK);
    cn_transform place = cn_path_place(&path->def, time);
    cn_motion motion = motion_to(body, &place);
    bool moved = is_moving(body);
    path->change = change;
    path->way = motion.moved;
    path->turn = motion.turned;
    path->moved = 0.0;
    body->linear_velocity = body->angular_velocity = cn_v3(0.0f, 0.0f, 0.0f);
    if (path->mode == CN_PATH_WAITS)
        return;
    path->moved = path->def.loop && path->mode == CN_PATH_GOES ? change : time - path->time;
    path->time = time;
    body->linear_velocity = rate_of(motion.moved, 1.0 / (double)dt);
    body->angular_velocity = rate_of(motion.turned, 1.0 / (double)dt);
    if (!moved && is_moving(body))
        cn_wake_touching(world, path->body);
}

void cn_follow_paths(cn_world *world, float dt)
{
    for (int i = 0; i < world->paths.count; i++)
        follow(world, &world->paths.data[i], dt);
}

// ---- what is in the way

static bool can_be_blocked(const cn_body_path *path)
{
    return path->def.blocked != CN_BLOCKED_PUSH_ON && (isfinite(path->def.max_force) || isfinite(path->def.max_torque));
}

// Force and torque against the motion, as a part of what the body can overcome.
static float strain(const cn_body_path *path, cn_vec3 force, cn_vec3 torque)
{
    return cn_maxf(cn_path_against(force, path->way) / path->def.max_force,
                   cn_path_against(torque, path->turn) / path->def.max_torque);
}

static void forget_push(cn_body_path *path) { path->force = path->torque = cn_v3(0.0f, 0.0f, 0.0f); }

static void add_to_mean(cn_body_path *path, const cn_push *push, float dt)
{
    float part = dt / (MEAN_TIME + dt);
    path->force = cn_lerp(path->force, push->force, part);
    path->torque = cn_lerp(path->torque, push->torque, part);
}

static void report(cn_world *world, cn_body_path *path, bool blocked)
{
    cn_path_state state = cn_path_get_state(path);
    if (path->blocked != blocked)
        cn_array_push(&world->allocator, &world->path_events,
                      (cn_path_event){ cn_body_id_of(world, path->body), blocked, state.force, state.torque });
    path->blocked = blocked;
}

// ---- what follows from it

static void stand(cn_body_path *path)
{
    path->mode = CN_PATH_WAITS;
    path->waited = 0.0f;
}

// Goes back by so much, but no further than to the start, nor far at all: a load does not vanish by that.
static void give_way(cn_body_path *path, double way, float dt)
{
    const cn_path_key *start = &path->def.keys[path->def.speed > 0.0f ? 0 : path->def.key_count - 1];
    double room = fabs(path->time - start->time);
    double most = MOST_STEPS_BACK * fabs((double)path->def.speed) * (double)dt - path->behind;
    most = most < room ? most : room;
    path->go_back = way < most ? way : most;
    if (path->go_back > 0.0)
        path->mode = CN_PATH_GOES_BACK;
    else if (path->mode != CN_PATH_WAITS)
        stand(path);
}

static void stop(cn_world *world, cn_body_path *path, float strained, float dt)
{
    path->behind = path->blocked && path->behind > 0.0 ? path->behind : 0.0;
    path->pace = FIRST_PACE;
    report(world, path, true);
    if (path->def.blocked == CN_BLOCKED_STALL) {
        give_way(path, (double)(1.0f - HOLD_PART / strained) * fabs(path->moved), dt);
        return;
    }
    path->mode = CN_PATH_GOES_BACK;
    path->go_back = path->def.back_time > 0.0f ? (double)path->def.back_time : (double)INFINITY;
}

static bool is_at_end(const cn_body_path *path)
{
    return !path->def.loop && path->time == path->def.keys[path->def.speed > 0.0f ? path->def.key_count - 1 : 0].time;
}

static void watch_going(cn_world *world, cn_body_path *path, float dt)
{
    float strained = strain(path, path->force, path->torque);
    path->pace = cn_minf(1.0f, path->pace + dt / PACE_TIME);
    if (can_be_blocked(path) && path->moved != 0.0 && strained > 1.0f)
        stop(world, path, strained, dt);
    else if (path->behind <= -(double)path->def.wait * fabs((double)path->def.speed) || is_at_end(path))
        report(world, path, false); // so far past the place that it is not stopped there again at once
}

static void watch_going_back(cn_body_path *path)
{
    path->go_back -= fabs(path->moved);
    if (path->moved == 0.0 || path->go_back <= 0.0 || strain(path, path->force, path->torque) > 1.0f) {
        stand(path);
        forget_push(path); // of what stopped it
    }
}

static void watch_waiting(cn_body_path *path, const cn_push *push, float dt)
{
    path->waited += dt;
    if (strain(path, push->force, push->torque) > 1.0f)
        give_way(path, fabs(path->change), dt);
    else if (path->waited >= path->def.wait && strain(path, path->force, path->torque) < 1.0f)
        path->mode = CN_PATH_GOES;
}

void cn_watch_paths(cn_world *world, float dt)
{
    for (int i = 0; i < world->paths.count; i++) {
        cn_body_path *path = &world->paths.data[i];
        cn_push push = cn_push_on(world, path->body, dt);
        add_to_mean(path, &push, dt);
        path->behind -= path->def.speed > 0.0f ? path->moved : -path->moved;
        if (path->mode == CN_PATH_GOES)
            watch_going(world, path, dt);
        else if (path->mode == CN_PATH_GOES_BACK)
            watch_going_back(path);
        else
            watch_waiting(path, &push, dt);
    }
}
