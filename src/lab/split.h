// Mass splitting between groups of blocks: what mass_split and block_mass_split share.
#ifndef CN_LAB_SPLIT_H
#define CN_LAB_SPLIT_H

#include "lab/sweep.h"

typedef struct cn_split {
    const cn_problem *problem;
    int group_count;
    int *group_of;         // per block
    int *starts, *members; // the blocks of group g: members[starts[g]] .. members[starts[g + 1] - 1]
    // How the parts of a group answer to its own impulses: per block its own 3x3, softness included, and block rows like those
    // of W for the others of its group. As one matrix K it is not below W: x . K x >= x . (W + S) x.
    double (*own)[9];
    int *row_starts, *columns;
    double (*entries)[9];
} cn_split;

// Groups of at most `group_size` blocks that are neighbours in the graph of W.
void cn_split_init(cn_split *split, cn_lab_run *run, int group_size);
// Iterates until the end: every group sweeps over its own parts `sweeps` times, then the parts of a body are joined.
void cn_split_solve(cn_lab_run *run, int group_size, int sweeps);

#endif
