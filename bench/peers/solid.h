// Vectors, frames, and the mass properties of solids, in double: what the engines are given must not depend on the engine.
#pragma once

#include <vector>

struct Vec {
    double x = 0.0, y = 0.0, z = 0.0;
};
inline Vec operator+(Vec a, Vec b) { return { a.x + b.x, a.y + b.y, a.z + b.z }; }
inline Vec operator-(Vec a, Vec b) { return { a.x - b.x, a.y - b.y, a.z - b.z }; }
inline Vec operator*(double s, Vec a) { return { s * a.x, s * a.y, s * a.z }; }
inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(Vec a, Vec b) { return { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }

struct Quat {
    double x = 0.0, y = 0.0, z = 0.0, w = 1.0;
};
Quat operator*(Quat a, Quat b);
Quat conjugate(Quat q);
Quat normalized(Quat q);
Vec rotate(Quat q, Vec v);

// Takes points of its own frame to the frame it is given in.
struct Pose {
    Vec position;
    Quat rotation;
};
Pose operator*(Pose a, Pose b);
Pose inverse(Pose a);
inline Vec transform(Pose a, Vec p) { return a.position + rotate(a.rotation, p); }

// Faces are wound counter-clockwise seen from outside.
struct Polyhedron {
    std::vector<Vec> vertices;
    std::vector<std::vector<int>> faces;
    std::vector<Vec> normals; // of the faces
};

// The convex hull of a small cloud that has a volume. Triangles that lie in one plane, to a millionth of the size, are one
// face.
Polyhedron convex_hull(const std::vector<Vec> &points);

// Second moments: integral of density * r r^T, from which sums and frames are simpler than with the inertia tensor.
struct Moments {
    double mass = 0.0;
    Vec first; // integral of density * r
    double second[3][3] = { { 0 }, { 0 }, { 0 } };
};
Moments polyhedron_moments(const Polyhedron &solid, double density);
// A solid whose axes are principal: second moments xx, yy, zz about its own centre.
Moments diagonal_moments(double mass, Vec second);
Moments placed(const Moments &moments, Pose pose);
Moments operator+(const Moments &a, const Moments &b);

// The frame of principal axes at the centre of mass, and the moments of inertia about them.
void principal_frame(const Moments &moments, Pose &frame, Vec &inertia);
