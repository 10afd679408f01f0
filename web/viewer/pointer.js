// The mouse on a picture: drag a body to grab and throw it, drag anything else to orbit, click a body for its numbers.

const CLICK_PIXELS = 4;
const CLICK_MS = 400;

/**
 * @param pane the picture
 * @param act { takeHold(body, point), dragTo(point), letGo(), select(body), moved(x, y) }
 */
export function followPointer(pane, act) {
  const { canvas, stage } = pane;
  let press = null;

  const place = (event) => {
    const rect = canvas.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  };

  // Before the orbit controls see it: they must not turn the camera while a body is held.
  const down = (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const [x, y] = place(event);
    const hit = event.shiftKey ? null : stage.pick(x, y);
    const held = hit !== null && act.takeHold(hit.body, hit.point);
    press = { x, y, time: event.timeStamp, hit, held };
    if (!held) return;
    stage.controlsEnabled = false;
    canvas.setPointerCapture(event.pointerId);
  };

  const move = (event) => {
    const [x, y] = place(event);
    act.moved(x, y);
    if (!press?.held) return;
    const target = stage.pointOnPlane(x, y, press.hit.point);
    if (target) act.dragTo(target);
  };

  const up = (event) => {
    if (!press || !event.isPrimary) return;
    const [x, y] = place(event);
    const clicked = Math.hypot(x - press.x, y - press.y) < CLICK_PIXELS && event.timeStamp - press.time < CLICK_MS;
    if (press.held) {
      act.letGo();
      stage.controlsEnabled = true;
    }
    if (clicked && event.type === 'pointerup') act.select(press.hit?.body ?? -1);
    press = null;
  };

  canvas.addEventListener('pointerdown', down, { capture: true });
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
}
