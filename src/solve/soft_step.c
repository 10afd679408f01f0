// The default solver: small steps with soft contacts ("TGS soft"; Macklin et al. 2019, Small Steps in Physics Simulation; the
// soft constraint with a relaxing pass is Erin Catto's). Each substep pushes overlaps apart like a stiff, overdamped spring,
// moves the bodies, and then takes the pushing velocity out again.
//
// The spring is as stiff as the substep allows: its frequency is a fixed fraction of the substep rate, so what a contact sinks
// in under load falls with the square of the number of substeps.
#include "solve/run.h"

#define PI 3.14159265358979f

// A spring of the given frequency and damping ratio, integrated implicitly over h: the speed at which it removes an error, how
// much of the full impulse it applies, and how fast the accumulated impulse relaxes.
static void set_softness(cn_sweep *sweep, int kind, float hertz, float damping_ratio)
{
    float omega = 2.0f * PI * hertz, a1 = 2.0f * damping_ratio + sweep->h * omega, a2 = sweep->h * omega * a1,
          a3 = 1.0f / (1.0f + a2);
    sweep->bias_rate[kind] = omega / a1;
    sweep->mass_scale[kind] = a2 * a3;
    sweep->impulse_scale[kind] = a3;
}

void cn_set_contact_softness(cn_unit_run *run)
{
    const cn_solver_settings *settings = &run->input->settings;
    float hertz = settings->contact_stiffness * run->sweep.inverse_h;
    // Extra substeps make contacts stiffer, not faster: an overlap is removed at the same speed, whatever load it is under.
    float damping = settings->contact_damping_ratio * (float)run->unit->substeps / (float)settings->substeps;
    set_softness(&run->sweep, 0, hertz, damping);
    // What never gives way may be twice as stiff.
    set_softness(&run->sweep, 1, 2.0f * hertz, damping);
}

static void run_substeps(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    cn_set_contact_softness(run);
    run->sweep.sums = true;
    for (int substep = 0; substep < run->unit->substeps; substep++) {
        if (substep == 0) {
            cn_run_bodies(run, kernels->start_step);
            cn_run_patches(run, kernels->warm_start);
        } else {
            cn_run_bodies(run, kernels->start_substep);
        }
        cn_run_patches(run, kernels->solve);
        cn_run_bodies(run, kernels->move);
        cn_run_patches(run, kernels->relax);
    }
    cn_run_restitution(run);
    run->unit->sweeps = 2 * run->unit->substeps;
}

void cn_solve_soft_step(cn_solve_input *input) { cn_run_units(input, true, false, run_substeps); }
