// Pairs of bodies and shapes that do not collide.
#include "random_shapes.h"
#include "scene.h"
#include "world/world.h"

#include <string.h>

static const cn_geometry unit_box = { .type = CN_BOX, .half_extents = { 0.5f, 0.5f, 0.5f } };

static cn_shape_id only_shape(cn_world *world, cn_body_id body)
{
    cn_shape_id id = { 0 };
    cn_body_get_shapes(world, body, &id, 1);
    return id;
}

static void a_body_falls_through_what_it_ignores(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id ground = add_ground(world, 0.5f, 0.0f);
    cn_shape_def shape = solid_def(unit_box, 0.5f, 0.0f);
    cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &shape),
               b = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.5, 0.0), &shape),
               c = add_upright(world, CN_DYNAMIC, cn_p3(4.0, 0.5, 0.0), &shape);
    advance(world, 120);
    assert_false(cn_body_is_awake(world, a));
    assert_true(cn_body_get_collide(world, a, ground) && cn_body_get_collide(world, ground, a));
    assert_true(cn_body_set_collide(world, ground, a, false));
    assert_false(cn_body_get_collide(world, a, ground));
    // It wakes with what rests on it, and nothing else; the end of touching is in the next step.
    assert_true(cn_body_is_awake(world, a) && cn_body_is_awake(world, b));
    assert_false(cn_body_is_awake(world, c));
    advance(world, 1);
    cn_contact_events events = cn_world_get_contact_events(world);
    assert_int_equal(events.end_count, 1);
    advance(world, 120);
    assert_below(cn_body_get_center(world, a).y, -2.0);
    assert_near(cn_body_get_center(world, b).y, 0.5, 0.01); // falls onto the ground, which a does not feel
    // And back: it is found where it overlaps.
    cn_transform above = { { 0.0, 3.0, 5.0 }, CN_QUAT_IDENTITY };
    assert_true(cn_body_set_transform(world, a, above));
    set_motion(world, a, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    assert_true(cn_body_set_collide(world, a, ground, true));
    assert_true(cn_body_get_collide(world, a, ground));
    advance(world, 180);
    assert_near(cn_body_get_center(world, a).y, 0.5, 0.01);
    assert_int_equal(world->ignored_bodies.count, 0);
    cn_world_destroy(world);
}

static void two_that_overlap_may_collide_again(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_shape_def shape = solid_def(unit_box, 0.5f, 0.0f);
    cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape),
               b = add_upright(world, CN_DYNAMIC, cn_p3(0.9, 0.0, 0.0), &shape);
    assert_true(cn_body_set_collide(world, a, b, false));
    assert_int_equal(advance(world, 30).points, 0);
    assert_true(cn_body_set_collide(world, b, a, true));
    assert_int_equal(advance(world, 1).points, 4);
    cn_world_destroy(world);
}

static void shapes_are_told_apart(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id ground = add_ground(world, 0.5f, 0.0f);
    cn_shape_def wide = solid_def(cn_box(1.0f, 0.2f, 1.0f), 0.5f, 0.0f), low = solid_def(cn_sphere(0.3f), 0.5f, 0.0f);
    low.offset.position.y = -0.5f; // the lowest point is 0.8 below the origin
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.5, 0.0), &wide);
    cn_shape_id ball = cn_shape_create(world, body, &low), floor = only_shape(world, ground);
    assert_true(cn_shape_set_collide(world, ball, floor, false));
    assert_false(cn_shape_get_collide(world, floor, ball));
    assert_true(cn_shape_get_collide(world, floor, only_shape(world, body)));
    advance(world, 180);
    assert_near(cn_body_get_transform(world, body).position.y, 0.2, 0.01); // lies on the box
    assert_true(cn_shape_set_collide(world, ball, floor, true));
    assert_true(cn_body_is_awake(world, body));
    cn_world_destroy(world);
}

static void fast_bodies_obey_too(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        cn_world_def def = weightless();
        cn_world *world = open_world(&def);
        cn_shape_def plate = solid_def(cn_box(0.01f, 5.0f, 5.0f), 0.5f, 0.0f), shot = solid_def(cn_sphere(0.05f), 0.5f, 0.0f);
        cn_body_id wall = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &plate),
                   bullet = add_upright(world, CN_DYNAMIC, cn_p3(-3.0, 0.0, 0.0), &shot);
        set_motion(world, bullet, cn_v3(300.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        if (way == 1)
            assert_true(cn_body_set_collide(world, wall, bullet, false));
        if (way == 2)
            assert_true(cn_shape_set_collide(world, only_shape(world, bullet), only_shape(world, wall), false));
        advance(world, 10);
        assert_true((cn_body_get_center(world, bullet).x > 10.0) == (way > 0));
        // Queries do not ask for it.
        cn_ray ray = { { -3.0, 0.0, 0.0 }, { 6.0f, 0.0f, 0.0f } };
        cn_query_filter filter = cn_query_filter_default();
        assert_true(cn_world_test_ray(world, &ray, &filter));
        cn_world_destroy(world);
    }
}

// Against a list of all pairs, with bodies that come and go.
static void the_table_forgets_what_is_destroyed(void **state)
{
    (void)state;
    enum { BODIES = 60, TURNS = 4000 };
    static bool ignored[BODIES][BODIES];
    memset(ignored, 0, sizeof ignored);
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_shape_def shape = solid_def(unit_box, 0.5f, 0.0f);
    cn_body_id bodies[BODIES];
    for (int i = 0; i < BODIES; i++)
        bodies[i] = add_upright(world, CN_DYNAMIC, cn_p3(3.0 * i, 0.0, 0.0), &shape);
    rng r = { 1 };
    for (int turn = 0; turn < TURNS; turn++) {
        int i = (int)(rng_next(&r) % BODIES), k = (int)(rng_next(&r) % BODIES);
        if (i == k) {
            assert_true(cn_body_destroy(world, bodies[i]));
            bodies[i] = add_upright(world, CN_DYNAMIC, cn_p3(3.0 * i, 0.0, 0.0), &shape);
            for (int j = 0; j < BODIES; j++)
                ignored[i][j] = ignored[j][i] = false;
        } else {
            ignored[i][k] = ignored[k][i] = rng_next(&r) % 3 > 0;
            assert_true(cn_body_set_collide(world, bodies[i], bodies[k], !ignored[i][k]));
            assert_true(
                cn_shape_set_collide(world, only_shape(world, bodies[i]), only_shape(world, bodies[k]), !ignored[i][k]));
        }
    }
    int count = 0;
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < i; k++) {
            count += ignored[i][k];
            assert_true(cn_body_get_collide(world, bodies[i], bodies[k]) != ignored[i][k]);
            assert_true(cn_shape_get_collide(world, only_shape(world, bodies[k]), only_shape(world, bodies[i])) !=
                        ignored[i][k]);
        }
    assert_true(count > 300);
    assert_int_equal(world->ignored_bodies.count, count);
    assert_int_equal(world->ignored_shapes.count, count);
    for (int i = 0; i < BODIES; i++)
        assert_true(cn_body_destroy(world, bodies[i]));
    assert_int_equal(world->ignored_bodies.count + world->ignored_shapes.count, 0);
    cn_world_destroy(world);
}

static void bad_pairs_are_refused(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_shape_def shape = solid_def(unit_box, 0.5f, 0.0f);
    cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape),
               b = add_upright(world, CN_DYNAMIC, cn_p3(5.0, 0.0, 0.0), &shape), none = { 0 };
    cn_shape_id s = only_shape(world, a), t = only_shape(world, b), no_shape = { 0 };
    assert_false(cn_body_set_collide(world, a, a, false));
    assert_non_null(strstr(cn_last_error(), "both body 1"));
    assert_false(cn_body_set_collide(world, a, none, false));
    assert_non_null(strstr(cn_last_error(), "other"));
    assert_false(cn_body_set_collide(NULL, a, b, false));
    assert_false(cn_body_get_collide(NULL, a, b));
    assert_false(cn_shape_set_collide(world, s, s, false));
    assert_false(cn_shape_set_collide(world, s, no_shape, false));
    assert_false(cn_shape_get_collide(world, no_shape, s));
    assert_false(cn_shape_set_collide(NULL, s, t, false));
    assert_true(cn_body_set_collide(world, a, b, false) && cn_body_set_collide(world, a, b, false));
    assert_int_equal(world->ignored_bodies.count, 1);
    assert_true(cn_body_destroy(world, b));
    assert_int_equal(world->ignored_bodies.count, 0);
    assert_false(cn_body_set_collide(world, a, b, false));
    assert_false(cn_shape_set_collide(world, s, t, false));
    world->stepping = true;
    assert_false(cn_body_set_collide(world, a, b, true));
    assert_non_null(strstr(cn_last_error(), "step"));
    world->stepping = false;
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_falls_through_what_it_ignores),
        cmocka_unit_test(two_that_overlap_may_collide_again),
        cmocka_unit_test(shapes_are_told_apart),
        cmocka_unit_test(fast_bodies_obey_too),
        cmocka_unit_test(the_table_forgets_what_is_destroyed),
        cmocka_unit_test(bad_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
