// Friction against what Coulomb's law says: where sliding starts, how far it goes, and that no direction is preferred.
#include "quality.h"

#include <math.h>

static const double gravity = 10.0, pi = 3.14159265358979323846;

static double chosen_mu(const cn_quality *quality) { return isfinite(quality->mu) ? quality->mu : 0.6; }

// ---- A box on an incline

typedef struct incline {
    cn_build build;
    cn_body_id box;
    double angle; // radians
    cn_pos3 start;
} incline;

// How far the box has gone down the incline.
static double way_down(const incline *slope)
{
    cn_pos3 now = cn_center(&slope->build, slope->box);
    return -((now.x - slope->start.x) * cos(slope->angle) + (now.y - slope->start.y) * sin(slope->angle));
}

// A flat box, so that it cannot tip over, on a static box that is really tilted; it rises along x.
static void open_incline(cn_quality *quality, incline *slope, double mu, double angle, float size)
{
    cn_quality_open(quality, &slope->build, (float)gravity);
    slope->build.material.friction = (float)mu;
    slope->angle = angle;
    double thickness = (double)fmaxf(size, 1.0f);
    float length = fmaxf(100.0f, 20.0f * size);
    double half_height = 0.2 * (double)size, up_x = -sin(angle), up_y = cos(angle);
    cn_quat tilt = { 0.0f, 0.0f, (float)sin(0.5 * angle), (float)cos(0.5 * angle) };
    cn_build_solid(&slope->build, CN_STATIC, (cn_pos3){ -thickness * up_x, -thickness * up_y, 0.0 }, tilt,
                   cn_box(length, (float)thickness, length));
    slope->box = cn_build_solid(&slope->build, CN_DYNAMIC, (cn_pos3){ half_height * up_x, half_height * up_y, 0.0 }, tilt,
                                cn_box(0.5f * size, 0.2f * size, 0.5f * size));
    slope->start = cn_center(&slope->build, slope->box);
}

// Over the angle of friction by d, a box slides (g d / cos) t^2 / 2: in 5 s a way of 0.05 m tells 0.02 degrees.
static const double slide_way = 0.05, slide_time = 5.0;

static bool watch_slide(void *context, const cn_build *build, double time)
{
    (void)build;
    (void)time;
    return way_down(context) < slide_way;
}

static bool slides(cn_quality *quality, double mu, double angle, float size)
{
    incline slope;
    open_incline(quality, &slope, mu, angle, size);
    cn_quality_run(quality, &slope.build, slide_time, watch_slide, &slope);
    bool slid = !(way_down(&slope) < slide_way);
    cn_quality_close(quality, &slope.build);
    return slid;
}

double cn_measure_slip_angle(cn_quality *quality, double mu, float size)
{
    double expected = atan(mu), degree = pi / 180.0;
    double holds = 0.5 * expected, slips = fmin(expected + 20.0 * degree, 89.0 * degree);
    while (slips - holds > 0.02 * degree && quality->broken == 0) {
        double middle = 0.5 * (holds + slips);
        if (slides(quality, mu, middle, size))
            slips = middle;
        else
            holds = middle;
    }
    return 0.5 * (holds + slips) / degree;
}

void cn_quality_slope(cn_quality *quality)
{
    double mu = chosen_mu(quality), expected = atan(mu) * 180.0 / pi;
    cn_case_begin(quality, "slope");
    double slip = cn_measure_slip_angle(quality, mu, 1.0f);
    incline slope;
    open_incline(quality, &slope, mu, 0.9 * atan(mu), 1.0f);
    cn_quality_run(quality, &slope.build, 2.0, NULL, NULL);
    double settled = way_down(&slope);
    cn_quality_run(quality, &slope.build, 5.0, NULL, NULL);
    double creep = fabs(way_down(&slope) - settled) / 5.0;
    cn_quality_close(quality, &slope.build);
    cn_case_parameter(quality, "mu", mu);
    cn_case_number(quality, "slip_angle_deg", slip, "deg");
    cn_case_number(quality, "expected_deg", expected, "deg");
    cn_case_limit(quality, "error_deg", fabs(slip - expected), "deg", 0.5);
    cn_case_limit(quality, "creep", creep, "m/s", 1e-4);
    cn_case_end(quality, true);
}

// ---- A box pushed over flat ground

typedef struct slide {
    double distance, deviation; // m, and degrees away from the push
} slide;

static slide slide_box(cn_quality *quality, double mu, double speed, double heading)
{
    cn_build build;
    cn_quality_open(quality, &build, (float)gravity);
    build.material.friction = (float)mu;
    cn_build_ground(&build);
    cn_body_id box = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.2, 0.0 }, cn_box(0.5f, 0.2f, 0.5f));
    cn_vec3 push = { (float)(speed * cos(heading)), 0.0f, (float)(speed * sin(heading)) };
    cn_build_velocity(&build, box, push, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    cn_quality_run(quality, &build, 2.0 * speed / (mu * gravity) + 1.0, NULL, NULL);
    cn_pos3 end = cn_center(&build, box);
    cn_quality_close(quality, &build);
    double along = end.x * cos(heading) + end.z * sin(heading), across = end.z * cos(heading) - end.x * sin(heading);
    return (slide){ hypot(end.x, end.z), fabs(atan2(across, along)) * 180.0 / pi };
}

static void isotropy_case(cn_quality *quality, const char *model, bool judged)
{
    enum { HEADINGS = 16 };
    double mu = chosen_mu(quality), shortest = (double)INFINITY, longest = 0.0, sum = 0.0, deviation = 0.0;
    cn_case_begin(quality, "isotropy");
    for (int i = 0; i < HEADINGS; ++i) {
        slide result = slide_box(quality, mu, 5.0, 2.0 * pi * i / HEADINGS);
        shortest = fmin(shortest, result.distance);
        longest = fmax(longest, result.distance);
        sum += result.distance;
        deviation = fmax(deviation, result.deviation);
    }
    cn_case_parameter(quality, "mu", mu);
    cn_case_label(quality, "friction", model);
    cn_case_number(quality, "mean_distance", sum / HEADINGS, "m");
    cn_case_limit(quality, "spread_percent", 100.0 * (longest - shortest) * HEADINGS / sum, "%", 1.0);
    cn_case_limit(quality, "deviation_deg", deviation, "deg", 1.0);
    cn_case_end(quality, judged);
}

void cn_quality_isotropy(cn_quality *quality)
{
    static const char *const words[CN_FRICTION_MODEL_COUNT] = { [CN_FRICTION_PATCH] = "patch", [CN_FRICTION_CONE] = "cone" };
    int asked = quality->settings.friction;
    for (int model = 0; model < CN_FRICTION_MODEL_COUNT; ++model) {
        if (asked >= 0 && asked != model)
            continue;
        quality->settings.friction = model;
        isotropy_case(quality, words[model], model == CN_FRICTION_CONE);
    }
    quality->settings.friction = asked;
}

static void rolling_case(cn_quality *quality, double mu)
{
    const float speed = 5.0f;
    cn_build build;
    cn_case_begin(quality, "stop");
    cn_quality_open(quality, &build, (float)gravity);
    build.material.friction = (float)mu;
    cn_build_ground(&build);
    cn_body_id ball = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.5, 0.0 }, cn_sphere(0.5f));
    cn_build_velocity(&build, ball, (cn_vec3){ speed, 0.0f, 0.0f }, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    cn_quality_run(quality, &build, 1.0 + (double)speed / (mu * gravity), NULL, NULL); // rolls after 2 v / (7 mu g)
    double end = build.failed ? (double)NAN : (double)cn_body_get_linear_velocity(build.world, ball).x;
    cn_quality_close(quality, &build);
    double expected = 5.0 / 7.0 * (double)speed;
    cn_case_label(quality, "shape", "sphere");
    cn_case_parameter(quality, "mu", mu);
    cn_case_number(quality, "rolling_speed", end, "m/s");
    cn_case_number(quality, "expected", expected, "m/s");
    cn_case_limit(quality, "error_percent", 100.0 * fabs(end - expected) / expected, "%", 1.0);
    cn_case_end(quality, true);
}

void cn_quality_stop(cn_quality *quality)
{
    const double speed = 5.0;
    double mu = chosen_mu(quality), expected = speed * speed / (2.0 * mu * gravity);
    cn_case_begin(quality, "stop");
    double distance = slide_box(quality, mu, speed, 0.0).distance;
    cn_case_label(quality, "shape", "box");
    cn_case_parameter(quality, "mu", mu);
    cn_case_number(quality, "distance", distance, "m");
    cn_case_number(quality, "expected", expected, "m");
    cn_case_limit(quality, "error_percent", 100.0 * fabs(distance - expected) / expected, "%", 2.0);
    cn_case_end(quality, true);
    rolling_case(quality, mu);
}
