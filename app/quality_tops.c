// A wheel at the end of an arm that is held at its other end goes round instead of falling.
#include "quality.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef struct gyroscope {
    cn_body_id wheel;
    double arm;
    double direction, turned; // rad, about the vertical
    double sunk;              // the most that it left the level, of the arm
} gyroscope;

static bool watch_gyroscope(void *context, const cn_build *build, double time)
{
    gyroscope *g = context;
    cn_pos3 center = cn_center(build, g->wheel);
    double direction = atan2(-center.z, center.x), turn = direction - g->direction;
    (void)time;
    g->turned += turn - 2.0 * pi * floor(turn / (2.0 * pi) + 0.5);
    g->direction = direction;
    g->sunk = fmax(g->sunk, fabs(center.y) / g->arm);
    return isfinite(direction);
}

// The weight turns the spin about the vertical by m g l / (I w) radians a second, when it is started with that.
static void top_case(cn_quality *quality, double spin, bool wheel_first)
{
    const double gravity = 10.0, arm = 0.2, radius = 0.1, seconds = 10.0;
    cn_build build;
    gyroscope g = { .arm = arm };
    cn_case_begin(quality, "top");
    cn_quality_open(quality, &build, (float)gravity);
    build.filter.mask = 0;
    cn_quat level = { 0.0f, 0.0f, -(float)sqrt(0.5), (float)sqrt(0.5) }; // its axis along x
    g.wheel = cn_build_solid(&build, CN_DYNAMIC, (cn_pos3){ arm, 0.0, 0.0 }, level, cn_cylinder(0.02f, (float)radius));
    cn_body_id a = { 0 }, b = g.wheel;
    cn_joint_def joint = cn_ball_joint(build.world, wheel_first ? b : a, wheel_first ? a : b, cn_build_anchor(&build, 0.0, 0.0, 0.0));
    cn_build_joint(&build, &joint);
    double expected = gravity * arm / (0.5 * radius * radius * spin), energy = 0.0, stake = 1.0;
    if (!build.failed) {
        cn_body_set_angular_velocity(build.world, g.wheel, (cn_vec3){ (float)spin, (float)expected, 0.0f });
        cn_body_set_linear_velocity(build.world, g.wheel, (cn_vec3){ 0.0f, 0.0f, -(float)(expected * arm) });
        energy = cn_total_energy(&build);
        stake = cn_quality_energy(&build).kinetic;
    }
    cn_quality_run(quality, &build, seconds, watch_gyroscope, &g);
    double lost = energy - cn_total_energy(&build), rate = g.turned / seconds;
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "spin", spin);
    cn_case_label(quality, "held_by", wheel_first ? "a" : "b");
    cn_case_number(quality, "precession", rate, "rad/s");
    cn_case_number(quality, "expected", expected, "rad/s");
    cn_case_limit(quality, "error_percent", cn_percent_off(rate, expected), "%", 2.0);
    cn_case_limit(quality, "sunk", 100.0 * g.sunk, "%", 5.0);
    cn_case_limit(quality, "energy_drift", 100.0 * fabs(lost) / stake, "%", 1.0);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_top(cn_quality *quality)
{
    const double spins[] = { 50.0, 100.0, 150.0 };
    for (int i = 0; i < 3; ++i) {
        top_case(quality, spins[i], false);
        top_case(quality, spins[i], true);
    }
}
