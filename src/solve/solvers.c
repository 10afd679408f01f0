// Every solver the engine takes by name: the fast ones, and those of the laboratory, which solve the contact model exactly.
#include "cairn/lab.h"
#include "solve/solve.h"

#include <string.h>

// The number is how many iterations a step may take unless the world says otherwise.
#define OF_LABORATORY(name, model, iterations) { name, NULL, 1, iterations, false, false, cn_solve_exact, model }

const cn_solver cn_solvers[] = {
    { "soft_step", "small steps with soft contacts, warm started and relaxed", 8, 1, false, true, cn_solve_soft_step, NULL },
    { "pgs", "projected Gauss-Seidel as taught: accumulated clamping, a few sweeps, position projection or nudges", 1, 4, false,
      false, cn_solve_pgs, NULL },
    { "mass_split", "mass splitting: order independent; NVIDIA patents may read on it, see docs/mass-splitting.md", 8, 1, true,
      true, cn_solve_mass_split, NULL },
    OF_LABORATORY("newton", "newton", 50),
    OF_LABORATORY("nncg", "nncg", 200),
    OF_LABORATORY("block_pgs", "block_pgs", 200),
    OF_LABORATORY("coloured_pgs", "coloured_pgs", 200),
    OF_LABORATORY("jacobi", "jacobi", 500),
    OF_LABORATORY("block_mass_split", "block_mass_split", 500),
    OF_LABORATORY("pgd", "pgd", 500),
    OF_LABORATORY("apgd", "apgd", 500),
    OF_LABORATORY("mprgp", "mprgp", 500),
    OF_LABORATORY("admm", "admm", 300),
    OF_LABORATORY("lemke", "lemke", 10000),
    OF_LABORATORY("dantzig", "dantzig", 50),
    OF_LABORATORY("penalty", "penalty", 1000),
    OF_LABORATORY("body_space", "body_space", 50),
    // The fast path has the short names of these two.
    OF_LABORATORY("model_pgs", "pgs", 200),
    OF_LABORATORY("model_mass_split", "mass_split", 500),
    { NULL, NULL, 0, 0, false, false, NULL, NULL },
};

const cn_solver *cn_find_solver(const char *name)
{
    for (const cn_solver *solver = cn_solvers; solver->name != NULL; solver++)
        if (strcmp(solver->name, name) == 0)
            return solver;
    return NULL;
}

const char *cn_describe_solver(const cn_solver *solver)
{
    for (int i = 0; solver->summary == NULL && cn_lab_solver_name(i) != NULL; i++)
        if (strcmp(cn_lab_solver_name(i), solver->model_solver) == 0)
            return cn_lab_solver_summary(i);
    return solver->summary;
}
