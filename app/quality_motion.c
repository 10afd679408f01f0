// Motion with an exact answer: bounces, free tumbling, and what a cloud of colliding spheres must conserve.
#include "quality.h"

#include <math.h>

// ---- bounce

// Several heights at once, since where an impact falls within a step changes what a coarse integrator makes of it.
#define DROPS 5

typedef struct drops {
    cn_body_id bodies[DROPS];
    double rest_height; // of the centre above the ground when it touches
    bool bounced[DROPS];
    double highest[DROPS]; // after the first bounce, of the lowest point
} drops;

static double drop_height(int index) { return 1.0 + 0.25 * index; }

static bool watch_drops(void *context, const cn_build *build, double time)
{
    drops *d = context;
    (void)time;
    for (int i = 0; i < DROPS; ++i) {
        double height = cn_center(build, d->bodies[i]).y - d->rest_height;
        float speed = cn_body_get_linear_velocity(build->world, d->bodies[i]).y;
        d->bounced[i] = d->bounced[i] || speed > 0.0f;
        // The top of the flight lies between two steps: a low one would be cut off by a step's worth.
        double g = -(double)cn_world_get_gravity(build->world).y, rise = fmax((double)speed, 0.0);
        if (d->bounced[i])
            d->highest[i] = fmax(d->highest[i], height + 0.5 * rise * rise / g);
    }
    return true;
}

static void bounce_case(cn_quality *quality, const char *shape, cn_geometry geometry, double e)
{
    cn_build build;
    drops d = { .rest_height = 0.5 };
    double worst = 0.0, ratio = 0.0;
    cn_case_begin(quality, "bounce");
    cn_quality_open(quality, &build, 10.0f);
    build.material.restitution = (float)e;
    cn_build_ground(&build);
    for (int i = 0; i < DROPS; ++i)
        d.bodies[i] = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 5.0 * i, drop_height(i) + d.rest_height, 0.0 }, geometry);
    cn_quality_run(quality, &build, 0.7 + 0.7 * e, watch_drops, &d); // 0.63 s down from 2 m, up again in e times that
    for (int i = 0; i < DROPS; ++i) {
        double expected = e * e * drop_height(i);
        worst = fmax(worst, fabs(d.highest[i] - expected) / expected);
        ratio += d.highest[i] / drop_height(i) / DROPS;
    }
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "e", e);
    cn_case_label(quality, "shape", shape);
    cn_case_number(quality, "height_ratio", ratio, "");
    cn_case_number(quality, "expected", e * e, "");
    cn_case_limit(quality, "error_percent", 100.0 * worst, "%", 1.0);
    cn_case_end(quality, true);
}

void cn_quality_bounce(cn_quality *quality)
{
    int first = isfinite(quality->e) ? 10 : 1; // a given e is the only one
    for (int i = first; i <= 10; ++i) {
        double e = isfinite(quality->e) ? quality->e : 0.1 * i;
        bounce_case(quality, "sphere", cn_sphere(0.5f), e);
        bounce_case(quality, "box", cn_box(0.5f, 0.5f, 0.5f), e);
    }
}

// ---- spin

typedef struct spin {
    cn_energy start;
    double energy_drift, momentum_drift; // relative
} spin;

static double distance3(const double a[3], const double b[3]) { return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]); }

static const double zero3[3] = { 0.0, 0.0, 0.0 };

static bool watch_spin(void *context, const cn_build *build, double time)
{
    spin *s = context;
    (void)time;
    cn_energy now = cn_quality_energy(build);
    double momentum = distance3(s->start.angular_momentum, zero3);
    s->energy_drift = fmax(s->energy_drift, fabs(now.kinetic - s->start.kinetic) / s->start.kinetic);
    s->momentum_drift = fmax(s->momentum_drift, distance3(now.angular_momentum, s->start.angular_momentum) / momentum);
    return true;
}

void cn_quality_spin(cn_quality *quality)
{
    cn_build build;
    spin s = { 0 };
    cn_case_begin(quality, "spin");
    cn_quality_open(quality, &build, 0.0f);
    // Inertia grows from x over y to z, so y is the axis about which the box keeps turning over.
    cn_body_id box = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_box(0.6f, 0.4f, 0.2f));
    cn_build_velocity(&build, box, (cn_vec3){ 0.0f, 0.0f, 0.0f }, (cn_vec3){ 0.05f, 8.0f, 0.05f });
    if (!build.failed)
        s.start = cn_quality_energy(&build);
    cn_quality_run(quality, &build, 100.0, watch_spin, &s);
    cn_quality_close(quality, &build);
    cn_case_number(quality, "seconds", 100.0, "s");
    cn_case_limit(quality, "energy_drift", s.energy_drift, "", 0.01);
    cn_case_limit(quality, "angular_momentum_drift", s.momentum_drift, "", 0.01);
    cn_case_end(quality, true);
}

// ---- momentum

// The sums of the bodies' |p| and |L|: what a drift of the totals is compared with, as the totals themselves are small.
static void sum_momenta(const cn_build *build, double *linear, double *angular)
{
    *linear = *angular = 0.0;
    for (int i = 0; i < build->body_count; ++i) {
        cn_vec3 v = cn_body_get_linear_velocity(build->world, build->bodies[i]);
        cn_vec3 w = cn_body_get_angular_velocity(build->world, build->bodies[i]);
        cn_mass mass = cn_body_get_mass(build->world, build->bodies[i]);
        cn_pos3 r = cn_center(build, build->bodies[i]);
        double m = (double)mass.mass, inertia = (double)mass.inertia.xx, p[3], l[3]; // a sphere turns alike about any axis
        p[0] = m * (double)v.x, p[1] = m * (double)v.y, p[2] = m * (double)v.z;
        l[0] = r.y * p[2] - r.z * p[1] + inertia * (double)w.x;
        l[1] = r.z * p[0] - r.x * p[2] + inertia * (double)w.y;
        l[2] = r.x * p[1] - r.y * p[0] + inertia * (double)w.z;
        *linear += distance3(p, zero3);
        *angular += distance3(l, zero3);
    }
}

// 6 x 6 x 6 spheres that fly towards the middle, each with a random part of its own, and spin.
static void add_cloud(cn_build *build)
{
    for (int i = 0; i < 216; ++i) {
        cn_pos3 place = { 1.3 * (i % 6 - 2.5), 1.3 * (i / 6 % 6 - 2.5), 1.3 * (i / 36 - 2.5) };
        cn_body_id ball = cn_build_upright(build, CN_DYNAMIC, place, cn_sphere(0.5f));
        cn_vec3 v = cn_random_vector(&build->random, 3.0f), w = cn_random_vector(&build->random, 3.0f);
        v = (cn_vec3){ v.x - (float)place.x, v.y - (float)place.y, v.z - (float)place.z };
        cn_build_velocity(build, ball, v, w);
    }
}

static void momentum_case(cn_quality *quality, double e, double friction)
{
    cn_build build;
    cn_world_def def = cn_settings_world(&quality->settings);
    cn_energy start = { 0 }, end = { 0 };
    double linear = 0.0, angular = 0.0;
    cn_case_begin(quality, "momentum");
    def.gravity = (cn_vec3){ 0.0f, 0.0f, 0.0f };
    def.restitution_speed = 0.0f; // even the gentlest touch bounces
    cn_quality_open_def(quality, &build, &def);
    build.material.restitution = (float)e;
    build.material.friction = (float)friction;
    add_cloud(&build);
    if (!build.failed) {
        start = cn_quality_energy(&build);
        sum_momenta(&build, &linear, &angular);
    }
    cn_quality_run(quality, &build, 5.0, NULL, NULL);
    if (!build.failed)
        end = cn_quality_energy(&build);
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "e", e);
    cn_case_number(quality, "mu", friction, "");
    cn_case_limit(quality, "linear_drift", distance3(start.linear_momentum, end.linear_momentum) / linear, "", 1e-5);
    cn_case_limit(quality, "angular_drift", distance3(start.angular_momentum, end.angular_momentum) / angular, "", 1e-5);
    cn_case_number(quality, "energy_ratio", end.kinetic / start.kinetic, "");
    cn_case_end(quality, true);
}

void cn_quality_momentum(cn_quality *quality)
{
    momentum_case(quality, 1.0, 0.0);
    momentum_case(quality, 0.0, 0.6);
}
