// Problems with more contacts than it takes: of all answers every solver of the contact model takes the least one, which shares
// the load, from rest and after it was put down askew.
#include "scene.h"
#include "solve/solve.h"

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
    if (fastest > 1e-4f || worst > 1e-4 || !(unevenness(world, load) < 1.02f))
        fail_msg("%s, tolerance %g: %g m/s, residual %g, the hardest pressed corner has %g of its share",
                 solver != NULL ? solver : "default", (double)tolerance, (double)fastest, worst,
                 (double)unevenness(world, load));
    cn_world_destroy(world);
}

// All that solve the contact model, by the table of solvers; NULL past the end.
static const char *exact_solver(int index)
{
    for (const cn_solver *solver = cn_solvers; solver->name != NULL; solver++)
        if (solver->model_solver != NULL && index-- == 0)
            return solver->name;
    return NULL;
}

// The load must not end on one pair of corners: then friction cannot keep the box from swinging about them.
static void a_grip_holds_with_every_exact_solver(void **state)
{
    (void)state;
    for (int i = 0; exact_solver(i) != NULL; i++)
        hold(exact_solver(i), 0.0f, 180);
    hold("newton", 0.0f, 1200);
    hold(NULL, 1e-4f, 1200);
    hold(NULL, 1e-6f, 600);
}

// ---- loads

typedef struct way_to_solve {
    const char *solver;
    float tolerance;
} way_to_solve;

// Every exact solver, and the default one when it is asked for an accuracy.
static bool way_number(int index, way_to_solve *way)
{
    const char *solver = exact_solver(index);
    *way = (way_to_solve){ solver != NULL ? solver : "soft_step", solver != NULL ? 0.0f : 1e-6f };
    return solver != NULL || exact_solver(index - 1) != NULL;
}

static cn_world *open_floor(way_to_solve way)
{
    cn_world_def def = restless();
    def.solver = way.solver;
    def.tolerance = way.tolerance;
    cn_world *world = open_world(&def);
    add_ground(world, 0.6f, 0.0f);
    return world;
}

// What is put down askew lands on one corner first.
static cn_quat askew(bool tilted)
{
    return tilted ? turn_about(cn_normalize(cn_v3(1.0f, 0.0f, 0.6f)), 0.02) : cn_quat_identity();
}

enum { MOST_POINTS = 32 };

// Points under a body that touch, in x and z from its place, and what they carry.
typedef struct support {
    int count;
    double x[MOST_POINTS], z[MOST_POINTS], load[MOST_POINTS];
} support;

static support support_of(const cn_world *world, cn_body_id body)
{
    cn_contact_data contacts[8];
    cn_pos3 center = cn_body_get_center(world, body);
    int count = cn_body_get_contacts(world, body, contacts, 8);
    support s = { 0 };
    for (int i = 0; i < count && i < 8; i++) {
        for (int k = 0; k < contacts[i].point_count && s.count < MOST_POINTS; k++) {
            cn_vec3 from = cn_pos_sub(contacts[i].points[k].position, center);
            if (from.y > 0.0f || contacts[i].points[k].separation > 1e-4f)
                continue;
            s.x[s.count] = (double)from.x;
            s.z[s.count] = (double)from.z;
            s.load[s.count++] = (double)contacts[i].points[k].normal_impulse;
        }
    }
    return s;
}

// The least loads with the same sum and the same two moments are a + b x + c z: what is left of the loads when that is fitted
// away, as a part of their mean.
static double unlike_least(const support *s)
{
    double m[3][4] = { { 0.0 } }, fit[3], worst = 0.0, mean = 0.0;
    for (int i = 0; i < s->count; i++) {
        const double f[4] = { 1.0, s->x[i], s->z[i], s->load[i] };
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++)
                m[r][c] += f[r] * f[c];
        mean += s->load[i] / s->count;
    }
    for (int r = 0; r < 3; r++)
        for (int below = r + 1; below < 3; below++)
            for (int c = 3; c >= r; c--)
                m[below][c] -= m[below][r] / m[r][r] * m[r][c];
    for (int r = 2; r >= 0; r--) {
        fit[r] = m[r][3];
        for (int c = r + 1; c < 3; c++)
            fit[r] -= m[r][c] * fit[c];
        fit[r] /= m[r][r];
    }
    for (int i = 0; i < s->count; i++)
        worst = fmax(worst, fabs(s->load[i] - fit[0] - fit[1] * s->x[i] - fit[2] * s->z[i]) / mean);
    return worst;
}

// A table whose legs are shapes of one body, three of which could carry it; a box with a weight on one side; a beam on five
// posts.
typedef enum furniture { TABLE, LADEN_BOX, BEAM, FURNITURE_COUNT } furniture;

static cn_body_id add_furniture(cn_world *world, furniture what, bool tilted)
{
    const double lift = tilted ? 0.02 : 0.0, heights[FURNITURE_COUNT] = { 0.8, 0.25, 1.1 };
    const cn_vec3 halves[FURNITURE_COUNT] = { { 0.8f, 0.02f, 0.5f }, { 0.5f, 0.25f, 0.5f }, { 2.5f, 0.1f, 0.1f } };
    cn_quat turn = what == BEAM && tilted ? turn_about(cn_v3(0.0f, 0.0f, 1.0f), 0.01) : askew(tilted);
    cn_shape_def part = solid_def(cn_box(halves[what].x, halves[what].y, halves[what].z), 0.6f, 0.0f);
    part.density = 100.0f;
    cn_body_id body = add_body(world, CN_DYNAMIC, cn_p3(0.0, heights[what] + lift, 0.0), turn, &part);
    for (int i = 0; what == BEAM && i < 5; i++)
        add_box(world, CN_STATIC, cn_p3(i - 2.0, 0.5, 0.0), cn_v3(0.05f, 0.5f, 0.1f), 1.0f);
    for (int leg = 0; what == TABLE && leg < 4; leg++) {
        part.geometry = cn_box(0.03f, 0.4f, 0.03f);
        part.offset.position = cn_v3(leg & 1 ? 0.7f : -0.7f, -0.4f, leg & 2 ? 0.4f : -0.4f);
        assert_false(CN_IS_NULL(cn_shape_create(world, body, &part)));
    }
    if (what == LADEN_BOX) {
        part.geometry = cn_box(0.1f, 0.1f, 0.1f);
        part.density = 2500.0f;
        part.offset.position = cn_v3(0.2f, 0.35f, 0.1f);
        assert_false(CN_IS_NULL(cn_shape_create(world, body, &part)));
    }
    return body;
}

static void loads_are_the_least(void **state)
{
    (void)state;
    const int points[FURNITURE_COUNT] = { 16, 4, 20 };
    way_to_solve way;
    for (int i = 0; way_number(i, &way); i++) {
        for (int k = 0; k < 2 * FURNITURE_COUNT; k++) {
            cn_world *world = open_floor(way);
            cn_body_id body = add_furniture(world, (furniture)(k / 2), k % 2 == 1);
            advance(world, 120);
            support s = support_of(world, body);
            // What was tilted may come to rest on three corners, within the overlap that is allowed.
            if (s.count < (k % 2 == 1 ? 3 : points[k / 2]) || !(unlike_least(&s) < 1e-3))
                fail_msg("%s, scene %d%s: on %d points, one has a load that is off by %g of the mean", way.solver, k / 2,
                         k % 2 == 1 ? ", tilted" : "", s.count, unlike_least(&s));
            cn_world_destroy(world);
        }
    }
}

static void boxes_press_evenly(void **state)
{
    (void)state;
    way_to_solve way;
    for (int i = 0; way_number(i, &way); i++) {
        cn_world *world = open_floor(way);
        cn_body_id boxes[3];
        for (int k = 0; k < 3; k++)
            boxes[k] = add_box(world, CN_DYNAMIC, cn_p3(0.0, 0.5 + k, 0.0), cn_v3(0.5f, 0.5f, 0.5f), 100.0f);
        advance(world, 120);
        if (!(unevenness(world, boxes[2]) < 1.001f))
            fail_msg("%s: the top of a tower has a corner with %g of its share", way.solver,
                     (double)unevenness(world, boxes[2]));
        cn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grip_holds_with_every_exact_solver),
        cmocka_unit_test(loads_are_the_least),
        cmocka_unit_test(boxes_press_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
