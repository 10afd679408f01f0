// The world from the inside. Public functions check their input and then change these structures; step.c advances them.
#ifndef CN_WORLD_INTERNAL_H
#define CN_WORLD_INTERNAL_H

#include "base/error.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "cairn/body.h"
#include "cairn/events.h"
#include "cairn/joint.h"
#include "cairn/world.h"
#include "collide/collide_parts.h"
#include "collide/tree.h"
#include "math/vec.h"
#include "shape/composite.h"
#include "solve/solve.h"
#include "world/check.h"
#include "world/ignore.h"
#include "world/path.h"

enum { CN_NONE = -1 };

typedef struct cn_body {
    // identity
    uint16_t generation;
    bool used;
    uint8_t type;
    uint32_t locks;
    void *user_data;
    int first_joint, joint_count; // key of a joint edge: joint * 2 + side; near the type, which the filter of pairs reads too
    // motion; the position is that of the centre of mass
    cn_pos3 center;
    cn_quat rotation;
    cn_vec3 linear_velocity, angular_velocity;
    // What every contact of every step asks for besides the motion lies next to it.
    float extent;             // largest distance of its surface from the centre of mass
    float core;               // smallest inner radius of its shapes
    float mass, inverse_mass; // 0 unless dynamic
    int awake;                // index in world->awake, or CN_NONE
    int travel;               // its place in world->travels; 0: it is static
    cn_vec3 force, torque;    // for the next step
    // mass
    cn_sym3 inertia, inverse_inertia; // body axes, about the centre of mass
    cn_vec3 local_center;             // centre of mass in the body's frame
    cn_vec3 principal_inertia;
    cn_quat principal_rotation; // of the principal axes in the body's frame
    bool gyroscopic;            // principal moments differ
    bool mass_overridden;       // set by cn_body_set_mass
    uint8_t round_about;        // 1, 2, 3: the principal axis about which its only shape is round, and its mass; 0: none
    bool can_sleep;
    float linear_damping, angular_damping, gravity_scale;
    float max_linear_speed, max_angular_speed; // m/s and rad/s, of a dynamic body; may be infinite
    // sleep
    float sleep_speed;   // m/s; negative: the world's
    float still_time;    // how long it has been slower than the sleep speed
    bool continuous;     // does not pass through things when it is fast
    uint8_t held;        // for how many steps it was stopped where it was
    bool lost_before;    // its motion was not finite in the last step
    int sleeping_island; // or CN_NONE
    // lists
    int first_shape, last_shape, shape_count;
    int first_contact, contact_count; // key of a contact edge: contact * 2 + side
    int static_count;                 // of them, those with static bodies
    int surface_count;                // and those with shapes of many parts, its own or others'
    int path; // number of its path in world->paths, from 1; 0: none
} cn_body;

typedef struct cn_shape {
    uint16_t generation;
    bool used;
    bool contact_events, hit_events, modify;
    int sensor;               // index in world->sensors, or CN_NONE
    uint64_t looking;         // its box is new or grew: in which round of pairs it looks for new ones, see cn_is_looking
    uint64_t changed_step;    // in which step it was last made, moved by the user, or given another filter
    int body, next, previous; // in the body's list
    // What every pair of every step asks for lies together, up to the type of the convex.
    cn_box3 fat_box;
    bool aimed;       // it is that of the ball around it on the way `aim` of the next step; see cn_shapes_stay_apart
    bool centered;    // `pose` is the frame of the body's centre of mass
    float room;       // how far the shape may move before its box must be looked at again, m
    float reach;      // largest distance of its surface from the centre of mass
    float size;       // and from its own middle
    float margin;     // contacts are made when shapes come closer than this, m; follows the shape's size
    float box_margin; // the same where boxes are made; a composite shape leaves its contacts to the margin of the other
    cn_convex convex;       // of a composite shape only its type is set
    cn_composite composite; // of many parts, see cn_is_composite
    int hull;               // index of the shared hull, or CN_NONE
    cn_pose offset; // in the body's frame
    cn_pose pose;   // in the frame of the body's centre of mass
    float density;
    cn_material material;
    cn_material *materials; // of the parts of a composite shape
    int material_count;
    cn_filter filter;
    void *user_data;
    cn_vec3 aim;
    int32_t proxy; // leaf of the tree of its body's type
} cn_shape;

typedef struct cn_shared_hull {
    uint16_t generation;
    bool used;
    bool destroyed; // by the user; stays until no shape uses it
    int users;
    cn_polyhedron *polyhedron;
} cn_shared_hull;

typedef struct cn_contact_edge {
    int next, previous;
} cn_contact_edge;

// Where the contact points are fixed to the surface of each body, in the frame of its centre of mass: rows x, y, z, one column
// per point.
typedef struct cn_anchors {
    _Alignas(16) float a[3][CN_MAX_POINTS];
    float b[3][CN_MAX_POINTS];
    uint32_t feature[CN_MAX_POINTS];
} cn_anchors;

static inline cn_vec3 cn_get_anchor(const float rows[3][CN_MAX_POINTS], int i)
{
    return cn_v3(rows[0][i], rows[1][i], rows[2][i]);
}
static inline void cn_set_anchor(float rows[3][CN_MAX_POINTS], int i, cn_vec3 p)
{
    rows[0][i] = p.x, rows[1][i] = p.y, rows[2][i] = p.z;
}

// One place where two shapes touch: points with a normal in common.
typedef struct cn_touch {
    cn_patch patch; // what the solver sees
    cn_anchors anchors;
    cn_vec3 local_normal; // in the frame of a's centre of mass
    uint16_t material;    // of the part of a that it touches
    bool disabled;        // by the user, in this step
} cn_touch;

// What the materials of both shapes make together.
typedef struct cn_mix {
    float friction, kinetic_friction, restitution, rolling_arm, spin_arm;
    bool has_surface_velocity;
    uint8_t grain; // which of the two has the grain that counts
} cn_mix;
enum { CN_GRAIN_NONE, CN_GRAIN_A, CN_GRAIN_B };

// Two convex shapes touch in one place at most. A composite shape, which is always shape a, may touch in several. Eight cache lines.
typedef struct cn_contact {
    cn_touch touch; // the first place
    cn_touch *more; // the others
    int shape_a, shape_b, body_a, body_b;
    cn_contact_edge edges[2];
    int awake; // index in world->awake_contacts, or CN_NONE
    uint8_t touch_count; // places with points
    uint8_t more_capacity;
    bool used : 1, touching : 1, disjoint : 1;
    bool grazes : 1;   // overlaps, though only with ghosts
    bool speaks : 1;   // contact events are wanted
    bool hits : 1;     // hit events are wanted
    bool modifies : 1; // the user may change it in every step
    bool disabled : 1; // and has disabled all its places in this one
    cn_mix mix;
    cn_pose last_pose; // of b's centre frame in a's, when the manifold was last computed in full
    float covered;     // separations up to this were looked at then; negative: never computed
    float inverse_size; // of the smaller shape, 1/m
    cn_pair_cache cache;
} cn_contact;
_Static_assert(sizeof(cn_contact) <= 512, "walking over all contacts is bound by memory");

static inline cn_touch *cn_contact_touch(const cn_contact *contact, int i)
{
    return i == 0 ? (cn_touch *)&contact->touch : &contact->more[i - 1];
}

// Whether the bodies hang together by it.
static inline bool cn_contact_holds(const cn_contact *contact) { return contact->touching && !contact->disabled; }

// Spring, motor, friction and stop of each degree of freedom.
enum { CN_MOST_JOINT_ROWS = 4 * CN_DOF_COUNT };

typedef struct cn_joint {
    cn_solver_joint view; // what the solver sees; its rows belong to the joint
    // Most of what a step asks for lies together, up to the frames of the definition.
    int body_a, body_b;   // CN_NONE: the world
    double turns[2]; // angles that are followed over more than one turn, rad: the twist, or those of the two sides of a coupling
    uint64_t turns_step; // after which step they were measured
    float solved_dt; // of the step that it was last solved in, s; 0: never
    float load, pull; // what its locks carry, see joint_load.c, m/s^2; negative: not known yet
    float row_load;   // likewise its rigid motors, limits and friction
    float slow_time;  // how long its bodies have been slow, s, see joint_load.c
    bool heavy, grips; // one of both is much; the second is
    bool yields; // a body of it has locked axes: its view lacks what they forbid, see joint_yield.c,
    bool jammed; // and they do not let all of its motors, limits and friction act at once
    uint16_t generation;
    bool used;
    cn_joint_def def;
    cn_contact_edge edges[2];
    // Couplings: the rotations that the angles count from, x y z w; and where frame b of a rack was, and the direction of its x axis.
    double references[2][4];
    cn_pos3 start;
    cn_vec3 direction;
} cn_joint;

// The body at the other end than `side`; CN_NONE: the world.
static inline int cn_joint_partner(const cn_joint *joint, int side) { return side == 0 ? joint->body_b : joint->body_a; }
// What is asked of every joint in a step, apart from the joints, which are large.
enum { CN_JOINT_AWAKE = 1, CN_JOINT_BREAKS = 2 }; // a dynamic body of it is awake; it may break

// What a sensor saw when it last looked, and what it sees now; sorted.
typedef struct cn_sensor {
    int shape;
    CN_ARRAY(cn_shape_id) visitors;
    CN_ARRAY(cn_shape_id) found;
} cn_sensor;

typedef struct cn_sleeping_island {
    int *bodies; // allocated
    int count;   // 0: free slot
} cn_sleeping_island;

// A contact with at least one awake body. What is near without touching is not looked at until its bodies have travelled up to the
// limit together.
typedef struct cn_awake_contact {
    double limit; // m
    int contact, travel_a, travel_b; // and the travels of its bodies
    bool modifies; // of the contact
    bool whips;    // cn_pair_whips; where nothing touches
} cn_awake_contact;
#define CN_LOOK_ALWAYS (-(double)INFINITY)

typedef struct cn_travel {
    double total; // m that any point of the body has moved at most
    float stir;   // m that it can move in this step
    int body;     // whose it is
} cn_travel;
typedef struct cn_place {
    cn_pos3 center;
    cn_quat rotation;
} cn_place;

// What a body did in a step: from where, and by how much.
typedef struct cn_motion {
    cn_place start;
    cn_vec3 spin; // angular velocity after all pushes, before it turned
    cn_vec3 moved, turned;
    bool fast;    // continuous.c looks at its path
    bool aimed;   // its boxes are made afterwards, see cn_aim_shapes
    bool strayed; // a fast body left the boxes in which its pairs were looked for, or the way it was aimed along
    cn_box3 path; // then the box around the paths of its shapes that did
} cn_motion;

// New pairs that one task found.
typedef CN_ARRAY(uint64_t) cn_pair_list;

struct cn_world {
    cn_world_def def; // allocator and tasks point to the copies below
    cn_allocator allocator;
    cn_task_system task_system;
    uint16_t tag; // of this world's ids
    cn_pos3 origin; // what the boxes in the trees are relative to: a world far from zero is as precise as one near it
    bool stepping;
    int callbacks; // of queries, that run now: they may ask, but change nothing; atomic, for batches ask on several threads
    const cn_solver *solver;
    const struct cn_wide_kernels *kernels;
    cn_tasks *tasks;
    struct cn_scratch *scratch;
    cn_arena arena; // emptied at every step

    CN_ARRAY(cn_body) bodies;
    CN_ARRAY(int) free_bodies;
    CN_ARRAY(cn_shape) shapes;
    CN_ARRAY(int) free_shapes;
    CN_ARRAY(cn_shared_hull) hulls;
    CN_ARRAY(int) free_hulls;
    CN_ARRAY(cn_contact) contacts;
    CN_ARRAY(int) free_contacts;
    CN_ARRAY(cn_joint) joints;
    CN_ARRAY(int) free_joints;
    CN_ARRAY(uint8_t) joint_marks; // per joint: CN_JOINT_AWAKE, CN_JOINT_BREAKS
    int body_count, contact_count, joint_count;

    cn_found_patch *found; // in this step: the patches that are to be solved
    int found_count;
    cn_found_joint *found_joints; // and the joints
    int found_joint_count;
    CN_ARRAY(int) awake;          // dynamic and kinematic bodies that move, by body index
    CN_ARRAY(cn_awake_contact) awake_contacts;
    int apart_count;             // of them, without points in the last step
    CN_ARRAY(cn_travel) travels; // of bodies that may move, by cn_body.travel; the first is that of all others
    CN_ARRAY(cn_place) places;   // likewise: where the body was when its travel was measured
    CN_ARRAY(int) moved_shapes;   // their boxes grew or are new: they look for pairs
    CN_ARRAY(cn_pair_list) pair_lists; // one per task; empty between steps, kept for their memory
    uint64_t pair_round;          // the number of the next search for pairs, from 1
    CN_ARRAY(cn_sleeping_island) sleeping_islands;
    CN_ARRAY(int) free_sleeping_islands;

    cn_tree static_tree, moving_tree;
    struct cn_pair_set *pairs; // pairs of shapes that have a contact
    cn_ignore_table ignored_bodies, ignored_shapes;

    CN_ARRAY(cn_touch_event) begin_events;
    CN_ARRAY(cn_touch_event) end_events;
    CN_ARRAY(cn_touch_event) pending_end_events; // made between steps by destruction
    CN_ARRAY(cn_hit_event) hit_events;
    CN_ARRAY(cn_move_event) move_events;
    CN_ARRAY(cn_joint_event) joint_events;
    CN_ARRAY(cn_body_path) paths;
    CN_ARRAY(cn_path_event) path_events;
    CN_ARRAY(cn_sensor) sensors;
    CN_ARRAY(cn_sensor_event) sensor_begin_events;
    CN_ARRAY(cn_sensor_event) sensor_end_events;
    CN_ARRAY(cn_sensor_event) pending_sensor_end_events; // of sensors that were destroyed between steps
    CN_ARRAY(cn_sleep_event) sleep_events;
    CN_ARRAY(cn_sleep_event) pending_sleep_events; // made between steps by waking and putting to sleep
    CN_ARRAY(int) color_histogram;
    CN_ARRAY(cn_island_report) island_reports;
    bool capture;         // keep the problem of each step
    cn_problem *captured; // of the last one, until it is taken

    bool hits_wanted; // by any contact so far
    uint64_t step_count;
    float last_dt;         // s
    float fall;            // how far gravity alone moved a body at rest in the last step, m
    cn_step_report report; // of the last step
};

// ---- ids (ids.c): NULL or CN_NONE, with cn_last_error(), when the id is null, stale or of another world
cn_body *cn_find_body(const cn_world *world, const char *function, cn_body_id id);
cn_body *cn_find_named_body(const cn_world *world, const char *function, const char *field, cn_body_id id); // says which
cn_shape *cn_find_shape(const cn_world *world, const char *function, cn_shape_id id);
cn_shared_hull *cn_find_hull(const cn_world *world, const char *function, cn_hull_id id);
cn_body_id cn_body_id_of(const cn_world *world, int body);
cn_shape_id cn_shape_id_of(const cn_world *world, int shape);
cn_hull_id cn_hull_id_of(const cn_world *world, int hull);
bool cn_has_generations(uint16_t generation); // whether a slot that is free may be used again
bool cn_check_world(const cn_world *world, const char *function); // false, with cn_last_error(), when it is NULL
// False, with cn_last_error(), when the world is NULL or in the middle of a step; to be changed, nor may it be in the middle of a query.
bool cn_check_askable(const cn_world *world, const char *function);
bool cn_check_writable(const cn_world *world, const char *function);
cn_body *cn_find_writable_body(cn_world *world, const char *function, cn_body_id id);
cn_shape *cn_find_writable_shape(cn_world *world, const char *function, cn_shape_id id);

// ---- hulls (hull.c)
void cn_hull_release_unused(cn_world *world, int hull); // if the user destroyed it and no shape uses it

// ---- shapes (shape.c)
// Whether the shape looks for new pairs in the next search.
static inline bool cn_is_looking(const cn_world *world, const cn_shape *shape) { return shape->looking == world->pair_round; }
static inline bool cn_is_composite(const cn_shape *shape) { return shape->convex.type > CN_HULL; }
// The convex form of a geometry. False, with cn_last_error(), when a size is bad or it is no convex one. (geometry.c)
bool cn_make_convex(const cn_world *world, const char *function, const char *field, const cn_geometry *geometry, cn_convex *convex);
bool cn_shape_use_geometry(const cn_world *world, const char *function, const cn_geometry *geometry, cn_shape *shape);
void cn_shape_local_bounds(const cn_shape *shape, cn_pose pose, cn_vec3 *lower, cn_vec3 *upper); // at a pose
float cn_shape_outer_radius(const cn_shape *shape, cn_vec3 point); // distance of its farthest part from a point of its frame
void cn_shape_add_proxy(cn_world *world, int shape); // enters the tree of its body's type and looks for pairs
void cn_shape_remove_proxy(cn_world *world, int shape);
// Whether two shapes of fast bodies pass each other by in the next step: as long as both go where they are aimed at (boxes.c).
bool cn_shapes_stay_apart(const cn_world *world, const cn_shape *a, const cn_shape *b);
void cn_shape_look_for_pairs(cn_world *world, int shape);                         // in the next step
void cn_shape_refresh(cn_world *world, int shape);                                // after its body was moved: fat box, pairs
void cn_shape_wake_overlapping(cn_world *world, int shape);                       // every body whose box meets the shape's
void cn_shape_release_shared(cn_world *world, cn_shape *shape); // hull, mesh, materials
void cn_shape_release(cn_world *world, int shape);                                // contacts, proxy, list entry, hull
cn_bounds cn_shape_bounds_at(const cn_shape *shape, cn_pos3 center, cn_quat rotation); // with its body there
cn_bounds cn_shape_bounds(const cn_world *world, const cn_shape *shape);          // tight box where it is
cn_box3 cn_world_box(const cn_world *world, const cn_bounds *bounds, float margin); // as the trees have it, rounded outwards
cn_box3 cn_shape_box(const cn_world *world, const cn_shape *shape, float margin); // tight box where it is, grown by margin

// ---- bodies (body.c)
static inline cn_pos3 cn_body_origin(const cn_body *body)
{
    return cn_pos_add(body->center, cn_neg(cn_rotate(body->rotation, body->local_center)));
}
void cn_body_update_mass(cn_world *world, int body); // from its shapes, unless overridden
void cn_body_sum_mass(const cn_world *world, const cn_body *body, cn_mass *mass); // of its shapes
// Adds the mass of a shape. False, with cn_last_error(), when that or the sum is too large or too small to compute with.
bool cn_shape_add_mass(const char *function, const cn_body *body, const cn_shape *shape, cn_mass *sum);
void cn_body_use_mass(cn_world *world, int body, const cn_mass *mass);               // moves the centre of mass, not the body
void cn_body_refresh_shapes(cn_world *world, int body);                              // after it was moved: boxes, pairs
cn_sym3 cn_body_world_inverse_inertia(const cn_body *body);                          // locks applied
cn_body *cn_find_dynamic_body(cn_world *world, const char *function, cn_body_id id); // and writable
bool cn_check_mass(const char *function, const char *field, const cn_mass *mass);
bool cn_check_locks(const char *function, const char *field, uint32_t locks);
bool cn_check_body_type(const char *function, const char *field, cn_body_type type);
void cn_body_apply_locks(cn_body *body); // stops what the locks forbid

// ---- limits of bodies (body_limits.c)
bool cn_check_sleep_speed(const char *function, const char *field, float speed);
bool cn_check_speed_limit(const char *function, const char *field, float limit);
static inline float cn_body_linear_limit(const cn_body *body)
{
    return body->type == CN_DYNAMIC ? cn_minf(body->max_linear_speed, CN_MAX_SPEED) : CN_MAX_SPEED;
}
static inline float cn_body_angular_limit(const cn_body *body)
{
    return body->type == CN_DYNAMIC ? cn_minf(body->max_angular_speed, CN_MAX_SPEED) : CN_MAX_SPEED;
}
void cn_body_limit_speeds(cn_body *body);
void cn_body_set_in_motion(cn_world *world, int body); // boxes.c: the user has changed its velocity

// The state of a body for the solver, as cn_found_patch has it before states are laid out.
static inline int32_t cn_encode_body(const cn_body *body)
{
    if (body->awake == CN_NONE)
        return CN_UNMOVING;
    return body->type == CN_DYNAMIC ? body->awake : CN_KINEMATIC_STATE(body->awake);
}

// ---- contacts (contact.c)
int cn_contact_create(cn_world *world, int shape_a, int shape_b);
void cn_contact_destroy(cn_world *world, int contact); // ends touching with an event
void cn_contact_mix_materials(cn_world *world, cn_contact *contact);
cn_mix cn_mix_materials(const cn_material *a, const cn_material *b);
void cn_contact_set_awake(cn_world *world, int contact, bool awake);
bool cn_filters_meet(const cn_shape *a, const cn_shape *b); // by filter, body and kind of shape
// And by type of body, joints, and what the user set for the pair; sensors touch nothing.
bool cn_shapes_may_touch(const cn_world *world, const cn_shape *a, const cn_shape *b);
bool cn_shapes_collide(const cn_world *world, const cn_shape *a, const cn_shape *b);   // and they push each other

// Where a contact point is now, from its anchors (body_contacts.c).
typedef struct cn_contact_place {
    cn_pos3 position;
    float separation;
} cn_contact_place;
cn_vec3 cn_touch_normal(const cn_world *world, const cn_contact *contact, const cn_touch *touch); // in world axes
cn_contact_place cn_touch_point_now(const cn_world *world, const cn_contact *contact, const cn_touch *touch, cn_vec3 normal,
                                    int point);

// The material of a part of a shape; a convex shape has one for all.
static inline const cn_material *cn_part_material(const cn_shape *shape, int index)
{
    return shape->material_count > 0 ? &shape->materials[index] : &shape->material;
}
// What the materials of the place make together.
static inline cn_mix cn_touch_mix(const cn_world *world, const cn_contact *contact, const cn_touch *touch)
{
    const cn_shape *a = &world->shapes.data[contact->shape_a], *b = &world->shapes.data[contact->shape_b];
    return a->material_count > 0 ? cn_mix_materials(&a->materials[touch->material], &b->material) : contact->mix;
}
// The velocity of b against a that friction drives towards, in world axes.
cn_vec3 cn_touch_surface_velocity(const cn_world *world, const cn_contact *contact, const cn_touch *touch);
// What friction drives towards in this step, for the patch, whose points are set.
void cn_touch_set_surface_velocity(const cn_world *world, const cn_contact *contact, cn_touch *touch, const cn_mix *mix, float dt);
// How the grain lies in the tangent plane of the patch, whose normal is set.
void cn_touch_set_grain(const cn_world *world, const cn_contact *contact, cn_touch *touch, const cn_mix *mix);

// The patch of a touch for this step: `between` is from the centre of a to that of b, `motion` that of cn_look_ahead. Returns the
// smallest separation. (contact_patch.c)
float cn_touch_fill_patch(const cn_world *world, const cn_contact *contact, cn_touch *touch, cn_vec3 between, float motion, float dt);

// ---- sensors (sensor.c)
void cn_sensor_add(cn_world *world, int shape);
void cn_sensor_remove(cn_world *world, int shape); // its visitors leave, in the next step's list
void cn_sensors_free(cn_world *world);

// ---- manifolds (manifold.c)
// Computes the places where the shapes touch anew, for b's centre frame in a's. Returns up to which distance the pair was looked at in
// all directions: what the scope asks for at least, when there are points. `slack` is looked at beyond that.
float cn_contact_compute(const cn_world *world, cn_contact *contact, cn_pose b_in_a, const cn_scope *scope, float slack);
// How far two bodies close in this step, m, where they strike each other within it; more, rather than less, where they have no points
// yet. 0: they do not. (blow.c)
float cn_blow_between(const cn_world *world, const cn_contact *contact, float dt);
// How far bodies can be struck in this step by what they touch or may meet, m, by number of travel; of use for those on surfaces only.
// Lives as long as the step. (scope.c)
float *cn_find_blows(cn_world *world, float dt);
// How far ahead a pair is looked at that needs `most` if it may come from anywhere. (scope.c)
cn_scope cn_find_scope(const cn_world *world, const cn_contact *contact, cn_vec3 between, const float *blows, float most, float dt);
// Whether a manifold of two solids, for shape b's frame in shape a's, is at an edge that is none, because another shape goes on
// there. Turns its normal where it only leans a little. (ghost.c)
bool cn_is_ghost(const cn_world *world, const cn_contact *contact, cn_pose b_in_a, cn_manifold *manifold);
// The same for a place where a moving shape, whose centre is then at `center`, hits one that is static.
bool cn_is_ghost_hit(const cn_world *world, const cn_shape *slider, const cn_shape *touched, cn_pos3 point, cn_pos3 center,
                     cn_vec3 normal);

// ---- travel (travel.c)
// False when so few pairs are near without touching that it does not pay: then no limit holds in this step.
bool cn_measure_travel(cn_world *world, float dt);
void cn_travel_begin(cn_world *world, int body); // before it has contacts, when it is made or gets another type
void cn_contacts_look_again(cn_world *world, int body); // after it was moved by the user

// ---- how far ahead pairs are looked at (look_ahead.c)
// How far a body may move against its neighbours in this step after one of them, or what it hits itself, has thrown it, m, by
// cn_body.travel; NULL when nothing is that fast. For this step only.
float *cn_find_thrown(cn_world *world, float dt);
// The separation up to which two are looked at that can move against each other by `motion` in this step, m; `margin` is the smaller
// of their shapes' margins.
float cn_look_ahead(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b, float margin,
                    float motion, const float *thrown);
// They may be looked at CN_WHIP times as far ahead as they can move.
bool cn_pair_whips(const cn_body *a, const cn_body *b, const cn_shape *shape_a, const cn_shape *shape_b);

// ---- names (names.c): NULL, with cn_last_error(), when no solver has the name
const cn_solver *cn_check_solver(const char *function, const char *field, const char *name);

// ---- joints
cn_joint *cn_find_joint(const cn_world *world, const char *function, cn_joint_id id); // ids.c
cn_joint *cn_find_writable_joint(cn_world *world, const char *function, cn_joint_id id);
cn_joint_id cn_joint_id_of(const cn_world *world, int joint);
void cn_joint_release(cn_world *world, int joint);               // joint.c: wakes its bodies, lets them collide again
bool cn_joints_let_collide(const cn_world *world, int a, int b); // joint.c: false when a joint between the bodies forbids it
void cn_bodies_end_contacts(cn_world *world, int a, int b);      // joint.c: those between the two
void cn_bodies_look_for_pairs(cn_world *world, int a, int b);    // joint.c: after they may collide again
void cn_joints_mark_awake(cn_world *world, int body);            // joint.c: after the body woke or fell asleep
void cn_joint_forget_forces(cn_joint *joint);
void cn_joints_forget_forces(cn_world *world, int body);         // joint.c: of the body's joints
// After its definition or the locks of its bodies changed; forces stay where they can (joint_rows.c).
void cn_joint_layout_rows(cn_world *world, cn_joint *joint);
void cn_joints_use_locks(cn_world *world, int body); // joint.c: of the body
void cn_joint_free_rows(cn_world *world, cn_joint *joint);
// Its places count from where the bodies are now: after it was made, or its frames were changed (joint_view.c).
void cn_joint_start(const cn_world *world, cn_joint *joint);
// The solver's view of a joint, from where its bodies are; forces stay. The second leaves the rows as they are, and fills in the
// rotations of ball joints too: for getters, on a copy of the joint.
void cn_joint_update_view(cn_world *world, cn_joint *joint);
void cn_joint_measure(const cn_world *world, cn_joint *joint);
cn_vec3 cn_joint_turn(const cn_world *world, const cn_joint *joint); // twist, swing y, swing z now, each within +-pi
// Of its locks, or of those that nothing softens and no locked axis of a body contradicts.
cn_joint_error cn_joint_error_now(const cn_world *world, const cn_joint *joint, bool held_only);
float cn_joint_place(const cn_world *world, const cn_joint *joint, int dof); // now, m or rad; the twist is followed over turns
float cn_joint_speed(const cn_world *world, const cn_joint *joint, int dof); // now, m/s or rad/s

// ---- sleep (sleep.c)
void cn_body_add_awake(cn_world *world, int body);
void cn_body_remove_awake(cn_world *world, int body);
void cn_order_awake(cn_world *world);             // by their numbers
void cn_wake_body(cn_world *world, int body);     // with its island
void cn_wake_touching(cn_world *world, int body); // every body that touches it or is tied to it
bool cn_put_to_sleep(cn_world *world, int body);  // with all that hangs together with it; false if something there must not sleep
void cn_wake_all(cn_world *world);

// ---- pairs (pairs.c)
struct cn_pair_set *cn_pair_set_create(const cn_allocator *allocator);
void cn_pair_set_destroy(struct cn_pair_set *set);
bool cn_pair_set_add(struct cn_pair_set *set, int a, int b); // false when it is there
void cn_pair_set_remove(struct cn_pair_set *set, int a, int b);
bool cn_pair_set_contains(const struct cn_pair_set *set, int a, int b);
void cn_pair_set_reserve(struct cn_pair_set *set, int count);
void cn_reserve_pair_lists(cn_world *world, int shapes, int contacts);

// ---- capacity (capacity.c)
bool cn_check_capacity(const char *function, const cn_capacity *capacity);
void cn_world_reserve(cn_world *world, const cn_capacity *capacity);

// ---- rotation (spin.c)
// Its axis of rotation changes by itself.
static inline bool cn_body_tumbles(const cn_body *body)
{
    return body->gyroscopic && (body->locks & (CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Y | CN_LOCK_ANGULAR_Z)) == 0;
}
// Advances rotation and angular velocity of such a body while nothing touches it; its energy and angular momentum stay.
void cn_rotate_freely(const cn_body *body, float dt, cn_quat *rotation, cn_vec3 *angular_velocity);
// Whether two of its moments are equal; then how fast its axis turns about the angular momentum, rad/s.
bool cn_is_symmetric_top(const cn_body *body, cn_quat rotation, cn_vec3 angular_velocity, cn_vec3 *precession);
// Its own axis, in its frame: turning about it makes no or little difference to its inertia. False: it has none.
bool cn_body_axis(const cn_body *body, cn_vec3 *axis);
// Who turns farther than this in a step, in rad, keeps its axis.
#define CN_MOST_FREE_TURN 25.6f
// The most a body turns in a step, in rad, that is pushed and yet turns about changing axes.
#define CN_MOST_PUSHED_TURN 8.0f
// The same where no joint holds it. What turns farther gets its pushes first and then turns freely.
#define CN_MOST_STEADY_TURN 0.5f
// How the angular velocity of a gyroscopic body changes by itself, rad/s^2, on average over dt; of a round one without joints seen from its
// axis, which it turns along with when the step ends.
cn_vec3 cn_gyroscopic_acceleration(const cn_body *body, bool jointed, float dt);
uint8_t cn_find_round_axis(const cn_world *world, const cn_body *body); // for cn_body.round_about
cn_quat cn_far_turn(cn_vec3 turned); // by any number of whole turns and a rest
// The axis of a round body, as a unit vector in world axes.
cn_vec3 cn_round_axis(const cn_body *body);
// The part of a turn or angular velocity that moves the surface of a round body; all of it for others.
cn_vec3 cn_swing(const cn_body *body, cn_vec3 turn);

// ---- the stages of a step, in their order (step.c)
void cn_update_pairs(cn_world *world);                       // pairs.c
void cn_update_contacts(cn_world *world, float dt);          // contact_update.c
void cn_modify_contacts(cn_world *world);                    // modify.c
void cn_update_joints(cn_world *world, float dt);             // joint_update.c: views of awake joints, found_joints
void cn_break_joints(cn_world *world, float dt);              // joint_update.c: those that carried too much
void cn_joint_note_load(const cn_world *world, cn_joint *joint, float gravity, cn_found_joint *found); // joint_load.c: once per step
uint32_t cn_pair_order(const cn_contact *contact);           // islands.c: of patches of one body
void cn_build_units(cn_world *world, cn_solve_input *input); // islands.c, states.c, colors.c
void cn_capture_problem(cn_world *world, const cn_solve_input *input); // accuracy.c
void cn_report_accuracy(cn_world *world, const cn_solve_input *input);
void cn_report_hits(cn_world *world);                        // finish.c
void cn_store_bodies(cn_world *world, const cn_solve_input *input);
// Bodies turn about changing axes. Makes the steady turn of a fast one end where the body did (fast.c), so that what is
// found on its path is true of where it is in the end.
void cn_match_turn(const cn_body *body, cn_motion *motion);
// The shape moved further than its size: continuous.c looks at its path.
bool cn_is_fast_shape(const cn_body *body, const cn_shape *shape, const cn_motion *motion);
bool cn_is_fast(const cn_world *world, const cn_body *body, const cn_motion *motion); // one of its shapes is
void cn_spread_stops_over_joints(cn_world *world, cn_motion *motions, float *fractions); // joint_spread.c: per awake body, of its path
void cn_stop_at_impacts(cn_world *world, const cn_solve_input *input, cn_motion *motions); // continuous.c
void cn_update_sensors(cn_world *world); // sensor.c
void cn_update_sleep(cn_world *world);

#endif
