// A joint of a world, and how the named joints are made.
import {
  FLAG, checkNames, checkNumber, checkObject, checkRotation, checkVector, idOf, indexOf, refuse, sizeOf,
} from './check.js';

const KINDS = ['frames', 'distance', 'pulley', 'gear', 'rack'];
const DOFS = ['x', 'y', 'z', 'twist', 'swingY', 'swingZ'];
const MOTORS = ['off', 'speed', 'place'];

const FRAME_FIELDS = [['positionA', 3], ['rotationA', 4], ['positionB', 3], ['rotationB', 4]];
const FIELDS = [
  ['kind', KINDS], ...FRAME_FIELDS, ['cone', FLAG], ['groundA', 3], ['groundB', 3], ['ratio', 1], ['collide', FLAG], ['breakForce', 1],
  ['breakTorque', 1],
];
const AXIS_FIELDS = [
  ['freedom', ['free', 'locked', 'limited']], ['lower', 1], ['upper', 1], ['hertz', 1], ['dampingRatio', 1], ['springStiffness', 1],
  ['springDamping', 1], ['springRest', 1], ['motor', MOTORS], ['motorTarget', 1], ['motorMaxForce', 1], ['motorHertz', 1],
  ['motorDampingRatio', 1], ['friction', 1],
];
const BALL_FIELDS = [
  ['motor', MOTORS], ['motorVelocity', 3], ['motorRotation', 4], ['motorMaxTorque', 1], ['motorHertz', 1], ['motorDampingRatio', 1],
  ['friction', 1],
];
const FIRST_AXIS = FIELDS.reduce((sum, [, kind]) => sum + sizeOf(kind), 0);
const axisAt = (dof) => FIRST_AXIS + dof * AXIS_FIELDS.length;
const BALL_AT = axisAt(DOFS.length);

// What each preset is made of, in the order in which web/wasm/bridge_joint.c takes it.
const ANCHOR = ['anchor', 3], AXIS = ['axis', 3], ANCHORS = [['anchorA', 3], ['anchorB', 3]];
const SPRING = [['stiffness', 1], ['damping', 1]], RATIO = ['ratio', 1];
const PRESETS = {
  ball: [ANCHOR],
  coneTwist: [ANCHOR, AXIS, ['swing', 1], ['twist', 1]],
  hinge: [ANCHOR, AXIS],
  slider: [ANCHOR, AXIS],
  cylindrical: [ANCHOR, AXIS],
  planar: [ANCHOR, ['normal', 3]],
  fixed: [ANCHOR],
  distance: ANCHORS,
  rope: [...ANCHORS, ['length', 1]],
  spring: [...ANCHORS, ...SPRING],
  wheel: [ANCHOR, ['up', 3], ['axle', 3], ...SPRING],
  motor: [['hertz', 1], ['maxForce', 1], ['maxTorque', 1]],
  gear: [['axisA', 3], ['axisB', 3], RATIO],
  rack: [AXIS, ['direction', 3], RATIO],
  pulley: [...ANCHORS, ['groundA', 3], ['groundB', 3], RATIO],
};
const PRESET_NAMES = Object.keys(PRESETS);
// What can be set of a joint whose frames a preset made.
const COMMON = ['cone', 'collide', 'breakForce', 'breakTorque'];

const dofIndex = (what, dof) => indexOf(what, 'dof', DOFS, dof);

function bodyId(what, name, body) {
  return body === undefined || body === null ? 0n : idOf(what, name, body); // the world
}

/** Fills the mail with the definition that a preset makes; answers the options that are left. */
function fillPreset(bridge, what, world, a, b, { type, ...options }) {
  const preset = indexOf(what, 'type', PRESET_NAMES, type);
  const own = PRESETS[type], names = own.map(([name]) => name);
  checkNames(what, options, [...names, ...COMMON]);
  for (const name of names)
    if (options[name] === undefined) refuse(`${what}: a ${type} needs ${name}`);
  const taken = Object.fromEntries(names.map((name) => [name, options[name]]));
  bridge.fill(what, own, taken);
  bridge.check(bridge.call.joint_preset(world, preset, a, b));
  return Object.fromEntries(COMMON.map((name) => [name, options[name]]));
}

export function createJoint(bridge, handle, options) {
  const what = 'createJoint';
  const { bodyA, bodyB, axes = {}, ball = {}, ...rest } = checkObject(what, 'options', options);
  const a = bodyId(what, 'bodyA', bodyA), b = bodyId(what, 'bodyB', bodyB);
  let left = rest;
  if (rest.type !== undefined) left = fillPreset(bridge, what, handle.alive, a, b, rest);
  else if (rest.kind !== undefined) bridge.call.joint_defaults();
  else refuse(`${what}: type must be one of: ${PRESET_NAMES.join(', ')}; or kind one of: ${KINDS.join(', ')}`);
  bridge.fill(what, FIELDS, left);
  checkNames(`${what}: axes`, axes, DOFS);
  for (const [name, axis] of Object.entries(axes))
    bridge.fill(`${what}: axes.${name}`, AXIS_FIELDS, axis, axisAt(DOFS.indexOf(name)));
  bridge.fill(`${what}: ball`, BALL_FIELDS, ball, BALL_AT);
  return bridge.check(bridge.call.joint_create(handle.alive, a, b));
}

const byDof = (numbers) => Object.fromEntries(DOFS.map((name, i) => [name, numbers[i]]));

export class Joint {
  #bridge;
  #handle;
  #bodyOf;

  /** bodyOf(id) makes the body for a packed id, null for the world. */
  constructor(world, handle, id, bodyOf) {
    this.#bridge = handle.bridge;
    this.#handle = handle;
    this.#bodyOf = bodyOf;
    this.world = world;
    this.id = id;
    /** Its number in the arrays of the world. */
    this.slot = Number(BigInt.asUintN(32, id)) - 1;
    Object.freeze(this);
  }

  #call(name, ...numbers) { return this.#bridge.call[name](this.#handle.alive, this.id, ...numbers); }
  #do(name, ...numbers) { this.#bridge.check(this.#call(name, ...numbers)); }

  get isValid() { return this.#call('joint_is_valid') !== 0; }
  destroy() { this.#do('joint_destroy'); }

  #body(side) {
    this.#do('joint_get_def');
    return this.#bodyOf(this.#call('joint_get_body', side));
  }

  get bodyA() { return this.#body(0); }
  get bodyB() { return this.#body(1); }

  get definition() {
    const { bodyA, bodyB } = this;
    this.#do('joint_get_def');
    const axes = Object.fromEntries(DOFS.map((name, i) => [name, this.#bridge.read(AXIS_FIELDS, axisAt(i))]));
    const ball = this.#bridge.read(BALL_FIELDS, BALL_AT);
    return { bodyA, bodyB, ...this.#bridge.read(FIELDS), axes, ball };
  }

  // ---- changing it

  setAxis(dof, options) {
    const index = dofIndex('setAxis', dof);
    this.#do('joint_get_axis', index);
    this.#bridge.fill('setAxis', AXIS_FIELDS, options);
    this.#do('joint_set_axis', index);
  }

  setMotor(dof, mode, ...targetAndForce) {
    const what = 'setMotor', which = [dofIndex(what, dof), indexOf(what, 'mode', MOTORS, mode)];
    const [target, maxForce] = mode === 'off' ? [0, 0] : targetAndForce;
    this.#do('joint_set_motor', ...which, checkNumber(what, 'target', target), checkNumber(what, 'maxForce', maxForce));
  }

  setLimits(dof, lower, upper) {
    const what = 'setLimits';
    this.#do('joint_set_limits', dofIndex(what, dof), checkNumber(what, 'lower', lower), checkNumber(what, 'upper', upper));
  }

  setBall(options) {
    this.#do('joint_get_ball');
    this.#bridge.fill('setBall', BALL_FIELDS, options);
    this.#do('joint_set_ball');
  }

  setTargetRotation(rotation) {
    this.setBall({ motor: 'place', motorRotation: checkRotation('setTargetRotation', 'rotation', rotation) });
  }

  setTargetVelocity(velocity) {
    this.setBall({ motor: 'speed', motorVelocity: checkVector('setTargetVelocity', 'velocity', velocity) });
  }

  setFrames(options) {
    this.#do('joint_get_def');
    this.#bridge.mail.copyWithin(0, 1, FIRST_AXIS); // the kind comes first
    this.#bridge.fill('setFrames', FRAME_FIELDS, options);
    this.#do('joint_set_frames');
  }

  setBreak(force, torque = Infinity) {
    const what = 'setBreak';
    this.#do('joint_set_break', checkNumber(what, 'force', force), checkNumber(what, 'torque', torque));
  }

  // ---- what it does

  place(dof) {
    this.#do('joint_get_motion', dofIndex('place', dof));
    return this.#bridge.mail[0];
  }

  speed(dof) {
    this.#do('joint_get_motion', dofIndex('speed', dof));
    return this.#bridge.mail[1];
  }

  get rotation() {
    this.#do('joint_get_rotation');
    return [...this.#bridge.mail.subarray(0, 4)];
  }

  get reaction() {
    this.#do('joint_get_reaction');
    const m = [...this.#bridge.mail.subarray(0, 24)];
    return {
      force: m.slice(0, 3), torque: m.slice(3, 6), point: m.slice(6, 9), axisForce: byDof(m.slice(9, 15)),
      motorForce: byDof(m.slice(15, 21)), motorTorque: m.slice(21, 24),
    };
  }

  get error() {
    this.#do('joint_get_error');
    const [linear, angular] = this.#bridge.mail;
    return { linear, angular };
  }
}
