// Decides what the things that stand still are for the picture: the ground that everything lies on, walls to look through,
// or plain bodies. Pure arithmetic, no drawing.
import { placed, shapeExtents, writeRotation } from './parts.js';

export const SOLID = 'solid';
export const GLASS = 'glass';
export const GROUND = 'ground';

const rotation = new Float64Array(9);
const turn = new Float64Array(9);

/** The box around a shape in the world: { low, high }, and whether one of its axes is vertical. */
function shapeBox(shape, transforms, at) {
  const { center, half } = shapeExtents(shape);
  writeRotation(rotation, transforms[at + 4], transforms[at + 5], transforms[at + 6], transforms[at + 7]);
  writeRotation(turn, ...shape.rotation);
  const inBody = placed(turn, shape.position, ...center);
  const middle = placed(rotation, [transforms[at], transforms[at + 1], transforms[at + 2]], ...inBody);
  const reach = [0, 0, 0];
  let upright = false;
  for (let column = 0; column < 3; column++) {
    const axis = placed(rotation, [0, 0, 0], turn[3 * column], turn[3 * column + 1], turn[3 * column + 2]);
    for (let i = 0; i < 3; i++) reach[i] += Math.abs(axis[i]) * half[column];
    upright ||= Math.abs(axis[1]) > 0.9999;
  }
  return {
    low: [middle[0] - reach[0], middle[1] - reach[1], middle[2] - reach[2]],
    high: [middle[0] + reach[0], middle[1] + reach[1], middle[2] + reach[2]],
    upright,
  };
}

function emptyBox() {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

function extend(box, other) {
  for (let i = 0; i < 3; i++) {
    box.low[i] = Math.min(box.low[i], other.low[i]);
    box.high[i] = Math.max(box.high[i], other.high[i]);
  }
}

export function sizeOf({ low, high }) {
  return [high[0] - low[0], high[1] - low[1], high[2] - low[2]];
}

export function middleOf({ low, high }) {
  return [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
}

function bodyBox(body, transforms, index) {
  const box = emptyBox();
  for (const shape of body.shapes) extend(box, shapeBox(shape, transforms, 8 * index));
  return box;
}

function quantiles(values) {
  values.sort();
  const skipped = values.length < 20 ? 0 : Math.floor(values.length * 0.02);
  return [values[skipped], values[values.length - 1 - skipped]];
}

/** The boxes of bodies of one type, without strays: those far away from all but two percent of the others. */
function boxesOf(bodies, transforms, type) {
  const boxes = bodies
    .flatMap((body, i) => (body.type === type ? [bodyBox(body, transforms, i)] : []))
    .filter((box) => sizeOf(box).every(Number.isFinite));
  if (boxes.length === 0) return boxes;
  const middles = boxes.map(middleOf);
  const limits = [0, 1, 2].map((axis) => {
    const [from, to] = quantiles(Float64Array.from(middles, (middle) => middle[axis]));
    const slack = 0.5 * (to - from) + sizeOf(boxes[0])[axis];
    return [from - slack, to + slack];
  });
  return boxes.filter((_, i) => middles[i].every((x, axis) => x >= limits[axis][0] && x <= limits[axis][1]));
}

const ROOM = 4; // metres

// A world that waits for bodies: its things that stand still, or else some room on the largest floor.
function emptyStage(bodies, transforms) {
  const boxes = boxesOf(bodies, transforms, 'static');
  const isSlab = (box) => sizeOf(box)[0] > 5 * ROOM && sizeOf(box)[2] > 5 * ROOM && sizeOf(box)[1] < sizeOf(box)[0] / 4;
  const things = boxes.filter((box) => !isSlab(box));
  if (things.length > 0) return things;
  const [x, , z] = boxes.length > 0 ? middleOf(boxes[0]) : [0, 0, 0];
  const y = boxes.length > 0 ? boxes[0].high[1] : 0;
  return [{ low: [x - ROOM / 2, y, z - ROOM / 2], high: [x + ROOM / 2, y + ROOM / 2, z + ROOM / 2] }];
}

/** The boxes of what the scene is about: what moves, else what is driven, else what is there. Never empty. */
function subjectBoxes(bodies, transforms) {
  for (const type of ['dynamic', 'kinematic']) {
    const boxes = boxesOf(bodies, transforms, type);
    if (boxes.length > 0) return boxes;
  }
  return emptyStage(bodies, transforms);
}

export function boxAround(boxes) {
  const all = emptyBox();
  for (const box of boxes) extend(all, box);
  return all;
}

function contains(box, point) {
  return point.every((x, i) => box.low[i] <= x && x <= box.high[i]);
}

// Made of a few solids: neither a single thing, nor terrain, nor a whole building.
function isAssembled({ shapes }) {
  return shapes.length > 3 && shapes.length < 100 && shapes.every(({ type }) => type !== 'mesh' && type !== 'heightField');
}

// A hollow body, such as a drum: around the middle of what moves, and larger than it in two directions.
function encloses(box, subject) {
  const size = sizeOf(box);
  const larger = sizeOf(subject).filter((x, i) => size[i] > x).length;
  return contains(box, middleOf(subject)) && larger >= 2;
}

// A wall is upright, thin, and a good part as high and as long as what it stands next to.
function isWall(box, subject) {
  const size = sizeOf(box);
  const around = sizeOf(subject);
  const long = size[0] > size[2] ? 0 : 2;
  const thin = size[2 - long];
  return box.upright && size[1] > 2 * thin && size[long] > 2 * thin
    && size[1] > 0.5 * around[1] && size[long] > 0.5 * around[long];
}

const FAR = 1e9;

// Moves one side of the room to the inner side of a wall, with a little slack for the wall's own face.
function narrow(room, wall, subject) {
  const size = sizeOf(wall);
  const across = size[0] < size[2] ? 0 : 2;
  const slack = 1e-3 * size[across];
  if (middleOf(wall)[across] < middleOf(subject)[across]) room.low[across] = Math.max(room.low[across], wall.high[across] - slack);
  else room.high[across] = Math.min(room.high[across], wall.low[across] + slack);
}

function isFloor(box, subject, mustBeHuge) {
  const size = sizeOf(box);
  const around = sizeOf(subject);
  const factor = mustBeHuge ? 2 : 0.98;
  return box.upright && size[0] > factor * around[0] && size[2] > factor * around[2]
    && box.high[1] <= subject.low[1] + 0.3 * around[1] // boxes around turned shapes reach below them
    && [0, 2].every((i) => box.low[i] <= subject.low[i] + 0.05 * around[i] && box.high[i] >= subject.high[i] - 0.05 * around[i]);
}

/**
 * @returns {{ roles: string[][], groundHeight: number|null, hollowTop: number, inner: { low, high } }} a role for each
 * shape of each body, the height of the ground, null where there is none, how high hollow bodies reach, and the room
 * between the walls.
 */
export function arrange(bodies, transforms) {
  const subject = boxAround(subjectBoxes(bodies, transforms));
  const roles = bodies.map((body) => body.shapes.map(() => SOLID));
  const still = [];
  const inner = { low: [-FAR, -FAR, -FAR], high: [FAR, FAR, FAR] };
  let hollowTop = -Infinity;
  bodies.forEach((body, i) => {
    if (body.type === 'dynamic') return;
    const whole = bodyBox(body, transforms, i);
    const hollow = isAssembled(body) && encloses(whole, subject);
    if (hollow) hollowTop = Math.max(hollowTop, whole.high[1]);
    body.shapes.forEach((shape, s) => {
      const box = shapeBox(shape, transforms, 8 * i);
      const wall = !hollow && shape.type === 'box' && isWall(box, subject);
      if (wall) narrow(inner, box, subject);
      if (hollow || wall) roles[i][s] = GLASS;
      still.push({ i, s, box, isBox: shape.type === 'box' && body.type === 'static' });
    });
  });
  const hasWalls = roles.some((list) => list.includes(GLASS));
  const floors = still.filter(({ box, isBox }) => isBox && isFloor(box, subject, !hasWalls));
  for (const { i, s } of floors) roles[i][s] = GROUND;
  return { roles, groundHeight: groundHeight(floors, still, hasWalls), hollowTop, inner };
}

// A container without a floor stands on a ground of its own, or it would hang in the air.
function groundHeight(floors, still, hasWalls) {
  if (floors.length > 0) return Math.max(...floors.map(({ box }) => box.high[1]));
  return hasWalls ? Math.min(...still.map(({ box }) => box.low[1])) : null;
}

/** Boxes of what the camera should show: what moves, with what holds it unless that is far larger, and the ground below. */
export function sceneBoxes(bodies, transforms, roles, groundHeight) {
  const boxes = subjectBoxes(bodies, transforms);
  const subject = boxAround(boxes);
  const middle = middleOf(subject);
  const largest = Math.max(...sizeOf(subject));
  bodies.forEach((body, i) => {
    if (body.type === 'dynamic' || roles[i]?.includes(GROUND)) return;
    const box = bodyBox(body, transforms, i);
    const most = (body.type === 'kinematic' ? 4 : 1.5) * largest;
    const isNear = middleOf(box).every((x, axis) => Math.abs(x - middle[axis]) < 2 * largest);
    if (isNear && sizeOf(box).every((x) => x <= most)) boxes.push(box);
  });
  const gap = subject.low[1] - (groundHeight ?? Infinity);
  if (gap > 0 && gap < 3 * largest) boxes.push({ low: [middle[0], groundHeight, middle[2]], high: middle });
  return boxes;
}
