// A unit of a step as a problem of the contact model (cairn/model.h), and the solution back to bodies and contacts. Every
// contact point becomes a contact with its own friction cone; resistance to spinning and rolling become rows bounded by the
// last normal force.
#ifndef CN_UNIT_MODEL_H
#define CN_UNIT_MODEL_H

#include "cairn/model.h"
#include "solve/patch_points.h"

// Where a block of the problem comes from: a contact point, or one of the torques that resist at its patch.
typedef enum cn_block_role { CN_ROLE_POINT, CN_ROLE_SPIN, CN_ROLE_ROLL } cn_block_role;
typedef struct cn_block_source {
    int patch; // of the unit
    uint8_t point, role;
} cn_block_source;

typedef struct cn_unit_model {
    const cn_solve_input *input;
    const cn_unit *unit;
    cn_problem *problem;
    cn_block_source *sources; // per block
    int *states;              // per body of the problem
    double *r;                // impulses
    double h;                 // s
    cn_arena *arena;
} cn_unit_model;

// The problem of a (sub)step of length h. Its bodies have the velocities of their states: forces have acted already.
cn_unit_model cn_unit_model_create(const cn_solve_input *input, const cn_unit *unit, float h, cn_arena *arena);
void cn_unit_model_destroy(cn_unit_model *model);
// Velocities and separations of now, for the next substep.
void cn_unit_model_refresh(cn_unit_model *model);
// r becomes what the contacts carried last.
void cn_unit_model_load(cn_unit_model *model);
// r goes to the contacts, and through M^-1 J^T to the states of the bodies.
void cn_unit_model_store(cn_unit_model *model);

#endif
