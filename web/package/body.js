// A body of a world, and its shapes.
import { CairnError } from './bridge.js';

const BODY_TYPES = ['static', 'kinematic', 'dynamic'];
const SHAPE_TYPES = ['sphere', 'capsule', 'box', 'cylinder', 'hull'];
const SHAPE_FIELDS = [
  ['position', 3], ['rotation', 4], ['density', 1], ['friction', 1], ['kineticFriction', 1], ['restitution', 1],
  ['rollingResistance', 1], ['spinningResistance', 1], ['surfaceVelocity', 3], ['category', 1], ['mask', 1], ['group', 1],
];
const GEOMETRY_FIELDS = {
  sphere: ['radius'],
  capsule: ['radius', 'halfHeight'],
  box: ['halfExtents'],
  cylinder: ['radius', 'halfHeight'],
  hull: ['hull'],
};

// Splits a shape's options into its geometry and the rest, and says what is missing.
function takeGeometry(options) {
  const { type, radius = 0, halfHeight = 0, halfExtents = [0, 0, 0], hull, ...rest } = options;
  if (!SHAPE_TYPES.includes(type))
    throw new CairnError(`addShape: type is "${type}"; it must be one of: ${SHAPE_TYPES.join(', ')}`);
  for (const name of GEOMETRY_FIELDS[type])
    if (options[name] === undefined) throw new CairnError(`addShape: a ${type} needs ${name}`);
  if (halfExtents.length !== 3) throw new CairnError('addShape: halfExtents must be an array of 3 numbers');
  return { numbers: [SHAPE_TYPES.indexOf(type), radius, halfHeight, ...halfExtents], hull: hull?.id ?? 0n, rest };
}

export class Body {
  #bridge;
  #handle;

  constructor(world, handle, id) {
    this.#bridge = handle.bridge;
    this.#handle = handle;
    this.world = world;
    this.id = id;
    /** Where its numbers are in the arrays of the world. */
    this.slot = Number(BigInt.asUintN(32, id)) - 1;
  }

  #do(name, ...numbers) {
    this.#bridge.send(...numbers);
    this.#bridge.check(this.#bridge.call[name](this.#world, this.id));
  }

  get #world() { return this.#handle.alive; }

  #motion(from, to) {
    this.#bridge.check(this.#bridge.call.body_get_motion(this.#world, this.id));
    return [...this.#bridge.mail.slice(from, to)];
  }

  get isValid() { return this.#bridge.call.body_is_valid(this.#world, this.id) !== 0; }
  destroy() { this.#do('body_destroy'); }

  get type() { return BODY_TYPES[this.#bridge.call.body_get_type(this.#world, this.id)]; }

  set type(value) {
    const index = BODY_TYPES.indexOf(value);
    if (index < 0) throw new CairnError(`type is "${value}"; it must be one of: ${BODY_TYPES.join(', ')}`);
    this.#bridge.check(this.#bridge.call.body_set_type(this.#world, this.id, index));
  }

  get position() { return this.#motion(0, 3); }
  get rotation() { return this.#motion(3, 7); }
  get center() { return this.#motion(7, 10); }
  get linearVelocity() { return this.#motion(10, 13); }
  set linearVelocity(value) { this.#do('body_set_linear_velocity', value); }
  get angularVelocity() { return this.#motion(13, 16); }
  set angularVelocity(value) { this.#do('body_set_angular_velocity', value); }
  get awake() { return this.#bridge.call.body_is_awake(this.#world, this.id) !== 0; }
  set awake(value) { this.#bridge.check(this.#bridge.call.body_set_awake(this.#world, this.id, value ? 1 : 0)); }

  setTransform(position, rotation = [0, 0, 0, 1]) { this.#do('body_set_transform', position, rotation); }

  moveKinematic(position, rotation, seconds) {
    this.#bridge.send(position, rotation);
    this.#bridge.check(this.#bridge.call.body_move_kinematic(this.#world, this.id, seconds));
  }

  applyForce(force, point) {
    if (point) this.#do('body_apply_force_at', force, point);
    else this.#do('body_apply_force', force);
  }

  applyImpulse(impulse, point) {
    if (point) this.#do('body_apply_impulse_at', impulse, point);
    else this.#do('body_apply_impulse', impulse);
  }

  applyTorque(torque) { this.#do('body_apply_torque', torque); }
  applyAngularImpulse(impulse) { this.#do('body_apply_angular_impulse', impulse); }

  get mass() {
    this.#bridge.check(this.#bridge.call.body_get_mass(this.#world, this.id));
    const [mass, x, y, z, ...inertia] = this.#bridge.mail.slice(0, 10);
    return { mass, center: [x, y, z], inertia };
  }

  // ---- shapes

  addShape(options) {
    const { numbers, hull, rest } = takeGeometry(options);
    this.#bridge.call.shape_defaults();
    const at = this.#bridge.fill('addShape', SHAPE_FIELDS, rest);
    this.#bridge.mail.set(numbers, at);
    return { id: this.#bridge.check(this.#bridge.call.shape_create(this.#world, this.id, hull)) };
  }

  removeShape(shape) {
    this.#bridge.check(this.#bridge.call.shape_destroy(this.#world, shape.id));
  }

  /** The form of each shape, for drawing. Hulls come with vertices and faces. */
  shapes() {
    const { call } = this.#bridge;
    const count = call.body_get_shapes(this.#world, this.id, 0, 0);
    if (count === 0) return [];
    const ids = this.#bridge.borrow(8 * count, (address) => {
      call.body_get_shapes(this.#world, this.id, address, count);
      return new BigUint64Array(this.#bridge.memory.buffer.slice(address, address + 8 * count));
    });
    return [...ids].map((id) => this.#form(id));
  }

  #form(id) {
    const hull = this.#bridge.call.shape_get_form(this.#world, id);
    const [type, radius, halfHeight, ...m] = this.#bridge.mail.slice(0, 13);
    const form = { type: SHAPE_TYPES[type], position: m.slice(3, 6), rotation: m.slice(6, 10), id };
    if (form.type === 'hull') return { ...form, hull, ...this.#hullForm(hull) };
    if (form.type === 'box') return { ...form, halfExtents: m.slice(0, 3) };
    return form.type === 'sphere' ? { ...form, radius } : { ...form, radius, halfHeight };
  }

  #hullForm(hull) {
    const { call } = this.#bridge;
    const vertexCount = call.hull_get_vertices(this.#world, hull, 0, 0);
    const vertices = this.#bridge.borrow(12 * vertexCount, (address) => {
      call.hull_get_vertices(this.#world, hull, address, vertexCount);
      return this.#bridge.floats(address, 3 * vertexCount).slice();
    });
    const faces = [];
    this.#bridge.borrow(4 * vertexCount, (address) => {
      for (let face = 0; face < call.hull_get_face_count(this.#world, hull); face++) {
        const corners = call.hull_get_face(this.#world, hull, face, address, vertexCount);
        faces.push(Uint32Array.from(this.#bridge.integers(address, corners)));
      }
    });
    return { vertices, faces };
  }
}
