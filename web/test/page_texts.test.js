// What the page writes can be read: nothing is cut, letters stand out from what is behind them, and an address that is
// wrong in one part is right in the others.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { close, launch, missing, open, pageAddress } from './browser.js';

const LEAST_CONTRAST = 4.5; // WCAG 2, level AA
const RECORDING = fileURLToPath(new URL('tower.cairnrec', import.meta.url));
const WIDTHS = { 'a desk': { width: 1280, height: 800 }, 'a phone': { width: 390, height: 800 } };

/** Runs in the page: all texts that are shown and not disabled, with the contrast to what is behind them. */
function texts() {
  const colorOf = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (front, back) => front.rgb.map((x, i) => front.a * x + (1 - front.a) * back[i]);
  // Behind a label is the picture, which may be black.
  const behind = (element) => {
    if (element.matches('.pane')) return [0, 0, 0];
    const back = element.parentElement ? behind(element.parentElement) : [255, 255, 255];
    return over(colorOf(getComputedStyle(element).backgroundColor), back);
  };
  const contrast = (a, b) => {
    const [less, more] = [light(a), light(b)].sort((x, y) => x - y);
    return (more + 0.05) / (less + 0.05);
  };
  const hasText = (element) => [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');
  const shown = [...document.body.querySelectorAll('*')].filter((element) =>
    (hasText(element) || element.matches('select')) && !element.matches('script, option, :disabled') && element.checkVisibility());
  const list = shown.map((element) => ({
    text: `${element.tagName} ${element.textContent.slice(0, 40)}`,
    contrast: contrast(colorOf(getComputedStyle(element).color).rgb, behind(element)),
    cut: element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline' && !element.matches('select'),
  }));
  const style = getComputedStyle(document.documentElement);
  for (const name of ['--faint', '--first', '--second']) { // what plots are written with
    const rgb = style.getPropertyValue(name).match(/[0-9a-f]{2}/g).map((digits) => parseInt(digits, 16));
    list.push({ text: name, contrast: contrast(rgb, behind(document.getElementById('bottom'))), cut: false });
  }
  return list;
}

describe('the texts of the page', { skip: missing }, () => {
  let browser;
  before(async () => { browser = await launch(); });
  after(() => browser?.close());

  // The bodies with the most to tell: on two joints or more, and far from the origin.
  const selectBusiest = (tab) => tab.evaluate(() => {
    const { source } = cairn;
    const count = source.bodies.map((_, i) => source.bodyNumbers(i)?.joints?.length ?? 0);
    cairn.select(count.indexOf(Math.max(...count)));
  });
  const views = {
    'a scene': ['?scene=machine&paused&show=joints', selectBusiest],
    'sliders and pulleys': ['?scene=gears&paused', selectBusiest],
    'a duel': ['?scene=tower&duel=pgs&paused', async () => {}],
    'a recording': ['?paused', async (tab) => {
      await tab.setInputFiles('#file', RECORDING);
      await tab.waitForSelector('option[data-recording]', { state: 'attached' });
      await tab.evaluate(() => cairn.select(2));
    }],
    'the list of keys': ['?paused', (tab) => tab.keyboard.press('?')],
    'a message': ['?paused&scene=nowhere', async () => {}],
  };
  for (const [device, viewport] of Object.entries(WIDTHS))
    for (const [what, [query, act]] of Object.entries(views))
      test(`${what} on ${device} is not cut, and has contrast`, async () => {
        const tab = await open(browser, pageAddress + query, viewport);
        if (device === 'a phone') await tab.click('#panel-button');
        await tab.evaluate(() => cairn.advance(20));
        await act(tab);
        await tab.evaluate(() => cairn.controls.refreshNumbers());
        const all = await tab.evaluate(texts);
        assert.ok(all.length > 20, `${all.length} texts`);
        assert.deepEqual(all.filter(({ cut }) => cut), []);
        assert.deepEqual(all.filter(({ contrast }) => contrast < LEAST_CONTRAST), []);
        await close(tab);
      });

  test('a number of a joint is never cut, however long', async () => {
    const tab = await open(browser, `${pageAddress}?scene=machine&paused`, WIDTHS['a phone']);
    await tab.click('#panel-button');
    const wide = await tab.evaluate(() => {
      const { source } = cairn;
      const numbers = source.bodyNumbers(1);
      const places = [{ dof: 'x', value: -1002.154 }, { dof: 'twist', value: -3.1 }];
      source.bodyNumbers = () => ({
        ...numbers, shapes: 'height field of 1000 × 1000, 12 × capsule', position: [-12345.6, 99.99, -99.99],
        joints: [{ word: 'cylindrical', other: 12345, places, force: 3.1234e9 }],
      });
      cairn.select(1);
      return document.getElementById('body-numbers').textContent;
    });
    assert.match(wide, /cylindrical to 12345-1002\.154\sm, -177\.6°, 3\.12e\+9\sN/);
    assert.deepEqual((await tab.evaluate(texts)).filter(({ cut }) => cut), []);
    await close(tab);
  });

  const wrong = {
    'solver=pgss': /no solver called “pgss”; there are: soft_step/, 'duel=pgss': /no solver called “pgss”/, 'tolerance=little': /“little” is no accuracy/,
    'recording=none.cairnrec': /./, 'color=red': /no way to colour/, 'show=ghosts': /no overlay called/, 'solver=x&tolerance=y': /“x”.*“y”/,
  };
  for (const [query, sentence] of Object.entries(wrong))
    test(`${query} is told of, and the scene is the one asked for`, async () => {
      const tab = await open(browser, `${pageAddress}?scene=pyramid&paused&${query}`);
      assert.equal(await tab.evaluate(() => cairn.source.scene), 'pyramid');
      assert.match(await tab.textContent('#message:not([hidden])'), sentence);
      await tab.close();
    });
});
