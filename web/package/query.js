// Questions about space: rays, casts of shapes, overlaps, closest points.
import {
  BITS, FLAG, checkNames, checkNumber, checkNumbers, checkObject, checkRotation, checkVector, idOf, refuse,
} from './check.js';
import { takeConvex } from './geometry.js';

const FILTER_FIELDS = [['category', BITS], ['mask', BITS], ['sensors', FLAG]];
const DEFAULT_FILTER = [-1, -1, 0];
export const HIT_STRIDE = 11;

export class Queries {
  #bridge;
  #handle;
  #bodyOf;

  /** bodyOf(id) makes the body for a packed id. */
  constructor(bridge, handle, bodyOf) {
    this.#bridge = bridge;
    this.#handle = handle;
    this.#bodyOf = bodyOf;
  }

  // ---- what is asked

  /** Writes the filter and then the numbers of the question; answers the body that is ignored. */
  #send(what, filter = {}, ...numbers) {
    const { ignore, ...rest } = checkObject(what, 'filter', filter);
    this.#bridge.send(DEFAULT_FILTER, ...numbers);
    this.#bridge.fill(what, FILTER_FIELDS, rest);
    return ignore === undefined ? 0n : idOf(what, 'ignore', ignore);
  }

  #sendProbe(what, probe, translation, filter) {
    const { numbers, made, rest } = takeConvex(what, probe);
    checkNames(what, rest, ['position', 'rotation']);
    const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = rest;
    checkVector(what, 'position', position);
    checkRotation(what, 'rotation', rotation);
    return [this.#send(what, filter, numbers, position, rotation, translation), made === undefined ? 0n : idOf(what, 'hull', made, 'a hull')];
  }

  #sendRay(what, origin, translation, filter) {
    return this.#send(what, filter, checkVector(what, 'origin', origin), checkVector(what, 'translation', translation));
  }

  // ---- what is answered

  /** The engine's sentence when the question was refused; without one, nothing was found. */
  #checkRefused() {
    const sentence = this.#bridge.text(this.#bridge.call.last_error());
    if (sentence !== '') refuse(sentence);
  }

  #hit(address) {
    const m = new Float64Array(this.#bridge.memory.buffer, address, HIT_STRIDE);
    if (m[0] < 0) {
      this.#checkRefused();
      return null;
    }
    const [id] = new BigUint64Array(this.#bridge.memory.buffer, address + 80, 1);
    return {
      shape: { id }, body: this.#bodyOfShape(id), part: m[1], fraction: m[2], material: m[3], point: [m[4], m[5], m[6]],
      normal: [m[7], m[8], m[9]],
    };
  }

  #bodyOfShape(id) {
    return this.#bodyOf(this.#bridge.call.shape_get_body(this.#handle.alive, id));
  }

  #hits(count) {
    if (count === 0) this.#checkRefused();
    const address = this.#bridge.call.found_hits(this.#handle.alive);
    return Array.from({ length: count }, (_, i) => this.#hit(address + 8 * HIT_STRIDE * i));
  }

  #shapes(count) {
    if (count === 0) this.#checkRefused();
    const ids = new BigUint64Array(this.#bridge.memory.buffer, this.#bridge.call.found_ids(this.#handle.alive), count).slice();
    return [...ids].map((id) => ({ shape: { id }, body: this.#bodyOfShape(id) }));
  }

  #closest(id) {
    if (id === 0n) {
      this.#checkRefused();
      return null;
    }
    const [part, distance, ...m] = this.#bridge.mail.slice(0, 11);
    return {
      shape: { id }, body: this.#bodyOfShape(id), part, distance, point: m.slice(0, 3), probePoint: m.slice(3, 6), normal: m.slice(6, 9),
    };
  }

  // ---- questions

  castRay(origin, translation, filter) {
    this.#bridge.call.cast_ray(this.#handle.alive, this.#sendRay('castRay', origin, translation, filter));
    return this.#hit(this.#bridge.mailAddress);
  }

  castRayAll(origin, translation, filter) {
    return this.#hits(this.#bridge.call.cast_ray_all(this.#handle.alive, this.#sendRay('castRayAll', origin, translation, filter)));
  }

  castRays(rays, filter) {
    if (checkNumbers('castRays', 'rays', rays).length % 6 !== 0) refuse('castRays: rays must hold six numbers for each ray');
    const { call } = this.#bridge;
    const count = rays.length / 6;
    const address = call.rays_room(this.#handle.alive, count);
    new Float64Array(this.#bridge.memory.buffer, address, rays.length).set(rays);
    this.#bridge.check(call.cast_rays(this.#handle.alive, count, this.#send('castRays', filter)));
    return new Float64Array(this.#bridge.memory.buffer, call.found_hits(this.#handle.alive), HIT_STRIDE * count);
  }

  castShape(probe, translation, filter) {
    const what = 'castShape';
    this.#bridge.call.cast_shape(this.#handle.alive, ...this.#sendProbe(what, probe, checkVector(what, 'translation', translation), filter));
    return this.#hit(this.#bridge.mailAddress);
  }

  castShapeAll(probe, translation, filter) {
    const what = 'castShapeAll';
    const asked = this.#sendProbe(what, probe, checkVector(what, 'translation', translation), filter);
    return this.#hits(this.#bridge.call.cast_shape_all(this.#handle.alive, ...asked));
  }

  overlapShape(probe, filter) {
    const asked = this.#sendProbe('overlapShape', probe, [0, 0, 0], filter);
    return this.#shapes(this.#bridge.call.overlap_shape(this.#handle.alive, ...asked));
  }

  overlapBox(lower, upper, filter) {
    const what = 'overlapBox';
    const ignored = this.#send(what, filter, checkVector(what, 'lower', lower), checkVector(what, 'upper', upper));
    return this.#shapes(this.#bridge.call.overlap_box(this.#handle.alive, ignored));
  }

  closestPoint(place, reach, filter) {
    const ignored = this.#send('closestPoint', filter, checkVector('closestPoint', 'place', place));
    return this.#closest(this.#bridge.call.closest_point(this.#handle.alive, ignored, checkNumber('closestPoint', 'reach', reach)));
  }

  closest(probe, reach, filter) {
    const asked = this.#sendProbe('closest', probe, [0, 0, 0], filter);
    return this.#closest(this.#bridge.call.closest(this.#handle.alive, ...asked, checkNumber('closest', 'reach', reach)));
  }
}
