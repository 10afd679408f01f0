// Reads the JNTS chunk of a recording: which bodies were tied to each other, and how.
import { FOREVER, JointTable, KINDS, STRIDE } from './joint_table.js';
import { ByteReader } from './recording_bytes.js';

const JOINT_BYTES = 220;
const WORLD = 0xffffffff;
const MOST_JOINTS = 200_000;
const DOF_COUNT = 6, FREEDOM_COUNT = 3;

class JointReader extends ByteReader {
  /** A number below `count`, or one that stands for something else. */
  index(count, special, what) {
    const value = this.u32();
    if (value >= count && value !== special)
      this.refuse(`${what} ${value}`, this.at - 4);
    return value;
  }

  body(count) {
    const body = this.index(count, WORLD, 'a joint of an unknown body');
    return body === WORLD ? -1 : body;
  }

  limit() {
    return this.coordinate(this.f32, 4);
  }

  /** The first frame without the joint: there is none before frame 1. */
  until(frameCount) {
    const frame = this.index(frameCount, FOREVER, 'a joint that ends in frame');
    if (frame === 0)
      this.refuse('a joint that ends in frame 0', this.at - 4);
    return frame;
  }

  /** The numbers of a joint, in the order of the table. */
  joint(row, bodyCount) {
    const kind = this.index(KINDS.length, undefined, 'a joint of unknown kind');
    const a = this.body(bodyCount), b = this.body(bodyCount);
    const frames = [this.position(), this.quaternion(), this.position(), this.quaternion()].flat();
    const freedoms = [], limits = [];
    for (let dof = 0; dof < DOF_COUNT; ++dof) {
      freedoms.push(this.index(FREEDOM_COUNT, undefined, 'an unknown freedom'));
      limits.push(this.limit(), this.limit());
    }
    const cone = this.index(2, undefined, 'an unknown mark of cones,');
    return [row, a, b, kind, cone, ...frames, ...freedoms, ...limits, ...this.position(), ...this.position(), 0];
  }
}

/**
 * @param {Uint8Array} content
 * @param {string} where
 * @param {{ bodies: number, frames: number }} counts of the recording
 * @returns {JointTable}
 */
export function readJoints(content, where, { bodies, frames }) {
  const reader = new JointReader(content, where);
  const count = reader.count(JOINT_BYTES, 'joints');
  if (count === 0 || count > MOST_JOINTS)
    reader.refuse(count === 0 ? 'no joints' : `more joints than this viewer can show (${MOST_JOINTS})`, 0);
  const numbers = new Float32Array(STRIDE * count), until = new Uint32Array(count);
  for (let i = 0; i < count; ++i) {
    until[i] = reader.until(frames);
    numbers.set(reader.joint(i, bodies), STRIDE * i);
  }
  reader.end();
  return new JointTable(numbers, until);
}
