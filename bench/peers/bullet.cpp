// Bullet at its defaults, with sleeping off. It multiplies the friction of a pair, so each body gets the square root.
#include "engine.h"

#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>

static btVector3 to_bullet(Vec v) { return btVector3((btScalar)v.x, (btScalar)v.y, (btScalar)v.z); }
static btTransform to_bullet(Pose p)
{
    Quat q = p.rotation;
    return btTransform(btQuaternion((btScalar)q.x, (btScalar)q.y, (btScalar)q.z, (btScalar)q.w), to_bullet(p.position));
}
static bool is_identity(Pose p) { return dot(p.position, p.position) == 0.0 && std::fabs(p.rotation.w) >= 1.0 - 1e-15; }

static Vec half_extents(const Polyhedron &hull)
{
    Vec lower = hull.vertices[0], upper = lower;
    for (Vec v : hull.vertices) {
        lower = { std::min(lower.x, v.x), std::min(lower.y, v.y), std::min(lower.z, v.z) };
        upper = { std::max(upper.x, v.x), std::max(upper.y, v.y), std::max(upper.z, v.z) };
    }
    return 0.5 * (upper - lower);
}

class Bullet : public Engine
{
  public:
    explicit Bullet(const Scene &scene)
    {
        world.setGravity(to_bullet(scene.gravity));
        for (const Body &body : scene.bodies)
            add(body);
    }

    ~Bullet() override
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }

    const char *name() const override { return "bullet"; }

    void step(double dt) override
    {
        for (const Kinematic &k : kinematic)
            move(k, (btScalar)dt);
        world.stepSimulation((btScalar)dt, 0);
    }

    double max_penetration() override
    {
        world.performDiscreteCollisionDetection();
        btScalar deepest = 0;
        for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
            const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(i);
            for (int j = 0; j < manifold->getNumContacts(); j++)
                deepest = std::min(deepest, manifold->getContactPoint(j).getDistance());
        }
        return -(double)deepest;
    }

    void get_motion(int index, Vec &linear, Vec &angular, Quat &rotation) const override
    {
        const btRigidBody &body = *bodies[(size_t)index];
        btVector3 v = body.getLinearVelocity(), w = body.getAngularVelocity();
        btQuaternion q = body.getWorldTransform().getRotation();
        linear = { v.x(), v.y(), v.z() };
        angular = { w.x(), w.y(), w.z() };
        rotation = { q.x(), q.y(), q.z(), q.w() };
    }

    bool cast_ray(Vec from, Vec to) override
    {
        btCollisionWorld::ClosestRayResultCallback result(to_bullet(from), to_bullet(to));
        world.rayTest(result.m_rayFromWorld, result.m_rayToWorld, result);
        return result.hasHit();
    }

    // The mesh itself, without the world around it.
    bool cast_ray_at_mesh(Vec from, Vec to) override
    {
        struct Nearest : btTriangleRaycastCallback {
            using btTriangleRaycastCallback::btTriangleRaycastCallback;
            btScalar reportHit(const btVector3 &, btScalar fraction, int, int) override { return fraction; }
        };
        btVector3 start = to_bullet(from), end = to_bullet(to);
        Nearest nearest(start, end);
        mesh_shape().performRaycast(&nearest, start, end);
        return nearest.m_hitFraction < 1;
    }

  private:
    btBvhTriangleMeshShape &mesh_shape() { return *static_cast<btBvhTriangleMeshShape *>(bodies[0]->getCollisionShape()); }

    struct Kinematic {
        btRigidBody *body;
        btVector3 linear, angular;
    };

    btCollisionShape *keep(btCollisionShape *shape)
    {
        shapes.emplace_back(shape);
        return shape;
    }

    btCollisionShape *make_shape(const Shape &shape)
    {
        btScalar radius = (btScalar)shape.radius, half_height = (btScalar)shape.half_height;
        switch (shape.type) {
        case ShapeType::Box: return keep(new btBoxShape(to_bullet(shape.half)));
        case ShapeType::Sphere: return keep(new btSphereShape(radius));
        case ShapeType::Capsule: return keep(new btCapsuleShape(radius, 2 * half_height));
        case ShapeType::Cylinder: return keep(new btCylinderShape(btVector3(radius, half_height, radius)));
        case ShapeType::Mesh: return make_mesh(shape);
        case ShapeType::Hull: break;
        }
        auto *hull = new btConvexHullShape();
        for (Vec v : shape.hull.vertices)
            hull->addPoint(to_bullet(v), false);
        hull->recalcLocalAabb();
        // A hull grows by its margin of 0.04 m; small ones get a smaller margin, as Bullet does for boxes by itself.
        hull->setSafeMargin(to_bullet(half_extents(shape.hull)));
        return keep(hull);
    }

    // Bullet keeps pointers to the triangles. Its utility for internal edges turns contact normals that a seam would bend.
    btCollisionShape *make_mesh(const Shape &shape)
    {
        triangles.push_back(std::make_unique<btTriangleMesh>(true, false));
        btTriangleMesh &mesh = *triangles.back();
        for (Vec v : shape.vertices)
            mesh.findOrAddVertex(to_bullet(v), false);
        for (size_t i = 0; i + 2 < shape.indices.size(); i += 3)
            mesh.addTriangleIndices(shape.indices[i], shape.indices[i + 1], shape.indices[i + 2]);
        auto *made = new btBvhTriangleMeshShape(&mesh, true);
        edges.push_back(std::make_unique<btTriangleInfoMap>());
        btGenerateInternalEdgeInfo(made, edges.back().get());
        gContactAddedCallback = adjust_contact;
        return keep(made);
    }

    // In Bullet's manifolds of a convex shape and a triangle, the triangle comes second.
    static bool adjust_contact(btManifoldPoint &point, const btCollisionObjectWrapper *convex, int, int,
                               const btCollisionObjectWrapper *triangle, int part, int index)
    {
        btAdjustInternalEdgeContacts(point, triangle, convex, part, index);
        return true;
    }

    btCollisionShape *make_shapes(const Body &body)
    {
        if (body.shapes.size() == 1 && is_identity(body.shapes[0].pose))
            return make_shape(body.shapes[0]);
        auto *compound = new btCompoundShape();
        for (const Shape &shape : body.shapes)
            compound->addChildShape(to_bullet(shape.pose), make_shape(shape));
        return keep(compound);
    }

    void add(const Body &body)
    {
        bool dynamic = body.type == BodyType::Dynamic;
        states.emplace_back(new btDefaultMotionState(to_bullet(body.pose)));
        btRigidBody::btRigidBodyConstructionInfo info(dynamic ? (btScalar)body.mass : 0, states.back().get(), make_shapes(body),
                                                      dynamic ? to_bullet(body.moments) : btVector3(0, 0, 0));
        if (!body.shapes.empty()) {
            info.m_friction = (btScalar)std::sqrt(body.shapes[0].friction);
            info.m_restitution = (btScalar)body.shapes[0].restitution;
        }
        bodies.emplace_back(new btRigidBody(info));
        btRigidBody *made = bodies.back().get();
        made->setLinearVelocity(to_bullet(body.linear_velocity));
        made->setAngularVelocity(to_bullet(body.angular_velocity));
        made->setActivationState(DISABLE_DEACTIVATION);
        if (!body.shapes.empty() && body.shapes[0].type == ShapeType::Mesh)
            made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
        if (body.type == BodyType::Kinematic) {
            made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
            kinematic.push_back({ made, to_bullet(body.linear_velocity), to_bullet(body.angular_velocity) });
        }
        world.addRigidBody(made);
    }

    // Bullet derives the velocity of a kinematic body from where its motion state says it is.
    static void move(const Kinematic &k, btScalar dt)
    {
        btTransform now, next;
        k.body->getMotionState()->getWorldTransform(now);
        btTransformUtil::integrateTransform(now, k.linear, k.angular, dt, next);
        k.body->getMotionState()->setWorldTransform(next);
    }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
    std::vector<std::unique_ptr<btTriangleMesh>> triangles;
    std::vector<std::unique_ptr<btTriangleInfoMap>> edges;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btDefaultMotionState>> states;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<Kinematic> kinematic;
};

std::unique_ptr<Engine> make_engine(const Scene &scene) { return std::make_unique<Bullet>(scene); }
