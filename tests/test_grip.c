// Problems with more contacts than it takes: of all answers the solvers of the contact model take one that shares the load.
#include "scene.h"

#include <string.h>

static cn_body_id add_box(cn_world *world, cn_body_type type, cn_pos3 place, cn_vec3 half, float density)
{
    cn_shape_def def = solid_def(cn_box(half.x, half.y, half.z), 0.6f, 0.0f);
    def.density = density;
    return add_upright(world, type, place, &def);
}

// 0.5 kg between a finger that is fixed to a hand and one that a motor presses with 30 N.
static cn_body_id add_grip(cn_world *world)
{
    const cn_vec3 finger = { 0.01f, 0.05f, 0.02f };
    cn_body_id hand = add_box(world, CN_KINEMATIC, cn_p3(0.0, 1.2, 0.0), cn_v3(0.1f, 0.02f, 0.02f), 1.0f);
    cn_body_id fixed = add_box(world, CN_DYNAMIC, cn_p3(-0.051, 1.12, 0.0), finger, 2000.0f);
    cn_body_id moving = add_box(world, CN_DYNAMIC, cn_p3(0.051, 1.12, 0.0), finger, 2000.0f);
    cn_joint_def weld = cn_fixed_joint(world, hand, fixed, cn_p3(-0.051, 1.17, 0.0));
    cn_joint_def slide = cn_slider_joint(world, hand, moving, cn_p3(0.051, 1.17, 0.0), cn_v3(-1.0f, 0.0f, 0.0f));
    slide.axes[CN_X].motor = CN_MOTOR_SPEED;
    slide.axes[CN_X].motor_target = 0.5f;
    slide.axes[CN_X].motor_max_force = 30.0f;
    assert_false(CN_IS_NULL(cn_joint_create(world, &weld)));
    assert_false(CN_IS_NULL(cn_joint_create(world, &slide)));
    return add_box(world, CN_DYNAMIC, cn_p3(0.0, 1.1, 0.0), cn_v3(0.04f, 0.04f, 0.04f), 1000.0f);
}

// The hardest pressed point of a body against the mean of all.
static float unevenness(const cn_world *world, cn_body_id body)
{
    cn_contact_data contacts[8];
    int count = cn_body_get_contacts(world, body, contacts, 8), points = 0;
    float sum = 0.0f, most = 0.0f;
    for (int i = 0; i < count && i < 8; i++) {
        for (int k = 0; k < contacts[i].point_count; k++, points++) {
            sum += contacts[i].points[k].normal_impulse;
            most = fmaxf(most, contacts[i].points[k].normal_impulse);
        }
    }
    return most * (float)points / sum;
}

static void hold(const char *solver, float tolerance, int steps)
{
    const float step = 1.0f / 240.0f;
    cn_world_def def = restless();
    def.solver = solver != NULL ? solver : def.solver;
    def.tolerance = tolerance;
    def.measure = true;
    cn_world *world = open_world(&def);
    cn_body_id load = add_grip(world);
    float fastest = 0.0f;
    double worst = 0.0;
    for (int i = 0; i < steps; i++) {
        cn_step_report report = cn_world_step(world, step);
        if (i < 60)
            continue;
        fastest = fmaxf(fastest, cn_length(cn_body_get_linear_velocity(world, load)));
        worst = fmax(worst, report.residual.value);
    }
    if (fastest > 1e-4f || worst > 1e-4 || !(unevenness(world, load) < 2.0f))
        fail_msg("%s, tolerance %g: %g m/s, residual %g, the hardest pressed corner has %g of its share",
                 solver != NULL ? solver : "default", (double)tolerance, (double)fastest, worst,
                 (double)unevenness(world, load));
    cn_world_destroy(world);
}

// The load must not end on one pair of corners: then friction cannot keep the box from swinging about them.
static void a_grip_holds_with_every_exact_solver(void **state)
{
    (void)state;
    const char *const solvers[] = { "newton", "body_space", "dantzig", "lemke", "nncg", "mprgp" };
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        hold(solvers[i], 0.0f, strcmp(solvers[i], "lemke") == 0 ? 150 : 600);
    hold(NULL, 1e-4f, 600);
}

// Solvers that sweep stay near where they began instead.
static const char *const even_solvers[] = { "newton", "body_space", "dantzig" };
enum { EVEN_SOLVERS = sizeof even_solvers / sizeof *even_solvers };

static cn_world *open_floor(const char *solver)
{
    cn_world_def def = restless();
    def.solver = solver;
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    return world;
}

// The legs of a table are shapes of one body, and three of them could carry it.
static void the_legs_of_a_table_carry_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < EVEN_SOLVERS; i++) {
        cn_world *world = open_floor(even_solvers[i]);
        cn_shape_def part = solid_def(cn_box(0.8f, 0.02f, 0.5f), 0.6f, 0.0f);
        cn_body_id table = add_upright(world, CN_DYNAMIC, cn_p3(0.0, 0.8, 0.0), &part);
        part.geometry = cn_box(0.03f, 0.4f, 0.03f);
        for (int leg = 0; leg < 4; leg++) {
            part.offset.position = cn_v3(leg & 1 ? 0.7f : -0.7f, -0.4f, leg & 2 ? 0.4f : -0.4f);
            assert_false(CN_IS_NULL(cn_shape_create(world, table, &part)));
        }
        add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.92, 0.0), cn_v3(0.1f, 0.1f, 0.1f), 1000.0f);
        advance(world, 120);
        cn_contact_data contacts[8];
        int count = cn_body_get_contacts(world, table, contacts, 8);
        float least = INFINITY, most = 0.0f;
        for (int k = 0; k < count; k++) {
            float load = 0.0f;
            for (int q = 0; q < contacts[k].point_count; q++)
                load += contacts[k].points[q].position.y < 0.1 ? contacts[k].points[q].normal_impulse : NAN;
            least = load < least ? load : least; // not a number: the box on top
            most = load > most ? load : most;
        }
        if (!(least > 0.99f * most))
            fail_msg("%s: one leg carries %g, another %g", even_solvers[i], (double)least, (double)most);
        cn_world_destroy(world);
    }
}

static void boxes_press_evenly(void **state)
{
    (void)state;
    for (int i = 0; i < EVEN_SOLVERS; i++) {
        cn_world *world = open_floor(even_solvers[i]);
        cn_body_id boxes[3];
        for (int k = 0; k < 3; k++)
            boxes[k] = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + k, 0.0), cn_v3(0.5f, 0.5f, 0.5f), 100.0f);
        advance(world, 120);
        if (!(unevenness(world, boxes[2]) < 1.01f))
            fail_msg("%s: the top of a tower has a corner with %g of its share", even_solvers[i],
                     (double)unevenness(world, boxes[2]));
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grip_holds_with_every_exact_solver),
        cmocka_unit_test(the_legs_of_a_table_carry_the_same),
        cmocka_unit_test(boxes_press_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
