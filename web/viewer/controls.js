// The controls around the picture: lists, buttons, keys, files, and the numbers in the panel.
import { bodyPairs, fillList, worldPairs } from './numbers.js';
import { COLOR_MODES, OVERLAYS, whyNot } from './pane.js';
import { describeKeys, listenToKeys } from './shortcuts.js';

const MESSAGE_MS = 8000;
const PHONE = '(max-width: 720px)';
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
const on = (id, event, run) => byId(id).addEventListener(event, run);
const press = (button, pressed) => button.setAttribute('aria-pressed', String(pressed));

function fillSelect(select, names) {
  select.replaceChildren(...names.map((name) => new Option(name, name)));
}

function fillSolvers(select, solvers) {
  for (const [label, fast] of [['fast', true], ['laboratory', false]]) {
    const group = document.createElement('optgroup');
    group.label = label;
    for (const { name, summary } of solvers.filter((solver) => solver.fast === fast)) {
      const option = new Option(name, name);
      option.title = summary;
      group.append(option);
    }
    select.append(group);
  }
}

/** Chooses a solver; what it does is told where the pointer rests. */
function chooseSolver(select, name) {
  select.value = name;
  select.title = select.selectedOptions[0]?.title ?? ''; // a recording may have one that this page does not know
}

/** Chooses a tolerance, which is added to the list when the address gave one that is not in it. */
function chooseTolerance(select, tolerance) {
  const name = tolerance === 0 ? '0' : tolerance.toExponential();
  if (![...select.options].some(({ value }) => value === name)) select.add(new Option(name, name));
  select.value = name;
}

function addChoices(parent, names, choose) {
  for (const name of names) {
    const button = document.createElement('button');
    button.textContent = name;
    button.dataset.name = name;
    press(button, false);
    button.addEventListener('click', () => choose(name));
    byId(parent).append(button);
  }
}

export class Controls {
  constructor(app) {
    this.app = app;
    const solvers = app.engine.solvers();
    this.solvers = solvers.map(({ name }) => name);
    this.scenes = app.engine.scenes().map(({ name }) => name);
    fillSelect(byId('scene'), this.scenes);
    fillSolvers(byId('solver'), solvers);
    fillSolvers(byId('rival'), solvers);
    addChoices('colors', COLOR_MODES, (mode) => this.#choose(() => app.setColor(mode)));
    addChoices('overlays', OVERLAYS, (name) => this.#choose(() => app.toggleOverlay(name)));
    this.#wireWorld();
    this.#wireTime();
    this.#wirePage();
    this.#wireKeys();
    this.#wireFiles();
    this.refreshLook();
    if (matchMedia(PHONE).matches) this.togglePanel();
  }

  // ---- wiring

  #run(changes = {}) {
    const { app } = this;
    const scene = byId('scene').value || this.scenes[0];
    const rival = app.isDuel ? byId('rival').value : null;
    const options = { solver: byId('solver').value, sleeping: byId('sleeping').checked, tolerance: Number(byId('tolerance').value) };
    app.runScene(scene, { ...options, rival, keepCamera: true, ...changes });
  }

  #wireWorld() {
    on('scene', 'change', () => this.#run({ keepCamera: false }));
    on('solver', 'change', () => this.#run());
    on('rival', 'change', () => this.#run());
    on('duel', 'click', () => this.toggleDuel());
    on('tolerance', 'change', ({ target }) => { for (const source of this.app.sources) source.tolerance = Number(target.value); });
    on('sleeping', 'change', ({ target }) => { for (const source of this.app.sources) source.sleeping = target.checked; });
    on('shoot', 'click', () => {
      this.app.pointer = null;
      this.app.shoot();
    });
  }

  #wireTime() {
    const { app } = this;
    on('play', 'click', () => app.setPlaying(!app.playing));
    on('step', 'click', () => app.stepBy(1));
    on('reset', 'click', () => app.reset());
    on('speed', 'change', ({ target }) => { app.speed = Number(target.value); });
    on('scrub', 'input', ({ target }) => {
      const frame = Number(target.value); // before the slider is brought up to date with the old frame
      app.setPlaying(false);
      app.seek(frame);
    });
  }

  #wirePage() {
    on('plots-button', 'click', () => this.togglePlots());
    on('panel-button', 'click', () => this.togglePanel());
    on('help-button', 'click', () => byId('help').showModal());
    on('help-close', 'click', () => byId('help').close());
  }

  #wireKeys() {
    const { app } = this;
    const keys = [
      { key: ' ', text: 'play or pause', run: () => app.setPlaying(!app.playing) },
      { key: '.', text: 'one step', run: () => app.stepBy(1) },
      { key: ',', text: 'one step back, as far as it was kept', run: () => app.stepBy(-1) },
      { key: 'r', text: 'from the beginning', run: () => app.reset() },
      { key: 'b', text: 'shoot a ball where the pointer is', run: () => app.shoot() },
      { key: 'f', text: 'look at everything', run: () => app.frameAll() },
      { key: 'd', text: 'duel: two solvers side by side', run: () => this.toggleDuel() },
      { key: 'p', text: 'plots', run: () => this.togglePlots() },
      { key: 'm', text: 'panel', run: () => this.togglePanel() },
      { key: 'o', text: 'open a recording', run: () => byId('file').click() },
      ...COLOR_MODES.map((mode, i) => ({ key: String(i + 1), text: `colour by ${mode}`, run: () => this.#choose(() => app.setColor(mode)) })),
      { key: 'c', text: 'contacts', run: () => this.#choose(() => app.toggleOverlay('contacts')) },
      { key: 'n', text: 'normals', run: () => this.#choose(() => app.toggleOverlay('normals')) },
      { key: 'i', text: 'impulses', run: () => this.#choose(() => app.toggleOverlay('impulses')) },
      { key: 'x', text: 'bounding boxes', run: () => this.#choose(() => app.toggleOverlay('boxes')) },
      { key: 'j', text: 'joints', run: () => this.#choose(() => app.toggleOverlay('joints')) },
      { key: '?', text: 'this list', run: () => byId('help').showModal() },
    ];
    listenToKeys(keys);
    describeKeys(byId('shortcuts'), keys, MOUSE);
  }

  #wireFiles() {
    const read = async (file) => { if (file) this.app.play(await file.arrayBuffer()); };
    on('open', 'click', () => byId('file').click());
    on('file', 'change', async ({ target }) => {
      await read(target.files[0]);
      target.value = '';
    });
    const page = document.documentElement;
    const hover = (over) => document.body.classList.toggle('drop', over);
    page.addEventListener('dragover', (event) => {
      event.preventDefault();
      hover(true);
    });
    page.addEventListener('dragleave', () => hover(false));
    page.addEventListener('drop', (event) => {
      event.preventDefault();
      hover(false);
      read(event.dataTransfer.files[0]);
    });
  }

  // ---- what more than one control does

  #choose(look) {
    try {
      look();
    } catch (error) {
      this.say(error.message);
    }
  }

  toggleDuel() {
    const rival = this.app.isDuel ? null : this.solvers.find((name) => name !== byId('solver').value);
    this.#run({ rival });
  }

  togglePlots() {
    this.app.showPlots(!this.app.plotsWanted);
    this.#refreshPlotsButton();
  }

  togglePanel() {
    const hidden = !byId('panel').hidden;
    byId('panel').hidden = hidden;
    byId('panel-button').setAttribute('aria-expanded', String(!hidden));
  }

  say(sentence) {
    byId('message').textContent = sentence;
    byId('message').hidden = false;
    clearTimeout(this.messageTimer);
    this.messageTimer = setTimeout(() => { byId('message').hidden = true; }, MESSAGE_MS);
  }

  // ---- bringing the controls up to date

  /** After something else is shown. */
  refresh() {
    const { source, sources, isDuel } = this.app;
    this.#labelRecording(source.live ? null : source.scene);
    if (source.live) byId('scene').value = source.scene;
    chooseSolver(byId('solver'), source.solver);
    byId('solver').disabled = !source.live;
    if (isDuel) chooseSolver(byId('rival'), sources[1].solver);
    byId('rival-field').hidden = !isDuel;
    press(byId('duel'), isDuel);
    byId('world-section').hidden = !source.live;
    byId('sleeping').checked = source.live && source.sleeping;
    if (source.live) chooseTolerance(byId('tolerance'), source.tolerance);
    this.#refreshPlotsButton();
    this.#offerLooks(source);
    this.refreshTime();
    this.refreshNumbers();
  }

  #offerLooks(source) {
    for (const button of [...byId('colors').children, ...byId('overlays').children]) {
      const reason = whyNot(source, button.dataset.name);
      button.disabled = reason !== null;
      button.title = reason ?? '';
    }
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

  #refreshPlotsButton() {
    const { isDuel, plotsWanted } = this.app;
    press(byId('plots-button'), plotsWanted || isDuel);
    byId('plots-button').disabled = isDuel;
  }

  refreshLook() {
    const { color, overlays } = this.app.look;
    for (const button of byId('colors').children) press(button, button.dataset.name === color);
    for (const button of byId('overlays').children) press(button, overlays[button.dataset.name]);
    byId('legend').textContent = LEGENDS[color];
  }

  refreshTime() {
    const { source, playing, plots } = this.app;
    byId('play').textContent = playing ? 'Pause' : 'Play';
    const scrub = byId('scrub');
    scrub.min = source.firstFrame;
    scrub.max = source.lastFrame;
    scrub.value = source.shown;
    byId('time').textContent = `${(source.shown * source.stepSeconds).toFixed(2)} s · ${source.shown}`;
    plots.draw();
  }

  refreshNumbers() {
    const [pane] = this.app.panes;
    fillList(byId('numbers'), worldPairs(pane.source, pane.stage.lastRenderMs));
    const body = pane.selected >= 0 ? pane.source.bodyNumbers(pane.selected) : null;
    byId('body-section').hidden = !body;
    if (!body) return;
    byId('body-title').textContent = `Body ${pane.selected}`;
    fillList(byId('body-numbers'), bodyPairs(body));
  }
}
