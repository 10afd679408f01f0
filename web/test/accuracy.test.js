// How right a step is: measuring it, asking for an accuracy, and the solvers of the laboratory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CairnError, loadCairn } from '../package/cairn.js';
import { hasProgram, nativeHash } from './native.js';

const noProgram = !hasProgram && 'the native program is not built';
const engines = { simd: await loadCairn({ simd: true }), base: await loadCairn({ simd: false }) };
const engine = engines.simd;

/** A world with cubes one on the other, and what its last step reported. */
function stack(options, { count = 5, steps = 120, of = engine } = {}) {
  const world = of.createWorld({ gravity: [0, -10, 0], sleeping: false, ...options });
  world.createBody({ type: 'static', position: [0, -1, 0], shapes: [{ type: 'box', halfExtents: [10, 1, 10] }] });
  for (let i = 0; i < count; i++)
    world.createBody({ type: 'dynamic', position: [0, 0.5 + i, 0], shapes: [{ type: 'box', halfExtents: [0.5, 0.5, 0.5] }] });
  let report;
  for (let i = 0; i < steps; i++) report = world.step();
  return { world, report };
}

test('a residual is there when it is measured, and NaN when not', () => {
  const { world, report } = stack({}, { steps: 3 });
  assert.equal(world.measure, false);
  assert.deepEqual([report.residual, report.worstResidual, report.handedOver, report.missed], [NaN, NaN, 0, 0]);
  world.measure = true;
  assert.equal(world.measure, true);
  const measured = world.step();
  assert.ok(measured.residual > 0 && measured.residual < 1, `residual ${measured.residual}`);
  assert.equal(measured.worstResidual, measured.residual, 'there is one island');
  world.measure = false;
  assert.equal(world.step().residual, NaN);
  assert.equal(stack({ measure: true }, { steps: 0 }).world.measure, true);
});

test('measuring does not change the motion', () => {
  assert.equal(stack({ measure: true }).world.hash(), stack({}).world.hash());
});

test('newton solves a stack at rest to 1e-5 and better', () => {
  for (const solver of ['newton', 'body_space']) {
    const { report } = stack({ solver, measure: true });
    assert.ok(report.residual < 1e-5, `${solver}: ${report.residual}`);
    assert.ok(report.maxPenetration < 1e-3, `${solver}: ${report.maxPenetration}`);
  }
});

test('islands above the tolerance are handed over, and meet it', () => {
  const { world, report } = stack({ tolerance: 1e-4 });
  assert.equal(world.tolerance, Math.fround(1e-4));
  assert.deepEqual([report.handedOver, report.missed], [1, 0]);
  assert.ok(report.residual > 0 && report.residual <= 1e-4, `residual ${report.residual}`);
  world.tolerance = 0;
  assert.equal(world.tolerance, 0);
  const after = world.step();
  assert.deepEqual([after.residual, after.handedOver], [NaN, 0]);
  world.tolerance = 1e-6;
  assert.equal(world.step().handedOver, 1);
});

test('without effort nothing is handed over, and the report says that it missed', () => {
  const { report } = stack({ tolerance: 1e-6, effort: 0 });
  assert.deepEqual([report.handedOver, report.missed], [0, 1]);
});

test('handing over gives the native hash', { skip: noProgram }, () => {
  const expected = nativeHash('tower', 20, '--tolerance', '1e-4');
  for (const [build, each] of Object.entries(engines)) {
    const world = each.createScene('tower', { tolerance: 1e-4 });
    for (let i = 0; i < 20; i++) world.step();
    assert.equal(world.hash(), expected, build);
  }
});

const refusals = {
  'a negative tolerance': [() => engine.createWorld({ tolerance: -1 }), /tolerance/],
  'a tolerance without end': [() => engine.createWorld({ tolerance: Infinity }), /tolerance/],
  'a tolerance that is a text': [() => engine.createWorld({ tolerance: '1e-4' }), /tolerance is "1e-4"; it must be a number/],
  'a tolerance that becomes negative': [() => { engine.createWorld().tolerance = -1e-3; }, /tolerance/],
  'a tolerance that becomes NaN': [() => { engine.createWorld().tolerance = NaN; }, /tolerance/],
  'a measure that is a word': [() => engine.createWorld({ measure: 'yes' }), /measure is "yes"/],
  'a negative effort': [() => engine.createWorld({ effort: -1 }), /effort/],
  'more effort than can be counted': [() => engine.createWorld({ effort: 1e12 }), /effort/],
};
for (const [what, [call, sentence]] of Object.entries(refusals))
  test(`${what} is refused with a sentence`, () => {
    assert.throws(call, (error) => error instanceof CairnError && sentence.test(error.message));
  });

test('solvers come with what they do; the fast ones first', () => {
  const solvers = engine.solvers();
  assert.deepEqual(solvers.filter(({ fast }) => fast).map(({ name }) => name), ['soft_step', 'pgs', 'mass_split']);
  assert.equal(solvers.findLastIndex(({ fast }) => fast), 2);
  assert.ok(solvers.length > 15 && solvers.every(({ summary }) => summary.length > 10));
});

for (const { name } of engine.solvers())
  test(`${name} gives the native hash on a tower`, { skip: noProgram }, () => {
    const expected = nativeHash('tower', 4, '--solver', name);
    for (const [build, each] of Object.entries(engines)) {
      const world = each.createScene('tower', { solver: name });
      for (let i = 0; i < 4; i++) world.step();
      assert.equal(world.hash(), expected, build);
      world.destroy();
    }
  });

test('newton and body_space give the native hash where things fall over', { skip: noProgram }, () => {
  for (const solver of ['newton', 'body_space']) {
    const expected = nativeHash('dominoes', 120, '--solver', solver);
    for (const [build, each] of Object.entries(engines)) {
      const world = each.createScene('dominoes', { solver });
      for (let i = 0; i < 120; i++) world.step();
      assert.equal(world.hash(), expected, `${solver}, ${build}`);
      world.destroy();
    }
  }
});
