// The stages of a proximal method: each poses the problem with some `shift` added to its matrix, and Newton steps solve it.
// Quick stages lead to smaller shifts, those that get nowhere to larger ones.
#ifndef CN_LAB_STAGE_H
#define CN_LAB_STAGE_H

#include "lab/lab.h"

typedef struct cn_stage {
    double shift, least; // no shift is smaller
    double square;       // the least |F|^2 of this stage
    int steps, lost;     // Newton steps in this stage; those since |F| last fell
    int patience;
} cn_stage;

#define CN_STAGE_FIRST 1e-2   // where a problem of unknown difficulty begins
#define CN_STAGE_LARGEST 1.0  // the size of a block's own part of W
#define CN_STAGE_ACCURACY 0.1 // |F| of a solved stage, as a part of what its shift still stands for

void cn_stage_begin(cn_stage *stage, double shift);
void cn_stage_solved(cn_stage *stage); // begins the next one
// Begins the stage again with more shift. False when there is no more.
bool cn_stage_retry(cn_stage *stage);
bool cn_stage_is_lost(const cn_stage *stage, double square);
// Counts a step that starts with |F|^2 = square. True when that is the best place of the stage so far.
bool cn_stage_step(cn_stage *stage, double square);

#endif
