// The engine in WebAssembly: the same bits as the native one, and a JavaScript API that refuses bad input with a sentence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CairnError, hasSimd, loadCairn } from '../package/cairn.js';
import { hasProgram, nativeHash } from './native.js';

// So many steps that bodies land, pile up and slide, and few enough for the build without SIMD.
const STEPS = {
  pyramid: 6, pyramids: 6, heap: 70, convex_pile: 50, washer: 30, debris: 50, mesh_pile: 60, bricks: 40, joint_grid: 10, ragdolls: 80,
  terrain: 1, arch: 60, cards: 60, tower: 60, dominoes: 120, shapes: 120, chain: 120, bridge: 120, pendulum: 120, newton_cradle: 120, door: 150,
  gears: 120, machine: 120, gas: 60, high_speed: 20,
};

const engines = { simd: await loadCairn({ simd: true }), base: await loadCairn({ simd: false }) };
const engine = engines.simd;

function groundAndBox(world, height = 3) {
  world.createBody({ type: 'static', position: [0, -1, 0], shapes: [{ type: 'box', halfExtents: [10, 1, 10] }] });
  return world.createBody({ type: 'dynamic', position: [0, height, 0], shapes: [{ type: 'box', halfExtents: [0.5, 0.5, 0.5] }] });
}

test('this runtime has SIMD, so both builds are tested', () => {
  assert.equal(hasSimd(), true);
  assert.deepEqual([engines.simd.simd, engines.base.simd], [true, false]);
});

test('every named scene has its number of steps here', () => {
  assert.deepEqual(engine.scenes().map(({ name }) => name), Object.keys(STEPS));
});

for (const [scene, steps] of Object.entries(STEPS)) {
  test(`${scene} gives the native state hash after ${steps} steps`, { skip: !hasProgram && 'the native program is not built' }, () => {
    const expected = nativeHash(scene, steps);
    for (const [name, each] of Object.entries(engines)) {
      const world = each.createScene(scene);
      for (let i = 0; i < steps; i++) world.step();
      assert.equal(world.hash(), expected, name);
      world.destroy();
    }
  });
}

// Those of the laboratory are in accuracy.test.js.
test('the other fast solvers give the native hash too', { skip: !hasProgram && 'the native program is not built' }, () => {
  for (const { name } of engine.solvers().filter(({ fast }) => fast)) {
    const expected = nativeHash('shapes', 100, '--solver', name);
    const world = engine.createScene('shapes', { solver: name });
    for (let i = 0; i < 100; i++) world.step();
    assert.equal(world.hash(), expected, name);
  }
});

test('a box falls by half g t squared and comes to rest on the ground', () => {
  const world = engine.createWorld({ gravity: [0, -9.81, 0] });
  const box = groundAndBox(world);
  for (let i = 0; i < 30; i++) world.step(1 / 60);
  assert.ok(Math.abs(box.position[1] - (3 - 0.5 * 9.81 * 0.25)) < 1e-4, `height ${box.position[1]}`);
  for (let i = 0; i < 90; i++) world.step(1 / 60);
  assert.ok(Math.abs(box.position[1] - 0.5) < 2e-3);
  assert.ok(Math.hypot(...box.linearVelocity) < 1e-3);
});

test('the arrays are views on the memory of the engine, not copies', () => {
  const world = engine.createWorld();
  const box = groundAndBox(world);
  const at = 8 * box.slot;
  const first = world.transforms;
  assert.deepEqual([...first.slice(at, at + 8)], [0, 3, 0, 1, 0, 0, 0, 1]);
  world.step();
  const second = world.transforms;
  assert.equal(second.buffer, first.buffer);
  assert.equal(second.byteOffset, first.byteOffset);
  assert.ok(second[at + 1] < 3);
  assert.ok(Math.abs(world.velocities[at + 1] + 10 / 60) < 1e-4);
});

test('contacts carry the weight, and tell which bodies touch', () => {
  const world = engine.createWorld({ gravity: [0, -10, 0] });
  const box = groundAndBox(world, 0.5);
  for (let i = 0; i < 60; i++) world.step();
  const contacts = world.contacts;
  assert.equal(contacts.length, 4 * 16);
  let weight = 0;
  for (let i = 0; i < contacts.length; i += 16) {
    weight += 60 * contacts[i + 6];
    assert.deepEqual([contacts[i + 8], contacts[i + 9]].sort(), [0, box.slot]);
    assert.ok(Math.abs(Math.abs(contacts[i + 4]) - 1) < 1e-4);
  }
  assert.ok(Math.abs(weight - 10 * box.mass.mass) < 0.01 * 10 * box.mass.mass, `weight ${weight}`);
  assert.deepEqual([...world.islands], [-1, 0]);
  assert.equal(world.boxes.length, 12);
});

test('forces, impulses, hulls and shapes', () => {
  const world = engine.createWorld({ gravity: [0, 0, 0] });
  const hull = world.createHull([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
  const stone = world.createBody({ type: 'dynamic', shapes: [{ type: 'hull', hull, density: 600 }, { type: 'sphere', radius: 0.1 }] });
  const [form, ball] = stone.shapes();
  assert.equal(form.vertices.length, 12);
  assert.equal(form.faces.length, 4);
  assert.deepEqual([ball.type, Math.fround(ball.radius)], ['sphere', Math.fround(0.1)]);
  const { mass } = stone.mass;
  stone.applyImpulse([mass, 0, 0]);
  assert.ok(Math.abs(stone.linearVelocity[0] - 1) < 1e-6);
  stone.applyForce([0, 60 * mass, 0]);
  world.step();
  assert.ok(Math.abs(stone.linearVelocity[1] - 1) < 1e-4);
  stone.setTransform([5, 6, 7]);
  assert.deepEqual(stone.position, [5, 6, 7]);
});

test('a world that grows keeps working', () => {
  const world = engine.createWorld();
  groundAndBox(world);
  for (let i = 0; i < 3000; i++)
    world.createBody({ type: 'dynamic', position: [2 * (i % 50), 5 + 2 * Math.floor(i / 50), 0], shapes: [{ type: 'sphere', radius: 0.5 }] });
  for (let i = 0; i < 3; i++) world.step();
  assert.equal(world.transforms.length, 8 * 3002);
  assert.equal(world.bodies().length, 3002);
});

const refusals = {
  'a name that is no option': [() => engine.createWorld({ gravitation: [0, 0, 0] }), /no option "gravitation"/],
  'gravity that is not finite': [() => engine.createWorld({ gravity: [0, NaN, 0] }), /gravity/],
  'gravity of two numbers': [() => engine.createWorld({ gravity: [0, 1] }), /gravity must be an array of 3/],
  'a solver that does not exist': [() => engine.createWorld({ solver: 'pgss' }), /did you mean "pgs"/],
  'a scene that does not exist': [() => engine.createScene('piramid'), /no scene "piramid"; there are: pyramid/],
  'a step of no time': [() => engine.createWorld().step(0), /dt/],
  'a type that does not exist': [() => engine.createWorld().createBody({ type: 'floating' }), /type is "floating"/],
  'a shape without a size': [() => engine.createWorld().createBody({ shapes: [{ type: 'sphere' }] }), /a sphere needs radius/],
  'a flat box': [() => engine.createWorld().createBody({ shapes: [{ type: 'box', halfExtents: [1, 0, 1] }] }), /half_extents\.y is 0/],
  'a hull without volume': [() => engine.createWorld().createHull([0, 0, 0, 1, 0, 0, 0, 1, 0]), /cn_hull_create/],
  'points that are not triples': [() => engine.createWorld().createHull([0, 0]), /three numbers/],
};
for (const [what, [call, sentence]] of Object.entries(refusals))
  test(`${what} is refused with a sentence`, () => {
    assert.throws(call, (error) => error instanceof CairnError && sentence.test(error.message));
  });

test('a body whose shape was refused leaves nothing behind', () => {
  const world = engine.createWorld();
  assert.throws(() => world.createBody({ shapes: [{ type: 'sphere', radius: -1 }] }), CairnError);
  assert.equal(world.bodyCount, 0);
});

test('what is gone is refused: bodies, and everything of a destroyed world', () => {
  const world = engine.createWorld();
  const box = groundAndBox(world);
  box.destroy();
  assert.equal(box.isValid, false);
  assert.throws(() => box.position, /stale/);
  assert.throws(() => { box.linearVelocity = [0, 0, 0]; }, /stale/);
  const other = groundAndBox(world);
  world.destroy();
  assert.throws(() => world.step(), /destroyed/);
  assert.throws(() => other.position, /destroyed/);
});

test('bodies and shapes can be set not to collide, and many shapes come at once', () => {
  const world = engine.createWorld({ gravity: [0, -10, 0] });
  const floor = world.createBody({ type: 'static', position: [0, -1, 0] });
  const [slab] = floor.addShapes([{ type: 'box', halfExtents: [10, 1, 10] }]);
  const drop = (x) => world.createBody({ position: [x, 1, 0], maxLinearSpeed: 4 });
  const [rests, falls, passes] = [drop(0), drop(3), drop(6)];
  const balls = [rests, falls, passes].map((body) => body.addShapes([-0.2, 0.2].map((z) => (
    { type: 'sphere', radius: 0.5, position: [0, 0, z], rollingResistance: 0.1 }))));
  assert.equal(falls.collidesWith(floor), true);
  falls.setCollidesWith(floor, false);
  assert.equal(floor.collidesWith(falls), false);
  for (const ball of balls[2]) passes.setShapesCollide(ball, slab, false);
  assert.equal(passes.shapesCollide(slab, balls[2][0]), false);
  for (let i = 0; i < 120; i++) world.step();
  assert.ok(Math.abs(rests.position[1] - 0.5) < 0.01);
  for (const body of [falls, passes]) {
    assert.ok(body.position[1] < -5);
    assert.ok(Math.hypot(...body.linearVelocity) < 4.001);
  }
  assert.equal(rests.maxAngularSpeed, Infinity);
  assert.equal(rests.sleepSpeed, -1);
  assert.throws(() => { rests.maxLinearSpeed = 0; }, /greater than zero/);
  assert.throws(() => rests.addShapes([{ type: 'sphere', radius: 1 }, { type: 'sphere', radius: -1 }]), /defs\[1\]: .*radius/);
  assert.equal(rests.shapes().length, 2);
  assert.throws(() => rests.setCollidesWith(rests, false), /both body/);
});
