// Meshes as bytes. Little-endian: magic, version, size, checksum of what follows; counts; vertices, normals, indices, leans,
// materials; children and items of the tree. Boxes are found again from the vertices, so that they cannot be wrong.
#include "base/error.h"
#include "shape/limits.h"
#include "shape/mesh_data.h"

#include <string.h>

enum {
    MAGIC = 0x68734d43, // "CMsh"
    VERSION = 1,
    HEADER = 24, // bytes: magic, version, size, checksum
    COUNTS = 20, // vertices, triangles, items, nodes, flags
    HAS_NORMALS = 1,
    HAS_MATERIALS = 2,
};

// Where reading or writing is. `data` is NULL when only the size is wanted.
typedef struct cursor {
    uint8_t *data;
    size_t at;
} cursor;

static void put(cursor *c, uint64_t value, int bytes)
{
    for (int i = 0; c->data != NULL && i < bytes; i++)
        c->data[c->at + (size_t)i] = (uint8_t)(value >> (8 * i));
    c->at += (size_t)bytes;
}

static uint64_t get(cursor *c, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)c->data[c->at + (size_t)i] << (8 * i);
    c->at += (size_t)bytes;
    return value;
}

static void put_vectors(cursor *c, const cn_vec3 *vectors, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits[3];
        memcpy(bits, &vectors[i], sizeof bits);
        for (int k = 0; k < 3; k++)
            put(c, bits[k], 4);
    }
}

static void get_vectors(cursor *c, cn_vec3 *vectors, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits[3];
        for (int k = 0; k < 3; k++)
            bits[k] = (uint32_t)get(c, 4);
        memcpy(&vectors[i], bits, sizeof bits);
    }
}

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

// ---- Saving

static void put_mesh(cursor *c, const cn_mesh *mesh)
{
    const cn_box_tree *tree = &mesh->tree;
    int counts[] = { mesh->vertex_count, mesh->triangle_count, tree->item_count, tree->node_count,
                     (mesh->normals != NULL ? HAS_NORMALS : 0) | (mesh->materials != NULL ? HAS_MATERIALS : 0) };
    for (int i = 0; i < 5; i++)
        put(c, (uint64_t)counts[i], 4);
    put_vectors(c, mesh->vertices, mesh->vertex_count);
    if (mesh->normals != NULL)
        put_vectors(c, mesh->normals, mesh->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        put(c, (uint64_t)mesh->indices[i], 4);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        put(c, mesh->leans[i / 3][i % 3], 2);
    for (int i = 0; mesh->materials != NULL && i < mesh->triangle_count; i++)
        put(c, mesh->materials[i], 2);
    for (int i = 0; i < tree->node_count; i++)
        for (int k = 0; k < CN_BOX_TREE_WIDTH; k++)
            put(c, tree->nodes[i].child[k], 4);
    for (int i = 0; i < tree->item_count; i++)
        put(c, (uint64_t)tree->items[i], 4);
}

size_t cn_mesh_save(const cn_mesh *mesh, void *bytes, size_t capacity)
{
    if (mesh == NULL) {
        cn_fail("cn_mesh_save: mesh is NULL");
        return 0;
    }
    cursor measure = { NULL, HEADER };
    put_mesh(&measure, mesh);
    size_t size = measure.at;
    if (bytes == NULL || capacity < size)
        return size;
    cursor c = { bytes, HEADER };
    put_mesh(&c, mesh);
    c.at = 0;
    put(&c, MAGIC, 4);
    put(&c, VERSION, 4);
    put(&c, size, 8);
    put(&c, checksum(c.data + HEADER, size - HEADER), 8);
    return size;
}

// ---- Loading

static bool header_is_usable(cursor *c, size_t size)
{
    if (c->data == NULL)
        return cn_fail("cn_mesh_load: bytes is NULL");
    if (size < HEADER + COUNTS)
        return cn_fail("cn_mesh_load: %zu bytes are too few for a mesh", size);
    uint32_t magic = (uint32_t)get(c, 4), version = (uint32_t)get(c, 4);
    uint64_t stored_size = get(c, 8), sum = get(c, 8);
    if (magic != MAGIC)
        return cn_fail("cn_mesh_load: the bytes are not a mesh");
    if (version != VERSION)
        return cn_fail("cn_mesh_load: version %u is not %d, the one this library reads", (unsigned)version, VERSION);
    if (stored_size != size)
        return cn_fail("cn_mesh_load: there are %zu bytes, but the mesh has %llu", size, (unsigned long long)stored_size);
    return sum == checksum(c->data + HEADER, size - HEADER) ||
           cn_fail("cn_mesh_load: the checksum is wrong, the bytes are damaged");
}

typedef struct counts {
    int vertices, triangles, items, nodes;
    bool normals, materials;
} counts;

static bool counts_are_usable(cursor *c, size_t size, counts *out)
{
    uint32_t value[5];
    for (int i = 0; i < 5; i++)
        value[i] = (uint32_t)get(c, 4);
    if (value[0] < 3 || value[0] > INT32_MAX || value[1] < 1 || value[1] > CN_MESH_MAX_TRIANGLES || value[2] < 1 ||
        value[2] > value[1] || value[3] < 1 || value[3] > value[2] || value[4] > (HAS_NORMALS | HAS_MATERIALS))
        return cn_fail("cn_mesh_load: %u vertices, %u triangles, %u items, %u nodes, flags %u cannot be", (unsigned)value[0],
                       (unsigned)value[1], (unsigned)value[2], (unsigned)value[3], (unsigned)value[4]);
    *out = (counts){ (int)value[0],
                     (int)value[1],
                     (int)value[2],
                     (int)value[3],
                     (value[4] & HAS_NORMALS) != 0,
                     (value[4] & HAS_MATERIALS) != 0 };
    uint64_t needed = HEADER + COUNTS + (uint64_t)value[0] * (out->normals ? 24 : 12) +
                      (uint64_t)value[1] * (out->materials ? 20 : 18) + (uint64_t)value[2] * 4 +
                      (uint64_t)value[3] * 4 * CN_BOX_TREE_WIDTH;
    if (needed != size)
        return cn_fail("cn_mesh_load: there are %zu bytes, but the counts ask for %llu", size, (unsigned long long)needed);
    return (uint64_t)value[3] * sizeof(cn_box_node) < SIZE_MAX / 2 ||
           cn_fail("cn_mesh_load: %d nodes are too many", out->nodes);
}

static void get_mesh(cursor *c, const counts *n, cn_mesh *mesh)
{
    get_vectors(c, mesh->vertices, n->vertices);
    if (n->normals)
        get_vectors(c, mesh->normals, n->vertices);
    for (size_t i = 0; i < 3 * (size_t)n->triangles; i++)
        mesh->indices[i] = (int32_t)(uint32_t)get(c, 4);
    for (size_t i = 0; i < 3 * (size_t)n->triangles; i++)
        mesh->leans[i / 3][i % 3] = (uint16_t)get(c, 2);
    for (int i = 0; n->materials && i < n->triangles; i++)
        mesh->materials[i] = (uint16_t)get(c, 2);
    cn_box_tree *tree = &mesh->tree;
    tree->node_count = n->nodes;
    tree->item_count = n->items;
    tree->nodes = cn_allocate(&mesh->allocator, (size_t)n->nodes * sizeof *tree->nodes, 64);
    tree->items = cn_allocate(&mesh->allocator, (size_t)n->items * sizeof *tree->items, 64);
    for (int i = 0; i < n->nodes; i++)
        for (int k = 0; k < CN_BOX_TREE_WIDTH; k++)
            tree->nodes[i].child[k] = (uint32_t)get(c, 4);
    for (int i = 0; i < n->items; i++)
        tree->items[i] = (int32_t)(uint32_t)get(c, 4);
}

static bool has_area(const cn_mesh *mesh, int triangle)
{
    cn_vec3 corners[3];
    cn_mesh_corners(mesh, triangle, corners);
    return !cn_mesh_is_degenerate(corners);
}

static bool mesh_is_usable(const cn_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        cn_vec3 v = cn_abs3(mesh->vertices[i]);
        if (!(v.x <= CN_MAX_SIZE && v.y <= CN_MAX_SIZE && v.z <= CN_MAX_SIZE))
            return cn_fail("cn_mesh_load: vertex %d is not finite, or beyond %g m", i, (double)CN_MAX_SIZE);
        if (mesh->normals != NULL && !(cn_absf(cn_length(mesh->normals[i]) - 1.0f) < 1e-3f))
            return cn_fail("cn_mesh_load: the normal of vertex %d is not of unit length", i);
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        if (mesh->indices[i] < 0 || mesh->indices[i] >= mesh->vertex_count)
            return cn_fail("cn_mesh_load: triangle %d has vertex %d; there are %d", (int)(i / 3), (int)mesh->indices[i],
                           mesh->vertex_count);
    if (!cn_box_tree_is_sound(&mesh->tree, &mesh->allocator, mesh->triangle_count))
        return cn_fail("cn_mesh_load: the tree is no tree over the triangles");
    int whole = 0, kept = 0; // triangles with an area, of all and of those in the tree
    for (int i = 0; i < mesh->triangle_count; i++)
        whole += has_area(mesh, i);
    for (int i = 0; i < mesh->tree.item_count; i++)
        kept += has_area(mesh, mesh->tree.items[i]);
    return (kept == mesh->tree.item_count && whole == kept) ||
           cn_fail("cn_mesh_load: the tree does not hold the %d triangles that have an area", whole);
}

cn_mesh *cn_mesh_load(const void *bytes, size_t size, const cn_allocator *allocator)
{
    cursor c = { (uint8_t *)(uintptr_t)bytes, 0 };
    counts n = { 0 };
    if (!cn_check_pointer(__func__, "bytes", bytes) || !cn_check_allocator(__func__, "allocator", allocator))
        return NULL;
    if (!header_is_usable(&c, size) || !counts_are_usable(&c, size, &n))
        return NULL;
    cn_mesh *mesh = cn_mesh_allocate(allocator, n.vertices, n.triangles, n.normals, n.materials);
    get_mesh(&c, &n, mesh);
    if (!mesh_is_usable(mesh)) {
        cn_mesh_free(mesh);
        return NULL;
    }
    for (int i = 0; n.materials && i < n.triangles; i++)
        mesh->material_limit = mesh->materials[i] >= mesh->material_limit ? mesh->materials[i] + 1 : mesh->material_limit;
    size_t boxes_size = (size_t)n.triangles * sizeof(cn_box3);
    cn_box3 *boxes = cn_allocate(&mesh->allocator, boxes_size, 64);
    cn_mesh_find_boxes(mesh, boxes);
    cn_box_tree_fit(&mesh->tree, &mesh->allocator, boxes);
    cn_release(&mesh->allocator, boxes, boxes_size);
    return mesh;
}
