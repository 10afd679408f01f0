// Straight lines of a width in pixels, drawn as thin quads: WebGL's own lines are one pixel wide, too thin on fine screens.
import {
  BufferAttribute, Color, DoubleSide, DynamicDrawUsage, GreaterDepth, InstancedBufferGeometry, InstancedInterleavedBuffer,
  InterleavedBufferAttribute, LessEqualDepth, Mesh, ShaderMaterial,
} from 'three';

/** GLSL: a corner of the quad from a to b. corner.x runs -1…1 across, corner.y 0…1 along; width in pixels. */
export const strokeFunction = `
  uniform vec2 viewport;
  vec4 strokeCorner(vec3 a, vec3 b, vec2 corner, float width) {
    vec4 from = modelViewMatrix * vec4(a, 1.0);
    vec4 to = modelViewMatrix * vec4(b, 1.0);
    // An end behind the camera would be mirrored: cut the line in front of it.
    float near = -1e-3;
    if (from.z > near && to.z < near) from = mix(from, to, (from.z - near) / (from.z - to.z));
    if (to.z > near && from.z < near) to = mix(to, from, (to.z - near) / (to.z - from.z));
    vec4 start = projectionMatrix * from;
    vec4 end = projectionMatrix * to;
    vec2 along = (end.xy / end.w - start.xy / start.w) * viewport;
    along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
    vec4 place = mix(start, end, corner.y);
    place.xy += vec2(-along.y, along.x) * corner.x * width / viewport * place.w;
    return place;
  }`;

export const colorFragment = `
  varying vec4 vColor;
  void main() {
    gl_FragColor = vColor;
    #include <colorspace_fragment>
  }`;

/** A quad for instancing: corner.x -1…1, corner.y from `bottom` to 1. */
export function quadGeometry(bottom) {
  const geometry = new InstancedBufferGeometry();
  const corners = new Float32Array([-1, bottom, 1, bottom, 1, 1, -1, 1]);
  geometry.setAttribute('corner', new BufferAttribute(corners, 2));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  geometry.instanceCount = 0;
  return geometry;
}

/** A buffer of numbers per instance that grows; `views` names parts of it: { name: [offset, size] }. */
export class InstanceBuffer {
  constructor(stride, views) {
    this.stride = stride;
    this.views = views;
    this.geometries = [];
    this.allocate(64);
  }

  allocate(capacity) {
    this.buffer = new InstancedInterleavedBuffer(new Float32Array(this.stride * capacity), this.stride, 1);
    this.buffer.setUsage(DynamicDrawUsage);
    for (const geometry of this.geometries) this.attach(geometry);
  }

  attach(geometry) {
    if (geometry.getAttribute(Object.keys(this.views)[0])) geometry.dispose(); // frees the smaller buffer
    for (const [name, [offset, size]] of Object.entries(this.views)) {
      geometry.setAttribute(name, new InterleavedBufferAttribute(this.buffer, size, offset));
    }
  }

  feed(geometry) {
    this.geometries.push(geometry);
    this.attach(geometry);
  }

  set(values, count) {
    const instances = Math.max(0, Math.min(count, Math.floor(values.length / this.stride)));
    if (instances > this.buffer.count) this.allocate(Math.ceil(1.5 * instances));
    const used = instances * this.stride;
    this.buffer.array.set(values.length === used ? values : values.subarray(0, used));
    this.buffer.clearUpdateRanges();
    this.buffer.addUpdateRange(0, used);
    this.buffer.needsUpdate = true;
    for (const geometry of this.geometries) geometry.instanceCount = instances;
  }
}

/** Draws a geometry twice: in full where it is in sight, and faint where something covers it. */
export function seeThrough(makeObject, geometry, shader, uniforms, faintness = 0.25) {
  return [[LessEqualDepth, 1], [GreaterDepth, faintness]].map(([depthFunc, alpha]) => {
    const material = new ShaderMaterial({
      ...shader,
      uniforms: { ...uniforms, alpha: { value: alpha } },
      transparent: true,
      depthWrite: false,
      side: DoubleSide, // a stroke's quad turns over with its direction on the screen
      depthFunc,
      toneMapped: false,
    });
    const object = makeObject(geometry, material);
    object.frustumCulled = false;
    object.renderOrder = 2;
    return object;
  });
}

const strokeVertex = `
  attribute vec2 corner;
  attribute vec3 from;
  attribute vec3 to;
  uniform vec3 color;
  uniform float width;
  uniform float alpha;
  varying vec4 vColor;
  ${strokeFunction}
  void main() {
    vColor = vec4(color, alpha);
    gl_Position = strokeCorner(from, to, corner, width);
  }`;

/** Lines of one colour; six numbers each: from, to. */
export class Strokes {
  constructor(viewport, color, width, faintness) {
    this.geometry = quadGeometry(0);
    this.lines = new InstanceBuffer(6, { from: [0, 3], to: [3, 3] });
    this.lines.feed(this.geometry);
    const uniforms = { viewport, color: { value: new Color(color) }, width };
    const shader = { vertexShader: strokeVertex, fragmentShader: colorFragment };
    this.objects = seeThrough((g, m) => new Mesh(g, m), this.geometry, shader, uniforms, faintness);
  }

  set(lines, count) {
    this.lines.set(lines, count);
  }

  set visible(on) {
    for (const object of this.objects) object.visible = on;
  }

  dispose() {
    this.geometry.dispose();
    for (const object of this.objects) object.material.dispose();
  }
}
