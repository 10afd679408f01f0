// Tapered capsules: mass against numeric integration, equal radii against the capsule, one ball in the other against the
// sphere, what is refused, and how they rest and roll.
#include "collide/collide.h"
#include "random_shapes.h"
#include "scene.h"
#include "shape/taper.h"

#include <string.h>

static cn_convex taper(float h, float bottom, float top)
{
    return (cn_convex){ .type = CN_TAPERED_CAPSULE, .radius = bottom, .top_radius = top, .half_height = h };
}

// ---- mass

// Slices across the axis, as wide as the widest ball that reaches there.
static cn_mass integrate(double h, double bottom, double top, double density)
{
    enum { SLICES = 2000, BALLS = 2000 };
    const double pi = 3.14159265358979323846;
    double low = fmin(-h - bottom, h - top), high = fmax(-h + bottom, h + top), step = (high - low) / SLICES;
    double mass = 0.0, moment = 0.0, square = 0.0, disc = 0.0;
    for (int i = 0; i < SLICES; i++) {
        double y = low + (i + 0.5) * step, widest = 0.0;
        for (int k = 0; k <= BALLS; k++) {
            double share = (double)k / BALLS, r = bottom + share * (top - bottom), away = y - (2.0 * share - 1.0) * h;
            widest = fmax(widest, r * r - away * away);
        }
        mass += widest;
        moment += widest * y;
        square += widest * y * y;
        disc += widest * widest;
    }
    double scale = density * pi * step, center = moment / mass;
    double across = scale * (0.25 * disc + square - moment * center), along = scale * 0.5 * disc;
    return (cn_mass){ (float)(scale * mass),
                      { 0.0f, (float)center, 0.0f },
                      { (float)across, (float)along, (float)across, 0.0f, 0.0f, 0.0f } };
}

static void assert_same_mass(cn_mass m, cn_mass expected, double tolerance)
{
    assert_relative(m.mass, expected.mass, tolerance);
    assert_near(m.center.y, expected.center.y, tolerance);
    assert_relative(m.inertia.xx, expected.inertia.xx, tolerance);
    assert_relative(m.inertia.yy, expected.inertia.yy, tolerance);
    assert_relative(m.inertia.zz, expected.inertia.zz, tolerance);
    assert_true(m.center.x == 0.0f && m.center.z == 0.0f);
    assert_true(m.inertia.xy == 0.0f && m.inertia.xz == 0.0f && m.inertia.yz == 0.0f);
}

static void mass_is_that_of_the_integral(void **state)
{
    (void)state;
    rng r = { 3 };
    for (int i = 0; i < 40; i++) {
        float h = rng_range(&r, 0.05f, 1.0f), bottom = rng_range(&r, 0.02f, 1.0f), top = rng_range(&r, 0.02f, 1.0f);
        assert_same_mass(cn_mass_tapered_capsule(h, bottom, top, 700.0f),
                         integrate((double)h, (double)bottom, (double)top, 700.0), 2e-5);
    }
}

static void mass_meets_capsule_and_sphere(void **state)
{
    (void)state;
    rng r = { 4 };
    for (int i = 0; i < 1000; i++) {
        float h = rng_range(&r, 0.0f, 2.0f), radius = rng_range(&r, 0.1f, 2.0f);
        assert_same_mass(cn_mass_tapered_capsule(h, radius, radius, 3.0f), cn_mass_capsule(h, radius, 3.0f), 1e-6);
        float inside = rng_range(&r, 0.01f, 1.0f) * radius, half = rng_range(&r, 0.0f, 0.499f) * (radius - inside);
        cn_mass ball = cn_mass_sphere(radius, 3.0f);
        ball.center.y = half;
        assert_same_mass(cn_mass_tapered_capsule(half, inside, radius, 3.0f), ball, 1e-6);
        ball.center.y = -half;
        assert_same_mass(cn_mass_tapered_capsule(half, radius, inside, 3.0f), ball, 1e-6);
    }
    // At the border of containing one another nothing jumps.
    assert_same_mass(cn_mass_tapered_capsule(0.2501f, 0.5f, 1.0f, 1.0f), cn_mass_tapered_capsule(0.2499f, 0.5f, 1.0f, 1.0f),
                     1e-3);
}

// ---- equal radii, and one ball in the other

// The same contact as that of another solid with the same surface, up to rounding.
static void assert_same_contact(const cn_convex *a, const cn_convex *b, const cn_convex *same, cn_vec3 shift, rng *r)
{
    float reach = cn_convex_outer_radius(a, cn_v3(0.0f, 0.0f, 0.0f)) + cn_convex_outer_radius(b, cn_v3(0.0f, 0.0f, 0.0f));
    float margin = 0.1f * reach;
    cn_pose pose = random_pose(r, rng_range(r, 0.3f, 1.0f) * reach);
    cn_pose moved = { cn_pose_point(pose, shift), pose.rotation };
    cn_pair_cache cache = { 0 }, other_cache = { 0 };
    cn_manifold m, other;
    cn_collide(a, b, pose, margin, &cache, &m);
    cn_collide(a, same, moved, margin, &other_cache, &other);
    float deepest = margin, other_deepest = margin;
    for (int i = 0; i < m.count; i++)
        deepest = cn_minf(deepest, m.points[i].separation);
    for (int i = 0; i < other.count; i++)
        other_deepest = cn_minf(other_deepest, other.points[i].separation);
    assert_near(deepest, other_deepest, 2e-5f * reach);
    // Where several directions part them equally well, either answer is right.
    if (m.count > 0 && other.count > 0 && other_deepest > 0.0f)
        assert_near(cn_dot(m.normal, other.normal), 1.0, 1e-4);
}

static void equal_radii_are_a_capsule(void **state)
{
    (void)state;
    test_hulls hulls = make_hulls();
    rng r = { 5 };
    for (int i = 0; i < 6000; i++) {
        cn_convex a = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 1.0f, &hulls);
        cn_convex capsule = random_shape(&r, CN_CAPSULE, 1.0f, &hulls);
        cn_convex equal = taper(capsule.half_height, capsule.radius, capsule.radius);
        assert_same_contact(&a, &equal, &capsule, cn_v3(0.0f, 0.0f, 0.0f), &r);
    }
    free_hulls(&hulls);
}

static void a_ball_that_contains_the_other_is_a_sphere(void **state)
{
    (void)state;
    test_hulls hulls = make_hulls();
    rng r = { 6 };
    for (int i = 0; i < 6000; i++) {
        cn_convex a = random_shape(&r, (cn_shape_type)(i % CN_SOLID_TYPE_COUNT), 1.0f, &hulls);
        cn_convex sphere = random_shape(&r, CN_SPHERE, 1.0f, &hulls);
        float inside = rng_range(&r, 0.1f, 0.9f) * sphere.radius, h = rng_range(&r, 0.0f, 0.499f) * (sphere.radius - inside);
        cn_convex ball = i % 2 ? taper(h, inside, sphere.radius) : taper(h, sphere.radius, inside);
        assert_near(cn_convex_inner_radius(&ball), sphere.radius, 0.0);
        assert_same_contact(&a, &ball, &sphere, cn_v3(0.0f, i % 2 ? h : -h, 0.0f), &r);
    }
    free_hulls(&hulls);
}

// ---- bodies

static void a_cone_lies_on_its_side(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    const float h = 0.5f, bottom = 0.3f, top = 0.1f;
    cn_shape_def shape = solid_def(cn_tapered_capsule(h, bottom, top), 0.6f, 0.0f);
    shape.material.rolling_resistance = 0.005f;
    cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, 0.6, 0.0), turn_about(cn_v3(0.0f, 0.0f, 1.0f), 1.5707963), &shape);
    advance(world, 600);
    assert_false(cn_body_is_awake(world, body));
    // Both balls touch the ground: the axis climbs from the top, which is the thin end.
    cn_transform t = cn_body_get_transform(world, body);
    cn_vec3 axis = cn_rotate(t.rotation, cn_v3(0.0f, 1.0f, 0.0f));
    assert_near(axis.y, -(bottom - top) / (2.0f * h), 2e-3);
    assert_near(t.position.y, 0.5f * (bottom + top), 2e-3);
    cn_contact_data contact;
    assert_int_equal(cn_body_get_contacts(world, body, &contact, 1), 1);
    assert_int_equal(contact.point_count, 2);
    // The points carry the weight where statics says: about the centre of mass.
    cn_vec3 center = cn_pos_sub(cn_body_get_center(world, body), t.position);
    double arms[2], loads[2];
    for (int i = 0; i < 2; i++) {
        cn_vec3 arm = cn_sub(cn_pos_sub(contact.points[i].position, t.position), center);
        arms[i] = (double)cn_dot(arm, cn_v3(axis.x, 0.0f, axis.z));
        loads[i] = (double)contact.points[i].normal_impulse;
    }
    assert_relative(loads[0] + loads[1],
                    (double)cn_body_get_mass(world, body).mass * -(double)cn_world_get_gravity(world).y / 60.0, 0.01);
    assert_near((loads[0] * arms[0] + loads[1] * arms[1]) / (loads[0] + loads[1]), 0.0, 0.02);
    cn_world_destroy(world);
}

static void everything_rests_on_everything(void **state)
{
    (void)state;
    test_hulls hulls = make_hulls();
    const cn_geometry others[] = { cn_sphere(0.3f),
                                   cn_capsule(0.3f, 0.2f),
                                   cn_box(0.3f, 0.2f, 0.25f),
                                   cn_cylinder(0.3f, 0.25f),
                                   cn_tapered_capsule(0.3f, 0.3f, 0.1f),
                                   cn_tapered_capsule(0.1f, 0.3f, 0.05f) };
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    add_ground(world, 0.8f, 0.0f);
    rng r = { 9 };
    cn_body_id bodies[96];
    for (int i = 0; i < 96; i++) {
        cn_shape_def shape = solid_def(others[i % 6], 0.8f, 0.0f);
        shape.material.rolling_resistance = 0.02f;
        shape.material.spinning_resistance = 0.02f;
        cn_pos3 place = { 0.7 * (i % 4), 0.6 + 0.8 * (double)(i / 16), 0.7 * (i / 4 % 4) };
        bodies[i] = add_body(world, CN_DYNAMIC, place, rng_quat(&r), &shape);
    }
    cn_step_report report = advance(world, 600);
    assert_below(report.max_penetration, 0.01);
    assert_int_equal(report.awake_bodies, 0);
    for (int i = 0; i < 96; i++)
        assert_true(cn_body_get_center(world, bodies[i]).y > 0.02);
    cn_world_destroy(world);
    free_hulls(&hulls);
}

// ---- the public functions

static void geometry_comes_back_as_given(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    const float sizes[3][3] = { { 0.5f, 0.2f, 0.3f }, { 0.5f, 0.2f, 0.2f }, { 0.1f, 0.2f, 0.9f } };
    for (int i = 0; i < 3; i++) {
        cn_shape_def shape = solid_def(cn_tapered_capsule(sizes[i][0], sizes[i][1], sizes[i][2]), 0.5f, 0.0f);
        cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape);
        cn_shape_id id;
        assert_int_equal(cn_body_get_shapes(world, body, &id, 1), 1);
        cn_geometry g = cn_shape_get_geometry(world, id);
        assert_true(g.type == CN_TAPERED_CAPSULE && g.half_height == sizes[i][0] && g.radius == sizes[i][1] &&
                    g.top_radius == sizes[i][2]);
        cn_bounds box = cn_shape_get_bounds(world, id);
        assert_near(box.upper.y, (double)fmaxf(sizes[i][0] + sizes[i][2], sizes[i][1] - sizes[i][0]), 1e-6);
        assert_near(box.lower.y, (double)-fmaxf(sizes[i][0] + sizes[i][1], sizes[i][2] - sizes[i][0]), 1e-6);
        cn_mass mass = cn_body_get_mass(world, body);
        assert_near(mass.center.y, cn_mass_tapered_capsule(sizes[i][0], sizes[i][1], sizes[i][2], 1.0f).center.y, 1e-6);
    }
    cn_compound_part part = { .geometry = cn_tapered_capsule(0.5f, 0.2f, 0.3f), .offset = CN_POSE_IDENTITY };
    cn_compound *compound = cn_compound_create(&part, 1, NULL);
    assert_non_null(compound);
    assert_true(cn_compound_get_geometry(compound, 0).top_radius == 0.3f);
    cn_compound_destroy(compound);
    cn_world_destroy(world);
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL);
    const struct {
        float half_height, bottom, top;
        const char *word;
    } bad[] = { { NAN, 1.0f, 1.0f, "half_height" },      { -1.0f, 1.0f, 1.0f, "half_height" },
                { 1.0f, 0.0f, 1.0f, "geometry.radius" }, { 1.0f, 1.0f, 0.0f, "top_radius" },
                { 1.0f, 1.0f, INFINITY, "top_radius" },  { 1.0f, 1.0f, 1e7f, "top_radius" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cn_shape_def shape = solid_def(cn_tapered_capsule(bad[i].half_height, bad[i].bottom, bad[i].top), 0.5f, 0.0f);
        assert_true(CN_IS_NULL(cn_shape_create(world, body, &shape)));
        assert_non_null(strstr(cn_last_error(), "cn_shape_create: def.geometry"));
        assert_non_null(strstr(cn_last_error(), bad[i].word));
        if (bad[i].top < 1e6f) {
            assert_true(cn_mass_tapered_capsule(bad[i].half_height, bad[i].bottom, bad[i].top, 1.0f).mass == 0.0f);
            assert_non_null(strstr(cn_last_error(), "cn_mass_tapered_capsule: "));
        }
    }
    assert_true(cn_mass_tapered_capsule(1.0f, 1.0f, 1.0f, -1.0f).mass == 0.0f);
    assert_non_null(strstr(cn_last_error(), "density"));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_is_that_of_the_integral),
        cmocka_unit_test(mass_meets_capsule_and_sphere),
        cmocka_unit_test(equal_radii_are_a_capsule),
        cmocka_unit_test(a_ball_that_contains_the_other_is_a_sphere),
        cmocka_unit_test(a_cone_lies_on_its_side),
        cmocka_unit_test(everything_rests_on_everything),
        cmocka_unit_test(geometry_comes_back_as_given),
        cmocka_unit_test(bad_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
