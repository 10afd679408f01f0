// Tops and flywheels on joints: bodies that spin fast about an axis that a joint holds, at either end of it.
#include "scene.h"

#define RADIUS 0.1
#define HALF_HEIGHT 0.02
#define ARM 0.2
#define LEAN 0.5

// A disc whose centre is ARM above the point it hangs by, leaning over and spinning about its own axis alone.
typedef struct top {
    cn_world *world;
    cn_body_id body;
    double spin, mass, about, across; // moments about its axis, and across it at the point
} top;

static top open_top(double spin, bool world_is_a)
{
    cn_world_def def = cn_world_def_default();
    cn_shape_def disc = solid_def(cn_cylinder((float)HALF_HEIGHT, (float)RADIUS), 0.0f, 0.0f);
    disc.offset.position.y = (float)ARM;
    top t = { .world = open_world(&def), .spin = spin };
    t.body = add_body(t.world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), turn_about(cn_v3(0.0f, 0.0f, 1.0f), -LEAN), &disc);
    cn_body_id world = { 0 };
    cn_joint_def joint = cn_ball_joint(t.world, world_is_a ? world : t.body, world_is_a ? t.body : world, cn_p3(0.0, 0.0, 0.0));
    if (CN_IS_NULL(cn_joint_create(t.world, &joint)))
        fail_msg("%s", cn_last_error());
    set_motion(t.world, t.body, cn_v3(0.0f, 0.0f, 0.0f), cn_v3((float)(spin * sin(LEAN)), (float)(spin * cos(LEAN)), 0.0f));
    t.mass = (double)cn_body_get_mass(t.world, t.body).mass;
    t.about = 0.5 * t.mass * RADIUS * RADIUS;
    t.across = t.mass * (RADIUS * RADIUS / 4.0 + HALF_HEIGHT * HALF_HEIGHT / 3.0 + ARM * ARM);
    return t;
}

// How far it leans at most in the time, by Lagrange's equation with its two momenta that stay, in steps of a tenth of a millisecond.
static double furthest_lean(const top *t, double gravity, double time)
{
    double h = 1e-4, lean = LEAN, rate = 0.0, most = LEAN, own = t->about * t->spin, upright = own * cos(LEAN);
    for (double now = 0.0; now < time; now += h) {
        double k[4][2];
        for (int i = 0; i < 4; i++) {
            double part = i == 0 ? 0.0 : i == 3 ? h : 0.5 * h;
            double a = lean + (i > 0 ? part * k[i - 1][0] : 0.0), w = rate + (i > 0 ? part * k[i - 1][1] : 0.0);
            double sine = sin(a), turn = (upright - own * cos(a)) / (t->across * sine * sine);
            k[i][0] = w;
            k[i][1] = (turn * turn * sine * cos(a) * t->across - own * turn * sine + t->mass * gravity * ARM * sine) / t->across;
        }
        lean += h / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0]);
        rate += h / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1]);
        most = fmax(most, lean);
    }
    return most;
}

static double energy_of(const cn_world *world)
{
    cn_energy energy = cn_world_get_energy(world);
    return energy.kinetic + energy.potential;
}

static void check_top(double spin, float dt, bool world_is_a)
{
    const double time = 5.0;
    top t = open_top(spin, world_is_a);
    double gravity = -(double)cn_world_get_gravity(t.world).y, expected = furthest_lean(&t, gravity, time), most = 0.0, off = 0.0;
    double start = energy_of(t.world), stake = cn_world_get_energy(t.world).kinetic + 2.0 * t.mass * gravity * ARM;
    for (int step = 0; step < (int)(time / (double)dt); step++) {
        cn_step_report report = cn_world_step(t.world, dt);
        assert_true(report.ok);
        most = fmax(most, acos(cn_body_get_center(t.world, t.body).y / ARM));
        off = fmax(off, fabs(energy_of(t.world) - start));
    }
    print_message("spin %.0f rad/s, dt 1/%.0f, end %c: leans %.4f (%.4f), energy off by %.2g %%\n", spin, 1.0 / (double)dt,
                  world_is_a ? 'b' : 'a', most, expected, 100.0 * off / stake);
    if (fabs(most - expected) > 0.02)
        fail_msg("a top at %.0f rad/s leans by %.4f rad and not by %.4f", spin, most, expected);
    if (off > 0.03 * stake)
        fail_msg("a top at %.0f rad/s is off by %.2g %% in energy", spin, 100.0 * off / stake);
    cn_world_destroy(t.world);
}

static void tops_lean_as_lagrange_says(void **state)
{
    (void)state;
    const double slow[] = { 10.0, 30.0, 100.0, 150.0 }, fast[] = { 10.0, 20.0, 30.0, 100.0, 200.0, 400.0 };
    for (int end = 0; end < 2; end++) {
        for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++)
            check_top(slow[i], 1.0f / 60.0f, end == 0);
        for (size_t i = 0; i < sizeof fast / sizeof fast[0]; i++)
            check_top(fast[i], 1.0f / 240.0f, end == 0);
    }
}

// A wheel on its axle, which gravity pulls down.
static void flywheels_keep_turning(void **state)
{
    (void)state;
    const double spins[] = { 100.0, 300.0, 700.0, 800.0, 1500.0, 4000.0 };
    for (int kind = 0; kind < 4; kind++) // ball or hinge; solved by sweeps, and directly
        // A hinge starts to wobble where its wheel turns one and a half radians in a substep.
        for (int i = 0; i < (kind % 2 ? 3 : 6); i++) {
            cn_world_def def = cn_world_def_default();
            def.joint_solve = kind < 2 ? CN_JOINTS_SWEEP : CN_JOINTS_DIRECT;
            cn_world *world = open_world(&def);
            cn_shape_def wheel = solid_def(cn_cylinder(0.05f, 0.3f), 0.0f, 0.0f);
            cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), turn_about(cn_v3(1.0f, 0.0f, 0.0f), 1.5707963267948966), &wheel);
            cn_joint_def joint = kind % 2 ? cn_hinge_joint(world, (cn_body_id){ 0 }, body, cn_p3(0.0, 0.0, 0.0), cn_v3(0.0f, 0.0f, 1.0f))
                                          : cn_ball_joint(world, (cn_body_id){ 0 }, body, cn_p3(0.0, 0.0, 0.0));
            if (CN_IS_NULL(cn_joint_create(world, &joint)))
                fail_msg("%s", cn_last_error());
            set_motion(world, body, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, (float)spins[i]));
            double start = cn_world_get_energy(world).kinetic;
            advance(world, 300);
            double spin = (double)cn_body_get_angular_velocity(world, body).z, kept = cn_world_get_energy(world).kinetic / start;
            if (fabs(spin - spins[i]) > 1e-3 * spins[i] || fabs(kept - 1.0) > 1e-3)
                fail_msg("kind %d: a wheel at %.0f rad/s turns at %.1f rad/s after 5 s, with %.4f of its energy", kind, spins[i], spin, kept);
            cn_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tops_lean_as_lagrange_says),
        cmocka_unit_test(flywheels_keep_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
