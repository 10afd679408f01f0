// The parts of the picture that need no graphics card: what is ground and what is wall, framing, picking, colours.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Bodies } from '../viewer/stage/bodies.js';
import { BodyColors } from '../viewer/stage/colors.js';
import { JointTable, STRIDE } from '../viewer/joint_table.js';
import { cameraAxes, framePoints, outermostPoints } from '../viewer/stage/framing.js';
import { JointLines } from '../viewer/stage/joints.js';
import { flattened, shapeExtents } from '../viewer/stage/parts.js';
import { nearestHit } from '../viewer/stage/pick.js';
import { surfaceOf } from '../viewer/stage/surface.js';
import { arrange, sceneBoxes } from '../viewer/stage/surroundings.js';
import { daylight } from '../viewer/stage/theme.js';

const upright = [0, 0, 0, 1];
const solid = (type, shape) => ({ type, shapes: [{ position: [0, 0, 0], rotation: upright, ...shape }] });
const box = (type, ...halfExtents) => solid(type, { type: 'box', halfExtents });
const at = (...places) => Float32Array.from(places.flatMap((place) => [...place, 1, ...upright]));

function placedBodies(bodies, transforms) {
  const drawn = new Bodies({}, {}, daylight.tints);
  bodies.forEach((body) => drawn.add(body, body.shapes.map(() => 'solid')));
  drawn.setTransforms(transforms);
  return drawn;
}

test('a huge slab is ground at the height of its top', () => {
  const { roles, groundHeight } = arrange([box('static', 400, 1, 400), box('dynamic', 0.5, 0.5, 0.5)], at([0, -1, 0], [0, 0.5, 0]));
  assert.equal(groundHeight, 0);
  assert.deepEqual(roles, [['ground'], ['solid']]);
});

test('the walls of a pit are glass, its floor is ground, and the room ends at the inner faces', () => {
  const pit = [box('static', 12, 1, 12), box('static', 1, 20, 12), box('static', 1, 20, 12), box('static', 10, 20, 1), box('static', 10, 20, 1)];
  const places = [[0, -1, 0], [-11, 20, 0], [11, 20, 0], [0, 20, -11], [0, 20, 11]];
  const stones = Array.from({ length: 9 }, (_, i) => [8 * ((i % 3) - 1), 0.5, 8 * (Math.floor(i / 3) - 1)]);
  const { roles, inner } = arrange([...pit, ...stones.map(() => box('dynamic', 0.5, 0.5, 0.5))], at(...places, ...stones));
  assert.deepEqual(roles.slice(0, 6).flat(), ['ground', 'glass', 'glass', 'glass', 'glass', 'solid']);
  assert.ok(Math.abs(inner.low[0] + 10) < 0.01 && Math.abs(inner.high[2] - 10) < 0.01);
});

test('a ramp and a small platform stay solid, and nothing floats on a ground that is not there', () => {
  const ramp = box('static', 5, 0.2, 3);
  const transforms = at([0, 0, 0], [0, 2, 0]);
  transforms.set([0, 0, Math.sin(0.2), Math.cos(0.2)], 4);
  assert.deepEqual(arrange([ramp, box('dynamic', 0.5, 0.5, 0.5)], transforms), {
    ...arrange([ramp, box('dynamic', 0.5, 0.5, 0.5)], transforms), roles: [['solid'], ['solid']], groundHeight: null,
  });
});

const SURFACE = {
  vertices: new Float32Array([-100, 0, -100, -100, 0, 100, 100, 0, 100, 100, 0, -100]),
  indices: Uint32Array.from([0, 1, 2, 0, 2, 3]),
  materials: new Uint16Array([0, 0]),
};
const terrain = (scale = [1, 1, 1]) => solid('static', { type: 'mesh', mesh: SURFACE, scale });

test('terrain stays solid, is no ground, and does not fool the camera', () => {
  const bodies = [terrain(), ...Array.from({ length: 20 }, () => box('dynamic', 0.5, 0.5, 0.5))];
  const transforms = at(...bodies.map((_, i) => (i === 0 ? [0, 0, 0] : [i % 5, 0.5 + Math.floor(i / 5), 0])));
  const { roles, groundHeight } = arrange(bodies, transforms);
  assert.deepEqual([roles[0], groundHeight], [['solid'], null]);
  assert.equal(Math.max(...sceneBoxes(bodies, transforms, roles, groundHeight).map(({ high }) => high[0])), 4.5);
  const tiles = { type: 'static', shapes: Array.from({ length: 9 }, () => terrain().shapes[0]) };
  assert.ok(arrange([tiles, ...bodies.slice(1)], transforms).roles[0].every((role) => role === 'solid'), 'tiles are no drum');
});

test('one geometry for all bodies of a mesh, and one for those that mirror it', () => {
  const drawn = placedBodies([terrain(), terrain([2, 1, 3]), terrain([-1, 1, 1]), terrain([1, 1, -2])], at(...new Array(4).fill([0, 0, 0])));
  assert.deepEqual(drawn.batches.map(({ kind, count }) => [kind, count]), [['surface', 2], ['surface', 2]]);
  const front = (batch) => {
    const [a, b, c] = [0, 1, 2].map((i) => [0, 2].map((x) => batch.surface.vertices[3 * batch.surface.indices[i] + x]));
    return Math.sign((b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1]));
  };
  assert.deepEqual(drawn.batches.map(front), [1, -1]);
});

test('a height field has two triangles per cell that face up, and none in holes', () => {
  const heightField = { columns: 3, rows: 2, spacing: [1, 2], heights: new Float32Array([0, 1, 2, 3, 4, 5]), holes: Uint8Array.from([0, 1]) };
  const shape = { type: 'heightField', heightField, position: [0, 0, 0], rotation: upright, scale: [1, 2, 1] };
  const { vertices, indices } = surfaceOf(shape);
  assert.deepEqual([...indices], [0, 3, 4, 0, 4, 1]);
  assert.deepEqual([...vertices.subarray(12, 15)], [1, 4, 2]);
  assert.deepEqual(shapeExtents(shape), { center: [1, 5, 1], half: [1, 5, 1] });
  const drawn = placedBodies([{ type: 'static', shapes: [shape] }], at([0, 0, 0]));
  assert.ok(Math.abs(nearestHit(drawn.batches, [0.5, 20, 1], [0, -1, 0]).distance - 16) < 1e-5);
  assert.equal(nearestHit(drawn.batches, [1.5, 20, 1], [0, -1, 0]), null, 'through the hole');
});

test('a compound is drawn as its parts, where it lies', () => {
  const half = Math.SQRT1_2;
  const compound = { type: 'compound', position: [0, 1, 0], rotation: [0, 0, half, half], parts: [
    { type: 'box', halfExtents: [1, 1, 1], position: [2, 0, 0], rotation: upright },
    { type: 'sphere', radius: 1, position: [0, 0, 0], rotation: [0, 0, half, half] },
  ] };
  const { shapes } = flattened({ type: 'dynamic', shapes: [compound] });
  assert.deepEqual(shapes.map(({ type }) => type), ['box', 'sphere']);
  shapes[0].position.forEach((x, i) => assert.ok(Math.abs(x - [0, 3, 0][i]) < 1e-12));
  shapes[1].rotation.forEach((x, i) => assert.ok(Math.abs(x - [0, 0, 1, 0][i]) < 1e-12));
});

test('framing leaves out strays and huge floors', () => {
  const bodies = [box('static', 400, 1, 400), ...Array.from({ length: 100 }, () => box('dynamic', 0.5, 0.5, 0.5))];
  const places = bodies.map((_, i) => (i === 0 ? [0, -1, 0] : [i % 10, 0.5 + Math.floor(i / 10), 0]));
  places[50] = [5000, 3, 0];
  const transforms = at(...places);
  const { roles, groundHeight } = arrange(bodies, transforms);
  const boxes = sceneBoxes(bodies, transforms, roles, groundHeight);
  assert.equal(Math.max(...boxes.map(({ high }) => high[0])), 9.5);
});

test('everything that is framed lies inside the picture, and fills it', () => {
  const points = outermostPoints([{ low: [1000, 0, -20], high: [1050, 30, 0] }]);
  const axes = cameraAxes(30, 20);
  for (const aspect of [390 / 700, 16 / 9]) {
    const { target, distance } = framePoints(points, axes, 35, aspect);
    const tan = Math.tan((35 * Math.PI) / 360);
    let widest = 0;
    for (const point of points) {
      const from = point.map((x, i) => x - target[i]);
      const along = (axis) => axis.reduce((sum, x, i) => sum + x * from[i], 0);
      const depth = distance - along(axes.back);
      widest = Math.max(widest, Math.abs(along(axes.right)) / depth / (tan * aspect), Math.abs(along(axes.up)) / depth / tan);
    }
    assert.ok(widest < 1 && widest > 0.8, `${widest} at ${aspect}`);
  }
});

test('a ray meets each shape where geometry says', () => {
  const shapes = [
    [{ type: 'sphere', radius: 2 }, 8],
    [{ type: 'box', halfExtents: [1, 2, 3] }, 7],
    [{ type: 'cylinder', radius: 1.5, halfHeight: 1 }, 8.5],
    [{ type: 'capsule', radius: 0.5, halfHeight: 1 }, 9.5],
    [{ type: 'taperedCapsule', bottomRadius: 0.4, topRadius: 0.6, halfHeight: 1 }, 10 - 0.5 / Math.sqrt(1 - 0.01), 1e-2],
    [{ type: 'taperedCapsule', bottomRadius: 2, topRadius: 0.5, halfHeight: 0.5 }, 10 - Math.sqrt(4 - 0.25)],
    [{
      type: 'hull',
      vertices: new Float32Array([1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1]),
      faces: [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]].map((face) => Uint32Array.from(face)),
    }, 9],
    [{ type: 'mesh', mesh: { ...SURFACE, vertices: new Float32Array([-1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1]) }, scale: [2, 2, 3] }, 7],
  ];
  for (const [shape, distance, tolerance = 1e-5] of shapes) {
    const drawn = placedBodies([solid('dynamic', shape)], at([0, 0, 0]));
    const hit = nearestHit(drawn.batches, [0, 0, 10], [0, 0, -1]);
    assert.equal(hit?.body, 0, shape.type);
    assert.ok(Math.abs(hit.distance - distance) < tolerance, `${shape.type} ${hit.distance}`);
    assert.equal(nearestHit(drawn.batches, [4, 0, 10], [0, 0, -1]), null, shape.type);
  }
});

test('the cap of a capsule is met from above, at its turned and moved place', () => {
  const drawn = placedBodies([solid('dynamic', { type: 'capsule', radius: 0.5, halfHeight: 1 })], at([3, 4, 5]));
  assert.ok(Math.abs(nearestHit(drawn.batches, [3, 10, 5], [0, -1, 0]).distance - 4.5) < 1e-5);
  assert.ok(Math.abs(nearestHit(drawn.batches, [3, -10, 5], [0, 1, 0]).distance - 12.5) < 1e-5);
});

test('only bodies that moved are placed again, and a body that is nowhere stays where it was', () => {
  const drawn = placedBodies([box('dynamic', 1, 1, 1)], at([1, 2, 3]));
  assert.equal(drawn.setTransforms(at([1, 2, 3])), false);
  assert.equal(drawn.setTransforms(at([NaN, 2, 3])), false);
  assert.equal(drawn.setTransforms(at([1.5, 2, 3])), true);
  assert.deepEqual(Array.from(drawn.batches[0].matrices.slice(12, 15)), [1.5, 2, 3]);
});

test('speed grows brighter, the same index gets the same stone', () => {
  const colors = new BodyColors(daylight);
  const types = ['dynamic', 'dynamic', 'dynamic', 'dynamic'];
  const speeds = new Float32Array(12);
  colors.paint(speeds, types, 'speed', [0, 0.05, 1, NaN]);
  const sum = (i) => speeds[3 * i] + speeds[3 * i + 1] + speeds[3 * i + 2];
  assert.ok(sum(0) < sum(1) && sum(1) < sum(2));
  assert.equal(sum(3), sum(0));
  const [first, second] = [new Float32Array(12), new Float32Array(12)];
  colors.paint(first, types, 'body');
  colors.paint(second, types, 'body');
  assert.deepEqual(first, second);
  assert.ok(!colors.knows('toString'));
});

// ---- joints

const FRAME = [0, 0, 0, ...upright];

/** The numbers of a joint; `limits` are lower and upper of each degree of freedom that is given. */
function jointNumbers({
  index = 0, a = -1, b = 0, kind = 0, cone = 0, frameA = FRAME, frameB = FRAME, freedom, limits = {}, ground = [0, 0, 0, 0, 0, 0],
}) {
  const bounds = Array.from({ length: 6 }, (_, dof) => limits[dof] ?? [0, 0]).flat();
  return [index, a, b, kind, cone, ...frameA, ...frameB, ...freedom, ...bounds, ...ground, 0];
}

/** The lines and dots of joints on boxes at places, in frame 0 or another. */
function drawnJoints(joints, transforms, { frame = 0, until, bodies = new Array(transforms.length / 8).fill(box('dynamic', 1, 1, 1)) } = {}) {
  const numbers = Float32Array.from(joints.flatMap(jointNumbers));
  const lines = new JointLines(new JointTable(numbers, until), bodies, 0.5);
  lines.move(frame, transforms);
  const rows = ({ values, count, corners }) => Array.from({ length: count }, (_, i) => [...values.subarray(3 * corners * i, 3 * corners * (i + 1))]);
  return { links: rows(lines.links), marks: rows(lines.marks), dots: rows(lines.dots) };
}

const includes = (lines, wanted) => lines.some((line) => line.every((x, i) => Math.abs(x - wanted[i]) < 1e-5));
const HINGE = [1, 1, 1, 0, 1, 1];

test('a hinge is drawn from the middle of its body to its anchor, with its axis, where the body is', () => {
  const turned = at([3, 0, 0]);
  turned.set([0, 0, Math.SQRT1_2, Math.SQRT1_2], 4); // a quarter turn about z
  const { links, marks, dots } = drawnJoints([{ freedom: HINGE, frameA: [3, -1, 0, ...upright], frameB: [-1, 0, 0, ...upright] }], turned);
  assert.ok(includes(links, [3, 0, 0, 3, -1, 0]), JSON.stringify(links));
  assert.ok(includes(dots, [3, -1, 0]));
  assert.equal(marks.length, 1);
  assert.ok(includes(marks, [3, -1.5, 0, 3, -0.5, 0]), JSON.stringify(marks));
});

test('limits are arcs from the lower to the upper one, cones and rails', () => {
  const arc = drawnJoints([{ freedom: [1, 1, 1, 2, 1, 1], limits: { 3: [0, Math.PI / 2] } }], at([0, 0, 0]));
  assert.equal(arc.marks.length, 1 + 8 + 2, 'the axis, an arc, its two ends');
  assert.ok(includes(arc.marks, [0, 0, 0, 0, 0.5, 0]) && includes(arc.marks, [0, 0, 0, 0, 0, 0.5]));
  assert.ok(includes(arc.links, [0, 0, 0, 0, 0.5, 0]), 'where it stands');
  const cone = drawnJoints([{ freedom: [1, 1, 1, 0, 2, 2], cone: 1, limits: { 4: [-1, 1], 5: [-0.5, 0.5] } }], at([0, 0, 0]));
  assert.equal(cone.marks.length, 24 + 4);
  const swung = (angle) => [0.5 * Math.cos(angle), 0.5 * Math.sin(angle)];
  const [along, aside] = swung(0.5);
  assert.ok(includes(cone.marks, [0, 0, 0, along, aside, 0]), 'a swing about z takes x towards y');
  const rail = drawnJoints([{ freedom: [2, 1, 1, 1, 1, 1], limits: { 0: [-1, 2] } }], at([0, 0, 0]));
  assert.ok(includes(rail.marks, [-1, 0, 0, 2, 0, 0]));
  const endless = drawnJoints([{ freedom: [2, 1, 1, 1, 1, 1], limits: { 0: [0, 1e9] } }], at([0, 0, 0]));
  assert.ok(includes(endless.marks, [0, 0, 0, 0.5, 0, 0]));
});

test('a pulley runs over its points, and broken joints and those of bodies that are nowhere are gone', () => {
  const pulley = { kind: 2, a: 0, b: 1, freedom: [2, 0, 0, 0, 0, 0], ground: [0, 5, 0, 4, 5, 0] };
  const { links, dots } = drawnJoints([pulley], at([0, 0, 0], [4, 1, 0]));
  for (const line of [[0, 0, 0, 0, 5, 0], [0, 5, 0, 4, 5, 0], [4, 5, 0, 4, 1, 0]]) assert.ok(includes(links, line), JSON.stringify(links));
  assert.equal(dots.length, 4);
  const pair = [{ freedom: HINGE }, { index: 1, freedom: HINGE, b: 1 }], places = at([0, 0, 0], [9, 0, 0]);
  const until = Uint32Array.of(3, 0xffffffff);
  assert.equal(drawnJoints(pair, places, { frame: 2, until }).dots.length, 4);
  assert.equal(drawnJoints(pair, places, { frame: 3, until }).dots.length, 2);
  const lost = drawnJoints(pair, at([NaN, 0, 0], [9, 0, 0]));
  assert.equal(lost.links.length + lost.marks.length, 3, 'the link, the gap and the axis of the other');
});

test('what stands still has no line to its middle', () => {
  const bodies = [box('static', 1, 1, 1), box('dynamic', 1, 1, 1)];
  const { links } = drawnJoints([{ a: 0, b: 1, freedom: HINGE }], at([5, 0, 0], [0, 0, 0]), { bodies });
  assert.equal(links.length, 2, 'the middle of the second, and the gap');
});

test('a table forgets joints by the slot that the engine gives them', () => {
  const table = new JointTable(Float32Array.from([{ index: 4, freedom: HINGE }, { index: 9, freedom: HINGE }].flatMap(jointNumbers)));
  assert.equal(table.numbers.length, 2 * STRIDE);
  table.end(9, 7);
  table.end(9, 8);
  table.end(5, 1);
  assert.deepEqual([...table.until], [0xffffffff, 7]);
});
