// Recordings: what is read is what was written, and whatever is wrong with a file is answered with one sentence.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decompress } from 'fzstd';
import { AT, STRIDE, describeJoint } from '../viewer/joint_table.js';
import { RecordingError, openRecording } from '../viewer/recording.js';
import { decompressFrame } from '../viewer/zstd.js';
import {
  FIELD, NEVER, QUANTUM, SQUARE, TETRAHEDRON, body, chunk, compoundContent, fieldContent, formChunks, formScene, framesContent, header,
  headerOf, hullContent, join, joint, jointedChunks, jointsContent, meshContent, numbers, reference, sceneContent, shape, smallChunks,
  smallFrame, smallJoints, smallRecording,
} from './make_recording.js';

const { u32, f32 } = numbers;
const here = fileURLToPath(new URL('.', import.meta.url));
const program = process.env.CAIRN ?? joinPath(here, '../../build/release/cairn');

const box = shape(2, f32(1, 1, 1));
const identity = { positions: [[0, 0, 0]], rotations: [[0, 0, 0, 32767]] };

function recordingOf(bodies, options) {
  return join(header, chunk('SCEN', sceneContent(bodies, options)), chunk('FRAM', framesContent(0, [identity])), chunk('DONE', u32(1)));
}

function refusal(bytes) {
  try {
    openRecording(bytes);
  } catch (error) {
    assert.ok(error instanceof RecordingError, error.stack);
    return error.message;
  }
  assert.fail('the file was accepted');
}

function readAll(bytes) {
  const recording = openRecording(bytes);
  for (let n = 0; n < recording.frameCount; ++n) {
    recording.frame(n);
    recording.speeds(n);
  }
}

/** 'read', or the sentence with which the file is refused. Anything but a RecordingError passes through. */
function outcome(bytes) {
  try {
    readAll(bytes);
    return 'read';
  } catch (error) {
    if (!(error instanceof RecordingError))
      throw error;
    return error.message;
  }
}

// ---- What is written is read

test('a small recording gives the data model', () => {
  const recording = openRecording(smallRecording());
  assert.equal(recording.scene, 'test');
  assert.equal(recording.solver, 'soft_step');
  assert.equal(recording.stepSeconds, 1 / 60);
  assert.deepEqual(recording.gravity, [0, Math.fround(-9.81), 0]);
  assert.equal(recording.frameCount, 12);
  assert.deepEqual(recording.bodies.map((b) => b.type), ['static', 'dynamic', 'kinematic', 'dynamic', 'dynamic']);
  assert.deepEqual(recording.bodies.map((b) => b.shapes.map((s) => s.type)), [['box'], ['sphere'], ['capsule'], ['cylinder', 'hull'], ['hull']]);
  assert.deepEqual(recording.bodies[0].shapes[0].halfExtents, [10, 1, 10]);
  assert.equal(recording.bodies[1].shapes[0].radius, 0.5);
  assert.deepEqual(recording.bodies[2].shapes[0], { type: 'capsule', position: [0, 1, 0], rotation: [0, 0, 0, 1], radius: 0.25, halfHeight: 0.5 });
  const [, hull] = recording.bodies[3].shapes;
  assert.deepEqual([...hull.vertices], TETRAHEDRON.vertices.flat());
  assert.deepEqual(hull.faces.map((face) => [...face]), TETRAHEDRON.faces);
  assert.equal(hull.vertices, recording.bodies[4].shapes[0].vertices, 'equal hulls are one object');
});

test('files of versions 1 and 2 are read; they have no joints', () => {
  for (const version of [1, 2]) {
    const recording = openRecording(join(headerOf(version), ...smallChunks()));
    assert.deepEqual([recording.frameCount, recording.joints.count], [12, 0]);
  }
});

test('joints are read, with what they are and how long they last', () => {
  const { joints } = openRecording(join(header, ...jointedChunks()));
  assert.equal(joints.count, 3);
  assert.deepEqual([...joints.until], [5, NEVER, NEVER]);
  assert.deepEqual([4, 5].map((frame) => joints.isThere(0, frame)), [true, false]);
  assert.deepEqual([...joints.numbers.subarray(0, 12)], [0, -1, 1, 0, 0, 1, 2, 3, 0, 0, 0, 1]);
  assert.deepEqual([0, 1, 2].map((row) => describeJoint(joints, row)), [
    { word: 'hinge', left: ['twist'] }, { word: 'pulley', left: ['x'] }, { word: 'cone', left: ['twist', 'swingY', 'swingZ'] },
  ]);
  assert.deepEqual([...joints.numbers.subarray(STRIDE + AT.ground, STRIDE + AT.ground + 6)], [0, 5, 0, 2, 5, 0]);
  assert.deepEqual([joints.of(1, 0), joints.of(1, 5), joints.of(4, 0), joints.of(0, 0)], [[0, 1], [1], [2], []]);
  assert.deepEqual([joints.other(0, 1), joints.other(1, 1), joints.other(2, 4)], [-1, 3, 3]);
});

test('joints that make no sense are refused', () => {
  const cases = [
    [joint({ until: 0 }), /ends in frame 0/],
    [joint({ until: 12 }), /ends in frame 12/],
    [joint({ kind: 5 }), /a joint of unknown kind 5/],
    [joint({ b: 5 }), /a joint of an unknown body 5/],
    [joint({ dofs: [[3, 0, 0]] }), /an unknown freedom 3/],
    [joint({ dofs: [[2, NaN, 0]] }), /not finite/],
    [joint({ dofs: [[2, 0, 2e9]] }), /out of range/],
    [joint({ cone: 2 }), /an unknown mark of cones, 2/],
    [joint({ frameA: { position: [0, 1e300, 0] } }), /coordinate out of range/],
    [joint({ frameB: { rotation: [0, 0, 0, 2] } }), /not a unit quaternion/],
    [joint({ grounds: [0, 0, 0, 0, 0, Infinity] }), /not finite/],
    [joint().subarray(0, 219), /more joints \(1\) than it has bytes/],
    [join(joint(), u32(0)), /4 bytes too many/],
  ];
  for (const [bytes, sentence] of cases)
    assert.match(refusal(join(header, ...jointedChunks(chunk('JNTS', jointsContent([bytes]))))), sentence);
  assert.match(refusal(join(header, ...jointedChunks(chunk('JNTS', jointsContent([]))))), /no joints/);
  const list = chunk('JNTS', jointsContent(smallJoints())), [scene, first, second, third, done] = smallChunks();
  assert.match(refusal(join(header, scene, list, first, second, third, done)), /joints before the frames/);
  assert.match(refusal(join(header, scene, first, second, list, third, done)), /frames behind the joints/);
  assert.match(refusal(join(header, scene, first, second, third, list, list, done)), /second list of joints/);
});

const twice = { positions: [[0, 0, 0], [0, 0, 0]], rotations: [[0, 0, 0, 32767], [0, 0, 0, 32767]] };
const formRecording = (forms, scene = formScene()) =>
  join(header, ...forms, chunk('SCEN', scene), chunk('FRAM', framesContent(0, [twice])), chunk('DONE', u32(1)));

test('meshes, height fields and compounds are read, and shared', () => {
  const recording = openRecording(formRecording(formChunks()));
  const [ground, stone, mirrored] = recording.bodies;
  const [mesh, field] = ground.shapes;
  assert.deepEqual([...mesh.mesh.vertices], SQUARE.vertices.flat());
  assert.deepEqual([...mesh.mesh.indices], SQUARE.triangles.flat());
  assert.deepEqual([...mesh.mesh.materials], SQUARE.materials);
  assert.deepEqual([field.heightField.columns, field.heightField.rows, field.heightField.spacing], [3, 2, [1, 2]]);
  assert.deepEqual([...field.heightField.heights], FIELD.heights);
  assert.deepEqual([...field.heightField.holes], FIELD.holes);
  assert.deepEqual(field.scale, [1, 2, 1]);
  assert.deepEqual(stone.shapes[0].parts.map(({ type }) => type), ['box', 'hull']);
  assert.deepEqual(stone.shapes[0].parts[0].position, [0, 5, 0]);
  assert.equal(mirrored.shapes[0].mesh, mesh.mesh, 'one object');
  assert.deepEqual(mirrored.shapes[0].scale, [-1, 1, 1]);
});

test('what shapes share is refused when it makes no sense', () => {
  const [mesh, field, compound] = formChunks();
  const cases = [
    [[field, mesh, compound], /a mesh that is not in the file/],
    [[mesh, field], /a compound that is not in the file/],
    [[chunk('MESH', meshContent({ ...SQUARE, triangles: [[0, 1, 2], [0, 2, 4]] })), field, compound], /triangle corner 4 that is no vertex/],
    [[chunk('MESH', meshContent({ ...SQUARE, vertices: [[0, 0, 0], [0, 0, NaN], [1, 0, 1], [1, 0, 0]] }))], /coordinate that is not finite/],
    [[chunk('MESH', meshContent({ vertices: SQUARE.vertices, triangles: [], materials: [] }))], /4 vertices and 0 triangles/],
    [[chunk('MESH', join(meshContent(SQUARE), u32(0)))], /4 bytes too many/],
    [[chunk('MESH', meshContent({ ...SQUARE, materials: [0] }))], /the data ends|than it has bytes/],
    [[chunk('HFLD', fieldContent({ ...FIELD, columns: 1 }))], /1 columns and 2 rows/],
    [[chunk('HFLD', fieldContent({ ...FIELD, spacing: [1, 0] }))], /a spacing of 0 m/],
    [[chunk('HFLD', fieldContent({ ...FIELD, heights: [0, 1, 2, 3, 4, Infinity] }))], /not finite/],
    [[chunk('HFLD', fieldContent({ ...FIELD, holes: [0] }))], /the data ends/],
    [[chunk('COMP', compoundContent([]))], /without parts/],
    [[mesh, chunk('COMP', compoundContent([reference(5, 0)]))], /unknown shape type/],
  ];
  for (const [forms, sentence] of cases)
    assert.match(refusal(formRecording(forms)), sentence);
  assert.match(refusal(formRecording([mesh], sceneContent([body(2, [reference(5, 0, [1, 0, 1])])]))), /a scale of 0/);
});

test('frames are the same in any order', () => {
  const recording = openRecording(smallRecording());
  const starts = [[1, 2, 3], [0, 0, 0], [0, 0, 0], [0, 0, 0]];
  for (const n of [0, 1, 2, 11, 3, 4, 5, 10, 9, 8, 7, 0]) {
    const frame = recording.frame(n);
    assert.equal(frame.kineticEnergy, 100 - n);
    assert.deepEqual([frame.penetration, frame.stepMs, frame.manifolds, frame.points, frame.awake], [0.001, 2, 3, 4, 3]);
    assert.deepEqual([...frame.transforms.subarray(0, 8)], [0, -1, 0, 0, 0, 0, 0, 1]);
    const { positions, rotations } = smallFrame(n);
    positions.forEach((quanta, i) => {
      const transform = frame.transforms.subarray(8 * (i + 1), 8 * (i + 2));
      const expected = quanta.map((value, c) => Math.fround(starts[i][c] + QUANTUM * value));
      assert.deepEqual([...transform.subarray(0, 3)], expected.map((value) => value + 0));
      const length = Math.hypot(...rotations[i]);
      rotations[i].forEach((part, c) => assert.ok(Math.abs(transform[4 + c] - part / length) < 1e-6));
    });
  }
  assert.throws(() => recording.frame(12), RangeError);
  assert.throws(() => recording.frame(0.5), RangeError);
});

test('speeds are displacements per step, also where a chunk begins', () => {
  const recording = openRecording(smallRecording());
  for (const n of [1, 3, 4, 8, 11]) {
    const before = smallFrame(n - 1).positions, after = smallFrame(n).positions;
    const speeds = recording.speeds(n);
    assert.equal(speeds[0], 0);
    after.forEach((place, i) => {
      const expected = 60 * QUANTUM * Math.hypot(...place.map((value, c) => value - before[i][c]));
      assert.ok(Math.abs(speeds[i + 1] - expected) < 1e-6, `frame ${n}, body ${i + 1}`);
    });
  }
  assert.deepEqual([...recording.speeds(0)], [...recording.speeds(1)], 'before the first step: the speed of the first step');
});

test('bodies that keep their place while others are awake count as asleep', () => {
  const frames = Array.from({ length: 30 }, (_, n) => ({
    awake: n < 29 ? 1 : 0, positions: [[n, 0, 0], [Math.min(n, 9), 0, 0]], rotations: [[0, 0, 0, 32767], [0, 0, 0, 32767]],
  }));
  const recording = openRecording(join(header, chunk('SCEN', sceneContent([body(2, [box]), body(2, [box])])),
    chunk('FRAM', framesContent(0, frames)), chunk('DONE', u32(30))));
  const awake = (n) => [3, 11].map((i) => recording.frame(n).transforms[i]);
  assert.deepEqual(awake(0), [1, 1]);
  assert.deepEqual(awake(8), [1, 1]);
  assert.deepEqual(awake(9), [1, 0]);
  assert.deepEqual(awake(28), [1, 0]);
  assert.deepEqual(awake(29), [0, 0], 'nothing is awake');
});

test('series hold every frame, with gaps for damaged chunks, and can be stopped', async () => {
  const chunks = smallChunks();
  chunks[2][chunks[2].length - 1] ^= 1; // the checksum of frames 4 to 7
  const recording = openRecording(join(header, ...chunks));
  const progress = [];
  const series = await recording.readSeries((done) => { progress.push(done); });
  assert.deepEqual([...series.kineticEnergy], [100, 99, 98, 97, NaN, NaN, NaN, NaN, 92, 91, 90, 89]);
  assert.equal(series.time[6], 0.1);
  assert.deepEqual(progress, [1 / 3, 2 / 3, 1]);
  assert.equal(await recording.readSeries(() => false), null);
});

test('a damaged chunk is found when it is played, and the others still play', () => {
  const chunks = smallChunks();
  chunks[2][chunks[2].length - 1] ^= 1;
  const recording = openRecording(join(header, ...chunks));
  const offset = header.length + chunks[0].length + chunks[1].length;
  assert.throws(() => recording.frame(5), new RecordingError(
    `The recording is damaged: the chunk FRAM at byte ${offset} does not decompress: its checksum is wrong.`));
  assert.equal(recording.frame(3).kineticEnergy, 97);
  assert.equal(recording.frame(8).kineticEnergy, 92);
  assert.equal(recording.speeds(8).length, 5);
});

test('chunks with unknown tags are skipped', () => {
  const chunks = smallChunks();
  const recording = openRecording(join(header, chunk('NEWS', u32(7)), chunks[0], chunk('NEWS', u32(7)), ...chunks.slice(1)));
  assert.equal(recording.frame(11).kineticEnergy, 89);
});

// ---- The program's own recordings

test('a compressed recording of a tower reads as the program read it', () => {
  const recording = openRecording(readFileSync(new URL('tower.cairnrec', import.meta.url)));
  assert.equal(recording.frameCount, 131);
  assert.equal(recording.bodies.length, 41);
  const { transforms, points, kineticEnergy } = recording.frame(130);
  assert.equal(points, 160);
  assert.ok(Math.abs(kineticEnergy - 0.00107395111) < 1e-11);
  compareFrame(transforms.subarray(8 * 40), 'body dynamic -0.00183105469 39.493103 -0.000366210938 0.000000 0.000000 0.000031 1.000000');
});

const unbuilt = existsSync(program) ? false : 'the program is not built; CAIRN names it';

test('recordings of the program read as `cairn info` reads them', { skip: unbuilt }, () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'cairn-recording-'));
  const path = joinPath(folder, 'shapes.rec');
  const run = (...args) => execFileSync(program, args, { encoding: 'utf8' });
  try {
    run('run', 'shapes', '--steps', '130', '--sleep', 'on', '--record', path);
    const info = JSON.parse(run('info', path, '--json'));
    const recording = openRecording(readFileSync(path));
    assert.equal(recording.scene, info.scene);
    assert.equal(recording.solver, info.solver);
    assert.equal(recording.frameCount, info.frames);
    assert.ok(Math.abs(recording.stepSeconds / info.dt - 1) < 1e-8);
    assert.equal(recording.bodies.length, info.bodies);
    const shapes = recording.bodies.flatMap((b) => b.shapes);
    assert.equal(shapes.length, info.shapes);
    for (const [name, type] of Object.entries({ spheres: 'sphere', capsules: 'capsule', boxes: 'box', cylinders: 'cylinder', hulls: 'hull',
      tapered_capsules: 'taperedCapsule',
      meshes: 'mesh', height_fields: 'heightField', compounds: 'compound' }))
      assert.equal(shapes.filter((s) => s.type === type).length, info[name], name);
    for (const type of ['static', 'kinematic', 'dynamic'])
      assert.equal(recording.bodies.filter((b) => b.type === type).length, info[type], type);
    const last = recording.frame(130);
    assert.equal(last.points, info.points);
    assert.ok(Math.abs(last.kineticEnergy / info.kinetic_energy - 1) < 1e-6);
    for (const n of [0, 59, 60, 61, 130])
      compareFrame(recording.frame(n).transforms, run('info', path, '--frame', String(n)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// A height field, a mesh by a named scene, and a compound twice; written here so that the test needs no file of others.
const SCENE_FILE = {
  version: 1,
  height_fields: { ground: { columns: 3, rows: 3, spacing: [4, 4], heights: [1, 1, 1, 1, 0, 1, 1, 1, 1], holes: [[1, 1]] } },
  compounds: { cross: { parts: [{ type: 'box', half_extents: [1, 0.2, 0.2] }, { type: 'sphere', radius: 0.5, position: [1, 0, 0] }] } },
  bodies: [
    { type: 'static', shapes: [{ type: 'height_field', height_field: 'ground', scale: [1, 2, 1] }] },
    { position: [2, 5, 2], shapes: [{ type: 'compound', compound: 'cross' }] },
    { position: [6, 5, 2], shapes: [{ type: 'compound', compound: 'cross' }] },
  ],
};

test('meshes, height fields and compounds that the program records are read', { skip: unbuilt }, () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'cairn-recording-'));
  const file = joinPath(folder, 'scene.json');
  const record = (scene) => {
    execFileSync(program, ['run', scene, '--steps', '3', '--record', joinPath(folder, 'out.rec')]);
    return openRecording(readFileSync(joinPath(folder, 'out.rec'))).bodies;
  };
  try {
    writeFileSync(file, JSON.stringify(SCENE_FILE));
    const [ground, ...crosses] = record(file).map(({ shapes: [first] }) => first);
    assert.deepEqual([ground.heightField.columns, ground.heightField.rows, ...ground.heightField.spacing, ...ground.scale], [3, 3, 4, 4, 1, 2, 1]);
    [1, 1, 1, 1, 0, 1, 1, 1, 1].forEach((height, i) => assert.ok(Math.abs(ground.heightField.heights[i] - height) < 1e-3));
    assert.deepEqual([...ground.heightField.holes], [0, 0, 0, 1]);
    assert.deepEqual(crosses[0].parts.map(({ type }) => type), ['box', 'sphere']);
    assert.equal(crosses[0].parts, crosses[1].parts, 'stored once');
    const [terrain] = record('mesh_pile').find(({ type }) => type === 'static').shapes;
    assert.deepEqual([terrain.mesh.vertices.length / 3, terrain.mesh.indices.length / 3], [101 * 101, 20_000]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function compareFrame(transforms, printed) {
  const lines = printed.trim().split('\n');
  assert.equal(lines.length, transforms.length / 8);
  lines.forEach((line, i) => {
    const [x, y, z, qx, qy, qz, qw] = line.split(' ').slice(2).map(Number);
    const [px, py, pz, , ...q] = transforms.subarray(8 * i, 8 * i + 8);
    [[x, px], [y, py], [z, pz]].forEach(([a, b]) => assert.ok(Math.abs(a - b) <= 1e-7 * Math.abs(a) + 1e-7, `body ${i}: ${a} ${b}`));
    [qx, qy, qz, qw].forEach((part, c) => assert.ok(Math.abs(part - q[c]) < 1e-6, `body ${i}`));
  });
}

test('real zstd frames decompress as fzstd decompresses them', { skip: unbuilt }, () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'cairn-recording-'));
  const path = joinPath(folder, 'washer.rec');
  try {
    execFileSync(program, ['run', 'washer', '--steps', '25', '--record', path]);
    const bytes = new Uint8Array(readFileSync(path)), view = new DataView(bytes.buffer);
    let chunks = 0;
    for (let at = 12; at < bytes.length; at += 12 + view.getUint32(at + 4, true), ++chunks) {
      const packed = bytes.subarray(at + 12, at + 12 + view.getUint32(at + 4, true));
      const own = decompressFrame(packed, view.getUint32(at + 8, true));
      assert.equal(Buffer.compare(own, decompress(packed)), 0);
    }
    assert.ok(chunks >= 3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// ---- Files that are wrong

test('foreign files and other versions are named', () => {
  assert.match(refusal(new Uint8Array(0)), /not a recording: one begins with the letters CAIRNREC/);
  assert.match(refusal(new TextEncoder().encode('a text file, not a recording')), /not a recording/);
  const later = smallRecording();
  later[8] = 4;
  assert.match(refusal(later), /version 4 at byte 8; this viewer knows versions 1 to 3/);
});

test('chunks in the wrong order or number are refused', () => {
  const [scene, first, second, third, done] = smallChunks();
  assert.match(refusal(join(header, done)), /ends without a scene at byte 12/);
  assert.match(refusal(join(header, scene, done)), /ends without frames/);
  assert.match(refusal(join(header, first, scene, second, third, done)), /frames before the scene/);
  assert.match(refusal(join(header, scene, scene, first, second, third, done)), /second scene/);
  assert.match(refusal(join(header, scene, first, second, done)), /8 frames where the closing chunk says 12/);
  assert.match(refusal(join(header, scene)), /without its closing chunk: it was cut short/);
  assert.match(refusal(join(header, scene, first, second, third, done, scene)), /something behind its end/);
  assert.match(outcome(join(header, scene, second, first, third, done)), /first frame that does not follow/);
  assert.match(outcome(join(header, scene, first, first, third, done)), /first frame that does not follow/);
});

test('numbers that make no sense are refused', () => {
  const cases = [
    [recordingOf([body(3, [box])]), /unknown body type/],
    [recordingOf([body(2, [shape(9, f32(1, 1, 1))])]), /unknown shape type/],
    [recordingOf([body(2, [shape(8, f32(1, 0, 1))])]), /a radius of 0 m/],
    [recordingOf([body(2, [shape(0, f32(0, 0))])]), /a radius of 0 m/],
    [recordingOf([body(2, [shape(2, f32(1, -1, 1))])]), /a half extent of -1 m/],
    [recordingOf([body(2, [shape(3, f32(1, 0))])]), /a half height of 0 m/],
    [recordingOf([body(2, [shape(0, f32(NaN, 0))])]), /not finite/],
    [recordingOf([body(2, [box], { position: [1e300, 0, 0] })]), /coordinate out of range/],
    [recordingOf([body(2, [box], { rotation: [0, 0, 0, 0] })]), /not a unit quaternion/],
    [recordingOf([body(2, [box])], { step: 0 }), /a step of 0/],
    [recordingOf([body(2, [box])], { quantum: Infinity }), /not finite/],
    [recordingOf([body(2, [box])], { scene: 'x'.repeat(64) }), /longer than 63 letters/],
    [recordingOf([body(2, [box])], { count: 0 }), /bytes too many/],
    [recordingOf([body(2, [shape(4, hullContent({ ...TETRAHEDRON, faces: [[0, 1, 4], [0, 3, 1], [0, 2, 3], [1, 3, 2]] }))])]), /corner 4 that is no vertex/],
    [recordingOf([body(2, [shape(4, hullContent({ ...TETRAHEDRON, faces: [[0, 1], [0, 3, 1], [0, 2, 3], [1, 3, 2]] }))])]), /a face with 2 corners/],
    [recordingOf([body(2, [shape(4, hullContent({ vertices: [[0, 0, 0]], faces: [[0, 0, 0]] }))])]), /hull with 1 vertices/],
  ];
  for (const [bytes, sentence] of cases)
    assert.match(refusal(bytes), sentence);
  const still = { ...identity, rotations: [[0, 0, 0, 0]] };
  const noRotation = join(header, chunk('SCEN', sceneContent([body(2, [box])])), chunk('FRAM', framesContent(0, [still])), chunk('DONE', u32(1)));
  assert.match(outcome(noRotation), /body 0 has no rotation in frame 0/);
  const noEnergy = join(header, chunk('SCEN', sceneContent([body(2, [box])])), chunk('FRAM', framesContent(0, [{ ...identity, energy: NaN }])), chunk('DONE', u32(1)));
  assert.match(outcome(noEnergy), /not finite at byte 8/);
});

test('every truncation is refused with a byte offset, or played up to its last whole chunk', () => {
  const chunks = jointedChunks(), whole = join(header, ...chunks), ends = [];
  let at = header.length;
  for (const part of chunks)
    ends.push(at += part.length);
  for (let length = 0; length < whole.length; ++length) {
    const cut = whole.slice(0, length), frames = 4 * ends.slice(1, 4).filter((end) => end <= length).length;
    if (frames === 0) {
      assert.match(refusal(cut), /byte \d+/);
      continue;
    }
    const recording = openRecording(cut);
    assert.equal(recording.frameCount, frames);
    assert.match(recording.cutShort, /at byte \d+.*cut short/);
    assert.ok(Number.isFinite(recording.frame(frames - 1).kineticEnergy));
  }
  assert.equal(openRecording(whole).cutShort, null);
});

test('a name is cleaned of letters that do not print', () => {
  const recording = openRecording(recordingOf([body(2, [box])], { scene: 'a\u0001b' }));
  assert.equal(recording.scene, 'a?b');
});
