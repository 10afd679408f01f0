// A small line plot on a canvas: live, with the newest points pushed in, or of a whole recording with a cursor.
import {
  SettlingRange, decadeTicks, formatDecade, formatTick, formatValue, rangeOf, roundTicks, thinOut, toScale,
} from './plot_scale.js';

const LIVE_POINTS = 600;
const BUCKETS = 1000; // of a recording; wider than any plot on the page
const FONT = 'system-ui, sans-serif';
const LINE_WIDTH = 1.5, DOT_RADIUS = 2.5, PADDING = 6; // CSS pixels
const NARROW = 240; // below this many CSS pixels letters are smaller and ticks fewer

const DEFAULTS = { unit: '', log: false, text: '#b8bcc2', grid: 'rgba(255, 255, 255, 0.09)', background: 'transparent' };

/**
 * @typedef {{ title: string, unit?: string, log?: boolean, series: Array<{ color: string }>,
 *   text?: string, grid?: string, background?: string }} PlotOptions
 * `text`, `grid` and `background` are colours of the page.
 */

export class Plot {
  #canvas;
  #context;
  #options;
  #range = new SettlingRange();
  #lines; // per series: times and values
  #full = null; // of a recording: all points, for the values at the cursor
  #cursor = NaN;

  /** @param {HTMLCanvasElement} canvas @param {PlotOptions} options */
  constructor(canvas, options) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d');
    this.#options = { ...DEFAULTS, ...options };
    this.clear();
  }

  /** Forgets all points. */
  clear() {
    this.#lines = this.#options.series.map(() => ({ times: [], values: [] }));
    this.#full = null;
    this.#cursor = NaN;
    this.#range.reset();
  }

  /** Adds a point to each series; the oldest go. A time before the last one starts the plot anew. */
  push(time, values) {
    const last = this.#lines[0]?.times.at(-1);
    if (this.#full || time < last)
      this.clear();
    this.#lines.forEach((line, i) => {
      line.times.push(time);
      line.values.push(values[i] ?? NaN);
      if (line.times.length > LIVE_POINTS) {
        line.times.shift();
        line.values.shift();
      }
    });
  }

  /** Shows whole series instead: one array of times, one of values per series. */
  setData(times, arrays) {
    this.clear();
    this.#full = { times, arrays };
    this.#lines = this.#options.series.map((_, i) => thinOut(times, arrays[i] ?? [], BUCKETS));
  }

  /** Marks a time; its values are shown instead of the newest. NaN takes the mark away. */
  setCursor(time) {
    this.#cursor = time;
  }

  draw() {
    const context = this.#context;
    const { width, height } = this.#fitToPixels();
    const narrow = width < NARROW;
    const letter = narrow ? 10 : 11;
    context.font = `${letter}px ${FONT}`;
    context.textBaseline = 'alphabetic';
    this.#clearCanvas(width, height);
    const frame = this.#layOut(width, height, letter, narrow);
    this.#drawGrid(frame);
    this.#drawTimes(frame);
    this.#lines.forEach((line, i) => this.#drawLine(frame, line, this.#options.series[i].color));
    this.#drawCursor(frame);
    this.#drawHeadline(frame);
  }

  // ---- Places

  /** As many pixels as the screen has, so that lines are crisp. */
  #fitToPixels() {
    const canvas = this.#canvas, ratio = globalThis.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const pixelWidth = Math.max(1, Math.round(width * ratio)), pixelHeight = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
      canvas.width = pixelWidth;
      canvas.height = pixelHeight;
    }
    this.#context.setTransform(pixelWidth / Math.max(width, 1), 0, 0, pixelHeight / Math.max(height, 1), 0, 0);
    return { width, height };
  }

  #clearCanvas(width, height) {
    const context = this.#context;
    context.clearRect(0, 0, width, height);
    if (this.#options.background === 'transparent')
      return;
    context.fillStyle = this.#options.background;
    context.fillRect(0, 0, width, height);
  }

  #layOut(width, height, letter, narrow) {
    const { log, unit } = this.#options;
    const top = PADDING + letter + 7, bottom = Math.max(height - PADDING - letter - 1, top + 1);
    const range = this.#range.follow(rangeOf(this.#lines.map((line) => line.values), log));
    const most = Math.max(3, Math.min(5, Math.floor((bottom - top) / (narrow ? 16 : 22))));
    const ticks = log ? decadeTicks(range.low, range.high, most) : roundTicks(range.low, range.high, most);
    const labels = ticks.map((tick) => (log ? formatDecade(tick) : formatTick(tick, unit)));
    const widest = Math.max(0, ...labels.map((label) => this.#context.measureText(label).width));
    const left = PADDING + Math.ceil(widest) + 6, right = Math.max(width - PADDING - 2, left + 1);
    const [start, end] = this.#timeSpan();
    return {
      width, height, letter, narrow, top, bottom, left, right, ticks, labels, start, end,
      x: (time) => left + ((time - start) / (end - start)) * (right - left),
      y: (scaled) => bottom - ((scaled - range.low) / (range.high - range.low)) * (bottom - top),
    };
  }

  #timeSpan() {
    const times = this.#lines[0]?.times ?? [];
    const start = times.length > 0 ? times[0] : 0;
    const end = times.length > 0 ? times[times.length - 1] : 0;
    return [start, end > start ? end : start + 1];
  }

  // ---- Drawing

  #drawGrid({ left, right, top, bottom, ticks, labels, letter, y }) {
    const context = this.#context;
    context.lineWidth = 1;
    context.strokeStyle = this.#options.grid;
    context.fillStyle = this.#options.text;
    context.textAlign = 'right';
    context.beginPath();
    ticks.forEach((tick, i) => {
      const line = Math.round(y(tick)) + 0.5;
      if (line < top - 1 || line > bottom + 1)
        return;
      context.moveTo(left, line);
      context.lineTo(right, line);
      context.fillText(labels[i], left - 5, line + 0.35 * letter);
    });
    context.stroke();
  }

  #drawTimes({ left, right, width, height, start, end, narrow, x }) {
    const context = this.#context;
    if (!this.#lines[0]?.times.length)
      return;
    const ticks = roundTicks(start, end, narrow ? 3 : Math.max(3, Math.floor((right - left) / 60)));
    context.fillStyle = this.#options.text;
    context.textAlign = 'center';
    for (const tick of ticks) {
      const label = `${Number(tick.toPrecision(6))}\u2009s`, half = context.measureText(label).width / 2;
      const place = Math.min(Math.max(x(tick), left + half), width - PADDING - half);
      context.fillText(label, place, height - PADDING + 1);
    }
  }

  #drawLine({ x, y, bottom, top }, { times, values }, color) {
    const context = this.#context, { log } = this.#options;
    context.strokeStyle = color;
    context.lineWidth = LINE_WIDTH;
    context.lineJoin = 'round';
    context.lineCap = 'round';
    context.beginPath();
    let drawing = false;
    for (let i = 0; i < times.length; ++i) {
      const scaled = toScale(values[i], log);
      if (Number.isNaN(scaled)) {
        drawing = false;
        continue;
      }
      const px = x(times[i]), py = Math.min(Math.max(y(scaled), top - 1), bottom);
      if (!drawing)
        context.moveTo(px, py);
      context.lineTo(px, py); // also for the first point: alone it shows as a dot
      drawing = true;
    }
    context.stroke();
  }

  #drawCursor({ x, y, top, bottom, start, end }) {
    const cursor = this.#cursor;
    if (!(cursor >= start && cursor <= end))
      return;
    const context = this.#context, place = Math.round(x(cursor)) + 0.5;
    context.strokeStyle = this.#options.text;
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(place, top - 2);
    context.lineTo(place, bottom + 1);
    context.stroke();
    context.globalAlpha = 1;
    this.#currentValues().forEach((value, i) => {
      const scaled = toScale(value, this.#options.log);
      if (Number.isNaN(scaled))
        return;
      context.fillStyle = this.#options.series[i].color;
      context.beginPath();
      context.arc(place, y(scaled), DOT_RADIUS, 0, 2 * Math.PI);
      context.fill();
    });
  }

  /** The title on the left, the present values on the right, each in its colour, which the labels of the panes explain. */
  #drawHeadline({ right, letter, narrow }) {
    const context = this.#context, { series, unit, title, text } = this.#options;
    const baseline = PADDING + letter - 1;
    let free = right;
    context.textAlign = 'right';
    const values = this.#currentValues();
    for (let i = series.length - 1; i >= 0; --i) {
      const label = formatValue(values[i], unit);
      context.fillStyle = series[i].color;
      context.fillText(label, free, baseline);
      free -= context.measureText(label).width + (narrow ? 6 : 12);
    }
    context.textAlign = 'left';
    context.fillStyle = text;
    context.fillText(this.#shorten(title, free - PADDING), PADDING, baseline);
  }

  /** All of it, its first word, or as many letters as there is room for. */
  #shorten(label, room) {
    const fits = (candidate) => this.#context.measureText(candidate).width <= room;
    const whole = [label, label.split(' ')[0]].find(fits);
    if (whole !== undefined)
      return whole;
    let length = label.length;
    while (length > 0 && !fits(`${label.slice(0, length)}…`))
      --length;
    return length > 2 ? `${label.slice(0, length)}…` : '';
  }

  /** The values at the cursor, or the newest. */
  #currentValues() {
    return this.#lines.map((line, i) => {
      const times = this.#full?.times ?? line.times, values = this.#full?.arrays[i] ?? line.values;
      const at = Number.isNaN(this.#cursor) ? times.length - 1 : indexAt(times, this.#cursor);
      return values[at] ?? NaN;
    });
  }
}

/** The point whose time is nearest. */
function indexAt(times, time) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && time - times[low - 1] < times[low] - time ? low - 1 : low;
}
