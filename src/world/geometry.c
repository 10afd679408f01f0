// From the geometry a user gives to what collision detection works on, and sizes that follow from it.
#include "shape/solid.h"
#include "world/check.h"
#include "world/world.h"

// Fractions of a shape's inner radius, so that nothing depends on the scale of a scene: a unit cube makes contacts 2 cm ahead.
static const float margin_fraction = 0.04f;

// ---- solids

bool cn_make_convex(const cn_world *world, const char *function, const char *field, const cn_geometry *g, cn_convex *convex)
{
    if (g->type == CN_HULL) {
        const cn_shared_hull *hull = cn_find_hull(world, function, g->hull);
        *convex = (cn_convex){ .type = CN_HULL, .hull = hull != NULL ? hull->polyhedron : NULL };
        return hull != NULL;
    }
    if ((unsigned)g->type >= CN_SHAPE_TYPE_COUNT)
        return cn_fail("%s: %s.type is %d, which is no shape type", function, field, (int)g->type);
    if (g->type > CN_HULL)
        return cn_fail("%s: %s.type is no convex shape", function, field);
    return cn_make_solid(function, field, g, convex);
}

// ---- shapes of many parts

static bool check_scale(const char *function, const cn_geometry *g)
{
    const float scale[3] = { g->scale.x, g->scale.y, g->scale.z };
    for (int i = 0; i < 3; i++) {
        float size = cn_absf(scale[i]);
        if (!isfinite(size) || size < CN_MIN_SIZE || size > CN_MAX_SIZE || (g->type == CN_HEIGHT_FIELD && scale[i] < 0.0f))
            return cn_fail("%s: def.geometry.scale.%c is %g; its size must be between %g and %g%s", function, "xyz"[i],
                           (double)scale[i], (double)CN_MIN_SIZE, (double)CN_MAX_SIZE,
                           g -> type == CN_HEIGHT_FIELD ? ", and a height field cannot be mirrored" : "");
    }
    return true;
}

// A mesh within the limits may leave them when it is scaled.
static bool check_extent(const char *function, const cn_composite *composite)
{
    cn_box3 box = cn_composite_bounds(composite);
    return (cn_check_offset(function, "the lower bound of def.geometry with its scale", box.lower) &&
            cn_check_offset(function, "the upper bound of def.geometry with its scale", box.upper));
}

static bool make_composite(const char *function, const cn_geometry *g, cn_composite *composite)
{
    *composite = (cn_composite){ .type = g->type, .scale = g->scale };
    switch (g->type) {
    case CN_MESH:
        composite->mesh = g->mesh;
        return cn_check_pointer(function, "def.geometry.mesh", g->mesh) && check_scale(function, g);
    case CN_HEIGHT_FIELD:
        composite->height_field = g->height_field;
        return cn_check_pointer(function, "def.geometry.height_field", g->height_field) && check_scale(function, g);
    default:
        composite->scale = cn_v3(1.0f, 1.0f, 1.0f);
        composite->compound = g->compound;
        return cn_check_pointer(function, "def.geometry.compound", g->compound);
    }
}

static bool is_composite_type(cn_shape_type type) { return type == CN_MESH || type == CN_HEIGHT_FIELD || type == CN_COMPOUND; }

// A tenth of the smallest extent, but not of that of a flat one.
static float composite_box_margin(const cn_composite *composite)
{
    cn_box3 box = cn_composite_bounds(composite);
    cn_vec3 half = cn_scale(0.5f, cn_sub(box.upper, box.lower));
    float least = cn_minf(half.x, cn_minf(half.y, half.z)), most = cn_maxf(half.x, cn_maxf(half.y, half.z));
    return margin_fraction * cn_maxf(least, 0.01f * most);
}

bool cn_shape_use_geometry(const cn_world *world, const char *function, const cn_geometry *g, cn_shape *shape)
{
    if (is_composite_type(g->type)) {
        if (!make_composite(function, g, &shape->composite) || !check_extent(function, &shape->composite))
            return false;
        shape->convex = (cn_convex){ .type = g->type };
        shape->margin = CN_FAR;
        shape->box_margin = composite_box_margin(&shape->composite);
        return true;
    }
    if (!cn_make_convex(world, function, "def.geometry", g, &shape->convex))
        return false;
    shape->hull = g->type == CN_HULL ? (int)g->hull.index1 - 1 : CN_NONE;
    shape->margin = shape->box_margin = margin_fraction * cn_convex_inner_radius(&shape->convex);
    return true;
}

// ---- sizes

void cn_shape_local_bounds(const cn_shape *shape, cn_pose pose, cn_vec3 *lower, cn_vec3 *upper)
{
    if (!cn_is_composite(shape)) {
        cn_convex_bounds(&shape->convex, pose, lower, upper);
        return;
    }
    cn_box3 box = cn_composite_bounds(&shape->composite);
    cn_convex hull = { .type = CN_BOX, .half_extents = cn_scale(0.5f, cn_sub(box.upper, box.lower)) };
    cn_pose middle = { cn_scale(0.5f, cn_add(box.lower, box.upper)), CN_QUAT_IDENTITY };
    cn_convex_bounds(&hull, cn_pose_mul(pose, middle), lower, upper);
}

float cn_shape_outer_radius(const cn_shape *shape, cn_vec3 point)
{
    if (!cn_is_composite(shape))
        return cn_convex_outer_radius(&shape->convex, point);
    cn_box3 box = cn_composite_bounds(&shape->composite);
    return cn_length(cn_max3(cn_abs3(cn_sub(box.lower, point)), cn_abs3(cn_sub(box.upper, point))));
}
