// Reads the SCEN chunk of a recording: what there is to see, in the viewer's data model.
import { LEAST_SHAPE, ShapeReader } from './recording_shapes.js';

const BODY_TYPES = ['static', 'kinematic', 'dynamic'];
const LEAST_BODY = 48; // bytes
const MOST_BODIES = 200_000; // the objects made of them take less than 200 MB

class SceneReader extends ShapeReader {
  /** A body of the data model; its transform when the recording began is noted apart. */
  body(i, starts, rotations) {
    const type = this.type(BODY_TYPES, 'body');
    const shapeCount = this.count(LEAST_SHAPE, 'shapes');
    starts.set(this.position(), 3 * i);
    rotations.set(this.quaternion(), 4 * i);
    return { type, shapes: this.shapes(shapeCount) };
  }

  positive(what, most) {
    const value = this.f64();
    if (!(value > 0 && value <= most))
      this.refuse(`${what} of ${value}`, this.at - 8);
    return value;
  }
}

/**
 * @param {Uint8Array} content
 * @param {string} where
 * @param {import('./recording_shapes.js').Shared} shared what the chunks before it held
 * @returns the scene: names, numbers, `bodies`, and where each began: `starts` and `rotations`
 */
export function readScene(content, where, shared) {
  const reader = new SceneReader(content, where, shared);
  const stepSeconds = reader.positive('a step', 100);
  const quantum = reader.positive('a quantum of positions', 1);
  const gravity = reader.vec3();
  const scene = reader.text(), solver = reader.text();
  const bodyCount = reader.bound(reader.count(LEAST_BODY, 'bodies'), MOST_BODIES, 'bodies');
  const bodies = [], starts = new Float64Array(3 * bodyCount), rotations = new Float32Array(4 * bodyCount);
  for (let i = 0; i < bodyCount; ++i)
    bodies.push(reader.body(i, starts, rotations));
  reader.end();
  return { stepSeconds, quantum, gravity, scene, solver, bodies, starts, rotations };
}
