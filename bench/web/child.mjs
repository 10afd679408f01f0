// One engine in a process of its own: `child.mjs ENGINE SCENE-FILE STEPS` times a scene, `child.mjs ENGINE` runs the
// checks. Prints one JSON object on its last line.
import { readFileSync } from 'node:fs';
import { runChecks } from './check.mjs';
import { loadEngine } from './engines/list.mjs';
import { POSE } from './engines/shared.mjs';
import { measureState, watchJoints } from './measure.mjs';

/** Milliseconds of each step but the first, which also pays for what engines set up late. `watch` is called after each. */
function timeSteps(world, steps, watch) {
  world.step();
  const times = new Float64Array(steps - 1);
  for (let i = 0; i < times.length; i++) {
    const start = performance.now();
    world.step();
    times[i] = performance.now() - start;
    watch();
  }
  return times;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function runScene(engine, scene, steps) {
  const world = await engine.create(scene);
  const count = scene.bodies.filter((body) => body.type === 'dynamic').length;
  const poses = new Float64Array(count * POSE);
  const joints = watchJoints(scene);
  const times = timeSteps(world, steps, () => {
    if (scene.kind !== 'joints') return;
    world.readPositions(poses);
    joints.look(poses);
  });
  const memory = process.resourceUsage().maxRSS / 1024; // before measuring takes its own
  world.readPositions(poses);
  const state = scene.kind === 'joints' ? joints.state() : measureState(scene, poses, world.velocities());
  const { settings, simd, threads } = world;
  world.destroy();
  return { msMean: mean(times), msLast: mean(times.slice(-100)), steps, peakRssMb: memory, simd, threads, settings, ...state };
}

const [id, sceneFile, steps] = process.argv.slice(2);
const engine = await loadEngine(id);
const result = sceneFile
  ? await runScene(engine, JSON.parse(readFileSync(sceneFile, 'utf8')), Number(steps))
  : { checks: await runChecks(engine.create) };
// Some engines keep threads that would keep the process alive.
process.stdout.write(`\n${JSON.stringify({ engine: engine.label, version: engine.version, ...result })}\n`, () => process.exit(0));
