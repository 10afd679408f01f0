// Times of impact against plain conservative advancement that knows nothing but the largest speed of any point.
#include "cast_shapes.h"
#include "collide/cast.h"
#include "hull_fixture.h"

#include <time.h>

typedef struct impact_case {
    cast_shape a, b;
    cn_sweep sweep_a, sweep_b;
    float target, limit;
    double size, fastest; // sum of the largest motions of any points
} impact_case;

static double distance_at(const impact_case *c, float time)
{
    cn_pose a = cn_sweep_at(&c->sweep_a, time), b = cn_sweep_at(&c->sweep_b, time);
    return (double)cn_convex_distance(&c->a.convex, &c->b.convex, cn_pose_mul(cn_pose_inverse(a), b)).distance;
}

static cn_sweep random_sweep(rng *r, float size, float far, float turns)
{
    cn_sweep s;
    s.pose = random_pose(r, far);
    s.shape = random_pose(r, rng_next(r) % 2 ? 0.0f : size * rng_range(r, 0.0f, 1.0f));
    s.moved = rng_vec(r, 0.5f * size);
    s.turned = rng_vec(r, turns);
    return s;
}

static void make_case(impact_case *c, rng *r, int type_a, int type_b, float most_turn)
{
    float size_a = powf(10.0f, rng_range(r, -1.5f, 1.5f)), size_b = size_a;
    if (rng_next(r) % 2)
        size_b = size_a * powf(10.0f, rng_range(r, -1.0f, 1.0f));
    make_cast_shape(&c->a, r, type_a, size_a, &hulls);
    make_cast_shape(&c->b, r, type_b, size_b, &hulls);
    c->size = c->a.size + c->b.size;
    float size = (float)c->size, length = size * powf(10.0f, rng_range(r, -1.0f, 1.5f));
    float turn_a = most_turn * powf(10.0f, rng_range(r, -3.0f, 0.0f)),
          turn_b = most_turn * powf(10.0f, rng_range(r, -3.0f, 0.0f));
    c->sweep_a = random_sweep(r, size_a, 0.0f, turn_a);
    float sizes = rng_range(r, 0.8f, 2.0f), lengths = rng_range(r, 0.0f, 0.8f);
    c->sweep_b = random_sweep(r, size_b, size * sizes + length * lengths, turn_b);
    c->sweep_b.moved = cn_scale(length, cn_normalize(cn_sub(rng_vec(r, 0.5f * size), c->sweep_b.pose.position)));
    c->target = size * powf(10.0f, rng_range(r, -3.0f, -1.5f));
    c->limit = rng_next(r) % 4 ? 1.0f : rng_range(r, 0.0f, 1.0f);
    double radius_a = c->a.size + (double)cn_length(c->sweep_a.shape.position);
    double radius_b = c->b.size + (double)cn_length(c->sweep_b.shape.position);
    c->fastest = (double)cn_distance(c->sweep_a.moved, c->sweep_b.moved) + (double)cn_length(c->sweep_a.turned) * radius_a +
                 (double)cn_length(c->sweep_b.turned) * radius_b;
}

// Until the distance is below the target by `slack`; the limit when it never is.
static double slow_impact(const impact_case *c, double slack)
{
    double time = 0.0, goal = (double)c->target - slack;
    while (time < (double)c->limit) {
        double gap = distance_at(c, (float)time) - goal;
        if (gap <= 0.0)
            return time;
        time += fmax(gap / c->fastest, 0.1 * slack / c->fastest);
    }
    return (double)c->limit;
}

// They must not come nearer than the target before the time answered. Returns whether they are as near as that by then.
static bool check_case(const impact_case *c, int type_a, int type_b, int number, int *hits)
{
    cn_cast_result hit;
    bool met = cn_time_of_impact(&c->a.convex, &c->sweep_a, &c->b.convex, &c->sweep_b, c->target, c->limit, &hit);
    double noise = 2e-7 * (c->fastest + c->size) + 1e-6 * c->size;
    double slack = 0.01 * (double)c->target + noise, slow = slow_impact(c, slack);
    *hits += met;
    double time = met ? (double)hit.fraction : (double)c->limit;
    if (slow < time - 1e-7)
        fail_msg("%s %s %d: met %d at %g, slow %g, distance %g, target %g, size %g", cast_type_names[type_a],
                 cast_type_names[type_b], number, met, time, slow, distance_at(c, (float)time), (double)c->target, c->size);
    bool near = !met || distance_at(c, hit.fraction) <= 1.01 * (double)c->target + noise;
    if (met && near && hit.fraction > 0.0f) { // the point lies on a, and a step along the normal on b
        cn_pose a = cn_sweep_at(&c->sweep_a, hit.fraction), b = cn_sweep_at(&c->sweep_b, hit.fraction);
        dvec on_a = dv_unrotate(a.rotation, dv_sub(dv_of(hit.point), dv_of(a.position)));
        dvec across = dv_madd(dv_of(hit.point), distance_at(c, hit.fraction), dv_of(hit.normal));
        dvec on_b = dv_unrotate(b.rotation, dv_sub(across, dv_of(b.position)));
        assert_true(fabs(cast_outside_by(&c->a.convex, on_a)) < 1e-5 * c->size + noise);
        assert_true(fabs(cast_outside_by(&c->b.convex, on_b)) < 1e-5 * c->size + noise);
    }
    return near;
}

static void impacts_are_never_late(void **state)
{
    (void)state;
    int cases = cast_cases(300), all = 0, hits = 0;
    for (int type_a = 0; type_a < CAST_TYPES; type_a++)
        for (int type_b = type_a; type_b < CAST_TYPES; type_b++) {
            rng r = { (uint64_t)(type_a * CAST_TYPES + type_b) };
            for (int i = 0; i < cases; i++, all++) {
                impact_case c;
                make_case(&c, &r, i % 2 ? type_b : type_a, i % 2 ? type_a : type_b, 10.0f);
                assert_true(check_case(&c, type_a, type_b, i, &hits));
            }
        }
    print_message("%d of %d meet\n", hits, all);
    assert_in_range(hits, all / 5, all * 4 / 5);
}

// Up to 275 turns on the way. Few of them take so long that the search gives up early.
static void fast_spin_is_not_late(void **state)
{
    (void)state;
    int cases = cast_cases(300) / 3, hits = 0, early = 0;
    rng r = { 21 };
    for (int i = 0; i < cases; i++) {
        impact_case c;
        int type_a = (int)(rng_next(&r) % CAST_TYPES), type_b = (int)(rng_next(&r) % CAST_TYPES);
        make_case(&c, &r, type_a, type_b, 1000.0f);
        early += !check_case(&c, type_a, type_b, i, &hits);
    }
    print_message("%d of %d meet, %d early\n", hits, cases, early);
    assert_in_range(hits, cases / 5, cases);
    assert_true(early <= cases / 100);
}

// A bar of 2 m, 2 cm thick, that turns like a propeller and comes down a thousand of its thicknesses onto a floor.
static void a_thin_bar_does_not_pass_a_thin_floor(void **state)
{
    (void)state;
    cn_convex floor = { .type = CN_BOX, .half_extents = { 50.0f, 0.001f, 50.0f } };
    cn_convex bar = { .type = CN_BOX, .half_extents = { 1.0f, 0.01f, 0.01f } };
    cn_sweep still = { .pose = CN_POSE_IDENTITY, .shape = CN_POSE_IDENTITY };
    for (int i = 0; i < 60; i++) {
        cn_sweep falling = { { { 0.0f, 10.0f, 0.0f }, CN_QUAT_IDENTITY },
                             { 0.3f, -20.0f, 0.1f },
                             { 0.0f, 0.0f, 3.0f * (float)i },
                             CN_POSE_IDENTITY };
        cn_cast_result hit;
        assert_true(cn_time_of_impact(&floor, &still, &bar, &falling, 0.001f, 1.0f, &hit));
        cn_pose pose = cn_sweep_at(&falling, hit.fraction);
        float distance = cn_convex_distance(&floor, &bar, pose).distance;
        assert_true(distance > 0.0f && distance < 0.00102f);
        assert_true(pose.position.y > 0.0f && pose.position.y < 1.02f);
        assert_float_equal(hit.normal.y, 1.0f, 1e-4f);
    }
}

static void translation_alone_agrees_with_the_cast(void **state)
{
    (void)state;
    rng r = { 31 };
    int hits = 0;
    for (int i = 0; i < 3000; i++) {
        impact_case c;
        make_case(&c, &r, i % CAST_TYPES, i / CAST_TYPES % CAST_TYPES, 0.0f);
        cn_cast_result hit, cast;
        bool met = cn_time_of_impact(&c.a.convex, &c.sweep_a, &c.b.convex, &c.sweep_b, c.target, c.limit, &hit);
        cn_pose a = cn_sweep_at(&c.sweep_a, 0.0f), b = cn_sweep_at(&c.sweep_b, 0.0f);
        cn_vec3 way = cn_unrotate(a.rotation, cn_sub(c.sweep_b.moved, c.sweep_a.moved));
        bool also = cn_cast_convex(&c.a.convex, &c.b.convex, cn_pose_mul(cn_pose_inverse(a), b), way, c.target, c.limit, &cast);
        if (also)
            assert_true(met && hit.fraction <= cast.fraction + 2e-6f);
        hits += also;
    }
    assert_true(hits > 1000);
}

static void impacts_are_fast(void **state)
{
    (void)state;
    enum { CASES = 1000 };
    static impact_case cases[CASES];
    static const float turns[] = { 0.0f, 1.0f, 10.0f, 1000.0f };
    for (int kind = 0; kind < 4; kind++) {
        rng r = { 11 };
        for (int i = 0; i < CASES; i++)
            make_case(&cases[i], &r, i % CAST_TYPES, i / CAST_TYPES % CAST_TYPES, turns[kind]);
        double best = 1e9;
        int hits = 0;
        for (int run = 0; run < 3; run++) {
            clock_t begin = clock();
            for (int i = 0; i < CASES; i++) {
                cn_cast_result hit;
                const impact_case *c = &cases[i];
                hits += cn_time_of_impact(&c->a.convex, &c->sweep_a, &c->b.convex, &c->sweep_b, c->target, c->limit, &hit);
            }
            best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC / CASES);
        }
        print_message("turns up to %g rad: %.2f us, %d hits\n", (double)turns[kind], best * 1e6, hits / 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_never_late),
        cmocka_unit_test(fast_spin_is_not_late),
        cmocka_unit_test(a_thin_bar_does_not_pass_a_thin_floor),
        cmocka_unit_test(translation_alone_agrees_with_the_cast),
        cmocka_unit_test(impacts_are_fast),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
