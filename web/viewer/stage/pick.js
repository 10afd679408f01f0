// Which part a ray meets first: exact for every kind, computed in the frame of the unit geometry. No drawing here.

/** Where a ray enters the unit geometry of each kind, as the factor of its direction; Infinity if it does not. */
const entries = {
  ball: enterBall, cap: enterCap, tube: enterTube, cylinder: enterCylinder, box: enterBox, hull: enterPlanes,
  surface: enterSurface,
};

function enterBall(o, d) {
  return nearestRoot(dot(d, d), dot(o, d), dot(o, o) - 1, () => true);
}

function enterCap(o, d) {
  return nearestRoot(dot(d, d), dot(o, d), dot(o, o) - 1, (t) => o[1] + t * d[1] >= 0);
}

function enterTube(o, d) {
  const a = d[0] * d[0] + d[2] * d[2];
  const b = o[0] * d[0] + o[2] * d[2];
  const c = o[0] * o[0] + o[2] * o[2] - 1;
  return nearestRoot(a, b, c, (t) => Math.abs(o[1] + t * d[1]) <= 1);
}

function enterCylinder(o, d) {
  let nearest = enterTube(o, d);
  for (const y of [-1, 1]) {
    const t = (y - o[1]) / d[1];
    const x = o[0] + t * d[0];
    const z = o[2] + t * d[2];
    if (t >= 0 && t < nearest && x * x + z * z <= 1) nearest = t;
  }
  return nearest;
}

function enterBox(o, d) {
  let from = -Infinity;
  let to = Infinity;
  for (let i = 0; i < 3; i++) {
    if (d[i] === 0) {
      if (Math.abs(o[i]) > 1) return Infinity;
      continue;
    }
    const a = (-1 - o[i]) / d[i];
    const b = (1 - o[i]) / d[i];
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return firstOf(from, to);
}

function enterPlanes(o, d, planes) {
  let from = -Infinity;
  let to = Infinity;
  for (const plane of planes) {
    const away = dot(plane, o) - plane[3];
    const speed = dot(plane, d);
    if (speed === 0 && away > 0) return Infinity;
    if (speed < 0) from = Math.max(from, -away / speed);
    if (speed > 0) to = Math.min(to, -away / speed);
  }
  return firstOf(from, to);
}

// The nearest triangle from either side, after Möller and Trumbore, 1997. Numbers one by one: a terrain has a million of them.
function enterSurface(o, d, { vertices: v, indices }) {
  const [ox, oy, oz] = o;
  const [dx, dy, dz] = d;
  let nearest = Infinity;
  for (let i = 0; i < indices.length; i += 3) {
    const a = 3 * indices[i];
    const b = 3 * indices[i + 1];
    const c = 3 * indices[i + 2];
    const ax = v[a], ay = v[a + 1], az = v[a + 2];
    const px = v[b] - ax, py = v[b + 1] - ay, pz = v[b + 2] - az;
    const qx = v[c] - ax, qy = v[c + 1] - ay, qz = v[c + 2] - az;
    const hx = dy * qz - dz * qy, hy = dz * qx - dx * qz, hz = dx * qy - dy * qx;
    const volume = px * hx + py * hy + pz * hz;
    const sx = ox - ax, sy = oy - ay, sz = oz - az;
    const along = (sx * hx + sy * hy + sz * hz) / volume;
    if (!(along >= 0 && along <= 1)) continue;
    const nx = sy * pz - sz * py, ny = sz * px - sx * pz, nz = sx * py - sy * px;
    const across = (dx * nx + dy * ny + dz * nz) / volume;
    if (!(across >= 0 && along + across <= 1)) continue;
    const t = (qx * nx + qy * ny + qz * nz) / volume;
    if (t >= 0 && t < nearest) nearest = t;
  }
  return nearest;
}

// A ray that starts inside meets the surface where it leaves.
function firstOf(from, to) {
  if (from > to || to < 0) return Infinity;
  return from >= 0 ? from : to;
}

/** The smallest root at or beyond 0 of a t² + 2 b t + c that is accepted. */
function nearestRoot(a, b, c, accepts) {
  const discriminant = b * b - a * c;
  if (!(discriminant >= 0) || a === 0) return Infinity;
  const root = Math.sqrt(discriminant);
  for (const t of [(-b - root) / a, (-b + root) / a]) {
    if (t >= 0 && accepts(t)) return t;
  }
  return Infinity;
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

const localOrigin = [0, 0, 0];
const localDirection = [0, 0, 0];

// The columns of a part's matrix are at right angles, so its inverse is a division by their squared lengths.
function toUnitFrame(m, at, origin, direction) {
  for (let i = 0; i < 3; i++) {
    const x = m[at + 4 * i];
    const y = m[at + 4 * i + 1];
    const z = m[at + 4 * i + 2];
    const square = x * x + y * y + z * z || 1e-60;
    localOrigin[i] = (x * (origin[0] - m[at + 12]) + y * (origin[1] - m[at + 13]) + z * (origin[2] - m[at + 14])) / square;
    localDirection[i] = (x * direction[0] + y * direction[1] + z * direction[2]) / square;
  }
}

// Whether the ray passes the ball around a part at all; reach is the part's radius in its unit frame.
function passesNear(m, at, origin, direction, reach) {
  const x = m[at + 12] - origin[0];
  const y = m[at + 13] - origin[1];
  const z = m[at + 14] - origin[2];
  const along = x * direction[0] + y * direction[1] + z * direction[2];
  let square = 0;
  for (let column = at; column < at + 12; column += 4) {
    square = Math.max(square, m[column] * m[column] + m[column + 1] * m[column + 1] + m[column + 2] * m[column + 2]);
  }
  return x * x + y * y + z * z - along * along <= square * reach * reach;
}

/** The radius of each unit geometry. */
const reaches = { ball: 1, cap: 1, hull: 1, tube: Math.SQRT2, cylinder: Math.SQRT2, box: Math.sqrt(3) };

/**
 * @param {object[]} batches as Bodies keeps them
 * @param {number[]} direction a unit vector
 * @returns {{ body: number, distance: number } | null} the nearest hit
 */
export function nearestHit(batches, origin, direction) {
  let best = null;
  for (const { kind, count, matrices, bodies, planes, surface } of batches) {
    const enter = entries[kind];
    const reach = surface?.radius ?? reaches[kind];
    for (let slot = 0; slot < count; slot++) {
      if (!passesNear(matrices, 16 * slot, origin, direction, reach)) continue;
      toUnitFrame(matrices, 16 * slot, origin, direction);
      const distance = enter(localOrigin, localDirection, surface ?? planes?.[slot]);
      if (distance < (best?.distance ?? Infinity)) best = { body: bodies[slot], distance };
    }
  }
  return best;
}
