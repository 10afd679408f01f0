// How far ahead pairs are looked at: as far as they can move against each other in a step, and as far as they may be thrown
// within it. What is hit by something fast, or hits something, leaves with a velocity that its other pairs do not know of when
// the step begins: a box that rises slowly over another comes down on it at once when a third one falls on it. So these pairs
// are looked at as far ahead as the fastest of a body's neighbours moves against it.
#include "world/pair_motion.h"
#include "world/world.h"

#include <string.h>

// Motion against a neighbour by more than so many of the body's inner radii may throw it, whether it meets that neighbour or not.
#define THROWN_MOTION 1.0f
// And blows by more than so many do, for what is near the ground or a wall: what cannot give way throws the hardest. What is less is left to
// the margins.
#define THROWN_BLOW 0.33f
// What is so many times as large as the other is like a surface to it.
#define MUCH_LARGER 4.0f
// Two loose bodies are looked at as far ahead as they move, up to so many inner radii of the smaller shape. What closes faster
// than one of these in a step would otherwise meet nothing before it is that deep in the other.
#define LOOSE_LOOK_AHEAD 3.0f
// Those of joined bodies up to this many times the extent of the smaller one.
#define JOINED_LOOK_AHEAD 8.0f

// ---- by the motion of the pair

// Only towards surfaces and walls that are much larger, whose normal stays the same when another part of the shape comes down
// on them.
bool cn_pair_whips(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b)
{
    float smaller = cn_minf(shape_a->size, shape_b->size), larger = cn_maxf(shape_a->size, shape_b->size);
    bool loose = a->type == CN_DYNAMIC && b->type == CN_DYNAMIC;
    return cn_is_composite(shape_a) || (!loose && larger >= MUCH_LARGER * smaller);
}

// How far ahead a pair is looked at that can move by `motion` in this step.
static float look_ahead(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, float margin,
                        float motion, bool whips)
{
    float compact = CN_LOOK_AHEAD * margin;
    if (a->joint_count + b->joint_count > 0) // stopping one of them on its way would tear it from the others
        return cn_minf(motion, cn_maxf(compact, JOINED_LOOK_AHEAD * cn_minf(a->extent, b->extent)));
    if (!whips)
        return cn_minf(motion, LOOSE_LOOK_AHEAD * compact);
    float longest = cn_maxf(cn_minf(shape_a->size, shape_b->size) - compact, 0.0f);
    return cn_minf(motion, compact) + cn_clampf(CN_WHIP * motion - compact, 0.0f, longest);
}

float cn_look_ahead(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, float margin,
                    float motion, const float *thrown)
{
    float by_others = thrown == NULL ? 0.0f : cn_maxf(thrown[a->travel], thrown[b->travel]);
    float ahead = look_ahead(a, b, shape_a, shape_b, margin, motion, cn_pair_whips(a, b, shape_a, shape_b));
    return margin + cn_maxf(ahead, cn_minf(by_others, CN_LOOK_AHEAD * margin));
}

// ---- by what others do to it

static float stir_of(const cn_body *body, float dt)
{
    return dt * (cn_length(body->linear_velocity) + cn_length(body->angular_velocity) * body->extent);
}

static void raise(float *thrown, const cn_body *body, float motion, float part)
{
    if (body->type == CN_DYNAMIC && motion > part * body->core)
        thrown[body->travel] = cn_maxf(thrown[body->travel], motion);
}

// Neighbours that the body leaves or passes by, or does not reach in this step, throw nobody: but for what is very fast, that is found out.
static void look_at_neighbours(const cn_world *world, const cn_body *body, bool very_fast, float dt, float *thrown)
{
    for (int key = body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        const cn_body *other = &world->bodies.data[(key & 1) != 0 ? contact->body_a : contact->body_b];
        key = contact->edges[key & 1].next;
        cn_vec3 drift = cn_sub(body->linear_velocity, other->linear_velocity);
        float turning = cn_length(body->angular_velocity) * body->extent + cn_length(other->angular_velocity) * other->extent;
        float motion = dt * (cn_length(drift) + turning), part = THROWN_MOTION;
        if (!very_fast) {
            part = THROWN_BLOW;
            motion = motion > part * body->core ? cn_blow_between(world, contact, dt) : 0.0f;
        }
        raise(thrown, body, motion, part);
        raise(thrown, other, motion, part);
    }
}

float *cn_find_thrown(cn_world *world, float dt)
{
    float *thrown = NULL;
    for (int i = 0; i < world->awake.count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        float stir = body->first_contact == CN_NONE ? 0.0f : stir_of(body, dt);
        bool very_fast = stir > THROWN_MOTION * body->core;
        if (!very_fast && (body->static_count == 0 || !(stir > THROWN_BLOW * body->core)))
            continue;
        if (thrown == NULL) {
            thrown = cn_arena_array(&world->arena, float, world->travels.count);
            memset(thrown, 0, sizeof *thrown * (size_t)world->travels.count);
        }
        look_at_neighbours(world, body, very_fast, dt, thrown);
    }
    return thrown;
}
