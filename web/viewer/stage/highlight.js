// Marks one body with an outline that shows through others, and draws the line by which a body is dragged.
import {
  AlwaysStencilFunc, Color, Group, KeepStencilOp, Mesh, NotEqualStencilFunc, ReplaceStencilOp, ShaderMaterial,
} from 'three';
import { hullGeometry } from './geometry.js';
import { Strokes } from './strokes.js';

const OUTLINE_PIXELS = 2.5;

const outlineVertex = `
  uniform float pixels;
  uniform vec2 viewport;
  void main() {
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    // Away from the middle of the part, without its stretching: equally wide on thin and on long sides.
    vec3 outward = normalize(normalize(modelViewMatrix[0].xyz) * position.x + normalize(modelViewMatrix[1].xyz) * position.y
      + normalize(modelViewMatrix[2].xyz) * position.z);
    float pixel = -seen.z * 2.0 / (projectionMatrix[1][1] * viewport.y);
    seen.xyz += outward * pixels * pixel;
    gl_Position = projectionMatrix * seen;
  }`;

const outlineFragment = `
  uniform vec3 color;
  void main() {
    gl_FragColor = vec4(color, 1.0);
    #include <colorspace_fragment>
  }`;

// First the body itself is written into the stencil, then its swollen twin is drawn outside of it.
function stencilMaterial(uniforms, isMask) {
  return new ShaderMaterial({
    uniforms,
    vertexShader: outlineVertex,
    fragmentShader: outlineFragment,
    colorWrite: !isMask,
    depthTest: false,
    depthWrite: false,
    transparent: true, // drawn after everything solid
    toneMapped: false,
    stencilWrite: true,
    stencilRef: 1,
    stencilFunc: isMask ? AlwaysStencilFunc : NotEqualStencilFunc,
    stencilZPass: isMask ? ReplaceStencilOp : KeepStencilOp,
  });
}

export class Highlight {
  constructor(theme, viewport) {
    this.pixels = { value: OUTLINE_PIXELS };
    const color = { value: new Color(theme.accent) };
    this.mask = stencilMaterial({ pixels: { value: 0 }, viewport, color }, true);
    this.outline = stencilMaterial({ pixels: this.pixels, viewport, color }, false);
    this.group = new Group();
    this.outlined = new Group();
    this.width = { value: 3 };
    this.line = new Strokes(viewport, theme.accent, this.width, 0.6);
    this.group.add(this.outlined, ...this.line.objects);
    this.parts = [];
    this.hulls = []; // geometries made for the outline; other parts lend theirs
    this.ends = new Float32Array(6);
  }

  setPixelRatio(ratio) {
    this.pixels.value = OUTLINE_PIXELS * ratio;
    this.width.value = 3 * ratio;
  }

  /** parts: as Bodies gives them for the chosen body; empty for none. */
  select(parts) {
    for (const geometry of this.hulls) geometry.dispose();
    this.hulls = [];
    this.outlined.clear();
    this.parts = parts;
    for (const { batch, hull } of parts) {
      const geometry = hull ? hullGeometry(hull) : batch.mesh.geometry;
      if (hull) this.hulls.push(geometry);
      this.addPass(geometry, this.mask, 3);
      this.addPass(geometry, this.outline, 4);
    }
  }

  addPass(geometry, material, renderOrder) {
    const mesh = new Mesh(geometry, material);
    mesh.renderOrder = renderOrder;
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    this.outlined.add(mesh);
  }

  /** Moves the outline to where the body is drawn now. */
  follow() {
    this.parts.forEach(({ batch, slot }, i) => {
      for (const mesh of [this.outlined.children[2 * i], this.outlined.children[2 * i + 1]]) {
        mesh.matrix.fromArray(batch.matrices, 16 * slot);
        mesh.matrixWorldNeedsUpdate = true;
      }
    });
  }

  setGrab(from, to) {
    if (!from || !to) {
      this.line.set(this.ends, 0);
      return;
    }
    this.ends.set(from, 0);
    this.ends.set(to, 3);
    this.line.set(this.ends, 1);
  }

  dispose() {
    this.select([]);
    this.mask.dispose();
    this.outline.dispose();
    this.line.dispose();
  }
}
