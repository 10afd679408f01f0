// Decompresses one zstd frame (RFC 8878) from anyone: every length is checked before it is used, output never exceeds the
// size that the caller expects, and the checksum is verified.
import { BlockDecoder, LARGEST_BLOCK } from './zstd_blocks.js';
import { ZstdError, bitsAt, fail } from './zstd_entropy.js';
import { xxh64Low } from './xxh64.js';

export { ZstdError };

const MAGIC = 0xfd2fb528;
const LARGEST_FRAME = 1 << 27; // so that bit numbers fit 31 bits

// How the size of the content is written, by the number of bytes it takes.
const STATED_SIZE = {
  1: (view, at) => view.getUint8(at),
  2: (view, at) => view.getUint16(at, true) + 256,
  4: (view, at) => view.getUint32(at, true),
  8: (view, at) => view.getUint32(at, true) + 2 ** 32 * view.getUint32(at + 4, true),
};

// Checks the frame's header against the expected size; returns where the first block begins.
function readHeader(bytes, view, size) {
  const descriptor = bytes[4];
  const singleSegment = (descriptor >> 5) & 1, sizeFlag = descriptor >> 6;
  if (bytes.length < 12 || view.getUint32(0, true) !== MAGIC)
    fail('it is not a zstd frame');
  if (descriptor & 8 || descriptor & 3)
    fail('it needs a dictionary or a later version of zstd');
  if (!(descriptor & 4))
    fail('it has no checksum');
  const at = 6 - singleSegment, fieldSize = sizeFlag > 0 ? 1 << sizeFlag : singleSegment;
  if (at + fieldSize > bytes.length - 7)
    fail('it is cut short');
  const stated = fieldSize === 0 ? size : STATED_SIZE[fieldSize](view, at);
  if (stated !== size)
    fail('its size is not the one that the chunk states');
  return at + fieldSize;
}

function readBlockHeader(bytes, at, limit) {
  if (at + 3 > limit)
    fail('it is cut short');
  const header = bitsAt(bytes, 8 * at, 24);
  const last = header & 1, type = (header >> 1) & 3, rawSize = header >> 3;
  const start = at + 3, end = start + (type === 1 ? 1 : rawSize);
  if (type === 3 || rawSize > LARGEST_BLOCK)
    fail('a block is damaged');
  if (end > limit)
    fail('it is cut short');
  return { last, type, start, end, rawSize };
}

// The most that the blocks can hold: known before anything is allocated, so that a frame cannot claim what it has no
// blocks for.
function measureBlocks(bytes, at, limit) {
  let most = 0;
  for (let last = 0; !last;) {
    const block = readBlockHeader(bytes, at, limit);
    most += block.type === 2 ? LARGEST_BLOCK : block.rawSize;
    ({ last, end: at } = block);
  }
  if (at !== limit)
    fail('something lies behind its end');
  return most;
}

/**
 * The content of a zstd frame that must hold exactly `size` bytes. Throws ZstdError.
 * @param {Uint8Array} bytes the frame, no more and no less
 */
export function decompressFrame(bytes, size) {
  if (bytes.length > LARGEST_FRAME)
    fail('it is too large');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const limit = bytes.length - 4; // the checksum follows
  let at = readHeader(bytes, view, size);
  if (size > measureBlocks(bytes, at, limit))
    fail('it holds less than it states');
  const decoder = new BlockDecoder(bytes, size);
  while (at < limit) {
    const block = readBlockHeader(bytes, at, limit);
    decoder.decodeBlock(block);
    at = block.end;
  }
  if (decoder.written !== size)
    fail('it holds less than it states');
  if (xxh64Low(decoder.out) !== view.getUint32(limit, true))
    fail('its checksum is wrong');
  return decoder.out;
}
