// What is in the way of a path: doors that stall, turn back or break what they close on, and lifts with too much on them.
#include "scene.h"

static const float door_force = 150.0f; // N

typedef struct doorway {
    cn_world *world;
    cn_body_id door, box;
    int begun, ended; // events so far
    double overlap;   // deepest so far, m
} doorway;

static cn_path_key key_at(double time, double x, double y)
{
    return (cn_path_key){ time, { { x, y, 0.0 }, CN_QUAT_IDENTITY } };
}

// A door that closes in the direction of +x at 0.5 m/s, and a wall whose face is at x = 1.
static doorway open_doorway(cn_blocked blocked, float max_force)
{
    cn_world_def def = restless();
    doorway d = { .world = open_world(&def) };
    add_ground(d.world, 0.6f, 0.0f);
    cn_shape_def wall = solid_def(cn_box(0.1f, 1.0f, 1.0f), 0.6f, 0.0f),
                 door = solid_def(cn_box(0.05f, 1.0f, 0.5f), 0.0f, 0.0f);
    add_upright(d.world, CN_STATIC, cn_p3(1.1, 1.0, 0.0), &wall);
    d.door = add_upright(d.world, CN_KINEMATIC, cn_p3(-1.05, 1.01, 0.0), &door);
    const cn_path_key keys[] = { key_at(0.0, -1.05, 1.01), key_at(4.0, 0.95, 1.01) };
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 2;
    path.blocked = blocked;
    path.max_force = max_force;
    if (!cn_body_set_path(d.world, d.door, &path))
        fail_msg("%s", cn_last_error());
    return d;
}

static void add_box(doorway *d, float mass)
{
    cn_shape_def box = solid_def(cn_box(0.25f, 0.25f, 0.25f), 0.6f, 0.0f);
    box.density = mass / 0.125f;
    d->box = add_upright(d->world, CN_DYNAMIC, cn_p3(0.2, 0.25, 0.0), &box);
}

static void run(doorway *d, int steps)
{
    for (int i = 0; i < steps; i++) {
        d->overlap = fmax(d->overlap, advance(d->world, 1).max_penetration);
        int count;
        const cn_path_event *events = cn_world_get_path_events(d->world, &count);
        for (int k = 0; k < count; k++) {
            assert_true(CN_ID_EQUALS(events[k].body, d->door));
            assert_true(!events[k].blocked || events[k].force > door_force);
            d->begun += events[k].blocked;
            d->ended += !events[k].blocked;
        }
    }
}

static double place_of(const doorway *d, cn_body_id body) { return cn_body_get_center(d->world, body).x; }

// A box that it can push is pushed as far as the wall, and held there. When it is taken away, the door closes.
static void a_door_that_stalls_holds_the_box_and_closes_later(void **state)
{
    (void)state;
    const float masses[] = { 1.0f, 10.0f };
    for (int m = 0; m < 2; m++) {
        doorway d = open_doorway(CN_BLOCKED_STALL, door_force);
        add_box(&d, masses[m]);
        run(&d, 400);
        assert_int_equal(d.begun, 1);
        assert_true(cn_body_get_path_state(d.world, d.door).blocked);
        assert_below(d.overlap, 0.01);
        d.overlap = 0.0;
        run(&d, 300);
        assert_int_equal(d.begun, 1); // it tries again and again, but never says so
        assert_int_equal(d.ended, 0);
        assert_below(d.overlap, 2e-3);
        assert_near(place_of(&d, d.box), 0.75, 2e-3);
        assert_near(place_of(&d, d.door), 0.45, 5e-3);
        cn_body_destroy(d.world, d.box);
        run(&d, 180);
        assert_int_equal(d.ended, 1);
        assert_false(cn_body_get_path_state(d.world, d.door).blocked);
        assert_near(place_of(&d, d.door), 0.95, 1e-6);
        cn_world_destroy(d.world);
    }
}

// 100 kg: friction alone takes 600 N. What moves it is the hit of a door that has no mass of its own to lose speed by.
static void a_door_does_not_push_what_is_too_heavy(void **state)
{
    (void)state;
    doorway d = open_doorway(CN_BLOCKED_STALL, door_force);
    add_box(&d, 100.0f);
    run(&d, 300);
    assert_int_equal(d.begun, 1);
    assert_near(place_of(&d, d.box), 0.2, 0.1);
    cn_world_destroy(d.world);
}

static void a_door_that_turns_back_opens_and_tries_again(void **state)
{
    (void)state;
    doorway d = open_doorway(CN_BLOCKED_REVERSE, door_force);
    add_box(&d, 10.0f);
    while (d.begun == 0 && cn_body_get_path_state(d.world, d.door).time < 4.0)
        run(&d, 1);
    assert_int_equal(d.begun, 1);
    assert_below(d.overlap, 0.01);
    run(&d, 60);
    assert_int_equal(cn_body_get_path_state(d.world, d.door).direction, -1);
    run(&d, 130);
    assert_near(place_of(&d, d.door), -1.05, 1e-6); // open
    assert_true(cn_body_get_path_state(d.world, d.door).blocked);
    run(&d, 400); // closes again, is blocked again and opens again
    assert_int_equal(d.begun, 1);
    cn_body_destroy(d.world, d.box);
    run(&d, 500);
    assert_int_equal(d.ended, 1);
    assert_near(place_of(&d, d.door), 0.95, 1e-6);
    cn_world_destroy(d.world);
}

static void a_door_goes_back_for_as_long_as_it_is_told(void **state)
{
    (void)state;
    doorway d = open_doorway(CN_BLOCKED_REVERSE, door_force);
    add_box(&d, 100.0f);
    const cn_path_key keys[] = { key_at(0.0, -1.05, 1.01), key_at(4.0, 0.95, 1.01) };
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 2;
    path.blocked = CN_BLOCKED_REVERSE;
    path.max_force = door_force;
    path.back_time = 0.5f;
    path.wait = 1.0f;
    assert_true(cn_body_set_path(d.world, d.door, &path));
    while (d.begun == 0)
        run(&d, 1);
    double stopped = cn_body_get_path_state(d.world, d.door).time;
    run(&d, 60);
    cn_path_state now = cn_body_get_path_state(d.world, d.door);
    assert_near(now.time, stopped - 0.5, 1e-6);
    assert_int_equal(now.direction, 0);
    cn_world_destroy(d.world);
}

static void a_door_with_all_the_force_it_needs_pushes_on(void **state)
{
    (void)state;
    doorway d = open_doorway(CN_BLOCKED_PUSH_ON, door_force);
    add_box(&d, 100.0f);
    run(&d, 120);
    assert_int_equal(d.begun, 0);
    double x = -1.05 + 0.5 * 120.0 * (double)tick;
    assert_near(place_of(&d, d.door), x, 1e-6);
    // It feels the box, which slides: 0.6 * 1000 N.
    run(&d, 50); // before the box meets the wall
    assert_near(cn_body_get_path_state(d.world, d.door).force, 600.0, 12.0);
    cn_world_destroy(d.world);
}

// Two halves, held together by a joint that breaks, between door and wall.
static void what_is_breakable_breaks(void **state)
{
    (void)state;
    doorway d = open_doorway(CN_BLOCKED_PUSH_ON, INFINITY);
    cn_shape_def half = solid_def(cn_box(0.2f, 0.1f, 0.1f), 0.6f, 0.0f);
    half.density = 100.0f;
    // A stick that leans against the wall: closing the door bends it.
    cn_quat lean = turn_about(cn_v3(0.0f, 0.0f, 1.0f), 0.35);
    cn_vec3 along = cn_rotate(lean, cn_v3(0.2f, 0.0f, 0.0f));
    cn_pos3 middle = cn_p3(0.6, 0.3, 0.0);
    cn_body_id a = add_body(d.world, CN_DYNAMIC, cn_pos_add(middle, cn_neg(along)), lean, &half);
    cn_body_id b = add_body(d.world, CN_DYNAMIC, cn_pos_add(middle, along), lean, &half);
    cn_joint_def joint = cn_fixed_joint(d.world, a, b, middle);
    joint.break_force = 2000.0f;
    joint.break_torque = 200.0f;
    cn_joint_id id = cn_joint_create(d.world, &joint);
    assert_false(CN_IS_NULL(id));
    int broken = 0, rest = 0;
    for (int i = 0; i < 200; i++) {
        run(&d, 1);
        int count;
        cn_world_get_joint_events(d.world, &count);
        broken += count;
        rest += i == 60 && cn_joint_is_valid(d.world, id);
    }
    assert_int_equal(rest, 1); // it carries itself
    assert_int_equal(broken, 1);
    assert_false(cn_joint_is_valid(d.world, id));
    cn_world_destroy(d.world);
}

// ---- lifts and things that turn

static void a_lift_stands_when_too_much_is_on_it(void **state)
{
    (void)state;
    const cn_path_key keys[] = { key_at(0.0, 0.0, 0.0), key_at(4.0, 0.0, 2.0) };
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 2;
    path.ease = CN_PATH_SMOOTH;
    path.blocked = CN_BLOCKED_STALL;
    path.max_force = 120.0f;
    cn_shape_def plate = solid_def(cn_box(1.0f, 0.1f, 1.0f), 0.6f, 0.0f),
                 box = solid_def(cn_box(0.25f, 0.25f, 0.25f), 0.6f, 0.0f);
    box.density = 80.0f; // 10 kg
    cn_body_id lift = add_upright(world, CN_KINEMATIC, cn_p3(0.0, 0.0, 0.0), &plate);
    assert_true(cn_body_set_path(world, lift, &path));
    add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.35, 0.0), &box);
    advance(world, 90); // 100 N, and a little more while it starts
    assert_false(cn_body_get_path_state(world, lift).blocked);
    double height = cn_body_get_center(world, lift).y;
    assert_true(height > 0.4);
    cn_body_id second = add_upright(world, CN_DYNAMIC, cn_p3(0.6, height + 0.4, 0.0), &box);
    advance(world, 120);
    assert_true(cn_body_get_path_state(world, lift).blocked);
    height = cn_body_get_center(world, lift).y;
    advance(world, 300);
    assert_near(cn_body_get_center(world, lift).y, height, 1e-6); // neither sinks nor creeps up
    assert_near(cn_body_get_path_state(world, lift).force, 200.0, 1.0);
    cn_body_destroy(world, second);
    advance(world, 400);
    assert_near(cn_body_get_center(world, lift).y, 2.0, 1e-6);
    assert_false(cn_body_get_path_state(world, lift).blocked);
    cn_world_destroy(world);
}

// A swing door, hinged at its origin, on a box before a wall: the torque stops it.
static void a_swing_door_is_stopped_by_its_torque(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def wall = solid_def(cn_box(0.3f, 1.0f, 0.1f), 0.6f, 0.0f),
                 leaf = solid_def(cn_box(0.5f, 1.0f, 0.03f), 0.6f, 0.0f),
                 box = solid_def(cn_box(0.15f, 0.15f, 0.15f), 0.6f, 0.0f);
    box.density = 300.0f;
    leaf.offset.position = cn_v3(0.5f, 0.0f, 0.0f);
    add_upright(world, CN_STATIC, cn_p3(0.8, 1.0, -0.1), &wall);
    add_upright(world, CN_DYNAMIC, cn_p3(0.8, 0.15, 0.15), &box);
    const cn_path_key keys[] = { { 0.0, { { 0.0, 1.01, 0.0 }, turn_about(cn_v3(0.0f, 1.0f, 0.0f), -1.5) } },
                                 { 3.0, { { 0.0, 1.01, 0.0 }, CN_QUAT_IDENTITY } } };
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 2;
    path.ease = CN_PATH_SMOOTH;
    path.blocked = CN_BLOCKED_STALL;
    path.max_torque = 60.0f;
    cn_body_id door = add_upright(world, CN_KINEMATIC, cn_p3(0.0, 1.01, 0.0), &leaf);
    assert_true(cn_body_set_path(world, door, &path));
    double overlap = 0.0;
    for (int i = 0; i < 400; i++)
        overlap = fmax(overlap, advance(world, 1).max_penetration);
    cn_path_state now = cn_body_get_path_state(world, door);
    assert_true(now.blocked && now.time < 2.5);
    assert_below(overlap, 0.012); // one step of the edge of the door: 0.75 m/s
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_that_stalls_holds_the_box_and_closes_later),
        cmocka_unit_test(a_door_does_not_push_what_is_too_heavy),
        cmocka_unit_test(a_door_that_turns_back_opens_and_tries_again),
        cmocka_unit_test(a_door_goes_back_for_as_long_as_it_is_told),
        cmocka_unit_test(a_door_with_all_the_force_it_needs_pushes_on),
        cmocka_unit_test(what_is_breakable_breaks),
        cmocka_unit_test(a_lift_stands_when_too_much_is_on_it),
        cmocka_unit_test(a_swing_door_is_stopped_by_its_torque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
