// The engine that the page carries with it: WebAssembly, gzipped and in base64, once with SIMD and once without.
import { hasSimd, loadCairn } from '../package/cairn.js';

export function bytesFromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

export async function loadEngine({ simd = hasSimd() } = {}) {
  const element = document.getElementById(simd ? 'engine' : 'engine-base');
  return loadCairn({ simd, wasm: await inflate(bytesFromBase64(element.textContent.trim())) });
}
