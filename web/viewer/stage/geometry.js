// The unit geometries that parts are drawn with, and the geometry of a hull.
import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, IcosahedronGeometry, SphereGeometry } from 'three';

// How finely round things are cut: alone, and in a crowd, where each is small in the picture.
const FINE = { corners: 28, rings: 7, ball: 5 };
const COARSE = { corners: 14, rings: 4, ball: 2 };

const makers = {
  ball: ({ ball }) => new IcosahedronGeometry(1, ball),
  cap: ({ corners, rings }) => new SphereGeometry(1, corners, rings, 0, 2 * Math.PI, 0, Math.PI / 2),
  tube: ({ corners }) => new CylinderGeometry(1, 1, 2, corners, 1, true),
  cylinder: ({ corners }) => new CylinderGeometry(1, 1, 2, corners, 1),
  box: () => new BoxGeometry(2, 2, 2),
};

/** All kinds of parts that share one geometry each. Hulls are the only other kind. */
export const unitKinds = Object.keys(makers);

export function unitGeometry(kind, isCrowd = false) {
  const geometry = makers[kind](isCrowd ? COARSE : FINE);
  geometry.deleteAttribute('uv');
  return geometry;
}

function corner(vertices, index) {
  return [vertices[3 * index], vertices[3 * index + 1], vertices[3 * index + 2]];
}

/** The unit normal of a polygon by Newell's method, which does not mind corners on one line. */
function faceNormal(corners) {
  const normal = [0, 0, 0];
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % corners.length];
    normal[0] += (p[1] - q[1]) * (p[2] + q[2]);
    normal[1] += (p[2] - q[2]) * (p[0] + q[0]);
    normal[2] += (p[0] - q[0]) * (p[1] + q[1]);
  });
  const length = Math.hypot(...normal) || 1;
  return normal.map((x) => x / length);
}

function middleOf(points) {
  return [0, 1, 2].map((c) => points.reduce((sum, p) => sum + p[c], 0) / points.length);
}

/** The planes of a hull's faces: outward normal and distance from the origin, four numbers each. */
export function hullPlanes({ vertices, faces }) {
  return faces.map((face) => {
    const corners = Array.from(face, (index) => corner(vertices, index));
    const normal = faceNormal(corners);
    const middle = middleOf(corners);
    return [...normal, normal[0] * middle[0] + normal[1] * middle[1] + normal[2] * middle[2]];
  });
}

function distanceToLine(p, a, b) {
  const along = a.map((x, i) => b[i] - x);
  const away = a.map((x, i) => p[i] - x);
  const length = Math.hypot(...along) || 1;
  return Math.hypot(
    along[1] * away[2] - along[2] * away[1],
    along[2] * away[0] - along[0] * away[2],
    along[0] * away[1] - along[1] * away[0]) / length;
}

const NO_EDGE = 1e6;

/** Triangles of a face as [points, distances to the face's edges at each point]. Only outer edges count. */
function faceTriangles(corners) {
  if (corners.length === 3) {
    const [p, q, r] = corners;
    const apart = [distanceToLine(p, q, r), distanceToLine(q, r, p), distanceToLine(r, p, q)];
    return [[corners, [apart[0], 0, 0, 0, apart[1], 0, 0, 0, apart[2]]]];
  }
  const middle = middleOf(corners);
  return corners.map((p, i) => {
    const q = corners[(i + 1) % corners.length];
    const away = distanceToLine(middle, p, q);
    return [[middle, p, q], [away, NO_EDGE, NO_EDGE, 0, NO_EDGE, NO_EDGE, 0, NO_EDGE, NO_EDGE]];
  });
}

/**
 * Larger faces are fans around their middle. The attribute `edge` holds up to three distances to the edges of the face,
 * which the shader draws the edges with. A hull that stands for a round surface has `normals` at its vertices, and no edges.
 */
export function hullGeometry({ vertices, faces, normals: smooth }) {
  if (smooth) return smoothGeometry(vertices, faces, smooth);
  const position = [];
  const normals = [];
  const edge = [];
  for (const face of faces) {
    const corners = Array.from(face, (index) => corner(vertices, index));
    const normal = faceNormal(corners);
    for (const [points, distances] of faceTriangles(corners)) {
      for (const point of points) position.push(...point);
      normals.push(...normal, ...normal, ...normal);
      edge.push(...distances);
    }
  }
  return triplesGeometry({ position, normal: normals, edge });
}

function smoothGeometry(vertices, faces, normals) {
  const position = [];
  const normal = [];
  for (const face of faces) {
    for (let i = 2; i < face.length; i++) {
      for (const index of [face[0], face[i - 1], face[i]]) {
        position.push(...corner(vertices, index));
        normal.push(...corner(normals, index));
      }
    }
  }
  return triplesGeometry({ position, normal, edge: new Array(position.length).fill(NO_EDGE) });
}

function triplesGeometry(triples) {
  const geometry = new BufferGeometry();
  for (const [name, values] of Object.entries(triples)) {
    geometry.setAttribute(name, new BufferAttribute(new Float32Array(values), 3));
  }
  return geometry;
}
