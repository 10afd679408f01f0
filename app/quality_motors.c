// Position motors at their defaults hold a row of links, and a body that stands in the air, where statics says.
#include "quality.h"
#include "scenes.h"

#include <cairn/ragdoll.h>
#include <math.h>

enum { MOST_LINKS = 8 };

typedef struct held {
    cn_joint_id joint; // the first of a row; null for a body
    double statics;    // torque on it, N m
    double off, energy; // worst of the second half: of the torque, %; J
} held;

static bool watch_held(void *context, const cn_build *build, double time)
{
    held *h = context;
    if (time < 5.0)
        return true;
    h->energy = fmax(h->energy, cn_quality_energy(build).kinetic);
    if (h->statics > 0.0)
        h->off = fmax(h->off, cn_percent_off((double)cn_joint_get_reaction(build->world, h->joint).axis_force[CN_TWIST], h->statics));
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
        cn_body_id link = cn_add_part(&build, (cn_pos3){ length * (i + 0.5), 0.0, 0.0 }, (cn_vec3){ 0.15f, 0.04f, 0.04f }, mass);
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

void cn_quality_motors(cn_quality *quality)
{
    for (int links = 1; links <= MOST_LINKS; ++links)
        links_case(quality, links);
    ragdoll_case(quality);
}
