// XXH64 with seed 0, its low 32 bits: the checksum at the end of a zstd frame.
// 64-bit numbers are pairs of 32-bit words in an Int32Array, low word first: BigInt is far slower.

const PRIME_1 = Int32Array.of(0x85ebca87, 0x9e3779b1);
const PRIME_2 = Int32Array.of(0x27d4eb4f, 0xc2b2ae3d);
const PRIME_3 = Int32Array.of(0x9e3779f9, 0x165667b1);
const PRIME_4 = Int32Array.of(0xc2b2ae63, 0x85ebca77);
const PRIME_5 = Int32Array.of(0x165667c5, 0x27d4eb2f);

const LANES = 4;
const STRIPE = 32; // bytes that the four lanes eat at a time

/** Upper 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh(a, b) {
  const aLow = a & 0xffff, aHigh = a >>> 16;
  const bLow = b & 0xffff, bHigh = b >>> 16;
  const left = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) | 0; // neither sum exceeds 32 bits
  const right = (Math.imul(aLow, bHigh) + (left & 0xffff)) | 0;
  return (Math.imul(aHigh, bHigh) + (left >>> 16) + (right >>> 16)) | 0;
}

function multiply(words, at, factor) {
  const low = words[at];
  const cross = Math.imul(low, factor[1]) + Math.imul(words[at + 1], factor[0]);
  words[at + 1] = multiplyHigh(low, factor[0]) + cross;
  words[at] = Math.imul(low, factor[0]);
}

function add(words, at, low, high) {
  const sum = (words[at] >>> 0) + (low >>> 0);
  words[at + 1] += high + (sum > 0xffffffff ? 1 : 0);
  words[at] = sum;
}

/** Rotates left by 1 to 31 bits. */
function rotate(words, at, bits) {
  const low = words[at], high = words[at + 1];
  words[at] = (low << bits) | (high >>> (32 - bits));
  words[at + 1] = (high << bits) | (low >>> (32 - bits));
}

const product = new Int32Array(2);

/** One round of a lane: takes in eight bytes. */
function mixIn(words, at, low, high) {
  product[0] = low;
  product[1] = high;
  multiply(product, 0, PRIME_2);
  add(words, at, product[0], product[1]);
  rotate(words, at, 31);
  multiply(words, at, PRIME_1);
}

const mixed = new Int32Array(2);

/** Folds eight bytes, mixed alone, into the hash. */
function fold(hash, low, high) {
  mixed.fill(0);
  mixIn(mixed, 0, low, high);
  hash[0] ^= mixed[0];
  hash[1] ^= mixed[1];
}

function hashStripes(view, hash) {
  const lanes = new Int32Array(2 * LANES);
  add(lanes, 0, PRIME_1[0], PRIME_1[1]);
  add(lanes, 0, PRIME_2[0], PRIME_2[1]);
  add(lanes, 2, PRIME_2[0], PRIME_2[1]);
  add(lanes, 6, ~PRIME_1[0], ~PRIME_1[1]);
  add(lanes, 6, 1, 0);
  let at = 0;
  for (; at + STRIPE <= view.byteLength; at += STRIPE)
    for (let lane = 0; lane < 8; lane += 2)
      mixIn(lanes, lane, view.getInt32(at + 4 * lane, true), view.getInt32(at + 4 * lane + 4, true));
  const copy = lanes.slice();
  [1, 7, 12, 18].forEach((bits, lane) => {
    rotate(copy, 2 * lane, bits);
    add(hash, 0, copy[2 * lane], copy[2 * lane + 1]);
  });
  for (let lane = 0; lane < 8; lane += 2) {
    fold(hash, lanes[lane], lanes[lane + 1]);
    multiply(hash, 0, PRIME_1);
    add(hash, 0, PRIME_4[0], PRIME_4[1]);
  }
  return at;
}

function hashTail(view, at, hash) {
  const word = new Int32Array(2);
  for (; at + 8 <= view.byteLength; at += 8) {
    fold(hash, view.getInt32(at, true), view.getInt32(at + 4, true));
    rotate(hash, 0, 27);
    multiply(hash, 0, PRIME_1);
    add(hash, 0, PRIME_4[0], PRIME_4[1]);
  }
  if (at + 4 <= view.byteLength) {
    word[0] = view.getInt32(at, true);
    multiply(word, 0, PRIME_1);
    hash[0] ^= word[0];
    hash[1] ^= word[1];
    rotate(hash, 0, 23);
    multiply(hash, 0, PRIME_2);
    add(hash, 0, PRIME_3[0], PRIME_3[1]);
    at += 4;
  }
  for (; at < view.byteLength; ++at) {
    word[0] = view.getUint8(at);
    word[1] = 0;
    multiply(word, 0, PRIME_5);
    hash[0] ^= word[0];
    hash[1] ^= word[1];
    rotate(hash, 0, 11);
    multiply(hash, 0, PRIME_1);
  }
}

/** @param {Uint8Array} bytes @returns {number} the low 32 bits of the hash, unsigned */
export function xxh64Low(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hash = new Int32Array(2);
  let at = 0;
  if (bytes.length >= STRIPE)
    at = hashStripes(view, hash);
  else
    add(hash, 0, PRIME_5[0], PRIME_5[1]);
  add(hash, 0, bytes.length, 0);
  hashTail(view, at, hash);

  hash[0] ^= hash[1] >>> 1; // hash ^= hash >> 33
  multiply(hash, 0, PRIME_2);
  const low = hash[0];
  hash[0] ^= (low >>> 29) | (hash[1] << 3); // hash ^= hash >> 29
  hash[1] ^= hash[1] >>> 29;
  multiply(hash, 0, PRIME_3);
  return (hash[0] ^ hash[1]) >>> 0;
}
