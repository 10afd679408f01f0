#include "cairn/mesh.h"
#include "recording_scene.h"

#include <stdlib.h>

// ---- Shared objects

const void *cn_form_of(const cn_geometry *geometry)
{
    switch (geometry->type) {
    case CN_MESH: return geometry->mesh;
    case CN_HEIGHT_FIELD: return geometry->height_field;
    case CN_COMPOUND: return geometry->compound;
    default: return NULL;
    }
}

int cn_form_number(const cn_form_list *forms, const void *form)
{
    for (int i = forms->count - 1; i >= 0; --i)
        if (forms->items[i] == form)
            return i;
    return -1;
}

bool cn_form_add(cn_form_list *forms, const void *form)
{
    if (forms->count == forms->capacity) {
        int capacity = forms->capacity ? 2 * forms->capacity : 16;
        const void **larger = realloc((void *)forms->items, (size_t)capacity * sizeof *larger);
        if (!larger)
            return false;
        forms->items = larger;
        forms->capacity = capacity;
    }
    forms->items[forms->count++] = form;
    return true;
}

static void put_mesh(cn_buffer *out, const cn_mesh *mesh)
{
    int vertex_count = cn_mesh_get_vertex_count(mesh), triangle_count = cn_mesh_get_triangle_count(mesh);
    cn_put_u32(out, (uint32_t)vertex_count);
    cn_put_u32(out, (uint32_t)triangle_count);
    for (int i = 0; i < vertex_count; ++i)
        cn_put_vec3(out, cn_mesh_get_vertex(mesh, i));
    int corners[3];
    for (int i = 0, found = 0; found < triangle_count; ++i) {
        if (!cn_mesh_get_triangle(mesh, i, corners))
            continue; // it was dropped
        ++found;
        for (int c = 0; c < 3; ++c)
            cn_put_u32(out, (uint32_t)corners[c]);
    }
    for (int i = 0, found = 0; found < triangle_count; ++i)
        if (cn_mesh_get_triangle(mesh, i, corners)) {
            ++found;
            cn_put_bits(out, (uint64_t)cn_mesh_get_triangle_material(mesh, i), 2);
        }
}

static void put_height_field(cn_buffer *out, const cn_height_field *field)
{
    int columns = cn_height_field_get_columns(field), rows = cn_height_field_get_rows(field);
    cn_vec3 spacing = cn_height_field_get_spacing(field);
    cn_put_u32(out, (uint32_t)columns);
    cn_put_u32(out, (uint32_t)rows);
    cn_put_float(out, spacing.x);
    cn_put_float(out, spacing.z);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            cn_put_float(out, cn_height_field_get_height(field, column, row));
    for (int row = 0; row < rows - 1; ++row)
        for (int column = 0; column < columns - 1; ++column)
            cn_put_bits(out, cn_height_field_is_hole(field, column, row), 1);
}

// ---- Convex shapes

// A hull of the world, or a part of a compound.
typedef struct hull_source {
    const cn_world *world;
    cn_hull_id hull;
    const cn_compound *compound; // NULL: the hull of the world counts
    int part;
} hull_source;

static int get_vertices(const hull_source *source, cn_vec3 *vertices, int capacity)
{
    return source->compound ? cn_compound_get_vertices(source->compound, source->part, vertices, capacity)
                            : cn_hull_get_vertices(source->world, source->hull, vertices, capacity);
}

static int get_face(const hull_source *source, int face, int *vertices, int capacity)
{
    return source->compound ? cn_compound_get_face(source->compound, source->part, face, vertices, capacity)
                            : cn_hull_get_face(source->world, source->hull, face, vertices, capacity);
}

static int get_face_count(const hull_source *source)
{
    if (!source->compound)
        return cn_hull_get_face_count(source->world, source->hull);
    int count = 0;
    while (get_face(source, count, NULL, 0) > 0)
        ++count;
    return count;
}

static void put_hull(cn_buffer *out, const hull_source *source)
{
    int vertex_count = get_vertices(source, NULL, 0), face_count = get_face_count(source);
    cn_vec3 *vertices = calloc((size_t)vertex_count + 1, sizeof *vertices);
    int *face = calloc((size_t)vertex_count + 1, sizeof *face);
    if (!vertices || !face)
        out->failed = true;
    cn_put_u32(out, (uint32_t)vertex_count);
    cn_put_u32(out, (uint32_t)face_count);
    for (int i = 0; !out->failed && i < get_vertices(source, vertices, vertex_count); ++i)
        cn_put_vec3(out, vertices[i]);
    for (int i = 0; !out->failed && i < face_count; ++i) {
        int corners = get_face(source, i, face, vertex_count);
        cn_put_u32(out, (uint32_t)corners);
        for (int j = 0; j < corners; ++j)
            cn_put_u32(out, (uint32_t)face[j]);
    }
    free(vertices);
    free(face);
}

static void put_frame(cn_buffer *out, cn_shape_type type, cn_pose offset)
{
    uint32_t number = 0;
    while (cn_recorded_types[number] != type)
        ++number;
    cn_put_u32(out, number);
    cn_put_vec3(out, offset.position);
    cn_put_quat(out, offset.rotation);
}

// Lengths in the order of docs/recording.md, and for a hull its description.
static void put_convex(cn_buffer *out, const cn_geometry *g, const hull_source *source)
{
    switch (g->type) {
    case CN_BOX: cn_put_vec3(out, g->half_extents); break;
    case CN_HULL: put_hull(out, source); break;
    case CN_TAPERED_CAPSULE: cn_put_vec3(out, (cn_vec3){ g->radius, g->top_radius, g->half_height }); break;
    default: cn_put_float(out, g->radius); cn_put_float(out, g->type == CN_SPHERE ? 0.0f : g->half_height);
    }
}

static void put_compound(cn_buffer *out, const cn_compound *compound)
{
    int count = cn_compound_get_count(compound);
    cn_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; ++i) {
        cn_geometry geometry = cn_compound_get_geometry(compound, i);
        put_frame(out, geometry.type, cn_compound_get_offset(compound, i));
        put_convex(out, &geometry, &(hull_source){ .compound = compound, .part = i });
    }
}

const char *cn_put_form(cn_buffer *out, const cn_geometry *geometry)
{
    switch (geometry->type) {
    case CN_MESH: put_mesh(out, geometry->mesh); return "MESH";
    case CN_HEIGHT_FIELD: put_height_field(out, geometry->height_field); return "HFLD";
    default: put_compound(out, geometry->compound); return "COMP";
    }
}

// ---- Bodies

static void put_shape(cn_buffer *out, const cn_world *world, cn_shape_id shape, const cn_form_list *forms)
{
    cn_geometry geometry = cn_shape_get_geometry(world, shape);
    const void *form = cn_form_of(&geometry);
    put_frame(out, geometry.type, cn_shape_get_offset(world, shape));
    if (form) {
        cn_put_u32(out, (uint32_t)cn_form_number(forms, form));
        cn_put_vec3(out, geometry.type == CN_COMPOUND ? (cn_vec3){ 1.0f, 1.0f, 1.0f } : geometry.scale);
    } else {
        put_convex(out, &geometry, &(hull_source){ .world = world, .hull = geometry.hull });
    }
}

void cn_put_body(cn_buffer *out, const cn_world *world, cn_body_id body, const cn_form_list *forms)
{
    cn_transform transform = cn_body_get_transform(world, body);
    int count = cn_body_get_shape_count(world, body);
    cn_shape_id *shapes = calloc((size_t)count + 1, sizeof *shapes);
    cn_put_u32(out, (uint32_t)cn_body_get_type(world, body));
    cn_put_u32(out, (uint32_t)count);
    cn_put_double(out, transform.position.x);
    cn_put_double(out, transform.position.y);
    cn_put_double(out, transform.position.z);
    cn_put_quat(out, transform.rotation);
    if (!shapes) {
        out->failed = true;
        return;
    }
    cn_body_get_shapes(world, body, shapes, count);
    for (int i = 0; i < count; ++i)
        put_shape(out, world, shapes[i], forms);
    free(shapes);
}
