// Every joint with every solver: it runs, it holds, and where it comes to rest does not depend on the solver.
#include "scene.h"

#include <string.h>

enum { MOST_BODIES = 3, MOST_JOINTS = 4 };

typedef struct machine {
    cn_world *world;
    cn_body_id bodies[MOST_BODIES];
    cn_joint_id joints[MOST_JOINTS];
    int body_count, joint_count;
} machine;

static const cn_body_id nobody = { 0 };

static cn_body_id add_part(machine *m, cn_pos3 at)
{
    cn_shape_def shape = solid_def(cn_box(0.2f, 0.1f, 0.15f), 0.5f, 0.0f);
    shape.density = 100.0f;
    cn_body_id body = add_upright(m->world, CN_DYNAMIC, at, &shape);
    cn_body_set_angular_damping(m->world, body, 2.0f);
    return m->bodies[m->body_count++] = body;
}

// Damping of a body takes some of gravity, too, and more so in longer steps: only for what no spring carries.
static cn_body_id add_calm_part(machine *m, cn_pos3 at)
{
    cn_body_id body = add_part(m, at);
    cn_body_set_linear_damping(m->world, body, 2.0f);
    return body;
}

static void add_joint(machine *m, cn_joint_def def)
{
    cn_joint_id joint = cn_joint_create(m->world, &def);
    if (CN_IS_NULL(joint))
        fail_msg("%s", cn_last_error());
    m->joints[m->joint_count++] = joint;
}

// ---- one machine per preset

static const cn_pos3 pivot = { 0.0, 5.0, 0.0 }, beside = { 0.5, 5.0, 0.0 };

static void make_ball(machine *m) { add_joint(m, cn_ball_joint(m->world, nobody, add_calm_part(m, beside), pivot)); }

static void make_cone_twist(machine *m)
{
    cn_vec3 axis = cn_normalize(cn_v3(1.0f, 0.2f, 0.1f));
    add_joint(m, cn_cone_twist_joint(m->world, nobody, add_calm_part(m, beside), pivot, axis, 0.5f, 0.3f));
}

static void make_hinge(machine *m)
{
    cn_joint_def def = cn_hinge_joint(m->world, nobody, add_part(m, beside), pivot, cn_v3(0.0f, 0.1f, 1.0f));
    def.axes[CN_TWIST].freedom = CN_LIMITED;
    def.axes[CN_TWIST].lower = -1.0f;
    def.axes[CN_TWIST].upper = 1.0f;
    add_joint(m, def);
}

static void make_slider(machine *m)
{
    cn_joint_def def = cn_slider_joint(m->world, nobody, add_part(m, beside), beside, cn_v3(0.3f, 1.0f, 0.0f));
    def.axes[CN_X].freedom = CN_LIMITED;
    def.axes[CN_X].lower = -0.4f;
    def.axes[CN_X].upper = 0.4f;
    add_joint(m, def);
}

static void make_cylindrical(machine *m)
{
    cn_joint_def def = cn_cylindrical_joint(m->world, nobody, add_part(m, beside), pivot, cn_v3(0.0f, 1.0f, 0.3f));
    def.axes[CN_X].spring_stiffness = 300.0f;
    def.axes[CN_X].spring_damping = 20.0f;
    def.axes[CN_TWIST].spring_damping = 2.0f;
    add_joint(m, def);
}

static void make_planar(machine *m)
{
    cn_joint_def def = cn_planar_joint(m->world, nobody, add_part(m, beside), beside, cn_v3(0.0f, 1.0f, 0.2f));
    def.axes[CN_Z].freedom = def.axes[CN_Y].freedom = CN_LIMITED;
    def.axes[CN_Z].lower = def.axes[CN_Y].lower = -0.3f;
    def.axes[CN_Z].upper = def.axes[CN_Y].upper = 0.3f;
    add_joint(m, def);
}

static void make_fixed(machine *m)
{
    cn_body_id a = add_part(m, beside), b = add_part(m, cn_p3(1.0, 5.0, 0.0));
    add_joint(m, cn_fixed_joint(m->world, nobody, a, pivot));
    add_joint(m, cn_fixed_joint(m->world, a, b, cn_p3(0.75, 5.0, 0.0)));
}

static void make_distance(machine *m)
{
    add_joint(m, cn_distance_joint(m->world, nobody, add_calm_part(m, beside), pivot, beside));
}

static void make_rope(machine *m)
{
    add_joint(m, cn_rope_joint(m->world, nobody, add_calm_part(m, beside), pivot, cn_p3(0.3, 5.0, 0.0), 0.8f));
}

static void make_spring(machine *m)
{
    add_joint(m, cn_spring_joint(m->world, nobody, add_part(m, beside), cn_p3(0.5, 6.0, 0.0), beside, 200.0f, 10.0f));
}

static void make_wheel(machine *m)
{
    cn_body_id wheel = add_part(m, beside);
    add_joint(m,
              cn_wheel_joint(m->world, nobody, wheel, beside, cn_v3(0.0f, 1.0f, 0.0f), cn_v3(0.0f, 0.0f, 1.0f), 800.0f, 40.0f));
}

static void make_motor(machine *m)
{
    add_joint(m, cn_motor_joint(m->world, nobody, add_part(m, beside), 3.0f, 500.0f, 100.0f));
}

// A lopsided wheel that turns another.
static void make_gear(machine *m)
{
    const cn_vec3 axis = { 0.0f, 0.0f, 1.0f };
    cn_body_id a = add_part(m, cn_p3(-1.0, 5.0, 0.0)), b = add_part(m, cn_p3(1.0, 5.0, 0.0));
    add_joint(m, cn_hinge_joint(m->world, nobody, a, cn_p3(-1.1, 5.0, 0.0), axis));
    add_joint(m, cn_hinge_joint(m->world, nobody, b, cn_p3(1.0, 5.0, 0.0), axis));
    add_joint(m, cn_gear_joint(m->world, a, b, axis, axis, 2.0f));
}

// A rack on a spring that turns its pinion.
static void make_rack(machine *m)
{
    const cn_vec3 axis = { 0.0f, 0.0f, 1.0f }, up = { 0.0f, 1.0f, 0.0f };
    cn_body_id pinion = add_part(m, cn_p3(-1.0, 5.0, 0.0)), rack = add_part(m, cn_p3(1.0, 5.0, 0.0));
    cn_joint_def slider = cn_slider_joint(m->world, nobody, rack, cn_p3(1.0, 5.0, 0.0), up);
    slider.axes[CN_X].spring_stiffness = 300.0f;
    slider.axes[CN_X].spring_damping = 10.0f;
    add_joint(m, cn_hinge_joint(m->world, nobody, pinion, cn_p3(-1.0, 5.0, 0.0), axis));
    add_joint(m, slider);
    add_joint(m, cn_rack_joint(m->world, pinion, rack, axis, up, 0.2f));
}

// The heavier side pulls the lighter one up, until a rope to the floor stops that.
static void make_pulley(machine *m)
{
    const cn_pos3 left = { -1.0, 3.0, 0.0 }, right = { 1.0, 3.0, 0.0 };
    cn_body_id a = add_calm_part(m, left), b = add_calm_part(m, right);
    cn_shape_def more = solid_def(cn_box(0.2f, 0.1f, 0.15f), 0.5f, 0.0f);
    more.density = 100.0f;
    cn_shape_create(m->world, a, &more);
    add_joint(m, cn_pulley_joint(m->world, a, b, left, right, cn_p3(-1.0, 5.0, 0.0), cn_p3(1.0, 5.0, 0.0), 1.0f));
    add_joint(m, cn_rope_joint(m->world, nobody, b, cn_p3(1.0, 2.0, 0.0), right, 1.3f));
}

static const struct {
    const char *name;
    void (*make)(machine *m);
} presets[] = {
    { "ball", make_ball },
    { "cone_twist", make_cone_twist },
    { "hinge", make_hinge },
    { "slider", make_slider },
    { "cylindrical", make_cylindrical },
    { "planar", make_planar },
    { "fixed", make_fixed },
    { "distance", make_distance },
    { "rope", make_rope },
    { "spring", make_spring },
    { "wheel", make_wheel },
    { "motor", make_motor },
    { "gear", make_gear },
    { "rack", make_rack },
    { "pulley", make_pulley },
};
enum { PRESETS = sizeof presets / sizeof *presets };

static machine start(int preset, const char *solver)
{
    cn_world_def def = restless();
    def.solver = solver;
    machine m = { .world = open_world(&def) };
    presets[preset].make(&m);
    return m;
}

static bool is_finite(cn_transform t)
{
    return isfinite(t.position.x) && isfinite(t.position.y) && isfinite(t.position.z) && isfinite(t.rotation.x) &&
           isfinite(t.rotation.y) && isfinite(t.rotation.z) && isfinite(t.rotation.w);
}

// ---- tests

static void test_every_joint_with_every_solver(void **state)
{
    (void)state;
    for (int s = 0; cn_solver_name(s) != NULL; s++) {
        for (int p = 0; p < PRESETS; p++) {
            machine m = start(p, cn_solver_name(s));
            float linear = 0.0f, angular = 0.0f;
            for (int i = 0; i < 120; i++) {
                advance(m.world, 1);
                for (int j = 0; j < m.joint_count; j++) {
                    cn_joint_error error = cn_joint_get_error(m.world, m.joints[j]);
                    linear = fmaxf(linear, error.linear);
                    angular = fmaxf(angular, error.angular);
                }
                for (int b = 0; b < m.body_count; b++)
                    assert_true(is_finite(cn_body_get_transform(m.world, m.bodies[b])));
            }
            if (!(linear < 0.005f && angular < 0.01f))
                fail_msg("%s with %s is off by %g m and %g rad", presets[p].name, cn_solver_name(s), (double)linear,
                         (double)angular);
            cn_world_destroy(m.world);
        }
    }
}

static double apart(cn_transform a, cn_transform b)
{
    double dot = (double)a.rotation.x * (double)b.rotation.x + (double)a.rotation.y * (double)b.rotation.y +
                 (double)a.rotation.z * (double)b.rotation.z + (double)a.rotation.w * (double)b.rotation.w;
    double sign = dot < 0.0 ? -1.0 : 1.0, square = 0.0;
    const double from[7] = { a.position.x,         a.position.y,         a.position.z,        (double)a.rotation.x,
                             (double)a.rotation.y, (double)a.rotation.z, (double)a.rotation.w };
    const double to[7] = { b.position.x,
                           b.position.y,
                           b.position.z,
                           sign * (double)b.rotation.x,
                           sign * (double)b.rotation.y,
                           sign * (double)b.rotation.z,
                           sign * (double)b.rotation.w };
    for (int k = 0; k < 7; k++)
        square += (from[k] - to[k]) * (from[k] - to[k]);
    return sqrt(square);
}

static void test_rest_is_the_same(void **state)
{
    (void)state;
    for (int p = 0; p < PRESETS; p++) {
        machine fast = start(p, "soft_step"), exact = start(p, "newton");
        advance(fast.world, 1200);
        advance(exact.world, 1200);
        for (int b = 0; b < fast.body_count; b++) {
            double error =
                apart(cn_body_get_transform(fast.world, fast.bodies[b]), cn_body_get_transform(exact.world, exact.bodies[b]));
            if (!(error < 1e-3))
                fail_msg("%s: body %d rests %g apart", presets[p].name, b, error);
        }
        cn_world_destroy(fast.world);
        cn_world_destroy(exact.world);
    }
}

// ---- how right a step is

// Parts that hang on each other and swing.
static machine hang_chain(cn_world_def def)
{
    machine m = { .world = open_world(&def) };
    cn_body_id last = nobody;
    for (int i = 0; i < MOST_BODIES; i++) {
        cn_body_id part = add_part(&m, cn_p3(0.25 + 0.5 * i, 5.0, 0.0));
        add_joint(&m, i % 2 == 0 ? cn_hinge_joint(m.world, last, part, cn_p3(0.5 * i, 5.0, 0.0), cn_v3(0.0f, 0.0f, 1.0f))
                                 : cn_ball_joint(m.world, last, part, cn_p3(0.5 * i, 5.0, 0.0)));
        last = part;
    }
    return m;
}

// The problem of a step has the rows of its joints, and what solves it is what the step does.
static void test_captured_problem(void **state)
{
    (void)state;
    cn_world_def def = restless();
    def.solver = "newton";
    machine m = hang_chain(def);
    cn_world_set_capture(m.world, true);
    advance(m.world, 30);
    cn_problem *problem = cn_world_take_problem(m.world);
    assert_non_null(problem);
    assert_int_equal(problem->body_count, 3);
    assert_int_equal(problem->row_count, 5 + 3 + 5);
    double r[13] = { 0.0 }, velocities[3][6];
    assert_true(cn_lab_solve(problem, "body_space", NULL, r).converged);
    cn_problem_velocities(problem, r, velocities);
    for (int b = 0; b < 3; b++) {
        cn_vec3 v = cn_body_get_linear_velocity(m.world, m.bodies[b]);
        assert_near(v.x, velocities[b][0], 1e-4);
        assert_near(v.y, velocities[b][1], 1e-4);
    }
    cn_problem_destroy(problem);
    cn_world_destroy(m.world);
}

// Islands of joints alone are reported; those that miss the tolerance are handed over, and then meet it.
static void test_asked_accuracy(void **state)
{
    (void)state;
    const char *const solvers[] = { "newton", "soft_step", "pgs" };
    for (int s = 0; s < 3; s++) {
        cn_world_def def = restless();
        def.solver = solvers[s];
        def.tolerance = 1e-6f;
        machine m = hang_chain(def);
        int handed_over = 0;
        for (int i = 0; i < 120; i++) {
            cn_step_report report = advance(m.world, 1);
            cn_island_report island;
            assert_int_equal(cn_world_get_island_reports(m.world, &island, 1), 1);
            assert_int_equal(island.bodies, 3);
            assert_true(island.residual.value <= 1e-6);
            assert_int_equal(report.missed, 0);
            handed_over += report.handed_over;
        }
        assert_int_equal(handed_over > 0, s > 0);
        assert_true(cn_joint_get_error(m.world, m.joints[2]).linear < 2e-3f);
        cn_world_destroy(m.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_joint_with_every_solver),
        cmocka_unit_test(test_rest_is_the_same),
        cmocka_unit_test(test_captured_problem),
        cmocka_unit_test(test_asked_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
