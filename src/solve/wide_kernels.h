// The kernels of wide.h, written once and compiled once per instruction set by wide_base.c and wide_avx2.c.
#include "solve/wide_bodies.h"
#include "solve/wide_follow.h"
#include "solve/wide_impact.h"
#include "solve/wide_joint_passes.h"
#include "solve/wide_lock.h"
#include "solve/wide_measure.h"
#include "solve/wide_passes.h"
#include "solve/wide_prepare.h"
#include "solve/wide_sweep.h"

#define CN_WIDE_KERNELS(isa)                                                                                                   \
    {                                                                                                                          \
        isa, prepare, store, warm_start, turn_surfaces, let_go, shift_levers, solve, relax, split_solve, split_relax, sum_impulses, impact,           \
            sum_diagonal, measure, joint_prepare, joint_store, joint_shake, joint_warm_followed, joint_hold_followed, joint_warm_start, joint_push, joint_relax, joint_sum,           \
            joint_push_residual, joint_relax_residual, joint_push_answer,                   \
            joint_relax_answer, lock_jacobians, lock_factor, lock_solve, start_substep, start_step, move, any_thrown, follow_start, \
            follow_halfway, follow_end, follow_turn, follow_enter, follow_leave, follow_leave_impacts                                \
    }
