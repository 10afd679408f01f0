// Writes small recordings for the tests, without a compressor: zstd frames may hold their content as it is.
import { xxh64Low } from '../viewer/xxh64.js';

const u32 = (...values) => new Uint8Array(Uint32Array.from(values).buffer);
const i16 = (values) => new Uint8Array(Int16Array.from(values).buffer);
const f32 = (...values) => new Uint8Array(Float32Array.from(values).buffer);
const f64 = (...values) => new Uint8Array(Float64Array.from(values).buffer);

export const numbers = { u32, i16, f32, f64 };

/** @param {Array<Uint8Array>} parts */
export function join(...parts) {
  return new Uint8Array(Buffer.concat(parts));
}

/** The same bytes, `count` times. */
export function repeated(part, count) {
  return new Uint8Array(Buffer.alloc(part.length * count, part));
}

const text = (letters) => join(u32(letters.length), new TextEncoder().encode(letters));

// ---- zstd

const RAW = 0, RUN = 1;
const LARGEST_BLOCK = 1 << 17;

/** A block of a zstd frame: header and body. */
export function block(type, size, body, last) {
  const header = (size << 3) | (type << 1) | (last ? 1 : 0);
  return join(u32(header).subarray(0, 3), body);
}

/** A frame of the given blocks that states `size`, with the checksum of `content`. */
export function frameOf(blocks, size, content) {
  return join(u32(0xfd2fb528), Uint8Array.of(0xa4), u32(size), ...blocks, u32(xxh64Low(content)));
}

/** Content as raw blocks. */
export function pack(content) {
  const blocks = [];
  for (let at = 0; at < content.length || at === 0; at += LARGEST_BLOCK) {
    const part = content.subarray(at, at + LARGEST_BLOCK);
    blocks.push(block(RAW, part.length, part, at + LARGEST_BLOCK >= content.length));
  }
  return frameOf(blocks, content.length, content);
}

/** A frame of a few bytes that truly unpacks to `size` zeros. */
export function packZeros(size) {
  const blocks = [];
  for (let left = size; left > 0; left -= LARGEST_BLOCK)
    blocks.push(block(RUN, Math.min(left, LARGEST_BLOCK), Uint8Array.of(0), left <= LARGEST_BLOCK));
  return frameOf(blocks, size, new Uint8Array(size));
}

// ---- Chunks

export function rawChunk(tag, packed, size) {
  return join(new TextEncoder().encode(tag), u32(packed.length, size), packed);
}

export function chunk(tag, content) {
  return rawChunk(tag, pack(content), content.length);
}

export const headerOf = (version) => join(new TextEncoder().encode('CAIRNREC'), u32(version));
export const header = headerOf(3);

// ---- The scene

export const TETRAHEDRON = {
  vertices: [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]],
  faces: [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
};

export function hullContent({ vertices, faces }) {
  return join(u32(vertices.length, faces.length), f32(...vertices.flat()), u32(...faces.flatMap((face) => [face.length, ...face])));
}

// ---- What shapes share

/** Two triangles of a square, the second of another material. */
export const SQUARE = { vertices: [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]], triangles: [[0, 1, 2], [0, 2, 3]], materials: [0, 1] };

export function meshContent({ vertices, triangles, materials }) {
  return join(u32(vertices.length, triangles.length), f32(...vertices.flat()), u32(...triangles.flat()), i16(materials));
}

/** Three by two samples, and a hole in the second cell. */
export const FIELD = { columns: 3, rows: 2, spacing: [1, 2], heights: [0, 1, 2, 3, 4, 5], holes: [0, 1] };

export function fieldContent({ columns, rows, spacing, heights, holes }) {
  return join(u32(columns, rows), f32(...spacing, ...heights), Uint8Array.from(holes));
}

export function compoundContent(parts) {
  return join(u32(parts.length), ...parts);
}

/** A shape of the shared thing with that number. */
export const reference = (type, number, scale = [1, 1, 1]) => shape(type, join(u32(number), f32(...scale)));

export function formChunks() {
  return [
    chunk('MESH', meshContent(SQUARE)),
    chunk('HFLD', fieldContent(FIELD)),
    chunk('COMP', compoundContent([shape(2, f32(1, 2, 3), { position: [0, 5, 0] }), shape(4, hullContent(TETRAHEDRON))])),
  ];
}

/** Bodies of the three of them, the mesh twice. */
export function formScene() {
  return sceneContent([
    body(0, [reference(5, 0), reference(6, 1, [1, 2, 1])]),
    body(2, [reference(7, 2)]),
    body(2, [reference(5, 0, [-1, 1, 1])]),
  ]);
}

/** @param {Uint8Array} geometry what follows the frame of the shape */
export function shape(type, geometry, { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = {}) {
  return join(u32(type), f32(...position, ...rotation), geometry);
}

export function body(type, shapes, { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = {}) {
  return join(u32(type, shapes.length), f64(...position), f32(...rotation), ...shapes);
}

export const QUANTUM = 2 ** -14;

export function sceneContent(bodies, { step = 1 / 60, quantum = QUANTUM, count = bodies.length, scene = 'test' } = {}) {
  return join(f64(step, quantum), f32(0, -9.81, 0), text(scene), text('soft_step'), u32(count), ...bodies);
}

// ---- Joints

export const NEVER = 0xffffffff; // no body, no end

const UPRIGHT_FRAME = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
const FREE_DOF = [0, 0, 0];

/** `dofs` holds freedom and limits of the first degrees of freedom; the others are free. */
export function joint({
  until = NEVER, kind = 0, a = NEVER, b = 1, frameA = {}, frameB = {}, dofs = [], cone = 0, grounds = [0, 0, 0, 0, 0, 0],
} = {}) {
  const frame = (given) => {
    const { position, rotation } = { ...UPRIGHT_FRAME, ...given };
    return join(f64(...position), f32(...rotation));
  };
  const all = Array.from({ length: 6 }, (_, i) => dofs[i] ?? FREE_DOF);
  return join(u32(until, kind, a, b), frame(frameA), frame(frameB), ...all.map(([freedom, lower, upper]) => join(u32(freedom), f32(lower, upper))),
    u32(cone), f64(...grounds));
}

const LOCKED_DOF = [1, 0, 0];

/** For the small recording: a hinge with limits that breaks, a pulley, a cone between two bodies. */
export function smallJoints() {
  return [
    joint({ until: 5, b: 1, frameA: { position: [1, 2, 3] }, dofs: [LOCKED_DOF, LOCKED_DOF, LOCKED_DOF, [2, -1, 0.5], LOCKED_DOF, LOCKED_DOF] }),
    joint({ kind: 2, a: 1, b: 3, dofs: [[2, -1e9, 4]], grounds: [0, 5, 0, 2, 5, 0] }),
    joint({ a: 3, b: 4, dofs: [LOCKED_DOF, LOCKED_DOF, LOCKED_DOF, [0, 0, 0], [2, -1, 1], [2, -0.5, 0.5]], cone: 1 }),
  ];
}

export const jointsContent = (joints, count = joints.length) => join(u32(count), ...joints);

// ---- Frames

/**
 * @param {number} first number of the first frame
 * @param {Array<{ energy?: number, awake?: number, positions: number[][], rotations: number[][] }>} frames of integers per moving body
 */
export function framesContent(first, frames) {
  const columns = (rows, width) => Array.from({ length: width }, (_, c) => rows.map((row) => row[c])).flat();
  const parts = frames.map((frame, k) => {
    const before = frames[k - 1];
    const differences = (name, width) => {
      const last = before ? columns(before[name], width) : [];
      return columns(frame[name], width).map((value, i) => value - (last[i] ?? 0));
    };
    return join(f64(frame.energy ?? 0, 0.001, 2), u32(3, 4, frame.awake ?? 1, 0), u32(...differences('positions', 3)),
      i16(differences('rotations', 4)));
  });
  return join(u32(first, frames.length), ...parts);
}

const UPRIGHT = [0, 0, 0, 32767];

/** A static box, and four moving bodies, one of each other shape; body i moves i quanta per frame along x, then rests. */
export function smallScene() {
  return sceneContent([
    body(0, [shape(2, f32(10, 1, 10))], { position: [0, -1, 0] }),
    body(2, [shape(0, f32(0.5, 0))], { position: [1, 2, 3] }),
    body(1, [shape(1, f32(0.25, 0.5), { position: [0, 1, 0] })]),
    body(2, [shape(3, f32(0.25, 0.5)), shape(4, hullContent(TETRAHEDRON))]),
    body(2, [shape(4, hullContent(TETRAHEDRON))], { rotation: [1, 0, 0, 0] }),
  ]);
}

export function smallFrame(n) {
  return {
    energy: 100 - n,
    awake: 3,
    positions: [1, 2, 3, 4].map((i) => [i * Math.min(n, 10), -n % 3, 0]),
    rotations: [UPRIGHT, UPRIGHT, [n % 2, 0, 0, 32767], [32767, 0, 0, n % 2]],
  };
}

/** The chunks of a recording of 12 frames, 4 in each chunk of frames. */
export function smallChunks() {
  const frames = Array.from({ length: 12 }, (_, n) => smallFrame(n));
  return [
    chunk('SCEN', smallScene()),
    ...[0, 4, 8].map((first) => chunk('FRAM', framesContent(first, frames.slice(first, first + 4)))),
    chunk('DONE', u32(12)),
  ];
}

/** The same with joints. */
export function jointedChunks(joints = chunk('JNTS', jointsContent(smallJoints()))) {
  const chunks = smallChunks();
  return [...chunks.slice(0, -1), joints, chunks.at(-1)];
}

export function smallRecording() {
  return join(header, ...smallChunks());
}
