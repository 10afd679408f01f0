// Falling asleep, and everything that must wake what sleeps.
#include "cairn/cairn.h"
#include "world/world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static cn_world *make_world(void)
{
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    if (world == NULL)
        fail_msg("%s", cn_last_error());
    return world;
}

static cn_body_id add_box(cn_world *world, cn_body_type type, cn_pos3 position, cn_vec3 half)
{
    cn_body_def def = cn_body_def_default();
    def.type = type;
    def.position = position;
    cn_body_id body = cn_body_create(world, &def);
    cn_shape_def shape = cn_shape_def_default();
    shape.geometry = cn_box(half.x, half.y, half.z);
    if (CN_IS_NULL(body) || CN_IS_NULL(cn_shape_create(world, body, &shape)))
        fail_msg("%s", cn_last_error());
    return body;
}

static cn_body_id add_ground(cn_world *world)
{
    return add_box(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), cn_v3(20.0f, 1.0f, 20.0f));
}

static cn_body_id add_cube(cn_world *world, double x, double y)
{
    return add_box(world, CN_DYNAMIC, cn_p3(x, y, 0.0), cn_v3(0.5f, 0.5f, 0.5f));
}

// Sleep events of the last step that are about `body`: +1 for each falling asleep, -1 for each waking.
static int sleep_change(const cn_world *world, cn_body_id body)
{
    int count, change = 0;
    const cn_sleep_event *events = cn_world_get_sleep_events(world, &count);
    for (int i = 0; i < count; i++)
        if (CN_ID_EQUALS(events[i].body, body))
            change += events[i].asleep ? 1 : -1;
    return change;
}

static void advance(cn_world *world, int steps)
{
    for (int i = 0; i < steps; i++)
        if (!cn_world_step(world, 1.0f / 60.0f).ok)
            fail_msg("%s", cn_last_error());
}

// Steps until the body sleeps; fails after ten seconds. Returns the number of steps.
static int advance_to_sleep(cn_world *world, cn_body_id body)
{
    for (int i = 1; i <= 600; i++) {
        advance(world, 1);
        if (!cn_body_is_awake(world, body))
            return i;
    }
    fail_msg("the body never fell asleep");
    return 0;
}

static void assert_consistent(const cn_world *world)
{
    for (int i = 0; i < world->awake.count; i++)
        assert_int_equal(world->bodies.data[world->awake.data[i]].awake, i);
    int sleeping = 0;
    for (int i = 0; i < world->sleeping_islands.count; i++) {
        const cn_sleeping_island *island = &world->sleeping_islands.data[i];
        for (int k = 0; k < island->count; k++)
            assert_int_equal(world->bodies.data[island->bodies[k]].sleeping_island, i);
        sleeping += island->count;
    }
    int dynamic = 0, awake = 0;
    for (int i = 0; i < world->bodies.count; i++) {
        const cn_body *body = &world->bodies.data[i];
        if (!body->used)
            continue;
        dynamic += body->type == CN_DYNAMIC;
        awake += body->type == CN_DYNAMIC && body->awake != CN_NONE;
    }
    assert_int_equal(dynamic, awake + sleeping);
    for (int i = 0; i < world->contacts.count; i++) {
        const cn_contact *contact = &world->contacts.data[i];
        if (!contact->used)
            continue;
        bool wanted =
            world->bodies.data[contact->body_a].awake != CN_NONE || world->bodies.data[contact->body_b].awake != CN_NONE;
        assert_int_equal(contact->awake != CN_NONE, wanted);
        if (wanted)
            assert_int_equal(world->awake_contacts.data[contact->awake].contact, i);
    }
}

static void a_box_falls_asleep_and_an_impulse_wakes_it(void **state)
{
    (void)state;
    cn_world *world = make_world();
    cn_body_id ground = add_ground(world), box = add_cube(world, 0.0, 0.52);
    int steps = advance_to_sleep(world, box);
    assert_in_range(steps, 30, 120); // half a second of rest at least
    assert_int_equal(sleep_change(world, box), 1);
    assert_false(cn_body_is_awake(world, ground));
    assert_true(cn_length(cn_body_get_linear_velocity(world, box)) == 0.0f);
    assert_consistent(world);

    uint64_t hash = cn_world_hash(world);
    advance(world, 10);
    assert_true(cn_world_hash(world) == hash);
    assert_int_equal(sleep_change(world, box), 0);

    assert_true(cn_body_apply_impulse(world, box, cn_v3(0.0f, 3000.0f, 0.0f)));
    assert_true(cn_body_is_awake(world, box));
    advance(world, 1);
    assert_int_equal(sleep_change(world, box), -1);
    assert_true(cn_body_get_transform(world, box).position.y > 0.52);
    assert_consistent(world);
    advance_to_sleep(world, box);
    cn_world_destroy(world);
}

static void a_stack_sleeps_and_wakes_as_one(void **state)
{
    (void)state;
    cn_world *world = make_world();
    add_ground(world);
    cn_body_id stack[4];
    for (int i = 0; i < 4; i++)
        stack[i] = add_cube(world, 0.0, 0.5 + i);
    cn_body_id apart = add_cube(world, 10.0, 0.5);
    advance_to_sleep(world, stack[0]);
    for (int i = 0; i < 4; i++) {
        assert_false(cn_body_is_awake(world, stack[i]));
        assert_int_equal(sleep_change(world, stack[i]), 1);
    }
    advance(world, 60);
    assert_false(cn_body_is_awake(world, apart));
    assert_true(cn_body_set_awake(world, stack[3], true));
    for (int i = 0; i < 4; i++)
        assert_true(cn_body_is_awake(world, stack[i]));
    assert_false(cn_body_is_awake(world, apart));
    assert_consistent(world);
    advance_to_sleep(world, stack[0]);
    cn_world_destroy(world);
}

static void losing_the_support_wakes(void **state)
{
    (void)state;
    cn_world *world = make_world();
    cn_body_id ground = add_ground(world), box = add_cube(world, 0.0, 0.5);
    advance_to_sleep(world, box);
    assert_true(cn_body_destroy(world, ground));
    assert_true(cn_body_is_awake(world, box));
    advance(world, 1);
    assert_int_equal(sleep_change(world, box), -1);
    assert_int_equal(cn_world_get_contact_events(world).end_count, 1);
    advance(world, 29);
    assert_true(cn_body_get_transform(world, box).position.y < -0.5);
    assert_consistent(world);
    cn_world_destroy(world);
}

static void moving_or_filtering_the_support_wakes(void **state)
{
    (void)state;
    cn_world *world = make_world();
    cn_body_id ground = add_ground(world), box = add_cube(world, 0.0, 0.5);
    advance_to_sleep(world, box);
    cn_transform below = { { 0.0, -3.0, 0.0 }, CN_QUAT_IDENTITY };
    assert_true(cn_body_set_transform(world, ground, below));
    assert_true(cn_body_is_awake(world, box));
    advance_to_sleep(world, box);
    assert_true(cn_body_get_transform(world, box).position.y < -1.4);

    cn_shape_id shape;
    cn_body_get_shapes(world, ground, &shape, 1);
    assert_true(cn_shape_set_filter(world, shape, (cn_filter){ .category = 1, .mask = 0 }));
    assert_true(cn_body_is_awake(world, box));
    advance(world, 60);
    assert_true(cn_body_get_transform(world, box).position.y < -3.0);
    assert_consistent(world);
    cn_world_destroy(world);
}

static void a_wall_put_into_a_sleeper_wakes_it(void **state)
{
    (void)state;
    cn_world *world = make_world();
    add_ground(world);
    cn_body_id box = add_cube(world, 0.0, 0.5);
    cn_body_id wall = add_box(world, CN_STATIC, cn_p3(5.0, 1.0, 0.0), cn_v3(0.5f, 1.0f, 1.0f));
    advance_to_sleep(world, box);
    cn_transform into = { { 0.8, 1.0, 0.0 }, CN_QUAT_IDENTITY };
    assert_true(cn_body_set_transform(world, wall, into));
    assert_true(cn_body_is_awake(world, box));
    advance(world, 60);
    assert_true(cn_body_get_transform(world, box).position.x < -0.1);
    cn_world_destroy(world);
}

static void a_hit_wakes(void **state)
{
    (void)state;
    cn_world *world = make_world();
    add_ground(world);
    cn_body_id box = add_cube(world, 0.0, 0.5);
    advance_to_sleep(world, box);
    cn_body_id missile = add_cube(world, 3.0, 0.52);
    assert_true(cn_body_set_linear_velocity(world, missile, cn_v3(-6.0f, 0.0f, 0.0f)));
    bool woke = false;
    for (int i = 0; i < 60 && !woke; i++) {
        advance(world, 1);
        assert_consistent(world);
        woke = cn_body_is_awake(world, box);
    }
    assert_true(woke);
    assert_int_equal(sleep_change(world, box), -1);
    advance(world, 10);
    assert_true(cn_body_get_transform(world, box).position.x < -0.05);
    cn_world_destroy(world);
}

static void events_pair_up(void **state)
{
    (void)state;
    cn_world *world = make_world();
    add_ground(world);
    cn_body_id boxes[5];
    int asleep[5] = { 0 };
    for (int i = 0; i < 5; i++)
        boxes[i] = add_cube(world, 0.9 * i, 0.6 + 1.1 * (i % 2));
    for (int i = 0; i < 600; i++) {
        if (i == 250)
            cn_body_apply_impulse(world, boxes[2], cn_v3(0.0f, 4000.0f, 500.0f));
        advance(world, 1);
        for (int k = 0; k < 5; k++) {
            asleep[k] += sleep_change(world, boxes[k]);
            assert_in_range(asleep[k], 0, 1);
            assert_int_equal(asleep[k] == 0, cn_body_is_awake(world, boxes[k]));
        }
    }
    for (int k = 0; k < 5; k++)
        assert_int_equal(asleep[k], 1);
    assert_consistent(world);
    cn_world_destroy(world);
}

static void sleep_by_request(void **state)
{
    (void)state;
    cn_world *world = make_world();
    add_ground(world);
    cn_body_id lower = add_cube(world, 0.0, 0.5), upper = add_cube(world, 0.0, 1.5);
    advance(world, 10);
    assert_true(cn_body_set_awake(world, upper, false));
    assert_false(cn_body_is_awake(world, lower));
    assert_false(cn_body_is_awake(world, upper));
    advance(world, 1);
    assert_int_equal(sleep_change(world, lower), 1);
    assert_true(cn_body_set_awake(world, lower, true));
    assert_true(cn_body_is_awake(world, upper));

    assert_true(cn_body_set_can_sleep(world, lower, false));
    assert_false(cn_body_set_awake(world, upper, false)); // it touches one that must not
    assert_true(cn_body_is_awake(world, upper));
    advance(world, 120);
    assert_true(cn_body_is_awake(world, upper));
    assert_true(cn_body_set_can_sleep(world, lower, true));
    advance_to_sleep(world, upper);

    assert_true(cn_world_set_sleeping(world, false));
    assert_true(cn_body_is_awake(world, upper));
    assert_false(cn_body_set_awake(world, upper, false));
    advance(world, 120);
    assert_true(cn_body_is_awake(world, upper));
    assert_consistent(world);
    cn_world_destroy(world);
}

static void bodies_can_be_born_asleep(void **state)
{
    (void)state;
    cn_world *world = make_world();
    cn_body_def def = cn_body_def_default();
    def.awake = false;
    cn_body_id body = cn_body_create(world, &def);
    assert_false(cn_body_is_awake(world, body));
    advance(world, 30);
    assert_true(cn_body_get_transform(world, body).position.y == 0.0);
    assert_true(cn_world_set_gravity(world, cn_v3(1.0f, 0.0f, 0.0f)));
    assert_true(cn_body_is_awake(world, body));
    assert_consistent(world);
    cn_world_destroy(world);
}

static void a_kinematic_support_that_starts_to_move_wakes(void **state)
{
    (void)state;
    cn_world *world = make_world();
    cn_body_id lift = add_box(world, CN_KINEMATIC, cn_p3(0.0, -1.0, 0.0), cn_v3(2.0f, 1.0f, 2.0f));
    cn_body_id box = add_cube(world, 0.0, 0.5);
    advance_to_sleep(world, box);
    assert_true(cn_body_is_awake(world, lift));
    assert_consistent(world);
    assert_true(cn_body_set_linear_velocity(world, lift, cn_v3(0.0f, 1.0f, 0.0f)));
    assert_true(cn_body_is_awake(world, box));
    assert_false(cn_body_set_awake(world, box, false)); // what carries it moves
    advance(world, 120);
    assert_true(cn_body_is_awake(world, box));
    double gap = cn_body_get_transform(world, box).position.y - cn_body_get_transform(world, lift).position.y;
    assert_true(gap > 1.48 && gap < 1.52);
    assert_true(cn_body_set_linear_velocity(world, lift, cn_v3(0.0f, 0.0f, 0.0f)));
    advance_to_sleep(world, box);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_falls_asleep_and_an_impulse_wakes_it),
        cmocka_unit_test(a_stack_sleeps_and_wakes_as_one),
        cmocka_unit_test(losing_the_support_wakes),
        cmocka_unit_test(moving_or_filtering_the_support_wakes),
        cmocka_unit_test(a_wall_put_into_a_sleeper_wakes_it),
        cmocka_unit_test(a_hit_wakes),
        cmocka_unit_test(events_pair_up),
        cmocka_unit_test(sleep_by_request),
        cmocka_unit_test(bodies_can_be_born_asleep),
        cmocka_unit_test(a_kinematic_support_that_starts_to_move_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
