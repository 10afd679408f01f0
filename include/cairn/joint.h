// Joints: what ties bodies to each other or to the world.
//
// There is one joint. It has a frame on each of two bodies, and six degrees of freedom between the frames: three along the axes of
// frame a, and three of rotation, taken apart into a twist about the x axis and a swing of that axis about y and z. Each is free,
// locked or limited, and may have a spring, a motor and friction of its own. The named joints (a hinge, a slider, a wheel, ...) are
// definitions of it that are filled in already: see the functions below.
//
// Distances, pulleys, gears and racks have one coordinate instead of six, with the same properties.
#ifndef CAIRN_JOINT_H
#define CAIRN_JOINT_H

#include "cairn/base.h"

typedef enum cn_joint_kind {
    CN_JOINT_FRAMES,   // six degrees of freedom between two frames
    CN_JOINT_DISTANCE, // the distance between the origins of the frames
    CN_JOINT_PULLEY,   // length from a to ground_a, plus ratio times length from b to ground_b
    CN_JOINT_GEAR,     // angle of a about its x axis, plus ratio times the angle of b about its x axis; from where they started
    CN_JOINT_RACK,     // way of b along its x axis, minus ratio (metres per radian) times the angle of a about its x axis; likewise
    CN_JOINT_KIND_COUNT
} cn_joint_kind;
CN_API const char *cn_joint_kind_name(int kind); // "frames" and so on; NULL past the end

// The degrees of freedom of CN_JOINT_FRAMES. The other kinds have the first alone.
typedef enum cn_dof {
    CN_X, // way of frame b along the axes of frame a, m
    CN_Y,
    CN_Z,
    CN_TWIST,   // turn of b about its x axis, rad
    CN_SWING_Y, // turn that takes the x axis of a to that of b, about y and z of frame a, rad
    CN_SWING_Z,
    CN_DOF_COUNT
} cn_dof;

typedef enum cn_freedom { CN_FREE, CN_LOCKED, CN_LIMITED, CN_FREEDOM_COUNT } cn_freedom;
typedef enum cn_motor_mode {
    CN_MOTOR_OFF,
    CN_MOTOR_SPEED, // target is a speed, m/s or rad/s
    CN_MOTOR_PLACE, // target is a place, m or rad
    CN_MOTOR_MODE_COUNT
} cn_motor_mode;

// Forces are in N and torques in N m, for the three ways and the three rotations. Frequencies go up to 1e6 Hz, damping ratios to 1e6,
// stiffness and damping to 1e20, targets and places of rest to 1e8; forces may be infinite.
typedef struct cn_joint_axis {
    cn_freedom freedom;
    float lower, upper; // limited: m or rad
    // How a lock or limit gives way: as a spring of this frequency and damping ratio on the masses it holds. 0 Hz: not at all.
    float hertz, damping_ratio;
    float spring_stiffness, spring_damping; // N/m and N s/m, or N m/rad and N m s/rad; either may be 0
    float spring_rest;                      // where it is at ease, m or rad
    cn_motor_mode motor;
    float motor_target;
    float motor_max_force;                  // N or N m
    float motor_hertz, motor_damping_ratio; // of a motor that drives to a place; 0 Hz: as fast as its force allows
    float friction;                         // force or torque that resists motion, N or N m
} cn_joint_axis;

// A motor and friction about all three axes of rotation at once, for balls and cones. Their bounds are on the length of the torque,
// the same in every direction, where those of the three rotations alone have one each. No rotation may be locked.
typedef struct cn_joint_ball {
    cn_motor_mode motor;    // CN_MOTOR_SPEED drives to a velocity, CN_MOTOR_PLACE to a rotation, on the shortest way
    cn_vec3 motor_velocity; // of b against a, axes of frame a, rad/s; each within 1e8
    cn_quat motor_rotation; // of frame b in frame a
    float motor_max_torque; // N m; may be infinite
    float motor_hertz, motor_damping_ratio; // of a motor that drives to a rotation; 0 Hz: as fast as its torque allows
    float friction;                         // torque that resists any turning, N m
} cn_joint_ball;

typedef struct cn_joint_def {
    cn_joint_kind kind;
    cn_body_id body_a, body_b;    // a null id is the world
    cn_transform frame_a, frame_b; // in the body's frame, or in the world
    cn_joint_axis axes[CN_DOF_COUNT];
    cn_joint_ball ball; // of CN_JOINT_FRAMES alone
    bool cone; // limits on both swings bound one elliptic cone with these half angles (the larger of |lower| and upper); it is as soft as swing y
    cn_pos3 ground_a, ground_b; // pulley: in the world
    float ratio;                // pulley, gear: above 0 turns them against each other; rack: metres per radian; its size is between 1e-6 and 1e6
    bool collide;               // the two bodies collide with each other
    float break_force, break_torque; // the joint breaks in the step in which it carries more than this; infinite: never
    void *user_data;
} cn_joint_def;

// Two frames at the origins of their bodies, all six degrees of freedom free.
CN_API cn_joint_def cn_joint_def_default(void);

CN_API cn_joint_id cn_joint_create(cn_world *world, const cn_joint_def *def);
CN_API bool cn_joint_destroy(cn_world *world, cn_joint_id joint);
CN_API bool cn_joint_is_valid(const cn_world *world, cn_joint_id joint);
// What the joint is now, as it could be created again. The places of gears and racks count from where they were created.
CN_API cn_joint_def cn_joint_get_def(const cn_world *world, cn_joint_id joint);
CN_API void *cn_joint_get_user_data(const cn_world *world, cn_joint_id joint);
CN_API int cn_world_get_joint_count(const cn_world *world);
// Writes as many ids as fit, in order of their index, and returns how many there are.
CN_API int cn_world_get_joints(const cn_world *world, cn_joint_id *joints, int capacity);
CN_API int cn_body_get_joints(const cn_world *world, cn_body_id body, cn_joint_id *joints, int capacity);

// Changes one degree of freedom. All of these wake the bodies.
CN_API bool cn_joint_set_axis(cn_world *world, cn_joint_id joint, cn_dof dof, const cn_joint_axis *axis);
CN_API bool cn_joint_set_motor(cn_world *world, cn_joint_id joint, cn_dof dof, cn_motor_mode mode, float target, float max_force);
CN_API bool cn_joint_set_limits(cn_world *world, cn_joint_id joint, cn_dof dof, float lower, float upper); // makes it limited
// The motor and friction about all three axes.
CN_API bool cn_joint_set_ball(cn_world *world, cn_joint_id joint, const cn_joint_ball *ball);
// What that motor drives to; it becomes a motor to a rotation (of frame b in frame a), or to a velocity (axes of frame a, rad/s).
CN_API bool cn_joint_set_target_rotation(cn_world *world, cn_joint_id joint, cn_quat rotation);
CN_API bool cn_joint_set_target_velocity(cn_world *world, cn_joint_id joint, cn_vec3 velocity);
// Places of couplings count anew from here.
CN_API bool cn_joint_set_frames(cn_world *world, cn_joint_id joint, cn_transform frame_a, cn_transform frame_b);
CN_API bool cn_joint_set_break(cn_world *world, cn_joint_id joint, float force, float torque);

// ---- what a joint does

CN_API float cn_joint_get_place(const cn_world *world, cn_joint_id joint, cn_dof dof); // m or rad, now
CN_API float cn_joint_get_speed(const cn_world *world, cn_joint_id joint, cn_dof dof); // m/s or rad/s, now

CN_API cn_quat cn_joint_get_rotation(const cn_world *world, cn_joint_id joint); // of frame b in frame a, now

// What the joint did to its bodies in the last step, on average: b feels force and torque, a the opposite.
typedef struct cn_joint_reaction {
    cn_vec3 force;  // N, world axes, at `point`
    cn_vec3 torque; // N m, about `point`
    cn_pos3 point;  // origin of frame b, where it is now
    float axis_force[CN_DOF_COUNT];  // the same along each degree of freedom
    float motor_force[CN_DOF_COUNT]; // the part of it that the motor made
    cn_vec3 motor_torque; // the part of the torque that the motor about all three axes made
} cn_joint_reaction;
CN_API cn_joint_reaction cn_joint_get_reaction(const cn_world *world, cn_joint_id joint);

// How far the locked degrees of freedom are off now: m (the worst of x, y and z together) and rad.
typedef struct cn_joint_error {
    float linear, angular;
} cn_joint_error;
CN_API cn_joint_error cn_joint_get_error(const cn_world *world, cn_joint_id joint);

// Joints that broke in the last step. They are gone: the id is stale.
typedef struct cn_joint_event {
    cn_joint_id joint;
    cn_body_id body_a, body_b;
    void *user_data;
    float force, torque; // what they carried, N and N m
} cn_joint_event;
CN_API const cn_joint_event *cn_world_get_joint_events(const cn_world *world, int *count);

// ---- presets
//
// Each is a definition with its freedoms set; anchors and axes are in the world, where the bodies are now. A null body is the world.
// On bad input the definition comes back with the kind CN_JOINT_KIND_COUNT, which cn_joint_create refuses with the same sentence
// as cn_last_error() has.

CN_API cn_joint_def cn_ball_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor);
// `axis` points from a to b: the twist axis. Swings up to `swing` from it, twists by +-twist.
CN_API cn_joint_def cn_cone_twist_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis, float swing,
                                        float twist);
CN_API cn_joint_def cn_hinge_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis); // turns: CN_TWIST
CN_API cn_joint_def cn_slider_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis); // slides: CN_X
CN_API cn_joint_def cn_cylindrical_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis);
CN_API cn_joint_def cn_planar_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 normal); // locks CN_X
CN_API cn_joint_def cn_fixed_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor);
CN_API cn_joint_def cn_distance_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b);
CN_API cn_joint_def cn_rope_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b, float length);
CN_API cn_joint_def cn_spring_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b, float stiffness,
                                    float damping);
// A wheel b on a chassis a: suspension along `up` (CN_Y), steering about it (CN_SWING_Y, locked), rolling about `axle` (CN_TWIST).
CN_API cn_joint_def cn_wheel_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 up, cn_vec3 axle,
                                   float stiffness, float damping);
// Drives b to a pose relative to a, as hard as `max_force` and `max_torque` allow; the targets of its six motors are 0, the pose now.
CN_API cn_joint_def cn_motor_joint(const cn_world *world, cn_body_id a, cn_body_id b, float hertz, float max_force, float max_torque);
CN_API cn_joint_def cn_gear_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_vec3 axis_a, cn_vec3 axis_b, float ratio);
CN_API cn_joint_def cn_rack_joint(const cn_world *world, cn_body_id pinion, cn_body_id rack, cn_vec3 axis, cn_vec3 direction, float ratio);
CN_API cn_joint_def cn_pulley_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b, cn_pos3 ground_a,
                                    cn_pos3 ground_b, float ratio);

#endif
