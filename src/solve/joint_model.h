// The joints of a unit as rows of the contact model: locks are equalities, everything else is bounded.
//
// Rotations are counted in metres, on a circle of the radius of gyration of the two bodies: so that all rows of a problem have
// velocities in m/s, and diagonals of one size.
#ifndef CN_JOINT_MODEL_H
#define CN_JOINT_MODEL_H

#include "solve/unit_model.h"

int cn_joint_most_rows(const cn_solver_joint *joint);
// Adds the blocks of all joints of the unit; those of its patches are there already.
void cn_joint_model_add(cn_unit_model *model);
// Free velocities and bounds of now.
void cn_joint_model_refresh(cn_unit_model *model);
void cn_joint_model_load(cn_unit_model *model);
void cn_joint_model_store(cn_unit_model *model);
// In a problem without friction that moves bodies apart: see cn_coordinate_nudge. True when there is something to do,
// which can be asked for without a problem, too.
bool cn_joint_model_nudge(cn_unit_model *model, cn_problem *normals);

#endif
