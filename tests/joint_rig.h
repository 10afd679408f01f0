// Bodies, joints and contacts as a solver sees them, without a world: for tests of what is made of them.
#ifndef JOINT_RIG_H
#define JOINT_RIG_H

#include "base/memory.h"
#include "cairn/joint.h"
#include "solve/joint_model.h"

#include <math.h>
#include <string.h>

enum { RIG_BODIES = 16, RIG_JOINTS = 16, RIG_ROWS = 4, RIG_PATCHES = 8 };

typedef struct joint_rig {
    cn_body_state states[RIG_BODIES];
    cn_body_mass masses[RIG_BODIES];
    cn_body_drive drives[RIG_BODIES];
    float turns[RIG_BODIES][4];
    cn_vec3 centers[RIG_BODIES];
    int bodies[RIG_BODIES];
    cn_solver_joint joints[RIG_JOINTS];
    cn_joint_row rows[RIG_JOINTS][RIG_ROWS];
    cn_found_joint found_joints[RIG_JOINTS];
    cn_patch patches[RIG_PATCHES];
    cn_found_patch found_patches[RIG_PATCHES];
    cn_solve_input input;
    cn_unit unit;
    cn_arena arena;
    float h;
} joint_rig;

// State 0 is the world, which does not move.
static inline void rig_init(joint_rig *rig, float h)
{
    memset(rig, 0, sizeof *rig);
    cn_arena_init(&rig->arena, &cn_default_allocator);
    rig->h = h;
    rig->turns[0][3] = 1.0f;
    rig->input = (cn_solve_input){ .states = rig->states,
                                   .masses = rig->masses,
                                   .drives = rig->drives,
                                   .turns = rig->turns,
                                   .state_count = 1,
                                   .patches = rig->found_patches,
                                   .joints = rig->found_joints,
                                   .bodies = rig->bodies,
                                   .dt = h,
                                   .settings = { .nudge = true, .projection = 0.8f, .push_speed = 1.25f, .joint_speed = 30.0f },
                                   .allocator = &cn_default_allocator };
}

static inline void rig_free(joint_rig *rig) { cn_arena_free(&rig->arena); }

// A ball of the given mass and moment of inertia on which gravity of 10 m/s^2 has acted.
static inline int rig_body(joint_rig *rig, float mass, float inertia, cn_vec3 center)
{
    int state = rig->input.state_count++;
    float i = 1.0f / inertia;
    rig->masses[state] = (cn_body_mass){ .inverse_mass = 1.0f / mass, .xx = i, .yy = i, .zz = i };
    rig->states[state].linear[1] = -10.0f * rig->h;
    rig->drives[state].jointed = true;
    rig->drives[state].before[1] = -10.0f * rig->h;
    rig->turns[state][3] = 1.0f;
    rig->centers[state] = center;
    rig->bodies[rig->unit.body_count++] = state;
    return state;
}

// At a point, with frames along the axes of the world.
static inline cn_solver_joint *rig_joint(joint_rig *rig, int a, int b, cn_vec3 at, uint8_t locked)
{
    int index = rig->unit.joint_count++;
    cn_solver_joint *joint = &rig->joints[index];
    *joint = (cn_solver_joint){ .axes = { { 1.0f }, { 0.0f, 1.0f } },
                                .turn_axes = { { 1.0f }, { 0.0f, 1.0f }, { 0.0f, 0.0f, 1.0f } },
                                .locked = locked,
                                .joint_class = locked == 7 ? CN_CLASS_BALL : CN_CLASS_GENERAL,
                                .rows = rig->rows[index] };
    cn_vec3 arm_a = a > 0 ? cn_sub(at, rig->centers[a]) : cn_v3(0.0f, 0.0f, 0.0f), arm_b = cn_sub(at, rig->centers[b]);
    memcpy(joint->arm_a, &arm_a, sizeof arm_a);
    memcpy(joint->arm_b, &arm_b, sizeof arm_b);
    rig->found_joints[index] = (cn_found_joint){ .joint = joint, .a = a, .b = b };
    return joint;
}

static inline cn_joint_row *rig_row(cn_solver_joint *joint, cn_row_kind kind, int dof)
{
    cn_joint_row *row = &joint->rows[joint->row_count++];
    *row = (cn_joint_row){
        .lower = -INFINITY, .upper = INFINITY, .most_force = INFINITY, .kind = (uint8_t)kind, .dof = (uint8_t)dof
    };
    row->axis[dof] = 1.0f;
    joint->joint_class = CN_CLASS_GENERAL;
    return row;
}

// Four points of a square on the ground, with the body above.
static inline void rig_contact(joint_rig *rig, int body, float half, float drop, float friction)
{
    int index = rig->unit.patch_count++;
    cn_patch *patch = &rig->patches[index];
    *patch = (cn_patch){ .normal = { 0.0f, 1.0f, 0.0f }, .friction = friction, .point_count = 4 };
    cn_vec3 center = rig->centers[body];
    memcpy(patch->between, &center, sizeof center);
    for (int k = 0; k < 4; k++) {
        patch->points[0][k] = center.x + (k & 1 ? half : -half);
        patch->points[1][k] = center.y - drop;
        patch->points[2][k] = center.z + (k & 2 ? half : -half);
    }
    rig->found_patches[index] = (cn_found_patch){ .patch = patch, .a = 0, .b = body, .inverse_size = 1.0f };
}

static inline cn_unit_model rig_model(joint_rig *rig)
{
    return cn_unit_model_create(&rig->input, &rig->unit, rig->h, rig->h, &rig->arena);
}

#endif
