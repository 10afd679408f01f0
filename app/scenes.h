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
    int (*fallen)(const cn_build *build); // how many bodies are where none can be; NULL: not known
    const char *path;                     // of the file it comes from; NULL: it is one of the named ones
    void *context;                        // for its function, as build->context
} cn_scene;

// The scene at `index`, NULL past the end.
const cn_scene *cn_scene_at(int index);
// Its name, NULL past the end: a cn_word_list.
const char *cn_scene_name(int index);
// The same list with "rays" and "all" at its end.
const char *cn_scene_bench_name(int index);
// The scene by that name; NULL after a line on standard error that suggests the nearest one.
const cn_scene *cn_scene_find(const char *command, const char *name);

// Makes the world and builds the scene in it. False with the reason in build->error. Close the build in both cases.
bool cn_scene_build(const cn_scene *scene, const cn_world_def *def, cn_build *build);

// Puts the name of the scene, or of the file it comes from, before the reason unless that begins with it. Answers false.
bool cn_scene_error(const cn_scene *scene, const char *reason, cn_message *error);
// The same as one line on standard error. Answers 2.
int cn_scene_complain(const char *command, const cn_scene *scene, const char *reason);

void cn_scene_pyramid(cn_build *build);
void cn_scene_pyramids(cn_build *build);
void cn_scene_heap(cn_build *build);
void cn_scene_convex_pile(cn_build *build);
void cn_scene_washer(cn_build *build);
void cn_scene_debris(cn_build *build);
void cn_scene_mesh_pile(cn_build *build);
void cn_scene_bricks(cn_build *build);
void cn_scene_arch(cn_build *build);
void cn_scene_cards(cn_build *build);
void cn_scene_tower(cn_build *build);
void cn_scene_dominoes(cn_build *build);
void cn_scene_shapes(cn_build *build);
void cn_scene_joint_grid(cn_build *build);
void cn_scene_ragdolls(cn_build *build);
void cn_scene_chain(cn_build *build);
void cn_scene_bridge(cn_build *build);
void cn_scene_pendulum(cn_build *build);
void cn_scene_newton_cradle(cn_build *build);
void cn_scene_door(cn_build *build);
void cn_scene_gears(cn_build *build);
void cn_scene_machine(cn_build *build);
void cn_scene_gas(cn_build *build);
void cn_scene_high_speed(cn_build *build);
int cn_high_speed_fallen(const cn_build *build); // those outside of the cube

// Unit cubes in a wall that narrows by half a cube per row, `base` cubes in the lowest one, in the plane z.
void cn_build_pyramid(cn_build *build, int base, double x, double z);
// A static mesh of hills, CN_TERRAIN_CELLS m wide around the origin, of as many cells of 1 m along x and z.
#define CN_TERRAIN_CELLS 100
void cn_build_terrain(cn_build *build);
float cn_terrain_height(float x, float z);
int cn_terrain_fallen(const cn_build *build); // how many dynamic bodies are below it
// A semicircular arch of equal stones, an odd number of them, that stands on the ground with its middle at the origin.
typedef struct cn_arch {
    int stones;
    double radius, thickness, depth; // m; the radius is that of the middle of the stones
} cn_arch;
void cn_build_arch(cn_build *build, const cn_arch *arch);
// A house of cards that narrows by one pair of cards per storey, on the ground.
void cn_build_cards(cn_build *build, int storeys);
// Links tied by ball joints, level from a fixed place on, and at their end a ball of `ratio` times the mass of a link: its id.
#define CN_CHAIN_LINKS 20
#define CN_CHAIN_LINK 0.5 // m
cn_body_id cn_build_chain(cn_build *build, double ratio);
// 2197 spheres of 10 m/s in a closed room about the origin.
#define CN_GAS_HALF_ROOM 6.5f // m
#define CN_GAS_SPEED 10.0f    // m/s
void cn_build_gas(cn_build *build, cn_body_id walls[6]);
// Parts of machines. A hinge about z; and a pin, for where a loop closes: all else is held by the rest of the loop, so that it
// holds no more than x and y.
cn_joint_id cn_build_hinge(cn_build *build, cn_body_id a, cn_body_id b, cn_vec3 place);
cn_joint_id cn_build_pin(cn_build *build, cn_body_id a, cn_body_id b, cn_vec3 place);
// A capsule from one place to another, as a shape of a body and as a body of its own.
void cn_build_rod(cn_build *build, cn_body_id body, cn_vec3 from, cn_vec3 to, float radius);
cn_body_id cn_build_bar(cn_build *build, cn_vec3 from, cn_vec3 to, float radius);
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
