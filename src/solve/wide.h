// Eight contact patches side by side, and the kernels that work on them.
//
// A patch is treated as what it is mechanically: one place where two bodies meet. All its points lie in one plane with one
// normal, so everything they can do to the bodies is one force and one torque at the centre of the patch, and everything they
// need to know of the bodies is the relative velocity there: six numbers, in the frame (normal, tangent 1, tangent 2). The 6x6
// matrix that says how the relative velocity answers to force and torque is computed once per step; a sweep then works inside
// the patch without touching the bodies, at two coordinates per point, and hands the sum of force and torque to the bodies at
// the end.
#ifndef CN_WIDE_H
#define CN_WIDE_H

#include "base/simd.h"
#include "solve/solve.h"
#include "solve/wide_joint.h"

typedef struct cn_wide_point {
    cn_f8 x, y;       // from the patch centre along tangent 1 and tangent 2
    cn_f8 separation; // when the step began
    cn_f8 impulse;
    cn_f8 mass;  // effective, along the normal
    cn_f8 total; // impulse summed over the substeps
} cn_wide_point;

// What only some patches need.
typedef struct cn_wide_extra {
    cn_f8 normal[6]; // the rest of the answer: linear nn to force, n1 n2 to torque, angular 11 12 22 to torque
    cn_f8 restitution, approach[4];
    cn_i8 balls;  // both bodies are balls about their centres of mass
    cn_f8 ball_radius; // of a where they are
    cn_i8 struck; // it may be hit faster than contact forces work
    cn_f8 impact; // impulse of impacts along the normal, summed over points and substeps
    cn_f8 surface[2]; // target of the tangential velocity
    cn_f8 surface_rate[2]; // and how it changes, m/s^2
    cn_f8 rolling_arm, rolling_impulse[2];
    cn_f8 point_friction[4][2]; // cone model
    cn_f8 free_a[3], free_b[3]; // 1, or 0 along locked world axes
    cn_i8 has_grain;
    cn_f8 grain[2], grain_friction, grain_inverse; // cosine, sine, factor along it, and its inverse; 0 for 0
} cn_wide_extra;

// What friction at a place needs of how velocity answers to impulse there, besides the 2x2 matrix itself.
typedef struct cn_wide_disc {
    cn_f8 inverse; // of the determinant; 0 where the matrix cannot be solved
    cn_f8 step;    // inverse of a bound of what it answers with
} cn_wide_disc;

typedef struct cn_wide_patch {
    int32_t a[CN_LANES], b[CN_LANES];        // states
    uint32_t at_a[CN_LANES], at_b[CN_LANES]; // and how many bytes they are from the first, which saves sweeps the products
    cn_f8 normal[3], tangent[3];
    cn_f8 ra[3], rb[3];                                               // patch centre from the centres of mass
    cn_f8 follows_b;                                                  // 0..1: how much of b's motion past a the patch follows
    cn_f8 most_slid;                                                  // and how far, m; 0 where nothing slides
    cn_f8 inverse_mass_a, inverse_mass_b, inertia_a[6], inertia_b[6]; // inverse inertia, order xx yy zz xy xz yz
    // Answer of the relative velocity (linear, angular) to force and torque, in the order normal, tangent 1, tangent 2.
    cn_f8 ff[5]; // linear to force: n1 n2 11 12 22
    cn_f8 ft[7]; // linear to torque: nn 1n 11 12 2n 21 22; the other way round, angular to force
    cn_f8 tt[3]; // angular to torque: nn n1 n2
    cn_wide_disc disc; // of ff
    cn_f8 twist_mass;  // the inverse of tt[0]
    cn_wide_point points[4];
    cn_f8 coupling[6];         // answer of one point's velocity to another's impulse: pairs 01 02 03 12 13 23
    cn_f8 friction, twist_arm; // limits of friction force and twisting torque, per normal force
    cn_f8 friction_impulse[2], twist_impulse;
    cn_f8 friction_total[2]; // summed over the substeps
    cn_i8 on_static;    // one of the bodies is not pushed
    cn_i8 watches_gaps; // some point does not touch yet
    int point_count; // of the patch with the most points
    uint8_t extras;  // of any lane
    cn_wide_extra *extra;
} cn_wide_patch;

// How right eight patches are, see wide_measure.h.
typedef struct cn_wide_measure {
    float diagonal; // of W, summed over rows
    int rows;
    float squares, q_squares;              // of the natural map, and of q
    float approach, cone, gap, direction; // largest, as in cn_residual
} cn_wide_measure;

// Rigid locks and stops of joints.
typedef struct cn_joint_softness {
    float drag, pull; // see cn_row_law
    float motor_part; // of the way to its place that a motor without a spring goes in a step
} cn_joint_softness;

// What a sweep needs to know besides the patches.
typedef struct cn_sweep {
    cn_body_state *states;
    const cn_body_mass *masses;
    cn_body_drive *drives;
    float (*turns)[4]; // see cn_solve_input
    float h, inverse_h;
    float carried; // what the forces of the last step act for when this one begins, s: h, unless it is much longer than it was
    // Soft contact: [0] between pushed bodies, [1] against others
    float bias_rate[2], mass_scale[2], impulse_scale[2], most_push[2]; // the last: m/s, at most, to push overlaps apart
    float push_speed, restitution_speed;
    cn_joint_softness joints[2];  // [0] those that are swept, [1] those that are solved directly
    float joint_speed;            // at most, to remove their errors: m/s, rad/s
    float dt;                     // of the step
    bool direct_joints;           // some are solved directly before they are swept
    int substeps;
    bool split;           // mass splitting: effective masses are those of the bodies' parts
    bool cone;            // friction per point
    bool first;           // substep of the step
    bool unpushed;        // relaxing is all there is: nothing pushed before
    bool bounces;         // impacts have their restitution
    bool all_impacts;     // look at every patch, not only at those of bodies that were hit in this round or the last
    uint16_t impact_round; // of impacts, counted from the beginning of the step
    bool sums;            // relaxing adds the impulses to the totals, and prepares what the next substep carries over
    bool tracks;          // sweeps report the largest change they made
    cn_wide_patch *wides; // of the unit, so that a kernel knows a patch's number
    float (*deltas)[8];   // mass splitting: what each side of each patch adds to its body (2 rows per lane)
    cn_wide_measure *measures; // per wide patch
    float unit;                // mean diagonal of W
    float measured_bias_rate;  // the part of an overlap that the velocities were asked to remove, 1/s
} cn_sweep;

// Each returns the largest change of velocity it made, in m/s, when the sweep tracks it, else 0.
typedef float (*cn_patch_kernel)(const cn_sweep *sweep, cn_wide_patch *wides, int count);
typedef void (*cn_joint_kernel)(const cn_sweep *sweep, cn_wide_joint *wides, int count);
typedef void (*cn_body_kernel)(const cn_sweep *sweep, const int *bodies, int count);
typedef bool (*cn_body_test)(const cn_sweep *sweep, const int *bodies, int count);
struct cn_wide_follower;
typedef void (*cn_follower_kernel)(const cn_sweep *sweep, struct cn_wide_follower *wides, int count);

struct cn_joint_direct;

typedef struct cn_wide_kernels {
    const char *name;
    // Fills one wide patch from up to eight patches; lanes that are left over get the state `idle`.
    void (*prepare)(const cn_sweep *sweep, const cn_found_patch *patches, int count, int idle, cn_wide_patch *wide);
    void (*store)(const cn_sweep *sweep, const cn_wide_patch *wide, const cn_found_patch *patches, int count);
    cn_patch_kernel warm_start;   // applies the impulses carried over
    cn_patch_kernel turn_surfaces; // what friction drives towards in the next substep
    cn_patch_kernel let_go;       // forgets what was carried over to bodies that it throws
    cn_patch_kernel shift_levers; // what sliding changes in the impulses that are carried over
    cn_patch_kernel solve;        // with the bias that pushes overlaps apart
    cn_patch_kernel relax;        // without it
    cn_patch_kernel split_solve;  // mass splitting: as above, but the bodies are left alone and deltas are written
    cn_patch_kernel split_relax;
    cn_patch_kernel sum_impulses; // adds the impulses of this (sub)step to the totals
    cn_patch_kernel impact;       // what meets faster than the threshold: 1 when there was any, see wide_impact.h
    cn_patch_kernel sum_diagonal, measure; // how right the patches are
    // The same for joints, see wide_joint_sweep.h.
    void (*joint_prepare)(const cn_sweep *sweep, const cn_found_joint *joints, int count, int idle, cn_wide_joint *wide);
    void (*joint_store)(const cn_sweep *sweep, const cn_wide_joint *wide, cn_found_joint *joints, int count);
    cn_joint_kernel joint_shake; // answers impacts
    cn_joint_kernel joint_warm_followed, joint_hold_followed; // of bodies whose inertia is followed: what is carried over, and masses
    cn_joint_kernel joint_warm_start, joint_push, joint_relax, joint_sum;
    cn_joint_kernel joint_push_residual, joint_relax_residual; // where the locks are solved all at once: what they lack,
    cn_joint_kernel joint_push_answer, joint_relax_answer;     // and the impulses that give it
    // The matrix of all locks: its rows as the joints are now; factors, for what is held, where they are stale; x in place, of parts
    // that are open.
    void (*lock_jacobians)(struct cn_joint_direct *direct);
    void (*lock_factor)(struct cn_joint_direct *direct);
    void (*lock_solve)(struct cn_joint_direct *direct);
    cn_body_kernel start_substep; // gravity and forces, then what contacts added in the last substep
    cn_body_kernel start_step;    // gravity and forces
    cn_body_kernel move;          // displacements from velocities
    cn_body_test any_thrown;      // by what was carried over
    // Bodies whose inertia is followed, see wide_follow.h.
    cn_follower_kernel follow_start, follow_halfway, follow_end, follow_turn; // of a substep; follow_turn: all of it at once
    cn_follower_kernel follow_enter, follow_leave, follow_leave_impacts;      // contacts
} cn_wide_kernels;

extern const cn_wide_kernels cn_wide_base;
#if defined(__x86_64__)
extern const cn_wide_kernels cn_wide_avx2;
#endif

// The tangents that every patch uses with its normal: unit, t2 = n x t1. The wide kernels do the same eight at a time.
static inline void cn_tangent_basis(const float n[3], float t1[3], float t2[3])
{
    // cross(n, x) or cross(n, y), whichever is safely away from zero
    bool use_x = (n[0] < 0.0f ? -n[0] : n[0]) < 0.7f;
    float x = use_x ? 0.0f : -n[2], y = use_x ? n[2] : 0.0f, z = use_x ? -n[1] : n[0];
    float s = 1.0f / __builtin_sqrtf(x * x + y * y + z * z);
    t1[0] = s * x, t1[1] = s * y, t1[2] = s * z;
    t2[0] = n[1] * t1[2] - n[2] * t1[1];
    t2[1] = n[2] * t1[0] - n[0] * t1[2];
    t2[2] = n[0] * t1[1] - n[1] * t1[0];
}

#endif
