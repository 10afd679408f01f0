// The engine that the page carries with it: WebAssembly, packed with zstd and in base64, once with SIMD and once without.
import { hasSimd, loadCairn } from '../package/cairn.js';
import { decompressFrame } from './zstd.js';

export function bytesFromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function loadEngine({ simd = hasSimd() } = {}) {
  const element = document.getElementById(simd ? 'engine' : 'engine-base');
  return loadCairn({ simd, wasm: decompressFrame(bytesFromBase64(element.textContent.trim()), Number(element.dataset.size)) });
}
