// Paths of kinematic bodies: keys in time, and what happens when something is in their way.
import { CairnError } from './bridge.js';

const FIELDS = ['loop', 'ease', 'speed', 'start', 'maxForce', 'maxTorque', 'blocked', 'backTime', 'wait'].map((name) => [name, 1]);
const ENUMS = { ease: ['linear', 'smooth'], blocked: ['pushOn', 'stall', 'reverse'] };
const KEY_NUMBERS = 8;

function keyNumbers(what, key, i) {
  const { time, position, rotation = [0, 0, 0, 1], ...unknown } = key ?? {};
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new CairnError(`${what}: keys[${i}] has no "${name}"; it has: time, position, rotation`);
  if (typeof time !== 'number') throw new CairnError(`${what}: keys[${i}].time is ${time}; it must be a number`);
  if (position?.length !== 3) throw new CairnError(`${what}: keys[${i}].position must be an array of 3 numbers`);
  if (rotation?.length !== 4) throw new CairnError(`${what}: keys[${i}].rotation must be an array of 4 numbers`);
  return [time, ...Array.from(position, Number), ...Array.from(rotation, Number)];
}

/** Hands a path over: `set(address, count)` makes the call, with its numbers in the mail and its keys at the address. */
export function sendPath(bridge, what, options, set) {
  const { keys = [], ...rest } = options;
  const numbers = Array.from(keys, (key, i) => keyNumbers(what, key, i));
  return bridge.borrow(Math.max(8, 8 * KEY_NUMBERS * numbers.length), (address) => {
    new Float64Array(bridge.memory.buffer, address, KEY_NUMBERS * numbers.length).set(numbers.flat());
    bridge.call.path_defaults();
    bridge.fill(what, FIELDS, rest, ENUMS);
    return set(address, numbers.length);
  });
}
