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
        p.round = job->fast[rank].round;
    }
    p.spin = p.turn_count > 0 ? job->fast[rank].spin : cn_length(p.turned);
    return p;
}

// A shape that is thinner than what its points are rounded by meets anything near it all the time, and would never move again.
#define LEAST_THICKNESS 2.5e-7f // of its reach

// Whether the shape moves against the other body by as much as makes it fast. The other stands still from where it was stopped.
static bool moves_fast(const cn_shape *shape, const cn_path *path, const cn_body *other, const cn_path *other_path)
{
    if (cn_convex_inner_radius(&shape->convex) < LEAST_THICKNESS * shape->reach)
        return false;
    cn_vec3 moved = cn_sub(path->moved, other_path->moved);
    float turns = cn_length(path->turned) * shape->reach + cn_length(other_path->turned) * other->extent;
    // Another body that is pushed itself gives way; it only must not be passed through.
    float thickness = other->type == CN_DYNAMIC ? 2.0f * cn_minf(other->core, other->extent) : 0.0f;
    return other_path->end < 1.0f ||
           cn_length(moved) + turns > CN_FAST_MOTION * cn_convex_inner_radius(&shape->convex) + thickness;
}

// Limbs that fly past each other do not stop the whole.
static bool stops_for(const cn_body *body, const cn_body *other) { return other->type != CN_DYNAMIC || body->joint_count == 0; }

bool cn_impact_stop(const cn_impact_job *job, cn_stop *stop, const cn_body *other, float fraction)
{
    const cn_world *world = job->world;
    if (!(fraction < stop->fraction))
        return false;
    if (other->type == CN_DYNAMIC && world->bodies.data[world->awake.data[stop->body]].held > CN_MOST_HELD) {
        stop->let_go = true;
        return false;
    }
    stop->fraction = fraction;
    stop->fresh = true;
    stop->out = cn_v3(0.0f, 0.0f, 0.0f);
    return true;
}

static cn_meeting make_meeting(const cn_impact_search *s, const cn_shape *shape, const cn_path *path, const cn_shape *other,
                               const cn_path *other_path)
{
    return (cn_meeting){ .world = s->job->world,
                         .shape = shape,
                         .core = cn_convex_inner_radius(&shape->convex),
                         .other_shape = other,
                         .path = *path,
                         .other_path = *other_path,
                         .seen = s->seen,
                         .target = STOP_DISTANCE * cn_minf(shape->margin, other->margin),
                         .limit = 1.0f,
                         .other_limit = 1.0f };
}

void cn_impact_meet(cn_impact_search *s, const cn_shape *other)
{
    const cn_impact_job *job = s->job;
    const cn_body *owner = &job->world->bodies.data[other->body];
    cn_path path = cn_impact_path(job, other->body);
    bool mine = s->mine && stops_for(s->body, owner) && moves_fast(s->shape, &s->path, owner, &path);
    bool its = s->its && stops_for(owner, s->body) && moves_fast(other, &path, s->body, &s->path);
    if ((!mine && !its) || !cn_shapes_collide(job->world, s->shape, other))
        return;
    cn_meeting m = mine ? make_meeting(s, s->shape, &s->path, other, &path) : make_meeting(s, other, &path, s->shape, &s->path);
    if (mine) {
        m.limit = s->stop->fraction;
        m.middle_only = s->touching && s->body->joint_count > 0;
        m.mutual = its;
        m.other_core = its ? cn_convex_inner_radius(&other->convex) : 0.0f;
    }
    cn_meet(&m);
    float its_fraction = mine ? m.other_limit : m.limit;
    if (mine && cn_impact_stop(job, s->stop, owner, m.limit)) {
        // What is pushed itself gives way, and what is joined is not torn from the others.
        if (owner->type != CN_DYNAMIC && s->body->joint_count == 0)
            s->stop->out = m.out;
    }
    if (its_fraction < 1.0f)
        s->stop->hits[s->stop->hit_count++] = (cn_return_hit){ job->rank[owner->awake], its_fraction };
}

void cn_impact_return_hits(cn_impact_job *job)
{
    for (int i = 0; i < job->fast_count; i++) {
        const cn_body *body = &job->world->bodies.data[job->world->awake.data[job->fast[i].body]];
        for (int k = 0; k < job->fast[i].hit_count; k++)
            cn_impact_stop(job, &job->fast[job->fast[i].hits[k].rank], body, job->fast[i].hits[k].fraction);
    }
}

cn_impact_search cn_impact_search_for(const cn_impact_job *job, cn_stop *place)
{
    int index = job->world->awake.data[place->body];
    cn_impact_search s = {
        .job = job, .body = &job->world->bodies.data[index], .path = cn_impact_path(job, index), .stop = place, .mine = true
    };
    s.path.end = 1.0f;
    return s;
}

static cn_box3 exact_path_box(const cn_impact_search *s, const cn_shape *mine)
{
    const cn_motion *motion = &s->job->motions[s->stop->body];
    if (s->body->shape_count == 1)
        return motion->path;
    cn_box3 end = cn_shape_box(s->job->world, mine, mine->margin);
    return cn_path_box(s->job->world, mine, motion, &end, mine->margin);
}

// What lies in the box around the path of a shape and has no contact with it.
static void query_path(const cn_impact_search *s, const cn_shape *mine, cn_pair_visit *visit, void *context)
{
    const cn_world *world = s->job->world;
    cn_box3 box = exact_path_box(s, mine);
    const cn_tree *trees[2] = { &world->static_tree, &world->moving_tree };
    for (int t = 0; t < 2; t++) {
        int32_t few[128], *others = few;
        int capacity = (int)(sizeof few / sizeof *few), count = cn_tree_query_all(trees[t], &box, few, capacity);
        if (count > capacity) {
            others = cn_allocate(&world->allocator, sizeof(int32_t) * (size_t)count, 64);
            cn_tree_query_all(trees[t], &box, others, count);
        }
        for (int i = 0; i < count; i++)
            if (!cn_pair_set_contains(world->pairs, (int)(mine - world->shapes.data), others[i]))
                visit(context, mine, &world->shapes.data[others[i]]);
        if (others != few)
            cn_release(&world->allocator, others, sizeof(int32_t) * (size_t)count);
    }
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

// Whether a shape of a fast body is of interest by its own motion.
static bool is_fast_solid(const cn_impact_job *job, const cn_body *body, const cn_shape *shape)
{
    return !cn_is_composite(shape) && cn_is_fast_shape(body, shape, &job->motions[body->awake]);
}

// The same for one of this body, where only those count. Contacts of one shape mostly come one after the other.
static bool is_looked_after(cn_impact_search *s, const cn_shape *shape)
{
    if (s->judged != shape) {
        s->judged = shape;
        s->looked_after = s->fast_only ? is_fast_solid(s->job, s->body, shape) : !cn_is_composite(shape);
    }
    return s->looked_after;
}

// ---- bodies of several shapes: the trees are asked once for all of them

enum { MOST_NEAR = 32 };

// What may be on the way of any of the shapes.
typedef struct near_list {
    const cn_world *world;
    const cn_tree *tree; // that is being asked
    int body;            // whose shapes are left out
    int count;
    bool full; // there is more
    int32_t shapes[MOST_NEAR];
    cn_box3 boxes[MOST_NEAR]; // as the trees have them
} near_list;

static bool note_near(void *context, int32_t shape)
{
    near_list *list = context;
    const cn_shape *other = &list->world->shapes.data[shape];
    if (other->body == list->body)
        return true;
    list->full = list->count == MOST_NEAR;
    if (!list->full) {
        list->boxes[list->count] = cn_tree_box(list->tree, other->proxy);
        list->shapes[list->count++] = shape;
    }
    return !list->full;
}

// A box around the way of a shape that is quickly made: it has the way of the ball around the middle of the shape in it.
static cn_box3 rough_path_box(const cn_impact_search *s, const cn_shape *shape)
{
    const cn_motion *motion = &s->job->motions[s->stop->body];
    float bulge = cn_path_bulge(shape, motion);
    if (!(bulge < INFINITY))
        return cn_ball_path_box(s->job->world, motion->start.center, motion->moved, 1.000001f * shape->reach + shape->margin);
    cn_vec3 middle = cn_pose_point(shape->pose, cn_convex_center(&shape->convex));
    cn_pos3 from = cn_pos_add(motion->start.center, cn_rotate(motion->start.rotation, middle));
    cn_pos3 to = cn_pos_add(s->body->center, cn_rotate(s->body->rotation, middle));
    return cn_ball_path_box(s->job->world, from, cn_pos_sub(to, from), 1.00001f * shape->size + bulge + shape->margin);
}

// False when there is too much to list.
static bool list_near(const cn_impact_search *s, near_list *list)
{
    const cn_world *world = s->job->world;
    cn_box3 all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int k = s->body->first_shape; k != CN_NONE; k = world->shapes.data[k].next) {
        const cn_shape *mine = &world->shapes.data[k];
        if (mine->sensor != CN_NONE || cn_is_composite(mine))
            continue;
        cn_box3 box = rough_path_box(s, mine);
        all = cn_box3_union(&all, &box);
    }
    const cn_tree *trees[2] = { &world->static_tree, &world->moving_tree };
    list->world = world;
    list->body = (int)(s->body - world->bodies.data);
    list->count = 0;
    list->full = false;
    for (int t = 0; t < 2 && !list->full; t++) {
        list->tree = trees[t];
        cn_tree_query(trees[t], &all, note_near, list);
    }
    return !list->full;
}

static bool any_overlaps(const near_list *near, const cn_box3 *box)
{
    for (int i = 0; i < near->count; i++)
        if (cn_box3_overlaps(&near->boxes[i], box))
            return true;
    return false;
}

static void visit_near(const cn_impact_search *s, const cn_shape *mine, const near_list *near, cn_pair_visit *visit,
                       void *context)
{
    const cn_world *world = s->job->world;
    cn_box3 box = exact_path_box(s, mine);
    for (int i = 0; i < near->count; i++)
        if (cn_box3_overlaps(&near->boxes[i], &box) &&
            !cn_pair_set_contains(world->pairs, (int)(mine - world->shapes.data), near->shapes[i]))
            visit(context, mine, &world->shapes.data[near->shapes[i]]);
}

// False when there is too much near to list it.
static bool visit_all_near(cn_impact_search *s, cn_pair_visit *visit, void *context)
{
    const cn_world *world = s->job->world;
    near_list near;
    if (!list_near(s, &near))
        return false;
    for (int k = s->body->first_shape; k != CN_NONE && near.count > 0; k = world->shapes.data[k].next) {
        const cn_shape *mine = &world->shapes.data[k];
        if (mine->sensor != CN_NONE || cn_is_composite(mine))
            continue;
        cn_box3 rough = rough_path_box(s, mine);
        if (any_overlaps(&near, &rough) && is_looked_after(s, mine))
            visit_near(s, mine, &near, visit, context);
    }
    return true;
}

// ---- the pairs of a body

// The place in `fast` of a body that may be stopped, or CN_NONE.
static int rank_of(const cn_impact_job *job, const cn_body *body)
{
    bool moves = body->type == CN_DYNAMIC && body->awake != CN_NONE && body->awake < job->awake_count;
    return moves ? job->rank[body->awake] : CN_NONE;
}

// Decides which of the two bodies of a pair may be stopped. False: none, or it is another's business.
static bool choose_sides(cn_impact_search *s, const cn_contact *contact, int side, const cn_shape *mine, const cn_shape *other)
{
    const cn_body *owner = &s->job->world->bodies.data[side == 0 ? contact->body_b : contact->body_a];
    int partner = s->both ? rank_of(s->job, owner) : CN_NONE;
    if (partner != CN_NONE && partner < (int)(s->stop - s->job->fast))
        return false;
    s->touching = contact->touch_count > 0;
    s->mine = is_looked_after(s, mine);
    if ((!s->mine && partner == CN_NONE) || is_safe(s, contact))
        return false;
    s->its = partner != CN_NONE && is_fast_solid(s->job, owner, other);
    return s->mine || s->its;
}

// The part of a contact that says whose it is. Contacts of a body lie anywhere in memory.
static void prefetch_contact(const cn_world *world, int contact) { __builtin_prefetch(&world->contacts.data[contact].shape_a); }

void cn_prefetch_impacts(const cn_impact_job *job, const cn_stop *stop)
{
    const cn_body *body = &job->world->bodies.data[job->world->awake.data[stop->body]];
    if (body->first_contact != CN_NONE)
        prefetch_contact(job->world, body->first_contact >> 1);
}

void cn_visit_impact_pairs(cn_impact_search *s, cn_pair_visit *visit, void *context)
{
    const cn_world *world = s->job->world;
    for (int key = s->body->first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int side = key & 1, shapes[2] = { contact->shape_a, contact->shape_b };
        key = contact->edges[side].next;
        if (key != CN_NONE)
            prefetch_contact(world, key >> 1);
        const cn_shape *mine = &world->shapes.data[shapes[side]], *other = &world->shapes.data[shapes[1 - side]];
        s->contact = contact;
        if (choose_sides(s, contact, side, mine, other))
            visit(context, mine, other);
    }
    s->touching = s->its = false;
    s->contact = NULL;
    s->mine = true;
    if (!s->job->motions[s->stop->body].strayed)
        return;
    if (s->body->shape_count > 1 && visit_all_near(s, visit, context))
        return;
    for (int k = s->body->first_shape; k != CN_NONE; k = world->shapes.data[k].next) {
        const cn_shape *mine = &world->shapes.data[k];
        if (mine->sensor == CN_NONE && is_looked_after(s, mine))
            query_path(s, mine, visit, context);
    }
}
