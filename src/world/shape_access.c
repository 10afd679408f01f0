// What can be asked of a shape and changed about it.
#include "world/check.h"
#include "world/world.h"

cn_body_id cn_shape_get_body(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? cn_body_id_of(world, s->body) : (cn_body_id){ 0 };
}

cn_geometry cn_shape_get_geometry(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    if (s == NULL)
        return (cn_geometry){ 0 };
    return (cn_geometry){
        .type = s->convex.type,
        .radius = s->convex.radius,
        .top_radius = s->convex.top_radius,
        .half_height = s->convex.half_height,
        .half_extents = s->convex.half_extents,
        .hull = s->hull != CN_NONE ? cn_hull_id_of(world, s->hull) : (cn_hull_id){ 0 },
        .mesh = s->composite.mesh,
        .height_field = s->composite.height_field,
        .compound = s->composite.compound,
        .scale = s->composite.scale,
    };
}

cn_pose cn_shape_get_offset(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? s->offset : (cn_pose)CN_POSE_IDENTITY;
}

float cn_shape_get_density(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? s->density : 0.0f;
}

cn_material cn_shape_get_material(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? s->material : (cn_material){ 0 };
}

static void wake_with_neighbours(cn_world *world, int body)
{
    cn_wake_body(world, body);
    cn_wake_touching(world, body);
}

bool cn_shape_set_material(cn_world *world, cn_shape_id shape, const cn_material *material)
{
    cn_shape *s = cn_find_writable_shape(world, __func__, shape);
    if (s == NULL || !cn_check_pointer(__func__, "material", material) || !cn_check_material(__func__, "material", material))
        return false;
    s->material = *material;
    int index = (int)(s - world->shapes.data);
    for (int key = world->bodies.data[s->body].first_contact; key != CN_NONE;) {
        cn_contact *contact = &world->contacts.data[key >> 1];
        key = contact->edges[key & 1].next;
        if (contact->shape_a == index || contact->shape_b == index)
            cn_contact_mix_materials(world, contact);
    }
    wake_with_neighbours(world, s->body);
    return true;
}

// ---- of the parts of a shape

int cn_shape_get_part_material_count(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? s->material_count : 0;
}

static bool check_part_material(const char *function, const cn_shape *s, cn_shape_id shape, int index)
{
    if (s->material_count == 0)
        return cn_fail("%s: shape %u was created without materials for its parts", function, shape.index1);
    return cn_check_int_range(function, "index", index, 0, s->material_count - 1);
}

cn_material cn_shape_get_part_material(const cn_world *world, cn_shape_id shape, int index)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL && check_part_material(__func__, s, shape, index) ? s->materials[index] : (cn_material){ 0 };
}

bool cn_shape_set_part_material(cn_world *world, cn_shape_id shape, int index, const cn_material *material)
{
    cn_shape *s = cn_find_writable_shape(world, __func__, shape);
    if (s == NULL || !check_part_material(__func__, s, shape, index) || !cn_check_pointer(__func__, "material", material) ||
        !cn_check_material(__func__, "material", material))
        return false;
    s->materials[index] = *material;
    wake_with_neighbours(world, s->body);
    return true;
}

// ---- filter, user data, bounds

cn_filter cn_shape_get_filter(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? s->filter : (cn_filter){ 0 };
}

// Contacts the filter forbids now end; those it allows now are found in the next step.
bool cn_shape_set_filter(cn_world *world, cn_shape_id shape, cn_filter filter)
{
    cn_shape *s = cn_find_writable_shape(world, __func__, shape);
    if (s == NULL)
        return false;
    s->filter = filter;
    int index = (int)(s - world->shapes.data);
    if (s->sensor == CN_NONE)
        wake_with_neighbours(world, s->body);
    for (int key = world->bodies.data[s->body].first_contact; key != CN_NONE;) {
        const cn_contact *contact = &world->contacts.data[key >> 1];
        int contact_index = key >> 1;
        key = contact->edges[key & 1].next;
        if ((contact->shape_a == index || contact->shape_b == index) &&
            !cn_shapes_may_touch(world, &world->shapes.data[contact->shape_a], &world->shapes.data[contact->shape_b]))
            cn_contact_destroy(world, contact_index);
    }
    cn_shape_look_for_pairs(world, index);
    cn_shape_wake_overlapping(world, index);
    return true;
}

void *cn_shape_get_user_data(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? s->user_data : NULL;
}

bool cn_shape_set_user_data(cn_world *world, cn_shape_id shape, void *user_data)
{
    cn_shape *s = cn_find_writable_shape(world, __func__, shape);
    if (s == NULL)
        return false;
    s->user_data = user_data;
    return true;
}

cn_bounds cn_shape_get_bounds(const cn_world *world, cn_shape_id shape)
{
    const cn_shape *s = cn_find_shape(world, __func__, shape);
    return s != NULL ? cn_shape_bounds(world, s) : (cn_bounds){ 0 };
}
