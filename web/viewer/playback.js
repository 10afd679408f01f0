// A recording that is played. Has the same shape as a live scene, without what only the engine knows.
import { describeJoint } from './joint_table.js';
import { shapeWords } from './numbers.js';
import { openRecording } from './recording.js';

export class PlaybackSource {
  constructor(bytes) {
    this.live = false;
    this.recording = openRecording(bytes);
    this.bodies = this.recording.bodies;
    this.joints = this.recording.joints;
    this.stepSeconds = this.recording.stepSeconds;
    this.scene = this.recording.scene;
    this.solver = this.recording.solver;
    this.firstFrame = 0;
    this.lastFrame = this.recording.frameCount - 1;
    this.seek(0);
  }

  get atEnd() { return this.shown === this.lastFrame; }
  get canAdvance() { return !this.atEnd; }

  advance() {
    if (!this.atEnd) this.seek(this.shown + 1);
  }

  seek(frame) {
    this.shown = Math.min(this.lastFrame, Math.max(0, frame));
    this.frame = this.recording.frame(this.shown);
  }

  takeHold() { return false; }

  get transforms() { return this.frame.transforms; }
  speeds() { return this.recording.speeds(this.shown); }
  islands() { return null; }
  contacts() { return null; }
  boxes() { return null; }

  measures() {
    const { kineticEnergy, penetration, stepMs, points, manifolds, awake } = this.frame;
    return { kineticEnergy, penetration, residual: NaN, stepMs, points, manifolds, awake };
  }

  bodyNumbers(index) {
    const body = this.bodies[index];
    if (!body) return null;
    const at = 8 * index;
    return {
      type: body.type,
      shapes: shapeWords(body),
      position: [...this.transforms.slice(at, at + 3)],
      speed: this.speeds()[index],
      awake: this.transforms[at + 3] === 1,
      joints: this.joints.of(index, this.shown).map((row) => ({ ...describeJoint(this.joints, row), other: this.joints.other(row, index) })),
    };
  }

  /** Series over the whole recording for the plots. */
  readSeries(onProgress) { return this.recording.readSeries(onProgress); }

  dispose() {}
}
