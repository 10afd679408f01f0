// Kinematic bodies on paths: where they are, how fast they move, what they carry, and input that is refused.
#include "scene.h"

#include <string.h>

static cn_path_key key_at(double time, double x, double y, double z)
{
    return (cn_path_key){ time, { { x, y, z }, CN_QUAT_IDENTITY } };
}

static cn_path_key key_turned(double time, cn_vec3 axis, double angle)
{
    return (cn_path_key){ time, { { 0.0, 0.0, 0.0 }, turn_about(axis, angle) } };
}

static cn_path_def path_of(const cn_path_key *keys, int count, cn_path_ease ease, bool loop)
{
    cn_path_def def = cn_path_def_default();
    def.keys = keys;
    def.key_count = count;
    def.ease = ease;
    def.loop = loop;
    return def;
}

static cn_body_id add_plate(cn_world *world, const cn_path_def *path)
{
    cn_shape_def plate = solid_def(cn_box(3.0f, 0.1f, 3.0f), 0.6f, 0.0f);
    cn_body_id body = add_upright(world, CN_KINEMATIC, cn_p3(50.0, 0.0, 0.0), &plate);
    if (!cn_body_set_path(world, body, path))
        fail_msg("%s", cn_last_error());
    return body;
}

static double angle_between(cn_quat a, cn_quat b) { return (double)cn_length(cn_quat_log(cn_quat_mul(cn_quat_conj(a), b))); }

// ---- where they are

static void a_linear_path_is_followed_to_rounding(void **state)
{
    (void)state;
    const cn_path_key keys[] = { key_at(1.0, 0.0, 0.0, 0.0), key_at(2.0, 3.0, 1.0, 0.0), key_at(4.0, 3.0, 5.0, -2.0) };
    cn_world_def world_def = weightless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 3, CN_PATH_LINEAR, false);
    path.start = 1.0;
    cn_body_id body = add_plate(world, &path);
    assert_near(cn_body_get_transform(world, body).position.x, 0.0, 0.0);
    double time = 1.0;
    for (int i = 0; i < 200; i++) { // of steps that differ
        float dt = i % 3 == 0 ? 0.02f : 0.013f;
        cn_pos3 before = cn_body_get_center(world, body);
        advance_by(world, 1, dt);
        time += (double)dt;
        double t = fmin(time, 4.0), s = fmin(t, 2.0) - 1.0, u = fmax(t - 2.0, 0.0) / 2.0;
        cn_pos3 p = cn_body_get_transform(world, body).position;
        assert_near(position_distance(p, cn_p3(3.0 * s, s + 4.0 * u, -2.0 * u)), 0.0, 2e-7);
        cn_vec3 v = cn_body_get_linear_velocity(world, body);
        assert_near(position_distance(cn_pos_add(before, cn_scale(dt, v)), p), 0.0, 1e-8);
    }
    cn_path_state now = cn_body_get_path_state(world, body);
    assert_near(now.time, 4.0, 0.0);
    assert_int_equal(now.direction, 0);
    assert_true(cn_length(cn_body_get_linear_velocity(world, body)) == 0.0f);
    // And back.
    assert_true(cn_body_set_path_speed(world, body, -2.0f));
    advance(world, 30);
    now = cn_body_get_path_state(world, body);
    assert_near(now.time, 3.0, 1e-6);
    assert_int_equal(now.direction, -1);
    advance(world, 90);
    assert_near(cn_body_get_transform(world, body).position.x, 0.0, 1e-7);
    cn_world_destroy(world);
}

// Two keys: the cubic 3 s^2 - 2 s^3, for the way and for the turn.
static void a_smooth_path_starts_and_stops_at_rest(void **state)
{
    (void)state;
    cn_vec3 axis = cn_normalize(cn_v3(1.0f, 2.0f, -0.5f));
    const cn_path_key keys[] = { { 0.0, { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY } },
                                 { 2.0, { { 4.0, 0.0, 1.0 }, turn_about(axis, 2.5) } } };
    cn_world_def world_def = weightless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 2, CN_PATH_SMOOTH, false);
    cn_body_id body = add_plate(world, &path);
    for (int i = 1; i <= 120; i++) {
        advance(world, 1);
        double s = fmin((double)i * (double)tick / 2.0, 1.0), part = s * s * (3.0 - 2.0 * s);
        cn_transform now = cn_body_get_transform(world, body);
        assert_near(position_distance(now.position, cn_p3(4.0 * part, 0.0, part)), 0.0, 3e-7);
        assert_near(angle_between(now.rotation, turn_about(axis, 2.5 * part)), 0.0, 2e-6);
    }
    cn_world_destroy(world);
}

// Velocities of a smooth path never jump, and where it stands still or turns back it goes no further than its keys.
static void a_smooth_path_is_steady_and_overshoots_nothing(void **state)
{
    (void)state;
    const cn_path_key keys[] = { key_at(0.0, 0.0, 0.0, 0.0), key_at(1.0, 1.0, 0.0, 0.0), key_at(1.5, 1.0, 0.0, 0.0),
                                 key_at(2.5, 1.0, 2.0, 0.0), key_at(4.0, 1.0, 0.5, 0.0), key_at(5.0, 0.0, 0.0, 0.0) };
    cn_world_def world_def = weightless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 6, CN_PATH_SMOOTH, true);
    cn_body_id body = add_plate(world, &path);
    const float dt = 0.002f;
    cn_vec3 last = { 0.0f, 0.0f, 0.0f };
    for (int i = 0; i < 7500; i++) { // three rounds
        advance_by(world, 1, dt);
        cn_pos3 p = cn_body_get_transform(world, body).position;
        double time = cn_body_get_path_state(world, body).time;
        if (time >= 1.0 && time <= 1.5)
            assert_near(position_distance(p, cn_p3(1.0, 0.0, 0.0)), 0.0, 1e-6);
        assert_true(p.y < 2.0 + 1e-6 && (time > 2.5 || p.x < 1.0 + 1e-6));
        cn_vec3 v = cn_body_get_linear_velocity(world, body);
        if (i > 0)
            assert_below(cn_distance(v, last), 25.0f * dt); // bounded acceleration
        last = v;
    }
    cn_world_destroy(world);
}

// Smooth rotations about changing axes: through every key, and without a jump of the angular velocity.
static void smooth_rotations_pass_their_keys(void **state)
{
    (void)state;
    const cn_vec3 x = { 1.0f, 0.0f, 0.0f }, y = { 0.0f, 1.0f, 0.0f }, z = { 0.0f, 0.0f, 1.0f };
    const cn_path_key keys[] = { key_turned(0.0, x, 0.0), key_turned(1.0, x, 1.0), key_turned(2.0, y, 1.5),
                                 key_turned(3.0, z, -0.7), key_turned(4.0, x, 0.0) };
    cn_world_def world_def = weightless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 5, CN_PATH_SMOOTH, true);
    cn_body_id body = add_plate(world, &path);
    const float dt = 1.0f / 512.0f;
    cn_vec3 last = { 0.0f, 0.0f, 0.0f };
    for (int i = 1; i <= 4096; i++) {
        advance_by(world, 1, dt);
        if (i % 512 == 0) {
            float off = angle_between(cn_body_get_transform(world, body).rotation, keys[i / 512 % 4].transform.rotation);
            assert_near(off, 0.0, 3e-6);
        }
        cn_vec3 w = cn_body_get_angular_velocity(world, body);
        if (i > 1)
            assert_below(cn_distance(w, last), 30.0f * dt);
        last = w;
    }
    cn_world_destroy(world);
}

// ---- what they carry

static double slip_of(const cn_world *world, cn_body_id carrier, cn_body_id body, cn_vec3 start)
{
    cn_transform frame = cn_body_get_transform(world, carrier);
    cn_vec3 now = cn_unrotate(frame.rotation, cn_pos_sub(cn_body_get_center(world, body), frame.position));
    return (double)cn_distance(now, start);
}

static cn_body_id add_ball(cn_world *world, cn_pos3 position)
{
    cn_shape_def ball = solid_def(cn_sphere(0.25f), 0.6f, 0.0f);
    ball.material.rolling_resistance = 0.05f;
    ball.material.spinning_resistance = 0.05f;
    return add_upright(world, CN_DYNAMIC, position, &ball);
}

static void assert_carried(cn_world *world, cn_body_id plate, cn_vec3 spin, double box_slip, double ball_slip)
{
    const cn_vec3 starts[2] = { { 1.0f, 0.35f, 0.0f }, { 0.0f, 0.35f, 1.0f } };
    cn_shape_def box = solid_def(cn_box(0.25f, 0.25f, 0.25f), 0.6f, 0.0f);
    cn_pos3 center = cn_body_get_transform(world, plate).position;
    cn_body_id bodies[2] = { add_upright(world, CN_DYNAMIC, cn_pos_add(center, starts[0]), &box),
                             add_ball(world, cn_pos_add(center, starts[1])) };
    for (int k = 0; k < 2; k++)
        set_motion(world, bodies[k], cn_cross(spin, starts[k]), spin);
    for (int i = 0; i < 600; i++) {
        advance(world, 1);
        for (int k = 0; k < 2; k++)
            assert_below(slip_of(world, plate, bodies[k], starts[k]), k == 0 ? box_slip : ball_slip);
    }
    cn_world_destroy(world);
}

static void a_swaying_platform_carries(void **state)
{
    (void)state;
    enum { KEYS = 33 };
    cn_path_key keys[KEYS]; // one sway of 0.7 m in 6 s, up to 0.77 m/s^2
    for (int i = 0; i < KEYS; i++)
        keys[i] = key_at(6.0 * i / (KEYS - 1), 0.7 * cos(6.283185307179586 * i / (KEYS - 1)), 0.0, 0.0);
    cn_world_def world_def = restless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, KEYS, CN_PATH_SMOOTH, true);
    assert_carried(world, add_plate(world, &path), cn_v3(0.0f, 0.0f, 0.0f), 1e-4, 1e-3);
}

static void a_turntable_carries(void **state)
{
    (void)state;
    const cn_vec3 up = { 0.0f, 1.0f, 0.0f };
    const double third = 2.0943951023931953, pause = third / 0.5; // 0.5 rad/s
    const cn_path_key keys[] = { key_turned(0.0, up, 0.0), key_turned(pause, up, third),
                                 key_turned(2.0 * pause, up, 2.0 * third), key_turned(3.0 * pause, up, 3.0 * third) };
    cn_world_def world_def = restless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 4, CN_PATH_LINEAR, true);
    cn_body_id plate = add_plate(world, &path);
    advance(world, 1);
    assert_near(cn_body_get_angular_velocity(world, plate).y, 0.5, 1e-5);
    assert_true(cn_body_set_path(world, plate, &path));
    assert_carried(world, plate, cn_v3(0.0f, 0.5f, 0.0f), 2e-5, 2e-5);
}

// Up to half of g the box never leaves the lift, which feels m (g + a) step by step. Closer to g the velocity, which changes
// from step to step and not in between, lets it hop by a millimetre or two.
static void a_lift_keeps_what_stands_on_it(void **state)
{
    (void)state;
    const double heights[2] = { 0.8, 1.5 }; // in 1 s: at most 0.48 g and 0.9 g
    for (int k = 0; k < 2; k++) {
        const cn_path_key keys[] = { key_at(0.0, 0.0, 0.0, 0.0), key_at(1.0, 0.0, heights[k], 0.0) };
        cn_world_def world_def = restless();
        cn_world *world = open_world(&world_def);
        cn_path_def path = path_of(keys, 2, CN_PATH_SMOOTH, false);
        path.speed = 0.0f;
        cn_body_id lift = add_plate(world, &path);
        cn_shape_def shape = solid_def(cn_box(0.25f, 0.25f, 0.25f), 0.6f, 0.0f);
        shape.density = 80.0f; // 10 kg
        cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.35, 0.0), &shape);
        advance(world, 30);
        assert_true(cn_body_set_path_speed(world, lift, 1.0f));
        double sum = 0.0, expected = 0.0;
        for (int i = 0; i < 70; i++) {
            double before = (double)cn_body_get_linear_velocity(world, lift).y;
            advance(world, 1);
            double a = ((double)cn_body_get_linear_velocity(world, lift).y - before) / (double)tick;
            double load = -(double)cn_body_get_push(world, lift).force.y;
            sum += load;
            expected += 10.0 * (10.0 + a);
            if (k == 0)
                assert_near(load, 10.0 * (10.0 + a), 0.5);
            assert_below(slip_of(world, lift, box, cn_v3(0.0f, 0.35f, 0.0f)), k == 0 ? 3e-4 : 3e-3);
        }
        assert_relative(sum, expected, 1e-3);
        cn_world_destroy(world);
    }
}

static void a_platform_that_starts_wakes_what_sleeps_on_it(void **state)
{
    (void)state;
    const cn_path_key keys[] = { key_at(0.0, 0.0, 0.0, 0.0), key_at(2.0, 0.0, 0.0, 0.0), key_at(4.0, 1.0, 0.0, 0.0) };
    cn_world_def world_def = cn_world_def_default();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 3, CN_PATH_SMOOTH, false);
    cn_body_id plate = add_plate(world, &path);
    cn_shape_def shape = solid_def(cn_box(0.25f, 0.25f, 0.25f), 0.6f, 0.0f);
    cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.35, 0.0), &shape);
    advance(world, 115);
    assert_false(cn_body_is_awake(world, box));
    advance(world, 65);
    assert_true(cn_body_is_awake(world, box));
    assert_below(slip_of(world, plate, box, cn_v3(0.0f, 0.35f, 0.0f)), 1e-3);
    advance(world, 180);
    assert_near(cn_body_get_center(world, box).x, 1.0, 1e-3);
    assert_false(cn_body_is_awake(world, box));
    cn_world_destroy(world);
}

// ---- life, and what is refused

static void paths_end_with_their_bodies(void **state)
{
    (void)state;
    const cn_path_key keys[] = { key_at(0.0, 0.0, 0.0, 0.0), key_at(2.0, 1.0, 0.0, 0.0) };
    cn_world_def world_def = weightless();
    cn_world *world = open_world(&world_def);
    cn_path_def path = path_of(keys, 2, CN_PATH_LINEAR, false);
    cn_body_id bodies[5];
    for (int i = 0; i < 5; i++)
        bodies[i] = add_plate(world, &path);
    advance(world, 6);
    assert_true(cn_body_destroy(world, bodies[1]));
    assert_true(cn_body_clear_path(world, bodies[0]));
    assert_true(cn_body_clear_path(world, bodies[0]));
    assert_true(cn_body_set_type(world, bodies[3], CN_DYNAMIC));
    path.start = 1.0;
    assert_true(cn_body_set_path(world, bodies[4], &path));
    advance(world, 6);
    assert_near(cn_body_get_center(world, bodies[0]).x, 0.05, 1e-6);
    assert_near(cn_body_get_center(world, bodies[2]).x, 0.1, 1e-6);
    assert_near(cn_body_get_center(world, bodies[4]).x, 0.55, 1e-6);
    assert_false(cn_body_has_path(world, bodies[0]));
    assert_true(cn_body_has_path(world, bodies[2]));
    assert_false(cn_body_has_path(world, bodies[3]));
    assert_false(cn_body_set_path_speed(world, bodies[0], 1.0f));
    assert_near(cn_body_get_path_state(world, bodies[3]).time, 0.0, 0.0);
    cn_world_destroy(world);
}

static void assert_refused(cn_world *world, cn_body_id body, const cn_path_def *def, const char *part)
{
    assert_false(cn_body_set_path(world, body, def));
    if (strstr(cn_last_error(), "cn_body_set_path: ") == NULL || strstr(cn_last_error(), part) == NULL)
        fail_msg("expected \"%s\" in \"%s\"", part, cn_last_error());
}

static void bad_paths_are_refused(void **state)
{
    (void)state;
    const cn_path_key good[] = { key_at(0.0, 0.0, 0.0, 0.0), key_at(1.0, 1.0, 0.0, 0.0), key_at(2.0, 0.0, 0.0, 0.0) };
    cn_world_def world_def = weightless();
    cn_world *world = open_world(&world_def);
    cn_body_id body = add_upright(world, CN_KINEMATIC, cn_p3(0.0, 0.0, 0.0), NULL);
    cn_body_id moving = add_upright(world, CN_DYNAMIC, cn_p3(5.0, 0.0, 0.0), NULL);
    cn_path_def def = path_of(good, 3, CN_PATH_LINEAR, false);
    assert_refused(world, moving, &def, "not kinematic");
    assert_refused(world, body, NULL, "def");
    const struct {
        double time, x;
        float w;
        const char *part;
    } bad_keys[] = { { 1.0, 0.0, 1.0f, "def.keys[2].time" },
                     { (double)NAN, 0.0, 1.0f, "def.keys[2].time" },
                     { 1e12, 0.0, 1.0f, "def.keys[2].time" },
                     { 2.0, (double)NAN, 1.0f, "def.keys[2].transform.position" },
                     { 2.0, 1e14, 1.0f, "def.keys[2].transform.position" },
                     { 2.0, 0.0, 0.0f, "def.keys[2].transform.rotation" },
                     { 2.0, 0.0, NAN, "def.keys[2].transform.rotation" },
                     { 1.0 + 1e-12, 5.0, 1.0f, "def.keys[2] comes" } };
    for (size_t i = 0; i < sizeof bad_keys / sizeof bad_keys[0]; i++) {
        cn_path_key keys[3] = { good[0], good[1], key_at(bad_keys[i].time, bad_keys[i].x, 0.0, 0.0) };
        keys[2].transform.rotation.w = bad_keys[i].w;
        cn_path_def bad = path_of(keys, 3, CN_PATH_LINEAR, false);
        assert_refused(world, body, &bad, bad_keys[i].part);
    }
    cn_path_def bad = def;
    bad.keys = NULL;
    assert_refused(world, body, &bad, "def.keys");
    bad = def, bad.key_count = 0;
    assert_refused(world, body, &bad, "def.key_count");
    bad = def, bad.key_count = 2, bad.loop = true;
    assert_refused(world, body, &bad, "def.loop");
    bad = def, bad.ease = (cn_path_ease)7;
    assert_refused(world, body, &bad, "def.ease");
    bad = def, bad.blocked = (cn_blocked)-1;
    assert_refused(world, body, &bad, "def.blocked");
    bad = def, bad.speed = NAN;
    assert_refused(world, body, &bad, "def.speed");
    bad = def, bad.start = 3.0;
    assert_refused(world, body, &bad, "def.start");
    bad = def, bad.max_force = 0.0f;
    assert_refused(world, body, &bad, "def.max_force");
    bad = def, bad.max_torque = NAN;
    assert_refused(world, body, &bad, "def.max_torque");
    bad = def, bad.back_time = -1.0f;
    assert_refused(world, body, &bad, "def.back_time");
    bad = def, bad.wait = INFINITY;
    assert_refused(world, body, &bad, "def.wait");
    assert_false(cn_body_has_path(world, body));
    assert_true(cn_body_set_path(world, body, &def));
    assert_false(cn_body_set_path_speed(world, body, INFINITY));
    assert_null(cn_world_get_path_events(world, NULL));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_path_is_followed_to_rounding),
        cmocka_unit_test(a_smooth_path_starts_and_stops_at_rest),
        cmocka_unit_test(a_smooth_path_is_steady_and_overshoots_nothing),
        cmocka_unit_test(smooth_rotations_pass_their_keys),
        cmocka_unit_test(a_swaying_platform_carries),
        cmocka_unit_test(a_turntable_carries),
        cmocka_unit_test(a_lift_keeps_what_stands_on_it),
        cmocka_unit_test(a_platform_that_starts_wakes_what_sleeps_on_it),
        cmocka_unit_test(paths_end_with_their_bodies),
        cmocka_unit_test(bad_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
