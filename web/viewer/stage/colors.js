// What colour each body gets. Works on plain arrays of linear red, green and blue, three numbers per body.
import { Color } from 'three';

const RAMP_STEPS = 256;
const SLOWEST = 1e-3;
const FASTEST = 10;
const GOLDEN_ANGLE = 2.399963;
const HUES = 24;

/** A colour of the given lightness (0…1), chroma and hue (radians) in OKLCH, written as linear RGB. */
function writeOklch(out, at, lightness, chroma, hue) {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  out[at] = clamp01(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  out[at + 1] = clamp01(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  out[at + 2] = clamp01(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
}

function clamp01(x) {
  return Math.min(1, Math.max(0, x));
}

/** Neighbours in the list are far apart in hue; lightness alternates so that repeats still differ. */
export function distinctColors(count) {
  const colors = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    writeOklch(colors, 3 * i, i % 2 ? 0.74 : 0.64, 0.13, i * GOLDEN_ANGLE);
  }
  return colors;
}

/** A number in 0…1 that looks random but depends on the index alone. */
function scatter(index) {
  let x = (index + 1) * 0x9e3779b1;
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 4294967296;
}

function linear(hex) {
  return new Color(hex).toArray();
}

function speedRamp(theme) {
  const stops = [linear(theme.slow), linear(theme.medium), linear(theme.fast)];
  const ramp = new Float32Array(3 * RAMP_STEPS);
  for (let i = 0; i < RAMP_STEPS; i++) {
    const along = (2 * i) / (RAMP_STEPS - 1);
    const stop = Math.min(1, Math.floor(along));
    for (let c = 0; c < 3; c++) {
      // Square roots mix evenly to the eye; linear light would rush through the dark end.
      const from = Math.sqrt(stops[stop][c]);
      const to = Math.sqrt(stops[stop + 1][c]);
      ramp[3 * i + c] = (from + (to - from) * (along - stop)) ** 2;
    }
  }
  return ramp;
}

function copyColor(out, body, source, index) {
  out[3 * body] = source[3 * index];
  out[3 * body + 1] = source[3 * index + 1];
  out[3 * body + 2] = source[3 * index + 2];
}

export class BodyColors {
  constructor(theme) {
    this.stones = new Float32Array(theme.stones.flatMap(linear));
    this.ramp = speedRamp(theme);
    this.islands = distinctColors(HUES);
    // One table for everything that is a single colour; the names give the place in it.
    this.single = new Float32Array(
      [theme.fixed, theme.driven, theme.pale, theme.asleep, theme.awake].flatMap(linear));
    this.painters = {
      body: this.paintStone,
      speed: this.paintSpeed,
      island: this.paintIsland,
      sleep: this.paintSleep,
      graph: this.paintPale,
    };
  }

  knows(mode) {
    return Object.hasOwn(this.painters, mode);
  }

  /** Fills out; values may be missing or too short, then a body gets the colour of the value 0. */
  paint(out, types, mode, values) {
    const painter = this.painters[mode];
    for (let i = 0; i < types.length; i++) {
      if (types[i] === 'static') copyColor(out, i, this.single, 0);
      else painter.call(this, out, i, values?.[i] ?? 0, types[i]);
    }
  }

  paintStone(out, i, value, type) {
    if (type === 'kinematic') {
      copyColor(out, i, this.single, 1);
      return;
    }
    copyColor(out, i, this.stones, Math.floor(scatter(i) * (this.stones.length / 3)));
    const shade = 0.9 + 0.2 * scatter(i + 7919);
    for (let c = 3 * i; c < 3 * i + 3; c++) out[c] *= shade;
  }

  paintSpeed(out, i, speed) {
    const along = Math.log(Math.max(speed, SLOWEST) / SLOWEST) / Math.log(FASTEST / SLOWEST);
    copyColor(out, i, this.ramp, Math.min(RAMP_STEPS - 1, Math.floor(along * RAMP_STEPS)) || 0);
  }

  paintIsland(out, i, island) {
    if (island < 0) copyColor(out, i, this.single, 2);
    else copyColor(out, i, this.islands, island % HUES);
  }

  paintSleep(out, i, awake) {
    copyColor(out, i, this.single, awake ? 4 : 3);
  }

  paintPale(out, i) {
    copyColor(out, i, this.single, 2);
  }
}
