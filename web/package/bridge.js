// The WebAssembly module from the JavaScript side: its memory, the mail that carries structures, and texts.
// web/wasm/bridge.h is the other end.

const MAIL_SIZE = 128;
const TEXT_SIZE = 1024;
const CLOCK_NOT_SUPPORTED = 58;

/** A call that the engine refused; the message is its sentence. */
export class CairnError extends Error {
  constructor(message) {
    super(message);
    this.name = 'CairnError';
  }
}

// The four functions of the system that the C library asks for: a clock, and a place for messages.
function systemCalls(memory) {
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
    let memory;
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: systemCalls(() => memory) });
    memory = instance.exports.memory;
    this.memory = memory;
    this.call = instance.exports;
    this.call._initialize();
    this.mailAddress = this.call.mail_address();
    this.textAddress = this.call.text_address();
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

  /** Runs `use(address)` on a piece of memory that is given back afterwards. */
  borrow(size, use) {
    const address = this.call.allocate(size);
    if (address === 0) throw new CairnError(`out of memory: ${size} bytes were asked for`);
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

  /** Writes the options given for a structure over its defaults, which are in the mail from `at` on. `fields` lists [name, size]. */
  fill(what, fields, options, enums = {}, at = 0) {
    const mail = this.mail;
    checkNames(what, options, fields.map(([name]) => name));
    for (const [name, size] of fields) {
      if (options[name] !== undefined) setField(what, name, size, options[name], enums[name], mail, at);
      at += size;
    }
    return at;
  }

  /** The options that would fill the mail, from `at` on, with what is there. */
  read(fields, enums = {}, at = 0) {
    const { mail } = this;
    const options = {};
    for (const [name, size] of fields) {
      if (size > 1) options[name] = [...mail.subarray(at, at + size)];
      else options[name] = enums[name] ? enums[name][mail[at]] : mail[at];
      at += size;
    }
    return options;
  }
}

/** Refuses options that do not exist. */
export function checkNames(what, options, names) {
  for (const name of Object.keys(options))
    if (!names.includes(name)) throw new CairnError(`${what}: there is no option "${name}"; there are: ${names.join(', ')}`);
}

/** The index of a word in a list; what is not there is refused. */
export function indexOf(what, name, words, value) {
  const index = words.indexOf(value);
  if (index < 0) throw new CairnError(`${what}: ${name} is "${value}"; it must be one of: ${words.join(', ')}`);
  return index;
}

function setField(what, name, size, value, words, mail, at) {
  if (words) {
    mail[at] = indexOf(what, name, words, value);
  } else if (size === 1) {
    if (typeof value !== 'number' && typeof value !== 'boolean')
      throw new CairnError(`${what}: ${name} is ${value}; it must be a number or a boolean`);
    mail[at] = Number(value);
  } else {
    if (value?.length !== size) throw new CairnError(`${what}: ${name} must be an array of ${size} numbers`);
    for (let i = 0; i < size; i++) mail[at + i] = Number(value[i]);
  }
}
