#include "json_assets.h"

#include "math/vec.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool cn_json_refused(const cn_json *at)
{
    const char *reason = cn_last_error();
    const char *colon = strncmp(reason, "cn_", 3) == 0 ? strstr(reason, ": ") : NULL;
    return cn_json_fail(at, ": %s", colon ? colon + 2 : reason);
}

// ---- Rotations

typedef struct turn {
    cn_vec3 axis;
    float degrees;
} turn;

static const cn_field turn_fields[] = {
    { "axis", CN_FIELD_VEC3, offsetof(turn, axis), CN_RANGE_ANY, .required = true },
    { "degrees", CN_FIELD_FLOAT, offsetof(turn, degrees), { -3600.0, 3600.0, false }, .required = true },
};

static bool read_turn(const cn_json *at, cn_quat *rotation)
{
    turn t;
    if (!CN_JSON_FIELDS(at, turn_fields, &t))
        return false;
    if (cn_length_sq(t.axis) < 1e-12f)
        return cn_json_fail(at, "has an axis without length");
    *rotation = cn_quat_axis_angle(cn_normalize(t.axis), t.degrees * 0.0174532925f);
    return true;
}

static bool read_quaternion(const cn_json *at, cn_quat *rotation)
{
    double q[4], square = 0.0;
    if (!cn_json_numbers(at, 4, (cn_range)CN_RANGE_ANY, q))
        return false;
    for (int i = 0; i < 4; ++i)
        square += q[i] * q[i];
    double length = sqrt(square);
    if (!(length > 0.99 && length < 1.01))
        return cn_json_fail(at, "is a quaternion of length %g; it must be 1", length);
    *rotation = (cn_quat){ (float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length), (float)(q[3] / length) };
    return true;
}

bool cn_json_turn(const cn_json *at, cn_random *random, cn_quat *rotation)
{
    if (json_is_array(at->value))
        return read_quaternion(at, rotation);
    if (json_is_object(at->value))
        return read_turn(at, rotation);
    if (!random || !json_is_string(at->value) || strcmp(json_string_value(at->value), "random") != 0)
        return cn_json_expect(at, random ? "[x, y, z, w], {\"axis\": [x, y, z], \"degrees\": a} or \"random\""
                                         : "[x, y, z, w] or {\"axis\": [x, y, z], \"degrees\": a}");
    *rotation = cn_random_rotation(random);
    return true;
}

bool cn_json_rotation(const cn_json *object, cn_random *random, cn_quat *rotation)
{
    cn_json at;
    return !cn_json_member(object, "rotation", &at) || cn_json_turn(&at, random, rotation);
}

// ---- Shapes

static const char *type_word(int index)
{
    static const char *const words[CN_SHAPE_TYPE_COUNT] = { "sphere", "capsule", "box",          "cylinder", "tapered_capsule",
                                                            "hull",   "mesh",    "height_field", "compound" };
    return index < CN_SHAPE_TYPE_COUNT ? words[index] : NULL;
}

static const char *convex_word(int index) { return index <= CN_HULL ? type_word(index) : NULL; }

// clang-format off
#define AT(field) offsetof(cn_shape_def, field)
#define EVERY_PART                                                     \
    { "type", CN_FIELD_OTHER },                                        \
    { "position", CN_FIELD_VEC3, AT(offset.position), CN_RANGE_ANY },  \
    { "rotation", CN_FIELD_OTHER },                                    \
    { "material", CN_FIELD_OTHER }
#define EVERY_SHAPE                                                    \
    EVERY_PART,                                                        \
    { "density", CN_FIELD_FLOAT, AT(density), CN_RANGE_NOT_NEGATIVE }, \
    { "materials", CN_FIELD_OTHER },                                   \
    { "filter", CN_FIELD_OTHER },                                      \
    { "sensor", CN_FIELD_BOOL, AT(sensor) },                           \
    { "contact_events", CN_FIELD_BOOL, AT(contact_events) },           \
    { "hit_events", CN_FIELD_BOOL, AT(hit_events) }
#define RADIUS { "radius", CN_FIELD_FLOAT, AT(geometry.radius), CN_RANGE_POSITIVE, .required = true }
#define HALF_HEIGHT { "half_height", CN_FIELD_FLOAT, AT(geometry.half_height), CN_RANGE_POSITIVE, .required = true }
#define END_RADII                                                                                                  \
    { "bottom_radius", CN_FIELD_FLOAT, AT(geometry.radius), CN_RANGE_POSITIVE, .required = true },                 \
    { "top_radius", CN_FIELD_FLOAT, AT(geometry.top_radius), CN_RANGE_POSITIVE, .required = true }
#define HALF_EXTENTS { "half_extents", CN_FIELD_VEC3, AT(geometry.half_extents), CN_RANGE_POSITIVE, .required = true }
#define NAMED(name) { name, CN_FIELD_OTHER, .required = true }
#define SCALE { "scale", CN_FIELD_SCALE, AT(geometry.scale), CN_RANGE_ANY }
// clang-format on

static const cn_field_table shape_tables[CN_SHAPE_TYPE_COUNT] = {
    [CN_SPHERE] = CN_FIELD_TABLE(EVERY_SHAPE, RADIUS),
    [CN_CAPSULE] = CN_FIELD_TABLE(EVERY_SHAPE, HALF_HEIGHT, RADIUS),
    [CN_BOX] = CN_FIELD_TABLE(EVERY_SHAPE, HALF_EXTENTS),
    [CN_CYLINDER] = CN_FIELD_TABLE(EVERY_SHAPE, HALF_HEIGHT, RADIUS),
    [CN_TAPERED_CAPSULE] = CN_FIELD_TABLE(EVERY_SHAPE, HALF_HEIGHT, END_RADII),
    [CN_HULL] = CN_FIELD_TABLE(EVERY_SHAPE, NAMED("hull")),
    [CN_MESH] = CN_FIELD_TABLE(EVERY_SHAPE, NAMED("mesh"), SCALE),
    [CN_HEIGHT_FIELD] = CN_FIELD_TABLE(EVERY_SHAPE, NAMED("height_field"), SCALE),
    [CN_COMPOUND] = CN_FIELD_TABLE(EVERY_SHAPE, NAMED("compound")),
};

static const cn_field_table part_tables[CN_HULL + 1] = {
    [CN_SPHERE] = CN_FIELD_TABLE(EVERY_PART, RADIUS),      [CN_CAPSULE] = CN_FIELD_TABLE(EVERY_PART, HALF_HEIGHT, RADIUS),
    [CN_BOX] = CN_FIELD_TABLE(EVERY_PART, HALF_EXTENTS),   [CN_CYLINDER] = CN_FIELD_TABLE(EVERY_PART, HALF_HEIGHT, RADIUS),
    [CN_TAPERED_CAPSULE] = CN_FIELD_TABLE(EVERY_PART, HALF_HEIGHT, END_RADII),
    [CN_HULL] = CN_FIELD_TABLE(EVERY_PART, NAMED("hull")),
};

static const cn_field filter_fields[] = {
    { "category", CN_FIELD_BITS, offsetof(cn_filter, category) },
    { "mask", CN_FIELD_BITS, offsetof(cn_filter, mask) },
    { "group", CN_FIELD_INT, offsetof(cn_filter, group), { -2147483647.0, 2147483647.0, false } },
};

bool cn_json_filter(const cn_json *object, cn_filter *filter)
{
    cn_json at;
    return !cn_json_member(object, "filter", &at) || CN_JSON_FIELDS(&at, filter_fields, filter);
}

static bool read_type(const cn_json *at, bool is_part, cn_shape_type *type)
{
    int index;
    if (!cn_json_type(at, is_part ? convex_word : type_word, &index))
        return false;
    *type = (cn_shape_type)index;
    return true;
}

bool cn_json_shape(const cn_json *at, const cn_assets *assets, bool is_part, cn_shape_def *def, const cn_asset **asset)
{
    static const cn_asset_kind kinds[CN_SHAPE_TYPE_COUNT] = { [CN_HULL] = CN_ASSET_HULL,
                                                              [CN_MESH] = CN_ASSET_MESH,
                                                              [CN_HEIGHT_FIELD] = CN_ASSET_HEIGHT_FIELD,
                                                              [CN_COMPOUND] = CN_ASSET_COMPOUND };
    cn_json member;
    *def = cn_shape_def_default();
    *asset = NULL;
    def->geometry.scale = (cn_vec3){ 1.0f, 1.0f, 1.0f };
    cn_geometry *g = &def->geometry;
    if (!read_type(at, is_part, &g->type))
        return false;
    const cn_field_table *t = is_part ? &part_tables[g->type] : &shape_tables[g->type];
    if (!cn_json_fields(at, t->fields, t->count, def) || !cn_json_rotation(at, NULL, &def->offset.rotation))
        return false;
    if (!cn_json_filter(at, &def->filter))
        return false;
    if (g->type < CN_HULL)
        return true;
    cn_json_member(at, type_word(g->type), &member); // required above
    if (!(*asset = cn_assets_find(assets, kinds[g->type], &member)))
        return false;
    switch (g->type) {
    case CN_HULL: *g = cn_hull((*asset)->hull); break;
    case CN_MESH: *g = cn_geometry_mesh((*asset)->mesh, g->scale); break;
    case CN_HEIGHT_FIELD: *g = cn_geometry_height_field((*asset)->height_field, g->scale); break;
    default: *g = cn_geometry_compound((*asset)->compound);
    }
    return true;
}
