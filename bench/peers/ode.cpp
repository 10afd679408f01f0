// ODE's quick step at its defaults, up to four contact points per pair, with sleeping off.
#include "engine.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>

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

    void get_motion(int index, Vec &linear, Vec &angular, Quat &rotation) const override
    {
        dBodyID body = bodies[(size_t)index];
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body), *q = dBodyGetQuaternion(body);
        linear = { v[0], v[1], v[2] };
        angular = { w[0], w[1], w[2] };
        rotation = { q[1], q[2], q[3], q[0] };
    }

  private:
    static bool may_touch(dGeomID a, dGeomID b)
    {
        dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        bool moves_a = body_a != nullptr && !dBodyIsKinematic(body_a), moves_b = body_b != nullptr && !dBodyIsKinematic(body_b);
        return (moves_a || moves_b) && body_a != body_b;
    }

    static void make_contacts(void *data, dGeomID a, dGeomID b)
    {
        if (!may_touch(a, b))
            return;
        Ode *ode = static_cast<Ode *>(data);
        dContact found[MAX_CONTACTS];
        int count = dCollide(a, b, MAX_CONTACTS, &found[0].geom, sizeof(dContact));
        const Surface *surface_a = static_cast<Surface *>(dGeomGetData(a)),
                      *surface_b = static_cast<Surface *>(dGeomGetData(b));
        for (int i = 0; i < count; i++) {
            found[i].surface = dSurfaceParameters();
            found[i].surface.mode = dContactApprox1;
            found[i].surface.mu = std::sqrt(surface_a->friction * surface_b->friction);
            double restitution = std::max(surface_a->restitution, surface_b->restitution);
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
            surfaces.push_back(std::make_unique<Surface>(Surface{ shape.friction, shape.restitution }));
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
