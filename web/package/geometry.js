// The forms of shapes: how options become numbers for the engine, and how its shapes are read for drawing.
import { CairnError } from './bridge.js';

export const SHAPE_TYPES = ['sphere', 'capsule', 'box', 'cylinder', 'taperedCapsule', 'hull', 'mesh', 'heightField', 'compound'];
const CONVEX_TYPES = SHAPE_TYPES.slice(0, 6);
const GEOMETRY_FIELDS = {
  sphere: ['radius'],
  capsule: ['radius', 'halfHeight'],
  box: ['halfExtents'],
  cylinder: ['radius', 'halfHeight'],
  taperedCapsule: ['bottomRadius', 'topRadius', 'halfHeight'],
  hull: ['hull'],
  mesh: ['mesh'],
  heightField: ['heightField'],
  compound: ['compound'],
};

function triple(what, name, value) {
  if (value?.length !== 3) throw new CairnError(`${what}: ${name} must be an array of 3 numbers`);
  return value;
}

/**
 * Splits options into the numbers of a geometry, the hull or shared object that it is made of, and the rest; says what is missing.
 * A hull may be given by `hullField` instead of `hull`.
 */
export function takeGeometry(what, options, { types = SHAPE_TYPES, hullField = 'hull' } = {}) {
  const { type, radius = 0, bottomRadius = radius, topRadius = 0, halfHeight = 0, halfExtents = [0, 0, 0], ...rest } = options;
  if (!types.includes(type)) throw new CairnError(`${what}: type is "${type}"; it must be one of: ${types.join(', ')}`);
  for (const field of GEOMETRY_FIELDS[type]) {
    const name = field === 'hull' ? hullField : field;
    if (options[name] === undefined) throw new CairnError(`${what}: a ${type} needs ${name}`);
  }
  const numbers = [SHAPE_TYPES.indexOf(type), bottomRadius, topRadius, halfHeight, ...triple(what, 'halfExtents', halfExtents)];
  const made = rest[type];
  if (type in GEOMETRY_FIELDS) delete rest[type];
  return { type, numbers, made, rest };
}

export const takeConvex = (what, options, hullField) => takeGeometry(what, options, { types: CONVEX_TYPES, hullField });

/** The form that the mail holds, as shape_get_form and compound_get_form write it. `more(type)` gives what is not in the mail. */
export function readForm(bridge, more) {
  const [index, radius, topRadius, halfHeight, ...m] = bridge.mail.slice(0, 17);
  const type = SHAPE_TYPES[index];
  const form = { type, position: m.slice(3, 6), rotation: m.slice(6, 10) };
  switch (type) {
    case 'sphere': return { ...form, radius };
    case 'box': return { ...form, halfExtents: m.slice(0, 3) };
    case 'capsule': case 'cylinder': return { ...form, radius, halfHeight };
    case 'taperedCapsule': return { ...form, bottomRadius: radius, topRadius, halfHeight };
    case 'mesh': case 'heightField': return { ...form, scale: m.slice(10, 13), ...more(type) };
    default: return { ...form, ...more(type) };
  }
}

/** Vertices and faces of a hull. The two functions take an address and a capacity, the second one the number of a face before. */
export function readHull(bridge, getVertices, getFace) {
  const vertexCount = getVertices(0, 0);
  const vertices = bridge.borrow(12 * vertexCount, (address) => {
    getVertices(address, vertexCount);
    return bridge.floats(address, 3 * vertexCount).slice();
  });
  const faces = [];
  bridge.borrow(4 * vertexCount, (address) => {
    for (let corners; (corners = getFace(faces.length, address, vertexCount)) > 0;)
      faces.push(Uint32Array.from(bridge.integers(address, corners)));
  });
  return { vertices, faces };
}
