#include "recording_scene.h"

#include <stdlib.h>
#include <string.h>

// ---- Convex shapes

static void get_hull(cn_cursor *in)
{
    uint32_t vertex_count = cn_get_u32(in), face_count = cn_get_u32(in);
    size_t left = in->size - in->at;
    if (!in->failed && (vertex_count < 4 || face_count < 4 || vertex_count > left / 12 || face_count > left / 16)) {
        cn_cursor_refuse(in, "a hull with an impossible number of vertices or faces");
        return;
    }
    for (uint32_t i = 0; !in->failed && i < vertex_count; ++i)
        cn_get_vec3(in);
    for (uint32_t i = 0; !in->failed && i < face_count; ++i) {
        int corners = cn_get_count(in, 4, "a face with more corners than the file has bytes");
        for (int j = 0; j < corners; ++j)
            if (cn_get_u32(in) >= vertex_count && !in->failed)
                cn_cursor_refuse(in, "a face corner that is no vertex of its hull");
    }
}

static void get_convex(cn_cursor *in, cn_shape_type type)
{
    if (type == CN_HULL) {
        get_hull(in);
    } else if (type == CN_BOX || type == CN_TAPERED_CAPSULE) {
        cn_get_vec3(in);
    } else {
        cn_get_float(in);
        cn_get_float(in);
    }
}

// The type of a shape up to `last`, and its place.
static cn_shape_type get_frame(cn_cursor *in, cn_shape_type last)
{
    uint32_t number = cn_get_u32(in);
    cn_get_vec3(in);
    cn_get_quat(in);
    cn_shape_type type = number < CN_SHAPE_TYPE_COUNT ? cn_recorded_types[number] : CN_SHAPE_TYPE_COUNT;
    if (!in->failed && type > last)
        cn_cursor_refuse(in, "an unknown shape type");
    return type;
}

// ---- Shared objects

static void get_mesh(cn_cursor *in)
{
    uint32_t vertex_count = cn_get_u32(in), triangle_count = cn_get_u32(in);
    size_t left = in->size - in->at;
    if (!in->failed && (vertex_count < 3 || triangle_count < 1 || vertex_count > left / 12 || triangle_count > left / 14)) {
        cn_cursor_refuse(in, "a mesh with an impossible number of vertices or triangles");
        return;
    }
    for (uint32_t i = 0; !in->failed && i < vertex_count; ++i)
        cn_get_vec3(in);
    for (uint32_t i = 0; !in->failed && i < 3 * triangle_count; ++i)
        if (cn_get_u32(in) >= vertex_count && !in->failed)
            cn_cursor_refuse(in, "a triangle corner that is no vertex of its mesh");
    cn_cursor_take(in, 2 * (size_t)triangle_count); // any material number will do
}

static void get_height_field(cn_cursor *in)
{
    uint32_t columns = cn_get_u32(in), rows = cn_get_u32(in);
    float spacing_x = cn_get_float(in), spacing_z = cn_get_float(in);
    size_t left = in->size - in->at;
    if (in->failed)
        return;
    if (columns < 2 || rows < 2 || columns > left / 4 || rows > left / 4 / columns) {
        cn_cursor_refuse(in, "a height field with an impossible number of columns or rows");
        return;
    }
    if (!(spacing_x > 0.0f && spacing_z > 0.0f)) {
        cn_cursor_refuse(in, "a height field whose spacing is not positive");
        return;
    }
    for (size_t i = 0; !in->failed && i < (size_t)columns * rows; ++i)
        cn_get_float(in);
    cn_cursor_take(in, (size_t)(columns - 1) * (rows - 1));
}

static void get_compound(cn_cursor *in)
{
    int count = cn_get_count(in, 40, "a compound with more parts than the file has bytes");
    if (count == 0 && !in->failed)
        cn_cursor_refuse(in, "a compound without parts");
    for (int i = 0; !in->failed && i < count; ++i) {
        cn_shape_type type = get_frame(in, CN_HULL);
        if (!in->failed)
            get_convex(in, type);
    }
}

static void note_form(cn_cursor *in, cn_form_types *forms, cn_shape_type type)
{
    if (forms->count == forms->capacity) {
        int capacity = forms->capacity ? 2 * forms->capacity : 64;
        uint8_t *larger = realloc(forms->types, (size_t)capacity);
        if (!larger) {
            cn_cursor_refuse(in, "out of memory");
            return;
        }
        forms->types = larger;
        forms->capacity = capacity;
    }
    forms->types[forms->count++] = (uint8_t)type;
}

bool cn_get_form(cn_cursor *in, const char *tag, cn_form_types *forms)
{
    static const struct {
        const char *tag;
        cn_shape_type type;
        void (*read)(cn_cursor *in);
    } kinds[] = {
        { "MESH", CN_MESH, get_mesh },
        { "HFLD", CN_HEIGHT_FIELD, get_height_field },
        { "COMP", CN_COMPOUND, get_compound },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(tag, kinds[i].tag) == 0) {
            kinds[i].read(in);
            if (!in->failed)
                note_form(in, forms, kinds[i].type);
            return true;
        }
    return false;
}

// ---- Shapes

static void get_reference(cn_cursor *in, cn_shape_type type, const cn_form_types *forms)
{
    uint32_t number = cn_get_u32(in);
    cn_vec3 scale = cn_get_vec3(in);
    if (!in->failed && (number >= (uint32_t)forms->count || forms->types[number] != type))
        cn_cursor_refuse(in, "a shape of a mesh, height field or compound that is not in the file");
    if (!in->failed && (scale.x == 0.0f || scale.y == 0.0f || scale.z == 0.0f))
        cn_cursor_refuse(in, "a shape that is scaled by 0");
}

void cn_get_shapes(cn_cursor *in, int count, const cn_form_types *forms, cn_recording *recording)
{
    for (int i = 0; !in->failed && i < count; ++i) {
        cn_shape_type type = get_frame(in, CN_COMPOUND);
        if (in->failed)
            return;
        ++recording->shapes_of[type];
        ++recording->shape_count;
        if (type >= CN_MESH)
            get_reference(in, type, forms);
        else
            get_convex(in, type);
    }
}
