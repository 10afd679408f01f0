// What can be measured of a world: energy, momentum, overlap, and a hash of its state.
#include "world/check.h"
#include "world/world.h"

#include <string.h>

// The angular momentum of a body about its centre of mass, R I R' w, in double.
static void spin_momentum(const cn_body *body, double out[3])
{
    cn_mat3 m = cn_mat3_from_quat(body->rotation);
    const double r[3][3] = { { (double)m.x.x, (double)m.y.x, (double)m.z.x },
                             { (double)m.x.y, (double)m.y.y, (double)m.z.y },
                             { (double)m.x.z, (double)m.y.z, (double)m.z.z } };
    cn_sym3 s = body->inertia;
    const double inertia[3][3] = { { (double)s.xx, (double)s.xy, (double)s.xz },
                                   { (double)s.xy, (double)s.yy, (double)s.yz },
                                   { (double)s.xz, (double)s.yz, (double)s.zz } };
    const double w[3] = { (double)body->angular_velocity.x, (double)body->angular_velocity.y,
                          (double)body->angular_velocity.z };
    double local[3], turned[3];
    for (int i = 0; i < 3; i++)
        local[i] = r[0][i] * w[0] + r[1][i] * w[1] + r[2][i] * w[2];
    for (int i = 0; i < 3; i++)
        turned[i] = inertia[i][0] * local[0] + inertia[i][1] * local[1] + inertia[i][2] * local[2];
    for (int i = 0; i < 3; i++)
        out[i] = r[i][0] * turned[0] + r[i][1] * turned[1] + r[i][2] * turned[2];
}

static void add_energy(cn_energy *energy, const cn_body *body, cn_vec3 gravity)
{
    double m = (double)body->mass, pull = m * (double)body->gravity_scale;
    const double x[3] = { body->center.x, body->center.y, body->center.z };
    const double v[3] = { (double)body->linear_velocity.x, (double)body->linear_velocity.y, (double)body->linear_velocity.z };
    const double w[3] = { (double)body->angular_velocity.x, (double)body->angular_velocity.y,
                          (double)body->angular_velocity.z };
    const double g[3] = { (double)gravity.x, (double)gravity.y, (double)gravity.z };
    double spin[3];
    spin_momentum(body, spin);
    energy->mass += m;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        energy->kinetic += 0.5 * (m * v[i] * v[i] + w[i] * spin[i]);
        energy->potential -= pull * g[i] * x[i];
        energy->linear_momentum[i] += m * v[i];
        energy->angular_momentum[i] += spin[i] + m * (x[j] * v[k] - x[k] * v[j]);
    }
}

cn_energy cn_world_get_energy(const cn_world *world)
{
    cn_energy energy = { 0 };
    if (!cn_check_world(world, __func__))
        return energy;
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i].used && world->bodies.data[i].type == CN_DYNAMIC)
            add_energy(&energy, &world->bodies.data[i], world->def.gravity);
    return energy;
}

double cn_world_get_max_penetration(const cn_world *world)
{
    float least = 0.0f;
    if (!cn_check_world(world, __func__))
        return 0.0;
    for (int i = 0; i < world->contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[i];
        if (!contact->used || !contact->touching)
            continue;
        for (int t = 0; t < contact->touch_count; t++) {
            const cn_touch *touch = cn_contact_touch(contact, t);
            cn_vec3 normal = cn_touch_normal(world, contact, touch);
            for (int k = 0; k < touch->patch.point_count; k++)
                least = cn_minf(least, cn_touch_point_now(world, contact, touch, normal, k).separation);
        }
    }
    return 0.0 - (double)least;
}

int cn_world_get_color_histogram(const cn_world *world, int *counts, int capacity)
{
    if (!cn_check_world(world, __func__) || !cn_check_buffer(__func__, "counts", counts, capacity))
        return 0;
    for (int i = 0; i < world->color_histogram.count && i < capacity; i++)
        counts[i] = world->color_histogram.data[i];
    return world->color_histogram.count;
}

// FNV-1a over 64-bit words, with the high half folded in after each: all bits of a word reach all bits of the hash.
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static uint64_t mix_floats(uint64_t hash, float a, float b)
{
    uint32_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return mix(hash, bits[0] | (uint64_t)bits[1] << 32);
}

static uint64_t mix_double(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof value);
    return mix(hash, bits);
}

uint64_t cn_world_hash(const cn_world *world)
{
    uint64_t hash = 0xcbf29ce484222325u;
    if (!cn_check_world(world, __func__))
        return 0;
    for (int i = 0; i < world->bodies.count; i++) {
        const cn_body *b = &world->bodies.data[i];
        if (!b->used)
            continue;
        hash = mix_double(mix_double(mix_double(hash, b->center.x), b->center.y), b->center.z);
        hash = mix_floats(mix_floats(hash, b->rotation.x, b->rotation.y), b->rotation.z, b->rotation.w);
        hash = mix_floats(hash, b->linear_velocity.x, b->linear_velocity.y);
        hash = mix_floats(hash, b->linear_velocity.z, b->angular_velocity.x);
        hash = mix_floats(hash, b->angular_velocity.y, b->angular_velocity.z);
    }
    return hash;
}
