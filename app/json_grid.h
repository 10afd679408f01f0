// What a scene file says to make many times.
#ifndef CAIRN_APP_JSON_GRID_H
#define CAIRN_APP_JSON_GRID_H

#include "json_fields.h"
#include "random.h"

typedef struct cn_repetition {
    int count[3];
    cn_vec3 spacing, jitter; // m
    uint64_t seed;           // 0: go on with the numbers of the scene
} cn_repetition;

// Reads the field "grid" of an object if it has one; else the object is made once. A seed starts the random numbers anew.
bool cn_json_grid(const cn_json *object, cn_repetition *grid, cn_random *random);
int cn_repetition_count(const cn_repetition *grid);
// Rows along x, side by side along z, in layers along y.
cn_pos3 cn_repetition_place(const cn_repetition *grid, int index, cn_pos3 first, cn_random *random);

#endif
