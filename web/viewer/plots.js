// The row of plots below the picture: kinetic energy, worst overlap, residual, time of a step.
import { Plot } from './plot.js';

const KINDS = [
  { key: 'kinetic', title: 'kinetic energy', unit: 'J/kg', log: true },
  { key: 'penetration', title: 'overlap', unit: 'mm', log: true },
  { key: 'residual', title: 'residual', unit: '', log: true, liveOnly: true },
  { key: 'stepMs', title: 'step time', unit: 'ms' },
];

// The colours of the page.
const colorOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function values(source) {
  const m = source.measures();
  return { kinetic: m.kineticPerKg ?? m.kineticEnergy, penetration: 1e3 * m.penetration, residual: m.residual, stepMs: m.stepMs };
}

export class Plots {
  constructor(parent) {
    this.parent = parent;
    this.plots = [];
  }

  /** Sets up plots for the sources, one line each; empty takes them away. */
  show(sources) {
    this.sources = sources;
    this.plots = [];
    this.whole = false;
    this.parent.replaceChildren();
    if (sources.length === 0) return;
    const kinds = KINDS.filter((kind) => !kind.liveOnly || sources[0].live);
    const colors = ['--first', '--second'].map(colorOf);
    const series = sources.map((_, i) => ({ color: colors[i] }));
    for (const kind of kinds) {
      const canvas = document.createElement('canvas');
      canvas.dataset.plot = kind.key;
      this.parent.append(canvas);
      const unit = kind.key === 'kinetic' && !sources[0].live ? 'J' : kind.unit;
      const plot = new Plot(canvas, { ...kind, unit, series, text: colorOf('--faint'), grid: colorOf('--line') });
      this.plots.push({ key: kind.key, plot });
    }
    if (!sources[0].live) this.#readRecording(sources[0]);
    this.draw();
  }

  async #readRecording(source) {
    this.whole = true;
    const series = await source.readSeries(() => this.sources?.[0] === source);
    if (!series || this.sources?.[0] !== source) return;
    const of = { kinetic: series.kineticEnergy, penetration: series.penetration.map((x) => 1e3 * x), stepMs: series.stepMs };
    for (const { key, plot } of this.plots) if (of[key]) plot.setData(series.time, [of[key]]);
    this.draw();
  }

  /** Takes in the newest step of each source. */
  push() {
    if (this.plots.length === 0 || this.whole) return;
    const now = this.sources.map(values);
    const time = this.sources[0].shown * this.sources[0].stepSeconds;
    for (const { key, plot } of this.plots) plot.push(time, now.map((v) => v[key]));
  }

  draw() {
    for (const { plot } of this.plots) {
      if (this.whole) plot.setCursor(this.sources[0].shown * this.sources[0].stepSeconds);
      plot.draw();
    }
  }
}
