// The named joints: definitions of the one joint with their freedoms set.
#include "world/check.h"
#include "world/joint_check.h"

cn_joint_def cn_joint_def_default(void)
{
    cn_joint_def def = { .kind = CN_JOINT_FRAMES, .ratio = 1.0f, .break_force = INFINITY, .break_torque = INFINITY };
    def.frame_a.rotation = def.frame_b.rotation = cn_quat_identity();
    for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
        def.axes[dof].damping_ratio = def.axes[dof].motor_damping_ratio = 1.0f;
        def.axes[dof].motor_max_force = INFINITY;
    }
    def.ball = (cn_joint_ball){ .motor_rotation = CN_QUAT_IDENTITY, .motor_max_torque = INFINITY, .motor_damping_ratio = 1.0f };
    return def;
}

// What a preset is made of while it is being made. Once a check has failed, nothing more is looked at.
typedef struct preset {
    cn_joint_def def;
    const char *function;
    const cn_body *a, *b; // NULL: the world
    bool ok;
} preset;

static preset begin_named(const cn_world *world, const char *function, const char *name_a, cn_body_id a, const char *name_b,
                          cn_body_id b)
{
    preset p = { .def = cn_joint_def_default(), .function = function };
    p.def.body_a = a;
    p.def.body_b = b;
    if (!cn_check_world(world, function))
        return p;
    if (CN_IS_NULL(a) && CN_IS_NULL(b))
        cn_fail("%s: %s and %s are both null: one of them must be a body", function, name_a, name_b);
    else if (CN_ID_EQUALS(a, b))
        cn_fail("%s: %s and %s are the same body, %u", function, name_a, name_b, a.index1);
    else
        p.ok = (CN_IS_NULL(a) || (p.a = cn_find_named_body(world, function, name_a, a)) != NULL) &&
               (CN_IS_NULL(b) || (p.b = cn_find_named_body(world, function, name_b, b)) != NULL);
    return p;
}

static preset begin(const cn_world *world, const char *function, cn_body_id a, cn_body_id b)
{
    return begin_named(world, function, "body a", a, "body b", b);
}

static cn_joint_def finish(const preset *p)
{
    cn_joint_def def = p->def;
    if (!p->ok)
        def.kind = CN_JOINT_KIND_COUNT;
    return def;
}

// ---- frames

// A frame of the world as a body has it.
static cn_transform in_body(const cn_body *body, cn_pos3 position, cn_quat rotation)
{
    if (body == NULL)
        return (cn_transform){ position, rotation };
    cn_vec3 local = cn_add(cn_unrotate(body->rotation, cn_pos_sub(position, body->center)), body->local_center);
    return (cn_transform){ cn_pos_add(cn_p3(0.0, 0.0, 0.0), local),
                           cn_quat_normalize(cn_quat_mul(cn_quat_conj(body->rotation), rotation)) };
}

// Both frames in the same place.
static void use_frame(preset *p, cn_pos3 anchor, cn_quat rotation)
{
    p->ok = p->ok && cn_check_position(p->function, "anchor", anchor);
    if (p->ok) {
        p->def.frame_a = in_body(p->a, anchor, rotation);
        p->def.frame_b = in_body(p->b, anchor, rotation);
    }
}

// Two frames with the axes of the world. Returns how far they are apart.
static float use_anchors(preset *p, cn_pos3 anchor_a, cn_pos3 anchor_b)
{
    p->ok =
        p->ok && cn_check_position(p->function, "anchor_a", anchor_a) && cn_check_position(p->function, "anchor_b", anchor_b);
    if (!p->ok)
        return 0.0f;
    p->def.frame_a = in_body(p->a, anchor_a, cn_quat_identity());
    p->def.frame_b = in_body(p->b, anchor_b, cn_quat_identity());
    return cn_length(cn_pos_sub(anchor_b, anchor_a));
}

// A unit vector, or nothing where the argument has no direction.
static cn_vec3 check_axis(preset *p, const char *field, cn_vec3 axis)
{
    p->ok = p->ok && cn_check_vec3(p->function, field, axis);
    // the largest component first, so that no length overflows or vanishes
    float size = cn_maxf(cn_maxf(cn_absf(axis.x), cn_absf(axis.y)), cn_absf(axis.z));
    if (p->ok && !(size > 0.0f))
        p->ok = cn_fail("%s: %s is zero: it has no direction", p->function, field);
    return p->ok ? cn_normalize(cn_v3(axis.x / size, axis.y / size, axis.z / size)) : cn_v3(1.0f, 0.0f, 0.0f);
}

// The rotation that takes x to a unit vector on the shortest way.
static cn_quat turn_to(cn_vec3 axis)
{
    if (axis.x < -0.999999f)
        return (cn_quat){ 0.0f, 0.0f, 1.0f, 0.0f };
    return cn_quat_normalize((cn_quat){ 0.0f, -axis.z, axis.y, 1.0f + axis.x });
}

// The rotation that takes x and y to two unit vectors at right angles.
static cn_quat turn_to_both(cn_vec3 x, cn_vec3 y)
{
    cn_quat q = turn_to(x);
    cn_vec3 v = cn_unrotate(q, y);
    cn_quat twist =
        v.y < -0.999999f ? (cn_quat){ 1.0f, 0.0f, 0.0f, 0.0f } : cn_quat_normalize((cn_quat){ v.z, 0.0f, 0.0f, 1.0f + v.y });
    return cn_quat_normalize(cn_quat_mul(q, twist));
}

// Where a body is, or the other one if it is the world.
static cn_pos3 center_of(const cn_body *body, const cn_body *other)
{
    return body != NULL ? body->center : other != NULL ? other->center : cn_p3(0.0, 0.0, 0.0);
}

// ---- freedoms

// Locks every degree of freedom but those whose bits are set.
static void lock_all_but(preset *p, int free)
{
    for (int dof = 0; dof < CN_DOF_COUNT; dof++)
        p->def.axes[dof].freedom = free & 1 << dof ? CN_FREE : CN_LOCKED;
}

static void limit(preset *p, cn_dof dof, float lower, float upper)
{
    p->def.axes[dof].freedom = CN_LIMITED;
    p->def.axes[dof].lower = lower;
    p->def.axes[dof].upper = upper;
}

enum { FREE_TURNS = 1 << CN_TWIST | 1 << CN_SWING_Y | 1 << CN_SWING_Z };

// A joint whose x axis is an axis of the world.
static cn_joint_def along_axis(preset *p, cn_pos3 anchor, const char *field, cn_vec3 axis, int free)
{
    use_frame(p, anchor, turn_to(check_axis(p, field, axis)));
    lock_all_but(p, free);
    return finish(p);
}

// ---- six degrees of freedom

cn_joint_def cn_ball_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor)
{
    preset p = begin(world, "cn_ball_joint", a, b);
    use_frame(&p, anchor, cn_quat_identity());
    lock_all_but(&p, FREE_TURNS);
    return finish(&p);
}

cn_joint_def cn_cone_twist_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis, float swing,
                                 float twist)
{
    preset p = begin(world, "cn_cone_twist_joint", a, b);
    use_frame(&p, anchor, turn_to(check_axis(&p, "axis", axis)));
    p.ok = p.ok && cn_check_range(p.function, "swing", swing, 0.0f, CN_PI) && cn_check_not_negative(p.function, "twist", twist);
    lock_all_but(&p, FREE_TURNS);
    limit(&p, CN_TWIST, -twist, twist);
    limit(&p, CN_SWING_Y, -swing, swing);
    limit(&p, CN_SWING_Z, -swing, swing);
    p.def.cone = true;
    return finish(&p);
}

cn_joint_def cn_hinge_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis)
{
    preset p = begin(world, "cn_hinge_joint", a, b);
    return along_axis(&p, anchor, "axis", axis, 1 << CN_TWIST);
}

cn_joint_def cn_slider_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis)
{
    preset p = begin(world, "cn_slider_joint", a, b);
    return along_axis(&p, anchor, "axis", axis, 1 << CN_X);
}

cn_joint_def cn_cylindrical_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 axis)
{
    preset p = begin(world, "cn_cylindrical_joint", a, b);
    return along_axis(&p, anchor, "axis", axis, 1 << CN_X | 1 << CN_TWIST);
}

cn_joint_def cn_planar_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 normal)
{
    preset p = begin(world, "cn_planar_joint", a, b);
    return along_axis(&p, anchor, "normal", normal, 1 << CN_Y | 1 << CN_Z | 1 << CN_TWIST);
}

cn_joint_def cn_fixed_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor)
{
    preset p = begin(world, "cn_fixed_joint", a, b);
    use_frame(&p, anchor, cn_quat_identity());
    lock_all_but(&p, 0);
    return finish(&p);
}

cn_joint_def cn_wheel_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor, cn_vec3 up, cn_vec3 axle,
                            float stiffness, float damping)
{
    preset p = begin(world, "cn_wheel_joint", a, b);
    cn_vec3 y = check_axis(&p, "up", up), x = check_axis(&p, "axle", axle);
    y = cn_madd(y, -cn_dot(x, y), x);
    if (p.ok && cn_length(y) < 1e-3f)
        p.ok = cn_fail("%s: up and axle point the same way", p.function);
    p.ok = p.ok && cn_check_not_negative(p.function, "stiffness", stiffness) &&
           cn_check_not_negative(p.function, "damping", damping);
    if (p.ok)
        use_frame(&p, anchor, turn_to_both(x, cn_normalize(y)));
    lock_all_but(&p, 1 << CN_Y | 1 << CN_TWIST);
    p.def.axes[CN_Y].spring_stiffness = stiffness;
    p.def.axes[CN_Y].spring_damping = damping;
    return finish(&p);
}

cn_joint_def cn_motor_joint(const cn_world *world, cn_body_id a, cn_body_id b, float hertz, float max_force, float max_torque)
{
    preset p = begin(world, "cn_motor_joint", a, b);
    p.ok = p.ok && cn_check_not_negative(p.function, "hertz", hertz) && cn_check_force(p.function, "max_force", max_force) &&
           cn_check_force(p.function, "max_torque", max_torque);
    if (p.ok)
        use_frame(&p, center_of(p.b, p.a), cn_quat_identity());
    for (int dof = 0; dof < CN_DOF_COUNT; dof++) {
        cn_joint_axis *axis = &p.def.axes[dof];
        axis->motor = CN_MOTOR_PLACE;
        axis->motor_hertz = hertz;
        axis->motor_max_force = dof < CN_TWIST ? max_force : max_torque;
    }
    return finish(&p);
}

// ---- one coordinate

cn_joint_def cn_distance_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b)
{
    preset p = begin(world, "cn_distance_joint", a, b);
    float length = use_anchors(&p, anchor_a, anchor_b);
    if (p.ok && !(length > 1e-6f))
        p.ok = cn_fail("%s: anchor_a and anchor_b are in the same place: a ball joint holds them there", p.function);
    p.def.kind = CN_JOINT_DISTANCE;
    p.def.axes[CN_X].freedom = CN_LOCKED;
    p.def.axes[CN_X].lower = p.def.axes[CN_X].upper = length;
    return finish(&p);
}

cn_joint_def cn_rope_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b, float length)
{
    preset p = begin(world, "cn_rope_joint", a, b);
    use_anchors(&p, anchor_a, anchor_b);
    p.ok = p.ok && cn_check_positive(p.function, "length", length);
    p.def.kind = CN_JOINT_DISTANCE;
    limit(&p, CN_X, -INFINITY, length);
    return finish(&p);
}

cn_joint_def cn_spring_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b,
                             float stiffness, float damping)
{
    preset p = begin(world, "cn_spring_joint", a, b);
    p.def.axes[CN_X].spring_rest = use_anchors(&p, anchor_a, anchor_b);
    p.ok = p.ok && cn_check_not_negative(p.function, "stiffness", stiffness) &&
           cn_check_not_negative(p.function, "damping", damping);
    p.def.kind = CN_JOINT_DISTANCE;
    p.def.axes[CN_X].spring_stiffness = stiffness;
    p.def.axes[CN_X].spring_damping = damping;
    return finish(&p);
}

// Two axes, each through the centre of its body.
static cn_joint_def couple(preset *p, cn_joint_kind kind, cn_vec3 axis_a, cn_vec3 axis_b, float ratio)
{
    p->ok = p->ok && cn_check_finite(p->function, "ratio", ratio);
    if (p->ok && ratio == 0.0f)
        p->ok = cn_fail("%s: ratio is 0", p->function);
    if (p->ok) {
        p->def.frame_a = in_body(p->a, center_of(p->a, p->b), turn_to(axis_a));
        p->def.frame_b = in_body(p->b, center_of(p->b, p->a), turn_to(axis_b));
    }
    p->def.kind = kind;
    p->def.ratio = ratio;
    p->def.axes[CN_X].freedom = CN_LOCKED;
    return finish(p);
}

cn_joint_def cn_gear_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_vec3 axis_a, cn_vec3 axis_b, float ratio)
{
    preset p = begin(world, "cn_gear_joint", a, b);
    cn_vec3 x_a = check_axis(&p, "axis_a", axis_a), x_b = check_axis(&p, "axis_b", axis_b);
    return couple(&p, CN_JOINT_GEAR, x_a, x_b, ratio);
}

cn_joint_def cn_rack_joint(const cn_world *world, cn_body_id pinion, cn_body_id rack, cn_vec3 axis, cn_vec3 direction,
                           float ratio)
{
    preset p = begin_named(world, "cn_rack_joint", "pinion", pinion, "rack", rack);
    cn_vec3 x_a = check_axis(&p, "axis", axis), x_b = check_axis(&p, "direction", direction);
    return couple(&p, CN_JOINT_RACK, x_a, x_b, ratio);
}

cn_joint_def cn_pulley_joint(const cn_world *world, cn_body_id a, cn_body_id b, cn_pos3 anchor_a, cn_pos3 anchor_b,
                             cn_pos3 ground_a, cn_pos3 ground_b, float ratio)
{
    preset p = begin(world, "cn_pulley_joint", a, b);
    use_anchors(&p, anchor_a, anchor_b);
    p.ok = p.ok && cn_check_position(p.function, "ground_a", ground_a) && cn_check_position(p.function, "ground_b", ground_b) &&
           cn_check_positive(p.function, "ratio", ratio);
    float length_a = cn_length(cn_pos_sub(anchor_a, ground_a)), length_b = cn_length(cn_pos_sub(anchor_b, ground_b));
    if (p.ok && !(length_a > 1e-6f))
        p.ok = cn_fail("%s: anchor_a and ground_a are in the same place", p.function);
    if (p.ok && !(length_b > 1e-6f))
        p.ok = cn_fail("%s: anchor_b and ground_b are in the same place", p.function);
    p.def.kind = CN_JOINT_PULLEY;
    p.def.ground_a = ground_a;
    p.def.ground_b = ground_b;
    p.def.ratio = ratio;
    limit(&p, CN_X, -INFINITY, length_a + ratio * length_b); // a rope: it pulls only
    return finish(&p);
}
