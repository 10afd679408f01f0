// Joints as the viewer keeps them, of live scenes and of recordings: 44 numbers each, as the engine gives them (jointFrames in
// cairn.d.ts), and the first frame without each.

export const STRIDE = 44;
/** Where the numbers of a joint are. */
export const AT = { index: 0, a: 1, b: 2, kind: 3, cone: 4, frameA: 5, frameB: 12, freedom: 19, limits: 25, ground: 37 };
export const KINDS = ['frames', 'distance', 'pulley', 'gear', 'rack'];
export const DOFS = ['x', 'y', 'z', 'twist', 'swingY', 'swingZ'];
export const LOCKED = 1, LIMITED = 2; // 0 is free
export const FOREVER = 0xffffffff;

export class JointTable {
  /** @param {Float32Array} numbers copied, for the engine's own array changes @param {Uint32Array} [until] */
  constructor(numbers, until = new Uint32Array(numbers.length / STRIDE).fill(FOREVER)) {
    this.numbers = numbers.slice();
    this.until = until;
    this.rows = new Map(); // by the index that the engine gives a joint
    for (let i = 0; i < this.count; i++) this.rows.set(numbers[STRIDE * i], i);
  }

  get count() { return this.until.length; }

  isThere(row, frame) { return frame < this.until[row]; }

  /** The joint with that index is gone from a frame on. */
  end(index, frame) {
    const row = this.rows.get(index);
    if (row !== undefined && this.until[row] === FOREVER) this.until[row] = frame;
  }

  /** The rows of the joints that a body has in a frame. */
  of(body, frame) {
    const rows = [];
    for (let i = 0; i < this.count; i++) {
      const at = STRIDE * i;
      if (this.isThere(i, frame) && (this.numbers[at + AT.a] === body || this.numbers[at + AT.b] === body)) rows.push(i);
    }
    return rows;
  }

  /** The body at the other side; -1 is the world. */
  other(row, body) {
    const [a, b] = this.numbers.subarray(STRIDE * row + AT.a, STRIDE * row + AT.a + 2);
    return a === body ? b : a;
  }

  freedoms(row) {
    return [...this.numbers.subarray(STRIDE * row + AT.freedom, STRIDE * row + AT.limits)];
  }
}

// What a joint with these degrees of freedom left is called.
const WORDS = {
  '': 'fixed', 'twist': 'hinge', 'x': 'slider', 'x,twist': 'cylindrical', 'y,z,twist': 'planar', 'twist,swingY,swingZ': 'ball',
  'y,twist': 'wheel', 'y,twist,swingY': 'wheel', 'x,y,z,twist,swingY,swingZ': 'free', 'swingY,swingZ': 'universal',
};

/** What a joint is called, and the degrees of freedom that it has left. */
export function describeJoint(table, row) {
  const kind = KINDS[table.numbers[STRIDE * row + AT.kind]];
  if (kind !== 'frames') return { word: kind, left: ['x'] };
  const freedoms = table.freedoms(row);
  const left = DOFS.filter((_, i) => freedoms[i] !== LOCKED);
  const hasCone = freedoms.slice(4).every((freedom) => freedom === LIMITED);
  const word = WORDS[left.join()] ?? `${left.length} free`;
  return { word: word === 'ball' && hasCone ? 'cone' : word, left };
}
