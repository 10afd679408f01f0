// Shapes of many parts: triangle meshes, height fields, compounds. Each is built once, never changes, and is shared by any
// number of shapes in any number of worlds, on any threads. Its creator lets go of it with the destroy function; shapes that use
// it keep it as long as they need it. They collide with convex shapes, not with each other.
#ifndef CAIRN_MESH_H
#define CAIRN_MESH_H

#include "cairn/mass.h"
#include "cairn/shape.h"

// ---- triangle meshes

typedef struct cn_mesh_def {
    const cn_vec3 *vertices; // coordinates within 1e6 m
    int vertex_count;
    const int *indices; // 3 per triangle, counter-clockwise seen from the front, which is the side that collides
    int triangle_count;        // 1 to 2^28
    const uint16_t *materials; // one per triangle: a number in cn_shape_def.materials; NULL: all 0
    const cn_vec3 *normals; // one per vertex, for smooth meshes; NULL: the mean of the triangles around it, weighted by angle
    bool smooth;               // contact normals are interpolated between those of the vertices
    bool drop_degenerate;      // leave out triangles without area instead of refusing the mesh
    const cn_allocator *allocator; // NULL: malloc
} cn_mesh_def;

CN_API cn_mesh_def cn_mesh_def_default(void);

// NULL, with cn_last_error(), when a vertex is not finite or too far out, an index is out of range, a triangle has no area, or
// there is none at all. Takes time proportional to n log n. The arrays of the definition are copied.
CN_API cn_mesh *cn_mesh_create(const cn_mesh_def *def);
CN_API void cn_mesh_destroy(cn_mesh *mesh); // NULL is allowed
CN_API int cn_mesh_get_vertex_count(const cn_mesh *mesh);
CN_API int cn_mesh_get_triangle_count(const cn_mesh *mesh); // without those that were dropped
CN_API cn_vec3 cn_mesh_get_vertex(const cn_mesh *mesh, int vertex);
// The vertices of a triangle. Triangles keep the numbers they were given; one that was dropped answers false.
CN_API bool cn_mesh_get_triangle(const cn_mesh *mesh, int triangle, int vertices[3]);
CN_API int cn_mesh_get_triangle_material(const cn_mesh *mesh, int triangle);
// Bytes beyond the vertices and the indices: tree, edges, materials, numbers.
CN_API size_t cn_mesh_get_overhead(const cn_mesh *mesh);

// Everything, tree included, as bytes that can be stored and loaded on any machine. Returns how many there are, and writes them
// when `capacity` suffices.
CN_API size_t cn_mesh_save(const cn_mesh *mesh, void *bytes, size_t capacity);
// NULL, with cn_last_error(), when the bytes are not a mesh that this version wrote, or damaged.
CN_API cn_mesh *cn_mesh_load(const void *bytes, size_t size, const cn_allocator *allocator);

// The mesh as a shape, scaled along its axes; a negative factor mirrors it, and its front stays the front. On a dynamic body it
// weighs what it encloses; one that is open or inside out is refused there unless its density is 0.
CN_API cn_geometry cn_geometry_mesh(const cn_mesh *mesh, cn_vec3 scale);

// ---- height fields

typedef struct cn_height_field_def {
    int columns, rows;          // samples along x and along z, 2 to 65,537 each, and at most 2^31 - 1 triangles between them
    float spacing_x, spacing_z; // metres between them; the field is at most 1e6 m long and wide
    // Row after row, each within 1e6 m: the sample at (column, row) lies at (column * spacing_x, height, row * spacing_z).
    const float *heights;
    const uint8_t *holes;      // one per cell, (columns - 1) * (rows - 1) of them: nothing is there unless it is 0; NULL: none
    const uint8_t *materials;  // one per cell: a number in cn_shape_def.materials; NULL: all 0
    bool smooth;               // contact normals are interpolated between those of the samples
    const cn_allocator *allocator; // NULL: malloc
} cn_height_field_def;

CN_API cn_height_field_def cn_height_field_def_default(void);

// A cell is two triangles that share the diagonal from its sample (column, row) to (column + 1, row + 1); they face up.
// Triangle 2 * cell lies on the side of (column, row + 1), triangle 2 * cell + 1 on the side of (column + 1, row).
// NULL, with cn_last_error(), for numbers beyond these limits, and when all cells are holes.
CN_API cn_height_field *cn_height_field_create(const cn_height_field_def *def);
CN_API void cn_height_field_destroy(cn_height_field *field); // NULL is allowed
CN_API int cn_height_field_get_columns(const cn_height_field *field);
CN_API int cn_height_field_get_rows(const cn_height_field *field);
CN_API float cn_height_field_get_height(const cn_height_field *field, int column, int row);
CN_API bool cn_height_field_is_hole(const cn_height_field *field, int column, int row); // of a cell, as is the material
CN_API int cn_height_field_get_material(const cn_height_field *field, int column, int row);
CN_API cn_vec3 cn_height_field_get_spacing(const cn_height_field *field); // x, 1, z

// Factors are above 0. A height field encloses nothing, so on a dynamic body its density must be 0.
CN_API cn_geometry cn_geometry_height_field(const cn_height_field *field, cn_vec3 scale);

// ---- compounds

// One solid of a compound. A hull is given by its points, everything else by its geometry.
typedef struct cn_compound_part {
    cn_geometry geometry; // convex, not a hull
    const cn_vec3 *points; // of a hull; NULL: `geometry` counts
    int point_count;
    cn_pose offset;
    uint16_t material; // a number in cn_shape_def.materials
} cn_compound_part;

// 1 to 2^28 convex solids that do not move against each other, as one shape. For what stays where it is: a body that is to move
// among meshes, height fields and compounds takes several shapes instead. NULL, with cn_last_error(), when a part is bad.
CN_API cn_compound *cn_compound_create(const cn_compound_part *parts, int count, const cn_allocator *allocator);
CN_API void cn_compound_destroy(cn_compound *compound); // NULL is allowed
CN_API int cn_compound_get_count(const cn_compound *compound);
CN_API cn_pose cn_compound_get_offset(const cn_compound *compound, int part);
// The form of a part; its type is CN_HULL for hulls, whose faces the two functions below give.
CN_API cn_geometry cn_compound_get_geometry(const cn_compound *compound, int part);
CN_API int cn_compound_get_vertices(const cn_compound *compound, int part, cn_vec3 *vertices, int capacity);
CN_API int cn_compound_get_face(const cn_compound *compound, int part, int face, int *vertices, int capacity); // 0 past the last

CN_API cn_geometry cn_geometry_compound(const cn_compound *compound);

#endif
