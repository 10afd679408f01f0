// Bodies that hang together by joints stop together, each on its own path at the time when the first of them is stopped: one that
// stopped alone would be torn from the others.
#include "world/world.h"

// Mechanisms with more bodies than this are left alone: stopping all of them costs more than a gap that closes again.
enum { MOST_BODIES = 256 };

typedef struct spread {
    int *members; // indices into world->awake
    int count;
} spread;

// Adds what a body is joined to. Those that are in already are marked.
static void add_partners(const cn_world *world, spread *s, bool *seen, const cn_body *body)
{
    for (int key = body->first_joint; key != CN_NONE && s->count < MOST_BODIES;) {
        const cn_joint *joint = &world->joints.data[key >> 1];
        int partner = cn_joint_partner(joint, key & 1);
        key = joint->edges[key & 1].next;
        if (partner == CN_NONE)
            continue;
        const cn_body *other = &world->bodies.data[partner];
        if (other->type == CN_DYNAMIC && other->awake != CN_NONE && !seen[other->awake]) {
            seen[other->awake] = true;
            s->members[s->count++] = other->awake;
        }
    }
}

void cn_spread_stops_over_joints(cn_world *world, float *fractions)
{
    int count = world->awake.count;
    bool *seen = NULL;
    spread s = { 0 };
    for (int i = 0; i < count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        if (fractions[i] >= 1.0f || body->joint_count == 0 || body->type != CN_DYNAMIC || (seen != NULL && seen[i]))
            continue;
        if (seen == NULL) {
            seen = cn_arena_array(&world->arena, bool, count);
            s.members = cn_arena_array(&world->arena, int, MOST_BODIES);
            for (int k = 0; k < count; k++)
                seen[k] = false;
        }
        s.count = 0;
        seen[i] = true;
        s.members[s.count++] = i;
        for (int k = 0; k < s.count; k++)
            add_partners(world, &s, seen, &world->bodies.data[world->awake.data[s.members[k]]]);
        float first = 1.0f;
        for (int k = 0; k < s.count; k++)
            first = cn_minf(first, fractions[s.members[k]]);
        for (int k = 0; k < s.count && s.count < MOST_BODIES; k++)
            fractions[s.members[k]] = first;
    }
}
