// What overlaps a place, and what is nearest to it.
#include "world/check.h"
#include "world/query.h"

// ---- overlaps

static int compare_shapes(const void *a, const void *b)
{
    uint32_t x = ((const cn_shape_id *)a)->index1, y = ((const cn_shape_id *)b)->index1;
    return x < y ? -1 : x > y;
}

typedef struct overlap {
    const cn_viewer *viewer;
    const cn_caster *caster; // or
    const cn_bounds *box;
    cn_query_list list;
} overlap;

static bool boxes_meet(const cn_bounds *a, const cn_bounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y && b->lower.y <= a->upper.y &&
           a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static bool is_inside(const overlap *o, int shape)
{
    if (o->caster != NULL)
        return cn_shape_touches(o->viewer->world, shape, o->caster);
    cn_bounds bounds = cn_shape_bounds(o->viewer->world, &o->viewer->world->shapes.data[shape]);
    return boxes_meet(&bounds, o->box);
}

static bool look_for_overlap(void *context, int32_t shape)
{
    overlap *o = context;
    const cn_viewer *v = o->viewer;
    if (cn_viewer_sees(v, &v->world->shapes.data[shape]) && is_inside(o, shape) && cn_viewer_accepts(v, shape)) {
        cn_shape_id id = cn_shape_id_of(v->world, shape);
        cn_query_list_add(&o->list, &id);
    }
    return true;
}

static int find_overlaps(overlap *o, const cn_bounds *around, cn_shape_id *shapes, int capacity)
{
    const cn_world *world = o->viewer->world;
    o->list = (cn_query_list){ .items = shapes, .item_size = sizeof *shapes, .capacity = capacity, .compare = compare_shapes };
    cn_box3 box = cn_world_box(world, around, 0.0f);
    cn_tree_query(&world->static_tree, &box, look_for_overlap, o);
    cn_tree_query(&world->moving_tree, &box, look_for_overlap, o);
    return cn_query_list_finish(&o->list);
}

int cn_world_overlap_shape(const cn_world *world, const cn_probe *probe, const cn_query_filter *filter, cn_shape_id *shapes,
                           int capacity)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_probe(world, __func__, probe) ||
        !cn_check_buffer(__func__, "shapes", shapes, capacity))
        return 0;
    cn_caster caster = cn_caster_of_probe(world, probe);
    overlap o = { .viewer = &viewer, .caster = &caster };
    cn_bounds around = { cn_pos_add(caster.position, caster.lower), cn_pos_add(caster.position, caster.upper) };
    return find_overlaps(&o, &around, shapes, capacity);
}

int cn_world_overlap_box(const cn_world *world, const cn_bounds *box, const cn_query_filter *filter, cn_shape_id *shapes,
                         int capacity)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_pointer(__func__, "box", box) ||
        !cn_check_position(__func__, "box.lower", box->lower) || !cn_check_position(__func__, "box.upper", box->upper) ||
        !cn_check_buffer(__func__, "shapes", shapes, capacity))
        return 0;
    overlap o = { .viewer = &viewer, .box = box };
    return find_overlaps(&o, box, shapes, capacity);
}

bool cn_shape_overlaps(const cn_world *world, cn_shape_id shape, const cn_probe *probe)
{
    const cn_shape *s = cn_check_askable(world, __func__) ? cn_find_shape(world, __func__, shape) : NULL;
    if (s == NULL || !cn_check_probe(world, __func__, probe))
        return false;
    cn_caster caster = cn_caster_of_probe(world, probe);
    return cn_shape_touches(world, (int)(s - world->shapes.data), &caster);
}

// ---- closest points

typedef struct nearest {
    const cn_viewer *viewer;
    const cn_caster *caster;
    cn_closest_hit best;
} nearest;

static float look_for_nearest(void *context, int32_t shape, float limit)
{
    nearest *n = context;
    const cn_viewer *v = n->viewer;
    cn_closest_hit hit;
    if (!cn_viewer_sees(v, &v->world->shapes.data[shape]) || !cn_shape_near(v->world, shape, n->caster, limit, &hit))
        return limit;
    if (n->best.hit && hit.distance == n->best.distance && hit.shape.index1 > n->best.shape.index1)
        return limit;
    if (!cn_viewer_accepts(v, shape))
        return limit;
    n->best = hit;
    return hit.distance;
}

static cn_closest_hit find_nearest(const cn_viewer *viewer, const cn_caster *caster, float reach)
{
    nearest n = { .viewer = viewer, .caster = caster };
    cn_walk_around(viewer->world, caster, reach, look_for_nearest, &n);
    return n.best;
}

cn_closest_hit cn_world_closest_point(const cn_world *world, cn_pos3 place, float reach, const cn_query_filter *filter)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_position(__func__, "place", place) ||
        !cn_check_not_negative(__func__, "reach", reach))
        return (cn_closest_hit){ 0 };
    cn_caster caster = cn_caster_at(place);
    return find_nearest(&viewer, &caster, reach);
}

cn_closest_hit cn_world_closest(const cn_world *world, const cn_probe *probe, float reach, const cn_query_filter *filter)
{
    cn_viewer viewer;
    if (!cn_viewer_make(world, __func__, filter, &viewer) || !cn_check_probe(world, __func__, probe) ||
        !cn_check_not_negative(__func__, "reach", reach))
        return (cn_closest_hit){ 0 };
    cn_caster caster = cn_caster_of_probe(world, probe);
    return find_nearest(&viewer, &caster, reach);
}

static const float ANYWHERE = 3e38f;

cn_closest_hit cn_shape_closest_point(const cn_world *world, cn_shape_id shape, cn_pos3 place)
{
    cn_closest_hit hit = { 0 };
    const cn_shape *s = cn_check_askable(world, __func__) ? cn_find_shape(world, __func__, shape) : NULL;
    if (s != NULL && cn_check_position(__func__, "place", place)) {
        cn_caster caster = cn_caster_at(place);
        cn_shape_near(world, (int)(s - world->shapes.data), &caster, ANYWHERE, &hit);
    }
    return hit;
}

// The answer of a about b, told from the side of b.
static cn_closest_hit turn_around(cn_closest_hit hit, cn_shape_id shape)
{
    cn_closest_hit turned = hit;
    turned.shape = shape;
    turned.point = hit.probe_point;
    turned.probe_point = hit.point;
    turned.normal = cn_neg(hit.normal);
    return turned;
}

cn_closest_hit cn_shape_distance(const cn_world *world, cn_shape_id a, cn_shape_id b)
{
    cn_closest_hit hit = { 0 };
    const cn_shape *shape_a = cn_check_askable(world, __func__) ? cn_find_shape(world, __func__, a) : NULL;
    const cn_shape *shape_b = shape_a != NULL ? cn_find_shape(world, __func__, b) : NULL;
    if (shape_b == NULL)
        return hit;
    if (cn_is_composite(shape_a) && cn_is_composite(shape_b)) {
        cn_fail("%s: neither shape %u nor shape %u is convex", __func__, a.index1, b.index1);
        return hit;
    }
    bool turned = cn_is_composite(shape_b);
    cn_caster caster = cn_caster_of_shape(world, turned ? shape_a : shape_b);
    cn_shape_near(world, (int)((turned ? shape_b : shape_a) - world->shapes.data), &caster, ANYWHERE, &hit);
    return turned ? turn_around(hit, a) : hit;
}
