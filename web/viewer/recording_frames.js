// One decoded FRAM chunk of a recording: the numbers of its frames, and the differences from frame to frame.
// Recordings are little-endian, and so is every machine that runs a browser: typed arrays look at the bytes directly.
import { ByteReader } from './recording_bytes.js';

const CHUNK_HEADER = 8, FRAME_SCALARS = 40, BODY_FRAME = 20; // bytes

// Recordings do not say which bodies sleep. One that keeps its place for so many steps counts as asleep.
const QUIET_STEPS = 12;

/** How many frames a chunk of `size` bytes holds, or 0 when no whole number fits. */
export function framesInChunk(size, movingCount) {
  const frames = (size - CHUNK_HEADER) / (FRAME_SCALARS + BODY_FRAME * movingCount);
  return Number.isInteger(frames) && frames > 0 ? frames : 0;
}

export class FrameChunk {
  /**
   * @param {Uint8Array} content begins its own buffer
   * @param {{ first: number, frames: number }} expected
   */
  constructor(content, where, expected, movingCount) {
    this.reader = new ByteReader(content, where);
    this.first = expected.first;
    this.frames = expected.frames;
    this.movingCount = movingCount;
    this.words = new Int32Array(content.buffer);
    this.halfWords = new Int16Array(content.buffer);
    this.#check();
    this.quiet = this.#findQuiet();
  }

  get bytes() {
    return this.reader.bytes.length + this.quiet.length;
  }

  #frameStart(k) {
    return CHUNK_HEADER + k * (FRAME_SCALARS + BODY_FRAME * this.movingCount);
  }

  #check() {
    const { reader } = this;
    if (reader.u32() !== this.first)
      reader.refuse('a number of its first frame that does not follow', 0);
    if (reader.u32() !== this.frames)
      reader.refuse('a number of frames that does not fit its size', 4);
    for (let k = 0; k < this.frames; ++k)
      this.numbers(k);
  }

  /** What frame `k` of this chunk says besides transforms. */
  numbers(k) {
    const { reader } = this;
    reader.at = this.#frameStart(k);
    return {
      kineticEnergy: reader.f64(),
      penetration: reader.f64(),
      stepMs: reader.f64(),
      manifolds: reader.u32(),
      points: reader.u32(),
      awake: reader.u32(),
    };
  }

  /** Where the x differences of frame `k` begin in `words`; y and z follow. */
  positionsAt(k) {
    return (this.#frameStart(k) + FRAME_SCALARS) / 4;
  }

  /** Adds the differences of frame `k`. Columns of all x, then all y and so on; sums wrap around. */
  addPositions(k, sums) {
    const { words } = this, from = this.positionsAt(k);
    for (let i = 0; i < sums.length; ++i)
      sums[i] += words[from + i];
  }

  addRotations(k, sums) {
    const { halfWords } = this, from = 2 * (this.positionsAt(k) + 3 * this.movingCount);
    for (let i = 0; i < sums.length; ++i)
      sums[i] += halfWords[from + i];
  }

  /** Whether moving body `i` keeps its place around frame `k`. */
  isQuiet(k, i) {
    return this.quiet[k * this.movingCount + i] === 1;
  }

  #moved(k, i) {
    const { words, halfWords, movingCount } = this;
    const position = this.positionsAt(k), rotation = 2 * (position + 3 * movingCount);
    for (let c = 0; c < 3; ++c)
      if (words[position + c * movingCount + i] !== 0)
        return true;
    for (let c = 0; c < 4; ++c)
      if (halfWords[rotation + c * movingCount + i] !== 0)
        return true;
    return false;
  }

  #findQuiet() {
    const { frames, movingCount } = this;
    const quiet = new Uint8Array(frames * movingCount);
    const needed = Math.min(QUIET_STEPS, frames - 1);
    const lastMove = new Int32Array(movingCount); // the frame in which each body came to its place
    for (let k = 1; needed > 0 && k <= frames; ++k)
      for (let i = 0; i < movingCount; ++i) {
        if (k < frames && !this.#moved(k, i))
          continue;
        if (k - 1 - lastMove[i] >= needed)
          for (let f = lastMove[i]; f < k; ++f)
            quiet[f * movingCount + i] = 1;
        lastMove[i] = k;
      }
    return quiet;
  }
}
