// Ragdolls, paths of kinematic bodies, and what pushes a body.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CairnError, loadCairn } from '../package/cairn.js';

const engine = await loadCairn();
const near = (value, wanted, tolerance, what = '') =>
  assert.ok(Math.abs(value - wanted) <= tolerance, `${what} ${value} is not ${wanted} ± ${tolerance}`);
const run = (world, steps) => { for (let i = 0; i < steps; i++) world.step(1 / 60); };

function ground(options) {
  const world = engine.createWorld({ gravity: [0, -10, 0], sleeping: false, ...options });
  world.createBody({ type: 'static', position: [0, -1, 0], shapes: [{ type: 'box', halfExtents: [20, 1, 20] }] });
  return world;
}
const plate = (world, position) => world.createBody({ type: 'kinematic', position, shapes: [{ type: 'box', halfExtents: [2, 0.1, 2] }] });
const TEN_KILOGRAMS = { type: 'box', halfExtents: [0.5, 0.5, 0.5], density: 10 };
const box = (world, position) => world.createBody({ type: 'dynamic', position, shapes: [TEN_KILOGRAMS] });

// ---- ragdolls

test('a ragdoll has 16 bones and 15 joints, weighs what it should, and falls without breaking its limits', () => {
  const world = ground();
  // It would land on its feet and stand: friction in the joints holds what is upright.
  const man = world.createRagdoll({ position: [0, 1, 0], mass: 80, friction: 0.8, velocity: [1, 0, 0.5] });
  const bodies = Object.values(man.bodies);
  assert.deepEqual([bodies.length, world.jointCount, man.joints.pelvis], [16, 15, null]);
  near(bodies.reduce((sum, { mass }) => sum + mass.mass, 0), 80, 0.01, 'mass');
  assert.ok(man.bodies.head.position[1] > man.bodies.leftFoot.position[1] + 1);
  let worst = 0;
  for (let i = 0; i < 120; i++) {
    world.step();
    worst = Math.max(worst, man.limitError);
  }
  assert.ok(worst < (3 * Math.PI) / 180, `limits are passed by ${worst} rad`);
  assert.ok(man.bodies.head.position[1] < 1, 'it fell');
  man.destroy();
  assert.deepEqual([world.bodyCount, world.jointCount], [1, 0]);
});

test('a powered pose bends an elbow, and relaxing lets it go', () => {
  const world = engine.createWorld({ gravity: [0, 0, 0] });
  const bent = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // a quarter turn about x
  const man = world.createRagdoll();
  man.setPose({ leftForearm: bent }, 1, 4);
  run(world, 120);
  const { leftForearm, rightForearm } = man.pose;
  near(Math.abs(leftForearm[0]), Math.SQRT1_2, 0.02, 'left');
  near(rightForearm[0], 0, 0.02, 'right');
  man.relax();
  assert.equal(man.joints.leftForearm.definition.axes.twist.motor, 'off');
  const started = engine.createWorld().createRagdoll({ pose: { leftForearm: bent } });
  near(Math.abs(started.pose.leftForearm[0]), Math.SQRT1_2, 1e-3, 'started');
});

test('the bones of a partial ragdoll follow an animation', () => {
  const world = ground();
  const man = world.createRagdoll({ position: [0, 1, 0] });
  const start = man.bodies.pelvis.position;
  man.setKinematic(['pelvis', 'leftThigh']);
  assert.deepEqual(['pelvis', 'leftThigh', 'head'].map((bone) => man.bodies[bone].type), ['kinematic', 'kinematic', 'dynamic']);
  for (let i = 1; i <= 30; i++) {
    man.follow({ position: [i / 30, 1, 0] }, {}, 1 / 60);
    world.step();
  }
  near(man.bodies.pelvis.position[0], start[0] + 1, 1e-3, 'pelvis');
  near(man.bodies.pelvis.position[1], start[1], 1e-3, 'pelvis');
});

// ---- paths

test('a body on a path is where the path says, and carries what stands on it', () => {
  const world = ground();
  const lift = plate(world, [0, 2, 0]);
  const load = box(world, [0, 2.6, 0]);
  lift.setPath({ keys: [{ time: 0, position: [0, 2, 0] }, { time: 2, position: [1, 3, 0] }] });
  for (let i = 1; i <= 60; i++) world.step(1 / 60);
  lift.position.forEach((x, i) => near(x, [0.5, 2.5, 0][i], 1e-5, 'place'));
  near(load.position[1], 3.1, 0.01, 'load');
  near(load.position[0], 0.5, 0.02, 'load');
  const { time, direction, blocked } = lift.pathState;
  near(time, 1, 1e-5, 'time');
  assert.deepEqual([direction, blocked], [1, false]);
  lift.setPathSpeed(-1);
  run(world, 30);
  near(lift.position[0], 0.25, 1e-4, 'backwards');
  lift.clearPath();
  assert.equal(lift.pathState, null);
});

test('a door that closes on a box stalls, and says so', () => {
  const world = ground();
  world.createBody({ type: 'static', position: [2, 1, 0], shapes: [{ type: 'box', halfExtents: [0.2, 1, 1] }] });
  box(world, [1.2, 0.5, 0]);
  const door = world.createBody({ type: 'kinematic', position: [-2, 1, 0], shapes: [{ type: 'box', halfExtents: [0.2, 1, 1] }] });
  door.setPath({ keys: [{ time: 0, position: [-2, 1, 0] }, { time: 3, position: [1.5, 1, 0] }], maxForce: 200, blocked: 'stall' });
  let stopped = null;
  for (let i = 0; i < 180 && !stopped; i++) {
    world.step();
    stopped = world.pathEvents.find(({ blocked }) => blocked) ?? null;
  }
  assert.equal(stopped?.body.slot, door.slot);
  assert.ok(stopped.force > 200);
  assert.equal(door.pathState.blocked, true);
  assert.ok(door.position[0] < 0.7, `the door is at ${door.position[0]}`);
});

test('a body at rest pushes its plate with its weight', () => {
  const world = engine.createWorld({ gravity: [0, -10, 0] });
  const table = plate(world, [0, 0, 0]);
  box(world, [0, 0.6, 0]);
  run(world, 90);
  const { force, pressure } = table.push;
  near(force[1], -100, 0.2, 'force');
  near(pressure, 100, 0.5, 'pressure');
});

const [first, early] = [{ time: 0, position: [0, 0, 0] }, { time: -1, position: [1, 0, 0] }];
const refusals = {
  'a bone that does not exist': [(world) => world.createRagdoll({ pose: { tail: [0, 0, 0, 1] } }), /pose: there is no option "tail"; there are: pel/],
  'a ragdoll of no height': [(world) => world.createRagdoll({ height: 0 }), /height/],
  'an option that a ragdoll has not': [(world) => world.createRagdoll({ weight: 3 }), /there is no option "weight"/],
  'a kinematic bone that is none': [(world) => world.createRagdoll().setKinematic(['tail']), /bone is "tail"/],
  'a ragdoll that goes nowhere': [(world) => world.createRagdoll().follow({}, {}, 1), /position must be an array of 3/],
  'a path without keys': [(world) => plate(world, [0, 0, 0]).setPath({ keys: [] }), /key/],
  'keys that go back in time': [(world) => plate(world, [0, 0, 0]).setPath({ keys: [first, early] }), /keys\[1\]/],
  'a key without a place': [(world) => plate(world, [0, 0, 0]).setPath({ keys: [{ time: 0 }] }), /keys\[0\]\.position/],
  'a path of a body that falls': [(world) => box(world, [0, 0, 0]).setPath({ keys: [first] }), /kinematic/],
  'a way to be blocked that does not exist': [(world) => plate(world, [0, 0, 0]).setPath({ keys: [], blocked: 'explode' }), /blocked is "explode"/],
};
for (const [what, [call, sentence]] of Object.entries(refusals))
  test(`${what} is refused with a sentence`, () => {
    assert.throws(() => call(ground()), (error) => error instanceof CairnError && sentence.test(error.message));
  });
