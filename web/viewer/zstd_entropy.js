// The two entropy codes of zstd, RFC 8878 section 4: finite state entropy (FSE) tables and Huffman codes.
// Both are read backwards from a stop bit. Positions in such a stream are bit numbers, counted from the start of the frame;
// four bytes of checksum follow every stream, so that reading a word at its end stays inside the frame.

export class ZstdError extends Error {}

export function fail(what) {
  throw new ZstdError(what);
}

export const highestBit = (value) => 31 - Math.clz32(value);

/** The bit number of the stop bit of the stream in bytes `start` to `end`. */
export function findStopBit(bytes, start, end) {
  if (end <= start || bytes[end - 1] === 0)
    fail('a stream of bits has no end mark');
  return 8 * (end - 1) + highestBit(bytes[end - 1]);
}

/** `count` bits, at most 24, from bit number `at` on. */
export function bitsAt(bytes, at, count) {
  const byte = at >> 3;
  const word = bytes[byte] | (bytes[byte + 1] << 8) | (bytes[byte + 2] << 16) | (bytes[byte + 3] << 24);
  return (word >>> (at & 7)) & ((1 << count) - 1);
}

// ---- FSE

/**
 * @typedef {{ log: number, symbols: Uint8Array, bits: Uint8Array, bases: Uint16Array }} FseTable
 * From state s comes symbols[s]; the next state is bases[s] + the next bits[s] bits.
 */

/** @param {number[]} counts of each symbol, -1 for "less than one" @returns {FseTable} */
export function buildFseTable(counts, log) {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  const next = counts.map((count) => Math.abs(count));
  let high = size - 1;
  counts.forEach((count, symbol) => {
    if (count === -1)
      symbols[high--] = symbol;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let place = 0;
  counts.forEach((count, symbol) => {
    for (let i = 0; i < count; ++i) {
      symbols[place] = symbol;
      do
        place = (place + step) & (size - 1);
      while (place > high);
    }
  });
  const bits = new Uint8Array(size), bases = new Uint16Array(size);
  for (let state = 0; state < size; ++state) {
    const number = next[symbols[state]]++;
    bits[state] = log - highestBit(number);
    bases[state] = (number << bits[state]) - size;
  }
  return { log, symbols, bits, bases };
}

/** A table with one symbol, which takes no bits. @returns {FseTable} */
export function singleSymbolTable(symbol) {
  return { log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1) };
}

/** Reads a description of an FSE table. @returns {{ table: FseTable, end: number }} */
export function readFseTable(bytes, start, limit, largestLog, largestSymbol) {
  const log = (bytes[start] & 15) + 5;
  if (start >= limit || log > largestLog)
    fail('an entropy table is larger than allowed');
  const counts = [];
  let at = 8 * start + 4, left = (1 << log) + 1;
  while (left > 1 && at < 8 * limit) {
    const width = highestBit(left) + 1, half = 1 << (width - 1);
    const shortCodes = 2 * half - 1 - left; // so many values do with one bit less
    let value = bitsAt(bytes, at, width - 1);
    if (value < shortCodes) {
      at += width - 1;
    } else {
      value = bitsAt(bytes, at, width);
      value -= value >= half ? shortCodes : 0;
      at += width;
    }
    counts.push(value - 1);
    left -= Math.abs(value - 1);
    for (let zeros = value === 1 ? 3 : 0; zeros === 3 && at < 8 * limit; at += 2) {
      zeros = bitsAt(bytes, at, 2);
      for (let i = 0; i < zeros; ++i)
        counts.push(0);
    }
    if (counts.length > largestSymbol + 1)
      fail('an entropy table has too many symbols');
  }
  const end = (at + 7) >> 3;
  if (left !== 1 || end > limit)
    fail('an entropy table is damaged');
  return { table: buildFseTable(counts, log), end };
}

// ---- Huffman

const MOST_WEIGHTS = 255;
const LARGEST_CODE = 11; // bits

/** Weights that two states of one FSE table tell in turn, until the bits are used up. */
function readFseWeights(bytes, start, end) {
  const { table, end: streamStart } = readFseTable(bytes, start, end, 6, LARGEST_CODE + 1);
  const weights = [];
  let at = findStopBit(bytes, streamStart, end) - 2 * table.log;
  if (at < 8 * streamStart)
    fail('a Huffman table is cut short');
  let state = bitsAt(bytes, at + table.log, table.log), other = bitsAt(bytes, at, table.log);
  for (;;) {
    weights.push(table.symbols[state]);
    at -= table.bits[state];
    if (at < 8 * streamStart)
      break;
    const next = table.bases[state] + bitsAt(bytes, at, table.bits[state]);
    state = other;
    other = next;
    if (weights.length >= MOST_WEIGHTS)
      fail('a Huffman table has too many symbols');
  }
  weights.push(table.symbols[other]);
  return weights;
}

function readPlainWeights(bytes, start, count) {
  return Array.from({ length: count }, (_, i) => (bytes[start + (i >> 1)] >> (i & 1 ? 0 : 4)) & 15);
}

/** The last weight is not stored: it completes the sum to a power of two. Returns the length of the longest code. */
function completeWeights(weights) {
  let sum = 0;
  for (const weight of weights)
    sum += weight > 0 ? 1 << (weight - 1) : 0;
  const log = sum > 0 ? highestBit(sum) + 1 : 0;
  const rest = (1 << log) - sum;
  if (log < 1 || log > LARGEST_CODE || (rest & (rest - 1)) !== 0 || weights.length > MOST_WEIGHTS)
    fail('a Huffman table is damaged');
  weights.push(highestBit(rest) + 1);
  return log;
}

/**
 * @typedef {{ log: number, entries: Uint16Array }} HuffmanTable
 * An entry for every `log` bits that may come next: the symbol times 16 plus the bits of its code.
 */

/** @returns {{ table: HuffmanTable, end: number }} */
export function readHuffmanTable(bytes, start, limit) {
  const header = bytes[start++];
  const size = header < 128 ? header : (header - 126) >> 1;
  if (start + size > limit)
    fail('a Huffman table is cut short');
  const weights = header < 128 ? readFseWeights(bytes, start, start + size) : readPlainWeights(bytes, start, header - 127);
  const log = completeWeights(weights);
  const entries = new Uint16Array(1 << log);
  let place = 0;
  for (let weight = 1; weight <= log; ++weight)
    weights.forEach((own, symbol) => {
      if (own === weight)
        entries.fill((symbol << 4) | (log + 1 - weight), place, place += 1 << (weight - 1));
    });
  return { table: { log, entries }, end: start + size };
}

/** Decodes the stream in bytes `start` to `end` into out[from] … out[to - 1]. */
export function decodeHuffman(table, bytes, start, end, out, from, to) {
  const { log, entries } = table, first = 8 * start, mask = (1 << log) - 1;
  let at = findStopBit(bytes, start, end);
  for (let i = from; i < to; ++i) {
    const low = at - log;
    const code = low >= first ? bitsAt(bytes, low, log) : (bitsAt(bytes, first, at - first) << (first - low)) & mask;
    out[i] = entries[code] >> 4;
    at -= entries[code] & 15;
    if (at < first)
      fail('a Huffman stream is cut short');
  }
  if (at !== first)
    fail('a Huffman stream has bits left over');
}
