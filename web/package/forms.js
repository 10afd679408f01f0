// Meshes, height fields and compounds: built once, shared by any number of shapes in any number of worlds of one engine.
import { FLAG, checkField, checkInteger, checkList, checkNames, checkNumbers, checkRotation, checkVector, refuse } from './check.js';
import { readForm, readHull, takeConvex } from './geometry.js';

// Those that are not destroyed by hand are when nothing refers to them any more. Shapes keep what they need in the engine.
const forgotten = new FinalizationRegistry(({ bridge, destroy, address }) => {
  if (bridge.stopped === null) bridge.call[destroy](address);
});

const DESTROY = { mesh: 'mesh_destroy', heightField: 'height_field_destroy', compound: 'compound_destroy' };

class Form {
  #bridge;
  #address;

  constructor(bridge, kind, address) {
    this.#bridge = bridge;
    this.#address = bridge.check(address);
    this.kind = kind;
    forgotten.register(this, { bridge, destroy: DESTROY[kind], address }, this);
    Object.freeze(this);
  }

  destroy() {
    this.#bridge.call[DESTROY[this.kind]](this.#alive);
    this.#address = 0;
    forgotten.unregister(this);
  }

  get #alive() {
    if (this.#address === 0) refuse(`this ${this.kind} has been destroyed`);
    return this.#address;
  }

  /** Where it is in the memory of an engine, which must be its own. */
  addressIn(bridge) {
    if (bridge !== this.#bridge) refuse(`this ${this.kind} belongs to another engine`);
    return this.#alive;
  }
}

/** The address of what a shape of that kind is made of; 0 for a kind that is made of nothing shared. */
export function addressOf(bridge, what, kind, form) {
  if (!(kind in DESTROY)) return 0;
  if (!(form instanceof Form && form.kind === kind)) refuse(`${what}: ${kind} must be one that this engine made`);
  return form.addressIn(bridge);
}

// ---- making them

function checkLength(what, name, array, length) {
  if (array !== undefined && checkNumbers(what, name, array).length !== length)
    refuse(`${what}: ${name} has ${array.length} entries; there must be ${length}`);
}

function checkTriples(what, name, array) {
  if (checkNumbers(what, name, array).length % 3 !== 0) refuse(`${what}: ${name} must hold three numbers each`);
}

/** Numbers that a type of integers would bend are refused here: the engine sees them bent only. */
function checkIntegers(what, name, array, most) {
  for (let i = 0; i < (array?.length ?? 0); i++)
    checkInteger(what, `${name}[${i}]`, array[i], 0, most);
}

/** Copies arrays into the engine's memory for the time of a call; `use` gets their addresses, 0 for those that are missing. */
function lend(bridge, arrays, use, addresses = []) {
  if (addresses.length === arrays.length) return use(...addresses);
  const [Kind, values] = arrays[addresses.length];
  if (values === undefined) return lend(bridge, arrays, use, [...addresses, 0]);
  return bridge.borrow(values.length * Kind.BYTES_PER_ELEMENT, (address) => {
    new Kind(bridge.memory.buffer, address, values.length).set(values);
    return lend(bridge, arrays, use, [...addresses, address]);
  });
}

export function createMesh(bridge, options) {
  const what = 'createMesh';
  checkNames(what, options, ['vertices', 'indices', 'materials', 'normals', 'smooth', 'dropDegenerate']);
  const { vertices, indices, materials, normals, smooth = false, dropDegenerate = false } = options;
  checkTriples(what, 'vertices', vertices);
  checkTriples(what, 'indices', indices);
  const [round, drop] = [['smooth', smooth], ['dropDegenerate', dropDegenerate]].map(([name, on]) => checkField(what, name, FLAG, on));
  checkLength(what, 'materials', materials, indices.length / 3);
  checkLength(what, 'normals', normals, vertices.length);
  checkIntegers(what, 'indices', indices, 2 ** 31 - 1);
  checkIntegers(what, 'materials', materials, 65535);
  const arrays = [[Float32Array, vertices], [Int32Array, indices], [Uint16Array, materials], [Float32Array, normals]];
  const address = lend(bridge, arrays, (v, i, m, n) =>
    bridge.call.mesh_create(v, vertices.length / 3, i, indices.length / 3, m, n, round, drop));
  return new Form(bridge, 'mesh', address);
}

export function createHeightField(bridge, options) {
  const what = 'createHeightField';
  checkNames(what, options, ['columns', 'rows', 'spacing', 'heights', 'holes', 'materials', 'smooth']);
  const { columns, rows, spacing = [1, 1], heights, holes, materials, smooth = false } = options;
  checkInteger(what, 'columns', columns, 2);
  checkInteger(what, 'rows', rows, 2);
  const round = checkField(what, 'smooth', FLAG, smooth);
  if (heights === undefined) refuse(`${what}: heights are missing`);
  const cells = (columns - 1) * (rows - 1);
  checkLength(what, 'heights', heights, columns * rows);
  checkLength(what, 'spacing', spacing, 2);
  checkLength(what, 'holes', holes, cells);
  checkLength(what, 'materials', materials, cells);
  checkIntegers(what, 'holes', holes, 255);
  checkIntegers(what, 'materials', materials, 255);
  const arrays = [[Float32Array, heights], [Uint8Array, holes], [Uint8Array, materials]];
  const address = lend(bridge, arrays, (h, o, m) =>
    bridge.call.height_field_create(columns, rows, spacing[0], spacing[1], h, o, m, round));
  return new Form(bridge, 'heightField', address);
}

export function createCompound(bridge, parts) {
  const what = 'createCompound';
  checkList(what, 'parts', parts);
  const list = bridge.given(bridge.call.parts_create(parts.length), `${parts.length} parts`);
  const borrowed = [list];
  try {
    parts.forEach((part, i) => setPart(bridge, `${what}: parts[${i}]`, part, list, i, borrowed));
    return new Form(bridge, 'compound', bridge.call.compound_create(list, parts.length));
  } finally {
    for (const address of borrowed) bridge.call.release(address);
  }
}

function setPart(bridge, what, part, list, index, borrowed) {
  const { type, numbers, rest } = takeConvex(what, part, 'points');
  const { points = [], position = [0, 0, 0], rotation = [0, 0, 0, 1], material = 0, ...unknown } = rest;
  checkNames(what, unknown, ['position', 'rotation', 'material']);
  checkTriples(what, 'points', points);
  checkVector(what, 'position', position);
  checkRotation(what, 'rotation', rotation);
  checkInteger(what, 'material', material, 0, 65535);
  let address = 0;
  if (type === 'hull') {
    address = bridge.allocate(4 * points.length);
    borrowed.push(address);
    bridge.floats(address, points.length).set(points);
  }
  bridge.send(numbers, position, rotation, material);
  bridge.call.parts_set(list, index, address, points.length / 3);
}

// ---- reading them

function readMesh(bridge, mesh) {
  const { call } = bridge;
  const vertexCount = call.mesh_vertex_count(mesh), triangleCount = call.mesh_triangle_count(mesh);
  return bridge.borrow(12 * vertexCount + 14 * triangleCount, (address) => {
    const indices = address + 12 * vertexCount, materials = indices + 12 * triangleCount;
    call.mesh_read(mesh, address, indices, materials);
    const { buffer } = bridge.memory;
    return {
      vertices: new Float32Array(buffer, address, 3 * vertexCount).slice(),
      indices: new Uint32Array(buffer, indices, 3 * triangleCount).slice(),
      materials: new Uint16Array(buffer, materials, triangleCount).slice(),
    };
  });
}

function readHeightField(bridge, field) {
  const { call } = bridge;
  const columns = call.height_field_columns(field), rows = call.height_field_rows(field);
  const samples = columns * rows, cells = (columns - 1) * (rows - 1);
  return bridge.borrow(4 * samples + cells, (address) => {
    call.height_field_read(field, address, address + 4 * samples);
    const heights = bridge.floats(address, samples).slice(), holes = bridge.bytes(address + 4 * samples, cells).slice();
    return { columns, rows, spacing: [bridge.mail[0], bridge.mail[2]], heights, holes };
  });
}

function readCompound(bridge, compound) {
  const { call } = bridge;
  return Array.from({ length: call.compound_count(compound) }, (_, part) => {
    call.compound_get_form(compound, part);
    return readForm(bridge, () => readHull(bridge, (...room) => call.compound_get_vertices(compound, part, ...room),
      (...room) => call.compound_get_face(compound, part, ...room)));
  });
}

const readers = { mesh: readMesh, heightField: readHeightField, compound: readCompound };

/** What a shape of that type is made of, at an address. `known` holds what was read already. */
export function readShared(bridge, type, address, known) {
  if (!known.has(address)) known.set(address, readers[type](bridge, address));
  return { [type === 'compound' ? 'parts' : type]: known.get(address) };
}
