// The material of bodies: matt stone with darker edges, so that equal bodies side by side are told apart, and glass for
// walls that would hide what they hold.
import { BackSide, Color, DoubleSide, MeshBasicMaterial, MeshLambertMaterial, Vector2, Vector3 } from 'three';
import { horizonFade } from './backdrop.js';

// How far a fragment lies from the nearest edge of its part, in metres. Round parts get a thin line to show their turning.
const edgeDistances = {
  box: `
    vec3 inside = (1.0 - abs(vUnit)) * vSize + abs(vUnitNormal) * 1e6;
    return min(inside.x, min(inside.y, inside.z));`,
  cylinder: `
    float rim = abs(vUnitNormal.y) > 0.5 ? (1.0 - length(vUnit.xz)) * vSize.x : (1.0 - abs(vUnit.y)) * vSize.y;
    float spoke = abs(vUnitNormal.y) > 0.5 && vUnit.x > 0.0 ? abs(vUnit.z) * vSize.x : 1e6;
    return min(rim, spoke);`,
  tube: 'return (1.0 - abs(vUnit.y)) * vSize.y;',
  cap: 'return vUnit.y * vSize.y;',
  ball: 'return min(abs(vUnit.x), abs(vUnit.y)) * vSize.x;',
  hull: 'return min(vEdge.x, min(vEdge.y, vEdge.z)) * vSize.x;',
};

const vertexHead = `
  varying vec3 vUnit;
  varying vec3 vSize;
  varying vec3 vUnitNormal;
  #ifdef GLASS
    uniform vec3 glassCenter;
    varying vec3 vPlace;
    varying float vInward;
  #endif
  #ifdef KIND_HULL
    attribute vec3 edge;
    varying vec3 vEdge;
  #endif
  void main() {`;

const vertexBody = `
  #include <begin_vertex>
  #ifdef USE_BATCHING
    mat4 partMatrix = batchingMatrix;
  #else
    mat4 partMatrix = instanceMatrix;
  #endif
  vUnit = position;
  vUnitNormal = normal;
  vSize = vec3(length(partMatrix[0].xyz), length(partMatrix[1].xyz), length(partMatrix[2].xyz));
  #ifdef GLASS
    vPlace = (partMatrix * vec4(position, 1.0)).xyz;
    vInward = dot(normalize(mat3(partMatrix) * (normal / (vSize * vSize))), normalize(glassCenter - vPlace));
  #endif
  #ifdef KIND_HULL
    vEdge = edge;
  #endif`;

const fragmentHead = (kind) => `
  varying vec3 vUnit;
  varying vec3 vSize;
  varying vec3 vUnitNormal;
  varying vec3 vEdge;
  #ifdef GLASS
    varying vec3 vPlace;
    varying float vInward;
    uniform vec2 heightFade;
    uniform vec3 innerLow;
    uniform vec3 innerHigh;
    uniform vec3 glassColor;
    uniform vec3 glassLine;
    uniform float lineWidth;
  #endif
  float edgeDistance() { ${edgeDistances[kind]} }
  // A line of a width in metres that never gets thinner than a pixel, but fainter instead.
  float edgeLine(float distance, float width) {
    float pixel = max(fwidth(distance), 1e-7);
    float drawn = max(width, 0.75 * pixel);
    float strength = sqrt(width / drawn);
    return strength * clamp((drawn - distance) / pixel + 0.5, 0.0, 1.0);
  }
  void main() {`;

// Lines darken; a soft shade towards the edges rounds the face.
const stoneBody = (line, shade, width = 0.035) => `
  #include <color_fragment>
  float edgeAway = edgeDistance();
  float bodySize = min(vSize.x, min(vSize.y, vSize.z));
  diffuseColor.rgb *= 1.0 - ${line.toFixed(2)} * edgeLine(edgeAway, ${width} * bodySize);
  diffuseColor.rgb *= 1.0 - ${shade.toFixed(2)} * (1.0 - smoothstep(0.0, 0.3 * bodySize, edgeAway));`;

// Faces that look away from the middle are left out, and what reaches past the corners: of thick walls the inner sides show.
const glassBody = `
  #include <color_fragment>
  float high = 1.0 - smoothstep(heightFade.x, heightFade.y, vPlace.y);
  float line = edgeLine(edgeDistance(), lineWidth);
  diffuseColor = vec4(mix(glassColor, glassLine, line), high * mix(gl_FrontFacing ? 0.17 : 0.07, 0.8, line));
  bool isOutside = any(lessThan(vPlace, innerLow)) || any(greaterThan(vPlace, innerHigh));
  if (diffuseColor.a < 0.004 || vInward < -0.03 || isOutside) discard;`;

const looks = {
  box: stoneBody(0.62, 0.14),
  cylinder: stoneBody(0.5, 0.1),
  tube: stoneBody(0.35, 0),
  cap: stoneBody(0.35, 0),
  ball: stoneBody(0.35, 0, 0.02),
  hull: stoneBody(0.3, 0.04, 0.012),
};

function adapt(material, kind, fragmentBody, uniforms) {
  material.defines = { ...material.defines, [`KIND_${kind.toUpperCase()}`]: '' };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('void main() {', vertexHead)
      .replace('#include <begin_vertex>', vertexBody);
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', fragmentHead(kind))
      .replace('#include <color_fragment>', fragmentBody);
  };
  // Materials of one kind may share a program, others must not: their source differs only after this hook.
  material.customProgramCacheKey = () => `${kind} ${material.type}`;
  return material;
}

export function stoneMaterial(kind) {
  return adapt(new MeshLambertMaterial(), kind, looks[kind], {});
}

/**
 * Terrain: flat faces that fade into the horizon as the ground does. Seen from below, too: what fell through a hole is looked for there.
 * @param uniforms those of the backdrop
 */
export function terrainMaterial(uniforms, tinted) {
  const material = new MeshLambertMaterial({ flatShading: true, side: DoubleSide, vertexColors: tinted, dithering: true });
  material.shadowSide = BackSide; // slopes that face away from the sun cast the shadows; sunny ones would speckle themselves
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { reach: uniforms.reach, horizon: uniforms.horizon });
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', 'uniform float reach;\nuniform vec3 horizon;\nvoid main() {')
      .replace('#include <opaque_fragment>', horizonFade);
  };
  material.customProgramCacheKey = () => 'terrain';
  return material;
}

/** What all glass of a stage shares. The stage fills in the places when it knows the bodies. */
export function glassUniforms(theme) {
  return {
    glassColor: { value: new Color(theme.glass) },
    glassLine: { value: new Color(theme.glassLine) },
    lineWidth: { value: 0.05 }, // metres
    heightFade: { value: new Vector2() }, // glass fades out between two heights: tall walls would stand in the sky
    glassCenter: { value: new Vector3() }, // the middle of what the walls hold
    innerLow: { value: new Vector3() }, // the room between the walls
    innerHigh: { value: new Vector3() },
  };
}

/** uniforms: as glassUniforms makes them. */
export function glassMaterial(kind, uniforms) {
  const material = new MeshBasicMaterial({ transparent: true, depthWrite: false, side: DoubleSide, toneMapped: false });
  material.defines = { GLASS: '' };
  return adapt(material, kind, glassBody, uniforms);
}
