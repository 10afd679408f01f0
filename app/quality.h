// Quality cases: small experiments with a known right answer. A case sets up a world, watches it, and reports named numbers,
// each with the bound it has to keep.
#ifndef CAIRN_APP_QUALITY_H
#define CAIRN_APP_QUALITY_H

#include "build.h"
#include "output.h"
#include "settings.h"

#define CN_CASE_VALUES 16

typedef enum cn_value_kind { CN_VALUE_NUMBER, CN_VALUE_FLAG, CN_VALUE_TEXT } cn_value_kind;

typedef struct cn_value {
    const char *name, *unit;
    cn_value_kind kind;
    double number; // or 0 and 1 for a flag
    const char *text;
    bool bounded;
    double limit; // the most a bounded number may be
} cn_value;

typedef struct cn_quality {
    cn_settings settings;
    bool json;
    double height, ratio, mu, e, speed; // parameters from the command line; NAN when not given
    double origin;                      // m along x: where everything happens
    // The case that is being reported.
    const char *scene;
    cn_value values[CN_CASE_VALUES];
    int value_count;
    bool pass;
    // What came of all cases.
    int case_count, missed, broken;
} cn_quality;

// ---- Reporting (quality_report.c)

void cn_case_begin(cn_quality *quality, const char *scene);
// What the case varies.
void cn_case_parameter(cn_quality *quality, const char *name, double value);
void cn_case_label(cn_quality *quality, const char *name, const char *text);
// A number that is measured only, and one that must not exceed a limit.
void cn_case_number(cn_quality *quality, const char *name, double value, const char *unit);
void cn_case_limit(cn_quality *quality, const char *name, double value, const char *unit, double limit);
// Something that must be true.
void cn_case_flag(cn_quality *quality, const char *name, bool value);
// Prints the case. One that is not judged does not count when a bound is missed.
void cn_case_end(cn_quality *quality, bool judged);
// Whether the solver is the library's default: the one whose motion, not only its forces, is promised to be accurate.
bool cn_quality_is_default(const cn_quality *quality);

// ---- Running (quality_report.c)

// A world with the settings of the command line under the given gravity (m/s^2, downwards).
bool cn_quality_open(const cn_quality *quality, cn_build *build, float gravity);
// The same with a definition of its own.
bool cn_quality_open_def(const cn_quality *quality, cn_build *build, const cn_world_def *def);
// Closes the world. A world that failed is complained about and counted.
void cn_quality_close(cn_quality *quality, cn_build *build);
// Steps for so many seconds and calls `watch` after each step with the time since the call began. Stops when it answers false.
typedef bool (*cn_watch_fn)(void *context, const cn_build *build, double time);
void cn_quality_run(const cn_quality *quality, cn_build *build, double seconds, cn_watch_fn watch, void *context);

// ---- Small measures shared by cases

double cn_magnitude(cn_vec3 v);
// From where everything happens.
cn_pos3 cn_center(const cn_build *build, cn_body_id body);
// Linear speed of the fastest body, m/s.
double cn_fastest(const cn_build *build);

// Energy and momenta, the angular one about where everything happens.
cn_energy cn_quality_energy(const cn_build *build);
// The centres of all bodies, or NULL; and the longest way any of them has gone since. Free them.
cn_pos3 *cn_copy_centers(const cn_build *build);
double cn_longest_way(const cn_build *build, const cn_pos3 *from);

// ---- Mechanisms (quality_joints.c)

// A box of the given half extents and mass that collides with nothing; nor do the bodies that follow.
cn_body_id cn_add_part(cn_build *build, cn_pos3 place, cn_vec3 half, double mass);
double cn_percent_off(double value, double expected);
// J, kinetic and potential; not a number when the build has failed.
double cn_total_energy(const cn_build *build);

// ---- Measures that `scale` takes from others. `size` is the edge of a cube.

typedef struct cn_tower_result {
    double drift, loss; // m: how far the top moved sideways, and sank
} cn_tower_result;
cn_tower_result cn_measure_tower(cn_quality *quality, int height, float size, double seconds);
// The angle in degrees at which a box on an incline starts to slide, to 0.02 degrees.
double cn_measure_slip_angle(cn_quality *quality, double mu, float size);

// ---- The cases

void cn_quality_tower(cn_quality *quality);
void cn_quality_heavy_on_light(cn_quality *quality);
void cn_quality_jitter(cn_quality *quality);
void cn_quality_pile_jitter(cn_quality *quality);
void cn_quality_arch(cn_quality *quality);
void cn_quality_cards(cn_quality *quality);
void cn_quality_slope(cn_quality *quality);
void cn_quality_isotropy(cn_quality *quality);
void cn_quality_stop(cn_quality *quality);
void cn_quality_bounce(cn_quality *quality);
void cn_quality_spin(cn_quality *quality);
void cn_quality_momentum(cn_quality *quality);
void cn_quality_gas(cn_quality *quality); // quality_gas.c
void cn_quality_tunnel(cn_quality *quality);
void cn_quality_thin(cn_quality *quality);
void cn_quality_bumps(cn_quality *quality);
void cn_quality_penetration(cn_quality *quality);
void cn_quality_scale(cn_quality *quality);
void cn_quality_chain(cn_quality *quality);
void cn_quality_pendulum(cn_quality *quality);
void cn_quality_top(cn_quality *quality);
void cn_quality_spring(cn_quality *quality);
void cn_quality_motors(cn_quality *quality);
void cn_quality_hinge_motor(cn_quality *quality);
void cn_quality_slider(cn_quality *quality);
void cn_quality_gear(cn_quality *quality);
void cn_quality_rack(cn_quality *quality);
void cn_quality_pulley(cn_quality *quality);
void cn_quality_hang(cn_quality *quality);
void cn_quality_beam(cn_quality *quality);
void cn_quality_limit(cn_quality *quality);
void cn_quality_breakable(cn_quality *quality);
void cn_quality_ragdoll(cn_quality *quality);
void cn_quality_cradle(cn_quality *quality);
void cn_quality_door(cn_quality *quality);
void cn_quality_platform(cn_quality *quality);
void cn_quality_grip(cn_quality *quality);
void cn_quality_table(cn_quality *quality);

#endif
