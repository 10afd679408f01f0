// How right a step is: residuals of every solver in the engine, islands handed to a stronger one, captured problems.
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static cn_body_id add_cube(cn_world *world, double x, double y, float density)
{
    cn_shape_def cube = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    cube.density = density;
    return add_upright(world, CN_DYNAMIC, cn_p3(x, y, 0.0), &cube);
}

// Two towers, one of them with a heavy top, and a ball beside them.
static cn_world *two_towers(const cn_world_def *def)
{
    cn_world *world = open_world(def);
    add_ground(world, 0.6f, 0.0f);
    for (int i = 0; i < 6; i++) {
        add_cube(world, 0.0, 0.5 + i, 100.0f);
        if (i < 3)
            add_cube(world, 5.0, 0.5 + i, i == 2 ? 50000.0f : 100.0f);
    }
    cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.6f, 0.0f);
    add_upright(world, CN_DYNAMIC, cn_p3(10.0, 0.5, 0.0), &ball);
    return world;
}

static void measuring_changes_no_bit(void **state)
{
    (void)state;
    const char *const solvers[] = { "soft_step", "pgs", "mass_split", "newton" };
    for (int s = 0; s < 4; s++) {
        uint64_t hashes[2];
        for (int measured = 0; measured < 2; measured++) {
            cn_world_def def = restless();
            def.solver = solvers[s];
            def.measure = measured == 1;
            cn_world *world = two_towers(&def);
            cn_step_report report = advance(world, 40);
            hashes[measured] = cn_world_hash(world);
            if (measured)
                assert_true(report.residual.value > 0.0);
            else
                assert_true(report.residual.value == 0.0);
            assert_int_equal(cn_world_get_island_reports(world, NULL, 0), measured ? 3 : 0);
            cn_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

// The default solver near rest is right to a few per cent of what gravity does in a substep, and says so; Newton's method to
// its tolerance.
static void residuals_tell_solvers_apart(void **state)
{
    (void)state;
    double values[3];
    const char *const solvers[] = { "newton", "soft_step", "pgs" };
    for (int s = 0; s < 3; s++) {
        cn_world_def def = restless();
        def.solver = solvers[s];
        def.measure = true;
        cn_world *world = two_towers(&def);
        cn_step_report report = advance(world, 120);
        values[s] = report.residual.value;
        cn_island_report islands[8];
        assert_int_equal(cn_world_get_island_reports(world, islands, 8), 3);
        double worst = 0.0;
        int bodies = 0;
        for (int i = 0; i < 3; i++) {
            assert_string_equal(islands[i].solver, solvers[s]);
            assert_false(islands[i].handed_over);
            worst = fmax(worst, islands[i].residual.value);
            bodies += islands[i].bodies;
        }
        assert_true(worst == report.worst_residual);
        assert_int_equal(bodies, 10);
        cn_world_destroy(world);
    }
    assert_below(values[0], 1e-6);
    assert_below(values[1], 0.2);
    assert_true(values[1] > values[0] && values[2] > values[0]);
}

static void an_asked_accuracy_is_reached(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int threads = 1; threads <= 3; threads += 2) {
        cn_world_def def = restless();
        def.tolerance = 1e-4f;
        def.threads = threads;
        cn_world *world = two_towers(&def);
        int handed_over = 0;
        for (int i = 0; i < 200; i++) {
            cn_step_report report = advance(world, 1);
            handed_over += report.handed_over;
            assert_int_equal(report.missed, 0);
            assert_true(report.worst_residual <= 1e-4);
        }
        assert_true(handed_over > 0);
        hashes[threads / 2] = cn_world_hash(world);
        cn_island_report islands[4];
        int count = cn_world_get_island_reports(world, islands, 4);
        for (int i = 0; i < count; i++)
            assert_string_equal(islands[i].solver, islands[i].handed_over ? "body_space" : "soft_step");
        assert_below(cn_world_get_max_penetration(world), 0.003);
        cn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void without_effort_nothing_is_handed_over(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int asked = 0; asked < 2; asked++) {
        cn_world_def def = restless();
        def.tolerance = asked ? 1e-6f : 0.0f;
        def.effort = 0;
        cn_world *world = two_towers(&def);
        cn_step_report report = advance(world, 30);
        assert_int_equal(report.handed_over, 0);
        assert_int_equal(report.missed > 0, asked);
        hashes[asked] = cn_world_hash(world);
        cn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

// What nobody can reach is missed, not pretended; the better answer is taken all the same, and now and then it is tried again.
static void an_accuracy_out_of_reach_is_missed(void **state)
{
    (void)state;
    cn_world_def def = restless();
    def.tolerance = 1e-30f;
    cn_world *world = two_towers(&def);
    int tries = 0;
    for (int i = 0; i < 130; i++) {
        cn_step_report report = advance(world, 1);
        cn_island_report islands[4];
        int count = cn_world_get_island_reports(world, islands, 4);
        assert_true(report.missed >= 2); // a ball may be exactly right
        for (int k = 0; k < count; k++) {
            if (!islands[k].handed_over)
                continue;
            tries++;
            assert_true(islands[k].residual.value < islands[k].first_residual);
            assert_below(islands[k].residual.value, 1e-4);
        }
    }
    assert_in_range(tries, 3, 12); // three islands, at steps 1, 61 and 121 or a little later
    cn_world_destroy(world);
}

// A heavy cube on a light one, with every solver there is: none lets it fall through, and the good ones hold it.
static void every_solver_runs_in_the_engine(void **state)
{
    (void)state;
    for (int s = 0; cn_solver_name(s) != NULL; s++) {
        cn_world_def def = restless();
        def.solver = cn_solver_name(s);
        def.measure = true;
        cn_world *world = open_world(&def);
        add_ground(world, 0.6f, 0.0f);
        add_cube(world, 0.0, 0.5, 100.0f);
        cn_body_id top = add_cube(world, 0.0, 1.5, 300.0f);
        cn_step_report report = advance(world, 90);
        cn_pos3 center = cn_body_get_center(world, top);
        if (!(fabs(center.y - 1.5) < 0.02 && hypot(center.x, center.z) < 0.02))
            fail_msg("%s: the upper cube is at (%g, %g, %g), residual %g", def.solver, center.x, center.y, center.z,
                     report.residual.value);
        cn_island_report island;
        assert_int_equal(cn_world_get_island_reports(world, &island, 1), 1);
        if (island.refused)
            fail_msg("%s refused two cubes: %s", def.solver, cn_last_error());
        cn_world_destroy(world);
    }
}

// What contacts can do besides: a belt, a platform that moves, a bounce, resistance to rolling, a locked axis.
static void exact_solvers_know_all_contacts(void **state)
{
    (void)state;
    for (int substeps = 1; substeps <= 3; substeps += 2) {
        cn_world_def def = restless();
        def.solver = "newton";
        def.substeps = substeps;
        cn_world *world = open_world(&def);
        cn_shape_def slab = solid_def(cn_box(4.0f, 0.5f, 4.0f), 0.8f, 0.0f), belt = slab;
        belt.material.surface_velocity = cn_v3(1.0f, 0.0f, 0.0f);
        add_upright(world, CN_STATIC, cn_p3(0.0, -0.5, 0.0), &belt);
        cn_body_id platform = add_upright(world, CN_KINEMATIC, cn_p3(0.0, -0.5, 20.0), &slab);
        set_motion(world, platform, cn_v3(0.0f, 0.0f, 0.5f), cn_v3(0.0f, 0.0f, 0.0f));
        cn_body_id on_belt = add_cube(world, -2.0, 0.5, 100.0f);
        cn_shape_def cube = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.8f, 0.0f);
        cn_body_id on_platform = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5, 20.0), &cube);
        add_upright(world, CN_STATIC, cn_p3(0.0, -0.5, 40.0), &slab);
        cn_shape_def ball = solid_def(cn_sphere(0.5f), 0.8f, 0.5f);
        cn_body_id bouncing = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 2.5, 40.0), &ball);
        cn_shape_def slow = solid_def(cn_sphere(0.5f), 0.8f, 0.0f);
        slow.material.rolling_resistance = 0.1f;
        cn_body_id rolling = add_upright(world, CN_DYNAMIC, cn_p3(2.0, 0.5, 40.0), &slow);
        set_motion(world, rolling, cn_v3(0.0f, 0.0f, 1.0f), cn_v3(2.0f, 0.0f, 0.0f));
        cn_body_id locked = add_upright(world, CN_DYNAMIC, cn_p3(-2.0, 0.5, 40.0), &cube);
        assert_true(cn_body_set_locks(world, locked, CN_LOCK_LINEAR_X));
        set_motion(world, locked, cn_v3(0.0f, 0.0f, 1.0f), cn_v3(0.0f, 0.0f, 0.0f));
        double highest = 0.0;
        for (int i = 0; i < 90; i++) {
            advance(world, 1);
            if (i > 45) // it has bounced once
                highest = fmax(highest, cn_body_get_center(world, bouncing).y);
        }
        assert_near(cn_body_get_linear_velocity(world, on_belt).x, 1.0, 1e-3);
        assert_near(cn_body_get_linear_velocity(world, on_platform).z, 0.5, 1e-3);
        assert_near(highest, 0.5 + 0.5 * 0.5 * 2.0, 1e-3); // e^2 h, seen once per step
        assert_near(cn_body_get_linear_velocity(world, rolling).z, 0.0, 1e-3);
        assert_true(cn_body_get_center(world, locked).x == -2.0);
        assert_near(cn_body_get_linear_velocity(world, locked).z, 0.0, 1e-3);
        cn_world_destroy(world);
    }
}

static void a_captured_problem_is_the_step(void **state)
{
    (void)state;
    cn_world_def def = restless();
    def.solver = "newton";
    cn_world *world = two_towers(&def);
    advance(world, 30);
    assert_null(cn_world_take_problem(world));
    assert_non_null(strstr(cn_last_error(), "cn_world_set_capture"));
    assert_true(cn_world_set_capture(world, true));
    cn_step_report report = advance(world, 1);
    cn_problem *problem = cn_world_take_problem(world);
    assert_non_null(problem);
    assert_null(cn_world_take_problem(world));
    cn_energy energy = cn_world_get_energy(world);
    cn_world_destroy(world); // the problem outlives it
    assert_int_equal(problem->block_count, report.points);
    assert_int_equal(problem->body_count, 10);
    double *r = calloc((size_t)problem->row_count, sizeof *r), up = 0.0;
    cn_lab_report solved = cn_lab_solve(problem, "newton", NULL, r);
    assert_true(solved.converged);
    // What the ground carries is the weight; between the cubes each impulse acts both ways.
    double(*velocities)[6] = calloc((size_t)problem->body_count, sizeof *velocities);
    cn_problem_velocities(problem, r, velocities);
    for (int i = 0; i < problem->body_count; i++)
        up += (velocities[i][1] - problem->bodies[i].velocity[1]) / problem->bodies[i].inverse_mass[1][1];
    assert_relative(up, energy.mass * 10.0 / 60.0, 1e-5);
    free(velocities);
    free(r);
    cn_problem_destroy(problem);
}

static void bad_wishes_are_refused(void **state)
{
    (void)state;
    cn_world_def def = restless();
    def.tolerance = -1.0f;
    assert_null(cn_world_create(&def));
    assert_non_null(strstr(cn_last_error(), "def.tolerance"));
    def.tolerance = 0.0f;
    def.effort = -1;
    assert_null(cn_world_create(&def));
    def.effort = 1000;
    cn_world *world = open_world(&def);
    assert_false(cn_world_set_tolerance(world, NAN));
    assert_true(cn_world_set_tolerance(world, 1e-3f));
    assert_true(cn_world_set_measure(world, true));
    assert_true(cn_world_set_solver(world, "model_pgs"));
    assert_false(cn_world_set_solver(world, "newtom"));
    assert_non_null(strstr(cn_last_error(), "did you mean \"newton\""));
    cn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measuring_changes_no_bit),        cmocka_unit_test(residuals_tell_solvers_apart),
        cmocka_unit_test(an_asked_accuracy_is_reached),    cmocka_unit_test(without_effort_nothing_is_handed_over),
        cmocka_unit_test(an_accuracy_out_of_reach_is_missed),
        cmocka_unit_test(every_solver_runs_in_the_engine), cmocka_unit_test(exact_solvers_know_all_contacts),
        cmocka_unit_test(a_captured_problem_is_the_step),  cmocka_unit_test(bad_wishes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
