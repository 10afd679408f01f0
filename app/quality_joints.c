// Single joints against closed forms: a chain, a pendulum, a spring, a motor, a slide.
#include "quality.h"
#include "scenes.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

cn_body_id cn_add_part(cn_build *build, cn_pos3 place, cn_vec3 half, double mass)
{
    build->filter.mask = 0;
    build->density = (float)(mass / (8.0 * (double)half.x * (double)half.y * (double)half.z));
    return cn_build_upright(build, CN_DYNAMIC, place, cn_box(half.x, half.y, half.z));
}

double cn_percent_off(double value, double expected) { return 100.0 * fabs(value - expected) / fabs(expected); }

double cn_total_energy(const cn_build *build)
{
    if (build->failed)
        return (double)NAN;
    cn_energy energy = cn_quality_energy(build);
    return energy.kinetic + energy.potential;
}

// ---- chain

typedef struct swing {
    cn_body_id weight;
    cn_pos3 top;
    double stretch, most_stretch; // of the length
    double start, energy;         // at the start and when the weight is highest on the other side, J
    bool rose, over;
} swing;

static bool watch_chain(void *context, const cn_build *build, double time)
{
    swing *s = context;
    const double length = CN_CHAIN_LINKS * CN_CHAIN_LINK;
    cn_pos3 place = cn_center(build, s->weight);
    float up = cn_body_get_linear_velocity(build->world, s->weight).y;
    (void)time;
    s->stretch = hypot(hypot(place.x - s->top.x, place.y - s->top.y), place.z - s->top.z) / length - 1.0;
    s->most_stretch = fmax(s->most_stretch, s->stretch);
    s->rose = s->rose || up > 0.0f;
    if (s->rose && up <= 0.0f && !s->over) {
        s->energy = cn_total_energy(build);
        s->over = true;
    }
    return isfinite(s->stretch);
}

static void chain_case(cn_quality *quality, double ratio, double most_stretch)
{
    const double length = CN_CHAIN_LINKS * CN_CHAIN_LINK, gravity = 10.0;
    cn_build build;
    swing s = { .energy = (double)NAN };
    cn_case_begin(quality, "chain");
    cn_quality_open(quality, &build, (float)gravity);
    s.weight = cn_build_chain(&build, ratio);
    double link = 0.0;
    if (!build.failed) {
        s.top = cn_center(&build, build.bodies[0]);
        s.start = cn_total_energy(&build);
        link = (double)cn_body_get_mass(build.world, build.bodies[1]).mass;
    }
    double stake = link * gravity * length * (ratio + 0.5 * CN_CHAIN_LINKS);
    cn_quality_run(quality, &build, 10.0, watch_chain, &s);
    double end = cn_total_energy(&build);
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "ratio", ratio);
    cn_case_limit(quality, "stretch_max", 100.0 * s.most_stretch, "%", most_stretch);
    cn_case_number(quality, "stretch_end", 100.0 * s.stretch, "%");
    cn_case_limit(quality, "energy_lost", 100.0 * fabs(s.energy - s.start) / stake, "%", 2.0);
    cn_case_number(quality, "energy_lost_end", 100.0 * (s.start - end) / stake, "%");
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_chain(cn_quality *quality)
{
    if (isfinite(quality->ratio)) {
        chain_case(quality, quality->ratio, quality->ratio <= 100.0 ? 0.2 : 1.0);
        return;
    }
    for (double ratio = 1.0; ratio <= 10000.0; ratio *= 10.0)
        chain_case(quality, ratio, ratio <= 100.0 ? 0.2 : 1.0);
}

// ---- pendulum

typedef struct ticks {
    cn_joint_id hinge;
    double last_time, last_place;
    double first, latest; // s: when it passed the lowest place, to one side
    int count;
    double start, drift; // J
} ticks;

static bool watch_pendulum(void *context, const cn_build *build, double time)
{
    ticks *t = context;
    double place = (double)cn_joint_get_place(build->world, t->hinge, CN_TWIST);
    if (t->last_place > 0.0 && place <= 0.0) {
        t->latest = t->last_time + (time - t->last_time) * t->last_place / (t->last_place - place);
        if (t->count++ == 0)
            t->first = t->latest;
    }
    t->drift = fmax(t->drift, fabs(cn_total_energy(build) - t->start));
    t->last_time = time;
    t->last_place = place;
    return true;
}

// That of small swings times 2 K(sin(amplitude / 2)) / pi, by the arithmetic-geometric mean.
static double period_of(double inertia, double torque, double amplitude)
{
    double a = 1.0, b = cos(0.5 * amplitude);
    for (int i = 0; i < 8; ++i) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * pi * sqrt(inertia / torque) / a;
}

// A rod of 2 m that hangs on a hinge at its end.
static void pendulum_case(cn_quality *quality, double amplitude)
{
    const double gravity = 10.0, half = 1.0, mass = 1.0, seconds = 60.0;
    const cn_vec3 z = { 0.0f, 0.0f, 1.0f };
    cn_build build;
    ticks t = { .last_place = amplitude };
    cn_case_begin(quality, "pendulum");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id rod = cn_add_part(&build, (cn_pos3){ 0.0, -half, 0.0 }, (cn_vec3){ 0.05f, (float)half, 0.05f }, mass);
    cn_joint_def def = cn_hinge_joint(build.world, (cn_body_id){ 0 }, rod, cn_build_anchor(&build, 0.0, 0.0, 0.0), z);
    t.hinge = cn_build_joint(&build, &def);
    double inertia = 1.0;
    if (!build.failed) {
        cn_transform raised = { cn_build_anchor(&build, half * sin(amplitude), -half * cos(amplitude), 0.0),
                                { 0.0f, 0.0f, (float)sin(0.5 * amplitude), (float)cos(0.5 * amplitude) } };
        cn_body_set_transform(build.world, rod, raised);
        inertia = (double)cn_body_get_mass(build.world, rod).inertia.zz + mass * half * half;
        t.start = cn_total_energy(&build);
    }
    cn_quality_run(quality, &build, seconds, watch_pendulum, &t);
    double stake = mass * gravity * half * (1.0 - cos(amplitude)), end = cn_total_energy(&build) - t.start;
    double period = t.count > 1 ? (t.latest - t.first) / (t.count - 1) : (double)NAN;
    double expected = period_of(inertia, mass * gravity * half, amplitude);
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "amplitude", amplitude);
    cn_case_number(quality, "period", period, "s");
    cn_case_number(quality, "expected", expected, "s");
    cn_case_limit(quality, "period_error", cn_percent_off(period, expected), "%", 0.1);
    cn_case_limit(quality, "energy_drift", 100.0 * fabs(end) / stake, "%", 1.0);
    cn_case_number(quality, "energy_drift_max", 100.0 * t.drift / stake, "%");
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_pendulum(cn_quality *quality)
{
    const double amplitudes[] = { 0.1, 1.0, 2.5 };
    for (int i = 0; i < 3; ++i)
        pendulum_case(quality, amplitudes[i]);
}

// ---- spring

// Any damped vibration has x(t + h) = p x(t) - q x(t - h) with q = e^(-2 zeta omega h) and p = 2 sqrt(q) cos(omega_d h); p and
// q are found by least squares (Prony's method), from places alone.
typedef struct vibration {
    cn_joint_id slider;
    double omega, zeta;
    double last[2];            // places, the latest first
    double xx, xy, yy, xz, yz; // sums for least squares
    double worst;              // distance from the exact motion, in amplitudes of the undamped one
} vibration;

static bool watch_spring(void *context, const cn_build *build, double time)
{
    vibration *s = context;
    double z = (double)cn_joint_get_place(build->world, s->slider, CN_X), x = s->last[0], y = s->last[1];
    double damped = s->omega * sqrt(1.0 - s->zeta * s->zeta);
    if (y != 0.0)
        s->xx += x * x, s->xy += x * y, s->yy += y * y, s->xz += x * z, s->yz += y * z;
    double exact = exp(-s->zeta * s->omega * time) * (damped > 0.0 ? sin(damped * time) / damped : time);
    s->worst = fmax(s->worst, fabs(z - exact) * s->omega);
    s->last[1] = x;
    s->last[0] = z;
    return true;
}

static void find_vibration(const vibration *s, double h, double *omega, double *zeta)
{
    double det = s->xx * s->yy - s->xy * s->xy;
    double p = (s->xz * s->yy - s->yz * s->xy) / det, q = (s->xz * s->xy - s->yz * s->xx) / det;
    double decay = -0.5 * log(q) / h, cosine = 0.5 * p / sqrt(q);
    double angle = cosine < 1.0 ? acos(cosine) / h : acosh(cosine) / h; // above 1: it does not vibrate
    *omega = sqrt(decay * decay + (cosine < 1.0 ? angle * angle : -angle * angle));
    *zeta = decay / *omega;
}

// A body on a slider with a spring, pushed off at 1 m/s from where it is at ease.
static void spring_case(cn_quality *quality, double hertz, double zeta)
{
    const double mass = 2.0;
    cn_build build;
    vibration s = { .omega = 2.0 * pi * hertz, .zeta = zeta };
    cn_case_begin(quality, "spring");
    cn_quality_open(quality, &build, 0.0f);
    cn_body_id body = cn_add_part(&build, (cn_pos3){ 0.0, 0.0, 0.0 }, (cn_vec3){ 0.5f, 0.5f, 0.5f }, mass);
    cn_joint_def def = cn_slider_joint(build.world, (cn_body_id){ 0 }, body, cn_build_anchor(&build, 0.0, 0.0, 0.0),
                                       (cn_vec3){ 1.0f, 0.0f, 0.0f });
    def.axes[CN_X].spring_stiffness = (float)(mass * s.omega * s.omega);
    def.axes[CN_X].spring_damping = (float)(2.0 * zeta * s.omega * mass);
    s.slider = cn_build_joint(&build, &def);
    cn_build_velocity(&build, body, (cn_vec3){ 1.0f, 0.0f, 0.0f }, (cn_vec3){ 0.0f, 0.0f, 0.0f });
    cn_quality_run(quality, &build, 4.0 / hertz, watch_spring, &s);
    cn_quality_close(quality, &build);
    double found, ratio;
    find_vibration(&s, quality->settings.dt, &found, &ratio);
    cn_case_parameter(quality, "zeta", zeta);
    cn_case_number(quality, "frequency", found / (2.0 * pi), "Hz");
    cn_case_limit(quality, "frequency_error", cn_percent_off(found, s.omega), "%", 2.0);
    cn_case_number(quality, "damping_ratio", ratio, "");
    cn_case_limit(quality, "damping_ratio_error", fabs(ratio - zeta), "", 0.02);
    cn_case_limit(quality, "worst_deviation", 100.0 * s.worst, "%", 2.0);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_spring(cn_quality *quality)
{
    const double ratios[] = { 0.0, 0.1, 0.5, 1.0 };
    for (int i = 0; i < 4; ++i)
        spring_case(quality, 2.0, ratios[i]);
}

// ---- hinge_motor

// A bar of 2 m turned about its end in free space: at first by all the torque there is, then at the speed that is wanted.
void cn_quality_hinge_motor(cn_quality *quality)
{
    const double mass = 3.0, half = 1.0, torque = 8.0, target = 5.0, early = 1.0;
    cn_build build;
    cn_case_begin(quality, "hinge_motor");
    cn_quality_open(quality, &build, 0.0f);
    cn_body_id bar = cn_add_part(&build, (cn_pos3){ half, 0.0, 0.0 }, (cn_vec3){ (float)half, 0.05f, 0.1f }, mass);
    cn_joint_def def = cn_hinge_joint(build.world, (cn_body_id){ 0 }, bar, cn_build_anchor(&build, 0.0, 0.0, 0.0),
                                      (cn_vec3){ 0.0f, 0.0f, 1.0f });
    def.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
    def.axes[CN_TWIST].motor_target = (float)target;
    def.axes[CN_TWIST].motor_max_force = (float)torque;
    cn_joint_id hinge = cn_build_joint(&build, &def);
    double speed[2] = { (double)NAN, (double)NAN }, used = (double)NAN, idle = (double)NAN, inertia = 1.0;
    for (int i = 0; i < 2; ++i) {
        cn_quality_run(quality, &build, i ? 9.0 : early, NULL, NULL);
        if (build.failed)
            break;
        inertia = (double)cn_body_get_mass(build.world, bar).inertia.zz + mass * half * half;
        speed[i] = (double)cn_joint_get_speed(build.world, hinge, CN_TWIST);
        *(i ? &idle : &used) = (double)cn_joint_get_reaction(build.world, hinge).motor_force[CN_TWIST];
    }
    cn_quality_close(quality, &build);
    cn_case_number(quality, "speed_after_1s", speed[0], "rad/s");
    cn_case_number(quality, "expected", torque * early / inertia, "rad/s");
    cn_case_limit(quality, "early_error", cn_percent_off(speed[0], torque * early / inertia), "%", 0.1);
    cn_case_limit(quality, "torque_error", cn_percent_off(used, torque), "%", 0.1);
    cn_case_limit(quality, "speed_error", cn_percent_off(speed[1], target), "%", 0.1);
    cn_case_limit(quality, "idle_torque", fabs(idle), "N m", 0.01 * torque);
    cn_case_end(quality, cn_quality_is_default(quality));
}

// ---- slider

// A body on a slider that goes down at 30 degrees.
static void slider_case(cn_quality *quality, double friction)
{
    const double mass = 2.0, gravity = 10.0, seconds = 2.0, pull = 0.5 * mass * gravity;
    cn_build build;
    cn_case_begin(quality, "slider");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id body = cn_add_part(&build, (cn_pos3){ 0.0, 0.0, 0.0 }, (cn_vec3){ 0.5f, 0.5f, 0.5f }, mass);
    cn_joint_def def = cn_slider_joint(build.world, (cn_body_id){ 0 }, body, cn_build_anchor(&build, 0.0, 0.0, 0.0),
                                       (cn_vec3){ (float)sqrt(0.75), -0.5f, 0.0f });
    def.axes[CN_X].friction = (float)friction;
    cn_joint_id slider = cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, seconds, NULL, NULL);
    double way = (double)NAN, speed = (double)NAN;
    if (!build.failed) {
        way = (double)cn_joint_get_place(build.world, slider, CN_X);
        speed = (double)cn_joint_get_speed(build.world, slider, CN_X);
    }
    cn_quality_close(quality, &build);
    double expected = fmax(pull - friction, 0.0) / mass * seconds;
    cn_case_parameter(quality, "friction", friction);
    cn_case_number(quality, "speed", speed, "m/s");
    cn_case_number(quality, "expected", expected, "m/s");
    if (expected > 0.0) {
        cn_case_limit(quality, "speed_error", cn_percent_off(speed, expected), "%", 0.1);
        cn_case_limit(quality, "way_error", cn_percent_off(way, 0.5 * expected * seconds), "%", 1.0);
    } else {
        cn_case_limit(quality, "creep", fabs(way), "m", 1e-4);
    }
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_slider(cn_quality *quality)
{
    const double frictions[] = { 0.0, 6.0, 10.1 }; // N; it is pulled by 10 N
    for (int i = 0; i < 3; ++i)
        slider_case(quality, frictions[i]);
}
