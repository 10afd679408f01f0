// Casts of convex shapes without rotation and closest points, against certificates in double. A hit proves itself: the points
// lie on both surfaces, and the plane between them separates the shapes at all earlier times. A miss is looked for by
// bisection.
#include "cast_shapes.h"
#include "collide/cast.h"
#include "hull_fixture.h"

#include <time.h>

typedef struct cast_case {
    cast_shape a, b;
    cn_pose pose;
    cn_vec3 translation;
    float target, limit;
    double size;
} cast_case;

static void make_case(cast_case *c, rng *r, int type_a, int type_b)
{
    float size_a = powf(10.0f, rng_range(r, -2.0f, 2.0f)), size_b = size_a;
    if (rng_next(r) % 2)
        size_b = size_a * powf(10.0f, rng_range(r, -1.0f, 1.0f));
    make_cast_shape(&c->a, r, type_a, size_a, &hulls);
    make_cast_shape(&c->b, r, type_b, size_b, &hulls);
    c->size = c->a.size + c->b.size;
    float size = (float)c->size;
    // Towards a place near a, from up to a thousand sizes away; some pass by, some stop short, some begin inside.
    float length = size * powf(10.0f, rng_range(r, -1.0f, rng_next(r) % 4 ? 0.7f : 3.0f));
    float sizes = rng_range(r, 0.5f, 1.5f), lengths = rng_range(r, 0.0f, 0.8f);
    c->pose = random_pose(r, rng_next(r) % 8 ? size * sizes + length * lengths : 0.3f * size);
    cn_vec3 toward = cn_sub(rng_vec(r, 0.5f * size), c->pose.position);
    if (rng_next(r) % 8 == 0)
        toward = rng_vec(r, 1.0f);
    c->translation = cn_scale(length, cn_normalize(toward));
    if (rng_next(r) % 8 == 0) // along an axis, with faces parallel: where ties are
        c->pose.rotation = cn_quat_identity(), c->translation = cn_v3(0.0f, c->translation.y, 0.0f);
    c->target = rng_next(r) % 2 ? 0.0f : size * powf(10.0f, rng_range(r, -4.0f, -1.0f));
    c->limit = rng_next(r) % 4 ? 1.0f : rng_range(r, 0.0f, 1.0f);
}

static cn_pose moved(const cast_case *c, float fraction)
{
    return (cn_pose){ cn_madd(c->pose.position, fraction, c->translation), c->pose.rotation };
}

static double distance_at(const cast_case *c, float fraction)
{
    return (double)cn_convex_distance(&c->a.convex, &c->b.convex, moved(c, fraction)).distance;
}

// The distance along the way is a convex function: its least value, by sections.
static double least_distance(const cast_case *c)
{
    float low = 0.0f, high = c->limit;
    for (int i = 0; i < 50; i++) {
        float first = low + (high - low) * 0.45f, second = low + (high - low) * 0.55f;
        if (distance_at(c, first) <= distance_at(c, second))
            high = second;
        else
            low = first;
    }
    return fmin(distance_at(c, 0.5f * (low + high)), fmin(distance_at(c, 0.0f), distance_at(c, c->limit)));
}

// The largest of what a hit at a fraction above 0 leaves unproven, in metres.
static double hit_error(const cast_case *c, const cn_cast_result *hit)
{
    dvec n = dv_of(hit->normal), p = dv_of(hit->point), way = dv_of(c->translation);
    dvec place = dv_madd(dv_of(c->pose.position), (double)hit->fraction, way);
    dvec on_b = dv_unrotate(c->pose.rotation, dv_sub(dv_madd(p, (double)c->target, n), place));
    double error = fmax(fabs(dv_length(n) - 1.0) * c->size, fabs(cast_outside_by(&c->a.convex, p)));
    error = fmax(error, fabs(cast_outside_by(&c->b.convex, on_b)));
    dvec n_in_b = dv_unrotate(c->pose.rotation, n);
    double gap = dv_dot(n, place) - cast_support_height(&c->a.convex, n) -
                 cast_support_height(&c->b.convex, dv(-n_in_b.x, -n_in_b.y, -n_in_b.z));
    error = fmax(error, (double)c->target - gap);
    return fmax(error, dv_dot(n, way) < 0.0 ? 0.0 : 1e30);
}

// What the float fraction cannot tell apart, and the float coordinates.
static double rounding(const cast_case *c) { return 1.2e-7 * ((double)cn_length(c->translation) + c->size); }

typedef struct tally {
    int hits, starts, misses;
    double worst;
} tally;

static double check_case(const cast_case *c, tally *t)
{
    cn_cast_result hit;
    bool met = cn_cast_convex(&c->a.convex, &c->b.convex, c->pose, c->translation, c->target, c->limit, &hit);
    double error;
    if (!met) {
        t->misses++;
        error = (double)c->target - least_distance(c);
    } else if (hit.fraction > 0.0f) {
        t->hits++;
        error = hit_error(c, &hit);
    } else {
        t->starts++;
        error = distance_at(c, 0.0f) - (double)c->target;
    }
    return fmax(0.0, error - rounding(c)) / c->size;
}

static void casts_are_certified(void **state)
{
    (void)state;
    int cases = cast_cases(2500);
    for (int type_a = 0; type_a < CAST_TYPES; type_a++)
        for (int type_b = type_a; type_b < CAST_TYPES; type_b++) {
            rng r = { (uint64_t)(type_a * CAST_TYPES + type_b) };
            tally t = { 0 };
            for (int i = 0; i < cases; i++) {
                cast_case c;
                make_case(&c, &r, i % 2 ? type_b : type_a, i % 2 ? type_a : type_b);
                double error = check_case(&c, &t);
                t.worst = fmax(t.worst, error);
                if (!(error < 1e-5))
                    print_message("%s %s %d: %g\n", cast_type_names[type_a], cast_type_names[type_b], i, error);
            }
            print_message("%-8s %-8s: %d hits, %d at once, %d misses, worst %.2g\n", cast_type_names[type_a],
                          cast_type_names[type_b], t.hits, t.starts, t.misses, t.worst);
            assert_true(t.worst < 1e-5);
            assert_true(t.hits > cases / 20 && t.misses > cases / 20);
        }
}

// A box that slides along the floor never meets it at a distance, and meets a step with the normal of its side.
static void faces_in_line_meet_squarely(void **state)
{
    (void)state;
    cn_convex floor = { .type = CN_BOX, .half_extents = { 100.0f, 1.0f, 100.0f } };
    cn_convex box = { .type = CN_BOX, .half_extents = { 0.5f, 0.5f, 0.5f } };
    cn_cast_result hit;
    cn_pose above = { { 0.0f, 1.6f, 0.0f }, CN_QUAT_IDENTITY };
    assert_false(cn_cast_convex(&floor, &box, above, cn_v3(50.0f, 0.0f, 0.0f), 0.0f, 1.0f, &hit));
    assert_true(cn_cast_convex(&floor, &box, above, cn_v3(0.0f, -1.0f, 0.0f), 0.0f, 1.0f, &hit));
    assert_float_equal(hit.fraction, 0.1f, 1e-6f);
    assert_float_equal(hit.normal.y, 1.0f, 1e-6f);
    cn_convex step = { .type = CN_BOX, .half_extents = { 1.0f, 1.0f, 1.0f } };
    cn_pose beside = { { -10.0f, 0.2f, 0.1f }, CN_QUAT_IDENTITY };
    assert_true(cn_cast_convex(&step, &box, beside, cn_v3(10.0f, 0.0f, 0.0f), 0.0f, 1.0f, &hit));
    assert_float_equal(hit.fraction, 0.85f, 1e-6f);
    assert_float_equal(hit.normal.x, -1.0f, 1e-6f);
}

static void overlap_at_the_start_has_no_normal(void **state)
{
    (void)state;
    cn_convex ball = { .type = CN_SPHERE, .radius = 1.0f }, box = { .type = CN_BOX, .half_extents = { 1.0f, 1.0f, 1.0f } };
    cn_pose inside = { { 1.5f, 0.0f, 0.0f }, CN_QUAT_IDENTITY }, near = { { 2.05f, 0.0f, 0.0f }, CN_QUAT_IDENTITY };
    cn_cast_result hit;
    assert_true(cn_cast_convex(&box, &ball, inside, cn_v3(0.0f, 1.0f, 0.0f), 0.0f, 1.0f, &hit));
    assert_float_equal(hit.fraction, 0.0f, 0.0f);
    assert_float_equal(cn_length(hit.normal), 0.0f, 0.0f);
    assert_true(hit.point.x >= 0.5f && hit.point.x <= 1.0f);
    // Within the target but apart: at once as well, with a normal.
    assert_true(cn_cast_convex(&box, &ball, near, cn_v3(1.0f, 0.0f, 0.0f), 0.1f, 1.0f, &hit));
    assert_float_equal(hit.fraction, 0.0f, 0.0f);
    assert_float_equal(hit.normal.x, 1.0f, 1e-6f);
    // Without motion, only what is there.
    assert_false(cn_cast_convex(&box, &ball, near, cn_v3(0.0f, 0.0f, 0.0f), 0.0f, 1.0f, &hit));
    assert_true(cn_cast_convex(&box, &ball, inside, cn_v3(0.0f, 0.0f, 0.0f), 0.0f, 1.0f, &hit));
}

static void distances_are_certified(void **state)
{
    (void)state;
    rng r = { 3 };
    double worst = 0.0;
    for (int i = 0; i < 30000; i++) {
        cast_case c;
        make_case(&c, &r, i % CAST_TYPES, i / CAST_TYPES % CAST_TYPES);
        c.pose.position = cn_scale((float)c.size * rng_range(&r, 0.0f, 2.0f), cn_normalize(c.pose.position));
        cn_distance_result d = cn_convex_distance(&c.a.convex, &c.b.convex, c.pose);
        dvec n = dv_of(d.normal), pa = dv_of(d.point_a), pb = dv_of(d.point_b), place = dv_of(c.pose.position);
        double error = fmax(cast_outside_by(&c.a.convex, pa),
                            cast_outside_by(&c.b.convex, dv_unrotate(c.pose.rotation, dv_sub(pb, place))));
        error = fmax(error, fabs(dv_length(dv_sub(pb, pa)) - (double)d.distance));
        if (d.distance > 0.0f) {
            dvec n_in_b = dv_unrotate(c.pose.rotation, n);
            double gap = dv_dot(n, place) - cast_support_height(&c.a.convex, n) -
                         cast_support_height(&c.b.convex, dv(-n_in_b.x, -n_in_b.y, -n_in_b.z));
            error = fmax(error, fabs(gap - (double)d.distance));
        }
        worst = fmax(worst, error / c.size);
    }
    print_message("worst %.2g\n", worst);
    assert_true(worst < 1e-5);
}

static void casts_are_fast(void **state)
{
    (void)state;
    enum { CASES = 2000 };
    static cast_case cases[CASES];
    for (int kind = 0; kind < 2; kind++) {
        rng r = { 11 };
        for (int i = 0; i < CASES; i++)
            make_case(&cases[i], &r, kind ? CN_BOX : i % CAST_TYPES, kind ? CN_BOX : i / CAST_TYPES % CAST_TYPES);
        double best = 1e9;
        int hits = 0;
        for (int run = 0; run < 5; run++) {
            clock_t begin = clock();
            for (int i = 0; i < CASES; i++) {
                cn_cast_result hit;
                const cast_case *c = &cases[i];
                hits += cn_cast_convex(&c->a.convex, &c->b.convex, c->pose, c->translation, c->target, c->limit, &hit);
            }
            best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC / CASES);
        }
        print_message("%s: %.0f ns per cast, %d hits\n", kind ? "boxes" : "all pairs", best * 1e9, hits / 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_are_certified),
        cmocka_unit_test(faces_in_line_meet_squarely),
        cmocka_unit_test(overlap_at_the_start_has_no_normal),
        cmocka_unit_test(distances_are_certified),
        cmocka_unit_test(casts_are_fast),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
