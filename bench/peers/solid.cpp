#include "solid.h"

#include <algorithm>
#include <cmath>
#include <map>

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

// Its surface as triangles, which is closed whatever rounding does: what a point sees is cut out and closed again around it.
struct Triangle {
    int corners[3];
    Vec normal; // of unit length; zero for one without area
    double area;
};

static Triangle triangle_of(const std::vector<Vec> &points, int a, int b, int c)
{
    Vec normal = cross(points[b] - points[a], points[c] - points[a]);
    double length = std::sqrt(dot(normal, normal));
    return { { a, b, c }, (length > 0.0 ? 1.0 / length : 0.0) * normal, 0.5 * length };
}

static double height(const std::vector<Vec> &points, const Triangle &t, int point)
{
    return dot(t.normal, points[point] - points[t.corners[0]]);
}

template <class Measure> static int largest(int count, Measure measure)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = measure(i) > measure(best) ? i : best;
    return best;
}

static std::vector<Triangle> first_tetrahedron(const std::vector<Vec> &points)
{
    int n = (int)points.size(), a = 0;
    int b = largest(n, [&](int i) { return dot(points[i] - points[a], points[i] - points[a]); });
    int c = largest(n, [&](int i) { return triangle_of(points, a, b, i).area; });
    Triangle base = triangle_of(points, a, b, c);
    int d = largest(n, [&](int i) { return std::fabs(height(points, base, i)); });
    if (height(points, base, d) > 0.0)
        std::swap(b, c);
    return { triangle_of(points, a, b, c), triangle_of(points, a, d, b), triangle_of(points, b, d, c),
             triangle_of(points, c, d, a) };
}

using Edges = std::map<std::pair<int, int>, int>; // from, to: which triangle walks them so

static Edges edges_of(const std::vector<Triangle> &triangles)
{
    Edges edges;
    for (size_t i = 0; i < triangles.size(); i++)
        for (int k = 0; k < 3; k++)
            edges[{ triangles[i].corners[k], triangles[i].corners[(k + 1) % 3] }] = (int)i;
    return edges;
}

static void add_point(const std::vector<Vec> &points, int point, double tolerance, std::vector<Triangle> &triangles)
{
    std::vector<Triangle> seen, kept;
    for (const Triangle &t : triangles)
        (height(points, t, point) > tolerance ? seen : kept).push_back(t);
    Edges cut = edges_of(seen);
    for (const auto &edge : cut)
        if (cut.count({ edge.first.second, edge.first.first }) == 0)
            kept.push_back(triangle_of(points, edge.first.first, edge.first.second, point));
    triangles = kept;
}

// The triangles that hang together with `seed` and lie in its plane; those that were taken before are left out.
static std::vector<int> flat_region(const std::vector<Vec> &points, const std::vector<Triangle> &triangles, const Edges &edges,
                                    int seed, double tolerance, std::vector<bool> &taken)
{
    std::vector<int> region = { seed };
    taken[seed] = true;
    for (size_t i = 0; i < region.size(); i++) {
        for (int k = 0; k < 3; k++) {
            const int *corners = triangles[region[i]].corners;
            int next = edges.at({ corners[(k + 1) % 3], corners[k] });
            const Triangle &t = triangles[next];
            bool flat = std::all_of(t.corners, t.corners + 3,
                                    [&](int c) { return std::fabs(height(points, triangles[seed], c)) <= tolerance; });
            if (!taken[next] && flat) {
                taken[next] = true;
                region.push_back(next);
            }
        }
    }
    return region;
}

// The corners around a region, in order.
static std::vector<int> outline(const std::vector<Triangle> &triangles, const std::vector<int> &region)
{
    std::vector<Triangle> own;
    for (int i : region)
        own.push_back(triangles[i]);
    Edges edges = edges_of(own);
    std::map<int, int> next;
    for (const auto &edge : edges)
        if (edges.count({ edge.first.second, edge.first.first }) == 0)
            next[edge.first.first] = edge.first.second;
    std::vector<int> corners;
    for (int at = next.begin()->first; corners.size() < next.size(); at = next[at])
        corners.push_back(at);
    return corners;
}

// A corner of two faces alone lies inside the edge between them, and goes from both.
static void drop_straight_corners(Polyhedron &hull)
{
    std::vector<int> uses(hull.vertices.size(), 0);
    for (const auto &face : hull.faces)
        for (int i : face)
            uses[i]++;
    for (auto &face : hull.faces)
        face.erase(std::remove_if(face.begin(), face.end(), [&](int i) { return uses[i] == 2; }), face.end());
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
    double size = 0.0;
    for (Vec p : points)
        size = std::max({ size, std::fabs(p.x), std::fabs(p.y), std::fabs(p.z) });
    std::vector<Triangle> triangles = first_tetrahedron(points);
    for (int i = 0; i < (int)points.size(); i++)
        add_point(points, i, 1e-12 * size, triangles);
    // The largest first, whose planes are known best.
    std::sort(triangles.begin(), triangles.end(), [](const Triangle &a, const Triangle &b) { return a.area > b.area; });
    Edges edges = edges_of(triangles);
    std::vector<bool> taken(triangles.size(), false);
    Polyhedron hull;
    hull.vertices = points;
    for (int i = 0; i < (int)triangles.size(); i++) {
        if (taken[i])
            continue;
        hull.faces.push_back(outline(triangles, flat_region(points, triangles, edges, i, 1e-6 * size, taken)));
        hull.normals.push_back(triangles[i].normal);
    }
    drop_straight_corners(hull);
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
