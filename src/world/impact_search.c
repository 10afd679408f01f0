// What a fast body may meet on its way, and when it does.
#include "world/impacts.h"

// Bodies stop this part of the contact margin before they touch.
#define STOP_DISTANCE 0.5f

// Up to which fraction of its path an awake body moves, as far as that is known.
static float path_end(const cn_impact_job *job, const cn_body *body)
{
    int rank = body->awake < job->awake_count ? job->rank[body->awake] : CN_NONE;
    return rank != CN_NONE && job->behind ? job->fast[rank].fraction : 1.0f;
}

cn_path cn_impact_path(const cn_impact_job *job, int index)
{
    const cn_body *body = &job->world->bodies.data[index];
    cn_path p = { .center = body->center, .rotation = body->rotation, .end = 1.0f };
    if (body->awake == CN_NONE || body->awake >= job->awake_count) // asleep, or only just woken
        return p;
    const cn_motion *motion = &job->motions[body->awake];
    p.moved = motion->moved;
    p.turned = motion->turned;
    p.center = motion->start.center;
    p.rotation = motion->start.rotation;
    p.end = path_end(job, body);
    int rank = job->rank[body->awake];
    if (rank != CN_NONE) {
        p.turns = job->fast[rank].turns;
        p.turn_count = job->fast[rank].turn_count;
    }
    p.spin = p.turn_count > 0 ? job->fast[rank].spin : cn_length(p.turned);
    return p;
}

// Whether two balls touch while one moves past the other.
static bool balls_meet(cn_vec3 apart, cn_vec3 moved, float reach)
{
    float length_sq = cn_length_sq(moved), along = -cn_dot(apart, moved);
    float time = length_sq > 0.0f ? cn_clampf(along / length_sq, 0.0f, 1.0f) : 0.0f;
    return cn_length_sq(cn_madd(apart, time, moved)) <= reach * reach;
}

// Whether the shape can meet the other body at all: they move against each other by as much as makes it fast, and the balls
// around both touch on the way. The other stands still from where it was stopped.
static bool can_meet(const cn_impact_search *s, const cn_body *other, const cn_path *p)
{
    cn_vec3 moved = cn_sub(s->path.moved, p->moved);
    float turns = cn_length(s->path.turned) * s->shape->reach + cn_length(p->turned) * other->extent;
    // Another body that is pushed itself gives way; it only must not be passed through.
    float thickness = other->type == CN_DYNAMIC ? 2.0f * cn_minf(other->core, other->extent) : 0.0f;
    float least = CN_FAST_MOTION * cn_convex_inner_radius(&s->shape->convex) + thickness;
    if (p->end >= 1.0f && cn_length(moved) + turns <= least)
        return false;
    float reach = s->shape->reach + other->extent + s->shape->margin;
    cn_vec3 apart = cn_pos_sub(s->path.center, p->center);
    if (balls_meet(apart, cn_scale(p->end, moved), reach))
        return true;
    return p->end < 1.0f && balls_meet(cn_madd(apart, p->end, moved), cn_scale(1.0f - p->end, s->path.moved), reach);
}

void cn_impact_meet(cn_impact_search *s, const cn_shape *other)
{
    const cn_impact_job *job = s->job;
    const cn_body *owner = &job->world->bodies.data[other->body];
    // Limbs that fly past each other do not stop the whole.
    if (owner->type == CN_DYNAMIC && s->body->joint_count > 0)
        return;
    cn_path other_path = cn_impact_path(job, other->body);
    if (!cn_shapes_collide(job->world, s->shape, other) || !can_meet(s, owner, &other_path))
        return;
    cn_meeting m = { .world = job->world,
                     .shape = s->shape,
                     .core = cn_convex_inner_radius(&s->shape->convex),
                     .middle_only = s->touching && s->body->joint_count > 0,
                     .other_shape = other,
                     .path = s->path,
                     .other_path = other_path,
                     .target = STOP_DISTANCE * cn_minf(s->shape->margin, other->margin),
                     .limit = s->stop->fraction };
    cn_meet(&m);
    s->stop->fresh |= m.limit < s->stop->fraction;
    s->stop->fraction = m.limit;
}

cn_impact_search cn_impact_search_for(const cn_impact_job *job, cn_stop *place)
{
    int index = job->world->awake.data[place->body];
    cn_impact_search s = {
        .job = job, .body = &job->world->bodies.data[index], .path = cn_impact_path(job, index), .stop = place
    };
    s.path.end = 1.0f;
    return s;
}

typedef struct path_query {
    const cn_world *world;
    const cn_shape *mine;
    cn_pair_visit *visit;
    void *context;
} path_query;

static bool visit_on_path(void *context, int32_t index)
{
    path_query *q = context;
    if (!cn_pair_set_contains(q->world->pairs, (int)(q->mine - q->world->shapes.data), index))
        q->visit(q->context, q->mine, &q->world->shapes.data[index]);
    return true;
}

static void query_path(const cn_impact_search *s, path_query *q)
{
    const cn_motion *motion = &s->job->motions[s->stop->body];
    cn_box3 box = motion->path; // of its only shape
    if (s->body->shape_count > 1) {
        cn_box3 end = cn_shape_box(q->world, q->mine, q->mine->margin);
        box = cn_path_box(q->world, q->mine, motion, &end, q->mine->margin);
    }
    cn_tree_query(&q->world->static_tree, &box, visit_on_path, q);
    cn_tree_query(&q->world->moving_tree, &box, visit_on_path, q);
}

// Whether a contact says that the body goes nowhere dangerous: a pair without points that is farther apart than both move
// together, or two solids that hardly move against each other along the normal between them.
static bool is_safe(const cn_impact_search *s, const cn_contact *contact)
{
    const cn_world *world = s->job->world;
    const cn_body *bodies[2] = { &world->bodies.data[contact->body_a], &world->bodies.data[contact->body_b] };
    const cn_shape *shapes[2] = { &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b] };
    cn_vec3 moved[2] = { { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
    float turns[2] = { 0.0f, 0.0f }, bulge = 0.0f; // by how much turning moves a point, and the surface
    for (int i = 0; i < 2; i++) {
        if (bodies[i]->awake == CN_NONE)
            continue;
        const cn_motion *motion = &s->job->motions[bodies[i]->awake];
        moved[i] = cn_scale(path_end(s->job, bodies[i]), motion->moved); // what is stopped stands still from then on
        turns[i] = cn_length(motion->turned) * shapes[i]->reach;
        float uneven = bodies[i]->shape_count > 1 ? INFINITY : cn_maxf(bodies[i]->extent - bodies[i]->core, 0.0f);
        bulge += cn_minf(turns[i], uneven);
    }
    if (contact->awake == CN_NONE)
        return false;
    if (contact->touch_count == 0) {
        double totals = world->travels.data[bodies[0]->travel].total + world->travels.data[bodies[1]->travel].total;
        float motion = cn_length(moved[0]) + cn_length(moved[1]) + turns[0] + turns[1];
        return (double)motion < world->awake_contacts.data[contact->awake].limit - totals;
    }
    const float *n = contact->touch.patch.normal; // from a to b
    return !cn_is_composite(shapes[0]) && cn_dot(cn_sub(moved[0], moved[1]), cn_v3(n[0], n[1], n[2])) + bulge <=
                                              CN_DANGEROUS_DEPTH * cn_minf(cn_convex_inner_radius(&shapes[0]->convex),
                                                                           cn_convex_inner_radius(&shapes[1]->convex));
}

// Whether a shape of the body is of interest by its own motion. Contacts of one shape mostly come one after the other.
static bool is_looked_after(cn_impact_search *s, const cn_shape *shape)
{
    if (s->judged != shape) {
        s->judged = shape;
        s->looked_after =
            !cn_is_composite(shape) && (!s->fast_only || cn_is_fast_shape(s->body, shape, &s->job->motions[s->stop->body]));
    }
    return s->looked_after;
}

void cn_visit_impact_pairs(cn_impact_search *s, cn_pair_visit *visit, void *context)
{
    const cn_world *world = s->job->world;
    for (int key = s->body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int side = key & 1, shapes[2] = { contact->shape_a, contact->shape_b };
        key = contact->edges[side].next;
        const cn_shape *mine = &world->shapes.data[shapes[side]];
        s->touching = contact->touch_count > 0;
        if (is_looked_after(s, mine) && !is_safe(s, contact))
            visit(context, mine, &world->shapes.data[shapes[1 - side]]);
    }
    s->touching = false;
    if (!s->job->motions[s->stop->body].strayed)
        return;
    for (int k = s->body->first_shape; k != CN_NONE; k = world->shapes.data[k].next) {
        path_query query = { world, &world->shapes.data[k], visit, context };
        if (query.mine->sensor == CN_NONE && is_looked_after(s, query.mine))
            query_path(s, &query);
    }
}
