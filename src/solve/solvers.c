#include "solve/solve.h"

#include <string.h>

const cn_solver cn_fast_solvers[] = {
    { "soft_step", "small steps with soft contacts, warm started and relaxed", 8, 1, false, cn_solve_soft_step },
    { "pgs", "projected Gauss-Seidel as taught: accumulated clamping, a few sweeps, position projection or nudges", 1, 4, false,
      cn_solve_pgs },
    { "mass_split", "mass splitting: order independent; NVIDIA patents may read on it, see docs/mass-splitting.md", 8, 1, true,
      cn_solve_mass_split },
    { NULL, NULL, 0, 0, false, NULL },
};

const cn_solver *cn_find_solver(const char *name)
{
    for (const cn_solver *solver = cn_fast_solvers; solver->name != NULL; solver++)
        if (strcmp(solver->name, name) == 0)
            return solver;
    return NULL;
}
