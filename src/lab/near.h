// Which of many answers: a proximal method around any solver of the laboratory.
//
// Where W is singular, as under a box on four corners, impulses are not unique, and with friction velocities are not, either: a
// box between two fingers may be held by all of its corners, or swing about one pair that carries everything. So a stage poses
// the problem with the velocities u + give (r - centre), as if contacts gave way a little around what they carried before:
// every solver finds the same answer of it. The next stage has that for its centre and gives way less, and what is left is a
// solution of the problem itself (Rockafellar 1976, "Monotone operators and the proximal point algorithm").
//
// The first centre is r, so that a grip does not wander. Which of the answers with the same velocities is taken is left to level.h.
//
// Problems may contradict themselves: joints correct the rounding of positions while contacts hold. The exact answer of such a
// problem opens some contacts of a face by next to nothing, and leaves the load to the others. The first stage shares it all
// the same; further ones would find out, so they end when the residual no longer falls.
#ifndef CN_LAB_NEAR_H
#define CN_LAB_NEAR_H

#include "cairn/lab.h"

// Solves from r as cn_lab_solve() does, and of many answers takes one near r. A problem that
// contradicts itself may be left at a residual of `enough` instead of the tolerance.
cn_lab_report cn_lab_solve_near(cn_problem *problem, const char *solver, const cn_lab_options *options, double enough,
                                double *r);

#endif
