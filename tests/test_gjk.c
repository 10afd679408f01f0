// GJK and EPA against certificates and brute force in double.
#include "collide/collide.h"
#include "collide/minkowski.h"
#include "hull_fixture.h"

#include <time.h>

static const char *const type_names[CN_SOLID_TYPE_COUNT] = { "sphere", "capsule", "box", "cylinder", "taper", "hull" };

static bool is_round_core(const cn_convex *s) { return s->type == CN_CYLINDER || s->type == CN_TAPERED_CAPSULE; }

// The larger of the two errors that a GJK result proves about itself: the points must belong to the cores, and the distance
// between them may exceed the gap between the support planes along the normal only by rounding.
static double gjk_error(const cn_convex *a, const cn_convex *b, cn_pose b_in_a, const cn_gjk_result *r)
{
    dvec pa = dv_of(r->point_a), pb = dv_of(r->point_b);
    dvec pb_in_b = dv_unrotate(b_in_a.rotation, dv_sub(pb, dv_of(b_in_a.position)));
    double error = fmax(outside_by(a, pa, false), outside_by(b, pb_in_b, false));
    error = fmax(error, fabs(dv_length(dv_sub(pb, pa)) - (double)r->distance));
    // The distance lies between the gap, or 0, and the distance of the points.
    if (r->distance > 0.0f) {
        double gap = fmax(-depth_along(a, b, b_in_a, dv_of(r->normal), false), 0.0);
        error = fmax(error, fabs((double)r->distance - gap));
    }
    return error;
}

static void gjk_distance_is_certified(void **state)
{
    (void)state;
    rng r = { 1 };
    double worst = 0.0;
    int most_iterations = 0, apart = 0;
    for (int i = 0; i < 60000; i++) {
        float size_a = powf(10.0f, rng_range(&r, -3.0f, 3.0f)), size_b = size_a * powf(10.0f, rng_range(&r, -1.0f, 1.0f));
        if (i % 2)
            size_b = size_a;
        cn_convex a = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size_a, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size_b, &hulls);
        float size = shape_size(&a) + shape_size(&b);
        float distance = size * rng_range(&r, 0.0f, 1.5f);
        cn_pose pose = random_pose(&r, distance);
        cn_gjk_result g = cn_gjk_distance(&a, &b, pose, NULL);
        double error = gjk_error(&a, &b, pose, &g) / (double)size;
        if (!(error < 1e-5))
            print_message("%s %s %d: error %g distance %g\n", type_names[a.type], type_names[b.type], i, error,
                          (double)(g.distance / size));
        assert_true(error < 1e-5);
        worst = fmax(worst, error);
        apart += g.distance > 0.0f;
        most_iterations = g.iterations > most_iterations ? g.iterations : most_iterations;
        // Started from its own answer it finds it again.
        cn_pair_cache cache = { 0 };
        cn_gjk_result first = cn_gjk_distance(&a, &b, pose, &cache), again = cn_gjk_distance(&a, &b, pose, &cache);
        assert_float_equal(first.distance / size, g.distance / size, 0.0f);
        assert_float_equal(again.distance / size, g.distance / size, 1e-6f);
        assert_true(gjk_error(&a, &b, pose, &again) / (double)size < 1e-5);
    }
    print_message("worst relative error %.2g, most iterations %d, apart %d\n", worst, most_iterations, apart);
    assert_in_range(apart, 20000, 60000);
    assert_true(most_iterations <= 32);
}

// Where there is a closed form it proves itself as GJK does, and says the same; every fourth pair is parallel.
static void closed_forms_are_certified(void **state)
{
    (void)state;
    rng r = { 5 };
    for (int i = 0; i < 30000; i++) {
        float size_a = powf(10.0f, rng_range(&r, -3.0f, 3.0f)), size_b = size_a * powf(10.0f, rng_range(&r, -1.0f, 1.0f));
        cn_shape_type type_a = (cn_shape_type)(rng_next(&r) % 3), type_b = type_a == CN_BOX ? CN_SPHERE : (cn_shape_type)(rng_next(&r) % 2);
        cn_convex a = random_shape(&r, type_a, size_a, &hulls), b = random_shape(&r, type_b, size_b, &hulls);
        float size = shape_size(&a) + shape_size(&b);
        cn_pose pose = random_pose(&r, size * rng_range(&r, 0.0f, 1.5f));
        if (i % 4 == 0)
            pose.rotation = cn_quat_identity();
        cn_minkowski m = cn_minkowski_make(&a, &b, pose);
        cn_gjk_result closed = cn_core_distance(&m, (double)INFINITY, NULL), found = cn_gjk_distance(&a, &b, pose, NULL);
        assert_int_equal(closed.iterations, 0);
        assert_true(gjk_error(&a, &b, pose, &closed) / (double)size < 1e-5);
        assert_float_equal(closed.distance / size, found.distance / size, 1e-6f);
    }
    for (int i = 0; i < 10000; i++) {
        cn_vec3 a = rng_vec(&r, 1.0f), b = rng_vec(&r, 1.0f), c = rng_vec(&r, 1.0f), corners[3] = { a, b, c };
        cn_convex triangle = { .type = CN_TRIANGLE, .triangle = corners }, ball = { .type = CN_SPHERE, .radius = 0.1f };
        cn_pose pose = { rng_vec(&r, 2.0f), cn_quat_identity() };
        cn_minkowski m = cn_minkowski_make(&triangle, &ball, pose);
        cn_gjk_result closed = cn_core_distance(&m, (double)INFINITY, NULL), found = cn_gjk_distance(&triangle, &ball, pose, NULL);
        assert_float_equal(closed.distance, found.distance, 1e-6f);
        assert_true(cn_distance(closed.point_a, found.point_a) < 1e-4f);
        assert_true(cn_distance(closed.normal, found.normal) < 1e-4f);
    }
}

static void gjk_warm_start_follows_motion(void **state)
{
    (void)state;
    rng r = { 5 };
    long cold = 0, warm = 0;
    for (int i = 0; i < 500; i++) {
        cn_convex a = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), 1.0f, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), 1.0f, &hulls);
        cn_pose pose = random_pose(&r, 2.0f);
        cn_vec3 velocity = rng_vec(&r, 0.01f), spin = rng_vec(&r, 0.01f);
        cn_pair_cache cache = { 0 };
        for (int step = 0; step < 20; step++) {
            pose.position = cn_add(pose.position, velocity);
            pose.rotation = cn_quat_mul(cn_quat_exp(spin), pose.rotation);
            cn_gjk_result g = cn_gjk_distance(&a, &b, pose, NULL), h = cn_gjk_distance(&a, &b, pose, &cache);
            assert_true(gjk_error(&a, &b, pose, &h) < 1e-5);
            cold += g.iterations;
            warm += h.iterations;
        }
    }
    print_message("iterations per call: cold %.2f, warm %.2f\n", (double)cold / 10000, (double)warm / 10000);
    assert_true(warm * 3 < cold * 2);
}

// Shapes that just touch, coincide or lie inside each other.
static void gjk_survives_degenerate_places(void **state)
{
    (void)state;
    rng r = { 9 };
    cn_quat quarter = { 0.0f, 0.0f, 0.70710678f, 0.70710678f };
    for (int i = 0; i < 20000; i++) {
        float size = powf(10.0f, rng_range(&r, -3.0f, 3.0f));
        cn_convex a = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size, &hulls);
        cn_convex b = i % 3 ? a : random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size, &hulls);
        cn_pose pose = CN_POSE_IDENTITY;
        if (i % 5 == 1)
            pose.rotation = quarter;
        if (i % 5 == 2)
            pose.rotation = cn_quat_exp(rng_vec(&r, 1e-4f));
        dvec axis = dv(i % 4 == 1, i % 4 == 2, i % 4 == 3);
        double touching = depth_along(&a, &b, pose, axis, false);
        double nudge = (i / 7 % 3 - 1) * 1e-6 * touching;
        pose.position = cn_v3((float)(axis.x * (touching + nudge)), (float)(axis.y * (touching + nudge)),
                              (float)(axis.z * (touching + nudge)));
        cn_pair_cache cache = { 0 };
        cn_gjk_result g = cn_gjk_distance(&a, &b, pose, &cache);
        double scale = (double)(shape_size(&a) + shape_size(&b));
        assert_true(gjk_error(&a, &b, pose, &g) < 1e-5 * scale);
        if (i % 4 == 0 && a.type < CN_TAPERED_CAPSULE && b.type < CN_TAPERED_CAPSULE) // others need not contain their origin
            assert_float_equal(g.distance, 0.0f, 0.0f);
        if (g.distance > 0.0f)
            assert_float_equal(cn_length(g.normal), 1.0f, 1e-5f);
        cn_epa_result e = cn_epa_penetration(&a, &b, pose);
        assert_float_equal(cn_length(e.normal), 1.0f, 1e-5f);
        assert_true(isfinite(e.depth));
        assert_true(fabs(depth_along(&a, &b, pose, dv_of(e.normal), false) - (double)e.depth) < 1e-5 * scale);
    }
}

static void bad_numbers_do_no_harm(void **state)
{
    (void)state;
    rng r = { 11 };
    const float bad[4] = { NAN, INFINITY, -INFINITY, 1e38f };
    for (int i = 0; i < 400; i++) {
        cn_convex a = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 1.0f, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(i / CN_SOLID_TYPE_COUNT % CN_SOLID_TYPE_COUNT), 1.0f, &hulls);
        cn_pose pose = random_pose(&r, 1.0f);
        (i & 1 ? &pose.position.x : &pose.rotation.y)[0] = bad[i / 2 % 4];
        cn_pair_cache cache = { 16, 4, { 9999, 3, 65535, 0 }, { 65535, 2, 1, 77 } };
        cn_gjk_result g = cn_gjk_distance(&a, &b, pose, &cache);
        assert_in_range(g.iterations, 0, 32);
        cn_epa_penetration(&a, &b, pose);
    }
}

// Depth by brute force. The least depth of polyhedra is along a face normal or across two edges; trying more does no harm.

static int core_vertices(const cn_convex *s, cn_pose pose, dvec vertices[64])
{
    int count = s->type == CN_HULL ? s->hull->vertex_count : s->type == CN_BOX ? 8 : s->type == CN_CAPSULE ? 2 : 1;
    for (int i = 0; i < count; i++) {
        cn_vec3 h = s->half_extents;
        dvec v = s->type == CN_HULL      ? dv_of(s->hull->vertices[i])
                 : s->type == CN_BOX     ? dv_of(cn_v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z))
                 : s->type == CN_CAPSULE ? dv_of(cn_v3(0.0f, i ? s->half_height : -s->half_height, 0.0f))
                                         : dv(0, 0, 0);
        vertices[i] = dv_madd(dv_rotate(pose.rotation, v), 1.0, dv_of(pose.position));
    }
    return count;
}

static void try_axis(const cn_convex *a, const cn_convex *b, cn_pose pose, dvec axis, double *least)
{
    double length = dv_length(axis);
    if (length < 1e-9)
        return;
    axis = dv_unit(axis);
    *least = fmin(*least, depth_along(a, b, pose, axis, false));
    *least = fmin(*least, depth_along(a, b, pose, dv(-axis.x, -axis.y, -axis.z), false));
}

static double least_depth_of_polyhedra(const cn_convex *a, const cn_convex *b, cn_pose pose)
{
    static dvec edges[2][2016];
    int counts[2] = { 0, 0 };
    for (int side = 0; side < 2; side++) {
        dvec v[64];
        int n = side ? core_vertices(b, pose, v) : core_vertices(a, (cn_pose)CN_POSE_IDENTITY, v);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                edges[side][counts[side]++] = dv_sub(v[i], v[j]);
    }
    double least = 1e300;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < counts[side]; i++)
            for (int j = 0; j < i; j++)
                try_axis(a, b, pose, dv_cross(edges[side][i], edges[side][j]), &least);
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++)
            try_axis(a, b, pose, dv_cross(edges[0][i], edges[1][j]), &least);
    return least;
}

// The direction turned to a right angle with the side of a cylinder or tapered capsule: there its support function has a kink,
// and often a minimum. `sign` is -1 where the shape is seen from behind.
static dvec flatten(const cn_convex *s, cn_quat rotation, dvec n, double sign)
{
    if (!is_round_core(s))
        return n;
    dvec axis = dv_rotate(rotation, dv(0, 1, 0)), flat = dv_madd(n, -dv_dot(n, axis), axis);
    double sine = s->type == CN_CYLINDER ? 0.0 : ((double)s->radius - (double)s->top_radius) / (2.0 * (double)s->half_height);
    if (dv_length(flat) < 1e-3 || fabs(sine) >= 1.0)
        return n;
    flat = dv_madd(dv(0, 0, 0), sqrt(1.0 - sine * sine), dv_unit(flat));
    return dv_madd(flat, sign * sine, axis);
}

static double try_direction(const cn_convex *a, const cn_convex *b, cn_pose pose, dvec *n)
{
    dvec tries[3] = { *n, flatten(a, cn_quat_identity(), *n, 1.0), flatten(b, pose.rotation, *n, -1.0) };
    double least = 1e300;
    for (int i = 0; i < 3; i++) {
        double depth = depth_along(a, b, pose, tries[i], false);
        if (depth < least)
            least = depth, *n = tries[i];
    }
    return least;
}

// Samples the sphere of directions and refines from the best few by shrinking random steps.
static double least_depth_by_sampling(const cn_convex *a, const cn_convex *b, cn_pose pose, rng *r)
{
    enum { SAMPLES = 1500, STARTS = 6 };
    dvec best[STARTS];
    double depths[STARTS];
    for (int i = 0; i < STARTS; i++)
        depths[i] = 1e300;
    for (int i = 0; i < SAMPLES; i++) {
        double y = 1.0 - 2.0 * (i + 0.5) / SAMPLES, ring = sqrt(1.0 - y * y), turn = 2.399963229728653 * i;
        dvec n = dv(ring * cos(turn), y, ring * sin(turn));
        double depth = try_direction(a, b, pose, &n);
        for (int j = 0; j < STARTS; j++) {
            if (depth < depths[j]) {
                double d = depths[j];
                dvec m = best[j];
                depths[j] = depth, best[j] = n;
                depth = d, n = m;
            }
        }
    }
    double least = 1e300;
    for (int j = 0; j < STARTS; j++) {
        double step = 0.1;
        while (step > 1e-7) {
            bool better = false;
            for (int k = 0; k < 20; k++) {
                dvec n = dv_unit(dv_madd(best[j], step, dv_of(rng_vec(r, 1.0f))));
                double depth = try_direction(a, b, pose, &n);
                if (depth < depths[j])
                    depths[j] = depth, best[j] = n, better = true;
            }
            step *= better ? 1.0 : 0.6;
        }
        least = fmin(least, depths[j]);
    }
    // Along axes and face normals the depth has sharp minima, which samples only come near.
    for (int side = 0; side < 2; side++) {
        const cn_convex *s = side ? b : a;
        cn_quat q = side ? pose.rotation : cn_quat_identity();
        for (int i = 0; i < 3; i++)
            try_axis(a, b, pose, dv_rotate(q, dv(i == 0, i == 1, i == 2)), &least);
        for (int i = 0; s->type == CN_HULL && i < s->hull->face_count; i++)
            try_axis(a, b, pose, dv_rotate(q, dv_of(s->hull->planes[i].normal)), &least);
    }
    return least;
}

static void epa_depth_is_least(void **state)
{
    (void)state;
    rng r = { 21 };
    double worst_flat = 0.0, worst_round = 0.0;
    int flat = 0, round = 0;
    while (flat < 400 || round < 400) {
        float size_a = powf(10.0f, rng_range(&r, -3.0f, 3.0f));
        cn_convex a = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size_a, &hulls);
        cn_convex b = random_shape(&r, (cn_shape_type)(rng_next(&r) % CN_SOLID_TYPE_COUNT), size_a, &hulls);
        bool is_round = is_round_core(&a) || is_round_core(&b);
        bool has_volume = a.type >= CN_BOX || b.type >= CN_BOX;
        if (!has_volume || (is_round ? round : flat) >= 400)
            continue;
        float size = shape_size(&a) + shape_size(&b);
        float distance = size * rng_range(&r, 0.0f, 0.5f);
        cn_pose pose = random_pose(&r, distance);
        cn_gjk_result g = cn_gjk_distance(&a, &b, pose, NULL);
        if (g.distance > 0.0f)
            continue;
        cn_epa_result e = cn_epa_penetration(&a, &b, pose);
        assert_true(e.ok);
        assert_float_equal(cn_length(e.normal), 1.0f, 1e-6f);
        double least = is_round ? least_depth_by_sampling(&a, &b, pose, &r) : least_depth_of_polyhedra(&a, &b, pose);
        double error = ((double)e.depth - least) / (double)size;
        double *worst = is_round ? &worst_round : &worst_flat;
        *worst = fmax(*worst, error);
        assert_true(error < 1e-4);
        if (!is_round) // samples are an upper bound only
            assert_true(error > -1e-4);
        // No direction has less than the least depth, and this one has the depth it claims. The witness points are apart by it.
        assert_true(fabs(depth_along(&a, &b, pose, dv_of(e.normal), false) - (double)e.depth) < 1e-5 * (double)size);
        cn_vec3 apart = cn_sub(e.point_a, e.point_b);
        // On a round surface the foot of the perpendicular shifts by the root of the error in depth, near its axis by more.
        assert_float_equal(cn_distance(apart, cn_scale(e.depth, e.normal)) / size, 0.0f, is_round ? 2e-2f : 1e-5f);
        dvec pb_in_b = dv_unrotate(pose.rotation, dv_sub(dv_of(e.point_b), dv_of(pose.position)));
        assert_true(outside_by(&a, dv_of(e.point_a), false) < 1e-5 * (double)size);
        assert_true(outside_by(&b, pb_in_b, false) < 1e-5 * (double)size);
        *(is_round ? &round : &flat) += 1;
    }
    print_message("worst relative depth error: polyhedra %.2g, round %.2g\n", worst_flat, worst_round);
}

static void epa_guesses_for_flat_differences(void **state)
{
    (void)state;
    cn_convex sphere = { .type = CN_SPHERE, .radius = 1.0f },
              capsule = { .type = CN_CAPSULE, .radius = 1.0f, .half_height = 2.0f };
    cn_pose pose = { { 0.0f, 0.5f, 0.0f }, CN_QUAT_IDENTITY };
    cn_epa_result e = cn_epa_penetration(&capsule, &capsule, pose);
    assert_false(e.ok);
    assert_float_equal(e.normal.y, 1.0f, 0.0f);
    assert_float_equal(e.depth, 3.5f, 1e-6f);
    e = cn_epa_penetration(&sphere, &sphere, (cn_pose)CN_POSE_IDENTITY);
    assert_false(e.ok);
    assert_float_equal(cn_length(e.normal), 1.0f, 0.0f);
    assert_float_equal(e.depth, 0.0f, 0.0f);
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Prints, asserts nothing: machines differ.
static void gjk_takes_time(void **state)
{
    (void)state;
    enum { PAIRS = 100, STEPS = 200 };
    cn_convex box = { .type = CN_HULL, .hull = hulls.hull[1][1] };
    for (int warm = 0; warm < 2; warm++) {
        rng r = { 33 };
        float sum = 0.0f;
        long iterations = 0;
        double begin = seconds();
        for (int i = 0; i < PAIRS; i++) {
            cn_pose pose = random_pose(&r, 2.2f);
            cn_quat spin = cn_quat_exp(rng_vec(&r, 0.005f));
            cn_pair_cache cache = { 0 };
            for (int step = 0; step < STEPS; step++) {
                pose.rotation = cn_quat_mul(spin, pose.rotation);
                cn_gjk_result g = cn_gjk_distance(&box, &box, pose, warm ? &cache : NULL);
                sum += g.distance;
                iterations += g.iterations;
            }
        }
        double each = (seconds() - begin) / (PAIRS * STEPS);
        print_message("%s: %.0f ns per distance, %.2f iterations (mean distance %.3f)\n", warm ? "warm" : "cold", 1e9 * each,
                      (double)iterations / (PAIRS * STEPS), (double)sum / (PAIRS * STEPS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gjk_distance_is_certified),
        cmocka_unit_test(closed_forms_are_certified),
        cmocka_unit_test(gjk_warm_start_follows_motion),
        cmocka_unit_test(gjk_survives_degenerate_places),
        cmocka_unit_test(bad_numbers_do_no_harm),
        cmocka_unit_test(epa_depth_is_least),
        cmocka_unit_test(epa_guesses_for_flat_differences),
        cmocka_unit_test(gjk_takes_time),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
