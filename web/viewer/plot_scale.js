// Numbers of a plot: ranges that settle, round ticks, labels, and fewer points than there are pixels to show them.

const LOG_FLOOR = 1e-12;
const LARGEST = 1e150; // differences and products of drawn values stay finite

/** What is drawn for a value. NaN is a gap, and so is what has no logarithm; everything else lies on the scale. */
export function toScale(value, log) {
  if (!log)
    return Math.abs(value) <= LARGEST ? value : NaN;
  return value > 0 && value < Infinity ? Math.log10(Math.max(value, LOG_FLOOR)) : NaN;
}

// ---- Ranges

const SHRINK = 0.04; // of the way, each time

/** Smallest and largest of scaled values, widened so that a flat line is not lost on an edge. */
export function rangeOf(arrays, log) {
  let low = Infinity, high = -Infinity;
  for (const values of arrays)
    for (let i = 0; i < values.length; ++i) {
      const value = toScale(values[i], log);
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
  if (low > high)
    return log ? { low: -3, high: 0 } : { low: 0, high: 1 };
  if (log)
    return { low: Math.floor(low), high: Math.max(Math.ceil(high), Math.floor(low) + 1) };
  if (low >= 0)
    return { low: 0, high: high > 0 ? 1.08 * high : 1 };
  const room = 0.06 * Math.max(high - low, Math.abs(low) * 1e-6, Number.MIN_VALUE);
  return { low: low - room, high: Math.max(high, 0) + room };
}

/** A range that grows at once and shrinks slowly, so that a live plot does not flicker. */
export class SettlingRange {
  #range = null;

  reset() {
    this.#range = null;
  }

  /** Moves towards a range and returns where it is now. */
  follow({ low, high }) {
    if (!this.#range)
      this.#range = { low, high };
    const now = this.#range, small = 0.005 * (high - low);
    now.low = low <= now.low || low - now.low < small ? low : now.low + SHRINK * (low - now.low);
    now.high = high >= now.high || now.high - high < small ? high : now.high + SHRINK * (high - now.high);
    return now;
  }
}

// ---- Ticks

/** The multiples of `step` in a range. */
function multiples(low, high, step) {
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    ticks.push(i * step + 0); // never -0
  return ticks;
}

/** The ticks of the smallest step that gives at most `most` of them. */
function fewTicks(low, high, most, steps) {
  const fit = (step) => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1 <= most;
  const step = steps.find(fit);
  return step === undefined ? [] : multiples(low, high, step);
}

/** Round numbers in a range, 1, 2 or 5 times a power of ten apart. */
export function roundTicks(low, high, most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  if (!(power > 0) || !Number.isFinite(power))
    return [];
  return fewTicks(low, high, most, [1, 2, 5, 10, 20, 50, 100].map((factor) => factor * power));
}

/** Whole decades in a range of exponents. */
export function decadeTicks(low, high, most) {
  return fewTicks(low, high, most, [1, 2, 3, 4, 6, 8, 10, 20, 50, 100, 200, 400]);
}

// ---- Labels

const PREFIXES = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
const THIN_SPACE = '\u2009';

/** Three digits, without the zeros that say nothing. */
const digits = (value) => String(Number(value.toPrecision(3)));

/** A number with an SI prefix: 12 300 J is 12.3 kJ. Numbers without a unit, and units of more than one letter (ms), get none. */
export function formatValue(value, unit = '') {
  if (!Number.isFinite(value))
    return '–';
  const space = unit ? THIN_SPACE : '';
  if (value === 0)
    return `0${space}${unit}`;
  const size = Math.abs(Number(value.toPrecision(3)));
  const [factor, prefix] = PREFIXES.find(([least]) => size >= least) ?? PREFIXES[PREFIXES.length - 1];
  if (unit.length !== 1 || size >= 1e12 || size < 1e-9) {
    const plain = size >= 1e6 || size < 1e-3 ? formatPower(value) : digits(value);
    return `${plain}${space}${unit}`;
  }
  return `${digits(value / factor)}${THIN_SPACE}${prefix}${unit}`.trimEnd();
}

const formatPower = (value) => value.toExponential(1).replace('.0e', 'e').replace('e+', 'e');

/** A label of an axis: with a unit that takes a prefix, 0.002 m is 2 mm; other units are left to the headline. */
export function formatTick(value, unit) {
  return value === 0 ? '0' : formatValue(value, unit.length === 1 ? unit : '');
}

export const formatDecade = (exponent) => (exponent === 0 ? '1' : exponent === 1 ? '10' : `1e${exponent}`);

// ---- Fewer points

/**
 * Two points for each of at most `buckets` stretches of time, the smallest and the largest value in the order in which they come.
 * A stretch without any number stays a gap.
 */
export function thinOut(times, values, buckets) {
  if (values.length <= 2 * buckets)
    return { times: Float64Array.from(times), values: Float64Array.from(values) };
  const kept = [];
  for (let b = 0; b < buckets; ++b) {
    const start = Math.floor((b * values.length) / buckets), end = Math.floor(((b + 1) * values.length) / buckets);
    let least = -1, most = -1;
    for (let i = start; i < end; ++i) {
      if (Number.isNaN(values[i]))
        continue;
      least = least < 0 || values[i] < values[least] ? i : least;
      most = most < 0 || values[i] > values[most] ? i : most;
    }
    kept.push(...(least < 0 ? [start] : [Math.min(least, most), Math.max(least, most)]));
  }
  return { times: Float64Array.from(kept, (i) => times[i]), values: Float64Array.from(kept, (i) => values[i]) };
}
