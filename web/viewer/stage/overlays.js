// What can be laid over the bodies: contact points, normals, impulses, bounding boxes and joints. The shaders read the
// contacts as the engine gives them, so showing 40,000 of them costs no work per contact here.
import { BufferAttribute, Color, Group, InstancedBufferGeometry, LineSegments, Mesh } from 'three';
import { distinctColors } from './colors.js';
import { Discs, InstanceBuffer, Strokes, colorFragment, discFragment, quadGeometry, seeThrough, strokeFunction } from './strokes.js';

const STRIDE = 16;
const IMPULSE = 6;
const GRAPH_COLORS = 24;
const JOINT_PIXELS = { links: 2.5, marks: 1.5, dots: 6 };
const JOINT_THICKNESS = { links: 0.06, marks: 0.04, dots: 0.15 }; // at most, in body sizes

const contactHead = `
  attribute vec2 corner;
  attribute vec3 point;
  attribute vec3 direction;
  attribute vec2 impulseAndGap;
  attribute float graphColor;
  uniform float alpha;
  uniform float bodySize;
  uniform float pixelRatio;
  uniform float largestImpulse;
  uniform bool byGraph;
  uniform vec3 palette[${GRAPH_COLORS}];
  uniform vec3 deep;
  uniform vec3 touching;
  varying vec4 vColor;
  varying vec2 vCorner;
  ${strokeFunction}
  // White where bodies just touch, red from an overlap of two percent of their size on.
  vec3 contactColor() {
    float overlap = clamp(-impulseAndGap.y / (0.02 * bodySize), 0.0, 1.0);
    return byGraph ? palette[int(graphColor) % ${GRAPH_COLORS}] : mix(touching, deep, sqrt(overlap));
  }`;

const dotVertex = `${contactHead}
  void main() {
    vec4 seen = modelViewMatrix * vec4(point, 1.0);
    // A little nearer, or the two faces that touch would cover half of every dot.
    seen.xyz *= 1.0 - min(0.5, 0.04 * bodySize / max(-seen.z, 1e-6));
    gl_Position = projectionMatrix * seen;
    float pixels = clamp(0.05 * bodySize * projectionMatrix[1][1] * 0.5 * viewport.y / gl_Position.w, 1.5 * pixelRatio, 5.0 * pixelRatio);
    gl_Position.xy += corner * pixels * 2.0 / viewport * gl_Position.w;
    vCorner = corner;
    vColor = vec4(contactColor(), alpha);
  }`;

const normalVertex = `${contactHead}
  void main() {
    vColor = vec4(byGraph ? contactColor() : vec3(0.02, 0.11, 0.2), alpha);
    gl_Position = strokeCorner(point, point + direction * 0.35 * bodySize, corner, 1.5 * pixelRatio);
  }`;

// A needle: as long as the impulse is large, and pointed where it points.
const impulseVertex = `${contactHead}
  void main() {
    vColor = vec4(byGraph ? contactColor() : vec3(0.75, 0.12, 0.02), alpha);
    float share = impulseAndGap.x / max(largestImpulse, 1e-30);
    gl_Position = strokeCorner(point, point + direction * 2.0 * bodySize * share, corner, 5.0 * pixelRatio * (1.0 - corner.y));
  }`;

const boxVertex = `
  attribute vec3 low;
  attribute vec3 high;
  uniform vec3 color;
  uniform float alpha;
  varying vec4 vColor;
  void main() {
    vColor = vec4(color, alpha);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(mix(low, high, position), 1.0);
  }`;

/** The twelve edges of a unit cube as pairs of corners. */
function boxEdges() {
  const corners = [];
  for (let axis = 0; axis < 3; axis++) {
    for (let side = 0; side < 4; side++) {
      for (const end of [0, 1]) {
        const corner = [side & 1, side >> 1];
        corner.splice(axis, 0, end);
        corners.push(...corner);
      }
    }
  }
  return new Float32Array(corners);
}

const contactViews = { point: [0, 3], direction: [3, 3], impulseAndGap: [IMPULSE, 2], graphColor: [10, 1] };

export class Overlays {
  constructor(theme, viewport) {
    const palette = distinctColors(GRAPH_COLORS);
    this.uniforms = {
      viewport,
      pixelRatio: { value: 1 },
      bodySize: { value: 1 },
      largestImpulse: { value: 1 },
      byGraph: { value: false },
      palette: { value: Array.from({ length: GRAPH_COLORS }, (_, i) => new Color().fromArray(palette, 3 * i)) },
      deep: { value: new Color(theme.deep) },
      touching: { value: new Color(theme.touching) },
    };
    this.group = new Group();
    this.contactBuffer = new InstanceBuffer(STRIDE, contactViews);
    this.layers = {
      boxes: this.makeBoxes(theme),
      normals: this.makeContacts(normalVertex, colorFragment, 0),
      impulses: this.makeContacts(impulseVertex, colorFragment, 0),
      contacts: this.makeContacts(dotVertex, discFragment, -1),
    };
    this.jointSizes = Object.fromEntries(Object.keys(JOINT_PIXELS).map((name) => [name, { width: { value: 1 }, thickness: { value: 1 } }]));
    const make = (Kind, name, color, faintness) =>
      new Kind(viewport, color, this.jointSizes[name].width, faintness, this.jointSizes[name].thickness);
    this.joints = {
      marks: make(Strokes, 'marks', theme.jointMark, 0.15),
      links: make(Strokes, 'links', theme.joint, 0.5),
      dots: make(Discs, 'dots', theme.jointDot, 0.6),
    };
    this.layers.joints = Object.values(this.joints).flatMap(({ objects }) => objects);
    for (const objects of Object.values(this.layers)) this.group.add(...objects);
    this.show({});
  }

  makeContacts(vertexShader, fragmentShader, bottom) {
    const geometry = quadGeometry(bottom);
    this.contactBuffer.feed(geometry);
    return seeThrough((g, m) => new Mesh(g, m), geometry, { vertexShader, fragmentShader }, this.uniforms);
  }

  makeBoxes(theme) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(boxEdges(), 3));
    geometry.instanceCount = 0;
    this.boxBuffer = new InstanceBuffer(6, { low: [0, 3], high: [3, 3] });
    this.boxBuffer.feed(geometry);
    const uniforms = { color: { value: new Color(theme.box) } };
    const shader = { vertexShader: boxVertex, fragmentShader: colorFragment };
    return seeThrough((g, m) => new LineSegments(g, m), geometry, shader, uniforms, 0.06);
  }

  /** Switches layers by name; those that are not named are off. */
  show(wanted) {
    for (const [name, objects] of Object.entries(this.layers)) {
      for (const object of objects) object.visible = Boolean(wanted[name]);
    }
  }

  setContacts(contacts, count) {
    this.contactBuffer.set(contacts, count);
    let largest = 0;
    const end = Math.min(count * STRIDE, contacts.length);
    for (let i = IMPULSE; i < end; i += STRIDE) largest = Math.max(largest, contacts[i]);
    this.uniforms.largestImpulse.value = largest;
  }

  setBoxes(boxes, count) {
    this.boxBuffer.set(boxes, count);
  }

  /** Piles of lines and dots, as JointLines makes them. */
  setJoints(piles) {
    for (const [name, quads] of Object.entries(this.joints)) quads.set(piles[name].values, piles[name].count);
  }

  setPixelRatio(ratio) {
    this.uniforms.pixelRatio.value = ratio;
    for (const [name, pixels] of Object.entries(JOINT_PIXELS)) this.jointSizes[name].width.value = pixels * ratio;
  }

  setBodySize(size) {
    this.uniforms.bodySize.value = size;
    for (const [name, part] of Object.entries(JOINT_THICKNESS)) this.jointSizes[name].thickness.value = part * size;
  }

  dispose() {
    for (const object of this.group.children) {
      object.geometry.dispose();
      object.material.dispose();
    }
  }
}
