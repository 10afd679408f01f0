// The world: everything that is simulated together, and its step.
#ifndef CAIRN_WORLD_H
#define CAIRN_WORLD_H

#include "cairn/base.h"
#include "cairn/events.h"
#include "cairn/model.h"

typedef enum cn_friction_model {
    CN_FRICTION_PATCH, // one friction block per contact patch: a disc at its centre, and a twist about its normal
    CN_FRICTION_CONE,  // a smooth Coulomb cone at every contact point
    CN_FRICTION_MODEL_COUNT
} cn_friction_model;

typedef enum cn_position_correction {
    CN_CORRECT_PROJECT, // the bias (gamma / h) * depth in the velocity solve (Baumgarte)
    CN_CORRECT_NUDGE,   // a second solve for displacements that leaves the velocities alone
    CN_POSITION_CORRECTION_COUNT
} cn_position_correction;

// How the locked degrees of freedom of joints are solved, island by island; see docs/joints.md.
typedef enum cn_joint_solve {
    CN_JOINTS_AUTO,   // directly where it is cheap and sweeps would leave them soft, else by sweeps
    CN_JOINTS_SWEEP,  // by sweeps, as contacts are
    CN_JOINTS_DIRECT, // directly: a sparse factorisation, in time proportional to the number of bodies for trees
    CN_JOINT_SOLVE_COUNT
} cn_joint_solve;

typedef enum cn_simd { CN_SIMD_AUTO, CN_SIMD_BASE, CN_SIMD_AVX2, CN_SIMD_COUNT } cn_simd;

// How many things a world has room for from the start; 0: it grows when it must. Steps in which no more bodies, shapes, contacts
// (pairs of shapes near each other) and joints exist take no memory from the allocator, except for the lists of islands that fall
// asleep, for touching meshes and compounds in several places, and for what sensors see.
typedef struct cn_capacity {
    int bodies, shapes, contacts, joints;
} cn_capacity;

typedef struct cn_world_def {
    cn_vec3 gravity;
    const char *solver;  // "soft_step", "pgs", "mass_split", or one of the laboratory such as "newton"; see cn_solver_name()
    int substeps;        // all but pgs: 0 takes the solver's default
    int iterations;      // all but soft_step: sweeps or iterations per (sub)step, at most; 0 takes the solver's default
    float early_exit;    // pgs: stops when no impulse of a sweep changed a velocity by more than this (m/s); 0 never stops
    cn_friction_model friction_model;

    float contact_stiffness;     // soft_step: contact frequency as a fraction of the substep rate
    float contact_damping_ratio; // soft_step: 1 is critical
    float push_speed;            // largest speed at which overlaps are pushed apart, m/s
    float joint_speed;           // soft_step, pgs, mass_split: and at which open joints and passed limits come back, m/s and rad/s
    float projection;            // pgs: gamma, the part of an overlap removed per step
    cn_position_correction position_correction; // pgs
    cn_joint_solve joint_solve;  // soft_step, pgs, mass_split
    float restitution_speed;     // approach speeds below this do not bounce, m/s
    float hit_speed;             // approach speeds above this are hit events, m/s

    bool measure;    // every step reports how far it is from a solution of the contact model
    float tolerance; // islands that are further from a solution than this (cn_residual.value) are handed to a stronger solver; 0: none
    int effort;      // and how much that may cost per step at most, in products of 3x3 matrices: a million takes about 10 ms

    bool sleeping;
    float sleep_speed; // m/s: an island sleeps when every part of it stayed slower than this
    float sleep_time;  // for this many seconds

    int threads;                // 1 runs on the calling thread alone
    const cn_task_system *tasks; // NULL: an internal pool of threads - 1 workers
    const cn_allocator *allocator; // NULL: malloc
    cn_capacity capacity;
    cn_log_fn log;
    void *log_context;
    cn_simd simd; // results do not depend on it
    // Called on the stepping thread, in an order that does not depend on the number of threads, once per step for every
    // place where shapes touch of which one has `modify` set. It may read the world but not change it.
    cn_modify_fn modify; // NULL: none
    void *modify_context;
    void *user_data;
} cn_world_def;

CN_API cn_world_def cn_world_def_default(void);

// NULL on failure, with the reason in cn_last_error(). The definition and the tables it points to are copied.
CN_API cn_world *cn_world_create(const cn_world_def *def);
CN_API void cn_world_destroy(cn_world *world);

typedef enum cn_stage {
    CN_STAGE_PAIRS,   // find new pairs
    CN_STAGE_COLLIDE, // update contact manifolds
    CN_STAGE_ISLANDS, // group bodies that touch, colour contacts
    CN_STAGE_SOLVE,   // fill constraints, substeps, impulses back to contacts
    CN_STAGE_STORE,   // bodies moved, boxes refitted
    CN_STAGE_SLEEP,
    CN_STAGE_COUNT
} cn_stage;

CN_API const char *cn_stage_name(cn_stage stage);

// The residual of an island that was lost, or whose impulses are too large for any to be computed. It counts as missed, and not in
// the residual of all islands together.
#define CN_WORST_RESIDUAL 1e30

typedef struct cn_step_report {
    bool ok; // false: the step was refused, nothing moved, cn_last_error() says why
    uint64_t step; // how many steps this world has made
    int bodies, awake_bodies, islands, sleeping_islands;
    int pairs;     // contacts that are tracked
    int manifolds; // of them, awake with at least one point
    int points;
    int joints;    // awake
    int direct;    // of them, those whose locked degrees of freedom were solved directly
    int colors;    // most colours any island needed
    int substeps; // of the settings
    int iterations; // most sweeps over the contacts of any island
    // Bodies whose motion was not finite, because it left the range of numbers: they were stopped where they were, and what touches
    // or holds them forgot its forces. One that is lost in the next step too goes on as if nothing pushed it. Each is logged as an error.
    int lost;
    cn_body_id lost_body; // the first of them
    int stopped;      // fast bodies that met something on their way and go on from there in the next step
    int max_substeps; // most that any island got: those that carry heavy loads get more
    // With measure or a tolerance: how far the velocities and impulses of the step are from a solution of the contact model, over all
    // islands; the largest value of one island; how many were handed to a stronger solver, and how many missed the tolerance for good.
    cn_residual residual;
    double worst_residual;
    int handed_over, missed;
    double max_penetration; // deepest overlap among awake contacts when this step began, metres
    cn_shape_id worst_a, worst_b; // and between which shapes
    double stage_ms[CN_STAGE_COUNT];
    double step_ms;
} cn_step_report;

// A step is no shorter and no longer than this, s. What a contact carries from step to step is a force, an impulse over a part of dt:
// in shorter steps it would be rounding. In longer ones contacts are too soft to hold a box under its own weight.
#define CN_MIN_DT 1e-6f
#define CN_MAX_DT 1.0f

// Advances the world by `dt` seconds, CN_MIN_DT to CN_MAX_DT; a step outside of that is refused.
CN_API cn_step_report cn_world_step(cn_world *world, float dt);

// Changes what the definition of the world said. False, with cn_last_error(), for a negative or infinite tolerance.
CN_API bool cn_world_get_measure(const cn_world *world);
CN_API bool cn_world_set_measure(cn_world *world, bool measure);
CN_API float cn_world_get_tolerance(const cn_world *world);
CN_API bool cn_world_set_tolerance(cn_world *world, float tolerance);
CN_API bool cn_world_set_modify(cn_world *world, cn_modify_fn modify, void *context); // NULL: none

// How one island was solved in the last step; only with measure or a tolerance.
typedef struct cn_island_report {
    cn_body_id body; // one of its bodies
    int bodies, points;
    const char *solver; // whose answer it is
    int iterations;
    bool handed_over;      // by the world's solver, in this step or in an earlier one that still counts
    bool refused;          // the solver that was asked does not take such a problem; nncg did
    double first_residual; // what the world's solver reached in this step before it was handed over; 0 when it was not tried
    cn_residual residual;
} cn_island_report;
// Returns how many islands with contacts or joints there were, and writes as many as fit.
CN_API int cn_world_get_island_reports(const cn_world *world, cn_island_report *reports, int capacity);

// Keeps the contact problem of every step, as it is before the solver starts: one contact per point, over the whole step.
CN_API bool cn_world_set_capture(cn_world *world, bool capture);
// The problem of the last step, or NULL, with cn_last_error(), when none was kept. It belongs to the caller: cn_problem_destroy().
CN_API cn_problem *cn_world_take_problem(cn_world *world);

CN_API cn_vec3 cn_world_get_gravity(const cn_world *world);
CN_API bool cn_world_set_gravity(cn_world *world, cn_vec3 gravity);
CN_API bool cn_world_get_sleeping(const cn_world *world);
CN_API bool cn_world_set_sleeping(cn_world *world, bool sleeping); // false wakes everything
CN_API const char *cn_world_get_solver(const cn_world *world);
CN_API bool cn_world_set_solver(cn_world *world, const char *name);
CN_API void *cn_world_get_user_data(const cn_world *world);

CN_API int cn_world_get_body_count(const cn_world *world);

typedef struct cn_energy {
    double kinetic;   // J, of the dynamic bodies
    double potential; // J, relative to the world's origin
    double mass;      // kg, of the dynamic bodies
    double linear_momentum[3];
    double angular_momentum[3]; // about the world's origin
} cn_energy;
CN_API cn_energy cn_world_get_energy(const cn_world *world);

// Deepest overlap among touching contacts as they are now, in metres; 0 when nothing overlaps.
CN_API double cn_world_get_max_penetration(const cn_world *world);

// How many contact manifolds each colour of the last step's constraint graph held. Returns the number of colours.
CN_API int cn_world_get_color_histogram(const cn_world *world, int *counts, int capacity);

// For every body, at index1 - 1 of its id, the number of the island it is in: dynamic bodies that hang together by touching or joints,
// numbered from 0; -1 for what is not dynamic. Returns how many entries there are and writes them when `capacity` suffices.
CN_API int cn_world_get_islands(const cn_world *world, int *islands, int capacity);

// A 64-bit hash of the state of all bodies: transforms and velocities, bit for bit, in order of creation.
CN_API uint64_t cn_world_hash(const cn_world *world);

// The solvers there are. NULL past the end.
CN_API const char *cn_solver_name(int index);
CN_API const char *cn_solver_summary(int index);

#endif
