// Bodies with locked axes on ground that leans by next to nothing: what the locks leave of a direction is rounding, down to
// the smallest numbers there are, and no force may grow from it. Every solver, both friction models, every set of locks.
#include "joint_rigs.h"
#include "solve/solve.h"
#include "world/lost.h"

#include <string.h>

enum { LOCKS = 64, LEANS = 12 };

static cn_shape_def belt(cn_geometry geometry)
{
    cn_shape_def def = solid_def(geometry, 0.5f, 0.0f);
    def.material.surface_velocity = cn_v3(2.0f, 0.0f, -0.3f);
    def.material.rolling_resistance = def.material.spinning_resistance = 0.05f;
    return def;
}

// One slab and what lies on it; all leans of one set of locks are in a row.
static cn_body_id add_pair(cn_world *world, uint32_t locks, int lean)
{
    static const float angles[LEANS] = { 0.0f,   1e-3f,  1e-5f,  1e-7f,  1e-9f,  1e-12f,
                                         1e-15f, 1e-18f, 1e-20f, 1e-23f, 1e-30f, 1e-38f };
    float angle = angles[lean];
    cn_quat rotation = { 0.3f * angle, 0.2f * angle, 0.5f * angle, 1.0f };
    cn_shape_def slab = belt(cn_box(1.0f, 0.5f, 1.0f));
    cn_pos3 at = { 3.0 * lean, -0.5, 3.0 * (double)locks };
    add_body(world, CN_STATIC, at, rotation, &slab);
    at.y = lean % 2 == 0 ? 0.5 : 0.45; // some overlap
    cn_shape_def thing = belt(lean % 3 == 0   ? cn_box(0.5f, 0.5f, 0.5f)
                              : lean % 3 == 1 ? cn_sphere(0.5f)
                                              : cn_cylinder(0.5f, 0.5f));
    cn_body_id body = add_upright(world, CN_DYNAMIC, at, &thing);
    assert_true(cn_body_set_locks(world, body, locks));
    return body;
}

// Every set of locks, or every fifth.
static void try_solver(const char *solver, cn_friction_model friction, uint32_t stride)
{
    cn_body_id bodies[LOCKS][LEANS];
    cn_world_def def = cn_world_def_default();
    def.solver = solver;
    def.friction_model = friction;
    cn_world *world = open_world(&def);
    for (uint32_t locks = 0; locks < LOCKS; locks += stride)
        for (int lean = 0; lean < LEANS; lean++)
            bodies[locks][lean] = add_pair(world, locks, lean);
    for (int step = 0; step < 10; step++) {
        cn_step_report report = cn_world_step(world, tick);
        if (!report.ok || report.lost > 0 || !cn_world_is_finite(world))
            fail_msg("%s, friction %d, step %d: %d lost: %s", solver, (int)friction, step, report.lost, cn_last_error());
    }
    for (uint32_t locks = 0; locks < LOCKS; locks += stride)
        for (int lean = 0; lean < LEANS; lean++) {
            cn_vec3 v = cn_body_get_linear_velocity(world, bodies[locks][lean]);
            cn_vec3 w = cn_body_get_angular_velocity(world, bodies[locks][lean]);
            double fastest = fmax(fmax(fabs((double)v.x), fabs((double)v.y)), fabs((double)v.z));
            double turns = fmax(fmax(fabs((double)w.x), fabs((double)w.y)), fabs((double)w.z));
            if (!(fastest < 3.0) || !(turns < 10.0)) // a belt of 2 m/s drives nothing faster
                fail_msg("%s, friction %d, locks %u, lean %d: %g m/s, %g rad/s", solver, (int)friction, locks, lean, fastest,
                         turns);
        }
    cn_world_destroy(world);
}

static void rounding_moves_nobody(void **state)
{
    (void)state;
    for (int i = 0; cn_solver_name(i) != NULL; i++) {
        uint32_t stride = cn_solvers[i].model_solver == NULL || strcmp(cn_solver_name(i), "newton") == 0 ? 1 : 5;
        try_solver(cn_solver_name(i), CN_FRICTION_PATCH, stride);
        try_solver(cn_solver_name(i), CN_FRICTION_CONE, stride);
    }
}

// A lift of 1 kg that can only go up and down is a wall to what comes from the side, however heavy that is.
static void a_light_lift_stops_a_heavy_ball(void **state)
{
    (void)state;
    static const char *const solvers[] = { "soft_step", "pgs", "mass_split", "newton" };
    for (int i = 0; i < 4; i++) {
        cn_world_def def = cn_world_def_default();
        def.solver = solvers[i];
        def.gravity = cn_v3(0.0f, 0.0f, 0.0f);
        cn_world *world = open_world(&def);
        cn_shape_def lift = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.5f, 0.0f), ball = solid_def(cn_sphere(0.5f), 0.5f, 0.0f);
        lift.density = 1.0f;
        ball.density = 1e9f;
        cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &lift);
        cn_body_id b = add_upright(world, CN_DYNAMIC, cn_p3(-2.0, 0.0, 0.0), &ball);
        assert_true(cn_body_set_locks(world, a, 0x3f & ~(uint32_t)CN_LOCK_LINEAR_Y));
        assert_true(cn_body_set_linear_velocity(world, b, cn_v3(5.0f, 0.0f, 0.0f)));
        for (int step = 0; step < 60; step++)
            assert_true(cn_world_step(world, tick).ok);
        double x = cn_body_get_center(world, b).x;
        if (!(x < -0.9))
            fail_msg("%s: the ball is at %g", def.solver, x);
        cn_world_destroy(world);
    }
}

// The same for joints: a body with every set of locks, on every joint whose axes lean by next to nothing.
static void joints_of_locked_bodies_hold(void **state)
{
    (void)state;
    static const char *const solvers[] = { "soft_step", "pgs", "newton" };
    static const float leans[] = { 0.0f, 1e-5f, 1e-18f, 1e-38f };
    enum { CASES = 3 * MODES * TIES * 4 };
    for (int i = 0; i < CASES; i++) {
        cn_world_def def = restless();
        def.solver = solvers[i % 3];
        def.joint_solve = modes[i / 3 % MODES];
        int kind = i / (3 * MODES) % TIES;
        float lean = leans[i / (3 * MODES * TIES)];
        cn_world *world = open_world(&def);
        for (uint32_t locks = 0; locks < LOCKS; locks++) {
            cn_body_id box = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.3f, 0.5f, 0.4f), 10.0);
            add_joint(world, tie_to_world(world, kind, box, cn_v3(lean, 0.5f * lean, 1.0f), cn_v3(0.0f, 1.0f, -0.5f * lean)));
            assert_true(cn_body_set_locks(world, box, locks));
        }
        for (int step = 0; step < 10; step++) {
            cn_step_report report = cn_world_step(world, tick);
            if (!report.ok || report.lost > 0 || !cn_world_is_finite(world))
                fail_msg("%s, joints %d, kind %d, lean %g, step %d: %d lost: %s", def.solver, (int)def.joint_solve, kind,
                         (double)lean, step, report.lost, cn_last_error());
        }
        cn_world_destroy(world);
    }
}

// A body that is moved away from where its joint holds it, and then locked: what the locks forbid stays open, and next to
// nothing of a response makes no force. Errors of 2 cm and 0.02 rad are gone in a few steps without anything as fast as this.
static void joints_yield_to_locks(void **state)
{
    (void)state;
    for (int i = 0; i < TIES * MODES; i++) {
        cn_world_def def = restless();
        def.joint_solve = modes[i % MODES];
        cn_world *world = open_world(&def);
        cn_body_id boxes[LOCKS];
        cn_joint_id joints[LOCKS];
        int kind = i / MODES;
        for (uint32_t locks = 0; locks < LOCKS; locks++) {
            boxes[locks] = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.3f, 0.5f, 0.4f), 10.0);
            joints[locks] = add_joint(world, tie_to_world(world, kind, boxes[locks], z_axis, y_axis));
            cn_transform moved = { cn_p3(0.01, -0.02, 0.005), { 0.01f, 0.0f, 0.02f, 1.0f } };
            assert_true(cn_body_set_transform(world, boxes[locks], moved));
            assert_true(cn_body_set_locks(world, boxes[locks], locks));
        }
        for (int step = 0; step < 30; step++) {
            cn_step_report report = cn_world_step(world, tick);
            assert_true(report.ok && report.lost == 0);
            for (uint32_t locks = 0; locks < LOCKS; locks++) {
                double v = (double)cn_length(cn_body_get_linear_velocity(world, boxes[locks]));
                double w = (double)cn_length(cn_body_get_angular_velocity(world, boxes[locks]));
                if (!(v < 20.0) || !(w < 40.0))
                    fail_msg("kind %d, joints %d, locks 0x%x, step %d: %g m/s, %g rad/s", kind, (int)def.joint_solve, locks,
                             step, v, w);
            }
        }
        cn_joint_error error = cn_joint_get_error(world, joints[0]);
        if (kind != 9 && kind != 11 && !(error.linear < 1e-4f && error.angular < 1e-4f)) // not a spring or a motor
            fail_msg("kind %d, joints %d: off by %g m, %g rad", kind, (int)def.joint_solve, (double)error.linear,
                     (double)error.angular);
        cn_world_destroy(world);
    }
}

// Locked to the x-y plane, which it is off by a little, as the joint is: what lies in the plane is held as without locks.
static void joints_close_in_the_plane(void **state)
{
    (void)state;
    static const int kinds[] = { 0, 2, 3, 6, 7 };
    for (int i = 0; i < 5 * MODES; i++) {
        cn_world *world = open_mode(modes[i % MODES], true);
        cn_body_id box = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.3f, 0.5f, 0.4f), 10.0);
        int kind = kinds[i / MODES];
        cn_joint_id joint = add_joint(world, tie_to_world(world, kind, box, kind == 3 ? x_axis : z_axis, y_axis));
        cn_transform moved = { cn_p3(0.01, -0.02, 0.005), { 0.0f, 0.0f, 0.02f, 1.0f } };
        assert_true(cn_body_set_transform(world, box, moved));
        assert_true(cn_body_set_locks(world, box, CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y));
        for (int step = 0; step < 120; step++)
            assert_true(cn_world_step(world, tick).ok);
        cn_joint_error error = cn_joint_get_error(world, joint);
        double across = kind == 7 ? 0.0 : 0.005, all = (double)error.linear; // the plane
        double within = sqrt(fmax(all * all - across * across, 0.0));
        if (!(within < 3e-5) || !(error.angular < 1e-5f)) // its weight opens a joint by 2e-5 m, with or without locks
            fail_msg("kind %d, joints %d: off by %g m, %g rad", kind, (int)modes[i % MODES], within, (double)error.angular);
        cn_world_destroy(world);
    }
}

// Ten links on hinges that swing down, all of them locked to the plane that they swing in.
static void a_chain_swings_in_the_plane(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        cn_world *world = open_mode(modes[mode], true);
        cn_joint_id joints[10];
        cn_body_id last = the_world;
        for (int i = 0; i < 10; i++) {
            cn_body_id link = add_part(world, cn_p3(0.5 + i, 0.0, 0.0), cn_v3(0.4f, 0.1f, 0.1f), 1.0);
            assert_true(cn_body_set_locks(world, link, CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y));
            joints[i] = add_joint(world, cn_hinge_joint(world, last, link, cn_p3(i, 0.0, 0.0), z_axis));
            last = link;
        }
        for (int step = 0; step < 120; step++) {
            assert_true(cn_world_step(world, tick).ok);
            for (int i = 0; i < 10; i++) {
                cn_joint_error error = cn_joint_get_error(world, joints[i]);
                if (!(error.linear < 0.005f) || !(error.angular < 1e-5f)) // as ball joints do, which hold nothing but this
                    fail_msg("joints %d, step %d, link %d: off by %g m, %g rad", (int)modes[mode], step, i,
                             (double)error.linear, (double)error.angular);
            }
        }
        cn_world_destroy(world);
    }
}

// A crank that its locks let turn about z alone, a rod in the plane, and a piston that goes along x: it turns on, through its
// dead centres.
static void a_crank_turns(void **state)
{
    (void)state;
    cn_world *world = open_mode(CN_JOINTS_DIRECT, false);
    cn_body_id crank = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.5f, 0.1f, 0.1f), 1.0);
    cn_body_id rod = add_part(world, cn_p3(1.5, 0.0, 0.0), cn_v3(1.0f, 0.05f, 0.05f), 1.0);
    cn_body_id piston = add_part(world, cn_p3(2.5, 0.0, 0.0), cn_v3(0.2f, 0.2f, 0.2f), 100.0);
    assert_true(cn_body_set_locks(world, crank, 0x3f & ~(uint32_t)CN_LOCK_ANGULAR_Z));
    assert_true(cn_body_set_locks(world, rod, CN_LOCK_LINEAR_Z | CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y));
    assert_true(cn_body_set_locks(world, piston, 0x3f & ~(uint32_t)CN_LOCK_LINEAR_X));
    cn_joint_id ends[2] = { add_joint(world, cn_hinge_joint(world, crank, rod, cn_p3(0.5, 0.0, 0.0), z_axis)),
                            add_joint(world, cn_hinge_joint(world, rod, piston, cn_p3(2.5, 0.0, 0.0), z_axis)) };
    assert_true(cn_body_set_angular_velocity(world, crank, cn_v3(0.0f, 0.0f, 5.0f)));
    assert_true(cn_world_step(world, tick).ok);
    double first = energy_of(world);
    for (int step = 0; step < 300; step++) {
        assert_true(cn_world_step(world, tick).ok);
        assert_true(cn_joint_get_error(world, ends[0]).linear < 1e-4f && cn_joint_get_error(world, ends[1]).linear < 1e-4f);
    }
    if (!(first > 0.1) || !(fabs(energy_of(world) - first) < 0.01 * first))
        fail_msg("%g J of %g J are left", energy_of(world), first);
    cn_world_destroy(world);
}

// A pin of 1 kg that is locked holds a gate of a ton by its edge as the world would: it is the gate that moves.
static void a_locked_pin_holds_a_gate(void **state)
{
    (void)state;
    for (int i = 0; i < MODES * 3; i++) {
        static const uint32_t locks[] = { 0x3f, 0x38 | CN_LOCK_LINEAR_X, 0x07 };
        cn_world *world = open_mode(modes[i % MODES], false);
        cn_body_id pin = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.02f, 0.05f, 0.02f), 1.0);
        cn_body_id gate = add_part(world, cn_p3(4.0, 0.0, 0.0), cn_v3(4.0f, 1.0f, 0.1f), 1000.0);
        assert_true(cn_body_set_locks(world, pin, locks[i / MODES]));
        cn_joint_id joint = add_joint(world, cn_hinge_joint(world, pin, gate, cn_p3(0.0, 0.0, 0.0), y_axis));
        assert_true(cn_body_set_angular_velocity(world, gate, cn_v3(0.1f, 0.5f, 0.1f)));
        for (int step = 0; step < 60; step++) {
            assert_true(cn_world_step(world, tick).ok);
            cn_joint_error error = cn_joint_get_error(world, joint);
            if (!(error.linear < 1e-3f) || !(error.angular < 1e-3f))
                fail_msg("joints %d, locks 0x%x, step %d: off by %g m, %g rad", (int)modes[i % MODES], locks[i / MODES], step,
                         (double)error.linear, (double)error.angular);
        }
        cn_world_destroy(world);
    }
}

// A joint that a locked axis keeps open keeps nobody awake.
static void what_contradicts_its_locks_sleeps(void **state)
{
    (void)state;
    cn_world_def def = cn_world_def_default();
    cn_world *world = open_world(&def);
    cn_body_id box = add_part(world, cn_p3(0.0, 0.0, 0.0), cn_v3(0.5f, 0.5f, 0.5f), 10.0);
    add_joint(world, tie_to_world(world, 0, box, z_axis, y_axis));
    assert_true(cn_body_set_locks(world, box, 0x39)); // linear x and all rotations
    assert_true(cn_body_set_transform(world, box, (cn_transform){ cn_p3(0.2, 0.1, 0.0), cn_quat_identity() }));
    for (int step = 0; step < 240; step++)
        assert_true(cn_world_step(world, tick).ok);
    assert_false(cn_body_is_awake(world, box));
    cn_pos3 at = cn_body_get_center(world, box);
    assert_true(fabs(at.x - 0.2) < 1e-6 && fabs(at.y) < 1e-3);
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rounding_moves_nobody),
                                        cmocka_unit_test(a_light_lift_stops_a_heavy_ball),
                                        cmocka_unit_test(joints_of_locked_bodies_hold),
                                        cmocka_unit_test(joints_yield_to_locks),
                                        cmocka_unit_test(joints_close_in_the_plane),
                                        cmocka_unit_test(a_chain_swings_in_the_plane),
                                        cmocka_unit_test(a_crank_turns),
                                        cmocka_unit_test(a_locked_pin_holds_a_gate),
                                        cmocka_unit_test(what_contradicts_its_locks_sleeps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
