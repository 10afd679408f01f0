// What the page shows and what happens to it: panes with sources, time, and the user's hands on the bodies.
// The controls around it are in controls.js.
import { Controls } from './controls.js';
import { LiveSource } from './live.js';
import { COLOR_MODES, OVERLAYS, Pane, whyNot } from './pane.js';
import { PlaybackSource } from './playback.js';
import { Plots } from './plots.js';
import { followPointer } from './pointer.js';

const BUSY_MS = 30; // of a frame may go into steps; a scene that needs more runs slower than life
const LONGEST_FRAME = 0.1; // s: a page that was away does not catch up
const NUMBERS_MS = 200; // between two updates of the panel
const BALL_SPEED = 40; // m/s
const BALL_SIZES = 30; // it starts at most so many body sizes from what it is to hit

export function known(what, name, names) {
  if (!names.includes(name)) throw new Error(`There is no ${what} called “${name}”; there are: ${names.join(', ')}.`);
}

function checkShown(source, name) {
  const reason = source && whyNot(source, name);
  if (reason) throw new Error(`There is no “${name}” to show: ${reason}.`);
}

export class App {
  constructor(engine) {
    this.engine = engine;
    this.look = { color: 'body', overlays: Object.fromEntries(OVERLAYS.map((name) => [name, false])) };
    this.playing = true;
    this.speed = 1;
    this.owed = 0; // seconds of the scene that are to be shown
    this.drawsByHand = false; // someone else says when to draw
    this.pointer = null; // where the mouse was last: { pane, x, y }
    this.container = document.getElementById('panes');
    this.panes = [];
    this.plots = new Plots(document.getElementById('plots'));
    this.plotsWanted = false;
    this.controls = new Controls(this);
    new ResizeObserver(() => this.resize()).observe(this.container);
    requestAnimationFrame((time) => this.#tick(time));
  }

  get sources() { return this.panes.map((pane) => pane.source); }
  get source() { return this.panes[0]?.source; }
  get isDuel() { return this.panes.length === 2; }

  // ---- what is shown

  /** Runs a scene. With a rival it is a duel: both solvers on the same scene. */
  runScene(scene, { solver, rival = null, sleeping = false, tolerance = 0, keepCamera = false } = {}) {
    const solvers = [solver ?? this.engine.solvers()[0].name, rival].filter(Boolean);
    this.#show(solvers.map((name) => new LiveSource(this.engine, scene, { solver: name, sleeping, tolerance })), keepCamera);
  }

  /** Plays a recording; a bad one is refused with its sentence, and the page goes on as it was. */
  play(bytes) {
    let source;
    try {
      source = new PlaybackSource(bytes);
    } catch (error) {
      this.controls.say(error.message);
      return false;
    }
    this.#show([source], false);
    if (source.recording.cutShort)
      this.controls.say(source.recording.cutShort);
    return true;
  }

  #show(sources, keepCamera) {
    const camera = keepCamera && this.source ? this.panes[0].stage.getCamera() : null;
    while (this.panes.length > sources.length) this.panes.pop().dispose();
    while (this.panes.length < sources.length) this.#addPane();
    this.resize();
    this.panes.forEach((pane, i) => pane.setSource(sources[i], this.isDuel ? sources[i].solver : null));
    if (camera) for (const pane of this.panes) pane.stage.setCamera(camera);
    this.owed = 0;
    if (whyNot(this.source, this.look.color)) this.setColor('body');
    this.showPlots(this.plotsWanted);
    this.controls.refresh();
  }

  showPlots(on) {
    this.plotsWanted = on;
    this.plots.show(on || this.isDuel ? this.sources : []);
  }

  #addPane() {
    const pane = new Pane(this.container);
    this.panes.push(pane);
    pane.stage.onCameraChange(() => {
      for (const other of this.panes) if (other !== pane) other.stage.setCamera(pane.stage.getCamera());
      this.touch();
    });
    followPointer(pane, {
      takeHold: (body, point) => this.sources.map((source) => source.takeHold(body, point))[this.panes.indexOf(pane)],
      dragTo: (target) => this.#eachSource((source) => source.dragTo(target)),
      letGo: () => this.#eachSource((source) => source.letGo()),
      select: (body) => this.select(body),
      moved: (x, y) => { this.pointer = { pane, x, y }; },
    });
  }

  #eachSource(act) {
    this.sources.forEach(act);
    this.touch();
  }

  // ---- time

  setPlaying(on) {
    this.playing = on;
    if (on && !this.source.canAdvance) this.seek(0);
    this.controls.refreshTime();
  }

  /** Shows the next frames, at once. */
  advance(count = 1) {
    for (let i = 0; i < count; i++) this.#advanceOnce();
    this.controls.refreshTime();
  }

  #advanceOnce() {
    try {
      this.#eachSource((source) => source.advance());
      this.plots.push();
    } catch (error) {
      this.setPlaying(false);
      this.controls.say(error.message);
    }
  }

  seek(frame) {
    try {
      this.#eachSource((source) => source.seek(frame));
    } catch (error) {
      this.controls.say(error.message);
    }
    this.controls.refreshTime();
  }

  stepBy(count) {
    this.setPlaying(false);
    if (count > 0) this.advance(count);
    else this.seek(this.source.shown + count);
  }

  reset() {
    if (!this.source.live) {
      this.seek(0);
      return;
    }
    const { scene, solver, sleeping, tolerance } = this.source;
    this.runScene(scene, { solver, rival: this.sources[1]?.solver, sleeping, tolerance, keepCamera: true });
  }

  #tick(time) {
    const elapsed = Math.min(LONGEST_FRAME, (time - (this.lastTime ?? time)) / 1000);
    this.lastTime = time;
    if (this.source) this.#refresh(time, elapsed);
    requestAnimationFrame((next) => this.#tick(next));
  }

  #refresh(time, elapsed) {
    if (this.playing) this.#run(elapsed);
    if (!this.drawsByHand) for (const pane of this.panes) if (pane.dirty) pane.draw(this.look);
    if (time - (this.numbersTime ?? -Infinity) < NUMBERS_MS) return;
    this.numbersTime = time;
    this.controls.refreshNumbers();
  }

  #run(elapsed) {
    const { stepSeconds } = this.source;
    const start = performance.now();
    this.owed += elapsed * this.speed;
    // Half a step early is as good as half a step late, and keeps one step per frame where the screen has 60.
    while (this.owed > 0.5 * stepSeconds && this.playing) {
      if (!this.source.canAdvance) {
        this.setPlaying(false);
        return;
      }
      this.#advanceOnce();
      this.owed -= stepSeconds;
      if (performance.now() - start > BUSY_MS) this.owed = Math.min(this.owed, 0);
    }
    this.controls.refreshTime();
  }

  // ---- what the user does to the bodies: the same in both panes of a duel

  select(body) {
    for (const pane of this.panes) pane.select(body);
    this.controls.refreshNumbers();
  }

  /** Shoots a ball at what is under the pointer, or in the middle of the picture. */
  shoot() {
    const pane = this.pointer?.pane ?? this.panes[0];
    if (!pane.source.live) return;
    const rect = pane.canvas.getBoundingClientRect();
    const { x, y } = this.pointer ?? { x: rect.width / 2, y: rect.height / 2 };
    const ball = this.#aim(pane, x, y);
    for (const each of this.panes) {
      each.source.seek(each.source.lastFrame);
      each.addBody(each.source.shoot(ball));
    }
  }

  // A ball that comes from the camera and, falling as it flies, meets what is under the pointer.
  #aim({ stage, source }, x, y) {
    const { origin, direction } = stage.ray(x, y);
    const target = stage.pick(x, y)?.point ?? stage.getCamera().target;
    const distance = Math.hypot(...target.map((t, i) => t - origin[i]));
    const flight = Math.min(distance, BALL_SIZES * stage.bodySize);
    const time = flight / BALL_SPEED;
    const { gravity } = source.world;
    return {
      position: target.map((t, i) => t - flight * direction[i]),
      velocity: direction.map((d, i) => BALL_SPEED * d - 0.5 * gravity[i] * time),
      radius: Math.max(0.05, 0.5 * stage.bodySize),
    };
  }

  // ---- how it looks

  setColor(mode) {
    known('way to colour bodies', mode, COLOR_MODES);
    checkShown(this.source, mode);
    this.look.color = mode;
    this.controls.refreshLook();
    this.touch();
  }

  toggleOverlay(name, on = !this.look.overlays[name]) {
    known('overlay', name, OVERLAYS);
    if (on) checkShown(this.source, name);
    this.look.overlays[name] = on;
    this.controls.refreshLook();
    this.touch();
  }

  frameAll() {
    for (const pane of this.panes) pane.stage.frameAll();
    this.touch();
  }

  touch() { for (const pane of this.panes) pane.dirty = true; }

  resize() {
    for (const pane of this.panes) pane.stage.resize();
    this.touch();
    this.plots.draw();
  }
}
