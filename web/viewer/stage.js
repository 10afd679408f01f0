// The picture: draws bodies, their contacts and the ground with three.js. Knows nothing of the engine or the page; it takes
// bodies made of shapes, and plain arrays of numbers for everything that changes from frame to frame.
import { NeutralToneMapping, PCFShadowMap, Plane, Ray, Scene, Vector2, Vector3, WebGLRenderer } from 'three';
import { Backdrop } from './stage/backdrop.js';
import { Bodies } from './stage/bodies.js';
import { BodyColors } from './stage/colors.js';
import { Highlight } from './stage/highlight.js';
import { JointLines } from './stage/joints.js';
import { Overlays } from './stage/overlays.js';
import { bodyRadius, flattened } from './stage/parts.js';
import { nearestHit } from './stage/pick.js';
import { glassUniforms } from './stage/stone.js';
import { Sun } from './stage/sun.js';
import { GLASS, SOLID, arrange, boxAround, middleOf, sceneBoxes, sizeOf } from './stage/surroundings.js';
import { daylight } from './stage/theme.js';
import { View } from './stage/view.js';

const MOST_PIXELS_PER_POINT = 2;
const CROWD = 4000; // bodies
const MARK_SIZE = 0.45; // of axes and limits of joints, in body sizes

function makeRenderer(canvas, shadows, theme) {
  const wanted = { antialias: true, stencil: true, alpha: false, powerPreference: 'high-performance' };
  const context = canvas.getContext('webgl2', wanted);
  if (!context) throw new Error('This browser cannot draw in 3D: WebGL 2 is missing or switched off.');
  const renderer = new WebGLRenderer({ canvas, context });
  renderer.toneMapping = NeutralToneMapping;
  renderer.toneMappingExposure = theme.exposure;
  renderer.shadowMap.enabled = shadows;
  renderer.shadowMap.type = PCFShadowMap;
  renderer.shadowMap.autoUpdate = false;
  return renderer;
}

function median(values) {
  const sorted = Float64Array.from(values).sort();
  return sorted.length > 0 ? sorted[sorted.length >> 1] : 1;
}

export class Stage {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ shadows?: boolean, theme?: Partial<typeof daylight> }} options
   */
  constructor(canvas, { shadows = true, theme = {} } = {}) {
    this.canvas = canvas;
    this.theme = { ...daylight, ...theme };
    this.renderer = makeRenderer(canvas, shadows, this.theme);
    this.viewport = { value: new Vector2(1, 1) };
    this.glass = glassUniforms(this.theme);
    this.scene = new Scene();
    this.backdrop = new Backdrop(this.theme);
    this.sun = new Sun(this.theme, shadows);
    this.overlays = new Overlays(this.theme, this.viewport);
    this.highlight = new Highlight(this.theme, this.viewport);
    this.painter = new BodyColors(this.theme);
    this.view = new View(canvas);
    this.scene.add(this.backdrop.group, this.sun.group, this.overlays.group, this.highlight.group);
    this.lastRenderMs = 0;
    this.setBodies([]);
    this.resize();
  }

  // ---- bodies

  /** Replaces all bodies. They appear with the next setTransforms, which also decides what is ground and what is wall. */
  setBodies(bodies) {
    this.bodies?.dispose();
    if (this.bodies) this.scene.remove(this.bodies.group);
    this.bodies = new Bodies(this.glass, this.backdrop.uniforms, this.theme.tints, bodies.length > CROWD);
    this.scene.add(this.bodies.group);
    this.list = bodies.map(flattened);
    this.jointLines = null;
    this.types = bodies.map((body) => body.type);
    this.isDynamic = this.types.map((type) => type === 'dynamic');
    this.isArranged = bodies.length === 0;
    this.colors = new Float32Array(3 * bodies.length);
    this.colorMode = 'body';
    this.largestRadius = 0;
    this.reach = null;
    this.groundHeight = null;
    this.hollowTop = -Infinity;
    this.setSelected(-1);
    this.setGrab(null);
  }

  /** Appends bodies, which appear with the next setTransforms. */
  addBodies(bodies) {
    const added = bodies.map(flattened);
    this.list.push(...added);
    this.types.push(...bodies.map((body) => body.type));
    this.isDynamic.push(...bodies.map((body) => body.type === 'dynamic'));
    const colors = new Float32Array(3 * this.list.length);
    this.painter.paint(colors, this.types, 'body');
    colors.set(this.colors);
    this.colors = colors;
    if (!this.isArranged) return;
    for (const body of added) this.bodies.add(body, body.shapes.map(() => SOLID));
    this.bodies.setColors(this.colors);
  }

  /** Eight numbers per body: x, y, z, awake, and the rotation x, y, z, w. */
  setTransforms(transforms) {
    if (!this.isArranged) this.arrangeBodies(transforms);
    if (!this.bodies.setTransforms(transforms)) return;
    this.renderer.shadowMap.needsUpdate = true;
    this.followMotion();
  }

  arrangeBodies(transforms) {
    const { roles, groundHeight, hollowTop, inner } = arrange(this.list, transforms);
    this.list.forEach((body, i) => this.bodies.add(body, roles[i]));
    this.roles = roles;
    this.groundHeight = groundHeight;
    this.hollowTop = hollowTop;
    this.glass.innerLow.value.fromArray(inner.low);
    this.glass.innerHigh.value.fromArray(inner.high);
    this.isArranged = true;
    const radii = this.list.filter((body) => body.type === 'dynamic').map(bodyRadius);
    this.bodySize = Math.max(median(radii) * 1.15, 1e-3); // about the side of a cube
    this.largestRadius = radii.reduce((a, b) => Math.max(a, b), 0);
    this.backdrop.setGround(groundHeight, this.bodySize);
    this.overlays.setBodySize(this.bodySize);
    this.frameBox = boxAround(sceneBoxes(this.list, transforms, roles, groundHeight));
    this.glass.lineWidth.value = 0.0025 * Math.max(...sizeOf(this.frameBox));
    this.glass.glassCenter.value.fromArray(middleOf(this.frameBox));
    this.limitShadows();
    this.setColors(this.colorMode);
  }

  // Shadows follow what moves, but not a stray body that leaves for ever.
  limitShadows() {
    const size = sizeOf(this.frameBox);
    const middle = middleOf(this.frameBox);
    const reach = 2 * Math.max(...size);
    this.reach = { low: middle.map((x) => x - reach), high: middle.map((x) => x + reach) };
  }

  followMotion() {
    const box = this.bodies.boxOf(this.isDynamic, this.reach);
    this.sun.cover(Number.isFinite(box.low[0]) ? box : this.frameBox, this.largestRadius);
    const top = Number.isFinite(box.high[1]) ? box.high[1] : this.frameBox.high[1];
    const height = Math.max(top - (this.groundHeight ?? box.low[1]), 4 * this.bodySize);
    const clear = Math.max(top + 0.05 * height, this.hollowTop);
    this.glass.heightFade.value.set(clear, clear + 0.35 * height);
  }

  /** values: one number per body, what it means depends on the mode; see BodyColors. */
  setColors(mode, values) {
    if (!this.painter.knows(mode)) throw new Error(`There is no way to colour bodies called “${mode}”.`);
    this.colorMode = mode;
    this.overlays.uniforms.byGraph.value = mode === 'graph';
    this.painter.paint(this.colors, this.types, mode, values);
    if (this.isArranged) this.bodies.setColors(this.colors);
  }

  // ---- overlays

  /** { contacts, normals, impulses, boxes, joints }: which of them to show. */
  setOverlays(shown) {
    this.overlays.show(shown);
  }

  setContacts(contacts, count) {
    this.overlays.setContacts(contacts, count);
  }

  setBoxes(boxes, count) {
    this.overlays.setBoxes(boxes, count);
  }

  /** A table of joints, as they are in a frame, on the bodies where they are drawn now. */
  setJoints(table, frame) {
    if (this.jointLines?.table !== table) this.jointLines = new JointLines(table, this.list, MARK_SIZE * this.bodySize);
    this.jointLines.move(frame, this.bodies.last);
    this.overlays.setJoints(this.jointLines);
  }

  // ---- pointing

  /** The ray into the scene through a point of the canvas, in CSS pixels. */
  ray(x, y) {
    const rect = this.canvas.getBoundingClientRect();
    const { camera } = this.view;
    this.view.prepare();
    const through = new Vector3((2 * x) / rect.width - 1, 1 - (2 * y) / rect.height, 0.5).unproject(camera);
    const direction = through.sub(camera.position).normalize();
    return { origin: camera.position.toArray(), direction: direction.toArray() };
  }

  /** What is at a point of the canvas: { body, point } or null. Glass lets the ray through to what is behind it. */
  pick(x, y) {
    const { origin, direction } = this.ray(x, y);
    const find = (wanted) => nearestHit(this.bodies.batches.filter(wanted), origin, direction);
    const hit = find((batch) => batch.role !== GLASS) ?? find((batch) => batch.role === GLASS);
    return hit && { body: hit.body, point: origin.map((o, i) => o + hit.distance * direction[i]) };
  }

  /** Where the ray at x, y meets the plane through a point; the plane faces the camera unless a normal is given. */
  pointOnPlane(x, y, through, normal) {
    const { origin, direction } = this.ray(x, y);
    const facing = normal ? new Vector3(...normal).normalize() : this.view.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, new Vector3(...through));
    const met = new Ray(new Vector3(...origin), new Vector3(...direction)).intersectPlane(plane, new Vector3());
    return met && met.toArray();
  }

  setSelected(index) {
    const exists = this.isArranged && index >= 0 && index < this.bodies.count;
    this.highlight.select(exists ? this.bodies.partsOf(index) : []);
  }

  /** A line from a grabbed point to where it is dragged; null for none. */
  setGrab(from, to) {
    this.highlight.setGrab(from, to);
  }

  // ---- camera

  /** Looks at everything that matters from a good angle. */
  frameAll() {
    if (!this.isArranged || this.list.length === 0) return;
    const placed = this.bodies.last;
    const known = this.list.slice(0, placed.length / 8);
    const boxes = sceneBoxes(known, placed, this.roles, this.groundHeight);
    this.frameBox = boxAround(boxes);
    this.limitShadows();
    this.view.frame([...boxes, this.roomAround(this.frameBox)], this.groundHeight);
    this.followMotion();
    this.renderer.shadowMap.needsUpdate = true;
  }

  // A single body is not shown from so near that nothing around it is seen.
  roomAround({ low, high }) {
    const room = 2 * this.bodySize;
    const [x, , z] = middleOf({ low, high });
    return { low: [x - room, low[1], z - room], high: [x + room, low[1] + room, z + room] };
  }

  /** Angles in degrees, azimuth from +z towards +x; zoom 1 shows what frameAll shows. */
  setView(azimuth, elevation, zoom) {
    this.view.setView(azimuth, elevation, zoom);
  }

  getView() {
    return this.view.getView();
  }

  getCamera() {
    return this.view.getCamera();
  }

  setCamera({ position, target }) {
    this.view.place(position, target);
  }

  onCameraChange(callback) {
    this.view.listener = callback;
  }

  get controlsEnabled() {
    return this.view.controls.enabled;
  }

  set controlsEnabled(on) {
    this.view.controls.enabled = on;
  }

  // ---- drawing

  render() {
    const start = performance.now();
    this.view.prepare();
    this.backdrop.follow(this.view.target, this.view.distance);
    this.highlight.follow();
    this.renderer.render(this.scene, this.view.camera);
    this.lastRenderMs = performance.now() - start;
  }

  /** Takes over the size that the page gives the canvas. */
  resize() {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    const ratio = Math.min(globalThis.devicePixelRatio || 1, MOST_PIXELS_PER_POINT);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.renderer.getDrawingBufferSize(this.viewport.value);
    this.overlays.setPixelRatio(ratio);
    this.highlight.setPixelRatio(ratio);
    this.view.camera.aspect = width / height;
    this.view.camera.updateProjectionMatrix();
  }

  /** A PNG of the picture as it is now. Draws first: the browser may have dropped the last frame already. */
  toBlob() {
    this.render();
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => {
        if (blob) resolve(blob);
        else reject(new Error('The picture could not be written as PNG.'));
      }, 'image/png');
    });
  }

  dispose() {
    for (const part of [this.bodies, this.backdrop, this.sun, this.overlays, this.highlight, this.view]) part.dispose();
    this.renderer.dispose();
  }
}
