// The row solver by itself, with no world in it: unknowns that move, and rows that say how they may move together.
// It serves physics and anything else whose unknowns depend on each other; examples/lattice.c fits a lattice to heights.
//
// Each unknown has a known velocity u and gets a change x. Each row asks, along its vectors J, for
//     J (u + x) + mixing * lambda = force     with     x = M^-1 J^T lambda     and     lower <= lambda <= upper.
// lambda meets a bound where the row gives way: a contact is lower = 0, so J (u + x) may then exceed `force`.
#ifndef CAIRN_ROWS_H
#define CAIRN_ROWS_H

#include "cairn/base.h"

// An unknown with six components, as a rigid body has. Leave what is not needed zero: a single number can live in
// linear_velocity.x with inverse_mass = 1.
typedef struct cn_row_body {
    float inverse_mass;      // 0 does not move
    cn_sym3 inverse_inertia; // in the frame of the velocities; positive semi-definite
    cn_vec3 linear_velocity, angular_velocity; // u
    cn_vec3 linear_change, angular_change;     // x, an output: what the solution adds to the velocities
} cn_row_body;

enum { CN_ROW_NO_BODY = -1 };

typedef struct cn_row {
    int body_a, body_b; // indices; body_b = CN_ROW_NO_BODY for a row on one body
    cn_vec3 linear_a, angular_a;
    cn_vec3 linear_b, angular_b;
    float force;        // what J (u + x) should become: a wanted velocity, or an error to take back
    float lower, upper; // of lambda; may be infinite
    float mixing;       // softness: how far the row gives way per unit of lambda; 0 is rigid
    float lambda;       // in: where to start, 0 or a former solution; out: the solution
} cn_row;

// A rigid equality on body 0 alone with all vectors zero.
CN_API cn_row cn_row_default(void);

typedef struct cn_row_problem {
    cn_row_body *bodies;
    cn_row *rows;
    int body_count, row_count;
} cn_row_problem;

typedef struct cn_row_options {
    int iterations;   // sweeps over all rows at most
    float epsilon;    // stops after a sweep in which no lambda changed by more than this; 0 stops when nothing changes
    float relaxation; // omega, above 0 and below 2: scales every change; 1 is plain Gauss-Seidel
    const cn_allocator *allocator; // for working memory; NULL: malloc
} cn_row_options;

// 16 iterations, epsilon 0, relaxation 1.
CN_API cn_row_options cn_row_options_default(void);

typedef struct cn_row_report {
    bool ok;             // false: nothing was changed, cn_last_error() says why
    bool converged;      // the last sweep stayed within epsilon
    int iterations;      // sweeps made
    float largest_delta; // largest change of a lambda in the last sweep
} cn_row_report;

// Solves by projected Gauss-Seidel in the order of the rows. `options` may be NULL. Refuses numbers that are not finite
// (bounds may be infinite), lower > upper, negative masses or mixing, bodies out of range, a row from a body to itself,
// and problems whose solution leaves the range of float.
CN_API cn_row_report cn_rows_solve(cn_row_problem *problem, const cn_row_options *options);

// A row as the sweeps see it: scaled by its diagonal D' = 1 / (J M^-1 J^T + mixing).
typedef struct cn_row_terms {
    float diagonal; // D'; 0 for a row that nothing can move
    float target;   // b = D' (force - J u)
    float softness; // De = D' mixing
    cn_vec3 linear_a, angular_a, linear_b, angular_b; // Js = D' J
} cn_row_terms;

// The terms of one row; false, with all terms zero, for bad input.
CN_API bool cn_row_get_terms(const cn_row_problem *problem, int row, cn_row_terms *terms);

#endif
