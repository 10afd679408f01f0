// What joints carry: reactions, limits, and when they break.
#include "quality.h"

#include "math/vec.h"

#include <math.h>

static const cn_body_id the_world = { 0 };

// ---- hang

static void hang_case(cn_quality *quality, const char *what, double force, double torque, cn_joint_reaction reaction)
{
    cn_case_label(quality, "held_by", what);
    cn_case_number(quality, "force", cn_magnitude(reaction.force), "N");
    cn_case_limit(quality, "force_error", cn_percent_off(cn_magnitude(reaction.force), force), "%", 0.1);
    if (torque > 0.0) {
        cn_case_number(quality, "torque", cn_magnitude(reaction.torque), "N m");
        cn_case_limit(quality, "torque_error", cn_percent_off(cn_magnitude(reaction.torque), torque), "%", 1.0);
    }
    cn_case_end(quality, true);
}

// A cube that hangs on a ball joint or on a rope.
static void hanging_cube(cn_quality *quality, bool rope)
{
    const double mass = 7.0, gravity = 10.0;
    cn_build build;
    cn_case_begin(quality, "hang");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id cube = cn_add_part(&build, (cn_pos3){ 0.0, -1.0, 0.0 }, (cn_vec3){ 0.2f, 0.2f, 0.2f }, mass);
    cn_pos3 top = cn_build_anchor(&build, 0.0, 0.0, 0.0), knot = cn_build_anchor(&build, 0.0, -0.8, 0.0);
    cn_joint_def def =
        rope ? cn_rope_joint(build.world, the_world, cube, top, knot, 0.8f) : cn_ball_joint(build.world, the_world, cube, top);
    cn_joint_id joint = cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, 2.0, NULL, NULL);
    cn_joint_reaction reaction = cn_joint_get_reaction(build.world, joint);
    cn_quality_close(quality, &build);
    hang_case(quality, rope ? "rope" : "ball", mass * gravity, 0.0, reaction);
}

// A bar that sticks out from a hinge, and what keeps it level.
static void level_bar(cn_quality *quality, const char *what, cn_joint_axis turn)
{
    const double mass = 3.0, gravity = 10.0, half = 1.0;
    cn_build build;
    cn_case_begin(quality, "hang");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id bar = cn_add_part(&build, (cn_pos3){ half, 0.0, 0.0 }, (cn_vec3){ (float)half, 0.1f, 0.1f }, mass);
    cn_joint_def def =
        cn_hinge_joint(build.world, the_world, bar, cn_build_anchor(&build, 0.0, 0.0, 0.0), cn_v3(0.0f, 0.0f, 1.0f));
    def.axes[CN_TWIST] = turn;
    cn_joint_id joint = cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, 3.0, NULL, NULL);
    cn_joint_reaction reaction = cn_joint_get_reaction(build.world, joint);
    cn_quality_close(quality, &build);
    hang_case(quality, what, mass * gravity, mass * gravity * half, reaction);
}

void cn_quality_hang(cn_quality *quality)
{
    cn_joint_axis limit = { .freedom = CN_LIMITED, .lower = 0.0f, .upper = 1.0f };
    cn_joint_axis motor = { .motor = CN_MOTOR_SPEED, .motor_max_force = INFINITY };
    cn_joint_axis place = {
        .motor = CN_MOTOR_PLACE, .motor_max_force = INFINITY, .motor_hertz = 10.0f, .motor_damping_ratio = 1.0f
    };
    cn_joint_axis friction = { .friction = 40.0f };
    hanging_cube(quality, false);
    hanging_cube(quality, true);
    level_bar(quality, "hinge at its limit", limit);
    level_bar(quality, "hinge with a motor that stands", motor);
    level_bar(quality, "hinge with a motor to a place", place);
    level_bar(quality, "hinge with friction", friction);
}

// ---- beam

static void beam_case(cn_quality *quality, double load)
{
    enum { BOXES = 10 };
    const double mass = 1.0, gravity = 10.0;
    cn_build build;
    cn_case_begin(quality, "beam");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id last = the_world;
    cn_joint_id first = { 0 };
    for (int i = 0; i < BOXES; ++i) {
        double weight = i == BOXES - 1 ? mass + load : mass;
        cn_body_id box = cn_add_part(&build, (cn_pos3){ i + 0.5, 0.0, 0.0 }, (cn_vec3){ 0.5f, 0.1f, 0.1f }, weight);
        cn_joint_def def = cn_fixed_joint(build.world, last, box, cn_build_anchor(&build, i, 0.0, 0.0));
        cn_joint_id joint = cn_build_joint(&build, &def);
        if (i == 0)
            first = joint;
        last = box;
    }
    cn_quality_run(quality, &build, 5.0, NULL, NULL);
    cn_joint_reaction reaction = cn_joint_get_reaction(build.world, first);
    double sag = fabs(cn_center(&build, last).y);
    cn_quality_close(quality, &build);
    double force = gravity * (BOXES * mass + load);
    double torque = gravity * (BOXES * mass * 0.5 * BOXES + load * (BOXES - 0.5));
    cn_case_parameter(quality, "load", load);
    cn_case_number(quality, "force", cn_magnitude(reaction.force), "N");
    cn_case_limit(quality, "force_error", cn_percent_off(cn_magnitude(reaction.force), force), "%", 0.1);
    cn_case_number(quality, "torque", cn_magnitude(reaction.torque), "N m");
    cn_case_limit(quality, "torque_error", cn_percent_off(cn_magnitude(reaction.torque), torque), "%", 0.1);
    cn_case_limit(quality, "sag", sag, "m", 1e-3);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_beam(cn_quality *quality)
{
    beam_case(quality, 0.0);
    beam_case(quality, 100.0);
}

// ---- limit

typedef struct stop {
    cn_joint_id hinge;
    double upper;
    double beyond, back; // rad, rad/s: furthest past the limit, and fastest away from it
} stop;

static bool watch_limit(void *context, const cn_build *build, double time)
{
    stop *s = context;
    (void)time;
    s->beyond = fmax(s->beyond, (double)cn_joint_get_place(build->world, s->hinge, CN_TWIST) - s->upper);
    s->back = fmax(s->back, (double)-cn_joint_get_speed(build->world, s->hinge, CN_TWIST));
    return true;
}

// A bar that turns about its end in free space, from 16 places, so that it meets the limit at any time within a step.
static void limit_case(cn_quality *quality, double hertz, double damping_ratio, double most_back)
{
    enum { STARTS = 16 };
    const double speed = 20.0, degree = 0.017453292519943295;
    stop worst = { 0 };
    cn_case_begin(quality, "limit");
    for (int i = 0; i < STARTS; ++i) {
        cn_build build;
        stop s = { .upper = 0.5 + 0.35 * i / STARTS };
        cn_quality_open(quality, &build, 0.0f);
        cn_body_id bar = cn_add_part(&build, (cn_pos3){ 0.5, 0.0, 0.0 }, (cn_vec3){ 0.5f, 0.05f, 0.2f }, 1.0);
        cn_joint_def def =
            cn_hinge_joint(build.world, the_world, bar, cn_build_anchor(&build, 0.0, 0.0, 0.0), cn_v3(0.0f, 0.0f, 1.0f));
        def.axes[CN_TWIST] = (cn_joint_axis){ .freedom = CN_LIMITED,
                                              .lower = -0.5f,
                                              .upper = (float)s.upper,
                                              .hertz = (float)hertz,
                                              .damping_ratio = (float)damping_ratio };
        s.hinge = cn_build_joint(&build, &def);
        cn_build_velocity(&build, bar, cn_v3(0.0f, 0.5f * (float)speed, 0.0f), cn_v3(0.0f, 0.0f, (float)speed));
        cn_quality_run(quality, &build, 1.0, watch_limit, &s);
        cn_quality_close(quality, &build);
        worst.beyond = fmax(worst.beyond, s.beyond);
        worst.back = fmax(worst.back, s.back);
    }
    cn_case_parameter(quality, "hertz", hertz);
    cn_case_parameter(quality, "damping_ratio", damping_ratio);
    cn_case_limit(quality, "beyond", worst.beyond / degree, "degrees", 2.0);
    cn_case_limit(quality, "speed_back", 100.0 * worst.back / speed, "%", most_back);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_limit(cn_quality *quality)
{
    limit_case(quality, 0.0, 0.0, 1.0);
    limit_case(quality, 60.0, 1.0, 15.0); // a spring that only pushes gives e^-2 of the speed back when it is damped critically
    limit_case(quality, 60.0, 10.0, 1.0);
}

// ---- breakable

// A body that is pulled so that its joint holds it still, with a force and a torque that are known.
enum { WORLDS = 10, RIGS = 100, RISE = 180, HELD = 60 }; // joints in each, steps

typedef struct rig {
    cn_body_id body;
    cn_joint_id joint;
    cn_vec3 force; // that breaks it
} rig;

typedef enum rig_kind {
    RIG_BALL,
    RIG_HINGE,
    RIG_SLIDER,
    RIG_FIXED,
    RIG_DISTANCE,
    RIG_ROPE,
    RIG_LIMIT,
    RIG_KINDS,
    RIG_STOPS = RIG_ROPE
} rig_kind;

static cn_joint_def rig_joint(const cn_build *build, rig_kind kind, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis)
{
    cn_pos3 center = cn_body_get_center(build->world, b);
    switch (kind) {
    case RIG_BALL: return cn_ball_joint(build->world, a, b, anchor);
    case RIG_SLIDER: return cn_slider_joint(build->world, a, b, anchor, axis);
    case RIG_FIXED: return cn_fixed_joint(build->world, a, b, anchor);
    case RIG_DISTANCE: return cn_distance_joint(build->world, a, b, anchor, center);
    case RIG_ROPE: return cn_rope_joint(build->world, a, b, anchor, center, cn_length(cn_pos_sub(center, anchor)));
    default: return cn_hinge_joint(build->world, a, b, anchor, axis);
    }
}

// Along the arm where the joint holds only that, across it where the joint holds more.
static cn_vec3 rig_force(rig_kind kind, cn_vec3 arm, cn_vec3 axis, cn_vec3 any)
{
    switch (kind) {
    case RIG_FIXED: return any;
    case RIG_SLIDER: return cn_cross(axis, any);
    case RIG_HINGE: return cn_add(arm, cn_scale(any.x, axis));
    case RIG_LIMIT: return cn_cross(axis, arm); // turns it the positive way, into its limit
    default: return arm;
    }
}

// What varies from case to case.
typedef struct rig_case {
    const char *what;
    rig_kind first, end; // kinds of joints
    bool between_bodies, sudden;
} rig_case;

static rig add_rig(cn_build *build, const rig_case *c, int index)
{
    rig r;
    cn_random *random = &build->random;
    int kinds = (int)(c->end - c->first);
    rig_kind kind = (rig_kind)((int)c->first + index % kinds);
    cn_pos3 anchor = { 10.0 * (index % 32), 10.0 * (index / 32), 0.0 };
    float length = cn_random_range(random, 0.2f, 1.8f), mass = cn_random_log_range(random, 0.01f, 100.0f);
    cn_vec3 arm = cn_scale(length, cn_random_direction(random)), other = cn_random_direction(random);
    cn_vec3 axis = cn_normalize(cn_cross(arm, other)), any = cn_random_direction(random);
    r.body = cn_add_part(build, cn_pos_add(anchor, arm), (cn_vec3){ 0.3f, 0.2f, 0.4f }, (double)mass);
    cn_body_id holder = the_world;
    if (c->between_bodies) { // of which the other is welded to the world
        holder = cn_add_part(build, anchor, (cn_vec3){ 0.2f, 0.2f, 0.2f }, 5.0);
        cn_joint_def weld = cn_fixed_joint(build->world, the_world, holder, cn_build_anchor(build, anchor.x, anchor.y, 0.0));
        cn_build_joint(build, &weld);
    }
    cn_joint_def def = rig_joint(build, kind, holder, r.body, cn_build_anchor(build, anchor.x, anchor.y, anchor.z), axis);
    if (kind == RIG_LIMIT)
        def.axes[CN_TWIST] = (cn_joint_axis){ .freedom = CN_LIMITED, .lower = -1.0f, .upper = 0.0f };
    float size = mass * cn_random_log_range(random, 1.0f, 100.0f);
    r.force = cn_scale(size, cn_normalize(rig_force(kind, arm, axis, any)));
    cn_vec3 lever = kind == RIG_DISTANCE || kind == RIG_ROPE ? cn_v3(0.0f, 0.0f, 0.0f) : arm;
    float torque = cn_length(cn_cross(lever, r.force));
    if (torque > 0.5f * size && index / kinds % 2 == 1)
        def.break_torque = torque;
    else
        def.break_force = size;
    r.joint = cn_build_joint(build, &def);
    return r;
}

static int count_broken(const cn_build *build, const rig *rigs)
{
    int count = 0;
    for (int i = 0; i < RIGS; ++i)
        count += !cn_joint_is_valid(build->world, rigs[i].joint);
    return count;
}

// The part of the force grows by `growth` per step, up to `part`.
static void pull(const cn_quality *quality, cn_build *build, const rig *rigs, int steps, float part, float growth)
{
    cn_step_report report;
    for (int n = 1; n <= steps; ++n) {
        float now = cn_minf(part, growth * (float)n);
        for (int i = 0; i < RIGS && !build->failed; ++i)
            cn_body_apply_force(build->world, rigs[i].body, cn_scale(now, rigs[i].force));
        cn_build_step(build, quality->settings.dt, &report);
    }
}

typedef struct breaks {
    int early, late, held; // joints that broke too early; that did not in the first step; and not in the second
} breaks;

static void break_rigs(cn_quality *quality, const rig_case *c, uint64_t seed, breaks *sum)
{
    static const float below = 0.99f, above = 1.01f;
    cn_build build;
    rig rigs[RIGS];
    cn_quality_open(quality, &build, 0.0f);
    build.random.state = seed;
    for (int i = 0; i < RIGS; ++i)
        rigs[i] = add_rig(&build, c, i);
    if (!c->sudden)
        pull(quality, &build, rigs, RISE, below, below / RISE);
    pull(quality, &build, rigs, HELD, below, below);
    sum->early += count_broken(&build, rigs);
    pull(quality, &build, rigs, 1, above, above);
    sum->late += RIGS - count_broken(&build, rigs);
    pull(quality, &build, rigs, 1, above, above);
    sum->held += RIGS - count_broken(&build, rigs);
    cn_quality_close(quality, &build);
}

static void breakable_case(cn_quality *quality, const rig_case *c)
{
    breaks sum = { 0 };
    cn_case_begin(quality, "breakable");
    for (int i = 0; i < WORLDS; ++i)
        break_rigs(quality, c, (uint64_t)i + 1, &sum);
    cn_case_label(quality, "joints", c->what);
    cn_case_label(quality, "load", c->sudden ? "at once" : "over 3 s");
    cn_case_number(quality, "count", WORLDS * RIGS, "");
    cn_case_limit(quality, "broken_below", sum.early, "", 0.0);
    cn_case_number(quality, "one_step_late", sum.late - sum.held, "");
    cn_case_limit(quality, "held_above", sum.held, "", 0.0);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_breakable(cn_quality *quality)
{
    const rig_case cases[] = { { "to the world", RIG_BALL, RIG_KINDS, false, true },
                               { "locks between bodies", RIG_BALL, RIG_STOPS, true, false },
                               { "limits between bodies", RIG_STOPS, RIG_KINDS, true, false },
                               { "all between bodies", RIG_BALL, RIG_KINDS, true, true } };
    for (int i = 0; i < 4; ++i)
        breakable_case(quality, &cases[i]);
}
