// Shapes cut into parts that are each a unit geometry, stretched, turned and moved: a capsule is a tube and two caps, a tapered one
// two balls and the cone between them.
// Also the few rules of rotations that the other modules share.
import { surfaceOf } from './surface.js';

/** Writes the columns of the rotation matrix of a quaternion x, y, z, w: nine numbers. */
export function writeRotation(out, x, y, z, w) {
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y + z * w);
  out[2] = 2 * (x * z - y * w);
  out[3] = 2 * (x * y - z * w);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z + x * w);
  out[6] = 2 * (x * z + y * w);
  out[7] = 2 * (y * z - x * w);
  out[8] = 1 - 2 * (x * x + y * y);
}

/** rotation × (x, y, z) + (position): a point of a frame in the frame around it. */
export function placed(r, position, x, y, z) {
  return [
    r[0] * x + r[3] * y + r[6] * z + position[0],
    r[1] * x + r[4] * y + r[7] * z + position[1],
    r[2] * x + r[5] * y + r[8] * z + position[2],
  ];
}

/** Three columns and a translation: where the unit geometry of a part lies in the body's frame. */
function partMatrix(shape, scale, height = 0) {
  const matrix = new Float64Array(12);
  writeRotation(matrix, ...shape.rotation);
  matrix.set(placed(matrix, shape.position, 0, height, 0), 9);
  for (let i = 0; i < 9; i++) matrix[i] *= scale[Math.floor(i / 3)];
  return matrix;
}

function capsuleParts(shape) {
  const { radius: r, halfHeight: h } = shape;
  return [
    { kind: 'tube', matrix: partMatrix(shape, [r, h, r]) },
    { kind: 'cap', matrix: partMatrix(shape, [r, r, r], h) },
    // Turned by half a turn about x, so that it stays a rotation and its faces look outward.
    { kind: 'cap', matrix: partMatrix(shape, [r, -r, -r], -h) },
  ];
}

// Hulls are brought to unit size too: line widths and picking then work alike for all kinds.
function hullPart(shape) {
  let square = 0;
  for (let i = 0; i < shape.vertices.length; i += 3) {
    square = Math.max(square, shape.vertices[i] ** 2 + shape.vertices[i + 1] ** 2 + shape.vertices[i + 2] ** 2);
  }
  const radius = Math.sqrt(square) || 1;
  const unit = { vertices: Float32Array.from(shape.vertices, (x) => x / radius), faces: shape.faces };
  return { kind: 'hull', matrix: partMatrix(shape, [radius, radius, radius]), hull: unit };
}

/** The cone between the circles where it touches two balls, as a hull of many smooth sides. */
function coneHull({ bottomRadius, topRadius, halfHeight }) {
  const corners = 32;
  const sine = (bottomRadius - topRadius) / (2 * halfHeight);
  const cosine = Math.sqrt(1 - sine * sine);
  const vertices = [];
  const normals = [];
  const faces = [[], []];
  for (let i = 0; i < 2 * corners; i++) {
    const end = Math.floor(i / corners);
    const radius = end ? topRadius : bottomRadius;
    const x = Math.cos((2 * Math.PI * i) / corners);
    const z = Math.sin((2 * Math.PI * i) / corners);
    vertices.push(radius * cosine * x, (end ? halfHeight : -halfHeight) + radius * sine, radius * cosine * z);
    normals.push(cosine * x, sine, cosine * z);
    if (end) faces[1].unshift(i);
    else {
      faces[0].push(i);
      faces.push([i, i + corners, corners + ((i + 1) % corners), (i + 1) % corners]);
    }
  }
  return { vertices, faces: faces.map((face) => Uint32Array.from(face)), normals };
}

function taperedParts(shape) {
  const { bottomRadius: b, topRadius: t, halfHeight: h } = shape;
  const bottom = { kind: 'ball', matrix: partMatrix(shape, [b, b, b], -h) };
  const top = { kind: 'ball', matrix: partMatrix(shape, [t, t, t], h) };
  if (Math.abs(b - t) >= 2 * h) return [b > t ? bottom : top]; // it contains the other
  const cone = coneHull(shape);
  const part = hullPart({ ...shape, ...cone });
  return [bottom, top, { ...part, hull: { ...part.hull, normals: cone.normals } }];
}

/** The parts of a shape: { kind, matrix } each, and for hulls its vertices and faces, for meshes and height fields its surface. */
export function partsOfShape(shape) {
  const { radius: r } = shape;
  switch (shape.type) {
    case 'sphere': return [{ kind: 'ball', matrix: partMatrix(shape, [r, r, r]) }];
    case 'capsule': return capsuleParts(shape);
    case 'box': return [{ kind: 'box', matrix: partMatrix(shape, shape.halfExtents) }];
    case 'cylinder': return [{ kind: 'cylinder', matrix: partMatrix(shape, [r, shape.halfHeight, r]) }];
    case 'taperedCapsule': return taperedParts(shape);
    case 'hull': return [hullPart(shape)];
    case 'mesh':
    case 'heightField': return [{ kind: 'surface', matrix: partMatrix(shape, shape.scale), surface: surfaceOf(shape) }];
    default: throw new Error(`There is no shape called “${shape.type}”.`);
  }
}

function hullExtents({ vertices }) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; i++) {
    low[i % 3] = Math.min(low[i % 3], vertices[i]);
    high[i % 3] = Math.max(high[i % 3], vertices[i]);
  }
  return { center: low.map((x, i) => (x + high[i]) / 2), half: low.map((x, i) => (high[i] - x) / 2) };
}

function surfaceExtents(shape) {
  const { low, high } = surfaceOf(shape);
  const along = (sign) => shape.scale.map((s, i) => (s * low[i] + sign * s * high[i]) / 2);
  return { center: along(1), half: along(-1).map(Math.abs) };
}

function taperedExtents({ bottomRadius: b, topRadius: t, halfHeight: h }) {
  const low = Math.min(-h - b, h - t);
  const high = Math.max(-h + b, h + t);
  const r = Math.max(b, t);
  return { center: [0, (low + high) / 2, 0], half: [r, (high - low) / 2, r] };
}

/** A box around a shape, in the shape's own frame. */
export function shapeExtents(shape) {
  const { radius: r } = shape;
  switch (shape.type) {
    case 'sphere': return { center: [0, 0, 0], half: [r, r, r] };
    case 'capsule': return { center: [0, 0, 0], half: [r, r + shape.halfHeight, r] };
    case 'cylinder': return { center: [0, 0, 0], half: [r, shape.halfHeight, r] };
    case 'taperedCapsule': return taperedExtents(shape);
    case 'box': return { center: [0, 0, 0], half: shape.halfExtents };
    case 'mesh':
    case 'heightField': return surfaceExtents(shape);
    default: return hullExtents(shape);
  }
}

const product = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
  aw * bw - ax * bx - ay * by - az * bz,
];

/** A body with the parts of its compounds as shapes of their own. */
export function flattened(body) {
  if (!body.shapes.some(({ type }) => type === 'compound')) return body;
  const turn = new Float64Array(9);
  const shapes = body.shapes.flatMap((shape) => {
    if (shape.type !== 'compound') return [shape];
    writeRotation(turn, ...shape.rotation);
    return shape.parts.map((part) => ({
      ...part,
      position: placed(turn, shape.position, ...part.position),
      rotation: product(shape.rotation, part.rotation),
    }));
  });
  return { ...body, shapes };
}

/** The radius of a ball around the body's origin that holds all its shapes. */
export function bodyRadius(body) {
  let radius = 0;
  for (const shape of body.shapes) {
    const { center, half } = shapeExtents(shape);
    radius = Math.max(radius, Math.hypot(...shape.position) + Math.hypot(...center) + Math.hypot(...half));
  }
  return radius;
}
