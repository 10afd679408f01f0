// Holding a body with the mouse: a damped spring from the point that was touched to the pointer, and the weight taken off it.

const STIFFNESS = 12; // rad/s: the body follows the pointer within a fifth of a second
const MOST_ACCELERATION = 400; // m/s^2: enough to pull a stone out of a pile, not to throw it through a wall
const SPIN_DRAG = 4; // 1/s

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function rotate([x, y, z, w], v) {
  const t = scale(2, cross([x, y, z], v));
  return add(add(v, scale(w, t)), cross([x, y, z], t));
}

export class Grab {
  constructor(world, index, point) {
    this.world = world;
    this.body = world.bodyAt(index);
    const [x, y, z, w] = this.body.rotation;
    this.local = rotate([-x, -y, -z, w], subtract(point, this.body.position));
    this.target = point;
  }

  /** Where the point that is held is now. */
  get point() {
    return add(this.body.position, rotate(this.body.rotation, this.local));
  }

  /** Pulls during the next step. */
  pull(dt) {
    const { body, point } = this;
    const { mass } = body.mass;
    const spin = body.angularVelocity;
    const velocity = add(body.linearVelocity, cross(spin, subtract(point, body.center)));
    const spring = scale(STIFFNESS * STIFFNESS, subtract(this.target, point));
    let acceleration = subtract(subtract(spring, scale(2 * STIFFNESS, velocity)), this.world.gravity);
    const size = Math.hypot(...acceleration);
    if (size > MOST_ACCELERATION) acceleration = scale(MOST_ACCELERATION / size, acceleration);
    body.applyForce(scale(mass, acceleration), point);
    body.angularVelocity = scale(1 - SPIN_DRAG * dt, spin);
  }
}
