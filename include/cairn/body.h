// Bodies: rigid things that move, are moved, or stay.
#ifndef CAIRN_BODY_H
#define CAIRN_BODY_H

#include "cairn/mass.h"
#include "cairn/shape.h"

typedef enum cn_body_type {
    CN_STATIC,    // never moves by itself
    CN_KINEMATIC, // moves with the velocity it is given, pushed by nothing
    CN_DYNAMIC,   // moved by forces and contacts
    CN_BODY_TYPE_COUNT
} cn_body_type;

// World axes along which, or about which, a dynamic body does not move.
typedef enum cn_lock {
    CN_LOCK_LINEAR_X = 1,
    CN_LOCK_LINEAR_Y = 2,
    CN_LOCK_LINEAR_Z = 4,
    CN_LOCK_ANGULAR_X = 8,
    CN_LOCK_ANGULAR_Y = 16,
    CN_LOCK_ANGULAR_Z = 32,
} cn_lock;

typedef struct cn_body_def {
    cn_body_type type;
    cn_pos3 position; // of the body's origin, not of its centre of mass
    cn_quat rotation;
    cn_vec3 linear_velocity; // of the centre of mass
    cn_vec3 angular_velocity;
    float linear_damping;  // 1/s
    float angular_damping; // 1/s
    float gravity_scale;
    uint32_t locks; // bits of cn_lock
    bool continuous; // dynamic: does not pass through things, however fast it moves or turns
    bool can_sleep;
    float sleep_speed;       // m/s: below this its surface counts as still; negative: that of the world
    float max_linear_speed;  // m/s, of the centre of mass of a dynamic body; INFINITY: no limit
    float max_angular_speed; // rad/s, likewise
    bool awake;     // false: a dynamic body starts asleep, without velocity
    void *user_data;
} cn_body_def;

CN_API cn_body_def cn_body_def_default(void);

CN_API cn_body_id cn_body_create(cn_world *world, const cn_body_def *def);
// Destroys the body with its shapes and joints. Bodies that rested on it or were tied to it wake up.
CN_API bool cn_body_destroy(cn_world *world, cn_body_id body);
CN_API bool cn_body_is_valid(const cn_world *world, cn_body_id body);

CN_API cn_body_type cn_body_get_type(const cn_world *world, cn_body_id body);
// False, with cn_last_error(), when its shapes weigh too much or too little for a dynamic body.
CN_API bool cn_body_set_type(cn_world *world, cn_body_id body, cn_body_type type);
CN_API cn_transform cn_body_get_transform(const cn_world *world, cn_body_id body);
// Moves the body at once, through whatever is in between. Wakes it and what it touched.
CN_API bool cn_body_set_transform(cn_world *world, cn_body_id body, cn_transform transform);
CN_API cn_pos3 cn_body_get_center(const cn_world *world, cn_body_id body); // of mass, in the world
CN_API cn_vec3 cn_body_get_linear_velocity(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_linear_velocity(cn_world *world, cn_body_id body, cn_vec3 velocity);
CN_API cn_vec3 cn_body_get_angular_velocity(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_angular_velocity(cn_world *world, cn_body_id body, cn_vec3 velocity);
// Gives a kinematic body the velocity that takes it to `target` in `time` seconds.
CN_API bool cn_body_move_kinematic(cn_world *world, cn_body_id body, cn_transform target, float time);

// Mass, centre and inertia in the body's frame. Only dynamic bodies have any; one without a shape that weighs something has
// 1 kg and 0.4 kg m^2. Principal moments below 1e-5 of the largest, those of needles 800 times as long as thick, are raised to that.
CN_API cn_mass cn_body_get_mass(const cn_world *world, cn_body_id body);
// Overrides what the shapes give, until a shape is added or removed, the type is changed or cn_body_reset_mass is called. Masses are
// between 1e-16 and 1e15 kg, principal moments between 1e-14 and 1e13 m^2 times the mass, and none above
// 1e10 times another.
CN_API bool cn_body_set_mass(cn_world *world, cn_body_id body, cn_mass mass);
CN_API bool cn_body_reset_mass(cn_world *world, cn_body_id body);

// Forces act during the next step and are then cleared. Impulses change the velocity now. Points are in the world.
// All of these wake the body.
CN_API bool cn_body_apply_force(cn_world *world, cn_body_id body, cn_vec3 force);
CN_API bool cn_body_apply_force_at(cn_world *world, cn_body_id body, cn_vec3 force, cn_pos3 point);
CN_API bool cn_body_apply_torque(cn_world *world, cn_body_id body, cn_vec3 torque);
CN_API bool cn_body_apply_impulse(cn_world *world, cn_body_id body, cn_vec3 impulse);
CN_API bool cn_body_apply_impulse_at(cn_world *world, cn_body_id body, cn_vec3 impulse, cn_pos3 point);
CN_API bool cn_body_apply_angular_impulse(cn_world *world, cn_body_id body, cn_vec3 impulse);

CN_API float cn_body_get_linear_damping(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_linear_damping(cn_world *world, cn_body_id body, float damping);
CN_API float cn_body_get_angular_damping(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_angular_damping(cn_world *world, cn_body_id body, float damping);
CN_API float cn_body_get_gravity_scale(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_gravity_scale(cn_world *world, cn_body_id body, float scale);
CN_API uint32_t cn_body_get_locks(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_locks(cn_world *world, cn_body_id body, uint32_t locks);

CN_API bool cn_body_get_continuous(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_continuous(cn_world *world, cn_body_id body, bool continuous);

CN_API bool cn_body_is_awake(const cn_world *world, cn_body_id body);
// Putting a body to sleep puts its whole island to sleep; waking likewise.
CN_API bool cn_body_set_awake(cn_world *world, cn_body_id body, bool awake);
CN_API bool cn_body_get_can_sleep(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_can_sleep(cn_world *world, cn_body_id body, bool can_sleep);

// Below which speed of its surface, in m/s, the body counts as still: an island sleeps when all its bodies were for the sleep time of
// the world. Negative, which is the default: the sleep speed of the world; 0: it never does. Setting it wakes the body.
CN_API float cn_body_get_sleep_speed(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_sleep_speed(cn_world *world, cn_body_id body, float speed);
// The largest speed of the centre of mass, in m/s, and the largest angular speed, in rad/s, that a dynamic body has after a step, and
// moves and turns with in it: what forces, contacts and joints give beyond that is lost. The default is INFINITY: no limit but that of
// the engine, 1e8. Zero, negative and NaN are refused. Velocities that the user sets are limited in the next step.
CN_API float cn_body_get_max_linear_speed(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_max_linear_speed(cn_world *world, cn_body_id body, float speed);
CN_API float cn_body_get_max_angular_speed(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_max_angular_speed(cn_world *world, cn_body_id body, float speed);

// Whether two bodies may collide with each other; true unless it was set otherwise. Filters, groups and joints can forbid it besides.
// It holds in continuous collision too; queries and sensors do not ask for it. Setting it wakes both; contacts between them end, with
// their events in the next step. It is forgotten when one of them is destroyed. Any number of pairs: asking takes the same time.
// False, with cn_last_error(), for bad ids and for a body with itself.
CN_API bool cn_body_set_collide(cn_world *world, cn_body_id body, cn_body_id other, bool collide);
CN_API bool cn_body_get_collide(const cn_world *world, cn_body_id body, cn_body_id other);

CN_API void *cn_body_get_user_data(const cn_world *world, cn_body_id body);
CN_API bool cn_body_set_user_data(cn_world *world, cn_body_id body, void *user_data);

CN_API int cn_body_get_shape_count(const cn_world *world, cn_body_id body);
// Copies up to `capacity` ids, oldest first, and returns how many the body has.
CN_API int cn_body_get_shapes(const cn_world *world, cn_body_id body, cn_shape_id *shapes, int capacity);

// One contact patch, as the last step left it.
typedef struct cn_contact_point {
    cn_pos3 position;
    float separation;       // metres, negative when overlapping
    float normal_impulse;   // N s over the last step, true total
    cn_vec3 friction_impulse; // N s on shape b over the last step, impacts too; with patch friction the patch's impulse is shared out over its points
} cn_contact_point;

typedef struct cn_contact_data {
    cn_shape_id shape_a, shape_b;
    cn_vec3 normal; // from shape a to shape b
    int color; // of the constraint graph in the last step: contacts of one colour share no moving body
    int point_count; // 0, without a normal, where the shapes overlap only in what another shape covers: that one carries the load
    cn_contact_point points[4];
} cn_contact_data;

// Copies up to `capacity` touching contacts of the body and returns how many there are.
CN_API int cn_body_get_contacts(const cn_world *world, cn_body_id body, cn_contact_data *contacts, int capacity);
// The same for all touching contacts of the world, those of sleeping bodies too.
CN_API int cn_world_get_contacts(const cn_world *world, cn_contact_data *contacts, int capacity);

#endif
