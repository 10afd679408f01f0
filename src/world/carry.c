// Fast kinematic bodies, which nothing stops: what they meet on their way is taken along.
#include "world/impacts.h"

#include <stdlib.h>

// A body that a kinematic one met on its way, and takes along from there.
typedef struct taken {
    int body, by;
    float fraction;
} taken;

typedef struct taking {
    cn_impact_search search; // the kinematic body
    taken *list;
    int count, capacity;
} taking;

static void look_aside(void *context, const cn_shape *mine, const cn_shape *other)
{
    taking *t = context;
    const cn_impact_job *job = t->search.job;
    const cn_body *body = &job->world->bodies.data[other->body];
    cn_stop place = { .body = body->awake, .fraction = 1.0f };
    cn_impact_search s = {
        .job = job, .body = body, .shape = other, .path = cn_impact_path(job, other->body), .stop = &place, .mine = true
    };
    if (body->type != CN_DYNAMIC || !body->continuous || cn_is_composite(other))
        return;
    cn_impact_meet(&s, mine);
    if (place.fraction < 1.0f && t->count < t->capacity)
        t->list[t->count++] = (taken){ other->body, mine->body, place.fraction };
}

static cn_transform place_on(const cn_path *p, float fraction)
{
    float part = cn_minf(fraction, p->end);
    return (cn_transform){ cn_pos_add(p->center, cn_scale(part, p->moved)), cn_path_rotation(p, part) };
}

// Moves a body as if it had been fixed to the kinematic one since they met. The contact pushes it in the next step.
static void take_along(cn_world *world, const cn_impact_job *job, const taken *t)
{
    cn_path own = cn_impact_path(job, t->body), by = cn_impact_path(job, t->by);
    cn_transform met = place_on(&own, t->fraction), from = place_on(&by, t->fraction), to = place_on(&by, 1.0f);
    cn_quat turn = cn_quat_mul(to.rotation, cn_quat_conj(from.rotation));
    cn_wake_body(world, t->body);
    cn_body *body = &world->bodies.data[t->body];
    body->center = cn_pos_add(to.position, cn_rotate(turn, cn_pos_sub(met.position, from.position)));
    body->rotation = cn_quat_normalize(cn_quat_mul(turn, met.rotation));
    cn_place_shapes_again(world, t->body);
}

static int compare_taken(const void *a, const void *b)
{
    const taken *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    return x->fraction < y->fraction ? -1 : x->fraction > y->fraction ? 1 : x->by < y->by ? -1 : x->by > y->by;
}

void cn_take_others_along(cn_world *world, cn_impact_job *job)
{
    taking t = { .capacity = 0 };
    for (int i = 0; i < job->fast_count; i++) {
        const cn_body *body = &world->bodies.data[world->awake.data[job->fast[i].body]];
        t.capacity += body->type == CN_KINEMATIC ? body->contact_count : 0;
    }
    if (t.capacity == 0)
        return;
    t.list = cn_arena_array(&world->arena, taken, t.capacity);
    for (int i = 0; i < job->fast_count; i++) {
        t.search = cn_impact_search_for(job, &job->fast[i]);
        t.search.fast_only = true;
        if (t.search.body->type == CN_KINEMATIC)
            cn_visit_impact_pairs(&t.search, look_aside, &t);
    }
    qsort(t.list, (size_t)t.count, sizeof *t.list, compare_taken);
    for (int i = 0; i < t.count; i++)
        if (i == 0 || t.list[i].body != t.list[i - 1].body)
            take_along(world, job, &t.list[i]);
}
