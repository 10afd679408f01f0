// Decodes the blocks of a zstd frame one after another, RFC 8878 section 3.1.1.2. Every length is checked before it is used.
import {
  bitsAt, buildFseTable, decodeHuffman, fail, findStopBit, readFseTable, readHuffmanTable, singleSymbolTable,
} from './zstd_entropy.js';

export const LARGEST_BLOCK = 1 << 17;
const LARGEST_OFFSET_CODE = 27;

// ---- Codes of sequences: a baseline and a number of bits to add to it

function codeTable(plainCount, firstValue, bits) {
  const bases = Array.from({ length: plainCount }, (_, i) => firstValue + i);
  const widths = new Array(plainCount).fill(0).concat(bits);
  let base = firstValue + plainCount;
  for (const width of bits) {
    bases.push(base);
    base += 1 << width;
  }
  return { bases: Int32Array.from(bases), widths: Uint8Array.from(widths) };
}

const LITERAL_CODES = codeTable(16, 0, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const MATCH_CODES = codeTable(32, 3, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

const repeat = (count, value) => new Array(count).fill(value);

// In the order in which a block describes them.
const SEQUENCE_TABLES = [
  { largestLog: 9, largestSymbol: 35, // lengths of literals
    standard: buildFseTable([4, 3, ...repeat(11, 2), 1, 1, 1, ...repeat(9, 2), 3, 2, ...repeat(5, 1), ...repeat(4, -1)], 6) },
  { largestLog: 8, largestSymbol: LARGEST_OFFSET_CODE, // offsets
    standard: buildFseTable([...repeat(6, 1), 2, 2, 2, ...repeat(15, 1), ...repeat(5, -1)], 5) },
  { largestLog: 9, largestSymbol: 52, // lengths of matches
    standard: buildFseTable([1, 4, 3, ...repeat(6, 2), ...repeat(37, 1), ...repeat(7, -1)], 6) },
];

// ---- Blocks

export class BlockDecoder {
  constructor(bytes, size) {
    this.bytes = bytes;
    this.out = new Uint8Array(size);
    this.written = 0;
    this.literals = new Uint8Array(Math.min(size, LARGEST_BLOCK));
    this.huffman = null;
    this.tables = [null, null, null];
    this.offsets = [1, 4, 8]; // the last three offsets, which sequences may name again
  }

  /** Room for a number of bytes in the output, in this block. */
  claim(count, blockStart) {
    if (count > this.out.length - this.written || this.written + count - blockStart > LARGEST_BLOCK)
      fail('it holds more than it states');
  }

  decodeBlock({ type, start, end, rawSize }) {
    if (type === 2) {
      this.decodeCompressedBlock(start, end);
      return;
    }
    this.claim(rawSize, this.written);
    if (type === 0)
      this.out.set(this.bytes.subarray(start, end), this.written);
    else
      this.out.fill(this.bytes[start], this.written, this.written + rawSize);
    this.written += rawSize;
  }

  decodeCompressedBlock(start, end) {
    const blockStart = this.written;
    const literals = this.readLiterals(start, end);
    const sequences = this.readSequenceHeader(literals.end, end);
    const used = sequences.count > 0 ? this.runSequences(sequences, end, literals.count, blockStart) : 0;
    this.claim(literals.count - used, blockStart);
    this.out.set(this.literals.subarray(used, literals.count), this.written);
    this.written += literals.count - used;
  }

  // Literals, section 3.1.1.3.1. Returns their number and where the section ends.
  readLiterals(start, end) {
    const { bytes } = this;
    const type = bytes[start] & 3, format = (bytes[start] >> 2) & 3;
    if (type >= 2)
      return this.readHuffmanLiterals(type, format, start, end);
    const headerSize = format === 1 ? 2 : format === 3 ? 3 : 1;
    const count = headerSize === 1 ? bytes[start] >> 3 : bitsAt(bytes, 8 * start + 4, 8 * headerSize - 4);
    const body = start + headerSize, bodyEnd = body + (type === 0 ? count : 1);
    this.checkLiterals(count, bodyEnd, end);
    if (type === 0)
      this.literals.set(bytes.subarray(body, bodyEnd));
    else
      this.literals.fill(bytes[body], 0, count);
    return { count, end: bodyEnd };
  }

  readHuffmanLiterals(type, format, start, end) {
    const { bytes } = this;
    const sizeBits = [10, 10, 14, 18][format];
    const body = start + [3, 3, 4, 5][format];
    const count = bitsAt(bytes, 8 * start + 4, sizeBits);
    const bodyEnd = body + bitsAt(bytes, 8 * start + 4 + sizeBits, sizeBits);
    this.checkLiterals(count, bodyEnd, end);
    let at = body;
    if (type === 2)
      ({ table: this.huffman, end: at } = readHuffmanTable(bytes, body, bodyEnd));
    if (!this.huffman)
      fail('a Huffman table is missing');
    if (format === 0)
      decodeHuffman(this.huffman, bytes, at, bodyEnd, this.literals, 0, count);
    else
      this.decodeFourStreams(at, bodyEnd, count);
    return { count, end: bodyEnd };
  }

  decodeFourStreams(start, end, count) {
    const { bytes, huffman, literals } = this;
    const quarter = (count + 3) >> 2;
    let at = start + 6;
    if (at > end || 3 * quarter > count)
      fail('literals are damaged');
    for (let i = 0; i < 4; ++i) {
      const next = i < 3 ? at + bitsAt(bytes, 8 * (start + 2 * i), 16) : end;
      if (next > end)
        fail('literals are cut short');
      decodeHuffman(huffman, bytes, at, next, literals, i * quarter, i < 3 ? (i + 1) * quarter : count);
      at = next;
    }
  }

  checkLiterals(count, bodyEnd, end) {
    if (bodyEnd > end)
      fail('literals are cut short');
    if (count > this.literals.length)
      fail('it holds more than it states');
  }

  // Sequences, section 3.1.1.3.2.
  readSequenceHeader(start, end) {
    const { bytes } = this;
    if (start >= end)
      fail('a block is cut short');
    const first = bytes[start];
    const size = first < 128 ? 1 : first < 255 ? 2 : 3;
    const count = [first, ((first - 128) << 8) | bytes[start + 1], (bytes[start + 1] | (bytes[start + 2] << 8)) + 0x7f00][size - 1];
    let at = start + size;
    if (count === 0) {
      if (at !== end)
        fail('a block has bytes left over');
      return { count, at };
    }
    const modes = bytes[at++];
    if (at > end || (modes & 3) !== 0)
      fail('a block is damaged');
    SEQUENCE_TABLES.forEach((kind, i) => {
      at = this.readSequenceTable(i, kind, (modes >> (6 - 2 * i)) & 3, at, end);
    });
    return { count, at };
  }

  readSequenceTable(i, kind, mode, at, end) {
    const { bytes, tables } = this;
    if (mode === 0) {
      tables[i] = kind.standard;
    } else if (mode === 1) {
      if (at >= end || bytes[at] > kind.largestSymbol)
        fail('an entropy table is damaged');
      tables[i] = singleSymbolTable(bytes[at++]);
    } else if (mode === 2) {
      ({ table: tables[i], end: at } = readFseTable(bytes, at, end, kind.largestLog, kind.largestSymbol));
    } else if (!tables[i]) {
      fail('an entropy table is missing');
    }
    return at;
  }

  /** Which offset a sequence means: a new one or one of the last three. */
  resolveOffset(value, literalCount) {
    const { offsets } = this;
    if (value > 3) {
      offsets[2] = offsets[1];
      offsets[1] = offsets[0];
      return (offsets[0] = value - 3);
    }
    const which = value - 1 + (literalCount === 0 ? 1 : 0);
    if (which === 0)
      return offsets[0];
    const offset = which === 3 ? offsets[0] - 1 : offsets[which];
    if (which > 1)
      offsets[2] = offsets[1];
    offsets[1] = offsets[0];
    return (offsets[0] = offset);
  }

  /** Literals, then a match, again and again. Returns how many literals were used. */
  runSequences({ count, at: start }, end, literalTotal, blockStart) {
    const { bytes } = this, [literalTable, offsetTable, matchTable] = this.tables, first = 8 * start;
    let at = findStopBit(bytes, start, end), used = 0;
    const take = (bits) => {
      at -= bits;
      if (at < first)
        fail('sequences are cut short');
      return bits <= 24 ? bitsAt(bytes, at, bits) : bitsAt(bytes, at, 16) | (bitsAt(bytes, at + 16, bits - 16) << 16);
    };
    let literalState = take(literalTable.log), offsetState = take(offsetTable.log), matchState = take(matchTable.log);
    for (let i = 0; i < count; ++i) {
      const offsetCode = offsetTable.symbols[offsetState];
      const matchCode = matchTable.symbols[matchState], literalCode = literalTable.symbols[literalState];
      const offsetValue = (1 << offsetCode) + take(offsetCode);
      const matchCount = MATCH_CODES.bases[matchCode] + take(MATCH_CODES.widths[matchCode]);
      const literalCount = LITERAL_CODES.bases[literalCode] + take(LITERAL_CODES.widths[literalCode]);
      if (literalCount > literalTotal - used)
        fail('a sequence uses more literals than there are');
      this.claim(literalCount + matchCount, blockStart);
      this.copyLiterals(used, literalCount);
      this.copyMatch(this.resolveOffset(offsetValue, literalCount), matchCount);
      used += literalCount;
      if (i < count - 1) {
        literalState = literalTable.bases[literalState] + take(literalTable.bits[literalState]);
        matchState = matchTable.bases[matchState] + take(matchTable.bits[matchState]);
        offsetState = offsetTable.bases[offsetState] + take(offsetTable.bits[offsetState]);
      }
    }
    if (at !== first)
      fail('sequences have bits left over');
    return used;
  }

  copyLiterals(from, count) {
    const { out, literals, written } = this;
    for (let i = 0; i < count; ++i)
      out[written + i] = literals[from + i];
    this.written += count;
  }

  copyMatch(offset, count) {
    const { out, written } = this;
    if (offset < 1 || offset > written)
      fail('a match reaches before the beginning');
    for (let i = 0; i < count; ++i) // one by one, because a match may overlap what it writes
      out[written + i] = out[written + i - offset];
    this.written += count;
  }
}
