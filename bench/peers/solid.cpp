#include "solid.h"

#include <algorithm>
#include <cmath>
#include <set>

Quat operator*(Quat a, Quat b)
{
    return { a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
             a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

Quat conjugate(Quat q) { return { -q.x, -q.y, -q.z, q.w }; }

Quat normalized(Quat q)
{
    double s = 1.0 / std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return { s * q.x, s * q.y, s * q.z, s * q.w };
}

Vec rotate(Quat q, Vec v)
{
    Vec u = { q.x, q.y, q.z };
    Vec t = 2.0 * cross(u, v);
    return v + q.w * t + cross(u, t);
}

Pose operator*(Pose a, Pose b) { return { transform(a, b.position), a.rotation * b.rotation }; }

Pose inverse(Pose a)
{
    Quat q = conjugate(a.rotation);
    return { -1.0 * rotate(q, a.position), q };
}

// ---- Hull

// Indices of the points in the plane, in order around its normal, corners only.
static std::vector<int> face_in_plane(const std::vector<Vec> &points, Vec normal, double offset, double tolerance)
{
    std::vector<int> ids;
    Vec center;
    for (int i = 0; i < (int)points.size(); i++) {
        if (std::fabs(dot(normal, points[i]) - offset) <= tolerance) {
            ids.push_back(i);
            center = center + points[i];
        }
    }
    center = (1.0 / (double)ids.size()) * center;
    Vec u = points[ids[0]] - center;
    Vec v = cross(normal, u);
    auto angle = [&](int i) { return std::atan2(dot(v, points[i] - center), dot(u, points[i] - center)); };
    std::sort(ids.begin(), ids.end(), [&](int a, int b) { return angle(a) < angle(b); });
    for (size_t i = 0; i < ids.size() && ids.size() > 3;) { // drop points inside an edge
        Vec a = points[ids[(i + ids.size() - 1) % ids.size()]], b = points[ids[i]], c = points[ids[(i + 1) % ids.size()]];
        if (dot(normal, cross(b - a, c - b)) <= tolerance * tolerance)
            ids.erase(ids.begin() + (long)i);
        else
            i++;
    }
    return ids;
}

// Keeps the vertices that faces use, in their old order.
static void drop_unused(Polyhedron &hull)
{
    std::vector<int> renamed(hull.vertices.size(), -1);
    for (auto &face : hull.faces)
        for (int i : face)
            renamed[i] = 0;
    std::vector<Vec> kept;
    for (size_t i = 0; i < renamed.size(); i++) {
        if (renamed[i] == 0) {
            renamed[i] = (int)kept.size();
            kept.push_back(hull.vertices[i]);
        }
    }
    for (auto &face : hull.faces)
        for (int &i : face)
            i = renamed[i];
    hull.vertices = kept;
}

Polyhedron convex_hull(const std::vector<Vec> &points)
{
    Polyhedron hull;
    hull.vertices = points;
    double size = 0.0;
    for (Vec p : points)
        size = std::max({ size, std::fabs(p.x), std::fabs(p.y), std::fabs(p.z) });
    double tolerance = 1e-5 * size;
    std::set<std::vector<int>> known; // sorted corners of faces found
    int n = (int)points.size();
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            for (int k = j + 1; k < n; k++) {
                Vec normal = cross(points[j] - points[i], points[k] - points[i]);
                double length = std::sqrt(dot(normal, normal));
                if (length < tolerance * size)
                    continue;
                normal = (1.0 / length) * normal;
                double offset = dot(normal, points[i]), above = 0.0, below = 0.0;
                for (Vec p : points) {
                    above = std::max(above, dot(normal, p) - offset);
                    below = std::max(below, offset - dot(normal, p));
                }
                if (above > tolerance && below > tolerance)
                    continue;
                if (above > tolerance) {
                    normal = -1.0 * normal;
                    offset = -offset;
                }
                std::vector<int> face = face_in_plane(points, normal, offset, tolerance), sorted = face;
                std::sort(sorted.begin(), sorted.end());
                if (known.insert(sorted).second) {
                    hull.faces.push_back(face);
                    hull.normals.push_back(normal);
                }
            }
        }
    }
    drop_unused(hull);
    return hull;
}

// ---- Mass

// Sums signed tetrahedra from the origin (Tonon 2004: integral of r r^T over a tetrahedron with one corner at the origin).
Moments polyhedron_moments(const Polyhedron &solid, double density)
{
    Moments m;
    for (const auto &face : solid.faces) {
        for (size_t i = 1; i + 1 < face.size(); i++) {
            Vec a = solid.vertices[face[0]], b = solid.vertices[face[i]], c = solid.vertices[face[i + 1]];
            double mass = density * dot(a, cross(b, c)) / 6.0;
            Vec sum = a + b + c;
            m.mass += mass;
            m.first = m.first + (mass / 4.0) * sum;
            const double s[3] = { sum.x, sum.y, sum.z };
            const double v[3][3] = { { a.x, a.y, a.z }, { b.x, b.y, b.z }, { c.x, c.y, c.z } };
            for (int r = 0; r < 3; r++)
                for (int q = 0; q < 3; q++)
                    m.second[r][q] += mass / 20.0 * (s[r] * s[q] + v[0][r] * v[0][q] + v[1][r] * v[1][q] + v[2][r] * v[2][q]);
        }
    }
    return m;
}

Moments diagonal_moments(double mass, Vec second)
{
    Moments m;
    m.mass = mass;
    m.second[0][0] = second.x;
    m.second[1][1] = second.y;
    m.second[2][2] = second.z;
    return m;
}

static Vec column(Quat q, int i) { return rotate(q, i == 0 ? Vec{ 1, 0, 0 } : i == 1 ? Vec{ 0, 1, 0 } : Vec{ 0, 0, 1 }); }
static double component(Vec v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

Moments placed(const Moments &moments, Pose pose)
{
    Moments m;
    m.mass = moments.mass;
    Vec first = rotate(pose.rotation, moments.first), p = pose.position;
    m.first = first + moments.mass * p;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double sum = component(first, r) * component(p, c) + component(p, r) * component(first, c) +
                         moments.mass * component(p, r) * component(p, c);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum +=
                        component(column(pose.rotation, i), r) * moments.second[i][j] * component(column(pose.rotation, j), c);
            m.second[r][c] = sum;
        }
    }
    return m;
}

Moments operator+(const Moments &a, const Moments &b)
{
    Moments m = a;
    m.mass += b.mass;
    m.first = a.first + b.first;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m.second[r][c] += b.second[r][c];
    return m;
}

// One Jacobi rotation that clears second[p][q]; `axes` is turned along.
static void clear_entry(double s[3][3], Quat &axes, int p, int q)
{
    if (std::fabs(s[p][q]) < 1e-12 * (s[0][0] + s[1][1] + s[2][2]))
        return; // also keeps a frame that is principal already as it is
    double angle = 0.5 * std::atan2(2.0 * s[p][q], s[p][p] - s[q][q]);
    int k = 3 - p - q; // the axis of rotation; its sign follows the cyclic order
    double sign = (p + 1) % 3 == q ? 1.0 : -1.0, half = 0.5 * angle * sign;
    Quat turn = { k == 0 ? std::sin(half) : 0.0, k == 1 ? std::sin(half) : 0.0, k == 2 ? std::sin(half) : 0.0, std::cos(half) };
    axes = axes * turn;
    Moments m;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m.second[r][c] = s[r][c];
    m = placed(m, { {}, conjugate(turn) });
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s[r][c] = m.second[r][c];
}

void principal_frame(const Moments &moments, Pose &frame, Vec &inertia)
{
    Vec center = (1.0 / moments.mass) * moments.first;
    double s[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            s[r][c] = moments.second[r][c] - moments.mass * component(center, r) * component(center, c);
    frame = { center, {} };
    for (int round = 0; round < 12; round++) {
        clear_entry(s, frame.rotation, 0, 1);
        clear_entry(s, frame.rotation, 1, 2);
        clear_entry(s, frame.rotation, 0, 2);
    }
    frame.rotation = normalized(frame.rotation);
    inertia = { s[1][1] + s[2][2], s[0][0] + s[2][2], s[0][0] + s[1][1] };
}
