// Where a camera has to stand so that given points fill the picture from a given direction. Pure arithmetic.

const MARGIN = 1.1;

/** Directions all around: sixteen level, sixteen up, sixteen down, and the poles. */
const directions = [[0, 1, 0], [0, -1, 0]];
for (let i = 0; i < 16; i++) {
  for (const y of [-1, 0, 1]) directions.push([Math.cos((i * Math.PI) / 8), y, Math.sin((i * Math.PI) / 8)]);
}

/** The corners that stick out most: a few points that stand for all the boxes. */
export function outermostPoints(boxes) {
  return directions.map((direction) => {
    let best = null;
    let most = -Infinity;
    for (const box of boxes) {
      const reach = direction.reduce((sum, x, i) => sum + x * (x > 0 ? box.high : box.low)[i], 0);
      if (reach > most) [best, most] = [box, reach];
    }
    return direction.map((x, i) => (x > 0 ? best.high : best.low)[i]);
  });
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Unit vectors of a camera that looks from azimuth (degrees, from +z towards +x) and elevation (degrees above ground). */
export function cameraAxes(azimuthDegrees, elevationDegrees) {
  const azimuth = (azimuthDegrees * Math.PI) / 180;
  const elevation = (elevationDegrees * Math.PI) / 180;
  const [sa, ca, se, ce] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)];
  return { back: [sa * ce, se, ca * ce], right: [ca, 0, -sa], up: [-sa * se, ce, -ca * se] };
}

// The distance at which every point just fits, seen from a camera that looks at the target.
function fittingDistance(points, target, axes, tanX, tanY) {
  let distance = 0;
  for (const point of points) {
    const from = point.map((x, i) => x - target[i]);
    const across = Math.max(Math.abs(dot(from, axes.right)) / tanX, Math.abs(dot(from, axes.up)) / tanY);
    distance = Math.max(distance, dot(from, axes.back) + across);
  }
  return distance;
}

// How far the picture is off the middle, in metres at the target: perspective makes near corners larger than far ones.
function offCentre(points, target, axes, distance) {
  const range = { right: [Infinity, -Infinity], up: [Infinity, -Infinity] };
  for (const point of points) {
    const from = point.map((x, i) => x - target[i]);
    const depth = Math.max(distance - dot(from, axes.back), 1e-3 * distance);
    for (const side of ['right', 'up']) {
      const seen = (dot(from, axes[side]) / depth) * distance;
      range[side] = [Math.min(range[side][0], seen), Math.max(range[side][1], seen)];
    }
  }
  return { right: (range.right[0] + range.right[1]) / 2, up: (range.up[0] + range.up[1]) / 2 };
}

/**
 * @param {number[][]} points at least one
 * @param {number} fov vertical field of view in degrees
 * @returns {{ target: number[], distance: number }}
 */
export function framePoints(points, axes, fov, aspect) {
  const tanY = Math.tan((fov * Math.PI) / 360);
  const tanX = tanY * aspect;
  let target = [0, 1, 2].map((i) => points.reduce((sum, point) => sum + point[i], 0) / points.length);
  let distance = 0;
  for (let round = 0; round < 4; round++) {
    distance = Math.max(MARGIN * fittingDistance(points, target, axes, tanX, tanY), 1e-3);
    const off = offCentre(points, target, axes, distance);
    target = target.map((x, i) => x + off.right * axes.right[i] + off.up * axes.up[i]);
  }
  return { target, distance };
}
