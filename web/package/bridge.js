// The WebAssembly module from the JavaScript side: its memory, the mail that carries structures, and texts.
// web/wasm/bridge.h is the other end.
import { CairnError, FLAG, checkField, checkNames, refuse, sizeOf } from './check.js';

const MAIL_SIZE = 128;
const TEXT_SIZE = 1024;
const MOST_BYTES = 2 ** 31 - 1;
const CLOCK_NOT_SUPPORTED = 58;

// The four functions of the system that the C library asks for: a clock, and a place for messages, which `heard` gets too.
function systemCalls(memory, heard) {
  return {
    clock_time_get(clock, precision, out) {
      if (clock !== 1) return CLOCK_NOT_SUPPORTED;
      new DataView(memory().buffer).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_write(file, vectors, count, out) {
      const view = new DataView(memory().buffer);
      let text = '';
      let written = 0;
      for (let i = 0; i < count; i++) {
        const size = view.getUint32(vectors + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, view.getUint32(vectors + 8 * i, true), size));
        written += size;
      }
      heard(text);
      if (text.trim() !== '') console.error(text.trimEnd());
      view.setUint32(out, written, true);
      return 0;
    },
    fd_close: () => 0,
    fd_seek: () => 0,
  };
}

export class Bridge {
  constructor(module) {
    this.stopped = null; // why nothing can be called any more
    this.heard = '';
    const system = systemCalls(() => this.memory, (text) => { this.heard += text; });
    const { memory, ...functions } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system }).exports;
    this.memory = memory;
    this.call = Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, this.#guard(name, run)]));
    this.call._initialize();
    this.mailAddress = this.call.mail_address();
    this.textAddress = this.call.text_address();
  }

  /** The engine ends where it cannot go on, as without memory: its world is half changed then, and stays shut. */
  #guard(name, run) {
    return (...numbers) => {
      if (this.stopped !== null) throw new CairnError(this.stopped);
      try {
        return run(...numbers);
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;
        const reason = this.heard.trim().split('\n').at(-1).replace(/^cairn: /, '') || error.message;
        this.stopped = `${name}: ${reason}; this engine has stopped, loadCairn() gives another`;
        throw new CairnError(this.stopped);
      }
    };
  }

  // Views on the memory are made anew where it grew, which detaches the old ones.
  floats(address, count) { return new Float32Array(this.memory.buffer, address, count); }
  integers(address, count) { return new Int32Array(this.memory.buffer, address, count); }
  bytes(address, count) { return new Uint8Array(this.memory.buffer, address, count); }

  get mail() {
    if (this.mailView?.buffer !== this.memory.buffer)
      this.mailView = new Float64Array(this.memory.buffer, this.mailAddress, MAIL_SIZE);
    return this.mailView;
  }

  send(...numbers) {
    const mail = this.mail;
    let at = 0;
    for (const item of numbers) {
      if (typeof item === 'number') mail[at++] = item;
      else for (const number of item) mail[at++] = number;
    }
  }

  text(address) {
    if (address === 0) return null;
    const all = new Uint8Array(this.memory.buffer, address);
    return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
  }

  sendText(value) {
    const target = this.bytes(this.textAddress, TEXT_SIZE);
    const { written } = new TextEncoder().encodeInto(value, target.subarray(0, TEXT_SIZE - 1));
    target[written] = 0;
  }

  /** Throws the engine's sentence unless the call went well. */
  check(result) {
    if (!result) throw new CairnError(this.text(this.call.last_error()));
    return result;
  }

  /** A piece of memory, to be released. */
  allocate(size) {
    return this.given(size <= MOST_BYTES ? this.call.allocate(Math.max(8, size)) : 0, `${size} bytes`);
  }

  /** The address of `what` was asked for, unless there was no memory for it. */
  given(address, what) {
    if (address === 0) refuse(`out of memory: ${what} were asked for`);
    return address;
  }

  /** Runs `use(address)` on a piece of memory that is given back afterwards. */
  borrow(size, use) {
    const address = this.allocate(size);
    try {
      return use(address);
    } finally {
      this.call.release(address);
    }
  }

  /** The ids that `write(address)` writes, `count` of them. */
  ids(count, write) {
    if (count === 0) return [];
    return this.borrow(8 * count, (address) => {
      write(address);
      return [...new BigUint64Array(this.memory.buffer, address, count)];
    });
  }

  /** Writes the options given for a structure over its defaults, which are in the mail from `at` on. `fields` lists [name, kind]. */
  fill(what, fields, options, at = 0) {
    const mail = this.mail;
    checkNames(what, options, fields.map(([name]) => name));
    for (const [name, kind] of fields) {
      if (options[name] !== undefined) {
        const value = checkField(what, name, kind, options[name]);
        if (typeof value === 'number') mail[at] = value;
        else mail.set(value, at);
      }
      at += sizeOf(kind);
    }
    return at;
  }

  /** The options that would fill the mail, from `at` on, with what is there. */
  read(fields, at = 0) {
    const { mail } = this;
    const options = {};
    for (const [name, kind] of fields) {
      const size = sizeOf(kind);
      if (size > 1) options[name] = [...mail.subarray(at, at + size)];
      else if (Array.isArray(kind)) options[name] = kind[mail[at]];
      else options[name] = kind === FLAG ? mail[at] !== 0 : mail[at];
      at += size;
    }
    return options;
  }
}
