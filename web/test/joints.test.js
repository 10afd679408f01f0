// Joints in JavaScript: every preset, the general definition, what can be set and read, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CairnError, loadCairn } from '../package/cairn.js';

const engines = { simd: await loadCairn({ simd: true }), base: await loadCairn({ simd: false }) };
const engine = engines.simd;
const near = (value, wanted, tolerance, what = '') =>
  assert.ok(Math.abs(value - wanted) <= tolerance, `${what} ${value} is not ${wanted} ± ${tolerance}`);

/** A world with boxes of 10 kg, one cubic metre each. */
function boxes(places, { of = engine, ...options } = {}) {
  const world = of.createWorld({ gravity: [0, -10, 0], sleeping: false, ...options });
  const shapes = [{ type: 'box', halfExtents: [0.5, 0.5, 0.5], density: 10 }];
  return { world, bodies: places.map((position) => world.createBody({ type: 'dynamic', position, shapes })) };
}
const run = (world, steps) => { for (let i = 0; i < steps; i++) world.step(1 / 60); };

const up = [0, 1, 0], across = [1, 0, 0];
const PRESETS = {
  ball: [{ anchor: [1, 0, 0] }, 'twist,swingY,swingZ'],
  coneTwist: [{ anchor: [1, 0, 0], axis: across, swing: 0.5, twist: 0.2 }, 'twist,swingY,swingZ'],
  hinge: [{ anchor: [1, 0, 0], axis: up }, 'twist'],
  slider: [{ anchor: [1, 0, 0], axis: up }, 'x'],
  cylindrical: [{ anchor: [1, 0, 0], axis: up }, 'x,twist'],
  planar: [{ anchor: [1, 0, 0], normal: up }, 'y,z,twist'],
  fixed: [{ anchor: [1, 0, 0] }, ''],
  distance: [{ anchorA: [0.5, 0, 0], anchorB: [1.5, 0, 0] }, null],
  rope: [{ anchorA: [0.5, 0, 0], anchorB: [1.5, 0, 0], length: 2 }, null],
  spring: [{ anchorA: [0.5, 0, 0], anchorB: [1.5, 0, 0], stiffness: 100, damping: 1 }, null],
  wheel: [{ anchor: [2, 0, 0], up, axle: across, stiffness: 1000, damping: 10 }, 'y,twist'],
  motor: [{ hertz: 2, maxForce: 100, maxTorque: 10 }, 'x,y,z,twist,swingY,swingZ'],
  gear: [{ axisA: across, axisB: across, ratio: 2 }, null],
  rack: [{ axis: up, direction: across, ratio: 0.5 }, null],
  pulley: [{ anchorA: [0, 0.5, 0], anchorB: [2, 0.5, 0], groundA: [0, 3, 0], groundB: [2, 3, 0], ratio: 1 }, null],
};

for (const [type, [options, left]] of Object.entries(PRESETS))
  test(`a ${type} has its degrees of freedom, and can be made again of its definition`, () => {
    const { world, bodies: [bodyA, bodyB] } = boxes([[0, 0, 0], [2, 0, 0]], { gravity: [0, 0, 0] });
    const joint = world.createJoint({ type, bodyA, bodyB, ...options, breakForce: 1e6 });
    const { definition } = joint;
    assert.equal(definition.kind, left === null ? { rope: 'distance', spring: 'distance' }[type] ?? type : 'frames');
    assert.equal(definition.breakForce, 1e6);
    assert.deepEqual([definition.bodyA.slot, definition.bodyB.slot], [0, 1]);
    if (left !== null) {
      const open = Object.entries(definition.axes).filter(([, { freedom }]) => freedom !== 'locked');
      assert.equal(open.map(([dof]) => dof).join(), left);
    }
    const again = world.createJoint(definition);
    assert.deepEqual(again.definition, definition);
    assert.equal(world.jointCount, 2);
    run(world, 10);
    assert.ok(bodyB.position.every(Number.isFinite));
    near(joint.error.linear, 0, 1e-4, 'error');
  });

test('a hanging weight pulls with m g, and a joint breaks in the step in which it carries too much', () => {
  const { world, bodies: [box] } = boxes([[0, 3, 0]]);
  const joint = world.createJoint({ type: 'ball', bodyB: box, anchor: [0, 4, 0] });
  run(world, 60);
  near(joint.reaction.force[1], 100, 0.1, 'reaction');
  assert.deepEqual(joint.reaction.point.map((x) => Number(x.toFixed(3))), [0, 4, 0]);
  assert.deepEqual(world.jointEvents, []);
  joint.setBreak(99);
  world.step();
  const [event, ...more] = world.jointEvents;
  assert.equal(more.length, 0);
  assert.deepEqual([event.joint.id, event.bodyA, event.bodyB.slot], [joint.id, null, box.slot]);
  near(event.force, 100, 0.1, 'force');
  assert.deepEqual([joint.isValid, world.jointCount, world.joints().length], [false, 0, 0]);
  assert.throws(() => joint.place('twist'), CairnError);
});

test('a motor reaches its speed, a limit stops it, and friction holds', () => {
  const { world, bodies: [wheel] } = boxes([[0, 0, 0]], { gravity: [0, 0, 0] });
  const joint = world.createJoint({ type: 'hinge', bodyB: wheel, anchor: [0, 0, 0], axis: [0, 0, 1] });
  joint.setMotor('twist', 'speed', 3, 100);
  run(world, 60);
  near(joint.speed('twist'), 3, 1e-3, 'speed');
  near(wheel.angularVelocity[2], 3, 1e-3, 'spin');
  assert.ok(joint.place('twist') > 2.5);
  const turned = joint.place('twist');
  joint.setLimits('twist', -1, turned + 0.5);
  run(world, 60);
  near(joint.place('twist'), turned + 0.5, 0.01, 'limit');
  near(joint.reaction.motorForce.twist, 100, 1, 'motor at its limit');
  joint.setMotor('twist', 'off');
  joint.setAxis('twist', { freedom: 'free', friction: 50 });
  const { twist } = joint.definition.axes;
  assert.deepEqual([twist.motor, twist.freedom, twist.friction, twist.lower], ['off', 'free', 50, -1]);
  wheel.angularVelocity = [0, 0, 1];
  run(world, 30);
  near(joint.speed('twist'), 0, 1e-3, 'friction');
});

test('a spring hangs where its force is the weight', () => {
  const { world, bodies: [box] } = boxes([[0, 0, 0]]);
  const joint = world.createJoint({ type: 'spring', bodyB: box, anchorA: [0, 2, 0], anchorB: [0, 0.5, 0], stiffness: 400, damping: 100 });
  run(world, 600);
  near(joint.place('x'), 1.5 + 100 / 400, 1e-3, 'length');
  assert.equal(joint.definition.axes.x.springStiffness, 400);
});

test('gears turn by their ratio', () => {
  const { world, bodies: [a, b] } = boxes([[0, 0, 0], [3, 0, 0]], { gravity: [0, 0, 0] });
  const axis = [0, 0, 1];
  const driven = world.createJoint({ type: 'hinge', bodyB: a, anchor: a.position, axis });
  world.createJoint({ type: 'hinge', bodyB: b, anchor: b.position, axis });
  world.createJoint({ type: 'gear', bodyA: a, bodyB: b, axisA: axis, axisB: axis, ratio: 2 });
  driven.setMotor('twist', 'speed', 4, 1000);
  run(world, 60);
  near(a.angularVelocity[2], 4, 1e-2, 'driver');
  near(b.angularVelocity[2], -2, 1e-2, 'driven');
});

test('frames move what a joint holds', () => {
  const { world, bodies: [box] } = boxes([[0, 0, 0]], { gravity: [0, 0, 0] });
  const joint = world.createJoint({ type: 'motor', bodyB: box, hertz: 4, maxForce: 1e4, maxTorque: 1e4 });
  const { positionB, rotationB } = joint.definition;
  joint.setFrames({ positionA: [1, 2, 3] });
  assert.deepEqual([joint.definition.positionA, joint.definition.positionB, joint.definition.rotationB], [[1, 2, 3], positionB, rotationB]);
  run(world, 240);
  box.position.forEach((x, i) => near(x, i + 1, 1e-2, 'place'));
});

test('bodies know their joints, and the flat array has all of them', () => {
  const { world, bodies: [a, b, c] } = boxes([[0, 0, 0], [2, 0, 0], [4, 0, 0]]);
  const first = world.createJoint({ type: 'ball', bodyA: a, bodyB: b, anchor: [1, 0, 0] });
  const second = world.createJoint({
    type: 'hinge', bodyA: b, bodyB: c, anchor: [3, 0, 0], axis: [0, 0, 1], axes: { twist: { freedom: 'limited', lower: -1, upper: 2 } },
  });
  assert.deepEqual(world.jointsOf(b).map(({ id }) => id).sort(), [first.id, second.id].sort());
  assert.deepEqual([world.jointsOf(a).length, world.joints().map(({ slot }) => slot)], [1, [0, 1]]);
  assert.deepEqual([second.bodyA.slot, second.bodyB.slot], [b.slot, c.slot]);
  const table = world.jointFrames;
  assert.equal(table.length, 88);
  assert.deepEqual([...table.subarray(0, 8)], [0, 0, 1, 0, 0, 1, 0, 0]);
  assert.deepEqual([...table.subarray(44 + 19, 44 + 25)], [1, 1, 1, 2, 1, 1]);
  assert.deepEqual([...table.subarray(44 + 31, 44 + 33)], [-1, 2]);
  first.destroy();
  assert.deepEqual([world.jointFrames.length, world.jointFrames[0], first.isValid], [44, 1, false]);
});

test('bodies of a joint collide when they should', () => {
  for (const collide of [false, true]) {
    const { world, bodies: [bodyA, bodyB] } = boxes([[0, 0, 0], [0.9, 0, 0]], { gravity: [0, 0, 0] });
    world.createJoint({ type: 'ball', bodyA, bodyB, anchor: [0.45, 0, 0], collide });
    world.step();
    assert.equal(world.contacts.length > 0, collide);
  }
});

test('chains are solved directly or by sweeps, as the world is told', () => {
  for (const [jointSolve, isDirect] of [['direct', true], ['sweep', false]]) {
    const { world, bodies } = boxes(Array.from({ length: 8 }, (_, i) => [i, 0, 0]), { jointSolve });
    bodies.forEach((bodyB, i) => world.createJoint({ type: 'ball', bodyA: bodies[i - 1] ?? null, bodyB, anchor: [i - 0.5, 0, 0] }));
    const report = world.step();
    assert.deepEqual([report.joints, report.direct > 0], [8, isDirect]);
  }
});

const pair = () => boxes([[0, 0, 0], [2, 0, 0]]);
const refused = (options) => () => {
  const { world, bodies: [bodyA, bodyB] } = pair();
  world.createJoint({ bodyA, bodyB, ...options });
};
const changed = (change) => () => {
  const { world, bodies: [bodyA, bodyB] } = pair();
  change(world.createJoint({ type: 'hinge', bodyA, bodyB, anchor: [1, 0, 0], axis: up }));
};
const refusals = {
  'neither type nor kind': [refused({}), /type must be one of: ball, .*kind one of: frames/],
  'a type that does not exist': [refused({ type: 'screw' }), /type is "screw"; it must be one of: ball/],
  'a kind that does not exist': [refused({ kind: 'screw' }), /kind is "screw"; it must be one of: frames/],
  'a hinge without its axis': [refused({ type: 'hinge', anchor: up }), /a hinge needs axis/],
  'an option of another type': [refused({ type: 'ball', anchor: up, axis: up }), /there is no option "axis"; there are: anchor/],
  'an axis of length 0': [refused({ type: 'hinge', anchor: up, axis: [0, 0, 0] }), /axis/],
  'an anchor that is not finite': [refused({ type: 'ball', anchor: [0, NaN, 0] }), /anchor/],
  'an anchor of two numbers': [refused({ type: 'ball', anchor: [0, 1] }), /anchor must be an array of 3 numbers/],
  'a rope of negative length': [refused({ ...PRESETS.rope[0], type: 'rope', length: -1 }), /length/],
  'the same body twice': [() => {
    const { world, bodies: [bodyA] } = pair();
    world.createJoint({ type: 'ball', bodyA, bodyB: bodyA, anchor: up });
  }, /same body/],
  'the world twice': [() => pair().world.createJoint({ type: 'ball', anchor: up }), /null|body/],
  'a body that is none': [() => pair().world.createJoint({ type: 'ball', bodyA: {}, anchor: up }), /bodyA is an object; it must be a body/],
  'a degree of freedom that does not exist': [refused({ type: 'ball', anchor: up, axes: { turn: {} } }), /axes: there is no option "turn"/],
  'a field of one that does not exist': [
    refused({ type: 'ball', anchor: up, axes: { twist: { stiff: 1 } } }), /axes\.twist: there is no option "stiff"/,
  ],
  'limits that cross': [refused({ type: 'ball', anchor: up, axes: { twist: { freedom: 'limited', lower: 1, upper: -1 } } }), /lower/],
  'a negative spring': [refused({ type: 'ball', anchor: up, axes: { twist: { springStiffness: -1 } } }), /stiffness/],
  'a freedom that does not exist': [refused({ type: 'ball', anchor: up, axes: { twist: { freedom: 'loose' } } }), /freedom is "loose"/],
  'a break force of 0': [refused({ type: 'ball', anchor: up, breakForce: 0 }), /break/],
  'a frame that is no rotation': [refused({ kind: 'frames', rotationA: [0, 0, 0, 0] }), /frame_a|rotation/],
  'limits that become crossed': [changed((joint) => joint.setLimits('twist', 2, 1)), /lower/],
  'a motor without force': [changed((joint) => joint.setMotor('twist', 'speed', 1)), /maxForce/],
  'a motor of no kind': [changed((joint) => joint.setMotor('twist', 'fast', 1, 1)), /mode is "fast"/],
  'a degree of freedom that is none': [changed((joint) => joint.place('turn')), /dof is "turn"; it must be one of: x, y/],
  'a degree of freedom that a distance has not': [() => {
    const { world, bodies: [bodyA, bodyB] } = pair();
    world.createJoint({ type: 'distance', bodyA, bodyB, ...PRESETS.distance[0] }).place('twist');
  }, /dof/],
  'destroying twice': [changed((joint) => { joint.destroy(); joint.destroy(); }), /joint/],
};
for (const [what, [call, sentence]] of Object.entries(refusals))
  test(`${what} is refused with a sentence`, () => {
    assert.throws(call, (error) => error instanceof CairnError && sentence.test(error.message) && !assert.ok(error.message.length > 10));
  });

test('a ball joint has one friction for all axes, and goes to a rotation', () => {
  const { world, bodies: [box] } = boxes([[0, 0, 0]], { gravity: [0, 0, 0] });
  const joint = world.createJoint({ type: 'ball', bodyB: box, anchor: [0, 0, 0], ball: { friction: 2 } });
  assert.deepEqual(joint.definition.ball, {
    motor: 'off', motorVelocity: [0, 0, 0], motorRotation: [0, 0, 0, 1], motorMaxTorque: Infinity, motorHertz: 0,
    motorDampingRatio: 1, friction: 2,
  });
  box.angularVelocity = [1.2, 2, 3.2];
  run(world, 60);
  const part = 1 - 2 / (10 / 6) / Math.hypot(1.2, 2, 3.2); // torque over inertia, in a second
  box.angularVelocity.forEach((w, i) => near(w, part * [1.2, 2, 3.2][i], 0.02, 'spin'));
  joint.setBall({ friction: 0, motorHertz: 2 });
  joint.setTargetRotation([0.6, 0, 0, 0.8]);
  run(world, 120);
  joint.rotation.forEach((x, i) => near(x, [0.6, 0, 0, 0.8][i], 1e-3, 'rotation'));
  joint.setBall({ motorMaxTorque: 0.5 });
  joint.setTargetVelocity([0, 3, 0]);
  world.step();
  near(Math.hypot(...joint.reaction.motorTorque), 0.5, 1e-3, 'torque');
  assert.throws(() => joint.setAxis('twist', { freedom: 'locked' }), /CN_TWIST is locked/);
  assert.throws(() => joint.setTargetRotation([0, 0, 0, 0]), /motor_rotation/);
  assert.throws(() => joint.setBall({ stiffness: 1 }), /there is no option "stiffness"/);
});

test('both builds give the same bits', () => {
  const hashes = Object.values(engines).map((of) => {
    const { world, bodies } = boxes(Array.from({ length: 6 }, (_, i) => [i, 0, 0]), { of });
    bodies.forEach((bodyB, i) => world.createJoint({
      type: 'coneTwist', bodyA: bodies[i - 1] ?? null, bodyB, anchor: [i - 0.5, 0, 0], axis: across, swing: 0.4, twist: 0.1,
      ball: i % 2 ? { friction: 3 } : { motor: 'place', motorMaxTorque: 20 },
    }));
    run(world, 120);
    return world.hash();
  });
  assert.equal(hashes[0], hashes[1]);
});
