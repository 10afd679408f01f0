// From ids to objects. A slot keeps its generation when it is freed and counts up when it is used again, so that ids of what
// was there before are recognised. When there is no generation left, it is not used again.
#include "world/world.h"

// The live object in the slot of an id, or NULL.
#define PEEK(world, slots, id)                                                                                                 \
    ((world) != NULL && (id).world == (world)->tag && (id).index1 > 0 && (id).index1 <= (uint32_t)(world)->slots.count &&      \
             (world)->slots.data[(id).index1 - 1].used && (world)->slots.data[(id).index1 - 1].generation == (id).generation   \
         ? &(world)->slots.data[(id).index1 - 1]                                                                               \
         : NULL)

static cn_body *peek_body(const cn_world *world, cn_body_id id) { return PEEK(world, bodies, id); }

static cn_shape *peek_shape(const cn_world *world, cn_shape_id id) { return PEEK(world, shapes, id); }

static cn_joint *peek_joint(const cn_world *world, cn_joint_id id) { return PEEK(world, joints, id); }

static cn_shared_hull *peek_hull(const cn_world *world, cn_hull_id id)
{
    cn_shared_hull *hull = PEEK(world, hulls, id);
    return hull != NULL && !hull->destroyed ? hull : NULL;
}

// Says what is wrong with an id that leads to nothing.
static void explain(const cn_world *world, const char *function, const char *kind, uint32_t index1, uint16_t tag, int slots)
{
    if (world == NULL)
        cn_fail("%s: world is NULL", function);
    else if (index1 == 0)
        cn_fail("%s: %s is null", function, kind);
    else if (tag != world->tag)
        cn_fail("%s: %s %u belongs to another world", function, kind, index1);
    else if (index1 > (uint32_t)slots)
        cn_fail("%s: %s %u was never created", function, kind, index1);
    else
        cn_fail("%s: %s %u is stale: it was destroyed", function, kind, index1);
}

cn_body *cn_find_named_body(const cn_world *world, const char *function, const char *field, cn_body_id id)
{
    cn_body *body = peek_body(world, id);
    if (body == NULL)
        explain(world, function, field, id.index1, id.world, world ? world->bodies.count : 0);
    return body;
}

cn_body *cn_find_body(const cn_world *world, const char *function, cn_body_id id)
{
    return cn_find_named_body(world, function, "body", id);
}

cn_shape *cn_find_shape(const cn_world *world, const char *function, cn_shape_id id)
{
    cn_shape *shape = peek_shape(world, id);
    if (shape == NULL)
        explain(world, function, "shape", id.index1, id.world, world ? world->shapes.count : 0);
    return shape;
}

cn_shared_hull *cn_find_hull(const cn_world *world, const char *function, cn_hull_id id)
{
    cn_shared_hull *hull = peek_hull(world, id);
    if (hull == NULL)
        explain(world, function, "hull", id.index1, id.world, world ? world->hulls.count : 0);
    return hull;
}

cn_joint *cn_find_joint(const cn_world *world, const char *function, cn_joint_id id)
{
    cn_joint *joint = peek_joint(world, id);
    if (joint == NULL)
        explain(world, function, "joint", id.index1, id.world, world ? world->joints.count : 0);
    return joint;
}

bool cn_body_is_valid(const cn_world *world, cn_body_id body) { return peek_body(world, body) != NULL; }

bool cn_shape_is_valid(const cn_world *world, cn_shape_id shape) { return peek_shape(world, shape) != NULL; }

bool cn_hull_is_valid(const cn_world *world, cn_hull_id hull) { return peek_hull(world, hull) != NULL; }

bool cn_joint_is_valid(const cn_world *world, cn_joint_id joint) { return peek_joint(world, joint) != NULL; }

cn_body_id cn_body_id_of(const cn_world *world, int body)
{
    return (cn_body_id){ (uint32_t)body + 1, world->bodies.data[body].generation, world->tag };
}

cn_shape_id cn_shape_id_of(const cn_world *world, int shape)
{
    return (cn_shape_id){ (uint32_t)shape + 1, world->shapes.data[shape].generation, world->tag };
}

cn_hull_id cn_hull_id_of(const cn_world *world, int hull)
{
    return (cn_hull_id){ (uint32_t)hull + 1, world->hulls.data[hull].generation, world->tag };
}

cn_joint_id cn_joint_id_of(const cn_world *world, int joint)
{
    return (cn_joint_id){ (uint32_t)joint + 1, world->joints.data[joint].generation, world->tag };
}

bool cn_has_generations(uint16_t generation) { return generation < UINT16_MAX; }

bool cn_check_world(const cn_world *world, const char *function)
{
    return world != NULL || cn_fail("%s: world is NULL", function);
}

bool cn_check_askable(const cn_world *world, const char *function)
{
    return cn_check_world(world, function) &&
           (!world->stepping || cn_fail("%s: the world is in the middle of a step", function));
}

bool cn_check_writable(const cn_world *world, const char *function)
{
    return cn_check_askable(world, function) && (__atomic_load_n(&world->callbacks, __ATOMIC_RELAXED) == 0 ||
                                                 cn_fail("%s: the world is in the middle of a query", function));
}

cn_body *cn_find_writable_body(cn_world *world, const char *function, cn_body_id id)
{
    return cn_check_writable(world, function) ? cn_find_body(world, function, id) : NULL;
}

cn_shape *cn_find_writable_shape(cn_world *world, const char *function, cn_shape_id id)
{
    return cn_check_writable(world, function) ? cn_find_shape(world, function, id) : NULL;
}

cn_joint *cn_find_writable_joint(cn_world *world, const char *function, cn_joint_id id)
{
    return cn_check_writable(world, function) ? cn_find_joint(world, function, id) : NULL;
}
