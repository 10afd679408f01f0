// Finds the chunks of a recording (docs/recording.md), checks their headers and reads the scene; frames stay packed.
import { JointTable } from './joint_table.js';
import { ByteReader, RecordingError } from './recording_bytes.js';
import { framesInChunk } from './recording_frames.js';
import { readJoints } from './recording_joints.js';
import { readScene } from './recording_scene.js';
import { FORM_TAGS, ShapeReader, Shared } from './recording_shapes.js';
import { ZstdError, decompressFrame } from './zstd.js';

const MAGIC = 'CAIRNREC';
const VERSION = 3; // version 2 has no joints, version 1 also no meshes, height fields and compounds
const FILE_HEADER = 12, CHUNK_HEADER = 12; // bytes
const MIB = 2 ** 20;
const LARGEST_CHUNK = 256 * MIB; // the bound of the format

// What this viewer unpacks at once. A frame of zstd may honestly be a thousand times smaller than its content (bodies at rest),
// so the size of the file bounds nothing. `cairn` ends a chunk of frames at 4 MiB; a scene of 5000 stones takes 5 MB.
const LARGEST_UNPACKED = 64 * MIB;
const MOST_FRAMES = 2_000_000; // nine hours; the series of the plots take 24 bytes per frame

function letters(bytes, start, count) {
  return String.fromCharCode(...bytes.subarray(start, start + count));
}

function checkFileHeader(bytes, view) {
  if (bytes.length < 8 || letters(bytes, 0, 8) !== MAGIC)
    throw new RecordingError(`This is not a recording: one begins with the letters ${MAGIC} at byte 0.`);
  if (bytes.length < FILE_HEADER)
    throw new RecordingError(`The recording ends at byte ${bytes.length}: it was cut short.`);
  const version = view.getUint32(8, true);
  if (version < 1 || version > VERSION)
    throw new RecordingError(`The recording has version ${version} at byte 8; this viewer knows versions 1 to ${VERSION} only.`);
}

/** What ends before its closing chunk, as when the program that wrote it was killed. It is good up to here. */
class CutShort extends RecordingError {}

/** The chunk at a byte of the file, with its sizes checked against the file. */
function readChunkHeader(bytes, view, offset) {
  const cutShort = `The recording ends in the middle of a chunk at byte ${offset}: it was cut short.`;
  if (bytes.length === offset)
    throw new CutShort(`The recording ends at byte ${offset} without its closing chunk: it was cut short.`);
  if (bytes.length - offset < CHUNK_HEADER)
    throw new CutShort(cutShort);
  const tag = letters(bytes, offset, 4);
  const packedSize = view.getUint32(offset + 4, true), size = view.getUint32(offset + 8, true);
  if (!/^[A-Za-z0-9 _-]{4}$/.test(tag))
    throw new RecordingError(`The recording is damaged: no chunk begins at byte ${offset}.`);
  if (size > LARGEST_CHUNK)
    throw new RecordingError(`The recording is damaged: the chunk ${tag} at byte ${offset} states more than 256 MiB.`);
  if (packedSize > bytes.length - offset - CHUNK_HEADER)
    throw new CutShort(cutShort);
  return { tag, offset, packedSize, size };
}

function unpack(bytes, { tag, offset, packedSize, size }) {
  if (size > LARGEST_UNPACKED)
    throw new RecordingError(
      `The chunk ${tag} at byte ${offset} is larger than the ${LARGEST_UNPACKED / MIB} MiB that this viewer unpacks.`);
  const start = offset + CHUNK_HEADER;
  try {
    return decompressFrame(bytes.subarray(start, start + packedSize), size);
  } catch (error) {
    if (!(error instanceof ZstdError))
      throw error;
    throw new RecordingError(`The recording is damaged: the chunk ${tag} at byte ${offset} does not decompress: ${error.message}.`);
  }
}

/** What is known of a recording before its frames are unpacked: its scene, where its chunks lie, and how many frames there are. */
export class RecordingFile {
  scene = null;
  shared = new Shared();
  chunks = [];
  frameCount = 0;
  joints = null; // a table of them, empty when the file has none
  moving = []; // indices of the bodies that are not static
  done = false;
  cutShort = null; // a sentence when the closing chunk is missing

  constructor(bytes) {
    this.bytes = bytes;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    checkFileHeader(bytes, view);
    let at = FILE_HEADER;
    for (let chunk; !this.done && (chunk = this.#nextChunk(view, at)); at += CHUNK_HEADER + chunk.packedSize)
      this.#take(chunk);
    this.joints ??= new JointTable(new Float32Array(0));
    if (!this.cutShort && at < bytes.length)
      throw new RecordingError(`The recording is damaged: there is something behind its end at byte ${at}.`);
  }

  /** The content of a chunk. */
  unpack(chunk) {
    return unpack(this.bytes, chunk);
  }

  /** Null where the file ends too early; it is played up to there if there are frames before. */
  #nextChunk(view, at) {
    try {
      return readChunkHeader(this.bytes, view, at);
    } catch (error) {
      if (!(error instanceof CutShort) || this.frameCount === 0)
        throw error;
      this.cutShort = error.message;
      return null;
    }
  }

  #take(chunk) {
    if (chunk.tag === 'SCEN')
      this.#takeScene(chunk);
    else if (chunk.tag === 'FRAM')
      this.#takeFrames(chunk);
    else if (chunk.tag === 'JNTS')
      this.#takeJoints(chunk);
    else if (chunk.tag === 'DONE')
      this.#takeDone(chunk);
    else if (FORM_TAGS.includes(chunk.tag))
      this.#takeForm(chunk);
    // Other tags belong to later versions and are skipped.
  }

  #refuse(chunk, what) {
    throw new RecordingError(`The recording is damaged: ${what} at byte ${chunk.offset}.`);
  }

  #takeForm(chunk) {
    const what = `the chunk ${chunk.tag} at byte ${chunk.offset}`;
    new ShapeReader(this.unpack(chunk), what, this.shared).form(chunk.tag);
  }

  #takeScene(chunk) {
    if (this.scene)
      this.#refuse(chunk, 'there is a second scene');
    this.scene = readScene(this.unpack(chunk), `the scene in the chunk at byte ${chunk.offset}`, this.shared);
    this.moving = this.scene.bodies.flatMap((body, i) => (body.type === 'static' ? [] : [i]));
  }

  #takeFrames(chunk) {
    if (!this.scene)
      this.#refuse(chunk, 'there are frames before the scene');
    if (this.joints)
      this.#refuse(chunk, 'there are frames behind the joints');
    const frames = framesInChunk(chunk.size, this.moving.length);
    if (frames === 0)
      this.#refuse(chunk, 'there is a chunk that holds no whole number of frames');
    this.chunks.push({ ...chunk, first: this.frameCount, frames });
    this.frameCount += frames;
    if (this.frameCount > MOST_FRAMES)
      throw new RecordingError(
        `The recording has more than ${MOST_FRAMES} frames at byte ${chunk.offset}, too many for this viewer.`);
  }

  #takeJoints(chunk) {
    if (this.frameCount === 0)
      this.#refuse(chunk, 'there are joints before the frames');
    if (this.joints)
      this.#refuse(chunk, 'there is a second list of joints');
    const counts = { bodies: this.scene.bodies.length, frames: this.frameCount };
    this.joints = readJoints(this.unpack(chunk), `the list of joints in the chunk at byte ${chunk.offset}`, counts);
  }

  #takeDone(chunk) {
    if (!this.scene || this.frameCount === 0)
      this.#refuse(chunk, `the recording ends without ${this.scene ? 'frames' : 'a scene'}`);
    if (chunk.size !== 4)
      this.#refuse(chunk, 'there is a closing chunk of the wrong size');
    const count = new ByteReader(this.unpack(chunk), 'the closing chunk').u32();
    if (count !== this.frameCount)
      this.#refuse(chunk, `there are ${this.frameCount} frames where the closing chunk says ${count},`);
    this.done = true;
  }
}
