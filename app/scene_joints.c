// Bodies that hang on joints.
#include "scenes.h"

#include "math/vec.h"

// ---- joint_grid

// Nothing collides: what takes time are the joints.
void cn_scene_joint_grid(cn_build *build)
{
    enum { SIDE = 100 };
    cn_body_id column[SIDE] = { { 0 } }, left[SIDE];
    build->filter.mask = 0;
    for (int k = 0; k < SIDE; ++k) {
        for (int i = 0; i < SIDE; ++i)
            left[i] = column[i];
        for (int i = 0; i < SIDE; ++i) {
            column[i] = cn_build_upright(build, i == 0 ? CN_STATIC : CN_DYNAMIC, (cn_pos3){ k, -i, 0.0 }, cn_sphere(0.4f));
            if (i == 0)
                continue;
            cn_joint_def above = cn_ball_joint(build->world, column[i - 1], column[i], cn_build_anchor(build, k, 0.5 - i, 0.0));
            cn_build_joint(build, &above);
            if (k == 0)
                continue;
            cn_joint_def beside = cn_ball_joint(build->world, left[i], column[i], cn_build_anchor(build, k - 0.5, -i, 0.0));
            cn_build_joint(build, &beside);
        }
    }
}

// ---- chain

static const cn_quat along_x = { 0.0f, 0.0f, 0.70710678f, 0.70710678f }; // takes y to -x
static const cn_quat along_z = { 0.70710678f, 0.0f, 0.0f, 0.70710678f }; // takes y to z

cn_body_id cn_build_chain(cn_build *build, double ratio)
{
    const double length = CN_CHAIN_LINK, height = CN_CHAIN_LINKS * length + 1.0;
    const float radius = 0.05f, weight_radius = 0.35f;
    build->filter.group = -1;
    cn_body_id last = cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, height, 0.0 }, cn_box(0.1f, 0.1f, 0.1f));
    for (int i = 0; i <= CN_CHAIN_LINKS; ++i) {
        cn_body_id next;
        if (i < CN_CHAIN_LINKS) {
            cn_geometry link = cn_capsule((float)(0.5 * length) - radius, radius);
            next = cn_build_solid(build, CN_DYNAMIC, (cn_pos3){ (i + 0.5) * length, height, 0.0 }, along_x, link);
        } else {
            float link_mass = cn_body_get_mass(build->world, last).mass;
            build->density = (float)ratio * link_mass / cn_mass_sphere(weight_radius, 1.0f).mass;
            next = cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ i * length, height, 0.0 }, cn_sphere(weight_radius));
        }
        cn_joint_def joint = cn_ball_joint(build->world, last, next, cn_build_anchor(build, i * length, height, 0.0));
        cn_build_joint(build, &joint);
        last = next;
    }
    return last;
}

void cn_scene_chain(cn_build *build)
{
    cn_build_ground(build);
    cn_build_chain(build, 100.0);
}

// ---- bridge

// Where the planks meet: on an arc of a circle through the edges of both banks, 1.6 m below them in the middle.
enum { PLANKS = 36 };
static const double bank = 9.0, sag = 1.6, deck = 4.0; // m: half the gap, depth of the arc, height of the banks

static cn_vec3 plank_end(int i)
{
    const double radius = (bank * bank + sag * sag) / (2.0 * sag);
    const float half_angle = 0.35195f; // 2 atan(sag / bank)
    float sine, cosine;
    cn_sin_cos(half_angle * (2.0f * (float)i / PLANKS - 1.0f), &sine, &cosine);
    return (cn_vec3){ (float)(radius * (double)sine), (float)(deck + radius - sag - radius * (double)cosine), 0.0f };
}

static void add_planks(cn_build *build, cn_body_id from, cn_body_id to)
{
    cn_body_id last = from;
    build->density = 700.0f; // 60 kg each
    for (int i = 0; i < PLANKS; ++i) {
        cn_vec3 a = plank_end(i), b = plank_end(i + 1), way = cn_sub(b, a);
        float length = cn_length(way);
        cn_vec3 half_turn =
            cn_normalize(cn_add(cn_scale(1.0f / length, way), cn_v3(1.0f, 0.0f, 0.0f))); // bisects x and the plank
        cn_quat rotation = { 0.0f, 0.0f, half_turn.y, half_turn.x };
        cn_vec3 middle = cn_scale(0.5f, cn_add(a, b));
        cn_body_id plank = cn_build_solid(build, CN_DYNAMIC, (cn_pos3){ (double)middle.x, (double)middle.y, 0.0 }, rotation,
                                          cn_box(0.48f * length, 0.04f, 1.5f));
        cn_build_hinge(build, last, plank, a);
        last = plank;
    }
    cn_build_hinge(build, last, to, plank_end(PLANKS));
}

// 10 t on four wheels, each on its own spring and driven by its own motor.
static void add_truck(cn_build *build, double x, float speed)
{
    const double wheel = 0.5, axle = 1.7, side = 1.0, y = deck + wheel + 0.01;
    const float mass = 10000.0f, load = 0.25f * 8000.0f * 10.0f; // of the spring of a wheel, N
    build->density = 0.8f * mass / (8.0f * 2.4f * 0.5f * 0.9f);
    cn_body_id chassis = cn_build_upright(build, CN_DYNAMIC, (cn_pos3){ x, y + 0.85, 0.0 }, cn_box(2.4f, 0.5f, 0.9f));
    build->density = 0.05f * mass / cn_mass_cylinder(0.2f, (float)wheel, 1.0f).mass;
    for (int i = 0; i < 4; ++i) {
        cn_pos3 place = { x + (i & 1 ? axle : -axle), y, i & 2 ? side : -side };
        cn_body_id b = cn_build_solid(build, CN_DYNAMIC, place, along_z, cn_cylinder(0.2f, (float)wheel));
        cn_pos3 anchor = cn_build_anchor(build, place.x, place.y, place.z);
        cn_joint_def joint = cn_wheel_joint(build->world, chassis, b, anchor, (cn_vec3){ 0.0f, 1.0f, 0.0f },
                                            (cn_vec3){ 0.0f, 0.0f, -1.0f }, load / 0.1f, load);
        joint.axes[CN_Y].spring_rest = -0.1f; // so far the load presses it
        joint.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
        joint.axes[CN_TWIST].motor_target = speed / (float)wheel;
        joint.axes[CN_TWIST].motor_max_force = 12000.0f;
        cn_build_joint(build, &joint);
    }
}

void cn_scene_bridge(cn_build *build)
{
    cn_geometry block = cn_box(6.0f, (float)(0.5 * deck), 3.0f);
    cn_build_ground(build);
    cn_body_id from = cn_build_upright(build, CN_STATIC, (cn_pos3){ -bank - 6.0, 0.5 * deck, 0.0 }, block);
    cn_body_id to = cn_build_upright(build, CN_STATIC, (cn_pos3){ bank + 6.0, 0.5 * deck, 0.0 }, block);
    cn_build_upright(build, CN_STATIC, (cn_pos3){ bank + 11.8, deck + 0.5, 0.0 }, cn_box(0.2f, 0.5f, 3.0f)); // it stops here
    add_planks(build, from, to);
    add_truck(build, -bank - 4.0, 3.0f);
}

// ---- pendulums

// Fifteen pendulums of which each makes one swing more in 30 s than the one before: then they are back in step. A ball on a rod
// without weight swings as a point at the distance L + 2 r^2 / (5 L) does.
void cn_scene_pendulum(cn_build *build)
{
    enum { COUNT = 15, SWINGS = 15 };
    const double together = 30.0, top = 1.6, gravity = 10.0, pi = 3.14159265358979323846;
    const float radius = 0.08f;
    const cn_quat pulled = cn_quat_exp((cn_vec3){ 0.35f, 0.0f, 0.0f });
    cn_build_ground(build);
    cn_body_id beam = cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, top + 0.05, 0.0 }, cn_box(1.6f, 0.05f, 0.05f));
    build->filter.group = -1;
    for (int i = 0; i < COUNT; ++i) {
        double turn = together / ((SWINGS + i) * 2.0 * pi), point = gravity * turn * turn, x = 0.2 * (i - 0.5 * (COUNT - 1));
        double length = 0.5 * (point + sqrt(point * point - 1.6 * (double)(radius * radius)));
        cn_body_id body = cn_build_body(build, CN_DYNAMIC, (cn_pos3){ x, top, 0.0 }, pulled);
        cn_pose rod = { { 0.0f, (float)(-0.5 * length), 0.0f }, CN_QUAT_IDENTITY }, ball = rod;
        ball.position.y = (float)-length;
        build->density = 0.0f;
        cn_build_shape(build, body, cn_capsule((float)(0.5 * length), 0.008f), rod);
        build->density = 1000.0f;
        cn_build_shape(build, body, cn_sphere(radius), ball);
        cn_joint_def hinge =
            cn_hinge_joint(build->world, beam, body, cn_build_anchor(build, x, top, 0.0), (cn_vec3){ 1.0f, 0.0f, 0.0f });
        cn_build_joint(build, &hinge);
    }
}

// ---- newton_cradle

// Five balls on two strings each, a millimetre apart, the first pulled up by 20 degrees.
void cn_scene_newton_cradle(cn_build *build)
{
    const double string = 2.0, apart = 0.8, top = 3.0, between = 0.501; // m; between neighbours
    const double sine = 0.34202014332566873304, cosine = 0.93969262078590838405;
    cn_build_ground(build);
    build->material.restitution = 1.0f;
    build->material.friction = 0.0f;
    build->density = 1000.0f;
    cn_body_id beams[2];
    for (int side = 0; side < 2; ++side) {
        double z = side ? apart : -apart;
        beams[side] = cn_build_upright(build, CN_STATIC, (cn_pos3){ 0.0, top + 0.05, z }, cn_box(1.5f, 0.05f, 0.05f));
    }
    for (int i = 0; i < 5; ++i) {
        double x = (i - 2) * between;
        cn_pos3 place = { i > 0 ? x : x - string * sine, i > 0 ? top - string : top - string * cosine, 0.0 };
        cn_body_id ball = cn_build_upright(build, CN_DYNAMIC, place, cn_sphere(0.25f));
        for (int side = 0; side < 2; ++side) {
            cn_pos3 knot = cn_build_anchor(build, x, top, side ? apart : -apart);
            cn_joint_def joint =
                cn_distance_joint(build->world, beams[side], ball, knot, cn_build_anchor(build, place.x, place.y, place.z));
            cn_build_joint(build, &joint);
        }
    }
}
