// Poses of ragdolls: driven by motors, followed by kinematic bones, and how far they are beyond their limits.
#include "base/error.h"
#include "cairn/body.h"
#include "math/vec.h"
#include "world/ragdoll.h"

#include <math.h>

cn_ragdoll_pose cn_ragdoll_get_pose(const cn_world *world, const cn_ragdoll *ragdoll)
{
    cn_ragdoll_pose pose = cn_ragdoll_pose_rest();
    if (!cn_check_ragdoll("cn_ragdoll_get_pose", world, ragdoll))
        return pose;
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        int parent = cn_bone_parent(i);
        if (!cn_body_is_valid(world, ragdoll->bodies[i]) || (parent >= 0 && !cn_body_is_valid(world, ragdoll->bodies[parent])))
            continue;
        cn_quat rotation = cn_body_get_transform(world, ragdoll->bodies[i]).rotation;
        if (parent >= 0)
            rotation = cn_quat_mul(cn_quat_conj(cn_body_get_transform(world, ragdoll->bodies[parent]).rotation), rotation);
        pose.rotations[i] = cn_quat_normalize(rotation);
    }
    return pose;
}

// ---- motors

// What the bones weigh and where, so far as it matters to how hard they are to turn.
typedef struct weights {
    cn_pos3 joints[CN_BONE_COUNT], centers[CN_BONE_COUNT];
    float masses[CN_BONE_COUNT], spreads[CN_BONE_COUNT]; // spread: inertia about the centre, mean over all directions
    uint32_t fixed;                                      // bits of bones that nothing moves
} weights;

static weights weigh(const cn_world *world, const cn_ragdoll *ragdoll)
{
    weights w = { .fixed = 0 };
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        cn_body_id body = ragdoll->bodies[i];
        if (!cn_body_is_valid(world, body))
            continue;
        cn_mass mass = cn_body_get_mass(world, body);
        w.joints[i] = cn_body_get_transform(world, body).position;
        w.centers[i] = cn_body_get_center(world, body);
        w.masses[i] = mass.mass;
        w.spreads[i] = (mass.inertia.xx + mass.inertia.yy + mass.inertia.zz) / 3.0f;
        w.fixed |= (uint32_t)(cn_body_get_type(world, body) != CN_DYNAMIC) << i;
    }
    return w;
}

// One over the inertia of some bones about a place, mean over all directions; 0 when one of them is fixed.
static float ease_of(const weights *w, uint32_t bones, cn_pos3 place)
{
    float inertia = 0.0f;
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        if (bones >> i & 1u)
            inertia += w->spreads[i] + w->masses[i] * (2.0f / 3.0f) * cn_length_sq(cn_pos_sub(w->centers[i], place));
    }
    return bones & w->fixed || !(inertia > 0.0f) ? 0.0f : 1.0f / inertia;
}

// A motor's frequency is that on the two bones it lies between, but it moves all that hangs on them: by this factor it must be
// higher.
static float limb_factor(const weights *w, int bone)
{
    uint32_t limb = 1u << bone;
    for (int i = bone + 1; i < CN_BONE_COUNT; ++i)
        limb |= (limb >> cn_bone_parent(i) & 1u) << i;
    cn_pos3 joint = w->joints[bone];
    float pair = ease_of(w, 1u << bone, joint) + ease_of(w, 1u << cn_bone_parent(bone), joint);
    float all = ease_of(w, limb, joint) + ease_of(w, CN_BONES_ALL & ~limb, joint);
    return pair > all && all > 0.0f ? sqrtf(pair / all) : 1.0f;
}

// The places of the three rotations of a joint whose bone is turned by `rotation` against the one it hangs on.
static cn_vec3 joint_places(const cn_joint_def *joint, cn_quat rotation)
{
    cn_quat q = cn_quat_mul(cn_quat_conj(joint->frame_a.rotation), cn_quat_mul(rotation, joint->frame_b.rotation));
    cn_quat twist = cn_quat_normalize((cn_quat){ q.x, 0.0f, 0.0f, q.w });
    cn_vec3 swing = cn_quat_log(cn_quat_normalize(cn_quat_mul(q, cn_quat_conj(twist))));
    return cn_v3(cn_quat_log(twist).x, swing.y, swing.z);
}

static bool drive_joint(cn_world *world, cn_joint_id id, cn_motor_mode mode, cn_quat rotation, float torque, float hertz)
{
    cn_joint_def joint = cn_joint_get_def(world, id);
    cn_vec3 places = joint_places(&joint, rotation);
    for (int i = 0; i < 3; ++i) {
        cn_joint_axis axis = joint.axes[CN_TWIST + i];
        if (axis.freedom == CN_LOCKED)
            continue;
        axis.motor = mode;
        axis.motor_target = cn_component(places, i);
        axis.motor_max_force = torque;
        axis.motor_hertz = hertz;
        axis.motor_damping_ratio = 1.0f;
        if (!cn_joint_set_axis(world, id, (cn_dof)(CN_TWIST + i), &axis))
            return false;
    }
    return true;
}

bool cn_ragdoll_set_pose(cn_world *world, const cn_ragdoll *ragdoll, const cn_ragdoll_pose *pose, float strength, float hertz)
{
    const char *function = "cn_ragdoll_set_pose";
    if (!cn_check_writable_ragdoll(function, world, ragdoll) || !cn_check_pointer(function, "pose", pose) ||
        !cn_check_pose(function, pose) || !cn_check_not_negative(function, "strength", strength) ||
        !cn_check_not_negative(function, "hertz", hertz))
        return false;
    weights w = weigh(world, ragdoll);
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        if (!cn_joint_is_valid(world, ragdoll->joints[i]))
            continue;
        float torque = strength * cn_bone_torque(ragdoll, i);
        if (!drive_joint(world, ragdoll->joints[i], CN_MOTOR_PLACE, pose->rotations[i], torque, hertz * limb_factor(&w, i)))
            return false;
    }
    return true;
}

bool cn_ragdoll_relax(cn_world *world, const cn_ragdoll *ragdoll)
{
    if (!cn_check_writable_ragdoll("cn_ragdoll_relax", world, ragdoll))
        return false;
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        if (cn_joint_is_valid(world, ragdoll->joints[i]) &&
            !drive_joint(world, ragdoll->joints[i], CN_MOTOR_OFF, cn_quat_identity(), 0.0f, 0.0f))
            return false;
    }
    return true;
}

// ---- kinematic bones

bool cn_ragdoll_set_kinematic(cn_world *world, const cn_ragdoll *ragdoll, uint32_t bones)
{
    const char *function = "cn_ragdoll_set_kinematic";
    if (!cn_check_writable_ragdoll(function, world, ragdoll))
        return false;
    if (bones & ~CN_BONES_ALL)
        return cn_fail("%s: bones is 0x%x; it has bits that are no bones", function, bones);
    const cn_vec3 zero = { 0.0f, 0.0f, 0.0f };
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        cn_body_id body = ragdoll->bodies[i];
        cn_body_type type = bones >> i & 1u ? CN_KINEMATIC : CN_DYNAMIC;
        if (!cn_body_is_valid(world, body) || cn_body_get_type(world, body) == type)
            continue;
        if (!cn_body_set_type(world, body, type))
            return false;
        if (type == CN_KINEMATIC &&
            !(cn_body_set_linear_velocity(world, body, zero) && cn_body_set_angular_velocity(world, body, zero)))
            return false;
    }
    return true;
}

bool cn_ragdoll_follow(cn_world *world, const cn_ragdoll *ragdoll, cn_transform place, const cn_ragdoll_pose *pose, float time)
{
    const char *function = "cn_ragdoll_follow";
    if (!cn_check_writable_ragdoll(function, world, ragdoll) || !cn_check_pos3(function, "place", place.position) ||
        !cn_check_quat(function, "place", place.rotation) || !cn_check_pointer(function, "pose", pose) ||
        !cn_check_pose(function, pose) || !cn_check_positive(function, "time", time))
        return false;
    cn_transform bones[CN_BONE_COUNT];
    place.rotation = cn_quat_normalize(place.rotation);
    cn_place_bones(place, ragdoll->height, pose, bones);
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        cn_body_id body = ragdoll->bodies[i];
        if (cn_body_is_valid(world, body) && cn_body_get_type(world, body) == CN_KINEMATIC &&
            !cn_body_move_kinematic(world, body, bones[i], time))
            return false;
    }
    return true;
}

// ---- limits

static float beyond(const cn_joint_axis *axis, float place)
{
    return axis->freedom == CN_LIMITED ? cn_maxf(axis->lower - place, place - axis->upper) : 0.0f;
}

// The part of a swing that lies outside an elliptic cone, measured along the swing.
static float beyond_cone(const cn_joint_def *joint, float y, float z)
{
    const cn_joint_axis *about_y = &joint->axes[CN_SWING_Y], *about_z = &joint->axes[CN_SWING_Z];
    float across_y = y / cn_maxf(-about_y->lower, about_y->upper), across_z = z / cn_maxf(-about_z->lower, about_z->upper);
    float reach = sqrtf(across_y * across_y + across_z * across_z);
    return reach > 1.0f ? sqrtf(y * y + z * z) * (1.0f - 1.0f / reach) : 0.0f;
}

static float joint_limit_error(const cn_world *world, cn_joint_id id)
{
    cn_joint_def joint = cn_joint_get_def(world, id);
    float twist = cn_joint_get_place(world, id, CN_TWIST);
    float y = cn_joint_get_place(world, id, CN_SWING_Y), z = cn_joint_get_place(world, id, CN_SWING_Z);
    float swing = joint.cone ? beyond_cone(&joint, y, z)
                             : cn_maxf(beyond(&joint.axes[CN_SWING_Y], y), beyond(&joint.axes[CN_SWING_Z], z));
    float off = cn_joint_get_error(world, id).angular;
    return cn_maxf(cn_maxf(beyond(&joint.axes[CN_TWIST], twist), swing), off);
}

float cn_ragdoll_limit_error(const cn_world *world, const cn_ragdoll *ragdoll)
{
    float worst = 0.0f;
    if (!cn_check_ragdoll("cn_ragdoll_limit_error", world, ragdoll))
        return worst;
    for (int i = 0; i < CN_BONE_COUNT; ++i) {
        if (cn_joint_is_valid(world, ragdoll->joints[i]))
            worst = cn_maxf(worst, joint_limit_error(world, ragdoll->joints[i]));
    }
    return worst;
}
