// The solvers of the contact model (cairn/model.h), behind one call.
#ifndef CAIRN_LAB_H
#define CAIRN_LAB_H

#include "cairn/model.h"

// In which order sweeps visit the blocks.
typedef enum cn_sweep_order {
    CN_ORDER_GIVEN,
    CN_ORDER_PRIORITISED, // those that approach fastest first (van den Bergen); sorted anew before every sweep
    CN_ORDER_REVERSED,    // back and forth: every other sweep backwards
    CN_SWEEP_ORDER_COUNT
} cn_sweep_order;

// How sweeps solve one contact against everything else held fixed.
typedef enum cn_local_solver {
    CN_LOCAL_EXACT,   // the one-contact problem with friction, to machine precision
    CN_LOCAL_CLIPPED, // as a ball joint (3x3), then clipped to the cone; a pull becomes nothing (van den Bergen)
    CN_LOCAL_SOLVER_COUNT
} cn_local_solver;

typedef enum cn_lab_stop {
    CN_STOP_CONVERGED,
    CN_STOP_LIMIT,   // max_iterations
    CN_STOP_STALLED, // no further progress is possible for this solver
    CN_STOP_RAY,     // lemke: the problem has no solution, or none that pivoting can reach
    CN_STOP_REFUSED, // bad input, or the solver does not take problems of this kind: cn_last_error()
    CN_STOP_CALLBACK,
    CN_STOP_TIME, // time_limit
    CN_LAB_STOP_COUNT
} cn_lab_stop;
CN_API const char *cn_lab_stop_name(int stop); // "converged" and so on; NULL past the end

// After every iteration. False stops the solver.
typedef bool (*cn_lab_callback)(void *context, int iteration, double residual);

typedef struct cn_lab_options {
    cn_law law;
    double tolerance;   // on cn_residual.value
    int max_iterations; // 0 takes the solver's own
    double max_work;    // newton, body_space: products of 3x3 blocks in factorisations, at most; 0: no limit
    double time_limit;  // s; 0: none. What is found then depends on the machine
    int check_interval; // the residual is computed in every n-th iteration: it costs a product
    cn_lab_callback callback;
    void *context;
    const cn_allocator *allocator; // working memory; NULL: malloc

    // sweeps: pgs, block_pgs, coloured_pgs, nncg, jacobi, mass_split
    double relaxation; // omega, above 0 and below 2; 0 takes the solver's own
    cn_sweep_order order;
    cn_local_solver local;  // block_pgs
    bool friction_after;    // pgs: all normals first, then all friction, instead of contact by contact
    int group_size;         // block_mass_split: contacts per group
    int group_sweeps;       // block_mass_split: sweeps inside a group per iteration
    // outer loops: apgd, mprgp, dantzig
    int max_outer;          // renewals of what friction depends on
    // admm
    double proximal;        // eta
    // newton
    int first_sweeps;       // sweeps after a first try has failed
    // lemke
    int directions;         // edges of the pyramid that stands for the cone, an even number of at least 4
    // penalty
    double stiffness;       // of a contact, as a fraction of what explicit steps can bear, above 0 and below 1
    double damping_ratio;
} cn_lab_options;
CN_API cn_lab_options cn_lab_options_default(void);

typedef struct cn_lab_report {
    cn_lab_stop stop;
    bool converged;      // residual.value <= tolerance, whatever the solver thinks
    int iterations;
    int products;        // with W or a part of it of that size; 0 for solvers that do not count in them
    double work;         // products of 3x3 blocks in factorisations
    cn_residual residual;
    double ms;
} cn_lab_report;

// Solves with the named solver from the impulses in r (zero, or a former solution), and leaves the best ones found in r. The problem's
// matrix is assembled when it is not there. `options` may be NULL. The same input gives the same bits.
CN_API cn_lab_report cn_lab_solve(cn_problem *problem, const char *solver, const cn_lab_options *options, double *r);

// The solvers there are. NULL past the end.
CN_API const char *cn_lab_solver_name(int index);
CN_API const char *cn_lab_solver_summary(int index);

#endif
