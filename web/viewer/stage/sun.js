// The light: a bright sky all around and one sun, whose shadow map is fitted to what moves.
import { DirectionalLight, Group, HemisphereLight, Vector3 } from 'three';

const MAP_SIZE = 2048;

export class Sun {
  constructor(theme, shadows) {
    this.direction = new Vector3(...theme.sunDirection).normalize();
    this.light = new DirectionalLight(theme.sun, theme.sunIntensity);
    this.light.castShadow = shadows;
    this.light.shadow.mapSize.set(MAP_SIZE, MAP_SIZE);
    this.light.shadow.radius = 3;
    this.light.shadow.intensity = 0.9;
    this.group = new Group();
    this.group.add(this.light, this.light.target, new HemisphereLight(theme.skyLight, theme.groundLight, theme.skyIntensity));
    this.radius = 0;
    this.center = new Vector3();
    this.wanted = new Vector3();
  }

  /**
   * Covers a box with shadows. Size and place go in steps, so that shadows do not crawl while a pile settles, and depend
   * on the box alone, so that the same frame always looks the same. Returns whether anything changed.
   */
  cover(box, bodyRadius) {
    const size = Math.hypot(box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]);
    if (!Number.isFinite(size)) return false;
    const step = 1.15;
    const radius = step ** Math.ceil(Math.log(1.05 * (size / 2 + bodyRadius)) / Math.log(step)) * 1.1;
    const snap = radius / 10;
    this.wanted.set(box.low[0] + box.high[0], box.low[1] + box.high[1], box.low[2] + box.high[2]).multiplyScalar(0.5 / snap);
    this.wanted.round().multiplyScalar(snap);
    if (radius === this.radius && this.wanted.equals(this.center)) return false;
    this.radius = radius;
    this.center.copy(this.wanted);
    this.fit();
    return true;
  }

  fit() {
    const { light, radius, center } = this;
    light.target.position.copy(center);
    light.position.copy(this.direction).multiplyScalar(3 * radius).add(center);
    const { camera } = light.shadow;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = radius;
    camera.far = 12 * radius; // shadows of high things fall far
    camera.updateProjectionMatrix();
    // About one texel of the map keeps surfaces from shading themselves.
    light.shadow.normalBias = (1.6 * 2 * radius) / MAP_SIZE;
    light.shadow.bias = -1e-5;
  }

  dispose() {
    this.light.dispose();
  }
}
