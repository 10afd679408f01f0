// Bullet as ammo.js, without SIMD. It multiplies two frictions, so each body gets the square root.
import { createRequire } from 'node:module';
import { bodyMass, collides, MOTION, oncePerForm, packageVersion, POSE } from './shared.mjs';

export const name = 'Bullet';
export const version = `ammojs-typed ${packageVersion('ammojs-typed')}`;

const DISABLE_DEACTIVATION = 4;

function addBody(ammo, world, scene, body, shape) {
  const mass = body.type === 'dynamic' ? bodyMass(scene, body) : 0;
  const origin = new ammo.btVector3(...body.position);
  const rotation = new ammo.btQuaternion(...body.rotation);
  const transform = new ammo.btTransform(rotation, origin);
  const inertia = new ammo.btVector3(0, 0, 0);
  if (mass > 0) shape.calculateLocalInertia(mass, inertia);
  const info = new ammo.btRigidBodyConstructionInfo(mass, new ammo.btDefaultMotionState(transform), shape, inertia);
  const made = new ammo.btRigidBody(info);
  made.setFriction(Math.sqrt(scene.friction));
  made.setRestitution(0);
  made.setActivationState(DISABLE_DEACTIVATION);
  if (collides(scene)) world.addRigidBody(made);
  else world.addRigidBody(made, 0, 0); // in no group, and collides with none
  for (const object of [origin, rotation, transform, inertia, info]) ammo.destroy(object);
  return made;
}

function makeWorld(ammo, scene) {
  const configuration = new ammo.btDefaultCollisionConfiguration();
  const dispatcher = new ammo.btCollisionDispatcher(configuration);
  const solver = new ammo.btSequentialImpulseConstraintSolver();
  const world = new ammo.btDiscreteDynamicsWorld(dispatcher, new ammo.btDbvtBroadphase(), solver, configuration);
  const gravity = new ammo.btVector3(...scene.gravity);
  world.setGravity(gravity);
  ammo.destroy(gravity);
  return world;
}

function makeShape(ammo, { halfExtents, radius, halfHeight }) {
  if (!halfExtents) return halfHeight > 0 ? new ammo.btCapsuleShape(radius, 2 * halfHeight) : new ammo.btSphereShape(radius);
  const half = new ammo.btVector3(...halfExtents);
  const shape = new ammo.btBoxShape(half);
  ammo.destroy(half);
  return shape;
}

function addJoint(ammo, world, bodies, { a, b, anchorA, anchorB }) {
  const points = [new ammo.btVector3(...anchorA), new ammo.btVector3(...anchorB)];
  world.addConstraint(new ammo.btPoint2PointConstraint(bodies[a], bodies[b], ...points), true);
  points.forEach((point) => ammo.destroy(point));
}

const components = (vector) => [vector.x(), vector.y(), vector.z()];

export async function create(scene) {
  const ammo = await createRequire(import.meta.url)('ammojs-typed/wasm')();
  const world = makeWorld(ammo, scene);
  const shapeOf = oncePerForm((body) => makeShape(ammo, body));
  const all = scene.bodies.map((body) => addBody(ammo, world, scene, body, shapeOf(body)));
  scene.joints?.forEach((joint) => addJoint(ammo, world, all, joint));
  const bodies = all.filter((_, i) => scene.bodies[i].type === 'dynamic');
  const vector = new ammo.btVector3(0, 0, 0);
  const withVector = (act) => (i, [x, y, z]) => {
    vector.setValue(x, y, z);
    act(bodies[i]);
  };
  return {
    simd: false,
    threads: 1,
    settings: { solver: 'PGS', iterations: world.getSolverInfo().get_m_numIterations() },
    step: () => world.stepSimulation(scene.dt, 0, scene.dt),
    readPositions(out) {
      bodies.forEach((body, i) => {
        const transform = body.getCenterOfMassTransform();
        const rotation = transform.getRotation();
        out.set([...components(transform.getOrigin()), ...components(rotation), rotation.w()], i * POSE);
      });
    },
    velocities() {
      const out = new Float64Array(bodies.length * MOTION);
      bodies.forEach((body, i) => {
        out.set(components(body.getLinearVelocity()), i * MOTION);
        out.set(components(body.getAngularVelocity()), i * MOTION + 3);
      });
      return out;
    },
    push: withVector((body) => body.applyCentralImpulse(vector)),
    twist: withVector((body) => body.applyTorqueImpulse(vector)),
    destroy: () => ammo.destroy(world),
  };
}
