// What a solver of the laboratory sees, and what it owes.
//
// The problem it gets is scaled: W + S has a mean diagonal of one, impulses are in units of velocity, and the largest number in
// q is from 1 to 2. A solver starts from run->r, calls cn_lab_check after every iteration with its iterate, and returns when
// that says true, or when it can do no more (run->stop). The best iterate that was checked is kept; nothing else needs to be
// handed back. All its memory comes from run->arena.
#ifndef CN_LAB_INTERNAL_H
#define CN_LAB_INTERNAL_H

#include "base/memory.h"
#include "cairn/lab.h"

typedef struct cn_lab_run {
    const cn_problem *problem; // scaled; has its matrix
    cn_lab_options options;    // no zero stands for a default any more
    cn_law law;                // of this run: an outer loop may pose a simpler problem to an inner solver
    double *r;                 // in: where to start
    double *u;                 // (W + S) r + q of the last check that computed a residual
    cn_arena *arena;
    // kept by cn_lab_check
    int iterations, products;
    double work;     // see cn_lab_spend
    double residual; // of the last check
    double *best;
    double best_residual;
    double q_norm;
    double deadline;  // of cn_now_ms(); 0: none
    cn_lab_stop stop; // a solver sets it before it returns early
} cn_lab_run;

typedef struct cn_lab_solver {
    const char *name, *summary;
    int max_iterations; // unless the options say
    double relaxation;  // likewise
    bool matrix_free;   // works on bodies and Jacobians where there are some
    void (*solve)(cn_lab_run *run);
} cn_lab_solver;

// Ends an iteration: counts it, computes the residual when it is due, keeps the best, tells the callback. True: return now.
bool cn_lab_check(cn_lab_run *run, const double *r);
// u = (W + S) r + q. Counts a product.
void cn_lab_velocities(cn_lab_run *run, const double *r, double *u);
// Counts products of 3x3 blocks in factorisations. False, with run->stop set, when there have been more than the options allow:
// return.
bool cn_lab_spend(cn_lab_run *run, double work);
// True, with run->stop set, when time is up: return. For whatever takes long between two checks, which ask it themselves.
bool cn_lab_out_of_time(cn_lab_run *run);
// The solver does not take this problem: sets cn_last_error() and run->stop.
void cn_lab_refuse(cn_lab_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Zeroed doubles from the arena.
double *cn_lab_vector(cn_lab_run *run); // row_count of them
double *cn_lab_numbers(cn_lab_run *run, int count);
double cn_lab_dot(const double *a, const double *b, int count); // in a fixed order

// One function per solver, each in the file of its name.
void cn_lab_pgs(cn_lab_run *run);
void cn_lab_block_pgs(cn_lab_run *run);
void cn_lab_coloured_pgs(cn_lab_run *run);
void cn_lab_jacobi(cn_lab_run *run);
void cn_lab_mass_split(cn_lab_run *run);
void cn_lab_block_mass_split(cn_lab_run *run);
void cn_lab_nncg(cn_lab_run *run);
void cn_lab_pgd(cn_lab_run *run);
void cn_lab_apgd(cn_lab_run *run);
void cn_lab_mprgp(cn_lab_run *run);
void cn_lab_admm(cn_lab_run *run);
void cn_lab_newton(cn_lab_run *run);
void cn_lab_lemke(cn_lab_run *run);
void cn_lab_dantzig(cn_lab_run *run);
void cn_lab_penalty(cn_lab_run *run);
void cn_lab_body_space(cn_lab_run *run);

extern const cn_lab_solver cn_lab_solvers[]; // solvers.c; ends with a NULL name

#endif
