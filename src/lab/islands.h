// A problem in parts that nothing couples, each scaled so that its blocks weigh alike.
#ifndef CN_LAB_ISLANDS_H
#define CN_LAB_ISLANDS_H

#include "lab/lab.h"

typedef struct cn_island {
    cn_problem problem; // memory of the arena; its rows and blocks are numbered from 0; softness is in its matrix
    int *blocks;        // of the whole problem
    double *scale;      // per block: r = scale * r of the island, u = u of the island / scale
} cn_island;

typedef struct cn_islands {
    int count;
    cn_island *islands;
} cn_islands;

cn_islands cn_islands_create(cn_arena *arena, const cn_problem *problem);
void cn_island_gather(const cn_island *island, const cn_problem *whole, const double *r, double *out);
void cn_island_scatter(const cn_island *island, const cn_problem *whole, const double *r, double *out);

#endif
