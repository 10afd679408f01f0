// All solvers of the laboratory. A new one is a function in a file of its own, its line in lab.h, and its line here.
#include "lab/lab.h"

const cn_lab_solver cn_lab_solvers[] = {
    { "pgs", "projected Gauss-Seidel: normal, then friction clamped to its disc, contact by contact", 20000, 1.0, false,
      cn_lab_pgs },
    { "block_pgs", "Gauss-Seidel over whole contacts: each solved exactly, or as a ball joint clipped to the cone", 20000, 0.7,
      false, cn_lab_block_pgs },
    { "coloured_pgs", "projected Gauss-Seidel in the order of a graph colouring", 20000, 1.0, false, cn_lab_coloured_pgs },
    { "jacobi", "projected Jacobi: all contacts from the same velocities", 20000, 0.0, false, cn_lab_jacobi },
    { "mass_split", "mass splitting: order independent, its energy never rises; NVIDIA patents may read on it", 50000, 1.0,
      false, cn_lab_mass_split },
    { "block_mass_split", "mass splitting between groups of contacts, Gauss-Seidel inside; the same patents", 50000, 1.0, false,
      cn_lab_block_mass_split },
    { "nncg", "nonsmooth nonlinear conjugate gradients over Gauss-Seidel sweeps", 20000, 1.0, false, cn_lab_nncg },
    { "pgd", "projected gradient with Barzilai-Borwein steps, and safe ones when they lead nowhere", 50000, 1.0, false, cn_lab_pgd },
    { "apgd", "accelerated projected gradient on the cone problem, with an outer loop to Coulomb's law", 50000, 1.0, false,
      cn_lab_apgd },
    { "mprgp", "conjugate gradients with proportioning on bounds, friction bounds frozen in an outer loop", 50000, 1.0, false,
      cn_lab_mprgp },
    { "admm", "alternating direction method of multipliers with a factorised matrix", 3000, 1.0, false, cn_lab_admm },
    { "newton", "semi-smooth Newton in proximal stages, with sweeps where it gets stuck: the reference", 2000, 1.0, false, cn_lab_newton },
    { "lemke", "Lemke's pivoting, the cone as a pyramid: exact for linear complementarity", 100000, 1.0, false, cn_lab_lemke },
    { "dantzig", "principal pivoting over boxed rows, friction bounds frozen and renewed", 1000, 1.0, false, cn_lab_dantzig },
    { "penalty", "springs and dampers at the contacts", 50000, 1.0, false, cn_lab_penalty },
    { "body_space", "Newton in the velocities of the bodies, without the contact matrix", 500, 1.0, true, cn_lab_body_space },
    { NULL, NULL, 0, 0.0, false, NULL },
};
