// All bodies as instanced meshes: takes their shapes apart, and turns transforms and colours into what the graphics card reads.
import { Group } from 'three';
import { HullBatch, UnitBatch } from './batch.js';
import { unitGeometry } from './geometry.js';
import { partsOfShape, writeRotation } from './parts.js';
import { glassMaterial, stoneMaterial, terrainMaterial } from './stone.js';
import { isMixed, surfaceGeometry } from './surface.js';
import { GLASS, GROUND, SOLID } from './surroundings.js';

const HIDDEN = 1e-30; // scale of a part whose body has no transform yet

export class Bodies {
  /**
   * glass: as glassUniforms makes them; haze: the uniforms of the backdrop; tints: colours of the materials of surfaces.
   * isCrowd: there are so many that round things are drawn coarsely.
   */
  constructor(glass, haze, tints, isCrowd = false) {
    this.isCrowd = isCrowd;
    this.glass = glass;
    this.haze = haze;
    this.tints = tints;
    this.group = new Group();
    this.batches = [];
    this.parts = []; // { batch, slot, matrix, body }
    this.firstPart = [0]; // of each body, and one past the last
    this.last = new Float32Array(0); // the transforms drawn now
    this.rotation = new Float64Array(9);
    this.box = { low: [0, 0, 0], high: [0, 0, 0] };
  }

  get count() {
    return this.firstPart.length - 1;
  }

  /** Appends a body; roles says for each of its shapes what it is in the picture. */
  add(body, roles) {
    body.shapes.forEach((shape, s) => {
      for (const { kind, matrix, hull, surface } of partsOfShape(shape)) {
        const batch = this.batchFor(kind, roles[s], surface);
        const slot = batch.add(this.count, hull);
        this.hide(batch, slot);
        this.parts.push({ batch, slot, matrix, body: this.count, kind, hull });
      }
    });
    this.firstPart.push(this.parts.length);
  }

  hide(batch, slot) {
    batch.matrices.fill(0, 16 * slot, 16 * slot + 16);
    for (const diagonal of [0, 5, 10]) batch.matrices[16 * slot + diagonal] = HIDDEN;
    batch.matrices[16 * slot + 15] = 1;
    batch.touch(slot);
  }

  batchFor(kind, role, surface) {
    const found = this.batches.find((batch) => batch.kind === kind && batch.role === role && batch.surface === surface);
    if (found) return found;
    const batch = surface ? this.surfaceBatch(surface) : this.solidBatch(kind, role);
    batch.role = role;
    batch.surface = surface;
    batch.mesh.castShadow = batch.mesh.receiveShadow = role === SOLID;
    batch.mesh.visible = role !== GROUND; // the ground is drawn endless; its shapes are here to be picked
    this.batches.push(batch);
    this.group.add(batch.mesh);
    return batch;
  }

  surfaceBatch(surface) {
    return new UnitBatch('surface', surfaceGeometry(surface, this.tints), terrainMaterial(this.haze, isMixed(surface)));
  }

  solidBatch(kind, role) {
    const material = role === GLASS ? glassMaterial(kind, this.glass) : stoneMaterial(kind);
    return kind === 'hull' ? new HullBatch(material) : new UnitBatch(kind, unitGeometry(kind, this.isCrowd), material);
  }

  partsOf(body) {
    return this.parts.slice(this.firstPart[body], this.firstPart[body + 1]);
  }

  /** Moves the bodies that are not where they were. Returns whether any was. */
  setTransforms(transforms) {
    const count = Math.min(this.count, Math.floor(transforms.length / 8));
    if (this.last.length < 8 * count) this.growLast(8 * this.count);
    let moved = false;
    for (let i = 0; i < count; i++) {
      if (this.isPlaced(transforms, 8 * i)) continue;
      this.place(transforms, i);
      moved = true;
    }
    return moved;
  }

  growLast(length) {
    const larger = new Float32Array(length).fill(NaN);
    larger.set(this.last);
    this.last = larger;
  }

  // Also true for a body that is nowhere: numbers that are not finite would spoil the shadows of all others.
  isPlaced(transforms, at) {
    const { last } = this;
    let sum = 0;
    let same = true;
    for (let k = at; k < at + 8; k++) {
      if (k === at + 3) continue; // awake or asleep does not move it
      sum += transforms[k];
      same = same && transforms[k] === last[k];
    }
    return same || sum - sum !== 0;
  }

  place(transforms, body) {
    const { rotation: r, last, parts, firstPart } = this;
    const at = 8 * body;
    for (let k = at; k < at + 8; k++) last[k] = transforms[k];
    const x = last[at];
    const y = last[at + 1];
    const z = last[at + 2];
    writeRotation(r, last[at + 4], last[at + 5], last[at + 6], last[at + 7]);
    for (let p = firstPart[body]; p < firstPart[body + 1]; p++) {
      const { batch, slot, matrix: m } = parts[p];
      const out = batch.matrices;
      for (let column = 0; column < 4; column++) {
        const a = m[3 * column];
        const b = m[3 * column + 1];
        const c = m[3 * column + 2];
        const to = 16 * slot + 4 * column;
        out[to] = r[0] * a + r[3] * b + r[6] * c;
        out[to + 1] = r[1] * a + r[4] * b + r[7] * c;
        out[to + 2] = r[2] * a + r[5] * b + r[8] * c;
      }
      out[16 * slot + 12] += x;
      out[16 * slot + 13] += y;
      out[16 * slot + 14] += z;
      batch.touch(slot);
    }
  }

  /** colors holds three numbers per body. */
  setColors(colors) {
    for (const { batch, slot, body } of this.parts) {
      if (batch.role === SOLID) batch.setColor(slot, colors, 3 * body);
    }
  }

  /** The box around the origins of the dynamic bodies, as they were drawn last, within limits. The box is reused. */
  boxOf(isDynamic, limits) {
    const { last, box } = this;
    for (let axis = 0; axis < 3; axis++) {
      let low = Infinity;
      let high = -Infinity;
      for (let i = 0, at = axis; at < last.length; i++, at += 8) {
        const value = last[at];
        if (isDynamic[i] && value >= limits.low[axis] && value <= limits.high[axis]) {
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
      box.low[axis] = low;
      box.high[axis] = high;
    }
    return box;
  }

  dispose() {
    for (const batch of this.batches) batch.dispose();
  }
}
