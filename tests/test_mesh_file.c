// Meshes as bytes: nothing changes on the way, and no bytes do harm.
#include "mesh_forms.h"

#include "shape/mesh_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { HEADER = 24 };

static cn_mesh *make_mesh(const form *f, bool smooth, const uint16_t *materials)
{
    cn_mesh_def def = form_def(f);
    def.smooth = smooth;
    def.materials = materials;
    def.drop_degenerate = true;
    return cn_mesh_create(&def);
}

static uint8_t *save(const cn_mesh *mesh, size_t *size)
{
    *size = cn_mesh_save(mesh, NULL, 0);
    uint8_t *bytes = malloc(*size);
    memset(bytes, 0xee, *size);
    assert_int_equal(cn_mesh_save(mesh, bytes, *size - 1), *size);
    assert_int_equal(bytes[0], 0xee); // too little room: nothing is written
    assert_int_equal(cn_mesh_save(mesh, bytes, *size), *size);
    return bytes;
}

static void assert_same(const cn_mesh *a, const cn_mesh *b)
{
    size_t triangles = (size_t)a->triangle_count, vertices = (size_t)a->vertex_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->material_limit, b->material_limit);
    assert_memory_equal(a->vertices, b->vertices, vertices * sizeof *a->vertices);
    assert_memory_equal(a->indices, b->indices, triangles * 3 * sizeof *a->indices);
    assert_memory_equal(a->leans, b->leans, triangles * sizeof *a->leans);
    assert_true((a->materials == NULL) == (b->materials == NULL) && (a->normals == NULL) == (b->normals == NULL));
    if (a->materials != NULL)
        assert_memory_equal(a->materials, b->materials, triangles * sizeof *a->materials);
    if (a->normals != NULL)
        assert_memory_equal(a->normals, b->normals, vertices * sizeof *a->normals);
    assert_int_equal(a->tree.node_count, b->tree.node_count);
    assert_int_equal(a->tree.item_count, b->tree.item_count);
    assert_memory_equal(&a->tree.bounds, &b->tree.bounds, sizeof a->tree.bounds);
    assert_memory_equal(&a->tree.density, &b->tree.density, sizeof a->tree.density);
    assert_memory_equal(a->tree.nodes, b->tree.nodes, (size_t)a->tree.node_count * sizeof *a->tree.nodes); // boxes included
    assert_memory_equal(a->tree.items, b->tree.items, (size_t)a->tree.item_count * sizeof *a->tree.items);
}

static void test_what_is_loaded_is_what_was_saved(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        form f = i < 4 ? form_grid(17, 0.4f) : form_sphere(7, 9);
        uint16_t *materials = calloc((size_t)f.triangle_count, sizeof *materials);
        for (int k = 0; k < f.triangle_count; k++)
            materials[k] = (uint16_t)(k % 70);
        f.indices[3] = f.indices[4]; // one without area
        cn_mesh *mesh = make_mesh(&f, i % 2 == 0, i % 4 < 2 ? materials : NULL);
        size_t size;
        uint8_t *bytes = save(mesh, &size);
        cn_mesh *loaded = cn_mesh_load(bytes, size, NULL);
        assert_non_null(loaded);
        assert_same(mesh, loaded);
        cn_mesh_destroy(loaded);
        cn_mesh_destroy(mesh);
        free(bytes);
        free(materials);
        form_free(&f);
    }
}

// The format is part of the promise: these bytes must not change without a new version.
static void test_the_bytes_are_known(void **state)
{
    (void)state;
    form f = form_box(cn_v3(1.0f, 2.0f, 3.0f));
    cn_mesh *mesh = make_mesh(&f, false, NULL);
    size_t size;
    uint8_t *bytes = save(mesh, &size);
    assert_int_equal(size, 24 + 20 + 8 * 12 + 12 * 18 + 32 + 12 * 4);
    static const uint8_t start[16] = { 'C', 'M', 's', 'h', 1, 0, 0, 0, 0xb4, 0x01, 0, 0, 0, 0, 0, 0 };
    static const uint8_t counts[20] = { 8, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
    static const uint8_t vertex[12] = { 0, 0, 0x80, 0xbf, 0, 0, 0, 0xc0, 0, 0, 0x40, 0xc0 }; // -1, -2, -3
    assert_memory_equal(bytes, start, sizeof start);
    assert_memory_equal(bytes + 24, counts, sizeof counts);
    assert_memory_equal(bytes + 44, vertex, sizeof vertex);
    cn_mesh_destroy(mesh);
    free(bytes);
    form_free(&f);
}

static void test_bad_bytes_are_refused_by_reason(void **state)
{
    (void)state;
    form f = form_grid(4, 0.3f);
    cn_mesh *mesh = make_mesh(&f, false, NULL);
    size_t size;
    uint8_t *bytes = save(mesh, &size);
    assert_null(cn_mesh_load(NULL, 100, NULL));
    assert_non_null(strstr(cn_last_error(), "bytes is NULL"));
    assert_null(cn_mesh_load(bytes, 0, NULL));
    assert_non_null(strstr(cn_last_error(), "too few"));
    assert_null(cn_mesh_load(bytes, size - 1, NULL));
    assert_non_null(strstr(cn_last_error(), "but the mesh has"));
    bytes[100] ^= 1;
    assert_null(cn_mesh_load(bytes, size, NULL));
    assert_non_null(strstr(cn_last_error(), "checksum"));
    bytes[100] ^= 1;
    bytes[4] = 2;
    assert_null(cn_mesh_load(bytes, size, NULL));
    assert_non_null(strstr(cn_last_error(), "version 2"));
    bytes[0] = 0;
    assert_null(cn_mesh_load(bytes, size, NULL));
    assert_non_null(strstr(cn_last_error(), "not a mesh"));
    assert_int_equal(cn_mesh_save(NULL, bytes, size), 0);
    cn_mesh_destroy(mesh);
    free(bytes);
    form_free(&f);
}

// ---- Damage

static void sign(uint8_t *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = HEADER; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    for (int i = 0; i < 8; i++) {
        bytes[8 + i] = (uint8_t)((uint64_t)size >> (8 * i));
        bytes[16 + i] = (uint8_t)(sum >> (8 * i));
    }
}

static size_t damage(rng *r, uint8_t *bytes, size_t size, size_t room)
{
    int times = 1 + (int)(rng_next(r) % 3);
    for (int i = 0; i < times; i++) {
        size_t at = HEADER + rng_next(r) % (size - HEADER);
        switch (rng_next(r) % 6) {
        case 0: bytes[at] ^= (uint8_t)(1u << rng_next(r) % 8); break;
        case 1: bytes[at] = (uint8_t)rng_next(r); break;
        case 2:
            at = HEADER + rng_next(r) % 20;
            bytes[at] = (uint8_t)rng_next(r);
            break; // counts
        case 3: memset(bytes + at, rng_next(r) % 2 == 0 ? 0xff : 0, size - at < 4 ? size - at : 4); break;
        case 4: memmove(bytes + at, bytes + HEADER + rng_next(r) % (at - HEADER + 1), size - at < 32 ? size - at : 32); break;
        default: size = HEADER + 1 + rng_next(r) % (room - HEADER - 1); break;
        }
    }
    return size;
}

static float visit(void *context, int part, float limit)
{
    *(int *)context += part;
    return limit;
}

// What was accepted must work.
static void use(const cn_mesh *mesh)
{
    cn_composite shape = mesh_shape(mesh, cn_v3(1.0f, -2.0f, 1.0f));
    cn_box3 all = cn_composite_bounds(&shape);
    int32_t found[256];
    cn_part part;
    cn_surface_hit hit;
    int sum = 0, count = cn_composite_query(&shape, &all, found, 256);
    assert_int_equal(count, cn_mesh_get_triangle_count(mesh));
    for (int i = 0; i < count && i < 256; i++)
        cn_composite_part(&shape, found[i], &part);
    cn_composite_near(&shape, &all, 1.0f, visit, &sum);
    cn_composite_sweep(&shape, all.lower, cn_sub(all.upper, all.lower), all.upper, 1.0f, visit, &sum);
    cn_composite_cast_ray(&shape, all.lower, cn_sub(all.upper, all.lower), 1.0f, &hit);
}

static void test_damaged_bytes_do_no_harm(void **state)
{
    (void)state;
    form f = form_sphere(5, 8);
    f.indices[3] = f.indices[4];
    uint16_t materials[64];
    for (int i = 0; i < 64; i++)
        materials[i] = (uint16_t)i;
    cn_mesh *mesh = make_mesh(&f, true, materials);
    size_t size;
    uint8_t *bytes = save(mesh, &size), *damaged = malloc(2 * size);
    rng r = { 31 };
    int accepted = 0;
    for (int i = 0; i < 20000; i++) {
        memset(damaged, 0, 2 * size);
        memcpy(damaged, bytes, size);
        size_t new_size = damage(&r, damaged, size, 2 * size);
        uint8_t *exact = malloc(new_size); // so that a read past the end is noticed
        memcpy(exact, damaged, new_size);
        bool unchanged = new_size == size && memcmp(exact, bytes, size) == 0;
        cn_mesh *loaded = cn_mesh_load(exact, new_size, NULL);
        assert_true(loaded == NULL || unchanged); // the checksum notices
        cn_mesh_destroy(loaded);
        if (new_size > HEADER) {
            sign(exact, new_size);
            loaded = cn_mesh_load(exact, new_size, NULL);
            if (loaded != NULL) {
                accepted++;
                use(loaded);
            }
            cn_mesh_destroy(loaded);
        }
        free(exact);
    }
    assert_true(accepted > 1000 && accepted < 19000); // vertices that moved a little are a mesh as well
    cn_mesh_destroy(mesh);
    free(bytes);
    free(damaged);
    form_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_loaded_is_what_was_saved),
        cmocka_unit_test(test_the_bytes_are_known),
        cmocka_unit_test(test_bad_bytes_are_refused_by_reason),
        cmocka_unit_test(test_damaged_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
