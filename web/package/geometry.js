// The forms of shapes: how options become numbers for the engine, and how its shapes are read for drawing.
import { checkField, checkObject, indexOf, refuse } from './check.js';

export const SHAPE_TYPES = ['sphere', 'capsule', 'box', 'cylinder', 'taperedCapsule', 'hull', 'mesh', 'heightField', 'compound'];
const CONVEX_TYPES = SHAPE_TYPES.slice(0, 6);
const RADIUS = ['radius', 1], HALF_HEIGHT = ['halfHeight', 1];
const SIZES = {
  sphere: [RADIUS],
  capsule: [RADIUS, HALF_HEIGHT],
  box: [['halfExtents', 3]],
  cylinder: [RADIUS, HALF_HEIGHT],
  taperedCapsule: [['bottomRadius', 1], ['topRadius', 1], HALF_HEIGHT],
};

/**
 * Splits options into the numbers of a geometry, the hull or shared object that it is made of, and the rest; says what is missing.
 * A hull may be given by `hullField` instead of `hull`, which is left in the rest then.
 */
export function takeGeometry(what, options, { types = SHAPE_TYPES, hullField = 'hull' } = {}) {
  const { type, ...rest } = checkObject(what, 'what is given', options);
  indexOf(what, 'type', types, type);
  const size = { radius: 0, topRadius: 0, halfHeight: 0, halfExtents: [0, 0, 0] };
  const maker = type === 'hull' ? hullField : type;
  for (const [name, kind] of SIZES[type] ?? [[maker]]) {
    if (rest[name] === undefined) refuse(`${what}: a ${type} needs ${name}`);
    if (kind === undefined) continue;
    size[name] = checkField(what, name, kind, rest[name]);
    delete rest[name];
  }
  const { radius, bottomRadius = radius, topRadius, halfHeight, halfExtents } = size;
  const made = rest[type];
  if (maker === type) delete rest[type];
  return { type, numbers: [SHAPE_TYPES.indexOf(type), bottomRadius, topRadius, halfHeight, ...halfExtents], made, rest };
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
