// What bounds a body: below which speed it may sleep, and the largest speeds it can have.
#include "world/world.h"

bool cn_check_sleep_speed(const char *function, const char *field, float speed)
{
    return cn_check_range(function, field, speed, -CN_MAX_SPEED, CN_MAX_SPEED);
}

bool cn_check_speed_limit(const char *function, const char *field, float limit)
{
    return limit > 0.0f ||
           cn_fail("%s: %s is %g; it must be greater than zero, or INFINITY for none", function, field, (double)limit);
}

static float get_setting(const cn_world *world, const char *function, cn_body_id body, size_t offset)
{
    const cn_body *b = cn_find_body(world, function, body);
    return b != NULL ? *(const float *)(const void *)((const char *)b + offset) : 0.0f;
}

static bool set_setting(cn_world *world, const char *function, cn_body_id body, size_t offset, float value)
{
    cn_body *b = cn_find_writable_body(world, function, body);
    if (b == NULL)
        return false;
    *(float *)(void *)((char *)b + offset) = value;
    cn_wake_body(world, (int)(b - world->bodies.data));
    return true;
}

float cn_body_get_sleep_speed(const cn_world *world, cn_body_id body)
{
    return get_setting(world, __func__, body, offsetof(cn_body, sleep_speed));
}

bool cn_body_set_sleep_speed(cn_world *world, cn_body_id body, float speed)
{
    return cn_check_sleep_speed(__func__, "speed", speed) &&
           set_setting(world, __func__, body, offsetof(cn_body, sleep_speed), speed);
}

float cn_body_get_max_linear_speed(const cn_world *world, cn_body_id body)
{
    return get_setting(world, __func__, body, offsetof(cn_body, max_linear_speed));
}

bool cn_body_set_max_linear_speed(cn_world *world, cn_body_id body, float speed)
{
    return cn_check_speed_limit(__func__, "speed", speed) &&
           set_setting(world, __func__, body, offsetof(cn_body, max_linear_speed), speed);
}

float cn_body_get_max_angular_speed(const cn_world *world, cn_body_id body)
{
    return get_setting(world, __func__, body, offsetof(cn_body, max_angular_speed));
}

bool cn_body_set_max_angular_speed(cn_world *world, cn_body_id body, float speed)
{
    return cn_check_speed_limit(__func__, "speed", speed) &&
           set_setting(world, __func__, body, offsetof(cn_body, max_angular_speed), speed);
}

void cn_body_limit_speeds(cn_body *body)
{
    body->linear_velocity = cn_limit_length(body->linear_velocity, cn_body_linear_limit(body));
    body->angular_velocity = cn_limit_length(body->angular_velocity, cn_body_angular_limit(body));
}
