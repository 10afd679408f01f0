// A scene as `cairn scenes NAME --export FILE` writes it: the same bodies at the same places for every engine.
//
//     cairn-scene 1
//     gravity X Y Z
//     dt SECONDS
//     steps N
//     body static|kinematic|dynamic  PX PY PZ  QX QY QZ QW  VX VY VZ  WX WY WZ
// and after each body its shapes, all beginning with  OX OY OZ  QX QY QZ QW  DENSITY FRICTION RESTITUTION :
//     box ... HX HY HZ        sphere ... R        capsule ... HALF_HEIGHT R        cylinder ... HALF_HEIGHT R
//     hull ... N  X Y Z  X Y Z ...
//     mesh ... NV NT  X Y Z ...  A B C ...     NV vertices and NT triangles, counter-clockwise seen from the front; static
//     bodies only
// Capsules and cylinders stand along y. Velocities are those of the centre of mass.
#pragma once

#include "solid.h"

#include <string>
#include <vector>

enum class ShapeType { Box, Sphere, Capsule, Cylinder, Hull, Mesh };
enum class BodyType { Static, Kinematic, Dynamic };

struct Shape {
    ShapeType type;
    Pose pose; // in the frame of the body
    double density, friction, restitution;
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
};

// Throws std::runtime_error with file and line.
Scene read_scene(const std::string &path);
