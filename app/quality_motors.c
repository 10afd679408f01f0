// Position motors at their defaults hold a row of links, and a body that stands in the air, where statics says, and follow a
// place that moves.
#include "quality.h"
#include "scenes.h"

#include <cairn/ragdoll.h>
#include <math.h>

enum { MOST_LINKS = 8 };

typedef struct held {
    cn_joint_id joint;  // the first of a row; null for a body
    double statics;     // torque on it, N m
    double off, energy; // worst of the second half: of the torque, %; J
} held;

static bool watch_held(void *context, const cn_build *build, double time)
{
    held *h = context;
    if (time < 5.0)
        return true;
    h->energy = fmax(h->energy, cn_quality_energy(build).kinetic);
    if (h->statics > 0.0)
        h->off = fmax(h->off,
                      cn_percent_off((double)cn_joint_get_reaction(build->world, h->joint).axis_force[CN_TWIST], h->statics));
    return isfinite(h->energy);
}

static void links_case(cn_quality *quality, int links)
{
    const double length = 0.3, mass = 2.0, gravity = 10.0;
    cn_build build;
    held h = { .statics = mass * gravity * length * 0.5 * links * links };
    cn_body_id last = { 0 };
    cn_case_begin(quality, "motors");
    cn_quality_open(quality, &build, (float)gravity);
    for (int i = 0; i < links; ++i) {
        cn_body_id link =
            cn_add_part(&build, (cn_pos3){ length * (i + 0.5), 0.0, 0.0 }, (cn_vec3){ 0.15f, 0.04f, 0.04f }, mass);
        cn_joint_def def = cn_hinge_joint(build.world, last, link, cn_build_anchor(&build, length * i, 0.0, 0.0),
                                          (cn_vec3){ 0.0f, 0.0f, 1.0f });
        def.axes[CN_TWIST].motor = CN_MOTOR_PLACE;
        cn_joint_id joint = cn_build_joint(&build, &def);
        h.joint = i == 0 ? joint : h.joint;
        last = link;
    }
    cn_quality_run(quality, &build, 10.0, watch_held, &h);
    cn_quality_close(quality, &build);
    cn_case_parameter(quality, "links", links);
    cn_case_limit(quality, "torque_error", h.off, "%", 1.0);
    cn_case_limit(quality, "energy", h.energy / (mass * links), "J/kg", 1e-8);
    cn_case_end(quality, cn_quality_is_default(quality));
}

static void ragdoll_case(cn_quality *quality)
{
    cn_build build;
    held h = { 0 };
    cn_ragdoll ragdoll;
    cn_ragdoll_def def = cn_ragdoll_def_default();
    cn_ragdoll_pose pose = cn_ragdoll_pose_rest();
    pose.rotations[CN_BONE_LEFT_UPPER_ARM] = (cn_quat){ 0.0f, 0.0f, 0.5f, 0.8660254f };
    pose.rotations[CN_BONE_LEFT_FOREARM] = (cn_quat){ -0.5f, 0.0f, 0.0f, 0.8660254f };
    cn_case_begin(quality, "motors");
    cn_quality_open(quality, &build, 10.0f);
    build.failed |= !cn_ragdoll_create(build.world, &def, &ragdoll) ||
                    !cn_ragdoll_set_kinematic(build.world, &ragdoll, 1u << CN_BONE_PELVIS) ||
                    !cn_ragdoll_set_pose(build.world, &ragdoll, &pose, 1.0f, 0.0f);
    cn_quality_run(quality, &build, 10.0, watch_held, &h);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "body", "ragdoll");
    cn_case_limit(quality, "energy", h.energy / (double)def.mass, "J/kg", 1e-8);
    cn_case_end(quality, cn_quality_is_default(quality));
}

// ---- a place that is set anew in every step

typedef struct following {
    cn_joint_id joint;
    double inertia, weight; // about the hinge: kg m^2; N m when level
    double last;            // s
    double off, late;       // worst: from inverse dynamics, % of the largest torque; from the place, rad
} following;

static double wanted_place(double time) { return 1.0 - cos(2.0 * time); }

static bool watch_following(void *context, const cn_build *build, double time)
{
    following *f = context;
    double dt = time - f->last, middle = time - 0.5 * dt;
    double torque = 4.0 * f->inertia * cos(2.0 * middle) - f->weight * sin(wanted_place(middle));
    if (time > 3.5 * dt) { // the first places were set before anyone knew how fast they move
        double motor = (double)cn_joint_get_reaction(build->world, f->joint).motor_force[CN_TWIST];
        f->off = fmax(f->off, 100.0 * fabs(motor - torque) / (4.0 * f->inertia + f->weight));
        f->late = fmax(f->late, fabs((double)cn_joint_get_place(build->world, f->joint, CN_TWIST) - wanted_place(time)));
    }
    f->last = time;
    return cn_joint_set_motor(build->world, f->joint, CN_TWIST, CN_MOTOR_PLACE, (float)wanted_place(time + dt), INFINITY);
}

static void following_case(cn_quality *quality)
{
    const double mass = 2.0, gravity = 10.0;
    following f = { .inertia = mass * (0.3 * 0.3 + 0.08 * 0.08) / 12.0 + mass * 0.15 * 0.15, .weight = mass * gravity * 0.15 };
    cn_build build;
    cn_case_begin(quality, "motors");
    cn_quality_open(quality, &build, (float)gravity);
    cn_body_id link = cn_add_part(&build, (cn_pos3){ 0.0, 0.15, 0.0 }, (cn_vec3){ 0.04f, 0.15f, 0.04f }, mass);
    cn_joint_def def = cn_hinge_joint(build.world, (cn_body_id){ 0 }, link, cn_build_anchor(&build, 0.0, 0.0, 0.0),
                                      (cn_vec3){ 0.0f, 0.0f, 1.0f });
    def.axes[CN_TWIST].motor = CN_MOTOR_PLACE;
    f.joint = cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, 5.0, watch_following, &f);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "place", "moves");
    cn_case_limit(quality, "torque_error", f.off, "%", 1.0);
    cn_case_limit(quality, "place_error", f.late, "rad", 1e-3);
    cn_case_end(quality, cn_quality_is_default(quality));
}

// ---- all three axes of a ball joint at once

typedef struct turning {
    cn_joint_id joint;
    cn_body_id body;
    cn_vec3 axis;          // of the spin, or of the way to the target; a unit vector
    double start, slowing; // of the spin, rad/s and rad/s^2
    double omega, angle;   // of the way: 1/s, rad
    double off, aside;     // worst: from the closed form, % of the whole; beside the axis, %
    double passed;         // rad beyond the target
} turning;

static double along(cn_vec3 v, cn_vec3 axis)
{
    return (double)v.x * (double)axis.x + (double)v.y * (double)axis.y + (double)v.z * (double)axis.z;
}

static double beside(cn_vec3 v, cn_vec3 axis)
{
    double square = along(v, v) - along(v, axis) * along(v, axis);
    return square > 0.0 ? sqrt(square) : 0.0;
}

static bool watch_spin(void *context, const cn_build *build, double time)
{
    turning *t = context;
    cn_vec3 w = cn_body_get_angular_velocity(build->world, t->body);
    double expected = fmax(0.0, t->start - t->slowing * time);
    t->off = fmax(t->off, 100.0 * fabs(along(w, t->axis) - expected) / t->start);
    t->aside = fmax(t->aside, 100.0 * beside(w, t->axis) / t->start);
    return isfinite(t->off);
}

// Critically damped, the angle that is left is a (1 + w t) exp(-w t), about one axis all the way.
static bool watch_way(void *context, const cn_build *build, double time)
{
    turning *t = context;
    cn_quat q = cn_joint_get_rotation(build->world, t->joint);
    cn_vec3 part = { q.x, q.y, q.z };
    double turned = 2.0 * atan2(along(part, t->axis), (double)q.w);
    double expected = t->angle * (1.0 - (1.0 + t->omega * time) * exp(-t->omega * time));
    t->off = fmax(t->off, 100.0 * fabs(turned - expected) / t->angle);
    t->aside = fmax(t->aside, 100.0 * 2.0 * beside(part, t->axis) / t->angle);
    t->passed = fmax(t->passed, turned - t->angle);
    return isfinite(t->off);
}

static void ball_case(cn_quality *quality, bool drives)
{
    const float third = 0.57735027f;
    const double mass = 2.0, radius = 0.5, inertia = 0.4 * mass * radius * radius;
    turning t = { .axis = drives ? (cn_vec3){ third, -third, third } : (cn_vec3){ 0.30304577f, 0.50507627f, 0.80812204f },
                  .start = 9.0,
                  .slowing = 0.6 / inertia,
                  .omega = 2.0 * 3.14159265358979 * 1.0,
                  .angle = 2.0 };
    cn_build build;
    cn_case_begin(quality, "motors");
    cn_quality_open(quality, &build, 0.0f);
    build.density = (float)(mass / (4.0 / 3.0 * 3.14159265358979 * radius * radius * radius));
    t.body = cn_build_upright(&build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.0, 0.0 }, cn_sphere((float)radius));
    cn_joint_def def = cn_ball_joint(build.world, (cn_body_id){ 0 }, t.body, cn_build_anchor(&build, 0.0, 0.0, 0.0));
    if (drives) {
        float sine = (float)sin(0.5 * t.angle);
        def.ball.motor = CN_MOTOR_PLACE;
        def.ball.motor_rotation = (cn_quat){ sine * t.axis.x, sine * t.axis.y, sine * t.axis.z, (float)cos(0.5 * t.angle) };
        def.ball.motor_hertz = 1.0f;
    } else {
        def.ball.friction = 0.6f;
        cn_build_velocity(&build, t.body, (cn_vec3){ 0.0f, 0.0f, 0.0f },
                          (cn_vec3){ 9.0f * t.axis.x, 9.0f * t.axis.y, 9.0f * t.axis.z });
    }
    t.joint = cn_build_joint(&build, &def);
    cn_quality_run(quality, &build, 4.0, drives ? watch_way : watch_spin, &t);
    cn_quality_close(quality, &build);
    cn_case_label(quality, "ball", drives ? "rotation" : "friction");
    cn_case_limit(quality, "error", t.off, "%", drives ? 2.0 : 0.2);
    cn_case_limit(quality, "beside", t.aside, "%", 0.1);
    if (drives)
        cn_case_limit(quality, "overshoot", t.passed, "rad", 1e-3);
    cn_case_end(quality, cn_quality_is_default(quality));
}

void cn_quality_motors(cn_quality *quality)
{
    for (int links = 1; links <= MOST_LINKS; ++links)
        links_case(quality, links);
    following_case(quality);
    ragdoll_case(quality);
    ball_case(quality, false);
    ball_case(quality, true);
}
