// What queries are made of: the question, the answer of one shape, and lists of answers.
#ifndef CN_WORLD_QUERY_H
#define CN_WORLD_QUERY_H

#include "cairn/query.h"
#include "collide/cast.h"
#include "world/world.h"

// ---- the question (query_ask.c)

// What is seen.
typedef struct cn_viewer {
    const cn_world *world;
    cn_query_filter filter;
    int ignored; // body, or CN_NONE
} cn_viewer;

// What is cast, or looked around: a convex shape, or a point that is cast along a ray.
typedef struct cn_caster {
    bool is_ray;
    cn_convex convex;
    cn_pos3 position;
    cn_quat rotation;
    cn_vec3 lower, upper; // of its bounding box, relative to the position
    float radius;         // around the position
    cn_vec3 translation;
    double length; // of it
} cn_caster;

// False, with cn_last_error() that begins with `function`, when the world is in the middle of a step or the input is bad.
// `filter` may be NULL.
bool cn_viewer_make(const cn_world *world, const char *function, const cn_query_filter *filter, cn_viewer *viewer);
bool cn_check_ray(const char *function, const cn_ray *ray);
bool cn_check_probe(const cn_world *world, const char *function, const cn_probe *probe);
// Of what was checked.
cn_caster cn_caster_of_ray(const cn_ray *ray);
cn_caster cn_caster_of_probe(const cn_world *world, const cn_probe *probe);
cn_caster cn_caster_at(cn_pos3 place); // a point that stays where it is
cn_caster cn_caster_of_shape(const cn_world *world, const cn_shape *shape);

static inline bool cn_viewer_sees(const cn_viewer *v, const cn_shape *shape)
{
    return (shape->filter.category & v->filter.mask) != 0 && (shape->filter.mask & v->filter.category) != 0 &&
           (shape->sensor == CN_NONE || v->filter.sensors) && shape->body != v->ignored;
}
// What it asks of the user must not change the world that it walks through.
static inline void cn_enter_callback(const cn_world *world, int enter)
{
    __atomic_fetch_add(&((cn_world *)(uintptr_t)world)->callbacks, enter, __ATOMIC_RELAXED);
}

static inline bool cn_viewer_accepts(const cn_viewer *v, int shape)
{
    if (v->filter.accept == NULL)
        return true;
    cn_enter_callback(v->world, 1);
    bool accepted = v->filter.accept(v->filter.context, cn_shape_id_of(v->world, shape));
    cn_enter_callback(v->world, -1);
    return accepted;
}

// The leaves of both trees along the way of the caster, or around it. Returns the last limit.
float cn_walk_along(const cn_world *world, const cn_caster *caster, float limit, cn_tree_reach visit, void *context);
float cn_walk_around(const cn_world *world, const cn_caster *caster, float limit, cn_tree_reach visit, void *context);

// ---- the answer of one shape, in its frame (query_shape.c)

typedef struct cn_found {
    int shape, part; // the part is -1 for convex shapes
    float fraction;
    cn_vec3 point, normal;
} cn_found;

// False when the shape is not met up to the fraction `limit`.
bool cn_shape_meet(const cn_world *world, int shape, const cn_caster *caster, float limit, cn_found *found);
cn_hit cn_found_hit(const cn_world *world, const cn_found *found);
bool cn_shape_touches(const cn_world *world, int shape, const cn_caster *caster);
// False when the shape is farther away than `limit`.
bool cn_shape_near(const cn_world *world, int shape, const cn_caster *caster, float limit, cn_closest_hit *hit);

// ---- the first answers in some order (query_list.c)

typedef struct cn_query_list {
    void *items; // of the user
    size_t item_size;
    int capacity;
    int count; // all that were added; the first `capacity` of them are kept
    int (*compare)(const void *a, const void *b);
} cn_query_list;

void cn_query_list_add(cn_query_list *list, const void *item);
int cn_query_list_finish(cn_query_list *list); // sorts what was kept, and returns the count

#endif
