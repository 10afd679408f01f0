// Builds the viewer: one HTML file with everything inside, build/web/viewer.html.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const here = new URL('.', import.meta.url);
const target = new URL('../build/web/', here);

async function bundle(entry, loader = {}) {
  const result = await build({
    entryPoints: [new URL(entry, here).pathname],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
    write: false,
    loader,
    external: ['node:fs/promises'],
    logLevel: 'warning',
    logOverride: { 'empty-import-meta': 'silent' }, // the page hands the engine over itself
  });
  return result.outputFiles[0].text;
}

async function engine(name) {
  return gzipSync(await readFile(new URL(`package/${name}`, here)), { level: 9 }).toString('base64');
}

// A replacement function, because `$` has a meaning in replacement texts.
const put = (page, mark, text) => {
  if (page.split(mark).length !== 2) throw new Error(`index.html must hold ${mark} once`);
  return page.replace(mark, () => text);
};

let page = await readFile(new URL('viewer/index.html', here), 'utf8');
page = put(page, '/*STYLE*/', await bundle('viewer/style.css'));
page = put(page, '/*ENGINE*/', await engine('cairn.wasm'));
page = put(page, '/*ENGINE_BASE*/', await engine('cairn-base.wasm'));
page = put(page, '/*SCRIPT*/', await bundle('viewer/main.js'));
await mkdir(target, { recursive: true });
await writeFile(new URL('viewer.html', target), page);
const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
console.log(`build/web/viewer.html: ${kilobytes(Buffer.byteLength(page))}, ${kilobytes(gzipSync(page).length)} gzipped`);
