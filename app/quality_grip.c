// More contacts than it takes: a box between two fingers, and a table on four legs. At the defaults, when an accuracy is asked
// for, and with an exact solver the load is shared, and nothing creeps.
#include "quality.h"

#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct way_to_solve {
    const char *name, *solver; // NULL: as the command line says
    double tolerance;
} way_to_solve;

static const way_to_solve ways[] = { { "as given", NULL, 0.0 }, { "tolerance 1e-4", NULL, 1e-4 }, { "newton", "newton", 0.0 } };
enum { WAYS = sizeof ways / sizeof ways[0] };

static cn_settings solved_by(const cn_quality *quality, const way_to_solve *way)
{
    cn_settings settings = quality->settings;
    for (int i = 0; way->solver != NULL && cn_solver_name(i) != NULL; ++i)
        if (strcmp(cn_solver_name(i), way->solver) == 0)
            settings.solver = i;
    if (way->tolerance > 0.0)
        settings.tolerance = way->tolerance;
    return settings;
}

// ---- grip

typedef enum hand_motion { STILL, SHAKEN, SWUNG, MOTION_COUNT } hand_motion;

typedef struct grip {
    hand_motion motion;
    cn_body_id hand, load;
    cn_joint_id slider;
    bool settled;
    cn_vec3 place; // of the load in the hand, when it had settled
    double creep;  // the furthest from there, m
} grip;

static cn_body_id add_finger(cn_build *build, double x)
{
    return cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ x, -0.08, 0.0 }, cn_box(0.01f, 0.05f, 0.02f));
}

// 0.5 kg between a finger that is fixed to the hand and one that a motor presses with 30 N: with friction 0.6 seven times its
// weight can be held.
static void add_grip(cn_build *build, grip *g)
{
    build->density = 2000.0f;
    g->hand = cn_build_upright(build, CN_KINEMATIC, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_box(0.1f, 0.02f, 0.02f));
    cn_body_id fixed = add_finger(build, -0.051), moving = add_finger(build, 0.051);
    build->density = 0.5f / (0.08f * 0.08f * 0.08f);
    g->load = cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.0, -0.1, 0.0 }, cn_box(0.04f, 0.04f, 0.04f));
    cn_joint_def weld = cn_fixed_joint(build->world, g->hand, fixed, cn_build_anchor(build, -0.051, -0.03, 0.0));
    cn_build_joint(build, &weld);
    cn_joint_def slide =
        cn_slider_joint(build->world, g->hand, moving, cn_build_anchor(build, 0.051, -0.03, 0.0), cn_v3(-1.0f, 0.0f, 0.0f));
    slide.axes[CN_X].motor = CN_MOTOR_SPEED;
    slide.axes[CN_X].motor_target = 0.5f;
    slide.axes[CN_X].motor_max_force = 30.0f;
    g->slider = cn_build_joint(build, &slide);
}

// What the hand does after the first second: nothing, 5 mm back and forth three times a second in all directions, or a circle
// of 0.3 m in four seconds on an arm that turns with it.
static bool move_hand(void *context, const cn_build *build, double time)
{
    const double begins = 1.0;
    grip *g = context;
    cn_transform hand = cn_body_get_transform(build->world, g->hand);
    cn_vec3 from_hand = cn_pos_sub(cn_body_get_center(build->world, g->load), hand.position);
    cn_vec3 place = cn_rotate(cn_quat_conj(hand.rotation), from_hand);
    if (time < begins)
        return true;
    if (!g->settled)
        g->place = place;
    g->settled = true;
    g->creep = fmax(g->creep, (double)cn_length(cn_sub(place, g->place)));
    const double shake = 2.0 * (double)CN_PI * 3.0, turn = 0.5 * (double)CN_PI;
    double t = time - begins, speed = 0.005 * shake * cos(shake * t) / sqrt(3.0);
    cn_vec3 linear = { 0.0f, 0.0f, 0.0f }, angular = { 0.0f, 0.0f, 0.0f };
    if (g->motion == SHAKEN)
        linear = cn_v3((float)speed, (float)speed, (float)speed);
    if (g->motion == SWUNG) {
        linear = cn_v3((float)(0.3 * turn * cos(turn * t)), 0.0f, (float)(-0.3 * turn * sin(turn * t)));
        angular.y = (float)turn;
    }
    cn_body_set_linear_velocity(build->world, g->hand, linear);
    cn_body_set_angular_velocity(build->world, g->hand, angular);
    return true;
}

static void grip_case(cn_quality *quality, hand_motion motion, const way_to_solve *way)
{
    static const char *const words[MOTION_COUNT] = { "still", "shaken", "swung" };
    // Micrometres while nothing moves; what moves is carried to the float's last digits of its rotation, which add up.
    static const double most_creep[MOTION_COUNT] = { 1e-5, 1e-3, 1e-3 };
    cn_settings asked = quality->settings;
    grip g = { .motion = motion };
    cn_build build;
    cn_case_begin(quality, "grip");
    quality->settings = solved_by(quality, way);
    cn_quality_open(quality, &build, 10.0f);
    add_grip(&build, &g);
    cn_quality_run(quality, &build, 61.0, move_hand, &g);
    double force = build.failed ? (double)NAN : (double)cn_joint_get_reaction(build.world, g.slider).motor_force[CN_X];
    cn_quality_close(quality, &build);
    quality->settings = asked;
    cn_case_label(quality, "hand", words[motion]);
    cn_case_label(quality, "way", way->name);
    cn_case_number(quality, "force", force, "N");
    cn_case_limit(quality, "creep", g.settled ? g.creep : (double)NAN, "m", most_creep[motion]);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_grip(cn_quality *quality)
{
    for (hand_motion motion = STILL; motion < MOTION_COUNT; ++motion)
        for (int i = 0; i < WAYS; ++i)
            grip_case(quality, motion, &ways[i]);
}

// ---- table

enum { LEGS = 4 };

// What a leg presses on the floor, N.
static void leg_loads(const cn_build *build, cn_body_id table, double dt, double loads[LEGS])
{
    cn_contact_data contacts[2 * LEGS]; // on the floor and on top
    cn_pos3 center = cn_body_get_center(build->world, table);
    int count = cn_body_get_contacts(build->world, table, contacts, 2 * LEGS);
    memset(loads, 0, sizeof(double) * LEGS);
    for (int i = 0; i < count && i < 2 * LEGS; ++i) {
        for (int k = 0; k < contacts[i].point_count; ++k) {
            cn_vec3 from = cn_pos_sub(contacts[i].points[k].position, center);
            if (from.y < 0.0f)
                loads[(from.x > 0.0f) + 2 * (from.z > 0.0f)] += (double)contacts[i].points[k].normal_impulse / dt;
        }
    }
}

static cn_body_id add_table(cn_build *build)
{
    build->density = 100.0f;
    cn_body_id table = cn_build_body(build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.8, 0.0 }, (cn_quat){ 0.0f, 0.0f, 0.0f, 1.0f });
    cn_pose at = { .rotation = { 0.0f, 0.0f, 0.0f, 1.0f } };
    cn_build_shape(build, table, cn_box(0.8f, 0.02f, 0.5f), at);
    for (int i = 0; i < LEGS; ++i) {
        at.position = cn_v3(i & 1 ? 0.7f : -0.7f, -0.4f, i & 2 ? 0.4f : -0.4f);
        cn_build_shape(build, table, cn_box(0.03f, 0.4f, 0.03f), at);
    }
    return table;
}

// A table, alone and with a box of 20 kg in the middle: by symmetry each leg carries a quarter, though three could carry it
// all.
static void table_case(cn_quality *quality, bool laden, const way_to_solve *way)
{
    const double gravity = 10.0, seconds = 60.0;
    cn_settings asked = quality->settings;
    double loads[LEGS], weight = 0.0, uneven = 0.0;
    cn_build build;
    cn_case_begin(quality, "table");
    quality->settings = solved_by(quality, way);
    cn_quality_open(quality, &build, (float)gravity);
    cn_build_ground(&build);
    cn_body_id table = add_table(&build), box = table;
    if (laden) {
        build.density = 20.0f / (0.2f * 0.2f * 0.2f);
        box = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.92, 0.0 }, cn_box(0.1f, 0.1f, 0.1f));
    }
    cn_quality_run(quality, &build, 1.0, NULL, NULL);
    cn_pos3 *from = cn_copy_centers(&build);
    cn_quality_run(quality, &build, seconds, NULL, NULL);
    double creep = from != NULL ? cn_longest_way(&build, from) : (double)NAN;
    if (!build.failed) {
        weight = gravity *
                 (double)(cn_body_get_mass(build.world, table).mass + (laden ? cn_body_get_mass(build.world, box).mass : 0.0f));
        leg_loads(&build, table, quality->settings.dt, loads);
        for (int i = 0; i < LEGS; ++i)
            uneven = fmax(uneven, cn_percent_off(loads[i], weight / LEGS));
    }
    free(from);
    cn_quality_close(quality, &build);
    quality->settings = asked;
    cn_case_label(quality, "load", laden ? "20 kg" : "none");
    cn_case_label(quality, "way", way->name);
    cn_case_number(quality, "weight", weight, "N");
    cn_case_limit(quality, "uneven", weight > 0.0 ? uneven : (double)NAN, "%", 1.0);
    cn_case_limit(quality, "creep", creep, "m", 1e-5);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_table(cn_quality *quality)
{
    for (int laden = 0; laden < 2; ++laden)
        for (int i = 0; i < WAYS; ++i)
            table_case(quality, laden != 0, &ways[i]);
}
