// The beginning of a substep: gravity and forces, what is carried over from the substep before, and impacts.
#include "solve/run.h"

#include <string.h>

// ---- mechanisms that were hit
//
// Joints answer an impact within a substep, with impulses as large as the impact's. Carried over to the next they would drive the body that
// was hit, a foot, into what it has just left, and it would be hit again for that: each time harder. So a mechanism begins anew when one of
// its bodies was hit in the last substep, or is thrown by what is carried over.

static bool begins_anew(const cn_unit_run *run, int body)
{
    const cn_body_drive *drive = &run->sweep.drives[body];
    return drive->jointed && (drive->hit || run->kernels->any_thrown(&run->sweep, &body, 1));
}

// Marks those, and all that hang on them. False when there are none.
static bool mark_mechanisms(const cn_unit_run *run)
{
    cn_body_drive *drives = run->sweep.drives;
    bool any = false;
    for (int i = 0; i < run->unit->body_count; i++)
        any |= drives[run->bodies[i]].let_go = begins_anew(run, run->bodies[i]);
    for (bool more = any; more;) {
        more = false;
        for (int i = 0; i < run->unit->joint_count; i++) {
            int a = run->joints[i].a, b = run->joints[i].b;
            bool pushed = run->sweep.masses[a].inverse_mass > 0.0f && run->sweep.masses[b].inverse_mass > 0.0f;
            if (drives[a].let_go != drives[b].let_go && pushed)
                more = drives[a].let_go = drives[b].let_go = true;
        }
    }
    return any;
}

static void forget_joint(cn_wide_joint *c, int lane)
{
    for (int k = 0; k < 6; k++)
        c->impulse[k][lane] = 0.0f;
    for (int n = 0; n < c->row_count; n++)
        c->rows[n].impulse[lane] = 0.0f;
    for (int k = 0; c->cone != NULL && k < 2; k++)
        c->cone->impulse[k][lane] = 0.0f;
    for (int n = 0; c->torque != NULL && n < CN_TORQUE_COUNT; n++)
        for (int k = 0; k < 3; k++)
            c->torque->bounds[n].impulse[k][lane] = 0.0f;
}

static void forget_joints(const cn_unit_run *run)
{
    const cn_body_drive *drives = run->sweep.drives;
    for (int i = 0; i < run->wide_joint_count; i++)
        for (int lane = 0; lane < CN_LANES; lane++)
            if (drives[run->wide_joints[i].a[lane]].let_go || drives[run->wide_joints[i].b[lane]].let_go)
                forget_joint(&run->wide_joints[i], lane);
}

static void let_go(cn_unit_run *run, bool first)
{
    bool mechanisms = run->impacts && run->unit->joint_count > 0 && mark_mechanisms(run);
    if ((first || run->impacts) && run->kernels->any_thrown(&run->sweep, run->bodies, run->unit->body_count))
        cn_run_patches(run, run->kernels->let_go);
    if (mechanisms)
        forget_joints(run);
    for (int i = 0; mechanisms && i < run->unit->body_count; i++) {
        cn_body_drive *drive = &run->sweep.drives[run->bodies[i]];
        if (drive->let_go)
            memcpy(run->sweep.states[run->bodies[i]].linear, drive->before, sizeof drive->before);
        drive->let_go = drive->hit = false;
    }
}

void cn_end_substeps(cn_unit_run *run)
{
    if (run->impacts && run->unit->joint_count > 0 && mark_mechanisms(run))
        forget_joints(run);
}

// ---- impacts

// An impact may cause the next, as in a row of balls. What is still hit after many of them is wedged, and does not bounce any more.
static void run_impacts(cn_unit_run *run)
{
    enum { BOUNCING_ROUNDS = 16, MOST_ROUNDS = 24 };
    for (int round = 0; run->impacts && round < MOST_ROUNDS; round++) {
        run->sweep.bounces = round < BOUNCING_ROUNDS;
        if (cn_run_patches(run, run->kernels->impact) == 0.0f)
            return;
    }
}

void cn_start_substep(cn_unit_run *run, bool first)
{
    const cn_wide_kernels *kernels = run->kernels;
    run->sweep.first = first;
    if (first) {
        cn_run_bodies(run, kernels->start_step);
        cn_run_joints(run, kernels->joint_warm_start);
        cn_run_patches(run, kernels->warm_start);
    } else {
        cn_run_bodies(run, kernels->start_substep);
        if (run->surfaces)
            cn_run_all_patches(run, kernels->turn_surfaces);
    }
    let_go(run, first);
    run_impacts(run);
}
