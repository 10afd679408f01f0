// Cairn in WebAssembly: loading the engine, and what it offers before there is a world.
import { Bridge } from './bridge.js';
import { CairnError, checkFlag, checkNames, indexOf, refuse } from './check.js';
import { createCompound, createHeightField, createMesh } from './forms.js';
import { createSceneWorld, createWorld } from './world.js';

export { CairnError };

// The smallest module that uses a vector instruction: a function () -> v128 that splats an i8.
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

export function hasSimd() {
  return WebAssembly.validate(SIMD_PROBE);
}

// Put together when it runs: bundlers for browsers look for modules that they can see, and have none of that name.
const FILES = ['node:fs', 'promises'].join('/');

async function readFile(url) {
  if (url.protocol === 'file:' && typeof process !== 'undefined') {
    const { readFile: read } = await import(/* @vite-ignore */ /* webpackIgnore: true */ FILES);
    return read(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new CairnError(`loadCairn: ${url} could not be read (${response.status} ${response.statusText})`);
  return response.arrayBuffer();
}

// Each address stands in one piece: that is how bundlers find the files that they have to bring along.
const ownFile = (simd) => (simd ? new URL('./cairn.wasm', import.meta.url) : new URL('./cairn-base.wasm', import.meta.url));
const HERE = import.meta.url;

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (!(source instanceof URL || typeof source === 'string'))
    refuse('loadCairn: wasm must be a module, its bytes or where they are');
  return WebAssembly.compile(await readFile(new URL(source, HERE)));
}

/** Loads the engine; see cairn.d.ts. */
export async function loadCairn(options = {}) {
  checkNames('loadCairn', options, ['simd', 'wasm']);
  const simd = checkFlag('loadCairn', 'simd', options.simd ?? hasSimd());
  return new Cairn(await compile(options.wasm ?? ownFile(simd)), simd);
}

class Cairn {
  #bridge;

  constructor(module, simd) {
    this.#bridge = new Bridge(module);
    this.simd = simd;
    this.#bridge.call.version();
    this.version = [...this.#bridge.mail.slice(0, 3)].join('.');
    Object.freeze(this);
  }

  #list(nameOf, more) {
    const all = [];
    for (let name; (name = this.#bridge.text(nameOf(all.length))) !== null;) all.push({ name, ...more(all.length) });
    return all;
  }

  scenes() {
    const { call } = this.#bridge;
    return this.#list(call.scene_name, (i) => ({ summary: this.#bridge.text(call.scene_summary(i)), steps: call.scene_steps(i) }));
  }

  solvers() {
    const { call } = this.#bridge;
    return this.#list(call.solver_name, (i) => ({ summary: this.#bridge.text(call.solver_summary(i)), fast: call.solver_is_fast(i) !== 0 }));
  }

  createMesh(options) { return createMesh(this.#bridge, options); }
  createHeightField(options) { return createHeightField(this.#bridge, options); }
  createCompound(parts) { return createCompound(this.#bridge, parts); }

  createWorld(options = {}) {
    return createWorld(this.#bridge, options);
  }

  createScene(name, options = {}) {
    const names = this.scenes().map((scene) => scene.name);
    const index = names.indexOf(name);
    if (index < 0) throw new CairnError(`createScene: there is no scene "${name}"; there are: ${names.join(', ')}`);
    return createSceneWorld(this.#bridge, index, options);
  }
}
