// Many shapes at once: the same body as one by one, all or none, and in time proportional to their number.
#include "cairn/mesh.h"
#include "scene.h"

#include <string.h>
#include <time.h>

enum { COUNT = 40 };

static void fill_defs(cn_shape_def defs[COUNT], const cn_compound *compound)
{
    for (int i = 0; i < COUNT; i++) {
        float s = 0.1f + 0.01f * (float)i;
        defs[i] = solid_def(i % 4 == 0   ? cn_box(s, 0.5f * s, s)
                            : i % 4 == 1 ? cn_sphere(s)
                            : i % 4 == 2 ? cn_tapered_capsule(s, 0.2f, 0.1f)
                                         : cn_geometry_compound(compound),
                            0.5f, 0.0f);
        defs[i].offset.position = cn_v3(0.3f * (float)(i % 7), 0.2f * (float)(i % 5), 0.1f * (float)i);
        defs[i].density = 100.0f + 10.0f * (float)i;
        defs[i].sensor = i % 10 == 9;
        defs[i].user_data = &defs[i];
    }
}

static void many_are_as_good_as_one_by_one(void **state)
{
    (void)state;
    cn_compound_part part = { .geometry = cn_box(0.1f, 0.2f, 0.1f), .offset = CN_POSE_IDENTITY };
    cn_compound *compound = cn_compound_create(&part, 1, NULL);
    cn_shape_def defs[COUNT];
    fill_defs(defs, compound);
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id one = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &defs[0]),
               many = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 50.0, 0.0), &defs[0]);
    cn_shape_id ids[COUNT], listed[COUNT + 1];
    for (int i = 0; i < COUNT; i++)
        assert_false(CN_IS_NULL(cn_shape_create(world, one, &defs[i])));
    assert_true(cn_shape_create_many(world, many, defs, COUNT, ids));
    assert_int_equal(cn_body_get_shapes(world, many, listed, COUNT + 1), COUNT + 1);
    assert_memory_equal(ids, listed + 1, sizeof ids);
    for (int i = 0; i < COUNT; i++)
        assert_ptr_equal(cn_shape_get_user_data(world, ids[i]), &defs[i]);
    cn_mass a = cn_body_get_mass(world, one), b = cn_body_get_mass(world, many);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(cn_shape_create_many(world, many, defs, 1, NULL));
    assert_true(cn_shape_create_many(world, many, NULL, 0, NULL));
    assert_int_equal(cn_body_get_shape_count(world, many), COUNT + 2);
    advance(world, 10);
    assert_near(cn_body_get_center(world, many).y - cn_body_get_center(world, one).y, 50.0, 0.01);
    cn_world_destroy(world);
    cn_compound_destroy(compound);
}

static void one_bad_shape_spoils_all(void **state)
{
    (void)state;
    cn_compound_part part = { .geometry = cn_box(0.1f, 0.2f, 0.1f), .offset = CN_POSE_IDENTITY };
    cn_compound *compound = cn_compound_create(&part, 1, NULL);
    cn_shape_def defs[COUNT];
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL), stale = body;
    cn_mass before = cn_body_get_mass(world, body);
    for (int bad = 0; bad < 5; bad++) {
        fill_defs(defs, compound);
        cn_shape_def *d = &defs[17];
        if (bad == 0)
            d->geometry.radius = NAN;
        else if (bad == 1)
            d->geometry.type = CN_SHAPE_TYPE_COUNT;
        else if (bad == 2)
            d->offset.rotation.w = NAN;
        else if (bad == 3)
            d->material.friction = -1.0f;
        else
            d->density = 1e33f;
        cn_shape_id ids[COUNT];
        assert_false(cn_shape_create_many(world, body, defs, COUNT, ids));
        assert_non_null(strstr(cn_last_error(), "cn_shape_create_many: defs[17]: "));
        assert_int_equal(cn_body_get_shape_count(world, body), 0);
        cn_mass after = cn_body_get_mass(world, body);
        assert_memory_equal(&before, &after, sizeof after);
    }
    fill_defs(defs, compound);
    assert_false(cn_shape_create_many(world, body, NULL, 3, NULL));
    assert_non_null(strstr(cn_last_error(), "defs"));
    assert_false(cn_shape_create_many(world, body, defs, -1, NULL));
    assert_non_null(strstr(cn_last_error(), "count"));
    assert_false(cn_shape_create_many(NULL, body, defs, 1, NULL));
    assert_true(cn_body_destroy(world, body));
    assert_false(cn_shape_create_many(world, stale, defs, 1, NULL));
    cn_world_destroy(world);
    cn_compound_destroy(compound);
}

// One by one, each shape has the mass of all before it summed up again: the work is that of their number squared. At once it is not, by a
// factor that no other load on the machine makes up for.
static double seconds_to_create(const cn_shape_def *defs, int count, bool at_once)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL);
    clock_t start = clock();
    if (at_once)
        assert_true(cn_shape_create_many(world, body, defs, count, NULL));
    for (int i = 0; i < count && !at_once; i++)
        assert_false(CN_IS_NULL(cn_shape_create(world, body, &defs[i])));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    cn_world_destroy(world);
    return seconds;
}

static void the_mass_is_summed_once(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    static cn_shape_def defs[MOST];
    for (int i = 0; i < MOST; i++) {
        defs[i] = solid_def(cn_box(0.1f, 0.1f, 0.1f), 0.5f, 0.0f);
        defs[i].offset.position = cn_v3(0.3f * (float)(i % 20), 0.3f * (float)(i / 20 % 20), 0.3f * (float)(i / 400));
    }
    double many = fmin(seconds_to_create(defs, MOST, true), seconds_to_create(defs, MOST, true));
    double one_by_one = seconds_to_create(defs, MOST, false);
    print_message("%d shapes: %.2f ms at once, %.2f ms one by one\n", MOST, 1e3 * many, 1e3 * one_by_one);
    assert_below(5.0 * many, one_by_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_are_as_good_as_one_by_one),
        cmocka_unit_test(one_bad_shape_spoils_all),
        cmocka_unit_test(the_mass_is_summed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
