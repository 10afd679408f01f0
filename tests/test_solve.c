// What every fast solver must do, whatever its method: hold a stack, keep momentum, add no energy. And what only one of them
// promises. Those of the laboratory have tests of their own.
#include "scene.h"
#include "solve/solve.h"

#include <string.h>

#define FOR_EACH_SOLVER(name)                                                                                                  \
    for (int solver_ = 0; cn_solvers[solver_].model_solver == NULL && (name = cn_solver_name(solver_)) != NULL; solver_++)

static cn_world_def solved_by(const char *solver)
{
    cn_world_def def = restless();
    def.solver = solver;
    return def;
}

static void every_solver_has_a_name_and_a_summary(void **state)
{
    (void)state;
    int count = 0;
    for (const char *name; (name = cn_solver_name(count)) != NULL;) {
        assert_true(strlen(name) > 0 && strlen(cn_solver_summary(count)) > 0);
        for (int i = 0; i < count; i++)
            assert_string_not_equal(name, cn_solver_name(i));
        count++;
    }
    assert_true(count >= 19);
    assert_null(cn_solver_summary(count));
    cn_world_def def = cn_world_def_default();
    assert_string_equal(def.solver, "soft_step");
}

// A solver may be changed between two steps of a pile at rest.
static void solvers_can_take_turns(void **state)
{
    (void)state;
    cn_world_def def = restless();
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def box = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    cn_body_id top = { 0 };
    for (int i = 0; i < 3; i++)
        top = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + i, 0.0), &box);
    for (int round = 0; round < 5; round++) {
        const char *name;
        FOR_EACH_SOLVER(name)
        {
            assert_true(cn_world_set_solver(world, name));
            assert_string_equal(cn_world_get_solver(world), name);
            advance(world, 20);
            assert_near(cn_body_get_center(world, top).y, 2.5, 0.05);
        }
    }
    cn_world_destroy(world);
}

// ---- for each solver

// A world with ground, and the cube to put onto it.
static cn_world *open_with_ground(const char *solver, cn_shape_def *cube)
{
    cn_world_def def = solved_by(solver);
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    *cube = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    return world;
}

static void a_box_rests(void **state)
{
    (void)state;
    const char *name;
    FOR_EACH_SOLVER(name)
    {
        cn_shape_def shape;
        cn_world *world = open_with_ground(name, &shape);
        cn_body_id box = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.7, 0.0), &shape);
        advance(world, 180);
        cn_pos3 place = cn_body_get_center(world, box);
        float speed = cn_length(cn_body_get_linear_velocity(world, box));
        print_message("%-10s one box: height %.5f, speed %.1e\n", name, place.y, (double)speed);
        assert_near(place.y, 0.5, 0.01);
        assert_near(hypot(place.x, place.z), 0.0, 1e-3);
        assert_below(speed, 1e-3);
        cn_world_destroy(world);
    }
}

static void a_stack_of_four_stands(void **state)
{
    (void)state;
    const char *name;
    FOR_EACH_SOLVER(name)
    {
        cn_shape_def shape;
        cn_world *world = open_with_ground(name, &shape);
        cn_body_id stack[4];
        for (int i = 0; i < 4; i++)
            stack[i] = add_upright(world, CN_DYNAMIC, cn_p3(0.01 * i, 0.5 + i, 0.0), &shape);
        advance(world, 600);
        double worst = 0.0;
        for (int i = 0; i < 4; i++)
            worst = fmax(worst, position_distance(cn_body_get_center(world, stack[i]), cn_p3(0.01 * i, 0.5 + i, 0.0)));
        double depth = cn_world_get_max_penetration(world);
        print_message("%-10s stack of 4 after 10 s: moved %.5f, overlap %.5f\n", name, worst, depth);
        assert_below(worst, 0.05);
        assert_below(depth, 0.02);
        cn_world_destroy(world);
    }
}

static void momentum_is_kept(void **state)
{
    (void)state;
    const char *name;
    FOR_EACH_SOLVER(name)
    {
        cn_world_def def = solved_by(name);
        def.gravity = cn_v3(0.0f, 0.0f, 0.0f);
        cn_world *world = open_world(&def);
        double linear = 0.0, angular = 0.0;
        const double zero[3] = { 0.0, 0.0, 0.0 };
        for (int i = 0; i < 64; i++) {
            int x = i % 4, y = i / 4 % 4, z = i / 16;
            cn_shape_def shape = solid_def(i % 2 == 0 ? cn_sphere(0.5f) : cn_box(0.4f, 0.3f, 0.35f), 0.6f, 0.0f);
            cn_pos3 place = { 1.3 * (x - 1.5), 1.3 * (y - 1.5), 1.3 * (z - 1.5) };
            cn_body_id body = add_upright(world, CN_DYNAMIC, place, &shape);
            cn_vec3 v = { (float)(-2.0 * place.x) + 0.3f * (float)(i % 7), (float)-place.y, (float)-place.z };
            set_motion(world, body, v, cn_v3(0.5f * (float)(i % 4), 1.0f, -0.7f));
            double mass = (double)cn_body_get_mass(world, body).mass;
            linear += mass * (double)cn_length(v);
            angular += mass * (double)cn_length(v) * position_distance(place, cn_p3(0.0, 0.0, 0.0));
        }
        cn_energy start = cn_world_get_energy(world);
        double most = start.kinetic;
        for (int i = 0; i < 120; i++) {
            advance(world, 1);
            most = fmax(most, cn_world_get_energy(world).kinetic);
        }
        cn_energy end = cn_world_get_energy(world);
        double drift = distance3(start.linear_momentum, end.linear_momentum) / linear;
        double turn_drift = distance3(start.angular_momentum, end.angular_momentum) / angular;
        print_message("%-10s cloud: drift of momentum %.1e, of angular momentum %.1e, energy %.3f of the start, at most %.3f\n",
                      name, drift, turn_drift, end.kinetic / start.kinetic, most / start.kinetic);
        assert_below(drift, 1e-6);
        assert_below(turn_drift, 4e-4); // levers move within a step, and bodies that are hit on their way turn by the difference
        assert_true(distance3(start.linear_momentum, zero) > 0.0);
        assert_below(most, 1.01 * start.kinetic);
        cn_world_destroy(world);
    }
}

// A pile that has come to rest stays calm: neither moves faster again nor climbs.
static void a_pile_at_rest_gains_no_energy(void **state)
{
    (void)state;
    const char *name;
    FOR_EACH_SOLVER(name)
    {
        cn_shape_def shape;
        cn_world *world = open_with_ground(name, &shape);
        for (int row = 0; row < 8; row++)
            for (int i = 0; i < 8 - row; i++)
                add_upright(world, CN_DYNAMIC, cn_p3(1.02 * i + 0.51 * row, 0.5 + row, 0.0), &shape);
        advance(world, 300);
        cn_energy start = cn_world_get_energy(world);
        double kinetic = 0.0, climbed = 0.0;
        for (int i = 0; i < 300; i++) {
            advance(world, 1);
            cn_energy now = cn_world_get_energy(world);
            kinetic = fmax(kinetic, now.kinetic / now.mass);
            climbed = fmax(climbed, (now.potential - start.potential) / now.mass);
        }
        print_message("%-10s pyramid at rest: kinetic energy %.1e J/kg at most, potential grows by %.1e J/kg, overlap %.5f\n",
                      name, kinetic, climbed, cn_world_get_max_penetration(world));
        assert_below(kinetic, 1e-5);
        assert_below(climbed, 1e-3);
        cn_world_destroy(world);
    }
}

// ---- pgs

static cn_world *open_pgs_stack(float early_exit)
{
    cn_world_def def = solved_by("pgs");
    def.iterations = 50;
    def.early_exit = early_exit;
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    for (int i = 0; i < 4; i++)
        add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + i, 0.0), &shape);
    return world;
}

static void pgs_stops_early_when_asked(void **state)
{
    (void)state;
    cn_world *full = open_pgs_stack(0.0f), *early = open_pgs_stack(1e-3f);
    cn_step_report report_full = advance(full, 300), report_early = advance(early, 300);
    print_message("pgs: %d sweeps in full, %d with early exit\n", report_full.iterations, report_early.iterations);
    assert_int_equal(report_full.iterations, 50);
    assert_in_range(report_early.iterations, 1, 25); // at rest, warm starting leaves little to do
    assert_below(cn_world_get_max_penetration(early), 0.02);
    cn_world_destroy(full);
    cn_world_destroy(early);
}

// Two overlapping boxes in free space are pushed apart without gaining speed.
static void nudges_remove_overlap_and_add_no_velocity(void **state)
{
    (void)state;
    cn_world_def def = solved_by("pgs");
    def.gravity = cn_v3(0.0f, 0.0f, 0.0f);
    def.position_correction = CN_CORRECT_NUDGE;
    cn_world *world = open_world(&def);
    cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
    cn_body_id a = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.0, 0.0), &shape);
    cn_body_id b = add_upright(world, CN_DYNAMIC, cn_p3(0.9, 0.0, 0.0), &shape);
    for (int i = 0; i < 120; i++) {
        advance(world, 1);
        assert_below(cn_length(cn_body_get_linear_velocity(world, a)), 1e-5);
        assert_below(cn_length(cn_body_get_linear_velocity(world, b)), 1e-5);
    }
    double left = 1.0 - (cn_body_get_center(world, b).x - cn_body_get_center(world, a).x);
    print_message("pgs, nudges: %.5f of 0.1 m overlap left\n", left);
    assert_near(left, 0.0, 0.01);
    cn_world_destroy(world);
}

// ---- mass_split

enum { PILE = 60 };

// The same pile, the bodies of each layer created in another order; places[i] is where the body of the i-th place ends. Layers
// keep their order, since which of two shapes comes first also decides how their manifold is built.
static void drop_pile(const char *solver, int stride, cn_pos3 places[PILE])
{
    cn_world_def def = solved_by(solver);
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    cn_body_id bodies[PILE];
    for (int n = 0; n < PILE; n++) {
        int layer = n / 12, within = n * stride % 12, x = within % 4, z = within / 4;
        cn_shape_def shape = solid_def(cn_box(0.5f, 0.5f, 0.5f), 0.6f, 0.0f);
        bodies[12 * layer + within] =
            add_upright(world, CN_DYNAMIC, cn_p3(1.1 * x + 0.3 * layer, 0.5 + layer, 1.1 * z + 0.2 * layer), &shape);
    }
    advance(world, 30);
    for (int i = 0; i < PILE; i++)
        places[i] = cn_body_get_center(world, bodies[i]);
    cn_world_destroy(world);
}

static double order_matters_by(const char *solver)
{
    cn_pos3 first[PILE], second[PILE];
    double worst = 0.0;
    drop_pile(solver, 1, first);
    drop_pile(solver, 5, second);
    for (int i = 0; i < PILE; i++)
        worst = fmax(worst, position_distance(first[i], second[i]));
    return worst;
}

static void mass_splitting_does_not_depend_on_the_order(void **state)
{
    (void)state;
    const char *name;
    FOR_EACH_SOLVER(name)
    print_message("%-10s pile built in another order: differs by %.1e m\n", name, order_matters_by(name));
    assert_below(order_matters_by("mass_split"), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_has_a_name_and_a_summary),
        cmocka_unit_test(solvers_can_take_turns),
        cmocka_unit_test(a_box_rests),
        cmocka_unit_test(a_stack_of_four_stands),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(a_pile_at_rest_gains_no_energy),
        cmocka_unit_test(pgs_stops_early_when_asked),
        cmocka_unit_test(nudges_remove_overlap_and_add_no_velocity),
        cmocka_unit_test(mass_splitting_does_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
