// Rays against convex shapes. How far outside a point is, is a convex function along a ray: a hit is where it first falls to 0.
#include "cast_shapes.h"
#include "collide/cast.h"
#include "hull_fixture.h"

#include <time.h>

typedef struct ray_case {
    cast_shape shape;
    cn_vec3 origin, translation;
    float limit;
} ray_case;

static void make_case(ray_case *c, rng *r, int type)
{
    make_cast_shape(&c->shape, r, type, powf(10.0f, rng_range(r, -2.0f, 2.0f)), &hulls);
    float size = (float)c->shape.size, far = size * powf(10.0f, rng_range(r, -1.0f, rng_next(r) % 4 ? 1.0f : 4.0f));
    c->origin = random_pose(r, far * rng_range(r, 0.5f, 1.0f)).position;
    cn_vec3 toward = cn_sub(rng_vec(r, 0.6f * size), c->origin);
    c->translation = cn_scale(far * rng_range(r, 0.3f, 3.0f), cn_normalize(toward));
    c->limit = rng_next(r) % 4 ? 1.0f : rng_range(r, 0.0f, 1.0f);
    if (rng_next(r) % 8 == 0) { // along an axis
        int axis = (int)(rng_next(r) % 3);
        c->translation = cn_v3(axis == 0 ? c->translation.x : 0.0f, axis == 1 ? c->translation.y : 0.0f,
                               axis == 2 ? c->translation.z : 0.0f);
        c->origin = cn_madd(rng_vec(r, 0.6f * size), -0.5f, c->translation);
    }
}

static dvec along(const ray_case *c, double t) { return dv_madd(dv_of(c->origin), t, dv_of(c->translation)); }

static double outside_at(const ray_case *c, double t) { return cast_outside_by(&c->shape.convex, along(c, t)); }

static double least_outside(const ray_case *c)
{
    double low = 0.0, high = (double)c->limit;
    for (int i = 0; i < 80; i++) {
        double first = low + (high - low) * 0.4, second = low + (high - low) * 0.6;
        if (outside_at(c, first) <= outside_at(c, second))
            high = second;
        else
            low = first;
    }
    return fmin(outside_at(c, 0.5 * (low + high)), fmin(outside_at(c, 0.0), outside_at(c, (double)c->limit)));
}

// What a hit at a fraction above 0 leaves unproven, in metres: its point must lie on the ray and on the surface, with all of
// the shape on the far side of the plane there.
static double hit_error(const ray_case *c, const cn_cast_result *hit)
{
    dvec p = dv_of(hit->point), n = dv_of(hit->normal), way = dv_of(c->translation);
    double error = fabs(cast_outside_by(&c->shape.convex, p));
    error = fmax(error, dv_length(dv_sub(p, along(c, (double)hit->fraction))) - 1e-7 * dv_length(way));
    error = fmax(error, cast_support_height(&c->shape.convex, n) - dv_dot(n, p));
    return fmax(error, dv_dot(n, way) < 0.0 ? fabs(dv_length(n) - 1.0) * c->shape.size : 1e30);
}

static void rays_agree_with_distances(void **state)
{
    (void)state;
    int cases = cast_cases(20000);
    for (int type = 0; type < CN_SOLID_TYPE_COUNT; type++) {
        rng r = { (uint64_t)type };
        int hits = 0, inside = 0;
        double worst = 0.0;
        for (int i = 0; i < cases; i++) {
            ray_case c;
            make_case(&c, &r, type);
            cn_cast_result hit;
            double error;
            if (!cn_cast_ray(&c.shape.convex, c.origin, c.translation, c.limit, &hit)) {
                error = -least_outside(&c);
            } else if (cn_length(hit.normal) == 0.0f) {
                inside++;
                assert_float_equal(hit.fraction, 0.0f, 0.0f);
                error = outside_at(&c, 0.0);
            } else {
                hits++;
                assert_true(hit.fraction <= c.limit);
                error = fmax(hit_error(&c, &hit), -outside_at(&c, 0.0));
            }
            // The point is float: it is as exact as its coordinates.
            error -= 1.2e-7 * (c.shape.size + (double)cn_length(c.origin) * 1e-3);
            if (!(error / c.shape.size < 1e-5))
                fail_msg("%s %d: %g", cast_type_names[type], i, error / c.shape.size);
            worst = fmax(worst, error / c.shape.size);
        }
        print_message("%-8s: %d hits, %d inside of %d, worst %.2g\n", cast_type_names[type], hits, inside, cases, worst);
        assert_true(hits > cases / 4 && hits < cases * 9 / 10);
    }
}

// Against the signs of volumes, in double.
static void triangles_are_hit_from_the_front(void **state)
{
    (void)state;
    int cases = cast_cases(20000), hits = 0, backs = 0;
    rng r = { 5 };
    for (int i = 0; i < cases; i++) {
        ray_case c;
        make_case(&c, &r, CAST_TYPES - 1);
        dvec a = dv_of(c.shape.vertices[0]), b = dv_of(c.shape.vertices[1]), d = dv_of(c.shape.vertices[2]);
        dvec n = dv_unit(dv_cross(dv_sub(b, a), dv_sub(d, a))), way = dv_of(c.translation);
        double t = dv_dot(n, dv_sub(a, dv_of(c.origin))) / dv_dot(n, way);
        dvec p = along(&c, t);
        double off = triangle_distance(c.shape.vertices, p) / c.shape.size;
        bool front = dv_dot(n, way) < 0.0;
        cn_cast_result hit;
        bool met = cn_cast_ray(&c.shape.convex, c.origin, c.translation, c.limit, &hit);
        if (met) {
            hits++;
            assert_true(front && off < 1e-5 && fabs(t - (double)hit.fraction) < 1e-6 * fmax(t, 1.0));
            assert_true(dv_dot(n, dv_of(hit.normal)) > 0.999999);
            assert_true(triangle_distance(c.shape.vertices, dv_of(hit.point)) < 1e-5 * c.shape.size);
        } else if (off == 0.0 || off < 1e-12) {
            double edge = 1.0; // nearly on an edge counts either way
            for (int k = 0; k < 3; k++) {
                dvec from = dv_of(c.shape.vertices[k]), to = dv_of(c.shape.vertices[(k + 1) % 3]);
                edge = fmin(edge, dv_length(dv_sub(p, closest_on_edge(p, from, to))) / c.shape.size);
            }
            assert_true(!front || t < 0.0 || t > (double)c.limit || edge < 1e-5);
            backs += !front && t > 0.0 && t < (double)c.limit;
        }
    }
    print_message("%d hits, %d from behind\n", hits, backs);
    assert_true(hits > cases / 50 && backs > cases / 50);
}

static void the_surface_itself_is_a_hit_on_the_way_in(void **state)
{
    (void)state;
    cn_convex shapes[] = { { .type = CN_SPHERE, .radius = 1.0f },
                           { .type = CN_CAPSULE, .radius = 0.5f, .half_height = 0.5f },
                           { .type = CN_BOX, .half_extents = { 1.0f, 1.0f, 1.0f } },
                           { .type = CN_CYLINDER, .radius = 0.5f, .half_height = 1.0f } };
    for (int i = 0; i < 4; i++) {
        cn_cast_result hit;
        cn_vec3 top = { 0.0f, 1.0f, 0.0f }, down = { 0.0f, -1.0f, 0.0f }, none = { 0.0f, 0.0f, 0.0f };
        assert_true(cn_cast_ray(&shapes[i], top, down, 1.0f, &hit));
        assert_float_equal(hit.fraction, 0.0f, 0.0f);
        assert_float_equal(hit.normal.y, 1.0f, 0.0f);
        assert_false(cn_cast_ray(&shapes[i], top, top, 1.0f, &hit));
        assert_true(cn_cast_ray(&shapes[i], none, none, 1.0f, &hit)); // a ray without length, inside
        assert_float_equal(hit.fraction, 0.0f, 0.0f);
        assert_float_equal(cn_length(hit.normal), 0.0f, 0.0f);
        assert_false(cn_cast_ray(&shapes[i], cn_v3(0.0f, 1.1f, 0.0f), none, 1.0f, &hit));
        assert_true(cn_cast_ray(&shapes[i], cn_v3(0.0f, 3.0f, 0.0f), cn_scale(2.0f, down), 1.0f, &hit)); // ends on it
        assert_float_equal(hit.fraction, 1.0f, 1e-6f);
        assert_false(cn_cast_ray(&shapes[i], cn_v3(0.0f, 3.0f, 0.0f), cn_scale(2.0f, down), 0.99f, &hit));
    }
}

static void rays_are_fast(void **state)
{
    (void)state;
    enum { CASES = 4000 };
    static ray_case cases[CASES];
    for (int type = 0; type < CAST_TYPES; type++) {
        rng r = { 11 };
        for (int i = 0; i < CASES; i++)
            make_case(&cases[i], &r, type);
        double best = 1e9;
        int hits = 0;
        for (int run = 0; run < 5; run++) {
            clock_t begin = clock();
            for (int i = 0; i < CASES; i++) {
                cn_cast_result hit;
                hits += cn_cast_ray(&cases[i].shape.convex, cases[i].origin, cases[i].translation, cases[i].limit, &hit);
            }
            best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC / CASES);
        }
        print_message("%-8s: %.0f ns per ray, %d hits\n", cast_type_names[type], best * 1e9, hits / 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_agree_with_distances),
        cmocka_unit_test(triangles_are_hit_from_the_front),
        cmocka_unit_test(the_surface_itself_is_a_hit_on_the_way_in),
        cmocka_unit_test(rays_are_fast),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
