// Paths of kinematic bodies: keys in time, and what happens when something is in their way.
import { FLAG, checkList, checkNames, checkNumber, checkObject, checkRotation, checkVector } from './check.js';

const FIELDS = [
  ['loop', FLAG], ['ease', ['linear', 'smooth']], ['speed', 1], ['start', 1], ['maxForce', 1], ['maxTorque', 1],
  ['blocked', ['pushOn', 'stall', 'reverse']], ['backTime', 1], ['wait', 1],
];
const KEY_NUMBERS = 8;

function keyNumbers(what, key, i) {
  checkNames(`${what}: keys[${i}]`, key, ['time', 'position', 'rotation']);
  const { time, position, rotation = [0, 0, 0, 1] } = key;
  checkNumber(what, `keys[${i}].time`, time);
  checkVector(what, `keys[${i}].position`, position);
  checkRotation(what, `keys[${i}].rotation`, rotation);
  return [time, ...Array.from(position), ...Array.from(rotation)];
}

/** Hands a path over: `set(address, count)` makes the call, with its numbers in the mail and its keys at the address. */
export function sendPath(bridge, what, options, set) {
  const { keys, ...rest } = checkObject(what, 'options', options);
  const numbers = checkList(what, 'keys', keys).map((key, i) => keyNumbers(what, key, i));
  return bridge.borrow(8 * KEY_NUMBERS * numbers.length, (address) => {
    new Float64Array(bridge.memory.buffer, address, KEY_NUMBERS * numbers.length).set(numbers.flat());
    bridge.call.path_defaults();
    bridge.fill(what, FIELDS, rest);
    return set(address, numbers.length);
  });
}
