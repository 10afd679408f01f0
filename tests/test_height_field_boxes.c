// Boxes at, near and through height fields, against brute force in double.
#include "height_fields.h"

static void test_query_agrees_with_brute_force(void **state)
{
    (void)state;
    static sample_field f;
    static int32_t found[MAX_PARTS], again[MAX_PARTS];
    static uint8_t seen[MAX_PARTS];
    rng r = { 3 };
    int total = 0;
    for (int round = 0; round < 60; round++) {
        make_random(&f, &r, round % 3 != 0);
        int limit = cn_composite_part_limit(&f.composite);
        for (int k = 0; k < 40; k++) {
            cn_vec3 at = place_around(&r, &f, 2.0f), half = cn_abs3(rng_vec(&r, k % 3 == 0 ? 30.0f : 2.0f));
            if (k % 5 == 0) { // exactly at a sample, without extent
                cn_part p;
                cn_composite_part(&f.composite, (int)(rng_next(&r) % (uint32_t)limit), &p);
                at = p.triangle.vertices[rng_next(&r) % 3];
                half = cn_v3(0.0f, 0.0f, 0.0f);
            }
            cn_box3 box = { cn_sub(at, half), cn_add(at, half) };
            int count = cn_composite_query(&f.composite, &box, found, MAX_PARTS), expected = 0;
            memset(seen, 0, sizeof seen);
            for (int i = 0; i < count; i++)
                assert_int_equal(seen[found[i]]++, 0);
            for (int part = 0; part < limit; part++) {
                cn_box3 own = part_box(&f, part);
                bool overlaps = is_there(&f, part) && cn_box3_overlaps(&own, &box);
                assert_int_equal(seen[part], overlaps);
                expected += overlaps;
            }
            assert_int_equal(count, expected);
            total += count;
            int few = count / 2;
            assert_int_equal(cn_composite_query(&f.composite, &box, again, few), count);
            assert_memory_equal(found, again, (size_t)few * sizeof *found);
        }
        const cn_box3 bad[] = { { { NAN, 0.0f, 0.0f }, { 1.0f, 1.0f, 1.0f } },
                                { { 1.0f, -100.0f, 1.0f }, { -1.0f, 100.0f, 2.0f } },
                                { { -1e30f, 1e30f, -1e30f }, { 1e30f, 1e38f, 1e30f } } };
        for (int i = 0; i < 3; i++)
            assert_int_equal(cn_composite_query(&f.composite, &bad[i], found, MAX_PARTS), 0);
        cn_box3 everything = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
        int count = cn_composite_query(&f.composite, &everything, found, MAX_PARTS), there = 0;
        for (int part = 0; part < limit; part++)
            there += is_there(&f, part);
        assert_int_equal(count, there);
        free_composite(&f);
    }
    assert_true(total > 10000);
}

static void test_sweep_agrees_with_brute_force(void **state)
{
    (void)state;
    static sample_field f;
    static record all, nearest;
    static float fractions[MAX_PARTS];
    rng r = { 4 };
    int met = 0, visits = 0;
    for (int round = 0; round < 60; round++) {
        make_random(&f, &r, round % 3 != 0);
        int limit = cn_composite_part_limit(&f.composite);
        for (int k = 0; k < 40; k++) {
            cn_vec3 origin = place_around(&r, &f, 5.0f), half = cn_abs3(rng_vec(&r, 1.0f));
            cn_vec3 translation = cn_sub(place_around(&r, &f, 5.0f), origin);
            if (k % 4 == 0)
                half = cn_v3(0.0f, 0.0f, 0.0f);
            if (k % 5 == 0) // along the axes, two of three
                translation = k % 2 ? cn_v3(translation.x, 0.0f, 0.0f) : cn_v3(0.0f, translation.y, 0.0f);
            if (k % 7 == 0)
                translation = cn_v3(0.0f, 0.0f, k % 2 ? -0.0f : 0.0f);
            start_record(&all, NULL, 0);
            cn_composite_sweep(&f.composite, origin, translation, half, 1.0f, note, &all);
            double first = 2.0;
            for (int part = 0; part < limit; part++) {
                cn_box3 box = part_box(&f, part);
                double surely = is_there(&f, part) ? box_meeting(&box, origin, translation, half, 0.0) : 2.0;
                double perhaps = is_there(&f, part) ? box_meeting(&box, origin, translation, half, 1e-3) : 2.0;
                if (surely <= 1.0)
                    assert_true(all.limit[part] == 1.0f);
                if (perhaps > 1.0)
                    assert_true(all.limit[part] == -1.0f);
                fractions[part] = (float)surely;
                first = fmin(first, surely);
                met += surely <= 1.0;
            }
            // The part that is met first is found also when every meeting ends the interest in later ones.
            start_record(&nearest, fractions, 0);
            cn_composite_sweep(&f.composite, origin, translation, half, 1.0f, note, &nearest);
            if (first <= 1.0) {
                assert_true(least_value(&nearest) == (float)first);
                visits += nearest.count;
            }
            if (all.count > 0) {
                int half_way = (all.count + 1) / 2;
                start_record(&nearest, NULL, half_way);
                cn_composite_sweep(&f.composite, origin, translation, half, 1.0f, note, &nearest);
                assert_int_equal(nearest.count, half_way);
                assert_memory_equal(nearest.order, all.order, (size_t)half_way * sizeof(int));
            }
        }
        free_composite(&f);
    }
    print_message("%d of %d parts on the way were visited when the first one was looked for\n", visits, met);
    assert_true(met > 5000 && visits < met / 2);
}

static void test_near_agrees_with_brute_force(void **state)
{
    (void)state;
    static sample_field f;
    static record all, nearest;
    static float distances[MAX_PARTS];
    rng r = { 5 };
    int close = 0, visits = 0;
    for (int round = 0; round < 60; round++) {
        make_random(&f, &r, round % 3 != 0);
        int limit = cn_composite_part_limit(&f.composite);
        for (int k = 0; k < 40; k++) {
            cn_vec3 at = place_around(&r, &f, 10.0f), half = cn_abs3(rng_vec(&r, k % 3 == 0 ? 0.0f : 2.0f));
            cn_box3 box = { cn_sub(at, half), cn_add(at, half) };
            float reach = k % 4 == 0 ? INFINITY : k % 4 == 1 ? 0.0f : rng_range(&r, 0.0f, 10.0f);
            start_record(&all, NULL, 0);
            cn_composite_near(&f.composite, &box, reach, note, &all);
            double first = (double)INFINITY;
            for (int part = 0; part < limit; part++) {
                cn_box3 own = part_box(&f, part);
                double distance = is_there(&f, part) ? box_distance(&own, &box) : (double)INFINITY;
                if (distance < (double)reach - 1e-5)
                    assert_true(all.limit[part] == reach);
                if (!(distance < (double)reach + 1e-5))
                    assert_true(all.limit[part] == -1.0f);
                distances[part] = (float)distance;
                first = fmin(first, distance);
                close += distance < (double)reach;
            }
            start_record(&nearest, distances, 0);
            cn_composite_near(&f.composite, &box, reach, note, &nearest);
            if (first < (double)reach - 1e-5) {
                assert_true(fabs((double)least_value(&nearest) - first) < 1e-5);
                visits += nearest.count;
            }
        }
        free_composite(&f);
    }
    print_message("%d of %d parts within reach were visited when the nearest one was looked for\n", visits, close);
    assert_true(close > 20000 && visits < close / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query_agrees_with_brute_force),
        cmocka_unit_test(test_sweep_agrees_with_brute_force),
        cmocka_unit_test(test_near_agrees_with_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
