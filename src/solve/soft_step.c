// The default solver: small steps with soft contacts ("TGS soft"; Macklin et al. 2019, Small Steps in Physics Simulation; the
// soft constraint with a relaxing pass is Erin Catto's). Each substep pushes overlaps apart like a stiff, overdamped spring,
// moves the bodies, and then takes the pushing velocity out again.
//
// The spring is as stiff as the substep allows: its frequency is a fixed fraction of the substep rate, so what a contact sinks
// in under load falls with the square of the number of substeps.
#include "solve/follow.h"

#define PI 3.14159265358979f

// Rigid joints that are swept: their frequency as a fraction of the substep rate, and their damping ratio.
#define JOINT_STIFFNESS 0.25f
#define JOINT_DAMPING_RATIO 2.0f
// The part of its error that a joint that is solved directly loses in a substep.
#define DIRECT_PART 1.0f
// The part of the way to its place that a motor without a spring goes in a step.
#define DIRECT_MOTOR_PART 0.5f
#define SWEPT_MOTOR_PART 0.25f

// A spring of the given frequency and damping ratio, integrated implicitly over h: the speed at which it removes an error, how
// much of the full impulse it applies, and how fast the accumulated impulse relaxes.
typedef struct softness {
    float bias_rate, mass_scale, impulse_scale;
} softness;

static softness spring_softness(float hertz, float damping_ratio, float h)
{
    float omega = 2.0f * PI * hertz, a1 = 2.0f * damping_ratio + h * omega, a2 = h * omega * a1, a3 = 1.0f / (1.0f + a2);
    return (softness){ omega / a1, a2 * a3, a3 };
}

static void set_softness(cn_sweep *sweep, int kind, float hertz, float damping_ratio)
{
    softness s = spring_softness(hertz, damping_ratio, sweep->h);
    sweep->bias_rate[kind] = s.bias_rate;
    sweep->mass_scale[kind] = s.mass_scale;
    sweep->impulse_scale[kind] = s.impulse_scale;
    sweep->most_push[kind] = sweep->push_speed;
}

void cn_set_contact_softness(cn_unit_run *run)
{
    const cn_solver_settings *settings = &run->input->settings;
    float hertz = settings->contact_stiffness * run->sweep.inverse_h;
    // Extra substeps make contacts stiffer, not faster: an overlap is removed at the same speed, whatever load it is under.
    float extra = (float)run->unit->substeps / (float)settings->substeps;
    float damping = settings->contact_damping_ratio * extra;
    set_softness(&run->sweep, 0, hertz, damping);
    // What never gives way may be twice as stiff.
    set_softness(&run->sweep, 1, 2.0f * hertz, damping);
    // Bodies in each other deeper than a load presses them are hooked: stiffer contacts would squeeze what cannot give way by
    // the square of the extra substeps, and take that for a heavier load. Mechanisms have extra substeps for their joints.
    if (!run->unit->joined)
        run->sweep.most_push[0] /= extra;
}

void cn_set_joint_softness(cn_unit_run *run, bool relaxes)
{
    cn_sweep *sweep = &run->sweep;
    softness s = spring_softness(JOINT_STIFFNESS * sweep->inverse_h, JOINT_DAMPING_RATIO, sweep->h);
    sweep->joint_speed = run->input->settings.joint_speed;
    sweep->joints[0] = (cn_joint_softness){ s.mass_scale, s.mass_scale * s.bias_rate, SWEPT_MOTOR_PART };
    sweep->joints[1] = (cn_joint_softness){ 1.0f, DIRECT_PART * sweep->inverse_h, DIRECT_MOTOR_PART };
    for (int i = 0; i < 2 && !relaxes; i++) { // what removes an error stays in the velocities: a part of it at a time
        sweep->joints[i].drag = 1.0f;
        sweep->joints[i].pull = run->input->settings.projection * sweep->inverse_h;
    }
}

// Joints come last: what they hold together stays together, and within its limits, whatever rests on it.
static void push(cn_unit_run *run)
{
    cn_enter_contacts(run);
    cn_run_patches(run, run->kernels->solve);
    cn_leave_contacts(run, true);
    cn_push_joints(run);
}

static void relax(cn_unit_run *run)
{
    cn_enter_contacts(run);
    cn_run_patches(run, run->kernels->relax);
    cn_leave_contacts(run, true);
    cn_relax_joints(run);
}

static void run_substeps(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    cn_set_contact_softness(run);
    run->sweep.sums = true;
    for (int substep = 0; substep < run->unit->substeps; substep++) {
        cn_start_substep(run, substep == 0);
        push(run);
        cn_run_bodies(run, kernels->move);
        cn_follow_move(run, true);
        relax(run);
        cn_follow_end_substep(run);
    }
    run->unit->sweeps = 2 * run->unit->substeps;
}

void cn_solve_soft_step(cn_solve_input *input) { cn_run_units(input, true, false, run_substeps); }
