// How far the joints of a world are off, as `bench` prints it.
#ifndef CAIRN_APP_JOINT_ERRORS_H
#define CAIRN_APP_JOINT_ERRORS_H

#include "cairn/joint.h"

typedef struct cn_joint_errors {
    double gap;                       // m: the worst of the locked ways of one joint
    double gap_sum;                   // m: of all joints together
    double angle;                     // rad: the worst of the locked rotations of one joint
    double limit;                     // rad: how far the worst limit of a rotation is passed
    int count;                        // of calls
    double first_energy, last_energy; // J, of all bodies, kinetic and potential, at the first and at the last call
} cn_joint_errors;

// Takes into account where the joints are now: errors are the largest of all calls.
void cn_joint_errors_add(cn_joint_errors *errors, const cn_world *world);

#endif
