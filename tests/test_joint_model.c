// Joints as rows of the contact model: what the rows say, and that every solver of the laboratory takes them.
#include "cairn/lab.h"
#include "joint_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define H (1.0f / 60.0f)

// All but the turn about z.
enum { HINGE_Z = 7 | 1 << CN_TWIST | 1 << CN_SWING_Y, FIXED = 63 };

static joint_rig rig;

static int begin(void **state)
{
    (void)state;
    rig_init(&rig, H);
    return 0;
}

static int end(void **state)
{
    (void)state;
    rig_free(&rig);
    return 0;
}

static cn_lab_report solve(const cn_unit_model *model, const char *solver, double tolerance, double *r)
{
    cn_lab_options options = cn_lab_options_default();
    options.tolerance = tolerance;
    memset(r, 0, sizeof(double) * (size_t)model->problem->row_count);
    return cn_lab_solve(model->problem, solver, &options, r);
}

// One step by Newton's method; velocities and forces go back to the rig.
static void step(void)
{
    cn_unit_model model = rig_model(&rig);
    cn_lab_report report = solve(&model, "newton", 1e-12, model.r);
    assert_true(report.residual.value < 1e-9);
    cn_unit_model_store(&model);
    cn_unit_model_destroy(&model);
}

// ---- what rows say

// A ball that hangs on a rod to its side begins to fall at m g L / (I + m L^2).
static void test_pendulum(void **state)
{
    (void)state;
    const float mass = 2.0f, inertia = 0.3f, length = 1.5f;
    int ball = rig_body(&rig, mass, inertia, cn_v3(length, 0.0f, 0.0f));
    cn_solver_joint *joint = rig_joint(&rig, 0, ball, cn_v3(0.0f, 0.0f, 0.0f), 7);
    step();
    float whole = inertia + mass * length * length, spin = -mass * 10.0f * H * length / whole;
    assert_float_equal(rig.states[ball].angular[2], spin, 1e-6f);
    assert_float_equal(rig.states[ball].linear[1], spin * length, 1e-6f);
    assert_float_equal(joint->force[0][1], mass * 10.0f * inertia / whole, 1e-4f);
    assert_float_equal(joint->total[0][1], H * joint->force[0][1], 1e-6f);
    assert_float_equal(joint->total[1][2], 0.0f, 1e-6f); // a ball joint bears no torque
}

// A fixed joint reads the weight and its torque about where it holds.
static void test_beam(void **state)
{
    (void)state;
    int beam = rig_body(&rig, 3.0f, 0.5f, cn_v3(2.0f, 0.0f, 0.0f));
    cn_solver_joint *joint = rig_joint(&rig, 0, beam, cn_v3(0.0f, 0.0f, 0.0f), FIXED);
    step();
    assert_float_equal(joint->total[0][1] / H, 30.0f, 1e-3f);
    assert_float_equal(joint->total[1][2] / H, 60.0f, 2e-3f);
    for (int k = 0; k < 3; k++)
        assert_float_equal(rig.states[beam].linear[k], 0.0f, 1e-6f);
}

// A motor turns its wheel as hard as it may, and no faster than it should.
static void test_motor(void **state)
{
    (void)state;
    const float inertia = 0.4f, torque = 3.0f;
    int wheel = rig_body(&rig, 2.0f, inertia, cn_v3(0.0f, 0.0f, 0.0f));
    cn_solver_joint *joint = rig_joint(&rig, 0, wheel, cn_v3(0.0f, 0.0f, 0.0f), HINGE_Z);
    cn_joint_row *motor = rig_row(joint, CN_ROW_MOTOR, CN_SWING_Z);
    motor->speed = 5.0f;
    motor->most_force = torque;
    step();
    assert_float_equal(rig.states[wheel].angular[2], torque * H / inertia, 1e-6f);
    assert_float_equal(motor->force, torque, 1e-5f);
    motor->most_force = 1e6f;
    step();
    assert_float_equal(rig.states[wheel].angular[2], 5.0f, 1e-5f);
    assert_float_equal(motor->force, (5.0f - torque * H / inertia) * inertia / H, 1e-2f);
    assert_float_equal(motor->total, H * (torque + motor->force), 1e-4f);
}

// Friction stops what is slow and brakes what is fast.
static void test_joint_friction(void **state)
{
    (void)state;
    int wheel = rig_body(&rig, 2.0f, 0.5f, cn_v3(0.0f, 0.0f, 0.0f));
    cn_solver_joint *joint = rig_joint(&rig, 0, wheel, cn_v3(0.0f, 0.0f, 0.0f), HINGE_Z);
    rig_row(joint, CN_ROW_FRICTION, CN_SWING_Z)->most_force = 3.0f;
    rig.states[wheel].angular[2] = 0.15f; // the most that goes in a step is 0.1
    step();
    assert_float_equal(rig.states[wheel].angular[2], 0.05f, 1e-6f);
    step();
    assert_float_equal(rig.states[wheel].angular[2], 0.0f, 1e-6f);
}

// A stiff spring is implicit: v = (v0 - h k x / m) / (1 + h c / m + h^2 k / m).
static void test_spring(void **state)
{
    (void)state;
    const float mass = 2.0f, stiffness = 5e4f, damping = 300.0f, stretch = 0.01f;
    int weight = rig_body(&rig, mass, 0.1f, cn_v3(0.0f, 0.0f, 0.0f));
    cn_solver_joint *joint = rig_joint(&rig, 0, weight, cn_v3(0.0f, 0.0f, 0.0f), FIXED & ~(1 << CN_Y));
    cn_joint_row *spring = rig_row(joint, CN_ROW_SPRING, CN_Y);
    spring->stiffness = stiffness;
    spring->damping = damping;
    spring->place = stretch;
    float scale = 1.0f / (1.0f + H * damping / mass + H * H * stiffness / mass);
    step();
    float expected = scale * (-10.0f * H - H * stiffness * stretch / mass);
    assert_float_equal(rig.states[weight].linear[1], expected, 1e-5f);
    assert_float_equal(spring->force, -stiffness * (stretch + H * expected) - damping * expected, 0.02f);
}

// Frequency and damping ratio count for the mass that moves while the locks hold: about the end of a rod, I + m L^2.
static void test_soft_lock(void **state)
{
    (void)state;
    const float omega = 200.0f, ratio = 0.5f, turn = 0.01f;
    int rod = rig_body(&rig, 2.0f, 0.3f, cn_v3(1.0f, 0.0f, 0.0f));
    memset(rig.states[rod].linear, 0, sizeof rig.states[rod].linear);
    cn_solver_joint *joint = rig_joint(&rig, 0, rod, cn_v3(0.0f, 0.0f, 0.0f), HINGE_Z);
    cn_joint_row *spring = rig_row(joint, CN_ROW_SPRING, CN_SWING_Z);
    spring->stiffness = omega * omega;
    spring->damping = 2.0f * ratio * omega;
    spring->per_mass = true;
    spring->place = turn;
    step();
    float damped = 2.0f * ratio * omega * H, stiff = omega * omega * H * H;
    assert_float_equal(rig.states[rod].angular[2], -stiff * turn / H / (1.0f + damped + stiff), 1e-5f);
}

// A stop lets a gap close within the step, and no more; it never pulls.
static void test_stop(void **state)
{
    (void)state;
    int weight = rig_body(&rig, 1.0f, 0.1f, cn_v3(0.0f, 0.0f, 0.0f));
    cn_solver_joint *joint = rig_joint(&rig, 0, weight, cn_v3(0.0f, 0.0f, 0.0f), FIXED & ~(1 << CN_Y));
    cn_joint_row *stop = rig_row(joint, CN_ROW_STOP, CN_Y);
    stop->lower = -0.1f;
    stop->upper = 0.1f;
    const struct {
        float place, speed, after;
    } cases[] = {
        { -0.09f, -3.0f, -0.6f }, // 1 cm of room
        { -0.09f, -0.3f, -0.3f }, // not reached
        { 0.09f, 3.0f, 0.6f },    // the other side
        { 0.12f, 1.0f, 0.0f },    // beyond it: stopped
        { 0.12f, -0.5f, -0.5f },  // coming back by itself
        { -0.1f, -1.0f, 0.0f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stop->place = cases[i].place;
        rig.states[weight].linear[1] = cases[i].speed;
        step();
        assert_float_equal(rig.states[weight].linear[1], cases[i].after, 1e-5f);
        assert_true(cases[i].place < 0.0f ? stop->force >= 0.0f : stop->force <= 0.0f);
    }
}

// A distance acts along its gap; a gear along its own Jacobian. Where errors are projected away, they are gone after the step.
static void test_distance_and_gear(void **state)
{
    (void)state;
    rig.input.settings.nudge = false;
    rig.input.settings.projection = 1.0f;
    int a = rig_body(&rig, 1.0f, 0.1f, cn_v3(0.0f, 0.0f, 0.0f)), b = rig_body(&rig, 3.0f, 0.2f, cn_v3(0.0f, 2.0f, 0.0f));
    cn_solver_joint *rod = rig_joint(&rig, a, b, cn_v3(0.0f, 0.0f, 0.0f), 1);
    *rod = (cn_solver_joint){ .gap = { 0.0f, 2.0f },
                              .axes = { { 0.0f, 1.0f }, { 1.0f, 0.0f } },
                              .turn_axes = { { 1.0f }, { 0.0f, 1.0f }, { 0.0f, 0.0f, 1.0f } },
                              .place = { { 0.02f } },
                              .locked = 1,
                              .aims = true,
                              .joint_class = CN_CLASS_GENERAL };
    cn_solver_joint *gear = rig_joint(&rig, a, b, cn_v3(0.0f, 0.0f, 0.0f), 1);
    gear->joint_class = CN_CLASS_COUPLING;
    gear->jacobian[0][1][2] = 1.0f;
    gear->jacobian[1][1][2] = 2.0f;
    rig.states[a].angular[2] = 4.0f;
    step();
    float apart = rig.states[b].linear[1] - rig.states[a].linear[1];
    assert_float_equal(apart, -0.02f / H, 1e-5f);
    assert_float_equal(rig.states[a].angular[2] + 2.0f * rig.states[b].angular[2], 0.0f, 1e-6f);
    assert_float_equal(gear->total[0][0], -4.0f / (10.0f + 4.0f * 5.0f), 1e-5f);
    assert_float_equal(rod->total[0][1], 3.0f * (rig.states[b].linear[1] + 10.0f * H), 1e-5f);
}

// What cannot move anything is left alone, and does not keep the others from being solved.
static void test_locked_body(void **state)
{
    (void)state;
    int slider = rig_body(&rig, 2.0f, 1.0f, cn_v3(1.0f, 0.0f, 0.0f));
    rig.masses[slider] = (cn_body_mass){ .inverse_mass = 0.5f }; // rotations are locked
    cn_solver_joint *joint = rig_joint(&rig, 0, slider, cn_v3(0.0f, 0.0f, 0.0f), FIXED & ~1);
    rig_row(joint, CN_ROW_MOTOR, CN_X)->speed = 1.0f;
    step();
    assert_float_equal(rig.states[slider].linear[0], 1.0f, 1e-6f);
    assert_float_equal(rig.states[slider].linear[1], 0.0f, 1e-6f);
    assert_float_equal(joint->force[1][2], 0.0f, 1e-6f);
    assert_float_equal(joint->total[0][1] / H, 20.0f, 1e-3f);
}

// ---- every solver

static void make_loop(void)
{
    const cn_vec3 centers[4] = { { 0.0f, 0.5f, 0.0f }, { 0.5f, 1.0f, 0.0f }, { 1.0f, 0.5f, 0.0f }, { 0.5f, 0.0f, 0.0f } };
    const cn_vec3 corners[4] = { { 0.0f, 1.0f, 0.0f }, { 1.0f, 1.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
    for (int i = 0; i < 4; i++) {
        int bar = rig_body(&rig, 1.0f + 0.3f * (float)i, 0.2f, centers[i]);
        rig.states[bar].linear[0] = 1.0f - 0.4f * (float)i;
        rig.states[bar].linear[2] = 0.1f * (float)i;
        rig.states[bar].angular[2] = 0.5f * (float)i;
    }
    for (int i = 0; i < 4; i++)
        rig_joint(&rig, 1 + i, 1 + (i + 1) % 4, corners[i], HINGE_Z);
    rig_joint(&rig, 0, 1, cn_v3(0.0f, 0.25f, 0.0f), HINGE_Z);
}

// Twice the same weld.
static void make_doubled(void)
{
    int a = rig_body(&rig, 1.0f, 0.3f, cn_v3(1.0f, 0.0f, 0.0f)), b = rig_body(&rig, 3.0f, 0.3f, cn_v3(2.0f, 0.0f, 0.0f));
    rig_joint(&rig, 0, a, cn_v3(0.0f, 0.0f, 0.0f), FIXED);
    rig_joint(&rig, 0, a, cn_v3(0.5f, 0.1f, 0.0f), FIXED);
    rig_joint(&rig, a, b, cn_v3(1.5f, 0.0f, 0.0f), FIXED);
}

// Two boxes on the ground, hinged to each other with a motor and a stop; on one of them a third with a spring and friction.
static void make_mixed(void)
{
    int a = rig_body(&rig, 2.0f, 0.3f, cn_v3(0.0f, 0.5f, 0.0f)), b = rig_body(&rig, 1.0f, 0.2f, cn_v3(1.2f, 0.5f, 0.0f)),
        c = rig_body(&rig, 1.0f, 0.2f, cn_v3(1.2f, 1.5f, 0.0f));
    rig.states[a].linear[0] = 0.5f;
    rig.states[c].angular[2] = 2.0f;
    rig_contact(&rig, a, 0.5f, 0.5f, 0.4f);
    rig_contact(&rig, b, 0.5f, 0.5f, 0.4f);
    cn_solver_joint *hinge = rig_joint(&rig, a, b, cn_v3(0.6f, 0.6f, 0.0f), HINGE_Z);
    cn_joint_row *motor = rig_row(hinge, CN_ROW_MOTOR, CN_SWING_Z), *stop = rig_row(hinge, CN_ROW_STOP, CN_SWING_Z);
    motor->speed = 3.0f;
    motor->most_force = 1.0f;
    stop->lower = -0.1f;
    stop->upper = 0.01f;
    cn_solver_joint *neck = rig_joint(&rig, b, c, cn_v3(1.2f, 1.0f, 0.0f), HINGE_Z);
    cn_joint_row *spring = rig_row(neck, CN_ROW_SPRING, CN_SWING_Z), *friction = rig_row(neck, CN_ROW_FRICTION, CN_SWING_Z);
    spring->stiffness = 50.0f;
    spring->damping = 2.0f;
    spring->place = 0.2f;
    friction->most_force = 0.5f;
}

// Small and light things on soft locks, beyond a soft stop.
static void make_soft(void)
{
    const float fast = 2.0f * CN_PI * 20.0f, slow = 2.0f * CN_PI * 5.0f;
    int a = rig_body(&rig, 2.0f, 0.3f, cn_v3(0.0f, 0.5f, 0.0f)), b = rig_body(&rig, 0.01f, 2e-5f, cn_v3(0.2f, 0.5f, 0.0f));
    cn_solver_joint *mount = rig_joint(&rig, 0, a, cn_v3(0.0f, 0.0f, 0.0f), 1), *hinge;
    for (int dof = CN_Y; dof <= CN_SWING_Y; dof++) {
        cn_joint_row *row = rig_row(mount, CN_ROW_SPRING, dof);
        row->stiffness = fast * fast, row->damping = 2.0f * fast, row->per_mass = true;
    }
    hinge = rig_joint(&rig, a, b, cn_v3(0.15f, 0.5f, 0.0f), HINGE_Z);
    cn_joint_row *stop = rig_row(hinge, CN_ROW_STOP, CN_SWING_Z);
    stop->lower = -1.0f, stop->upper = 0.3f, stop->place = 0.35f;
    stop->stiffness = slow * slow, stop->damping = 2.0f * slow, stop->per_mass = true;
}

// Impulses may be shared out in many ways; velocities are the same. Springs that stand for rigid rows are still swinging when
// `penalty` has taken all its steps.
static void compare_solvers(const cn_unit_model *model)
{
    const cn_problem *p = model->problem;
    double right[RIG_BODIES][6], other[RIG_BODIES][6], *r = cn_arena_array(model->arena, double, p->row_count);
    assert_true(solve(model, "newton", 1e-11, r).converged);
    cn_problem_velocities(p, r, right);
    for (int k = 0; cn_lab_solver_name(k) != NULL; k++) {
        const char *name = cn_lab_solver_name(k);
        cn_lab_report report = solve(model, name, 1e-8, r);
        assert_int_not_equal(report.stop, CN_STOP_REFUSED);
        cn_problem_velocities(p, r, other);
        double error = 0.0;
        for (int i = 0; i < 6 * p->body_count; i++)
            error = fmax(error, fabs(other[i / 6][i % 6] - right[i / 6][i % 6]));
        if (error > (strcmp(name, "penalty") == 0 ? 2e-5 : 1e-6))
            fail_msg("%s is off by %g, residual %g", name, error, report.residual.value);
    }
}

static void test_every_solver(void **state)
{
    (void)state;
    void (*const makers[])(void) = { make_loop, make_doubled, make_mixed, make_soft };
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        rig_free(&rig);
        rig_init(&rig, H);
        makers[i]();
        cn_unit_model model = rig_model(&rig);
        compare_solvers(&model);
        cn_unit_model_destroy(&model);
    }
}

// The forces that came out are where the next step starts: it has nothing left to do.
static void test_warm_start(void **state)
{
    (void)state;
    make_mixed();
    cn_body_state before[RIG_BODIES];
    memcpy(before, rig.states, sizeof before);
    step();
    memcpy(rig.states, before, sizeof before);
    cn_unit_model model = rig_model(&rig);
    cn_unit_model_load(&model);
    assert_true(cn_problem_residual(model.problem, CN_LAW_COULOMB, model.r, NULL).value < 1e-5);
    cn_unit_model_destroy(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pendulum, begin, end),
        cmocka_unit_test_setup_teardown(test_beam, begin, end),
        cmocka_unit_test_setup_teardown(test_motor, begin, end),
        cmocka_unit_test_setup_teardown(test_joint_friction, begin, end),
        cmocka_unit_test_setup_teardown(test_spring, begin, end),
        cmocka_unit_test_setup_teardown(test_soft_lock, begin, end),
        cmocka_unit_test_setup_teardown(test_stop, begin, end),
        cmocka_unit_test_setup_teardown(test_distance_and_gear, begin, end),
        cmocka_unit_test_setup_teardown(test_locked_body, begin, end),
        cmocka_unit_test_setup_teardown(test_every_solver, begin, end),
        cmocka_unit_test_setup_teardown(test_warm_start, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
