// Joints. A definition travels as kind, frames, cone, grounds, ratio, collide and breaking, then the six degrees of freedom, then all
// three rotations at once;
// its bodies travel as ids, 0 for the world.
#include "base/error.h"
#include "bridge.h"
#include "world/world.h"

// Functions that answer numbers leave no sentence behind unless they are refused.
static void forget_errors(void) { cn_fail("%s", ""); }
static bool went_well(void) { return cn_last_error()[0] == '\0'; }

// ---- definitions

static void put_frame(letter *l, cn_transform frame) { put_place(l, frame.position), put4(l, frame.rotation); }

static cn_transform take_frame(letter *l)
{
    cn_transform frame;
    frame.position = take_place(l), frame.rotation = take4(l);
    return frame;
}

static void put_axis(letter *l, const cn_joint_axis *axis)
{
    put(l, axis->freedom), put(l, (double)axis->lower), put(l, (double)axis->upper);
    put(l, (double)axis->hertz), put(l, (double)axis->damping_ratio);
    put(l, (double)axis->spring_stiffness), put(l, (double)axis->spring_damping), put(l, (double)axis->spring_rest);
    put(l, axis->motor), put(l, (double)axis->motor_target), put(l, (double)axis->motor_max_force);
    put(l, (double)axis->motor_hertz), put(l, (double)axis->motor_damping_ratio), put(l, (double)axis->friction);
}

static cn_joint_axis take_axis(letter *l)
{
    cn_joint_axis axis;
    axis.freedom = (cn_freedom)takei(l), axis.lower = takef(l), axis.upper = takef(l);
    axis.hertz = takef(l), axis.damping_ratio = takef(l);
    axis.spring_stiffness = takef(l), axis.spring_damping = takef(l), axis.spring_rest = takef(l);
    axis.motor = (cn_motor_mode)takei(l), axis.motor_target = takef(l), axis.motor_max_force = takef(l);
    axis.motor_hertz = takef(l), axis.motor_damping_ratio = takef(l), axis.friction = takef(l);
    return axis;
}

static void put_ball(letter *l, const cn_joint_ball *ball)
{
    put(l, ball->motor), put3(l, ball->motor_velocity), put4(l, ball->motor_rotation), put(l, (double)ball->motor_max_torque);
    put(l, (double)ball->motor_hertz), put(l, (double)ball->motor_damping_ratio), put(l, (double)ball->friction);
}

static cn_joint_ball take_ball(letter *l)
{
    cn_joint_ball ball;
    ball.motor = (cn_motor_mode)takei(l), ball.motor_velocity = take3(l), ball.motor_rotation = take4(l);
    ball.motor_max_torque = takef(l), ball.motor_hertz = takef(l), ball.motor_damping_ratio = takef(l), ball.friction = takef(l);
    return ball;
}

static void put_def(const cn_joint_def *def)
{
    letter l = { 0 };
    put(&l, def->kind), put_frame(&l, def->frame_a), put_frame(&l, def->frame_b), put(&l, def->cone);
    put_place(&l, def->ground_a), put_place(&l, def->ground_b), put(&l, (double)def->ratio);
    put(&l, def->collide), put(&l, (double)def->break_force), put(&l, (double)def->break_torque);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        put_axis(&l, &def->axes[i]);
    put_ball(&l, &def->ball);
}

static cn_joint_def take_def(void)
{
    cn_joint_def def = cn_joint_def_default();
    letter l = { 0 };
    def.kind = (cn_joint_kind)takei(&l), def.frame_a = take_frame(&l), def.frame_b = take_frame(&l), def.cone = takeb(&l);
    def.ground_a = take_place(&l), def.ground_b = take_place(&l), def.ratio = takef(&l);
    def.collide = takeb(&l), def.break_force = takef(&l), def.break_torque = takef(&l);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        def.axes[i] = take_axis(&l);
    def.ball = take_ball(&l);
    return def;
}

void EXPORT(joint_defaults)(void)
{
    cn_joint_def def = cn_joint_def_default();
    put_def(&def);
}

// ---- presets, in the order in which web/package/joint.js lists them

typedef struct sides {
    const cn_world *world;
    cn_body_id a, b;
} sides;
#define SIDES s->world, s->a, s->b

static cn_joint_def ball(const sides *s, letter *l) { return cn_ball_joint(SIDES, take_place(l)); }
static cn_joint_def fixed(const sides *s, letter *l) { return cn_fixed_joint(SIDES, take_place(l)); }

static cn_joint_def cone_twist(const sides *s, letter *l)
{
    cn_pos3 anchor = take_place(l);
    cn_vec3 axis = take3(l);
    float swing = takef(l), twist = takef(l);
    return cn_cone_twist_joint(SIDES, anchor, axis, swing, twist);
}

// Those of an anchor and an axis.
#define PRESET_ABOUT_AXIS(name, function)                                                                                      \
    static cn_joint_def name(const sides *s, letter *l)                                                                        \
    {                                                                                                                          \
        cn_pos3 anchor = take_place(l);                                                                                        \
        return function(SIDES, anchor, take3(l));                                                                              \
    }
PRESET_ABOUT_AXIS(hinge, cn_hinge_joint)
PRESET_ABOUT_AXIS(slider, cn_slider_joint)
PRESET_ABOUT_AXIS(cylindrical, cn_cylindrical_joint)
PRESET_ABOUT_AXIS(planar, cn_planar_joint)

static cn_joint_def distance(const sides *s, letter *l)
{
    cn_pos3 anchor_a = take_place(l), anchor_b = take_place(l);
    return cn_distance_joint(SIDES, anchor_a, anchor_b);
}

static cn_joint_def rope(const sides *s, letter *l)
{
    cn_pos3 anchor_a = take_place(l), anchor_b = take_place(l);
    return cn_rope_joint(SIDES, anchor_a, anchor_b, takef(l));
}

static cn_joint_def spring(const sides *s, letter *l)
{
    cn_pos3 anchor_a = take_place(l), anchor_b = take_place(l);
    float stiffness = takef(l), damping = takef(l);
    return cn_spring_joint(SIDES, anchor_a, anchor_b, stiffness, damping);
}

static cn_joint_def wheel(const sides *s, letter *l)
{
    cn_pos3 anchor = take_place(l);
    cn_vec3 up = take3(l), axle = take3(l);
    float stiffness = takef(l), damping = takef(l);
    return cn_wheel_joint(SIDES, anchor, up, axle, stiffness, damping);
}

static cn_joint_def motor(const sides *s, letter *l)
{
    float hertz = takef(l), max_force = takef(l), max_torque = takef(l);
    return cn_motor_joint(SIDES, hertz, max_force, max_torque);
}

static cn_joint_def gear(const sides *s, letter *l)
{
    cn_vec3 axis_a = take3(l), axis_b = take3(l);
    return cn_gear_joint(SIDES, axis_a, axis_b, takef(l));
}

static cn_joint_def rack(const sides *s, letter *l)
{
    cn_vec3 axis = take3(l), direction = take3(l);
    return cn_rack_joint(SIDES, axis, direction, takef(l));
}

static cn_joint_def pulley(const sides *s, letter *l)
{
    cn_pos3 anchor_a = take_place(l), anchor_b = take_place(l), ground_a = take_place(l), ground_b = take_place(l);
    return cn_pulley_joint(SIDES, anchor_a, anchor_b, ground_a, ground_b, takef(l));
}

static cn_joint_def (*const presets[])(const sides *, letter *) = {
    ball, cone_twist, hinge, slider, cylindrical, planar, fixed, distance, rope, spring, wheel, motor, gear, rack, pulley,
};

// The definition that a preset makes of the numbers in the mail, in their place.
int EXPORT(joint_preset)(const bridge *b, int preset, uint64_t body_a, uint64_t body_b)
{
    sides s = { WORLD, UNPACK(cn_body_id, body_a), UNPACK(cn_body_id, body_b) };
    cn_joint_def def = presets[preset](&s, &(letter){ 0 });
    put_def(&def);
    return def.kind != CN_JOINT_KIND_COUNT;
}

// ---- life

uint64_t EXPORT(joint_create)(bridge *b, uint64_t body_a, uint64_t body_b)
{
    cn_joint_def def = take_def();
    def.body_a = UNPACK(cn_body_id, body_a), def.body_b = UNPACK(cn_body_id, body_b);
    cn_joint_id id = cn_joint_create(WORLD, &def);
    return PACK(id);
}

int EXPORT(joint_destroy)(bridge *b, uint64_t joint) { return cn_joint_destroy(WORLD, JOINT); }
int EXPORT(joint_is_valid)(const bridge *b, uint64_t joint) { return cn_joint_is_valid(WORLD, JOINT); }

int EXPORT(joint_get_def)(const bridge *b, uint64_t joint)
{
    forget_errors();
    cn_joint_def def = cn_joint_get_def(WORLD, JOINT);
    put_def(&def);
    return went_well();
}

uint64_t EXPORT(joint_get_body)(const bridge *b, uint64_t joint, int side)
{
    cn_joint_def def = cn_joint_get_def(WORLD, JOINT);
    return side == 0 ? PACK(def.body_a) : PACK(def.body_b);
}

int EXPORT(joint_get_axis)(const bridge *b, uint64_t joint, int dof)
{
    forget_errors();
    cn_joint_def def = cn_joint_get_def(WORLD, JOINT);
    put_axis(&(letter){ 0 }, &def.axes[dof]);
    return went_well();
}

int EXPORT(joint_set_axis)(bridge *b, uint64_t joint, int dof)
{
    cn_joint_axis axis = take_axis(&(letter){ 0 });
    return cn_joint_set_axis(WORLD, JOINT, (cn_dof)dof, &axis);
}

int EXPORT(joint_get_ball)(const bridge *b, uint64_t joint)
{
    forget_errors();
    cn_joint_def def = cn_joint_get_def(WORLD, JOINT);
    put_ball(&(letter){ 0 }, &def.ball);
    return went_well();
}

int EXPORT(joint_set_ball)(bridge *b, uint64_t joint)
{
    cn_joint_ball ball = take_ball(&(letter){ 0 });
    return cn_joint_set_ball(WORLD, JOINT, &ball);
}

int EXPORT(joint_set_motor)(bridge *b, uint64_t joint, int dof, int mode, float target, float max_force)
{
    return cn_joint_set_motor(WORLD, JOINT, (cn_dof)dof, (cn_motor_mode)mode, target, max_force);
}

int EXPORT(joint_set_limits)(bridge *b, uint64_t joint, int dof, float lower, float upper)
{
    return cn_joint_set_limits(WORLD, JOINT, (cn_dof)dof, lower, upper);
}

int EXPORT(joint_set_frames)(bridge *b, uint64_t joint)
{
    letter l = { 0 };
    cn_transform frame_a = take_frame(&l), frame_b = take_frame(&l);
    return cn_joint_set_frames(WORLD, JOINT, frame_a, frame_b);
}

int EXPORT(joint_set_break)(bridge *b, uint64_t joint, float force, float torque)
{
    return cn_joint_set_break(WORLD, JOINT, force, torque);
}

// ---- what it does

// Place and speed of one degree of freedom.
int EXPORT(joint_get_motion)(const bridge *b, uint64_t joint, int dof)
{
    letter l = { 0 };
    forget_errors();
    put(&l, (double)cn_joint_get_place(WORLD, JOINT, (cn_dof)dof));
    put(&l, (double)cn_joint_get_speed(WORLD, JOINT, (cn_dof)dof));
    return went_well();
}

int EXPORT(joint_get_rotation)(const bridge *b, uint64_t joint)
{
    forget_errors();
    put4(&(letter){ 0 }, cn_joint_get_rotation(WORLD, JOINT));
    return went_well();
}

int EXPORT(joint_get_reaction)(const bridge *b, uint64_t joint)
{
    letter l = { 0 };
    forget_errors();
    cn_joint_reaction r = cn_joint_get_reaction(WORLD, JOINT);
    put3(&l, r.force), put3(&l, r.torque), put_place(&l, r.point);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        put(&l, (double)r.axis_force[i]);
    for (int i = 0; i < CN_DOF_COUNT; i++)
        put(&l, (double)r.motor_force[i]);
    put3(&l, r.motor_torque);
    return went_well();
}

int EXPORT(joint_get_error)(const bridge *b, uint64_t joint)
{
    letter l = { 0 };
    forget_errors();
    cn_joint_error e = cn_joint_get_error(WORLD, JOINT);
    put(&l, (double)e.linear), put(&l, (double)e.angular);
    return went_well();
}

// ---- all of them

int EXPORT(world_joint_count)(const bridge *b) { return cn_world_get_joint_count(WORLD); }

int EXPORT(world_get_joints)(const bridge *b, uint64_t *ids, int capacity)
{
    return pack_ids(ids, cn_world_get_joints(WORLD, (cn_joint_id *)ids, capacity), capacity);
}

// How many broke in the last step. Of the first ones, `ids` gets joint, body a and body b, `loads` force and torque.
int EXPORT(world_joint_events)(const bridge *b, uint64_t *ids, double *loads, int capacity)
{
    int count;
    const cn_joint_event *events = cn_world_get_joint_events(WORLD, &count);
    for (int i = 0; i < count && i < capacity; i++) {
        ids[3 * i] = PACK(events[i].joint), ids[3 * i + 1] = PACK(events[i].body_a), ids[3 * i + 2] = PACK(events[i].body_b);
        loads[2 * i] = (double)events[i].force, loads[2 * i + 1] = (double)events[i].torque;
    }
    return count;
}

enum { JOINT_NUMBERS = 44 };

// The index of the joint, slots of its bodies or -1, kind, cone, frames, freedoms, limits and grounds.
static void write_joint(float *o, int index, const cn_joint *joint)
{
    const cn_joint_def *def = &joint->def;
    *o++ = (float)index, *o++ = (float)joint->body_a, *o++ = (float)joint->body_b, *o++ = (float)def->kind, *o++ = def->cone;
    const cn_transform *frames[2] = { &def->frame_a, &def->frame_b };
    for (int i = 0; i < 2; i++) {
        cn_pos3 p = frames[i]->position;
        cn_quat q = frames[i]->rotation;
        *o++ = (float)p.x, *o++ = (float)p.y, *o++ = (float)p.z, *o++ = q.x, *o++ = q.y, *o++ = q.z, *o++ = q.w;
    }
    for (int i = 0; i < CN_DOF_COUNT; i++)
        *o++ = (float)def->axes[i].freedom;
    for (int i = 0; i < CN_DOF_COUNT; i++)
        *o++ = def->axes[i].lower, *o++ = def->axes[i].upper;
    const cn_pos3 *grounds[2] = { &def->ground_a, &def->ground_b };
    for (int i = 0; i < 2; i++)
        *o++ = (float)grounds[i]->x, *o++ = (float)grounds[i]->y, *o++ = (float)grounds[i]->z;
    *o++ = 0.0f;
}

// Answers how many joints there are; world_joint_list() says where they are.
int EXPORT(world_gather_joints)(bridge *b)
{
    const cn_world *world = WORLD;
    float *o = bridge_room(&b->joints, world->joint_count, JOINT_NUMBERS * sizeof *o);
    for (int i = 0; i < world->joints.count; i++)
        if (world->joints.data[i].used)
            write_joint(o, i, &world->joints.data[i]), o += JOINT_NUMBERS;
    return world->joint_count;
}

const float *EXPORT(world_joint_list)(const bridge *b) { return b->joints.data; }
