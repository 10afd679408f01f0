// Running the kernels over a unit: one after the other on this thread, or colour by colour over all threads.
#ifndef CN_RUN_H
#define CN_RUN_H

#include "solve/wide.h"

// The inertia of one body of a joint that follows the body, see follow.h.
typedef struct cn_followed_side {
    cn_wide_joint *wide;
    int lane, follower;
    bool second; // body b
} cn_followed_side;

// All that hangs together by joints.
typedef struct cn_mechanism {
    double energy, gain; // kinetic, without what is carried over, and what that adds: J
    bool watched, hit;   // it may be hit in this step; it was, in this or the last
    bool anew;           // it begins without what is carried over
} cn_mechanism;

typedef struct cn_unit_run {
    cn_solve_input *input;
    cn_unit *unit;
    const cn_wide_kernels *kernels;
    cn_sweep sweep;
    const cn_found_patch *patches; // of this unit
    const int *bodies;
    cn_wide_patch *wides;
    int *wide_ends; // per colour
    int wide_count;
    int *patch_of_wide; // first patch of each wide
    cn_found_joint *joints;
    cn_wide_joint *wide_joints;
    int *wide_joint_ends, *joint_of_wide; // as above
    int wide_joint_count;
    bool impacts;                   // some patch may be hit
    bool surfaces;                  // friction of some patch drives towards a velocity
    struct cn_joint_direct *direct; // where locks are solved all at once, else NULL
    struct cn_wide_follower *followers; // jointed bodies that tumble
    cn_followed_side *followed;
    int follower_count, followed_count;
    int *mechanism_of;        // per state: the one that stands for its mechanism
    cn_mechanism *mechanisms; // per state; NULL where nothing that has joints may be hit
    cn_arena *arena;          // for this unit, in this step
} cn_unit_run;

typedef void (*cn_schedule)(cn_unit_run *run);

// Runs the schedule on every unit: small ones side by side, large ones one after the other with all threads on each.
// Patches are prepared before and stored after. `substeps` tells whether the schedule divides the step.
void cn_run_units(cn_solve_input *input, bool substeps, bool split, cn_schedule schedule);

// Colour by colour. Returns the largest velocity change any patch reported.
float cn_run_patches(cn_unit_run *run, cn_patch_kernel kernel);
// All patches at once, whatever their colour: for kernels that leave the bodies alone.
float cn_run_all_patches(cn_unit_run *run, cn_patch_kernel kernel);
void cn_run_bodies(cn_unit_run *run, cn_body_kernel kernel);
void cn_run_joints(cn_unit_run *run, cn_joint_kernel kernel);     // colour by colour
void cn_run_all_joints(cn_unit_run *run, cn_joint_kernel kernel); // at once
// One pass over the joints, by sweeps or directly (joint_direct.c).
void cn_push_joints(cn_unit_run *run);
void cn_relax_joints(cn_unit_run *run);
// How rigid locks and stops of joints push, for schedules that relax afterwards or do not (soft_step.c).
void cn_set_joint_softness(cn_unit_run *run, bool relaxes);
// True when any patch of the unit asked for the extra.
bool cn_run_has_extra(const cn_unit_run *run, int extra);

// Begins a substep: gravity and forces, and what contacts and joints carry over from the last substep, or step where it is the
// first.
void cn_start_substep(cn_unit_run *run, bool first);
void cn_find_mechanisms(cn_unit_run *run);
// Ends the last one: what the next step must not begin with is forgotten.
void cn_end_substeps(cn_unit_run *run);
// Spring constants of soft contacts for the substep of this run (soft_step.c).
void cn_set_contact_softness(cn_unit_run *run);

#endif
