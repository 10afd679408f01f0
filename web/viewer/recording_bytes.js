// Reads numbers from a recording and complains in sentences: every count is checked against the bytes that are there.

/** What is wrong with a recording, in one sentence for users. */
export class RecordingError extends Error {
  constructor(message) {
    super(message);
    this.name = 'RecordingError';
  }
}

/** Positions and sizes beyond this (metres) are damage, and would not fit the floats that are drawn. */
export const LARGEST_LENGTH = 1e9;

export class ByteReader {
  /**
   * @param {Uint8Array} bytes
   * @param {string} where names the piece in messages: "the scene in the chunk at byte 12"
   */
  constructor(bytes, where) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.where = where;
    this.at = 0;
  }

  get left() {
    return this.bytes.length - this.at;
  }

  /** @param {string} what is there that should not be: "an unknown shape type" */
  refuse(what, at = this.at) {
    throw new RecordingError(`The recording is damaged: ${this.where} has ${what} at byte ${at} of its content.`);
  }

  /** Skips `size` bytes and returns where they begin. */
  take(size) {
    if (size > this.left)
      this.refuse('too few bytes, the data ends');
    this.at += size;
    return this.at - size;
  }

  u32() {
    return this.view.getUint32(this.take(4), true);
  }

  f32() {
    return this.finite(this.view.getFloat32(this.take(4), true), 4);
  }

  f64() {
    return this.finite(this.view.getFloat64(this.take(8), true), 8);
  }

  finite(value, size) {
    if (!Number.isFinite(value))
      this.refuse('a number that is not finite', this.at - size);
    return value;
  }

  coordinate(read, size) {
    const value = read.call(this);
    if (Math.abs(value) > LARGEST_LENGTH)
      this.refuse('a coordinate out of range', this.at - size);
    return value;
  }

  /** @returns {number[]} */
  vec3() {
    return [this.coordinate(this.f32, 4), this.coordinate(this.f32, 4), this.coordinate(this.f32, 4)];
  }

  /** @returns {number[]} */
  position() {
    return [this.coordinate(this.f64, 8), this.coordinate(this.f64, 8), this.coordinate(this.f64, 8)];
  }

  /** A rotation, normalised. @returns {number[]} */
  quaternion() {
    const q = [this.f32(), this.f32(), this.f32(), this.f32()];
    const square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(Math.abs(square - 1) < 0.01))
      this.refuse('a rotation that is not a unit quaternion', this.at - 16);
    const scale = 1 / Math.sqrt(square);
    return q.map((part) => part * scale);
  }

  /** A size in metres: positive, or not negative. */
  length(what, mayBeZero = false) {
    const value = this.f32();
    if (!(value > 0 || (mayBeZero && value === 0)) || value > LARGEST_LENGTH)
      this.refuse(`${what} of ${value} m`, this.at - 4);
    return value;
  }

  /** At most 63 letters; unprintable ones become question marks. */
  text() {
    const length = this.u32();
    if (length > 63)
      this.refuse('a name longer than 63 letters', this.at - 4);
    const start = this.take(length);
    let text = '';
    for (let i = start; i < start + length; ++i)
      text += this.bytes[i] >= 32 && this.bytes[i] <= 126 ? String.fromCharCode(this.bytes[i]) : '?';
    return text;
  }

  /** A count of things that take at least `size` bytes each. */
  count(size, what) {
    const count = this.u32();
    if (count > this.left / size)
      this.refuse(`more ${what} (${count}) than it has bytes`, this.at - 4);
    return count;
  }

  end() {
    if (this.left > 0)
      this.refuse(`${this.left} bytes too many`);
  }
}
