// Mass splitting, every block a group of its own: see split.c.
#include "lab/split.h"

void cn_lab_mass_split(cn_lab_run *run) { cn_split_solve(run, 1, 1); }
