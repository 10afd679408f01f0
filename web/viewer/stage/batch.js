// Many parts of one kind drawn at once. Both batches offer the same: add a part, write into `matrices` (16 numbers per slot)
// and call touch(slot), set colours.
import { BatchedMesh, Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh, Matrix4 } from 'three';
import { hullGeometry, hullPlanes } from './geometry.js';

const scratchMatrix = new Matrix4();
const scratchColor = new Color();

function grown(array, length) {
  const larger = new Float32Array(length);
  larger.set(array);
  return larger;
}

function dynamicAttribute(array, itemSize) {
  const attribute = new InstancedBufferAttribute(array, itemSize);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}

/** Spheres, boxes and the like, or one surface: one geometry, one instance per part. */
export class UnitBatch {
  constructor(kind, geometry, material) {
    this.kind = kind;
    this.count = 0;
    this.matrices = new Float32Array(0);
    this.bodies = [];
    this.mesh = new InstancedMesh(geometry, material, 0);
    this.mesh.frustumCulled = false;
  }

  add(body) {
    if (16 * this.count === this.matrices.length) this.reserve(Math.max(16, 2 * this.count));
    this.bodies.push(body);
    this.mesh.count = this.count + 1;
    return this.count++;
  }

  reserve(capacity) {
    if (16 * capacity <= this.matrices.length) return;
    this.matrices = grown(this.matrices, 16 * capacity);
    const colors = grown(this.mesh.instanceColor?.array ?? [], 3 * capacity);
    this.mesh.dispose(); // frees the buffers on the card; the mesh lives on with new ones
    this.mesh.instanceMatrix = dynamicAttribute(this.matrices, 16);
    this.mesh.instanceColor = dynamicAttribute(colors, 3);
  }

  touch() {
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  setColor(slot, colors, at) {
    const array = this.mesh.instanceColor.array;
    array[3 * slot] = colors[at];
    array[3 * slot + 1] = colors[at + 1];
    array[3 * slot + 2] = colors[at + 2];
    this.mesh.instanceColor.needsUpdate = true;
  }

  dispose() {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}

/** Hulls: thousands may all differ, so their geometries lie in one buffer and go out in one multi-draw. */
export class HullBatch {
  constructor(material) {
    this.kind = 'hull';
    this.count = 0;
    this.matrices = new Float32Array(0);
    this.bodies = [];
    this.planes = []; // per slot, for picking
    this.known = new Map(); // text of a hull → its geometry in the batch
    this.vertexRoom = 1024;
    this.vertexCount = 0;
    this.mesh = new BatchedMesh(16, this.vertexRoom, 0, material);
    this.mesh.frustumCulled = false;
    this.mesh.perObjectFrustumCulled = false;
    this.mesh.sortObjects = false;
  }

  add(body, hull) {
    this.reserve(this.count + 1);
    const { id, planes } = this.geometryOf(hull);
    const slot = this.mesh.addInstance(id);
    this.bodies.push(body);
    this.planes.push(planes);
    return (this.count = slot + 1) - 1;
  }

  reserve(capacity) {
    if (16 * capacity <= this.matrices.length) return;
    const room = Math.max(16, capacity, 2 * this.count);
    this.matrices = grown(this.matrices, 16 * room);
    if (room > this.mesh.maxInstanceCount) this.mesh.setInstanceCount(room);
  }

  geometryOf(hull) {
    const key = `${Array.from(hull.vertices).join()};${hull.faces.map((face) => Array.from(face).join()).join(';')}`;
    if (!this.known.has(key)) {
      const geometry = hullGeometry(hull);
      this.makeRoom(geometry.attributes.position.count);
      this.known.set(key, { id: this.mesh.addGeometry(geometry), planes: hullPlanes(hull) });
    }
    return this.known.get(key);
  }

  makeRoom(vertices) {
    this.vertexCount += vertices;
    if (this.vertexCount <= this.vertexRoom) return;
    this.vertexRoom = 2 * this.vertexCount;
    this.mesh.setGeometrySize(this.vertexRoom, 0);
  }

  touch(slot) {
    this.mesh.setMatrixAt(slot, scratchMatrix.fromArray(this.matrices, 16 * slot));
  }

  setColor(slot, colors, at) {
    this.mesh.setColorAt(slot, scratchColor.fromArray(colors, at));
  }

  dispose() {
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}
