// Triangle meshes: what is refused, what they keep, how edges lean, scale, smooth normals, mass, memory.
#include "mesh_forms.h"

#include "shape/mesh_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const cn_vec3 unscaled = { 1.0f, 1.0f, 1.0f };

static cn_triangle triangle_of(const cn_composite *shape, int part)
{
    cn_part out;
    cn_composite_part(shape, part, &out);
    assert_true(out.is_triangle);
    return out.triangle;
}

// ---- Input

static void assert_refused(const cn_mesh_def *def, const char *reason)
{
    assert_null(cn_mesh_create(def));
    if (strstr(cn_last_error(), reason) == NULL)
        fail_msg("%s", cn_last_error());
}

static void test_bad_input_is_refused_by_name(void **state)
{
    (void)state;
    form f = form_grid(3, 0.2f);
    cn_mesh_def def = form_def(&f);
    assert_refused(NULL, "def is NULL");
    cn_mesh_def bad = def;
    bad.vertices = NULL;
    assert_refused(&bad, "vertices is NULL");
    bad = def;
    bad.indices = NULL;
    assert_refused(&bad, "indices is NULL");
    bad = def;
    bad.triangle_count = 0;
    assert_refused(&bad, "triangle_count is 0");
    bad.triangle_count = -5;
    assert_refused(&bad, "triangle_count is -5");
    bad.triangle_count = INT32_MAX;
    assert_refused(&bad, "triangle_count is 2147483647");
    bad = def;
    bad.vertex_count = -1;
    assert_refused(&bad, "vertex_count is -1");
    bad.vertex_count = 15;
    assert_refused(&bad, "of triangle 16 is 15; there are 15 vertices");
    f.indices[7] = -1;
    assert_refused(&def, "indices[7] of triangle 2 is -1");
    f.indices[7] = f.indices[8];
    assert_refused(&def, "triangle 2 has no area");
    def.drop_degenerate = true;
    cn_mesh *mesh = cn_mesh_create(&def);
    assert_int_equal(cn_mesh_get_triangle_count(mesh), 17);
    int vertices[3];
    assert_false(cn_mesh_get_triangle(mesh, 2, vertices));
    assert_true(cn_mesh_get_triangle(mesh, 17, vertices));
    assert_memory_equal(vertices, f.indices + 51, sizeof vertices);
    assert_false(cn_mesh_get_triangle(mesh, 18, vertices));
    cn_mesh_destroy(mesh);
    for (int i = 0; i < f.triangle_count; i++)
        form_triangle(&f, i, i % 16, i % 16, 3);
    assert_refused(&def, "none of the 18 triangles has an area");
    static const float bad_values[] = { NAN, INFINITY, -INFINITY, 1e7f };
    for (int i = 0; i < 4; i++) {
        f.vertices[5].z = bad_values[i];
        assert_refused(&def, "vertices[5]");
    }
    form_free(&f);
    cn_mesh_destroy(NULL);
}

static void test_bad_normals_are_refused(void **state)
{
    (void)state;
    form f = form_grid(2, 0.0f);
    cn_vec3 normals[9];
    for (int i = 0; i < 9; i++)
        normals[i] = cn_v3(0.0f, 2.0f, 0.0f);
    cn_mesh_def def = form_def(&f);
    def.smooth = true;
    def.normals = normals;
    cn_mesh *mesh = cn_mesh_create(&def);
    cn_composite shape = mesh_shape(mesh, unscaled);
    assert_true(triangle_of(&shape, 0).smooth);
    assert_true(triangle_of(&shape, 0).vertex_normals[2].y == 1.0f);
    cn_mesh_destroy(mesh);
    normals[4] = cn_v3(0.0f, 0.0f, 0.0f);
    assert_refused(&def, "normals[4]");
    normals[4].x = NAN;
    assert_refused(&def, "normals[4]");
    form_free(&f);
}

static void test_what_was_given_can_be_read(void **state)
{
    (void)state;
    form f = form_soup(500, 5.0f, 1.0f);
    uint16_t materials[500];
    for (int i = 0; i < 500; i++)
        materials[i] = (uint16_t)(i * 7 % 300);
    cn_mesh_def def = form_def(&f);
    def.materials = materials;
    cn_mesh *mesh = cn_mesh_create(&def);
    cn_composite shape = mesh_shape(mesh, unscaled);
    assert_int_equal(cn_mesh_get_vertex_count(mesh), 1500);
    assert_int_equal(cn_mesh_get_triangle_count(mesh), 500);
    assert_int_equal(cn_composite_part_limit(&shape), 500);
    assert_int_equal(cn_composite_material_limit(&shape), 300);
    for (int i = 0; i < 500; i++) {
        int vertices[3];
        cn_part part;
        assert_true(cn_mesh_get_triangle(mesh, i, vertices));
        assert_memory_equal(vertices, f.indices + 3 * i, sizeof vertices);
        assert_int_equal(cn_mesh_get_triangle_material(mesh, i), materials[i]);
        cn_composite_part(&shape, i, &part);
        assert_int_equal(part.material, materials[i]);
        for (int k = 0; k < 3; k++) {
            cn_vec3 v = cn_mesh_get_vertex(mesh, vertices[k]);
            assert_memory_equal(&v, &f.vertices[vertices[k]], sizeof v);
            assert_memory_equal(&part.triangle.vertices[k], &v, sizeof v);
        }
    }
    assert_int_equal(cn_mesh_get_triangle_material(mesh, -1), 0);
    assert_int_equal(cn_mesh_get_triangle_material(NULL, 0), 0);
    assert_true(cn_mesh_get_vertex(mesh, 1500).x == 0.0f);
    cn_composite_retain(&shape);
    cn_mesh_destroy(mesh);
    assert_int_equal(cn_mesh_get_triangle_count(mesh), 500); // the shape keeps it
    cn_composite_release(&shape);
    form_free(&f);
}

// ---- Leans

static void test_box_leans_over_its_edges(void **state)
{
    (void)state;
    form box = form_box(cn_v3(1.0f, 2.0f, 0.5f)), apart = form_unshared(&box);
    cn_mesh *meshes[2] = { form_mesh(&box), form_mesh(&apart) }; // vertices are joined by place, too
    for (int m = 0; m < 2; m++) {
        cn_composite shape = mesh_shape(meshes[m], unscaled);
        for (int i = 0; i < 12; i++) {
            cn_triangle t = triangle_of(&shape, i);
            for (int k = 0; k < 3; k++) {
                bool diagonal = k == (i % 2 == 0 ? 2 : 0);
                assert_true(diagonal ? t.lean[k] == 0.0f : fabsf(t.lean[k] - 1.0f) < 1e-4f);
            }
        }
        cn_mesh_destroy(meshes[m]);
    }
    form_free(&box);
    form_free(&apart);
}

// Two triangles that meet at an angle: the second normal is turned by it over the shared edge.
static form make_fold(double angle)
{
    form f = form_make(4, 2);
    f.vertices[0] = cn_v3(-1.0f, 0.0f, 0.3f);
    f.vertices[1] = cn_v3(0.0f, 0.0f, 1.0f);
    f.vertices[2] = cn_v3(0.0f, 0.0f, -1.0f);
    f.vertices[3] = cn_v3((float)cos(angle), (float)-sin(angle), 0.2f);
    form_triangle(&f, 0, 0, 1, 2);
    form_triangle(&f, 1, 3, 2, 1);
    return f;
}

static void test_lean_is_the_tangent_of_half_the_angle(void **state)
{
    (void)state;
    for (int i = -170; i <= 178; i++) {
        double angle = i * 3.14159265358979 / 180.0, tangent = i <= 0 ? 0.0 : tan(0.5 * angle);
        form f = make_fold(angle);
        cn_mesh *mesh = form_mesh(&f);
        cn_composite shape = mesh_shape(mesh, unscaled);
        cn_triangle a = triangle_of(&shape, 0), b = triangle_of(&shape, 1);
        double tolerance = 2e-5 * (1.0 + tangent) * (1.0 + tangent); // 16 bits of t / (1 + t)
        assert_true(fabs((double)a.lean[1] - tangent) <= tolerance);
        assert_true(fabs((double)b.lean[1] - tangent) <= tolerance);
        assert_true(a.lean[0] == CN_LEAN_FREE && a.lean[2] == CN_LEAN_FREE);
        assert_true(fabsf(a.normal.y - 1.0f) < 1e-6f);
        cn_mesh_destroy(mesh);
        form_free(&f);
    }
}

// Flat, but turned, far from the origin, and in coordinates that had to be rounded.
static void test_flat_is_flat_whatever_the_rounding(void **state)
{
    (void)state;
    rng r = { 4 };
    for (int i = 0; i < 40; i++) {
        form f = form_grid(12, 0.0f);
        cn_quat turn = rng_quat(&r);
        cn_vec3 shift = rng_vec(&r, i % 2 == 0 ? 10.0f : 5000.0f);
        float size = i % 3 == 0 ? 0.1f : 3.0f;
        for (int k = 0; k < f.vertex_count; k++)
            f.vertices[k] = cn_add(shift, cn_rotate(turn, cn_scale(size, f.vertices[k])));
        cn_mesh *mesh = form_mesh(&f);
        cn_composite shape = mesh_shape(mesh, unscaled);
        int open = 0;
        for (int t = 0; t < f.triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                float lean = triangle_of(&shape, t).lean[k];
                assert_true(lean == 0.0f || lean == CN_LEAN_FREE);
                open += lean != 0.0f;
            }
        assert_int_equal(open, 4 * 12);
        cn_mesh_destroy(mesh);
        form_free(&f);
    }
}

// Wound the other way a neighbour is none. Of several, the one that ends the room in front counts.
static void test_edges_of_one_and_of_many(void **state)
{
    (void)state;
    form f = make_fold(0.5);
    form_triangle(&f, 1, 3, 1, 2);
    cn_mesh *mesh = form_mesh(&f);
    cn_composite shape = mesh_shape(mesh, unscaled);
    assert_true(triangle_of(&shape, 0).lean[1] == CN_LEAN_FREE);
    cn_mesh_destroy(mesh);
    form_free(&f);

    form sheet = form_make(5, 4); // the fold from both sides: sharp around its border, as bent as it is inside
    form fold = make_fold(0.5);
    memcpy(sheet.vertices, fold.vertices, 4 * sizeof(cn_vec3));
    form_triangle(&sheet, 0, 0, 1, 2);
    form_triangle(&sheet, 1, 3, 2, 1);
    form_triangle(&sheet, 2, 0, 2, 1);
    form_triangle(&sheet, 3, 3, 1, 2);
    mesh = form_mesh(&sheet);
    shape = mesh_shape(mesh, unscaled);
    assert_true(fabs((double)triangle_of(&shape, 0).lean[1] - tan(0.25)) < 1e-4);
    assert_true(triangle_of(&shape, 0).lean[0] > 6e4f && triangle_of(&shape, 0).lean[0] < CN_LEAN_FREE);
    assert_true(triangle_of(&shape, 2).lean[1] == 0.0f); // seen from below it is concave
    cn_mesh_destroy(mesh);
    form_free(&sheet);
    form_free(&fold);
}

// A thousand pages on one spine take no time to speak of, and their spine counts as open.
static void test_a_book_is_open_at_its_spine(void **state)
{
    (void)state;
    enum { PAGES = 20000 };
    form f = form_make(2 + PAGES, PAGES);
    f.vertices[1] = cn_v3(0.0f, 1.0f, 0.0f);
    for (int i = 0; i < PAGES; i++) {
        f.vertices[2 + i] = cn_v3((float)cos(i * 1e-4), 0.5f, (float)sin(i * 1e-4));
        form_triangle(&f, i, i % 2, 1 - i % 2, 2 + i);
    }
    cn_mesh *mesh = form_mesh(&f);
    cn_composite shape = mesh_shape(mesh, unscaled);
    assert_true(triangle_of(&shape, 77).lean[0] == CN_LEAN_FREE);
    cn_mesh_destroy(mesh);
    form_free(&f);
}

// ---- Scale

// A scaled shape of a mesh is the shape of a mesh with scaled vertices.
static void test_scale_is_that_of_the_vertices(void **state)
{
    (void)state;
    static const cn_vec3 scales[] = { { 2.0f, 2.0f, 2.0f },  { 1.0f, 5.0f, 0.3f },   { -1.0f, 1.0f, 1.0f },
                                      { 0.5f, -3.0f, 1.0f }, { -1.0f, -2.0f, 0.7f }, { -1.0f, -1.0f, -1.0f } };
    form f = form_sphere(9, 14);
    for (int i = 0; i < f.vertex_count; i++)
        f.vertices[i] = cn_scale(1.0f + 0.2f * (float)(i % 5), f.vertices[i]);
    cn_mesh_def def = form_def(&f);
    def.smooth = true;
    cn_mesh *mesh = cn_mesh_create(&def);
    cn_composite original = mesh_shape(mesh, unscaled);
    for (int s = 0; s < 6; s++) {
        cn_vec3 scale = scales[s];
        bool mirrored = scale.x * scale.y * scale.z < 0.0f;
        form g = form_make(f.vertex_count, f.triangle_count);
        for (int i = 0; i < f.vertex_count; i++)
            g.vertices[i] = cn_mul(scale, f.vertices[i]);
        for (int i = 0; i < f.triangle_count; i++)
            form_triangle(&g, i, f.indices[3 * i], f.indices[3 * i + (mirrored ? 2 : 1)],
                          f.indices[3 * i + (mirrored ? 1 : 2)]);
        cn_mesh *direct = form_mesh(&g);
        cn_composite a = mesh_shape(mesh, scale), b = mesh_shape(direct, unscaled);
        for (int i = 0; i < f.triangle_count; i++) {
            cn_triangle p = triangle_of(&a, i), q = triangle_of(&b, i), plain = triangle_of(&original, i);
            assert_true(cn_distance(p.normal, q.normal) < 1e-6f);
            for (int k = 0; k < 3; k++) {
                assert_memory_equal(&p.vertices[k], &q.vertices[k], sizeof(cn_vec3));
                cn_vec3 back = cn_normalize(cn_mul(scale, p.vertex_normals[k]));
                assert_true(cn_distance(back, plain.vertex_normals[mirrored ? (3 - k) % 3 : k]) < 1e-5f);
                assert_true(fabsf(cn_length(p.vertex_normals[k]) - 1.0f) < 1e-5f);
                float t = q.lean[k];
                assert_true(fabsf(p.lean[k] - t) <= 2e-4f * (1.0f + t) * (1.0f + t));
            }
        }
        cn_box3 x = cn_composite_bounds(&a), y = cn_composite_bounds(&b);
        assert_memory_equal(&x, &y, sizeof x);
        cn_mesh_destroy(direct);
        form_free(&g);
    }
    cn_mesh_destroy(mesh);
    form_free(&f);
}

// ---- Smooth normals

// Seams and the way a face is cut into triangles do not show.
static void test_smooth_normals_are_weighted_by_angle(void **state)
{
    (void)state;
    form box = form_box(cn_v3(1.0f, 1.0f, 1.0f)), apart = form_unshared(&box);
    cn_mesh_def def = form_def(&apart);
    def.smooth = true;
    cn_mesh *mesh = cn_mesh_create(&def);
    cn_composite shape = mesh_shape(mesh, unscaled);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) {
            cn_triangle t = triangle_of(&shape, i);
            assert_true(cn_distance(t.vertex_normals[k], cn_normalize(t.vertices[k])) < 1e-6f);
        }
    cn_mesh_destroy(mesh);
    form_free(&box);
    form_free(&apart);
}

// ---- Mass

static void test_mass_of_closed_meshes(void **state)
{
    (void)state;
    form box = form_box(cn_v3(0.5f, 1.0f, 1.5f)), apart = form_unshared(&box), open = form_grid(4, 0.3f);
    cn_mesh *mesh = form_mesh(&apart), *sheet = form_mesh(&open);
    cn_mass mass;
    cn_composite shape = mesh_shape(mesh, cn_v3(-2.0f, 1.0f, 1.0f));
    assert_true(cn_composite_mass(&shape, "test", 100.0f, &mass));
    assert_true(fabsf(mass.mass - 1200.0f) < 1e-3f);
    cn_mass expected = cn_mass_box(cn_v3(1.0f, 1.0f, 1.5f), 100.0f);
    assert_true(fabsf(mass.inertia.xx - expected.inertia.xx) < 1e-3f * expected.inertia.xx);
    shape = mesh_shape(sheet, unscaled);
    assert_false(cn_composite_mass(&shape, "test", 100.0f, &mass));
    assert_non_null(strstr(cn_last_error(), "test: "));
    assert_non_null(strstr(cn_last_error(), "open"));
    cn_mesh_destroy(mesh);
    cn_mesh_destroy(sheet);
    form_free(&box);
    form_free(&apart);
    form_free(&open);
}

// ---- Memory and time

static void test_overhead_per_triangle(void **state)
{
    (void)state;
    static const int sides[] = { 22, 32, 45, 64, 100, 128, 181, 256, 363, 512, 707 };
    int most = getenv("CAIRN_QUICK") != NULL ? 8 : 11;
    for (int i = 0; i < most; i++) {
        form f = form_grid(sides[i], 0.4f);
        uint16_t *materials = calloc((size_t)f.triangle_count, sizeof *materials);
        cn_mesh_def def = form_def(&f);
        def.materials = materials;
        clock_t start = clock();
        cn_mesh *mesh = cn_mesh_create(&def);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        double bytes = (double)cn_mesh_get_overhead(mesh) / f.triangle_count;
        printf("%7d triangles: %.2f bytes each, built in %.3f s\n", f.triangle_count, bytes, seconds);
        assert_true(bytes <= 24.0);
        cn_mesh_destroy(mesh);
        free(materials);
        form_free(&f);
    }
    form soup = form_soup(50000, 10.0f, 0.1f);
    cn_mesh *mesh = form_mesh(&soup);
    assert_true(cn_mesh_get_overhead(mesh) <= 22u * 50000u);
    cn_mesh_destroy(mesh);
    form_free(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input_is_refused_by_name),
        cmocka_unit_test(test_bad_normals_are_refused),
        cmocka_unit_test(test_what_was_given_can_be_read),
        cmocka_unit_test(test_box_leans_over_its_edges),
        cmocka_unit_test(test_lean_is_the_tangent_of_half_the_angle),
        cmocka_unit_test(test_flat_is_flat_whatever_the_rounding),
        cmocka_unit_test(test_edges_of_one_and_of_many),
        cmocka_unit_test(test_a_book_is_open_at_its_spine),
        cmocka_unit_test(test_scale_is_that_of_the_vertices),
        cmocka_unit_test(test_smooth_normals_are_weighted_by_angle),
        cmocka_unit_test(test_mass_of_closed_meshes),
        cmocka_unit_test(test_overhead_per_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
