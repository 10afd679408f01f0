// Casts through the world, one and many at a time.
#include "world/query.h"

#include "world/check.h"

#include <string.h>

// ---- the first hit

typedef struct first_hit {
    const cn_viewer *viewer;
    const cn_caster *caster;
    bool any; // whatever is hit will do
    cn_found best;
} first_hit;

static float look_for_first(void *context, int32_t shape, float limit)
{
    first_hit *f = context;
    const cn_viewer *v = f->viewer;
    cn_found found;
    if (!cn_viewer_sees(v, &v->world->shapes.data[shape]) || !cn_shape_meet(v->world, shape, f->caster, limit, &found))
        return limit;
    if (f->best.shape != CN_NONE && found.fraction == f->best.fraction && shape > f->best.shape)
        return limit;
    if (!cn_viewer_accepts(v, shape))
        return limit;
    f->best = found;
    return f->any ? -1.0f : found.fraction;
}

static first_hit find_first(const cn_viewer *viewer, const cn_caster *caster, bool any)
{
    first_hit f = { .viewer = viewer, .caster = caster, .any = any, .best = { .shape = CN_NONE } };
    cn_walk_along(viewer->world, caster, 1.0f, look_for_first, &f);
    return f;
}

static cn_hit first_of(const cn_viewer *viewer, const cn_caster *caster)
{
    first_hit f = find_first(viewer, caster, false);
    return f.best.shape != CN_NONE ? cn_found_hit(viewer->world, &f.best) : (cn_hit){ 0 };
}

cn_hit cn_world_cast_ray(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_ray(__func__, ray))
        return (cn_hit){ 0 };
    cn_caster caster = cn_caster_of_ray(ray);
    return first_of(&viewer, &caster);
}

cn_hit cn_world_cast_shape(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_probe(world, __func__, probe))
        return (cn_hit){ 0 };
    cn_caster caster = cn_caster_of_probe(world, probe);
    return first_of(&viewer, &caster);
}

bool cn_world_test_ray(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_ray(__func__, ray))
        return false;
    cn_caster caster = cn_caster_of_ray(ray);
    return find_first(&viewer, &caster, true).best.shape != CN_NONE;
}

// ---- one shape

static cn_hit hit_of_shape(const cn_world *world, const cn_shape *shape, const cn_caster *caster)
{
    cn_found found;
    bool hit = cn_shape_meet(world, (int)(shape - world->shapes.data), caster, 1.0f, &found);
    return hit ? cn_found_hit(world, &found) : (cn_hit){ 0 };
}

cn_hit cn_shape_cast_ray(const cn_world *world, cn_shape_id shape, const cn_ray *ray)
{
    const cn_shape *s = cn_check_askable(world, __func__) ? cn_find_shape(world, __func__, shape) : NULL;
    if (s == NULL || !cn_check_ray(__func__, ray))
        return (cn_hit){ 0 };
    cn_caster caster = cn_caster_of_ray(ray);
    return hit_of_shape(world, s, &caster);
}

cn_hit cn_shape_cast_shape(const cn_world *world, cn_shape_id shape, const cn_probe *probe)
{
    const cn_shape *s = cn_check_askable(world, __func__) ? cn_find_shape(world, __func__, shape) : NULL;
    if (s == NULL || !cn_check_probe(world, __func__, probe))
        return (cn_hit){ 0 };
    cn_caster caster = cn_caster_of_probe(world, probe);
    return hit_of_shape(world, s, &caster);
}

// ---- every hit

typedef struct every_hit {
    const cn_viewer *viewer;
    const cn_caster *caster;
    cn_hit_fn visit;
    void *context;
} every_hit;

static float look_for_every(void *context, int32_t shape, float limit)
{
    every_hit *e = context;
    const cn_viewer *v = e->viewer;
    cn_found found;
    if (!cn_viewer_sees(v, &v->world->shapes.data[shape]) || !cn_shape_meet(v->world, shape, e->caster, limit, &found) ||
        !cn_viewer_accepts(v, shape))
        return limit;
    cn_hit hit = cn_found_hit(v->world, &found);
    cn_enter_callback(v->world, 1);
    float wanted = e->visit(e->context, &hit);
    cn_enter_callback(v->world, -1);
    return wanted > 0.0f ? cn_minf(wanted, limit) : -1.0f;
}

static void visit_every(const cn_viewer *viewer, const cn_caster *caster, cn_hit_fn visit, void *context)
{
    every_hit e = { viewer, caster, visit, context };
    cn_walk_along(viewer->world, caster, 1.0f, look_for_every, &e);
}

static bool check_visit(const char *function, cn_hit_fn visit)
{
    return visit != NULL || cn_fail("%s: visit is NULL", function);
}

bool cn_world_visit_ray(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter, cn_hit_fn visit, void *context)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_ray(__func__, ray) || !check_visit(__func__, visit))
        return false;
    cn_caster caster = cn_caster_of_ray(ray);
    visit_every(&viewer, &caster, visit, context);
    return true;
}

bool cn_world_visit_cast(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter, cn_hit_fn visit,
                         void *context)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_probe(world, __func__, probe) ||
        !check_visit(__func__, visit))
        return false;
    cn_caster caster = cn_caster_of_probe(world, probe);
    visit_every(&viewer, &caster, visit, context);
    return true;
}

static int compare_hits(const void *a, const void *b)
{
    const cn_hit *x = a, *y = b;
    if (x->fraction != y->fraction)
        return x->fraction < y->fraction ? -1 : 1;
    return x->shape.index1 < y->shape.index1 ? -1 : x->shape.index1 > y->shape.index1;
}

static float keep_hit(void *context, const cn_hit *hit)
{
    cn_query_list_add(context, hit);
    return 1.0f;
}

static int all_of(const cn_viewer *viewer, const cn_caster *caster, cn_hit *hits, int capacity)
{
    cn_query_list list = { .items = hits, .item_size = sizeof *hits, .capacity = capacity, .compare = compare_hits };
    visit_every(viewer, caster, keep_hit, &list);
    return cn_query_list_finish(&list);
}

int cn_world_cast_ray_all(const cn_world *world, const cn_ray *ray, const cn_query_filter *filter, cn_hit *hits, int capacity)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_ray(__func__, ray) ||
        !cn_check_buffer(__func__, "hits", hits, capacity))
        return 0;
    cn_caster caster = cn_caster_of_ray(ray);
    return all_of(&viewer, &caster, hits, capacity);
}

int cn_world_cast_shape_all(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter, cn_hit *hits,
                            int capacity)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_probe(world, __func__, probe) ||
        !cn_check_buffer(__func__, "hits", hits, capacity))
        return 0;
    cn_caster caster = cn_caster_of_probe(world, probe);
    return all_of(&viewer, &caster, hits, capacity);
}

// ---- batches

enum { CASTS_PER_TASK = 256 };

typedef struct batch {
    cn_viewer viewer;
    const cn_ray *rays; // or
    const cn_probe *probes;
    int count;
    cn_hit *hits;
} batch;

static void run_batch(void *context, int task)
{
    const batch *b = context;
    int begin = task * CASTS_PER_TASK, rest = b->count - begin, end = begin + (rest < CASTS_PER_TASK ? rest : CASTS_PER_TASK);
    for (int i = begin; i < end; i++) {
        cn_caster caster = b->rays != NULL ? cn_caster_of_ray(&b->rays[i]) : cn_caster_of_probe(b->viewer.world, &b->probes[i]);
        b->hits[i] = first_of(&b->viewer, &caster);
    }
}

// Input is checked by the thread that calls, which is where cn_last_error() is heard.
static bool cast_batch(cn_world *world, const char *function, batch *b)
{
    bool good = true;
    for (int i = 0; i < b->count && good; i++)
        good = b->rays != NULL ? cn_check_ray(function, &b->rays[i]) : cn_check_probe(world, function, &b->probes[i]);
    if (good)
        cn_tasks_run(world->tasks, run_batch, b, (b->count - 1) / CASTS_PER_TASK + 1);
    else
        memset(b->hits, 0, sizeof *b->hits * (size_t)b->count);
    return good;
}

bool cn_world_cast_rays(cn_world *world, const cn_ray *rays, int count, const cn_query_filter *filter, cn_hit *hits)
{
    batch b = { .rays = rays, .count = count, .hits = hits };
    return cn_viewer_make(world, __func__, filter, &b.viewer) && cn_check_buffer(__func__, "rays", rays, count) &&
           cn_check_buffer(__func__, "hits", hits, count) && (count == 0 || cast_batch(world, __func__, &b));
}

bool cn_world_cast_shapes(cn_world *world, const cn_probe *probes, int count, const cn_query_filter *filter, cn_hit *hits)
{
    batch b = { .probes = probes, .count = count, .hits = hits };
    return cn_viewer_make(world, __func__, filter, &b.viewer) && cn_check_buffer(__func__, "probes", probes, count) &&
           cn_check_buffer(__func__, "hits", hits, count) && (count == 0 || cast_batch(world, __func__, &b));
}
