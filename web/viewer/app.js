// The page: panes with sources, and the controls that act on all of them alike.
import { LiveSource } from './live.js';
import { bodyPairs, fillList, worldPairs } from './numbers.js';
import { COLOR_MODES, OVERLAYS, Pane } from './pane.js';
import { PlaybackSource } from './playback.js';
import { Plots } from './plots.js';
import { followPointer } from './pointer.js';
import { describeKeys, listenToKeys } from './shortcuts.js';

const BUSY_MS = 30; // of a frame may go into steps; a scene that needs more runs slower than life
const NUMBERS_MS = 200; // between two updates of the panel
const MESSAGE_MS = 8000;
const BALL_SPEED = 40;
const BALL_SIZES = 30; // it starts at most so many body sizes from what it is to hit
const LEGENDS = {
  body: 'each body a stone of its own',
  speed: 'slate at rest, white from 10 m/s on, logarithmic',
  island: 'bodies that hang together by touching',
  graph: 'contacts of one colour are solved side by side',
  sleep: 'warm awake, cool and dark asleep',
};
const MOUSE = [
  ['drag a body', 'grab and throw it'], ['click a body', 'its numbers'], ['drag elsewhere', 'turn the camera'],
  ['right or Shift drag', 'move the camera'], ['wheel, pinch', 'zoom'],
];

const byId = (id) => document.getElementById(id);

function fillSelect(select, names) {
  select.replaceChildren(...names.map((name) => new Option(name, name)));
}

function known(what, name, names) {
  if (!names.includes(name)) throw new Error(`There is no ${what} called “${name}”; there are: ${names.join(', ')}.`);
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
    this.panes = [new Pane(byId('panes'))];
    this.plots = new Plots(byId('plots'));
    this.plotsWanted = false;
    this.#wirePane(this.panes[0]);
    this.#wireControls();
    this.#wireKeys();
    this.#wireFiles();
    new ResizeObserver(() => this.#resize()).observe(byId('panes'));
    requestAnimationFrame((time) => this.#tick(time));
  }

  get sources() { return this.panes.map((pane) => pane.source); }
  get isDuel() { return this.panes.length === 2; }

  // ---- what is shown

  /** Runs a scene. With a rival it is a duel: both solvers on the same scene. */
  runScene(scene, { solver = byId('solver').value, rival = this.isDuel ? byId('rival').value : null, keepCamera = false } = {}) {
    const options = { sleeping: byId('sleeping').checked };
    const sources = [solver, rival].filter(Boolean).map((name) => new LiveSource(this.engine, scene, { ...options, solver: name }));
    this.#show(sources, keepCamera);
    byId('scene').value = scene;
    byId('solver').value = solver;
    if (rival) byId('rival').value = rival;
  }

  /** Plays a recording; a bad one is refused with its sentence, and the page goes on as it was. */
  play(bytes) {
    let source;
    try {
      source = new PlaybackSource(bytes);
    } catch (error) {
      this.say(error.message);
      return false;
    }
    this.#show([source], false);
    return true;
  }

  #show(sources, keepCamera) {
    while (this.panes.length > sources.length) this.panes.pop().dispose();
    const camera = this.panes[0].source && keepCamera ? this.panes[0].stage.getCamera() : null;
    while (this.panes.length < sources.length) {
      this.panes.push(new Pane(byId('panes')));
      this.#wirePane(this.panes.at(-1));
    }
    this.#resize();
    this.panes.forEach((pane, i) => pane.setSource(sources[i]));
    if (camera) for (const pane of this.panes) pane.stage.setCamera(camera);
    this.owed = 0;
    const live = sources[0].live;
    const duel = sources.length === 2;
    this.panes.forEach((pane) => {
      pane.label.textContent = pane.source.solver;
      pane.label.hidden = !duel;
    });
    byId('rival-field').hidden = !duel;
    byId('duel').setAttribute('aria-pressed', String(duel));
    byId('world-section').hidden = !live;
    byId('solver').disabled = !live;
    if (!live) byId('solver').value = sources[0].solver;
    this.#labelRecording(live ? null : sources[0].scene);
    this.#showPlots();
    this.#refreshControls();
    byId('body-section').hidden = true;
  }

  // While a recording plays, the list of scenes begins with it.
  #labelRecording(name) {
    const select = byId('scene');
    select.querySelector('option[data-recording]')?.remove();
    if (name === null) return;
    const option = new Option(`${name} (recording)`, '');
    option.dataset.recording = 'yes';
    option.disabled = true;
    select.prepend(option);
    select.selectedIndex = 0;
  }

  reset() {
    if (this.sources[0].live) this.runScene(this.sources[0].scene, { keepCamera: true });
    else this.seek(0);
  }

  toggleDuel() {
    const scene = this.sources[0].live ? this.sources[0].scene : byId('scene').options[1].value;
    const rival = this.isDuel ? null : this.engine.solvers().map(({ name }) => name).find((name) => name !== byId('solver').value);
    this.runScene(scene, { rival, keepCamera: true });
  }

  say(sentence) {
    byId('message').textContent = sentence;
    byId('message').hidden = false;
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(() => { byId('message').hidden = true; }, MESSAGE_MS);
  }

  // ---- time

  setPlaying(on) {
    this.playing = on;
    if (on && !this.sources[0].canAdvance) this.seek(0);
    this.#refreshControls();
  }

  /** Shows the next frames, at once. */
  advance(count = 1) {
    for (let i = 0; i < count; i++) this.#advanceOnce();
    this.#refreshControls();
  }

  #advanceOnce() {
    try {
      for (const source of this.sources) source.advance();
    } catch (error) {
      this.setPlaying(false);
      this.say(error.message);
      return;
    }
    this.plots.push();
    this.#touch();
  }

  seek(frame) {
    try {
      for (const source of this.sources) source.seek(frame);
    } catch (error) {
      this.say(error.message);
    }
    this.#touch();
    this.#refreshControls();
  }

  stepBy(count) {
    this.setPlaying(false);
    if (count > 0) this.advance(count);
    else this.seek(this.sources[0].shown + count);
  }

  #tick(time) {
    const elapsed = Math.min(0.1, (time - (this.lastTime ?? time)) / 1000);
    this.lastTime = time;
    if (this.playing && this.sources[0]) this.#run(elapsed);
    if (!this.drawsByHand) for (const pane of this.panes) if (pane.source && pane.dirty) pane.draw(this.look);
    if (this.sources[0] && time - (this.numbersTime ?? -Infinity) > NUMBERS_MS) {
      this.numbersTime = time;
      this.#refreshNumbers();
    }
    requestAnimationFrame((next) => this.#tick(next));
  }

  #run(elapsed) {
    const { stepSeconds } = this.sources[0];
    const start = performance.now();
    this.owed += elapsed * this.speed;
    // Half a step early is as good as half a step late, and keeps one step per frame where the screen has 60.
    while (this.owed > 0.5 * stepSeconds && this.playing) {
      if (!this.sources[0].canAdvance) {
        this.setPlaying(false);
        return;
      }
      this.#advanceOnce();
      this.owed -= stepSeconds;
      if (performance.now() - start > BUSY_MS) this.owed = Math.min(this.owed, 0);
    }
    this.#refreshTime();
  }

  // ---- what the user does to the bodies: the same in both panes of a duel

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
    this.#touch();
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

  #wirePane(pane) {
    pane.stage.onCameraChange(() => {
      for (const other of this.panes) {
        if (other !== pane && !this.copyingCamera) {
          this.copyingCamera = true;
          other.stage.setCamera(pane.stage.getCamera());
          this.copyingCamera = false;
        }
        other.dirty = true;
      }
    });
    followPointer(pane, {
      takeHold: (at, body, point) => {
        const held = this.panes.map((each) => each.source.takeHold(body, point));
        return held[this.panes.indexOf(at)];
      },
      dragTo: (target) => { for (const source of this.sources) source.dragTo(target); this.#touch(); },
      letGo: () => { for (const source of this.sources) source.letGo(); this.#touch(); },
      select: (_, body) => {
        for (const each of this.panes) each.select(body);
        this.#refreshNumbers();
      },
      moved: (at, x, y) => { this.pointer = { pane: at, x, y }; },
    });
  }

  // ---- controls

  setColor(mode) {
    known('way to colour bodies', mode, COLOR_MODES);
    this.look.color = mode;
    for (const button of byId('colors').children) button.setAttribute('aria-pressed', String(button.dataset.name === mode));
    byId('legend').textContent = LEGENDS[mode];
    this.#touch();
  }

  toggleOverlay(name, on = !this.look.overlays[name]) {
    known('overlay', name, OVERLAYS);
    this.look.overlays[name] = on;
    byId('overlays').querySelector(`[data-name=${name}]`).setAttribute('aria-pressed', String(on));
    this.#touch();
  }

  #button(parent, name, run) {
    const button = document.createElement('button');
    button.textContent = name;
    button.dataset.name = name;
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', run);
    byId(parent).append(button);
    return button;
  }

  #wireControls() {
    fillSelect(byId('scene'), this.engine.scenes().map(({ name }) => name));
    const solvers = this.engine.solvers().map(({ name }) => name);
    fillSelect(byId('solver'), solvers);
    fillSelect(byId('rival'), solvers);
    byId('rival').selectedIndex = 1;
    for (const mode of COLOR_MODES) this.#button('colors', mode, () => this.setColor(mode));
    for (const name of OVERLAYS) this.#button('overlays', name, () => this.toggleOverlay(name));
    const joints = byId('overlays').querySelector('[data-name=joints]');
    joints.disabled = true;
    joints.title = 'no scene has joints yet';
    this.setColor('body');

    byId('scene').addEventListener('change', (event) => this.runScene(event.target.value));
    const restart = () => this.runScene(this.sources[0].scene, { keepCamera: true });
    byId('solver').addEventListener('change', restart);
    byId('rival').addEventListener('change', restart);
    byId('duel').addEventListener('click', () => this.toggleDuel());
    byId('sleeping').addEventListener('change', (event) => {
      for (const source of this.sources) source.sleeping = event.target.checked;
    });
    byId('shoot').addEventListener('click', () => { this.pointer = null; this.shoot(); });
    byId('play').addEventListener('click', () => this.setPlaying(!this.playing));
    byId('step').addEventListener('click', () => this.stepBy(1));
    byId('reset').addEventListener('click', () => this.reset());
    byId('speed').addEventListener('change', (event) => { this.speed = Number(event.target.value); });
    byId('scrub').addEventListener('input', (event) => {
      const frame = Number(event.target.value); // before the controls are brought up to date with the old frame
      this.setPlaying(false);
      this.seek(frame);
    });
    byId('plots-button').addEventListener('click', () => this.togglePlots());
    byId('panel-button').addEventListener('click', () => this.togglePanel());
    byId('help-button').addEventListener('click', () => byId('help').showModal());
    byId('help-close').addEventListener('click', () => byId('help').close());
    if (matchMedia('(max-width: 720px)').matches) this.togglePanel();
  }

  togglePanel() {
    const hidden = !byId('panel').hidden;
    byId('panel').hidden = hidden;
    byId('panel-button').setAttribute('aria-expanded', String(!hidden));
  }

  togglePlots() {
    this.plotsWanted = !this.plotsWanted;
    this.#showPlots();
  }

  #showPlots() {
    const on = this.plotsWanted || this.isDuel;
    this.plots.show(on ? this.sources : []);
    byId('plots-button').setAttribute('aria-pressed', String(on));
    byId('plots-button').disabled = this.isDuel;
  }

  #wireKeys() {
    const keys = [
      { key: ' ', text: 'play or pause', run: () => this.setPlaying(!this.playing) },
      { key: '.', text: 'one step', run: () => this.stepBy(1) },
      { key: ',', text: 'one step back, as far as it was kept', run: () => this.stepBy(-1) },
      { key: 'r', text: 'from the beginning', run: () => this.reset() },
      { key: 'b', text: 'shoot a ball where the pointer is', run: () => this.shoot() },
      { key: 'f', text: 'look at everything', run: () => { for (const pane of this.panes) pane.stage.frameAll(); this.#touch(); } },
      { key: 'd', text: 'duel: two solvers side by side', run: () => this.toggleDuel() },
      { key: 'p', text: 'plots', run: () => this.togglePlots() },
      { key: 'm', text: 'panel', run: () => this.togglePanel() },
      { key: 'o', text: 'open a recording', run: () => byId('file').click() },
      ...COLOR_MODES.map((mode, i) => ({ key: String(i + 1), text: `colour by ${mode}`, run: () => this.setColor(mode) })),
      { key: 'c', text: 'contacts', run: () => this.toggleOverlay('contacts') },
      { key: 'n', text: 'normals', run: () => this.toggleOverlay('normals') },
      { key: 'i', text: 'impulses', run: () => this.toggleOverlay('impulses') },
      { key: 'x', text: 'bounding boxes', run: () => this.toggleOverlay('boxes') },
      { key: '?', text: 'this list', run: () => byId('help').showModal() },
    ];
    listenToKeys(keys);
    describeKeys(byId('shortcuts'), keys, MOUSE);
  }

  #wireFiles() {
    const read = async (file) => { if (file) this.play(await file.arrayBuffer()); };
    byId('open').addEventListener('click', () => byId('file').click());
    byId('file').addEventListener('change', async (event) => {
      await read(event.target.files[0]);
      event.target.value = '';
    });
    const page = document.documentElement;
    page.addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('drop'); });
    page.addEventListener('dragleave', () => document.body.classList.remove('drop'));
    page.addEventListener('drop', (event) => {
      event.preventDefault();
      document.body.classList.remove('drop');
      read(event.dataTransfer.files[0]);
    });
  }

  // ---- bringing the page up to date

  #touch() { for (const pane of this.panes) pane.dirty = true; }

  #resize() {
    for (const pane of this.panes) pane.stage.resize();
    this.#touch();
    this.plots.draw();
  }

  #refreshControls() {
    byId('play').textContent = this.playing ? 'Pause' : 'Play';
    this.#refreshTime();
  }

  #refreshTime() {
    const source = this.sources[0];
    const scrub = byId('scrub');
    scrub.min = source.firstFrame;
    scrub.max = source.lastFrame;
    scrub.value = source.shown;
    byId('time').textContent = `${(source.shown * source.stepSeconds).toFixed(2)} s · ${source.shown}`;
    this.plots.draw();
  }

  #refreshNumbers() {
    const pane = this.panes[0];
    fillList(byId('numbers'), worldPairs(pane.source, pane.stage.lastRenderMs));
    const body = pane.selected >= 0 ? pane.source.bodyNumbers(pane.selected) : null;
    byId('body-section').hidden = !body;
    if (!body) return;
    byId('body-title').textContent = `Body ${pane.selected}`;
    fillList(byId('body-numbers'), bodyPairs(body));
  }
}
