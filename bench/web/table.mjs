// Results as Markdown.

const number = (value, digits) => (value === undefined ? '-' : value.toFixed(digits));

function stateText({ verdict, topSinks, lost }) {
  const sinks = topSinks > 0.005 ? `, top ${topSinks.toFixed(2)} m lower` : '';
  const swallowed = lost > 0 ? `, **${lost} fell through the floor or into others**` : '';
  return `${verdict}${sinks}${swallowed}`;
}

const settingsText = (settings) =>
  Object.entries(settings)
    .map(([key, value]) => (key === 'solver' ? value : `${key} ${value}`))
    .join(', ');

// Title, alignment, and what stands in the cell.
const COLUMNS = [
  ['engine', '---', (run) => run.engine],
  ['version', '---', (run) => run.version],
  ['ms/step', '---:', (run) => number(run.msMean, 2)],
  ['ratio', '---:', (run, base) => number(base && run.msMean / base, 2)],
  ['overlap m', '---:', (run) => number(run.penetration, 4)],
  ['gap m', '---:', (run) => number(run.gap, 4)],
  ['energy J/kg', '---:', (run) => (run.energyPerKg === undefined ? '-' : run.energyPerKg.toExponential(1))],
  ['speed m/s', '---:', (run) => number(run.meanSpeed, 3)],
  ['state', '---', stateText],
  ['MB', '---:', (run) => number(run.peakRssMb, 0)],
  ['SIMD', '---', (run) => (run.simd ? 'yes' : 'no')],
  ['threads', '---:', (run) => String(run.threads)],
  ['settings', '---', (run) => settingsText(run.settings)],
];

const row = (cells) => `| ${cells.join(' | ')} |`;

// Piles have no joints, and where there are joints nothing touches.
const PILES_ONLY = ['overlap m', 'energy J/kg', 'speed m/s'];
const JOINTS_ONLY = ['gap m'];

/** A table of the best runs; `ratio` is against `base`, the milliseconds of Cairn. */
export function sceneTable(runs, base) {
  const left = runs.some((run) => run.gap !== undefined) ? PILES_ONLY : JOINTS_ONLY;
  const columns = COLUMNS.filter(([title]) => !left.includes(title));
  const heading = [row(columns.map(([title]) => title)), row(columns.map(([, rule]) => rule))];
  return [...heading, ...runs.map((run) => row(columns.map(([, , cell]) => cell(run, base))))].join('\n');
}

export function checkTable({ engine, version, checks }) {
  const lines = checks.map(({ what, value, low, high, pass }) =>
    row([what, number(value, 4), `${number(low, 3)} to ${number(high, 3)}`, pass ? 'pass' : '**fail**']),
  );
  return [`### ${engine} ${version}\n`, row(['what', 'measured', 'bound', '']), row(['---', '---:', '---', '---']), ...lines].join('\n');
}
