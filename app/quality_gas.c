// A gas: many bodies that bounce off each other and off the walls of a closed room.
//
// Without friction and with restitution 1 the spheres are the ideal gas of kinetic theory: the energy stays, what the walls are given is what
// the gas loses in momentum, and whatever the speeds were in the beginning, they become Maxwell's. With friction and restitution below 1
// the energy falls in every step.
#include "quality.h"
#include "scenes.h"

#include <cairn/path.h>

#include <math.h>
#include <stdlib.h>

enum { SPEED_BINS = 20 };
#define HALF_ROOM CN_GAS_HALF_ROOM
#define START_SPEED CN_GAS_SPEED

typedef struct gas {
    cn_body_id walls[6];
    double energy, least, worst_gain, worst_drift; // J; then parts of the energy before
    double time, given[3];                         // s; momentum given to the walls, kg m/s
} gas;

static bool watch_gas(void *context, const cn_build *build, double time)
{
    gas *g = context;
    double now = cn_quality_energy(build).kinetic, dt = time - g->time;
    g->time = time;
    g->worst_gain = fmax(g->worst_gain, now / g->least - 1.0);
    g->worst_drift = fmax(g->worst_drift, fabs(now / g->energy - 1.0));
    g->least = fmin(g->least, now);
    for (int i = 0; i < 6; i++) {
        cn_vec3 force = cn_body_get_push(build->world, g->walls[i]).force;
        g->given[0] += dt * (double)force.x;
        g->given[1] += dt * (double)force.y;
        g->given[2] += dt * (double)force.z;
    }
    return true;
}

// How many of n spheres with mean square speed s^2 are slower than v, by Maxwell's distribution.
static double slower(double v, double s)
{
    const double pi = 3.14159265358979;
    double x = v * sqrt(1.5) / s;
    return erf(x) - 2.0 / sqrt(pi) * x * exp(-x * x);
}

// Chi-square of the speeds against Maxwell's distribution, in bins of equal probability.
static double chi_square(const cn_build *build, double energy, double mass)
{
    int counts[SPEED_BINS] = { 0 }, n = 0;
    double sum = 0.0, s = sqrt(2.0 * energy / mass);
    for (int i = 0; i < build->body_count; i++) {
        if (cn_body_get_type(build->world, build->bodies[i]) != CN_DYNAMIC)
            continue;
        int bin = (int)(SPEED_BINS * slower(cn_magnitude(cn_body_get_linear_velocity(build->world, build->bodies[i])), s));
        counts[bin < SPEED_BINS ? bin : SPEED_BINS - 1]++;
        n++;
    }
    for (int i = 0; i < SPEED_BINS; i++) {
        double expected = (double)n / SPEED_BINS, off = counts[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

static void open_gas(cn_quality *quality, cn_build *build, gas *g, double e, double mu)
{
    cn_world_def def = cn_settings_world(&quality->settings);
    cn_case_begin(quality, "gas");
    def.gravity = (cn_vec3){ 0.0f, 0.0f, 0.0f };
    def.restitution_speed = 0.1f; // a gentler touch is not worth a bounce: a ten-thousandth of the energy
    cn_quality_open_def(quality, build, &def);
    build->material.restitution = (float)e;
    build->material.friction = (float)mu;
    cn_build_gas(build, g->walls);
}

static bool is_inside(const cn_build *build)
{
    for (int i = 0; i < build->body_count; i++) {
        cn_pos3 p = cn_center(build, build->bodies[i]);
        if (cn_body_get_type(build->world, build->bodies[i]) == CN_DYNAMIC && fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > (double)HALF_ROOM)
            return false;
    }
    return true;
}

static void gas_case(cn_quality *quality, double e, double mu)
{
    cn_build build;
    gas g = { 0 };
    double chi = 0.0, missing = 0.0;
    bool inside = false;
    open_gas(quality, &build, &g, e, mu);
    if (!build.failed) {
        cn_energy start = cn_quality_energy(&build);
        g.energy = g.least = start.kinetic;
        cn_quality_run(quality, &build, 10.0, watch_gas, &g);
        cn_energy end = cn_quality_energy(&build);
        inside = is_inside(&build);
        chi = chi_square(&build, end.kinetic, end.mass);
        for (int k = 0; k < 3; k++) {
            double lost = start.linear_momentum[k] - end.linear_momentum[k];
            missing = fmax(missing, fabs(lost - g.given[k]) / (end.mass * (double)START_SPEED));
        }
    }
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "e", e);
    cn_case_number(quality, "mu", mu, "");
    cn_case_limit(quality, "gain_percent", 100.0 * g.worst_gain, "%", 0.1); // over what was the least so far
    if (e >= 1.0) {
        cn_case_limit(quality, "drift_percent", 100.0 * g.worst_drift, "%", 1.0);
        cn_case_limit(quality, "momentum_missing", missing, "", 1e-4); // of the walls' account, as a part of m v
        cn_case_limit(quality, "chi_square", chi, "", 43.8);           // 19 degrees of freedom: one gas in a thousand has more
    } else {
        cn_case_number(quality, "energy_ratio", g.least / g.energy, "");
    }
    cn_case_flag(quality, "inside", inside);
    cn_case_end(quality, true);
}

void cn_quality_gas(cn_quality *quality)
{
    gas_case(quality, 1.0, 0.0);
    gas_case(quality, 0.9, 0.6);
}
