// The locks of all joints of a unit at once: a sparse factorisation of the matrix that takes their impulses to their rates. For
// trees of bodies it takes time proportional to their number.
#ifndef CN_JOINT_DIRECT_H
#define CN_JOINT_DIRECT_H

#include "solve/run.h"

struct cn_joint_direct *cn_joint_direct_create(cn_unit_run *run);

#endif
