// A world under construction, with the bodies it was given in order of creation. Scenes and quality cases are built with it.
// A failure sticks: later calls do nothing, and the first reason is kept.
#ifndef CAIRN_APP_BUILD_H
#define CAIRN_APP_BUILD_H

#include "cairn/body.h"
#include "cairn/mesh.h"
#include "cairn/ragdoll.h"
#include "cairn/shape.h"
#include "cairn/world.h"
#include "random.h"
#include "words.h"

typedef struct cn_build {
    cn_world *world;
    cn_random random;
    cn_material material; // of the shapes that follow: friction 0.6, restitution 0 to begin with
    float density;        // of the shapes that follow: 100 kg/m^3 to begin with
    cn_filter filter;     // of the shapes that follow: everything collides to begin with
    double origin;        // m along x: where the places of the bodies that follow are counted from
    cn_body_id *bodies;
    int body_count, body_capacity;
    void *context; // of the scene that is built
    bool failed;
    cn_message error;
} cn_build;

bool cn_build_open(cn_build *build, const cn_world_def *def);
void cn_build_close(cn_build *build);

// Keeps the reason unless there is one already.
void cn_build_fail(cn_build *build, const char *reason);

// A null id when it fails.
cn_body_id cn_build_body_def(cn_build *build, const cn_body_def *def);
bool cn_build_shape_def(cn_build *build, cn_body_id body, const cn_shape_def *def);
// The same without damping, and of the build's material and density.
cn_body_id cn_build_body(cn_build *build, cn_body_type type, cn_pos3 position, cn_quat rotation);
void cn_build_shape(cn_build *build, cn_body_id body, cn_geometry geometry, cn_pose offset);
// A body of one shape at its origin.
cn_body_id cn_build_solid(cn_build *build, cn_body_type type, cn_pos3 position, cn_quat rotation, cn_geometry geometry);
// The same, not turned.
cn_body_id cn_build_upright(cn_build *build, cn_body_type type, cn_pos3 position, cn_geometry geometry);
cn_hull_id cn_build_hull(cn_build *build, const cn_vec3 *points, int count);
void cn_build_velocity(cn_build *build, cn_body_id body, cn_vec3 linear, cn_vec3 angular);
// The place in the world of one that is counted from the build's origin: anchors of joints are given in the world.
cn_pos3 cn_build_anchor(const cn_build *build, double x, double y, double z);
// A static body of one mesh, height field or compound at the given place. Takes what it is given over; NULL is a failure.
void cn_build_mesh(cn_build *build, cn_pos3 position, cn_mesh *mesh);
void cn_build_height_field(cn_build *build, cn_pos3 position, cn_height_field *field);
void cn_build_compound(cn_build *build, cn_pos3 position, cn_compound *compound);

// A null id when it fails, or when a preset failed to make the definition.
cn_joint_id cn_build_joint(cn_build *build, const cn_joint_def *def);
// Its bones become bodies of the build, in the order of cn_bone.
bool cn_build_ragdoll(cn_build *build, const cn_ragdoll_def *def, cn_ragdoll *ragdoll);

// Where bodies are in the list of the build.
typedef struct cn_body_numbers {
    int *of_index; // by the index of their ids
    uint32_t count;
} cn_body_numbers;
enum { CN_BODY_WORLD = -1, CN_BODY_UNLISTED = -2 };
// False when there is no memory for it.
bool cn_body_numbers_open(cn_body_numbers *numbers, const cn_build *build);
int cn_body_number(const cn_body_numbers *numbers, cn_body_id body); // a null id is the world
void cn_body_numbers_free(cn_body_numbers *numbers);

// A static box of half extents 400 x 1 x 400 whose top is at y = 0.
void cn_build_ground(cn_build *build);
// A floor with its top at y = 0 and four walls of the given height around a square of 2 half_width.
void cn_build_pit(cn_build *build, float half_width, float height);

// One step. False when it was refused.
bool cn_build_step(cn_build *build, double dt, cn_step_report *report);

#endif
