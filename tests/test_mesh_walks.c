// Walks through meshes and rays against them, compared with brute force in double.
#include "mesh_forms.h"

#include "shape/mesh_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { FORMS = 4, SCALES = 3, MOST = 3000 };
static const cn_vec3 scales[SCALES] = { { 1.0f, 1.0f, 1.0f }, { 2.0f, 0.3f, 1.5f }, { -1.0f, 0.7f, 3.0f } };

static form make_form(int kind)
{
    switch (kind) {
    case 0: return form_grid(30, 0.7f);
    case 1: return form_soup(1500, 5.0f, 0.7f);
    case 2: return form_sphere(20, 31);
    default: return form_box(cn_v3(3.0f, 0.01f, 2.0f));
    }
}

static cn_box3 box_of(const cn_composite *shape, int part)
{
    cn_part p;
    cn_composite_part(shape, part, &p);
    const cn_vec3 *v = p.triangle.vertices;
    return (cn_box3){ cn_min3(v[0], cn_min3(v[1], v[2])), cn_max3(v[0], cn_max3(v[1], v[2])) };
}

static cn_vec3 random_place(rng *r, const cn_box3 *around, float factor)
{
    cn_vec3 size = cn_scale(factor, cn_sub(around->upper, around->lower));
    cn_vec3 u = rng_vec(r, 0.5f);
    return cn_add(cn_scale(0.5f, cn_add(around->lower, around->upper)), cn_mul(size, u));
}

// ---- Boxes

static void assert_query_agrees(const cn_composite *shape, const cn_box3 *query)
{
    static int32_t found[MOST];
    static unsigned char seen[MOST];
    int count = cn_composite_query(shape, query, found, MOST), expected = 0;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < count; i++)
        seen[found[i]] = 1;
    for (int i = 0; i < cn_composite_part_limit(shape); i++) {
        cn_box3 box = box_of(shape, i);
        bool overlaps = cn_box3_overlaps(&box, query);
        assert_int_equal(seen[i], overlaps);
        expected += overlaps;
    }
    assert_int_equal(count, expected);
    int32_t few[3] = { -1, -1, -1 };
    assert_int_equal(cn_composite_query(shape, query, few, 2), expected);
    assert_int_equal(few[2], -1);
    assert_true(count < 2 || (few[0] == found[0] && few[1] == found[1]));
}

typedef struct visits {
    unsigned char seen[MOST];
    int count;
} visits;

static float note(void *context, int part, float limit)
{
    visits *v = context;
    assert_int_equal(v->seen[part]++, 0);
    v->count++;
    return limit;
}

static double gap_between(const cn_box3 *a, const cn_box3 *b)
{
    double x = fmax(0.0, fmax((double)a->lower.x - (double)b->upper.x, (double)b->lower.x - (double)a->upper.x));
    double y = fmax(0.0, fmax((double)a->lower.y - (double)b->upper.y, (double)b->lower.y - (double)a->upper.y));
    double z = fmax(0.0, fmax((double)a->lower.z - (double)b->upper.z, (double)b->lower.z - (double)a->upper.z));
    return sqrt(x * x + y * y + z * z);
}

static void assert_near_agrees(const cn_composite *shape, const cn_box3 *query, float limit)
{
    static visits v;
    memset(&v, 0, sizeof v);
    cn_composite_near(shape, query, limit, note, &v);
    for (int i = 0; i < cn_composite_part_limit(shape); i++) {
        cn_box3 box = box_of(shape, i);
        double gap = gap_between(&box, query);
        if (fabs(gap - (double)limit) > 1e-5)
            assert_int_equal(v.seen[i], gap < (double)limit);
    }
}

// How far apart the moving box stays from another, along the axis on which it stays farthest; negative when they meet. A margin
// makes both answers certain.
static bool sweeps_over(const cn_box3 *box, cn_vec3 origin, cn_vec3 move, cn_vec3 half, double margin)
{
    double from = 0.0, to = 1.0;
    for (int i = 0; i < 3; i++) {
        double o = (double)cn_component(origin, i), d = (double)cn_component(move, i),
               h = (double)cn_component(half, i) + margin;
        double lower = (double)cn_component(box->lower, i) - h - o, upper = (double)cn_component(box->upper, i) + h - o;
        if (fabs(d) < 1e-12) {
            if (lower > 0.0 || upper < 0.0)
                return false;
            continue;
        }
        from = fmax(from, fmin(lower / d, upper / d));
        to = fmin(to, fmax(lower / d, upper / d));
    }
    return from <= to;
}

static void assert_sweep_agrees(const cn_composite *shape, cn_vec3 origin, cn_vec3 move, cn_vec3 half)
{
    static visits v;
    memset(&v, 0, sizeof v);
    cn_composite_sweep(shape, origin, move, half, 1.0f, note, &v);
    for (int i = 0; i < cn_composite_part_limit(shape); i++) {
        cn_box3 box = box_of(shape, i);
        if (sweeps_over(&box, origin, move, half, 0.0))
            assert_true(v.seen[i]);
        if (v.seen[i])
            assert_true(sweeps_over(&box, origin, move, half, 3e-4));
    }
}

static void test_walks_agree_with_brute_force(void **state)
{
    (void)state;
    rng r = { 21 };
    for (int kind = 0; kind < FORMS; kind++) {
        form f = make_form(kind);
        cn_mesh *mesh = form_mesh(&f);
        for (int s = 0; s < SCALES; s++) {
            cn_composite shape = { .type = CN_MESH, .mesh = mesh, .scale = scales[s] };
            cn_box3 all = cn_composite_bounds(&shape);
            for (int i = 0; i < 40; i++) {
                cn_vec3 center = random_place(&r, &all, 1.3f), half = cn_abs3(rng_vec(&r, i % 3 == 0 ? 3.0f : 0.3f));
                cn_box3 query = { cn_sub(center, half), cn_add(center, half) };
                assert_query_agrees(&shape, &query);
                assert_near_agrees(&shape, &query, rng_range(&r, 0.0f, 3.0f));
                cn_vec3 origin = random_place(&r, &all, 2.0f), move = cn_sub(random_place(&r, &all, 2.0f), origin);
                if (i % 4 == 1)
                    move.y = 0.0f;
                assert_sweep_agrees(&shape, origin, move, i % 2 == 0 ? half : cn_v3(0.0f, 0.0f, 0.0f));
            }
        }
        cn_mesh_destroy(mesh);
        form_free(&f);
    }
}

static void test_queries_touch_exactly(void **state)
{
    (void)state;
    form f = form_grid(5, 0.0f);
    cn_mesh *mesh = form_mesh(&f);
    cn_composite shape = { .type = CN_MESH, .mesh = mesh, .scale = { 1.0f, 1.0f, 1.0f } };
    cn_box3 above = { { 0.25f, 0.0f, 0.25f }, { 0.75f, 1.0f, 0.75f } }, corner = { { 2.0f, 0.0f, 2.0f }, { 2.0f, 0.0f, 2.0f } };
    int32_t found[32];
    assert_int_equal(cn_composite_query(&shape, &above, found, 32), 2);
    assert_int_equal(cn_composite_query(&shape, &corner, found, 32), 8);
    above.lower.y = 1e-30f;
    assert_int_equal(cn_composite_query(&shape, &above, found, 32), 0);
    cn_mesh_destroy(mesh);
    form_free(&f);
}

// ---- Rays

// The first triangle met from its front. `doubt` is set when another rounding could have decided otherwise.
typedef struct exact_hit {
    double fraction; // above 1: none
    bool doubt;
} exact_hit;

static exact_hit cast_exactly(const cn_composite *shape, cn_vec3 origin, cn_vec3 move)
{
    exact_hit best = { 2.0, false };
    dvec o = dv_of(origin), d = dv_of(move);
    double reach = dv_length(o) + dv_length(d);
    for (int i = 0; i < cn_composite_part_limit(shape); i++) {
        cn_part part;
        cn_composite_part(shape, i, &part);
        dvec a = dv_of(part.triangle.vertices[0]), b = dv_of(part.triangle.vertices[1]), c = dv_of(part.triangle.vertices[2]);
        dvec e = dv_sub(b, a), f = dv_sub(c, a), n = dv_cross(e, f), s = dv_sub(o, a), q = dv_cross(s, d);
        double det = -dv_dot(n, d), t = dv_dot(n, s) / det, u = dv_dot(f, q) / det, v = -dv_dot(e, q) / det;
        double grazing = fabs(det) / (dv_length(n) * dv_length(d));
        double blur = 1e-5 * reach / fmin(dv_length(e), dv_length(f)) / fmax(grazing, 1e-6);
        double inside = fmin(fmin(u, v), 1.0 - u - v);
        double before = fmin(t, 1.0 - t);
        if (inside < -blur || before < -blur || det < -1e-5 * dv_length(n) * dv_length(d))
            continue;
        if (inside < blur || before < blur || grazing < 1e-3) {
            best.doubt = best.doubt || t < best.fraction + blur;
            continue;
        }
        best.fraction = fmin(best.fraction, t);
    }
    return best;
}

static void test_rays_agree_with_brute_force(void **state)
{
    (void)state;
    rng r = { 22 };
    int hits = 0, doubts = 0, rays = 0;
    for (int kind = 0; kind < FORMS; kind++) {
        form f = make_form(kind);
        cn_mesh *mesh = form_mesh(&f);
        for (int s = 0; s < SCALES; s++) {
            cn_composite shape = { .type = CN_MESH, .mesh = mesh, .scale = scales[s] };
            cn_box3 all = cn_composite_bounds(&shape);
            for (int i = 0; i < 250; i++) {
                cn_vec3 origin = random_place(&r, &all, 3.0f), move = cn_sub(random_place(&r, &all, 1.0f), origin);
                move = cn_scale(rng_range(&r, 0.5f, 2.0f), move);
                if (i % 5 == 0)
                    move = cn_v3(0.0f, i % 2 == 0 ? -8.0f : 8.0f, 0.0f);
                exact_hit exact = cast_exactly(&shape, origin, move);
                cn_surface_hit hit = { 2.0f, -1, { 0.0f, 0.0f, 0.0f } };
                bool met = cn_composite_cast_ray(&shape, origin, move, 1.0f, &hit);
                rays++;
                if (exact.doubt) {
                    doubts++;
                    continue;
                }
                assert_int_equal(met, exact.fraction <= 1.0);
                if (!met)
                    continue;
                hits++;
                assert_true(fabs((double)hit.fraction - exact.fraction) < 2e-5);
                assert_true(cn_dot(hit.normal, move) < 0.0f);
                // A limit just before the hit leaves nothing, one at the hit keeps it.
                cn_surface_hit again;
                assert_true(cn_composite_cast_ray(&shape, origin, move, hit.fraction, &again) && again.part == hit.part);
                if (cn_composite_cast_ray(&shape, origin, move, hit.fraction * 0.999f, &again))
                    assert_true(again.fraction < hit.fraction);
            }
        }
        cn_mesh_destroy(mesh);
        form_free(&f);
    }
    assert_true(hits > rays / 3 && doubts < rays / 5);
}

// Seen from inside through a closed surface that faces inwards there is no way out, least of all through edges and vertices.
static void test_nothing_slips_through(void **state)
{
    (void)state;
    rng r = { 23 };
    form f = form_sphere(24, 37);
    for (int i = 0; i < f.triangle_count; i++) { // inside out
        int swap = f.indices[3 * i];
        f.indices[3 * i] = f.indices[3 * i + 1];
        f.indices[3 * i + 1] = swap;
    }
    cn_mesh *mesh = form_mesh(&f);
    for (int s = 0; s < SCALES; s++) {
        cn_composite shape = { .type = CN_MESH, .mesh = mesh, .scale = scales[s] };
        for (int i = 0; i < 20000; i++) {
            const int *t = &f.indices[3 * (i % f.triangle_count)];
            cn_vec3 a = cn_mul(shape.scale, f.vertices[t[0]]), b = cn_mul(shape.scale, f.vertices[t[1]]);
            cn_vec3 target = i % 2 == 0 ? a : cn_lerp(a, b, i % 4 == 1 ? 0.5f : rng_range(&r, 0.0f, 1.0f));
            cn_vec3 origin = i % 3 == 0 ? cn_v3(0.0f, 0.0f, 0.0f) : cn_mul(shape.scale, rng_vec(&r, 0.4f));
            cn_surface_hit hit;
            assert_true(cn_composite_cast_ray(&shape, origin, cn_scale(1.5f, cn_sub(target, origin)), 1.0f, &hit));
        }
    }
    cn_mesh_destroy(mesh);
    form_free(&f);
}

static void test_rays_straight_onto_a_grid(void **state)
{
    (void)state;
    form f = form_grid(20, 0.0f);
    cn_mesh *mesh = form_mesh(&f);
    cn_composite shape = { .type = CN_MESH, .mesh = mesh, .scale = { 1.0f, 1.0f, 1.0f } };
    cn_surface_hit hit;
    for (int i = 0; i < 21 * 21 * 4; i++) { // vertices, edges and diagonals, border included
        cn_vec3 from = cn_v3(0.5f * (float)(i % 42), 3.0f, 0.5f * (float)(i / 42));
        bool inside = from.x <= 20.0f && from.z <= 20.0f;
        assert_int_equal(cn_composite_cast_ray(&shape, from, cn_v3(0.0f, -6.0f, 0.0f), 1.0f, &hit), inside);
        if (inside)
            assert_true(hit.fraction == 0.5f && hit.normal.y == 1.0f);
        from.y = -3.0f; // from behind
        assert_false(cn_composite_cast_ray(&shape, from, cn_v3(0.0f, 6.0f, 0.0f), 1.0f, &hit));
    }
    assert_false(cn_composite_cast_ray(&shape, cn_v3(1.0f, 0.0f, 1.0f), cn_v3(0.0f, 0.0f, 0.0f), 1.0f, &hit)); // no length
    assert_false(
        cn_composite_cast_ray(&shape, cn_v3(-1.0f, 0.0f, 1.0f), cn_v3(9.0f, 0.0f, 0.0f), 1.0f, &hit)); // in the surface
    assert_true(cn_composite_cast_ray(&shape, cn_v3(1.0f, 0.0f, 1.0f), cn_v3(0.0f, -1.0f, 0.0f), 1.0f, &hit));
    assert_true(hit.fraction == 0.0f);
    // The end of a ray belongs to it.
    assert_true(cn_composite_cast_ray(&shape, cn_v3(1.2f, 1.0f, 1.4f), cn_v3(0.0f, -1.0f, 0.0f), 1.0f, &hit));
    assert_false(cn_composite_cast_ray(&shape, cn_v3(1.2f, 1.0f, 1.4f), cn_v3(0.0f, -1.0f, 0.0f), 0.999f, &hit));
    // From very far away.
    assert_true(cn_composite_cast_ray(&shape, cn_v3(7.3f, 1e6f, 10.1f), cn_v3(0.0f, -2e6f, 0.0f), 1.0f, &hit));
    cn_mesh_destroy(mesh);
    form_free(&f);
}

// Both builds of the kernel, bit for bit; and how fast they are.
static void test_kernels_agree(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        return;
    enum { RAYS = 40000 };
    form f = form_grid(100, 0.7f);
    cn_mesh *mesh = form_mesh(&f);
    static const cn_mesh_ray_kernel kernels[2] = { cn_mesh_ray_base, cn_mesh_ray_avx2 };
    static cn_mesh_ray_hit hits[2][RAYS];
    double seconds[2];
    for (int k = 0; k < 2; k++) {
        rng r = { 24 };
        clock_t start = clock();
        for (int i = 0; i < RAYS; i++) {
            cn_vec3 from = cn_add(cn_v3(50.0f, 0.0f, 50.0f), rng_over(&r, 50.0f, 0.0f, 50.0f));
            from.y = rng_range(&r, 1.0f, 30.0f);
            cn_vec3 move = rng_vec(&r, 60.0f);
            hits[k][i] = (cn_mesh_ray_hit){ -1.0f, -1 };
            kernels[k](mesh, from, move, 1.0f, &hits[k][i]);
        }
        seconds[k] = (double)(clock() - start) / CLOCKS_PER_SEC;
    }
    assert_memory_equal(hits[0], hits[1], sizeof hits[0]);
    printf("rays per second against 20,000 triangles: %.2g base, %.2g avx2\n", RAYS / seconds[0], RAYS / seconds[1]);
    cn_mesh_destroy(mesh);
    form_free(&f);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_agree_with_brute_force), cmocka_unit_test(test_queries_touch_exactly),
        cmocka_unit_test(test_rays_agree_with_brute_force),  cmocka_unit_test(test_nothing_slips_through),
        cmocka_unit_test(test_rays_straight_onto_a_grid),    cmocka_unit_test(test_kernels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
