// A world with boxes and joints between them.
#ifndef JOINT_FIXTURE_H
#define JOINT_FIXTURE_H

#include "scene.h"
#include "world/world.h"

#include <string.h>

static cn_world *world;

static inline int setup(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    world = cn_world_create(&def);
    return world == NULL;
}

static inline int teardown(void **state)
{
    (void)state;
    cn_world_destroy(world);
    return 0;
}

static inline cn_body_id add_box(cn_body_type type, double x)
{
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f);
    return add_upright(world, type, cn_p3(x, 0.0, 0.0), &shape);
}

// All six degrees of freedom locked where the bodies are.
static inline cn_joint_def weld(cn_body_id a, cn_body_id b)
{
    cn_joint_def def = cn_joint_def_default();
    def.body_a = a;
    def.body_b = b;
    const cn_transform origin = { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY };
    cn_transform pose_a = CN_IS_NULL(a) ? origin : cn_body_get_transform(world, a);
    cn_transform pose_b = CN_IS_NULL(b) ? origin : cn_body_get_transform(world, b);
    cn_vec3 between = cn_unrotate(pose_a.rotation, cn_pos_sub(pose_b.position, pose_a.position));
    def.frame_a.position = cn_p3((double)between.x, (double)between.y, (double)between.z);
    def.frame_a.rotation = cn_quat_mul(cn_quat_conj(pose_a.rotation), pose_b.rotation);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        def.axes[i].freedom = CN_LOCKED;
    return def;
}

static inline cn_joint_id create(const cn_joint_def *def)
{
    cn_joint_id joint = cn_joint_create(world, def);
    if (CN_IS_NULL(joint))
        fail_msg("%s", cn_last_error());
    return joint;
}

static inline cn_joint_id tie(cn_body_id a, cn_body_id b)
{
    cn_joint_def def = weld(a, b);
    return create(&def);
}

static inline void expect_error(const char *function, const char *words)
{
    const char *error = cn_last_error();
    size_t length = strlen(function);
    if (strncmp(error, function, length) != 0 || error[length] != ':' || strstr(error, words) == NULL)
        fail_msg("\"%s\" is not from %s about \"%s\"", error, function, words);
}

#endif
