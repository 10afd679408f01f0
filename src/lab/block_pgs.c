// Gauss-Seidel over whole blocks: each contact as the one-contact problem, the others held fixed. Jourdan, Alart and Jean 1998,
// "A Gauss-Seidel like algorithm to solve frictional contact problems"; van den Bergen 2012 for the clipped ball joint.
//
// With exact solutions and no relaxation some problems make it cycle for ever; a relaxation of 0.7 breaks the cycles known.
#include "lab/sweep.h"

void cn_lab_block_pgs(cn_lab_run *run)
{
    cn_local_step *const steps[] = { [CN_LOCAL_EXACT] = cn_local_exact, [CN_LOCAL_CLIPPED] = cn_local_clipped };
    cn_lab_sweep sweep;
    if (!cn_lab_sweep_init(&sweep, run))
        return;
    double change;
    do {
        cn_lab_sweep_reorder(&sweep, run, run->r);
        change = cn_lab_sweep_pass(&sweep, run, steps[run->options.local], run->r);
    } while (!cn_lab_sweep_check(run, run->r, change));
}
