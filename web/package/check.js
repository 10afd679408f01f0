// What a program hands over is checked here, before the engine hears of it: a refusal names it as the program knows it.

/** A call that was refused; the message is one sentence. */
export class CairnError extends Error {
  constructor(message) {
    super(message);
    this.name = 'CairnError';
  }
}

// What a field of a structure may be, besides a number of components (1, 3 or 4) and a list of words.
export const FLAG = 'boolean', INTEGER = 'integer', BITS = 'bits';

const MOST_INTEGER = 2 ** 31 - 1;
const MOST_BITS = 2 ** 53; // from there on numbers are too coarse for integers

export function refuse(sentence) {
  throw new CairnError(sentence);
}

function show(value) {
  if (typeof value === 'string') return `"${value}"`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : typeof value === 'function' ? 'a function' : String(value);
}

function demand(good, what, name, value, kind) {
  if (!good) refuse(`${what}: ${name} is ${show(value)}; it must be ${kind}`);
  return value;
}

export const checkNumber = (what, name, value) =>
  demand(typeof value === 'number' && !Number.isNaN(value), what, name, value, 'a number');

export const checkFlag = (what, name, value) => demand(typeof value === 'boolean', what, name, value, 'true or false');

export const checkText = (what, name, value) =>
  demand(typeof value === 'string' && !value.includes('\0'), what, name, value, 'a text');

export const checkInteger = (what, name, value, least = -MOST_INTEGER, most = MOST_INTEGER) =>
  demand(Number.isInteger(value) && value >= least && value <= most, what, name, value, `an integer from ${least} to ${most}`);

const checkBits = (what, name, value) =>
  demand(value === -1 || (Number.isInteger(value) && value >= 0 && value <= MOST_BITS), what, name, value,
    'bits: an integer from 0 to 2^53, or -1 for all');

export const checkList = (what, name, value) => demand(Array.isArray(value), what, name, value, 'an array');

export const checkObject = (what, name, value) =>
  demand(typeof value === 'object' && value !== null && !Array.isArray(value), what, name, value, 'an object');

/** Any number of finite numbers, in an array of whatever kind. */
export function checkNumbers(what, name, value) {
  if (typeof value !== 'object' || !Number.isInteger(value?.length)) refuse(`${what}: ${name} must be an array of numbers`);
  for (let i = 0; i < value.length; i++)
    if (!Number.isFinite(value[i])) demand(false, what, `${name}[${i}]`, value[i], 'a finite number');
  return value;
}

export function checkVector(what, name, value, size = 3) {
  if (typeof value !== 'object' || value?.length !== size) refuse(`${what}: ${name} must be an array of ${size} numbers`);
  return checkNumbers(what, name, value);
}

export const checkRotation = (what, name, value) => checkVector(what, name, value, 4);

/** The id of a body, a shape or a hull. */
export const idOf = (what, name, value, kind = 'a body') => demand(typeof value?.id === 'bigint', what, name, value, kind).id;

/** Refuses options that do not exist. */
export function checkNames(what, options, names) {
  checkObject(what, 'what is given', options);
  for (const name of Object.keys(options))
    if (!names.includes(name))
      refuse(`${what}: there is no option "${name}"; ${names.length > 0 ? `there are: ${names.join(', ')}` : 'there is no other'}`);
}

/** The index of a word in a list; what is not there is refused. */
export function indexOf(what, name, words, value) {
  const index = words.indexOf(value);
  demand(index >= 0, what, name, value, `one of: ${words.join(', ')}`);
  return index;
}

/** How many numbers a field is. */
export const sizeOf = (kind) => (typeof kind === 'number' ? kind : 1);

/** A value of a field, as one number or as many. */
export function checkField(what, name, kind, value) {
  if (Array.isArray(kind)) return indexOf(what, name, kind, value);
  switch (kind) {
    case FLAG: return Number(checkFlag(what, name, value));
    case INTEGER: return checkInteger(what, name, value);
    case BITS: return checkBits(what, name, value);
    case 1: return checkNumber(what, name, value);
    default: return checkVector(what, name, value, kind);
  }
}
