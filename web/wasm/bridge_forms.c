// Meshes, height fields and compounds: made from arrays, and read back for drawing.
#include "bridge.h"

#include <stdlib.h>

// ---- meshes

cn_mesh *EXPORT(mesh_create)(const cn_vec3 *vertices, int vertex_count, const int *indices, int triangle_count,
                             const uint16_t *materials, const cn_vec3 *normals, int smooth, int drop_degenerate)
{
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = vertices, def.vertex_count = vertex_count;
    def.indices = indices, def.triangle_count = triangle_count;
    def.materials = materials, def.normals = normals;
    def.smooth = smooth != 0, def.drop_degenerate = drop_degenerate != 0;
    return cn_mesh_create(&def);
}

void EXPORT(mesh_destroy)(cn_mesh *mesh) { cn_mesh_destroy(mesh); }
int EXPORT(mesh_vertex_count)(const cn_mesh *mesh) { return cn_mesh_get_vertex_count(mesh); }
int EXPORT(mesh_triangle_count)(const cn_mesh *mesh) { return cn_mesh_get_triangle_count(mesh); }

// All vertices, and three indices and a material per triangle; those that were dropped are left out.
void EXPORT(mesh_read)(const cn_mesh *mesh, cn_vec3 *vertices, int *indices, uint16_t *materials)
{
    int vertex_count = cn_mesh_get_vertex_count(mesh), triangle_count = cn_mesh_get_triangle_count(mesh);
    for (int i = 0; i < vertex_count; i++)
        vertices[i] = cn_mesh_get_vertex(mesh, i);
    for (int i = 0, found = 0; found < triangle_count; i++)
        if (cn_mesh_get_triangle(mesh, i, indices + 3 * found))
            materials[found++] = (uint16_t)cn_mesh_get_triangle_material(mesh, i);
}

// ---- height fields

cn_height_field *EXPORT(height_field_create)(int columns, int rows, float spacing_x, float spacing_z, const float *heights,
                                             const uint8_t *holes, const uint8_t *materials, int smooth)
{
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = columns, def.rows = rows, def.spacing_x = spacing_x, def.spacing_z = spacing_z;
    def.heights = heights, def.holes = holes, def.materials = materials, def.smooth = smooth != 0;
    return cn_height_field_create(&def);
}

void EXPORT(height_field_destroy)(cn_height_field *field) { cn_height_field_destroy(field); }
int EXPORT(height_field_columns)(const cn_height_field *field) { return cn_height_field_get_columns(field); }
int EXPORT(height_field_rows)(const cn_height_field *field) { return cn_height_field_get_rows(field); }

// All heights, whether each cell is a hole, and the spacing in the mail.
void EXPORT(height_field_read)(const cn_height_field *field, float *heights, uint8_t *holes)
{
    int columns = cn_height_field_get_columns(field), rows = cn_height_field_get_rows(field);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            *heights++ = cn_height_field_get_height(field, column, row);
    for (int row = 0; row < rows - 1; row++)
        for (int column = 0; column < columns - 1; column++)
            *holes++ = cn_height_field_is_hole(field, column, row);
    put3(&(letter){ 0 }, cn_height_field_get_spacing(field));
}

// ---- compounds

// Room for the parts of a compound, which go through the mail one by one.
cn_compound_part *EXPORT(parts_create)(int count) { return calloc((size_t)(count > 0 ? count : 1), sizeof(cn_compound_part)); }

// Type, radius, top radius, half height, half extents, position, rotation, material. `points` are those of a hull and must stay.
void EXPORT(parts_set)(cn_compound_part *parts, int index, const cn_vec3 *points, int point_count)
{
    letter l = { 0 };
    cn_compound_part *part = &parts[index];
    part->geometry = take_geometry(&l);
    part->offset.position = take3(&l), part->offset.rotation = take4(&l), part->material = (uint16_t)takei(&l);
    part->points = points, part->point_count = point_count;
}

cn_compound *EXPORT(compound_create)(const cn_compound_part *parts, int count)
{
    return cn_compound_create(parts, count, NULL);
}
void EXPORT(compound_destroy)(cn_compound *compound) { cn_compound_destroy(compound); }
int EXPORT(compound_count)(const cn_compound *compound) { return cn_compound_get_count(compound); }

// The same letters as shape_get_form().
void EXPORT(compound_get_form)(const cn_compound *compound, int part)
{
    cn_geometry g = cn_compound_get_geometry(compound, part);
    put_form(&g, cn_compound_get_offset(compound, part));
}

int EXPORT(compound_get_vertices)(const cn_compound *compound, int part, cn_vec3 *vertices, int capacity)
{
    return cn_compound_get_vertices(compound, part, vertices, capacity);
}

int EXPORT(compound_get_face)(const cn_compound *compound, int part, int face, int *vertices, int capacity)
{
    return cn_compound_get_face(compound, part, face, vertices, capacity);
}
