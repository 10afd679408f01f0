// Triangle meshes: definition and checks, life, and what can be read from them. mesh_parts.c shows them as shapes of many
// parts.
#include "base/error.h"
#include "shape/limits.h"
#include "shape/mesh_data.h"

#include <string.h>

cn_mesh_def cn_mesh_def_default(void) { return (cn_mesh_def){ 0 }; }

// ---- Memory

static size_t vertex_bytes(const cn_mesh *mesh) { return ((size_t)mesh->vertex_count * 3 + 1) * sizeof(float); }
static size_t normal_bytes(const cn_mesh *mesh) { return (size_t)mesh->vertex_count * sizeof *mesh->normals; }
static size_t index_bytes(const cn_mesh *mesh) { return (size_t)mesh->triangle_count * 3 * sizeof *mesh->indices; }
static size_t lean_bytes(const cn_mesh *mesh) { return (size_t)mesh->triangle_count * sizeof *mesh->leans; }
static size_t material_bytes(const cn_mesh *mesh) { return (size_t)mesh->triangle_count * sizeof *mesh->materials; }

cn_mesh *cn_mesh_allocate(const cn_allocator *allocator, int vertex_count, int triangle_count, bool smooth, bool materials)
{
    if (allocator == NULL)
        allocator = &cn_default_allocator;
    cn_mesh *mesh = cn_allocate(allocator, sizeof *mesh, 64);
    *mesh =
        (cn_mesh){ .allocator = *allocator, .references = 1, .vertex_count = vertex_count, .triangle_count = triangle_count };
    mesh->material_limit = 1;
    mesh->vertices = cn_allocate(allocator, vertex_bytes(mesh), 64);
    memset(mesh->vertices + vertex_count, 0, sizeof(float));
    mesh->indices = cn_allocate(allocator, index_bytes(mesh), 64);
    mesh->leans = cn_allocate(allocator, lean_bytes(mesh), 64);
    mesh->normals = smooth ? cn_allocate(allocator, normal_bytes(mesh), 64) : NULL;
    mesh->materials = materials ? cn_allocate(allocator, material_bytes(mesh), 64) : NULL;
    return mesh;
}

void cn_mesh_free(cn_mesh *mesh)
{
    cn_allocator allocator = mesh->allocator;
    cn_box_tree_free(&mesh->tree, &allocator);
    cn_release(&allocator, mesh->vertices, vertex_bytes(mesh));
    cn_release(&allocator, mesh->indices, index_bytes(mesh));
    cn_release(&allocator, mesh->leans, lean_bytes(mesh));
    cn_release(&allocator, mesh->normals, normal_bytes(mesh));
    cn_release(&allocator, mesh->materials, material_bytes(mesh));
    cn_release(&allocator, mesh, sizeof *mesh);
}

// ---- Creation

static bool arrays_are_usable(const cn_mesh_def *def)
{
    if (def->vertices == NULL || def->indices == NULL)
        return cn_fail("cn_mesh_create: %s is NULL", def->vertices == NULL ? "vertices" : "indices");
    if (def->vertex_count < 3)
        return cn_fail("cn_mesh_create: vertex_count is %d; a triangle needs 3", def->vertex_count);
    if (def->triangle_count < 1 || def->triangle_count > CN_MESH_MAX_TRIANGLES)
        return cn_fail("cn_mesh_create: triangle_count is %d; it must be between 1 and %d", def->triangle_count,
                       CN_MESH_MAX_TRIANGLES);
    return true;
}

static bool is_within(cn_vec3 v, float limit)
{
    return cn_absf(v.x) <= limit && cn_absf(v.y) <= limit && cn_absf(v.z) <= limit;
}

static bool vertices_are_usable(const cn_mesh_def *def)
{
    for (int i = 0; i < def->vertex_count; i++) {
        cn_vec3 v = def->vertices[i];
        if (!is_within(v, CN_MAX_SIZE))
            return cn_fail("cn_mesh_create: vertices[%d] is (%g, %g, %g); coordinates must be finite and within %g m", i,
                           (double)v.x, (double)v.y, (double)v.z, (double)CN_MAX_SIZE);
        if (!def->smooth || def->normals == NULL)
            continue;
        cn_vec3 n = def->normals[i];
        float size = cn_length(n);
        if (!(size > 1e-6f && size < 1e6f))
            return cn_fail("cn_mesh_create: normals[%d] is (%g, %g, %g), which has no direction", i, (double)n.x, (double)n.y,
                           (double)n.z);
    }
    return true;
}

static bool triangles_are_usable(const cn_mesh_def *def)
{
    int kept = 0;
    for (int t = 0; t < def->triangle_count; t++) {
        cn_vec3 corners[3];
        for (int i = 0; i < 3; i++) {
            int index = def->indices[3 * (size_t)t + (size_t)i];
            if (index < 0 || index >= def->vertex_count)
                return cn_fail("cn_mesh_create: indices[%d] of triangle %d is %d; there are %d vertices", 3 * t + i, t, index,
                               def->vertex_count);
            corners[i] = def->vertices[index];
        }
        bool degenerate = cn_mesh_is_degenerate(corners);
        if (degenerate && !def->drop_degenerate)
            return cn_fail("cn_mesh_create: triangle %d has no area; drop_degenerate leaves such triangles out", t);
        kept += !degenerate;
    }
    return kept > 0 || cn_fail("cn_mesh_create: none of the %d triangles has an area", def->triangle_count);
}

static void copy_arrays(cn_mesh *mesh, const cn_mesh_def *def)
{
    memcpy(mesh->vertices, def->vertices, (size_t)def->vertex_count * sizeof *mesh->vertices);
    memcpy(mesh->indices, def->indices, index_bytes(mesh));
    for (int i = 0; mesh->materials != NULL && i < def->triangle_count; i++) {
        mesh->materials[i] = def->materials[i];
        mesh->material_limit = def->materials[i] >= mesh->material_limit ? def->materials[i] + 1 : mesh->material_limit;
    }
    for (int i = 0; mesh->normals != NULL && def->normals != NULL && i < def->vertex_count; i++)
        mesh->normals[i] = cn_normalize(def->normals[i]);
}

void cn_mesh_find_boxes(const cn_mesh *mesh, cn_box3 *boxes)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        cn_vec3 c[3];
        cn_mesh_corners(mesh, t, c);
        boxes[t] = (cn_box3){ cn_min3(c[0], cn_min3(c[1], c[2])), cn_max3(c[0], cn_max3(c[1], c[2])) };
    }
}

// Over the triangles that have an area, which are the items of the tree.
static void build_tree(cn_mesh *mesh)
{
    size_t boxes_size = (size_t)mesh->triangle_count * sizeof(cn_box3),
           kept_size = (size_t)mesh->triangle_count * sizeof(int32_t);
    cn_box3 *boxes = cn_allocate(&mesh->allocator, boxes_size, 64);
    int32_t *kept = cn_allocate(&mesh->allocator, kept_size, 64);
    int count = 0;
    cn_mesh_find_boxes(mesh, boxes);
    for (int t = 0; t < mesh->triangle_count; t++) {
        cn_vec3 corners[3];
        cn_mesh_corners(mesh, t, corners);
        if (cn_mesh_is_degenerate(corners))
            continue;
        boxes[count] = boxes[t];
        kept[count++] = t;
    }
    cn_box_tree_build(&mesh->tree, &mesh->allocator, boxes, count, CN_MESH_LEAF);
    for (int i = 0; i < count; i++)
        mesh->tree.items[i] = kept[mesh->tree.items[i]];
    cn_release(&mesh->allocator, boxes, boxes_size);
    cn_release(&mesh->allocator, kept, kept_size);
}

cn_mesh *cn_mesh_create(const cn_mesh_def *def)
{
    if (def == NULL) {
        cn_fail("cn_mesh_create: def is NULL");
        return NULL;
    }
    if (!cn_check_allocator(__func__, "def.allocator", def->allocator) || !arrays_are_usable(def) || !vertices_are_usable(def) || !triangles_are_usable(def))
        return NULL;
    cn_mesh *mesh =
        cn_mesh_allocate(def->allocator, def->vertex_count, def->triangle_count, def->smooth, def->materials != NULL);
    copy_arrays(mesh, def);
    build_tree(mesh);
    cn_mesh_find_leans(mesh);
    if (def->smooth && def->normals == NULL)
        cn_mesh_find_normals(mesh);
    return mesh;
}

void cn_mesh_destroy(cn_mesh *mesh)
{
    if (mesh != NULL && __atomic_sub_fetch(&mesh->references, 1, __ATOMIC_ACQ_REL) == 0)
        cn_mesh_free(mesh);
}

// ---- What can be read

int cn_mesh_get_vertex_count(const cn_mesh *mesh) { return mesh == NULL ? 0 : mesh->vertex_count; }
int cn_mesh_get_triangle_count(const cn_mesh *mesh) { return mesh == NULL ? 0 : mesh->tree.item_count; }

cn_vec3 cn_mesh_get_vertex(const cn_mesh *mesh, int vertex)
{
    if (mesh != NULL && vertex >= 0 && vertex < mesh->vertex_count)
        return mesh->vertices[vertex];
    cn_fail("cn_mesh_get_vertex: vertex is %d; there are %d", vertex, cn_mesh_get_vertex_count(mesh));
    return cn_v3(0.0f, 0.0f, 0.0f);
}

bool cn_mesh_get_triangle(const cn_mesh *mesh, int triangle, int vertices[3])
{
    if (mesh == NULL || triangle < 0 || triangle >= mesh->triangle_count)
        return cn_fail("cn_mesh_get_triangle: triangle is %d; there are %d", triangle, mesh == NULL ? 0 : mesh->triangle_count);
    if (!cn_check_pointer(__func__, "vertices", vertices))
        return false;
    cn_vec3 corners[3];
    cn_mesh_corners(mesh, triangle, corners);
    if (cn_mesh_is_degenerate(corners))
        return cn_fail("cn_mesh_get_triangle: triangle %d has no area and was dropped", triangle);
    for (int i = 0; i < 3; i++)
        vertices[i] = mesh->indices[3 * (size_t)triangle + (size_t)i];
    return true;
}

int cn_mesh_get_triangle_material(const cn_mesh *mesh, int triangle)
{
    if (mesh == NULL || triangle < 0 || triangle >= mesh->triangle_count) {
        cn_fail("cn_mesh_get_triangle_material: triangle is %d; there are %d", triangle,
                mesh == NULL ? 0 : mesh->triangle_count);
        return 0;
    }
    return mesh->materials == NULL ? 0 : mesh->materials[triangle];
}

size_t cn_mesh_get_overhead(const cn_mesh *mesh)
{
    if (mesh == NULL)
        return 0;
    return sizeof *mesh + cn_box_tree_bytes(&mesh->tree) + lean_bytes(mesh) +
           (mesh->materials == NULL ? 0 : material_bytes(mesh));
}

cn_geometry cn_geometry_mesh(const cn_mesh *mesh, cn_vec3 scale)
{
    return (cn_geometry){ .type = CN_MESH, .mesh = mesh, .scale = scale };
}
