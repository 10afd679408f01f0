// What a TypeScript program may and may not write; types.test.js has it checked, not run.
import { loadCairn, CairnError, hasSimd, type World, type Body } from '../package/cairn.js';
const c = await loadCairn({ simd: hasSimd() });
const w: World = c.createWorld({ gravity: [0, -9.81, 0], solver: 'pgs', frictionModel: 'cone' });
const exact: World = c.createScene('tower', { solver: c.solvers().find(({ fast }) => !fast)?.name, measure: true, tolerance: 1e-4, effort: 1000 });
exact.measure = exact.tolerance > 0; exact.tolerance = 0;
const h = w.createHull(new Float32Array(12));
const b: Body = w.createBody({ type: 'dynamic', position: [0, 1, 2], shapes: [{ type: 'box', halfExtents: [1, 1, 1], friction: 1 }, { type: 'hull', hull: h }] });
const mesh = c.createMesh({ vertices: new Float32Array(9), indices: [0, 1, 2], materials: new Uint16Array(1), smooth: true });
const field = c.createHeightField({ columns: 2, rows: 2, heights: [0, 0, 0, 0], spacing: [1, 2] });
const cross = c.createCompound([{ type: 'box', halfExtents: [1, 1, 1] }, { type: 'hull', points: new Float32Array(12), position: [0, 1, 0], material: 1 }]);
w.createBody({ type: 'static', shapes: [{ type: 'mesh', mesh, scale: [1, -1, 1], materials: [{ friction: 1 }] }, { type: 'heightField', heightField: field }, { type: 'compound', compound: cross, sensor: true }] });
const hit = w.castRay([0, 1, 0], [0, -2, 0], { ignore: b, mask: 1 }); if (hit) console.log(hit.body.slot + hit.part + hit.fraction, hit.point[0]);
const near = w.closest({ type: 'sphere', radius: 1, position: [0, 1, 0] }, 10)?.distance ?? 0; const far: Float64Array = w.castRays(new Float64Array(6));
for (const { sensor, visitor } of w.sensorEvents.begin) console.log(sensor.id, visitor.id, w.overlapsOf(sensor).length, near, far.length);
const r = w.step(); const ms: number = r.stageMs.solve + r.stepMs;
const right: number = r.residual + r.worstResidual + r.handedOver + r.missed; console.log(right);
b.linearVelocity = [1, 2, 3]; const v = b.linearVelocity[0]; b.applyForce([1, 2, 3], b.position);
for (const s of b.shapes()) if (s.type === 'hull') console.log(s.vertices.length, s.faces[0]); else if (s.type === 'box') console.log(s.halfExtents[0]); else if (s.type === 'mesh') console.log(s.mesh.indices); else if (s.type === 'compound') console.log(s.parts[0].type);
const t: Float32Array = w.transforms; const i: Int32Array = w.islands; w.gravity = [0, 0, 0]; w.sleeping = true; console.log(ms, v, t, i, w.hash());
const hinge = w.createJoint({ type: 'hinge', bodyB: b, anchor: [0, 1, 0], axis: [0, 0, 1], axes: { twist: { freedom: 'limited', lower: -1, upper: 1 } }, breakForce: 100 });
const again = w.createJoint({ ...hinge.definition, bodyA: null, collide: true }); hinge.setMotor('twist', 'speed', 2, 10); hinge.setMotor('twist', 'off'); hinge.setAxis('twist', { friction: 1 });
w.createJoint({ kind: 'frames', bodyA: b, positionB: [0, 1, 0], axes: { x: { freedom: 'locked', hertz: 5 } }, cone: true }); again.setFrames({ positionA: [0, 0, 0] }); again.setBreak(10);
const turned: number = hinge.place('twist') + hinge.speed('twist') + hinge.reaction.axisForce.x + hinge.error.linear + hinge.definition.axes.twist.lower; console.log(turned, r.direct);
for (const { joint, bodyA, force } of w.jointEvents) console.log(joint.id, bodyA?.slot, force, w.jointsOf(b).length, w.joints().length, w.jointFrames.length);
const man = w.createRagdoll({ position: [0, 1, 0], height: 1.7, friction: 0.5, group: -1, pose: { leftForearm: [0, 0, 0, 1] } });
man.setPose({ head: [0, 0, 0, 1] }, 1, 4); man.setKinematic(['pelvis', 'leftFoot']); man.follow({ position: [0, 0, 1] }, man.pose, 1 / 60); console.log(man.bodies.head.position, man.joints.head.place('twist'), man.limitError);
b.setPath({ keys: [{ time: 0, position: [0, 0, 0] }, { time: 1, position: [1, 0, 0], rotation: [0, 0, 0, 1] }], ease: 'smooth', blocked: 'reverse', maxForce: 100 });
b.setPathSpeed(2); console.log(b.pathState?.blocked, b.push.pressure, w.pathEvents[0].body.slot); b.clearPath();
try { w.destroy(); } catch (e) { if (e instanceof CairnError) console.log(e.message); }
c.createWorld({ capacity: { bodies: 100, joints: 10 } });
hinge.setBall({ motor: 'place', motorRotation: [0, 0, 0, 1], friction: 2 });
const facing: [number, number, number, number] = hinge.rotation; console.log(facing, hinge.reaction.motorTorque[0]);
const bat = w.createBody({ type: 'dynamic', sleepSpeed: 0.01, maxAngularSpeed: 100, maxLinearSpeed: 50 }); bat.maxAngularSpeed = bat.sleepSpeed + bat.maxLinearSpeed;
const [grip, head] = bat.addShapes([{ type: 'taperedCapsule', bottomRadius: 0.02, topRadius: 0.04, halfHeight: 0.3 }, { type: 'sphere', radius: 0.1 }]);
bat.setShapesCollide(grip, head, false); bat.setCollidesWith(b, !bat.collidesWith(b)); console.log(bat.shapesCollide(grip, head));
// @ts-expect-error
bat.addShapes({ type: 'sphere', radius: 1 });
// @ts-expect-error
hinge.setTargetVelocity(3);
// @ts-expect-error
w.createBody({ type: 'floating' });
// @ts-expect-error
w.createBody({ shapes: [{ type: 'sphere' }] });
// @ts-expect-error
w.createBody({ shapes: [{ type: 'mesh', mesh: field }] });
// @ts-expect-error
c.createCompound([{ type: 'mesh', mesh }]);
// @ts-expect-error
w.overlapShape({ type: 'compound', compound: cross });
// @ts-expect-error
c.createWorld({ tolerance: 'little' });
// @ts-expect-error
w.measure = 1e-4;
// @ts-expect-error
w.createJoint({ type: 'hinge', bodyB: b, anchor: [0, 0, 0] });
// @ts-expect-error
w.createJoint({ type: 'screw', bodyB: b, anchor: [0, 0, 0] });
// @ts-expect-error
w.createJoint({ type: 'ball', bodyB: b, anchor: [0, 0, 0], axes: { twist: { freedom: 'stuck' } } });
// @ts-expect-error
w.createJoint({ bodyB: b });
// @ts-expect-error
hinge.setMotor('twist', 'speed');
// @ts-expect-error
hinge.place('turn');
// @ts-expect-error
man.setPose({ tail: [0, 0, 0, 1] });
// @ts-expect-error
b.setPath({ keys: [{ time: 0, position: [0, 0, 0] }], blocked: 'explode' });
