// ODE's quick step at its defaults, up to four contact points per pair, with sleeping off.
#include "engine.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

enum { MAX_CONTACTS = 4 };

static void to_ode(Quat q, dQuaternion out)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

// ODE keeps pointers to what describes a convex geom.
struct ConvexData {
    std::vector<dReal> planes, points;
    std::vector<unsigned> polygons;
};

struct MeshData {
    std::vector<double> vertices;
    std::vector<dTriIndex> indices;
    dTriMeshDataID id = nullptr;
};

struct Surface {
    double friction, restitution;
    Filter filter;
};

class Ode : public Engine
{
  public:
    explicit Ode(const Scene &scene)
    {
        dInitODE2(0);
        world = dWorldCreate();
        space = dHashSpaceCreate(nullptr);
        contacts = dJointGroupCreate(0);
        dWorldSetGravity(world, scene.gravity.x, scene.gravity.y, scene.gravity.z);
        dWorldSetAutoDisableFlag(world, 0);
        for (const Body &body : scene.bodies)
            add(body);
        for (const Joint &joint : scene.joints)
            add(joint, pose_of(scene, joint.a), pose_of(scene, joint.b));
    }

    ~Ode() override
    {
        dJointGroupDestroy(contacts);
        dSpaceDestroy(space);
        for (auto &mesh : meshes)
            dGeomTriMeshDataDestroy(mesh->id);
        dWorldDestroy(world);
        dCloseODE();
    }

    const char *name() const override { return "ode"; }

    void step(double dt) override
    {
        dSpaceCollide(space, this, make_contacts);
        dWorldQuickStep(world, dt);
        dJointGroupEmpty(contacts);
    }

    double max_penetration() override
    {
        deepest = 0.0;
        dSpaceCollide(space, this, find_deepest);
        return deepest;
    }

    Motion motion(int index) const override
    {
        dBodyID body = bodies[(size_t)index];
        const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
        return { { { x[0], x[1], x[2] }, { q[1], q[2], q[3], q[0] } }, { v[0], v[1], v[2] }, { w[0], w[1], w[2] } };
    }

  private:
    static const Surface &surface_of(dGeomID geom) { return *static_cast<Surface *>(dGeomGetData(geom)); }

    // Two bodies that a joint holds never touch here, whatever the joint says.
    static bool may_touch(dGeomID a, dGeomID b)
    {
        dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        bool moves_a = body_a != nullptr && !dBodyIsKinematic(body_a), moves_b = body_b != nullptr && !dBodyIsKinematic(body_b);
        if ((!moves_a && !moves_b) || body_a == body_b)
            return false;
        if (body_a != nullptr && body_b != nullptr && dAreConnectedExcluding(body_a, body_b, dJointTypeContact))
            return false;
        return may_collide(surface_of(a).filter, surface_of(b).filter);
    }

    static void make_contacts(void *data, dGeomID a, dGeomID b)
    {
        if (!may_touch(a, b))
            return;
        Ode *ode = static_cast<Ode *>(data);
        dContact found[MAX_CONTACTS];
        int count = dCollide(a, b, MAX_CONTACTS, &found[0].geom, sizeof(dContact));
        const Surface &surface_a = surface_of(a), &surface_b = surface_of(b);
        for (int i = 0; i < count; i++) {
            found[i].surface = dSurfaceParameters();
            found[i].surface.mode = dContactApprox1;
            found[i].surface.mu = std::sqrt(surface_a.friction * surface_b.friction);
            double restitution = std::max(surface_a.restitution, surface_b.restitution);
            if (restitution > 0.0) {
                found[i].surface.mode |= dContactBounce;
                found[i].surface.bounce = restitution;
            }
            dJointID joint = dJointCreateContact(ode->world, ode->contacts, &found[i]);
            dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
        }
    }

    static void find_deepest(void *data, dGeomID a, dGeomID b)
    {
        if (!may_touch(a, b))
            return;
        Ode *ode = static_cast<Ode *>(data);
        dContactGeom found[MAX_CONTACTS];
        int count = dCollide(a, b, MAX_CONTACTS, found, sizeof(dContactGeom));
        for (int i = 0; i < count; i++)
            ode->deepest = std::max(ode->deepest, (double)found[i].depth);
    }

    dGeomID make_convex(const Polyhedron &hull)
    {
        convexes.push_back(std::make_unique<ConvexData>());
        ConvexData &data = *convexes.back();
        for (Vec v : hull.vertices)
            data.points.insert(data.points.end(), { v.x, v.y, v.z });
        for (size_t i = 0; i < hull.faces.size(); i++) {
            Vec n = hull.normals[i];
            data.planes.insert(data.planes.end(), { n.x, n.y, n.z, dot(n, hull.vertices[(size_t)hull.faces[i][0]]) });
            data.polygons.push_back((unsigned)hull.faces[i].size());
            for (int v : hull.faces[i])
                data.polygons.push_back((unsigned)v);
        }
        return dCreateConvex(space, data.planes.data(), (unsigned)hull.faces.size(), data.points.data(),
                             (unsigned)hull.vertices.size(), data.polygons.data());
    }

    dGeomID make_mesh(const Shape &shape)
    {
        meshes.push_back(std::make_unique<MeshData>());
        MeshData &data = *meshes.back();
        for (Vec v : shape.vertices)
            data.vertices.insert(data.vertices.end(), { v.x, v.y, v.z });
        data.indices.assign(shape.indices.begin(), shape.indices.end());
        data.id = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildDouble(data.id, data.vertices.data(), 3 * sizeof(double), (int)shape.vertices.size(),
                                    data.indices.data(), (int)data.indices.size(), 3 * sizeof(dTriIndex));
        return dCreateTriMesh(space, data.id, nullptr, nullptr, nullptr);
    }

    dGeomID make_geom(const Shape &shape)
    {
        switch (shape.type) {
        case ShapeType::Box: return dCreateBox(space, 2 * shape.half.x, 2 * shape.half.y, 2 * shape.half.z);
        case ShapeType::Sphere: return dCreateSphere(space, shape.radius);
        case ShapeType::Capsule: return dCreateCapsule(space, shape.radius, 2 * shape.half_height);
        case ShapeType::Cylinder: return dCreateCylinder(space, shape.radius, 2 * shape.half_height);
        case ShapeType::Mesh: return make_mesh(shape);
        case ShapeType::Hull: break;
        }
        return make_convex(shape.hull);
    }

    // Capsules and cylinders stand along z in ODE and along y in the scene.
    static Pose geom_pose(const Shape &shape)
    {
        const double half_root = std::sqrt(0.5);
        bool round = shape.type == ShapeType::Capsule || shape.type == ShapeType::Cylinder;
        return round ? shape.pose * Pose{ {}, { -half_root, 0.0, 0.0, half_root } } : shape.pose;
    }

    void add(const Body &body)
    {
        dBodyID made = body.type != BodyType::Static ? dBodyCreate(world) : nullptr;
        bodies.push_back(made);
        if (made != nullptr)
            set_motion(made, body);
        for (const Shape &shape : body.shapes) {
            dGeomID geom = make_geom(shape);
            surfaces.push_back(std::make_unique<Surface>(Surface{ shape.friction, shape.restitution, shape.filter }));
            dGeomSetData(geom, surfaces.back().get());
            Pose pose = geom_pose(shape);
            dQuaternion q;
            if (made == nullptr) {
                pose = body.pose * pose;
                to_ode(pose.rotation, q);
                dGeomSetPosition(geom, pose.position.x, pose.position.y, pose.position.z);
                dGeomSetQuaternion(geom, q);
            } else {
                to_ode(pose.rotation, q);
                dGeomSetBody(geom, made);
                dGeomSetOffsetPosition(geom, pose.position.x, pose.position.y, pose.position.z);
                dGeomSetOffsetQuaternion(geom, q);
            }
        }
    }

    static void set_motion(dBodyID made, const Body &body)
    {
        dQuaternion q;
        to_ode(body.pose.rotation, q);
        dBodySetPosition(made, body.pose.position.x, body.pose.position.y, body.pose.position.z);
        dBodySetQuaternion(made, q);
        dBodySetLinearVel(made, body.linear_velocity.x, body.linear_velocity.y, body.linear_velocity.z);
        dBodySetAngularVel(made, body.angular_velocity.x, body.angular_velocity.y, body.angular_velocity.z);
        if (body.type == BodyType::Kinematic) {
            dBodySetKinematic(made);
            return;
        }
        dMass mass;
        dMassSetParameters(&mass, body.mass, 0, 0, 0, body.moments.x, body.moments.y, body.moments.z, 0, 0, 0);
        dBodySetMass(made, &mass);
    }

    bool moves(int body) const { return body >= 0 && bodies[(size_t)body] != nullptr; }
    static Pose pose_of(const Scene &scene, int body) { return body >= 0 ? scene.bodies[(size_t)body].pose : Pose{}; }

    void add(const Joint &joint, Pose pose_a, Pose pose_b)
    {
        Pose frame_a = pose_a * joint.frame_a, frame_b = pose_b * joint.frame_b;
        Vec anchor = frame_b.position, axis = rotate(frame_a.rotation, { 1.0, 0.0, 0.0 });
        Vec start = joint_angles(joint, pose_a, pose_b);
        const JointAxis &twist = joint.axes[AXIS_TWIST];
        JointType type = joint.type();
        if (type == JointType::Hinge) {
            dJointID hinge = attached(dJointCreateHinge(world, nullptr), joint);
            dJointSetHingeAnchor(hinge, anchor.x, anchor.y, anchor.z);
            dJointSetHingeAxis(hinge, axis.x, axis.y, axis.z);
            // It counts the turn of the first body against the second, and a body against the world in either order.
            set_axis(hinge, dJointSetHingeParam, 0, twist, start.x, moves(joint.a) ? -1.0 : 1.0);
        } else if (type == JointType::Fixed) {
            dJointSetFixed(attached(dJointCreateFixed(world, nullptr), joint));
        } else if (type == JointType::Ball || type == JointType::Limited) {
            dJointID ball = attached(dJointCreateBall(world, nullptr), joint);
            dJointSetBallAnchor(ball, anchor.x, anchor.y, anchor.z);
            if (type == JointType::Limited || twist.friction > 0.0)
                add_stops(joint, frame_a, frame_b, start);
        } else {
            throw std::runtime_error("ode: a joint of the scene has no counterpart here");
        }
    }

    dJointID attached(dJointID made, const Joint &joint)
    {
        dJointAttach(made, moves(joint.a) ? bodies[(size_t)joint.a] : nullptr,
                     moves(joint.b) ? bodies[(size_t)joint.b] : nullptr);
        return made;
    }

    // Swing and twist as Euler angles, which come closest of what there is: z of a, then y, then x of b. The one in the middle
    // must stay within a quarter turn.
    void add_stops(const Joint &joint, Pose frame_a, Pose frame_b, Vec start)
    {
        if (!moves(joint.a) || !moves(joint.b))
            throw std::runtime_error("ode: limits of a ball joint between a body and the world are not written here");
        const double quarter = 1.5;
        dJointID motor = attached(dJointCreateAMotor(world, nullptr), joint);
        Vec z = rotate(frame_a.rotation, { 0.0, 0.0, 1.0 }), x = rotate(frame_b.rotation, { 1.0, 0.0, 0.0 });
        x = x - dot(x, z) * z;
        dJointSetAMotorMode(motor, dAMotorEuler);
        dJointSetAMotorAxis(motor, 0, 1, z.x, z.y, z.z);
        dJointSetAMotorAxis(motor, 2, 2, x.x, x.y, x.z);
        JointAxis middle = joint.axes[AXIS_SWING_Y];
        middle.lower = middle.freedom == Freedom::Limited ? std::max(middle.lower, -quarter) : -quarter;
        middle.upper = middle.freedom == Freedom::Limited ? std::min(middle.upper, quarter) : quarter;
        middle.freedom = Freedom::Limited;
        set_axis(motor, dJointSetAMotorParam, 0, joint.axes[AXIS_SWING_Z], start.z, -1.0);
        set_axis(motor, dJointSetAMotorParam, dParamGroup, middle, start.y, 1.0);
        set_axis(motor, dJointSetAMotorParam, 2 * dParamGroup, joint.axes[AXIS_TWIST], start.x, -1.0);
    }

    // ODE counts angles from where a joint was made.
    static void set_axis(dJointID joint, void (*set)(dJointID, int, dReal), int group, const JointAxis &axis, double start,
                         double sign)
    {
        double lower = axis.lower - start, upper = axis.upper - start;
        if (axis.freedom == Freedom::Limited) {
            // The first call is refused while the upper stop is below the lower.
            for (int i = 0; i < 2; i++) {
                set(joint, group + dParamLoStop, sign > 0.0 ? lower : -upper);
                set(joint, group + dParamHiStop, sign > 0.0 ? upper : -lower);
            }
        }
        if (axis.friction > 0.0) {
            set(joint, group + dParamVel, 0.0);
            set(joint, group + dParamFMax, axis.friction);
        }
    }

    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    std::vector<dBodyID> bodies;
    std::vector<std::unique_ptr<ConvexData>> convexes;
    std::vector<std::unique_ptr<MeshData>> meshes;
    std::vector<std::unique_ptr<Surface>> surfaces;
    double deepest = 0.0;
};

std::unique_ptr<Engine> make_engine(const Scene &scene) { return std::make_unique<Ode>(scene); }
