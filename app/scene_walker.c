// A walking machine after Theo Jansen: twelve legs of eight rods each, all driven by one crankshaft.
#include "scenes.h"

#include "math/vec.h"

enum { STATIONS = 6 };                                // along the shaft; each drives a leg in front and one behind
static const float unit = 0.02f;                      // m per unit of Jansen's lengths
static const float width = 0.3f, rod_radius = 0.025f; // m: between stations; of a rod

// The joints of a leg on the side of -x, in its plane.
typedef struct leg {
    cn_vec3 pivot, crank, shoulder, hip, knee, ankle, foot;
} leg;

// Where two circles meet, on the left of the way from p to q.
static cn_vec3 meet(cn_vec3 p, float p_radius, cn_vec3 q, float q_radius)
{
    cn_vec3 way = cn_sub(q, p);
    float distance = cn_length(way);
    float along = (p_radius * p_radius - q_radius * q_radius + distance * distance) / (2.0f * distance);
    float aside = sqrtf(p_radius * p_radius - along * along);
    way = cn_scale(1.0f / distance, way);
    return cn_add(cn_madd(p, along, way), cn_scale(aside, cn_v3(-way.y, way.x, 0.0f)));
}

// Jansen's lengths, a leg whose crank pin is at `crank` from the shaft. A leg on the side of +x is the mirror image.
static leg lay_leg(cn_vec3 crank, bool mirrored)
{
    float side = mirrored ? -1.0f : 1.0f;
    leg l = { .pivot = cn_v3(-38.0f * unit, -7.8f * unit, 0.0f), .crank = cn_v3(side * crank.x, crank.y, 0.0f) };
    l.shoulder = meet(l.pivot, 41.5f * unit, l.crank, 50.0f * unit);
    l.hip = meet(l.pivot, 40.1f * unit, l.shoulder, 55.8f * unit);
    l.knee = meet(l.crank, 61.9f * unit, l.pivot, 39.3f * unit);
    l.ankle = meet(l.knee, 36.7f * unit, l.hip, 39.4f * unit);
    l.foot = meet(l.knee, 49.0f * unit, l.ankle, 65.7f * unit);
    cn_vec3 *points[] = { &l.pivot, &l.crank, &l.shoulder, &l.hip, &l.knee, &l.ankle, &l.foot };
    for (int i = 0; i < 7; ++i)
        points[i]->x *= side;
    return l;
}

// The crank pin of a station: they are a third of a turn apart.
static cn_vec3 crank_pin(int station)
{
    const float radius = 15.0f * unit;
    float sine, cosine;
    cn_sin_cos(2.0f * CN_PI / 3.0f * (float)station + 0.3f, &sine, &cosine);
    return cn_v3(radius * cosine, radius * sine, 0.0f);
}

static cn_body_id add_triangle(cn_build *build, cn_vec3 a, cn_vec3 b, cn_vec3 c)
{
    cn_vec3 middle = cn_scale(1.0f / 3.0f, cn_add(a, cn_add(b, c)));
    cn_body_id body = cn_build_body(build, CN_DYNAMIC, (cn_pos3){ (double)middle.x, (double)middle.y, (double)middle.z },
                                    (cn_quat)CN_QUAT_IDENTITY);
    cn_vec3 corners[] = { cn_sub(a, middle), cn_sub(b, middle), cn_sub(c, middle) };
    for (int i = 0; i < 3; ++i)
        cn_build_rod(build, body, corners[i], corners[(i + 1) % 3], rod_radius);
    return body;
}

// Six bodies on nine joints. Three of these close loops, and hold only what is not held already.
static void add_leg(cn_build *build, cn_body_id chassis, cn_body_id shaft, const leg *flat, cn_vec3 at)
{
    leg l = *flat;
    cn_vec3 *points[] = { &l.pivot, &l.crank, &l.shoulder, &l.hip, &l.knee, &l.ankle, &l.foot };
    for (int i = 0; i < 7; ++i)
        *points[i] = cn_add(*points[i], at);
    const cn_vec3 before = { 0.0f, 0.0f, 2.2f * rod_radius }, behind = cn_neg(before), far = cn_scale(2.0f, before);
    cn_body_id upper = add_triangle(build, l.pivot, l.shoulder, l.hip);
    cn_body_id lower = add_triangle(build, l.knee, l.ankle, l.foot);
    cn_body_id to_shoulder = cn_build_bar(build, cn_add(l.crank, before), cn_add(l.shoulder, before), rod_radius);
    cn_body_id to_knee = cn_build_bar(build, cn_add(l.crank, far), cn_add(l.knee, far), rod_radius);
    cn_body_id hanger = cn_build_bar(build, cn_add(l.pivot, behind), cn_add(l.knee, behind), rod_radius);
    cn_body_id tendon = cn_build_bar(build, cn_add(l.hip, before), cn_add(l.ankle, before), rod_radius);
    cn_pose sole = { cn_sub(l.foot, cn_scale(1.0f / 3.0f, cn_add(l.knee, cn_add(l.ankle, l.foot)))), CN_QUAT_IDENTITY };
    cn_build_shape(build, lower, cn_sphere(2.0f * rod_radius), sole);
    cn_build_hinge(build, chassis, upper, l.pivot);
    cn_build_hinge(build, chassis, hanger, l.pivot);
    cn_build_hinge(build, shaft, to_shoulder, l.crank);
    cn_build_hinge(build, shaft, to_knee, l.crank);
    cn_build_hinge(build, upper, tendon, l.hip);
    cn_build_hinge(build, hanger, lower, l.knee);
    cn_build_pin(build, to_shoulder, upper, l.shoulder);
    cn_build_pin(build, to_knee, lower, l.knee);
    cn_build_pin(build, tendon, lower, l.ankle);
}

static float station_z(int station) { return width * ((float)station - 0.5f * (STATIONS - 1)); }

static cn_body_id add_shaft(cn_build *build, cn_vec3 at)
{
    cn_body_id shaft =
        cn_build_body(build, CN_DYNAMIC, (cn_pos3){ (double)at.x, (double)at.y, (double)at.z }, (cn_quat)CN_QUAT_IDENTITY);
    float end = 0.5f * width * STATIONS;
    cn_build_rod(build, shaft, cn_v3(0.0f, 0.0f, -end), cn_v3(0.0f, 0.0f, end), 0.04f);
    for (int i = 0; i < STATIONS; ++i) {
        cn_vec3 from = { 0.0f, 0.0f, station_z(i) };
        cn_build_rod(build, shaft, from, cn_add(from, crank_pin(i)), 0.03f);
    }
    return shaft;
}

// Two beams that carry the pivots, held together at both ends.
static cn_body_id add_chassis(cn_build *build, cn_vec3 at)
{
    cn_body_id chassis =
        cn_build_body(build, CN_DYNAMIC, (cn_pos3){ (double)at.x, (double)at.y, (double)at.z }, (cn_quat)CN_QUAT_IDENTITY);
    float x = 38.0f * unit, y = -7.8f * unit, end = 0.5f * width * STATIONS;
    for (int i = 0; i < 2; ++i) {
        float side = i ? 1.0f : -1.0f;
        cn_build_rod(build, chassis, cn_v3(side * x, y, -end), cn_v3(side * x, y, end), 0.05f);
        cn_build_rod(build, chassis, cn_v3(-x, y, side * end), cn_v3(0.0f, 0.0f, side * end), 0.05f);
        cn_build_rod(build, chassis, cn_v3(x, y, side * end), cn_v3(0.0f, 0.0f, side * end), 0.05f);
    }
    return chassis;
}

// The lowest foot stands on the ground.
static float shaft_height(void)
{
    float lowest = 0.0f;
    for (int i = 0; i < 2 * STATIONS; ++i)
        lowest = cn_minf(lowest, lay_leg(crank_pin(i / 2), i % 2).foot.y);
    return 2.0f * rod_radius - lowest;
}

void cn_scene_machine(cn_build *build)
{
    const cn_vec3 at = { -6.0f, shaft_height(), 0.0f };
    cn_build_ground(build);
    build->filter.group = -1;
    build->density = 500.0f;
    cn_body_id chassis = add_chassis(build, at), shaft = add_shaft(build, at);
    cn_joint_def motor = cn_hinge_joint(build->world, chassis, shaft, cn_build_anchor(build, (double)at.x, (double)at.y, 0.0),
                                        (cn_vec3){ 0.0f, 0.0f, 1.0f });
    motor.axes[CN_TWIST].motor = CN_MOTOR_SPEED;
    motor.axes[CN_TWIST].motor_target = -2.5f;
    motor.axes[CN_TWIST].motor_max_force = 2000.0f;
    cn_build_joint(build, &motor);
    for (int i = 0; i < 2 * STATIONS; ++i) {
        leg flat = lay_leg(crank_pin(i / 2), i % 2);
        add_leg(build, chassis, shaft, &flat, cn_add(at, cn_v3(0.0f, 0.0f, station_z(i / 2))));
    }
}
