// The scenes, as Cairn's own WebAssembly build has them, in a form every engine can build: boxes with one density and one
// friction. The timed scenes are made of boxes only.
import { loadCairn } from '../../web/package/cairn.js';

const GRAVITY = [0, -9.81, 0];
const STEP = 1 / 60;
const DENSITY = 100;
const FRICTION = 0.6;

// A stack is judged by whether it stands, a drop by whether it has come to rest.
const KINDS = { pyramid: 'stack', pyramids: 'stack', heap: 'drop' };

export const sceneNames = Object.keys(KINDS);

function describeBody(scene, body) {
  const { type, position, rotation, slot } = body;
  const [shape, ...more] = body.shapes();
  const centred = more.length === 0 && shape.position.every((value) => value === 0);
  if (type === 'kinematic' || shape.type !== 'box' || !centred)
    throw new Error(`${scene}: body ${slot} is not a single box that is fixed or moves freely`);
  return { type, position, rotation, halfExtents: shape.halfExtents };
}

/** `{ name, kind, steps, dt, gravity, density, friction, bodies }`, plain data that can be written as JSON. */
export async function describeScene(name) {
  const cairn = await loadCairn();
  const { steps } = cairn.scenes().find((scene) => scene.name === name);
  const world = cairn.createScene(name);
  const bodies = world.bodies().map((body) => describeBody(name, body));
  world.destroy();
  return { name, kind: KINDS[name], steps, dt: STEP, gravity: GRAVITY, density: DENSITY, friction: FRICTION, bodies };
}
