// Doors that meet something, and wheels that turn each other.
#include "scenes.h"

#include "cairn/path.h"
#include "math/vec.h"

static cn_joint_def hinge_about_z(const cn_build *build, cn_body_id a, cn_body_id b, cn_vec3 p)
{
    cn_pos3 anchor = cn_build_anchor(build, (double)p.x, (double)p.y, (double)p.z);
    return cn_hinge_joint(build->world, a, b, anchor, (cn_vec3){ 0.0f, 0.0f, 1.0f });
}

cn_joint_id cn_build_hinge(cn_build *build, cn_body_id a, cn_body_id b, cn_vec3 place)
{
    cn_joint_def hinge = hinge_about_z(build, a, b, place);
    return cn_build_joint(build, &hinge);
}

cn_joint_id cn_build_pin(cn_build *build, cn_body_id a, cn_body_id b, cn_vec3 place)
{
    cn_joint_def pin = hinge_about_z(build, a, b, place);
    pin.axes[CN_X].freedom = pin.axes[CN_SWING_Y].freedom = pin.axes[CN_SWING_Z].freedom = CN_FREE;
    return cn_build_joint(build, &pin);
}

// The pose of a capsule along y that reaches from p to q.
static cn_pose between(cn_vec3 p, cn_vec3 q)
{
    cn_vec3 way = cn_normalize(q.y < p.y ? cn_sub(p, q) : cn_sub(q, p));
    cn_vec3 half = cn_normalize(cn_add(way, cn_v3(0.0f, 1.0f, 0.0f)));
    return (cn_pose){ cn_scale(0.5f, cn_add(p, q)), { half.z, 0.0f, -half.x, half.y } };
}

void cn_build_rod(cn_build *build, cn_body_id body, cn_vec3 from, cn_vec3 to, float radius)
{
    cn_build_shape(build, body, cn_capsule(0.5f * cn_distance(from, to), radius), between(from, to));
}

cn_body_id cn_build_bar(cn_build *build, cn_vec3 from, cn_vec3 to, float radius)
{
    cn_pose pose = between(from, to);
    cn_pos3 place = { (double)pose.position.x, (double)pose.position.y, (double)pose.position.z };
    return cn_build_solid(build, CN_DYNAMIC, place, pose.rotation, cn_capsule(0.5f * cn_distance(from, to), radius));
}

// ---- door

// A leaf that closes the way between a wall and a post, from -x, and opens again; the gap it leaves when closed.
static void add_door(cn_build *build, double x, double gap, float max_force, cn_blocked blocked)
{
    const double times[] = { 0.0, 0.5, 3.5, 5.0, 7.0 };
    const double half = 1.0, shut = x - gap, open = x - 2.0 * half;
    cn_build_upright(build, CN_STATIC, (cn_pos3){ x + half + 0.1, 1.25, 0.0 }, cn_box(0.1f, 1.25f, 0.3f));
    cn_build_upright(build, CN_STATIC, (cn_pos3){ open, 1.25, -0.2 }, cn_box((float)half, 1.25f, 0.1f));
    cn_body_id leaf = cn_build_upright(build, CN_KINEMATIC, (cn_pos3){ open, 1.22, 0.0 }, cn_box((float)half, 1.2f, 0.05f));
    cn_path_key keys[5];
    for (int i = 0; i < 5; ++i) {
        cn_pos3 place = cn_build_anchor(build, i == 2 || i == 3 ? shut : open, 1.22, 0.0);
        keys[i] = (cn_path_key){ times[i], { place, CN_QUAT_IDENTITY } };
    }
    cn_path_def path = cn_path_def_default();
    path.keys = keys;
    path.key_count = 5;
    path.loop = true;
    path.ease = CN_PATH_SMOOTH;
    path.max_force = max_force;
    path.blocked = blocked;
    path.wait = 1.0f;
    if (!build->failed && !cn_body_set_path(build->world, leaf, &path))
        cn_build_fail(build, cn_last_error());
}

// A stick of two halves, a little bent, that breaks where they meet.
static void add_stick(cn_build *build, float x)
{
    const float radius = 0.08f;
    cn_body_id a = cn_build_bar(build, cn_v3(x - 0.7f, radius, 0.0f), cn_v3(x - radius, radius, 0.1f), radius);
    cn_body_id b = cn_build_bar(build, cn_v3(x + radius, radius, 0.1f), cn_v3(x + 0.7f, radius, 0.0f), radius);
    cn_joint_def joint = cn_fixed_joint(build->world, a, b, cn_build_anchor(build, (double)x, (double)radius, 0.1));
    joint.break_force = 1000.0f;
    cn_build_joint(build, &joint);
}

void cn_scene_door(cn_build *build)
{
    const double apart = 5.0;
    cn_geometry crate = cn_box(0.35f, 0.35f, 0.35f);
    cn_build_ground(build);
    add_door(build, -apart, 0.0, 500.0f, CN_BLOCKED_STALL);
    cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ -apart, 0.35, 0.0 }, crate);
    add_door(build, 0.0, 0.0, 500.0f, CN_BLOCKED_REVERSE);
    cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ 0.0, 0.35, 0.0 }, crate);
    add_door(build, apart, 1.0, INFINITY, CN_BLOCKED_PUSH_ON);
    add_stick(build, (float)apart);
}

// ---- gears

static const float module = 0.1f;                                        // m of diameter per tooth
static const cn_quat along_z = { 0.70710678f, 0.0f, 0.0f, 0.70710678f }; // takes y to z

static float pitch_radius(int teeth) { return 0.5f * module * (float)teeth; }

// A disc with boxes for teeth, the first one at the angle `phase` from x.
static cn_body_id add_gear(cn_build *build, int teeth, float phase, cn_vec3 at)
{
    const float half_depth = 0.12f;
    float radius = pitch_radius(teeth);
    cn_body_id gear =
        cn_build_body(build, CN_DYNAMIC, (cn_pos3){ (double)at.x, (double)at.y, (double)at.z }, (cn_quat)CN_QUAT_IDENTITY);
    cn_pose disc = { { 0.0f, 0.0f, 0.0f }, along_z };
    cn_build_shape(build, gear, cn_cylinder(half_depth, radius - module), disc);
    for (int i = 0; i < teeth; ++i) {
        cn_pose tooth = CN_POSE_IDENTITY;
        tooth.rotation = cn_quat_exp((cn_vec3){ 0.0f, 0.0f, phase + 2.0f * CN_PI * (float)i / (float)teeth });
        tooth.position = cn_rotate(tooth.rotation, cn_v3(radius - 0.1f * module, 0.0f, 0.0f));
        cn_build_shape(build, gear, cn_box(1.0f * module, 0.36f * module, half_depth), tooth);
    }
    return gear;
}

static cn_joint_id drive(cn_build *build, cn_body_id gear, cn_vec3 at, float speed, float torque)
{
    cn_joint_def hinge = hinge_about_z(build, (cn_body_id){ 0 }, gear, at);
    if (speed != 0.0f) {
        hinge.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
        hinge.axes[CN_TWIST].motor_target = speed;
        hinge.axes[CN_TWIST].motor_max_force = torque;
    }
    return cn_build_joint(build, &hinge);
}

// A motor turns a row of four gears. The last one is a crank: a rod pushes a rack to and fro, and that turns a pinion.
static const float axle_height = 2.2f, front = 0.35f; // m: rod, rack and pinion are in front of the gears

static cn_body_id add_gear_row(cn_build *build, cn_vec3 *end)
{
    static const int teeth[] = { 12, 24, 16, 36 };
    cn_body_id last = { 0 };
    float x = -6.0f, phase = 0.0f;
    for (int i = 0; i < 4; ++i) {
        if (i > 0) {
            // Where the one before has a tooth, this one has a gap: in teeth, what both have in their line adds up to a half.
            float tooth = -phase * (float)teeth[i - 1] / (2.0f * CN_PI);
            phase = CN_PI - 2.0f * CN_PI / (float)teeth[i] * (0.5f - tooth);
            x += pitch_radius(teeth[i - 1]) + pitch_radius(teeth[i]);
        }
        *end = cn_v3(x, axle_height, 0.0f);
        cn_body_id gear = add_gear(build, teeth[i], phase, *end);
        drive(build, gear, *end, i == 0 ? 3.0f : 0.0f, 50000.0f);
        if (i > 0) {
            const cn_vec3 z = { 0.0f, 0.0f, 1.0f };
            cn_joint_def mesh = cn_gear_joint(build->world, last, gear, z, z, (float)teeth[i] / (float)teeth[i - 1]);
            cn_build_joint(build, &mesh);
        }
        last = gear;
    }
    return last;
}

static cn_body_id add_rack(cn_build *build, cn_vec3 end, float half_length)
{
    const float tooth = CN_PI * module;
    cn_pos3 middle = { (double)(end.x + half_length), (double)end.y, (double)end.z };
    cn_body_id rack = cn_build_upright(build, CN_DYNAMIC, middle, cn_box(half_length, 0.06f, 0.12f));
    int teeth = (int)(half_length / tooth);
    for (int i = -teeth; i < teeth; ++i) {
        cn_pose offset = { { ((float)i + 0.5f) * tooth, 0.06f + module, 0.0f }, CN_QUAT_IDENTITY };
        cn_build_shape(build, rack, cn_box(0.36f * module, module, 0.12f), offset);
    }
    cn_pos3 anchor = cn_build_anchor(build, middle.x, middle.y, middle.z);
    cn_joint_def slider = cn_slider_joint(build->world, (cn_body_id){ 0 }, rack, anchor, (cn_vec3){ 1.0f, 0.0f, 0.0f });
    cn_build_joint(build, &slider);
    return rack;
}

void cn_scene_gears(cn_build *build)
{
    const float crank = 0.9f, rod_length = 2.6f, rack_half = 1.5f;
    const int teeth = 12;
    cn_build_ground(build);
    build->filter.group = -1;
    cn_vec3 axle;
    cn_body_id wheel = add_gear_row(build, &axle);
    cn_vec3 pin = cn_add(axle, cn_v3(0.0f, crank, front));
    cn_vec3 end = cn_add(axle, cn_v3(sqrtf(rod_length * rod_length - crank * crank), 0.0f, front));
    cn_build_shape(build, wheel, cn_cylinder(0.15f, 0.1f), (cn_pose){ { 0.0f, crank, 0.25f }, along_z });
    cn_body_id rod = cn_build_bar(build, pin, end, 0.06f), rack = add_rack(build, end, rack_half);
    cn_build_hinge(build, wheel, rod, pin);
    cn_build_pin(build, rod, rack, end);
    cn_vec3 above = { end.x + rack_half, axle_height + 0.06f + module + pitch_radius(teeth), front };
    cn_body_id pinion = add_gear(build, teeth, -0.5f * CN_PI, above);
    drive(build, pinion, above, 0.0f, 0.0f);
    cn_joint_def mesh = cn_rack_joint(build->world, pinion, rack, (cn_vec3){ 0.0f, 0.0f, 1.0f }, (cn_vec3){ 1.0f, 0.0f, 0.0f },
                                      pitch_radius(teeth));
    cn_build_joint(build, &mesh);
}
