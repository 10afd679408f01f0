// Several joints, or a path, at work: gears, racks, pulleys, ragdolls, a cradle, doors and platforms.
#include "quality.h"
#include "scenes.h"

#include "cairn/path.h"
#include "math/vec.h"

#include <math.h>

static const cn_body_id the_world = { 0 };
static const cn_vec3 z_axis = { 0.0f, 0.0f, 1.0f };

// ---- gear, rack, pulley

// A flat square on a hinge about z, with a motor unless its torque is 0.
static cn_body_id add_wheel(cn_build *build, double x, double half, double mass, double speed, double torque,
                            cn_joint_id *hinge)
{
    cn_body_id wheel = cn_add_part(build, (cn_pos3){ x, 0.0, 0.0 }, (cn_vec3){ (float)half, (float)half, 0.1f }, mass);
    cn_joint_def def = cn_hinge_joint(build->world, the_world, wheel, cn_build_anchor(build, x, 0.0, 0.0), z_axis);
    if (torque > 0.0) {
        def.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
        def.axes[CN_TWIST].motor_target = (float)speed;
        def.axes[CN_TWIST].motor_max_force = (float)torque;
    }
    *hinge = cn_build_joint(build, &def);
    return wheel;
}

static double spin_inertia(const cn_build *build, cn_body_id body)
{
    return (double)cn_body_get_mass(build->world, body).inertia.zz;
}

// A motor speeds up a wheel and one that it turns the other way: I_a + I_b / ratio^2 resist it. Then both run for a minute.
static void gear_case(cn_quality *quality, double ratio)
{
    const double torque = 4.0, target = 6.0, early = 0.5;
    cn_build build;
    cn_joint_id hinges[2];
    cn_case_begin(quality, "gear");
    cn_quality_open(quality, &build, 10.0f);
    cn_body_id a = add_wheel(&build, 0.0, 0.5, 2.0, target, torque, &hinges[0]);
    cn_body_id b = add_wheel(&build, 3.0, 1.0, 8.0, 0.0, 0.0, &hinges[1]);
    cn_joint_def def = cn_gear_joint(build.world, a, b, z_axis, z_axis, (float)ratio);
    cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, early, NULL, NULL);
    double first = (double)cn_joint_get_speed(build.world, hinges[0], CN_TWIST);
    double expected = torque * early / (spin_inertia(&build, a) + spin_inertia(&build, b) / (ratio * ratio));
    cn_quality_run(quality, &build, 60.0, NULL, NULL);
    double speed[2], angle[2];
    for (int i = 0; i < 2; ++i) {
        speed[i] = (double)cn_joint_get_speed(build.world, hinges[i], CN_TWIST);
        angle[i] = (double)cn_joint_get_place(build.world, hinges[i], CN_TWIST);
    }
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "ratio", ratio);
    cn_case_limit(quality, "early_error", cn_percent_off(first, expected), "%", 0.1);
    cn_case_number(quality, "speed_a", speed[0], "rad/s");
    cn_case_number(quality, "speed_b", speed[1], "rad/s");
    cn_case_limit(quality, "ratio_error", cn_percent_off(-speed[0] / speed[1], ratio), "%", 0.1);
    cn_case_limit(quality, "drift", fabs(angle[0] + ratio * angle[1]), "rad", 1e-3);
    cn_case_end(quality, true);
}

void cn_quality_gear(cn_quality *quality)
{
    gear_case(quality, 2.0);
    gear_case(quality, 0.37);
    gear_case(quality, -5.0);
}

// A motor turns a pinion that lifts a rack: torque minus its weight times the radius, over I + m radius^2.
void cn_quality_rack(cn_quality *quality)
{
    const double radius = 0.3, mass = 3.0, gravity = 10.0, torque = 12.0, target = 4.0, early = 0.25;
    const cn_vec3 up = { 0.0f, 1.0f, 0.0f };
    cn_build build;
    cn_joint_id hinge;
    cn_case_begin(quality, "rack");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id pinion = add_wheel(&build, 0.0, radius, 2.0, target, torque, &hinge);
    cn_body_id rack = cn_add_part(&build, (cn_pos3){ radius, 0.0, 0.0 }, (cn_vec3){ 0.1f, 1.0f, 0.1f }, mass);
    cn_joint_def slide = cn_slider_joint(build.world, the_world, rack, cn_build_anchor(&build, radius, 0.0, 0.0), up);
    cn_joint_id slider = cn_build_joint(&build, &slide);
    cn_joint_def def = cn_rack_joint(build.world, pinion, rack, z_axis, up, (float)radius);
    cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, early, NULL, NULL);
    double first = (double)cn_joint_get_speed(build.world, slider, CN_X);
    double turning = (torque - mass * gravity * radius) / (spin_inertia(&build, pinion) + mass * radius * radius);
    cn_quality_run(quality, &build, 60.0, NULL, NULL);
    double way = (double)cn_joint_get_place(build.world, slider, CN_X);
    double angle = (double)cn_joint_get_place(build.world, hinge, CN_TWIST);
    double speed = (double)cn_joint_get_speed(build.world, slider, CN_X);
    double holds = (double)cn_joint_get_reaction(build.world, hinge).motor_force[CN_TWIST];
    cn_quality_close(quality, &build);
    cn_case_limit(quality, "early_error", cn_percent_off(first, radius * turning * early), "%", 0.1);
    cn_case_limit(quality, "speed_error", cn_percent_off(speed, radius * target), "%", 0.1);
    cn_case_limit(quality, "torque_error", cn_percent_off(holds, mass * gravity * radius), "%", 0.1);
    cn_case_number(quality, "way", way, "m");
    cn_case_limit(quality, "drift", fabs(way - radius * angle), "m", 1e-3);
    cn_case_end(quality, true);
}

// Atwood's machine; with a ratio, b hangs on a tackle: it moves 1 / ratio as fast, and feels ratio times the tension.
static void pulley_case(cn_quality *quality, double ratio)
{
    const double a = 3.0, b = 1.0, gravity = 10.0, seconds = 1.0, wheel = 10.0;
    const cn_vec3 half = { 0.2f, 0.2f, 0.2f };
    cn_build build;
    cn_case_begin(quality, "pulley");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id left = cn_add_part(&build, (cn_pos3){ -1.0, 0.0, 0.0 }, half, a);
    cn_body_id right = cn_add_part(&build, (cn_pos3){ 1.0, 0.0, 0.0 }, half, b);
    cn_joint_def def = cn_pulley_joint(build.world, left, right, cn_build_anchor(&build, -1.0, 0.0, 0.0),
                                       cn_build_anchor(&build, 1.0, 0.0, 0.0), cn_build_anchor(&build, -1.0, wheel, 0.0),
                                       cn_build_anchor(&build, 1.0, wheel, 0.0), (float)ratio);
    cn_joint_id rope = cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, seconds, NULL, NULL);
    double falls = -(double)cn_body_get_linear_velocity(build.world, left).y;
    double rises = (double)cn_body_get_linear_velocity(build.world, right).y;
    double tension = fabs((double)cn_joint_get_reaction(build.world, rope).axis_force[CN_X]);
    double length = wheel - cn_center(&build, left).y + ratio * (wheel - cn_center(&build, right).y);
    cn_quality_close(quality, &build);
    double expected = gravity * (a - b / ratio) / (a + b / (ratio * ratio));
    cn_case_parameter(quality, "ratio", ratio);
    cn_case_number(quality, "speed", falls, "m/s");
    cn_case_limit(quality, "speed_error", cn_percent_off(falls, expected * seconds), "%", 0.1);
    cn_case_limit(quality, "ratio_error", cn_percent_off(falls / rises, ratio), "%", 0.1);
    cn_case_limit(quality, "tension_error", cn_percent_off(tension, a * (gravity - expected)), "%", 0.1);
    cn_case_limit(quality, "stretch", fabs(length - wheel * (1.0 + ratio)), "m", 1e-3);
    cn_case_end(quality, true);
}

void cn_quality_pulley(cn_quality *quality)
{
    pulley_case(quality, 1.0);
    pulley_case(quality, 2.0);
}

// ---- ragdoll

enum { RAGDOLLS = 8 };

typedef struct fall {
    cn_ragdoll ragdolls[RAGDOLLS];
    double from;                 // s: when limits begin to count
    double beyond, gap, fastest; // rad, m, m/s
} fall;

static bool watch_ragdolls(void *context, const cn_build *build, double time)
{
    fall *f = context;
    f->fastest = fmax(f->fastest, cn_fastest(build));
    for (int i = 0; i < RAGDOLLS && time > f->from; ++i) {
        f->beyond = fmax(f->beyond, (double)cn_ragdoll_limit_error(build->world, &f->ragdolls[i]));
        for (int bone = 1; bone < CN_BONE_COUNT; ++bone)
            f->gap = fmax(f->gap, (double)cn_joint_get_error(build->world, f->ragdolls[i].joints[bone]).linear);
    }
    return true;
}

// Elbows and knees from 25 to 90 degrees the wrong way, the spine backwards, the head and a foot turned too far.
static cn_ragdoll_pose bent_pose(int index)
{
    const float part = (float)(index + 1) / RAGDOLLS, bend = 0.3f + 1.2f * part;
    cn_ragdoll_pose pose = cn_ragdoll_pose_rest();
    pose.rotations[CN_BONE_LEFT_FOREARM] = pose.rotations[CN_BONE_RIGHT_FOREARM] = cn_quat_exp(cn_v3(bend, 0.0f, 0.0f));
    pose.rotations[CN_BONE_LEFT_SHIN] = pose.rotations[CN_BONE_RIGHT_SHIN] = cn_quat_exp(cn_v3(-bend, 0.0f, 0.0f));
    pose.rotations[CN_BONE_CHEST] = cn_quat_exp(cn_v3(-1.5f * part, 0.0f, 0.0f));
    pose.rotations[CN_BONE_HEAD] = cn_quat_exp(cn_v3(0.0f, 2.8f * part, 0.0f));
    pose.rotations[CN_BONE_LEFT_FOOT] = cn_quat_exp(cn_v3(0.0f, 2.5f * part, 0.0f));
    pose.rotations[CN_BONE_RIGHT_THIGH] = cn_quat_exp(cn_v3(1.5f * part, 0.0f, 0.0f));
    return pose;
}

static void ragdoll_case(cn_quality *quality, const char *start, double height, bool bent)
{
    const double degree = 0.017453292519943295;
    cn_build build;
    fall f = { .from = bent ? 0.5 : 0.0 };
    cn_case_begin(quality, "ragdoll");
    cn_quality_open(quality, &build, 10.0f);
    cn_build_ground(&build);
    for (int i = 0; i < RAGDOLLS; ++i) {
        cn_ragdoll_pose pose = bent_pose(i);
        cn_ragdoll_def def = cn_ragdoll_def_default();
        def.position = cn_build_anchor(&build, 4.0 * i, height, 0.0);
        def.rotation = cn_random_rotation(&build.random);
        def.pose = bent ? &pose : NULL;
        cn_build_ragdoll(&build, &def, &f.ragdolls[i]);
    }
    cn_quality_run(quality, &build, 5.0, watch_ragdolls, &f);
    double end = build.failed ? (double)NAN : cn_fastest(&build);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "start", start);
    cn_case_limit(quality, "beyond", f.beyond / degree, "degrees", 3.0);
    cn_case_limit(quality, "gap", f.gap, "m", 0.05);
    cn_case_limit(quality, "fastest", f.fastest, "m/s", 40.0); // 20 m/s when it lands, and limbs that are flung
    cn_case_number(quality, "speed_end", end, "m/s");
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_ragdoll(cn_quality *quality)
{
    ragdoll_case(quality, "dropped from 20 m", 20.0, false);
    ragdoll_case(quality, "bent the wrong way", 2.0, true);
}

// ---- cradle

typedef struct cradle {
    cn_body_id last;
    double middle; // of the last ball as it hangs
    int swings;    // of the last ball, out and back
    bool out;
} cradle;

static bool watch_cradle(void *context, const cn_build *build, double time)
{
    cradle *c = context;
    double way = cn_center(build, c->last).x - c->middle;
    (void)time;
    c->swings += c->out && way < 0.05;
    c->out = way > (c->out ? 0.05 : 0.2);
    return true;
}

// The scene of that name for 30 s. In a real cradle the last ball swings out about 20 degrees every 2.83 s, ten times.
void cn_quality_cradle(cn_quality *quality)
{
    cn_build build;
    cradle c = { .swings = 0 };
    cn_case_begin(quality, "cradle");
    cn_quality_open(quality, &build, 10.0f);
    cn_scene_newton_cradle(&build);
    double start = cn_total_energy(&build), stake = 1.0;
    if (!build.failed) {
        c.last = build.bodies[build.body_count - 1];
        c.middle = cn_center(&build, c.last).x;
        stake = 10.0 * (double)cn_body_get_mass(build.world, c.last).mass * 2.0 * (1.0 - 0.93969262);
    }
    cn_quality_run(quality, &build, 30.0, watch_cradle, &c);
    double lost = (start - cn_total_energy(&build)) / stake;
    cn_quality_close(quality, &build);
    cn_case_number(quality, "seconds", 30.0, "s");
    cn_case_limit(quality, "energy_change", 100.0 * fabs(lost), "%", 2.0);
    cn_case_number(quality, "swings", c.swings, "");
    cn_case_flag(quality, "keeps_going", c.swings >= 10);
    cn_case_end(quality, cn_quality_is_default(quality));
}

// ---- door

static void set_path(cn_build *build, cn_body_id body, const cn_path_def *def)
{
    if (!build->failed && !cn_body_set_path(build->world, body, def))
        cn_build_fail(build, cn_last_error());
}

typedef struct doorway {
    cn_body_id leaf, box;
    double push, overlap; // N: what the leaf felt while it pushed the box along; m
    int samples;
    bool stopped;
} doorway;

static bool watch_door(void *context, const cn_build *build, double time)
{
    doorway *d = context;
    double x = cn_center(build, d->box).x;
    cn_path_state state = cn_body_get_path_state(build->world, d->leaf);
    (void)time;
    if (x > 0.1 && x < 0.6 && !state.blocked) { // on its way, and not yet at the wall
        d->push += (double)state.force;
        d->samples++;
    }
    d->stopped = d->stopped || state.blocked;
    d->overlap = fmax(d->overlap, cn_world_get_max_penetration(build->world));
    return true;
}

// A leaf that slides to +x at 0.5 m/s pushes a box of 8 kg over the ground, to a wall at x = 1. It needs mu m g; at the wall it
// stalls as soon as it would need more than it has.
void cn_quality_door(cn_quality *quality)
{
    const double mu = 0.5, mass = 8.0, gravity = 10.0, most = 150.0;
    cn_build build;
    doorway d = { .push = 0.0 };
    cn_case_begin(quality, "door");
    cn_quality_open(quality, &build, (float)gravity);
    build.material.friction = (float)mu;
    cn_build_ground(&build);
    build.density = (float)mass / 0.125f;
    d.box = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.25, 0.0 }, cn_box(0.25f, 0.25f, 0.25f));
    build.material.friction = 0.0f;
    cn_build_upright(&build, CN_STATIC, (cn_pos3){ 1.1, 1.0, 0.0 }, cn_box(0.1f, 1.0f, 1.0f));
    d.leaf = cn_build_upright(&build, CN_KINEMATIC, (cn_pos3){ -1.05, 1.01, 0.0 }, cn_box(0.05f, 1.0f, 0.5f));
    const cn_path_key keys[] = { { 0.0, { cn_build_anchor(&build, -1.05, 1.01, 0.0), CN_QUAT_IDENTITY } },
                                 { 4.0, { cn_build_anchor(&build, 0.95, 1.01, 0.0), CN_QUAT_IDENTITY } } };
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 2;
    path.max_force = (float)most;
    path.blocked = CN_BLOCKED_STALL;
    set_path(&build, d.leaf, &path);
    cn_quality_run(quality, &build, 8.0, watch_door, &d);
    double place = cn_center(&build, d.box).x;
    cn_quality_close(quality, &build);
    cn_case_number(quality, "push", d.push / d.samples, "N");
    cn_case_limit(quality, "push_error", cn_percent_off(d.push / d.samples, mu * mass * gravity), "%", 2.0);
    cn_case_flag(quality, "stalls", d.stopped);
    cn_case_limit(quality, "overlap", d.overlap, "m", 0.01);
    cn_case_limit(quality, "box_off", fabs(place - 0.75), "m", 0.005);
    cn_case_end(quality, cn_quality_is_default(quality));
}

// ---- platform

// How far a box has moved on a body that carries it.
static double slip(const cn_build *build, cn_body_id platform, cn_body_id box, cn_vec3 from)
{
    if (build->failed)
        return (double)NAN;
    cn_transform t = cn_body_get_transform(build->world, platform);
    cn_vec3 at = cn_rotate(cn_quat_conj(t.rotation), cn_pos_sub(cn_body_get_center(build->world, box), t.position));
    return (double)cn_length(cn_sub(at, from));
}

static void platform_case(cn_quality *quality, const char *motion, const cn_path_key *keys, int count, cn_path_ease ease,
                          float x, float spin)
{
    const cn_vec3 place = { x, 0.45f, 0.0f };
    const double seconds = 30.0;
    cn_build build;
    cn_case_begin(quality, "platform");
    cn_quality_open(quality, &build, 10.0f);
    build.material.friction = 0.5f;
    cn_path_key moved[8];
    for (int i = 0; i < count; ++i) {
        cn_pos3 p = keys[i].transform.position;
        moved[i] = keys[i];
        moved[i].transform.position = cn_build_anchor(&build, p.x, p.y, p.z);
    }
    cn_body_id platform = cn_build_upright(&build, CN_KINEMATIC, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_box(3.0f, 0.2f, 3.0f));
    cn_pos3 start = { (double)place.x, (double)place.y, (double)place.z };
    cn_body_id box = cn_build_upright(&build, CN_DYNAMIC, start, cn_box(0.25f, 0.25f, 0.25f));
    cn_build_velocity(&build, box, cn_v3(0.0f, 0.0f, -x * spin), cn_v3(0.0f, spin, 0.0f)); // as what it stands on
    cn_path_def path = cn_path_def_default();
    path.keys = moved;
    path.key_count = count;
    path.loop = true;
    path.ease = ease;
    set_path(&build, platform, &path);
    cn_quality_run(quality, &build, seconds, NULL, NULL);
    double slipped = slip(&build, platform, box, place);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "motion", motion);
    cn_case_number(quality, "seconds", seconds, "s");
    cn_case_limit(quality, "slip", slipped, "m", 0.01);
    cn_case_end(quality, cn_quality_is_default(quality));
}

// Friction of 0.5 carries what needs less than 5 m/s^2.
void cn_quality_platform(cn_quality *quality)
{
    const cn_path_key along[] = { { 0.0, { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY } },
                                  { 3.0, { { 5.0, 0.0, 0.0 }, CN_QUAT_IDENTITY } },
                                  { 6.0, { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY } } };
    const cn_path_key up[] = { { 0.0, { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY } },
                               { 2.0, { { 0.0, 4.0, 0.0 }, CN_QUAT_IDENTITY } },
                               { 4.0, { { 0.0, 0.0, 0.0 }, CN_QUAT_IDENTITY } } };
    cn_path_key turn[5]; // 1.5 rad/s: 3.4 m/s^2 at 1.5 m
    for (int i = 0; i < 5; ++i)
        turn[i] = (cn_path_key){ (double)i * 0.5 * (double)CN_PI / 1.5,
                                 { { 0.0, 0.0, 0.0 }, cn_quat_exp((cn_vec3){ 0.0f, 0.5f * CN_PI * (float)i, 0.0f }) } };
    platform_case(quality, "to and fro", along, 3, CN_PATH_SMOOTH, 0.0f, 0.0f);
    platform_case(quality, "up and down", up, 3, CN_PATH_SMOOTH, 1.0f, 0.0f);
    platform_case(quality, "turning", turn, 5, CN_PATH_LINEAR, 1.5f, 1.5f);
}
