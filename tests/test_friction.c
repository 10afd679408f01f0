// Friction, rolling and spinning resistance, belts and locked axes against their closed forms, in both friction models.
#include "scene.h"

static const double g = 10.0;
static const double degree = 0.017453292519943295;

static cn_world *open_model(int model)
{
    cn_world_def def = restless();
    def.friction_model = (cn_friction_model)model;
    return open_world(&def);
}

#define FOR_EACH_MODEL(model) for (int model = 0; model < CN_FRICTION_MODEL_COUNT; model++)

// ---- static and kinetic

// Ground is level and gravity is tilted: downhill is +x.
static void tilt_gravity(cn_world *world, double angle)
{
    cn_world_set_gravity(world, cn_v3((float)(g * sin(angle)), (float)(-g * cos(angle)), 0.0f));
}

static void a_box_between_both_angles_slides_only_when_pushed(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        const double angle = 24.0 * degree, kinetic = 0.3; // holds up to 31 degrees, slides from 16.7 on
        cn_world *world = open_model(model);
        cn_shape_def shape = solid_def(cn_box(100.0f, 1.0f, 100.0f), 0.6f, 0.0f);
        shape.material.kinetic_friction = (float)kinetic;
        add_upright(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &shape);
        shape.geometry = cn_box(0.5f, 0.2f, 0.5f);
        cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.2, 0.0), &shape);
        tilt_gravity(world, angle);
        advance(world, 120);
        assert_near(cn_body_get_center(world, box).x, 0.0, 1e-3);

        set_motion(world, box, cn_v3(1.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        advance(world, 15);
        double before = (double)cn_body_get_linear_velocity(world, box).x;
        advance(world, 60);
        double after = (double)cn_body_get_linear_velocity(world, box).x;
        assert_relative(after - before, g * (sin(angle) - kinetic * cos(angle)), 0.01);
        cn_world_destroy(world);
    }
}

static void a_sliding_box_stops_and_never_turns_back(void **state)
{
    (void)state;
    const float speeds[] = { 0.1f, 1.0f, 5.0f };
    FOR_EACH_MODEL(model)
    {
        for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
            cn_world *world = open_model(model);
            add_ground(world, 0.5f, 0.0f);
            cn_shape_def shape = solid_def(cn_box(0.5f, 0.2f, 0.5f), 0.5f, 0.0f);
            cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.2, 0.0), &shape);
            advance(world, 30); // the ground's answer has found its place
            set_motion(world, box, cn_v3(speeds[i], 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
            float last = speeds[i];
            for (int k = 0; k < 120; k++) {
                advance(world, 1);
                float speed = cn_body_get_linear_velocity(world, box).x;
                if (!(speed > -1e-4f && speed <= last + 1e-4f))
                    fail_msg("model %d, start %g: speed %g after %g in step %d", model, (double)speeds[i], (double)speed,
                             (double)last, k);
                last = speed;
            }
            double v = (double)speeds[i];
            assert_near(last, 0.0, 1e-4);
            assert_near(cn_body_get_center(world, box).x, v * v / (2.0 * 0.5 * g),
                        0.02 * v * v / (2.0 * 0.5 * g) + 0.5 * v / 480.0);
            cn_world_destroy(world);
        }
    }
}

// How far a box slides does not depend on where it slides to.
static void friction_is_the_same_in_all_directions(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        for (int i = 0; i < 8; i++) {
            double heading = 0.3 + 0.7 * i;
            cn_world *world = open_model(model);
            add_ground(world, 0.5f, 0.0f);
            cn_shape_def shape = solid_def(cn_cylinder(0.2f, 0.5f), 0.5f, 0.0f);
            cn_body_id puck = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.2, 0.0), &shape);
            set_motion(world, puck, cn_v3((float)(4.0 * cos(heading)), 0.0f, (float)(4.0 * sin(heading))),
                       cn_v3(0.0f, 0.0f, 0.0f));
            advance(world, 120);
            cn_pos3 end = cn_body_get_center(world, puck);
            assert_relative(hypot(end.x, end.z), 16.0 / (2.0 * 0.5 * g), 0.02);
            assert_near(end.x * sin(heading) - end.z * cos(heading), 0.0, 0.02 * 1.6); // a degree
            cn_world_destroy(world);
        }
    }
}

// ---- rolling and spinning

static void rolling_resistance_brakes_a_ball(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        const double arm = 0.02, r = 0.5, deceleration = 5.0 / 7.0 * arm * g / r; // arm m g r / (m r^2 + I)
        cn_world *world = open_model(model);
        add_ground(world, 1.0f, 0.0f);
        cn_shape_def shape = solid_def(cn_sphere((float)r), 1.0f, 0.0f);
        shape.material.rolling_resistance = (float)arm;
        cn_body_id ball = add_upright(world, CN_DYNAMIC, cn_p3(0.0, r, 0.0), &shape);
        set_motion(world, ball, cn_v3(1.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, (float)(-1.0 / r)));
        advance(world, 30);
        double before = (double)cn_body_get_linear_velocity(world, ball).x;
        advance(world, 60);
        double after = (double)cn_body_get_linear_velocity(world, ball).x;
        assert_relative(before - after, deceleration, 0.02);
        for (int i = 0; i < 240; i++) {
            advance(world, 1);
            assert_true(cn_body_get_linear_velocity(world, ball).x > -1e-4f);
        }
        assert_near(cn_body_get_linear_velocity(world, ball).x, 0.0, 1e-4);
        assert_relative(cn_body_get_center(world, ball).x, 0.5 / deceleration, 0.03);
        cn_world_destroy(world);
    }
}

static void spinning_resistance_stops_a_top(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        const double arm = 0.02, r = 0.5, spin = 6.0, time = spin * 0.4 * r * r / (arm * g); // w I / (arm m g) = 3 s
        cn_world *world = open_model(model);
        add_ground(world, 0.6f, 0.0f);
        cn_shape_def shape = solid_def(cn_sphere((float)r), 0.6f, 0.0f);
        shape.material.spinning_resistance = (float)arm;
        cn_body_id ball = add_upright(world, CN_DYNAMIC, cn_p3(0.0, r, 0.0), &shape);
        advance(world, 30);
        set_motion(world, ball, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, (float)spin, 0.0f));
        double stopped = 0.0;
        for (int i = 1; i <= 300 && stopped == 0.0; i++) {
            advance(world, 1);
            if (fabs((double)cn_body_get_angular_velocity(world, ball).y) < 1e-3)
                stopped = i * (double)tick;
        }
        assert_relative(stopped, time, 0.02);
        advance(world, 30);
        assert_near(cn_body_get_angular_velocity(world, ball).y, 0.0, 1e-3);
        cn_world_destroy(world);
    }
}

// Four corners, each under a quarter of the weight, resist with mu m g times their distance from the axis.
static void a_spinning_box_is_braked_at_its_corners(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        const double mu = 0.5, half = 0.5, spin = 10.0;
        const double inertia = 2.0 / 3.0 * half * half, deceleration = mu * g * sqrt(2.0) * half / inertia; // per kg
        cn_world *world = open_model(model);
        add_ground(world, (float)mu, 0.0f);
        cn_shape_def shape = solid_def(cn_box((float)half, 0.1f, (float)half), (float)mu, 0.0f);
        cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.1, 0.0), &shape);
        advance(world, 30);
        set_motion(world, box, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, (float)spin, 0.0f));
        advance(world, 15);
        double measured = 4.0 * (spin - (double)cn_body_get_angular_velocity(world, box).y);
        print_message("twist friction, model %d: %.2f rad/s^2, of four corners %.2f\n", model, measured, deceleration);
        assert_relative(measured, deceleration, 0.2);
        advance(world, 60);
        assert_near(cn_body_get_angular_velocity(world, box).y, 0.0, 1e-4);
        cn_world_destroy(world);
    }
}

// ---- belts

static void a_belt_carries_a_box_at_its_speed(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        const double mu = 0.5, speed = 2.0, turn = 0.7;
        cn_world *world = open_model(model);
        cn_shape_def shape = solid_def(cn_box(50.0f, 1.0f, 50.0f), (float)mu, 0.0f);
        shape.material.surface_velocity = cn_v3((float)speed, 0.0f, 0.0f); // along the belt, which lies turned
        add_body(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), turn_about(cn_v3(0.0f, 1.0f, 0.0f), turn), &shape);
        shape = solid_def(cn_box(0.5f, 0.2f, 0.5f), (float)mu, 0.0f);
        cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.2, 0.0), &shape);
        advance(world, 120);
        cn_vec3 v = cn_body_get_linear_velocity(world, box);
        assert_near(v.x, speed * cos(turn), 1e-3);
        assert_near(v.z, -speed * sin(turn), 1e-3);
        cn_pos3 end = cn_body_get_center(world, box);
        assert_relative(hypot(end.x, end.z), speed * 2.0 - speed * speed / (2.0 * mu * g), 0.01);
        cn_world_destroy(world);
    }
}

// A box on a box: what the lower one's belt does to the upper one, it does to the lower one the other way round.
static void a_belt_on_a_body_pushes_back(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        cn_world *world = open_model(model);
        add_ground(world, 0.0f, 0.0f);
        cn_shape_def shape = solid_def(cn_box(2.0f, 0.2f, 2.0f), 0.5f, 0.0f);
        shape.material.surface_velocity = cn_v3(1.0f, 0.0f, 0.0f);
        cn_body_id lower = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.2, 0.0), &shape);
        shape = solid_def(cn_box(0.3f, 0.2f, 0.3f), 0.5f, 0.0f);
        cn_body_id upper = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.6, 0.0), &shape);
        advance(world, 60);
        double relative =
            (double)cn_body_get_linear_velocity(world, upper).x - (double)cn_body_get_linear_velocity(world, lower).x;
        assert_near(relative, 1.0, 1e-3);
        cn_energy energy = cn_world_get_energy(world);
        assert_near(energy.linear_momentum[0], 0.0, 1e-4 * energy.mass);
        cn_world_destroy(world);
    }
}

// ---- locks

// A game in the xy plane: bodies that collide, tumble and pile up never leave it.
static void a_plane_is_never_left(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    FOR_EACH_MODEL(model)
    {
        cn_world *world = open_model(model);
        add_ground(world, 0.6f, 0.0f);
        cn_body_id bodies[COUNT];
        for (int i = 0; i < COUNT; i++) {
            cn_geometry forms[3] = { cn_box(0.5f, 0.3f, 0.4f), cn_sphere(0.4f), cn_capsule(0.3f, 0.3f) };
            cn_shape_def shape = solid_def(forms[i % 3], 0.6f, 0.2f);
            shape.offset.position.z = 0.05f * (float)(i % 5 - 2); // touch each other off the plane
            bodies[i] = add_body(world, CN_DYNAMIC, cn_p3(0.3 * (i % 4), 1.0 + 1.1 * i, 0.0),
                                 turn_about(cn_v3(0.0f, 0.0f, 1.0f), 0.37 * i), &shape);
            assert_true(cn_body_set_locks(world, bodies[i], CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y));
        }
        double start[COUNT];
        for (int i = 0; i < COUNT; i++)
            start[i] = cn_body_get_center(world, bodies[i]).z;
        advance(world, 300);
        double turned = 0.0;
        for (int i = 0; i < COUNT; i++) {
            cn_transform t = cn_body_get_transform(world, bodies[i]);
            assert_near(cn_body_get_center(world, bodies[i]).z, start[i], 1e-6);
            assert_near(t.rotation.x, 0.0, 1e-6);
            assert_near(t.rotation.y, 0.0, 1e-6);
            if (!(t.position.y > 0.2 && fabs(t.position.x) < 90.0))
                fail_msg("body %d is at (%g, %g)", i, t.position.x, t.position.y);
            turned += fabs((double)t.rotation.z - sin(0.5 * 0.37 * i));
        }
        assert_true(turned > 0.1); // they do turn about z
        cn_world_destroy(world);
    }
}

static void a_locked_box_stands_like_a_wall(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        cn_world *world = open_model(model);
        add_ground(world, 0.6f, 0.0f);
        cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
        cn_body_id wall = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0), &shape);
        cn_body_id hanging = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 3.0, 5.0), &shape);
        assert_true(cn_body_set_locks(
            world, wall, CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y | CN_LOCK_ANGULAR_Z));
        assert_true(cn_body_set_locks(world, hanging, CN_LOCK_LINEAR_Y | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Z));
        cn_body_id ram = add_upright(world, CN_DYNAMIC, cn_p3(-3.0, 0.5, 0.2), &shape);
        set_motion(world, ram, cn_v3(8.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
        cn_body_id rider = add_upright(world, CN_DYNAMIC, cn_p3(0.1, 4.2, 5.0), &shape);
        advance(world, 120);
        cn_transform t = cn_body_get_transform(world, wall);
        assert_near(t.position.x, 0.0, 1e-6);
        assert_near(t.position.z, 0.0, 1e-6);
        assert_near(t.position.y, 0.5, 0.01);
        assert_near(fabs((double)t.rotation.w), 1.0, 1e-6);
        assert_below(cn_body_get_center(world, ram).x, -0.99);
        assert_near(cn_body_get_center(world, hanging).y, 3.0, 1e-6);
        assert_near(cn_body_get_center(world, rider).y, 4.0, 0.01);
        cn_world_destroy(world);
    }
}

// A body that can only turn about the vertical cannot answer to a push from below; rounding in the normal must not make it look
// as if it could, by a huge impulse.
static void what_cannot_move_gets_no_impulse(void **state)
{
    (void)state;
    FOR_EACH_MODEL(model)
    {
        cn_world *world = open_model(model);
        cn_shape_def slab = solid_def(cn_box(10.0f, 1.0f, 10.0f), 0.6f, 0.0f), ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f);
        add_body(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), (cn_quat){ 1e-8f, 0.0f, -0.5e-8f, 1.0f }, &slab);
        ball.offset.position = cn_v3(-0.3f, 0.0f, -0.2f);
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.1, 0.4999, 0.2), &ball);
        cn_mass mass = { 3.0f, { 0.0f, 0.0f, 0.0f }, { 1.0f, 1.5f, 2.0f, 0.0f, 0.0f, 0.0f } };
        assert_true(cn_body_set_mass(world, body, mass));
        assert_true(cn_body_set_locks(
            world, body, CN_LOCK_LINEAR_X | CN_LOCK_LINEAR_Y | CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Z));
        for (int i = 0; i < 60; i++) {
            advance(world, 1);
            cn_contact_data contact;
            assert_int_equal(cn_body_get_contacts(world, body, &contact, 1), 1);
            assert_below(contact.points[0].normal_impulse, 10.0); // the weight gives half a newton second
        }
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_between_both_angles_slides_only_when_pushed),
        cmocka_unit_test(a_sliding_box_stops_and_never_turns_back),
        cmocka_unit_test(friction_is_the_same_in_all_directions),
        cmocka_unit_test(rolling_resistance_brakes_a_ball),
        cmocka_unit_test(spinning_resistance_stops_a_top),
        cmocka_unit_test(a_spinning_box_is_braked_at_its_corners),
        cmocka_unit_test(a_belt_carries_a_box_at_its_speed),
        cmocka_unit_test(a_belt_on_a_body_pushes_back),
        cmocka_unit_test(a_plane_is_never_left),
        cmocka_unit_test(a_locked_box_stands_like_a_wall),
        cmocka_unit_test(what_cannot_move_gets_no_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
