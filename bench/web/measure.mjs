// What the runs are judged by, computed from where the bodies are and how they move, in double precision: no engine is
// asked for its own opinion. Depth is the exact penetration depth of two boxes.

const POSE = 7; // x, y, z, qx, qy, qz, qw
const MOTION = 6; // vx, vy, vz, wx, wy, wz
// How far the top of a standing pile may sink. Contacts give a little in every engine, and a hundred rows add it up to more
// than half a metre without one cube leaving its place: a tall pile may lose this share of its height.
const TOP_MAY_SINK = 0.5; // metres
const SHARE_MAY_SINK = 0.02;
const REST_SPEED = 0.05; // metres per second, mean of all bodies
const GAP_HOLDS = 0.1; // metres: a tenth of the way between two neighbours of the grid

/** Columns of the rotation matrix: the box's own axes in the world. */
function axesOf(x, y, z, w) {
  const length = Math.hypot(x, y, z, w);
  x /= length;
  y /= length;
  z /= length;
  w /= length;
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** A box ready for `boxDepth`. */
export function makeBox(position, rotation, halfExtents) {
  return { center: position, axes: axesOf(...rotation), half: halfExtents, reach: Math.hypot(...halfExtents) };
}

function extentAlong(box, axis) {
  return (
    box.half[0] * Math.abs(dot(box.axes[0], axis)) +
    box.half[1] * Math.abs(dot(box.axes[1], axis)) +
    box.half[2] * Math.abs(dot(box.axes[2], axis))
  );
}

function overlapAlong(a, b, offset, axis) {
  return extentAlong(a, axis) + extentAlong(b, axis) - Math.abs(dot(offset, axis));
}

/** The shortest move that takes two boxes apart, in metres; 0 when they are apart or just touch. */
export function boxDepth(a, b) {
  const offset = subtract(b.center, a.center);
  if (dot(offset, offset) > (a.reach + b.reach) ** 2) return 0;
  let depth = Infinity;
  for (const axis of [...a.axes, ...b.axes]) {
    depth = Math.min(depth, overlapAlong(a, b, offset, axis));
    if (depth <= 0) return 0;
  }
  for (const edgeA of a.axes) {
    for (const edgeB of b.axes) {
      const axis = cross(edgeA, edgeB);
      const length = Math.hypot(...axis);
      if (length < 1e-6) continue; // parallel edges: a face axis says the same
      depth = Math.min(depth, overlapAlong(a, b, offset, axis) / length);
      if (depth <= 0) return 0;
    }
  }
  return depth;
}

/** Calls `visit(i, j)` once for each pair of boxes that can touch, found through a grid of cells. */
function forEachNearPair(boxes, visit) {
  const cell = 2 * Math.max(...boxes.map((box) => box.reach));
  const side = 1 << 16; // cells per axis; farther out two cells share a key, which costs time only
  const keyOf = (x, y, z) => ((x + side / 2) * side + y + side / 2) * side + z + side / 2;
  const cells = new Map();
  boxes.forEach((box, i) => {
    const [x, y, z] = box.center.map((value) => Math.floor(value / cell));
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (let dz = -1; dz <= 1; dz++) cells.get(keyOf(x + dx, y + dy, z + dz))?.forEach((j) => visit(i, j));
    const key = keyOf(x, y, z);
    if (cells.has(key)) cells.get(key).push(i);
    else cells.set(key, [i]);
  });
}

/** The deepest overlap among moving boxes, and of moving boxes with fixed ones. */
export function worstPenetration(moving, fixed) {
  let worst = 0;
  if (moving.length === 0) return worst;
  forEachNearPair(moving, (i, j) => {
    worst = Math.max(worst, boxDepth(moving[i], moving[j]));
  });
  for (const box of moving) for (const wall of fixed) worst = Math.max(worst, boxDepth(box, wall));
  return worst;
}

function holds(box, point) {
  const offset = subtract(point, box.center);
  return box.axes.every((axis, k) => Math.abs(dot(axis, offset)) < box.half[k]);
}

/** How many moving boxes have their centre below the floor or inside another box: contacts that an engine lost. */
export function countLost(moving, fixed, floor) {
  const lost = new Set();
  moving.forEach((box, i) => {
    if (box.center[1] < floor || fixed.some((wall) => holds(wall, box.center))) lost.add(i);
  });
  forEachNearPair(moving, (i, j) => {
    if (holds(moving[j], moving[i].center)) lost.add(i);
    if (holds(moving[i], moving[j].center)) lost.add(j);
  });
  return lost.size;
}

/** Kinetic energy over mass for all boxes, J/kg; every box has the same density. */
export function kineticEnergyPerKg(bodies, boxes, velocities) {
  let energy = 0;
  let mass = 0;
  bodies.forEach(({ halfExtents: [hx, hy, hz] }, i) => {
    const m = 8 * hx * hy * hz; // the density cancels
    const linear = velocities.subarray(i * MOTION, i * MOTION + 3);
    const angular = velocities.subarray(i * MOTION + 3, i * MOTION + 6);
    const inertia = [hy * hy + hz * hz, hx * hx + hz * hz, hx * hx + hy * hy].map((sum) => (m * sum) / 3);
    energy += 0.5 * m * dot(linear, linear);
    for (let k = 0; k < 3; k++) energy += 0.5 * inertia[k] * dot(boxes[i].axes[k], angular) ** 2;
    mass += m;
  });
  return energy / mass;
}

export function meanSpeed(velocities) {
  const count = velocities.length / MOTION;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.hypot(...velocities.subarray(i * MOTION, i * MOTION + 3));
  return sum / count;
}

/** A pile that was built stands while its tops are where they were; a pile that was dropped comes to rest. */
function judge(scene, bodies, poses, speed) {
  if (scene.kind === 'drop') return { verdict: speed < REST_SPEED ? 'at rest' : 'moves' };
  const top = Math.max(...bodies.map((body) => body.position[1]));
  const sinks = bodies.flatMap((body, i) => (body.position[1] > top - 1e-6 ? [top - poses[i * POSE + 1]] : []));
  const limit = Math.max(TOP_MAY_SINK, SHARE_MAY_SINK * top);
  const fallen = sinks.filter((sink) => Math.abs(sink) > limit).length;
  const collapse = sinks.length === 1 ? 'collapses' : `${fallen} of ${sinks.length} collapse`;
  return { verdict: fallen === 0 ? 'stands' : collapse, topSinks: Math.max(...sinks) };
}

/** Everything the table says about the state at the end of a run. */
export function measureState(scene, poses, velocities) {
  const moving = scene.bodies.filter((body) => body.type === 'dynamic');
  const finite = poses.every(Number.isFinite) && velocities.every(Number.isFinite);
  if (!finite) return { verdict: 'not a number' };
  const boxes = moving.map((body, i) => {
    const pose = poses.subarray(i * POSE, (i + 1) * POSE);
    return makeBox([...pose.subarray(0, 3)], [...pose.subarray(3)], body.halfExtents);
  });
  const fixed = scene.bodies.filter((body) => body.type !== 'dynamic');
  const walls = fixed.map((body) => makeBox(body.position, body.rotation, body.halfExtents));
  const floor = Math.min(...fixed.map((body) => body.position[1] + body.halfExtents[1]));
  const speed = meanSpeed(velocities);
  return {
    penetration: worstPenetration(boxes, walls),
    energyPerKg: kineticEnergyPerKg(moving, boxes, velocities),
    meanSpeed: speed,
    lost: countLost(boxes, walls, floor),
    ...judge(scene, moving, poses, speed),
  };
}

/**
 * Follows the gaps between the two points of each joint. `look(poses)` takes the places of the dynamic bodies; `state()` gives the
 * largest gap, and for a chain how far it was stretched at worst: the sum of all gaps over its length.
 */
export function watchJoints({ bodies, joints = [] }) {
  let [gap, gapSum, finite] = [0, 0, true];
  let count = 0;
  const slots = bodies.map((body) => (body.type === 'dynamic' ? count++ : -1));
  const fixedPoses = bodies.map(({ position, rotation }) => [...position, ...rotation]);

  function placeOf(poses, body, anchor) {
    const slot = slots[body];
    const [x, y, z, ...rotation] = slot < 0 ? fixedPoses[body] : poses.subarray(slot * POSE, (slot + 1) * POSE);
    const axes = axesOf(...rotation);
    return [0, 1, 2].map((k) => [x, y, z][k] + axes[0][k] * anchor[0] + axes[1][k] * anchor[1] + axes[2][k] * anchor[2]);
  }

  return {
    look(poses) {
      let sum = 0;
      for (const { a, b, anchorA, anchorB } of joints) {
        const now = Math.hypot(...subtract(placeOf(poses, b, anchorB), placeOf(poses, a, anchorA)));
        gap = Math.max(gap, now);
        sum += now;
      }
      finite &&= Number.isFinite(sum);
      gapSum = Math.max(gapSum, sum);
    },
    state() {
      if (!finite) return { verdict: 'not a number' };
      const chain = joints.every(({ a, b }, i) => i === 0 || (a === joints[i - 1].b && b !== a));
      if (!chain) return { gap, verdict: gap < GAP_HOLDS ? 'holds' : 'comes apart' };
      const links = joints.slice(1).map(({ anchorA }, i) => Math.hypot(...subtract(anchorA, joints[i].anchorB)));
      const length = links.reduce((sum, link) => sum + link, 0);
      return { gap, verdict: `stretches by ${((100 * gapSum) / length).toFixed(2)} %` };
    },
  };
}
