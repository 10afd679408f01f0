// A headless Chromium with the built page, for the tests. Everything the page complains about is collected.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const page = fileURLToPath(new URL('../../build/web/viewer.html', import.meta.url));
export const pagePath = page;
export const pageAddress = pathToFileURL(page).href;
const executablePath = process.env.CAIRN_BROWSER ?? '/usr/bin/chromium';
export const missing = !existsSync(page) ? 'the page is not built: scripts/build_web.sh'
  : !existsSync(executablePath) ? 'there is no Chromium' : false;

const FLAGS = [
  '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--no-first-run', '--disable-quic',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

export async function launch() {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...FLAGS, ...sandbox] });
}

/** Opens an address and waits until the page shows something. The page gets a list `complaints`. */
export async function open(browser, address, viewport = { width: 640, height: 480 }) {
  const tab = await browser.newPage({ viewport });
  tab.complaints = [];
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) tab.complaints.push(message.text());
  });
  tab.on('pageerror', (error) => tab.complaints.push(error.message));
  await tab.goto(address);
  await tab.waitForSelector('body[data-ready=yes]');
  return tab;
}

/** Closes a page, which must not have complained. */
export async function close(tab) {
  assert.deepEqual(tab.complaints, []);
  await tab.close();
}

/** Waits until something is true in the page. Asked from outside: the page's own rules forbid evaluating text inside it. */
export async function until(tab, condition, ms = 30_000) {
  const end = Date.now() + ms;
  while (!(await tab.evaluate(condition))) {
    if (Date.now() > end) throw new Error(`this never came true: ${condition}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** How many different colours a picture has, and how much its brightness varies: a blank one has neither. */
export async function variety(tab, png) {
  return tab.evaluate(async (base64) => {
    const binary = atob(base64);
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set();
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < data.length; i += 4) {
      colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      const light = (data[i] + data[i + 1] + data[i + 2]) / 3;
      sum += light;
      squares += light * light;
    }
    const mean = (4 * sum) / data.length;
    return { colors: colors.size, spread: Math.sqrt((4 * squares) / data.length - mean * mean), width: bitmap.width, height: bitmap.height };
  }, png.toString('base64'));
}
