#include "joints.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

static const double PI = std::acos(-1.0);

// Streams cannot read "inf".
static double read_number(std::istream &in)
{
    std::string word;
    in >> word;
    return std::strtod(word.c_str(), nullptr);
}

static Pose read_frame(std::istream &in)
{
    Pose p;
    in >> p.position.x >> p.position.y >> p.position.z;
    in >> p.rotation.x >> p.rotation.y >> p.rotation.z >> p.rotation.w;
    p.rotation = normalized(p.rotation);
    return p;
}

bool read_joint(std::istream &in, Joint &joint)
{
    std::string kind;
    in >> kind >> joint.a >> joint.b;
    joint.frames = kind == "frames";
    joint.frame_a = read_frame(in);
    joint.frame_b = read_frame(in);
    in >> joint.cone >> joint.collide;
    return !in.fail();
}

bool read_axis(std::istream &in, Joint &joint)
{
    static const char *const names[AXIS_COUNT] = { "x", "y", "z", "twist", "swing_y", "swing_z" };
    std::string name, freedom, motor;
    in >> name >> freedom;
    int index = (int)(std::find(names, names + AXIS_COUNT, name) - names);
    if (index == AXIS_COUNT)
        return false;
    JointAxis &axis = joint.axes[index];
    axis.freedom = freedom == "locked" ? Freedom::Locked : freedom == "limited" ? Freedom::Limited : Freedom::Free;
    axis.lower = read_number(in);
    axis.upper = read_number(in);
    double hertz = read_number(in);
    read_number(in); // damping ratio
    double stiffness = read_number(in), damping = read_number(in);
    read_number(in); // rest
    in >> motor;
    for (int i = 0; i < 4; i++)
        read_number(in); // of the motor
    axis.friction = read_number(in);
    axis.driven = (axis.freedom != Freedom::Free && hertz > 0.0) || stiffness > 0.0 || damping > 0.0 || motor != "off";
    return !in.fail();
}

JointType Joint::type() const
{
    bool driven = std::any_of(axes, axes + AXIS_COUNT, [](const JointAxis &axis) { return axis.driven; });
    auto all = [&](int first, int last, Freedom freedom) {
        return std::all_of(axes + first, axes + last, [&](const JointAxis &axis) { return axis.freedom == freedom; });
    };
    if (!frames || driven || !all(AXIS_X, AXIS_TWIST, Freedom::Locked))
        return JointType::Other;
    if (all(AXIS_TWIST, AXIS_COUNT, Freedom::Free))
        return JointType::Ball;
    if (!all(AXIS_SWING_Y, AXIS_COUNT, Freedom::Locked))
        return JointType::Limited;
    return axes[AXIS_TWIST].freedom == Freedom::Locked ? JointType::Fixed : JointType::Hinge;
}

static Pose between(const Joint &joint, Pose body_a, Pose body_b)
{
    return inverse(body_a * joint.frame_a) * (body_b * joint.frame_b);
}

double joint_gap(const Joint &joint, Pose body_a, Pose body_b)
{
    if (!joint.frames)
        return 0.0;
    Vec p = between(joint, body_a, body_b).position;
    double ways[] = { p.x, p.y, p.z }, sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += joint.axes[i].freedom == Freedom::Locked ? ways[i] * ways[i] : 0.0;
    return std::sqrt(sum);
}

Vec joint_angles(const Joint &joint, Pose body_a, Pose body_b)
{
    Quat q = between(joint, body_a, body_b).rotation;
    if (q.w < 0.0)
        q = { -q.x, -q.y, -q.z, -q.w };
    double twist = 2.0 * std::atan2(q.x, q.w), upright = std::hypot(q.x, q.w);
    if (upright == 0.0)
        return { 0.0, PI, 0.0 };
    Quat swing = q * conjugate(Quat{ q.x / upright, 0.0, 0.0, q.w / upright });
    double sine = std::hypot(swing.y, swing.z), angle = 2.0 * std::atan2(sine, swing.w);
    double scale = sine > 1e-12 ? angle / sine : 2.0;
    return { twist, scale * swing.y, scale * swing.z };
}

static double lower_bound(const JointAxis &axis)
{
    return axis.freedom == Freedom::Limited ? axis.lower : axis.freedom == Freedom::Free ? -PI : 0.0;
}
static double upper_bound(const JointAxis &axis)
{
    return axis.freedom == Freedom::Limited ? axis.upper : axis.freedom == Freedom::Free ? PI : 0.0;
}
double reach(const JointAxis &axis) { return std::max(std::fabs(lower_bound(axis)), std::fabs(upper_bound(axis))); }
double middle(const JointAxis &axis) { return 0.5 * (lower_bound(axis) + upper_bound(axis)); }
double half_range(const JointAxis &axis) { return 0.5 * (upper_bound(axis) - lower_bound(axis)); }

static double passed(const JointAxis &axis, double angle)
{
    return axis.freedom == Freedom::Limited ? std::max({ 0.0, axis.lower - angle, angle - axis.upper }) : 0.0;
}

double limit_passed(const Joint &joint, Pose body_a, Pose body_b)
{
    if (!joint.frames)
        return 0.0;
    Vec angles = joint_angles(joint, body_a, body_b);
    const JointAxis &y = joint.axes[AXIS_SWING_Y], &z = joint.axes[AXIS_SWING_Z];
    double twist = passed(joint.axes[AXIS_TWIST], angles.x);
    bool cone = joint.cone && y.freedom == Freedom::Limited && z.freedom == Freedom::Limited;
    if (!cone)
        return std::max({ twist, passed(y, angles.y), passed(z, angles.z) });
    // Along the line to the axis of the cone: a share of the swing.
    double swing = std::hypot(angles.y, angles.z), share = std::hypot(angles.y / reach(y), angles.z / reach(z));
    return std::max(twist, share > 1.0 ? swing * (1.0 - 1.0 / share) : 0.0);
}
