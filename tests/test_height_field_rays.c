// Rays against height fields: brute force in double, nothing slips through, and a large field.
#include "height_fields.h"

typedef struct exact_hit {
    double fraction, inside; // inside: least barycentric coordinate
} exact_hit;

// Where a ray crosses the plane of a triangle from its front; fraction -1 when it does not.
static exact_hit cross(const dvec corner[3], dvec origin, dvec direction)
{
    dvec u = dv_sub(corner[1], corner[0]), v = dv_sub(corner[2], corner[0]), p = dv_cross(direction, v);
    double det = dv_dot(u, p);
    if (det <= 0.0)
        return (exact_hit){ -1.0, -1.0 };
    dvec s = dv_sub(origin, corner[0]), q = dv_cross(s, u);
    double b = dv_dot(s, p) / det, c = dv_dot(direction, q) / det;
    return (exact_hit){ dv_dot(v, q) / det, fmin(fmin(b, c), 1.0 - b - c) };
}

static void vertices_of(const sample_field *f, int part, dvec corner[3])
{
    cn_part p;
    cn_composite_part(&f->composite, part, &p);
    for (int i = 0; i < 3; i++)
        corner[i] = dv_of(p.triangle.vertices[i]);
}

static void test_rays_agree_with_brute_force(void **state)
{
    (void)state;
    static sample_field f;
    static dvec corners[MAX_PARTS][3];
    rng r = { 6 };
    int rays = 0, hits = 0, passed = 0;
    while (rays < 100000) {
        make_random(&f, &r, rays % 3 != 0);
        int limit = cn_composite_part_limit(&f.composite);
        for (int part = 0; part < limit; part++)
            vertices_of(&f, part, corners[part]);
        for (int k = 0; k < 500; k++, rays++) {
            cn_vec3 origin = place_around(&r, &f, 5.0f), end = place_around(&r, &f, 5.0f);
            bool rises = end.y > origin.y && k % 4 != 0; // mostly downwards, where there is something to hit
            cn_vec3 translation = rises ? cn_sub(origin, end) : cn_sub(end, origin);
            origin = rises ? end : origin;
            if (k % 8 == 0)
                translation = cn_v3(0.0f, -40.0f, 0.0f);
            float reach = k % 3 == 0 ? 0.5f : 1.0f;
            dvec o = dv_of(origin), d = dv_of(translation);
            cn_surface_hit hit = { .part = -1 };
            bool found = cn_composite_cast_ray(&f.composite, origin, translation, reach, &hit);
            double first = 2.0;
            for (int part = 0; part < limit; part++) {
                if (!is_there(&f, part))
                    continue;
                exact_hit e = cross(corners[part], o, d);
                if (e.inside > 1e-4 && e.fraction > 1e-5 && e.fraction < (double)reach - 1e-5)
                    first = fmin(first, e.fraction);
            }
            if (first < 2.0)
                assert_true(found && (double)hit.fraction <= first + 1e-5);
            hits += found;
            passed += !found;
            if (!found)
                continue;
            assert_true(is_there(&f, hit.part) && hit.fraction >= 0.0f && hit.fraction <= reach);
            dvec normal = normal_of(corners[hit.part]);
            assert_true(dv_length(dv_sub(normal, dv_of(hit.normal))) < 1e-4);
            assert_true(dv_dot(normal, d) < 0.0);
            // The place is in the plane, and nearly in the triangle.
            dvec place = dv_sub(dv_madd(o, (double)hit.fraction, d), corners[hit.part][0]);
            exact_hit e = cross(corners[hit.part], o, d);
            assert_true(fabs(dv_dot(place, normal)) < 1e-4 && e.inside > -1e-4);
        }
        free_composite(&f);
    }
    print_message("%d rays, %d hits\n", rays, hits);
    assert_true(hits > 20000 && passed > 20000);
}

// Nothing slips through ground without holes, least of all where triangles meet.
static void test_nothing_slips_through(void **state)
{
    (void)state;
    static sample_field f;
    rng r = { 7 };
    int rays = 0;
    for (int round = 0; rays < 100000; round++) {
        make_random(&f, &r, false);
        if (f.def.columns < 4 || f.def.rows < 4) {
            free_composite(&f);
            continue;
        }
        cn_box3 b = cn_composite_bounds(&f.composite);
        for (int k = 0; k < 1000; k++, rays++) {
            // A sample, a point of an edge, or of a diagonal, away from the border.
            int column = 1 + (int)(rng_next(&r) % (uint32_t)(f.def.columns - 3));
            int row = 1 + (int)(rng_next(&r) % (uint32_t)(f.def.rows - 3));
            cn_part p;
            cn_composite_part(&f.composite, 2 * (row * (f.def.columns - 1) + column) + k % 2, &p);
            int edge = k / 2 % 3;
            cn_vec3 target = p.triangle.vertices[edge];
            if (k % 3 != 0)
                target = cn_lerp(target, p.triangle.vertices[(edge + 1) % 3], k % 3 == 1 ? 0.5f : rng_range(&r, 0.0f, 1.0f));
            // From above all ground to below all of it, steep enough to stay away from the border.
            float height = k % 5 == 0 ? 1000.0f : 1.0f, depth = 1.0f;
            float room = cn_minf(f.def.spacing_x * f.composite.scale.x, f.def.spacing_z * f.composite.scale.z);
            float way = height + depth + b.upper.y - b.lower.y, lean = k % 4 == 0 ? 0.0f : room / way;
            cn_vec3 down = cn_v3(rng_range(&r, -lean, lean), -1.0f, k % 7 == 0 ? 0.0f : rng_range(&r, -lean, lean));
            cn_vec3 origin = cn_madd(target, b.upper.y + height - target.y, cn_neg(down));
            cn_surface_hit hit;
            if (!cn_composite_cast_ray(&f.composite, origin, cn_scale(way, down), 1.0f, &hit))
                fail_msg("ray %d from (%.9g, %.9g, %.9g) slipped through", k, (double)origin.x, (double)origin.y,
                         (double)origin.z);
            cn_vec3 under = cn_madd(origin, way, down), up = { 0.0f, way, 0.0f };
            assert_false(cn_composite_cast_ray(&f.composite, under, up, 1.0f, &hit)); // from behind
        }
        free_composite(&f);
    }
}

static void test_particular_rays(void **state)
{
    (void)state;
    static sample_field f;
    make_grid(&f, 9, 7, 1.0f, 2.0f);
    memset(f.heights, 0, sizeof f.heights);
    make_composite(&f, cn_v3(1.0f, 1.0f, 1.0f));
    cn_surface_hit hit;
    const cn_vec3 down = { 0.0f, -4.0f, 0.0f };
    // Straight down on every sample, the border included, and on every middle of a cell.
    for (int row = 0; row < 7; row++)
        for (int column = 0; column < 9; column++) {
            assert_true(cn_composite_cast_ray(&f.composite, cn_v3((float)column, 1.0f, 2.0f * (float)row), down, 1.0f, &hit));
            assert_true(hit.fraction == 0.25f && hit.normal.y == 1.0f);
        }
    assert_true(cn_composite_cast_ray(&f.composite, cn_v3(0.5f, 1.0f, 1.0f), down, 1.0f, &hit));
    assert_int_equal(hit.part, 0); // on the diagonal both are hit; the lower number counts
    // A ray that ends on the ground or starts there hits it; one that falls short does not.
    assert_true(cn_composite_cast_ray(&f.composite, cn_v3(0.3f, 4.0f, 1.0f), down, 1.0f, &hit) && hit.fraction == 1.0f);
    assert_true(cn_composite_cast_ray(&f.composite, cn_v3(0.3f, 0.0f, 1.0f), down, 1.0f, &hit) && hit.fraction == 0.0f);
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(0.3f, 4.0f, 1.0f), down, 0.999f, &hit));
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(0.3f, -0.1f, 1.0f), down, 1.0f, &hit));
    // In the plane of the ground, along an edge of the border's outside, without direction, or not a number: no hit.
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(-1.0f, 0.0f, 2.0f), cn_v3(20.0f, 0.0f, 0.0f), 1.0f, &hit));
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(-0.001f, 1.0f, 2.0f), down, 1.0f, &hit));
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(1.0f, 0.0f, 2.0f), cn_v3(0.0f, 0.0f, 0.0f), 1.0f, &hit));
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(NAN, 1.0f, 2.0f), down, 1.0f, &hit));
    assert_false(cn_composite_cast_ray(&f.composite, cn_v3(1.0f, 1.0f, 2.0f), cn_v3(0.0f, NAN, 0.0f), 1.0f, &hit));
    // From very far, and nearly flat, over an edge.
    assert_true(cn_composite_cast_ray(&f.composite, cn_v3(1e5f + 4.0f, 1e5f, 6.0f), cn_v3(-2e5f, -2e5f, 0.0f), 1.0f, &hit));
    assert_true(fabsf(hit.fraction - 0.5f) < 1e-6f);
    assert_true(cn_composite_cast_ray(&f.composite, cn_v3(-1.0f, 1e-4f, 6.0f), cn_v3(10.0f, -2e-4f, 0.0f), 1.0f, &hit));
    assert_true(fabsf(hit.fraction - 0.5f) < 1e-3f);
    free_composite(&f);
}

static void test_large_field(void **state)
{
    (void)state;
    enum { SIDE = 4097 };
    float *heights = malloc(sizeof(float) * SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = 0.25f * (float)((i % SIDE * 7 + i / SIDE * 13) % 32);
    cn_height_field_def def = cn_height_field_def_default();
    def.columns = def.rows = SIDE;
    def.spacing_x = def.spacing_z = 0.5f;
    def.heights = heights;
    cn_height_field *field = cn_height_field_create(&def);
    assert_non_null(field);
    cn_composite composite = { .type = CN_HEIGHT_FIELD, .scale = { 1.0f, 1.0f, 1.0f }, .height_field = field };
    assert_int_equal(cn_composite_part_limit(&composite), 2 * 4096 * 4096);
    rng r = { 8 };
    for (int k = 0; k < 1000; k++) {
        int column = (int)(rng_next(&r) % SIDE), row = (int)(rng_next(&r) % SIDE);
        float x = 0.5f * (float)column, z = 0.5f * (float)row, height = heights[row * SIDE + column];
        cn_surface_hit hit;
        assert_true(cn_composite_cast_ray(&composite, cn_v3(x, 16.0f, z), cn_v3(0.0f, -32.0f, 0.0f), 1.0f, &hit));
        assert_true(fabsf(16.0f - 32.0f * hit.fraction - height) < 1e-5f);
        cn_box3 box = { { x, height, z }, { x, height, z } };
        int32_t found[12];
        int count = cn_composite_query(&composite, &box, found, 12);
        bool border_x = column == 0 || column == SIDE - 1, border_z = row == 0 || row == SIDE - 1;
        assert_true(count >= (border_x && border_z ? 1 : border_x || border_z ? 3 : 6)); // those that have it as a corner
    }
    int last = cn_composite_part_limit(&composite) - 1;
    cn_part p;
    cn_composite_part(&composite, last, &p);
    assert_true(p.triangle.vertices[1].x == 2048.0f && p.triangle.vertices[1].z == 2048.0f);
    cn_height_field_destroy(field);
    free(heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_agree_with_brute_force),
        cmocka_unit_test(test_nothing_slips_through),
        cmocka_unit_test(test_particular_rays),
        cmocka_unit_test(test_large_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
