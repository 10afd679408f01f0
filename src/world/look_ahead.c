// How far ahead pairs are looked at: as far as they can move against each other in a step, and as far as they may be thrown
// within it. What is hit by something fast, or hits something, leaves with a velocity that its other pairs do not know of when
// the step begins: a box that rises slowly over another comes down on it at once when a third one falls on it. So these pairs
// are looked at as far ahead as the fastest of a body's neighbours moves against it.
#include "world/pair_motion.h"
#include "world/world.h"

#include <string.h>

// Motion against a neighbour by less than so many of the body's inner radii is left to the margins.
#define THROWN_MOTION 1.0f
// Fast pairs are looked at further ahead, up to this many margins (the inner radius of the smaller shape).
#define LOOK_AHEAD 25.0f
// What is so many times as large as the other is like a surface to it.
#define MUCH_LARGER 4.0f
// Those of joined bodies up to this many times the extent of the smaller one.
#define JOINED_LOOK_AHEAD 8.0f

// ---- by the motion of the pair

// From the centre of mass of the body to the middle of a shape, in world axes.
static cn_vec3 shape_arm(const cn_body *body, const cn_shape *shape)
{
    if (shape->centered || cn_is_composite(shape))
        return cn_v3(0.0f, 0.0f, 0.0f);
    return cn_rotate(body->rotation, cn_pose_point(shape->pose, cn_convex_center(&shape->convex)));
}

// An upper bound on how fast any point of the smaller shape moves relative to the larger one where they are close: two bodies
// that turn together do not move against each other.
static float pair_speed(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, cn_vec3 between)
{
    bool a_is_larger = a->extent >= b->extent;
    const cn_shape *smaller = a_is_larger ? shape_b : shape_a;
    cn_vec3 spin = a_is_larger ? a->angular_velocity : b->angular_velocity; // of the larger; its surface is carried along by it
    cn_vec3 drift = cn_sub(cn_sub(b->linear_velocity, a->linear_velocity), cn_cross(spin, between));
    cn_vec3 turning = cn_sub(b->angular_velocity, a->angular_velocity), arm = shape_arm(a_is_larger ? b : a, smaller);
    return cn_length(cn_add(drift, cn_cross(turning, arm))) + cn_length(turning) * smaller->size;
}

// Only towards surfaces and walls that are much larger, whose normal stays the same when another part of the shape comes down
// on them.
static bool can_whip(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b)
{
    float smaller = cn_minf(shape_a->size, shape_b->size), larger = cn_maxf(shape_a->size, shape_b->size);
    bool loose = a->type == CN_DYNAMIC && b->type == CN_DYNAMIC;
    return cn_is_composite(shape_a) || (!loose && larger >= MUCH_LARGER * smaller);
}

// How far ahead a pair is looked at that can move by `motion` in this step.
static float look_ahead(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, float margin,
                        float motion, bool whips)
{
    float compact = LOOK_AHEAD * margin;
    if (a->joint_count + b->joint_count > 0) // stopping one of them on its way would tear it from the others
        return cn_minf(motion, cn_maxf(compact, JOINED_LOOK_AHEAD * cn_minf(a->extent, b->extent)));
    if (!whips)
        return cn_minf(motion, compact);
    float longest = cn_maxf(cn_minf(shape_a->size, shape_b->size) - compact, 0.0f);
    return cn_minf(motion, compact) + cn_clampf(CN_WHIP * motion - compact, 0.0f, longest);
}

cn_pair_outlook cn_look_ahead(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b,
                              cn_vec3 between, const float *thrown, float dt)
{
    float margin = cn_minf(shape_a->margin, shape_b->margin), motion = dt * pair_speed(a, b, shape_a, shape_b, between);
    float by_others = thrown == NULL ? 0.0f : cn_maxf(thrown[a->travel], thrown[b->travel]);
    bool whips = can_whip(a, b, shape_a, shape_b);
    float ahead = look_ahead(a, b, shape_a, shape_b, margin, motion, whips);
    float least = margin + cn_minf(by_others, LOOK_AHEAD * margin);
    return (cn_pair_outlook){ motion, cn_maxf(margin + ahead, least), least, whips };
}

// ---- by what others do to it

static float stir_of(const cn_body *body, float dt)
{
    return dt * (cn_length(body->linear_velocity) + cn_length(body->angular_velocity) * body->extent);
}

static void raise(float *thrown, const cn_body *body, float motion)
{
    if (body->type == CN_DYNAMIC && motion > THROWN_MOTION * body->core)
        thrown[body->travel] = cn_maxf(thrown[body->travel], motion);
}

static void look_at_neighbours(const cn_world *world, int index, float dt, float *thrown)
{
    const cn_body *body = &world->bodies.data[index];
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        const cn_body *other = &world->bodies.data[(key & 1) != 0 ? contact->body_a : contact->body_b];
        cn_vec3 drift = cn_sub(body->linear_velocity, other->linear_velocity);
        float turning = cn_length(body->angular_velocity) * body->extent + cn_length(other->angular_velocity) * other->extent;
        float motion = dt * (cn_length(drift) + turning);
        raise(thrown, body, motion);
        raise(thrown, other, motion);
        key = contact->edges[key & 1].next;
    }
}

float *cn_find_thrown(cn_world *world, float dt)
{
    float *thrown = NULL;
    for (int i = 0; i < world->awake.count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        if (body->first_contact == CN_NONE || !(stir_of(body, dt) > THROWN_MOTION * body->core))
            continue;
        if (thrown == NULL) {
            thrown = cn_arena_array(&world->arena, float, world->travels.count);
            memset(thrown, 0, sizeof *thrown * (size_t)world->travels.count);
        }
        look_at_neighbours(world, world->awake.data[i], dt, thrown);
    }
    return thrown;
}
