// What joints look like: lines from the middles of bodies to anchors, dots there, and axes and limits as arcs, cones and rails.
// All of it is made of points that are fixed to bodies, so that a table of joints is taken apart once and then only moved.
import { AT, KINDS, LIMITED, LOCKED, STRIDE } from '../joint_table.js';
import { placed, writeRotation } from './parts.js';

const X = 0, Y = 1, Z = 2, TWIST = 3, SWING_Y = 4, SWING_Z = 5;
const WORLD = -1;
const FULL_TURN = 2 * Math.PI;
const ARC_STEP = Math.PI / 16;
const CONE_CORNERS = 24;
const FAR = 1e6; // m: a limit beyond this is none
const MOST_MARKS = 200_000; // lines of axes and limits: joints that come later go without

/** Many lines or dots: their points on their bodies, and where these are now. */
class Pile {
  #bodies = []; // of each point
  #rows = []; // the joint of each line or dot
  #points = []; // on the bodies

  constructor(corners) {
    this.corners = corners; // points of each: 2 or 1
    this.values = new Float32Array(0);
    this.count = 0; // drawn now
  }

  get size() { return this.#rows.length; }

  /** corners: { body, point } each. */
  add(row, ...corners) {
    this.#rows.push(row);
    for (const { body, point } of corners) {
      this.#bodies.push(body);
      this.#points.push(...point);
    }
  }

  /** Packs what was added; nothing can be added from then on. */
  finish() {
    this.#rows = Int32Array.from(this.#rows);
    this.#bodies = Int32Array.from(this.#bodies);
    this.#points = Float64Array.from(this.#points);
    this.values = new Float32Array(this.#points.length);
  }

  /** Moves it to where the bodies are; leaves out joints that are not there, and those of bodies that are nowhere. */
  move(isThere, transforms, rotations) {
    let to = 0;
    for (let i = 0; i < this.#rows.length; i++)
      if (isThere[this.#rows[i]]) to = this.#write(i, to, transforms, rotations);
    this.count = to / (3 * this.corners);
  }

  #write(item, start, transforms, r) {
    const points = this.#points, values = this.values;
    let to = start;
    for (let k = this.corners * item; k < this.corners * (item + 1); k++, to += 3) {
      const body = this.#bodies[k], x = points[3 * k], y = points[3 * k + 1], z = points[3 * k + 2];
      if (body === WORLD) {
        values[to] = x, values[to + 1] = y, values[to + 2] = z;
        continue;
      }
      const at = 9 * body, from = 8 * body;
      if (!(transforms[from] - transforms[from] === 0)) return start;
      for (let c = 0; c < 3; c++) values[to + c] = transforms[from + c] + r[at + c] * x + r[at + 3 + c] * y + r[at + 6 + c] * z;
    }
    return to;
  }
}

/** A frame of a joint on its body. */
class Frame {
  constructor(numbers, at, body) {
    this.body = body;
    this.position = [...numbers.subarray(at, at + 3)];
    this.axes = new Float64Array(9);
    writeRotation(this.axes, ...numbers.subarray(at + 3, at + 7));
  }

  get origin() { return { body: this.body, point: this.position }; }

  /** The point at x, y, z along its axes. */
  at(x, y, z) { return { body: this.body, point: placed(this.axes, this.position, x, y, z) }; }

  /** The point at `along` on one of its axes, and `aside` on the next. */
  on(axis, along, aside = 0) {
    const place = [0, 0, 0];
    place[axis] = along;
    place[(axis + 1) % 3] = aside;
    return this.at(...place);
  }
}

/** Where the middle of a body is, in its own frame: that of its shapes. What stands still has none that would tell anything. */
function middleOf(body, bodies) {
  const { type, shapes } = bodies[body] ?? { type: 'static' };
  if (type === 'static' || shapes.length === 0) return null;
  return { body, point: [0, 1, 2].map((i) => shapes.reduce((sum, { position }) => sum + position[i], 0) / shapes.length) };
}

// ---- one joint

/** Adds the lines and dots of one joint to the piles. */
class JointSketch {
  constructor(piles, numbers, row, size) {
    this.piles = piles;
    this.row = row;
    this.numbers = numbers.subarray(STRIDE * row, STRIDE * (row + 1));
    this.kind = KINDS[this.numbers[AT.kind]];
    this.a = new Frame(this.numbers, AT.frameA, this.numbers[AT.a]);
    this.b = new Frame(this.numbers, AT.frameB, this.numbers[AT.b]);
    this.size = size;
  }

  link(from, to) { this.piles.links.add(this.row, from, to); }
  mark(from, to) { this.piles.marks.add(this.row, from, to); }
  dot(point) { this.piles.dots.add(this.row, point); }
  freedom(dof) { return this.numbers[AT.freedom + dof]; }

  /** Lower and upper limit, or null where there are none. */
  limits(dof) {
    const at = AT.limits + 2 * dof;
    return this.freedom(dof) === LIMITED ? [this.numbers[at], this.numbers[at + 1]] : null;
  }

  drawLinks(bodies) {
    for (const frame of [this.a, this.b]) {
      const middle = middleOf(frame.body, bodies);
      if (middle) this.link(middle, frame.origin);
      this.dot(frame.origin);
    }
    if (this.kind === 'pulley') this.drawRope();
    else this.link(this.a.origin, this.b.origin);
  }

  drawRope() {
    const [left, right] = [0, 3].map((i) => ({ body: WORLD, point: [...this.numbers.subarray(AT.ground + i, AT.ground + i + 3)] }));
    this.link(this.a.origin, left);
    this.link(left, right);
    this.link(right, this.b.origin);
    this.dot(left);
    this.dot(right);
  }

  drawMarks() {
    if (this.kind === 'gear' || this.kind === 'rack') for (const frame of [this.a, this.b]) this.drawAxis(frame);
    if (this.kind !== 'frames') return;
    const slides = [X, Y, Z].filter((dof) => this.freedom(dof) !== LOCKED);
    const isOpen = slides.length === 3 && slides.every((dof) => !this.limits(dof));
    if (isOpen) return; // goes anywhere
    for (const dof of slides) this.drawRail(dof);
    const swings = [SWING_Y, SWING_Z].map((dof) => this.freedom(dof));
    if (this.freedom(TWIST) !== LOCKED && swings.every((freedom) => freedom === LOCKED)) this.drawHinge();
    if (swings.every((freedom) => freedom === LIMITED)) this.drawCone();
  }

  drawAxis(frame) { this.mark(frame.on(X, -this.size), frame.on(X, this.size)); }

  // Where it slides, with a stop at each end.
  drawRail(axis) {
    const limits = this.limits(axis);
    const [low, high] = (limits ?? [-Infinity, Infinity]).map((end) => (Math.abs(end) < FAR ? end : Math.sign(end) * this.size));
    this.mark(this.a.on(axis, low), this.a.on(axis, high));
    if (limits) for (const end of [low, high]) this.mark(this.a.on(axis, end, -0.3 * this.size), this.a.on(axis, end, 0.3 * this.size));
  }

  // The axis; with limits, an arc between them and a hand that shows where b is.
  drawHinge() {
    this.drawAxis(this.b);
    const limits = this.limits(TWIST);
    if (!limits) return;
    const low = Math.max(limits[0], -FULL_TURN), high = Math.min(limits[1], FULL_TURN);
    const point = (angle) => this.a.at(0, this.size * Math.cos(angle), this.size * Math.sin(angle));
    const steps = Math.max(1, Math.ceil((high - low) / ARC_STEP - 1e-6));
    const corners = Array.from({ length: steps + 1 }, (_, i) => point(low + ((high - low) * i) / steps));
    for (let i = 0; i < steps; i++) this.mark(corners[i], corners[i + 1]);
    for (const end of [corners[0], corners[steps]]) this.mark(this.a.origin, end);
    this.link(this.b.origin, this.b.on(Y, this.size));
  }

  // Where the x axis of b can point, and where it points.
  drawCone() {
    const [lowY, highY] = this.limits(SWING_Y), [lowZ, highZ] = this.limits(SWING_Z);
    const isCone = this.numbers[AT.cone] !== 0;
    const around = isCone ? ellipse(Math.max(-lowY, highY), Math.max(-lowZ, highZ)) : rectangle(lowY, highY, lowZ, highZ);
    const corners = Array.from({ length: CONE_CORNERS }, (_, i) => this.swung(...around(i / CONE_CORNERS)));
    corners.forEach((corner, i) => {
      this.mark(corner, corners[(i + 1) % CONE_CORNERS]);
      if (i % (CONE_CORNERS / 4) === 0) this.mark(this.a.origin, corner);
    });
    this.link(this.b.origin, this.b.on(X, this.size));
  }

  /** The end of the x axis of a, turned by a rotation vector (0, y, z). */
  swung(y, z) {
    const angle = Math.hypot(y, z);
    const aside = angle > 0 ? (this.size * Math.sin(angle)) / angle : 0;
    return this.a.at(this.size * Math.cos(angle), aside * z, -aside * y);
  }
}

// Both go once around for `along` from 0 to 1.
const ellipse = (y, z) => (along) => [y * Math.cos(FULL_TURN * along), z * Math.sin(FULL_TURN * along)];

function rectangle(lowY, highY, lowZ, highZ) {
  const corners = [[lowY, lowZ], [highY, lowZ], [highY, highZ], [lowY, highZ]];
  return (along) => {
    const side = Math.floor(4 * along) % 4, part = 4 * along - Math.floor(4 * along);
    return [0, 1].map((i) => corners[side][i] + part * (corners[(side + 1) % 4][i] - corners[side][i]));
  };
}

// ---- all joints

export class JointLines {
  /** @param table of joints @param bodies with compounds taken apart @param {number} size of the marks, metres */
  constructor(table, bodies, size) {
    this.table = table;
    this.links = new Pile(2);
    this.marks = new Pile(2);
    this.dots = new Pile(1);
    for (let row = 0; row < table.count; row++) {
      const sketch = new JointSketch(this, table.numbers, row, size);
      sketch.drawLinks(bodies);
      if (this.marks.size < MOST_MARKS) sketch.drawMarks();
    }
    for (const pile of [this.links, this.marks, this.dots]) pile.finish();
    this.rotations = new Float64Array(9 * bodies.length);
  }

  /** Moves everything to where the bodies are in a frame. */
  move(frame, transforms) {
    const { table, rotations } = this;
    const turn = new Float64Array(9);
    for (let i = 0; 9 * i < rotations.length; i++) {
      const at = 8 * i + 4;
      writeRotation(turn, transforms[at], transforms[at + 1], transforms[at + 2], transforms[at + 3]);
      rotations.set(turn, 9 * i);
    }
    const isThere = Uint8Array.from(table.until, (until) => (frame < until ? 1 : 0));
    for (const pile of [this.links, this.marks, this.dots]) pile.move(isThere, transforms, rotations);
  }
}
