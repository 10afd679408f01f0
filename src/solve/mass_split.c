// Mass splitting (Tonge, Benevolenski, Voroshilov 2012, Mass Splitting for Jitter-Free Parallel Rigid Body Simulation). Every
// body is cut into as many parts as patches push it; each patch is solved against its own parts, all from the same velocities,
// and a body gets the sum of what its patches did to it. The result does not depend on the order of the contacts, and the
// energy of the contact problem never rises from one sweep to the next.
//
// NVIDIA holds US patents 10,614,257, 10,776,532 and 11,256,835 that may read on this method. It is never the default.
#include "solve/follow.h"

// For each body of the unit, the rows of the delta array that belong to it, in the order of the patches.
typedef struct row_lists {
    int *ends;
    int *rows;
} row_lists;

static row_lists list_rows(cn_unit_run *run)
{
    const cn_unit *unit = run->unit;
    int *slot = cn_arena_array(run->arena, int, run->input->state_count); // of a state among the unit's bodies
    row_lists lists = { cn_arena_array(run->arena, int, unit->body_count + 1),
                        cn_arena_array(run->arena, int, 2 * CN_LANES * run->wide_count) };
    for (int i = 0; i < run->input->state_count; i++)
        slot[i] = -1; // not pushed
    for (int i = 0; i < unit->body_count; i++)
        if (run->sweep.masses[run->bodies[i]].inverse_mass > 0.0f)
            slot[run->bodies[i]] = i;
    for (int i = 0; i <= unit->body_count; i++)
        lists.ends[i] = 0;
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int w = 0; w < run->wide_count; w++) {
            for (int lane = 0; lane < CN_LANES; lane++) {
                const int32_t sides[2] = { run->wides[w].a[lane], run->wides[w].b[lane] };
                for (int side = 0; side < 2; side++) {
                    int body = slot[sides[side]];
                    if (body < 0)
                        continue;
                    if (pass == 0)
                        lists.ends[body + 1]++;
                    else
                        lists.rows[lists.ends[body]++] = 2 * (CN_LANES * w + lane) + side;
                }
            }
        }
        for (int i = 0; pass == 0 && i < unit->body_count; i++)
            lists.ends[i + 1] += lists.ends[i];
    }
    return lists; // after filling, ends[i] is the end of body i
}

static void add_deltas(cn_unit_run *run, const row_lists *lists)
{
    for (int i = 0, row = 0; i < run->unit->body_count; i++) {
        float *velocity = run->sweep.states[run->bodies[i]].linear;
        for (; row < lists->ends[i]; row++)
            for (int k = 0; k < 8; k++)
                velocity[k] += run->sweep.deltas[lists->rows[row]][k];
    }
}

static void iterate(cn_unit_run *run, const row_lists *lists, cn_patch_kernel kernel)
{
    cn_enter_contacts(run);
    for (int i = 0; i < run->input->settings.iterations; i++) {
        cn_run_all_patches(run, kernel);
        add_deltas(run, lists);
    }
    cn_leave_contacts(run, true);
}

static void run_mass_split(cn_unit_run *run)
{
    const cn_wide_kernels *kernels = run->kernels;
    cn_set_contact_softness(run);
    run->sweep.deltas =
        (float(*)[8])cn_arena_alloc(run->arena, sizeof(float[8]) * 2 * CN_LANES * (size_t)(run->wide_count + 1));
    row_lists lists = list_rows(run);
    bool sliding = cn_run_has_extra(run, CN_EXTRA_SLIDING);
    for (int substep = 0; substep < run->unit->substeps; substep++) {
        cn_start_substep(run, substep == 0);
        cn_push_joints(run);
        iterate(run, &lists, kernels->split_solve);
        cn_run_bodies(run, kernels->move);
        cn_follow_move(run, true);
        if (sliding)
            cn_run_patches(run, kernels->shift_levers);
        cn_relax_joints(run);
        iterate(run, &lists, kernels->split_relax);
        cn_run_all_patches(run, kernels->sum_impulses);
        cn_follow_end_substep(run);
    }
    run->unit->sweeps = 2 * run->unit->substeps * run->input->settings.iterations;
}

void cn_solve_mass_split(cn_solve_input *input) { cn_run_units(input, true, true, run_mass_split); }
