// Rapier with SIMD. It takes the mean of two frictions and has no damping unless asked.
import RAPIER from '@dimforge/rapier3d-simd-compat';
import { bodyMass, collides, MOTION, packageVersion, toQuaternion, toVector, writeMotion, writePose } from './shared.mjs';

export const name = 'Rapier';
export const version = packageVersion('@dimforge/rapier3d-simd-compat');

function formOf({ halfExtents, radius, halfHeight }) {
  if (halfExtents) return RAPIER.ColliderDesc.cuboid(...halfExtents);
  return halfHeight > 0 ? RAPIER.ColliderDesc.capsule(halfHeight, radius) : RAPIER.ColliderDesc.ball(radius);
}

function addBody(world, scene, body) {
  const dynamic = body.type === 'dynamic';
  const desc = dynamic ? RAPIER.RigidBodyDesc.dynamic().setCanSleep(false) : RAPIER.RigidBodyDesc.fixed();
  desc.setTranslation(...body.position).setRotation(toQuaternion(body.rotation));
  const made = world.createRigidBody(desc);
  const form = formOf(body).setFriction(scene.friction).setRestitution(0);
  if (!collides(scene)) form.setCollisionGroups(0);
  world.createCollider(form.setMass(dynamic ? bodyMass(scene, body) : 0), made);
  return made;
}

function addJoint(world, bodies, { a, b, anchorA, anchorB }) {
  const data = RAPIER.JointData.spherical(toVector(anchorA), toVector(anchorB));
  world.createImpulseJoint(data, bodies[a], bodies[b], true).setContactsEnabled(false);
}

export async function create(scene) {
  await RAPIER.init();
  const world = new RAPIER.World(toVector(scene.gravity));
  world.timestep = scene.dt;
  const all = scene.bodies.map((body) => addBody(world, scene, body));
  scene.joints?.forEach((joint) => addJoint(world, all, joint));
  const bodies = all.filter((body) => body.isDynamic());
  return {
    simd: true,
    threads: 1,
    settings: {
      solver: 'soft TGS',
      substeps: world.integrationParameters.numSolverIterations,
      'iterations per substep': world.integrationParameters.numInternalPgsIterations,
    },
    step: () => world.step(),
    readPositions: (out) => bodies.forEach((body, i) => writePose(out, i, body.translation(), body.rotation())),
    velocities() {
      const out = new Float64Array(bodies.length * MOTION);
      bodies.forEach((body, i) => writeMotion(out, i, body.linvel(), body.angvel()));
      return out;
    },
    push: (i, impulse) => bodies[i].applyImpulse(toVector(impulse), true),
    twist: (i, impulse) => bodies[i].applyTorqueImpulse(toVector(impulse), true),
    destroy: () => world.free(),
  };
}
