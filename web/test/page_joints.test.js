// Joints in the page, in a real browser: drawn, told of, broken, grabbed and recorded.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { close, launch, missing, open, pageAddress, until } from './browser.js';
import { cairn, hasProgram } from './native.js';

describe('joints in the page', { skip: missing }, () => {
  let browser;
  let folder;
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'cairn-joints-'));
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const visit = (query, viewport) => open(browser, pageAddress + query, viewport);

  test('joints are drawn when asked for, and told of in the numbers of a body', async () => {
    const tab = await visit('?scene=chain&paused&show=joints', { width: 900, height: 600 });
    const seen = await tab.evaluate(() => {
      cairn.advance(20);
      const [{ stage, source }] = cairn.panes;
      cairn.panes[0].draw(cairn.look);
      const { links, dots } = stage.jointLines;
      const body = source.world.joints()[5].bodyB.slot;
      cairn.select(body);
      return { joints: source.joints.count, links: links.count, dots: dots.count, body, of: source.bodyNumbers(body).joints };
    });
    assert.ok(seen.joints >= 20 && seen.links >= 2 * seen.joints && seen.dots >= seen.joints, JSON.stringify(seen));
    assert.equal(seen.of.length, 2);
    assert.ok(seen.of.every(({ force }) => force > 0), JSON.stringify(seen.of));
    assert.match(await tab.textContent('#body-numbers'), / to \d+.*\d\sN/);
    await tab.keyboard.press('j');
    assert.equal(await tab.evaluate(() => cairn.look.overlays.joints), false);
    await close(tab);
    const none = await visit('?scene=tower&paused');
    assert.equal(await none.isDisabled('#overlays [data-name=joints]'), true);
    await none.keyboard.press('j');
    assert.match(await none.textContent('#message'), /no “joints” to show: there are no joints here/);
    await close(none);
  });

  test('a joint that breaks vanishes, and is there again when one looks back', async () => {
    const tab = await visit('?scene=chain&paused&show=joints');
    const counts = await tab.evaluate(() => {
      const [{ stage, source }] = cairn.panes;
      const drawn = () => {
        cairn.panes[0].draw(cairn.look);
        return stage.jointLines.dots.count;
      };
      cairn.advance(2);
      const before = drawn();
      source.world.joints()[0].setBreak(1e-3);
      cairn.advance(3);
      const after = drawn();
      cairn.seek(2);
      return { before, after, again: drawn(), left: source.world.jointCount - source.joints.count };
    });
    assert.ok(counts.after < counts.before && counts.again === counts.before, JSON.stringify(counts));
    assert.equal(counts.left, -1);
    await close(tab);
  });

  test('who grabs one link of a mechanism can lift all of it', async () => {
    const tab = await visit('?scene=ragdolls&paused');
    const heights = await tab.evaluate(() => {
      const [source] = cairn.sources;
      const body = source.bodies.findIndex(({ type }) => type === 'dynamic');
      const place = source.world.bodyAt(body).position;
      const joints = source.world.jointCount;
      source.takeHold(body, place);
      source.dragTo([place[0], place[1] + 3, place[2]]);
      cairn.advance(60);
      const lifted = source.world.bodyAt(body).position[1] - place[1];
      source.letGo();
      return { lifted, joints: source.world.jointCount - joints };
    });
    assert.ok(Math.abs(heights.lifted - 3) < 0.3, JSON.stringify(heights));
    assert.equal(heights.joints, 0);
    await close(tab);
  });

  test('a recording shows its joints', { skip: !hasProgram && 'the native program is not built' }, async () => {
    const path = join(folder, 'chain.cairnrec');
    cairn('run', 'chain', '--steps', '20', '--record', path);
    const tab = await visit('?scene=tower&paused');
    await tab.setInputFiles('#file', path);
    await until(tab, () => !cairn.sources[0].live);
    assert.equal(await tab.isDisabled('#overlays [data-name=joints]'), false);
    const seen = await tab.evaluate(() => {
      cairn.setPlaying(false);
      cairn.toggleOverlay('joints', true);
      cairn.seek(20);
      const [pane] = cairn.panes;
      pane.draw(cairn.look);
      const { numbers, count } = pane.source.joints;
      const between = Array.from({ length: count }, (_, i) => [numbers[44 * i + 1], numbers[44 * i + 2]]).find(([a, b]) => a > 0 && b > 0);
      return { count, links: pane.stage.jointLines.links.count, of: pane.source.bodyNumbers(between[0]).joints.length };
    });
    assert.ok(seen.count >= 20 && seen.links >= 2 * seen.count && seen.of >= 1, JSON.stringify(seen));
    await close(tab);
  });
});
