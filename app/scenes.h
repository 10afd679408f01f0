// The named scenes. Each is built by one function, and every subcommand reaches it by name.
#ifndef CAIRN_APP_SCENES_H
#define CAIRN_APP_SCENES_H

#include "build.h"

typedef struct cn_scene {
    const char *name;
    const char *summary;
    int steps;  // how long it runs unless told otherwise
    bool timed; // part of `cairn bench all`
    void (*build)(cn_build *build);
} cn_scene;

// The scene at `index`, NULL past the end.
const cn_scene *cn_scene_at(int index);
// Its name, NULL past the end: a cn_word_list.
const char *cn_scene_name(int index);
// The same list with "all" at its end.
const char *cn_scene_bench_name(int index);
// The scene by that name; NULL after a line on standard error that suggests the nearest one.
const cn_scene *cn_scene_find(const char *command, const char *name);

// Makes the world and builds the scene in it. False with the reason in build->error. Close the build in both cases.
bool cn_scene_build(const cn_scene *scene, const cn_world_def *def, cn_build *build);

void cn_scene_pyramid(cn_build *build);
void cn_scene_pyramids(cn_build *build);
void cn_scene_heap(cn_build *build);
void cn_scene_convex_pile(cn_build *build);
void cn_scene_washer(cn_build *build);
void cn_scene_debris(cn_build *build);
void cn_scene_tower(cn_build *build);
void cn_scene_dominoes(cn_build *build);
void cn_scene_shapes(cn_build *build);

// Unit cubes in a wall that narrows by half a cube per row, `base` cubes in the lowest one, in the plane z.
void cn_build_pyramid(cn_build *build, int base, double x, double z);
// `count` places for things that fit a cube of `cell`, in layers of side x side from height y up, each moved by up to `jitter`.
typedef struct cn_grid {
    int side;
    double cell, y;
    float jitter;
} cn_grid;
cn_pos3 cn_grid_place(const cn_grid *grid, int index, cn_random *random);
// A random convex hull of `points` points on and in an ellipsoid that fits a sphere of the given diameter.
cn_hull_id cn_build_stone(cn_build *build, int points, float diameter);

#endif
