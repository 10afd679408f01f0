// The surfaces of meshes and height fields: triangles in the frame of the shared object, made once for all shapes that use it.
import { BufferAttribute, BufferGeometry, Color } from 'three';

/** Two triangles for each cell that is no hole; they share the diagonal from (column, row) to (column + 1, row + 1). */
function fieldTriangles({ columns, rows, spacing, heights, holes }) {
  const vertices = new Float32Array(3 * columns * rows);
  for (let i = 0; i < columns * rows; i++) {
    vertices[3 * i] = (i % columns) * spacing[0];
    vertices[3 * i + 1] = heights[i];
    vertices[3 * i + 2] = Math.floor(i / columns) * spacing[1];
  }
  const indices = new Uint32Array(6 * (columns - 1) * (rows - 1));
  let at = 0;
  for (let row = 0, cell = 0; row < rows - 1; row++) {
    for (let column = 0; column < columns - 1; column++, cell++) {
      if (holes[cell]) continue;
      const a = row * columns + column;
      const below = a + columns;
      indices[at++] = a;
      indices[at++] = below;
      indices[at++] = below + 1;
      indices[at++] = a;
      indices[at++] = below + 1;
      indices[at++] = a + 1;
    }
  }
  return { vertices, indices: indices.subarray(0, at), materials: null };
}

function extentsOf(vertices) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let square = 0;
  for (let i = 0; i < vertices.length; i += 3) {
    for (let c = 0; c < 3; c++) {
      const x = vertices[i + c];
      if (x < low[c]) low[c] = x;
      if (x > high[c]) high[c] = x;
    }
    square = Math.max(square, vertices[i] ** 2 + vertices[i + 1] ** 2 + vertices[i + 2] ** 2);
  }
  return { low, high, radius: Math.sqrt(square) };
}

// Scaling by a negative factor turns triangles inside out; the other order of their corners turns them back.
function mirrored(surface) {
  const indices = surface.indices.slice();
  for (let i = 0; i < indices.length; i += 3) [indices[i], indices[i + 1]] = [indices[i + 1], indices[i]];
  return { ...surface, indices };
}

const made = new WeakMap(); // shared object → its surface, and the mirrored one when it is needed

/** The surface of a mesh or height field: { vertices, indices, materials or null, low, high, radius }, without its scale. */
export function surfaceOf(shape) {
  const shared = shape.mesh ?? shape.heightField;
  if (!made.has(shared)) {
    const triangles = shape.mesh ?? fieldTriangles(shared);
    made.set(shared, { plain: { ...triangles, ...extentsOf(triangles.vertices) }, mirrored: null });
  }
  const both = made.get(shared);
  if (shape.scale[0] * shape.scale[1] * shape.scale[2] > 0) return both.plain;
  return (both.mirrored ??= mirrored(both.plain));
}

/** Whether triangles of several materials are in it. */
export const isMixed = ({ materials }) => materials !== null && materials.some((material) => material !== materials[0]);

// Corners that triangles of different colours would share are taken apart.
function tintedGeometry({ vertices, indices, materials }, tints) {
  const position = new Float32Array(3 * indices.length);
  const color = new Float32Array(3 * indices.length);
  const palette = tints.map((hex) => new Color(hex).toArray());
  indices.forEach((index, i) => {
    position.set(vertices.subarray(3 * index, 3 * index + 3), 3 * i);
    color.set(palette[materials[Math.floor(i / 3)] % palette.length], 3 * i);
  });
  return new BufferGeometry().setAttribute('position', new BufferAttribute(position, 3)).setAttribute('color', new BufferAttribute(color, 3));
}

/**
 * Faces are drawn flat, so there are no normals.
 * @param tints colours for the materials, by which the colour of the body is multiplied
 */
export function surfaceGeometry(surface, tints) {
  if (isMixed(surface)) return tintedGeometry(surface, tints);
  return new BufferGeometry().setAttribute('position', new BufferAttribute(surface.vertices, 3))
    .setIndex(new BufferAttribute(surface.indices, 1));
}
