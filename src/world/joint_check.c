// What a joint may be: checks of definitions, each with a sentence that names the function and the field.
#include "world/joint_check.h"
#include "world/check.h"
#include "world/joint_view.h"

// Beyond these, products with masses and substeps leave the range of float.
#define MAX_HERTZ 1e6f
#define MAX_DAMPING_RATIO 1e6f
#define MAX_STIFFNESS 1e20f // and damping, in the units of the degree of freedom
#define MAX_TARGET 1e8f     // of motors and springs: m or rad, m/s or rad/s
#define MAX_RATIO 1e6f      // of couplings; the smallest is its inverse

// The names of fields come in two parts, prefix and field, which are put together only when something is wrong.

static bool check_enum(const char *function, const char *prefix, const char *field, int value, int count)
{
    return (value >= 0 && value < count) ||
           cn_fail("%s: %s%s is %d; it must be between 0 and %d", function, prefix, field, value, count - 1);
}

static bool check_not_negative(const char *function, const char *prefix, const char *field, float value)
{
    return (isfinite(value) && value >= 0.0f) ||
           cn_fail("%s: %s%s is %g; it must be finite and not negative", function, prefix, field, (double)value);
}

static bool check_range(const char *function, const char *prefix, const char *field, float value, float low, float high)
{
    return (value >= low && value <= high) ||
           cn_fail("%s: %s%s is %g; it must be between %g and %g", function, prefix, field, (double)value, (double)low, (double)high);
}

static bool check_target(const char *function, const char *prefix, const char *field, float value)
{
    return check_range(function, prefix, field, value, -MAX_TARGET, MAX_TARGET);
}

static bool check_force(const char *function, const char *prefix, const char *field, float value)
{
    return value >= 0.0f || cn_fail("%s: %s%s is %g; it must not be negative", function, prefix, field, (double)value);
}

bool cn_check_motor_target(const char *function, const char *field, float value)
{
    return check_target(function, "", field, value);
}

bool cn_check_force(const char *function, const char *field, float value) { return check_force(function, "", field, value); }

// ---- degrees of freedom

bool cn_check_joint_dof(const char *function, const cn_joint_def *def, cn_dof dof)
{
    if (!cn_check_int_range(function, "dof", (int)dof, 0, CN_DOF_COUNT - 1))
        return false;
    return def->kind == CN_JOINT_FRAMES || dof == CN_X ||
           cn_fail("%s: dof is %d, but a %s joint has only CN_X", function, (int)dof, cn_joint_kind_name((int)def->kind));
}

static bool is_swing(const cn_joint_def *def, cn_dof dof)
{
    return def->kind == CN_JOINT_FRAMES && (dof == CN_SWING_Y || dof == CN_SWING_Z);
}

// One end may be infinite: no limit on that side.
static bool check_limits(const char *function, const char *prefix, const cn_joint_def *def, cn_dof dof)
{
    const cn_joint_axis *axis = &def->axes[dof];
    if (!(axis->lower < INFINITY && axis->upper > -INFINITY))
        return cn_fail("%s: %slower is %g and %supper is %g; they must be numbers with places between them", function, prefix,
                       (double)axis->lower, prefix, (double)axis->upper);
    if (axis->lower > axis->upper)
        return cn_fail("%s: %slower is %g, above %supper, which is %g", function, prefix, (double)axis->lower, prefix,
                       (double)axis->upper);
    if (is_swing(def, dof) && !(axis->lower >= -CN_PI && axis->upper <= CN_PI))
        return cn_fail("%s: %slower is %g and %supper is %g; swings lie between -pi and pi", function, prefix,
                       (double)axis->lower, prefix, (double)axis->upper);
    return def->kind != CN_JOINT_DISTANCE || axis->upper >= 0.0f ||
           cn_fail("%s: %supper is %g, but a distance is never negative", function, prefix, (double)axis->upper);
}

// Lengths are locked at `lower`, everything else at 0.
static bool check_freedom(const char *function, const char *prefix, const cn_joint_def *def, cn_dof dof)
{
    const cn_joint_axis *axis = &def->axes[dof];
    if (!check_enum(function, prefix, "freedom", (int)axis->freedom, CN_FREEDOM_COUNT))
        return false;
    if (axis->freedom == CN_LIMITED)
        return check_limits(function, prefix, def, dof);
    bool has_length = def->kind == CN_JOINT_DISTANCE || def->kind == CN_JOINT_PULLEY;
    return axis->freedom != CN_LOCKED || !has_length || check_not_negative(function, prefix, "lower", axis->lower);
}

bool cn_check_joint_axis(const char *function, const char *prefix, const cn_joint_def *def, cn_dof dof)
{
    const cn_joint_axis *axis = &def->axes[dof];
    return check_freedom(function, prefix, def, dof) && check_range(function, prefix, "hertz", axis->hertz, 0.0f, MAX_HERTZ) &&
           check_range(function, prefix, "damping_ratio", axis->damping_ratio, 0.0f, MAX_DAMPING_RATIO) &&
           check_range(function, prefix, "spring_stiffness", axis->spring_stiffness, 0.0f, MAX_STIFFNESS) &&
           check_range(function, prefix, "spring_damping", axis->spring_damping, 0.0f, MAX_STIFFNESS) &&
           check_target(function, prefix, "spring_rest", axis->spring_rest) &&
           check_enum(function, prefix, "motor", (int)axis->motor, CN_MOTOR_MODE_COUNT) &&
           check_target(function, prefix, "motor_target", axis->motor_target) &&
           check_force(function, prefix, "motor_max_force", axis->motor_max_force) &&
           check_range(function, prefix, "motor_hertz", axis->motor_hertz, 0.0f, MAX_HERTZ) &&
           check_range(function, prefix, "motor_damping_ratio", axis->motor_damping_ratio, 0.0f, MAX_DAMPING_RATIO) &&
           check_force(function, prefix, "friction", axis->friction);
}

// ---- frames

static bool check_rotation(const char *function, const char *prefix, const char *field, cn_quat q)
{
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return cn_absf(length - 1.0f) <= 1e-3f || cn_fail("%s: %s%s is (%g, %g, %g, %g), which is not of unit length", function, prefix,
                                                      field, (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

static bool check_frame(const char *function, const char *prefix, char side, const cn_transform *frame, bool in_world)
{
    cn_pos3 p = frame->position;
    double most = (double)(in_world ? CN_MAX_POSITION : CN_MAX_SIZE);
    if (!(fabs(p.x) <= most && fabs(p.y) <= most && fabs(p.z) <= most))
        return cn_fail("%s: %sframe_%c.position is (%g, %g, %g); it must be within %g m", function, prefix, side, p.x, p.y, p.z,
                       most);
    return check_rotation(function, prefix, side == 'a' ? "frame_a.rotation" : "frame_b.rotation", frame->rotation);
}

// Where the origin of a frame is in the world.
static cn_pos3 anchor_of(const cn_world *world, cn_body_id id, const cn_transform *frame)
{
    if (CN_IS_NULL(id))
        return frame->position;
    const cn_body *body = cn_find_body(world, __func__, id);
    cn_vec3 local = { (float)frame->position.x, (float)frame->position.y, (float)frame->position.z };
    return cn_pos_add(cn_body_origin(body), cn_rotate(body->rotation, local));
}

// A rope without length has no direction.
static bool check_rope(const cn_world *world, const char *function, const char *prefix, cn_body_id body,
                       const cn_transform *frame, cn_pos3 ground, char side)
{
    float length = cn_length(cn_pos_sub(anchor_of(world, body, frame), ground));
    return length >= CN_MIN_SIZE ||
           cn_fail("%s: %sframe_%c is on ground_%c: a pulley needs a rope with some length", function, prefix, side, side);
}

bool cn_check_joint_frames(const cn_world *world, const char *function, const char *prefix, const cn_joint_def *def)
{
    if (!check_frame(function, prefix, 'a', &def->frame_a, CN_IS_NULL(def->body_a)) ||
        !check_frame(function, prefix, 'b', &def->frame_b, CN_IS_NULL(def->body_b)))
        return false;
    return def->kind != CN_JOINT_PULLEY ||
           (check_rope(world, function, prefix, def->body_a, &def->frame_a, def->ground_a, 'a') &&
            check_rope(world, function, prefix, def->body_b, &def->frame_b, def->ground_b, 'b'));
}

// ---- all three rotations at once

// What it drives must be free to turn: a lock and a motor that want the same would share out the load as they like.
static bool check_turns(const char *function, const char *prefix, const cn_joint_def *def)
{
    static const char *const names[] = { "CN_TWIST", "CN_SWING_Y", "CN_SWING_Z" };
    if (def->kind != CN_JOINT_FRAMES)
        return cn_fail("%s: %smotor and %sfriction are for joints of frames, but this is a %s joint", function, prefix, prefix,
                       cn_joint_kind_name((int)def->kind));
    for (int dof = CN_TWIST; dof <= CN_SWING_Z; dof++)
        if (cn_is_rigid_axis(&def->axes[dof]))
            return cn_fail("%s: %smotor and %sfriction turn about all three axes, but %s is locked; give the others motors and "
                           "friction of their own",
                           function, prefix, prefix, names[dof - CN_TWIST]);
    return true;
}

bool cn_check_joint_ball(const char *function, const char *prefix, const cn_joint_def *def)
{
    const cn_joint_ball *ball = &def->ball;
    return check_enum(function, prefix, "motor", (int)ball->motor, CN_MOTOR_MODE_COUNT) &&
           check_target(function, prefix, "motor_velocity.x", ball->motor_velocity.x) &&
           check_target(function, prefix, "motor_velocity.y", ball->motor_velocity.y) &&
           check_target(function, prefix, "motor_velocity.z", ball->motor_velocity.z) &&
           check_rotation(function, prefix, "motor_rotation", ball->motor_rotation) &&
           check_force(function, prefix, "motor_max_torque", ball->motor_max_torque) &&
           check_range(function, prefix, "motor_hertz", ball->motor_hertz, 0.0f, MAX_HERTZ) &&
           check_range(function, prefix, "motor_damping_ratio", ball->motor_damping_ratio, 0.0f, MAX_DAMPING_RATIO) &&
           check_force(function, prefix, "friction", ball->friction) &&
           (!cn_has_ball_torque(ball) || check_turns(function, prefix, def));
}

// ---- the whole

static bool check_bodies(const cn_world *world, const char *function, const cn_joint_def *def)
{
    bool world_a = CN_IS_NULL(def->body_a), world_b = CN_IS_NULL(def->body_b);
    if (world_a && world_b)
        return cn_fail("%s: def.body_a and def.body_b are both null: one of them must be a body", function);
    const cn_body *a = world_a ? NULL : cn_find_named_body(world, function, "def.body_a", def->body_a);
    if (a == NULL && !world_a)
        return false;
    const cn_body *b = world_b ? NULL : cn_find_named_body(world, function, "def.body_b", def->body_b);
    if (b == NULL && !world_b)
        return false;
    if (a == b)
        return cn_fail("%s: def.body_a and def.body_b are the same body, %u", function, def->body_a.index1);
    return (a != NULL && a->type == CN_DYNAMIC) || (b != NULL && b->type == CN_DYNAMIC) ||
           cn_fail("%s: neither def.body_a nor def.body_b is dynamic: there is nothing to hold", function);
}

static bool check_ratio(const char *function, const cn_joint_def *def)
{
    bool has_ratio = def->kind == CN_JOINT_PULLEY || def->kind == CN_JOINT_GEAR || def->kind == CN_JOINT_RACK;
    float size = fabsf(def->ratio);
    return !has_ratio || (size >= 1.0f / MAX_RATIO && size <= MAX_RATIO) ||
           cn_fail("%s: def.ratio is %g; it must be finite and not 0, and its size between %g and %g", function, (double)def->ratio,
                   1.0 / (double)MAX_RATIO, (double)MAX_RATIO);
}

static bool check_grounds(const char *function, const cn_joint_def *def)
{
    return def->kind != CN_JOINT_PULLEY || (cn_check_position(function, "def.ground_a", def->ground_a) &&
                                            cn_check_position(function, "def.ground_b", def->ground_b));
}

static bool check_axes(const char *function, const cn_joint_def *def)
{
    static const char *const prefixes[CN_DOF_COUNT] = {
        "def.axes[CN_X].",     "def.axes[CN_Y].",       "def.axes[CN_Z].",
        "def.axes[CN_TWIST].", "def.axes[CN_SWING_Y].", "def.axes[CN_SWING_Z]."
    };
    int count = def->kind == CN_JOINT_FRAMES ? CN_DOF_COUNT : 1;
    for (int i = 0; i < count; i++)
        if (!cn_check_joint_axis(function, prefixes[i], def, (cn_dof)i))
            return false;
    return true;
}

bool cn_check_joint_break(const char *function, const char *prefix, float force, float torque)
{
    if (!(force > 0.0f))
        return cn_fail("%s: %sforce is %g; it must be greater than zero", function, prefix, (double)force);
    return torque > 0.0f || cn_fail("%s: %storque is %g; it must be greater than zero", function, prefix, (double)torque);
}

// A preset that failed has said why.
static bool check_kind(const char *function, const cn_joint_def *def)
{
    if (def->kind == CN_JOINT_KIND_COUNT && cn_last_error()[0] != '\0')
        return false;
    return (unsigned)def->kind < CN_JOINT_KIND_COUNT ||
           cn_fail("%s: def.kind is %d, which is no kind of joint", function, (int)def->kind);
}

bool cn_check_joint_def(const cn_world *world, const char *function, const cn_joint_def *def)
{
    return cn_check_pointer(function, "def", def) && check_kind(function, def) && cn_check_world(world, function) &&
           check_bodies(world, function, def) && check_grounds(function, def) &&
           cn_check_joint_frames(world, function, "def.", def) && check_ratio(function, def) && check_axes(function, def) &&
           cn_check_joint_ball(function, "def.ball.", def) &&
           cn_check_joint_break(function, "def.break_", def->break_force, def->break_torque);
}
