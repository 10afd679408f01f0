// The measures on cases with a known answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxDepth, countLost, kineticEnergyPerKg, makeBox, measureState, watchJoints, worstPenetration } from './measure.mjs';

const HALF = [0.5, 0.5, 0.5];
const UPRIGHT = [0, 0, 0, 1];

function turn(axis, degrees) {
  const length = Math.hypot(...axis);
  const half = (degrees * Math.PI) / 360;
  return [...axis.map((value) => (value / length) * Math.sin(half)), Math.cos(half)];
}

const cube = (position, rotation = UPRIGHT) => makeBox(position, rotation, HALF);
const near = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);

test('faces overlap by what the centres are too close', () => {
  near(boxDepth(cube([0, 0, 0]), cube([0.2, 0.99, -0.3])), 0.01);
});

test('boxes that are apart or touch have no depth', () => {
  assert.equal(boxDepth(cube([0, 0, 0]), cube([0, 1.001, 0])), 0);
  assert.equal(boxDepth(cube([0, 0, 0]), cube([0, 1, 0])), 0);
  assert.equal(boxDepth(cube([0, 0, 0]), cube([5, 5, 5])), 0);
});

test('a cube on its edge reaches down by half the diagonal of a face', () => {
  near(boxDepth(cube([0, 0, 0]), cube([0, 1.2, 0], turn([0, 0, 1], 45))), 0.5 + Math.SQRT1_2 - 1.2);
});

test('a cube on its corner reaches down by half the diagonal of the cube', () => {
  const onCorner = turn([1, 0, -1], (Math.acos(1 / Math.sqrt(3)) * 180) / Math.PI);
  near(boxDepth(makeBox([0, -1, 0], UPRIGHT, [400, 1, 400]), cube([3, 0.86, 7], onCorner)), Math.sqrt(3) / 2 - 0.86);
});

test('two crossed edges are told apart only by the axis across both', () => {
  const below = cube([0, 0, 0], turn([0, 0, 1], 45));
  const at = (y) => cube([0, y, 0], turn([1, 0, 0], 45));
  near(boxDepth(below, at(1.4)), 2 * Math.SQRT1_2 - 1.4);
  assert.equal(boxDepth(below, at(1.42)), 0);
});

test('crossed edges off the middle: apart, although all face axes overlap', () => {
  const a = cube([0, 0, 0], turn([0, 0, 1], 45));
  const b = cube([0.35, 1.42, 0.35], turn([1, 0, 0], 45));
  assert.equal(boxDepth(a, b), 0);
});

test('depth does not depend on the order, nor on the frame', () => {
  const a = cube([0.1, 0.2, 0.3], turn([1, 2, 3], 40));
  const b = cube([0.6, 0.7, 0.1], turn([3, -1, 2], 110));
  const depth = boxDepth(a, b);
  assert.ok(depth > 0.1);
  near(boxDepth(b, a), depth);
  const moved = (box) => ({ ...box, center: box.center.map((value) => value + 16) });
  near(boxDepth(moved(a), moved(b)), depth);
});

test('the worst pair is found across cells, and against the floor', () => {
  const floor = makeBox([0, -1, 0], UPRIGHT, [400, 1, 400]);
  const row = Array.from({ length: 50 }, (_, i) => cube([i * 1.001 - 25, 0.5, 0]));
  assert.equal(worstPenetration(row, [floor]), 0);
  near(worstPenetration([...row, cube([-24.98, 1.47, 0])], [floor]), 0.03);
  near(worstPenetration([...row, cube([90, 0.46, 0])], [floor]), 0.04);
});

test('a cube is lost when its centre is below the floor, in a wall or in another cube', () => {
  const walls = [makeBox([0, -1, 0], UPRIGHT, [9, 1, 9]), makeBox([10, 5, 0], UPRIGHT, [1, 5, 9])];
  assert.equal(countLost([cube([0, 0.5, 0]), cube([0, 1.1, 0]), cube([3, 0.4, 0])], walls, 0), 0);
  assert.equal(countLost([cube([0, -0.1, 0]), cube([0, -9, 0]), cube([9.1, 3, 0])], walls, 0), 3);
  assert.equal(countLost([cube([0, 0.5, 0]), cube([0, 0.9, 0])], walls, 0), 2);
});

test('energy of a sliding and of a spinning cube', () => {
  const bodies = [{ halfExtents: HALF }];
  const energy = (motion) => kineticEnergyPerKg(bodies, [cube([0, 0, 0], turn([1, 2, 3], 77))], Float64Array.from(motion));
  near(energy([3, 0, 4, 0, 0, 0]), 12.5);
  near(energy([0, 0, 0, 0, 2, 0]), 0.5 * (1 / 6) * 4);
});

function stateOf(kind, y, speed, startY = 3) {
  const floor = { type: 'static', position: [0, -1, 0], rotation: UPRIGHT, halfExtents: [9, 1, 9] };
  const body = { type: 'dynamic', position: [0, startY, 0], rotation: UPRIGHT, halfExtents: HALF };
  const velocities = Float64Array.from([speed, 0, 0, 0, 0, 0]);
  return measureState({ kind, bodies: [floor, body] }, Float64Array.from([0, y, 0, ...UPRIGHT]), velocities);
}

test('verdicts', () => {
  assert.equal(stateOf('stack', 2.6, 0).verdict, 'stands');
  assert.equal(stateOf('stack', 2.4, 0).verdict, 'collapses');
  assert.equal(stateOf('stack', 98.3, 0, 100).verdict, 'stands');
  assert.equal(stateOf('stack', 97.9, 0, 100).verdict, 'collapses');
  near(stateOf('stack', 2.6, 0).topSinks, 0.4);
  assert.equal(stateOf('drop', 0.5, 0.01).verdict, 'at rest');
  assert.equal(stateOf('drop', 0.5, 0.3).verdict, 'moves');
  assert.equal(stateOf('drop', NaN, 0).verdict, 'not a number');
  assert.equal(stateOf('drop', 0.5, 0).lost, 0);
  assert.equal(stateOf('drop', -7, 0).lost, 1);
});

test('gaps of joints are those between the two anchors, and the stretch of a chain is their sum', () => {
  const body = (type) => ({ type, position: [0, 3, 0], rotation: UPRIGHT });
  const joints = [
    { a: 0, b: 1, anchorA: [0, 0, 0], anchorB: [0, 0.5, 0] },
    { a: 1, b: 2, anchorA: [0, -0.5, 0], anchorB: [1, 0, 0] },
  ];
  const watch = watchJoints({ bodies: [body('static'), body('dynamic'), body('dynamic')], joints });
  watch.look(new Float64Array([0, 2.5, 0, ...UPRIGHT, 0, 1, 0, ...turn([0, 0, 1], 90)]));
  watch.look(new Float64Array([0, 2.4, 0, ...UPRIGHT, 0, 0.9, 0, ...turn([0, 0, 1], 90)])); // the first joint opens by 0.1 m
  const { gap, verdict } = watch.state();
  near(gap, 0.1);
  assert.equal(verdict, 'stretches by 10.00 %');
});
