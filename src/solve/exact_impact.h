// Impacts for the solvers of the contact model, by the law that the fast ones have.
#ifndef CN_EXACT_IMPACT_H
#define CN_EXACT_IMPACT_H

#include "solve/solve.h"

// Resolves what meets faster than the threshold of restitution in a (sub)step of length h that has just begun: its forces have
// acted, its contacts have not. `input` has the allocator for problems.
void cn_resolve_impacts(const cn_solve_input *input, const cn_unit *unit, float h, cn_arena *arena);

#endif
