// What a TypeScript program may and may not write; types.test.js has it checked, not run.
import { loadCairn, CairnError, hasSimd, type World, type Body } from '../package/cairn.js';
const c = await loadCairn({ simd: hasSimd() });
const w: World = c.createWorld({ gravity: [0, -9.81, 0], solver: 'pgs', frictionModel: 'cone' });
const exact: World = c.createScene('tower', { solver: c.solvers().find(({ fast }) => !fast)?.name, measure: true, tolerance: 1e-4, effort: 1000 });
exact.measure = exact.tolerance > 0; exact.tolerance = 0;
const h = w.createHull(new Float32Array(12));
const b: Body = w.createBody({ type: 'dynamic', position: [0, 1, 2], shapes: [{ type: 'box', halfExtents: [1, 1, 1], friction: 1 }, { type: 'hull', hull: h }] });
const r = w.step(); const ms: number = r.stageMs.solve + r.stepMs;
const right: number = r.residual + r.worstResidual + r.handedOver + r.missed; console.log(right);
b.linearVelocity = [1, 2, 3]; const v = b.linearVelocity[0]; b.applyForce([1, 2, 3], b.position);
for (const s of b.shapes()) if (s.type === 'hull') console.log(s.vertices.length, s.faces[0]); else if (s.type === 'box') console.log(s.halfExtents[0]);
const t: Float32Array = w.transforms; const i: Int32Array = w.islands; w.gravity = [0, 0, 0]; w.sleeping = true; console.log(ms, v, t, i, w.hash());
try { w.destroy(); } catch (e) { if (e instanceof CairnError) console.log(e.message); }
// @ts-expect-error
w.createBody({ type: 'floating' });
// @ts-expect-error
w.createBody({ shapes: [{ type: 'sphere' }] });
// @ts-expect-error
c.createWorld({ tolerance: 'little' });
// @ts-expect-error
w.measure = 1e-4;
