// Meshes, height fields, compounds, questions about space and sensors through the JavaScript API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CairnError, loadCairn } from '../package/cairn.js';

const engine = await loadCairn();
const near = (a, b, slack = 1e-4) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`);
const nearAll = (list, expected, slack) => list.forEach((x, i) => near(x, expected[i], slack));

/** A square of 20 m in two triangles that face up, of two materials: z above x, and x above z. */
const SQUARE = { vertices: [-10, 0, -10, -10, 0, 10, 10, 0, 10, 10, 0, -10], indices: [0, 1, 2, 0, 2, 3], materials: [0, 1] };

function worldOn(shape) {
  const world = engine.createWorld({ gravity: [0, -10, 0] });
  const ground = world.createBody({ type: 'static', shapes: [shape] });
  return { world, ground };
}

/** A 5 x 5 field of 2 m spacing, flat at height 1, with a hole in the last cell. */
function flatField(more = {}) {
  const holes = new Uint8Array(16);
  holes[15] = 1;
  return engine.createHeightField({ columns: 5, rows: 5, spacing: [2, 2], heights: new Float32Array(25).fill(1), holes, ...more });
}

const CROSS = [{ type: 'box', halfExtents: [1, 0.25, 0.25] }, { type: 'box', halfExtents: [0.25, 0.25, 1], material: 1 },
  { type: 'hull', points: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], position: [0, 0.25, 0] }];

test('a box comes to rest on a mesh, which may be destroyed once it is used', () => {
  const mesh = engine.createMesh(SQUARE);
  const { world } = worldOn({ type: 'mesh', mesh, materials: [{ friction: 0.5 }, { friction: 0.1 }] });
  mesh.destroy();
  const box = world.createBody({ type: 'dynamic', position: [0.3, 1.5, 0.2], shapes: [{ type: 'box', halfExtents: [0.5, 0.5, 0.5] }] });
  for (let i = 0; i < 120; i++) world.step();
  near(box.position[1], 0.5, 5e-3);
  assert.ok(Math.hypot(...box.linearVelocity) < 1e-2);
  assert.throws(() => mesh.destroy(), /this mesh has been destroyed/);
  assert.throws(() => world.createBody({ type: 'static', shapes: [{ type: 'mesh', mesh }] }), /has been destroyed/);
});

test('a ball lies on a height field, and falls through its hole', () => {
  const { world } = worldOn({ type: 'heightField', heightField: flatField() });
  const drop = (x, z) => world.createBody({ type: 'dynamic', position: [x, 3, z], shapes: [{ type: 'sphere', radius: 0.5 }] });
  const lies = drop(3, 3);
  const falls = drop(7, 7);
  for (let i = 0; i < 120; i++) world.step();
  near(lies.position[1], 1.5, 5e-3);
  assert.ok(falls.position[1] < -5, `${falls.position[1]}`);
});

test('a compound has the mass of its parts, and comes to rest', () => {
  const { world } = worldOn({ type: 'box', halfExtents: [10, 1, 10], position: [0, -1, 0] });
  const compound = engine.createCompound(CROSS.slice(0, 2));
  const cross = world.createBody({ type: 'dynamic', position: [0, 1, 0], shapes: [{ type: 'compound', compound, density: 100 }] });
  near(cross.mass.mass, 2 * 100 * 2 * 0.5 * 0.5, 0.01);
  for (let i = 0; i < 120; i++) world.step();
  near(cross.position[1], 0.25, 5e-3);
});

test('a tapered capsule lies on both its balls, alone and in a compound', () => {
  const { world } = worldOn({ type: 'box', halfExtents: [10, 1, 10], position: [0, -1, 0] });
  const limb = { type: 'taperedCapsule', bottomRadius: 0.3, topRadius: 0.1, halfHeight: 0.5 };
  const compound = engine.createCompound([limb]);
  const rotation = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const bodies = [limb, { type: 'compound', compound }].map((shape, i) => world.createBody({
    type: 'dynamic', position: [0, 0.5, 3 * i], rotation, shapes: [{ ...shape, rollingResistance: 0.01 }],
  }));
  const [form] = bodies[0].shapes();
  nearAll([form.bottomRadius, form.topRadius, form.halfHeight], [0.3, 0.1, 0.5], 1e-6);
  near(bodies[1].shapes()[0].parts[0].bottomRadius, 0.3, 1e-6);
  assert.ok(bodies[0].mass.center[1] < -0.1, 'nearer to the larger ball');
  for (let i = 0; i < 240; i++) world.step();
  for (const body of bodies) near(body.position[1], 0.2, 5e-3);
  assert.throws(() => world.createBody({ shapes: [{ type: 'taperedCapsule', bottomRadius: 1, halfHeight: 1 }] }), /needs topRadius/);
});

test('shapes are read back for drawing, and what bodies share is one object', () => {
  const mesh = engine.createMesh(SQUARE);
  const world = engine.createWorld();
  const compound = engine.createCompound(CROSS);
  const bodies = [[1, 1, 1], [-1, 2, 1]].map((scale) => world.createBody({
    type: 'static', shapes: [{ type: 'mesh', mesh, scale }, { type: 'heightField', heightField: flatField(), scale: [1, 3, 1] }, { type: 'compound', compound }],
  }));
  const known = new Map();
  const [[first, field, cross], [second]] = bodies.map((body) => body.shapes(known));
  assert.deepEqual([...first.mesh.vertices], SQUARE.vertices);
  assert.deepEqual([...first.mesh.indices], SQUARE.indices);
  assert.deepEqual([...first.mesh.materials], SQUARE.materials);
  assert.equal(first.mesh, second.mesh);
  assert.deepEqual(second.scale, [-1, 2, 1]);
  const { columns, rows, spacing, heights, holes } = field.heightField;
  assert.deepEqual([columns, rows, ...spacing, ...field.scale], [5, 5, 2, 2, 1, 3, 1]);
  nearAll(heights, new Array(25).fill(1), 1e-3);
  assert.deepEqual([...holes], [...new Array(15).fill(0), 1]);
  assert.deepEqual(cross.parts.map(({ type }) => type), ['box', 'box', 'hull']);
  assert.deepEqual([cross.parts[2].vertices.length, cross.parts[2].faces.length], [12, 4]);
  near(cross.parts[2].position[1], 0.25);
});

test('a mesh without triangles of no area, when they are to be dropped', () => {
  const options = { ...SQUARE, indices: [...SQUARE.indices, 0, 0, 1], materials: [0, 1, 0] };
  assert.throws(() => engine.createMesh(options), CairnError);
  const mesh = engine.createMesh({ ...options, dropDegenerate: true });
  const { ground } = worldOn({ type: 'mesh', mesh });
  assert.equal(ground.shapes()[0].mesh.indices.length, 6);
});

test('rays hit what is nearest, tell part and material, and leave out what is ignored', () => {
  const mesh = engine.createMesh(SQUARE);
  const { world, ground } = worldOn({ type: 'mesh', mesh, materials: [{}, { friction: 0.1 }] });
  const ball = world.createBody({ type: 'static', position: [3, 4, 1], shapes: [{ type: 'sphere', radius: 1 }] });
  const hit = world.castRay([3, 10, 1], [0, -20, 0]);
  assert.equal(hit.body.id, ball.id);
  assert.equal(hit.part, -1);
  near(hit.fraction, 0.25);
  nearAll(hit.point, [3, 5, 1]);
  nearAll(hit.normal, [0, 1, 0]);
  const below = world.castRay([3, 10, 1], [0, -20, 0], { ignore: ball });
  assert.deepEqual([below.body.id, below.part, below.material], [ground.id, 1, 1]);
  near(below.fraction, 0.5);
  assert.deepEqual(world.castRayAll([3, 10, 1], [0, -20, 0]).map(({ body }) => body.slot), [ball.slot, ground.slot]);
  assert.equal(world.castRay([30, 10, 1], [0, -20, 0]), null);
  assert.equal(world.castRay([3, 10, 1], [0, -20, 0], { mask: 0 }), null);
  assert.throws(() => world.castRay([NaN, 0, 0], [0, 1, 0]), CairnError);
  assert.throws(() => world.castRay([0, 0], [0, 1, 0]), /origin must be an array of 3/);
  assert.throws(() => world.castRay([0, 0, 0], [0, 1, 0], { maks: 1 }), /no option "maks"/);
});

test('many rays at once give what each one gives', () => {
  const { world } = worldOn({ type: 'mesh', mesh: engine.createMesh(SQUARE) });
  for (let i = 0; i < 20; i++)
    world.createBody({ type: 'static', position: [i - 10, 1 + (i % 3), 0.3 * i], shapes: [{ type: 'sphere', radius: 0.6 }] });
  const rays = Float64Array.from({ length: 6 * 500 }, (_, k) => (k % 6 === 1 ? 10 : k % 6 === 4 ? -20 : k % 6 > 2 ? 0 : ((k * 7919) % 240) / 10 - 12));
  const hits = world.castRays(rays).slice();
  let found = 0;
  for (let i = 0; i < 500; i++) {
    const one = world.castRay(rays.subarray(6 * i, 6 * i + 3), rays.subarray(6 * i + 3, 6 * i + 6));
    const h = hits.subarray(11 * i, 11 * i + 11);
    assert.equal(h[0], one ? one.body.slot : -1);
    if (!one) continue;
    found++;
    assert.deepEqual([h[1], h[2], ...h.subarray(4, 10)], [one.part, one.fraction, ...one.point, ...one.normal]);
    assert.equal(new BigUint64Array(hits.buffer, 8 * (11 * i + 10), 1)[0], one.shape.id);
  }
  assert.ok(found > 250 && found < 500, `${found} hits`);
  assert.throws(() => world.castRays([1, 2, 3]), /six numbers/);
  assert.equal(world.castRays([]).length, 0);
});

test('casts of shapes, overlaps and closest points', () => {
  const { world, ground } = worldOn({ type: 'box', halfExtents: [10, 1, 10], position: [0, -1, 0] });
  const ball = world.createBody({ type: 'static', position: [0, 3, 0], shapes: [{ type: 'sphere', radius: 1 }] });
  const probe = { type: 'sphere', radius: 0.5, position: [5, 10, 0] };
  const hit = world.castShape(probe, [0, -20, 0]);
  assert.equal(hit.body.id, ground.id);
  near(hit.fraction, 9.5 / 20, 1e-3);
  nearAll(hit.point, [5, 0, 0], 1e-3);
  assert.equal(world.castShapeAll({ ...probe, position: [0, 10, 0] }, [0, -20, 0]).length, 2);
  assert.deepEqual(world.overlapShape({ ...probe, position: [0, 4.4, 0] }).map(({ body }) => body.slot), [ball.slot]);
  assert.deepEqual(world.overlapShape({ ...probe, position: [0, 4.6, 0] }), []);
  assert.equal(world.overlapBox([-1, -1, -1], [1, 5, 1]).length, 2);
  const closest = world.closestPoint([0, 6, 0], 10);
  assert.equal(closest.body.id, ball.id);
  near(closest.distance, 2, 1e-3);
  nearAll(closest.point, [0, 4, 0], 1e-3);
  nearAll(closest.normal, [0, 1, 0], 1e-3);
  assert.equal(world.closestPoint([0, 6, 0], 1), null);
  near(world.closest({ type: 'box', halfExtents: [1, 1, 1], position: [5, 2, 0] }, 10).distance, 1, 1e-3);
  assert.throws(() => world.overlapShape({ type: 'sphere', radius: -1 }), CairnError);
  assert.throws(() => world.overlapShape({ type: 'mesh' }), /must be one of: sphere/);
  assert.throws(() => world.castShape({ ...probe, density: 1 }, [0, 1, 0]), /no option "density"/);
});

test('a sensor reports who comes and goes, and stops nobody', () => {
  const world = engine.createWorld({ gravity: [0, -10, 0] });
  const gate = world.createBody({ type: 'static' });
  const sensor = gate.addShape({ type: 'box', halfExtents: [1, 1, 1], sensor: true });
  const ball = world.createBody({ type: 'dynamic', position: [0, 3, 0], shapes: [{ type: 'sphere', radius: 0.25 }] });
  const [{ id }] = ball.shapes();
  const seen = { begin: [], end: [], inside: 0 };
  for (let i = 0; i < 90; i++) {
    world.step();
    const { begin, end } = world.sensorEvents;
    seen.begin.push(...begin);
    seen.end.push(...end);
    if (world.overlapsOf(sensor).length === 1) seen.inside++;
  }
  assert.deepEqual([seen.begin, seen.end], [[{ sensor, visitor: { id } }], [{ sensor, visitor: { id } }]]);
  assert.ok(seen.inside > 5 && ball.position[1] < -1.25);
  assert.equal(world.castRay([0, 3, 3], [0, -3, -3]), null);
  assert.equal(world.castRay([0, 3, 3], [0, -3, -3], { sensors: true })?.shape.id, sensor.id);
});

test('what is wrong is refused with a sentence', async () => {
  const other = await loadCairn();
  const world = engine.createWorld();
  const add = (shape) => world.createBody({ type: 'static', shapes: [shape] });
  const cases = [
    [() => engine.createMesh({ indices: [0, 1, 2] }), /vertices must be an array of numbers/],
    [() => engine.createMesh({ vertices: [0, 0], indices: [] }), /vertices must hold three numbers/],
    [() => engine.createMesh({ ...SQUARE, indices: [0, 1, 7], materials: [0] }), /7/],
    [() => engine.createMesh({ ...SQUARE, indices: [0, 1, -1], materials: [0] }), /indices\[2\] is -1/],
    [() => engine.createMesh({ ...SQUARE, materials: [0] }), /materials has 1 entries; there must be 2/],
    [() => engine.createMesh({ ...SQUARE, materials: [0, 70000] }), /materials\[1\] is 70000/],
    [() => engine.createMesh({ ...SQUARE, vertices: SQUARE.vertices.map((x, i) => (i === 4 ? NaN : x)) }), /vertices\[4\] is NaN/],
    [() => engine.createMesh({ vertices: [], indices: [] }), /cn_mesh_create/],
    [() => engine.createMesh({ ...SQUARE, soft: true }), /no option "soft"/],
    [() => engine.createHeightField({ columns: 2, rows: 1, heights: [0, 0] }), /rows is 1; it must be an integer from 2/],
    [() => engine.createHeightField({ columns: 2, rows: 2, heights: [0, 0] }), /heights has 2 entries; there must be 4/],
    [() => engine.createHeightField({ columns: 2, rows: 2, heights: [0, 0, 0, NaN] }), /heights\[3\] is NaN/],
    [() => engine.createHeightField({ columns: 2, rows: 2, heights: [0, 0, 0, 0], spacing: [0, 1] }), /spacing/],
    [() => engine.createCompound([]), /cn_compound_create/],
    [() => engine.createCompound([{ type: 'box' }]), /a box needs halfExtents/],
    [() => engine.createCompound([{ type: 'hull' }]), /a hull needs points/],
    [() => engine.createCompound([{ type: 'sphere', radius: -1 }]), /radius/],
    [() => engine.createCompound([{ type: 'mesh' }]), /must be one of: sphere/],
    [() => engine.createCompound([{ type: 'sphere', radius: 1, friction: 1 }]), /no option "friction"/],
    [() => add({ type: 'mesh' }), /a mesh needs mesh/],
    [() => add({ type: 'mesh', mesh: { id: 1n } }), /mesh must be one that this engine made/],
    [() => add({ type: 'mesh', mesh: flatField() }), /mesh must be one that this engine made/],
    [() => add({ type: 'mesh', mesh: other.createMesh(SQUARE) }), /belongs to another engine/],
    [() => add({ type: 'mesh', mesh: engine.createMesh(SQUARE), scale: [1, 0, 1] }), /scale/],
    [() => add({ type: 'mesh', mesh: engine.createMesh(SQUARE), materials: [{}] }), /material/],
    [() => add({ type: 'mesh', mesh: engine.createMesh(SQUARE), materials: [{}, { frictoin: 1 }] }), /materials\[1\]: there is no option "frictoin"/],
  ];
  for (const [call, sentence] of cases)
    assert.throws(call, (error) => error instanceof CairnError && sentence.test(error.message), String(call));
  assert.equal(world.bodyCount, 0);
});
