// Sensors: what they see, and what they leave alone.
#include "scene.h"

#include <string.h>

static cn_shape_def sensor_def(cn_geometry geometry)
{
    cn_shape_def def = cn_shape_def_default();
    def.geometry = geometry;
    def.sensor = true;
    return def;
}

static cn_shape_id shape_of(const cn_world *world, cn_body_id body)
{
    cn_shape_id shape = { 0 };
    assert_true(cn_body_get_shapes(world, body, &shape, 1) >= 1);
    return shape;
}

static int count_overlaps(const cn_world *world, cn_body_id sensor)
{
    return cn_shape_get_overlaps(world, shape_of(world, sensor), NULL, 0);
}

// ---- what they see

static void a_ball_falls_through_a_sensor(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def zone = sensor_def(cn_box(1.0f, 1.0f, 1.0f)), ball = solid_def(cn_sphere(0.25f), 0.5f, 0.0f);
    cn_body_id gate = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &zone);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 3.0, 0.0), &ball);
    int begun = 0, ended = 0;
    for (int i = 0; i < 120; i++) {
        cn_step_report report = advance(world, 1);
        cn_sensor_events events = cn_world_get_sensor_events(world);
        double y = cn_body_get_center(world, body).y;
        // Exact where the step left it: no margin, no delay.
        assert_int_equal(count_overlaps(world, gate), y <= 1.25 && y >= -1.25);
        begun += events.begin_count;
        ended += events.end_count;
        assert_int_equal(begun - ended, count_overlaps(world, gate));
        if (events.begin_count > 0) {
            assert_true(CN_ID_EQUALS(events.begin[0].sensor, shape_of(world, gate)));
            assert_true(CN_ID_EQUALS(events.begin[0].visitor, shape_of(world, body)));
        }
        assert_int_equal(report.pairs + cn_world_get_contact_events(world).begin_count, 0);
        double t = (i + 1) * (double)tick;
        assert_near(y, 3.0 - 5.0 * t * t, 1e-3); // it falls freely
    }
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    cn_world_destroy(world);
}

static void types_decide_who_is_seen(void **state)
{
    (void)state;
    const cn_body_type types[3] = { CN_STATIC, CN_KINEMATIC, CN_DYNAMIC };
    for (int s = 0; s < 3; s++) {
        for (int v = 0; v < 3; v++) {
            for (int both = 0; both < 2; both++) {
                cn_world_def def = weightless();
                cn_world *world = open_world(&def);
                cn_shape_def zone = sensor_def(cn_sphere(1.0f)), solid = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f);
                solid.sensor = both;
                cn_body_id sensor = add_upright(world, types[s], cn_p3(0.0, 0.0, 0.0), &zone);
                add_upright(world, types[v], cn_p3(1.0, 0.0, 0.0), &solid);
                advance(world, 1);
                assert_int_equal(count_overlaps(world, sensor), !both && (types[v] != CN_STATIC || types[s] != CN_STATIC));
                cn_world_destroy(world);
            }
        }
    }
}

static void a_sensor_weighs_nothing_and_sees_not_its_own_body(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def solid = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f), zone = sensor_def(cn_sphere(5.0f));
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &solid);
    cn_mass before = cn_body_get_mass(world, body);
    cn_shape_id sensor = cn_shape_create(world, body, &zone);
    assert_true(cn_shape_is_sensor(world, sensor));
    cn_mass after = cn_body_get_mass(world, body);
    assert_memory_equal(&before, &after, sizeof before);
    cn_body_id ground = add_ground(world, 0.5f, 0.0f);
    advance(world, 10);
    cn_shape_id seen[2];
    assert_int_equal(cn_shape_get_overlaps(world, sensor, seen, 2), 1);
    assert_true(CN_ID_EQUALS(seen[0], shape_of(world, ground)));
    assert_int_equal(cn_shape_get_overlaps(world, shape_of(world, ground), seen, 2), 0); // not a sensor
    assert_non_null(strstr(cn_last_error(), "not a sensor"));
    cn_world_destroy(world);
}

// With and without a large sensor on each body, everything else is the same to the last bit, and falls asleep in the same step.
static void sensors_change_nothing(void **state)
{
    (void)state;
    uint64_t hashes[2];
    int asleep_at[2] = { 0, 0 };
    for (int with = 0; with < 2; with++) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        cn_shape_def solid = solid_def(cn_box(0.5f, 0.4f, 0.5f), 0.5f, 0.0f), zone = sensor_def(cn_box(3.0f, 3.0f, 3.0f));
        add_ground(world, 0.5f, 0.0f);
        cn_body_id bodies[5];
        for (int i = 0; i < 5; i++) {
            bodies[i] = add_upright(world, CN_DYNAMIC, cn_p3(0.1 * i, 0.5 + 1.1 * i, 0.0), &solid);
            if (with)
                assert_false(CN_IS_NULL(cn_shape_create(world, bodies[i], &zone)));
        }
        for (int i = 0; i < 600; i++) {
            advance(world, 1);
            asleep_at[with] = asleep_at[with] == 0 && !cn_body_is_awake(world, bodies[0]) ? i : asleep_at[with];
        }
        hashes[with] = cn_world_hash(world);
        cn_world_destroy(world);
    }
    assert_true(asleep_at[0] > 0);
    assert_int_equal(asleep_at[0], asleep_at[1]);
    assert_true(hashes[0] == hashes[1]);
}

static void who_sleeps_inside_stays_inside(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    add_ground(world, 0.5f, 0.0f);
    cn_shape_def solid = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f), zone = sensor_def(cn_box(2.0f, 2.0f, 2.0f));
    cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &solid);
    cn_body_id gate = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &zone);
    int begun = 0, ended = 0;
    for (int i = 0; i < 200; i++) {
        advance(world, 1);
        begun += cn_world_get_sensor_events(world).begin_count;
        ended += cn_world_get_sensor_events(world).end_count;
    }
    assert_false(cn_body_is_awake(world, box));
    assert_int_equal(count_overlaps(world, gate), 1);
    // A sensor that is moved sees what sleeps, and does not wake it.
    for (int i = 0; i < 4; i++) {
        assert_true(cn_body_set_transform(world, gate, (cn_transform){ { i % 2 ? 0.0 : 50.0, 0.0, 0.0 }, CN_QUAT_IDENTITY }));
        advance(world, 1);
        begun += cn_world_get_sensor_events(world).begin_count;
        ended += cn_world_get_sensor_events(world).end_count;
        assert_int_equal(count_overlaps(world, gate), i % 2);
        assert_false(cn_body_is_awake(world, box));
    }
    // Moved and put to sleep again before anybody could look.
    assert_true(cn_body_set_transform(world, box, (cn_transform){ { 9.0, 0.5, 0.0 }, CN_QUAT_IDENTITY }));
    assert_true(cn_body_set_awake(world, box, false));
    advance(world, 1);
    ended += cn_world_get_sensor_events(world).end_count;
    assert_int_equal(count_overlaps(world, gate), 0);
    assert_int_equal(begun, 3);
    assert_int_equal(ended, 3);
    cn_world_destroy(world);
}

static void bad_ids_are_refused(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_shape_def zone = sensor_def(cn_sphere(1.0f));
    cn_body_id body = add_upright(world, CN_KINEMATIC, cn_p3(0.0, 0.0, 0.0), &zone);
    cn_shape_id sensor = shape_of(world, body), null = { 0 };
    assert_int_equal(cn_shape_get_overlaps(world, sensor, NULL, 3), 0);
    assert_non_null(strstr(cn_last_error(), "shapes is NULL"));
    assert_int_equal(cn_shape_get_overlaps(world, null, NULL, 0), 0);
    assert_int_equal(cn_shape_get_overlaps(NULL, sensor, NULL, 0), 0);
    assert_int_equal(cn_world_get_sensor_events(NULL).begin_count, 0);
    assert_false(cn_shape_is_sensor(world, null) || cn_shape_is_sensor(NULL, sensor));
    assert_int_equal(cn_shape_get_part_material_count(world, null), 0);
    assert_false(cn_shape_set_part_material(world, null, 0, &zone.material));
    assert_false(cn_world_set_modify(NULL, NULL, NULL));
    cn_body_destroy(world, body);
    assert_false(cn_shape_is_sensor(world, sensor));
    cn_world_destroy(world);
}

// Compounds on either side.
static void parts_are_looked_at(void **state)
{
    (void)state;
    const cn_compound_part parts[2] = {
        { .geometry = cn_sphere(0.5f), .offset = { { -2.0f, 0.0f, 0.0f }, CN_QUAT_IDENTITY } },
        { .geometry = cn_box(0.5f, 0.5f, 0.5f), .offset = { { 2.0f, 0.0f, 0.0f }, CN_QUAT_IDENTITY } },
    };
    cn_compound *compound = cn_compound_create(parts, 2, NULL);
    if (compound == NULL)
        fail_msg("%s", cn_last_error());
    for (int side = 0; side < 2; side++) { // the compound is the sensor, or what it sees
        const struct {
            double x, y;
            bool inside;
        } places[] = { { -2.0, 0.74, true }, { -2.0, 0.76, false }, { 0.0, 0.0, false },
                       { 2.0, -0.74, true }, { 2.8, 0.7, false },   { 2.7, 0.0, true } };
        for (int i = 0; i < (int)(sizeof places / sizeof *places); i++) {
            cn_world_def def = weightless();
            cn_world *world = open_world(&def);
            cn_shape_def many = cn_shape_def_default(), ball = solid_def(cn_sphere(0.25f), 0.5f, 0.0f);
            many.geometry = cn_geometry_compound(compound);
            many.sensor = side == 0;
            ball.sensor = side == 1;
            cn_body_id a = add_upright(world, CN_KINEMATIC, cn_p3(5.0, 1.0, 0.0), &many);
            cn_body_id b = add_upright(world, CN_KINEMATIC, cn_p3(5.0 + places[i].x, 1.0 + places[i].y, 0.0), &ball);
            advance(world, 1);
            if (count_overlaps(world, side == 0 ? a : b) != places[i].inside)
                fail_msg("place %d, side %d", i, side);
            cn_world_destroy(world);
        }
    }
    cn_compound_destroy(compound);
}

// A mesh is a surface that is seen from both sides, and what it encloses is not in it.
static void a_mesh_is_its_surface(void **state)
{
    (void)state;
    const cn_vec3 corners[4] = {
        { -1.0f, -1.0f, -1.0f }, { 3.0f, -1.0f, -1.0f }, { -1.0f, 3.0f, -1.0f }, { -1.0f, -1.0f, 3.0f }
    };
    const int faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    cn_mesh_def def = cn_mesh_def_default();
    def.vertices = corners;
    def.vertex_count = 4;
    def.indices = faces;
    def.triangle_count = 4;
    cn_mesh *mesh = cn_mesh_create(&def);
    if (mesh == NULL)
        fail_msg("%s", cn_last_error());
    const struct {
        double y;
        bool touches;
    } places[] = { { -1.26, false }, { -1.24, true }, { -0.76, true }, { -0.74, false }, { -0.7, false } };
    for (int i = 0; i < 10; i++) { // the mesh is the sensor, or what it sees
        cn_world_def world_def = weightless();
        cn_world *world = open_world(&world_def);
        cn_shape_def surface = cn_shape_def_default(), ball = solid_def(cn_sphere(0.25f), 0.5f, 0.0f);
        surface.geometry = cn_geometry_mesh(mesh, cn_v3(1.0f, 1.0f, 1.0f));
        surface.sensor = i < 5;
        ball.sensor = i >= 5;
        cn_body_id a = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &surface);
        cn_body_id b = add_upright(world, CN_KINEMATIC, cn_p3(-0.5, places[i % 5].y, -0.5), &ball);
        advance(world, 1);
        if (count_overlaps(world, i < 5 ? a : b) != places[i % 5].touches)
            fail_msg("place %d", i);
        cn_world_destroy(world);
    }
    cn_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_falls_through_a_sensor),
        cmocka_unit_test(types_decide_who_is_seen),
        cmocka_unit_test(a_sensor_weighs_nothing_and_sees_not_its_own_body),
        cmocka_unit_test(sensors_change_nothing),
        cmocka_unit_test(who_sleeps_inside_stays_inside),
        cmocka_unit_test(bad_ids_are_refused),
        cmocka_unit_test(parts_are_looked_at),
        cmocka_unit_test(a_mesh_is_its_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
