// Rapier with SIMD. It takes the mean of two frictions and has no damping unless asked.
import RAPIER from '@dimforge/rapier3d-simd-compat';
import { boxMass, MOTION, packageVersion, toQuaternion, toVector, writeMotion, writePose } from './shared.mjs';

export const name = 'Rapier';
export const version = packageVersion('@dimforge/rapier3d-simd-compat');

function addBody(world, scene, body) {
  const dynamic = body.type === 'dynamic';
  const desc = dynamic ? RAPIER.RigidBodyDesc.dynamic().setCanSleep(false) : RAPIER.RigidBodyDesc.fixed();
  desc.setTranslation(...body.position).setRotation(toQuaternion(body.rotation));
  const made = world.createRigidBody(desc);
  const box = RAPIER.ColliderDesc.cuboid(...body.halfExtents).setFriction(scene.friction).setRestitution(0);
  world.createCollider(box.setMass(dynamic ? boxMass(scene, body.halfExtents) : 0), made);
  return made;
}

export async function create(scene) {
  await RAPIER.init();
  const world = new RAPIER.World(toVector(scene.gravity));
  world.timestep = scene.dt;
  const bodies = scene.bodies.map((body) => addBody(world, scene, body)).filter((body) => body.isDynamic());
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
