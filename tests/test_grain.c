// Friction with a grain: an ellipse in the tangent plane, against what maximum dissipation says of it.
#include "scene.h"

#include <string.h>

static const double mu = 0.5, gravity = 10.0;

typedef struct setup {
    float factor;
    const char *solver;
    cn_friction_model friction;
    cn_simd simd;
} setup;

static cn_world *open_setup(const setup *s, cn_vec3 pull)
{
    cn_world_def def = restless();
    def.gravity = pull;
    def.solver = s->solver;
    def.friction_model = s->friction;
    def.simd = s->simd;
    return open_world(&def);
}

// A plate that cannot turn, at rest on the ground, with a grain along its x axis.
static cn_body_id add_plate(cn_world *world, double x, float factor)
{
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.1f, 0.5f), (float)mu, 0.0f);
    shape.material.grain = cn_v3(2.0f, 0.0f, 0.0f); // of any length
    shape.material.grain_friction = factor;
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(x, 0.1, 0.0), &shape);
    assert_true(cn_body_set_locks(world, body, CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y | CN_LOCK_ANGULAR_Z));
    return body;
}

// The force of the ellipse { A y : |y| <= 1 } that takes the most energy out of a velocity: -A A'v / |A'v|.
static void slide_exactly(double v[2], double factor, double time)
{
    const int pieces = 20000;
    double h = time / pieces;
    for (int i = 0; i < pieces; i++) {
        double middle[2] = { v[0], v[1] };
        for (int stage = 0; stage < 2; stage++) {
            double length = hypot(factor * middle[0], middle[1]), part = stage == 0 ? 0.5 * h : h;
            double rate[2] = { -mu * gravity * factor * factor * middle[0] / length, -mu * gravity * middle[1] / length };
            double *to = stage == 0 ? middle : v;
            to[0] = v[0] + part * rate[0];
            to[1] = v[1] + part * rate[1];
        }
    }
}

static double heading_error(const setup *s, int heading)
{
    cn_world *world = open_setup(s, cn_v3(0.0f, (float)-gravity, 0.0f));
    add_ground(world, (float)mu, 0.0f);
    cn_body_id plate = add_plate(world, 0.0, s->factor);
    advance(world, 10);
    double angle = 2.0 * 3.14159265358979 * (heading + 0.3) / 16.0, start[2] = { 4.0 * cos(angle), 4.0 * sin(angle) };
    set_motion(world, plate, cn_v3((float)start[0], 0.0f, (float)start[1]), cn_v3(0.0f, 0.0f, 0.0f));
    const int steps = 24;
    advance(world, steps);
    cn_vec3 v = cn_body_get_linear_velocity(world, plate);
    double exact[2] = { start[0], start[1] };
    slide_exactly(exact, (double)s->factor, steps * (double)tick);
    double lost = hypot(exact[0] - start[0], exact[1] - start[1]);
    cn_world_destroy(world);
    return hypot((double)v.x - exact[0], (double)v.z - exact[1]) / lost;
}

static void sliding_takes_the_most_energy_out(void **state)
{
    (void)state;
    const setup setups[] = {
        { 0.3f, "soft_step", CN_FRICTION_PATCH, CN_SIMD_AUTO }, { 0.3f, "soft_step", CN_FRICTION_CONE, CN_SIMD_AUTO },
        { 1.8f, "soft_step", CN_FRICTION_PATCH, CN_SIMD_AUTO }, { 0.3f, "pgs", CN_FRICTION_PATCH, CN_SIMD_AUTO },
        { 0.3f, "newton", CN_FRICTION_PATCH, CN_SIMD_AUTO },
    };
    for (int i = 0; i < (int)(sizeof setups / sizeof *setups); i++) {
        double worst = 0.0;
        for (int heading = 0; heading < 16; heading++)
            worst = fmax(worst, heading_error(&setups[i], heading));
        printf("%s, %s, factor %g: worst of 16 headings %.3f %%\n", setups[i].solver,
               setups[i].friction == CN_FRICTION_CONE ? "cone" : "patch", (double)setups[i].factor, 100.0 * worst);
        assert_below(worst, 0.01);
    }
}

// How far a plate gets in a second on a slope whose fall line is at an angle to the grain; gravity leans instead of the ground.
static double slip(const setup *s, double tangent, bool along)
{
    float down = (float)(gravity / sqrt(1.0 + tangent * tangent)), side = (float)(tangent * (double)down);
    cn_world *world = open_setup(s, along ? cn_v3(side, -down, 0.0f) : cn_v3(0.0f, -down, side));
    add_ground(world, (float)mu, 0.0f);
    cn_body_id plate = add_plate(world, 0.0, s->factor);
    advance(world, 60);
    cn_pos3 start = cn_body_get_center(world, plate);
    advance(world, 60);
    double far = position_distance(start, cn_body_get_center(world, plate));
    cn_world_destroy(world);
    return far;
}

static void a_skate_holds_across_and_slides_along(void **state)
{
    (void)state;
    for (int cone = 0; cone < 2; cone++) {
        const float factors[] = { 0.2f, 2.0f };
        for (int i = 0; i < 2; i++) {
            setup s = { factors[i], "soft_step", cone ? CN_FRICTION_CONE : CN_FRICTION_PATCH, CN_SIMD_AUTO };
            double limits[2] = { mu, mu * (double)s.factor };
            for (int along = 0; along < 2; along++) {
                assert_below(slip(&s, 0.995 * limits[along], along), 1e-3);
                assert_true(slip(&s, 1.005 * limits[along], along) > 5e-3);
            }
        }
        setup ice = { 0.0f, "soft_step", cone ? CN_FRICTION_CONE : CN_FRICTION_PATCH, CN_SIMD_AUTO };
        assert_below(slip(&ice, 0.995 * mu, false), 1e-3);
        double tangent = 0.05, pull = gravity * tangent / sqrt(1.0 + tangent * tangent);
        assert_relative(slip(&ice, tangent, true), pull * 1.5, 0.01); // the second second of falling freely
    }
}

// ---- what counts as a grain

static double stopping_distance(cn_vec3 grain_a, float factor_a, cn_vec3 grain_b, float factor_b)
{
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_shape_def ground = solid_def(cn_box(50.0f, 1.0f, 50.0f), (float)mu, 0.0f), box = ground;
    ground.material.grain = grain_a;
    ground.material.grain_friction = factor_a;
    add_upright(world, CN_STATIC, cn_p3(0.0, -1.0, 0.0), &ground);
    box.geometry = cn_box(0.5f, 0.1f, 0.5f);
    box.material.grain = grain_b;
    box.material.grain_friction = factor_b;
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.1, 0.0), &box);
    advance(world, 10);
    set_motion(world, body, cn_v3(2.0f, 0.0f, 0.0f), cn_v3(0.0f, 0.0f, 0.0f));
    advance(world, 240);
    double x = cn_body_get_center(world, body).x;
    cn_world_destroy(world);
    return x;
}

static void the_smaller_factor_counts(void **state)
{
    (void)state;
    const cn_vec3 x = { 1.0f, 0.0f, 0.0f }, y = { 0.0f, 1.0f, 0.0f }, z = { 0.0f, 0.0f, 1.0f }, none = { 0.0f, 0.0f, 0.0f };
    double plain = 4.0 / (2.0 * mu * gravity);                               // v^2 / (2 mu g)
    assert_relative(stopping_distance(none, 0.1f, none, 0.2f), plain, 0.02); // no direction, no grain
    assert_relative(stopping_distance(x, 0.5f, none, 1.0f), plain / 0.5, 0.02);
    assert_relative(stopping_distance(none, 1.0f, x, 0.5f), plain / 0.5, 0.02);
    assert_relative(stopping_distance(x, 2.0f, x, 0.5f), plain / 0.5, 0.02);
    assert_relative(stopping_distance(x, 0.5f, z, 0.8f), plain / 0.5, 0.02);
    assert_relative(stopping_distance(y, 0.1f, none, 1.0f), plain, 0.02); // it stands on the surface
}

static void bad_grains_are_refused(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL);
    const float factors[] = { -0.1f, 10.5f, NAN, INFINITY };
    for (int i = 0; i < 4; i++) {
        cn_shape_def shape = solid_def(cn_sphere(0.5f), 0.5f, 0.0f);
        shape.material.grain_friction = factors[i];
        assert_true(CN_IS_NULL(cn_shape_create(world, body, &shape)));
        assert_non_null(strstr(cn_last_error(), "grain_friction"));
        shape.material.grain_friction = 1.0f;
        shape.material.grain.y = i == 2 ? NAN : 1e30f;
        assert_true(CN_IS_NULL(cn_shape_create(world, body, &shape)));
        assert_non_null(strstr(cn_last_error(), "grain"));
    }
    cn_world_destroy(world);
}

// ---- bits

enum { PLATES = 8 };

// Eight plates that slide side by side, of which one may have a grain.
static void slide_together(const setup *s, bool grain, cn_transform transforms[PLATES])
{
    cn_world *world = open_setup(s, cn_v3(0.0f, (float)-gravity, 0.0f));
    add_ground(world, (float)mu, 0.0f);
    cn_body_id plates[PLATES];
    for (int i = 0; i < PLATES; i++) {
        plates[i] = add_plate(world, 3.0 * i, grain && i == 3 ? s->factor : 1.0f);
        cn_body_set_locks(world, plates[i], 0);
        set_motion(world, plates[i], cn_v3(0.7f, 0.0f, 1.0f + 0.3f * (float)i), cn_v3(0.0f, 0.4f * (float)i, 0.0f));
    }
    advance(world, 40);
    for (int i = 0; i < PLATES; i++)
        transforms[i] = cn_body_get_transform(world, plates[i]);
    cn_world_destroy(world);
}

static void a_grain_is_nobody_elses_business(void **state)
{
    (void)state;
    for (int cone = 0; cone < 2; cone++) {
        setup s = { 0.3f, "soft_step", cone ? CN_FRICTION_CONE : CN_FRICTION_PATCH, CN_SIMD_AUTO };
        cn_transform plain[PLATES], grained[PLATES], narrow[PLATES];
        slide_together(&s, false, plain);
        slide_together(&s, true, grained);
        s.simd = CN_SIMD_BASE;
        slide_together(&s, true, narrow);
        for (int i = 0; i < PLATES; i++)
            assert_int_equal(memcmp(&plain[i], &grained[i], sizeof plain[i]) == 0, i != 3);
        assert_memory_equal(grained, narrow, sizeof narrow);
    }
}

// A plate with a grain that spins in place: torque of friction over its points.
static void turning_feels_the_grain(void **state)
{
    (void)state;
    double left[2];
    for (int grain = 0; grain < 2; grain++) {
        setup s = { grain ? 0.0f : 1.0f, "soft_step", CN_FRICTION_PATCH, CN_SIMD_AUTO };
        cn_world *world = open_setup(&s, cn_v3(0.0f, (float)-gravity, 0.0f));
        add_ground(world, (float)mu, 0.0f);
        cn_body_id plate = add_plate(world, 0.0, s.factor);
        cn_body_set_locks(world, plate, 0);
        advance(world, 10);
        set_motion(world, plate, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.0f, 20.0f, 0.0f));
        advance(world, 6);
        left[grain] = 20.0 - (double)cn_body_get_angular_velocity(world, plate).y;
        cn_world_destroy(world);
    }
    // The corners of a square turn at 45 degrees to the grain at first: the part across it is 1 / sqrt(2).
    assert_in_range((int)(100.0 * left[1] / left[0]), 50, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_takes_the_most_energy_out), cmocka_unit_test(a_skate_holds_across_and_slides_along),
        cmocka_unit_test(the_smaller_factor_counts),         cmocka_unit_test(bad_grains_are_refused),
        cmocka_unit_test(a_grain_is_nobody_elses_business),  cmocka_unit_test(turning_feels_the_grain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
