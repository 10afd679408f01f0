#include "world/check.h"

#include <math.h>
#include <stdio.h>

bool cn_check_position(const char *function, const char *field, cn_pos3 p)
{
    double limit = (double)CN_MAX_POSITION;
    return cn_check_pos3(function, field, p) &&
           ((fabs(p.x) <= limit && fabs(p.y) <= limit && fabs(p.z) <= limit) ||
            cn_fail("%s: %s is (%g, %g, %g), more than %g m from the origin", function, field, p.x, p.y, p.z, limit));
}

bool cn_check_velocity(const char *function, const char *field, cn_vec3 v)
{
    return cn_check_within(function, field, v, CN_MAX_SPEED, "per second");
}

bool cn_check_acceleration(const char *function, const char *field, cn_vec3 v)
{
    return cn_check_within(function, field, v, CN_MAX_ACCELERATION, "per second squared");
}

bool cn_check_gravity_scale(const char *function, const char *field, float scale)
{
    return cn_check_range(function, field, scale, -CN_MAX_ACCELERATION / CN_MAX_GRAVITY, CN_MAX_ACCELERATION / CN_MAX_GRAVITY);
}

// Names of fields are put together only where one of them is wrong.
static bool check_material(const char *function, const char names[8][64], const cn_material *m)
{
    return cn_check_range(function, names[0], m->friction, 0.0f, CN_MAX_FRICTION) &&
           cn_check_range(function, names[1], m->kinetic_friction, -CN_MAX_FRICTION, CN_MAX_FRICTION) &&
           cn_check_range(function, names[2], m->restitution, 0.0f, 1.0f) &&
           cn_check_range(function, names[3], m->rolling_resistance, 0.0f, CN_MAX_SIZE) &&
           cn_check_range(function, names[4], m->spinning_resistance, 0.0f, CN_MAX_SIZE) &&
           cn_check_velocity(function, names[5], m->surface_velocity) &&
           cn_check_within(function, names[6], m->grain, CN_MAX_SIZE, "in length") &&
           cn_check_range(function, names[7], m->grain_friction, 0.0f, CN_MAX_GRAIN_FRICTION);
}

bool cn_check_material(const char *function, const char *field, const cn_material *m)
{
    static const char unnamed[8][64];
    char names[8][64];
    static const char *const fields[8] = {
        "friction", "kinetic_friction", "restitution", "rolling_resistance", "spinning_resistance", "surface_velocity",
        "grain",    "grain_friction"
    };
    if (check_material(function, unnamed, m))
        return true;
    for (int i = 0; i < 8; i++)
        snprintf(names[i], sizeof names[i], "%s.%s", field, fields[i]);
    return check_material(function, names, m);
}
