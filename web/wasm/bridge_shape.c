// Shapes and hulls.
#include "bridge.h"

#include <stdlib.h>

// ---- shapes

void EXPORT(material_defaults)(void)
{
    cn_material material = cn_material_default();
    put_material(&(letter){ 0 }, &material);
}

// The materials of the parts of the next shape, one after the other: room for `count` of them, then each through the mail.
// Their number is their user data, which hits report.
cn_material *EXPORT(materials_create)(int count) { return calloc((size_t)(count > 0 ? count : 1), sizeof(cn_material)); }

void EXPORT(materials_set)(cn_material *materials, int index)
{
    materials[index] = take_material(&(letter){ 0 });
    materials[index].user_data = (uint64_t)index;
}

void EXPORT(shape_defaults)(void)
{
    cn_shape_def def = cn_shape_def_default();
    letter l = { 0 };
    put3(&l, def.offset.position), put4(&l, def.offset.rotation), put(&l, (double)def.density);
    put_material(&l, &def.material);
    put_filter(&l, &def.filter), put(&l, def.sensor);
}

static void set_form(cn_geometry *g, void *form)
{
    g->mesh = g->type == CN_MESH ? form : NULL;
    g->height_field = g->type == CN_HEIGHT_FIELD ? form : NULL;
    g->compound = g->type == CN_COMPOUND ? form : NULL;
}

// The mail holds what shape_defaults() writes, then what put_form() writes of the geometry, and its scale. `form` is the mesh,
// height field or compound of a shape that has one, `materials` those of its parts or NULL.
static cn_shape_def take_shape(uint64_t hull, void *form, const cn_material *materials, int material_count)
{
    cn_shape_def def = cn_shape_def_default();
    letter l = { 0 };
    def.offset.position = take3(&l), def.offset.rotation = take4(&l), def.density = takef(&l);
    def.material = take_material(&l);
    def.filter = take_filter(&l), def.sensor = takeb(&l);
    def.geometry = take_geometry(&l);
    def.geometry.scale = take3(&l);
    def.geometry.hull = HULL;
    set_form(&def.geometry, form);
    def.materials = materials, def.material_count = material_count;
    return def;
}

uint64_t EXPORT(shape_create)(bridge *b, uint64_t body, uint64_t hull, void *form, const cn_material *materials,
                              int material_count)
{
    cn_shape_def def = take_shape(hull, form, materials, material_count);
    cn_shape_id id = cn_shape_create(WORLD, BODY, &def);
    return PACK(id);
}

// Room for the definitions of many shapes, which go through the mail one by one.
cn_shape_def *EXPORT(shapes_begin)(int count) { return calloc((size_t)(count > 0 ? count : 1), sizeof(cn_shape_def)); }

void EXPORT(shapes_set)(cn_shape_def *defs, int index, uint64_t hull, void *form, const cn_material *materials, int material_count)
{
    defs[index] = take_shape(hull, form, materials, material_count);
}

// `ids` has room for all; answers how many there are, 0 on failure.
int EXPORT(shapes_create)(bridge *b, uint64_t body, const cn_shape_def *defs, int count, uint64_t *ids)
{
    bool made = cn_shape_create_many(WORLD, BODY, defs, count, (cn_shape_id *)(void *)ids);
    return made ? pack_ids(ids, count, count) : 0;
}

int EXPORT(shape_get_collide)(const bridge *b, uint64_t shape, uint64_t other)
{
    return cn_shape_get_collide(WORLD, SHAPE, UNPACK(cn_shape_id, other));
}
int EXPORT(shape_set_collide)(bridge *b, uint64_t shape, uint64_t other, int collide)
{
    return cn_shape_set_collide(WORLD, SHAPE, UNPACK(cn_shape_id, other), collide != 0);
}

int EXPORT(shape_destroy)(bridge *b, uint64_t shape) { return cn_shape_destroy(WORLD, SHAPE); }

uint64_t EXPORT(shape_get_body)(const bridge *b, uint64_t shape)
{
    cn_body_id id = cn_shape_get_body(WORLD, SHAPE);
    return PACK(id);
}

// Type, radius, top radius, half height, half extents, position, rotation, scale; answers the hull, if it is one.
uint64_t EXPORT(shape_get_form)(const bridge *b, uint64_t shape)
{
    cn_geometry g = cn_shape_get_geometry(WORLD, SHAPE);
    put_form(&g, cn_shape_get_offset(WORLD, SHAPE));
    return PACK(g.hull);
}

// The mesh, height field or compound that it is made of, or NULL.
const void *EXPORT(shape_get_shared)(const bridge *b, uint64_t shape)
{
    cn_geometry g = cn_shape_get_geometry(WORLD, SHAPE);
    switch (g.type) {
    case CN_MESH: return g.mesh;
    case CN_HEIGHT_FIELD: return g.height_field;
    case CN_COMPOUND: return g.compound;
    default: return NULL;
    }
}

// ---- sensors

// What overlaps a sensor; how many there are, and the ids of the first ones.
int EXPORT(shape_get_overlaps)(const bridge *b, uint64_t shape, uint64_t *ids, int capacity)
{
    return pack_ids(ids, cn_shape_get_overlaps(WORLD, SHAPE, (cn_shape_id *)ids, capacity), capacity);
}

// How many began (or ended, when `ended`) with the last step; sensor and visitor of the first ones.
int EXPORT(world_sensor_events)(const bridge *b, int ended, uint64_t *ids, int capacity)
{
    cn_sensor_events events = cn_world_get_sensor_events(WORLD);
    const cn_sensor_event *list = ended ? events.end : events.begin;
    int count = ended ? events.end_count : events.begin_count;
    for (int i = 0; i < count && i < capacity; i++)
        ids[2 * i] = PACK(list[i].sensor), ids[2 * i + 1] = PACK(list[i].visitor);
    return count;
}

// ---- hulls

uint64_t EXPORT(hull_create)(bridge *b, const cn_vec3 *points, int count)
{
    cn_hull_id id = cn_hull_create(WORLD, points, count);
    return PACK(id);
}

int EXPORT(hull_destroy)(bridge *b, uint64_t hull) { return cn_hull_destroy(WORLD, HULL); }

int EXPORT(hull_get_vertices)(const bridge *b, uint64_t hull, cn_vec3 *vertices, int capacity)
{
    return cn_hull_get_vertices(WORLD, HULL, vertices, capacity);
}

int EXPORT(hull_get_face_count)(const bridge *b, uint64_t hull) { return cn_hull_get_face_count(WORLD, HULL); }

int EXPORT(hull_get_face)(const bridge *b, uint64_t hull, int face, int *vertices, int capacity)
{
    return cn_hull_get_face(WORLD, HULL, face, vertices, capacity);
}
