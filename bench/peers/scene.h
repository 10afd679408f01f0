// A scene as `cairn scenes NAME --export FILE` writes it: the same bodies at the same places for every engine.
//
//     cairn-scene 1
//     gravity X Y Z
//     dt SECONDS
//     steps N
//     body static|kinematic|dynamic  PX PY PZ  QX QY QZ QW  VX VY VZ  WX WY WZ
// and after each body its shapes, all beginning with  OX OY OZ  QX QY QZ QW  DENSITY FRICTION RESTITUTION :
//     box ... HX HY HZ        sphere ... R        capsule ... HALF_HEIGHT R        cylinder ... HALF_HEIGHT R
//     tapered_capsule ... HALF_HEIGHT R_BOTTOM R_TOP    a hull of points on its two balls
//     hull ... N  X Y Z  X Y Z ...
//     mesh ... NV NT  X Y Z ...  A B C ...     NV vertices and NT triangles, counter-clockwise seen from the front; static
//     bodies only
//     filter CATEGORY MASK GROUP               of the shape before it, where it does not collide with everything
// Capsules and cylinders stand along y. Velocities are those of the centre of mass. Joints come last: app/export_joints.h.
#pragma once

#include "joints.h"
#include "solid.h"

#include <cstdint>
#include <string>
#include <vector>

enum class ShapeType { Box, Sphere, Capsule, Cylinder, Hull, Mesh };
enum class BodyType { Static, Kinematic, Dynamic };

// Two shapes collide when each one's category is in the other's mask, unless they share a group: then its sign decides.
struct Filter {
    uint64_t category = 1, mask = UINT64_MAX;
    int group = 0;
};
inline bool may_collide(const Filter &a, const Filter &b)
{
    return a.group != 0 && a.group == b.group ? a.group > 0 : (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

struct Shape {
    ShapeType type;
    Pose pose; // in the frame of the body
    double density, friction, restitution;
    Filter filter;
    Vec half;                   // box
    double radius, half_height; // the round ones
    Polyhedron hull;
    std::vector<Vec> vertices; // mesh
    std::vector<int> indices;  // three per triangle
};

// For a dynamic body the frame is that of its principal axes of inertia at its centre of mass, shapes included: no engine
// has to know more than three moments.
struct Body {
    BodyType type;
    Pose pose;
    Vec linear_velocity, angular_velocity;
    double mass;
    Vec moments;
    std::vector<Shape> shapes;
};

struct Scene {
    Vec gravity;
    double dt;
    int steps;
    std::vector<Body> bodies;
    std::vector<Joint> joints; // frames in the bodies' frames above
};

// Throws std::runtime_error with file and line.
Scene read_scene(const std::string &path);
