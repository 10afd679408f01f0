// Mass splitting between groups of blocks, Gauss-Seidel inside: see split.c.
#include "lab/split.h"

void cn_lab_block_mass_split(cn_lab_run *run) { cn_split_solve(run, run->options.group_size, run->options.group_sweeps); }
