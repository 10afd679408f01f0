// A scene that runs in the page. It keeps what it showed, so that one can look back; new steps are made at the end only.
import { Grab } from './grab.js';
import { JointTable, describeJoint } from './joint_table.js';
import { shapeWords } from './numbers.js';

const STEP_SECONDS = 1 / 60;
const HISTORY_BYTES = 96e6;
const MOST_PLACES = 2; // of a joint with more degrees of freedom than that, none is told
const BALL_DENSITY = 800; // kg/m^3: eight times that of the scenes' bodies

// A body as the stage wants it. What bodies share is one object in `known`.
const describe = (body, known) => ({ type: body.type, shapes: body.shapes(known) });

export class LiveSource {
  /** @param engine a loaded Cairn @param {string} scene @param options of the world, such as solver */
  constructor(engine, scene, options) {
    this.live = true;
    this.stepSeconds = STEP_SECONDS;
    this.scene = scene;
    this.options = options;
    this.world = engine.createScene(scene, { measure: true, ...options });
    const known = new Map();
    this.bodies = this.world.bodies().map((body) => describe(body, known));
    this.joints = new JointTable(this.world.jointFrames);
    this.grab = null;
    this.report = null;
    this.energy = this.world.energy();
    this.history = [this.world.transforms.slice()];
    this.firstKept = 0;
    this.shown = 0;
  }

  get solver() { return this.world.solver; }
  get lastFrame() { return this.firstKept + this.history.length - 1; }
  get firstFrame() { return this.firstKept; }
  get atEnd() { return this.shown === this.lastFrame; }
  get canAdvance() { return true; }

  // ---- time

  /** One frame on: through what was kept, then by a step of the engine. */
  advance() {
    if (this.atEnd) this.#step();
    this.shown++;
  }

  #step() {
    this.report = this.world.step(STEP_SECONDS);
    this.energy = this.world.energy();
    for (const { joint } of this.world.jointEvents) this.joints.end(joint.slot, this.lastFrame + 1);
    this.history.push(this.world.transforms.slice());
    const most = Math.max(2, Math.floor(HISTORY_BYTES / this.history.at(-1).byteLength));
    while (this.history.length > most) {
      this.history.shift();
      this.firstKept++;
    }
  }

  seek(frame) {
    this.shown = Math.min(this.lastFrame, Math.max(this.firstKept, frame));
  }

  // ---- what the user does to it

  /** Returns the body as the stage wants it. */
  shoot({ position, velocity, radius }) {
    const shapes = [{ type: 'sphere', radius, density: BALL_DENSITY, friction: 0.6 }];
    const ball = this.world.createBody({ type: 'dynamic', position, linearVelocity: velocity, shapes });
    const body = describe(ball);
    this.bodies.push(body);
    this.history[this.history.length - 1] = this.world.transforms.slice();
    return body;
  }

  /** Takes hold of a body where it was touched; false when it does not move. */
  takeHold(index, point) {
    if (this.bodies[index]?.type !== 'dynamic' || !this.atEnd) return false;
    this.letGo();
    this.grab = new Grab(this.world, index, point);
    return true;
  }

  dragTo(target) {
    if (this.grab) this.grab.target = target;
  }

  letGo() {
    this.grab?.letGo();
    this.grab = null;
  }

  set tolerance(value) { this.world.tolerance = value; }
  get tolerance() { return Number(this.world.tolerance.toPrecision(6)); } // it is a float there
  set sleeping(on) { this.world.sleeping = on; }
  get sleeping() { return this.world.sleeping; }

  // ---- what there is to see

  /** Bodies that came later are nowhere yet. */
  get transforms() {
    const kept = this.history[this.shown - this.firstKept];
    if (kept.length === 8 * this.bodies.length) return kept;
    const all = new Float32Array(8 * this.bodies.length).fill(NaN);
    all.set(kept);
    return all;
  }

  speeds() {
    const now = this.transforms;
    const before = this.history[Math.max(0, this.shown - this.firstKept - 1)];
    const speeds = new Float32Array(now.length / 8);
    for (let i = 0; 8 * i < before.length; i++) { // of the bodies that were there already
      const at = 8 * i;
      speeds[i] = Math.hypot(now[at] - before[at], now[at + 1] - before[at + 1], now[at + 2] - before[at + 2]) / STEP_SECONDS;
    }
    return speeds;
  }

  islands() { return this.world.islands; }
  contacts() { return this.atEnd ? this.world.contacts : null; }
  boxes() { return this.atEnd ? this.world.boxes : null; }

  /** What the plots and the panel show of the newest step. */
  measures() {
    return {
      kineticPerKg: this.energy.mass > 0 ? this.energy.kinetic / this.energy.mass : 0,
      penetration: this.report?.maxPenetration ?? NaN,
      residual: this.report?.residual ?? NaN,
      stepMs: this.report?.stepMs ?? NaN,
      points: this.report?.points ?? 0,
      manifolds: this.report?.manifolds ?? 0,
      joints: this.report?.joints,
      direct: this.report?.direct,
      awake: this.report?.awakeBodies ?? NaN,
      islands: this.report?.islands,
      sleepingIslands: this.report?.sleepingIslands,
      colors: this.report?.colors,
      substeps: this.report?.maxSubsteps,
      handedOver: this.tolerance > 0 ? this.report?.handedOver : undefined,
      missed: this.tolerance > 0 ? this.report?.missed : undefined,
    };
  }

  /** The numbers of one body. */
  bodyNumbers(index) {
    const body = this.world.bodyAt(index);
    if (!body) return null;
    const contacts = this.world.contacts;
    let touching = 0;
    let pressed = 0;
    for (let i = 0; i < contacts.length; i += 16) {
      if (contacts[i + 8] !== index && contacts[i + 9] !== index) continue;
      touching++;
      pressed += contacts[i + 6];
    }
    return {
      type: body.type,
      shapes: shapeWords(this.bodies[index]),
      mass: body.type === 'dynamic' ? body.mass.mass : null,
      position: body.position,
      velocity: body.linearVelocity,
      spin: body.angularVelocity,
      awake: body.awake,
      island: this.world.islands[index],
      touching,
      pressed: pressed / STEP_SECONDS,
      joints: this.#jointNumbers(body),
    };
  }

  // The joint by which the body is held is not told of.
  #jointNumbers(body) {
    const known = this.world.jointsOf(body).filter(({ slot, id }) => this.joints.rows.has(slot) && id !== this.grab?.joint.id);
    return known.map((joint) => {
      const row = this.joints.rows.get(joint.slot);
      const { word, left } = describeJoint(this.joints, row);
      const places = left.length <= MOST_PLACES ? left.map((dof) => ({ dof, value: joint.place(dof) })) : [];
      return { word, other: this.joints.other(row, body.slot), places, force: Math.hypot(...joint.reaction.force) };
    });
  }

  dispose() { this.world.destroy(); }
}
