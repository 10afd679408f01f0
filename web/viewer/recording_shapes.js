// Reads the shapes of a recording, and the meshes, height fields and compounds that they share.
import { ByteReader, LARGEST_LENGTH } from './recording_bytes.js';
import { xxh64Low } from './xxh64.js';

// By number.
const SHAPE_TYPES = ['sphere', 'capsule', 'box', 'cylinder', 'hull', 'mesh', 'heightField', 'compound', 'taperedCapsule'];
const SHARED_TYPES = ['mesh', 'heightField', 'compound'];
const CONVEX_TYPES = SHAPE_TYPES.map((type) => (SHARED_TYPES.includes(type) ? undefined : type));
export const LEAST_SHAPE = 40; // bytes

// A compressed scene can repeat itself to any size, so bytes in the file bound nothing. These bounds keep the objects that are
// made of it below 400 MB, and lie far above what a browser can draw at speed.
const MOST_SHAPES = 200_000, MOST_FACES = 500_000, MOST_VERTICES = 5_000_000, MOST_TRIANGLES = 10_000_000, MOST_DRAWN = 50_000_000;

/** What the chunks of one recording have in common: what was read, and how much of it. */
export class Shared {
  forms = []; // meshes, height fields and compounds by number
  hulls = new Map(); // by checksum: equal hulls become one object, so that they can be drawn as one
  shapes = 0;
  faces = 0;
  vertices = 0;
  triangles = 0;
  drawn = 0; // triangles of all shapes
}

/** The tags of chunks that hold what shapes share. */
export const FORM_TAGS = ['MESH', 'HFLD', 'COMP'];

export class ShapeReader extends ByteReader {
  /** @param {Shared} shared */
  constructor(bytes, where, shared) {
    super(bytes, where);
    this.shared = shared;
  }

  /** Counts up to what the viewer can hold. */
  bound(count, most, what) {
    if (count > most)
      this.refuse(`more ${what} than this viewer can show (${most})`);
    return count;
  }

  /** The same over all chunks. */
  spend(name, count, most, what) {
    this.shared[name] = this.bound(this.shared[name] + count, most, what);
  }

  // ---- convex shapes

  hull() {
    const start = this.at;
    const end = this.skipHull();
    const bytes = this.bytes.subarray(start, end);
    const key = xxh64Low(bytes);
    const known = this.shared.hulls.get(key);
    if (known && sameBytes(known.bytes, bytes))
      return known.hull;
    this.at = start;
    const hull = this.newHull();
    this.shared.hulls.set(key, { bytes, hull });
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
    this.spend('faces', faceCount, MOST_FACES, 'faces of hulls');
    this.spend('vertices', vertexCount, MOST_VERTICES, 'vertices');
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

  convex(type) {
    switch (type) {
      case 'box':
        return { halfExtents: [this.length('a half extent'), this.length('a half extent'), this.length('a half extent')] };
      case 'hull':
        return this.hull();
      case 'taperedCapsule': {
        const bottomRadius = this.length('a radius'), topRadius = this.length('a radius');
        return { bottomRadius, topRadius, halfHeight: this.length('a half height', true) };
      }
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

  // ---- what shapes share

  /** The numbers of one kind that begin here, all at once. */
  array(Kind, count) {
    const start = this.bytes.byteOffset + this.take(count * Kind.BYTES_PER_ELEMENT);
    return new Kind(this.bytes.buffer.slice(start, start + count * Kind.BYTES_PER_ELEMENT));
  }

  coordinates(count) {
    const numbers = this.array(Float32Array, count);
    for (let i = 0; i < count; ++i)
      if (!(Math.abs(numbers[i]) <= LARGEST_LENGTH))
        this.refuse('a coordinate that is not finite or out of range', this.at - 4 * (count - i));
    return numbers;
  }

  mesh() {
    const vertexCount = this.count(12, 'vertices'), triangleCount = this.count(14, 'triangles');
    if (vertexCount < 3 || triangleCount < 1)
      this.refuse(`a mesh with ${vertexCount} vertices and ${triangleCount} triangles`, this.at - 8);
    this.spend('vertices', vertexCount, MOST_VERTICES, 'vertices');
    this.spend('triangles', triangleCount, MOST_TRIANGLES, 'triangles');
    const vertices = this.coordinates(3 * vertexCount), indices = this.array(Uint32Array, 3 * triangleCount);
    for (let i = 0; i < indices.length; ++i)
      if (indices[i] >= vertexCount)
        this.refuse(`a triangle corner ${indices[i]} that is no vertex of its mesh`, this.at - 4 * (indices.length - i));
    return { type: 'mesh', vertices, indices, materials: this.array(Uint16Array, triangleCount) };
  }

  heightField() {
    const columns = this.u32(), rows = this.u32();
    if (columns < 2 || rows < 2 || columns > this.left / 4 || rows > this.left / 4 / columns)
      this.refuse(`a height field of ${columns} columns and ${rows} rows`, this.at - 8);
    this.spend('vertices', columns * rows, MOST_VERTICES, 'vertices');
    this.spend('triangles', 2 * (columns - 1) * (rows - 1), MOST_TRIANGLES, 'triangles');
    const spacing = [this.length('a spacing'), this.length('a spacing')];
    const heights = this.coordinates(columns * rows);
    return { type: 'heightField', columns, rows, spacing, heights, holes: this.array(Uint8Array, (columns - 1) * (rows - 1)) };
  }

  compound() {
    const count = this.count(LEAST_SHAPE, 'parts');
    if (count === 0)
      this.refuse('a compound without parts', this.at - 4);
    this.spend('shapes', count, MOST_SHAPES, 'shapes');
    const parts = [];
    for (let i = 0; i < count; ++i)
      parts.push(this.shape(CONVEX_TYPES));
    return { type: 'compound', parts };
  }

  /** What a chunk of that tag holds; it gets the next number. */
  form(tag) {
    this.shared.forms.push({ MESH: this.mesh, HFLD: this.heightField, COMP: this.compound }[tag].call(this));
    this.end();
  }

  // ---- shapes

  shape(types = SHAPE_TYPES) {
    const type = this.type(types, 'shape');
    const position = this.vec3(), rotation = this.quaternion();
    return { type, position, rotation, ...(CONVEX_TYPES.includes(type) ? this.convex(type) : this.reference(type)) };
  }

  /** A shape of something shared. */
  reference(type) {
    const form = this.shared.forms[this.u32()];
    if (form?.type !== type)
      this.refuse(`a ${type} that is not in the file`, this.at - 4);
    const scale = this.vec3();
    if (scale.includes(0))
      this.refuse('a scale of 0', this.at - 12);
    if (type === 'compound') {
      this.spend('shapes', form.parts.length, MOST_SHAPES, 'shapes');
      return { parts: form.parts };
    }
    this.spend('drawn', (form.indices?.length ?? 6 * form.holes.length) / 3, MOST_DRAWN, 'triangles');
    return { [type]: form, scale };
  }

  shapes(count) {
    this.spend('shapes', count, MOST_SHAPES, 'shapes');
    const shapes = [];
    for (let i = 0; i < count; ++i)
      shapes.push(this.shape());
    return shapes;
  }
}

function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
