// What is known of W without asking for more than it takes.
#ifndef CN_MATRIX_H
#define CN_MATRIX_H

#include "cairn/model.h"

// Of W + S, from the matrix or from bodies and Jacobians.
double cn_mean_diagonal(const cn_problem *problem);

#endif
