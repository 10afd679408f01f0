// What leaves the range of numbers: it is refused where it comes in; what is lost all the same is caught, named in the report,
// and does not last.
#include "random_shapes.h"
#include "scene.h"
#include "world/lost.h"

#include <stdio.h>
#include <string.h>

static void must_be_finite(const cn_world *world)
{
    if (!cn_world_is_finite(world))
        fail_msg("%s", cn_last_error());
}

static int step_and_check(cn_world *world, int steps)
{
    int lost = 0;
    for (int i = 0; i < steps; i++) {
        lost += advance(world, 1).lost;
        must_be_finite(world);
    }
    return lost;
}

typedef struct log_note {
    int errors;
    char first[64]; // the beginning of the first one
} log_note;

static void note_error(void *context, cn_log_level level, const char *message)
{
    log_note *note = context;
    if (note->errors == 0)
        snprintf(note->first, sizeof note->first, "%.63s", message);
    note->errors += level == CN_LOG_ERROR;
}

static cn_body_id add_box(cn_world *world, double x, double y, float half)
{
    cn_shape_def shape = solid_def(cn_box(half, half, half), 0.6f, 0.0f);
    return add_upright(world, CN_DYNAMIC, cn_p3(x, y, 0.0), &shape);
}

static void must_move(cn_world *world, cn_body_id body)
{
    cn_pos3 before = cn_body_get_center(world, body);
    float mass = cn_body_get_mass(world, body).mass;
    assert_true(cn_body_apply_impulse(world, body, cn_v3(0.0f, 3.0f * mass, 0.0f)));
    advance(world, 6);
    assert_true(cn_body_get_center(world, body).y > before.y + 0.05);
}

// ---- the net

// A number that is not finite gets into what is carried over: one step stops the bodies, the next is as if nothing had been.
static void what_is_lost_comes_back(void **state)
{
    (void)state;
    for (int joined = 0; joined < 2; joined++) {
        cn_world_def def = restless();
        log_note note = { 0 };
        char name[32];
        def.log = note_error;
        def.log_context = &note;
        cn_world *world = open_world(&def);
        add_ground(world, 0.6f, 0.0f);
        cn_body_id a = add_box(world, 0.0, 0.5, 0.5f), b = add_box(world, 0.0, 1.5, 0.5f), far = add_box(world, 9.0, 0.5, 0.5f);
        cn_joint_def ball = cn_ball_joint(world, a, b, cn_p3(0.0, 1.0, 0.0));
        if (joined)
            cn_joint_create(world, &ball);
        assert_int_equal(advance(world, 30).lost, 0);
        if (joined)
            world->joints.data[0].view.force[0][1] = NAN;
        else
            for (int i = 0; i < world->contacts.count; i++)
                world->contacts.data[i].touch.patch.force[0] =
                    world->contacts.data[i].body_b == 2 || world->contacts.data[i].body_a == 2 ? INFINITY : 0.0f;
        cn_step_report report = advance(world, 1);
        must_be_finite(world);
        assert_int_equal(report.lost, 2);
        assert_true(CN_ID_EQUALS(report.lost_body, a));
        assert_int_equal(note.errors, 2);
        snprintf(name, sizeof name, "body %u: ", a.index1); // as in every other sentence about it
        assert_memory_equal(note.first, name, strlen(name));
        assert_int_equal(step_and_check(world, 60), 0);
        assert_near(cn_body_get_center(world, b).y, 1.5, 0.01);
        assert_near(cn_body_get_center(world, far).y, 0.5, 0.01);
        must_move(world, b);
        cn_world_destroy(world);
    }
}

// ---- steps

static void steps_have_bounds(void **state)
{
    (void)state;
    static const float wrong[] = { 0.0f, -1.0f, 1e-45f, 1e-38f, 1e-25f, 0.9e-6f, 1.01f, 3e38f, INFINITY, NAN };
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_body_id box = add_box(world, 0.0, 0.5, 0.5f);
    advance(world, 20);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(cn_world_step(world, wrong[i]).ok);
        assert_non_null(strstr(cn_last_error(), "cn_world_step: dt"));
    }
    static const float right[] = { CN_MIN_DT, CN_MAX_DT, 1e-4f, CN_MIN_DT };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(advance_by(world, 10, right[i]).lost, 0);
        must_be_finite(world);
    }
    assert_near(cn_body_get_center(world, box).y, 0.5, 0.1);
    must_move(world, box);
    cn_world_destroy(world);
}

// ---- sizes, masses, forces

// What is accepted has to stand.
static void masses_have_bounds(void **state)
{
    (void)state;
    cn_world_def def = restless();
    for (int heavy = 0; heavy < 2; heavy++) {
        cn_world *world = open_world(&def);
        float half = heavy ? 4.9e3f : 1e-6f; // 0.94e15 kg and 8e-15 kg
        cn_shape_def shape = solid_def(cn_box(half, half, half), 0.6f, 0.0f),
                     ground = solid_def(cn_box(10.0f * half, half, 10.0f * half), 0.6f, 0.0f);
        add_upright(world, CN_STATIC, cn_p3(0.0, -(double)half, 0.0), &ground);
        cn_world_set_gravity(world, cn_v3(0.0f, -10.0f * half, 0.0f));
        cn_body_id boxes[3];
        for (int i = 0; i < 3; i++)
            boxes[i] = add_upright(world, CN_DYNAMIC, cn_p3(0.0, (double)half * (1.0 + 2.0 * i), 0.0), &shape);
        assert_int_equal(step_and_check(world, 120), 0);
        assert_near(cn_body_get_center(world, boxes[2]).y / (double)half, 5.0, 0.01);
        cn_world_destroy(world);
    }
    cn_world *world = open_world(&def);
    cn_shape_def shape = solid_def(cn_box(3.16e5f, 3.16e5f, 3.16e5f), 0.6f, 0.0f);
    cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), NULL);
    assert_true(CN_IS_NULL(cn_shape_create(world, body, &shape)));
    assert_non_null(strstr(cn_last_error(), "kg; it must be between"));
    cn_mass thin = { 1.0f, { 0.0f, 0.0f, 0.0f }, { 1.0f, 1e-20f, 1.0f, 0.0f, 0.0f, 0.0f } };
    assert_false(cn_body_set_mass(world, body, thin));
    assert_non_null(strstr(cn_last_error(), "principal moments"));
    thin.inertia.yy = 0.9e-10f;
    assert_false(cn_body_set_mass(world, body, thin));
    assert_non_null(strstr(cn_last_error(), "times another"));
    thin.inertia.yy = 1.1e-10f;
    assert_true(cn_body_set_mass(world, body, thin));
    cn_body_id ground = add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &shape); // nothing asks for its mass
    assert_false(cn_body_set_type(world, ground, CN_DYNAMIC));
    assert_non_null(strstr(cn_last_error(), "kg; it must be between"));
    shape.density = 1e-4f; // as large, and light enough
    assert_false(CN_IS_NULL(cn_shape_create(world, body, &shape)));
    cn_world_destroy(world);
}

// Forces of one step add up to what is refused, and not beyond.
static void forces_do_not_add_up_to_infinity(void **state)
{
    (void)state;
    cn_world_def def = weightless();
    cn_world *world = open_world(&def);
    cn_body_id body = add_box(world, 0.0, 0.0, 0.5f);
    int refused = 0;
    for (int i = 0; i < 100; i++) {
        refused += !cn_body_apply_force(world, body, cn_v3(3e12f, 0.0f, 0.0f));
        refused += !cn_body_apply_torque(world, body, cn_v3(0.0f, 3e11f, 0.0f));
        refused += !cn_body_apply_impulse(world, body, cn_v3(3e10f, 0.0f, 0.0f));
        refused += !cn_body_apply_force(world, body, cn_v3(3e38f, 3e38f, 0.0f));
    }
    assert_in_range(refused, 100, 399);
    assert_int_equal(step_and_check(world, 2), 0);
    cn_world_destroy(world);
}

// ---- speeds

// A box on a ball joint at any speed that is accepted: its rotation stays one.
static void spins_on_a_joint(void **state)
{
    (void)state;
    static const char *const solvers[] = { "pgs", "nncg", "soft_step", "mass_split" };
    for (int s = 0; s < 4; s++) {
        for (float spin = 1e3f; spin < 1.1e8f; spin *= 10.0f) {
            cn_world_def def = cn_world_def_default();
            def.solver = solvers[s];
            cn_world *world = open_world(&def);
            cn_shape_def shape = solid_def(cn_box(1.0f, 0.5f, 0.25f), 0.6f, 0.0f),
                         ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f);
            cn_body_id body = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape);
            cn_body_id hit = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 3.0, 0.0), &ball);
            cn_joint_def joint = cn_ball_joint(world, body, (cn_body_id){ 0 }, cn_p3(0.0, 2.0, 0.0));
            cn_joint_create(world, &joint);
            set_motion(world, body, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(0.9f * spin, 0.45f * spin, 0.0f));
            int lost = step_and_check(world, 10);
            assert_true(s > 1 || lost == 0);
            assert_int_equal(step_and_check(world, 50), 0);
            assert_true(cn_body_is_valid(world, hit));
            cn_world_destroy(world);
        }
    }
}

// A spinning pair falls on a pile. Afterwards everything answers.
static void a_pile_survives(void **state)
{
    (void)state;
    enum { BOXES = 200 };
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id boxes[BOXES];
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    for (int i = 0; i < BOXES; i++)
        boxes[i] = add_upright(world, CN_DYNAMIC, cn_p3(i % 5 * 1.05, 0.5 + i / 25 * 1.3, i / 5 % 5 * 1.05), &shape);
    advance(world, 60);
    cn_body_id low = add_upright(world, CN_DYNAMIC, cn_p3(2.1, 4.5, 2.1), &shape);
    cn_body_id high = add_upright(world, CN_DYNAMIC, cn_p3(2.1, 5.7, 2.1), &shape);
    cn_joint_def joint = cn_ball_joint(world, low, high, cn_p3(2.1, 5.1, 2.1));
    cn_joint_create(world, &joint);
    set_motion(world, high, cn_v3(0.0f, 0.0f, 0.0f), cn_v3(5e4f, 3e4f, 0.0f));
    step_and_check(world, 120);
    cn_pos3 before[BOXES];
    for (int i = 0; i < BOXES; i++) {
        before[i] = cn_body_get_center(world, boxes[i]);
        assert_true(cn_body_apply_impulse(world, boxes[i], cn_v3(0.0f, 3000.0f, 0.0f)));
    }
    assert_int_equal(step_and_check(world, 6), 0);
    for (int i = 0; i < BOXES; i++)
        assert_true(position_distance(before[i], cn_body_get_center(world, boxes[i])) > 0.0);
    cn_world_destroy(world);
}

// A blow to a hand, however hard: the doll moves on.
static void a_ragdoll_survives(void **state)
{
    (void)state;
    for (float blow = 64.0f; blow < 3000.0f; blow *= 2.0f) {
        cn_world_def def = cn_world_def_default();
        cn_world *world = open_world(&def);
        add_ground(world, 0.6f, 0.0f);
        cn_ragdoll_def doll = cn_ragdoll_def_default();
        doll.position.y = 0.02;
        cn_ragdoll r;
        assert_true(cn_ragdoll_create(world, &doll, &r));
        advance(world, 30);
        cn_pos3 at = cn_body_get_center(world, r.bodies[CN_BONE_LEFT_HAND]);
        at.z += 0.1;
        assert_true(cn_body_apply_impulse_at(world, r.bodies[CN_BONE_LEFT_HAND], cn_v3(blow, 0.5f * blow, 0.0f), at));
        step_and_check(world, 30);
        assert_int_equal(step_and_check(world, 60), 0);
        assert_true(cn_body_apply_impulse(world, r.bodies[CN_BONE_PELVIS], cn_v3(60.0f, 0.0f, 0.0f)));
        double before = cn_body_get_center(world, r.bodies[CN_BONE_PELVIS]).x;
        assert_int_equal(step_and_check(world, 10), 0);
        assert_true(fabs(cn_body_get_center(world, r.bodies[CN_BONE_PELVIS]).x - before) > 1e-3);
        cn_world_destroy(world);
    }
}

// A speck in something as large as a mountain: forces act on the speck, not half a mountain away from it.
static void specks_in_mountains(void **state)
{
    (void)state;
    rng r = { 71 };
    for (int i = 0; i < 60; i++) {
        cn_world_def def = cn_world_def_default();
        def.friction_model = i % 2 ? CN_FRICTION_CONE : CN_FRICTION_PATCH;
        cn_world *world = open_world(&def);
        float large = powf(10.0f, rng_range(&r, 2.0f, 6.0f)), small = powf(10.0f, rng_range(&r, -6.0f, -4.0f));
        cn_shape_def mountain = solid_def(i % 3 == 0 ? cn_box(large, large, large) : cn_sphere(large), 0.6f, 0.0f);
        cn_shape_def speck = solid_def(i % 4 < 2 ? cn_sphere(small) : cn_box(small, small, small), 0.6f, 0.0f);
        add_upright(world, CN_STATIC, cn_p3(0.0, 0.0, 0.0), &mountain);
        cn_vec3 place = rng_vec(&r, 10.0f * small), velocity = rng_vec(&r, 3.0f), spin = rng_vec(&r, 3.0f);
        cn_body_id body =
            add_body(world, CN_DYNAMIC, cn_p3((double)place.x, (double)place.y, (double)place.z), rng_quat(&r), &speck);
        cn_mass mass = cn_body_get_mass(world, body);
        mass.mass = 1e-16f;
        mass.inertia = (cn_sym3){ 1e-29f, 1e-29f, 1e-29f, 0.0f, 0.0f, 0.0f };
        assert_true(cn_body_set_mass(world, body, mass));
        set_motion(world, body, velocity, spin);
        assert_int_equal(step_and_check(world, 5), 0);
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_lost_comes_back), cmocka_unit_test(steps_have_bounds),
        cmocka_unit_test(masses_have_bounds),      cmocka_unit_test(forces_do_not_add_up_to_infinity),
        cmocka_unit_test(spins_on_a_joint),        cmocka_unit_test(a_pile_survives),
        cmocka_unit_test(a_ragdoll_survives),      cmocka_unit_test(specks_in_mountains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
