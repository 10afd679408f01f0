// Jointed bodies that tumble. Joints follow their bodies from substep to substep, and what an impulse does to a body that is
// long or flat depends on where it points: its inertia follows, too. Its angular velocity changes by itself as it turns, so
// that turning takes no energy. Contacts are frozen for the step: they see the body as it was when the step began, with its
// angular velocity turned back to then, which has the same energy.
#ifndef CN_FOLLOW_H
#define CN_FOLLOW_H

#include "math/vec.h"
#include "solve/run.h"

// A body whose inertia is followed (cn_body_drive.follows).
typedef struct cn_follower {
    int state;
    cn_quat turn, end; // since the step began: what velocity and inertia are reckoned with, and where it will have turned
    cn_sym3 inertia, inverse; // when the step began
    cn_vec3 columns[3];       // of `turn` as a matrix
    cn_sym3 now;              // the inverse as joints have it
    bool touched;             // contacts push it
    cn_vec3 linear, angular;  // of what contacts added in this substep: m/s, and rad/s in the axes of when the step began
    float entered[2]
                 [3]; // before a pass over contacts: linear velocity, and what will have been carried over of the angular one
} cn_follower;

cn_follower cn_follower_of(const cn_solve_input *input, int state);
// Where the body will have turned after h, by the angular velocity that it has on average, and that velocity then.
void cn_follower_turn(cn_follower *follower, const cn_solve_input *input, float h);
cn_sym3 cn_follower_inverse(const cn_follower *follower);

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
