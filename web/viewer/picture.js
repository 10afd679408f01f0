// One picture instead of a page, for `cairn render`: draws the frame that the address asks for and posts it as PNG.

const TURN_MS = 100;

function numbers(text, count, name) {
  const values = text.split(',').map(Number);
  if (values.length !== count || !values.every(Number.isFinite)) throw new Error(`${name} must be ${count} numbers, not “${text}”.`);
  return values;
}

// Steps in turns, so that the browser does not think the page hangs.
async function goTo(app, frame) {
  const [source] = app.sources;
  if (!source.live) {
    app.seek(frame);
    return;
  }
  while (source.shown < frame) {
    const start = performance.now();
    while (source.shown < frame && performance.now() - start < TURN_MS) app.advance();
    await new Promise((resume) => setTimeout(resume));
  }
}

export async function deliverPicture(app, parameters) {
  const refused = document.getElementById('message');
  if (!refused.hidden) throw new Error(refused.textContent);
  app.setPlaying(false);
  app.drawsByHand = true;
  const [width, height] = [parameters.get('width') ?? 1280, parameters.get('height') ?? 720].map(Number);
  const [pane] = app.panes;
  Object.assign(document.getElementById('panes').style, { width: `${width}px`, height: `${height}px`, flexDirection: 'row' });
  await goTo(app, Number(parameters.get('frame') ?? 0));
  pane.draw(app.look);
  pane.stage.resize();
  pane.stage.frameAll();
  if (parameters.has('camera')) pane.stage.setView(...numbers(parameters.get('camera'), 3, 'The camera'));
  pane.draw(app.look);
  const blob = await pane.stage.toBlob();
  await fetch(parameters.get('deliver'), { method: 'POST', headers: { 'Content-Type': 'image/png' }, body: blob });
}
