// Reads the SCEN chunk of a recording: what there is to see, in the viewer's data model.
import { ByteReader } from './recording_bytes.js';
import { xxh64Low } from './xxh64.js';

const BODY_TYPES = ['static', 'kinematic', 'dynamic'];
const SHAPE_TYPES = ['sphere', 'capsule', 'box', 'cylinder', 'hull'];
const LEAST_BODY = 48, LEAST_SHAPE = 40; // bytes

// A compressed scene can repeat itself to any size, so bytes in the file bound nothing. These bounds keep the objects that are
// made of it below 200 MB, and lie far above what a browser can draw at speed.
const MOST_BODIES = 200_000, MOST_SHAPES = 200_000, MOST_FACES = 500_000;

class SceneReader extends ByteReader {
  shapeCount = 0;
  faceCount = 0;
  hulls = new Map(); // by checksum: equal hulls become one object, so that they can be drawn as one

  /** Counts up to what the viewer can hold. */
  bound(count, most, what) {
    if (count > most)
      this.refuse(`more ${what} than this viewer can show (${most})`);
    return count;
  }

  hull() {
    const start = this.at;
    const end = this.skipHull();
    const bytes = this.bytes.subarray(start, end);
    const key = xxh64Low(bytes);
    const known = this.hulls.get(key);
    if (known && sameBytes(known.bytes, bytes))
      return known.hull;
    this.at = start;
    const hull = this.newHull();
    this.hulls.set(key, { bytes, hull });
    return hull;
  }

  /** Checks the counts of a hull and returns where it ends. */
  skipHull() {
    const vertexCount = this.count(12, 'vertices'), faceCount = this.count(16, 'faces');
    if (vertexCount < 4 || faceCount < 4)
      this.refuse(`a hull with ${vertexCount} vertices and ${faceCount} faces`, this.at - 8);
    this.take(12 * vertexCount);
    for (let i = 0; i < faceCount; ++i)
      this.take(4 * this.cornerCount());
    return this.at;
  }

  cornerCount() {
    const corners = this.count(4, 'corners');
    if (corners < 3)
      this.refuse(`a face with ${corners} corners`, this.at - 4);
    return corners;
  }

  newHull() {
    const vertexCount = this.u32(), faceCount = this.u32();
    this.faceCount = this.bound(this.faceCount + faceCount, MOST_FACES, 'faces of hulls');
    const vertices = new Float32Array(3 * vertexCount);
    for (let i = 0; i < vertexCount; ++i)
      vertices.set(this.vec3(), 3 * i);
    const faces = [];
    for (let i = 0; i < faceCount; ++i)
      faces.push(this.face(vertexCount));
    return { vertices, faces };
  }

  face(vertexCount) {
    const face = new Uint32Array(this.cornerCount());
    for (let i = 0; i < face.length; ++i) {
      face[i] = this.u32();
      if (face[i] >= vertexCount)
        this.refuse(`a face corner ${face[i]} that is no vertex of its hull`, this.at - 4);
    }
    return face;
  }

  geometry(type) {
    switch (type) {
      case 'box':
        return { halfExtents: [this.length('a half extent'), this.length('a half extent'), this.length('a half extent')] };
      case 'hull':
        return this.hull();
      case 'sphere': {
        const radius = this.length('a radius');
        this.f32();
        return { radius };
      }
      default:
        return { radius: this.length('a radius'), halfHeight: this.length('a half height', type === 'capsule') };
    }
  }

  type(names, what) {
    const type = names[this.u32()];
    if (type === undefined)
      this.refuse(`an unknown ${what} type`, this.at - 4);
    return type;
  }

  shape() {
    const type = this.type(SHAPE_TYPES, 'shape');
    const position = this.vec3(), rotation = this.quaternion();
    return { type, position, rotation, ...this.geometry(type) };
  }

  /** A body of the data model; its transform when the recording began is noted apart. */
  body(i, starts, rotations) {
    const type = this.type(BODY_TYPES, 'body');
    const shapeCount = this.count(LEAST_SHAPE, 'shapes');
    this.shapeCount = this.bound(this.shapeCount + shapeCount, MOST_SHAPES, 'shapes');
    starts.set(this.position(), 3 * i);
    rotations.set(this.quaternion(), 4 * i);
    const shapes = [];
    for (let s = 0; s < shapeCount; ++s)
      shapes.push(this.shape());
    return { type, shapes };
  }

  positive(what, most) {
    const value = this.f64();
    if (!(value > 0 && value <= most))
      this.refuse(`${what} of ${value}`, this.at - 8);
    return value;
  }
}

function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/**
 * @param {Uint8Array} content
 * @param {string} where
 * @returns the scene: names, numbers, `bodies`, and where each began: `starts` and `rotations`
 */
export function readScene(content, where) {
  const reader = new SceneReader(content, where);
  const stepSeconds = reader.positive('a step', 100);
  const quantum = reader.positive('a quantum of positions', 1);
  const gravity = reader.vec3();
  const scene = reader.text(), solver = reader.text();
  const bodyCount = reader.bound(reader.count(LEAST_BODY, 'bodies'), MOST_BODIES, 'bodies');
  const bodies = [], starts = new Float64Array(3 * bodyCount), rotations = new Float32Array(4 * bodyCount);
  for (let i = 0; i < bodyCount; ++i)
    bodies.push(reader.body(i, starts, rotations));
  reader.end();
  return { stepSeconds, quantum, gravity, scene, solver, bodies, starts, rotations };
}
