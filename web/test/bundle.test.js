// The package as npm packs it, bundled by the three bundlers that most pages are made with, and run in a browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, missing, until } from './browser.js';

const packageFolder = fileURLToPath(new URL('../package/', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const PAGE = '<!doctype html><title>waits</title><script type="module" src="./main.js"></script>';
// A box on the ground, and where it is then.
const PROGRAM = `
  const world = cairn.createWorld({ gravity: [0, -10, 0] });
  world.createBody({ type: 'static', position: [0, -1, 0], shapes: [{ type: 'box', halfExtents: [10, 1, 10] }] });
  const box = world.createBody({ type: 'dynamic', position: [0, 0.6, 0], shapes: [{ type: 'box', halfExtents: [0.5, 0.5, 0.5] }] });
  for (let i = 0; i < 60; i++) world.step();
  document.title = 'at ' + box.position[1].toFixed(2);
`;
const OWN_FILES = `import { loadCairn } from 'cairn-physics';
  loadCairn().then((cairn) => {${PROGRAM}}, (error) => { document.title = error.message; });`;
const GIVEN_FILE = `import { loadCairn } from 'cairn-physics';
  import wasm from 'cairn-physics/cairn.wasm';
  loadCairn({ wasm }).then((cairn) => {${PROGRAM}}, (error) => { document.title = error.message; });`;

const bundlers = {
  async vite(root, out) {
    writeFileSync(join(root, 'index.html'), PAGE);
    const { build } = await import('vite');
    await build({ root, base: './', logLevel: 'error', configFile: false, build: { outDir: out, emptyOutDir: false } });
  },
  async webpack(root, out) {
    const { default: webpack } = await import('webpack');
    const settings = { mode: 'production', context: root, entry: './main.js', output: { path: out, filename: 'main.js' }, performance: false };
    const stats = await new Promise((good, bad) => { webpack(settings, (error, result) => (error ? bad(error) : good(result))); });
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    assert.deepEqual([...errors, ...warnings], []);
    writeFileSync(join(out, 'index.html'), PAGE);
  },
  async esbuild(root, out) {
    const { build } = await import('esbuild');
    const settings = { bundle: true, minify: true, format: 'esm', logLevel: 'silent', loader: { '.wasm': 'file' } };
    const { warnings } = await build({ ...settings, entryPoints: [join(root, 'main.js')], outdir: out });
    assert.deepEqual(warnings, []);
    writeFileSync(join(out, 'index.html'), PAGE);
  },
};

function serve(folder) {
  const server = createServer(({ url }, answer) => {
    const path = join(folder, new URL(url, 'http://localhost').pathname);
    if (!existsSync(path)) return answer.writeHead(404).end();
    return answer.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
  });
  return new Promise((ready) => { server.listen(0, '127.0.0.1', () => ready(server)); });
}

describe('the packed package', { skip: missing }, () => {
  let folder, server, browser;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-bundle-'));
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: packageFolder, encoding: 'utf8' }).trim();
    const installed = join(folder, 'node_modules/cairn-physics');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, packed), '-C', installed, '--strip-components=1']);
    [server, browser] = await Promise.all([serve(folder), launch()]);
  });
  after(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const runs = async (path) => {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${server.address().port}/${path}`);
    await until(tab, () => document.title !== 'waits', 15_000);
    assert.equal(await tab.title(), 'at 0.50');
    await tab.close();
  };

  for (const [name, bundle] of Object.entries(bundlers))
    test(`runs in a page that ${name} made`, async () => {
      const root = join(folder, name), out = join(root, 'out');
      mkdirSync(out, { recursive: true });
      writeFileSync(join(root, 'main.js'), name === 'esbuild' ? GIVEN_FILE : OWN_FILES);
      await bundle(root, out);
      await runs(`${name}/out/index.html`);
    });

  test('runs in a page without a bundler', async () => {
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, 'main.js'), OWN_FILES.replace("'cairn-physics'", "'./node_modules/cairn-physics/cairn.js'"));
    await runs('index.html');
  });

  test('runs its own example in Node.js', () => {
    const example = join(folder, 'node_modules/cairn-physics/example.js');
    assert.match(execFileSync(process.execPath, [example], { encoding: 'utf8' }), /^The box is at 0\.500 m/);
  });
});
