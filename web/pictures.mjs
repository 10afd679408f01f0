// Makes the screenshots of docs/images: the page as a user sees it.
import { fileURLToPath } from 'node:url';
import { launch, open, pageAddress } from './test/browser.js';

const SIZE = { width: 1120, height: 720 };
const PICTURES = [
  { name: 'viewer', query: '?scene=dominoes&paused&show=contacts,impulses', steps: 250, view: [-35, 26, 1.2] },
  { name: 'joints', query: '?scene=gears&paused&show=joints', steps: 30 },
  { name: 'duel', query: '?scene=tower&duel=pgs&paused', steps: 100 },
];

const browser = await launch();
for (const { name, query, steps, view } of PICTURES) {
  const tab = await open(browser, pageAddress + query, SIZE);
  await tab.evaluate(async ([count, from]) => {
    cairn.drawsByHand = true;
    cairn.advance(count);
    for (const pane of cairn.panes) pane.draw(cairn.look);
    if (from) {
      const [{ stage, canvas }] = cairn.panes;
      stage.frameAll();
      stage.setView(...from);
      cairn.select(stage.pick(0.574 * canvas.clientWidth, 0.7 * canvas.clientHeight)?.body ?? -1);
    }
    cairn.touch();
    cairn.drawsByHand = false;
    await new Promise((resume) => setTimeout(resume, 1500));
  }, [steps, view]);
  const path = fileURLToPath(new URL(`../docs/images/${name}.png`, import.meta.url));
  await tab.screenshot({ path });
  console.log(`docs/images/${name}.png`);
}
await browser.close();
