// Ragdolls: a human body of bones and joints, and its poses.
import { FLAG, checkNames, checkNumber, checkObject, checkRotation, checkVector, indexOf, refuse } from './check.js';
import { FILTER_FIELDS, MATERIAL_FIELDS } from './body.js';

const ARM = ['UpperArm', 'Forearm', 'Hand'], LEG = ['Thigh', 'Shin', 'Foot'];
const limbs = (side) => [...ARM, ...LEG].map((name) => side + name);
export const BONES = ['pelvis', 'abdomen', 'chest', 'head', ...limbs('left'), ...limbs('right')];

const POSE_FIELDS = BONES.map((name) => [name, 4]);
const FIELDS = [
  ['position', 3], ['rotation', 4], ['velocity', 3], ['height', 1], ['mass', 1], ['jointFriction', 1], ['collideSelf', FLAG],
  ...MATERIAL_FIELDS, ...FILTER_FIELDS,
];

/** Fills the mail with a pose, beginning from rest; answers where it ends. */
function sendPose(bridge, what, pose) {
  bridge.call.pose_defaults();
  return bridge.fill(`${what}: pose`, POSE_FIELDS, pose);
}

export function createRagdoll(bridge, handle, given) {
  const what = 'createRagdoll';
  const { pose = {}, ...options } = checkObject(what, 'options', given);
  bridge.call.ragdoll_defaults();
  const at = bridge.fill(what, FIELDS, options);
  bridge.fill(`${what}: pose`, POSE_FIELDS, pose, at);
  const ids = bridge.ids(2 * BONES.length, (address) => bridge.check(bridge.call.ragdoll_create(handle.alive, address)));
  const [height, mass] = bridge.mail;
  return { ids, height, mass };
}

const frozenEntries = (entries) => Object.freeze(Object.fromEntries(entries));

export class Ragdoll {
  #bridge;
  #handle;
  #ids;

  /** bodyOf(id) and jointOf(id) make what a packed id stands for. */
  constructor(world, handle, { ids, height, mass }, bodyOf, jointOf) {
    this.#bridge = handle.bridge;
    this.#handle = handle;
    this.#ids = ids;
    this.world = world;
    this.height = height;
    this.mass = mass;
    this.bodies = frozenEntries(BONES.map((name, i) => [name, bodyOf(ids[i])]));
    this.joints = frozenEntries(BONES.map((name, i) => [name, i === 0 ? null : jointOf(ids[BONES.length + i])]));
    Object.freeze(this);
  }

  #call(name, ...numbers) {
    return this.#bridge.borrow(8 * this.#ids.length, (address) => {
      new BigUint64Array(this.#bridge.memory.buffer, address, this.#ids.length).set(this.#ids);
      return this.#bridge.call[name](this.#handle.alive, address, this.height, this.mass, ...numbers);
    });
  }

  #do(name, ...numbers) { this.#bridge.check(this.#call(name, ...numbers)); }

  destroy() { this.#do('ragdoll_destroy'); }

  get pose() {
    this.#call('ragdoll_get_pose');
    return this.#bridge.read(POSE_FIELDS);
  }

  setPose(pose, strength = 1, hertz = 0) {
    const what = 'setPose', how = [checkNumber(what, 'strength', strength), checkNumber(what, 'hertz', hertz)];
    sendPose(this.#bridge, what, pose);
    this.#do('ragdoll_set_pose', ...how);
  }

  relax() { this.#do('ragdoll_relax'); }

  setKinematic(bones) {
    if (typeof bones?.[Symbol.iterator] !== 'function') refuse('setKinematic: bones must be a list of names');
    let bits = 0;
    for (const name of bones) bits |= 1 << indexOf('setKinematic', 'bone', BONES, name);
    this.#do('ragdoll_set_kinematic', bits);
  }

  follow(place, pose, seconds) {
    const what = 'follow';
    checkNames(what, place, ['position', 'rotation']);
    const { position, rotation = [0, 0, 0, 1] } = place;
    checkVector(what, 'position', position);
    checkRotation(what, 'rotation', rotation);
    checkNumber(what, 'seconds', seconds);
    const at = sendPose(this.#bridge, what, pose);
    this.#bridge.mail.set([...position, ...rotation], at);
    this.#do('ragdoll_follow', seconds);
  }

  get limitError() { return this.#call('ragdoll_limit_error'); }
}
