// Begin and end of touching, hits, moves and sleep, as a user hears of them.
#include "scene.h"

static cn_shape_def speaking_box(void)
{
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    shape.contact_events = true;
    return shape;
}

static cn_shape_id only_shape(const cn_world *world, cn_body_id body)
{
    cn_shape_id shape = { 0 };
    assert_int_equal(cn_body_get_shapes(world, body, &shape, 1), 1);
    return shape;
}

static bool is_pair(cn_shape_id a, cn_shape_id b, cn_shape_id x, cn_shape_id y)
{
    return (CN_ID_EQUALS(a, x) && CN_ID_EQUALS(b, y)) || (CN_ID_EQUALS(a, y) && CN_ID_EQUALS(b, x));
}

static int begins(const cn_world *world, cn_shape_id x, cn_shape_id y)
{
    cn_contact_events events = cn_world_get_contact_events(world);
    int count = 0;
    for (int i = 0; i < events.begin_count; i++)
        count += is_pair(events.begin[i].shape_a, events.begin[i].shape_b, x, y);
    return count;
}

static int ends(const cn_world *world, cn_shape_id x, cn_shape_id y)
{
    cn_contact_events events = cn_world_get_contact_events(world);
    int count = 0;
    for (int i = 0; i < events.end_count; i++)
        count += is_pair(events.end[i].shape_a, events.end[i].shape_b, x, y);
    return count;
}

static int sleep_change(const cn_world *world, cn_body_id body)
{
    int count, change = 0;
    const cn_sleep_event *events = cn_world_get_sleep_events(world, &count);
    for (int i = 0; i < count; i++)
        change += CN_ID_EQUALS(events[i].body, body) ? (events[i].asleep ? 1 : -1) : 0;
    return change;
}

static const cn_move_event *find_move(const cn_world *world, cn_body_id body)
{
    int count;
    const cn_move_event *events = cn_world_get_move_events(world, &count);
    for (int i = 0; i < count; i++)
        if (CN_ID_EQUALS(events[i].body, body))
            return &events[i];
    return NULL;
}

// A ground, and a box at rest on it that touches it.
static cn_world *open_scene(cn_world_def def, cn_body_id *ground, cn_body_id *box)
{
    cn_world *world = open_world(&def);
    cn_shape_def shape = speaking_box();
    *box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &shape);
    *ground = add_ground(world, 0.6f, 0.0f);
    return world;
}

// ---- touching

static void touching_begins_once_and_ends_once(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def shape = speaking_box();
    cn_body_id ground = add_ground(world, 0.6f, 0.0f), box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.5, 0.0), &shape);
    cn_shape_id g = only_shape(world, ground), b = only_shape(world, box);
    int begun = 0, ended = 0;
    for (int i = 0; i < 120; i++) {
        advance(world, 1);
        begun += begins(world, g, b);
        ended += ends(world, g, b);
        cn_contact_data contact;
        int contacts = cn_body_get_contacts(world, box, &contact, 1);
        assert_int_equal(contacts, begun - ended); // events and queries tell the same
    }
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 0);
    cn_body_apply_impulse(world, box, cn_v3(0.0f, 4.0f * cn_body_get_mass(world, box).mass, 0.0f));
    for (int i = 0; i < 30; i++) {
        advance(world, 1);
        begun += begins(world, g, b);
        ended += ends(world, g, b);
    }
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    cn_world_destroy(world);
}

static void nothing_is_said_unless_a_shape_asks(void **state)
{
    (void)state;
    for (int asking = 0; asking < 4; asking++) { // neither, the box, the ground, both
        cn_world_def def = restless();
        cn_world *world = open_world(&def);
        cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
        shape.contact_events = shape.hit_events = (asking & 1) != 0;
        add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.5, 0.0), &shape);
        shape.geometry = cn_box(10.0f, 1.0f, 10.0f);
        shape.contact_events = shape.hit_events = (asking & 2) != 0;
        add_upright(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &shape);
        int begun = 0, hits = 0;
        for (int i = 0; i < 60; i++) {
            advance(world, 1);
            begun += cn_world_get_contact_events(world).begin_count;
            hits += cn_world_get_contact_events(world).hit_count;
        }
        assert_int_equal(begun, asking != 0);
        assert_int_equal(hits, asking != 0);
        cn_world_destroy(world);
    }
}

// However a contact goes away, its end is in the next step's list, once.
enum { BY_BODY, BY_OTHER_BODY, BY_SHAPE, BY_TELEPORT, BY_FILTER, BY_TYPE, WAYS };

static void end_contact(cn_world *world, int way, cn_body_id ground, cn_body_id box)
{
    cn_filter nothing = { .category = 1, .mask = 0, .group = 0 };
    cn_transform away = { { 0.0, 50.0, 0.0 }, CN_QUAT_IDENTITY };
    bool done[WAYS] = { 0 };
    switch (way) {
    case BY_BODY: done[way] = cn_body_destroy(world, box); break;
    case BY_OTHER_BODY: done[way] = cn_body_destroy(world, ground); break;
    case BY_SHAPE: done[way] = cn_shape_destroy(world, only_shape(world, box)); break;
    case BY_TELEPORT: done[way] = cn_body_set_transform(world, box, away); break;
    case BY_FILTER: done[way] = cn_shape_set_filter(world, only_shape(world, box), nothing); break;
    case BY_TYPE: done[way] = cn_body_set_type(world, box, CN_STATIC); break; // two static shapes do not touch
    }
    if (!done[way])
        fail_msg("way %d: %s", way, cn_last_error());
}

static void a_contact_that_is_taken_away_ends(void **state)
{
    (void)state;
    for (int asleep = 0; asleep < 2; asleep++) {
        for (int way = 0; way < WAYS; way++) {
            cn_body_id ground, box;
            cn_world *world = open_scene(asleep != 0 ? cn_world_def_default() : restless(), &ground, &box);
            cn_shape_id g = only_shape(world, ground), b = only_shape(world, box);
            advance(world, 1);
            assert_int_equal(begins(world, g, b), 1);
            advance(world, 120);
            assert_int_equal(cn_body_is_awake(world, box), asleep == 0);
            assert_int_equal(begins(world, g, b) + ends(world, g, b), 0);
            end_contact(world, way, ground, box);
            int ended = 0, begun = 0;
            for (int i = 0; i < 5; i++) {
                advance(world, 1);
                ended += ends(world, g, b);
                begun += begins(world, g, b);
                if (i == 0 && ended != 1)
                    fail_msg("way %d: %d end events in the next step, %s", way, ended, asleep ? "asleep" : "awake");
            }
            assert_int_equal(ended, 1);
            assert_int_equal(begun, 0);
            cn_world_destroy(world);
        }
    }
}

// What was never reported to have begun is not reported to end.
static void a_silent_contact_ends_silently(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    shape.contact_events = false;
    add_upright(world, CN_STATIC, cn_p3(0.0, -0.5, 0.0), &shape);
    cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &shape);
    advance(world, 10);
    cn_body_destroy(world, box);
    advance(world, 1);
    assert_int_equal(cn_world_get_contact_events(world).end_count, 0);
    cn_world_destroy(world);
}

// ---- hits

static void a_hit_tells_where_and_how_fast(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def shape = solid_def(cn_sphere(0.5f), 0.6f, 0.5f);
    shape.hit_events = true;
    cn_body_id ball = add_upright(world, CN_DYNAMIC, cn_p3(3.0, 2.5, -4.0), &shape);
    int hits = 0;
    for (int i = 0; i < 60; i++) { // falls 2 m: 6.32 m/s after 0.63 s
        advance(world, 1);
        cn_contact_events events = cn_world_get_contact_events(world);
        hits += events.hit_count;
        for (int k = 0; k < events.hit_count; k++) {
            const cn_hit_event *hit = &events.hit[k];
            bool ball_is_b = CN_ID_EQUALS(hit->shape_b, only_shape(world, ball));
            assert_true(ball_is_b || CN_ID_EQUALS(hit->shape_a, only_shape(world, ball)));
            assert_relative(hit->approach_speed, sqrt(2.0 * 10.0 * 2.0), 0.02);
            assert_near(hit->normal.y, ball_is_b ? 1.0 : -1.0, 1e-4);
            assert_near(hit->point.x, 3.0, 1e-3);
            assert_near(hit->point.y, 0.0, 0.1); // seen from the start of the step, in which it falls 0.1 m
            assert_near(hit->point.z, -4.0, 1e-3);
        }
    }
    assert_int_equal(hits, 1);
    cn_world_destroy(world);
}

static void only_fast_impacts_are_hits(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        cn_world_def def = restless();
        def.hit_speed = 3.0f;
        cn_world *world = open_world(&def);
        add_ground(world, 0.6f, 0.0f);
        cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
        shape.hit_events = true;
        add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + (slow ? 0.3 : 0.6), 0.0), &shape); // 2.4 and 3.5 m/s
        int hits = 0;
        for (int i = 0; i < 120; i++) { // lying there is no hit
            advance(world, 1);
            hits += cn_world_get_contact_events(world).hit_count;
        }
        assert_int_equal(hits, slow ? 0 : 1);
        cn_world_destroy(world);
    }
}

// ---- moves and sleep

static void moves_tell_where_bodies_are(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    int tags[2] = { 1, 2 };
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    cn_body_id ground = add_ground(world, 0.6f, 0.0f), box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 1.0, 0.0), &shape);
    cn_body_id lift = add_upright(world, CN_KINEMATIC, cn_p3(10.0, 5.0, 0.0), &shape);
    cn_body_set_user_data(world, box, &tags[0]);
    cn_body_set_user_data(world, lift, &tags[1]);
    set_motion(world, lift, cn_v3(0.0f, 1.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    bool slept = false;
    for (int i = 0; i < 180 && !slept; i++) {
        advance(world, 1);
        assert_null(find_move(world, ground));
        const cn_move_event *move = find_move(world, box), *lifted = find_move(world, lift);
        assert_non_null(move);
        assert_non_null(lifted);
        assert_ptr_equal(move->user_data, &tags[0]);
        assert_ptr_equal(lifted->user_data, &tags[1]);
        assert_true(position_distance(move->transform.position, cn_body_get_transform(world, box).position) == 0.0);
        slept = !cn_body_is_awake(world, box);
        assert_int_equal(move->fell_asleep, slept);
        assert_int_equal(sleep_change(world, box), slept);
    }
    assert_true(slept);
    advance(world, 1);
    assert_null(find_move(world, box)); // what sleeps does not move
    assert_int_equal(sleep_change(world, box), 0);
    cn_world_destroy(world);
}

static void waking_is_told_in_the_next_step(void **state)
{
    (void)state;
    cn_body_id ground, box;
    cn_world *world = open_scene(cn_world_def_default(), &ground, &box);
    assert_true(cn_body_set_awake(world, box, false));
    advance(world, 1);
    assert_int_equal(sleep_change(world, box), 1);
    assert_true(cn_body_set_awake(world, box, true));
    assert_int_equal(sleep_change(world, box), 1); // still the last step's list
    advance(world, 1);
    assert_int_equal(sleep_change(world, box), -1);
    advance(world, 1);
    assert_int_equal(sleep_change(world, box), 0);
    cn_world_destroy(world);
}

// What an event names may be gone when it is read; it is then a stale id, not another body's.
static void events_of_destroyed_bodies_name_stale_ids(void **state)
{
    (void)state;
    cn_body_id ground, box;
    cn_world *world = open_scene(restless(), &ground, &box);
    cn_shape_id b = only_shape(world, box);
    advance(world, 10);
    cn_body_destroy(world, box);
    cn_shape_def shape = speaking_box();
    cn_body_id heir = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &shape); // in the same slots
    cn_shape_id h = only_shape(world, heir), g = only_shape(world, ground);
    advance(world, 1);
    assert_false(CN_ID_EQUALS(b, h));
    assert_int_equal(ends(world, g, b), 1);
    assert_int_equal(begins(world, g, h), 1);
    assert_int_equal(ends(world, g, h) + begins(world, g, b), 0);
    assert_false(cn_shape_is_valid(world, b));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_begins_once_and_ends_once),
        cmocka_unit_test(nothing_is_said_unless_a_shape_asks),
        cmocka_unit_test(a_contact_that_is_taken_away_ends),
        cmocka_unit_test(a_silent_contact_ends_silently),
        cmocka_unit_test(a_hit_tells_where_and_how_fast),
        cmocka_unit_test(only_fast_impacts_are_hits),
        cmocka_unit_test(moves_tell_where_bodies_are),
        cmocka_unit_test(waking_is_told_in_the_next_step),
        cmocka_unit_test(events_of_destroyed_bodies_name_stale_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
