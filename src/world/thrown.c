// How far bodies may be thrown within a step. What is hit by something fast, or hits something, leaves with a velocity that its
// other pairs do not know of when the step begins: a box that rises slowly over another comes down on it at once when a third
// one falls on it. So these pairs are looked at as far ahead as the fastest of a body's neighbours moves against it.
#include "world/world.h"

#include <string.h>

// Motion against a neighbour by less than so many of the body's inner radii is left to the margins.
#define THROWN_MOTION 1.0f

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
