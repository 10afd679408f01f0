// One picture on the page: a stage, the source it shows, and how that is coloured.
import { Stage } from './stage.js';

export const COLOR_MODES = ['body', 'speed', 'island', 'graph', 'sleep'];
export const OVERLAYS = ['contacts', 'normals', 'impulses', 'boxes', 'joints'];
const PLAIN_LOOKS = ['body', 'speed', 'sleep'];

/** Why a source cannot be shown like that; null when it can. Recordings hold places and turns, not contacts. */
export function whyNot(source, name) {
  if (name === 'joints') return source.joints.count > 0 ? null : 'there are no joints here';
  return source.live || PLAIN_LOOKS.includes(name) ? null : 'a recording holds no contacts';
}

export class Pane {
  constructor(parent) {
    this.element = document.createElement('div');
    this.element.className = 'pane';
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.label = document.createElement('div');
    this.label.className = 'label';
    this.element.append(this.canvas, this.label);
    parent.append(this.element);
    this.stage = new Stage(this.canvas);
    this.selected = -1;
    this.dirty = true;
  }

  /** Shows another source from a good angle, with a label or null for none. */
  setSource(source, label) {
    this.source?.dispose();
    this.source = source;
    this.selected = -1;
    this.label.textContent = label;
    this.label.hidden = label === null;
    this.stage.setBodies(source.bodies);
    this.stage.setTransforms(source.transforms);
    this.stage.frameAll();
    this.dirty = true;
  }

  addBody(body) {
    this.stage.addBodies([body]);
    this.dirty = true;
  }

  select(index) {
    this.selected = index;
    this.stage.setSelected(index);
    this.dirty = true;
  }

  /** Brings the picture up to date with the source. `look` is { color, overlays }. */
  draw(look) {
    const { stage, source } = this;
    stage.setTransforms(source.transforms);
    stage.setColors(look.color, this.#values(look.color));
    stage.setOverlays({ ...look.overlays, contacts: look.overlays.contacts || look.color === 'graph' });
    this.#drawOverlays(look);
    stage.setGrab(source.grab ? source.grab.point : null, source.grab?.target);
    stage.render();
    this.dirty = false;
  }

  #drawOverlays({ color, overlays }) {
    const { stage, source } = this;
    if (overlays.contacts || overlays.normals || overlays.impulses || color === 'graph') {
      const contacts = source.contacts();
      stage.setContacts(contacts ?? new Float32Array(0), contacts ? contacts.length / 16 : 0);
    }
    if (overlays.boxes) {
      const boxes = source.boxes();
      stage.setBoxes(boxes ?? new Float32Array(0), boxes ? boxes.length / 6 : 0);
    }
    if (overlays.joints) stage.setJoints(source.joints, source.shown);
  }

  #values(mode) {
    const { source } = this;
    if (mode === 'speed') return source.speeds();
    if (mode === 'island') return source.islands() ?? new Int32Array(source.bodies.length).fill(-1);
    if (mode === 'sleep') return source.bodies.map((_, i) => source.transforms[8 * i + 3]);
    return undefined;
  }

  dispose() {
    this.source?.dispose();
    this.stage.dispose();
    this.element.remove();
  }
}
