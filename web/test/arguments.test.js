// Every argument, property and field that cairn.d.ts declares, given wrong in every way that its type can be: each is refused with
// a sentence that names it, and the world stays as it was.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CairnError, loadCairn } from '../package/cairn.js';

const engine = await loadCairn();
const declarations = readFileSync(new URL('../package/cairn.d.ts', import.meta.url), 'utf8').replace(/\/\*\*.*?\*\//gs, '').replace(/^\/\/.*$/gm, '');

/** The lines of an interface, each with what stands before its colon and its type. */
function members(name) {
  const [, body] = declarations.match(new RegExp(`interface ${name}(?:<\\w+>)?(?: extends [\\w, ]+)? \\{\\n(.*?)\\n\\}`, 's'));
  return body.split('\n').filter((line) => /^  \S.*;$/.test(line)).map((line) => line.trim());
}

const fields = (name) => members(name).map((line) => line.match(/^(\w+)\??: (.*);$/)).filter(Boolean).map(([, field, type]) => [field, type]);

/** [method, [[argument, type], ...]] of an interface. */
function methods(name) {
  return members(name).map((line) => line.match(/^(\w+)\((.*)\): [^)]*;$/)).filter(Boolean).map(([, method, list]) =>
    [method, list === '' ? [] : list.split(/, (?=\w+\??:)/).map((argument) => argument.match(/^(\w+)\??: (.*)$/).slice(1))]);
}

const wrongNumbers = (count) => [
  [1], Array(count + 1).fill(0.5), [], null, 5, 'x'.repeat(count), {}, true, Array(count).fill('0'), [NaN, ...Array(count - 1).fill(0)],
  [...Array(count - 1).fill(0), Infinity], [...Array(count - 1).fill(0), undefined], [...Array(count - 1).fill(0), [1]],
];
const ANY_OBJECT = [null, 5, 'x', { nonsense: 1 }, [1]];

function wrongValues(type) {
  switch (type) {
    case 'Vector3': return wrongNumbers(3);
    case 'Quaternion': return wrongNumbers(4);
    case 'ArrayLike<number>': return [[NaN, 0, 0], ['1', 0, 0], [1, 0], null, 5, 'abc', {}, [0, 0, undefined]];
    case 'number': return [NaN, null, '1', [1], {}, true, 1n];
    case 'boolean': return [null, 'yes', 1, 0, [], {}];
    case 'string': return [null, 5, {}, 'nonsense'];
    case 'Body': case 'Shape': case 'Hull': return [null, 5, 'x', {}, { id: 1 }];
    case 'Body | null': return [5, 'x', {}, { id: 1 }];
    case 'Dof': case 'MotorMode': case 'JointKind': return ['nonsense', null, 5, {}];
    default:
      if (/^'/.test(type)) return ['nonsense', null, 5, {}];
      return /\[\]$|^Iterable|^readonly \{/.test(type) ? [null, 5, {}, [null], [5], ['x'], [{ nonsense: 1 }]] : ANY_OBJECT;
  }
}

function stage() {
  const world = engine.createWorld({ gravity: [0, -10, 0] });
  const sphere = { type: 'sphere', radius: 0.5 };
  const floor = world.createBody({ type: 'static', shapes: [{ type: 'box', halfExtents: [9, 1, 9], position: [0, -1, 0] }] });
  const body = world.createBody({ type: 'dynamic', position: [0, 2, 0], shapes: [sphere] });
  const mover = world.createBody({ type: 'kinematic', position: [5, 2, 0], shapes: [sphere] });
  mover.setPath({ keys: [{ time: 0, position: [5, 2, 0] }, { time: 1, position: [5, 3, 0] }] });
  const joint = world.createJoint({ type: 'ball', bodyB: body, anchor: [0, 3, 0] });
  const ragdoll = world.createRagdoll({ position: [-4, 0, 0] });
  const [shape] = body.shapes(), [other] = mover.shapes();
  return { world, floor, body, mover, joint, ragdoll, shape, other, sphere, hull: world.createHull([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]) };
}
const s = stage();
const V = [0, 1, 0], Q = [0, 0, 0, 1], KEYS = [{ time: 0, position: V }, { time: 1, position: V }];

/** Refused, by a sentence that has the name; or by the call that takes it where what is given is not even an object. */
function refuses(call, name, value) {
  const before = s.world.hash(), { bodyCount, jointCount } = s.world;
  assert.throws(call, (error) => {
    assert.ok(error instanceof CairnError, `${name} of ${String(JSON.stringify(value, (_, x) => (typeof x === 'bigint' ? `${x}n` : x)))}: ${error.stack}`);
    assert.ok(error.message.includes(name) || error.message.includes('nonsense'), `“${error.message}” does not name ${name}`);
    return true;
  }, `${name} may be ${String(value)}`);
  assert.deepEqual([s.world.hash(), s.world.bodyCount, s.world.jointCount], [before, bodyCount, jointCount]);
}

// What each method is called with when it is called right. Those without arguments need none.
const right = {
  Cairn: [engine, {
    createWorld: [{}], createMesh: [{ vertices: [0, 0, 0, 0, 0, 1, 1, 0, 0], indices: [0, 1, 2] }], createHeightField: [{ columns: 2, rows: 2, heights: [0, 0, 0, 0] }],
    createCompound: [[s.sphere]], createScene: ['tower', {}],
  }],
  World: [s.world, {
    step: [1 / 60], createBody: [{}], createHull: [[0, 0, 0]], destroyHull: [s.hull], createJoint: [{ type: 'ball', bodyB: s.body, anchor: V }], createRagdoll: [{}],
    jointsOf: [s.body], castRay: [V, V, {}], castRayAll: [V, V, {}], castRays: [[0, 0, 0, 0, 1, 0], {}], castShape: [s.sphere, V, {}], castShapeAll: [s.sphere, V, {}],
    overlapShape: [s.sphere, {}], overlapBox: [V, V, {}], closestPoint: [V, 1, {}], closest: [s.sphere, 1, {}], overlapsOf: [s.shape], bodyAt: [0],
  }],
  Body: [s.body, {
    setTransform: [V, Q], setPath: [{ keys: KEYS }], applyForce: [V, V], applyTorque: [V], applyImpulse: [V, V], applyAngularImpulse: [V], collidesWith: [s.mover],
    setCollidesWith: [s.mover, true], shapesCollide: [s.shape, s.other], setShapesCollide: [s.shape, s.other, true], addShape: [s.sphere], addShapes: [[s.sphere]],
    removeShape: [s.shape], moveKinematic: [V, Q, 1], setPathSpeed: [1],
  }],
  Joint: [s.joint, {
    setAxis: ['twist', {}], setMotor: ['twist', 'speed', 1, 1], setLimits: ['twist', 0, 1], setBall: [{}], setTargetRotation: [Q], setTargetVelocity: [V], setFrames: [{}],
    setBreak: [1, 1], place: ['twist'], speed: ['twist'],
  }],
  Ragdoll: [s.ragdoll, { setPose: [{}, 1, 0], setKinematic: [['pelvis']], follow: [{ position: V }, {}, 1] }],
};
const UNCHECKED = ['shapes']; // its map is the caller's own

for (const [kind, [object, calls]] of Object.entries(right))
  for (const [method, parameters] of methods(kind).filter(([name, list]) => list.length > 0 && !UNCHECKED.includes(name)))
    test(`${kind}.${method} refuses what it cannot take`, () => {
      assert.ok(calls[method], 'the test knows how to call it');
      parameters.forEach(([name, type], i) => {
        for (const value of wrongValues(type)) {
          const given = Object.assign([...calls[method]], { [i]: value });
          const named = ['string', 'Iterable<Bone>'].includes(type) || /Options|Part|Probe|Pose|Axis|Ball|Frames|readonly|Hull|place|\{/.test(type) || type === name ? method : name;
          refuses(() => object[method](...given), named, value);
        }
      });
    });

for (const [kind, [object]] of Object.entries(right))
  for (const [name, type] of fields(kind))
    test(`${kind}.${name} refuses what it cannot be`, () => {
      for (const value of wrongValues(type)) refuses(() => { object[name] = value; }, name, value);
    });

const geometry = { type: 'box', halfExtents: [1, 1, 1] };
const mesh = right.Cairn[1].createMesh[0], field = right.Cairn[1].createHeightField[0];
const add = (options) => s.world.createBody({ shapes: [{ ...geometry, ...options }] });
const structures = {
  MeshOptions: (o) => engine.createMesh({ ...mesh, ...o }), HeightFieldOptions: (o) => engine.createHeightField({ ...field, ...o }),
  WorldOptions: (o) => engine.createWorld(o), BodyOptions: (o) => s.world.createBody(o), Material: add, Filter: add,
  QueryFilter: (o) => s.world.castRay(V, V, o), PathOptions: (o) => s.mover.setPath({ keys: KEYS, ...o }),
  RagdollOptions: (o) => s.world.createRagdoll(o), JointAxis: (o) => s.joint.setAxis('twist', o), JointBall: (o) => s.joint.setBall(o),
  JointFrames: (o) => s.joint.setFrames(o), JointEnds: (o) => s.world.createJoint({ type: 'ball', bodyB: s.body, anchor: V, ...o }),
  JointExtras: (o) => s.world.createJoint({ type: 'ball', bodyB: s.body, anchor: V, ...o }), JointDefinition: (o) => s.world.createJoint({ kind: 'gear', bodyB: s.body, ...o }),
};
for (const [name, take] of Object.entries(structures))
  test(`${name}: no field takes what it cannot be, and there is none of another name`, () => {
    refuses(() => take({ nonsense: 1 }), 'nonsense', 1);
    assert.ok(fields(name).length > 1);
    for (const [key, type] of fields(name))
      for (const value of wrongValues(type.startsWith('readonly [number') ? 'Vector3' : type)) refuses(() => take({ [key]: value }), key === 'shapes' ? 'hapes' : key, value);
  });

test('objects of the engine are as they are: a property that is none is a TypeError', () => {
  const form = engine.createMesh(mesh);
  assert.throws(() => { form.kind = 'compound'; }, { name: 'TypeError', message: /kind/ });
  for (const object of [engine, s.world, s.body, s.joint, s.ragdoll, form])
    assert.throws(() => { object.linearVelocty = V; }, { name: 'TypeError', message: /linearVelocty/ });
});

test('an engine without memory says so, and stays shut', async () => {
  const full = await loadCairn();
  const refused = (call) => assert.throws(call, (error) => error instanceof CairnError && /out of memory.*loadCairn\(\) gives another/.test(error.message));
  refused(() => full.createWorld({ capacity: { bodies: 2e6, shapes: 2e6, contacts: 2e7 } }));
  refused(() => full.createWorld());
});
