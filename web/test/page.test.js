// The page in a real browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { close, launch, missing, open, pageAddress, pagePath, until, variety } from './browser.js';
import { cairn, hasProgram, nativeHash, program } from './native.js';

const MOST_GZIPPED = 1.5e6;

describe('the page', { skip: missing }, () => {
  let browser;
  let folder;
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'cairn-page-'));
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const visit = (query = '', viewport) => open(browser, pageAddress + query, viewport);
  const file = (name, bytes) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  /** A point on the screen at which a dynamic body of the first pane is. */
  const findBody = (tab) => tab.evaluate(() => {
    const { stage, source, canvas } = cairn.panes[0];
    const rect = canvas.getBoundingClientRect();
    for (let y = 0.35; y < 0.9; y += 0.02)
      for (let x = 0.2; x < 0.8; x += 0.01) {
        const hit = stage.pick(x * rect.width, y * rect.height);
        if (hit && source.bodies[hit.body].type === 'dynamic')
          return { ...hit, x: rect.left + x * rect.width, y: rect.top + y * rect.height };
      }
    return null;
  });
  const placeOf = (tab, body, pane = 0) =>
    tab.evaluate(([i, p]) => cairn.panes[p].source.world.bodyAt(i).position, [body, pane]);

  test('is one file that fits the limit, and asks nobody else for anything', async () => {
    const bytes = gzipSync(readFileSync(pagePath)).length;
    assert.ok(bytes < MOST_GZIPPED, `${bytes} bytes gzipped`);
    const tab = await browser.newPage();
    const asked = [];
    tab.on('request', (request) => asked.push(request.url()));
    await tab.goto(pageAddress);
    await tab.waitForSelector('body[data-ready=yes]');
    assert.deepEqual(asked.filter((url) => !url.startsWith('data:')), [pageAddress]);
    await tab.close();
  });

  test('runs a scene by itself, and its picture is not blank', async () => {
    const tab = await visit('?scene=tower');
    await until(tab, () => cairn.sources[0].shown >= 3);
    const look = await variety(tab, await tab.locator('.pane canvas').screenshot());
    assert.ok(look.colors > 500 && look.spread > 5, JSON.stringify(look));
    await close(tab);
  });

  for (const build of ['', '&base'])
    test(`gives the native hash ${build ? 'without' : 'with'} SIMD`, { skip: !hasProgram && 'the native program is not built' }, async () => {
      const tab = await visit(`?scene=shapes&paused${build}`);
      const hash = await tab.evaluate(() => {
        cairn.advance(60);
        return cairn.sources[0].world.hash();
      });
      assert.equal(hash, nativeHash('shapes', 60));
      await close(tab);
    });

  test('grabs a body with the mouse, drags it and lets it go', async () => {
    const tab = await visit('?scene=dominoes&paused');
    const { body, x, y } = await findBody(tab);
    const before = await placeOf(tab, body);
    await tab.mouse.move(x, y);
    await tab.mouse.down();
    await tab.mouse.move(x, y - 60, { steps: 4 });
    const held = await tab.evaluate(() => cairn.sources[0].grab !== null);
    assert.equal(held, true);
    await tab.evaluate(() => cairn.advance(45));
    const lifted = await placeOf(tab, body);
    assert.ok(lifted[1] - before[1] > 0.2, `lifted from ${before} to ${lifted}`);
    const camera = await tab.evaluate(() => cairn.panes[0].stage.getCamera());
    await tab.mouse.up();
    assert.equal(await tab.evaluate(() => cairn.sources[0].grab), null);
    await tab.evaluate(() => cairn.advance(60));
    const fallen = await placeOf(tab, body);
    assert.ok(fallen[1] < lifted[1] - 0.1, `fell from ${lifted} to ${fallen}`);
    assert.deepEqual(await tab.evaluate(() => cairn.panes[0].stage.getCamera()), camera, 'the camera did not turn meanwhile');
    await close(tab);
  });

  test('a click shows the numbers of a body, dragging the ground turns the camera', async () => {
    const tab = await visit('?scene=tower&paused', { width: 900, height: 600 });
    await tab.evaluate(() => cairn.advance(30));
    const { body, x, y } = await findBody(tab);
    await tab.mouse.click(x, y);
    await tab.waitForSelector('#body-section:not([hidden])');
    assert.equal(await tab.textContent('#body-title'), `Body ${body}`);
    assert.match(await tab.textContent('#body-numbers'), /mass100 kg.*contacts\d/);
    const before = await tab.evaluate(() => cairn.panes[0].stage.getCamera().position);
    await tab.mouse.move(60, 300);
    await tab.mouse.down();
    await tab.mouse.move(160, 320, { steps: 3 });
    await tab.mouse.up();
    const turned = await tab.evaluate(() => cairn.panes[0].stage.getCamera().position);
    assert.notDeepEqual(turned, before);
    await close(tab);
  });

  test('shoots a ball that moves things', async () => {
    const tab = await visit('?scene=tower&paused');
    const count = await tab.evaluate(() => cairn.sources[0].bodies.length);
    await tab.keyboard.press('b');
    const ball = await tab.evaluate(() => {
      cairn.advance(120);
      const { world } = cairn.sources[0];
      const aside = Array.from({ length: 40 }, (_, i) => world.bodyAt(i + 1).position).map(([x, , z]) => Math.hypot(x, z));
      return { count: world.bodyCount, farthest: Math.max(...aside) };
    });
    assert.equal(ball.count, count + 1);
    assert.ok(ball.farthest > 1, `of the tower nothing is farther aside than ${ball.farthest} m`);
    await close(tab);
  });

  test('colours, overlays, sleep, plots, panel and help all work by key and by button', async () => {
    const tab = await visit('?scene=shapes&paused', { width: 900, height: 600 });
    await tab.evaluate(() => cairn.advance(100));
    for (const key of ['1', '2', '3', '4', '5', 'c', 'n', 'i', 'x', 'p', 'm', 'f']) {
      await tab.keyboard.press(key);
      await tab.evaluate(() => new Promise(requestAnimationFrame));
    }
    assert.deepEqual(await tab.evaluate(() => cairn.look),
      { color: 'sleep', overlays: { contacts: true, normals: true, impulses: true, boxes: true, joints: false } });
    assert.equal(await tab.locator('#plots canvas').count(), 4);
    await tab.keyboard.press('m');
    await tab.check('#sleeping');
    assert.equal(await tab.evaluate(() => cairn.sources[0].world.sleeping), true);
    await tab.keyboard.press('?');
    assert.match(await tab.textContent('#help'), /Space.*play or pause.*grab and throw/s);
    await tab.keyboard.press('Escape');
    await close(tab);
  });

  test('scrubs back through what it showed and goes on from the end', async () => {
    const tab = await visit('?scene=tower&paused');
    const result = await tab.evaluate(() => {
      cairn.advance(20);
      const hash = cairn.sources[0].world.hash();
      const scrub = document.getElementById('scrub');
      scrub.value = 5;
      scrub.dispatchEvent(new Event('input'));
      const back = cairn.sources[0].shown;
      cairn.advance(15);
      return { back, shown: cairn.sources[0].shown, same: cairn.sources[0].world.hash() === hash, max: scrub.max };
    });
    assert.deepEqual(result, { back: 5, shown: 20, same: true, max: '20' });
    // Back to before a ball was shot: it is nowhere, and nothing complains.
    await tab.evaluate(() => {
      cairn.shoot();
      cairn.advance(3);
      cairn.setColor('speed');
      cairn.seek(10);
      cairn.panes[0].draw(cairn.look);
      cairn.seek(23);
      cairn.panes[0].draw(cairn.look);
    });
    await close(tab);
  });

  test('a duel shows two solvers with plots, and both get the same input', async () => {
    const tab = await visit('?scene=dominoes&duel=pgs&paused', { width: 900, height: 600 });
    assert.equal(await tab.locator('.pane canvas').count(), 2);
    assert.deepEqual(await tab.locator('.pane .label').allTextContents(), ['soft_step', 'pgs']);
    assert.equal(await tab.locator('#plots canvas').count(), 4);
    const { body, x, y } = await findBody(tab);
    const before = [await placeOf(tab, body, 0), await placeOf(tab, body, 1)];
    assert.deepEqual(before[0], before[1]);
    await tab.mouse.move(x, y);
    await tab.mouse.down();
    await tab.mouse.move(x, y - 50, { steps: 3 });
    await tab.evaluate(() => cairn.advance(40));
    for (const pane of [0, 1]) {
      const now = await placeOf(tab, body, pane);
      assert.ok(now[1] > before[pane][1] + 0.2, `pane ${pane}: from ${before[pane]} to ${now}`);
    }
    await tab.mouse.up();
    for (const pane of await tab.locator('.pane canvas').all()) {
      const look = await variety(tab, await pane.screenshot());
      assert.ok(look.colors > 300, JSON.stringify(look));
    }
    await tab.click('#duel');
    assert.equal(await tab.locator('.pane canvas').count(), 1);
    await close(tab);
  });

  test('an accuracy is asked for by list and by address, and stays', async () => {
    const tab = await visit('?scene=tower&duel=pgs&paused', { width: 900, height: 600 });
    const state = () => tab.evaluate(() => {
      cairn.advance(2);
      cairn.controls.refreshNumbers();
      const { residual, handedOver, missed } = cairn.sources[0].measures();
      return { shown: document.getElementById('tolerance').value, of: cairn.sources.map((source) => source.tolerance), residual, handedOver, missed };
    });
    const first = await state();
    assert.deepEqual([first.shown, first.of, first.handedOver], ['0', [0, 0], undefined]);
    assert.ok(first.residual > 1e-4, `residual ${first.residual}`);
    assert.match(await tab.textContent('#numbers'), /residual\d/);
    assert.doesNotMatch(await tab.textContent('#numbers'), /handed over/);
    await tab.selectOption('#tolerance', '1e-4');
    const asked = await state();
    assert.deepEqual([asked.of, asked.handedOver, asked.missed], [[1e-4, 1e-4], 1, 0]);
    assert.ok(asked.residual <= 1e-4, `residual ${asked.residual}`);
    assert.match(await tab.textContent('#numbers'), /handed over1missed0/);
    await tab.keyboard.press('r');
    assert.deepEqual((await state()).of, [1e-4, 1e-4], 'after a reset');
    await tab.selectOption('#solver', 'nncg');
    const other = await state();
    assert.deepEqual([other.shown, other.of], ['1e-4', [1e-4, 1e-4]], 'with another solver');
    await tab.click('#duel');
    assert.deepEqual((await state()).of, [1e-4], 'after the duel');
    await close(tab);

    for (const [text, shown] of [['1e-4', '1e-4'], ['0.001', '1e-3'], ['0', '0']]) {
      const given = await visit(`?scene=tower&paused&tolerance=${text}`);
      assert.deepEqual([await given.inputValue('#tolerance'), await given.evaluate(() => cairn.sources[0].tolerance)], [shown, Number(text)]);
      await close(given);
    }
    for (const text of ['exact', '-1', '', 'Infinity']) {
      const bad = await visit(`?scene=tower&paused&tolerance=${text}`);
      assert.match(await bad.textContent('#message'), /is no accuracy: it must be a number/, text);
      await close(bad);
    }
  });

  test('the lists of solvers are in two groups, with what each one does', async () => {
    const tab = await visit('?scene=tower&solver=newton&paused');
    for (const list of ['#solver', '#rival']) {
      const groups = await tab.evaluate((id) => [...document.querySelectorAll(`${id} optgroup`)]
        .map(({ label, children }) => [label, children.length, children[0].value]), list);
      assert.deepEqual(groups.map(([label, , name]) => [label, name]), [['fast', 'soft_step'], ['laboratory', 'newton']]);
      assert.equal(groups[0][1], 3);
    }
    assert.match(await tab.getAttribute('#solver', 'title'), /Newton/);
    await tab.selectOption('#solver', 'body_space');
    assert.equal(await tab.evaluate(() => cairn.sources[0].solver), 'body_space');
    assert.match(await tab.getAttribute('#solver', 'title'), /velocities of the bodies/);
    await close(tab);
  });

  test('in a duel of soft_step and newton the residuals are far apart', async () => {
    const tab = await visit('?scene=tower&duel=newton&paused', { width: 900, height: 600 });
    const [soft, newton] = await tab.evaluate(() => {
      cairn.advance(60);
      return cairn.sources.map((source) => source.measures().residual);
    });
    assert.ok(newton < 1e-5 && soft > 1e-4, `soft_step ${soft}, newton ${newton}`);
    assert.equal(await tab.locator('#plots canvas[data-plot=residual]').count(), 1);
    await close(tab);
  });

  test('terrain is drawn with one call, can be picked, and does not fool the camera', async () => {
    const tab = await visit('?scene=mesh_pile&paused');
    const seen = await tab.evaluate(() => {
      const { stage, canvas, source } = cairn.panes[0];
      cairn.panes[0].draw(cairn.look);
      const batches = stage.bodies.batches.map(({ kind, count }) => [kind, count]);
      const hits = [0.1, 0.5, 0.9].map((x) => stage.pick(x * canvas.clientWidth, 0.97 * canvas.clientHeight));
      const under = hits.filter((hit) => hit && source.bodies[hit.body].type === 'static');
      const { position, target } = stage.getCamera();
      return { batches, heights: under.map(({ point }) => point[1]), away: Math.hypot(...position.map((x, i) => x - target[i])) };
    });
    assert.deepEqual(seen.batches.sort(), [['box', 5000], ['surface', 1]]);
    assert.ok(seen.heights.length > 0 && seen.heights.every((y) => Math.abs(y) < 1.01), JSON.stringify(seen));
    assert.ok(seen.away < 150, `the camera is ${seen.away} m away`);
    const look = await variety(tab, await tab.locator('.pane canvas').screenshot());
    assert.ok(look.colors > 500 && look.spread > 5, JSON.stringify(look));
    await close(tab);
  });

  test('5000 boxes are drawn with few calls', async () => {
    const tab = await visit('?scene=pyramid&paused');
    const calls = await tab.evaluate(() => {
      const [pane] = cairn.panes;
      pane.draw(cairn.look);
      return pane.stage.renderer.info.render.calls;
    });
    assert.ok(calls < 30, `${calls} calls`);
    await close(tab);
  });

  test('fits a phone', async () => {
    const tab = await visit('?scene=tower&duel=pgs&paused', { width: 360, height: 640 });
    const outside = await tab.evaluate(() => [...document.querySelectorAll('button, select, canvas, input')]
      .filter((element) => element.offsetParent)
      .map((element) => ({ id: element.id, rect: element.getBoundingClientRect() }))
      .filter(({ rect }) => rect.left < 0 || rect.right > innerWidth + 0.5 || rect.bottom > innerHeight + 0.5)
      .map(({ id, rect }) => `${id} ${rect.left} ${rect.right} ${rect.bottom}`));
    assert.deepEqual(outside, []);
    await close(tab);
  });

  describe('recordings', { skip: !hasProgram && 'the native program is not built' }, () => {
    let recording;
    before(() => {
      recording = join(folder, 'tower.cairnrec');
      cairn('run', 'tower', '--steps', '40', '--record', recording, '--html', join(folder, 'tower.html'));
    });

    test('a page with a recording inside plays it from the disk', async () => {
      const tab = await open(browser, pathToFileURL(join(folder, 'tower.html')).href);
      await tab.evaluate(() => cairn.setPlaying(false));
      const shown = await tab.evaluate(() => {
        cairn.seek(40);
        const { bodies, lastFrame, transforms, solver } = cairn.sources[0];
        return { count: bodies.length, lastFrame, solver, top: [...transforms.slice(8 * 40, 8 * 40 + 3)] };
      });
      assert.deepEqual([shown.count, shown.lastFrame, shown.solver], [41, 40, 'soft_step']);
      assert.ok(Math.abs(shown.top[1] - 39.5) < 0.01);
      assert.match(await tab.textContent('#scene'), /tower \(recording\)/);
      assert.equal(await tab.isDisabled('#overlays [data-name=contacts]'), true);
      assert.equal(await tab.isVisible('#tolerance'), false);
      await tab.keyboard.press('p');
      assert.equal(await tab.locator('#plots canvas').count(), 3, 'a recording holds no residual');
      await tab.keyboard.press('c');
      assert.match(await tab.textContent('#message'), /holds no contacts/);
      await close(tab);
    });

    test('plays to the end and stops there; play begins anew', async () => {
      const tab = await open(browser, pathToFileURL(join(folder, 'tower.html')).href);
      await tab.selectOption('#speed', '4');
      await until(tab, () => cairn.sources[0].shown === 40 && !cairn.playing);
      await tab.selectOption('#speed', '0.1'); // slow enough to be seen on a busy machine
      await tab.click('#play');
      await until(tab, () => cairn.playing && cairn.sources[0].shown < 40);
      await close(tab);
    });

    test('cairn view serves the page and the recording', async () => {
      const server = spawn(program, ['view', recording, '--port', '0'], { env: { ...process.env, CAIRN_VIEWER: pagePath } });
      try {
        const address = await new Promise((resolve, reject) => {
          server.stdout.on('data', (text) => resolve(String(text).match(/http:\S+/)[0]));
          server.on('exit', () => reject(new Error('the server ended')));
        });
        const tab = await open(browser, address);
        assert.equal(await tab.evaluate(() => cairn.sources[0].live), false);
        await close(tab);
      } finally {
        server.kill();
      }
    });

    test('cairn render draws a frame', async () => {
      const out = join(folder, 'frame.png');
      process.env.CAIRN_VIEWER = pagePath;
      cairn('render', recording, '--frame', '20', '--width', '320', '--height', '240', '--out', out);
      const tab = await visit('?scene=tower&paused');
      const look = await variety(tab, readFileSync(out));
      assert.deepEqual([look.width, look.height], [320, 240]);
      assert.ok(look.colors > 300 && look.spread > 5, JSON.stringify(look));
      await close(tab);
    });

    test('a recording that was cut short plays, and says so', async () => {
      const tab = await visit('?scene=tower&paused');
      await tab.setInputFiles('#file', file('cut.cairnrec', readFileSync(recording).subarray(0, -5)));
      await until(tab, () => !cairn.sources[0].live);
      assert.match(await tab.textContent('#message:not([hidden])'), /cut short/);
      await close(tab);
    });

    test('a bad file is refused with a sentence, and the page lives on', async () => {
      const tab = await visit('?scene=tower&paused');
      const good = readFileSync(recording);
      const hostile = Buffer.from(good);
      hostile.writeUInt32LE(0x0fffffff, 20); // the first chunk claims 256 MiB
      const files = {
        'truncated.cairnrec': [good.subarray(0, 200), /cut short|middle/],
        'foreign.cairnrec': [readFileSync(pagePath), /CAIRNREC|recording/],
        'empty.cairnrec': [Buffer.alloc(0), /./],
        'hostile.cairnrec': [hostile, /byte \d+/],
      };
      for (const [name, [bytes, sentence]] of Object.entries(files)) {
        await tab.setInputFiles('#file', file(name, bytes));
        await tab.waitForSelector('#message:not([hidden])');
        assert.match(await tab.textContent('#message'), sentence, name);
        const alive = await tab.evaluate(() => {
          document.getElementById('message').hidden = true;
          const before = cairn.sources[0].shown;
          cairn.advance();
          return cairn.sources[0].live && cairn.sources[0].shown === before + 1;
        });
        assert.equal(alive, true, name);
      }
      await tab.setInputFiles('#file', recording);
      await until(tab, () => !cairn.sources[0].live);
      await close(tab);
    });
  });
});
