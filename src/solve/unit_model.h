// A unit of a step as a problem of the contact model (cairn/model.h), and the solution back to bodies and contacts. Every
// contact point becomes a contact with its own friction cone; resistance to spinning and rolling become rows bounded by the
// last normal force. Joints: see joint_model.h.
#ifndef CN_UNIT_MODEL_H
#define CN_UNIT_MODEL_H

#include "cairn/model.h"
#include "solve/patch_points.h"

#include <math.h>

// Where a block of the problem comes from: a contact point, one of the torques that resist at its patch, or a joint.
typedef enum cn_block_role { CN_ROLE_POINT, CN_ROLE_SPIN, CN_ROLE_ROLL, CN_ROLE_JOINT } cn_block_role;
typedef struct cn_block_source {
    int patch; // of the unit
    uint8_t point, role;
} cn_block_source;

// When the impulses of joints act, seen from the time of the states, and what they see.
typedef struct cn_joint_timing {
    bool judged;             // a fast solver has solved them already
    double acts, acts_until; // s from now: halfway between the two
    double sees;             // s from now: places of locks and stops
    double pulls;            // s from now: places of springs
    double left;             // s from then until the step ends
    double bias_rate;        // the part of an error that the velocities are asked to remove, 1/s
} cn_joint_timing;

typedef struct cn_unit_model {
    const cn_solve_input *input;
    const cn_unit *unit;
    cn_problem *problem;
    cn_block_source *sources;                // per block
    int *states;                             // per body of the problem
    int *body_of;                            // the other way round; -1: the ground and kinematic bodies
    double *r;                               // impulses
    double h;                                // s
    double bias_rate;                        // the part of an overlap that the velocities are asked to remove, 1/s
    cn_joint_timing timing;                  // of joints
    struct cn_joint_coordinate *coordinates; // of joints: rows of the problem, after those of the patches
    int coordinate_count, first_joint_row;
    cn_arena *arena;
} cn_unit_model;

// Parts of it. A body that nothing pushes is none of the problem.
bool cn_is_pushed(const cn_body_mass *mass);
cn_model_body cn_model_body_of(const cn_solve_input *input, int state);
// The sides of a contact block at a point between two bodies of the problem; -1 is none of them. False when neither can give way
// along the normal: nothing pushes there.
bool cn_set_point_sides(cn_block_def *def, const cn_problem *p, const cn_patch *patch, const int bodies[2], int point);

// An impulse or force as a contact keeps it: what a solver that found no solution leaves may be more than a float holds, or no number.
static inline float cn_kept_force(double x) { return isnan(x) ? 0.0f : (float)fmin(fmax(x, -1e37), 1e37); }

// The problem of a (sub)step of length h that begins `left` seconds before the step ends. Its bodies have the velocities of their states:
// forces have acted already.
cn_unit_model cn_unit_model_create(const cn_solve_input *input, const cn_unit *unit, float h, float left, cn_arena *arena);
// The problem of the (sub)step that a fast solver has just ended: the bodies have moved already (unit_measure.c).
cn_unit_model cn_unit_model_create_judged(const cn_solve_input *input, const cn_unit *unit, float h, cn_arena *arena);
void cn_unit_model_destroy(cn_unit_model *model);
// Velocities and separations of now, for the next substep of a unit without joints: those want a new model.
void cn_unit_model_refresh(cn_unit_model *model);
// r becomes what the contacts carried last.
void cn_unit_model_load(cn_unit_model *model);
// r goes to the contacts, and through M^-1 J^T to the states of the bodies.
void cn_unit_model_store(cn_unit_model *model);

#endif
