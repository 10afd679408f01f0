#include "shape/solid.h"

#include "shape/limits.h"

#include <stdio.h>

enum { NAME_SIZE = 96 };

static bool check_member(const char *function, const char *field, const char *member, float value)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", field, member);
    return cn_check_size(function, name, value);
}

bool cn_make_solid(const char *function, const char *field, const cn_geometry *g, cn_convex *solid)
{
    *solid = (cn_convex){ .type = g->type };
    if (g->type == CN_BOX) {
        solid->half_extents = g->half_extents;
        return check_member(function, field, "half_extents.x", g->half_extents.x) &&
               check_member(function, field, "half_extents.y", g->half_extents.y) &&
               check_member(function, field, "half_extents.z", g->half_extents.z);
    }
    if (g->type != CN_SPHERE && g->type != CN_CAPSULE && g->type != CN_CYLINDER && g->type != CN_TAPERED_CAPSULE)
        return cn_fail("%s: %s.type is %d; it must be a sphere, capsule, box, cylinder or tapered capsule", function, field,
                       (int)g->type);
    solid->radius = g->radius;
    if (!check_member(function, field, "radius", g->radius))
        return false;
    if (g->type == CN_TAPERED_CAPSULE) {
        solid->top_radius = g->top_radius;
        if (!check_member(function, field, "top_radius", g->top_radius))
            return false;
    }
    if (g->type == CN_SPHERE)
        return true;
    solid->half_height = g->half_height;
    if (g->type == CN_CYLINDER)
        return check_member(function, field, "half_height", g->half_height);
    char name[NAME_SIZE]; // a capsule without height is a ball
    snprintf(name, sizeof name, "%s.half_height", field);
    return cn_check_range(function, name, g->half_height, 0.0f, CN_MAX_SIZE);
}

bool cn_check_points(const char *function, const char *field, const cn_vec3 *points, int count)
{
    if (points == NULL || count < 4)
        return true;
    cn_vec3 lower = cn_v3(CN_MAX_SIZE, CN_MAX_SIZE, CN_MAX_SIZE), upper = cn_neg(lower);
    for (int i = 0; i < count; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s[%d]", field, i);
        if (!cn_check_offset(function, name, points[i]))
            return false;
        lower = cn_min3(lower, points[i]);
        upper = cn_max3(upper, points[i]);
    }
    float size = cn_distance(lower, upper);
    return size >= CN_MIN_SIZE ||
           cn_fail("%s: %s span %g m; the smallest hull is %g m", function, field, (double)size, (double)CN_MIN_SIZE);
}
