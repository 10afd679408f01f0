// Eight joints side by side.
//
// A joint is seen through the rates of its six degrees of freedom: how fast the origin of frame b moves along the axes of frame
// a, and how fast the three rotations change. Impulses along them are six numbers too. The 6x6 matrix that takes impulses to
// rates is computed once per step, and the locked degrees of freedom are eliminated from it: what is left of it for the free
// ones says how they answer while the locks hold. So a motor on a hinge sees the inertia about the hinge, and its row disturbs
// no lock.
//
// Axes and levers follow the bodies in every substep. A substep pushes along the joint as it is when the substep begins, so
// that the errors are gone when it ends; it then relaxes along the joint as it was halfway. The velocity that keeps a body on a
// circle points along the chord, and the halfway joint lets it be: relaxing takes out what the correction of errors added, and
// no energy.
#ifndef CN_WIDE_JOINT_H
#define CN_WIDE_JOINT_H

#include "base/simd.h"
#include "solve/solve.h"

// One row of each joint: impulse = drag * (impulse - mass * (rate - speed)) - mass * pull * (place - rest), within bounds.
typedef struct cn_wide_row {
    cn_f8 axis[6];     // of the coordinate, in degrees of freedom
    cn_f8 wrench[6];   // what a unit impulse does: along the axis, and what the locks must do to hold meanwhile
    cn_f8 response[6]; // by how much that changes the rates of the free degrees of freedom
    cn_f8 mass;        // that it moves
    cn_f8 impulse, total;
    cn_f8 place, now; // when the step began, and when the substep did
    cn_f8 after;      // direct solves: after it has moved
    cn_f8 rest, speed, drag, pull;
    cn_f8 most;         // impulse
    cn_f8 lower, upper; // of stops
    cn_i8 stops;        // lanes with a stop
    cn_i8 firm;         // with one that does not give way, or with a motor that drives to a place like a lock
    cn_i8 cones;        // with one that bounds both swings,
    cn_f8 cone[2];      // and the inverse squares of its half angles
    cn_i8 springs;      // with one that gives way by a known stiffness
} cn_wide_row;

// A motor or friction about all three axes of each joint, bounded by its length; in world axes, N m s and rad/s. With K the
// answer of the angular velocity w of b against a, while the locks hold, the impulse is that which solves
//     K impulse = -drag * (w without it - speed) - pull * error, or, where that is too long, with K + m for the least m that
//     will do:
// then what is left of the velocity is against the torque, as friction has it.
typedef struct cn_wide_bound {
    cn_f8 impulse[3], total[3];
    cn_f8 error[4]; // when the step began, a unit quaternion
    cn_f8 offset[3],
        speed[3];            // where a rigid motor is to be on its way, and what is wanted, in the axes of when the step began
    cn_f8 now[3], wanted[3]; // how far it is from there, and what is wanted, when the substep begins
    cn_f8 lack[3];           // direct solves: of the rates
    cn_f8 drag, pull, most;
    cn_i8 firm; // a motor without a spring
} cn_wide_bound;

typedef struct cn_wide_torque {
    cn_f8 answer[6];  // K; order xx yy zz xy xz yz
    cn_f8 free;       // the largest answer without locks
    cn_f8 lean[3][3]; // what the locks do to w when they stop a rate along x, y or z of frame a
    cn_wide_bound bounds[CN_TORQUE_COUNT];
    cn_f8 change[3]; // direct solves: of the torque on b
} cn_wide_torque;

// A limit of both swings of each joint that does not give way; see wide_joint_cone.h.
typedef struct cn_wide_cone {
    cn_f8 inverse[2];                   // of its half angles about y and z, 0 in lanes without one
    cn_f8 wrench[2][6], response[2][6]; // as those of a row along each swing
    cn_f8 impulse[2], total[2];         // along the swings
    // Direct solves, in half angles: the direction in which it is met, how fast it may be approached along it, and the rate
    // that takes what is across it to 0 in this substep, 1/s; and the impulse across it, per rate by which the substep misses
    // that.
    cn_f8 aim[2], room, across, bend;
    cn_i8 pushes, near; // lanes in which it will push as far as the joint knows, and in which it may
} cn_wide_cone;

// Errors below this, in rad, or in m per m of lever, are rounding.
#define CN_JOINT_SLACK 1e-6f

typedef struct cn_wide_joint {
    int32_t a[CN_LANES], b[CN_LANES]; // states
    uint8_t joint_class, row_count;
    bool direct;      // in some lane it is solved directly
    bool follows;     // in some lane the inertia of a body is followed, see follow.h
    bool turns, aims; // in some lane: rotations are locked, have rows or a torque; x follows the gap
    cn_f8 inverse_mass_a[3], inverse_mass_b[3], inertia_a[6], inertia_b[6]; // along free axes; inverse, order xx yy zz xy xz yz
    cn_f8 gap[3], arm_a[3], arm_b[3];                                       // when the step began
    cn_f8 gap_now[3];                                                       // ball: origin of b minus origin of a
    cn_f8 lever_a[3], lever_b[3];   // now: from the centres of mass to where the joint acts, the origin of frame b or, of some balls, a
    cn_f8 spans[2];                 // parts of the gap that the levers span: of one of them, or none where the ends are far apart
    cn_f8 slack;                    // errors of this size are rounding, m
    cn_f8 drag, pull;               // of its rigid locks, see cn_row_law
    cn_f8 impulse[6];               // of the locks; a ball has them along the world's axes
    cn_f8 total[6];                 // what b felt in this step, force and torque in world axes
    cn_f8 hold[21];                 // rates of the locked to impulses that stop them: inverse, rows of the lower triangle
    cn_f8 turned_a[3], turned_b[3]; // vector parts of the bodies' turns when that was computed
    cn_f8 far_a, far_b;             // how far they may turn until it is computed anew: squared sine of half the angle
    cn_f8 jump_a, jump_b;           // how far the ends of its levers may: m, squared
    // Not for balls.
    cn_f8 start_axes[2][3], axes[3][3]; // of frame a: when the step began, and now
    cn_f8 rotation[4];                  // of frame b in frame a when the step began
    cn_f8 turn_axes[3][3];              // now, in frame a
    cn_f8 start_turn[3], turn[3];       // twist, swing y, swing z then and now, rad
    cn_f8 start[3];                     // gap in frame a when the step began
    cn_f8 place[6], change[6];          // of the degrees of freedom: errors then; changed since
    cn_f8 locked[6];                    // 1 or 0
    cn_f8 relaxed[6];                   // the part of the impulses that acted halfway
    cn_i8 aiming;
    cn_wide_row *rows;
    cn_wide_torque *torque; // NULL: no lane has one
    cn_wide_cone *cone;     // likewise
    // Couplings.
    cn_f8 jacobian_a[6], jacobian_b[6];
    // Direct solves.
    cn_f8 residual[6]; // rates of the locked that are to vanish; of the others, their rates
    cn_f8 answer[6];   // impulses of locks and rows, along the degrees of freedom
} cn_wide_joint;

#endif
