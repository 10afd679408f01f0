// Sensors: which shapes overlap them. They are no part of the contacts: at the end of a step each asks the trees who is near,
// looks at the shapes themselves, and holds what it finds against what it found the last time.
#include "collide/cast.h"
#include "world/check.h"
#include "world/world.h"

#include <stdlib.h>

// ---- do two shapes overlap?

static cn_pose relative_pose(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    const cn_body *body_a = &world->bodies.data[a->body], *body_b = &world->bodies.data[b->body];
    cn_quat inverse = cn_quat_conj(body_a->rotation);
    cn_pose between = { cn_rotate(inverse, cn_pos_sub(body_b->center, body_a->center)),
                        cn_quat_mul(inverse, body_b->rotation) };
    cn_pose b_in_a = cn_pose_mul(cn_pose_mul(cn_pose_inverse(a->pose), between), b->pose);
    b_in_a.rotation = cn_quat_normalize(b_in_a.rotation);
    return b_in_a;
}

static bool convex_overlap(const cn_convex *a, const cn_convex *b, cn_pose b_in_a)
{
    return !(cn_convex_distance(a, b, b_in_a).distance > 0.0f);
}

static bool part_overlaps(const cn_composite *composite, int index, const cn_convex *b, cn_pose b_in_a)
{
    cn_part part;
    cn_composite_part(composite, index, &part);
    if (!part.is_triangle)
        return convex_overlap(&part.solid, b, cn_pose_mul(cn_pose_inverse(part.pose), b_in_a));
    cn_convex triangle = { .type = CN_TRIANGLE, .triangle = part.triangle.vertices };
    return convex_overlap(&triangle, b, b_in_a);
}

static bool composite_overlaps(const cn_world *world, const cn_composite *a, const cn_convex *b, cn_pose b_in_a)
{
    int32_t few[128], *parts = few;
    cn_box3 box;
    cn_convex_bounds(b, b_in_a, &box.lower, &box.upper);
    int capacity = (int)(sizeof few / sizeof *few), count = cn_composite_query(a, &box, few, capacity);
    if (count > capacity) {
        parts = cn_allocate(&world->allocator, sizeof(int32_t) * (size_t)count, 64);
        cn_composite_query(a, &box, parts, count);
    }
    bool overlaps = false;
    for (int i = 0; i < count && !overlaps; i++)
        overlaps = part_overlaps(a, parts[i], b, b_in_a);
    if (parts != few)
        cn_release(&world->allocator, parts, sizeof(int32_t) * (size_t)count);
    return overlaps;
}

static bool shapes_overlap(const cn_world *world, const cn_shape *a, const cn_shape *b)
{
    if (cn_is_composite(b))
        return composite_overlaps(world, &b->composite, &a->convex, relative_pose(world, b, a));
    cn_pose b_in_a = relative_pose(world, a, b);
    return cn_is_composite(a) ? composite_overlaps(world, &a->composite, &b->convex, b_in_a)
                              : convex_overlap(&a->convex, &b->convex, b_in_a);
}

// ---- what a sensor sees

static int compare_ids(const void *a, const void *b)
{
    const cn_shape_id *x = a, *y = b;
    if (x->index1 != y->index1)
        return x->index1 < y->index1 ? -1 : 1;
    return x->generation < y->generation ? -1 : x->generation > y->generation;
}

// The shape has not moved since sensors last looked: its body rests, and the user did not touch it.
static bool has_rested(const cn_world *world, const cn_shape *shape)
{
    return world->bodies.data[shape->body].awake == CN_NONE && shape->changed_step != world->step_count;
}

static bool sees(const cn_world *world, const cn_sensor *sensor, int other)
{
    const cn_shape *shape = &world->shapes.data[sensor->shape], *visitor = &world->shapes.data[other];
    if (visitor->sensor != CN_NONE || !cn_filters_meet(shape, visitor))
        return false;
    cn_shape_id id = cn_shape_id_of(world, other);
    if (has_rested(world, shape) && has_rested(world, visitor))
        return sensor->visitors.count > 0 &&
               bsearch(&id, sensor->visitors.data, (size_t)sensor->visitors.count, sizeof id, compare_ids) != NULL;
    return shapes_overlap(world, shape, visitor);
}

static void look_in_tree(const cn_world *world, cn_sensor *sensor, const cn_tree *tree, const cn_box3 *box)
{
    int32_t few[128], *near = few;
    int capacity = (int)(sizeof few / sizeof *few), count = cn_tree_query_all(tree, box, few, capacity);
    if (count > capacity) {
        near = cn_allocate(&world->allocator, sizeof(int32_t) * (size_t)count, 64);
        cn_tree_query_all(tree, box, near, count);
    }
    for (int i = 0; i < count; i++)
        if (sees(world, sensor, near[i]))
            cn_array_push(&world->allocator, &sensor->found, cn_shape_id_of(world, near[i]));
    if (near != few)
        cn_release(&world->allocator, near, sizeof(int32_t) * (size_t)count);
}

static void look(void *context, int index)
{
    cn_world *world = context;
    cn_sensor *sensor = &world->sensors.data[index];
    const cn_shape *shape = &world->shapes.data[sensor->shape];
    cn_box3 box = cn_shape_box(world, shape, 0.0f);
    sensor->found.count = 0;
    look_in_tree(world, sensor, &world->moving_tree, &box);
    if (world->bodies.data[shape->body].type != CN_STATIC)
        look_in_tree(world, sensor, &world->static_tree, &box);
    if (sensor->found.count > 1)
        qsort(sensor->found.data, (size_t)sensor->found.count, sizeof *sensor->found.data, compare_ids);
}

// ---- events

// Walks both lists at once: who is only in the old one has left, who is only in the new one has come.
static void publish(cn_world *world, cn_sensor *sensor)
{
    cn_shape_id self = cn_shape_id_of(world, sensor->shape);
    const cn_shape_id *old = sensor->visitors.data, *new = sensor->found.data;
    for (int i = 0, k = 0; i < sensor->visitors.count || k < sensor->found.count;) {
        int order = i == sensor->visitors.count ? 1 : k == sensor->found.count ? -1 : compare_ids(&old[i], &new[k]);
        if (order < 0)
            cn_array_push(&world->allocator, &world->sensor_end_events, (cn_sensor_event){ self, old[i] });
        else if (order > 0)
            cn_array_push(&world->allocator, &world->sensor_begin_events, (cn_sensor_event){ self, new[k] });
        i += order <= 0;
        k += order >= 0;
    }
    cn_sensor before = *sensor;
    sensor->visitors.data = before.found.data;
    sensor->visitors.count = before.found.count;
    sensor->visitors.capacity = before.found.capacity;
    sensor->found.data = before.visitors.data;
    sensor->found.capacity = before.visitors.capacity;
}

void cn_update_sensors(cn_world *world)
{
    world->sensor_begin_events.count = world->sensor_end_events.count = 0;
    for (int i = 0; i < world->pending_sensor_end_events.count; i++)
        cn_array_push(&world->allocator, &world->sensor_end_events, world->pending_sensor_end_events.data[i]);
    world->pending_sensor_end_events.count = 0;
    cn_tasks_run(world->tasks, look, world, world->sensors.count);
    for (int i = 0; i < world->sensors.count; i++)
        publish(world, &world->sensors.data[i]);
}

// ---- life

void cn_sensor_add(cn_world *world, int shape)
{
    world->shapes.data[shape].sensor = world->sensors.count;
    cn_array_push(&world->allocator, &world->sensors, (cn_sensor){ .shape = shape });
}

static void free_lists(const cn_world *world, cn_sensor *sensor)
{
    cn_array_free(&world->allocator, &sensor->visitors);
    cn_array_free(&world->allocator, &sensor->found);
}

void cn_sensor_remove(cn_world *world, int shape)
{
    int index = world->shapes.data[shape].sensor;
    if (index == CN_NONE)
        return;
    cn_sensor *sensor = &world->sensors.data[index];
    cn_shape_id self = cn_shape_id_of(world, shape);
    for (int i = 0; i < sensor->visitors.count; i++)
        cn_array_push(&world->allocator, &world->pending_sensor_end_events,
                      (cn_sensor_event){ self, sensor->visitors.data[i] });
    free_lists(world, sensor);
    *sensor = world->sensors.data[--world->sensors.count];
    world->shapes.data[sensor->shape].sensor = index;
    world->shapes.data[shape].sensor = CN_NONE;
}

void cn_sensors_free(cn_world *world)
{
    for (int i = 0; i < world->sensors.count; i++)
        free_lists(world, &world->sensors.data[i]);
    cn_array_free(&world->allocator, &world->sensors);
    cn_array_free(&world->allocator, &world->sensor_begin_events);
    cn_array_free(&world->allocator, &world->sensor_end_events);
    cn_array_free(&world->allocator, &world->pending_sensor_end_events);
}

// ---- for the user

bool cn_shape_is_sensor(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL && s->sensor != CN_NONE;
}

cn_sensor_events cn_world_get_sensor_events(const cn_world *world)
{
    if (!cn_check_world(world, __func__))
        return (cn_sensor_events){ 0 };
    return (cn_sensor_events){
        .begin = world->sensor_begin_events.data,
        .end = world->sensor_end_events.data,
        .begin_count = world->sensor_begin_events.count,
        .end_count = world->sensor_end_events.count,
    };
}

static bool is_alive(const cn_world *world, cn_shape_id id)
{
    const cn_shape *shape = &world->shapes.data[id.index1 - 1];
    return shape->used && shape->generation == id.generation;
}

int cn_shape_get_overlaps(const cn_world *world, cn_shape_id shape, cn_shape_id *shapes, int capacity)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    if (s == NULL || !cn_check_buffer(__func__, "shapes", shapes, capacity))
        return 0;
    if (s->sensor == CN_NONE) {
        cn_fail("%s: shape %u is not a sensor", __func__, shape.index1);
        return 0;
    }
    const cn_sensor *sensor = &world->sensors.data[s->sensor];
    int count = 0;
    for (int i = 0; i < sensor->visitors.count; i++) {
        if (!is_alive(world, sensor->visitors.data[i]))
            continue;
        if (count < capacity)
            shapes[count] = sensor->visitors.data[i];
        count++;
    }
    return count;
}
