// One coordinate of a joint: how it answers to the bodies, and what it wants of them.
#ifndef CN_JOINT_COORDINATE_H
#define CN_JOINT_COORDINATE_H

#include "solve/unit_model.h"

// In m and N, or rad and N m.
typedef struct cn_joint_coordinate {
    const cn_found_joint *found;
    cn_joint_row *row;     // NULL: a lock, or
    cn_joint_torque *torque; // about all three axes: this is one of three that stand on each other
    double bound;            // of its part along this one, N m
    int dof;               // of a lock
    float *force;          // where the joint keeps it
    float arm[3];          // from the centre of b to the origin of its frame
    double place;          // now; of a lock, its error
    double drift;          // by how much more it will have changed after the (sub)step than its speed says
    double jacobian[2][6]; // velocity of the coordinate per velocity of a and of b
    double mass;           // what moves along it; 0 when nothing does
    double held_mass;      // likewise while the locks of the joint hold
    double length;         // m per rad, or 1
    double reach;          // how far the joint is from the centres of mass; 1 for a turn
    double scale;          // velocities in the problem per velocity of the coordinate
} cn_joint_coordinate;

// `joint` is where the joint is while its impulses act.
cn_joint_coordinate cn_coordinate_create(const cn_unit_model *model, const cn_found_joint *found, const cn_solver_joint *joint,
                                         cn_joint_row *row, int dof);
// Finds the mass that moves along it while the locks of its joint hold.
void cn_coordinate_hold(const cn_unit_model *model, cn_joint_coordinate *c, const cn_joint_coordinate *locks, int count);
// The three of a torque. Where its bound is reached the first lies along the torque, so that the box of their bounds is as good as the
// ball that is meant; the others then let it turn a little, and what leaves the ball is cut off (cn_joint_model_store).
void cn_torque_coordinates(const cn_unit_model *model, const cn_found_joint *found, const cn_solver_joint *joint,
                           cn_joint_torque *torque, cn_joint_coordinate c[3]);
double cn_coordinate_speed(const cn_unit_model *model, const cn_joint_coordinate *c);

// u = speed + softness * impulse + bias obeys the law of a bounded row. A lock has no bounds.
typedef struct cn_coordinate_law {
    double bias, softness, lower, upper; // m/s, m/s per N s, N s; or with rad and N m
} cn_coordinate_law;
cn_coordinate_law cn_coordinate_law_of(const cn_unit_model *model, const cn_joint_coordinate *c);
// For the problem that moves bodies apart and is then forgotten: locks and rigid stops lose their errors, the rest lets go.
// `errs` becomes true when there is something to do.
cn_coordinate_law cn_coordinate_nudge(const cn_unit_model *model, const cn_joint_coordinate *c, bool *errs);

#endif
