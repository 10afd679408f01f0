// A body of a world, and its shapes.
import {
  BITS, FLAG, INTEGER, checkFlag, checkList, checkNumber, checkRotation, checkVector, idOf, indexOf,
} from './check.js';
import { addressOf, readShared } from './forms.js';
import { readForm, readHull, takeGeometry } from './geometry.js';
import { sendPath } from './path.js';

const BODY_TYPES = ['static', 'kinematic', 'dynamic'];
export const MATERIAL_FIELDS = [
  ['friction', 1], ['kineticFriction', 1], ['restitution', 1], ['rollingResistance', 1], ['spinningResistance', 1],
  ['surfaceVelocity', 3], ['grain', 3], ['grainFriction', 1],
];
export const FILTER_FIELDS = [['category', BITS], ['mask', BITS], ['group', INTEGER]];
const SHAPE_FIELDS = [['position', 3], ['rotation', 4], ['density', 1], ...MATERIAL_FIELDS, ...FILTER_FIELDS, ['sensor', FLAG]];

const shapeIds = (what, shape, other) => [['shape', shape], ['other', other]].map(([name, value]) => idOf(what, name, value, 'a shape'));
const checkPlace = (what, position, rotation) =>
  [checkVector(what, 'position', position), checkRotation(what, 'rotation', rotation)];

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
    Object.freeze(this);
  }

  #do(name, ...numbers) {
    this.#bridge.send(...numbers);
    this.#bridge.check(this.#bridge.call[name](this.#world, this.id));
  }

  #set(name, value) { this.#bridge.check(this.#bridge.call[name](this.#world, this.id, value)); }

  get #world() { return this.#handle.alive; }

  #motion(from, to) {
    this.#bridge.check(this.#bridge.call.body_get_motion(this.#world, this.id));
    return [...this.#bridge.mail.slice(from, to)];
  }

  get isValid() { return this.#bridge.call.body_is_valid(this.#world, this.id) !== 0; }
  destroy() { this.#do('body_destroy'); }

  get type() { return BODY_TYPES[this.#bridge.call.body_get_type(this.#world, this.id)]; }

  set type(value) {
    this.#set('body_set_type', indexOf('body', 'type', BODY_TYPES, value));
  }

  get position() { return this.#motion(0, 3); }
  get rotation() { return this.#motion(3, 7); }
  get center() { return this.#motion(7, 10); }
  get linearVelocity() { return this.#motion(10, 13); }
  set linearVelocity(value) { this.#do('body_set_linear_velocity', checkVector('body', 'linearVelocity', value)); }
  get angularVelocity() { return this.#motion(13, 16); }
  set angularVelocity(value) { this.#do('body_set_angular_velocity', checkVector('body', 'angularVelocity', value)); }
  get awake() { return this.#bridge.call.body_is_awake(this.#world, this.id) !== 0; }
  set awake(value) { this.#set('body_set_awake', Number(checkFlag('body', 'awake', value))); }

  get sleepSpeed() { return this.#bridge.call.body_get_sleep_speed(this.#world, this.id); }
  set sleepSpeed(value) { this.#set('body_set_sleep_speed', checkNumber('body', 'sleepSpeed', value)); }
  get maxLinearSpeed() { return this.#bridge.call.body_get_max_linear_speed(this.#world, this.id); }
  set maxLinearSpeed(value) { this.#set('body_set_max_linear_speed', checkNumber('body', 'maxLinearSpeed', value)); }
  get maxAngularSpeed() { return this.#bridge.call.body_get_max_angular_speed(this.#world, this.id); }
  set maxAngularSpeed(value) { this.#set('body_set_max_angular_speed', checkNumber('body', 'maxAngularSpeed', value)); }
  get continuous() { return this.#bridge.call.body_get_continuous(this.#world, this.id) !== 0; }
  set continuous(value) { this.#set('body_set_continuous', Number(checkFlag('body', 'continuous', value))); }

  setTransform(position, rotation = [0, 0, 0, 1]) {
    this.#do('body_set_transform', ...checkPlace('setTransform', position, rotation));
  }

  moveKinematic(position, rotation, seconds) {
    this.#bridge.send(...checkPlace('moveKinematic', position, rotation));
    this.#set('body_move_kinematic', checkNumber('moveKinematic', 'seconds', seconds));
  }

  applyForce(force, point) { this.#push('applyForce', 'body_apply_force', 'force', force, point); }
  applyImpulse(impulse, point) { this.#push('applyImpulse', 'body_apply_impulse', 'impulse', impulse, point); }

  #push(what, call, name, value, point) {
    checkVector(what, name, value);
    if (point === undefined) this.#do(call, value);
    else this.#do(`${call}_at`, value, checkVector(what, 'point', point));
  }

  applyTorque(torque) { this.#do('body_apply_torque', checkVector('applyTorque', 'torque', torque)); }
  applyAngularImpulse(impulse) { this.#do('body_apply_angular_impulse', checkVector('applyAngularImpulse', 'impulse', impulse)); }

  get mass() {
    this.#bridge.check(this.#bridge.call.body_get_mass(this.#world, this.id));
    const [mass, x, y, z, ...inertia] = this.#bridge.mail.slice(0, 10);
    return { mass, center: [x, y, z], inertia };
  }

  get push() {
    this.#bridge.check(this.#bridge.call.body_get_push(this.#world, this.id));
    const m = this.#bridge.mail;
    return { force: [m[0], m[1], m[2]], torque: [m[3], m[4], m[5]], pressure: m[6] };
  }

  // ---- paths

  setPath(options) {
    const { call } = this.#bridge;
    this.#bridge.check(sendPath(this.#bridge, 'setPath', options, (keys, count) => call.body_set_path(this.#world, this.id, keys, count)));
  }

  clearPath() { this.#do('body_clear_path'); }

  setPathSpeed(speed) { this.#set('body_set_path_speed', checkNumber('setPathSpeed', 'speed', speed)); }

  get pathState() {
    if (this.#bridge.call.body_has_path(this.#world, this.id) === 0) return null;
    this.#bridge.call.body_get_path_state(this.#world, this.id);
    const [time, direction, blocked, force, torque] = this.#bridge.mail;
    return { time, direction, blocked: blocked !== 0, force, torque };
  }

  // ---- what it collides with

  collidesWith(other) {
    return this.#bridge.call.body_get_collide(this.#world, this.id, idOf('collidesWith', 'other', other)) !== 0;
  }

  setCollidesWith(other, collide) {
    const what = 'setCollidesWith', id = idOf(what, 'other', other), on = checkFlag(what, 'collide', collide);
    this.#bridge.check(this.#bridge.call.body_set_collide(this.#world, this.id, id, Number(on)));
  }

  shapesCollide(shape, other) {
    const ids = shapeIds('shapesCollide', shape, other);
    return this.#bridge.call.shape_get_collide(this.#world, ...ids) !== 0;
  }

  setShapesCollide(shape, other, collide) {
    const what = 'setShapesCollide', ids = shapeIds(what, shape, other), on = checkFlag(what, 'collide', collide);
    this.#bridge.check(this.#bridge.call.shape_set_collide(this.#world, ...ids, Number(on)));
  }

  // ---- shapes

  addShape(options) {
    return this.#release((keep) => {
      const numbers = this.#mailShape('addShape', options, keep);
      return { id: this.#bridge.check(this.#bridge.call.shape_create(this.#world, this.id, ...numbers)) };
    });
  }

  addShapes(list) {
    const { call } = this.#bridge;
    if (checkList('addShapes', 'shapes', list).length === 0) return [];
    return this.#release((keep) => {
      const defs = keep(this.#bridge.given(call.shapes_begin(list.length), `${list.length} shapes`));
      list.forEach((options, i) => call.shapes_set(defs, i, ...this.#mailShape(`addShapes: shapes[${i}]`, options, keep)));
      const create = (address) => this.#bridge.check(call.shapes_create(this.#world, this.id, defs, list.length, address));
      return this.#bridge.ids(list.length, create).map((id) => ({ id }));
    });
  }

  /** Calls `use(keep)`, and releases afterwards what was kept. */
  #release(use) {
    const kept = [];
    try {
      return use((address) => (kept.push(address), address));
    } finally {
      for (const address of kept) this.#bridge.call.release(address);
    }
  }

  /** Writes a shape into the mail; answers its hull, form and materials. */
  #mailShape(what, options, keep) {
    const { type, numbers, made, rest } = takeGeometry(what, options);
    const { materials = [], scale = [1, 1, 1], ...numbered } = rest;
    checkVector(what, 'scale', scale);
    const form = addressOf(this.#bridge, what, type, made);
    const address = this.#mailMaterials(what, materials, keep);
    this.#bridge.call.shape_defaults();
    const at = this.#bridge.fill(what, SHAPE_FIELDS, numbered);
    this.#bridge.mail.set([...numbers, ...scale], at);
    return [type === 'hull' ? idOf(what, 'hull', made, 'a hull') : 0n, form, address, materials.length];
  }

  #mailMaterials(what, materials, keep) {
    if (checkList(what, 'materials', materials).length === 0) return 0;
    const { call } = this.#bridge;
    const address = keep(this.#bridge.given(call.materials_create(materials.length), `${materials.length} materials`));
    materials.forEach((material, i) => {
      call.material_defaults();
      this.#bridge.fill(`${what}: materials[${i}]`, MATERIAL_FIELDS, material);
      call.materials_set(address, i);
    });
    return address;
  }

  removeShape(shape) {
    this.#bridge.check(this.#bridge.call.shape_destroy(this.#world, idOf('removeShape', 'shape', shape, 'a shape')));
  }

  /**
   * The form of each shape, for drawing. Meshes, height fields and compounds are read once and then found again in `known`, which
   * may be handed to the next body as long as nothing is destroyed in between.
   */
  shapes(known = new Map()) {
    const { call } = this.#bridge;
    const count = call.body_get_shapes(this.#world, this.id, 0, 0);
    const ids = this.#bridge.ids(count, (address) => call.body_get_shapes(this.#world, this.id, address, count));
    return ids.map((id) => this.#form(id, known));
  }

  #form(id, known) {
    const { call } = this.#bridge;
    const hull = call.shape_get_form(this.#world, id);
    const form = readForm(this.#bridge, (type) => (type === 'hull' ? { hull, ...this.#hullForm(hull) }
      : readShared(this.#bridge, type, call.shape_get_shared(this.#world, id), known)));
    return { ...form, id };
  }

  #hullForm(hull) {
    const { call } = this.#bridge;
    const count = call.hull_get_face_count(this.#world, hull);
    return readHull(this.#bridge, (...room) => call.hull_get_vertices(this.#world, hull, ...room),
      (face, ...room) => (face < count ? call.hull_get_face(this.#world, hull, face, ...room) : 0));
  }
}
