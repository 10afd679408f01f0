// Compounds against brute force: boxes, moving boxes, nearness, mass, bad input.
#include "part_visits.h"

enum { MOST = 1000, CLOUD = 12 };

typedef struct sample_compound {
    cn_compound_part parts[MOST];
    cn_vec3 points[MOST][CLOUD];
    cn_box3 boxes[MOST]; // in float, as the engine computes them
    int count;
    float extent;
    cn_composite composite;
} sample_compound;

static void make_composite(sample_compound *s)
{
    cn_compound *compound = cn_compound_create(s->parts, s->count, NULL);
    if (compound == NULL)
        fail_msg("%s", cn_last_error());
    s->composite = (cn_composite){ .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = compound };
    for (int i = 0; i < s->count; i++) {
        cn_part p;
        cn_composite_part(&s->composite, i, &p);
        assert_false(p.is_triangle);
        cn_convex_bounds(&p.solid, p.pose, &s->boxes[i].lower, &s->boxes[i].upper);
    }
}

static void free_composite(sample_compound *s) { cn_composite_release(&s->composite); }

static cn_geometry random_geometry(rng *r, float size)
{
    float a = rng_range(r, 0.1f, 1.0f), b = rng_range(r, 0.1f, 1.0f), c = rng_range(r, 0.1f, 1.0f);
    switch (rng_next(r) % 4) {
    case 0: return cn_sphere(size * a);
    case 1: return cn_capsule(size * a, size * b);
    case 2: return cn_box(size * a, size * b, size * c);
    default: return cn_cylinder(size * a, size * b);
    }
}

static void make_random(sample_compound *s, rng *r, int count)
{
    s->count = count;
    s->extent = rng_range(r, 5.0f, 25.0f);
    for (int i = 0; i < count; i++) {
        cn_compound_part *part = &s->parts[i];
        float size = i % 50 == 0 ? 5.0f : 0.5f;
        *part = (cn_compound_part){ .geometry = random_geometry(r, size), .material = (uint16_t)(rng_next(r) % 300) };
        part->offset.rotation = rng_quat(r);
        part->offset.position = rng_vec(r, s->extent);
        if (rng_next(r) % 5 != 0)
            continue;
        part->points = s->points[i];
        part->point_count = CLOUD;
        for (int k = 0; k < CLOUD; k++)
            s->points[i][k] = rng_vec(r, size);
    }
    make_composite(s);
}

// ---- creation

static void test_bad_input_is_refused_with_a_sentence(void **state)
{
    (void)state;
    cn_compound_part parts[20];
    cn_vec3 flat[5] = {
        { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 1.0f, 1.0f, 0.0f }, { 2.0f, 3.0f, 0.0f }
    };
    cn_vec3 solid[5] = {
        { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f }, { 2.0f, 3.0f, 1.0f }
    };
    for (int i = 0; i < 20; i++)
        parts[i] = (cn_compound_part){ .geometry = cn_sphere(1.0f), .offset = CN_POSE_IDENTITY };
    parts[3].points = solid; // so that there is something to let go of
    parts[3].point_count = 5;
    cn_compound_part good = parts[17], *bad = &parts[17];
    assert_null(cn_compound_create(NULL, 3, NULL));
    assert_message("cn_compound_create: parts is NULL");
    assert_null(cn_compound_create(parts, 0, NULL));
    assert_message("cn_compound_create: count is 0; it must be between 1 and 268435456");
    assert_null(cn_compound_create(parts, -1, NULL));
#define REFUSED(change, sentence)                                                                                              \
    do {                                                                                                                       \
        *bad = good;                                                                                                           \
        change;                                                                                                                \
        assert_null(cn_compound_create(parts, 20, NULL));                                                                      \
        assert_message("cn_compound_create: parts[17]" sentence);                                                              \
    } while (0)
    REFUSED(bad->geometry.radius = -1.0f, ".geometry.radius is -1; it must be finite and greater than zero");
    REFUSED(bad->geometry.radius = 1e7f, ".geometry.radius is 1e+07 m; sizes must be between 1e-06 and 1e+06 m");
    REFUSED(bad->geometry = cn_box(1.0f, NAN, 1.0f),
            ".geometry.half_extents.y is nan; it must be finite and greater than zero");
    REFUSED(bad->geometry = cn_cylinder(0.0f, 1.0f), ".geometry.half_height is 0; it must be finite and greater than zero");
    REFUSED(bad->geometry = cn_capsule(-2.0f, 1.0f), ".geometry.half_height is -2; it must be between 0 and 1e+06");
    REFUSED(bad->geometry.type = CN_HULL, ".points is NULL; a hull in a compound is given by its points");
    REFUSED(bad->geometry.type = CN_COMPOUND, ".geometry.type is 8; it must be a sphere, capsule, box, cylinder or tapered capsule");
    REFUSED(bad->geometry.type = (cn_shape_type)99, ".geometry.type is 99; it must be a sphere, capsule, box, cylinder or tapered capsule");
    REFUSED(bad->offset.position.y = INFINITY, ".offset.position is (0, inf, 0), which is not finite");
    REFUSED(bad->offset.position.y = 2e6f, ".offset.position is (0, 2e+06, 0), beyond the limit of 1e+06 m");
    REFUSED(bad->offset.rotation.w = 0.0f, ".offset.rotation is (0, 0, 0, 0), which is not a rotation");
    REFUSED((bad->points = solid, bad->point_count = 3), ".point_count is 3; a solid needs at least 4 points");
    REFUSED((bad->points = flat, bad->point_count = 5),
            ": the points all lie in one plane, to within rounding; a solid needs volume");
    solid[2].x = NAN;
    parts[3] = good;
    REFUSED((bad->points = solid, bad->point_count = 5), ".points[2] is (nan, 1, 0), which is not finite");
#undef REFUSED
}

static void test_parts_are_what_was_given(void **state)
{
    (void)state;
    cn_vec3 cube[9] = { { 0.0f, 0.0f, 0.0f } }; // and a point inside
    for (int i = 0; i < 8; i++)
        cube[i + 1] = cn_v3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
    cn_compound_part parts[3] = {
        { .geometry = cn_box(1.0f, 2.0f, 3.0f), .offset = CN_POSE_IDENTITY, .material = 5 },
        { .points = cube, .point_count = 9, .offset = { { 1.0f, 2.0f, 3.0f }, { 0.0f, 2.0f, 0.0f, 0.0f } }, .material = 65535 },
        { .geometry = cn_capsule(0.0f, 2.0f), .offset = CN_POSE_IDENTITY },
    };
    cn_compound *compound = cn_compound_create(parts, 3, NULL);
    assert_non_null(compound);
    assert_int_equal(cn_compound_get_count(compound), 3);
    cn_geometry box = cn_compound_get_geometry(compound, 0), hull = cn_compound_get_geometry(compound, 1);
    assert_true(box.type == CN_BOX && box.half_extents.z == 3.0f && hull.type == CN_HULL);
    cn_pose offset = cn_compound_get_offset(compound, 1);
    assert_true(offset.position.z == 3.0f && offset.rotation.y == 1.0f); // normalised
    cn_vec3 vertices[8];
    assert_int_equal(cn_compound_get_vertices(compound, 1, vertices, 8), 8);
    int corners = 0, faces = 0, face[4];
    for (; cn_compound_get_face(compound, 1, faces, face, 4) == 4; faces++) {
        cn_vec3 n = cn_cross(cn_sub(vertices[face[1]], vertices[face[0]]), cn_sub(vertices[face[2]], vertices[face[0]]));
        assert_true(cn_dot(n, vertices[face[0]]) > 0.0f); // outwards
        corners += 4;
    }
    assert_int_equal(faces, 6);
    assert_int_equal(corners, 24);
    assert_int_equal(cn_compound_get_face(compound, 1, 6, face, 4), 0); // past the last
    assert_int_equal(cn_compound_get_face(compound, 1, 0, NULL, 0), 4);
    assert_int_equal(cn_compound_get_face(compound, 1, -1, face, 4), 0);
    assert_message("cn_compound_get_face: face is -1; it must be between 0 and 2147483647");
    assert_int_equal(cn_compound_get_face(compound, 0, 0, face, 4), 0);
    assert_message("cn_compound_get_face: part 0 is no hull");
    assert_int_equal(cn_compound_get_vertices(compound, 3, vertices, 8), 0);
    assert_message("cn_compound_get_vertices: part is 3; it must be between 0 and 2");
    assert_int_equal(cn_compound_get_vertices(compound, 1, NULL, 8), 0);
    assert_message("cn_compound_get_vertices: vertices is NULL, but capacity is 8");
    assert_int_equal(cn_compound_get_count(NULL), 0);
    cn_composite composite = { .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = compound };
    assert_int_equal(cn_composite_material_limit(&composite), 65536);
    assert_int_equal(cn_composite_part_limit(&composite), 3);
    cn_box3 bounds = cn_composite_bounds(&composite);
    assert_true(bounds.lower.x == -2.0f && bounds.upper.x == 2.0f && bounds.lower.z == -3.0f && bounds.upper.z == 4.0f);
    cn_composite_retain(&composite);
    cn_compound_destroy(compound);
    assert_int_equal(cn_compound_get_count(compound), 3);
    cn_composite_release(&composite);
    cn_compound_destroy(NULL);
}

// ---- mass

// A box cut into parts of every size weighs what it weighs.
static void test_mass_of_a_cut_box(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    static cn_compound_part parts[SIDE * SIDE * SIDE];
    cn_quat turn = cn_quat_axis_angle(cn_normalize(cn_v3(1.0f, 2.0f, 3.0f)), 0.7f);
    cn_vec3 half = { 1.0f, 2.0f, 3.0f }, shift = { 5.0f, -1.0f, 2.0f };
    cn_vec3 points[SIDE * SIDE * SIDE][8];
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        cn_vec3 grid = { (float)(i % SIDE), (float)(i / SIDE % SIDE), (float)(i / SIDE / SIDE) };
        cn_vec3 small = cn_scale(1.0f / SIDE, half);
        cn_vec3 at = cn_add(cn_neg(half), cn_mul(small, cn_add(cn_scale(2.0f, grid), cn_v3(1.0f, 1.0f, 1.0f))));
        parts[i] = (cn_compound_part){ .geometry = cn_box(small.x, small.y, small.z) };
        parts[i].offset = (cn_pose){ cn_add(shift, cn_rotate(turn, at)), turn };
        if (i % 3 == 0) { // as a hull
            for (int k = 0; k < 8; k++)
                points[i][k] = cn_v3(k & 1 ? small.x : -small.x, k & 2 ? small.y : -small.y, k & 4 ? small.z : -small.z);
            parts[i].points = points[i];
            parts[i].point_count = 8;
        }
    }
    cn_compound *compound = cn_compound_create(parts, SIDE * SIDE * SIDE, NULL);
    assert_non_null(compound);
    cn_composite composite = { .type = CN_COMPOUND, .scale = { 1.0f, 1.0f, 1.0f }, .compound = compound };
    cn_mass whole = cn_mass_transform(cn_mass_box(half, 500.0f), (cn_pose){ shift, turn }), sum;
    assert_true(cn_composite_mass(&composite, "test", 500.0f, &sum));
    assert_true(fabsf(sum.mass / whole.mass - 1.0f) < 1e-4f);
    assert_true(cn_distance(sum.center, whole.center) < 1e-4f);
    const float *a = &sum.inertia.xx, *b = &whole.inertia.xx;
    for (int i = 0; i < 6; i++)
        assert_true(fabsf(a[i] - b[i]) < 2e-4f * whole.inertia.xx);
    assert_true(cn_composite_mass(&composite, "test", 0.0f, &sum) && sum.mass == 0.0f);
    assert_false(cn_composite_mass(&composite, "test", -1.0f, &sum));
    assert_message("test: density is -1; it must be finite and not negative");
    assert_false(cn_composite_mass(&composite, "test", 3e38f, &sum));
    assert_true(strncmp(cn_last_error(), "test: ", 6) == 0);
    cn_compound_destroy(compound);
}

// ---- boxes

static void test_query_agrees_with_brute_force(void **state)
{
    (void)state;
    static sample_compound s;
    static int32_t found[MAX_PARTS], again[MAX_PARTS];
    static uint8_t seen[MAX_PARTS];
    rng r = { 11 };
    int total = 0;
    for (int round = 0; round < 12; round++) {
        make_random(&s, &r, round < 4 ? round + 1 : 1 + (int)(rng_next(&r) % 1000));
        for (int k = 0; k < 100; k++) {
            cn_vec3 at = rng_vec(&r, s.extent), half = cn_abs3(rng_vec(&r, k % 3 == 0 ? 50.0f : 3.0f));
            cn_box3 box = { cn_sub(at, half), cn_add(at, half) };
            int count = cn_composite_query(&s.composite, &box, found, MAX_PARTS);
            memset(seen, 0, sizeof seen);
            for (int i = 0; i < count; i++)
                assert_int_equal(seen[found[i]]++, 0);
            for (int i = 0; i < s.count; i++)
                assert_int_equal(seen[i], cn_box3_overlaps(&s.boxes[i], &box));
            total += count;
            assert_int_equal(cn_composite_query(&s.composite, &box, again, count / 2), count);
            assert_memory_equal(found, again, (size_t)(count / 2) * sizeof *found);
        }
        free_composite(&s);
    }
    assert_true(total > 10000);
}

static void test_sweep_agrees_with_brute_force(void **state)
{
    (void)state;
    static sample_compound s;
    static record all, nearest;
    static float fractions[MAX_PARTS];
    rng r = { 12 };
    int met = 0, visits = 0;
    for (int round = 0; round < 12; round++) {
        make_random(&s, &r, round < 4 ? round + 1 : 1 + (int)(rng_next(&r) % 1000));
        for (int k = 0; k < 100; k++) {
            cn_vec3 origin = rng_vec(&r, 1.5f * s.extent), half = cn_abs3(rng_vec(&r, k % 4 == 0 ? 0.0f : 2.0f));
            cn_vec3 translation = cn_sub(rng_vec(&r, 1.5f * s.extent), origin);
            if (k % 5 == 0)
                translation = k % 2 ? cn_v3(translation.x, 0.0f, 0.0f) : cn_v3(0.0f, translation.y, 0.0f);
            if (k % 7 == 0)
                translation = cn_v3(0.0f, 0.0f, 0.0f);
            if (k % 11 == 0)
                half = cn_v3(100.0f, 100.0f, 100.0f); // larger than everything
            start_record(&all, NULL, 0);
            cn_composite_sweep(&s.composite, origin, translation, half, 1.0f, note, &all);
            double first = 2.0;
            for (int i = 0; i < s.count; i++) {
                double surely = box_meeting(&s.boxes[i], origin, translation, half, -1e-4);
                if (surely <= 1.0)
                    assert_true(all.limit[i] >= 0.0f);
                if (box_meeting(&s.boxes[i], origin, translation, half, 0.02) > 1.0)
                    assert_false(all.limit[i] >= 0.0f);
                fractions[i] = (float)surely;
                first = fmin(first, surely);
                met += surely <= 1.0 && k % 11 != 0;
            }
            start_record(&nearest, fractions, 0);
            cn_composite_sweep(&s.composite, origin, translation, half, 1.0f, note, &nearest);
            if (first <= 1.0)
                assert_true(least_value(&nearest) == (float)first);
            visits += k % 11 != 0 ? nearest.count : 0;
        }
        free_composite(&s);
    }
    print_message("%d of %d parts on the way were visited when the first one was looked for\n", visits, met);
    assert_true(met > 2000 && visits < met / 2);
}

static void test_near_agrees_with_brute_force(void **state)
{
    (void)state;
    static sample_compound s;
    static record all, nearest;
    static float distances[MAX_PARTS];
    rng r = { 13 };
    int close = 0, visits = 0;
    for (int round = 0; round < 12; round++) {
        make_random(&s, &r, round < 4 ? round + 1 : 1 + (int)(rng_next(&r) % 1000));
        for (int k = 0; k < 100; k++) {
            cn_vec3 at = rng_vec(&r, 1.5f * s.extent), half = cn_abs3(rng_vec(&r, 1.0f));
            cn_box3 box = { cn_sub(at, half), cn_add(at, half) };
            float reach = k % 4 == 0 ? 1e9f : rng_range(&r, 0.0f, 10.0f);
            start_record(&all, NULL, 0);
            cn_composite_near(&s.composite, &box, reach, note, &all);
            double first = 1e30;
            for (int i = 0; i < s.count; i++) {
                double distance = box_distance(&s.boxes[i], &box);
                if (distance < (double)reach - 1e-4)
                    assert_true(all.limit[i] >= 0.0f);
                if (distance > (double)reach + 0.02)
                    assert_false(all.limit[i] >= 0.0f);
                distances[i] = (float)distance;
                first = fmin(first, distance);
                close += distance < (double)reach;
            }
            start_record(&nearest, distances, 0);
            cn_composite_near(&s.composite, &box, reach, note, &nearest);
            if (first < (double)reach - 1e-4)
                assert_true(fabs((double)least_value(&nearest) - first) < 1e-4);
            visits += nearest.count;
        }
        free_composite(&s);
    }
    print_message("%d of %d parts within reach were visited when the nearest one was looked for\n", visits, close);
    assert_true(close > 20000 && visits < close / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input_is_refused_with_a_sentence),
        cmocka_unit_test(test_parts_are_what_was_given),
        cmocka_unit_test(test_mass_of_a_cut_box),
        cmocka_unit_test(test_query_agrees_with_brute_force),
        cmocka_unit_test(test_sweep_agrees_with_brute_force),
        cmocka_unit_test(test_near_agrees_with_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
