// Cairn, with SIMD or without, at its defaults. It has no damping unless asked.
import { loadCairn } from '../../../web/package/cairn.js';
import { collides, MOTION, packageVersion, POSE } from './shared.mjs';

export const name = 'Cairn';
export const version = packageVersion('package', new URL('../../../web/', import.meta.url));

function formOf({ halfExtents, radius, halfHeight }) {
  if (halfExtents) return { type: 'box', halfExtents };
  return halfHeight > 0 ? { type: 'capsule', radius, halfHeight } : { type: 'sphere', radius };
}

function addBody(world, scene, body) {
  const { type, position, rotation, density = scene.density } = body;
  const shape = { ...formOf(body), density, friction: scene.friction, restitution: 0 };
  if (!collides(scene)) shape.mask = 0;
  return world.createBody({ type, position, rotation, shapes: [shape] });
}

function addJoint(world, bodies, { a, b, anchorA, anchorB }) {
  const locked = { freedom: 'locked' };
  const axes = { x: locked, y: locked, z: locked };
  world.createJoint({ kind: 'frames', bodyA: bodies[a], bodyB: bodies[b], positionA: anchorA, positionB: anchorB, axes });
}

export async function create(scene, { simd }) {
  const cairn = await loadCairn({ simd });
  const world = cairn.createWorld({ gravity: scene.gravity, sleeping: false });
  const all = scene.bodies.map((body) => addBody(world, scene, body));
  scene.joints?.forEach((joint) => addJoint(world, all, joint));
  const bodies = all.filter((body) => body.type === 'dynamic');
  let report;
  return {
    simd,
    threads: 1,
    get settings() {
      return { solver: world.solver, substeps: report.substeps, 'sweeps in all': report.iterations };
    },
    step() {
      report = world.step(scene.dt);
    },
    readPositions: (out) => bodies.forEach((body, i) => out.set([...body.position, ...body.rotation], i * POSE)),
    velocities() {
      const out = new Float64Array(bodies.length * MOTION);
      bodies.forEach((body, i) => out.set([...body.linearVelocity, ...body.angularVelocity], i * MOTION));
      return out;
    },
    push: (i, impulse) => bodies[i].applyImpulse(impulse),
    twist: (i, impulse) => bodies[i].applyAngularImpulse(impulse),
    destroy: () => world.destroy(),
  };
}
