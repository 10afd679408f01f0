// A world: what is simulated together. Arrays such as `transforms` are views on the engine's own memory.
import { Body } from './body.js';
import {
  FLAG, INTEGER, CairnError, checkFlag, checkInteger, checkList, checkNumber, checkNumbers, checkObject, checkText, checkVector, idOf,
  refuse, sizeOf,
} from './check.js';
import { Joint, createJoint } from './joint.js';
import { Queries } from './query.js';
import { Ragdoll, createRagdoll } from './ragdoll.js';

const WORLD_FIELDS = [
  ['gravity', 3], ['substeps', INTEGER], ['iterations', INTEGER], ['earlyExit', 1], ['frictionModel', ['patch', 'cone']], ['contactStiffness', 1],
  ['contactDampingRatio', 1], ['pushSpeed', 1], ['jointSpeed', 1], ['projection', 1], ['positionCorrection', ['project', 'nudge']],
  ['jointSolve', ['auto', 'sweep', 'direct']],
  ['restitutionSpeed', 1], ['hitSpeed', 1], ['sleeping', FLAG], ['sleepSpeed', 1], ['sleepTime', 1], ['measure', FLAG],
  ['tolerance', 1], ['effort', INTEGER],
];
const CAPACITY_FIELDS = ['bodies', 'shapes', 'contacts', 'joints'].map((name) => [name, INTEGER]);
const CAPACITY_AT = WORLD_FIELDS.reduce((sum, [, kind]) => sum + sizeOf(kind), 0);
const BODY_FIELDS = [
  ['type', ['static', 'kinematic', 'dynamic']], ['position', 3], ['rotation', 4], ['linearVelocity', 3], ['angularVelocity', 3], ['linearDamping', 1],
  ['angularDamping', 1], ['gravityScale', 1], ['locks', INTEGER], ['canSleep', FLAG], ['awake', FLAG],
  ['continuous', FLAG], ['sleepSpeed', 1], ['maxLinearSpeed', 1], ['maxAngularSpeed', 1],
];
const REPORT_FIELDS = [
  'step', 'bodies', 'awakeBodies', 'islands', 'sleepingIslands', 'pairs', 'manifolds', 'points', 'joints', 'direct',
  'colors', 'substeps', 'iterations', 'maxSubsteps', 'maxPenetration', 'stepMs', 'residual', 'worstResidual', 'handedOver', 'missed',
  'lost', 'lostBody',
];
const STAGES = ['pairs', 'collide', 'islands', 'solve', 'store', 'sleep'];

const TRANSFORM_STRIDE = 8;
const VELOCITY_STRIDE = 8;
const CONTACT_STRIDE = 16;
const BOX_STRIDE = 6;
const JOINT_STRIDE = 44;

function open(bridge, what, defaults, options, create) {
  const { solver, capacity = {}, ...rest } = checkObject(what, 'options', options);
  defaults();
  bridge.fill(what, WORLD_FIELDS, rest);
  bridge.fill(`${what}: capacity`, CAPACITY_FIELDS, capacity, CAPACITY_AT);
  if (solver !== undefined) bridge.sendText(checkText(what, 'solver', solver));
  const address = create();
  if (address === 0) throw new CairnError(bridge.text(bridge.call.last_scene_error()));
  return new World(bridge, address);
}

export function createWorld(bridge, options) {
  return open(bridge, 'createWorld', bridge.call.world_defaults, options, bridge.call.world_create);
}

export function createSceneWorld(bridge, index, options) {
  return open(bridge, 'createScene', bridge.call.scene_defaults, options, () => bridge.call.scene_create(index));
}

// The engine's side of a world, shared with its bodies, so that none of them uses one that is gone.
class Handle {
  constructor(bridge, address) {
    this.bridge = bridge;
    this.address = address;
  }

  get alive() {
    if (this.address === 0) throw new CairnError('this world has been destroyed');
    return this.address;
  }

  destroy() {
    this.bridge.call.world_destroy(this.alive);
    this.address = 0;
  }
}

// Worlds that are not destroyed by hand are when nothing refers to them any more; bodies refer to theirs.
const forgotten = new FinalizationRegistry((handle) => {
  if (handle.bridge.stopped === null) handle.destroy();
});

class World {
  #bridge;
  #handle;
  #queries;

  constructor(bridge, address) {
    this.#bridge = bridge;
    this.#handle = new Handle(bridge, address);
    this.#queries = new Queries(bridge, this.#handle, (id) => this.#body(id));
    forgotten.register(this, this.#handle, this);
    Object.freeze(this);
  }

  get #alive() { return this.#handle.alive; }

  destroy() {
    this.#handle.destroy();
    forgotten.unregister(this);
  }

  // ---- what is in it

  createBody(options = {}) {
    const { shapes = [], ...rest } = checkObject('createBody', 'options', options);
    checkList('createBody', 'shapes', shapes);
    this.#bridge.call.body_defaults();
    this.#bridge.fill('createBody', BODY_FIELDS, rest);
    const id = this.#bridge.check(this.#bridge.call.body_create(this.#alive));
    const body = new Body(this, this.#handle, id);
    try {
      if (shapes.length > 0) body.addShapes(shapes);
    } catch (error) {
      body.destroy();
      throw error;
    }
    return body;
  }

  /** A convex hull around points (three numbers each), to be used by any number of shapes. */
  createHull(points) {
    if (checkNumbers('createHull', 'points', points).length % 3 !== 0) refuse('createHull: points must hold three numbers for each point');
    const id = this.#bridge.borrow(4 * points.length, (address) => {
      this.#bridge.floats(address, points.length).set(points);
      return this.#bridge.call.hull_create(this.#alive, address, points.length / 3);
    });
    return { id: this.#bridge.check(id) };
  }

  destroyHull(hull) {
    this.#bridge.check(this.#bridge.call.hull_destroy(this.#alive, idOf('destroyHull', 'hull', hull, 'a hull')));
  }

  get bodyCount() { return this.#bridge.call.world_body_count(this.#alive); }
  get slotCount() { return this.#bridge.call.world_slot_count(this.#alive); }

  bodyAt(slot) { return this.#body(this.#bridge.call.world_body_at(this.#alive, checkInteger('bodyAt', 'slot', slot))); }

  bodies() {
    const all = [];
    for (let slot = 0; slot < this.slotCount; slot++) {
      const body = this.bodyAt(slot);
      if (body) all.push(body);
    }
    return all;
  }

  // ---- joints

  createJoint(options) { return this.#joint(createJoint(this.#bridge, this.#handle, options)); }

  createRagdoll(options = {}) {
    const made = createRagdoll(this.#bridge, this.#handle, options);
    return new Ragdoll(this, this.#handle, made, (id) => this.#body(id), (id) => this.#joint(id));
  }

  // 0 is the world
  #body(id) { return id === 0n ? null : new Body(this, this.#handle, id); }
  #joint(id) { return new Joint(this, this.#handle, id, (body) => this.#body(body)); }

  get jointCount() { return this.#bridge.call.world_joint_count(this.#alive); }

  joints() {
    const count = this.jointCount;
    return this.#bridge.ids(count, (address) => this.#bridge.call.world_get_joints(this.#alive, address, count)).map((id) => this.#joint(id));
  }

  jointsOf(body) {
    const { call } = this.#bridge, of = idOf('jointsOf', 'body', body);
    const count = call.body_get_joints(this.#alive, of, 0, 0);
    return this.#bridge.ids(count, (address) => call.body_get_joints(this.#alive, of, address, count)).map((id) => this.#joint(id));
  }

  /** Joints that broke in the last step. */
  get jointEvents() {
    return this.#events('world_joint_events', 3, 2, ([joint, bodyA, bodyB], [force, torque]) => (
      { joint: this.#joint(joint), bodyA: this.#body(bodyA), bodyB: this.#body(bodyB), force, torque }));
  }

  /** Bodies that were stopped on their paths in the last step, or got on. */
  get pathEvents() {
    return this.#events('world_path_events', 1, 3, ([body], [blocked, force, torque]) => (
      { body: this.#body(body), blocked: blocked !== 0, force, torque }));
  }

  /** Events of so many ids and so many numbers each. */
  #events(name, idCount, numberCount, make) {
    const call = this.#bridge.call[name];
    const count = call(this.#alive, 0, 0, 0);
    if (count === 0) return [];
    return this.#bridge.borrow(8 * count * (idCount + numberCount), (address) => {
      const behind = address + 8 * count * idCount;
      call(this.#alive, address, behind, count);
      const { buffer } = this.#bridge.memory;
      const ids = new BigUint64Array(buffer, address, count * idCount), numbers = new Float64Array(buffer, behind, count * numberCount);
      return Array.from({ length: count }, (_, i) => make(
        ids.subarray(idCount * i, idCount * (i + 1)), numbers.subarray(numberCount * i, numberCount * (i + 1))));
    });
  }

  // ---- questions about space

  castRay(...asked) { return this.#queries.castRay(...asked); }
  castRayAll(...asked) { return this.#queries.castRayAll(...asked); }
  castRays(...asked) { return this.#queries.castRays(...asked); }
  castShape(...asked) { return this.#queries.castShape(...asked); }
  castShapeAll(...asked) { return this.#queries.castShapeAll(...asked); }
  overlapShape(...asked) { return this.#queries.overlapShape(...asked); }
  overlapBox(...asked) { return this.#queries.overlapBox(...asked); }
  closestPoint(...asked) { return this.#queries.closestPoint(...asked); }
  closest(...asked) { return this.#queries.closest(...asked); }

  // ---- sensors

  /** What overlaps a sensor since the last step. */
  overlapsOf(sensor) {
    const { call } = this.#bridge, of = idOf('overlapsOf', 'sensor', sensor, 'a shape');
    const count = call.shape_get_overlaps(this.#alive, of, 0, 0);
    return this.#bridge.ids(count, (address) => call.shape_get_overlaps(this.#alive, of, address, count)).map((id) => ({ id }));
  }

  /** What began and ended to overlap sensors in the last step. */
  get sensorEvents() {
    return { begin: this.#sensorEvents(0), end: this.#sensorEvents(1) };
  }

  #sensorEvents(ended) {
    const { call } = this.#bridge;
    const count = call.world_sensor_events(this.#alive, ended, 0, 0);
    const ids = this.#bridge.ids(2 * count, (address) => call.world_sensor_events(this.#alive, ended, address, count));
    return Array.from({ length: count }, (_, i) => ({ sensor: { id: ids[2 * i] }, visitor: { id: ids[2 * i + 1] } }));
  }

  // ---- time

  step(dt = 1 / 60) {
    this.#bridge.check(this.#bridge.call.world_step(this.#alive, checkNumber('step', 'dt', dt)));
    const mail = this.#bridge.mail;
    const report = {};
    REPORT_FIELDS.forEach((name, i) => { report[name] = mail[i]; });
    report.stageMs = {};
    STAGES.forEach((name, i) => { report.stageMs[name] = mail[REPORT_FIELDS.length + i]; });
    return report;
  }

  // ---- what can be seen of it, without copying

  get transforms() {
    return this.#bridge.floats(this.#bridge.call.world_transforms(this.#alive), TRANSFORM_STRIDE * this.slotCount);
  }

  get velocities() {
    return this.#bridge.floats(this.#bridge.call.world_velocities(this.#alive), VELOCITY_STRIDE * this.slotCount);
  }

  get contacts() {
    const count = this.#bridge.call.world_gather_contacts(this.#alive);
    return this.#bridge.floats(this.#bridge.call.world_contact_points(this.#alive), CONTACT_STRIDE * count);
  }

  get boxes() {
    const count = this.#bridge.call.world_gather_boxes(this.#alive);
    return this.#bridge.floats(this.#bridge.call.world_boxes(this.#alive), BOX_STRIDE * count);
  }

  get jointFrames() {
    const count = this.#bridge.call.world_gather_joints(this.#alive);
    return this.#bridge.floats(this.#bridge.call.world_joint_list(this.#alive), JOINT_STRIDE * count);
  }

  get islands() {
    return this.#bridge.integers(this.#bridge.call.world_islands(this.#alive), this.slotCount);
  }

  // ---- what can be measured and set

  hash() { return BigInt.asUintN(64, this.#bridge.call.world_hash(this.#alive)).toString(16).padStart(16, '0'); }

  energy() {
    this.#bridge.call.world_energy(this.#alive);
    const m = this.#bridge.mail;
    return {
      kinetic: m[0], potential: m[1], mass: m[2], linearMomentum: [m[3], m[4], m[5]], angularMomentum: [m[6], m[7], m[8]],
    };
  }

  get maxPenetration() { return this.#bridge.call.world_max_penetration(this.#alive); }

  get gravity() {
    this.#bridge.call.world_get_gravity(this.#alive);
    return [...this.#bridge.mail.slice(0, 3)];
  }

  set gravity(value) {
    this.#bridge.send(checkVector('world', 'gravity', value));
    this.#bridge.check(this.#bridge.call.world_set_gravity(this.#alive));
  }

  get measure() { return this.#bridge.call.world_get_measure(this.#alive) !== 0; }
  set measure(value) { this.#bridge.check(this.#bridge.call.world_set_measure(this.#alive, Number(checkFlag('world', 'measure', value)))); }
  get tolerance() { return this.#bridge.call.world_get_tolerance(this.#alive); }
  set tolerance(value) { this.#bridge.check(this.#bridge.call.world_set_tolerance(this.#alive, checkNumber('world', 'tolerance', value))); }
  get sleeping() { return this.#bridge.call.world_get_sleeping(this.#alive) !== 0; }
  set sleeping(value) { this.#bridge.check(this.#bridge.call.world_set_sleeping(this.#alive, Number(checkFlag('world', 'sleeping', value)))); }

  get solver() { return this.#bridge.text(this.#bridge.call.world_get_solver(this.#alive)); }

  set solver(name) {
    this.#bridge.sendText(checkText('world', 'solver', name));
    this.#bridge.check(this.#bridge.call.world_set_solver(this.#alive));
  }
}
