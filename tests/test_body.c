// Bodies against closed forms: mass of composites, forces and impulses in free space, damping, locks, kinematic motion.
#include "cairn/cairn.h"
#include "math/vec.h"
#include "world/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const float step = 1.0f / 60.0f;

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
}

static void assert_vec(cn_vec3 v, double x, double y, double z, double tolerance)
{
    assert_near((double)v.x, x, tolerance);
    assert_near((double)v.y, y, tolerance);
    assert_near((double)v.z, z, tolerance);
}

static void assert_pos(cn_pos3 p, double x, double y, double z, double tolerance)
{
    assert_near(p.x, x, tolerance);
    assert_near(p.y, y, tolerance);
    assert_near(p.z, z, tolerance);
}

static cn_world *free_space(void)
{
    cn_world_def def = cn_world_def_default();
    def.gravity = (cn_vec3){ 0.0f, 0.0f, 0.0f };
    cn_world *world = cn_world_create(&def);
    if (world == NULL)
        fail_msg("%s", cn_last_error());
    return world;
}

static cn_body_id add_body(cn_world *world, cn_body_type type, cn_pos3 position)
{
    cn_body_def def = cn_body_def_default();
    def.type = type;
    def.position = position;
    cn_body_id body = cn_body_create(world, &def);
    if (CN_IS_NULL(body))
        fail_msg("%s", cn_last_error());
    return body;
}

static cn_shape_id add_shape(cn_world *world, cn_body_id body, cn_geometry geometry, cn_vec3 offset, float density)
{
    cn_shape_def def = cn_shape_def_default();
    def.geometry = geometry;
    def.offset.position = offset;
    def.density = density;
    cn_shape_id shape = cn_shape_create(world, body, &def);
    if (CN_IS_NULL(shape))
        fail_msg("%s", cn_last_error());
    return shape;
}

static cn_body_id add_box(cn_world *world, cn_body_type type, cn_pos3 position)
{
    cn_body_id body = add_body(world, type, position);
    add_shape(world, body, cn_box(0.5f, 0.5f, 0.5f), cn_v3(0.0f, 0.0f, 0.0f), 12.0f); // 12 kg, 2 kg m^2
    return body;
}

static cn_step_report advance(cn_world *world)
{
    cn_step_report report = cn_world_step(world, step);
    if (!report.ok)
        fail_msg("%s", cn_last_error());
    return report;
}

static cn_transform at(double x, double y, double z, cn_quat rotation) { return (cn_transform){ { x, y, z }, rotation }; }

// ---- mass

static void two_cubes_balance_where_they_should(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_def def = cn_body_def_default();
    def.position = cn_p3(10.0, 20.0, 30.0);
    def.rotation = cn_quat_exp(cn_v3(0.0f, 0.0f, 0.5f * CN_PI)); // local x is world y
    cn_body_id body = cn_body_create(world, &def);
    cn_shape_id light = add_shape(world, body, cn_box(0.5f, 0.5f, 0.5f), cn_v3(-1.0f, 0.0f, 0.0f), 1.0f);
    assert_vec(cn_body_get_mass(world, body).center, -1.0, 0.0, 0.0, 1e-7);
    cn_shape_id heavy = add_shape(world, body, cn_box(0.5f, 0.5f, 0.5f), cn_v3(1.0f, 0.0f, 0.0f), 3.0f);

    // 1 kg at -1 and 3 kg at 1: centre at 0.5; each cube has m/6 about its own centre, and m d^2 across.
    cn_mass mass = cn_body_get_mass(world, body);
    assert_near((double)mass.mass, 4.0, 1e-6);
    assert_vec(mass.center, 0.5, 0.0, 0.0, 1e-6);
    double own = 4.0 / 6.0, shifted = own + 1.0 * 1.5 * 1.5 + 3.0 * 0.5 * 0.5;
    assert_near((double)mass.inertia.xx, own, 1e-6);
    assert_near((double)mass.inertia.yy, shifted, 1e-5);
    assert_near((double)mass.inertia.zz, shifted, 1e-5);
    assert_pos(cn_body_get_transform(world, body).position, 10.0, 20.0, 30.0, 1e-6);
    assert_pos(cn_body_get_center(world, body), 10.0, 20.5, 30.0, 1e-6);

    cn_bounds bounds = cn_shape_get_bounds(world, heavy);
    assert_pos(bounds.lower, 9.5, 20.5, 29.5, 1e-6);
    assert_pos(bounds.upper, 10.5, 21.5, 30.5, 1e-6);

    cn_shape_id both[3];
    assert_int_equal(cn_body_get_shapes(world, body, both, 3), 2);
    assert_true(CN_ID_EQUALS(both[0], light) && CN_ID_EQUALS(both[1], heavy));
    assert_true(cn_shape_destroy(world, light));
    assert_int_equal(cn_body_get_shape_count(world, body), 1);
    assert_vec(cn_body_get_mass(world, body).center, 1.0, 0.0, 0.0, 1e-6);
    assert_pos(cn_body_get_transform(world, body).position, 10.0, 20.0, 30.0, 1e-6);
    cn_world_destroy(world);
}

static void a_new_centre_of_mass_keeps_the_motion(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    cn_body_set_linear_velocity(world, body, cn_v3(1.0f, 0.0f, 0.0f));
    cn_body_set_angular_velocity(world, body, cn_v3(0.0f, 0.0f, 2.0f));
    add_shape(world, body, cn_box(0.5f, 0.5f, 0.5f), cn_v3(2.0f, 0.0f, 0.0f), 12.0f);
    // The centre moved 1 m along x; that point of the turning body already moved with w x r = (0, 2, 0).
    assert_vec(cn_body_get_linear_velocity(world, body), 1.0, 2.0, 0.0, 1e-5);
    assert_pos(cn_body_get_center(world, body), 1.0, 0.0, 0.0, 1e-6);
    cn_world_destroy(world);
}

static void mass_can_be_set_and_reset(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id bare = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    assert_near((double)cn_body_get_mass(world, bare).mass, 1.0, 0.0);
    assert_near((double)cn_body_get_mass(world, bare).inertia.xx, 0.4, 1e-7);

    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(5.0, 0.0, 0.0));
    assert_near((double)cn_body_get_mass(world, body).mass, 12.0, 1e-5);
    cn_mass mass = { 7.0f, { 0.0f, 0.25f, 0.0f }, { 1.0f, 2.0f, 2.5f, 0.0f, 0.0f, 0.0f } };
    assert_true(cn_body_set_mass(world, body, mass));
    cn_mass now = cn_body_get_mass(world, body);
    assert_near((double)now.mass, 7.0, 0.0);
    assert_near((double)now.inertia.yy, 2.0, 0.0);
    assert_pos(cn_body_get_center(world, body), 5.0, 0.25, 0.0, 1e-7);
    assert_pos(cn_body_get_transform(world, body).position, 5.0, 0.0, 0.0, 1e-7);
    assert_true(cn_body_reset_mass(world, body));
    assert_near((double)cn_body_get_mass(world, body).mass, 12.0, 1e-5);
    assert_pos(cn_body_get_center(world, body), 5.0, 0.0, 0.0, 1e-7);

    assert_true(cn_body_set_mass(world, body, mass));
    add_shape(world, body, cn_sphere(0.1f), cn_v3(0.0f, 0.0f, 0.0f), 0.0f); // weightless, and ends the override
    assert_near((double)cn_body_get_mass(world, body).mass, 12.0, 1e-5);
    cn_world_destroy(world);
}

static void types_change_mass_and_motion(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    add_shape(world, body, cn_box(0.5f, 0.5f, 0.5f), cn_v3(1.0f, 0.0f, 0.0f), 12.0f);
    cn_body_set_linear_velocity(world, body, cn_v3(1.0f, 0.0f, 0.0f));
    assert_true(cn_body_set_type(world, body, CN_STATIC));
    assert_int_equal(cn_body_get_type(world, body), CN_STATIC);
    assert_near((double)cn_body_get_mass(world, body).mass, 0.0, 0.0);
    assert_vec(cn_body_get_linear_velocity(world, body), 0.0, 0.0, 0.0, 0.0);
    assert_false(cn_body_is_awake(world, body));
    assert_int_equal(world->static_tree.leaf_count, 1);
    assert_int_equal(world->moving_tree.leaf_count, 0);
    advance(world);
    assert_pos(cn_body_get_transform(world, body).position, 0.0, 0.0, 0.0, 1e-7);

    assert_true(cn_body_set_type(world, body, CN_DYNAMIC));
    assert_near((double)cn_body_get_mass(world, body).mass, 12.0, 1e-5);
    assert_pos(cn_body_get_center(world, body), 1.0, 0.0, 0.0, 1e-7);
    assert_true(cn_body_is_awake(world, body));
    assert_int_equal(world->moving_tree.leaf_count, 1);
    cn_world_destroy(world);
}

// ---- forces and impulses

// From rest, in one step; free bodies follow the parabola exactly.
static double displacement(double a) { return 0.5 * a * (double)step * (double)step; }

static void a_force_accelerates_for_one_step(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    assert_true(cn_body_apply_force(world, body, cn_v3(720.0f, 0.0f, 0.0f)));
    assert_true(cn_body_apply_force(world, body, cn_v3(0.0f, -1440.0f, 0.0f)));
    advance(world);
    assert_vec(cn_body_get_linear_velocity(world, body), 1.0, -2.0, 0.0, 1e-5);
    cn_pos3 p = cn_body_get_transform(world, body).position;
    assert_pos(p, displacement(60.0), -displacement(120.0), 0.0, 1e-6);
    advance(world); // the force is gone
    assert_vec(cn_body_get_linear_velocity(world, body), 1.0, -2.0, 0.0, 1e-5);
    cn_world_destroy(world);
}

static void a_force_off_centre_turns(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id pushed = add_box(world, CN_DYNAMIC, cn_p3(1000.0, 0.0, 0.0));
    cn_body_id twisted = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    // 12 N at 0.5 m: 6 N m on 2 kg m^2
    assert_true(cn_body_apply_force_at(world, pushed, cn_v3(0.0f, 12.0f, 0.0f), cn_p3(1000.5, 0.0, 0.0)));
    assert_true(cn_body_apply_torque(world, twisted, cn_v3(0.0f, 6.0f, 0.0f)));
    advance(world);
    assert_vec(cn_body_get_linear_velocity(world, pushed), 0.0, 1.0 / 60.0, 0.0, 1e-6);
    assert_vec(cn_body_get_angular_velocity(world, pushed), 0.0, 0.0, 3.0 / 60.0, 1e-6);
    assert_vec(cn_body_get_linear_velocity(world, twisted), 0.0, 0.0, 0.0, 0.0);
    assert_vec(cn_body_get_angular_velocity(world, twisted), 0.0, 3.0 / 60.0, 0.0, 1e-6);
    cn_world_destroy(world);
}

static void an_impulse_acts_at_once(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    assert_true(cn_body_apply_impulse(world, body, cn_v3(24.0f, 0.0f, 0.0f)));
    assert_vec(cn_body_get_linear_velocity(world, body), 2.0, 0.0, 0.0, 1e-6);
    assert_true(cn_body_apply_impulse_at(world, body, cn_v3(0.0f, 0.0f, 12.0f), cn_p3(0.5, 0.0, 0.0)));
    assert_vec(cn_body_get_linear_velocity(world, body), 2.0, 0.0, 1.0, 1e-6);
    assert_vec(cn_body_get_angular_velocity(world, body), 0.0, -3.0, 0.0, 1e-5);
    assert_true(cn_body_apply_angular_impulse(world, body, cn_v3(0.0f, 6.0f, 2.0f)));
    assert_vec(cn_body_get_angular_velocity(world, body), 0.0, 0.0, 1.0, 1e-5);
    cn_energy energy = cn_world_get_energy(world);
    assert_near(energy.kinetic, 0.5 * 12.0 * 5.0 + 0.5 * 2.0, 1e-4);
    assert_near(energy.linear_momentum[0], 24.0, 1e-4);
    assert_near(energy.angular_momentum[2], 2.0, 1e-4);
    cn_world_destroy(world);
}

static void energy_counts_height_and_orbit(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_world_set_gravity(world, cn_v3(0.0f, -10.0f, 0.0f));
    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(3.0, 5.0, 0.0));
    cn_body_set_linear_velocity(world, body, cn_v3(0.0f, 0.0f, 2.0f));
    cn_energy energy = cn_world_get_energy(world);
    assert_near(energy.mass, 12.0, 1e-5);
    assert_near(energy.potential, 12.0 * 10.0 * 5.0, 1e-3);
    assert_near(energy.angular_momentum[0], 12.0 * 5.0 * 2.0, 1e-3);
    assert_near(energy.angular_momentum[1], -12.0 * 3.0 * 2.0, 1e-3);
    cn_world_destroy(world);
}

// ---- damping, gravity, locks

static void damping_decays_exponentially(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    cn_body_set_linear_damping(world, body, 0.5f);
    cn_body_set_angular_damping(world, body, 1.0f);
    cn_body_set_linear_velocity(world, body, cn_v3(1.0f, 0.0f, 0.0f));
    cn_body_set_angular_velocity(world, body, cn_v3(0.0f, 1.0f, 0.0f));
    for (int i = 0; i < 60; i++)
        advance(world);
    // First order in the substep: a relative error of at most c^2 t h / 2 of the whole step.
    assert_near((double)cn_body_get_linear_velocity(world, body).x, exp(-0.5), 0.003);
    assert_near((double)cn_body_get_angular_velocity(world, body).y, exp(-1.0), 0.005);
    cn_world_destroy(world);
}

static void gravity_is_scaled_per_body(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_world_set_gravity(world, cn_v3(0.0f, -10.0f, 0.0f));
    const float scales[3] = { 1.0f, 0.0f, -0.5f };
    cn_body_id bodies[3];
    for (int i = 0; i < 3; i++) {
        bodies[i] = add_box(world, CN_DYNAMIC, cn_p3(10.0 * i, 0.0, 0.0));
        assert_true(cn_body_set_gravity_scale(world, bodies[i], scales[i]));
    }
    for (int i = 0; i < 30; i++)
        advance(world);
    for (int i = 0; i < 3; i++)
        assert_vec(cn_body_get_linear_velocity(world, bodies[i]), 0.0, -5.0 * (double)scales[i], 0.0, 1e-5);
    cn_world_destroy(world);
}

static void locked_axes_do_not_move(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_world_set_gravity(world, cn_v3(0.0f, -10.0f, 0.0f));
    cn_body_id body = add_box(world, CN_DYNAMIC, cn_p3(0.0, 3.0, 0.0));
    cn_body_set_linear_velocity(world, body, cn_v3(1.0f, 1.0f, 1.0f));
    cn_body_set_angular_velocity(world, body, cn_v3(1.0f, 1.0f, 1.0f));
    assert_true(cn_body_set_locks(world, body, CN_LOCK_LINEAR_Y | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Z));
    assert_vec(cn_body_get_linear_velocity(world, body), 1.0, 0.0, 1.0, 0.0);
    assert_vec(cn_body_get_angular_velocity(world, body), 0.0, 1.0, 0.0, 0.0);
    cn_body_apply_angular_impulse(world, body, cn_v3(2.0f, 2.0f, 2.0f));
    cn_body_apply_impulse(world, body, cn_v3(0.0f, 12.0f, 0.0f));
    assert_vec(cn_body_get_angular_velocity(world, body), 0.0, 2.0, 0.0, 1e-5);
    cn_body_apply_force_at(world, body, cn_v3(0.0f, 100.0f, 0.0f), cn_p3(1.0, 3.0, 1.0));
    for (int i = 0; i < 30; i++)
        advance(world);
    assert_near(cn_body_get_transform(world, body).position.y, 3.0, 0.0);
    assert_vec(cn_body_get_linear_velocity(world, body), 1.0, 0.0, 1.0, 1e-5);
    assert_vec(cn_body_get_angular_velocity(world, body), 0.0, 2.0, 0.0, 1e-4);
    cn_world_destroy(world);
}

// ---- kinematic motion

static void the_logarithm_undoes_the_exponential(void **state)
{
    (void)state;
    for (int i = 0; i <= 200; i++) {
        float angle = 0.0157f * (float)i; // up to 3.14
        cn_vec3 axis = cn_normalize(cn_v3(1.0f, -2.0f, 0.5f * (float)(i % 7)));
        cn_vec3 turn = cn_scale(angle, axis);
        cn_quat q = cn_quat_exp(turn);
        cn_vec3 back = cn_quat_log(q);
        assert_vec(back, (double)turn.x, (double)turn.y, (double)turn.z, 2e-6);
        back = cn_quat_log((cn_quat){ -q.x, -q.y, -q.z, -q.w }); // the same rotation
        assert_vec(back, (double)turn.x, (double)turn.y, (double)turn.z, 2e-6);
    }
    assert_vec(cn_quat_log(cn_quat_identity()), 0.0, 0.0, 0.0, 0.0);
    assert_vec(cn_quat_log((cn_quat){ 1e-20f, 0.0f, 0.0f, 1.0f }), 2e-20, 0.0, 0.0, 1e-26);
    assert_near((double)cn_quat_log((cn_quat){ 0.0f, 1.0f, 0.0f, 0.0f }).y, 3.14159265358979, 1e-6);
}

static void a_kinematic_body_reaches_its_target(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_body(world, CN_KINEMATIC, cn_p3(1.0, 2.0, 3.0));
    add_shape(world, body, cn_box(0.5f, 0.5f, 0.5f), cn_v3(0.7f, 0.0f, 0.0f), 1.0f);
    cn_quat rotation = cn_quat_exp(cn_v3(0.3f, -0.8f, 0.2f));
    assert_true(cn_body_move_kinematic(world, body, at(1.5, 1.0, 3.25, rotation), step));
    advance(world);
    cn_transform t = cn_body_get_transform(world, body);
    assert_pos(t.position, 1.5, 1.0, 3.25, 1e-6);
    float alignment =
        t.rotation.x * rotation.x + t.rotation.y * rotation.y + t.rotation.z * rotation.z + t.rotation.w * rotation.w;
    assert_near(fabs((double)alignment), 1.0, 1e-6);
    cn_vec3 apart = cn_quat_log(cn_quat_mul(rotation, cn_quat_conj(t.rotation)));
    assert_vec(apart, 0.0, 0.0, 0.0, 1e-5);

    assert_true(cn_body_move_kinematic(world, body, at(1.5, 1.0, 3.25, rotation), step));
    assert_vec(cn_body_get_linear_velocity(world, body), 0.0, 0.0, 0.0, 1e-4);
    cn_world_destroy(world);
}

static void a_teleported_body_is_where_it_was_put(void **state)
{
    (void)state;
    cn_world *world = free_space();
    cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0));
    cn_shape_id shape = add_shape(world, body, cn_sphere(0.5f), cn_v3(0.0f, 2.0f, 0.0f), 1.0f);
    cn_quat twice = { 0.0f, 0.0f, 2.0f, 0.0f }; // half a turn about z, and not normalised
    assert_true(cn_body_set_transform(world, body, at(1e6, -7.0, 2.0, twice)));
    assert_pos(cn_body_get_transform(world, body).position, 1e6, -7.0, 2.0, 1e-6);
    assert_pos(cn_body_get_center(world, body), 1e6, -9.0, 2.0, 1e-6);
    cn_bounds bounds = cn_shape_get_bounds(world, shape);
    assert_pos(bounds.lower, 1e6 - 0.5, -9.5, 1.5, 1e-6);
    cn_world_destroy(world);
}

// ---- boxes far from the origin

static void the_box_in_the_tree_contains_the_shape(void **state)
{
    (void)state;
    cn_world *world = free_space();
    add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0)); // the boxes are relative to a place near the first body
    for (int i = 0; i < 50; i++) {
        // Float has a spacing of 6 cm at 1,000 km.
        double far = 1e6 + 0.0137 * i;
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(far, -far, 0.31 * i));
        cn_shape_id id = add_shape(world, body, cn_sphere(0.01f), cn_v3(0.0f, 0.0f, 0.0f), 1.0f);
        cn_box3 box = cn_shape_box(world, cn_find_shape(world, __func__, id), 0.0f);
        cn_bounds tight = cn_shape_get_bounds(world, id);
        assert_true((double)box.lower.x <= tight.lower.x && (double)box.upper.x >= tight.upper.x);
        assert_true((double)box.lower.y <= tight.lower.y && (double)box.upper.y >= tight.upper.y);
        assert_true((double)box.lower.z <= tight.lower.z && (double)box.upper.z >= tight.upper.z);
        assert_true((double)box.upper.x - (double)box.lower.x <= 0.02 + 2 * 0.0625);
        assert_true((double)box.upper.z - (double)box.lower.z <= 0.02 + 1e-5);
    }
    cn_world_destroy(world);
}

static void a_world_far_away_has_the_same_boxes(void **state)
{
    (void)state;
    cn_box3 boxes[2];
    for (int i = 0; i < 2; i++) {
        double x = i == 0 ? 0.3 : 1024000.3;
        cn_world *world = free_space();
        cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(x, 2.0, -x));
        cn_shape_id id = add_shape(world, body, cn_sphere(0.01f), cn_v3(0.0f, 0.0f, 0.0f), 1.0f);
        boxes[i] = cn_shape_box(world, cn_find_shape(world, __func__, id), 0.0f);
        cn_world_destroy(world);
    }
    assert_float_equal(boxes[0].lower.x, boxes[1].lower.x, 1e-7f);
    assert_float_equal(boxes[0].upper.z, boxes[1].upper.z, 1e-7f);
}

// ---- contacts as the user sees them

static void contacts_carry_the_weight_and_the_push(void **state)
{
    (void)state;
    for (int model = 0; model < CN_FRICTION_MODEL_COUNT; model++) {
        cn_world_def def = cn_world_def_default();
        def.friction_model = (cn_friction_model)model;
        def.sleeping = false;
        cn_world *world = cn_world_create(&def);
        cn_body_id ground = add_body(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0));
        add_shape(world, ground, cn_box(10.0f, 1.0f, 10.0f), cn_v3(0.0f, 0.0f, 0.0f), 1.0f);
        cn_body_id box = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 0.0));
        for (int i = 0; i < 60; i++) {
            cn_body_apply_force(world, box, cn_v3(30.0f, 0.0f, 0.0f)); // friction holds up to 72 N
            advance(world);
        }
        cn_contact_data data[4];
        assert_int_equal(cn_body_get_contacts(world, box, data, 4), 1);
        assert_int_equal(cn_body_get_contacts(world, ground, NULL, 0), 1);
        bool box_is_b = CN_ID_EQUALS(cn_shape_get_body(world, data[0].shape_b), box);
        double up = box_is_b ? 1.0 : -1.0, normal = 0.0, friction[3] = { 0.0, 0.0, 0.0 };
        assert_vec(data[0].normal, 0.0, up, 0.0, 1e-3);
        assert_int_equal(data[0].point_count, 4);
        for (int i = 0; i < 4; i++) {
            normal += (double)data[0].points[i].normal_impulse;
            friction[0] += up * (double)data[0].points[i].friction_impulse.x;
            friction[1] += up * (double)data[0].points[i].friction_impulse.y;
            friction[2] += up * (double)data[0].points[i].friction_impulse.z;
            assert_near(data[0].points[i].position.y, 0.0, 0.01);
            assert_true(fabs((double)data[0].points[i].separation) < 0.01);
        }
        assert_near(normal, 120.0 / 60.0, 0.02);
        assert_near(friction[0], -30.0 / 60.0, 0.02);
        assert_near(friction[2], 0.0, 0.01);
        assert_true(cn_world_get_max_penetration(world) < 0.01);
        cn_world_destroy(world);
    }
}

// Two towers of five side by side: two islands, ten contacts, and within a colour no box is pushed twice.
static void a_world_tells_its_contacts_and_islands(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = cn_world_create(&def);
    cn_body_id ground = add_body(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0));
    add_shape(world, ground, cn_box(10.0f, 1.0f, 10.0f), cn_v3(0.0f, 0.0f, 0.0f), 1.0f);
    for (int i = 0; i < 10; i++)
        add_box(world, CN_DYNAMIC, cn_p3(3.0 * (i / 5), 0.5 + i % 5, 0.0));
    advance(world);

    cn_contact_data contacts[16];
    assert_int_equal(cn_world_get_contacts(world, NULL, 0), 10);
    assert_int_equal(cn_world_get_contacts(world, contacts, 16), 10);
    uint32_t pushed[8] = { 0 }; // per colour, a bit for each body
    for (int i = 0; i < 10; i++) {
        assert_in_range(contacts[i].color, 0, 7);
        cn_body_id sides[2] = { cn_shape_get_body(world, contacts[i].shape_a), cn_shape_get_body(world, contacts[i].shape_b) };
        for (int k = 0; k < 2; k++) {
            if (CN_ID_EQUALS(sides[k], ground))
                continue;
            assert_int_equal(pushed[contacts[i].color] >> sides[k].index1 & 1, 0);
            pushed[contacts[i].color] |= 1u << sides[k].index1;
        }
    }
    int islands[11];
    assert_int_equal(cn_world_get_islands(world, NULL, 0), 11);
    assert_int_equal(cn_world_get_islands(world, islands, 11), 11);
    assert_int_equal(islands[0], -1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(islands[1 + i], i / 5);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cubes_balance_where_they_should),
        cmocka_unit_test(a_new_centre_of_mass_keeps_the_motion),
        cmocka_unit_test(mass_can_be_set_and_reset),
        cmocka_unit_test(types_change_mass_and_motion),
        cmocka_unit_test(a_force_accelerates_for_one_step),
        cmocka_unit_test(a_force_off_centre_turns),
        cmocka_unit_test(an_impulse_acts_at_once),
        cmocka_unit_test(energy_counts_height_and_orbit),
        cmocka_unit_test(damping_decays_exponentially),
        cmocka_unit_test(gravity_is_scaled_per_body),
        cmocka_unit_test(locked_axes_do_not_move),
        cmocka_unit_test(the_logarithm_undoes_the_exponential),
        cmocka_unit_test(a_kinematic_body_reaches_its_target),
        cmocka_unit_test(a_teleported_body_is_where_it_was_put),
        cmocka_unit_test(the_box_in_the_tree_contains_the_shape),
        cmocka_unit_test(a_world_far_away_has_the_same_boxes),
        cmocka_unit_test(contacts_carry_the_weight_and_the_push),
        cmocka_unit_test(a_world_tells_its_contacts_and_islands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
