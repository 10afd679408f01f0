// Bullet at its defaults, with sleeping off. It multiplies the friction of a pair, so each body gets the square root.
#include "engine.h"

#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

static btVector3 to_bullet(Vec v) { return btVector3((btScalar)v.x, (btScalar)v.y, (btScalar)v.z); }
static Vec to_vec(const btVector3 &v) { return { v.x(), v.y(), v.z() }; }
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
        broadphase.getOverlappingPairCache()->setOverlapFilterCallback(&filters);
        for (const Body &body : scene.bodies)
            add(body);
        for (const Joint &joint : scene.joints) {
            joints.push_back(make_joint(joint, scene.dt));
            world.addConstraint(joints.back().get(), !joint.collide);
        }
    }

    ~Bullet() override
    {
        for (auto &joint : joints)
            world.removeConstraint(joint.get());
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
        return 0.0 - (double)deepest;
    }

    Motion motion(int index) const override
    {
        const btRigidBody &body = *bodies[(size_t)index];
        btVector3 x = body.getWorldTransform().getOrigin(), v = body.getLinearVelocity(), w = body.getAngularVelocity();
        btQuaternion q = body.getWorldTransform().getRotation();
        return { { to_vec(x), { q.x(), q.y(), q.z(), q.w() } }, to_vec(v), to_vec(w) };
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

    // The filter of a body is that of its first shape. Bullet's own rule keeps bodies that do not move apart.
    struct Filters : btOverlapFilterCallback {
        bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override
        {
            bool moves = (a->m_collisionFilterGroup & b->m_collisionFilterMask) != 0 &&
                         (b->m_collisionFilterGroup & a->m_collisionFilterMask) != 0;
            return moves && may_collide(of(a), of(b));
        }
        static const Filter &of(const btBroadphaseProxy *proxy)
        {
            return *static_cast<const Filter *>(static_cast<btCollisionObject *>(proxy->m_clientObject)->getUserPointer());
        }
    };

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
        body_filters.push_back(std::make_unique<Filter>(body.shapes.empty() ? Filter{} : body.shapes[0].filter));
        made->setUserPointer(body_filters.back().get());
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

    btRigidBody &body_or_world(int index) { return index >= 0 ? *bodies[(size_t)index] : btTypedConstraint::getFixedBody(); }

    std::unique_ptr<btTypedConstraint> make_joint(const Joint &joint, double dt)
    {
        btRigidBody &a = body_or_world(joint.a), &b = body_or_world(joint.b);
        btTransform frame_a = to_bullet(joint.frame_a), frame_b = to_bullet(joint.frame_b);
        switch (joint.type()) {
        case JointType::Ball: return std::make_unique<btPoint2PointConstraint>(a, b, frame_a.getOrigin(), frame_b.getOrigin());
        case JointType::Fixed: return std::make_unique<btFixedConstraint>(a, b, frame_a, frame_b);
        case JointType::Hinge: return make_hinge(a, b, frame_a, frame_b, joint.axes[AXIS_TWIST], dt);
        case JointType::Limited: return make_cone_twist(a, b, frame_a, frame_b, joint);
        case JointType::Other: break;
        }
        throw std::runtime_error("bullet: a joint of the scene has no counterpart here");
    }

    // Its hinges turn about z, and count the turn of a against b.
    static std::unique_ptr<btTypedConstraint> make_hinge(btRigidBody &a, btRigidBody &b, const btTransform &frame_a,
                                                         const btTransform &frame_b, const JointAxis &axis, double dt)
    {
        btTransform z_to_x(btMatrix3x3(0, 0, 1, 1, 0, 0, 0, 1, 0));
        auto hinge = std::make_unique<btHingeConstraint>(a, b, frame_a * z_to_x, frame_b * z_to_x);
        if (axis.freedom == Freedom::Limited)
            hinge->setLimit((btScalar)-axis.upper, (btScalar)-axis.lower);
        if (axis.friction > 0.0)
            hinge->enableAngularMotor(true, 0, (btScalar)(axis.friction * dt));
        return hinge;
    }

    // Its limits are even to both sides, so the frames are turned to the middle of ours. It has no friction.
    static std::unique_ptr<btTypedConstraint> make_cone_twist(btRigidBody &a, btRigidBody &b, const btTransform &frame_a,
                                                              const btTransform &frame_b, const Joint &joint)
    {
        const JointAxis &twist = joint.axes[AXIS_TWIST], &y = joint.axes[AXIS_SWING_Y], &z = joint.axes[AXIS_SWING_Z];
        btTransform turn_a = btTransform::getIdentity(), turn_b = turn_a;
        btVector3 swing = joint.cone ? btVector3(0, 0, 0) : btVector3(0, (btScalar)middle(y), (btScalar)middle(z));
        if (!swing.fuzzyZero())
            turn_a.setRotation(btQuaternion(swing.normalized(), swing.length()));
        turn_b.setRotation(btQuaternion(btVector3(1, 0, 0), (btScalar)-middle(twist)));
        auto cone = std::make_unique<btConeTwistConstraint>(a, b, frame_a * turn_a, frame_b * turn_b);
        cone->setLimit((btScalar)(joint.cone ? reach(z) : half_range(z)), (btScalar)(joint.cone ? reach(y) : half_range(y)),
                       (btScalar)half_range(twist));
        return cone;
    }

    // Bullet derives the velocity of a kinematic body from where its motion state says it is.
    static void move(const Kinematic &k, btScalar dt)
    {
        btTransform now, next;
        k.body->getMotionState()->getWorldTransform(now);
        btTransformUtil::integrateTransform(now, k.linear, k.angular, dt, next);
        k.body->getMotionState()->setWorldTransform(next);
    }

    Filters filters;
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
    std::vector<std::unique_ptr<Filter>> body_filters;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::vector<Kinematic> kinematic;
};

std::unique_ptr<Engine> make_engine(const Scene &scene) { return std::make_unique<Bullet>(scene); }
