// The human body of cairn/ragdoll.h, made with the public functions.
#include "world/ragdoll.h"
#include "base/error.h"
#include "cairn/body.h"
#include "math/vec.h"
#include "world/world.h"

// ---- the body: all lengths are parts of the height, all angles degrees. Left bones stand for both sides.

typedef enum bone_shape {
    UPRIGHT, // a capsule along y: size is its radius and half the distance between the centres of its caps
    ACROSS,  // the same along x
    BLOCK,   // a box: size is its half extents
} bone_shape;

typedef struct bone_form {
    int parent;
    float mass;           // part of the whole
    float side, height;   // of its joint, from the ground between the feet
    float middle, before; // of its shape, from the joint, along y and z
    bone_shape shape;
    cn_vec3 size;
} bone_form;

// Masses and the lengths of limbs, trunk and head: de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters"
// (1996), men. Heights of ankle, knee and hip: Drillis and Contini, in Winter, "Biomechanics and Motor Control of Human
// Movement"; trunk and head are shortened by 3 % to fit above them. Widths make the density about that of water.
static const bone_form forms[] = {
    { -1, 0.1117f, 0.0f, 0.53f, 0.0405f, 0.0f, ACROSS, { 0.052f, 0.045f, 0.0f } },                        // pelvis
    { CN_BONE_PELVIS, 0.1633f, 0.0f, 0.611f, 0.06f, 0.0f, ACROSS, { 0.055f, 0.045f, 0.0f } },             // abdomen
    { CN_BONE_ABDOMEN, 0.1596f, 0.0f, 0.731f, 0.065f, 0.0f, ACROSS, { 0.062f, 0.055f, 0.0f } },           // chest
    { CN_BONE_CHEST, 0.0694f, 0.0f, 0.865f, 0.0675f, 0.0f, UPRIGHT, { 0.05f, 0.0175f, 0.0f } },           // head
    { CN_BONE_CHEST, 0.0271f, 0.129f, 0.82f, -0.081f, 0.0f, UPRIGHT, { 0.026f, 0.068f, 0.0f } },          // upper arm
    { CN_BONE_LEFT_UPPER_ARM, 0.0162f, 0.129f, 0.658f, -0.077f, 0.0f, UPRIGHT, { 0.02f, 0.067f, 0.0f } }, // forearm
    { CN_BONE_LEFT_FOREARM, 0.0061f, 0.129f, 0.504f, -0.05f, 0.0f, BLOCK, { 0.01f, 0.05f, 0.02f } },      // hand
    { CN_BONE_PELVIS, 0.1416f, 0.052f, 0.53f, -0.1225f, 0.0f, UPRIGHT, { 0.046f, 0.0995f, 0.0f } },       // thigh
    { CN_BONE_LEFT_THIGH, 0.0433f, 0.052f, 0.285f, -0.123f, 0.0f, UPRIGHT, { 0.027f, 0.1095f, 0.0f } },   // shin
    { CN_BONE_LEFT_SHIN, 0.0137f, 0.052f, 0.039f, -0.022f, 0.035f, BLOCK, { 0.022f, 0.017f, 0.07f } },    // foot
};

typedef enum bone_axis {
    UPWARD,   // a cone with a twist about the bone, which points up from its joint
    DOWNWARD, // and down from it
    BENDING,  // a hinge about x
} bone_axis;

typedef struct bone_range {
    bone_axis axis;
    float lean[2];  // where the middle of the cone is from rest, about x and z
    float swing[2]; // half angles of the cone about them
    float twist[2]; // least and most, about the axis
    float strength; // N m per kg of the whole mass and per m of height
} bone_range;

// What orthopaedists measure in healthy people (American Academy of Orthopaedic Surgeons), with the trunk's range shared out
// over its two joints and that of the forearm given to the wrist. Strengths are round numbers from isometric tests of strong
// people.
static const bone_range ranges[] = {
    { 0 },                                                                      // pelvis
    { UPWARD, { 14.0f, 0.0f }, { 26.0f, 18.0f }, { -15.0f, 15.0f }, 1.7f },     // abdomen
    { UPWARD, { 11.0f, 0.0f }, { 23.0f, 18.0f }, { -30.0f, 30.0f }, 1.7f },     // chest
    { UPWARD, { -5.0f, 0.0f }, { 55.0f, 45.0f }, { -75.0f, 75.0f }, 0.3f },     // head
    { DOWNWARD, { -55.0f, 64.0f }, { 95.0f, 95.0f }, { -80.0f, 80.0f }, 0.7f }, // upper arm
    { BENDING, { 0.0f, 0.0f }, { 0.0f, 0.0f }, { -145.0f, 0.0f }, 0.6f },       // forearm
    { DOWNWARD, { 0.0f, 0.0f }, { 25.0f, 75.0f }, { -80.0f, 80.0f }, 0.12f },   // hand
    { DOWNWARD, { -50.0f, 10.0f }, { 70.0f, 35.0f }, { -40.0f, 40.0f }, 1.7f }, // thigh
    { BENDING, { 0.0f, 0.0f }, { 0.0f, 0.0f }, { 0.0f, 140.0f }, 1.7f },        // shin
    { DOWNWARD, { 15.0f, 0.0f }, { 35.0f, 25.0f }, { -15.0f, 15.0f }, 1.1f },   // foot
};
enum { FIRST_LEFT = CN_BONE_LEFT_UPPER_ARM, FIRST_RIGHT = CN_BONE_RIGHT_UPPER_ARM, SIDE = FIRST_RIGHT - FIRST_LEFT };

static const float degree = CN_PI / 180.0f;

static bool is_right(int bone) { return bone >= FIRST_RIGHT; }
static const bone_form *form_of(int bone) { return &forms[is_right(bone) ? bone - SIDE : bone]; }
static const bone_range *range_of(int bone) { return &ranges[is_right(bone) ? bone - SIDE : bone]; }

// Where a bone begins at rest.
static cn_vec3 joint_of(int bone)
{
    const bone_form *form = form_of(bone);
    return cn_v3(is_right(bone) ? -form->side : form->side, form->height, 0.0f);
}

const char *cn_bone_name(int bone)
{
    static const char *const names[CN_BONE_COUNT] = {
        "pelvis",     "abdomen",     "chest",      "head",       "left_upper_arm",  "left_forearm",
        "left_hand",  "left_thigh",  "left_shin",  "left_foot",  "right_upper_arm", "right_forearm",
        "right_hand", "right_thigh", "right_shin", "right_foot",
    };
    return (unsigned)bone < CN_BONE_COUNT ? names[bone] : NULL;
}

int cn_bone_parent(int bone)
{
    if ((unsigned)bone >= CN_BONE_COUNT)
        return -1;
    int parent = form_of(bone)->parent;
    return is_right(bone) && parent >= FIRST_LEFT ? parent + SIDE : parent;
}

cn_ragdoll_pose cn_ragdoll_pose_rest(void)
{
    cn_ragdoll_pose pose;
    for (int i = 0; i < CN_BONE_COUNT; ++i)
        pose.rotations[i] = cn_quat_identity();
    return pose;
}

cn_ragdoll_def cn_ragdoll_def_default(void)
{
    return (cn_ragdoll_def){
        .rotation = CN_QUAT_IDENTITY,
        .height = 1.8f,
        .mass = 75.0f,
        .joint_friction = 0.02f,
        .material = cn_material_default(),
        .filter = cn_filter_default(),
        .collide_self = true,
    };
}

// ---- checks

bool cn_check_pose(const char *function, const cn_ragdoll_pose *pose)
{
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        const cn_quat *q = &pose->rotations[i];
        float length = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;
        if (!(length > 0.99f && length < 1.01f))
            return cn_fail("%s: pose has a rotation (%g, %g, %g, %g) of the %s that is not of unit length", function,
                           (double)q->x, (double)q->y, (double)q->z, (double)q->w, cn_bone_name(i));
    }
    return true;
}

bool cn_check_ragdoll(const char *function, const cn_world *world, const cn_ragdoll *ragdoll)
{
    return cn_check_pointer(function, "world", world) && cn_check_pointer(function, "ragdoll", ragdoll);
}

bool cn_check_writable_ragdoll(const char *function, const cn_world *world, const cn_ragdoll *ragdoll)
{
    return cn_check_writable(world, function) && cn_check_pointer(function, "ragdoll", ragdoll);
}

static bool check_def(const char *function, const cn_ragdoll_def *def)
{
    return cn_check_pos3(function, "position", def->position) && cn_check_quat(function, "rotation", def->rotation) &&
           cn_check_vec3(function, "velocity", def->velocity) &&
           cn_check_range(function, "height", def->height, 0.1f, 100.0f) && cn_check_positive(function, "mass", def->mass) &&
           cn_check_not_negative(function, "joint_friction", def->joint_friction) &&
           (!def->pose || cn_check_pose(function, def->pose));
}

// ---- building

// Bones come after the ones they hang on.
void cn_place_bones(cn_transform place, float height, const cn_ragdoll_pose *pose, cn_transform bones[CN_BONE_COUNT])
{
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        int parent = cn_bone_parent(i);
        cn_transform base = parent >= 0 ? bones[parent] : place;
        cn_vec3 from = parent >= 0 ? joint_of(parent) : cn_v3(0.0f, 0.0f, 0.0f);
        cn_vec3 way = cn_rotate(base.rotation, cn_scale(height, cn_sub(joint_of(i), from)));
        bones[i].position = cn_pos_add(base.position, way);
        bones[i].rotation = cn_quat_normalize(cn_quat_mul(base.rotation, cn_quat_normalize(pose->rotations[i])));
    }
}

static cn_geometry bone_geometry(const bone_form *form, float height)
{
    cn_vec3 size = cn_scale(height, form->size);
    return form->shape == BLOCK ? cn_box(size.x, size.y, size.z) : cn_capsule(size.y, size.x);
}

static float volume_of(cn_geometry geometry)
{
    cn_mass mass = geometry.type == CN_BOX ? cn_mass_box(geometry.half_extents, 1.0f)
                                           : cn_mass_capsule(geometry.half_height, geometry.radius, 1.0f);
    return mass.mass;
}

static bool add_bone(cn_world *world, const cn_ragdoll_def *def, int bone, cn_transform at, cn_ragdoll *ragdoll)
{
    const bone_form *form = form_of(bone);
    cn_body_def body = cn_body_def_default();
    body.position = at.position;
    body.rotation = at.rotation;
    body.linear_velocity = def->velocity;
    body.user_data = def->user_data;
    ragdoll->bodies[bone] = cn_body_create(world, &body);
    if (CN_IS_NULL(ragdoll->bodies[bone]))
        return false;
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = bone_geometry(form, def->height);
    shape.offset.position = cn_v3(0.0f, def->height * form->middle, def->height * form->before);
    if (form->shape == ACROSS)
        shape.offset.rotation = cn_quat_axis_angle(cn_v3(0.0f, 0.0f, 1.0f), 0.5f * CN_PI);
    shape.density = form->mass * def->mass / volume_of(shape.geometry);
    shape.material = def->material;
    shape.filter = def->filter;
    if (shape.filter.group == 0 && !def->collide_self)
        shape.filter.group = INT32_MIN + (int32_t)(ragdoll->bodies[CN_BONE_PELVIS].index1 & 0x3fffffffu);
    shape.user_data = def->user_data;
    return !CN_IS_NULL(cn_shape_create(world, ragdoll->bodies[bone], &shape));
}

float cn_bone_torque(const cn_ragdoll *ragdoll, int bone) { return range_of(bone)->strength * ragdoll->mass * ragdoll->height; }

// The frame on a bone: x along the bone, y along its own x.
static cn_quat bone_frame(bone_axis axis)
{
    const float half = 0.70710678f;
    switch (axis) {
    case UPWARD: return (cn_quat){ half, half, 0.0f, 0.0f };
    case DOWNWARD: return (cn_quat){ 0.0f, 0.0f, -half, half };
    default: return cn_quat_identity();
    }
}

static void limit(cn_joint_axis *axis, float lower, float upper)
{
    axis->freedom = CN_LIMITED;
    axis->lower = degree * lower;
    axis->upper = degree * upper;
}

// The frame on the bone it hangs on lies in the middle of the cone; it is swung there without a twist, so that rest has none.
static bool add_joint(cn_world *world, const cn_ragdoll_def *def, int bone, cn_ragdoll *ragdoll)
{
    const bone_range *range = range_of(bone);
    int parent = cn_bone_parent(bone);
    cn_joint_def joint = cn_joint_def_default();
    cn_vec3 lean = { degree * range->lean[0], 0.0f, degree * (is_right(bone) ? -range->lean[1] : range->lean[1]) };
    joint.body_a = ragdoll->bodies[parent];
    joint.body_b = ragdoll->bodies[bone];
    joint.frame_a.position = cn_pos_add(cn_p3(0.0, 0.0, 0.0), cn_scale(def->height, cn_sub(joint_of(bone), joint_of(parent))));
    joint.frame_b.rotation = bone_frame(range->axis);
    joint.frame_a.rotation = cn_quat_mul(cn_quat_exp(lean), joint.frame_b.rotation);
    for (int i = 0; i < CN_DOF_COUNT; ++i)
        joint.axes[i].freedom = CN_LOCKED;
    limit(&joint.axes[CN_TWIST], range->twist[0], range->twist[1]);
    joint.cone = range->axis != BENDING;
    if (joint.cone) {
        limit(&joint.axes[CN_SWING_Y], -range->swing[0], range->swing[0]);
        limit(&joint.axes[CN_SWING_Z], -range->swing[1], range->swing[1]);
    }
    for (int i = CN_TWIST; i < CN_DOF_COUNT; ++i) {
        if (joint.axes[i].freedom == CN_LIMITED)
            joint.axes[i].friction = def->joint_friction * cn_bone_torque(ragdoll, bone);
    }
    joint.user_data = def->user_data;
    ragdoll->joints[bone] = cn_joint_create(world, &joint);
    return !CN_IS_NULL(ragdoll->joints[bone]);
}

bool cn_ragdoll_create(cn_world *world, const cn_ragdoll_def *def, cn_ragdoll *ragdoll)
{
    if (!cn_check_writable_ragdoll("cn_ragdoll_create", world, ragdoll) || !cn_check_pointer("cn_ragdoll_create", "def", def) ||
        !check_def("cn_ragdoll_create", def))
        return false;
    cn_ragdoll_pose rest = cn_ragdoll_pose_rest();
    cn_transform bones[CN_BONE_COUNT], place = { def->position, cn_quat_normalize(def->rotation) };
    cn_place_bones(place, def->height, def->pose ? def->pose : &rest, bones);
    *ragdoll = (cn_ragdoll){ .height = def->height, .mass = def->mass };
    bool made = true;
    for (int i = 0; made && i < CN_BONE_COUNT; ++i)
        made = add_bone(world, def, i, bones[i], ragdoll) && (i == CN_BONE_PELVIS || add_joint(world, def, i, ragdoll));
    if (!made) {
        cn_ragdoll_destroy(world, ragdoll);
        *ragdoll = (cn_ragdoll){ 0 };
    }
    return made;
}

bool cn_ragdoll_destroy(cn_world *world, const cn_ragdoll *ragdoll)
{
    if (!cn_check_writable_ragdoll("cn_ragdoll_destroy", world, ragdoll))
        return false;
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        if (cn_body_is_valid(world, ragdoll->bodies[i]))
            cn_body_destroy(world, ragdoll->bodies[i]);
    }
    return true;
}
