// What the fast solvers see of a world. Whatever constrains bodies only writes this data; solvers only read it, and write back
// velocities, displacements and impulses.
//
//   units      independent pieces of work: one large island, or several small ones
//   colours    within a unit, patches that share no moving body; solved eight at a time
//   patches    one contact manifold each
//   states     velocity and displacement of every body that moves
#ifndef CN_SOLVE_H
#define CN_SOLVE_H

#include "base/memory.h"
#include "base/tasks.h"
#include "cairn/model.h"
#include "cairn/world.h"

// Velocity and what has been moved in this step. The fourth number of each row is unused. One cache line.
typedef struct cn_body_state {
    _Alignas(64) float linear[4]; // m/s
    float angular[4];             // rad/s
    float moved[4], turned[4];    // m, rad: sum of h * velocity since the step began
} cn_body_state;

// Inverse mass and inverse inertia in world axes. Zero for bodies that nothing pushes.
typedef struct cn_body_mass {
    _Alignas(32) float inverse_mass;
    float xx, yy, zz, xy, xz, yz;
    float pushed_by; // how many patches push the body: what mass splitting divides by
} cn_body_mass;

// What changes a body's velocity between contacts.
typedef struct cn_body_drive {
    _Alignas(64) float before[8]; // linear and angular velocity before contacts acted in this substep
    float acceleration[8];        // linear and angular, gravity and forces
    float last_move[4];           // of the centre of mass in the last substep, m
    float damping[2];             // 1/s, linear and angular
    float lean[3];                // the part of the acceleration that turns the axis of the body, and takes no energy, rad/s^2
    float spins[3];               // of what leans: sum of the angular velocities with which its substeps began, rad/s
    uint16_t begun;               // and how many these were
    uint16_t locks;               // bits of cn_lock
    uint16_t impact_round;        // the last in which it was hit, itself or through joints, see cn_sweep
    bool leans;                   // `lean` is not zero
    bool free;                    // nothing pushes it
    bool struck;                  // it may be hit; then it turns freely when the step has been solved
    bool hit, let_go;             // by an impact in this substep; its mechanism begins anew, see substep.c
    bool follows;                 // its inertia is followed as it turns, see follow.h; a jointed body
    bool jointed;                 // a joint asks for its rotation within the step, see cn_solve_input.turns
} cn_body_drive;

// One contact manifold. Points that are not there have a separation of CN_FAR. The order of the fields is what lets eight
// patches be gathered by transposing rows of four floats.
typedef struct cn_patch {
    _Alignas(16) float normal[3]; // from a to b, world axes
    float friction;               // coefficient that applies in this step
    float between[3], spin_arm;   // centre of b minus centre of a; lever arm of spinning resistance, m
    float points[3][4];           // x, y, z of the points relative to the centre of a
    float separation[4];
    float force[4]; // along the normal; what the solver starts from, and what it found in the last substep
    float friction_force[2], twist_torque; // in the patch's tangent frame
    float impact;                          // out: the part of the totals that were impacts, N s
    float total[4];                                // normal impulse over the whole step
    // Rows below are read only when `extras` is set.
    float surface[3], restitution; // velocity that friction drives towards: of b's surface relative to a's, m/s
    float rolling_torque[2], rolling_arm;
    float ball_radius; // of a where both are balls about their centres of mass, else 0: their normal is known wherever they meet
    float point_friction[2][4];           // cone model: friction force of each point
    float friction_total[2];              // out: friction impulse over the whole step, in the patch's tangent frame, N s
    float load;                           // what presses the bodies together, per size, 1/s^2; slow average
    uint16_t substeps;                    // that its island got in the last step
    uint8_t point_count, extras;
    float approach[4];                    // out: most negative normal velocity seen before the impact, m/s
    float grain[2], grain_friction;       // cosine and sine of its direction in the patch's tangent frame; factor along it
    uint8_t color;                        // out: its colour in the graph of its unit, at most 255
    bool sliding : 1;                     // out: friction reached its limit
    bool exact : 1;                       // out: solved point by point in the contact model, see exact.c
    bool even : 1;                        // out: and of many answers the least was found
    uint8_t exact_hold, exact_wait; // for how many steps its island stays with a stronger solver, or without, see refine.c
} cn_patch;

#define CN_FAR 1e6f

// Factors on friction along the grain that are smaller than this count as 0.
#define CN_LEAST_GRAIN_FRICTION 1e-3f

// What a patch needs beyond contact and friction.
enum {
    CN_EXTRA_RESTITUTION = 1,
    CN_EXTRA_ROLLING = 2,
    CN_EXTRA_SURFACE = 4,
    CN_EXTRA_LOCKS = 8,
    CN_EXTRA_SLIDING = 16, // the bodies move past each other: levers change within the step
    CN_EXTRA_APART = 32,   // some point does not touch yet
    CN_EXTRA_GRAIN = 64,   // friction depends on the direction
    CN_EXTRA_IMPACT = 128, // some point closes within the step, by more than the size of the smaller shape
};

// A patch that is to be solved, and the states of its bodies. Until the states are laid out, a body that nothing pushes is
// CN_UNMOVING, or a kinematic one.
typedef struct cn_found_patch {
    cn_patch *patch;
    int32_t a, b;
    float load, inverse_size; // the second of the smaller shape, 1/m
    uint16_t substeps; // of its island in the last step
    bool may_hit;      // its extras may say that it is hit in this step: most need not be asked
    uint32_t order;    // of its shapes among the pairs of a body, see islands.c
} cn_found_patch;

// ---- joints

// What acts along one degree of freedom of a joint besides a lock.
typedef enum cn_row_kind {
    CN_ROW_SPRING,   // and soft locks: pulls towards `rest`
    CN_ROW_MOTOR,    // drives towards `speed`, or towards `rest` where it is a spring with a bound on its force
    CN_ROW_FRICTION, // resists, up to a force
    CN_ROW_STOP,     // pushes back beyond `lower` and `upper`
} cn_row_kind;

typedef struct cn_joint_row {
    float axis[6]; // how its coordinate changes with each degree of freedom: 1 for its own; a cone mixes two. Couplings do not use it
    float place;        // when the step began, m or rad
    float rest, speed;  // wanted, m or rad, m/s or rad/s
    float last_rest, moved; // of motors to a place: `rest` in the last step, and how far it has moved since
    float lower, upper; // stop, m or rad
    float cone[2]; // of a stop that bounds both swings: the half angles of the cone about y and z; else 0
    float stiffness, damping; // of springs, motors to a place and soft stops; both 0 where the row is rigid
    bool per_mass;            // they are divided by the mass the row moves: omega^2 and 2 zeta omega
    float most_force;         // N or N m; may be infinite
    float force;              // what the solver starts from, and what it found in the last substep
    float total;              // out: impulse over the whole step
    uint8_t kind, dof;
} cn_joint_row;

// A motor or friction about all three axes: a torque that is bounded by its length. World axes at the beginning of the step; the
// fourth number is unused.
typedef struct cn_joint_torque {
    _Alignas(16) float error[4]; // the turn from where a motor to a rotation wants frame b to where it is, x y z w; the shorter way
    float velocity[4];           // wanted, of b against a, rad/s
    float last_rotation[4];      // where a motor wanted frame b in frame a in the last step, x y z w,
    float moved[4];              // and how far that has turned since, rad
    float force[4];              // N m: what the solver starts from, and what it found in the last substep
    float total[4];              // out: impulse over the whole step, N m s
    float stiffness, damping;    // of a motor to a rotation, as a row that is per_mass has them; infinite: rigid
    float most;                  // N m; 0: there is none
} cn_joint_torque;
enum { CN_TORQUE_MOTOR, CN_TORQUE_FRICTION, CN_TORQUE_COUNT };

// What decides which code solves a joint.
typedef enum cn_joint_class {
    CN_CLASS_BALL,     // x, y and z are locked, and nothing else is there
    CN_CLASS_GENERAL,  // any of the six degrees of freedom
    CN_CLASS_COUPLING, // one coordinate with its own Jacobian, frozen for the step: gears, racks, pulleys
    CN_CLASS_COUNT
} cn_joint_class;

// A joint as the solvers see it. All in world axes at the beginning of the step unless said. Rows have four floats, so that eight
// joints can be gathered by transposing; the fourth is unused.
typedef struct cn_solver_joint {
    _Alignas(16) float gap[4]; // origin of frame b minus origin of frame a
    float arm_a[4], arm_b[4];  // the origins seen from the centres of mass; arm_a is 0 where nothing pushes or moves a
    // Of the locks, along x y z of frame a (of the world for a ball) and about turn_axes; in: where to start; out: of the last substep.
    float force[2][4];
    float total[2][4]; // out: impulse over the step that b felt, force at the origin of frame b and torque about it
    uint8_t joint_class, locked; // bits of locked degrees of freedom; a coupling has bit 0
    bool aims; // x follows the line between the origins, and nothing but x acts: distances
    uint8_t row_count;
    uint8_t exact_hold, exact_wait; // as those of cn_patch
    cn_joint_row *rows;
    cn_joint_torque *torques; // CN_TORQUE_COUNT of them, or NULL
    // A ball needs none of the rest.
    _Alignas(16) float axes[2][4]; // x and y of frame a; x of an aiming joint points along the gap
    float rotation[4];             // of frame b in frame a, a unit quaternion x y z w
    // Rates of the three rotations are these, in frame a, times the angular velocity of b against a in frame a.
    float turn_axes[3][4];
    float place[2][4];       // by how much locked degrees of freedom are off, and where the others are: m, rad
    float jacobian[2][2][4]; // coupling: how its coordinate answers to the velocities of a and of b, linear before angular
} cn_solver_joint;

typedef struct cn_found_joint {
    cn_solver_joint *joint;
    int32_t a, b; // states, as in cn_found_patch; not both are unpushed
    bool heavy;   // it carries many times the weight of its bodies, or must be right at once
    float burden; // by how much, in times of what is many; infinite: it must be right at once
    float passed; // how far it is beyond its limits, rad
    bool grips;   // its motors, limits and friction alone do, or must be
    bool rubs;    // its friction can
    bool jammed;  // they cannot all act at once
    bool slow, moves; // its bodies have been slow for long; but are not still
    bool torn;    // the points that it holds together are so far apart that it is no load that opens it
    bool far;     // and by much more than the bodies reach
    bool at_a;    // of a ball: acts at the origin of frame a
    bool limited; // it has limits
    bool direct;  // its locks are solved at once with those of all that hangs together by joints
    bool sound;   // out: what was found is known to be below CN_MOST_JOINT_FORCE
    float rate;   // of the fastest swing that its load makes possible: of a light body between two taut joints, rad/s
} cn_found_joint;

// No mass at the largest acceleration, at the longest lever, takes more, N or N m. From here on what is asked of a joint, a
// force over its lever, may not be finite.
#define CN_MOST_JOINT_FORCE 1e31f

enum { CN_UNMOVING = -1, CN_PATCH_LANES = 8 };
#define CN_KINEMATIC_STATE(encoded) (-2 - (encoded)) // its own inverse

// How right a unit was solved, when that is asked for, and by whom.
typedef struct cn_unit_result {
    bool measured, handed_over, refused; // handed over to a stronger solver; refused by the solver that was asked
    bool tried;                          // a stronger solver has failed on it in this step
    const char *solver;
    int iterations;
    double work; // products of 3x3 blocks in factorisations
    cn_residual residual;
    double first_residual; // of the solver that handed it over
    double q_length;       // |q| of its problem, m/s
} cn_unit_result;

typedef struct cn_unit {
    int first_body, body_count;   // into the list of bodies
    int first_patch, patch_count; // into the list of patches, sorted by colour
    int first_color, color_count; // into the list of colour ends
    int first_idle;               // states for lanes that are left over, one per eight patches of a colour
    int first_joint, joint_count; // into the list of joints, sorted by colour, then class
    int first_joint_color, joint_color_count;
    int joint_wide_count, first_joint_idle; // how many times eight they fill, and states for lanes that are left over, one for each
    bool direct;          // the locks of its joints are solved all at once
    bool joined;          // with extra substeps: its islands have joints
    int joint_sweeps;     // when errors are pushed away: limits work against each other and against contacts, and get more
    int substeps;                 // at least what the settings say: islands that carry much get more
    bool large;                   // shared out over all threads
    int sweeps;                   // out: how many were made over its patches
    cn_unit_result result;        // out
} cn_unit;

typedef struct cn_solver_settings {
    int substeps, iterations;
    float early_exit;
    bool cone_friction;
    float contact_stiffness, contact_damping_ratio, push_speed, joint_speed;
    float projection;
    bool nudge;
    cn_joint_solve joint_solve;
    float restitution_speed;
    float tolerance; // on the residual; 0: none is asked for
    int effort;      // most products of 3x3 blocks that a stronger solver may take in a step
} cn_solver_settings;

typedef struct cn_solve_input {
    cn_body_state *states;
    const cn_body_mass *masses;
    cn_body_drive *drives;
    int state_count;
    const cn_found_patch *patches; // sorted by unit, then colour
    cn_found_joint *joints;        // sorted by unit, then colour, then class
    const int *bodies;             // state indices, sorted by unit
    const int *color_ends;         // per colour of a unit, the end of its patches counted from the unit's first patch
    const int *joint_color_ends;   // the same for joints
    float (*turns)[4]; // per state: rotation since the step began, a unit quaternion x y z w; only of jointed bodies
    cn_unit *units;
    int unit_count;
    const int *unit_of; // per awake body
    float dt, last_dt; // of this step and the one before, s
    cn_solver_settings settings;
    bool separate; // one island per unit
    bool judged;   // every unit gets its result
    const struct cn_solver *solver;
    const cn_allocator *allocator;
    cn_tasks *tasks;
    struct cn_scratch *scratch; // memory that the solvers keep from step to step
    const struct cn_wide_kernels *kernels;
    int iterations_used; // out
} cn_solve_input;

typedef struct cn_solver {
    const char *name;
    const char *summary;
    int default_substeps, default_iterations;
    bool splits;   // wants to know how many patches push each body
    bool adapts;   // gives islands under heavy load more substeps
    void (*solve)(cn_solve_input *input);
    const char *model_solver; // its name in the laboratory, for those that solve the contact model; else NULL
} cn_solver;

void cn_solve_soft_step(cn_solve_input *input);  // soft_step.c
void cn_solve_pgs(cn_solve_input *input);        // pgs.c
void cn_solve_mass_split(cn_solve_input *input); // mass_split.c
void cn_solve_exact(cn_solve_input *input);      // exact.c: those of the laboratory
// One unit from the beginning of the step, as ordered.
typedef struct cn_exact_order {
    const char *solver; // of the laboratory
    const char *second; // goes on when the first has not reached `enough`; may be NULL
    int substeps, iterations;
    double tolerance, enough;
    double work; // most products of 3x3 blocks in factorisations; 0: no limit
} cn_exact_order;
void cn_solve_unit_exactly(cn_solve_input *input, cn_unit *unit, const cn_exact_order *order);

// ---- how right a step is

// Fills the result of a unit that a fast solver has solved, patches and joints stored, with substeps of length h (unit_measure.c).
void cn_measure_unit_with_joints(cn_solve_input *input, cn_unit *unit, float h, cn_arena *arena);

// Handing islands over to a stronger solver (refine.c).
typedef struct cn_refinement {
    cn_solve_input *input;
    cn_arena *arena;
    const struct cn_snapshot *start; // of the step
    double budget;                   // what is left of it
} cn_refinement;
// Before the world's solver runs: islands that stay handed over are solved, and need it no more.
cn_refinement cn_refine_held(cn_solve_input *input, cn_arena *arena);
// After it: islands that missed the tolerance.
void cn_refine_missed(cn_refinement *refinement);

// An overlap of this part of the size of the smaller shape is left alone where overlaps are projected or nudged away.
#define CN_ALLOWED_OVERLAP 0.002f
// What locks leave of a body's response, as a part of what it would be without them, is rounding up to this.
#define CN_LEAST_RESPONSE 1e-5f
// What answers more easily than that, 1/kg, is as good as not there, and its sums would leave the range of float.
#define CN_MOST_ANSWER 1e36f

// All solvers, ending with a NULL name.
extern const cn_solver cn_solvers[];
const char *cn_describe_solver(const cn_solver *solver);
const cn_solver *cn_find_solver(const char *name);

struct cn_scratch *cn_scratch_create(const cn_allocator *allocator, int thread_count);
void cn_scratch_reserve(struct cn_scratch *scratch, size_t size); // bytes, shared out to all threads
void cn_scratch_destroy(struct cn_scratch *scratch);
// An empty arena that no other thread uses until it is returned.
cn_arena *cn_scratch_take(struct cn_scratch *scratch);
void cn_scratch_return(struct cn_scratch *scratch, const cn_arena *arena);
const struct cn_wide_kernels *cn_choose_kernels(cn_simd simd); // NULL when this machine does not have what is asked for

#endif
