// The beginning of a substep: gravity and forces, what is carried over from the substep before, and impacts.
#include "base/forest.h"
#include "solve/follow.h"

#include <string.h>

// ---- mechanisms that were hit
//
// Joints answer an impact within a substep, with impulses as large as the impact's. Carried over to the next they would drive
// the body that was hit, a foot, into what it has just left, and it would be hit again for that: each time harder. So a
// mechanism begins anew when one of its bodies was hit in the last substep, or is thrown by what is carried over. Nor may what
// is carried over add energy, but for the little that comes of turning joints, after a hit: a foot between floor and leg is
// light, and what presses it from both sides takes many substeps to fade when the leg is on its way up.
#define MOST_GAIN 0.003

static bool moves(const cn_unit_run *run, int state) { return run->sweep.masses[state].inverse_mass > 0.0f; }

// Which of them may be hit, and which were hit in the last step.
static void watch_mechanism(const cn_unit_run *run, int state, const cn_patch *patch)
{
    if (!moves(run, state))
        return;
    cn_mechanism *m = &run->mechanisms[run->mechanism_of[state]];
    m->watched |= (patch->extras & (CN_EXTRA_RESTITUTION | CN_EXTRA_IMPACT)) != 0;
    m->hit |= patch->impact > 0.0f;
}

void cn_find_mechanisms(cn_unit_run *run)
{
    int states = run->input->state_count, *root = cn_arena_array(run->arena, int, states);
    run->mechanism_of = root;
    run->mechanisms = cn_arena_array(run->arena, cn_mechanism, states);
    for (int i = 0; i < run->unit->body_count; i++) {
        root[run->bodies[i]] = run->bodies[i];
        run->mechanisms[run->bodies[i]] = (cn_mechanism){ 0 };
    }
    for (int i = 0; i < run->unit->joint_count; i++)
        if (moves(run, run->joints[i].a) && moves(run, run->joints[i].b))
            cn_join(root, run->joints[i].a, run->joints[i].b);
    for (int i = 0; i < run->unit->body_count; i++)
        root[run->bodies[i]] = cn_find_root(root, run->bodies[i]);
    for (int i = 0; i < run->unit->patch_count; i++) {
        watch_mechanism(run, run->patches[i].a, run->patches[i].patch);
        watch_mechanism(run, run->patches[i].b, run->patches[i].patch);
    }
}

// What the carried impulses add to the kinetic energy of a body, and what it had without them.
static void add_energy(const cn_unit_run *run, int body, cn_mechanism *m)
{
    const cn_body_mass *mass = &run->sweep.masses[body];
    const float *v = run->sweep.states[body].linear, *u = run->sweep.drives[body].before;
    double linear[2] = { 0.0, 0.0 };
    for (int k = 0; k < 3; k++) {
        linear[0] += (double)u[k] * (double)u[k];
        linear[1] += (double)v[k] * (double)v[k];
    }
    double half = 0.5 / (double)mass->inverse_mass;
    cn_sym3 inverse = { mass->xx, mass->yy, mass->zz, mass->xy, mass->xz, mass->yz }, inertia = cn_sym3_inverse(inverse);
    cn_vec3 w = cn_v3(v[4], v[5], v[6]), z = cn_v3(u[4], u[5], u[6]);
    if (run->sweep.drives[body].follows) {
        const float *q = run->sweep.turns[body];
        cn_quat turn = { q[0], q[1], q[2], q[3] };
        w = cn_unrotate(turn, w);
        z = cn_unrotate(turn, z);
    }
    double turning = 0.5 * (double)cn_dot(z, cn_sym3_mul(inertia, z));
    m->energy += half * linear[0] + turning;
    m->gain += half * (linear[1] - linear[0]) + 0.5 * (double)cn_dot(w, cn_sym3_mul(inertia, w)) - turning;
}

// Marks the bodies of those. False when there are none.
static bool mark_mechanisms(const cn_unit_run *run)
{
    cn_body_drive *drives = run->sweep.drives;
    const int *bodies = run->bodies;
    bool any = false;
    for (int i = 0; i < run->unit->body_count; i++) {
        cn_mechanism *m = &run->mechanisms[run->mechanism_of[bodies[i]]];
        m->energy = m->gain = 0.0;
        m->anew = false;
    }
    for (int i = 0; i < run->unit->body_count; i++) {
        cn_mechanism *m = &run->mechanisms[run->mechanism_of[bodies[i]]];
        if (!m->watched || !drives[bodies[i]].jointed || !moves(run, bodies[i]))
            continue;
        m->hit |= drives[bodies[i]].hit;
        m->anew |= drives[bodies[i]].hit || run->kernels->any_thrown(&run->sweep, &bodies[i], 1);
        if (m->hit)
            add_energy(run, bodies[i], m);
    }
    for (int i = 0; i < run->unit->body_count; i++) {
        const cn_mechanism *m = &run->mechanisms[run->mechanism_of[bodies[i]]];
        drives[bodies[i]].let_go = drives[bodies[i]].jointed && (m->anew || m->gain > MOST_GAIN * m->energy);
        any |= drives[bodies[i]].let_go;
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
    bool mechanisms = run->mechanisms != NULL && mark_mechanisms(run);
    if ((first || run->impacts) && run->kernels->any_thrown(&run->sweep, run->bodies, run->unit->body_count)) {
        cn_enter_contacts(run);
        cn_run_patches(run, run->kernels->let_go);
        cn_leave_contacts(run, true);
    }
    if (mechanisms) {
        forget_joints(run);
        cn_follow_forget(run);
    }
    for (int i = 0; mechanisms && i < run->unit->body_count; i++) {
        cn_body_drive *drive = &run->sweep.drives[run->bodies[i]];
        if (drive->let_go)
            memcpy(run->sweep.states[run->bodies[i]].linear, drive->before, sizeof drive->before);
        drive->let_go = drive->hit = false;
    }
}

void cn_end_substeps(cn_unit_run *run)
{
    if (run->mechanisms != NULL && mark_mechanisms(run))
        forget_joints(run);
}

// ---- impacts

// The joints of what was hit take out of its velocities what they do not allow, so that the next round meets a foot with a leg
// behind it.
static void answer_by_joints(cn_unit_run *run)
{
    enum { SWEEPS = 4 };
    if (run->unit->joint_count == 0)
        return;
    cn_leave_contacts(run, false);
    for (int i = 0; i < SWEEPS; i++)
        cn_run_joints(run, run->kernels->joint_shake);
    cn_enter_contacts(run);
}

// An impact may cause the next, as in a row of balls. What is still hit after many of them is wedged, and does not bounce any
// more.
static void run_impacts(cn_unit_run *run)
{
    enum { BOUNCING_ROUNDS = 16, MOST_ROUNDS = 24 };
    if (!run->impacts)
        return;
    cn_enter_contacts(run);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        run->sweep.bounces = round < BOUNCING_ROUNDS;
        run->sweep.all_impacts = round == 0;
        run->sweep.impact_round++;
        if (cn_run_patches(run, run->kernels->impact) == 0.0f)
            break;
        answer_by_joints(run);
    }
    cn_leave_contacts(run, false);
}

void cn_start_substep(cn_unit_run *run, bool first)
{
    const cn_wide_kernels *kernels = run->kernels;
    run->sweep.first = first;
    if (first) {
        cn_run_bodies(run, kernels->start_step);
        cn_run_joints(run, kernels->joint_warm_start);
        cn_enter_contacts(run);
        cn_run_patches(run, kernels->warm_start);
        cn_leave_contacts(run, true);
    } else {
        cn_follow_start_substep(run);
        cn_run_bodies(run, kernels->start_substep);
        cn_follow_warm_start(run);
        if (run->surfaces)
            cn_run_all_patches(run, kernels->turn_surfaces);
    }
    let_go(run, first);
    run_impacts(run);
}
