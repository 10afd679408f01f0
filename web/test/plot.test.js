// Plots: numbers are scaled, labelled and thinned out right, and no value whatever makes drawing fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Plot } from '../viewer/plot.js';
import { SettlingRange, decadeTicks, formatDecade, formatTick, formatValue, rangeOf, roundTicks, thinOut, toScale } from '../viewer/plot_scale.js';

/** A canvas that notes what is drawn on it; every letter is 6 pixels wide. */
function fakeCanvas(width, height) {
  const calls = [];
  const context = new Proxy({ measureText: (label) => ({ width: 6 * label.length }) }, {
    get: (target, name) => target[name] ?? ((...args) => calls.push({ name, args, fillStyle: target.fillStyle })),
    set: (target, name, value) => { target[name] = value; return true; },
  });
  return { canvas: { clientWidth: width, clientHeight: height, width: 0, height: 0, getContext: () => context }, calls };
}

function drawn(calls, name) {
  return calls.filter((call) => call.name === name);
}

const labels = (calls) => drawn(calls, 'fillText').map((call) => call.args[0]);
const options = { title: 'Energy', unit: 'J', series: [{ color: 'red' }] };

test('ticks are few and round', () => {
  assert.deepEqual(roundTicks(0, 60, 7), [0, 10, 20, 30, 40, 50, 60]);
  assert.deepEqual(roundTicks(0, 60, 3), [0, 50]);
  assert.deepEqual(roundTicks(0, 0.0023, 3), [0, 0.001, 0.002]);
  assert.deepEqual(roundTicks(-1, 1, 3), [-1, 0, 1]);
  assert.deepEqual(roundTicks(1, 1, 3), []);
  assert.deepEqual(roundTicks(0, Infinity, 3), []);
  assert.deepEqual(decadeTicks(-12, 0, 4), [-12, -8, -4, 0]);
  assert.deepEqual(decadeTicks(-1, 5, 2), [0, 3]);
  for (let most = 3; most < 9; ++most)
    for (const high of [1e-9, 0.7, 1, 3, 49, 1e7])
      assert.ok(roundTicks(0, high, most).length >= 2 && roundTicks(0, high, most).length <= most, `${high} ${most}`);
});

test('numbers carry SI prefixes', () => {
  assert.equal(formatValue(12300, 'J'), '12.3\u2009kJ');
  assert.equal(formatValue(0.00181, 'm'), '1.81\u2009mm');
  assert.equal(formatValue(999.9, 'J'), '1\u2009kJ');
  assert.equal(formatValue(16.66, 'ms'), '16.7\u2009ms');
  assert.equal(formatValue(0, 'J'), '0\u2009J');
  assert.equal(formatValue(-0.5, 'm'), '-500\u2009mm');
  assert.equal(formatValue(NaN, 'J'), '–');
  assert.equal(formatValue(0.0123), '0.0123', 'what has no unit has no prefix');
  assert.equal(formatValue(1.234e-5), '1.2e-5');
  assert.equal(formatTick(0.5, 'ms'), '0.5');
  assert.equal(formatValue(3e-11, 'm'), '3e-11\u2009m');
  assert.equal(formatTick(0.002, 'm'), '2\u2009mm');
  assert.equal(formatTick(20, 'ms'), '20');
  assert.equal(formatDecade(-9), '1e-9');
});

test('logarithms have a floor and gaps', () => {
  assert.ok(Number.isNaN(toScale(0, true)));
  assert.ok(Number.isNaN(toScale(-5, true)));
  assert.equal(toScale(1e-30, true), -12);
  assert.equal(toScale(1000, true), 3);
  assert.ok(Number.isNaN(toScale(Infinity, true)));
  assert.ok(Number.isNaN(toScale(NaN, true)));
  assert.ok(Number.isNaN(toScale(-Infinity, false)));
});

test('ranges hold the data, and zero on a linear scale', () => {
  assert.deepEqual(rangeOf([[0.002, 500]], true), { low: -3, high: 3 });
  assert.deepEqual(rangeOf([[10, 10]], true), { low: 1, high: 2 });
  const { low, high } = rangeOf([[3, 7], [5]], false);
  assert.equal(low, 0);
  assert.ok(high > 7 && high < 8);
  assert.deepEqual(rangeOf([[], [NaN]], false), { low: 0, high: 1 });
});

test('ranges grow at once, shrink slowly and arrive', () => {
  const range = new SettlingRange();
  range.follow({ low: 0, high: 10 });
  assert.equal(range.follow({ low: 0, high: 100 }).high, 100);
  const next = range.follow({ low: 0, high: 10 }).high;
  assert.ok(next < 100 && next > 90);
  for (let i = 0; i < 300; ++i)
    range.follow({ low: 0, high: 10 });
  assert.equal(range.follow({ low: 0, high: 10 }).high, 10);
});

test('thinning out keeps peaks and gaps', () => {
  const times = Float64Array.from({ length: 100_000 }, (_, i) => i);
  const values = new Float64Array(100_000);
  values[54_321] = 7;
  values[54_322] = -7;
  values.fill(NaN, 80_000, 90_000);
  const thin = thinOut(times, values, 1000);
  assert.ok(thin.values.length <= 2000);
  assert.equal(thin.values[thin.times.indexOf(54_321)], 7);
  assert.equal(thin.values[thin.times.indexOf(54_322)], -7);
  assert.ok(thin.values.filter(Number.isNaN).length >= 99);
});

test('the newest values stand at the top, or those at the cursor', () => {
  const { canvas, calls } = fakeCanvas(600, 160);
  const plot = new Plot(canvas, options);
  plot.setData([0, 1, 2, 3], [[10, 20, 3210, 40]]);
  plot.draw();
  assert.ok(labels(calls).includes('40\u2009J'));
  calls.length = 0;
  plot.setCursor(2.2);
  plot.draw();
  assert.ok(labels(calls).includes('3.21\u2009kJ'));
  assert.equal(drawn(calls, 'arc').length, 1);
  assert.equal(drawn(calls, 'fillText').find((call) => call.args[0] === '3.21\u2009kJ').fillStyle, 'red');
});

test('nothing is a gap on a logarithmic scale, and a zero at the top; titles give way word by word', () => {
  const series = [{ color: 'red' }, { color: 'blue' }];
  const headline = (width) => {
    const { canvas, calls } = fakeCanvas(width, 160);
    const plot = new Plot(canvas, { title: 'kinetic energy', unit: 'J/kg', log: true, series });
    plot.push(0, [1, 0]);
    plot.draw();
    return labels(calls).slice(-3);
  };
  assert.deepEqual(headline(600), ['0\u2009J/kg', '1\u2009J/kg', 'kinetic energy']);
  assert.deepEqual(headline(160), ['0\u2009J/kg', '1\u2009J/kg', 'kinetic']);
  assert.deepEqual(headline(130), ['0\u2009J/kg', '1\u2009J/kg', 'kine…']);
});

test('a live plot keeps 600 points and starts anew when time goes back', () => {
  const { canvas, calls } = fakeCanvas(600, 160);
  const plot = new Plot(canvas, options);
  for (let i = 0; i < 1000; ++i)
    plot.push(i, [i]);
  plot.draw();
  const lineCount = () => drawn(calls, 'lineTo').length;
  assert.ok(lineCount() >= 600 && lineCount() < 620);
  calls.length = 0;
  plot.push(0, [1]);
  plot.draw();
  assert.ok(lineCount() < 20);
});

test('a gap breaks the line', () => {
  const { canvas, calls } = fakeCanvas(600, 160);
  const moves = (values) => {
    const plot = new Plot(canvas, options);
    plot.setData([0, 1, 2, 3], [values]);
    calls.length = 0;
    plot.draw();
    return drawn(calls, 'moveTo').length;
  };
  assert.equal(moves([3, 3, NaN, 3]) - moves([3, 3, 3, 3]), 1);
});

test('a canvas has as many pixels as the screen', () => {
  const { canvas, calls } = fakeCanvas(150, 90);
  globalThis.devicePixelRatio = 2.5;
  new Plot(canvas, options).draw();
  delete globalThis.devicePixelRatio;
  assert.deepEqual([canvas.width, canvas.height], [375, 225]);
  assert.deepEqual(drawn(calls, 'setTransform')[0].args, [2.5, 0, 0, 2.5, 0, 0]);
});

test('no value and no size makes drawing fail, and every coordinate is a number', () => {
  const odd = [0, -1, NaN, Infinity, -Infinity, 1e308, -1e308, 5e-324, undefined];
  for (const log of [false, true])
    for (const [width, height] of [[600, 160], [150, 90], [1, 1], [0, 0]])
      for (const a of odd)
        for (const b of odd) {
          const { canvas, calls } = fakeCanvas(width, height);
          const plot = new Plot(canvas, { ...options, log });
          plot.push(0, [a]);
          plot.push(1, [b]);
          plot.setCursor(1);
          plot.draw();
          for (const { name, args } of calls)
            assert.ok(args.every((arg) => typeof arg === 'string' || Number.isFinite(arg)), `${name} ${args} for ${a}, ${b}`);
        }
});
