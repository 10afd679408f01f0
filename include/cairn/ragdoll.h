// Ragdolls: a human body of 16 bones, tied by joints that move as far as those of people do.
//
// At rest it stands upright and looks along z, y up, its left at +x, the arms hanging. The origin of a bone is its joint with
// the bone it hangs on, and its axes are then those of the whole body, so that a pose is one rotation per bone.
#ifndef CAIRN_RAGDOLL_H
#define CAIRN_RAGDOLL_H

#include "cairn/joint.h"
#include "cairn/shape.h"

typedef enum cn_bone {
    CN_BONE_PELVIS, // hangs on none
    CN_BONE_ABDOMEN,
    CN_BONE_CHEST,
    CN_BONE_HEAD, // and neck
    CN_BONE_LEFT_UPPER_ARM,
    CN_BONE_LEFT_FOREARM,
    CN_BONE_LEFT_HAND,
    CN_BONE_LEFT_THIGH,
    CN_BONE_LEFT_SHIN,
    CN_BONE_LEFT_FOOT,
    CN_BONE_RIGHT_UPPER_ARM,
    CN_BONE_RIGHT_FOREARM,
    CN_BONE_RIGHT_HAND,
    CN_BONE_RIGHT_THIGH,
    CN_BONE_RIGHT_SHIN,
    CN_BONE_RIGHT_FOOT,
    CN_BONE_COUNT
} cn_bone;
CN_API const char *cn_bone_name(int bone); // "pelvis", "left_upper_arm" and so on; NULL past the end
CN_API int cn_bone_parent(int bone);       // the bone it hangs on; -1 for the pelvis and past the end

// Bits 1 << bone of the usual parts.
#define CN_BONES_ALL 0xffffu
#define CN_BONES_TRUNK 0x000fu // with the head
#define CN_BONES_LEFT_ARM 0x0070u
#define CN_BONES_LEFT_LEG 0x0380u
#define CN_BONES_RIGHT_ARM 0x1c00u
#define CN_BONES_RIGHT_LEG 0xe000u

// How every bone is turned against the one it hangs on, beginning from rest, along the axes of the latter. That of the pelvis
// turns the whole body about its middle. Elbows and knees bend about x: forearms forward below 0, shins backward above 0.
typedef struct cn_ragdoll_pose {
    cn_quat rotations[CN_BONE_COUNT];
} cn_ragdoll_pose;
CN_API cn_ragdoll_pose cn_ragdoll_pose_rest(void);

typedef struct cn_ragdoll_def {
    cn_pos3 position; // of the ground between its feet, as it stands at rest
    cn_quat rotation;
    const cn_ragdoll_pose *pose; // to begin with; NULL: at rest. It may break limits: they are restored as the world steps
    cn_vec3 velocity;            // of all bones, m/s
    float height;                // 0.1 to 100 m
    float mass;                  // kg
    // Torque that resists every joint, as a part of the largest torque that the muscles there can make.
    float joint_friction;
    cn_material material;
    cn_filter filter;
    // Bones collide with each other, except those that a joint ties. Otherwise they get a group of their own, unless
    // filter.group is one already.
    bool collide_self;
    void *user_data; // of all its bodies, shapes and joints
} cn_ragdoll_def;

// 1.8 m, 75 kg, friction of 2 % of the muscles, bones that collide with each other.
CN_API cn_ragdoll_def cn_ragdoll_def_default(void);

// What a ragdoll consists of. Its bodies and joints are like all others and may be changed or destroyed one by one: the
// functions below leave out bones that are gone and joints that broke.
typedef struct cn_ragdoll {
    cn_body_id bodies[CN_BONE_COUNT];
    cn_joint_id joints[CN_BONE_COUNT]; // with the bone it hangs on; the pelvis has none
    float height, mass;
} cn_ragdoll;

// False, with cn_last_error() and without a trace in the world, on bad input.
CN_API bool cn_ragdoll_create(cn_world *world, const cn_ragdoll_def *def, cn_ragdoll *ragdoll);
CN_API bool cn_ragdoll_destroy(cn_world *world, const cn_ragdoll *ragdoll);

// How it is posed now. Bones that are gone count as at rest.
CN_API cn_ragdoll_pose cn_ragdoll_get_pose(const cn_world *world, const cn_ragdoll *ragdoll);

// Drives every joint towards a pose with motors, until told otherwise. `strength` scales the torque: 1 is what the muscles of
// a strong person can do. Within that they act as springs of frequency `hertz` on the limb they move, critically damped; 0 Hz:
// as stiff as the torque allows.
CN_API bool cn_ragdoll_set_pose(cn_world *world, const cn_ragdoll *ragdoll, const cn_ragdoll_pose *pose, float strength,
                                float hertz);
CN_API bool cn_ragdoll_relax(cn_world *world, const cn_ragdoll *ragdoll); // all motors off

// Partial ragdolls: the bones of the mask (bits 1 << bone) become kinematic, all others dynamic. The kinematic ones stand still
// until they are moved.
CN_API bool cn_ragdoll_set_kinematic(cn_world *world, const cn_ragdoll *ragdoll, uint32_t bones);
// Gives its kinematic bones the velocities that take them in `time` seconds to where the pose has them, in a body that stands
// at `place` as in the definition. Call it before every step, and what is dynamic hangs on the animation.
CN_API bool cn_ragdoll_follow(cn_world *world, const cn_ragdoll *ragdoll, cn_transform place, const cn_ragdoll_pose *pose,
                              float time);

// By how much the worst of its joints is beyond its limits now, or its locked directions are off, rad; 0 when all are within.
CN_API float cn_ragdoll_limit_error(const cn_world *world, const cn_ragdoll *ragdoll);

#endif
