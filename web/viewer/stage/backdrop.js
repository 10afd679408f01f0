// Sky and ground: a quiet gradient, and a plane with a grid that fades into the horizon before it ends.
import {
  BufferAttribute, BufferGeometry, Color, Group, Mesh, MeshLambertMaterial, PlaneGeometry, ShaderMaterial, Vector2,
} from 'three';

const REACH = 30; // radius of the ground in distances between camera and target

const skyVertex = `
  varying vec3 vDirection;
  void main() {
    vec4 far = inverse(projectionMatrix) * vec4(position.xy, 1.0, 1.0);
    vDirection = (inverse(viewMatrix) * vec4(far.xyz, 0.0)).xyz;
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }`;

const skyFragment = `
  uniform vec3 top;
  uniform vec3 horizon;
  uniform vec3 below;
  varying vec3 vDirection;
  #include <common>
  #include <dithering_pars_fragment>
  void main() {
    float height = normalize(vDirection).y;
    vec3 color = height > 0.0 ? mix(horizon, top, pow(height, 0.7)) : mix(horizon, below, smoothstep(0.0, 0.6, -height));
    gl_FragColor = vec4(color, 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
    #include <dithering_fragment>
  }`;

const groundFragmentHead = `
  varying vec2 vPlane;
  uniform float cell;
  uniform float reach;
  uniform vec3 gridColor;
  uniform vec3 horizon;
  // Lines one pixel wide, which fade where they would crowd.
  float grid(float size) {
    vec2 place = vPlane / size;
    vec2 pixel = max(fwidth(place), 1e-6);
    vec2 away = abs(fract(place - 0.5) - 0.5);
    vec2 line = clamp(1.0 - away / pixel, 0.0, 1.0) * (1.0 - smoothstep(0.06, 0.3, pixel));
    return max(line.x, line.y);
  }
  void main() {`;

const groundFragmentColor = `
  #include <color_fragment>
  float lines = max(0.2 * grid(cell), max(0.38 * grid(10.0 * cell), 0.38 * grid(100.0 * cell)));
  diffuseColor.rgb = mix(diffuseColor.rgb, gridColor, lines);`;

// The far ground takes the colour of the horizon: no line where the plane ends. It needs the uniforms reach and horizon.
export const horizonFade = `
  float far = length(vViewPosition) / reach;
  outgoingLight = mix(outgoingLight, horizon, smoothstep(0.04, 0.8, sqrt(far) * 0.9));
  #include <opaque_fragment>`;

function makeSky(theme, uniforms) {
  const triangle = new BufferGeometry();
  triangle.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
  const sky = new Mesh(triangle, new ShaderMaterial({
    uniforms,
    vertexShader: skyVertex,
    fragmentShader: skyFragment,
    depthTest: false,
    depthWrite: false,
    dithering: true,
  }));
  sky.frustumCulled = false;
  sky.renderOrder = -1;
  return sky;
}

function makeGround(theme, uniforms) {
  const material = new MeshLambertMaterial({
    color: theme.ground,
    dithering: true,
    polygonOffset: true, // a slab that lies level with the ground wins
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('void main() {', 'varying vec2 vPlane;\nuniform float reach;\nuniform vec2 origin;\nvoid main() {')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvPlane = origin + position.xz * reach;');
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', groundFragmentHead)
      .replace('#include <color_fragment>', groundFragmentColor)
      .replace('#include <opaque_fragment>', horizonFade);
  };
  const ground = new Mesh(new PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
  ground.receiveShadow = true;
  ground.frustumCulled = false;
  ground.visible = false;
  return ground;
}

export class Backdrop {
  constructor(theme) {
    this.below = new Color(theme.below);
    this.uniforms = {
      top: { value: new Color(theme.skyTop) },
      horizon: { value: new Color(theme.horizon) },
      below: { value: this.below.clone() },
      gridColor: { value: new Color(theme.gridLine) },
      cell: { value: 1 },
      reach: { value: 1 },
      origin: { value: new Vector2() },
    };
    this.sky = makeSky(theme, this.uniforms);
    this.ground = makeGround(theme, this.uniforms);
    this.group = new Group();
    this.group.add(this.sky, this.ground);
  }

  /** height: of the ground, or null for none. bodySize: of a typical body, which fits into one cell of the grid. */
  setGround(height, bodySize) {
    this.ground.visible = height !== null;
    this.ground.position.y = height ?? 0;
    this.uniforms.cell.value = 10 ** Math.round(Math.log10(bodySize));
    this.uniforms.below.value.copy(height === null ? this.below : this.uniforms.horizon.value);
  }

  /** Keeps the plane around what the camera looks at. */
  follow(target, distance) {
    const { cell, reach, origin } = this.uniforms;
    const coarse = 100 * cell.value;
    reach.value = REACH * distance;
    this.ground.scale.set(reach.value, 1, reach.value);
    // The grid is computed from small numbers, however far away the camera is.
    origin.value.set(target.x - coarse * Math.round(target.x / coarse), target.z - coarse * Math.round(target.z / coarse));
    this.ground.position.x = target.x;
    this.ground.position.z = target.z;
  }

  dispose() {
    for (const mesh of [this.sky, this.ground]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}
