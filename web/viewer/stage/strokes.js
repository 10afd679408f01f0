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

/** GLSL: a width in pixels that things far away do not exceed: no more than `thickness` metres, no less than most of a pixel. */
const widthFunction = `
  uniform float width;
  uniform float thickness;
  float widthAt(vec3 place) {
    float away = max(-(modelViewMatrix * vec4(place, 1.0)).z, 1e-6);
    return clamp(thickness * projectionMatrix[1][1] * 0.5 * viewport.y / away, min(0.8, width), width);
  }`;

/** A disc with a dark rim, of the quad from -1 to 1 that vCorner runs over. */
export const discFragment = `
  varying vec4 vColor;
  varying vec2 vCorner;
  void main() {
    float away = length(vCorner);
    float edge = fwidth(away);
    vec3 rim = mix(vColor.rgb, vec3(0.03), 0.75 * smoothstep(0.72 - edge, 0.72 + edge, away));
    gl_FragColor = vec4(rim, vColor.a * (1.0 - smoothstep(1.0 - edge, 1.0, away)));
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
  uniform float alpha;
  varying vec4 vColor;
  ${strokeFunction}
  ${widthFunction}
  void main() {
    vColor = vec4(color, alpha);
    gl_Position = strokeCorner(from, to, corner, widthAt(from));
  }`;

const discVertex = `
  attribute vec2 corner;
  attribute vec3 point;
  uniform vec3 color;
  uniform vec2 viewport;
  uniform float alpha;
  varying vec4 vColor;
  varying vec2 vCorner;
  ${widthFunction}
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(point, 1.0);
    gl_Position.xy += corner * widthAt(point) / viewport * gl_Position.w;
    vCorner = corner;
    vColor = vec4(color, alpha);
  }`;

// Many quads of one colour, as a shader places them; `width` is in pixels, `thickness` in metres bounds it from afar.
class Quads {
  constructor({ bottom, stride, views, shader }, viewport, color, width, faintness, thickness = { value: 1e9 }) {
    this.geometry = quadGeometry(bottom);
    this.instances = new InstanceBuffer(stride, views);
    this.instances.feed(this.geometry);
    const uniforms = { viewport, color: { value: new Color(color) }, width, thickness };
    this.objects = seeThrough((g, m) => new Mesh(g, m), this.geometry, shader, uniforms, faintness);
  }

  set(values, count) {
    this.instances.set(values, count);
  }

  set visible(on) {
    for (const object of this.objects) object.visible = on;
  }

  dispose() {
    this.geometry.dispose();
    for (const object of this.objects) object.material.dispose();
  }
}

const STROKE = {
  bottom: 0, stride: 6, views: { from: [0, 3], to: [3, 3] }, shader: { vertexShader: strokeVertex, fragmentShader: colorFragment },
};
const DISC = { bottom: -1, stride: 3, views: { point: [0, 3] }, shader: { vertexShader: discVertex, fragmentShader: discFragment } };

/** Lines of one colour; six numbers each: from, to. */
export class Strokes extends Quads {
  constructor(...look) { super(STROKE, ...look); }
}

/** Dots of one colour; three numbers each. */
export class Discs extends Quads {
  constructor(...look) { super(DISC, ...look); }
}
