// The contact problem as a thing of its own, with no world in it: find impulses r and relative velocities u with
//
//     u = (W + S) r + q,    W = J M^-1 J^T
//
// such that every block of rows obeys its law. q is what u would be without impulses, S a diagonal of softness. A problem is made of
// bodies and the Jacobians of its blocks, or of the matrix W alone, as contact mechanics publishes its test problems. All in double.
//
//     contact    r in the cone K = { |r_T| <= mu r_N },   u + mu |u_T| e_N in its dual,   and the two are orthogonal
//     equality   u = 0
//     bounded    lower <= r <= upper;  u >= 0 where r = lower,  u <= 0 where r = upper,  u = 0 between
//
// A linear complementarity problem is one of bounded rows with lower = 0; a mixed one has equality rows besides.
#ifndef CAIRN_MODEL_H
#define CAIRN_MODEL_H

#include "cairn/base.h"

// How contacts slip.
typedef enum cn_law {
    CN_LAW_COULOMB, // the true one: friction opposes sliding, sliding does not open the contact
    CN_LAW_RELAXED, // Anitescu and Tasora: u itself is in the dual cone. Convex; a contact that slides lifts off with u_N = mu |u_T|
    CN_LAW_DISC,    // frozen: |r_T| <= mu * frozen, whatever r_N is (Tresca)
    CN_LAW_BOX,     // each tangent on its own: |r_1| <= mu r_N and |r_2| <= mu r_N
    CN_LAW_COUNT
} cn_law;
CN_API const char *cn_law_name(int law); // "coulomb" and so on; NULL past the end

typedef enum cn_block_kind { CN_BLOCK_CONTACT, CN_BLOCK_EQUALITY, CN_BLOCK_BOUNDED, CN_BLOCK_KIND_COUNT } cn_block_kind;

enum { CN_BLOCK_ROWS = 3, CN_BLOCK_SIDES = 2 }; // at most

// Something that moves: six velocities, linear before angular for a rigid body.
typedef struct cn_model_body {
    double inverse_mass[6][6]; // symmetric, positive semi-definite; zero does not move
    double velocity[6];        // without impulses: before the step, plus what forces add in it
} cn_model_body;

// What a block does to one body: one row of six per row of the block.
typedef struct cn_side {
    int body;
    double jacobian[CN_BLOCK_ROWS][6];
} cn_side;

typedef struct cn_block_def {
    cn_block_kind kind;
    int rows;         // contact: 3 (normal, tangent 1, tangent 2); others: 1 to 3
    double friction;  // contact
    double frozen;    // contact under CN_LAW_DISC: the normal impulse that bounds friction
    int side_count;   // 0 when the problem is given by its matrix
    cn_side sides[CN_BLOCK_SIDES];
    double bias[CN_BLOCK_ROWS];     // q = sum of jacobian * velocity, plus bias
    double softness[CN_BLOCK_ROWS]; // not negative; adds softness * r to u
    double lower[CN_BLOCK_ROWS], upper[CN_BLOCK_ROWS]; // bounded; may be infinite
} cn_block_def;
CN_API cn_block_def cn_block_def_default(cn_block_kind kind); // 3 rows for a contact, else 1; bounds 0 and infinity; the rest zero

typedef struct cn_block {
    cn_block_kind kind;
    int first_row, rows;
    int first_side, side_count;
    double friction, frozen;
} cn_block;

// Read it freely; change it through the functions below.
typedef struct cn_problem {
    int block_count, row_count, body_count, side_count;
    cn_block *blocks;
    double *q, *softness, *lower, *upper; // per row
    cn_model_body *bodies;
    cn_side *sides;
    // W by blocks, compressed rows: block row i has the entries row_starts[i] .. row_starts[i + 1], columns ascending. An entry is 3x3,
    // row by row; what a smaller block does not use is zero. NULL until it is given or assembled. Softness is not in it.
    int entry_count;
    int *row_starts, *columns;
    double (*entries)[9];
    double unit; // see cn_problem_unit(); 0 until it is known
    const cn_allocator *allocator;
    int block_capacity, row_capacity, body_capacity, side_capacity;
} cn_problem;

CN_API cn_problem *cn_problem_create(const cn_allocator *allocator); // NULL: malloc
CN_API void cn_problem_destroy(cn_problem *problem);
CN_API cn_problem *cn_problem_copy(const cn_problem *problem);
// The normal directions alone, one bounded row per contact: what is left without friction. Other blocks stay.
CN_API cn_problem *cn_problem_without_friction(const cn_problem *problem);

// Index of the new body or block; -1 with cn_last_error() when a number is not finite, a mass is not symmetric, a friction or
// softness is negative, bounds are crossed, or a body is not there. The matrix of the problem is dropped.
CN_API int cn_problem_add_body(cn_problem *problem, const cn_model_body *body);
CN_API int cn_problem_add_block(cn_problem *problem, const cn_block_def *def);

// Gives W, in the form described above. It need not be symmetric. False, with cn_last_error(), when indices are out of range or not
// ascending, or a number is not finite.
CN_API bool cn_problem_set_matrix(cn_problem *problem, const int *row_starts, const int *columns, const double (*entries)[9]);
// Makes W from bodies and Jacobians, unless it is there. False, with cn_last_error(), when there are neither.
CN_API bool cn_problem_assemble(cn_problem *problem);

// Velocity per impulse, the unit in which residuals compare the two: the mean diagonal of W + S, or a power of two near the
// mean of the largest number in each row for a problem that has neither contacts nor bodies.
CN_API double cn_problem_unit(const cn_problem *problem);

// u = (W + S) r. Uses the matrix, or bodies and Jacobians where there is none.
CN_API void cn_problem_multiply(const cn_problem *problem, const double *r, double *u);
// Velocities of the bodies under the impulses r: velocity + M^-1 J^T r.
CN_API void cn_problem_velocities(const cn_problem *problem, const double *r, double (*velocities)[6]);

// How far r is from a solution.
typedef struct cn_residual {
    // |r - P(r - u)| / |q| over all rows, with r measured in velocities (times `unit`): the natural map, for contacts in the
    // form of De Saxce, P_K(r - u - mu |u_T| e_N). For a linear complementarity problem this is |min(unit z, w)| / |q|. Zero
    // only at a solution.
    double value;
    double worst; // the largest part of it that one block has, in m/s
    int worst_block;
    // In physical units, the largest over all contacts; bounded and equality rows count as normals.
    double approach;         // m/s: how fast a contact still closes (an equality moves)
    double negative_impulse; // N s: how hard a contact pulls (a bound is exceeded)
    double cone;             // N s: friction beyond its limit
    double gap;              // J: impulse times opening velocity
    double direction;        // J: r_T . u_T + |r_T| |u_T|, zero where friction opposes sliding
    double energy;           // J: 1/2 r.(W + S) r + q.r
} cn_residual;
// `u` may be NULL: then it is computed.
CN_API cn_residual cn_problem_residual(const cn_problem *problem, cn_law law, const double *r, const double *u);

#endif
