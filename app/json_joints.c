#include "json_joints.h"

#include "json_assets.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// ---- One degree of freedom

static const char *freedom_word(int index)
{
    static const char *const words[] = { [CN_FREE] = "free", [CN_LOCKED] = "locked" };
    return index <= CN_LOCKED ? words[index] : NULL;
}

// The fields of a degree of freedom whose cn_joint_axis is at `start`.
// clang-format off
#define AXIS_AT(start, field) (start) + offsetof(cn_joint_axis, field)
#define AXIS_FIELDS(start)                                                                                          \
    { "freedom", CN_FIELD_CHOICE, AXIS_AT(start, freedom), .choices = freedom_word },                               \
    { "limits", CN_FIELD_OTHER },                                                                                   \
    { "hertz", CN_FIELD_FLOAT, AXIS_AT(start, hertz), CN_RANGE_NOT_NEGATIVE },                                      \
    { "damping_ratio", CN_FIELD_FLOAT, AXIS_AT(start, damping_ratio), CN_RANGE_NOT_NEGATIVE },                      \
    { "spring", CN_FIELD_OTHER },                                                                                   \
    { "motor", CN_FIELD_OTHER },                                                                                    \
    { "friction", CN_FIELD_FLOAT, AXIS_AT(start, friction), CN_RANGE_NOT_NEGATIVE }
// clang-format on

static const cn_field axis_fields[] = { AXIS_FIELDS(0) };

#define AT(field) offsetof(cn_joint_axis, field)
static const cn_field spring_fields[] = {
    { "stiffness", CN_FIELD_FLOAT, AT(spring_stiffness), CN_RANGE_NOT_NEGATIVE },
    { "damping", CN_FIELD_FLOAT, AT(spring_damping), CN_RANGE_NOT_NEGATIVE },
    { "rest", CN_FIELD_FLOAT, AT(spring_rest), CN_RANGE_ANY },
};

static const cn_field motor_fields[] = {
    { "speed", CN_FIELD_FLOAT, AT(motor_target), CN_RANGE_ANY },
    { "place", CN_FIELD_FLOAT, AT(motor_target), CN_RANGE_ANY },
    { "max_force", CN_FIELD_FLOAT, AT(motor_max_force), CN_RANGE_NOT_NEGATIVE, .required = true },
    { "hertz", CN_FIELD_FLOAT, AT(motor_hertz), CN_RANGE_NOT_NEGATIVE },
    { "damping_ratio", CN_FIELD_FLOAT, AT(motor_damping_ratio), CN_RANGE_NOT_NEGATIVE },
};
#undef AT

// An end that is null is no limit.
static bool read_end(const cn_json *limits, size_t index, float *end)
{
    cn_json at = cn_json_element(limits, index);
    double number;
    if (json_is_null(at.value)) {
        *end = index == 0 ? -INFINITY : INFINITY;
        return true;
    }
    if (!cn_json_number_in(&at, (cn_range)CN_RANGE_ANY, &number))
        return false;
    *end = (float)number;
    return true;
}

static bool read_limits(const cn_json *object, cn_joint_axis *axis)
{
    cn_json limits, freedom;
    if (!cn_json_member(object, "limits", &limits))
        return true;
    if (cn_json_member(object, "freedom", &freedom))
        return cn_json_fail(&freedom, "does not go with \"limits\"");
    if (json_array_size(limits.value) != 2)
        return cn_json_expect(&limits, "a list of 2 numbers");
    axis->freedom = CN_LIMITED;
    return read_end(&limits, 0, &axis->lower) && read_end(&limits, 1, &axis->upper);
}

static bool read_motor(const cn_json *object, cn_joint_axis *axis)
{
    cn_json motor, speed, place;
    if (!cn_json_member(object, "motor", &motor))
        return true;
    if (!CN_JSON_FIELDS(&motor, motor_fields, axis))
        return false;
    bool to_speed = cn_json_member(&motor, "speed", &speed), to_place = cn_json_member(&motor, "place", &place);
    if (to_speed == to_place)
        return cn_json_fail(&motor, "must have either \"speed\" or \"place\"");
    axis->motor = to_speed ? CN_MOTOR_SPEED : CN_MOTOR_PLACE;
    return true;
}

// Those fields of a degree of freedom that no table reads.
static bool read_axis(const cn_json *object, cn_joint_axis *axis)
{
    cn_json spring;
    if (cn_json_member(object, "spring", &spring) && !CN_JSON_FIELDS(&spring, spring_fields, axis))
        return false;
    return read_limits(object, axis) && read_motor(object, axis);
}

static bool read_axes(const cn_json *joint, cn_joint_axis axes[CN_DOF_COUNT])
{
    static const cn_field fields[CN_DOF_COUNT] = {
        [CN_X] = { "x", CN_FIELD_OTHER },
        [CN_Y] = { "y", CN_FIELD_OTHER },
        [CN_Z] = { "z", CN_FIELD_OTHER },
        [CN_TWIST] = { "twist", CN_FIELD_OTHER },
        [CN_SWING_Y] = { "swing_y", CN_FIELD_OTHER },
        [CN_SWING_Z] = { "swing_z", CN_FIELD_OTHER },
    };
    cn_json list, axis;
    if (!cn_json_member(joint, "axes", &list))
        return true;
    if (!CN_JSON_FIELDS(&list, fields, NULL))
        return false;
    for (int i = 0; i < CN_DOF_COUNT; ++i)
        if (cn_json_member(&list, fields[i].name, &axis) &&
            (!CN_JSON_FIELDS(&axis, axis_fields, &axes[i]) || !read_axis(&axis, &axes[i])))
            return false;
    return true;
}

// ---- All three rotations at once

#define AT(field) offsetof(cn_joint_ball, field)
static const cn_field ball_motor_fields[] = {
    { "rotation", CN_FIELD_OTHER },
    { "velocity", CN_FIELD_VEC3, AT(motor_velocity), CN_RANGE_ANY },
    { "max_torque", CN_FIELD_FLOAT, AT(motor_max_torque), CN_RANGE_NOT_NEGATIVE },
    { "hertz", CN_FIELD_FLOAT, AT(motor_hertz), CN_RANGE_NOT_NEGATIVE },
    { "damping_ratio", CN_FIELD_FLOAT, AT(motor_damping_ratio), CN_RANGE_NOT_NEGATIVE },
};

static const cn_field ball_fields[] = {
    { "motor", CN_FIELD_OTHER },
    { "friction", CN_FIELD_FLOAT, AT(friction), CN_RANGE_NOT_NEGATIVE },
};
#undef AT

static bool read_ball(const cn_json *joint, cn_joint_ball *ball)
{
    cn_json at, motor, target;
    if (!cn_json_member(joint, "ball", &at))
        return true;
    if (!CN_JSON_FIELDS(&at, ball_fields, ball))
        return false;
    if (!cn_json_member(&at, "motor", &motor))
        return true;
    if (!CN_JSON_FIELDS(&motor, ball_motor_fields, ball) || !cn_json_rotation(&motor, NULL, &ball->motor_rotation))
        return false;
    bool to_velocity = cn_json_member(&motor, "velocity", &target), to_rotation = cn_json_member(&motor, "rotation", &target);
    if (to_velocity == to_rotation)
        return cn_json_fail(&motor, "must have either \"velocity\" or \"rotation\"");
    ball->motor = to_velocity ? CN_MOTOR_SPEED : CN_MOTOR_PLACE;
    return true;
}

// ---- Types

typedef enum joint_type {
    BALL,
    CONE_TWIST,
    HINGE,
    SLIDER,
    CYLINDRICAL,
    PLANAR,
    FIXED,
    DISTANCE,
    ROPE,
    SPRING,
    WHEEL,
    MOTOR,
    GEAR,
    RACK,
    PULLEY,
    FRAMES,
    TYPE_COUNT
} joint_type;

static const char *type_word(int index)
{
    static const char *const words[TYPE_COUNT] = { "ball",  "cone_twist", "hinge",  "slider", "cylindrical", "planar",
                                                   "fixed", "distance",   "rope",   "spring", "wheel",       "motor",
                                                   "gear",  "rack",       "pulley", "frames" };
    return index < TYPE_COUNT ? words[index] : NULL;
}

// What the presets ask for, and the definition that comes of it.
typedef struct joint {
    cn_joint_def def;
    cn_pos3 anchor, anchor_b, ground_a, ground_b;
    cn_vec3 axis, axis_b;
    float swing, twist, length, stiffness, damping, hertz, max_force, max_torque, ratio;
} joint;

// clang-format off
#define AT(field) offsetof(joint, field)
#define EVERY_JOINT                                                                         \
    { "type", CN_FIELD_OTHER },                                                             \
    { "a", CN_FIELD_OTHER },                                                                \
    { "b", CN_FIELD_OTHER },                                                                \
    { "collide", CN_FIELD_BOOL, AT(def.collide) },                                          \
    { "break_force", CN_FIELD_FLOAT, AT(def.break_force), CN_RANGE_NOT_NEGATIVE },          \
    { "break_torque", CN_FIELD_FLOAT, AT(def.break_torque), CN_RANGE_NOT_NEGATIVE },        \
    { "repeat", CN_FIELD_OTHER }
#define SIX_AXES EVERY_JOINT, { "axes", CN_FIELD_OTHER }, { "ball", CN_FIELD_OTHER }
#define ONE_AXIS EVERY_JOINT, AXIS_FIELDS(AT(def.axes[CN_X]))
#define PLACE(name, field) { name, CN_FIELD_POS3, AT(field), CN_RANGE_ANY, .required = true }
#define ALONG(name, field) { name, CN_FIELD_VEC3, AT(field), CN_RANGE_ANY, .required = true }
#define NUMBER(name, field) { name, CN_FIELD_FLOAT, AT(field), CN_RANGE_NOT_NEGATIVE, .required = true }
#define RATIO { "ratio", CN_FIELD_FLOAT, AT(ratio), CN_RANGE_ANY, .required = true }
#define ANCHOR PLACE("anchor", anchor)
#define AXIS ALONG("axis", axis)
#define ANCHORS PLACE("anchor_a", anchor), PLACE("anchor_b", anchor_b)
// clang-format on

static const cn_field_table tables[TYPE_COUNT] = {
    [BALL] = CN_FIELD_TABLE(SIX_AXES, ANCHOR),
    [CONE_TWIST] = CN_FIELD_TABLE(SIX_AXES, ANCHOR, AXIS, NUMBER("swing", swing), NUMBER("twist", twist)),
    [HINGE] = CN_FIELD_TABLE(SIX_AXES, ANCHOR, AXIS, AXIS_FIELDS(AT(def.axes[CN_TWIST]))),
    [SLIDER] = CN_FIELD_TABLE(SIX_AXES, ANCHOR, AXIS, AXIS_FIELDS(AT(def.axes[CN_X]))),
    [CYLINDRICAL] = CN_FIELD_TABLE(SIX_AXES, ANCHOR, AXIS),
    [PLANAR] = CN_FIELD_TABLE(SIX_AXES, ANCHOR, ALONG("normal", axis)),
    [FIXED] = CN_FIELD_TABLE(SIX_AXES, ANCHOR),
    [DISTANCE] = CN_FIELD_TABLE(ONE_AXIS, ANCHORS),
    [ROPE] = CN_FIELD_TABLE(ONE_AXIS, ANCHORS, NUMBER("length", length)),
    [SPRING] = CN_FIELD_TABLE(ONE_AXIS, ANCHORS, NUMBER("stiffness", stiffness), NUMBER("damping", damping)),
    [WHEEL] = CN_FIELD_TABLE(SIX_AXES, ANCHOR, ALONG("up", axis), ALONG("axle", axis_b), NUMBER("stiffness", stiffness),
                             NUMBER("damping", damping)),
    [MOTOR] =
        CN_FIELD_TABLE(SIX_AXES, NUMBER("hertz", hertz), NUMBER("max_force", max_force), NUMBER("max_torque", max_torque)),
    [GEAR] = CN_FIELD_TABLE(ONE_AXIS, ALONG("axis_a", axis), ALONG("axis_b", axis_b), RATIO),
    [RACK] = CN_FIELD_TABLE(ONE_AXIS, AXIS, ALONG("direction", axis_b), RATIO),
    [PULLEY] = CN_FIELD_TABLE(ONE_AXIS, ANCHORS, PLACE("ground_a", ground_a), PLACE("ground_b", ground_b), RATIO),
    [FRAMES] = CN_FIELD_TABLE(SIX_AXES, { "frame_a", CN_FIELD_OTHER }, { "frame_b", CN_FIELD_OTHER },
                              { "cone", CN_FIELD_BOOL, AT(def.cone) }),
};
#undef AT

static cn_joint_def make_def(joint_type type, const cn_world *world, cn_body_id a, cn_body_id b, const joint *j)
{
    switch (type) {
    case BALL: return cn_ball_joint(world, a, b, j->anchor);
    case CONE_TWIST: return cn_cone_twist_joint(world, a, b, j->anchor, j->axis, j->swing, j->twist);
    case HINGE: return cn_hinge_joint(world, a, b, j->anchor, j->axis);
    case SLIDER: return cn_slider_joint(world, a, b, j->anchor, j->axis);
    case CYLINDRICAL: return cn_cylindrical_joint(world, a, b, j->anchor, j->axis);
    case PLANAR: return cn_planar_joint(world, a, b, j->anchor, j->axis);
    case FIXED: return cn_fixed_joint(world, a, b, j->anchor);
    case DISTANCE: return cn_distance_joint(world, a, b, j->anchor, j->anchor_b);
    case ROPE: return cn_rope_joint(world, a, b, j->anchor, j->anchor_b, j->length);
    case SPRING: return cn_spring_joint(world, a, b, j->anchor, j->anchor_b, j->stiffness, j->damping);
    case WHEEL: return cn_wheel_joint(world, a, b, j->anchor, j->axis, j->axis_b, j->stiffness, j->damping);
    case MOTOR: return cn_motor_joint(world, a, b, j->hertz, j->max_force, j->max_torque);
    case GEAR: return cn_gear_joint(world, a, b, j->axis, j->axis_b, j->ratio);
    case RACK: return cn_rack_joint(world, a, b, j->axis, j->axis_b, j->ratio);
    case PULLEY: return cn_pulley_joint(world, a, b, j->anchor, j->anchor_b, j->ground_a, j->ground_b, j->ratio);
    default: break;
    }
    cn_joint_def def = cn_joint_def_default();
    def.body_a = a;
    def.body_b = b;
    return def;
}

// ---- Joints

static bool read_type(const cn_json *at, joint_type *type)
{
    int index;
    if (!cn_json_type(at, type_word, &index))
        return false;
    *type = (joint_type)index;
    return true;
}

typedef struct repeat {
    int count;
    cn_vec3 spacing; // m
} repeat;

static const cn_field repeat_fields[] = {
    { "count", CN_FIELD_INT, offsetof(repeat, count), { 1.0, 1e6, false }, .required = true },
    { "spacing", CN_FIELD_VEC3, offsetof(repeat, spacing), CN_RANGE_ANY },
};

static cn_pos3 move(cn_pos3 p, cn_vec3 spacing, int step)
{
    return (cn_pos3){ p.x + (double)spacing.x * step, p.y + (double)spacing.y * step, p.z + (double)spacing.z * step };
}

static void move_places(joint *j, cn_vec3 spacing, int step)
{
    j->anchor = move(j->anchor, spacing, step);
    j->anchor_b = move(j->anchor_b, spacing, step);
    j->ground_a = move(j->ground_a, spacing, step);
    j->ground_b = move(j->ground_b, spacing, step);
}

static bool read_frame(const cn_json *at, const char *key, cn_transform *frame)
{
    static const cn_field fields[] = {
        { "position", CN_FIELD_POS3, offsetof(cn_transform, position), CN_RANGE_ANY },
        { "rotation", CN_FIELD_OTHER },
    };
    cn_json member;
    if (!cn_json_member(at, key, &member))
        return true;
    return CN_JSON_FIELDS(&member, fields, frame) && cn_json_rotation(&member, NULL, &frame->rotation);
}

// The world where nothing, null or "world" is named.
static bool read_side(const cn_json *at, const char *key, const cn_body_names *names, const cn_build *build, int step,
                      cn_body_id *body)
{
    cn_json member;
    *body = (cn_body_id){ 0 };
    if (!cn_json_member(at, key, &member) || json_is_null(member.value))
        return true;
    if (json_is_string(member.value) && strcmp(json_string_value(member.value), "world") == 0)
        return true;
    return cn_json_body(&member, names, build, step, body);
}

// The degree of freedom whose fields stand among those of the joint itself.
static cn_joint_axis *own_axis(joint_type type, cn_joint_def *def)
{
    if (type == HINGE)
        return &def->axes[CN_TWIST];
    return type == SLIDER || def->kind != CN_JOINT_FRAMES ? &def->axes[CN_X] : NULL;
}

// The fields are read twice: the preset needs some, and others change what it made.
static bool read_joint(const cn_json *at, const cn_body_names *names, cn_build *build, const repeat *r, int step)
{
    joint_type type = FRAMES;
    joint j = { 0 };
    cn_body_id a, b;
    if (!read_type(at, &type))
        return false;
    const cn_field_table *table = &tables[type];
    if (!cn_json_fields(at, table->fields, table->count, &j) || !read_side(at, "a", names, build, step, &a) ||
        !read_side(at, "b", names, build, step, &b))
        return false;
    move_places(&j, r->spacing, step);
    j.def = make_def(type, build->world, a, b, &j);
    if (j.def.kind == CN_JOINT_KIND_COUNT)
        return cn_json_refused(at);
    cn_joint_axis *own = own_axis(type, &j.def);
    if (!cn_json_fields(at, table->fields, table->count, &j) || (own && !read_axis(at, own)) || !read_axes(at, j.def.axes) ||
        !read_ball(at, &j.def.ball) ||
        !read_frame(at, "frame_a", &j.def.frame_a) || !read_frame(at, "frame_b", &j.def.frame_b))
        return false;
    return !CN_IS_NULL(cn_build_joint(build, &j.def)) || cn_json_refused(at);
}

bool cn_json_joints(const cn_json *scene, const cn_body_names *names, cn_build *build)
{
    cn_json list, member;
    if (!cn_json_member(scene, "joints", &list))
        return true;
    if (!cn_json_list(&list, "a list of joints"))
        return false;
    for (size_t i = 0; i < cn_json_count(&list); ++i) {
        cn_json at = cn_json_element(&list, i);
        repeat r = { .count = 1 };
        if (cn_json_member(&at, "repeat", &member) && !CN_JSON_FIELDS(&member, repeat_fields, &r))
            return false;
        for (int step = 0; step < r.count; ++step)
            if (!read_joint(&at, names, build, &r, step))
                return false;
    }
    return true;
}
