// Meshes, from files or written out, and height fields.
#include "io/regular_file.h"
#include "json_assets.h"
#include "mesh_file.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = INT_MAX / 64, LONGEST_PATH = 4096 };

// A file that is named relative to the folder of the scene.
static void resolve(const cn_json *at, const char *name, char path[LONGEST_PATH])
{
    const char *slash = name[0] == '/' ? NULL : strrchr(at->file->path, '/');
    snprintf(path, LONGEST_PATH, "%.*s%s", slash ? (int)(slash - at->file->path) + 1 : 0, at->file->path, name);
}

// A list, with room for its numbers; NULL after a failure.
static void *room_for(const cn_json *list, const char *expected, size_t size, int *count)
{
    if (!cn_json_list(list, expected))
        return NULL;
    void *room = cn_json_count(list) < MOST_ITEMS ? calloc(cn_json_count(list) + 1, size) : NULL;
    if (!room)
        cn_json_fail(list, "is too long");
    *count = (int)cn_json_count(list);
    return room;
}

// Numbers of materials, of which there must be `count`. The asset notes how many materials they call for.
static bool read_numbers(const cn_json *list, int count, int most, cn_asset *asset, uint16_t *numbers)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a list of %d numbers", count);
    if (json_array_size(list->value) != (size_t)count)
        return cn_json_expect(list, expected);
    for (int i = 0, number; i < count; ++i) {
        cn_json element = cn_json_element(list, (size_t)i);
        if (!cn_json_whole(&element, 0, most, &number))
            return false;
        numbers[i] = (uint16_t)number;
        asset->material_count = number >= asset->material_count ? number + 1 : asset->material_count;
    }
    return true;
}

// ---- Meshes

typedef struct mesh_fields {
    const char *file;
    bool smooth;
    cn_vec3 scale;
} mesh_fields;

static const cn_field mesh_table[] = {
    { "file", CN_FIELD_TEXT, offsetof(mesh_fields, file) },
    { "smooth", CN_FIELD_BOOL, offsetof(mesh_fields, smooth) },
    { "scale", CN_FIELD_SCALE, offsetof(mesh_fields, scale), CN_RANGE_POSITIVE },
    { "vertices", CN_FIELD_OTHER },
    { "triangles", CN_FIELD_OTHER },
    { "materials", CN_FIELD_OTHER },
};

static void scale_vertices(cn_vec3 *vertices, int count, cn_vec3 scale)
{
    for (int i = 0; i < count; ++i)
        vertices[i] = (cn_vec3){ scale.x * vertices[i].x, scale.y * vertices[i].y, scale.z * vertices[i].z };
}

static bool keep_names(const cn_mesh_file *file, cn_asset *asset)
{
    asset->names = calloc((size_t)file->name_count + 1, sizeof *asset->names);
    asset->material_count = file->name_count;
    for (int i = 0; asset->names && i < file->name_count; ++i) {
        size_t size = strlen(file->names[i]) + 1;
        if (!(asset->names[i] = malloc(size)))
            return false;
        memcpy(asset->names[i], file->names[i], size);
    }
    return asset->names != NULL;
}

static bool read_mesh_file(const cn_json *at, const mesh_fields *fields, const char *command, cn_asset *asset)
{
    char path[LONGEST_PATH];
    cn_mesh_file file;
    resolve(at, fields->file, path);
    bool good = cn_mesh_file_read(&file, path) || cn_json_refused(at);
    scale_vertices(file.vertices, file.vertex_count, fields->scale);
    if (good && !(asset->mesh = cn_mesh_file_build(&file, fields->smooth)))
        good = cn_json_refused(at);
    if (good && !keep_names(&file, asset))
        good = cn_json_fail(at, "needs more memory than there is");
    int dropped = good ? file.triangle_count - cn_mesh_get_triangle_count(asset->mesh) : 0;
    if (dropped > 0)
        cn_complain(command, "%s: %d of %d triangles have no area and are left out", path, dropped, file.triangle_count);
    cn_mesh_file_free(&file);
    return good;
}

static bool read_triangles(const cn_json *list, int vertex_count, int *indices)
{
    for (size_t i = 0; i < cn_json_count(list); ++i) {
        cn_json triangle = cn_json_element(list, i);
        if (json_array_size(triangle.value) != 3)
            return cn_json_expect(&triangle, "a list of 3 numbers of vertices");
        for (size_t k = 0; k < 3; ++k) {
            cn_json corner = cn_json_element(&triangle, k);
            if (!cn_json_whole(&corner, 0, vertex_count - 1, &indices[3 * i + k]))
                return false;
        }
    }
    return true;
}

static bool read_vertices(const cn_json *list, cn_vec3 *vertices)
{
    for (size_t i = 0; i < cn_json_count(list); ++i) {
        cn_json vertex = cn_json_element(list, i);
        if (!cn_json_vec3(&vertex, (cn_range)CN_RANGE_ANY, &vertices[i]))
            return false;
    }
    return true;
}

static bool read_written_mesh(const cn_json *at, const mesh_fields *fields, cn_asset *asset)
{
    cn_json vertex_list, triangle_list, material_list;
    cn_mesh_def def = cn_mesh_def_default();
    if (!cn_json_member(at, "vertices", &vertex_list) || !cn_json_member(at, "triangles", &triangle_list))
        return cn_json_fail(at, "must have a \"file\", or \"vertices\" and \"triangles\"");
    cn_vec3 *vertices = room_for(&vertex_list, "a list of places", sizeof *vertices, &def.vertex_count);
    int *indices = room_for(&triangle_list, "a list of triangles", 3 * sizeof *indices, &def.triangle_count);
    uint16_t *materials = NULL;
    bool good = vertices && indices && read_vertices(&vertex_list, vertices) &&
                read_triangles(&triangle_list, def.vertex_count, indices);
    if (good && cn_json_member(at, "materials", &material_list)) {
        materials = calloc((size_t)def.triangle_count + 1, sizeof *materials);
        good = materials && read_numbers(&material_list, def.triangle_count, UINT16_MAX, asset, materials);
    }
    def.vertices = vertices;
    def.indices = indices;
    def.materials = materials;
    def.smooth = fields->smooth;
    if (good) {
        scale_vertices(vertices, def.vertex_count, fields->scale);
        asset->mesh = cn_mesh_create(&def);
        good = asset->mesh || cn_json_refused(at);
    }
    free(vertices);
    free(indices);
    free(materials);
    return good;
}

bool cn_json_mesh(const cn_json *at, const char *command, cn_asset *asset)
{
    mesh_fields fields = { .scale = { 1.0f, 1.0f, 1.0f } };
    cn_json member;
    if (!CN_JSON_FIELDS(at, mesh_table, &fields))
        return false;
    if (!fields.file)
        return read_written_mesh(at, &fields, asset);
    static const char *const others[] = { "vertices", "triangles", "materials" };
    for (int i = 0; i < 3; ++i)
        if (cn_json_member(at, others[i], &member))
            return cn_json_fail(&member, "does not go with \"file\"");
    cn_json_member(at, "file", &member);
    return read_mesh_file(&member, &fields, command, asset);
}

// ---- Height fields

#define AT(field) offsetof(cn_height_field_def, field)
static const cn_field height_field_table[] = {
    { "columns", CN_FIELD_INT, AT(columns), { 2.0, 32768.0, false }, .required = true },
    { "rows", CN_FIELD_INT, AT(rows), { 2.0, 32768.0, false }, .required = true },
    { "spacing", CN_FIELD_OTHER, .required = true },
    { "smooth", CN_FIELD_BOOL, AT(smooth) },
    { "heights", CN_FIELD_OTHER },
    { "file", CN_FIELD_OTHER },
    { "holes", CN_FIELD_OTHER },
    { "materials", CN_FIELD_OTHER },
};
#undef AT

static bool read_spacing(const cn_json *at, cn_height_field_def *def)
{
    cn_json member;
    double spacing[2];
    cn_range range = CN_RANGE_POSITIVE;
    cn_json_member(at, "spacing", &member);
    if (json_is_array(member.value) ? !cn_json_numbers(&member, 2, range, spacing)
                                    : !cn_json_number_in(&member, range, &spacing[0]))
        return false;
    def->spacing_x = (float)spacing[0];
    def->spacing_z = (float)(json_is_array(member.value) ? spacing[1] : spacing[0]);
    return true;
}

// 32-bit floats, the lowest byte first, and nothing else.
static bool read_height_file(const cn_json *at, size_t count, float *heights)
{
    char path[LONGEST_PATH];
    unsigned char bytes[4];
    const char *name;
    if (!cn_json_text(at, &name))
        return false;
    resolve(at, name, path);
    FILE *file = cn_regular_file_open(path);
    if (!file)
        return cn_json_fail(at, ": %s", cn_last_error());
    size_t read = 0;
    for (; read < count && fread(bytes, 1, 4, file) == 4; ++read) {
        uint32_t bits = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        memcpy(&heights[read], &bits, sizeof bits);
    }
    bool exact = read == count && fgetc(file) == EOF;
    fclose(file);
    return exact || cn_json_fail(at, ": %s does not hold %zu heights of 4 bytes", path, count);
}

static bool read_heights(const cn_json *at, size_t count, float *heights)
{
    cn_json list, file;
    bool written = cn_json_member(at, "heights", &list);
    if (written == cn_json_member(at, "file", &file))
        return cn_json_fail(at, "must have either \"heights\" or a \"file\" of them");
    if (!written)
        return read_height_file(&file, count, heights);
    char expected[64];
    snprintf(expected, sizeof expected, "a list of %zu numbers, columns times rows", count);
    if (json_array_size(list.value) != count)
        return cn_json_expect(&list, expected);
    for (size_t i = 0; i < count; ++i) {
        cn_json element = cn_json_element(&list, i);
        double height;
        if (!cn_json_number_in(&element, (cn_range)CN_RANGE_ANY, &height))
            return false;
        heights[i] = (float)height;
    }
    return true;
}

static bool read_holes(const cn_json *list, const cn_height_field_def *def, uint8_t *holes)
{
    if (!cn_json_list(list, "a list of cells, each [column, row]"))
        return false;
    for (size_t i = 0; i < cn_json_count(list); ++i) {
        cn_json cell = cn_json_element(list, i), column = cn_json_element(&cell, 0), row = cn_json_element(&cell, 1);
        int c, r;
        if (json_array_size(cell.value) != 2)
            return cn_json_expect(&cell, "a cell: [column, row]");
        if (!cn_json_whole(&column, 0, def->columns - 2, &c) || !cn_json_whole(&row, 0, def->rows - 2, &r))
            return false;
        holes[(size_t)r * (size_t)(def->columns - 1) + (size_t)c] = 1;
    }
    return true;
}

static bool read_cells(const cn_json *list, int count, cn_asset *asset, uint16_t *numbers, uint8_t *cells)
{
    if (!read_numbers(list, count, UINT8_MAX, asset, numbers))
        return false;
    for (int i = 0; i < count; ++i)
        cells[i] = (uint8_t)numbers[i];
    return true;
}

bool cn_json_height_field(const cn_json *at, cn_asset *asset)
{
    cn_height_field_def def = cn_height_field_def_default();
    cn_json holes_list, cell_list;
    if (!CN_JSON_FIELDS(at, height_field_table, &def) || !read_spacing(at, &def))
        return false;
    size_t count = (size_t)def.columns * (size_t)def.rows, cells = (size_t)(def.columns - 1) * (size_t)(def.rows - 1);
    float *heights = malloc(count * sizeof *heights);
    uint8_t *holes = calloc(cells, 1), *materials = calloc(cells, 1);
    uint16_t *numbers = calloc(cells, sizeof *numbers);
    bool good = (heights && holes && materials && numbers) || cn_json_fail(at, "needs more memory than there is");
    good = good && read_heights(at, count, heights);
    def.heights = heights;
    if (good && cn_json_member(at, "holes", &holes_list)) {
        good = read_holes(&holes_list, &def, holes);
        def.holes = holes;
    }
    if (good && cn_json_member(at, "materials", &cell_list)) {
        good = read_cells(&cell_list, (int)cells, asset, numbers, materials);
        def.materials = materials;
    }
    if (good && !(asset->height_field = cn_height_field_create(&def)))
        good = cn_json_refused(at);
    free(heights);
    free(holes);
    free(materials);
    free(numbers);
    return good;
}
