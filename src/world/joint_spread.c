// Bodies that hang together by joints stop together, at the time when the first of them is stopped: one that stopped alone would be torn
// from the others. Their places at that time are found joint by joint. Each on a path of its own, straight and turning steadily, they
// would be off the arcs on which their joints hold them, and apart.
#include "world/joint_view.h"

#include <string.h>

// Mechanisms with more bodies than this are left alone: stopping all of them costs more than a gap that closes again.
enum { MOST_BODIES = 256 };

// Below this part of a step nobody has moved by much.
#define LEAST_FRACTION 1e-3f

typedef enum mark { OUTSIDE, MEMBER, PLACED } mark;

typedef struct spread {
    const cn_world *world;
    cn_motion *motions; // per awake body
    uint8_t *marks;     // the same
    int *members;       // indices into world->awake
    int *queue;         // those that have their places
    int count;
    float fraction; // of the step, when they stop
} spread;

// ---- who stops

static bool is_pushed_partner(const cn_world *world, int partner)
{
    return partner != CN_NONE && world->bodies.data[partner].type == CN_DYNAMIC && world->bodies.data[partner].awake != CN_NONE;
}

static void add_partners(spread *s, const cn_body *body)
{
    for (int key = body->first_joint; key != CN_NONE && s->count < MOST_BODIES;) {
        const cn_joint *joint = &s->world->joints.data[key >> 1];
        int partner = cn_joint_partner(joint, key & 1);
        key = joint->edges[key & 1].next;
        if (!is_pushed_partner(s->world, partner))
            continue;
        int awake = s->world->bodies.data[partner].awake;
        if (s->marks[awake] == OUTSIDE) {
            s->marks[awake] = MEMBER;
            s->members[s->count++] = awake;
        }
    }
}

static const cn_body *member_body(const spread *s, int awake) { return &s->world->bodies.data[s->world->awake.data[awake]]; }

// ---- where

static cn_place place_on_path(const cn_motion *motion, float fraction)
{
    return (cn_place){ cn_pos_add(motion->start.center, cn_scale(fraction, motion->moved)),
                       cn_quat_mul(cn_quat_exp(cn_scale(fraction, motion->turned)), motion->start.rotation) };
}

// The frame of a joint on a body that is elsewhere.
static cn_joint_side side_at(const spread *s, const cn_joint *joint, int side, const cn_place *place)
{
    int index = side == 0 ? joint->body_a : joint->body_b;
    cn_joint_side now = cn_joint_get_side(s->world, joint, side);
    if (index == CN_NONE)
        return now;
    cn_quat turn = cn_quat_mul(place->rotation, cn_quat_conj(s->world->bodies.data[index].rotation));
    return (cn_joint_side){ place->center, cn_rotate(turn, now.arm), cn_quat_mul(turn, now.rotation), now.moves };
}

// Start, end, and the time of the stop.
typedef struct three_places {
    cn_place at[3];
    cn_vec3 turned;
} three_places;

static three_places places_of(const spread *s, int body)
{
    three_places p = { .turned = { 0.0f, 0.0f, 0.0f } };
    if (body == CN_NONE)
        return p;
    const cn_body *b = &s->world->bodies.data[body];
    for (int i = 0; i < 3; i++)
        p.at[i] = (cn_place){ b->center, b->rotation };
    if (!is_pushed_partner(s->world, body))
        return p;
    const cn_motion *motion = &s->motions[b->awake];
    p.at[0] = motion->start;
    p.at[2] = place_on_path(motion, s->fraction);
    p.turned = motion->turned;
    return p;
}

// Puts a body where the joint with `by`, which has its place, has it: gap and turn in the frame of that one are between those at the start
// and at the end.
static void place_by_joint(spread *s, const cn_joint *joint, int side_by, int awake)
{
    int by = side_by == 0 ? joint->body_a : joint->body_b, own = cn_joint_partner(joint, side_by);
    three_places a = places_of(s, by), b = places_of(s, own);
    cn_vec3 gap[2], past = cn_sub(b.turned, a.turned), turned = { 0.0f, 0.0f, 0.0f };
    cn_quat turn[2];
    for (int i = 0; i < 2; i++) {
        cn_joint_side x = side_at(s, joint, side_by, &a.at[i]), y = side_at(s, joint, 1 - side_by, &b.at[i]);
        gap[i] = cn_unrotate(x.rotation, cn_add(cn_pos_sub(y.base, x.base), cn_sub(y.arm, x.arm)));
        turn[i] = cn_quat_mul(cn_quat_conj(x.rotation), y.rotation);
        turned = cn_madd(turned, 0.5f, cn_unrotate(y.rotation, past));
    }
    cn_motion *motion = &s->motions[awake];
    cn_place *place = &b.at[2];
    cn_joint_side x = side_at(s, joint, side_by, &a.at[2]), y = side_at(s, joint, 1 - side_by, place);
    cn_vec3 way = cn_quat_log_near(cn_quat_mul(cn_quat_conj(turn[0]), turn[1]), turned);
    cn_quat then = cn_quat_mul(x.rotation, cn_quat_mul(turn[0], cn_quat_exp(cn_scale(s->fraction, way))));
    place->rotation = cn_quat_normalize(cn_quat_mul(cn_quat_mul(then, cn_quat_conj(y.rotation)), place->rotation));
    y = side_at(s, joint, 1 - side_by, place);
    cn_vec3 open = cn_rotate(x.rotation, cn_madd(gap[0], s->fraction, cn_sub(gap[1], gap[0])));
    place->center = cn_pos_add(cn_side_origin(&x), cn_sub(open, y.arm));
    motion->moved = cn_scale(1.0f / s->fraction, cn_pos_sub(place->center, motion->start.center));
    motion->turned = cn_scale(1.0f / s->fraction, cn_quat_log(cn_quat_mul(place->rotation, cn_quat_conj(motion->start.rotation))));
}

// Places those that are joined to a body that has its place.
static void place_partners(spread *s, int awake, int *placed)
{
    for (int key = member_body(s, awake)->first_joint; key != CN_NONE;) {
        const cn_joint *joint = &s->world->joints.data[key >> 1];
        int side = key & 1, partner = cn_joint_partner(joint, side);
        key = joint->edges[side].next;
        if (joint->def.kind != CN_JOINT_FRAMES || !is_pushed_partner(s->world, partner))
            continue;
        int other = s->world->bodies.data[partner].awake;
        if (s->marks[other] != MEMBER)
            continue;
        place_by_joint(s, joint, side, other);
        s->marks[other] = PLACED;
        s->queue[(*placed)++] = other;
    }
}

// True when a joint ties the body to the world or a static body.
static bool place_on_anchor(spread *s, int awake)
{
    const cn_body *body = member_body(s, awake);
    for (int key = body->first_joint; key != CN_NONE;) {
        const cn_joint *joint = &s->world->joints.data[key >> 1];
        int side = key & 1, partner = cn_joint_partner(joint, side);
        key = joint->edges[side].next;
        if (joint->def.kind == CN_JOINT_FRAMES && (partner == CN_NONE || s->world->bodies.data[partner].type == CN_STATIC)) {
            place_by_joint(s, joint, 1 - side, awake);
            return true;
        }
    }
    return false;
}

// Anchored bodies first, else the one that met something; what no frames tie to the others keeps to its path.
static void place_members(spread *s, int first)
{
    int placed = 0;
    for (int i = 0; i < s->count; i++)
        if (place_on_anchor(s, s->members[i])) {
            s->marks[s->members[i]] = PLACED;
            s->queue[placed++] = s->members[i];
        }
    for (int i = -1, done = 0; i < s->count; i++) {
        int seed = i < 0 ? first : s->members[i];
        if (s->marks[seed] == MEMBER && (i >= 0 || placed == 0)) {
            s->marks[seed] = PLACED;
            s->queue[placed++] = seed;
        }
        while (done < placed)
            place_partners(s, s->queue[done++], &placed);
    }
}

void cn_spread_stops_over_joints(cn_world *world, cn_motion *motions, float *fractions)
{
    int count = world->awake.count;
    spread s = { .world = world, .motions = motions };
    for (int i = 0; i < count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[i]];
        if (fractions[i] >= 1.0f || body->joint_count == 0 || body->type != CN_DYNAMIC || (s.marks != NULL && s.marks[i] != OUTSIDE))
            continue;
        if (s.marks == NULL) {
            s.marks = cn_arena_array(&world->arena, uint8_t, count);
            s.members = cn_arena_array(&world->arena, int, MOST_BODIES);
            s.queue = cn_arena_array(&world->arena, int, MOST_BODIES);
            memset(s.marks, OUTSIDE, sizeof *s.marks * (size_t)count);
        }
        s.count = 0;
        s.marks[i] = MEMBER;
        s.members[s.count++] = i;
        for (int k = 0; k < s.count; k++)
            add_partners(&s, member_body(&s, s.members[k]));
        int first = i;
        for (int k = 0; k < s.count; k++)
            first = fractions[s.members[k]] < fractions[first] ? s.members[k] : first;
        if (s.count == MOST_BODIES)
            continue;
        s.fraction = fractions[first];
        if (s.fraction > LEAST_FRACTION)
            place_members(&s, first);
        for (int k = 0; k < s.count; k++)
            fractions[s.members[k]] = s.fraction;
    }
}
