// Height fields: creation, bad input, memory, triangles and leans against exact ones.
#include "height_fields.h"

// ---- creation

static void test_bad_input_is_refused_with_a_sentence(void **state)
{
    (void)state;
    float heights[12] = { 0.0f };
    uint8_t holes[6] = { 1, 1, 1, 1, 1, 1 };
    cn_height_field_def good = cn_height_field_def_default(), def;
    good.columns = 4;
    good.rows = 3;
    good.heights = heights;
    assert_null(cn_height_field_create(NULL));
    assert_message("cn_height_field_create: def is NULL");
#define REFUSED(change, sentence)                                                                                              \
    do {                                                                                                                       \
        def = good;                                                                                                            \
        change;                                                                                                                \
        assert_null(cn_height_field_create(&def));                                                                             \
        assert_message(sentence);                                                                                              \
    } while (0)
    REFUSED(def.columns = 1, "cn_height_field_create: def.columns is 1; it must be between 2 and 65537");
    REFUSED(def.rows = -3, "cn_height_field_create: def.rows is -3; it must be between 2 and 65537");
    REFUSED(def.rows = INT32_MAX, "cn_height_field_create: def.rows is 2147483647; it must be between 2 and 65537");
    REFUSED((def.columns = 65537, def.rows = 40000),
            "cn_height_field_create: 65537 columns and 40000 rows make 5242748928 triangles; the limit is 2147483647");
    REFUSED(def.spacing_x = 0.0f, "cn_height_field_create: def.spacing_x is 0; it must be finite and greater than zero");
    REFUSED(def.spacing_z = NAN, "cn_height_field_create: def.spacing_z is nan; it must be finite and greater than zero");
    REFUSED(def.spacing_x = 5e5f, "cn_height_field_create: the field is 1.5e+06 m by 2 m; the limit is 1e+06 m");
    REFUSED(def.heights = NULL, "cn_height_field_create: def.heights is NULL");
    REFUSED(heights[6] = INFINITY,
            "cn_height_field_create: def.heights[6] (column 2, row 1) is inf; heights must be finite and "
            "within 1e+06 m");
    heights[6] = 0.0f;
    REFUSED(def.holes = holes, "cn_height_field_create: def.holes leaves nothing of the field; all of its cells are holes");
#undef REFUSED
    cn_height_field *field = cn_height_field_create(&good);
    assert_true(cn_height_field_get_height(field, 4, 0) == 0.0f);
    assert_message("cn_height_field_get_height: column is 4; it must be between 0 and 3");
    assert_false(cn_height_field_is_hole(field, 0, 2));
    assert_message("cn_height_field_is_hole: row is 2; it must be between 0 and 1");
    assert_int_equal(cn_height_field_get_rows(NULL), 0);
    assert_message("cn_height_field_get_rows: field is NULL");
    cn_composite composite = { .type = CN_HEIGHT_FIELD, .scale = { 1.0f, 1.0f, 1.0f }, .height_field = field };
    cn_mass mass;
    assert_false(cn_composite_mass(&composite, "cn_shape_create", 1000.0f, &mass));
    assert_message("cn_shape_create: a height field encloses no volume, so it has no mass");
    cn_height_field_destroy(field);
    cn_height_field_destroy(NULL);
}

typedef struct counts {
    size_t bytes, blocks;
} counts;

static void *counting_allocate(void *context, size_t size, size_t alignment)
{
    counts *c = context;
    c->bytes += size;
    c->blocks++;
    return cn_default_allocator.allocate(NULL, size, alignment);
}

static void counting_release(void *context, void *memory, size_t size)
{
    counts *c = context;
    c->bytes -= size;
    c->blocks--;
    cn_default_allocator.release(NULL, memory, size);
}

static void test_memory_is_counted_and_returned(void **state)
{
    (void)state;
    counts c = { 0 };
    cn_allocator allocator = { counting_allocate, counting_release, &c };
    enum { SIDE = 257 };
    static float heights[SIDE * SIDE];
    static uint8_t materials[SIDE * SIDE] = { [100] = 9 };
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = SIDE;
    def.heights = heights;
    def.allocator = &allocator;
    cn_height_field *field = cn_height_field_create(&def);
    double samples = (double)SIDE * SIDE;
    assert_true((double)c.bytes < 1.22 * 4.0 * samples); // heights, a sixth for the pyramid, a bit per cell
    cn_height_field_destroy(field);
    def.materials = materials;
    field = cn_height_field_create(&def);
    assert_true((double)c.bytes < (1.22 * 4.0 + 1.0) * samples);
    cn_composite composite = { .type = CN_HEIGHT_FIELD, .scale = { 1.0f, 1.0f, 1.0f }, .height_field = field };
    assert_int_equal(cn_composite_material_limit(&composite), 10);
    assert_int_equal(cn_composite_part_limit(&composite), 2 * 256 * 256);
    cn_composite_retain(&composite);
    cn_height_field_destroy(field);
    assert_true(c.blocks > 0 && cn_height_field_get_columns(field) == SIDE);
    cn_composite_release(&composite);
    assert_int_equal(c.bytes, 0);
    assert_int_equal(c.blocks, 0);
}

// ---- triangles

static dvec sample_at(const sample_field *f, int column, int row)
{
    cn_vec3 s = f->composite.scale;
    return dv(column * (double)f->def.spacing_x * (double)s.x, (double)f->heights[row * f->def.columns + column] * (double)s.y,
              row * (double)f->def.spacing_z * (double)s.z);
}

// The corners of a triangle as the public header describes them, in double.
static void corners_of(const sample_field *f, int part, dvec corner[3])
{
    int width = f->def.columns - 1, column = part / 2 % width, row = part / 2 / width;
    corner[0] = sample_at(f, column, row);
    corner[1] = part % 2 == 0 ? sample_at(f, column, row + 1) : sample_at(f, column + 1, row + 1);
    corner[2] = part % 2 == 0 ? sample_at(f, column + 1, row + 1) : sample_at(f, column + 1, row);
}

static bool same_point(dvec a, dvec b) { return dv_length(dv_sub(a, b)) < 1e-9; }

// Looks through all triangles for the one on the other side of an edge.
static double exact_lean(const sample_field *f, int part, int edge)
{
    dvec own[3], other[3];
    corners_of(f, part, own);
    for (int i = 0; i < cn_composite_part_limit(&f->composite); i++) {
        corners_of(f, i, other);
        for (int k = 0; k < 3 && i != part && is_there(f, i); k++) {
            if (!same_point(own[edge], other[(k + 1) % 3]) || !same_point(own[(edge + 1) % 3], other[k]))
                continue;
            dvec a = normal_of(own), b = normal_of(other);
            double bend = dv_dot(a, dv_sub(other[(k + 2) % 3], own[edge]));
            return bend >= 0.0 ? 0.0 : dv_length(dv_sub(a, b)) / dv_length(dv_madd(a, 1.0, b));
        }
    }
    return (double)CN_LEAN_FREE;
}

static void test_triangles_and_leans(void **state)
{
    (void)state;
    static sample_field f;
    rng r = { 1 };
    for (int round = 0; round < 12; round++) {
        make_random(&f, &r, round % 3 != 0);
        int limit = cn_composite_part_limit(&f.composite);
        assert_int_equal(limit, 2 * (f.def.columns - 1) * (f.def.rows - 1));
        cn_box3 bounds = cn_composite_bounds(&f.composite), all = { { 1e9f, 1e9f, 1e9f }, { -1e9f, -1e9f, -1e9f } };
        for (int part = 0; part < limit; part++) {
            if (!is_there(&f, part))
                continue;
            cn_part p;
            cn_composite_part(&f.composite, part, &p);
            assert_true(p.is_triangle && !p.triangle.smooth);
            assert_int_equal(p.material, f.materials[part / 2]);
            int width = f.def.columns - 1, column = part / 2 % width, row = part / 2 / width;
            assert_int_equal(cn_height_field_get_material(f.composite.height_field, column, row), p.material);
            dvec corner[3];
            corners_of(&f, part, corner);
            dvec normal = normal_of(corner);
            assert_true(normal.y > 0.0);
            assert_true(dv_length(dv_sub(normal, dv_of(p.triangle.normal))) < 2e-7);
            for (int i = 0; i < 3; i++) {
                assert_true(dv_length(dv_sub(corner[i], dv_of(p.triangle.vertices[i]))) < 1e-5);
                double exact = exact_lean(&f, part, i), lean = (double)p.triangle.lean[i];
                assert_true(fabs(lean - exact) <= 1e-6 * exact + (lean == 0.0 ? 1e-4 : 0.0));
            }
            cn_box3 box = part_box(&f, part);
            all = cn_box3_union(&all, &box);
        }
        assert_true(all.lower.y == bounds.lower.y && all.upper.y == bounds.upper.y);
        assert_true(cn_box3_contains(&bounds, &all));
        free_composite(&f);
    }
}

// A plane whose heights are rounded to float has no ridges, however it is tilted and wherever it lies.
static void test_planes_are_flat(void **state)
{
    (void)state;
    static sample_field f;
    rng r = { 2 };
    for (int round = 0; round < 30; round++) {
        float spacing_x = rng_range(&r, 0.1f, 5.0f), spacing_z = rng_range(&r, 0.1f, 5.0f);
        make_grid(&f, 40, 30, spacing_x, spacing_z);
        f.def.smooth = true;
        float along_x = rng_range(&r, -1.0f, 1.0f), along_z = rng_range(&r, -1.0f, 1.0f);
        float base = rng_range(&r, -500.0f, 500.0f);
        for (int i = 0; i < 40 * 30; i++)
            f.heights[i] = base + along_x * (float)(i % 40) * f.def.spacing_x + along_z * (float)(i / 40) * f.def.spacing_z;
        make_composite(&f, cn_v3(1.0f, rng_range(&r, 0.5f, 2.0f), 1.0f));
        cn_vec3 expected = cn_normalize(cn_v3(-along_x * f.composite.scale.y, 1.0f, -along_z * f.composite.scale.y));
        float tolerance = 2e-6f * (cn_absf(base) + 200.0f) / cn_minf(f.def.spacing_x, f.def.spacing_z);
        for (int part = 0; part < cn_composite_part_limit(&f.composite); part++) {
            cn_part p;
            cn_composite_part(&f.composite, part, &p);
            assert_true(p.triangle.smooth);
            for (int i = 0; i < 3; i++) {
                assert_true(p.triangle.lean[i] == 0.0f || p.triangle.lean[i] == CN_LEAN_FREE);
                assert_true(cn_distance(p.triangle.vertex_normals[i], expected) < tolerance);
                assert_true(cn_absf(cn_length(p.triangle.vertex_normals[i]) - 1.0f) < 1e-6f);
            }
        }
        free_composite(&f);
    }
}

// A roof along z: 45 degrees up, then down, so that its sides are at a right angle.
static void test_a_roof_leans_and_holes_are_free(void **state)
{
    (void)state;
    static sample_field f;
    make_grid(&f, 5, 4, 1.0f, 1.0f);
    f.def.smooth = true;
    memset(f.holes, 0, sizeof f.holes);
    f.holes[1 * 4 + 2] = 1; // the cell right of the ridge, in the middle row
    f.def.holes = f.holes;
    for (int i = 0; i < 20; i++)
        f.heights[i] = 2.0f - fabsf((float)(i % 5) - 2.0f);
    make_composite(&f, cn_v3(1.0f, 1.0f, 1.0f));
    cn_part p;
    cn_composite_part(&f.composite, 2 * 1 + 1, &p);        // left of the ridge, first row
    assert_true(fabsf(p.triangle.lean[1] - 1.0f) < 1e-6f); // tan(45 degrees)
    assert_true(p.triangle.lean[0] == 0.0f && p.triangle.lean[2] == CN_LEAN_FREE);
    assert_true(cn_distance(p.triangle.vertex_normals[1], cn_v3(0.0f, 1.0f, 0.0f)) < 1e-6f); // both slopes meet here
    cn_composite_part(&f.composite, 2 * (1 * 4 + 1) + 1, &p);                                // beside the hole
    assert_true(p.triangle.lean[1] == CN_LEAN_FREE && p.triangle.lean[2] == 0.0f);
    // The ridge at row 1 still has a right side, in row 0; at row 2 in row 2.
    assert_true(cn_distance(p.triangle.vertex_normals[2], cn_v3(0.0f, 1.0f, 0.0f)) < 1e-6f);
    // Without any ground on the right the normal is that of the left.
    free_composite(&f);
    f.holes[0 * 4 + 2] = f.holes[2 * 4 + 2] = 1;
    make_composite(&f, cn_v3(1.0f, 1.0f, 1.0f));
    cn_composite_part(&f.composite, 2 * (1 * 4 + 1) + 1, &p);
    assert_true(cn_distance(p.triangle.vertex_normals[2], cn_v3(-0.70710678f, 0.70710678f, 0.0f)) < 1e-6f);
    free_composite(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input_is_refused_with_a_sentence),
        cmocka_unit_test(test_memory_is_counted_and_returned),
        cmocka_unit_test(test_triangles_and_leans),
        cmocka_unit_test(test_planes_are_flat),
        cmocka_unit_test(test_a_roof_leans_and_holes_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
