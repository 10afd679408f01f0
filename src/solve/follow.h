// Jointed bodies that tumble. Joints follow their bodies from substep to substep, and what an impulse does to a body that is
// long or flat depends on where it points: its inertia follows, too. Its angular velocity changes by itself as it turns, so
// that turning takes no energy. Contacts are frozen for the step: they see the body as it was when the step began, with its
// angular velocity turned back to then, which has the same energy.
#ifndef CN_FOLLOW_H
#define CN_FOLLOW_H

#include "math/vec.h"
#include "solve/run.h"

// Eight bodies whose inertia is followed (cn_body_drive.follows); the arithmetic is in wide_follow.h.
typedef struct cn_wide_follower {
    int32_t states[CN_LANES]; // of lanes that are left over, that of the first
    int count;
    cn_f8 turn[4], end[4]; // since the step began: what velocity and inertia are reckoned with, and where it will have turned
    cn_f8 inertia[6], inverse[6]; // when the step began; order xx yy zz xy xz yz
    cn_f8 columns[3][3];          // of `turn` as a matrix
    cn_f8 now[6];                 // the inverse as joints have it
    cn_i8 touched;                // contacts push it
    cn_f8 linear[3], angular[3];  // of what contacts added in this substep: m/s, and rad/s in the axes of when the step began
    cn_f8 entered[2]
                 [3]; // before a pass over contacts: linear velocity, and what will have been carried over of the angular one
} cn_wide_follower;

// Of the bodies of a unit, those that follow; `count` is how many. NULL where there are none.
cn_wide_follower *cn_find_followers(const cn_solve_input *input, const int *bodies, int body_count, cn_arena *arena,
                                    int *count);
static inline int cn_wide_follower_count(int count) { return (count + CN_LANES - 1) / CN_LANES; }

// The bodies of a unit.
void cn_follow_bodies(cn_unit_run *run);
void cn_follow_start_substep(cn_unit_run *run);      // before and
void cn_follow_warm_start(cn_unit_run *run);         // after gravity, forces, and what contacts carry over
void cn_follow_forget(cn_unit_run *run);             // what contacts carry over to bodies whose mechanism begins anew
void cn_follow_move(cn_unit_run *run, bool relaxes); // relaxing is done halfway
void cn_follow_end_substep(cn_unit_run *run);
// Around passes over contacts; `carried`: what they do is carried over to the next substep.
void cn_enter_contacts(cn_unit_run *run);
void cn_leave_contacts(cn_unit_run *run, bool carried);

#endif
