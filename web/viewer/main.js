// Starts the page: decides from its address and its content what to show.
import { App } from './app.js';
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

// What the address asks for: scene=, solver=, duel=RIVAL, tolerance=, color=, show=LIST, paused, base (the build without SIMD).
function sceneOptions(parameters) {
  const tolerance = parameters.get('tolerance') ?? '0';
  if (!(tolerance.trim() !== '' && Number(tolerance) >= 0 && Number.isFinite(Number(tolerance))))
    throw new Error(`The tolerance “${tolerance}” is no accuracy: it must be a number such as 1e-4, or 0 for none.`);
  return { solver: parameters.get('solver') ?? undefined, rival: parameters.get('duel'), tolerance: Number(tolerance) };
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
  const scene = parameters.get('scene') ?? FIRST_SCENE;
  try {
    const bytes = await recordingBytes(parameters);
    if (!bytes || !app.play(bytes)) app.runScene(scene, sceneOptions(parameters));
  } catch (error) {
    app.runScene(FIRST_SCENE);
    app.controls.say(error.message);
  }
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
