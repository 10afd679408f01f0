// Opens recordings (docs/recording.md) and plays them: any frame at any time, forward at the cost of the bodies alone.
import { RecordingError } from './recording_bytes.js';
import { RecordingFile } from './recording_file.js';
import { FrameChunk } from './recording_frames.js';

export { RecordingError };

const CACHE_BYTES = 128e6;
const BUSY_MS = 12; // the page gets a turn after so much work

export class Recording {
  #file;
  #chunks;
  #starts; // x, y, z of every body when the recording began
  #quantum;
  #moving; // indices of the bodies that are not static
  #cache = new Map(); // decoded chunks by index, the least recently used first
  #cachedBytes = 0;
  #damage = new Map(); // the sentences about damaged chunks, so that they are not unpacked again for every frame
  #cursor = { chunk: -1, k: -1 }; // the frame that the sums stand at
  #positions; // sums of differences: all x, all y, all z
  #rotations;
  #transforms;
  #speeds;

  /** @param {RecordingFile} file */
  constructor(file) {
    const { scene, solver, stepSeconds, gravity, bodies, starts, rotations, quantum } = file.scene;
    Object.assign(this, { scene, solver, stepSeconds, gravity, bodies, joints: file.joints, frameCount: file.frameCount, cutShort: file.cutShort });
    this.#file = file;
    this.#chunks = file.chunks;
    this.#starts = starts;
    this.#quantum = quantum;
    this.#moving = Uint32Array.from(file.moving);
    this.#positions = new Int32Array(3 * this.#moving.length);
    this.#rotations = new Int16Array(4 * this.#moving.length);
    this.#speeds = new Float32Array(bodies.length);
    this.#transforms = new Float32Array(8 * bodies.length);
    for (let i = 0; i < bodies.length; ++i) {
      this.#transforms.set(starts.subarray(3 * i, 3 * i + 3), 8 * i);
      this.#transforms.set(rotations.subarray(4 * i, 4 * i + 4), 8 * i + 4);
    }
  }

  /**
   * Frame `n`: 0 is the state before the first step. The transforms are the same array in every call. Recordings keep only the
   * number of bodies awake; which ones sleep is told from who keeps its place. Throws RecordingError when this part is damaged.
   */
  frame(n) {
    const { index, k } = this.#locate(n);
    const chunk = this.#chunk(index);
    const numbers = chunk.numbers(k);
    this.#seek(chunk, index, k);
    this.#writePositions();
    this.#writeRotations(n);
    this.#writeAwake(chunk, k, n, numbers.awake);
    return { transforms: this.#transforms, ...numbers };
  }

  /** Speed of each body in m/s, from how far it came in the step that led to frame `n`. The same array in every call. */
  speeds(n) {
    const { index, k } = this.#locate(n);
    const chunk = this.#chunk(index);
    const moving = this.#moving, m = moving.length, scale = this.#quantum / this.stepSeconds;
    const moves = this.#movesInto(chunk, index, k);
    for (let i = 0; i < m; ++i)
      this.#speeds[moving[i]] = moves ? scale * Math.hypot(moves[i], moves[m + i], moves[2 * m + i]) : 0;
    return this.#speeds;
  }

  /**
   * Reads the whole recording once for the plots, with pauses for the page. Frames in damaged chunks are NaN.
   * @param {(done: number) => boolean | void} [onProgress] gets 0 to 1; false stops, and the answer is null
   * @returns {Promise<{ time: Float64Array, kineticEnergy: Float64Array, penetration: Float64Array, stepMs: Float64Array } | null>}
   */
  async readSeries(onProgress = () => {}) {
    const count = this.frameCount;
    const time = Float64Array.from({ length: count }, (_, n) => n * this.stepSeconds);
    const [kineticEnergy, penetration, stepMs] = [0, 1, 2].map(() => new Float64Array(count).fill(NaN));
    let turnStart = performance.now();
    for (let index = 0; index < this.#chunks.length; ++index) {
      const chunk = this.#readableChunk(index);
      for (let k = 0; chunk && k < chunk.frames; ++k)
        ({ kineticEnergy: kineticEnergy[chunk.first + k], penetration: penetration[chunk.first + k],
          stepMs: stepMs[chunk.first + k] } = chunk.numbers(k));
      if (performance.now() - turnStart > BUSY_MS) {
        await new Promise((resume) => setTimeout(resume));
        turnStart = performance.now();
      }
      if (onProgress((index + 1) / this.#chunks.length) === false)
        return null;
    }
    return { time, kineticEnergy, penetration, stepMs };
  }

  #locate(n) {
    if (!Number.isInteger(n) || n < 0 || n >= this.frameCount)
      throw new RangeError(`There is no frame ${n}; the recording has frames 0 to ${this.frameCount - 1}.`);
    let low = 0, high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#chunks[middle].first <= n)
        low = middle;
      else
        high = middle - 1;
    }
    return { index: low, k: n - this.#chunks[low].first };
  }

  #chunk(index) {
    const known = this.#cache.get(index);
    if (known) {
      this.#cache.delete(index);
      this.#cache.set(index, known);
      return known;
    }
    if (this.#damage.has(index))
      throw this.#damage.get(index);
    const chunk = this.#unpackChunk(index);
    this.#makeRoom(chunk.bytes);
    this.#cache.set(index, chunk);
    this.#cachedBytes += chunk.bytes;
    return chunk;
  }

  #unpackChunk(index) {
    const place = this.#chunks[index];
    const where = `the frames in the chunk at byte ${place.offset}`;
    try {
      return new FrameChunk(this.#file.unpack(place), where, place, this.#moving.length);
    } catch (error) {
      if (error instanceof RecordingError)
        this.#damage.set(index, error);
      throw error;
    }
  }

  #makeRoom(bytes) {
    for (const [index, chunk] of this.#cache) {
      if (this.#cachedBytes + bytes <= CACHE_BYTES)
        return;
      this.#cache.delete(index);
      this.#cachedBytes -= chunk.bytes;
    }
  }

  /** The chunk, or null when it is damaged. */
  #readableChunk(index) {
    try {
      return this.#chunk(index);
    } catch (error) {
      if (!(error instanceof RecordingError))
        throw error;
      return null;
    }
  }

  #seek(chunk, index, k) {
    const cursor = this.#cursor;
    if (cursor.chunk !== index || cursor.k > k) {
      this.#positions.fill(0);
      this.#rotations.fill(0);
      Object.assign(cursor, { chunk: index, k: -1 });
    }
    while (cursor.k < k) {
      ++cursor.k;
      chunk.addPositions(cursor.k, this.#positions);
      chunk.addRotations(cursor.k, this.#rotations);
    }
  }

  #writePositions() {
    const moving = this.#moving, m = moving.length;
    const sums = this.#positions, starts = this.#starts, transforms = this.#transforms;
    for (let i = 0; i < m; ++i) {
      const body = moving[i];
      for (let c = 0; c < 3; ++c)
        transforms[8 * body + c] = starts[3 * body + c] + this.#quantum * sums[c * m + i];
    }
  }

  #writeRotations(n) {
    const moving = this.#moving, m = moving.length, sums = this.#rotations, transforms = this.#transforms;
    for (let i = 0; i < m; ++i) {
      const x = sums[i], y = sums[m + i], z = sums[2 * m + i], w = sums[3 * m + i];
      const length = Math.sqrt(x * x + y * y + z * z + w * w), at = 8 * moving[i] + 4;
      if (length === 0)
        throw new RecordingError(`The recording is damaged: body ${moving[i]} has no rotation in frame ${n}.`);
      transforms[at] = x / length;
      transforms[at + 1] = y / length;
      transforms[at + 2] = z / length;
      transforms[at + 3] = w / length;
    }
  }

  // Frame 0 comes before the first step and does not know who is awake: everything that can move.
  #writeAwake(chunk, k, n, awakeCount) {
    const moving = this.#moving, allAwake = n === 0 || awakeCount >= moving.length;
    for (let i = 0; i < moving.length; ++i)
      this.#transforms[8 * moving[i] + 3] = allAwake || (awakeCount > 0 && !chunk.isQuiet(k, i)) ? 1 : 0;
  }

  /** How far each moving body came on its way to frame `k` of a chunk, in quanta; from it where the way to it is unknown. */
  #movesInto(chunk, index, k) {
    const differences = (j) => chunk.words.subarray(chunk.positionsAt(j), chunk.positionsAt(j) + this.#positions.length);
    if (k > 0)
      return differences(k);
    const before = index > 0 ? this.#readableChunk(index - 1) : null;
    if (before) {
      const last = this.#lastPositions(before);
      return differences(0).map((here, i) => here - last[i]);
    }
    return chunk.frames > 1 ? differences(1) : null;
  }

  #lastPositions(chunk) {
    const sums = new Int32Array(this.#positions.length);
    for (let k = 0; k < chunk.frames; ++k)
      chunk.addPositions(k, sums);
    return sums;
  }
}

/**
 * @param {Uint8Array | ArrayBuffer} input the whole file
 * @returns {Recording} Throws RecordingError.
 */
export function openRecording(input) {
  return new Recording(new RecordingFile(input instanceof ArrayBuffer ? new Uint8Array(input) : input));
}
