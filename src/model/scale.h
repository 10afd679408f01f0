// Problems in other units, so that squares of their numbers neither overflow nor vanish.
#ifndef CN_SCALE_H
#define CN_SCALE_H

#include "cairn/model.h"

// A velocity of the size of the largest in q, a power of two: dividing by it rounds nothing. 1 where q is zero.
double cn_problem_size(const cn_problem *problem);
// Whether numbers of this size can be squared, multiplied and divided without a thought.
bool cn_size_is_ordinary(double size);
// A copy whose unit is 1: velocities are divided by `size`, impulses times `unit` / `size`.
cn_problem *cn_problem_rescaled(const cn_problem *problem, double unit, double size);

#endif
