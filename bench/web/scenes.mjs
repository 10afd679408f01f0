// The scenes, as Cairn's own WebAssembly build has them, in a form every engine can build: bodies of one shape, which is a box,
// a ball or a capsule along y, and ball joints. Piles are made of boxes only.
import { loadCairn } from '../../web/package/cairn.js';

const GRAVITY = [0, -9.81, 0];
const STEP = 1 / 60;
const DENSITY = 100;
const FRICTION = 0.6;

// A stack is judged by whether it stands, a drop by whether it has come to rest, and joints by their gaps; there nothing collides.
const KINDS = { pyramid: 'stack', pyramids: 'stack', heap: 'drop', joint_grid: 'joints', chain: 'joints' };

export const sceneNames = Object.keys(KINDS);

function describeBody(scene, body) {
  const { type, position, rotation, slot } = body;
  const [shape, ...more] = body.shapes();
  const centred = more.length === 0 && shape.position.every((value) => value === 0);
  const simple = shape.type === 'box' || (KINDS[scene] === 'joints' && ['sphere', 'capsule'].includes(shape.type));
  if (type === 'kinematic' || !simple || !centred)
    throw new Error(`${scene}: body ${slot} is not a single simple shape that is fixed or moves freely`);
  if (shape.type === 'box') return { type, position, rotation, halfExtents: shape.halfExtents };
  return { type, position, rotation, radius: shape.radius, halfHeight: shape.halfHeight ?? 0, density: shape.density };
}

/** Two bodies by their place in the list, and the point that is held in the frame of each. */
function describeJoint(scene, joint, bodies) {
  const { kind, positionA, positionB, axes } = joint.definition;
  const freedoms = Object.values(axes).map(({ freedom }) => freedom);
  if (kind !== 'frames' || freedoms.join() !== 'locked,locked,locked,free,free,free')
    throw new Error(`${scene}: joint ${joint.slot} is not a ball joint`);
  const indexOf = (body) => bodies.findIndex(({ slot }) => slot === body.slot);
  return { a: indexOf(joint.bodyA), b: indexOf(joint.bodyB), anchorA: positionA, anchorB: positionB };
}

/**
 * `{ name, kind, steps, dt, gravity, density, friction, bodies, joints }`, plain data that can be written as JSON. A body has
 * halfExtents, or radius, halfHeight (0: a ball) and a density of its own.
 */
export async function describeScene(name) {
  const cairn = await loadCairn();
  const { steps } = cairn.scenes().find((scene) => scene.name === name);
  const world = cairn.createScene(name);
  const all = world.bodies();
  const bodies = all.map((body) => describeBody(name, body));
  const joints = world.joints().map((joint) => describeJoint(name, joint, all));
  world.destroy();
  return { name, kind: KINDS[name], steps, dt: STEP, gravity: GRAVITY, density: DENSITY, friction: FRICTION, bodies, joints };
}
