// The camera: where it stands, how the mouse and fingers move it, and how it finds everything.
import { MOUSE, PerspectiveCamera, TOUCH, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { cameraAxes, framePoints, outermostPoints } from './framing.js';
import { boxAround, sizeOf } from './surroundings.js';

const FIELD_OF_VIEW = 35;

/** Flat scenes are looked at from higher up, more so in tall pictures; long ones from the side. */
function goodAngle(box, aspect) {
  const [width, height, depth] = sizeOf(box);
  const flatness = 1 - Math.min(1, height / Math.max(width, depth, 1e-9));
  return { azimuth: depth > 1.25 * width ? 60 : 30, elevation: 12 + (aspect < 1 ? 35 : 20) * flatness ** 2 };
}

export class View {
  constructor(canvas) {
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.ROTATE };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.moved());
    this.points = [[-1, 0, 0], [1, 2, 0]];
    this.groundHeight = null;
    this.listener = null;
    this.isLifting = false;
    this.setView(30, 20, 1);
  }

  get target() {
    return this.controls.target;
  }

  get distance() {
    return Math.max(this.camera.position.distanceTo(this.target), 1e-6);
  }

  moved() {
    this.keepAboveGround();
    if (!this.isLifting) this.listener?.(this.getCamera());
  }

  // The steepest angle from below depends on where the target is and how far away, so it is renewed with every move.
  keepAboveGround() {
    const lowest = this.groundHeight === null ? -Infinity : this.groundHeight + 0.01 * this.distance;
    const steepest = Math.min(0.99, Math.max(-1, (lowest - this.target.y) / this.distance));
    this.controls.maxPolarAngle = Math.acos(steepest);
    if (this.camera.position.y < lowest - 1e-6 * this.distance && !this.isLifting) {
      this.isLifting = true;
      this.controls.update();
      this.isLifting = false;
    }
  }

  /** Looks at boxes from an angle that suits them. */
  frame(boxes, groundHeight) {
    this.points = outermostPoints(boxes);
    this.groundHeight = groundHeight;
    const { azimuth, elevation } = goodAngle(boxAround(boxes), this.camera.aspect);
    this.setView(azimuth, elevation, 1);
  }

  setView(azimuth, elevation, zoom) {
    const steep = Math.min(89.9, Math.max(-89.9, elevation));
    const axes = cameraAxes(azimuth, steep);
    const { target, distance } = framePoints(this.points, axes, FIELD_OF_VIEW, this.camera.aspect);
    const away = distance / Math.max(zoom, 1e-6);
    this.place(target.map((x, i) => x + away * axes.back[i]), target);
    this.moved();
  }

  getView() {
    const back = new Vector3().subVectors(this.camera.position, this.target).normalize();
    const azimuth = (Math.atan2(back.x, back.z) * 180) / Math.PI;
    const elevation = (Math.asin(back.y) * 180) / Math.PI;
    const { distance } = framePoints(this.points, cameraAxes(azimuth, elevation), FIELD_OF_VIEW, this.camera.aspect);
    return { azimuth, elevation, zoom: distance / this.distance };
  }

  getCamera() {
    return { position: this.camera.position.toArray(), target: this.target.toArray() };
  }

  /** Does not tell the listener: two stages that copy each other would not stop. */
  place(position, target) {
    const { listener } = this;
    this.listener = null;
    this.camera.position.fromArray(position);
    this.target.fromArray(target);
    this.controls.update();
    this.listener = listener;
  }

  /** Depth is spent where things are: between a hundredth of the distance and the end of the ground. */
  prepare() {
    this.camera.near = 0.01 * this.distance;
    this.camera.far = 60 * this.distance;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  dispose() {
    this.controls.dispose();
  }
}
