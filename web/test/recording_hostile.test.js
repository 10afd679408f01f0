// Recordings made to do harm: whatever a file claims, opening and playing it ends soon, in little memory, and with a sentence.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, test } from 'node:test';
import { RecordingError, openRecording } from '../viewer/recording.js';
import { ZstdError, decompressFrame } from '../viewer/zstd.js';
import {
  FIELD, SQUARE, block, body, chunk, compoundContent, fieldContent, formScene, frameOf, framesContent, header, join,
  joint, jointedChunks, jointsContent, meshContent, numbers, packZeros, rawChunk, reference, repeated, sceneContent, shape,
  smallChunks, smallFrame, smallJoints, smallScene,
} from './make_recording.js';

const { u32, f32, f64 } = numbers;
const MIB = 2 ** 20;
const MOST_MS = 1000, MOST_BYTES = 400e6 /* Node.js itself included */;
const folder = mkdtempSync(joinPath(tmpdir(), 'cairn-hostile-'));
after(() => rmSync(folder, { recursive: true }));

/** Opens and plays every frame; the sentence of the first refusal, or 'read'. Another exception passes through. */
function outcome(bytes) {
  let sentence = 'read';
  const attempt = (action) => {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof RecordingError))
        throw error;
      sentence = sentence === 'read' ? error.message : sentence;
      return null;
    }
  };
  const recording = attempt(() => openRecording(bytes));
  for (let n = 0; recording && n < Math.min(recording.frameCount, 1000); ++n) {
    attempt(() => recording.frame(n));
    attempt(() => recording.speeds(n));
  }
  return sentence;
}

/** The same in a process of its own, with time and memory. */
function measuredOutcome(bytes) {
  const path = joinPath(folder, 'hostile.rec');
  writeFileSync(path, bytes);
  const script = `
    import { readFileSync } from 'node:fs';
    import { openRecording } from ${JSON.stringify(new URL('../viewer/recording.js', import.meta.url).href)};
    const bytes = readFileSync(${JSON.stringify(path)});
    const start = performance.now();
    let sentence = 'read', seriesLength = 0;
    try {
      const recording = openRecording(bytes);
      recording.frame(0);
      recording.frame(recording.frameCount - 1);
      seriesLength = (await recording.readSeries()).time.length;
    } catch (error) {
      sentence = error.name + ': ' + error.message;
    }
    const ms = performance.now() - start;
    console.log(JSON.stringify({ sentence, seriesLength, ms, bytes: 1024 * process.resourceUsage().maxRSS }));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 60_000 }));
}

function assertHarmless(bytes, sentence) {
  const result = measuredOutcome(bytes);
  assert.match(result.sentence, sentence);
  assert.ok(result.ms < MOST_MS, `${result.ms} ms`);
  assert.ok(result.bytes < MOST_BYTES, `${result.bytes} bytes`);
}

const [scene, firstFrames, , , done] = smallChunks();

// ---- Claims without content

test('a tiny chunk that claims 256 MiB', () => {
  const lie = frameOf([block(1, 100, u32(0).subarray(0, 1), true)], 256 * MIB, new Uint8Array(100));
  assertHarmless(join(header, rawChunk('SCEN', lie, 256 * MIB)), /RecordingError: .*larger than the 64 MiB/);
  assertHarmless(join(header, rawChunk('SCEN', lie, 2 ** 32 - 1)), /RecordingError: .*states more than 256 MiB/);
});

test('a tiny frame that claims 60 MiB', () => {
  const lie = frameOf([block(1, 100, u32(0).subarray(0, 1), true)], 60 * MIB, new Uint8Array(100));
  assertHarmless(join(header, rawChunk('SCEN', lie, 60 * MIB)), /RecordingError: .*holds less than it states/);
});

test('a frame that holds more than it states', () => {
  const zeros = packZeros(MIB);
  new DataView(zeros.buffer).setUint32(5, 100, true);
  assertHarmless(join(header, rawChunk('SCEN', zeros, 100)), /RecordingError: .*holds more than it states/);
});

/** A chunk of frames for the small scene, 120 bytes each and all zero, that unpacks to `size` bytes or a little less. */
function zeroFrames(size) {
  const count = Math.floor((size - 8) / 120);
  return { count, chunk: rawChunk('FRAM', packZeros(8 + 120 * count), 8 + 120 * count) };
}

test('a small chunk of frames that truly holds 60 MiB of nothing', () => {
  const { count, chunk: bomb } = zeroFrames(60 * MIB);
  assert.ok(bomb.length < 2100);
  assertHarmless(join(header, scene, bomb, chunk('DONE', u32(count))), /RecordingError: .*number of frames that does not fit its size/);
});

test('thousands of chunks that unpack to far more than the file', () => {
  const many = repeated(zeroFrames(4 * MIB).chunk, 5000);
  assertHarmless(join(header, scene, many, done), /RecordingError: .*more than 2000000 frames/);
});

test('a million chunks of an unknown kind', () => {
  const nothing = rawChunk('NONE', new Uint8Array(0), 0);
  assertHarmless(join(header, repeated(nothing, 1e6), scene, done), /RecordingError: .*without frames/);
});

test('four billion bodies, shapes, vertices, faces, corners', () => {
  const many = 0xffffffff;
  const hull = (...counts) => join(header, chunk('SCEN', sceneContent([body(2, [shape(4, join(u32(...counts), new Uint8Array(64)))])])));
  assertHarmless(join(header, chunk('SCEN', sceneContent([], { count: many }))), /more bodies \(4294967295\) than it has bytes/);
  assert.match(outcome(join(header, chunk('SCEN', sceneContent([join(u32(2, many), new Uint8Array(200))])))), /more shapes/);
  assert.match(outcome(hull(many, 4)), /more vertices/);
  assert.match(outcome(hull(4, many)), /more faces/);
  assert.match(outcome(hull(4, 4, ...new Array(12).fill(0), many)), /more corners/);
});

test('a scene that repeats one body without end', () => {
  const count = 1_300_000;
  const content = join(sceneContent([], { count }), repeated(body(2, []), count));
  assertHarmless(join(header, chunk('SCEN', content)), /more bodies than this viewer can show/);
});

test('as many bodies as are allowed', () => {
  const count = 200_000;
  const content = join(sceneContent([], { count }), repeated(body(0, [shape(2, f32(1, 1, 1))]), count));
  const frames = join(u32(0, 1), f64(0, 0, 0), u32(0, 0, 0, 0));
  const bytes = join(header, chunk('SCEN', content), chunk('FRAM', frames), chunk('DONE', u32(1)));
  const result = measuredOutcome(bytes);
  assert.equal(result.sentence, 'read');
  assert.ok(result.bytes < MOST_BYTES, `${result.bytes} bytes`);
});

test('a hull of a million faces', () => {
  const hull = join(u32(4, 1_000_000), f32(...new Array(12).fill(1)), repeated(u32(3, 0, 1, 2), 1_000_000));
  assertHarmless(join(header, chunk('SCEN', sceneContent([body(2, [shape(4, hull)])]))), /more faces of hulls than this viewer/);
});

test('four billion vertices, triangles, columns, rows, parts', () => {
  const many = 0xffffffff, room = new Uint8Array(200);
  assertHarmless(join(header, chunk('MESH', join(u32(many, 1), room))), /more vertices \(4294967295\) than it has bytes/);
  assert.match(outcome(join(header, chunk('MESH', join(u32(3, many), room)))), /more triangles/);
  assert.match(outcome(join(header, chunk('HFLD', join(u32(many, 2), room)))), /4294967295 columns/);
  assert.match(outcome(join(header, chunk('HFLD', join(u32(many, many), room)))), /4294967295 rows/);
  assert.match(outcome(join(header, chunk('HFLD', join(u32(65536, 65536), room)))), /65536 rows/);
  assert.match(outcome(join(header, chunk('COMP', join(u32(many), room)))), /more parts/);
});

test('small chunks that truly hold millions of vertices', () => {
  const flat = { count: 2000, size: 16 + 4 * 2000 * 2000 + 1999 * 1999 };
  const content = join(u32(flat.count, flat.count), f32(1, 1), new Uint8Array(flat.size - 16));
  const field = chunk('HFLD', content);
  assertHarmless(join(header, field, field, scene), /RecordingError: .*more vertices than this viewer/);
});

test('one compound of many parts in many bodies', () => {
  const parts = compoundContent(Array.from({ length: 1000 }, () => shape(0, f32(1, 0))));
  const content = join(sceneContent([], { count: 1000 }), repeated(body(2, [reference(7, 0)]), 1000));
  assertHarmless(join(header, chunk('COMP', parts), chunk('SCEN', content)), /more shapes than this viewer/);
});

test('one large mesh in many bodies', () => {
  const large = { ...SQUARE, triangles: new Array(20_000).fill(SQUARE.triangles[0]), materials: new Array(20_000).fill(0) };
  const content = join(sceneContent([], { count: 4000 }), repeated(body(2, [reference(5, 0)]), 4000));
  assertHarmless(join(header, chunk('MESH', meshContent(large)), chunk('SCEN', content)), /more triangles than this viewer/);
});

test('four billion joints, and more than can be shown', () => {
  const many = jointedChunks(chunk('JNTS', jointsContent(smallJoints(), 0xffffffff)));
  assertHarmless(join(header, ...many), /more joints \(4294967295\) than it has bytes/);
  const count = 250_000, more = join(u32(count), repeated(joint(), count));
  assertHarmless(join(header, ...jointedChunks(chunk('JNTS', more))), /more joints than this viewer can show/);
});

test('as many joints as are allowed', () => {
  const count = 200_000;
  const result = measuredOutcome(join(header, ...jointedChunks(chunk('JNTS', join(u32(count), repeated(joint(), count))))));
  assert.equal(result.sentence, 'read');
  assert.ok(result.bytes < MOST_BYTES, `${result.bytes} bytes`);
});

test('the end before the scene', () => {
  assertHarmless(join(header, done, scene, firstFrames), /RecordingError: .*ends without a scene/);
});

// ---- zstd blocks that make careless decoders run for hours

function refuseFrame(blockBody, size, sentence) {
  const frame = frameOf([block(0, 8, new Uint8Array(8), false), block(2, blockBody.length, blockBody, true)], size, new Uint8Array(0));
  const start = performance.now();
  assert.throws(() => decompressFrame(frame, size), (error) => error instanceof ZstdError && sentence.test(error.message));
  assert.ok(performance.now() - start < 100);
}

test('a Huffman table whose states take no bits and never end', () => {
  // Literals with a table of weights: one symbol of all the probability, log 5.
  refuseFrame(Uint8Array.of(0x42, 0, 2, 5, 0xf0, 0x03, 0, 0, 1, 0, 0), 100, /too many symbols/);
});

test('a hundred thousand matches of 64 KiB in a few bytes', () => {
  refuseFrame(Uint8Array.of(0, 255, 255, 255, 0x54, 0, 0, 52, 1), 100_000, /sequences are cut short/);
  refuseFrame(Uint8Array.of(0, 255, 255, 255, 0x54, 1, 0, 43, 1), 100_000, /sequences are cut short/);
});

test('matches that reach before the beginning', () => {
  refuseFrame(Uint8Array.of(0, 1, 0x54, 0, 27, 0, 0, 0, 0, 8), 100, /before the beginning/);
});

// ---- Random damage

/** Numbers from 0 to below `limit`, always the same. */
function randomSource(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function mutate(bytes, random) {
  const changed = bytes.slice();
  for (let count = random(2) === 0 ? 1 : 1 + random(8); count > 0; --count)
    changed[random(changed.length)] = random(2) === 0 ? random(256) : [0, 1, 127, 128, 255][random(5)];
  return changed;
}

function assertOnlySentences(make, count) {
  let refused = 0;
  for (let i = 0; i < count; ++i) {
    const start = performance.now();
    refused += outcome(make(i)) === 'read' ? 0 : 1;
    assert.ok(performance.now() - start < MOST_MS, `mutation ${i}`);
  }
  assert.ok(process.resourceUsage().maxRSS * 1024 < 3 * MOST_BYTES); // this process also built the files of the tests above
  return refused;
}

test('5000 mutations of a stored recording, nearly all noticed', () => {
  const whole = join(header, ...jointedChunks()), random = randomSource(1);
  assert.ok(assertOnlySentences(() => mutate(whole, random), 5000) > 4500);
});

test('5000 mutations of a compressed recording', () => {
  const whole = new Uint8Array(readFileSync(new URL('tower.cairnrec', import.meta.url))), random = randomSource(2);
  assert.equal(outcome(whole), 'read');
  assert.ok(assertOnlySentences(() => mutate(whole, random), 5000) > 4500);
});

test('5000 mutations behind right checksums', () => {
  const random = randomSource(3), sceneBytes = smallScene();
  const frameBytes = framesContent(0, [0, 1, 2, 3].map(smallFrame));
  const refused = assertOnlySentences(() => join(header,
    chunk('SCEN', random(2) === 0 ? mutate(sceneBytes, random) : sceneBytes),
    chunk('FRAM', random(2) === 0 ? mutate(frameBytes, random) : frameBytes), chunk('DONE', u32(4))), 5000);
  assert.ok(refused > 500 && refused < 4500, `${refused} refused`);
});

test('5000 mutations of meshes, height fields and compounds behind right checksums', () => {
  const random = randomSource(5), upright = [0, 0, 0, 32767];
  const frames = chunk('FRAM', framesContent(0, [{ positions: [[0, 0, 0], [0, 0, 0]], rotations: [upright, upright] }]));
  const contents = [['MESH', meshContent(SQUARE)], ['HFLD', fieldContent(FIELD)], ['COMP', compoundContent([shape(2, f32(1, 2, 3))])]];
  const sceneBytes = formScene();
  const refused = assertOnlySentences(() => join(header,
    ...contents.map(([tag, bytes]) => chunk(tag, random(3) === 0 ? mutate(bytes, random) : bytes)),
    chunk('SCEN', random(3) === 0 ? mutate(sceneBytes, random) : sceneBytes), frames, chunk('DONE', u32(1))), 5000);
  assert.ok(refused > 500 && refused < 4500, `${refused} refused`);
});

test('5000 mutations of joints behind right checksums', () => {
  const random = randomSource(6), list = jointsContent(smallJoints());
  const chunks = smallChunks(), end = chunks.pop(), before = join(header, ...chunks);
  const refused = assertOnlySentences(() => join(before, chunk('JNTS', mutate(list, random)), end), 5000);
  assert.ok(refused > 500 && refused < 4500, `${refused} refused`);
});

test('chunks swapped, dropped and doubled', () => {
  const random = randomSource(4);
  const refused = assertOnlySentences(() => {
    const chunks = jointedChunks();
    const a = random(chunks.length), b = random(chunks.length), kind = random(3);
    if (kind === 0)
      [chunks[a], chunks[b]] = [chunks[b], chunks[a]];
    else
      chunks.splice(a, kind === 1 ? 1 : 0, ...(kind === 1 ? [] : [chunks[b]]));
    return join(header, ...chunks);
  }, 500);
  assert.ok(refused > 400, `${refused} refused`);
});
