// The kernels of wide.h, written once and compiled once per instruction set by wide_base.c and wide_avx2.c.
#include "solve/wide_bodies.h"
#include "solve/wide_measure.h"
#include "solve/wide_passes.h"
#include "solve/wide_prepare.h"
#include "solve/wide_sweep.h"

#define CN_WIDE_KERNELS(isa)                                                                                                   \
    {                                                                                                                          \
        isa, prepare, store, warm_start, shift_levers, solve, relax, split_solve, split_relax, sum_impulses, restitution,      \
            sum_diagonal, measure, start_substep, start_step, move                                                                                    \
    }
