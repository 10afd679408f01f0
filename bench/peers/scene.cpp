#include "scene.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

static Vec read_vec(std::istream &in)
{
    Vec v;
    in >> v.x >> v.y >> v.z;
    return v;
}

static Quat read_quat(std::istream &in)
{
    Quat q;
    in >> q.x >> q.y >> q.z >> q.w;
    return q;
}

static Body read_body(std::istream &in)
{
    Body body = {};
    std::string type;
    in >> type;
    body.type = type == "dynamic" ? BodyType::Dynamic : type == "kinematic" ? BodyType::Kinematic : BodyType::Static;
    body.pose.position = read_vec(in);
    body.pose.rotation = normalized(read_quat(in));
    body.linear_velocity = read_vec(in);
    body.angular_velocity = read_vec(in);
    return body;
}

// The peers have no such shape: points of a golden spiral over both balls, of which the hull keeps those outside.
static Polyhedron tapered_hull(std::istream &in)
{
    const int count = 48;
    double half_height = 0.0, radius[2] = { 0.0, 0.0 };
    in >> half_height >> radius[0] >> radius[1];
    std::vector<Vec> points;
    for (int i = 0; i < 2 * count; i++) {
        double y = 1.0 - (2.0 * (i % count) + 1.0) / count, across = std::sqrt(1.0 - y * y), turn = 2.399963 * (i % count);
        double r = radius[i / count];
        points.push_back({ r * across * std::cos(turn), (i < count ? -half_height : half_height) + r * y, r * across * std::sin(turn) });
    }
    return convex_hull(points);
}

static bool read_shape(const std::string &word, std::istream &in, Shape &shape)
{
    shape = {};
    shape.pose.position = read_vec(in);
    shape.pose.rotation = normalized(read_quat(in));
    in >> shape.density >> shape.friction >> shape.restitution;
    if (word == "box") {
        shape.type = ShapeType::Box;
        shape.half = read_vec(in);
    } else if (word == "sphere") {
        shape.type = ShapeType::Sphere;
        in >> shape.radius;
    } else if (word == "capsule" || word == "cylinder") {
        shape.type = word == "capsule" ? ShapeType::Capsule : ShapeType::Cylinder;
        in >> shape.half_height >> shape.radius;
    } else if (word == "tapered_capsule") {
        shape.type = ShapeType::Hull;
        shape.hull = tapered_hull(in);
    } else if (word == "hull") {
        shape.type = ShapeType::Hull;
        int count = 0;
        in >> count;
        std::vector<Vec> points;
        for (int i = 0; i < count && in; i++)
            points.push_back(read_vec(in));
        shape.hull = convex_hull(points);
    } else if (word == "mesh") {
        shape.type = ShapeType::Mesh;
        int vertices = 0, triangles = 0, index = 0;
        in >> vertices >> triangles;
        for (int i = 0; i < vertices && in; i++)
            shape.vertices.push_back(read_vec(in));
        for (int i = 0; i < 3 * triangles && in >> index; i++) {
            if (index < 0 || index >= vertices)
                return false;
            shape.indices.push_back(index);
        }
    } else {
        return false;
    }
    return true;
}

static Moments shape_moments(const Shape &s)
{
    double r = s.radius, h = s.half_height, d = s.density, pi = std::acos(-1.0);
    switch (s.type) {
    case ShapeType::Box: {
        double mass = 8.0 * d * s.half.x * s.half.y * s.half.z, third = mass / 3.0;
        return diagonal_moments(mass,
                                { third * s.half.x * s.half.x, third * s.half.y * s.half.y, third * s.half.z * s.half.z });
    }
    case ShapeType::Sphere: {
        double mass = d * 4.0 / 3.0 * pi * r * r * r, fifth = mass * r * r / 5.0;
        return diagonal_moments(mass, { fifth, fifth, fifth });
    }
    case ShapeType::Cylinder: {
        double mass = d * 2.0 * pi * r * r * h, across = mass * r * r / 4.0;
        return diagonal_moments(mass, { across, mass * h * h / 3.0, across });
    }
    case ShapeType::Capsule: { // a cylinder and two half balls, whose centres of mass lie 3/8 r above their flat sides
        double tube = d * 2.0 * pi * r * r * h, caps = d * 4.0 / 3.0 * pi * r * r * r;
        double across = tube * r * r / 4.0 + caps * r * r / 5.0;
        double along = tube * h * h / 3.0 + caps * (r * r / 5.0 + h * h + 2.0 * h * 3.0 / 8.0 * r);
        return diagonal_moments(tube + caps, { across, along, across });
    }
    case ShapeType::Hull: return polyhedron_moments(s.hull, d);
    case ShapeType::Mesh: break;
    }
    return {};
}

// Gives the new frame in the old one.
static Pose use_principal_frame(Body &body)
{
    Moments moments;
    for (const Shape &shape : body.shapes)
        moments = moments + placed(shape_moments(shape), shape.pose);
    Pose frame;
    principal_frame(moments, frame, body.moments);
    body.mass = moments.mass;
    body.pose = body.pose * frame;
    for (Shape &shape : body.shapes) {
        shape.pose = inverse(frame) * shape.pose;
        if (shape.type != ShapeType::Hull)
            continue;
        // A hull takes its pose into its vertices, so that a body of one hull needs no compound.
        for (Vec &v : shape.hull.vertices)
            v = transform(shape.pose, v);
        for (Vec &n : shape.hull.normals)
            n = rotate(shape.pose.rotation, n);
        shape.pose = {};
    }
    return frame;
}

static void use_principal_frames(Scene &scene)
{
    std::vector<Pose> frames(scene.bodies.size());
    for (size_t i = 0; i < frames.size(); i++) {
        if (scene.bodies[i].type == BodyType::Dynamic)
            frames[i] = use_principal_frame(scene.bodies[i]);
    }
    for (Joint &joint : scene.joints) {
        if (joint.a >= 0)
            joint.frame_a = inverse(frames[(size_t)joint.a]) * joint.frame_a;
        if (joint.b >= 0)
            joint.frame_b = inverse(frames[(size_t)joint.b]) * joint.frame_b;
    }
}

static bool read_filter(std::istream &in, Body &body)
{
    if (body.shapes.empty())
        return false;
    Filter &filter = body.shapes.back().filter;
    in >> filter.category >> filter.mask >> filter.group;
    return true;
}

Scene read_scene(const std::string &path)
{
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error(path + ": cannot be read");
    Scene scene = {};
    std::string line;
    for (int number = 1; std::getline(file, line); number++) {
        std::istringstream in(line);
        std::string word;
        if (!(in >> word) || word[0] == '#')
            continue;
        bool known = true;
        if (word == "cairn-scene") {
            int version = 0;
            in >> version;
            known = version == 1;
        } else if (word == "gravity") {
            scene.gravity = read_vec(in);
        } else if (word == "dt") {
            in >> scene.dt;
        } else if (word == "steps") {
            in >> scene.steps;
        } else if (word == "body") {
            scene.bodies.push_back(read_body(in));
        } else if (word == "filter") {
            known = !scene.bodies.empty() && read_filter(in, scene.bodies.back());
        } else if (word == "joint") {
            Joint joint;
            int count = (int)scene.bodies.size();
            known = read_joint(in, joint) && joint.a >= -1 && joint.a < count && joint.b >= -1 && joint.b < count;
            scene.joints.push_back(joint);
        } else if (word == "axis") {
            known = !scene.joints.empty() && read_axis(in, scene.joints.back());
        } else {
            Shape shape;
            known = !scene.bodies.empty() && read_shape(word, in, shape);
            if (known)
                scene.bodies.back().shapes.push_back(shape);
        }
        if (!known || in.fail())
            throw std::runtime_error(path + ":" + std::to_string(number) + ": cannot understand \"" + word + "\"");
    }
    use_principal_frames(scene);
    return scene;
}
