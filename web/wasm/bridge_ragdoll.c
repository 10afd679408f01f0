// Ragdolls. JavaScript keeps the ids of their bodies and joints, and hands them over with every call, 0 for none; a pose is
// four numbers per bone.
#include "base/error.h"
#include "bridge.h"

static cn_ragdoll ragdoll_of(const uint64_t *ids, float height, float mass)
{
    cn_ragdoll r = { .height = height, .mass = mass };
    for (int i = 0; i < CN_BONE_COUNT; i++) {
        r.bodies[i] = UNPACK(cn_body_id, ids[i]);
        r.joints[i] = UNPACK(cn_joint_id, ids[CN_BONE_COUNT + i]);
    }
    return r;
}
#define RAGDOLL_ARGUMENTS const uint64_t *ids, float height, float mass
#define RAGDOLL ragdoll_of(ids, height, mass)

static void put_pose(letter *l, const cn_ragdoll_pose *pose)
{
    for (int i = 0; i < CN_BONE_COUNT; i++)
        put4(l, pose->rotations[i]);
}

static cn_ragdoll_pose take_pose(letter *l)
{
    cn_ragdoll_pose pose;
    for (int i = 0; i < CN_BONE_COUNT; i++)
        pose.rotations[i] = take4(l);
    return pose;
}

void EXPORT(pose_defaults)(void)
{
    cn_ragdoll_pose rest = cn_ragdoll_pose_rest();
    put_pose(&(letter){ 0 }, &rest);
}

void EXPORT(ragdoll_defaults)(void)
{
    cn_ragdoll_def def = cn_ragdoll_def_default();
    cn_ragdoll_pose rest = cn_ragdoll_pose_rest();
    letter l = { 0 };
    put_place(&l, def.position), put4(&l, def.rotation), put3(&l, def.velocity);
    put(&l, (double)def.height), put(&l, (double)def.mass), put(&l, (double)def.joint_friction), put(&l, def.collide_self);
    put_material(&l, &def.material), put_filter(&l, &def.filter);
    put_pose(&l, &rest);
}

// Writes the ids of its bodies, then of its joints; height and mass go into the mail.
int EXPORT(ragdoll_create)(bridge *b, uint64_t *ids)
{
    cn_ragdoll_def def = cn_ragdoll_def_default();
    letter l = { 0 };
    def.position = take_place(&l), def.rotation = take4(&l), def.velocity = take3(&l);
    def.height = takef(&l), def.mass = takef(&l), def.joint_friction = takef(&l), def.collide_self = takeb(&l);
    def.material = take_material(&l), def.filter = take_filter(&l);
    cn_ragdoll_pose pose = take_pose(&l);
    def.pose = &pose;
    cn_ragdoll r;
    if (!cn_ragdoll_create(WORLD, &def, &r))
        return false;
    for (int i = 0; i < CN_BONE_COUNT; i++)
        ids[i] = PACK(r.bodies[i]), ids[CN_BONE_COUNT + i] = PACK(r.joints[i]);
    mail[0] = (double)r.height, mail[1] = (double)r.mass;
    return true;
}

int EXPORT(ragdoll_destroy)(bridge *b, RAGDOLL_ARGUMENTS)
{
    cn_ragdoll r = RAGDOLL;
    return cn_ragdoll_destroy(WORLD, &r);
}

void EXPORT(ragdoll_get_pose)(const bridge *b, RAGDOLL_ARGUMENTS)
{
    cn_ragdoll r = RAGDOLL;
    cn_ragdoll_pose pose = cn_ragdoll_get_pose(WORLD, &r);
    put_pose(&(letter){ 0 }, &pose);
}

int EXPORT(ragdoll_set_pose)(bridge *b, RAGDOLL_ARGUMENTS, float strength, float hertz)
{
    cn_ragdoll r = RAGDOLL;
    cn_ragdoll_pose pose = take_pose(&(letter){ 0 });
    return cn_ragdoll_set_pose(WORLD, &r, &pose, strength, hertz);
}

int EXPORT(ragdoll_relax)(bridge *b, RAGDOLL_ARGUMENTS)
{
    cn_ragdoll r = RAGDOLL;
    return cn_ragdoll_relax(WORLD, &r);
}

int EXPORT(ragdoll_set_kinematic)(bridge *b, RAGDOLL_ARGUMENTS, int bones)
{
    cn_ragdoll r = RAGDOLL;
    return cn_ragdoll_set_kinematic(WORLD, &r, (uint32_t)bones);
}

// The pose, then position and rotation.
int EXPORT(ragdoll_follow)(bridge *b, RAGDOLL_ARGUMENTS, float time)
{
    cn_ragdoll r = RAGDOLL;
    letter l = { 0 };
    cn_ragdoll_pose pose = take_pose(&l);
    cn_transform place;
    place.position = take_place(&l), place.rotation = take4(&l);
    return cn_ragdoll_follow(WORLD, &r, place, &pose, time);
}

float EXPORT(ragdoll_limit_error)(const bridge *b, RAGDOLL_ARGUMENTS)
{
    cn_ragdoll r = RAGDOLL;
    return cn_ragdoll_limit_error(WORLD, &r);
}
