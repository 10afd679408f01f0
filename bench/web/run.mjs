// Runs Cairn and other engines on the same scenes, all as WebAssembly, and prints a table for each scene. Every run has a
// process of its own; engines take turns within a round and the best round of each counts: on a shared machine that is the
// fairest figure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { engineNames } from './engines/list.mjs';
import { describeScene, sceneNames } from './scenes.mjs';
import { checkTable, sceneTable } from './table.mjs';

const HELP = `Usage: node run.mjs [options]
  --scenes LIST    default: ${sceneNames.join(',')}
  --engines LIST   default: ${engineNames.join(',')}
  --rounds N       how often each engine runs each scene; the best counts (3)
  --steps N        instead of the scene's own number of steps, at least 2
  --timeout N      seconds after which a run is given up (900)
  --json FILE      also write the best runs to this file
  --check          instead: does each engine have the mass, friction, gravity and joints it was told?
  --help`;

class UsageError extends Error {}

function parseList(text, known, what) {
  const names = text.split(',').filter(Boolean);
  for (const name of names)
    if (!known.includes(name)) throw new UsageError(`no ${what} is called ${name}; there are ${known.join(', ')}`);
  if (names.length === 0) throw new UsageError(`the list of ${what}s is empty`);
  return names;
}

function parseCount(text, option, least) {
  const count = Number(text);
  if (!Number.isInteger(count) || count < least) throw new UsageError(`--${option} wants a whole number from ${least}, not ${text}`);
  return count;
}

function parseOptions() {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const options = { scenes: text, engines: text, rounds: text, steps: text, timeout: text, json: text, check: flag, help: flag };
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  return {
    scenes: parseList(values.scenes ?? sceneNames.join(), sceneNames, 'scene'),
    engines: parseList(values.engines ?? engineNames.join(), engineNames, 'engine'),
    rounds: parseCount(values.rounds ?? '3', 'rounds', 1),
    steps: values.steps === undefined ? undefined : parseCount(values.steps, 'steps', 2),
    timeout: parseCount(values.timeout ?? '900', 'timeout', 1),
    json: values.json,
    check: values.check,
    help: values.help,
  };
}

/** What a child process says on its last line, or null after a line on standard error. */
function runChild(words, timeout) {
  const child = fileURLToPath(new URL('child.mjs', import.meta.url));
  const done = spawnSync(process.execPath, [child, ...words], { encoding: 'utf8', timeout: timeout * 1000, maxBuffer: 1 << 26 });
  if (done.status === 0) return JSON.parse(done.stdout.trimEnd().split('\n').at(-1));
  const reason = done.stderr.split('\n').find((line) => /Error|abort/i.test(line)) ?? `status ${done.status}`;
  console.error(`run: ${words[0]}: ${done.error?.code === 'ETIMEDOUT' ? `gave up after ${timeout} s` : reason.trim()}`);
  return null;
}

function bestRuns(options, sceneFile, steps) {
  const best = new Map();
  for (let round = 0; round < options.rounds; round++) {
    for (const engine of options.engines) {
      const run = runChild([engine, sceneFile, String(steps)], options.timeout);
      if (run && !(best.get(engine)?.msMean <= run.msMean)) best.set(engine, run);
    }
  }
  return new Map(options.engines.filter((engine) => best.has(engine)).map((engine) => [engine, best.get(engine)]));
}

async function bench(options) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const results = {};
  try {
    for (const name of options.scenes) {
      const scene = await describeScene(name);
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(scene));
      const steps = options.steps ?? scene.steps;
      const best = bestRuns(options, file, steps);
      results[name] = Object.fromEntries(best);
      console.log(`### ${name}, ${steps} steps, best of ${options.rounds}\n`);
      console.log(`${sceneTable([...best.values()], best.get('cairn')?.msMean)}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  const complete = Object.values(results).every((runs) => Object.keys(runs).length === options.engines.length);
  return complete ? 0 : 1;
}

function check(options) {
  let passed = true;
  for (const engine of options.engines) {
    const result = runChild([engine], options.timeout);
    passed &&= result !== null && result.checks.every(({ pass }) => pass);
    if (result) console.log(`${checkTable(result)}\n`);
  }
  return passed ? 0 : 1;
}

async function main() {
  const options = parseOptions();
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  return options.check ? check(options) : bench(options);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`run: ${error.message}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
