// Builds the viewer: one HTML file with everything inside, build/web/viewer.html.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
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

// The page unpacks zstd itself, for recordings; it takes a fifth less than gzip.
function packed(bytes) {
  const options = ['--quiet', '--ultra', '-22', '--check', '--stdout'];
  return execFileSync('zstd', options, { input: bytes, maxBuffer: 2 * bytes.length + 1000 }).toString('base64');
}

// A replacement function, because `$` has a meaning in replacement texts.
const put = (page, mark, text) => {
  if (page.split(mark).length !== 2) throw new Error(`index.html must hold ${mark} once`);
  return page.replace(mark, () => text);
};

let page = await readFile(new URL('viewer/index.html', here), 'utf8');
page = put(page, '/*STYLE*/', await bundle('viewer/style.css'));
for (const [mark, name] of [['ENGINE', 'cairn.wasm'], ['BASE', 'cairn-base.wasm']]) {
  const bytes = await readFile(new URL(`package/${name}`, here));
  page = put(page, `${mark}_SIZE`, String(bytes.length));
  page = put(page, `/*${mark}*/`, packed(bytes));
}
page = put(page, '/*SCRIPT*/', await bundle('viewer/main.js'));
await mkdir(target, { recursive: true });
await writeFile(new URL('viewer.html', target), page);
const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
console.log(`build/web/viewer.html: ${kilobytes(Buffer.byteLength(page))}, ${kilobytes(gzipSync(page).length)} gzipped`);
