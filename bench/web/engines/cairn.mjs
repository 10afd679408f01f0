// Cairn, with SIMD or without, at its defaults. It has no damping unless asked.
import { loadCairn } from '../../../web/package/cairn.js';
import { MOTION, packageVersion, POSE } from './shared.mjs';

export const name = 'Cairn';
export const version = packageVersion('package', new URL('../../../web/', import.meta.url));

function addBody(world, scene, { type, position, rotation, halfExtents }) {
  const { density, friction } = scene;
  const shape = { type: 'box', halfExtents, density, friction, restitution: 0 };
  return world.createBody({ type, position, rotation, shapes: [shape] });
}

export async function create(scene, { simd }) {
  const cairn = await loadCairn({ simd });
  const world = cairn.createWorld({ gravity: scene.gravity, sleeping: false });
  const bodies = scene.bodies.map((body) => addBody(world, scene, body)).filter((body) => body.type === 'dynamic');
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
