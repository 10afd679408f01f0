// Starts the page: decides from its address and its content what to show.
import { App, known } from './app.js';
import { bytesFromBase64, loadEngine } from './engine.js';
import { deliverPicture } from './picture.js';

const FIRST_SCENE = 'shapes';

async function recordingBytes(parameters) {
  const embedded = document.getElementById('recording').textContent.trim();
  if (embedded) return bytesFromBase64(embedded);
  const address = parameters.get('recording');
  if (!address) return null;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The recording could not be fetched: the server answers ${response.status}.`);
  return response.arrayBuffer();
}

function accuracy(text) {
  if (!(text.trim() !== '' && Number(text) >= 0 && Number.isFinite(Number(text))))
    throw new Error(`The tolerance “${text}” is no accuracy: it must be a number such as 1e-4, or 0 for none.`);
  return Number(text);
}

// What the address asks for: scene=, solver=, duel=RIVAL, tolerance=, color=, show=LIST, paused, base (the build without SIMD).
// What is wrong in it is left out, and the rest is shown; `complaints` gets a sentence for each.
function sceneOptions(parameters, { scenes, solvers }, complaints) {
  const take = (name, read, otherwise) => {
    try {
      return parameters.has(name) ? read(parameters.get(name)) : otherwise;
    } catch (error) {
      complaints.push(error.message);
      return otherwise;
    }
  };
  const oneOf = (what, names) => (name) => {
    known(what, name, names);
    return name;
  };
  return {
    scene: take('scene', oneOf('scene', scenes), FIRST_SCENE),
    solver: take('solver', oneOf('solver', solvers)),
    rival: take('duel', oneOf('solver', solvers), null),
    tolerance: take('tolerance', accuracy, 0),
  };
}

function applyLook(app, parameters) {
  if (parameters.has('color')) app.setColor(parameters.get('color'));
  for (const name of (parameters.get('show') ?? '').split(',').filter(Boolean)) app.toggleOverlay(name, true);
  if (parameters.has('paused')) app.setPlaying(false);
}

async function start(parameters) {
  const engine = await loadEngine(parameters.has('base') ? { simd: false } : {});
  const app = new App(engine);
  window.cairn = app; // for the console and for tests
  const complaints = [];
  const bytes = await recordingBytes(parameters).catch((error) => { complaints.push(error.message); });
  const { scene, ...options } = sceneOptions(parameters, app.controls, complaints);
  try {
    if (!bytes || !app.play(bytes)) app.runScene(scene, options);
  } catch (error) {
    app.runScene(FIRST_SCENE);
    complaints.push(error.message);
  }
  if (complaints.length > 0) app.controls.say(complaints.join(' '));
  return app;
}

async function main() {
  const parameters = new URLSearchParams(location.search);
  const deliver = parameters.has('deliver');
  if (deliver) document.body.classList.add('picture');
  try {
    const app = await start(parameters);
    try {
      applyLook(app, parameters);
    } catch (error) {
      if (deliver) throw error;
      app.controls.say(error.message);
    }
    if (deliver) await deliverPicture(app, parameters);
    document.body.dataset.ready = 'yes';
  } catch (error) {
    const message = document.getElementById('message');
    message.textContent = error.message;
    message.hidden = false;
    if (deliver) await fetch('failure', { method: 'POST', body: error.message });
    else throw error;
  }
}

main();
