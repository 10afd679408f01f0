// Holding a body with the mouse: a joint with bounded force pulls the point that was touched to the pointer.

const HERTZ = 4; // it follows the pointer within a fifth of a second
const MOST_ACCELERATION = 400; // m/s^2: enough to pull a stone out of a pile, not to throw it through a wall
const SPIN_DRAG = 4; // 1/s
const MOST_BODIES = 100; // that are counted as hanging on the one that is held

const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function rotate([x, y, z, w], v) {
  const t = cross([x, y, z], v).map((part) => 2 * part);
  const more = cross([x, y, z], t);
  return v.map((part, i) => part + w * t[i] + more[i]);
}

/** The mass of a body and of what hangs on it by joints: who lifts a hand lifts the man. */
function massWithJoints(world, body) {
  const known = new Map([[body.slot, body]]);
  let mass = 0;
  for (const each of known.values()) { // grows while it is walked
    mass += each.mass.mass;
    for (const { bodyA, bodyB } of world.jointsOf(each))
      for (const other of [bodyA, bodyB])
        if (other?.type === 'dynamic' && known.size < MOST_BODIES) known.set(other.slot, other);
  }
  return mass;
}

export class Grab {
  constructor(world, index, point) {
    this.body = world.bodyAt(index);
    const [x, y, z, w] = this.body.rotation;
    this.local = rotate([-x, -y, -z, w], subtract(point, this.body.position));
    this.joint = world.createJoint(this.#definition(massWithJoints(world, this.body), point));
    this.to = point;
  }

  // A motor's spring is made for the mass of its body; what hangs on it needs one so many times as strong.
  #definition(mass, point) {
    const { mass: own, inertia } = this.body.mass;
    const strength = Math.sqrt(mass / own);
    const pull = {
      motor: 'place', motorMaxForce: mass * MOST_ACCELERATION, motorHertz: HERTZ * strength, motorDampingRatio: strength,
    };
    const drag = { springDamping: SPIN_DRAG * Math.min(...inertia.slice(0, 3)) };
    const axes = { x: pull, y: pull, z: pull, twist: drag, swingY: drag, swingZ: drag };
    return { kind: 'frames', bodyB: this.body, positionA: point, positionB: this.local, axes, collide: true };
  }

  /** Where the point that is held is now. */
  get point() {
    const { position, rotation } = this.body;
    return rotate(rotation, this.local).map((part, i) => part + position[i]);
  }

  get target() { return this.to; }

  set target(to) {
    this.to = to;
    this.joint.setFrames({ positionA: to });
  }

  letGo() { this.joint.destroy(); }
}
