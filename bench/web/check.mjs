// Small scenes with a known answer: does an engine really run with the mass, friction, gravity, damping and joints it was told?
import { POSE } from './engines/shared.mjs';

const GRAVITY = 9.81;
const FRICTION = 0.6;
const HALF = [0.5, 0.5, 0.5];
const UPRIGHT = [0, 0, 0, 1];
const radians = (degrees) => (degrees * Math.PI) / 180;

function makeScene(bodies, gravity = GRAVITY) {
  return { name: 'check', gravity: [0, -gravity, 0], dt: 1 / 60, density: 100, friction: FRICTION, bodies };
}

const cubeAt = (position, rotation = UPRIGHT) => ({ type: 'dynamic', position, rotation, halfExtents: HALF });
const floorAt = (position, rotation = UPRIGHT) => ({ type: 'static', position, rotation, halfExtents: [20, 1, 20] });

function poseOf(world) {
  const out = new Float64Array(POSE);
  world.readPositions(out);
  return out;
}

function stepFor(world, seconds) {
  for (let i = 0; i < Math.round(seconds * 60); i++) world.step();
}

// An impulse of 100 N s makes a 100 kg cube 1 m/s fast, one of 100/6 N m s turns it at 1 rad/s; with no damping it stays so.
async function freeFlight(create) {
  const world = await create(makeScene([cubeAt([0, 0, 0])], 0));
  world.step();
  world.push(0, [100, 0, 0]);
  world.twist(0, [0, 100 / 6, 0]);
  stepFor(world, 1);
  const [vx, , , , wy] = world.velocities();
  world.destroy();
  return [
    { what: 'speed after 100 N s on 100 kg', value: vx, low: 0.995, high: 1.005 },
    { what: 'spin after 100/6 N m s', value: wy, low: 0.995, high: 1.005 },
  ];
}

async function freeFall(create) {
  const world = await create(makeScene([cubeAt([0, 0, 0])]));
  stepFor(world, 0.5);
  const speed = -world.velocities()[1];
  world.destroy();
  return [{ what: 'speed after 0.5 s of fall', value: speed, low: 4.88, high: 4.93 }];
}

// Restitution 0: the cube never gets up again, and lies on the floor rather than in it.
async function drop(create) {
  const world = await create(makeScene([floorAt([0, -1, 0]), cubeAt([0, 1, 0])]));
  stepFor(world, 0.5);
  let highest = 0;
  for (let i = 0; i < 60; i++) {
    world.step();
    highest = Math.max(highest, poseOf(world)[1]);
  }
  const height = poseOf(world)[1];
  world.destroy();
  return [
    { what: 'height after a drop', value: height, low: 0.47, high: 0.51 },
    { what: 'highest after the impact', value: highest, low: 0.47, high: 0.52 },
  ];
}

/** How far a cube slides in 2 s on an incline that rises along x. */
async function slide(create, degrees) {
  const angle = radians(degrees);
  const up = [-Math.sin(angle), Math.cos(angle), 0];
  const rotation = [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
  const start = up.map((value) => 0.5 * value);
  const world = await create(makeScene([floorAt(up.map((value) => -value), rotation), cubeAt(start, rotation)]));
  stepFor(world, 2);
  const [x, y, z] = poseOf(world);
  world.destroy();
  return Math.hypot(x - start[0], y - start[1], z - start[2]);
}

async function slopes(create) {
  const steep = radians(35);
  const expected = 0.5 * GRAVITY * (Math.sin(steep) - FRICTION * Math.cos(steep)) * 2 ** 2;
  return [
    { what: 'slides at 25 degrees', value: await slide(create, 25), low: 0, high: 0.05 },
    { what: 'slides at 35 degrees', value: await slide(create, 35), low: 0.9 * expected, high: 1.1 * expected },
  ];
}

// A cube on a ball joint 2 m above its centre, let go at 0.1 rad, is on the other side after half a period.
async function pendulum(create) {
  const [arm, angle] = [2, 0.1];
  const rotation = [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
  const pivot = { type: 'static', position: [0, 0, 0], rotation: UPRIGHT, halfExtents: [0.1, 0.1, 0.1] };
  const scene = makeScene([pivot, cubeAt([arm * Math.sin(angle), -arm * Math.cos(angle), 0], rotation)]);
  scene.joints = [{ a: 0, b: 1, anchorA: [0, 0, 0], anchorB: [0, arm, 0] }];
  const world = await create(scene);
  stepFor(world, Math.PI * Math.sqrt((arm ** 2 + 1 / 6) / (GRAVITY * arm)));
  const [x, y] = poseOf(world);
  world.destroy();
  return [
    { what: 'swing of a pendulum after half a period', value: -x / (arm * Math.sin(angle)), low: 0.95, high: 1.01 },
    { what: 'its length', value: Math.hypot(x, y), low: 1.99, high: 2.01 },
  ];
}

/** Each check as `{ what, value, low, high, pass }`. */
export async function runChecks(create) {
  const checks = [];
  for (const check of [freeFlight, freeFall, drop, slopes, pendulum]) checks.push(...(await check(create)));
  return checks.map((check) => ({ ...check, pass: check.value >= check.low && check.value <= check.high }));
}
