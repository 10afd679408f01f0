// Joints of a scene file: how they are read, which plain joint each of them is, and how far off it is.
#pragma once

#include "solid.h"

#include <istream>

enum class Freedom { Free, Locked, Limited };

struct JointAxis {
    Freedom freedom = Freedom::Free;
    double lower = 0.0, upper = 0.0; // m or rad
    double friction = 0.0;           // N or N m
    bool driven = false;             // has a spring, a motor, or a lock that gives way
};

enum { AXIS_X, AXIS_Y, AXIS_Z, AXIS_TWIST, AXIS_SWING_Y, AXIS_SWING_Z, AXIS_COUNT };

enum class JointType { Ball, Hinge, Fixed, Limited, Other };

// Frame b in frame a is turned by swing * twist: the twist about x comes first, and the swing takes x of a to x of b.
struct Joint {
    bool frames = false; // six degrees of freedom between two frames; false: a distance, a gear or the like
    int a = -1, b = -1;  // bodies of the scene; -1: the world
    Pose frame_a, frame_b;
    JointAxis axes[AXIS_COUNT];
    bool cone = false, collide = false;

    // What is neither a ball, a hinge nor fixed, but keeps an anchor, is Limited; what an engine need not know is Other.
    JointType type() const;
};

// The rest of a line after its first word. False when it cannot be understood.
bool read_joint(std::istream &in, Joint &joint);
bool read_axis(std::istream &in, Joint &joint);

// How far the locked ways are off, m, when the bodies are there.
double joint_gap(const Joint &joint, Pose body_a, Pose body_b);
// Twist, swing y and swing z, rad.
Vec joint_angles(const Joint &joint, Pose body_a, Pose body_b);
// By how much a limit on the rotation is passed, rad; 0 when none is.
double limit_passed(const Joint &joint, Pose body_a, Pose body_b);
// The larger of the two bounds, the middle between them, and half the way from one to the other, rad. What is free has bounds
// at half a turn, and what is locked at 0.
double reach(const JointAxis &axis);
double middle(const JointAxis &axis);
double half_range(const JointAxis &axis);
